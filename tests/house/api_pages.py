#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of the codecs' interfaces are written without a warning, one for each public header.

    api_pages.py SOURCE BUILD
"""

import shutil
import subprocess
import sys
from pathlib import Path

import tree


def main():
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
