# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants with each oddity and each fault, and the items of the tree for Variants of each kind."""

import struct

from plugin.godot.variant.variants import ARRAY, WIDE, doubles, encode, floats, longs, text, words

FULL_OBJECT = (
    "An object with its properties: decoding it can run code, and the engine rejects it unless objects are allowed")
SCRIPT = "The object has a script, which a receiver that allows objects runs; send its values instead, and leave allow_object_decoding off"


def nested(depth, generation=4):
    """Nested arrays: the innermost, at this depth, is empty."""
    return words({4: 28, 3: 19}[generation], 1) * depth + words({4: 28, 3: 19}[generation], 0)


# Oddities: the value is read, so each follows a 7 in an array, to have an offset that is not 0.
# (generation, payload, name, severity and group, message)
ODDITIES = {
    "header bits": (
        4, words(0x0102, 5), "header.unusual", "warning protocol",
        "Header bits are set that no engine writes; they are ignored"),
    "upper header bits": (
        3, words(0x80000002, 5), "header.unusual", "warning protocol",
        "Header bits are set that no engine writes; they are ignored"),
    "a big-endian header": (
        4, struct.pack(">I", 2), "byte_order.unusual", "warning protocol",
        "The header is that of a value in big-endian order; Variants are little-endian, and the engine reads null"),
    "a flag of another type": (
        4, words(4 | WIDE) + text("a"), "flags.unknown", "warning protocol",
        "A flag is set that this type does not have; it is ignored"),
    "a flag of another generation": (
        3, words(5 | WIDE) + floats(1, 2), "flags.unknown", "warning protocol",
        "A flag is set that this type does not have; it is ignored"),
    "a bool": (4, words(1, 2), "bool.unusual", "warning protocol", "A bool is neither 0 nor 1; it reads as true"),
    "text that is not UTF-8": (
        4, words(4) + text(b"a\xff"), "utf8.invalid", "error protocol",
        "The text is not valid UTF-8; the engine rejects the packet"),
    "an element that is not UTF-8": (
        4, words(34, 1, 2) + b"\xff\0\0\0", "utf8.invalid", "error protocol",
        "The text is not valid UTF-8; the engine rejects the packet"),
    "a name that is not UTF-8": (
        4, words(22, 0x80000001, 0, 0) + text(b"\xff"), "utf8.invalid", "error protocol",
        "The text is not valid UTF-8; the engine rejects the packet"),
    "text with a NUL": (
        4, words(4) + text(b"a\0b"), "nul.unusual", "warning protocol", "The text holds a NUL; the engine cuts it there"),
    "padding of a string": (
        4, words(4) + text("a", padding=1), "padding.not_zero", "warning protocol",
        "The padding is not zero; it is ignored"),
    "padding of a byte array": (
        3, words(20, 1) + b"a\0\0\1", "padding.not_zero", "warning protocol",
        "The padding is not zero; it is ignored"),
    "padding of a class name": (
        4, words(28 | WIDE << 1) + text("Node2D", padding=1) + words(0), "padding.not_zero", "warning protocol",
        "The padding is not zero; it is ignored"),
    "padding of a node path in Godot 4": (
        4, words(22, 0x80000001, 0, 0) + text("a", padding=1), "padding.stale", "chat security",
        "The padding holds stale bytes of the sender's buffer, as Godot before 4.6.3 leaves them"),
    "padding of a node path in Godot 3": (
        3, words(15, 0x80000001, 0, 0) + text("a", padding=1), "padding.stale", "chat security",
        "The padding holds stale bytes of the sender's buffer, as Godot before 4.6.3 leaves them"),
    "padding in Godot 2": (
        2, words(4) + text("a", padding=1), "padding.stale", "chat security",
        "The padding holds stale bytes of the sender's buffer, as Godot before 4.6.3 leaves them"),
    "a wide int": (
        3, words(2 | WIDE) + longs(5), "number.unusual", "chat protocol",
        "64 bits are used where 32 are enough, as Godot 3.0 does for every int"),
    "a wide float": (
        4, words(3 | WIDE) + doubles(0.5), "number.unusual", "chat protocol",
        "64 bits are used where 32 are enough, as Godot 3.0 does for every int"),
    "the shared bit": (
        3, words(19, 0x80000000), "shared.unknown", "warning protocol",
        "The shared bit is set, which only Godot 2 uses; it is ignored"),
    "a string of an array without NUL": (
        4, words(34, 1, 2) + b"ab\0\0", "string.unterminated", "warning protocol",
        "A string of a string array does not end in NUL"),
    "flags of a node path": (
        4, words(22, 0x80000000, 0, 4), "node_path.flags.unknown", "warning protocol",
        "A NodePath has flags other than absolute and property"),
    "an old node path": (
        4, words(22) + text("a/b"), "node_path.invalid", "error protocol",
        "A NodePath is in the format that only Godot 2 reads"),
}

