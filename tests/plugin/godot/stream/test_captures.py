# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants on TCP and WebSocket, against what the engines logged (pcaps/README.md)."""

import functools
import json
import re

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.variants import encode
from plugin.godot.stream.samples import STREAM, framed, generation, log, path_of, same_value

STREAMS = sorted(path.stem for path in (tshark.PCAPS / "godot/stream").glob("*.pcap"))
# Other things between the Variants, or Variants in pieces of some bytes: not all of them can be found.
HARD = ("-mixed", "-pieces")
EASY = [name for name in STREAMS if not name.endswith(HARD)]


# 64,000 bytes of numbers or text prove too little.
LARGE = [name for name in STREAMS if name.endswith("-large")]
FOUND = [name for name in STREAMS if name not in LARGE]
CHOSEN = ("-d", "tcp.port==40700,godot_stream")

NAMES = ("frame.number", "tcp.srcport", "godot_stream.value", "godot_stream.order", "godot_stream.data", "godot_stream.other",
         "godot_debugger.message", "_ws.expert.message")


@functools.lru_cache(maxsize=None)
def packets_of_each(captures, *args):
    return tshark.fields_of_each(captures, NAMES, *args)


def packets(capture, *args):
    """With one start of tshark for all captures that are decoded alike."""
    alike, chosen = (LARGE, CHOSEN) if capture in LARGE else (FOUND, ())
    return packets_of_each(tuple(map(path_of, alike)), *chosen, *args)[path_of(capture)]


@functools.lru_cache(maxsize=None)
def late(capture, first):
    """The capture from a packet on."""
    return tshark.cut_beginning(path_of(capture), tshark.scratch() / f"{capture}-{first}.pcap", first)


def put(capture, side):
    return [line["text"] for line in log(capture) if line["what"] == "put_var" and line["from"] == side]


def shown(capture, side):
    server = "40700"
    return [value for packet in packets(capture, "-2") for value in packet["godot_stream.value"]
            if (packet["tcp.srcport"] == [server]) == (side == "server")]


@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("capture", EASY)
def test_each_variant_is_there_in_its_order(capture, side):
    read, written = shown(capture, side), put(capture, side)
    assert len(read) == len(written)
    for one, other in zip(read, written):
        assert same_value(one, other, generation(capture)), (one, other)


@pytest.mark.parametrize("capture", [name for name in STREAMS if name.endswith(HARD)])
def test_between_other_data_only_variants_that_were_sent_are_shown(capture):
    ours = [value for side in ("client", "server") for value in shown(capture, side)]
    written = [line["text"] for line in log(capture) if "text" in line]
    assert ours
    assert [one for one in ours if not any(same_value(one, other, generation(capture)) for other in written)] == []


def test_each_variant_has_a_line_of_json():
    packets_with_some = tshark.fields(path_of("godot-4.6.3-stream"), ["godot_stream.value", "godot_stream.json"], "-2",
                                      "-Y", "godot_stream.value")
    commands = 0
    for packet in packets_with_some:
        lines = [json.loads(line) for line in packet["godot_stream.json"]]
        for text, line in zip(packet["godot_stream.value"], lines, strict=True):
            assert line["kind"] == "variant"
            command = re.search(r'"cmd": "(\w+)"', text)
            assert not command or line["value"]["cmd"] == command.group(1)
            commands += bool(command)
    assert commands


@pytest.mark.parametrize("capture", [name for name in STREAMS if name.endswith("packet-stream")])
def test_packets_that_are_no_variants_are_shown_as_bytes(capture):
    sent = {line["bytes"] for line in log(capture) if line["what"] == "put_packet"}
    data = {value.replace(":", "") for packet in packets(capture, "-2") for value in packet["godot_stream.data"]}
    assert data <= sent and data


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
def test_stale_padding_of_godot_4_6_0_is_no_fault(passes):
    """WebSocketPeer.put_var of NodePaths in values of every kind. The text about D-SACK is of TCP's dissector."""
    values = [packet for packet in packets("godot-4.6.0-values-websocket", *passes) if packet["godot_stream.value"]]
    texts = [text for packet in values for text in packet["_ws.expert.message"] if not text.startswith("D-SACK")]
    assert len(texts) > 15 and {text.split(" (")[0] for text in texts} == {
        "The padding holds stale bytes of the sender's buffer, as Godot before 4.6.3 leaves them"}


# ---- capture, pass and order ---------------------------------------------------------------------------


