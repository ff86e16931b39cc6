# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages as events of Chrome's trace format, for Perfetto and chrome://tracing. plugin/docs/messages.md describes the tracks.

A connection is a process and each of its directions a thread. A slice is as long as its message's bytes take at `rate` bits a second;
where a message comes while the one before it lasts, its slice begins after that one, as on a link of this rate.
"""

import json

from .peers import RESENT, ROUND_TRIPS
from .usage import kind_of, name_of

RATE = 10_000_000
STEP = 0.1  # seconds of a value of the counter of bytes
MOST = 20000  # latest frames with relayed messages
LEFT_OUT = ("time", "protocol", "kind", "source", "destination")
CONTENT = ("kind", "from", "node", "path_id", "method", "method_id", "property", "arguments", "value", "name", "net_id", "data")

encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class Track:
    """One direction of a connection."""

    def __init__(self, pid, tid, source, destination):
        self.pid, self.tid, self.source, self.destination = pid, tid, source, destination
        self.end = 0.0    # of the latest slice, in microseconds
        self.step = None  # the current one of the counter of bytes
        self.bytes = self.lost = self.resent = 0

    def event(self, kind, time, name, **more):
        return {"ph": kind, "ts": round(time, 3), "pid": self.pid, "tid": self.tid, "name": name, **more}


class Trace:
    """`frame` and `end` return events. `known`: {filter name: Finding} of the plugin."""

    def __init__(self, known, rate=RATE):
        self.known = known
        self.microseconds = 8e6 / rate  # of a byte
        self.start = None
        self.tracks = {}   # (connection, source, destination): Track
        self.names = {}    # (connection, address): the peer's name
        self.relayed = {}  # frame of a first hop: (message, track, time) of each relayed message in it
        self.flows = 0

    def track(self, connection, source, destination):
        found = self.tracks.get((connection, source, destination))
        if found is None:
            other = self.tracks.get((connection, destination, source))
            pid = other.pid if other else len(self.tracks) + 1
            found = self.tracks[connection, source, destination] = Track(pid, 2 if other else 1, source, destination)
        return found

    def frame(self, frame):
        if self.start is None:
            self.start = frame.time
        now = (frame.time - self.start) * 1e6
        track = self.track(frame.connection, frame.source, frame.destination)
        yield from self._bytes(track, now, frame.length)
        shown = set()
        for message in frame.messages:
            yield from self._message(frame, track, now, message)
            shown.update(message.get("notes", ()))
        for name in frame.experts:
            if name not in shown:
                yield self._finding(track, now, name)
        yield from self._counters(frame, track, now)

    def _message(self, frame, track, now, message):
        if message["from"] != message["source"] and not message.get("relayed"):
            self.names[frame.connection, message["source"]] = message["from"]
        begin = max(now, track.end)
        length = max(message.get("bytes") or 0, 1) * self.microseconds
        track.end = begin + length
        name = name_of(message) if message["kind"] in ("call", "set") else kind_of(message)
        yield track.event("X", begin, name, dur=round(length, 3), cat=message["protocol"],
                          args={key: value for key, value in message.items() if key not in LEFT_OUT})
        for note in message.get("notes", ()):
            yield self._finding(track, begin, note)
        yield from self._relay(track, begin + length / 2, message)

    def _finding(self, track, time, name):
        return track.event("i", time, self.known[name].title if name in self.known else name, s="t", cat="finding", args={"filter": name})

    def _relay(self, track, middle, message):
        """An arrow from the slice of the first hop to each of the next ones. It begins and ends in the middle of the slices, since the end
        of one may be the beginning of another."""
        if "relayed_in" in message:
            self.relayed.setdefault(message["frame"], []).append((message, track, middle))
            if len(self.relayed) > MOST:
                del self.relayed[next(iter(self.relayed))]
        first = self._first_hop(message) if "relay_of" in message else None
        if first:
            self.flows += 1
            yield first[1].event("s", first[2], "relay", cat="relay", id=self.flows)
            yield track.event("f", middle, "relay", cat="relay", id=self.flows, bp="e")

    def _first_hop(self, message):
        """A datagram may have several relayed messages: the one with the same content."""
        hops = self.relayed.get(message["relay_of"], ())
        return next((hop for hop in hops if all(hop[0].get(name) == message.get(name) for name in CONTENT)), hops[0] if hops else None)

    def _bytes(self, track, now, size):
        """The counter's value of a step is known when the next one begins; steps without a frame are 0."""
        step = int(now / 1e6 / STEP)
        if track.step is not None and step != track.step:
            yield self._amount(track, track.step, track.bytes)
            if step > track.step + 1:
                yield self._amount(track, track.step + 1, 0)
            track.bytes = 0
        track.step = step
        track.bytes += size

    @staticmethod
    def _amount(track, step, size):
        return track.event("C", step * STEP * 1e6, f"bytes/s from {track.source}", args={"bytes a second": round(size / STEP)})

    @staticmethod
    def _counters(frame, track, now):
        for name in ROUND_TRIPS:
            for seconds in frame.values.get(name, ()):
                who = track.destination if name == "leviathan.rtt" else track.source
                yield track.event("C", now, f"RTT to {who}, ms", args={"ms": round(float(seconds) * 1000, 3)})
        lost = sum(map(int, frame.values.get("enet.analysis.lost", ()))) + frame.experts.get("leviathan.analysis.lost", 0)
        resent = sum(frame.experts.get(name, 0) for name in RESENT) + len(frame.values.get("tcp.analysis.retransmission", ()))
        if lost or resent:
            track.lost += lost
            track.resent += resent
            yield track.event("C", now, f"losses from {track.source}", args={"lost": track.lost, "sent again": track.resent})

    def end(self):
        """The last values of counters, and the names of the processes and threads."""
        named = set()
        for (connection, source, destination), track in self.tracks.items():
            if track.step is not None:
                yield self._amount(track, track.step, track.bytes)
                yield self._amount(track, track.step + 1, 0)
            one, other = (self._name(connection, end) for end in (source, destination))
            if track.pid not in named:
                named.add(track.pid)
                yield track.event("M", 0, "process_name", args={"name": f"{other} and {one}" if one == "server" else f"{one} and {other}"})
            yield track.event("M", 0, "thread_name", args={"name": f"{one} → {other}"})

    def _name(self, connection, address):
        return self.names.get((connection, address), address)


def lines(frames, known, rate=RATE):
    """The lines of the file."""
    trace = Trace(known, rate)
    yield '{"displayTimeUnit":"ms","traceEvents":['
    for frame in frames:
        if frame.families:
            for event in trace.frame(frame):
                yield encode(event) + ","
    for event in trace.end():
        yield encode(event) + ","
    # The list may not end with a comma.
    yield encode({"ph": "M", "pid": 0, "tid": 0, "ts": 0, "name": "process_sort_index", "args": {"sort_index": 0}})
    yield '],"otherData":' + encode({"rate": f"{rate:,.0f} bits a second: a byte is {8e6 / rate:g} µs"}) + "}"
