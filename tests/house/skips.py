#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fails when ctest skipped a test that tests/skips.txt does not list.

    skips.py SOURCE RESULTS      RESULTS as `ctest --output-junit` writes them
"""

import sys
import xml.etree.ElementTree as xml

import tree


def main():
    lines = (tree.source() / "tests" / "skips.txt").read_text(encoding="utf-8").splitlines()
    listed = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
    cases = list(xml.parse(sys.argv[2]).getroot().iter("testcase"))
    skipped = [case.get("name") for case in cases if case.find("skipped") is not None]
    unlisted = [f"{name} was skipped, which tests/skips.txt does not list" for name in skipped if name not in listed]
    return tree.report(unlisted, f"{len(skipped)} of {len(cases)} tests skipped")


sys.exit(main())
