# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""One set of seeded documents, spelled in each format that is measured.

A node is every value on the wire: containers, keys and scalars. Three shapes:

    20      a record as a game would send it: 2 dictionaries, 1 array, 8 keys, 9 scalars
    2001    an array of 100 such records
    mixed   irregular types, lengths and nesting, some 600 nodes: little for a branch predictor to learn
"""

import functools
import random
import struct

SEED = 20240229
SHAPES = ("20", "2001", "mixed")
NODES = {"20": 20, "2001": 2001}

# A document repeats after so many others.
DIFFERENT = {"20": 2000, "2001": 100, "mixed": 5000}

LETTERS = "abcdefghijklmnopqrstuvwxyz"


# ---- documents -----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def documents(shape, count):
    """`count` documents, the same ones each time."""
    rng = random.Random(SEED)
    make = {"20": _record, "2001": _records, "mixed": _mixed}[shape]
    return [make(rng) for _ in range(count)]


def _word(rng, letters, shortest, longest):
    return "".join(rng.choice(letters) for _ in range(rng.randint(shortest, longest)))


def _narrow_float(rng):
    return _narrowed(rng.uniform(-500, 500))


def _narrowed(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def _record(rng):
    name = _word(rng, LETTERS + "_", 8, 16)
    word = _word(rng, LETTERS, 3, 9)
    return {
        "id": rng.randint(0, 2**31 - 1),
        "name": name,
        "pos": [_narrow_float(rng), _narrow_float(rng), _narrow_float(rng)],
        "on": rng.random() < 0.5,
        "st": {"a": rng.randint(-1000, 100000), "b": rng.uniform(-1, 1), "c": word},
    }


def _records(rng):
    return [_record(rng) for _ in range(100)]


def _mixed(rng, depth=0):
    kind = rng.random()
    if depth == 0 or (kind < 0.12 and depth < 6):
        entries = rng.randint(20, 60) if depth == 0 else rng.randint(0, 8)
        return {_word(rng, LETTERS[:16], 1, 12): _mixed(rng, depth + 1) for _ in range(entries)}
    if kind < 0.25 and depth < 6:
        return [_mixed(rng, depth + 1) for _ in range(rng.randint(0, 12))]
    if kind < 0.55:
        return rng.randint(-(2**31), 2**31 - 1) >> rng.choice((0, 8, 16, 24, 28))
    if kind < 0.65:
        return _narrow_float(rng)
    if kind < 0.75:
        return rng.uniform(-1, 1)
    if kind < 0.95:
        return _word(rng, LETTERS + " ", 0, 40)
    return rng.random() < 0.5


def count_nodes(value):
    if isinstance(value, dict):
        return 1 + sum(1 + count_nodes(member) for member in value.values())
    if isinstance(value, list):
        return 1 + sum(count_nodes(member) for member in value)
    return 1


# ---- formats -------------------------------------------------------------------------------------


def _is_narrow(value):
    return _narrowed(value) == value


def godot(value):
    """A Variant of Godot 3: 32 bits of type and flags, then the body, in words, little-endian."""
    pack = struct.pack
    if isinstance(value, bool):
        return pack("<II", 1, value)
    if isinstance(value, int):
        return pack("<Ii", 2, value)
    if isinstance(value, float):
        return pack("<If", 3, value) if _is_narrow(value) else pack("<Id", 3 | 0x10000, value)
    if isinstance(value, str):
        text = value.encode()
        return pack("<II", 4, len(text)) + text + bytes(-len(text) % 4)
    if isinstance(value, dict):
        return pack("<II", 18, len(value)) + b"".join(godot(k) + godot(v) for k, v in value.items())
    return pack("<II", 19, len(value)) + b"".join(map(godot, value))


def _cbor_head(major, number):
    if number < 24:
        return bytes([major << 5 | number])
    for code, limit, form in ((24, 2**8, ">B"), (25, 2**16, ">H"), (26, 2**32, ">I")):
        if number < limit:
            return bytes([major << 5 | code]) + struct.pack(form, number)
    raise ValueError(number)


def cbor(value):
    """RFC 8949, each number in its shortest form."""
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return _cbor_head(0, value) if value >= 0 else _cbor_head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfa" + struct.pack(">f", value) if _is_narrow(value) else b"\xfb" + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode()
        return _cbor_head(3, len(text)) + text
    if isinstance(value, dict):
        return _cbor_head(5, len(value)) + b"".join(cbor(k) + cbor(v) for k, v in value.items())
    return _cbor_head(4, len(value)) + b"".join(map(cbor, value))


def _msgpack_int(value):
    if -32 <= value < 128:
        return struct.pack("b", value)
    forms = (
        ((0xCC, "B"), (0xCD, ">H"), (0xCE, ">I")) if value >= 0 else ((0xD0, "b"), (0xD1, ">h"), (0xD2, ">i"))
    )
    for code, form in forms:
        try:
            return bytes([code]) + struct.pack(form, value)
        except struct.error:
            continue
    raise ValueError(value)


def msgpack(value):
    """MessagePack, each number in its shortest form."""
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return _msgpack_int(value)
    if isinstance(value, float):
        return b"\xca" + struct.pack(">f", value) if _is_narrow(value) else b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode()
        return (bytes([0xA0 | len(text)]) if len(text) < 32 else b"\xd9" + bytes([len(text)])) + text
    small, large = (0x80, b"\xde") if isinstance(value, dict) else (0x90, b"\xdc")
    head = bytes([small | len(value)]) if len(value) < 16 else large + struct.pack(">H", len(value))
    if isinstance(value, dict):
        return head + b"".join(msgpack(k) + msgpack(v) for k, v in value.items())
    return head + b"".join(map(msgpack, value))


def squirrel(value):
    """A Squirrel value as a client sends it: a tag, then the body. Floats have 32 bits only."""
    pack = struct.pack
    if isinstance(value, bool):
        return pack("<cB", b"b", value)
    if isinstance(value, int):
        return pack("<ch", b"w", value) if -(2**15) <= value < 2**15 else pack("<ci", b"i", value)
    if isinstance(value, float):
        return pack("<cf", b"f", value)
    if isinstance(value, str):
        text = value.encode()
        return b"s" + pack(">H", len(text)) + text
    if isinstance(value, dict):
        return pack("<cI", b"T", len(value)) + b"".join(squirrel(k) + squirrel(v) for k, v in value.items())
    return pack("<cI", b"A", len(value)) + b"".join(map(squirrel, value))


# ClientData has two values, an identifier and the data, and has no response.
SQUIRREL_CLIENT_DATA = struct.pack("<I", 0x40FFFFEE) + b"b\1"


def squirrel_frame(value):
    """A frame with one node more than the document has."""
    return SQUIRREL_CLIENT_DATA + squirrel(value)


FORMATS = {"godot": godot, "cbor": cbor, "msgpack": msgpack, "squirrel": squirrel_frame}
EXTRA_NODES = {"squirrel": 1}


def payloads(form, shape, count):
    """`count` encoded documents; they begin anew where there are no different ones."""
    different = [FORMATS[form](document) for document in documents(shape, min(count, DIFFERENT[shape]))]
    for i in range(count):
        yield different[i % len(different)]


def write_corpus(path, encoded):
    """For the codec benchmark: of each document its length, 32 bits little-endian, and its bytes."""
    with open(path, "wb") as file:
        for document in encoded:
            file.write(struct.pack("<I", len(document)) + document)


def junk(count):
    """Payloads of other protocols: random bytes."""
    rng = random.Random(SEED)
    return (rng.randbytes(rng.randint(20, 1200)) for _ in range(count))
