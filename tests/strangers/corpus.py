# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a capture of other protocols: for each kind in protocols.py a few conversations and many single packets.

    PYTHONPATH=tests/support python3 tests/strangers/corpus.py FILE.pcap [SEED]
"""

import random
import sys

import gamewire_tshark
from protocols import KINDS

CONVERSATIONS = 2
PACKETS = 48  # of a conversation: evidence of consecutive packets adds up
LONE_PACKETS = 8

FIRST_PORT = 50000
PORTS = 15000


def packets(seed=1):
    """Pairs of a kind and its datagram, in the order of the capture."""
    made = []
    for name, maker in KINDS.items():
        source = random.Random(f"{name} {seed}")
        for _ in range(CONVERSATIONS):
            made += _conversation(name, [maker(source, n) for n in range(PACKETS)], len(made))
        for _ in range(LONE_PACKETS):
            made += _conversation(name, [maker(source, source.randint(0, 1000))], len(made))
    return made


def _conversation(name, payloads, start):
    """Both directions of one pair of ports. The pair is identified by its first packet: no two begin there."""
    ports = FIRST_PORT + start % PORTS, 20000 + start // PORTS
    made = []
    for i, payload in enumerate(payloads):
        toward = ports if i % 3 else ports[::-1]
        made.append((name, gamewire_tshark.Udp(*toward, payload, (start + i) / 100)))
    return made


def write(path, seed=1):
    """Writes the corpus; returns the kind of each packet."""
    corpus = packets(seed)
    gamewire_tshark.write_pcap(path, [datagram for _, datagram in corpus])
    return [name for name, _ in corpus]


if __name__ == "__main__":
    names = write(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else 1)
    print(f"{len(names)} packets of {len(set(names))} kinds")
