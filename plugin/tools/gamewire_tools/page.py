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
    """The lines at the top: (title, text)."""
    if "before" in data:
        return [(f"{title}{name}", text) for title, each in (("Before: ", data["before"]), ("After: ", data["after"]))
                for name, text in facts(each) if name not in ("Begins", "Protocols", "of the wire")]
    start = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(data["start"])) if data["start"] else "no packets of a game"
    protocols = ", ".join(f"{name} {count:,}" for name, count in sorted(data["protocols"].items()))
    cut = ", cut short in its last packet: this is what the packets before it have" if data["cut_short"] else ""
    return [("Capture", data["capture"] + cut), ("Begins", start), ("Duration", f"{data['duration']:.3f} s"),
            ("Frames", f"{data['frames']:,}, {data['bytes']:,} bytes"),
            ("of the game", f"{data['game_frames']:,}, {data['game_bytes']:,} bytes"),
            ("Messages", f"{data['messages']:,}{overhead(data)}"), ("Protocols", protocols or "none")]


def overhead(data):
    """Compressed messages have more bytes than the wire."""
    size = sum(row["bytes"] for row in data["usage"])
    if not 0 < size <= data["game_bytes"]:
        return ""
    return f", {size:,} bytes; {100 * (1 - size / data['game_bytes']):.0f} % of the game's bytes are headers and acknowledgements"


SECTIONS = (("usage", "What uses the bandwidth"), ("peers", "Peers"), ("findings", "Findings"), ("charts", "Over time"),
            ("statistics", "Statistics"))
COMPARED = (("compared-figures", "Before and after"), ("compared-usage", "What uses the bandwidth"), ("compared-findings", "Findings"))
PEERS_NOTE = ('<p class="none">A row is one end of a connection: the round-trip times of what it acknowledged, from where the capture was made, '
              "and what it sent. In a selected stretch, the rows are those of peers that sent in it; their numbers are of the whole capture.</p>")


def sections(data, note):
    """The empty sections of the page, which page.js fills."""
    if "before" in data:
        listed = COMPARED
    elif "unrecognized" in data:
        listed = (("unrecognized", "Nothing is recognized"), *SECTIONS)
    else:
        listed = SECTIONS
    notes = {"peers": PEERS_NOTE, "charts": note + '<p class="none">Drag over a chart to select a stretch of time for the tables.</p>'}
    return '<p id="selection" hidden></p>\n' + "\n".join(
        f'<section id="{name}"><h2>{title}</h2>{notes.get(name, "")}</section>' for name, title in listed)


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
    title = f"{data['before']['capture']} and {data['after']['capture']}" if "before" in data else data["capture"]
    parts = {
        "TITLE": html.escape(title), "FACTS": rows, "STYLE": text_of(HERE / "page.css"), "PROGRAM": text_of(HERE / "page.js"),
        "DATA": embedded(data), **library_parts(library),
    }
    parts["SECTIONS"] = sections(data, parts["CHARTS_NOTE"])
    pieces = text_of(HERE / "page.html").split("@@")
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))
