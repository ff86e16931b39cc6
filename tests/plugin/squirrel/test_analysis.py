# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands and their answers, split streams, statistics: results that depend on several packets."""

import os
import re
import struct
import subprocess

import pytest

import gamewire_tshark as tshark
from plugin.squirrel.samples import (AS_RAKNET, AS_TEST, NULL, answer, ask, chunk, datagram, frame, get, message,
                                     split_datagrams, token)

PCAPS = tshark.PCAPS / "squirrel"
SESSION, SPLIT = PCAPS / "session.pcap", PCAPS / "split.pcap"

LINKS = ["squirrel.response_in", "squirrel.response_to", "squirrel.relayed_in", "squirrel.relay_of", "squirrel.time",
         "squirrel.failed", "frame.time_epoch"]


def number(packet, name):
    values = packet["squirrel." + name]
    assert len(values) <= 1
    return int(values[0]) if values else None


def linked(capture, *args):
    """A dict of frame number to its links, for packets with links."""
    packets = tshark.fields(capture, LINKS, *args)
    return {i + 1: packet for i, packet in enumerate(packets)}


# ---- the session, frame by frame -------------------------------------------------------------------------------

# The links, by the labels of session.jsonl. 29 answers a token that was not sent, 30 has no answer, 3 and 28 have
# token -1.
ANSWERS = {1: 2, 7: 8, 9: 10, 11: 12, 13: 14, 15: 21, 16: 22, 17: 20, 18: 19, 23: 24, 25: 26,
           37: 40, 38: 39, 41: 44, 42: 43, 45: 48, 46: 47, 49: 50, 51: 52, 53: 54, 55: 56, 57: 58, 59: 62, 60: 61,
           63: 64}
RELAYS = {37: 38, 39: 40, 41: 42, 43: 44, 45: 46, 47: 48, 59: 60, 61: 62}
FAILED = {23, 25, 45, 46}


def test_each_command_is_linked_to_its_response():
    packets = linked(SESSION, "-2")
    found = {frame: number(packet, "response_in") for frame, packet in packets.items()}
    assert {frame: answer for frame, answer in found.items() if answer} == ANSWERS


def test_each_response_is_linked_to_its_command_with_the_time():
    packets = linked(SESSION)
    found = {number(packet, "response_to"): frame for frame, packet in packets.items()}
    del found[None]
    assert found == ANSWERS
    for command, answer in ANSWERS.items():
        apart = float(packets[answer]["frame.time_epoch"][0]) - float(packets[command]["frame.time_epoch"][0])
        assert float(packets[answer]["squirrel.time"][0]) == pytest.approx(apart, abs=1e-6)
    assert sum(bool(packet["squirrel.time"]) for packet in packets.values()) == len(ANSWERS)


def test_relayed_frames_are_linked_both_ways():
    packets = linked(SESSION, "-2")
    assert {f: number(p, "relayed_in") for f, p in packets.items() if number(p, "relayed_in")} == RELAYS
    assert {number(p, "relay_of"): f for f, p in packets.items() if number(p, "relay_of")} == RELAYS


def test_a_command_with_an_error_as_response_is_marked():
    packets = linked(SESSION, "-2")
    assert {frame for frame, packet in packets.items() if packet["squirrel.failed"]} == FAILED


def expert_frames(capture, name, *args):
    return [int(packet["frame.number"][0])
            for packet in tshark.fields(capture, ["frame.number"], "-Y", f"squirrel.{name}", *args)]


def test_error_answers_and_answers_without_command_are_reported():
    assert expert_frames(SESSION, "command.failed") == [24, 26, 28, 47, 48]
    assert expert_frames(SESSION, "command.unseen") == [29]
    assert expert_frames(SESSION, "command.unseen", "-2") == [29]


def test_the_info_column_of_the_session_equals_a_log():
    names = ["frame.number", "squirrel.token", "squirrel.response_in", "squirrel.time", "squirrel.expression"]
    arguments = [part for name in names for part in ("-e", name)]
    lines = tshark.run(["-2", "-Y", "squirrel.token", "-T", "fields", *arguments], SESSION).stdout.splitlines()
    assert lines[3] == '7\t1\t8\t\tGetRemoteValueEx(GetRemoteValue("LocalPlayer"), "Pos")'
    assert lines[4] == "8\t1\t\t0.035351000\tVector(-719.5, 648.25, 11)" or lines[4].startswith("8\t1\t\t0.0")
    assert lines[7] == '11\t3\t12\t\t(GetRemoteValue("Score") + 5) * 2'