# The offset of the oddity in the packet; by default that of the value, which begins at 16.
OFFSETS = {
    "a bool": 20, "text that is not UTF-8": 25, "an element that is not UTF-8": 28, "a name that is not UTF-8": 36,
    "text with a NUL": 25, "padding of a string": 25, "padding of a byte array": 25, "padding of a class name": 30,
    "padding of a node path in Godot 4": 37, "padding of a node path in Godot 3": 37, "padding in Godot 2": 25,
    "the shared bit": 20, "a string of an array without NUL": 24, "flags of a node path": 28,
}

# Faults: decoding stops. As above, but with the offset of the fault and the bytes that are left, as hex.
FAULTS = {
    "half a header": (
        4, b"\1\2", "header.truncated", "The data ends where a value's type should be", "16: 2 bytes missing", "0102"),
    "no header": (
        4, b"", "header.truncated", "The data ends where a value's type should be", "16: 4 bytes missing", ""),
    "no body": (
        4, words(2), "value.truncated", "The data ends inside a value", "16: 4 bytes missing", "02000000"),
    "half a body": (
        4, words(5) + floats(1), "value.truncated", "The data ends inside a value", "16: 4 bytes missing",
        "050000000000803f"),
    "a long text": (
        4, words(4, 100) + b"abcd", "text.truncated", "A text is longer than the rest of the data",
        "16: 96 bytes missing", "040000006400000061626364"),
    "a text of all lengths": (
        4, words(4, 0xFFFFFFFF) + b"abcd", "text.truncated", "A text is longer than the rest of the data",
        "16: 4294967292 bytes missing", "04000000ffffffff61626364"),
    "a text without padding": (
        4, words(4, 1) + b"a", "padding.truncated", "The padding to four bytes is missing", "16: 3 bytes missing",
        "040000000100000061"),
    "a long packed array": (
        4, words(30, 3, 1), "elements.truncated", "More elements are declared than the rest of the data can hold",
        "16: 8 bytes missing", "1e0000000300000001000000"),
    "a node path of many names": (
        4, words(22, 0x80000003, 0, 0), "elements.truncated",
        "More elements are declared than the rest of the data can hold", "16: 12 bytes missing",
        "16000000030000800000000000000000"),
    "an unknown type": (
        4, words(39, 1), "type.unknown", "A Variant type that this generation does not have (39)", "16",
        "2700000001000000"),
    "a type of another generation": (
        3, words(27, 0), "type.unknown", "A Variant type that this generation does not have (27)", "16",
        "1b00000000000000"),
    "the upper header of Godot 2": (
        2, words(2 | WIDE, 1), "type.unknown", "A Variant type that this generation does not have (65538)", "16",
        "0200010001000000"),
    "a text instead of a Variant": (
        4, b'{"cmd": "move"}', "type.unknown",
        'A Variant type that this generation does not have (123; the bytes look like text: "{\\"cmd\\": \\"move\\"}")',
        "16", "7b22636d64223a20226d6f7665227d"),
    "a big-endian Variant of Godot 2": (
        2, struct.pack(">II", 2, 5), "type.unknown",
        "A Variant type that this generation does not have (33554432; it is int in big-endian order, but Variants are "
        "little-endian)", "16", "0000000200000005"),
    "an array of an unknown type": (
        4, words(28 | WIDE, 39, 0), "element_type.unknown",
        "A container is declared to hold a type that does not exist", "20", "1c000100 2700000000000000"),
    "an input event without a head": (
        2, words(19, 1, 0, 8), "input_event.length.invalid",
        "An input event is declared shorter than its own head", "28", "130000000100000000000000 08000000"),
}

