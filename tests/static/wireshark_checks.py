#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs those of Wireshark's own checks that apply to a dissector's source, and prints what they report.

    wireshark_checks.py SOURCE FOLDER

SOURCE is the top of our tree. FOLDER keeps Wireshark's source (wireshark_source.py), which is fetched once. What the checks
read is described in dissector_sources.py. What they report is an error here, warnings included, unless wireshark-checks.txt
has a line with its reason.

That a check finds what it is for is tested twice in each run: one more file, packet-planted.c, has a fault for each check;
and in copies of our sources one registration is removed, a protocol's name gets a period, and a call gets a field of the
wrong type.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import wireshark_source
from dissector_sources import FIELD_TABLE, Sources, changed_copy, split_arguments

LIST = Path(__file__).with_name("wireshark-checks.txt")
PLANTED = "packet-planted.c"
PLANTED_TEXT = """
static int hf_planted_unregistered = -1;
static int hf_planted_text = -1;
static const true_false_string tfs_planted = { "True", "False" };
static hf_register_info fields[] = {
    { &hf_planted_text, { "Text", "unplanted.text", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
};
static void dissect(void)
{
    sprintf(text, "planted");
    proto_tree_add_item(tree, hf_planted_text, tvb, 0, 1, FALSE);
    proto_tree_add_uint(tree, hf_planted_text, tvb, 0, 1, 5);
    proto_tree_add_uint(tree, hf_planted_unregistered, tvb, 0, 1, 5);
}
void proto_register_planted(void)
{
    proto_register_protocol("Planted", "Planted", "plan.ted");
}
"""

# ---- the checks: each returns what it reports, in its own words --------------------------------------------------


