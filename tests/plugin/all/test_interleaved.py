# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Results that depend on several packets are of one conversation: separate for each VLAN, and without the quotations
in ICMP errors."""

import functools
import itertools
import re
import struct
from collections import Counter

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, datagram, reliable
from plugin.tools.programs import messages

from gamewire_tools import statistics  # noqa: E402  after programs.py, which names its folder

# A game on one pair of addresses and ports: acks, responses, reassembly, retransmissions, names, generations.
CAPTURES = ["leviathan/session", "squirrel/session", "squirrel/split", "enet/every-command",
            "godot/variant/godot-3.6-game", "godot/multiplayer/godot-4.6.3-calls"]


# Recognized after several messages.
LATE = ["godot/variant/godot-3.6-late-proof", "godot/variant/godot-4.6.3-vector3-only"]


def records(capture):
    """Each packet's time and frame."""
    return list(tshark.read_frames(tshark.PCAPS / f"{capture}.pcap"))


@functools.lru_cache(maxsize=None)
def conversations():
    """{capture: its packets}, each between other hosts: all are decoded with one start of tshark."""
    moved = {name: tshark.move_hosts(tshark.PCAPS / f"{name}.pcap", tshark.scratch() / f"moved-{number}.pcap", number)
             for number, name in enumerate([*CAPTURES, *LATE])}
    return {name: list(tshark.read_frames(path)) for name, path in moved.items()}


def quotation(frame):
    """An ICMP error that quotes the whole datagram, from its receiver."""
    icmp = b"\3\3\0\0" + bytes(4) + frame[14:]
    addresses = frame[30:34] + frame[26:30]
    head = b"\x45\0" + struct.pack(">H", 20 + len(icmp)) + bytes(4) + b"\x40\1\0\0" + addresses
    return frame[6:12] + frame[:6] + frame[12:14] + head + icmp


@functools.lru_cache(maxsize=None)
def links():
    """The fields with frame numbers, and related ones."""
    kinds = ("FT_FRAMENUM", "FT_RELATIVE_TIME")
    return sorted({field.filter for field in tshark.registered_fields() if field.type in kinds})


def alone(packets):
    return packets


@functools.lru_cache(maxsize=None)
def decoded(changed, *passes):
    """{capture: each packet's links and Info text}, of changed(its packets); the frames of each capture are numbered from 1."""
    frames = [changed(packets) for packets in conversations().values()]
    path = tshark.write_frames(tshark.scratch() / f"{changed.__name__}.pcap", itertools.chain(*frames))
    found = tshark.split(tshark.fields(path, [*links(), "_ws.col.Info"], *passes), frames)
    begins = itertools.accumulate(map(len, frames), initial=0)
    return {name: [renumbered(packet, lambda number: number - begin) for packet in packets]
            for name, packets, begin in zip(conversations(), found, begins)}


def rows_of_values(tree):
    """The names and counts of Variants in the statistics; the rest counts frames."""
    return re.findall(r"^( *\S.*?)  +(\d+) ", tree.partition("Bytes of the capture")[0], re.MULTILINE)


def renumbered(packet, number_of):
    frames = {field.filter for field in tshark.registered_fields() if field.type == "FT_FRAMENUM"}
    return {name: [str(number_of(int(v))) for v in values] if name in frames else values
            for name, values in packet.items()}


def in_two_vlans(packets):
    """The copies of each two frames are swapped: taking the first match would give wrong results."""
    return [(time, tshark.tagged(frame, vlan)) for n, (time, frame) in enumerate(packets) for vlan in ((10, 20), (20, 10))[n % 2]]


@pytest.mark.parametrize("capture", CAPTURES)
def test_the_same_conversation_in_two_vlans_is_analyzed_separately(capture):
    expected, together = decoded(alone, "-2")[capture], decoded(in_two_vlans, "-2")[capture]
    assert sum(any(packet[name] for name in links()) for packet in expected) > 1
    for first in (1, 0):  # True if the copy is the first of odd frames
        def number_of(frame):
            return 2 * frame - (first if frame % 2 else 1 - first)
        found = [together[number_of(frame) - 1] for frame in range(1, len(expected) + 1)]
        assert found == [renumbered(packet, number_of) for packet in expected]


def sides_of(frames):
    """The lower address and port of each frame is 0; the network and transport headers have a fixed length."""
    def end(frame, at_address, at_port):
        return frame[at_address : at_address + 4] + frame[at_port : at_port + 2]
    return [end(frame, 26, 34) < end(frame, 30, 36) for _, frame in frames]


