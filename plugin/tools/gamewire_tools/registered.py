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


class Registered:
    def __init__(self, program):
        self.program = program

    @functools.cached_property
    def _text(self):
        """Some 20 MB, of which only a few lines are parsed."""
        done = subprocess.run([self.program, "-G", "fields"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        return done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")

    def kind(self, name):
        """The type of a field, or FT_PROTOCOL; None if no field, expert info or protocol has the name."""
        for end in ("\t", "\n"):
            at = self._text.find(f"\t{name}{end}")
            while at >= 0:
                columns = self._text[self._text.rfind("\n", 0, at) + 1:self._text.find("\n", at + 1)].split("\t")
                if len(columns) > 2 and columns[2] == name:
                    return columns[3] if columns[0] == "F" else "FT_PROTOCOL"
                at = self._text.find(f"\t{name}{end}", at + 1)
        return None

    @functools.cached_property
    def findings(self):
        return {name: Finding(severity.lower(), title, word, remedy) for title, name, severity, word, remedy in DESCRIBED.findall(self._text)}

    def texts(self, name):
        """{number: text} of an enumeration, both as texts; empty if there is no such field."""
        if not self.kind(name):
            return {}
        done = subprocess.run([self.program, "-G", "values"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        rows = re.findall(rf"^V\t{re.escape(name)}\t(\w+)\t(.*?)\r?$", done.stdout.decode("utf-8", "replace"), re.MULTILINE)
        return {str(int(number, 0)): text for number, text in rows}
