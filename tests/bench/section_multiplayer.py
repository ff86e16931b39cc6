# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions of a call of Godot's multiplayer in ENet, without a tree: recorded sessions, each repeated between other
hosts. Above the same packets as "data", and above the same packets with ENet alone.
"""

import frames
import section_plugin
from frames import SOURCE
from section_heuristic import DISSECTION, NO_TREE
from table import Line

# Calls in each capture, as often as they are sent: the server forwards some.
CALLS = {"3.6": 159, "4.6.3": 208}
PORT = 40600
COPIES = 10
FUNCTIONS = 10


def measure(bench):
    lines = []
    for version, calls in bench.few(CALLS).items():
        lines += call_lines(bench, version, calls)
    return lines


def call_lines(bench, version, calls):
    session = frames.read_capture(SOURCE / "pcaps" / "godot/multiplayer" / f"godot-{version}-calls.pcap")
    capture = bench.machine.scratch / f"calls-{version}.pcap"
    copies = 1 if bench.least else COPIES
    frames.write_sessions(capture, session, copies)
    counted = bench.machine.profiles_of_all(
        {
            "calls": (command(capture, "enet"), None),
            "ENet alone": (command(capture, "enet", "--disable-protocol", multiplayer(bench.machine)), None),
            "data": (command(capture, "data"), None),
        },
        DISSECTION,
    )
    whole = section_plugin.above(counted["calls"], counted["data"], calls * copies)
    own = section_plugin.above(counted["calls"], counted["ENet alone"], calls * copies)
    what = f"Godot {version} calls in ENet"
    lines = [
        Line(f"{what}, all packets above data", "instructions a call", [round(whole.instructions)]),
        Line(f"{what}, above ENet alone", "instructions a call", [round(own.instructions)]),
    ]
    first = list(own.functions.items())[:FUNCTIONS]
    return lines + [Line(f"{what}: functions", "", [], notes=section_plugin.functions_text(first, 1))]


def multiplayer(machine):
    """The filter name of the protocol."""
    protocols = [line.split("\t") for line in machine.output(["tshark", "-G", "protocols"]).splitlines()]
    return next(columns[2] for columns in protocols if columns[0] == "Godot Multiplayer")


def command(capture, dissector, *options):
    return ["tshark", "-n", "-d", f"udp.port=={PORT},{dissector}", *options, *NO_TREE, "-r", str(capture)]
