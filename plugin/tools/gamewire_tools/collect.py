# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Collects a report's figures, one packet after the other."""

from . import capture, messages
from .capture import below, every, experts, number
from .figures import OTHER, Clock, Distribution, Rates, Timeline, Worst
from .findings import (BY_EXPERT, BY_ID, CONFIRMATION_TIME, FINDINGS, HOT_RATE, NOT_LISTED, SLOW, UNCHANGED_TIMES)
from .variants import readable

MOST = 20000  # properties, nodes and connections that are followed
SEVERITIES = {0x00400000: "note", 0x00600000: "warning", 0x00800000: "error"}
FAMILIES = frozenset(capture.FAMILIES)


def quoted(text):
    """As a string of a display filter."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def filter_of(entries):
    """Of a finding whose occurrences each have a filter: all of those listed."""
    return " || ".join(dict.fromkeys(entry["filter"] for entry in entries))


class Found:
    """How often a finding occurred, and its worst or first occurrences."""

    def __init__(self):
        self.count = 0
        self.worst = Worst()

    def add(self, frame, value=0, text="", count=1, **more):
        self.count += count
        self.worst.add(value, frame=frame, text=text, **more)


class Collector:
    """`packet` takes each packet; `end` computes what needs all of them."""

    def __init__(self, names):
        self.names = names
        self.clock = Clock()
        longest = max
        self.wire = Timeline(self.clock)           # bytes of frames by sender
        self.payload = Timeline(self.clock)        # bytes of messages by method, property or kind
        self.nodes = Timeline(self.clock)          # the same by node
        self.kinds = Timeline(self.clock)          # number of messages by kind, of Leviathan and Squirrel
        self.delays = Timeline(self.clock, longest)  # round-trip and response times
        self.troubles = Timeline(self.clock)       # retransmissions and losses
        self.intervals = Timeline(self.clock, longest)  # between a synchronizer's updates
        self.handlers = Timeline(self.clock, longest)  # of recordings: times in handlers, by the receiver's address
        self.times = {}                            # kind of delay: Distribution
        self.counts = {}                           # group: {key: number of messages}
        self.found = {finding.id: Found() for finding in FINDINGS}
        self.others = {}                           # expert info: (severity, text, Found)
        self.connections = {}
        self.peers = {}                            # address: name
        self.scripts = {}                          # node: the first node with the same methods
        self.first_nodes = {}                      # checksum of methods: that node
        self.rates = Rates()
        self.properties = {}
        self.by_name = {}
        self.failed = {}                           # (source, destination, token) of a Squirrel command that failed: its label
        self.protocols = {}
        self.packets = self.bytes = self.messages = 0

    # ---- a packet ----------------------------------------------------------------------------------------

    def packet(self, packet):
        time = float(packet.time)
        source, destination = messages.addresses(packet.layers)
        self.packets += 1
        self.bytes += packet.length
        self.wire.add((source, destination), time, packet.length)
        self.connection(source, destination, packet, time)
        for name, items in packet.layers:
            if isinstance(items, list) and name in FAMILIES:
                self.protocols[name] = self.protocols.get(name, 0) + 1
                infos = list(experts(items)) if packet.has_experts else ()
                self.expert_infos(packet.number, infos)
                if name == "enet":
                    self.enet(packet.number, time, items, infos)
                elif name == "leviathan":
                    self.leviathan(packet.number, time, items, infos)
        by_name = packet.has_experts and any("godot_mp.path.by_name" in {each[0] for each in experts(items)}
                                             for name, items in packet.layers if name == "godot_mp" and isinstance(items, list))
        for message in messages.of_packet(packet, self.names):
            self.message(message)
            if by_name and message["kind"] == "call":
                self.full_path(message)

    def connection(self, source, destination, packet, time):
        key = tuple(sorted((source, destination)))
        if key not in self.connections and len(self.connections) >= MOST:
            return
        found = self.connections.setdefault(key, {"ends": list(key), "frames": 0, "bytes": 0, "first": time, "last": time,
                                                  "sent": {source: 0, destination: 0}})
        found["frames"] += 1
        found["bytes"] += packet.length
        found["last"] = time
        found["sent"][source] = found["sent"].get(source, 0) + packet.length

    def expert_infos(self, frame, infos):
        for name, severity, text in infos:
            if name in BY_EXPERT:
                if BY_EXPERT[name] not in ("late", "retransmissions", "silence", "leviathan_retransmissions"):
                    self.found[BY_EXPERT[name]].add(frame, text=text)
            elif severity >= messages.NOTE and name not in NOT_LISTED:
                entry = self.others.setdefault(name, (severity, text, Found()))
                entry[2].add(frame, text=text)

    def count(self, group, key):
        counts = self.counts.setdefault(group, {})
        if key not in counts and len(counts) >= MOST:
            key = OTHER
        counts[key] = counts.get(key, 0) + 1

    def delay(self, what, time, value):
        self.delays.add(what, time, value)
        self.times.setdefault(what, Distribution()).add(value)

    # ---- ENet --------------------------------------------------------------------------------------------

    def enet(self, frame, time, items, infos):
        for entry in every(items, "enet.entry"):
            command = number(below(entry, "enet.type"), "enet.command")
            self.count("enet.command", command)
            rtt = messages.seconds(entry, "enet.analysis.ack_rtt")
            if rtt is not None:
                self.delay("ENet round-trip time", time, rtt)
                if rtt > SLOW:
                    self.found["slow_acks"].add(frame, rtt)
            lost = number(entry, "enet.analysis.lost")
            if lost:
                self.found["lost"].add(frame, lost, count=lost)
                self.troubles.add("lost messages", time, lost)
            for name, _, text in experts(entry) if infos else ():
                if name == "enet.analysis.retransmission":
                    waited = messages.seconds(entry, "enet.analysis.resend_time") or 0
                    self.found["retransmissions"].add(frame, waited, text)
                    self.troubles.add("retransmissions", time, 1)
                elif name == "enet.analysis.duplicate":
                    self.troubles.add("duplicates", time, 1)
        silent = messages.seconds(items, "enet.analysis.silence_time")
        if any(name == "enet.analysis.silence" for name, _, _ in infos):
            self.found["silence"].add(frame, silent or 0)

    # ---- Leviathan ---------------------------------------------------------------------------------------

    def leviathan(self, frame, time, items, infos):
        rtt = messages.seconds(items, "leviathan.rtt")
        if rtt is not None:
            self.delay("Leviathan round-trip time", time, rtt)
        for name, _, text in infos:
            if name == "leviathan.analysis.lost":
                self.troubles.add("lost packets", time, 1)
            elif name == "leviathan.analysis.retransmission":
                self.troubles.add("retransmissions", time, 1)
                self.found["leviathan_retransmissions"].add(frame, self.resend_time(items), text)

    @staticmethod
    def resend_time(items):
        times = [messages.seconds(each, "leviathan.analysis.resend_time") for each in (items, *every(items, "leviathan.message"))]
        return max((time for time in times if time is not None), default=0)

    # ---- messages ----------------------------------------------------------------------------------------

    def message(self, message):
        self.messages += 1
        protocol = message["protocol"]
        self.recorded(message)
        if message.get("duplicate"):
            return  # the statistics do not count it either
        if "fragments" in message:
            place = " ".join(message[name] for name in ("method", "property", "node") if name in message)
            self.found["fragmented" if message["delivery"] == "reliable" else "fragmented_unreliable"].add(
                message["frame"], message["bytes"], f"{message['kind']} {place}".strip())
        if protocol == "godot_mp":
            self.multiplayer(message)
        elif protocol in ("leviathan", "squirrel"):
            self.answered(message)
        else:
            self.sized(message, message["kind"] if protocol != "enet" else f"ENet {message['kind']}", "(no node)")
            self.count(f"{protocol}.kind", message["kind"])

    def recorded(self, message):
        """Of messages that both ends recorded, the later record has the time on the way here."""
        if "handler_time" in message:
            self.handlers.add(message["destination"], message["time"], message["handler_time"])
        if message.get("duplicate") and "way_time" in message:
            self.delay("Time on the way", message["time"], message["way_time"])

    def sized(self, message, name, node):
        size = message.get("bytes") or 0
        self.payload.add(name, message["time"], size)
        self.nodes.add(node, message["time"], size)

    def multiplayer(self, message):
        kind = message["kind"]
        self.count("godot_mp.kind", kind)
        if not message.get("relayed") and len(self.peers) < MOST:
            self.peers[message["source"]] = message["from"]
        if kind == "sync":
            self.sync(message)
        elif kind == "path" and "checksum" in message and "node" in message and len(self.scripts) < MOST:
            self.scripts[message["node"]] = self.first_nodes.setdefault(message["checksum"], message["node"])
            self.sized(message, kind, f"({kind})")
        elif kind in ("call", "set"):
            node = message.get("node", "(unknown path)")
            name = self.method_of(message, node)
            self.count("godot_mp.method", name)
            self.count("godot_mp.node", f"{name}, {node}")
            self.sized(message, name, node)
            self.hot(message, name, node)
        else:
            self.sized(message, kind, f"({kind})")

    def method_of(self, message, node):
        """As in the statistics: "hit()", "set hp", and numbers by script, which is known from a node with the same methods:
        "method 5() on Main/Hero"."""
        if message["kind"] == "set":
            return f"set {message.get('property', 'unknown')}"
        if "method" in message:
            return message["method"] + "()"
        name = f"method {message['method_id']}()" if "method_id" in message else "unknown()"
        return f"{name} on {self.scripts[node]}" if node in self.scripts else name

    def hot(self, message, name, node):
        if message.get("delivery") == "reliable" and not message.get("resent"):
            ends = f"{message['from']} → {message['to']}"
            self.rates.add((name, node, ends, message["source"]), message["time"] - self.clock.start, message["frame"])

    def full_path(self, message):
        key = (message["from"], message["destination"], message.get("node"))
        begun = self.by_name.setdefault(key, message["time"]) if len(self.by_name) < MOST else message["time"]
        if message["time"] - begun > CONFIRMATION_TIME:
            self.found["full_paths"].add(message["frame"], text=f"{message.get('node')}, {message['from']} → {message['to']}")

    def sync(self, message):
        left = message.get("bytes") or 0
        for update in message["updates"]:
            node = update.get("node", "(unknown path)")
            size = update.get("bytes") or 0
            left -= size
            self.count("godot_mp.sync", node)
            self.payload.add(f"sync {node}", message["time"], size)
            self.nodes.add(node, message["time"], size)
            if "interval" in update and "indexes" not in update:
                self.intervals.add(node, message["time"], update["interval"])
            if update.get("late"):
                self.found["late"].add(message["frame"], update.get("interval", 0), f"{node}, to {message['to']}", node=node)
            if "indexes" in update:
                self.hot(message, f"properties of {node}", node)
            else:
                self.unchanged(message, update, node)
        if left > 0:
            self.payload.add("sync headers", message["time"], left)
            self.nodes.add("(sync headers)", message["time"], left)

    def unchanged(self, message, update, node):
        names = update.get("properties") or ()
        for index, value in enumerate(update["values"]):
            key = node, names[index] if index < len(names) else f"value {index}"
            text = repr(value)
            entry = self.properties.get(key)
            if entry is None and len(self.properties) < MOST:
                self.properties[key] = [1, text, message["frame"], value]
            elif entry:
                entry[0] += 1
                if entry[1] is not None and entry[1] != text:
                    entry[1] = None

    def answered(self, message):
        """Leviathan and Squirrel: a message has a type, and an answer a time."""
        protocol, kind, time = message["protocol"], message["kind"], message["time"]
        name = f"{kind} {message.get('type', 'unknown')}" if protocol == "leviathan" else kind
        self.kinds.add(name, time, 1)
        self.count(f"{protocol}.kind", name)
        label = f"{name} {', '.join(message.get('expression', ()))}".strip()[:200]
        if "response_time" in message:
            self.delay("Response time", time, message["response_time"])
            if message["response_time"] > SLOW:
                self.found[f"{protocol}_slow"].add(message["frame"], message["response_time"], label)
        if message.get("unanswered"):
            self.found[f"{protocol}_unanswered"].add(message["frame"], text=label)
        if message.get("failed") and len(self.failed) < MOST:
            self.failed[message["source"], message["destination"], message.get("token")] = label
        if "error" in message:
            command = self.failed.pop((message["destination"], message["source"], message.get("token")), "Command without a token")
            self.found["squirrel_failed"].add(message["frame"], text=f"{command}: {message['error'] or '(no text)'}")

    # ---- the end -----------------------------------------------------------------------------------------

    def end(self):
        self.clock.end()
        hot = {}  # what the server relays is sent twice: once by the client, once by the server
        for (name, node, ends, _), (count, frame) in self.rates.most.items():
            if count > hot.get((name, node, ends), (HOT_RATE, 0))[0]:
                hot[name, node, ends] = count, frame
        for (name, node, ends), (count, frame) in hot.items():
            path = quoted(node)
            self.found["hot_reliable"].add(frame, count, f"{name} on {node}, {ends}",
                                           filter=f"godot_mp.rpc.path == {path} || godot_mp.sync.path == {path}")
        for (node, name), (count, text, frame, value) in self.properties.items():
            if text is not None and count >= UNCHANGED_TIMES:
                self.found["unchanged"].add(frame, count, f"{name} of {node}: {readable(value)[:80]}",
                                            filter=f"godot_mp.sync.path == {quoted(node)}")

    def findings(self):
        """All that occurred, the errors of a game first as in FINDINGS, then other expert infos by severity."""
        listed = [{"id": finding.id, "title": finding.title, "count": self.found[finding.id].count,
                   "filter": finding.filter or filter_of(self.found[finding.id].worst.entries()),
                   "remedy": finding.remedy, "unit": finding.unit, "worst": self.found[finding.id].worst.entries()}
                  for finding in FINDINGS if self.found[finding.id].count]
        titles = self.names.titles(self.others) if self.others else {}
        for name, (severity, text, found) in sorted(self.others.items(), key=lambda item: (-item[1][0], item[0])):
            listed.append({"id": name, "title": titles.get(name, text), "count": found.count, "filter": name, "remedy": "",
                           "severity": SEVERITIES.get(severity, "note"), "unit": "", "worst": found.worst.entries()})
        return listed

    def metrics(self):
        """What --fail-on can name: the findings that are known, and these figures."""
        found = {finding_id: self.found[finding_id].count for finding_id in BY_ID}
        found.update({name: entry[2].count for name, entry in self.others.items()})
        rtt = self.times.get("ENet round-trip time") or self.times.get("Leviathan round-trip time") or Distribution()
        answers = self.times.get("Response time") or Distribution()
        seconds = max(self.clock.duration(), 1e-3)
        found.update(rtt_median=rtt.percentile(0.5) or 0, rtt_95=rtt.percentile(0.95) or 0, rtt_max=rtt.largest,
                     response_95=answers.percentile(0.95) or 0, response_max=answers.largest, messages=self.messages,
                     frames=self.packets, bytes=self.bytes, bytes_per_second=self.bytes / seconds)
        return found
