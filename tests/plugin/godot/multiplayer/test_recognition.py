# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which messages in ENet and WebSocket are recognized as multiplayer. For messages of other protocols see
tests/strangers."""

import itertools
import struct

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import connect, datagram, reliable, verify
from plugin.godot.multiplayer.samples import DEFINE, websocket

PEER = 0x3D5A17C1


def connected(data, *messages, channel=1):
    """The handshake of a client with this connect data, and its messages."""
    handshake = [tshark.request(connect()[:-4] + struct.pack(">I", data)), tshark.reply(verify())]
    return [*handshake, *(tshark.request(datagram(reliable(number, bytes.fromhex(message), channel)))
                          for number, message in enumerate(messages, 1))]


def infos(packets, path):
    return tshark.info_column(tshark.write_pcap(path, packets), "-2")


def test_a_client_without_an_id_is_not_a_peer(tmp_path):
    """Godot's server rejects it: "Client joined with invalid ID". Ids have 31 bits."""
    for data in (0, 1, 0x80000000):
        assert infos(connected(data, DEFINE), tmp_path / "other.pcap")[-1].startswith("Reliable ch=")
    for data in (2, PEER):
        assert infos(connected(data, DEFINE), tmp_path / "peer.pcap")[-1] == "Path #6 = Main"


def test_the_source_of_a_client_s_message_is_its_id(tmp_path):
    mine, other = (struct.pack("<i", peer).hex() + " 01000000 00 0a000080 68697400 00 4d61696e00"
                   for peer in (PEER, PEER + 1))
    assert infos(connected(PEER, mine), tmp_path / "mine.pcap")[-1] == "RPC hit() on Main"
    assert infos(connected(PEER, other), tmp_path / "other.pcap")[-1].startswith("Reliable ch=")
    assert infos(connected(PEER, mine, channel=0), tmp_path / "channel.pcap")[-1].startswith("Reliable ch=")


def test_variants_over_websocket_in_multiplayer_mode(tmp_path):
    """websocket_chat of Godot 3: the header of the multiplayer mode, followed by a Variant."""
    messages = ["03 01000000 00000000 c1175a3d", "01 01000000 00000000 01000000"]
    messages += [f"00 01000000 00000000 04000000 07000000 6e657773 2033{0x30 + n:02x}00" for n in range(8)]
    path = tshark.write_tcp_connections(
        tmp_path / "chat.pcap", [[(True, websocket(bytes.fromhex(message))) for message in messages]])
    options = ("-2", "-d", f"tcp.port=={tshark.SERVER_PORT},websocket")
    found = tshark.fields(path, ["godot_mp.variant", "godot_mp.command", "godot_mp.source"], *options)
    assert [packet["godot_mp.variant"] for packet in found[2:]] == [[f'"news 3{n}"'] for n in range(8)]
    assert not any(packet["godot_mp.command"] for packet in found)
    assert tshark.info_column(path, *options)[2].endswith('Variant: "news 30"')


def test_authentication_before_the_proof_has_its_peers(tmp_path):
    """The ids are known from the transport: the client's CONNECT has its id."""
    packets = connected(PEER, "07 00 7365637265743132", DEFINE)
    names = ["godot_mp.source", "godot_mp.target"]
    found = tshark.fields(tshark.write_pcap(tmp_path / "auth.pcap", packets), names, "-2")
    assert found[2:] == 2 * [{"godot_mp.source": [str(PEER)], "godot_mp.target": ["1"]}]


def bytes_of_3(source, target, data="c0ffee"):
    """MultiplayerAPI.send_bytes() of Godot 3."""
    return struct.pack("<ii", source, target).hex() + "04" + data


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
def test_bytes_from_the_client_to_the_server_are_proof(passes, tmp_path):
    """Alone: the peer id of CONNECT, and 1. Small numbers are also the ids of other protocols."""
    messages = {"own": (PEER, bytes_of_3(PEER, 1)), "other": (PEER, bytes_of_3(PEER + 1, 1)), "to all": (PEER, bytes_of_3(PEER, 0)),
                "small": (77, bytes_of_3(77, 1)), "big-endian": (PEER, struct.pack(">ii", PEER, 1).hex() + "04c0ffee"),
                "command 5": (PEER, bytes_of_3(PEER, 1).replace("04c0", "05c0"))}
    found = {name: tshark.info_column(tshark.write_pcap(tmp_path / f"{number}.pcap", connected(*message)), *passes)[-1]
             for number, (name, message) in enumerate(messages.items())}
    assert {name for name, info in found.items() if not info.startswith("Reliable ch=")} == {"own"}
    assert found["own"] == "Raw, 3 bytes"


def test_bytes_from_the_server_to_the_client_are_proof(tmp_path):
    handshake = connected(PEER)
    for target, is_proof in ((PEER, True), (0, False)):
        answer = tshark.reply(datagram(reliable(1, bytes.fromhex(bytes_of_3(1, target)), 1), 0x8000))
        info = infos([*handshake, answer], tmp_path / f"{target}.pcap")[-1]
        assert info.startswith("Reliable ch=") != is_proof


