# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Custom protocols are not recognized: of 2,000 conversations of structured payloads, each dissector accepts only
those that have exactly its format, which layouts.ALIKE lists.
"""

import collections
import functools

import pytest

import gamewire_tshark as tshark
import layouts
from heuristics import alone, taken

# With a snapshot length of 54 bytes, 12 bytes of a UDP payload over IPv4 and Ethernet are captured.
SNAPSHOTS = {"whole": None, "cut_at_54": 12}
PASSES = {"one_pass": (), "two_passes": ("-2",)}


@functools.lru_cache(maxsize=None)
def capture(snapshot):
    """The capture, and for each packet the number and the layout of its conversation."""
    path = tshark.scratch() / f"layouts-{snapshot}.pcap"
    return path, layouts.write(path, SNAPSHOTS[snapshot])


@functools.lru_cache(maxsize=None)
def conversations_taken(snapshot, passes):
    """{protocol: Counter of the layouts of the conversations with a packet that it accepted}"""
    path, names = capture(snapshot)
    found = {family: set() for family in tshark.PROTOCOLS}
    rows = taken(path, *PASSES[passes], *alone(), env=tshark.without_memory_checks() if passes == "one_pass" else {})
    for name, families in zip(names, rows):
        for family in families:
            found[family].add(name)
    return {family: collections.Counter(name for _, name in sorted(found[family])) for family in found}


@pytest.mark.parametrize("snapshot", SNAPSHOTS)
@pytest.mark.parametrize("family", tshark.PROTOCOLS)
def test_no_layout_is_recognized(family, snapshot):
    allowed = layouts.ALIKE if family == "godot" else {}
    for passes in PASSES:
        found = conversations_taken(snapshot, passes)[family]
        wrong = {name: count for name, count in found.items() if name not in allowed}
        assert not wrong, f"{passes}: {sum(wrong.values())} of {layouts.CONVERSATIONS} conversations"


def test_payloads_equal_to_our_formats_are_recognized():
    """The list has no unnecessary entries: a layout that is never accepted must be removed."""
    assert not set(layouts.ALIKE) - set(conversations_taken("whole", "two_passes")["godot"])


def test_there_are_2000_conversations_of_many_layouts():
    _, names = capture("whole")
    assert len(set(names)) == layouts.CONVERSATIONS
    assert len(names) == layouts.CONVERSATIONS * layouts.PACKETS
    assert len({name for _, name in names}) > 700


def test_the_layouts_are_the_same_each_time():
    first = layouts.conversations(7)[::97]
    assert first == layouts.conversations(7)[::97]
    assert first != layouts.conversations(8)[::97]
