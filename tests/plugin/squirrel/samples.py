# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Squirrel frames written by hand: cases that no capture contains, in chunks, and in RakNet."""

import struct

import gamewire_tshark as tshark

AS_TEST = ("-d", f"udp.port=={tshark.SERVER_PORT},squirrel")


# ---- frames --------------------------------------------------------------------------------------------------------


def execute(*parts):
    return b"\xe1\xff\xff\x40" + b"".join(parts)


def holding(tag, *parts):
    content = b"".join(parts)
    return tag + struct.pack("<I", len(content)) + content


def string(text):
    return b"s" + struct.pack(">H", len(text)) + text


# ---- questions and answers -----------------------------------------------------------------------------------------

NULL = b"o"


def frame(low_byte, *parts):
    return bytes([low_byte]) + b"\xff\xff\x40" + b"".join(parts)


def token(value):
    return struct.pack("<i", value)


def get(key):
    content = b"s" + struct.pack(">H", len(key)) + key
    return b"g" + struct.pack("<I", len(content)) + content


def ask(value):
    return tshark.reply(frame(0xE2, token(value), get(b"x")))


def answer(value, content=NULL):
    return tshark.request(frame(0xE3, token(value), content))


# ---- in RakNet -----------------------------------------------------------------------------------------------------


def datagram(number, *messages, flags=0x60):
    """RakNet: reliable messages from `number` on, ordered ones unless the flags differ."""
    data = b"\x84\x02\0\0"
    for i, content in enumerate(messages):
        count = (number + i).to_bytes(3, "little")
        data += bytes([flags]) + struct.pack(">H", 8 * len(content)) + count
        data += (count + b"\0" if flags == 0x60 else b"") + content
    return data


def split_datagrams(number, content):
    """RakNet: the halves of a reliable ordered message."""
    half = len(content) // 2
    for i, part in enumerate((content[:half], content[half:])):
        yield (b"\x8c\x02\0\0\x70" + struct.pack(">H", 8 * len(part)) + (number + i).to_bytes(3, "little") +
               number.to_bytes(3, "little") + b"\0" + struct.pack(">IHI", 2, 7, i) + part)


def message(content, ident=0x6E):
    return bytes([ident]) + struct.pack(">I", len(content)) + content


AS_RAKNET = ("-d", f"udp.port=={tshark.SERVER_PORT},raknet")


# ---- in chunks -----------------------------------------------------------------------------------------------------


def chunk(sequence, index, total, payload):
    return tshark.request(frame(0xEC, struct.pack("<IIIH", sequence, index, total, len(payload)), payload))


X = string(b"x")

SAMPLES = {
    "utf8.invalid": execute(holding(b"h", X, string(b"caf\xe9"))),
    "count.differs": execute(holding(b"h", X, b"A\x03\0\0\0" + b"x\x01\xff")),
    "value.too_deep": b"\xe3\xff\xff\x40\x01\0\0\0" + b"A\x01\0\0\0" * 70 + b"o",
    "frame.too_long": execute(holding(b"h", X, string(b"y" * 4100))),
}

HELLO = execute(holding(b"F", holding(b"g", string(b"rprint")), string(b"Hello")))
CHUNK = b"\xec\xff\xff\x40" + struct.pack("<IIIH", 0, 0, 1, 9) + execute(b"w\x05\0\0\0")[:9]
SPLIT_IN_SPLIT = b"\xec\xff\xff\x40" + struct.pack("<IIIH", 0, 0, 1, 23) + (
    b"\xec\xff\xff\x40" + struct.pack("<IIIH", 0, 0, 1, 5) + execute(b"o"))
ASK = b"\xe2\xff\xff\x40\x01\0\0\0" + HELLO[4:]
CUT = [(HELLO, 30), (ASK, 6), (CHUNK, 20)]


def many(value):
    return execute(b"A" + struct.pack("<I", 100000) + value * 100000)


def chunks(whole):
    parts = [whole[i:i + 4075] for i in range(0, len(whole), 4075)]
    return [tshark.reply(b"\xed\xff\xff\x40" + struct.pack("<IIIH", 0, i, len(parts), len(part)) + part)
            for i, part in enumerate(parts)]
