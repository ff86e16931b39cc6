#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What lintian does not see in Debian packages: pages whose links lead to files of the package, and programs that start.
tests/packages.sh runs it.

    package.py PACKAGE.deb...
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import tree

PAGES = {"libgamewire-dev": 1, "gamewire-wireshark": 20}  # at least
PROGRAMS = ("gamewire-messages", "gamewire-report")
# What the programs and Godot read.
FILES = ("elastic.py", "addons/gamewire/plugin.cfg", "addons/gamewire/rpc_names.gd", "gamewire_tools/page.html", "packs/netfox_properties.gd")
# The archive for Linux has the same plugin, for systems with an older C library than Debian's: installing.md says which.
C_LIBRARY = (2, 31)
PACKS = [path.name for path in (Path(__file__).resolve().parents[2] / "plugin/packs").glob("*.lua")]
LICENSES = ("GPL-2.0-or-later", "Expat", "CC0-1.0")


def output(*command):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=True).stdout


def program_problems(root, version):
    """As installed, they say the version that the package was built from."""
    for name in PROGRAMS:
        said = output(root / "usr/bin" / name, "--version").split()
        if said != [name, version]:
            yield f"{name} says {said}, not {version}"
    yield from (f"{name} is missing" for name in FILES if not (root / "usr/share/gamewire" / name).is_file())
    yield from (f"{path} is in the package" for path in root.rglob("__pycache__"))
    beside = {path.name for plugin in root.rglob("gamewire.so") for path in plugin.parent.iterdir()}
    yield from (f"{name} is missing" for name in PACKS if name not in beside)


def library_problems(package):
    """The C library that the plugin needs, as dpkg-shlibdeps found it."""
    needed = re.search(r"\blibc6 \(>= (\d+)\.(\d+)\)", output("dpkg-deb", "-f", package, "Depends"))
    if tuple(map(int, needed.groups())) > C_LIBRARY:
        yield f"needs {needed[0]}"


def problems_of(package):
    name, version = output("dpkg-deb", "-W", "--showformat", "${Package} ${Version}", package).split()
    with tempfile.TemporaryDirectory(prefix="gamewire-package-") as folder:
        output("dpkg-deb", "-x", package, folder)
        root = Path(folder).resolve()
        pages = root / "usr/share/doc" / name
        if len(list(pages.rglob("*.md"))) < PAGES.get(name, 0):
            yield "pages are missing"
        yield from tree.link_problems(pages)
        copyright_text = (pages / "copyright").read_text(encoding="utf-8")
        yield from (f"copyright has no {license}" for license in LICENSES if f"\nLicense: {license}\n" not in copyright_text)
        if name == "gamewire-wireshark":
            yield from library_problems(package)
            yield from program_problems(root, version.rpartition("-")[0].replace("~", "-"))


def main():
    problems = [f"{Path(package).name}: {problem}" for package in sys.argv[1:] for problem in problems_of(package)]
    return tree.report(problems, f"{len(sys.argv) - 1} packages")


sys.exit(main())
