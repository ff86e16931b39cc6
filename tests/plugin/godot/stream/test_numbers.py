# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers of the game's own between Variants, which are plausible lengths; and long Variants, which hold others."""

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.variants import encode, words
from plugin.godot.stream.samples import STREAM, framed

SMALL = framed(encode({"a": 0}))
NUMBER = words(200_000)
TEXT = '{"a": 0}'

# The segments, and the frames that show Variants, with their lines.
NUMBERS = {
    "in the first message's segment": ([NUMBER + SMALL, SMALL, SMALL],
                                       {1: f"4 unknown bytes; {TEXT}", 2: TEXT, 3: TEXT}),
    "in a segment of its own": ([NUMBER, SMALL, SMALL], {2: f"4 unknown bytes; {TEXT}", 3: TEXT}),
    "and lengths in segments of their own": ([NUMBER, SMALL[:4], SMALL[4:], SMALL[:4], SMALL[4:]],
                                             {3: f"4 unknown bytes; {TEXT}", 5: TEXT}),
    "before a message in two segments": ([NUMBER + SMALL[:20], SMALL[20:], SMALL],
                                         {2: f"4 unknown bytes; {TEXT}", 3: TEXT}),
    "before each message": ([NUMBER + SMALL] * 3, dict.fromkeys((1, 2, 3), f"4 unknown bytes; {TEXT}")),
}


def lines(segments, tmp_path, *args):
    """The Info column of each frame that shows something of the stream."""
    capture = tshark.write_tcp(tmp_path / "stream.pcap", segments)
    rows = tshark.fields(capture, ["frame.number", "_ws.col.Info"], "-Y", "godot_stream", *STREAM, *args)
    return {int(row["frame.number"][0]): row["_ws.col.Info"][0] for row in rows}


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_not_a_length(name, passes, tmp_path):
    segments, expected = NUMBERS[name]
    assert lines(segments, tmp_path, *passes) == expected


# Variants without evidence, some of which hold messages.
RECORDED = SMALL * 400
LONG = {
    "bytes of a recorded stream": words(29, len(RECORDED)) + RECORDED,
    "ints, which are messages too": words(28, 2000) + words(2, 8, 2, 7) * 1000,
    "nested arrays of ints": words(28, 300) + (words(28, 3) + words(2, 8, 2, 28, 2, 7)) * 300,
    "texts with control characters": words(28, 500) + words(4, 4, 0x07616263, 2, 28) * 250,
}


@pytest.mark.parametrize("size", [50, 1400])
@pytest.mark.parametrize("name", LONG)
def test_a_long_variant_is_complete(name, size, tmp_path):
    data = framed(LONG[name])
    segments = [data[i : i + size] for i in range(0, len(data), size)]
    capture = tshark.write_tcp(tmp_path / "long.pcap", [*segments, SMALL])
    rows = tshark.fields(capture, ["frame.number", "godot_stream.length", "godot_stream.other"],
                         "-Y", "godot_stream", *STREAM)
    shown = [(int(row["frame.number"][0]), row["godot_stream.length"], row["godot_stream.other"]) for row in rows]
    assert shown == [(len(segments), [str(len(data) - 4)], []), (len(segments) + 1, ["28"], [])]
