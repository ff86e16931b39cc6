# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The label of a protocol's item is the value of the protocol: `tshark -T fields -e enet` prints the label of the
tree, in each form of the option."""

import functools
import xml.etree.ElementTree as ElementTree

import pytest

import gamewire_tshark as tshark

CAPTURES = ("enet/channels", "godot/variant/godot-4.6.3-game", "godot/stream/godot-4.6.3-stream", "godot/debugger/godot-4.6.3-debugger",
            "godot/multiplayer/godot-4.6.3-calls", "godot/remote_fs/godot-4.6.3-remote-fs", "leviathan/session", "squirrel/session",
            "squirrel/split")
BETWEEN = "\x1e"


def of_each(rows):
    """{name: rows of its packets}, of the rows of all captures as one."""
    _, begins = together()
    assert len(rows) == begins[-1]
    return {name: rows[first:last] for name, first, last in zip(CAPTURES, begins, begins[1:])}


def together():
    return tshark.together(tuple(tshark.PCAPS / f"{name}.pcap" for name in CAPTURES))


@functools.lru_cache(maxsize=None)
def shown():
    """{name: for each packet, the labels of the protocol items}"""
    packets = ElementTree.fromstring(tshark.run(["-2", "-T", "pdml", *tshark.only_ours()], together()[0]).stdout).iter("packet")
    return of_each([
        {protocol: [item.get("showname") for item in packet.iter("proto") if item.get("name") == protocol]
         for protocol in tshark.PROTOCOLS} for packet in packets
    ])


@functools.lru_cache(maxsize=None)
def extracted(protocol, *spelling):
    """{name: for each packet, the values of the protocol}; without other fields, so that no other is referenced."""
    options = ["-2", "-T", "fields", "-E", f"aggregator={BETWEEN}", *spelling, protocol]
    lines = tshark.run(options, together()[0]).stdout.split("\n")[:-1]
    return of_each([line.replace("\\\\", "\\").split(BETWEEN) if line else [] for line in lines])


def pairs():
    return [(name, protocol) for name in CAPTURES for protocol in tshark.PROTOCOLS
            if any(packet[protocol] for packet in shown()[name])]


def test_every_protocol_is_in_one_of_the_captures():
    assert {protocol for _, protocol in pairs()} == set(tshark.PROTOCOLS)


@pytest.mark.parametrize("spelling", (["-e"], ["-ne"]), ids="".join)
@pytest.mark.parametrize("name", CAPTURES)
def test_a_protocol_is_extracted_as_the_tree_shows_it(name, spelling):
    for protocol in [protocol for one, protocol in pairs() if one == name]:
        # For an item without a label Wireshark prints the filter name here, and the title in the tree.
        wanted = [[protocol if line == tshark.protocol_titles()[protocol] else line.replace("\\\\", "\\") for line in packet[protocol]]
                  for packet in shown()[name]]
        assert extracted(protocol, *spelling)[name] == wanted, protocol
