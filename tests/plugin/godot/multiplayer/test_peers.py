# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Peers as texts, against what the scripts of real engines logged: who called whom, and who joined under which name."""

import ipaddress
import re
import struct

import pytest

import gamewire_tshark as tshark
from plugin.godot.multiplayer.samples import CLIENT, DECODE_AS, DEFINE, PATH, SCRIPT, connected, tables
from plugin.godot.multiplayer.captures import every_call, first, logged, messages, number, path_of, received

NAMES = ["godot_mp.from", "godot_mp.to"]
JOIN = ("-o", 'uat:godot_peer_name_calls:"join(0)"')
SERVER = 1
# A capture of each way to carry peers' ids in which clients call each other.
RELAYED = ("godot-4.6.3-calls", "godot-4.6.3-calls-websocket", "godot-3.6-calls", "godot-3.6-calls-websocket")


def peer(number_of_peer):
    return "server" if number_of_peer == SERVER else f"client {number_of_peer}"


def peers(target):
    if target < 0:
        return f"all but {peer(-target)}"
    return peer(target) if target else "all"


def ids_of(capture):
    """{peer id: name that its script joined under}"""
    return {line["source"]: line["arguments"][0].strip('"') for line in logged(capture, "received") if line["method"] == "join"}


# ---- ids -----------------------------------------------------------------------------------------------------------


@every_call
def test_each_call_is_from_its_caller_to_those_whom_it_reached(capture):
    made = {(peer(line["peer"]), line["path"], line["method"]) for line in logged(capture, "call")
            if line["target"] != line["peer"]}
    received = {(peer(line["source"]), peer(line["peer"]), line["method"]) for line in logged(capture, "received")
                if line["source"] != line["peer"]}
    found = set()
    for frame, values in messages(capture, "-2"):
        if "godot_mp.rpc.method" in values:
            call = first(values, "godot_mp.from"), first(values, "godot_mp.rpc.path"), first(values, "godot_mp.rpc.method")
            assert call in made, frame
            assert first(values, "godot_mp.to") == peers(number(values, "godot_mp.rpc.callee")), frame
            found.add((call[0], first(values, "godot_mp.to"), call[2]))
    assert {call for call in received if not any(to.startswith("all") for sender, to, method in found
                                                 if (sender, method) == (call[0], call[2]))} <= found


@pytest.mark.parametrize("capture", RELAYED[:2])
def test_a_relayed_message_has_the_command_of_what_is_relayed(capture):
    relayed = [values for _, values in messages(capture, "-2") if "godot_mp.relay_peer" in values]
    calls = [values for values in relayed if "godot_mp.rpc.path" in values]
    assert calls and {tuple(values["godot_mp.command"]) for values in calls} == {("REMOTE_CALL",)}
    assert {first(values, "godot_mp.system") for values in relayed} == {"3"}
    assert "SYS" not in {command for values in relayed for command in values["godot_mp.command"]}


def test_a_relay_of_nothing_is_a_system_command(tmp_path):
    path = tshark.write_pcap(tmp_path / "relay.pcap", connected((True, PATH), (False, b"\7\3" + struct.pack("<i", 7))))
    packets = tshark.fields(path, ["godot_mp.command"], *DECODE_AS, "-Y", "godot_mp.relay_peer")
    assert packets == [{"godot_mp.command": ["SYS"]}]


def test_a_client_without_an_id_is_a_client():
    """Of WebRTC: the server is known from its messages, the client's id is exchanged elsewhere."""
    found = {(first(values, "godot_mp.from"), first(values, "godot_mp.to"))
             for _, values in messages("godot-4.6.3-calls-webrtc", "-2")}
    assert {("client", "server"), ("server", "client")} <= found