def test_the_links_exist_inside_raknet_too():
    packets = linked(PCAPS / "raknet.pcap", "-2")
    answers = {frame: number(packet, "response_in") for frame, packet in packets.items()
               if packet["squirrel.response_in"]}
    # The command for 80 is the third frame of its datagram; 85 is sent again after its datagram was lost.
    assert answers == {25: 27, 37: 43, 39: 41, 47: 49, 53: 55, 61: 72, 80: 82, 85: 87}


def test_a_command_without_a_response_is_marked_on_the_second_pass():
    packets = linked(SESSION, "-2", "-Y", "squirrel.unanswered", "-e", "frame.number")
    found = [packet for packet in tshark.fields(SESSION, ["frame.number"], "-2", "-Y", "squirrel.unanswered")]
    assert [packet["frame.number"] for packet in found] == [["30"]] and len(packets) == 1
    assert tshark.fields(SESSION, ["frame.number"], "-Y", "squirrel.unanswered") == []


def test_commands_without_a_requested_response_are_not_unanswered(udp_capture):
    packets = [tshark.reply(frame(0xEF, token(-1), b"\0\1x")), tshark.request(frame(0xF2, token(0), get(b"x"))),
               tshark.request(frame(0xE9, b"\2", token(0), get(b"x"))), tshark.reply(frame(0xE2, token(0), get(b"x")))]
    capture = udp_capture(*packets)
    found = tshark.fields(capture, ["frame.number"], "-2", "-Y", "squirrel.unanswered", *AS_TEST)
    assert found == [{"frame.number": ["4"]}]


# ---- retransmissions and quotations ----------------------------------------------------------------------------


def test_a_retransmission_of_raknet_is_not_a_new_command(udp_capture):
    asked = message(frame(0xE2, token(1), get(b"x")))
    answered = tshark.request(datagram(9, message(frame(0xE3, token(1), NULL), 0x3E)))
    packets = [tshark.reply(datagram(5, asked)), tshark.reply(datagram(5, asked)), answered,
               tshark.reply(datagram(6, asked)), answered]
    capture = udp_capture(*packets)
    names = ["squirrel.retransmission_of", "squirrel.response_in", "squirrel.response_to", "squirrel.unanswered"]
    found = [{name.split(".")[1]: value for name, value in packet.items() if value}
             for packet in tshark.fields(capture, names, "-2", *AS_RAKNET)]
    assert found == [{"response_in": ["3"]}, {"response_in": ["3"], "retransmission_of": ["1"]}, {"response_to": ["1"]},
                     {"unanswered": ["1"]}, {"response_to": ["1"], "retransmission_of": ["3"]}]
    assert expert_frames(capture, "retransmission", *AS_RAKNET) == [2, 5]
    assert expert_frames(capture, "command.unseen", *AS_RAKNET) == []


def test_after_a_reconnection_equal_messages_are_new_ones(udp_capture):
    """RakNet and the scripts count from 0 again."""
    asked = datagram(5, message(frame(0xE2, token(1), get(b"x"))))
    answered = datagram(9, message(frame(0xE3, token(1), NULL), 0x3E))
    path = udp_capture(*(one for at in (0, 60) for one in (tshark.reply(asked, at), tshark.request(answered, at + 0.5))))
    names = ["squirrel.retransmission_of", "squirrel.response_to", "squirrel.time"]
    found = tshark.fields(path, names, "-2", *AS_RAKNET)
    assert [packet["squirrel.retransmission_of"] for packet in found] == [[]] * 4
    assert [packet["squirrel.response_to"] for packet in found] == [[], ["1"], [], ["3"]]
    assert [float(time) for packet in found for time in packet["squirrel.time"]] == [0.5, 0.5]


@pytest.mark.parametrize("sent", [lambda number, content: [datagram(number, content, flags=0x40)], split_datagrams],
                         ids=["reliable", "split"])
def test_a_resent_message_has_the_same_answer(udp_capture, sent):
    """A message without an order, and one that RakNet split: the parts are resent with other numbers."""
    asked = list(sent(5, message(frame(0xE2, token(1), get(b"x" * 200)))))
    answered = tshark.request(datagram(9, message(frame(0xE3, token(1), NULL), 0x3E)))
    capture = udp_capture(*map(tshark.reply, asked), *map(tshark.reply, asked), answered)
    names = ["squirrel.retransmission_of", "squirrel.response_in", "squirrel.response_to", "squirrel.unanswered"]
    found = [{name.split(".")[1]: value for name, value in packet.items() if value}
             for packet in tshark.fields(capture, names, "-2", *AS_RAKNET)]
    first, last = len(asked), 2 * len(asked) + 1
    assert found[first - 1] == {"response_in": [str(last)]}
    assert found[2 * first - 1] == {"response_in": [str(last)], "retransmission_of": [str(first)]}
    assert found[-1] == {"response_to": [str(first)]}


