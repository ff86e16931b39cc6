# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each expert info of the debugger and of streams has messages that raise it; and what multiplayer says of peers and
methods that it knows. Written from the formats' description."""

import struct

import pytest

import gamewire_tshark as tshark
from enet_datagrams import connect, datagram, reliable, verify
from godot_variants import encode, words

PORT = tshark.SERVER_PORT
DEBUGGER = ("-d", f"tcp.port=={PORT},godot.debugger")
STREAM = ("-d", f"tcp.port=={PORT},godot.stream")
# Nothing is waited for: what is not whole is shown as it is.
ALONE = ("-o", "tcp.desegment_tcp_streams:FALSE")


# What has items below it, and no value.
GROUPS = {f"godot.debugger.{name}" for name in (
    "output", "problem", "stack_frame", "stack_variable", "tree_node", "object", "properties", "object_property",
    "server", "function_times", "functions", "monitors", "resource")}


def registered(protocol):
    """The expert infos of a protocol: in Wireshark's list they are fields without a type."""
    return [field.filter for field in tshark.registered_fields()
            if field.parent == protocol and field.type == "FT_NONE" and field.filter not in GROUPS]


def framed(payload, order="little"):
    return len(payload).to_bytes(4, order) + payload


def array(*values):
    return words(28, len(values)) + b"".join(values)


def raised(capture, protocol, *args):
    """What each segment raises, without the protocol's name."""
    packets = tshark.fields(capture, registered(protocol), *args)
    return [{name.removeprefix(protocol + ".") for name, values in packet.items() if values} for packet in packets]


# ---- the debugger ----------------------------------------------------------------------------------------


def message_4(name, *values):
    """[name, thread, [values]]"""
    return framed(array(encode(name), encode(1), array(*values)))


def message_3(*values):
    """Each in a frame of its own."""
    return b"".join(framed(encode(value, 3)) for value in values)


SOUND = message_4("set_pid", encode(7))
# Each node has the next below it; the reader follows 36.
NODES = b"".join(encode(value) for _ in range(40) for value in (1, "n", "Node", 7, "", 0))

# Expert info: segments, of which the last raises it. What is odd but no fault is in test_godot_debugger.py.
DEBUGGER_MESSAGES = {
    "value_invalid": [message_3("message:video_mem", 1) + framed(words(4, 100))],
    "too_deep": [framed(array(encode("scene:scene_tree"), encode(1), words(28, 6 * 40) + NODES))],
    "message_invalid": [SOUND, framed(array(encode("a")))],
    "count_invalid": [SOUND, message_3("debug_exit", -1)],
}
# What the same message says besides.
BESIDE = {"value_invalid": {"fewer_values"}, "count_invalid": {"value_alone"}}


@pytest.mark.parametrize("name", DEBUGGER_MESSAGES)
def test_each_message_of_the_debugger_raises_its_expert_info(name, tmp_path):
    capture = tshark.write_tcp(tmp_path / "debugger.pcap", DEBUGGER_MESSAGES[name])
    found = raised(capture, "godot.debugger", *DEBUGGER, *ALONE)
    assert found[-1] == {name} | BESIDE.get(name, set())
    assert not any(found[:-1])


def test_what_is_wrong_says_where_and_what_the_receiver_does(tmp_path):
    capture = tshark.write_tcp(tmp_path / "debugger.pcap", [SOUND + DEBUGGER_MESSAGES["message_invalid"][-1]])
    [packet] = tshark.fields(capture, ["_ws.expert.message"], *DEBUGGER)
    assert packet["_ws.expert.message"] == [
        f"No message of the debugger begins here at offset {len(SOUND)}; the engine reports an error and ignores it"]


def test_a_message_in_the_next_segment_is_not_in_an_ip_fragment(tmp_path):
    capture = tshark.write_tcp(tmp_path / "debugger.pcap", [SOUND[:20]])
    [packet] = tshark.fields(capture, ["_ws.expert.message"], *DEBUGGER, *ALONE)
    assert packet["_ws.expert.message"] == ["The rest, from offset 0, is in another segment"]


RESOURCE = message_3("message:video_mem", 4, "res://a.png", "Texture", "RGBA8", 4096)


