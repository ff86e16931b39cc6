# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands and their answers, split streams, statistics: results that depend on several packets."""

import functools
import os
import re
import struct
import subprocess

import pytest

import gamewire_tshark as tshark
from plugin.squirrel.samples import (AS_RAKNET, AS_TEST, NULL, answer, ask, chunk, datagram, frame, get, message,
                                     split_datagrams, token)

PCAPS = tshark.PCAPS / "squirrel"
SESSION, SPLIT, RAKNET = PCAPS / "session.pcap", PCAPS / "split.pcap", PCAPS / "raknet.pcap"

LINKS = ["squirrel.response_in", "squirrel.response_to", "squirrel.relayed_in", "squirrel.relay_of", "squirrel.time",
         "squirrel.failed", "frame.time_epoch"]
RELATIONS = ["squirrel.response_in", "squirrel.response_to", "squirrel.command.unseen", "squirrel.unanswered",
             "squirrel.retransmission_of", "squirrel.split.duplicate_of", "squirrel.joined", "squirrel.direction.invalid"]
OTHERS = ["squirrel.frame", "squirrel.token", "squirrel.expression", "squirrel.string", "squirrel.null",
          "squirrel.command.failed", "squirrel.retransmission", "squirrel.reassembled.length", "squirrel.reassembled.in",
          "squirrel.joined.invalid", "squirrel.split.duplicate", "squirrel.split.chunk.invalid", "squirrel.split.too_deep"]

CONVERSATIONS = tshark.Conversations()
written, conversation = CONVERSATIONS.write, CONVERSATIONS.of_test

# Captures that are read together: most of the time is tshark's start.
TOGETHER = [CONVERSATIONS, [SESSION, SPLIT, RAKNET]]


@functools.lru_cache(maxsize=None)
def all_fields(captures, args):
    """{capture: each packet's values of all these fields}, with one start of tshark."""
    return tshark.fields_of_each(captures, list(dict.fromkeys(LINKS + RELATIONS + OTHERS)), *args)


def fields(path, names, *args):
    """Each packet's values of some fields."""
    captures = tuple(next((group for group in TOGETHER if path in group), [path]))
    return [{name: packet[name] for name in names} for packet in all_fields(captures, args)[path]]


def frames(path, name, *args):
    """The frames that have a field."""
    return [frame for frame, packet in enumerate(fields(path, [name], *args), 1) if packet[name]]


def number(packet, name):
    values = packet["squirrel." + name]
    assert len(values) <= 1
    return int(values[0]) if values else None


def linked(capture, *args):
    """A dict of frame number to its links."""
    return dict(enumerate(fields(capture, LINKS, *args), 1))


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
    return frames(capture, f"squirrel.{name}", *args)


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
    packets = linked(RAKNET, "-2")
    answers = {frame: number(packet, "response_in") for frame, packet in packets.items()
               if packet["squirrel.response_in"]}
    # The command for 80 is the third frame of its datagram; 85 is sent again after its datagram was lost.
    assert answers == {25: 27, 37: 43, 39: 41, 47: 49, 53: 55, 61: 72, 80: 82, 85: 87}


def test_a_command_without_a_response_is_marked_on_the_second_pass():
    assert tshark.fields(SESSION, ["frame.number"], "-2", "-Y", "squirrel.unanswered") == [{"frame.number": ["30"]}]
    assert frames(SESSION, "squirrel.unanswered", "-2") == [30]
    assert frames(SESSION, "squirrel.unanswered") == []


@conversation(tshark.reply(frame(0xEF, token(-1), b"\0\1x")), tshark.request(frame(0xF2, token(0), get(b"x"))),
              tshark.request(frame(0xE9, b"\2", token(0), get(b"x"))), tshark.reply(frame(0xE2, token(0), get(b"x"))))
def test_commands_without_a_requested_response_are_not_unanswered(path):
    assert frames(path, "squirrel.unanswered", "-2", *AS_TEST) == [4]


# ---- retransmissions and quotations ----------------------------------------------------------------------------


ASKED = message(frame(0xE2, token(1), get(b"x")))
ANSWERED = tshark.request(datagram(9, message(frame(0xE3, token(1), NULL), 0x3E)))


@conversation(tshark.reply(datagram(5, ASKED)), tshark.reply(datagram(5, ASKED)), ANSWERED,
              tshark.reply(datagram(6, ASKED)), ANSWERED)
