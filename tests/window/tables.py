# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of statistics: those that tshark prints, and those of the windows."""

import itertools
import re
from collections import Counter

import pytest

import gamewire_tshark
import wireshark

# {tap: the way to it in the menu "Statistics"}
TREES = {
    "enet": ("ENet", "Datagrams and Commands"),
    "godot": ("Godot", "Messages and Values"),
    "leviathan": ("Leviathan", "Packets and Messages"),
    "squirrel": ("Squirrel", "Frames and Commands"),
}
RESPONSE_TIMES = {"enet": "ENet", "leviathan": "Leviathan", "squirrel": "Squirrel"}

ENDS = r"(?P<a>[0-9a-f.:]+)\s+<->\s+(?P<b>[0-9a-f.:]+)\s+"
AMOUNT = r"(\d+)\s+[\d,]+(?:\.\d+)?\s*(?:bytes|kB|MB)?\s+"
SEVERITIES = {"Errors": "Error", "Warns": "Warning", "Notes": "Note", "Chats": "Chat"}

# ---- trees and response times --------------------------------------------------------------------------


def printed_rows(samples, tap):
    """The cells of the table that tshark prints, below the line of column titles; empty ones are left out."""
    lines = gamewire_tshark.run(["-q", "-z", tap], samples).stdout.splitlines()
    first = next(number for number, line in enumerate(lines) if re.match(r"(Topic|Index) ", line))
    return [re.split(r"\s{2,}", line.strip()) for line in lines[first + 1 :] if line.strip("-= ")]


def shown_rows(window, dialog):
    _, rows = wireshark.rows(window.table(dialog))
    return [[cell for cell in row if cell] for row in rows]


def expand(window, dialog, count):
    """Opens all rows that have others below them: since 4.6 only those of the first level are open."""
    window.wait(lambda: shown_rows(window, dialog), "a row")
    if gamewire_tshark.wireshark_version() >= (4, 6):
        window.edit(wireshark.cells(window.table(dialog))[0])
        window.keys("Home", *("asterisk", "Down") * count)


def as_set(rows):
    return Counter(tuple(row) for row in rows)


def check_tree(window, name, capture):
    """Opens a tree: its rows, as soon as all are there, are those of tshark."""
    expected = as_set(printed_rows(capture, f"{name},tree"))
    assert len(expected) > 5
    dialog = window.open(TREES[name][-1], "Statistics", *TREES[name])
    expand(window, dialog, len(set(expected)))
    window.wait(lambda: len(shown_rows(window, dialog)) >= expected.total(), f"the rows of {name}")
    assert as_set(shown_rows(window, dialog)) == expected
    window.close(dialog)


def check_response_times(window, name, capture):
    """Number, name and count; the last digit of the times is rounded in different ways."""
    expected = printed_rows(capture, f"{name},srt")
    assert expected
    dialog = window.open("Service Response Time", "Statistics", "Service Response Time", RESPONSE_TIMES[name])
    shown = sorted(shown_rows(window, dialog), key=lambda row: int(row[0]))
    assert [row[:3] for row in shown] == [row[:3] for row in expected]
    for row, times in zip(shown, expected):
        assert [float(time) for time in row[3:]] == pytest.approx([float(time) for time in times[3:]], abs=2e-6)
    window.close(dialog)


# ---- connections ----------------------------------------------------------------------------------------


def check_connections(window, capture):
    """All cells, which are numbers or texts; a number may have other digits after its point."""
    lines = [line for line in printed(capture, "gamewire,connections").splitlines() if line.endswith("|")]
    titles, *expected = [tuple(cell.strip() for cell in line.split("|")[:-1]) for line in lines]
    assert len(expected) > 5
    dialog = window.open("Gamewire Connections", "Statistics", "Gamewire Connections")
    table = window.table(dialog)
    window.wait(lambda: len(wireshark.rows(table)[1]) == len(expected), f"{len(expected)} rows")
    shown_titles, shown = wireshark.rows(table)
    assert tuple(shown_titles) == titles
    for row, wanted in zip(sorted(shown), sorted(expected)):
        for cell, text in itertools.zip_longest(row, wanted, fillvalue=""):
            assert cell == text or float(cell) == pytest.approx(float(text), abs=0.01)
    check_filter(window, dialog, "squirrel", [row for row in expected if "Squirrel" in row])
    # A second window has the same rows in memory.
    window.menu("Statistics", "Gamewire Connections")
    other = window.wait(lambda: next((each for each in wireshark.children(window.app) if each != dialog and
                                      "Gamewire Connections" in (each.get_name() or "")), None), "a second window")
    window.wait(lambda: len(wireshark.rows(window.table(other))[1]) >= len(expected), f"{len(expected)} rows")
    for title in ("Messages", "Connection"):
        window.click(window.find(window.table(dialog), title, "column header", "table column header"))
    window.close(other)
    check_filter(window, dialog, "enet", [row for row in expected if "ENet" in row])
    window.close(dialog)


