# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark's CPU time says of our dissectors, beside the stock CBOR dissector and one in Lua.

Everything is CPU time per node above the same packets shown as "data". The goals of the modes are in instructions: see
section_instructions.py.
"""

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import documents
import frames
from frames import SOURCE
from measure import Profile, median
from section_heuristic import DISSECTION, NO_TREE
from table import Goal, Line

HERE = Path(__file__).resolve().parent
PORT = frames.SERVER_PORT
SHAPES = ("20", "2001")


class Mode(NamedTuple):
    title: str
    options: Any  # the options of tshark that reference a tuple of leaf fields
    packets: int  # of 20 nodes; of 2001 a hundredth


def _each(names, option):
    return [word for name in names for word in (option, name)]


# With -q alone nothing is dissected, so that "no tree" asks for a statistic. -T fields, -T json and -V make the
# tree's every item visible; a filter or a statistic, only those that it names.
MODES = {
    "no tree": Mode("no tree", lambda leaf: NO_TREE, 60_000),
    "fields": Mode("-T fields", lambda leaf: ["-T", "fields", *_each(leaf, "-e")], 20_000),
    "filter": Mode("-Y", lambda leaf: ["-Y", " || ".join(f"{name} == 123456" for name in leaf)], 40_000),
    "-V": Mode("-V", lambda leaf: ["-V"], 6_000),
    "json": Mode("-T json", lambda leaf: ["-T", "json"], 3_000),
}
LUA_PACKETS = 2_000  # of 20 nodes: one needs as much time as fifty of this plugin

ITEMS_OF_4_BYTES = 1
LINEAR = 1.15

# The functions that contain the work for a packet in each mode.
PRINTING = [*DISSECTION, "write_fields_proto_tree", "proto_tree_print", "write_json_proto_tree"]
COUNTED_PACKETS = {"20": 300, "2001": 4}


class Subject(NamedTuple):
    """A dissector and its input."""

    name: str
    corpus: str  # a format of documents.py, or "NAME session"
    options: Any  # how tshark is made to use it
    leaf: tuple  # fields which together have the same values in each format: the floats of a document

    @property
    def base(self):
        """The same packets, not dissected above UDP."""
        return self._replace(name="data", options=_decode_as(_port(self.options), "data"), leaf=("data.len",))


def _decode_as(port, dissector):
    return ("-d", f"udp.port=={port},{dissector}")


def _start(subject):
    """The start-up time to subtract: with an interpreter it is longer."""
    return "start of Lua" if subject.name == "Lua" else "start"


def _port(options):
    found = re.search(r"udp\.port==(\d+)", " ".join(options))
    return int(found.group(1)) if found else PORT


OURS = Subject("Godot", "godot", _decode_as(PORT, "godot"), ("godot.float",))
CBOR = Subject("CBOR", "cbor", _decode_as(PORT, "cbor"), ("cbor.type.float32", "cbor.type.float64"))
LUA = Subject("Lua", "godot", (), ("luapeer.double",))
SQUIRREL = Subject("Squirrel", "squirrel", _decode_as(PORT, "squirrel"), ("squirrel.float",))
LEVIATHAN_SESSION = Subject(
    "Leviathan", "leviathan session", _decode_as(53221, "leviathan"), ("leviathan.message.number",)
)


class Plugin:
    """Captures are created once, and runs of one mode are interleaved."""

    def __init__(self, bench, machine=None):
        self.bench = bench
        self.machine = machine or bench.machine
        self.captures = {}
        self.lua = LUA._replace(options=("-X", f"lua_script:{self.machine.readable(HERE / 'peer.lua')}"))

    def capture(self, corpus, shape, packets):
        key = (corpus, shape, packets)
        if key not in self.captures:
            path = self.machine.scratch / f"capture-{len(self.captures)}.pcap"
            if corpus.endswith(" session"):
                session = self.session(corpus)
                frames.write_sessions(path, session, max(1, packets // len(session)))
            else:
                frames.write_capture(path, documents.payloads(corpus, shape, packets))
            self.captures[key] = str(path)
        return self.captures[key]

    @staticmethod
    def session(corpus):
        return frames.read_capture(SOURCE / "pcaps" / corpus.split()[0] / "session.pcap")

    # ---- time --------------------------------------------------------------------------------

    def command(self, subject, mode, capture, *more):
        return [
            "tshark",
            "-n",
            *subject.options,
            *MODES[mode].options(subject.leaf),
            "-r",
            capture,
            *more,
        ], None

    def packets(self, subject, shape, mode):
        each = self.bench.packets(LUA_PACKETS if subject.name == "Lua" else MODES[mode].packets)
        return max(2, each // 100) if shape == "2001" else each

    def times(self, mode, shape, subjects):
        """{subject: [ns per packet above "data", of each round]}"""
        commands, counts = {}, {}
        for subject in subjects:
            packets = self.packets(subject, shape, mode)
            for kind in (subject, subject.base):
                # The first of those with the same base has the most packets.
                if kind not in commands:
                    capture = self.capture(kind.corpus, shape, packets)
                    commands[kind] = self.command(kind, mode, capture)
                    counts[kind] = self.packets_in(kind, packets) - 1
            commands[_start(subject)] = self.command(subject, mode, capture, "-c", "1")
        used = self.machine.interleaved(commands, self.bench.rounds)

        def per_packet(kind, start):
            begun = median([usage.seconds for usage in used[start]])
            return [(usage.seconds - begun) / counts[kind] * 1e9 for usage in used[kind]]

        def above_data(subject):
            costs = zip(per_packet(subject, _start(subject)), per_packet(subject.base, _start(subject.base)))
            return [ours - data for ours, data in costs]

        return {subject: above_data(subject) for subject in subjects}

    def packets_in(self, subject, wanted):
        if not subject.corpus.endswith(" session"):
            return wanted
        length = len(self.session(subject.corpus))
        return max(1, wanted // length) * length

    # ---- instructions ------------------------------------------------------------------------

    def instructions(self, mode, shape, subjects, options=()):
        """{subject: instructions per packet above "data"}"""
        profiles = self.profiles(mode, shape, subjects, options)
        return {subject: profile.instructions for subject, profile in profiles.items()}

    def profiles(self, mode, shape, subjects, options=()):
        """{subject: Profile of a packet above "data"}, the functions that take most first."""
        packets = COUNTED_PACKETS[shape]
        commands = {}
        for subject in subjects:
            capture = self.capture(subject.corpus, shape, packets)
            for kind in (subject, subject.base):
                commands[subject, kind.name] = self.command(kind, mode, capture, *options)
        counted = self.machine.profiles_of_all(commands, PRINTING)
        return {
            subject: above(
                counted[subject, subject.name], counted[subject, "data"], self.packets_in(subject, packets)
            )
            for subject in subjects
        }


def above(profile, base, units):
    """The difference of two Profiles, divided by a number of units."""
    counts = {name: (count - base.functions.get(name, 0)) / units for name, count in profile.functions.items()}
    ordered = dict(sorted(counts.items(), key=lambda item: -item[1]))
    return Profile((profile.instructions - base.instructions) / units, ordered)


def functions_text(counts, units):
    """Of [(function, instructions)], a line with the instructions divided by a number of units."""
    return "; ".join(f"{name} {count / units:.0f}" for name, count in counts)


def nodes_in(subject, shape):
    return documents.NODES[shape] + documents.EXTRA_NODES.get(subject.corpus, 0)


def measure(bench):
    plugin = Plugin(bench)
    lines, ours_by_shape, cbor_of_20 = [], {}, {}
    modes, ours = bench.few(MODES), bench.few((OURS, SQUIRREL))
    for mode in modes:
        for shape in bench.few(SHAPES):
            times = per_node(plugin.times(mode, shape, (*ours, CBOR, plugin.lua)), shape)
            counts = {}
            if bench.wants_instructions(mode, shape):
                counts = per_node(plugin.instructions(mode, shape, (*ours, CBOR)), shape)
            lines += mode_lines(mode, shape, ours, times, counts)
            ours_by_shape[mode, shape] = times[OURS]
            if shape == "20":
                cbor_of_20[mode] = times[CBOR]
    lines += [linear_line(mode, ours_by_shape) for mode in modes if not bench.least]
    lines += session_lines(plugin, cbor_of_20)
    return lines + item_lines(plugin)


def per_node(measured, shape):
    def divided(subject, value):
        nodes = nodes_in(subject, shape)
        return [each / nodes for each in value] if isinstance(value, list) else value / nodes

    return {subject: divided(subject, value) for subject, value in measured.items()}


def mode_lines(mode, shape, ours, times, counts):
    title = MODES[mode].title
    lua = next(subject for subject in times if subject.name == "Lua")
    lines = []
    for subject in ours:
        ratio = (
            f"{counts[subject] / counts[CBOR]:.2f}: {counts[subject]:.0f} of {counts[CBOR]:.0f}"
            if counts
            else ""
        )
        lines.append(
            Line(
                f"{subject.name} {title}, {shape} nodes",
                "ns/node",
                times[subject],
                None,
                "CBOR",
                times[CBOR],
                ratio,
            )
        )
    lines.append(Line(f"Godot {title}, {shape} nodes", "ns/node", times[OURS], None, "Lua", times[lua]))
    return lines


def linear_line(mode, times):
    return Line(
        f"Godot {MODES[mode].title}, 2001 nodes a packet",
        "ns/node",
        times[mode, "2001"],
        Goal("ratio", LINEAR),
        "20 nodes a packet",
        times[mode, "20"],
    )


# ---- recorded sessions ---------------------------------------------------------------------------


def session_lines(plugin, cbor):
    """Leviathan's messages hold no documents, so the recorded packets are compared with CBOR's of 20 nodes."""
    nodes = session_nodes(plugin, LEVIATHAN_SESSION)
    lines = []
    for mode, wanted in plugin.bench.few(MODES).items():
        times = plugin.times(mode, "20", (LEVIATHAN_SESSION,))[LEVIATHAN_SESSION]
        lines.append(
            Line(
                f"Leviathan {wanted.title}, session, {nodes:.1f} nodes a packet",
                "ns/node",
                [time / nodes for time in times],
                None,
                "CBOR",
                cbor[mode],
            )
        )
    return lines


def session_nodes(plugin, subject):
    """Per packet, as the codec counts them."""
    family = subject.corpus.split()[0]
    session = plugin.session(subject.corpus)
    folder = plugin.machine.folder("sessions")
    documents.write_corpus(
        folder / f"{family}-session.corpus", [frames.udp_payload(frame) for frame in session]
    )
    said = plugin.machine.output([plugin.bench.codec, str(folder), "session", "0", f"{family} decode"])
    return int(said.split("\t")[1]) / len(session)


# ---- tree -----------------------------------------------------------------------------


def item_lines(plugin):
    def items(subject):
        capture = plugin.capture(subject.corpus, "2001", 1)
        pdml = plugin.machine.output(["tshark", "-n", *subject.options, "-T", "pdml", "-r", capture])
        found = re.search(rf'<proto name="{subject.name.lower()}".*?</proto>', pdml, re.DOTALL)
        if not found:
            sys.exit(f"error: no tree of {subject.name}")
        return found.group(0)

    sizes = {subject: len(next(documents.payloads(subject.corpus, "2001", 1))) for subject in (OURS, CBOR)}
    ours, cbor = (items(subject).count("<field ") / sizes[subject] * 4 for subject in (OURS, CBOR))
    goal = Goal("value", ITEMS_OF_4_BYTES)
    return [Line("Tree items of 4 bytes of payload, 2001 nodes", "items", [ours], goal, "CBOR", [cbor])]
