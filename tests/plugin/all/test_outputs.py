# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The export formats: every export of every capture can be read, has the same values as the others, and matches the
types that tshark announces to Elasticsearch and OpenSearch."""

import calendar
import collections
import datetime
import functools
import json
import math
import re
import subprocess
import xml.parsers.expat

import pytest

import gamewire_tshark as tshark

# Without its key, dtls.pcap has no packets of these protocols.
CAPTURES = sorted(path for path in tshark.PCAPS.rglob("*.pcap*") if path.name != "dtls.pcap")
FOLDERS = ("enet", "godot/multiplayer", "others")  # the two largest ones; tshark starts four times for each


# The same scripts with each of four compressions, by three engines: their messages are in the captures without compression, their
# compressed commands in those of one engine.
COMPRESSED = re.compile(r"godot-(3\.2\.3|3\.6)-calls-(fastlz|range-coder|zlib|zstd)")


@functools.lru_cache(maxsize=None)
def captures_of(folder):
    if folder != "others":
        paths = [path for path in CAPTURES if path.parent == tshark.PCAPS / folder and not COMPRESSED.fullmatch(path.stem)]
        return tshark.merge_captures(paths, tshark.scratch() / f"{folder.replace('/', '-')}-once.pcapng")
    return tshark.together(tuple(path for path in CAPTURES if path.parent not in [tshark.PCAPS / each for each in FOLDERS]))[0]


# Fields without a value to compare.
WITHOUT_VALUE = ("FT_NONE", "FT_PROTOCOL")
TEXTS = ("FT_STRING", "FT_STRINGZ", "FT_UINT_STRING")
BYTES = ("FT_BYTES", "FT_UINT_BYTES")
TIMES = ("FT_ABSOLUTE_TIME",)

# Fields that are not in a tree by default but are in -T fields; these are in no other output.
EVERYTHING = {"godot.show_headers": True, "godot.show_values": True, "squirrel.show_headers": True}
ONLY_BY_NAME = {"godot.short_path", "godot.path_with_value"}


@functools.lru_cache(maxsize=None)
def types():
    """The type of each field that has values."""
    return {
        field.filter: field.type for field in tshark.registered_fields()
        if field.type not in WITHOUT_VALUE and field.filter not in ONLY_BY_NAME and not field.filter.endswith(".json")
    }


@functools.lru_cache(maxsize=None)
def comparable(name, value):
    """A value in a form that all outputs have."""
    kind = types()[name]
    if kind == "FT_BOOLEAN":
        return tshark.BOOLEANS.get(str(value), str(value))
    if kind in BYTES:
        return value.replace(":", "")  # -T fields has none
    if kind in TEXTS:
        return without_control_characters(value)
    if kind in TIMES:
        return nanoseconds(value)
    return value


def nanoseconds(time):
    """Since 1970. -T ek has "2026-11-25T11:39:47.000000000Z", and so have all others since 4.4 or 4.6; in 4.0 these have
    "Nov 25, 2026 11:39:47.000000000 UTC"."""
    seconds, nanoseconds = re.fullmatch(r"(.*)\.(\d{9})(?:Z| UTC)", time).groups()
    format_ = "%Y-%m-%dT%H:%M:%S" if "T" in seconds else "%b %d, %Y %H:%M:%S"
    return calendar.timegm(datetime.datetime.strptime(re.sub(" +", " ", seconds), format_).timetuple()) * 10**9 + int(nanoseconds)


def without_control_characters(text):
    """JSON has all characters; for a line break -T fields has \
     and PDML a blank, both \\x1b for others."""
    text = re.sub(r"\\[abfnrtv]|\\x[0-9a-f]{1,2}|\\[0-7]{3}", " ", text)
    return re.sub(r"[\0-\x1f\x7f]", " ", text)


def count(pairs):
    """The number of occurrences of each value of each field."""
    known = types()
    return collections.Counter([(name, comparable(name, value)) for name, value in pairs if name in known])


# ---- the four outputs, each as a list with a Counter for each packet ---------------------------------


def leaves(tree):
    """Names and values of tshark's JSON, from all levels, in no order."""
    branches, found = [tree], []
    for branch in branches:
        for name, values in branch.items():
            for value in values if isinstance(values, list) else [values]:
                if isinstance(value, dict):
                    branches.append(value)
                else:
                    found.append((name, value))
    return found


