# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The types of the fields that tshark has registered, of `tshark -G fields`."""

import functools
import subprocess


class Registered:
    """The list has some 20 MB, of which a few lines are looked up: it is not decoded."""

    def __init__(self, program):
        self.program = program

    @functools.cached_property
    def _fields(self):
        done = subprocess.run([self.program, "-G", "fields"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        return done.stdout.replace(b"\r\n", b"\n") if b"\r\n" in done.stdout else done.stdout

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
