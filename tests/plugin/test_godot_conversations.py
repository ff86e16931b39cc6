# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a conversation is claimed by, and how it settles the generation its packets are read as."""

import random
import re

import pytest

import gamewire_tshark as tshark
from godot_variants import WIDE, encode, floats, longs, text, words

AS_GODOT = ["-d", f"udp.port=={tshark.SERVER_PORT},godot"]

# Structure that only one generation reads, and bytes that each reads as something else.
PROOF = {generation: encode({"proof": True}, generation) for generation in (2, 3, 4)}
SIX_FLOATS = words(11) + floats(1, 2, 3, 4, 5, 6)  # AABB, or Transform2D in Godot 4
NUMBERS = words(21, 1, 97)  # PoolIntArray( 97 ), or &"a" in Godot 4


def generation(capture, *args, **options):
    return ["".join(row["godot.generation"]) for row in tshark.fields(capture, ["godot.generation"], *args, **options)]


def claimed(capture, *args, **options):
    return [bool(found) for found in generation(capture, *args, **options)]


def infos(capture, *args, **options):
    return tshark.info_column(capture, *args, **options)


# ---- the generation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen, info", [
    (2, "AABB( 1, 2, 3, 4, 5, 6 )"), (3, "AABB( 1, 2, 3, 4, 5, 6 )"), (4, "Transform2D(1, 2, 3, 4, 5, 6)"),
    ("auto", "Transform2D(1, 2, 3, 4, 5, 6)")])
def test_a_generation_can_be_chosen(udp_capture, chosen, info):
    capture = udp_capture(tshark.request(SIX_FLOATS))
    assert infos(capture, *AS_GODOT, prefs={"godot.generation": chosen}) == [info]


def test_a_chosen_generation_holds_against_all_proof(udp_capture):
    capture = udp_capture(tshark.request(PROOF[3]))
    names = ["godot.generation", "godot.generation.reason", "godot.generation.settled_in", "godot.type_unknown"]
    row = tshark.fields(capture, names, *AS_GODOT, "-2", prefs={"godot.generation": 2})[0]
    assert row["godot.generation"] == ["2"]
    assert row["godot.generation.reason"] == ["chosen in the preferences"]
    assert row["godot.generation.settled_in"] == []


@pytest.mark.parametrize("settled", [2, 3, 4])
def test_one_packet_settles_a_conversation_in_both_directions(udp_capture, settled):
    capture = udp_capture(
        tshark.request(SIX_FLOATS), tshark.request(PROOF[settled]), tshark.reply(SIX_FLOATS), tshark.request(NUMBERS))
    assert generation(capture, *AS_GODOT) == ["4"] + [str(settled)] * 3
    assert generation(capture, *AS_GODOT, "-2") == [str(settled)] * 4
    names = ["godot.generation.settled_in", "godot.generation.reason"]
    first, second = tshark.fields(capture, names, *AS_GODOT), tshark.fields(capture, names, *AS_GODOT, "-2")
    assert [row["godot.generation.settled_in"] for row in first] == [[], [], ["2"], ["2"]]
    assert [row["godot.generation.settled_in"] for row in second] == [["2"]] * 4
    assert re.match("certain: ", first[1]["godot.generation.reason"][0])
    assert first[2]["godot.generation.reason"] == ["the conversation's"]


def test_two_conversations_settle_apart(udp_capture):
    def other(payload):
        return tshark.Udp(41002, tshark.SERVER_PORT, payload)

    capture = udp_capture(tshark.request(PROOF[3]), other(PROOF[4]), tshark.request(SIX_FLOATS), other(SIX_FLOATS))
    assert generation(capture, *AS_GODOT, "-2") == ["3", "4", "3", "4"]


def test_a_packet_that_only_another_generation_reads_is_read_so_and_told(udp_capture):
    capture = udp_capture(tshark.request(PROOF[4]), tshark.request(PROOF[3]), tshark.request(SIX_FLOATS))
    names = ["godot.generation", "godot.generation_mixed", "_ws.expert.message", "_ws.col.Info"]
    for passes in ([], ["-2"]):
        rows = tshark.fields(capture, names, *AS_GODOT, *passes)
        assert [row["godot.generation"] for row in rows] == [["4"], ["3"], ["4"]]
        assert [len(row["godot.generation_mixed"]) for row in rows] == [0, 1, 0]
        assert rows[1]["_ws.expert.message"] == ["Not of the generation that the rest of the conversation is of"]
        assert rows[1]["_ws.col.Info"] == ['Dictionary {"proof": true}']


