# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Games of the real engine that record themselves: compared with captures of the same runs, and with what the games print."""

import re
import shutil
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest

import gamewire_tshark as tshark

from . import recordings
from .programs import messages
from .recordings import RELIABLE, Capture, Game, apart, play, records

pytestmark = pytest.mark.skipif(recordings.NO_ENGINE, reason="Godot 4 is missing")
needs_capture = pytest.mark.skipif(recordings.NO_ENGINE or recordings.NO_RIGHT_TO_CAPTURE, reason="no right to capture")

PORT = 45730


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorder")
    project = recordings.make_project(folder)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout",
                    project / "key.pem", "-out", project / "certificate.pem"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return folder


def export(capture):
    """The messages of a packet capture, as the plugin exports them."""
    path = tshark.scratch() / "home" / f"{capture.stem}-exported.pcapng"
    tshark.run(["-2", "-U", "Godot Multiplayer", "-w", path], capture)
    return path


def is_part(few, many):
    """True if the messages are among the others, in their order."""
    rest = iter(many)
    return all(one in rest for one in few)


@pytest.fixture(scope="module")
def names(imported):
    """Options with the tables that rpc_names.gd writes: a capture has no names."""
    folder = imported / "names"
    folder.mkdir()
    subprocess.run([recordings.ENGINE, "--headless", "--path", imported / "project", "--script", recordings.ADDON / "rpc_names.gd", "--", folder],
                   env=recordings.environment(imported), stdin=subprocess.DEVNULL, capture_output=True, timeout=recordings.TIMEOUT, check=True)
    rows = [(table, line) for table in ("godot_rpc_names", "godot_rpc_properties") for line in (folder / table).read_text().splitlines()]
    return tuple(option for table, line in rows if not line.startswith("#") for option in ("-o", f"uat:{table}:{line}"))


@pytest.fixture(scope="module")
def enet(imported):
    """A server and two clients over ENet, recorded by themselves and captured."""
    with Capture(imported / "enet.pcapng", f"udp port {PORT}") as capture:
        games = play(imported, "transport=enet", f"port={PORT}", "--gamewire-record")
    return games, capture.path


# Of a message's line of gamewire-messages: its place in the file, its times, and what only one of recording and capture has.
NOT_OF_THE_MESSAGE = {
    "time", "frame", "source", "destination", "connection", "stream", "channel", "delivery", "resent", "duplicate", "notes", "interval", "late",
    "lifetime", "process_frame", "physics_tick", "handler_time", "other_in", "way_time", "relayed_in", "relay_of", "relay_time"}


def members(value):
    """Sender, receiver, kind, node, method, arguments and all other members of a message."""
    if isinstance(value, list):
        return [members(each) for each in value]
    return {key: members(each) for key, each in value.items() if key not in NOT_OF_THE_MESSAGE} if isinstance(value, dict) else value


def number_of(record):
    """ENet's channel: 0 and 1 are for channel 0, n + 1 for channel n."""
    if record.version == 1:
        return record.channel
    return record.channel + 1 if record.channel else int(record.mode != RELIABLE)


def described(path, names):
    """{(sender, receiver, ENet's channel): [(bytes, members) of each message, in their order]}, without retransmissions."""
    found = {}
    for record, message in zip(recordings.records_and_retransmissions(path), messages(path, *names), strict=True):
        if not record.is_retransmission:
            found.setdefault((record.sender, record.receiver, number_of(record)), []).append((record.data, members(message)))
    return found


def compare_with_wire(games, capture, names):
    """Each recording of the games with the capture: {role: [ids of the clients in each of its recordings]}, and the wire's messages.

    What a peer sent is on the wire, no more and no less. What it received are the first ones of the wire's: ENet drops what has
    arrived, but was not delivered, when a connection ends.
    """
    wire = described(export(capture), names)
    ids = {}
    for role, game in games.items():
        for path in game.recordings():
            recorded = described(path, names)
            clients = {end for way in recorded for end in way[:2]} - {1}
            own = {1} if role == "server" else clients
            for way in {way for way in wire if clients & set(way)} | recorded.keys():
                mine, there = recorded.get(way, []), wire.get(way, [])
                assert mine == (there if way[0] in own else there[:len(mine)]), (role, way, len(mine), len(there))
                assert len(mine) >= 0.9 * len(there) - 3, (role, way, len(mine), len(there))
            ids.setdefault(role, []).append(clients)
    return ids, wire


