# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""<protocol>.json: each message as one line of JSON, as plugin/docs/messages.md describes it."""

import json
import math

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.samples import nested
from plugin.godot.variant.variants import WIDE, doubles, encode, floats, longs, text, words

FIELDS = [f"{protocol}.json" for protocol in tshark.PROTOCOLS]
BEGINNING = ["time", "frame", "protocol", "kind", "from", "to", "source", "destination"]
AS_VARIANT = ("-d", f"udp.port=={tshark.SERVER_PORT},godot")


def messages(capture, *args, names=FIELDS):
    """The lines of each packet."""
    return [[line for name in names for line in packet[name]] for packet in tshark.fields(capture, names, "-2", *args)]


# ---- the field -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", tshark.capture_folders())
def test_every_line_is_json_with_the_members_of_all_messages(folder):
    capture = tshark.captures_of(folder)
    numbers = [int(packet["frame.number"][0]) for packet in tshark.fields(capture, ["frame.number"])]
    seen = 0
    for number, lines in zip(numbers, messages(capture, "-Y", "frame"), strict=True):
        for line in lines:
            message = json.loads(line)
            assert list(message)[:len(BEGINNING)] == BEGINNING and message["frame"] == number, line
            assert line.isprintable(), line
            seen += 1
    assert seen


def test_the_field_is_added_only_where_it_is_named():
    capture = tshark.PCAPS / "leviathan/session.pcap"
    assert "Message as JSON" not in tshark.verbose(capture)
    assert "Message as JSON" in tshark.verbose(capture, "-Y", "leviathan.json")


def test_a_column_without_a_tree_has_the_same_text():
    capture = tshark.PCAPS / "leviathan/session.pcap"
    shown = tshark.run(["-2", "-o", 'gui.column.format:"JSON","%Cus:leviathan.json"'], capture).stdout.splitlines()
    lines = messages(capture, "-Y", "frame", names=["leviathan.json"])
    assert [line.strip() for line in shown] == [",".join(each) for each in lines] and any(shown)


def test_sharkd_has_it_as_a_column():
    capture = tshark.PCAPS / "leviathan/session.pcap"
    _, answer = tshark.sharkd([{"method": "load", "params": {"file": str(tshark.readable(capture))}},
                               {"method": "frames", "params": {"column0": "leviathan.json:0", "filter": "leviathan.json"}}])
    lines = messages(capture, "-Y", "leviathan.json", names=["leviathan.json"])
    assert [frame["c"][0] for frame in answer["result"]] == [",".join(each) for each in lines]


def test_each_message_of_a_packet_has_a_line():
    """Frame 1 of the capture connects; the sender's record has two messages in one datagram."""
    lines = messages(tshark.PCAPS / "enet/every-command.pcap", names=["enet.json"])
    kinds = [[json.loads(line)["kind"] for line in each] for each in lines]
    assert kinds[0] == ["connect"] and max(map(len, kinds)) > 1


def test_a_message_that_the_capture_cuts_has_its_kind(tmp_path):
    """Frame 1 of the session is a request: from its first byte on, which says so, it is one, however much of it was captured."""
    session = tshark.PCAPS / "leviathan/session.pcap"
    whole, = messages(session, "-Y", "frame.number == 1", names=["leviathan.json"])
    assert [json.loads(line)["kind"] for line in whole] == ["request"]
    kinds = []
    for length in range(43, 64):
        cut = tshark.cut_packets(session, tmp_path / f"{length}.pcap", length)
        lines, = messages(cut, "-d", "udp.port==53221,leviathan", "-Y", "frame.number == 1", names=["leviathan.json"])
        kinds += [json.loads(line)["kind"] for line in lines]
    assert len(kinds) > 5 and set(kinds) == {"request"}


# ---- times -----------------------------------------------------------------------------------------------

NANOSECOND_MAGIC = 0xA1B23C4D
# Seconds and nanoseconds: around the limits between which the decimals are the shortest digits already.
TIMES = [(0, 0), (0, 1), (0, 99_999), (0, 100_000), (0, 100_001), (0, 2_000_000), (0, 999_999_999), (1, 0), (1, 1), (59, 250_000_000),
         (2**23 - 1, 999_999_999), (2**23, 1), (2**23, 1_000), (2**23 + 1, 123_456_789), (1_700_000_000, 0), (1_700_000_000, 18_000_000),
         (1_700_000_000, 123_456_000), (1_700_000_000, 123_456_700), (1_700_000_000, 999_999_999), (2**31 - 1, 999_999_000),
         *((seconds, nanoseconds) for seconds in (0, 7, 2**22 + 1, 2**24, 1_234_567_890)
           for nanoseconds in (7, 10_007, 123_457, 1_000_001, 700_000_001, 123_456_789, 654_321_000, 999_999_900))]


def nanosecond_capture(path, times):
    """The same datagram at each of the times, in a file with nanoseconds."""
    data = tshark.write_pcap(path, [tshark.request(encode(True))]).read_bytes()
    head, record = data[:24], data[24 + 8:]
    path.write_bytes(NANOSECOND_MAGIC.to_bytes(4, "little") + head[4:] + b"".join(words(*time) + record for time in times))
    return path


def test_times_have_the_shortest_digits_of_their_double(tmp_path):
    """As Python writes the nearest double."""
    capture = nanosecond_capture(tmp_path / "times.pcap", TIMES)
    lines = [line for line, in messages(capture, *AS_VARIANT, names=["godot.json"])]
    written = [line.partition('{"time":')[2].partition(",")[0] for line in lines]
    assert written == [repr(float(f"{seconds}.{nanoseconds:09}")) for seconds, nanoseconds in TIMES]
    assert written[:5] == ["0.0", "1e-09", "9.9999e-05", "0.0001", "0.000100001"] and "1700000000.018" in written


