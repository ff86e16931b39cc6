# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pack netfox, on captures of netfox's example multiplayer-netfox, run with Godot 4.6.3 over a proxy that loses packets
(tests/captures/godot/netfox.sh). The records have each command that the game received, as netfox's own code read it."""

import math
import re
import struct
from collections import Counter

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.multiplayer.samples import DECODE_AS
from plugin.packs.packs import HERE, capture, check_failing, damaged, layers, needs_lua, pack, record

pytestmark = needs_lua

METHODS = ("_submit_reliable", "_submit_unreliable", "_submit_unreliable_ordered")
NAMES = ("-o", f'uat:godot_rpc_names:"netfox","{",".join(METHODS)}","9cb578c905f52b3bc82346e899477cb8"')
CAPTURES = pytest.mark.parametrize("name", ["netfox-1.48-variants", "netfox-1.48-schemas"])
SNAPSHOTS = {"full state", "diff state", "input", "full sync", "diff sync"}


def properties(name):
    return ("-o", f"netfox.properties:{tshark.readable(HERE / f'{name}.properties')}")


def options(name):
    return (*NAMES, *pack("netfox"), *properties(name))


def shown(element, field):
    return [one.get("show") for one in element.iter("field") if one.get("name") == field]


def numbers(text):
    return [float(part) for part in re.findall(r"-?[\d.]+(?:e-?\d+)?", re.sub(r"^\w+\(", "(", text))]


def value_of(item):
    text, = shown(item, "netfox.value")
    return text[1:-1] if text.startswith('"') else numbers(text)


def content(layer):
    """A command as the record has it: {tick: {node: {property: value}}}."""
    found = {}
    for snapshot in layer.findall("field[@name='netfox.tick']"):
        nodes = found.setdefault(int(snapshot.get("show")), {})
        for node in snapshot.findall("field[@name='netfox.node']"):
            nodes[node.get("show")] = {item.get("show"): value_of(item) for item in node.findall("field[@name='netfox.property']")}
    return found


def is_same(recorded, value):
    if isinstance(recorded, str):
        return recorded == value
    expected = recorded if isinstance(recorded, list) else [recorded]
    return len(expected) == len(value) and all(
        math.isclose(one, other, rel_tol=2e-5, abs_tol=1e-6) for one, other in zip(expected, value))


def is_same_command(line, found):
    # netfox does not list a node of which no property follows.
    found = {tick: {node: values for node, values in nodes.items() if values} for tick, nodes in found.items()}
    expected = {snapshot["tick"]: snapshot["nodes"] for snapshot in line["snapshots"]}
    return expected.keys() == found.keys() and all(
        nodes.keys() == found[tick].keys() and all(
            nodes[node].keys() == found[tick][node].keys()
            and all(is_same(value, found[tick][node][name]) for name, value in nodes[node].items())
            for node in nodes)
        for tick, nodes in expected.items())


@CAPTURES
def test_each_command_has_the_values_that_the_receiver_read(name):
    wire = {}
    for _, layer in layers(capture(name), "netfox", *options(name), "-2"):
        kind, = shown(layer, "netfox.kind")
        if kind in SNAPSHOTS:
            found = content(layer)
            wire.setdefault((kind, min(found)), []).append(found)
    lines = [line for line in record(name) if any(snapshot["nodes"] for snapshot in line["snapshots"])]
    # What the server received was captured, what the client received passed the proxy before: all of it is in the capture.
    for line in lines:
        ticks = [snapshot["tick"] for snapshot in line["snapshots"]]
        assert any(is_same_command(line, found) for found in wire.get((line["kind"], min(ticks)), [])), line
    assert len(lines) > 500
    assert Counter(line["kind"] for line in lines).keys() == SNAPSHOTS


def statistics(name, *more):
    """{row: bytes} of the statistics; `all` and rows of properties."""
    text = tshark.run(["-q", *NAMES, *pack("netfox"), "-o", "netfox.statistics:TRUE", *more], capture(name)).stdout
    rows = re.findall(r"^(  )?(\S.*?) +(\d+) +[\d.]+%", text, re.MULTILINE)
    return [(bool(indent), row, int(size)) for indent, row, size in rows]


