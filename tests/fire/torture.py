# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Payloads that are as difficult to dissect as their formats allow.

    PAYLOADS          family: name: bytes
    CONVERSATIONS     family: maker; maker(n) is the payload of packet n, the client's when n is even

    PYTHONPATH=tests/support python3 tests/fire/torture.py FILE.pcap     all payloads in one capture
"""

import struct
import sys
import zlib

import gamewire_tshark

LARGEST = 60_000  # bytes: approximately the maximum of a UDP datagram
PORTS = {"godot": 41001, "leviathan": 41002, "squirrel": 41003, "enet": 41004}
CONVERSATION = 100_000  # packets


def be16(*numbers):
    return struct.pack(f">{len(numbers)}H", *numbers)


def be32(*numbers):
    return struct.pack(f">{len(numbers)}I", *(number & 0xFFFFFFFF for number in numbers))


def le32(*numbers):
    return struct.pack(f"<{len(numbers)}I", *(number & 0xFFFFFFFF for number in numbers))


def fill(piece, size=LARGEST):
    """The maximum number of pieces that fit, and that number."""
    count = size // len(piece)
    return count, piece * count


# ---- Godot ---------------------------------------------------------------------------------------

NIL, BOOL, INT, FLOAT, STRING = range(5)
ARRAY = {2: 21, 3: 19, 4: 28}
DICTIONARY = {2: 20, 3: 18, 4: 27}
WORDS = {20: 20, 4: 16, 3: 12, 2: 8}
SHARED = 1 << 31


def array(elements, count, header=ARRAY[4]):
    return le32(header, count) + elements


def godot_arrays_of_smallest():
    pieces = {
        "nils": le32(NIL),
        "bools": le32(BOOL, 1),
        "odd bools": le32(BOOL, 2),
        "odd headers": le32(INT | 0xFFF0FF00, 7),
        "ints": le32(INT, 7),
        "wide ints": le32(INT | 1 << 16, 7, 0),
        "floats that are nan": le32(FLOAT, 0x7FC00000),
        "empty strings": le32(STRING, 0),
        "strings of one letter": le32(STRING, 1, 0x61),
        "texts of control characters": le32(STRING, 4, 0x0A1B0D07),
        "texts that are no UTF-8": le32(STRING, 3, 0x00FFFEFF),
        "vectors": le32(9) + struct.pack("<3f", 1, 2, 3),
        "empty arrays": le32(ARRAY[4], 0),
        "empty dictionaries": le32(DICTIONARY[4], 0),
        "callables": le32(25),
        "empty signals": le32(26, 0, 0, 0),
        "empty node paths": le32(22, SHARED, 0, 0),
        "empty packed arrays": le32(34, 0),
        "arrays of a nil": le32(ARRAY[4], 1, NIL),
        "dictionaries of nils": le32(DICTIONARY[4], 1, NIL, NIL),
        "typed arrays": le32(ARRAY[4] | 1 << 16, INT, 0),
        "arrays of a class without a name": le32(ARRAY[4] | 2 << 16, 0, 0),
        "null objects": le32(24, 0),
        "objects without properties": le32(24, 1, 0x61, 0),
    }
    return {
        f"array of {name}": array(elements, count)
        for name, piece in pieces.items()
        for count, elements in [fill(piece, LARGEST - 8)]
    }


def godot_dictionaries():
    pieces = {
        "nils": le32(NIL, NIL),
        "one key again and again": le32(STRING, 1, 0x61, NIL),
        "keys that are arrays": le32(ARRAY[4], 1, NIL, NIL),
        "keys that are dictionaries": le32(DICTIONARY[4], 1, NIL, NIL, NIL),
    }
    return {
        f"dictionary of {name}": array(members, count, DICTIONARY[4])
        for name, piece in pieces.items()
        for count, members in [fill(piece, LARGEST - 8)]
    }


def nested(opening, depth, inner=le32(NIL), closing=b""):
    return opening * depth + inner + closing * depth


def godot_nested():
    openings = {
        "arrays": (le32(ARRAY[4], 1), b""),
        "arrays of two": (le32(ARRAY[4], 2), le32(NIL)),
        "typed arrays": (le32(ARRAY[4] | 1 << 16, ARRAY[4], 1), b""),
        "arrays of a class": (le32(ARRAY[4] | 2 << 16, 1, 0x61, 1), b""),
        "dictionaries": (le32(DICTIONARY[4], 1, NIL), b""),
        "keys": (le32(DICTIONARY[4], 1), le32(NIL)),
        "typed dictionaries": (le32(DICTIONARY[4] | 5 << 16, NIL, DICTIONARY[4], 1, NIL), b""),
        "objects": (le32(24, 1, 0x61, 1, 1, 0x62), b""),
    }
    made = {}
    for name, (opening, closing) in openings.items():
        deepest = LARGEST // len(opening + closing)
        for depth in (99, 100, 101, 499, 501, 1024, 1025, 1026, deepest):
            made[f"{depth} nested {name}"] = nested(opening, depth, closing=closing)
    made["nested arrays of Godot 3"] = nested(le32(ARRAY[3], 1), LARGEST // 8)
    made["nested shared arrays of Godot 2"] = nested(le32(ARRAY[2], 1 | SHARED), LARGEST // 8)
    made["nested arrays that never end"] = le32(ARRAY[4], 1) * (LARGEST // 8)
    return made


def godot_counts():
    made = {}
    for header in range(15, 39):
        for count in (0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 14_998, 14_999):
            made[f"type {header} of {count:#x}"] = le32(header, count) + bytes(LARGEST - 8)
    for length in (0xFFFFFFFC, 0xFFFFFFFD, 0xFFFFFFFF, 0x7FFFFFFF):
        made[f"text of {length:#x} bytes"] = le32(STRING, length) + b"abcd"
    made["packed strings, all empty"] = le32(34, (LARGEST - 8) // 4) + bytes(LARGEST - 8)
    made["packed strings of a NUL"] = array(*reversed(fill(le32(1, 0), LARGEST - 8)), 34)
    made["node path of most names"] = le32(22, (LARGEST // 4) | SHARED, 0, 3) + bytes(LARGEST)
    made["node path of more names than numbers"] = le32(22, 0xFFFFFFFF, 0xFFFFFFFF, 3) + bytes(LARGEST)
    made["image of 4 GiB"] = le32(15, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF) + bytes(64)
    for length in (0, 11, 12, 0xFFFFFFFF):
        made[f"input event of {length:#x} bytes"] = le32(19, 1, 0, length) + bytes(64)
    return made


def godot_texts():
    size = LARGEST - 8
    texts = {
        "a": b"a",
        "quotes": b'"',
        "line breaks": b"\n",
        "bells": b"\a",
        "bytes that are no UTF-8": b"\xff",
        "NULs": b"\0",
        "wide characters": "\U0001f600".encode(),
    }
    made = {
        f"text of {name}": le32(STRING, size) + piece * (size // len(piece)) for name, piece in texts.items()
    }
    made["node path of long names"] = le32(22, 2 | SHARED, 0, 1) + 2 * (le32(29_000) + b"n" * 29_000)
    made["bytes"] = le32(29, size) + bytes(range(256)) * (size // 256) + bytes(size % 256)
    for name, header, piece in (
        ("colors", 37, 16),
        ("int64", 31, 8),
        ("float64", 33, 8),
        ("vector4", 38, 16),
    ):
        made[f"packed {name}"] = le32(header, size // piece) + b"\x01\x7f" * (size // piece * piece // 2)
    return made


# ---- Leviathan -----------------------------------------------------------------------------------


def ln(packet_id=1001, acks=b"", start=0, messages=(), count=None):
    head = b"Ln" + be32(packet_id, start) + (bytes([len(acks)]) + acks if start else b"")
    return head + bytes([len(messages) if count is None else count]) + b"".join(messages)


def request(number, kind, payload=b""):
    return b"\x28" + be32(number) + be16(kind) + payload


def response(number, kind, payload=b"", to=0):
    return b"\x12" + be32(number) + be16(kind) + be32(to) + payload


def nested_packet(payload):
    return be32(len(payload)) + payload


def leviathan_acks():
    echo = [request(1, 15)]
    made = {
        f"ack field of {count} bytes from {start:#x}": ln(1001, b"\xff" * count, start, echo)
        for count in (1, 4, 5, 128, 255)
        for start in (1, 0xFFFFFFFF, 0xFFFFFF80)
    }
    made["ack field that is cut"] = ln(1001, b"\xff" * 255, 1)[:100]
    made["ack bytes without any ack"] = ln(1001, bytes(255), 1, echo)
    for count in (0, 1, 4, 5, 255):
        made[f"ack only of {count}"] = b"La" + bytes([count]) + be32(*range(0xFFFFFFF0, 0xFFFFFFF0 + count))
    made["ack only of one id 255 times"] = b"La\xff" + be32(7) * 255
    blocks = {
        "empty blocks": b"La\0",
        "blocks of an id": b"La\1" + be32(1001),
        "blocks of 255": b"La\xff" + be32(7) * 255,
    }
    for name, block in blocks.items():
        made[f"packet and {name}"] = ln(1001, messages=echo) + fill(block, LARGEST - 20)[1]
    return made


def leviathan_messages():
    made = {
        "255 messages": ln(1001, b"\xff" * 255, 7, [request(n, 15) for n in range(255)]),
        "255 responses": ln(1001, messages=[response(n, 4, to=n) for n in range(255)]),
        "255 messages of one number": ln(1001, messages=[request(1, 15)] * 255),
        "255 messages of which one is there": ln(1001, messages=[request(1, 15)], count=255),
        "no messages and much after them": ln(1001) + bytes(LARGEST),
        "packet id 0": ln(0, messages=[request(0, 15)]),
    }
    for kind in range(32):
        for name, filler in (("zeros", b"\0"), ("ones", b"\xff"), ("sevens", b"\7")):
            made[f"request {kind} of {name}"] = ln(1001, messages=[request(1, kind, filler * 200)])
            made[f"response {kind} of {name}"] = ln(1001, messages=[response(1, kind, filler * 200, 1)])
    return made


def leviathan_entities():
    position = be16(0) + struct.pack("<7f", 1, 2, 3, 0, 0, 0, 1)
    made = {}
    for name, piece in {
        "positions": position,
        "render nodes": be16(1),
        "custom components": be16(10000),
    }.items():
        count, pieces = fill(piece, LARGEST - 100)
        for declared in (count, 0xFFFFFFFF, 1):
            creation = be32(1, 2, declared) + nested_packet(pieces)
            made[f"{declared} {name} created"] = ln(1001, messages=[response(1, 19, creation)])
        made[f"{name} updated"] = ln(
            1001, messages=[response(1, 20, be32(1, 2, -1, 3) + nested_packet(pieces))]
        )
    made["nested packet of 4 GiB"] = ln(1001, messages=[response(1, 20, be32(1, 2, -1, 3, -1) + position)])
    made["nested packet that is empty"] = ln(1001, messages=[response(1, 19, be32(1, 2, 7, 0))])
    made["text of 60 kB"] = ln(1001, messages=[request(1, 10, nested_packet(b"\n" * LARGEST))])
    made["text of 4 GiB"] = ln(1001, messages=[request(1, 10, be32(-1) + b"abc")])
    return made


# ---- Squirrel ------------------------------------------------------------------------------------

EXECUTE, REPLY, SPLIT, SPLIT_FROM_SERVER, RESULT = 0xE1, 0xE3, 0xEC, 0xED, 0xF3


def frame(low, body):
    return bytes([low, 0xFF, 0xFF, 0x40]) + body


def sized(tag, body):
    return tag + le32(len(body)) + body


def nested_sizes(tag, depth, inner=b"o", before=b""):
    body = inner
    for _ in range(depth):
        body = sized(tag, before + body)
    return body


def squirrel_nested():
    made = {}
    key = b"s\x00\x01a"
    for depth in (63, 64, 65, 500, 6000):
        made[f"{depth} nested arrays"] = frame(EXECUTE, nested_sizes(b"a", depth))
        made[f"{depth} nested tables"] = frame(EXECUTE, nested_sizes(b"t", depth, before=b"o"))
        made[f"{depth} nested gets"] = frame(EXECUTE, nested_sizes(b"g", depth))
        made[f"{depth} nested gets of a member"] = frame(
            EXECUTE, nested_sizes(b"k", depth, inner=key, before=key)
        )
        made[f"{depth} nested calls"] = frame(EXECUTE, nested_sizes(b"F", depth))
        made[f"{depth} nested negations"] = frame(EXECUTE, nested_sizes(b"u", depth))
        made[f"{depth} nested sums"] = frame(EXECUTE, nested_sizes(b"+", depth, before=b"o"))
        made[f"{depth} nested counted arrays"] = frame(REPLY, le32(0) + (b"A" + le32(1)) * depth + b"o")
        made[f"{depth} nested counted tables"] = frame(
            REPLY, le32(0) + (b"T" + le32(1) + b"o") * depth + b"o"
        )
        made[f"{depth} nested classes as keys"] = frame(
            REPLY, le32(0) + (b"c" + le32(1)) * depth + b"o" * (depth + 1)
        )
        made[f"{depth} nested lower case counts"] = frame(REPLY, le32(0) + (b"a" + le32(1)) * depth + b"o")
    made["nested arrays that never end"] = frame(EXECUTE, (b"a" + le32(0xFFFFFFFF)) * 10_000)
    return made


def squirrel_counts():
    pieces = {
        "nulls": b"o",
        "bools": b"b\1",
        "odd bools": b"b\7",
        "int16": b"w\1\0",
        "empty texts": b"s\0\0",
        "empty arrays": b"a" + le32(0),
        "empty counted arrays": b"A" + le32(0),
        "empty tables": b"t" + le32(0),
        "empty blobs": b"B" + le32(0),
        "calls without a function": b"F" + le32(0),
        "unknown tags": b"x",
        "errors": b"e\0\0",
        "texts that are no UTF-8": b"s\0\1\xff",
        "floats": b"f" + le32(0x7FC00000),
    }
    made = {}
    for name, piece in pieces.items():
        count, elements = fill(piece, LARGEST - 20)
        made[f"array of {name}"] = frame(EXECUTE, sized(b"a", elements))
        made[f"counted array of {name}"] = frame(REPLY, le32(1) + b"A" + le32(count) + elements)
        made[f"call with {name}"] = frame(EXECUTE, sized(b"F", elements))
        made[f"table of {name}"] = frame(RESULT, le32(1) + sized(b"t", elements))
        made[f"counted table of {name}"] = frame(REPLY, le32(1) + b"T" + le32(count // 2) + elements)
    for tag in b"aAtTcBgkhjFE+-*/%u":
        for number in (0, 1, 0x7FFFFFFF, 0xFFFFFFFF):
            made[f"{chr(tag)} of {number:#x}"] = frame(REPLY, le32(1) + bytes([tag]) + le32(number) + b"oooo")
    made["text of 65535 bytes"] = frame(REPLY, le32(1) + b"s\xff\xff" + b"\n" * LARGEST)
    made["script of line breaks"] = frame(0xE4, be16(LARGEST) + b"\n" * LARGEST)
    made["blob of 60 kB"] = frame(REPLY, le32(1) + sized(b"B", bytes(range(250)) * 240))
    return made


def chunk(sequence, index, total, payload, low=SPLIT, length=None):
    declared = len(payload) if length is None else length
    return frame(low, le32(sequence, index, total) + struct.pack("<H", declared) + payload)


def squirrel_splits():
    made = {
        "chunk of a stream of 4 G chunks": chunk(1, 0, 0xFFFFFFFF, b"x" * 4075),
        "last chunk of a stream of 4 G chunks": chunk(1, 0xFFFFFFFE, 0xFFFFFFFF, b"x"),
        "chunk of a stream of none": chunk(2, 0, 0, b"x"),
        "chunk after the last": chunk(3, 7, 7, b"x"),
        "chunk without bytes": chunk(4, 0, 1, b""),
        "chunk of a wrong length": chunk(5, 0, 2, b"x" * 10, length=0xFFFF),
        "chunk of 60 kB": chunk(6, 0, 1, b"x" * LARGEST),
        "stream in a stream": chunk(7, 0, 1, chunk(7, 0, 1, chunk(8, 0, 1, frame(EXECUTE, b"o")))),
    }
    for n in range(300):
        made[f"stream {n} that only begins"] = chunk(1000 + n, n, 0x40000000 + n, b"x" * 100)
    whole = frame(EXECUTE, sized(b"a", b"o" * 40_000))
    pieces = [whole[at : at + 4075] for at in range(0, len(whole), 4075)]
    for i in reversed(range(len(pieces))):
        made[f"chunk {i} of a whole stream, last first"] = chunk(
            9, i, len(pieces), pieces[i], SPLIT_FROM_SERVER
        )
        made[f"chunk {i} of another total"] = chunk(9, i, len(pieces) + 1 + i, pieces[i], SPLIT_FROM_SERVER)
    for i in range(200):
        made[f"chunk {i} of 200 of one byte"] = chunk(10, 199 - i, 200, b"o")
    return made


PAYLOADS = {
    "godot": {
        **godot_arrays_of_smallest(),
        **godot_dictionaries(),
        **godot_nested(),
        **godot_counts(),
        **godot_texts(),
    },
    "leviathan": {**leviathan_acks(), **leviathan_messages(), **leviathan_entities()},
    "squirrel": {**squirrel_nested(), **squirrel_counts(), **squirrel_splits()},
}

# ---- ENet ----------------------------------------------------------------------------------------


# ENet's limit.
MOST_FRAGMENTS = 1 << 20


def enet_head(command, channel=0, sequence=1):
    return bytes([command, channel]) + be16(sequence)


def enet_fragment(number, count, total, offset, data):
    return enet_head(0x88, 0, number + 1) + be16(1, len(data)) + be32(count, number, total, offset) + data


def enet_connect(connect_id):
    return be16(0x8FFF, 1) + enet_head(0x82, 0xFF) + be16(0) + b"\xff\xff" + be32(1400, 65536, 255, 0, 0, 5000, 2, 2, connect_id, 0)


def enet_datagrams():
    commands = {
        "pings": enet_head(0x85, 0xFF),
        "acks": enet_head(0x01, 0) + be16(1, 1),
        "empty messages": enet_head(0x86) + be16(0),
        "empty unreliable messages": enet_head(0x07) + be16(1, 0),
        "empty groups": enet_head(0x49, 0, 0) + be16(1, 0),
        "fragments of everything": enet_fragment(0, 1 << 20, 32 << 20, 0, b"x"),
        "empty fragments": enet_fragment(5, 6, 7, 6, b""),
        "odd commands": enet_head(0xF5, 3, 9),
        "channels": b"".join(enet_head(0x86, channel) + be16(0) for channel in range(255)),
    }
    return {name: be16(0x8000, 1) + fill(piece, LARGEST)[1] for name, piece in commands.items()}


def enet_compressed():
    """Inputs at which decompressors must stop: 60,000 bytes of each, and bombs; and the maximum of a datagram."""
    bomb = zlib.compress(bytes(10_000_000), 9)[:LARGEST]
    within = {"pings": enet_head(0x85, 0xFF), "fragments of everything": enet_fragment(0, 1 << 20, 32 << 20, 0, b"x"),
              "odd commands": enet_head(0xF5, 3, 9), "payloads": enet_head(0x86) + be16(1) + b"x"}
    largest = {f"{name}, compressed": be16(0xC000, 1) + zlib.compress((piece * 1024)[: 4094 // len(piece) * len(piece)])
               for name, piece in within.items()}
    return {
        **largest,
        "zlib bomb": be16(0xC000, 1) + bomb,
        "FastLZ bomb": be16(0xC000, 1) + b"\x20\x85" + b"\xe0" + b"\xff" * 59000 + b"\0\0",
        "FastLZ runs": be16(0xC000, 1) + b"\x00\x85" + b"\xe0\xff\0" * 19000,
        "range coder": be16(0xC000, 1) + b"\x85" * LARGEST,
        "range coder, zeros": be16(0xC000, 1) + b"\x86" + bytes(LARGEST),
        "Zstandard": be16(0xC000, 1) + b"\x28\xb5\x2f\xfd" + b"\xff" * LARGEST,
        "header alone": be16(0xC000, 1),
    }


def enet_connections():
    return {f"connect {number}": enet_connect(number) for number in range(300)}


def enet_fragments():
    """Each a separate incomplete message, and one whose pieces overlap."""
    endless = {
        f"fragment {number}": be16(0x8000, number) + enet_head(0x88, 0, number) + be16(number, 1)
        + be32(1 << 20, 0, 1 << 25, 0) + b"x"
        for number in range(200)
    }
    pieces = b"".join(enet_fragment(number, 100, 100, 99 - number, b"x") for number in range(100))
    return {**endless, "pieces backwards": be16(0x8000, 9) + pieces}


PAYLOADS["enet"] = {**enet_datagrams(), **enet_compressed(), **enet_connections(), **enet_fragments()}

# ---- long conversations ----------------------------------------------------------------------------


def godot_packet(n):
    """Ints, which are the weakest evidence, and occasionally a packet that is sufficient."""
    return le32(DICTIONARY[4], 1, STRING, 1, 0x61, INT, n) if n % 1000 == 0 else le32(INT, n)


def skip_zero(number):
    """Ids wrap at 2^32 and are never 0."""
    number &= 0xFFFFFFFF
    return number or 1


def leviathan_packet(n):
    """The ids of both sides wrap in the middle. Requests and responses alternate, each with an ack."""
    turn = n // 2 - CONVERSATION // 4
    mine, other = skip_zero(turn), skip_zero(turn - 1)
    message = request(mine, 15) if n % 2 == 0 else response(mine, 4, to=mine)
    return ln(mine, b"\x01", other, [message])


def squirrel_packet(n):
    """Commands of the server and their answers; the token wraps from 2^31-1 to -2^31."""
    token = le32(0x7FFFFFFF - CONVERSATION // 4 + n // 2)
    return (
        frame(0xE2, token + sized(b"g", b"s\0\1a"))
        if n % 2 == 0
        else frame(REPLY, token + b"w" + bytes([n % 256, 0]))
    )


def enet_packet(n):
    """Reliable messages of the client and their acknowledgements; numbers wrap. The first one connects."""
    if n == 0:
        return enet_connect(7)
    number = (65536 - CONVERSATION // 4 + n // 2) % 65536
    if n % 2 == 0:
        return be16(0x8000, n % 65536) + enet_head(0x86, 0, number) + be16(8) + bytes(8)
    return be16(0x0000) + enet_head(0x01, 0, number) + be16(number, (n - 1) % 65536)


def enet_handshakes(count):
    """This number of conversations of three datagrams."""
    def command(first, *numbers):
        return enet_head(first, 0xFF) + be16(0) + b"\0\0" + be32(1400, 65536, 2, 0, 0, 5000, 2, 2, *numbers)

    acks = be16(0x8000, 1) + enet_head(0x01, 0xFF) + be16(1, 1)
    for n in range(count):
        client, server = {"from": 1, "to": 2}, {"from": 2, "to": 1}
        yield gamewire_tshark.Udp(10_000 + n, PORTS["enet"], enet_connect(n), n / 1000, client)
        yield gamewire_tshark.Udp(PORTS["enet"], 10_000 + n, acks + command(0x83, n), n / 1000, server)
        yield gamewire_tshark.Udp(10_000 + n, PORTS["enet"], acks, n / 1000, client)


def enet_connects(count):
    """From one client and port."""
    for n in range(count):
        yield gamewire_tshark.Udp(41000, PORTS["enet"], enet_connect(n), n / 1000)


def enet_unfinished(count):
    """The first fragment of a message in each."""
    for n in range(count):
        number = 3 * n % 65536
        command = enet_head(0x88, 0, number) + be16(number, 1) + be32(3, 0, 3, 0) + b"x"
        yield gamewire_tshark.Udp(41000, PORTS["enet"], be16(0x8000, n % 65536) + command, n / 1000)


def enet_large_message(count):
    """Fragments of one byte, 32 per datagram; `count` is the number of fragments."""
    for first in range(0, count, 32):
        numbers = range(first, min(first + 32, count))
        commands = [struct.pack(">BBHHHIIII", 0x88, 0, n + 1 & 0xFFFF, 1, 1, count, n, count, n) + b"x" for n in numbers]
        yield gamewire_tshark.Udp(41000, PORTS["enet"], be16(0x8000, first % 65536) + b"".join(commands), first / 1e5)


def spawned_synchronizers(spawns, ids):
    """Spawns of Godot 4 with this number of synchronizers each, whose ids are all different."""
    for n in range(spawns):
        message = b"\4\0" + le32(6, 0x40000000 + n, ids, 2, *range(n * ids + 1, n * ids + ids + 1)) + b"a\0"
        command = enet_head(0x86, 0, n + 1) + be16(len(message)) + message
        yield gamewire_tshark.Udp(41000, PORTS["enet"], be16(0x8000, n) + command, n / 100)


CONVERSATIONS = {"enet": enet_packet, "godot": godot_packet, "leviathan": leviathan_packet, "squirrel": squirrel_packet}


# ---- captures --------------------------------------------------------------------------------------


def payloads(families=tuple(PAYLOADS)):
    """(family, name, bytes) of each packet, in the order of the capture."""
    return [(family, name, payload) for family in families for name, payload in PAYLOADS[family].items()]


def write_payloads(path, families=tuple(PAYLOADS)):
    packets = [
        gamewire_tshark.Udp(41000, PORTS[family], payload, i / 10)
        for i, (family, _, payload) in enumerate(payloads(families))
    ]
    return gamewire_tshark.write_pcap(path, packets)


def write_conversation(path, port, maker, packets=CONVERSATION):
    """The client at 41000, the server at `port`; two packets a millisecond."""

    def datagram(n):
        ends = ({"from": 1, "to": 2}, 41000, port) if n % 2 == 0 else ({"from": 2, "to": 1}, port, 41000)
        return gamewire_tshark.Udp(ends[1], ends[2], maker(n), n / 2000, ends[0])

    return gamewire_tshark.write_pcap(path, map(datagram, range(packets)))


def decode_as(families=tuple(PAYLOADS)):
    """The options with which tshark reads these captures."""
    return [part for family in families for part in ("-d", f"udp.port=={PORTS[family]},{family}")]


if __name__ == "__main__":
    write_payloads(sys.argv[1])
    print(f"{len(payloads())} packets")
