# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""How a conversation is recognized, and how the generation of its packets is determined."""

import random
import re

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.variants import WIDE, encode, floats, longs, text, words

AS_GODOT = ["-d", f"udp.port=={tshark.SERVER_PORT},godot"]

# Structure that only one generation reads, and bytes that each generation reads differently.
PROOF = {generation: encode({"proof": True}, generation) for generation in (2, 3, 4)}
# Enough structure for a single packet to be sufficient.
STATE = {generation: encode({"cmd": "move", "hp": 0.5, "items": ["sword", "bow"], "ok": True}, generation)
         for generation in (2, 3, 4)}
SIX_FLOATS = words(11) + floats(1, 2, 3, 4, 5, 6)  # AABB, or Transform2D in Godot 4
NUMBERS = words(21, 1, 97)  # PoolIntArray( 97 ), or &"a" in Godot 4


def big(size, *numbers):
    return b"".join(number.to_bytes(size, "big") for number in numbers)


def generation(capture, *args, **options):
    return ["".join(row["godot.generation"]) for row in tshark.fields(capture, ["godot.generation"], *args, **options)]


def recognized(capture, *args, **options):
    return [bool(found) for found in generation(capture, *args, **options)]


def infos(capture, *args, **options):
    return tshark.info_column(capture, *args, **options)


def each_recognized(capture, conversations, *args):
    """For each conversation, which of its packets are recognized."""
    found = iter(recognized(capture, *args))
    return [[next(found) for _ in packets] for packets in conversations]


# ---- the generation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen, info", [
    (2, "AABB( 1, 2, 3, 4, 5, 6 )"), (3, "AABB( 1, 2, 3, 4, 5, 6 )"), (4, "Transform2D(1, 2, 3, 4, 5, 6)"),
    ("auto", "Transform2D(1, 2, 3, 4, 5, 6)")])
def test_a_generation_can_be_chosen(udp_capture, chosen, info):
    capture = udp_capture(tshark.request(SIX_FLOATS))
    assert infos(capture, *AS_GODOT, prefs={"godot.generation": chosen}) == [info]


def test_a_chosen_generation_has_precedence_over_evidence(udp_capture):
    capture = udp_capture(tshark.request(PROOF[3]))
    names = ["godot.generation", "godot.generation.reason", "godot.generation.decided_in", "godot.type.unknown"]
    row = tshark.fields(capture, names, *AS_GODOT, "-2", prefs={"godot.generation": 2})[0]
    assert row["godot.generation"] == ["2"]
    assert row["godot.generation.reason"] == ["chosen in the preferences"]
    assert row["godot.generation.decided_in"] == []


@pytest.mark.parametrize("decided", [2, 3, 4])
def test_one_packet_pins_a_conversation_in_both_directions(udp_capture, decided):
    capture = udp_capture(
        tshark.request(SIX_FLOATS), tshark.request(PROOF[decided]), tshark.reply(SIX_FLOATS), tshark.request(NUMBERS))
    assert generation(capture, *AS_GODOT) == ["4"] + [str(decided)] * 3
    assert generation(capture, *AS_GODOT, "-2") == [str(decided)] * 4
    names = ["godot.generation.decided_in", "godot.generation.reason"]
    first, second = tshark.fields(capture, names, *AS_GODOT), tshark.fields(capture, names, *AS_GODOT, "-2")
    assert [row["godot.generation.decided_in"] for row in first] == [[], [], ["2"], ["2"]]
    assert [row["godot.generation.decided_in"] for row in second] == [["2"]] * 4
    assert re.match("certain: ", first[1]["godot.generation.reason"][0])
    assert first[2]["godot.generation.reason"] == ["already known for this conversation"]


def test_generations_that_read_all_earlier_packets_are_used_for_later_ones(udp_capture):
    """Godot 4 cannot read a Vector3 of Godot 2 and 3; a Color of Godot 2 and 3 would be a Plane."""
    vectors = [tshark.request(words(7) + floats(1, 2, 3))] * 12
    capture = udp_capture(*vectors, tshark.reply(words(14) + floats(0.25, 0.5, 0.75, 1)))
    names = ["godot.generation", "godot.color", "godot.generation.decided_in", "godot.generation.ambiguous"]
    for passes in ([], ["-2"]):
        row = tshark.fields(capture, names, *AS_GODOT, *passes)[-1]
        assert row["godot.generation"] == ["3"]
        assert row["godot.generation.decided_in"] == ["1"]
        assert row["godot.generation.ambiguous"] == []
        assert len(row["godot.color"]) == 1


