# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What gamewire-report and gamewire-messages take for a capture, tshark's time included."""

import os
import shutil

import section_capture
from frames import SOURCE
from table import Goal, Line

BYTES = 5_000_000  # much more than the programs' and tshark's starts, which take as long as half a megabyte
SECONDS_A_MEGABYTE = 0.5

GAMES = {"Godot 4 game": (section_capture.godot_game, 20), "ENet": (section_capture.small_messages, 80)}
PROGRAMS = {"report": ("-o", "{out}"), "messages": ("-o", "{out}")}


def measure(bench):
    tools = bench.machine.scratch / "tools"
    shutil.copytree(SOURCE / "plugin/tools", tools, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    lines = []
    for game, (make, step) in bench.few(GAMES).items():
        path = bench.machine.scratch / "tools.pcap"
        section_capture.goes_on(make, step)(path, section_capture.LEAST_BYTES if bench.least else BYTES)
        megabytes = path.stat().st_size / 1e6
        for program, options in bench.few(PROGRAMS).items():
            out = bench.machine.scratch / "home" / "tools.out"
            arguments = [option.format(out=out) for option in options]
            command = ["python3", str(tools / f"gamewire-{program}"), "-q", *arguments, str(path)]
            used = bench.machine.interleaved({"program": (command, None)}, bench.rounds)["program"]
            seconds = [usage.seconds / megabytes for usage in used]
            lines.append(Line(f"gamewire-{program}, {game}", "CPU s a MB", seconds, Goal("value", SECONDS_A_MEGABYTE)))
        os.unlink(path)
    return lines
