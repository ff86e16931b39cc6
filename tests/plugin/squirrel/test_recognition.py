# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which packets are recognized as Squirrel: alone, on the port, inside RakNet, and with Decode As."""

import random
import struct

import pytest

import gamewire_tshark as tshark

PCAPS = tshark.PCAPS / "squirrel"
AS_TEST = ("-d", f"udp.port=={tshark.SERVER_PORT},squirrel")
GET_A = bytes.fromhex("670400000073000161")
SEVEN = b"w\x07\x00"


def frame(low_byte, *parts):
    return bytes([low_byte]) + b"\xff\xff\x40" + b"".join(parts)


def holding(tag, *parts):
    content = b"".join(parts)
    return tag + struct.pack("<I", len(content)) + content


def recognized(capture, *args, **options):
    return [bool(packet["squirrel"]) for packet in tshark.fields(capture, ["squirrel"], *args, **options)]


def each_recognized(udp_capture, conversations, *args):
    """For each conversation, which of its packets are recognized, with one start of tshark."""
    return tshark.split(recognized(udp_capture(*tshark.apart(conversations)), *args), conversations)


TOKEN = struct.pack("<i", 1)
TEXT = b"\x00\x01x"
SPLIT = struct.pack("<IIIH", 0, 0, 2, 4075) + b"x" * 4075

# One of each of the nineteen.
NINETEEN = {
    0xE1: (GET_A,), 0xE2: (TOKEN, GET_A), 0xE3: (TOKEN, SEVEN), 0xE4: (TEXT,), 0xE5: (TEXT,), 0xE6: (b"\1", GET_A),
    0xE7: (b"\1", TOKEN, SEVEN), 0xE8: (b"\1", TOKEN, SEVEN), 0xE9: (b"\1", TOKEN, GET_A), 0xEA: (b"\1", GET_A),
    0xEB: (b"\1", TOKEN, GET_A), 0xEC: (SPLIT,), 0xED: (SPLIT,), 0xEE: (SEVEN, SEVEN), 0xEF: (TOKEN, TEXT),
    0xF0: (TOKEN, SEVEN), 0xF1: (GET_A,), 0xF2: (TOKEN, GET_A), 0xF3: (TOKEN, SEVEN),
}

# Frames in which only the identifier, one tag and a length of one or two bytes are evidence.
WEAK = {0xE3, 0xE4, 0xE5, 0xE7, 0xE8, 0xEE, 0xEF, 0xF0, 0xF3}


def test_the_nineteen_frames_are_recognized_at_once_or_with_the_next_one(tmp_path):
    packets = [tshark.Udp(50000 + low, 50100, frame(low, *parts)) for low, parts in NINETEEN.items()]
    another = {SEVEN: b"b\1", TEXT: b"\x00\x01y"}
    packets += [tshark.Udp(50000 + low, 50100, frame(low, *parts[:-1], another[parts[-1]]))
                for low, parts in NINETEEN.items() if low in WEAK]
    first = [low not in WEAK for low in NINETEEN]
    capture = tshark.write_pcap(tmp_path / "nineteen.pcap", packets)
    assert recognized(capture) == first + [True] * len(WEAK)
    assert recognized(capture, "-2") == [True] * (19 + len(WEAK))


HELLO = b"s\0\5Hello"

RECOGNIZED = {
    "a call": holding(b"F", holding(b"g", HELLO), HELLO),
    "a table": holding(b"t", HELLO, SEVEN, b"s\0\1b", SEVEN, b"s\0\1c", SEVEN),
    "a 1.1.1 reply": frame(0xE3, TOKEN, b"a\2\0\0\0", HELLO, SEVEN),
    "a frame in a message": b"\x6e" + struct.pack(">I", 13) + frame(0xE1, GET_A),
    "an empty array in a command": frame(0xE1, holding(b"h", b"s\0\1a", holding(b"a"))),
}

