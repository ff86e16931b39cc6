# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions a value in each of tshark's modes, beside CBOR's: they do not vary from run to run.

With another build of the bench also its figures, as those before a change; and the functions that take most.
"""

from typing import NamedTuple

import section_plugin
from section_plugin import CBOR, LEVIATHAN_SESSION, OURS, SQUIRREL
from table import Goal, Line

FUNCTIONS = 10

# Without the Info column nobody reads what a packet's line says.
NO_INFO = ("-o", 'gui.column.format:"No.","%m"')


class Wanted(NamedTuple):
    """A mode of section_plugin, options beside it, and × CBOR's instructions."""

    mode: str
    options: tuple
    goals: dict


EACH = ("Godot", "Squirrel", "Leviathan")
WANTED = {
    "no tree": Wanted("no tree", (), {"Godot": 0.10, "Squirrel": 0.30, "Leviathan": 0.35}),
    "-T fields": Wanted("fields", (), dict.fromkeys(EACH, 0.50)),
    "-Y, Info column": Wanted("filter", (), dict.fromkeys(EACH, 0.60)),
    "-Y": Wanted("filter", NO_INFO, dict.fromkeys(EACH, 0.40)),
    "-V": Wanted("-V", (), dict.fromkeys(EACH, 0.40)),
    "-T json": Wanted("json", (), dict.fromkeys(EACH, 0.60)),
}
SUBJECTS = {"20": (OURS, SQUIRREL, LEVIATHAN_SESSION), "2001": (OURS, SQUIRREL)}


def measure(bench):
    now = counted(bench, bench.machine)
    before = counted(bench, bench.before) if bench.before else {}
    nodes = session_nodes(bench)
    lines = [
        line(title, shape, subject, now, before, nodes)
        for title in WANTED
        for shape, subjects in SUBJECTS.items()
        for subject in subjects
    ]
    functions = (function_lines(bench, subject, title) for subject in SUBJECTS["20"] for title in WANTED)
    return lines + [each for found in functions for each in found]


def session_nodes(bench):
    return section_plugin.session_nodes(section_plugin.Plugin(bench), LEVIATHAN_SESSION)


def counted(bench, machine):
    """{(title, shape, subject): instructions a packet above "data"}"""
    plugin = section_plugin.Plugin(bench, machine)
    counts = {}
    for title, wanted in WANTED.items():
        for shape, subjects in SUBJECTS.items():
            measured = plugin.instructions(wanted.mode, shape, (*subjects, CBOR), wanted.options)
            counts.update({(title, shape, subject): count for subject, count in measured.items()})
    return counts


def line(title, shape, subject, now, before, leviathan_nodes):
    nodes = leviathan_nodes if subject is LEVIATHAN_SESSION else section_plugin.nodes_in(subject, shape)
    peer_nodes = section_plugin.nodes_in(CBOR, shape)

    def each(counts):
        return counts[title, shape, subject] / nodes, counts[title, shape, CBOR] / peer_nodes

    ours, peer = each(now)
    text = ""
    if before:
        old, old_peer = each(before)
        text = f"{old:.0f}: {old / old_peer:.2f} ×"
    what = f"{subject.name} {title}, " + ("session" if subject is LEVIATHAN_SESSION else f"{shape} values")
    goal = Goal("ratio", WANTED[title].goals[subject.name])
    return Line(what, "instructions", [round(ours)], goal, "CBOR", [round(peer)], text)


def function_lines(bench, subject, title):
    """Those that take most of what packets cost above the same packets as "data", the framework's among them."""
    plugin = section_plugin.Plugin(bench)
    wanted = WANTED[title]
    functions = plugin.functions(subject, wanted.mode, "20", wanted.options)
    nodes = session_nodes(bench) if subject is LEVIATHAN_SESSION else section_plugin.nodes_in(subject, "20")
    return [
        Line(f"{subject.name} {title}: {name}", "instructions", [round(count / nodes, 1)])
        for name, count in functions[:FUNCTIONS]
    ]
