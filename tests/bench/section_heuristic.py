# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What our heuristics cost on packets that are none of ours."""

import documents
import frames
from table import Goal, Line

OURS = {"Godot": "godot_udp", "Leviathan": "leviathan_udp", "Squirrel": "squirrel_udp"}
FLOOR = "floor"
COPIES = 64

TIME_RATIO = 1.15
INSTRUCTIONS_MORE = 60

NO_TREE = ["-q", "-z", "io,stat,0"]
DISSECTION = ["epan_dissect_run_with_taps"]
COUNTED_PACKETS = 400


def measure(bench):
    packets = 40_000 * bench.scale
    capture = bench.machine.scratch / "strangers.pcap"
    frames.write_capture(capture, documents.junk(packets))
    names = [FLOOR, *OURS.values()]
    commands = {name: _command(capture, name) for name in ("none", *names)}
    used = bench.machine.interleaved(commands, bench.rounds)
    nothing = [usage.seconds for usage in used["none"]]
    times = {
        name: [(usage.seconds - none) / packets / COPIES * 1e9 for usage, none in zip(used[name], nothing)]
        for name in names
    }
    counts = _instructions(bench, capture, names)
    return [line for family, name in OURS.items() for line in _lines(family, name, times, counts)]


def _command(capture, name, *more):
    copies = 0 if name == "none" else COPIES
    command = ["tshark", "-n", *NO_TREE, "-r", str(capture), *more]
    return command, {"GAMEWIRE_BENCH_HEURISTICS": f"{name}:{copies}"}


def _instructions(bench, capture, names):
    """Of one heuristic on one packet, the framework's share included."""
    commands = {name: _command(capture, name, "-c", str(COUNTED_PACKETS)) for name in ("none", *names)}
    counts = bench.machine.instructions_of_all(commands, DISSECTION)
    return {name: (counts[name] - counts["none"]) / COUNTED_PACKETS / COPIES for name in names}


def _lines(family, name, times, counts):
    what = f"{family} heuristic, a stranger's packet"
    ratio = f"{counts[name] / counts[FLOOR]:.2f}"
    return [
        Line(what, "ns", times[name], Goal("ratio", TIME_RATIO), "look at 4 bytes", times[FLOOR], ratio),
        Line(
            what,
            "instructions",
            [counts[name]],
            Goal("excess", INSTRUCTIONS_MORE),
            "look at 4 bytes",
            [counts[FLOOR]],
        ),
    ]
