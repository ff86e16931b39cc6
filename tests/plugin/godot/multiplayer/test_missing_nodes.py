# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes and spawners that the called peer does not have: it received the path and did not confirm it. And ids that no
message defines."""

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, connect, datagram, ping, reliable, verify
from plugin.godot.multiplayer.samples import DECODE_AS, DEFINE, define
from plugin.godot.variant.variants import words

NAME = "godot-4.6.3-missing"
CAPTURE = tshark.PCAPS / "godot/multiplayer" / f"{NAME}.pcap"
PATH, CALL, SPAWN = "godot_mp.path.node.missing", "godot_mp.rpc.node.missing", "godot_mp.spawn.spawner.missing"
PORTS = {"40600": "server", "40611": "client1", "40612": "client2"}
NAMES = ["frame.number", "udp.dstport", "godot_mp.command", "godot_mp.path.path", "godot_mp.rpc.path", "godot_mp.rpc.argument",
         "godot_mp.path.acknowledged_in", "godot_mp.rpc.path_defined_in", "_ws.expert.message", PATH, CALL, SPAWN]


def log(*events):
    return [line for line in gamewire_records.read("godot/multiplayer", f"{NAME}.calls") if line["event"] in events]


def errors(process):
    return [line["text"] for line in log("error") if line["process"] == process]


def packets(*args):
    return tshark.fields(CAPTURE, NAMES, "-Y", "godot_mp", *args)


# ---- the engines' session ------------------------------------------------------------------------------------------


def test_calls_that_did_not_arrive_are_marked_and_no_others():
    received = [(line["process"], line["path"], line["arguments"]) for line in log("received")]
    found = [packet for packet in packets("-2") if packet["godot_mp.rpc.argument"] and packet["godot_mp.rpc.path"]]
    assert len(found) == len(log("call"))
    for packet in found:
        arrived = (PORTS[packet["udp.dstport"][0]], packet["godot_mp.rpc.path"][0], packet["godot_mp.rpc.argument"]) in received
        assert bool(packet[CALL]) != arrived, packet
    assert len([packet for packet in found if packet[CALL]]) == 6


def test_paths_that_the_receiver_s_engine_did_not_find_are_marked_and_no_others():
    for packet in packets("-2"):
        if packet["godot_mp.command"] == ["SIMPLIFY_PATH"]:
            path, process = packet["godot_mp.path.path"][0], PORTS[packet["udp.dstport"][0]]
            not_found = f'Node not found: "{path}" (relative to "/root").' in errors(process)
            assert bool(packet[PATH]) == not_found, packet
            assert not not_found or f'Node not found: "{path}"' in " ".join(packet["_ws.expert.message"])


def test_a_spawn_without_its_spawner_is_marked():
    spawns = [packet for packet in packets("-2") if packet["godot_mp.command"] == ["SPAWN"]]
    assert {PORTS[packet["udp.dstport"][0]]: bool(packet[SPAWN]) for packet in spawns} == {"client1": True, "client2": False}
    marked = next(packet for packet in spawns if packet[SPAWN])
    assert "ID 2 not found in cache of peer 1." in errors("client1")
    assert marked["_ws.expert.message"][0].endswith("it prints: ID 2 not found in cache of peer 1")


def test_marked_messages_have_links_to_the_path_and_its_acknowledgement():
    acked_in = {packet["frame.number"][0]: packet["enet.analysis.acked_in"] for packet in tshark.fields(
        CAPTURE, ["frame.number", "enet.analysis.acked_in"], "-2")}
    marked = [packet for packet in packets("-2") if packet[PATH] or packet[CALL] or packet[SPAWN]]
    assert len(marked) == 10
    for packet in marked:
        (defined,) = packet["frame.number"] if packet[PATH] else packet["godot_mp.rpc.path_defined_in"]
        assert packet["godot_mp.path.acknowledged_in"] == acked_in[defined] != []


def test_on_the_first_pass_calls_are_marked_after_the_acknowledgement():
    later = [packet["frame.number"] for packet in packets("-2") if packet[CALL]]
    first = [packet for packet in packets() if packet[PATH] or packet[CALL] or packet[SPAWN]]
    assert [packet["frame.number"] for packet in first] == [later[index] for index in (1, 2, 4, 5)]
    assert all("has not confirmed it so far" in " ".join(packet["_ws.expert.message"]) for packet in first)


UNDEFINED = "godot_mp.path.definition.unseen"


def test_each_message_of_a_datagram_with_an_undefined_path_has_the_note():
    """ENetPacketPeer.send() of three messages, none of which the receiver's engine accepts."""
    dropped = "ID 77 not found in cache of peer 1"
    assert errors("client2").count(f"{dropped}.") == len(log("undefined")) == 3
    for passes, searched in ((), "so far"), (("-2",), "in the capture"):
        (packet,) = tshark.fields(CAPTURE, [UNDEFINED, "_ws.expert.message"], "-Y", UNDEFINED, *passes)
        text = f"No packet {searched} defines this path id; the engine drops the message, and prints: {dropped}"
        assert packet["_ws.expert.message"] == 3 * [text]


