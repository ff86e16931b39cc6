#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the files below a folder to a ZIP archive, in the order of their names and with one date: equal files make equal
archives.

    zip.py ARCHIVE FOLDER SECONDS       SECONDS since 1970, the date of the files
"""

import sys
import time
import zipfile
from pathlib import Path


def main(archive, folder, seconds):
    date = time.gmtime(int(seconds))[:6]
    with zipfile.ZipFile(archive, "w") as target:
        for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(str(path.relative_to(folder)), date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            target.writestr(entry, path.read_bytes())


main(*sys.argv[1:])
