# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each expert info of streams of Variants has a stream that raises it."""

import pytest

import gamewire_tshark as tshark
from plugin.godot.stream.samples import ALONE, DOCUMENT, ENDS, STREAM, STREAMS, framed, raised, write_named


@pytest.mark.parametrize("name", STREAMS)
def test_each_message_of_a_stream_raises_its_expert_info(name, tmp_path):
    capture = tshark.write_tcp(tmp_path / "stream.pcap", [STREAMS[name]])
    assert raised(capture, "godot_stream", *STREAM, *ALONE) == [{name}]


@pytest.mark.parametrize("packet, text", [(b"hello", ["hello"]), (b"hel\x01o", []), (b"hell\xff", [])])
def test_a_packet_that_is_not_a_variant_has_a_text_if_it_is_one(packet, text, tmp_path):
    stream = framed(DOCUMENT) + framed(packet) + framed(DOCUMENT)
    found, = tshark.fields(tshark.write_tcp(tmp_path / "packet.pcap", [stream]), ["godot_stream.data", "godot_stream.text"], *STREAM)
    assert found == {"godot_stream.data": [packet.hex()], "godot_stream.text": text}


def test_the_line_of_a_long_packet_is_cut_at_a_character(tmp_path):
    """A line with a part of a character is not valid UTF-8, nor is tshark's output."""
    stream = framed(DOCUMENT) + framed(("a" + "é" * 150).encode()) + framed(DOCUMENT)
    line, = tshark.info_column(tshark.write_tcp(tmp_path / "packet.pcap", [stream]), *STREAM)
    assert 'Packet "aéé' in line and 'é…"' in line


@pytest.mark.parametrize("name", ENDS)
def test_a_stream_that_ends_has_an_expert_info(name, tmp_path):
    assert raised(write_named(tmp_path / "end.pcap", ("godot_stream", ENDS[name])), "godot_stream") == [{name}]
