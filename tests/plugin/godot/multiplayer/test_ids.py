# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Ids in messages: those that an earlier message defines, those that a later one defines, and those without a
definition in the capture."""

import re
import struct

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import connect, datagram, reliable, verify
from plugin.godot.variant.variants import words
from plugin.godot.multiplayer.samples import CHECKSUM, DECODE_AS, DEFINE, SPAWN, define

ENET = ("-d", f"udp.port=={tshark.SERVER_PORT},enet")
NAMES = ["_ws.col.Info", "_ws.expert.message", "godot_mp.rpc.path_defined_in", "godot_mp.spawn.spawner_path",
         "godot_mp.spawn.spawned_in", "godot_mp.spawn.name", "godot_mp.sync.path", "godot_mp.sync.defined_in",
         "godot_mp.path.path", "godot_mp.path.defined_in"]


def conversation(*messages):
    """Each reliable message in a separate datagram, from the client to the server."""
    return [tshark.request(datagram(reliable(number, bytes.fromhex(message)), sent_time=number), number / 10)
            for number, message in enumerate(messages, 1)]


def capture(path, *messages):
    return tshark.write_pcap(path, conversation(*messages))


def shown(path, *options, names=NAMES):
    """For each packet: its line and its fields' values."""
    return [("".join(packet.pop(names[0])), packet) for packet in tshark.fields(path, names, *options)]


# Node 7 with the name "A", below the spawner with path id 5; the path; the end of node 7.
SPAWN_A = "0400050000000700000000000000020000004100"
DEFINE_SPAWNER = "01" + b"0123456789abcdef0123456789abcdef".hex() + "00" + "05000000" + b"Main/Spawner\0".hex()
DESPAWN_A = "0507000000"


def test_a_spawner_that_a_later_message_defines(tmp_path):
    path = capture(tmp_path / "late.pcap", SPAWN_A, DEFINE_SPAWNER, DESPAWN_A)
    (first, spawn), (_, define), (third, despawn) = shown(path, *ENET, "-2")
    assert first == 'Spawn "A" #7'
    assert "The path id is defined later, in frame 2" in spawn["_ws.expert.message"]
    assert not any("No packet" in text for packet in (spawn, define, despawn) for text in packet["_ws.expert.message"])
    assert spawn["godot_mp.rpc.path_defined_in"] == ["2"]
    assert spawn["godot_mp.spawn.spawner_path"] == ["Main/Spawner"]
    assert third == 'Despawn "A" #7'
    assert despawn["godot_mp.spawn.spawned_in"] == ["1"]
    assert despawn["godot_mp.spawn.name"] == ["A"]


def test_an_unrecognized_message_is_available_to_later_messages(tmp_path):
    """On the first pass: only the second message has sufficient evidence for all three."""
    path = capture(tmp_path / "late.pcap", SPAWN_A, DEFINE_SPAWNER, DESPAWN_A)
    (_, spawn), _, (third, despawn) = shown(path, *ENET)
    assert spawn["godot_mp.spawn.name"] == []
    assert third == 'Despawn "A" #7'
    assert despawn["godot_mp.spawn.spawned_in"] == ["1"]


CHECKSUM_OF_1 = "01" + CHECKSUM + "01000000"  # of the path with id 1, which follows
SYNC_4 = "06 0500 04000000 02000000 0201"  # of the synchronizer that SPAWN has
SYNC_6 = "06 0500 06000080 02000000 0201"  # by the path that DEFINE has
CALL_6 = "80 06 05"
CONFIRM_6 = "02 01 06000000"
DESPAWN_3 = "05 03000000"  # of the node that SPAWN has
LATER = "The path id is defined later, in frame "
SPAWNED_LATER = "The net id is spawned later, in frame "


def test_an_id_that_is_defined_later_has_a_link_to_the_definition(udp_capture):
    cases = [(CALL_6, DEFINE, LATER, "godot_mp.rpc.path_defined_in"),
             (SYNC_6, DEFINE, LATER, "godot_mp.sync.defined_in"),
             (SPAWN, DEFINE, LATER, "godot_mp.rpc.path_defined_in"),
             (SYNC_4, SPAWN, SPAWNED_LATER, "godot_mp.sync.defined_in"),
             (DESPAWN_3, SPAWN, SPAWNED_LATER, None)]
    path = udp_capture(*tshark.apart([conversation(message, later) for message, later, _, _ in cases]))
    for defined_in, (case, (_, found)) in zip(range(2, 11, 2), zip(cases, shown(path, *DECODE_AS, "-2")[::2]), strict=True):
        message, _, text, link = case
        assert f"{text}{defined_in}" in found["_ws.expert.message"], message
        assert not any("in the capture" in one for one in found["_ws.expert.message"] if "spawner" not in one), message
        assert link is None or found[link] == [str(defined_in)], message