def test_a_resent_answer_has_no_response_time(udp_capture):
    """The answer was received with the first one."""
    asked = tshark.reply(datagram(5, message(frame(0xE2, token(1), get(b"x")))))
    answered = tshark.request(datagram(9, message(frame(0xE3, token(1), NULL), 0x3E)), 0.5)
    names = ["squirrel.response_to", "squirrel.time"]
    found = tshark.fields(udp_capture(asked, answered, answered._replace(time=9)), names, *AS_RAKNET)
    assert [list(packet.values()) for packet in found] == [[[], []], [["1"], ["0.500000000"]], [["1"], []]]


def test_equal_split_commands_without_a_requested_answer_are_two(udp_capture):
    """Nothing of them shows that the second was sent again."""
    asked = list(split_datagrams(5, message(frame(0xF2, token(0), get(b"x" * 200)), 0x3E)))
    packets = [tshark.request(part, time) for time in (0, 2) for part in asked]
    found = tshark.fields(udp_capture(*packets), ["squirrel.retransmission_of", "squirrel.token"], "-2", *AS_RAKNET)
    assert [list(packet.values()) for packet in found] == [[[], []], [[], ["0"]], [[], []], [[], ["0"]]]


def test_a_split_message_of_the_same_content_is_a_new_command_later(udp_capture):
    asked = list(split_datagrams(5, message(frame(0xE2, token(1), get(b"x" * 200)))))
    packets = [tshark.reply(part) for part in asked] + [tshark.Udp(*tshark.reply(part)[:3], 60.0) for part in asked]
    found = tshark.fields(udp_capture(*packets), ["squirrel.retransmission_of"], "-2", *AS_RAKNET)
    assert [packet["squirrel.retransmission_of"] for packet in found] == [[]] * 4


def test_a_retransmission_is_not_counted(udp_capture):
    asked = message(frame(0xE2, token(1), get(b"x")))
    rows = statistics(udp_capture(*[tshark.reply(datagram(5, asked))] * 3), *AS_RAKNET)
    assert rows["Frames", "RemoteExecuteSpecial"][0] == "1" and rows["Values read", "x"][0] == "1"
    assert rows["Retransmissions", "RemoteExecuteSpecial"][0] == "2"


def test_messages_of_one_datagram_are_distinguished_on_both_passes(udp_capture):
    asked = [message(frame(0xE2, token(i), get(b"x%d" % i))) for i in range(3)]
    answers = [message(frame(0xE3, token(i), NULL), 0x3E) for i in (2, 0, 1)]
    capture = udp_capture(tshark.reply(datagram(1, *asked)), tshark.request(datagram(1, *answers[:2])),
                          tshark.request(datagram(3, answers[2])))
    found = tshark.fields(capture, ["squirrel.response_in"], "-2", *AS_RAKNET)
    assert found[0] == {"squirrel.response_in": ["2", "3", "2"]}
    first, second = (tshark.fields(capture, ["squirrel.response_to"], *more, *AS_RAKNET) for more in ((), ("-2",)))
    assert first == second == [{"squirrel.response_to": []}, {"squirrel.response_to": ["1", "1"]},
                               {"squirrel.response_to": ["1"]}]


def test_a_response_quoted_in_an_icmp_error_is_not_linked(udp_capture, tmp_path):
    plain = udp_capture(ask(1), answer(1), answer(1))
    quoted = quote_packet(plain, tmp_path / "quoted.pcap", 2, before=2)
    found = tshark.fields(quoted, ["squirrel.response_to", "squirrel.expression", "squirrel.command.unseen"], *AS_TEST)
    assert found[1]["squirrel.response_to"] == [] and found[1]["squirrel.expression"] == ["null"]
    assert found[1]["squirrel.command.unseen"] == []
    assert found[2]["squirrel.response_to"] == ["1"]
    assert found[3]["squirrel.response_to"] == []


def quote_packet(capture, path, number, before):
    """The capture with an ICMP error before packet `before` that quotes packet `number`."""
    data = capture.read_bytes()
    head, records, at = data[:24], [], 24
    while at < len(data):
        length = struct.unpack("<I", data[at + 8:at + 12])[0]
        records.append(data[at:at + 16 + length])
        at += 16 + length
    frame_bytes = records[number - 1][16:]
    datagram_bytes = frame_bytes[14:]
    icmp = b"\3\3\0\0" + bytes(4) + datagram_bytes
    addresses = datagram_bytes[16:20] + datagram_bytes[12:16]
    ip = b"\x45\0" + struct.pack(">H", 20 + len(icmp)) + bytes(4) + b"\x40\1\0\0" + addresses
    packet = frame_bytes[6:12] + frame_bytes[:6] + frame_bytes[12:14] + ip + icmp
    record = records[number - 1][:8] + struct.pack("<II", len(packet), len(packet)) + packet
    path.write_bytes(head + b"".join(records[:before - 1]) + record + b"".join(records[before - 1:]))
    return path


