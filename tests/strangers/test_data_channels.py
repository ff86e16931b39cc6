# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Payloads of other protocols in SCTP, in DTLS and in SCTP in DTLS (WebRTC's data channels) are not recognized.

Each kind of tests/strangers/protocols.py is a connection of its own.
"""

import collections
import functools
import itertools
import json
import random
import struct

import pytest

import gamewire_dtls as dtls
import gamewire_tshark as tshark
import protocols
from heuristics import shown, taken
from plugin.enet.datagrams import connect
from plugin.godot.multiplayer import sctp

PASSES = {"one_pass": (), "two_passes": ("-2",)}
MESSAGES = 32

# Payload protocol identifiers. The others: DATA_CHANNEL_OPEN, partial binary and text (deprecated), empty text and
# binary, none, one of another protocol (S1AP).
IDENTIFIERS = {"text": (sctp.TEXT,), "binary": (sctp.BINARY,), "others": (sctp.DCEP, 52, 54, 56, 57, 0, 18)}

every_pass = pytest.mark.parametrize("passes", PASSES)


# ---- what games and web pages send -----------------------------------------------------------------------


def msgpack(value):
    """MessagePack of dictionaries of up to 15 entries, short text, and numbers."""
    if isinstance(value, dict):
        return bytes([0x80 | len(value)]) + b"".join(msgpack(key) + msgpack(of) for key, of in value.items())
    if isinstance(value, str):
        return bytes([0xA0 | len(value)]) + value.encode()
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    return bytes([value]) if value < 128 else b"\xcd" + struct.pack(">H", value)


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def protobuf(n, x, text):
    position = b"\x0d" + struct.pack("<f", x) + b"\x15" + struct.pack("<f", -x)
    return (b"\x08" + varint(n) + b"\x12" + varint(len(text)) + text + b"\x1a" + varint(len(position)) + position
            + b"\x20" + varint(1000 * n))


def of_games(source, n):
    x = 0.25 * n + source.random()
    state = {"t": "move", "id": n % 5, "seq": n, "x": round(x, 3), "name": protocols.words(source).decode()}
    return {
        "text": f"player {n % 5} says {protocols.words(source, 4).decode()}".encode(),
        "json": json.dumps(state).encode(),
        "msgpack": msgpack(state),
        "protobuf": protobuf(n, x, protocols.words(source)),
        "msgpack_of_small_numbers": msgpack({"a": n % 128, "b": 0, "c": 1}),
        "protobuf_of_small_numbers": b"\x08" + varint(n) + b"\x10\x00\x18\x01",
    }


@functools.lru_cache(maxsize=None)
def strangers():
    """{kind: its payloads}"""
    made = {name: [maker(source, n) for n in range(MESSAGES)]
            for name, maker in protocols.KINDS.items() for source in [random.Random(f"{name} channel")]}
    source = random.Random("games")
    games = [of_games(source, n) for n in range(MESSAGES)]
    return made | {name: [each[name] for each in games] for name in games[0]}


# ---- captures --------------------------------------------------------------------------------------------


def in_sctp(number, payloads, identifiers, chunk=sctp.data):
    """SCTP packets of one sender, with the identifiers in turn."""
    return [sctp.packet((5000, 6000 + number), 1 + number, chunk(n % 4, payload, n, identifiers[n % len(identifiers)]))
            for n, payload in enumerate(payloads)]


def written(path, connections):
    """connections: triples of a set of identifiers and a kind, its datagrams, and the number of the first one with a payload of
    the kind. For each datagram there is such a pair; its kind is None before the first."""
    kinds, packets = [], []
    for (identifiers, kind), datagrams, first in connections:
        for n, datagram in enumerate(datagrams):
            kinds.append((identifiers, kind if n >= first else None))
            packets.append(datagram._replace(time=len(packets) / 1000))
    return tshark.write_pcap(path, packets), kinds


def over_udp(ports, payloads):
    return [tshark.Udp(*ports, payload) for payload in payloads]


def connections(carrier):
    """A connection for each kind and each set of identifiers."""
    each = itertools.product(SETS[carrier], strangers().items())
    for number, (identifiers, (kind, payloads)) in enumerate(each):
        ports = 20000 + number, 31000
        if carrier == "sctp":
            datagrams, first = over_udp((sctp.TUNNEL, sctp.TUNNEL), in_sctp(number, payloads, IDENTIFIERS[identifiers])), 0
        elif carrier == "dtls":
            datagrams, first = dtls.connection(ports, payloads, number), dtls.HANDSHAKE_DATAGRAMS
        else:
            chunk = sctp.i_data if carrier == "i_data" else sctp.data
            packets = in_sctp(number, payloads, IDENTIFIERS[identifiers], chunk)
            datagrams, first = dtls.connection(ports, packets, number), dtls.HANDSHAKE_DATAGRAMS
        yield (identifiers, kind), datagrams, first


# The sets of identifiers of each carrier.
SETS = {"dtls": (None,), "sctp": tuple(IDENTIFIERS), "data_channels": tuple(IDENTIFIERS), "i_data": ("binary",)}
CARRIED = [(carrier, identifiers) for carrier, sets in SETS.items() for identifiers in sets]


@functools.lru_cache(maxsize=None)
def capture(carrier):
    return written(tshark.scratch() / f"{carrier}.pcap", connections(carrier))


@functools.lru_cache(maxsize=None)
def rows(carrier, passes):
    """{identifiers: [(kind or None, protocols that accepted the payload, data of DTLS, types of chunks) of each datagram]}"""
    path, kinds = capture(carrier)
    names = [*tshark.PROTOCOLS, "dtls.app_data", "sctp.chunk_type"]
    checks = {} if passes == "one_pass" else tshark.without_memory_checks()
    packets = shown(path, names, *PASSES[passes], *dtls.OPTIONS, env=checks)
    assert len(packets) == len(kinds)
    found = collections.defaultdict(list)
    for (identifiers, kind), packet in zip(kinds, packets):
        protocols = {name for name in tshark.PROTOCOLS if packet[name]}
        found[identifiers].append((kind, protocols, packet["dtls.app_data"], packet["sctp.chunk_type"]))
    return found


@every_pass
@pytest.mark.parametrize("carrier, identifiers", CARRIED)
def test_no_payload_of_other_protocols_is_recognized(carrier, identifiers, passes):
    found = rows(carrier, passes)[identifiers]
    assert not {(kind, protocol) for kind, families, _, _ in found for protocol in families}


@pytest.mark.parametrize("carrier, identifiers", [one for one in CARRIED if one[0] != "i_data"])
def test_the_payloads_are_decrypted_and_offered(carrier, identifiers):
    """Otherwise the test above has no value."""
    found = rows(carrier, "one_pass")[identifiers]
    assert {kind for kind, _, _, _ in found if kind} == set(strangers())
    for kind, _, data, chunk in found:
        if kind:
            assert (carrier == "sctp" or data) and (carrier == "dtls" or chunk), kind


CALL = bytes.fromhex("20 15000080 05 02 0205 050000000000000000000000 4d61696e2f506c6179657200")


@every_pass
def test_our_protocols_are_recognized_with_the_same_options(passes, tmp_path):
    first, second = (in_sctp(number, [CALL], IDENTIFIERS["binary"]) for number in range(2))
    ours = {"dtls": list(dtls.connection((20000, 31000), [connect()])),
            "sctp": over_udp((sctp.TUNNEL, sctp.TUNNEL), first),
            "data_channels": list(dtls.connection((20001, 31000), second, 1))}
    path, kinds = written(tmp_path / "ours.pcap", [((None, carrier), datagrams, 0) for carrier, datagrams in ours.items()])
    last = {carrier: families for (_, carrier), families in zip(kinds, taken(path, *PASSES[passes], *dtls.OPTIONS))}
    assert last == {"dtls": {"enet"}, "sctp": {"godot_mp"}, "data_channels": {"godot_mp"}}
