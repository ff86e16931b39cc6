# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages in fragments: which fragments make a message, and how it is shown."""

import re
import struct

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, fragment

DECODE_AS = ("-d", f"udp.port=={tshark.SERVER_PORT},enet")
DATA, IN, FRAGMENT, LENGTH, COUNT = (
    f"enet.reassembly.{name}" for name in ("data", "in", "fragment", "length", "count"))
OVERLAP, CONFLICT, TOO_LONG, TAILS = (
    f"enet.reassembly.{name}" for name in ("overlap", "overlap.conflict", "too_long", "multiple_tails"))
SHOWN = [DATA, IN, FRAGMENT, LENGTH, COUNT]
FLAGS = [OVERLAP, CONFLICT, TOO_LONG, TAILS]
PASSES = ([], ["-2"])


def unreliable_fragment(number, offset, data, count=2, total=6, message=1, sequence=0):
    head = struct.pack(">BBHHHIIII", 0x0C, 0, sequence, message, len(data), count, number, total, offset)
    return head + data


def write(path, *datagrams):
    """Each has a different sent time."""
    return tshark.write_pcap(path, [tshark.request(datagram(commands, sent_time=n), n / 100)
                                    for n, commands in enumerate(datagrams)])


def last(path, *datagrams, passes=()):
    """The fields of the last datagram."""
    return tshark.fields(write(path, *datagrams), SHOWN + FLAGS, *DECODE_AS, *passes)[-1]


def piece(number, **options):
    """One third of "abcdefghij"."""
    offset = 4 * number
    return fragment(3, number, 10, offset, b"abcdefghij"[offset : offset + 4], 7 + number, **options)


