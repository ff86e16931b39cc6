# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes and spawners that the called peer does not have: it received the path and did not confirm it. And ids that no
message defines."""

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, connect, datagram, ping, reliable, verify
from plugin.godot.multiplayer.samples import ADVICE, DECODE_AS, DEFINE, define
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
    assert marked["_ws.expert.message"][0].endswith("it spawns nothing, and prints: ID 2 not found in cache of peer 1")


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


# ---- a peer that waits for authentication -------------------------------------------------------------------------------

RAW, BY_AUTHENTICATION = b"\3raw", bytes.fromhex("07 00 746f6b656e")
WAITS = tshark.PCAPS / "godot/multiplayer" / "godot-4.6.3-auth-missing.pcap"
UNCONFIRMED, TIMEOUT = "godot_mp.path.confirmation.missing", "godot_mp.authentication.missing"


def frames(path, name, *args):
    return [int(packet["frame.number"][0]) for packet in tshark.fields(path, ["frame.number"], "-Y", name, *args)]


def test_no_node_is_missing_at_a_peer_that_waits_for_authentication():
    """The server has the node. It drops all messages of the client, which has no auth_callback."""
    for passes in (), ("-2",):
        assert frames(WAITS, f"{PATH} || {CALL}", *passes) == []
        assert frames(WAITS, TIMEOUT, *passes) == [29]
    assert frames(WAITS, UNCONFIRMED, "-2") == [3, 4]
    path, call = (packet["_ws.expert.message"][-1] for packet in tshark.fields(WAITS, ["_ws.expert.message"], "-Y", UNCONFIRMED, "-2"))
    assert path.startswith("The peer (server) received this path (acknowledged in frame 5), never confirmed it,")
    assert call.startswith("The peer (server) received the path of frame 3 (acknowledged in frame 5), never confirmed it,")
    assert all("auth_callback), until its Disconnect in frame 29," in text for text in (path, call))


def test_the_peer_without_the_node_has_its_players_name():
    said = tshark.fields(WAITS, ["_ws.expert.message"], "-Y", UNCONFIRMED, "-2", "-o", 'uat:godot_peer_names:"1","Anna"')
    assert len(said) == 2 and all(packet["_ws.expert.message"][-1].startswith("The peer (Anna) received ") for packet in said)


def disconnected(path, after, *server, path_sent=DEFINE, resent=False):
    """The frames with the expert info, if the server disconnects the client this time after the connection."""
    packets = [tshark.request(connect(channels=255), 0), tshark.reply(verify(channels=255), 0.9),
               tshark.request(datagram(ack(1, 1000, channel=255), sent_time=1), 1)]
    if path_sent:
        packets.append(tshark.request(datagram(reliable(1, bytes.fromhex(path_sent)), sent_time=1000), 1.1))
    packets += [tshark.reply(datagram(reliable(number, message), 0x8000, sent_time=1200), 1.2) for number, message in
                enumerate(server, 1)]
    packets += (1 + resent) * [tshark.reply(datagram(DISCONNECT, 0x8000, sent_time=4000), 1 + after)]
    return frames(tshark.write_pcap(path, packets), TIMEOUT, *DECODE_AS)


DISCONNECT = bytes.fromhex("84 ff 0002 00000000")


def test_a_disconnect_after_auth_timeout_is_marked(tmp_path):
    path = tmp_path / "timeout.pcap"
    assert disconnected(path, 3.01) == [5]
    assert disconnected(path, 3.01, BY_AUTHENTICATION) == [6]
    assert disconnected(path, 3.01, BY_AUTHENTICATION, path_sent=None) == [5]


def test_a_disconnect_for_another_reason_is_not_marked(tmp_path):
    """At another time, by a peer that has admitted the other one, or that has received no path."""
    path = tmp_path / "other.pcap"
    assert [disconnected(path, after) for after in (1, 2.9, 3.5, 5)] == 4 * [[]]
    assert disconnected(path, 3.01, RAW) == []
    assert disconnected(path, 3.01, bytes.fromhex("02 01 06000000")) == []
    assert disconnected(path, 3.01, BY_AUTHENTICATION, RAW) == []
    assert disconnected(path, 3.01, path_sent=None) == []


def test_a_disconnect_that_is_sent_again_is_marked_once(tmp_path):
    assert disconnected(tmp_path / "again.pcap", 3.01, resent=True) == [5]


# ---- nodes that are added later -----------------------------------------------------------------------------------------

ADDED = tshark.PCAPS / "godot/multiplayer" / "godot-4.6.3-node-added.pcap"


def test_calls_after_the_peer_has_shown_that_it_has_the_node_are_not_marked():
    """Its engine printed one error, for frames 45 and 46. In 75 it confirms the server's path of the same node."""
    assert frames(ADDED, PATH, "-2") == [45]
    assert frames(ADDED, CALL, "-2") == [46]
    assert frames(ADDED, CALL) == []
    (call,) = tshark.fields(ADDED, ["_ws.expert.message"], "-Y", CALL, "-2")
    assert "unless it has added the node since, it prints" in call["_ws.expert.message"][-1]


