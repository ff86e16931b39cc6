# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""For pytest (-p lines_of_tests): which lines of the plugin each test runs, or only the tests that run some line.

mutate.py sets what is to be done in the environment:

    GAMEWIRE_LINES    the file to write: {"tests": {id: {"seconds": 0.3, "lines": {file: [numbers]}}},
                      "files": {file: {"lines": [all that have code], "functions": [[first, last]]}}}
    GAMEWIRE_OBJECTS  the folder of the objects, built with counters, whose sources are of interest
    GAMEWIRE_SELECT   a file with the ids of the tests to run, in the order in which they are to run
"""

import gzip
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

OBJECTS = Path(os.environ.get("GAMEWIRE_OBJECTS", "/nonexistent"))
tests = {}
files = {}


def counters():
    return [str(path) for path in OBJECTS.rglob("*.gcda")]


def forget():
    for path in counters():
        os.remove(path)


def lines_run():
    """{source: the lines that ran}; of the first time also which lines and functions there are."""
    found = {}
    listed = counters()
    text = subprocess.run(["gcov", "-j", "-t", *listed], capture_output=True, text=True, check=True).stdout if listed else ""
    for line in text.splitlines():
        for source in json.loads(line)["files"]:
            name = "plugin/" + source["file"].rpartition("/plugin/")[2]
            if name.endswith(".c"):
                found[name] = sorted({each["line_number"] for each in source["lines"] if each["count"]})
                files[name] = {
                    "lines": sorted({each["line_number"] for each in source["lines"]}),
                    "functions": [[each["start_line"], each["end_line"]] for each in source["functions"]],
                }
    return found


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    if "GAMEWIRE_LINES" not in os.environ:
        yield
        return
    forget()
    started = time.monotonic()
    yield
    tests[item.nodeid] = {"seconds": time.monotonic() - started, "lines": lines_run()}


def pytest_sessionfinish():
    if "GAMEWIRE_LINES" in os.environ:
        with gzip.open(os.environ["GAMEWIRE_LINES"], "wt", encoding="utf-8") as file:
            json.dump({"tests": tests, "files": files}, file)


def pytest_collection_modifyitems(items):
    if "GAMEWIRE_SELECT" in os.environ:
        wanted = json.loads(Path(os.environ["GAMEWIRE_SELECT"]).read_text(encoding="utf-8"))
        collected = {item.nodeid: item for item in items}
        missing = [name for name in wanted if name not in collected]
        if missing:
            pytest.exit(f"no such test: {missing[0]}", returncode=4)
        items[:] = [collected[name] for name in wanted]
