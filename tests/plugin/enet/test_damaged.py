# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Datagrams of a known connection that its sender, or a proxy between the hosts, has damaged are shown with their fault,
if they are like those before them and no other dissector accepts them. The datagrams are those of real captures."""

import itertools

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import connect, ping, verify

PASSES = [(), ("-2",)]
KNOWN = 60  # real datagrams before the damaged one
LEAST = 24  # bytes of a datagram that is damaged

# Of libenet without and with checksums, and of forks.
CAPTURES = ["enet/lossy-client", "enet/checksum", "enet-versions/csharp", "enet-versions/zpl-checksum"]

FAULTS = ["enet.header.truncated", "enet.command.truncated", "enet.payload.truncated", "enet.command.unknown"]
DAMAGES = {
    "three bytes are missing": lambda payload: payload[:-3],
    "half is missing": lambda payload: payload[: len(payload) // 2],
    "zeros follow": lambda payload: payload + bytes(5),
}


def has_sent_time(packet):
    return packet.payload[0] & 0x80


def conversation(capture):
    """Real datagrams, of which the last one has no sent time: no clock shows that a damaged one is of its sender."""
    packets = list(tshark.read_pcap(tshark.PCAPS / f"{capture}.pcap"))
    last = max(n for n, packet in enumerate(packets[:KNOWN]) if len(packet.payload) >= LEAST and not has_sent_time(packet))
    return packets[: last + 1]


def shown(conversations, udp_capture, *options):
    """{name: of the last packet, its protocols, and whether it has a fault}, with one start of tshark."""
    path = udp_capture(*tshark.apart(conversations.values()))
    packets = tshark.fields(path, ["frame.protocols", *FAULTS], *options, *tshark.without_hipercontracer())
    found = {}
    for name, (*_, packet) in zip(conversations, tshark.split(packets, conversations.values()), strict=True):
        protocols = packet.pop("frame.protocols")[0].split(":")
        found[name] = protocols[protocols.index("udp") + 1 :], any(packet.values())
    return found


@pytest.mark.parametrize("passes", PASSES)
def test_a_damaged_datagram_of_a_known_connection_has_its_fault(passes, udp_capture):
    conversations = {}
    for capture in CAPTURES:
        real = conversation(capture)
        for damage, damaged in DAMAGES.items():
            conversations[capture, damage] = [*real, real[-1]._replace(payload=damaged(real[-1].payload))]
    assert shown(conversations, udp_capture, *passes) == dict.fromkeys(conversations, (["enet"], True))


@pytest.mark.parametrize("passes", PASSES)
def test_a_datagram_that_shares_nothing_is_left_alone(passes, udp_capture):
    conversations = {}
    for capture in CAPTURES:
        real = conversation(capture)
        payload = real[-1].payload
        for number, other in enumerate((b"hello there, this is a text", payload[2:], b"\x12\x34" + payload[2:-3])):
            conversations[capture, number] = [*real, real[-1]._replace(payload=other)]
    assert shown(conversations, udp_capture, *passes) == dict.fromkeys(conversations, (["data"], False))


STREAMS = 1024  # whose datagrams are stored


@pytest.mark.parametrize("passes", PASSES)
def test_datagrams_are_compared_with_those_of_the_latest_conversations(passes, udp_capture):
    """Of two conversations, one goes on while others begin."""
    real = conversation("enet/lossy-client")
    damaged = real[-1].payload[:-3]
    ended, goes_on = ([*tshark.apart([[]] * n + [real])] for n in (1, 2))
    others = [(tshark.request(connect(connect_id=port))._replace(sport=port),
               tshark.reply(verify(connect_id=port))._replace(dport=port),
               tshark.request(ping(2))._replace(sport=port)) for port in range(10_000, 10_000 + STREAMS)]
    first, last = others[: STREAMS // 2], others[STREAMS // 2 :]
    capture = udp_capture(*ended, *goes_on, *itertools.chain(*first), goes_on[-2], *itertools.chain(*last),
                          ended[-1]._replace(payload=damaged), goes_on[-1]._replace(payload=damaged))
    found = tshark.fields(capture, ["frame.protocols"], *passes, *tshark.without_hipercontracer())
    assert [packet["frame.protocols"][0].split(":")[-1] for packet in found[-2:]] == ["data", "enet"]
