# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The statistics count all bytes of each capture: sums, the bytes of a message, and those that no message has."""

import itertools
import re

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, datagram, reliable
from plugin.godot.multiplayer.samples import CALL_BY_ID as CALL, DECODE_AS, DEFINE, LONG_CALL, connected, define, fragments

MULTIPLAYER = sorted(str(path.relative_to(tshark.PCAPS)) for path in tshark.PCAPS.glob("godot/multiplayer/*.pcap*"))
# Rows of "Bytes of the capture" that are not messages of multiplayer.
OTHERS = {"Variants", "Other messages", "Headers", "Acknowledgements", "Retransmissions", "Fragments",
          "Other commands", "Frames without a message"}


def printed(capture, *args):
    return tshark.run(["-q", "-z", "io,stat,0", "-z", "godot,tree", "-z", "enet,tree", *args], tshark.PCAPS / capture).stdout


def rows(text, title, group):
    """{(row, row below it, ...): bytes} of a group; () is the group itself. Names are cut by their bytes."""
    found, names = {}, None
    table = re.search(rf"^{title}[^\n]*:\n(Topic / Item +)Count[^\n]*\n-+\n(.*?)\n-+$", text, re.MULTILINE | re.DOTALL)
    width = len(table[1])
    for line in table[2].split("\n"):
        padded = line.encode()
        label, count = padded[:width].decode(errors="replace").rstrip(), re.match(rb"-?\d+", padded[width:])
        if not count:
            continue
        depth = len(label) - len(label.lstrip())
        if not depth:
            names = [] if label == group else None
        elif names is not None:
            names = names[:depth - 1] + [label.strip()]
        if names is not None:
            found[tuple(names)] = int(count[0])
    return found


def total(text):
    return int(re.search(r"^\| +[\d.]+ <> *[\d.]+ *\| +\d+ \| +(\d+) \|", text, re.MULTILINE)[1])


def assert_sums(found, path=()):
    """Each row is the sum of those below it, on all levels; no row is negative."""
    below = [each for each in found if len(each) == len(path) + 1 and each[:len(path)] == path]
    assert found[path] >= 0, path
    if below:
        assert sum(found[each] for each in below) == found[path], path
    for each in below:
        assert_sums(found, each)


# ---- all captures --------------------------------------------------------------------------------------


def assert_all_are_counted(text):
    for title in ("Godot", "ENet"):
        found = rows(text, title, "Bytes of the capture")
        assert found[()] == total(text)
        assert_sums(found)


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("folder", tshark.capture_folders())
def test_all_bytes_of_the_captures_of_a_folder_are_counted(folder, passes):
    assert_all_are_counted(printed(tshark.captures_of(folder), *passes))


@pytest.mark.parametrize("capture", MULTIPLAYER)
def test_all_bytes_of_a_capture_are_counted(capture):
    assert_all_are_counted(printed(capture, "-2"))


@pytest.mark.parametrize("capture", MULTIPLAYER)
def test_no_row_of_a_filtered_tree_is_negative(capture):
    """Frames with the beginning of a message do not match the filter."""
    text = tshark.run(["-2", "-q", "-z", "godot,tree,godot_mp"], tshark.PCAPS / capture).stdout
    lengths = (packet["frame.len"] for packet in tshark.fields(tshark.PCAPS / capture, ["frame.len"], "-2", "-Y", "godot_mp"))
    found = rows(text, "Godot", "Bytes of the capture")
    assert found[()] == sum(int(length) for length, in lengths)
    assert_sums(found)


@pytest.mark.parametrize("capture", MULTIPLAYER)
def test_groups_have_the_bytes_of_their_messages(capture):
    text = printed(capture, "-2")
    whole = rows(text, "Godot", "Bytes of the capture")
    assert max(map(len, whole)) == 1

    def bytes_of(*names):
        return sum(whole.get((name,), 0) for name in names)

    messages = sum(count for names, count in whole.items() if names and names[0] not in OTHERS)
    for group, count in (("Bytes of calls", bytes_of("REMOTE_CALL", "REMOTE_SET")),
                         ("Bytes of synchronized properties", bytes_of("SYNC")),
                         ("Bytes of calls and properties by node", bytes_of("REMOTE_CALL", "REMOTE_SET", "SYNC")),
                         ("Bytes of spawned nodes", bytes_of("SPAWN")),
                         ("Bytes by sender", messages)):
        found = rows(text, "Godot", group) or {(): 0}
        assert_sums(found)
        assert found[()] == count, group


