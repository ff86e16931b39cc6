# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Payloads of other protocols between the ports of a known conversation are not shown as damaged ones of it."""

import functools

import pytest

import corpus
import gamewire_tshark as tshark
import streams
from plugin.all.test_damaged import BEFORE, CARRIERS, PAIRS, FromClient, messages

KNOWN = 20  # real messages before those of other protocols
STEP = 15   # of the corpus: every 15th packet, of all kinds

LONGEST = 1200


@functools.lru_cache(maxsize=None)
def others():
    """Pairs of a kind and its payload."""
    lone = [(kind, datagram.payload) for kind, datagram in corpus.packets(3)[::STEP]]
    rows = [(kind, payload) for kind, payloads in streams.messages(3) for payload in payloads]
    return [(kind, payload) for kind, payload in lone + rows if 0 < len(payload) < LONGEST]


def rejected(path, options):
    """Numbers of the packets that one of our dissectors has shown with a fault."""
    ours = " || ".join(f"{name}.undecoded" for name in ("godot", "godot_mp", "godot_stream"))
    args = ["-Y", ours, "-o", 'gui.column.format:"No.","%m"', *options]
    lines = tshark.run(args, path, env=tshark.without_memory_checks()).stdout.split()
    return [int(line) for line in lines]


def shown_as_ours(carrier, name, sender, path):
    """The kinds of other protocols that are shown with a fault, after real messages of the server."""
    write, options, _, _ = CARRIERS[carrier]
    real = messages(name)[:KNOWN]
    write(path, [*real, *(sender(payload) for _, payload in others())])
    first = len(real) + BEFORE.get(carrier, 0) + 1
    return [(number - first, others()[number - first][0]) for number in rejected(path, options)]


# Of which the directions accept the same payloads as possible: not if a side is known as the client, or if each direction
# has its form.
SAME_IN_BOTH = [pair for pair in PAIRS if pair[0] in ("udp", "websocket", "stream")]


@pytest.mark.parametrize("carrier, name", SAME_IN_BOTH)
def test_no_payload_of_another_protocol_is_a_damaged_message(carrier, name, tmp_path):
    """In a known conversation some are accepted, because they are possible as messages, in both directions. In the direction
    of the client, which has sent no message, none can be like another."""
    found, possible = (shown_as_ours(carrier, name, sender, tmp_path / "others.pcap") for sender in (bytes, FromClient))
    wrong = sorted(set(found) - set(possible))
    assert not wrong, f"{len(wrong)} of {len(others())}"


def test_damaged_messages_are_found_by_the_same_filter(tmp_path):
    """So that the test above cannot pass by mistake."""
    real = messages("godot")
    path = CARRIERS["udp"][0](tmp_path / "ours.pcap", [*real, real[6][:-1]])
    assert rejected(path, ()) == [len(real) + 1]