# ---- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("capture", RELAYED)
def test_names_that_the_game_sends_in_calls(capture):
    names = {peer(number_of_peer): name for number_of_peer, name in ids_of(capture).items()}
    assert sorted(names.values()) == ["client1", "client2"]

    def named(text):
        before, _, last = (text or "").rpartition("all but ")
        return text and f"{'all but ' if before or text.startswith('all but ') else ''}{names.get(last, last)}"

    plain, found = messages(capture, "-2"), messages(capture, "-2", *JOIN, among=RELAYED)
    for (frame, without), (_, values) in zip(plain, found):
        for end in NAMES:
            assert first(values, end) == named(first(without, end)), frame
    assert {first(values, "godot_mp.from") for _, values in found} >= {"server", "client1", "client2"}


def test_a_name_is_known_from_its_call_on_in_the_first_pass():
    capture = "godot-3.6-calls"
    joined = {}
    for frame, values in messages(capture, *JOIN, among=(capture,)):
        if first(values, "godot_mp.rpc.method") == "join":
            joined.setdefault(number(values, "godot_mp.source"), frame)
    assert len(joined) == 2
    for frame, values in messages(capture, *JOIN, among=(capture,)):
        source = number(values, "godot_mp.source")
        if source in joined:
            assert (first(values, "godot_mp.from") == peer(source)) == (frame < joined[source]), frame


def test_names_are_in_the_info_column():
    capture = "godot-4.6.3-calls"
    names = ids_of(capture)
    lines = tshark.info_column(path_of(capture), "-2", *tables(), *JOIN)
    plain = tshark.info_column(path_of(capture), "-2", *tables())
    pattern = re.compile(r"\b(Relay to|Relay from|Peer joined:|Peer left:) client (\d+)\b")
    replaced = [pattern.sub(lambda found: f"{found[1]} {names.get(int(found[2]), f'client {found[2]}')}", line) for line in plain]
    for line, expected in zip(lines, replaced, strict=True):
        # A long line is cut: a name and an id do not have the same length.
        shown = min(len(line), len(expected)) - 1
        assert line == expected or (line.endswith("…") and line[:shown] == expected[:shown])
    assert any(line.startswith(("Relay to client", "Relay from client")) for line in lines) and any(line.startswith("Peer joined: client") for line in lines)


def test_the_table_of_names_has_ids_and_addresses():
    capture = "godot-4.6.3-calls"
    by_name = {name: number_of_peer for number_of_peer, name in ids_of(capture).items()}
    rows = [f'"{by_name["client1"]}","Anna"', '"127.0.0.1:40612","Ben"']
    options = [option for row in rows for option in ("-o", f"uat:godot_peer_names:{row}")]
    texts = {peer(by_name["client1"]): "Anna", peer(by_name["client2"]): "Ben"}
    for (frame, without), (_, values) in zip(messages(capture, "-2"), messages(capture, "-2", *options, among=(capture,))):
        for end in NAMES:
            assert first(values, end) == texts.get(first(without, end), first(without, end)), frame


def test_a_name_in_the_table_comes_before_one_in_a_call():
    options = ("-o", 'uat:godot_peer_names:"127.0.0.1:40612","Ben"', *JOIN)
    capture = "godot-3.6-calls"
    found = {first(values, "godot_mp.from") for _, values in messages(capture, "-2", *options, among=(capture,))}
    assert found == {"server", "client1", "Ben"}


@pytest.mark.parametrize("table, row, reason", [
    ("godot_peer_names", '"anna","Anna"', "no peer id and no address"), ("godot_peer_names", '"0","Anna"', "no peer id"),
    ("godot_peer_names", '"4294967303","Anna"', "no peer id"), ("godot_peer_names", '"127.0.0.1:400000","Anna"', "no address"),
    ("godot_peer_names", '"[127.0.0.1]:4000","Anna"', "no address"), ("godot_peer_names", '"7",""', "name is empty"),
    ("godot_peer_name_calls", '"join"', "number of its argument"), ("godot_peer_name_calls", '"join()"', "argument"),
    ("godot_peer_name_calls", '"join(0)[0]"', "periods"), ("godot_peer_name_calls", '"join(0)."', "periods"),
    ("godot_peer_name_calls", '"(0)"', "number of its argument"), ("godot_peer_name_calls", '"join(x)"', "argument")], ids=str)
