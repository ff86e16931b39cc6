# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Expert infos about what a game should send in another way."""

import pytest

import gamewire_tshark as tshark
from plugin.godot.multiplayer.samples import ADVICE, CALL_BY_ID, DECODE_AS, SOUND, calls, defined

CAPTURES = sorted(str(path.relative_to(tshark.PCAPS)) for path in (tshark.PCAPS / "godot/multiplayer").glob("*.pcap*"))


def frames(path, name, *args):
    return [int(packet["frame.number"][0]) for packet in tshark.fields(path, ["frame.number"], "-Y", name, *DECODE_AS, *args)]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
@pytest.mark.parametrize("name", ADVICE)
def test_the_last_message_has_the_expert_info(name, passes, udp_capture):
    path = udp_capture(*ADVICE[name])
    found = frames(path, name, *passes)
    assert found == [len(ADVICE[name])]
    assert frames(path, f"{name} && _ws.expert.severity == Note", *passes) == found


@pytest.mark.parametrize("name", SOUND)
def test_a_game_that_sends_it_in_the_other_way_has_none(name, udp_capture):
    assert frames(udp_capture(*SOUND[name]), name, "-2") == []


def test_calls_are_counted_for_each_method(udp_capture):
    """44 calls of two methods in two seconds."""
    packets = calls(44, 0.045)
    others = calls(44, 0.045, CALL_BY_ID[:-1] + b"\x07")
    path = udp_capture(*defined(*(pair[number % 2] for number, pair in enumerate(zip(packets, others)))))
    assert frames(path, "godot_mp.rpc.reliable.too_many") == []


@pytest.mark.parametrize("capture", CAPTURES)
def test_the_captures_of_sound_games_have_none(capture):
    assert tshark.counts(tshark.PCAPS / capture, [" || ".join(ADVICE)], "-2") == [0]
