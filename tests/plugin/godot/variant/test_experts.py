# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each expert info is raised by a packet; values before a fault are decoded."""

import functools
import re

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.samples import BUFFERS, DOCUMENT, FAULTS, LIMITS, ODDITIES, OFFSETS, OTHERS, after_a_seven
from plugin.godot.variant.variants import encode, words

AS_GODOT = ["-d", f"udp.port=={tshark.SERVER_PORT},godot"]

VALUES = ["-o", "godot.show_values:TRUE"]

SEVERITIES = {0x200000: "chat", 0x400000: "note", 0x600000: "warning", 0x800000: "error"}
GROUPS = {0x05000000: "undecoded", 0x07000000: "malformed", 0x09000000: "protocol", 0x0A000000: "security"}

DETAILS = ["_ws.expert.message", "_ws.expert.severity", "_ws.expert.group"]


def raised(packet):
    """(severity and group, message) of each expert info of this plugin."""
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
def test_an_oddity_is_reported_and_the_value_read(decoded, name):
    expert = f"godot.{ODDITIES[name][2]}"
    names = [f"godot.{row[2]}" for row in ODDITIES.values()]
    packet = decoded(ODDITIES, name, after_a_seven, DETAILS + sorted(set(names)) + ["godot.path", "godot.undecoded"])
    _, _, _, kind, message = ODDITIES[name]
    assert raised(packet) == [(kind, f"{message} (offset {OFFSETS.get(name, 16)})")]
    assert [other for other in set(names) if packet[other]] == [expert]
    assert packet["godot.path"] == [".", "[0]", "[1]"]
    assert packet["godot.undecoded"] == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported_and_earlier_values_are_decoded(decoded, name):
    _, _, expert, message, place, rest = FAULTS[name]
    names = sorted({f"godot.{row[2]}" for row in FAULTS.values()})
    packet = decoded(FAULTS, name, after_a_seven,
                     DETAILS + names + ["godot.path", "godot.int", "godot.undecoded", "_ws.col.Info"])
    does = "Godot 2 does not read this length" if expert == "input_event.length.invalid" else "the engine rejects the packet"
    assert raised(packet) == [("error malformed", f"{message} at offset {place}; {does}")]
    assert [other for other in names if packet[other]] == [f"godot.{expert}"]
    assert (packet["godot.path"], packet["godot.int"]) == ([".", "[0]"], ["7"])
    assert [value.replace(":", "") for value in packet["godot.undecoded"]] == rest.split()
    assert re.fullmatch(r"\[(Truncated value|Unknown type|Malformed value)\] Array \[ ?7(, )?<(truncated|malformed)>", packet["_ws.col.Info"][0])


@pytest.mark.parametrize("name", OTHERS)
def test_other_expert_infos(decoded, name):
    expected = OTHERS[name][2]
    names = sorted({f"godot.{expert}" for row in OTHERS.values() for expert, _, _ in row[2]})
    packet = decoded(OTHERS, name, lambda _, payload: payload, DETAILS + names)
    assert sorted(raised(packet)) == sorted((kind, message) for _, kind, message in expected)
    assert {other for other in names if packet[other]} == {f"godot.{expert}" for expert, _, _ in expected}


SCRIPTED = {"4.6.3": [184, 214, 223, 227], "3.6": [153], "3.2.3": [153]}


@functools.lru_cache(maxsize=None)
def values_of_each(expression):
    captures = [tshark.PCAPS / "godot/variant" / f"godot-{version}.pcap" for version in SCRIPTED]
    found = tshark.fields_of_each(captures, ["frame.number", "godot.value"], "-Y", expression, *VALUES)
    return dict(zip(SCRIPTED, found.values(), strict=True))


@pytest.mark.parametrize("version", SCRIPTED)
def test_objects_with_a_script_are_those_that_the_engine_sent_with_one(version):
    """Of all full objects of the captures; the record has what the engine prints of them."""
    found, full, noted = (values_of_each(expression)[version] for expression in (
        "godot.object.script", "godot.object.full", "godot.object.script && _ws.expert.severity == note"))
    assert [int(packet["frame.number"][0]) for packet in found] == SCRIPTED[version]
    scripted = [packet["frame.number"] for packet in full if re.search(r'"script":(?!null)', " ".join(packet["godot.value"]))]
    assert scripted == [packet["frame.number"] for packet in found] and len(full) > len(found)
    assert noted == found