def test_equal_relays_are_linked_first_in_first_out(udp_capture):
    asks = [tshark.request(frame(0xE9, b"\1", token(1), get(b"x")), time, **{"from": host})
            for time, host in ((0.0, 1), (0.1, 3), (0.2, 4))]
    relays = [tshark.reply(frame(0xEA + 1, b"\0", token(1), get(b"x")), time, to=host)
              for time, host in ((1.0, 5), (1.1, 6), (1.2, 7))]
    packets = tshark.fields(udp_capture(*asks, *relays), ["squirrel.relayed_in", "squirrel.relay_of"], "-2", *AS_TEST)
    assert [packet["squirrel.relayed_in"] for packet in packets[:3]] == [["4"], ["5"], ["6"]]
    assert [packet["squirrel.relay_of"] for packet in packets[3:]] == [["1"], ["2"], ["3"]]


# ---- tokens that are used again --------------------------------------------------------------------------------


def answers_of(capture):
    packets = linked(capture, "-2")
    return {frame: number(packet, "response_to") for frame, packet in packets.items() if packet["squirrel.response_to"]}


def test_an_answer_is_linked_to_the_latest_unanswered_command(udp_capture):
    assert answers_of(udp_capture(ask(1), ask(1), answer(1), answer(1), answer(1))) == {3: 2, 4: 1}


def test_an_answer_before_its_command_is_not_linked(udp_capture):
    assert answers_of(udp_capture(answer(1), ask(1), answer(1))) == {3: 2}


def test_a_command_is_not_answered_by_its_own_sender(udp_capture):
    wrong_way = tshark.reply(frame(0xE3, token(1), NULL))
    assert answers_of(udp_capture(ask(1), wrong_way, answer(1))) == {3: 1}


def test_each_conversation_has_its_own_tokens(udp_capture):
    other = tshark.Udp(tshark.CLIENT_PORT + 5, tshark.SERVER_PORT, frame(0xE3, token(1), NULL), 0.0, {})
    assert answers_of(udp_capture(ask(1), other, answer(1))) == {3: 1}


def test_another_kind_of_answer_is_not_linked(udp_capture):
    loaded = tshark.request(frame(0xF0, token(1), NULL))
    assert answers_of(udp_capture(ask(1), loaded, answer(1))) == {3: 1}


@pytest.mark.parametrize("ipv6", [False, True])
def test_every_pair_is_matched(udp_capture, ipv6):
    player = b"\x02"
    text = b"\x00\x01x"
    packets = [
        tshark.reply(frame(0xE2, token(5), get(b"x")), 0.0, ipv6=ipv6),
        tshark.request(frame(0xE3, token(5), NULL), 0.25, ipv6=ipv6),
        tshark.request(frame(0xE9, player, token(5), get(b"x")), 0.5, ipv6=ipv6),
        tshark.reply(frame(0xE8, player, token(5), NULL), 1.0, ipv6=ipv6),
        tshark.reply(frame(0xEB, player, token(5), get(b"y")), 1.5, ipv6=ipv6),
        tshark.request(frame(0xE7, player, token(5), NULL), 1.75, ipv6=ipv6),
        tshark.request(frame(0xF2, token(5), get(b"x")), 2.0, ipv6=ipv6),
        tshark.reply(frame(0xF3, token(5), NULL), 4.0, ipv6=ipv6),
        tshark.reply(frame(0xEF, token(5), text), 5.0, ipv6=ipv6),
        tshark.request(frame(0xF0, token(5), NULL), 5.5, ipv6=ipv6),
    ]
    capture = udp_capture(*packets)
    assert answers_of(capture) == {2: 1, 4: 3, 6: 5, 8: 7, 10: 9}
    times = {f: float(p["squirrel.time"][0]) for f, p in linked(capture).items() if p["squirrel.time"]}
    assert times == pytest.approx({2: 0.25, 4: 0.5, 6: 0.25, 8: 2.0, 10: 0.5})


def test_peers_are_distinguished_by_their_numbers(udp_capture):
    packets = [tshark.request(frame(0xE9, b"\x01", token(1), get(b"x"))),
               tshark.request(frame(0xE9, b"\x02", token(1), get(b"y"))),
               tshark.reply(frame(0xE8, b"\x01", token(1), NULL)),
               tshark.reply(frame(0xE8, b"\x02", token(1), NULL))]
    assert answers_of(udp_capture(*packets)) == {3: 1, 4: 2}


# ---- split streams ---------------------------------------------------------------------------------------------

