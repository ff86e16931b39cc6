# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z follow of the debugger, Variants, Leviathan and Squirrel: the messages of one stream of TCP or UDP, a line each, without repetitions.
Those of ENet and multiplayer are in their own folders."""

import re

import pytest

import gamewire_tshark as tshark


def followed(name, capture, stream, *passes):
    """The lines that tshark prints between the two lines of equal signs and below the ends, without those with a length."""
    lines = tshark.run([*passes, "-q", "-z", f"follow,{name},ascii,{stream}"], capture).stdout.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Node 1:")) + 1
    return [line.strip() for line in lines[first:-1] if line.strip() and not re.fullmatch(r"\s*\d+", line)]


def as_ascii(line):
    """4.0 has no other form for texts: what is not ASCII is a period for each byte."""
    return re.sub(r"[^ -~]", ".", line.encode().decode("latin-1")).strip()


PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])


@PASSES
@pytest.mark.parametrize("capture", ["godot-4.6.3-debugger", "godot-3.6-debugger"])
def test_the_debugger_is_a_log(capture, passes):
    path = tshark.PCAPS / "godot" / "debugger" / f"{capture}.pcap"
    packets = tshark.fields(path, ["tcp.stream", "godot_debugger.log"], "-2", "-Y", "godot_debugger")
    for stream in {packet["tcp.stream"][0] for packet in packets}:
        expected = [as_ascii(line) for packet in packets if packet["tcp.stream"] == [stream] for line in packet["godot_debugger.log"]]
        assert followed("godot_debugger", path, stream, *passes) == expected


def infos(path, name, text, *passes):
    """[(stream, Info)] of the packets with a filter, without prefixes such as [Retransmission] and a time at its end."""
    options = (*passes, "-Y", f"{name} && {text}")
    streams = (packet["udp.stream"][0] for packet in tshark.fields(path, ["udp.stream"], *options))
    return [(stream, as_ascii(re.sub(r"^(\[[\w ]+\] )+|\s+\([\d.]+ m?s\)$", "", info)))
            for stream, info in zip(streams, tshark.info_column(path, *options), strict=True)]


@PASSES
@pytest.mark.parametrize("name, capture, text", [
    ("leviathan", "leviathan/session", "leviathan.message && !leviathan.analysis.duplicate_of"),
    ("leviathan", "leviathan/two-clients", "leviathan.message && !leviathan.analysis.duplicate_of"),
    ("squirrel", "squirrel/session", "!squirrel.split.chunk && !squirrel.retransmission_of")])
def test_the_messages_of_a_stream_are_lines(name, capture, text, passes):
    path = tshark.PCAPS / f"{capture}.pcap"
    expected = infos(path, name, text, "-2")
    assert len(expected) > 10
    for stream in {stream for stream, _ in expected}:
        found = followed(name, path, stream, *passes)
        assert [line for number, line in expected if number == stream] == found


def check_lines(expected, found):
    """`expected`: texts of other outputs, which are cut after some length, and may lack the name of the type."""
    assert len(expected) == len(found) > 0
    for text, line in zip(expected, found, strict=True):
        assert as_ascii(text)[:100] in line


@PASSES
@pytest.mark.parametrize("capture", ["godot-4.6.3", "godot-4.6.3-game", "godot-3.6-game"])
def test_the_variants_of_a_stream_of_udp_are_lines(capture, passes):
    path = tshark.PCAPS / "godot" / "variant" / f"{capture}.pcap"
    expected = infos(path, "godot", "udp", *passes)
    for stream in {stream for stream, _ in expected}:
        check_lines([line for number, line in expected if number == stream], followed("godot", path, stream, *passes))


@PASSES
def test_variants_in_enet_are_lines(passes):
    path = tshark.PCAPS / "godot" / "enet" / "godot-4.6.3-enet-put-var.pcap"
    packets = tshark.fields(path, ["udp.stream", "godot.json"], *passes, "-Y", "godot")
    for stream in {packet["udp.stream"][0] for packet in packets}:
        messages = [message for packet in packets if packet["udp.stream"] == [stream] for message in packet["godot.json"]]
        assert len(followed("godot", path, stream, *passes)) == len(messages)


@PASSES
@pytest.mark.parametrize("capture", ["godot-4.6.3-stream", "godot-3.6-stream", "godot-4.6.3-packet-stream"])
def test_the_variants_of_a_stream_of_tcp_are_lines(capture, passes):
    path = tshark.PCAPS / "godot" / "stream" / f"{capture}.pcap"
    packets = tshark.fields(path, ["tcp.stream", "godot_stream.value"], "-2", "-Y", "godot_stream.value")
    for stream in {packet["tcp.stream"][0] for packet in packets}:
        values = [value for packet in packets if packet["tcp.stream"] == [stream] for value in packet["godot_stream.value"]]
        lines = followed("godot_stream", path, stream, *passes)
        check_lines(values, [line for line in lines if not re.match(r"Packet |\d+ unknown bytes?", line)])
