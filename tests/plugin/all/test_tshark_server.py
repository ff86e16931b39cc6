# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A run in the tshark that the tests start once for many prints what a tshark prints that is started for it."""

import functools
import os
import subprocess

import pytest

import gamewire_tshark as tshark
import tshark_server
from plugin.packs.packs import needs_lua

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
    """From the first run on in a server, or by a start."""
    command = tshark.command_line(args, CAPTURE)
    done = tshark_server.run([*tshark.unprivileged(), "tshark"], command, {**tshark.environment(), **(env or {})}, tshark.scratch(),
                             tshark.TIMEOUT, 1 if server else None)
    return done.stdout, done.stderr, done.returncode


def test_a_plugin_folder_is_served_from_its_second_run_on(tmp_path):
    empty = tshark.readable(tmp_path)
    started, served = (tshark.run(["-V"], CAPTURE, plugins=empty).stdout for _ in range(2))
    assert served == started != tshark.run(["-V"], CAPTURE).stdout


@functools.lru_cache(maxsize=None)
def started_run(*args):
    return run_in(False, args)


@pytest.mark.parametrize("args", [*SERVED.values(), *STARTED.values()], ids=[*SERVED, *STARTED])
def test_a_served_run_prints_what_a_started_one_prints(args):
    assert run_in(True, args) == started_run(*args)


def test_a_served_run_has_its_environment():
    assert run_in(True, ["-V", "-2"], tshark.without_memory_checks()) == started_run("-V", "-2")


SCRIPT = """
local seen = Proto("seen", "Seen")
local length = ProtoField.uint32("seen.length", "Seen and added")
seen.fields = {length}
seen.prefs.added = Pref.uint("Added", 0)
function seen.dissector(buffer, _, tree)
    tree:add(seen):add(length, buffer:len() + seen.prefs.added)
end
register_postdissector(seen)
"""


@needs_lua
def test_a_served_run_has_its_script(tmp_path):
    script = tmp_path / "seen.lua"
    script.write_text(SCRIPT, encoding="utf-8")
    args = ["-V", "-2", "-X", f"lua_script:{tshark.readable(script)}", "-o", "seen.added:1000"]
    started, served = run_in(False, args), run_in(True, args)
    assert served == started and started[0].count(b"Seen and added: 1") > 10


def start():
    """A server of the test's own; None where there are none."""
    if tshark_server.LIBRARY not in os.environ:
        return None
    return tshark_server.Server([*tshark.unprivileged(), "tshark"], tshark.environment(), tshark.scratch())


@pytest.fixture(scope="module", name="server")
def _server():
    return start()


@pytest.mark.parametrize("args", SERVED.values(), ids=SERVED)
def test_these_need_no_start(server, args):
    assert not server or server.run(tshark.command_line(args, CAPTURE), tshark.TIMEOUT)


@pytest.mark.parametrize("args", STARTED.values(), ids=STARTED)
def test_these_need_a_start(server, args):
    assert not server or server.run(tshark.command_line(args, CAPTURE), tshark.TIMEOUT) is None


def test_after_a_run_that_takes_too_long_the_next_one_is_right():
    with pytest.raises(tshark.TsharkError, match="not done after 0 s"):
        tshark.run(["-V", "-2"], CAPTURE, timeout=0, check=False)
    assert run_in(True, ["-V"]) == started_run("-V")


def test_without_a_server_tshark_is_started():
    server = start()
    if server:
        server.process.kill()
        server.process.wait()
        assert server.run(tshark.command_line(["-V"], CAPTURE), tshark.TIMEOUT) is None


# ---- for programs and commands that run tshark ---------------------------------------------------------------

SOCKET = "GAMEWIRE_TSHARK_SOCKET"  # in the environment of programs, if there is a server


def run_by_program(args, environment=None, folder=None, **options):
    """A run of the first tshark in PATH, as programs do it."""
    return subprocess.run([*tshark.unprivileged(), "tshark", *tshark.command_line(args, CAPTURE)[1:]],
                          env=environment or tshark.environment_of_programs(), cwd=folder or tshark.scratch(),
                          capture_output=True, timeout=tshark.TIMEOUT, check=False, **options)


@pytest.mark.parametrize("args", [*SERVED.values(), *STARTED.values()], ids=[*SERVED, *STARTED])
def test_a_programs_run_is_what_a_started_one_is(args):
    done = run_by_program(args)
    assert (done.stdout, done.stderr, done.returncode) == started_run(*args)


@pytest.fixture(name="client")
def _client():
    """The environment of programs; with a server, one in which no tshark can be started."""
    environment = tshark.environment_of_programs()
    return {**environment, "GAMEWIRE_TSHARK_PROGRAM": "/nonexistent"} if SOCKET in environment else environment


def test_a_programs_run_needs_no_start(client):
    assert run_by_program(["-V"], client).returncode == 0
    assert run_by_program(["-v"], client).returncode == (127 if SOCKET in client else 0)


def test_a_programs_run_has_its_folder_and_its_input(client):
    folder = tshark.readable(CAPTURE).parent
    read = ["tshark", "-r", CAPTURE.name]
    expected = started_run()[0]
    done = subprocess.run([*tshark.unprivileged(), *read], env=client, cwd=folder, capture_output=True, check=True)
    assert done.stdout == expected
    with open(CAPTURE, "rb") as capture:
        done = subprocess.run([*tshark.unprivileged(), "tshark", "-r", "-"], env=client, stdin=capture, capture_output=True, check=True)
    assert done.stdout == expected


def test_a_run_ends_with_its_program(client):
    """Its output is more than a pipe holds: it would wait for a reader."""
    args = ("-V", "-x")
    command = [*tshark.unprivileged(), "tshark", *tshark.command_line(args, CAPTURE)[1:]]
    with subprocess.Popen(command, env=client, stdout=subprocess.PIPE) as program:
        program.stdout.read(1)
        program.kill()
        program.wait()
        assert len(program.stdout.read()) < len(started_run(*args)[0]) / 2
    assert run_by_program(args).stdout == started_run(*args)[0]
