#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Comments, messages, names and documents use the field's terms: these words have a plainer or more usual one. And each C file
begins with its purpose.

    words.py SOURCE

words.txt lists the files that keep one of them, how often, and why; a line there that is no longer needed fails.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import tree

# A word, and what to write.
WORDS = {
    r"behind": "after",
    r"told": "reported, said; distinguished",
    r"stands?(?![ _]for|[-_]in)": "is",
    r"stood": "was",
    r"(?:takes?|taken|took) apart": "parsed, split",
    r"claim(?:s|ed|ing)?": "recognize, accept, take",
    r"judge[sd]?": "check, decide",
    r"verdicts?": "result, decision",
    r"settle[sd]?": "decide",
    r"whoever": "who, the caller",
    r"well-behaved": "say what it does",
    r"theirs|somebody": "name the thing",
    # As Wireshark's own prose: American.
    r"(?:recogn|initial|synchron|normal|summar|optim|serial|parenthes)is(?:e[drs]?|ing|ation)": "-ize, -ization",
    r"analys(?:e|ed|er|ing)": "analyz-",
    r"(?:col|neighb|behavi|fav)our\w*": "-or",
    r"licences?|labelled|grey|towards|afterwards": "license, labeled, gray, toward, afterward",
}
# In identifiers too, whose words are apart by underscores. A group for each word: one pattern takes a third of the time of many.
PATTERN = re.compile(rf"(?<![a-z])(?:{'|'.join(f'({word})' for word in WORDS)})(?![a-z])")

ENDINGS = (".c", ".h", ".py", ".sh", ".md", ".cmake", ".txt", ".yml", ".gd", ".lua")
LEFT_OUT = re.compile(r"^LICENSES/|^tests/plugin/[a-z_/]+/golden/|^tests/strangers/recognized/|^tests/house/words\.")
EXCEPTIONS = Path(__file__).with_name("words.txt")


def exceptions():
    """{(file, word): number of times}"""
    lines = [line for line in EXCEPTIONS.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    columns = [line.split(None, 3) for line in lines]
    return {(file, word): int(times) for file, word, times, _why in columns}


def found_words(top):
    """{(file, word as it is there): (number of times, what to write)}"""
    found = Counter()
    instead = {}
    for file in tree.files(top, *ENDINGS, folders=(".",)):
        if LEFT_OUT.search(str(file)):
            continue
        text = (top / file).read_text(encoding="utf-8")
        for match in PATTERN.finditer(text.lower()):
            found[str(file), match.group()] += 1
            instead[match.group()] = list(WORDS.values())[match.lastindex - 1]
    return found, instead


def without_purpose(top):
    """C files whose first comment has the license alone."""
    for file in tree.files(top, ".c", ".h", folders=("codecs", "plugin", "tests")):
        comment = (top / file).read_text(encoding="utf-8").partition("*/")[0]
        if len(comment.splitlines()) < 4:
            yield str(file)


def main():
    found, instead = found_words(tree.source())
    listed = exceptions()
    problems = [
        f"{file}: '{word}' {times} times, of which {listed.get((file, word), 0)} are listed; write: {instead[word]}"
        for (file, word), times in sorted(found.items())
        if times > listed.get((file, word), 0)
    ]
    problems += [
        f"{EXCEPTIONS.name}: remove the line of {file}, '{word}', which is no longer there"
        for (file, word), times in listed.items()
        if not found[file, word]
    ]
    problems += [f"{file}: say in its first comment what it is for" for file in without_purpose(tree.source())]
    return tree.report(problems, f"{sum(found.values())} such words")


sys.exit(main())
