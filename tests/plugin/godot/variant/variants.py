# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Godot Variants for the tests, written from the format's description and independent of the codec.

    encode(value)                 the bytes that put_var writes for a plain Python value
    words(…), floats(…)           little-endian numbers, to write any other value by hand
    text(…)                       a length, UTF-8 and padding
    engine_text(printed)          a record's text, converted to the codec's one-line form
    same_text(ours, engine, 3)    whether two texts differ only in the listed ways to print a number
    same_members(ours, engine)    whether two texts of a dictionary have the same members in any order
"""

import functools
import math
import re
import struct
from collections import Counter

# Numbers of the types of values that encode() writes; nil to String are 0 to 4 in all generations.
DICTIONARY = {2: 20, 3: 18, 4: 27}
ARRAY = {2: 21, 3: 19, 4: 28}

WIDE = 1 << 16


def words(*numbers):
    return b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in numbers)


def longs(*numbers):
    return b"".join((number & (1 << 64) - 1).to_bytes(8, "little") for number in numbers)


def floats(*numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


def doubles(*numbers):
    return struct.pack(f"<{len(numbers)}d", *numbers)


def text(string, padding=0):
    """The body of a String; `padding` is the padding byte."""
    utf8 = string if isinstance(string, bytes) else string.encode()
    return words(len(utf8)) + utf8 + bytes([padding]) * (-len(utf8) % 4)


def encode(value, generation=4):
    """nil, bool, int, float, String, Array or Dictionary, as the engines of that generation write it."""
    if value is None:
        return words(0)
    if isinstance(value, bool):
        return words(1, value)
    if isinstance(value, int):
        return words(2, value) if -(2**31) <= value < 2**31 else words(2 | WIDE) + longs(value)
    if isinstance(value, float):
        exact = struct.unpack("<f", struct.pack("<f", value))[0] == value
        return words(3) + floats(value) if exact else words(3 | WIDE) + doubles(value)
    if isinstance(value, str):
        return words(4) + text(value)
    if isinstance(value, (list, tuple)):
        return words(ARRAY[generation], len(value)) + b"".join(encode(each, generation) for each in value)
    members = (part for entry in value.items() for part in entry)
    return words(DICTIONARY[generation], len(value)) + b"".join(encode(each, generation) for each in members)


# ---- text of the engines ----------------------------------------------------------------------------

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPES = {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r"}


def _one_line(string):
    """The engines print control characters unchanged; the codec escapes them as in GDScript."""
    return "".join(_ESCAPES.get(c, f"\\u{ord(c):04x}" if c < " " or c == "\x7f" else c) for c in string)


def _spelled_by_us(between_strings):
    """3.2.3 prints -inf where later versions print inf_neg, and 3.x prints nothing for a RID."""
    without_breaks = between_strings.replace("{\n", "{").replace("\n}", "}").replace(",\n", ", ").replace(")\n", ")")
    without_breaks = without_breaks.replace("{\n}", "{}").replace("\n", "")
    spelled = re.sub(r"-inf(\.0)?", "inf_neg", without_breaks)
    return re.sub(r"(?<=, )(?=, )", "RID()", spelled)


@functools.lru_cache(maxsize=None)
def engine_text(printed):
    """The output of var_to_str (4.x) or var2str (3.x) in the codec's form, on one line."""
    parts, end = [], 0
    for string in _STRING.finditer(printed):
        parts += [_spelled_by_us(printed[end : string.start()]), _one_line(string.group())]
        end = string.end()
    return "".join(parts) + _spelled_by_us(printed[end:]) or "RID()"


# Numbers outside of texts. Types such as Vector2 end in digits too.
_NUMBER = re.compile(_STRING.pattern + r"|(?<![A-Za-z_0-9])(-?\d[\d.]*(?:e[+-]\d+)?|inf_neg|inf)")


@functools.lru_cache(maxsize=None)
def _parts(text):
    """The text between the numbers of a value's text, and the numbers."""
    between, numbers, end = [], [], 0
    for match in _NUMBER.finditer(text):
        if match[1] is not None:
            between.append(text[end : match.start()])
            numbers.append(match[1])
            end = match.end()
    return between + [text[end:]], numbers


def _as_float(number):
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


def _is_negative_zero(ours, engine):
    """Engines do not print the sign of a zero that they sent."""
    return ours == "-" + engine and float(ours) == 0


def _is_rounded(ours, engine):
    """Godot 3 prints floats of 32 bits, rounded to six digits, regardless of what it sent."""
    rounded = "%g" % _as_float(float(ours))
    return engine.removesuffix(".0") == {"-inf": "inf_neg"}.get(rounded, rounded)


def same_text(ours, engine, generation):
    """True if two texts of a value differ only in the listed ways to print a number."""
    (between, numbers), (between_engine, numbers_engine) = _parts(ours), _parts(engine)
    return between == between_engine and all(
        one == other or _is_negative_zero(one, other) or (generation == 3 and _is_rounded(one, other))
        for one, other in zip(numbers, numbers_engine))


def same_beginning(ours, engine, generation):
    """The same for the beginning of a text, whose last number may be truncated."""
    (between, numbers), (between_engine, numbers_engine) = _parts(ours), _parts(engine)
    if len(numbers) <= 1:
        return engine.startswith(ours)
    count = len(numbers) - 1
    rejoined = [text for pair in zip(between_engine, numbers_engine) for text in pair][: 2 * count]
    kept = [text for pair in zip(between, numbers) for text in pair][: 2 * count]
    return same_text("".join(kept), "".join(rejoined), generation)


def same_members(ours, engine):
    """The engines print the members of a dictionary sorted by key, and send them in the order of insertion."""
    token = re.compile(r'"[^"]*"|[^\s,:{}()\[\]]+')
    rest = Counter(token.findall(engine))
    if ours.endswith("…"):
        return not Counter(token.findall(ours[: ours.rindex("}")])) - rest
    return Counter(token.findall(ours)) == rest
