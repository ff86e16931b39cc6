# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which datagrams are taken for Leviathan's: by heuristic, by conversation, by port, by Decode As."""

import random

import pytest

import gamewire_tshark as tshark
import leviathan_decoding as leviathan
from leviathan_decoding import ECHO, ack_only, hello, normal, request, u32

GENUINE = {
    "smallest packet": bytes.fromhex("4c6e 000003e9 00000000 01 28 00000001 000f"),
    "packet with acks": normal(1002, request(2, ECHO), acks=[1001, 1003]),
    "packet without messages": normal(1001),
    "clean ack only packet": bytes.fromhex("4c61 03 000003e9 000003ea 000003eb"),
    "one id": ack_only(1001),
    "four ids": ack_only(1001, 1002, 1003, 1004),
    "block behind a packet": bytes.fromhex(
        "4c6e 00000416 00000000 01 12 0000002e 0004 00000000 4c61 02 000003e9 000003ea"
    ),
}

STRANGERS = {
    "nothing": b"",
    "DNS query of the id 0x4C6E": bytes.fromhex("4c6e 0100 0001 0000 0000 0000")
    + b"\x07example\x03com\0"
    + bytes.fromhex("0001 0001"),
    "text that begins with Ln": b"Ln is the natural logarithm",
    "text that begins with La": b"La la la",
    "packet id 0": normal(0, request(1, ECHO)),
    "five ids": ack_only(1001, 1002, 1003, 1004, 1005),
    "no ids": ack_only(),
    "ids that do not ascend": ack_only(1002, 1001),
    "ids far apart": ack_only(1001, 900000),
    "unknown packet": b"Le" + bytes(20),
    "type above the table": normal(1001, request(1, 18)),
    "magic of QUIC's": b"\x4c\x6e" + bytes(range(40, 80)),
}


def layers(path, *args, **options):
    return [item is not None for item in leviathan.decode(path, *args, **options)]


@pytest.mark.parametrize("payload", GENUINE.values(), ids=GENUINE)
def test_genuine_packet_is_taken(udp_capture, payload):
    assert layers(udp_capture(tshark.request(payload))) == [True]


def test_strangers_are_left_alone(udp_capture):
    path = udp_capture(*(tshark.Udp(30000 + n, 40000 + n, payload) for n, payload in enumerate(STRANGERS.values())))
    assert layers(path) == [False] * len(STRANGERS)


def test_random_bytes_behind_the_magics_are_left_alone(udp_capture):
    """Of a million the tests of the heuristic pass less than one; these are 4,000."""
    source = random.Random(1)
    packets = []
    for n in range(4000):
        magic = source.choice((b"Ln", b"La"))
        packets.append(tshark.Udp(10000 + n, 20000 + n, magic + source.randbytes(source.randrange(5, 60))))
    assert not any(layers(udp_capture(*packets)))


def test_after_one_packet_all_of_the_conversation_is_leviathans(udp_capture):
    """An ack only packet of five ids, and a type that the heuristic does not know."""
    later = [tshark.reply(STRANGERS[name], 1) for name in ("five ids", "type above the table", "unknown packet")]
    path = udp_capture(tshark.reply(STRANGERS["five ids"]), tshark.request(hello(), 0.5), *later)
    assert layers(path) == [False, True, True, True, True]


def test_port_preference_takes_what_the_heuristic_does_not(udp_capture):
    path = udp_capture(tshark.request(STRANGERS["unknown packet"]))
    assert layers(path) == [False]
    assert layers(path, prefs={"leviathan.udp.port": f"1-2,{tshark.SERVER_PORT}"}) == [True]


def test_decode_as(udp_capture):
    path = udp_capture(tshark.request(STRANGERS["unknown packet"]))
    assert layers(path, "-d", f"udp.port=={tshark.SERVER_PORT},leviathan") == [True]


def test_heuristic_can_be_switched_off(udp_capture):
    path = udp_capture(tshark.request(GENUINE["smallest packet"]))
    assert layers(path, "--disable-heuristic", "leviathan_udp") == [False]


def test_numbering_preference_renames_the_types(udp_capture):
    path = udp_capture(tshark.request(normal(2, request(1, 14, u32(0)))))
    infos = {date: tshark.info_column(path, prefs={"leviathan.numbering": date}) for date in DATES}
    old = ["2  Request Echo #1"]
    new = ["2  Request ConnectInput #1"]
    assert infos == {date: old if date < "2018-11-18" else new for date in DATES}


DATES = ("2017-04-05", "2018-10-30", "2018-11-18", "2018-11-30", "2018-12-08", "newest")


def test_types_can_be_filtered_by_the_name_that_they_have_in_the_numbering(udp_capture):
    path = udp_capture(tshark.request(normal(2, request(1, 14, u32(0)))))
    for date, name in (("2017-04-05", "Echo"), ("newest", "ConnectInput")):
        shown = tshark.run(
            ["-Y", f'leviathan.request.type == "{name}"', "-T", "fields", "-e", "frame.number"],
            path,
            prefs={"leviathan.numbering": date},
        ).stdout
        assert shown.split() == ["1"]
