# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures for all Python tests: the plugin is loaded, and only listed tests may be skipped."""

import fnmatch
import functools
import gc
import os
from pathlib import Path

import pytest

import gamewire_tshark

SKIPS = Path(__file__).with_name("skips.txt")


def lines_of(path):
    """Pairs of a test's name, or a pattern of names, and a text."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]


@functools.lru_cache(maxsize=None)
def listed_skips():
    return {name for name, _ in lines_of(SKIPS)}


def pytest_configure():
    """Temporary folders are below that of the process. In the folder that pytest shares among processes, each start of another
    one would take away the permissions that a test has given to the user of tshark."""
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(gamewire_tshark.scratch())
    # Decoded captures are millions of objects, which are kept; looking for cycles among them took a third of Python's time.
    gc.disable()


def pytest_collection_modifyitems(items):
    """GAMEWIRE_SKIP is a list of tests that cannot run with the tshark in PATH, and why."""
    patterns = lines_of(os.environ["GAMEWIRE_SKIP"]) if "GAMEWIRE_SKIP" in os.environ else []
    for item in items:
        for pattern, reason in patterns:
            if fnmatch.fnmatchcase(item.nodeid, pattern):
                item.add_marker(pytest.mark.skip(reason=reason))
                item.is_listed = True


@pytest.fixture(scope="session", autouse=True)
def plugin_loaded():
    """Without the plugin most packets are plain UDP, and a test that expects no fields would pass. ctest has run the test that
    is named in GAMEWIRE_LOADED_IN before all others."""
    if "GAMEWIRE_LOADED_IN" not in os.environ and not gamewire_tshark.plugin_is_loaded():
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
    listed = name in listed_skips() or hasattr(item, "is_listed")
    if report.skipped and not hasattr(report, "wasxfail") and not listed:
        report.outcome = "failed"
        report.longrepr = f"{name} was skipped, which tests/skips.txt does not list: {report.longrepr[2]}"
