#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each id of a field or an expert info is registered exactly once, and used.

    registered_fields.py SOURCE

Ids are members of structs and elements of arrays, which Wireshark's checkhf.pl cannot see (dissector_sources.py). What is
required of each:

    a member or a variable         one entry in the tables of its family, and a use elsewhere
    an array of known size         one entry for each index
    an array by an enumeration     one entry for each enumerator
    an array filled by a function  it is an argument of that function, such as make_field()
    an array of expert infos       it is in the tables of gw_register_protocol()
    a fault or an oddity           one row with its filter name
    a table                        it is registered

The enumerators without a field or a row are listed in registered-fields.txt. In copies of our sources, each kind of
registration is removed or doubled: the test must report it.
"""

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from dissector_sources import EXPERT_ENTRY, EXPERT_TABLE, FIELD_ENTRY, FIELD_TABLE, VARIABLE, Sources, changed_copy, split_arguments

LIST = Path(__file__).with_name("registered-fields.txt")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
ROW = re.compile(r'\{\s*(GW_\w+_(?:ODD|FAULT)_\w+)\s*,\s*"')


def enumerations(codecs):
    """[[enumerator]] of the public headers."""
    found = []
    for header in sorted(codecs.glob("*/include/gamewire/*.h")):
        text = COMMENT.sub("", header.read_text(encoding="utf-8"))
        for body in re.findall(r"\benum\b\s*\w*\s*\{([^}]*)\}", text):
            found.append(re.findall(r"(?:^|,)\s*(\w+)", body))
    return found


def exceptions():
    lines = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {line.partition(" | ")[0] for line in lines}


class Findings:
    def __init__(self, sources, enumerations_):
        self.problems, self.without, self.enumerations = [], set(), enumerations_
        self.checked = 0
        for family in sources.families.values():
            self._family(family)

    def _once(self, what, count):
        self.checked += 1
        if count != 1:
            self.problems.append(f"{what}: registered {count} times")

    def _family(self, family):
        entries = Counter([(name, index) for name, index, _ in family.fields] + family.experts)
        unknown = {name for name, _ in entries} - family.ids.keys()
        self.problems += [f"{family.name}: {name} is registered, but no id that is known here" for name in sorted(unknown)]
        uses = VARIABLE.sub("", EXPERT_ENTRY.sub("", FIELD_ENTRY.sub("", family.code)))
        used = set(re.findall(r"\w+", uses))
        for known in family.ids.values():
            if not known.size:
                self._once(known.spelled, entries[known.name, ""])
            elif any(name == known.name for name, _ in entries):
                for index in self._indexes(known, {index for name, index in entries if name == known.name}):
                    self._once(f"{known.spelled}[{index}]", entries[known.name, f"[{index}]"])
            else:
                self._once(known.spelled, int(self._is_filled(known, uses)))
            if known.name not in used:
                self.problems.append(f"{known.spelled}: not used")
        self._tables(family)
        self._rows(family)

    def _indexes(self, known, registered):
        """The indexes that an array must have; the enumerators that have no entry are `without`."""
        size = known.size.strip("[]")
        if size.isdigit():
            return range(int(size))
        for names in self.enumerations:
            if size in names:
                named = names[:names.index(size)]
                self.without |= {name for name in named if f"[{name}]" not in registered and not name.endswith("_ROLE_NONE")}
                return [name for name in named if f"[{name}]" in registered]
        self.problems.append(f"{known.spelled}: of {size} elements, of which no enumeration of a codec is")
        return []

    @staticmethod
    def _is_filled(known, uses):
        """True where the array is in the tables of gw_register_protocol(), or a function gets the address of an element."""
        return (re.search(rf"\.(?:faults|oddities)\s*=\s*\{{\s*{known.name}\b", uses)
                or re.search(rf"\bmake_\w+\([^;]*?&{known.name}\[", uses)
                or re.search(rf"\(hf_register_info\)\s*\{{\s*&{known.name}\[", uses)) is not None

    def _tables(self, family):
        for path, text in family.files.items():
            for table in [*FIELD_TABLE.findall(text), *EXPERT_TABLE.findall(text)]:
                self._once(f"{path}: table {table}", len(re.findall(rf"\{{\s*\({table}\),|register\w*\([^;()]*,\s*{table}\s*,", text)))

    def _rows(self, family):
        rows = Counter(ROW.findall(family.text))
        prefix = re.compile(rf"GW_{family.name.upper()}_(\w+_)?(ODD|FAULT)_")
        wanted = {name for names in self.enumerations for name in names if prefix.match(name) and not name.endswith("_FAULT_NONE")}
        self.without |= wanted - rows.keys()
        for name, count in rows.items():
            self._once(name, count if name in wanted else 0)

    def all(self):
        listed = exceptions()
        return (self.problems + [f"{name}: has neither a field nor an expert info" for name in sorted(self.without - listed)]
                + [f"{LIST.name}: remove the line, which is no longer needed: {name}" for name in sorted(listed - self.without)])


# ---- faults put into copies of our sources -----------------------------------------------------------------------


def last_entry(text, pattern):
    """The last entry of the last table that `pattern` finds."""
    tables = list(pattern.finditer(text))
    return [entry for entry in split_arguments(text, tables[-1].end())[0] if entry][-1] if tables else None


def without_entry(pattern):
    return lambda text: (entry := last_entry(text, pattern)) and text.replace(entry, "", 1)


def doubled_entry(pattern):
    return lambda text: (entry := last_entry(text, pattern)) and text.replace(entry, f"{entry}, {entry}", 1)


def changed(pattern, replacement):
    def change(text):
        result = re.sub(pattern, replacement, text, count=1, flags=re.S)
        return result if result != text else None
    return change


FAULTS = {
    "a field is not registered": (without_entry(FIELD_TABLE), "registered 0 times"),
    "a field is registered twice": (doubled_entry(FIELD_TABLE), "registered 2 times"),
    "an expert info is not registered": (without_entry(EXPERT_TABLE), "registered 0 times"),
    "an expert info is registered twice": (doubled_entry(EXPERT_TABLE), "registered 2 times"),
    "a table is not registered": (changed(r"(\.fields = \{ )\{ GW_ROWS\(\w+\) \},?", r"\1"), "table"),
    "a row of an expert info is missing": (changed(r"(gw_expert_row \w+\[\] = \{)\n[^\n]*\n", r"\1\n"), "neither a field"),
    "an array of expert infos is not registered": (changed(r"\n *\.oddities = [^\n]*", ""), "registered 0 times"),
    "a member is not used": (changed(r"(typedef struct \w*(?:hf|fields|field_ids)\w* \{)", r"\1 int never_used;"), "not used"),
}


def try_fault(plugin, family, change, enumerations_, folder):
    """(the file that is changed, what is reported then) of a copy of a family's sources; None where nothing can be changed."""
    copy = changed_copy(plugin, folder / "plugin", family, change)
    return copy and (copy, Findings(Sources(folder / "plugin", folder / "units", only=family), enumerations_).all())


def faults_not_found(plugin, families, enumerations_, folder):
    problems = []
    before = {name: Findings(Sources(plugin, folder / "units", only=name), enumerations_).all() for name in families}
    for what, (change, words) in FAULTS.items():
        tried = [(name, *result) for name in families if (result := try_fault(plugin, name, change, enumerations_, folder))]
        if not tried:
            problems.append(f"{what}: no place found to try that")
        for name, path, after in tried:
            new = [line for line in after if line not in before[name] and words in line]
            print(f"{what}, {path}: {new[0] if new else 'not reported'}")
            if not new:
                problems.append(f"{what}, {path}: not reported")
    return problems


def main():
    source = Path(sys.argv[1]).resolve()
    plugin, enumerations_ = source / "plugin", enumerations(source / "codecs")
    with tempfile.TemporaryDirectory() as folder:
        sources = Sources(plugin, Path(folder) / "all")
        findings = Findings(sources, enumerations_)
        problems = findings.all() + faults_not_found(plugin, sources.families, enumerations_, Path(folder))
    print(*problems, f"{len(problems)} problems ({findings.checked} registrations)", sep="\n")
    return 1 if problems else 0


sys.exit(main())
