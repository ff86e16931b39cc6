# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin's heuristics recognize no packet of the other protocols in protocols.py.

Payloads with exactly a format of the plugin are not in the corpus: protocols.LOOK_ALIKES lists them.

GAMEWIRE_RANDOM_PAYLOADS in the environment is the number of random payloads for tshark, by default 50,000.
"""

import collections
import functools
import os
import subprocess
from pathlib import Path

import pytest

import corpus
import gamewire_tshark as tshark
import protocols
from heuristics import alone, taken

RANDOM_PAYLOADS = int(os.environ.get("GAMEWIRE_RANDOM_PAYLOADS", 50_000))
AT_A_TIME = 1_000_000

# Values of the preference enet.format.
ENET_FORMATS = ("1.3", "csharp", "growtopia", "1.2", "league_3", "league_4_20", "league_8_client", "league_8_server",
                "more_peers", "enet6")


@functools.lru_cache(maxsize=None)
def captured():
    """The corpus as a capture, and the kind of each of its packets."""
    path = tshark.scratch() / "strangers.pcap"
    return path, corpus.write(path)


def recognized(capture, *options):
    """The numbers of the packets that one of the plugin's dissectors accepted."""
    return [number for number, families in enumerate(taken(capture, *options), 1) if families]


def wrongly_taken(own, *options, **more):
    """A Counter of the kinds of packets of the corpus that one of the plugin's dissectors accepted, without its own kinds."""
    path, kinds = captured()
    rows = taken(path, *options, **more)
    assert len(rows) == len(kinds)
    return collections.Counter(kind for kind, families in zip(kinds, rows) if families and kind not in own)


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
def test_no_packet_of_other_protocols_is_recognized_among_the_others(passes):
    assert not wrongly_taken(protocols.OF_OURS, *passes, env=tshark.without_memory_checks())


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
def test_no_packet_of_other_protocols_is_recognized_alone(passes):
    assert not wrongly_taken(protocols.OF_OURS, *passes, *alone())


@pytest.mark.parametrize("name", ENET_FORMATS)
def test_no_packet_of_other_protocols_is_recognized_in_a_format_of_enet(name):
    """With the preference for it; without one, all formats are tried for a CONNECT. The corpus has ENet 1.2."""
    own = {kind for kind in protocols.KINDS if name == "1.2" and kind.startswith("enet_1_2_")} | set(protocols.OF_OURS)
    assert not wrongly_taken(own, "-o", f"enet.format:{name}", *alone(), env=tshark.without_memory_checks())


def test_packets_of_our_protocols_are_accepted_only_by_their_dissectors():
    path, kinds = captured()
    for kind, families in zip(kinds, taken(path, "-2", *alone())):
        if kind in protocols.OF_OURS:
            assert families <= {protocols.OF_OURS[kind]}, kind


def test_the_corpus_is_the_same_each_time():
    first = corpus.packets(7)[::97]
    assert first == corpus.packets(7)[::97]
    assert first != corpus.packets(8)[::97]


def test_the_corpus_has_each_kind_often_and_in_sequence():
    counts = collections.Counter(name for name, _ in corpus.packets())
    assert set(counts) == set(protocols.KINDS)
    assert min(counts.values()) == corpus.CONVERSATIONS * corpus.PACKETS + corpus.LONE_PACKETS


def test_packets_of_our_protocols_are_recognized_with_the_same_options(tmp_path):
    """The heuristics work with the options above: they recognize a Godot conversation."""
    # {"score": 5, "of": "Ann"}
    dictionary = protocols.le32(27, 2, 4, 5) + b"score\0\0\0" + protocols.le32(2, 5)
    dictionary += protocols.le32(4, 2) + b"of\0\0" + protocols.le32(4, 3) + b"Ann\0"
    capture = tshark.write_pcap(tmp_path / "ours.pcap", [(50000, 20000, dictionary)])
    assert recognized(capture, *alone()) == [1]


def test_a_look_alike_is_recognized_after_some_packets_in_a_row(tmp_path):
    """They are the same bytes. If this fails the heuristic became stricter: the kind can be added to the corpus."""
    payloads = [protocols.le32(9) + protocols.floats(1.5 + n, -2, 30.25) for n in range(12)]
    capture = tshark.write_pcap(tmp_path / "alike.pcap", [(50000, 20000, payload) for payload in payloads])
    assert "u32 5 to 20, floats as many as that type has" in protocols.LOOK_ALIKES
    assert 5 <= min(recognized(capture)) <= 8


def test_no_random_payload_is_recognized():
    """The program random_payloads tests ten million with the codecs' functions only."""
    program = Path(os.environ["GAMEWIRE_BUILD"]) / "tests" / "strangers" / "random_payloads"
    capture = tshark.scratch() / "random.pcap"
    for seed, left in enumerate(range(RANDOM_PAYLOADS, 0, -AT_A_TIME), 1):
        with capture.open("wb") as file:
            subprocess.run([program, "--pcap", str(min(left, AT_A_TIME)), str(seed)], stdout=file, check=True)
        assert recognized(capture) == [], f"seed {seed}"
