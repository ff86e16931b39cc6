# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Long messages in small segments: TCP calls the dissector few times, because each call reads the message from its
start."""

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.variants import encode, words
from plugin.godot.debugger.samples import SOUND, array, message_3, message_4
from plugin.godot.stream.samples import framed

SEGMENT = 200

# Each call adds an item with the number of calls up to then.
COUNTER = """
local counter = Proto("counter", "Counter")
counter.fields.calls = ProtoField.uint32("counter.calls")
local calls = 0
function counter.dissector(buffer, pinfo, tree)
    calls = calls + 1
    tree:add(counter.fields.calls, calls)
    pinfo.can_desegment = 2 -- lowered for each dissector: the next one may request segments too
    return Dissector.get("godot_debugger"):call(buffer, pinfo, tree)
end
DissectorTable.get("tcp.port"):add(41001, counter)
"""

VALUES = 30_000
LONG = {
    "Godot 3, 30,000 Variants": (message_3("output", VALUES) + framed(encode(7, 3)) * VALUES, "output"),
    "Godot 4, one Array": (message_4("output", array(*[encode("a")] * VALUES), array(*[encode(0)] * VALUES)), "output"),
}


def calls_and_names(segments, tmp_path):
    script = tmp_path / "counter.lua"
    script.write_text(COUNTER, encoding="utf-8")
    capture = tshark.write_tcp(tmp_path / "segments.pcap", segments)
    rows = tshark.fields(capture, ["counter.calls", "godot_debugger.message"],
                         "-X", f"lua_script:{tshark.readable(script)}")
    return (max(int(value) for row in rows for value in row["counter.calls"]),
            [value for row in rows for value in row["godot_debugger.message"]])


@pytest.mark.parametrize("name", LONG)
def test_the_dissector_is_called_a_few_times(name, tmp_path):
    data, text = LONG[name]
    segments = [data[i : i + SEGMENT] for i in range(0, len(data), SEGMENT)]
    calls, names = calls_and_names(segments, tmp_path)
    assert names == [text]
    # One per segment up to 4096 bytes, then one each time the least number of missing bytes has arrived.
    assert calls < 50 < len(segments) / 10


def test_bytes_before_a_truncated_message_are_passed_again_once_per_segment(tmp_path):
    """Each 24 bytes begin an Array of 32,512 bytes that has an error, and a Variant follows."""
    data = (words(0x7F00, 28, 0xF00) + framed(words(2, 7))) * 2500
    calls, _ = calls_and_names([data] * 4, tmp_path)
    assert calls <= 12


def test_the_rest_of_a_message_after_a_missing_segment_is_not_an_error(tmp_path):
    """Before the missing segment a message was read to its end, so that the next segment seems to begin with another."""
    output = message_4("output", array(*[encode("text")] * 40), array(*[encode(0)] * 40))
    segments = [SOUND, output[:500], output[500:], SOUND]
    whole = tshark.write_tcp(tmp_path / "whole.pcap", segments, port=6007)
    names = ["godot_debugger.message", "godot_debugger.message.invalid"]
    for passes in ((), ("-2",)):
        found = tshark.fields(tshark.cut_out(whole, tmp_path / "cut.pcap", 2, 2), names, *passes)
        assert [value for packet in found for value in packet[names[0]]] == ["set_pid", "set_pid"]
        assert not any(packet[names[1]] for packet in found)
