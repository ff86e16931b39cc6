# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""How a conversation is recognized, and how the generation of its packets is determined."""

import functools
import itertools
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


NAMES = ["godot.generation", "godot.generation.reason", "godot.generation.decided_in", "godot.generation.ambiguous",
         "godot.generation.differs", "godot.color", "godot.cut_short", "frame.protocols", "_ws.malformed", "_ws.expert.message",
         "_ws.col.Info"]

# Those of most tests are in one capture, each between other hosts: this file has one start of tshark for each set of options.
CONVERSATIONS = []


def conversation(*packets):
    """Adds a conversation to the capture. Returns its number."""
    CONVERSATIONS.append(packets)
    return len(CONVERSATIONS) - 1


def decoded(number, *args):
    """The fields of each packet of a conversation. The number of a packet is that in its conversation."""
    return decoded_with(args)[number]


@functools.lru_cache(maxsize=None)
def decoded_with(args):
    capture = tshark.write_pcap(tshark.scratch() / "conversations.pcap", tshark.apart(CONVERSATIONS))
    found = tshark.split(tshark.fields(capture, NAMES, *args), CONVERSATIONS)
    begins = itertools.accumulate(map(len, CONVERSATIONS), initial=0)
    for begin, rows in zip(begins, found):
        for row in rows:
            row["godot.generation.decided_in"] = [int(frame) - begin for frame in row["godot.generation.decided_in"]]
    return found


def generation(rows):
    return ["".join(row["godot.generation"]) for row in rows]


def recognized(rows):
    return [bool(row["godot.generation"]) for row in rows]


# ---- the generation ---------------------------------------------------------------------------------


AMBIGUOUS_FLOATS = conversation(tshark.request(SIX_FLOATS))


@pytest.mark.parametrize("chosen, info", [
    (2, "AABB( 1, 2, 3, 4, 5, 6 )"), (3, "AABB( 1, 2, 3, 4, 5, 6 )"), (4, "Transform2D(1, 2, 3, 4, 5, 6)"),
    ("auto", "Transform2D(1, 2, 3, 4, 5, 6)")])
def test_a_generation_can_be_chosen(chosen, info):
    row, = decoded(AMBIGUOUS_FLOATS, *AS_GODOT, "-o", f"godot.generation:{chosen}")
    assert row["_ws.col.Info"] == [info]


PROVEN_3 = conversation(tshark.request(PROOF[3]))


def test_a_chosen_generation_has_precedence_over_evidence():
    row, = decoded(PROVEN_3, *AS_GODOT, "-2", "-o", "godot.generation:2")
    assert row["godot.generation"] == ["2"]
    assert row["godot.generation.reason"] == ["chosen in the preferences"]
    assert row["godot.generation.decided_in"] == []


PINNED = {number: conversation(tshark.request(SIX_FLOATS), tshark.request(PROOF[number]), tshark.reply(SIX_FLOATS),
                               tshark.request(NUMBERS)) for number in (2, 3, 4)}


@pytest.mark.parametrize("decided", PINNED)
def test_one_packet_pins_a_conversation_in_both_directions(decided):
    first, second = decoded(PINNED[decided], *AS_GODOT), decoded(PINNED[decided], *AS_GODOT, "-2")
    assert generation(first) == ["4"] + [str(decided)] * 3
    assert generation(second) == [str(decided)] * 4
    assert [row["godot.generation.decided_in"] for row in first] == [[], [], [2], [2]]
    assert [row["godot.generation.decided_in"] for row in second] == [[2], [], [2], [2]]
    assert all(re.match("certain: ", rows[1]["godot.generation.reason"][0]) for rows in (first, second))
    assert first[2]["godot.generation.reason"] == ["already known for this conversation"]


VECTORS_AND_COLOR = conversation(*[tshark.request(words(7) + floats(1, 2, 3))] * 12,
                                 tshark.reply(words(14) + floats(0.25, 0.5, 0.75, 1)))