def tagged_side(packets, with_tag):
    return [(time, tshark.tagged(frame, 10) if side == with_tag else frame)
            for (time, frame), side in zip(packets, sides_of(packets), strict=True)]


def one_side_tagged(packets):
    return tagged_side(packets, False)


def other_side_tagged(packets):
    return tagged_side(packets, True)


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
@pytest.mark.parametrize("half", [one_side_tagged, other_side_tagged])
@pytest.mark.parametrize("capture", CAPTURES)
def test_a_conversation_with_tags_in_one_direction_is_analyzed_as_one(capture, half, passes):
    """Mirror ports of some switches keep the tags of one direction only."""
    assert decoded(half, *passes)[capture] == decoded(alone, *passes)[capture]


def with_other_numbers(frame):
    """The segment with sequence numbers of another connection."""
    sent, seen = ((number + 0x10000000) % (1 << 32) for number in struct.unpack_from(">II", frame, 38))
    return frame[:38] + struct.pack(">II", sent, seen) + frame[46:]


def test_a_second_connection_in_a_vlan_is_separate(tmp_path):
    """TCP's handshake on the same ports begins another connection: what is known of the first one does not hold."""
    capture = "godot/multiplayer/godot-3.6-calls-websocket"
    frames = records(capture)
    length = frames[-1][0] - frames[0][0] + 60
    twice = frames + [(time + length, with_other_numbers(frame)) for time, frame in frames]
    names = ["godot_mp.rpc.path", "godot_mp.rpc.path_defined_in", "godot_mp.stream", "godot_mp.source", "_ws.col.Info"]
    expected = tshark.fields(tshark.write_frames(tmp_path / "twice.pcap", twice), names, "-2", "-Y", "godot_mp")
    in_vlan = [(time, tshark.tagged(frame, 10)) for time, frame in twice]
    found = tshark.fields(tshark.write_frames(tmp_path / "vlan.pcap", in_vlan), names, "-2", "-Y", "godot_mp")
    assert {packet["godot_mp.stream"][0] for packet in expected} == {"0", "1", "2", "3"}
    assert found == expected


def after_quotations(packets):
    return [(time, packet) for time, frame in packets for packet in (quotation(frame), frame)]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
@pytest.mark.parametrize("capture", [*CAPTURES, *LATE])
def test_a_datagram_in_an_icmp_error_is_not_traffic(capture, passes):
    found, expected = decoded(after_quotations, *passes)[capture], decoded(alone, *passes)[capture]
    assert found[1::2] == [renumbered(packet, lambda frame: 2 * frame) for packet in expected]


def test_a_datagram_in_an_icmp_error_is_not_evidence(tmp_path):
    """Vectors are recognized after several of them; the quotation of one that was not captured is not counted."""
    every = records("godot/variant/godot-4.6.3-vector3-only")
    names = ["frame.number"]
    first = tshark.fields(tshark.write_frames(tmp_path / "all.pcap", every), names, "-Y", "godot")[0]
    known = int(first["frame.number"][0])
    quoted = [(time, quotation(frame)) for time, frame in every[known - 1 :]]
    capture = tshark.write_frames(tmp_path / "quoted.pcap", every[: known - 1] + quoted + every[: known - 1])
    assert known > 2 and not tshark.fields(capture, names, "-2", "-Y", "godot")


def test_a_datagram_in_an_icmp_error_is_not_counted(tmp_path):
    frames = records("godot/variant/godot-3.6-game")
    alone = tshark.write_frames(tmp_path / "alone.pcap", frames)
    both = tshark.write_frames(tmp_path / "both.pcap", [*frames, *((time, quotation(frame)) for time, frame in frames)])
    expected, found = (tshark.run(["-q", "-z", "godot,tree"], path).stdout for path in (alone, both))
    assert "Dictionary" in expected and rows_of_values(found) == rows_of_values(expected)


TREES = ("enet", "godot", "leviathan", "squirrel")
TABLES = ("enet,srt", "leviathan,srt", "squirrel,srt", "conv,enet", "endpoints,enet", "flow,godot,network", "flow,leviathan,network",
          "flow,squirrel,network", "follow,enet,hex,0", "follow,godot_mp,hex,0")


