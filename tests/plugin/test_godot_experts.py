# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each expert info has a packet that raises it; what comes before a fault stays decoded."""

import functools
import re

import pytest

import gamewire_tshark as tshark
from godot_variants import WIDE, doubles, encode, floats, longs, text, words

AS_GODOT = ["-d", f"udp.port=={tshark.SERVER_PORT},godot"]

SEVERITIES = {0x200000: "chat", 0x400000: "note", 0x600000: "warning", 0x800000: "error"}
GROUPS = {0x05000000: "undecoded", 0x07000000: "malformed", 0x09000000: "protocol", 0x0A000000: "security"}

FULL_OBJECT = (
    "An object with its properties: decoding it can run code, and the engine refuses it unless objects are allowed")

DETAILS = ["_ws.expert.message", "_ws.expert.severity", "_ws.expert.group"]


def nested(depth, generation=4):
    """Arrays in one another: the innermost, at this depth, is empty."""
    return words({4: 28, 3: 19}[generation], 1) * depth + words({4: 28, 3: 19}[generation], 0)


# Oddities: the value is read all the same, so each is after a 7 in an array to have an offset of its own.
# (generation, payload, name, severity and group, message)
ODDITIES = {
    "header bits": (
        4, words(0x0102, 5), "header_bits", "warning protocol",
        "Header bits are set that no engine writes; they are ignored"),
    "upper header bits": (
        3, words(0x80000002, 5), "header_bits", "warning protocol",
        "Header bits are set that no engine writes; they are ignored"),
    "a flag of another type": (
        4, words(4 | WIDE) + text("a"), "flags_unknown", "warning protocol",
        "A flag is set that this type does not have; it is ignored"),
    "a flag of another generation": (
        3, words(5 | WIDE) + floats(1, 2), "flags_unknown", "warning protocol",
        "A flag is set that this type does not have; it is ignored"),
    "a bool": (4, words(1, 2), "bool_invalid", "warning protocol", "A bool is neither 0 nor 1; it reads as true"),
    "text that is not UTF-8": (
        4, words(4) + text(b"a\xff"), "utf8_invalid", "error protocol",
        "The text is not valid UTF-8; the engine refuses the packet"),
    "an element that is not UTF-8": (
        4, words(34, 1, 2) + b"\xff\0\0\0", "utf8_invalid", "error protocol",
        "The text is not valid UTF-8; the engine refuses the packet"),
    "a name that is not UTF-8": (
        4, words(22, 0x80000001, 0, 0) + text(b"\xff"), "utf8_invalid", "error protocol",
        "The text is not valid UTF-8; the engine refuses the packet"),
    "text with a NUL": (
        4, words(4) + text(b"a\0b"), "text_nul", "warning protocol", "The text holds a NUL; the engine cuts it there"),
    "padding of a string": (
        4, words(4) + text("a", padding=1), "padding_nonzero", "warning protocol",
        "The padding is not zero; it is ignored"),
    "padding of a byte array": (
        3, words(20, 1) + b"a\0\0\1", "padding_nonzero", "warning protocol",
        "The padding is not zero; it is ignored"),
    "padding of a class name": (
        4, words(28 | WIDE << 1) + text("Node2D", padding=1) + words(0), "padding_nonzero", "warning protocol",
        "The padding is not zero; it is ignored"),
    "padding of a node path in Godot 4": (
        4, words(22, 0x80000001, 0, 0) + text("a", padding=1), "padding_nonzero", "warning protocol",
        "The padding is not zero; it is ignored"),
    "padding of a node path in Godot 3": (
        3, words(15, 0x80000001, 0, 0) + text("a", padding=1), "padding_stale", "chat security",
        "The padding holds stale bytes of the sender's buffer, as this generation leaves them"),
    "padding in Godot 2": (
        2, words(4) + text("a", padding=1), "padding_stale", "chat security",
        "The padding holds stale bytes of the sender's buffer, as this generation leaves them"),
    "a wide int": (
        3, words(2 | WIDE) + longs(5), "needlessly_wide", "chat protocol",
        "64 bits are used where 32 are enough, as Godot 3.0 does for every int"),
    "a wide float": (
        4, words(3 | WIDE) + doubles(0.5), "needlessly_wide", "chat protocol",
        "64 bits are used where 32 are enough, as Godot 3.0 does for every int"),
    "the shared bit": (
        3, words(19, 0x80000000), "shared_unknown", "warning protocol",
        "The shared bit is set, which only Godot 2 knows; it is ignored"),
    "a string of an array without NUL": (
        4, words(34, 1, 2) + b"ab\0\0", "string_unterminated", "warning protocol",
        "A string of a string array does not end in NUL"),
    "flags of a node path": (
        4, words(22, 0x80000000, 0, 4), "node_path.flags_unknown", "warning protocol",
        "A NodePath has flags other than absolute and property"),
    "an old node path": (
        4, words(22) + text("a/b"), "node_path.old_format", "error protocol",
        "A NodePath is in the format that only Godot 2 reads"),
}

