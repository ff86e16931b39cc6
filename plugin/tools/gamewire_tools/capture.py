# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a capture with one run of tshark, packet by packet: a line of -T fields for each.

The output is read line by line, so that memory does not depend on the length of the capture.
"""

import collections
import functools
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

FAMILIES = ("enet", "godot", "godot_debugger", "godot_mp", "godot_remote_fs", "godot_stream", "leviathan", "squirrel")
# Of each protocol, the field with one message as one line of JSON (plugin/docs/messages.md).
MESSAGES = tuple(f"{family}.json" for family in FAMILIES)
# An ICMP error quotes a datagram that was sent before.
QUOTED = "icmp || icmpv6"
# Beside tshark in PATH: where the installers of Windows and macOS put it.
ELSEWHERE = (r"C:\Program Files\Wireshark\tshark.exe", "/Applications/Wireshark.app/Contents/MacOS/tshark")

# Between the values of a field, which contain no control characters.
BETWEEN = "\x1f"

# Options of tshark after which it prints something else than fields, or reads something else than the capture; and those whose next
# argument is their value.
OTHER_OUTPUT = re.compile(r"-[xTVOPqQGDLwFjJeESrihv]|--(?:color|hexdump|print|version|help|no-duplicate-keys)\b")
WITH_VALUE = re.compile(r"-[abBcCdfHKMNoRsXyYzUut]")
CUT_SHORT = "appears to have been cut short in the middle of a packet"

CELL = re.compile(r"[^\t]+")

# `values`: {field: text} of the fields that the packet has; several values of a field have BETWEEN between them.
Packet = collections.namedtuple("Packet", "number captured values")


class Failed(Exception):
    """tshark is missing, ended with an error, or printed something else than packets."""


# ---- tshark ------------------------------------------------------------------------------------------------


def find_tshark(given=None):
    named = given or os.environ.get("TSHARK")
    for program in (named,) if named else ("tshark", *ELSEWHERE):
        found = shutil.which(program)
        if found:
            return found
    raise Failed(f"there is no program {named}" if named else "tshark is not in PATH; --tshark names it")


def checked(options):
    """(the options without -Y, the filters of -Y). Raises Failed where an option of the user's changes what is read here."""
    kept, filters = [], []
    options = iter(options)
    for option in options:
        if OTHER_OUTPUT.match(option):
            raise Failed(f"{option} changes what tshark prints, and is not possible after --")
        value = [next(options, "")] if WITH_VALUE.fullmatch(option) else []
        if option.startswith("-Y"):
            filters.append(value[0] if value else option[2:])
        else:
            kept += [option, *value]
    return kept, filters


def shown_name(path):
    """The capture's name as a text; bytes of it that are not UTF-8 are replaced."""
    return os.fsencode(Path(path).name).decode("utf-8", "replace")


def cut_short(path):
    return f"{path} is cut short in its last packet; this is what the packets before it have"


def command(program, capture, options, fields, selected, taps=()):
    """-2: what depends on later packets is known on the second pass. In 4.0 a field that is computed only if it is named must be in the
    filter."""
    kept, filters = checked(options)
    chosen = " && ".join(f"({each})" for each in (" || ".join((*selected, *(name for name in fields if name in MESSAGES))), f"!({QUOTED})", *filters))
    return [program, "-n", "-2", "-r", str(capture), "-T", "fields", "-E", "header=y", "-E", "separator=/t", "-E", f"aggregator={BETWEEN}",
            *(part for field in fields for part in ("-e", field)), "-Y", chosen, *(part for tap in taps for part in ("-z", tap)), *kept]


FIRST = ("frame.number", "frame.cap_len")