# Samples whose packets have other messages: (generation, payload, messages by name and severity and group)
OTHERS = {
    "more members than fit": (
        4, words(28, 3, 2, 7), [
            ("count.truncated", "error malformed",
             "More members are declared than the rest of the data can hold (offset 4)"),
            ("header.truncated", "error malformed",
             "The data ends where a value's type should be at offset 16: 4 bytes missing; the engine rejects the "
             "packet")]),
    "more entries than fit": (
        4, words(27, 0x7FFFFFFF) + encode("k"), [
            ("count.truncated", "error malformed",
             "More members are declared than the rest of the data can hold (offset 4)"),
            ("header.truncated", "error malformed",
             "The data ends where a value's type should be at offset 20: 4 bytes missing; the engine rejects the "
             "packet")]),
    "a byte array without padding": (
        4, words(29, 1) + b"A", [
            ("padding.missing", "note protocol",
             "The padding of the byte array is missing; the engine accepts this (offset 0)")]),
    "a trailing byte": (
        4, words(1, 1) + b"a", [
            ("trailing.unusual", "warning protocol",
             "1 byte after the value at offset 8, which the engine ignores")]),
    "trailing bytes": (
        4, words(1, 1, 1), [
            ("trailing.unusual", "warning protocol",
             "4 bytes after the value at offset 8, which the engine ignores")]),
    "a big-endian Variant": (
        4, struct.pack(">II", 2, 7), [
            ("byte_order.unusual", "warning protocol",
             "The header is that of a value in big-endian order; Variants are little-endian, and the engine reads null "
             "(offset 0)"),
            ("trailing.unusual", "warning protocol",
             "4 bytes after the value at offset 4, which the engine ignores")]),
    "as deep as the tree shows": (4, nested(99), []),
    "deeper than the tree shows": (
        4, nested(101), [
            ("tree.too_deep", "note undecoded", "Nested deeper than the tree shows: deeper values are text")]),
    "as deep as the engine reads": (
        4, nested(1024), [
            ("tree.too_deep", "note undecoded", "Nested deeper than the tree shows: deeper values are text")]),
    "deeper than the engine reads": (
        4, nested(1025), [
            ("tree.too_deep", "note undecoded", "Nested deeper than the tree shows: deeper values are text"),
            ("engine.too_deep", "error protocol",
             "Nested deeper than the 1024 levels that Godot 3.6 and 4 decode (offset 8200)")]),
    "many of a kind": (
        4, words(28, 12) + words(1, 7) * 12, [
            ("bool.unusual", "warning protocol", f"A bool is neither 0 nor 1; it reads as true (offset {12 + 8 * i})"
             + ("; more of these in this packet are not listed" if i == 9 else "")) for i in range(10)]),
    "two at once": (
        4, words(0x1004) + text(b"\xff", padding=1), [
            ("header.unusual", "warning protocol",
             "Header bits are set that no engine writes; they are ignored (offset 0)"),
            ("utf8.invalid", "error protocol", "The text is not valid UTF-8; the engine rejects the packet (offset 8)"),
            ("padding.not_zero", "warning protocol", "The padding is not zero; it is ignored (offset 9)")]),
    "an oddity of a key": (
        4, words(27, 1) + words(4) + text("k", padding=1) + words(0), [
            ("padding.not_zero", "warning protocol", "The padding is not zero; it is ignored (offset 17)")]),
    "an oddity of a property name": (
        4, words(24) + text("Node") + words(1) + text("k", padding=1) + words(0), [
            ("object.full", "warning security", f"{FULL_OBJECT} (offset 0)"),
            ("padding.not_zero", "warning protocol", "The padding is not zero; it is ignored (offset 21)")]),
    "the same key twice": (
        4, words(27, 3) + encode(1) + encode(5) + encode("k") + encode(7) + encode(1) + encode(6), [
            ("key.duplicate", "warning protocol",
             "The dictionary had this key before; the engine keeps the last of them (offset 44)")]),
    "the same key in two dictionaries": (4, encode([{"k": 1}, {"k": {"k": 2}}]), []),
    "an element of another type than declared": (
        4, words(28 | WIDE, 2, 2) + encode(1) + encode("a"), [
            ("element_type.invalid", "warning protocol",
             "An element is not of the type that its array is declared to hold; the engine leaves it out "
             "(offset 20)")]),
    "a full object": (
        3, words(17) + text("Node") + words(0), [("object.full", "warning security", f"{FULL_OBJECT} (offset 0)")]),
    "a full object without a class": (
        4, words(24, 0), [("object.full", "warning security", f"{FULL_OBJECT} (offset 0)")]),
    "a full object with a script": (
        4, words(24) + text("Node") + words(1) + text("script") + encode("res://item.gd"), [
            ("object.full", "warning security", f"{FULL_OBJECT} (offset 0)"),
            ("object.script", "note security", f"{SCRIPT} (offset 16)")]),
    "a full object with the script itself": (
        3, words(17) + text("Node") + words(1) + text("script") + words(17) + text("GDScript") + words(0), [
            ("object.full", "warning security", f"{FULL_OBJECT} (offset 0)"),
            ("object.script", "note security", f"{SCRIPT} (offset 16)"),
            ("object.full", "warning security", f"{FULL_OBJECT} (offset 28)")]),
    "a full object without a script": (
        4, words(24) + text("Node") + words(1) + text("script") + words(0), [
            ("object.full", "warning security", f"{FULL_OBJECT} (offset 0)")]),
    "a property with another name": (
        4, words(24) + text("Node") + words(1) + text("scripts") + encode("res://item.gd"), [
            ("object.full", "warning security", f"{FULL_OBJECT} (offset 0)")]),
    "a fault after a key": (
        4, words(27, 1) + encode("k") + words(99), [
            ("type.unknown", "error malformed",
             "A Variant type that this generation does not have (99) at offset 20; the engine rejects the packet")]),
    "an oddity before a fault": (
        4, words(28, 2) + words(1, 7) + words(99), [
            ("bool.unusual", "warning protocol", "A bool is neither 0 nor 1; it reads as true (offset 12)"),
            ("type.unknown", "error malformed",
             "A Variant type that this generation does not have (99) at offset 16; the engine rejects the packet")]),
}


