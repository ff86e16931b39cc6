# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of many fragments or segments."""

import struct

import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, fragment
from plugin.godot.variant.variants import floats, text, words

PIECE = 1300
OVER_ENET = ("-d", f"udp.port=={tshark.SERVER_PORT},enet", "-d", f"enet.port=={tshark.SERVER_PORT},godot_mp")
DEBUGGER = ("-d", f"tcp.port=={tshark.SERVER_PORT},godot_debugger")


def over_enet(message):
    pieces = [message[i : i + PIECE] for i in range(0, len(message), PIECE)]
    return [tshark.request(datagram(fragment(len(pieces), number, len(message), number * PIECE, piece, 7 + number)))
            for number, piece in enumerate(pieces)]


def over_tcp(path, message):
    return tshark.write_tcp(path, [message[i : i + PIECE] for i in range(0, len(message), PIECE)], tshark.SERVER_PORT)


def array(*values):
    return words(28, len(values)) + b"".join(values)


NIL, VECTOR = bytes(4), words(9) + floats(1, 2, 3)
# RAW, with one Variant; an update of many synchronizers.
RAW, SYNC = b"\3", b"\6\0\0"
MESSAGES = {
    "nils": RAW + array(*[NIL] * 60000),
    "vectors": RAW + array(*[VECTOR] * 30000),
    "synchronizers": SYNC + b"".join(struct.pack("<II", 1 + n, 0) for n in range(60000)),
}


def string(value):
    return words(4) + text(value)


# Bytes of a game; and the texts of an output with the type of each.
DEBUGGER_MESSAGES = {
    "values": array(string("game:values"), words(2, 1), array(*[NIL] * 60000)),
    "texts": array(string("output"), words(2, 1),
                   array(words(34, 30000) + text("a") * 30000, words(30, 30000) + words(0) * 30000)),
}
