# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A frame depends on no later one on the first pass: the beginning of a capture is shown as in the whole one. On the second pass a frame
is read as on the first one, or deeper, where later frames prove what it is. A sample of all protocols; test_late_captures.py is about
captures whose beginning is missing."""

import functools

import pytest

import gamewire_tshark as tshark

CAPTURES = ["enet/disconnects", "godot/multiplayer/godot-4.6.3-missing", "godot/damaged/godot-4.6.3-damaged-udp",
            "godot/odd/godot-4.6.3-odd-remote-fs", "godot/odd/godot-4.6.3-odd-debugger",
            "godot/variant/godot-4.6.3-late-proof", "godot/stream/godot-4.6.3-stream-mixed", "leviathan/session", "squirrel/split"]
NAMES = ["frame.protocols", "_ws.col.Info", "_ws.expert.message"]


def shown(path, *args):
    """Of each packet its layers of ours and, if it has some, its Info and expert infos."""
    for row in tshark.fields(path, NAMES, *args):
        ours = [layer for layer in row["frame.protocols"][0].split(":") if layer in tshark.PROTOCOLS]
        yield ours, (row["_ws.col.Info"], row["_ws.expert.message"]) if ours else ()


@functools.lru_cache(maxsize=None)
def first_pass(name):
    return list(shown(tshark.PCAPS / f"{name}.pcap"))


@pytest.mark.parametrize("name", CAPTURES)
def test_the_beginning_is_shown_as_in_the_whole_capture(name, tmp_path):
    frames = len(first_pass(name))
    kept = frames * 2 // 3
    path = tshark.cut_out(tshark.PCAPS / f"{name}.pcap", tmp_path / "cut.pcap", kept + 1, frames)
    assert list(shown(path)) == first_pass(name)[:kept]


# Wireshark 4.0 passes a segment that was waited for on the first pass only.
READ_ALIKE = [name for name in CAPTURES if not name.endswith("remote-fs")]


@pytest.mark.parametrize("name", READ_ALIKE)
def test_the_second_pass_reads_nothing_as_something_else(name):
    pairs = zip(first_pass(name), shown(tshark.PCAPS / f"{name}.pcap", "-2"), strict=True)
    assert [number for number, ((one, _), (two, _)) in enumerate(pairs, 1) if one != two[: len(one)]] == []
