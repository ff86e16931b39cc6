# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The frames of a capture as the report and the traces read them: the messages of each, its findings, and the values of some fields.

No other module reads what tshark prints, but for the lines of messages.
"""

import calendar
import json
import time
from typing import Dict, List, NamedTuple, Tuple

from . import capture
from .capture import BETWEEN, FAMILIES, MESSAGES
from .registered import Registered

# What is drawn or counted besides the messages. Each has a list of texts for a frame.
USUAL = ("enet.command", "enet.connection", "enet.analysis.ack_rtt", "leviathan.rtt", "tcp.stream", "udp.stream", "tcp.len", "tcp.analysis.ack_rtt")
RARE = ("enet.analysis.lost", "enet.analysis.resend_time", "enet.analysis.silence_time", "enet.analysis.blocked_time", "enet.analysis.end",
        "leviathan.analysis.resend_time", "tcp.analysis.retransmission", "tcp.connection.fin", "tcp.connection.rst")
SEGMENTS = "tcp.len > 0 || tcp.analysis.ack_rtt || tcp.analysis.retransmission || tcp.connection.fin || tcp.connection.rst"
CONNECTIONS = ("enet.connection", "tcp.stream", "udp.stream")
# Of a frame: the innermost of the addresses and ports, if there are tunnels.
HOSTS = ((("ip.src", "ip.dst"), ("ipv6.src", "ipv6.dst")), (("udp.srcport", "udp.dstport"), ("tcp.srcport", "tcp.dstport")))
EXPORTED = ((("exported_pdu.ipv4_src", "exported_pdu.ipv4_dst"), ("exported_pdu.ipv6_src", "exported_pdu.ipv6_dst")),
            (("exported_pdu.src_port", "exported_pdu.dst_port"),))
FRAME = ("frame.time_epoch", "frame.len", "frame.protocols")

KNOWN = frozenset(FAMILIES)
decode = json.JSONDecoder().decode


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
    experts: Dict[str, int]      # filter names of findings of severity Note and above, and how often each is there


def connection_of(values):
    return next(((name, values[name][-1]) for name in CONNECTIONS if name in values), ("", ""))


def epoch(text):
    """Seconds since 1970. Wireshark 4.6 prints a date."""
    if "T" in text:
        date, _, fraction = text.rstrip("Z").partition(".")
        text = f"{calendar.timegm(time.strptime(date, '%Y-%m-%dT%H:%M:%S'))}.{fraction}"
    return float(text)


def addresses(values):
    """ "host:port" of source and destination."""
    hosts, ports = (next(([values.get(name, "").rpartition(BETWEEN)[2] for name in pair] for pair in pairs if pair[0] in values), ("", ""))
                    for pairs in (EXPORTED if EXPORTED[1][0][0] in values else HOSTS))
    return tuple(f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in zip(hosts, ports))


class Source:
    """Iterating over it reads the capture, once; `statistics` and `is_cut_short` are known after it. `wanted`: names of other fields,
    whose packets are read too."""

    def __init__(self, path, options=(), tshark=None, taps=(), progress=None, wanted=()):
        self.registered = Registered(capture.find_tshark(tshark))
        ends = [name for pairs in (*HOSTS, *EXPORTED) for pair in pairs for name in pair]
        usual = (*MESSAGES, *FRAME, *ends, *USUAL)
        findings = (name for name, each in self.registered.findings.items() if each.severity != "chat")
        rare = dict.fromkeys((*(name for name in RARE if self.registered.kind(name)), *wanted, *findings))
        self.values = (*USUAL, *RARE, *wanted)
        self.reading = capture.Reading(path, options, tshark, usual, (*FAMILIES, SEGMENTS, *wanted), taps, progress,
                                       [name for name in rare if name not in usual])

    @property
    def statistics(self):
        return self.reading.statistics

    @property
    def is_cut_short(self):
        return self.reading.is_cut_short

    def __iter__(self):
        kinds = self.registered.findings
        for number, _, texts in self.reading:
            messages = [decode(text) for name in MESSAGES if name in texts for text in texts[name].split(BETWEEN)]
            values = {name: texts[name].split(BETWEEN) for name in self.values if name in texts}
            experts = {name: texts[name].count(BETWEEN) + 1 for name in texts if name in kinds}
            ends = (messages[0]["source"], messages[0]["destination"]) if messages else addresses(texts)
            yield Frame(number, epoch(texts["frame.time_epoch"]), int(texts["frame.len"]), *ends, connection_of(values),
                        tuple(name for name in texts["frame.protocols"].split(":") if name in KNOWN), messages, values, experts)
