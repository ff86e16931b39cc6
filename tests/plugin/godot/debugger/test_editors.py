# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions of the engine's own editors on their default ports (tests/captures/godot/editor.sh): the second editor found
port 6007 in use; another listens on WebSocket, as for exports to the web. Each plays the project, moves a node of the
running game, and stops it."""

import pytest

import gamewire_tshark as tshark

FOLDER = tshark.PCAPS / "godot/debugger"
CAPTURES = ("godot-4.6.3-editors", "godot-4.6.3-editor-websocket")
# Capture, port and what the segments with messages have.
SESSIONS = [(CAPTURES[0], "6007", "tcp.len > 0"), (CAPTURES[0], "6008", "tcp.len > 0"), (CAPTURES[1], "6007", "websocket.payload")]

# What an editor sends by itself at the start of a session, and what the script in it did (driver.gd).
OF_THE_EDITOR = [
    "scene:setup_scene(false, 4194339)",
    'scene:live_set_root(NodePath("/root"), "res://game.tscn")',
    "scene:runtime_node_select_setup(",
    "scene:runtime_node_select_set_type(0)",
    "scene:runtime_node_select_set_visible(true)",
    "scene:runtime_node_select_set_mode(0)",
    "scene:runtime_node_select_set_avoid_locked(false)",
    "scene:runtime_node_select_set_prefer_group(false)",
    "scene:debug_mute_audio(false)",
    "scene:setup_embedded_shortcuts(",
    'scene:live_node_path(NodePath("Player"), 1)',
    'scene:live_node_prop(1, &"position", Vector2(31, 17))',
    'scene:live_node_call(1, &"set_z_index", 5)',
]
OF_THE_GAME = ["output: the game has begun", "warning: a warning of the game at "]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("capture, port, segments", SESSIONS)
def test_each_session_is_read_from_its_first_segment_on(capture, port, segments, passes):
    names = ["tcp.srcport", "godot_debugger.log", "godot_debugger.from"]
    rows = tshark.fields(FOLDER / f"{capture}.pcap", names, "-Y", f"tcp.port == {port} && {segments}", *passes)
    assert all(row["godot_debugger.log"] for row in rows)
    said = {side: [line for row in rows if (row["tcp.srcport"] == [port]) == (side == "editor") for line in row["godot_debugger.log"]]
            for side in ("game", "editor")}
    assert len(said["editor"]) == len(OF_THE_EDITOR)
    assert all(line.startswith(expected) for line, expected in zip(said["editor"], OF_THE_EDITOR))
    for expected in OF_THE_GAME:
        assert sum(line.startswith(expected) for line in said["game"]) == 1
    for row in rows:
        assert set(row["godot_debugger.from"]) == {"2" if row["tcp.srcport"] == [port] else "1"}


def test_over_websocket_the_upgrade_is_that_of_http():
    assert tshark.counts(FOLDER / f"{CAPTURES[1]}.pcap", ["http.request", "http.response", "x11"]) == [1, 1, 0]


@pytest.mark.parametrize("capture", CAPTURES)
def test_nothing_of_these_sessions_is_unusual(capture):
    experts = tshark.fields(FOLDER / f"{capture}.pcap", ["_ws.expert.message"], "-2", "-Y", "godot_debugger && _ws.expert")
    assert [text for row in experts for text in row["_ws.expert.message"] if "a warning" not in text] == []
