# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The messages of the engine's source: each name is known on the side that sends it, each argument has its name."""

from pathlib import Path

import gamewire_tshark as tshark
from plugin.godot.debugger.samples import OF_THE_EDITOR, OF_THE_GAME, message_4, with_values

# Written by tests/captures/godot/debugger_names.py from the engine's source.
NAMES = Path(__file__).with_name("engine_names.txt")

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