@needs_capture
def test_a_recording_has_the_messages_of_the_wire(enet, names):
    """Sender, receiver, kind, node, method, arguments and order, of a server and two clients that call each other through it."""
    ids, wire = compare_with_wire(*enet, names)
    (clients,) = ids["server"]
    assert len(clients) == 2 and [ids["client1"], ids["client2"]] in ([[{one}], [{other}]] for one in clients for other in clients - {one})
    assert sum(map(len, wire.values())) > 500 and len(wire) == 2 * 7
    kinds = {message["kind"] for of_way in wire.values() for _, message in of_way}
    assert kinds >= {"call", "raw", "spawn", "sync", "path", "confirm", "peer_joined"}, kinds
    assert [message for of_way in wire.values() for _, message in of_way if message.get("relayed")]
    assert {message["method"] for of_way in wire.values() for _, message in of_way if message["kind"] == "call"} == {
        "reliable", "unreliable", "ordered", "large", "rename"}


@needs_capture
def test_both_ends_record_the_same(enet):
    games, _ = enet
    server = records(games["server"].recording())
    for role in ("client1", "client2"):
        mine = records(games[role].recording())
        (client,) = {record.sender for record in mine} - {1}
        for ends, is_received in (((1, client), True), ((client, 1), False)):
            one = [record for record in mine if (record.sender, record.receiver) == ends]
            other = [record for record in server if (record.sender, record.receiver) == ends]
            assert one and all(record.is_received == is_received for record in one)
            assert all(record.is_received != is_received for record in other)
            one, other = (apart([record for record in side if record.mode == RELIABLE], lambda record: record.channel) for side in (one, other))
            # The end that was closed first does not have the last messages of the other one.
            assert len(one[0]) > 20 and all(a == b for channel in one for a, b in zip(one[channel], other[channel]))


def info(path, *options):
    return [packet["_ws.col.Info"][0] for packet in tshark.fields(path, ["_ws.col.Info"], "-2", *options)]


@needs_capture
def test_a_recording_has_all_names_without_any_setting(enet):
    games, _ = enet
    for game in games.values():
        lines = info(game.recording())
        assert "Names: res://main.gd, res://main.tscn" in "\n".join(lines[:2])
        text = "\n".join(lines)
        assert 'RPC reliable(3, "text 3", [3, {"key": Vector2(3, 0.5)}]) on Main' in text.replace("\\", "") or game is not games["server"]
        assert re.search(r'Spawn unit.tscn "\d+" #\d+: position = Vector2\(', text)
        assert re.search(r"Sync Main/Units/\d+: position = Vector2\(", text)
        assert re.search(r"Delta Main/Units/\d+: title = ", text)
        assert not re.search(r"RPC #\d", text)