def from_json(folder):
    packets = json.loads(tshark.run(["-T", "json", "--no-duplicate-keys", *tshark.only_ours("icmp", "icmpv6")], captures_of(folder), EVERYTHING).stdout)
    return [count(leaves(packet["_source"]["layers"])) for packet in packets]


def from_pdml(folder):
    """With expat alone: nothing needs a tree of all these elements."""
    packets, known = [], types()

    def begin(element, attributes):
        if element == "packet":
            packets.append([])
        elif element == "field" and attributes.get("name") in known:
            packets[-1].append((attributes["name"], attributes.get("show", "")))

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = begin
    parser.Parse(tshark.run(["-T", "pdml", *tshark.only_ours("icmp", "icmpv6")], captures_of(folder), EVERYTHING).stdout, True)
    return [count(pairs) for pairs in packets]


def with_all_values(pairs):
    """An object of -T ek, in which tshark repeats a name if its item exists on two levels."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    found = {}
    for name, value in pairs:
        values = value if isinstance(value, list) else [value]
        found[name] = found.get(name, []) + values
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


@functools.lru_cache(maxsize=None)
def ek_lines(folder):
    """The packets of -T ek, without the lines with the index between them."""
    output = tshark.run(["-T", "ek", *tshark.only_ours("icmp", "icmpv6")], captures_of(folder), EVERYTHING).stdout
    lines = [json.loads(line, object_pairs_hook=with_all_values) for line in output.splitlines()]
    assert all(set(line) == {"index"} for line in lines[0::2])
    assert all(set(line) == {"timestamp", "layers"} for line in lines[1::2])
    return lines[1::2]


def flattened(protocol, name):
    """The name of a field in -T ek: godot.vector2.x -> godot_godot_vector2_x"""
    return f"{protocol}_{name}".replace(".", "_")


@functools.lru_cache(maxsize=None)
def flattened_names():
    return {flattened(field.parent, field.filter): field.filter for field in tshark.registered_fields()}


def from_ek(folder):
    def pairs(layers):
        return [(flattened_names().get(name, ""), value) for name, value in leaves(layers)]

    return [count(pairs(line["layers"])) for line in ek_lines(folder)]


BETWEEN_VALUES = "\x1e"


def plain(value):
    """The value of a cell of -T fields: since 4.4 a backslash is written as two."""
    return value.replace("\\\\", "\\") if tshark.wireshark_version() >= (4, 4) else value


def from_fields(folder):
    names = sorted(types())
    selected = [part for name in names for part in ("-e", name)]
    format_ = ["-E", "separator=/t", "-E", f"aggregator={BETWEEN_VALUES}", "-E", "occurrence=a"]
    lines = tshark.run(["-T", "fields", *format_, *selected, *tshark.naming(names, [])], captures_of(folder)).stdout.split("\n")[:-1]

    def pairs(line):
        # No bytes are "<MISSING>" here.
        return [(name, plain(value)) for name, cell in zip(names, line.split("\t"), strict=True) if cell
                for value in cell.replace("<MISSING>", "").split(BETWEEN_VALUES)]

    return [count(pairs(line)) for line in lines]


def without_empty(counter):
    """-T fields does not distinguish an empty value from a missing one."""
    return collections.Counter({pair: times for pair, times in counter.items() if pair[1]})


@functools.lru_cache(maxsize=None)
def reference(folder):
    return from_json(folder)


@pytest.mark.parametrize("read", [from_pdml, from_ek], ids=["pdml", "ek"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_has_the_same_content_as_json(folder, read):
    for number, (expected, actual) in enumerate(zip(reference(folder), read(folder), strict=True), 1):
        assert actual == expected, f"packet {number}: {difference(expected, actual)}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_fields_have_the_same_values_as_json(folder):
    for number, (expected, actual) in enumerate(
        zip(reference(folder), from_fields(folder), strict=True), 1
    ):
        if actual != expected:
            expected, actual = without_empty(expected), without_empty(actual)
        assert actual == expected, f"packet {number}: {difference(expected, actual)}"


def difference(expected, actual):
    return {
        "only in json": list((expected - actual).items())[:5],
        "only here": list((actual - expected).items())[:5],
    }


@pytest.mark.parametrize("folder", FOLDERS)
def test_there_is_something_to_compare(folder):
    assert any(reference(folder))


# ---- Elasticsearch and OpenSearch --------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def mapping():
    """The type of each field in the index, by its name in -T ek. Texts are not indexed."""
    report = ["-G", "elastic-mapping", "--elastic-mapping-filter", ",".join(tshark.PROTOCOLS)]
    mappings = json.loads(tshark.run(report).stdout)["mappings"]
    layers = mappings.get("properties", mappings.get("doc", {}).get("properties"))["layers"]["properties"]
    return {
        name: entry["type"]
        for protocol in tshark.PROTOCOLS
        for name, entry in layers[protocol]["properties"].items()
    }


WHOLE_NUMBERS = {"short": 16, "integer": 32, "long": 64}


def fits(kind, value):
    """True if an index accepts a value in a field of that type."""
    if kind in WHOLE_NUMBERS:
        limit = 1 << WHOLE_NUMBERS[kind] - 1
        return re.fullmatch(r"-?\d+", value) is not None and -limit <= int(value) < limit
    if kind == "float":
        return math.isfinite(float(value))
    if kind == "boolean":
        return isinstance(value, bool)
    return isinstance(value, str)


def announced_wrongly(name, value):
    """Types that tshark announces although they do not match, for any protocol: bytes as numbers of one byte, times
    between packets as dates, unsigned 64-bit numbers as signed ones, and floats that are not finite. With the
    setting index.mapping.ignore_malformed a cluster accepts such packets, without that value."""
    kind = types().get(flattened_names()[name])
    return (
        kind in (*BYTES, "FT_RELATIVE_TIME")
        or (kind == "FT_UINT64" and int(value) >= 1 << 63)
        or (kind in ("FT_FLOAT", "FT_DOUBLE") and not math.isfinite(float(value)))
    )


def test_every_field_but_texts_has_a_type_in_the_index():
    """Since 4.6 bytes have no type either, as texts."""
    untyped = (*TEXTS, *BYTES) if tshark.wireshark_version() >= (4, 6) else TEXTS
    missing = {name for name, kind in types().items() if kind not in untyped}
    missing -= {flattened_names()[name] for name in mapping() if name in flattened_names()}
    assert not missing


@pytest.mark.parametrize("folder", FOLDERS)
def test_ek_agrees_with_the_mapping(folder):
    for line in ek_lines(folder):
        for name, value in leaves(line["layers"]):
            if name in mapping() and types().get(flattened_names().get(name)):
                assert fits(mapping()[name], value) or announced_wrongly(name, value), (
                    name,
                    mapping()[name],
                    value,
                )


def test_flattened_names_are_unique():
    names = [flattened(field.parent, field.filter) for field in tshark.registered_fields()]
    filters = {field.filter for field in tshark.registered_fields()}
    assert len(set(names)) == len(filters)


# ---- sharkd ---------------------------------------------------------------------------------------------


def ask_sharkd(*requests):
    """sharkd's responses to JSON-RPC requests, one for each."""
    lines = "".join(
        json.dumps({"jsonrpc": "2.0", "id": n, **each}) + "\n" for n, each in enumerate(requests, 1)
    )
    done = subprocess.run(
        tshark.unprivileged() + ["sharkd", "-"],
        input=lines.encode(),
        env=tshark.environment(),
        cwd=tshark.scratch(),
        capture_output=True,
        timeout=tshark.TIMEOUT,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert done.returncode == 0, done.stderr.decode()
    return [answer["result"] for answer in answers]


def labels(nodes):
    for node in nodes:
        yield node.get("l", "")
        yield from labels(node.get("n", []))


@pytest.mark.parametrize("protocol", tshark.PROTOCOLS)
def test_sharkd_answers(protocol):
    folder = tshark.FOLDERS[protocol]
    capture = next(path for path in CAPTURES if path.parent == tshark.PCAPS / folder and "malformed" not in path.name)
    packets = tshark.fields(capture, ["frame.number", "_ws.col.Info"], "-Y", protocol, "-2")
    loaded, frames, tree = ask_sharkd(
        {"method": "load", "params": {"file": str(tshark.readable(capture))}},
        {"method": "frames", "params": {"filter": protocol}},
        {"method": "frame", "params": {"frame": int(packets[0]["frame.number"][0]), "proto": True}},
    )
    assert loaded["status"] == "OK"
    assert [frame["c"][-1] for frame in frames] == [packet["_ws.col.Info"][0] for packet in packets]
    assert any(label.startswith(tshark.protocol_titles()[protocol]) for label in labels(tree["tree"]))
