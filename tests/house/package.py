#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The texts in Debian packages: each has a description of its own, its licenses, and pages whose links lead to files of the
package. tests/packages.sh runs it.

    package.py PACKAGE.deb...
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import tree

# The first line of the description, and the beginning of the text below it.
DESCRIPTIONS = {
    "libgamewire-dev": ("C codecs for the wire formats of games", "Pull readers"),
    "wireshark-plugin-gamewire": ("Wireshark plugin for game traffic", "Decodes the traffic"),
}
# Lines of the texts of the licenses.
GPL, MIT, CC0 = "GNU GENERAL PUBLIC LICENSE", "Permission is hereby granted, free of charge", "CC0 1.0 Universal"
LICENSES = {"libgamewire-dev": {MIT}, "wireshark-plugin-gamewire": {GPL, MIT, CC0}}
# The programs of the plugin's package, with what they read.
TOOLS = ("usr/bin/gamewire-messages", "usr/bin/gamewire-report", "usr/share/gamewire/elastic.py", "usr/share/gamewire/addons/gamewire/plugin.cfg", "usr/share/gamewire/addons/gamewire/rpc_names.gd",
         "usr/share/gamewire/gamewire_tools/page.html")


def output(*command):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=True).stdout


def description_problems(name, description):
    synopsis, beginning = DESCRIPTIONS[name]
    lines = description.splitlines()
    if lines[0] != synopsis:
        yield f"the description begins with: {lines[0]}"
    if not lines[1:] or not lines[1].strip().startswith(beginning):
        yield f"the text of the description is not its own: {lines[1:2]}"


def copyright_problems(name, text):
    if not text.startswith("Gamewire\nCopyright (c) The Gamewire authors\n"):
        yield "copyright does not begin with LICENSE"
    if "<copyright holders>" in text:
        yield "copyright has an unfilled template"
    found = {license for license in (GPL, MIT, CC0) if license in text}
    if found != LICENSES[name]:
        yield f"copyright has the licenses: {sorted(found)}"


def tool_problems(root):
    for name in TOOLS:
        if not (root / name).is_file():
            yield f"{name} is missing"
        elif name.startswith("usr/bin/") and not subprocess.run([root / name, "--help"], stdout=subprocess.PIPE, check=False).stdout:
            yield f"{name} does not start"
    yield from (f"{path} is in the package" for path in root.rglob("__pycache__"))


def problems_of(package):
    name = output("dpkg-deb", "-f", package, "Package").strip()
    yield from description_problems(name, output("dpkg-deb", "-f", package, "Description"))
    with tempfile.TemporaryDirectory(prefix="gamewire-package-") as folder:
        output("dpkg-deb", "-x", package, folder)
        doc = Path(folder).resolve() / "usr/share/doc" / name
        yield from copyright_problems(name, (doc / "copyright").read_text(encoding="utf-8"))
        if not (doc / "README.md").exists():
            yield "README.md is missing"
        yield from tree.link_problems(doc)
        if name == "wireshark-plugin-gamewire":
            yield from tool_problems(Path(folder).resolve())


def main():
    problems = [f"{Path(package).name}: {problem}" for package in sys.argv[1:] for problem in problems_of(package)]
    return tree.report(problems, f"{len(sys.argv) - 1} packages")


sys.exit(main())
