# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pack nakama, on a capture of three players whose calls go through the addon's NakamaMultiplayerBridge, run with Godot 4.6.3 and a
small server (tests/captures/godot/nakama.sh). The record has each call that a player received."""

import json
import random
import re
from collections import Counter

import gamewire_tshark as tshark
from plugin.packs.packs import capture, check_failing, needs_lua, pack, record

pytestmark = needs_lua

NAME = "nakama-3.4"
METHODS = ("-o", 'uat:godot_rpc_names:"main","fire,move,say","e21bd46eb21d9db743a1c54b438f410a"')
OPTIONS = (*METHODS, *pack("nakama"))
FIELDS = ["godot_mp.rpc.method", "godot_mp.source", "godot_mp.target", "godot_mp.rpc.argument", "nakama.sender"]


def plain(text):
    """A value as in the record: texts of Godot's var_to_str are Godot literals."""
    return json.loads(text) if text[0] in '{"' else text.replace(" ", "")


def call(method, sender, receiver, arguments):
    return json.dumps([method, int(sender), int(receiver), [plain(one) for one in arguments]], sort_keys=True)


def recorded_calls():
    found = Counter()
    for line in record(NAME):
        if line["method"] == "say":
            line["arguments"] = [json.dumps(line["arguments"][0])]
        if line["method"] != "joined":
            found[call(line["method"], line["sender"], line["receiver"], [str(one).replace(".0", "") for one in line["arguments"]])] += 1
    return found


def captured_calls(message):
    return Counter(call(packet["godot_mp.rpc.method"][0], packet["godot_mp.source"][0], packet["godot_mp.target"][0], packet["godot_mp.rpc.argument"])
                   for packet in tshark.fields(capture(NAME), FIELDS, *OPTIONS, "-2", "-Y", f'godot_mp.rpc.method && nakama.message == "{message}"'))


def test_each_call_has_the_ids_and_arguments_that_the_receiver_printed():
    found = captured_calls("match_data")
    assert found == recorded_calls()
    assert found.total() > 80
    # A call to all is once on its sender's connection, with one of its receivers.
    assert set(captured_calls("match_data_send")) <= set(found)


def test_players_have_their_names():
    names = {line["receiver"]: line["arguments"][0] for line in record(NAME) if line["method"] == "joined"}
    assert sorted(names.values()) == ["anna", "ben", "clara"]
    packets = tshark.fields(capture(NAME), [*FIELDS, "godot_mp.from", "godot_mp.to"], *OPTIONS, "-2", "-Y", "godot_mp.rpc.method")
    for packet in packets:
        name = names[int(packet["godot_mp.source"][0])]
        assert packet["nakama.sender"] == [name] == packet["godot_mp.from"], packet
        assert packet["godot_mp.to"] == [names[int(packet["godot_mp.target"][0])]], packet
    lines = tshark.info_column(capture(NAME), *OPTIONS, "-Y", 'nakama && godot_mp.rpc.method == "say"')
    assert 'ben to anna: RPC say("hello 1 from ben") on Main' in lines


def test_every_message_of_the_match_is_read_without_a_note():
    texts = tshark.fields(capture(NAME), ["frame.number"], "-Y", "websocket.opcode == 1")
    packets = tshark.fields(capture(NAME), ["nakama.message", "nakama.form.unknown", "nakama.peer.unseen", "_ws.lua.error", "_ws.malformed"],
                            *OPTIONS, "-2", "-Y", "nakama")
    # The answers to match_leave have the number of the request alone.
    assert len(packets) == len(texts) - 3 > 200
    assert not [packet for packet in packets if any(packet[name] for name in packet if name != "nakama.message")]
    assert {packet["nakama.message"][0] for packet in packets} == {
        "match", "match_create", "match_data", "match_data_send", "match_leave", "match_presence_event"}


def changed(path, *pairs):
    """The capture with other bytes of the same length in what the server sends, which is not masked."""
    raw = capture(NAME).read_bytes()
    for before, after in pairs:
        assert len(before) == len(after) and before in raw
        raw = raw.replace(before, after)
    path.write_bytes(raw)
    return path


def test_other_forms_are_bytes_with_a_note(tmp_path):
    # {"type":0} becomes {"type":7}; a text is no Base64.
    path = changed(tmp_path / "other.pcap", (b"eyJ0eXBlIjowfQ==", b"eyJ0eXBlIjo3fQ=="), (b'"9002", "data": "A', b'"9002", "data": "!'))
    packets = tshark.fields(path, ["nakama.op_code", "nakama.data"], *OPTIONS, "-Y", "nakama.form.unknown")
    assert {packet["nakama.op_code"][0] for packet in packets} == {"9001", "9002"}
    assert all(packet["nakama.data"] for packet in packets)


def test_players_whose_id_is_not_in_the_capture_have_a_note():
    packets = tshark.fields(capture(NAME), ["nakama.peer.unseen", "godot_mp.rpc.method"], *OPTIONS, "-o", "nakama.meta:9004", "-Y", "godot_mp")
    assert len(packets) > 150 and all(packet["nakama.peer.unseen"] for packet in packets)


def test_texts_of_others_are_left_alone(tmp_path):
    path = changed(tmp_path / "others.pcap", (b'"match_id"', b'"match_ix"'))
    assert not tshark.fields(path, ["frame.number"], *OPTIONS, "-Y", 'nakama && tcp.srcport == 46150')
    path = changed(tmp_path / "others.pcap", (b'{"match_data": {', b'{"march_data": {'))
    assert not tshark.fields(path, ["frame.number"], *OPTIONS, "-Y", 'nakama.message == "match_data"')


def test_a_pack_that_is_off_changes_nothing():
    off = tshark.run(["-V", *METHODS, *pack("nakama"), "--disable-protocol", "nakama"], capture(NAME)).stdout
    is_same_output = off == tshark.run(["-V", *METHODS], capture(NAME)).stdout
    assert is_same_output


def test_a_pack_that_fails_says_so_once_and_leaves_the_bytes(tmp_path):
    check_failing(tmp_path, "nakama", capture(NAME))


def test_damaged_texts_give_no_error(tmp_path):
    """Bytes of the server's texts are replaced, their lengths stay."""
    choice = random.Random(3)
    original = capture(NAME).read_bytes()
    places = [match.span() for match in re.finditer(rb'\{"(?:match_|cid)[ -~]{40,}', original)]
    assert len(places) > 100
    path = tmp_path / "damaged.pcap"
    for _ in range(8):
        raw = bytearray(original)
        for start, stop in places:
            for _ in range(choice.randint(1, 6)):
                raw[choice.randrange(start + 20, stop)] = choice.choice(b'\\"{}[]:,0u-. \x00\xff')
        path.write_bytes(raw)
        done = tshark.run(["-V", *OPTIONS], path)
        assert "Lua Error" not in done.stdout and "has an error" not in done.stderr
