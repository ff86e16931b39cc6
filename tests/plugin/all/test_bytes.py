# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The statistics divide the bytes of each capture: sums, and what a message gets."""

import re
from collections import Counter

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, datagram, reliable
from plugin.godot.multiplayer.samples import CALL_BY_ID as CALL, DECODE_AS, DEFINE, LONG_CALL, connected, define, fragments

MULTIPLAYER = sorted(str(path.relative_to(tshark.PCAPS)) for path in tshark.PCAPS.glob("godot/multiplayer/*.pcap*"))
PARTS = ["Payload", "Headers", "Headers of fragments", "Retransmissions", "Acknowledgements"]


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


def assert_all_are_divided(text):
    for title in ("Godot", "ENet"):
        found = rows(text, title, "Bytes of the capture")
        assert found[()] == total(text)
        assert_sums(found)


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("folder", tshark.capture_folders())
def test_all_bytes_of_the_captures_of_a_folder_are_divided(folder, passes):
    assert_all_are_divided(printed(tshark.captures_of(folder), *passes))


@pytest.mark.parametrize("capture", MULTIPLAYER)
def test_all_bytes_of_a_capture_are_divided(capture):
    assert_all_are_divided(printed(capture, "-2"))


@pytest.mark.parametrize("capture", MULTIPLAYER)
def test_groups_divide_what_the_rows_of_the_capture_have(capture):
    """The calls, and the properties and nodes, of all parts: payload, headers, fragments, retransmissions and acknowledgements."""
    text = printed(capture, "-2")
    whole = rows(text, "Godot", "Bytes of the capture")
    others = {"Variants", "Other messages", "Overhead", "Frames without a message"}
    parts = {group: Counter() for group in ("calls", "properties", "nodes")}
    for names, count in whole.items():
        if len(names) == 2 and names[0] in ("REMOTE_CALL", "REMOTE_SET"):
            parts["calls"][names[1]] += count
            parts["nodes"][names[1]] += count
        elif len(names) == 2 and names[0] == "SYNC":
            parts["properties"][names[1]] += count
            parts["nodes"][names[1]] += count
    for name, group in (("calls", "Bytes of calls"), ("properties", "Bytes of synchronized properties"),
                        ("nodes", "Bytes of calls and properties by node")):
        found = rows(text, "Godot", group)
        assert_sums(found or {(): 0})
        counted = Counter()
        for names, count in found.items():
            if names and names[-1] in PARTS and len(names) == (3 if name == "calls" else 2):
                counted[names[-1]] += count
        assert counted == parts[name], group
    senders = rows(text, "Godot", "Bytes by sender")
    messages = sum(count for names, count in whole.items() if len(names) == 1 and names[0] not in others)
    assert senders.get((), 0) == messages


# ---- what a message gets -------------------------------------------------------------------------------


def part_of(found, part):
    """The bytes of a part, of all messages of multiplayer."""
    others = ("Variants", "Other messages", "Overhead")
    return sum(count for names, count in found.items() if len(names) == 2 and names[1] == part and names[0] not in others)


@pytest.mark.parametrize("capture", ["godot-4.6.3-calls.pcap", "godot-3.6-calls.pcap", "godot-4.6.3-spawn.pcap",
                                     "godot-4.6.3-calls-websocket.pcap", "godot-4.6.3-calls-webrtc.pcapng"])
def test_the_payload_is_the_length_of_the_messages_without_those_sent_again(capture):
    capture = f"godot/multiplayer/{capture}"
    lengths = 0
    names = ["godot_mp.length", "enet.analysis.resend_number", "enet.analysis.duplicate_of"]
    for packet in tshark.fields(tshark.PCAPS / capture, names, "-2", "-Y", "godot_mp"):
        again = packet["enet.analysis.resend_number"] or packet["enet.analysis.duplicate_of"]
        assert len(again) in (0, len(packet["godot_mp.length"]))
        lengths += 0 if again else sum(map(int, packet["godot_mp.length"]))
    assert part_of(rows(printed(capture, "-2"), "Godot", "Bytes of the capture"), "Payload") == lengths > 0


def test_acknowledgements_and_retransmissions_of_tcp_belong_to_the_messages():
    capture = "godot/multiplayer/godot-4.6.3-calls-websocket.pcap"
    names = ["frame.len", "tcp.len", "tcp.stream", "tcp.srcport", "tcp.flags", "tcp.analysis.retransmission", "godot_mp"]
    acknowledgements = again = segments = 0
    senders = set()
    for packet in tshark.fields(tshark.PCAPS / capture, names, "-2"):
        size, length, stream, port = (int(packet[name][0]) for name in names[:4])
        others = {number for number in senders if number[0] == stream and number[1] != port}
        if packet["godot_mp"]:
            senders.add((stream, port))
        elif packet["tcp.analysis.retransmission"]:
            again += size
        elif not length and int(packet["tcp.flags"][0], 16) & 7 == 0 and others:
            acknowledgements += size
        elif length == 2:  # the header of a message, which Godot sends by itself
            segments += size
    found = rows(printed(capture, "-2"), "Godot", "Bytes of the capture")
    assert part_of(found, "Acknowledgements") == acknowledgements > 0
    assert part_of(found, "Retransmissions") == again > 0
    assert part_of(found, "Headers of fragments") >= segments > 0


