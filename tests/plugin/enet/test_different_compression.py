# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Games of the real engine whose hosts have different compression (pcaps/godot/enet): none connects, and each frame that
shows why has an expert info. The records have the compression of each process."""

import pytest

import gamewire_records
import gamewire_tshark as tshark

PORTS = {"40600": "server", "40611": "client1", "40612": "client2"}
DIFFERS, MISSING, REPEATED = "enet.compression.differs", "enet.reply.missing", "enet.analysis.command_repeated"
NAMES = ["udp.srcport", "udp.dstport", REPEATED, DIFFERS, MISSING]


def packets(part, *args):
    return tshark.fields(tshark.PCAPS / f"godot/enet/godot-4.6.3-compression-{part}.pcap", NAMES, *args)


def compressions(part):
    log = gamewire_records.read("godot/enet", f"godot-4.6.3-compression-{part}.calls")
    assert not [line for line in log if line["event"] in ("peer_connected", "connected_to_server")]
    return {line["process"]: line["name"] for line in log if line["event"] == "compression"}


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
@pytest.mark.parametrize("part", ["server", "clients"])
def test_what_does_not_match_is_named(part, passes):
    """A client without compression gets replies that it cannot read; one with another compression than the server's, none."""
    used, seen = compressions(part), set()
    for packet in packets(part, *passes):
        ports = {packet["udp.srcport"][0], packet["udp.dstport"][0]} - {"40600"}
        client = PORTS[ports.pop()]
        is_first = client not in seen
        seen.add(client)
        if is_first:
            assert not packet[DIFFERS] and not packet[MISSING]
        elif used[client] == "none":
            # The first pass cannot know it from the first reply.
            assert bool(packet[DIFFERS]) == bool(passes or packet[REPEATED])
            assert not packet[MISSING]
        else:
            assert packet[MISSING] and not packet[DIFFERS]
    assert seen == {"client1", "client2"} and set(used) == seen | {"server"}
