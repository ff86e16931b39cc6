# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Structured payloads as home-made protocols have them: types, counters, times, lengths, text, zeros, records.

    conversations(seed)     2,000 of them: (name, payloads)
    ALIKE                   name: why a heuristic of ours may take it, value for value one of our formats

Two sources. NAMED layouts are those that look most like one of our formats, among them each that a heuristic once took by
mistake. The others are composed: a head, a middle and a body drawn from lists, each with its numbers drawn per
conversation and counted up per packet.

    PYTHONPATH=tests/support python3 tests/strangers/layouts.py FILE.pcap [SEED]
"""

import random
import struct
import sys

import gamewire_tshark

CONVERSATIONS = 2000
PACKETS = 24
OF_NAMED = 3  # number of conversations of each named layout

FIRST_PORT = 30000
PORTS = 10000

NAMED = {}

# Layouts whose bytes are equal to those of a format of the plugin, with only plausible values.
ALIKE = {}


def le(size, *numbers):
    return b"".join((number % (1 << 8 * size)).to_bytes(size, "little") for number in numbers)


def be(size, *numbers):
    return b"".join((number % (1 << 8 * size)).to_bytes(size, "big") for number in numbers)


def floats(*numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


def doubles(*numbers):
    return struct.pack(f"<{len(numbers)}d", *numbers)


def padded(data):
    return data + bytes(-len(data) % 4)


def letters(source, count):
    return "".join(source.choices("abcdefghijklmnoprstuvwy", k=count)).encode()


def positions(source, n, count):
    """Coordinates of an object that moves a little from packet to packet."""
    return [100.0 * (i + 1) + 0.25 * n + source.uniform(-1, 1) for i in range(count)]


def named(name, alike=None):
    """Adds a layout: a function of a source and a packet's number."""

    def add(maker):
        NAMED[name] = maker
        if alike:
            ALIKE[name] = alike
        return maker

    return add


# ---- named: Godot ----------------------------------------------------------------------------------------

# Floats in each type of Godot 4 that consists only of 32-bit floats.
VECTORS = {5: 2, 7: 4, 9: 3, 11: 6, 12: 4, 14: 4, 15: 4, 16: 6, 17: 9, 18: 12, 19: 16, 20: 4}
# ... of Godot 3, in which the types from 6 on have other numbers.
VECTORS_OF_3 = {5: 2, 6: 4, 7: 3, 8: 6, 9: 4, 10: 4, 11: 6, 12: 9, 13: 12, 14: 4}
# Integers in each type of Godot 4 that consists only of 32-bit integers.
INTEGERS = {2: 1, 6: 2, 8: 4, 10: 3, 13: 4}


def vector_layout(number, count):
    # Positions are not valid colors or rotations, which must be from 0 to 1, or normalized.
    alike = None if number in (10, 15, 20) else "a vector of Godot"

    @named(f"u32 {number}, {count} sane floats", alike=alike)
    def sane(source, n):
        return le(4, number) + floats(*positions(source, n, count))

    @named(f"u32 {number}, {count} floats all 0")
    def zero(source, n):
        return le(4, number) + bytes(4 * count)

    @named(f"u32 {number}, {count} denormal floats")
    def denormal(source, n):
        return le(4, number) + le(4, *(source.randint(1, 500) for _ in range(count)))

    @named(f"u32 {number}, u32 counter, zeros to {count} words")
    def counter(source, n):
        return le(4, number, n + 1) + bytes(4 * count - 4)

    @named(f"u32 {number}, {count} random words")
    def noise(source, n):
        return le(4, number) + source.randbytes(4 * count)

    @named(f"u32 {number}, {count} equal floats, each packet the same")
    def same(source, n):
        return le(4, number) + floats(*[1.0] * count)


for vectors in (VECTORS, VECTORS_OF_3):
    for wire_type, length in vectors.items():
        vector_layout(wire_type, length)


