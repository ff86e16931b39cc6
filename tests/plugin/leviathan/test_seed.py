# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine's documentation page, "Format of Leviathan packets": each of its fields, in the page's order, has a
field with a corresponding name."""

import re

from plugin.leviathan import decoding as leviathan
from plugin.leviathan.decoding import CONNECT, ack_only, normal, request, response, string, u32

# The page's name of each field, and its bytes in the packets below.
PACKET = (
    ("Type", "4c6e"),
    ("PKT_ID", "000003ea"),
    ("Start Ack", "000003e9"),
    ("Ack count", "01"),
    ("Packed acks", "03"),
    ("Message count", "01"),
)
RESPONSE = (
    ("Type", "12"),
    ("MessageNumber", "00000002"),
    ("ResponseType", "0000"),
    ("Response to", "00000001"),
    ("Data", "0000002a"),
)
REQUEST = (("Type", "28"), ("MessageNumber", "00000003"), ("RequestType", "0000"), ("Data", "0000002a"))
ACK_ONLY = (("Type", "4c61"), ("Ack Count", "02"), ("Acks", "000003e9000003ea"))

# Data are the fields of each type.
SHOWN_AS = {"PKT_ID": "Packet ID (PKT_ID)", "Data": "Check value"}

CONTAINERS = ("leviathan.message", "leviathan.ack")


def rows(item):
    """(name, bytes) of each item of bytes of the packet, in order."""
    for child in item.items:
        if child.size and child.name not in CONTAINERS:
            yield child.label.split(":")[0], child.value
        yield from rows(child)


def letters(name):
    return re.sub(r"[^a-z]", "", name.lower())


def check(item, *tables):
    expected = [(letters(SHOWN_AS.get(name, name)), data) for table in tables for name, data in table]
    assert [(letters(name), data) for name, data in rows(item)] == expected


def test_packet_and_response(udp_capture):
    payload = normal(1002, response(2, CONNECT, 1, u32(42)), acks=[1001, 1002])
    check(leviathan.decode(udp_capture(leviathan.tshark.request(payload)))[0], PACKET, RESPONSE)


def test_request(udp_capture):
    payload = normal(1002, request(3, CONNECT, u32(42)), acks=[1001, 1002])
    check(leviathan.decode(udp_capture(leviathan.tshark.request(payload)))[0], PACKET, REQUEST)


def test_ack_only_packet(udp_capture):
    path = udp_capture(leviathan.tshark.request(ack_only(1001, 1002)))
    check(leviathan.decode(path, prefs=leviathan.PORTS)[0], ACK_ONLY)


def test_packet_types_have_the_names_of_the_page(udp_capture):
    path = udp_capture(leviathan.tshark.request(normal(1001)), leviathan.tshark.request(ack_only(1001)))
    labels = [item.all("leviathan.type")[0].label for item in leviathan.decode(path, prefs=leviathan.PORTS)]
    assert labels == ['Type: Normal packet, "Ln" (0x4c6e)', 'Type: Ack only packet, "La" (0x4c61)']


def label(path, name, packet=0):
    return leviathan.decode(path, prefs=leviathan.PORTS)[packet].all(f"leviathan.{name}")[0].label


def test_zero_has_the_documented_meaning(udp_capture):
    path = udp_capture(
        leviathan.tshark.request(normal(1001, response(1, 28))),
        leviathan.tshark.request(normal(1002, response(2, 28, 7), acks=[1001])),
    )
    assert label(path, "start_ack") == "Start ack: no acks (0)"
    assert label(path, "response.to_number") == "Response to: nothing (0)"
    assert label(path, "start_ack", 1) == "Start ack: 1001"
    assert label(path, "response.to_number", 1) == "Response to: 7"


def test_fields_with_special_values_are_not_enumerations(udp_capture):
    """Numbers with a few special values are plain numbers except for those values."""
    world = [normal(1001, response(1, 18, 0, u32(1, kind) + string(""))) for kind in (1024, 1025)]
    blobs = (b"\0\0" + bytes(28), b"\x27\x10", b"\x27\x11")
    update = [
        normal(1001, response(1, 20, 0, u32(1, 2, tick, 9) + string(blob))) for tick, blob in zip((-1, 100, 0), blobs)
    ]
    join = [normal(1001, request(1, 9, u32(token))) for token in (-1, 5)]
    path = udp_capture(*map(leviathan.tshark.request, world + update + join))
    assert [label(path, "world_type", n) for n in (0, 1)] == ["World type: Standard world (1024)", "World type: 1025"]
    assert [label(path, "reference_tick", n) for n in (2, 3, 4)] == [
        "Reference tick: Full state (-1)",
        "Reference tick: 100",
        "Reference tick: 0",
    ]
    assert [label(path, "component.type", n) for n in (2, 3, 4)] == [
        "Component type: Position (0)",
        "Component type: Custom (10000)",
        "Component type: 10001",
    ]
    assert [label(path, "master_server_token", n) for n in (5, 6)] == [
        "Master server token: Joining directly (-1)",
        "Master server token: 5",
    ]


def test_size_of_a_nested_packet_is_a_field(udp_capture):
    path = udp_capture(leviathan.tshark.request(normal(1001, request(1, 14, string(b"abc")))))
    item = leviathan.decode(path, prefs=leviathan.PORTS)[0]
    assert item.numbers("leviathan.nested.size") == [3]


TEXTS = {
    b"plain": "plain",
    b"a\0b": "a\\0b",
    b"\0": "\\0",
    b"a\0\0b\0": "a\\0\\0b\\0",
    "d\u00e9j\u00e0 \u2192 \U0001f600".encode(): "d\u00e9j\u00e0 \u2192 \U0001f600",
    b"": "",
    b"x" * 5000 + b"\0" + b"y": "x" * 5000 + "\\0y",
}


def test_a_string_is_shown_to_its_end(udp_capture):
    """A string does not end at NUL: NUL is printed as \\0, in the tree, in extracted values and in filters."""
    path = udp_capture(*(leviathan.tshark.request(normal(1018, request(18, 13, string(text)))) for text in TEXTS))
    found = leviathan.field_values(path, "leviathan.command", prefs=leviathan.PORTS)
    assert found == [[text] for text in TEXTS.values()]
    sizes = [item.all("leviathan.command")[0].size for item in leviathan.decode(path, prefs=leviathan.PORTS)]
    assert sizes == [4 + len(text) for text in TEXTS]
    condition = 'leviathan.command contains "b\\\\0"'
    shown = leviathan.tshark.run(["-Y", condition, "-T", "fields", "-e", "frame.number"], path, prefs=leviathan.PORTS)
    assert shown.stdout.split() == ["4"]
