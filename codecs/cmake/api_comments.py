#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: MIT
"""Turns the plain comments of a public header into those that Doxygen reads; Doxygen's input filter.

    api_comments.py HEADER

A comment on lines of its own documents what follows, one after code documents what it follows, the first is about the
file, and one like "---- parts ----" is no documentation. Lines that are indented or aligned keep their form.
"""

import re
import sys
from pathlib import Path

COMMENT = re.compile(r"(?P<code>[^\n]*?)/\*(?P<body>.*?)\*/", re.DOTALL)
SECTION = re.compile(r"^\s*-{3,}")


def escaped(text):
    return re.sub(r"([\\@<>&%$]|#(?=[A-Za-z]))", r"\\\1", text).replace("::", "\\::").replace("--", "\\--")


def described(body):
    """The lines of a comment, with those that are set like a table as preformatted text."""
    made, verbatim = [], False
    for line in body.split("\n"):
        text = re.sub(r"^\s*\*? ?", "", line, count=1) if made else line.strip()
        table = bool(re.match(r"\s{2,}\S", text) or re.search(r"\S {3,}\S", text))
        if table != verbatim:
            made.append("@verbatim" if table else "@endverbatim")
            verbatim = table
        made.append(text if verbatim else escaped(text))
    return made + (["@endverbatim"] if verbatim else [])


def converted(comment, state):
    code, body = comment["code"], comment["body"]
    if SECTION.match(body):
        return comment.group()
    first, state["first"] = state["first"], False
    if first:
        lines = [line for line in body.split("\n") if "SPDX-" not in line]
        return "/** @file\n" + "\n".join(described("\n".join(lines))) + "\n*/"
    marker = "/**< " if code.strip() else "/** "
    return code + marker + "\n".join(described(body)) + " */"


def main():
    state = {"first": True}
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    sys.stdout.write(COMMENT.sub(lambda comment: converted(comment, state), text))


main()