def test_a_confirmation_of_a_path_that_is_defined_later(tmp_path):
    packets = [tshark.reply(datagram(reliable(1, bytes.fromhex(CONFIRM_6)))),
               tshark.request(datagram(reliable(1, bytes.fromhex(DEFINE))), 1)]
    path = tshark.write_pcap(tmp_path / "confirmed.pcap", packets)
    _, found = shown(path, *DECODE_AS, "-2")[0]
    assert found["_ws.expert.message"] == [f"{LATER}2"]
    assert found["godot_mp.path.defined_in"] == ["2"]


@pytest.mark.parametrize("passes, text", [((), "No packet so far "), (("-2",), "No packet in the capture ")])
def test_an_id_without_definition(passes, text, udp_capture):
    """On the first pass, the rest of the capture is not known."""
    messages = [CALL_6, SYNC_6, SPAWN, SYNC_4, DESPAWN_3, CONFIRM_6]
    path = udp_capture(*tshark.apart(map(conversation, messages)))
    for message, (_, found) in zip(messages, shown(path, *DECODE_AS, *passes), strict=True):
        assert [one for one in found["_ws.expert.message"] if one.startswith(text)], message
        assert len([one for one in found["_ws.expert.message"] if one.startswith("No packet")]) == 1, message


def test_a_spawn_that_is_malformed_spawns_nothing(udp_capture):
    spawns = ["04 00 06000000 03000000 00000000 02000000 6100",
              "04 00 06000000 03000000 00000000 05000000 6100",  # its name ends after the message
              "04 00 06000000 03000000 02000000 02000000 04000000"]
    path = udp_capture(*tshark.apart([conversation(DEFINE, spawn, DESPAWN_3) for spawn in spawns]))
    despawns = tshark.fields(path, ["godot_mp.spawn.spawned_in", "godot_mp.spawn.net_id.unseen"], *DECODE_AS, "-2")[2::3]
    assert [despawn["godot_mp.spawn.spawned_in"] for despawn in despawns] == [["2"], [], []]
    assert [bool(despawn["godot_mp.spawn.net_id.unseen"]) for despawn in despawns] == [False, True, True]


def cut_after(path, length, *messages):
    """The server's reliable messages, after a CONNECT; of each datagram with more than `length` bytes, these alone were
    captured."""
    packets = [tshark.request(connect(channels=255)), tshark.reply(verify())]
    for number, message in enumerate(messages, 2):
        data = datagram(reliable(number, bytes.fromhex(message)), 0x8000)
        packets.append(tshark.reply(data, number / 10, captured=min(length, len(data))))
    return tshark.write_pcap(path, packets)


def test_a_spawn_whose_state_is_cut_by_the_capture_spawns_the_node(tmp_path):
    state = "0207" + words(4, 100).hex() + 100 * "78"  # 7, and a string of 100 bytes
    path = cut_after(tmp_path / "cut.pcap", 60, SPAWN + state, sync(1), "05 03000000")
    names = ["_ws.col.Info", "godot_mp.sync.defined_in", "godot_mp.spawn.spawned_in"]
    _, _, spawn, update, despawn = tshark.fields(path, names, *DECODE_AS, "-2")
    assert spawn["_ws.col.Info"][0].endswith('Spawn "a" #3: 7…')
    assert (update["godot_mp.sync.defined_in"], despawn["godot_mp.spawn.spawned_in"]) == (["3"], ["3"])


def test_an_id_may_be_one_whose_definition_is_cut_by_the_capture(tmp_path):
    path = cut_after(tmp_path / "cut.pcap", 60, define(6, 100 * "x"), CALL_6)
    call = tshark.fields(path, ["_ws.expert.message"], *DECODE_AS, "-2")[3]
    assert call["_ws.expert.message"] == [
        "No packet in the capture defines this path id; definitions were cut short by the capture"]


