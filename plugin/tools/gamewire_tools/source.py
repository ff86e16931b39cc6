# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The frames of a capture as the report and the traces read them: the messages of each, and the values of some fields.

No other module reads what tshark prints.
"""

from typing import Dict, List, NamedTuple, Tuple

from . import capture, messages
from .capture import FAMILIES, walk

# What is drawn or counted besides the messages. Each has a list of texts for a frame.
VALUES = ("enet.command", "enet.connection", "enet.analysis.ack_rtt", "enet.analysis.lost", "enet.analysis.resend_time",
          "enet.analysis.silence_time", "enet.analysis.end", "leviathan.rtt", "leviathan.analysis.resend_time", "tcp.stream", "udp.stream",
          "tcp.analysis.ack_rtt", "tcp.analysis.retransmission")
SEGMENTS = "tcp.analysis.ack_rtt || tcp.analysis.retransmission"
CONNECTIONS = ("enet.connection", "tcp.stream", "udp.stream")


class Frame(NamedTuple):
    number: int
    time: float
    length: int                  # bytes on the wire
    source: str                  # address and port
    destination: str
    connection: Tuple[str, str]  # the field that counts connections, and the number
    families: Tuple[str, ...]    # none: a segment of TCP without a message
    messages: List[dict]
    values: Dict[str, List[str]]
    experts: Dict[str, int]      # filter names of expert infos, and how often each is there


def connection_of(values):
    return next(((name, values[name][-1]) for name in CONNECTIONS if name in values), ("", ""))


class Source:
    """Iterating over it reads the capture, once; `statistics`, `is_cut_short` and `severities` are known after it."""

    def __init__(self, path, options=(), tshark=None, taps=(), progress=None, wanted=(), segments=True):
        self.reading = capture.Reading(path, options, tshark, taps=taps, progress=progress,
                                       others=(*((SEGMENTS,) if segments else ()), *wanted))
        self.names = messages.Names(self.reading.program, options)
        self.wanted = frozenset((*VALUES, *wanted))
        self.severities = {}

    def titles(self):
        """{filter name: title} of expert infos."""
        return {name: title for name, (title, kind) in self.names.fields.items() if kind == "FT_NONE"}

    @property
    def statistics(self):
        return self.reading.statistics

    @property
    def is_cut_short(self):
        return self.reading.is_cut_short

    def __iter__(self):
        for packet in self.reading:
            families = tuple(name for name, items in packet.layers if name in FAMILIES and isinstance(items, list))
            source, destination = messages.addresses(packet.layers)
            values, experts = self._values(packet)
            yield Frame(packet.number, float(packet.time), packet.length, source, destination, connection_of(values), families,
                        messages.of_packet(packet, self.names) if families else [], values, experts)

    def _values(self, packet):
        values, found = {}, {}
        for name, value in walk(packet.layers):
            if name in self.wanted:
                values.setdefault(name, []).append(value if isinstance(value, str) else "")
        if packet.has_experts:
            for name, items in packet.layers:
                for expert, severity, _ in capture.experts(items) if name in FAMILIES and isinstance(items, list) else ():
                    found[expert] = found.get(expert, 0) + 1
                    self.severities[expert] = severity
        return values, found
