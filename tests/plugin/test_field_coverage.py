# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of fields.txt is found by a filter of its own name, in some capture of pcaps/ or in changed packets of one;
not_captured.txt lists those that none of them holds. And what a value costs in rows of the tree.

GAMEWIRE_UPDATE_GOLDEN=1 writes not_captured.txt again.
"""

import functools
import json
import os
import random
import re

import gamewire_tshark as tshark
import test_godot_multiplayer as multiplayer

LIST = tshark.TESTS / "fields.txt"
NOT_CAPTURED = tshark.TESTS / "not_captured.txt"
CAPTURES = sorted(tshark.PCAPS.glob("*/*.pcap"))
TIMEOUT = 600  # a run with each field named takes long

# Where a dissector has to be chosen: captures of malformed packets are not recognised everywhere.
PORTS = {
    "leviathan": ["-d", "udp.port==53221,leviathan"],
    "enet": ["-d", "udp.port==40500,enet"],
}
# Filters a run. One by one, no field can be there only because another was named too; that takes ten minutes.
AT_ONCE = 1 if os.environ.get("GAMEWIRE_EXHAUSTIVE") else 60


def all_fields():
    return [line.split("\t")[0] for line in LIST.read_text(encoding="utf-8").splitlines()]


def named_in(capture, options):
    """The fields that some packet of a capture has when all are asked for."""
    columns = [part for name in all_fields() for part in ("-e", name)]
    packets = json.loads(tshark.run(["-2", "-T", "json", *columns, *options], capture, timeout=TIMEOUT).stdout or "[]")
    return {name for packet in packets for name in packet["_source"]["layers"]}


# Packets of these captures, cut, with another byte or one too many; and how they are read.
CHANGED = {
    "godot": (["godot/*.pcap"], [["-d", "udp.port==41001,godot", "-o", f"godot.generation:{n}"] for n in "234"]),
    "enet": (["enet/*.pcap"], [["-d", "udp.port==41001,enet"]]),
    "multiplayer": (
        ["godot-multiplayer/*-calls.pcap", "godot-multiplayer/*-spawn.pcap"],
        [["-d", "udp.port==41001,enet", "-d", "enet.port==41001,godot.multiplayer"]],
    ),
    "leviathan": (
        ["leviathan/*.pcap"],
        [["-d", "udp.port==41001,leviathan", "-o", f"leviathan.numbering:{numbering}"]
         for numbering in ("Since 2018-12-09 (newest)", "2018-10-30 to 2018-11-17", "2017-04-05 to 2018-10-29")],
    ),
    "squirrel": (["squirrel/*.pcap"], [["-d", "udp.port==41001,squirrel"]]),
}
PACKETS = 30


def changed(payload, chance):
    for _ in range(8):
        yield payload[: chance.randrange(len(payload))]
    for _ in range(12):
        at = chance.randrange(len(payload))
        yield payload[:at] + bytes([chance.choice((0, 1, 2, 0x7F, 0x80, 0xFF))]) + payload[at + 1 :]
    yield payload + b"\1"


@functools.lru_cache(maxsize=None)
def changed_packets(family):
    chance = random.Random(1)
    payloads = {}
    for capture in sorted(path for pattern in CHANGED[family][0] for path in tshark.PCAPS.glob(pattern)):
        for packet in tshark.read_pcap(capture):
            payloads.setdefault((packet.payload[:4], len(packet.payload)), packet.payload)
    some = chance.sample(sorted(filter(None, payloads.values())), min(PACKETS, len(payloads) - 1))
    texts = [each for payload in some for each in changed(payload, chance)]
    packets = [tshark.Udp(41000, 41001, text, 0.001 * number) for number, text in enumerate(texts)]
    return tshark.write_pcap(tshark.scratch() / f"changed-{family}.pcap", packets)


def readings():
    """(capture, options) of all that is looked through."""
    for capture in CAPTURES:
        yield capture, []
        if capture.parent.name in PORTS:
            yield capture, PORTS[capture.parent.name]
        if capture.name.startswith("godot-4") and capture.parent.name == "godot-multiplayer":
            yield capture, multiplayer.tables()
    for family, (_, ways) in CHANGED.items():
        for options in ways:
            yield changed_packets(family), options


@functools.lru_cache(maxsize=None)
def holder_of():
    """{field: (capture, options) that has it}"""
    found = {}
    for capture, options in readings():
        for name in named_in(capture, options):
            found.setdefault(name, (capture, tuple(options)))
    return found


def not_captured():
    return NOT_CAPTURED.read_text(encoding="utf-8").splitlines()


def test_what_no_capture_holds_is_listed():
    missing = [name for name in all_fields() if name not in holder_of()]
    if tshark.updating_golden():
        tshark.rewrite_golden(NOT_CAPTURED, "\n".join(missing) + "\n")
    assert missing == not_captured()


def groups():
    """Fields of one capture together."""
    by_capture = {}
    for name in all_fields():
        if name in holder_of():
            by_capture.setdefault(holder_of()[name], []).append(name)
    for (capture, options), names in by_capture.items():
        for at in range(0, len(names), AT_ONCE):
            yield capture, options, names[at : at + AT_ONCE]


def test_each_field_is_found_by_a_filter():
    """On a second pass, without a tree that somebody reads."""
    not_found = []
    for capture, options, names in groups():
        taps = [part for name in names for part in ("-z", f"io,stat,0,{name}")]
        printed = tshark.run(["-2", "-q", *options, *taps], capture, timeout=TIMEOUT).stdout
        counts = re.findall(r"^\| +[\d.]+ <> +[\d.]+ +\| +(\d+) +\|", printed, re.MULTILINE)
        assert len(counts) == len(names)
        not_found += [name for name, count in zip(names, counts) if count == "0"]
    assert not_found == []


# ---- rows a value ----------------------------------------------------------------------------------------

# Frames 7 and 10 of the game took 112 rows when key, type, length, count and path each had one.
ROWS_BEFORE = 112
ROWS = 64
VALUES = 27


def rows_of(capture, frames):
    """Rows below the protocol's own."""
    which = " || ".join(f"frame.number == {number}" for number in frames)
    lines = tshark.run(["-2", "-O", "godot", "-Y", which], capture).stdout.splitlines()
    return [line for line in lines if line.startswith("    ")]


def test_a_value_is_a_row_and_its_path():
    rows = rows_of(tshark.PCAPS / "godot" / "godot-4.6.3-game.pcap", (7, 10))
    paths = [row for row in rows if row.strip().startswith("[Path: ")]
    components = [row for row in rows if re.match(r" +[xy]: ", row)]
    assert len(paths) == VALUES
    generation = [row for row in rows if re.search(r"\[(Generation|Reason|Decided in): ", row)]
    assert len(rows) == 2 * VALUES + len(components) + len(generation) == ROWS < ROWS_BEFORE
