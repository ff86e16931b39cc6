# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which datagrams are decoded as Leviathan: by heuristic, by conversation, by port, by Decode As."""

import random

import pytest

import gamewire_tshark as tshark
from plugin.leviathan import decoding as leviathan
from plugin.leviathan.decoding import ECHO, KEEPALIVE, ack_only, hello, normal, request, response, string, u32

HELLO = hello()
ECHOES = [normal(1000 + n, request(n, ECHO)) for n in range(1, 9)]

# Each is sufficient alone.
ALONE = {
    "Connect": HELLO,
    "Connect with acks": hello(1002, acks=[1001, 1003]),
    "Security": normal(1003, request(3, 1, u32(1) + string("") + string("")), acks=[1001]),
    "JoinServer": normal(1005, request(5, 9, u32(-1))),
    "JoinGame": normal(1005, request(5, 10, string("none")), acks=[1001]),
    "EntityUpdate": normal(1005, response(5, 20, 0, u32(1, 2, -1, 9) + string(bytes(30)))),
}

# Not sufficient alone, but with a second one of its kind.
WITH_A_SECOND = {
    "Echo": ECHOES[:2],
    "Keepalive with acks": [normal(1000 + n, response(n, KEEPALIVE), acks=[1001]) for n in (2, 3)],
    "block after a packet": [packet + ack_only(1001, 1002) for packet in ECHOES[:2]],
    "Echo after ack-only packets": [ack_only(1001, 1002), ECHOES[0]],
}

# Payloads with similar structure: never accepted, in any number.
WEAK = {
    "constant, counter, zeros": [normal(n) for n in range(1001, 1040)],
    "constant, u8 1, counter": [ack_only(n) for n in range(1001, 1040)],
    "the same Echo again and again": [ECHOES[0]] * 20,
    "ack-only packets of five ids": [ack_only(*range(n, n + 5)) for n in range(1001, 1020)],
}

OTHER_PROTOCOLS = {
    "nothing": b"",
    "DNS query of the id 0x4C6E": bytes.fromhex("4c6e 0100 0001 0000 0000 0000")
    + b"\x07example\x03com\0"
    + bytes.fromhex("0001 0001"),
    "STUN": bytes.fromhex("0001 0000 2112a442") + bytes(range(12)),
    "DTLS": bytes.fromhex("16 fefd 0000 000000000001 0010") + bytes(16),
    "text that begins with Ln": b"Ln is the natural logarithm",
    "text that begins with La": b"La la la",
    "text": b"hello, world",
    "another packet": b"Le" + bytes(20),
    "QUIC that begins with Ln": b"\x4c\x6e" + bytes(range(40, 80)),
}

DAMAGED = {
    "packet id 0": normal(0, request(1, ECHO)),
    "five ids": ack_only(1001, 1002, 1003, 1004, 1005),
    "no ids": ack_only(),
    "ids that do not ascend": ack_only(1002, 1001),
    "type that is not in the table": normal(1001, request(1, 0xFFFF)),
    "message that is cut": normal(1001, request(1, 0, b"\0\0")),
}


def layers(path, *args, **options):
    """Which packets are Leviathan's."""
    return [bool(packet["leviathan"]) for packet in tshark.fields(path, ["leviathan"], *args, **options)]


def layers_of_each(udp_capture, conversations, *args, interval=1):
    """{name: which of the payloads are Leviathan's}, with one start of tshark for all conversations."""
    packets = [[tshark.request(payload, interval * n) for n, payload in enumerate(payloads)]
               for payloads in conversations.values()]
    found = layers(udp_capture(*tshark.apart(packets)), *args)
    return dict(zip(conversations, tshark.split(found, packets), strict=True))


def test_packet_with_constants_of_the_engine_is_accepted_alone(udp_capture):
    found = layers_of_each(udp_capture, {name: [payload] for name, payload in ALONE.items()})
    assert found == dict.fromkeys(ALONE, [True])


def test_small_packets_add_up_and_are_all_read_on_the_second_pass(udp_capture):
    assert layers_of_each(udp_capture, WITH_A_SECOND) == dict.fromkeys(WITH_A_SECOND, [False, True])
    assert layers_of_each(udp_capture, WITH_A_SECOND, "-2") == dict.fromkeys(WITH_A_SECOND, [True, True])


def test_packets_with_a_constant_and_a_counter_are_not_sufficient(udp_capture):
    found = layers_of_each(udp_capture, WEAK, "-2", interval=0.1)
    assert {name for name, accepted in found.items() if any(accepted)} == set()


def test_packets_of_other_protocols_and_damaged_packets_are_declined(udp_capture):
    payloads = [*OTHER_PROTOCOLS.values(), *DAMAGED.values()]
    path = udp_capture(*(tshark.Udp(30000 + n, 40000 + n, payload) for n, payload in enumerate(payloads)))
    assert layers(path) == [False] * len(payloads)


