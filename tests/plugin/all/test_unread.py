# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A payload that cannot be read, in a conversation of which nearly all payloads were the protocol's: it is not accepted, as it may be another
format's, but has a note. The payloads before it are those of real captures. Messages of multiplayer: test_unreadable.py."""

import functools

import pytest

import gamewire_tshark as tshark

CAPTURES = {"godot": "godot/variant/godot-4.6.3-game", "leviathan": "leviathan/session", "squirrel": "squirrel/session"}
UNREADABLE = bytes.fromhex("99989796 95949392")
STUN = bytes.fromhex("00010000 2112a442 000102030405060708090a0b")  # a binding request, for which Wireshark has a heuristic
BOTH_PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
BOTH_PROTOCOLS = pytest.mark.parametrize("protocol", CAPTURES)


@functools.lru_cache(maxsize=None)
def sound(protocol):
    """24 packets of the first conversation, which has 12 or more."""
    packets = list(tshark.read_pcap(tshark.PCAPS / f"{CAPTURES[protocol]}.pcap"))
    ends = {packets[0].sport, packets[0].dport}
    return ([packet for packet in packets if {packet.sport, packet.dport} == ends] * 2)[:24]


def with_payloads(protocol, payloads, before=24, **options):
    """Sound packets, and these between the same ports; the times are those of a slow game."""
    first = sound(protocol)[0]
    last = [first._replace(payload=payload, options={**first.options, **options}) for payload in payloads]
    return [packet._replace(time=number / 10) for number, packet in enumerate([*sound(protocol)[:before], *last])]


def notes(protocol, packets, path, *args):
    """{number of the packet, from 0: its note, and its protocols} of the packets with one."""
    names = [f"{protocol}.payload.unread", "_ws.expert.message", "frame.protocols"]
    rows = tshark.fields(tshark.write_pcap(path, packets), names, *args)
    return {number: (row["_ws.expert.message"], row["frame.protocols"][0].split(":")) for number, row in enumerate(rows) if row[names[0]]}


@BOTH_PASSES
@BOTH_PROTOCOLS
def test_a_payload_unlike_all_before_it_is_not_silent(protocol, passes, tmp_path):
    packets = with_payloads(protocol, [UNREADABLE])
    found = notes(protocol, packets, tmp_path / "one.pcap", *passes)
    assert set(found) == {len(packets) - 1}
    (text,), protocols = found[len(packets) - 1]
    assert text.startswith("Not read as ") and "payloads of this conversation before it" in text
    assert protocol not in protocols and protocols[-1] == "data"


def test_a_variant_has_the_fault_with_its_offset(tmp_path):
    packets = with_payloads("godot", [bytes.fromhex("1c000000 02000000 63000000")])
    (text,), _ = notes("godot", packets, tmp_path / "fault.pcap")[len(packets) - 1]
    assert text.endswith(": A Variant type that this generation does not have at offset 8")


@BOTH_PROTOCOLS
def test_nothing_is_said_where_few_payloads_were_the_protocol_s(protocol, tmp_path):
    assert notes(protocol, with_payloads(protocol, [UNREADABLE], before=3), tmp_path / "few.pcap") == {}
    # Each one needs four that were accepted: a format of the game's own beside the protocol has no notes after the first ones.
    packets = with_payloads(protocol, [UNREADABLE + bytes([number]) for number in range(40)])
    assert len(notes(protocol, packets, tmp_path / "beside.pcap")) <= len(packets) // 5


@BOTH_PASSES
@BOTH_PROTOCOLS
def test_a_payload_that_another_dissector_accepts_has_no_note(protocol, passes, tmp_path):
    assert notes(protocol, with_payloads(protocol, [STUN]), tmp_path / "stun.pcap", *passes) == {}


@BOTH_PROTOCOLS
def test_a_payload_that_the_capture_cut_has_no_note(protocol, tmp_path):
    packets = with_payloads(protocol, [UNREADABLE], captured=5)
    assert notes(protocol, packets, tmp_path / "cut.pcap") == {}
