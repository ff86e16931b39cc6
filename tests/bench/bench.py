# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures every goal of the codecs and the plugin and prints one table. Started by run.sh."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import section_capture
import section_codec
import section_enet
import section_heuristic
import section_instructions
import section_memory
import section_multiplayer
import section_packets
import section_plugin
import section_tools
import table
from measure import Machine

SECTIONS = {
    "codec": section_codec,
    "plugin": section_plugin,
    "heuristic": section_heuristic,
    "instructions": section_instructions,
    "multiplayer": section_multiplayer,
    "capture": section_capture,
    "enet": section_enet,
    "memory": section_memory,
    "packets": section_packets,
    "tools": section_tools,
}
QUICK_INSTRUCTIONS = ("no tree", "20")


class Bench:
    """Options and paths that the sections share."""

    def __init__(self, options, machine, before):
        self.machine = machine
        self.before = before  # the same with another build's plugin, or None
        self.megabytes = options.megabytes
        self.full = options.effort == "full"
        self.least = options.effort == "least"
        self.rounds = 5 if self.full else 1 if self.least else 3
        self.programs = options.programs or options.build
        self.codec = str(machine.readable(self.programs / "bench_codec"))

    def packets(self, quick):
        """The number of packets of this effort, for that of quick."""
        return quick * 3 if self.full else max(60, quick // 1000) if self.least else quick

    def few(self, items):
        """All of them or, with the least effort, the first one of a dictionary or tuple."""
        if not self.least:
            return items
        return dict(list(items.items())[:1]) if isinstance(items, dict) else items[:1]

    def wants_instructions(self, mode, shape):
        """Callgrind takes some seconds for each run, so that quick mode omits some runs."""
        return self.full or not self.least and (mode, shape) == QUICK_INSTRUCTIONS


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="where CMakeLists.txt was built")
    parser.add_argument("--programs", type=Path, help="where its programs are, if not there")
    parser.add_argument("--markdown", type=Path, help="a file to write the table to as well")
    parser.add_argument("--page", type=Path, help="a file to write what was promised and what was measured to")
    parser.add_argument(
        "--before", type=Path, help="another build folder of the bench, for figures before and after"
    )
    parser.add_argument("--megabytes", type=int, help="how large the captures of section capture are")
    parser.add_argument("words", nargs="*", help=f"least, quick or full, then of {', '.join(SECTIONS)}; all without any")
    options = parser.parse_args(arguments)
    efforts = [word for word in options.words if word in ("least", "quick", "full")]
    options.effort = efforts[-1] if efforts else "quick"
    options.sections = [word for word in options.words if word not in efforts]
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no such section: {', '.join(unknown)}")
    return options


def machine_of(build, programs, scratch, least):
    """With the plugin of a build."""
    scratch.mkdir()
    return Machine(scratch, [*build.glob("plugins/*/epan/gamewire.so"), programs / "bench_shim.so"], least)


def main(arguments):
    options = parse(arguments)
    results = []
    with tempfile.TemporaryDirectory(prefix="gamewire-bench-") as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)
        least = options.effort == "least"
        before = machine_of(options.before, options.before, folder / "before", least) if options.before else None
        bench = Bench(options, machine_of(options.build, options.programs or options.build, folder / "now", least), before)
        for name, section in SECTIONS.items():
            if name in options.sections or not options.sections:
                start = time.monotonic()
                results.append((name, list(section.measure(bench))))
                assert results[-1][1], f"section {name} measured nothing"
                print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    print(table.as_text(results))
    print(f"\n{table.summary(results)}")
    if options.markdown:
        options.markdown.write_text(table.as_markdown(results), encoding="utf-8")
    if options.page:
        options.page.write_text(table.as_page(results), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
