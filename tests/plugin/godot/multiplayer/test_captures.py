# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Godot's multiplayer, against what the scripts of real engines logged that they called and received (captures.py)."""

import functools
import re
import struct
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable, verify
from plugin.godot.variant.variants import encode
from plugin.godot.multiplayer.captures import (CALLS, CAPTURES, decoded, every_call, every_capture, fields_in, first, generation,
                                               logged, messages, number, of_capture, path_of, received, same_arguments,
                                               same_value, values_in)
from plugin.godot.multiplayer.samples import DECODE_AS, property_table, tables

SETS = [name for name in CALLS if "-3." in name]


def calls(of_messages):
    """Each call of messages(): source, target, path, method, arguments."""
    found = []
    for _, values in of_messages:
        if "godot_mp.rpc.path" in values and "godot_mp.rpc.property" not in values:
            found.append((number(values, "godot_mp.rpc.caller"), number(values, "godot_mp.rpc.callee"),
                          first(values, "godot_mp.rpc.path"), first(values, "godot_mp.rpc.method"),
                          values.get("godot_mp.rpc.argument", [])))
    return found


def unmatched(some, others, same):
    return [one for one in some if not any(same(one, other) for other in others)]


# ---- calls ----------------------------------------------------------------------------------------------


@every_call
def test_each_call_is_one_that_a_script_made_and_each_that_was_made_is_there(capture):
    of = generation(capture)
    wire = calls(messages(capture, "-2"))
    made = [line for line in logged(capture, "call") if line["target"] != line["peer"]]
    assert wire and made

    def same(one, line):
        return ((one[0], one[2], one[3]) == (line["peer"], line["path"], line["method"])
                and same_arguments(one[4], line["arguments"], of))

    assert unmatched(wire, made, same) == []
    assert unmatched(made, wire, lambda line, one: same(one, line)) == []


def served_all(capture):
    """Over WebSocket, a server of Godot 3 executes calls that a client sends to all but the server (observed)."""
    return of_websocket(capture) and generation(capture) == 3


def of_websocket(capture):
    return "-websocket" in capture


@every_call
def test_each_call_that_was_received_was_sent_to_its_receiver_by_its_caller(capture):
    of = generation(capture)
    wire = calls(messages(capture, "-2"))
    # Values after a typed null are received as other values.
    received = [line for line in logged(capture, "received")
                if line["source"] != line["peer"] and line["arguments"] != ["null", "null"]]
    assert received

    def same(line, one):
        receiver = line["peer"]
        return ((one[0], one[2], one[3]) == (line["source"], line["path"], line["method"])
                and (one[1] in (receiver, 0) or (one[1] < 0 and (one[1] != -receiver or served_all(capture))))
                and same_arguments(one[4], line["arguments"], of))

    assert unmatched(received, wire, same) == []


@every_call
def test_method_names_are_on_the_wire_or_proven_by_the_checksum(capture):
    for frame, values in messages(capture, "-2"):
        if "godot_mp.rpc.node_id" in values or "godot_mp.rpc.path_offset" in values:
            named = "godot_mp.rpc.method" in values or "godot_mp.rpc.property" in values
            assert named, frame
            assert ("godot_mp.rpc.method_id" in values) == (generation(capture) == 4), frame


def test_without_the_table_there_are_no_names():
    values = tshark.fields(path_of("godot-4.6.3-calls"), ["godot_mp.rpc.method", "godot_mp.rpc.method_id", "_ws.col.Info"])
    assert [packet for packet in values if packet["godot_mp.rpc.method"]] == []
    assert any("method 0(" in "".join(packet["_ws.col.Info"]) for packet in values)


def test_a_row_with_another_checksum_gives_no_names():
    wrong = ["-o", 'uat:godot_rpc_names:"res://main.gd","join,your_turn","fd09156553586129123e925928e80ab4"']
    values = tshark.fields(path_of("godot-4.6.3-calls"), ["godot_mp.rpc.method"], *wrong)
    assert [packet for packet in values if packet["godot_mp.rpc.method"]] == []