def test_a_row_that_cannot_name_a_peer_is_refused(table, row, reason):
    result = tshark.run(["-o", f"uat:{table}:{row}"], path_of("godot-3.6-raw"), check=False)
    assert result.returncode and reason in result.stderr


def call(arguments):
    return b"\0\6\0\1" + arguments


def string(text):
    raw = text.encode()
    return struct.pack("<I", len(raw)) + raw + b"\0" * (-len(raw) % 4)


DICTIONARY = (b"\x1b\0\0\0" + struct.pack("<I", 3) + b"\4\0\0\0" + string("tag") + b"\x1b\0\0\0" + struct.pack("<I", 1)
              + b"\4\0\0\0" + string("name") + b"\4\0\0\0" + string("Other")
              + b"\4\0\0\0" + string("name") + b"\4\0\0\0" + string("Änne")
              + b"\4\0\0\0" + string("clan") + b"\x1b\0\0\0" + struct.pack("<I", 1)
              + b"\4\0\0\0" + string("name") + b"\4\0\0\0" + string("Night"))


def joined(number_of_peer, argument):
    """A client with this id that joins. A name is that of a peer in all connections of a capture."""
    begin, *packets = connected((False, PATH), (False, call(argument)))
    return [begin._replace(payload=begin.payload[:-4] + struct.pack(">I", number_of_peer)), *packets]


STRING = b"\4\0\0\0" + string("Änne")


@pytest.mark.parametrize("path, names", [
    ("join(0)", {"a String": (STRING, "Änne"),
                 "a StringName": (b"\x15\0\0\0" + string("Änne"), "Änne"),
                 "a long one": (b"\4\0\0\0" + string("Ä" * 30), "Ä" * 20 + "…"),
                 "a Dictionary": (DICTIONARY, None),
                 "an int": (b"\x02\x05", None),
                 "an empty one": (b"\4\0\0\0" + string(""), None)}),
    ("join(0).name", {"a member": (DICTIONARY, "Änne"), "no Dictionary": (STRING, None)}),
    ("join(0).clan.name", {"a member of a member": (DICTIONARY, "Night")}),
    ("join(0).clan", {"a Dictionary as a member": (DICTIONARY, None)}),
    ("join(1)", {"another argument": (STRING, None)}),
    ("leave(0)", {"another method": (STRING, None)}),
])
def test_a_name_is_an_argument_or_a_member_of_one(tmp_path, path, names):
    conversations = [joined(CLIENT + index, argument) for index, (argument, _) in enumerate(names.values())]
    capture = tshark.write_pcap(tmp_path / "join.pcap", tshark.apart(conversations))
    option = ("-o", f'uat:godot_peer_name_calls:"{path}"')
    found = tshark.split(tshark.fields(capture, NAMES, "-2", *SCRIPT, *option), conversations)
    expected = {kind: 2 * [{"godot_mp.from": [name or peer(CLIENT + index)], "godot_mp.to": ["server"]}]
                for index, (kind, (_, name)) in enumerate(names.items())}
    assert {kind: packets[2:] for kind, packets in zip(names, found)} == expected


def test_a_player_has_the_latest_name(tmp_path):
    renamed = [(False, call(b"\4\0\0\0" + string(name))) for name in ("Anna", "Anna", "Berta")]
    capture = tshark.write_pcap(tmp_path / "join.pcap", connected((False, PATH), *renamed, (False, PATH)))
    found = tshark.fields(capture, NAMES, "-2", "-Y", "godot_mp", *SCRIPT, *JOIN)
    assert [first(packet, "godot_mp.from") for packet in found] == ["Anna", "Anna", "Anna", "Berta", "Berta"]