def test_a_broken_packet_stays_with_its_conversation(udp_capture):
    """Bytes that nobody reads are no sign of another generation."""
    capture = udp_capture(tshark.request(PROOF[3]), tshark.request(PROOF[3][:-4]))
    assert generation(capture, *AS_GODOT) == ["3", "3"]


@pytest.mark.parametrize("payload, message", [
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
])
def test_ambiguity_is_told_where_it_changes_what_is_read(udp_capture, payload, message):
    rows = tshark.fields(udp_capture(tshark.request(payload)), ["godot.generation_ambiguous", "_ws.expert.message"],
                         *AS_GODOT)
    assert rows[0]["_ws.expert.message"] == ([message] if message else [])
    assert len(rows[0]["godot.generation_ambiguous"]) == (1 if message else 0)


def test_a_large_packet_cut_by_the_capture_is_still_claimed_and_dated(udp_capture):
    payload = encode({"cmd": "state", "players": [{"id": i, "name": f"player {i}"} for i in range(40)]}, 3)
    capture = udp_capture(tshark.request(payload, captured=202), tshark.request(PROOF[3]))
    rows = tshark.fields(capture, ["godot.generation", "godot.cut_short", "_ws.malformed"])
    assert [len(row["godot.cut_short"]) for row in rows] == [1, 0]
    assert [row["godot.generation"] for row in rows] == [["3"], ["3"]]
    assert [row["_ws.malformed"] for row in rows] == [[], []]


# ---- the heuristic ----------------------------------------------------------------------------------

VECTOR3 = words(9) + floats(1.5, -2, 30.25)


@pytest.mark.parametrize("payload", [
    encode({"a": 1}), encode("hello"), encode([[1], "x"]), encode({"cmd": "move"}, 3), encode(["ping", 41], 2),
    words(22, 0x80000002, 0, 1) + text("root") + text("Main"),
    words(34, 2, 5) + b"abcd\0\0\0\0" + words(4) + b"efg\0",
    encode("a" * 23), encode("naïve café ☕ in 東京 😀"), encode("0123456789" * 100 + "!"),
])
def test_structure_that_leaves_no_doubt_is_claimed_at_once(udp_capture, payload):
    assert claimed(udp_capture(tshark.request(payload))) == [True]


@pytest.mark.parametrize("first", [31, 1001])
def test_a_long_string_is_not_taken_for_wireguard(udp_capture, first):
    """Both begin with the word 4, and both have a length that is a multiple of 4."""
    capture = udp_capture(tshark.request(encode("x" * first)), tshark.request(words(2, 1)))
    protocols = tshark.run(["-T", "fields", "-e", "frame.protocols"], capture).stdout.split()
    assert protocols == ["eth:ethertype:ip:udp:godot"] * 2


# (payload, how many of it in a row make a claim): the bits of each are counted in godot-claim.c.
ROWS = {
    "Vector3, 14 bits": (VECTOR3, 5),
    "Vector2, 12 bits": (words(5) + floats(1.5, -2), 6),
    "Color, 16 bits": (words(20) + floats(0.25, 0.5, 0.75, 1), 4),
    "Transform3D, 32 bits": (words(18) + floats(*range(1, 13)), 2),
    "int, 4 bits": (words(2, 7), 16),
    "bool, 4 bits": (words(1, 1), 16),
    "float, 6 bits": (words(3) + floats(0.5), 11),
    "a vector of zeros, 8 bits": (words(9) + floats(0, 0, 0), 8),
    "an empty array, 4 bits": (words(28, 0), 16),
}


@pytest.mark.parametrize("name", ROWS)
def test_values_without_structure_are_claimed_when_enough_follow_each_other(udp_capture, name):
    payload, enough = ROWS[name]
    capture = udp_capture(*[tshark.request(payload)] * (enough + 2))
    assert claimed(capture) == [False] * (enough - 1) + [True] * 3
    assert claimed(capture, "-2") == [True] * (enough + 2)


def test_proof_is_counted_in_both_directions(udp_capture):
    capture = udp_capture(*[tshark.request(VECTOR3), tshark.reply(VECTOR3)] * 3)
    assert claimed(capture) == [False] * 4 + [True] * 2


