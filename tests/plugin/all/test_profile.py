# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile in plugin/profile: every field in it exists, and every filter in it is one."""

import csv
import re

import pytest

import gamewire_tshark as tshark

PROFILE = tshark.SOURCE / "plugin" / "profile" / "Gamewire"
SAMPLE = tshark.PCAPS / "godot" / "godot-4.6.3-game.pcap"


def lines_of(name):
    return [line for line in (PROFILE / name).read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


def column_fields():
    return [
        field.strip()
        for column in re.findall(r"%Cus:([^:]+):", (PROFILE / "preferences").read_text(encoding="utf-8"))
        for field in column.split("||")
    ]


def filters():
    found = {f"colour {line.split('@')[1]}": line.split("@")[2] for line in lines_of("colorfilters")}
    found |= {f"button {row[1]}": row[2] for row in csv.reader(lines_of("dfilter_buttons"))}
    found |= {f"graph {row[1]}": row[2] for row in csv.reader(lines_of("io_graphs")) if row[2]}
    return found


def test_columns_name_fields_that_are_there():
    known = {field.filter for field in tshark.registered_fields()}
    assert column_fields()
    assert [field for field in column_fields() if field not in known] == []


def test_graphs_are_of_fields_that_are_there():
    known = {field.filter for field in tshark.registered_fields()}
    assert [row[6] for row in csv.reader(lines_of("io_graphs")) if row[6] and row[6] not in known] == []


@pytest.mark.parametrize("name", filters())
def test_each_filter_is_one(name):
    assert tshark.run(["-Y", filters()[name], "-c", "1"], SAMPLE, check=False).returncode == 0


def frames(text, capture):
    return [packet["frame.number"][0] for packet in tshark.fields(capture, ["frame.number"], "-2", "-Y", text)]


@pytest.mark.parametrize("name", ["colour Gamewire: call of a method", "button Calls", "graph Godot calls"])
@pytest.mark.parametrize("engine", ["3.2.3", "3.6", "4.6.3"])
def test_calls_are_found_without_tables_of_names(name, engine):
    """Godot 4 sends the number of a method in place of its name."""
    capture = tshark.PCAPS / "godot-multiplayer" / f"godot-{engine}-calls.pcap"
    found = frames(filters()[name], capture)
    assert len(found) > 50
    assert found == frames('godot_mp.command == "REMOTE_CALL"', capture)