def after_a_seven(generation, payload):
    """[7, …]: 16 bytes, then the payload."""
    return words(ARRAY[generation], 2) + words(2, 7) + payload


# Each packet's payload is the name of the buffer that another protocol passes to godot.variant.
BUFFERS = """
local carrier = Proto("carrier", "Carrier")
local function bytes(hex, times)
    return ByteArray.new(string.rep(hex, times))
end
local makers = {
    [1] = function() return bytes("1c00000001000000", 8193) end,
    [2] = function() local all = bytes("1c000000a8610000", 1); all:append(bytes("00000000", 25000)); return all end,
    [3] = function() return ByteArray.new() end,
}
function carrier.dissector(buffer, pinfo, tree)
    local which = buffer(0, 1):uint()
    Dissector.get(which == 3 and "godot" or "godot.variant"):call(makers[which]():tvb("Made"), pinfo, tree)
    return buffer:len()
end
DissectorTable.get("udp.port"):add(41001, carrier)
"""

LIMITS = {
    1: ("value.too_deep", "warning undecoded", "Nested deeper than this reader supports at offset 65528"),
    2: ("tree.too_long", "note undecoded", "The tree has reached its limit; the rest is not shown"),
    3: ("datagram.empty", "note protocol", "Empty datagram (decoded as null)"),
}

