# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Results that depend on several packets are of one conversation: separate for each VLAN, and without the quotations
in ICMP errors."""

import functools
import struct

import pytest

import gamewire_tshark as tshark

# A game on one pair of addresses and ports: acks, responses, reassembly, retransmissions, names, generations.
CAPTURES = ["leviathan/session", "squirrel/session", "squirrel/split", "enet/every-command",
            "godot/godot-3.6-game", "godot-multiplayer/godot-4.6.3-calls"]


def records(capture):
    """Each packet's time and frame."""
    data, at = (tshark.PCAPS / f"{capture}.pcap").read_bytes(), 24
    while at < len(data):
        seconds, fraction, captured, _ = struct.unpack_from("<4I", data, at)
        yield seconds + fraction / 1e6, data[at + 16 : at + 16 + captured]
        at += 16 + captured


def quotation(frame):
    """An ICMP error that quotes the whole datagram, from its receiver."""
    icmp = b"\3\3\0\0" + bytes(4) + frame[14:]
    addresses = frame[30:34] + frame[26:30]
    head = b"\x45\0" + struct.pack(">H", 20 + len(icmp)) + bytes(4) + b"\x40\1\0\0" + addresses
    return frame[6:12] + frame[:6] + frame[12:14] + head + icmp


def tagged(frame, vlan):
    return frame[:12] + struct.pack(">HH", 0x8100, vlan) + frame[12:]


@functools.lru_cache(maxsize=None)
def links():
    """The fields with frame numbers, and related ones."""
    kinds = ("FT_FRAMENUM", "FT_RELATIVE_TIME")
    return sorted({field.filter for field in tshark.registered_fields() if field.type in kinds})


def decoded(capture, *passes):
    """Each packet's links and Info text."""
    return tshark.fields(capture, [*links(), "_ws.col.Info"], *passes)


def renumbered(packet, number_of):
    frames = {field.filter for field in tshark.registered_fields() if field.type == "FT_FRAMENUM"}
    return {name: [str(number_of(int(v))) for v in values] if name in frames else values
            for name, values in packet.items()}


@pytest.mark.parametrize("capture", CAPTURES)
def test_the_same_conversation_in_two_vlans_is_analyzed_separately(tmp_path, capture):
    """The copies of each two frames are swapped: taking the first match would give wrong results."""
    alone = decoded(tshark.write_frames(tmp_path / "alone.pcap", records(capture)), "-2")
    both = [(time, tagged(frame, vlan)) for n, (time, frame) in enumerate(records(capture))
            for vlan in ((10, 20), (20, 10))[n % 2]]
    together = decoded(tshark.write_frames(tmp_path / "both.pcap", both), "-2")
    assert sum(any(packet[name] for name in links()) for packet in alone) > 1
    for first in (1, 0):  # True if the copy is the first of odd frames
        def number_of(frame):
            return 2 * frame - (first if frame % 2 else 1 - first)
        found = [together[number_of(frame) - 1] for frame in range(1, len(alone) + 1)]
        assert found == [renumbered(packet, number_of) for packet in alone]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
@pytest.mark.parametrize("capture", [*CAPTURES, "godot/godot-3.6-late-proof", "godot/godot-4.6.3-vector3-only"])
def test_a_datagram_in_an_icmp_error_is_not_traffic(tmp_path, capture, passes):
    alone = decoded(tshark.write_frames(tmp_path / "alone.pcap", records(capture)), *passes)
    both = [(time, packet) for time, frame in records(capture) for packet in (quotation(frame), frame)]
    together = decoded(tshark.write_frames(tmp_path / "both.pcap", both), *passes)
    assert together[1::2] == [renumbered(packet, lambda frame: 2 * frame) for packet in alone]


def test_a_datagram_in_an_icmp_error_is_not_evidence(tmp_path):
    """Vectors are recognized after several of them; the quotation of one that was not captured is not counted."""
    every = list(records("godot/godot-4.6.3-vector3-only"))
    names = ["frame.number"]
    first = tshark.fields(tshark.write_frames(tmp_path / "all.pcap", every), names, "-Y", "godot")[0]
    known = int(first["frame.number"][0])
    quoted = [(time, quotation(frame)) for time, frame in every[known - 1 :]]
    capture = tshark.write_frames(tmp_path / "quoted.pcap", every[: known - 1] + quoted + every[: known - 1])
    assert known > 2 and not tshark.fields(capture, names, "-2", "-Y", "godot")