def test_a_retransmission_of_raknet_is_not_a_new_command(path):
    names = ["squirrel.retransmission_of", "squirrel.response_in", "squirrel.response_to", "squirrel.unanswered"]
    found = [{name.split(".")[1]: value for name, value in packet.items() if value}
             for packet in fields(path, names, "-2", *AS_RAKNET)]
    assert found == [{"response_in": ["3"]}, {"response_in": ["3"], "retransmission_of": ["1"]}, {"response_to": ["1"]},
                     {"unanswered": ["1"]}, {"response_to": ["1"], "retransmission_of": ["3"]}]
    assert expert_frames(path, "retransmission", *AS_RAKNET) == [2, 5]
    assert expert_frames(path, "command.unseen", *AS_RAKNET) == []


@conversation(tshark.reply(datagram(5, ASKED)), ANSWERED._replace(time=0.5),
              tshark.reply(datagram(5, ASKED), 60), ANSWERED._replace(time=60.5))
def test_after_a_reconnection_equal_messages_are_new_ones(path):
    """RakNet and the scripts count from 0 again."""
    names = ["squirrel.retransmission_of", "squirrel.response_to", "squirrel.time"]
    found = fields(path, names, "-2", *AS_RAKNET)
    assert [packet["squirrel.retransmission_of"] for packet in found] == [[]] * 4
    assert [packet["squirrel.response_to"] for packet in found] == [[], ["1"], [], ["3"]]
    assert [float(time) for packet in found for time in packet["squirrel.time"]] == [0.5, 0.5]


LONG = message(frame(0xE2, token(1), get(b"x" * 200)))


def resent(*sent):
    return written(*map(tshark.reply, sent), *map(tshark.reply, sent), ANSWERED)


@pytest.mark.parametrize("path, first", [(resent(datagram(5, LONG, flags=0x40)), 1), (resent(*split_datagrams(5, LONG)), 2)],
                         ids=["reliable", "split"])
def test_a_resent_message_has_the_same_answer(path, first):
    """A message without an order, and one that RakNet split: the parts are resent with other numbers."""
    names = ["squirrel.retransmission_of", "squirrel.response_in", "squirrel.response_to", "squirrel.unanswered"]
    found = [{name.split(".")[1]: value for name, value in packet.items() if value}
             for packet in fields(path, names, "-2", *AS_RAKNET)]
    last = 2 * first + 1
    assert found[first - 1] == {"response_in": [str(last)]}
    assert found[2 * first - 1] == {"response_in": [str(last)], "retransmission_of": [str(first)]}
    assert found[-1] == {"response_to": [str(first)]}


@conversation(tshark.reply(datagram(5, ASKED)), ANSWERED._replace(time=0.5), ANSWERED._replace(time=9))
def test_a_resent_answer_has_no_response_time(path):
    """The answer was received with the first one."""
    found = fields(path, ["squirrel.response_to", "squirrel.time"], *AS_RAKNET)
    assert [list(packet.values()) for packet in found] == [[[], []], [["1"], ["0.500000000"]], [["1"], []]]


@conversation(*(tshark.request(part, time) for time in (0, 2)
                for part in split_datagrams(5, message(frame(0xF2, token(0), get(b"x" * 200)), 0x3E))))
def test_equal_split_commands_without_a_requested_answer_are_two(path):
    """Nothing of them shows that the second was sent again."""
    found = fields(path, ["squirrel.retransmission_of", "squirrel.token"], "-2", *AS_RAKNET)
    assert [list(packet.values()) for packet in found] == [[[], []], [[], ["0"]], [[], []], [[], ["0"]]]


@conversation(*map(tshark.reply, split_datagrams(5, LONG)),
              *(tshark.Udp(*tshark.reply(part)[:3], 60.0) for part in split_datagrams(5, LONG)))
def test_a_split_message_of_the_same_content_is_a_new_command_later(path):
    found = fields(path, ["squirrel.retransmission_of"], "-2", *AS_RAKNET)
    assert [packet["squirrel.retransmission_of"] for packet in found] == [[]] * 4


def test_a_retransmission_is_not_counted(udp_capture):
    rows = statistics(udp_capture(*[tshark.reply(datagram(5, ASKED))] * 3), *AS_RAKNET)
    assert rows["Frames", "RemoteExecuteSpecial"][0] == "1" and rows["Values read", "x"][0] == "1"
    assert rows["Retransmissions", "RemoteExecuteSpecial"][0] == "2"