# ---- Variants: the table of messages.md ------------------------------------------------------------------


VALUES = [
    (words(0), "null"),
    (encode(True), "true"),
    (encode(5), "5"),
    (encode(2**53 - 1), "9007199254740991"),
    (encode(2**53), '{"$int":"9007199254740992"}'),
    (encode(-(2**63)), '{"$int":"-9223372036854775808"}'),
    (words(3) + floats(0.1), "0.1"),
    (words(3) + floats(-0.0), "-0.0"),
    (words(3) + floats(3), "3.0"),
    (words(3 | WIDE) + doubles(0.1), "0.1"),
    (words(3 | WIDE) + doubles(1 / 3), "0.3333333333333333"),
    (words(3 | WIDE) + doubles(1e15), "1000000000000000.0"),
    (words(3 | WIDE) + doubles(-1234567890123456.8), "-1234567890123456.8"),
    (words(3 | WIDE) + doubles(9.5e15), "9500000000000000.0"),
    (words(3 | WIDE) + doubles(1e16), "1e+16"),
    (words(3 | WIDE) + doubles(1e-5), "1e-05"),
    (words(3) + floats(math.inf), '{"$float":"inf"}'),
    (words(3) + floats(-math.inf), '{"$float":"-inf"}'),
    (words(3) + floats(math.nan), '{"$float":"nan"}'),
    (encode('a"\\\n\t/\x01\x1b é\x7f\x85\u2028😀'), '"a\\"\\\\\\n\\t/\\u0001\\u001b é\\u007f\\u0085\\u2028😀"'),
    (words(4) + text(b"\xff\x07"), '{"$String":"ff07"}'),
    (words(21) + text("hit"), '{"$StringName":"hit"}'),
    (words(22, 0x80000002, 1, 1) + text("Main") + text("Hero") + text("position"), '{"$NodePath":"/Main/Hero:position"}'),
    (words(22, 0x80000001, 0, 0) + text(b"\xff"), '{"$NodePath":{"$String":"ff"}}'),
    (words(23) + longs(2**64 - 1), '{"$RID":"18446744073709551615"}'),
    (words(24 | WIDE) + longs(7), '{"$Object":{"id":"7"}}'),
    (words(24 | WIDE) + longs(0), "null"),
    (words(24) + text("Node") + words(1) + text("a") + encode(7), '{"$Object":{"class":"Node","properties":{"a":7}}}'),
    (words(25), '{"$Callable":null}'),
    (words(26) + text("hit") + longs(7), '{"$Signal":{"object":"7","name":"hit"}}'),
    (words(26) + text("") + longs(0), '{"$Signal":null}'),
    (words(5) + floats(1.5, -2), '{"$Vector2":[1.5,-2.0]}'),
    (words(6, 1, -2), '{"$Vector2i":[1,-2]}'),
    (words(29, 2) + b"\x01\xff\0\0", '{"$PackedByteArray":"01ff"}'),
    (words(31, 2) + longs(1, 2**53), '{"$PackedInt64Array":[1,{"$int":"9007199254740992"}]}'),
    (words(34, 2) + words(2) + b"a\0\0\0" + words(1) + b"\0\0\0\0", '{"$PackedStringArray":["a",""]}'),
    (words(35, 2) + floats(1, 2, 3, 4), '{"$PackedVector2Array":[[1.0,2.0],[3.0,4.0]]}'),
    (encode([1, "two", []]), '[1,"two",[]]'),
    (words(28 | 1 << 16, 2, 2) + encode(1) + encode(2), '{"$Array":[1,2],"of":"int"}'),
    (words(27 | 1 << 16 | 1 << 18, 4, 2, 1) + encode("a") + encode(1),
     '{"$Dictionary":[["a",1]],"keys":"String","values":"int"}'),
    (encode({"hp": 100, "": {}}), '{"hp":100,"":{}}'),
    (encode({1: "one", "a": {"b": 2}}), '{"$Dictionary":[[1,"one"],["a",{"b":2}]]}'),
    (encode({"$a": 1}), '{"$Dictionary":[["$a",1]]}'),
    (words(27, 2) + (encode("a") + encode(1)) + (encode("a") + encode({})), '{"$Dictionary":[["a",1],["a",{}]]}'),
    (encode([{"a": 1}, {"b": {1: 2}}, {"c": 3}]), '[{"a":1},{"b":{"$Dictionary":[[1,2]]}},{"c":3}]'),
    (words(27, 1) + encode([1, {"k": 2}]) + encode(3), '{"$Dictionary":[[[1,{"k":2}],3]]}'),
    (encode({f"{number:04}": number for number in range(500)}),
     "{" + ",".join(f'"{number:04}":{number}' for number in range(500)) + "}"),
    (nested(200), "[" * 201 + "]" * 201),
    (nested(201), '{"$text":"' + "[" * 202 + "]" * 202 + '"}'),
    (words(28, 2) + encode(1), '{"$text":"[1<truncated>"}'),
]

@pytest.fixture(scope="module")
def values(tmp_path_factory):
    path = tshark.write_pcap(tmp_path_factory.mktemp("values") / "values.pcap",
                             [tshark.request(payload) for payload, _ in VALUES])
    return messages(path, *AS_VARIANT, "-o", "godot.generation:4", names=["godot.json"])


@pytest.mark.parametrize("index", range(len(VALUES)), ids=lambda index: VALUES[index][1][:40])
def test_a_value(values, index):
    line, = values[index]
    rest = line.partition('"value":')[2]
    _, end = json.JSONDecoder().raw_decode(rest)
    assert rest[:end] == VALUES[index][1]
