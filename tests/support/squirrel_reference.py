# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A second decoder of Squirrel script data, written from the format's description and sharing nothing with the codec.

decode_frame() and decode_value() give nodes with the byte range of each value; Streams puts chunks together, RakNet
takes messages out of datagrams; parse_source() reads Squirrel source text back into what the nodes say, and refuses
what a Squirrel compiler would refuse.
"""

import math
import struct
from typing import Any, NamedTuple

COMMANDS = {  # tag: name, number of operands (None: all up to the end of L)
    "g": ("GetRemoteValue", 1), "k": ("GetRemoteValueEx", 2), "h": ("SetRemoteValue", 2), "j": ("SetRemoteValueEx", 3),
    "F": ("CallRemoteFunc", None), "E": ("CallRemoteFuncEx", None),
    "+": ("+", 2), "-": ("-", 2), "*": ("*", 2), "/": ("/", 2), "%": ("%", 2), "u": ("-", 1),
}

# Low byte of the identifier: name, what follows. p player, t token, v value, d two values, s bare string, x chunk
FRAMES = {
    0xE1: ("RemoteExecute", "v"), 0xE2: ("RemoteExecuteSpecial", "tv"), 0xE3: ("Reply", "tv"),
    0xE4: ("CompileString", "s"), 0xE5: ("RPrint", "s"), 0xE6: ("PeerExec", "pv"), 0xE7: ("SendResultToPeer", "ptv"), 0xE8: ("ResultFromPeer", "ptv"),
    0xE9: ("PeerExecSpecial", "ptv"), 0xEA: ("PeerExecHere", "pv"), 0xEB: ("PeerExecHere2", "ptv"),
    0xEC: ("SplitStream", "x"), 0xED: ("SplitStreamFromServer", "x"), 0xEE: ("ClientData", "d"),
    0xEF: ("LoadNutFile", "ts"), 0xF0: ("NutFileLoaded", "tv"), 0xF1: ("Exec", "v"), 0xF2: ("ExecSpecial", "tv"), 0xF3: ("ResultFromServer", "tv"),
}


DEEPEST = 64  # levels; deeper values are not compared


class Bad(ValueError):
    """The bytes are not valid script data."""


class Node(NamedTuple):
    tag: str
    start: int
    end: int
    value: Any  # of scalars
    inner: tuple = ()


class Chunk(NamedTuple):
    sequence: int
    index: int
    total: int
    payload: bytes


class Frame(NamedTuple):
    name: str
    player: Any
    token: Any
    nodes: tuple
    chunk: Any = None


# ---- values ----------------------------------------------------------------------------------------------


def _number(form, data, at):
    size = struct.calcsize(form)
    if at + size > len(data):
        raise Bad("cut")
    return struct.unpack_from(form, data, at)[0], at + size


def _bytes(data, at, length):
    if at + length > len(data):
        raise Bad("cut")
    return data[at:at + length], at + length


def _string(data, at):
    length, at = _number(">H", data, at)
    return _bytes(data, at, length)


def _many(data, at, counts, enough, level):
    inner = []
    if level > DEEPEST:
        raise Bad("depth")
    while not enough(at, len(inner)):
        node = _value(data, at, counts, level)
        inner.append(node)
        at = node.end
    return tuple(inner), at


def _value(data, start, counts, level=0):
    if start >= len(data):
        raise Bad("no value")
    tag, at = chr(data[start]), start + 1
    simple = {"i": "<i", "w": "<h", "f": "<f"}
    if tag == "o":
        return Node(tag, start, at, None)
    if tag in simple:
        value, at = _number(simple[tag], data, at)
    elif tag == "b":
        value, at = _number("B", data, at)
        if value > 1:
            raise Bad("bool")
        value = bool(value)
    elif tag in "se":
        value, at = _string(data, at)
    elif tag in "vq":
        count = 3 if tag == "v" else 4
        raw, at = _bytes(data, at, 4 * count)
        value = struct.unpack(f"<{count}f", raw)
    elif tag == "B":
        length, at = _number("<I", data, at)
        value, at = _bytes(data, at, length)
    elif tag in "atATc" or tag in COMMANDS:
        return _compound(data, start, tag, counts, level + 1)
    else:
        raise Bad(f"tag {tag!r}")
    return Node(tag, start, at, value)


def _compound(data, start, tag, counts, level):
    number, at = _number("<I", data, start + 1)
    content = at
    if tag in "ATc" or (tag in "at" and counts):
        wanted = number * (2 if tag in "tTc" else 1)
        inner, at = _many(data, at, counts, lambda _, have: have == wanted, level)
    else:
        inner, at = _many(data, at, counts, lambda where, _: where >= content + number, level)
        if at != content + number:
            raise Bad("length")
        if tag == "t" and len(inner) % 2:
            raise Bad("pairs")
        wanted = COMMANDS.get(tag, ("", len(inner)))[1]
        least = {"F": 1, "E": 2}.get(tag, wanted)
        if len(inner) < least or (wanted is not None and len(inner) != wanted):
            raise Bad("operands")
    return Node(tag, start, at, None, inner)


def decode_value(data, start=0, reply=False):
    """One value that ends with the data. In replies of release 1.1.1 lower case has a count, elsewhere a length."""
    last = None
    for counts in (reply, not reply):
        try:
            node = _value(data, start, counts)
            if node.end == len(data):
                return node
            last = Bad("left over")
        except Bad as bad:
            last = bad
    raise last


def decode_frame(data):
    """A frame from its identifier on. Byte ranges are those in `data`."""
    if len(data) < 4 or data[1:4] != b"\xff\xff\x40" or data[0] not in FRAMES:
        raise Bad("identifier")
    name, layout = FRAMES[data[0]]
    player = token = chunk = None
    nodes, at = (), 4
    for part in layout:
        if part == "p":
            player, at = _number("B", data, at)
        elif part == "t":
            token, at = _number("<i", data, at)
        elif part == "s":
            text, end = _string(data, at)
            if end != len(data):
                raise Bad("left over")
            nodes = (Node("script", at, end, text),)
        elif part == "v":
            nodes = (decode_value(data, at, name == "Reply"),)
        elif part == "d":
            first = _value(data, at, False)
            nodes = (first, decode_value(data, first.end))
        else:
            numbers = struct.unpack_from("<IIIH", data, at) if len(data) >= 18 else (0, 0, 0, 1)
            chunk = Chunk(*numbers[:3], data[18:])
            if numbers[3] != len(chunk.payload) or chunk.index >= chunk.total:
                raise Bad("chunk")
    return Frame(name, player, token, nodes, chunk)


def flat(node):
    """The node and its descendants, in the order of their first bytes."""
    yield node
    for inner in node.inner:
        yield from flat(inner)


class Streams:
    """Split streams of one capture: add() returns the whole script data if a chunk completes it."""

    def __init__(self):
        self.streams = {}

    def add(self, sender, chunk):
        key = (sender, chunk.sequence)
        known = self.streams.get(key)
        same = known and known.get(chunk.index) == chunk.payload and known["total"] == chunk.total
        if same and len(known) <= chunk.total:
            return None  # a repetition while others are missing
        if not known or known["total"] != chunk.total or chunk.index in known:
            known = self.streams[key] = {"total": chunk.total}
        known[chunk.index] = chunk.payload
        if len(known) <= chunk.total:
            return None
        return b"".join(known[index] for index in range(chunk.total))


class RakNet:
    """The messages of one capture's datagrams, including those that RakNet split."""

    def __init__(self):
        self.parts = {}

    def messages(self, sender, data):
        """The complete messages of a datagram, each from its message id on."""
        if not data or data[0] & 0xE3 != 0x80:
            return
        at = 4
        while at < len(data):
            flags, bits = data[at], int.from_bytes(data[at + 1:at + 3], "big")
            reliability = flags >> 5
            at += 3 + {0: 0, 1: 7, 2: 3, 3: 7, 4: 10}[reliability]
            split = None
            if flags & 0x10:
                split = struct.unpack_from(">IHI", data, at)
                at += 10
            payload = data[at:at + (bits + 7) // 8]
            at += len(payload)
            if split:
                count, number, index = split
                parts = self.parts.setdefault((sender, number), {})
                parts[index] = payload
                if len(parts) < count:
                    continue
                payload = b"".join(parts[i] for i in range(count))
                del self.parts[sender, number]
            yield payload


# ---- source text -----------------------------------------------------------------------------------------


def meaning(node):
    """The contents of a node, in the form of parse_source()."""
    inner = [meaning(child) for child in node.inner]
    if node.tag in "aA":
        return ["array", *inner]
    if node.tag in ("t", "T", "c"):
        return ["class" if node.tag == "c" else "table", *zip(inner[::2], inner[1::2])]
    if node.tag in COMMANDS:
        return [COMMANDS[node.tag][0], *inner]
    if node.tag in "vq":
        return ["Vector" if node.tag == "v" else "Quaternion", *node.value]
    return {"e": ["throw", node.value], "B": ["blob", node.value]}.get(node.tag, node.value)


RESERVED = set("""base break case catch class clone const constructor continue default delete else enum extends false
do for foreach function if in instanceof local null rawcall resume return static switch this throw true try typeof while yield
__FILE__ __LINE__""".split())
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", '"': b'"', "\\": b"\\"}
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}


