# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""dygraphs, the library that draws the report's charts, where it is found: archives contain it in the folder `charts` beside this
one, and Debian has it as libjs-dygraphs. Without it, the page draws the same charts itself, as pictures.
"""

from pathlib import Path
from typing import NamedTuple


class Library(NamedTuple):
    program: Path
    style: Path
    license: Path


def in_archive(folder):
    return Library(folder / "dygraph.min.js", folder / "dygraph.min.css", folder / "LICENSE")


def in_debian(root):
    scripts = root / "usr/share/javascript/dygraphs"
    return Library(scripts / "dygraph.min.js", scripts / "dygraph.min.css", root / "usr/share/doc/libjs-dygraphs/copyright")


PLACES = (in_archive(Path(__file__).resolve().parents[1] / "charts"), in_debian(Path("/")))


def find():
    """The first one whose files are all there, or None. Its license is part of every page."""
    return next((each for each in PLACES if all(file.is_file() for file in each)), None)
