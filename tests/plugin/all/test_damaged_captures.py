# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damaged messages between sound ones, sent by the real engine (pcaps/godot/damaged): each is shown with its fault, and the
sound ones as in other captures. The records have the bytes, and what the receiving engine printed."""

import functools
import re
from typing import NamedTuple

import pytest

import gamewire_records
import gamewire_tshark as tshark

FOLDER = tshark.PCAPS / "godot/damaged"
PATHS = tuple(sorted(FOLDER.glob("*.pcap")))
CAPTURES = [path.stem for path in PATHS]
OURS = ("godot", "godot_mp", "godot_stream")
VARIANTS = [f"godot-4.6.3-damaged-{carrier}" for carrier in ("udp", "stream", "websocket")]
CALLS = [name for name in CAPTURES if name not in VARIANTS]

# They share nothing with the messages before them.
UNLIKE = {"big-endian", "text", "05010000"}
# In a stream, four bytes of the game's own and a sound Variant.
AMBIGUOUS = {"length in front"}


def log(name):
    return gamewire_records.read("godot/damaged", f"{name}.calls")


def damaged(name):
    """The bytes of each damaged message that is like others, in the order of sending."""
    others = UNLIKE | (AMBIGUOUS if name.endswith("stream") else set())
    return [line["bytes"] for line in log(name) if line.get("damage") and not others & {line["damage"], line["bytes"]}]


# The engine ignores bits of the command byte that it does not know.
WITH_FAULT = f"({' || '.join(OURS)}) && (_ws.expert.severity == error || godot_mp.flags.unknown)"


@functools.lru_cache(maxsize=None)
def frames_with_fault(*args):
    names = ["frame.number", "_ws.expert.message", "enet.analysis.resend_number"]
    return tshark.fields_of_each(PATHS, names, *args, "-Y", WITH_FAULT)


def faulty_frames(name, *args):
    """Without retransmissions."""
    return [row for row in frames_with_fault(*args)[FOLDER / f"{name}.pcap"] if not row["enet.analysis.resend_number"]]


def faulty_messages(name):
    capture, begins = tshark.together(PATHS)
    frames = [[before + int(row["frame.number"][0]) for row in faulty_frames(each, "-2")]
              for each, before in zip(CAPTURES, begins)]
    numbers = ",".join(str(frame) for of_capture in frames for frame in of_capture)
    packets = tshark.layer_bytes(capture, OURS, "-2", "-Y", f"frame.number in {{{numbers}}}")
    return [message for packet in tshark.split(packets, frames)[CAPTURES.index(name)] for message in packet]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
@pytest.mark.parametrize("name", CAPTURES)
def test_each_damaged_message_is_shown_with_its_fault(name, passes):
    assert len(faulty_frames(name, *passes)) == len(damaged(name)) > 0


@pytest.mark.parametrize("name", [name for name in CAPTURES if not name.endswith("stream")])
def test_the_messages_with_a_fault_are_those_that_were_damaged(name):
    """In a stream, the packets have their lengths in front of them."""
    assert faulty_messages(name) == damaged(name)


@pytest.mark.parametrize("name", VARIANTS)
def test_sound_variants_are_shown_as_they_were_sent(name):
    """Those that the receiver's engine read, and no others; what it rejects has a fault."""
    rejected = [line["bytes"] for line in log(name) if line["errors"]]
    assert all((line["received"] == line["text"]) == (not line["damage"]) for line in log(name))
    assert set(damaged(name)) <= set(rejected)


def test_the_overflow_that_ends_a_client_is_named():
    """The client's engine crashed: its log has no end, and it sends nothing after ENet's acknowledgement."""
    name = "godot-4.6.3-damaged-crash"
    (target,) = [line["target"] for line in log(name) if line.get("damage")]
    (process,) = {line["process"] for line in log(name) if line["peer"] == target and line["process"] != "server"}
    assert process not in {line["process"] for line in log(name) if line["event"] == "quit"}
    (row,) = faulty_frames(name)
    assert row["_ws.expert.message"][0].endswith("the engine does not notice it, reads past the end of the packet and crashes")
    port = {"client1": 40611, "client2": 40612}[process]
    ports = [packet.srcport for packet in packets_of(PATHS)[FOLDER / f"{name}.pcap"]]
    assert ports[int(row["frame.number"][0]):].count(str(port)) == 1