# ---- conversations made by hand ------------------------------------------------------------------------------------

CALL_BY_PATH = bytes.fromhex("a0 06000080 05 4d61696e00")


def marked(path, acknowledged_at, confirms=(), channels=255, ping_at=0.9, args=("-2",)):
    """The server defines path 6 and calls its node a second later; other times are those since the definition. The client
    acknowledges the path; `confirms` are the numbers, ids and times of its confirmations. True if the call is marked."""
    packets = [tshark.request(connect(channels=channels), 0.8), tshark.reply(verify(channels=channels), 0.9),
               tshark.reply(datagram(reliable(1, bytes.fromhex(DEFINE)), 0x8000, sent_time=1000), 1)]
    if acknowledged_at is not None:
        packets.append(tshark.request(datagram(ack(1, 1000), sent_time=1), 1 + acknowledged_at))
    for number, path_id, time in confirms:
        message = b"\2\1" + words(path_id)
        packets.append(tshark.request(datagram(reliable(number, message), sent_time=number + 1), 1 + time))
    packets.append(tshark.request(datagram(ping(2), sent_time=9), 1 + ping_at))
    packets.append(tshark.reply(datagram(reliable(2, CALL_BY_PATH), 0x8000, sent_time=2000), 2))
    found = tshark.fields(tshark.write_pcap(path, packets), [PATH, CALL], *DECODE_AS, *args)
    # With two passes both, or none.
    assert "-2" not in args or bool(found[2][PATH]) == bool(found[-1][CALL])
    return bool(found[-1][CALL])


def test_without_an_acknowledgement_nothing_is_known(tmp_path):
    assert not marked(tmp_path / "none.pcap", None)
    assert marked(tmp_path / "acknowledged.pcap", 0.1)
    assert marked(tmp_path / "acknowledged.pcap", 0.1, args=())


def test_a_confirmation_is_not_expected_before_another_round_trip(tmp_path):
    assert not marked(tmp_path / "early.pcap", 0.6)


def test_a_receiver_that_sends_nothing_may_not_have_read_the_path(tmp_path):
    """It is loading a scene: ENet acknowledges what it received before."""
    assert not marked(tmp_path / "loading.pcap", 0.1, ping_at=0.11)


def test_a_confirmed_path_is_not_marked(tmp_path):
    assert not marked(tmp_path / "confirmed.pcap", 0.1, [(1, 6, 0.5)])
    assert marked(tmp_path / "another.pcap", 0.1, [(1, 7, 0.5)])


def test_a_confirmation_may_be_missing_in_the_capture(tmp_path):
    """ENet's numbers show it."""
    assert marked(tmp_path / "whole.pcap", 0.1, [(1, 7, 0.05), (2, 8, 0.5)])
    assert not marked(tmp_path / "gap.pcap", 0.1, [(1, 7, 0.05), (3, 8, 0.5)])


def test_a_godot_3_understands_no_path_of_godot_4(tmp_path):
    """A client of Godot 3 requests three channels."""
    assert not marked(tmp_path / "three.pcap", 0.1, channels=3)


def test_the_receiver_of_a_relayed_path_is_another_peer(tmp_path):
    """ENet's acknowledgement is the server's; that the client confirms a later path is evidence."""
    relay, other = bytes.fromhex("0703 05000000"), bytes.fromhex(define(7, "Other"))
    packets = [tshark.request(connect(channels=255), 0), tshark.reply(verify(channels=255), 0.1)]
    packets += [tshark.request(datagram(reliable(1, relay + bytes.fromhex(DEFINE), 0), 0x8001, sent_time=1000), 0.2),
                tshark.reply(datagram(ack(1, 1000), 0x8000), 0.3),
                tshark.request(datagram(reliable(2, relay + CALL_BY_PATH, 0), 0x8001, sent_time=1100), 1),
                tshark.request(datagram(reliable(3, relay + other, 0), 0x8001, sent_time=1200), 1.1),
                tshark.reply(datagram(reliable(1, relay + bytes.fromhex("02 01 07000000"), 0), 0x8000), 1.2)]
    for count, expected in (len(packets) - 1, []), (len(packets), ["3", "5"]):
        path = tshark.write_pcap(tmp_path / f"relayed{count}.pcap", packets[:count])
        found = tshark.fields(path, ["frame.number", PATH, CALL], *DECODE_AS, "-2")
        assert [packet["frame.number"][0] for packet in found if packet[PATH] or packet[CALL]] == expected
