# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of fields.txt is found by a filter of its own name, in some capture of pcaps/; not_captured.txt lists those
that no capture holds. And what a value costs in rows of the tree.

GAMEWIRE_UPDATE_GOLDEN=1 writes not_captured.txt again.
"""

import functools
import json
import os
import re

import gamewire_tshark as tshark

LIST = tshark.TESTS / "fields.txt"
NOT_CAPTURED = tshark.TESTS / "not_captured.txt"
CAPTURES = sorted(tshark.PCAPS.glob("*/*.pcap"))

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
    packets = json.loads(tshark.run(["-2", "-T", "json", *columns, *options], capture).stdout or "[]")
    return {name for packet in packets for name in packet["_source"]["layers"]}


@functools.lru_cache(maxsize=None)
def holder_of():
    """{field: (capture, options) that has it}"""
    found = {}
    for capture in CAPTURES:
        for options in ([], PORTS.get(capture.parent.name)):
            if options is not None:
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
        printed = tshark.run(["-2", "-q", *options, *taps], capture).stdout
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
