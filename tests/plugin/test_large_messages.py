# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of many fragments or segments: so much of them is shown that Wireshark never calls their tree a bug.

Wireshark does so above 1,000,000 items, and 4.6 when 50,000 items begin no later than an earlier one, as all values do
after the list of a message's fragments. The harness stops tshark where that happens.
"""

import re
import struct

import pytest

import gamewire_tshark as tshark
from enet_datagrams import datagram, fragment
from godot_variants import floats, text, words

PIECE = 1300
OVER_ENET = ("-d", f"udp.port=={tshark.SERVER_PORT},enet", "-d", f"enet.port=={tshark.SERVER_PORT},godot.multiplayer")
DEBUGGER = ("-d", f"tcp.port=={tshark.SERVER_PORT},godot.debugger")


def over_enet(message):
    pieces = [message[i : i + PIECE] for i in range(0, len(message), PIECE)]
    return [tshark.request(datagram(fragment(len(pieces), number, len(message), number * PIECE, piece, 7 + number)))
            for number, piece in enumerate(pieces)]


def over_tcp(path, message):
    return tshark.write_tcp(path, [message[i : i + PIECE] for i in range(0, len(message), PIECE)], tshark.SERVER_PORT)


def items(capture, *args):
    return len(re.findall(r"^ ", tshark.verbose(capture, *args), re.MULTILINE))


def array(*values):
    return words(28, len(values)) + b"".join(values)


NIL, VECTOR = bytes(4), words(9) + floats(1, 2, 3)
# RAW, with one Variant; an update of many synchronisers.
RAW, SYNC = b"\3", b"\6\0\0"
MESSAGES = {
    "nils": RAW + array(*[NIL] * 60000),
    "vectors": RAW + array(*[VECTOR] * 30000),
    "synchronisers": SYNC + b"".join(struct.pack("<II", 1 + n, 0) for n in range(60000)),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_in_fragments_is_shown_up_to_the_limit(name, tmp_path):
    capture = tshark.write_pcap(tmp_path / "large.pcap", over_enet(MESSAGES[name]))
    last = tshark.fields(capture, ["godot.tree_limit", "godot.multiplayer.tree_limit"], *OVER_ENET)[-1]
    assert [len(found) for found in last.values()] == ([0, 1] if name == "synchronisers" else [1, 0])
    assert 50000 < items(capture, *OVER_ENET) < 300000


def test_what_messages_of_one_datagram_show_counts_together(tmp_path):
    """Four that end with the same datagram, of 20,000 values each."""
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
    last = tshark.fields(capture, ["godot.nil", "godot.tree_limit"], *OVER_ENET)[-1]
    assert 24990 < len(last["godot.nil"]) <= 25000
    assert len(last["godot.tree_limit"]) == 3


def string(value):
    return words(4) + text(value)


# Of the game's own; and the texts of an output with the type of each.
DEBUGGER_MESSAGES = {
    "values": array(string("game:values"), words(2, 1), array(*[NIL] * 60000)),
    "texts": array(string("output"), words(2, 1),
                   array(words(34, 30000) + text("a") * 30000, words(30, 30000) + words(0) * 30000)),
}


@pytest.mark.parametrize("name", DEBUGGER_MESSAGES)
def test_a_debugger_message_is_shown_up_to_the_limit(name, tmp_path):
    message = DEBUGGER_MESSAGES[name]
    capture = over_tcp(tmp_path / "debugger.pcap", words(len(message)) + message)
    last = tshark.fields(capture, ["godot.debugger.not_shown", "godot.debugger.tree_limit"], *DEBUGGER)[-1]
    assert [len(found) for found in last.values()] == [1, 1]
    assert 10000 < items(capture, *DEBUGGER) < 300000