@needs_capture
def test_what_the_recording_game_knows_besides_is_shown(enet):
    """The frame, the time in the handler, and who recorded what with which transport."""
    games, _ = enet
    path = games["server"].recording()
    names = ["frame.interface_name", "frame.interface_description", *(f"godot_mp.recorded.{name}" for name in (
        "from", "to", "mode", "channel", "process_frame", "physics_tick", "handler_time", "received"))]
    packets = tshark.fields(path, names, "-Y", "godot_mp.recorded.from")
    assert {packet["frame.interface_name"][0] for packet in packets} == {"server"}
    assert {packet["frame.interface_description"][0] for packet in packets} == {"ENetMultiplayerPeer"}
    frames = [int(packet["godot_mp.recorded.process_frame"][0]) for packet in packets]
    assert frames == sorted(frames) and len(set(frames)) > 50
    for packet in packets:
        assert bool(packet["godot_mp.recorded.handler_time"]) == (packet["godot_mp.recorded.received"][0] == "1")
        assert packet["godot_mp.recorded.received"][0] == str(int(packet["godot_mp.recorded.to"][0] == "1"))
    capinfos = subprocess.run(["capinfos", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "Project: Gamewire recorder test" in capinfos and re.search(r"Gamewire recorder 1, Godot 4\.", capinfos)


# ---- other transports ------------------------------------------------------------------------------------------------


@needs_capture
def test_a_recording_of_websocket_has_the_messages_of_the_wire(imported):
    """A server's first message is the client's id, which the engine's peer takes for itself."""
    with Capture(imported / "websocket.pcapng", f"tcp port {PORT + 1}") as capture:
        games = play(imported, "transport=websocket", f"port={PORT + 1}", "seconds=4", "--gamewire-record")
    recorded = apart(records(games["server"].recording()))
    connections = recordings.exported_connections(export(capture.path), PORT + 1)
    assert len(connections) == 2
    for from_server, to_server in connections:
        (client,) = struct.unpack("<i", from_server[0])
        assert len(to_server) > 50 and to_server == recorded[client, 1]
        assert from_server[1:] == recorded[1, client]


@needs_capture
def test_a_thousand_messages_a_second_are_recorded_as_on_the_wire(imported):
    with Capture(imported / "load.pcapng", f"tcp port {PORT + 12}") as capture:
        games = play(imported, "transport=websocket", f"port={PORT + 12}", "plan=load", "seconds=6", "--gamewire-record", roles=("server", "client1"))
    ((from_server, to_server),) = recordings.exported_connections(export(capture.path), PORT + 12)
    (client,) = struct.unpack("<i", from_server[0])
    mine = records(games["client1"].recording())
    sent = [record for record in mine if record.sender == client]
    assert len(sent) > 3000 and 3000 / (sent[-1].time - sent[0].time) * 10**6 > 700
    recorded = apart(records(games["server"].recording()))
    assert recorded[client, 1] == to_server and recorded[1, client] == from_server[1:]
    # The client does not receive what is under way when it ends.
    received = apart(mine)[1, client]
    assert [record.data for record in sent] == to_server and received and received == from_server[1:len(received) + 1]


def test_what_both_ends_of_an_encrypted_connection_record_is_one_conversation_when_merged(imported):
    """Over WebSocket in TLS, without keys: each message once, with its time on the way."""
    games = play(imported, "transport=secure-websocket", f"port={PORT + 2}", "seconds=4", "--gamewire-record")
    merged = imported / "merged.pcapng"
    subprocess.run(["mergecap", "-w", merged, *(game.recording() for game in games.values())], check=True)
    names = ["frame.number", "frame.interface_name", "godot_mp.recorded.other_in", "godot_mp.recorded.way_time", "godot_mp.exported.repeated",
             "godot_mp.stream", "godot_mp.recorded.received", "_ws.col.Info"]
    packets = {packet["frame.number"][0]: packet for packet in tshark.fields(merged, names, "-2", "-Y", "godot_mp.recorded.from")}
    linked = [packet for packet in packets.values() if packet["godot_mp.recorded.other_in"]]
    # Those that the server sent after a client had ended have no other end.
    assert len(linked) > 0.9 * len(packets) and len(linked) > 600
    for packet in linked:
        other = packets[packet["godot_mp.recorded.other_in"][0]]
        assert other["godot_mp.recorded.other_in"] == packet["frame.number"]
        # Only the receiver's record has a handler, which may be slow.
        infos = {one["_ws.col.Info"][0].removeprefix("[Slow handler] ") for one in (packet, other)}
        assert len(infos) == 1 and other["godot_mp.stream"] == packet["godot_mp.stream"]
        assert {one["godot_mp.recorded.received"][0] for one in (packet, other)} == {"0", "1"}
        assert bool(packet["godot_mp.exported.repeated"]) != bool(other["godot_mp.exported.repeated"])
    times = [float(packet["godot_mp.recorded.way_time"][0]) for packet in linked if packet["godot_mp.recorded.way_time"]]
    assert len(times) > 0.9 * len(linked) and min(times) > 0 and sorted(times)[len(times) // 2] < 0.5
    assert {packet["godot_mp.stream"][0] for packet in packets.values()} == {"0", "1"}
    assert {packet["frame.interface_name"][0].split()[0] for packet in packets.values()} == {"server", "peer"}


@needs_capture
def test_authentication_is_recorded_as_on_the_wire(imported, names):
    """Of a client that the server accepts, and of one that it refuses."""
    common = ("transport=enet", f"port={PORT + 3}", "plan=auth", "--gamewire-record")
    with Capture(imported / "auth.pcapng", f"udp port {PORT + 3}") as capture:
        games = {"server": Game(imported, "server", *common, "seconds=5", "after=connected")}
        time.sleep(1)
        games["client2"] = Game(imported, "client2", *common, "seconds=4", "password=wrong")
        games["client2"].wait_for("refused")
        games["client1"] = Game(imported, "client1", *common, "seconds=3", "after=connected")
        for game in games.values():
            game.end()
    ids, wire = compare_with_wire(games, capture.path, names)
    ((accepted,),), ((refused,),) = ids["client1"], ids["client2"]
    assert ids["server"] == [{accepted, refused}]
    # The engine's message without data is complete_auth(): also of the refused client, if it has the server's word before the end.
    for client, firsts, others in ((accepted, [[b"secret", b""]], True), (refused, [[b"wrong"], [b"wrong", b""]], False)):
        sent = wire[client, 1, 0]
        first = [bytes.fromhex(message.get("data", "")) for _, message in sent if message["kind"] == "auth"]
        assert first in firsts
        assert bool(sent[len(first):]) == others
    assert [message["kind"] for _, message in wire[1, refused, 0]] == ["auth"]
    assert f"\nauth {refused} wrong\n" in games["server"].output() and f"\nconnected {refused}\n" not in games["server"].output()
    assert f"\nconnected {accepted}\n" in games["server"].output() and "\nrefused 1\n" in games["client2"].output()
    assert sum("Authentication" in line for line in info(games["client1"].recording())) == 4


@needs_capture
def test_a_client_that_comes_again_begins_another_connection(imported, names):
    """It gets a new id. Its connections are one after the other in the server's recording, and two recordings of its own."""
    with Capture(imported / "reconnect.pcapng", f"udp port {PORT + 4}") as capture:
        games = play(imported, "transport=enet", f"port={PORT + 4}", "plan=reconnect", "seconds=4", "after=connected", "--gamewire-record",
                     roles=("server", "client1"))
    first, second = map(int, re.findall(r"^id (\d+)$", games["client1"].output(), re.MULTILINE))
    assert first != second and games["server"].output().count("\nconnected ") == 2
    ids, wire = compare_with_wire(games, capture.path, names)
    assert ids["server"] == [{first, second}] and ids["client1"] in ([{first}, {second}], [{second}, {first}])
    assert {way[:2] for way in wire} == {(1, first), (first, 1), (1, second), (second, 1)}
    for client in (first, second):
        assert [message["arguments"][0] for _, message in wire[client, 1, 4] if message["method"] == "ordered"] == list(range(20))


def test_the_multiplayer_api_of_a_branch_is_recorded(imported):
    """And one that has no peer at first."""
    games = play(imported, "transport=enet", f"port={PORT + 10}", "api=branch", "seconds=4", "--gamewire-record", roles=("server", "client1"))
    for game in games.values():
        recorded = records(game.recording())
        assert len({record.sender for record in recorded}) == 2 and len(recorded) > 50
        assert "No multiplayer peer is assigned" not in game.output()


@pytest.mark.parametrize("way", ["null", "replace", "inner", "lost", "quit"])
def test_a_recording_ends_however_the_game_leaves_its_peer(imported, way):
    """`multiplayer_peer = null`, another peer, close() of the peer that the game keeps, null in the handler of the server's end, nothing at all."""
    arguments = ("transport=enet", f"port={PORT + 11}", f"end={way}", "after=connected", "--gamewire-record")
    server = Game(imported, "server", *arguments, "seconds=3")
    time.sleep(1)
    client = Game(imported, "client1", *arguments, f"seconds={6 if way == 'lost' else 2}")
    ends = [client] if way == "lost" else [] if way == "quit" else [server, client]
    for game in (server, client):
        game.end()
        content = game.recording().read_bytes()
        *_, (last, body) = recordings.blocks(content)
        assert last == recordings.STATISTICS and sum(12 + len(part) for _, part in recordings.blocks(content)) == len(content)
        # Options 4 and 5: all messages are in the file.
        found = records(game.recording())
        assert len(found) > 50 and body[12:] == struct.pack("<HHQHHQHH", 4, 8, len(found), 5, 8, 0, 0, 0)
        assert 0xFFFFFFFF not in [record.handler_time for record in found if record.is_received]
    for game in ends:
        assert "ended [5]" in game.output(), game.output()
        assert "SCRIPT ERROR" not in game.output(), game.output()


# ---- what may go wrong -------------------------------------------------------------------------------------------


def test_the_recording_of_a_game_that_is_killed_is_whole_up_to_there(imported):
    """The last message is the one whose handler the game did not leave."""
    port = f"port={PORT + 5}"
    server = Game(imported, "server", "transport=enet", port, "--gamewire-record")
    server.wait_for("Engine")
    time.sleep(1)
    client = Game(imported, "client1", "transport=enet", port, "plan=stall")
    server.wait_for("stalled")
    server.kill()
    client.kill()
    path = server.recording()
    content = path.read_bytes()
    assert sum(8 + 4 + len(body) for _, body in recordings.blocks(content)) == len(content)
    *before, last = records(path)
    assert last.handler_time == 0xFFFFFFFF and 0xFFFFFFFF not in [record.handler_time for record in before]
    assert [record.handler_time for record in before if record.is_received and record.handler_time > 150000], before
    (packet,) = tshark.fields(path, ["_ws.col.Info"], "-Y", "godot_mp.recorded.handler_time.missing")
    assert packet["_ws.col.Info"] == ["[Not returned] RPC stall(60000) on Main"]
    (packet,) = tshark.fields(path, ["_ws.col.Info", "godot_mp.recorded.handler_time"], "-Y", "godot_mp.recorded.handler_time > 0.15")
    assert packet["_ws.col.Info"] == ["[Slow handler] RPC stall(150) on Main"]
    assert 0.15 <= float(packet["godot_mp.recorded.handler_time"][0]) < 5
    assert len(tshark.fields(path, ["frame.number"], "-Y", "godot_mp.recorded.handler_time.too_long")) >= 1


# ---- live --------------------------------------------------------------------------------------------------------


def live_port(game):
    game.wait_for("TCP@")
    return int(re.search(r"TCP@127\.0\.0\.1:(\d+)", game.output())[1])


def read_all(connection, seconds):
    connection.settimeout(0.2)
    content, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            part = connection.recv(1 << 16)
        except socket.timeout:
            continue
        if not part:
            break
        content += part
    return content


def test_readers_that_come_early_and_late_get_what_is_in_the_file(imported):
    port = f"port={PORT + 6}"
    server = Game(imported, "server", "transport=enet", port, "seconds=9", "--gamewire-record", "--gamewire-live=45790")
    at = live_port(server)
    early = tshark.scratch() / "home" / "early.pcapng"
    reader = subprocess.Popen([*tshark.unprivileged(), "tshark", "-q", "-i", f"TCP@127.0.0.1:{at}", "-w", early], env=tshark.environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    client = Game(imported, "client1", "transport=enet", port, "seconds=3")
    client.end()
    with socket.create_connection(("127.0.0.1", at)) as connection:
        late = imported / "late.pcapng"
        late.write_bytes(read_all(connection, 20))
    server.end()
    reader.wait(timeout=20)
    recorded = records(server.recording())
    assert len(recorded) > 100
    for path in (early, late):
        read = records(path)
        assert [record.data for record in read] == [record.data for record in recorded]
        assert [record.handler_time for record in read] == [record.handler_time for record in recorded]
        assert "Names: res://main.gd" in info(path)[0]


def test_a_reader_that_stops_reading_loses_whole_messages_which_are_counted(imported):
    """The messages of another client come after them."""
    port = f"port={PORT + 7}"
    server = Game(imported, "server", "transport=websocket", port, "seconds=60", "--gamewire-live=45791", "--gamewire-record")
    at = live_port(server)
    with socket.create_connection(("127.0.0.1", at)) as slow:
        other = Game(imported, "client2", "transport=websocket", port, "seconds=60")
        client = Game(imported, "client1", "transport=websocket", port, "seconds=60", "plan=flood")
        server.wait_for("flood end")
        content = read_all(slow, 8)
    server.wait_for("were left out")
    for game in (other, client, server):
        game.kill()
    path = imported / "slow.pcapng"
    path.write_bytes(content)
    read, recorded = records(path), records(server.recording())
    lost = sum(record.lost for record in read)
    assert lost > 20, (len(read), lost, len(recorded))
    upto = [(record.time, record.sender, record.receiver, record.ordinal) for record in recorded].index(
        (read[-1].time, read[-1].sender, read[-1].receiver, read[-1].ordinal)) + 1
    assert len(read) + lost == upto
    assert is_part([record.data for record in read], [record.data for record in recorded])
    assert f"{lost} messages were left out for a reader that was too slow" in server.output()
    (first, *_) = tshark.fields(path, ["godot_mp.recorded.lost"], "-Y", "godot_mp.recorded.missing")
    assert int(first["godot_mp.recorded.lost"][0]) > 0


# ---- the editor --------------------------------------------------------------------------------------------------

# What the addon starts in place of Wireshark: it reads from the last interface into a file, until the game ends.
READER = """#!/bin/sh
printf '%s\\n' "$@" >"$READER_FILES/arguments"
for interface; do :; done
exec dumpcap -q -i "$interface" -w "$READER_FILES/live.pcapng" >/dev/null 2>&1
"""


def record_in_editor(tmp_path, port, steps, env):
    """What the editor printed, and the arguments of Wireshark. Enabling the addon adds the autoload, which the project had before by hand."""
    project = recordings.make_project(tmp_path, run=False)
    shutil.copytree(Path(__file__).with_name("godot_addon") / "addons" / "driver", project / "addons" / "driver")
    settings = project / "project.godot"
    settings.write_text(settings.read_text() + f"""
[editor]

run/main_run_args="--headless -- role=server transport=enet port={port} seconds=20"

[editor_plugins]

enabled=PackedStringArray("res://addons/gamewire/plugin.cfg", "res://addons/driver/plugin.cfg")
""")
    reader = tmp_path / "reader"
    reader.write_text(READER)
    reader.chmod(0o755)
    env = {**recordings.environment(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config"), "READER_FILES": str(tmp_path), "GAMEWIRE_WIRESHARK": str(reader),
           **env}
    engine = [recordings.ENGINE, "--headless", "--path", project]
    subprocess.run([*engine, "--import"], env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=recordings.TIMEOUT, check=True)
    editor = subprocess.Popen([*engine, "--editor"], env={**env, "DRIVER_STEPS": steps}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    arguments = tmp_path / "arguments"
    for _ in range(20 * recordings.TIMEOUT):
        if arguments.exists() or editor.poll() is not None:
            break
        time.sleep(0.05)
    client = Game(tmp_path, "client1", "transport=enet", f"port={port}", "seconds=4")
    client.end()
    said = editor.communicate(timeout=recordings.TIMEOUT)[0]
    assert "res://addons/gamewire" not in said, said
    return [line for line in said.splitlines() if line.startswith("driver:")], arguments.read_text().splitlines()


def test_one_item_of_the_editor_s_menu_records_the_game(tmp_path):
    said, arguments = record_in_editor(tmp_path, PORT + 8, "record", {"GAMEWIRE_PROFILE": str(tmp_path / "profile")})
    assert said == ["driver: autoload false", "driver: autoload true", "driver: recorded"]
    assert arguments == ["-C", "profile", "-k", "-i", "TCP@127.0.0.1:19123"]
    lines = info(tmp_path / "live.pcapng")
    assert "Names: res://main.gd" in lines[0] and any("RPC reliable(0, " in line for line in lines)


def test_wireshark_starts_without_a_profile_where_it_has_none(tmp_path):
    """It ends at once if it does not have the profile of its option -C."""
    said, arguments = record_in_editor(tmp_path, PORT + 9, "asks,refuse,record", {})
    assert said == ["driver: asks true", "driver: autoload false", "driver: autoload true", "driver: recorded"]
    assert arguments == ["-k", "-i", "TCP@127.0.0.1:19123"]


# ---- the recorder by itself --------------------------------------------------------------------------------------


def check(folder, *arguments):
    done = subprocess.run([recordings.ENGINE, "--headless", "--path", folder / "project", "--script", "check.gd", "--", *arguments],
                          env=recordings.environment(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=recordings.TIMEOUT, check=True)
    return done.stdout


def test_everything_of_the_peer_goes_through(imported):
    lines = check(imported).splitlines()
    assert lines[lines.index(next(line for line in lines if line.startswith("signals"))):] == [
        'signals [["connected", 7], ["connected", 8], ["connected", 9], ["disconnected", 9]]',
        "properties [0, 3, true, 0, 3, true]",
        'own ["own", 1, false, true]',
        "sent to 0 [[1, 7, 0, 3, 0], [1, 8, 0, 3, 0]]",
        "sent to 8 [[1, 8, 0, 3, 1]]",
        "sent to -8 [[1, 7, 0, 3, 1]]",
        'packet [7, 1, 5, "03010203", [[7, 1, 1, 5, 0]]]',
        'packet [7, 1, 5, "03010203", [[7, 1, 1, 5, 1]]]',
        "times [[0, true], [0, true]]",
        'calls [["target", 0], ["put", 2], ["target", 8], ["put", 2], ["target", -8], ["put", 2], ["poll"], ["disconnect", 7, false], '
        '["disconnect", 8, true], ["close"]]',
        "ended [<null>]",
        "state [55, 1]",
        "off by default false",
        "off truetrue",
        "offline true",
        'order ["First", "Second", "Third"]',
    ]


def test_a_recording_continues_in_another_file_which_begins_with_what_it_needs(imported):
    check(imported, "parts")
    paths = sorted((imported / "home").rglob("gamewire/*-1*.pcapng"), key=lambda path: (len(path.name), path.name))
    found = [records(path) for path in paths]
    assert len(found) > 4 and [bool(re.search(r"-part\d\.pcapng$", path.name)) for path in paths] == [False] + [True] * (len(found) - 1)
    assert all(one[0].data == b"\x01\0" and one[0].time == found[0][0].time for one in found)
    received = [record for one in found for record in one if record.is_received]
    assert [record.ordinal for record in received] == list(range(60)) and all(record.handler_time < 10**6 for record in received)
    assert [record.ordinal for one in found for record in one[1:] if not record.is_received] == list(range(1, 61))


def test_a_peer_that_connects_again_begins_another_file(imported):
    """The game closes the object that it keeps, and uses it again, without setting it again."""
    before = set((imported / "home").rglob("gamewire/*.pcapng"))
    check(imported, "again")
    first, second = sorted(set((imported / "home").rglob("gamewire/*.pcapng")) - before, key=lambda path: (len(path.name), path.name))
    for path, count, ordinals in ((first, 4, [0, 1]), (second, 1, [2])):
        kinds = [kind for kind, _ in recordings.blocks(path.read_bytes())]
        assert kinds == [recordings.SECTION, recordings.INTERFACE, *[recordings.PACKET] * count, recordings.STATISTICS]
        assert [record.ordinal for record in records(path) if record.is_received] == ordinals


def test_a_message_costs_little(imported):
    """A game that sends 1,000 messages a second spends less than a tenth of its time. Messages of 100 bytes."""
    said = re.search(r"sent (\S+) received (\S+) off (\S+) bytes (\S+)", check(imported, "cost"))
    cost = dict(zip(("sent", "received", "off", "bytes"), map(float, said.groups())))
    assert cost["sent"] < 100 and cost["received"] < 100 and cost["off"] < 10 and 264 <= cost["bytes"] < 265, cost
