# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings that are written here, as plugin/docs/recording.md describes them: by its example, and with what no recorder writes."""

import hashlib
import importlib.util
import json
import struct

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.godot.multiplayer.captures import same_arguments
from plugin.tools import programs

EXAMPLE = tshark.SOURCE / "plugin" / "docs" / "examples" / "record.py"
spec = importlib.util.spec_from_file_location("record", EXAMPLE)
record = importlib.util.module_from_spec(spec)
spec.loader.exec_module(record)

CLIENT = 731808890
METHODS = ["greet", "take_damage"]
CHECKSUM = hashlib.md5("".join(METHODS).encode()).hexdigest()
DEFINE = b"\x01" + CHECKSUM.encode() + b"\0" + struct.pack("<I", 1) + b"Main\0"
# greet(5) of path 1
CALL = bytes.fromhex("00 01 00 01 02 05")
RECEIVED, FRAMES, HANDLER = 1, 2, 4


def write(path, *blocks):
    path.write_bytes(record.begin() + b"".join(blocks))
    return path


def packet(name, data, when=0, sender=1, receiver=CLIENT):
    """An exported PDU at a time in microseconds."""
    hosts = [bytes.fromhex("20010db8") + bytes(8) + struct.pack(">I", peer) for peer in (sender, receiver)]
    tags = [(12, name + b"\0" * (-len(name) % 4)), (22, hosts[0]), (23, hosts[1]), (24, b"\0\0\0\3"), (25, b"\0\0\0\1"), (26, b"\0\0\0\1"), (0, b"")]
    body = b"".join(struct.pack(">HH", tag, len(value)) + value for tag, value in tags) + data
    return record.block(6, struct.pack("<IIIII", 0, when >> 32, when & 0xFFFFFFFF, len(body), len(body)) + body)


def message(data, when=0, sender=1, receiver=CLIENT, flags=0, ordinal=0, lost=0, frame=0, tick=0, handler=0, mode=2, channel=0, connection=0,
            transport=1, generation=4, more=b""):
    header = struct.pack("<BBBBHBBIiiIIIII", 2, 40 + len(more), transport, generation, flags, mode, channel, connection, sender, receiver,
                         ordinal, lost, frame, tick, handler)
    return packet(b"godot_mp.exported", header + more + data, when, sender, receiver)


def entry(kind, *texts):
    content = b"".join(struct.pack("<H", len(text)) + text for text in (text if isinstance(text, bytes) else text.encode() for text in texts))
    return struct.pack("<BH", kind, len(content)) + content


def names(*entries, version=1):
    return packet(b"godot_mp.names", bytes([version]) + b"".join(entries))


def info(path, *options):
    return [one["_ws.col.Info"][0] for one in tshark.fields(path, ["_ws.col.Info"], *options)]


# ---- messages ----------------------------------------------------------------------------------------------------


def test_the_example_writes_a_recording(tmp_path):
    path = write(tmp_path / "example.pcapng", record.message(1, CLIENT, DEFINE), record.message(CLIENT, 1, CALL, received=True))
    assert info(path) == ["Path #1 = Main", "RPC method 0(5) on #1"]
    packets = tshark.fields(path, ["godot_mp.source", "godot_mp.target", "godot_mp.recorded.mode", "godot_mp.recorded.received",
                                   "godot_mp.recorded.ordinal"])
    assert packets == [{"godot_mp.source": [sender], "godot_mp.target": [receiver], "godot_mp.recorded.mode": ["2"],
                        "godot_mp.recorded.received": [received], "godot_mp.recorded.ordinal": []}
                       for sender, receiver, received in (("1", str(CLIENT), "0"), (str(CLIENT), "1", "1"))]


def test_the_example_of_the_page_has_twenty_lines_of_code():
    text = EXAMPLE.read_text(encoding="utf-8").partition('"""')[2].partition('"""')[2]
    assert sum(bool(line.strip()) for line in text.splitlines()) <= 20


