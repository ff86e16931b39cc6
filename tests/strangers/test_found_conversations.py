# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What else runs between the ports of a conversation that was found, or on a default port, is left to others."""

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
}

# A capture of each family, with a conversation that is found at once.
FOUND = {
    "enet": "enet/every-command.pcap",
    "godot": "godot/godot-4.6.3-game.pcap",
    "leviathan": "leviathan/session.pcap",
    "squirrel": "squirrel/session.pcap",
    "squirrel in RakNet": "squirrel/raknet.pcap",
}

# Wireshark 4.0's own QUIC dissector fails an assertion on some of these on a second pass, without any plugin too.
TWO_PASSES = ("-2", "--disable-protocol", "quic")


def first_conversation(path, limit=60):
    """The first datagrams of a capture's first pair of ports, between two hosts of ours."""
    packets = list(tshark.read_pcap(path))
    ports = {packets[0].sport, packets[0].dport}
    packets = [packet for packet in packets if {packet.sport, packet.dport} == ports][:limit]
    there = {"from": 1, "to": 2}
    back = {"from": 2, "to": 1}
    return [
        packet._replace(options=there if packet.sport == packets[0].sport else back, time=n / 50)
        for n, packet in enumerate(packets)
    ]


def conversation_with_strangers(name):
    """A real conversation, strangers in both directions in the middle of it, and the rest of it."""
    real = first_conversation(tshark.PCAPS / FOUND[name])
    middle = len(real) // 2
    strangers = [end._replace(payload=payload) for payload in STRANGERS.values() for end in (real[0], answer(real[0]))]
    return real[:middle], strangers, real[middle:]


def answer(packet):
    return packet._replace(sport=packet.dport, dport=packet.sport, options={"from": 2, "to": 1})


@pytest.mark.parametrize("name", FOUND)
def test_strangers_between_the_ports_of_a_found_conversation_are_declined(name, udp_capture):
    before, strangers, after = conversation_with_strangers(name)
    family = name.split()[0]
    labels = [label for label in STRANGERS for _ in range(2)]
    for passes in ((), TWO_PASSES):
        found = taken(udp_capture(*before, *strangers, *after), *passes)
        middle = found[len(before) : len(before) + len(strangers)]
        wrong = {label for label, families in zip(labels, middle) if family in families}
        assert not wrong, f"{family} took {wrong} {passes}"


@pytest.mark.parametrize("name", FOUND)
def test_a_found_conversation_goes_on_after_strangers(name, udp_capture):
    before, strangers, after = conversation_with_strangers(name)
    family = name.split()[0]
    without = taken(udp_capture(*before, *after), *TWO_PASSES)
    found = taken(udp_capture(*before, *strangers, *after), *TWO_PASSES)
    assert family in without[-1]
    assert sum(family in families for families in without) >= min(20, len(without))
    assert found[: len(before)] == without[: len(before)]
    assert found[len(before) + len(strangers) :] == without[len(before) :]


@pytest.mark.parametrize("family", ["squirrel"])
def test_strangers_on_the_default_port_are_declined(family, udp_capture):
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
