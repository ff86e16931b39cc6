# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a capture with one run of tshark, frame by frame: the lines of the plugin's statistic gamewire,frames.

The output is read line by line, so that memory does not depend on the length of the capture.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import List, NamedTuple, Tuple

FAMILIES = ("enet", "godot", "godot_debugger", "godot_mp", "godot_remote_fs", "godot_stream", "leviathan", "squirrel")
# Of each protocol, the field with one message as one line of JSON (plugin/docs/messages.md).
MESSAGES = tuple(f"{family}.json" for family in FAMILIES)
# An ICMP error quotes a datagram that was sent before.
QUOTED = "icmp || icmpv6"
# Beside tshark in PATH: where the installers of Windows and macOS put it.
ELSEWHERE = (r"C:\Program Files\Wireshark\tshark.exe", "/Applications/Wireshark.app/Contents/MacOS/tshark")

# Options of tshark after which it prints something else, or reads something else than the capture; and those whose next argument is
# their value.
OTHER_OUTPUT = re.compile(r"-[xTVOPqQGDLwFjJeESrihv]|--(?:color|hexdump|print|version|help|no-duplicate-keys)\b")
WITH_VALUE = re.compile(r"-[abBcCdfHKMNoRsXyYzUut]")
CUT_SHORT = "appears to have been cut short in the middle of a packet"
NO_PLUGIN = 'Invalid -z argument "gamewire,'

# A statistic that every tshark prints when it has read the capture.
TOTALS = "io,stat,0"

raw_decode = json.JSONDecoder().raw_decode


def decode(text):
    """The value of a line, which ends with it."""
    return raw_decode(text)[0]


@functools.lru_cache(maxsize=1024)
def decode_described(text):
    """The protocols, findings and fields of a frame: many frames of a game have the same ones. Callers do not change them."""
    return decode(text)


class Packet(NamedTuple):
    number: int
    time: float
    length: int           # bytes on the wire
    protocols: List[str]  # of FAMILIES, each as often as in frame.protocols
    findings: List[str]   # filter names of those of severity Note and above
    messages: List[str]   # lines of JSON
    values: dict          # {field: [text]} of the fields that the frame has
    ends: Tuple[str, str] = ("", "")  # "address:port" of source and destination, if it has no messages


class Finding(NamedTuple):
    severity: str
    title: str
    word: str
    remedy: str


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
    """-2: what depends on later packets is known on the second pass. The filters of -Y are in the statistic's; tshark has them too, and
    reports one that is wrong."""
    kept, filters = checked(options)
    chosen = " && ".join(f"({each})" for each in (" || ".join(selected), f"!({QUOTED})", *filters))
    return [program, "-n", "-2", "-r", str(capture), "-q", "-z", f"gamewire,frames,{' '.join(fields)},{chosen}",
            *(part for tap in (TOTALS, *taps) for part in ("-z", tap)), *(part for each in filters for part in ("-Y", each)), *kept]


class Reading:
    """The packets of a capture that are `selected` by one of these filters, with their values of `fields`. When all were read,
    `statistics` is what the taps printed, and `is_cut_short` is true if the file ends in its last packet, which tshark then leaves out.
    Of the packets so far, `findings` are {filter name: Finding}, and `texts` those of enumerations: {field: {number: text}}."""

    def __init__(self, capture, options=(), tshark=None, fields=(), selected=MESSAGES, taps=(), progress=None):
        if not Path(capture).is_file():
            raise Failed(f"no such file: {capture}")
        self.program = find_tshark(tshark)
        self.command = command(self.program, capture, options, fields, selected, taps)
        self.progress = progress
        self.findings, self.texts = {}, {}
        self.statistics = ""
        self.is_cut_short = False

    def __iter__(self):
        with subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            complaints = _Complaints(running.stderr)
            try:
                yield from self._packets(running.stdout)
            except (ValueError, KeyError):  # a line that the plugin does not print
                running.kill()
                raise self._foreign() from None
            except BaseException:
                running.kill()
                raise
            finally:
                complaints.end()
            status = running.wait()
        has_ended = "IO Statistics" in self.statistics
        self.is_cut_short = has_ended and complaints.is_cut_short
        if status and not self.is_cut_short:
            raise Failed(f"tshark: status {status}\n{complaints.text()}")
        if not has_ended:
            raise self._foreign()

    def _foreign(self):
        return Failed(f"{self.program} printed something else than frames: is it tshark?")

    def _packets(self, output):
        """The lines of a frame's messages come before the frame's, and those that describe a finding or a field before the first frame
        that has it. The statistics, which follow, have no such lines."""
        messages, rest = [], []
        for line in output:
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if text.startswith('{"time":'):
                messages.append(text)
            elif text.startswith('{"frame":'):
                yield self._packet(text, messages)
                messages = []
            elif text.startswith('{"finding":'):
                row = decode(text)
                self.findings[row["finding"]] = Finding(row["severity"].lower(), row["title"], row.get("word", ""), row.get("remedy", ""))
            elif text.startswith('{"field":'):
                row = decode(text)
                self.texts[row["field"]] = row["texts"]
            else:
                rest.append(text)
        self.statistics = "\n".join(rest) + "\n"

    def _packet(self, text, messages):
        """Number, time, length and ends differ from frame to frame; what follows is decoded once for each text."""
        numbers, rest = text.split(',"protocols":', 1)
        frame = decode(numbers + "}")
        described = decode_described('{"protocols":' + rest)
        ends = frame.get("source", ""), frame.get("destination", "")
        found = Packet(frame["frame"], frame["time"], frame["length"], described["protocols"], described["findings"], messages,
                       described["fields"], ends)
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
        return "The plugin is not loaded: see plugin/docs/installing.md, Messages at start." if NO_PLUGIN in found else found


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
        self.bytes += packet.length + 16
        if self.packets % 512 == 0 and time.monotonic() - self.said >= self.INTERVAL:
            self.say(packet)

    def say(self, packet):
        """The part is an estimate: only packets of games are counted, the others taken to be as long."""
        self.said = time.monotonic()
        part = min(99, 100 * packet.number * self.bytes // self.packets // self.size)
        print(f"frame {packet.number}, about {part} %, {self.said - self.started:.0f} s", file=self.stream, flush=True)
