# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every value of every capture, its text and its bytes, is what a decoder that shares no code with ours reads.

Allowed differences, and no others:
  - items without bytes (what the analysis adds) and containers have no counterpart;
  - tshark writes a bool as 1 or True, by its version;
  - tshark extracts bytes of no length as "<MISSING>".
"""

import functools
import struct

import pytest

import gamewire_tshark as tshark
from plugin.leviathan import decoding as leviathan
import leviathan_reference as reference

LOSSES = ("leviathan.analysis.lost_in", "leviathan.analysis.lost_frame", "leviathan.analysis.lost")
CONTAINERS = ("leviathan.message", "leviathan.component", "leviathan.ignored_block")


def options_of(name):
    return {"old": name == "old-numbering", "documented_acks": name == "session-documented-acks"}


def read_with(name):
    """The names of the captures that are read with the same preferences."""
    return tuple(other for other in leviathan.NAMES if leviathan.preferences(other) == leviathan.preferences(name))


@functools.lru_cache(maxsize=None)
def trees(names):
    """{name: each packet's item} of captures that are read together: most of the time is tshark's start."""
    path, begins = tshark.together(tuple(map(leviathan.capture, names)))
    items = leviathan.decode(path, "-2", *tshark.only_ours(), prefs=leviathan.preferences(names[0]))
    return {name: items[begin:end] for name, begin, end in zip(names, begins, begins[1:])}


@functools.lru_cache(maxsize=None)
def reference_values(name):
    """Each packet's values, as the reference decoder reads them."""
    return [reference.decode(datagram.payload, **options_of(name)) for datagram in datagrams(name)]


@functools.lru_cache(maxsize=None)
def extracted(names):
    """{capture: each packet's values of all fields}"""
    values = (value for name in names for values in reference_values(name) for value in values)
    fields = [*sorted({f"leviathan.{value.name}" for value in values}), *LOSSES]
    return tshark.fields_of_each(list(map(leviathan.capture, names)), fields, "-2", prefs=leviathan.preferences(names[0]))


def datagrams(name):
    return reference.read_pcap(leviathan.capture(name))


def shown_values(item, start):
    """(name, offset, length, text) of each item with bytes, in the order of the tree."""
    for child in item.items:
        if child.size and child.name.startswith("leviathan.") and child.name not in CONTAINERS:
            yield child.name.removeprefix("leviathan."), child.pos - start, child.size, child.show
        if child.name != "_ws.expert":
            yield from shown_values(child, start)


def same(text, value):
    if isinstance(value, bool):
        return text in (("1", "True") if value else ("0", "False"))
    if isinstance(value, int):
        return int(text, 0) == value
    if isinstance(value, float):
        # The text, read as a float of 32 bits, is exactly the number.
        return struct.pack("<f", float(text)) == struct.pack("<f", value)
    if isinstance(value, bytes):
        return text.replace(":", "") == value.hex() or (not value and text == "<MISSING>")
    return text == value


@pytest.mark.parametrize("name", leviathan.NAMES)
def test_every_value_equals_the_reference_decoder_s(name):
    packets, sent = trees(read_with(name))[name], reference_values(name)
    assert len(packets) == len(sent)
    for frame, (item, decoded) in enumerate(zip(packets, sent), 1):
        expected = [one for one in decoded if one.length]
        found = list(shown_values(item, item.pos))
        assert [one[:3] for one in found] == [tuple(one)[:3] for one in expected], frame
        for (field, _, _, text), value in zip(found, expected):
            assert same(text, value.value), (frame, field, text, value)


@pytest.mark.parametrize("name", leviathan.NAMES)
def test_every_value_can_be_extracted_as_it_is_shown(name):
    """tshark -T fields, all occurrences of all fields."""
    expected = reference_values(name)
    names = sorted({f"leviathan.{value.name}" for values in expected for value in values})
    found = extracted(read_with(name))[leviathan.capture(name)]
    for frame, (packet, values) in enumerate(zip(found, expected), 1):
        for field in names:
            wanted = [value.value for value in values if f"leviathan.{value.name}" == field]
            assert len(packet[field]) == len(wanted), (frame, field)
            for text, value in zip(packet[field], wanted):
                assert same(text, value), (frame, field)


def test_floats_can_be_filtered_as_they_are_extracted():
    """-Y "position.x == VALUE", with a value printed by -T fields, finds exactly the frames with it."""
    path = leviathan.capture("session")
    names = [f"leviathan.{name}" for name in ("position.x", "position.y", "position.z", "orientation.w")]
    frames, numbers = {}, {}
    for frame, (packet, datagram) in enumerate(zip(tshark.fields(path, names), datagrams("session")), 1):
        for name in names:
            for text in packet[name]:
                frames.setdefault((name, text), set()).add(frame)
        for value in reference.decode(datagram.payload):
            if isinstance(value.value, float):
                numbers.setdefault(f"leviathan.{value.name}", set()).add(value.value)
    # There are as many texts as numbers: two different numbers have different texts.
    assert {name: sum(one == name for one, _ in frames) for name in names} == {
        name: len(numbers[name]) for name in names
    }
    filters, expected = [], []
    for name, text in sorted(frames)[:: max(1, len(frames) // 12)]:
        # 4.0 does not accept the plus sign of an exponent.
        condition, with_it = f"{name} == {text.replace('e+', 'e')}", frames[name, text]
        filters += [condition, f"{condition} && ({' || '.join(f'frame.number == {frame}' for frame in with_it)})"]
        expected += [len(with_it)] * 2
    assert tshark.counts(path, filters) == expected, filters


@pytest.mark.parametrize("name", ("session", "two-clients", "ipv6", "every-message", "mid-conversation"))
def test_losses_are_those_of_the_engines_rule(name):
    sent = datagrams(name)
    expected = reference.losses(sent, reference_values(name))
    found = extracted(read_with(name))[leviathan.capture(name)]
    lost_in = {frame: int(packet[LOSSES[0]][0]) for frame, packet in enumerate(found, 1) if packet[LOSSES[0]]}
    shown = {(int(one), frame) for frame, packet in enumerate(found, 1) for one in packet[LOSSES[1]]}
    assert lost_in == expected
    assert shown == set(expected.items())
    assert {frame for frame, packet in enumerate(found, 1) if packet[LOSSES[2]]} == set(expected)


# Kinds of items that only this capture has: nested packets, undecoded bytes. all/test_existence.py has the others.
ALONE = ("ignored_ack", "ignored_block", "ack_only.acks", "undecoded", "trailing")


@pytest.mark.parametrize("name", ALONE)
def test_a_field_that_is_referenced_alone_is_found(name):
    """No other item of the protocol is added, not even its parents."""
    packets = trees(read_with("malformed"))["malformed"]
    expected = [frame for frame, item in enumerate(packets, 1) if item.all(f"leviathan.{name}")]
    args = ["-2", "-Y", f"leviathan.{name}"]
    lines = tshark.run(args, leviathan.capture("malformed"), prefs=leviathan.PORTS).stdout.splitlines()
    assert expected and [int(line.split()[0]) for line in lines] == expected
