# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants as JSON: plugin/docs/messages.md has the table of all types.

The source is the value's literal, godot.value: in every version of Wireshark it has all digits of a number, all elements of
an array and the declared types, which the items of the tree do not have.
"""

import json
import math
import re
import sys

# Deeper values are left as text: this reader, and Python's own JSON writer, are recursive. One level of a value takes up to seven
# functions, which is more than Python's own limit for all levels.
DEEPEST = 200
sys.setrecursionlimit(max(sys.getrecursionlimit(), 20 * DEEPEST))
LARGEST_EXACT = (1 << 53) - 1

WHITE = re.compile(r"[ ]*")
NUMBER = re.compile(r"-?(?:\d[\d.]*(?:e[+-]\d+)?)|inf_neg|inf|nan")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
ESCAPE = re.compile(r"\\(u[0-9a-f]{4}|x[0-9a-f]{2}|.)", re.DOTALL)
DECLARED = re.compile(r'\[((?:[^"\]]|"(?:[^"\\]|\\.)*")*)\]\(')
CLASS = re.compile(r"[^,)]*")
IMAGE = re.compile(r"(\d+)x(\d+), format (\d+), (\d+) mipmaps, (\d+) bytes")
INPUT_EVENT = re.compile(r"type (\d+), device (\d+)")

ESCAPES = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
SPECIAL = {"inf": math.inf, "inf_neg": -math.inf, "nan": math.nan}
WORDS = {"null": None, "true": True, "false": False}

# Types of integers, and the number of components of an element where it is not 1.
INTEGERS = {"Vector2i", "Vector3i", "Vector4i", "Rect2i", "PackedByteArray", "PoolByteArray", "RawArray", "PackedInt32Array",
            "PackedInt64Array", "PoolIntArray", "IntArray"}
BYTES = {"PackedByteArray", "PoolByteArray", "RawArray"}
ELEMENT_SIZES = {"PackedVector2Array": 2, "PackedVector3Array": 3, "PackedVector4Array": 4, "PackedColorArray": 4,
                 "PoolVector2Array": 2, "PoolVector3Array": 3, "PoolColorArray": 4,
                 "Vector2Array": 2, "Vector3Array": 3, "ColorArray": 4}


class NotALiteral(ValueError):
    """The text is cut, or ends with the reason why the value could not be read."""


def from_literal(text):
    """The JSON form of a value, from its literal. A text that is not a whole literal is {"$text": text}."""
    if text.endswith("…"):
        return {"$text": text}
    try:
        reader = _Reader(text)
        value = reader.value(0)
        if reader.at != len(text):
            raise NotALiteral
        return value
    except (NotALiteral, IndexError, ValueError):
        return {"$text": text}


def byte_array(digits):
    """A PackedByteArray, from the digits of a field of bytes."""
    return {"$PackedByteArray": digits.replace(":", "")}


def whole(number):
    """An integer. Beyond 2^53, which not every reader of JSON has exactly, its digits."""
    return number if -LARGEST_EXACT <= number <= LARGEST_EXACT else {"$int": str(number)}


def real(number):
    if math.isfinite(number):
        return number
    return {"$float": "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"}


def readable(value):
    """A value of the JSON form as a person reads it: Vector2(1, 2), true, "text"."""
    name = next(iter(value), "") if isinstance(value, dict) else ""
    if name.startswith("$") and isinstance(value[name], list):
        return f"{name[1:]}({', '.join(map(readable, value[name]))})"
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def _character(match):
    code = match[1]
    if code[0] == "u":
        return chr(int(code[1:], 16))
    if code[0] == "x":
        return chr(0xDC00 + int(code[1:], 16))
    return ESCAPES.get(code, code)


def text_value(escaped):
    """A text in JSON; one that is not UTF-8 as the digits of its bytes."""
    text = ESCAPE.sub(_character, escaped) if "\\" in escaped else escaped
    if any("\udc80" <= character <= "\udcff" for character in text):
        return {"$String": text.encode("utf-8", "surrogateescape").hex()}
    return text


def dictionary(entries):
    """An object where that is the same: keys are Strings, each once, none with the mark of a type."""
    keys = [key for key, _ in entries]
    if all(isinstance(key, str) and not key.startswith("$") for key in keys) and len(set(keys)) == len(keys):
        return dict(entries)
    return {"$Dictionary": [list(entry) for entry in entries]}


class _Reader:
    """Reads a literal from `at` on."""

    def __init__(self, text):
        self.text = text
        self.at = 0

    def match(self, pattern):
        found = pattern.match(self.text, self.at)
        if not found:
            raise NotALiteral
        self.at = found.end()
        return found

    def blanks(self):
        self.at = WHITE.match(self.text, self.at).end()

    def expect(self, token):
        if not self.text.startswith(token, self.at):
            raise NotALiteral
        self.at += len(token)

    def accepts(self, token):
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        return True

    def value(self, depth):
        first = self.text[self.at]
        if depth > DEEPEST:
            raise NotALiteral
        if first == '"':
            return text_value(self.match(STRING)[1])
        if first == "&":
            self.at += 1
            return {"$StringName": text_value(self.match(STRING)[1])}
        if first == "[":
            return self.array(depth)
        if first == "{":
            return self.entries(depth)
        number = NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            return self.number(number[0])
        return self.named(self.match(NAME)[0], depth)

    @staticmethod
    def number(digits):
        if digits in SPECIAL:
            return real(SPECIAL[digits])
        return float(digits) if set(digits) & set(".e") else whole(int(digits))

    def items(self, end, read):
        """What `read` reads, between commas, up to `end`."""
        found = []
        self.blanks()
        while not self.accepts(end):
            if found:
                self.expect(",")
                self.blanks()
            found.append(read())
            self.blanks()
        return found

    def array(self, depth):
        self.expect("[")
        return self.items("]", lambda: self.value(depth + 1))

    def pair(self, depth):
        key = self.value(depth + 1)
        self.expect(":")
        self.blanks()
        return key, self.value(depth + 1)

    def pairs(self, depth):
        self.expect("{")
        return self.items("}", lambda: self.pair(depth))

    def entries(self, depth):
        return dictionary(self.pairs(depth))

    def named(self, name, depth):
        if name in WORDS:
            return WORDS[name]
        if name in ("Array", "Dictionary"):
            return self.typed(name, depth)
        self.expect("(")
        special = {"Object": self.object, "Signal": self.signal, "NodePath": self.node_path, "RID": self.rid,
                   "Callable": self.callable, "Image": self.image, "InputEvent": self.input_event}.get(name)
        return special(depth) if special else self.numbers(name)

    def typed(self, name, depth):
        declared = self.match(DECLARED)[1]
        if name == "Array":
            found = {"$Array": self.array(depth), "of": declared}
        else:
            key, _, value = declared.partition(", ")
            found = {"$Dictionary": [list(entry) for entry in self.pairs(depth)], "keys": key, "values": value}
        self.expect(")")
        return found

    def numbers(self, name):
        if name in ("PackedStringArray", "PoolStringArray", "StringArray"):
            return {f"${name}": self.items(")", lambda: text_value(self.match(STRING)[1]))}
        end = self.text.index(")", self.at)
        digits = self.text[self.at:end].replace(" ", "")
        texts = digits.split(",") if digits else []
        self.at = end + 1
        if name in BYTES:
            return {f"${name}": bytes(map(int, texts)).hex()}
        if name in INTEGERS:
            found = [whole(int(text)) for text in texts]
        else:
            found = [real(SPECIAL[text] if text in SPECIAL else float(text)) for text in texts]
        size = ELEMENT_SIZES.get(name)
        return {f"${name}": [found[i:i + size] for i in range(0, len(found), size)] if size else found}

    def node_path(self, _depth):
        path = text_value(self.match(STRING)[1])
        self.expect(")")
        return {"$NodePath": path}

    def rid(self, _depth):
        digits = self.match(re.compile(r"\d*"))[0]
        self.expect(")")
        return {"$RID": digits or "0"}

    def callable(self, _depth):
        self.expect(")")
        return {"$Callable": None}

    def object(self, depth):
        """An instance id, a class with its properties, or no more than the type."""
        class_name = text_value(self.match(CLASS)[0])
        properties = []
        while self.accepts(","):
            name = text_value(self.match(STRING)[1])
            self.expect(":")
            properties.append((name, self.value(depth + 1)))
        self.expect(")")
        if class_name == "EncodedObjectAsID" and [name for name, _ in properties] == ["object_id"]:
            number = properties[0][1]
            return {"$Object": {"id": number["$int"] if isinstance(number, dict) else str(number)}}
        return {"$Object": {"class": class_name, "properties": dictionary(properties)}}

    def signal(self, depth):
        if self.accepts(")"):
            return {"$Signal": None}
        emitter = self.value(depth + 1)["$Object"]["id"]
        self.expect(", ")
        name = self.value(depth + 1)["$StringName"]
        self.expect(")")
        return {"$Signal": {"object": emitter, "name": name}}

    def parts(self, pattern, names):
        self.blanks()
        numbers = map(int, self.match(pattern).groups())
        self.blanks()
        self.expect(")")
        return dict(zip(names, numbers))

    def image(self, _depth):
        return {"$Image": self.parts(IMAGE, ("width", "height", "format", "mipmaps", "bytes"))}

    def input_event(self, _depth):
        return {"$InputEvent": self.parts(INPUT_EVENT, ("type", "device"))}