DOCUMENT = encode({
    "id": 7, "name": "Åsa", "hp": 0.1, "big": 1 << 40, "alive": True, "none": None, "list": [1, [2.5, "x"], {}],
})


# ---- the tree ------------------------------------------------------------------------------------------------------

HEADERS = {"godot.type", "godot.padding"}

# (bytes, and the items for them): name, first byte, number of bytes, value. The offsets are counted by hand.
SAMPLES = {
    "nil": (words(0), ["nil 0 4"]),
    "bool": (words(1, 1), ["bool 4 4 1"]),
    "a long int": (words(2 | WIDE) + longs(-5), ["int 4 8 -5", "flags 2 1 1"]),
    "a long float": (words(3 | WIDE) + doubles(0.25), ["float 4 8 0.25", "flags 2 1 1"]),
    "a string": (words(4) + text("abcde"), ["string 8 5 abcde", "length 4 4 5"]),
    "components": (
        words(7) + floats(1, 2, 3, 4),
        ["rect2 4 16", "rect2.position.x 4 4 1", "rect2.position.y 8 4 2", "rect2.size.x 12 4 3",
         "rect2.size.y 16 4 4"]),
    "components of a double-precision build": (
        words(5 | WIDE) + doubles(1.5, -2.25),
        ["vector2 4 16", "flags 2 1 1", "vector2.x 4 8 1.5", "vector2.y 12 8 -2.25"]),
    "integer components": (words(6) + words(1, -2), ["vector2i 4 8", "vector2i.x 4 4 1", "vector2i.y 8 4 -2"]),
    "a node path": (
        words(22, 0x80000001, 2, 1) + text("Hero") + text("b") + text("cde"),
        ["node_path 16 24 /Hero:b:cde", "node_path.names 4 4 1", "node_path.subnames 8 4 2",
         "node_path.flags 12 4 1", "node_path.absolute 12 4 1", "node_path.has_property 12 4 0",
         "node_path.name 16 8 Hero", "node_path.subname 24 8 b", "node_path.subname 32 8 cde"]),
    "a node path with a property": (
        words(22, 0x80000001, 0, 2) + text("a") + text("b"),
        ["node_path 16 16 a:b", "node_path.names 4 4 1", "node_path.subnames 8 4 0",
         "node_path.flags 12 4 2", "node_path.absolute 12 4 0", "node_path.has_property 12 4 1",
         "node_path.name 16 8 a", "node_path.property 24 8 b"]),
    "a resource id": (words(23) + longs(7), ["rid 4 8 7"]),
    "an object as id": (words(24 | WIDE) + longs(5), ["object 4 8", "flags 2 1 1", "object.id 4 8 5"]),
    "an object in full": (
        words(24) + text("Timer") + words(1) + text("on") + words(1, 1),
        ["object 0 36", "length 4 4 5", "object.class 8 8 Timer", "count 16 4 1", "bool 32 4 1",
         "object.property 20 8 on", "length 20 4 2"]),
    "a signal": (
        words(26) + text("hit") + longs(9), ["signal 8 12 hit", "length 4 4 3", "signal.object 12 8 9"]),
    "entries, their keys below their values": (
        words(27, 2, 4) + text("pos") + words(5) + floats(1.5, -2) + words(4) + text("hi") + words(4) + text("a"),
        ["dictionary 0 56", "count 4 4 2",
         "vector2 24 8", "key 8 12 pos", "length 12 4 3", "vector2.x 24 4 1.5", "vector2.y 28 4 -2",
         "string 52 1 a", "key 32 12 hi", "length 36 4 2", "length 48 4 1"]),
    "a container as key stands for itself": (
        words(27, 1) + encode([7]) + words(1, 0),
        ["dictionary 0 32", "count 4 4 1", "array 8 16", "count 12 4 1", "int 20 4 7", "bool 28 4 0"]),
    "containers within containers": (
        encode([[], [[1]]]),
        ["array 0 40", "count 4 4 2", "array 8 8", "count 12 4 0", "array 16 24", "count 20 4 1", "array 24 16",
         "count 28 4 1", "int 36 4 1"]),
    "a typed array": (
        words(28 | WIDE, 2, 1, 2, 7), ["array 0 20", "flags 2 1 1", "array.element_type 4 4 int", "count 8 4 1",
                                       "int 16 4 7"]),
    "a dictionary typed by a class and a built-in type": (
        words(27 | 6 << 16) + text("Node") + words(1, 0),
        ["dictionary 0 20", "flags 2 1 6", "dictionary.key_type 4 8 Node", "dictionary.value_type 12 4 bool",
         "count 16 4 0"]),
    "a byte array": (
        words(29, 3) + b"\1\2\3\0", ["packed_byte_array 8 3 01:02:03", "count 4 4 3"]),
    "integers of 64 bits": (
        words(31, 2) + longs(1, -2),
        ["packed_int64_array 8 16", "count 4 4 2", "packed_int64_array.element 8 8 1",
         "packed_int64_array.element 16 8 -2"]),
    "strings of an array, each with length, NUL and padding": (
        words(34, 2, 1, 0, 3) + b"ab\0\0",
        ["packed_string_array 8 16", "count 4 4 2", "packed_string_array.element 8 8",
         "packed_string_array.element 16 8 ab"]),
    "vectors of an array": (
        words(35, 2) + floats(1, 2, 3, 4),
        ["packed_vector2_array 8 16", "count 4 4 2", "[0]: (1, 2)", "packed_vector2_array.x 8 4 1",
         "packed_vector2_array.y 12 4 2", "[1]: (3, 4)", "packed_vector2_array.x 16 4 3",
         "packed_vector2_array.y 20 4 4"]),
    "what is beyond the elements shown": (
        words(30, 6, 1, 2, 3, 4, 5, 6),
        ["packed_int32_array 8 24", "count 4 4 6", "packed_int32_array.element 8 4 1",
         "packed_int32_array.element 12 4 2", "packed_int32_array.element 16 4 3",
         "packed_int32_array.element 20 4 4",
         "packed.rest 24 8 05:00:00:00:06:00:00:00"]),
    "strings beyond those shown": (
        words(34, 5) + words(1, 0) * 5,
        ["packed_string_array 8 40", "count 4 4 5"] + [f"packed_string_array.element {8 + 8 * i} 8" for i in range(4)]
        + ["packed.rest 40 8 01:00:00:00:00:00:00:00"]),
    "trailing bytes": (words(2, 1) + b"\xff\xfe", ["int 4 4 1", "trailing 8 2 ff:fe"]),
    "what comes before a fault, and the rest": (
        words(28, 3, 2, 7, 99, 0),
        ["array 0 16", "count 4 4 3", "int 12 4 7", "undecoded 16 8 63:00:00:00:00:00:00:00"]),
}

