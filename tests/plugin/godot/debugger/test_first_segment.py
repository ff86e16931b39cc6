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


def session(name, count=40):
    """(True if from the editor, payload) of a real session."""
    capture = FOLDER / f"{name}.pcap"
    args = ["-Y", "tcp.stream == 0 && tcp.len > 0", "-T", "fields", "-e", "tcp.srcport", "-e", "tcp.payload"]
    rows = [line.split("\t") for line in tshark.run(args, capture).stdout.splitlines()][:count]
    return [(port == "40700", bytes.fromhex(payload)) for port, payload in rows]


def messages(path, *args):
    return [value for row in tshark.fields(path, ["godot_debugger.message"], *args)
            for value in row["godot_debugger.message"]]


SESSIONS = ["godot-4.6.3-debugger", "godot-3.6-debugger"]


@functools.lru_cache(maxsize=None)
def decoded(name):
    """The messages of a session with Decode As."""
    capture = tshark.write_tcp_connections(tshark.scratch() / f"{name}.pcap", [session(name)], port=40700)
    return messages(capture, "-d", "tcp.port==40700,godot_debugger")


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("port", PORTS)
def test_a_connection_that_begins_with_something_else_is_not_the_debugger_s(port, passes, tmp_path):
    connections = [[(False, first), *session(SESSIONS[0])] for first in FIRST.values()]
    capture = tshark.write_tcp_connections(tmp_path / "others.pcap", connections, port=port, opened=True)
    found = tshark.fields(capture, ["tcp.stream", "godot_debugger.message"], *passes)
    assert len({row["tcp.stream"][0] for row in found}) == len(FIRST)
    assert [row for row in found if row["godot_debugger.message"]] == []


@pytest.mark.parametrize("port", PORTS)
def test_of_a_connection_whose_beginning_was_not_captured_messages_are_found(port, tmp_path):
    segments = [(False, FIRST["an int"]), *session(SESSIONS[0])]
    capture = tshark.write_tcp_connections(tmp_path / "late.pcap", [segments], port=port)
    assert "set_pid" in messages(capture, "-2")


@pytest.mark.parametrize("port, size", [*((port, size) for port in PORTS for size in (0, 50)), (41001, 3), (41001, 7)])
@pytest.mark.parametrize("name", SESSIONS)
def test_a_real_session_is_found_from_its_first_message_on(name, port, size, tmp_path):
    """Also if the first segments are shorter than its first Variant."""
    real, expected = session(name), decoded(name)
    first = real[0][1]
    pieces = [(False, first[i : i + size]) for i in range(0, len(first), size)] if size else real[:1]
    capture = tshark.write_tcp_connections(tmp_path / "opened.pcap", [pieces + real[1:]], port=port, opened=True)
    found = messages(capture, "-2")
    assert len(found) > 3 and found[-3:] == expected[-3:]
