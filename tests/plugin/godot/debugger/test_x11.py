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

two_passes = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    path = tmp_path_factory.mktemp("x11") / "x11.pcap"
    path.write_bytes(gzip.decompress(COMPRESSED.read_bytes()))
    return path


def one_direction(session, path, side):
    """As where a switch mirrors one direction."""
    rows = tshark.fields(session, ["tcp.dstport"])
    wanted = [(row["tcp.dstport"] == ["6007"]) == (side == "client") for row in rows]
    data = session.read_bytes()
    parts, at = [data[:24]], 24
    for is_wanted in wanted:
        end = at + 16 + int.from_bytes(data[at + 8 : at + 12], "little")
        parts += [data[at:end]] * is_wanted
        at = end
    path.write_bytes(b"".join(parts))
    assert at == len(data) and 0 < sum(wanted) < len(wanted)
    return path


@pytest.fixture(scope="module")
def sessions(session, tmp_path_factory):
    """{name: capture}: the whole session, from a packet in the middle on, on each port of the editor, and one direction."""
    folder = tmp_path_factory.mktemp("sessions")
    late = {f"from packet {first}": tshark.cut_beginning(session, folder / f"{first}.pcap", first) for first in (60, 301)}
    moved = {f"port {port}": tshark.move_tcp_port(session, folder / f"{port}.pcap", 6007, port) for port in (6008, 6011)}
    alone = {f"{side} alone": one_direction(session, folder / f"{side}.pcap", side) for side in ("client", "server")}
    return {"whole": session, **late, **moved, **alone}


@pytest.fixture(scope="module")
def no_plugin(tmp_path_factory):
    folder = tmp_path_factory.mktemp("none")
    assert tshark.plugin_is_loaded() and not tshark.plugin_is_loaded(folder)
    return folder


def both(capture, no_plugin, args):
    """The output with the plugin, and without it."""
    return tshark.run(args, capture).stdout, tshark.run(args, capture, plugins=no_plugin).stdout


def of_each(text, begins):
    """The lines or trees of each of some merged captures; statistics follow those of the last."""
    frame = "\nFrame {}: " if text.startswith("Frame 1: ") else "\n{}\t"
    starts = [0, *(text.index(frame.format(begin + 1)) for begin in begins[1:-1])]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], None])]


def differing(sessions, no_plugin, args):
    """The names of the sessions that are not shown as without the plugin."""
    capture, begins = tshark.together(tuple(sessions.values()))
    ours, expected = (of_each(text, begins) for text in both(capture, no_plugin, args))
    return [name for name, one, other in zip(sessions, ours, expected, strict=True) if one != other]


@two_passes
def test_the_lines_of_x_sessions_are_those_without_the_plugin(sessions, no_plugin, passes):
    assert differing(sessions, no_plugin, [*LINES, *passes]) == []


# A tree of each session is much text: the sessions that were moved are read with two passes, one direction alone with one.
@pytest.mark.parametrize("passes, left_out", [((), "port"), (("-2",), "alone")], ids=["one pass", "two passes"])
def test_the_trees_of_x_sessions_and_the_hierarchy_are_those_without_the_plugin(sessions, no_plugin, passes, left_out):
    chosen = {name: capture for name, capture in sessions.items() if left_out not in name}
    assert differing(chosen, no_plugin, ["-V", "-z", "io,phs", *passes]) == []


@two_passes
def test_without_a_tree_x_sessions_are_counted_as_without_the_plugin(sessions, no_plugin, passes):
    capture, begins = tshark.together(tuple(sessions.values()))
    filters = [f"x11 && frame.number > {begin} && frame.number <= {end}" for begin, end in zip(begins, begins[1:])]
    ours, expected = both(capture, no_plugin, ["-q", "-z", f"io,stat,0,{','.join(filters)}", *passes])
    assert ours == expected


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


def opened_and_later(path, connections, port):
    """Captures of connections from their beginning, and from later on."""
    return [tshark.write_tcp_connections(path / f"{opened}-{port}.pcap", connections, port=port, opened=opened)
            for opened in (True, False)]


@two_passes
def test_variants_alone_are_not_the_debugger_on_these_ports(no_plugin, passes, tmp_path):
    connections = [[(False, data), (True, data), (False, data)] for data in FOREIGN.values()]
    capture, _ = tshark.together(tuple(opened_and_later(tmp_path, connections, 6007)))
    ours, expected = both(capture, no_plugin, [*LINES, *passes])
    assert ours == expected


def test_a_message_with_a_known_name_is_the_debugger_s(tmp_path):
    connections = [[(False, SOUND), (True, framed(encode(["game:state", 1, [7]])))]]
    names = ["godot_debugger.message", "godot_debugger.from"]
    found = tshark.fields_of_each(opened_and_later(tmp_path, connections, 6008), names, "-Y", "tcp.len > 0")
    for rows in found.values():
        assert [row["godot_debugger.message"] for row in rows] == [["set_pid"], ["game:state"]]
        assert [row["godot_debugger.from"] for row in rows] == [["1"], ["2"]]


# A message of Godot 3, each of whose values has its own segment. Its name is too short to be enough on other ports.
OUTPUT_OF_3 = [(False, framed(encode("output"))), (False, framed(encode(1))), (False, framed(encode(["hello", 0], 3)))]


@two_passes
def test_a_message_of_godot_3_in_segments_is_the_debugger_s_on_these_ports(passes, tmp_path):
    captures = {port: opened_and_later(tmp_path, [OUTPUT_OF_3], port) for port in (6007, 41001)}
    paths = [*captures[6007], *captures[41001]]
    found = tshark.fields_of_each(paths, ["godot_debugger.log"], *passes, "-Y", "godot_debugger.log")
    assert [[row["godot_debugger.log"] for row in found[path]] for path in captures[6007]] == [[["output: hello"]]] * 2
    assert [found[path] for path in captures[41001]] == [[], []]
    assert not any(tshark.fields_of_each(paths, ["frame.number"], *passes, "-Y", "x11").values())


def test_the_web_socket_debugger_is_http_s_first(tmp_path):
    """As over other ports: the request, the answer, and each message in WebSocket's."""
    source = tshark.PCAPS / "godot/debugger" / "godot-4.6.3-debugger-websocket.pcap"
    moved = [tshark.move_tcp_port(source, tmp_path / f"{port}.pcap", 40700, port) for port in (6007, 6010)]
    names = ["frame.number", "frame.protocols", "godot_debugger.log"]
    found = tshark.fields_of_each([source, *moved], names, "-Y", "http || websocket")
    expected = found[source]
    assert any(row["godot_debugger.log"] for row in expected) and "http" in expected[0]["frame.protocols"][0]
    assert [found[path] == expected for path in moved] == [True, True]
    assert not any(tshark.fields_of_each([source, *moved], ["frame.number"], "-Y", "x11").values())


def test_decode_as_has_precedence(session):
    assert tshark.fields(session, ["frame.number"], "-c", "50", "-Y", "x11") != []
    assert tshark.fields(session, ["frame.number"], "-c", "50", "-d", "tcp.port==6007,godot_debugger", "-Y", "x11") == []


def test_without_the_debugger_the_ports_are_x11_s(no_plugin, tmp_path):
    capture = tshark.write_tcp(tmp_path / "sound.pcap", [SOUND], port=6007)
    expected = tshark.run(LINES, capture, plugins=no_plugin).stdout
    for option in (("--disable-protocol", "godot_debugger"), ("--disable-heuristic", "godot_debugger_tcp")):
        assert tshark.run([*LINES, *option], capture).stdout == expected, option