def integer_layout(number, count):
    @named(f"u32 {number}, {count} small integers")
    def small(source, n):
        return le(4, number) + le(4, *(source.randint(0, 2000) for _ in range(count)))

    @named(f"u32 {number}, u32 counter, zeros to {count} integers")
    def counter(source, n):
        return le(4, number, n + 1) + bytes(4 * count - 4)


for wire_type, length in INTEGERS.items():
    integer_layout(wire_type, length)


def head_only(number):
    @named(f"u32 {number}, u32 0, each packet the same")
    def constant(source, n):
        return le(4, number, 0)

    @named(f"u32 {number}, u32 counter")
    def counter(source, n):
        return le(4, number, n)

    @named(f"u8 {number}, 0, 1, 0, u64 time")
    def time(source, n):
        return bytes([number, 0, 1, 0]) + le(8, 1_700_000_000_000 + 50 * n)

    @named(f"u32 {number}, u32 small count, zeros")
    def zeros(source, n):
        return le(4, number, n % 4) + bytes(4 * (n % 7))


for wire_type in range(40):
    head_only(wire_type)


def sized(number):
    @named(f"u32 {number}, u32 length, random bytes filled up to a word")
    def blob(source, n):
        data = source.randbytes(source.randint(1, 60))
        return le(4, number, len(data)) + padded(data)

    @named(f"u32 {number}, u32 length, bytes")
    def exact(source, n):
        data = source.randbytes(4 * source.randint(1, 12))
        return le(4, number, len(data)) + data

    @named(f"u32 {number}, u32 n, n records of 12 bytes, small integers")
    def records(source, n):
        count = source.randint(1, 6)
        return le(4, number, count) + le(4, *(source.randint(0, 300) for _ in range(3 * count)))

    @named(f"u32 {number}, u32 n, n counters")
    def counters(source, n):
        count = source.randint(1, 9)
        return le(4, number, count) + le(4, *range(n, n + count))

    @named(f"u32 {number}, u32 n, n u64 times")
    def times(source, n):
        count = source.randint(1, 4)
        return le(4, number, count) + le(8, *(1_700_000_000_000 + 10 * i for i in range(count)))


for wire_type in (18, 19, 20, 21, 22, 25, 27, 28, 29, 30, 31, 32, 33, 35, 36, 37, 38):
    sized(wire_type)


# Packed arrays of Godot 3 and 4, and the floats of each element.
def packed_layout(number, width, write=floats):
    @named(f"u32 {number}, u32 n, n records of {width} sane floats", alike="a packed array of Godot")
    def records(source, n):
        count = source.randint(1, 6)
        return le(4, number, count) + write(*positions(source, n, width * count))

    @named(f"u32 {number}, u32 n, n records of {width} denormal floats")
    def denormal(source, n):
        count = source.randint(1, 6)
        return le(4, number, count) + le(4, *(source.randint(1, 900) for _ in range(width * count)))


for wire_type, length in {22: 1, 24: 2, 25: 3, 26: 4, 32: 1, 35: 2, 36: 3, 37: 4, 38: 4}.items():
    packed_layout(wire_type, length)


@named("u32 4, u32 length, text filled up to a word", alike="a String of Godot")
def godot_text(source, n):
    text = letters(source, source.randint(2, 30))
    return le(4, 4, len(text)) + padded(text)


@named("u32 15, u32 length, random bytes filled up to a word")
def image_or_path(source, n):
    data = source.randbytes(source.randint(1, 40))
    return le(4, 15, len(data)) + padded(data)


@named("u32 3, float")
def one_float(source, n):
    return le(4, 3) + floats(*positions(source, n, 1))


@named("u32 0x10003, double", alike="a 64-bit float of Godot")
def one_double(source, n):
    return le(4, 0x10003) + doubles(*positions(source, n, 1))


@named("u32 0x10002, u64 time")
def wide_time(source, n):
    return le(4, 0x10002) + le(8, 1_700_000_000_000 + 50 * n)


@named("19, 3, zeros: an array of nils")
def nils_19(source, n):
    return le(4, 19, 3) + bytes(12)


@named("28, n, zeros: an array of nils")
def nils_28(source, n):
    return le(4, 28, n % 5 + 1) + bytes(4 * (n % 5 + 1))