NOT_RECOGNIZED = {
    "a command of two things to match": GET_A, "a call of one string": holding(b"F", GET_A, SEVEN),
    "an array of a word": holding(b"a", SEVEN), "a small table": holding(b"t", b"s\0\1a", SEVEN),
    "a counted array": b"A\1\0\0\0" + SEVEN, "a command of one letter": holding(b"g", b"o"),
    "a letter, a length, six letters": holding(b"F", b"oooooo"), "a frame of five bytes": frame(0xE1, b"o"),
    "null": b"o", "an int": b"i\x0f\0\0\0", "a word": SEVEN, "a float": b"f\xc3\xf5\x48\x40", "a bool": b"b\1",
    "a string": b"s\0\5apple", "a vector": b"v" + bytes(12), "a quaternion": b"q" + bytes(16), "an error": b"e\0\0",
    "a blob": b"B\4\0\0\0blob",
    "an empty array": b"a\0\0\0\0", "an empty table": b"t\0\0\0\0", "an empty counted array": b"A\0\0\0\0",
    "a command without operand": b"g\0\0\0\0",
    "a command one byte short": GET_A[:-1],
    "a command one byte long": GET_A + b"\0",
    "a command of another length": b"g\5\0\0\0s\0\1a",
    "a command with an odd bool": holding(b"g", b"b\2"),
    "a frame one byte short": frame(0xE1, GET_A)[:-1],
    "a frame one byte long": frame(0xE1, GET_A) + b"\0",
    "a frame without content": frame(0xE1),
    "a frame with an odd bool": frame(0xE1, b"b\2"),
    "the identifier before the first": frame(0xE0, GET_A),
    "the identifier after the last": frame(0xF4, GET_A),
    "an identifier in big-endian order": b"\x40\xff\xff\xe1" + GET_A,
    "floats just below 8": struct.pack("<ffff", 7.9999847, 7.9999886, 7.9999924, 7.5),
    "a message with a wrong length": b"\x6e" + struct.pack(">I", 12) + frame(0xE1, GET_A),
    "a chunk beyond its total": frame(0xEC, struct.pack("<IIIH", 0, 2, 2, 1) + b"x"),
    "a chunk of another length": frame(0xEC, struct.pack("<IIIH", 0, 0, 1, 2) + b"x"),
    "another library's identifier": b"\0\0\0\x40F\0\0\0\4s\0\1a",
    "the server browser's question": b"VCMP\x7f\0\0\1\x00\x20i",
    "nothing": b"",
}


def test_these_are_recognized_on_their_own(udp_capture):
    found = each_recognized(udp_capture, [[tshark.reply(payload)] for payload in RECOGNIZED.values()])
    assert [what for what, ours in zip(RECOGNIZED, found, strict=True) if ours != [True]] == []


def test_these_are_not_recognized_on_their_own(tmp_path):
    packets = [tshark.Udp(51000 + i, 52000 + i, payload) for i, payload in enumerate(NOT_RECOGNIZED.values())]
    found = recognized(tshark.write_pcap(tmp_path / "not.pcap", packets))
    assert [what for what, ours in zip(NOT_RECOGNIZED, found) if ours] == []


def test_bare_values_are_not_recognized_on_the_port_either(tmp_path):
    packets = [tshark.Udp(51000 + i, 8192, payload) for i, payload in enumerate(NOT_RECOGNIZED.values())
               if payload[1:4] != b"\xff\xff\x40" and not payload.startswith(b"\x6e")]
    assert not any(recognized(tshark.write_pcap(tmp_path / "port.pcap", packets)))


def test_seed_examples_that_are_bare_scalars_are_not_recognized():
    packets = tshark.fields(PCAPS / "seed-examples.pcap", ["squirrel", "udp.payload"])
    scalars = [packet for packet in packets if bytes.fromhex(packet["udp.payload"][0].replace(":", ""))[:1] in
               (b"o", b"i", b"w", b"f", b"b", b"s", b"v", b"q")]
    assert len(scalars) > 5
    assert [packet for packet in scalars if packet["squirrel"]] == []