def test_every_member_of_the_header_is_shown(tmp_path):
    path = write(tmp_path / "one.pcapng", message(CALL, flags=RECEIVED | FRAMES | HANDLER, ordinal=9, frame=100, tick=50, handler=1500,
                                                  mode=1, channel=3, connection=2, transport=3))
    expected = {"header_length": "40", "received": "1", "mode": "1", "channel": "3", "connection": "2", "from": "1", "to": str(CLIENT),
                "ordinal": "9", "process_frame": "100", "physics_tick": "50", "handler_time": "0.001500000", "lost": None}
    (found,) = tshark.fields(path, [f"godot_mp.recorded.{name}" for name in expected] + ["godot_mp.exported.transport"])
    assert found.pop("godot_mp.exported.transport") == ["3"]
    assert found == {f"godot_mp.recorded.{name}": [value] if value else [] for name, value in expected.items()}


def test_a_longer_header_of_a_later_recorder_is_skipped(tmp_path):
    path = write(tmp_path / "longer.pcapng", message(DEFINE, more=b"\xff" * 7))
    assert info(path) == ["Path #1 = Main"]


@pytest.mark.parametrize("header", [b"\x02", b"\x02\x14" + bytes(18), b"\x02\x13" + bytes(60), b"\x02\xff" + bytes(80)],
                         ids=["one byte", "no message", "too short", "longer than the packet"])
def test_a_header_that_cannot_be_read_is_left_as_data(header, tmp_path):
    (found,) = tshark.json_packets(write(tmp_path / "other.pcapng", packet(b"godot_mp.exported", header)))
    assert not found


def test_messages_that_are_left_out_a_handler_without_end_and_a_long_one_are_reported(tmp_path):
    path = write(tmp_path / "odd.pcapng", message(CALL, flags=RECEIVED | HANDLER, lost=3), message(CALL, 1, flags=RECEIVED | HANDLER, handler=0xFFFFFFFF),
                 message(CALL, 2, flags=RECEIVED | HANDLER, handler=180000), message(CALL, 3, flags=RECEIVED | HANDLER, handler=16667))
    found = tshark.fields(path, ["godot_mp.recorded.missing", "godot_mp.recorded.handler_time.missing", "godot_mp.recorded.handler_time.too_long",
                                 "godot_mp.recorded.lost"])
    assert [[bool(values) for values in one.values()] for one in found] == [
        [True, False, False, True], [False, True, False, False], [False, False, True, False], [False, False, False, False]]
    text = tshark.verbose(path)
    assert "3 messages before this one were left out of the recording: its reader was too slow, or came too late" in text
    assert "The game handled this message for 180.0 ms; a frame at 60 per second has 16.7 ms" in text


@pytest.mark.parametrize("sender, receiver", [(0, 0), (1, 1), (-5, 7), (2**31 - 1, 2)])
def test_ids_that_no_peer_has_are_no_ends(sender, receiver, tmp_path):
    header = struct.pack("<BBBBHBBIii", 2, 20, 1, 4, 0, 2, 0, 0, sender, receiver)
    path = write(tmp_path / "ids.pcapng", packet(b"godot_mp.exported", header + CALL))
    (found,) = tshark.fields(path, ["godot_mp.source", "godot_mp.recorded.from"])
    assert found == {"godot_mp.source": [str(sender)] if sender > 1 else [], "godot_mp.recorded.from": [str(sender)]}


# ---- recordings of both ends ---------------------------------------------------------------------------------------

PAIR = ["godot_mp.recorded.other_in", "godot_mp.recorded.way_time", "godot_mp.exported.repeated"]


def paired(path):
    return [[(values or [None])[0] for values in one.values()] for one in tshark.fields(path, PAIR, "-2")]


def test_a_message_that_both_ends_recorded_has_its_time_on_the_way(tmp_path):
    path = write(tmp_path / "both.pcapng", message(DEFINE, 1000), message(DEFINE, 6000, flags=RECEIVED), message(DEFINE, 7000, connection=1))
    assert paired(path) == [["2", "0.005000000", None], ["1", "0.005000000", "1"], [None, None, None]]
    assert not tshark.fields(path, ["frame.number"], "-2", "-Y", "godot_mp.path.redefined")


def test_a_clock_that_is_slow_makes_the_time_negative(tmp_path):
    path = write(tmp_path / "clock.pcapng", message(DEFINE, 1000, flags=RECEIVED), message(DEFINE, 3000))
    assert paired(path) == [["2", "-0.002000000", None], ["1", "-0.002000000", "1"]]


