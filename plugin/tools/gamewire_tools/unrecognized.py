# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture without packets of a game has: the ports with the most bytes, each with the command that chooses a protocol for it."""

import subprocess
from collections import Counter

from . import capture

PORTS = 5
FIELDS = ("frame.len", "udp.srcport", "udp.dstport", "tcp.srcport", "tcp.dstport")


def ports(path, options=(), tshark=None):
    """[{"transport", "port", "bytes", "option"}]. The server's port is the one of the two that more other ports talk with; of two alone,
    the lower one."""
    columns = [part for name in FIELDS for part in ("-e", name)]
    command = [capture.find_tshark(tshark), "-n", "-r", str(path), "-Y", "udp || tcp", "-T", "fields", "-E", "occurrence=l", *columns, *options]
    size, others = Counter(), {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        for line in running.stdout:
            length, *numbers = line.decode("ascii", "replace").rstrip("\r\n").split("\t")
            transport = "udp" if numbers[0] else "tcp"
            pair = numbers[:2] if numbers[0] else numbers[2:]
            for port, other in (pair, pair[::-1]):
                size[transport, port] += int(length)
                others.setdefault((transport, port), set()).add(other)
    chosen = {}
    for (transport, port), amount in size.items():
        rivals = others[transport, port]
        is_server = all(rank(transport, port, others) < rank(transport, other, others) for other in rivals if other != port)
        if is_server:
            chosen[transport, port] = amount
    return [{"transport": transport, "port": int(port), "bytes": amount, "option": option_of(transport, port)}
            for (transport, port), amount in sorted(chosen.items(), key=lambda item: -item[1])[:PORTS]]


def rank(transport, port, others):
    return -len(others[transport, port]), int(port)


def option_of(transport, port):
    return f"-d udp.port=={port},enet" if transport == "udp" else f"-d tcp.port=={port},godot_stream"
