# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What our heuristics cost on another protocol's datagram: instructions, those of Wireshark's table of heuristics
included.
"""

import documents
import frames
from table import Goal, Line

OURS = {"Godot": "godot_udp", "Leviathan": "leviathan_udp", "Squirrel": "squirrel_udp", "ENet": "enet_udp"}
FLOOR = "floor"
COPIES = 64

INSTRUCTIONS_MORE = {"Godot": 60, "Leviathan": 60, "Squirrel": 60, "ENet": 150}

NO_TREE = ["-q", "-z", "io,stat,0"]
DISSECTION = ["epan_dissect_run_with_taps"]
COUNTED_PACKETS = 400


def measure(bench):
    capture = bench.machine.scratch / "strangers.pcap"
    frames.write_capture(capture, documents.junk(COUNTED_PACKETS))
    counts = _instructions(bench, capture, [FLOOR, *OURS.values()])
    return [
        Line(
            f"{family} heuristic, a random datagram",
            "instructions",
            [round(counts[name], 1)],
            Goal("excess", INSTRUCTIONS_MORE[family]),
            "look at 4 bytes",
            [round(counts[FLOOR], 1)],
        )
        for family, name in OURS.items()
    ]


def _command(capture, name):
    copies = 0 if name == "none" else COPIES
    command = ["tshark", "-n", *NO_TREE, "-r", str(capture)]
    return command, {"GAMEWIRE_BENCH_HEURISTICS": f"{name}:{copies}"}


def _instructions(bench, capture, names):
    """{heuristic: instructions on one packet}"""
    commands = {name: _command(capture, name) for name in ("none", *names)}
    counts = bench.machine.instructions_of_all(commands, DISSECTION)
    return {name: (counts[name] - counts["none"]) / COUNTED_PACKETS / COPIES for name in names}
