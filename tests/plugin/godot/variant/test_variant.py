# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants inside other formats: the interface of godot.variant for dissectors in C and in Lua."""

import os
import shutil
from pathlib import Path

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.variant.variants import encode, floats, words
from plugin.godot.multiplayer import samples as multiplayer

BARE, IN_LINE, TOGETHER = 1, 2, 4
REST = b"\xaa\xbb\xcc\xdd\xee"

VECTOR3 = {2: 7, 3: 7, 4: 9}


def vector3(generation):
    return words(VECTOR3[generation]) + floats(1, 2, 3)


@pytest.fixture(scope="module")
def plugins(tmp_path_factory):
    """A plugin folder with this plugin and the calling dissector."""
    folder = tmp_path_factory.mktemp("plugins") / "plugins"
    shutil.copytree(os.environ["GAMEWIRE_PLUGIN_DIR"], folder)
    caller = Path(os.environ["GAMEWIRE_BUILD"]) / "tests" / "plugin" / "godot" / "variant" / "caller" / "gamewire-caller.so"
    for version in folder.glob("*/epan"):
        shutil.copy(caller, version)
    return tshark.readable(folder)


NAMES = ["caller.length", "caller.text", "caller.type", "caller.integer", "caller.generation", "caller.fault",
         "caller.rest", "godot.path", "godot.generation.reason", "godot.trailing", "_ws.expert.message",
         "_ws.col.Info", "_ws.col.Protocol"]


@pytest.fixture
def called(udp_capture, plugins):
    def call(*payloads, options=()):
        return tshark.fields(udp_capture(*map(tshark.request, payloads)), NAMES, *options, plugins=plugins)
    return call


def packet(generation, flags, *parts):
    return bytes([generation, flags]) + b"".join(parts)


# ---- for a dissector in C ---------------------------------------------------------------------------


@pytest.mark.parametrize("generation", [2, 3, 4])
def test_two_variants_in_the_middle_of_a_payload(called, generation):
    members = {"hp": 7, "at": [True]}
    first, second = encode(members, generation), vector3(generation)
    row, = called(packet(generation, 0, first, second, REST))
    assert row["caller.length"] == [str(len(first)), str(len(second))]
    vector = "Vector3(1, 2, 3)" if generation == 4 else "Vector3( 1, 2, 3 )"
    array = "[true]" if generation == 4 else "[ true ]"
    assert row["caller.text"] == ['{"hp": 7, "at": %s}' % array, vector]
    assert row["caller.generation"] == [str(generation)] * 2
    assert row["caller.fault"] == ["0", "0"]
    assert "".join(row["caller.rest"]).replace(":", "") == REST.hex()
    assert row["godot.path"] == ["args[0]", 'args[0]["hp"]', 'args[0]["at"]', 'args[0]["at"][0]', "args[1]"]
    assert row["godot.generation.reason"] == ["chosen by the calling dissector"] * 2
    assert (row["godot.trailing"], row["_ws.expert.message"]) == ([], [])
    assert (row["_ws.col.Info"], row["_ws.col.Protocol"]) == (["two Variants"], ["Caller"])


def test_the_result_has_the_value_and_the_item_of_the_root(udp_capture, plugins, called):
    payload = packet(4, 0, words(2, -5), words(1, 1))
    row, = called(payload)
    assert row["caller.integer"] == ["-5"]
    assert row["caller.type"] == ["2", "1"]
    shown = tshark.run(["-V"], udp_capture(tshark.request(payload)), plugins=plugins).stdout
    assert "First: -5 <- here" in shown
    assert "Second: true <- here" in shown


def test_items_go_right_into_the_tree_of_the_caller(udp_capture, plugins):
    payload = packet(3, IN_LINE, words(2, 7), encode("x"))
    shown = tshark.run(["-V"], udp_capture(tshark.request(payload)), plugins=plugins).stdout
    tree = shown[shown.index("Caller of Variants") :].splitlines()
    assert tree[1].startswith("    First: 7")
    assert "Godot Variant" not in shown