# CONNECT as Godot 4.6.3 sends it (pcaps/godot/multiplayer), and CONNECTs that differ in one field.
CONNECTS = {"Godot's": (1392, 255, PEER), "of another mtu": (1200, 255, PEER), "of few channels": (1392, 2, PEER),
            "without an id": (1392, 255, 0), "of a small id": (1392, 255, 7)}
AUTH = "07 00 7365637265743132"


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
def test_authentication_alone_is_proof_after_a_connect_of_godot_4(passes, tmp_path):
    def info_of(mtu, channels, data, message, number=1, channel=0):
        hello = connect(mtu=mtu, channels=channels)[:-4] + struct.pack(">I", data)
        packets = [tshark.request(hello), tshark.reply(verify(channels=channels)),
                   tshark.request(datagram(reliable(number, bytes.fromhex(message), channel)))]
        return tshark.info_column(tshark.write_pcap(tmp_path / "auth.pcap", packets), *passes)[-1]

    proven = {name: not info_of(*hello, AUTH).startswith("Reliable ch=") for name, hello in CONNECTS.items()}
    assert proven == {name: name == "Godot's" for name in CONNECTS}
    godot = CONNECTS["Godot's"]
    assert not info_of(*godot, "07 00").startswith("Reliable ch=")
    for message, number, channel in ((AUTH, 2, 0), (AUTH, 1, 2), ("07 04 01", 1, 0), ("17 00 01", 1, 0)):
        assert "Reliable ch=" in info_of(*godot, message, number, channel)


# ---- captures in which the client's side is not known
# ------------------------------------------------------------------

OTHER_PEER = 0x1B2C3D4E


def call_of_3(source, target, method):
    """A remote call of a node by its number, without arguments: a single message is not sufficient evidence."""
    return struct.pack("<ii", source, target) + bytes.fromhex("00 06000000") + method.encode() + b"\0\0"


def of_both(*messages):
    """In ENet, without a handshake; each with True if the server sent it."""
    return [(tshark.reply if from_server else tshark.request)(datagram(reliable(number, message, 1)), number / 10)
            for number, (from_server, message) in enumerate(messages, 1)]


def found_in_enet(messages, path):
    options = ("-d", f"udp.port=={tshark.SERVER_PORT},enet", "-2")
    return len(tshark.fields(tshark.write_pcap(path, of_both(*messages)), ["frame.number"], "-Y", "godot_mp", *options))


def found_in_websocket(messages, path):
    return found_in_frames([(from_server, websocket(message)) for from_server, message in messages], path)


def found_in_frames(frames, path):
    options = ("-d", f"tcp.port=={tshark.SERVER_PORT},websocket", "-2")
    capture = tshark.write_tcp_connections(path, [frames])
    return len(tshark.fields(capture, ["frame.number"], "-Y", "godot_mp", *options))


BY_NAME = "20 07000080 05 00 4d61696e00"  # with too little evidence alone
JOINED = "07 01" + struct.pack("<i", OTHER_PEER).hex()  # only a server sends it


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
@pytest.mark.parametrize("call_first", [True, False])
def test_a_client_s_call_of_four_bytes_is_not_an_assigned_id(call_first, passes, tmp_path):
    """The server's first message on a WebSocket is an id of four bytes. A call by a path id above 255 has four bytes too."""
    call, joined = (False, "90 0601 05"), (True, JOINED)
    segments = [call, joined] if call_first else [(False, BY_NAME), joined, call]
    segments += [(False, DEFINE), call]
    path = tshark.write_tcp_connections(tmp_path / "late.pcap", [
        [(from_server, websocket(bytes.fromhex(message))) for from_server, message in segments]])
    names = ["godot_mp.assigned_peer", "godot_mp.rpc.node_id", "godot_mp.source"]
    found = tshark.fields(path, names, "-d", f"tcp.port=={tshark.SERVER_PORT},websocket", *passes)
    assert not any(packet["godot_mp.assigned_peer"] for packet in found)
    assert found[-1] == {"godot_mp.assigned_peer": [], "godot_mp.rpc.node_id": ["262"], "godot_mp.source": []}
    if passes:
        # Before there is evidence, nothing is learned from a message.
        source = [] if call_first else ["1"]
        assert found[segments.index(call)] == found[-1] and found[segments.index(joined)]["godot_mp.source"] == source


def masked(message):
    """By a client."""
    return b"\x82" + bytes([0x80 | len(message)]) + bytes(4) + message


ASSIGNED = (True, websocket(struct.pack("<i", PEER)))
SHORT_CALL = "80 06 05 01"  # of four bytes, too


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
@pytest.mark.parametrize("opened, before, assigned", [(True, [], []), (True, [ASSIGNED], [str(PEER)]), (False, [], [])],
                         ids=["lost", "captured", "later"])
