#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns tshark's list of fields and its newline-delimited JSON into what Elasticsearch 8 and OpenSearch 2.8 take.

    tshark -G fields | elastic.py template PROTOCOL... >template.json      for PUT _index_template/packets
    tshark -r CAPTURE -T ek | elastic.py bulk template.json >packets.ndjson    for POST _bulk

`tshark -T ek` itself is refused or loses values in today's clusters: its bulk lines name a mapping type, a field that is on
two levels of a tree is a key written twice, hexadecimal numbers and times between packets do not fit the types that
`tshark -G elastic-mapping` gives them, texts have no type, and infinite numbers are no JSON.

The template gives each field of the named protocols the type of its values. The bulk lines hold those values: numbers as
numbers, several values of a field as a list, nothing in the place of a number that is not finite.
"""

import argparse
import json
import math
import os
import re
import sys

INDEX_PATTERN = "packets-*"  # tshark names its indices packets-<day>

TEXT = {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 8191}}}
KEYWORD = {"type": "keyword", "ignore_above": 8191}

# The smallest type of an index that holds all values of a field's type; later ones hold those before them.
WHOLE = ("short", "integer", "long", "unsigned_long")
REAL = ("float", "double")
TYPES = {
    "FT_BOOLEAN": "boolean",
    "FT_UINT8": "short", "FT_INT8": "short", "FT_INT16": "short",
    "FT_UINT16": "integer", "FT_INT24": "integer", "FT_UINT24": "integer", "FT_INT32": "integer",
    "FT_UINT32": "long", "FT_FRAMENUM": "long", "FT_INT40": "long", "FT_UINT40": "long", "FT_INT48": "long",
    "FT_UINT48": "long", "FT_INT56": "long", "FT_UINT56": "long", "FT_INT64": "long",
    "FT_UINT64": "unsigned_long",
    "FT_FLOAT": "float", "FT_DOUBLE": "double", "FT_RELATIVE_TIME": "double",
    "FT_ABSOLUTE_TIME": "date",
    "FT_IPv4": "ip", "FT_IPv6": "ip",
}
TEXTS = ("FT_STRING", "FT_STRINGZ", "FT_STRINGZPAD", "FT_STRINGZTRUNC", "FT_UINT_STRING")


class Wrong(Exception):
    """Input that is not what tshark prints."""


# ---- the template ----------------------------------------------------------------------------------------


def type_of(kind):
    if kind in TEXTS:
        return TEXT
    return {"type": TYPES[kind]} if kind in TYPES else KEYWORD


def common_type(one, other):
    """The type that holds the values of both; two fields may share a name."""
    names = one["type"], other["type"]
    if names[0] == names[1]:
        return one
    if all(name in WHOLE for name in names):
        return {"type": max(names, key=WHOLE.index)}
    if all(name in WHOLE + REAL for name in names):
        return {"type": "double"}
    return TEXT


def flattened(name):
    """What -T ek calls it: in an index a point would be a level."""
    return name.replace(".", "_")


def properties(lines, protocols):
    """{layer: {key of -T ek: type}} of the fields that `tshark -G fields` lists."""
    found = {flattened(protocol): {} for protocol in protocols}
    for line in lines:
        columns = line.rstrip("\n").split("\t")
        if columns[0] == "F" and len(columns) > 4 and columns[4] in protocols:
            _, _, name, kind, protocol = columns[:5]
            layer = flattened(protocol)
            keys = found[layer]
            key = f"{layer}_{flattened(name)}"
            keys[key] = common_type(keys.get(key, type_of(kind)), type_of(kind))
    return found


def in_other_layers(layers):
    """Dynamic templates for the same keys in other layers: a Variant's fields are in the layer of the message that has it. One
    for each type but texts, which are those of all other keys."""
    names = {}
    for layer in layers.values():
        for key, entry in layer["properties"].items():
            names.setdefault(json.dumps(entry), []).append(key)
    return [{entry["type"]: {"match_pattern": "regex", "match": f"^({'|'.join(map(re.escape, keys))})$", "mapping": entry}}
            for entry, keys in ((json.loads(text), keys) for text, keys in names.items()) if entry != TEXT]


def template(lines, protocols):
    layers = {name: {"properties": keys} for name, keys in properties(lines, protocols).items()}
    unknown = [name for name, layer in layers.items() if not layer["properties"]]
    if unknown:
        raise Wrong(f"no fields of {', '.join(unknown)}: is the plugin loaded?")
    mappings = {
        "date_detection": False,
        # What is not listed: fields of other protocols.
        "dynamic_templates": [*in_other_layers(layers), {"texts": {"match_mapping_type": "string", "mapping": TEXT}}],
        "properties": {"timestamp": {"type": "date"}, "layers": {"properties": layers}},
    }
    fields = sum(len(layer["properties"]) for layer in layers.values())
    settings = {"index.mapping.total_fields.limit": 2 * fields + 2000, "index.mapping.ignore_malformed": True}
    return {"index_patterns": [INDEX_PATTERN], "template": {"settings": settings, "mappings": mappings}}


# ---- the bulk lines --------------------------------------------------------------------------------------


def merged(pairs):
    """An object in which a key that was there twice holds the values of both, in order."""
    found = {}
    for name, value in pairs:
        if name in found:
            before = found[name] if isinstance(found[name], list) else [found[name]]
            found[name] = before + (value if isinstance(value, list) else [value])
        else:
            found[name] = value
    return found


def whole(text):
    return int(text, 16) if text.lower().startswith("0x") else int(text)


def converted(kind, value):
    """A value of tshark's, a text as a rule, as the index takes it; None for what no index takes."""
    if isinstance(value, list):
        values = [converted(kind, each) for each in value]
        return [each for each in values if each is not None]
    try:
        if kind in WHOLE:
            return whole(value)
        if kind in REAL:
            return float(value) if math.isfinite(float(value)) else None
    except (TypeError, ValueError):
        return None
    if kind == "boolean" and isinstance(value, str):
        return value.lower() in ("1", "true")
    return value


