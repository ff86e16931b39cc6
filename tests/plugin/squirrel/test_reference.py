# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every Squirrel capture, value by value and byte range by byte range, against a decoder that is not ours.

Allowed differences:
  - packets that the reference calls bad (malformed on purpose) are not compared here, but in test_experts.py
  - floats are shown with the shortest digits that read back as the same float32
  - a string that holds control characters or is not UTF-8 is compared by its bytes, not by its text
  - of an expression that ends in an ellipsis only the values below it are compared
"""

import functools
import math
import struct
import xml.etree.ElementTree

import pytest

import gamewire_records
import gamewire_tshark as tshark
import squirrel_reference as reference

UDP = ("seed-examples", "every-value", "every-frame", "session", "split", "malformed")
RAKNET = ("raknet", "raknet-0.4.6", "raknet-malformed")
AS_SQUIRREL = ("-d", "udp.port==8192,squirrel")

FIELDS = {"o": "null", "i": "integer", "w": "integer", "f": "float", "b": "bool", "s": "string", "e": "error",
          "v": "vector", "q": "quaternion", "B": "blob", "a": "array", "A": "array", "t": "table", "T": "table", "c": "class",
          "script": "script", **dict.fromkeys(reference.COMMANDS, "command")}
VALUES = {"squirrel." + name for name in FIELDS.values()}


def path_of(name):
    return tshark.PCAPS / "squirrel" / f"{name}.pcap"


@functools.lru_cache(maxsize=None)
def records(name):
    return gamewire_records.read("squirrel", name)


@functools.lru_cache(maxsize=None)
def packets(name):
    args = AS_SQUIRREL if name == "seed-examples" else ()
    document = xml.etree.ElementTree.fromstring(tshark.run([*args, "-T", "pdml"], path_of(name)).stdout)
    return [[layer for layer in packet.iter() if layer.get("name") == "squirrel" and layer.get("pos")]
            for packet in document.iter("packet")]


# ---- contents of a packet --------------------------------------------------------------------------------


def script_data(name):
    """For each packet its script data: from the identifier on, or bare values."""
    raknet = reference.RakNet()
    for record in records(name):
        data = bytes.fromhex(record["hex"])
        if name not in RAKNET:
            yield record["from"], [(data, 0)]
            continue
        found = []
        for message in raknet.messages(record["from"], data):
            if message[6:9] == b"\xff\xff\x40" and int.from_bytes(message[1:5], "big") == len(message) - 5:
                found.append((message[5:], 5))
        yield record["from"], found


def decoded(data, name):
    """The frame, or bare values as a frame without a name; None if the reference rejects it."""
    try:
        if data[1:4] == b"\xff\xff\x40":
            return reference.decode_frame(data)
        if name == "seed-examples":
            return reference.Frame(None, None, None, (reference.decode_value(data),))
    except reference.Bad:
        pass
    return None


# ---- comparing -------------------------------------------------------------------------------------------


def shown(layer):
    """The values of a layer in the order of their first byte: field, offset, length, element. Without those of a
    reassembled frame in it."""
    for field in layer:
        name = field.get("name")
        if name == "squirrel.joined":
            continue
        if name in VALUES and int(field.get("size") or 0):
            yield name, int(field.get("pos")), int(field.get("size")), field
        yield from shown(field)


def is_plain(data):
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return all(character.isprintable() or character == " " for character in text)


def same_value(node, field):
    text = field.get("show")
    if node.tag in "iw":
        return int(text) == node.value
    if node.tag == "f":
        return same_float(text, node.value)
    if node.tag == "b":
        return text in (("1", "True") if node.value else ("0", "False"))
    if node.tag in "vq":
        components = [inner.get("show") for inner in field if inner.get("name").startswith(field.get("name") + ".")]
        return len(components) == len(node.value) and all(map(same_float, components, node.value))
    if node.tag in ("s", "e", "script"):
        return not is_plain(node.value) or text == node.value.decode()
    if node.tag == "B":
        return text.replace(":", "") == node.value.hex()
    if node.tag in reference.COMMANDS:
        return int(text) == ord(node.tag)
    return True


def same_float(text, number):
    value = float(text)
    if math.isnan(number):
        return math.isnan(value)
    return abs(value) < 3.5e38 and struct.pack("<f", value) == struct.pack("<f", number) or value == number


def check_values(nodes, layer, start, data, where):
    """`start`: the offset of `data` in the frame's bytes."""
    wanted = [node for root in nodes for node in reference.flat(root)]
    found = list(shown(layer))
    assert [(name, at, size) for name, at, size, _ in found] == [
        ("squirrel." + FIELDS[node.tag], start + node.start, node.end - node.start) for node in wanted], where
    for node, (_, _, size, field) in zip(wanted, found):
        assert same_value(node, field), (where, node, field.get("show"))
        if field.get("value") and len(field.get("value")) == 2 * size:
            assert field.get("value") == data[node.start:node.end].hex(), where


