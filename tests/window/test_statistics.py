# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The statistics trees and response times in their windows: the rows are those of tshark."""

import re
from collections import Counter

import pytest

import gamewire_tshark
import wireshark

TREES = {
    "enet": ("ENet", "Datagrams and Commands"),
    "godot": ("Godot", "Messages and Values"),
    "leviathan": ("Leviathan", "Packets and Messages"),
    "squirrel": ("Squirrel", "Frames and Commands"),
}
RESPONSE_TIMES = {"enet": "ENet", "leviathan": "Leviathan", "squirrel": "Squirrel"}


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


@pytest.mark.parametrize("name", TREES)
def test_a_statistics_tree_has_the_rows_of_tshark(window, samples, name):
    expected = as_set(printed_rows(samples, f"{name},tree"))
    assert len(expected) > 5
    dialog = window.open(TREES[name][-1], "Statistics", *TREES[name])
    expand(window, dialog, len(set(expected)))
    window.wait(lambda: len(shown_rows(window, dialog)) >= expected.total(), f"the rows of {name}")
    assert as_set(shown_rows(window, dialog)) == expected
    window.close(dialog)


@pytest.mark.parametrize("name", RESPONSE_TIMES)
def test_response_times_have_the_rows_of_tshark(window, samples, name):
    expected = [row for row in printed_rows(samples, f"{name},srt")]
    assert expected
    dialog = window.open("Service Response Time", "Statistics", "Service Response Time", RESPONSE_TIMES[name])
    shown = sorted(shown_rows(window, dialog), key=lambda row: int(row[0]))
    # Number, name and count; the last digit of the times is rounded in different ways.
    assert [row[:3] for row in shown] == [row[:3] for row in expected]
    for row, times in zip(shown, expected):
        assert [float(time) for time in row[3:]] == pytest.approx([float(time) for time in times[3:]], abs=2e-6)
    window.close(dialog)