def document(packet, types):
    """`types`: of the keys, in all layers. Each begins with the name of its protocol."""
    for values in packet.get("layers", {}).values():
        for each in values if isinstance(values, list) else [values]:
            if isinstance(each, dict):
                for name in each.keys() & types.keys():
                    each[name] = converted(types[name]["type"], each[name])
    return packet


def entry_of(line):
    """Of a line with the name of an index or a packet. ValueError if it is neither."""
    entry = json.loads(line, object_pairs_hook=merged)
    if not isinstance(entry, dict) or not isinstance(entry.get("index" if set(entry) == {"index"} else "layers"), dict):
        raise ValueError
    return entry


def bulk(lines, layers):
    """`layers`: {layer: {key: type}}"""
    types = {key: entry for keys in layers.values() for key, entry in keys.items()}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = entry_of(line)
            if set(entry) == {"index"}:
                entry["index"].pop("_type", None)
            else:
                entry = document(entry, types)
            text = json.dumps(entry, ensure_ascii=False, allow_nan=False)
        except (ValueError, RecursionError):
            raise Wrong(f"line {number} is cut, or is not of tshark -T ek: {line.strip()[:60]}") from None
        yield text


def types_of(file):
    """{layer: {key: type}} of a template that this program printed."""
    try:
        layers = json.load(file)["template"]["mappings"]["properties"]["layers"]["properties"]
        return {layer: keys["properties"] for layer, keys in layers.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Wrong(f"{file.name} is not a template that elastic.py has printed") from None


def convert(options):
    # An escape of JSON in place of what UTF-8 does not have.
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if options.command == "template":
        print(json.dumps(template(sys.stdin, options.protocols), indent=1))
        return
    for line in bulk(sys.stdin, types_of(options.template)):
        print(line)
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("template").add_argument("protocols", nargs="+")
    commands.add_parser("bulk").add_argument("template", type=argparse.FileType(encoding="utf-8"))
    options = parser.parse_args()
    try:
        convert(options)
    except BrokenPipeError:
        # The reader has what it needs, as head does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Wrong as error:
        print(f"elastic.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