@named("18, 2, zeros: a dictionary with one key twice")
def nil_keys_18(source, n):
    return le(4, 18, 2) + bytes(16)


@named("27, n, zeros: a dictionary with one key n times")
def nil_keys_27(source, n):
    return le(4, 27, n % 3 + 2) + bytes(8 * (n % 3 + 2))


@named("28, 2, pairs of small types and counters")
def pairs_28(source, n):
    return le(4, 28, 2, 2, n, 2, n + 1)


@named("u32 type by turns, 3 sane floats")
def types_by_turns(source, n):
    return le(4, source.choice((5, 6, 7, 8, 9, 10, 11, 12))) + floats(*positions(source, n, 3))


# ---- named: Leviathan ------------------------------------------------------------------------------------


@named("La, 1, u32 counter")
def la_one(source, n):
    return b"La\x01" + be(4, n + 1)


@named("La, 1, u32 little counter")
def la_one_little(source, n):
    return b"La\x01" + le(4, n + 1)


@named("La, n, n random u32")
def la_many(source, n):
    count = source.randint(1, 4)
    return b"La" + bytes([count]) + source.randbytes(4 * count)


@named("Ln, u32 counter, zeros")
def ln_zeros(source, n):
    return b"Ln" + be(4, n + 1) + bytes(5)


@named("Ln, little counter, zeros")
def ln_little_zeros(source, n):
    return b"Ln" + le(4, n + 1) + bytes(5)


@named("Ln, u32 counter, u32 counter, u8 0")
def ln_two_counters(source, n):
    return b"Ln" + be(4, n + 1, n) + b"\0"


@named("Ln, u32 counter, u32 counter, text")
def ln_text(source, n):
    return b"Ln" + be(4, n + 1, n) + letters(source, 12)


@named("Ln, text")
def ln_word(source, n):
    return b"Ln" + letters(source, source.randint(4, 40))


@named("Ln, u16 length, bytes")
def ln_length(source, n):
    data = source.randbytes(source.randint(4, 40))
    return b"Ln" + be(2, len(data)) + data


@named("Ln, u32 0, u32 0, u8 n, n zero bytes")
def ln_zero_counts(source, n):
    return b"Ln" + bytes(8) + bytes([n % 9]) + bytes(4 * (n % 9))


# ---- named: Squirrel and RakNet --------------------------------------------------------------------------


@named("67 01000000 6f, each packet the same")
def tag_67(source, n):
    return b"\x67" + le(4, 1) + b"\x6f"


def tagged(tag, order):
    write = {"little": le, "big": be}[order]

    @named(f"u8 {tag:#04x}, exact u32 {order} length, 1 to 6 letters")
    def short_text(source, n):
        text = letters(source, source.randint(1, 6))
        return bytes([tag]) + write(4, len(text)) + text

    @named(f"u8 {tag:#04x}, exact u32 {order} length, text")
    def text(source, n):
        text = letters(source, source.randint(8, 60))
        return bytes([tag]) + write(4, len(text)) + text

    @named(f"u8 {tag:#04x}, exact u32 {order} length, random bytes")
    def noise(source, n):
        data = source.randbytes(source.randint(1, 60))
        return bytes([tag]) + write(4, len(data)) + data


for letter in (0x2B, 0x5F, 0x61, 0x63, 0x65, 0x66, 0x67, 0x69, 0x6A, 0x6F, 0x72, 0x73, 0x74, 0x76, 0x77, 0x79, 0xE1, 0xE3):
    tagged(letter, "little")
for letter in (0x61, 0x67, 0x73):
    tagged(letter, "big")


@named("one letter, each packet the same")
def one_letter(source, n):
    return b"o"


@named("one letter by turns")
def letters_by_turns(source, n):
    return source.choice((b"o", b"n", b"t", b"f", b"z"))


@named("u8 0x62, u8 0 or 1")
def letter_and_flag(source, n):
    return b"b" + bytes([n % 2])


@named("u8 0x69, u32 counter")
def letter_and_counter(source, n):
    return b"i" + le(4, n)


