# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets of other protocols between the ports of a known conversation, or on a default port, are declined."""

import collections
import functools
import struct
from typing import NamedTuple

import pytest

import gamewire_tshark as tshark
from heuristics import taken

STUN = bytes.fromhex("000100002112a442") + bytes(range(12))
STRANGERS = {
    "STUN request": STUN,
    "STUN response": bytes.fromhex("0101000c2112a442") + bytes(range(12)) + bytes.fromhex("00200008000157e1e1baa543"),
    "DTLS hello": bytes.fromhex("16feff0000000000000000001e0100001200000000000000124f") + bytes(17),
    "DTLS data": bytes.fromhex("17fefd0001000000000001002000010000000000015f") + bytes(range(30)),
    "RTCP sender report": bytes.fromhex("80c80006deadbeef") + bytes(range(20)),
    "RTP": bytes.fromhex("80600001000000a0deadbeef") + bytes(range(160, 200)),
    "QUIC": bytes.fromhex("c300000001088394c8f03e5157080000449e") + bytes(range(64)),
    "text": b"hello there, this is a line of text\r\n",
    "JSON": b'{"type": "ping", "id": 17}',
    "ones": b"\xff" * 24,
    "RTP in a row": bytes.fromhex("80600002000000b4deadbeef") + bytes(range(120, 160)),
    "FlatBuffers": bytes.fromhex("10000000 08000c00 04000800 08000000 01000000"),
    "a big-endian counter": bytes.fromhex("00000005"),
    "a session, a number and an opcode of 4": bytes.fromhex("11223344 03667788 04 aabb"),
    "ENet 1.2, reliable": bytes.fromhex("bf7b9276 8000 b75e 86 00 0001 0003 616263"),
    "ENet 1.2, its session id like a header": bytes.fromhex("80001234 8000 b75e 86 00 0001 0003 616263"),
    "ENet 1.2, acknowledgement": bytes.fromhex("3a4edb47 0000 01 00 0001 0001 b75e"),
    "ENet 1.0": bytes.fromhex("0000 00 02 087c7d46 67458b6b 01ff007c 00000014 00000001 00000002 087c7d45 05ff0100 0000000c 00000002"),
    "Photon": bytes.fromhex("46c9 00 01 0000008d 028a8f04 06000104 0000000e 00000001 f306"),
    "Photon with a checksum": bytes.fromhex("0000 cc 01 0000008d 028a8f04 8badf00d 06000104 0000000e 00000001 f306"),
}

# Messages of other protocols that an engine may have sent as well.
SANE = {
    "godot_mp": {"RTP", "RTCP sender report", "RTP in a row"},  # a call whose only argument is bytes: node, method, any bytes
}

# Wireshark 4.0's QUIC dissector fails an assertion on some of these on a second pass, without any plugin too.
TWO_PASSES = ("-2", "--disable-protocol", "quic")

CARRIERS = ("udp", "tcp", "enet", "websocket")
MIDDLE = 40  # maximum number of packets before other protocols' messages, and after them
LEAST = 8    # packets of the protocol before them
READ = 400   # packets of a capture that are used


def carried(line):
    """Pairs of a transport and the protocol of the plugin in it, in a packet."""
    layers = line.split(":")
    for at, layer in enumerate(layers):
        if layer in tshark.PROTOCOLS and "dtls" not in layers:
            yield next(one for one in reversed(layers[:at]) if one in CARRIERS), layer


class Packet(NamedTuple):
    layers: str
    ports: tuple
    payload: bytes
    is_first: bool  # of the first conversation of its transport


@functools.lru_cache(maxsize=None)
def packets_of_all():
    """{capture: its first packets}. In captures of damaged messages, a WebSocket frame has several segments."""
    captures = sorted(path for path in tshark.PCAPS.rglob("*.pcap") if path.parent.name != "damaged")
    path, begins = tshark.together(tuple(captures))
    names = ["frame.protocols", *(f"{transport}.{name}" for name in ("stream", "srcport", "dstport", "payload")
                                  for transport in ("udp", "tcp"))]
    lines = tshark.run(["-T", "fields", *(part for name in names for part in ("-e", name))], path).stdout.splitlines()
    return {capture: packets_of(lines[begin:end][:READ]) for capture, begin, end in zip(captures, begins, begins[1:])}


def packets_of(lines):
    found, first = [], {}
    for layers, udp, tcp, *rest in (line.split("\t") for line in lines):
        source, destination, payload = (udp_value or tcp_value for udp_value, tcp_value in zip(rest[::2], rest[1::2]))
        is_first = bool(udp or tcp) and (udp, tcp) == first.setdefault(bool(udp), (udp, tcp))
        found.append(Packet(layers, (source, destination), bytes.fromhex(payload), is_first))
    return found


@functools.lru_cache(maxsize=None)
def found_captures():
    """{(transport, protocol): a capture whose first conversation has packets of it}. A new protocol and its captures
    are found automatically."""
    found = {}
    for capture, packets in packets_of_all().items():
        counts = collections.Counter(pair for packet in packets if packet.is_first for pair in set(carried(packet.layers)))
        found |= {pair: capture for pair, count in counts.items() if count > LEAST and pair not in found}
    return found