def answers_of_tokens(*tokens):
    return [message(frame(0xE3, token(i), NULL), 0x3E) for i in tokens]


@conversation(tshark.reply(datagram(1, *(message(frame(0xE2, token(i), get(b"x%d" % i))) for i in range(3)))),
              tshark.request(datagram(1, *answers_of_tokens(2, 0))), tshark.request(datagram(3, *answers_of_tokens(1))))
def test_messages_of_one_datagram_are_distinguished_on_both_passes(path):
    found = fields(path, ["squirrel.response_in"], "-2", *AS_RAKNET)
    assert found[0] == {"squirrel.response_in": ["2", "3", "2"]}
    first, second = (fields(path, ["squirrel.response_to"], *more, *AS_RAKNET) for more in ((), ("-2",)))
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


@conversation(*(tshark.request(frame(0xE9, b"\1", token(1), get(b"x")), time, **{"from": host})
                for time, host in ((0.0, 1), (0.1, 3), (0.2, 4))),
              *(tshark.reply(frame(0xEA + 1, b"\0", token(1), get(b"x")), time, to=host)
                for time, host in ((1.0, 5), (1.1, 6), (1.2, 7))))
def test_equal_relays_are_linked_first_in_first_out(path):
    packets = fields(path, ["squirrel.relayed_in", "squirrel.relay_of"], "-2", *AS_TEST)
    assert [packet["squirrel.relayed_in"] for packet in packets[:3]] == [["4"], ["5"], ["6"]]
    assert [packet["squirrel.relay_of"] for packet in packets[3:]] == [["1"], ["2"], ["3"]]


# ---- tokens that are used again --------------------------------------------------------------------------------


def answers_of(capture):
    packets = linked(capture, "-2")
    return {frame: number(packet, "response_to") for frame, packet in packets.items() if packet["squirrel.response_to"]}


@conversation(ask(1), ask(1), answer(1), answer(1), answer(1))
def test_an_answer_is_linked_to_the_latest_unanswered_command(path):
    assert answers_of(path) == {3: 2, 4: 1}


@conversation(answer(1), ask(1), answer(1))
def test_an_answer_before_its_command_is_not_linked(path):
    assert answers_of(path) == {3: 2}


@conversation(ask(1), tshark.reply(frame(0xE3, token(1), NULL)), answer(1))
def test_a_command_is_not_answered_by_its_own_sender(path):
    assert answers_of(path) == {3: 1}


@conversation(ask(1), answer(1)._replace(sport=tshark.CLIENT_PORT + 5), answer(1))
def test_each_conversation_has_its_own_tokens(path):
    assert answers_of(path) == {3: 1}


@conversation(ask(1), tshark.request(frame(0xF0, token(1), NULL)), answer(1))
def test_another_kind_of_answer_is_not_linked(path):
    assert answers_of(path) == {3: 1}


def pairs(ipv6):
    player = b"\x02"
    text = b"\x00\x01x"
    return written(
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
    )


@pytest.mark.parametrize("path", [pairs(ipv6=False), pairs(ipv6=True)], ids=["ipv4", "ipv6"])
def test_every_pair_is_matched(path):
    assert answers_of(path) == {2: 1, 4: 3, 6: 5, 8: 7, 10: 9}
    times = {f: float(p["squirrel.time"][0]) for f, p in linked(path).items() if p["squirrel.time"]}
    assert times == pytest.approx({2: 0.25, 4: 0.5, 6: 0.25, 8: 2.0, 10: 0.5})


@conversation(tshark.request(frame(0xE9, b"\x01", token(1), get(b"x"))),
              tshark.request(frame(0xE9, b"\x02", token(1), get(b"y"))),
              tshark.reply(frame(0xE8, b"\x01", token(1), NULL)), tshark.reply(frame(0xE8, b"\x02", token(1), NULL)))
def test_peers_are_distinguished_by_their_numbers(path):
    assert answers_of(path) == {3: 1, 4: 2}


# ---- split streams ---------------------------------------------------------------------------------------------

# Of split.jsonl: which packet completes a stream, and how many bytes that makes.
JOINED = {4: 10813, 8: None, 14: 10813, 23: 10813, 26: None, 30: None, 34: None, 45: 10813, 46: None, 47: None}
DUPLICATES = {11: 10, 13: 10, 15: 12, 32: 31}


