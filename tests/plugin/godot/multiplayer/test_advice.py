# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Expert infos about what a game should send in another way."""

import pytest

import gamewire_tshark as tshark
from plugin.godot.multiplayer.samples import ADVICE, CALL_BY_ID, DECODE_AS, SOUND, calls, defined

CAPTURES = sorted((tshark.PCAPS / "godot/multiplayer").glob("*.pcap*"))


def frames(path, name, *args):
    return [int(packet["frame.number"][0]) for packet in tshark.fields(path, ["frame.number"], "-Y", name, *DECODE_AS, *args)]


def found_in(path, conversations, *args):
    """The expert infos of each packet of each conversation."""
    found = tshark.split(tshark.fields(path, list(ADVICE), *DECODE_AS, *args), conversations)
    return [[{name for name, values in packet.items() if values} for packet in packets] for packets in found]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
def test_the_last_message_has_the_expert_info(passes, udp_capture):
    conversations = list(ADVICE.values())
    path = udp_capture(*tshark.apart(conversations))
    assert found_in(path, conversations, *passes) == [[set()] * (len(packets) - 1) + [{name}] for name, packets in ADVICE.items()]
    any_of_them = " || ".join(ADVICE)
    found = frames(path, any_of_them, *passes)
    assert len(found) == len(ADVICE) and frames(path, f"({any_of_them}) && _ws.expert.severity == Note", *passes) == found


def test_a_game_that_sends_it_in_the_other_way_has_none(udp_capture):
    conversations = list(SOUND.values())
    path = udp_capture(*tshark.apart(conversations))
    found = found_in(path, conversations, "-2")
    assert [name for name, packets in zip(SOUND, found) if any(name in of_packet for of_packet in packets)] == []


def test_calls_are_counted_for_each_method(udp_capture):
    """44 calls of two methods in two seconds."""
    packets = calls(44, 0.045)
    others = calls(44, 0.045, CALL_BY_ID[:-1] + b"\x07")
    path = udp_capture(*defined(*(pair[number % 2] for number, pair in enumerate(zip(packets, others)))))
    assert frames(path, "godot_mp.rpc.reliable.too_many") == []


def test_the_captures_of_sound_games_have_none():
    """Except those in which a peer has no such node when it receives the path, or waits for authentication."""
    sound = [path for path in CAPTURES if path.stem not in ("godot-4.6.3-auth-missing", "godot-4.6.3-node-added")]
    found = tshark.fields_of_each(sound, ["frame.number"], "-2", "-Y", " || ".join(ADVICE))
    assert {path.name: packets for path, packets in found.items() if packets} == {}
