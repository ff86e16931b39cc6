# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The ends of each connection: who they are, and what they sent, acknowledged, lost and sent again.

A connection has two rows, one for each end: what is measured belongs to one of them, and no figure is of all players together.
"""

from .figures import Distribution
from .usage import CONNECTING

MOST = 20000  # ends that are followed
FEW = 100     # messages, below which the share of headers says nothing
RESENT = ("enet.analysis.retransmission", "enet.analysis.spurious_retransmission", "enet.analysis.command_repeated",
          "leviathan.analysis.retransmission")
LOST = "leviathan.analysis.lost"
ROUND_TRIPS = ("enet.analysis.ack_rtt", "tcp.analysis.ack_rtt", "leviathan.rtt")
CLOSED = (("tcp.connection.rst", "Reset"), ("tcp.connection.fin", "Closed"))


def is_bare(frame):
    """A segment of TCP without data, which the operating system sends: an acknowledgement. It is no sign of the game."""
    return not frame.families and not any(map(int, frame.values.get("tcp.len", ())))


class Peer:
    """One end of a connection. `silent`: its longest time without a frame, and when that began. `first` and `last`: times of its frames,
    None before the first one."""

    def __init__(self, connection, address, other):
        self.connection, self.address, self.other = connection, address, other
        self.first_frame = self.first = self.last = None
        self.silent = (0.0, 0.0)
        self.frames = self.bytes = self.game_frames = self.messages = self.message_bytes = self.lost = self.resent = 0
        self.round_trips, self.answers = Distribution(), Distribution()
        self.latest = None
        self.differences = 0.0

    def frame(self, frame):
        if self.first_frame is None:
            self.first_frame, self.first, self.last = frame, frame.time, frame.time
        if frame.time - self.last > self.silent[0] or not self.frames:
            self.silent = frame.time - self.last, self.last
        self.last = frame.time
        self.frames += 1
        self.bytes += frame.length
        self.game_frames += bool(frame.families)
        for message in frame.messages:
            if message["protocol"] == "enet" and message["kind"] in CONNECTING:
                continue
            self.messages += 1
            self.message_bytes += message.get("bytes") or 0

    def round_trip(self, seconds):
        self.round_trips.add(seconds)
        if self.latest is not None:
            self.differences += abs(seconds - self.latest)
        self.latest = seconds

    def headers(self):
        """The percentage of its bytes that are no message, or None of compressed messages and of those of streams."""
        if self.connection[0] != "enet.connection" or self.messages < FEW or self.message_bytes > self.bytes:
            return None
        return 100 * (1 - self.message_bytes / self.bytes)

    def jitter(self):
        """The mean difference between a round-trip time and the next one."""
        return self.differences / (self.round_trips.count - 1) if self.round_trips.count > 1 else None


class Peers:
    def __init__(self, texts=None):
        """`texts`: {field: {number: text}} of enumerations."""
        self.texts = {} if texts is None else texts
        self.peers = {}    # (connection, address, other address): Peer
        self.names = {}    # (connection, address): name
        self.ends = {}     # connection, addresses in order: how it ended

    def frame(self, frame):
        """Returns the sender, or None of those that are not followed."""
        key = frame.connection, frame.source, frame.destination
        found = self.peers.get(key)
        if found is None and len(self.peers) < MOST:
            found = self.peers[key] = Peer(*key)
        if found:
            if not is_bare(frame):
                found.frame(frame)
            found.resent += len(frame.values.get("tcp.analysis.retransmission", ()))
            found.lost += sum(map(int, frame.values.get("enet.analysis.lost", ())))
            if frame.experts:
                found.resent += sum(frame.experts.get(name, 0) for name in RESENT)
                found.lost += frame.experts.get(LOST, 0)
        if "enet.analysis.end" in frame.values:
            number = frame.values["enet.analysis.end"][-1]
            self.end(frame, self.texts.get("enet.analysis.end", {}).get(number, number))
        for name, word in CLOSED:
            if name in frame.values and self._connection(frame) not in self.ends:
                self.end(frame, f"{word} by {self.name(frame.connection, frame.source)}")
        return found

    def message(self, frame, message):
        """Takes the sender's name from a message that is not relayed."""
        if message["from"] != message["source"] and not message.get("relayed") and len(self.names) < MOST:
            self.names[frame.connection, message["source"]] = message["from"]
        if message["kind"] == "disconnect" and self._connection(frame) not in self.ends:
            self.end(frame, f"disconnect from {self.name(frame.connection, frame.source)}")

    def answer(self, frame, seconds):
        found = self.peers.get((frame.connection, frame.source, frame.destination))
        if found:
            found.answers.add(seconds)

    def round_trips(self, frame):
        """The round-trip times of a frame, each with who acknowledged. Leviathan has them at the packet that is acknowledged."""
        for name in ROUND_TRIPS:
            if name not in frame.values:
                continue
            peer = (frame.destination, frame.source) if name == "leviathan.rtt" else (frame.source, frame.destination)
            for seconds in map(float, frame.values[name]):
                found = self.peers.get((frame.connection, *peer))
                if found is None and len(self.peers) < MOST:
                    found = self.peers[(frame.connection, *peer)] = Peer(frame.connection, *peer)
                if found:
                    found.round_trip(seconds)
                    yield found, seconds

    @staticmethod
    def _connection(frame):
        return frame.connection, *sorted((frame.source, frame.destination))

    def end(self, frame, text):
        self.ends[self._connection(frame)] = text

    def name(self, connection, address):
        """The peer's name with its address, or the address."""
        name = self.names.get((connection, address))
        return name if name is not None else address

    def connections_of_games(self):
        return {peer.connection for peer in self.peers.values() if peer.game_frames}

    def table(self, start):
        """A row for each end of the connections of a game, by bytes, the two of a connection one after the other. Times are seconds from
        `start` on."""
        connections = {}
        for peer in self.peers.values():
            connections.setdefault((peer.connection, *sorted((peer.address, peer.other))), []).append(peer)
        listed = []
        for key, ends in connections.items():
            if any(peer.game_frames for peer in ends):
                times = min(peer.first for peer in ends if peer.frames), max(peer.last for peer in ends if peer.frames)
                listed.append((sum(peer.bytes for peer in ends), [self._row(peer, times, self.ends.get(key), start)
                                                                 for peer in sorted(ends, key=lambda peer: -peer.bytes)]))
        return [row for _, rows in sorted(listed, key=lambda each: -each[0]) for row in rows]

    def _row(self, peer, times, end, start):
        """`times`: of the connection's first and last frame. An end without frames of its own was silent all the time."""
        first, latest = (peer.first, peer.last) if peer.frames else (times[0], times[0])
        silent, since = max(peer.silent, (times[1] - latest, latest), key=lambda gap: gap[0])
        return {
            "peer": self.name(peer.connection, peer.address), "address": peer.address, "other": self.name(peer.connection, peer.other),
            "connection": " ".join(peer.connection), "frames": peer.frames, "bytes": peer.bytes, "messages": peer.messages,
            "from": round(first - start, 6), "duration": round(latest - first, 6),
            "acknowledged": peer.round_trips.count, "rtt_median": peer.round_trips.percentile(0.5),
            "rtt_95": peer.round_trips.percentile(0.95), "rtt_max": peer.round_trips.largest or None, "jitter": peer.jitter(),
            "answers": peer.answers.count, "response_median": peer.answers.percentile(0.5),
            "response_95": peer.answers.percentile(0.95), "response_max": peer.answers.largest or None,
            "lost": peer.lost, "resent": peer.resent, "silent": round(silent, 6), "silent_from": round(since - start, 6), "end": end}
