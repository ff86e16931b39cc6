# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z flow,godot,network and those of Leviathan and Squirrel: each message is an arrow from its sender to its
receiver."""

from collections import Counter

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.leviathan import decoding as leviathan

# tshark's drawing: the first columns are times, followed by a column for each node.
FIRST_NODE = 10
NODE_WIDTH = 20

MULTIPLAYER = tshark.PCAPS / "godot/multiplayer"


def node_names(above, below):
    """The two header lines contain the nodes alternately."""
    names = {}
    for shift, line in enumerate((above, below)):
        for column in range(FIRST_NODE + shift * NODE_WIDTH, len(line), 2 * NODE_WIDTH):
            name = line[column : column + 2 * NODE_WIDTH].strip("| ").split("|")[0].strip()
            if name:
                names[(column - FIRST_NODE) // NODE_WIDTH] = name
    return names


def flow(path, name, prefs=None):
    """Each arrow: source, destination, comment."""
    result = tshark.run(["-q", "-z", f"flow,{name},network"], path, prefs=prefs)
    assert "CRITICAL" not in result.stderr
    lines = result.stdout.splitlines()
    names = node_names(lines[0], lines[1])
    end = FIRST_NODE + NODE_WIDTH * len(names)
    arrows = []
    for text, arrow in zip(lines[2::2], lines[3::2]):
        ends = [(position - FIRST_NODE) // NODE_WIDTH for position in range(len(arrow)) if arrow[position] == "("]
        left, right = names[ends[0]], names[ends[-1]]
        assert ("<" in arrow) != (">" in arrow), arrow
        comment = text[end:].split("|", 1)[-1]
        arrows.append((left, right, comment) if ">" in arrow else (right, left, comment))
    return arrows


def peer(number):
    """The name of a peer, as in the column "From peer"."""
    return "server" if number == 1 else f"client {number}"


@pytest.mark.parametrize("capture", ["godot-4.6.3-calls", "godot-3.6-calls", "godot-4.6.3-calls-websocket"])
def test_godot_calls_go_from_the_peer_that_called_to_the_one_that_it_called(capture):
    arrows = [(source.split(" at ")[0], target.split(" at ")[0], comment)
              for source, target, comment in flow(MULTIPLAYER / f"{capture}.pcap", "godot")]
    log = gamewire_records.read("godot/multiplayer", f"{capture}.calls")
    made = [line for line in log if line["event"] == "call" and line["target"] != line["peer"]]
    pairs = {(peer(line["peer"]), peer(line["target"])) for line in made if line["target"] > 0}
    assert {("server", target) for _, target in pairs if target != "server"} & pairs
    # Between clients too: their calls are relayed.
    assert any("server" not in pair for pair in pairs)
    called = Counter((source, target) for source, target, comment in arrows if "RPC " in comment)
    assert all(called[pair] for pair in pairs)
    assert {name for pair in called for name in pair} == {peer(line["peer"]) for line in log if line["peer"]}


def test_the_server_is_a_separate_node_in_each_game():
    names = {name for arrow in flow(MULTIPLAYER / "godot-4.6.3-calls.pcap", "godot") for name in arrow[:2]}
    assert len([name for name in names if name.startswith("server at 127.0.0.1:")]) == 1


def test_leviathan_messages_are_arrows_between_the_two_ends():
    arrows = flow(leviathan.capture("session"), "leviathan", leviathan.PORTS)
    records = leviathan.records("session")
    expected = []
    for record in records:
        if not record.get("messages"):
            expected.append("Ack only")
        expected += [f"{message['type']} {message['kind']} #{message['number']}" for message in record.get("messages", [])]
    assert [comment.split(",")[0] for _, _, comment in arrows] == expected
    assert len({arrow[:2] for arrow in arrows}) == 2
    again = [comment for _, _, comment in arrows if "sent again" in comment]
    assert len(again) == sum(len(record["messages"]) for record in records if "resend_of" in record)


def test_squirrel_frames_are_arrows_with_the_function_called():
    path = tshark.PCAPS / "squirrel" / "session.pcap"
    arrows = flow(path, "squirrel")
    records = gamewire_records.read("squirrel", "session")
    expected = [(record["from"], record["to"], record["frame"]) for record in records]
    assert [(source, target, comment.split(":")[0].split(",")[0]) for source, target, comment in arrows] == expected
    for (_, _, comment), record in zip(arrows, records):
        if (record.get("expression") or "").startswith("CallRemoteFunc(GetRemoteValue("):
            assert f"CallRemoteFunc {record['expression'].split(chr(34))[1]}" in comment
