# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of Godot's remote debugger that raise expert infos, written from the format's description."""

from plugin.godot.variants import encode, words
from plugin.godot_stream.samples import PORT, framed

DEBUGGER = ("-d", f"tcp.port=={PORT},godot_debugger")


def array(*values):
    return words(28, len(values)) + b"".join(values)


def message_4(name, *values):
    """[name, thread, [values]]"""
    return framed(array(encode(name), encode(1), array(*values)))


def message_3(*values):
    """Each in a separate frame."""
    return b"".join(framed(encode(value, 3)) for value in values)


SOUND = message_4("set_pid", encode(7))
# Each node is the child of the previous one; the reader supports 36 levels.
NODES = b"".join(encode(value) for _ in range(40) for value in (1, "n", "Node", 7, "", 0))

# Expert info: segments, of which the last raises it. Oddities that are not faults are in ODD_MESSAGES.
DEBUGGER_MESSAGES = {
    "value.unusual": [message_3("message:video_mem", 1) + framed(words(4, 100))],
    "scene_tree.too_deep": [framed(array(encode("scene:scene_tree"), encode(1), words(28, 6 * 40) + NODES))],
    "message.invalid": [SOUND, framed(array(encode("a")))],
    "count.invalid": [SOUND, message_3("debug_exit", -1)],
}

RESOURCE = message_3("message:video_mem", 4, "res://a.png", "Texture", "RGBA8", 4096)


def message(*values):
    data = encode(list(values))
    return words(len(data)) + data


# Data after a valid message; its expert info, and the line in the packet list.
ODD_MESSAGES = {
    "a message of the game's own": (message("game:state", 1, [7]), "message.unknown", "game:state(7)"),
    "a value of another type": (message("set_pid", 1, ["x"]), "type.unusual", 'set_pid: "x"'),
    "more values than it has": (message("set_pid", 1, [7, 8]), "values.unknown", "set_pid: 7"),
    "no values": (message("stack_frame_vars", 1, []), "values.missing", "stack_frame_vars()"),
    "a value that no message announces": (framed(encode("hello there")), "value.alone", '"hello there"'),
}

ENDS = {"message.truncated": SOUND[:20]}