def test_a_packet_that_is_certain_by_itself_was_decided_in_no_other(udp_capture):
    """Although it follows a Vector3 of Godot 2 and 3."""
    capture = udp_capture(*map(tshark.request, (words(7) + floats(1, 2, 3), PROOF[3], SIX_FLOATS)))
    found = tshark.fields(capture, ["godot.generation.decided_in", "godot.generation.reason"], *AS_GODOT)
    assert [row["godot.generation.decided_in"] for row in found] == [[], [], ["2"]]
    assert found[1]["godot.generation.reason"][0].startswith("certain: ")


def test_earlier_packets_use_the_proven_generation_on_the_second_pass(udp_capture):
    capture = udp_capture(tshark.request(SIX_FLOATS), tshark.request(words(7) + floats(1, 2, 3)))
    assert generation(capture, *AS_GODOT) == ["4", "3"]
    assert generation(capture, *AS_GODOT, "-2") == ["3", "3"]


def test_packets_before_recognition_determine_the_generation_of_later_ones(udp_capture):
    """A Vector3 of Godot 2 and 3, then texts, which any generation reads, until the evidence is sufficient: the
    Vector3 is part of it."""
    texts = [text(b"hello number %d" % n) for n in range(12)]
    packets = [words(7) + floats(1, 2, 3), *(words(4) + one for one in texts), SIX_FLOATS]
    capture = udp_capture(*map(tshark.request, packets))
    first, second = (generation(capture, *passes) for passes in ((), ("-2",)))
    assert first[0] == "" and first[-1] == "3" and second == ["3"] * len(packets)


def test_a_packet_that_contradicts_all_others_has_no_effect(udp_capture):
    capture = udp_capture(tshark.request(words(7) + floats(1, 2, 3)), tshark.request(words(9) + floats(1, 2, 3)),
                          tshark.request(SIX_FLOATS))
    assert generation(capture, *AS_GODOT) == ["3", "4", "3"]


def test_the_generation_of_two_conversations_is_determined_separately(udp_capture):
    def other(payload):
        return tshark.Udp(41002, tshark.SERVER_PORT, payload)

    capture = udp_capture(tshark.request(PROOF[3]), other(PROOF[4]), tshark.request(SIX_FLOATS), other(SIX_FLOATS))
    assert generation(capture, *AS_GODOT, "-2") == ["3", "4", "3", "4"]


def test_a_packet_that_only_another_generation_reads_is_read_so_and_reported(udp_capture):
    capture = udp_capture(tshark.request(PROOF[4]), tshark.request(PROOF[3]), tshark.request(SIX_FLOATS))
    names = ["godot.generation", "godot.generation.differs", "_ws.expert.message", "_ws.col.Info"]
    for passes in ([], ["-2"]):
        rows = tshark.fields(capture, names, *AS_GODOT, *passes)
        assert [row["godot.generation"] for row in rows] == [["4"], ["3"], ["4"]]
        assert [len(row["godot.generation.differs"]) for row in rows] == [0, 1, 0]
        assert rows[1]["_ws.expert.message"] == ["The generation differs from that of the conversation"]
        assert rows[1]["_ws.col.Info"] == ['Dictionary {"proof": true}']


def test_a_broken_packet_stays_with_its_conversation(udp_capture):
    """Bytes that are not decoded are no evidence of another generation."""
    capture = udp_capture(tshark.request(PROOF[3]), tshark.request(PROOF[3][:-4]))
    assert generation(capture, *AS_GODOT) == ["3", "3"]