def test_acknowledgements_of_webrtc_belong_to_the_messages():
    capture = "godot/multiplayer/godot-4.6.3-calls-webrtc.pcapng"
    names = ["frame.len", "sctp.chunk_type", "udp.stream", "udp.srcport", "godot_mp"]
    acknowledgements, senders = 0, set()
    for packet in tshark.fields(tshark.PCAPS / capture, names, "-2", "-Y", "sctp"):
        stream, port = packet["udp.stream"][0], packet["udp.srcport"][0]
        if packet["godot_mp"]:
            senders.add((stream, port))
        elif packet["sctp.chunk_type"] == ["3"] and any(one == stream and other != port for one, other in senders):
            acknowledgements += int(packet["frame.len"][0])
    assert part_of(rows(printed(capture, "-2"), "Godot", "Bytes of the capture"), "Acknowledgements") == acknowledgements > 0


METHOD = "method 5() on Main"


def conversation(udp_capture, *packets):
    """A client defines a path; then these packets. Returns the capture's tables and the lengths of these packets."""
    begin = connected((False, bytes.fromhex(DEFINE)))
    path = udp_capture(*begin, *packets)
    text = tshark.run(["-q", "-z", "io,stat,0", "-z", "godot,tree", "-z", "enet,tree", *DECODE_AS], path).stdout
    lengths = [int(packet["frame.len"][0]) for packet in tshark.fields(path, ["frame.len"])]
    assert rows(text, "Godot", "Bytes of the capture")[()] == rows(text, "ENet", "Bytes of the capture")[()] == sum(lengths)
    return text, lengths[len(begin):]


def test_a_call_gets_its_retransmission_and_all_acknowledgements(udp_capture):
    text, (call, first_ack, again, second_ack) = conversation(
        udp_capture, tshark.request(datagram(reliable(3, CALL))), tshark.reply(datagram(ack(3), 0x8000)),
        tshark.request(datagram(reliable(3, CALL), sent_time=0x1334)), tshark.reply(datagram(ack(3, 0x1334), 0x8000)))
    parts = {"Payload": len(CALL), "Headers": call - len(CALL), "Retransmissions": again,
             "Acknowledgements": first_ack + second_ack}
    found = rows(text, "Godot", "Bytes of calls")
    assert {names[2]: count for names, count in found.items() if len(names) == 3} == parts
    assert set(found) == {(), (METHOD,), (METHOD, "Main"), *((METHOD, "Main", part) for part in parts)}
    nodes = rows(text, "Godot", "Bytes of calls and properties by node")
    assert {names[1]: count for names, count in nodes.items() if len(names) == 2} == parts
    assert rows(text, "Godot", "Calls") == {(): 1, (METHOD,): 1, (METHOD, "Main"): 1}
    channel = rows(text, "ENet", "Bytes of the capture")
    assert [channel["Channel 0", part] for part in ("Retransmissions", "Acknowledgements")] == [again, first_ack + second_ack]


def test_a_call_in_fragments_gets_those_before_its_frame_and_what_acknowledges_them(udp_capture):
    first, second, last = fragments(LONG_CALL)
    text, lengths = conversation(udp_capture, first, tshark.reply(datagram(ack(3), 0x8000)), second, last,
                                 tshark.reply(datagram(ack(4) + ack(5), 0x8000)))
    found = rows(text, "Godot", "Bytes of the capture")
    sent = lengths[0] + lengths[2] + lengths[3]
    assert {names[1]: count for names, count in found.items() if names[:1] == ("REMOTE_CALL",) and len(names) == 2} == {
        "Payload": len(LONG_CALL), "Headers of fragments": sent - len(LONG_CALL), "Acknowledgements": lengths[1] + lengths[4]}
    assert found["Overhead", "Fragments of incomplete messages"] == 0


def test_fragments_of_a_message_that_is_not_complete_are_overhead(udp_capture):
    first, second, _ = fragments(100 * b"a")
    text, lengths = conversation(udp_capture, first, tshark.reply(datagram(ack(3), 0x8000)), second)
    found = rows(text, "Godot", "Bytes of the capture")
    assert found["Overhead", "Fragments of incomplete messages"] == sum(lengths)


def test_messages_in_one_datagram_share_its_headers(udp_capture):
    long = bytes.fromhex("00 06 05 01 04000000 05000000 6162636465000000")
    text, (frame,) = conversation(udp_capture, tshark.request(datagram(reliable(3, CALL) + reliable(4, long))))
    found = rows(text, "Godot", "Bytes of the capture")
    headers = frame - len(CALL) - len(long)
    assert (found["REMOTE_CALL", "Payload"], found["REMOTE_CALL", "Headers"]) == (len(CALL) + len(long), headers)


def test_a_node_named_like_a_group_is_a_row(udp_capture):
    """epan finds a row with rows below it by its name only."""
    packets = connected((False, bytes.fromhex(define(6, "Messages"))), (False, CALL))
    text = tshark.run(["-q", "-z", "godot,tree", *DECODE_AS], udp_capture(*packets)).stdout
    assert ("method 5() on Messages", "./Messages", "Payload") in rows(text, "Godot", "Bytes of calls")
    assert rows(text, "Godot", "Messages")["REMOTE_CALL",] == 1


def test_a_message_has_its_whole_length_in_enet(udp_capture):
    path = udp_capture(*connected((False, bytes.fromhex(DEFINE))), *fragments(LONG_CALL))
    found = [packet["enet.message.length"] for packet in tshark.fields(path, ["enet.message.length"], *DECODE_AS)]
    assert found == [[], [], [str(len(bytes.fromhex(DEFINE)))], [], [], [str(len(LONG_CALL))]]