@pytest.mark.parametrize("capture", SETS)
def test_each_property_that_was_set_is_set_on_the_wire(capture):
    wire = [(number(values, "godot_mp.rpc.caller"), first(values, "godot_mp.rpc.path"), first(values, "godot_mp.rpc.property"),
             first(values, "godot_mp.sync.value"))
            for _, values in messages(capture, "-2") if "godot_mp.rpc.property" in values]
    made = logged(capture, "set")

    def same(one, line):
        return (one[:3] == (line["peer"], line["path"], line["property"])
                and same_value(one[3], line["value"], generation(capture)))

    assert wire and unmatched(wire, made, same) == []
    assert unmatched(made, wire, lambda line, one: same(one, line)) == []


# ---- expert infos and passes -----------------------------------------------------------------------------


# The oddities in these captures: objects, a node with other methods at the server than at the clients, nodes that are not
# at the called peer, or not yet, a peer without authentication, a synchronizer with two authorities, and peers of different
# generations.
MIXED = ("godot-4.6.3-mixed", "godot-4.6.3-mixed-client")
WRONG = {"godot-4.6.3-objects": ("typed null", "An object with its properties"),
         "godot-4.6.3-mismatch": ("other RPC methods", "RPC methods of this node differ"),
         "godot-4.6.3-missing": ("no such node", "no such spawner"),
         "godot-4.6.3-node-added": ("no such node",),
         "godot-4.6.3-auth-missing": ("auth_timeout",),
         "godot-4.6.3-rivals": ("each drops the other's",),
         **dict.fromkeys(MIXED, ("different Godot generations",))}


WARNING = 0x00600000  # as in Wireshark's numbers of severities


@every_capture
def test_only_faults_made_on_purpose_are_reported(capture):
    wrong = []
    for frame, values in messages(capture, "-2"):
        severities = [int(value) for value in values.get("_ws.expert.severity", [])]
        wrong += [(frame, text) for text, severity in zip(values.get("_ws.expert.message", []), severities)
                  if severity >= WARNING and not any(part in text for part in WRONG.get(capture, ()))]
    assert wrong == []


@every_capture
def test_all_messages_are_of_the_capture_s_generation(capture):
    found = messages(capture, "-2")
    assert found
    expected = {3, 4} if capture in MIXED else {generation(capture)}
    assert {number(values, "godot_mp.generation") for _, values in found} == expected


# Of a client that is refused, there is nothing but authentication data, which cannot be recognized.
REFUSED = {"godot-4.6.0-auth-websocket": 3}


# The capture with other applications' messages in the same connections is in test_webrtc.py.
@pytest.mark.parametrize("capture", [name for name in CAPTURES if not name.endswith("-webrtc-in-band")])
def test_all_messages_are_decoded(capture):
    left = [packet for packet in of_capture(capture, "-2").packets if not {"data", "godot"}.isdisjoint(dict(fields_in(packet)))]
    assert len(left) == REFUSED.get(capture, 0)


@pytest.mark.parametrize("capture", [name for name in CAPTURES if name not in WRONG])
def test_both_passes_show_the_same(capture):
    """Links to later frames, without findings that depend on later messages."""
    later = {"godot_mp.path.confirmed_in", "godot_mp.path.confirm_time", "godot_mp.spawn.despawned_in",
             "godot_mp.spawn.lifetime", "godot_mp.relayed_in", "godot_mp.relay_time", "enet.ack.in", "_ws.expert", ""}

    def plain(values):
        return {name: shown for name, shown in values.items()
                if name not in later and not name.startswith("_ws.")}

    second = {}
    for frame, values in messages(capture, "-2"):
        second.setdefault(frame, []).append(plain(values))
    for frame, values in messages(capture):
        assert plain(values) in second[frame], frame


# ---- spawns and properties -------------------------------------------------------------------------------


SPAWNS = [f"godot-4.6.3-{kind}" for kind in ("spawn", "owners", "custom")] + ["godot-4.6.0-spawn-websocket"]