class Checks:
    """The checks of the source in `wireshark`, run on `sources`."""

    def __init__(self, wireshark, sources):
        self.tools, self.sources = wireshark / "tools", sources
        self.units = [unit.name for unit in sources.units] + [PLANTED]
        (sources.folder / PLANTED).write_text(PLANTED_TEXT, encoding="utf-8")

    def _run(self, tool, *arguments, folder=None):
        """The lines that a tool prints. Python's own warnings about the tool are not among them."""
        tool = self.tools / tool
        command = ["perl", tool] if tool.suffix == ".pl" else [sys.executable, "-W", "ignore", tool]
        done = subprocess.run([*command, *arguments], cwd=folder or self.sources.folder, encoding="utf-8",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode < 0 or "Traceback" in done.stdout:
            raise SystemExit(f"{tool.name} ended with {done.returncode}:\n{done.stdout}")
        return done.stdout.splitlines()

    def checkAPIs(self):  # noqa: N802, the name of Wireshark's check
        """On our files as they are. Its check of shadow variables is left out: it reports parameters such as `index` because
        of a function of that name in <strings.h>, which C allows; real shadowing is -Wshadow's, an error in each build."""
        files = sorted(path.relative_to(self.sources.plugin) for path in self.sources.plugin.rglob("*.c"))
        planted = self.sources.folder / PLANTED
        lines = self._run("checkAPIs.pl", "--nocheck-shadow", "-g", "dissectors-prohibited", "-g", "dissectors-restricted",
                          *files, planted, folder=self.sources.plugin)
        return [" ".join(line.split()) for line in lines if line.strip()]

    def checkhf(self):
        return self._run("checkhf.pl", *self.units)

    def checkfiltername(self):
        """Protocols whose names have a period are in its summary, as files."""
        units = [unit.name for unit in self.sources.protocols]
        lines, found, part = self._run("checkfiltername.pl", *units, f"../{PLANTED}", folder=self.sources.folder / "protocols"), [], None
        for line in lines:
            if line.endswith("FILE LIST"):
                part = line
            elif part is None and re.search("doesn't match|duplicates|unnecessary", line):
                found.append(line)
            elif part == "PERIOD IN PROTO FILTER NAME FILE LIST" and line:
                found.append(f"{part}: {line}")
        return found

    def fix_encoding_args(self):
        return [line for line in self._run("fix-encoding-args.pl", *self.units) if line.strip()]

    def check_typed_item_calls(self):
        """A local variable `hf` may be another field each time that it is used."""
        found = []
        for unit in self.units:
            lines = self._run("check_typed_item_calls.py", "--mask", "--label", "--consecutive", "--missing-items", "--file",
                              self.sources.folder / unit)
            found += [line.replace(f"{self.sources.folder}/", "") for line in lines
                      if re.match("Warning|Error", line) and " hf called consecutively " not in line]
        return found

    def check_tfs(self):
        """Reads epan/tfs.c of Wireshark's source."""
        found = []
        for unit in self.units:
            lines = self._run("check_tfs.py", "--file", self.sources.folder / unit, folder=self.tools.parent)
            found += [line.replace(f"{self.sources.folder}/", "") for line in lines if "could have used" in line or "N.B." in line]
        return found

    def report(self, name):
        """The problems reported by the check, without those of the planted file, of which there must be some."""
        lines = getattr(self, name)()
        others = [line for line in lines if "planted" not in line]
        if len(others) == len(lines):
            raise SystemExit(f"{name} does not find its fault in {PLANTED}: it has checked nothing")
        return others


NAMES = ("checkAPIs", "checkhf", "checkfiltername", "fix_encoding_args", "check_typed_item_calls", "check_tfs")


def without_lines(report):
    """The same without line numbers, which change with each edit."""
    return re.sub(r":\d+\b|\bline \d+", "", report)


# ---- faults put into copies of our sources -----------------------------------------------------------------------


def remove_registration(family, text):
    """Without the last entry of the last table of fields."""
    tables = list(FIELD_TABLE.finditer(text))
    if not tables:
        return None
    entry = [entry for entry in split_arguments(text, tables[-1].end())[0] if entry][-1]
    return text.replace(entry, "", 1)


def add_period(family, text):
    """A protocol's filter name with a period."""
    return re.sub(r'(proto_register_protocol\([^;]*")(\w+)("\))', r"\1\2.name\3", text, count=1)


def add_wrong_call(family, text):
    """A number is added with a field of strings."""
    strings = [family.ids[name].spelled for name, index, type_ in family.fields if type_ == "FT_STRING" and not index]
    return strings and re.sub(r"(proto_tree_add_uint\([\w>.-]+,\s*)\w+\.\w+,", rf"\1{strings[0]},", text, count=1)


FAULTS = {
    "a registration is removed": (remove_registration, "checkhf", "ERROR: NO ARRAY"),
    "a protocol's name has a period": (add_period, "checkfiltername", "PERIOD IN PROTO FILTER NAME"),
    "a number is added with a field of strings": (add_wrong_call, "check_typed_item_calls", "Error: proto_tree_add_uint"),
}


def faults_not_found(sources, wireshark, reported, folder):
    """Puts each fault into each family, and returns those that no check reports."""
    problems = []
    for what, (change, check, words) in FAULTS.items():
        tried = 0
        before = set(map(without_lines, reported[check]))
        for family in sources.families.values():
            path = changed_copy(sources.plugin, folder / "plugin", family.name, lambda text, of=family: change(of, text))
            if not path:
                continue
            tried += 1
            checks = Checks(wireshark, Sources(folder / "plugin", folder / "units", only=family.name))
            new = [line for line in checks.report(check) if without_lines(line) not in before]
            print(f"{what}, {path}: {check}: {new[0] if new else 'reports nothing'}")
            if not any(words in line for line in new):
                problems.append(f"{what}, {path}: {check} does not report it")
        if not tried:
            problems.append(f"{what}: no place found to try that")
    return problems


# ---- main --------------------------------------------------------------------------------------------------------


def exceptions():
    lines = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {line.partition(" | ")[0] for line in lines}


def main():
    source, kept = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    wireshark = wireshark_source.checks(kept, source)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        sources = Sources(source / "plugin", folder / "units")
        checks = Checks(wireshark, sources)
        reported = {name: checks.report(name) for name in NAMES}
        for check, lines in reported.items():
            print(f"== {check}: {len(lines)} reported", *lines, sep="\n")
        found = {f"{check}: {without_lines(line)}" for check, lines in reported.items() for line in lines}
        listed = exceptions()
        problems = [f"not in {LIST.name}: {line}" for line in sorted(found - listed)]
        problems += [f"{LIST.name}: remove the line, which is no longer needed: {line}" for line in sorted(listed - found)]
        problems += faults_not_found(sources, wireshark, reported, folder / "changed")
    print(*problems, f"{len(problems)} problems ({len(sources.units)} families of dissectors)", sep="\n")
    return 1 if problems else 0


sys.exit(main())
