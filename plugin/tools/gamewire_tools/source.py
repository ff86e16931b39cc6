# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The frames of a capture as the report and the traces read them: the messages of each, its findings, and the values of some fields.

No other module reads what tshark prints, but for the lines of messages.
"""

from collections import Counter
from typing import Dict, List, NamedTuple, Tuple

from . import capture
from .capture import FAMILIES, decode

# What is drawn or counted besides the messages. Each has a list of texts for a frame.
FIELDS = ("enet.command", "enet.connection", "enet.analysis.ack_rtt", "leviathan.rtt", "tcp.stream", "udp.stream", "tcp.len", "tcp.analysis.ack_rtt",
          "enet.analysis.lost", "enet.analysis.resend_time", "enet.analysis.silence_time", "enet.analysis.blocked_time",
          "enet.analysis.end", "leviathan.analysis.resend_time", "tcp.analysis.retransmission", "tcp.connection.fin", "tcp.connection.rst")
SEGMENTS = "tcp.len > 0 || tcp.analysis.ack_rtt || tcp.analysis.retransmission || tcp.connection.fin || tcp.connection.rst"
CONNECTIONS = ("enet.connection", "tcp.stream", "udp.stream")

NOTHING = {}


class Frame(NamedTuple):
    number: int
    time: float
    length: int                  # bytes on the wire
    source: str                  # address and port
    destination: str
    connection: Tuple[str, str]  # the field that counts connections, and the number
    families: List[str]          # of capture.FAMILIES; none: a segment of TCP without a message
    messages: List[dict]
    values: Dict[str, List[str]]
    experts: Dict[str, int]      # filter names of findings of severity Note and above, and how often each is there


def connection_of(values):
    for name in CONNECTIONS:
        if name in values:
            return name, values[name][-1]
    return "", ""


class Source(capture.Reading):
    """Iterating over it reads the capture, once. `wanted`: names of other fields, whose packets are read too."""

    def __init__(self, path, options=(), tshark=None, taps=(), progress=None, wanted=()):
        fields = dict.fromkeys((*FIELDS, *wanted))
        super().__init__(path, options, tshark, fields, (*FAMILIES, SEGMENTS, *wanted), taps, progress)

    def __iter__(self):
        for number, time, length, families, findings, lines, values, ends in super().__iter__():
            messages = [decode(line) for line in lines]
            if messages:
                ends = messages[0]["source"], messages[0]["destination"]
            yield Frame(number, time, length, *ends, connection_of(values), families, messages, values,
                        Counter(findings) if findings else NOTHING)
