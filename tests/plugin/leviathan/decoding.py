# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Leviathan packets: as bytes, as recorded by their sender, and as decoded by tshark."""

import struct
import xml.etree.ElementTree as ElementTree
from typing import Any, NamedTuple

import gamewire_records
import gamewire_tshark as tshark

CAPTURES = tshark.PCAPS / "leviathan"
NAMES = (
    "session",
    "session-documented-acks",
    "every-message",
    "ipv6",
    "two-clients",
    "mid-conversation",
    "old-numbering",
    "malformed",
)


def capture(name):
    return CAPTURES / f"{name}.pcap"


# With this port, each packet is decoded, also on the first pass and also without evidence.
PORTS = {"leviathan.udp.port": f"{tshark.SERVER_PORT},53221"}


def preferences(name):
    """The command line of a user."""
    return {"leviathan.numbering": "2017-04-05", **PORTS} if name == "old-numbering" else PORTS


def records(name):
    """The sender's records: one dict per packet."""
    return gamewire_records.read("leviathan", name)


# ---- tshark's tree --------------------------------------------------------------------------------------------


class Item(NamedTuple):
    """An item of the tree: its field, its value as shown, its label, its bytes, and what is below it."""

    name: str
    show: str
    label: str
    value: str
    pos: int
    size: int
    items: Any

    def all(self, name):
        """The items of this name below it, at any depth, in order."""
        found = []
        for item in self.items:
            if item.name == name:
                found.append(item)
            found += item.all(name)
        return found

    def shown(self, name):
        return [item.show for item in self.all(name)]

    def numbers(self, name):
        return [int(show, 0) for show in self.shown(name)]


def _item(element):
    return Item(
        element.get("name", ""),
        element.get("show", ""),
        element.get("showname", ""),
        element.get("value", ""),
        int(element.get("pos", 0)),
        int(element.get("size", 0)),
        [_item(child) for child in element if child.tag == "field"],
    )


def decode(path, *args, **options):
    """Each packet's leviathan item, or None for packets that are not Leviathan's."""
    root = ElementTree.fromstring(tshark.run(["-T", "pdml", *args], path, **options).stdout)
    found = []
    for packet in root.findall("packet"):
        protocol = packet.find("proto[@name='leviathan']")
        found.append(None if protocol is None else _item(protocol))
    return found


def field_values(path, name, *args, **options):
    """For each packet, the values of one field."""
    return [packet[name] for packet in tshark.fields(path, [name], *args, **options)]


# ---- bytes ----------------------------------------------------------------------------------------------------


def u32(*numbers):
    return b"".join(struct.pack(">I", number & 0xFFFFFFFF) for number in numbers)


def string(text):
    data = text.encode() if isinstance(text, str) else text
    return u32(len(data)) + data


def request(number, kind, payload=b""):
    return b"\x28" + u32(number) + struct.pack(">H", kind) + payload


def response(number, kind, to=0, payload=b""):
    return b"\x12" + u32(number) + struct.pack(">H", kind) + u32(to) + payload


def pack_acks(ids, documented=False):
    """Start ack, count and bits; only a start of 0 if there are no ids."""
    if not ids:
        return u32(0)
    bits = sum(1 << (one - ids[0]) for one in ids)
    size = (ids[-1] - ids[0]) // 8 + 1
    return u32(ids[0] - documented) + bytes([size]) + bits.to_bytes(size, "little")


def normal(packet_id, *messages, acks=(), documented=False):
    return b"Ln" + u32(packet_id) + pack_acks(list(acks), documented) + bytes([len(messages)]) + b"".join(messages)


def ack_only(*ids):
    return b"La" + bytes([len(ids)]) + u32(*ids)


CONNECT, ECHO, KEEPALIVE, CLOSE, NONE = 0, 15, 4, 5, 28


def hello(packet_id=1001, number=1, **options):
    return normal(packet_id, request(number, CONNECT, u32(42)), **options)
