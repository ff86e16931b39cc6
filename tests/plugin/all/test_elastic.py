# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""plugin/tools/elastic.py: its output has the form that Elasticsearch 8 and OpenSearch 2 document for index
templates and bulk requests, and each value matches its type in the template. No cluster is needed."""

import datetime
import functools
import importlib.util
import ipaddress
import json
import math
import re
import struct

import pytest

import gamewire_tshark as tshark

# A few of each folder: captures of one folder differ in values, not in structure.
CAPTURES = [
    capture
    for folder in sorted({path.parent for path in tshark.PCAPS.rglob("*.pcap")})
    for capture in [*sorted(folder.glob("*.pcap"))[::4], *folder.glob("godot-4*-debugger.pcap")]
]
PROTOCOLS = ("frame", "ip", "udp", *tshark.PROTOCOLS)

# Index template API of both: the members of its body, and of `template` in it.
TEMPLATE_MEMBERS = {"index_patterns", "template", "priority", "version", "composed_of", "_meta", "data_stream"}
INNER_MEMBERS = {"settings", "mappings", "aliases"}
MAPPING_MEMBERS = {"dynamic", "date_detection", "numeric_detection", "dynamic_templates", "properties", "_source", "_meta"}
# Bulk API of both: the allowed members of an `index` action. _type is not allowed since version 8 and 2.
ACTION_MEMBERS = {"_index", "_id", "routing", "require_alias", "version", "version_type", "if_seq_no", "if_primary_term"}


def load():
    path = tshark.SOURCE / "plugin" / "tools" / "elastic.py"
    spec = importlib.util.spec_from_file_location("elastic", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


elastic = load()


@functools.lru_cache(maxsize=None)
def template():
    lines = tshark.run(["-G", "fields"]).stdout.splitlines()
    return json.loads(json.dumps(elastic.template(lines, PROTOCOLS)))


@functools.lru_cache(maxsize=None)
def types():
    """{layer: {key: type}}"""
    layers = template()["template"]["mappings"]["properties"]["layers"]["properties"]
    return {layer: keys["properties"] for layer, keys in layers.items()}


@functools.lru_cache(maxsize=None)
def lines_of_each():
    """{capture: lines}, from one output for all captures: two lines for each packet."""
    together, begins = tshark.together(tuple(CAPTURES))
    output = tshark.run(["-T", "ek", "-J", " ".join(PROTOCOLS)], together).stdout
    lines = [json.loads(line) for line in elastic.bulk(output.splitlines(), types())]
    assert len(lines) == 2 * begins[-1]
    return {capture: lines[2 * begin : 2 * end] for capture, begin, end in zip(CAPTURES, begins, begins[1:])}


# ---- the template ----------------------------------------------------------------------------------------


def test_the_template_has_the_published_shape():
    body = template()
    assert set(body) <= TEMPLATE_MEMBERS and {"index_patterns", "template"} <= set(body)
    assert set(body["template"]) <= INNER_MEMBERS
    mappings = body["template"]["mappings"]
    assert set(mappings) <= MAPPING_MEMBERS
    assert mappings.get("dynamic", True) is True
    assert body["index_patterns"] == ["packets-*"]


def test_every_type_is_one_of_both():
    both = {"short", "integer", "long", "unsigned_long", "float", "double", "boolean", "date", "ip", "keyword", "text"}
    assert {entry["type"] for keys in types().values() for entry in keys.values()} <= both


def key_of(field):
    return elastic.flattened(f"{field.parent}_{field.filter}")


def test_every_field_has_a_type():
    for field in tshark.registered_fields():
        assert key_of(field) in types()[elastic.flattened(field.parent)], field


def dynamic_type(key):
    """The type that the index gives a key of a layer that the template does not have."""
    for entry in template()["template"]["mappings"]["dynamic_templates"]:
        (rule,) = entry.values()
        if "match" not in rule or re.fullmatch(rule["match"], key):
            return rule["mapping"]["type"]
    return None


def test_a_field_has_its_type_in_each_layer():
    for layer, keys in types().items():
        for key, entry in keys.items():
            assert dynamic_type(key) == entry["type"], (layer, key)


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: f"{path.parent.stem}-{path.stem}")
def test_every_value_fits_its_type_in_other_layers(capture):
    """Such as a Variant's int in the layer of a call."""
    known = {key: entry["type"] for keys in types().values() for key, entry in keys.items()}
    for document in lines_of_each()[capture][1::2]:
        for layer, content in document["layers"].items():
            for each in content if isinstance(content, list) else [content]:
                for name in (each.keys() & known.keys()) - types().get(layer, {}).keys():
                    values = each[name] if isinstance(each[name], list) else [each[name]]
                    assert all(fits(known[name], value) for value in values), (layer, name, each[name])