def test_of_messages_with_the_same_bytes_the_ordinal_decides(tmp_path):
    path = write(tmp_path / "same.pcapng", message(CALL, 0, ordinal=4), message(CALL, 1000, ordinal=5), message(CALL, 3000, flags=RECEIVED, ordinal=5))
    assert paired(path) == [[None, None, None], ["3", "0.002000000", None], ["2", "0.002000000", "1"]]


def test_where_the_ordinal_does_not_decide_no_time_is_shown(tmp_path):
    """Unreliable messages: the receiver counts those that arrive."""
    path = write(tmp_path / "same.pcapng", message(CALL, 0, ordinal=4), message(CALL, 1000, ordinal=5), message(CALL, 3000, flags=RECEIVED, ordinal=3))
    assert paired(path) == [["3", None, None], [None, None, None], ["1", None, "1"]]


def test_a_message_of_half_a_minute_before_is_another_one(tmp_path):
    path = write(tmp_path / "old.pcapng", message(CALL, 0), message(CALL, 31_000_000, flags=RECEIVED))
    assert paired(path) == 2 * [[None, None, None]]


def test_a_recording_that_is_merged_twice_has_each_message_once(tmp_path):
    path = write(tmp_path / "twice.pcapng", message(DEFINE, 5), message(DEFINE, 5), message(CALL, 6, ordinal=1), message(CALL, 6, ordinal=1))
    assert [one[2] for one in paired(path)] == [None, "1", None, "1"]


@pytest.mark.parametrize("order", ["AABB", "ABAB", "ABBA", "BBAA"])
def test_recordings_of_both_ends_that_are_merged_twice_have_each_message_once(order, tmp_path):
    records = {"A": message(DEFINE, 1000), "B": message(DEFINE, 6000, flags=RECEIVED)}
    path = write(tmp_path / "twice.pcapng", *(records[one] for one in order))
    assert [one[2] for one in paired(path)] == [None, "1", "1", "1"]


def test_many_messages_with_the_same_bytes_are_not_all_kept(tmp_path):
    count = 5000
    path = write(tmp_path / "many.pcapng", *(message(CALL, number, ordinal=number) for number in range(count)),
                 *(message(CALL, count + number, flags=RECEIVED, ordinal=number) for number in range(count)))
    linked = tshark.fields(path, ["godot_mp.recorded.other_in"], "-Y", "godot_mp.recorded.other_in")
    assert 64 <= len(linked) < count


# ---- names -------------------------------------------------------------------------------------------------------

SPAWNER = b"\x01" + hashlib.md5(b"").hexdigest().encode() + b"\0" + struct.pack("<I", 2) + b"Main/Spawner\0"
SYNC_PATH = b"\x01" + hashlib.md5(b"").hexdigest().encode() + b"\0" + struct.pack("<I", 3) + b"Main/Synchronizer\0"
# An update of path 3: an int
SYNC = bytes.fromhex("06 0100 03000080 02000000 02 05")


def test_names_of_methods_properties_and_players_are_used(tmp_path):
    path = write(tmp_path / "names.pcapng",
                 names(entry(1, "res://main.gd", *METHODS), entry(3, "res://main.tscn", "Main/Synchronizer", "Main", "hp", "int"),
                       entry(6, str(CLIENT), "Anna"), entry(99, "later")),
                 message(DEFINE, 1), message(CALL, 2), message(SYNC_PATH, 3), message(SYNC, 4))
    assert info(path) == [f"Names: res://main.gd, res://main.tscn, {CLIENT}", "Path #1 = Main", "RPC greet(5) on Main", "Path #3 = Main/Synchronizer",
                          "Sync Main/Synchronizer: hp = 5"]
    (found,) = tshark.fields(path, ["godot_mp.to", "godot_mp.rpc.method_from"], "-Y", "godot_mp.rpc.method")
    assert found == {"godot_mp.to": ["Anna"], "godot_mp.rpc.method_from": ["res://main.gd"]}
    (found,) = tshark.fields(path, [f"godot_mp.names.{name}" for name in ("script", "method", "scene", "node", "root", "property", "type", "peer", "player")],
                             "-Y", "godot_mp.names.version")
    assert list(found.values()) == [["res://main.gd"], METHODS, ["res://main.tscn"], ["Main/Synchronizer"], ["Main"], ["hp"], ["int"], [str(CLIENT)],
                                    ["Anna"]]


