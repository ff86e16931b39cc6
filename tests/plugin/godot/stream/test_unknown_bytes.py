# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A stream of Variants that continues with other bytes: TCP collects few segments of them, and each byte is shown once.

Wireshark walks through all segments that it has collected whenever one is added: the time taken grows with the square
of their number.
"""

import pytest

import gamewire_tshark as tshark
from plugin.godot.debugger.samples import DEBUGGER, SOUND
from plugin.godot.stream.samples import DOCUMENT, STREAM, framed

# 256, and those of a length and the first word of a value.
MOST_SEGMENTS = 270
TEXT = b"These bytes have no length in front. "


def unknown(length):
    return (TEXT * (length // len(TEXT) + 1))[:length]


def tiny(data):
    return [data[i : i + 1] for i in range(len(data))]


def shown(capture, *args):
    """The unknown bytes of each frame that shows some, and how many segments the longest reassembly has."""
    rows = tshark.fields(capture, ["frame.number", "godot_stream.other", "tcp.segment.count"], *args)
    bytes_shown = [(row["frame.number"][0], bytes.fromhex(value.replace(":", "")))
                   for row in rows for value in row["godot_stream.other"]]
    return bytes_shown, max((int(count) for row in rows for count in row["tcp.segment.count"]), default=0)


@pytest.fixture(params=["stream", "debugger"])
def carrier(request):
    return {"stream": (framed(DOCUMENT), STREAM), "debugger": (SOUND, DEBUGGER)}[request.param]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_few_segments_are_collected(carrier, passes, tmp_path):
    first, options = carrier
    data = unknown(2000)
    capture = tshark.write_tcp(tmp_path / "tiny.pcap", [first, *tiny(data)])
    pieces, segments = shown(capture, *options, *passes)
    together = b"".join(piece for _, piece in pieces)
    assert 0 < segments <= MOST_SEGMENTS
    assert together == data[: len(together)] and len(together) >= 2000 - MOST_SEGMENTS


def test_a_known_stream_collects_as_few_segments(tmp_path):
    data = unknown(2000)
    capture = tshark.write_tcp(tmp_path / "found.pcap", [framed(DOCUMENT), framed(DOCUMENT), *tiny(data)])
    pieces, segments = shown(capture)
    assert 0 < segments <= MOST_SEGMENTS and sum(len(piece) for _, piece in pieces) >= 2000 - MOST_SEGMENTS


def test_both_passes_show_the_same_pieces(carrier, tmp_path):
    first, options = carrier
    capture = tshark.write_tcp(tmp_path / "tiny.pcap", [first, *tiny(unknown(1500)), first])
    assert shown(capture, *options) == shown(capture, *options, "-2")


@pytest.mark.parametrize("length", [200, 700])
def test_a_message_after_them_is_found(length, tmp_path):
    capture = tshark.write_tcp(tmp_path / "after.pcap",
                               [framed(DOCUMENT), *tiny(unknown(length)), framed(DOCUMENT), framed(DOCUMENT)])
    values = [value for row in tshark.fields(capture, ["godot_stream.value"], *STREAM)
              for value in row["godot_stream.value"]]
    assert values == ['{"cmd": "join", "name": "Ann", "id": 7}'] * 3


def test_a_message_in_tiny_segments_is_complete(tmp_path):
    """Its length is known: however many segments it takes."""
    text = "x" * 1000
    message = framed((4).to_bytes(4, "little") + len(text).to_bytes(4, "little") + text.encode())
    capture = tshark.write_tcp(tmp_path / "whole.pcap", [framed(DOCUMENT), *tiny(message)])
    (value,) = [value for row in tshark.fields(capture, ["godot.string"], *STREAM) for value in row["godot.string"]
                if value.startswith("xxx")]
    assert value == text


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_after_64_kib_no_byte_is_shown_twice(passes, tmp_path):
    data = unknown(0x10000 + 100)
    pieces = [data[i : i + 1000] for i in range(0, 65000, 1000)] + tiny(data[65000:])
    capture = tshark.write_tcp(tmp_path / "window.pcap", [framed(DOCUMENT), *pieces, framed(DOCUMENT)])
    found, _ = shown(capture, *STREAM, *passes)
    assert b"".join(piece for _, piece in found) == data
