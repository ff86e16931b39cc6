# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Custom fields: a row with a path, a name and a type defines a field for filters and columns."""

import re

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.godot.variant.variants import WIDE, doubles, encode, words

CALLS = tshark.PCAPS / "godot/multiplayer" / "godot-4.6.3-calls.pcap"


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


def values(path, rows, *options):
    """{name: its values in each packet} of the fields that some rows (name, path, type) define, with one start of tshark."""
    names = list(dict.fromkeys(name for name, _, _ in rows))
    table = [part for each in rows for part in row(*each)]
    found = tshark.fields(path, [f"godot.custom.{name}" for name in names], *options, *table)
    return {name: [packet[f"godot.custom.{name}"] for packet in found] for name in names}


# The rows of all tests of the game's values.
OF_THE_GAME = []


def field(path, kind, name=None):
    """Adds a row. Returns the name of its field."""
    OF_THE_GAME.append((name or f"field_{len(OF_THE_GAME)}", path, kind))
    return OF_THE_GAME[-1][0]


@pytest.fixture(scope="module")
def shown(game):
    return values(game, OF_THE_GAME)


WON = field('["won"]', "bool")


def test_a_path_is_a_field(shown):
    assert [[tshark.BOOLEANS.get(value, value) for value in packet] for packet in shown[WON]] == [["1"], []]


EACH_HP, ANY = field('["players"][*]["hp"]', "int"), field("[*]", "int")


def test_a_star_is_any_element_or_key(shown):
    assert shown[EACH_HP] == [["100", "7"], ["3"]]
    assert shown[ANY] == [["1", "3"], []]


OF_A_TYPE = {
    field('["players"][1]["hp"]', "float"): [["7.5"], []],
    field('["players"][0]["hp"]', "string"): [["100"], ["3"]],
    field('["players"][*]["name"]', "string"): [["Åsa", "Bo"], []],
    field('["players"][*]["name"]', "int"): [[], []],
}


@pytest.mark.parametrize("name", OF_A_TYPE)
def test_the_type_of_a_row_selects_values(shown, name):
    assert shown[name] == OF_A_TYPE[name]


FLOATS = (-(2.0**63), -(2.0**63) - 2048, 2.0**63 - 1024, 2.0**63, float("nan"), float("inf"), -7.9, 0.5, 0.0)


def test_a_float_is_an_int_if_int64_can_hold_it_and_true_if_it_is_not_0(tmp_path):
    """As int() and bool() of the engine; the engine's int() of other floats depends on the processor."""
    path = tshark.write_pcap(tmp_path / "floats.pcap", [tshark.Udp(40000, 40001, words(3 | WIDE) + doubles(real)) for real in FLOATS])
    rows = [("integer", ".", "int"), ("truth", ".", "bool")]
    found = values(path, rows, "-d", "udp.port==40001,godot")
    held = [[str(int(real))] if -(2.0**63) <= real < 2.0**63 else [] for real in FLOATS]
    assert found["integer"] == held
    assert [tshark.BOOLEANS.get(value, value) for value, in found["truth"]] == ["1"] * 8 + ["0"]


def test_a_graph_over_time_shows_its_values(tmp_path):
    """The numbers of a graph of Statistics > I/O Graphs for a field."""
    payloads = [encode({"players": [{"hp": 100 - n, "name": "Bo"}], "t": n}) for n in range(8)]
    path = tshark.write_pcap(tmp_path / "hp.pcap", [tshark.Udp(40000, 40001, one, n / 2) for n, one in enumerate(payloads)])
    hp = row("hp", '["players"][*]["hp"]', "int")
    printed = tshark.run(["-q", "-z", "io,stat,1,AVG(godot.custom.hp)godot.custom.hp", *hp], path).stdout
    averages = re.findall(r"^\|\s*\d+ <> \s*\w+ *\|\s*(\d+) *\|", printed, re.MULTILINE)
    assert [int(average) for average in averages] == [99, 97, 95, 93]


TWICE = {field('["won"]', "int", "one"), field('["a]b"]', "int", "one")}


def test_two_paths_may_be_one_field(shown):
    name, = TWICE
    assert shown[name] == [["1", "3"], []]


def test_filters_take_path_and_value_together(game):
    found = tshark.fields(game, ["frame.number"], *row("hp", '["players"][*]["hp"]', "int"), "-Y", "godot.custom.hp < 5")
    assert [packet["frame.number"] for packet in found] == [["2"]]


