# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Info column of a frame with several datagrams: an A-MSDU of Wi-Fi (IEEE 802.11-2020, 9.3.2.2)."""

import functools
import re
import struct

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, connect, datagram, ping, reliable, verify
from plugin.leviathan.decoding import CONNECT, ECHO, normal, u32
from plugin.leviathan.decoding import request as asking
from plugin.squirrel.samples import execute, get

LINKTYPE_IEEE802_11 = 105

# Of Godot's multiplayer: the path "Main" with its number 5, and two raw bytes.
PATH = b"\x01" + b"d41d8cd98f00b204e9800998ecf8427e" + bytes.fromhex("00 05000000") + b"Main\0"
RAW = bytes.fromhex("0379")
VARIANT = bytes.fromhex("1c000000 02000000 04000000 01000000 61000000 02000000 07000000")
CONNECTED = [tshark.request(connect()), tshark.reply(verify() + ack(1), 0.1)]
SENT = tshark.request(datagram(reliable(1, VARIANT), sent_time=1), 0.2)
RESENT = tshark.request(datagram(reliable(1, VARIANT), sent_time=900), 1.1)

# Datagrams in frames of their own, then those of one frame.
CASES = {
    "enet commands": (CONNECTED, [datagram(ping(2), sent_time=1), datagram(ping(3) + reliable(1), sent_time=2)]),
    "enet commands, then a message": ([*CONNECTED, SENT], [datagram(ping(2), sent_time=3), RESENT.payload]),
    "enet message, then commands": ([*CONNECTED, SENT], [RESENT.payload, datagram(ping(2), sent_time=903)]),
    "enet messages": ([*CONNECTED, SENT], [datagram(reliable(2, VARIANT), sent_time=3), RESENT.payload]),
    "leviathan": ([], [normal(1001, asking(1, CONNECT, u32(42))), normal(1002, asking(2, ECHO))]),
    "squirrel": ([], [execute(get(b"a")), execute(get(b"b"))]),
}


def frame_of(datagrams):
    """A QoS data frame whose body is one subframe for each datagram; all but the last are padded to four bytes."""
    stations = bytes.fromhex("020000000002 020000000001 020000000003")
    frame = struct.pack("<HH", 0x0088, 0) + stations + struct.pack("<HH", 0, 0x0080)
    for packet in datagrams:
        ethernet = tshark.udp_frame(packet)
        content = bytes.fromhex("aaaa03 000000") + ethernet[12:]
        frame += bytes(-(len(frame) - 26) % 4) + ethernet[:12] + struct.pack(">H", len(content)) + content
    return frame


def write(path, frames):
    path.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, LINKTYPE_IEEE802_11))
    with path.open("ab") as file:
        for time, datagrams in frames:
            content = frame_of(datagrams)
            file.write(struct.pack("<4I", int(time), int(time % 1 * 1e6), len(content), len(content)) + content)
    return path


@functools.lru_cache(maxsize=None)
def lines_of_cases(is_joined, *passes):
    """{case: the Info text of each frame}, if the last datagrams are in one frame or each is in its own."""
    conversations = [[*before, *(tshark.request(payload, 2) for payload in payloads)] for before, payloads in CASES.values()]
    cases = []
    for packets, (before, _) in zip(tshark.split(tshark.apart(conversations), conversations), CASES.values()):
        alone = packets[:len(before)] if is_joined else packets
        cases.append([(packet.time, [packet]) for packet in alone] + ([(2, packets[len(before):])] if is_joined else []))
    capture = write(tshark.scratch() / f"frames-{is_joined}.pcap", [frame for frames in cases for frame in frames])
    return dict(zip(CASES, tshark.split(tshark.info_column(capture, *passes), cases)))


@pytest.mark.parametrize("passes", [(), ("-2",)])
@pytest.mark.parametrize("case", CASES)
def test_info_has_the_line_of_each_datagram(case, passes):
    before, payloads = CASES[case]
    lines = lines_of_cases(False, *passes)[case]
    assert len(set(lines)) == len(lines) == len(before) + len(payloads)
    assert lines_of_cases(True, *passes)[case] == [*lines[:len(before)], "; ".join(lines[len(before):])]


@pytest.mark.parametrize("passes", [(), ("-2",)])
def test_a_frame_of_very_many_messages_has_its_limit(passes, tmp_path):
    """Wireshark ends at 500 layers: five datagrams of 126 messages have more. What is not dissected is an item."""
    begun = [tshark.request(connect()), tshark.reply(verify(), 0.1)]
    first = tshark.request(datagram(ack(1) + reliable(1, PATH)), 0.2)
    sent = [datagram(b"".join(reliable(126 * i + j + 2, RAW) for j in range(126))) for i in range(5)]
    capture = write(tmp_path / "many.pcap", [*((packet.time, [packet]) for packet in [*begun, first]),
                                             (0.3, [tshark.request(payload, 0.3) for payload in sent])])
    text = tshark.run(["-V", *passes], capture).stdout  # with -O, Wireshark 4.6 shows no protocol inside an A-MSDU
    assert "Dissector bug" not in text
    shown = text.count("Command: RAW")
    hidden = [int(count) for count in re.findall(r"(\d+) more messages, not dissected", text)]
    assert shown > 300
    assert shown + sum(hidden) == 630
    assert 0 < len(hidden) <= len(sent)


@pytest.mark.parametrize("passes", [(), ("-2",), ("-2", "-V")])
def test_messages_leave_room_for_the_datagrams_after_them(passes, tmp_path):
    """A frame that Wireshark reads without the plugin, of 490 layers, is read with it, too."""
    begun = [tshark.request(connect()), tshark.reply(verify(), 0.1)]
    first = tshark.request(datagram(ack(1) + reliable(1, PATH)), 0.2)
    sent = [datagram(b"".join(reliable(126 * i + j + 2, RAW) for j in range(126))) for i in range(4)]
    sent += [datagram(ping(1000 + i), sent_time=i) for i in range(90)]
    capture = write(tmp_path / "rest.pcap", [*((packet.time, [packet]) for packet in [*begun, first]),
                                             (0.3, [tshark.request(payload, 0.3) for payload in sent])])
    for options in ((), ("--disable-protocol", "enet")):
        assert tshark.run([*passes, *options], capture, check=False).stderr == ""
    commands = tshark.fields(capture, ["godot_mp.command", "enet.command"], *passes[:1])[-1]
    assert len(commands["godot_mp.command"]) < 4 * 126
    assert len(commands["enet.command"]) == 4 * 126 + 90