def test_generations_that_read_all_earlier_packets_are_used_for_later_ones():
    """Godot 4 cannot read a Vector3 of Godot 2 and 3; a Color of Godot 2 and 3 would be a Plane."""
    for passes in ([], ["-2"]):
        row = decoded(VECTORS_AND_COLOR, *AS_GODOT, *passes)[-1]
        assert row["godot.generation"] == ["3"]
        assert row["godot.generation.decided_in"] == [1]
        assert row["godot.generation.ambiguous"] == []
        assert len(row["godot.color"]) == 1


CERTAIN_LATER = conversation(*map(tshark.request, (words(7) + floats(1, 2, 3), PROOF[3], SIX_FLOATS)))


def test_a_packet_that_is_certain_by_itself_was_decided_in_no_other():
    """Although it follows a Vector3 of Godot 2 and 3."""
    found = decoded(CERTAIN_LATER, *AS_GODOT)
    assert [row["godot.generation.decided_in"] for row in found] == [[], [], [2]]
    assert found[1]["godot.generation.reason"][0].startswith("certain: ")


TWICE = conversation(tshark.request(PROOF[3]), tshark.request(words(7) + floats(1, 2, 3)), tshark.request(PROOF[3]))
REDUCED = conversation(*map(tshark.request, (SIX_FLOATS, words(7) + floats(1, 2, 3), SIX_FLOATS)))


@pytest.mark.parametrize("number, reason", [(TWICE, "certain: "), (REDUCED, "ambiguous: nothing decides")])
def test_the_packet_that_decides_has_its_own_evidence_on_each_pass(number, reason):
    deciding = {TWICE: 0, REDUCED: 1}[number]
    first, second = decoded(number, *AS_GODOT), decoded(number, *AS_GODOT, "-2")
    assert first[deciding] == second[deciding]
    assert first[deciding]["godot.generation.reason"][0].startswith(reason) and not first[deciding]["godot.generation.decided_in"]
    assert second[2]["godot.generation.decided_in"] == [deciding + 1]


def test_no_packet_of_a_session_was_decided_in_itself():
    captures = [path for name in ("godot/variant", "godot/stream", "godot/enet") for path in sorted((tshark.PCAPS / name).glob("*.pcap"))
                if "orders" not in path.name]
    for passes in ([], ["-2"]):
        found = tshark.fields_of_each(captures, ["frame.number", "godot.generation.decided_in"], *passes, "-Y",
                                      "godot.generation.decided_in")
        assert sum(map(len, found.values())) > 1000
        assert not [(path.name, packet) for path, packets in found.items() for packet in packets
                    if packet["frame.number"][0] in packet["godot.generation.decided_in"]]


FLOATS_AND_VECTOR = conversation(tshark.request(SIX_FLOATS), tshark.request(words(7) + floats(1, 2, 3)))


def test_earlier_packets_use_the_proven_generation_on_the_second_pass():
    assert generation(decoded(FLOATS_AND_VECTOR, *AS_GODOT)) == ["4", "3"]
    assert generation(decoded(FLOATS_AND_VECTOR, *AS_GODOT, "-2")) == ["3", "3"]


VECTOR_AND_TEXTS = conversation(tshark.request(words(7) + floats(1, 2, 3)),
                                *(tshark.request(words(4) + text(b"hello number %d" % n)) for n in range(12)),
                                tshark.request(SIX_FLOATS))


def test_packets_before_recognition_determine_the_generation_of_later_ones():
    """A Vector3 of Godot 2 and 3, then texts, which any generation reads, until the evidence is sufficient: the
    Vector3 is part of it."""
    first, second = (generation(decoded(VECTOR_AND_TEXTS, *passes)) for passes in ((), ("-2",)))
    assert first[0] == "" and first[-1] == "3" and second == ["3"] * 14


CONTRADICTED = conversation(tshark.request(words(7) + floats(1, 2, 3)), tshark.request(words(9) + floats(1, 2, 3)),
                            tshark.request(SIX_FLOATS))


def test_a_packet_that_contradicts_all_others_has_no_effect():
    assert generation(decoded(CONTRADICTED, *AS_GODOT)) == ["3", "4", "3"]


def from_another_port(payload):
    return tshark.Udp(41002, tshark.SERVER_PORT, payload)