@pytest.fixture(scope="module")
def arguments():
    """The values of the arguments of calls."""
    components = [(name, f"move(0).{name}", "float") for name in "xyz"]
    return values(CALLS, [("damage", "take_damage(0)", "int"), *components], *tables())


def test_arguments_of_calls_are_fields(arguments):
    log = gamewire_records.read("godot/multiplayer", "godot-4.6.3-calls.calls")
    logged = {int(line["arguments"][0]) for line in log
              if line["event"] == "call" and line["method"] == "take_damage"}
    assert {int(value) for packet in arguments["damage"] for value in packet} == logged


@pytest.mark.parametrize("name", ["Hp", "1hp", "h-p", ""])
def test_invalid_field_names_are_rejected(game, name):
    result = tshark.run(row(name, "x", "int"), game, check=False)
    assert result.returncode != 0 and "begins with a letter" in result.stderr


WITH_A_DIGIT = field('["players"][*]["hp"]', "int", "hp_2")


def test_field_names_have_digits_and_underscores(shown):
    assert shown[WITH_A_DIGIT] == [["100", "7"], ["3"]]


def test_the_fields_of_a_changed_table_replace_those_before():
    """As in the window, where a table is changed while the program runs."""
    rows = [{"name": "uat:godot_custom_fields", "value": f'"{name}","[*]","int"'} for name in ("one", "two", "three")]
    requests = [{"method": "setconf", "params": row} for row in rows]
    found = tshark.sharkd([*requests, {"method": "complete", "params": {"field": "godot.custom"}}])[-1]["result"]["field"]
    assert [(field["f"], field.get("n")) for field in found] == [(f"godot.custom.{name}", name) for name in ("one", "two", "three")]


# ---- short paths and components ------------------------------------------------------------------------------------

GAME = tshark.PCAPS / "godot" / "variant" / "godot-4.6.3-game.pcap"
SPAWN = tshark.PCAPS / "godot/multiplayer" / "godot-4.6.3-spawn.pcap"
VECTORS = tshark.PCAPS / "godot" / "variant" / "godot-4.6.3-vector3-only.pcap"


SHORT = {
    "won": '["won"]',
    "players[*].hp": '["players"][*]["hp"]',
    "players[1].hp": '["players"][1]["hp"]',
    "[*]": "[*]",
}
SHORT_AND_FULL = {short: (field(short, "float"), field(full, "float")) for short, full in SHORT.items()}


@pytest.mark.parametrize("short", SHORT)
def test_a_short_path_is_the_same_value(shown, short):
    one, other = SHORT_AND_FULL[short]
    assert any(shown[one]) and shown[one] == shown[other]


NO_VALUE = {path: field(path, "float")
            for path in ("player[0].hp", "players[0].h", "players[0].hp.x", "players[0].hpx", "players.hp", "x.won")}


@pytest.mark.parametrize("path", NO_VALUE)
def test_a_path_without_value_matches_nothing(shown, path):
    assert shown[NO_VALUE[path]] == [[], []]


def test_keys_are_strings_or_string_names(tmp_path):
    """{&"hp": 7, "mp": 8} of Godot 4: type 21 is a StringName."""
    name, text = (words(kind) + words(2) + key + b"\0\0" for kind, key in ((21, b"hp"), (4, b"mp")))
    payload = words(27, 2) + name + words(2, 7) + text + words(2, 8)
    path = tshark.write_pcap(tmp_path / "names.pcap", [tshark.Udp(40000, 40001, payload)])
    rows = [("hp", "hp", "int"), ("mp", "mp", "int")]
    assert values(path, rows, "-d", "udp.port==40001,godot") == {"hp": [["7"]], "mp": [["8"]]}


@pytest.fixture(scope="module")
def vectors():
    return values(VECTORS, [("float", "x", "float"), ("int", "x", "int"), ("z", "z", "float")], "-2")


@pytest.mark.parametrize("kind, expected", [("float", ["0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5"]),
                                            ("int", ["0", "0", "1", "1", "2", "2", "3", "3"])])
def test_a_document_that_is_a_vector_has_its_components(vectors, kind, expected):
    assert vectors[kind] == [[value] for value in expected]


def test_a_component_has_the_displayed_decimal_value(vectors):
    """-3.9 was sent in 32 bits."""
    assert vectors["z"][1] == ["-3.9"]


