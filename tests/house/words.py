#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Comments, messages, names and documents use the field's terms: these words have a plainer or more usual one.

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
    r"stands?(?! for|-in)": "is",
    r"stood": "was",
    r"(?:takes?|taken|took) apart": "parsed, split",
    r"claim(?:s|ed|ing)?": "recognise, accept, take",
    r"judge[sd]?": "check, decide",
    r"verdicts?": "result, decision",
    r"settle[sd]?": "decide",
    r"whoever": "who, the caller",
    r"well-behaved": "say what it does",
}
PATTERNS = {word: re.compile(rf"\b{word}\b", re.IGNORECASE) for word in WORDS}

ENDINGS = (".c", ".h", ".py", ".sh", ".md", ".cmake", ".txt", ".yml", ".gd", ".lua")
LEFT_OUT = re.compile(r"^LICENSES/|^tests/plugin/[a-z_]+/golden/|^tests/strangers/recognised/|^tests/house/words\.")
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
        for word, pattern in PATTERNS.items():
            for match in pattern.findall(text):
                found[str(file), match.lower()] += 1
                instead[match.lower()] = WORDS[word]
    return found, instead


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
    return tree.report(problems, f"{sum(found.values())} such words")


sys.exit(main())
