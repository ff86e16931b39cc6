# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a server relays: each client's message and what the server sent on, against what the scripts of real engines logged and
against the bytes; and the length of a message."""

import functools
import struct
from collections import Counter

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import connect, datagram, reliable, verify
from plugin.godot.multiplayer.captures import (CAPTURES, COMPRESSED, every_call, fields_in, first, logged, messages, number,
                                               of_capture, path_of)

SERVER = 1
RELAYING = [name for name in CAPTURES if "-webrtc" not in name]  # there the ids of clients are not known


def relays(capture):
    """For each message between clients: its frame, and the values of its fields."""
    def is_of_clients(values):
        source, target = number(values, "godot_mp.source"), number(values, "godot_mp.target")
        return source is not None and source > SERVER and target != SERVER

    return [(frame, values) for frame, values in messages(capture, "-2") if is_of_clients(values)]


def content(values):
    """What is relayed: its command, texts and numbers, without who is on the other side."""
    names = ["godot_mp.command", "godot_mp.rpc.path", "godot_mp.rpc.method", "godot_mp.rpc.argument", "godot_mp.path.id",
             "godot_mp.path.path", "godot_mp.sync.time", "godot_mp.sync.value", "godot_mp.data"]
    return tuple(tuple(values.get(name, ())) for name in names)


def resent(capture):
    """The frames with copies of messages, which ENet's fields link."""
    copies = {"enet.analysis.resend_number", "enet.analysis.duplicate_of"}
    return {frame for frame, packet in enumerate(of_capture(capture, "-2").packets, 1)
            if not copies.isdisjoint(dict(fields_in(packet)))}


@pytest.mark.parametrize("capture", RELAYING)
def test_each_relayed_message_is_linked_with_what_became_of_it(capture):
    found = relays(capture)
    at = {}
    for frame, values in found:
        at.setdefault(frame, []).append(values)
    begins = [(frame, values) for frame, values in found if "godot_mp.relayed_in" in values]
    hops = [(frame, values) for frame, values in found if "godot_mp.relay_of" in values]
    unlinked = [(frame, values) for frame, values in found if not {"godot_mp.relayed_in", "godot_mp.relay_of"} & set(values)]
    copies = resent(capture) if unlinked else set()
    for frame, values in unlinked:
        # A copy; or unreliable, and the server's ENet did not send it on: nothing else has its bytes.
        same = [other for other, others in found if content(others) == content(values)]
        assert frame in copies or (same == [frame] and values["godot_mp.command"] == ["SYNC"]), frame
    for frame, values in begins:
        for later in map(int, values["godot_mp.relayed_in"]):
            assert later > frame
            assert any(content(other) == content(values) and first(other, "godot_mp.from") == first(values, "godot_mp.from")
                       and number(other, "godot_mp.relay_of") == frame for other in at[later]), (frame, later)
    assert Counter(number(values, "godot_mp.relay_of") for _, values in hops) == \
        Counter(frame for frame, values in begins for _ in values["godot_mp.relayed_in"])


def test_each_message_that_a_server_relays_over_webrtc_is_linked():
    """The server is the peer that tells a client who joined; its first message is no evidence for Godot."""
    name = "godot-4.6.3-calls-webrtc"
    found = [(frame, values) for frame, values in messages(name, "-2", among=("godot-4.6.3-auth", name)) if "godot_mp.relay_peer" in values]
    begins = {frame: values for frame, values in found if "godot_mp.relayed_in" in values}
    hops = {frame: values for frame, values in found if "godot_mp.relay_of" in values}
    assert len(begins) + len(hops) == len(found) and len(hops) >= len(begins) > 10
    for frame, values in hops.items():
        begin = begins[number(values, "godot_mp.relay_of")]
        assert content(begin) == content(values) and str(frame) in begin["godot_mp.relayed_in"]
        assert first(begin, "godot_mp.stream") != first(values, "godot_mp.stream")
        # Who sent it first, of what the server sends; for whom it is, of what a client sends.
        assert number(values, "godot_mp.relay_peer") == number(values, "godot_mp.source")


@every_call
def test_each_call_that_a_client_received_from_another_is_a_relay(capture):
    """It logs no calls that it refuses, and the log without compression has other calls that are unreliable."""
    received = Counter((line["source"], line["path"], line["method"]) for line in logged(capture, "received")
                       if SERVER < line["source"] != line["peer"] > SERVER)
    hops = Counter((number(values, "godot_mp.source"), first(values, "godot_mp.rpc.path"), first(values, "godot_mp.rpc.method"))
                   for _, values in relays(capture) if "godot_mp.relay_of" in values and "godot_mp.rpc.method" in values)
    assert received <= hops
    assert {method for _, _, method in hops - received} <= {"only_from_the_server", *(["move"] if COMPRESSED.fullmatch(capture) else [])}


