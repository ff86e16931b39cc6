# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark has registered, of `tshark -G fields`: types of fields, and the plugin's findings. A finding's description is its severity,
the word that Info shows and the remedy: "Warning [Node missing]: Add or spawn the node"."""

import functools
import re
import subprocess
from typing import NamedTuple

from .capture import FAMILIES

DESCRIBED = re.compile(r"^F\t([^\t\n]*)\t([\w.]+)\tFT_NONE\t(?:%s)\t[^\n]*\t(Chat|Note|Warning|Error)(?: \[(.*?)\])?(?:: (.*))?$" % "|".join(FAMILIES),
                       re.MULTILINE)


class Finding(NamedTuple):
    severity: str
    title: str
    word: str
    remedy: str


def printed(program, what):
    """Some 20 MB of fields and 90 MB of values, in which a few lines are looked up: they are not decoded."""
    done = subprocess.run([program, "-G", what], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.replace(b"\r\n", b"\n") if b"\r\n" in done.stdout else done.stdout


class Registered:
    def __init__(self, program):
        self.program = program

    @functools.cached_property
    def _fields(self):
        return printed(self.program, "fields")

    def _line(self, at):
        """The columns of the line that this place is in."""
        begin, end = self._fields.rfind(b"\n", 0, at) + 1, self._fields.find(b"\n", at + 1)
        return self._fields[begin:end if end >= 0 else None].decode("utf-8", "replace").split("\t")

    def kind(self, name):
        """The type of a field, or FT_PROTOCOL; None if no field, expert info or protocol has the name."""
        for end in "\t\n":
            wanted = f"\t{name}{end}".encode()
            at = self._fields.find(wanted)
            while at >= 0:
                columns = self._line(at)
                if len(columns) > 2 and columns[2] == name:
                    return columns[3] if columns[0] == "F" else "FT_PROTOCOL"
                at = self._fields.find(wanted, at + 1)
        return None

    @functools.cached_property
    def findings(self):
        """The fields of a plugin are together, and few of the list: only their lines are matched."""
        places = [self._fields.find(f"\t{family}\n".encode()) for family in FAMILIES]
        begin = min((place for place in places if place >= 0), default=0)
        end = max(self._fields.rfind(f"\t{family}\t".encode()) for family in FAMILIES)
        text = self._fields[begin:self._fields.find(b"\n", end) + 1].decode("utf-8", "replace") if end > begin else ""
        return {name: Finding(severity.lower(), title, word, remedy) for title, name, severity, word, remedy in DESCRIBED.findall(text)}

    def texts(self, name):
        """{number: text} of an enumeration, both as texts; empty if there is no such field."""
        if not self.kind(name):
            return {}
        values, begin = printed(self.program, "values"), f"V\t{name}\t".encode()
        at, found = 0 if values.startswith(begin) else values.find(b"\n" + begin) + 1, {}
        while values.startswith(begin, at):
            end = values.find(b"\n", at)
            number, text = values[at + len(begin):end if end >= 0 else None].decode("utf-8", "replace").split("\t", 1)
            found[str(int(number, 0))] = text
            at = end + 1 or len(values)
        return found