def test_a_stream_is_reassembled_at_its_last_missing_chunk():
    packets = fields(SPLIT, ["squirrel.reassembled.length"])
    found = {i + 1: int(packet["squirrel.reassembled.length"][0]) for i, packet in enumerate(packets)
             if packet["squirrel.reassembled.length"]}
    assert sorted(found) == sorted(JOINED)
    assert all(found[frame] == length for frame, length in JOINED.items() if length)


def test_the_chunks_are_linked_to_the_reassembled_frame():
    packets = fields(SPLIT, ["squirrel.reassembled.in"], "-2")
    found = {i + 1: int(packet["squirrel.reassembled.in"][0]) for i, packet in enumerate(packets)
             if packet["squirrel.reassembled.in"]}
    assert found == {2: 4, 3: 4, 6: 8, 7: 8, 10: 14, 12: 14, 20: 23, 22: 23, 24: 26, 25: 26, 28: 30, 29: 30, 31: 34,
                     33: 34, 39: 45, 42: 45, 40: 46, 43: 46, 41: 47, 44: 47}


def test_repeated_chunks_are_linked_to_the_first():
    for more in (), ("-2",):
        packets = fields(SPLIT, ["squirrel.split.duplicate_of"], *more)
        found = {i + 1: int(packet["squirrel.split.duplicate_of"][0]) for i, packet in enumerate(packets)
                 if packet["squirrel.split.duplicate_of"]}
        assert found == DUPLICATES
    assert expert_frames(SPLIT, "split.duplicate") == sorted(DUPLICATES)


def test_an_incomplete_stream_is_never_decoded():
    packets = fields(SPLIT, ["squirrel.joined", "squirrel.reassembled.in"], "-2")
    for frame in 17, 18, 36, 37:
        assert packets[frame - 1] == {"squirrel.joined": [], "squirrel.reassembled.in": []}


def test_a_chunk_beyond_its_total_does_not_change_the_stream():
    assert expert_frames(SPLIT, "split.chunk.invalid") == [21]
    assert expert_frames(SPLIT, "joined") == sorted(JOINED)


def test_an_answer_in_chunks_is_linked_to_its_command():
    packets = linked(SPLIT, "-2")
    answers = {f: number(p, "response_in") for f, p in packets.items() if p["squirrel.response_in"]}
    assert answers == {1: 4, 5: 8, 9: 14, 19: 23, 26: 27, 34: 35, 38: 45}


TEXTS = [frame(0xE3, token(1), b"w" + struct.pack("<h", value)) for value in (11, 22)]


@conversation(*(chunk(0, i, 2, text[6 * i:6 * i + 6]) for text in TEXTS for i in range(2)))
def test_a_sequence_number_that_starts_again_is_a_new_stream(path):
    found = fields(path, ["squirrel.expression", "squirrel.split.duplicate_of"], *AS_TEST)
    assert [packet["squirrel.expression"] for packet in found] == [[], ["11"], [], ["22"]]


@conversation(chunk(0, 0, 2, b"\xe3\xff\xff\x40\x02\0"),
              chunk(0, 1, 2, TEXTS[0][6:])._replace(time=70), chunk(0, 0, 2, TEXTS[0][:6])._replace(time=70.1))
def test_an_incomplete_stream_does_not_take_the_chunks_of_a_later_one(path):
    """A sender that restarts counts from 0 again, as after a reconnection."""
    found = fields(path, ["squirrel.expression", "squirrel.token"], *AS_TEST)
    assert [list(packet.values()) for packet in found] == [[[], []], [[], []], [["11"], ["1"]]]


@conversation(chunk(0, 0, 2, TEXTS[0][:6]), chunk(0, 1, 2, TEXTS[0][6:]), chunk(0, 0, 2, TEXTS[0][:6]))
def test_a_new_stream_with_the_same_first_chunk_is_reported_as_a_repetition(path):
    found = fields(path, ["squirrel.split.duplicate_of"], *AS_TEST)
    assert [packet["squirrel.split.duplicate_of"] for packet in found] == [[], [], ["1"]]


@conversation(chunk(7, 0, 1, b""))
def test_a_stream_of_one_chunk_without_payload_has_no_frame(path):
    assert expert_frames(path, "joined.invalid", *AS_TEST) == [1]