def numbers_of_trees(capture):
    """{(tree, its group, row): number}, of all levels; and the bytes of frames that have none of its messages."""
    text = tshark.run(["-2", "-q", *(part for name in TREES for part in ("-z", f"{name},tree"))], capture).stdout
    found, without = {}, Counter()
    for title, rows in statistics.trees(text).items():
        path = ()
        for depth, name, count in rows:
            path = (*path[:depth], name)
            if path[0] != "Bytes of the capture":
                found[(title, *path)] = count
            elif len(path) == 2:
                (without if name.startswith("Frames without") else found)[(title, *path)] = count
    return found, without


@pytest.mark.parametrize("capture", [*CAPTURES, *LATE])
def test_a_quoted_datagram_is_in_no_statistic(capture, tmp_path):
    """The bytes of the ICMP errors are those of frames without a message."""
    frames = records(capture)
    alone = tshark.write_frames(tmp_path / "alone.pcap", frames)
    both = tshark.write_frames(tmp_path / "both.pcap", after_quotations(frames))
    (expected, before), (found, after) = numbers_of_trees(alone), numbers_of_trees(both)
    quoted = sum(len(quotation(frame)) for _, frame in frames)
    assert expected and found == expected
    assert {title: after[title] - before[title] for title in after} == dict.fromkeys(after, quoted)
    tables = [part for table in TABLES for part in ("-z", table)]
    one, other = (tshark.run(["-2", "-q", *tables], path).stdout for path in (alone, both))
    assert other == one


@pytest.mark.parametrize("capture", [*CAPTURES, *LATE])
def test_a_quoted_datagram_is_no_message(capture, tmp_path):
    frames = records(capture)
    alone = tshark.write_frames(tmp_path / "alone.pcap", frames)
    both = tshark.write_frames(tmp_path / "both.pcap", after_quotations(frames))
    found = [{**message, "frame": message["frame"] // 2} for message in messages(both)]
    links = ("relay_of", "relayed_in")
    expected = [{**message, **{name: 2 * message[name] for name in links if name in message}} for message in messages(alone)]
    assert expected and found == expected


@pytest.mark.parametrize("capture", ["enet/every-command", "leviathan/session", "godot/variant/godot-3.6-game"])
def test_the_tree_says_that_a_datagram_is_quoted(capture, tmp_path):
    both = tshark.write_frames(tmp_path / "both.pcap", after_quotations(records(capture)))
    title = tshark.protocol_titles()[capture.split("/")[0]] if capture[:5] != "godot" else "Godot Variant"
    # From 4.2 on, below ICMP's own item, which -O with our protocols does not open.
    printed = tshark.run(["-2", "-V"], both).stdout
    lines = [line for line in map(str.strip, printed.splitlines()) if line.startswith(title)]
    assert [" (quoted by an ICMP error)" in line for line in lines] == [True, False] * (len(lines) // 2) and lines


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
def test_an_untagged_and_a_tagged_conversation_are_separate(passes, tmp_path):
    """The capture begins between a message of the untagged one and its acknowledgement."""
    def session(first, time):
        for number in range(first, first + 6):
            yield tshark.request(datagram(reliable(number), sent_time=number), time)
            yield tshark.reply(datagram(ack(number, number), 0), time + 0.05)
            time += 0.1
    frames = [(packet.time, tshark.tagged(tshark.udp_frame(packet), 10)) for packet in session(100, 1)]
    frames += [(packet.time, tshark.udp_frame(packet)) for packet in list(session(300, 0.97))[1:]]
    path = tshark.write_frames(tmp_path / "both.pcap", sorted(frames))
    names = ["enet.analysis.acks_frame", "enet.command"]
    found = tshark.fields(path, names, "-d", f"udp.port=={tshark.SERVER_PORT},enet", *passes)
    unlinked = [n for n, packet in enumerate(found, 1) if packet["enet.command"] == ["1"] and not packet["enet.analysis.acks_frame"]]
    assert unlinked == [2]


def test_conversations_of_many_vlans_are_the_same_on_both_passes(tmp_path):
    """Those beyond the limit share one."""
    frames = [(vlan, tshark.tagged(tshark.udp_frame(payload), vlan)) for vlan in range(1, 20)
              for payload in (tshark.request(datagram(reliable(1))), tshark.reply(datagram(ack(1), 0)))]
    path = tshark.write_frames(tmp_path / "many.pcap", frames)
    options = ("-d", f"udp.port=={tshark.SERVER_PORT},enet")
    names = ["enet.connection", "enet.analysis.acks_frame", "enet.analysis.duplicate"]
    once, twice = (tshark.fields(path, names, *options, *passes) for passes in ((), ("-2",)))
    assert once == twice and len({packet["enet.connection"][0] for packet in once}) == 16