def check_head(frame, layer, where):
    heads = {field.get("name"): field.get("show") for field in layer}
    player = heads.get("squirrel.target_player") or heads.get("squirrel.sender_player")
    for have, value in ((heads.get("squirrel.token"), frame.token), (player, frame.player)):
        assert have == (None if value is None else str(value)), where


def check_expressions(nodes, layer, where):
    texts = [field.get("show") for field in layer if field.get("name") == "squirrel.expression"]
    nodes = [node for node in nodes if node.tag != "script"]
    assert len(texts) == len(nodes), where
    checked = 0
    for text, node in zip(texts, nodes):
        if text.endswith("…"):
            continue
        assert reference.agrees(reference.parse_source(text), reference.meaning(node)), (where, text)
        checked += 1
    return checked


def joined_layer(layer):
    return next((field for field in layer if field.get("name") == "squirrel.joined"), None)


def check_frame(frame, data, layer, start, where):
    check_head(frame, layer, where)
    check_values(frame.nodes, layer, start, data, where)
    return check_expressions(frame.nodes, layer, where)


def check_capture(name):
    streams, frames, expressions = reference.Streams(), 0, 0
    for number, ((sender, found), layers) in enumerate(zip(script_data(name), packets(name)), 1):
        good = [(decoded(data, name), data, offset) for data, offset in found]
        if any(frame is None for frame, _, _ in good) or (name in RAKNET and len(good) != len(layers)):
            continue
        assert len(layers) == len(good), number
        for (frame, data, offset), layer in zip(good, layers):
            where = f"{name}, packet {number}"
            expressions += check_frame(frame, data, layer, int(layer.get("pos")) + offset, where)
            frames += 1
            whole = streams.add(sender, frame.chunk) if frame.chunk else None
            joined = joined_layer(layer)
            assert (joined is None) == (whole is None), where
            inner = decoded(whole, name) if whole else None
            if inner:
                expressions += check_frame(inner, whole, joined, 0, where)
                frames += 1
    return frames, expressions


# The number of frames and expressions that are compared; a lower number would mean that the comparison missed some.
LEAST = {"seed-examples": (50, 50), "every-value": (250, 240), "every-frame": (24, 16), "session": (64, 60),
         "split": (56, 8), "malformed": (20, 15), "raknet": (32, 22), "raknet-0.4.6": (5, 5), "raknet-malformed": (2, 2)}


@pytest.mark.parametrize("name", UDP + RAKNET)
def test_each_value_and_byte_range_is_that_of_the_reference(name):
    frames, expressions = check_capture(name)
    print(f"{name}: {frames} frames, {expressions} expressions")
    assert frames >= LEAST[name][0] and expressions >= LEAST[name][1]


# ---- the reference itself --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["class {x = 1, y = null}", "Vector(1, 2", '{["a" = 1}', "--1", "{if = 1}", '"open',
                                  "1 +", "[1 2]", "{a = 1; b = 2}"])
def test_source_that_does_not_compile_is_rejected(text):
    with pytest.raises((reference.Bad, IndexError, KeyError)):
        reference.parse_source(text)


def test_minus_zero_is_printed_with_a_point():
    meant = reference.meaning(reference.Node("v", 0, 13, (-0.0, 0.0, 1.0)))
    assert reference.agrees(reference.parse_source("Vector(-0.0, 0, 1)"), meant)
    assert not reference.agrees(reference.parse_source("Vector(-0, 0, 1)"), meant)
