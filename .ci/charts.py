#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts dygraphs, the chart library of gamewire-report, with its license into a folder of an archive: from Debian's package where that is
installed, and elsewhere, as on macOS, from the package's file in Debian's mirrors, of which the hash is known.

    charts.py FOLDER
"""

import hashlib
import io
import os
import shutil
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "plugin" / "tools"))

from gamewire_tools import charts  # noqa: E402

# Of Debian 12. $GAMEWIRE_CHARTS_URL has the same file.
URL = "https://deb.debian.org/debian/pool/main/d/dygraphs/libjs-dygraphs_2.2.1-1_all.deb"
SHA256 = "64ba6b442cac22374f01412bc6b0b6116dcf32bc251ed6c1dc7c5134c9ec2a00"
MEMBER = 60  # bytes of the header of each member of a package, which is an archive of ar


def data_of(package):
    """The member with the files."""
    at = len(b"!<arch>\n")
    while at < len(package):
        header = package[at:at + MEMBER]
        size = int(header[48:58])
        at += MEMBER
        if header.startswith(b"data.tar"):
            return package[at:at + size]
        at += size + size % 2
    sys.exit("the package has no files")


def bring(root):
    """The package's files, below `root`."""
    with urllib.request.urlopen(os.environ.get("GAMEWIRE_CHARTS_URL") or URL, timeout=60) as answer:
        package = answer.read()
    if hashlib.sha256(package).hexdigest() != SHA256:
        sys.exit("the package of dygraphs does not have the expected hash")
    library = charts.in_debian(root)
    with tarfile.open(fileobj=io.BytesIO(data_of(package))) as files:
        for file in library:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(files.extractfile(f"./{file.relative_to(root).as_posix()}").read())
    return library


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gamewire-charts-") as scratch:
        found = charts.in_debian(Path("/"))
        if not all(file.is_file() for file in found) or os.environ.get("GAMEWIRE_CHARTS_URL"):
            found = bring(Path(scratch))
        for source, target in zip(found, charts.in_archive(folder)):
            shutil.copyfile(source, target)


main()