class Source:
    """Squirrel expressions, by the language's grammar: no comma in a class body, no `--` for two signs."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self):
        while self.text[self.at:self.at + 1] == " ":
            self.at += 1

    def peek(self):
        self.skip()
        return self.text[self.at:self.at + 1]

    def take(self, wanted):
        self.skip()
        if not self.text.startswith(wanted, self.at):
            raise Bad(f"{wanted!r} expected at {self.at} of {self.text!r}")
        self.at += len(wanted)

    def word(self):
        start = self.at
        while self.text[self.at:self.at + 1].isalnum() or self.text[self.at:self.at + 1] == "_":
            self.at += 1
        return self.text[start:self.at]

    def expression(self, least=1):
        left = self.unary()
        while PRECEDENCE.get(self.peek(), 0) >= least:
            sign = self.peek()
            self.at += 1
            left = [sign, left, self.expression(PRECEDENCE[sign] + 1)]
        return left

    def unary(self):
        if self.peek() != "-":
            return self.primary()
        self.at += 1
        if self.text[self.at:self.at + 1] == "-":
            raise Bad("a decrement")
        if self.text[self.at:self.at + 1].isdigit():
            return ["negative", self.primary()]
        return ["-", self.unary()]

    def primary(self):
        sign = self.peek()
        if sign == "(":
            return self.between("(", ")", self.expression)
        if sign == "[":
            return ["array", *self.listed("[", "]", self.expression, ",")]
        if sign == "{":
            return ["table", *self.listed("{", "}", self.pair, ",")]
        if sign == '"':
            return self.string()
        if sign.isdigit():
            return self.number()
        return self.named()

    def between(self, begin, end, what):
        self.take(begin)
        found = what()
        self.take(end)
        return found

    def listed(self, begin, end, what, separator):
        self.take(begin)
        found = []
        while self.peek() != end:
            if found:
                self.take(separator)
            found.append(what())
        self.take(end)
        return found

    def pair(self):
        if self.peek() == "[":
            key = self.between("[", "]", self.expression)
        else:
            key = self.word().encode()
            if not key or key.decode() in RESERVED or key[:1].isdigit():
                raise Bad(f"no key at {self.at} of {self.text!r}")
        self.take("=")
        return key, self.expression()

    def named(self):
        word = self.word()
        constants = {"null": None, "true": True, "false": False, "inf": math.inf, "nan": math.nan}
        if word in constants:
            return constants[word]
        if word == "class":
            return ["class", *self.listed("{", "}", self.pair, ";")]
        if word == "throw":
            self.skip()
            return ["throw", self.string()]
        if not word or word in RESERVED:
            raise Bad(f"{word!r} at {self.at} of {self.text!r}")
        return [word, *self.listed("(", ")", self.expression, ",")]

    def number(self):
        start = self.at
        while self.text[self.at:self.at + 1] and (self.text[self.at].isdigit() or self.text[self.at] in ".e" or
                                                  self.text[self.at - 1:self.at + 1] in ("e-", "e+")):
            self.at += 1
        text = self.text[start:self.at]
        return int(text) if text.isdigit() else float(text)

    def string(self):
        self.take('"')
        found = b""
        while self.text[self.at:self.at + 1] != '"':
            letter = self.text[self.at:self.at + 1]
            self.at += 1
            if letter != "\\":
                if not letter or letter == "\n":
                    raise Bad("the string does not end")
                found += letter.encode()
                continue
            escape = self.text[self.at]
            self.at += 1
            if escape == "x":
                found += bytes([int(self.text[self.at:self.at + 2], 16)])
                self.at += 2
            else:
                found += ESCAPES[escape]
        self.at += 1
        return found


def parse_source(text):
    """The contents of Squirrel source: numbers, bytes, None, and lists that begin with their kind. `-5` is
    negative(5), or the operator _unm of 5: agrees() accepts both."""
    source = Source(text)
    found = source.expression()
    source.skip()
    if source.at != len(text):
        raise Bad(f"left over: {text[source.at:]!r}")
    return found


def agrees(parsed, meant):
    """True if source and node have the same contents. Floats must read back as the same float32, with a point or an
    exponent where Squirrel would read an integer."""
    if isinstance(parsed, list) and parsed and parsed[0] == "negative":
        if isinstance(meant, list) and meant[0] == "-":
            return len(meant) == 2 and agrees(parsed[1], meant[1])
        parsed = -parsed[1]
    if isinstance(parsed, list) and parsed[:1] == ["-"] and isinstance(meant, float):
        return agrees(parsed[1], -meant)  # -inf
    if isinstance(meant, list):
        vector = meant[0] in ("Vector", "Quaternion")
        return isinstance(parsed, list) and len(parsed) == len(meant) and parsed[0] == meant[0] and all(
            same_float(one, other) if vector else agrees(one, other) for one, other in zip(parsed[1:], meant[1:]))
    if isinstance(meant, tuple):
        return isinstance(parsed, tuple) and all(map(agrees, parsed, meant))
    if isinstance(meant, float):
        return isinstance(parsed, float) and same_float(parsed, meant)
    if isinstance(meant, bytes) and meant != parsed and isinstance(parsed, bytes):
        return False
    return type(parsed) is type(meant) and parsed == meant


def same_float(one, other):
    if isinstance(one, list):
        one = -one[1] if one[0] in ("negative", "-") else math.nan
    if math.isnan(other):
        return math.isnan(one)
    if isinstance(one, int) and not one and math.copysign(1, other) < 0:
        return False  # an integer zero has no sign
    return struct.pack("<f", one) == struct.pack("<f", other)