@pytest.mark.parametrize("passes", PASSES)
def test_fragments_make_a_message_in_any_order(passes, tmp_path):
    orders = {write(tmp_path / f"{number}.pcap", *map(piece, order)): order
              for number, order in enumerate([(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])}
    for path, (*before, whole) in tshark.fields_of_each(list(orders), SHOWN, *DECODE_AS, *passes).items():
        frames = {number: frame for frame, number in enumerate(orders[path], 1)}
        assert whole == {DATA: ["6162636465666768696a"], IN: [], LENGTH: ["10"], COUNT: ["3"],
                         FRAGMENT: [str(frames[number]) for number in range(3)]}, orders[path]
        for packet in before:
            assert packet == {DATA: [], IN: ["3"] if passes else [], LENGTH: [], COUNT: [], FRAGMENT: []}, orders[path]


@pytest.mark.parametrize("passes", PASSES)
def test_a_message_that_ends_with_several_fragments_of_a_datagram_is_one_message(passes, tmp_path):
    """The message is shown with the fragment that completes it, on each pass."""
    found = last(tmp_path / "one.pcap", piece(0), piece(1) + piece(2), passes=passes)
    assert found[DATA] == ["6162636465666768696a"]
    assert found[FRAGMENT] == ["1", "2", "2"]
    assert found[IN] == ["2"]


@pytest.mark.parametrize("passes", PASSES)
def test_an_empty_fragment_can_complete_a_message(passes, tmp_path):
    path = write(tmp_path / "empty.pcap", unreliable_fragment(0, 0, b"ABCDEF"), unreliable_fragment(1, 3, b""))
    first, whole = tshark.fields(path, [DATA, IN], *DECODE_AS, *passes)
    assert first == {DATA: [], IN: ["2"] if passes else []}
    assert whole == {DATA: ["414243444546"], IN: []}


def test_without_all_fragments_there_is_no_message(tmp_path):
    assert not any(last(tmp_path / "two.pcap", piece(0), piece(2)).values())


def test_fragments_of_another_message_do_not_complete_it(tmp_path):
    other = struct.pack(">BBHHHIIII", 0x88, 1, 8, 7, 4, 3, 1, 10, 4) + b"EFGH"
    assert not any(last(tmp_path / "channel.pcap", piece(0), other, piece(2)).values())


@pytest.mark.parametrize("second, data, flag", [
    (b"cdef", "616263646566", OVERLAP),
    (b"CDef", "616243446566", CONFLICT),
])
def test_of_overlapping_fragments_the_last_to_arrive_remains(second, data, flag, tmp_path):
    """As in ENet; each fragment with different bytes is marked."""
    parts = unreliable_fragment(0, 0, b"abcd"), unreliable_fragment(1, 2, second)
    found = last(tmp_path / "overlap.pcap", *parts)
    assert found[DATA] == [data]
    assert found[OVERLAP] and bool(found[CONFLICT]) == (flag == CONFLICT)


# Together with their datagrams, more messages than the latest 65,535.
OTHERS, IN_A_DATAGRAM = 2060, 31


def test_a_repeated_number_is_counted_once(tmp_path):
    """Also after more messages than the analysis stores to detect copies."""
    first, second = unreliable_fragment(0, 0, b"abc"), unreliable_fragment(1, 3, b"def")
    others = [b"".join(unreliable_fragment(0, 0, b"xyz", message=2 + IN_A_DATAGRAM * n + m) for m in range(IN_A_DATAGRAM))
              for n in range(OTHERS)]
    assert not any(last(tmp_path / "copy.pcap", first, *others, first).values())
    found = last(tmp_path / "all.pcap", first, *others, first, second)
    assert found[DATA] == ["616263646566"]
    assert found[FRAGMENT] == ["1", str(OTHERS + 2), str(OTHERS + 3)]
    assert found[OVERLAP] and not found[CONFLICT]
    # The same if the repeated one is not the first of the message.
    assert not any(last(tmp_path / "later.pcap", second, *others, second).values())
    assert last(tmp_path / "ends.pcap", second, *others, second, first)[DATA] == ["616263646566"]


def test_after_a_reliable_message_the_same_start_number_is_of_another_message(tmp_path):
    """Unreliable numbers begin again with each reliable one."""
    found = last(tmp_path / "again.pcap", unreliable_fragment(0, 0, b"abc"), unreliable_fragment(0, 0, b"ABC", sequence=1),
                 unreliable_fragment(1, 3, b"DEF", sequence=1))
    assert found[DATA] == [b"ABCDEF".hex()]
    assert found[FRAGMENT] == ["2", "3"]


@pytest.mark.parametrize("contradiction, flags", [
    (unreliable_fragment(1, 3, b"DEF", count=3), {OVERLAP, CONFLICT}),
    (unreliable_fragment(1, 3, b"DEFGH", total=8), {OVERLAP, TAILS, TOO_LONG}),
    (unreliable_fragment(1, 3, b"D", total=4), {OVERLAP, CONFLICT, TAILS}),
])
def test_a_fragment_that_contradicts_the_first_is_rejected(contradiction, flags, tmp_path):
    sound = unreliable_fragment(0, 0, b"abc"), unreliable_fragment(1, 3, b"def", message=1)
    assert not any(last(tmp_path / "refused.pcap", sound[0], contradiction).values())
    # The analysis detects a repeated number of the same message only if the message is still stored.
    others = [b"".join(unreliable_fragment(0, 0, b"xyz", message=2 + IN_A_DATAGRAM * n + m) for m in range(IN_A_DATAGRAM))
              for n in range(OTHERS)]
    found = last(tmp_path / "flags.pcap", sound[0], contradiction, *others, sound[1])
    assert found[DATA] == ["616263646566"]
    assert {flag for flag in FLAGS if found[flag]} == flags


def test_fragments_that_leave_a_gap_make_no_message(tmp_path):
    """ENet would deliver undefined memory for the gap."""
    gap = unreliable_fragment(0, 0, b"ab"), unreliable_fragment(1, 3, b"def")
    assert not any(last(tmp_path / "gap.pcap", *gap).values())
    overlapping = (unreliable_fragment(0, 0, b"ab", count=3), unreliable_fragment(1, 3, b"def", count=3),
                   unreliable_fragment(2, 3, b"def", count=3))
    assert not any(last(tmp_path / "overlap.pcap", *overlapping).values())


def tiny(count):
    """A message of fragments of one byte, 32 a datagram."""
    return [b"".join(fragment(count, n, count, n, b"x", 7 + n & 0xFFFF) for n in range(first, min(first + 32, count)))
            for first in range(0, count, 32)]


def test_more_fragments_than_fit_a_tree_are_counted(tmp_path):
    path = write(tmp_path / "tiny.pcap", *tiny(50_000))
    found = tshark.fields(path, [COUNT, FRAGMENT], *DECODE_AS)[-1]
    assert found == {COUNT: ["50000"], FRAGMENT: []}


def test_the_bytes_of_a_reassembled_message_have_a_pane_of_their_own():
    """As tshark -x prints them: the frame, and all bytes of each message that the frame completes."""
    path = tshark.PCAPS / "enet" / "fragments.pcap"
    lengths = [int(length) for packet in tshark.fields(path, ["enet.reassembly.length"], "-Y", "enet.reassembly.length")
               for length in packet["enet.reassembly.length"]]
    panes = re.findall(r"^Reassembled ENet \((\d+) bytes\):$", tshark.run(["-x"], path).stdout, re.MULTILINE)
    assert lengths and [int(length) for length in panes] == lengths
