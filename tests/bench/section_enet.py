# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""ENet: what a command costs in the codec and in tshark, beside the same packets as data and beside Wireshark's SCTP on
packets of the same size; the range coder beside libenet's.
"""

import struct

import frames
import stock
from frames import SOURCE
from measure import median
from section_heuristic import NO_TREE
from table import Goal, Line

SESSION = SOURCE / "pcaps" / "enet" / "lossy-client.pcap"
PACKED_SESSION = SOURCE / "pcaps" / "enet" / "lossy-range-coder-client.pcap"
PORTS = (40501, 40511)  # of relay and client
MODES = {"no tree": NO_TREE, "-T fields": ["-T", "fields", "-e", "{leaf}"], "-V": ["-V"]}
PACKETS = {"no tree": 40_000, "-T fields": 20_000, "-V": 6_000}
ROUNDS = 200


def measure(bench):
    lines = codec_lines(bench) + [readers_line(bench)]
    for name, session in bench.few((("ENet", SESSION), ("ENet, range coder", PACKED_SESSION))):
        for mode in bench.few(MODES):
            lines += plugin_lines(bench, name, frames.read_capture(session), mode)
    return lines


# ---- the codec -----------------------------------------------------------------------------------


def jobs(bench, program):
    path = bench.machine.scratch / "enet.datagrams"
    payloads = [frames.udp_payload(frame) for frame in frames.read_capture(SESSION)]
    path.write_bytes(b"".join(struct.pack(">H", len(payload)) + payload for payload in payloads))
    path.chmod(0o644)
    samples = {}
    for _ in range(bench.rounds):
        for line in bench.machine.output([str(program), str(path), str(2 if bench.least else ROUNDS)]).splitlines():
            name, nanoseconds, units = line.split("\t")
            samples.setdefault(name, []).append(float(nanoseconds) / float(units))
    return samples


def codec_lines(bench):
    program = bench.machine.readable(bench.programs / "bench_enet")
    ns = jobs(bench, program)
    speed = {name: [1000 / each for each in values] for name, values in ns.items()}
    return [
        Line("ENet codec, decode", "ns per command", ns["decode"]),
        Line("ENet codec, recognize", "ns per datagram", ns["recognize"]),
        Line("range coder, decompress", "MB/s", speed["unpack ours"], None, "libenet", speed["unpack libenet"]),
        Line("range coder, compress", "MB/s", speed["pack ours"], None, "libenet", speed["pack libenet"]),
    ]


# ---- the plugin ----------------------------------------------------------------------------------


def sctp(frame, number):
    """A datagram of the same length that is SCTP with one DATA chunk; short ones get a little longer."""
    packet = stock.sctp_payload(len(frames.udp_payload(frame)), number)
    ip = frame[frames.IP_AT : frames.UDP_PAYLOAD_AT - 8]
    length = 8 + len(packet)
    ip = ip[:2] + struct.pack(">H", 20 + length) + ip[4:]
    return frame[: frames.IP_AT] + ip + struct.pack(">HHHH", stock.SCTP_PORT, stock.SCTP_PORT, length, 0) + packet


def readers_line(bench):
    """The datagrams of a known conversation are read once. Of a new one, the first is recognized before."""
    session = frames.read_capture(SESSION)
    capture = bench.machine.scratch / "enet-once.pcap"
    frames.write_sessions(capture, session, 1)
    readers = bench.machine.calls(["tshark", "-n", *NO_TREE, "-r", str(capture)], "gw_enet_init")
    return Line("ENet, readings of a datagram", "readers", [round(readers / len(session), 3)], Goal("value", 1.01))


def plugin_lines(bench, name, session, mode):
    """Nanoseconds of a packet above the same packets as data, and of the same for SCTP."""
    copies = max(1, bench.packets(PACKETS[mode]) // len(session))
    packets = copies * len(session)
    enet_capture, sctp_capture = bench.machine.scratch / "enet.pcap", bench.machine.scratch / "sctp.pcap"
    frames.write_sessions(enet_capture, session, copies)
    frames.write_sessions(sctp_capture, [sctp(frame, n) for n, frame in enumerate(session)], copies)
    used = bench.machine.interleaved(
        {
            "enet": (command(enet_capture, mode, "enet.sequence", PORTS, "enet"), None),
            "data": (command(enet_capture, mode, "data.len", PORTS, "data"), None),
            "sctp": (command(sctp_capture, mode, "sctp.data_tsn", (stock.SCTP_PORT,), "sctp"), None),
            "sctp as data": (command(sctp_capture, mode, "data.len", (stock.SCTP_PORT,), "data"), None),
        },
        bench.rounds,
    )
    seconds = {job: [usage.seconds for usage in usages] for job, usages in used.items()}
    above = {
        job: [(mine - other) * 1e9 / packets for mine, other in zip(seconds[job], seconds[base])]
        for job, base in (("enet", "data"), ("sctp", "sctp as data"))
    }
    commands = f"{median(above['enet']) / COMMANDS[name]:.0f} ns per command"
    return [Line(f"{name}, {mode}", "ns per packet above data", above["enet"], None, "SCTP", above["sctp"], commands)]


# Commands of a packet, by the logs beside the captures.
COMMANDS = {"ENet": 1.33, "ENet, range coder": 1.20}


def command(path, mode, leaf, ports, dissector):
    options = [option.format(leaf=leaf) for option in MODES[mode]]
    chosen = [part for port in ports for part in ("-d", f"udp.port=={port},{dissector}")]
    return ["tshark", "-n", *chosen, *options, "-r", str(path)]
