# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Field names are an API: filters and scripts use them, so they must not change by accident.

plugin/docs/reference/fields.md lists each field's name, type and description. GAMEWIRE_UPDATE_GOLDEN=1 writes it again.

Wireshark reports neither a field outside its protocol's name nor two types of one name, and `tshark -G fields` hides
the second of two fields of one name: therefore the sources are tested too.
"""

import re
import sys
from collections import Counter

import pytest

import gamewire_tshark as tshark

LIST = tshark.SOURCE / "plugin" / "docs" / "reference" / "fields.md"
PLUGIN_SOURCES = tshark.SOURCE / "plugin"

INTEGER_BITS = {f"FT_{sign}INT{bits}": bits for sign in ("", "U") for bits in (8, 16, 24, 32, 40, 48, 56, 64)}


def names_in_the_sources(protocol):
    """(filter name, type) of each header field entry in a source file."""
    entry = re.compile(rf'"({protocol}\.[\w.-]+)"\s*,\s*(FT_\w+)')
    files = sorted(PLUGIN_SOURCES.rglob("*.[ch]"))
    return [match for file in files for match in entry.findall(file.read_text(encoding="utf-8"))]


def test_the_fields_equal_the_list():
    sys.path.insert(0, str(PLUGIN_SOURCES / "tools"))
    import field_reference

    page = field_reference.page(tshark.run(["-G", "fields"]).stdout.splitlines())
    if tshark.updating_golden():
        tshark.rewrite_golden(LIST, page)
    assert page == LIST.read_text(encoding="utf-8")


@pytest.mark.parametrize("protocol", tshark.PROTOCOLS)
def test_names_are_lower_snake_case_below_their_protocol(protocol):
    good = re.compile(rf"{protocol}(\.[a-z][a-z0-9]*(_[a-z0-9]+)*)+")
    ours = [field for field in tshark.registered_fields() if field.parent == protocol]
    assert ours
    assert [field.filter for field in ours if not good.fullmatch(field.filter)] == []


@pytest.mark.parametrize("protocol", tshark.PROTOCOLS)
def test_expert_names_end_in_a_word_after_a_period(protocol):
    """CONTRIBUTING.md lists the words; "bool_odd" and "string_cut" are not among them."""
    joined = re.compile(r".*_(truncated|invalid|unknown|too_deep|too_long|unusual|odd|cut|wrong|limit|unable)")
    assert [field.filter for field in tshark.registered_fields()
            if field.parent == protocol and joined.fullmatch(field.filter)] == []


UNFINISHED = {"a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "that", "the", "to", "which", "with"}


@pytest.mark.parametrize("protocol", tshark.PROTOCOLS)
def test_each_field_with_a_type_is_described(protocol):
    """At least three words that are understandable without the field's name, and no description twice in a protocol."""
    described = {field.filter: field.blurb for field in tshark.registered_fields()
                 if field.parent == protocol and field.type != "FT_NONE"}
    assert described
    assert [(name, blurb) for name, blurb in described.items()
            if len(blurb.split()) < 3 or not blurb[0].isupper() or blurb.endswith(".")
            or blurb.split()[-1] in UNFINISHED] == []
    assert [blurb for blurb, count in Counter(described.values()).items() if count > 1] == []


def test_each_filter_name_has_one_type():
    types = Counter(name for name, _ in {(field.filter, field.type) for field in tshark.registered_fields()})
    assert [name for name, count in types.items() if count > 1] == []


@pytest.mark.parametrize("protocol", tshark.PROTOCOLS)
def test_no_filter_name_is_defined_twice_in_the_sources(protocol):
    assert [name for name, count in Counter(names_in_the_sources(protocol)).items() if count > 1] == []


@pytest.mark.parametrize("protocol", tshark.PROTOCOLS)
def test_defined_and_registered_fields_are_the_same(protocol):
    registered = {(field.filter, field.type) for field in tshark.registered_fields()}
    assert set(names_in_the_sources(protocol)) - registered == set()


def test_shown_names_have_no_blanks_or_colon_at_the_ends():
    wrong = [field for field in tshark.registered_fields() if field.name != field.name.strip().rstrip(":")]
    assert wrong == []


def test_no_mask_is_wider_than_its_field():
    def bits(field):
        return int(field.base) if field.type == "FT_BOOLEAN" else INTEGER_BITS[field.type]

    masked = [field for field in tshark.registered_fields() if field.mask]
    assert [field for field in masked if field.mask >> bits(field)] == []


# Fields that share bytes with others; all other numbers have separate bytes.
MASKS = {
    "enet.peer": 0x0FFF, "enet.session": 0x3000, "enet.compressed": 0x4000, "enet.sent_time.present": 0x8000, "enet.encrypted": 0x0010,
    "enet.command": 0x0F, "enet.flags.acknowledge": 0x80, "enet.flags.unsequenced": 0x40, "enet.flags.unused": 0x30,
    "godot.node_path.absolute": 1, "godot.node_path.has_property": 2,
    "godot_mp.exported.client_known": 1, "godot_mp.exported.from_client": 2, "godot_mp.exported.has_connect_data": 4,
    "godot_mp.exported.repeated": 8, "godot_mp.recorded.received": 1,
}


def test_masks_are_those_of_the_formats():
    assert {field.filter: field.mask for field in tshark.registered_fields() if field.mask} == MASKS


def test_flags_are_shown_among_the_bits_of_whole_bytes():
    """.... ...1 = Acknowledged packet: the number of digits is that of the bits in the bytes."""
    flags = [field for field in tshark.registered_fields() if field.type == "FT_BOOLEAN" and field.mask]
    assert flags and [field for field in flags if int(field.base) % 8] == []


def test_no_value_has_two_names():
    """Of duplicates in a value_string only the first is displayed."""
    values = Counter()
    for line in tshark.run(["-G", "values"]).stdout.splitlines():
        columns = line.split("\t")
        if columns[0] == "V" and columns[1].split(".")[0] in tshark.PROTOCOLS:
            values[columns[1], columns[2]] += 1
    assert [entry for entry, count in values.items() if count > 1] == []


def test_the_frames_of_a_request_and_its_response_have_one_name_in_all_protocols():
    """Wireshark's convention: response_in on the request, response_to on the response; names of numbers are
    different."""
    last = {field.filter: field.filter.rpartition(".")[2] for field in tshark.registered_fields()}
    named = {name for name, word in last.items() if word in ("response_in", "response_to")}
    assert named == {f"{of}.response_{way}" for of in ("enet.connect", "leviathan", "squirrel") for way in ("in", "to")}
    types = {field.filter: field.type for field in tshark.registered_fields()}
    assert {types[name] for name in named} == {"FT_FRAMENUM"}
    assert not {"request_in", "response_from", "answer_in", "answered_in"} & set(last.values())
    assert types["leviathan.response.to_number"] == "FT_UINT32"
