# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Godot Variants for the tests, written from the format's description and apart from the codec.

    encode(value)                 what put_var writes for a plain Python value
    words(…), floats(…)           little-endian numbers, to write any other value by hand
    text(…)                       a length, UTF-8 and padding
    engine_text(printed)          a record's text, spelled on one line as we spell it
"""

import re
import struct

# Numbers of the types whose values encode() makes; nil to String are 0 to 4 in all generations.
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
    """The body of a String; `padding` is the byte that fills it up."""
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


# ---- what the engines print ------------------------------------------------------------------------

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPES = {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r"}


def _one_line(string):
    """The engines leave control characters as they are; we escape them as GDScript would."""
    return "".join(_ESCAPES.get(c, f"\\u{ord(c):04x}" if c < " " or c == "\x7f" else c) for c in string)


def _spelled_by_us(between_strings):
    """3.2.3 writes -inf where later versions write inf_neg, and 3.x nothing at all for a RID."""
    without_breaks = between_strings.replace("{\n", "{").replace("\n}", "}").replace(",\n", ", ").replace(")\n", ")")
    without_breaks = without_breaks.replace("{\n}", "{}").replace("\n", "")
    spelled = re.sub(r"-inf(\.0)?", "inf_neg", without_breaks)
    return re.sub(r"(?<=, )(?=, )", "RID()", spelled)


def engine_text(printed):
    """What var_to_str (4.x) or var2str (3.x) printed, as one line and with the few spellings that are ours."""
    parts, end = [], 0
    for string in _STRING.finditer(printed):
        parts += [_spelled_by_us(printed[end : string.start()]), _one_line(string.group())]
        end = string.end()
    return "".join(parts) + _spelled_by_us(printed[end:]) or "RID()"