def test_texts_can_be_searched():
    strings = [field for field in tshark.registered_fields() if field.type in ("FT_STRING", "FT_STRINGZ")]
    assert strings
    for field in strings:
        entry = types()[elastic.flattened(field.parent)][key_of(field)]
        assert entry["type"] == "text" and entry["fields"]["keyword"]["type"] == "keyword"


def test_a_protocol_without_fields_is_rejected():
    with pytest.raises(elastic.Wrong):
        elastic.template([], ["godot"])


# ---- the bulk lines --------------------------------------------------------------------------------------

BITS = {"short": 16, "integer": 32, "long": 64}


def is_date(value):
    try:
        datetime.datetime.fromisoformat(value[:19])
    except ValueError:
        return str(value).replace(".", "", 1).isdigit()
    return True


def is_address(value):
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def fits(kind, value):
    if value is None:
        return True
    if kind in BITS:
        limit = 1 << BITS[kind] - 1
        return type(value) is int and -limit <= value < limit
    if kind == "unsigned_long":
        return type(value) is int and 0 <= value < 1 << 64
    if kind in ("float", "double"):
        return type(value) is float and math.isfinite(value)
    checks = {"boolean": lambda: isinstance(value, bool), "date": lambda: is_date(value), "ip": lambda: is_address(value)}
    return checks.get(kind, lambda: isinstance(value, str))()


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: f"{path.parent.stem}-{path.stem}")
def test_every_value_fits_its_type(capture):
    for document in lines_of_each()[capture][1::2]:
        for layer, content in document["layers"].items():
            for each in content if isinstance(content, list) else [content]:
                for name in each.keys() & types().get(layer, {}).keys():
                    kind = types()[layer][name]["type"]
                    values = each[name] if isinstance(each[name], list) else [each[name]]
                    assert all(fits(kind, value) for value in values), (layer, name, kind, each[name])


@pytest.mark.parametrize("capture", CAPTURES[:1] + CAPTURES[-1:], ids=lambda path: path.stem)
def test_the_lines_are_those_of_a_bulk_request(capture):
    actions, documents = lines_of_each()[capture][0::2], lines_of_each()[capture][1::2]
    assert len(actions) == len(documents) > 0
    for action in actions:
        assert set(action) == {"index"} and set(action["index"]) <= ACTION_MEMBERS
        assert action["index"]["_index"].startswith("packets-")
    assert all(set(document) == {"timestamp", "layers"} for document in documents)


def test_values_of_a_key_that_was_there_twice_are_all_kept():
    line = '{"timestamp": "1", "layers": {"godot": {"godot_godot_int": "1", "godot_godot_int": ["2", "3"]}}}'
    document = json.loads(next(elastic.bulk([line], types())))
    assert document["layers"]["godot"]["godot_godot_int"] == [1, 2, 3]


def test_only_values_that_are_not_numbers_are_omitted(udp_capture):
    """An infinite and a finite float of Godot, and tshark's own hexadecimal numbers."""
    payload = struct.pack("<IIIfIf", 28, 2, 3, math.inf, 3, 1.5)
    output = tshark.run(["-T", "ek", "-d", f"udp.port=={tshark.SERVER_PORT},godot", "-o", "godot.generation:4"],
                        udp_capture(tshark.request(payload))).stdout
    layers = json.loads(list(elastic.bulk(output.splitlines(), types()))[1])["layers"]
    assert layers["godot"]["godot_godot_float"] == [1.5]
    assert layers["ip"]["ip_ip_id"] == 0


def test_the_layers_of_all_our_protocols_are_in_the_template():
    seen = {layer for capture in CAPTURES for document in lines_of_each()[capture][1::2] for layer in document["layers"]}
    ours = {elastic.flattened(protocol) for protocol in tshark.PROTOCOLS}
    assert ours <= seen
    assert ours <= set(types())