def test_only_the_server_assigns_an_id_and_only_at_the_beginning(opened, before, assigned, passes, tmp_path):
    call = bytes.fromhex(SHORT_CALL)
    segments = [*before, (False, masked(call)), (True, websocket(bytes.fromhex(DEFINE))), (True, websocket(call)),
                (False, masked(call))]
    path = tshark.write_tcp_connections(tmp_path / "call.pcap", [segments], opened=opened)
    names = ["godot_mp.assigned_peer", "godot_mp.rpc.caller", "godot_mp.rpc.node_id"]
    found = tshark.fields(path, names, "-d", f"tcp.port=={tshark.SERVER_PORT},websocket", *passes)[1 if opened else 0:]
    # Later messages decide, so that one pass does not show it.
    assert [one for packet in found for one in packet["godot_mp.assigned_peer"]] == (assigned if passes else [])
    *_, by_server, by_client = found
    assert by_client["godot_mp.rpc.node_id"] == by_server["godot_mp.rpc.node_id"] == ["6"]
    assert by_client["godot_mp.rpc.caller"] == assigned
    assert by_server["godot_mp.rpc.caller"] == (["1"] if assigned else [])


def test_connections_of_other_protocols_have_no_number(tmp_path):
    """Follow Stream counts connections with multiplayer only."""
    stranger = [(False, websocket(b"\3\0\0\0")), *(2 * [(True, websocket(b"\6\1\0\0\0\1"))])]
    game = [(True, websocket(struct.pack("<i", PEER))), (True, websocket(bytes.fromhex(DEFINE)))]
    path = tshark.write_tcp_connections(tmp_path / "both.pcap", [stranger, game], opened=True)
    options = ("-d", f"tcp.port=={tshark.SERVER_PORT},websocket", "-2", "-Y", "websocket")
    found = tshark.fields(path, ["godot_mp.stream"], *options)
    assert [packet["godot_mp.stream"] for packet in found] == [[], [], [], ["0"], ["0"]]
    output = tshark.run([*options, "-q", "-z", "follow,godot_mp,raw,0"], path).stdout
    assert b"Path #6 = Main\n".hex() in output


def test_texts_between_the_messages_do_not_end_a_row(tmp_path):
    """What a game sends with send_text() is not the multiplayer peer's."""
    calls = [(False, websocket(b"\0" + call_of_3(PEER, 1, f"move{number}"))) for number in range(6)]
    between = {"text": b"\x81\x0f" + '{"ping":"olé"}'.encode(), "other bytes": b"\x82\x04\xff\xff\xff\xff"}
    found = {name: found_in_frames([frame for call in calls for frame in (call, (True, other))], tmp_path / f"{name}.pcap")
             for name, other in between.items()}
    assert found == {"text": 6, "other bytes": 0}


def conversation(sources_of_client, sources_of_server):
    """The client's messages are for the server, the server's for all peers."""
    for number, (client, server) in enumerate(zip(sources_of_client, sources_of_server, strict=True)):
        yield False, (client, 1, f"move{number}")
        yield True, (server, 0, f"seen{number}")


def enet_of(rows):
    return [(from_server, call_of_3(*values)) for from_server, values in rows]


def websocket_of(rows):
    return [(from_server, b"\0" + call_of_3(*values)) for from_server, values in rows]


CARRIERS = pytest.mark.parametrize("found, made", [(found_in_enet, enet_of), (found_in_websocket, websocket_of)],
                                   ids=["ENet", "WebSocket"])


@CARRIERS
@pytest.mark.parametrize("client, server, expected", [
    ([PEER] * 6, [1] * 6, 12),
    ([PEER] * 6, [1, OTHER_PEER, OTHER_PEER + 1] * 2, 12),
    ([PEER + n for n in range(6)], [OTHER_PEER + n for n in range(6)], 0),
    ([PEER, PEER + 1, PEER + 1], [OTHER_PEER, OTHER_PEER + 1, OTHER_PEER + 1], 0),
    ([PEER, PEER, PEER], [OTHER_PEER, OTHER_PEER + 1, OTHER_PEER + 1], 6),
    ([PEER] * 6, [PEER] * 6, 0),
    ([1] * 6, [1] * 6, 0),
], ids=["a game of two", "the server relays", "both change", "both relay", "one relays", "the client's comes back", "two servers"])
def test_one_side_s_messages_have_one_source(found, made, client, server, expected, tmp_path):
    messages = made(conversation(client, server))
    assert found(messages, tmp_path / "sources.pcap") == expected


@CARRIERS
def test_a_client_that_repeats_itself_is_not_a_relay(found, made, tmp_path):
    """Equal messages count once, so that the server relays two peers' before the evidence is sufficient."""
    client = [(False, (PEER, 1, method)) for method in ("stop", "stop", "go", "jump")]
    server = [(True, (OTHER_PEER + number, 0, f"seen{number}")) for number in range(4)]
    messages = made(itertools.chain(*zip(client, server, strict=True)))
    assert found(messages, tmp_path / "repeats.pcap") == 8
