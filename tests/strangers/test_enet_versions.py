# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Conversations of ENet 1.0 and of Photon are not recognized, nor are those of ENet 1.1 and 1.2 without their CONNECT,
whatever their session ids are.

The datagrams of ENet are those of real hosts (pcaps/enet-versions), with other session ids, challenges and peer ids. In
ENet 1.2 the session id is where 1.3 has the header and the sent time: with those that begin with the bits 10 (or 00),
each datagram with a sent time (or without) has the format of ENet 1.3 with a checksum.
"""

import functools
import random
import zlib

import pytest

import gamewire_tshark as tshark
import protocols
from heuristics import alone, taken

FOLDER = tshark.PCAPS / "enet-versions"
OLD = ("enet-1.0", "enet-1.1", "enet-1.2", "enet-1.2-checksum")
CONVERSATIONS = 300
PASSES = [(), ("-2",)]


@functools.lru_cache(maxsize=None)
def real(name):
    """(True if from the server, payload) of the datagrams of a capture's first conversation."""
    packets = list(tshark.read_pcap(FOLDER / f"{name}.pcap"))
    ports = {packets[0].sport, packets[0].dport}
    return [(packet.sport != packets[0].sport, packet.payload) for packet in packets
            if {packet.sport, packet.dport} == ports]


def with_session(payload, session):
    return session + payload[4:]


def with_session_and_checksum(payload, session):
    return zlib.crc32(session + payload[4:]).to_bytes(4, "big") + payload[4:]


def with_challenge(payload, challenge, peer):
    return (peer if payload[:2] != b"\xff\xff" else payload[:2]) + payload[2:8] + challenge + payload[12:]


def conversations(name):
    """{label: [(True if from the server, payload)]}"""
    source = random.Random(name)
    for number in range(CONVERSATIONS):
        # Each value of the first two bits, equally often.
        session = bytes([number % 4 << 6 | source.getrandbits(6)]) + source.randbytes(3)
        peers = source.randbytes(2), source.randbytes(2)
        if name == "enet-1.0":
            changed = [(side, with_challenge(payload, session, peers[side])) for side, payload in real(name)]
        elif name == "enet-1.2-checksum":
            changed = [(side, with_session_and_checksum(payload, session)) for side, payload in real(name)]
        else:
            changed = [(side, with_session(payload, session)) for side, payload in real(name)]
        yield f"{session.hex()} {peers[0].hex()}", changed


def photon_conversations():
    source = random.Random("photon")
    for number in range(CONVERSATIONS):
        peer, challenge = source.getrandbits(16), source.getrandbits(32)
        yield f"{challenge:08x} {peer:04x}", [
            (n % 2 == 1, protocols.photon(source, n, peer if n % 2 else 0, challenge, checksum=number % 3 == 0))
            for n in range(40)]


def write(path, found):
    labels, packets = [], []
    for number, (label, payloads) in enumerate(found):
        ports = 20000 + number, 5055
        for server, payload in payloads:
            labels.append(label)
            packets.append(tshark.Udp(*(ports[::-1] if server else ports), payload, len(packets) / 1000,
                                      {"from": 2, "to": 1} if server else {"from": 1, "to": 2}))
    return tshark.write_pcap(path, packets), labels


def without_connect(name):
    """All conversations, without the datagram that shows the format of ENet 1.2."""
    for label, payloads in conversations(name):
        yield label, payloads if name == "enet-1.0" else payloads[1:]


@functools.lru_cache(maxsize=None)
def capture(name):
    """The capture of the conversations of a version, or of Photon, and the label of each datagram."""
    return write(tshark.scratch() / f"{name}.pcap", photon_conversations() if name == "photon" else without_connect(name))


@functools.lru_cache(maxsize=None)
def taken_of_each(passes):
    """{name: the protocols that accepted each datagram}"""
    names = (*OLD, "photon")
    path, begins = tshark.together(tuple(capture(name)[0] for name in names))
    found = taken(path, *passes, *alone(), env={} if passes else tshark.without_memory_checks())
    return {name: found[begin:end] for name, begin, end in zip(names, begins, begins[1:])}


def assert_not_recognized(name):
    _, labels = capture(name)
    for passes in PASSES:
        found = taken_of_each(passes)[name]
        assert len(found) == len(labels)
        assert not {label for label, families in zip(labels, found) if families}, passes


@pytest.mark.parametrize("name", OLD)
def test_old_versions_of_enet_are_not_recognized(name):
    _, labels = capture(name)
    assert len(labels) == (63 if name == "enet-1.0" else 62) * CONVERSATIONS
    assert_not_recognized(name)


def test_photon_is_not_recognized():
    assert_not_recognized("photon")


def test_the_capture_of_enet_1_0_is_not_recognized():
    for passes in PASSES:
        assert not any(taken(FOLDER / "enet-1.0.pcap", *passes))
