# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Squirrel values and remote commands: their bytes, and their Squirrel source.

Written from the format alone; it shares nothing with codecs/squirrel, so that the two can contradict each
other.
Everything is little-endian except the 16-bit length of a string.
"""

import re
import struct
from typing import NamedTuple, Optional

# The precedence of a piece of source; an operand with a lower precedence than its position requires gets parentheses.
ADDITIVE, MULTIPLICATIVE, UNARY, PRIMARY = range(4)

IDENTIFIER = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*\Z")
NAMED_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Node(NamedTuple):
    data: bytes
    source: Optional[str]               # None if Squirrel has no text for it, or no agreed one
    rank: int = PRIMARY
    key: Optional[str] = None           # the text as a table key, if it differs from [source]
    error: Optional[str] = None         # the text of an error value


def null():
    return Node(b"o", "null")


def integer(number):
    """The 32-bit form: what release 1.1.1 writes for every integer."""
    return Node(b"i" + struct.pack("<i", number), str(number), UNARY if number < 0 else PRIMARY)


def word(number):
    """The 16-bit form: what release 1.1.6 writes for every integer that fits."""
    return Node(b"w" + struct.pack("<h", number), str(number), UNARY if number < 0 else PRIMARY)


def boolean(truth):
    return Node(b"b" + bytes([truth]), "true" if truth else "false")


def single(number):
    """A number as the nearest float32, in bytes."""
    return struct.pack("<f", number)


def shortest(number):
    """The decimal with the fewest digits that reads back as the same float32; None for inf and nan."""
    if number != number or number in (float("inf"), float("-inf")):
        return None
    rounded = struct.unpack("<f", single(number))[0]
    for digits in range(1, 10):
        text = f"{rounded:.{digits}g}"
        try:
            if single(float(text)) == single(number):
                return repr(float(text))
        except OverflowError:           # FLT_MAX rounded up
            continue
    raise AssertionError("nine digits identify every float32")


def floating(number):
    text = shortest(number)
    return Node(b"f" + single(number), text, UNARY if text and text.startswith("-") else PRIMARY)


def float_bits(bits):
    """A float given by its bits, for NaNs, which no number represents."""
    return Node(b"f" + struct.pack("<I", bits), None)


def escaped(raw):
    """Bytes as a Squirrel string literal; bytes that are not UTF-8, and control characters, as \\xHH."""
    text = ""
    for char in raw.decode("utf-8", "surrogateescape"):
        code = ord(char)
        if char in NAMED_ESCAPES:
            text += NAMED_ESCAPES[char]
        elif 0xDC80 <= code <= 0xDCFF:
            text += f"\\x{code - 0xDC00:02x}"
        elif code < 0x20 or code == 0x7F:
            text += f"\\x{code:02x}"
        else:
            text += char
    return f'"{text}"'


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def bare_string(text):
    """A string without its tag: the length is the one big-endian number of the format."""
    raw = as_bytes(text)
    return struct.pack(">H", len(raw)) + raw


def string(text):
    raw = as_bytes(text)
    key = raw.decode() if IDENTIFIER.match(raw) else None
    return Node(b"s" + bare_string(raw), escaped(raw), key=key)


def error(text):
    return Node(b"e" + bare_string(text), None, error=text)


def plain(number):
    """A component of a vector: a float whose type is known, so 1 and not 1.0."""
    text = shortest(number)
    return text[:-2] if text and text.endswith(".0") else text


def components(tag, name, numbers):
    texts = [plain(number) for number in numbers]
    source = None if None in texts else f"{name}({', '.join(texts)})"
    return Node(tag + b"".join(single(number) for number in numbers), source)


def vector(x, y, z):
    return components(b"v", "Vector", (x, y, z))


def quaternion(x, y, z, w):
    return components(b"q", "Quaternion", (x, y, z, w))


def joined(nodes):
    return b"".join(node.data for node in nodes)


def sources(nodes, form):
    texts = [node.source for node in nodes]
    return None if None in texts else form.format(", ".join(texts))


def flat(pairs):
    return [node for pair in pairs for node in pair]


def table_source(pairs):
    slots = [(key.key or (key.source and f"[{key.source}]"), value.source) for key, value in pairs]
    if any(None in slot for slot in slots):
        return None
    return "{" + ", ".join(f"{key} = {value}" for key, value in slots) + "}"


def headed(tag, number, content):
    """The tag and u32 at the beginning of all containers and commands."""
    return tag + struct.pack("<I", number) + content


def array(*items):
    """Byte length: in commands, and in containers from the server."""
    content = joined(items)
    return Node(headed(b"a", len(content), content), sources(items, "[{}]"))


def table(*pairs):
    content = joined(flat(pairs))
    return Node(headed(b"t", len(content), content), table_source(pairs))


def counted_array(*items, tag=b"A"):
    """Element count: replies, as `A` from release 1.1.6 and as `a` from 1.1.1."""
    return Node(headed(tag, len(items), joined(items)), sources(items, "[{}]"))


def counted_table(*pairs, tag=b"T"):
    return Node(headed(tag, len(pairs), joined(flat(pairs))), table_source(pairs))


def counted_class(*pairs):
    return Node(headed(b"c", len(pairs), joined(flat(pairs))), None)


def blob(raw):
    return Node(headed(b"B", len(raw), raw), None)


def command(tag, name, *operands):
    content = joined(operands)
    return Node(headed(tag, len(content), content), sources(operands, name + "({})"))


def get(key):
    return command(b"g", "GetRemoteValue", key)


def get_ex(holder, key):
    return command(b"k", "GetRemoteValueEx", holder, key)


def put(key, value):
    return command(b"h", "SetRemoteValue", key, value)


def put_ex(holder, key, value):
    return command(b"j", "SetRemoteValueEx", holder, key, value)


def call(function, *arguments):
    return command(b"F", "CallRemoteFunc", function, *arguments)


def call_ex(function, environment, *arguments):
    return command(b"E", "CallRemoteFuncEx", function, environment, *arguments)


def placed(node, least):
    """An operand's source, in parentheses if its precedence is lower than its position requires."""
    if node.source is None:
        return None
    return node.source if node.rank >= least else f"({node.source})"


def binary(operator, left, right):
    rank = ADDITIVE if operator in "+-" else MULTIPLICATIVE
    texts = placed(left, rank), placed(right, rank + 1)
    content = left.data + right.data
    source = None if None in texts else f" {operator} ".join(texts)
    return Node(headed(operator.encode(), len(content), content), source, rank)


def negated(operand):
    """A sign before another sign would read as the decrement operator, hence PRIMARY."""
    text = placed(operand, PRIMARY)
    return Node(headed(b"u", len(operand.data), operand.data), text and f"-{text}", UNARY)


def raw(data):
    """Bytes that are not a value, for the malformed set."""
    return Node(data, None)