# ---- messages ------------------------------------------------------------------------------------------


def messages_of(found):
    return sum(count for names, count in found.items() if names and names[0] not in OTHERS)


@pytest.mark.parametrize("capture", MULTIPLAYER)
def test_messages_have_their_own_lengths_without_those_sent_again(capture):
    """Over ENet, WebSocket and WebRTC, in one frame or several; less where datagrams are compressed. Which messages of a frame
    were sent again is not in the fields, only how many."""
    sums, is_compressed = {0}, False
    names = ["godot_mp.length", "enet.analysis.resend_number", "enet.analysis.duplicate_of", "enet.compressed"]
    for packet in tshark.fields(tshark.PCAPS / capture, names, "-2", "-Y", "godot_mp"):
        again = packet["enet.analysis.resend_number"] or packet["enet.analysis.duplicate_of"]
        is_compressed |= "1" in packet["enet.compressed"] or "True" in packet["enet.compressed"]
        lengths = [int(length) for length in packet["godot_mp.length"]]
        new = {sum(each) for each in itertools.combinations(lengths, max(len(lengths) - len(again), 0))}
        sums = {one + each for one in sums for each in new}
    counted = messages_of(rows(printed(capture, "-2"), "Godot", "Bytes of the capture"))
    assert 0 < counted < max(sums) if is_compressed else counted in sums and counted > 0


@pytest.mark.parametrize("capture", ["enet/every-command.pcap", "godot/multiplayer/godot-4.6.3-calls.pcap"])
def test_acknowledgements_of_enet_have_one_row(capture):
    """Eight bytes each."""
    count = sum(packet["enet.command"].count("1") for packet in tshark.fields(tshark.PCAPS / capture, ["enet.command"], "-2"))
    assert rows(printed(capture, "-2"), "Godot", "Bytes of the capture")["Acknowledgements",] == 8 * count > 0


METHOD = "method 5() on Main"


def conversation(udp_capture, *packets):
    """A client defines a path; then these packets. Returns the capture's tables and the lengths of these packets."""
    begin = connected((False, bytes.fromhex(DEFINE)))
    path = udp_capture(*begin, *packets)
    text = tshark.run(["-q", "-z", "io,stat,0", "-z", "godot,tree", "-z", "enet,tree", *DECODE_AS], path).stdout
    lengths = [int(packet["frame.len"][0]) for packet in tshark.fields(path, ["frame.len"])]
    assert rows(text, "Godot", "Bytes of the capture")[()] == rows(text, "ENet", "Bytes of the capture")[()] == sum(lengths)
    return text, lengths[len(begin):]


# Of a datagram with a sent time: Ethernet, IP and UDP, then ENet. Of commands.
LOWER, DATAGRAM, RELIABLE, FRAGMENT, ACKNOWLEDGE = 42, 4, 6, 24, 8


def before(udp_capture):
    """The rows of the conversation's beginning."""
    return rows(conversation(udp_capture)[0], "Godot", "Bytes of the capture")


def differences(found, others):
    """The rows that have more bytes than in `others`."""
    return {names[0]: count - others.get(names, 0) for names, count in found.items() if names and count != others.get(names, 0)}


