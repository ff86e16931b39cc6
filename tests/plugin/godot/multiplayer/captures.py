# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures of Godot's multiplayer, decoded, and what the scripts of real engines logged that they called and received.

pcaps/godot/multiplayer/records has the log of each capture (pcaps/README.md); the tables of names are those that rpc_names.gd wrote.
"""

import functools
import itertools
import json
import re
from typing import NamedTuple

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.godot.variant.variants import engine_text, same_beginning, same_members, same_text
from plugin.godot.multiplayer.samples import tables

FOLDER = tshark.PCAPS / "godot/multiplayer"
CAPTURES = tuple(sorted(path.stem for path in FOLDER.glob("*.pcap*")))  # .pcapng: encrypted, with the keys
# Nothing in a WebRTC connection has the ids of its peers: see test_webrtc.py.
CALLS = [name for name in CAPTURES if "-calls" in name or name.endswith(("-methods", "-nodes", "-objects", "-inner"))]
CALLS = [name for name in CALLS if "-webrtc" not in name]


def generation(capture):
    return int(capture.split("-")[1].split(".")[0])


def path_of(capture):
    return next(FOLDER.glob(f"{capture}.pcap*"))


# With compression the scripts did the same as without; only the clients had other ids, and other calls of `move`, which is
# unreliable, arrived (pcaps/README.md).
COMPRESSED = re.compile(r"(godot-[\d.]+-calls)-(?:range-coder|fastlz|zlib|zstd)")


def client_ids(capture):
    """{UDP port of a client: the id that it gives ENet as it connects}"""
    return {record["from_port"]: command["data"] for record in gamewire_records.read("godot/multiplayer", capture)
            for command in record["commands"] if command["command"] == "CONNECT"}


def renumbered(value, ids):
    """With the ids of other clients; a call to all but one client has the negative id as its target."""
    if isinstance(value, int):
        return ids.get(value, -ids[-value] if -value in ids else value)
    if isinstance(value, str):
        return re.sub(r"\d+", lambda digits: str(ids.get(int(digits[0]), digits[0])), value)
    if isinstance(value, list):
        return [renumbered(each, ids) for each in value]
    return {key: renumbered(each, ids) for key, each in value.items()} if isinstance(value, dict) else value


@functools.lru_cache(maxsize=None)
def log(capture):
    compressed = COMPRESSED.fullmatch(capture)
    if not compressed:
        return gamewire_records.read("godot/multiplayer", f"{capture}.calls")
    ids, ids_here = client_ids(compressed[1]), client_ids(capture)
    others = {ids[port]: ids_here[port] for port in ids}
    return [renumbered(line, others) for line in log(compressed[1])
            if (line["event"], line.get("method")) != ("received", "move")]


def logged(capture, *events):
    return [line for line in log(capture) if line["event"] in events]


class Decoded(NamedTuple):
    """Each packet's layers, the statistics, and the number of packets before this capture's first in the numbers of frames."""

    packets: list
    statistics: str
    before: int


@functools.lru_cache(maxsize=None)
def decoded(files, *args):
    """{file: Decoded} of several captures, with one start of tshark. A layer is a list of pairs: the name of a field, and its
    value or the list of those below it. The JSON is a third of the PDML, and ten times as fast to parse."""
    merged, begins = tshark.together(files)
    parts = list(zip(begins, begins[1:]))
    trees = [("-z", f"godot,tree,frame.number > {begin} && frame.number <= {end}") for begin, end in parts]
    printed = tshark.run(["-T", "json", *tshark.only_ours("data"), *itertools.chain(*trees), *tables(), *args], merged).stdout
    found, end = json.JSONDecoder(object_pairs_hook=list).raw_decode(printed)
    layers = [dict(dict(packet)["_source"])["layers"] for packet in found]
    # tshark prints the last tree first.
    printed_trees = printed[end:].split("Messages and Values:\n")[:0:-1]
    return {file: Decoded(layers[begin:end], tree, begin)
            for file, tree, (begin, end) in zip(files, printed_trees, parts, strict=True)}


def of_capture(capture, *args, among=CAPTURES):
    """Decoded, of a capture that is decoded together with others."""
    return decoded(tuple(map(path_of, among)), *args)[path_of(capture)]


def fields_in(layer):
    """The name and the value of each field of a layer, in the order of the tree. A branch without a value has an empty one."""
    for name, value in layer:
        if not name.endswith("_tree"):
            yield name, value if isinstance(value, str) else ""
        if isinstance(value, list):
            yield from fields_in(value)


@functools.lru_cache(maxsize=None)
def frame_numbers():
    return {field.filter for field in tshark.registered_fields() if field.type == "FT_FRAMENUM"}


def values_in(layer, before=0):
    """{name of a field: its values}; links to frames are of a capture with so many packets before it."""
    values = {}
    for name, value in fields_in(layer):
        values.setdefault(name, []).append(str(int(value) - before) if name in frame_numbers() else value)
    return values


@functools.lru_cache(maxsize=None)
def messages(capture, *args, **among):
    """Each multiplayer message: its frame, and for each field the list of its values. Numbers of frames in texts are not those of
    the capture."""
    of = of_capture(capture, *args, **among)
    return [(frame, values_in(layer, of.before)) for frame, packet in enumerate(of.packets, 1)
            for name, layer in packet if name == "godot_mp"]


def received(capture, *args, **among):
    """messages() without the copies that ENet's receiver drops. The messages of a frame are those of its commands, in order."""
    copies = []
    for packet in of_capture(capture, *args, **among).packets:
        if "godot_mp" in dict(packet):
            commands = [command for name, layer in packet if name == "enet" for _, command in layer if isinstance(command, list)]
            for names in (dict(fields_in(command)).keys() for command in commands):
                if "enet.message.length" in names:
                    copies.append(not names.isdisjoint({"enet.analysis.resend_number", "enet.analysis.duplicate_of"}))
    found = messages(capture, *args, **among)
    return [message for message, copy in zip(found, copies, strict=True) if not copy] if copies else found


def first(values, name, otherwise=None):
    return values.get(name, [otherwise])[0]


def number(values, name):
    value = first(values, name)
    return None if value is None else int(value)


def same_value(ours, engine, of):
    """`engine` is the script's text. It printed an object that is sent as an id as "object 7"."""
    if engine.startswith("object "):
        return ours.startswith("Object(") or ours == "null" or re.findall(r"\d+", ours)[-1:] == re.findall(r"\d+", engine)[-1:]
    if engine.startswith("signal "):
        return all(part in ours for part in re.findall(r"signal (\S+) of object (-?\d+)", engine)[0])
    printed = engine_text(engine)
    if "{" in ours and (of == 4 or ours.endswith("…") or "{" in printed):
        return same_members(ours, printed)
    if ours.endswith("…"):
        return same_beginning(ours[:-1], printed, of)
    return same_text(ours, printed, of)


def same_arguments(ours, engine, of):
    # A single empty byte array is received as no argument (a bug of the engine); the bytes are the same.
    return len(ours) == len(engine) and all(same_value(*both, of) for both in zip(ours, engine))


every_capture = pytest.mark.parametrize("capture", CAPTURES)
every_call = pytest.mark.parametrize("capture", CALLS)
