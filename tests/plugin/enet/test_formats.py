# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Formats of forks of ENet, with datagrams made by hand from their sources: each is recognized by its CONNECT, or read
with the preference enet.format, and the other direction in the format of the reply."""

import struct

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, connect, ping, reliable, unreliable, verify

PORT = tshark.SERVER_PORT
CONNECT, VERIFY = connect()[4:], verify()[4:]
DECODE_AS = ("-d", f"udp.port=={PORT},enet")
LIMITS = struct.pack(">IIIIIII", 32768, 3, 0, 0, 5000, 2, 2)

every_pass = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])


def crc_64(covered):
    """CRC-64 (Jones), reflected, all bits inverted before and after: bit by bit."""
    state = 2**64 - 1
    for byte in covered:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x95AC9329AC4BC9B5 if state & 1 else 0)
    return state ^ 2**64 - 1


def csharp(commands, peer):
    return struct.pack(">HH", 0x4000 | peer, 0x1234) + commands


def csharp_checksum(commands, peer):
    """On hosts with little-endian numbers the id, as CONNECT has it, is followed by four zeros."""
    connect_id = 0 if peer == 0xFFF else 0x010B5747
    header = struct.pack(">HH", 0x4000 | peer, 0x1234)
    return header + struct.pack(">Q", crc_64(header + struct.pack(">II", connect_id, 0) + commands)) + commands


def growtopia(commands, peer, nonce=0x920D, port=PORT, key=0x0123):
    return struct.pack(">HHHHH", key, key ^ port, nonce, 0x8000 | peer, 0x1234) + commands


def enet_1_3(commands, peer):
    return struct.pack(">HH", 0x8000 | peer, 0x1234) + commands


def league(commands, peer, checksum=b""):
    return checksum + struct.pack(">BBH", 1, 0x80 | (0x7F if peer == 0xFFF else peer), 0x1234) + commands


def league_4_20(commands, peer):
    return league(commands, peer, bytes(4))


def league_8_client(commands, peer):
    return league(commands, peer, bytes(8))


def more_peers(commands, peer):
    if peer == 0xFFF:
        return struct.pack(">HHB", 0xA7FF, 0x1234, 0x1F) + commands
    return struct.pack(">HH", 0x8000 | peer, 0x1234) + commands


def enet_6(commands, peer):
    return struct.pack(">HHH", 0x8000 | peer, 0x1234, 0) + commands


LEAGUE_CONNECT = struct.pack(">BBHBBH", 0x82, 0xFF, 1, 0, 0, 996) + LIMITS + b"\x01\0\0\0"
LEAGUE_VERIFY = struct.pack(">BBHBBH", 0x83, 0xFF, 1, 1, 0, 996) + LIMITS

# Key of the preference: name, the client's datagrams, the server's, CONNECT and VERIFY_CONNECT, the reply's format.
FORMATS = {
    "csharp": (1, csharp, csharp, CONNECT, VERIFY, 1),
    "csharp checksum": (1, csharp_checksum, csharp_checksum, CONNECT, VERIFY, 1),
    "growtopia": (2, growtopia, enet_1_3, CONNECT, VERIFY, None),
    "league_3": (4, league, league, LEAGUE_CONNECT, LEAGUE_VERIFY, 4),
    "league_4_20": (5, league_4_20, league_4_20, LEAGUE_CONNECT, LEAGUE_VERIFY, 5),
    "league_8_client": (6, league_8_client, league, LEAGUE_CONNECT, LEAGUE_VERIFY, 7),
    "more_peers": (8, more_peers, more_peers, CONNECT, VERIFY, 8),
    "enet6": (9, enet_6, enet_6, CONNECT, VERIFY, 9),
}

ENCRYPTED = struct.pack(">HHH", 0x8001, 0x1234, 0x0010) + bytes(range(20))

every_format = pytest.mark.parametrize("name", FORMATS)


def session(name):
    """A CONNECT, its answer and messages both ways; server's and client's peer ids are 1 and 0."""
    _, client, server, first, answer, _ = FORMATS[name]
    nonce = {"nonce": 0x930D} if client is growtopia else {}
    return [tshark.request(client(first, 0xFFF)), tshark.reply(server(ack(1, channel=0xFF) + answer, 0), 0.1),
            tshark.request(client(ack(1, channel=0xFF) + reliable(1, b"hello"), 1, **nonce), 0.2),
            tshark.reply(server(ack(1) + reliable(1, b"world"), 0), 0.3)]


def of_each(conversations, names, udp_capture, *args):
    """{name: each packet's values of some fields} of {name: packets}, with one start of tshark."""
    packets = tshark.fields(udp_capture(*tshark.apart(conversations.values())), names, *args)
    return dict(zip(conversations, tshark.split(packets, conversations.values()), strict=True))


def numbers(packets, name):
    return [int(packet[name][0]) if packet[name] else None for packet in packets]


@every_pass
def test_a_format_is_recognized_by_its_connect(passes, udp_capture):
    names = ["enet.format", "enet.command", "enet.payload", "enet.connection", "enet.analysis.acked_in", "_ws.expert"]
    found = of_each({name: session(name) for name in FORMATS}, names, udp_capture, *passes)
    for connection, (name, packets) in enumerate(found.items()):
        number, *_, reply = FORMATS[name]
        assert numbers(packets, "enet.format") == [number, reply, number, reply], name
        assert [packet["enet.command"] for packet in packets] == [["2"], ["1", "3"], ["1", "6"], ["1", "6"]], name
        assert [packet["enet.payload"] for packet in packets] == [[], [], [b"hello".hex()], [b"world".hex()]], name
        assert numbers(packets, "enet.connection") == [connection] * 4, name
        assert not any(packet["_ws.expert"] for packet in packets), name


@every_format
def test_the_preference_is_for_connections_whose_connect_was_not_captured(name, udp_capture):
    number, *_, reply = FORMATS[name]
    arguments = (*DECODE_AS, "-o", f"enet.format:{name.split()[0]}")
    packets = tshark.fields(udp_capture(*session(name)[2:]), ["enet.format", "enet.payload"], *arguments)
    assert numbers(packets, "enet.format") == [number, reply]
    assert [packet["enet.payload"] for packet in packets] == [[b"hello".hex()], [b"world".hex()]]


@every_pass
def test_with_the_preference_the_evidence_of_several_datagrams_is_added_up(passes, udp_capture):
    """Without Decode As. The first message alone is not sufficient; on the second pass it is known that all are ENet."""
    packets = [tshark.request(more_peers(reliable(number, b"hello"), 1), number / 10) for number in range(1, 6)]
    found = numbers(tshark.fields(udp_capture(*packets), ["enet.format"], "-o", "enet.format:more_peers", *passes), "enet.format")
    assert found[-1] == 8 and set(found) == ({8} if passes else {None, 8})


def test_messages_are_handed_over(udp_capture):
    found = of_each({name: session(name) for name in FORMATS}, ["data.data"], udp_capture, "-d", f"enet.port=={PORT},data")
    assert {name: [packet["data.data"] for packet in packets] for name, packets in found.items()} == dict.fromkeys(
        FORMATS, [[], [], [b"hello".hex()], [b"world".hex()]])


def test_a_checksum_of_eight_bytes_is_verified(udp_capture):
    packets = session("csharp checksum")
    damaged = packets[2].payload[:-1] + b"x"
    path = udp_capture(*packets, tshark.request(damaged, 0.4))
    found = tshark.fields(path, ["enet.checksum.status", "enet.checksum.bad"])
    assert [packet["enet.checksum.status"] for packet in found] == [["1"]] * 4 + [["0"]]
    assert [bool(packet["enet.checksum.bad"]) for packet in found] == [False] * 4 + [True]


def growtopia_with(**change):
    """A session of Growtopia, and a datagram with another header."""
    return [*session("growtopia"), tshark.request(growtopia(ping(2), 1, **{"nonce": 0x960D, **change}), 0.4)]


def test_the_masked_port_is_verified(udp_capture):
    conversations = {"port": growtopia_with(port=PORT + 1), "key": growtopia_with(key=0xFFFF), "right": growtopia_with()}
    found = of_each(conversations, ["enet.port.masked.invalid"], udp_capture, "-o", "enet.format:growtopia", *DECODE_AS)
    assert {name: bool(packets[-1]["enet.port.masked.invalid"]) for name, packets in found.items()} == {
        "port": True, "key": True, "right": False}


@every_pass
def test_a_nonce_that_repeats_the_one_before_is_reported(passes, udp_capture):
    conversations = {"repeated": growtopia_with(nonce=0x930D), "new": growtopia_with(nonce=0x960D)}
    found = of_each(conversations, ["enet.nonce.repeated"], udp_capture, *passes)
    assert {name: [bool(packet["enet.nonce.repeated"]) for packet in packets] for name, packets in found.items()} == {
        "repeated": [False] * 4 + [True], "new": [False] * 5}


def test_encrypted_commands_are_one_item(udp_capture):
    path = udp_capture(*session("enet6"), tshark.request(ENCRYPTED, 0.4))
    found = tshark.fields(path, ["enet.encrypted", "enet.encrypted.data", "enet.command"],
                          "-o", "enet.format:enet6", *DECODE_AS)
    assert found[-1] == {"enet.encrypted": ["1"], "enet.encrypted.data": [bytes(range(20)).hex()], "enet.command": []}


def test_a_changed_connect_is_not_recognized(udp_capture):
    """Another sequence number, in each format."""
    changed = {}
    for name in FORMATS:
        payload = session(name)[0].payload
        at = payload.index(b"\x82\xff\0\x01")
        changed[name] = [tshark.request(payload[: at + 3] + b"\x02" + payload[at + 4 :])]
    found = of_each(changed, ["enet.format"], udp_capture)
    assert {name for name, [packet] in found.items() if packet["enet.format"]} == set()


def test_the_bytes_that_league_of_legends_does_not_use_are_two_items(udp_capture):
    first, *_ = session("league_3")
    at = first.payload.index(b"\x82\xff\0\x01")
    changed = first.payload[: at + 5] + b"\x11" + first.payload[at + 6 : -3] + b"\x22\x33\x44"
    [packet] = tshark.fields(udp_capture(tshark.request(changed)), ["enet.connect.unused", "enet.connect.unused_end"])
    assert packet == {"enet.connect.unused": ["17"], "enet.connect.unused_end": ["223344"]}


def test_peer_4095_is_an_id_in_formats_with_more_peers(udp_capture):
    """A datagram of another peer is not of this connection, which has both ids."""
    def of(peer, commands):
        return struct.pack(">HHB", 0xA000 | peer & 0x7FF, 0x1234, peer >> 11) + commands

    packets = [tshark.request(more_peers(CONNECT, 0xFFF)),
               tshark.reply(more_peers(ack(1, channel=0xFF) + verify(peer=4095)[4:], 0), 0.1),
               tshark.request(of(7, unreliable(0, 1)), 0.2),
               tshark.request(of(4095, ack(1, channel=0xFF) + unreliable(0, 1)), 0.3)]
    found = tshark.fields(udp_capture(*packets), ["enet.command", "enet.analysis.stale"])
    assert [packet["enet.command"] for packet in found] == [["2"], ["1", "3"], [], ["1", "7"]]
    assert not any(packet["enet.analysis.stale"] for packet in found)
