# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""One row for each finding: what the plugin registers is what the Info column, the profile's colors and the pages have."""

import functools
import re
import sys

import gamewire_tshark as tshark
from plugin.all.test_profile import with_profile

sys.path.insert(0, str(tshark.SOURCE / "plugin" / "tools"))
import finding_reference  # noqa: E402

ORDINARY = ("call of a method", "Godot", "only acknowledgements or pings (dimmed)", "Leviathan", "Squirrel", "ENet", "")
LIST = tshark.SOURCE / "plugin" / "docs" / "reference" / "findings.md"
CAPTURES = tuple(sorted(tshark.PCAPS.rglob("*.pcap*")))


@functools.lru_cache(maxsize=None)
def findings():
    """{filter: (severity, word, summary, remedy)} of the installed plugin: word and remedy may be empty"""
    listed = finding_reference.findings(tshark.run(["-G", "fields"]).stdout.splitlines())
    return {name: (severity, word, summary, remedy) for _, name, severity, word, summary, remedy in listed}


def serious():
    return [name for name, (severity, *_) in findings().items() if severity in ("Error", "Warning")]


@functools.lru_cache(maxsize=None)
def serious_packets():
    """(capture, frame, its findings, color, Info) of each packet with a warning or an error, in all captures"""
    names = ["frame.number", "frame.coloring_rule.name", "_ws.col.Info"]
    any_of_them = " || ".join(serious())
    options = ["-2", "--color", "-C", "Gamewire", "-Y", any_of_them]
    found = tshark.fields_of_each(CAPTURES, [*names, *serious()], *options, env=with_profile())
    return [(path.relative_to(tshark.PCAPS).as_posix(), row["frame.number"][0], [name for name in serious() if row[name]],
             "".join(row["frame.coloring_rule.name"]).removeprefix("Gamewire: "), row["_ws.col.Info"][0])
            for path, rows in found.items() for row in rows]


# Whose lines begin so.
SAID = {"godot_debugger.game_error": "error: ", "godot_debugger.game_warning": "warning: "}


def has_word(name, info):
    """A fault of a codec ends the line with its summary."""
    _, word, summary, _ = findings()[name]
    return SAID.get(name, f"[{word or summary}]") in info


def test_the_findings_equal_the_list():
    page = finding_reference.page(tshark.run(["-G", "fields"]).stdout.splitlines())
    if tshark.updating_golden():
        tshark.rewrite_golden(LIST, page)
    assert page == LIST.read_text(encoding="utf-8")


def test_expert_infos_are_added_and_registered_by_one_file():
    sources = {path.relative_to(tshark.SOURCE).as_posix(): re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
               for path in (tshark.SOURCE / "plugin").rglob("*.[ch]") if "docs" not in path.parts}
    adding = re.compile(r"\b(expert_add_info|proto_tree_add_expert|ei_register_info|expert_register_field)\w*")
    assert [path for path, text in sources.items() if adding.search(text)] == ["plugin/common/findings.c"]


def test_each_warning_and_error_has_a_remedy():
    assert len(serious()) > 100
    assert [name for name in serious() if not findings()[name][3]] == []


def test_info_has_the_word_of_each_packet_with_a_warning_or_an_error():
    without = [packet for packet in serious_packets() if not any(has_word(name, packet[4]) for name in packet[2])]
    assert len(serious_packets()) > 500
    assert without == []


def test_packets_with_a_warning_or_an_error_have_a_color_of_their_own():
    ordinary = [packet for packet in serious_packets() if packet[3] in ORDINARY]
    assert ordinary == []
