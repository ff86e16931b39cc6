# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The version of the programs, which is the plugin's: 0.4.0, or 0.4.0-dev+1234567890 of a commit between releases."""

import argparse
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent


def of_build(text):
    """The version in the text of CMakeLists.txt."""
    return re.search(r"^    VERSION (\S+)$", text, re.MULTILINE)[1] + re.search(r'^set\(GAMEWIRE_STAGE "(.*)"\)$', text, re.MULTILINE)[1]


def version():
    """An installed program has it in version.txt. In the source it is that of CMakeLists.txt, with the commit; see version.cmake."""
    written = HERE / "version.txt"
    if written.is_file():
        return written.read_text(encoding="ascii").strip()
    source = HERE.parents[2]
    found = of_build((source / "CMakeLists.txt").read_text(encoding="utf-8"))
    return f"{found}+{commit}" if "-" in found and (commit := commit_of(source)) else found


def commit_of(source):
    """None in an archive of the source, or without git."""
    if not (source / ".git").exists():
        return None
    try:
        done = subprocess.run(["git", "-C", source, "describe", "--always", "--exclude=*", "--abbrev=10", "--dirty=.changed"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


class Option(argparse.Action):
    """--version; git is started only if the option is given."""

    def __init__(self, **arguments):
        super().__init__(**{**arguments, "nargs": 0, "help": "print the version and end"})

    def __call__(self, parser, namespace, values, option_string=None):
        print(f"{parser.prog} {version()}")
        parser.exit()
