# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a person waits for: opening whole captures, with and without the plugin, in CPU time and in memory. And starting
tshark.

Nothing names a dissector here: packets are found by the heuristics, as they are in Wireshark's window. Memory is the
most that was resident, without Wireshark's own for the same capture and without what the plugin takes with no packet.
"""

import itertools
import os
from typing import Any, NamedTuple

import documents
import frames
import sessions
from frames import SOURCE
from measure import median
from section_heuristic import NO_TREE
from table import Goal, Line

QUICK_BYTES = 20_000_000
LARGE_BYTES = 500_000_000
LEAST_BYTES = 100_000
COUNTED_BYTES = 300_000

MODES = {"one pass": (), "two passes": ("-2",)}

# Of the time without the plugin, on two passes.
OPENED = 0.7
ROUNDS = 7  # of captures of this size: three differ by more than a goal is missed by
START_ROUNDS = 15
START_MS = 15

FIRST_PACKETS = 3000  # their sizes are taken for those of all


def at_most(unit, count, withdrawn=""):
    """Bytes kept for each unit: for Kind.kept."""
    return {unit: Goal("value", count, withdrawn)}


BYTE = "byte of the file"  # of sessions that are not short
A_BYTE = at_most(BYTE, 1.0)
A_BYTE_OF_CALLS = at_most(
    BYTE,
    1.0,
    "0.4 are messages whose fragments were joined: no frame can be read again by public means; 0.3 relate the commands of "
    "ENet, 0.2 are bounded in a file",
)
A_SHORT_CONNECTION = at_most(
    "connection",
    3000,
    "ENet's handshake takes 1.0 kB, records and findings of the other packets 0.9 kB, the paths, spawned nodes and updates that "
    "are related to each other 1.9 kB, ends, forms and numbers 0.7 kB, what is bounded in a file 0.3 kB",
)


class Capture(NamedTuple):
    """What was written."""

    packets: int
    connections: int


class Kind(NamedTuple):
    """A kind of capture."""

    name: str
    write: Any  # a function of a path and the wanted bytes, which returns a Capture
    kept: dict  # {"byte of the file", "packet" or "connection": Goal, bytes of memory}
    is_large: bool = False  # also measured as a large capture


# ---- writing -------------------------------------------------------------------------------------


def size_of(packets):
    """In the file, with all headers."""
    return sum(len(packet.payload) + frames.UDP_PAYLOAD_AT + frames.RECORD_HEADER_SIZE for packet in packets)


def goes_on(make, step):
    """One game for the whole capture."""

    def write(path, wanted):
        average = size_of(itertools.islice(make(), FIRST_PACKETS)) / FIRST_PACKETS
        packets = itertools.islice(make(), max(1, int(wanted / average)))
        return Capture(sessions.write(path, packets, step=step), 1)

    return write


def games(make, packets, step):
    """Games of so many packets each."""

    def write(path, wanted):
        game = sessions.first(packets, make())
        count = max(1, wanted // size_of(game))
        return Capture(sessions.write(path, game, step=step, games=count), count)

    return write


def recorded(name, packets=None):
    """A recorded session, or the first packets of it, between other hosts each time."""

    def write(path, wanted):
        session = frames.read_capture(SOURCE / "pcaps" / name)[:packets]
        copies = max(1, wanted // sum(len(frame) + frames.RECORD_HEADER_SIZE for frame in session))
        frames.write_sessions(path, session, copies)
        return Capture(copies * len(session), copies)

    return write


def write_handshakes(path, wanted):
    game = list(sessions.handshake(0))
    count = max(1, wanted // size_of(game))
    return Capture(sessions.write(path, game, games=count), count)


def write_documents(path, wanted):
    """Variants of 20 nodes, in one conversation."""
    some = list(documents.payloads("godot", "20", documents.DIFFERENT["20"]))
    size = sum(len(payload) + frames.UDP_PAYLOAD_AT + frames.RECORD_HEADER_SIZE for payload in some) / len(some)
    count = max(1, int(wanted / size))
    frames.write_capture(path, itertools.islice(itertools.cycle(some), count))
    return Capture(count, 1)


def small_messages():
    return sessions.SmallMessages().packets()


def godot_game():
    return sessions.GodotGame().packets()


GAME_STEP = 20  # 2 ms from packet to packet
KINDS = (
    Kind("ENet, one session", goes_on(small_messages, 80), A_BYTE | at_most("packet", 80), True),
    Kind("Godot 4 game, one session", goes_on(godot_game, GAME_STEP), A_BYTE | at_most("packet", 110), True),
    Kind("netfox, one session", goes_on(sessions.netfox, 120), A_BYTE | at_most("packet", 110)),
    Kind("Godot 4 game, games of 2,600 packets", games(godot_game, 2600, GAME_STEP), A_BYTE),
    Kind("calls, relays and fragments of 363 packets", recorded("godot/multiplayer/godot-4.6.3-calls.pcap"), A_BYTE_OF_CALLS),
    Kind("Leviathan, sessions of 47 packets", recorded("leviathan/session.pcap"), at_most("packet", 128)),
    Kind("Godot connections of 20 packets", recorded("godot/multiplayer/godot-4.6.3-spawn.pcap", 20), A_SHORT_CONNECTION),
    Kind("ENet handshakes", write_handshakes, at_most("connection", 1200)),
    Kind("Variants of 20 nodes", write_documents, at_most("packet", 8)),
    Kind("Squirrel, sessions", recorded("squirrel/session.pcap"), at_most("packet", 64)),
)


# ---- measuring -----------------------------------------------------------------------------------


def measure(bench):
    start = Start(bench)
    lines = start.lines()
    for kind in bench.few(KINDS):
        for wanted in sizes(bench, kind):
            lines += kind_lines(bench, kind, wanted, start)
    return lines


def sizes(bench, kind):
    """How large the captures of this kind are."""
    if bench.megabytes:
        return [bench.megabytes * 1_000_000]
    if bench.least:
        return [LEAST_BYTES]
    return [QUICK_BYTES, LARGE_BYTES] if bench.full and kind.is_large else [QUICK_BYTES]


def no_plugin(bench):
    return {"WIRESHARK_PLUGIN_DIR": str(bench.machine.folder("no-plugins"))}


def both(bench, options, path):
    """The command with the plugin and without."""
    command = ["tshark", "-n", *options, *NO_TREE, "-r", str(path)]
    return {"ours": (command, None), "without": (command, no_plugin(bench))}


class Start:
    """What starting and ending tshark takes, with no packet."""

    def __init__(self, bench):
        path = bench.machine.scratch / "empty.pcap"
        path.write_bytes(frames.FILE_HEADER)
        used = bench.machine.interleaved(both(bench, (), path), 1 if bench.least else START_ROUNDS)
        self.ours, self.without = used["ours"], used["without"]

    @property
    def kept(self):
        return median([usage.resident for usage in self.ours]) - median([usage.resident for usage in self.without])

    def lines(self):
        ours, without = ([usage.seconds * 1000 for usage in usages] for usages in (self.ours, self.without))
        return [Line("start of tshark", "ms", ours, Goal("excess", START_MS), "without the plugin", without)]


def kind_lines(bench, kind, wanted, start):
    path = bench.machine.scratch / "whole.pcap"
    capture = kind.write(path, wanted)
    size = path.stat().st_size
    rounds = 1 if bench.least or wanted > QUICK_BYTES else ROUNDS
    lines = []
    for mode, options in bench.few(MODES).items():
        used = bench.machine.interleaved(both(bench, options, path), rounds)
        what = f"{kind.name}, {size / 1e6:.0f} MB, {mode}"
        lines.append(time_line(what, used, Goal("ratio", OPENED) if "-2" in options else None, size))
        kept = [ours.resident - without.resident - start.kept for ours, without in zip(used["ours"], used["without"])]
        units = {BYTE: size, "packet": capture.packets, "connection": capture.connections}
        for unit, count in units.items():
            if unit in kind.kept or unit == BYTE:
                lines.append(Line(f"{what}: memory", f"bytes a {unit}", [each / count for each in kept], kind.kept.get(unit)))
    os.unlink(path)
    if not bench.least and wanted <= QUICK_BYTES:
        lines.append(counted_line(bench, kind))
    return lines


def time_line(what, used, goal, size):
    ours, without = ([usage.seconds for usage in used[name]] for name in ("ours", "without"))
    rate = f"{size / 1e6 / median(ours):.0f} MB/s"
    return Line(f"{what}: CPU", "s", ours, goal, "without the plugin", without, rate)


def counted_line(bench, kind):
    """The same on two passes in instructions, which others on the machine do not blur, for a smaller capture."""
    path = bench.machine.scratch / "counted.pcap"
    capture = kind.write(path, COUNTED_BYTES)
    shim = bench.machine.only("bench_shim.so")
    command = ["tshark", "-n", *MODES["two passes"], *NO_TREE, "-r", str(path)]
    commands = {"ours": (command, None), "without": (command, {"WIRESHARK_PLUGIN_DIR": str(shim)})}
    counted = {name: round(count / capture.packets) for name, count in bench.machine.instructions_of_all(commands, []).items()}
    os.unlink(path)
    what = f"{kind.name}, a packet, two passes"
    ratio = f"{counted['ours'] / counted['without']:.2f} ×"
    return Line(what, "instructions", [counted["ours"]], None, "without the plugin", [counted["without"]], ratio)
