# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""NodePaths as Godot 4.0 to 4.6.2 sends them: with bytes of the sender's buffer in the padding of their names, which 4.6.3 zeroes.
In every carrier they are the same values, and a chat says what the padding is."""

import functools
import re
import struct

import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.multiplayer import sctp
from plugin.godot.multiplayer.samples import DEFINE, websocket
from plugin.godot.variant.variants import encode, text, words

NAMES = ["_ws.col.Info", "godot.node_path", "godot.node_path.name", "godot.node_path.subname", "godot.generation",
         "godot_mp.rpc.argument", "godot_mp.sync.value", "godot_stream.length", "godot_debugger.property",
         "godot.generation.reason", "frame.protocols", "_ws.malformed"]
EXPERTS = ["godot.padding.stale", "godot.padding.not_zero"]
CHAT = "The padding holds stale bytes of the sender's buffer, as Godot before 4.6.3 leaves them"

# The head of a NodePath: type, number of names and the bit of the format, number of subnames, flags.
HEAD = re.compile(rb"\x16\0\0\0(..)\0\x80(..)\0\0[\0\1]\0\0\0", re.DOTALL)
STALE = b"AU\1"
# Captures of 4.6.3 with NodePaths whose names are padded, one for each carrier, and what is in them.
CAPTURES = [tshark.PCAPS / "godot" / name for name in (
    "variant/godot-4.6.3.pcap", "variant/godot-4.6.3-game.pcap", "multiplayer/godot-4.6.3-calls.pcap",
    "multiplayer/godot-4.6.3-calls-websocket.pcap", "multiplayer/godot-4.6.3-spawn.pcap", "enet/godot-4.6.3-enet-put-var.pcap",
    "enet/godot-4.6.3-enet-send.pcap", "stream/godot-4.6.3-stream.pcap", "stream/godot-4.6.3-packet-stream.pcap",
    "stream/godot-4.6.3-stream-big-endian.pcap", "debugger/godot-4.6.3-debugger.pcap", "debugger/godot-4.6.3-editors.pcap")]


def with_stale_padding(data):
    """The bytes of a capture as an engine before 4.6.3 would have sent them, and the number of texts whose padding it leaves."""
    data, count = bytearray(data), 0
    for head in HEAD.finditer(bytes(data)):
        at = head.end()
        for _ in range(sum(int.from_bytes(number, "little") for number in head.groups())):
            length = int.from_bytes(data[at : at + 4], "little")
            end, padding = at + 4 + length, -length % 4
            assert not any(data[end : end + padding])
            data[end : end + padding] = STALE[:padding]
            at, count = end + padding, count + bool(padding)
    return bytes(data), count


@functools.lru_cache(maxsize=None)
def changed():
    """{capture: (the changed one, number of texts that were changed)}"""
    folder = tshark.scratch() / "stale"
    folder.mkdir(exist_ok=True)
    found = {}
    for number, capture in enumerate(CAPTURES):
        path = folder / f"{number}.pcap"
        data, count = with_stale_padding(capture.read_bytes())
        path.write_bytes(data)
        found[capture] = path, count
    return found


def shown(rows):
    """Without the numbers of frames that 4.4 has in TCP's Info: the captures are read as one."""
    return [[[re.sub(r"reassembled in \d+", "reassembled", value) for value in row[name]] for name in NAMES] for row in rows]


def test_stale_padding_changes_nothing_in_any_carrier():
    paths = [path for path, _ in changed().values()]
    found = tshark.fields_of_each((*CAPTURES, *paths), NAMES + EXPERTS, "-2")
    for capture, (path, count) in changed().items():
        assert count, capture
        assert shown(found[path]) == shown(found[capture])
        assert not any(row[name] for row in found[capture] for name in EXPERTS)
        assert not any(row["godot.padding.not_zero"] for row in found[path])
        stale = sum(bool(row["godot.padding.stale"]) for row in found[path])
        assert 1 <= stale <= count, capture


# ---- made by hand --------------------------------------------------------------------------------------------------

