# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The nineteen stream frames, their heads, and split streams.

A frame is a little-endian u32 identifier 0x40ffffe1 .. 0x40fffff3, a head, and a body.
"""

import struct
from typing import NamedTuple

from values import bare_string

SERVER, CLIENT = "server", "client"

# name: (last byte of the identifier, who sends it, what follows)
#   p player u8       t token i32               v value or command
#   d second value    s string without tag      x split head and chunk
FRAMES = {
    "RemoteExecute":         (0xE1, SERVER, "v"),
    "RemoteExecuteSpecial":  (0xE2, SERVER, "tv"),
    "Reply":                 (0xE3, CLIENT, "tv"),
    "CompileString":         (0xE4, SERVER, "s"),
    "RPrint":                (0xE5, CLIENT, "s"),
    "PeerExec":              (0xE6, CLIENT, "pv"),
    "SendResultToPeer":      (0xE7, CLIENT, "ptv"),
    "ResultFromPeer":        (0xE8, SERVER, "ptv"),
    "PeerExecSpecial":       (0xE9, CLIENT, "ptv"),
    "PeerExecHere":          (0xEA, SERVER, "pv"),
    "PeerExecHere2":         (0xEB, SERVER, "ptv"),
    "SplitStream":           (0xEC, CLIENT, "x"),
    "SplitStreamFromServer": (0xED, SERVER, "x"),
    "ClientData":            (0xEE, CLIENT, "vd"),
    "LoadNutFile":           (0xEF, SERVER, "ts"),
    "NutFileLoaded":         (0xF0, CLIENT, "tv"),
    "Exec":                  (0xF1, CLIENT, "v"),
    "ExecSpecial":           (0xF2, CLIENT, "tv"),
    "ResultFromServer":      (0xF3, SERVER, "tv"),
}

# The frame to which the server converts a peer's frame: another identifier, and the sender's number in place of the
# target's.
RELAYED = {"PeerExec": "PeerExecHere",
            "PeerExecSpecial": "PeerExecHere2", "SendResultToPeer": "ResultFromPeer"}

CHUNK = 4075                # payload of every chunk but the last
LARGEST_WHOLE = 4094        # a longer frame is split


class Message(NamedTuple):
    data: bytes
    info: dict              # the description in the .jsonl


def identifier(low):
    return bytes([low, 0xFF, 0xFF, 0x40])


def body_info(node):
    info = {"expression": node.source}
    if node.error is not None:
        info["error"] = node.error
    return info


def frame(name, body=None, *, token=None, player=None, data=None, text=None):
    """One frame; the third column of FRAMES lists the required arguments."""
    low, _, layout = FRAMES[name]
    out, info = identifier(low), {"frame": name}
    for part in layout:
        if part == "p":
            out += bytes([player])
            info["player"] = player
        elif part == "t":
            out += struct.pack("<i", token)
            info["token"] = token
        elif part == "v":
            out += body.data
            info.update(body_info(body))
        elif part == "d":
            out += data.data
            info["data"] = data.source
        elif part == "s":
            out += bare_string(text)
            info["text"] = text
    return Message(out, info)


def sender(message):
    return FRAMES[message.info["frame"]][1]


def relayed(message, player):
    """The server's copy of a peer frame: all but five bytes are the sending client's own."""
    name = RELAYED[message.info["frame"]]
    data = identifier(FRAMES[name][0]) + bytes([player]) + message.data[5:]
    return Message(data, {**message.info, "frame": name, "player": player})


def chunk(name, sequence, index, total, payload, length=None):
    """One piece of a split stream; `length` if it differs from the payload's."""
    stated = len(payload) if length is None else length
    head = struct.pack("<IIIH", sequence, index, total, stated)
    info = {"frame": name, "sequence": sequence, "chunk": index, "total": total, "length": stated}
    return Message(identifier(FRAMES[name][0]) + head + payload, info)


def split(message, sequence):
    """All chunks of a frame, in order; what they carry is recorded with the frame, not with the chunk."""
    name = "SplitStream" if sender(message) == CLIENT else "SplitStreamFromServer"
    pieces = [message.data[at:at + CHUNK] for at in range(0, len(message.data), CHUNK)]
    return [chunk(name, sequence, index, len(pieces), piece) for index, piece in enumerate(pieces)]
