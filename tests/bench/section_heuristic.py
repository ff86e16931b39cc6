# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What our heuristics cost on another protocol's datagram: the instructions of the heuristic's function and of what it
calls. Wireshark's table of heuristics is not counted: it costs the same for each, but for its hash tables, which differ
from run to run by more than a heuristic costs.
"""

import random

import documents
import frames
from table import Goal, Line

COUNTED_PACKETS = 400
GOAL = 60  # instructions more

# {family: short name of its heuristic}
OURS = {"Godot": "godot_udp", "Leviathan": "leviathan_udp", "Squirrel": "squirrel_udp"}
FLOOR = "bench_floor_udp"
# Of all of them: the others are turned off. Functions of one name in several files have a suffix in a plugin that is optimized across
# its files.
FUNCTIONS = ["dissect_over_udp", "dissect_over_udp.lto_priv.*"]

NO_TREE = ["-q", "-z", "io,stat,0"]
DISSECTION = ["epan_dissect_run_with_taps"]

# ENet has no magic number, and one bit of its header says that the commands are compressed.
ENET = "enet_udp"
ENET_PACKETS = 10_000
ENET_COMPRESSED = 0x40  # in the first byte
ENET_GOALS = {"random datagrams": 155, "random datagrams without the compression bit": None}
LONGEST_DATAGRAM = 1472


def measure(bench):
    ours = _instructions(bench, documents.junk(COUNTED_PACKETS), bench.few(OURS))
    lines = [_line(f"{family} heuristic, a random datagram", ours, family, GOAL) for family in bench.few(OURS)]
    return lines if bench.least else lines + enet_lines(bench)


def enet_lines(bench):
    lines = []
    for what, goal in ENET_GOALS.items():
        datagrams = random_datagrams(ENET_PACKETS, "without" not in what)
        enet = _instructions(bench, datagrams, {"ENet": ENET})
        lines.append(_line(f"ENet heuristic, {what}", enet, "ENet", goal))
    return lines


def _instructions(bench, payloads, heuristics):
    """{family: instructions for one of the payloads}, and those of the floor"""
    payloads = list(payloads)
    capture = bench.machine.scratch / "random.pcap"
    frames.write_capture(capture, payloads)
    command = ["tshark", "-n", *NO_TREE, "-r", str(capture)]
    commands = {
        family: (command, {"GAMEWIRE_BENCH_HEURISTIC": name}) for family, name in {"floor": FLOOR, **heuristics}.items()
    }
    counted = bench.machine.instructions_of_all(commands, FUNCTIONS)
    return {family: count / len(payloads) for family, count in counted.items()}


def _line(what, counted, family, goal):
    return Line(
        what,
        "instructions",
        [round(counted[family], 1)],
        Goal("excess", goal) if goal else None,
        "look at 4 bytes",
        [round(counted["floor"], 1)],
    )


def random_datagrams(count, compressed):
    """Random datagrams of random lengths; `compressed` False: none with the compression bit."""
    source = random.Random(f"ENet {compressed}")
    made = []
    while len(made) < count:
        payload = source.randbytes(source.randint(1, LONGEST_DATAGRAM))
        if compressed or not payload[0] & ENET_COMPRESSED:
            made.append(payload)
    return made
