# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The conditions of --fail-on: a finding, a figure or the filter name of any field, a comparison and a number."""

import operator
import re

from .findings import ALIASES, BY_ID

COMPARISONS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "==": operator.eq}
NUMBER = r"\d+\.?\d*|\.\d+"
CONDITION = re.compile(rf"([\w.]+)(?:@({NUMBER}))?\s*(>=|<=|==|>|<)\s*({NUMBER})", re.ASCII)
FIGURES = ("rtt_median", "rtt_95", "rtt_max", "response_95", "response_max", "messages", "frames", "bytes", "bytes_per_second")
NUMBERS = ("FT_UINT", "FT_INT", "FT_FLOAT", "FT_DOUBLE", "FT_RELATIVE_TIME")


class Wrong(Exception):
    """An argument that the program does not understand."""


class Condition:
    """`names`: of a field with numbers, it holds if it is true of any value, as in a display filter; all other fields, expert infos
    and protocols are counted."""

    def __init__(self, text):
        parts = CONDITION.fullmatch(text.strip())
        if not parts:
            raise Wrong(f"not a condition: {text}; one is: late>0")
        self.text = text
        self.id, limit, self.comparison, number = parts.groups()
        self.limit = None if limit is None else float(limit)
        self.number = float(number)
        self.is_field = self.id not in BY_ID and self.id not in ALIASES and self.id not in FIGURES
        self.has_numbers = self.is_boolean = False
        self.found = {}  # connection: [how often, a value, the first frame]
        if self.limit is not None and (self.id not in BY_ID or BY_ID[self.id].limit is None):
            known = ", ".join(each.id for each in BY_ID.values() if each.limit is not None)
            raise Wrong(f"{self.id} in --fail-on has no limit; those that have one are: {known}")

    def names(self):
        return (self.id,) if self.is_field else ()

    def check(self, registered):
        """`registered`: what tshark has."""
        kind = registered.kind(self.id) if self.is_field else ""
        if kind is None:
            known = ", ".join(sorted((*BY_ID, *ALIASES, *FIGURES)))
            raise Wrong(f"unknown in --fail-on: {self.id} is no filter name of this tshark; known besides those are: {known}")
        self.has_numbers = kind.startswith(NUMBERS) and kind not in ("FT_UINT_BYTES", "FT_UINT_STRING")
        self.is_boolean = kind == "FT_BOOLEAN"

    def compare(self, value):
        return COMPARISONS[self.comparison](value, self.number)

    def frame(self, frame):
        if not self.is_field:
            return
        values = frame.values.get(self.id, ())
        if self.is_boolean:
            values = [value for value in values if value.lower() in ("1", "true")]
        elif self.has_numbers:
            values = [value for value in map(number_of, values) if value is not None and self.compare(value)]
        count = max(len(values), frame.experts.get(self.id, 0))
        if count:
            entry = self.found.setdefault(frame.connection, [0, values[0] if values else "", frame.number])
            entry[0] += count

    def failure(self, metrics, games):
        """A sentence if the condition holds, or None. `games`: the connections with packets of a game; other ones do not count."""
        if not self.is_field:
            name = self.id if self.limit is None or self.limit == BY_ID[self.id].limit else f"{self.id}@{self.limit:g}"
            return f"{self.text}: {name} is {metrics[name]:g}" if self.compare(metrics[name]) else None
        found = [entry for connection, entry in self.found.items() if connection in games]
        count = sum(entry[0] for entry in found)
        first = min(found, key=lambda entry: entry[2], default=None)
        if self.has_numbers:
            return f"{self.text}: {self.id} is {first[1]:g} in frame {first[2]}, and {count - 1} more" if first else None
        where = f", first in frame {first[2]}" if first else ""
        return f"{self.text}: {self.id} is {count}{where}" if self.compare(count) else None


def number_of(text):
    try:
        return float(int(text, 0)) if text.lower().startswith(("0x", "-0x")) else float(text)
    except ValueError:
        return None
