# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The report as one page of HTML that needs no other file and no network: page.html with its style, its program, the chart
library and the data."""

import html
import json
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def embedded(data):
    """JSON in a script element: it must not contain the end of one."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def text_of(name, folder=HERE):
    return (folder / name).read_text(encoding="utf-8")


def facts(data):
    """The lines at the top."""
    start = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(data["start"])) if data["start"] else "no packets of a game"
    protocols = ", ".join(f"{name} {count:,}" for name, count in sorted(data["protocols"].items()))
    return [("Capture", data["capture"]), ("Begins", start), ("Duration", f"{data['duration']:.3f} s"),
            ("Frames", f"{data['frames']:,}, {data['bytes']:,} bytes"),
            ("of the game", f"{data['game_frames']:,}, {data['game_bytes']:,} bytes"),
            ("Messages", f"{data['messages']:,}"), ("Protocols", protocols or "none")]


def render(data, library):
    rows = "".join(f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>" for name, value in facts(data))
    parts = {
        "TITLE": html.escape(data["capture"]), "FACTS": rows, "STYLE": text_of("page.css"), "PROGRAM": text_of("page.js"),
        "LIBRARY": text_of("uPlot.iife.min.js", library), "LIBRARY_STYLE": text_of("uPlot.min.css", library),
        "LIBRARY_LICENSE": text_of("LICENSE", library).replace("*/", "* /"), "DATA": embedded(data),
    }
    page = text_of("page.html")
    pieces = page.split("@@")
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))
