# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of many fragments or segments: the tree is limited, so that Wireshark does not report a bug.

Wireshark reports one above 1,000,000 items, and 4.6 if 50,000 items begin no later than an earlier one, as all
values after the list of a message's fragments do. In this case tshark fails.
"""

import re

import pytest

import gamewire_tshark as tshark
from plugin.all.samples import (
    DEBUGGER, DEBUGGER_MESSAGES, MESSAGES, NIL, OVER_ENET, PIECE, RAW, array, over_enet, over_tcp,
)
from plugin.enet.datagrams import datagram, fragment
from plugin.godot.variant.variants import text, words
from plugin.squirrel import samples as squirrel


def items(capture, *args):
    return len(re.findall(r"^ ", tshark.verbose(capture, *args), re.MULTILINE))


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_in_fragments_is_shown_up_to_the_limit(name, tmp_path):
    capture = tshark.write_pcap(tmp_path / "large.pcap", over_enet(MESSAGES[name]))
    last = tshark.fields(capture, ["godot.tree.too_long", "godot_mp.tree.too_long"], *OVER_ENET)[-1]
    assert [len(found) for found in last.values()] == ([0, 1] if name == "synchronizers" else [1, 0])
    assert 40000 < items(capture, *OVER_ENET) < 60000


def test_the_limit_applies_to_all_messages_of_a_datagram(tmp_path):
    """Four messages that end with the same datagram, of 20,000 values each."""
    message = RAW + array(*[NIL] * 20000)
    pieces = [message[i : i + PIECE] for i in range(0, len(message), PIECE)]
    packets = []
    for number, piece in enumerate(pieces):
        commands = [fragment(len(pieces), number, len(message), number * PIECE, piece, 7 + number)
                    for channel in range(4)]
        commands = [command[:1] + bytes([channel]) + command[2:] for channel, command in enumerate(commands)]
        packets += [tshark.request(datagram(command)) for command in commands] if number + 1 < len(pieces) else [
            tshark.request(datagram(b"".join(commands)))]
    capture = tshark.write_pcap(tmp_path / "four.pcap", packets)
    last = tshark.fields(capture, ["godot.nil", "godot.tree.too_long"], *OVER_ENET)[-1]
    assert 24590 < len(last["godot.nil"]) <= 24600
    assert len(last["godot.tree.too_long"]) == 3


def test_the_names_of_node_paths_count_toward_the_limit(tmp_path):
    """They have items only if their field is referenced."""
    path = words(22, 64 | 1 << 31, 0, 1) + 64 * text("a")
    capture = tshark.write_pcap(tmp_path / "paths.pcap", over_enet(RAW + array(*[path] * 800)))
    last = tshark.fields(capture, ["godot.node_path.name", "godot.tree.too_long"], *OVER_ENET)[-1]
    assert 64 * 100 < len(last["godot.node_path.name"]) < 50000
    assert len(last["godot.tree.too_long"]) == 1


@pytest.mark.parametrize("name", DEBUGGER_MESSAGES)
def test_a_debugger_message_is_shown_up_to_the_limit(name, tmp_path):
    message = DEBUGGER_MESSAGES[name]
    capture = over_tcp(tmp_path / "debugger.pcap", words(len(message)) + message)
    last = tshark.fields(capture, ["godot_debugger.not_shown", "godot_debugger.tree.too_long"], *DEBUGGER)[-1]
    assert [len(found) for found in last.values()] == [1, 1]
    assert 10000 < items(capture, *DEBUGGER) < 300000


def test_the_limit_applies_to_the_chunks_of_all_streams_that_end_in_a_packet(tmp_path):
    """Fourteen Squirrel streams of 4096 chunks; a datagram of RakNet has the last chunk of each."""
    def message(stream, index):
        return squirrel.message(squirrel.chunk(stream, index, 4096, squirrel.NULL).payload, 0x3E)

    messages = [message(stream, index) for stream in range(14) for index in range(4095)]
    groups = [messages[i : i + 200] for i in range(0, len(messages), 200)]
    groups.append([message(stream, 4095) for stream in range(14)])
    packets = [tshark.request(squirrel.datagram(200 * number, *group)) for number, group in enumerate(groups)]
    capture = tshark.write_pcap(tmp_path / "streams.pcap", packets)
    names = ["squirrel.fragment", "squirrel.fragment.count", "squirrel.reassembled.length"]
    *_, last = tshark.fields(capture, names, *squirrel.AS_RAKNET, prefs={"squirrel.port": tshark.SERVER_PORT})
    assert [len(found) for found in last.values()] == [12 * 4096, 14, 12]
