# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine's documentation page, "Format of Leviathan packets": each of its fields, in its order, under a name
that its reader recognises."""

import re

import leviathan_decoding as leviathan
from leviathan_decoding import CONNECT, ack_only, normal, request, response, u32

# What the page calls each field, and its bytes in the packets below.
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

# The collapsed acks show what they stand for; data are the fields of each type.
SHOWN_AS = {"PKT_ID": "Packet ID", "Packed acks": "Acks", "Data": "Check value"}

CONTAINERS = ("leviathan.message", "leviathan.ack")


def rows(item):
    """(name, bytes) of each item that the packet says itself, in order."""
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
    assert labels == ["Type: Normal packet (0x4c6e)", "Type: Ack only packet (0x4c61)"]
