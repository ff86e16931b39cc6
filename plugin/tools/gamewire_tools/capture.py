# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a capture with one run of tshark, packet by packet.

The output is -T json, the only one that tells which value belongs to which message, update or command of a datagram with
several of them: -T ek and -T fields list the values of a whole packet. It is read in blocks and split between packets, so that
memory does not depend on the length of the capture.
"""

import calendar
import collections
import gc
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

FAMILIES = ("enet", "godot", "godot_debugger", "godot_mp", "godot_remote_fs", "godot_stream", "leviathan", "squirrel")
CARRIERS = ("frame", "ip", "ipv6", "udp", "tcp", "raknet", "exported_pdu")
# An ICMP error quotes a datagram that was sent before.
QUOTED = "icmp || icmpv6"
# Beside tshark in PATH: where the installers of Windows and macOS put it.
ELSEWHERE = (r"C:\Program Files\Wireshark\tshark.exe", "/Applications/Wireshark.app/Contents/MacOS/tshark")

BLOCK = 1 << 20
BETWEEN = b"\n  },\n  {\n"
LAYERS = b'"layers": {'
EXPERT = b'"_ws.expert": {'
END = b"\n]\n"

# Options of tshark after which it prints something else than packets of -T json, or reads something else than the capture; and
# those whose next argument is their value.
OTHER_OUTPUT = re.compile(r"-[xTVOPqQGDLwFjJeESrihv]|--(?:color|hexdump|print|version|help|no-duplicate-keys)\b")
WITH_VALUE = re.compile(r"-[abBcCdfHKMNoRsXyYzUut]")
CUT_SHORT = "appears to have been cut short in the middle of a packet"

decode = json.JSONDecoder(object_pairs_hook=list).raw_decode

# `layers`: pairs of a name and the pairs of its items, in order; `length`: bytes of the frame on the wire; `has_experts`: false for
# most packets, whose items need not be searched for expert infos.
Packet = collections.namedtuple("Packet", "number time length captured layers has_experts")


class Failed(Exception):
    """tshark is missing, ended with an error, or printed something else than packets."""


# ---- items -------------------------------------------------------------------------------------------------


def first(items, name, otherwise=None):
    """The value of the first item with this name, or the items below it."""
    for key, value in items:
        if key == name:
            return value
    return otherwise


def every(items, name):
    return [value for key, value in items if key == name]


def below(items, name):
    """The items below the first item with this name that has a value of its own."""
    return first(items, name + "_tree", ())


def number(items, name):
    value = first(items, name)
    return None if value is None else int(value, 0)


def is_true(items, name):
    return first(items, name, "0").lower() in ("1", "true")


def walk(items):
    """All items at all depths, in order, those with items below them before these."""
    stack = [iter(items)]
    while stack:
        for key, value in stack[-1]:
            yield key, value
            if isinstance(value, list):
                stack.append(iter(value))
                break
        else:
            stack.pop()


def experts(items):
    """(filter name, severity, text) of each expert info at any depth."""
    for key, value in walk(items):
        if key == "_ws.expert" and value:
            name = value[0][0]
            yield name, int(first(value, "_ws.expert.severity", "0")), first(value, "_ws.expert.message", "")


# ---- tshark ------------------------------------------------------------------------------------------------


def find_tshark(given=None):
    named = given or os.environ.get("TSHARK")
    for program in (named,) if named else ("tshark", *ELSEWHERE):
        found = shutil.which(program)
        if found:
            return found
    raise Failed(f"there is no program {named}" if named else "tshark is not in PATH; --tshark names it")


def check_options(options):
    """Raises Failed where an option of the user's changes what is read here."""
    options = iter(options)
    for option in options:
        if OTHER_OUTPUT.match(option):
            raise Failed(f"{option} changes what tshark prints, and is not possible after --")
        if WITH_VALUE.fullmatch(option):
            next(options, None)


def shown_name(path):
    """The capture's name as a text; bytes of it that are not UTF-8 are replaced."""
    return os.fsencode(Path(path).name).decode("utf-8", "replace")


def cut_short(path):
    return f"{path} is cut short in its last packet; this is what the packets before it have"


