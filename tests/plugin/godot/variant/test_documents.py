# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page "Binary serialization API" in three of its versions: each type that it describes, from bytes in the
described layout.

Where the page and the engines differ, the bytes are the page's and the difference is reported as an oddity.
"""

import functools

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.variants import WIDE, encode, floats, longs, text, words

AS_GODOT = ["-d", f"udp.port=={tshark.SERVER_PORT},godot"]

THERE = "there"  # of fields that have no value


def values_of(row, name):
    kind = next(field.type for field in tshark.registered_fields() if field.filter == name)
    return [THERE if kind == "FT_NONE" else value.replace(":", "") if kind == "FT_BYTES" else value
            for value in row[name]]


def components(prefix, names, *values):
    return {f"{prefix}.{name}": [str(value)] for name, value in zip(names.split(), values, strict=True)}


BASIS = "x.x y.x z.x x.y y.y z.y x.z y.z z.z"
TRANSFORM3D = " ".join(f"basis.{name}" for name in BASIS.split()) + " origin.x origin.y origin.z"
TRANSFORM2D = "x.x x.y y.x y.y origin.x origin.y"
POSITION_SIZE = "position.x position.y position.z size.x size.y size.z"


def numbers(count):
    return [n + 0.5 for n in range(1, count + 1)]


def composite(number, prefix, names):
    """A type that consists only of floats."""
    values = numbers(len(names.split()))
    return words(number) + floats(*values), components(prefix, names, *values)


# Types 0 to 14, which the three versions have in common.
COMMON = {
    "null": (words(0), {"nil": [THERE]}),
    "bool, false": (words(1, 0), {"bool": ["0"]}),
    "bool, true": (words(1, 1), {"bool": ["1"]}),
    "integer": (words(2, -7), {"int": ["-7"]}),
    "float": (words(3) + floats(-2.5), {"float": ["-2.5"]}),
    "string": (words(4) + text("héllo"), {"string": ["héllo"], "length": ["6"]}),
    "vector2": composite(5, "vector2", "x y"),
    "rect2": composite(6, "rect2", "position.x position.y size.x size.y"),
    "vector3": composite(7, "vector3", "x y z"),
    "matrix32, transform2d": composite(8, "transform2d", TRANSFORM2D),
    "plane": composite(9, "plane", "normal.x normal.y normal.z d"),
    "quaternion": composite(10, "quaternion", "x y z w"),
    "aabb": composite(11, "aabb", POSITION_SIZE),
    # On the page columns are first; engines write rows first, and the components have the engines' names.
    "matrix3x3, basis": composite(12, "basis", BASIS),
    "transform": composite(13, "transform3d", TRANSFORM3D),
    "color": composite(14, "color", "r g b a"),
}


def containers(generation, dictionary, array, *, shared):
    bit = 0x80000000 if shared else 0
    flags = {"shared": ["1"]} if shared else {}
    return {
        "dictionary": (words(dictionary, 2 | bit) + b"".join(encode(part, generation) for part in ("a", 1, "b", 2.5)),
                       {"key": ["a", "b"], "int": ["1"], "float": ["2.5"], "count": ["2"], **flags}),
        "array": (words(array, 2 | bit) + encode(7, generation) + encode("x", generation),
                  {"int": ["7"], "string": ["x"], "path": [".", "[0]", "[1]"], "count": ["2"], **flags}),
    }


def packed(first):
    """Byte array to color array, seven consecutive types. On the page, strings of string arrays have no NUL."""
    prefix = "packed_vector2_array packed_vector3_array packed_color_array".split()
    return {
        "byte array": (words(first, 3) + b"\1\2\xff\0", {"packed_byte_array": ["0102ff"], "count": ["3"]}),
        "int array": (words(first + 1, 2, 5, -6), {"packed_int32_array.element": ["5", "-6"]}),
        "float array": (words(first + 2, 2) + floats(0.5, -4), {"packed_float32_array.element": ["0.5", "-4"]}),
        "string array": (words(first + 3, 2) + text("ab") + text("cdefg"),
                         {"packed_string_array.element": ["ab", "cdefg"], "string.unterminated": [THERE]}),
        "vector2 array": (words(first + 4, 2) + floats(1, 2, 3, 4),
                          {f"{prefix[0]}.x": ["1", "3"], f"{prefix[0]}.y": ["2", "4"]}),
        "vector3 array": (words(first + 5, 1) + floats(1, 2, 3), components(prefix[1], "x y z", 1, 2, 3)),
        "color array": (words(first + 6, 1) + floats(1, 0.5, 0.25, 0),
                        components(prefix[2], "r g b a", 1, 0.5, 0.25, 0)),
    }


def node_paths(number, *, old_is_odd):
    names = words(number, 0x80000001, 2, 1) + text("Hero") + text("pos") + text("x")
    odd = {"node_path.invalid": [THERE]} if old_is_odd else {}
    return {
        "node path, old format": (words(number) + text("/a/b:c"), {"node_path": ["/a/b:c"], "length": ["6"], **odd}),
        "node path, new format": (names, {
            "node_path": ["/Hero:pos:x"], "node_path.absolute": ["1"], "node_path.name": ["Hero"],
            "node_path.subname": ["pos", "x"]}),
    }


GODOT_2 = {
    **COMMON,
    "image": (words(15, 4, 0, 2, 1, 6) + b"\1\2\3\4\5\6\0\0", {
        "image.format": ["4"], "image.mipmaps": ["0"], "image.width": ["2"], "image.height": ["1"], "count": ["6"],
        "image.data": ["010203040506"]}),
    **node_paths(16, old_is_odd=False),
    "rid": (words(17), {"rid": ["0"]}),
    "object": (words(18), {"object": [THERE]}),
    # The page has only the type's name.
    "input event": (words(19, 1, 0, 20, 0, 65), {
        "input_event.type": ["1"], "input_event.device": ["0"], "input_event.details": ["0000000041000000"]}),
    **containers(2, 20, 21, shared=True),
    **packed(22),
}

GODOT_3_0 = {
    **COMMON,
    **node_paths(15, old_is_odd=True),
    "rid": (words(16), {"rid": ["0"]}),
    "object": (words(17 | WIDE) + longs(1290), {"object.id": ["1290"]}),
    **containers(3, 18, 19, shared=False),
    **packed(20),
}

GODOT_3 = {
    **GODOT_3_0,
    # Eight bytes; the engines set a flag for them in the header.
    "integer of 64 bits": (words(2 | WIDE) + longs(-(1 << 40)), {"int": [str(-(1 << 40))], "flags": ["1"]}),
}

PAGES = {"Godot 2": (2, GODOT_2), "Godot 3.0": (3, GODOT_3_0), "Godot 3": (3, GODOT_3)}
TYPES = [(page, name) for page, (_, table) in PAGES.items() for name in table]


@pytest.fixture(scope="module")
def decoded(tmp_path_factory):
    """A function: the fields of each type of a page; one capture, with the generation given."""

    @functools.lru_cache(maxsize=None)
    def read(page):
        generation, table = PAGES[page]
        capture = tmp_path_factory.mktemp("page") / "types.pcap"
        tshark.write_pcap(capture, [tshark.request(payload) for payload, _ in table.values()])
        names = sorted({f"godot.{field}" for _, expected in table.values() for field in expected})
        names += ["godot.undecoded", "godot.trailing", "_ws.expert.message"]
        rows = tshark.fields(capture, names, *AS_GODOT, prefs={"godot.generation": generation})
        return dict(zip(table, rows, strict=True))

    return read


@pytest.mark.parametrize("page, name", TYPES, ids=[f"{page}, {name}" for page, name in TYPES])
def test_each_type_of_the_page_is_decoded(decoded, page, name):
    row, expected = decoded(page)[name], PAGES[page][1][name][1]
    assert {field: values_of(row, f"godot.{field}") for field in expected} == expected
    assert row["godot.undecoded"] + row["godot.trailing"] == []
    odd = {"string.unterminated", "node_path.invalid"} & set(expected)
    assert bool(row["_ws.expert.message"]) == bool(odd)


def test_every_type_of_the_page_has_bytes_here():
    """The numbers that the pages list: 0 to 28 for Godot 2, 0 to 26 for Godot 3."""
    for page, types in (("Godot 2", 29), ("Godot 3.0", 27), ("Godot 3", 27)):
        assert {payload[0] for payload, _ in PAGES[page][1].values()} == set(range(types))
