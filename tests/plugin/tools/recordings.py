# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Games of Godot 4 that are recorded, and the records of a file: read here without the plugin, as plugin/docs/recording.md describes them.

The game is the project `recorder`. The engine is `godot`, or what GAMEWIRE_GODOT names.
"""

import collections
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import gamewire_tshark as tshark

ENGINE = os.environ.get("GAMEWIRE_GODOT") or shutil.which("godot")
NO_ENGINE = ENGINE is None or not subprocess.run([ENGINE, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout.startswith("4.")
NO_RIGHT_TO_CAPTURE = shutil.which("dumpcap") is None or subprocess.run(["dumpcap", "-D"], capture_output=True, check=False).returncode != 0
ADDON = tshark.SOURCE / "plugin" / "tools" / "addons" / "gamewire"
TIMEOUT = 120

SECTION, INTERFACE, STATISTICS, PACKET = 0x0A0D0D0A, 1, 5, 6
MESSAGES, NAMES = "godot_mp.exported", "godot_mp.names"
UNRELIABLE, ORDERED, RELIABLE = range(3)

Record = collections.namedtuple(
    "Record", "time version sender receiver mode channel is_received ordinal lost frame tick handler_time data is_retransmission",
    defaults=(None,) * 8)


# ---- files ---------------------------------------------------------------------------------------------------


def blocks(content):
    """(type, body) of each block of a pcapng file; the last one may be incomplete: it is left out."""
    offset = 0
    while offset + 12 <= len(content):
        kind, length = struct.unpack_from("<II", content, offset)
        if offset + length > len(content):
            return
        assert struct.unpack_from("<I", content, offset + length - 4) == (length,)
        yield kind, content[offset + 8:offset + length - 4]
        offset += length


def pdus(content):
    """(time in microseconds, dissector, source port, bytes) of each packet, an exported PDU."""
    for kind, body in blocks(content):
        if kind != PACKET:
            continue
        _, high, low, captured, _ = struct.unpack_from("<IIIII", body)
        data, tags, number = body[20:20 + captured], {}, None
        while number != 0:
            number, size = struct.unpack_from(">HH", data)
            tags[number] = data[4:4 + size]
            data = data[4 + size:]
        yield high << 32 | low, tags[12].rstrip(b"\0").decode(), int.from_bytes(tags.get(25, b""), "big"), data


def record_of(when, data):
    """Of the plugin's two headers: that of recordings, and that of exported messages of ENet."""
    if data[0] == 2:
        _, length, _, _, flags, mode, channel = struct.unpack_from("<BBBBHBB", data)
        sender, receiver, *rest = struct.unpack_from("<iiIIIII", data, 12)
        return Record(when, 2, sender, receiver, mode, channel, bool(flags & 1), *rest, data[length:])
    flags, client, channel = data[3], struct.unpack_from(">I", data, 8)[0], data[12]
    ends = (client, 1) if flags & 2 else (1, client)
    return Record(when, 1, *ends, RELIABLE if channel == 0 else None, channel, data=data[13:], is_retransmission=bool(flags & 8))


def records_and_retransmissions(path):
    """The messages of a file."""
    return [record_of(when, data) for when, name, _, data in pdus(path.read_bytes()) if name == MESSAGES]


def records(path):
    """The messages of a file, those that are retransmissions left out."""
    return [record for record in records_and_retransmissions(path) if not record.is_retransmission]


def exported_connections(path, server_port):
    """The bytes of the messages of each connection of an exported capture, from the server and to it; for transports without peer ids."""
    found = collections.defaultdict(lambda: ([], []))
    for _, _, port, data in pdus(path.read_bytes()):
        found[struct.unpack_from(">I", data, 4)[0]][port != server_port].append(data[13:])
    return list(found.values())


def apart(messages, way=lambda record: (record.sender, record.receiver)):
    """The bytes of each way's messages, in their order."""
    found = collections.defaultdict(list)
    for record in messages:
        found[way(record)].append(record.data)
    return found


# ---- games ---------------------------------------------------------------------------------------------------


def make_project(folder, source="recorder", run=True):
    """A project with the addon, as the editor has imported it."""
    project = folder / "project"
    shutil.copytree(Path(__file__).with_name(source), project)
    shutil.copytree(ADDON, project / "addons" / "gamewire")
    if run:
        subprocess.run([ENGINE, "--headless", "--path", project, "--import"], env=environment(folder), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=True)
    return project


def environment(folder):
    return {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "XDG_DATA_HOME": str(folder / "home" / "data"), "LC_ALL": "C.UTF-8"}


class Game:
    """A process of the game; what it prints is in `log`."""

    def __init__(self, folder, role, *arguments, env=None, options=()):
        self.home = Path(tempfile.mkdtemp(prefix=role, dir=folder))
        self.log = self.home / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [ENGINE, "--headless", "--path", folder / "project", *options, "--", f"role={role}", *arguments],
                env={**environment(folder), "XDG_DATA_HOME": str(self.home), **(env or {})}, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT)

    def output(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, text, seconds=TIMEOUT):
        for _ in range(seconds * 20):
            if text in self.output():
                return
            assert self.process.poll() is None, self.output()
            time.sleep(0.05)
        raise AssertionError(f"no {text} in {self.output()}")

    def end(self):
        assert self.process.wait(timeout=TIMEOUT) == 0, self.output()
        return self.output()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=TIMEOUT)

    def recordings(self):
        return sorted(self.home.rglob("gamewire/*.pcapng"))

    def recording(self):
        (path,) = self.recordings()
        return path


def play(folder, *arguments, roles=("server", "client1", "client2"), **options):
    """All games from their start to their end."""
    games = {}
    for role in roles:
        games[role] = Game(folder, role, *arguments, **options)
        if role == "server":
            time.sleep(1.0)
    for game in games.values():
        game.end()
    return games


class Capture:
    """A packet capture of the loopback interface, while the block runs."""

    def __init__(self, path, capture_filter):
        self.path, self.filter = path, capture_filter

    def __enter__(self):
        self.process = subprocess.Popen(["dumpcap", "-q", "-i", "lo", "-f", self.filter, "-w", self.path], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        for _ in range(200):
            if self.path.exists() and self.path.stat().st_size:
                break
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        time.sleep(0.5)
        self.process.terminate()
        self.process.wait(timeout=TIMEOUT)