def test_a_typed_null_is_read_if_the_caller_permits_it(called):
    """As an argument of a Godot 4 call: only an object's header, followed by further data of the call."""
    payload = packet(4, BARE, words(2, 7), words(24), REST)
    row, = called(payload)
    assert row["caller.text"] == ["7", "null"]
    assert row["caller.length"] == ["8", "4"]
    assert row["caller.fault"] == ["0", "0"]


def test_a_fault_is_returned_and_includes_the_rest(called):
    row, = called(packet(4, 0, words(2, 7), words(99), REST))
    assert row["caller.fault"][0] == "0" != row["caller.fault"][1]
    assert row["caller.length"] == ["8", str(4 + len(REST))]
    assert row["caller.rest"] == []
    assert any("type" in message for message in row["_ws.expert.message"])


def test_the_evidence_of_all_variants_of_a_packet_is_combined(called):
    """Alone, six floats after an 11 are a Transform2D of Godot 4; the array after them has no such reading."""
    aabb, array = words(11) + floats(1, 2, 3, 4, 5, 6), encode([1, "two"], 3)
    row, = called(packet(0, TOGETHER, aabb, array, REST))
    assert row["caller.generation"] == ["3", "3"]
    assert row["caller.text"] == ["AABB( 1, 2, 3, 4, 5, 6 )", '[ 1, "two" ]']


def test_a_generation_found_in_a_packet_is_used_for_its_rest(called):
    array, aabb = encode([1, "two"], 3), words(11) + floats(1, 2, 3, 4, 5, 6)
    row, = called(packet(0, 0, array, aabb, REST))
    assert row["caller.generation"] == ["3", "3"]


def test_a_generation_proven_by_a_packet_is_used_for_its_conversation(called):
    aabb, array = words(11) + floats(1, 2, 3, 4, 5, 6), encode([1, "two"], 3)
    rows = called(packet(0, 0, aabb, aabb), packet(0, 0, array, array), packet(0, 0, aabb, aabb))
    assert [row["caller.generation"][0] for row in rows] == ["4", "3", "3"]
    rows = called(packet(0, 0, aabb, aabb), packet(0, 0, array, array), packet(0, 0, aabb, aabb), options=["-2"])
    assert [row["caller.generation"][0] for row in rows] == ["3", "3", "3"]


def test_an_offset_beyond_the_end_is_a_fault(called):
    row, = called(packet(4, 0, words(2, 7)))
    assert row["caller.length"] == ["8", "0"]
    assert row["caller.fault"][1] != "0"


# ---- for a dissector in Lua -------------------------------------------------------------------------

TAKE_TWO = """
local variant = Dissector.get("godot.variant")
-- Two Variants from the offset on; returns where they end.
local function take_two(buffer, offset, pinfo, tree, taken)
    for _ = 1, 2 do
        local length = variant:call(buffer(offset):tvb(), pinfo, tree)
        tree:add(taken, length)
        offset = offset + length
    end
    return offset
end
"""

CARRIER = TAKE_TWO + """
local carrier = Proto("carrier", "Carrier")
local rest = ProtoField.bytes("carrier.rest", "What is left to the carrier")
local taken = ProtoField.uint32("carrier.taken", "What the Variant took")
carrier.fields = {rest, taken}
function carrier.dissector(buffer, pinfo, tree)
    pinfo.cols.protocol = "Carrier"
    pinfo.cols.info = "carried"
    local offset = take_two(buffer, 3, pinfo, tree, taken)
    if offset < buffer:len() then
        tree:add(rest, buffer(offset))
    end
    return buffer:len()
end
DissectorTable.get("udp.port"):add(41001, carrier)
"""


