# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""How connections end, what is never acknowledged, and blocked programs: in captures of libenet and Godot, whose programs
pcaps/README.md describes. Each finding is in these frames, and in no other one of the captures."""

import functools
import re

import pytest

import gamewire_tshark as tshark
from plugin.all.test_connections import connections

REPEATED, MISSING = "enet.analysis.command_repeated", "enet.analysis.ack.missing"
DROPS, REJECTED = "enet.disconnect.drops", "enet.analysis.rejected"
FULL, REFUSED, CLOSED = "enet.connect.full", "enet.connect.refused", "enet.port.closed"
SILENT, UNHEARD, BLOCKED = "enet.analysis.silent", "enet.analysis.unheard", "enet.analysis.blocked"
FRAGMENTED = "enet.datagram.fragmented"
ENDS = (REPEATED, MISSING, DROPS, REJECTED, FULL, REFUSED, CLOSED, SILENT, UNHEARD, BLOCKED, FRAGMENTED)

FOUND = {
    "enet/disconnect-drops": {MISSING: [5], DROPS: [6]},
    "enet/disconnect-crosses": {MISSING: [5]},
    "enet/closed-port": {CLOSED: [2, 4, 6, *range(14, 31, 2)], MISSING: [13], REPEATED: [3, 5]},
    "enet/forgotten": {REFUSED: [22], MISSING: [9], REPEATED: [22, 23]},
    "enet/one-way": {UNHEARD: [32], MISSING: [5], REPEATED: [19, 24, 29, 32]},
    "enet/blocked": {BLOCKED: [38, 51]},
    "enet/delayed": {},
    "enet/not-read": {REJECTED: [20, 38], MISSING: [5]},
    "enet/ip-fragments": {FRAGMENTED: [8, 11, 15]},
    "enet/refused": {FULL: [5, 10, 19], REPEATED: [10, 19]},
    "enet/timeout": {SILENT: [13], MISSING: [15]},
    "enet/disconnects": {},
    "enet/lossy-client": {},
    "enet/lossy-server": {},
    "enet/lossy-range-coder-client": {},
    "enet/lossy-range-coder-server": {},
    "enet/throttle": {},
    "enet/window": {},
    "enet/every-command": {},
    "enet/many-clients": {},
    "enet/rebinding": {},
    "enet-versions/zpl-more-peers-lossy": {},
    "godot/multiplayer/godot-4.6.3-refused": {REFUSED: [57], MISSING: [24, 25], REPEATED: [40, 57]},
    "godot/multiplayer/godot-4.6.3-late": {BLOCKED: [369]},
}
LOSSY = ("lossy", "rebinding", "late", "throttle")  # in which commands about the connection were lost, too

# Numbers of enet.analysis.end.
BY_CLIENT, BY_SERVER, CLIENT_SILENT, CLIENT_UNHEARD, SERVER_REJECTS = "1", "2", "4", "7", "11"
CLIENT_CLOSED, SERVER_CLOSED, IS_FULL, IS_REFUSED, MOVED = "13", "14", "17", "18", "19"
NAMES = {
    BY_CLIENT: "Disconnected", BY_SERVER: "Disconnected", CLIENT_SILENT: "Client silent", CLIENT_UNHEARD: "Client not heard",
    SERVER_REJECTS: "Server rejects messages", CLIENT_CLOSED: "Client's port closed", SERVER_CLOSED: "Server's port closed",
    IS_FULL: "Server full", IS_REFUSED: "Refused", MOVED: "Address changed",
}
ENDED = {
    "enet/disconnect-drops": {1: BY_CLIENT, 7: BY_CLIENT, 8: BY_CLIENT, 15: BY_CLIENT},
    "enet/disconnect-crosses": {1: BY_SERVER, 7: BY_SERVER, 8: BY_SERVER, 17: BY_SERVER},
    "enet/closed-port": {1: SERVER_CLOSED, 5: SERVER_CLOSED, 7: CLIENT_CLOSED, 29: CLIENT_CLOSED},
    "enet/forgotten": {1: BY_CLIENT, 5: IS_REFUSED, 23: IS_REFUSED, 37: BY_CLIENT},
    "enet/one-way": {1: CLIENT_UNHEARD, 32: CLIENT_UNHEARD},
    "enet/not-read": {1: SERVER_REJECTS, 46: SERVER_REJECTS},
    "enet/refused": {1: BY_SERVER, 5: IS_FULL, 19: IS_FULL, 57: BY_SERVER},
    "enet/timeout": {1: CLIENT_SILENT, 24: CLIENT_SILENT},
    "enet/rebinding": {1: MOVED, 83: MOVED},
    "godot/multiplayer/godot-4.6.3-refused": {22: IS_REFUSED, 57: IS_REFUSED},
}


def path(name):
    return tshark.PCAPS / f"{name}.pcap"


@functools.lru_cache(maxsize=None)
def packets():
    names = [*ENDS, "enet.analysis.end", "enet.analysis.blocked_time", "enet.analysis.unacked", "enet.message.limit",
             "_ws.expert.message"]
    return tshark.fields_of_each([path(name) for name in FOUND], names, "-2")


def frames(name, field):
    return [number for number, packet in enumerate(packets()[path(name)], 1) if packet[field]]


@pytest.mark.parametrize("name", FOUND)
def test_findings_are_in_the_frames_in_which_they_are_true(name):
    found = {finding: frames(name, finding) for finding in ENDS if frames(name, finding)}
    if any(word in name for word in LOSSY):
        found.pop(REPEATED, None)
    assert found == FOUND[name]


@pytest.mark.parametrize("name", ENDED)
def test_ends_are_at_the_connect_and_at_the_last_datagram(name):
    found = {number: packet["enet.analysis.end"][0] for number, packet in enumerate(packets()[path(name)], 1)
             if packet["enet.analysis.end"]}
    assert found == ENDED[name]


@pytest.mark.parametrize("name", ENDED)
def test_the_table_of_connections_has_the_ends(name):
    """The first DISCONNECT of each, with its frame, or the text of enet.analysis.end at the last datagram."""
    ends = {}
    for packet in tshark.fields(path(name), ["enet.connection", "enet.analysis.end"], "-2", "-Y", "enet.connection"):
        ends.setdefault(packet["enet.connection"][0], "")
        if packet["enet.analysis.end"]:
            ends[packet["enet.connection"][0]] = NAMES[packet["enet.analysis.end"][0]]
    rows = [row["end"] for row in connections(path(name), "-2")]
    expected = [ends[number] for number in sorted(ends, key=int)]
    assert [re.sub(r"^Disconnect( from.*)? in frame \d+$", "Disconnected", row) for row in rows] == expected


def test_sentences_name_the_side_and_the_connection():
    texts = {text for name in FOUND for packet in packets()[path(name)] for text in packet["_ws.expert.message"]}
    for pattern in (r"Never acknowledged by the server of connection \d+: the other side disconnected in frame \d+",
                    r"Not acknowledged by the server of connection \d+ before this Disconnect: 6 reliable messages",
                    r"Last datagram of the client of connection \d+: the other side sent for"):
        assert any(re.match(pattern, text) for text in texts), pattern


def test_the_time_for_which_a_side_was_blocked_is_that_of_the_program():
    """The client 0.3 s, the server 0.37 s: see records/blocked.calls.jsonl."""
    found = [float(packet["enet.analysis.blocked_time"][0]) for packet in packets()[path("enet/blocked")]
             if packet["enet.analysis.blocked_time"]]
    assert found == pytest.approx([0.301, 0.370], abs=0.001)


def test_a_blocked_sender_is_the_cause_of_a_spurious_retransmission():
    message, = {text for text in packets()[path("enet/blocked")][37]["_ws.expert.message"] if "Spurious" in text}
    assert message.endswith("This side was blocked: ENet looks for timeouts before it reads its socket")
    others = {text for name in FOUND for packet in packets()[path(name)] for text in packet["_ws.expert.message"]
              if name != "enet/blocked" and "Spurious" in text}
    assert others == {"Spurious retransmission: the command had already been acknowledged"}


def test_the_messages_that_a_disconnect_drops_are_counted():
    assert packets()[path("enet/disconnect-drops")][5]["enet.analysis.unacked"] == ["6"]


def test_the_longest_message_in_one_datagram_follows_from_the_mtu():
    """libenet's hosts have 1,400 bytes here: a message of 1,373 bytes was sent in two fragments, one of 1,372 was not."""
    found = [packet["enet.message.limit"] for packet in packets()[path("enet/ip-fragments")]]
    assert [limit for limit in found if limit] == [["1372"]]


def test_one_pass_knows_what_later_packets_do_not_change():
    """A server that is full, has forgotten a client, or rejects messages; what a DISCONNECT drops; closed ports."""
    early = [FULL, REFUSED, REJECTED, DROPS, CLOSED, FRAGMENTED]
    captures = [name for name in FOUND if set(early) & set(FOUND[name])]
    one_pass = tshark.fields_of_each([path(name) for name in captures], early)
    for name in captures:
        found = {finding: [number for number, packet in enumerate(one_pass[path(name)], 1) if packet[finding]] for finding in early}
        # The first CONNECT was not sent again yet.
        expected = {finding: numbers[1:] if finding == FULL else numbers for finding, numbers in FOUND[name].items()}
        assert {finding: numbers for finding, numbers in found.items() if numbers} == {
            finding: numbers for finding, numbers in expected.items() if finding in early}