@functools.lru_cache(maxsize=None)
def frame_times(captures):
    found = tshark.fields_of_each(list(map(path_of, captures)), ["frame.number", "frame.time_relative"])
    return {path.stem: {int(packet["frame.number"][0]): float(packet["frame.time_relative"][0]) for packet in packets}
            for path, packets in found.items()}


TIMED = ("godot-4.6.3-calls", "godot-3.6-calls-websocket", "godot-4.6.3-owners")


@pytest.mark.parametrize("capture", TIMED)
def test_the_relay_time_is_that_between_the_frames(capture):
    times = frame_times(TIMED)[capture]
    assert [values for _, values in relays(capture) if "godot_mp.relay_of" in values]
    for frame, values in relays(capture):
        links = [(frame, int(later)) for later in values.get("godot_mp.relayed_in", ())]
        links += [(int(earlier), frame) for earlier in values.get("godot_mp.relay_of", ())]
        expected = [times[later] - times[earlier] for earlier, later in links]
        assert list(map(float, values.get("godot_mp.relay_time", ()))) == pytest.approx(expected, abs=1e-6), frame


# ---- more than two clients -----------------------------------------------------------------------------------------

CLIENTS = {tshark.CLIENT_PORT + 10 * index: 0x4000 + index for index in range(3)}


class Game:
    """A server and three clients; each message is in a datagram of its own, 10 ms after the one before."""

    def __init__(self):
        self.packets = []
        self.connect_to()

    def connect_to(self, port=tshark.SERVER_PORT, host=2):
        self.server_port, self.server_host = port, host
        self.sequences = Counter()
        for port, peer in CLIENTS.items():
            self.add(port, False, connect()[:-4] + struct.pack(">I", peer))
            self.add(port, True, verify())

    def add(self, port, from_server, payload):
        make = tshark.reply if from_server else tshark.request
        sender, server, client = ("from", "sport", "dport") if from_server else ("to", "dport", "sport")
        packet = make(payload, len(self.packets) / 100, **{sender: self.server_host})
        self.packets.append(packet._replace(**{server: self.server_port, client: port}))
        return len(self.packets)

    def send(self, client, from_server, message):
        """The frame's number."""
        port = list(CLIENTS)[client]
        self.sequences[port, from_server] += 1
        number_of_command = self.sequences[port, from_server] + 1
        return self.add(port, from_server, datagram(reliable(number_of_command, message), 0x8000 if from_server else 0x8001))

    def relays(self, tmp_path):
        """{frame: (frames of relayed_in, frame of relay_of)}"""
        path = tshark.write_pcap(tmp_path / "relays.pcap", self.packets)
        names = ["frame.number", "godot_mp.relayed_in", "godot_mp.relay_of"]
        decode = ("-d", f"enet.port=={tshark.SERVER_PORT}-{self.server_port},godot_mp")
        return {int(packet["frame.number"][0]): (list(map(int, packet["godot_mp.relayed_in"])),
                                                 list(map(int, packet["godot_mp.relay_of"])))
                for packet in tshark.fields(path, names, "-2", "-Y", "godot_mp", *decode)}


def relay(peer, content_of_it=b"\x80\6\5"):
    return b"\7\3" + struct.pack("<i", peer) + content_of_it


def peer_of(client):
    return list(CLIENTS.values())[client]


def test_a_message_to_all_is_relayed_to_each_other_client(tmp_path):
    game = Game()
    begin = game.send(0, False, relay(0))
    hops = [game.send(client, True, relay(peer_of(0))) for client in (1, 2)]
    assert game.relays(tmp_path) == {begin: (hops, []), hops[0]: ([], [begin]), hops[1]: ([], [begin])}


def test_a_message_to_all_but_one_is_not_relayed_to_that_one(tmp_path):
    game = Game()
    begin = game.send(0, False, relay(-peer_of(1)))
    other, hop = (game.send(client, True, relay(peer_of(0))) for client in (1, 2))
    assert game.relays(tmp_path) == {begin: ([hop], []), other: ([], []), hop: ([], [begin])}


def test_of_equal_messages_the_earliest_is_relayed_first(tmp_path):
    game = Game()
    begins = [game.send(0, False, relay(peer_of(1))) for _ in range(3)]
    hops = [game.send(1, True, relay(peer_of(0))) for _ in range(3)]
    found = game.relays(tmp_path)
    assert [found[begin] for begin in begins] == [([hop], []) for hop in hops]
    assert [found[hop] for hop in hops] == [([], [begin]) for begin in begins]


def test_equal_messages_of_two_clients_are_not_mixed(tmp_path):
    game = Game()
    begins = {client: game.send(client, False, relay(peer_of(1))) for client in (2, 0)}
    hops = {client: game.send(1, True, relay(peer_of(client))) for client in (0, 2)}
    found = game.relays(tmp_path)
    assert all(found[begins[client]] == ([hops[client]], []) for client in (0, 2))


