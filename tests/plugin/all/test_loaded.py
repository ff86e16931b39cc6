# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin is loaded by tshark, with all its protocols, and prints nothing at start-up."""

import pytest

import gamewire_tshark as tshark
import kept_reports

# Lists other than UDP's.
CARRIERS = {"godot_mp": "enet", "godot_remote_fs": "tcp", "godot_stream": "tcp"}
# Recognized by another protocol's heuristic.
CARRIED = ("godot_debugger",)
# Without fields: the name in Decode As for Squirrel's default port.
ONLY_NAMES = {"squirrel_port"}


@pytest.fixture(scope="module", autouse=True)
def no_kept_reports():
    """Those of another plugin or tshark."""
    kept_reports.forget()


def first_columns(report):
    return {column for line in tshark.run(["-G", report]).stdout.splitlines() for column in line.split("\t")}


def test_the_plugin_is_loaded():
    assert tshark.plugin_is_loaded()


def test_a_missing_plugin_is_reported(tmp_path_factory):
    empty = tshark.scratch() / "empty"
    empty.mkdir()
    assert not tshark.plugin_is_loaded(plugins=empty)


def protocols(plugins=None):
    return {line.split("\t")[2] for line in tshark.run(["-G", "protocols"], plugins=plugins).stdout.splitlines()}


def test_the_list_of_the_tests_has_all_protocols_of_the_plugin():
    """So that tests that use this list, as those with other protocols' packets, include all protocols."""
    empty = tshark.scratch() / "no plugin"
    empty.mkdir()
    assert protocols() - protocols(empty) - ONLY_NAMES == set(tshark.PROTOCOLS)


@pytest.mark.parametrize("protocol", tshark.PROTOCOLS)
def test_the_protocol_is_registered(protocol):
    assert protocol in first_columns("protocols")


@pytest.mark.parametrize("protocol", [protocol for protocol in tshark.PROTOCOLS if protocol not in CARRIED])
def test_the_protocol_has_a_heuristic(protocol):
    listed = [line.split("\t") for line in tshark.run(["-G", "heuristic-decodes"]).stdout.splitlines()]
    assert [CARRIERS.get(protocol, "udp"), protocol] in [columns[:2] for columns in listed]


def test_start_up_prints_no_complaint():
    assert tshark.run(["-G", "fields"]).stderr == ""
