# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Godot 4.6.0, the official build for browsers, with a server of 4.6.3: each message against what the scripts of both ends logged.

4.6.0 leaves bytes of its buffer in the padding of a NodePath's names. The server relays what the clients send to each other."""

import functools
import json

import pytest

import gamewire_tshark as tshark
from plugin.godot.multiplayer.captures import (first, log, logged, messages, number, of_capture, path_of, same_arguments,
                                                 same_value, values_in)
from plugin.godot.multiplayer.test_captures import WARNING, updates_in

CALLS, SPAWN, AUTH = WEB = tuple(f"godot-4.6.0-{part}-websocket" for part in ("calls", "spawn", "auth"))
STALE = "The padding holds stale bytes"
SERVER = 1

every_capture = pytest.mark.parametrize("capture", WEB)
every_pass = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])


def found(capture, passes):
    return [values for _, values in messages(capture, *passes, among=WEB)]


@functools.lru_cache(maxsize=None)
def clients(capture):
    """{name of a client that was connected: its peer id}"""
    return {line["process"]: line["id"] for line in logged(capture, "connected_to_server")}


# ---- calls ----------------------------------------------------------------------------------------------


def copies(line, capture):
    """The receiver of each message that a call becomes: one of a client for another client is on the wire twice."""
    peers = {SERVER, *clients(capture).values()} - {line["peer"], -line["target"]}
    receivers = [line["target"]] if line["target"] > 0 else sorted(peers)
    return [receiver for receiver in receivers for _ in range(1 if SERVER in (line["peer"], receiver) else 2)]


@every_pass
@every_capture
def test_each_call_is_on_the_wire_as_often_as_the_engine_sends_it(capture, passes):
    left = [values for values in found(capture, passes) if "godot_mp.rpc.path" in values]
    missing = []
    for line in logged(capture, "call"):
        for receiver in copies(line, capture):
            match = next((values for values in left if same_call(values, line, receiver)), None)
            if match:
                left.remove(match)
            else:
                missing.append((receiver, line))
    assert (left, missing) == ([], [])


def same_call(values, line, receiver):
    ends = number(values, "godot_mp.rpc.caller"), number(values, "godot_mp.rpc.callee")
    return (ends == (line["peer"], receiver) and first(values, "godot_mp.rpc.path") == line["path"]
            and first(values, "godot_mp.rpc.method") == line["method"]
            and same_arguments(values.get("godot_mp.rpc.argument", []), line["arguments"], 4))


def test_the_calls_contain_what_they_are_recorded_for():
    """Of the web build: NodePaths, calls that are relayed, and padding that is not zero."""
    made = [line for line in logged(CALLS, "call") if line["peer"] != SERVER]
    with_paths = [line for line in made if "NodePath(" in "".join(line["arguments"])]
    assert len(with_paths) > 100 and sum(line["target"] > SERVER for line in with_paths) > 50
    assert len({argument.split("(")[0] for line in made for argument in line["arguments"]}) > 35
    assert sum(STALE in text for values in found(CALLS, ("-2",)) for text in values.get("_ws.expert.message", [])) > 100


# ---- spawns and synchronizers ------------------------------------------------------------------------------


def ways(items):
    """What client1 sent, of items (message's values, item): to the server, to client2 as far as the server, and from there on."""
    ids = clients(SPAWN)
    by_relay = {None: [], ids["client2"]: [], ids["client1"]: []}
    for values, item in items:
        by_relay[number(values, "godot_mp.relay_peer")].append(item)
    return by_relay.values()


@every_pass
def test_spawns_have_the_data_and_the_state_that_the_scripts_logged(passes):
    spawns = [(values, values) for values in found(SPAWN, passes) if values.get("godot_mp.command") == ["SPAWN"]]
    data = [line["data"] for line in logged(SPAWN, "spawn_custom")]
    for way in ways(spawns):
        sent = [first(values, "godot_mp.spawn.custom") for values in way if "godot_mp.spawn.custom" in values]
        assert len(sent) == len(data) and all(same_value(*both, 4) for both in zip(sent, data))
    for process, way in zip(("server", "client2", "client2"), ways(spawns)):
        spawned = [line for line in logged(SPAWN, "spawned") if line["process"] == process]
        assert [first(values, "godot_mp.spawn.name") for values in way] == [line["path"].rsplit("/", 1)[1] for line in spawned]
        for values, line in zip(way, spawned):
            state = list(zip(values.get("godot_mp.sync.property", []), values.get("godot_mp.spawn.state", [])))
            assert len(state) == len(values.get("godot_mp.spawn.state", []))
            assert all(same_value(value, line["values"][name], 4) for name, value in state), line


