# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Games of the real engine that record themselves: compared with captures of the same runs, and with what the games print."""

import re
import subprocess

import pytest

import gamewire_tshark as tshark

from . import recordings
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


def exported(capture, folder):
    """The messages of a packet capture, as the plugin exports them."""
    path = tshark.scratch() / "home" / f"{folder.name}-exported.pcapng"
    tshark.run(["-2", "-U", "Godot Multiplayer", "-w", path], capture)
    return records(path)


def is_part(few, many):
    """True if the messages are among the others, in their order."""
    rest = iter(many)
    return all(one in rest for one in few)


@pytest.fixture(scope="module")
def enet(imported):
    """A server and two clients over ENet, recorded by themselves and captured."""
    with Capture(imported / "enet.pcapng", f"udp port {PORT}") as capture:
        games = play(imported, "transport=enet", f"port={PORT}", "--gamewire-record")
    return games, capture.path


@needs_capture
def test_a_recording_has_the_messages_of_the_wire(enet, imported):
    """Of the unreliable messages, ENet drops some itself when it thinks that the connection is slow."""
    games, capture = enet
    wire = exported(capture, imported)
    recorded = records(games["server"].recording())
    assert len(wire) > 500
    of_channel = [apart(messages, lambda record: (record.sender, record.receiver, number_of(record))) for messages in (wire, recorded)]
    assert of_channel[0].keys() == of_channel[1].keys() and len(of_channel[0]) == 2 * 7
    for way, messages in of_channel[0].items():
        if way[2] in (0, 5):
            assert messages == of_channel[1][way], way
        else:
            assert is_part(messages, of_channel[1][way]), way


def number_of(record):
    """ENet's channel: 0 and 1 are for channel 0, n + 1 for channel n."""
    if record.version == 1:
        return record.channel
    return record.channel + 1 if record.channel else int(record.mode != RELIABLE)


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
            one, other = ([record.data for record in side if record.mode == RELIABLE] for side in (one, other))
            # The end that was closed first does not have the last messages of the other one.
            assert min(len(one), len(other)) > 40 and all(a == b for a, b in zip(one, other))


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
