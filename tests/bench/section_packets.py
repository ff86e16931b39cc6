# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a packet costs when a capture is opened, in instructions from opening to closing it: on two passes, which is what
opening a file in the window costs, and in the packet list. Beside stock dissectors on captures with the same number,
order, direction and sizes of packets.

A game's session goes on: a packet's cost is the difference of a long capture and a short one, divided by the packets
between them.
"""

from typing import Any, NamedTuple

import sessions
import stock
from table import Goal, Line

MODES = {"two passes": ("-2",), "list": ()}
SHORT, LONG = 500, 2500
LEAST = (20, 60)


def _decode_as(dissector):
    return ("-d", f"udp.port=={sessions.PORT},{dissector}")


class Peer(NamedTuple):
    """A stock dissector, and the game's packets in its protocol."""

    packets: Any  # a function of the game's packets
    port: int = sessions.PORT
    options: tuple = ()
    goal: Any = None


class Game(NamedTuple):
    name: str
    packets: Any  # a function
    peers: dict  # {name: Peer}


# Instructions on two passes, of 2,500 packets, Wireshark 4.0; the peers' are those above data.
ABOVE_DTLS = (
    "a DTLS record takes 5k: its data is encrypted, offered to no dissector and related to nothing. A datagram of ENet takes 4.5k to be "
    "read, 5.8k to be handed over and 4.7k to be related to others"
)
ABOVE_DNS = (
    "a DNS packet takes 19k, in one protocol. A game's has two: ENet takes 14k, multiplayer 26k for 1.4 updates and the nodes, names "
    "and times that they are related to"
)

OURS = "ours"
DATA = Peer(list, options=_decode_as("data"))
GAMES = (
    Game(
        "ENet",
        lambda: sessions.SmallMessages().packets(),
        {
            "DTLS": Peer(stock.dtls, stock.DTLS_PORT, goal=Goal("ratio", 1.0, ABOVE_DTLS)),
            "RTP": Peer(stock.rtp, options=_decode_as("rtp")),
            "data": DATA,
        },
    ),
    Game(
        "Godot 4 game in ENet",
        lambda: sessions.GodotGame().packets(),
        {
            "DNS": Peer(stock.dns, stock.DNS_PORT, goal=Goal("ratio", 1.0, ABOVE_DNS)),
            "CoAP": Peer(stock.coap, stock.COAP_PORT),
            "SCTP": Peer(stock.sctp, stock.SCTP_PORT),
            "data": DATA,
        },
    ),
)


def measure(bench):
    return [line for game in bench.few(GAMES) for mode in bench.few(MODES) for line in lines_of(bench, game, mode)]


def lines_of(bench, game, mode):
    cost = costs(bench, game, mode)
    return [
        Line(f"{game.name}, a packet, {mode}", "instructions", [cost[OURS]], peer.goal, name, [cost[name]])
        for name, peer in game.peers.items()
    ]


def costs(bench, game, mode):
    """{OURS or a peer's name: instructions of a packet}"""
    short, long = LEAST if bench.least else (SHORT, LONG)
    packets = sessions.first(long, game.packets())
    commands = {}
    for name, peer in {OURS: Peer(list), **game.peers}.items():
        as_peer = list(peer.packets(packets))
        for count in (short, long):
            path = bench.machine.scratch / f"packets-{name}-{count}.pcap"
            sessions.write(path, as_peer[:count], peer.port)
            commands[name, count] = (["tshark", "-n", *peer.options, *MODES[mode], "-r", str(path)], None)
    counted = bench.machine.instructions_of_all(commands, [])
    return {name: round((counted[name, long] - counted[name, short]) / (long - short)) for name in (OURS, *game.peers)}
