# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The presence of a field does not depend on other fields that are referenced: `-Y field` alone finds the packets that have the field in
a tree with everything."""

import functools

import pytest

import gamewire_tshark as tshark

CAPTURES = ("enet/channels", "enet/every-command", "godot/variant/godot-4.6.3-game", "godot/variant/godot-4.6.3",
            "godot/stream/godot-4.6.3-stream-mixed", "godot/debugger/godot-4.6.3-debugger",
            "godot/multiplayer/godot-4.6.3-spawn", "godot/multiplayer/godot-3.6-calls", "leviathan/session",
            "leviathan/every-message", "squirrel/session", "squirrel/every-value", "squirrel/every-frame", "squirrel/raknet")
EVERYTHING = {"godot.show_headers": True, "godot.show_values": True, "squirrel.show_headers": True}


def capture(name):
    return tshark.PCAPS / f"{name}.pcap"


def ours():
    return [field.filter for field in tshark.registered_fields() if field.filter.startswith(tshark.PROTOCOLS)]


@functools.lru_cache(maxsize=None)
def packets_of_each():
    """{capture: its packets}, if all fields are referenced."""
    return tshark.fields_of_each(tuple(map(capture, CAPTURES)), ["frame.number", *ours()], "-2", prefs=EVERYTHING)


def frames_with(name):
    """{field: the frames that have it}"""
    found = {}
    for packet in packets_of_each()[capture(name)]:
        for field in ours():
            if packet[field]:
                found.setdefault(field, []).append(int(packet["frame.number"][0]))
    return found


def frames_found(name, condition):
    printed = tshark.run(["-2", "-Y", condition, "-T", "fields", "-e", "frame.number"], capture(name)).stdout
    return [int(frame) for frame in printed.split()]


def quiet_frames_found(name, condition):
    """Without a visible tree: the packet list, whose first column is the frame's number."""
    printed = tshark.run(["-2", "-Y", condition, "-o", 'gui.column.format:"No.","%m"'], capture(name)).stdout
    return [int(frame) for frame in printed.split()]


def found_alone(name, fields):
    """{field: the frames that a filter of its name finds}, each without a visible tree and without the other fields.
    One sharkd for all: a start of tshark for each would take minutes."""
    requests = [{"method": "load", "params": {"file": str(tshark.readable(capture(name)))}}]
    requests += [{"method": "frames", "params": {"filter": field}} for field in fields]
    answers = tshark.sharkd(requests)[1:]
    return {field: [frame["num"] for frame in answer["result"]] for field, answer in zip(fields, answers, strict=True)}


@pytest.mark.parametrize("name", CAPTURES)
def test_a_field_that_is_filtered_for_alone_is_found_where_it_is(name):
    expected = frames_with(name)
    assert len(expected) > 10
    assert found_alone(name, list(expected)) == expected


@pytest.mark.parametrize("name, condition, count", [
    ("godot/multiplayer/godot-4.6.3-spawn", 'godot.path == "value[0]"', 190),
    ("godot/variant/godot-4.6.3-game", "godot.length == 2", 4),
    ("godot/variant/godot-4.6.3-game", "godot.length == 2 && godot.key", 4),
])
def test_a_value_is_found_with_a_tree_and_without(name, condition, count):
    assert len(frames_found(name, condition)) == count
    assert len(quiet_frames_found(name, condition)) == count
