# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names as the editor shows them: errors by their descriptions, performance monitors."""

import re

import pytest

import gamewire_tshark as tshark
from plugin.godot.stream.samples import path_of

ENGINES = ["3.2.3", "3.6", "4.6.3"]
# The number of monitors of each generation: those after the first three, which have separate fields.
MONITORS = {"3.2.3": 28, "3.6": 28, "4.6.3": 56}


def capture_of(engine):
    return path_of(f"godot-{engine}-debugger")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_is_its_description_where_it_has_one(engine):
    names = ["godot_debugger.log", "godot_debugger.error", "godot_debugger.description"]
    packets = tshark.fields(capture_of(engine), names, "-2", "-Y", "godot_debugger.error")
    described = 0
    for packet in packets:
        lines = [line for line in packet["godot_debugger.log"] if line.startswith(("error: ", "warning: "))]
        texts = zip(packet["godot_debugger.error"], packet["godot_debugger.description"], strict=True)
        for line, (error, description) in zip(lines, texts, strict=True):
            assert line.split(": ", 1)[1].startswith(f"{description or error} at ")
            described += bool(description)
    assert len(packets) > 3
    assert bool(described) == (engine == "3.2.3")


@pytest.mark.parametrize("engine", ENGINES)
def test_monitors_have_the_engine_s_names(engine):
    """One value has a second source in the capture: the scene's nodes were also sent as a tree."""
    shown = tshark.verbose(capture_of(engine), "-2", "-O", "godot_debugger", "-Y", "godot_debugger.fps")
    monitors = re.findall(r"^ *Monitor: (\S+) \((\w+(?:/\w+)+)\)$", shown, re.MULTILINE)
    assert len(monitors) == shown.count(" Monitor: ") and monitors
    assert len({name for _, name in monitors}) == MONITORS[engine]
    trees = tshark.fields(capture_of(engine), ["godot_debugger.node"], "-2", "-Y", "godot_debugger.node")
    nodes = {len(packet["godot_debugger.node"]) for packet in trees}
    assert {int(value) for value, name in monitors if name == "object/nodes"} == nodes
