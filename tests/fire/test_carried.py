# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile messages inside ENet, WebSocket and TCP; test_fire.py does the same for UDP payloads."""

import functools

import pytest

import carried
import fire
import gamewire_tshark as tshark

SEEDS = (1, 2)


@functools.lru_cache(maxsize=None)
def capture(name, seed=None):
    path = tshark.scratch() / f"carried-{name}-{seed}.pcap"
    if seed is None:
        carried.write_torture(path, name)
    else:
        carried.write_mutated(path, name, seed)
    return path


@pytest.mark.parametrize("mode", fire.OTHER_MODES)
@pytest.mark.parametrize("name", carried.CARRIERS)
def test_the_torture_set(name, mode):
    assert fire.attack(capture(name), mode, carried.options_of(name)) is None


@pytest.mark.parametrize("mode", fire.TIMED_MODES)
@pytest.mark.parametrize("name", carried.CARRIERS)
def test_each_packet_of_the_torture_set_takes_less_than_a_second(name, mode):
    seconds, frame = fire.slowest(capture(name), mode, carried.options_of(name))
    print(f"{name}, {mode}: {seconds:.3f} s for frame {frame}")
    assert seconds < 1, f"{seconds:.1f} s for frame {frame}"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", carried.CARRIERS)
def test_mutated_captures(name, seed):
    for mode in list(fire.MODES)[seed % 2 :: 2]:
        assert fire.attack(capture(name, seed), mode, carried.options_of(name)) is None


@pytest.mark.parametrize("name", carried.CARRIERS)
def test_the_messages_reach_their_dissectors(name):
    """Otherwise the tests above would have no effect."""
    protocols = {"multiplayer": "godot_mp", "websocket": "websocket", "stream": "godot_stream",
                 "recognition": "godot_stream", "debugger": "godot_debugger"}
    found = tshark.fields(capture(name, 1), ["frame.number"], "-Y", protocols[name], *carried.options_of(name))
    # In streams, a segment often contains only a length, which is shown with the next segment; and some mutated streams
    # are not recognized.
    assert len(found) > carried.PACKETS / (16 if name == "recognition" else 8)


@pytest.mark.skipif(not fire.sanitized(), reason="only the sanitizers see leaks")
@pytest.mark.parametrize("name", carried.CARRIERS)
def test_nothing_leaks(name):
    assert fire.attack(capture(name, 1), "two_passes", ["-c", "400", *carried.options_of(name)], fire.leak_check()) is None