def random_packets(heads, count):
    dice = random.Random(20)
    for i in range(count):
        payload = dice.choice(heads) + dice.randbytes(dice.randrange(60))
        yield tshark.Udp(10000 + i, 20000 + i, payload)


def test_random_payloads_are_not_recognized(tmp_path):
    packets = random_packets([b"", b"", b"g", b"F", b"a", b"A", b"\xff\xff\x40"], 4000)
    assert sum(recognized(tshark.write_pcap(tmp_path / "random.pcap", packets))) == 0


def test_random_bytes_after_an_identifier_are_rarely_recognized(tmp_path):
    """The recognized ones are scalars, for which any value is valid: the length matches the tag, 1 in 256."""
    packets = random_packets([b"\xe1\xff\xff\x40", b"\xe3\xff\xff\x40", b"\xee\xff\xff\x40"], 4000)
    assert sum(recognized(tshark.write_pcap(tmp_path / "random.pcap", packets))) <= 4


def test_with_decode_as_any_value_is_decoded(tmp_path):
    packets = [tshark.Udp(51000, tshark.SERVER_PORT, payload) for payload in NOT_RECOGNIZED.values() if payload]
    assert all(recognized(tshark.write_pcap(tmp_path / "as.pcap", packets), *AS_TEST))


def get(key):
    return holding(b"g", b"s" + struct.pack(">H", len(key)) + key)


BROKEN = frame(0xE1, GET_A[:-1])
# What is sent, and what is recognized on the first and on the second pass.
SEQUENCES = {
    "after a frame, invalid payloads of its conversation are decoded": (
        [BROKEN, frame(0xE1, GET_A), BROKEN, b"o"], [False, True, True, False], [False, True, True, False]),
    "bare commands add up": (
        [get(b"a"), get(b"b"), get(b"b"), get(b"c"), get(b"d")], [False, False, False, True, True], [True] * 5),
    "after bare commands, other payloads are declined": (
        [get(b"a"), get(b"b"), get(b"c"), b"text", GET_A[:-1], get(b"d")], [False, False, True, False, False, True],
        [True, True, True, False, False, True]),
}


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
def test_packets_of_a_conversation_are_recognized_by_those_before_them(udp_capture, passes):
    found = each_recognized(udp_capture, [list(map(tshark.reply, payloads)) for payloads, *_ in SEQUENCES.values()], *passes)
    assert dict(zip(SEQUENCES, found, strict=True)) == {
        name: second if passes else first for name, (_, first, second) in SEQUENCES.items()}


def test_a_packet_cut_by_the_capture_is_not_recognized(udp_capture):
    assert recognized(udp_capture(tshark.reply(frame(0xE1, GET_A), captured=10))) == [False]


def test_on_the_port_a_short_frame_is_decoded(udp_capture):
    capture = udp_capture(*(tshark.Udp(51000, port, frame(0xE1, b"o")) for port in (8192, 9000)))
    assert recognized(capture) == [True, False]
    assert recognized(capture, prefs={"squirrel.port": 8193}) == [False, False]
    assert recognized(capture, prefs={"squirrel.port": 0}) == [False, False]
    assert recognized(capture, prefs={"squirrel.port": 9000}) == [False, True]


def test_several_ports_are_possible(udp_capture):
    capture = udp_capture(*(tshark.Udp(51000, port, frame(0xE1, b"o")) for port in (8192, 8193, 9000, 9001)))
    assert recognized(capture, prefs={"squirrel.port": "8192-8193,9001"}) == [True, True, False, True]


@pytest.mark.parametrize("value", ["65536", "8192,70000"])
def test_a_number_that_is_no_port_is_an_error(value, udp_capture):
    result = tshark.run(["-o", f"squirrel.port:{value}"], udp_capture(tshark.request(b"o")), check=False)
    assert result.returncode == 1 and f"squirrel.port:{value}" in result.stderr