SAMPLES_BY_DEFAULT = {
    "a nil, which has nothing but its header": (words(0), ["nil 0 4"]),
    "a long int": (words(2 | WIDE) + longs(-5), ["int 4 8 -5"]),
    "an empty string, whose length is all there is": (words(4, 0), ["string 0 8"]),
    "a node path": (words(22, 0x80000001, 1, 1) + text("Hero") + text("b"), ["node_path 16 16 /Hero:b"]),
    "an object in full": (
        words(24) + text("Timer") + words(1) + text("on") + words(1, 1), ["object 0 36", "bool 32 4 1"]),
    "entries": (
        words(27, 2, 4) + text("pos") + words(5) + floats(1.5, -2) + words(4) + text("hi") + words(4) + text("a"),
        ["dictionary 0 56", "vector2 24 8", "vector2.x 24 4 1.5", "vector2.y 28 4 -2", "string 52 1 a"]),
    "vectors of an array": (
        words(35, 2) + floats(1, 2, 0.1, 16777215),
        ["packed_vector2_array 8 16", "[0]: (1, 2)", "packed_vector2_array.x 8 4 1", "packed_vector2_array.y 12 4 2",
         "[1]: (0.1, 16777215)", "packed_vector2_array.x 16 4 0.1", "packed_vector2_array.y 20 4 16777215"]),
    "stale padding, which is worth a look": (
        words(4, 2) + b"aa\xfa\xbf", ["string 8 2 aa", "padding 10 2 fa:bf"]),
}

