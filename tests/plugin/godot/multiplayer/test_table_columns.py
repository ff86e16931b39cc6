# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of the tables of names: without their last column, as they were written before it was added, or are by hand; and rows that
cannot be read."""

import pytest

import gamewire_tshark as tshark
from plugin.godot.multiplayer.samples import SCRIPT, tables

SPAWN = tshark.PCAPS / "godot/multiplayer" / "godot-4.6.3-spawn.pcap"
NAMES = ["godot_mp.rpc.method", "godot_mp.value.name", "_ws.col.Info"]


def shown(options):
    return tshark.verbose(SPAWN, "-2", "-O", "godot_mp", *options)


def without_last_column(option):
    return option.rsplit(',"', 1)[0] if option.startswith("uat:") else option


def test_rows_without_the_last_column_are_accepted():
    whole = tables()
    short = [without_last_column(option) for option in whole]
    assert len(short) > 10 and sum(one != other for one, other in zip(short, whole)) == len(short) / 2
    # The types decide only where two scenes have as many properties, which is not so in this capture.
    assert shown(short) == shown(whole) != shown([])


def test_a_row_with_fewer_columns_is_an_error():
    done = tshark.run(["-o", 'uat:godot_rpc_properties:"sync","res://a.tscn"'], SPAWN, check=False)
    assert done.returncode != 0 and "godot_rpc_properties" in done.stderr


WRONG_ROWS = [
    ("godot_rpc_names", '"","join",""', "The script is empty"),
    ("godot_rpc_names", '"res://a.gd","join,,leave",""', "A name is missing in the list of methods: join,,leave"),
    ("godot_rpc_names", '"res://a.gd","join leave",""', "join leave is no name of a method"),
    ("godot_rpc_names", '"res://a.gd","join(0)",""', "join(0) is no name of a method"),
    ("godot_rpc_names", '"res://a.gd","*",""', "* is no name of a method"),
    ("godot_rpc_names", '"res://a.gd","7up",""', "7up is no name of a method"),
    ("godot_rpc_names", '"res://a.gd","join","ca25"', "ca25 is no MD5 of 32 hexadecimal digits"),
    ("godot_rpc_names", '"res://a.gd","join","ca2553d355c236b2991568c8b2dd2caz"', "is no MD5 of 32 hexadecimal digits"),
    ("godot_rpc_properties", '"always","res://a.tscn","A/S","A","hp","int"', "The kind is spawn, sync, delta or scenes, not always"),
    ("godot_rpc_properties", '"sync","","A/S","A","hp","int"', "The scene is empty"),
    ("godot_rpc_properties", '"sync","res://a.tscn","A/S","A","",""', "The list of properties is empty"),
    ("godot_rpc_properties", '"sync","res://a.tscn","A/S","A","hp,",""', "A name is missing in the list of properties: hp,"),
    ("godot_rpc_properties", '"scenes","res://a.tscn","A/S","A",",res://b.tscn",""', "A name is missing in the list of scenes"),
    ("godot_rpc_properties", '"sync","res://a.tscn","A/S","A","hp","int,int"', "There are more types than names: int,int"),
    ("godot_rpc_properties", '"sync","res://a.tscn","A/S","A","hp","integer"', "integer is no type of Godot 4"),
]
# As the addon writes them, and what a person may leave out.
ROWS = [
    ("godot_rpc_names", '"res://a.gd","","d41d8cd98f00b204e9800998ecf8427e"'), ("godot_rpc_names", '"res://ä.gd","ä_1, _leave ,*on_node",""'),
    ("godot_rpc_names", '"res://a.gd","join","CA2553D355C236B2991568C8B2DD2CAD"'),
    ("godot_rpc_properties", '"scenes","res://a.tscn","A/S","","",""'), ("godot_rpc_properties", '"delta","res://a.tscn","","","../Door:hp,x:y","int"'),
    ("godot_rpc_properties", '"spawn","res://a.tscn","A/S","A","a,b,c","Variant,,PackedVector4Array"'),
]


@pytest.mark.parametrize("table, row, reason", WRONG_ROWS, ids=str)
def test_a_row_that_names_nothing_is_refused(table, row, reason):
    done = tshark.run(["-c", "1", "-o", f"uat:{table}:{row}"], SPAWN, check=False)
    assert done.returncode != 0 and reason in done.stderr


@pytest.mark.parametrize("table", ["godot_rpc_names", "godot_rpc_properties"])
def test_such_a_row_of_a_file_is_reported(table, tmp_path):
    row, reason = next((row, reason) for name, row, reason in WRONG_ROWS if name == table)
    (tmp_path / table).write_text(row + "\n", encoding="utf-8")
    done = tshark.run(["-c", "1"], SPAWN, check=False, env={"WIRESHARK_CONFIG_DIR": str(tshark.readable(tmp_path))})
    assert reason in done.stderr


@pytest.mark.parametrize("table, row", ROWS, ids=str)
def test_a_row_of_the_addon_is_accepted(table, row):
    assert not tshark.run(["-c", "1", "-o", f"uat:{table}:{row}"], SPAWN).stderr
