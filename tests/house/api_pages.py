#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of the codecs' interfaces are written without a warning, one for each public header. Without Doxygen the target says so.

    api_pages.py SOURCE BUILD
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tree


def without_doxygen():
    """What the target prints where cmake found no Doxygen."""
    with tempfile.TemporaryDirectory(prefix="gamewire-docs-") as build:
        subprocess.run(["cmake", "-S", tree.source(), "-B", build, "-D", "GAMEWIRE_PLUGIN=OFF", "-D", "GAMEWIRE_DOXYGEN="], check=True,
                       stdout=subprocess.DEVNULL)
        done = subprocess.run(["cmake", "--build", build, "--target", "docs"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        return done.stdout if done.returncode else ""


def main():
    if "need Doxygen" not in without_doxygen():
        return tree.report(["the target docs does not say that Doxygen is missing"], "docs")
    if not shutil.which("doxygen"):
        print("doxygen is not installed")
        return tree.SKIPPED
    build = Path(sys.argv[2])
    done = subprocess.run(["cmake", "--build", build, "--target", "docs"], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        print(done.stdout)
        return done.returncode
    headers = [file for file in tree.files(tree.source(), ".h", folders=("codecs",)) if "include" in file.parts]
    pages = {path.name for path in (build / "api" / "html").iterdir()}
    missing = [str(file) for file in headers if f"{file.stem.replace('_', '__')}_8h.html" not in pages]
    return tree.report([f"{name}: no page" for name in missing], f"{len(headers)} public headers")


sys.exit(main())
