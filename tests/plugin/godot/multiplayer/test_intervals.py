# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Intervals of synchronizers, separate for each synchronizer and receiver; and which updates are late."""

import functools
import struct

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.multiplayer.samples import DECODE_AS, DEFINE, SPAWN

FOLDER = tshark.PCAPS / "godot/multiplayer"
INTERVAL, PREVIOUS, LATE = (f"godot_mp.sync.update.{name}" for name in ("interval", "previous", "late"))


# ---- what the engine's scripts logged ------------------------------------------------------------------------------

# UDP ports of the processes (tests/captures/godot/multiplayer/godot4/main.gd).
PROCESSES = {"40600": "server", "40611": "client1", "40612": "client2"}


LOGGED = [FOLDER / f"godot-4.6.3-{name}.pcap" for name in ("late", "owners")]


def node_of(path):
    """The node of a synchronizer, from its path, or from the path or name of the spawned node."""
    return path.removesuffix("/MultiplayerSynchronizer").split("/")[-1]


@functools.lru_cache(maxsize=None)
def updates(capture):
    """Each update of one synchronizer: receiving process, node, interval, whether it is late."""
    found = []
    names = ["frame.time_epoch", "udp.dstport", "godot_mp.target", "godot_mp.sync.path", "godot_mp.sync.time", INTERVAL, LATE]
    for packet in tshark.fields_of_each(LOGGED, names, "-2", "-Y", "godot_mp.sync.time")[FOLDER / f"{capture}.pcap"]:
        process = PROCESSES[packet["udp.dstport"][0]]
        if len(packet["godot_mp.sync.path"]) == 1 and (process != "server" or packet["godot_mp.target"] == ["1"]):
            found.append((process, node_of(packet["godot_mp.sync.path"][0]), float(packet["frame.time_epoch"][0]),
                          [float(value) for value in packet[INTERVAL]], bool(packet[LATE])))
    return found


@pytest.mark.parametrize("capture", [path.stem for path in LOGGED])
def test_each_interval_is_the_one_that_the_receiver_s_script_logged(capture):
    """The log has the time at which the script was notified of the update, in the game's next frame after it
    arrived."""
    logged = {}
    for line in gamewire_records.read("godot/multiplayer", f"{capture}.calls"):
        if line["event"] == "synchronized":
            logged.setdefault((line["process"], node_of(line["path"])), []).append(line["time"])
    compared = 0
    for key, times in logged.items():
        wire = [interval for process, node, _, interval, _ in updates(capture) if (process, node) == key]
        # A node that was just spawned may receive an update before its script is connected.
        wire = wire[len(wire) - len(times):]
        for interval, before, after in zip(wire[1:], times, times[1:], strict=False):
            assert interval and abs(interval[0] - (after - before)) < 0.04, key
            compared += 1
    assert compared > 60


def test_updates_are_late_where_the_game_froze_a_node():
    """For each receiver: the game stopped a node of the server for 0.42 s while its other node continued, then a
    client for 0.5 s."""
    capture = "godot-4.6.3-late"
    frozen = [(node_of(line["path"]), line["time"], line["seconds"])
              for line in gamewire_records.read("godot/multiplayer", f"{capture}.calls") if line["event"] == "freeze"]
    late = [update for update in updates(capture) if update[4]]
    assert len(frozen) == 2 and len(late) == 4
    for node, begin, seconds in frozen:
        receivers = {(process, seconds <= interval[0] < seconds + 0.1)
                     for process, of, time, interval, _ in late if of == node and begin < time < begin + 0.6}
        assert len(receivers) == 2 and all(in_range for _, in_range in receivers)


def test_without_loss_no_update_is_late():
    captures = [FOLDER / f"godot-4.6.3-{name}.pcap" for name in ("spawn", "owners", "custom")]
    found = tshark.fields_of_each(captures, ["frame.number", LATE], "-2", "-Y", LATE)
    assert {capture.stem: packets for capture, packets in found.items() if packets} == {}


def test_late_updates_with_loss_have_long_intervals():
    found = tshark.fields(FOLDER / "godot-4.6.3-spawn-lossy.pcap", [INTERVAL], "-2", "-Y", LATE)
    assert found and all(float(value) > 0.5 for packet in found for value in packet[INTERVAL])


# ---- the rule ------------------------------------------------------------------------------------------------------


def sync(time, net_id=4):
    return struct.pack("<BHIIBB", 6, time, net_id, 2, 2, 1)


def conversation(steps, between=None):
    """A node's updates at these intervals. `between`: the updates before which there is another message."""
    messages, at = [bytes.fromhex(DEFINE), bytes.fromhex(SPAWN)], 0.0
    packets = [(at, message) for message in messages]
    for number, step in enumerate(steps, 1):
        at += step
        if between and between[0] == number:
            packets.append((at - step / 2, between[1]))
        packets.append((at, sync(number)))
    return [tshark.reply(datagram(reliable(number, message), sent_time=number), at)
            for number, (at, message) in enumerate(packets, 1)]