@pytest.mark.parametrize("capture", SPAWNS)
def test_spawned_nodes_have_the_values_that_the_receiver_logged(capture):
    received = [line for line in logged(capture, "spawned") if line["process"].startswith("client")]
    spawned = {}
    for _, values in messages(capture, "-2"):
        if first(values, "godot_mp.command") == "SPAWN":
            state = dict(zip(values.get("godot_mp.sync.property", []), values.get("godot_mp.spawn.state", [])))
            spawned.setdefault(first(values, "godot_mp.spawn.name"), []).append(state)
    assert received
    for line in received:
        name = line["path"].rsplit("/", 1)[1]
        assert any(all(same_value(value, line["values"][key], 4) for key, value in state.items())
                   for state in spawned[name]), line


@functools.lru_cache(maxsize=None)
def known_values(capture):
    """{(node, property): values set by scripts, and initial values}"""
    known = {}
    for line in logged(capture, "entered", "set"):
        values = line["values"] if line["event"] == "entered" else {line["property"]: line["value"]}
        for key, value in values.items():
            known.setdefault((line["path"].rsplit("/", 1)[1], key), []).append(value)
    return known


def updates_in(layer):
    """For each update of a synchronizer, the values of its fields by name."""
    for name, value in layer:
        if name == "godot_mp.sync.update":
            yield values_in(value)
        elif isinstance(value, list):
            yield from updates_in(value)


def count_named(capture, packets):
    """The number of synchronized values with names; each is one that a script set under that name, or an initial
    value."""
    seen = 0
    for values in (values for packet in packets for values in updates_in(packet)):
        path = first(values, "godot_mp.sync.path", "")
        for key, value in zip(values.get("godot_mp.sync.property", []), values.get("godot_mp.sync.value", [])):
            node = path.removesuffix("/MultiplayerSynchronizer").rsplit("/", 1)[-1]
            if ":" in key:
                node = key.split(":")[0].rsplit("/", 1)[-1]
            expected = known_values(capture).get((node, key.rsplit(":", 1)[-1]), [])
            assert any(same_value(value, one, 4) for one in expected), (path, key, value)
            seen += 1
    return seen


@pytest.mark.parametrize("capture, least", zip(SPAWNS, (900, 300, 100, 700)))
def test_synchronized_values_are_those_that_scripts_set_or_began_with(capture, least):
    assert count_named(capture, of_capture(capture, "-2").packets) > least
    for frame, values in messages(capture, "-2"):
        named = len(values.get("godot_mp.sync.property", []))
        assert named == len(values.get("godot_mp.sync.value", []) + values.get("godot_mp.spawn.state", [])), frame


WITHOUT_BEGINNING = [(SPAWNS[0], 30), (SPAWNS[0], 60), (SPAWNS[0], 90), (SPAWNS[1], 10), (SPAWNS[1], 20), (SPAWNS[1], 30),
                     (SPAWNS[2], 5), (SPAWNS[2], 10), (SPAWNS[2], 15)]


def without_beginning(capture, first_frame):
    return tshark.scratch() / f"{capture}-from-{first_frame}.pcap"


@pytest.fixture(scope="module")
def cut_captures():
    """Decoded, of each of WITHOUT_BEGINNING."""
    return decoded(tuple(tshark.cut_beginning(path_of(capture), without_beginning(capture, first_frame), first_frame)
                         for capture, first_frame in WITHOUT_BEGINNING), "-2")


@pytest.mark.parametrize("capture, first_frame", WITHOUT_BEGINNING)
def test_without_the_beginning_values_have_the_same_names(capture, first_frame, cut_captures):
    assert count_named(capture, cut_captures[without_beginning(capture, first_frame)].packets) > 0


FIGHTER = '"sync","res://fighter.tscn","Fighter/MultiplayerSynchronizer","Fighter","position,facing","{}"'
CRATE = '"sync","res://crate.tscn","Crate/MultiplayerSynchronizer","Crate","position,weight","{}"'
SPAWNER = '"scenes","res://arena.tscn","Arena/MultiplayerSpawner","Arena/Fighters","res://coin.tscn,{}",""'
ELSEWHERE = '"scenes","res://other.tscn","Other/Spawner","Other/Deeper/Fighters","{}",""'
DELTA = '"delta","res://fighter.tscn","Fighter/MultiplayerSynchronizer","Fighter","{}","String,int"'