def test_a_copy_of_a_call_and_all_acknowledgements_have_their_rows(udp_capture):
    others = before(udp_capture)
    text, (call, first_ack, again, second_ack) = conversation(
        udp_capture, tshark.request(datagram(reliable(3, CALL))), tshark.reply(datagram(ack(3), 0x8000)),
        tshark.request(datagram(reliable(3, CALL), sent_time=0x1334)), tshark.reply(datagram(ack(3, 0x1334), 0x8000)))
    assert differences(rows(text, "Godot", "Bytes of the capture"), others) == {
        "REMOTE_CALL": len(CALL), "Retransmissions": RELIABLE + len(CALL), "Acknowledgements": 2 * ACKNOWLEDGE,
        "Headers": call + first_ack + again + second_ack - RELIABLE - 2 * len(CALL) - 2 * ACKNOWLEDGE}
    assert rows(text, "Godot", "Bytes of calls") == {(): len(CALL), (METHOD,): len(CALL), (METHOD, "Main"): len(CALL)}
    assert rows(text, "Godot", "Bytes of calls and properties by node") == {(): len(CALL), ("Main",): len(CALL)}
    assert rows(text, "Godot", "Calls") == {(): 1, (METHOD,): 1, (METHOD, "Main"): 1}
    channel = rows(text, "ENet", "Bytes of the capture")
    assert [channel["Channel 0", part] for part in ("Retransmissions", "Acknowledgements")] == [
        RELIABLE + len(CALL), 2 * ACKNOWLEDGE]


def test_a_call_in_fragments_has_all_of_its_bytes(udp_capture):
    others = before(udp_capture)
    first, second, last = fragments(LONG_CALL)
    text, lengths = conversation(udp_capture, first, tshark.reply(datagram(ack(3), 0x8000)), second, last,
                                 tshark.reply(datagram(ack(4) + ack(5), 0x8000)))
    assert differences(rows(text, "Godot", "Bytes of the capture"), others) == {
        "REMOTE_CALL": len(LONG_CALL), "Fragments": 3 * FRAGMENT, "Acknowledgements": 3 * ACKNOWLEDGE,
        "Headers": sum(lengths) - len(LONG_CALL) - 3 * FRAGMENT - 3 * ACKNOWLEDGE}


def test_fragments_of_a_message_that_is_not_complete_have_their_payload(udp_capture):
    others = before(udp_capture)
    first, second, _ = fragments(99 * b"a")
    text, lengths = conversation(udp_capture, first, second)
    found = differences(rows(text, "Godot", "Bytes of the capture"), others)
    payload = sum(lengths) - 2 * (LOWER + DATAGRAM + FRAGMENT)
    assert found == {"Fragments": payload + 2 * FRAGMENT, "Headers": 2 * (LOWER + DATAGRAM)}


def test_messages_in_one_datagram_have_one_row_of_headers(udp_capture):
    others = before(udp_capture)
    long = bytes.fromhex("00 06 05 01 04000000 05000000 6162636465000000")
    text, (frame,) = conversation(udp_capture, tshark.request(datagram(reliable(3, CALL) + reliable(4, long))))
    own = len(CALL) + len(long)
    assert differences(rows(text, "Godot", "Bytes of the capture"), others) == {"REMOTE_CALL": own, "Headers": frame - own}


def test_messages_of_enet_that_are_not_multiplayer_have_a_row():
    """All bytes that the record's commands carry, of messages in fragments too."""
    found = rows(printed("enet/fragments.pcap", "-2"), "Godot", "Bytes of the capture")
    lengths = tshark.fields(tshark.PCAPS / "enet/fragments.pcap", ["enet.message.length"], "-2")
    assert found["Other messages",] == sum(int(length) for packet in lengths for length in packet["enet.message.length"]) > 0


def test_a_node_named_like_a_group_is_a_row(udp_capture):
    """epan finds a row with rows below it by its name only."""
    packets = connected((False, bytes.fromhex(define(6, "Messages"))), (False, CALL))
    text = tshark.run(["-q", "-z", "godot,tree", *DECODE_AS], udp_capture(*packets)).stdout
    assert ("method 5() on Messages", "./Messages") in rows(text, "Godot", "Bytes of calls")
    assert rows(text, "Godot", "Messages")["REMOTE_CALL",] == 1


def test_a_message_has_its_whole_length_in_enet(udp_capture):
    path = udp_capture(*connected((False, bytes.fromhex(DEFINE))), *fragments(LONG_CALL))
    found = [packet["enet.message.length"] for packet in tshark.fields(path, ["enet.message.length"], *DECODE_AS)]
    assert found == [[], [], [str(len(bytes.fromhex(DEFINE)))], [], [], [str(len(LONG_CALL))]]
