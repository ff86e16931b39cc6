#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the names of the remote debugger's messages in the engine's source, each with the side that sends it.

usage: debugger_names.py SOURCE > tests/plugin/godot/debugger/engine_names.txt

SOURCE is the unpacked source package `godot` of a Debian release, as `apt-get source godot` leaves it.
"""

import re
import sys
from pathlib import Path

SENT = re.compile(r'\b(send_message|_put_msg)\(\s*(?:[^",();]*\?\s*)?"([a-z_A-Z0-9:]+)"(?:\s*:\s*"([a-z_A-Z0-9:]+)")?')
PROFILER = re.compile(r'\btoggle_profiler\("([a-z_:]+)"')
# Prefixes to which the source appends another part; those are read by PROFILER.
PARTS = {"profiler:"}


def names(source):
    for file in sorted(source.glob("*/**/*.cpp")):
        relative = file.relative_to(source).parts
        if relative[0] in ("tests", "thirdparty"):
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        side = "editor" if "editor" in relative[:-1] else "game"
        for _, name, other in SENT.findall(text):
            yield from ((side, each) for each in (name, other) if each and each not in PARTS)
        yield from ((side, f"profiler:{name}") for name in PROFILER.findall(text))


def main():
    source = Path(sys.argv[1])
    version = re.search(r"(\d+\.\d+\.\d+)\+?", source.name)
    print("# Messages that the engine's source sends, by side: a list of facts.")
    print(f"# Origin: Debian's source package godot {version[1] if version else ''}".rstrip()
          + ", read by tests/captures/godot/debugger_names.py.")
    for side, name in sorted(set(names(source))):
        print(side, name)


if __name__ == "__main__":
    main()
