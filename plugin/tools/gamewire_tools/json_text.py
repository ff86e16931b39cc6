# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON for terminals: control characters beyond ASCII, which terminals obey, are escaped as well."""

CONTROL = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}


def escaped(text):
    """JSON that was encoded without escapes of characters beyond ASCII: control characters are in its strings only."""
    return text if text.isascii() and "\x7f" not in text else text.translate(CONTROL)
