# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants in ENet that games send without SceneMultiplayer, against what the engines logged (pcaps/README.md)."""

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.variants import encode, engine_text, same_beginning, same_members, same_text, words

CAPTURES = sorted((tshark.PCAPS / "godot-enet").glob("*.pcap"))
SERVER = 40700
CLIENTS = {"client": "40701", "client1": "40702", "client2": "40703"}
# A message that is a Variant, and, in Godot 3, one after the head of a multiplayer peer.
ROOTS = (".", "value")
IN_ENET = ("-d", f"udp.port=={tshark.SERVER_PORT},enet")
CHOSEN = (*IN_ENET, "-d", f"enet.port=={tshark.SERVER_PORT},godot")


def shown(path, *options):
    """(source port, destination port, text) of each value."""
    names = ["udp.srcport", "udp.dstport", "godot.path", "godot.value"]
    packets = tshark.fields(path, names, *options, prefs={"godot.show_values": True})
    return [(*packet["udp.srcport"], *packet["udp.dstport"], value) for packet in packets
            for place, value in zip(packet["godot.path"], packet["godot.value"]) if place in ROOTS]


def sent(capture):
    ports = CLIENTS | {"server": str(SERVER)}
    if "send" in capture.name:
        ports["client1"] = ports["client"]
    return [(ports[line["from"]], ports[line["to"]], line["text"])
            for line in gamewire_records.read(capture.parent.name, f"{capture.stem}.calls")]


def same(ours, engine, generation):
    theirs = engine_text(engine)
    if "{" in ours:
        return same_members(ours, theirs)
    return same_beginning(ours[:-1], theirs, generation) if ours.endswith("…") else same_text(ours, theirs, generation)


def ways(capture):
    """The options to read a capture with. In Godot 3 a head comes before the Variants: they are multiplayer's."""
    return [(), ("-2",), ("-d", f"enet.port=={SERVER},godot" + ("_mp" if "godot-3" in capture.name else ""))]


@pytest.mark.parametrize("capture,options", [(capture, way) for capture in CAPTURES for way in ways(capture)],
                         ids=lambda one: " ".join(one) if isinstance(one, tuple) else one.stem)
def test_each_value_is_the_one_that_was_sent(capture, options):
    generation = int(capture.name.split("-")[1].split(".")[0])
    ours, theirs = shown(capture, *options), sent(capture)
    assert [one[:2] for one in ours] == [other[:2] for other in theirs]
    assert [(one, other) for one, other in zip(ours, theirs) if not same(one[2], other[2], generation)] == []


def test_several_in_a_datagram(udp_capture):
    commands = reliable(1, encode({"cmd": "move", "speed": 12, "name": "a name"}, 4)) + reliable(2, encode(7, 4))
    path = udp_capture(tshark.request(datagram(commands)))
    for options in (IN_ENET, CHOSEN):
        assert tshark.info_column(path, *options)[0].endswith('"name": "a name"}; int 7')


def test_a_chosen_message_is_never_declined(udp_capture):
    path = udp_capture(tshark.request(datagram(reliable(1, b"text"))))
    assert tshark.run(["-T", "fields", "-e", "godot", *CHOSEN], path).stdout.strip()


def test_a_big_endian_counter_in_a_found_conversation_is_no_null(tmp_path):
    proof = encode({"cmd": "move", "speed": 12, "name": "a name"}, 4)
    payloads = [proof, *(number.to_bytes(4, "big") for number in range(1, 6))]
    in_enet = [datagram(reliable(number, payload)) for number, payload in enumerate(payloads, 1)]
    for packets, options in ((payloads, ()), (in_enet, IN_ENET)):
        path = tshark.write_pcap(tmp_path / "counters.pcap", map(tshark.request, packets))
        found = tshark.run(["-T", "fields", "-e", "godot", "-2", *options], path).stdout.splitlines()
        assert [bool(line) for line in found] == [True] + 5 * [False]


def test_a_counter_and_a_type_are_no_evidence(udp_capture):
    path = udp_capture(*(tshark.request(datagram(reliable(number, words(2, number)))) for number in range(1, 20)))
    assert not any(packet["godot.type"] for packet in tshark.fields(path, ["godot.type"], "-2", *IN_ENET))
