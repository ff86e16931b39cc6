# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes findings.md, the reference of all findings, from what tshark lists:

    tshark -G fields | python3 plugin/tools/finding_reference.py >plugin/docs/reference/findings.md

plugin.all.findings compares the page, and writes it again with GAMEWIRE_UPDATE_GOLDEN=1.
"""

import sys

from field_reference import FINDING, PROTOCOLS, cell

SEVERITIES = ("Error", "Warning", "Note", "Chat")

HEAD = """<!--
SPDX-FileCopyrightText: The Gamewire authors
SPDX-License-Identifier: GPL-2.0-or-later
-->
# Findings

What the plugin reports about messages: {count} findings. Written by [finding_reference.py](../../tools/finding_reference.py) from
`tshark -G fields`. Each is an expert info whose filter name is in the first column; *Analyze → Expert Information* lists those of
a capture. The Info column begins with the words of a message's two most important ones: of the highest severity, then the first of
this list. A fault of the bytes is named at the end of the line, in its own words. What can be done about a finding is in the status bar
when its line in the tree is selected, and in the last column here.
"""


def findings(lines):
    """[(protocol, filter, severity, word, summary, remedy)] in the order of the plugin's tables; word and remedy may be empty."""
    found = []
    for line in lines:
        columns = line.split("\t")
        if columns[0] == "F" and columns[4] in PROTOCOLS and columns[3] == "FT_NONE" and len(columns) > 7:
            match = FINDING.fullmatch(columns[7])
            if match:
                severity, word, remedy = match.groups(default="")
                found.append((columns[4], columns[2], severity, word, columns[1], remedy))
    return found


def page(lines):
    """The page, from the lines of `tshark -G fields`."""
    rows = findings(lines)
    parts = [HEAD.format(count=len(rows))]
    for protocol in PROTOCOLS:
        own = [row for row in rows if row[0] == protocol]
        own.sort(key=lambda row: SEVERITIES.index(row[2]))
        parts.append(f"\n## {protocol}\n\n| filter | severity | in Info | what was found | what to do |\n"
                     "| --- | --- | --- | --- | --- |\n")
        parts += [f"| `{name}` | {severity} | {cell(word)} | {cell(summary)} | {cell(remedy)} |\n"
                  for _, name, severity, word, summary, remedy in own]
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(page(sys.stdin.read().splitlines()))
