# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON for people: in lines, and for terminals, which obey control characters beyond ASCII: they are escaped as well."""

import json
import re

encode = json.JSONEncoder(ensure_ascii=False).encode
CONTROL = re.compile("[\x7f-\x9f\u2028\u2029]")


def escaped(text):
    """JSON that was encoded without escapes of characters beyond ASCII: control characters are in its strings only."""
    return text if text.isascii() and "\x7f" not in text else CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def lines(data):
    """An object as JSON, with a line for each member, and for each row of a member that is a list of objects."""
    return "{\n" + ",\n".join(f" {encode(name)}: {member(value)}" for name, value in data.items()) + "\n}"


def member(value):
    is_table = isinstance(value, list) and value and isinstance(value[0], dict)
    return "[\n  " + ",\n  ".join(map(encode, value)) + "\n ]" if is_table else encode(value)
