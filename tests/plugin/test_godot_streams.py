# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants on TCP and WebSocket, and the remote debugger, against what the engines logged (pcaps/README.md)."""

import functools
import json
import re

import pytest

import gamewire_tshark as tshark
from godot_variants import engine_text, same_beginning, same_text
from test_godot_multiplayer import same_members

STREAMS = sorted(path.stem for path in (tshark.PCAPS / "godot-streams").glob("*.pcap"))
DEBUGGERS = sorted(path.stem for path in (tshark.PCAPS / "godot-debugger").glob("*.pcap"))
# Other things between the Variants, or Variants in pieces of some bytes: not all of them can be found.
HARD = ("-mixed", "-pieces")
EASY = [name for name in STREAMS if not name.endswith(HARD)]


def generation(capture):
    return int(capture.split("-")[1].split(".")[0])


def path_of(capture):
    return tshark.PCAPS / ("godot-debugger" if "debugger" in capture else "godot-streams") / f"{capture}.pcap"


@functools.lru_cache(maxsize=None)
def log(capture):
    lines = path_of(capture).with_suffix(".calls.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@functools.lru_cache(maxsize=None)
def packets(capture, *args):
    names = ["frame.number", "tcp.srcport", "godot.stream.value", "godot.stream.data", "godot.stream.other",
             "godot.debugger.message", "_ws.expert.message"]
    # The first packet of 64,000 bytes proves little in its first segment, and is nowhere recognised after that.
    chosen = ("-d", "tcp.port==40700,godot.stream") if capture.endswith("-large") else ()
    return tshark.fields(path_of(capture), names, *chosen, *args)


def same_value(ours, engine, of):
    theirs = engine_text(engine)
    if "{" in ours:
        return same_members(ours, theirs)
    return same_beginning(ours[:-1], theirs, of) if ours.endswith("…") else same_text(ours, theirs, of)


def put(capture, side):
    return [line["text"] for line in log(capture) if line["what"] == "put_var" and line["from"] == side]


def shown(capture, side):
    server = "40700"
    return [value for packet in packets(capture, "-2") for value in packet["godot.stream.value"]
            if (packet["tcp.srcport"] == [server]) == (side == "server")]


@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("capture", EASY)
def test_each_variant_is_there_in_its_order(capture, side):
    ours, theirs = shown(capture, side), put(capture, side)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs):
        assert same_value(one, other, generation(capture)), (one, other)


@pytest.mark.parametrize("capture", [name for name in STREAMS if name.endswith(HARD)])
def test_between_other_data_only_variants_that_were_sent_are_shown(capture):
    ours = [value for side in ("client", "server") for value in shown(capture, side)]
    theirs = [line["text"] for line in log(capture) if "text" in line]
    assert ours
    assert [one for one in ours if not any(same_value(one, other, generation(capture)) for other in theirs)] == []


@pytest.mark.parametrize("capture", [name for name in STREAMS if name.endswith("packet-stream")])
def test_packets_that_are_no_variants_are_shown_as_bytes(capture):
    sent = {line["bytes"] for line in log(capture) if line["what"] == "put_packet"}
    data = {value.replace(":", "") for packet in packets(capture, "-2") for value in packet["godot.stream.data"]}
    assert data <= sent and data


# ---- debugger ------------------------------------------------------------------------------------------


def messages_of_log(capture, side):
    """Names in order; in Godot 3 each is a Variant of its own, then the count, then that many."""
    texts = [line["text"] for line in log(capture) if line["from"] == side]
    if generation(capture) == 4 or side == "editor":
        return [re.match(r'\[ ?"([^"]*)"', text)[1] for text in texts]
    names = []
    while texts:
        names.append(texts[0].strip('"'))
        del texts[: 2 + int(texts[1])]
    return names


def messages_shown(capture, side):
    found = []
    for packet in tshark.fields(path_of(capture), ["tcp.srcport", "godot.debugger.message"], "-2",
                                "-Y", "godot.debugger"):
        if (packet["tcp.srcport"] == ["40700"]) == (side == "editor"):
            found.append(packet)
    return found


@pytest.mark.parametrize("side", ["game", "editor"])
@pytest.mark.parametrize("capture", [name for name in DEBUGGERS if generation(name) == 4])
def test_each_message_of_godot_4_is_there_in_its_order(capture, side):
    shown_names = [name for packet in messages_shown(capture, side) for name in packet["godot.debugger.message"]]
    # Over WebSocket the listener stopped to write before the game stopped to send.
    assert shown_names[: len(messages_of_log(capture, side))] == messages_of_log(capture, side)


@pytest.mark.parametrize("capture", [name for name in DEBUGGERS if generation(name) == 3])
def test_each_message_of_godot_3_is_there_with_all_its_variants(capture):
    texts = [line["text"] for line in log(capture) if line["from"] == "game"]
    expected = []
    while texts:
        expected += [texts[0].strip('"')] * (2 + int(texts[1]))
        del texts[: 2 + int(texts[1])]
    shown_names = [name for packet in messages_shown(capture, "game") for name in packet["godot.debugger.message"]]
    assert shown_names == expected


@pytest.mark.parametrize("capture", DEBUGGERS)
def test_errors_have_file_line_and_severity(capture):
    found = tshark.fields(path_of(capture), ["godot.debugger.error", "godot.debugger.file", "godot.debugger.line",
                                             "_ws.expert.message"], "-Y", "godot.debugger.error")
    errors = [error for packet in found for error in packet["godot.debugger.error"]]
    assert "a warning" in errors and "an error of ours" in errors
    texts = [text for packet in found for text in packet["_ws.expert.message"]]
    assert "The game reports an error" in texts and "The game reports a warning" in texts
    assert all(packet["godot.debugger.file"] and packet["godot.debugger.line"] for packet in found)


@pytest.mark.parametrize("capture", DEBUGGERS)
def test_breaks_are_linked_with_continuations(capture):
    breaks = tshark.fields(path_of(capture), ["frame.number", "godot.debugger.continue_in",
                                              "godot.debugger.break_time"], "-2", "-Y", "godot.debugger.continue_in")
    ends = tshark.fields(path_of(capture), ["frame.number", "godot.debugger.break_in"], "-2",
                         "-Y", "godot.debugger.break_in")
    assert len(ends) >= messages_of_log(capture, "game").count("debug_exit") > 0
    assert {(one["frame.number"][0], one["godot.debugger.continue_in"][0]) for one in breaks} == {
        (one["godot.debugger.break_in"][0], one["frame.number"][0]) for one in ends}
    assert all(float(one["godot.debugger.break_time"][0]) >= 0 for one in breaks)


def test_the_scene_tree_is_a_tree():
    tree = tshark.verbose(path_of("godot-4.6.3-debugger"), "-Y", 'godot.debugger.message == "scene:scene_tree"')
    indents = {name: len(re.search(rf"^( *){name} \(", tree, re.MULTILINE)[1])
               for name in ("root", "Game", "Player", "Sprite of Åsa")}
    assert indents["root"] < indents["Game"] < indents["Player"] < indents["Sprite of Åsa"]
