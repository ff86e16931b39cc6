# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""One screen for each file of tests, and one Wireshark until it ends or a test fails."""

import pytest

import desktop
import gamewire_tshark
import wireshark

SAMPLES = ("enet/lossy-client.pcap", "godot/variant/godot-4.6.3-game.pcap", "godot/debugger/godot-4.6.3-debugger.pcap",
           "godot/multiplayer/godot-3.6-calls.pcap", "godot/stream/godot-3.6-packet-stream.pcap", "leviathan/session.pcap",
           "squirrel/session.pcap")


@pytest.fixture(scope="session")
def samples():
    """One capture of each family, one after the other."""
    return gamewire_tshark.merge_captures(
        [gamewire_tshark.PCAPS / name for name in SAMPLES], gamewire_tshark.scratch() / "samples.pcapng")


@pytest.fixture(scope="session")
def other_file():
    """One of the recently opened files."""
    return gamewire_tshark.readable(gamewire_tshark.PCAPS / "squirrel" / "session.pcap")


@pytest.fixture(scope="session")
def screen():
    found = desktop.Desktop()
    yield found
    found.stop()


@pytest.fixture(scope="session")
def started(screen, other_file):
    """A function that starts Wireshark if none shows the capture; the process is shared by tests until it ends."""
    running = []

    def start(capture):
        if not running or not running[-1].shows(capture.name):
            for process in running:
                process.stop()
            running.append(wireshark.Wireshark(screen, capture, recent=[other_file]))
        return running[-1]

    yield start
    for process in running:
        process.stop()


@pytest.fixture
def open_capture(screen):
    """A function that starts a Wireshark of the test's own; it is stopped after the test."""
    running = []

    def start(capture, **options):
        running.append(wireshark.Wireshark(screen, gamewire_tshark.readable(capture), **options))
        return running[-1]

    yield start
    for process in running:
        process.stop()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    outcome = yield
    item.has_failed = outcome.get_result().failed


@pytest.fixture
def window(request, started, samples):
    """Wireshark with the samples. It must live after the test, and have printed no warning."""
    found = started(samples)
    before = len(found.warnings())
    yield found
    found.check()
    assert found.warnings()[before:] == []
    if request.node.has_failed:
        found.stop()  # a window that the test opened may still be there