@conversation(chunk(7, 0, 1, frame(0xEC, struct.pack("<IIIH", 0, 0, 1, 5), frame(0xE1, NULL))))
def test_a_split_stream_inside_a_split_stream_is_not_followed(path):
    assert expert_frames(path, "split.too_deep") == [1]
    assert fields(path, ["squirrel.null"]) == [{"squirrel.null": []}]


def test_an_incomplete_stream_waits_however_many_others_begin(udp_capture):
    waiting = [chunk(5000, 0, 2, b"\xe3\xff\xff\x40\1\0"), chunk(5000, 1, 2, b"\0\0o")]
    others = [chunk(i, 0, 4096, b"x") for i in range(1200)]
    packets = tshark.fields(udp_capture(waiting[0], *others, waiting[1]), ["squirrel.null"], *AS_TEST)
    assert [i for i, packet in enumerate(packets) if packet["squirrel.null"]] == [1201]


SIX_LETTERS = frame(0xE3, token(1), b"s\x00\x06abcdef")
IN_PARTS = [SIX_LETTERS[:4], SIX_LETTERS[4:13], SIX_LETTERS[13:]]


@conversation(*(chunk(0, i, 3, IN_PARTS[i]) for i in (2, 0, 1, 1)), chunk(0, 1, 3, SIX_LETTERS[4:12] + b"!"))
def test_a_repeated_chunk_of_a_complete_stream_is_found_in_it(path):
    """Chunks of different lengths, in another order: what has the bytes of another chunk is not a repetition."""
    found = fields(path, ["squirrel.string", "squirrel.split.duplicate_of"], *AS_TEST)
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


def with_rprint(from_side):
    known = [tshark.reply(frame(0xE1, get(b"x"))), tshark.request(frame(0xF1, get(b"x")))]
    return written(from_side(frame(0xE5, b"\0\x02hi")), *known, from_side(frame(0xE5, b"\0\x02hi")))


@pytest.mark.parametrize("passes", [(), ("-2",)])
@pytest.mark.parametrize("path", map(with_rprint, [tshark.request, tshark.reply]), ids=["request", "reply"])
def test_rprint_does_not_show_which_side_the_server_is(path, passes):
    """No public script has RPrint: which side sends it is a guess. The senders of the other frames are known."""
    found = fields(path, ["squirrel.frame", "squirrel.direction.invalid"], *AS_TEST, *passes)
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


@conversation(tshark.request(datagram(0, message(frame(0xE3, token(7), NULL), 0x3E),
                                      message(frame(0xF2, token(3), get(b"score")), 0x3E))),
              tshark.reply(datagram(0, message(frame(0xF3, token(3), b"s\x02\0hi"), 0x6E)), 0.1))
def test_a_message_that_was_declined_has_no_links_of_another(path):
    """Before there is evidence, the first message of the datagram is declined on the first pass only."""
    names = ["squirrel.token", "squirrel.response_to", "squirrel.response_in"]
    assert fields(path, names, *AS_RAKNET, "-2") == [
        {"squirrel.token": ["7", "3"], "squirrel.response_to": [], "squirrel.response_in": ["2"]},
        {"squirrel.token": ["3"], "squirrel.response_to": ["1"], "squirrel.response_in": []},
    ]


def chunks_sent_twice(sent):
    whole = frame(0xE2, token(5), get(b"somekey"))
    parts = [whole[:11], whole[11:]]
    contents = [message(frame(0xED, struct.pack("<IIIH", 0, index, 2, len(part)), part)) for index, part in enumerate(parts)]
    sends = [payload for index, content in enumerate(contents) for payload in sent(2 * index, content)]
    reply = message(frame(0xE3, token(5), NULL), 0x3E)
    packets = [tshark.reply(payload, n / 100) for n, payload in enumerate(sends + sends)]
    return written(*packets, tshark.request(datagram(0, reply), 0.4)), len(sends)


@pytest.mark.parametrize("path, sends", map(chunks_sent_twice, [lambda *sent: [datagram(*sent)], split_datagrams]),
                         ids=["whole", "split"])
def test_chunks_that_raknet_sends_again_are_no_second_command(path, sends):
    names = ["squirrel.response_to", "squirrel.response_in", "squirrel.unanswered", "squirrel.frame"]
    found = fields(path, names, *AS_RAKNET, "-2")
    assert found[-1]["squirrel.response_to"] == [str(sends)]
    assert [n for n, packet in enumerate(found, 1) if packet["squirrel.response_in"]] == [sends]
    assert not any(packet["squirrel.unanswered"] for packet in found)
    assert sum(str(0x40FFFFE2) in packet["squirrel.frame"] for packet in found) == 1


