#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every C file is as clang-format 14 leaves it with the committed .clang-format.

    format.py SOURCE [--fix]

Other major versions format some lines differently: where only such a one is installed, the test is skipped. Where none
is, it fails.
"""

import re
import shutil
import subprocess
import sys

import tree

MAJOR = 14


def program():
    for name in (f"clang-format-{MAJOR}", "clang-format"):
        path = shutil.which(name)
        if path:
            version = subprocess.run([path, "--version"], text=True, capture_output=True, check=True).stdout
            if re.search(rf"version {MAJOR}\.", version):
                return path
            print(f"{path}: {version.strip()}, and this needs {MAJOR}")
            sys.exit(tree.SKIPPED)
    sys.exit(f"clang-format {MAJOR} is not installed")


def main():
    top = tree.source()
    files = tree.files(top, ".c", ".h")
    command = [program(), *(["-i"] if "--fix" in sys.argv else ["--dry-run", "-Werror"])]
    done = subprocess.run([*command, *files], cwd=top, text=True, stderr=subprocess.PIPE, check=False)
    wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error: ", done.stderr, re.MULTILINE)))
    if done.returncode and not wrong:
        print(done.stderr)
        return done.returncode
    print(f"{len(files)} files; to format them: python3 tests/house/format.py . --fix")
    return tree.report(wrong, "clang-format")


sys.exit(main())
