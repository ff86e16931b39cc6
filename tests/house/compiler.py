# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The compiler of tests that build as a user does, and do not care how fast the result is."""

import os

CC = os.environ.get("CC", "cc")


def without_optimization(folder):
    """A program in `folder`, for the variable CC: the compiler without optimization and debug information, whatever a build
    asks for. It takes half the time."""
    program = folder / "cc-without-optimization"
    program.write_text(f'#!/bin/sh\nexec {CC} "$@" -O0 -g0\n', encoding="utf-8")
    program.chmod(0o755)
    return str(program)
