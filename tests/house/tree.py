# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of the source tree, without build folders and what git ignores."""

import os
import re
import sys
from pathlib import Path

SKIPPED = 77  # the status of a test whose tool is missing
LEFT_OUT = {".git", "__pycache__", ".pytest_cache", ".cache", "fire-findings"}


def source():
    """The top of the tree: the first argument of the program."""
    return Path(sys.argv[1]).resolve()


def files(top, *endings, folders=("codecs", "plugin", "tests")):
    """The files below the folders with these name endings, sorted, as paths relative to the top."""
    found = []
    for start in folders:
        for folder, names, inside in os.walk(top / start):
            names[:] = [
                name for name in names
                if name not in LEFT_OUT
                and not (name.startswith("build") and Path(folder) == top)
                and not (Path(folder) / name / "CMakeCache.txt").exists()
            ]
            found += [Path(folder, name).relative_to(top) for name in inside if name.endswith(endings)]
    return sorted(found)


def link_problems(folder):
    """The relative links of installed pages to files that are not there."""
    for page in sorted(folder.rglob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if re.match(r"[a-z]+:", target):
                continue
            linked = (page.parent / target).resolve()
            if not linked.is_relative_to(folder.resolve()):
                yield f"{page.relative_to(folder)} links to {target}, outside its folder"
            elif not linked.exists():
                yield f"{page.relative_to(folder)} links to {target}, which is not installed"


def report(problems, rule):
    """Prints the problems; returns the exit status."""
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "no problem", f"({rule})")
    return 1 if problems else 0