AMBIGUOUS = [
    (SIX_FLOATS, "Godot 2 and 3 would read this differently"),
    (NUMBERS, "Godot 3 would read this differently"),
    (words(14) + floats(0.25, 0.5, 0.75, 1), "Godot 2 and 3 would read this differently"),
    (words(21, 0), "Godot 2 and 3 would read this differently"),
    (words(27, 0), "Godot 2 would read this differently"),
    (words(5) + floats(1, 2), None),
    (words(2, 7), None),
    (words(2 | WIDE) + longs(1 << 40), None),
    (encode("text"), None),
    (words(7) + floats(1, 2, 3), None),  # 2 and 3 agree, and 4 does not read it
    (words(0), None),
]


def test_ambiguity_is_reported_if_it_changes_the_value(udp_capture):
    capture = udp_capture(*tshark.apart([tshark.request(payload)] for payload, _ in AMBIGUOUS))
    rows = tshark.fields(capture, ["godot.generation.ambiguous", "_ws.expert.message"], *AS_GODOT)
    assert [row["_ws.expert.message"] for row in rows] == [[message] if message else [] for _, message in AMBIGUOUS]
    assert [bool(row["godot.generation.ambiguous"]) for row in rows] == [bool(message) for _, message in AMBIGUOUS]


# Variants that only one generation reads to the end of the packet, cut before anything else tells it.
BY_LENGTH = "cut short by the capture: no other generation fits the length of the packet"
CUT = [
    (3, "11000100 0f05000000000000", 4, BY_LENGTH),  # the id of an object
    (3, "15000000 2c010000" + "".join(f"{number:02x}000000" for number in range(256)) + 44 * "00000000", 110, BY_LENGTH),
    (4, "1d000000 03000000 010203 00", 11, "likely: "),  # in its padding
]


@pytest.mark.parametrize("generation, payload, captured, reason", CUT, ids=["an id", "numbers", "in its padding"])
def test_a_variant_that_the_capture_cut_is_of_the_generation_that_its_length_fits(udp_capture, generation, payload, captured,
                                                                                  reason):
    path = udp_capture(tshark.request(bytes.fromhex(payload), captured=captured))
    names = ["godot.generation", "godot.generation.reason", "_ws.expert.message"]
    (packet,) = tshark.fields(path, names, "-d", f"udp.port=={tshark.SERVER_PORT},godot")
    assert packet["godot.generation"] == [str(generation)]
    assert packet["godot.generation.reason"][0].startswith(reason)
    assert not [message for message in packet["_ws.expert.message"] if not message.startswith("Cut short by the capture")]


def test_a_large_truncated_packet_is_recognized_with_its_generation(udp_capture):
    payload = encode({"cmd": "state", "players": [{"id": i, "name": f"player {i}"} for i in range(40)]}, 3)
    capture = udp_capture(tshark.request(payload, captured=302), tshark.request(PROOF[3]))
    rows = tshark.fields(capture, ["godot.generation", "godot.cut_short", "_ws.malformed"])
    assert [len(row["godot.cut_short"]) for row in rows] == [1, 0]
    assert [row["godot.generation"] for row in rows] == [["3"], ["3"]]
    assert [row["_ws.malformed"] for row in rows] == [[], []]


# ---- the heuristic ----------------------------------------------------------------------------------


def vector3(n):
    return words(9) + floats(1.5 + n, -2, 30.25)


def requests(make, count):
    """This number of different payloads in one direction."""
    return [tshark.request(make(n)) for n in range(count)]


VECTOR3 = vector3(0)


@pytest.mark.parametrize("payload", [
    STATE[2], STATE[3], STATE[4],
    encode({"players": [{"id": 1, "name": "naïve café ☕", "pos": [1.5, 2.5]}], "tick": 41}),
    encode({"a": [1, "x", {"b": [0.5, {"c": "deep"}]}], "path": "res://main.tscn"}, 3),
])
def test_unambiguous_structure_is_recognized_at_once(udp_capture, payload):
    assert recognized(udp_capture(tshark.request(payload))) == [True]