def test_on_the_port_an_invalid_frame_is_decoded_after_a_valid_one(udp_capture):
    wrong, right = (tshark.Udp(51000, 8192, frame(0xE1, content)) for content in (GET_A[:-1], GET_A))
    assert recognized(udp_capture(wrong, right, wrong)) == [False, True, True]
    assert recognized(udp_capture(wrong, right, wrong), "-2") == [False, True, True]


def test_heuristics_can_be_switched_off(udp_capture):
    capture = udp_capture(tshark.reply(frame(0xE1, GET_A)))
    assert recognized(capture, "--disable-heuristic", "squirrel_udp") == [False]
    assert recognized(capture, "--disable-protocol", "squirrel") == [False]


# ---- other protocols on the port -------------------------------------------------------------------------------

STUN = bytes.fromhex("000100002112a442") + bytes(range(12))
RTP = bytes.fromhex("8000000100000000deadbeef7f7f7f7f")
RTCP = bytes.fromhex("80c80006") + bytes(range(1, 25))
OTHER_PROTOCOLS = {
    "RTP": RTP, "RTP with a marker": b"\x80\xe0" + RTP[2:] + bytes(150), "RTCP": RTCP, "STUN": STUN,
    "QUIC": bytes.fromhex("c0000000010808") + bytes(range(60)),
    "a short QUIC header": b"\x84" + bytes(range(30)), "an ACK with no list": b"\xc0\0\0",
    "a NAK of zeros": b"\xa0" + bytes(9), "a float just below 8": struct.pack("<f", 7.9999986),
    "floats just below 8": struct.pack("<fff", 7.9999847, 1.5, -2.25),
    "text": b"hello", "the browser's question": b"VCMP\x7f\0\0\1\x00\x20i", "nothing but zeros": bytes(16),
    "RakNet with a wrong length": b"\x84\x02\0\0\x60\0\x88\1\0\0\0\0\0\0" + bytes(16),
    "RakNet with reserved bits": b"\x84\x02\0\0\x61\0\x80\1\0\0\0\0\0\0" + bytes(16),
}


def test_on_the_port_other_protocols_are_declined(tmp_path):
    packets = [tshark.Udp(51000 + i, 8192, payload) for i, payload in enumerate(OTHER_PROTOCOLS.values())]
    found = tshark.fields(tshark.write_pcap(tmp_path / "port.pcap", packets), ["frame.protocols"])
    taken = {what: packet["frame.protocols"] for what, packet in zip(OTHER_PROTOCOLS, found)
             if "squirrel" in packet["frame.protocols"][0] or "raknet" in packet["frame.protocols"][0]}
    assert taken == {}


def test_in_a_known_conversation_other_protocols_are_declined(udp_capture):
    packets = [tshark.reply(payload) for payload in (frame(0xE1, GET_A), STUN, b"text", GET_A[:-1], frame(0xE1, GET_A))]
    found = tshark.fields(udp_capture(*packets), ["frame.protocols"])
    last = [packet["frame.protocols"][0].split(":")[-1] for packet in found]
    assert last == ["squirrel", "stun", "data", "data", "squirrel"]


def test_on_the_port_the_protocol_column_is_squirrel(udp_capture):
    wrong = frame(0xE1, holding(b"h", b"s\0\1a", b"b\2"))
    capture = udp_capture(tshark.Udp(51000, 8192, frame(0xE1, GET_A)), tshark.Udp(51000, 8192, wrong))
    for packet in tshark.fields(capture, ["frame.protocols"]):
        assert packet["frame.protocols"] == ["eth:ethertype:ip:udp:squirrel"]
    listed = tshark.run(["-q", "-z", "expert"], capture).stdout.splitlines()
    assert [line.split()[2] for line in listed if "neither 0 nor 1" in line] == ["Squirrel"]


# ---- RakNet ----------------------------------------------------------------------------------------------------


def datagram(payload):
    """A reliable ordered message in a RakNet datagram."""
    return (b"\x84\x02\0\0\x60" + struct.pack(">H", 8 * len(payload)) + b"\1\0\0" b"\0\0\0" b"\0" + payload)


