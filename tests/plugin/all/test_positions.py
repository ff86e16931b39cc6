# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""In PDML each item has the position of its bytes: inside the frame, or inside the data source that contains it.

PDML adds the position of the parent to that of an item that begins before it. So no item may begin before its
parent, except those that preferences or a filter add: a Variant's header and key are below the item of its value.
"""

import io
import re
import xml.etree.ElementTree as ElementTree

import pytest

import gamewire_tshark as tshark
from plugin.all.test_outputs import FOLDERS, captures_of

# Items in a separate data source, below an item of the frame.
OTHER_SOURCES = {"enet.entry", "enet.reassembly.fragments", "squirrel.fragments", "squirrel.joined"}


def source_lengths(capture):
    """The length of each packet's longest data source. If there are several, their hexadecimal lines have names."""
    text = tshark.run(["-2", "-x", "-P", "-T", "text"], capture).stdout
    lengths = []
    for block in re.split(r"^ *\d+ +-?\d+\.\d+ .*\n\n", text, flags=re.MULTILINE)[1:]:
        named = [int(length) for length in re.findall(r"^[^\n]* \((\d+) bytes\):$", block, re.MULTILINE)]
        rows = re.findall(r"^([0-9a-f]{4,})  ((?:[0-9a-f]{2} ?)+)", block, re.MULTILINE)
        lengths.append(max(named or [int(rows[-1][0], 16) + len(rows[-1][1].split())]))
    return lengths


def outside(parent, begins, length):
    """The items below an item that end outside of a length. PDML may have added `begins` to their positions."""
    for item in parent:
        start, size = int(item.get("pos", 0)), int(item.get("size", 0))
        starts = {start}
        if item.get("name") in OTHER_SOURCES:
            starts |= {start - begin for begin in begins if start >= begin}
        if min(starts) + size > length:
            yield item.get("name"), start, size, length
        yield from outside(item, starts, length)


def packets_of(text):
    """Each packet of a PDML document; its items are there until the next one."""
    for _, element in ElementTree.iterparse(io.BytesIO(text.encode())):
        if element.tag == "packet":
            yield element
            element.clear()


def number_of(packet, name):
    return int(packet.find(f"./proto[@name='geninfo']/field[@name='{name}']").get("show"))


def outside_of_sources(text, length_of):
    for packet in packets_of(text):
        for layer in packet:
            if layer.get("name") in tshark.PROTOCOLS:
                yield from outside(layer, {int(layer.get("pos"))}, length_of(packet))


@pytest.mark.parametrize("folder", FOLDERS)
def test_items_are_inside_their_parents_bytes(folder):
    capture = captures_of(folder)
    text = tshark.run(["-2", "-T", "pdml", *tshark.only_ours()], capture).stdout
    assert text.count("<packet>") > 1
    # Most packets have no longer source than the frame.
    if any(outside_of_sources(text, lambda packet: number_of(packet, "caplen"))):
        lengths = source_lengths(capture)
        assert len(lengths) == text.count("<packet>")
        assert list(outside_of_sources(text, lambda packet: lengths[number_of(packet, "num") - 1]))[:9] == []
