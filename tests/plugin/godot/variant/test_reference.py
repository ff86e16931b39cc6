# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every value of every Godot capture, compared with an independent decoder: path, field, number, text and bytes.

Allowed differences, and no others:

    booleans         1 and 0, True and False
    fifteen digits   Wireshark before 4.6 prints at most fifteen digits of a double, in every protocol
    NaN, infinity    printed by Wireshark, depending on its version
    long texts       at most as many elements of a packed array have items as the preference sets (64)
"""

import functools
import math
import re

import pytest

import gamewire_tshark as tshark
import godot_reference as reference

CAPTURES = sorted((tshark.PCAPS / "godot" / "variant").glob("*.pcap"))
ELEMENTS = 64


def generation_of(capture):
    return int(capture.name.removeprefix("godot-")[0])


def shown_values(packet):
    """(path, text, item) of each item with a path."""
    for item in tshark.flattened(packet):
        below = {part.name: part.value for part in item.below}
        if "godot.path" in below:
            yield below["godot.path"], below["godot.value"], item


def holds(item, value):
    """True if the item's field has the value."""
    if value is None:
        return item.value == ""
    if isinstance(value, bool):
        return tshark.BOOLEANS.get(item.value, item.value) == str(int(value))
    if isinstance(value, float):
        return same_number(float(item.value), value)
    if isinstance(value, bytes):
        return item.value.replace(":", "") == value.hex()
    return item.value == escaped(str(value))


def escaped(text):
    """The text as a field has it: of its control characters, those alone that cannot command a terminal are left."""
    names = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v"}
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]",
                  lambda found: names.get(found.group(), f"\\u{ord(found.group()):04x}"), text)


def same_number(shown, number):
    if math.isnan(number) or math.isinf(number):
        return str(shown) == str(number)
    return math.isclose(shown, number, rel_tol=1e-14) or math.isinf(shown) and abs(number) > 1.79e308


def numbers_below(item):
    """(number, start, size) of the components or elements in their order; for elements with components, of all
    components in sequence."""
    found = []
    for part in item.below:
        if part.name.startswith("["):
            found += numbers_below(part)
        elif part.name.startswith(item.name + ".") or (not item.name.startswith("godot.") and part.name != "godot.path"):
            found.append((float(part.value), part.start, part.size))
    return found


def assert_same(where, value, item):
    start = tshark.HEADERS[4] + value.start
    assert item.name == f"godot.{value.field}", where
    assert (item.start, item.size) == (start, value.size), where
    assert holds(item, value.held), (where, item.value, value.held)
    if not value.numbers:
        return
    per_element = reference.NUMBERS[value.field] if value.field.startswith("packed_") else len(value.numbers)
    expected = value.numbers[: ELEMENTS * per_element]
    shown = numbers_below(item)
    assert len(shown) == len(expected), where
    for (number, at, size), (other, other_at, other_size) in zip(shown, expected):
        assert same_number(number, float(other)), where
        assert (at, size) == (tshark.HEADERS[4] + other_at, other_size), where


@functools.lru_cache(maxsize=None)
def decoded(generation):
    """{capture: (payload, items) of each packet} for all captures of a generation."""
    captures = tuple(capture for capture in CAPTURES if generation_of(capture) == generation)
    merged, begins = tshark.together(captures)
    prefs = {"godot.show_values": True, "godot.generation": generation, "godot.packed_elements": ELEMENTS}
    payloads = [row["udp.payload"][0] for row in tshark.fields(merged, ["udp.payload"])]
    packets = list(zip(payloads, tshark.items(merged, "godot", *tshark.only_ours(), "-2", prefs=prefs), strict=True))
    return {capture: packets[begin:end] for capture, begin, end in zip(captures, begins, begins[1:])}


@pytest.mark.parametrize("capture", CAPTURES, ids=[capture.stem for capture in CAPTURES])
def test_each_value_is_that_of_the_reference(capture):
    generation = generation_of(capture)
    packets = decoded(generation)[capture]
    values = 0
    for number, (payload, packet) in enumerate(packets, 1):
        document = reference.decode(bytes.fromhex(payload.replace(":", "")), generation)
        expected = list(reference.all_values(document))
        shown = list(shown_values(packet))
        assert [path for path, _, _ in shown] == [path for path, _ in expected], number
        for (path, text, item), (_, value) in zip(shown, expected):
            assert text == value.text, (number, path)
            assert_same((number, path), value, item)
        values += len(expected)
    assert values >= len(packets) > 0
