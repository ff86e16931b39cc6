# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants in ENet, written by hand: payloads that are recognized and others. For captures see test_over_enet.py."""

import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.variant.variants import encode, words

IN_ENET = ("-d", f"udp.port=={tshark.SERVER_PORT},enet")
CHOSEN = (*IN_ENET, "-d", f"enet.port=={tshark.SERVER_PORT},godot")


def test_several_in_a_datagram(udp_capture):
    commands = reliable(1, encode({"cmd": "move", "speed": 12, "name": "a name"}, 4)) + reliable(2, encode(7, 4))
    path = udp_capture(tshark.request(datagram(commands)))
    for options in (IN_ENET, CHOSEN):
        assert tshark.info_column(path, *options)[0].endswith('"name": "a name"}; int 7')


def test_a_chosen_message_is_never_declined(udp_capture):
    path = udp_capture(tshark.request(datagram(reliable(1, b"text"))))
    assert tshark.run(["-T", "fields", "-e", "godot", *CHOSEN], path).stdout.strip()


def test_a_big_endian_counter_in_a_known_conversation_is_not_null(tmp_path):
    proof = encode({"cmd": "move", "speed": 12, "name": "a name"}, 4)
    payloads = [proof, *(number.to_bytes(4, "big") for number in range(1, 6))]
    in_enet = [datagram(reliable(number, payload)) for number, payload in enumerate(payloads, 1)]
    for packets, options in ((payloads, ()), (in_enet, IN_ENET)):
        path = tshark.write_pcap(tmp_path / "counters.pcap", map(tshark.request, packets))
        found = tshark.run(["-T", "fields", "-e", "godot", "-2", *options], path).stdout.splitlines()
        assert [bool(line) for line in found] == [True] + 5 * [False]


def test_a_counter_and_a_type_are_not_evidence(udp_capture):
    path = udp_capture(*(tshark.request(datagram(reliable(number, words(2, number)))) for number in range(1, 20)))
    assert not any(packet["godot.type"] for packet in tshark.fields(path, ["godot.type"], "-2", *IN_ENET))