@named("u8 0x84, u24 little counter, u8 0x40, u16 bits, text")
def like_raknet(source, n):
    text = letters(source, 20)
    return b"\x84" + le(3, n) + b"\x40" + be(2, 8 * len(text)) + le(3, n) + text


@named("u8 0x80, u24 little counter, random bytes")
def like_raknet_noise(source, n):
    return b"\x80" + le(3, n) + source.randbytes(40)


# ---- named: ENet -----------------------------------------------------------------------------------------


@named("u16 peer with flags, u16 time, random bytes")
def like_enet(source, n):
    return be(2, 0x8000 + n % 4, 20 * n) + source.randbytes(20)


@named("u16 0, u16 time, u8 small, u8 0, u16 counter, u16 length, text")
def like_enet_send(source, n):
    text = letters(source, 20)
    return be(2, 0x8000, 20 * n) + bytes([n % 13 + 1, 0]) + be(2, n + 1, len(text)) + text


@named("u16 counter, u16 type, u16 length, bytes")
def like_enet_small(source, n):
    data = source.randbytes(16)
    return be(2, n, source.randint(0, 12), len(data)) + data


def small_words(count, *bytes_of_word):
    """Datagrams that repeat one word: its bytes, some of which may be functions of a packet's number."""

    def maker(source, n):
        return bytes(b(n) if callable(b) else b for b in bytes_of_word) * count

    return maker


def changing(n):
    return n % 251


for times, word in ((21, (1, 0)), (42, (1,)), (5, (1, changing)), (21, (1, changing)), (9, (1, 7)), (25, (7, 0))):
    digits = " ".join("n" if callable(b) else f"{b:02x}" for b in word)
    named(f"{digits}, {times} times")(small_words(times, *word))


@named("records of u8 1, u8 id, u16 x, u16 x, u16 30")
def equal_coordinates(source, n):
    return be(2, 5) + b"".join(bytes([1, i]) + be(2, 100, 100, 30) for i in range(5))


@named("records of u8 1, u8 id, u16 x, u16 x, u16 counter")
def equal_coordinates_and_a_counter(source, n):
    return be(2, 5) + b"".join(bytes([1, i]) + be(2, 100, 100, n) for i in range(5))


@named("u16 counter by threes, u8 7, zeros, u16 counter, u16 length, text")
def a_counter_as_peer(source, n):
    return be(2, 3 * n) + b"\7\0\0\0" + be(2, n) + be(2, 3) + b"abc"


# ---- named: text and serialized --------------------------------------------------------------------------


@named("JSON")
def json_text(source, n):
    return b'{"cmd":"move","seq":%d,"pos":[%.2f,%.2f]}' % (n, source.uniform(0, 9), source.uniform(0, 9))


@named("key=value lines")
def key_values(source, n):
    return b"seq=%d\nname=%s\nhp=%d\n" % (n, letters(source, 6), source.randint(0, 100))


@named("commands in words")
def commands(source, n):
    return b"%s %d %d\n" % (source.choice((b"move", b"say", b"get", b"null", b"one")), n, source.randint(0, 99))


@named("MessagePack map")
def message_pack(source, n):
    return b"\x82\xa3seq" + b"\xcd" + be(2, n) + b"\xa4name" + b"\xa5" + letters(source, 5)


@named("CBOR map")
def cbor(source, n):
    return b"\xa2\x63seq\x19" + be(2, n) + b"\x64name\x65" + letters(source, 5)


@named("protobuf fields")
def protobuf(source, n):
    return b"\x08" + bytes([n % 128]) + b"\x12\x05" + letters(source, 5) + b"\x1d" + floats(source.uniform(0, 9))


@named("BSON document")
def bson(source, n):
    body = b"\x10seq\0" + le(4, n) + b"\x02name\0" + le(4, 6) + letters(source, 5) + b"\0\0"
    return le(4, len(body) + 4) + body


@named("FlatBuffers-like offsets")
def flat(source, n):
    return le(4, 16) + le(2, 8, 12, 4, 8) + le(4, 8, n) + floats(*positions(source, n, 3))