def test_resources_are_listed_with_what_they_take(tmp_path):
    capture = tshark.write_tcp(tmp_path / "debugger.pcap", [RESOURCE])
    names = [f"godot.debugger.{name}" for name in ("resource", "path", "class", "format", "bytes")]
    [packet] = tshark.fields(capture, names, *DEBUGGER)
    assert [packet[name] for name in names[1:]] == [["res://a.png"], ["Texture"], ["RGBA8"], ["4096"]]
    assert len(packet["godot.debugger.resource"]) == 1


# ---- streams ---------------------------------------------------------------------------------------------

DOCUMENT = encode({"cmd": "join", "name": "Ann", "id": 7})
STREAMS = {
    "value_odd": framed(DOCUMENT) + framed(words(1, 7)),
    "trailing_bytes": framed(DOCUMENT) + framed(DOCUMENT + b"more"),
    "other_data": framed(DOCUMENT) + b"no length" + framed(DOCUMENT),
    "cut_short": framed(DOCUMENT) + framed(DOCUMENT)[:20],
}


@pytest.mark.parametrize("name", STREAMS)
def test_each_message_of_a_stream_raises_its_expert_info(name, tmp_path):
    capture = tshark.write_tcp(tmp_path / "stream.pcap", [STREAMS[name]])
    assert raised(capture, "godot.stream", *STREAM, *ALONE) == [{name}]


# ---- where nothing can follow ----------------------------------------------------------------------------

# A datagram names a dissector, NUL, and what that is given.
CARRIER = """
local carrier = Proto("carrier", "Carrier")
function carrier.dissector(buffer, pinfo, tree)
    local name = buffer(0):stringz()
    return #name + 1 + Dissector.get(name):call(buffer(#name + 1):tvb(), pinfo, tree)
end
DissectorTable.get("udp.port"):add(41001, carrier)
"""
ENDS = {
    "godot.debugger.message_truncated": SOUND[:20],
    "godot.stream.length_truncated": framed(DOCUMENT) + b"\2\0",
    "godot.stream.value_truncated": framed(DOCUMENT) + framed(DOCUMENT)[:20],
    "godot.stream.message_missing": framed(DOCUMENT) + b"no length at all",
}


def named(name):
    """The datagram for CARRIER."""
    return tshark.request(name.rpartition(".")[0].encode() + b"\0" + ENDS[name])


@pytest.mark.parametrize("name", ENDS)
def test_a_stream_that_ends_has_an_expert_info(name, udp_capture, tmp_path):
    script = tmp_path / "carrier.lua"
    script.write_text(CARRIER, encoding="utf-8")
    capture = udp_capture(named(name))
    assert raised(capture, name.rpartition(".")[0], "-X", f"lua_script:{tshark.readable(script)}") == [
        {name.rpartition(".")[2]}]


# ---- multiplayer: peers and methods ----------------------------------------------------------------------

MULTIPLAYER = ("-d", f"udp.port=={PORT},enet", "-d", f"enet.port=={PORT},godot.multiplayer")
CLIENT = 0x4000  # the peer id that it gives ENet as it connects
# Of the names "join" and "leave", sorted and joined.
CHECKSUM = "5cab278e30636de9405ba7b7634d3ff2"
SCRIPT = ("-o", f'uat:godot_rpc_names:"main.gd","join,leave","{CHECKSUM}"')


def connected(*messages):
    """A client's CONNECT, the server's answer, and messages: (whether from the server, bytes)."""
    packets = [tshark.request(connect()[:-4] + struct.pack(">I", CLIENT)), tshark.reply(verify())]
    for number, (from_server, message) in enumerate(messages, 2):
        side, header = (tshark.reply, 0x8000) if from_server else (tshark.request, 0x8001)
        packets.append(side(datagram(reliable(number, message), header)))
    return packets


PATH = b"\1" + CHECKSUM.encode() + b"\0" + words(6) + b"Main\0"
SPAWN = b"\4\0" + words(6, 3, 0, 2) + b"a\0"
PEERS = {
    "godot.rpc.method_unknown": [(True, PATH), (True, b"\0\6\x63\0")],
    "godot.spawn.by_client": [(False, PATH), (False, SPAWN)],
}


@pytest.mark.parametrize("name", PEERS)
def test_what_known_peers_and_methods_raise(name, udp_capture):
    found = tshark.fields(udp_capture(*connected(*PEERS[name])), [name], *MULTIPLAYER, *SCRIPT)
    assert [bool(packet[name]) for packet in found] == [False] * (len(found) - 1) + [True]

