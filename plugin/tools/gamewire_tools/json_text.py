# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON for terminals: control characters beyond ASCII, which terminals obey, are escaped as well."""

import re

CONTROL = re.compile("[\x7f-\x9f\u2028\u2029]")


def escaped(text):
    """JSON that was encoded without escapes of characters beyond ASCII: control characters are in its strings only."""
    return text if text.isascii() and "\x7f" not in text else CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