SAMPLES_WITH_HEADERS = {
    "a string and its padding": (
        words(4) + text("abcde"), ["string 8 5 abcde", "type 0 4 String", "length 4 4 5", "padding 13 3 00:00:00"]),
    "a key's own": (
        words(27, 1, 4) + text("k") + words(2, 7),
        ["dictionary 0 28", "type 0 4 Dictionary", "count 4 4 1", "int 24 4 7", "key 8 12 k", "type 8 4 String",
         "length 12 4 1", "padding 17 3 00:00:00", "type 20 4 int"]),
    "a property name, which has no header": (
        words(24) + text("Timer") + words(1) + text("on") + words(0),
        ["object 0 32", "type 0 4 Object", "length 4 4 5", "object.class 8 8 Timer", "padding 13 3 00:00:00",
         "count 16 4 1", "nil 28 4", "object.property 20 8 on", "length 20 4 2", "padding 26 2 00:00",
         "type 28 4 Nil"]),
    "a byte array's padding": (
        words(29, 3) + b"\1\2\3\0",
        ["packed_byte_array 8 3 01:02:03", "type 0 4 PackedByteArray", "count 4 4 3", "padding 11 1 00"]),
    "a vector's header": (
        words(5) + floats(1, 2), ["vector2 4 8", "type 0 4 Vector2", "vector2.x 4 4 1", "vector2.y 8 4 2"]),
}

SAMPLES_OF_GODOT_2 = {
    "an old node path": (words(16) + text("a/b"), ["node_path 8 3 a/b", "length 4 4 3", "padding 11 1 00"]),
    "a shared array": (
        words(21, 0x80000001, 2, 7), ["array 0 16", "count 4 4 1", "shared 4 4 1", "int 12 4 7"]),
    "an image": (
        words(15, 3, 1, 2, 4, 5) + b"\1\2\3\4\5\0\0\0",
        ["image 24 5", "image.format 4 4 3", "image.mipmaps 8 4 1", "image.width 12 4 2", "image.height 16 4 4",
         "count 20 4 5", "image.data 24 5 01:02:03:04:05", "padding 29 3 00:00:00"]),
    "an input event": (
        words(19, 1, 0, 20, 2, 65),
        ["input_event 16 8", "input_event.type 4 4 1", "input_event.device 8 4 0", "length 12 4 20",
         "input_event.details 16 8 02:00:00:00:41:00:00:00"]),
    "stale padding": (
        words(4, 2) + b"aa\xfa\xbf", ["string 8 2 aa", "length 4 4 2", "padding 10 2 fa:bf"]),
    "an object, a header and no more": (words(18), ["object 0 4"]),
}

ALL = {"godot.show_headers": True}
TABLES = {
    "by default": (SAMPLES_BY_DEFAULT, 4, set(), {}),
    "in full": (SAMPLES, 4, HEADERS, ALL),
    "in full, Godot 2": (SAMPLES_OF_GODOT_2, 2, {"godot.type"}, ALL),
    "headers": (SAMPLES_WITH_HEADERS, 4, set(), ALL),
}