# (a function that makes different payloads, the number of consecutive ones that is sufficient): the bits are listed in
# recognize.c.
ROWS = {
    "Vector3, 8 bits": (vector3, 6),
    "Vector2, 6 bits": (lambda n: words(5) + floats(1.5, -2 - n), 8),
    "Color, 10 bits": (lambda n: words(20) + floats(0.25, 0.5, 0.75, 1 / (1 + n)), 5),
    "Transform3D, 18 bits": (lambda n: words(18) + floats(*range(1 + n, 13 + n)), 3),
    "float, 2 bits": (lambda n: words(3) + floats(0.5 + n), 24),
    "String, 8 bits": (lambda n: encode(f"hello {n}"), 6),
    "a dictionary of one int, 20 bits": (lambda n: encode({"a": n}), 3),
    "an array of texts, 20 bits": (lambda n: encode([f"{n}", "ping"], 3), 3),
    "a vector between zeros and nils": (lambda n: [vector3(n // 2), words(0)][n % 2], 11),
}


def test_weaker_packets_add_up_while_they_follow_each_other(udp_capture):
    conversations = [requests(make, enough + 2) for make, enough in ROWS.values()]
    capture = udp_capture(*tshark.apart(conversations))
    once, twice = (each_recognized(capture, conversations, *passes) for passes in ((), ("-2",)))
    assert dict(zip(ROWS, once)) == {name: [False] * (enough - 1) + [True] * 3 for name, (_, enough) in ROWS.items()}
    assert dict(zip(ROWS, twice)) == {name: [True] * (enough + 2) for name, (_, enough) in ROWS.items()}


def test_packets_before_one_that_is_accepted_alone_are_read_on_the_second_pass(udp_capture):
    capture = udp_capture(*requests(vector3, 3), tshark.request(words(0)), tshark.request(STATE[4]))
    assert recognized(capture) == [False] * 4 + [True]
    assert recognized(capture, "-2") == [True] * 5


# Values like counters, times, tables and zeros: no number of them is evidence.
NEVER = {
    "nil": lambda n: words(0),
    "int": lambda n: words(2, n),
    "bool": lambda n: words(1, n & 1),
    "int of 64 bits": lambda n: words(2 | WIDE) + longs(n << 32 | 7),
    "Vector2i": lambda n: words(6, n, 2 * n),
    "Vector3i": lambda n: words(10, n, 2, 3),
    "Vector4i": lambda n: words(13, n, 2, 3, 4),
    "a vector of zeros": lambda n: words(9) + floats(0, 0, 0),
    "bytes": lambda n: words(29, 8, n, 77),
    "ints of 32 bits": lambda n: words(30, 3, n, 2, 3),
    "an array of ints": lambda n: words(28, 2, 2, n, 2, 8),
    "an empty array": lambda n: words(28, 0),
    "nils": lambda n: words(19, 3, 0, 0, 0),
    "nils in a dictionary": lambda n: words(18, 2, 0, 0, 0, 0),
    "an operation and zeros": lambda n: words(2, 0),
    "the same vector": lambda n: VECTOR3,
    "words in a vector": lambda n: words(9, n, 2, 3),
    "words in vectors": lambda n: words(36, 2, n, 1, 2, 3, 4, 5),
}


@pytest.mark.parametrize("passes", [[], ["-2"]], ids=["one_pass", "two_passes"])
def test_common_payloads_of_other_protocols_are_never_recognized(udp_capture, passes):
    names = list(NEVER)
    packets = [tshark.Udp(42000 + number, tshark.SERVER_PORT, NEVER[name](n))
               for n in range(40) for number, name in enumerate(names)]
    found = recognized(udp_capture(*packets), *passes)
    assert {name for name, taken in zip(names * 40, found) if taken} == set()


def test_proof_is_counted_in_both_directions(udp_capture):
    packets = [both for n in range(4) for both in (tshark.request(vector3(n)), tshark.reply(vector3(10 + n)))]
    assert recognized(udp_capture(*packets)) == [False] * 5 + [True] * 3


def test_proof_is_counted_for_each_conversation(udp_capture):
    packets = [tshark.Udp(port, tshark.SERVER_PORT, vector3(port)) for port in range(41010, 41020)]
    assert recognized(udp_capture(*packets)) == [False] * 10


IMPOSSIBLE = [
    b"abc", words(99, 1), words(9) + floats(1, 2, 3, 4),
    words(1, 2), words(1, 256),  # a bool that is neither 0 nor 1, without anything else
    words(7) + floats(1, 2, 3),  # of Godot 2 or 3
]


def test_an_impossible_packet_resets_the_evidence(udp_capture):
    row = requests(vector3, 12)
    conversations = [[*row[:5], tshark.request(foreign), *row[5:]] for foreign in IMPOSSIBLE]
    capture = udp_capture(*tshark.apart(conversations))
    assert each_recognized(capture, conversations) == [[False] * 11 + [True] * 2] * len(IMPOSSIBLE)
    assert each_recognized(capture, conversations, "-2") == [[False] * 6 + [True] * 7] * len(IMPOSSIBLE)


def test_weaker_packets_do_not_add_up_in_a_conversation_of_another_dissector(udp_capture):
    """STUN's dissector gets the ports after its first message; packets with sufficient evidence are still
    recognized."""
    stun = big(2, 1, 0) + big(4, 0x2112A442) + bytes(range(12))
    row = requests(vector3, 12)
    capture = udp_capture(*row[:3], tshark.request(stun), *row[3:], tshark.request(STATE[4]))
    assert "stun" in tshark.fields(capture, ["frame.protocols"])[3]["frame.protocols"][0]
    assert recognized(capture) == [False] * 13 + [True]


@pytest.mark.parametrize("unlikely", [words(9) + floats(1e-42, 2, 3), words(4, 1, 7)])
def test_an_unlikely_packet_removes_the_evidence_before_it(udp_capture, unlikely):
    """Other protocols send such packets; in a conversation that is recognized later they are Variants."""
    row = requests(vector3, 12)
    capture = udp_capture(*row[:5], tshark.request(unlikely), *row[5:])
    assert recognized(capture) == [False] * 11 + [True] * 2
    assert recognized(capture, "-2") == [True] * 13
    assert recognized(udp_capture(*[tshark.request(unlikely)] * 40), "-2") == [False] * 40


@pytest.mark.parametrize("packet", [words(4, 1, 7), words(99, 1)])  # unlikely; impossible
def test_the_same_packets_count_again_after_the_evidence_was_removed(udp_capture, packet):
    row = requests(vector3, 6)
    capture = udp_capture(*row[:5], tshark.request(packet), *row)
    assert recognized(capture) == [False] * 11 + [True]


NO_VARIANTS = [
    b"abc", b"GET / HTTP/1.1\r\n", b"\x16\xfe\xfd" + bytes(50), big(2, 1, 0) + big(4, 0x2112A442) + bytes(range(12)),
    b"\x80\xc8" + big(2, 6) + big(4, *range(1, 7)), STATE[4] + b"a", STATE[4][:-4], words(1, 2), words(1, 256),
]


def test_payloads_that_cannot_be_variants_are_declined_in_a_known_conversation(udp_capture):
    conversations = [[tshark.request(STATE[4]), tshark.reply(foreign), tshark.request(vector3(1))] for foreign in NO_VARIANTS]
    capture = udp_capture(*tshark.apart(conversations))
    for passes in ([], ["-2"]):
        assert each_recognized(capture, conversations, *passes) == [[True, False, True]] * len(NO_VARIANTS)
        assert each_recognized(capture, conversations, *AS_GODOT, *passes) == [[True, True, True]] * len(NO_VARIANTS)


@pytest.mark.parametrize("odd", [words(9) + floats(1e-42, 2, 3), words(2, 5), words(0), words(4, 1) + b"\xff\0\0\0",
                                 words(28, 2, 4, 1) + b"a\0\0\0" + words(1, 2)])
def test_possible_variants_are_decoded_in_a_known_conversation(udp_capture, odd):
    capture = udp_capture(tshark.request(STATE[4]), tshark.reply(odd))
    assert recognized(capture) == [True, True]


def test_earlier_packets_of_another_dissector_are_declined(udp_capture):
    capture = udp_capture(tshark.request(b"\x16\xfe\xfd" + bytes(50)), tshark.request(STATE[4]))
    assert recognized(capture, "-2") == [False, True]


def test_an_empty_datagram_has_no_effect(udp_capture):
    capture = udp_capture(tshark.request(STATE[4]), tshark.request(b""), tshark.request(words(2, 1)))
    found = generation(capture, "-2")
    assert (found[0], found[2]) == ("4", "4")
    assert tshark.fields(capture, ["_ws.malformed"], *AS_GODOT) == [{"_ws.malformed": []}] * 3


def test_the_preference_sets_the_required_evidence(udp_capture):
    capture = udp_capture(tshark.request(VECTOR3))
    assert recognized(capture, prefs={"godot.heuristic_proof": 8}) == [True]
    assert recognized(capture, prefs={"godot.heuristic_proof": 9}) == [False]
    assert recognized(udp_capture(tshark.request(STATE[4])), prefs={"godot.heuristic_proof": 1000}) == [False]


def test_no_more_than_32_packets_add_up(udp_capture):
    """Each has eight bits of evidence."""
    capture = udp_capture(*requests(vector3, 40))
    assert recognized(capture, prefs={"godot.heuristic_proof": 256}) == [False] * 31 + [True] * 9
    assert recognized(capture, prefs={"godot.heuristic_proof": 257}) == [False] * 40


def test_the_heuristic_tries_only_the_chosen_generation(udp_capture):
    capture = udp_capture(tshark.request(STATE[3]))
    assert recognized(capture, prefs={"godot.generation": 3}) == [True]
    assert recognized(capture, prefs={"godot.generation": 4}) == [False]


def test_the_heuristic_can_be_disabled(udp_capture):
    capture = udp_capture(tshark.request(STATE[4]))
    assert recognized(capture, "--disable-heuristic", "godot_udp") == [False]
    assert recognized(capture, "--disable-heuristic", "godot_udp", *AS_GODOT) == [True]
    assert recognized(capture, "--disable-protocol", "godot") == [False]


def test_a_port_can_be_given_in_the_preferences(udp_capture):
    capture = udp_capture(tshark.request(words(0)))
    assert recognized(capture) == [False]
    assert recognized(capture, prefs={"godot.udp.port": tshark.SERVER_PORT}) == [True]


def test_over_ipv6_too(udp_capture):
    assert recognized(udp_capture(tshark.request(STATE[4], ipv6=True))) == [True]


# ---- other protocols --------------------------------------------------------------------------------------

NAME = b"\7example\3com\0"

FOREIGN = {
    "DNS": [(53000, 53, big(2, 0x0400, 0x0100, 1, 0, 0, 0) + NAME + big(2, 1, 1))],
    "NTP": [(123, 123, b"\x23\2\6\xec" + bytes(36) + big(8, 0xE5D3_8A11_1234_5678))],
    "STUN": [(41000, 3478, big(2, 1, 0) + big(4, 0x2112A442) + bytes(range(12)))] * 8,
    "RTP": [(41000, 41001, big(2, 0x8000, n) + big(4, 160 * n, 0xCAFE) + bytes([0x55] * 160)) for n in range(30)],
    "QUIC": [(41000, 443, b"\xc3\0\0\0\1\x08" + bytes(range(8)) + bytes(1180))],
    "WireGuard data": [
        (41000, 51820, words(4, 0x1234) + longs(n) + random.Random(n).randbytes(32)) for n in range(20)],
    "WireGuard handshake": [(41000, 51820, words(1) + random.Random(1).randbytes(144)),
                            (51820, 41000, words(2) + random.Random(2).randbytes(88))],
    "counters": [(41000, 41001, words(n, n * 20, 77)) for n in range(40)],
    "a type and a sequence number of 64 bits": [(41000, 41001, words(n % 4) + longs(n)) for n in range(60)],
    "zeros": [(41000, 41001, bytes(4 * n)) for n in range(1, 40)],
    "random": [(41000 + n, 41999, random.Random(n).randbytes(4 * (1 + n % 40))) for n in range(2000)],
    "random after a small word": [
        (41000 + n, 41999, words(n % 39) + random.Random(n).randbytes(4 * (1 + n % 16))) for n in range(2000)],
    "random after a small word, in one conversation": [
        (41000, 41999, words(n % 39) + random.Random(n).randbytes(4 * (1 + n % 16))) for n in range(2000)],
    "text": [(41000, 41001, f"position {n} {n * 3}\n".encode()) for n in range(40)],
}


def test_other_protocols_are_declined(udp_capture):
    found = each_recognized(udp_capture(*tshark.apart(FOREIGN.values())), FOREIGN.values())
    assert [name for name, taken in zip(FOREIGN, found) if any(taken)] == []