def test_methods_are_used_only_where_the_checksum_proves_them(tmp_path):
    path = write(tmp_path / "other.pcapng", names(entry(1, "res://main.gd", "other", "take_damage")), message(DEFINE, 1), message(CALL, 2))
    assert info(path)[2] == "RPC method 0(5) on Main"


def test_properties_are_used_only_where_the_types_fit(tmp_path):
    path = write(tmp_path / "types.pcapng", names(entry(3, "res://main.tscn", "Main/Synchronizer", "Main", "place", "Vector2")), message(SYNC_PATH, 3),
                 message(SYNC, 4))
    assert "place" not in info(path)[2]


def test_names_of_a_file_are_not_those_of_the_next_one(tmp_path):
    """sharkd opens one file after the other."""
    first = write(tmp_path / "first.pcapng", names(entry(1, "res://main.gd", *METHODS)), message(DEFINE, 1), message(CALL, 2))
    second = write(tmp_path / "second.pcapng", message(DEFINE, 1), message(CALL, 2))
    requests = []
    for path in (first, second):
        requests += [{"method": "load", "params": {"file": str(tshark.readable(path))}}, {"method": "frames"}]
    answers = tshark.sharkd(requests)
    assert ["greet" in str(answers[number]["result"]) for number in (1, 3)] == [True, False]


@pytest.mark.parametrize("data, expert", [
    (b"\x02", "version.unknown"), (b"\x01\x01\xff\xff", "truncated"), (b"\x01\x01\x03\0\x05\0a", "text.truncated")])
def test_a_record_of_names_that_cannot_be_read_is_reported(data, expert, tmp_path):
    path = write(tmp_path / "fault.pcapng", packet(b"godot_mp.names", data))
    (found,) = tshark.fields(path, [f"godot_mp.names.{expert}", "godot_mp.names.undecoded"])
    assert all(found.values())


def test_a_record_of_names_that_the_capture_cut_is_said_to_be_cut(tmp_path):
    body = names(entry(1, "res://main.gd", *METHODS))
    (captured,) = struct.unpack_from("<I", body, 20)
    cut = body[8:28 - 8] + struct.pack("<II", captured - 6, captured) + body[28:28 + captured - 6]
    path = write(tmp_path / "cut.pcapng", record.block(6, cut))
    (found,) = tshark.fields(path, ["godot_mp.names.cut_short", "godot_mp.names.truncated"])
    assert found["godot_mp.names.cut_short"] and not found["godot_mp.names.truncated"]


HOSTILE = ["\x1b[31mred\x07\n\r\t", "<script>alert(1)</script>", "../../../../etc/passwd", "a,b,,c", "", "%s%n%d", "\u202egnp.exe", b"\xff\xfe\x80",
           "x" * 30000]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_text(text, tmp_path):
    entries = [entry(1, text, *METHODS), entry(1, "res://main.gd", text, text), entry(6, str(CLIENT), text), entry(6, text, text)]
    if len(text) < 10000:
        entries += [entry(kind, text, text, text, text, text) for kind in (2, 3, 4, 5)]
    path = write(tmp_path / "hostile.pcapng", names(*entries), message(DEFINE, 1), message(CALL, 2), message(SPAWNER, 3), message(SYNC_PATH, 4),
                 message(SYNC, 5))
    for options in ([], ["-2"]):
        lines = tshark.run([*options, "-T", "fields", "-e", "_ws.col.Info"], path).stdout
        assert len(lines.splitlines()) == 6 and not set(lines) & set("\x1b\x07\r"), lines
    assert "RPC greet(5) on Main" in lines


def test_a_file_of_many_names_has_limits(tmp_path):
    many = [names(*(entry(1, f"res://{block}/{number}.gd", f"method{block}x{number}") for number in range(500))) for block in range(40)]
    path = write(tmp_path / "limits.pcapng", *many, message(DEFINE, 1), message(CALL, 2))
    assert len(info(path)) == 42