def check_filter(window, dialog, text, expected):
    box = next(wireshark.descendants(dialog, ("text",)))
    wireshark.Atspi.EditableText.set_text_contents(box, text)
    window.press(window.find(dialog, "Apply", *wireshark.BUTTON))
    window.wait(lambda: len(wireshark.rows(window.table(dialog))[1]) == len(expected), f"{len(expected)} rows")


# ---- conversations, endpoints, expert infos ------------------------------------------------------------


def printed(capture, tap):
    """What tshark prints; in two passes, as the window knows what comes later."""
    return gamewire_tshark.run(["-2", "-q", "-z", tap], capture).stdout


def columns(table, names):
    """The cells of some columns of each row; none while the table is new and its headers have no titles yet."""
    titles, rows = wireshark.rows(table)
    if not set(names) <= set(titles):
        return Counter()
    return Counter(tuple(row[titles.index(name)] for name in names) for row in rows)


def tab_of_enet(window, dialog):
    """Selects the page "ENet", and returns its table."""
    tab = window.wait(
        lambda: next((tab for tab in wireshark.descendants(dialog, ("page tab",)) if tab.get_name().startswith("ENet")), None),
        "the page ENet")
    window.click(tab)
    return window.wait(
        lambda: next((tree for tree in wireshark.descendants(dialog, ("tree",))
                      if wireshark.is_showing(tree) and "Packets" in wireshark.rows(tree)[0]), None), "the table of ENet")


def check_conversations(window, dialog, capture):
    # Of each conversation the packets from B to A, those from A to B, and all of them.
    found = re.findall(ENDS + AMOUNT * 3, printed(capture, "conv,enet"))
    expected = Counter((a, b, all_packets, to_b, to_a) for a, b, to_a, to_b, all_packets in found)
    assert expected
    table = tab_of_enet(window, dialog)
    names = ("Address A", "Address B", "Packets", "Packets A → B", "Packets B → A")
    window.wait(lambda: columns(table, names) == expected, f"the rows {expected}")


def check_endpoints(window, dialog, capture):
    expected = Counter(re.findall(r"^([0-9a-f.:]+)\s+" + AMOUNT * 3, printed(capture, "endpoints,enet"), re.MULTILINE))
    assert expected
    table = tab_of_enet(window, dialog)
    names = ("Address", "Packets", "Tx Packets", "Rx Packets")
    window.wait(lambda: columns(table, names) == expected, f"the rows {expected}")
    assert "" not in {row[0] for row in columns(table, ("Port",))}


def printed_experts(lines):
    """{(severity, group, protocol): number} of tshark's lines."""
    found, severity = Counter(), None
    for line in lines.splitlines():
        if title := re.match(r"(\w+) \(\d+\)$", line):
            severity = SEVERITIES[title[1]]
        elif row := re.match(r" +(\d+) +(\S+) +(.+?)  ", line):
            found[severity, row[2], row[3]] += int(row[1])
    assert {key[2] for key in found} & {"GodotDebug", "ENet", "Squirrel"}
    return found


def check_experts(window, dialog, expected):
    table = window.table(dialog)

    def shown():
        titles, rows = wireshark.rows(table)
        places = [titles.index(name) for name in ("Severity", "Group", "Protocol", "Count")]
        found = Counter()
        for row in rows:
            *key, count = (row[place] for place in places)
            found[tuple(key)] += int(count)
        return found

    window.wait(lambda: shown().total() >= expected.total(), f"{expected.total()} expert infos")
    assert shown() == expected
