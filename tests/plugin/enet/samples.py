# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Datagrams of ENet that violate one rule each, and conversations with one finding each."""

import struct

import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, connect, datagram, fragment, ping, reliable, unsequenced, verify

# Expert info: the datagram.
ODDITIES = {
    "enet.command.missing": datagram(b""),
    "enet.datagram.too_long": datagram(reliable(1, bytes(4100))),
    "enet.command_count.unusual": datagram(b"".join(ping(number) for number in range(1, 34))),
    "enet.flags.unusual": datagram(reliable(1, first=0xC6)),
    "enet.channel.invalid": datagram(reliable(1, channel=0xFF)),
    "enet.channel.unusual": datagram(ping(1, channel=0)),
    "enet.sent_time.missing": datagram(ping(1), header=0x0001),
    "enet.peer.missing": datagram(ping(1), header=0x8FFF),
    "enet.connect.peer.invalid": connect(header=0x8001),
    "enet.ack.sequence.differs": datagram(struct.pack(">BBHHH", 1, 0, 5, 6, 0), header=0x0001),
    "enet.sequence.unusual": datagram(unsequenced(1, sequence=3), header=0x0001),
    "enet.connect.outgoing_peer.invalid": connect(peer=0xFFF),
    "enet.connect.session.invalid": connect(sessions=(4, 0xFF)),
    "enet.connect.mtu.invalid": connect(mtu=575),
    "enet.connect.window.invalid": connect(window=65537),
    "enet.connect.channels.invalid": connect(channels=256),
    "enet.fragment.count.invalid": datagram(fragment(count=1048577, total=2000000)),
    "enet.fragment.number.invalid": datagram(fragment(count=1)),
    "enet.fragment.total_length.too_long": datagram(fragment(total=(32 << 20) + 1)),
    "enet.fragment.total_length.too_short": datagram(fragment(count=11)),
    "enet.fragment.offset.invalid": datagram(fragment(offset=10)),
    "enet.fragment.end.invalid": datagram(fragment(offset=7)),
    "enet.fragment.empty": datagram(fragment(data=b"")),
    "enet.fragment.sequence.invalid": datagram(fragment(sequence=9)),
    "enet.header.truncated": b"\x80\x01\x12",
    "enet.command.truncated": datagram(b"\x86\0\0\x01"),
    "enet.payload.truncated": datagram(reliable(1)[:-1]),
    "enet.command.unknown": datagram(b"\x0d\0\0\x01"),
    "enet.version.unsupported": bytes.fromhex("00000001087c7d4667458b6b 05ff01000000000c00000002"),
    "enet.compression.unknown": datagram(b"\xffnothing", header=0xC001),
}


# ---- findings ------------------------------------------------------------------------------------------------------

START = [tshark.request(connect(channels=3, window=4096))]


def at(time, sequence_bytes, sent_time):
    return tshark.request(datagram(sequence_bytes, sent_time=sent_time), time)


def answer(time, commands):
    return tshark.reply(datagram(commands, header=0x0000), time)


FINDINGS = {
    "enet.analysis.retransmission": [at(1, reliable(1), 1), at(2, reliable(1), 2)],
    "enet.analysis.spurious_retransmission": [at(1, reliable(1), 1), answer(1.1, ack(1, 1)), at(2, reliable(1), 2)],
    "enet.analysis.duplicate": [at(1, reliable(1), 1), at(1, reliable(1), 1)],
    "enet.analysis.out_of_order": [at(1, reliable(2), 2), at(1, reliable(1), 1)],
    "enet.analysis.number_reused": [at(1, reliable(1), 1), at(2, reliable(1, b"xyz"), 2)],
    "enet.analysis.gap": [at(1, reliable(3), 1)],
    "enet.analysis.lost_messages": [at(1, unsequenced(4) + ping(2), 1)],
    "enet.analysis.duplicate_ack": [at(1, reliable(1), 1), answer(1.1, ack(1, 1)), answer(1.2, ack(1, 1))],
    "enet.analysis.ack.unseen": [at(1, reliable(1), 1), answer(1.1, ack(2, 1))],
    "enet.analysis.window_full": [tshark.reply(verify(), 0.1), at(1, reliable(1, bytes(1400)), 1), at(1, reliable(2, bytes(1400)), 2)],
    "enet.analysis.throttle_changed": [at(1, struct.pack(">BBHIII", 0x8B, 0xFF, 2, 3000, 4, 1), 1)],
    "enet.analysis.bandwidth_changed": [at(1, struct.pack(">BBHII", 0x8A, 0xFF, 2, 3000, 0), 1)],
    "enet.analysis.too_far_ahead": [at(1, reliable(28700), 1)],
    "enet.analysis.channel.invalid": [at(1, reliable(1, channel=3), 1)],
    "enet.analysis.stale": [tshark.reply(verify(), 0.1), tshark.request(datagram(reliable(1), 0x9001), 1)],
    "enet.analysis.silence": [at(1, ping(2), 1), at(7, ping(3), 2)],
}