# ---- packets before the proof: dissected on the second pass only ------------------------------------------------

LOAD = frame(0xEF, token(1), b"\0\1x")
LOAD_EMPTY = frame(0xEF, token(1), b"\0\0")  # less evidence, since RakNet's length is some
LOADED = frame(0xF0, token(1), b"w\7\0")


def relations_of(path, *args):
    """Of each packet; None if it is not dissected."""
    return [{name.removeprefix("squirrel."): packet[name] for name in RELATIONS if packet[name]}
            if packet["squirrel.frame"] else None for packet in fields(path, ["squirrel.frame", *RELATIONS], "-2", *args)]


@conversation(tshark.reply(LOAD), tshark.request(LOADED, 0.1))
def test_a_command_before_the_proof_is_linked(path):
    """The reply has the evidence that was missing; the command is dissected on the second pass."""
    first = fields(path, ["squirrel.frame", "squirrel.response_to", "squirrel.command.unseen"])
    assert not first[0]["squirrel.frame"]
    assert first[1]["squirrel.response_to"] == ["1"] and not first[1]["squirrel.command.unseen"]
    assert relations_of(path) == [{"response_in": ["2"]}, {"response_to": ["1"]}]
    assert relations_of(path) == relations_of(path, *AS_TEST)


@conversation(tshark.reply(datagram(0, message(LOAD_EMPTY))), tshark.reply(datagram(0, message(LOAD_EMPTY)), 0.1),
              tshark.request(datagram(0, message(LOADED)), 0.2))
def test_a_command_in_raknet_before_the_proof_is_linked(path):
    """And its retransmission is one."""
    assert not fields(path, ["squirrel.frame"], *AS_RAKNET)[0]["squirrel.frame"]
    assert relations_of(path, *AS_RAKNET) == [{"response_in": ["3"]}, {"response_in": ["3"], "retransmission_of": ["1"]},
                                              {"response_to": ["1"]}]


WHOLE = frame(0xE2, token(5), get(b"somekey"))


@conversation(*(tshark.reply(frame(0xED, struct.pack("<IIIH", 0, index, 2, len(part)), part), index / 10)
                for index, part in enumerate([WHOLE[:11], WHOLE[11:]])), answer(5)._replace(time=0.3))
def test_a_chunk_before_the_proof_is_part_of_its_stream(path):
    """A first chunk of 11 bytes is fewer than real senders send: that is less evidence."""
    assert not fields(path, ["squirrel.frame"])[0]["squirrel.frame"]
    assert relations_of(path) == [{}, {"joined": ["1"], "response_in": ["3"]}, {"response_to": ["2"]}]


# Another protocol's packet, and two answers.
AFTER_THE_ROW = [tshark.request(b"hello, world", 0.05), tshark.request(LOADED, 0.1),
                 tshark.request(frame(0xF0, token(2), b"w\7\0"), 0.2)]


@conversation(tshark.reply(LOAD), *AFTER_THE_ROW)
def test_a_command_of_a_row_that_another_protocol_ended_has_no_relations(path):
    """It is not dissected, and packets of the next row do not refer to it."""
    assert relations_of(path) == [None, None, {"command.unseen": ["1"]}, {"command.unseen": ["1"]}]


@conversation(tshark.request(LOAD), *AFTER_THE_ROW)
def test_a_command_of_a_row_that_another_protocol_ended_has_no_direction(path):
    """Packets of the next row do not have it."""
    assert [packet.get("direction.invalid") for packet in relations_of(path)[2:]] == [None, None]


@conversation(tshark.reply(datagram(0, message(LOAD_EMPTY))), tshark.request(datagram(0, message(LOADED)), 0.1))
def test_a_command_in_raknet_before_the_proof_that_a_port_selects_is_no_retransmission(path):
    chosen = ("-o", f"squirrel.port:{tshark.SERVER_PORT}", *AS_RAKNET)
    assert relations_of(path, *chosen) == [{"response_in": ["2"]}, {"response_to": ["1"]}]


@conversation(tshark.reply(LOAD), tshark.request(LOADED, 0.1))
def test_a_command_before_the_proof_that_a_port_selects_is_no_retransmission(path):
    assert relations_of(path, *AS_TEST, "-o", "udp.try_heuristic_first:true") == [{"response_in": ["2"]}, {"response_to": ["1"]}]
