# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The generation of each direction of a connection: peers of different generations, and messages that both read."""

import struct

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.multiplayer.samples import DECODE_AS, DEFINE
from plugin.godot.variant.variants import encode

FOLDER = tshark.PCAPS / "godot/multiplayer"
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
DIFFERS = "godot_mp.generations.differs"


# ---- peers of different generations --------------------------------------------------------------------------------

MIXED = {"godot-4.6.3-mixed": {"server": "4", "client1": "3"}, "godot-4.6.3-mixed-client": {"server": "3", "client1": "4"}}
TEXT = "The peers are of different Godot generations: neither understands the other"


@PASSES
@pytest.mark.parametrize("capture", MIXED)
def test_each_direction_is_read_in_its_own_generation(capture, passes):
    """Against the log of the two engines: the calls of each process, and no message that is none of its own."""
    names = ["udp.srcport", "godot_mp.generation", "godot_mp.command", "godot_mp.rpc.path", "godot_mp.rpc.argument"]
    found = tshark.fields(FOLDER / f"{capture}.pcap", names, "-Y", "godot_mp", *passes)
    calls = [line for line in gamewire_records.read("godot/multiplayer", f"{capture}.calls") if line["event"] == "call"]
    for process, generation in MIXED[capture].items():
        sent = [packet for packet in found if (packet["udp.srcport"] == ["40600"]) == (process == "server")]
        assert {packet["godot_mp.generation"][0] for packet in sent} == {generation}
        assert [packet["godot_mp.command"] for packet in sent if not packet["godot_mp.rpc.path"]] == [["SIMPLIFY_PATH"]]
        assert [(packet["godot_mp.rpc.path"], packet["godot_mp.rpc.argument"]) for packet in sent
                if packet["godot_mp.rpc.path"]] == [([line["path"]], line["arguments"]) for line in calls
                                                    if line["process"] == process]


@pytest.mark.parametrize("capture", MIXED)
def test_peers_of_different_generations_have_an_expert_info(capture):
    """On the first pass, from the first message of the other generation on."""
    names = ["udp.srcport", DIFFERS, "_ws.expert.message"]
    for passes in ((), ("-2",)):
        found = tshark.fields(FOLDER / f"{capture}.pcap", names, "-Y", "godot_mp", *passes)
        first = found.index(next(packet for packet in found if packet["udp.srcport"] == ["40600"]))
        assert first == 2
        assert [bool(packet[DIFFERS]) for packet in found] == [bool(passes) or index >= first for index in range(len(found))]
        assert all(TEXT in packet["_ws.expert.message"] for packet in found if packet[DIFFERS])


def test_other_captures_have_peers_of_one_generation():
    found = tshark.captures_of("godot/multiplayer")
    frames = tshark.fields(found, ["udp.port"], "-2", "-Y", DIFFERS)
    mixed = [tshark.fields(FOLDER / f"{capture}.pcap", ["udp.port"], "-2", "-Y", "godot_mp") for capture in MIXED]
    assert len(frames) == sum(map(len, mixed))


# ---- a client's id that begins with a command of Godot 4 -----------------------------------------------------------

LOW_BYTES = "godot-3.6-low-bytes"


def sent_bytes():
    return sorted(line["bytes"] for line in gamewire_records.read("godot/multiplayer", f"{LOW_BYTES}.calls")
                  if line["event"] == "send_bytes")


@pytest.mark.parametrize("first, passes", [(0, ()), (0, ("-2",)), (20, ("-2",)), (40, ("-2",))])
def test_raw_bytes_are_those_that_the_game_sent(first, passes, tmp_path):
    """Also without the beginning of the capture, which has the clients' ids: the calls prove the generation."""
    path = FOLDER / f"{LOW_BYTES}.pcap"
    if first:
        path = tshark.cut_beginning(path, tmp_path / "cut.pcap", first)
    found = tshark.fields(path, ["godot_mp.generation", "godot_mp.data"], *passes, "-Y", "godot_mp.data")
    assert {value for packet in found for value in packet["godot_mp.generation"]} == {"3"}
    shown = sorted(value.replace(":", "") for packet in found for value in packet["godot_mp.data"])
    # Those for the other client are relayed: they are in the capture twice.
    assert shown == sorted(sent_bytes() + sent_bytes()[::2])


# ---- messages made by hand, without CONNECT ------------------------------------------------------------------------

PEER = 0x2DFED790  # in bytes, 90 d7 fe 2d: a call in Godot 4, whose arguments are bytes
RAW = bytes.fromhex("90d7fe2d 01000000 04 deadbeef00ff")
RAW_OF_4 = b"\x03" + RAW[1:]


def call_of_3(number):
    return struct.pack("<iiBI", PEER, 1, 0, 6) + b"move%d\0\x01" % number + encode(number, 3)


def generations(path, messages, *args):
    """Of each message of the client, in a datagram of its own."""
    tshark.write_pcap(path, [tshark.request(datagram(reliable(number, message, 1), sent_time=number), number / 10)
                             for number, message in enumerate(messages, 1)])
    return [packet["godot_mp.generation"] for packet in tshark.fields(path, ["godot_mp.generation"], *DECODE_AS, *args)]


@PASSES
def test_raw_bytes_after_calls_of_godot_3_are_of_godot_3(passes, tmp_path):
    found = generations(tmp_path / "calls.pcap", [*map(call_of_3, range(10)), RAW], *passes)
    assert found == 11 * [["3"]]


@PASSES
def test_raw_bytes_after_a_path_of_godot_4_are_of_godot_4(passes, tmp_path):
    found = generations(tmp_path / "path.pcap", [bytes.fromhex(DEFINE), RAW, RAW_OF_4], *passes)
    assert found == 3 * [["4"]]


@PASSES
def test_one_call_of_godot_3_is_of_godot_3(passes, tmp_path):
    """In Godot 4 it would be a call with raw bytes as arguments; nothing else in the capture has a generation."""
    call = struct.pack("<iiBI", PEER, 1, 0, 6) + b"hit\0\0"
    assert generations(tmp_path / "one.pcap", [call], *passes) == [["3"]]


def test_a_constant_source_is_evidence(tmp_path):
    """Only raw bytes: each message can be read as Godot 4. Messages that are equal are no evidence."""
    different = [RAW[:9] + bytes([number]) * 4 for number in range(12)]
    assert generations(tmp_path / "source.pcap", different)[-1] == ["3"]
    assert generations(tmp_path / "source.pcap", different, "-2") == 12 * [["3"]]
    assert generations(tmp_path / "equal.pcap", 12 * [RAW], "-2") == 12 * [["4"]]
    others = [struct.pack("<i", PEER + (number << 8)) + RAW[4:] for number in range(12)]
    assert generations(tmp_path / "others.pcap", others, "-2") == 12 * [["4"]]
