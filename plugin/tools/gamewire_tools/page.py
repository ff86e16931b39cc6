# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The report as one page of HTML that needs no other file and no network: page.html with its style, its program, the data and,
where it is found, the chart library."""

import html
import json
import re
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE_MAP = re.compile(r"(?://|/\*)# sourceMappingURL=\S+(?: \*/)?")


def embedded(data):
    """JSON in a script element: it must not contain the end of one."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def text_of(file):
    return file.read_text(encoding="utf-8")


def facts(data):
    """The lines at the top."""
    start = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(data["start"])) if data["start"] else "no packets of a game"
    protocols = ", ".join(f"{name} {count:,}" for name, count in sorted(data["protocols"].items()))
    cut = ", cut short in its last packet: this is what the packets before it have" if data["cut_short"] else ""
    return [("Capture", data["capture"] + cut), ("Begins", start), ("Duration", f"{data['duration']:.3f} s"),
            ("Frames", f"{data['frames']:,}, {data['bytes']:,} bytes"),
            ("of the game", f"{data['game_frames']:,}, {data['game_bytes']:,} bytes"),
            ("Messages", f"{data['messages']:,}"), ("Protocols", protocols or "none")]


CREDIT = ' Charts: <a href="https://dygraphs.com/">dygraphs</a>, under the MIT license.'
NO_LIBRARY = ('<p class="none" id="no-library">These charts are pictures, without zoom and without values under the cursor: the library '
              'dygraphs, which Debian has as <code>libjs-dygraphs</code>, was not found when this page was made.</p>')


def library_parts(library):
    """dygraphs with its license, and who made the charts; without it, a line that says so."""
    if library is None:
        return {"LIBRARY": "", "LIBRARY_STYLE": "", "CHARTS_NOTE": NO_LIBRARY, "CHARTS_CREDIT": ""}
    # The maps of the minified files are for their authors, and are not there.
    program, style = (SOURCE_MAP.sub("", text_of(file)) for file in (library.program, library.style))
    terms = text_of(library.license).replace("*/", "* /")
    return {"LIBRARY": f"\n/*\n{terms}\n*/\n{program}\n", "LIBRARY_STYLE": style, "CHARTS_NOTE": "", "CHARTS_CREDIT": CREDIT}


def render(data, library):
    """The page. `library` is what charts.find() returns."""
    rows = "".join(f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>" for name, value in facts(data))
    parts = {
        "TITLE": html.escape(data["capture"]), "FACTS": rows, "STYLE": text_of(HERE / "page.css"), "PROGRAM": text_of(HERE / "page.js"),
        "DATA": embedded(data), **library_parts(library),
    }
    pieces = text_of(HERE / "page.html").split("@@")
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))