# Where in the packet the oddity is; those that are missing are about the value, which begins at 16.
OFFSETS = {
    "a bool": 20, "text that is not UTF-8": 25, "an element that is not UTF-8": 28, "a name that is not UTF-8": 36,
    "text with a NUL": 25, "padding of a string": 25, "padding of a byte array": 25, "padding of a class name": 30,
    "padding of a node path in Godot 4": 37, "padding of a node path in Godot 3": 37, "padding in Godot 2": 25,
    "the shared bit": 20, "a string of an array without NUL": 24, "flags of a node path": 28,
}

# Faults: decoding stops. As above, but with the offset of the fault and the bytes that are left, as hex.
FAULTS = {
    "half a header": (
        4, b"\1\2", "header_truncated", "The data ends where a value's type should be", "16: 2 bytes missing", "0102"),
    "no header": (
        4, b"", "header_truncated", "The data ends where a value's type should be", "16: 4 bytes missing", ""),
    "no body": (
        4, words(2), "value_truncated", "The data ends inside a value", "16: 4 bytes missing", "02000000"),
    "half a body": (
        4, words(5) + floats(1), "value_truncated", "The data ends inside a value", "16: 4 bytes missing",
        "050000000000803f"),
    "a long text": (
        4, words(4, 100) + b"abcd", "text_too_long", "A text is longer than the rest of the data",
        "16: 96 bytes missing", "040000006400000061626364"),
    "a text of all lengths": (
        4, words(4, 0xFFFFFFFF) + b"abcd", "text_too_long", "A text is longer than the rest of the data",
        "16: 4294967292 bytes missing", "04000000ffffffff61626364"),
    "a text without padding": (
        4, words(4, 1) + b"a", "padding_truncated", "The padding to four bytes is missing", "16: 3 bytes missing",
        "040000000100000061"),
    "a long packed array": (
        4, words(30, 3, 1), "elements_too_many", "More elements are declared than the rest of the data can hold",
        "16: 8 bytes missing", "1e0000000300000001000000"),
    "a node path of many names": (
        4, words(22, 0x80000003, 0, 0), "elements_too_many",
        "More elements are declared than the rest of the data can hold", "16: 12 bytes missing",
        "16000000030000800000000000000000"),
    "an unknown type": (
        4, words(39, 1), "type_unknown", "There is no such Variant type in this generation", "16",
        "2700000001000000"),
    "a type of another generation": (
        3, words(27, 0), "type_unknown", "There is no such Variant type in this generation", "16",
        "1b00000000000000"),
    "the upper header of Godot 2": (
        2, words(2 | WIDE, 1), "type_unknown", "There is no such Variant type in this generation", "16",
        "0200010001000000"),
    "an array of an unknown type": (
        4, words(28 | WIDE, 39, 0), "element_type_unknown",
        "A container is declared to hold a type that does not exist", "20", "1c000100 2700000000000000"),
    "an input event without a head": (
        2, words(19, 1, 0, 8), "input_event.length_invalid",
        "An input event is declared shorter than its own head", "28", "130000000100000000000000 08000000"),
}

