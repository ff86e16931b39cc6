# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile messages inside ENet, WebSocket and TCP; test_fire.py does the same for UDP payloads."""

import functools
import itertools

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


def captures(seed=None):
    return {name: (capture(name, seed), carried.options_of(name)) for name in carried.CARRIERS}


def all_carriers(seed=None):
    """The captures of all carriers as one, and the options with which tshark reads it."""
    paths, options = zip(*captures(seed).values())
    return fire.merged(paths), list(itertools.chain(*options))


@pytest.mark.parametrize("mode", fire.OTHER_MODES)
def test_the_torture_set(mode):
    assert not fire.attack_all(captures(), mode)


@pytest.mark.parametrize("mode", fire.TIMED_MODES)
def test_each_packet_of_the_torture_set_takes_less_than_a_second(mode):
    seconds, frame = fire.slowest(all_carriers()[0], mode, all_carriers()[1])
    names = [name for name in carried.CARRIERS for _ in tshark.read_frames(capture(name))]
    slowest = f"{seconds:.3f} s for frame {frame - names.index(names[frame - 1])} of {names[frame - 1]}"
    print(f"{mode}: {slowest}")
    assert seconds < 1, slowest


@pytest.mark.parametrize("seed", SEEDS)
def test_mutated_captures(seed):
    wrong = {mode: fire.attack_all(captures(seed), mode) for mode in list(fire.MODES)[seed % 2 :: 2]}
    assert not any(wrong.values()), wrong


def test_the_messages_reach_their_dissectors():
    """Otherwise the tests above would have no effect."""
    protocols = {"multiplayer": "godot_mp", "websocket": "websocket", "stream": "godot_stream",
                 "recognition": "godot_stream", "debugger": "godot_debugger"}
    capture_of_all, options = all_carriers(1)
    filters = [f"{protocols[name]} && {'udp' if name == 'multiplayer' else 'tcp'}.port == {port}"
               for name, port in carried.PORTS.items()]
    found = dict(zip(carried.PORTS, tshark.counts(capture_of_all, filters, *options)))
    # In streams, a segment often contains only a length, which is shown with the next segment; and some mutated streams
    # are not recognized.
    wrong = {name: found.get(name) for name in protocols
             if found.get(name, 0) <= carried.PACKETS / (16 if name == "recognition" else 8)}
    assert not wrong


@pytest.mark.skipif(not fire.sanitized(), reason="only the sanitizers see leaks")
@pytest.mark.parametrize("name", carried.CARRIERS)
def test_nothing_leaks(name):
    assert fire.attack(capture(name, 1), "two_passes", ["-c", "400", *carried.options_of(name)], fire.leak_check()) is None
