# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A screen in memory with a window manager and accessibility (AT-SPI), and Wireshark on it, with the plugin and the profile.

AT-SPI is what screen readers use: windows, menus, buttons and tables are found by their names, and need no positions on the
screen. All programs run as the user of gamewire_tshark.run(), with a home folder of their own.
"""

import os
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import gamewire_tshark

TIMEOUT = 40  # seconds until a window is there; the machine may be loaded
LONGEST_PAUSE = 1  # between two looks for it
# Ends when the tests are killed.
UNPRIVILEGED = [*(gamewire_tshark.unprivileged() or ["setpriv"]), "--pdeathsig", "KILL"]
SCREEN = "1366x768x24"


class WindowError(AssertionError):
    """A window did not open, or a program ended."""


def wait_for(condition, what, timeout=TIMEOUT, alive=lambda: None):
    """Calls `condition` until its result is true, and returns that. Between two calls it waits three times as long as a call takes: what
    it asks for is answered by the program that it waits for."""
    end = time.monotonic() + timeout
    while True:
        begun = time.monotonic()
        result = condition()
        if result:
            return result
        alive()
        now = time.monotonic()
        if now > end:
            raise WindowError(f"{what}: not within {timeout} s")
        time.sleep(min(max(0.02, 3 * (now - begun)), LONGEST_PAUSE))


class Desktop:
    """Xvfb, openbox, a D-Bus session and its accessibility bus; stop() ends them."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="desktop-", dir=gamewire_tshark.scratch()))
        self.processes = []
        self.log = open(self.folder / "log", "wb")
        for name in ("home", "run", "none", "pixels"):
            (self.folder / name).mkdir(mode=0o700)
        if gamewire_tshark.is_root():
            for path in (self.folder, *self.folder.iterdir()):
                os.chown(path, gamewire_tshark.NOBODY, gamewire_tshark.NOBODY)
        self.env = gamewire_tshark.environment()
        # A sanitizer is for Wireshark only.
        self.preload = {"LD_PRELOAD": self.env.pop("LD_PRELOAD")} if "LD_PRELOAD" in self.env else {}
        # The accessibility bus has its socket in XDG_RUNTIME_DIR.
        self.env.update(
            HOME=str(self.folder / "home"),
            XDG_RUNTIME_DIR=str(self.folder / "run"),
            TMPDIR=str(self.folder / "run"),
            QT_QPA_PLATFORM="xcb",
            QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1",
        )
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self):
        self.env["DISPLAY"] = ":" + self._printed(
            "Xvfb", "-displayfd", "{}", "-screen", "0", SCREEN, "-fbdir", str(self.folder / "pixels"),
            "-nolisten", "tcp", "-noreset")
        self.env["DBUS_SESSION_BUS_ADDRESS"] = self._printed(
            "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address={}")
        # Before Wireshark starts, as Qt then looks for this bus. The session bus starts its service by itself, and rejects root.
        answer = subprocess.run([*UNPRIVILEGED, "dbus-send", "--session", "--print-reply=literal", "--dest=org.a11y.Bus",
                                 "/org/a11y/bus", "org.a11y.Bus.GetAddress"],
                                env=self.env, capture_output=True, text=True, timeout=TIMEOUT, check=True)
        self.env["AT_SPI_BUS_ADDRESS"] = answer.stdout.strip()
        self.run("openbox")
        # One process can use one screen: its library of AT-SPI connects once, to the bus that these name.
        for name in ("DISPLAY", "AT_SPI_BUS_ADDRESS"):
            os.environ[name] = self.env[name]

    def run(self, *command, stderr=None, env=None, **options):
        """Starts an unprivileged process, which stop() ends."""
        process = subprocess.Popen([*UNPRIVILEGED, *command], env=env or self.env, stdin=subprocess.DEVNULL,
                                   stdout=self.log, stderr=stderr or self.log, cwd=self.folder,
                                   process_group=self.processes[0].pid if self.processes else 0, **options)
        self.processes.append(process)
        return process

    def xdotool(self, *words):
        """Keys and the mouse."""
        subprocess.run([*UNPRIVILEGED, "xdotool", *map(str, words)], env=self.env, check=True, timeout=TIMEOUT)

    def pixels(self, x, y, width, height):
        """The rows of a rectangle: of each pixel red, green and blue. Xvfb keeps its screen in a file of XWD's format."""
        data = (self.folder / "pixels" / "Xvfb_screen0").read_bytes()
        header = struct.unpack_from(">25I", data)
        header_size, bytes_per_line, color_count = header[0], header[12], header[19]
        rows = []
        for row in range(y, y + height):
            start = header_size + 12 * color_count + row * bytes_per_line + 4 * x
            line = data[start : start + 4 * width]
            rows.append(list(zip(line[2::4], line[1::4], line[0::4])))
        return rows

    def _printed(self, *command):
        """Starts a program that prints a line when it is ready, to the file whose number replaces "{}"."""
        reading, writing = os.pipe()
        with open(reading, encoding="utf-8") as lines:
            self.run(*(word.replace("{}", str(writing)) for word in command), pass_fds=[writing])
            os.close(writing)
            line = lines.readline().strip()
        if not line:
            raise WindowError(f"{command[0]} did not start: {(self.folder / 'log').read_text(errors='replace')}")
        return line

    def stop(self):
        """Kills the processes, and those that they started: all are in the group of the first one."""
        if self.processes:
            os.killpg(self.processes[0].pid, signal.SIGKILL)
        for process in self.processes:
            process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
