# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports of tshark's -G, kept in the build folder for all test files of one run of ctest.

A report depends only on tshark and the plugin, and is printed by a tshark that is started for it: fields, of which a third of the test
files need the types, are 15 megabytes.

The folder is GAMEWIRE_REPORTS; without it nothing is kept. A file's name is a hash of the command and of the plugin's files.
plugin.all.loaded, which ctest runs before all others, forgets those of the run before: Wireshark may be another one.
"""

import contextlib
import hashlib
import os
import shutil
from pathlib import Path

FOLDER = "GAMEWIRE_REPORTS"


def path_of(command, plugins):
    """The file of the report that `command` prints with the plugin in the folder `plugins`."""
    digest = hashlib.sha256("\0".join(command).encode())
    for file in sorted(path for path in plugins.rglob("*") if path.is_file()):
        digest.update(f"\0{file.relative_to(plugins)}\0".encode() + file.read_bytes())
    return Path(os.environ.get(FOLDER, ""), digest.hexdigest())


def read(path):
    """The text of a report; None if there is none."""
    if FOLDER in os.environ:
        with contextlib.suppress(FileNotFoundError):
            return path.read_bytes().decode()
    return None


def write(path, text):
    """Another process finds all of it or nothing. Where the folder cannot be written, nothing is kept."""
    if FOLDER in os.environ:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            begun = path.with_name(f"{path.name}.{os.getpid()}")
            begun.write_bytes(text.encode())
            begun.replace(path)


def forget():
    if FOLDER in os.environ:
        shutil.rmtree(os.environ[FOLDER], ignore_errors=True)