# /root/Hero:pos, as 4.6.0 has it in its buffer after a longer text.
PATH = words(22, 0x80000002, 1, 1) + text("root") + text("Hero") + text("pos", padding=ord("A"))
LINE = 'NodePath("/root/Hero:pos")'
# What proves the connection, and calls with a number and the NodePath.
CALLS = [bytes.fromhex(DEFINE), *(b"\0\6\2\2\2" + bytes([number]) + PATH for number in (1, 2, 3))]
LINES = ["Path #6 = Main", *(f"RPC method 2({number}, {LINE}) on Main" for number in (1, 2, 3))]


def decoded(path, *args):
    found = tshark.fields(path, ["_ws.col.Info", "_ws.expert.message", *EXPERTS], "-2", *args)
    assert not any(row["godot.padding.not_zero"] for row in found)
    return found


def assert_are_calls(found):
    assert [row["_ws.col.Info"][0] for row in found] == LINES
    for row in found[1:]:
        assert row["godot.padding.stale"]
        assert any(message.startswith(CHAT) for message in row["_ws.expert.message"])


def test_calls_over_enet(tmp_path):
    packets = [tshark.request(datagram(reliable(number, message))) for number, message in enumerate(CALLS, 1)]
    assert_are_calls(decoded(tshark.write_pcap(tmp_path / "enet.pcap", packets), "-d", f"udp.port=={tshark.SERVER_PORT},enet"))


def test_calls_over_websocket(tmp_path):
    path = tshark.write_tcp_connections(tmp_path / "ws.pcap", [[(True, websocket(message)) for message in CALLS]])
    found = decoded(path, "-d", f"tcp.port=={tshark.SERVER_PORT},websocket")
    for row in found:
        row["_ws.col.Info"] = [row["_ws.col.Info"][0].split("] ")[-1]]
    assert_are_calls(found)


def test_calls_over_webrtc(tmp_path):
    packets = [tshark.Udp(sctp.TUNNEL, sctp.TUNNEL, sctp.packet((5000, 5000), 7, sctp.data(1, message, number)), number / 50)
               for number, message in enumerate(CALLS)]
    assert_are_calls(decoded(tshark.write_pcap(tmp_path / "webrtc.pcap", packets)))


def test_a_synchronized_property(tmp_path):
    state = struct.pack("<II", 0x80000006, len(PATH)) + PATH
    messages = [bytes.fromhex(DEFINE), b"\6\1\0" + state, b"\6\2\0" + state]
    packets = [tshark.request(datagram(reliable(number, message))) for number, message in enumerate(messages, 1)]
    found = decoded(tshark.write_pcap(tmp_path / "sync.pcap", packets), "-d", f"udp.port=={tshark.SERVER_PORT},enet")
    assert [row["_ws.col.Info"][0] for row in found[1:]] == 2 * [f"Sync Main: {LINE}"]
    assert all(row["godot.padding.stale"] for row in found[1:])


def test_a_datagram_with_a_path_is_recognized(tmp_path):
    """A dictionary that needs no other packet; alone, a path in Godot 3 or 4 has its generation by its type, not by its padding."""
    dictionary = words(27, 2) + encode("target") + PATH + encode("damage") + encode(7)
    found = decoded(tshark.write_pcap(tmp_path / "udp.pcap", [tshark.request(dictionary)]))
    assert found[0]["_ws.col.Info"] == [f'Dictionary {{"target": {LINE}, "damage": 7}}']
    assert found[0]["godot.padding.stale"]
    of_3 = words(15) + PATH[4:]
    packets = [tshark.Udp(20000 + number, tshark.SERVER_PORT, path) for number, path in enumerate((of_3, PATH))]
    found = tshark.fields(tshark.write_pcap(tmp_path / "alone.pcap", packets), ["godot.generation", "godot.generation.ambiguous"],
                          "-d", f"udp.port=={tshark.SERVER_PORT},godot")
    assert [list(row.values()) for row in found] == [[["3"], []], [["4"], []]]
