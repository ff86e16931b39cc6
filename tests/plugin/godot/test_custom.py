# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Custom fields: the path of a value, a name and a type make a field that filters and columns can use."""

import re

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.godot.variants import encode

CALLS = tshark.PCAPS / "godot-multiplayer" / "godot-4.6.3-calls.pcap"


def row(name, path, kind):
    quoted = path.replace('"', "\\x22")
    return ["-o", f'uat:godot_custom_fields:"{name}","{quoted}","{kind}"']


def tables():
    options = []
    for line in (CALLS.parent / "profile" / "godot_rpc_names").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            options += ["-o", f"uat:godot_rpc_names:{line}"]
    return options


@pytest.fixture(scope="module")
def game():
    path = tshark.scratch() / "custom.pcap"
    document = {"players": [{"hp": 100, "name": "Åsa"}, {"hp": 7.5, "name": "Bo"}], "won": True, "a]b": 3}
    payloads = [encode(document), encode({"players": [{"hp": 3}]})]
    tshark.write_pcap(path, [tshark.Udp(40000, 40001, payload) for payload in payloads])
    return path


def values(path, name, *options):
    return [packet[f"godot.custom.{name}"] for packet in tshark.fields(path, [f"godot.custom.{name}"], *options)]


def test_a_path_is_a_field(game):
    won = values(game, "won", *row("won", '["won"]', "bool"))
    assert [[tshark.BOOLEANS.get(value, value) for value in packet] for packet in won] == [["1"], []]


def test_a_star_is_any_element_or_key(game):
    assert values(game, "hp", *row("hp", '["players"][*]["hp"]', "int")) == [["100", "7"], ["3"]]
    assert values(game, "any", *row("any", "[*]", "int")) == [["1", "3"], []]


def test_types_decide_what_is_shown(game):
    assert values(game, "hp", *row("hp", '["players"][1]["hp"]', "float")) == [["7.5"], []]
    assert values(game, "hp", *row("hp", '["players"][0]["hp"]', "string")) == [["100"], ["3"]]
    assert values(game, "name", *row("name", '["players"][*]["name"]', "string")) == [["Åsa", "Bo"], []]
    assert values(game, "name", *row("name", '["players"][*]["name"]', "int")) == [[], []]


def test_a_graph_over_time_shows_its_values(tmp_path):
    """What Statistics > I/O Graphs draws of a field, as numbers."""
    payloads = [encode({"players": [{"hp": 100 - n, "name": "Bo"}], "t": n}) for n in range(8)]
    path = tshark.write_pcap(tmp_path / "hp.pcap", [tshark.Udp(40000, 40001, one, n / 2) for n, one in enumerate(payloads)])
    hp = row("hp", '["players"][*]["hp"]', "int")
    printed = tshark.run(["-q", "-z", "io,stat,1,AVG(godot.custom.hp)godot.custom.hp", *hp], path).stdout
    averages = re.findall(r"^\|\s*\d+ <> \s*\w+ *\|\s*(\d+) *\|", printed, re.MULTILINE)
    assert [int(average) for average in averages] == [99, 97, 95, 93]


def test_two_paths_may_be_one_field(game):
    rows = row("one", '["won"]', "int") + row("one", '["a]b"]', "int")
    assert values(game, "one", *rows) == [["1", "3"], []]


def test_filters_take_path_and_value_together(game):
    found = tshark.fields(game, ["frame.number"], *row("hp", '["players"][*]["hp"]', "int"), "-Y", "godot.custom.hp < 5")
    assert [packet["frame.number"] for packet in found] == [["2"]]


def test_arguments_of_calls_are_fields():
    log = gamewire_records.read("godot-multiplayer", "godot-4.6.3-calls.calls")
    logged = {int(line["arguments"][0]) for line in log
              if line["event"] == "call" and line["method"] == "take_damage"}
    found = values(CALLS, "damage", *tables(), *row("damage", "take_damage(0)", "int"))
    assert {int(value) for packet in found for value in packet} == logged


@pytest.mark.parametrize("name", ["Hp", "1hp", "h-p", ""])
def test_names_that_no_field_can_have_are_refused(game, name):
    result = tshark.run(row(name, "x", "int"), game, check=False)
    assert result.returncode != 0 or "godot.custom" not in result.stdout