# Of split.jsonl: which packet completes a stream, and how many bytes that makes.
JOINED = {4: 10813, 8: None, 14: 10813, 23: 10813, 26: None, 30: None, 34: None, 45: 10813, 46: None, 47: None}
DUPLICATES = {11: 10, 13: 10, 15: 12, 32: 31}


def test_a_stream_is_reassembled_at_its_last_missing_chunk():
    packets = tshark.fields(SPLIT, ["squirrel.reassembled.length"])
    found = {i + 1: int(packet["squirrel.reassembled.length"][0]) for i, packet in enumerate(packets)
             if packet["squirrel.reassembled.length"]}
    assert sorted(found) == sorted(JOINED)
    assert all(found[frame] == length for frame, length in JOINED.items() if length)


def test_the_chunks_are_linked_to_the_reassembled_frame():
    packets = tshark.fields(SPLIT, ["squirrel.reassembled.in"], "-2")
    found = {i + 1: int(packet["squirrel.reassembled.in"][0]) for i, packet in enumerate(packets)
             if packet["squirrel.reassembled.in"]}
    assert found == {2: 4, 3: 4, 6: 8, 7: 8, 10: 14, 12: 14, 20: 23, 22: 23, 24: 26, 25: 26, 28: 30, 29: 30, 31: 34,
                     33: 34, 39: 45, 42: 45, 40: 46, 43: 46, 41: 47, 44: 47}


def test_repeated_chunks_are_linked_to_the_first():
    for more in (), ("-2",):
        packets = tshark.fields(SPLIT, ["squirrel.split.duplicate_of"], *more)
        found = {i + 1: int(packet["squirrel.split.duplicate_of"][0]) for i, packet in enumerate(packets)
                 if packet["squirrel.split.duplicate_of"]}
        assert found == DUPLICATES
    assert expert_frames(SPLIT, "split.duplicate") == sorted(DUPLICATES)


def test_an_incomplete_stream_is_never_decoded():
    packets = tshark.fields(SPLIT, ["squirrel.joined", "squirrel.reassembled.in"], "-2")
    for frame in 17, 18, 36, 37:
        assert packets[frame - 1] == {"squirrel.joined": [], "squirrel.reassembled.in": []}


def test_a_chunk_beyond_its_total_does_not_change_the_stream():
    assert expert_frames(SPLIT, "split.chunk.invalid") == [21]
    assert expert_frames(SPLIT, "joined") == sorted(JOINED)


def test_an_answer_in_chunks_is_linked_to_its_command():
    packets = linked(SPLIT, "-2")
    answers = {f: number(p, "response_in") for f, p in packets.items() if p["squirrel.response_in"]}
    assert answers == {1: 4, 5: 8, 9: 14, 19: 23, 26: 27, 34: 35, 38: 45}


def test_a_sequence_number_that_starts_again_is_a_new_stream(udp_capture):
    whole = [frame(0xE3, token(1), b"w" + struct.pack("<h", value)) for value in (11, 22)]
    packets = [chunk(0, i, 2, text[6 * i:6 * i + 6]) for text in whole for i in range(2)]
    found = tshark.fields(udp_capture(*packets), ["squirrel.expression", "squirrel.split.duplicate_of"], *AS_TEST)
    assert [packet["squirrel.expression"] for packet in found] == [[], ["11"], [], ["22"]]


def test_an_incomplete_stream_does_not_take_the_chunks_of_a_later_one(udp_capture):
    """A sender that restarts counts from 0 again, as after a reconnection."""
    text = frame(0xE3, token(1), b"w\x0b\x00")
    old = chunk(0, 0, 2, b"\xe3\xff\xff\x40\x02\0")
    packets = [old, chunk(0, 1, 2, text[6:])._replace(time=70), chunk(0, 0, 2, text[:6])._replace(time=70.1)]
    names = ["squirrel.expression", "squirrel.token"]
    found = tshark.fields(udp_capture(*packets), names, *AS_TEST)
    assert [list(packet.values()) for packet in found] == [[[], []], [[], []], [["11"], ["1"]]]


def test_a_new_stream_with_the_same_first_chunk_is_reported_as_a_repetition(udp_capture):
    text = frame(0xE3, token(1), b"w\x0b\x00")
    packets = [chunk(0, 0, 2, text[:6]), chunk(0, 1, 2, text[6:]), chunk(0, 0, 2, text[:6])]
    found = tshark.fields(udp_capture(*packets), ["squirrel.split.duplicate_of"], *AS_TEST)
    assert [packet["squirrel.split.duplicate_of"] for packet in found] == [[], [], ["1"]]


def test_a_stream_of_one_chunk_without_payload_has_no_frame(udp_capture):
    assert expert_frames(udp_capture(chunk(7, 0, 1, b"")), "joined.invalid", *AS_TEST) == [1]


