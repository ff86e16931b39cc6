# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Collects a report's figures, one frame after the other."""

import json

from .figures import OTHER, Clock, Rates, Timeline
from .findings import ALIASES, BY_ID, COMPUTED, NOT_LISTED, ORDER, UNCHANGED_TIMES, Found, amount_of, filter_of, quoted
from .peers import RESENT, Peers
from .usage import CONNECTING, NO_NODE, REPEATED, Scripts, Usage, kind_of, method_of, name_of

MOST_RECEIVERS = 100  # of a property
MOST = 20000  # properties, nodes and keys of counts that are followed


def readable(value):
    """A value of the JSON form as a person reads it: Vector2(1, 2), true, "text"."""
    name = next(iter(value), "") if isinstance(value, dict) else ""
    if name.startswith("$") and isinstance(value[name], list):
        return f"{name[1:]}({', '.join(map(readable, value[name]))})"
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


class Received:
    """The updates of a property that one receiver got: how many, how many of them repeat the value before, and the latest value."""

    __slots__ = "owner", "count", "repeats", "value"

    def __init__(self, owner, value):
        self.owner, self.count, self.repeats, self.value = owner, 1, 0, value


class Property:
    """A synchronized property: its first frame, value and receiver, and the updates of each receiver."""

    def __init__(self, frame, value, who):
        self.frame, self.value, self.who = frame, value, who
        self.changed = False
        self.receivers = []

    def receive(self, value):
        """The first update for a receiver. None: the property has too many of them."""
        self.changed = self.changed or value != self.value
        if len(self.receivers) >= MOST_RECEIVERS:
            return None
        self.receivers.append(Received(self, value))
        return self.receivers[-1]

    def most(self):
        """The updates and repeats of the receiver with the most updates."""
        return max((each.count, each.repeats) for each in self.receivers)