# ---- composed --------------------------------------------------------------------------------------------

# Each determines its constants once for a conversation, and returns a function of a packet's number.


def number_head(size, write, choices):
    def draw(source):
        number = source.choice(choices)
        return lambda n: write(size, number)

    return draw


def changing_head(size, write, choices):
    def draw(source):
        few = source.sample(choices, min(4, len(choices)))
        return lambda n: write(size, source.choice(few))

    return draw


def magic_head(size):
    def draw(source):
        magic = source.choice((letters(source, size), source.randbytes(size)))
        return lambda n: magic

    return draw


SMALL = list(range(40))
TAGS = [*range(0x20, 0x80), 0xE1, 0xE2, 0xE3, 0x80, 0x84, 0x88]
HEADS = {
    "u8 type": number_head(1, le, SMALL),
    "u8 tag": number_head(1, le, TAGS),
    "u8 types": changing_head(1, le, SMALL),
    "u8 tags": changing_head(1, le, TAGS),
    "u16 type": number_head(2, le, SMALL),
    "u16 big type": number_head(2, be, SMALL),
    "u16 types": changing_head(2, le, SMALL),
    "u32 type": number_head(4, le, SMALL),
    "u32 types": changing_head(4, le, SMALL),
    "u32 big type": number_head(4, be, SMALL),
    "u32 type with flags": number_head(4, le, [number | 0x10000 for number in SMALL]),
    "magic of 2": magic_head(2),
    "magic of 4": magic_head(4),
}


def counter_middle(size, write):
    def draw(source):
        first, step = source.choice((0, 1, 1000, source.getrandbits(8 * size - 1))), source.choice((1, 1, 1, 2, 3))
        return lambda n: write(size, first + step * n)

    return draw


def clock_middle(size, write, start, step):
    def draw(source):
        first = start + source.randint(0, 10_000)
        return lambda n: write(size, first + step * n + source.randint(0, 3))

    return draw


def join(*makers):
    def draw(source):
        parts = [maker(source) for maker in makers]
        return lambda n: b"".join(part(n) for part in parts)

    return draw


def id_middle(size):
    def draw(source):
        identifier = source.choice((source.randbytes(size), le(size, source.randint(1, 30))))
        return lambda n: identifier

    return draw


MIDDLES = {
    "u8 counter": counter_middle(1, le),
    "u16 counter": counter_middle(2, le),
    "u16 big counter": counter_middle(2, be),
    "u32 counter": counter_middle(4, le),
    "u32 big counter": counter_middle(4, be),
    "u64 counter": counter_middle(8, le),
    "u32 milliseconds": clock_middle(4, le, 20_000, 50),
    "u32 seconds": clock_middle(4, le, 1_700_000_000, 1),
    "u64 milliseconds": clock_middle(8, le, 1_700_000_000_000, 50),
    "u64 big microseconds": clock_middle(8, be, 1_700_000_000_000_000, 50_000),
    "u32 id": id_middle(4),
    "u32 id, u32 counter": join(id_middle(4), counter_middle(4, le)),
    "u32 counter, u32 counter": join(counter_middle(4, le), counter_middle(4, le)),
    "u32 counter, u32 milliseconds": join(counter_middle(4, le), clock_middle(4, le, 20_000, 50)),
    "u64 id": id_middle(8),
}


def body(maker):
    return lambda source: lambda n: maker(source, n)


def prefixed(size, write, make, terminated=False, fill=False):
    def maker(source, n):
        data = make(source) + (b"\0" if terminated else b"")
        return write(size, len(data)) + (padded(data) if fill else data)

    return body(maker)


def some_text(source):
    return letters(source, source.randint(1, 30))


def some_bytes(source):
    return source.randbytes(source.randint(1, 40))


def record_list(size, write, record):
    def draw(source):
        wide = source.choice((4, 6, 8, 12, 16, 20))
        return lambda n: (lambda count: write(size, count) + b"".join(record(source, n, wide) for _ in range(count)))(
            source.randint(0, 5)
        )

    return draw