@pytest.mark.parametrize("options, found", [
    (["-q", "-z", "expert"], "The dictionary had this key before; the engine keeps the last of them (offset 28)"),
    (["-q", "-z", "io,phs,godot.key.duplicate"], "godot"),
    (["-Y", "godot.key.duplicate"], "Godot"),
    (["-Y", '_ws.expert.message contains "this key"'], "Godot"),
    (["-Y", "_ws.expert.severity == warning"], "Godot"),
    (["-T", "fields", "-e", "_ws.expert.message"], "The dictionary had this key before"),
    (["-o", 'gui.column.format:"Expert","%a"'], "Warning"),
    (["-V"], "The dictionary had this key before"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_a_duplicate_key_is_reported_in_every_output(udp_capture, options, found):
    twice = words(27, 2) + encode("k") + encode(1) + encode("k") + encode(2)
    shown = tshark.run([*AS_GODOT, *options], udp_capture(tshark.request(twice)), prefs={"godot.generation": 4})
    assert found in shown.stdout


CONTAINERS = {"godot.array", "godot.dictionary", "godot.object"}
GENERATED = {"godot.path", "godot.generation", "godot.generation.reason"}


@pytest.mark.parametrize("generation", [2, 3, 4])
def test_no_byte_of_an_odd_or_faulty_packet_is_outside_every_field(generation, udp_capture):
    payloads = [after_a_seven(*row[:2]) for row in (ODDITIES | FAULTS).values() if row[0] == generation]
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


# ---- faults that require a caller's buffer -----------------------------------------------------------


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

# These require a conversation, or a truncated capture, and have separate tests.
ELSEWHERE = {"cut_short", "generation.ambiguous", "generation.differs", "payload.unread"}


def test_every_expert_info_is_raised_by_some_test():
    """In Wireshark's list of fields, expert infos have no type; neither have values with parts."""
    table = (tshark.SOURCE / "plugin" / "godot" / "variant" / "fields.c").read_text(encoding="utf-8")
    registered = set(re.findall(r'"godot\.([\w.]+)", PI_', table))
    tested = {row[2] for row in (ODDITIES | FAULTS).values()}
    tested |= {expert for row in OTHERS.values() for expert, _, _ in row[2]}
    tested |= {expert for expert, _, _ in LIMITS.values()}
    assert registered == tested | ELSEWHERE


# ---- truncated captures -----------------------------------------------------------------------------


def test_truncation_by_the_capture_is_not_reported_as_malformed(udp_capture):
    """For each number of captured bytes: the captured values are decoded, the truncation is not a fault of the
    packet."""
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
    # The document and twelve values in it; the last one, an empty dictionary, is always incomplete.
    assert paths == 12


# A payload of which the capture has some bytes; and how often each of some expert infos is raised.
WITH_FAULTS = {
    "an earlier fault is not hidden": (words(28, 2, 99, 0) + bytes(100), 40, {"godot.type.unknown": 1, "godot.cut_short": 0}),
    "a text longer than the packet is malformed":
        (words(4, 1000) + bytes(96), 40, {"godot.text.truncated": 1, "godot.cut_short": 0}),
    # A count is too large only if the whole packet is too short: the smallest value has four bytes, a key and its value eight.
    "an array too short for its count": (words(28, 8) + bytes(31), 12, {"godot.count.truncated": 1}),
    "an array long enough for its count": (words(28, 8) + bytes(32), 12, {"godot.count.truncated": 0}),
    "a dictionary too short for its count": (words(27, 8) + bytes(63), 12, {"godot.count.truncated": 1}),
    "a dictionary long enough for its count": (words(27, 8) + bytes(64), 12, {"godot.count.truncated": 0}),
}


def test_a_fault_in_a_truncated_packet_is_the_packet_s(udp_capture):
    capture = udp_capture(*(tshark.request(payload, captured=captured) for payload, captured, _ in WITH_FAULTS.values()))
    names = sorted({name for _, _, expected in WITH_FAULTS.values() for name in expected})
    packets = tshark.fields(capture, names, *AS_GODOT, prefs={"godot.generation": 4})
    found = {case: {name: len(packet[name]) for name in expected}
             for packet, (case, (_, _, expected)) in zip(packets, WITH_FAULTS.items(), strict=True)}
    assert found == {case: expected for case, (_, _, expected) in WITH_FAULTS.items()}
