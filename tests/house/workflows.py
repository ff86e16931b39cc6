#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hosted CI: each action is named by its commit, since a tag can be moved; each script that a workflow calls is there; and a file that
is downloaded is refused unless its hash is the known one.

    workflows.py SOURCE
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ACTION = re.compile(r"uses: (\S+)(.*)")
PINNED = re.compile(r"[\w.-]+(/[\w.-]+)+@[0-9a-f]{40}")
VERSION = re.compile(r" # v\d+\.\d+\.\d+")
SCRIPT = re.compile(r"\bsh ((?:\.ci|tests|plugin)/[\w./-]+)")


def check_workflows(source):
    workflows = sorted((source / ".github" / "workflows").glob("*.yml"))
    assert workflows, "no workflow"
    for workflow in workflows:
        text = workflow.read_text(encoding="utf-8")
        for action, comment in ACTION.findall(text):
            assert PINNED.fullmatch(action) and VERSION.fullmatch(comment), f"{workflow.name}: {action}{comment} is not named by a commit"
        missing = [name for name in SCRIPT.findall(text) if not (source / name).is_file()]
        assert not missing, f"{workflow.name}: {missing}"


def known(source, file):
    script = f'source_dir="{source}"; . "$source_dir/.ci/lib.sh"; has_known_hash "$1"'
    return subprocess.run(["sh", "-c", script, "sh", str(file)], check=False).returncode == 0


def check_hashes(source):
    """With the hashes of two small files in place of the real ones."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        (copy / ".ci").mkdir()
        (copy / ".ci" / "lib.sh").write_bytes((source / ".ci" / "lib.sh").read_bytes())
        content = b"an installer"
        (copy / ".ci" / "hashes.txt").write_text(
            f"{hashlib.sha256(content).hexdigest()}  short.exe\n{hashlib.sha512(content).hexdigest()}  long.exe\n", encoding="utf-8")
        for name, data, expected in (("short.exe", content, True), ("long.exe", content, True), ("short.exe", b"another", False),
                                     ("long.exe", b"another", False), ("unknown.exe", content, False)):
            (copy / name).write_bytes(data)
            assert known(copy, copy / name) is expected, (name, data)


def main():
    source = Path(sys.argv[1])
    check_workflows(source)
    check_hashes(source)


main()
