# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of a known connection that cannot be read are shown by the ids in their heads, with the fault. Half floats of the
fork Redot, by its source (PR 1343): u8 type, 1 to 4 little-endian halves."""

import struct

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.multiplayer.samples import CLIENT, DEFINE, SPAWN, connected, websocket
from plugin.godot.variant.variants import encode

PATH_ID = "06000080"  # net id of a synchronizer by its path's id, 6
HALVES = {
    "030047": "7.0",
    "05003c00c0": "Vector2(1, -2)",
    "09003c00400042": "Vector3(1, 2, 3)",
    "0c003c004000420047": "Vector4(1, 2, 3, 7)",
    "0f003c000000800038": "Quaternion(1, 0, -0, 0.5)",
    "14003c000000380038": "Color(1, 0, 0.5, 0.5)",
}


def sized(state):
    return struct.pack("<I", len(state) // 2).hex() + state


def relayed(message, peer=0x55555):
    return "0703" + struct.pack("<i", peer).hex() + message


def sync(state, net_id=PATH_ID):
    return "06 0700" + net_id + sized(state)


def delta(state):
    return "16" + PATH_ID + "0100000000000000" + sized(state)


def enet(messages, path, from_server):
    packets = connected(*((from_server, bytes.fromhex(message)) for message in messages))
    return tshark.write_pcap(path, packets), ("-d", f"udp.port=={tshark.SERVER_PORT},enet")


def over_websocket(messages, path, from_server):
    frames = [(from_server, websocket(bytes.fromhex(message))) for message in messages]
    return tshark.write_tcp_connections(path, [frames]), ("-d", f"tcp.port=={tshark.SERVER_PORT},websocket")


def last_of(written, *names):
    path, options = written
    return tshark.fields(path, ["_ws.col.Info", "frame.protocols", *names], *options)[-1]


@pytest.mark.parametrize("from_server", [True, False])
@pytest.mark.parametrize("carrier", [enet, over_websocket])
def test_half_floats_are_shown_with_their_values(carrier, from_server, tmp_path):
    names = ["godot_mp.half_floats", "godot_mp.sync.value", "godot_mp.undecoded", "godot_mp.half_floats.unusual"]
    for halves, text in HALVES.items():
        for message, word in ((sync(halves), "Sync"), (delta(halves), "Delta")):
            row = last_of(carrier([DEFINE, sync("0205"), message], tmp_path / "halves.pcap", from_server), *names)
            assert row["_ws.col.Info"] == [f"{word} Main: {text}"]
            assert row["godot_mp.half_floats"] == row["godot_mp.sync.value"] == [text]
            assert not row["godot_mp.undecoded"] and row["godot_mp.half_floats.unusual"]


def test_half_floats_of_a_spawned_node(tmp_path):
    """In the state of its spawn, and in the syncs of its synchronizer, whose number is small."""
    messages = [DEFINE, SPAWN + "09003c00400042", sync("09003c00400042", "04000000")]
    path, options = enet(messages, tmp_path / "spawn.pcap", True)
    rows = tshark.fields(path, ["_ws.col.Info", "godot_mp.spawn.state"], *options)
    assert [row["_ws.col.Info"][0] for row in rows[3:]] == ['Spawn "a" #3: Vector3(1, 2, 3)', "Sync a: Vector3(1, 2, 3)"]
    assert rows[3]["godot_mp.spawn.state"] == ["Vector3(1, 2, 3)"]


UNREADABLE = {
    "a sync with a byte too many": (sync("09003c0040004200"), "Sync Main: [The packet ends inside a Variant]"),
    "a delta of an unknown type": (delta("3f00000000"), "Delta Main: [The bytes are not a Variant]"),
    "a sync of two updates": ("06 0900" + PATH_ID + sized("0900000000") + PATH_ID + sized("0205"), "Sync Main: [The bytes are not a Variant]"),
    "a relayed sync": (relayed(sync("0900000000")), "Sync Main: [The packet ends inside a Variant]"),
}


@pytest.mark.parametrize("from_server", [True, False])
@pytest.mark.parametrize("carrier", [enet, over_websocket])
@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_message_is_shown_with_its_head_and_the_fault(name, carrier, from_server, tmp_path):
    message, info = UNREADABLE[name]
    before = [DEFINE, relayed(DEFINE), sync("0205")]
    written = carrier([*before, message], tmp_path / "unreadable.pcap", from_server)
    row = last_of(written, "godot_mp.undecoded", "godot_mp.sync.net_id", "_ws.expert.severity")
    assert row["_ws.col.Info"][0].endswith(info)
    assert row["godot_mp.sync.net_id"] == [str(0x80000006)] and row["godot_mp.undecoded"]
    assert str(0x00800000) in row["_ws.expert.severity"]


def of_3(target, command, rest):
    return struct.pack("<iiBI", 1, target, command, 6) + rest


@pytest.mark.parametrize("target, is_shown", [(CLIENT, True), (CLIENT + 1, False)])
def test_the_ids_of_sender_and_receiver_are_evidence(target, is_shown, tmp_path):
    """A call of Godot 3 with a type that no Variant has, to the client or to another one. The messages before it are for all
    clients. Godot 3 has them in channel 1."""
    texts = ("a text in plain sight", "another text in plain sight")
    messages = [*(of_3(0, 1, b"title\0" + encode(text, 3)) for text in texts), of_3(0, 2, b"Main\0"),
                of_3(target, 0, b"hit\0\1\x7f\0\0\0")]
    sent = [tshark.reply(datagram(reliable(number, message, 1), 0x8000)) for number, message in enumerate(messages, 1)]
    path = tshark.write_pcap(tmp_path / "ids.pcap", [*connected(), *sent])
    rows = tshark.fields(path, ["frame.protocols", "godot_mp.undecoded"], "-d", f"udp.port=={tshark.SERVER_PORT},enet", "-2")[2:]
    assert ["godot_mp" in row["frame.protocols"][0] for row in rows] == [True, True, True, is_shown]
    assert bool(rows[-1]["godot_mp.undecoded"]) == is_shown


def test_two_passes_show_the_same(tmp_path):
    path, options = enet([DEFINE, sync("0205"), sync("09003c0040004200")], tmp_path / "two.pcap", True)
    assert tshark.info_column(path, *options) == tshark.info_column(path, *options, "-2")


@pytest.mark.parametrize("carrier", [enet, over_websocket])
def test_ids_that_nobody_has_defined_are_no_evidence(carrier, tmp_path):
    unreadable = sync("09003c0040004200", "07000080")
    row = last_of(carrier([DEFINE, sync("0205"), unreadable], tmp_path / "other.pcap", True))
    assert "godot_mp" not in row["frame.protocols"][0]


def test_sizes_that_do_not_fill_the_message_are_no_evidence(tmp_path):
    """A payload of a game's own format that begins with the same numbers."""
    row = last_of(enet([DEFINE, sync("0205"), "06 0700" + "06000000 11000000 41414141"], tmp_path / "size.pcap", True))
    assert "godot_mp" not in row["frame.protocols"][0]


