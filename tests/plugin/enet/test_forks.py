# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of the forks' own libraries: each format is decoded as its hosts recorded what they sent, from the CONNECT on
and, with the preference, from the middle; without loss, and through a relay that loses datagrams."""

import functools
import itertools

import pytest

import gamewire_records
import gamewire_tshark as tshark

FOLDER = tshark.PCAPS / "enet-versions"

# Of a capture: the server's port, the preference of the format, and enet.format of the client's and of the server's
# datagrams; None: ENet 1.3.
CAPTURES = {
    "csharp": ("40520", "csharp", "1", "1"),
    "csharp-checksum": ("40521", "csharp", "1", "1"),
    "csharp-lossy": ("40522", "csharp", "1", "1"),
    "growtopia": ("40530", "growtopia", "2", None),
    "growtopia-checksum": ("40531", "growtopia", "2", None),
    "growtopia-lossy": ("40532", "growtopia", "2", None),
    "league-seasons-1-2": ("40540", "1.2", "3", "3"),
    "league-seasons-1-2-lossy": ("40541", "1.2", "3", "3"),
    "league-seasons-3-4": ("40542", "league_3", "4", "4"),
    "league-seasons-3-4-lossy": ("40543", "league_3", "4", "4"),
    "league-patch-4-20": ("40544", "league_4_20", "5", "5"),
    "league-patch-4-20-lossy": ("40545", "league_4_20", "5", "5"),
    "league-season-8": ("40546", "league_8_client", "6", "7"),
    "league-season-8-lossy": ("40547", "league_8_client", "6", "7"),
    "zpl-more-peers": ("40550", "more_peers", "8", "8"),
    "zpl-more-peers-checksum": ("40552", "more_peers", "8", "8"),
    "zpl-more-peers-lossy": ("40555", "more_peers", "8", "8"),
}
LOSSY = [name for name in CAPTURES if name.endswith("-lossy")]
ENCRYPTED = {"enet6-encrypted": "40560", "enet6-encrypted-checksum": "40561"}
FORMAT_ENCRYPTED = "9"
KEY_FIRST, KEY_STEP = 0x5A, 0x35  # of encrypted.c
WITH_PAYLOAD = {"6", "7", "8", "9", "12"}
FIRST_OF_FRAGMENT = 1000  # longer messages are in fragments

every_pass = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])


def path_of(name):
    return FOLDER / f"{name}.pcap"


def recorded(name, what):
    """(host, channel, payload) of each call."""
    return {(call["host"], str(call["channel"]), call["payload"])
            for call in gamewire_records.read(FOLDER.name, f"{name}.calls") if call["what"] == what}


# What the tests of whole captures read, with one start of tshark.
NAMES = ["frame.protocols", "udp.srcport", "enet.format", "enet.connection", "enet.command", "enet.channel", "enet.sequence",
         "enet.payload", "enet.reassembly.data", "enet.fragment.start", "enet.checksum.status", "_ws.malformed",
         "enet.analysis.retransmission"]


@functools.lru_cache(maxsize=None)
def all_packets(names, fields, *args):
    """{capture: each packet's values of some fields}"""
    return tshark.fields_of_each([path_of(name) for name in names], fields, *args)


def packets(name, *args):
    return all_packets(tuple(CAPTURES), tuple(NAMES), *args)[path_of(name)]


def captured(name, *args):
    """(host, channel, payload) of each message in the capture."""
    found = set()
    for packet in packets(name, *args):
        host = "server" if packet["udp.srcport"][0] == CAPTURES[name][0] else "client"
        channels = [channel for command, channel in zip(packet["enet.command"], packet["enet.channel"])
                    if command in WITH_PAYLOAD]
        data = packet["enet.reassembly.data"] if packet["enet.fragment.start"] else packet["enet.payload"]
        found |= {(host, channel, payload.replace(":", "")) for channel, payload in zip(channels, data)}
    return found


@every_pass
@pytest.mark.parametrize("name", [name for name in CAPTURES if name not in LOSSY])
def test_each_message_is_decoded(name, passes):
    sent = recorded(name, "send")
    assert len(sent) == 22
    assert captured(name, *passes) == sent


@every_pass
@pytest.mark.parametrize("name", LOSSY)
def test_each_message_is_decoded_with_loss(name, passes):
    """The capture is the client's: it has what the client sent before the relay lost it, and of the server's messages at
    least those that arrived."""
    sent, received, found = recorded(name, "send"), recorded(name, "received"), captured(name, *passes)
    assert found <= sent
    assert {message for message in found if message[0] == "client"} == {message for message in sent if message[0] == "client"}
    arrived = {("server", *message[1:]) for message in received if message[0] == "client"}
    assert arrived and arrived <= found


@every_pass
@pytest.mark.parametrize("name", CAPTURES)
def test_the_format_is_recognized_by_the_connect(name, passes):
    port, _, of_client, of_server = CAPTURES[name]
    # All captures are read as one, and each has one connection.
    connection = str(list(CAPTURES).index(name))
    for packet in packets(name, *passes):
        wanted = of_server if packet["udp.srcport"][0] == port else of_client
        assert "udp:enet" in packet["frame.protocols"][0]
        assert packet["enet.format"] == ([wanted] if wanted else [])
        assert packet["enet.connection"] == [connection] and not packet["_ws.malformed"]
        assert not {"0", "3"} & set(packet["enet.checksum.status"])


@pytest.mark.parametrize("name", LOSSY)
def test_what_the_relay_lost_is_sent_again(name):
    assert any(packet["enet.analysis.retransmission"] for packet in packets(name, "-2"))


BEFORE = [1, 20]


@functools.lru_cache(maxsize=None)
def read_from_the_middle(ports, preference, has_checksum, fields):
    """{(name, number of packets before): each packet's values of some fields} of captures that are read with the same options."""
    cut = {}
    for name, before in itertools.product(dict(ports), BEFORE):
        path = tshark.scratch() / f"{name}-{before}.pcap"
        cut[name, before] = tshark.write_pcap(path, list(tshark.read_pcap(path_of(name)))[before:])
    options = [part for _, port in ports for part in ("-d", f"udp.port=={port},enet")] + ["-o", f"enet.format:{preference}"]
    if has_checksum:
        options += ["-o", "enet.checksum:always"]
    found = tshark.fields_of_each(list(cut.values()), fields, *options)
    return {key: found[path] for key, path in cut.items()}


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("name", CAPTURES)
def test_the_preference_reads_a_capture_from_the_middle(name, before):
    preference, has_checksum = CAPTURES[name][1], "checksum" in name
    names = ("enet.format", "enet.command", "enet.channel", "enet.sequence", "enet.payload")
    alike = tuple((other, CAPTURES[other][0]) for other in CAPTURES
                  if CAPTURES[other][1] == preference and ("checksum" in other) == has_checksum)
    whole = [{field: packet[field] for field in names} for packet in packets(name)]
    assert read_from_the_middle(alike, preference, has_checksum, names)[name, before] == whole[before:]


# ---- enet6 with encryption -------------------------------------------------------------------------------


def decrypted(data):
    data = bytes.fromhex(data.replace(":", ""))
    key = itertools.count(KEY_FIRST, KEY_STEP)
    plain = bytes(byte ^ next(key) & 0xFF for byte in data)
    assert plain[-1] == 0  # which encrypted.c adds
    return plain[:-1]


NAMES_OF_ENCRYPTED = ("udp.srcport", "enet.format", "enet.peer", "enet.command", "enet.encrypted", "enet.encrypted.data",
                      "enet.checksum.status", "enet.analysis.gap", "_ws.col.Info")


def encrypted_packets(name, *args):
    return all_packets(tuple(ENCRYPTED), NAMES_OF_ENCRYPTED, *args)[path_of(name)]


@every_pass
@pytest.mark.parametrize("name", ENCRYPTED)
def test_encrypted_commands_are_shown_as_such(name, passes):
    packets = encrypted_packets(name, *passes)
    plain = {"client": b"", "server": b""}
    for packet in packets:
        assert packet["enet.format"] == [FORMAT_ENCRYPTED] and not packet["enet.analysis.gap"]
        is_encrypted = packet["enet.encrypted"] == ["1"]
        assert bool(packet["enet.command"]) != is_encrypted
        # The library computes the checksum with the commands before encryption.
        assert packet["enet.checksum.status"] == ([] if "checksum" not in name else ["2"] if is_encrypted else ["1"])
        if is_encrypted:
            data = packet["enet.encrypted.data"][0]
            assert packet["_ws.col.Info"] == [f"Encrypted len={len(data) // 2}"]
            plain["server" if packet["udp.srcport"][0] == ENCRYPTED[name] else "client"] += decrypted(data)
    assert [packet["enet.command"] for packet in packets[:2]] == [["2"], ["3"]]
    for host, _, payload in recorded(name, "send"):
        assert len(payload) > 2 * FIRST_OF_FRAGMENT or bytes.fromhex(payload) in plain[host]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("name", ENCRYPTED)
def test_the_preference_reads_encrypted_datagrams_from_the_middle(name, before):
    names = ("enet.format", "enet.peer", "enet.encrypted.data", "enet.command")
    found = read_from_the_middle(((name, ENCRYPTED[name]),), "enet6", "checksum" in name, names)[name, before]
    assert found == [{field: packet[field] for field in names} for packet in encrypted_packets(name)[before:]]
