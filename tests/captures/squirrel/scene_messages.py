# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""VC:MP's own messages in RakNet, for the pack vcmp (messages.sh): each message id of release 0.4.7.1 in both directions. The heads are as
the public NPC client reads and writes them (habi498/NPC-VCMP, commit d37cc21ee0ce); what follows a head is any bytes.

    after the message id
    far        three bytes, player u8             near       player u8
    second     u8, player u8                      blast      kind u8, three floats, three bytes, player u8
    entry      far, then vehicle u16 BE           thing      vehicle, object or checkpoint u16 BE
    packed     bit 0, u32 BE length, bit 0, u32 BE length of what follows: zlib data, whose first byte is the player
"""

import struct
import zlib

from raknet import RELIABLE, Connection
from wire import Scene

DOWN = {
    "far": (0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x41, 0x4B, 0x66, 0x67, 0x6C),
    "near": (0x33, 0x3B, 0x3C, 0x3D),
    "entry": (0x3F,),
    "blast": (0x68,),
    "vehicle": (0x8A, 0x8B, 0x8C, 0x8D, 0x8F, 0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x98),
    "object": (0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x78),
    "checkpoint": (0x85, 0x86, 0x87, 0x88, 0x89),
    "packed": (0x30, 0x31, 0x32),
}
UP = {"near": (0x40,), "second": (0x45,), "vehicle": (0x48,), "object": (0x55, 0x56), "checkpoint": (0x59,), "packed": (0x30, 0x31, 0x32)}
SCRIPT = {True: 0x3E, False: 0x6E}  # messages with script data, which other captures have


def packed(content):
    """Both lengths are after a single bit, so that nothing after them begins at a byte."""
    data = zlib.compress(content)
    bits = f"0{len(content):032b}0{len(data):032b}" + "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def body(head, number):
    """What is after the message id, and what the record has of it."""
    player, thing, rest = number % 100, 1 + number * 7, bytes(range(number % 11))
    if head in ("vehicle", "object", "checkpoint"):
        return struct.pack(">H", thing) + rest, {head: thing}
    if head == "packed":
        content = bytes([player]) + rest * 8
        return packed(content), {"player": player, "size": len(content)}
    begin = {"far": b"\0\0\1", "near": b"", "second": b"\x0e", "entry": b"\0\0\1", "blast": b"\5" + struct.pack(">3f", 1, 2, 3) + b"\0\0\1"}
    if head == "entry":
        return begin[head] + struct.pack(">BH", player, thing) + rest, {"player": player, "vehicle": thing}
    if head in begin:
        return begin[head] + bytes([player]) + rest, {"player": player}
    return rest, {}


def messages():
    scene = Scene("vcmp-0.4.7.1", wait=2)
    connection = Connection(scene)
    connection.open()
    for upward, heads, last in ((False, DOWN, 0x9F), (True, UP, 0x5C)):
        half = connection.up if upward else connection.down
        by_id = {identifier: head for head, identifiers in heads.items() for identifier in identifiers}
        for identifier in range(0x30, last + 1):
            if identifier == SCRIPT[upward]:
                continue
            content, members = body(by_id.get(identifier), identifier)
            if upward and identifier in heads["packed"]:
                members = {"size": members["size"]}
            info = {"label": f"message {identifier:#04x}", "message": identifier, "length": 1 + len(content), **members}
            number = connection.datagram([half.message(bytes([identifier]) + content, RELIABLE)], info, upward)
            connection.acknowledge(number, number, not upward)
    connection.close()
    return scene
