# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of kinds of payloads (protocols.py), and what they are made of."""

import struct

KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


def add(name, maker):
    KINDS[name] = maker


# ---- pieces --------------------------------------------------------------------------------------


def be16(*numbers):
    return b"".join((number & 0xFFFF).to_bytes(2, "big") for number in numbers)


def be32(*numbers):
    return b"".join((number & 0xFFFFFFFF).to_bytes(4, "big") for number in numbers)


def le16(*numbers):
    return b"".join((number & 0xFFFF).to_bytes(2, "little") for number in numbers)


def le32(*numbers):
    return b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in numbers)


def le64(number):
    return number.to_bytes(8, "little")


def floats(*numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


def words(random, count=1):
    """Lower-case text of `count` words."""
    letters = "abcdefghijklmnoprstuvwy"
    return " ".join("".join(random.choices(letters, k=random.randint(2, 9))) for _ in range(count)).encode()


def position(random, n):
    """A walking player: x, y, z."""
    return [100.0 + n * 0.25, 1.75, -40.0 + random.uniform(-1, 1)]