def test_proof_is_counted_for_each_conversation(udp_capture):
    packets = [tshark.Udp(port, tshark.SERVER_PORT, VECTOR3) for port in range(41010, 41020)]
    assert claimed(udp_capture(*packets)) == [False] * 10


@pytest.mark.parametrize("stranger", [
    b"abc", words(99, 1), words(9) + floats(1, 2, 3, 4), words(9) + floats(1e-42, 2, 3), words(1, 2)])
def test_a_stranger_ends_the_row(udp_capture, stranger):
    row = [tshark.request(VECTOR3)] * 4
    capture = udp_capture(*row, tshark.request(stranger), *row, tshark.request(VECTOR3))
    assert claimed(capture) == [False] * 9 + [True]


def test_a_stranger_in_a_claimed_conversation_is_shown_as_what_it_is(udp_capture):
    """The conversation is pinned: what does not fit is told as an error, not passed on in silence."""
    rows = tshark.fields(udp_capture(tshark.request(PROOF[4]), tshark.request(b"abc")),
                         ["godot.header_truncated", "_ws.col.Info"])
    assert [len(row["godot.header_truncated"]) for row in rows] == [0, 1]


def test_an_empty_datagram_disturbs_nothing(udp_capture):
    capture = udp_capture(tshark.request(PROOF[4]), tshark.request(b""), tshark.request(words(2, 1)))
    found = generation(capture, "-2")
    assert (found[0], found[2]) == ("4", "4")
    assert tshark.fields(capture, ["_ws.malformed"], *AS_GODOT) == [{"_ws.malformed": []}] * 3


def test_the_preference_sets_how_much_proof_is_wanted(udp_capture):
    capture = udp_capture(tshark.request(VECTOR3))
    assert claimed(capture, prefs={"godot.heuristic_proof": 8}) == [True]
    assert claimed(capture, prefs={"godot.heuristic_proof": 14}) == [True]
    assert claimed(capture, prefs={"godot.heuristic_proof": 15}) == [False]
    assert claimed(udp_capture(tshark.request(encode({"a": 1}))), prefs={"godot.heuristic_proof": 1000}) == [False]


def test_a_chosen_generation_is_the_only_one_the_heuristic_looks_for(udp_capture):
    capture = udp_capture(tshark.request(PROOF[3]))
    assert claimed(capture, prefs={"godot.generation": 3}) == [True]
    assert claimed(capture, prefs={"godot.generation": 4}) == [False]


def test_the_heuristic_can_be_turned_off(udp_capture):
    capture = udp_capture(tshark.request(PROOF[4]))
    assert claimed(capture, "--disable-heuristic", "godot_udp") == [False]
    assert claimed(capture, "--disable-heuristic", "godot_udp", *AS_GODOT) == [True]
    assert claimed(capture, "--disable-protocol", "godot") == [False]


def test_a_port_can_be_given_in_the_preferences(udp_capture):
    capture = udp_capture(tshark.request(words(0)))
    assert claimed(capture) == [False]
    assert claimed(capture, prefs={"godot.udp.port": tshark.SERVER_PORT}) == [True]


def test_over_ipv6_too(udp_capture):
    assert claimed(udp_capture(tshark.request(PROOF[4], ipv6=True))) == [True]


# ---- strangers --------------------------------------------------------------------------------------


def big(size, *numbers):
    return b"".join(number.to_bytes(size, "big") for number in numbers)


NAME = b"\7example\3com\0"

STRANGERS = {
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
    "random behind a small word": [
        (41000 + n, 41999, words(n % 39) + random.Random(n).randbytes(4 * (1 + n % 16))) for n in range(2000)],
    "random behind a small word, in one conversation": [
        (41000, 41999, words(n % 39) + random.Random(n).randbytes(4 * (1 + n % 16))) for n in range(2000)],
    "text": [(41000, 41001, f"position {n} {n * 3}\n".encode()) for n in range(40)],
}


@pytest.mark.parametrize("name", STRANGERS)
def test_other_protocols_are_left_alone(udp_capture, name):
    packets = STRANGERS[name]
    assert claimed(udp_capture(*packets)) == [False] * len(packets)


def test_small_messages_of_two_words_are_not_claimed_within_fifteen(udp_capture):
    """Many protocols send two small numbers."""
    packets = [tshark.request(words(2, n)) for n in range(15)]
    assert claimed(udp_capture(*packets)) == [False] * 15