@pytest.mark.parametrize("name, with_file, named", [
    ("netfox-1.48-variants", False, 100), ("netfox-1.48-variants", True, 100),
    ("netfox-1.48-schemas", False, 52), ("netfox-1.48-schemas", True, 100)])
def test_share_of_bytes_with_a_name(name, with_file, named):
    rows = statistics(name, *(properties(name) if with_file else ()))
    total, = (size for is_property, row, size in rows if row == "all" and not is_property)
    assert sum(size for is_property, _, size in rows if is_property) == total
    unknown = sum(size for is_property, row, size in rows if is_property and row == "(unknown)")
    assert int(100 * (total - unknown) / total) == named


def test_statistics_name_node_and_property():
    rows = [row for _, row, _ in statistics("netfox-1.48-schemas", *properties("netfox-1.48-schemas"))]
    assert rows[rows.index("/root/Platform"):][:4] == ["/root/Platform", "position", "(reference, size, bits)", "speed"]


NOTES = ["netfox.command.unknown", "netfox.form.unknown", "netfox.properties.unknown", "netfox.node.id.unseen",
         "_ws.lua.error", "_ws.malformed"]


def notes(path, *more):
    packets = tshark.fields(path, NOTES, *more)
    return Counter(name for packet in packets for name in NOTES for _ in packet[name])


@CAPTURES
def test_without_the_file_only_values_of_serializers_are_unknown(name):
    with_file = notes(capture(name), *options(name))
    without = notes(capture(name), *NAMES, *pack("netfox"))
    assert not with_file
    assert set(without) <= {"netfox.properties.unknown"}
    assert bool(without) == (name == "netfox-1.48-schemas")


def test_commands_of_another_version_are_bytes_with_a_note():
    name = "netfox-1.48-variants"
    few = notes(capture(name), *options(name), "-o", "netfox.commands:ping,pong")
    assert few["netfox.command.unknown"] > 300 and set(few) == {"netfox.command.unknown"}
    # In another order, a command has the form of another one.
    other = notes(capture(name), *options(name), "-o", "netfox.commands:pong,ping,set time,request time,identities")
    assert other["netfox.form.unknown"] > 60
    text = tshark.run([*options(name), "-o", "netfox.commands:ping,pong", "-Y", "netfox.data"], capture(name)).stdout
    assert re.search(r"_submit_unreliable\(4, command 4, \d+ bytes\)", text)


@CAPTURES
def test_a_pack_that_is_off_changes_nothing(name):
    off = tshark.run(["-V", *NAMES, *pack("netfox"), "--disable-protocol", "netfox"], capture(name)).stdout
    is_same_output = off == tshark.run(["-V", *NAMES], capture(name)).stdout
    assert is_same_output


def test_a_pack_that_fails_says_so_once_and_leaves_the_bytes(tmp_path):
    check_failing(tmp_path, "netfox", capture("netfox-1.48-variants"), *NAMES)


def test_damaged_commands_give_no_error(tmp_path):
    """Raw commands from the captures: each beginning, and mutations."""
    commands = [b"\x04" + bytes.fromhex("38000000022f726f6f7400"), b"\x00" + bytes.fromhex("0200000007000000")]
    for packet in tshark.fields(capture("netfox-1.48-schemas"), ["godot_mp.data"]):
        for data in packet["godot_mp.data"]:
            raw = bytes.fromhex(data.replace(":", ""))
            if raw[:3] == b"\0NF" and raw[3] not in [one[0] for one in commands[2:]]:
                commands.append(raw[3:])
    assert len(commands) > 8
    packets = [b"\x03" + b"\0NF" + bytes(copy) for command in commands for copy in damaged(command, command[0])]
    path = tmp_path / "damaged.pcap"
    tshark.write_pcap(path, [tshark.request(datagram(reliable(number % 65535 + 1, packet))) for number, packet in enumerate(packets)])
    for more in ((), properties("netfox-1.48-schemas")):
        done = tshark.run(["-V", *DECODE_AS, *pack("netfox"), *more], path)
        assert "Lua Error" not in done.stdout and "has an error" not in done.stderr
        assert len(re.findall(r"^ *netfox: ", done.stdout, re.MULTILINE)) > 0.9 * len(packets)


# ---- two clients, of which the capture has only the second one from the beginning ---------------------------------

