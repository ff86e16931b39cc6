# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the report looks for: an id for --fail-on, a title, the filter that finds it in Wireshark, and what to do.

plugin/docs/report.md lists the ids; a test compares the two.
"""

from typing import NamedTuple, Tuple


class Finding(NamedTuple):
    id: str
    title: str
    filter: str
    remedy: str
    experts: Tuple[str, ...] = ()  # each of these in a packet counts
    unit: str = ""                 # of the worst entries' values


FINDINGS = (
    Finding("late", "Late updates: a node seems to jump", "godot_mp.sync.update.late",
            "If several nodes of one peer are late at once, this peer was blocked: move loading and long computations off the main "
            "thread. If only one is, its synchronizer stopped or its interval changed. If the update also has enet.analysis.lost, "
            "the network lost datagrams: interpolate between updates and send them at a shorter interval.",
            ("godot_mp.sync.update.late",), "s"),
    Finding("methods_differ", "The RPC methods of a node differ between two peers",
            "godot_mp.rpc.methods.differs || godot_mp.path.methods.differs",
            "Calls on this node fail or execute another method. Both peers need the same version of the script: compare the lists of "
            "@rpc methods.", ("godot_mp.rpc.methods.differs", "godot_mp.path.methods.differs")),
    Finding("unknown_methods", "Calls of a method number that the script does not have", "godot_mp.rpc.method.unknown",
            "Write the tables of names again with rpc_names.gd; if that does not help, the peers have different versions.",
            ("godot_mp.rpc.method.unknown",)),
    Finding("full_paths", "Calls with the whole node path two seconds after the first", "godot_mp.path.by_name",
            "The number of a path is used once its receiver has confirmed it; until then each call has the path. A receiver that does "
            "not confirm it does not have the node: add or spawn it on all peers before it is used.", ()),
    Finding("hot_reliable", "Reliable messages on hot paths: over 20 a second of one method or synchronizer", "",
            "A lost reliable message holds back all later ones of its channel. For values that the next message replaces, use "
            "@rpc(\"unreliable_ordered\") or a synchronizer that sends always.", (), "per second"),
    Finding("unchanged", "Synchronized properties that were sent but never changed", "",
            "Set the replication mode of the property to On Change, or Never with Spawn.", (), "times"),
    Finding("fragmented", "Messages larger than a datagram (MTU)", "enet.reassembly.count",
            "A message in n fragments is lost if one of them is, or waits for all of them. Split large states into several calls, send "
            "differences, or load large data by HTTP.", (), "bytes"),
    Finding("fragmented_unreliable", "Unreliable messages larger than a datagram", "enet.command == 12",
            "Each lost fragment loses the whole message, and nothing is sent again: keep unreliable messages below 1,392 bytes.", (),
            "bytes"),
    Finding("lost", "Unreliable messages that did not arrive", "enet.analysis.lost",
            "The network lost them, the throttle of the sender dropped them, or they came after later ones of their channel, which ENet drops. "
            "They are not sent again: interpolate, and send state in place of events.", (), "messages"),
    Finding("retransmissions", "Reliable messages that were sent again", "enet.analysis.retransmission",
            "A retransmission delays all later reliable messages of its channel. Use separate channels for independent messages.",
            ("enet.analysis.retransmission",), "s"),
    Finding("spurious", "Spurious retransmissions: the message had already arrived", "enet.analysis.spurious_retransmission",
            "The acknowledgement was late: the receiver calls its network rarely, because its main loop was blocked, or the "
            "round-trip time varies much.", ("enet.analysis.spurious_retransmission",)),
    Finding("slow_acks", "Acknowledgements after more than 200 ms", "enet.analysis.ack_rtt > 0.2",
            "ENet acknowledges when the receiver polls: a slow frame of the receiver counts as round-trip time.", (), "s"),
    Finding("silence", "A side was silent for longer than ENet's minimum timeout", "enet.analysis.silence",
            "The process was blocked or suspended, or the network was interrupted.", ("enet.analysis.silence",), "s"),
    Finding("window_full", "Reliable messages that had to wait for the window", "enet.analysis.window_full",
            "The sender has more unacknowledged bytes than the window allows: send less at a time.", ("enet.analysis.window_full",)),
    Finding("checksum", "Datagrams with a wrong checksum", "enet.checksum.bad",
            "ENet drops these datagrams. The two ends have different settings, or the network damages data.",
            ("enet.checksum.bad",)),
    Finding("leviathan_lost", "Packets that the engine counts as lost", "leviathan.analysis.lost",
            "The engine sends their messages again if they are reliable.", ("leviathan.analysis.lost",)),
    Finding("leviathan_retransmissions", "Messages that were sent again", "leviathan.analysis.retransmission",
            "The peer did not acknowledge the packet in time.", ("leviathan.analysis.retransmission",), "s"),
    Finding("leviathan_unanswered", "Requests without a response", "leviathan.unanswered",
            "The server did not respond, or the capture ended before. Lost requests have leviathan.analysis.lost.", ()),
    Finding("leviathan_slow", "Responses after more than 200 ms", "leviathan.time > 0.2",
            "The server took long, or the first transmission was lost: see the losses.", (), "s"),
    Finding("squirrel_failed", "Errors with which commands ended", "squirrel.command.failed",
            "The function does not exist at the other end, or failed there. The filter squirrel.failed finds the commands that have a "
            "token.", ()),
    Finding("squirrel_unanswered", "Commands without a reply", "squirrel.unanswered",
            "The receiver's script does not reply, or the capture ended before.", ()),
    Finding("squirrel_slow", "Replies after more than 200 ms", "squirrel.time > 0.2",
            "The script at the other end took long, or frames were lost: see RakNet's NAKs.", (), "s"),
    Finding("game_errors", "Errors that the game reported to the editor", "godot_debugger.game_error",
            "The text of the error has file, line and function.", ("godot_debugger.game_error",)),
    Finding("game_warnings", "Warnings that the game reported to the editor", "godot_debugger.game_warning",
            "The text of the warning has file, line and function.", ("godot_debugger.game_warning",)),
)
BY_ID = {finding.id: finding for finding in FINDINGS}
BY_EXPERT = {expert: finding.id for finding in FINDINGS for expert in finding.experts}
# Counted by another finding, or not worth one.
NOT_LISTED = {"enet.analysis.lost_messages", "enet.analysis.duplicate_ack", "leviathan.analysis.shows_loss",
              "leviathan.analysis.duplicate", "enet.analysis.duplicate", "squirrel.command.failed",
              "godot_debugger.message.unknown", "godot_mp.unreliable.too_long", "godot_mp.rpc.reliable.too_many",
              "godot_mp.path.confirmation.missing"}

HOT_RATE = 20
UNCHANGED_TIMES = 20
CONFIRMATION_TIME = 2.0
SLOW = 0.2
