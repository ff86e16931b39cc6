# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The messages of the engine's source: each name is known on the side that sends it, each argument has its name."""

from pathlib import Path

import gamewire_tshark as tshark
from plugin.godot.debugger.samples import (
    OF_4_7, OF_THE_EDITOR, OF_THE_GAME, PROPERTY_OF_4_7, array, encode, message_4, with_values,
)

# Written by tests/captures/godot/debugger_names.py from the engine's source.
NAMES = Path(__file__).with_name("engine_names.txt")

PROPERTIES = Path(__file__).with_name("engine_properties.txt")

PORT = 40700
SIDES = {"game": "1", "editor": "2"}
CHOSEN = ("-d", f"tcp.port=={PORT},godot_debugger")
# Which side is the game is known after these.
BEGINNING = [(False, with_values("set_pid", 7))]


def names_of(side):
    lines = [line.split() for line in NAMES.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [name for sender, name in lines if sender == side]


def test_every_name_of_the_source_is_known(tmp_path):
    unknown = []
    for side in ("game", "editor"):
        names = names_of(side)
        assert len(names) > 30
        capture = tshark.write_tcp_connections(
            tmp_path / f"{side}.pcap", [BEGINNING + [(side == "editor", message_4(name)) for name in names]], port=PORT)
        rows = tshark.fields(capture, ["godot_debugger.message", "godot_debugger.message.unknown"], *CHOSEN)[1:]
        assert [row["godot_debugger.message"] for row in rows] == [[name] for name in names]
        unknown += [(side, name) for name, row in zip(names, rows) if row["godot_debugger.message.unknown"]]
    assert unknown == []


def test_every_argument_has_its_name(tmp_path):
    experts = ["type.unusual", "values.unknown", "values.missing", "message.unknown"]
    for side, messages in (("editor", OF_THE_EDITOR), ("game", OF_THE_GAME)):
        capture = tshark.write_tcp_connections(
            tmp_path / f"{side}.pcap",
            [BEGINNING + [(side == "editor", with_values(name, *values)) for name, (values, _) in messages.items()]],
            port=PORT)
        keys = sorted({key for _, members in messages.values() for key in members.split()})
        names = [f"godot_debugger.{name}" for name in keys + experts + ["from"]]
        rows = tshark.fields(capture, names, *CHOSEN)[1:]
        assert len(rows) == len(messages)
        for (name, (_, members)), row in zip(messages.items(), rows):
            found = {key: len(row[f"godot_debugger.{key}"]) for key in keys if row[f"godot_debugger.{key}"]}
            expected = members.split()
            assert found == {key: expected.count(key) for key in expected}, name
            assert not any(row[f"godot_debugger.{expert}"] for expert in experts), (name, row)
            assert row["godot_debugger.from"] == [SIDES[side]], (name, row)


def test_a_variable_of_4_7_has_the_class_of_its_object(tmp_path):
    """Follows from the source of 4.7, which was not recorded. Without the fifth value it is that of 4.6."""
    names = [f"godot_debugger.{name}" for name in ("type_hint", "value", "argument", "log", "values.unknown", "values.missing", "type.unusual")]
    messages = [with_values(name, *values) for name, values, _ in OF_4_7.values()]
    before = [with_values(name, *values[:4]) for name, values, _ in OF_4_7.values()]
    capture = tshark.write_tcp_connections(tmp_path / "variables.pcap", [[*BEGINNING, *((False, each) for each in messages + before)]],
                                           port=PORT)
    rows = tshark.fields(capture, names, *CHOSEN)[1:]
    for (name, values, line), row, old in zip(OF_4_7.values(), rows, rows[len(messages):], strict=False):
        assert row["godot_debugger.type_hint"] == [values[4]]
        assert row["godot_debugger.log"] == [f"{name}: {line}"]
        assert old["godot_debugger.type_hint"] == []
        assert old["godot_debugger.value"] == row["godot_debugger.value"] and len(row["godot_debugger.value"]) == 1
        assert not any(each[field] for each in (row, old) for field in names[4:] + ["godot_debugger.argument"])


def test_a_property_of_4_7_has_the_class_of_its_object(tmp_path):
    """Follows from the source of 4.7, which was not recorded."""
    objects = array(array(encode(5), encode("Node"), array(PROPERTY_OF_4_7)))
    capture = tshark.write_tcp_connections(
        tmp_path / "object.pcap", [[*BEGINNING, (False, with_values("scene:inspect_objects", objects[8:]))]], port=PORT)
    names = [f"godot_debugger.{name}" for name in ("property", "hint_string", "value", "values.unknown", "type.unusual")]
    row = tshark.fields(capture, names, *CHOSEN)[-1]
    assert list(row.values()) == [["Members/target"], ["Player"], ['Object(EncodedObjectAsID,"object_id":77)'], [], []]
    # The group is the property in one row; its parts are below, with the names that the engine has for numbers.
    lines = [line.strip() for line in tshark.run(["-V", *CHOSEN], capture).stdout.splitlines()]
    first = lines.index('Property: Members/target = Object(EncodedObjectAsID,"object_id":77)')
    assert lines[first + 1:first + 6] == [
        "Property: Members/target", "Type: 24 (Object)", "Hint: 22 (OBJECT_ID)", "Hint string: Player", "Usage: 6 (STORAGE | EDITOR)"]


def test_hints_and_usages_have_the_names_of_the_engine(tmp_path):
    """One property each, of 4.6."""
    lines = PROPERTIES.read_text(encoding="utf-8").splitlines()
    rows = [(kind, int(number), name) for kind, number, name in (line.split() for line in lines if not line.startswith("#"))]
    assert len([row for row in rows if row[0] == "hint"]) == 44 and len(rows) == 44 + 29
    properties = [array(encode("x"), encode(2), encode(number if kind == "hint" else 0), encode(""),
                        encode(number if kind == "usage" else 0), encode(0)) for kind, number, _ in rows]
    objects = array(array(encode(5), encode("Node"), array(*properties)))
    capture = tshark.write_tcp_connections(
        tmp_path / "properties.pcap", [[*BEGINNING, (False, with_values("scene:inspect_objects", objects[8:]))]], port=PORT)
    shown = [line.strip() for line in tshark.run(["-V", *CHOSEN], capture).stdout.splitlines()]
    for kind, number, name in rows:
        assert f"{kind.capitalize()}: {number} ({name})" in shown