TWO_PORTS = conversation(tshark.request(PROOF[3]), from_another_port(PROOF[4]), tshark.request(SIX_FLOATS),
                         from_another_port(SIX_FLOATS))


def test_the_generation_of_two_conversations_is_determined_separately():
    assert generation(decoded(TWO_PORTS, *AS_GODOT, "-2")) == ["3", "4", "3", "4"]


ANOTHER_BETWEEN = conversation(tshark.request(PROOF[4]), tshark.request(PROOF[3]), tshark.request(SIX_FLOATS))


def test_a_packet_that_only_another_generation_reads_is_read_so_and_reported():
    for passes in ([], ["-2"]):
        rows = decoded(ANOTHER_BETWEEN, *AS_GODOT, *passes)
        assert [row["godot.generation"] for row in rows] == [["4"], ["3"], ["4"]]
        assert [len(row["godot.generation.differs"]) for row in rows] == [0, 1, 0]
        assert rows[1]["_ws.expert.message"] == ["The generation differs from that of the conversation"]
        assert rows[1]["_ws.col.Info"] == ['[Other generation] Dictionary {"proof": true}']


BROKEN = conversation(tshark.request(PROOF[3]), tshark.request(PROOF[3][:-4]))


def test_a_broken_packet_stays_with_its_conversation():
    """Bytes that are not decoded are no evidence of another generation."""
    assert generation(decoded(BROKEN, *AS_GODOT)) == ["3", "3"]


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
EACH_ALONE = [conversation(tshark.request(payload)) for payload, _ in AMBIGUOUS]


def test_ambiguity_is_reported_if_it_changes_the_value():
    rows = [decoded(number, *AS_GODOT)[0] for number in EACH_ALONE]
    assert [row["_ws.expert.message"] for row in rows] == [[message] if message else [] for _, message in AMBIGUOUS]
    assert [bool(row["godot.generation.ambiguous"]) for row in rows] == [bool(message) for _, message in AMBIGUOUS]


BY_LENGTH = "cut short by the capture: no other generation fits the length of the packet"
# Variants that only one generation reads to the end of the packet, cut before anything else tells it.
CUT = {
    "an id": (3, "11000100 0f05000000000000", 4, BY_LENGTH),  # the id of an object
    "numbers": (3, "15000000 2c010000" + "".join(f"{number:02x}000000" for number in range(256)) + 44 * "00000000", 110,
                BY_LENGTH),
    "in its padding": (4, "1d000000 03000000 010203 00", 11, "likely: "),
}
CUT_CONVERSATIONS = {name: conversation(tshark.request(bytes.fromhex(payload), captured=captured))
                     for name, (_, payload, captured, _) in CUT.items()}


@pytest.mark.parametrize("name", CUT)
def test_a_variant_that_the_capture_cut_is_of_the_generation_that_its_length_fits(name):
    read_as, _, _, reason = CUT[name]
    packet, = decoded(CUT_CONVERSATIONS[name], *AS_GODOT)
    assert packet["godot.generation"] == [str(read_as)]
    assert packet["godot.generation.reason"][0].startswith(reason)
    assert not [message for message in packet["_ws.expert.message"] if not message.startswith("Cut short by the capture")]


PLAYERS = encode({"cmd": "state", "players": [{"id": i, "name": f"player {i}"} for i in range(40)]}, 3)
LARGE = conversation(tshark.request(PLAYERS, captured=302), tshark.request(PROOF[3]))


def test_a_large_truncated_packet_is_recognized_with_its_generation():
    rows = decoded(LARGE)
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


STRUCTURES = [
    STATE[2], STATE[3], STATE[4],
    encode({"players": [{"id": 1, "name": "naïve café ☕", "pos": [1.5, 2.5]}], "tick": 41}),
    encode({"a": [1, "x", {"b": [0.5, {"c": "deep"}]}], "path": "res://main.tscn"}, 3),
]


@pytest.mark.parametrize("number", [conversation(tshark.request(payload)) for payload in STRUCTURES])
def test_unambiguous_structure_is_recognized_at_once(number):
    assert recognized(decoded(number)) == [True]


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


