# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""If a name is missing, the item of its number says so; the first one in a message has the reason, and the table that would contain
it."""

import re

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.multiplayer.samples import DECODE_AS, PEERS, SCRIPT, connected, define, property_table, tables

FOLDER = tshark.PCAPS / "godot/multiplayer"

WRITES = "; rpc_names.gd writes that table"
NAME, PROPERTIES = " (name unknown)", " (names of properties unknown)"
NO_SCRIPT = f"godot_rpc_names has no script with this path's checksum{WRITES}"
NO_SYNCHRONIZER = f"godot_rpc_properties has no synchronizer with this path and these values{WRITES}"
NO_SPAWNER = f"godot_rpc_properties has no spawner with this path{WRITES}"
NO_SCENE = f"godot_rpc_properties has no scene with these values{WRITES}"
REASON = "godot_mp.name_reason"


def lines_of(name, path, *options):
    shown = tshark.verbose(path, "-O", "godot_mp", "-2", *options)
    return re.findall(rf"^ *{name}: (\d+)(.*)$", shown, re.MULTILINE)


def reasons(path, *options):
    return {reason for packet in tshark.fields(path, [REASON], "-2", *options) for reason in packet[REASON]}


def test_a_method_number_without_name_names_the_missing_table():
    path = FOLDER / "godot-4.6.3-calls.pcap"
    without, named = lines_of("Method id", path), lines_of("Method id", path, *tables())
    assert len(without) > 100
    assert {text for _, text in without} == {NAME}
    assert reasons(path) == {NO_SCRIPT} and reasons(path, *tables()) == set()
    assert all(re.fullmatch(r" \([a-z_]+\)", text) for _, text in named)
    assert [number for number, _ in without] == [number for number, _ in named]


@pytest.mark.parametrize("kind", ["spawn", "owners", "custom"])
def test_a_synchronizer_and_a_scene_without_name_name_the_missing_table(kind):
    """If no values follow, no name is missing."""
    path = FOLDER / f"godot-4.6.3-{kind}.pcap"
    ids, scenes = lines_of("Net id", path), lines_of("Scene index", path)
    assert {text for _, text in ids} == {PROPERTIES, ""}
    assert scenes and {text for number, text in scenes if number != "255"} <= {NAME}
    assert {text for number, text in scenes if number == "255"} <= {PROPERTIES, ""}
    assert {NO_SYNCHRONIZER, NO_SCENE if kind == "custom" else NO_SPAWNER} <= reasons(path)
    assert reasons(path) <= {NO_SYNCHRONIZER, NO_SCENE, NO_SPAWNER, NO_SCRIPT} and reasons(path, *tables()) == set()
    named = lines_of("Net id", path, *tables()) + lines_of("Scene index", path, *tables())
    assert {text for _, text in named} == {""}


UNDEFINED = [
    ("Method id", "80 06 05", NAME, "the packet that defines the path was not captured before"),
    ("Net id", "06 0500 06000080 02000000 0201", PROPERTIES, "the packet that defines the id was not captured before"),
    ("Scene index", "04 00 06000000 03000000 00000000 02000000 6100", NAME,
     "the packet that defines the spawner's path was not captured before"),
]


def test_without_the_definition_no_table_has_the_name(udp_capture):
    conversations = [[tshark.request(datagram(reliable(1, bytes.fromhex(message))))] for _, message, _, _ in UNDEFINED]
    path = udp_capture(*tshark.apart(conversations))
    assert [lines_of(name, path, *DECODE_AS, *tables())[0][1] for name, _, _, _ in UNDEFINED] == [text for _, _, text, _ in UNDEFINED]
    assert [packet[REASON] for packet in tshark.fields(path, [REASON], *DECODE_AS, *tables())] == [[text] for _, _, _, text in UNDEFINED]


def test_a_reason_is_there_once_in_a_message(udp_capture):
    """A sync with three updates, whose ids no packet defines: each says that the names are unknown."""
    update = "06000080 02000000 0201"
    path = udp_capture(tshark.request(datagram(reliable(1, bytes.fromhex("06 0500" + 3 * update)))))
    assert [text for _, text in lines_of("Net id", path, *DECODE_AS)] == 3 * [PROPERTIES]
    found = tshark.fields(path, [REASON], *DECODE_AS)
    assert [packet[REASON] for packet in found] == [["the packet that defines the id was not captured before"]]


def test_of_two_scenes_a_node_is_of_the_one_whose_name_it_has(udp_capture):
    """The engine adds numbers and "@" to the name of a scene's root when there are several nodes."""
    expected = {"Coin": ["value"], "Coin2": ["value"], "@Coin@2": ["value"], "Gem": ["worth"],
                "Coiner": [], "@Coin@x": [], "Co": [], "Other": []}
    rows = [f'"sync","res://{scene}.tscn","{scene}/Sync","{scene}","{name}","int"' for scene, name in (("Coin", "value"), ("Gem", "worth"))]
    sync = bytes.fromhex("06 0500 06000080 02000000 0201")
    conversations = [connected((True, bytes.fromhex(define(6, f"Main/{node}/Sync"))), (True, sync)) for node in expected]
    found = tshark.fields(udp_capture(*tshark.apart(conversations)), ["godot_mp.sync.property", "godot_mp.sync.path"], *DECODE_AS,
                          *property_table(rows))
    assert [packets[-1] for packets in tshark.split(found, conversations)] == [
        {"godot_mp.sync.property": names, "godot_mp.sync.path": [f"Main/{node}/Sync"]} for node, names in expected.items()]


def test_a_number_that_the_script_does_not_have_is_not_a_missing_name(udp_capture):
    """The expert info has the reason."""
    path = udp_capture(*connected(*PEERS["godot_mp.rpc.method.unknown"]))
    assert lines_of("Method id", path, *DECODE_AS) == [("99", NAME)]
    assert lines_of("Method id", path, *DECODE_AS, *SCRIPT) == [("99", "")]
