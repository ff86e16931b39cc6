#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The release script, in a repository made of a copy of the tree: what it refuses, and what it makes.

    release.py SOURCE
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import tree

AUTHOR = {f"GIT_{role}_{what}": "release@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def run(folder, *command, fails=False):
    done = subprocess.run(command, cwd=folder, env={**os.environ, **AUTHOR}, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    assert (done.returncode != 0) == fails, f"{command}\n{done.stdout}"
    return done.stdout


def release(folder, version, **options):
    return run(folder, "sh", ".ci/release.sh", "--no-packages", version, **options)


def repository(source, folder):
    """A repository with the files that a release concerns, and some others."""
    files = ["CMakeLists.txt", "CHANGELOG.md", "README.md", ".gitignore", ".ci/lib.sh", ".ci/release.sh", "codecs/CMakeLists.txt"]
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, folder / name)
    changelog = folder / "CHANGELOG.md"
    head = changelog.read_text(encoding="utf-8").split("## [Unreleased]")[0]
    changelog.write_text(f"{head}## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0]\n\n- The first.\n", encoding="utf-8")
    run(folder, "git", "init", "-q")
    run(folder, "git", "add", "-A")
    run(folder, "git", "commit", "-q", "-m", "All")


def check_refusals(folder):
    assert "not of the form" in release(folder, "v9", fails=True)
    assert "is not after" in release(folder, "0.0.1", fails=True)
    (folder / "README.md").write_text("changed", encoding="utf-8")
    assert "not committed" in release(folder, "99.1.0", fails=True)
    run(folder, "git", "checkout", "-q", "README.md")
    assert run(folder, "git", "tag") == ""


def check_release(folder):
    release(folder, "99.1.0")
    assert run(folder, "git", "describe").strip() == "v99.1.0"
    assert run(folder, "git", "status", "--porcelain") == ""
    assert "    VERSION 99.1.0\n" in (folder / "CMakeLists.txt").read_text(encoding="utf-8")
    changelog = (folder / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog.index("## [Unreleased]") < changelog.index("## [99.1.0] - 2") < changelog.index("- A thing.")
    made = folder / "build" / "release" / "99.1.0"
    run(made, "sha256sum", "--check", "SHA256SUMS")
    with tarfile.open(made / "gamewire-99.1.0.tar.gz") as archive:
        assert "gamewire-99.1.0/CMakeLists.txt" in archive.getnames()
    assert "nothing under Unreleased" in release(folder, "99.2.0", fails=True)


def main():
    if not shutil.which("git"):
        print("git is not installed")
        return tree.SKIPPED
    with tempfile.TemporaryDirectory(prefix="gamewire-release-") as folder:
        repository(tree.source(), Path(folder))
        check_refusals(Path(folder))
        check_release(Path(folder))
    print("refused and made as it should")
    return 0


sys.exit(main())
