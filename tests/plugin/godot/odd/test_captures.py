# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages that no engine writes, given to the real engine (pcaps/godot/odd): each has an expert info, and what that says of the
receiver is what the engine did, by its record."""

import functools
from pathlib import PurePath

import pytest

import gamewire_records
import gamewire_tshark as tshark

FOLDER = tshark.PCAPS / "godot/odd"
VARIANTS, STREAM = "godot-4.6.3-odd-udp", "godot-4.6.3-odd-stream"
MESSAGES = {"godot-4.6.3-odd-messages": 4, "godot-3.2.3-odd-messages": 3}
DEBUGGER, REMOTE_FS = "godot-4.6.3-odd-debugger", "godot-4.6.3-odd-remote-fs"
CHOSEN = ("-d", "udp.port==40700,godot", "-d", "tcp.port==6010,godot_remote_fs")
CHOSEN_IN_ENET = ("-d", "enet.port==40700,godot_mp")

# Texts that say that the receiver gets nothing.
REJECTED = ("the engine rejects the packet", "in the format that only Godot 2 reads", "deeper than the 1024 levels")
DROPPED = ("the engine drops the packet with an error", "Godot cannot read that", "cannot read that (offset", "which the engine never does")
CALLED = "Godot 4 makes "


def log(name):
    return gamewire_records.read("godot/odd", f"{name}.calls")


@functools.lru_cache(maxsize=None)
def rows(name):
    """The packets of the capture that have a layer of ours: {field: values}."""
    fields = ["frame.number", "_ws.expert.message", "_ws.col.Info", "udp.srcport", "tcp.srcport", "tcp.flags.reset", "tcp.stream"]
    return tshark.fields(FOLDER / f"{name}.pcap", fields, "-2", *CHOSEN)


def texts(packet):
    return "|".join(packet["_ws.expert.message"])


def says(packet, phrases):
    return any(phrase in texts(packet) for phrase in phrases)


def test_each_variant_is_read_or_rejected_as_the_engine_does_it():
    lines, packets = log(VARIANTS), rows(VARIANTS)
    assert len(lines) == len(packets) == 17
    for line, packet in zip(lines, packets):
        assert bool(texts(packet)) == bool(line["damage"])
        assert (line["received"] == "null") == says(packet, REJECTED), line["damage"]


def test_the_engine_reads_what_it_is_said_to_read():
    """The values beside what is said of them: the engine's text has no second key, no element of another type, nothing after a NUL."""
    got = {line["damage"]: line["received"] for line in log(VARIANTS)}
    assert got["a bool"] == "[7, true]"
    assert got["a big-endian header"] == "[7, null]"
    assert got["an element of another type than declared"] == "Array[int]([1])"
    assert got["text with a NUL"] == '[7, "a"]'
    assert "".join(got["the same key twice"].split()) == '{1:6,"k":7}'


def test_each_variant_of_a_stream_is_read_as_the_engine_does_it():
    got = {line["damage"]: line["received"] for line in log(STREAM)}
    assert got["a bool"] == "true" and '"Ann"' in got["more after it"]
    found = [texts(packet) for packet in rows(STREAM) if texts(packet) and "Connection" not in texts(packet)]
    assert "A bool is neither 0 nor 1; it reads as true" in found[0] and "the engine ignores them" in found[1]


@functools.lru_cache(maxsize=None)
def sent_messages(name):
    """{what is odd: (its line of the record, its packet)}: the server's messages, each in one datagram or its last fragment."""
    packets = tshark.fields(FOLDER / f"{name}.pcap", ["_ws.expert.message"], "-2", *CHOSEN_IN_ENET, "-Y", "godot_mp && udp.srcport == 40700")
    lines = [line for line in log(name) if "damage" in line]
    assert len(lines) == len(packets)
    return {line["damage"]: (line, packet) for line, packet in zip(lines, packets)}


@pytest.mark.parametrize("name", MESSAGES)
def test_nothing_is_received_of_messages_that_are_said_to_be_dropped(name):
    dropped = {what: line for what, (line, packet) in sent_messages(name).items() if says(packet, DROPPED)}
    assert len(dropped) == (10 if MESSAGES[name] == 4 else 0)
    for what, line in dropped.items():
        accepted = what == "a path without NUL"  # "unless the text is a path"
        assert not line["received"] and bool(line.get("errors", True)) != accepted, what


@pytest.mark.parametrize("name", MESSAGES)
def test_a_call_with_what_cannot_be_read_is_made_by_godot_4_with_null(name):
    called = {what: line["received"] for what, (line, packet) in sent_messages(name).items() if CALLED in texts(packet)}
    values = {"a value of an unknown type": ['take(null, "-")'], "a call with one argument of two": ["take(7, null)"]}
    assert called == {what: values[what] if MESSAGES[name] == 4 else [] for what in called}
    assert len(called) == 2


def test_the_scene_has_what_the_messages_leave_in_it():
    """The second spawn with the same net id is refused; a byte after a despawn is ignored."""
    nodes = {what: line["nodes"] for what, (line, _) in sent_messages("godot-4.6.3-odd-messages").items()}
    assert nodes["a spawner's path"] == 1 and nodes["a spawn"] == nodes["the same spawn"] == 2
    assert nodes["a despawn with a byte after it"] == 1


def test_the_game_reports_an_error_for_each_message_that_is_none():
    infos = [packet["_ws.col.Info"][0] for packet in rows(DEBUGGER)]
    invalid = [packet for packet in rows(DEBUGGER) if "No message of the debugger begins here" in texts(packet)]
    assert len(invalid) == 2
    errors = [info for info in infos if info.startswith("error: ")]
    assert len([info for info in errors if "cmd.size() != 3" in info or "decode Variant" in info]) == 2


def test_the_editor_closes_what_it_is_said_to_close():
    closed = {line["what"]: line["closed"] for line in log(REMOTE_FS) if line["what"].startswith("another ") and "end" not in line["what"]}
    assert closed == {"another magic": True, "another version": True}
    said = {packet["tcp.stream"][0] for packet in rows(REMOTE_FS) if "the editor closes the connection" in texts(packet)}
    reset = {packet["tcp.stream"][0] for packet in rows(REMOTE_FS) if packet["tcp.flags.reset"][0] in ("1", "True") and packet["tcp.srcport"] == ["6010"]}
    assert len(said) == 2 and said <= reset


def test_every_capture_has_a_record():
    names = {PurePath(path).stem for path in FOLDER.glob("*.pcap")}
    assert {name for name in names if log(name)} == names