@every_pass
def test_despawns_are_those_that_the_scripts_logged(passes):
    despawns = [(values, first(values, "godot_mp.spawn.name")) for values in found(SPAWN, passes)
                if values.get("godot_mp.command") == ["DESPAWN"]]
    names = [line["path"].rsplit("/", 1)[1] for line in logged(SPAWN, "despawn")]
    for way in ways(despawns):
        assert sorted(way) == sorted(names)


def updates(passes):
    """(values of the message, (event, node, {property: value})) of each update of a spawned node."""
    for packet in of_capture(SPAWN, *passes, among=WEB).packets:
        for layer in (layer for name, layer in packet if name == "godot_mp"):
            for update in updates_in(layer):
                node = first(update, "godot_mp.sync.path")
                if "/Players/" in node or "/Things/" in node:
                    event = "delta_synchronized" if "godot_mp.sync.indexes" in update else "synchronized"
                    names, values = update["godot_mp.sync.property"], update["godot_mp.sync.value"]
                    yield values_in(layer), (event, node, dict(zip(names, values, strict=True)))


@every_pass
@pytest.mark.parametrize("event, least", [("synchronized", 100), ("delta_synchronized", 15)])
def test_updates_are_those_that_the_receivers_logged(event, least, passes):
    for process, way in zip(("server", "client2", "client2"), ways(updates(passes))):
        received = [line for line in logged(SPAWN, event) if line["process"] == process and "/Door/" not in line["path"]]
        sent = [(node, values) for name, node, values in way if name == event]
        assert len(received) == len(sent) >= least
        for line, (node, values) in zip(received, sent):
            assert line["path"].rsplit("/", 1)[0] == node
            assert all(same_value(value, line["values"][name], 4) for name, value in values.items()), line


def test_each_property_with_a_node_path_is_on_the_wire():
    """On change: each value that client1 set, and first the one that the node began with."""
    made = [line["value"] for line in logged(SPAWN, "set") if line["property"] == "target"]
    for way in ways(updates(("-2",))):
        sent = [values["target"] for _, _, values in way if values.get("target", 'NodePath("")') != 'NodePath("")']
        assert sent == [value for value in made if value != 'NodePath("")'] and len(sent) == 5


# ---- authentication, and all ---------------------------------------------------------------------------------


def test_authentication_equals_the_scripts_records():
    """On the first pass, it comes before the proof. client2 is refused: its connection has nothing else, and cannot be recognized."""
    sent = [line["bytes"] for line in logged(AUTH, "send_auth") if line["process"] == "client1"
            or line["process"] == "server" and line["target"] == clients(AUTH)["client1"]]
    data = [first(values, "godot_mp.data").replace(":", "") for values in found(AUTH, ("-2",)) if "godot_mp.data" in values]
    assert data == sent and len(sent) == 3


@every_pass
@every_capture
def test_nothing_is_a_warning(capture, passes):
    severities = [int(value) for values in found(capture, passes) for value in values.get("_ws.expert.severity", [])]
    assert [value for value in severities if value >= WARNING] == []


@every_capture
def test_the_clients_that_the_scripts_logged_are_those_of_the_connections(capture):
    peers = {line["peer"] for line in log(capture) if line["process"] in clients(capture)} - {0}
    assert peers == set(clients(capture).values())


@every_capture
def test_json_has_reliable_delivery_which_tcp_has(capture):
    lines = [json.loads(line) for packet in tshark.fields(path_of(capture), ["godot_mp.json"], "-2", "-Y", "godot_mp.json")
             for line in packet["godot_mp.json"]]
    assert lines and {line["delivery"] for line in lines} == {"reliable"}


@pytest.mark.parametrize("capture", ["godot-3.2.3-calls-websocket", "godot-3.6-calls-websocket"])
def test_json_has_the_kinds_of_messages_about_peers_of_godot_3(capture):
    """Each message over WebSocket has its kind in its first byte. Both clients learn their ids, that of the server, and that of the other;
    then one leaves."""
    lines = [json.loads(line) for packet in tshark.fields(path_of(capture), ["godot_mp.json"], "-2", "-Y", "godot_mp.json")
             for line in packet["godot_mp.json"]]
    about = [(line["kind"], line["peer"]) for line in lines if "peer" in line]
    first, second = (peer for kind, peer in about if kind == "peer_id")
    assert sorted(about) == sorted([("peer_id", first), ("peer_id", second), ("peer_joined", SERVER), ("peer_joined", SERVER),
                                    ("peer_joined", first), ("peer_joined", second), ("peer_left", second)])