def first_conversation(path):
    """(True if from the server, payload) of the packets of a capture's first conversation with a payload."""
    packets = [packet for packet in packets_of_all()[path] if packet.is_first and packet.payload][: 2 * MIDDLE]
    return [(packet.ports[0] != packets[0].ports[0], packet.payload) for packet in packets]


def ports_of(path):
    return tuple(map(int, packets_of_all()[path][0].ports))


def in_enet(payload, number, header):
    """An unsequenced command with the peer and session of these two bytes."""
    command = struct.pack(">BBHHH", 0x49, 0, 0, 1000 + number, len(payload))
    return struct.pack(">H", int.from_bytes(header[:2], "big") & 0x3FFF) + command + payload


def in_websocket(payload, _number, _header):
    return b"\x82" + bytes([len(payload)]) + payload


WRAPPED = {"udp": lambda payload, _number, _header: payload, "enet": in_enet, "websocket": in_websocket}


def strangers_of(carrier, real):
    """(True if from the server, payload) of the messages of other protocols, each in both directions."""
    headers = {side: next((payload for of, payload in reversed(real) if of == side), b"\0\0") for side in (False, True)}
    return [(side, WRAPPED[carrier](payload, number, headers[side]))
            for number, payload in enumerate(STRANGERS.values()) for side in (False, True)]


def write(path, packets, carrier, ports):
    if carrier in ("tcp", "websocket"):
        return tshark.write_tcp_connections(path, [packets], *ports)
    there, back = {"from": 1, "to": 2}, {"from": 2, "to": 1}
    return tshark.write_pcap(path, [
        tshark.Udp(*(ports[::-1] if server else ports), payload, n / 50, back if server else there)
        for n, (server, payload) in enumerate(packets)])


def conversation(pair):
    """A real conversation up to its middle, messages of other protocols in both directions, and the rest of it."""
    real = first_conversation(found_captures()[pair])
    middle = min(MIDDLE, len(real) // 2 + LEAST)
    while pair[0] == "websocket" and not real[middle][1].startswith(b"\x82"):
        middle += 1  # a message in several segments
    return real[:middle], strangers_of(pair[0], real[:middle]), real[middle:]


# In a known conversation, the whole TCP connection is one stream.
PAIRS = [pair for pair in found_captures() if pair[0] != "tcp"]


def test_each_protocol_has_a_found_conversation():
    assert {protocol for _, protocol in found_captures()} == set(tshark.PROTOCOLS)
    assert {carrier for carrier, _ in found_captures()} == set(CARRIERS)


@functools.lru_cache(maxsize=None)
def taken_of_each(kind, passes=()):
    """{pair: the protocols that accepted each packet of its conversation}, "with" messages of other protocols or "without"."""
    captures = []
    for number, pair in enumerate(PAIRS):
        before, strangers, after = conversation(pair)
        packets = before + after if kind == "without" else before + strangers + after
        path = tshark.scratch() / f"{kind}-{number}.pcap"
        captures.append(write(path, packets, pair[0], ports_of(found_captures()[pair])))
    path, begins = tshark.together(tuple(captures))
    rows = taken(path, *passes)
    assert len(rows) == begins[-1]
    return {pair: rows[begin:end] for pair, begin, end in zip(PAIRS, begins, begins[1:])}


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_other_protocols_between_the_ports_of_a_known_conversation_are_declined(pair):
    before, strangers, _ = conversation(pair)
    labels = [label for label in STRANGERS for _ in range(2)]
    for passes in ((), TWO_PASSES):
        found = taken_of_each("with", passes)[pair]
        assert any(pair[1] in families for families in found[: len(before)])
        middle = found[len(before) : len(before) + len(strangers)]
        wrong = {label for label, families in zip(labels, middle) if pair[1] in families}
        assert not wrong - SANE.get(pair[1], set()), f"{pair[1]} took {wrong} {passes}"


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_a_known_conversation_continues_after_packets_of_other_protocols(pair):
    before, strangers, _ = conversation(pair)
    without, found = (taken_of_each(kind, TWO_PASSES)[pair] for kind in ("without", "with"))
    assert sum(pair[1] in families for families in without) >= LEAST
    assert found[: len(before)] == without[: len(before)]
    assert found[len(before) + len(strangers) :] == without[len(before) :]


@pytest.mark.parametrize("family", ["squirrel"])
def test_other_protocols_on_the_default_port_are_declined(family, udp_capture):
    """Squirrel's default is RakNet's port 8192; RTP, RTCP and QUIC begin with the bits of a RakNet datagram."""
    payloads = {
        **STRANGERS,
        "RTP from 0": bytes.fromhex("8000000100000000deadbeef7f7f7f7f"),
        "RTP, a stream": bytes.fromhex("80e0c35a0001f4008a1b2c3d") + bytes(range(100, 200)),
        "RTCP receiver report": bytes.fromhex("81c90007deadbeef") + bytes(range(24)),
        "QUIC, short header": b"\x4a" + bytes(range(200, 250)),
        "floats just below 8": b"\xf3\xff\xff\x40\0\0\xf0\x40",
    }
    capture = udp_capture(*(tshark.Udp(8192, 40000 + n, payload) for n, payload in enumerate(payloads.values())))
    lines = tshark.run(["-T", "fields", "-e", "frame.protocols"], capture).stdout.splitlines()
    wrong = {
        label: line for label, line in zip(payloads, lines) if {"raknet", *tshark.PROTOCOLS} & set(line.split(":"))
    }
    assert not wrong
