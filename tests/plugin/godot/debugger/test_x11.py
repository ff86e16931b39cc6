# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The ports of Godot's editor are X servers' too: what X clients and servers send is shown as without the plugin, byte
for byte. The capture was made by tests/captures/x11.sh: xterm, xclock and Xvfb."""

import gzip
from pathlib import Path

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.variants import encode, words
from plugin.godot.debugger.samples import SOUND
from plugin.godot.stream.samples import framed

COMPRESSED = Path(__file__).with_name("x11-port-6007.pcap.gz")

LINES = ["-T", "fields", "-e", "frame.number", "-e", "frame.protocols", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info"]
OUTPUTS = {"trees and the hierarchy": ["-V", "-z", "io,phs"], "lines": LINES, "without a tree": ["-q", "-z", "io,stat,0,x11"]}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    path = tmp_path_factory.mktemp("x11") / "x11.pcap"
    path.write_bytes(gzip.decompress(COMPRESSED.read_bytes()))
    return path


@pytest.fixture(scope="module")
def no_plugin(tmp_path_factory):
    folder = tmp_path_factory.mktemp("none")
    assert tshark.plugin_is_loaded() and not tshark.plugin_is_loaded(folder)
    return folder


def assert_same(capture, no_plugin, args):
    assert tshark.run(args, capture).stdout == tshark.run(args, capture, plugins=no_plugin).stdout


def cut(session, tmp_path, first):
    """From a packet on, in the middle of the sessions."""
    return session if first == 1 else tshark.cut_beginning(session, tmp_path / "late.pcap", first)


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("first", [1, 60, 301])
@pytest.mark.parametrize("output", OUTPUTS)
def test_x_sessions_are_shown_as_without_the_plugin(session, no_plugin, output, first, passes, tmp_path):
    assert_same(cut(session, tmp_path, first), no_plugin, [*OUTPUTS[output], *passes])


@pytest.mark.parametrize("port", [6008, 6011])
def test_on_each_port_of_the_editor(session, no_plugin, port, tmp_path):
    moved = tshark.move_tcp_port(session, tmp_path / "moved.pcap", 6007, port)
    for args in (LINES, ["-V", "-2"]):
        assert_same(moved, no_plugin, args)


@pytest.mark.parametrize("side", ["client", "server"])
def test_one_direction_alone(session, no_plugin, side, tmp_path):
    """As where a switch mirrors one direction."""
    rows = tshark.fields(session, ["tcp.dstport"])
    wanted = [(row["tcp.dstport"] == ["6007"]) == (side == "client") for row in rows]
    data, one = session.read_bytes(), tmp_path / "one.pcap"
    parts, at = [data[:24]], 24
    for is_wanted in wanted:
        end = at + 16 + int.from_bytes(data[at + 8 : at + 12], "little")
        parts += [data[at:end]] * is_wanted
        at = end
    one.write_bytes(b"".join(parts))
    assert at == len(data) and 0 < sum(wanted) < len(wanted)
    for args in (LINES, ["-V"]):
        assert_same(one, no_plugin, args)


def test_x_answers_that_span_segments_are_reassembled(session):
    """What one level more would cost: a dissector that is called by another one may not request segments."""
    assert tshark.fields(session, ["frame.number"], "-Y", "_ws.malformed") == []
    assert len(tshark.fields(session, ["frame.number"], "-Y", "tcp.reassembled_in || tcp.segments")) > 10


# What other programs send on these ports, as Variants: Source RCON, whose record is a Vector3; nil; an int.
FOREIGN = {
    "Source RCON": bytes.fromhex("10000000" "07000000" "02000000" "7374617475730000"),
    "nil": bytes.fromhex("04000000" "00000000"),
    "an int": framed(words(2, 7)),
    "a text": framed(encode("hello there")),
    "an Array": framed(encode(["hello there", 1, [7]])),
}


@pytest.mark.parametrize("opened", [True, False], ids=["from the beginning", "later"])
def test_variants_alone_are_not_the_debugger_on_these_ports(no_plugin, opened, tmp_path):
    connections = [[(False, data), (True, data), (False, data)] for data in FOREIGN.values()]
    capture = tshark.write_tcp_connections(tmp_path / "foreign.pcap", connections, port=6007, opened=opened)
    for passes in ((), ("-2",)):
        assert_same(capture, no_plugin, [*LINES, *passes])


@pytest.mark.parametrize("opened", [True, False], ids=["from the beginning", "later"])
def test_a_message_with_a_known_name_is_the_debugger_s(opened, tmp_path):
    capture = tshark.write_tcp_connections(
        tmp_path / "known.pcap", [[(False, SOUND), (True, framed(encode(["game:state", 1, [7]])))]], port=6008, opened=opened)
    found = tshark.fields(capture, ["godot_debugger.message", "godot_debugger.from"], "-Y", "tcp.len > 0")
    assert [row["godot_debugger.message"] for row in found] == [["set_pid"], ["game:state"]]
    assert [row["godot_debugger.from"] for row in found] == [["1"], ["2"]]


# A message of Godot 3, each of whose values has its own segment. Its name is too short to be enough on other ports.
OUTPUT_OF_3 = [(False, framed(encode("output"))), (False, framed(encode(1))), (False, framed(encode(["hello", 0], 3)))]


@pytest.mark.parametrize("opened", [True, False], ids=["from the beginning", "later"])
def test_a_message_of_godot_3_in_segments_is_the_debugger_s_on_these_ports(opened, tmp_path):
    for port, expected in ((6007, [["output: hello"]]), (41001, [])):
        capture = tshark.write_tcp_connections(tmp_path / "name.pcap", [OUTPUT_OF_3], port=port, opened=opened)
        for passes in ((), ("-2",)):
            found = tshark.fields(capture, ["godot_debugger.log"], *passes, "-Y", "godot_debugger.log")
            assert [row["godot_debugger.log"] for row in found] == expected
            assert tshark.fields(capture, ["frame.number"], *passes, "-Y", "x11") == []


def test_the_web_socket_debugger_is_http_s_first(tmp_path):
    """As over other ports: the request, the answer, and each message in WebSocket's."""
    source = tshark.PCAPS / "godot/debugger" / "godot-4.6.3-debugger-websocket.pcap"
    names = ["frame.number", "frame.protocols", "godot_debugger.log"]
    expected = tshark.fields(source, names, "-Y", "http || websocket")
    assert any(row["godot_debugger.log"] for row in expected) and "http" in expected[0]["frame.protocols"][0]
    for port in (6007, 6010):
        moved = tshark.move_tcp_port(source, tmp_path / "moved.pcap", 40700, port)
        assert tshark.fields(moved, names, "-Y", "http || websocket") == expected
        assert tshark.fields(moved, ["frame.number"], "-Y", "x11") == []


def test_decode_as_has_precedence(session):
    assert tshark.fields(session, ["frame.number"], "-c", "50", "-Y", "x11") != []
    assert tshark.fields(session, ["frame.number"], "-c", "50", "-d", "tcp.port==6007,godot_debugger", "-Y", "x11") == []


@pytest.mark.parametrize("option", [("--disable-protocol", "godot_debugger"), ("--disable-heuristic", "godot_debugger_tcp")])
def test_without_the_debugger_the_ports_are_x11_s(option, no_plugin, tmp_path):
    capture = tshark.write_tcp(tmp_path / "sound.pcap", [SOUND], port=6007)
    assert tshark.run([*LINES, *option], capture).stdout == tshark.run(LINES, capture, plugins=no_plugin).stdout
