# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What an engine sends first is a message. A connection whose beginning was captured, and which begins with something
else, is not the debugger's, whatever its later segments look like: on the editor's ports and on others."""

import functools

import pytest

import gamewire_tshark as tshark
from plugin.godot.stream.samples import framed
from plugin.godot.variant.variants import encode, words

FOLDER = tshark.PCAPS / "godot/debugger"
PORTS = [6007, 6009, 6011, 41001]

# Source RCON's request and answers, whose records are framed Variants by chance; X11; text; Variants.
FIRST = {
    "Source RCON": bytes.fromhex("12000000" "07000000" "03000000" "70617373776f72640000"),
    "a Vector3 of Source RCON": bytes.fromhex("10000000" "07000000" "02000000" "7374617475730000"),
    "X11": bytes.fromhex("6c000b00000012001000000000000000"),
    "text": b"USER player HTTP/1.1\r\n",
    "an int": framed(words(2, 7)),
    "an Array that begins with a number": framed(encode([7, 1, ["set_pid"]])),
}


@functools.lru_cache(maxsize=None)
def session(name, count=40):
    """(True if from the editor, payload) of a real session."""
    capture = FOLDER / f"{name}.pcap"
    args = ["-Y", "tcp.stream == 0 && tcp.len > 0", "-T", "fields", "-e", "tcp.srcport", "-e", "tcp.payload"]
    rows = [line.split("\t") for line in tshark.run(args, capture).stdout.splitlines()][:count]
    return [(port == "40700", bytes.fromhex(payload)) for port, payload in rows]


def messages_of_each(captures, *args):
    """{capture: the names of its messages}, with one start of tshark."""
    found = tshark.fields_of_each(captures, ["godot_debugger.message"], *args)
    return {capture: [value for row in rows for value in row["godot_debugger.message"]] for capture, rows in found.items()}


SESSIONS = ["godot-4.6.3-debugger", "godot-3.6-debugger"]


@pytest.fixture(scope="module")
def decoded():
    """{session: its messages with Decode As}"""
    captures = {tshark.write_tcp_connections(tshark.scratch() / f"{name}.pcap", [session(name)], port=40700): name
                for name in SESSIONS}
    found = messages_of_each(list(captures), "-d", "tcp.port==40700,godot_debugger")
    return {captures[path]: messages for path, messages in found.items()}


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_a_connection_that_begins_with_something_else_is_not_the_debugger_s(passes, tmp_path):
    connections = [[(False, first), *session(SESSIONS[0])] for first in FIRST.values()]
    captures = {tshark.write_tcp_connections(tmp_path / f"{port}.pcap", connections, port=port, opened=True): port
                for port in PORTS}
    found = tshark.fields_of_each(list(captures), ["tcp.stream", "godot_debugger.message"], *passes)
    assert [len({row["tcp.stream"][0] for row in rows}) for rows in found.values()] == [len(FIRST)] * len(PORTS)
    assert {(captures[path], row["tcp.stream"][0]) for path, rows in found.items() for row in rows
            if row["godot_debugger.message"]} == set()


def test_of_a_connection_whose_beginning_was_not_captured_messages_are_found(tmp_path):
    segments = [(False, FIRST["an int"]), *session(SESSIONS[0])]
    captures = {tshark.write_tcp_connections(tmp_path / f"{port}.pcap", [segments], port=port): port for port in PORTS}
    found = messages_of_each(list(captures), "-2")
    assert {captures[path] for path, messages in found.items() if "set_pid" in messages} == set(PORTS)


PIECES = [*((port, size) for port in PORTS for size in (0, 50)), (41001, 3), (41001, 7)]


@pytest.fixture(scope="module")
def in_pieces():
    """{(session, port, the size of the first segments or 0): its messages}"""
    captures = {}
    for name in SESSIONS:
        real = session(name)
        first = real[0][1]
        for port, size in PIECES:
            pieces = [(False, first[i : i + size]) for i in range(0, len(first), size)] if size else real[:1]
            path = tshark.scratch() / f"{name}-{port}-{size}.pcap"
            captures[tshark.write_tcp_connections(path, [pieces + real[1:]], port=port, opened=True)] = name, port, size
    return {captures[path]: messages for path, messages in messages_of_each(list(captures), "-2").items()}


@pytest.mark.parametrize("port, size", PIECES)
@pytest.mark.parametrize("name", SESSIONS)
def test_a_real_session_is_found_from_its_first_message_on(decoded, in_pieces, name, port, size):
    """Also if the first segments are shorter than its first Variant."""
    found = in_pieces[name, port, size]
    assert len(found) > 3 and found[-3:] == decoded[name][-3:]
