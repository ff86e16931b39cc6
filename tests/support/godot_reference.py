# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A second decoder of Godot 3 and 4 Variants, to compare ours with. It was written from the format's description, knows
nothing of the codec, and makes no attempt to be fast or to survive malformed bytes.

    decode(payload, generation)    the Value that a payload is

A Value has the field that a dissector should show it in, what the field should hold, the value's own bytes, its text,
and what is in it.
"""

import math
import struct
from typing import Any, NamedTuple

# Numbers of the types, as the field that is named after Godot 4's name of each.
COMMON = ["nil", "bool", "int", "float", "string", "vector2"]
FIELDS = {
    3: COMMON + ["rect2", "vector3", "transform2d", "plane", "quaternion", "aabb", "basis", "transform3d", "color",
                 "node_path", "rid", "object", "dictionary", "array", "packed_byte_array", "packed_int32_array",
                 "packed_float32_array", "packed_string_array", "packed_vector2_array", "packed_vector3_array",
                 "packed_color_array"],
    4: COMMON + ["vector2i", "rect2", "rect2i", "vector3", "vector3i", "transform2d", "vector4", "vector4i", "plane",
                 "quaternion", "aabb", "basis", "transform3d", "projection", "color", "string_name", "node_path", "rid",
                 "object", "callable", "signal", "dictionary", "array", "packed_byte_array", "packed_int32_array",
                 "packed_int64_array", "packed_float32_array", "packed_float64_array", "packed_string_array",
                 "packed_vector2_array", "packed_vector3_array", "packed_color_array", "packed_vector4_array"],
}

# The names of types in the generations.
NAMES = {
    3: "Nil bool int float String Vector2 Rect2 Vector3 Transform2D Plane Quat AABB Basis Transform Color NodePath RID "
       "Object Dictionary Array PoolByteArray PoolIntArray PoolRealArray PoolStringArray PoolVector2Array "
       "PoolVector3Array PoolColorArray".split(),
    4: "Nil bool int float String Vector2 Vector2i Rect2 Rect2i Vector3 Vector3i Transform2D Vector4 Vector4i Plane "
       "Quaternion AABB Basis Transform3D Projection Color StringName NodePath RID Object Callable Signal Dictionary "
       "Array PackedByteArray PackedInt32Array PackedInt64Array PackedFloat32Array PackedFloat64Array "
       "PackedStringArray PackedVector2Array PackedVector3Array PackedColorArray PackedVector4Array".split(),
}

# The number of numbers in a value, or in an element of a packed array.
NUMBERS = {
    "vector2": 2, "rect2": 4, "vector3": 3, "transform2d": 6, "vector4": 4, "plane": 4, "quaternion": 4, "aabb": 6,
    "basis": 9, "transform3d": 12, "projection": 16, "color": 4,
    "vector2i": 2, "rect2i": 4, "vector3i": 3, "vector4i": 4,
    "packed_byte_array": 1, "packed_int32_array": 1, "packed_int64_array": 1, "packed_float32_array": 1,
    "packed_float64_array": 1, "packed_vector2_array": 2, "packed_vector3_array": 3, "packed_color_array": 4,
    "packed_vector4_array": 4,
}
INTEGERS = {"vector2i": "i", "rect2i": "i", "vector3i": "i", "vector4i": "i", "packed_byte_array": "B",
            "packed_int32_array": "i", "packed_int64_array": "q"}
ALWAYS_SINGLE = {"color", "packed_color_array", "packed_float32_array"}

WIDE = 1 << 16


class Value(NamedTuple):
    field: str       # below godot.
    held: Any        # a number, bool, str or bytes; None where the field holds nothing
    start: int       # the value's bytes, or its header if it has no others; a container's header
    size: int        # of a container, with all of its contents
    text: str
    members: tuple   # (step of the path, Value), without keys
    numbers: tuple   # of a vector and its like, and of a packed array: (number, start, size)


# ---- texts ------------------------------------------------------------------------------------------

ESCAPES = {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r", '"': '\\"',
           "\\": "\\\\"}


def quoted(data):
    """Text in double quotes, on one line; bytes that are not UTF-8 in hexadecimal."""
    escaped = []
    for character in data.decode("utf-8", "surrogateescape"):
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:
            escaped.append(f"\\x{code - 0xDC00:02x}")
        elif code < 0x20 or 0x7F <= code < 0xA0 or code in (0x2028, 0x2029):
            escaped.append(ESCAPES.get(character, f"\\u{code:04x}"))
        else:
            escaped.append(ESCAPES.get(character, character))
    return '"' + "".join(escaped) + '"'


def single(number):
    """The float that is nearest to a double."""
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


def shortest(number, is_single):
    """The fewest digits that read back as the same float or double."""
    if number != number:
        return "nan"
    if number in (float("inf"), float("-inf")):
        return "inf" if number > 0 else "inf_neg"
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    digits = repr(number)
    if is_single:
        digits = next(text for text in (f"{number:.{count}e}" for count in range(9)) if single(float(text)) == number)
    sign = "-" if digits.startswith("-") else ""
    mantissa, exponent = scientific(digits.lstrip("-"))
    if not -4 <= exponent <= 14:
        fraction = "." + mantissa[1:] if len(mantissa) > 1 else ""
        return f"{sign}{mantissa[0]}{fraction}e{exponent:+03d}"
    if exponent < 0:
        return sign + "0." + "0" * (-exponent - 1) + mantissa
    whole = mantissa[: exponent + 1].ljust(exponent + 1, "0")
    return sign + whole + ("." + mantissa[exponent + 1 :] if mantissa[exponent + 1 :] else "")


def scientific(digits):
    """("125", 3) for any form of 1250."""
    mantissa, _, exponent = digits.partition("e")
    whole, _, fraction = mantissa.partition(".")
    significant = (whole + fraction).lstrip("0")
    zeros = len(whole + fraction) - len(significant)
    return significant.rstrip("0"), int(exponent or 0) + len(whole) - 1 - zeros


def decimal(number, is_single):
    """The value of a field: for a float the double that its text represents."""
    return float(shortest(number, True)) if is_single and math.isfinite(number) else number


# ---- reading ----------------------------------------------------------------------------------------


class Reader:
    def __init__(self, payload, generation):
        self.payload = payload
        self.generation = generation
        self.at = 0

    def word(self):
        self.at += 4
        return struct.unpack_from("<I", self.payload, self.at - 4)[0]

    def sized(self):
        """(bytes, their offset) of a length, bytes and padding."""
        length = self.word()
        start = self.at
        self.at += (length + 3) & ~3
        return self.payload[start : start + length], start

    def spaced(self, name, inside):
        blank = "" if self.generation == 4 else " "
        return f"{name}({blank}{inside}{blank})"

    def value(self):
        begin = self.at
        header = self.word()
        field = FIELDS[self.generation][header & 0xFF]
        name = NAMES[self.generation][header & 0xFF]
        if field in NUMBERS:
            return self.numbers(begin, field, name, header)
        return getattr(self, field)(begin, header)

    def numbers(self, begin, field, name, header):
        is_packed = field.startswith("packed_")
        count = NUMBERS[field] * (self.word() if is_packed else 1)
        is_wide = header & WIDE and self.generation == 4 and field not in ALWAYS_SINGLE
        kind = INTEGERS.get(field) or ("d" if is_wide or field == "packed_float64_array" else "f")
        size = struct.calcsize("<" + kind)
        start = self.at
        found = struct.unpack_from(f"<{count}{kind}", self.payload, start)
        self.at += (count * size + 3) & ~3
        texts = [str(number) if field in INTEGERS else shortest(number, kind == "f") for number in found]
        held = [number if field in INTEGERS else decimal(number, kind == "f") for number in found]
        own = (start, count * size) if count else (begin, start - begin)
        parts = tuple((number, start + i * size, size) for i, number in enumerate(held))
        value = bytes(found) if field == "packed_byte_array" else None
        return Value(field, value, *own, self.spaced(name, ", ".join(texts)), (),
                     () if field == "packed_byte_array" else parts)

    def nil(self, begin, _header):
        return Value("nil", None, begin, 4, "null", (), ())

    def bool(self, _begin, _header):
        value = self.word() != 0
        return Value("bool", value, self.at - 4, 4, "true" if value else "false", (), ())

    def int(self, _begin, header):
        kind, size = ("<q", 8) if header & WIDE else ("<i", 4)
        value = struct.unpack_from(kind, self.payload, self.at)[0]
        self.at += size
        return Value("int", value, self.at - size, size, str(value), (), ())

    def float(self, _begin, header):
        kind, size = ("<d", 8) if header & WIDE else ("<f", 4)
        value = struct.unpack_from(kind, self.payload, self.at)[0]
        self.at += size
        text = shortest(value, size == 4)
        text += "" if set(text) & set(".einf") else ".0"
        return Value("float", decimal(value, size == 4), self.at - size, size, text, (), ())

    def string_value(self, field, begin, mark):
        data, start = self.sized()
        own = (start, len(data)) if data else (begin, start - begin)
        return Value(field, data.decode("utf-8", "replace"), *own, mark + quoted(data), (), ())

    def string(self, begin, _header):
        return self.string_value("string", begin, "")

    def string_name(self, begin, _header):
        return self.string_value("string_name", begin, "&")

    def node_path(self, begin, _header):
        names, subnames, flags = self.word() & 0x7FFFFFFF, self.word(), self.word()
        start = self.at
        parts = [quoted(self.sized()[0])[1:-1] for _ in range(names)]
        ends = [quoted(self.sized()[0])[1:-1] for _ in range(subnames + (flags >> 1 & 1))]
        path = "/" * (flags & 1) + "/".join(parts) + "".join(":" + end for end in ends)
        own = (start, self.at - start) if self.at > start else (begin, start - begin)
        return Value("node_path", path, *own, f'NodePath("{path}")', (), ())

    def rid(self, begin, _header):
        if self.generation == 3:
            return Value("rid", 0, begin, 4, "RID()", (), ())
        number = struct.unpack_from("<Q", self.payload, self.at)[0]
        self.at += 8
        return Value("rid", number, self.at - 8, 8, f"RID({number or ''})", (), ())

    def object(self, begin, header):
        if header & WIDE:
            number = struct.unpack_from("<q", self.payload, self.at)[0]
            self.at += 8
            text = f'Object(EncodedObjectAsID,"object_id":{number})' if number else "null"
            return Value("object", None, self.at - 8, 8, text, (), ())
        name, _ = self.sized()
        members, texts = [], ["Object(" + quoted(name)[1:-1]]
        for _ in range(self.word()):
            key = quoted(self.sized()[0])
            members.append((f"[{key}]", self.value()))
            texts.append(f"{key}:{members[-1][1].text}")
        return Value("object", None, begin, self.at - begin, ",".join(texts) + ")", tuple(members), ())

    def callable(self, begin, _header):
        return Value("callable", None, begin, 4, "Callable()", (), ())

    def signal(self, _begin, _header):
        name, start = self.sized()
        number = struct.unpack_from("<q", self.payload, self.at)[0]
        self.at += 8
        inside = f'Object(EncodedObjectAsID,"object_id":{number}), &{quoted(name)}' if name or number else ""
        return Value("signal", name.decode("utf-8", "replace"), start, self.at - start, f"Signal({inside})", (), ())

    def declaration(self, kind):
        if kind == 0:
            return "Variant"
        if kind == 1:
            return NAMES[4][self.word()]
        text = quoted(self.sized()[0])
        return text[1:-1] if kind == 2 else f"Resource({text})"

    def array(self, begin, header):
        kind = header >> 16 & 3 if self.generation == 4 else 0
        declared = self.declaration(kind)
        members = tuple((f"[{i}]", self.value()) for i in range(self.word() & 0x7FFFFFFF))
        blank = "" if self.generation == 4 else " "
        text = f"[{blank}{', '.join(member.text for _, member in members)}{blank}]"
        text = f"Array[{declared}]({text})" if kind else text
        return Value("array", None, begin, self.at - begin, text, members, ())

    def dictionary(self, begin, header):
        kinds = (header >> 16 & 3, header >> 18 & 3) if self.generation == 4 else (0, 0)
        declared = [self.declaration(kind) for kind in kinds]
        entries = [(self.value(), self.value()) for _ in range(self.word() & 0x7FFFFFFF)]
        text = "{" + ", ".join(f"{key.text}: {value.text}" for key, value in entries) + "}"
        text = f"Dictionary[{', '.join(declared)}]({text})" if any(kinds) else text
        members = tuple((f"[{key.text}]", value) for key, value in entries)
        return Value("dictionary", None, begin, self.at - begin, text, members, ())

    def packed_string_array(self, begin, _header):
        count = self.word()
        start = self.at
        texts = [self.sized()[0].removesuffix(b"\0") for _ in range(count)]
        own = (start, self.at - start) if count else (begin, start - begin)
        name = "PackedStringArray" if self.generation == 4 else "PoolStringArray"
        return Value("packed_string_array", None, *own, self.spaced(name, ", ".join(map(quoted, texts))), (), ())



def decode(payload, generation):
    return Reader(payload, generation).value()


def all_values(value, path="."):
    """(path, Value) of a value and all values in it, in the order of the bytes; keys are not values of a document."""
    yield path, value
    for step, member in value.members:
        yield from all_values(member, ("" if path == "." else path) + step)