# ---- messages that nothing but their connection shows to be Godot's -------------------------------------------------

CALLS = [DEFINE, "02 01 06000000", *(f"80 06 {number:02x}" for number in range(1, 29))]
NOTE = "Not read as Godot multiplayer, as the messages of this connection before it: "


def notes(written, *args):
    """The note of each packet with one, and whether the packet is multiplayer."""
    path, options = written
    rows = tshark.fields(path, ["_ws.expert.message", "frame.protocols", "godot_mp.message.unread"], *options, *args)
    return [([text for text in row["_ws.expert.message"] if text.startswith(NOTE)], "godot_mp" in row["frame.protocols"][0])
            for row in rows if row["godot_mp.message.unread"]]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("carrier", [enet, over_websocket])
def test_a_message_unlike_all_before_it_is_not_silent(carrier, passes, tmp_path):
    """A confirmation whose bool is 140, and a call with a type that no Variant has. They may be another format's."""
    written = carrier([*CALLS, "02 8c 07000000"], tmp_path / "unread.pcap", True)
    assert notes(written, *passes) == [([NOTE + "the engine does not write such values"], False)]
    written = carrier([*CALLS, "00 06 05 01 7f000000"], tmp_path / "unread.pcap", True)
    found, = notes(written, *passes)
    assert " at offset " in found[0][0] and not found[1]


@pytest.mark.parametrize("carrier", [enet, over_websocket])
def test_nothing_is_said_where_few_messages_were_multiplayer(carrier, tmp_path):
    """Or where others were not: the game has a format of its own beside it."""
    assert notes(carrier([*CALLS[:12], "02 8c 07000000"], tmp_path / "few.pcap", True)) == []
    other = ["f0 01 02", "f0 01 03", "f0 01 04"]
    assert len(notes(carrier([*CALLS, *other], tmp_path / "beside.pcap", True))) == 1


def damaged_capture(name, frame, at, value, path):
    frames = bytearray((tshark.PCAPS / f"godot/multiplayer/{name}.pcap").read_bytes())
    position = 24
    for _ in range(frame - 1):
        position += 16 + struct.unpack_from("<I", frames, position + 8)[0]
    end = position + 16 + struct.unpack_from("<I", frames, position + 8)[0]
    frames[end + at] = value
    path.write_bytes(frames)
    return path


def test_a_damaged_confirmation_of_a_recorded_session_is_not_silent(tmp_path):
    """Frame 272, one of 300 confirmations: the bool before the id."""
    path = damaged_capture("godot-4.6.3-nodes", 272, -5, 0x47, tmp_path / "nodes.pcap")
    rows = tshark.fields(path, ["frame.number"], "-Y", "godot_mp.message.unread")
    assert [row["frame.number"] for row in rows] == [["272"]]
    assert not tshark.fields(tshark.PCAPS / "godot/multiplayer/godot-4.6.3-nodes.pcap", ["frame.number"],
                             "-Y", "godot_mp.message.unread")


def test_a_message_that_the_capture_cut_is_not_said_to_be_unreadable(tmp_path):
    path, options = enet([*CALLS, "00 06 05 01 7f000000"], tmp_path / "whole.pcap", True)
    assert len(notes((path, options))) == 1
    assert notes((tshark.cut_packets(path, tmp_path / "cut.pcap", 60), options)) == []