def test_a_retransmission_repeats_no_expert_info():
    assert frames(ADDED, "enet.analysis.resend_number && godot_mp", "-2") == [24, 54, 62, 119]
    for packet in tshark.fields(ADDED, ["_ws.expert.message"], "-Y", "enet.analysis.resend_number && godot_mp", "-2"):
        assert all("etransmission" in text for text in packet["_ws.expert.message"])


def test_a_retransmission_of_a_full_path_repeats_no_expert_info(udp_capture):
    name = "godot_mp.path.confirmation.missing"
    *before, call = ADVICE[name]
    rows = tshark.fields(udp_capture(*before, call, call._replace(time=call.time + 0.5)), [name], *DECODE_AS)
    assert [bool(row[name]) for row in rows[-2:]] == [True, False]


# ---- conversations made by hand ------------------------------------------------------------------------------------

CALL_BY_PATH = bytes.fromhex("a0 06000080 05 4d61696e00")




def marked(path, acknowledged_at, confirms=(), channels=255, ping_at=0.9, args=("-2",), sent_before=RAW):
    """The server defines path 6 and calls its node a second later; other times are those since the definition. The client
    has sent a message before, and acknowledges the path; `confirms` are the numbers, ids and times of its confirmations, on
    another channel than that message. True if the call is marked."""
    packets = [tshark.request(connect(channels=channels), 0.8), tshark.reply(verify(channels=channels), 0.9)]
    if sent_before:
        packets.append(tshark.request(datagram(reliable(1, sent_before, channel=2), sent_time=8), 0.95))
    packets.append(tshark.reply(datagram(reliable(1, bytes.fromhex(DEFINE)), 0x8000, sent_time=1000), 1))
    defined = len(packets) - 1
    if acknowledged_at is not None:
        packets.append(tshark.request(datagram(ack(1, 1000), sent_time=1), 1 + acknowledged_at))
    for number, path_id, time in confirms:
        message = b"\2\1" + words(path_id)
        packets.append(tshark.request(datagram(reliable(number, message), sent_time=number + 1), 1 + time))
    packets.append(tshark.request(datagram(ping(2), sent_time=9), 1 + ping_at))
    packets.append(tshark.reply(datagram(reliable(2, CALL_BY_PATH), 0x8000, sent_time=2000), 2))
    found = tshark.fields(tshark.write_pcap(path, packets), [PATH, CALL], *DECODE_AS, *args)
    # With two passes both, or none.
    assert "-2" not in args or bool(found[defined][PATH]) == bool(found[-1][CALL])
    return bool(found[-1][CALL])


def test_a_peer_that_has_sent_no_message_of_the_game_may_wait_for_authentication(tmp_path):
    """It has an auth_callback, and drops all that is no authentication: nothing is known about its nodes."""
    for sent_before in None, BY_AUTHENTICATION:
        path = tmp_path / "waits.pcap"
        assert not marked(path, 0.1, sent_before=sent_before)
        assert not marked(path, 0.1, sent_before=sent_before, args=())
        assert frames(path, UNCONFIRMED, *DECODE_AS, "-2") == [3 + bool(sent_before), 6 + bool(sent_before)]


def test_nothing_is_said_about_the_ids_of_a_peer_that_may_wait_for_authentication(tmp_path):
    """It drops the call before it looks for the id."""
    texts = []
    for first in RAW, BY_AUTHENTICATION:
        packets = [tshark.request(connect(channels=255), 0), tshark.reply(verify(channels=255), 0.1),
                   tshark.request(datagram(reliable(1, first), sent_time=8), 0.2),
                   tshark.reply(datagram(reliable(1, bytes.fromhex("80 4d 05")), 0x8000, sent_time=1000), 0.3)]
        path = tshark.write_pcap(tmp_path / "ids.pcap", packets)
        texts += tshark.fields(path, ["_ws.expert.message"], "-Y", UNDEFINED, *DECODE_AS, "-2")[0]["_ws.expert.message"]
    undefined = "No packet in the capture defines this path id"
    assert texts == [f"{undefined}; the engine drops the message, and prints: ID 77 not found in cache of peer 1", undefined]


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
    again = tshark.reply(datagram(reliable(2, relay + bytes.fromhex("02 01 07000000"), 0), 0x8000), 1.3)
    for captured, expected in (packets[:-1], []), (packets, ["3", "5"]), ([*packets, again], ["3", "5"]):
        path = tshark.write_pcap(tmp_path / f"relayed{len(captured)}.pcap", captured)
        found = tshark.fields(path, ["frame.number", "_ws.expert.message", PATH, CALL], *DECODE_AS, "-2")
        marked_ones = [packet for packet in found if packet[PATH] or packet[CALL]]
        assert [packet["frame.number"][0] for packet in marked_ones] == expected
        assert all("it confirmed a later path in frame 7" in " ".join(packet["_ws.expert.message"]) for packet in marked_ones)
