# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every value of every capture, its text and its bytes, is what a decoder that shares no code with ours reads.

Allowed differences, and no others:
  - items without bytes (what the analysis adds) and containers have no counterpart;
  - tshark writes a bool as 1 or True, by its version;
  - tshark extracts bytes of no length as "<MISSING>".
"""

import struct

import pytest

import gamewire_tshark as tshark
from plugin.leviathan import decoding as leviathan
import leviathan_reference as reference

CONTAINERS = ("leviathan.message", "leviathan.component", "leviathan.ignored_block")


def options_of(name):
    return {"old": name == "old-numbering", "documented_acks": name == "session-documented-acks"}


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
    packets = leviathan.decode(leviathan.capture(name), "-2", prefs=leviathan.preferences(name))
    sent = datagrams(name)
    assert len(packets) == len(sent)
    for frame, (item, datagram) in enumerate(zip(packets, sent), 1):
        expected = [one for one in reference.decode(datagram.payload, **options_of(name)) if one.length]
        found = list(shown_values(item, item.pos))
        assert [one[:3] for one in found] == [tuple(one)[:3] for one in expected], frame
        for (field, _, _, text), value in zip(found, expected):
            assert same(text, value.value), (frame, field, text, value)


@pytest.mark.parametrize("name", leviathan.NAMES)
def test_every_value_can_be_extracted_as_it_is_shown(name):
    """tshark -T fields, all occurrences of all fields."""
    sent = datagrams(name)
    expected = [reference.decode(datagram.payload, **options_of(name)) for datagram in sent]
    names = sorted({f"leviathan.{value.name}" for values in expected for value in values})
    found = tshark.fields(leviathan.capture(name), names, "-2", prefs=leviathan.preferences(name))
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
    for name, text in sorted(frames)[:: max(1, len(frames) // 12)]:
        # 4.0 does not accept the plus sign of an exponent.
        condition = f"{name} == {text.replace('e+', 'e')}"
        filtered = tshark.run(["-Y", condition, "-T", "fields", "-e", "frame.number"], path).stdout
        assert {int(frame) for frame in filtered.split()} == frames[name, text], condition


@pytest.mark.parametrize("name", ("session", "two-clients", "ipv6", "every-message", "mid-conversation"))
def test_losses_are_those_of_the_engines_rule(name):
    sent = datagrams(name)
    decoded = [reference.decode(datagram.payload) for datagram in sent]
    expected = reference.losses(sent, decoded)
    names = ("leviathan.analysis.lost_in", "leviathan.analysis.lost_frame", "leviathan.analysis.lost")
    found = tshark.fields(leviathan.capture(name), names, "-2", prefs=leviathan.preferences(name))
    lost_in = {frame: int(packet[names[0]][0]) for frame, packet in enumerate(found, 1) if packet[names[0]]}
    shown = {(int(one), frame) for frame, packet in enumerate(found, 1) for one in packet[names[1]]}
    assert lost_in == expected
    assert shown == set(expected.items())
    assert {frame for frame, packet in enumerate(found, 1) if packet[names[2]]} == set(expected)


# Each kind of item, in a capture that has it: values, vectors, texts, nested packets, their sizes, containers, acks,
# results of the analysis, and undecoded bytes.
ALONE = {
    "message.number": "session",
    "message": "session",
    "check_value": "session",
    "ack": "session",
    "acks_frame": "session",
    "ack_rtt": "session",
    "ack_numbering.reason": "session",
    "response_to": "session",
    "analysis.lost_in": "session",
    "position.x": "every-message",
    "component": "every-message",
    "component.type": "every-message",
    "material": "every-message",
    "command": "every-message",
    "nested.size": "every-message",
    "update_data": "every-message",
    "ignored_ack": "malformed",
    "ignored_block": "malformed",
    "ack_only.acks": "malformed",
    "undecoded": "malformed",
    "trailing": "malformed",
}


@pytest.mark.parametrize("name", ALONE)
def test_a_field_that_is_referenced_alone_is_found(name):
    """No other item of the protocol is added, not even its parents."""
    capture = leviathan.capture(ALONE[name])
    packets = leviathan.decode(capture, "-2", prefs=leviathan.PORTS)
    expected = [frame for frame, item in enumerate(packets, 1) if item.all(f"leviathan.{name}")]
    args = ["-2", "-Y", f"leviathan.{name}"]
    lines = tshark.run(args, capture, prefs=leviathan.PORTS).stdout.splitlines()
    assert expected and [int(line.split()[0]) for line in lines] == expected
