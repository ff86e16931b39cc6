# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile messages inside what carries them: multiplayer in ENet and WebSocket, Variants and debugger messages in TCP.

    CARRIERS              name: how its messages are carried, and who reads them; "recognition" is of an unknown port
    write_torture(path, name)          messages that are as hard to read as their format allows
    write_mutated(path, name, seed)    messages of the captures in pcaps/, changed as in mutate.py
    options_of(name)                   the options with which tshark reads either
    payloads(name)                     name: bytes, of the first

The heads of ENet, TCP and WebSocket stay right: what is changed reaches the dissectors of the messages.
"""

import functools
import random
import struct
from typing import Any, Callable, NamedTuple

import gamewire_tshark as tshark
import mutate
import torture
from torture import ARRAY, DICTIONARY, LARGEST, NIL, STRING, be16, fill, le32

# A port for each carrier, so that a capture may have all of them.
PORTS = {"multiplayer": 41010, "websocket": 41011, "stream": 41012, "recognition": 41013, "debugger": 41014}
CLIENT = 42000
PACKETS = 1000
# Messages of one connection in a mutated capture.
OF_CONNECTION = 20


# ---- messages of the captures ----------------------------------------------------------------------------


def enet_messages(datagram):
    """The payloads of the commands of an uncompressed datagram."""
    at = 4 if datagram[0] & 0x80 else 2
    sizes = {1: 8, 2: 48, 3: 44, 4: 8, 5: 4, 6: 6, 7: 8, 8: 24, 9: 8, 10: 12, 11: 16, 12: 24}
    while at < len(datagram):
        command = datagram[at] & 0x0F
        start = at + sizes.get(command, len(datagram))
        length = int.from_bytes(datagram[start - 2 : start], "big") if command in (6, 7, 9) else 0
        if length:
            yield datagram[start : start + length]
        if command == 8:  # its data follows, and is a part of a message
            length = int.from_bytes(datagram[at + 6 : at + 8], "big")
        at = start + length


def over_enet():
    """The messages of each capture, by whether the server sent them."""
    for path in sorted((tshark.PCAPS / "godot/multiplayer").glob("*.pcap")):
        if path.stem.endswith(("fastlz", "range-coder", "zlib", "zstd", "websocket")):
            continue
        yield [(datagram.sport < datagram.dport, message)
               for datagram in tshark.read_pcap(path) for message in enet_messages(datagram.payload)]


def tcp_segments(path):
    """The payloads of a capture of TCP over IPv4, by whether the server sent them. On loopback, no packets are lost."""
    data = path.read_bytes()
    at, client, found = 24, None, []
    while at < len(data):
        length = int.from_bytes(data[at + 8 : at + 12], "little")
        ip = data[at + 16 + 14 : at + 16 + length]
        at += 16 + length
        tcp = ip[(ip[0] & 0x0F) * 4 : int.from_bytes(ip[2:4], "big")]
        client = client or tcp[:2]
        payload = tcp[(tcp[12] >> 4) * 4 :]
        if payload:
            # The ports of several clients differ; the server's is that of the first connection.
            found.append((tcp[:2] != client and tcp[2:4] == client, payload))
    return found


def over_tcp(folder):
    for path in sorted((tshark.PCAPS / folder).glob("*.pcap")):
        if not path.stem.endswith("websocket"):
            yield tcp_segments(path)


def websocket_messages(segments, from_server):
    stream = b"".join(payload for side, payload in segments if side == from_server)
    at = stream.find(b"\r\n\r\n") + 4
    while at + 2 <= len(stream):
        length, masked = stream[at + 1] & 0x7F, stream[at + 1] & 0x80
        size = {126: 2, 127: 8}.get(length, 0)
        at += 2
        if size:
            length = int.from_bytes(stream[at : at + size], "big")
        at += size
        key = stream[at : at + 4] if masked else bytes(4)
        at += 4 if masked else 0
        payload = stream[at : at + length]
        yield bytes(byte ^ key[i % 4] for i, byte in enumerate(payload))
        at += length


def over_websocket():
    for folder in ("godot/multiplayer", "godot/stream", "godot/debugger"):
        for path in sorted((tshark.PCAPS / folder).glob("*-websocket.pcap")):
            segments = tcp_segments(path)
            yield [(side, message) for side in (True, False) for message in websocket_messages(segments, side)]


# ---- hostile messages ------------------------------------------------------------------------------------


def text(string):
    return le32(len(string)) + string + bytes(-len(string) % 4)


def variant_text(string):
    return le32(STRING) + text(string)


def checksum(digit):
    return digit * 32 + b"\0"


def multiplayer_calls():
    pieces = {
        "nils": bytes(4), "bools": b"\x81", "ints": b"\x02\x05", "wide ints": b"\xc2" + bytes(8),
        "typed nulls": le32(24), "empty texts": variant_text(b""), "nested arrays": le32(ARRAY[4], 1) * 200 + bytes(4),
    }
    made = {f"call with 255 {name}": b"\x00\x06\x05\xff" + piece * 255 for name, piece in pieces.items()}
    made["call with bytes"] = b"\x80\x06\x05" + bytes(LARGEST)
    made["call by a path of 60 kB"] = b"\xa0" + le32(0x80000006) + b"\x05" + b"a" * LARGEST + b"\0"
    for offset in (0, 1, 5, 6, 0x7FFFFFFF, LARGEST):
        made[f"call by a path at {offset}"] = b"\x20" + le32(0x80000000 | offset) + b"\x05\x01\x02\x05Main\0"
    made["relays in relays"] = (b"\x07\x03" + le32(2)) * 9000 + b"\x80\x06\x05"
    made["typed null and a text of letters"] = b"\x00\x01\x00\x02" + le32(24, LARGEST) + b"a" * LARGEST
    return made


def multiplayer_ids():
    made = {f"path {n}": b"\x01" + checksum(b"a") + le32(n) + b"Main/%d\0" % n for n in range(300)}
    made["path of 60 kB"] = b"\x01" + checksum(b"0") + le32(9) + b"/" * LARGEST + b"\0"
    made["path of control characters"] = b"\x01" + checksum(b"0") + le32(9) + b"\x07\x1b\n" * 9000 + b"\0"
    made |= {f"the same id, path {n}": b"\x01" + checksum(b"b") + le32(1) + b"Node%d\0" % n for n in range(300)}
    made |= {f"spawn {n}": b"\x04\x00" + le32(1, n, 1, 2, n) + b"a\0" for n in range(300)}
    made["spawn of 15,000 synchronizers"] = b"\x04\x00" + le32(1, 2, 14_900, 2, *range(14_900)) + b"a\0"
    made["spawn of 4 G synchronizers"] = b"\x04\x00" + le32(1, 2, 0xFFFFFFFF, 2) + bytes(LARGEST)
    made["spawn with a name of 4 GB"] = b"\x04\x00" + le32(1, 2, 0, 0xFFFFFFFF) + b"a" * 100
    made["spawn with values"] = b"\x04\x00" + le32(1, 2, 0, 2) + b"a\0" + b"\x02\x05" * 29_000
    return made


def multiplayer_syncs():
    made = {
        "empty updates": b"\x06\x01\x00" + fill(le32(4, 0))[1],
        "updates of an int": b"\x06\x01\x00" + fill(le32(4, 2) + b"\x02\x05")[1],
        "one update of ints": b"\x06\x01\x00" + le32(4, 59_000) + b"\x02\x05" * 29_500,
        "deltas of nothing": b"\x16" + fill(le32(4, 0, 0, 0))[1],
        "deltas of 64 properties": b"\x16" + fill(le32(4, 0xFFFFFFFF, 0xFFFFFFFF, 128) + b"\x02\x05" * 64)[1],
        "update of 4 GB": b"\x06\x01\x00" + le32(4, 0xFFFFFFFF) + bytes(100),
    }
    made |= {f"sync at {n * 9973 % 65536}": b"\x06" + struct.pack("<H", n * 9973 % 65536) + le32(4, 2) + b"\x02\x05"
             for n in range(300)}
    return made


def multiplayer():
    return {**multiplayer_calls(), **multiplayer_ids(), **multiplayer_syncs(), "empty": b"\0",
            **{f"command byte {byte:#x}": bytes([byte]) + bytes(range(40)) for byte in range(256)}}


def stream():
    variants = {name: payload for name, payload in torture.PAYLOADS["godot"].items() if len(payload) % 3 == 0}
    made = {name: le32(len(payload)) + payload for name, payload in list(variants.items())[::4]}
    made |= {
        "lengths of nothing": bytes(LARGEST),
        "lengths alone": le32(4) * 15_000,
        "nils": (le32(4) + le32(NIL)) * 7000,
        "a length of 4 GB": le32(0xFFFFFFFF) + b"abcd",
        "a length of 2 GB": le32(0x7FFFFFFF) + le32(4, 1) + b"abcd",
        "a length of 8 MB": le32(8 << 20) + le32(ARRAY[4], 100) + bytes(2000),
        "bytes, then a Variant": b"\x07" * 50_000 + le32(8) + le32(2, 7),
        "Variants with a byte between": (le32(16) + variant_text(b"abcdefgh") + b"\x09") * 2500,
        "texts that never end": b"\xff\xfe\xfd\xfc" * 15_000,
        "Arrays longer than their length": b"999" + le32(0x7F00, ARRAY[4], 0xF00) * 4999,
        "Arrays of which most lengths exceed the bytes": b"999" + le32(0xFF00, ARRAY[4], 0xF00) * 4999,
        "Arrays longer than their length, and Variants": b"999" + le32(0x7F00, ARRAY[4], 0xF00, 8, 2, 7) * 2499,
    }
    return made


def message_4(name, data, count):
    return le32(ARRAY[4], 3) + variant_text(name) + le32(2, 1) + le32(ARRAY[4], count) + data


def flat_3(name, data, count):
    """Each value is a separate message in the stream."""
    values = [variant_text(name), le32(2, count), *data]
    return b"".join(le32(len(value)) + value for value in values)


def scene_tree_4(depth, children):
    number = le32(2, children)
    node_of = number + variant_text(b"N") + variant_text(b"Node") + le32(2, 7) + variant_text(b"") + le32(2, 0)
    return node_of * depth


def debugger():
    names = (b"output", b"error", b"stack_dump", b"stack_frame_vars", b"stack_frame_var", b"scene:scene_tree",
             b"debug_enter", b"debug_exit", b"performance:profile_frame", b"servers:profile_frame", b"set_pid",
             b"remote_objects_selected", b"window:title", b"prefix:name")
    made = {}
    for name in names:
        for kind, piece in {"ints": le32(2, 7), "texts": variant_text(b"abc"), "nils": le32(NIL),
                            "arrays": le32(ARRAY[4], 0), "dictionaries": le32(DICTIONARY[4], 0)}.items():
            count, data = fill(piece, 20_000)
            made[f"{name.decode()} of {kind}"] = message_4(name, data, count)
        made[f"{name.decode()} of nothing"] = message_4(name, b"", 0)
        made[f"{name.decode()} of 4 G values"] = message_4(name, b"", 0xFFFFFFFF)
    for children in (0, 1, 2, 0x7FFFFFFF, -1):
        made[f"scene tree of {children} children each"] = message_4(
            b"scene:scene_tree", scene_tree_4(900, children), 900 * 6)
    made["breaks"] = message_4(b"debug_enter", le32(1, 1) + variant_text(b"x") + le32(1, 1) + le32(2, 1), 4)
    framed = {name: le32(len(payload)) + payload for name, payload in made.items()}
    for name in (b"output", b"error", b"stack_dump", b"stack_frame_vars", b"message:scene_tree", b"debug_enter",
                 b"performance", b"profile_frame", b"message:inspect_object"):
        for kind, piece in {"ints": le32(2, 7), "nested arrays": le32(ARRAY[3], 1) * 90 + bytes(4),
                            "texts": variant_text(b"abc"), "nils": le32(NIL)}.items():
            framed[f"Godot 3 {name.decode()} of {kind}"] = flat_3(name, [piece] * 500, 500)
        framed[f"Godot 3 {name.decode()} that never ends"] = flat_3(name, [le32(2, 1)] * 300, 0x7FFFFFFF)
    return framed


def bare():
    """In the form of WebSocket: without lengths."""
    return {**multiplayer(), **{name: payload[4:] for name, payload in debugger().items() if "Godot 3" not in name}}


# ---- captures --------------------------------------------------------------------------------------------


def in_datagrams(path, connections, port):
    """Each message as a reliable one."""
    packets, number = [], 0
    for n, messages in enumerate(connections):
        packets.append(tshark.Udp(CLIENT + n, port, torture.enet_connect(n + 1), n))
        for i, (from_server, message) in enumerate(messages):
            number += 1
            head = be16(0x8000, number & 0xFFFF) + torture.enet_head(0x86, 0, i + 1 & 0xFFFF)
            ends = (port, CLIENT + n) if from_server else (CLIENT + n, port)
            hosts = {"from": 2, "to": 1} if from_server else {}
            packets.append(tshark.Udp(*ends, head + be16(len(message)) + message, n + i / 1000, hosts))
    return tshark.write_pcap(path, packets)


def in_segments(path, connections, port):
    return tshark.write_tcp_connections(path, connections, CLIENT, port)


def websocket_frame(message):
    length = bytes([126]) + be16(len(message)) if len(message) > 125 else bytes([len(message)])
    return b"\x82" + length + message


def in_frames(path, connections, port):
    return in_segments(path, ([(side, websocket_frame(message)) for side, message in messages]
                              for messages in connections), port)


class Carrier(NamedTuple):
    hostile: Callable[[], dict]
    captured: Callable[[], Any]
    write: Callable[..., Any]
    options: tuple


CARRIERS = {
    "multiplayer": Carrier(multiplayer, over_enet, in_datagrams,
                           ("-d", f"udp.port=={PORTS['multiplayer']},enet", "-d", f"enet.port=={PORTS['multiplayer']},godot_mp")),
    "websocket": Carrier(bare, over_websocket, in_frames, ("-d", f"tcp.port=={PORTS['websocket']},websocket")),
    "stream": Carrier(stream, lambda: over_tcp("godot/stream"), in_segments,
                      ("-d", f"tcp.port=={PORTS['stream']},godot_stream")),
    "recognition": Carrier(stream, lambda: over_tcp("godot/stream"), in_segments, ()),
    "debugger": Carrier(debugger, lambda: over_tcp("godot/debugger"), in_segments,
                        ("-d", f"tcp.port=={PORTS['debugger']},godot_debugger")),
}


def options_of(name):
    return list(CARRIERS[name].options)


@functools.lru_cache(maxsize=None)
def payloads(name):
    return {title: payload[:LARGEST] for title, payload in CARRIERS[name].hostile().items()}


@functools.lru_cache(maxsize=None)
def captured(name):
    return tuple(tuple(messages) for messages in CARRIERS[name].captured() if messages)


def write_torture(path, name):
    """In TCP each has a separate connection, since valid messages of a stream cannot follow it. In ENet all share
    one."""
    messages = [(n % 2 == 1, message) for n, message in enumerate(payloads(name).values())]
    shared = name == "multiplayer"
    CARRIERS[name].write(path, [messages] if shared else [[(False, message)] for _, message in messages], PORTS[name])
    return path


class Message(NamedTuple):
    payload: bytes


def write_mutated(path, name, seed):
    """Returns the number of messages."""
    source = random.Random(f"{name} {seed}")
    connections = []
    for _ in range(PACKETS // OF_CONNECTION):
        original = source.choice(captured(name))
        at = source.randrange(max(1, len(original) - OF_CONNECTION))
        others = [Message(payload) for _, payload in original]
        connections.append([
            (side, payload[:LARGEST] if source.random() < 0.5 else mutate.mutate(source, payload, others) or b"\0")
            for side, payload in original[at : at + OF_CONNECTION]])
    CARRIERS[name].write(path, connections, PORTS[name])
    return sum(map(len, connections))