def test_visibility_does_not_change_the_analysis(tmp_path):
    """Only the last packet is displayed."""
    path = capture(tmp_path / "last.pcap", SPAWN_A, DEFINE_SPAWNER, DESPAWN_A)
    for passes in ((), ("-2",)):
        found = tshark.fields(path, ["godot_mp.spawn.spawned_in"], *ENET, *passes, "-Y", "frame.number == 3")
        assert [packet["godot_mp.spawn.spawned_in"] for packet in found] == [["1"]]


MORE = "The node is not known: a spawn has more than 256 synchronizers, which are not all stored"


@pytest.mark.parametrize("count, text", [(256, "No packet in the capture spawned a node with this net id"), (257, MORE)])
def test_the_first_256_synchronizers_of_a_node_are_stored(count, text, tmp_path):
    """Then syncs of the first one, of the last one that is stored, and of the one after it."""
    ids = range(1001, 1001 + count)
    spawn = b"\x04\0" + words(6, 3, count, 2, *ids) + b"a\0"
    syncs = [b"\x06\x05\0" + words(net_id, 2) + b"\x02\x07" for net_id in (1001, 1256, 1257)]
    path = capture(tmp_path / "many.pcap", DEFINE, *(message.hex() for message in (spawn, *syncs)))
    found = [packet for _, packet in shown(path, *DECODE_AS, "-2")[2:]]
    assert [packet["godot_mp.sync.path"] for packet in found] == [["a"], ["a"], []]
    assert [packet["godot_mp.sync.defined_in"] for packet in found] == [["2"], ["2"], []]
    assert [packet["_ws.expert.message"] for packet in found] == [[], [], [text]]


def test_a_synchronizer_belongs_to_the_latest_spawn_before_the_sync(tmp_path):
    spawns = [b"\x04\0" + words(6, number, 2, 2, 1001, 1002) + b"%c\0" % (b"a"[0] + number) for number in range(3)]
    sync_1002 = b"\x06\x05\0" + words(1002, 2) + b"\x02\x07"
    messages = [sync_1002, *(message for spawn in spawns for message in (spawn, sync_1002))]
    path = capture(tmp_path / "again.pcap", DEFINE, *(message.hex() for message in messages))
    found = [packet for _, packet in shown(path, *DECODE_AS, "-2")[1:]]
    syncs = [found[0], *found[2::2]]
    assert [packet["godot_mp.sync.defined_in"] for packet in syncs] == [["3"], ["3"], ["5"], ["7"]]
    assert [packet["godot_mp.sync.path"] for packet in syncs[1:]] == [["a"], ["b"], ["c"]]


def test_a_despawn_that_is_sent_again_is_of_the_node_that_was_despawned(tmp_path):
    """The net id is in use again when the copy arrives."""
    sent = [DEFINE, SPAWN, "05 03000000", SPAWN, "05 03000000"]
    packets = [tshark.request(datagram(reliable(number, bytes.fromhex(message)), sent_time=number), number)
               for number, message in enumerate(sent, 1)]
    again = tshark.request(datagram(reliable(3, bytes.fromhex(sent[2])), sent_time=9), 4.5)
    path = tshark.write_pcap(tmp_path / "again.pcap", [*packets[:4], again, packets[4]])
    for passes in ((), ("-2",)):
        found = tshark.fields(path, ["godot_mp.spawn.spawned_in", "godot_mp.spawn.lifetime"], *DECODE_AS, *passes)
        assert [packet["godot_mp.spawn.spawned_in"] for packet in found] == [[], [], ["2"], [], ["2"], ["4"]]
        assert [packet["godot_mp.spawn.lifetime"] for packet in found][2:] == [["1.000000000"], [], [], ["1.000000000"]]


def test_connections_of_one_address_pair_have_separate_ids(tmp_path):
    """The client connects again and again from the same port, and gives its first id to another path each time."""
    packets = []
    for number in range(40):
        define = bytes.fromhex(CHECKSUM_OF_1) + b"Node%d\0" % number
        packets += [tshark.request(connect(connect_id=number + 1), number),
                    tshark.reply(verify(connect_id=number + 1), number + 0.1),
                    tshark.request(datagram(reliable(1, define)), number + 0.2),
                    tshark.request(datagram(reliable(2, b"\x80\x01\x05")), number + 0.3)]
    path = tshark.write_pcap(tmp_path / "again.pcap", packets)
    calls = tshark.fields(path, ["godot_mp.stream", "godot_mp.rpc.path"], *DECODE_AS, "-2", "-Y", "godot_mp.rpc.method_id")
    assert [call["godot_mp.stream"] for call in calls] == [[str(number)] for number in range(40)]
    assert [call["godot_mp.rpc.path"] for call in calls] == [[f"Node{number}"] for number in range(40)]