class Collector:
    """`frame` takes each frame; `end` computes what needs all of them. `limits`: {id: other limits} of computed findings;
    `texts`: {field: {number: text}} of enumerations."""

    def __init__(self, limits=None, texts=None):
        self.clock = Clock()
        self.wire = Timeline(self.clock)           # bytes of frames by sender and receiver
        self.payload = Timeline(self.clock)        # bytes of messages by method, property or kind
        self.nodes = Timeline(self.clock)          # the same by node
        self.kinds = Timeline(self.clock)          # number of messages by kind, of Leviathan and Squirrel
        self.delays = Timeline(self.clock, max)    # round-trip and response times by who acknowledged or answered
        self.troubles = Timeline(self.clock)       # retransmissions and losses by sender
        self.intervals = Timeline(self.clock, max)  # between a synchronizer's updates
        self.handlers = Timeline(self.clock, max)  # of recordings: times in handlers, by the receiver
        self.ways = Timeline(self.clock, max)      # of recordings: times on the way, by sender and receiver
        self.usage = Usage(self.clock)
        self.peers = Peers(texts)
        self.scripts = Scripts()
        self.counts = {}                           # group: {key: number of messages}
        self.found = {each.id: Found(self.clock) for each in COMPUTED}
        self.experts = {}                          # filter name: Found
        self.limits = {name: sorted({each.limit, *(limits or {}).get(name, ())}) for name, each in BY_ID.items() if each.limit is not None}
        self.over = {(name, limit): 0 for name, each in self.limits.items() for limit in each}
        self.rates = Rates()
        self.properties = {}                       # (node, name or number): Property
        self.received = {}                         # (node, name or number, receiver): Received
        self.failed = {}                           # (source, destination, token) of a Squirrel command that failed: its label
        self.protocols = {}
        self.frames = self.bytes = self.messages = 0

    # ---- a frame -----------------------------------------------------------------------------------------

    def frame(self, frame):
        self.peers.frame(frame)
        for peer, seconds in self.peers.round_trips(frame):
            if peer.game_frames or frame.families:
                self.delay(frame, (peer.connection, peer.address, peer.other), seconds, "slow_acks")
        if not frame.families:
            return
        self.frames += 1
        self.bytes += frame.length
        self.wire.add((frame.connection, frame.source, frame.destination), frame.time, frame.length)
        for name in frame.families:
            self.protocols[name] = self.protocols.get(name, 0) + 1
        for command in frame.values.get("enet.command", ()):
            self.count("enet.command", int(command))
        for message in frame.messages:
            self.peers.message(frame, message)
            self.message(frame, message)
        self.expert_infos(frame)

    def who(self, frame, message=None):
        return (frame.connection, message["from"], message["to"]) if message else (frame.connection, frame.source, frame.destination)

    def count(self, group, key):
        counts = self.counts.get(group)
        if counts is None:
            counts = self.counts[group] = {}
        if key not in counts and len(counts) >= MOST:
            key = OTHER
        counts[key] = counts.get(key, 0) + 1

    def delay(self, frame, ends, seconds, finding):
        """`ends`: the connection, who acknowledged or answered, and the other end."""
        self.delays.add(ends, frame.time, seconds)
        if finding == "slow_acks" and "enet" not in frame.families:
            return
        self.compare(finding, seconds, frame, ends)

    def compare(self, finding, value, frame, who, text="", **more):
        """Counts a value for each limit that it is over."""
        for limit in self.limits[finding]:
            if value > limit:
                self.over[finding, limit] += 1
        if value > BY_ID[finding].limit:
            self.found[finding].add(frame, who, text, value, **more)

    def expert_infos(self, frame):
        for name, number in frame.experts.items():
            found = self.experts.get(name)
            if found is None and len(self.experts) < MOST:
                found = self.experts[name] = Found(self.clock)
            if found is None:
                continue
            field, unit = amount_of(name)
            amounts = [float(value) for value in frame.values.get(field, ())]
            concerned = [message for message in frame.messages if name in message.get("notes", ())]
            if name in ALIASES["late"]:
                self.late(frame, found)
            elif unit == "messages" and amounts:
                self.troubles.add(("lost messages", *self.who(frame)), frame.time, sum(amounts))
                found.add(frame, self.who(frame), value=sum(amounts), count=int(sum(amounts)))
            else:
                message = concerned[0] if concerned else None
                found.add(frame, self.who(frame, message), self.label(message) if message else "", max(amounts, default=0), number)
            if name in RESENT:
                self.troubles.add(("sent again", *self.who(frame)), frame.time, number)
            elif name in ALIASES["leviathan_lost"]:
                self.troubles.add(("lost packets", *self.who(frame)), frame.time, number)

    def late(self, frame, found):
        for message in frame.messages:
            for update in message.get("updates", ()):
                if update.get("late") and not message.get("duplicate"):
                    found.add(frame, self.who(frame, message), update.get("node", NO_NODE), update.get("interval", 0))

    def label(self, message):
        """A message in a few words."""
        if message["kind"] in ("call", "set"):
            return " on ".join([name_of(message), *([message["node"]] if "node" in message else ())])
        place = [str(message[name]) for name in ("node", "name", "type") if name in message]
        return " ".join([message["kind"], *place, ", ".join(message.get("expression", ()))]).strip()[:200]

    # ---- messages ----------------------------------------------------------------------------------------

    def message(self, frame, message):
        if message["protocol"] == "enet" and message["kind"] in CONNECTING:
            return
        self.messages += 1
        self.scripts.message(message)
        self.recorded(frame, message)
        if message.get("duplicate"):
            self.usage.add(REPEATED, "", message, message.get("bytes") or 0)
            return  # the statistics do not count it either
        if "fragments" in message:
            name = "fragmented" if message["delivery"] == "reliable" else "fragmented_unreliable"
            self.found[name].add(frame, self.who(frame, message), self.label(message), message["bytes"])
        if message["protocol"] == "godot_mp":
            self.multiplayer(frame, message)
        elif message["protocol"] in ("leviathan", "squirrel"):
            self.answered(frame, message)
        else:
            self.sized(message, kind_of(message))
            self.count(f"{message['protocol']}.kind", message["kind"])

    def recorded(self, frame, message):
        """Of messages that both ends recorded, the later record has the time on the way here."""
        if "handler_time" in message:
            self.handlers.add((frame.connection, message["destination"]), message["time"], message["handler_time"])
        if message.get("duplicate") and "way_time" in message:
            self.ways.add((frame.connection, message["source"], message["destination"]), message["time"], message["way_time"])

    def sized(self, message, name, node="", short=None):
        size = message.get("bytes") or 0
        self.payload.add(name, message["time"], size)
        self.nodes.add(node or "(no node)", message["time"], size)
        self.usage.add(short or name, node, message, size)

    def multiplayer(self, frame, message):
        kind = message["kind"]
        self.count("godot_mp.kind", kind)
        if kind == "sync":
            self.sync(frame, message)
        elif kind in ("call", "set"):
            node = message.get("node", NO_NODE)
            name = method_of(message, self.scripts)
            self.count("godot_mp.method", name)
            self.count("godot_mp.node", f"{name}, {node}")
            self.sized(message, name, node, name_of(message))
            self.hot(frame, message, name_of(message), node)
        else:
            self.sized(message, kind)

    def hot(self, frame, message, name, node):
        """For each receiver: a call of all peers is one message, however many clients there are."""
        if message.get("delivery") == "reliable" and not message.get("resent"):
            key = name, node, message["from"], message["to"], frame.source
            self.rates.add(key, frame.time, frame)

    def sync(self, frame, message):
        time, left = message["time"], message.get("bytes") or 0
        for update in message["updates"]:
            node, size = update.get("node", NO_NODE), update.get("bytes") or 0
            left -= size
            self.count("godot_mp.sync", node)
            self.payload.add(f"sync {node}", time, size)
            self.nodes.add(node, time, size)
            if "indexes" in update:
                self.usage.add("sync of changes", node, message, size)
                self.hot(frame, message, "sync of changes", node)
                continue
            self.usage.add("sync", node, message, size)
            if "interval" in update:
                self.intervals.add(node, time, update["interval"])
            self.values(frame, message, update, node)
        if left > 0:
            self.payload.add("sync headers", time, left)
            self.nodes.add("(sync headers)", time, left)
            self.usage.add("sync headers", "", message, left, 0 if message["updates"] else 1)

    def values(self, frame, message, update, node):
        """Whether a property ever changes, and how often an update repeats the value that the receiver had before."""
        if message.get("resent"):
            return
        names = update.get("properties") or ()
        receiver = message["to"], frame.source
        for index, value in enumerate(update["values"]):
            key = node, names[index] if index < len(names) else index, receiver
            found = self.received.get(key)
            if found is None:
                self.receive(frame, message, key, value)
                continue
            found.count += 1
            if found.value == value:
                found.repeats += 1
            else:
                # One of the two is not the property's first value.
                found.value = value
                found.owner.changed = True

    def receive(self, frame, message, key, value):
        """A property's first update for a receiver, or one more of those that are not followed."""
        owner = self.properties.get(key[:2])
        if owner is None:
            if len(self.properties) >= MOST:
                return
            owner = self.properties[key[:2]] = Property(frame, value, self.who(frame, message))
        found = owner.receive(value)
        if found:
            self.received[key] = found

    def answered(self, frame, message):
        """Leviathan and Squirrel: a message has a type, and an answer a time."""
        protocol, time = message["protocol"], message["time"]
        name = kind_of(message)
        self.kinds.add(name, time, 1)
        self.usage.add(name, "", message, message.get("bytes") or 0)
        self.count(f"{protocol}.kind", name)
        label = f"{name} {', '.join(message.get('expression', ()))}".strip()[:200]
        who = self.who(frame, message)
        if "response_time" in message:
            self.peers.answer(frame, message["response_time"])
            self.delays.add(self.who(frame), time, message["response_time"])
            self.compare(f"{protocol}_slow", message["response_time"], frame, who, label)
        if message.get("unanswered"):
            self.found[f"{protocol}_unanswered"].add(frame, who, label)
        if message.get("failed") and len(self.failed) < MOST:
            self.failed[message["source"], message["destination"], message.get("token")] = label
        if "error" in message:
            command = self.failed.pop((message["destination"], message["source"], message.get("token")), "Command without a token")
            self.found["squirrel_failed"].add(frame, who, f"{command}: {message['error'] or '(no text)'}")

    # ---- the end -----------------------------------------------------------------------------------------

    def end(self):
        self.clock.end()
        for (name, node), (count, frame, sender, receivers) in self.hot_paths().items():
            path = quoted(node)
            to = next(iter(receivers)) if len(receivers) == 1 else f"{len(receivers)} receivers"
            self.compare("hot_reliable", count, frame, (frame.connection, sender, to), f"{name} on {node}",
                         filter=f"godot_mp.rpc.path == {path} || godot_mp.sync.path == {path}")
        for (node, name), entry in self.properties.items():
            name = name if isinstance(name, str) else f"value {name}"
            filter_text = f"godot_mp.sync.path == {quoted(node)}"
            count, repeats = entry.most()
            if not entry.changed:
                self.compare("unchanged", count, entry.frame, entry.who, f"{name} of {node}: {readable(entry.value)[:80]}", filter=filter_text)
            elif count > UNCHANGED_TIMES:
                self.compare("repeated", 100 * repeats / count, entry.frame, entry.who, f"{name} of {node}: {repeats} of {count} updates",
                             filter=filter_text)
        for peer in self.peers.peers.values():
            headers = peer.headers()
            if headers is not None and peer.first_frame:
                host, _, port = peer.address.rpartition(":")
                name = "ipv6" if host.startswith("[") else "ip"
                self.compare("headers", headers, peer.first_frame, (peer.connection, peer.address, peer.other),
                             f"{peer.messages} messages of {peer.message_bytes} bytes in {peer.bytes} bytes",
                             filter=f"{peer.connection[0]} == {peer.connection[1]} && {name}.src == {host.strip('[]')} && udp.srcport == {port}")

    def hot_paths(self):
        """{(method, node): (most messages in a second to one receiver, frame, sender, receivers of as many or more than the limit)}.
        What the server relays is sent twice: once by the client, once by the server."""
        found = {}
        lowest = self.limits["hot_reliable"][0]
        for (name, node, sender, receiver, _), (count, frame) in self.rates.most.items():
            if count > lowest:
                most, at, by, receivers = found.get((name, node), (0, None, None, frozenset()))
                receivers = receivers | {receiver}
                found[name, node] = (count, frame, sender, receivers) if count > most else (most, at, by, receivers)
        return found

    def listed(self, known):
        """Those that occurred, worst first: by severity and number. `known`: {filter name: Finding} of the plugin."""
        rows = [self._row(each.id, each.severity, each.title, self.found[each.id], each.unit, each.remedy,
                          each.filter or filter_of(self.found[each.id].worst.entries()))
                for each in COMPUTED if self.found[each.id].count]
        for name, found in self.experts.items():
            if name in known and name not in NOT_LISTED and found.count:
                rows.append(self._row(name, known[name].severity, known[name].title, found, amount_of(name)[1],
                                      known[name].remedy, name))
        return sorted(rows, key=lambda row: (ORDER[row["severity"]], -row["count"], row["id"]))

    def _row(self, name, severity, title, found, unit, remedy, filter_text):
        worst = [{"frame": entry["frame"], "time": round(entry["time"] - self.clock.start, 6), "from": self._end(entry["who"], 1),
                  "to": self._end(entry["who"], 2), "value": entry["value"], "text": entry["text"],
                  **{"filter": entry["filter"] for _ in (1,) if "filter" in entry}} for entry in found.worst.entries()]
        return {"id": name, "severity": severity, "title": title, "count": found.count, "filter": filter_text, "remedy": remedy,
                "unit": unit, "worst": worst, "stretches": [list(entry) for entry in found.bins()]}

    def _end(self, who, index):
        return self.peers.name(who[0], who[index])

    def metrics(self):
        """What --fail-on can name besides the names of fields: the findings, each of the worst peer where it is a time, and these figures."""
        found = {each.id: self.found[each.id].count for each in COMPUTED}
        found.update({f"{name}@{limit:g}": count for (name, limit), count in self.over.items() if limit != BY_ID[name].limit})
        found.update({alias: sum(self.experts[name].count for name in names if name in self.experts) for alias, names in ALIASES.items()})
        ends = [peer for peer in self.peers.peers.values() if peer.game_frames]
        worst = {name: max((getattr(peer, kind).percentile(part) or 0 for peer in ends), default=0) for name, kind, part in (
            ("rtt_median", "round_trips", 0.5), ("rtt_95", "round_trips", 0.95), ("response_95", "answers", 0.95))}
        longest = {name: max((getattr(peer, kind).largest for peer in ends), default=0) for name, kind in (
            ("rtt_max", "round_trips"), ("response_max", "answers"))}
        found.update(worst, **longest, messages=self.messages, frames=self.frames, bytes=self.bytes,
                     bytes_per_second=self.bytes / max(self.clock.duration(), 1e-3))
        return found
