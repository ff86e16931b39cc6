# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes fields.md, the reference of all fields, from what tshark lists:

    tshark -G fields | python3 plugin/tools/field_reference.py >plugin/docs/reference/fields.md

plugin.pages compares the page, and writes it again with GAMEWIRE_UPDATE_GOLDEN=1.
"""

import re
import sys

PROTOCOLS = ("enet", "godot", "godot_debugger", "godot_mp", "godot_remote_fs", "godot_stream", "leviathan", "squirrel")

TYPES = {
    "FT_NONE": "",
    "FT_PROTOCOL": "protocol",
    "FT_BOOLEAN": "boolean",
    "FT_STRING": "text",
    "FT_STRINGZ": "text",
    "FT_BYTES": "bytes",
    "FT_UINT_BYTES": "bytes",
    "FT_FRAMENUM": "frame number",
    "FT_RELATIVE_TIME": "duration",
    "FT_ABSOLUTE_TIME": "time",
    "FT_FLOAT": "float, 32 bits",
    "FT_DOUBLE": "float, 64 bits",
}

HEAD = """<!--
SPDX-FileCopyrightText: The Gamewire authors
SPDX-License-Identifier: GPL-2.0-or-later
-->
# Fields

Every field that a filter, a column or `tshark -e` can name: {count} of them. Written by [field_reference.py](../../tools/field_reference.py)
from `tshark -G fields`. A field without a type is a branch of the tree, or an expert info whose text is its name: [findings.md](findings.md)
has what can be done about it.
"""

# The description of a finding's field: gw_register_findings() writes it.
FINDING = re.compile(r"(Error|Warning|Note|Chat)(?: \[(.+?)\])?(?:: (.*))?")


def type_of(kind):
    """FT_UINT24 -> unsigned, 24 bits"""
    if kind in TYPES:
        return TYPES[kind]
    sign, _, bits = kind.removeprefix("FT_").partition("INT")
    return f"{'unsigned' if sign == 'U' else 'signed'}, {bits} bits"


def cell(text):
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def page(lines):
    """The page, from the lines of `tshark -G fields`."""
    rows = {protocol: set() for protocol in PROTOCOLS}
    for line in lines:
        columns = line.split("\t")
        if columns[0] == "F" and columns[4] in rows:
            _, name, field, kind, protocol, _base, _mask, *blurb = columns
            is_described = blurb and not (kind == "FT_NONE" and FINDING.fullmatch(blurb[0]))
            rows[protocol].add((field, type_of(kind), cell(name), cell(blurb[0]) if is_described else ""))
    parts = [HEAD.format(count=sum(len(found) for found in rows.values()))]
    for protocol, found in rows.items():
        parts.append(f"\n## {protocol}\n\n| field | type | name | |\n| --- | --- | --- | --- |\n")
        parts += [f"| `{field}` | {kind} | {name} | {blurb} |\n" for field, kind, name, blurb in sorted(found)]
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(page(sys.stdin.read().splitlines()))
