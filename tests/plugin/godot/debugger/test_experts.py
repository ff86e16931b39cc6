# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each expert info of the debugger is raised by messages."""

import pytest

import gamewire_tshark as tshark
from plugin.godot.debugger.samples import DEBUGGER, DEBUGGER_MESSAGES, ENDS, RESOURCE, SOUND
from plugin.godot.stream.samples import ALONE, raised, write_named

# Further expert infos of the same message.
BESIDE = {"value.unusual": {"values.missing"}, "count.invalid": {"value.alone"}}


@pytest.mark.parametrize("name", DEBUGGER_MESSAGES)
def test_each_message_of_the_debugger_raises_its_expert_info(name, tmp_path):
    capture = tshark.write_tcp(tmp_path / "debugger.pcap", DEBUGGER_MESSAGES[name])
    found = raised(capture, "godot_debugger", *DEBUGGER, *ALONE)
    assert found[-1] == {name} | BESIDE.get(name, set())
    assert not any(found[:-1])


def test_a_fault_has_its_offset_and_what_the_receiver_does(tmp_path):
    capture = tshark.write_tcp(tmp_path / "debugger.pcap", [SOUND + DEBUGGER_MESSAGES["message.invalid"][-1]])
    [packet] = tshark.fields(capture, ["_ws.expert.message"], *DEBUGGER)
    assert packet["_ws.expert.message"] == [
        f"No message of the debugger begins here at offset {len(SOUND)}; the engine reports an error, and ignores it "
        "or ends the session"]


def test_a_message_in_the_next_segment_is_not_in_an_ip_fragment(tmp_path):
    capture = tshark.write_tcp(tmp_path / "debugger.pcap", [SOUND[:20]])
    [packet] = tshark.fields(capture, ["_ws.expert.message"], *DEBUGGER, *ALONE)
    assert packet["_ws.expert.message"] == ["The rest, from offset 0, is in another segment"]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_bytes_that_are_shown_again_with_the_message_after_them_raise_their_expert_info_again(passes, tmp_path):
    """The message begins in the segment of those bytes, and ends two segments later: TCP passes all of them again."""
    other = b"These bytes have no length in front."
    second, third = len(other) + 20, len(other) + 45
    data = other + RESOURCE
    segments = [SOUND, data[:second], data[second:third], data[third:]]
    capture = tshark.write_tcp(tmp_path / "again.pcap", segments)
    names = ["godot_stream.other", "godot_debugger.message.invalid", "godot_debugger.message"]
    *_, last = tshark.fields(capture, names, *DEBUGGER, *passes)
    assert [len(found) for found in last.values()] == [1, 1, 1]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_bytes_in_two_segments_are_shown_before_the_message_that_begins_in_the_second(passes, tmp_path):
    """On the second pass, TCP passes only these bytes: the message is in a reassembly of its own."""
    other = b"These bytes have no length in front."
    segments = [SOUND, other[:20], other[20:] + RESOURCE[:33], RESOURCE[33:], SOUND]
    capture = tshark.write_tcp(tmp_path / "two.pcap", segments)
    names = ["godot_stream.other", "godot_debugger.message.invalid", "godot_debugger.message"]
    _, _, third, fourth, _ = tshark.fields(capture, names, *DEBUGGER, *passes)
    assert [len(found) for found in third.values()] == [1, 1, 0]
    assert bytes.fromhex(third["godot_stream.other"][0].replace(":", "")) == other
    assert [len(found) for found in fourth.values()] == [0, 0, 1]


def test_resources_are_listed_with_their_size(tmp_path):
    capture = tshark.write_tcp(tmp_path / "debugger.pcap", [RESOURCE])
    names = [f"godot_debugger.{name}" for name in ("resource", "path", "class", "format", "bytes")]
    [packet] = tshark.fields(capture, names, *DEBUGGER)
    assert [packet[name] for name in names[1:]] == [["res://a.png"], ["Texture"], ["RGBA8"], ["4096"]]
    assert len(packet["godot_debugger.resource"]) == 1


@pytest.mark.parametrize("name", ENDS)
def test_a_message_of_a_stream_that_ends_has_an_expert_info(name, tmp_path):
    assert raised(write_named(tmp_path / "end.pcap", ("godot_debugger", ENDS[name])), "godot_debugger") == [{name}]
