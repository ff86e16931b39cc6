# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pack vcmp, on a capture with each message id in RakNet (tests/captures/squirrel/messages.sh). The record has id, length and head of
each message. There is no capture of the game itself, which is not public."""

import re

import pytest

import gamewire_tshark as tshark
from plugin.packs.packs import capture, check_failing, damaged, needs_lua, pack, record

pytestmark = needs_lua

NAME = "vcmp-0.4.7.1"
OPTIONS = pack("vcmp")
HEADS = ("player", "vehicle", "object", "checkpoint", "size")
FIELDS = ["frame.number", "vcmp.message", "vcmp.name", "vcmp.length", "vcmp.from_server", "vcmp.data", *(f"vcmp.{head}" for head in HEADS)]
SQUIRREL = tshark.PCAPS / "squirrel"
# Ids whose name the public source does not have.
UNNAMED = {True: {0x40, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x49, 0x4C, 0x4D, 0x4F, 0x54, 0x56, 0x57, 0x59, 0x63, 0x64, 0x69, 0x6B, 0x6D, 0x70, 0x77,
                  0x7E, 0x80, 0x81, 0x82, 0x83, 0x84, 0x8E, 0x9C, 0x3E},
           False: {0x34, 0x36, 0x37, 0x3A, 0x3C, 0x47, 0x4D, 0x4E, 0x51, 0x52, 0x53, 0x54, 0x57, 0x5A, 0x5B, 0x5C}}


def found(path=None, *more):
    return {int(packet["frame.number"][0]): packet for packet in tshark.fields(path or capture(NAME), FIELDS, *OPTIONS, *more, "-Y", "vcmp")}


def messages():
    return {line["n"]: line for line in record(NAME) if "message" in line}


def test_each_message_has_the_id_length_and_head_that_were_sent():
    packets, sent = found(), messages()
    assert packets.keys() == sent.keys() and len(sent) == 155
    for number, line in sent.items():
        packet = packets[number]
        assert int(packet["vcmp.message"][0], 16) == line["message"]
        assert int(packet["vcmp.length"][0]) == line["length"]
        assert (packet["vcmp.from_server"][0] in ("1", "True")) == line["from"].endswith(":8192")
        for head in HEADS:
            assert [int(value) for value in packet[f"vcmp.{head}"]] == ([line[head]] if head in line else []), (line, head)


def test_names_are_those_of_the_public_source():
    packets, sent = found(), messages()
    for from_server, unnamed in UNNAMED.items():
        without = {line["message"] for number, line in sent.items()
                   if line["from"].endswith(":8192") == from_server and not packets[number]["vcmp.name"]}
        assert without - {0x9E, 0x9F} == unnamed
    lines = tshark.info_column(capture(NAME), *OPTIONS, "-Y", "vcmp.message == 0x3f")
    assert [line.split(": ", 1)[1] for line in lines] == ["Vehicle entered, player 63, vehicle 442, 15 bytes", "Chat, 9 bytes"]


def test_messages_of_another_version_are_bytes_with_a_note():
    packets = tshark.fields(capture(NAME), ["vcmp.message", "vcmp.data"], *OPTIONS, "-Y", "vcmp.message.unknown")
    assert [packet["vcmp.message"][0] for packet in packets] == ["0x9e", "0x9f"]
    assert all(packet["vcmp.data"] for packet in packets)


def test_a_head_of_another_form_is_bytes_with_a_note(tmp_path):
    """The end of the compressed bytes is replaced."""
    line = next(line for line in messages().values() if line["message"] == 0x30)
    sent = bytes.fromhex(line["hex"])
    path = tmp_path / "other.pcap"
    path.write_bytes(capture(NAME).read_bytes().replace(sent, sent[:-3] + b"\xff\xff\xff"))
    packets = tshark.fields(path, ["vcmp.message", "vcmp.size"], *OPTIONS, "-Y", "vcmp.message.unknown")
    assert [(packet["vcmp.message"][0], packet["vcmp.size"]) for packet in packets] == [("0x30", []), ("0x9e", []), ("0x9f", [])]


@pytest.mark.parametrize("name", ["raknet", "raknet-0.4.6"])
def test_script_data_are_left_to_squirrel(name):
    is_same_output = tshark.run(["-V", *OPTIONS], SQUIRREL / f"{name}.pcap").stdout == tshark.run(["-V"], SQUIRREL / f"{name}.pcap").stdout
    assert is_same_output


def test_other_ports_are_left_alone():
    assert not found(None, "-o", "vcmp.ports:8193")
    assert len(found(None, "-o", "vcmp.ports:8193, 8192")) == 155


def test_a_pack_that_is_off_changes_nothing():
    off = tshark.run(["-V", *OPTIONS, "--disable-protocol", "vcmp"], capture(NAME)).stdout
    is_same_output = off == tshark.run(["-V"], capture(NAME)).stdout
    assert is_same_output


def test_a_pack_that_fails_says_so_once_and_leaves_the_bytes(tmp_path):
    check_failing(tmp_path, "vcmp", capture(NAME))


def test_damaged_messages_give_no_error(tmp_path):
    """Datagrams of the capture, with each beginning of a message and mutations of it."""
    frames = list(tshark.read_frames(capture(NAME)))
    first = [frame[42:] for _, frame in frames[:10]]
    bodies = {line["message"]: bytes.fromhex(line["hex"])[4 + 6:] for line in messages().values() if line["from"].endswith(":8192")}
    packets = [tshark.Udp(41001, 8192, payload) if place % 2 == 0 and place < 4 else tshark.Udp(8192, 41001, payload) for place, payload in enumerate(first)]
    for identifier in (0x30, 0x3F, 0x3B, 0x68, 0x8A):
        for copy in damaged(bodies[identifier], identifier, 60):
            packets.append(tshark.Udp(8192, 41001, b"\x84" + len(packets).to_bytes(3, "little") + b"\x40"
                                      + (8 * (len(copy) + 1)).to_bytes(2, "big") + len(packets).to_bytes(3, "little") + bytes([identifier]) + copy[1:]))
    path = tshark.write_pcap(tmp_path / "damaged.pcap", packets)
    done = tshark.run(["-V", *OPTIONS], path)
    assert "Lua Error" not in done.stdout and "has an error" not in done.stderr
    assert len(re.findall("^VC:MP: ", done.stdout, re.MULTILINE)) > 100