ADDING_UP = {name: conversation(*requests(make, enough + 2)) for name, (make, enough) in ROWS.items()}


@pytest.mark.parametrize("name", ROWS)
def test_weaker_packets_add_up_while_they_follow_each_other(name):
    _, enough = ROWS[name]
    assert recognized(decoded(ADDING_UP[name])) == [False] * (enough - 1) + [True] * 3
    assert recognized(decoded(ADDING_UP[name], "-2")) == [True] * (enough + 2)


PROVEN_LATE = conversation(*requests(vector3, 3), tshark.request(words(0)), tshark.request(STATE[4]))


def test_packets_before_one_that_is_accepted_alone_are_read_on_the_second_pass():
    assert recognized(decoded(PROVEN_LATE)) == [False] * 4 + [True]
    assert recognized(decoded(PROVEN_LATE, "-2")) == [True] * 5


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
    found = recognized(tshark.fields(udp_capture(*packets), NAMES, *passes))
    assert {name for name, taken in zip(names * 40, found) if taken} == set()


IN_BOTH_DIRECTIONS = conversation(
    *(both for n in range(4) for both in (tshark.request(vector3(n)), tshark.reply(vector3(10 + n)))))


def test_proof_is_counted_in_both_directions():
    assert recognized(decoded(IN_BOTH_DIRECTIONS)) == [False] * 5 + [True] * 3


FROM_TEN_PORTS = conversation(*(tshark.Udp(port, tshark.SERVER_PORT, vector3(port)) for port in range(41010, 41020)))


def test_proof_is_counted_for_the_server_s_port():
    """A client of PacketPeerUDP may use a new port for each request."""
    assert recognized(decoded(FROM_TEN_PORTS)) == [False] * 5 + [True] * 5
    assert recognized(decoded(FROM_TEN_PORTS, "-2")) == [True] * 10


TO_TEN_PORTS = conversation(*(tshark.Udp(41010 + n, 41020 + n, vector3(n)) for n in range(10)))
# One payload of another protocol at this port, before the proof and after it.
WITH_OTHERS = {at: conversation(*(tshark.Udp(41010 + n, tshark.SERVER_PORT, b"ping" if n == at else vector3(n))
                                  for n in range(12))) for at in (3, 8)}
# Of one packet, half of the threshold counts: it does not prove the packets of other clients.
STRONG_AND_WEAK = conversation(tshark.Udp(41010, tshark.SERVER_PORT, STATE[4]),
                               *(tshark.Udp(41011 + n, tshark.SERVER_PORT, vector3(n)) for n in range(4)))


def test_proof_is_counted_for_one_address_and_port():
    assert recognized(decoded(TO_TEN_PORTS, "-2")) == [False] * 10
    assert recognized(decoded(WITH_OTHERS[3], "-2")) == [False] * 4 + [True] * 8
    assert recognized(decoded(WITH_OTHERS[8], "-2")) == [True] * 8 + [False] * 4
    assert recognized(decoded(STRONG_AND_WEAK)) == [True, False, False, True, True]


IMPOSSIBLE = [
    b"abc", words(99, 1), words(9) + floats(1, 2, 3, 4),
    words(1, 2), words(1, 256),  # a bool that is neither 0 nor 1, without anything else
    words(7) + floats(1, 2, 3),  # of Godot 2 or 3
]


VECTORS = requests(vector3, 12)
INTERRUPTED = [conversation(*VECTORS[:5], tshark.request(foreign), *VECTORS[5:]) for foreign in IMPOSSIBLE]


def test_an_impossible_packet_resets_the_evidence():
    assert [recognized(decoded(number)) for number in INTERRUPTED] == [[False] * 11 + [True] * 2] * len(IMPOSSIBLE)
    assert [recognized(decoded(number, "-2")) for number in INTERRUPTED] == [[False] * 6 + [True] * 7] * len(IMPOSSIBLE)


STUN = big(2, 1, 0) + big(4, 0x2112A442) + bytes(range(12))
OF_STUN = conversation(*VECTORS[:3], tshark.request(STUN), *VECTORS[3:], tshark.request(STATE[4]))