def test_a_split_stream_inside_a_split_stream_is_not_followed(udp_capture):
    inner = frame(0xEC, struct.pack("<IIIH", 0, 0, 1, 5), frame(0xE1, NULL))
    capture = udp_capture(chunk(7, 0, 1, inner))
    assert expert_frames(capture, "split.too_deep") == [1]
    assert tshark.fields(capture, ["squirrel.null"]) == [{"squirrel.null": []}]


def test_an_incomplete_stream_waits_however_many_others_begin(udp_capture):
    waiting = [chunk(5000, 0, 2, b"\xe3\xff\xff\x40\1\0"), chunk(5000, 1, 2, b"\0\0o")]
    others = [chunk(i, 0, 4096, b"x") for i in range(1200)]
    packets = tshark.fields(udp_capture(waiting[0], *others, waiting[1]), ["squirrel.null"], *AS_TEST)
    assert [i for i, packet in enumerate(packets) if packet["squirrel.null"]] == [1201]


def test_a_repeated_chunk_of_a_complete_stream_is_found_in_it(udp_capture):
    """Chunks of different lengths, in another order: what has the bytes of another chunk is not a repetition."""
    text = frame(0xE3, token(1), b"s\x00\x06abcdef")
    parts = [text[:4], text[4:13], text[13:]]
    packets = [chunk(0, i, 3, parts[i]) for i in (2, 0, 1, 1)] + [chunk(0, 1, 3, text[4:12] + b"!")]
    found = tshark.fields(udp_capture(*packets), ["squirrel.string", "squirrel.split.duplicate_of"], *AS_TEST)
    assert [packet["squirrel.string"] for packet in found] == [[], [], ["abcdef"], [], []]
    assert [packet["squirrel.split.duplicate_of"] for packet in found] == [[], [], [], ["3"], []]