def updates_of_each(path, conversations, *passes):
    """For each conversation, the packets with updates."""
    names = ["godot_mp.sync.time", INTERVAL, PREVIOUS, LATE, "frame.number"]
    found = tshark.fields(tshark.write_pcap(path, tshark.apart(conversations)), names, *DECODE_AS, *passes)
    return [[packet for packet in packets if packet["godot_mp.sync.time"]] for packets in tshark.split(found, conversations)]


STEADY = [0.05] * 12
RULE = {
    "twice the interval, and 0.1 s more": ([*STEADY, 0.15], [13]),
    "less than 0.1 s more": ([*STEADY, 0.149], []),
    "less than twice the interval": ([0.3] * 12 + [0.59], []),
    "the second of two": ([*STEADY, 0.42, 0.05, 0.42], [13, 15]),
    "one interval was as long already, so that the longest but one counts": ([*STEADY, 0.2, 0.2, 0.2], [13, 14]),
    "another rate from then on": ([*STEADY, *[1.0] * 12], [13, 14]),
    "jitter": ([0.0, 0.15, 0.0, 0.15] * 6, []),
    "too few before it": ([0.05] * 8 + [2.0], []),
    "as many as it takes": ([0.05] * 9 + [2.0], [10]),
    "long ago": ([*STEADY, 2.0, 2.0, *[0.05] * 16, 2.0], [13, 14, 31]),
}


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
def test_an_update_is_late_if(passes, tmp_path):
    each = updates_of_each(tmp_path / "late.pcap", [conversation(steps) for steps, _ in RULE.values()], *passes)
    for (name, (steps, late)), found in zip(RULE.items(), each, strict=True):
        assert [int(packet["godot_mp.sync.time"][0]) for packet in found if packet[LATE]] == late, name
        assert found[0][INTERVAL] == [], name
        assert [float(packet[INTERVAL][0]) for packet in found[1:]] == pytest.approx(steps[1:]), name
        assert [packet[PREVIOUS] for packet in found[1:]] == [packet["frame.number"] for packet in found[:-1]], name


BETWEEN = {
    "spawned again: a different node": (bytes.fromhex(SPAWN), []),
    "the previous update again": (sync(12), ["2.000000000"]),
    "an older one, which the receiver ignores": (sync(11), ["2.000000000"]),
    "of another synchronizer": (sync(13, net_id=5), ["2.000000000"]),
}


def test_intervals_between_two_updates(tmp_path):
    each = updates_of_each(tmp_path / "between.pcap", [conversation([*STEADY, 2.0], between=(13, message))
                                                       for message, _ in BETWEEN.values()], "-2")
    last = {name: (found[-1][INTERVAL], bool(found[-1][LATE])) for name, found in zip(BETWEEN, each, strict=True)}
    assert last == {name: (interval, bool(interval)) for name, (_, interval) in BETWEEN.items()}


def test_two_updates_of_one_sync_have_intervals_of_their_own(tmp_path):
    """The second synchronizer was not in the sync before."""
    second = sync(0, net_id=5)[3:]
    packets = [(0.0, sync(1) + second), (0.25, sync(2)), (1.0, sync(3) + second)]
    path = tshark.write_pcap(tmp_path / "two.pcap", [tshark.reply(datagram(reliable(number, message), sent_time=number), at)
                                                     for number, (at, message) in enumerate(packets, 1)])
    for passes in ((), ("-2",)):
        found = tshark.fields(path, [PREVIOUS, INTERVAL], *DECODE_AS, *passes, prefs={"godot_mp.generation": "4"})
        assert [packet[PREVIOUS] for packet in found] == [[], ["1"], ["2", "1"]]
        assert found[-1][INTERVAL] == ["0.750000000", "1.000000000"]


def test_updates_an_hour_apart_have_no_interval(tmp_path):
    intervals = {3599.0: ["3599.000000000"], 3600.0: [], 5000.0: []}
    each = updates_of_each(tmp_path / "apart.pcap", [conversation([1.0, step, 2.0]) for step in intervals], "-2")
    for (step, interval), found in zip(intervals.items(), each, strict=True):
        assert [packet[INTERVAL] for packet in found] == [[], interval, ["2.000000000"]], step
        assert bool(found[1][PREVIOUS]) == bool(interval), step


def test_a_direction_has_its_own_intervals(tmp_path):
    """Also for a peer for which the server relays; in this test, for the other direction."""
    sides = [tshark.reply, tshark.request] * 6
    packets = [tshark.reply(datagram(reliable(1, bytes.fromhex(DEFINE)))), tshark.reply(datagram(reliable(2, bytes.fromhex(SPAWN))))]
    packets += [side(datagram(reliable(number, sync(number)), sent_time=number), number / 10)
                for number, side in enumerate(sides, 3)]
    path = tshark.write_pcap(tmp_path / "sides.pcap", packets)
    found = tshark.fields(path, [PREVIOUS, INTERVAL], *DECODE_AS, "-2", "-Y", "godot_mp.sync.time")
    assert [packet[PREVIOUS] for packet in found] == [[], [], *([str(frame)] for frame in range(3, 13))]
    assert {value for packet in found for value in packet[INTERVAL]} == {"0.200000000"}
