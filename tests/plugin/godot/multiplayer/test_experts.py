# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each expert info of Godot's multiplayer is raised by messages: alone, or after other messages."""

import json
import struct

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import connect, datagram, reliable, verify
from plugin.godot.variant.variants import encode
from plugin.godot.multiplayer.samples import (
    ADVICE, BY_NAME, CONVERSATIONS, DECODE_AS, DEFINE, MESSAGES_OF_3, MESSAGES_OF_4, PEERS, SCRIPT, UNKNOWN, client,
    connected, server,
)

GODOT_3 = {"godot_mp.generation": "3"}
GODOT_4 = {"godot_mp.generation": "4"}


def full(names):
    return {name if name.startswith("godot_mp.") else f"godot_mp.{name}" for name in names}


@pytest.fixture(scope="module")
def registered():
    """All expert infos: fields without a type, except those of values."""
    values = {"godot_mp.sync.update", "godot_mp.packet"}
    return [field.filter for field in tshark.registered_fields() if field.parent == "godot_mp"
            and field.type == "FT_NONE" and field.filter not in values]


def experts(path, datagrams, registered, prefs, *args):
    tshark.write_pcap(path, datagrams)
    packets = tshark.fields(path, registered, *DECODE_AS, *args, prefs=prefs)
    return [{name for name, values in packet.items() if values} for packet in packets]


# hit("a text in plain sight", 12) on Main: proves that the connection is of Godot 3.
SOUND_OF_3 = (struct.pack("<iiBI", 77, 1, 0, 0x80000000 | 50) + b"hit\0\x02" + encode("a text in plain sight", 3)
              + encode(12, 3) + b"Main\0").hex()


@pytest.mark.parametrize("messages, prefs, sound", [(MESSAGES_OF_3, GODOT_3, SOUND_OF_3), (MESSAGES_OF_4, GODOT_4, "03 61")])
def test_each_broken_rule_has_its_expert_info(messages, prefs, sound, tmp_path, registered):
    """Each message in a separate conversation, after a valid one, so that only its rule is violated."""
    packets = [tshark.Udp(20000 + index, tshark.SERVER_PORT, datagram(reliable(1 + (each != sound), bytes.fromhex(each))))
               for index, message in enumerate(messages) for each in (sound, message)]
    found = experts(tmp_path / "odd.pcap", packets, registered, prefs)
    assert all(of_sound <= {BY_NAME} for of_sound in found[::2])
    for message, of_message in zip(messages, found[1::2]):
        assert of_message == full(messages[message]), message


@pytest.mark.parametrize("message, lines", [
    (SOUND_OF_3, {55: 'RPC hit("a text in plain sight"…', 20: "RPC hit(…", 16: "RPC …", 7: "…"}),
    ((struct.pack("<iiBI", 77, 1, 2, 3) + b"Main\0").hex(), {16: "SIMPLIFY_PATH…", 11: "SIMPLIFY_PATH…"}),
])
def test_a_message_that_the_capture_cut_is_decoded_up_to_the_cut(message, lines, tmp_path):
    sound = tshark.request(datagram(reliable(1, bytes.fromhex(SOUND_OF_3))))
    whole = datagram(reliable(2, bytes.fromhex(message)))
    before = len(whole) - len(bytes.fromhex(message))
    cut = [tshark.request(whole, captured=before + length) for length in lines]
    path = tshark.write_pcap(tmp_path / "cut.pcap", [sound, *cut])
    infos = tshark.info_column(path, *DECODE_AS, prefs=GODOT_3)
    assert [info.removeprefix("[Duplicate] ") for info in infos[1:]] == list(lines.values())
    found = tshark.fields(path, ["godot_mp.cut_short", "_ws.malformed"], *DECODE_AS, prefs=GODOT_3)
    assert [list(packet.values()) for packet in found] == [[[], []], *[[["1"], []]] * len(lines)]


# Raw bytes in both generations: peer 77 * 256 + 3 sends them to peer 1 in Godot 3, all after the 3 in Godot 4.
RAW = struct.pack("<iiB", 77 * 256 + 3, 1, 4) + b"raw bytes"