def test_an_ipv6_address_is_compared_as_a_number(tmp_path):
    """In the table it may have leading zeros, capital letters, and a port."""
    packets = [packet._replace(options={**packet.options, "ipv6": True}) for packet in connected((False, PATH))]
    path = tshark.write_pcap(tmp_path / "join.pcap", packets)
    host = ipaddress.ip_address("2001:db8::1").exploded.upper()
    for row in (host, f"[{host}]:{tshark.CLIENT_PORT}"):
        found = tshark.fields(path, ["ipv6.src", *NAMES], "-Y", "godot_mp", "-o", f'uat:godot_peer_names:"{row}","Änne"')
        assert found == [{"ipv6.src": ["2001:db8::1"], "godot_mp.from": ["Änne"], "godot_mp.to": ["server"]}]


# ---- statistics ----------------------------------------------------------------------------------------------------


def test_methods_without_names_are_one_row_a_script():
    """Main, Units/Hero and Units/Weapon have three scripts; the table of names says which calls are of which."""
    capture = "godot-4.6.3-calls"
    rows = tshark.run(["-2", "-q", "-z", "godot,tree"], path_of(capture)).stdout
    part = re.search(r"^Calls  .*\n((?: .*\n)*)", rows, re.MULTILINE)[1]
    counted = {name: int(count) for name, count in re.findall(r"^ (\S.*?) {2,}(\d+) ", part, re.MULTILINE)}
    wire = {}
    for _, values in received(capture, "-2"):
        if "godot_mp.rpc.method_id" in values:
            key = first(values, "godot_mp.rpc.method_from"), number(values, "godot_mp.rpc.method_id")
            wire[key] = wire.get(key, 0) + 1
    assert len({script for script, _ in wire}) > 1
    assert sorted(counted.values()) == sorted(wire.values())
    titles = [re.fullmatch(r"method (\d+)\(\) on (.+)", name) for name in counted]
    assert all(titles) and len({title[2] for title in titles}) == len({script for script, _ in wire})


# ---- statistics ----------------------------------------------------------------------------------------------------


def test_the_statistics_and_the_flow_graph_name_the_players():
    capture = "godot-4.6.3-calls"
    joined = ids_of(capture)
    options = ["-2", "-q", *tables(), *JOIN]
    tree = tshark.run([*options, "-z", "godot,tree"], path_of(capture)).stdout
    graph = tshark.run([*options, "-z", "flow,godot,network"], path_of(capture)).stdout.splitlines()
    assert len(joined) == 2
    for number_of_peer, name in joined.items():
        assert len(re.findall(rf"^ {name} \({number_of_peer}\) ", tree, re.MULTILINE)) == 2, name
        assert any(f"{name} ({number_of_peer})" in line for line in graph[:2]), name


# ---- peers in sentences --------------------------------------------------------------------------------------------

METHODS_DIFFER = "The RPC methods of this node differ between {} and {}: calls between them may fail or reach other methods"


@pytest.mark.parametrize("names, sender, receiver", [
    ({}, "the server", f"client {CLIENT}"),
    ({CLIENT: "server"}, "the server", "server"),
    ({SERVER: "Anna", CLIENT: "the server"}, "Anna", "the server"),
])
def test_only_the_server_itself_has_an_article_in_a_sentence(names, sender, receiver, udp_capture):
    """A player may have any name, "server" too: a name is printed as it is."""
    path = udp_capture(*connected((False, bytes.fromhex(DEFINE)), (True, bytes.fromhex("02 00 06000000"))))
    options = [option for peer_id, name in names.items() for option in ("-o", f'uat:godot_peer_names:"{peer_id}","{name}"')]
    found = tshark.fields(path, ["_ws.expert.message"], *DECODE_AS, *options)
    assert METHODS_DIFFER.format(sender, receiver) in found[-1]["_ws.expert.message"]
