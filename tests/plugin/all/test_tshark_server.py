# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A run in the tshark that the tests start once for many prints what a tshark prints that is started for it."""

import os

import pytest

import gamewire_tshark as tshark
import tshark_server

CAPTURE = tshark.PCAPS / "godot/multiplayer/godot-4.6.3-raw.pcap"
SERVED = {
    "details": ["-V"],
    "summary and bytes": ["-P", "-x"],
    "one protocol": ["-O", "godot_mp", "-2"],
    "statistics": ["-q", "-z", "io,phs"],
    "JSON": ["-T", "json", "-e", "enet.command", "-Y", "enet"],
    "Decode As": ["-d", "udp.port==1-65535,data", "-V"],
    "a preference": ["-o", "udp.check_checksum:TRUE", "-V"],
    "an unknown preference": ["-o", "enet.unknown:TRUE"],
    "an unknown field": ["-Y", "enet.unknown"],
    "a second time": ["-V"],
}
# With these a tshark is started.
STARTED = {"a filter without an option": ["-V", "enet"], "the version": ["-v"], "a profile": ["-C", "Default"],
           "a script": ["-X", "lua_script1:none"], "the log": ["--log-level", "critical"]}


def run_in(server, args, env=None):
    command = tshark.command_line(args, CAPTURE)
    done = tshark_server.run([*tshark.unprivileged(), "tshark"], command, {**tshark.environment(), **(env or {})}, tshark.scratch(),
                             tshark.TIMEOUT, server)
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize("args", [*SERVED.values(), *STARTED.values()], ids=[*SERVED, *STARTED])
def test_a_served_run_prints_what_a_started_one_prints(args):
    assert run_in(True, args) == run_in(False, args)


def test_a_served_run_has_its_environment():
    assert run_in(True, ["-V", "-2"], tshark.without_memory_checks()) == run_in(False, ["-V", "-2"])


@pytest.fixture
def server():
    if tshark_server.LIBRARY not in os.environ:
        return None
    started = tshark_server.Server([*tshark.unprivileged(), "tshark"], tshark.environment(), tshark.scratch())
    yield started
    started.close()


@pytest.mark.parametrize("args", SERVED.values(), ids=SERVED)
def test_these_need_no_start(server, args):
    assert not server or server.run(tshark.command_line(args, CAPTURE), tshark.TIMEOUT)


@pytest.mark.parametrize("args", STARTED.values(), ids=STARTED)
def test_these_need_a_start(server, args):
    assert not server or server.run(tshark.command_line(args, CAPTURE), tshark.TIMEOUT) is None


def test_after_a_run_that_takes_too_long_the_next_one_is_right():
    with pytest.raises(tshark.TsharkError, match="not done after 0 s"):
        tshark.run(["-V", "-2"], CAPTURE, timeout=0, check=False)
    assert run_in(True, ["-V"]) == run_in(False, ["-V"])


def test_without_a_server_tshark_is_started(server):
    if server:
        server.process.kill()
        server.process.wait()
        assert server.run(tshark.command_line(["-V"], CAPTURE), tshark.TIMEOUT) is None
