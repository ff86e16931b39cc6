# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The README and the page of filters equal the output of tshark: a packet, filters, names of fields and preferences."""

import re

import pytest

import gamewire_tshark as tshark
from plugin.all.documents import assert_known, code_spans, names_in

README = (tshark.SOURCE / "README.md").read_text(encoding="utf-8")
FILTERS = (tshark.SOURCE / "plugin" / "docs" / "filters.md").read_text(encoding="utf-8")


def blocks(language, page):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def filters():
    """The code of the first column of the tables of filters."""
    rows = re.findall(r"^\| filter \|.*\n.*\n((?:\|.*\n)+)", README + FILTERS, re.MULTILINE)
    return sorted({code for table in rows for row in table.splitlines() for code in code_spans(row.split(" | ")[0])})


def test_the_page_is_not_longer_than_a_few_screens():
    assert len(README.splitlines()) <= 120


def test_the_packet_in_the_page_is_decoded_like_this():
    shown = blocks("text", README)[0].splitlines()
    number = int(shown[0].split()[0])
    capture = tshark.SOURCE / re.search(r"from `(pcaps/[^`]+)`", README).group(1)
    lines = tshark.verbose(capture, "-2", "-P", "-Y", f"frame.number == {number}").splitlines()
    others = r"^(Frame|Ethernet|Internet Protocol|User Datagram) "
    assert [line for line in lines if line and not re.match(others, line)] == shown


def test_it_has_filters():
    assert len(filters()) > 15


def test_each_filter_is_one():
    """tshark fails at the first text that is not a filter, and prints it."""
    capture = next(tshark.PCAPS.glob("godot/variant/*.pcap"))
    assert len(tshark.counts(capture, filters())) == len(filters())


@pytest.mark.parametrize("capture", sorted(path.name for path in tshark.PCAPS.glob("godot/variant/*-game.pcap")))
def test_paths_and_values_are_extracted_of_each_document(capture):
    """A document that is one number has the path "." and a value: no line is empty, and each path has a value."""
    command = next(line for line in "".join(blocks("sh", FILTERS)).splitlines() if "-e godot.path -e godot.value" in line)
    arguments = re.fullmatch(r"tshark -r game\.pcap (.*)", command).group(1).split()
    printed = tshark.run(["-2", *arguments, "-E", "aggregator=;"], tshark.PCAPS / "godot" / "variant" / capture).stdout
    lines = [line.split("\t") for line in printed.splitlines()]
    assert lines and all(path.split(";")[0] == "." and value for path, value in lines)


@pytest.mark.parametrize("name", sorted({*names_in(README), *names_in(FILTERS)}))
def test_a_name_is_of_a_field_a_preference_or_a_dissector(name):
    assert_known(name)
