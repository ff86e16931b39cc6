# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what the statistics print after the packets: the trees of -z godot,tree and its like, and the totals of -z io,stat."""

import re

TAPS = ("godot,tree", "enet,tree", "leviathan,tree", "squirrel,tree")
# Without the columns of bursts, which are not read and take a third of a tree's time.
OPTIONS = ("-o", "statistics.st_enable_burstinfo:FALSE")
TREE = re.compile(r"^=+\n(.+):\n(Topic / Item +)Count .*\n-+\n((?:.*\n)*?)\n-+$", re.MULTILINE)
TOTALS = re.compile(r"^\| +[\d.]+ <> +\S+ +\| +(\d+) \| +(\d+) \|", re.MULTILINE)


def trees(text):
    """{title: [(depth, name, count)]}: the rows of each tree, in their order. Names are padded by their bytes. Titles
    have the separator of Wireshark 4.0."""
    found = {}
    for title, head, body in TREE.findall(text):
        rows = []
        for line in body.splitlines():
            padded = line.encode()
            name = padded[:len(head)].decode("utf-8", "replace").rstrip()
            count = re.match(rb"-?\d+", padded[len(head):])
            if name and count:
                rows.append((len(name) - len(name.lstrip()), name.strip(), int(count[0])))
        if rows:
            found[re.sub(r" ?// ?| / ", "/", title)] = rows
    return found


def group(rows, name):
    """[(depth below it, name, count)] of the rows of a group."""
    inside, found = False, []
    for depth, row, count in rows:
        if depth == 0:
            inside = row == name
        elif inside:
            found.append((depth, row, count))
    return found


def totals(text):
    """Frames and bytes of the whole capture."""
    found = TOTALS.search(text)
    return (int(found[1]), int(found[2])) if found else (0, 0)
