# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The short names of the protocols, which Wireshark shows in "Enabled Protocols", in menus, preferences and statistics: one name for one
protocol everywhere, which differs from the others in the column "Protocol"."""

import re

import pytest

import gamewire_tshark as tshark

# The column is as wide as its title, less the margins of a cell: longer texts end in "…" after six letters.
COLUMN_WIDTH = 7
CAPTURES = ("enet/lossy-client", "godot/variant/godot-4.6.3-game", "godot/stream/godot-4.6.3-stream",
            "godot/stream/godot-4.6.3-stream-mixed", "godot/stream/godot-4.6.3-values-websocket",
            "godot/debugger/godot-4.6.3-debugger", "godot/multiplayer/godot-4.6.3-calls", "godot/multiplayer/godot-4.6.3-calls-websocket",
            "godot/remote_fs/godot-4.6.3-remote-fs", "leviathan/session", "squirrel/session")


def names():
    """{filter name: short name}"""
    rows = (line.split("\t") for line in tshark.run(["-G", "protocols"]).stdout.splitlines())
    return {row[2]: row[1] for row in rows if row[2] in tshark.PROTOCOLS}


def test_short_names_differ_in_what_the_column_shows():
    found = names()
    assert len(found) == len(tshark.PROTOCOLS)
    shown = {name if len(name) <= COLUMN_WIDTH else name[: COLUMN_WIDTH - 1] for name in found.values()}
    assert len(shown) == len(found)
    assert all(name.startswith("Godot") for protocol, name in found.items() if protocol.startswith("godot"))


def test_the_column_has_the_short_name_of_the_last_protocol_of_ours():
    capture, _ = tshark.together(tuple(tshark.PCAPS / f"{name}.pcap" for name in CAPTURES))
    of_protocol, found = names(), set()
    for row in tshark.fields(capture, ["frame.protocols", "_ws.col.Protocol"], "-2"):
        protocols = [name for name in row["frame.protocols"][0].split(":") if name in of_protocol]
        if "godot_stream" in protocols:
            protocols.append("godot_stream")  # whose Variants are layers after it
        if protocols:
            found.add((protocols[-1], row["_ws.col.Protocol"][0]))
    assert found == set(of_protocol.items())


@pytest.mark.parametrize("tap, pattern", [("gamewire,connections", r"^\S+ [→↔] [^|]*\| *([^|]*?) *\|"),
                                          ("expert", r"^ +\d+ +\S+ +(.+?)  ")])
def test_statistics_have_the_short_names(tap, pattern):
    capture, _ = tshark.together(tuple(tshark.PCAPS / f"{name}.pcap" for name in CAPTURES))
    found = set(re.findall(pattern, tshark.run(["-2", "-q", "-z", tap], capture).stdout, re.MULTILINE))
    ours = {name for name in found if re.match("Godot|ENet|Leviathan|Squirrel", name)}
    assert len(ours) >= 4 and ours <= set(names().values())


def test_texts_of_the_project_have_no_other_short_names():
    """Names of menus, preferences and columns in pages, programs and dissectors."""
    texts = (path for path in (tshark.SOURCE / "plugin").rglob("*") if path.suffix in (".md", ".c", ".gd", ".py", ".sh"))
    assert [path.name for path in texts if re.search(r"Godot (MP|FS|Debugger)\b", path.read_text(encoding="utf-8"))] == []
