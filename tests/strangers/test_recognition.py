# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Real conversations are recognized early: recognized/<family>.txt lists the packet for each.

GAMEWIRE_UPDATE_GOLDEN=1 rewrites the lists and fails: review the difference.
"""

from pathlib import Path

import pytest

import gamewire_tshark as tshark

DEFAULT_PORT = 8192  # of Squirrel: heuristics are not called there
LISTS = Path(__file__).with_name("recognized")
HEAD = """\
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: CC0-1.0
#
# Of each conversation of pcaps/{family}: its packets, the first that is recognized while reading once, and how many are
# recognized after one pass and after two.
#
# capture                                conversation  packets  first  one pass  two passes
"""


def without_default_port(capture, path):
    """The datagrams of a capture with another port in place of the default one; only RakNet needs the default."""
    if "raknet" in capture.name:
        return capture
    other = {DEFAULT_PORT: 28192}
    packets, directions = [], set()
    for n, packet in enumerate(tshark.read_pcap(capture)):
        ports = [other.get(port, port) for port in (packet.sport, packet.dport)]
        back = tuple(reversed(ports)) in directions
        directions.add(tuple(ports if not back else reversed(ports)))
        packets.append(tshark.Udp(*ports, packet.payload, n / 50, {"from": 2, "to": 1} if back else {}))
    return tshark.write_pcap(path, packets)


def conversations(captures, family, *options):
    """For each capture: {conversation: [whether each of its packets was recognized]}"""
    path, begins = tshark.together(tuple(captures))
    lines = tshark.run(["-T", "fields", "-e", "udp.stream", "-e", family, *options], path).stdout.splitlines()
    assert len(lines) == begins[-1]
    seen = 0  # conversations of the captures before
    for begin, end in zip(begins, begins[1:]):
        found = {}
        for line in lines[begin:end]:
            stream, protocol = line.split("\t")
            if stream:
                found.setdefault(int(stream.split(",")[0]) - seen, []).append(bool(protocol))
        seen += len(found)
        yield found


def rows(family, folder):
    captures = sorted((tshark.PCAPS / tshark.FOLDERS[family]).glob("*.pcap*"))
    files = [without_default_port(capture, folder / capture.name) for capture in captures]
    for capture, once, twice in zip(captures, *(conversations(files, family, *options) for options in ((), ("-2",)))):
        for stream, packets in sorted(once.items()):
            first = str(packets.index(True) + 1) if True in packets else "never"
            counts = f"{len(packets):8} {first:>6} {sum(packets):9} {sum(twice[stream]):11}"
            yield f"{capture.name:40} {stream:12} {counts}"


FAMILIES = ("enet", "godot", "leviathan", "squirrel")


@pytest.mark.parametrize("family", FAMILIES)
def test_real_conversations_are_recognized_at_the_listed_packets(family, tmp_path):
    found = list(rows(family, tmp_path))
    text = HEAD.format(family=tshark.FOLDERS[family]) + "".join(f"{row}\n" for row in found)
    file = LISTS / f"{tshark.FOLDERS[family]}.txt"
    if tshark.updating_golden():
        tshark.rewrite_golden(file, text)
    assert file.read_text(encoding="utf-8").splitlines() == text.splitlines()
    for row in found:
        one_pass, two_passes = row.split()[4:]
        assert int(two_passes) >= int(one_pass), row
