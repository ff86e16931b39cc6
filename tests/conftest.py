# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures for all Python tests: the plugin is loaded, and only listed tests may be skipped."""

from pathlib import Path

import pytest

import gamewire_tshark

SKIPS = Path(__file__).with_name("skips.txt")


def listed_skips():
    lines = SKIPS.read_text(encoding="utf-8").splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


@pytest.fixture(scope="session", autouse=True)
def plugin_loaded():
    """Without the plugin most packets are plain UDP, and a test that expects no fields would pass."""
    if not gamewire_tshark.plugin_is_loaded():
        pytest.exit("tshark did not load gamewire.so", returncode=1)


@pytest.fixture
def udp_capture(tmp_path):
    """A function that writes datagrams to a capture and returns its path."""
    return lambda *packets: gamewire_tshark.write_pcap(tmp_path / "test.pcap", packets)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that is skipped although skips.txt does not list it fails."""
    outcome = yield
    report = outcome.get_result()
    name = report.nodeid.split("[")[0]
    if report.skipped and not hasattr(report, "wasxfail") and name not in listed_skips():
        report.outcome = "failed"
        report.longrepr = f"{name} was skipped, which tests/skips.txt does not list: {report.longrepr[2]}"
