# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a game and an editor send each other over the remote file system, written from the format's description
(core/io/remote_filesystem_client.cpp, editor/debugger/editor_file_server.cpp of Godot 4.6.3)."""

import gamewire_tshark as tshark
from plugin.godot.variant.variants import longs, words

CHOSEN = ("-d", f"tcp.port=={tshark.SERVER_PORT},godot_remote_fs")


def text(string):
    return words(len(string)) + string


def head(version=1, password=b"secret", tags=(b"linuxbsd",), cached=b""):
    """What the game sends; `cached` is the compressed list."""
    sent = b"GRFS" + words(version) + password.ljust(32, b"\0") + words(len(tags)) + b"".join(map(text, tags))
    return sent + (words(200, len(cached)) + cached if cached else words(0))


def files(listed, end=b"GEND"):
    """What the editor sends: {path: (time, content)}."""
    sent = words(len(listed)) + b"".join(text(path) + longs(time) for path, (time, _) in listed.items())
    return sent + b"".join(longs(len(content)) + content for time, content in listed.values() if time) + end


TIME = 1_700_000_000
LISTED = {b"game.gd": (TIME, b"extends Node"), b"old.gd": (0, b""), b"empty.txt": (TIME, b""), b"a.bin": (TIME, bytes(300))}

# Expert info: what raises it, as segments (True: from the editor). The beginning is captured.
CONNECTIONS = {
    "password.readable": [(False, head())],
    "version.unknown": [(False, head(2))],
    "password.unusual": [(False, head(password=b"\0x"))],
    "file.missing": [(False, head(password=b"")), (True, files(LISTED)[: -4 - 300 - 8]), (True, b"GEND")],
    "magic.invalid": [(False, b"XRFS" + words(1))],
    "end.invalid": [(False, head(password=b"")), (True, files(LISTED, b"DNEG"))],
    "trailing.unknown": [(False, head(password=b"")), (True, files({})), (True, b"more")],
    "text.too_long": [(False, head(password=b"")), (True, words(1, 1 << 20))],
}