# ---- cut captures --------------------------------------------------------------------------------------------------


class Packet(NamedTuple):
    time: str
    protocols: str
    info: str
    experts: str
    srcport: str


@functools.lru_cache(maxsize=None)
def packets_of(paths, *args):
    """{path: the Packets of the capture}"""
    names = ["frame.time_epoch", "frame.protocols", "_ws.col.Info", "_ws.expert.message", "udp.srcport"]
    found = tshark.fields_of_each(paths, names, *args)
    return {path: [Packet(*("|".join(row[name]) for name in names)) for row in rows] for path, rows in found.items()}


@pytest.mark.parametrize("name", CAPTURES)
def test_two_passes_show_the_messages_that_one_shows(name):
    """But for sound messages at the beginning, which only later ones prove: over WebSocket the ids that the server assigns and names."""
    path = FOLDER / f"{name}.pcap"
    pairs = list(zip(packets_of(PATHS)[path], packets_of(PATHS, "-2")[path], strict=True))
    later = [(one, two) for one, two in pairs if one.protocols != two.protocols]
    assert len(later) <= 3
    assert all(one.protocols.endswith(":data") and "the engine" not in two.experts for one, two in later)


@pytest.mark.parametrize("name", CAPTURES)
def test_the_columns_are_the_same_without_a_tree(name):
    capture, begins = tshark.together(PATHS)
    first, last = begins[CAPTURES.index(name)], begins[CAPTURES.index(name) + 1]
    columns = ["-o", 'gui.column.format:"P","%p","I","%i"']
    for passes in ((), ("-2",)):
        without = tshark.run([*columns, *passes], capture).stdout.splitlines()
        with_tree = tshark.run([*columns, *passes, "-Y", "godot || frame"], capture).stdout.splitlines()
        assert len(without) == len(with_tree) == begins[-1]
        assert without[first:last] == with_tree[first:last]


@functools.lru_cache(maxsize=None)
def cut_captures(captured):
    """{name: a capture with at most so many bytes of each packet}"""
    return {name: tshark.cut_packets(FOLDER / f"{name}.pcap", tshark.scratch() / f"{name}-{captured}.pcap", captured)
            for name in CAPTURES}


@pytest.mark.parametrize("captured", [60, 90, 150])
@pytest.mark.parametrize("name", CAPTURES)
def test_what_the_capture_cut_is_not_said_to_be_rejected(name, captured):
    """Each packet that is cut: only a fault in the bytes that are there may be one."""
    cut = cut_captures(captured)
    whole = packets_of(PATHS, "-2")[FOLDER / f"{name}.pcap"]
    rows = packets_of(tuple(cut.values()), "-2")[cut[name]]
    assert len(rows) == len(whole)
    sound = [row for row, one in zip(rows, whole) if "the engine" not in one.experts]
    assert [row for row in sound if "the engine rejects" in row.experts or "drops the packet" in row.experts] == []


def test_bytes_that_the_capture_cut_are_not_missing(tmp_path):
    """Of the updates of frames 188 and 189, 3 and 228 bytes were not sent."""
    whole = FOLDER / "godot-4.6.3-damaged-spawn.pcap"
    for capture in (whole, tshark.cut_packets(whole, tmp_path / "cut.pcap", 100)):
        rows = tshark.fields(capture, ["godot_mp.update.truncated", "_ws.expert.message"], "-Y", "frame.number in {188, 189}")
        missing = [re.findall(r"(\d+) bytes missing", message) for row in rows for message in row["_ws.expert.message"]]
        assert [count for counts in missing for count in counts] == ["3", "228"]


def test_a_variant_that_the_capture_cut_is_no_unknown_command(tmp_path):
    """Of put_var() in Godot 3.6, in which the packet has the head of multiplayer."""
    whole = tshark.PCAPS / "godot/enet/godot-3.6-enet-put-var.pcap"
    cut = tshark.cut_packets(whole, tmp_path / "cut.pcap", 100)
    assert not tshark.fields(cut, ["frame.number"], "-2", "-Y", "godot_mp.command.unknown")
    assert len(tshark.fields(cut, ["frame.number"], "-2", "-Y", "godot_mp.cut_short")) == 8