def test_a_component_of_an_argument(arguments):
    log = gamewire_records.read("godot/multiplayer", "godot-4.6.3-calls.calls")
    logged = {tuple(re.fullmatch(r"Vector3\((\S+), (\S+), (\S+)\)", line["arguments"][0]).groups())
              for line in log if line["event"] == "call" and line["method"] == "move"}
    for column, name in enumerate("xyz"):
        assert {float(value) for packet in arguments[name] for value in packet} == {float(one[column]) for one in logged}


def test_a_component_of_a_synchronized_property():
    """The positions that the server's script set, and the initial positions of spawned nodes."""
    log = gamewire_records.read("godot/multiplayer", "godot-4.6.3-spawn.calls")
    positions = [line["value"] for line in log if line["event"] == "set" and line["property"] == "position"]
    positions += [line["values"]["position"] for line in log if line["event"] == "entered"]
    logged = {float(re.findall(r"Vector2\((\S+), ", text)[0]) for text in positions}
    names = []
    for line in (SPAWN.parent / "profile" / "godot_rpc_properties").read_text(encoding="utf-8").splitlines():
        names += [] if line.startswith("#") else ["-o", f"uat:godot_rpc_properties:{line}"]
    packets = values(SPAWN, [("x", "position.x", "float")], *names)["x"]
    found = {float(value) for packet in packets for value in packet}
    assert len(found) > 5 and found <= logged


# ---- rows ----------------------------------------------------------------------------------------------------------


def test_the_rows_of_the_page_work_in_a_profile(tmp_path):
    """As in the file; the game's documents: {"cmd": ..., "pos": Vector2(1.5, -2), "slots": [...], "gold": ...}."""
    page = (tshark.SOURCE / "plugin" / "docs" / "godot.md").read_text(encoding="utf-8")
    rows = re.findall(r'^"(\w+)",".*","\w+"$', page, re.MULTILINE)
    lines = re.findall(r'^"\w+",".*","\w+"$', page, re.MULTILINE)
    assert len(rows) > 3
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o777)
    table = tmp_path / "godot_custom_fields"
    table.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    table.chmod(0o644)
    fields = [f"godot.custom.{name}" for name in rows]
    env = {"WIRESHARK_CONFIG_DIR": str(tmp_path)}
    printed = tshark.run(["-2", "-Y", " || ".join(fields), "-T", "fields", "-E", "separator=;",
                          *(part for name in fields for part in ("-e", name))], GAME, env=env).stdout
    found = dict(zip(rows, map(set, zip(*(line.split(";") for line in printed.splitlines()), strict=True)), strict=True))
    assert found["gold"] >= {"4294967296"} and found["count"] >= {"12"}
    assert found["worn"] >= {"0.25"} and found["x"] >= {"1.5"}


@pytest.mark.parametrize("path, reason", [
    ("", "The path is empty"),
    ("players[hp]", "A text in brackets needs quotation marks"),
    ("players[0", "A bracket or a quotation mark is not closed"),
    ('["players', "A bracket or a quotation mark is not closed"),
    ("players[]", "There is nothing between the brackets"),
    ("players.0", "After a period comes a name"),
    ("players..hp", "After a period comes a name"),
    ("players[0]hp", "Only a period or a bracket may follow a bracket or an argument"),
    ("take_damage()", "An argument is written as the method and the number of the argument"),
    ("take_damage(amount)", "An argument is written as the method and the number of the argument"),
    ('"players"', "A quotation mark is only valid in brackets"),
    ("players ", "The path begins or ends with a space"),
])
def test_a_row_that_cannot_match_is_rejected_with_the_reason(game, path, reason):
    result = tshark.run(row("it", path, "int"), game, check=False)
    assert reason in result.stderr


VALID = [".", "x", "hp", "players[0].hp", '["players"][0]["a]b"].x', "[&\"hp\"]", "[true]", "[-1]", "[2.5]", "[Vector2(1, 2)].x",
         "move_to(0)", "move_to(0)[1].y", "value[0].x", "../Sprite2D:frame", "[*][*].origin.x"]


def test_paths_that_a_value_may_have_are_accepted(game):
    """tshark ends at the first that is not, and reports it."""
    rows = [part for path in VALID for part in row("it", path, "int")]
    assert tshark.run(rows, game).stderr == ""