def test_random_bytes_after_the_packet_types_are_declined(udp_capture):
    """Fewer than one in a million pass the tests of the heuristic; this test has 4,000."""
    source = random.Random(1)
    packets = []
    for n in range(4000):
        magic = source.choice((b"Ln", b"La"))
        packets.append(tshark.Udp(10000 + n, 20000 + n, magic + source.randbytes(source.randrange(5, 60))))
    assert not any(layers(udp_capture(*packets)))


def test_damaged_packets_of_a_found_conversation_are_shown(udp_capture):
    path = udp_capture(tshark.request(HELLO), *(tshark.reply(payload, 1) for payload in DAMAGED.values()))
    assert layers(path) == [True] * (1 + len(DAMAGED))


@pytest.mark.parametrize("args", ((), ("-2",)), ids=("one pass", "two passes"))
def test_other_protocols_in_a_known_conversation_are_declined(udp_capture, args):
    """They are passed to other dissectors, before and after the packet with sufficient evidence."""
    payloads = list(OTHER_PROTOCOLS.values())
    before = [tshark.request(payload, n / 100) for n, payload in enumerate(payloads)]
    after = [tshark.reply(payload, 2 + n / 100) for n, payload in enumerate(payloads)]
    path = udp_capture(*before, tshark.request(HELLO, 1), *after, tshark.request(ECHOES[1], 9))
    assert layers(path, *args) == [False] * len(before) + [True] + [False] * len(after) + [True]
    stun = [packet["frame.protocols"][0] for packet in tshark.fields(path, ["frame.protocols"], *args)]
    assert stun[len(before) + 1 + list(OTHER_PROTOCOLS).index("STUN")].endswith(":stun")


def test_the_largest_packet_id_in_a_found_conversation_is_read(udp_capture):
    last = bytes.fromhex("4c6effffffff00000000011200000001000400000000")
    found = tshark.fields(udp_capture(tshark.request(HELLO), tshark.request(last)), ["leviathan.packet_id"])
    assert found[1] == {"leviathan.packet_id": [str(0xFFFFFFFF)]}


def test_packets_before_the_proof_are_not_read(udp_capture):
    """A damaged packet is not evidence, and the conversation is pinned from the frame with sufficient evidence on."""
    damaged = DAMAGED["five ids"]
    path = udp_capture(tshark.request(damaged), tshark.request(HELLO, 1), tshark.request(damaged, 2))
    assert layers(path, "-2") == [False, True, True]


def test_a_packet_with_evidence_before_the_proof_is_read_on_the_second_pass(udp_capture):
    """An empty packet of the engine, then an Authenticate, which is sufficient alone."""
    first = bytes.fromhex("4c6e000003e900000000011200000001000400000000")
    proof = bytes.fromhex("4c6e000003eb00000000022800000001000200000003626f6200000000000000010000000178"
                          "1200000002000400000000")
    path = udp_capture(tshark.request(first), tshark.request(proof, 1))
    assert layers(path) == [False, True]
    assert layers(path, "-2") == [True, True]


def test_the_port_preference_shows_payloads_that_the_heuristic_declines(udp_capture):
    path = udp_capture(tshark.request(OTHER_PROTOCOLS["another packet"]))
    assert layers(path) == [False]
    assert layers(path, prefs={"leviathan.udp.port": f"1-2,{tshark.SERVER_PORT}"}) == [True]


def test_decode_as(udp_capture):
    path = udp_capture(tshark.request(OTHER_PROTOCOLS["another packet"]))
    assert layers(path, "-d", f"udp.port=={tshark.SERVER_PORT},leviathan") == [True]


def test_heuristic_can_be_switched_off(udp_capture):
    path = udp_capture(tshark.request(HELLO))
    assert layers(path, "--disable-heuristic", "leviathan_udp") == [False]


def test_numbering_preference_renames_the_types(udp_capture):
    path = udp_capture(tshark.request(normal(2, request(1, 14, u32(0)))))
    port = ("-d", f"udp.port=={tshark.SERVER_PORT},leviathan")
    infos = {date: tshark.info_column(path, *port, prefs={"leviathan.numbering": date}) for date in DATES}
    old = ["[Trailing bytes] 2  Request Echo #1"]
    new = ["2  Request ConnectInput #1"]
    assert infos == {date: old if date < "2018-11-18" else new for date in DATES}


DATES = ("2017-04-05", "2018-10-30", "2018-11-18", "2018-11-30", "2018-12-08", "newest")


def test_types_can_be_filtered_by_the_name_that_they_have_in_the_numbering(udp_capture):
    path = udp_capture(tshark.request(normal(2, request(1, 14, u32(0)))))
    for date, name in (("2017-04-05", "Echo"), ("newest", "ConnectInput")):
        shown = tshark.run(
            ["-d", f"udp.port=={tshark.SERVER_PORT},leviathan", "-Y", f'leviathan.request.type == "{name}"', "-T", "fields", "-e", "frame.number"],
            path,
            prefs={"leviathan.numbering": date},
        ).stdout
        assert shown.split() == ["1"]