def test_weaker_packets_do_not_add_up_in_a_conversation_of_another_dissector():
    """STUN's dissector gets the ports after its first message; packets with sufficient evidence are still
    recognized."""
    rows = decoded(OF_STUN)
    assert "stun" in rows[3]["frame.protocols"][0]
    assert recognized(rows) == [False] * 13 + [True]


UNLIKELY = [words(9) + floats(1e-42, 2, 3), words(4, 1, 7)]
WITH_UNLIKELY = [conversation(*VECTORS[:5], tshark.request(unlikely), *VECTORS[5:]) for unlikely in UNLIKELY]
ONLY_UNLIKELY = [conversation(*[tshark.request(unlikely)] * 40) for unlikely in UNLIKELY]


@pytest.mark.parametrize("among, alone", zip(WITH_UNLIKELY, ONLY_UNLIKELY))
def test_an_unlikely_packet_removes_the_evidence_before_it(among, alone):
    """Other protocols send such packets; in a conversation that is recognized later they are Variants."""
    assert recognized(decoded(among)) == [False] * 11 + [True] * 2
    assert recognized(decoded(among, "-2")) == [True] * 13
    assert recognized(decoded(alone, "-2")) == [False] * 40


# After an unlikely packet, and after an impossible one.
AGAIN = [conversation(*VECTORS[:5], tshark.request(packet), *VECTORS[:6]) for packet in (words(4, 1, 7), words(99, 1))]


@pytest.mark.parametrize("number", AGAIN)
def test_the_same_packets_count_again_after_the_evidence_was_removed(number):
    assert recognized(decoded(number)) == [False] * 11 + [True]


NO_VARIANTS = [
    b"abc", b"GET / HTTP/1.1\r\n", b"\x16\xfe\xfd" + bytes(50), STUN,
    b"\x80\xc8" + big(2, 6) + big(4, *range(1, 7)), STATE[4] + b"a", STATE[4][:-4], words(1, 2), words(1, 256),
]


WITH_NO_VARIANT = [conversation(tshark.request(STATE[4]), tshark.reply(foreign), tshark.request(vector3(1)))
                   for foreign in NO_VARIANTS]


def test_payloads_that_cannot_be_variants_are_declined_in_a_known_conversation():
    for passes in ([], ["-2"]):
        found = [recognized(decoded(number, *passes)) for number in WITH_NO_VARIANT]
        assert found == [[True, False, True]] * len(NO_VARIANTS)
        found = [recognized(decoded(number, *AS_GODOT, *passes)) for number in WITH_NO_VARIANT]
        assert found == [[True, True, True]] * len(NO_VARIANTS)


POSSIBLE = [words(9) + floats(1e-42, 2, 3), words(2, 5), words(0), words(4, 1) + b"\xff\0\0\0",
            words(28, 2, 4, 1) + b"a\0\0\0" + words(1, 2)]


@pytest.mark.parametrize("number", [conversation(tshark.request(STATE[4]), tshark.reply(odd)) for odd in POSSIBLE])
def test_possible_variants_are_decoded_in_a_known_conversation(number):
    assert recognized(decoded(number)) == [True, True]


AFTER_DTLS = conversation(tshark.request(b"\x16\xfe\xfd" + bytes(50)), tshark.request(STATE[4]))


def test_earlier_packets_of_another_dissector_are_declined():
    assert recognized(decoded(AFTER_DTLS, "-2")) == [False, True]


WITH_EMPTY = conversation(tshark.request(STATE[4]), tshark.request(b""), tshark.request(words(2, 1)))


def test_an_empty_datagram_has_no_effect():
    found = generation(decoded(WITH_EMPTY, "-2"))
    assert (found[0], found[2]) == ("4", "4")
    assert [row["_ws.malformed"] for row in decoded(WITH_EMPTY, *AS_GODOT)] == [[]] * 3


ONE_VECTOR = conversation(tshark.request(VECTOR3))
PROVEN = {number: conversation(tshark.request(STATE[number])) for number in (3, 4)}