# ---- relayed messages ----------------------------------------------------------------------------------------------

OTHER = 0x55555  # another client


def of_connection(path, *messages):
    """A connection; then (True if from the server, bytes in hexadecimal)."""
    packets = [tshark.request(connect(channels=255)), tshark.reply(verify())]
    for number, (from_server, message) in enumerate(messages, 2):
        side, header = (tshark.reply, 0x8000) if from_server else (tshark.request, 0x8001)
        packets.append(side(datagram(reliable(number, bytes.fromhex(message)), header), number / 10))
    return tshark.write_pcap(path, packets)


def relayed(message, peer=OTHER):
    return "0703" + struct.pack("<i", peer).hex() + message


def sync(time):
    return "06" + struct.pack("<H", time).hex() + "04000000 02000000 0201"


def test_syncs_are_counted_for_each_receiver(tmp_path):
    """A client has separate counts of syncs for the server and for each other client: both counts advance in one
    connection."""
    messages = [(False, sync(100)), (False, relayed(sync(7))), (False, sync(101)), (False, relayed(sync(8)))]
    path = of_connection(tmp_path / "relayed.pcap", *messages)
    names = ["godot_mp.sync.previous", "godot_mp.sync.ahead", "godot_mp.sync.interval", "godot_mp.sync.out_of_order"]
    found = tshark.fields(path, names, *DECODE_AS)[2:]
    assert [packet["godot_mp.sync.previous"] for packet in found] == [[], [], ["3"], ["4"]]
    assert [packet["godot_mp.sync.ahead"] for packet in found] == [[], [], ["1"], ["1"]]
    assert [float(packet["godot_mp.sync.interval"][0]) for packet in found[2:]] == pytest.approx([0.2, 0.2])
    assert not any(packet["godot_mp.sync.out_of_order"] for packet in found)


def test_syncs_of_each_sender_are_counted(tmp_path):
    """The server relays syncs of other clients: they are not counted as its own."""
    messages = [(True, sync(100)), (True, relayed(sync(7))), (True, relayed(sync(50), OTHER + 1)), (True, sync(101)),
                (True, relayed(sync(8))), (True, relayed(sync(51), OTHER + 1))]
    path = of_connection(tmp_path / "relayed.pcap", *messages)
    found = tshark.fields(path, ["godot_mp.sync.previous", "godot_mp.sync.out_of_order"], *DECODE_AS)[2:]
    assert [packet["godot_mp.sync.previous"] for packet in found] == [[], [], [], ["3"], ["4"], ["5"]]
    assert not any(packet["godot_mp.sync.out_of_order"] for packet in found)


@pytest.mark.parametrize("seconds, is_late", [(1, True), (600, False)])
def test_a_sync_after_a_gap_of_the_capture_is_not_late(seconds, is_late, tmp_path):
    """The counter of the syncs has 16 bits: 40,000 frames of a game take about ten minutes."""
    packets = [tshark.request(connect(channels=255)), tshark.reply(verify())]
    times = [(20000, 0), (60000, seconds), (60001, seconds + 1 / 60)]
    packets += [tshark.reply(datagram(reliable(number, bytes.fromhex(sync(count))), 0x8000), time)
                for number, (count, time) in enumerate(times, 2)]
    path = tshark.write_pcap(tmp_path / "gap.pcap", packets)
    found = tshark.fields(path, ["godot_mp.sync.out_of_order", "godot_mp.sync.previous"], *DECODE_AS)[3:]
    assert [bool(packet["godot_mp.sync.out_of_order"]) for packet in found] == [is_late, is_late]
    assert [packet["godot_mp.sync.previous"] for packet in found] == [["3"], ["3" if is_late else "4"]]


