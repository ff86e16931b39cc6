# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of tshark, most of them in a tshark that was started once for many: the client of tshark_server.c.

The library that makes a tshark a server is named in GAMEWIRE_TSHARK_SERVER_LIBRARY, and the program that asks a server for a run in
GAMEWIRE_TSHARK_CLIENT; without them each run is a start of tshark. A server reads what is in the folders of its environment once, as it
starts.
"""

import atexit
import contextlib
import functools
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

REFUSED = 250
START_TIMEOUT = 60
LIBRARY = "GAMEWIRE_TSHARK_SERVER_LIBRARY"
CLIENT = "GAMEWIRE_TSHARK_CLIENT"
SCRIPT = "-X"

_lock = threading.Lock()
_runs_of = Counter()


def run(program, command, env, cwd, timeout, first_served):
    """subprocess.CompletedProcess of `command`, whose program is started by the command `program`. After `timeout` seconds it is killed,
    and subprocess.TimeoutExpired is raised. From the run `first_served` on, the server of this environment and these scripts in Lua does
    it: 1, 2 where most have a single run, None for never. What a script prints as it is loaded is lost in a server."""
    scripts = tuple(part for pair in zip(command, command[1:]) if pair[0] == SCRIPT for part in pair)
    variables = tuple(sorted(env.items()))
    _runs_of[scripts, variables] += 1
    served = first_served and _runs_of[scripts, variables] >= first_served and LIBRARY in os.environ and "LD_PRELOAD" not in env
    if served and _lock.acquire(blocking=False):
        try:
            done = _server((*program, *scripts), variables, str(cwd)).run(command, timeout)
        finally:
            _lock.release()
        if done is not None:
            return done
    return subprocess.run([*program, *command[1:]], env=env, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
                          check=False)


def client_environment(program, env, cwd):
    """`env` for programs that run tshark: the first one in PATH asks the server of `env` (tshark_client.c)."""
    if LIBRARY not in os.environ or CLIENT not in os.environ or "LD_PRELOAD" in env:
        return env
    socket_path = _server(tuple(program), tuple(sorted(env.items())), str(cwd)).path
    started = shutil.which("tshark", path=env["PATH"])
    return {**env, "PATH": f"{_copy(CLIENT, 'tshark').parent}:{env['PATH']}",
            "GAMEWIRE_TSHARK_SOCKET": str(socket_path), "GAMEWIRE_TSHARK_PROGRAM": str(started)}


@functools.lru_cache(maxsize=None)
def _copy(variable, name):
    """A copy of the file that a variable names, in a folder of its own; every user can read it."""
    copy = Path(shutil.copyfile(os.environ[variable], _folder() / name))
    copy.chmod(0o755)
    return copy


def _folder():
    folder = Path(tempfile.mkdtemp(prefix="gamewire-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    return folder


@contextlib.contextmanager
def _opened(path, flags):
    """The descriptor of a file or folder."""
    file = os.open(path, flags)
    try:
        yield file
    finally:
        os.close(file)


@functools.lru_cache(maxsize=None)
def _server(program, env, cwd):
    return Server(program, dict(env), cwd)


class Server:
    """A tshark with an environment."""

    def __init__(self, program, env, cwd):
        self.cwd = cwd
        self.socket, other_end = socket.socketpair()
        self.path = _folder() / "tshark.socket"
        with other_end, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.path))
            listener.listen()
            self.path.chmod(0o777)
            self.process = subprocess.Popen(
                program, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                pass_fds=[other_end.fileno(), listener.fileno()],
                env={**env, "LD_PRELOAD": str(_copy(LIBRARY, "tshark_server.so")), "GAMEWIRE_TSHARK_SERVER": str(other_end.fileno()),
                     "GAMEWIRE_TSHARK_LISTENER": str(listener.fileno())})
        atexit.register(self.close)

    def close(self):
        self.socket.close()
        self.process.wait()

    def run(self, command, timeout):
        """subprocess.CompletedProcess, or None if tshark has to be started for this command."""
        files = [os.memfd_create("tshark") for _ in range(3)]
        try:
            os.write(files[0], b"".join(os.fsencode(argument) + b"\0" for argument in command))
            with _opened(self.cwd, os.O_PATH) as folder, _opened(os.devnull, os.O_RDONLY) as nothing:
                status = self._status_of(command, timeout, [files[0], folder, nothing, *files[1:]])
            if status is None or os.waitstatus_to_exitcode(status) == REFUSED:
                return None
            stdout, stderr = (os.pread(file, os.fstat(file).st_size, 0) for file in files[1:])
        finally:
            for file in files:
                os.close(file)
        return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), stdout, stderr)

    def _status_of(self, command, timeout, files):
        """As waitpid() has it; None if there is no server, as where tshark is a script."""
        try:
            socket.send_fds(self.socket, [b"r"], files)
            child = self._number(START_TIMEOUT)
            if child is None:
                self.process.kill()
                return None
            status = self._number(timeout)
            if status is None and self.process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                self._number(START_TIMEOUT)
                raise subprocess.TimeoutExpired(command, timeout)
        except OSError:
            self.process.kill()
            return None
        return status

    def _number(self, timeout):
        """The next number from the server; None after its end, or after `timeout` seconds."""
        end = time.monotonic() + timeout
        found = b""
        while len(found) < 4:
            if not select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]:
                return None
            part = self.socket.recv(4 - len(found))
            if not part:
                return None
            found += part
        return struct.unpack("=i", found)[0]
