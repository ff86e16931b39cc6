# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the programs write: a file, or standard output, which is named "-" as for tshark and most programs."""

import contextlib
import os
import sys

STANDARD = "-"


@contextlib.contextmanager
def opened(target, errors="backslashreplace"):
    """The file `target` to write text to, in UTF-8. Writing to standard output ends without an error if its reader does, as head."""
    if target != STANDARD:
        with open(target, "w", encoding="utf-8", newline="\n", errors=errors) as file:
            yield file
        return
    sys.stdout.reconfigure(encoding="utf-8", newline="\n", errors=errors)
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still in the buffer would be written, and fail again, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