@pytest.mark.parametrize("prefs, data, channels", [(GODOT_3, RAW[9:], 255), (GODOT_4, RAW[1:], 3)])
def test_the_preference_sets_the_generation_of_messages(prefs, data, channels, udp_capture):
    """Also if the connection has as many channels as the other generation requests."""
    path = udp_capture(tshark.request(connect(channels=channels)), tshark.request(datagram(reliable(2, RAW)), 1))
    names = ["godot_mp.generation", "godot_mp.data"]
    found = tshark.fields(path, names, *DECODE_AS, prefs=prefs)[1]
    assert found["godot_mp.generation"] == [prefs["godot_mp.generation"]]
    assert bytes.fromhex(found["godot_mp.data"][0].replace(":", "")) == data


def test_json_has_the_kinds_of_peer_messages_that_godot_3_sends(udp_capture):
    """0 and 1; no engine sends another number."""
    packets = [tshark.request(datagram(reliable(1 + index, message), sent_time=index))
               for index, message in enumerate([bytes.fromhex(SOUND_OF_3), *(struct.pack("<Ii", kind, 77) for kind in range(4))])]
    found = tshark.fields(udp_capture(*packets), ["godot_mp.json"], *DECODE_AS, prefs=GODOT_3)
    kinds = [json.loads(packet["godot_mp.json"][0])["kind"] for packet in found]
    assert kinds == ["call", "peer_joined", "peer_left", "unknown", "unknown"]


def test_a_fault_is_in_the_tree_and_in_the_list_of_packets(udp_capture):
    messages = "00 06 05 01 020c", "00 06 05 02 020c"
    path = udp_capture(*(tshark.request(datagram(reliable(1 + index, bytes.fromhex(message)), sent_time=index))
                         for index, message in enumerate(messages)))
    assert tshark.info_column(path, *DECODE_AS, prefs=GODOT_4) == [
        "RPC method 5(12) on #6", "RPC method 5(12 [There are fewer arguments than declared]"]
    shown = tshark.verbose(path, *DECODE_AS, prefs=GODOT_4)
    assert "There are fewer arguments than declared at offset 6: 1 byte missing" in shown


# ---- after other messages ------------------------------------------------------------------------


def packets_of(messages):
    return [(tshark.reply if from_server else tshark.request)(
        datagram(reliable(index + 1, bytes.fromhex(message)), sent_time=index), index)
        for index, (from_server, message) in enumerate(messages)]


def read_conversation(path, messages, registered, *args):
    return experts(path, packets_of(messages), registered, GODOT_4, *args)


def test_every_expert_info_is_raised_here(registered):
    """Except those that no datagram can raise, and those that need more than these messages: names of methods,
    clients, truncated captures, nodes that a later message spawns (test_ids.py), many updates
    (test_intervals.py), messages that are not read (test_unreadable.py), calls of a node that differs (test_mismatch.py) or that the peer does not have
    (test_missing_nodes.py), two senders (test_owners.py), two generations (test_generations.py),
    and messages that a game should send in another way (test_advice.py)."""
    raised = full(set().union(*MESSAGES_OF_3.values(), *MESSAGES_OF_4.values(), {"path.defined_later"},
                              *(expected for _, expected in CONVERSATIONS.values())))
    elsewhere = {"input.too_long", "message.empty", "message.unread", "cut_short", "tree.too_long", "godot_mp.rpc.method.unknown",
                 "godot_mp.spawn.by_client", "godot_mp.spawn.spawned_later", "godot_mp.sync.update.late",
                 "godot_mp.rpc.methods.differs", "godot_mp.generations.differs", "godot_mp.path.node.missing",
                 "godot_mp.rpc.node.missing", "godot_mp.spawn.spawner.missing", "godot_mp.sync.owner.differs", "godot_mp.authentication.missing",
                 *(name for name in ADVICE if name.startswith("godot_mp."))}
    of_recordings = {name for name in registered if name.startswith(("godot_mp.names.", "godot_mp.recorded."))}
    assert set(registered) - raised - of_recordings == full(elsewhere)


