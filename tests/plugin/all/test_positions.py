# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""In PDML each item has the position of its bytes: inside the frame, or inside the data source that contains it.

PDML adds the position of the parent to that of an item that begins before it. So no item may begin before its
parent, except those that preferences or a filter add: a Variant's header and key are below the item of its value.
"""

import re
import xml.etree.ElementTree as ElementTree

import pytest

import gamewire_tshark as tshark
from plugin.all.test_outputs import CAPTURES

# Items in a separate data source, below an item of the frame.
OTHER_SOURCES = {"enet.entry", "enet.reassembly.fragments", "squirrel.fragments", "squirrel.joined"}


def source_lengths(capture):
    """The length of each packet's longest data source. If there are several, their hexadecimal lines have names."""
    text = tshark.run(["-2", "-x", "-P", "-T", "text"], capture).stdout
    lengths = []
    for block in re.split(r"^ *\d+ +\d+\.\d+ .*\n\n", text, flags=re.MULTILINE)[1:]:
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


def frame_length(packet):
    return int(packet.find("./proto[@name='geninfo']/field[@name='caplen']").get("show"))


def outside_of_sources(packets, lengths):
    return [item for packet, length in zip(packets, lengths, strict=True) for layer in packet
            if layer.get("name") in tshark.PROTOCOLS for item in outside(layer, {int(layer.get("pos"))}, length)]


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: str(path.relative_to(tshark.PCAPS)))
def test_items_are_inside_their_parents_bytes(capture):
    text = tshark.run(["-2", "-T", "pdml"], capture).stdout
    packets = list(ElementTree.fromstring(text.encode()).iter("packet"))
    assert packets
    # Most captures have no longer source than the frame.
    if outside_of_sources(packets, map(frame_length, packets)):
        assert outside_of_sources(packets, source_lengths(capture))[:9] == []