@pytest.mark.parametrize("confirmed_in, text", [
    (0, "No packet in the capture confirms this path id"),
    (5, "The path id is used before it was confirmed, in frame 7"),
])
def test_the_first_use_of_an_unconfirmed_id_is_noted(confirmed_in, text, tmp_path):
    """Without confirmation most calls of a capture of one direction would have the note."""
    messages = [(False, DEFINE), (False, CALL_6), (False, CALL_6), (False, SYNC_6)]
    messages += [(True, CONFIRM_6), (False, CALL_6)] if confirmed_in else []
    path = of_connection(tmp_path / "unconfirmed.pcap", *messages)
    found = tshark.fields(path, ["godot_mp.path.unconfirmed", "_ws.expert.message"], *DECODE_AS, "-2")
    assert [number for number, packet in enumerate(found, 1) if packet["godot_mp.path.unconfirmed"]] == [4]
    assert text in found[3]["_ws.expert.message"]
    first_pass = tshark.fields(path, ["_ws.expert.message"], *DECODE_AS)[3]
    assert "No packet so far confirms this path id" in first_pass["_ws.expert.message"]


def test_each_peer_has_its_own_net_ids_for_each_receiver(tmp_path):
    """A client is the authority of a spawner: it spawns a node at the server and, relayed, at another client; the
    server and the other client spawn nodes with the same id."""
    despawn = "05 03000000"
    messages = [(False, SPAWN), (False, relayed(SPAWN)), (True, SPAWN), (True, relayed(SPAWN)), (True, despawn),
                (False, relayed(despawn)), (True, relayed(despawn)), (False, despawn)]
    path = of_connection(tmp_path / "authorities.pcap", *messages)
    names = ["godot_mp.spawn.net_id.duplicate", "godot_mp.spawn.despawned_in", "godot_mp.spawn.spawned_in"]
    found = tshark.fields(path, names, *DECODE_AS, "-2")[2:]
    assert not any(packet[names[0]] for packet in found)
    assert [packet[names[1]] for packet in found[:4]] == [["10"], ["8"], ["7"], ["9"]]
    assert [packet[names[2]] for packet in found[4:]] == [["5"], ["4"], ["6"], ["3"]]


def test_a_sync_is_of_a_node_that_its_sender_spawned(tmp_path):
    """A spawn has the synchronizers of which the spawning peer is the authority."""
    messages = [(False, SPAWN), (True, SPAWN), (False, sync(100)), (True, sync(100)), (True, relayed(sync(100)))]
    path = of_connection(tmp_path / "authorities.pcap", *messages)
    found = tshark.fields(path, ["godot_mp.sync.defined_in"], *DECODE_AS, "-2")[4:]
    assert [packet["godot_mp.sync.defined_in"] for packet in found] == [["3"], ["4"], []]


@pytest.mark.parametrize("from_server", [False, True])
def test_ids_of_relayed_messages_are_known_before_and_after_the_side_of_the_server_is(from_server, tmp_path):
    """The capture began late: only the message that a peer joined, of the server, says which side the server is."""
    joined = "0701" + words(OTHER + 1).hex()
    messages = [(from_server, relayed(DEFINE)), (from_server, relayed(SPAWN)), (True, joined), (not from_server, relayed(CONFIRM_6)),
                (from_server, relayed(CALL_6)), (from_server, relayed(sync(100)))]
    packets = [(tshark.reply if server else tshark.request)(datagram(reliable(number, bytes.fromhex(message)), 0x8000 + (not server)))
               for number, (server, message) in enumerate(messages, 2)]
    path = tshark.write_pcap(tmp_path / "late.pcap", packets)
    names = ["godot_mp.path.confirmed_in", "godot_mp.path.defined_in", "godot_mp.rpc.path_defined_in", "godot_mp.sync.defined_in"]
    found = tshark.fields(path, names, *DECODE_AS, "-2")
    assert [packet[names[0]] for packet in found] == [["4"], [], [], [], [], []]
    assert [packet[names[1]] for packet in found] == [[], [], [], ["1"], [], []]
    assert [packet[names[2]] for packet in found] == [[], ["1"], [], [], ["1"], []]
    assert [packet[names[3]] for packet in found] == [[], [], [], [], [], ["2"]]


def test_a_relayed_system_message_does_not_say_who_the_server_is(tmp_path):
    """The engine relays none: any client can send it."""
    joined = "0701" + words(OTHER + 1).hex()
    packets = [tshark.request(datagram(reliable(1, bytes.fromhex(relayed(joined))))),
               tshark.reply(datagram(reliable(1, bytes.fromhex(joined)), 0x8000)),
               tshark.request(datagram(reliable(2, bytes.fromhex(CALL_6))))]
    path = tshark.write_pcap(tmp_path / "relayed.pcap", packets)
    found = tshark.fields(path, ["godot_mp.source", "godot_mp.target"], *DECODE_AS, "-2")
    assert [packet["godot_mp.source"] for packet in found] == [[], ["1"], []]
    assert [packet["godot_mp.target"] for packet in found] == [[], [], ["1"]]