def small_record(source, n, wide):
    return le(2, *(source.randint(0, 400) for _ in range(wide // 2)))


def float_record(source, n, wide):
    return padded(floats(*positions(source, n, wide // 4)))


BODIES = {
    "zeros": body(lambda source, n: bytes(4 * source.choice((1, 2, 3, 4, 6, 9, 12, 16)))),
    "positions": body(lambda source, n: floats(*positions(source, n, source.choice((2, 3, 4, 6))))),
    "doubles": body(lambda source, n: doubles(*positions(source, n, 3))),
    "denormal floats": body(lambda source, n: le(4, *(source.randint(1, 900) for _ in range(6)))),
    "small integers": body(lambda source, n: le(4, *(source.randint(0, 900) for _ in range(source.randint(1, 8))))),
    "u8 length, text": prefixed(1, le, some_text),
    "u16 length, text": prefixed(2, le, some_text),
    "u16 big length, text": prefixed(2, be, some_text),
    "u32 length, text": prefixed(4, le, some_text),
    "u32 length, text ending in 0": prefixed(4, le, some_text, terminated=True),
    "u32 length, text filled up": prefixed(4, le, some_text, fill=True),
    "u32 big length, text": prefixed(4, be, some_text),
    "u32 length, bytes": prefixed(4, le, some_bytes),
    "u32 length, bytes filled up": prefixed(4, le, some_bytes, fill=True),
    "u16 big length, bytes": prefixed(2, be, some_bytes),
    "text ending in 0": body(lambda source, n: some_text(source) + b"\0"),
    "text": body(lambda source, n: some_text(source)),
    "bytes": body(lambda source, n: some_bytes(source)),
    "u8 count, records": record_list(1, le, small_record),
    "u16 count, records": record_list(2, le, small_record),
    "u32 count, records": record_list(4, le, small_record),
    "u32 count, float records": record_list(4, le, float_record),
    "u32 big count, records": record_list(4, be, small_record),
}


def composed(source):
    """One conversation: its name and payloads."""
    head, middle, end = (source.choice(list(parts)) for parts in (HEADS, MIDDLES, BODIES))
    makers = [parts[name](source) for parts, name in ((HEADS, head), (MIDDLES, middle), (BODIES, end))]
    # A quarter has its middle first, and another quarter has no middle, unless it would then be a Variant.
    order = source.choice(([0, 1, 2], [0, 1, 2], [1, 0, 2], [0, 2]))
    if order == [0, 2] and head.startswith("u32") and "big" not in head:
        order = [0, 1, 2]
    names = [(head, middle, end)[i] for i in order]
    return ", ".join(names), [b"".join(makers[i](n) for i in order) for n in range(PACKETS)]


def conversations(seed=1):
    """(name, payloads) of each conversation."""
    made = []
    for name, maker in NAMED.items():
        source = random.Random(f"{name} {seed}")
        made += [(name, [maker(source, n) for n in range(PACKETS)]) for _ in range(OF_NAMED)]
    source = random.Random(f"composed {seed}")
    while len(made) < CONVERSATIONS:
        made.append(composed(source))
    return made


def write(path, captured=None, seed=1):
    """Writes all conversations, each between separate ports; returns the name of each packet's layout.

    With `captured`, only this number of bytes of each payload is captured.
    """
    names, packets = [], []
    options = {} if captured is None else {"captured": captured}
    for number, (name, payloads) in enumerate(conversations(seed)):
        ports = FIRST_PORT + number % PORTS, 20000 + number // PORTS
        for n, payload in enumerate(payloads):
            names.append((number, name))
            toward = ports if n % 3 else ports[::-1]
            packets.append(gamewire_tshark.Udp(*toward, payload, len(packets) / 100, options))
    gamewire_tshark.write_pcap(path, packets)
    return names


if __name__ == "__main__":
    layouts = write(sys.argv[1], seed=sys.argv[2] if len(sys.argv) > 2 else 1)
    print(f"{len(layouts)} packets of {len(set(layouts))} conversations, {len(NAMED)} named layouts")