class Reading:
    """The packets of a capture that have a message or are `selected` by one of these filters, with their values of `fields`. When all
    were read, `statistics` is what the taps printed, and `is_cut_short` is true if the file ends in its last packet, which tshark then
    leaves out. `rare`: more fields, which most packets do not have."""

    def __init__(self, capture, options=(), tshark=None, fields=MESSAGES, selected=(), taps=(), progress=None, rare=()):
        if not Path(capture).is_file():
            raise Failed(f"no such file: {capture}")
        self.capture = Path(capture)
        self.program = find_tshark(tshark)
        self.usual = len(FIRST) + len(fields)
        self.names = (*FIRST, *fields)
        self.fields = (*self.names, *rare)
        self.command = command(self.program, capture, options, self.fields, selected, taps)
        self.progress = progress
        self.statistics = ""
        self.is_cut_short = self.has_begun = False

    def __iter__(self):
        with subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            complaints = _Complaints(running.stderr)
            try:
                yield from self._packets(running.stdout)
            except BaseException:
                running.kill()
                raise
            finally:
                complaints.end()
            status = running.wait()
        self.is_cut_short = self.has_begun and complaints.is_cut_short
        if status and not self.is_cut_short:
            raise Failed(f"tshark: status {status}\n{complaints.text()}")
        if not self.has_begun:
            raise self._foreign()

    @functools.cached_property
    def _doubles_backslashes(self):
        """From 4.2 on, tshark does in -T fields. The version is asked for when the first one comes."""
        done = subprocess.run([self.program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        found = re.search(rb"(\d+)\.(\d+)", done.stdout)
        return bool(found) and (int(found[1]), int(found[2])) >= (4, 2)

    def _foreign(self):
        return Failed(f"{self.program} printed something else than the fields of packets: is it tshark?")

    def _packets(self, output):
        """After the line with the names of the fields come those of the packets, and then the statistics, which have no tabs."""
        tabs = len(self.fields) - 1
        rest = []
        for line in output:
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if not self.has_begun:
                if text.split("\t") != list(self.fields):
                    raise self._foreign()
                self.has_begun = True
            elif text.count("\t") == tabs:
                yield self._packet(text)
            else:
                rest.append(text)
        self.statistics = "\n".join(rest) + "\n"

    def _packet(self, text):
        if "\\" in text and self._doubles_backslashes:
            text = text.replace("\\\\", "\\")
        columns = text.split("\t", self.usual)
        values = {name: value for name, value in zip(self.names, columns) if value}
        if len(columns) > self.usual:
            rare, place, before = columns[-1], self.usual, 0
            for cell in CELL.finditer(rare):
                place += rare.count("\t", before, cell.start())
                before = cell.start()
                values[self.fields[place]] = cell[0]
        try:
            found = Packet(int(columns[0]), int(columns[1]), values)
        except ValueError:
            raise self._foreign() from None
        if self.progress:
            self.progress.packet(found)
        return found


class _Complaints:
    """What tshark writes to its standard error, read beside the packets: a full pipe would stop it."""

    def __init__(self, stream):
        self.lines = []
        self.is_cut_short = False
        self.reader = threading.Thread(target=self.read, args=(stream,), daemon=True)
        self.reader.start()

    def read(self, stream):
        for line in stream:
            text = line.decode("utf-8", "replace")
            self.is_cut_short = self.is_cut_short or CUT_SHORT in text
            if len(self.lines) < 10:
                self.lines.append(text)

    def end(self):
        """Before the stream is closed, which its reader would not survive. A child of a killed program may hold it open."""
        self.reader.join(10)

    def text(self):
        found = "".join(self.lines).strip()
        if "aren't valid" in found and "godot_mp.json" in found:
            found += "\nThe plugin is not loaded: see plugin/docs/installing.md, Messages at start."
        return found


class Progress:
    """How far reading is, on standard error: every two seconds, if it takes longer than that."""

    INTERVAL = 2.0

    def __init__(self, capture, stream=sys.stderr):
        self.size = max(os.path.getsize(capture), 1)
        self.stream = stream
        self.started = self.said = time.monotonic()
        self.packets = self.bytes = 0

    def packet(self, packet):
        self.packets += 1
        self.bytes += packet.captured + 16
        if self.packets % 512 == 0 and time.monotonic() - self.said >= self.INTERVAL:
            self.say(packet)

    def say(self, packet):
        """The part is an estimate: only packets of games are counted, the others taken to be as long."""
        self.said = time.monotonic()
        part = min(99, 100 * packet.number * self.bytes // self.packets // self.size)
        print(f"frame {packet.number}, about {part} %, {self.said - self.started:.0f} s", file=self.stream, flush=True)