def test_the_preference_sets_the_required_evidence():
    assert recognized(decoded(ONE_VECTOR, "-o", "godot.heuristic_proof:8")) == [True]
    assert recognized(decoded(ONE_VECTOR, "-o", "godot.heuristic_proof:9")) == [False]
    assert recognized(decoded(PROVEN[4], "-o", "godot.heuristic_proof:1000")) == [False]


FORTY_VECTORS = conversation(*requests(vector3, 40))


def test_no_more_than_32_packets_add_up():
    """Each has eight bits of evidence."""
    assert recognized(decoded(FORTY_VECTORS, "-o", "godot.heuristic_proof:256")) == [False] * 31 + [True] * 9
    assert recognized(decoded(FORTY_VECTORS, "-o", "godot.heuristic_proof:257")) == [False] * 40


def test_the_heuristic_tries_only_the_chosen_generation():
    assert recognized(decoded(PROVEN[3], "-o", "godot.generation:3")) == [True]
    assert recognized(decoded(PROVEN[3], "-o", "godot.generation:4")) == [False]


def test_the_heuristic_can_be_disabled():
    assert recognized(decoded(PROVEN[4], "--disable-heuristic", "godot_udp")) == [False]
    assert recognized(decoded(PROVEN[4], "--disable-heuristic", "godot_udp", *AS_GODOT)) == [True]
    assert recognized(decoded(PROVEN[4], "--disable-protocol", "godot")) == [False]


ONE_NIL = conversation(tshark.request(words(0)))


def test_a_port_can_be_given_in_the_preferences():
    assert recognized(decoded(ONE_NIL)) == [False]
    assert recognized(decoded(ONE_NIL, "-o", f"godot.udp.port:{tshark.SERVER_PORT}")) == [True]


OVER_IPV6 = conversation(tshark.request(STATE[4], ipv6=True))


def test_over_ipv6_too():
    assert recognized(decoded(OVER_IPV6)) == [True]


# ---- heuristics of other protocols ------------------------------------------------------------------------

# A game whose client sends each request from a new socket (PacketPeerUDP.put_var(), Godot 4.6.3): JSON as Strings. Wireshark's
# heuristic for WireGuard accepts those of 32 bytes or more.
REQUESTS = [('{"authenticate_credentials":{"password":"test","user":"user1"}}', '{"token":4109009979,"user":"user1"}'),
            ('{"get_authentication_token":true,"token":4109009979.0,"user":"user1"}', "4109009979"),
            ('{"get_avatar":true,"token":4109009979.0,"user":"user1"}', '{"avatar":"res://Avatars/female_idle.png"}')]
WIREGUARD = [tshark.Udp(51820, 51821, words(4, 0x1234) + longs(n) + random.Random(n).randbytes(32)) for n in range(4)]


def string(text):
    return words(4, len(text)) + text.encode() + bytes(-len(text) % 4)


def exchanges():
    for port, (request, answer) in enumerate(REQUESTS, 40660):
        yield tshark.Udp(port, 9999, string(request))
        yield tshark.Udp(9999, port, string(answer), 0.0, {"from": 2, "to": 1})


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
def test_texts_are_not_wireguard(passes, udp_capture):
    """The packets of WireGuard after them change the order of the heuristics for the second pass."""
    sent = [*exchanges(), *WIREGUARD]
    names = [packet["frame.protocols"][0].split(":")[-1]
             for packet in tshark.fields(udp_capture(*sent), ["frame.protocols"], *passes)]
    assert names == ["godot"] * 6 + ["wg"] * 4


def test_packets_before_the_recognition_are_those_of_the_first_pass(udp_capture):
    """Another heuristic was called first for the packets after them."""
    vectors = [tshark.Udp(41000, 41001, vector3(n)) for n in range(8)]
    found = recognized(tshark.fields(udp_capture(*vectors, *WIREGUARD), NAMES, "-2"))
    assert found == [True] * 8 + [False] * 4


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
    found = tshark.split(recognized(tshark.fields(udp_capture(*tshark.apart(FOREIGN.values())), NAMES)), FOREIGN.values())
    assert [name for name, taken in zip(FOREIGN, found) if any(taken)] == []