# Those whose packets look different: (generation, payload, messages by name and severity and group)
OTHERS = {
    "more members than fit": (
        4, words(28, 3, 2, 7), [
            ("count_too_large", "error malformed",
             "More members are declared than the rest of the data can hold (offset 4)"),
            ("header_truncated", "error malformed",
             "The data ends where a value's type should be at offset 16: 4 bytes missing; the engine refuses the "
             "packet")]),
    "more entries than fit": (
        4, words(27, 0x7FFFFFFF) + encode("k"), [
            ("count_too_large", "error malformed",
             "More members are declared than the rest of the data can hold (offset 4)"),
            ("header_truncated", "error malformed",
             "The data ends where a value's type should be at offset 20: 4 bytes missing; the engine refuses the "
             "packet")]),
    "a byte array without padding": (
        4, words(29, 1) + b"A", [
            ("padding_missing", "note protocol",
             "The padding of the byte array is missing; the engine does without it (offset 0)")]),
    "a trailing byte": (
        4, words(1, 1) + b"a", [
            ("trailing_bytes", "warning protocol",
             "1 byte after the value at offset 8; the engine ignores what is there")]),
    "trailing bytes": (
        4, words(1, 1, 1), [
            ("trailing_bytes", "warning protocol",
             "4 bytes after the value at offset 8; the engine ignores what is there")]),
    "as deep as the tree shows": (4, nested(99), []),
    "deeper than the tree shows": (
        4, nested(101), [
            ("flattened", "note undecoded", "Nested deeper than the tree shows: what follows is in line")]),
    "as deep as the engine reads": (
        4, nested(1024), [
            ("flattened", "note undecoded", "Nested deeper than the tree shows: what follows is in line")]),
    "deeper than the engine reads": (
        4, nested(1025), [
            ("flattened", "note undecoded", "Nested deeper than the tree shows: what follows is in line"),
            ("too_deep", "error protocol",
             "Nested deeper than the 1024 levels that the engine decodes (offset 8200)")]),
    "many of a kind": (
        4, words(28, 12) + words(1, 7) * 12, [
            ("bool_invalid", "warning protocol", f"A bool is neither 0 nor 1; it reads as true (offset {12 + 8 * i})"
             + ("; more of these in this packet are not listed" if i == 9 else "")) for i in range(10)]),
    "two at once": (
        4, words(0x1004) + text(b"\xff", padding=1), [
            ("header_bits", "warning protocol",
             "Header bits are set that no engine writes; they are ignored (offset 0)"),
            ("utf8_invalid", "error protocol", "The text is not valid UTF-8; the engine refuses the packet (offset 8)"),
            ("padding_nonzero", "warning protocol", "The padding is not zero; it is ignored (offset 9)")]),
    "an oddity of a key": (
        4, words(27, 1) + words(4) + text("k", padding=1) + words(0), [
            ("padding_nonzero", "warning protocol", "The padding is not zero; it is ignored (offset 17)")]),
    "an oddity of a property name": (
        4, words(24) + text("Node") + words(1) + text("k", padding=1) + words(0), [
            ("object_full", "warning security", f"{FULL_OBJECT} (offset 0)"),
            ("padding_nonzero", "warning protocol", "The padding is not zero; it is ignored (offset 21)")]),
    "the same key twice": (
        4, words(27, 3) + encode(1) + encode(5) + encode("k") + encode(7) + encode(1) + encode(6), [
            ("key_duplicate", "warning protocol",
             "The dictionary had this key before; the engine keeps the last of them (offset 44)")]),
    "the same key in two dictionaries": (4, encode([{"k": 1}, {"k": {"k": 2}}]), []),
    "an element of another type than declared": (
        4, words(28 | WIDE, 2, 2) + encode(1) + encode("a"), [
            ("element_type_wrong", "warning protocol",
             "An element is not of the type that its array is declared to hold; the engine gives an empty array "
             "(offset 20)")]),
    "a full object": (
        3, words(17) + text("Node") + words(0), [("object_full", "warning security", f"{FULL_OBJECT} (offset 0)")]),
    "a fault after a key": (
        4, words(27, 1) + encode("k") + words(99), [
            ("type_unknown", "error malformed",
             "There is no such Variant type in this generation at offset 20; the engine refuses the packet")]),
    "an oddity before a fault": (
        4, words(28, 2) + words(1, 7) + words(99), [
            ("bool_invalid", "warning protocol", "A bool is neither 0 nor 1; it reads as true (offset 12)"),
            ("type_unknown", "error malformed",
             "There is no such Variant type in this generation at offset 16; the engine refuses the packet")]),
}