@pytest.mark.parametrize("count, line", [(128, "RPC greet(5) on Main"), (130, "RPC method 0(5) on Main")])
def test_names_of_more_than_8_mib_are_not_used(count, line, tmp_path):
    """Entries of 64.5 kB each, and smaller ones for the rest: an entry that still fits is used."""
    before = [names(entry(1, f"res://{number:04}.gd", "m" * 64500)) for number in range(count)]
    small = [names(entry(1, f"res://{length:04}.gd", "m" * length)) for length in (512, 256, 128, 64, 32, 16, 8, 4)]
    path = write(tmp_path / "long.pcapng", *before, *small, names(entry(1, "res://main.gd", *METHODS)), message(DEFINE, 1), message(CALL, 2))
    assert info(path)[-1] == line


# ---- recordings of real games ------------------------------------------------------------------------------------

REAL = tshark.PCAPS / "godot" / "multiplayer" / "recordings"


def real(name):
    return REAL / f"godot-4.6.3-{name}.pcapng"


def made_calls(session):
    """(caller, path, method, arguments) of each call that a script made to other peers."""
    return [line for line in gamewire_records.read("godot/multiplayer/recordings", f"{session}.calls")
            if line["event"] == "call" and line["target"] != line["peer"]]


def calls_in(path):
    names = ["godot_mp.rpc.caller", "godot_mp.rpc.path", "godot_mp.rpc.method", "godot_mp.rpc.argument"]
    return [[(values or [None])[0] for values in list(one.values())[:3]] + [one["godot_mp.rpc.argument"]]
            for one in tshark.fields(path, names, "-2", "-Y", "godot_mp.rpc.method && godot_mp.recorded.received == 0")]


@pytest.mark.parametrize("session", ["few-calls", "spawn"])
def test_a_real_recording_has_the_calls_that_the_scripts_made(session, tmp_path):
    """With their names, and without a table."""
    merged = tshark.merge_captures([real(f"{session}-{role}") for role in ("server", "client1", "client2")], tmp_path / "merged.pcapng")
    made, found = made_calls(f"godot-4.6.3-{session}"), calls_in(merged)
    assert made and found

    def same(one, line):
        return (one[:3] == [str(line["peer"]), line["path"], line["method"]]) and same_arguments(one[3], line["arguments"], 4)

    assert [line for line in made if not any(same(one, line) for one in found)] == []
    assert [one for one in found if not any(same(one, line) for line in made)] == []


@pytest.mark.parametrize("session", ["few-calls", "spawn"])
def test_both_ends_of_a_real_game_have_the_same_messages(session, tmp_path):
    """But for unreliable messages of the sender, which ENet may drop before it sends them."""
    merged = tshark.merge_captures([real(f"{session}-{role}") for role in ("server", "client1", "client2")], tmp_path / "merged.pcapng")
    names = ["frame.number", "godot_mp.recorded.other_in", "godot_mp.recorded.received", "godot_mp.recorded.mode", "_ws.col.Info"]
    packets = {one["frame.number"][0]: one for one in tshark.fields(merged, names, "-2", "-Y", "godot_mp.recorded.from")}
    for one in packets.values():
        if not one["godot_mp.recorded.other_in"]:
            assert (one["godot_mp.recorded.received"], one["godot_mp.recorded.mode"]) == (["0"], ["0"]), one
            continue
        other = packets[one["godot_mp.recorded.other_in"][0]]
        assert other["_ws.col.Info"] == one["_ws.col.Info"] and other["godot_mp.recorded.received"] != one["godot_mp.recorded.received"]


def test_a_real_recording_has_the_names_of_its_game():
    """Values of a spawn and of updates are named by the record of names, in which the two synchronizers of the scene are in its order."""
    lines = info(real("spawn-server"), "-2")
    assert lines[0].startswith("Names: res://main.gd, ")
    assert 'Spawn player.tscn "Hero" #4: position = Vector2(3, 4), title = "Åsa", hp = 100, inventory = []' in lines
    assert 'Sync Main/Part/World2/Players/Early: position = Vector2(1, 2), aim = 0.5, rotation = 0.0' in lines
    assert not [line for line in lines if line.startswith(("Spawn player", "Sync ", "Delta ")) and " = " not in line]