def test_the_memory_of_a_stream_does_not_depend_on_the_chunks_that_it_declares(udp_capture):
    """10,000 streams of 4096 chunks: four bytes for each chunk that is declared would be 160 MB."""
    peaks = []
    for total in 2, 4096:
        capture = udp_capture(*[chunk(i, 0, total, b"x") for i in range(10000)])
        arguments = tshark.unprivileged() + tshark.command_line(["-q", "-z", "io,stat,0", *AS_TEST], capture)
        with subprocess.Popen(arguments, env=tshark.environment(), cwd=tshark.scratch(), stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
        assert status == 0
        peaks.append(usage.ru_maxrss)
    assert peaks[1] - peaks[0] < 16 * 1024


# ---- directions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("passes", [(), ("-2",)])
@pytest.mark.parametrize("from_side", [tshark.request, tshark.reply])
def test_rprint_does_not_show_which_side_the_server_is(from_side, passes, udp_capture):
    """No public script has RPrint: which side sends it is a guess. The senders of the other frames are known."""
    known = [tshark.reply(frame(0xE1, get(b"x"))), tshark.request(frame(0xF1, get(b"x")))]
    capture = udp_capture(from_side(frame(0xE5, b"\0\x02hi")), *known, from_side(frame(0xE5, b"\0\x02hi")))
    found = tshark.fields(capture, ["squirrel.frame", "squirrel.direction.invalid"], *AS_TEST, *passes)
    assert all(packet["squirrel.frame"] and not packet["squirrel.direction.invalid"] for packet in found)


# ---- statistics ------------------------------------------------------------------------------------------------


def statistics(capture, *args):
    """Rows of -z squirrel,tree: (group, name or None) -> the numbers in its columns."""
    rows, group = {}, None
    for line in tshark.run(["-q", "-z", "squirrel,tree", *args], capture).stdout.splitlines():
        name, *numbers = re.split(r"\s{2,}", line.strip())
        if not numbers or not numbers[0].isdigit():
            continue
        if not line.startswith(" "):
            group = name
        rows[group, name if line.startswith(" ") else None] = numbers
    return rows


def test_statistics_count_frames_commands_and_names():
    rows = statistics(SESSION)
    counts = {key: int(numbers[0]) for key, numbers in rows.items()}
    assert counts["Frames", None] == 64
    assert counts["Frames", "Reply"] == 14
    assert counts["Frames", "RemoteExecuteSpecial"] == 13
    assert counts["Commands", "CallRemoteFuncEx"] == 1
    assert counts["Functions called", "LocalPlayer.GetWeapons"] == 1
    assert counts["Functions called", "secret"] == 2
    assert counts["Values read", "Score"] == 5
    assert counts["Values read", "LocalPlayer.Pos"] == 1
    assert counts["Values set", "a.Y"] == 1
    assert counts["Values set", "a"] == 1


def test_statistics_count_bytes():
    rows = statistics(SESSION)
    replies = [packet for packet in tshark.fields(SESSION, ["udp.length"], "-Y", "squirrel.frame == 0x40ffffe3")]
    total = sum(int(packet["udp.length"][0]) - 8 for packet in replies)
    assert int(rows["Bytes by frame", "Reply"][0]) == total
    count, average, least, most = rows["Frames", "Reply"][:4]
    assert float(average) == pytest.approx(total / int(count), abs=0.01)
    assert (int(least), int(most)) == (9, 45)


@pytest.mark.parametrize("group, of_bytes", [
    ("Frames", "Bytes by frame"), ("Commands", "Bytes by command"), ("Functions called", "Bytes by function called"),
    ("Values read", "Bytes by value read"), ("Values set", "Bytes by value set"),
])
def test_the_bytes_of_each_group_come_after_it(group, of_bytes):
    rows = statistics(SESSION)
    count, average = int(rows[group, None][0]), float(rows[group, None][1])
    assert int(rows[of_bytes, None][0]) == pytest.approx(count * average, abs=count / 100)
    groups = [name for name, row in rows if row is None]
    assert groups.index(of_bytes) == groups.index(group) + 1


def test_response_times_are_counted_by_command():
    """-z squirrel,srt: index, command, calls, least, most, average, sum."""
    table = tshark.run(["-q", "-z", "squirrel,srt"], SESSION).stdout
    rows = {words[1]: words[2:] for words in (line.split() for line in table.splitlines()) if len(words) == 7}
    times = tshark.fields(SESSION, ["squirrel.time"], "-Y", "squirrel.frame == 0x40ffffe3 && squirrel.time")
    times = [float(packet["squirrel.time"][0]) for packet in times]
    calls, least, most, average, total = rows["RemoteExecuteSpecial"]
    assert int(calls) == len(times) > 10
    assert float(least) == pytest.approx(min(times), abs=1e-6) and float(most) == pytest.approx(max(times), abs=1e-6)
    assert float(average) == pytest.approx(sum(times) / len(times), abs=1e-6)
    assert int(rows["PeerExecSpecial"][0]) == int(rows["PeerExecHere2"][0]) == 4


def test_sharkd_has_the_statistics():
    capture = tshark.readable(SESSION)
    requests = [{"method": "load", "params": {"file": str(capture)}},
                {"method": "tap", "params": {"tap0": "stat:squirrel"}}]
    answers = tshark.sharkd(requests)
    names = [row["name"] for row in answers[1]["result"]["taps"][0]["stats"]]
    assert "Frames" in names and "Functions called" in names


# ---- what was declined, and what was sent again -----------------------------------------------------------------


def test_a_message_that_was_declined_has_no_links_of_another(udp_capture):
    """Before there is evidence, the first message of the datagram is declined on the first pass only."""
    first = message(frame(0xE3, token(7), NULL), 0x3E)
    second = message(frame(0xF2, token(3), get(b"score")), 0x3E)
    result = message(frame(0xF3, token(3), b"s\x02\0hi"), 0x6E)
    path = udp_capture(tshark.request(datagram(0, first, second)), tshark.reply(datagram(0, result), 0.1))
    names = ["squirrel.token", "squirrel.response_to", "squirrel.response_in"]
    assert tshark.fields(path, names, *AS_RAKNET, "-2") == [
        {"squirrel.token": ["7", "3"], "squirrel.response_to": [], "squirrel.response_in": ["2"]},
        {"squirrel.token": ["3"], "squirrel.response_to": ["1"], "squirrel.response_in": []},
    ]


@pytest.mark.parametrize("sent", [lambda number, content: [datagram(number, content)], split_datagrams], ids=["whole", "split"])
def test_chunks_that_raknet_sends_again_are_no_second_command(sent, udp_capture):
    whole = frame(0xE2, token(5), get(b"somekey"))
    parts = [whole[:11], whole[11:]]
    contents = [message(frame(0xED, struct.pack("<IIIH", 0, index, 2, len(part)), part)) for index, part in enumerate(parts)]
    sends = [payload for index, content in enumerate(contents) for payload in sent(2 * index, content)]
    reply = message(frame(0xE3, token(5), NULL), 0x3E)
    packets = [tshark.reply(payload, n / 100) for n, payload in enumerate(sends + sends)]
    path = udp_capture(*packets, tshark.request(datagram(0, reply), 0.4))
    names = ["squirrel.response_to", "squirrel.response_in", "squirrel.unanswered"]
    found = tshark.fields(path, names, *AS_RAKNET, "-2")
    assert found[-1]["squirrel.response_to"] == [str(len(sends))]
    assert [n for n, packet in enumerate(found, 1) if packet["squirrel.response_in"]] == [len(sends)]
    assert not any(packet["squirrel.unanswered"] for packet in found)
    assert tshark.counts(path, ["squirrel.frame == 0x40ffffe2"], *AS_RAKNET, "-2") == [1]


# ---- packets before the proof: dissected on the second pass only ------------------------------------------------

RELATIONS = ["squirrel.response_in", "squirrel.response_to", "squirrel.command.unseen", "squirrel.unanswered",
             "squirrel.retransmission_of", "squirrel.split.duplicate_of", "squirrel.joined", "squirrel.direction.invalid"]
LOAD = frame(0xEF, token(1), b"\0\1x")
LOAD_EMPTY = frame(0xEF, token(1), b"\0\0")  # less evidence, since RakNet's length is some
LOADED = frame(0xF0, token(1), b"w\7\0")


def relations_of(path, *args, **options):
    """Of each packet; None if it is not dissected."""
    found = tshark.fields(path, ["squirrel.frame", *RELATIONS], "-2", *args, **options)
    return [{name.removeprefix("squirrel."): packet[name] for name in RELATIONS if packet[name]}
            if packet["squirrel.frame"] else None for packet in found]


def test_a_command_before_the_proof_is_linked(udp_capture):
    """The reply has the evidence that was missing; the command is dissected on the second pass."""
    path = udp_capture(tshark.reply(LOAD), tshark.request(LOADED, 0.1))
    first = tshark.fields(path, ["squirrel.frame", "squirrel.response_to", "squirrel.command.unseen"])
    assert not first[0]["squirrel.frame"]
    assert first[1]["squirrel.response_to"] == ["1"] and not first[1]["squirrel.command.unseen"]
    assert relations_of(path) == [{"response_in": ["2"]}, {"response_to": ["1"]}]
    assert relations_of(path) == relations_of(path, *AS_TEST)


def test_a_command_in_raknet_before_the_proof_is_linked(udp_capture):
    """And its retransmission is one."""
    load, loaded = message(LOAD_EMPTY), message(LOADED)
    path = udp_capture(tshark.reply(datagram(0, load)), tshark.reply(datagram(0, load), 0.1),
                       tshark.request(datagram(0, loaded), 0.2))
    assert not tshark.fields(path, ["squirrel.frame"], *AS_RAKNET)[0]["squirrel.frame"]
    assert relations_of(path, *AS_RAKNET) == [{"response_in": ["3"]}, {"response_in": ["3"], "retransmission_of": ["1"]},
                                              {"response_to": ["1"]}]


def test_a_chunk_before_the_proof_is_part_of_its_stream(udp_capture):
    """A first chunk of 11 bytes is fewer than real senders send: that is less evidence."""
    whole = frame(0xE2, token(5), get(b"somekey"))
    parts = [tshark.reply(frame(0xED, struct.pack("<IIIH", 0, index, 2, len(part)), part), index / 10)
             for index, part in enumerate([whole[:11], whole[11:]])]
    path = udp_capture(*parts, answer(5)._replace(time=0.3))
    assert not tshark.fields(path, ["squirrel.frame"])[0]["squirrel.frame"]
    assert relations_of(path) == [{}, {"joined": ["1"], "response_in": ["3"]}, {"response_to": ["2"]}]


def test_a_command_of_a_row_that_another_protocol_ended_has_no_relations(udp_capture):
    """It is not dissected, and packets of the next row do not refer to it; nor do they have its direction."""
    other = tshark.request(b"hello, world", 0.05)
    stray = [tshark.request(LOADED, 0.1), tshark.request(frame(0xF0, token(2), b"w\7\0"), 0.2)]
    assert relations_of(udp_capture(tshark.reply(LOAD), other, *stray)) == [
        None, None, {"command.unseen": ["1"]}, {"command.unseen": ["1"]}]
    turned = udp_capture(tshark.request(LOAD), other, *stray)
    assert [packet.get("direction.invalid") for packet in relations_of(turned)[2:]] == [None, None]


def test_a_command_before_the_proof_that_a_port_selects_is_no_retransmission(udp_capture):
    path = udp_capture(tshark.reply(datagram(0, message(LOAD_EMPTY))), tshark.request(datagram(0, message(LOADED)), 0.1))
    chosen = ("-o", f"squirrel.port:{tshark.SERVER_PORT}", *AS_RAKNET)
    assert relations_of(path, *chosen) == [{"response_in": ["2"]}, {"response_to": ["1"]}]
    assert relations_of(udp_capture(tshark.reply(LOAD), tshark.request(LOADED, 0.1)), *AS_TEST, "-o",
                        "udp.try_heuristic_first:true") == [{"response_in": ["2"]}, {"response_to": ["1"]}]
