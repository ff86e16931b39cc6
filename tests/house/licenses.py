#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs `reuse lint` on the source tree: each file says whose it is and under which license. LICENSE names each license.

    licenses.py SOURCE

On a copy without build folders, because reuse knows what to leave out only inside a git checkout of the
same user.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LEFT_OUT = {".git", "__pycache__", ".pytest_cache", ".cache", "CMakeUserPresets.json"}


def left_out(folder, names):
    """The files that git would not see: those in this project's .gitignore, and all build folders."""
    at_top = folder == sys.argv[1]
    return [
        name for name in names
        if name in LEFT_OUT
        or (at_top and name.startswith("build"))
        or os.path.exists(os.path.join(folder, name, "CMakeCache.txt"))
    ]


def unnamed():
    """The texts of licenses that are not in LICENSE, and those in LICENSE without a text."""
    source = Path(sys.argv[1])
    named = set(re.findall(r"LICENSES/\S+\.txt", (source / "LICENSE").read_text(encoding="utf-8")))
    return named ^ {f"LICENSES/{path.name}" for path in (source / "LICENSES").iterdir()}


def main():
    if unnamed():
        print("LICENSE and the folder LICENSES differ:", *sorted(unnamed()))
        return 1
    if not shutil.which("reuse"):
        print("reuse is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="gamewire-licenses-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(sys.argv[1], tree, ignore=left_out, symlinks=True)
        return subprocess.run(["reuse", "--root", tree, "lint"], cwd=tree, check=False).returncode


sys.exit(main())