def message(content, ident=0x6E):
    return bytes([ident]) + struct.pack(">I", len(content)) + content


def test_raknet_without_its_beginning_is_found_on_the_port(udp_capture):
    capture = udp_capture(tshark.Udp(8192, 51000, datagram(message(frame(0xE1, GET_A)))))
    [packet] = tshark.fields(capture, ["raknet.message.flags", "squirrel.expression"])
    assert packet == {"raknet.message.flags": ["0x60"], "squirrel.expression": ['GetRemoteValue("a")']}


def test_raknet_on_another_port_is_found_after_decode_as(udp_capture):
    capture = udp_capture(tshark.reply(datagram(message(frame(0xE1, GET_A)))))
    args = ("-d", f"udp.port=={tshark.SERVER_PORT},raknet")
    assert tshark.fields(capture, ["squirrel.expression"], *args) == [{"squirrel.expression": ['GetRemoteValue("a")']}]


def test_inside_raknet_only_bytes_after_a_frame_may_be_invalid(udp_capture):
    broken, good = message(frame(0xE1, GET_A[:-1])), message(frame(0xE1, GET_A))
    other = b"\x50" + b"another message of the game"
    packets = [tshark.reply(datagram(payload)) for payload in (broken, good, other, broken, message(b"o"))]
    args = ("-d", f"udp.port=={tshark.SERVER_PORT},raknet")
    assert recognized(udp_capture(*packets), *args) == [False, True, False, True, False]
    assert recognized(udp_capture(*packets), "-2", *args) == [False, True, False, True, False]


def test_the_heuristic_inside_raknet_can_be_switched_off(udp_capture):
    capture = udp_capture(tshark.reply(datagram(message(frame(0xE1, GET_A)))))
    args = ("-d", f"udp.port=={tshark.SERVER_PORT},raknet", "--disable-heuristic", "squirrel_raknet")
    assert recognized(capture, *args) == [False]


def test_the_heuristics_are_listed():
    listed = tshark.run(["-G", "heuristic-decodes"]).stdout.splitlines()
    heuristics = {tuple(line.split("\t")[:3]) for line in listed}
    assert {("udp", "squirrel", "T"), ("raknet", "squirrel", "T")} <= heuristics


def test_a_dissector_by_name_is_there_for_lua(udp_capture, tmp_path):
    """Other dissectors find the dissector by name: in this test with tshark's Lua, if it has Lua."""
    if "with Lua" not in tshark.run(["--version"]).stdout:
        pytest.skip("this tshark has no Lua")
    script = tmp_path / "probe.lua"
    script.write_text("print(Dissector.get('squirrel') ~= nil)\n")
    script.chmod(0o644)
    tmp_path.chmod(0o755)
    readable = tshark.readable(script)
    assert "true" in tshark.run(["-X", f"lua_script:{readable}"], udp_capture(tshark.reply(b"o"))).stdout


# ---- the port and Decode As ----------------------------------------------------------------------------------


@pytest.mark.parametrize("port, chosen", [(7777, 8192), (0, 8192), (7777, 7777)])
def test_the_preference_does_not_change_what_a_user_has_chosen(port, chosen, tmp_path):
    path = tshark.write_pcap(tmp_path / "chosen.pcap", [tshark.Udp(41000, chosen, bytes(20))])
    options = ("-o", f"squirrel.port:{port}", "-d", f"udp.port=={chosen},enet")
    (packet,) = tshark.fields(path, ["enet"], *options)
    assert packet["enet"]


def test_other_messages_of_raknet_on_the_port_have_no_note(tmp_path):
    other = datagram(b"\x86\1\2\3game data")
    path = tshark.write_pcap(tmp_path / "other.pcap", [tshark.Udp(41000, 8192, other)])
    (packet,) = tshark.fields(path, ["raknet", "_ws.expert"])
    assert packet["raknet"] and packet["_ws.expert"] == ["Expert Info (Warning/Undecoded): RakNet unknown message ID"]