def test_who_recorded_a_real_game_is_in_its_file():
    (first, *_) = tshark.fields(real("few-calls-server"), ["frame.interface_name", "frame.interface_description"])
    assert first == {"frame.interface_name": ["server"], "frame.interface_description": ["ENetMultiplayerPeer"]}


# ---- other protocols ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["leviathan", "squirrel"])
def test_recordings_of_other_protocols_have_only_tags(protocol, tmp_path):
    """The payloads of a capture, with their times, are dissected as in the capture."""
    blocks, capture = [], tshark.PCAPS / protocol / "session.pcap"
    data, at = capture.read_bytes(), 24
    while at < len(data):
        seconds, microseconds, captured = struct.unpack_from("<III", data, at)
        ip = data[at + 16 + 14:at + 16 + captured]
        udp = ip[(ip[0] & 15) * 4:]
        tags = [(12, protocol.encode() + b"\0" * (-len(protocol) % 4)), (20, ip[12:16]), (21, ip[16:20]), (24, b"\0\0\0\3"), (25, b"\0\0" + udp[:2]),
                (26, b"\0\0" + udp[2:4]), (0, b"")]
        body = b"".join(struct.pack(">HH", tag, len(value)) + value for tag, value in tags) + udp[8:]
        when = seconds * 1_000_000 + microseconds
        blocks.append(record.block(6, struct.pack("<IIIII", 0, when >> 32, when & 0xFFFFFFFF, len(body), len(body)) + body))
        at += 16 + captured
    assert info(write(tmp_path / "recorded.pcapng", *blocks), "-2") == info(capture, "-2")


# ---- tools -------------------------------------------------------------------------------------------------------


def test_messages_of_a_recording_are_lines_with_what_the_game_knows(tmp_path):
    path = write(tmp_path / "lines.pcapng", names(entry(1, "res://main.gd", *METHODS)), message(DEFINE, 1),
                 message(CALL, 1000, flags=FRAMES, frame=7, tick=5), message(CALL, 3000, flags=RECEIVED | FRAMES | HANDLER, frame=9, tick=6, handler=250))
    done = programs.run("gamewire-messages", tshark.readable(path))
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["kind"] for line in found] == ["path", "call", "call"]
    recorded = [{name: line.get(name) for name in ("method", "process_frame", "physics_tick", "handler_time", "way_time", "other_in", "duplicate")}
                for line in found[1:]]
    assert recorded == [
        {"method": "greet", "process_frame": 7, "physics_tick": 5, "handler_time": None, "way_time": 0.002, "other_in": 4, "duplicate": None},
        {"method": "greet", "process_frame": 9, "physics_tick": 6, "handler_time": 0.00025, "way_time": 0.002, "other_in": 3, "duplicate": True}]


def test_json_has_the_transfer_mode_with_which_the_game_sent(tmp_path):
    path = write(tmp_path / "modes.pcapng", message(DEFINE, 1), *(message(CALL, 1000 * mode, mode=mode) for mode in (1, 2, 3)))
    lines = [json.loads(line) for packet in tshark.fields(path, ["godot_mp.json"], "-2", "-Y", "godot_mp.json") for line in packet["godot_mp.json"]]
    assert [line.get("delivery") for line in lines] == ["reliable", "unreliable", "reliable", None]


def test_the_report_has_the_times_in_handlers_and_on_the_way(tmp_path):
    path = write(tmp_path / "report.pcapng", names(entry(1, "res://main.gd", *METHODS)), message(DEFINE, 1),
                 *(message(CALL, 1000 * number, ordinal=number) for number in range(1, 9)),
                 *(message(CALL, 1000 * number + 50_000, flags=RECEIVED | HANDLER, handler=20_000 * number, ordinal=number) for number in range(1, 9)))
    page = tshark.scratch() / "home" / "report.html"
    done = programs.run("gamewire-report", "-q", "-o", page, "--json", "-", tshark.readable(path))
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["messages"] == 17 and data["counts"]["godot_mp.kind"] == {"path": 1, "call": 8}
    for title, longest in (("Longest times in which a game handled a message", "0.16"), ("Longest times of recorded messages on their way", "0.05")):
        chart = page.read_text(encoding="utf-8").partition(title)[2]
        assert longest in chart.partition("title")[0]
