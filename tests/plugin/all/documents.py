# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the pages: the code and the names in them."""

import functools
import re

import gamewire_tshark as tshark


def code_spans(text):
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE))


def names_in(page):
    found = [span for span in code_spans(page) if re.fullmatch(r"(enet|godot\w*|leviathan|squirrel)(\.[a-z_0-9]+)+", span)]
    return sorted(set(found))


@functools.lru_cache(maxsize=None)
def preferences():
    """Each preference of Wireshark with its default, as printed by tshark."""
    return dict(re.findall(r"^#?([^\s:#]+): ?(.*)$", tshark.run(["-G", "defaultprefs"]).stdout, re.MULTILINE))


def assert_known(name):
    fields = {field.filter for field in tshark.registered_fields()}
    if name not in fields | set(tshark.PROTOCOLS) and not name.startswith("godot.custom."):
        sources = (path.read_text(encoding="utf-8") for path in (tshark.SOURCE / "plugin").rglob("*.[ch]"))
        assert name in preferences() or any(f'"{name}"' in text for text in sources)