@pytest.mark.parametrize("rows, names", [
    ([FIGHTER.format("")], {"position", "facing"}),
    ([FIGHTER.format(""), CRATE.format("")], set()),
    ([FIGHTER.format("Vector2,float"), CRATE.format("Vector2,float")], set()),
    ([FIGHTER.format("Vector2,Variant"), CRATE.format("Vector2,String")], {"position", "facing"}),
    ([FIGHTER.format("Vector2,String"), CRATE.format("Vector2,float")], {"position", "weight"}),
    ([FIGHTER.format("Vector2,Object")], set()),
    ([FIGHTER.format("").replace("position,facing", "position")], set()),
    ([FIGHTER.format("").replace("position,facing", "position,facing,more")], set()),
    ([FIGHTER.format(""), FIGHTER.format("").replace("fighter", "other")], {"position", "facing"}),
    ([FIGHTER.format(""), CRATE.format(""), SPAWNER.format("res://fighter.tscn")], {"position", "facing"}),
    ([FIGHTER.format(""), CRATE.format(""), SPAWNER.format("res://crate.tscn")], {"position", "weight"}),
    ([FIGHTER.format(""), CRATE.format(""), ELSEWHERE.format("res://crate.tscn")], set()),
    ([DELTA.format("stance,ammo")], {"stance", "ammo"}),
    ([DELTA.format("stance").replace("String,int", "String")], set()),
])
def test_a_property_has_the_name_of_the_one_synchronizer_that_fits(rows, names):
    """The fighter of another peer, by path: in each scene the synchronizer is named MultiplayerSynchronizer."""
    by_path = "godot_mp.sync.path contains \"Fighters/\" && ip"
    values = tshark.fields(path_of("godot-4.6.3-owners"), ["godot_mp.sync.property"], *property_table(rows), "-2", "-Y", by_path)
    assert {name for packet in values for name in packet["godot_mp.sync.property"]} == names


def test_a_synchronizer_of_the_table_with_the_whole_path_fits_better_than_the_end_of_a_path():
    node = "Main/Part/Arena/Fighters/106276418/MultiplayerSynchronizer"
    placed = f'"sync","res://main.tscn","{node}","Main/Part/Arena/Fighters/106276418","place,angle",""'
    rows = FIGHTER.format(""), placed
    packets = tshark.fields(path_of("godot-4.6.3-owners"), ["godot_mp.sync.path", "godot_mp.sync.property"],
                            *property_table(rows), "-2", "-Y", 'godot_mp.sync.path contains "Fighters/" && godot_mp.sync.property && ip')
    names = {(packet["godot_mp.sync.path"][0] == node, *packet["godot_mp.sync.property"]) for packet in packets}
    assert names == {(True, "place", "angle"), (False, "position", "facing")}


SPAWNED = ("godot-4.6.3-spawn", "godot-4.6.3-spawn-lossy")


@pytest.mark.parametrize("capture", SPAWNED)
def test_syncs_are_linked_with_the_one_before_of_the_same_sender(capture):
    """The times of syncs are counts of 16 bits."""
    last = {}
    checked = 0
    names = ["frame.number", "frame.time_epoch", "udp.srcport", "udp.dstport", "godot_mp.sync.time", "godot_mp.sync.previous",
             "godot_mp.sync.ahead", "godot_mp.sync.interval"]
    for packet in tshark.fields_of_each(list(map(path_of, SPAWNED)), names, "-Y", "godot_mp.sync.time")[path_of(capture)]:
        if len(packet["godot_mp.sync.time"]) != 1:
            last.clear()  # several in one datagram: columns do not assign values to messages
            continue
        sender = (packet["udp.srcport"][0], packet["udp.dstport"][0])
        time, at = int(packet["godot_mp.sync.time"][0]), float(packet["frame.time_epoch"][0])
        before = last.get(sender)
        if before and (time - before[1]) % 65536 >= 32768:
            continue  # it arrived late
        last[sender] = (packet["frame.number"][0], time, at)
        if not before:
            continue
        checked += 1
        assert packet["godot_mp.sync.previous"] == [before[0]]
        assert packet["godot_mp.sync.ahead"] == [str((time - before[1]) % 65536)]
        assert float(packet["godot_mp.sync.interval"][0]) == pytest.approx(at - before[2], abs=2e-6)
    assert checked > 20


