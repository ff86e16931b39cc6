# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP connections, datagrams, and messages in WebSocket and ENet of other protocols are not recognized, with
Wireshark's dissectors or the plugin's called first."""

import collections
import functools

import pytest

import gamewire_tshark as tshark
import streams
from heuristics import lists_of_ours, taken

WRITERS = {
    "tcp": streams.write_tcp,
    "prefixed_little_endian": functools.partial(streams.write_prefixed, order="little"),
    "prefixed_big_endian": functools.partial(streams.write_prefixed, order="big"),
    # Ports of the editor, on which the debugger needs less evidence.
    "tcp on 6007": functools.partial(streams.write_tcp, port=6007),
    "prefixed_little_endian on 6011": functools.partial(streams.write_prefixed, order="little", port=6011),
    "websocket": streams.write_websocket,
    "udp": streams.write_udp,
    "sctp": streams.write_sctp,
    **{f"enet {handshake}": functools.partial(streams.write_enet, handshake=handshake)
       for handshake in streams.HANDSHAKES},
}
# One start of tshark reads the captures of all carriers without options, another those whose dissector is selected for a port.
SELECTED = {carrier for carrier in WRITERS if carrier == "websocket" or carrier.startswith("enet")}
OPTIONS = ("-d", f"tcp.port=={streams.PORT},websocket", "-d", f"udp.port=={streams.PORT},enet")
PASSES = {"one_pass": (), "two_passes": ("-2",)}
FIRST = {"first": ("-o", "tcp.try_heuristic_first:TRUE", "-o", "udp.try_heuristic_first:TRUE"), "last": ()}


# Heuristic lists that no capture here leads to: DTLS, which is encrypted, has the function of UDP and one that accepts
# SCTP with its checksum (plugin.godot.multiplayer.webrtc), and RakNet is on Squirrel's default port (test_found_conversations.py).
ENCRYPTED_OR_ON_A_PORT = {"dtls", "raknet"}


def test_each_heuristic_list_of_ours_has_a_carrier():
    """A dissector that registers in another list needs a capture for it."""
    carriers = {{"websocket": "ws"}.get(name, name) for name in (carrier.split()[0] for carrier in WRITERS)}
    assert lists_of_ours() <= carriers | ENCRYPTED_OR_ON_A_PORT


@functools.lru_cache(maxsize=None)
def capture(carrier):
    path = tshark.scratch() / f"streams-{carrier}.pcap"
    return path, WRITERS[carrier](path)


@functools.lru_cache(maxsize=None)
def rows(selected, passes, order):
    """{carrier: the protocols that accepted each packet}"""
    carriers = [carrier for carrier in WRITERS if (carrier in SELECTED) == selected]
    path, begins = tshark.together(tuple(capture(carrier)[0] for carrier in carriers))
    environment = {} if (passes, order) == ("two_passes", "first") else tshark.without_memory_checks()
    found = taken(path, *(OPTIONS if selected else ()), *PASSES[passes], *FIRST[order], env=environment)
    return {carrier: found[begin:end] for carrier, begin, end in zip(carriers, begins, begins[1:])}


@functools.lru_cache(maxsize=None)
def names_taken(carrier, passes, order):
    """{name: Counter of the protocols that accepted its packets}"""
    _, names = capture(carrier)
    accepted = rows(carrier in SELECTED, passes, order)[carrier]
    assert len(accepted) == len(names)
    found = collections.defaultdict(collections.Counter)
    for name, families in zip(names, accepted):
        found[name].update(families - set(carrier.split()))  # ENet itself is a protocol of the plugin
    return {name: counts for name, counts in found.items() if counts}


@pytest.mark.parametrize("order", FIRST)
@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("carrier", WRITERS)
def test_no_stream_of_other_protocols_is_recognized(carrier, passes, order):
    wrong = {name: dict(counts) for name, counts in names_taken(carrier, passes, order).items()
             if not streams.alike(name)}
    assert not wrong, f"{len(wrong)} of {len(set(capture(carrier)[1]))} kinds"


@pytest.mark.parametrize("carrier", ["prefixed_little_endian", "prefixed_big_endian", "websocket"])
def test_payloads_equal_to_our_formats_are_recognized(carrier):
    """So that the test above cannot pass by mistake."""
    found = names_taken(carrier, "two_passes", "first")
    assert streams.ALIKE <= set(found)
