# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The output does not depend on the user's locale: no decimal comma.

The number of a float field is printed by Wireshark with the locale's decimal point, in every protocol.
"""

import os
import re
import subprocess
import sys

import pytest

import gamewire_tshark as tshark

LARGE = ["enet", "godot/multiplayer"]


def test_the_locale_has_a_comma():
    program = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.localeconv()['decimal_point'])"
    env = {**os.environ, **tshark.comma_locale()}
    assert subprocess.check_output([sys.executable, "-c", program], env=env, text=True).strip() == ","


def with_a_point(line):
    """The same if it consists of a label and a float with a comma."""
    return re.sub(r"^(\s*[^:]*: -?\d+),(\d+(e[+-]\d+)?)$", r"\1.\2", line)


def captures_of(folder):
    if folder in LARGE:
        return tshark.captures_of(folder)
    small = [tshark.PCAPS / each for each in tshark.capture_folders() if each not in LARGE]
    return tshark.together(tuple(sorted(path for path in tshark.PCAPS.rglob("*.pcap*") if path.parent in small)))[0]


@pytest.mark.parametrize("folder", [*LARGE, "others"])
def test_trees_are_the_same_with_a_comma_in_the_locale(folder):
    captures = captures_of(folder)
    with_comma, without = (tshark.verbose(captures, "-2", "-P", **options).splitlines() for options in ({"env": tshark.comma_locale()}, {}))
    different = [pair for pair in zip(with_comma, without, strict=True) if pair[0] != pair[1]]
    assert [pair for pair in different if with_a_point(pair[0]) != pair[1]] == []