@pytest.fixture
def carried(tmp_path, udp_capture):
    script = tmp_path / "carrier.lua"
    script.write_text(CARRIER, encoding="utf-8")
    names = ["carrier.taken", "carrier.rest", "godot.generation", "godot.trailing", "_ws.col.Info", "_ws.col.Protocol",
             "_ws.expert.message"]

    def carry(*payloads, prefs=None):
        capture = udp_capture(*map(tshark.request, payloads))
        return tshark.fields(capture, names, "-X", f"lua_script:{tshark.readable(script)}", prefs=prefs)
    return carry


@pytest.mark.parametrize("generation", [2, 3, 4])
def test_lua_reads_two_variants_and_the_bytes_after_them(carried, generation):
    first, second = encode({"a": [1]}, generation), encode("abc", generation)
    row, = carried(b"\x10\x20\x30" + first + second + REST)
    assert row["carrier.taken"] == [str(len(first)), str(len(second))]
    assert "".join(row["carrier.rest"]).replace(":", "") == REST.hex()
    assert row["godot.generation"] == [str(generation)] * 2
    assert (row["godot.trailing"], row["_ws.expert.message"]) == ([], [])
    assert (row["_ws.col.Info"], row["_ws.col.Protocol"]) == (["carried"], ["Carrier"])


def test_a_preference_is_the_generation_for_lua_as_well(carried):
    row, = carried(b"\0\0\0" + vector3(3) + words(0) + REST, prefs={"godot.generation": 3})
    assert row["godot.generation"] == ["3", "3"]
    assert row["carrier.taken"] == ["16", "4"]


# ---- in the middle of a message -----------------------------------------------------------------------

RAW_CARRIER = TAKE_TWO + """
local carrier = Proto("carrier", "Carrier")
local taken = ProtoField.uint32("caller.length", "What the Variant took")
carrier.fields = {taken}
function carrier.dissector(buffer, pinfo, tree)
    return 0
end
carrier:register_heuristic("godot.raw", function(buffer, pinfo, tree)
    if buffer:len() < 6 or buffer(0, 4):string() ~= "CALL" then
        return false
    end
    take_two(buffer, 6, pinfo, tree, taken)
    return true
end)
"""


def nested(depth, number):
    """Nested arrays, and a number in the innermost."""
    return words(28, 1) * depth + words(2, number)


def call(*arguments):
    """A call of method 5 on node 6."""
    return bytes.fromhex("000605") + bytes([len(arguments)]) + b"".join(arguments)


@pytest.mark.parametrize("depth", [1, 90, 150])
@pytest.mark.parametrize("who", ["c", "lua"])
def test_raw_bytes_of_a_game_may_contain_variants(udp_capture, plugins, tmp_path, who, depth):
    """Between two calls, and inside a message that the server relays: the state of these messages is preserved."""
    first, second = nested(depth, 21), nested(depth - 1, 22)
    own = b"\x03CALL" + packet(4, 0, first, second)
    relayed = bytes.fromhex("070302000000") + own
    messages = [call(nested(90, 1), nested(90, 2)), own, call(nested(90, 3)), relayed, call(nested(90, 4))]
    commands = [reliable(number, message) for number, message in enumerate(messages, 1)]
    script = tmp_path / "carrier.lua"
    script.write_text(RAW_CARRIER, encoding="utf-8")
    options = [*multiplayer.DECODE_AS, "-o", "godot_mp.generation:4"]
    caller = {"plugins": plugins} if who == "c" else {}
    if who == "lua":
        options += ["-X", f"lua_script:{tshark.readable(script)}"]
    capture = udp_capture(tshark.request(datagram(b"".join(commands))))
    names = ["godot.int", "caller.length", "godot.engine.too_deep", "godot.undecoded", "godot_mp.undecoded"]
    row, = tshark.fields(capture, names, *options, **caller)
    assert row["godot.int"] == ["1", "2", "21", "22", "3", "21", "22", "4"]
    assert row["caller.length"] == 2 * [str(len(first)), str(len(second))]
    assert (row["godot.undecoded"], row["godot_mp.undecoded"]) == ([], [])
