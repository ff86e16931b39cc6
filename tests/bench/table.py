# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The table: measured values, compared with the goals."""

import math
from dataclasses import dataclass, field
from typing import List, Optional

from measure import median

COLUMNS = ("what", "ours", "peer", "ratio", "goal", "result", "notes")


@dataclass(frozen=True)
class Goal:
    """A bound, and the value that it limits: see measure()."""

    kind: str  # "ratio", "faster", "value" or "excess"
    bound: float
    withdrawn: str = ""  # why it is no goal any more; what is measured for it is still shown

    def measure(self, ours, peer):
        if self.kind == "ratio":
            return ours / peer if peer else math.nan
        if self.kind == "faster":
            return peer / ours if ours else math.nan
        if self.kind == "excess":
            return ours - peer
        return ours

    def is_met(self, measured):
        return measured >= self.bound if self.kind == "faster" else measured <= self.bound

    def missed_by(self, measured):
        if self.kind == "excess":
            return f"{measured - self.bound:.0f}"
        if self.bound == 0 or not measured:
            return f"{measured:g}"
        factor = self.bound / measured if self.kind == "faster" else measured / self.bound
        return f"{(factor - 1) * 100:.{0 if factor > 1.1 else 1}f} %"

    def __str__(self):
        forms = {"ratio": "≤ {:g} ×", "faster": "≥ {:g} × faster", "value": "≤ {:g}", "excess": "≤ {:g} more"}
        return forms[self.kind].format(self.bound)


@dataclass
class Line:
    """One goal, or a figure without a goal, for comparison."""

    what: str
    unit: str
    ours: List[float]  # of each round; empty for a line of notes
    goal: Optional[Goal] = None
    peer_name: str = ""
    peer: List[float] = field(default_factory=list)
    notes: str = ""  # such as the same comparison in instructions, which do not vary

    def cells(self):
        return (
            self.what,
            self._ours(),
            self._peer(),
            self._measured(),
            str(self.goal or ""),
            self._result(),
            self.notes,
        )

    def _ours(self):
        if not self.ours:
            return ""
        spread = f" [{_number(min(self.ours))}–{_number(max(self.ours))}]" if len(self.ours) > 1 else ""
        return f"{_number(median(self.ours))}{spread} {self.unit}"

    def _peer(self):
        return f"{self.peer_name} {_number(median(self.peer))}" if self.peer else ""

    def _value(self):
        return self.goal.measure(median(self.ours), median(self.peer) if self.peer else 0)

    def _measured(self):
        if not self.goal or self.goal.kind == "value":
            return ""
        return f"{self._value():+.0f}" if self.goal.kind == "excess" else f"{self._value():.2f}"

    def _result(self):
        if not self.goal:
            return ""
        met = self.goal.is_met(self._value())
        text = "met" if met else f"missed by {self.goal.missed_by(self._value())}"
        withdrawn = f"; withdrawn: {self.goal.withdrawn}" if self.goal.withdrawn else ""
        return (text if self._is_sure(met) else f"{text} (rounds differ)") + withdrawn

    def _is_sure(self, met):
        """True if each round by itself has the same result; its runs were consecutive."""
        peer = self.peer or [0] * len(self.ours)
        if len(peer) != len(self.ours):
            return True
        return all(self.goal.is_met(self.goal.measure(*pair)) == met for pair in zip(self.ours, peer))

    def short(self):
        """What, and the value that the goal limits."""
        return f"{self.what}: {self._measured() or _number(median(self.ours))}"

    @property
    def missed(self):
        return self.has_goal and not self.goal.is_met(self._value())

    @property
    def has_goal(self):
        return self.goal is not None and not self.goal.withdrawn


def _number(value):
    if value == int(value):
        return f"{value:.0f}"
    return f"{value:.{0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 3}f}"


def as_text(sections):
    rows = [COLUMNS]
    for title, lines in sections:
        rows.append((title.upper(), *[""] * (len(COLUMNS) - 1)))
        rows += [line.cells() for line in lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    )


def as_markdown(sections):
    texts = []
    for title, lines in sections:
        rows = [COLUMNS, ["---"] * len(COLUMNS), *[line.cells() for line in lines]]
        table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
        texts.append(f"### {title}\n\n{table}\n")
    return "\n".join(texts)


def as_page(sections):
    """A row for each goal of a section: what was measured for it, with what missed it first."""
    rows = []
    for title, lines in sections:
        goals = {}
        for line in lines:
            if line.goal:
                unit = f" {line.unit}" if line.goal.kind == "value" and line.unit else ""
                goals.setdefault((f"{line.goal}{unit}", line.peer_name, line.goal.withdrawn), []).append(line)
        for (goal, peer, withdrawn), of_goal in goals.items():
            missed = sum(line.missed for line in of_goal)
            ordered = sorted(of_goal, key=lambda line: not line.missed)
            result = "met" if not missed else "missed" if missed == len(of_goal) else f"{missed} of {len(of_goal)} missed"
            result = f"withdrawn: {withdrawn}" if withdrawn else result
            rows.append((title, f"{goal} {peer}".rstrip(), "; ".join(line.short() for line in ordered), result))
    head = [("section", "promised", "measured", "result"), ["---"] * 4]
    return "\n".join("| " + " | ".join(row) + " |" for row in (*head, *rows)) + "\n"


def summary(sections):
    lines = [line for _, lines in sections for line in lines if line.has_goal]
    missed = sum(line.missed for line in lines)
    return f"{len(lines) - missed} of {len(lines)} goals met"
