# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A synchronizer of which two peers are the authority: each drops the other's updates."""

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.multiplayer.samples import DECODE_AS, DEFINE

NAME = "godot-4.6.3-rivals"
CAPTURE = tshark.PCAPS / "godot/multiplayer" / f"{NAME}.pcap"
DIFFERS = "godot_mp.sync.owner.differs"


def log(*events):
    return [line for line in gamewire_records.read("godot/multiplayer", f"{NAME}.calls") if line["event"] in events]


def test_updates_of_two_authorities_are_marked_and_name_both():
    """"Part/Ball" has two owners, "Part/Flag" is handed over; the engines log the updates that they drop."""
    owners = {line["process"]: line["owner"] for line in log("own") if line["path"] == "Main/Part/Ball"}
    assert owners["server"] == 1 and owners["client1"] not in (0, 1)
    found = tshark.fields(CAPTURE, ["_ws.expert.message"], "-2", "-Y", DIFFERS)
    dropped = {line["text"].rstrip(".") for line in log("error")}
    assert len(dropped) == 2
    expected = (f"Both the server and client {owners['client1']} send updates of Main/Part/Ball/MultiplayerSynchronizer, "
                "as its authority: each drops the other's, and prints: ")
    texts = {text for packet in found for text in packet["_ws.expert.message"] if "authority" in text}
    assert texts == {expected + text for text in dropped}


def test_each_engine_that_drops_updates_was_sent_marked_ones():
    """Each error of an engine is at a marked update for it, sent within the second before."""
    times = {"server": [], "client1": [], "client2": []}
    ports = {"40600": "server", "40611": "client1", "40612": "client2"}
    for packet in tshark.fields(CAPTURE, ["frame.time_epoch", "udp.dstport"], "-2", "-Y", DIFFERS):
        times[ports[packet["udp.dstport"][0]]].append(float(packet["frame.time_epoch"][0]))
    for line in log("error"):
        assert any(0 <= line["time"] - sent <= 1 for sent in times[line["process"]]), line


# ---- conversations made by hand ------------------------------------------------------------------------------------


def marked(path, senders, step):
    """Updates of one synchronizer, from the server (True) or the client, at intervals of `step` seconds."""
    packets = [tshark.request(datagram(reliable(1, bytes.fromhex(DEFINE))), 0),
               tshark.reply(datagram(reliable(1, bytes.fromhex(DEFINE))), 0)]
    for number, from_server in enumerate(senders):
        update = bytes.fromhex("06") + number.to_bytes(2, "little") + bytes.fromhex("06000080 02000000 0205")
        side = tshark.reply if from_server else tshark.request
        packets.append(side(datagram(reliable(2 + number, update), sent_time=number), 1 + step * number))
    tshark.write_pcap(path, packets)
    found = tshark.fields(path, [DIFFERS, "_ws.expert.message"], *DECODE_AS, "-2", prefs={"godot_mp.generation": "4"})[2:]
    assert all("The peers both send updates of Main" in packet["_ws.expert.message"][-1] for packet in found if packet[DIFFERS])
    return [bool(packet[DIFFERS]) for packet in found]


def test_updates_in_turns_are_of_two_authorities(tmp_path):
    assert marked(tmp_path / "turns.pcap", 10 * [True, False], 0.1) == 20 * [True]
    assert marked(tmp_path / "uneven.pcap", 10 * [True, True, True, False], 0.05) == 2 * [False] + 38 * [True]


def test_an_authority_that_is_handed_over_is_one(tmp_path):
    handed = 10 * [True] + 3 * [True, False] + 10 * [False]
    assert marked(tmp_path / "once.pcap", handed, 0.1) == len(handed) * [False]
    assert marked(tmp_path / "again.pcap", 3 * (10 * [True] + 10 * [False]), 0.1) == 60 * [False]


def test_turns_that_are_over_at_once_are_those_of_a_round_trip(tmp_path):
    assert marked(tmp_path / "short.pcap", 10 * [True, False], 0.02) == 20 * [False]
    assert marked(tmp_path / "slow.pcap", 10 * [True, False], 0.6) == 20 * [False]


def test_only_updates_of_the_two_authorities_are_marked(tmp_path):
    senders = 5 * [True] + 6 * [True, False] + 10 * [True]
    found = marked(tmp_path / "part.pcap", senders, 0.1)
    assert found[:4] == 4 * [False] and found[5:17] == 12 * [True] and found[-3:] == 3 * [False]
