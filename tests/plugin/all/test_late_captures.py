# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of damaged messages, of hosts with different compression and of editors that begin at a quarter, the half or three
quarters: no frame is read as something else than in the whole capture.

What only the frames before prove is missing, and may be:
  - a protocol: a frame is read less deep, then as what carries it
  - names and paths: net ids and path ids are shown as numbers
  - the mark of a retransmission whose first transmission is not there
  - in a stream of packets, whether their bytes are Variants: then they are "Packet of … bytes"
"""

import functools
import re

import pytest

import gamewire_tshark as tshark

CAPTURES = sorted(path.relative_to(tshark.PCAPS).as_posix().removesuffix(".pcap") for pattern in (
    "godot/damaged/*.pcap", "godot/enet/*-compression-*.pcap", "enet/compression-*.pcap", "godot/debugger/*-editor*.pcap")
    for path in tshark.PCAPS.glob(pattern))

# The upgrade is before the beginning: without these, no frame is WebSocket.
AS_WEBSOCKET = {
    "godot/damaged/godot-4.6.3-damaged-spawn-websocket": ("-d", "tcp.port==40600,websocket"),
    "godot/damaged/godot-4.6.3-damaged-websocket": ("-d", "tcp.port==40700,websocket"),
    "godot/debugger/godot-4.6.3-editor-websocket": ("-d", "tcp.port==6007,websocket"),
}
OPTIONS = [(name, options) for name in CAPTURES for options in dict.fromkeys([(), AS_WEBSOCKET.get(name, ())])]
NAMES = ["frame.protocols", "_ws.col.Info", "_ws.expert.message"]


def seen(paths, *args):
    """For each path, the layers of each packet, its Info, and its expert infos; with one start of tshark."""
    found = {}
    for path, rows in tshark.fields_of_each(paths, NAMES, *args).items():
        texts = [["|".join(row[name]) for name in NAMES] for row in rows]
        found[path] = [([layer for layer in protocols.split(":") if layer != "http"], *others) for protocols, *others in texts]
    return found


@functools.lru_cache(maxsize=None)
def all_whole():
    return seen(tuple(tshark.PCAPS / f"{name}.pcap" for name in CAPTURES), "-2")


def whole(name):
    return all_whole()[tshark.PCAPS / f"{name}.pcap"]


def is_ours(layers):
    return bool(set(layers) & set(tshark.PROTOCOLS))


def is_the_same_text(late, info):
    """The same but for what the frames before would add, and the words of findings, which depend on them."""
    if "godot_stream" in info[0] and re.fullmatch(r"Packet of \d+ bytes", late):
        return True
    pattern = re.sub(r"\\#\d+( confirmed)?", named, re.escape(tshark.without_words(late)).replace(r"\ ", " "))
    return re.fullmatch(pattern, tshark.without_words(info[1])) is not None


def named(number):
    """The pattern of an id in Info, with the name, path or both that it may have in the whole capture."""
    return rf'("\w+" )?({number[0].split()[0]}|[\w/…]+)( [\w/…]+)?{number[1] or ""}'


def is_read_alike(late, first):
    (layers, info, experts), (all_layers, _, all_experts) = late, first
    if layers != all_layers:
        return layers == all_layers[: len(layers)]
    faults = ["the engine" in text for text in (experts, all_experts)]
    return faults[0] <= faults[1] and is_the_same_text(info, first)


def is_out_of_step(row):
    """A beginning within a WebSocket frame: Wireshark reads the data after it as frames. The engine sends no continuations."""
    return "WebSocket Continuation" in row[1]


# Each capture with two beginnings, of which one is read in two passes.
BEGINNINGS = [(*each, 1 + (number + len(passes)) % 3, passes) for number, each in enumerate(OPTIONS) for passes in ((), ("-2",))]


@functools.lru_cache(maxsize=None)
def all_late(options, passes):
    """{(name, quarter): the packets of a capture that begins there} of the beginnings with these options."""
    paths = {}
    for name, _, quarter, _ in (each for each in BEGINNINGS if (each[1], each[3]) == (options, passes)):
        path = tshark.scratch() / f"{name.replace('/', '-')}-{quarter}.pcap"
        paths[name, quarter] = tshark.cut_beginning(tshark.PCAPS / f"{name}.pcap", path, len(whole(name)) * quarter // 4 + 1)
    found = seen(tuple(paths.values()), *options, *passes)
    return {beginning: found[path] for beginning, path in paths.items()}


@pytest.mark.parametrize("name, options, quarter, passes", BEGINNINGS)
def test_a_late_beginning_shows_nothing_else(name, options, quarter, passes):
    skipped = len(whole(name)) * quarter // 4
    rows = all_late(options, passes)[name, quarter]
    read = [(number, late, first) for number, (late, first) in enumerate(zip(rows, whole(name)[skipped:], strict=True), skipped + 1)
            if is_ours(late[0]) and not is_out_of_step(late)]
    assert [row for row in read if not is_read_alike(*row[1:])] == []
    assert bool(read) == (options != () or name not in AS_WEBSOCKET)