def command(program, capture, options, families=FAMILIES, taps=(), others=()):
    """-2: what depends on later packets is known on the second pass. `others`: filters of packets without a family's protocol."""
    return [program, "-n", "-2", "-r", str(capture), "-T", "json", "-J", " ".join((*CARRIERS, *families)),
            "-o", "godot.show_values:TRUE", "-Y", f"({' || '.join((*families, *others))}) && !({QUOTED})",
            *(part for tap in taps for part in ("-z", tap)), *options]


def value_names(program, names, options=()):
    """{field: {number: text}} of enumerations, which JSON has as numbers."""
    found = {name: {} for name in names}
    with subprocess.Popen([program, "-G", "values", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as listing:
        for line in listing.stdout:
            if line.startswith(b"V\t"):
                columns = line.decode("utf-8", "replace").rstrip("\r\n").split("\t")
                if len(columns) > 3 and columns[1] in found:
                    found[columns[1]][int(columns[2], 0)] = columns[3]
    return found


class Reading:
    """The packets of a capture. When all were read, `statistics` is what the taps printed, and `is_cut_short` is true if the file ends
    in its last packet, which tshark then leaves out."""

    def __init__(self, capture, options=(), tshark=None, families=FAMILIES, taps=(), progress=None, others=()):
        if not Path(capture).is_file():
            raise Failed(f"no such file: {capture}")
        check_options(options)
        self.capture = Path(capture)
        self.program = find_tshark(tshark)
        self.command = command(self.program, capture, options, families, taps, others)
        self.progress = progress
        self.statistics = ""
        self.is_cut_short = self.has_begun = False

    def __iter__(self):
        # A packet has hundreds of lists, none of which refers to itself: looking for cycles is a tenth of the time.
        gc.set_threshold(200_000)
        with subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            complaints = _Complaints(running.stderr)
            try:
                for text in self._texts(running.stdout):
                    yield self._packet(text)
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

    def _foreign(self):
        return Failed(f"{self.program} printed something else than packets as JSON: is it tshark?")

    def _texts(self, output):
        """The text of each packet."""
        waiting = b""
        while block := output.read(BLOCK):
            self.has_begun = self.has_begun or block.startswith(b"[")
            if not self.has_begun:
                raise self._foreign()
            waiting += block.replace(b"\r", b"")  # of Windows's line ends; those in values are escaped
            texts = waiting.split(BETWEEN)
            waiting = texts.pop()
            yield from texts
        last, _, rest = waiting.partition(END if END in waiting else b"[]\n")
        if LAYERS in last:
            yield last
        self.statistics = rest.decode("utf-8", "replace")

    def _packet(self, text):
        try:
            layers, _ = decode(text[text.index(LAYERS) + len(LAYERS) - 1:].decode("utf-8", "replace"))
            layers = joined(lifted(layers))
            frame = layers[0][1]
            found = Packet(number(frame, "frame.number"), epoch(frame), number(frame, "frame.len"),
                           number(frame, "frame.cap_len"), layers, EXPERT in text)
        except (ValueError, TypeError, IndexError):
            raise self._foreign() from None
        if self.progress:
            self.progress.packet(found)
        return found


def lifted(layers):
    """The layers, with those that RakNet's dissector has below its messages."""
    if not any(name == "raknet" and isinstance(items, list) for name, items in layers):
        return layers
    found = []
    for name, items in layers:
        found.append((name, items))
        if name == "raknet" and isinstance(items, list):
            found += [(inner, value) for inner, value in walk(items) if inner in FAMILIES and isinstance(value, list)]
    return found


def joined(layers):
    """The layers, with the header of an exported or recorded message in the layer of the message, and without records of names."""
    if not any(name == "exported_pdu" for name, _ in layers):
        return layers
    found, head = [], []
    for name, items in layers:
        if name == "godot_mp" and any(field == "godot_mp.exported.version" for field, _ in items):
            head = items
        elif name != "godot_mp" or not any(field == "godot_mp.names.version" for field, _ in items):
            found.append((name, head + items if name == "godot_mp" else items))
    return found


def epoch(frame):
    """Seconds since 1970, with six decimals, or nine where the capture has them. Wireshark 4.6 prints a date."""
    text = first(frame, "frame.time_epoch", "0.000000")
    if "T" in text:
        date, _, fraction = text.rstrip("Z").partition(".")
        text = f"{calendar.timegm(time.strptime(date, '%Y-%m-%dT%H:%M:%S'))}.{fraction}"
    return text.removesuffix("000")


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
        if "godot.show_values" in found:
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