def test_the_command_of_a_relayed_message_is_before_the_head_of_the_relay(tmp_path):
    path = of_connection(tmp_path / "relayed.pcap", (True, relayed(CONFIRM_6)))
    shown = tshark.verbose(path, *DECODE_AS, "-Y", "godot_mp")
    assert "\n    Command: CONFIRM_PATH\n        Command byte: 2 (0x02)\n" in shown
    assert "\n    Relay\n        Command byte: 7 (0x07)\n        System command: Relay (3)\n        Relay " in shown


def test_each_peer_confirms_the_definition_that_it_got(tmp_path):
    """The client defines a path for the server, then for another client, which confirms first."""
    messages = [(False, DEFINE), (False, relayed(DEFINE)), (True, relayed(CONFIRM_6)), (True, CONFIRM_6)]
    path = of_connection(tmp_path / "relayed.pcap", *messages)
    names = ["godot_mp.path.confirmed_in", "godot_mp.path.defined_in"]
    found = tshark.fields(path, names, *DECODE_AS, "-2")[2:]
    assert [packet[names[0]] for packet in found] == [["6"], ["5"], [], []]
    assert [packet[names[1]] for packet in found] == [[], [], ["4"], ["3"]]


def test_a_confirmation_has_the_path_that_it_confirms(tmp_path):
    """Of Godot 4.3 and later by its id; before, the path itself, which is shown once."""
    path = of_connection(tmp_path / "confirmed.pcap", (False, DEFINE), (True, CONFIRM_6), (True, "02 01 4d61696e00"))
    found = tshark.fields(path, ["godot_mp.path.path", "godot_mp.path.id"], *DECODE_AS, "-2")[3:]
    assert [packet["godot_mp.path.path"] for packet in found] == [["Main"], ["Main"]]
    assert [packet["godot_mp.path.id"] for packet in found] == [["6"], []]


CONTROL = re.compile("[\0-\x09\x0b-\x1f\x7f]")


@pytest.mark.parametrize("output", [(), ("-V",), ("-q", "-z", "expert"), ("-q", "-z", "godot,tree"), ("-q", "-z", "flow,godot,network")])
def test_names_of_other_messages_have_no_control_characters(output, tmp_path):
    """A path and a name with an escape sequence of terminals and a line end."""
    name = "A\x1b[31m\nB"
    spawn = (b"\x04\0" + words(6, 3, 1, len(name) + 1, 4) + name.encode() + b"\0").hex()
    messages = [define(6, name), define(6, name + "2"), spawn, spawn, sync(5), CALL_6, "05 03000000", SYNC_6]
    path = of_connection(tmp_path / "control.pcap", *((True, message) for message in messages), (False, CONFIRM_6))
    printed = tshark.run([*DECODE_AS, "-2", *output], path).stdout
    assert "A" in printed and not CONTROL.search(printed)
    assert not any(line.startswith("B") and "Bytes" not in line for line in printed.splitlines())


FOLDER = tshark.PCAPS / "godot/multiplayer"


CALLS = sorted(FOLDER.glob("*-calls*.pcap"))


@pytest.mark.parametrize("path", CALLS, ids=[path.stem for path in CALLS])
def test_confirmations_are_linked_with_the_definition(path):
    """In Godot 3, and in relayed messages of Godot 4, source and target are on the wire."""
    names = ["frame.number", "godot_mp.source", "godot_mp.target", "godot_mp.path.defined_in",
             "godot_mp.path.confirmed_in", "godot_mp.command"]
    packets = tshark.fields_of_each(CALLS, names, "-2", "-Y", "godot_mp.command contains \"_PATH\"")[path]
    alone = {int(packet["frame.number"][0]): packet for packet in packets
             if len(packet["godot_mp.source"]) == len(packet["godot_mp.target"]) == 1}
    checked = 0
    for frame, packet in alone.items():
        for confirmed_in in map(int, packet["godot_mp.path.confirmed_in"]):
            assert confirmed_in > frame
            answer = alone.get(confirmed_in)
            if answer:
                checked += 1
                assert answer["godot_mp.path.defined_in"] == [str(frame)]
                assert answer["godot_mp.source"] == packet["godot_mp.target"]
                assert answer["godot_mp.target"] == packet["godot_mp.source"]
    assert checked > 5