def test_other_bytes_and_other_receivers_are_no_relay(tmp_path):
    game = Game()
    begin = game.send(0, False, relay(peer_of(1)))
    others = [game.send(1, True, relay(peer_of(0), b"\x80\6\7")), game.send(2, True, relay(peer_of(0))),
              game.send(1, True, relay(peer_of(2)))]
    assert game.relays(tmp_path) == {frame: ([], []) for frame in (begin, *others)}


@pytest.mark.parametrize("other", [{"port": tshark.SERVER_PORT + 1}, {"host": 3}], ids=str)
def test_what_another_server_relays_is_no_relay(tmp_path, other):
    """Two games, whose clients have the same ids. The first game's server did not receive its message."""
    game = Game()
    lost = game.send(0, False, relay(0))
    game.connect_to(**other)
    begin, hop = game.send(0, False, relay(0)), game.send(1, True, relay(peer_of(0)))
    assert game.relays(tmp_path) == {lost: ([], []), begin: ([hop], []), hop: ([], [begin])}


def test_a_server_relays_to_its_other_address(tmp_path):
    """Such as those of IPv4 and IPv6."""
    game = Game()
    begin = game.send(0, False, relay(0))
    game.connect_to(host=3)
    hop = game.send(1, True, relay(peer_of(0)))
    assert game.relays(tmp_path) == {begin: ([hop], []), hop: ([], [begin])}


def test_a_message_that_was_not_relayed_for_ten_seconds_never_is(tmp_path):
    game = Game()
    frames = [game.send(0, False, relay(peer_of(1))), game.send(1, True, relay(peer_of(0)))]
    game.packets[-1] = game.packets[-1]._replace(time=20.0)
    assert game.relays(tmp_path) == {frame: ([], []) for frame in frames}


MOST_WAITING = 64  # GODOT_MP_MOST_WAITING


def test_of_many_equal_messages_the_latest_wait(tmp_path):
    game = Game()
    begins = [game.send(0, False, relay(peer_of(1))) for _ in range(MOST_WAITING + 2)]
    hops = [game.send(1, True, relay(peer_of(0))) for _ in range(MOST_WAITING + 2)]
    found = game.relays(tmp_path)
    assert [found[begin] for begin in begins] == [([], [])] * 2 + [([hop], []) for hop in hops[:MOST_WAITING]]
    assert [found[hop] for hop in hops] == [([], [begin]) for begin in begins[2:]] + [([], [])] * 2


def test_equal_messages_that_are_too_old_do_not_count(tmp_path):
    """One of 0 s and one of 5 s; at 12 s the first one is too old, and as many as may wait are there."""
    game = Game()
    frames = [game.send(0, False, relay(peer_of(1))) for _ in range(MOST_WAITING + 1)]
    frames += [game.send(1, True, relay(peer_of(0))) for _ in range(MOST_WAITING)]
    for frame, time in zip(frames, (0, 5, *[12] * 2 * MOST_WAITING)):
        packet = game.packets[frame - 1]
        game.packets[frame - 1] = packet._replace(time=packet.time + time)
    old, *begins = frames[:MOST_WAITING + 1]
    hops = frames[MOST_WAITING + 1:]
    assert game.relays(tmp_path) == {old: ([], []), **{begin: ([hop], []) for begin, hop in zip(begins, hops)},
                                     **{hop: ([], [begin]) for begin, hop in zip(begins, hops)}}


def test_equal_messages_to_other_servers_do_not_count(tmp_path):
    """One to each of more servers than messages to one server may wait."""
    game, begins, hops, sequences = Game(), {}, {}, {}
    for host in range(10, 10 + MOST_WAITING + 2):
        game.connect_to(host=host)
        begins[host] = game.send(0, False, relay(0))
        sequences[host] = game.sequences
    for host in begins:
        game.server_host, game.sequences = host, sequences[host]
        hops[host] = game.send(1, True, relay(peer_of(0)))
    found = game.relays(tmp_path)
    assert {host: found[begins[host]] for host in begins} == {host: ([hops[host]], []) for host in begins}
    assert {host: found[hops[host]] for host in begins} == {host: ([], [begins[host]]) for host in begins}


# ---- length --------------------------------------------------------------------------------------------------------


MEASURED = ("godot-4.6.3-calls", "godot-3.6-calls")


@pytest.mark.parametrize("capture", MEASURED)
def test_the_length_of_a_message_is_that_which_the_engine_sent(capture):
    """By libenet's record of the sent packets, also of those in several fragments."""
    names = ["godot_mp.length", "enet.reassembly.length", "enet.length"]
    sizes = tshark.fields_of_each(list(map(path_of, MEASURED)), names, "-2", "-Y", "godot_mp")[path_of(capture)]
    whole = [packet for packet in sizes if packet["enet.reassembly.length"]]
    assert whole and all(packet["enet.reassembly.length"][-1] in packet["godot_mp.length"] for packet in whole)
    assert all(set(packet["godot_mp.length"]) <= {*packet["enet.length"], *packet["enet.reassembly.length"]} for packet in sizes)