def test_a_sync_that_comes_late_is_reported(udp_capture):
    def sync(time):
        return b"\x06" + struct.pack("<HIIBB", time, 4, 2, 2, 7)

    path = udp_capture(*(tshark.request(payload) for payload in (
        enet_connect(255), *(enet(2 + n, sync(time)) for n, time in enumerate((65534, 1, 65535, 2))))))
    names = ["godot_mp.sync.ahead", "godot_mp.sync.previous", "_ws.expert.message"]
    found = tshark.fields(path, names, "-d", f"enet.port=={tshark.SERVER_PORT},godot_mp")[1:]
    assert [packet["godot_mp.sync.ahead"] for packet in found] == [[], ["3"], ["0"], ["1"]]
    assert [packet["godot_mp.sync.previous"] for packet in found] == [[], ["2"], ["3"], ["3"]]
    late = [any("Older than a sync" in text for text in packet["_ws.expert.message"]) for packet in found]
    assert late == [False, False, True, False]


def test_net_ids_are_followed_from_spawn_to_despawn():
    found = messages("godot-4.6.3-spawn", "-2")
    despawns = [values for _, values in found if first(values, "godot_mp.command") == "DESPAWN"]
    logged_names = {line["path"].rsplit("/", 1)[1] for line in logged("godot-4.6.3-spawn", "despawn")}
    assert {first(values, "godot_mp.spawn.name") for values in despawns} == logged_names
    frames = dict()
    for frame, values in found:
        if first(values, "godot_mp.command") == "SPAWN":
            frames.setdefault(frame, values)
    for values in despawns:
        assert number(values, "godot_mp.spawn.spawned_in") in frames


# ---- raw bytes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("capture", [name for name in CAPTURES if name.endswith("-raw")])
def test_raw_packets_equal_the_scripts_records(capture):
    sent = {line["bytes"] for line in logged(capture, "send_bytes")}
    wire = {first(values, "godot_mp.data", "").replace(":", "") for _, values in messages(capture, "-2")
            if "godot_mp.data" in values}
    assert wire == sent


def test_raw_bytes_that_are_one_variant_have_its_value(udp_capture):
    expected = {"0200000005000000": ["5"],
                "00000000": [],  # nil, which four bytes of any kind may be
                "020000000500000000000000": []}
    path = udp_capture(*tshark.apart([[tshark.request(datagram(reliable(1, b"\3" + bytes.fromhex(raw))))] for raw in expected]))
    found = tshark.fields(path, ["godot.int", "godot_mp.data"], *DECODE_AS)
    assert found == [{"godot.int": values, "godot_mp.data": [raw]} for raw, values in expected.items()]


def test_authentication_equals_the_scripts_records():
    """The second client's connection has only authentication data."""
    sent = {line["bytes"] for line in logged("godot-4.6.3-auth", "send_auth")}
    wire = {first(values, "godot_mp.data").replace(":", "")
            for _, values in messages("godot-4.6.3-auth", "-2") if "godot_mp.data" in values}
    assert wire == sent


# ---- statistics ------------------------------------------------------------------------------------------


def statistics(capture, *args):
    return of_capture(capture, *args).statistics


