# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What our heuristics cost on another protocol's datagram: instructions, those of Wireshark's table of heuristics
included. These depend a little on where memory is, so there are several rounds.
"""

import random

import documents
import frames
from table import Goal, Line

OURS = {"Godot": "godot_udp", "Leviathan": "leviathan_udp", "Squirrel": "squirrel_udp"}
FLOOR = "floor"
COPIES = 64

INSTRUCTIONS_MORE = {"Godot": 60, "Leviathan": 60, "Squirrel": 60}

NO_TREE = ["-q", "-z", "io,stat,0"]
DISSECTION = ["epan_dissect_run_with_taps"]
COUNTED_PACKETS = 400

# ENet has no magic number, and one bit of its header says that the commands are compressed.
ENET = "enet_udp"
ENET_PACKETS = 10_000
ENET_COPIES = 32
ENET_COMPRESSED = 0x40  # in the first byte
LONGEST_DATAGRAM = 1472
ENET_INSTRUCTIONS_MORE = {"random datagrams": 150, "random datagrams without the compression bit": 60}


def measure(bench):
    capture = bench.machine.scratch / "strangers.pcap"
    frames.write_capture(capture, documents.junk(COUNTED_PACKETS))
    rounds = [_instructions(bench, capture, [FLOOR, *OURS.values()]) for _ in range(bench.rounds)]
    return [
        Line(
            f"{family} heuristic, a random datagram",
            "instructions",
            [round(counts[name], 1) for counts in rounds],
            Goal("excess", INSTRUCTIONS_MORE[family]),
            "look at 4 bytes",
            [round(counts[FLOOR], 1) for counts in rounds],
        )
        for family, name in OURS.items()
    ] + _enet_lines(bench)


def _command(capture, name, copies=COPIES):
    command = ["tshark", "-n", *NO_TREE, "-r", str(capture)]
    return command, {"GAMEWIRE_BENCH_HEURISTICS": f"{name}:{0 if name == 'none' else copies}"}


def _instructions(bench, capture, names):
    """{heuristic: instructions on one packet}"""
    commands = {name: _command(capture, name) for name in ("none", *names)}
    counts = bench.machine.instructions_of_all(commands, DISSECTION)
    return {name: (counts[name] - counts["none"]) / COUNTED_PACKETS / COPIES for name in names}


# ---- ENet ----------------------------------------------------------------------------------------


def random_datagrams(compressed):
    """ENET_PACKETS random datagrams of random lengths; `compressed` False: none with the compression bit."""
    source = random.Random(f"ENet {compressed}")
    made = []
    while len(made) < ENET_PACKETS:
        payload = source.randbytes(source.randint(1, LONGEST_DATAGRAM))
        if compressed or not payload[0] & ENET_COMPRESSED:
            made.append(payload)
    return made


def _enet_lines(bench):
    return [
        _enet_line(bench, what, random_datagrams(compressed="without" not in what), goal)
        for what, goal in ENET_INSTRUCTIONS_MORE.items()
    ]


def _enet_line(bench, what, payloads, goal):
    capture = bench.machine.scratch / "random.pcap"
    frames.write_capture(capture, payloads)
    commands = {name: _command(capture, name, copies=ENET_COPIES) for name in ("none", FLOOR, ENET)}
    rounds = [bench.machine.instructions_of_all(commands, DISSECTION) for _ in range(bench.rounds)]

    def above_none(name):
        return [round((counts[name] - counts["none"]) / len(payloads) / ENET_COPIES, 1) for counts in rounds]

    return Line(
        f"ENet heuristic, {what}",
        "instructions",
        above_none(ENET),
        Goal("excess", goal),
        "look at 4 bytes",
        above_none(FLOOR),
    )