def test_experts_that_depend_on_earlier_messages(tmp_path, registered):
    conversations = [packets_of(messages) for messages, _ in CONVERSATIONS.values()]
    found = experts(tmp_path / "conversations.pcap", tshark.apart(conversations), registered, GODOT_4, "-2")
    last = {name: packets[-1] for name, packets in zip(CONVERSATIONS, tshark.split(found, conversations), strict=True)}
    assert last == {name: full(expected) for name, (_, expected) in CONVERSATIONS.items()}


def test_a_path_that_is_defined_only_later(tmp_path, registered):
    """Of a call or a sync; known on the second pass. The first message that uses the id has the expert info."""
    call, sync = client("80 06 05"), client("06 0100 06000080 02000000 0202")
    for messages in ([call, sync, call, client(DEFINE)], [sync, call, call, client(DEFINE)]):
        found = read_conversation(tmp_path / "later.pcap", messages, registered, "-2")
        assert found == [full({"path.defined_later"}), set(), set(), set()]
        first = read_conversation(tmp_path / "later.pcap", messages, registered)
        assert first == [{UNKNOWN}, set(), set(), set()]


def test_an_id_that_no_packet_defines_has_one_note(tmp_path, registered):
    """If a capture began late, most messages use such ids: ids of paths, net ids and those of the other side are
    separate."""
    call, sync, despawn = "80 06 05", "06 0100 04000000 02000000 0201", "05 04000000"
    messages = [client(call), client(call), server(call), server(call), client("80 07 05"), client(sync), client(sync),
                server(despawn), server(despawn)]
    notes = [{UNKNOWN}, set(), {UNKNOWN}, set(), {UNKNOWN}, {"godot_mp.sync.net_id.unseen"}, set(),
             {"godot_mp.spawn.net_id.unseen"}, set()]
    for passes in ((), ("-2",)):
        assert read_conversation(tmp_path / "late.pcap", messages, registered, *passes) == notes


# ---- before the connection was recognized ---------------------------------------------------------


def call_of_3(source, target, path_id):
    return (struct.pack("<iiBI", source, target, 0, path_id) + b"hit\0\x02" + encode("a text in plain sight", 3)
            + encode(12, 3)).hex()


def test_paths_are_taken_from_messages_without_evidence(tmp_path):
    """Godot 3; each side numbers its paths separately, and definitions of one side do not confirm those of the
    other."""
    of_client, of_server = "4d000051 01000000 02 06000000 4d00", "01000000 4d000051 02 06000000 4f00"
    peer = 0x5100004D
    messages = [server(of_server), client(of_client), server(call_of_3(1, peer, 6)), client(call_of_3(peer, 1, 6))]
    packets = [tshark.reply(verify(channels=3))]
    for index, (from_server, message) in enumerate(messages, 2):
        send, header = (tshark.reply, 0x8000) if from_server else (tshark.request, 0x8001)
        packets.append(send(datagram(reliable(index, bytes.fromhex(message), 1), header, 100 + index), index))
    path = tshark.write_pcap(tmp_path / "quiet.pcap", packets)
    names = ["godot_mp.generation", "godot_mp.rpc.path", "godot_mp.path.unconfirmed"]
    found = [[bool(packet[names[0]]), packet[names[1]], bool(packet[names[2]])] for packet in tshark.fields(path, names)[1:]]
    assert found == [[False, [], False], [False, [], False], [True, ["O"], True], [True, ["M"], True]]


# ---- known peers and methods ----------------------------------------------------------------------


@pytest.mark.parametrize("name", PEERS)
def test_experts_that_depend_on_known_peers_and_methods(name, udp_capture):
    found = tshark.fields(udp_capture(*connected(*PEERS[name])), [name], *DECODE_AS, *SCRIPT)
    assert [bool(packet[name]) for packet in found] == [False] * (len(found) - 1) + [True]


def test_a_typed_null_raises_one_expert_info(udp_capture):
    path = udp_capture(tshark.request(datagram(reliable(1, bytes.fromhex("00 06 05 01 18000000")))))
    found = tshark.fields(path, ["_ws.expert.message", "godot_mp.null_object.invalid"], *DECODE_AS, "-o",
                          "godot_mp.generation:4")
    assert [text for text in found[0]["_ws.expert.message"] if "null" in text] == [
        "A typed null object is sent as a header alone, which the receiver cannot read: it prints an error, and "
        "makes a call with null from here on (offset 4)"]