ARRAY = {2: 21, 3: 19, 4: 28}


def behind_a_seven(generation, payload):
    """[7, …]: 16 bytes, then the payload."""
    return words(ARRAY[generation], 2) + words(2, 7) + payload


def raised(packet):
    """(severity and group, message) of each expert info of ours."""
    found = zip(*(packet[name] for name in DETAILS), strict=True)
    return [(f"{SEVERITIES[int(severity)]} {GROUPS[int(group)]}", message) for message, severity, group in found]


@pytest.fixture(scope="module")
def decoded(tmp_path_factory):
    """A function: the fields of each payload of a table, read as one generation; a run of tshark for each."""

    @functools.lru_cache(maxsize=None)
    def read(generation, payloads, names):
        capture = tmp_path_factory.mktemp("experts") / "packets.pcap"
        tshark.write_pcap(capture, [tshark.request(payload) for payload in payloads])
        return dict(zip(payloads, tshark.fields(capture, names, *AS_GODOT, prefs={"godot.generation": generation})))

    def one_of(table, name, change, names):
        generation = table[name][0]
        payloads = tuple(dict.fromkeys(change(row[0], row[1]) for row in table.values() if row[0] == generation))
        return read(generation, payloads, tuple(names))[change(*table[name][:2])]

    return one_of


@pytest.mark.parametrize("name", ODDITIES)
def test_an_oddity_is_told_and_the_value_read(decoded, name):
    expert = f"godot.{ODDITIES[name][2]}"
    names = [f"godot.{row[2]}" for row in ODDITIES.values()]
    packet = decoded(ODDITIES, name, behind_a_seven, DETAILS + sorted(set(names)) + ["godot.path", "godot.undecoded"])
    _, _, _, kind, message = ODDITIES[name]
    assert raised(packet) == [(kind, f"{message} (offset {OFFSETS.get(name, 16)})")]
    assert [other for other in set(names) if packet[other]] == [expert]
    assert packet["godot.path"] == [".", "[0]", "[1]"]
    assert packet["godot.undecoded"] == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_and_what_came_before_stays(decoded, name):
    _, _, expert, message, place, rest = FAULTS[name]
    names = sorted({f"godot.{row[2]}" for row in FAULTS.values()})
    packet = decoded(FAULTS, name, behind_a_seven,
                     DETAILS + names + ["godot.path", "godot.int", "godot.undecoded", "_ws.col.Info"])
    assert raised(packet) == [("error malformed", f"{message} at offset {place}; the engine refuses the packet")]
    assert [other for other in names if packet[other]] == [f"godot.{expert}"]
    assert (packet["godot.path"], packet["godot.int"]) == ([".", "[0]"], ["7"])
    assert [value.replace(":", "") for value in packet["godot.undecoded"]] == rest.split()
    assert re.fullmatch(r"Array \[ ?7(, )?<(truncated|malformed)>", packet["_ws.col.Info"][0])


@pytest.mark.parametrize("name", OTHERS)
def test_other_expert_infos(decoded, name):
    expected = OTHERS[name][2]
    names = sorted({f"godot.{expert}" for row in OTHERS.values() for expert, _, _ in row[2]})
    packet = decoded(OTHERS, name, lambda _, payload: payload, DETAILS + names)
    assert sorted(raised(packet)) == sorted((kind, message) for _, kind, message in expected)
    assert {other for other in names if packet[other]} == {f"godot.{expert}" for expert, _, _ in expected}


