# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The findings of a report: expert infos of the plugin, by their filter names, and what is computed from many messages.

plugin/docs/report.md lists the short names; a test compares the two.
"""

from typing import NamedTuple, Optional

from .figures import Timeline, Worst

HOT_RATE = 20
UNCHANGED_TIMES = 20
SLOW = 0.2
ORDER = {"error": 0, "warning": 1, "note": 2, "chat": 3}


class Computed(NamedTuple):
    """What is true of many messages, or of a limit. `limit`: what --fail-on may replace, as in hot_reliable@10."""
    id: str
    severity: str
    title: str
    filter: str
    remedy: str
    unit: str = ""  # of the worst entries' values
    limit: Optional[float] = None


COMPUTED = (
    Computed("hot_reliable", "warning", "Reliable messages on hot paths: over 20 a second of one method or synchronizer to one receiver", "",
             "A lost reliable message holds back all later ones of its channel. For values that the next message replaces, use "
             "@rpc(\"unreliable_ordered\") (Godot 3: rpc_unreliable()) or a synchronizer that sends always. Over WebSocket all messages are "
             "reliable, in one order: send less often, or over ENet or WebRTC.", "per second", HOT_RATE),
    Computed("unchanged", "note", "Synchronized properties that were sent but never changed", "",
             "Set the replication mode of the property to On Change, or Never with Spawn.", "times", UNCHANGED_TIMES),
    Computed("repeated", "note", "Synchronized properties whose updates repeat the value before in over half of the cases", "",
             "Set the replication mode of the property to On Change: the node's updates then have it only if it differs.", "%", 50),
    Computed("headers", "note", "Ends of connections that send over 40 % of their bytes as headers, acknowledgements and pings", "",
             "Send fewer and larger messages: several values in one call or one synchronizer, at longer intervals. Ethernet, IPv4 and UDP "
             "are 42 bytes of each datagram.", "%", 40),
    Computed("fragmented", "note", "Reliable messages in several datagrams", "enet.reassembly.count",
             "A message in n fragments waits for all of them. Split large states into several calls, send differences, or load large "
             "data by HTTP.", "bytes"),
    Computed("fragmented_unreliable", "warning", "Unreliable messages in several datagrams", "enet.command == 12",
             "Each lost fragment loses the whole message, and nothing is sent again: keep unreliable messages within the MTU of the "
             "connection less 28 bytes, which is 1,364 bytes with ENet's MTU of 1,392.", "bytes"),
    Computed("slow_acks", "note", "Acknowledgements after more than 200 ms", "enet.analysis.ack_rtt > 0.2",
             "ENet acknowledges when the receiver polls: a slow frame of the receiver counts as round-trip time.", "s", SLOW),
    Computed("leviathan_unanswered", "warning", "Requests without a response", "leviathan.unanswered",
             "The server did not respond, or the capture ended before. Lost requests have leviathan.analysis.lost."),
    Computed("leviathan_slow", "note", "Responses after more than 200 ms", "leviathan.time > 0.2",
             "The server took long, or the first transmission was lost: see the losses.", "s", SLOW),
    Computed("squirrel_failed", "warning", "Errors with which commands ended", "squirrel.command.failed",
             "The function does not exist at the other end, or failed there. The filter squirrel.failed finds the commands that have a "
             "token."),
    Computed("squirrel_unanswered", "warning", "Commands without a reply", "squirrel.unanswered",
             "The receiver's script does not reply, or the capture ended before."),
    Computed("squirrel_slow", "note", "Replies after more than 200 ms", "squirrel.time > 0.2",
             "The script at the other end took long, or frames were lost: see RakNet's NAKs.", "s", SLOW),
)
BY_ID = {each.id: each for each in COMPUTED}

# Short names of --fail-on for expert infos.
ALIASES = {
    "late": ("godot_mp.sync.update.late",), "methods_differ": ("godot_mp.rpc.methods.differs", "godot_mp.path.methods.differs"),
    "unknown_methods": ("godot_mp.rpc.method.unknown",), "full_paths": ("godot_mp.path.confirmation.missing",),
    "lost": ("enet.analysis.lost_messages",), "retransmissions": ("enet.analysis.retransmission",),
    "spurious": ("enet.analysis.spurious_retransmission",), "silence": ("enet.analysis.silence",),
    "window_full": ("enet.analysis.window_full",), "checksum": ("enet.checksum.bad",), "leviathan_lost": ("leviathan.analysis.lost",),
    "leviathan_retransmissions": ("leviathan.analysis.retransmission",), "game_errors": ("godot_debugger.game_error",),
    "game_warnings": ("godot_debugger.game_warning",),
}

# The field with the amount of a finding, and its unit, where it is not the time in a field of the same name with "_time". Of a unit
# "messages", the finding counts them.
AMOUNTS = {
    "enet.analysis.retransmission": ("enet.analysis.resend_time", "s"), "enet.analysis.lost_messages": ("enet.analysis.lost", "messages"),
    "leviathan.analysis.retransmission": ("leviathan.analysis.resend_time", "s"), "godot_mp.sync.update.late": (None, "s"),
}
# Counted by a computed finding, or said of the same packet by another expert info.
NOT_LISTED = {"enet.analysis.duplicate_ack", "leviathan.analysis.shows_loss", "leviathan.analysis.duplicate", "enet.analysis.duplicate",
              "squirrel.command.failed", "godot_debugger.message.unknown", "godot_mp.unreliable.too_long", "godot_mp.rpc.reliable.too_many"}


class Found:
    """How often a finding occurred, and its worst or first occurrences."""

    def __init__(self, clock):
        self.count = 0
        self.worst = Worst()
        self.stretches = Timeline(clock)

    def add(self, frame, who, text="", value=0, count=1, **more):
        """`who`: the connection, sender and receiver, as names or addresses."""
        self.count += count
        self.worst.add(value, frame=frame.number, time=frame.time, who=who, text=text, **more)
        self.stretches.add("", frame.time, count)

    def bins(self):
        return sorted(self.stretches.keys.get("", {}).items())


def amount_of(name):
    return AMOUNTS.get(name, (f"{name}_time", "s"))


def quoted(text):
    """As a string of a display filter."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def filter_of(entries):
    """Of a finding whose occurrences each have a filter: all of those listed."""
    return " || ".join(dict.fromkeys(entry["filter"] for entry in entries))