@pytest.mark.parametrize("capture", [name for name in STREAMS if "big-endian" in name])
def test_lengths_are_big_endian_where_the_stream_is(capture):
    orders = {order for packet in packets(capture, "-2") for order in packet["godot_stream.order"]}
    assert orders == {"big-endian"}


def orders_set(capture, side):
    """The byte order of each Variant of a side: the game changes that of both ends."""
    orders, big_endian = [], False
    for line in log(capture):
        if line["what"] == "big_endian":
            big_endian = line["value"]
        elif line["from"] == side:
            orders.append("big-endian" if big_endian else "little-endian")
    return orders


ORDERS = [name for name in STREAMS if name.endswith("-orders")]
ORDERS_FROM = (1, 5, 30, 60)


@pytest.mark.parametrize("chosen", [(), CHOSEN], ids=["found", "chosen"])
@pytest.mark.parametrize("first", ORDERS_FROM)
@pytest.mark.parametrize("capture", ORDERS)
def test_byte_orders_are_those_that_the_game_set(capture, first, chosen):
    cuts = tuple(late(name, start) for name in ORDERS for start in ORDERS_FROM)
    rows = packets_of_each(cuts, "-2", *chosen)[late(capture, first)]
    for side in ("client", "server"):
        ours = [pair for row in rows if (row["tcp.srcport"] == ["40700"]) == (side == "server")
                for pair in zip(row["godot_stream.order"], row["godot_stream.value"])]
        written = list(zip(orders_set(capture, side), put(capture, side)))[-len(ours):]
        # A cut stream is recognized by what proves it: numbers and vectors do not.
        assert len(ours) >= (len(put(capture, side)) * (99 - first) // 99 - 3 if chosen else 3)
        assert [one[0] for one in ours] == [other[0] for other in written]
        assert all(same_value(one[1], other[1], generation(capture)) for one, other in zip(ours, written))


SEGMENTS = [framed(encode({"cmd": "join", "name": "Ann", "id": 7}), order) + framed(encode(number), order)
            for number, order in enumerate(("little", "big", "big", "little", "little"))]


@pytest.mark.parametrize("args", [(), ("-2",), STREAM, (*STREAM, "-2")], ids=" ".join)
def test_a_stream_may_change_its_byte_order(args, tmp_path):
    capture = tshark.write_tcp(tmp_path / "orders.pcap", SEGMENTS)
    rows = tshark.fields(capture, ["godot_stream.value", "godot_stream.order"], *args)
    assert [row["godot_stream.value"] for row in rows] == [['{"cmd": "join", "name": "Ann", "id": 7}', str(number)]
                                                           for number in range(len(SEGMENTS))]
    assert [row["godot_stream.order"][0] for row in rows] == ["little-endian", "big-endian", "big-endian",
                                                              "little-endian", "little-endian"]


@pytest.mark.parametrize("capture", [name for name in STREAMS if name.endswith("-mixed")])
def test_bytes_between_the_variants_are_those_that_the_game_wrote(capture):
    """Without what is sent before the first Variant is recognized, and after the last."""
    other = [value.replace(":", "") for packet in packets(capture, "-2") for value in packet["godot_stream.other"]]
    numbers = "d4fe" + "08000000" + "000000000000d03f"
    assert len(other) >= 6
    assert {len(value) // 2 for value in other} == {11, 14}
    assert {value for value in other if len(value) == 28} == {numbers}
    assert all(value.endswith("06000000" + "héllo".encode().hex()) for value in other if len(value) == 22)


@pytest.mark.parametrize("capture", STREAMS)
def test_both_passes_show_the_same(capture):
    """But for the packets that together proved what the stream is: only the second pass shows those before the last."""
    differ = [one for one, other in zip(packets(capture), packets(capture, "-2")) if one != other]
    assert [one for one in differ if one["godot_stream.value"] or one["godot_stream.other"]] == []
    assert len(differ) <= 1


@pytest.mark.parametrize("folder", ["godot/stream", "godot/debugger"])
def test_nothing_is_malformed(folder):
    filters = ["frame", "godot_stream.value || godot_debugger.message", "_ws.malformed", "_ws.expert.group == malformed && godot"]
    frames, values, *malformed = tshark.counts(tshark.captures_of(folder), filters)
    assert frames > values > 50 and malformed == [0, 0]


STREAMS_OF_4 = [name for name in STREAMS if "4.6.3" in name and not name.endswith("websocket")]


@pytest.mark.parametrize("capture", STREAMS_OF_4)
@pytest.mark.parametrize("first", [9, 20])
def test_a_capture_without_its_beginning_shows_only_values_that_were_sent(capture, first):
    cuts = tuple(late(name, start) for name in STREAMS_OF_4 for start in (9, 20))
    written = [line["text"] for line in log(capture) if "text" in line]
    ours = [value for packet in packets_of_each(cuts, "-2")[late(capture, first)] for value in packet["godot_stream.value"]]
    # The five packets at the end of -large are a part of one value.
    assert ours or (capture, first) == ("godot-4.6.3-stream-large", 20)
    assert [one for one in ours if not any(same_value(one, other, generation(capture)) for other in written)] == []


# ---- other protocols -----------------------------------------------------------------------------------------

OTHER_PROTOCOLS = {
    "http": b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
    "tls": bytes.fromhex("16030100c8010000c40303") + bytes(range(32)) * 6,
    "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "json": framed(b'{"cmd": "join", "name": "Ann", "id": 7}  '),
    "json_big": framed(b'{"cmd": "join", "name": "Ann", "id": 7}  ', "big"),
    "msgpack": framed(bytes.fromhex("83a3636d64a46a6f696ea46e616d65a3416e6ea2696407")),
    "protobuf": framed(bytes.fromhex("0a046a6f696e1203416e6e18072200")),
    "bson": framed(b"\x02cmd\x00\x05\x00\x00\x00join\x00\x10id\x00\x07\x00\x00\x00\x00"),
    "words": framed(b"".join(n.to_bytes(4, "little") for n in (2, 7, 4, 1, 0, 28))),
    "type_and_text": framed((4).to_bytes(4, "little") + framed(b"join") + (2).to_bytes(4, "little")),
}


def test_other_protocols_on_tcp_are_not_recognized(tmp_path):
    connections = [[(False, data)] * 12 for data in OTHER_PROTOCOLS.values()]
    capture = tshark.write_tcp_connections(tmp_path / "other.pcap", connections)
    found = tshark.fields(capture, ["tcp.stream"], "-2", "-Y", "godot || godot_stream || godot_debugger")
    assert {list(OTHER_PROTOCOLS)[int(packet["tcp.stream"][0])] for packet in found} == set()


def test_a_dictionary_among_these_values_is_evidence(tmp_path):
    dictionary = bytes.fromhex("1b00000002000000040000000500000073636f7265000000020000000500000004000000020000006f660000"
                               "0400000003000000416e6e00")
    capture = tshark.write_tcp(tmp_path / "ours.pcap", [framed(dictionary)])
    assert tshark.fields(capture, ["godot_stream.value"])[0]["godot_stream.value"] == ['{"score": 5, "of": "Ann"}']


# ---- preferences -----------------------------------------------------------------------------------------


def test_ports_and_byte_order_can_be_given_in_the_preferences(tmp_path):
    """Wireshark looks for the module of a preference by the first part of its name that is one."""
    capture = tshark.write_tcp(tmp_path / "values.pcap", [framed(bytes.fromhex("0200000007000000"), "big")] * 3)
    values = ["godot_stream.value", "godot_stream.length"]
    assert [row["godot_stream.value"] for row in tshark.fields(capture, values)] == [[]] * 3
    prefs = {"godot_stream.tcp.port": tshark.SERVER_PORT, "godot_stream.byte_order": "big"}
    assert [row["godot_stream.value"] for row in tshark.fields(capture, values, prefs=prefs)] == [["7"]] * 3
    wrong = {**prefs, "godot_stream.byte_order": "little"}
    assert [row["godot_stream.value"] for row in tshark.fields(capture, values, prefs=wrong)] == [[]] * 3


def test_the_debugger_has_the_ports_of_its_preference(tmp_path):
    # ["game:state", 1, [7]]: a message of the game's own, which no table has.
    message = framed(bytes.fromhex("1c00000003000000040000000a00000067616d653a73746174650000020000000100000" +
                                   "01c000000010000000200000007000000"))
    capture = tshark.write_tcp(tmp_path / "debugger.pcap", [message])
    chosen = {"godot_debugger.tcp.port": f"6007,{tshark.SERVER_PORT}"}
    assert tshark.fields(capture, ["frame.number"], "-Y", "godot_debugger") == []
    assert tshark.info_column(capture, prefs=chosen) == ["game:state(7)"]


def test_each_preference_is_one(tmp_path):
    capture = tshark.write_tcp(tmp_path / "any.pcap", [b"x"])
    tshark.run([], capture, prefs={"godot_mp.generation": "3", "godot.generation": "3"})