# Duplicate keys are looked for only where somebody sees that they were found.
@pytest.mark.parametrize("options, found", [
    (["-q", "-z", "expert"], "The dictionary had this key before; the engine keeps the last of them (offset 28)"),
    (["-q", "-z", "io,phs,godot.key_duplicate"], "godot"),
    (["-Y", "godot.key_duplicate"], "Godot"),
    (["-Y", '_ws.expert.message contains "this key"'], "Godot"),
    (["-Y", "_ws.expert.severity == warning"], "Godot"),
    (["-T", "fields", "-e", "_ws.expert.message"], "The dictionary had this key before"),
    (["-o", 'gui.column.format:"Expert","%a"'], "Warning"),
    (["-V"], "The dictionary had this key before"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_a_duplicate_key_is_found_wherever_it_would_be_seen(udp_capture, options, found):
    twice = words(27, 2) + encode("k") + encode(1) + encode("k") + encode(2)
    shown = tshark.run([*AS_GODOT, *options], udp_capture(tshark.request(twice)), prefs={"godot.generation": 4})
    assert found in shown.stdout


CONTAINERS = {"godot.array", "godot.dictionary", "godot.object"}
GENERATED = {"godot.path", "godot.generation", "godot.generation.reason"}


@pytest.mark.parametrize("generation", [2, 3, 4])
def test_no_byte_of_an_odd_or_faulty_packet_is_outside_every_field(generation, udp_capture):
    payloads = [behind_a_seven(*row[:2]) for row in (ODDITIES | FAULTS).values() if row[0] == generation]
    payloads += [row[1] for row in OTHERS.values() if row[0] == generation and len(row[1]) < 100]
    capture = udp_capture(*(tshark.request(payload) for payload in payloads))
    types = {field.filter for field in tshark.registered_fields()} - CONTAINERS - GENERATED
    prefs = {"godot.generation": generation, "godot.show_headers": True}
    for payload, packet in zip(payloads, tshark.items(capture, "godot", *AS_GODOT, prefs=prefs), strict=True):
        seen = set()
        for item in tshark.flattened(packet):
            if item.name in types:
                start = item.start - tshark.HEADERS[4]
                seen.update(range(start, start + item.size))
        assert set(range(len(payload))) - seen == set(), payload.hex()


# ---- what only a caller's buffer can hold -----------------------------------------------------------

# Each packet's payload names the buffer that a protocol of its own hands to godot.variant.
BUFFERS = """
local carrier = Proto("carrier", "Carrier")
local function bytes(hex, times)
    return ByteArray.new(string.rep(hex, times))
end
local makers = {
    [1] = function() return bytes("1c00000001000000", 8193) end,
    [2] = function() local all = bytes("1c000000a8610000", 1); all:append(bytes("00000000", 25000)); return all end,
    [3] = function() return ByteArray.new() end,
}
function carrier.dissector(buffer, pinfo, tree)
    local which = buffer(0, 1):uint()
    Dissector.get(which == 3 and "godot" or "godot.variant"):call(makers[which]():tvb("Made"), pinfo, tree)
    return buffer:len()
end
DissectorTable.get("udp.port"):add(41001, carrier)
"""

LIMITS = {
    1: ("depth_limit", "warning undecoded", "Nested deeper than this reader follows at offset 65528"),
    2: ("tree_limit", "note undecoded", "The tree has reached its limit"),
    3: ("empty", "note protocol", "An empty datagram, which reads as null"),
}


@pytest.fixture(scope="module")
def limits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limits")
    script = folder / "carrier.lua"
    script.write_text(BUFFERS, encoding="utf-8")
    capture = tshark.write_pcap(folder / "limits.pcap", [tshark.request(bytes([which])) for which in LIMITS])
    names = DETAILS + [f"godot.{expert}" for expert, _, _ in LIMITS.values()]
    found = tshark.fields(capture, names, "-X", f"lua_script:{tshark.readable(script)}",
                          prefs={"godot.generation": 4})
    return dict(zip(LIMITS, found, strict=True))


@pytest.mark.parametrize("which", LIMITS, ids=[expert for expert, _, _ in LIMITS.values()])
def test_limits_that_no_datagram_reaches(limits, which):
    expert, kind, message = LIMITS[which]
    assert (kind, message) in raised(limits[which])
    assert limits[which][f"godot.{expert}"]


# ---- all of them ------------------------------------------------------------------------------------

# These need a conversation, or a capture that was cut: their tests are with those.
ELSEWHERE = {"cut_short", "generation_ambiguous", "generation_mixed"}


def test_every_expert_info_is_raised_by_some_test():
    """In Wireshark's list of fields an expert info is one without a type; so are values that have parts."""
    table = (tshark.SOURCE / "plugin" / "godot" / "variant" / "fields.c").read_text(encoding="utf-8")
    registered = set(re.findall(r'"godot\.([\w.]+)", PI_', table))
    tested = {row[2] for row in (ODDITIES | FAULTS).values()}
    tested |= {expert for row in OTHERS.values() for expert, _, _ in row[2]}
    tested |= {expert for expert, _, _ in LIMITS.values()}
    assert registered == tested | ELSEWHERE


# ---- captures that were cut short -------------------------------------------------------------------

DOCUMENT = encode({
    "id": 7, "name": "Åsa", "hp": 0.1, "big": 1 << 40, "alive": True, "none": None, "list": [1, [2.5, "x"], {}],
})


def test_a_cut_of_the_capture_is_never_called_malformed(udp_capture):
    """Whatever number of bytes was captured; what is there is read, the rest is not blamed on the packet."""
    cuts = range(1, len(DOCUMENT))
    packets = [tshark.request(DOCUMENT, captured=cut) for cut in cuts]
    names = ["godot.cut_short", "godot.undecoded", "godot.path", "_ws.malformed", *DETAILS]
    found = tshark.fields(udp_capture(*packets), names, *AS_GODOT, prefs={"godot.generation": 4})
    assert len(found) == len(cuts)
    paths = 0
    for cut, packet in zip(cuts, found):
        assert len(packet["godot.cut_short"]) == 1, cut
        assert [kind for kind, _ in raised(packet)] == ["note undecoded"], cut
        assert re.fullmatch(r"Cut short by the capture at offset \d+: \d+ more bytes? needed", raised(packet)[0][1])
        assert packet["_ws.malformed"] == [], cut
        assert len(packet["godot.path"]) >= paths, cut
        paths = len(packet["godot.path"])
    # The document and twelve values in it; the last one, an empty dictionary, was never whole.
    assert paths == 12


def test_a_cut_does_not_hide_a_fault_before_it(udp_capture):
    payload = words(28, 2, 99, 0) + bytes(100)
    found = tshark.fields(udp_capture(tshark.request(payload, captured=40)), ["godot.type_unknown", "godot.cut_short"],
                          *AS_GODOT, prefs={"godot.generation": 4})
    assert [len(found[0][name]) for name in ("godot.type_unknown", "godot.cut_short")] == [1, 0]


def test_a_text_longer_than_even_the_packet_is_its_fault_and_not_the_captures(udp_capture):
    payload = words(4, 1000) + bytes(96)
    found = tshark.fields(udp_capture(tshark.request(payload, captured=40)), ["godot.text_too_long", "godot.cut_short"],
                          *AS_GODOT, prefs={"godot.generation": 4})
    assert [len(found[0][name]) for name in ("godot.text_too_long", "godot.cut_short")] == [1, 0]


@pytest.mark.parametrize("number, smallest", [(28, 4), (27, 8)], ids=["array", "dictionary"])
def test_a_count_is_too_large_when_even_the_packet_has_no_room_for_it(number, smallest, udp_capture):
    """The smallest value takes four bytes, a key and its value eight."""
    packets = [tshark.request(words(number, 8) + bytes(rest), captured=12) for rest in (8 * smallest - 1, 8 * smallest)]
    names = ["godot.count_too_large", "godot.cut_short"]
    found = tshark.fields(udp_capture(*packets), names, *AS_GODOT, prefs={"godot.generation": 4})
    assert [len(packet["godot.count_too_large"]) for packet in found] == [1, 0]
