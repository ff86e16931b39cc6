# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants as ENet messages, without the multiplayer protocol: put_var of ENetMultiplayerPeer and
ENetPacketPeer.send, compared with the engines' logs (pcaps/README.md)."""

import functools
import re
import struct

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.stream.samples import generation, same_value

FOLDER = tshark.PCAPS / "godot/enet"
# The snapshots are not Variants (plugin/all/test_own_bytes.py), and hosts with different compression do not connect
# (plugin/enet/test_different_compression.py).
CAPTURES = sorted(path.stem for path in FOLDER.glob("*-enet-*.pcap") if "-snapshots" not in path.stem)
PORTS = {"40700": "server", "40701": "client", "40702": "client1", "40703": "client2"}
# The prefix in the column for a value whose text does not contain its type; in Godot 3 the ids of peers come first.
FRONT = re.compile(r"^(?:Variant: |(?:bool|int|float|String|StringName|Array|Dictionary) )")
NAMES = ["frame.number", "udp.srcport", "udp.dstport", "_ws.col.Info"]

every_capture = pytest.mark.parametrize("capture", CAPTURES)


@functools.lru_cache(maxsize=None)
def sent(capture):
    return [(line["from"], line["to"], line["text"]) for line in gamewire_records.read("godot/enet", f"{capture}.calls")]


@functools.lru_cache(maxsize=None)
def fields_of_each(paths, *args):
    return tshark.fields_of_each(paths, NAMES, "-Y", "godot || godot_mp.source", *args)


def path_of(capture):
    return FOLDER / f"{capture}.pcap"


def shown(path, among, *args):
    """Frame, sender, receiver and text of each Variant of one of some captures, with one start of tshark for all."""
    packets = fields_of_each(tuple(among), *args)[path]
    return [(int(packet["frame.number"][0]), PORTS[packet["udp.srcport"][0]], PORTS[packet["udp.dstport"][0]],
             FRONT.sub("", packet["_ws.col.Info"][0]))
            for packet in packets if not packet["_ws.col.Info"][0].startswith("Peer ")]


def assert_same(ours, written, of):
    """In the order of each pair of peers."""
    pairs = {(one[1], one[2]) for one in ours}
    for pair in pairs:
        mine = [one[3] for one in ours if (one[1], one[2]) == pair]
        logged = [text for *peers, text in written if tuple(peers) == pair]
        assert len(mine) <= len(logged)
        for one, other in zip(mine, logged[-len(mine):]):
            assert same_value(one, other, of), (pair, one, other)


# In Godot 3 the ids of peers precede the Variant, as in the multiplayer protocol.
OF_GODOT_4 = [name for name in CAPTURES if generation(name) == 4]
CHOSEN = ("-d", "enet.port==40700,godot")


@pytest.mark.parametrize("capture, chosen", [*((name, ()) for name in CAPTURES), *((name, CHOSEN) for name in OF_GODOT_4)])
def test_each_variant_that_was_sent_is_there(capture, chosen):
    ours = shown(path_of(capture), map(path_of, OF_GODOT_4 if chosen else CAPTURES), "-2", *chosen)
    assert len(ours) == len(sent(capture))
    assert_same(ours, sent(capture), generation(capture))


@every_capture
def test_the_first_pass_shows_packets_after_the_recognition(capture):
    first, second = (shown(path_of(capture), map(path_of, CAPTURES), *passes) for passes in ((), ("-2",)))
    assert first and first == [one for one in second if one[0] >= first[0][0]]


@functools.lru_cache(maxsize=None)
def late(capture, first):
    return tshark.cut_beginning(path_of(capture), tshark.scratch() / f"{capture}-{first}.pcap", first)


@pytest.mark.parametrize("first", [10, 20, 40])
@every_capture
def test_without_the_beginning_only_values_that_were_sent_are_shown(capture, first):
    ours = shown(late(capture, first), (late(name, start) for name in CAPTURES for start in (10, 20, 40)), "-2")
    assert ours
    for pair in {(one[1], one[2]) for one in ours}:
        logged = iter([text for *peers, text in sent(capture) if tuple(peers) == pair])
        for one in [one[3] for one in ours if (one[1], one[2]) == pair]:
            # In between may be a value in a datagram that another heuristic accepts, as HiPerConTracer's of 4.4 does.
            assert any(same_value(one, other, generation(capture)) for other in logged), (pair, one)


def string(text):
    return struct.pack("<II", 4, len(text)) + text + bytes(-len(text) % 4)


VALUE = struct.pack("<II", 27, 2) + string(b"name") + string(b"a player") + string(b"title") + string(b"of a game")
LINE = 'Dictionary {"name": "a player", "title": "of a game"}'


def lines_of(messages, udp_capture, *args):
    """The Info column of a datagram with these messages, which is sent again."""
    sent = datagram(b"".join(reliable(1 + number, message) for number, message in enumerate(messages)))
    capture = udp_capture(tshark.Udp(40000, 40001, sent), tshark.Udp(40000, 40001, datagram(sent[4:], sent_time=0x1500)))
    return tshark.info_column(capture, "-d", "udp.port==40000,enet", *args)


@pytest.mark.parametrize("passes", [(), ("-2",)])
def test_a_separator_is_between_the_lines_of_messages_only(passes, udp_capture):
    """A message that is declined has no line. Findings of ENet precede the first line."""
    assert lines_of((VALUE, VALUE), udp_capture, *passes) == [f"{LINE}; {LINE}", f"[Retransmission] {LINE}; {LINE}"]
    assert lines_of((b"\xff" * 7, VALUE), udp_capture, *passes) == [LINE, f"[Retransmission] {LINE}"]
    first = "Reliable ch=0 seq=1 len=7"
    assert lines_of((b"\xff" * 7,), udp_capture, *passes) == [first, f"[Retransmission] {first}"]