RELAYED = "netfox-1.48-relayed"
ACTION = ("-o", 'uat:godot_rpc_names:"action","_submit_state","0aedbf981ba47ecfbb6ec7a7ca9caf9a"')
RELAYED_OPTIONS = (*ACTION, *options("netfox-1.48-schemas"), "-2")


def second_client():
    """The record's lines about the client that connects in the capture, and its id."""
    lines = record(RELAYED)
    second, = {line["receiver"] for line in lines if line["kind"] == "input"} - {lines[0]["receiver"], 1}
    return second, [line for line in lines if second in (line["sender"], line["receiver"])]


def test_inputs_that_the_server_relays_have_the_values_that_the_other_client_read():
    second, lines = second_client()
    relayed = [line for line in lines if 1 not in (line["sender"], line["receiver"])]
    assert Counter(line["sender"] == second for line in relayed) == {True: 48, False: 21}
    wire = [content(layer) for _, layer in layers(capture(RELAYED), "netfox", *RELAYED_OPTIONS, "-Y", 'godot_mp.relay_peer && netfox.kind == "input"')]
    for line in relayed:
        assert any(is_same_command(line, found) for found in wire), line


def test_commands_of_a_client_that_connects_in_the_capture_have_their_values():
    _, lines = second_client()
    wire = {}
    for _, layer in layers(capture(RELAYED), "netfox", *RELAYED_OPTIONS, "-Y", "netfox.tick && !netfox.node.id.unseen"):
        for kind in shown(layer, "netfox.kind"):
            wire.setdefault(kind, []).append(content(layer))
    lines = [line for line in lines if line["kind"] in SNAPSHOTS]
    for line in lines:
        assert any(is_same_command(line, found) for found in wire[line["kind"]]), line
    assert len(lines) > 200


def test_ticks_of_an_action_are_those_that_the_receiver_read():
    _, lines = second_client()
    found = {(int(first), int(last), tuple(map(int, active)))
             for packet in tshark.fields(capture(RELAYED), ["netfox.tick", "netfox.tick.last", "netfox.tick.active"], *RELAYED_OPTIONS,
                                         "-Y", "netfox.tick.last")
             for first, last, active in [(packet["netfox.tick"][0], packet["netfox.tick.last"][0], packet["netfox.tick.active"])]}
    recorded = {(line["first"], line["last"], tuple(line["active"])) for line in lines if line["kind"] == "action"}
    assert recorded <= found and len(recorded) == 14


def test_ids_assigned_before_the_capture_have_a_note():
    every = notes(capture(RELAYED), *RELAYED_OPTIONS)
    assert set(every) == {"netfox.node.id.unseen", "netfox.properties.unknown"}, every
    port, = {packet["udp.port"][0] for packet in tshark.fields(
        capture(RELAYED), ["udp.port"], *RELAYED_OPTIONS, "-Y", 'netfox.kind == "request time"')} - {"46100"}
    assert not notes(capture(RELAYED), *RELAYED_OPTIONS, "-Y", f"udp.port == {port}")


def test_a_request_without_bytes_is_named():
    text = tshark.run([*options("netfox-1.48-variants"), "-Y", 'netfox.kind == "request time"'], capture("netfox-1.48-variants")).stdout
    assert "RPC _submit_reliable(2, request time) on NetworkCommandServer/Node" in text


def test_a_method_of_the_same_name_with_other_bytes_is_left_alone(tmp_path):
    """One tick is twice in each list that the second client received."""
    _, lines = second_client()
    raw = capture(RELAYED).read_bytes()
    for line in lines:
        if line["kind"] == "action":
            ticks = [tick - line["first"] for tick in line["active"]]
            head = struct.pack("<IB", line["first"], line["last"] - line["first"])
            raw = raw.replace(head + bytes(ticks), head + bytes([*ticks[:-1], ticks[-2]]))
    path = tmp_path / "other.pcap"
    path.write_bytes(raw)
    known = tshark.fields(capture(RELAYED), ["netfox.tick.last"], *RELAYED_OPTIONS, "-Y", "netfox.tick.last")
    other = tshark.fields(path, ["netfox.tick.last"], *RELAYED_OPTIONS, "-Y", "netfox.tick.last")
    assert len(known) - len(other) == 14
    assert "_submit_state(PackedByteArray(" in tshark.run(RELAYED_OPTIONS, path).stdout
