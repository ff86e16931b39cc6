# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions a value in each of tshark's modes, compared with the CBOR dissector, and of the codecs, compared with
libraries of other formats. Instructions do not vary from run to run.

With another build of the bench also its figures, as those before a change; and the functions that take most.
"""

from typing import NamedTuple

import section_codec
import section_plugin
from section_plugin import CBOR, LEVIATHAN_SESSION, OURS, SQUIRREL
from table import Goal, Line

FUNCTIONS = 10

# Without the Info column the text of a packet's line is not used.
NO_INFO = ("-o", 'gui.column.format:"No.","%m"')


class Wanted(NamedTuple):
    """A mode of section_plugin, options beside it, and × CBOR's instructions."""

    mode: str
    options: tuple
    goals: dict


EACH = ("Godot", "Squirrel", "Leviathan")
WANTED = {
    "no tree": Wanted("no tree", (), {"Godot": 0.13, "Squirrel": 0.20, "Leviathan": 0.35}),
    "-T fields": Wanted("fields", (), dict.fromkeys(EACH, 0.70)),
    "-Y, Info column": Wanted("filter", (), dict.fromkeys(EACH, 0.75)),
    "-Y": Wanted("filter", NO_INFO, dict.fromkeys(EACH, 0.50)),
    "-V": Wanted("-V", (), dict.fromkeys(EACH, 0.50)),
    "-T json": Wanted("json", (), dict.fromkeys(EACH, 0.60)),
}
# Up to 4.2, where -T fields builds a visible tree whatever fields are named: no mode above CBOR.
BEFORE_4_4 = 1.0
SUBJECTS = {"20": (OURS, SQUIRREL, LEVIATHAN_SESSION), "2001": (OURS, SQUIRREL)}


def measure(bench):
    shapes = ("20", "2001") if bench.full else ("20",)
    subjects = {shape: bench.few(SUBJECTS[shape]) for shape in shapes}
    now = counted(bench, bench.machine, subjects)
    before = counted(bench, bench.before, subjects) if bench.before else {}
    nodes = session_nodes(bench)
    lines = [
        line(bench, (title, shape, subject), now, before, nodes)
        for title in bench.few(WANTED)
        for shape in shapes
        for subject in subjects[shape]
    ]
    lines += codec_lines(bench)
    return lines + [
        function_line(title, subject, now[title, "20", subject], nodes)
        for title in bench.few(WANTED)
        for subject in subjects["20"]
    ]


def session_nodes(bench):
    return section_plugin.session_nodes(section_plugin.Plugin(bench), LEVIATHAN_SESSION)


def counted(bench, machine, subjects):
    """{(title, shape, subject): Profile of a packet above "data"}"""
    plugin = section_plugin.Plugin(bench, machine)
    counts = {}
    for title, wanted in bench.few(WANTED).items():
        for shape, some in subjects.items():
            measured = plugin.profiles(wanted.mode, shape, (*some, CBOR), wanted.options)
            counts.update({(title, shape, subject): profile for subject, profile in measured.items()})
    return counts


def goal_of(bench, title, shape, subject):
    """Of packets of 20 values; what larger ones may cost above these is in section_plugin."""
    if shape != "20":
        return None
    return Goal("ratio", BEFORE_4_4 if bench.machine.version < (4, 4) else WANTED[title].goals[subject.name])


def line(bench, what, now, before, leviathan_nodes):
    title, shape, subject = what
    nodes = leviathan_nodes if subject is LEVIATHAN_SESSION else section_plugin.nodes_in(subject, shape)
    peer_nodes = section_plugin.nodes_in(CBOR, shape)

    def each(counts):
        ours, peer = counts[what], counts[title, shape, CBOR]
        return ours.instructions / nodes, peer.instructions / peer_nodes

    ours, peer = each(now)
    text = ""
    if before:
        old, old_peer = each(before)
        text = f"{old:.0f}: {old / old_peer:.2f} ×"
    name = f"{subject.name} {title}, " + ("session" if subject is LEVIATHAN_SESSION else f"{shape} values")
    return Line(name, "instructions", [round(ours)], goal_of(bench, title, shape, subject), "CBOR", [round(peer)], text)


def codec_lines(bench):
    corpora = bench.machine.folder("instruction-corpora")
    section_codec.write_corpora(corpora, *(({"mixed": 20}, 1) if bench.least else ({"mixed": 200, "2001": 40},)))
    return section_codec.instruction_lines(bench, corpora)


def function_line(title, subject, profile, leviathan_nodes):
    """Those that take most of what packets cost above the same packets as "data", the framework's among them."""
    nodes = leviathan_nodes if subject is LEVIATHAN_SESSION else section_plugin.nodes_in(subject, "20")
    first = list(profile.functions.items())[:FUNCTIONS]
    return Line(f"{subject.name} {title}: functions", "", [], notes=section_plugin.functions_text(first, nodes))
