# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which synchronizers of a scene are in a spawn: those whose root is the spawned node, if the spawning peer is their
authority."""

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.variants import words
from plugin.godot.multiplayer.samples import CHECKSUM, DECODE_AS, connected, property_table

SPAWNER = b"\x01" + bytes.fromhex(CHECKSUM) + words(6) + b"Main/Spawner\0"
INT, TRUE = b"\x02\x07", b"\x81"  # a number and a bool in multiplayer's compressed form


def spawn(ids, state):
    """A node with the name "1", spawned by a function of the game, whose data is null."""
    return b"\x04\xff" + words(6, 3, len(ids), 2, *ids) + b"1\0" + words(4) + words(0) + state


def sync(net_id, values):
    return b"\x06\x05\x00" + words(net_id, len(values)) + values


def row(synchronizer, root, names, types, scene="res://player.tscn"):
    return [f'"{kind}","{scene}","Player/{synchronizer}","{root}","{names}","{types}"' for kind in ("spawn", "sync")]


def names(udp_capture, rows, *messages):
    """For each message the names of its properties."""
    path = udp_capture(*connected((True, SPAWNER), *((True, message) for message in messages)))
    found = tshark.fields(path, ["godot_mp.sync.property"], *DECODE_AS, *property_table(rows))
    return [packet["godot_mp.sync.property"] for packet in found[3:]]


HP = row("State", "Player", "hp", "int")
ARMED = row("Arms", "Player", "armed", "bool")
AIM = row("Aim", "Player", "aim", "int")
INPUT = row("Input/Sync", "Player/Input", "jumps", "int")
OTHER = row("Sync", "Player", "other", "int", "res://other.tscn")
MANY = [each for number in range(8) for each in row(f"Number{number}", "Player", f"number{number}", "String")]


@pytest.mark.parametrize("rows, ids, state, expected", [
    (HP, [4], INT, [["hp"], ["hp"]]),
    (INPUT + HP, [4], INT, [["hp"], ["hp"]]),
    (INPUT, [4], INT, [[], []]),
    (ARMED + HP, [4], INT, [["hp"], ["hp"]]),
    (ARMED + HP, [5, 4], TRUE + INT, [["armed", "hp"], ["hp"]]),
    (ARMED + HP, [4, 5], INT + TRUE, [[], []]),
    (AIM + HP, [4], INT, [[], []]),
    (AIM + HP, [5, 4], INT + INT, [["aim", "hp"], ["hp"]]),
    (AIM + HP + OTHER, [4], INT, [[], []]),
    (ARMED + HP + OTHER, [5, 4], TRUE + INT, [["armed", "hp"], ["hp"]]),
    (HP + MANY[:-2], [4], INT, [["hp"], ["hp"]]),
    (HP + MANY, [4], INT, [[], []]),
    (HP + MANY + OTHER, [4], INT, [[], []]),
])
def test_a_spawn_carries_synchronizers_of_the_node_itself(rows, ids, state, expected, udp_capture):
    """After it synchronizer 4 sends a sync with one int. Of more than eight synchronizers none is chosen."""
    assert names(udp_capture, rows, spawn(ids, state), sync(4, INT)) == expected