@functools.lru_cache(maxsize=None)
def sizes():
    """{capture: the bytes of all its packets}"""
    command = ["capinfos", "-T", "-r", "-d", "-M", *(str(path_of(capture)) for capture in CAPTURES)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {Path(file).stem: int(size) for file, size in (line.split("\t") for line in printed.splitlines())}


@every_capture
def test_the_bytes_of_the_statistics_add_up_to_the_capture_s(capture):
    rows = re.findall(r"^( *)(\S.*?) {2,}(\d+) ", statistics(capture, "-2"), re.MULTILINE)
    at = next(i for i, row in enumerate(rows) if row[1] == "Bytes of the capture")
    parts = []
    for indent, _, count in rows[at + 1:]:
        if not indent:
            break
        if len(indent) == 1:
            parts.append(int(count))
    assert int(rows[at][2]) == sum(parts) == sizes()[capture]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
@every_capture
def test_the_statistics_count_messages_by_command(capture, passes):
    part = re.search(r"^Messages  .*\n((?: .*\n)*)", statistics(capture, *passes), re.MULTILINE)[1]
    counted = {name: int(count) for name, count in re.findall(r"^ (\S.*?) {2,}(\d+) ", part, re.MULTILINE)}
    # For a relay, the relayed call.
    wire = Counter(values.get("godot_mp.command", [None])[-1] for _, values in received(capture, *passes))
    others = wire.pop(None, 0)
    assert counted == {**wire, **({"Peers joining and leaving": others} if others else {})}


def counted_calls(capture, group):
    """{method: (its number, {node: its number})} of a group, in the order of the rows."""
    methods, here = {}, False
    for indent, name, count in re.findall(r"^( *)(\S.*?) {2,}(\d+)\b", statistics(capture, "-2"), re.MULTILINE):
        if not indent:
            here = name == group
        elif here and len(indent) == 1:
            methods[name] = (int(count), {})
        elif here and len(indent) == 2:
            list(methods.values())[-1][1][name] = int(count)
    return methods


def test_the_statistics_count_calls_by_method_and_by_node_below_it():
    counted = counted_calls("godot-4.6.3-calls", "Calls")
    wire = {}
    for _, _, path, method, _ in calls(received("godot-4.6.3-calls", "-2")):
        wire.setdefault(f"{method}()", Counter())[path] += 1
    assert len(wire["take()"]) > 1
    assert {method: nodes for method, (_, nodes) in counted.items()} == wire


@every_capture
def test_the_bytes_of_a_call_are_those_of_its_nodes_with_the_most_first(capture):
    counted = counted_calls(capture, "Bytes of calls")
    assert counted or not calls(messages(capture, "-2"))
    assert [method for method, (total, nodes) in counted.items() if total != sum(nodes.values())] == []
    for column in [[total for total, _ in counted.values()], *(list(nodes.values()) for _, nodes in counted.values())]:
        assert column == sorted(column, reverse=True)


@every_capture
def test_no_group_of_the_statistics_is_empty(capture):
    groups = re.findall(r"^([A-Z].*?) {2,}(\d+) ", statistics(capture, "-2"), re.MULTILINE)
    assert groups and [group for group, count in groups if int(count) == 0] == []


def test_a_method_named_like_a_group_is_a_row_of_the_calls(tmp_path):
    """epan finds a row by its name only, if its group is at the top level."""
    def call(method):
        head = method + b"\0\0"
        return struct.pack("<iiBI", 77, 1, 0, 0x80000000 | 5 + len(head)) + head + b"Main\0"

    methods = [b"Calls", b"Calls", b"Messages", b"Bytes of calls", b"Calls"]
    path = tmp_path / "calls.pcap"
    tshark.write_pcap(path, [tshark.Udp(20000, tshark.SERVER_PORT, datagram(reliable(number, call(method))))
                             for number, method in enumerate(methods, 1)])
    printed = tshark.run(["-q", "-z", "godot,tree", *DECODE_AS], path, prefs={"godot_mp.generation": "3"}).stdout
    part = re.search(r"^Calls .*\n(?: .*\n)*", printed, re.MULTILINE)[0]
    rows = re.findall(r"^( *)(\S.*?) {2,}(\d+) ", part, re.MULTILINE)
    assert rows == [("", "Calls", "5"), (" ", "Calls()", "3"), ("  ", "Main", "3"), (" ", "Messages()", "1"), ("  ", "Main", "1"),
                    (" ", "Bytes of calls()", "1"), ("  ", "Main", "1")]


# ---- the list of packets ---------------------------------------------------------------------------------


# Without one of few messages, of which no two are in one segment.
WEBSOCKET = [name for name in CAPTURES if of_websocket(name) and name not in REFUSED]


@functools.lru_cache(maxsize=None)
def lines():
    """{file: the Info text of each packet, and the first lines of its messages}"""
    return tshark.fields_of_each(list(map(path_of, WEBSOCKET)), ["_ws.col.Info", "godot_mp"], "-2", *tables())


@pytest.mark.parametrize("capture", WEBSOCKET)
def test_each_message_of_a_segment_has_its_line_once(capture):
    several = 0
    for packet in lines()[path_of(capture)]:
        of_messages = [line.removeprefix("Godot Multiplayer, ") for line in packet["godot_mp"]]
        if of_messages and all(len(line) < 200 for line in of_messages):
            assert packet["_ws.col.Info"] == ["; ".join(of_messages)]
            several += len(of_messages) > 1
    assert several


# ---- captures that begin in the middle -------------------------------------------------------------------


# Without its handshake an encrypted connection cannot be decrypted. The captures are cut at a quarter, the half and three
# quarters in turn. After a quarter of one of them, another connection begins, whose handshake Decode As takes for frames; the end of
# another has one message, again and again, to a server that has forgotten the client.
PLAIN = [name for name in CAPTURES if path_of(name).suffix == ".pcap" and name not in (*REFUSED, "godot-4.6.3-refused")]
# Without its handshake Wireshark does not recognize a WebSocket connection, unless the user sets Decode As. The other captures
# have no TCP.
AS_WEBSOCKET = ("-d", "tcp.port==40600,websocket")


@pytest.fixture(scope="module")
def ends_of_captures():
    """{capture: (the number of packets left out, {frame: the packet's values of NAMED})}"""
    files, left_out = {}, {}
    for index, capture in enumerate(PLAIN):
        left_out[capture] = len(list(tshark.read_frames(path_of(capture)))) * (1 + index % 3) // 4
        files[capture] = tshark.cut_beginning(path_of(capture), tshark.scratch() / f"{capture}-cut.pcap", left_out[capture] + 1)
    found = tshark.fields_of_each(list(files.values()), ["frame.number", *NAMED], "-2", "-Y", "godot_mp", *tables(),
                                  *AS_WEBSOCKET)
    return {capture: (left_out[capture], {int(packet["frame.number"][0]): packet for packet in found[file]})
            for capture, file in files.items()}


@pytest.mark.parametrize("capture", PLAIN)
def test_a_capture_without_its_beginning_shows_no_wrong_values(capture, ends_of_captures):
    """The findings of a message in a part of the capture are a subset of those in the whole capture."""
    left_out, cut = ends_of_captures[capture]
    whole = {}
    for frame, values in messages(capture, "-2"):
        whole.setdefault(frame, []).append(values)
    assert cut or not [frame for frame in whole if frame > left_out + 1]
    for frame, packet in cut.items():
        for name in NAMED:
            of = [value for values in whole[frame + left_out] for value in values.get(name, [])]
            assert is_part(name, packet[name], of), (frame + left_out, name)


def is_part(name, values, of):
    """True if the values are among those. The path of a spawned node begins at its spawner, if the spawner's path is
    not known."""
    if name == "godot_mp.sync.path":
        return all(any(path == value or path.endswith(f"/{value}") for path in of) for value in values)
    return set(values) <= set(of)


# The fields for the names of ids. For an id without its definition there is no such field.
NAMED = ["godot_mp.rpc.path", "godot_mp.rpc.method", "godot_mp.rpc.argument", "godot_mp.rpc.caller", "godot_mp.rpc.callee",
         "godot_mp.sync.path", "godot_mp.sync.property", "godot_mp.spawn.net_id", "godot_mp.command",
         "godot_mp.generation"]


# ---- which generation ------------------------------------------------------------------------------------


def enet(sequence, payload):
    """A reliable command on channel 1, in a separate datagram. On channel 0 Godot 3 has other messages."""
    return struct.pack(">HHBBHH", 0x8001, 0x1234, 0x86, 1, sequence, len(payload)) + payload


def enet_connect(channels, peer=77):
    return (struct.pack(">HHBBHHBB", 0x8FFF, 0x1234, 0x82, 0xFF, 1, 0, 0xFF, 0xFF)
            + struct.pack(">IIIIIIIIII", 1392, 65536, channels, 0, 0, 5000, 2, 2, 0x010B5747, peer))


# hit("a text in plain sight", 12) on Main, by path: in Godot 3 from peer 77 to peer 1.
CALL_3 = (struct.pack("<iiBI", 77, 1, 0, 0x80000000 | 50) + b"hit\0\x02" + encode("a text in plain sight", 3)
          + encode(12, 3) + b"Main\0")
# Another protocol on the same connection, with a Variant after four bytes.
CARRIER = """
local carrier = Proto("carrier", "Carrier")
carrier:register_heuristic("enet", function(tvb, pinfo, tree)
    if tvb(0, 4):uint() ~= 0xffffffff then return false end
    Dissector.get("godot.variant"):call(tvb(4):tvb(), pinfo, tree)
    return true
end)
"""
# AABB in Godot 3, Transform2D in 4.
SIX_FLOATS = b"\xff\xff\xff\xff" + struct.pack("<I6f", 11, 1, 2, 3, 4, 5, 6)


def test_variants_are_of_the_generation_that_multiplayer_proved(udp_capture, tmp_path):
    script = tmp_path / "carrier.lua"
    script.write_text(CARRIER, encoding="utf-8")
    path = udp_capture(*(tshark.request(payload) for payload in (
        enet_connect(7), enet(2, SIX_FLOATS), enet(3, CALL_3), enet(4, SIX_FLOATS))))
    names = ["godot_mp.generation", "godot.generation", "godot.generation.decided_in", "godot.type"]
    found = tshark.fields(path, names, "-X", f"lua_script:{tshark.readable(script)}")
    assert (found[1]["godot.generation"], found[1]["godot.type"]) == (["4"], ["Transform2D"])
    assert found[2]["godot_mp.generation"] == ["3"]
    assert (found[3]["godot.generation"], found[3]["godot.type"]) == (["3"], ["AABB"])
    assert found[3]["godot.generation.decided_in"] == ["3"]


@pytest.mark.parametrize("generation_of_variants", [3, 4])
def test_messages_that_both_generations_read_have_the_generation_of_earlier_variants(udp_capture, generation_of_variants):
    """Peer 77 * 256 + 3 sends raw bytes to peer 1 in Godot 3; in Godot 4 the 3 at the start means that all bytes are
    raw."""
    proof = encode({"cmd": "move", "speed": [1, 2, 3], "name": "a name of a player"}, generation_of_variants)
    peer = 77 * 256 + 3
    raw = struct.pack("<iiB", peer, 1, 4) + b"raw bytes"
    path = udp_capture(tshark.request(proof), tshark.request(enet_connect(7, peer)), tshark.request(enet(2, raw)))
    found = tshark.fields(path, ["godot_mp.generation", "godot_mp.data"], "-d",
                          f"enet.port=={tshark.SERVER_PORT},godot_mp")
    assert found[2]["godot_mp.generation"] == [str(generation_of_variants)]
    data = raw[9:] if generation_of_variants == 3 else raw[1:]
    assert found[2]["godot_mp.data"][0].replace(":", "") == data.hex()


def test_before_the_recognition_a_message_of_the_other_generation_is_not_decoded(udp_capture):
    """From the packet with sufficient evidence on, all messages of the connection are multiplayer's."""
    raw = struct.pack("<iiB", 77, 1, 4) + b"a"  # of Godot 3: in Godot 4 no packet begins like this
    define = b"\x01" + b"d41d8cd98f00b204e9800998ecf8427e\0" + struct.pack("<I", 6) + b"Main\0"
    header = 4
    payloads = enet(2, raw), enet(3, define) + enet(4, raw)[header:], enet(5, raw)
    # Without a CONNECT the client's id is not known.
    path = udp_capture(tshark.reply(verify(channels=7)), *map(tshark.request, payloads))
    for passes in ((), ("-2",)):
        found = tshark.fields(path, ["godot_mp.generation"], *passes)
        assert [packet["godot_mp.generation"] for packet in found] == [[], [], ["4", "4"], ["4"]]
