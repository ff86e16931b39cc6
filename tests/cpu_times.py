#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tests of ctest one after the other, and prints the CPU time of each: of all its processes that were waited for, which other
programs on the machine change little.

    python3 tests/cpu_times.py BUILD [REGEX]

Each line is the CPU time and the elapsed time in seconds, the status and the name of a test as soon as it ends; the last ones are the sum
and the twenty tests that take most. The status of a test that fails is not 0, and then this program's neither.
"""

import json
import os
import re
import subprocess
import sys
import time


def tests_of(build):
    """{name: the test as ctest has it, with its properties as a dictionary}, those first that others require."""
    printed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True, text=True).stdout
    found = {}
    for test in json.loads(printed)["tests"]:
        found[test["name"]] = test
        test["properties"] = {each["name"]: each["value"] for each in test.get("properties", [])}
    return dict(sorted(found.items(), key=lambda item: "FIXTURES_SETUP" not in item[1]["properties"]))


def run(test, build):
    """CPU time, elapsed time and status."""
    properties = test["properties"]
    changes = dict(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))
    begun = time.monotonic()
    process = subprocess.Popen(test["command"], cwd=properties.get("WORKING_DIRECTORY", build), env={**os.environ, **changes},
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begun, os.waitstatus_to_exitcode(status)


def line(name, seconds, elapsed, status):
    return f"{seconds:8.2f} {elapsed:8.1f} {status:4d} {name}"


def main():
    build, pattern = sys.argv[1], re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    measured = {}
    for name, test in tests_of(build).items():
        if pattern.search(name) or "FIXTURES_SETUP" in test["properties"]:
            measured[name] = run(test, build)
            print(line(name, *measured[name]), flush=True)
    print(f"\n{sum(seconds for seconds, _, _ in measured.values()):8.2f} of {len(measured)} tests\n")
    for name, values in sorted(measured.items(), key=lambda item: -item[1][0])[:20]:
        print(line(name, *values))
    return any(status for _, _, status in measured.values())


if __name__ == "__main__":
    sys.exit(main())
