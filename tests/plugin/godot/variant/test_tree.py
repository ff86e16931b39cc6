# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The tree of a value: the bytes of each item, paths, and filters."""

import functools
import json
import re

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.samples import TABLES
from plugin.godot.variant.variants import WIDE, doubles, encode, floats, text, words

GAME = tshark.PCAPS / "godot" / "variant" / "godot-4.6.3.pcap"
STATE = 269  # the packet of GAME with all players; see its record

AS_GODOT = ["-d", f"udp.port=={tshark.SERVER_PORT},godot"]
ETHERNET_IP_UDP = tshark.HEADERS[4]

GENERATED = {"godot.generation", "godot.generation.reason", "godot.path"}


# ---- ranges -----------------------------------------------------------------------------------------


def row_of(item):
    """"name start size value" of an item, as in the samples."""
    if not item.name.startswith("godot."):
        return item.name
    value = tshark.BOOLEANS.get(item.value, item.value) if item.name in booleans() else item.value
    return f"{item.name.removeprefix('godot.')} {item.start - ETHERNET_IP_UDP} {item.size} {value}".rstrip()


@functools.lru_cache(maxsize=None)
def booleans():
    return {field.filter for field in tshark.registered_fields() if field.type == "FT_BOOLEAN"}


def rows(capture, generation, left_out, **prefs):
    """For each packet the rows of its items, without expert infos."""
    prefs = {"godot.generation": generation, "godot.packed_elements": 4, **prefs}
    packets = tshark.items(capture, "godot", *AS_GODOT, prefs=prefs)
    return [[row_of(item) for item in tshark.flattened(packet) if item.name not in left_out] for packet in packets]


@pytest.fixture(scope="module")
def rows_of_samples(tmp_path_factory):
    """The rows of all samples of a table, by the sample's name; a run of tshark for each table."""

    @functools.lru_cache(maxsize=None)
    def read(table):
        samples, generation, left_out, prefs = TABLES[table]
        capture = tmp_path_factory.mktemp("ranges") / "samples.pcap"
        tshark.write_pcap(capture, [tshark.request(payload) for payload, _ in samples.values()])
        return dict(zip(samples, rows(capture, generation, GENERATED | left_out, **prefs), strict=True))

    return read


@pytest.mark.parametrize("table, name", [(table, name) for table, row in TABLES.items() for name in row[0]])
def test_each_item_highlights_its_bytes(rows_of_samples, table, name):
    assert rows_of_samples(table)[name] == TABLES[table][0][name][1]


def test_the_layer_has_all_bytes_of_the_datagram(udp_capture):
    """The item includes the bytes after the value."""
    capture = udp_capture(tshark.request(encode("hello") + b"abc"))
    pdml = tshark.run(["-T", "pdml", *AS_GODOT], capture).stdout
    assert re.findall(r'<proto name="godot" .*?size="(\d+)" pos="(\d+)"', pdml) == [("19", str(ETHERNET_IP_UDP))]


# ---- paths ------------------------------------------------------------------------------------------

# The contents of the message in send.gd, in its order.
STATE_VALUES = [
    (".", None),
    ('["cmd"]', '"state"'), ('["tick"]', "1201"),
    ('["players"]', None), ('["players"][0]', None),
    ('["players"][0]["id"]', "7"), ('["players"][0]["name"]', '"Åsa"'),
    ('["players"][0]["pos"]', "Vector2(1.5, -2)"), ('["players"][0]["hp"]', "100"),
    ('["players"][0]["alive"]', "true"),
    ('["players"][1]', '{"id": 9, "name": "Bo", "pos": Vector2(-20.25, 7.1), "hp": 0, "alive": false}'),
    ('["players"][1]["id"]', "9"), ('["players"][1]["name"]', '"Bo"'),
    ('["players"][1]["pos"]', "Vector2(-20.25, 7.1)"), ('["players"][1]["hp"]', "0"),
    ('["players"][1]["alive"]', "false"),
]


def state(names, **options):
    return tshark.fields(GAME, names, "-Y", f"frame.number == {STATE}", **options)[0]


def test_every_value_has_a_path():
    shown = state(["godot.path", "godot.int", "godot.string", "godot.bool", "godot.vector2.x"])
    assert shown == {
        "godot.path": [path for path, _ in STATE_VALUES],
        "godot.int": ["1201", "7", "100", "9", "0"],
        "godot.string": ["state", "Åsa", "Bo"],
        "godot.bool": ["1", "0"],
        "godot.vector2.x": ["1.5", "-20.25"],
    }


def test_with_show_values_a_literal_goes_with_each_path():
    shown = state(["godot.path", "godot.value"], prefs={"godot.show_values": True})
    pairs = list(zip(shown["godot.path"], shown["godot.value"], strict=True))
    assert [pair for pair, (_, value) in zip(pairs, STATE_VALUES) if value] == [
        pair for pair in STATE_VALUES if pair[1]]
    assert [path for path, _ in pairs] == [path for path, _ in STATE_VALUES]


def test_without_show_values_the_field_is_there_only_if_referenced():
    assert "[Value: " not in tshark.verbose(GAME, "-2", "-Y", f"frame.number == {STATE}")
    assert len(state(["godot.value"])["godot.value"]) == len(STATE_VALUES)


def test_keys_in_a_path_are_literals_of_any_type(udp_capture):
    """A key that is a container is printed completely; values inside it have no path."""
    document = {None: 1, True: 2, -7: 3, 0.5: 4, 'say "hi"\n': 5, ("a", 1): 6}
    capture = udp_capture(tshark.request(encode({"k": document})))
    found = tshark.fields(capture, ["godot.path"], *AS_GODOT)
    steps = ["[null]", "[true]", "[-7]", "[0.5]", r'["say \"hi\"\n"]', '[["a", 1]]']
    assert found == [{"godot.path": [".", '["k"]'] + ['["k"]' + step for step in steps]}]


def test_values_after_a_container_as_key_are_read(udp_capture):
    """Printing a path reads the document's keys while the document is being read."""
    deep = words(27, 1) * 40 + words(0) * 41
    entry = encode([[1, [2]], 3])
    capture = udp_capture(tshark.request(words(27, 2) + deep + encode("deep") + entry + encode("short")))
    names = ["godot.string", "godot.path", "godot.int", "godot.undecoded", "godot.trailing"]
    found = tshark.fields(capture, names, *AS_GODOT)[0]
    assert found["godot.string"] == ["deep", "short"]
    assert [path for path in found["godot.path"] if path.startswith("[[")] == ["[[[1, [2]], 3]]"]
    assert found["godot.int"] == ["1", "2", "3"]
    assert found["godot.undecoded"] + found["godot.trailing"] == []


def test_a_property_is_a_step_of_a_path(udp_capture):
    timer = words(24) + text("Timer") + words(1) + text("wait") + encode([0.5])
    found = tshark.fields(udp_capture(tshark.request(words(28, 1) + timer)), ["godot.path"], *AS_GODOT)
    assert found == [{"godot.path": [".", "[0]", '[0]["wait"]', '[0]["wait"][0]']}]


SHORT_PATHS = [
    (".", None), ("cmd", '"state"'), ("tick", "1201"),
    ("players", None), ("players[0]", None), ("players[0].id", "7"), ("players[0].name", '"Åsa"'),
    ("players[0].pos", "Vector2(1.5, -2)"), ("players[0].pos.x", "1.5"), ("players[0].pos.y", "-2"),
    ("players[0].hp", "100"), ("players[0].alive", "true"),
    ("players[1]", None), ("players[1].id", "9"), ("players[1].name", '"Bo"'),
    ("players[1].pos", "Vector2(-20.25, 7.1)"), ("players[1].pos.x", "-20.25"), ("players[1].pos.y", "7.1"),
    ("players[1].hp", "0"), ("players[1].alive", "false"),
]


def test_short_paths_are_there_when_they_are_named():
    shown = state(["godot.short_path", "godot.path_with_value"])
    assert shown["godot.short_path"] == [path for path, _ in SHORT_PATHS]
    assert shown["godot.path_with_value"] == [f"{path}:{value}" for path, value in SHORT_PATHS if value]


def test_short_paths_are_there_only_if_referenced():
    assert "hort path" not in tshark.verbose(GAME, "-2", "-Y", f"frame.number == {STATE}")


def test_path_and_value_are_filtered_on_together():
    found = tshark.fields(GAME, ["frame.number"], "-2", "-Y", r'godot.path_with_value == "slots[2].item:\"rope\""')
    assert [row["frame.number"] for row in found] == [["272"]]
    assert not tshark.fields(GAME, ["frame.number"], "-2", "-Y", r'godot.path_with_value == "slots[1].item:\"rope\""')


def test_keys_that_no_script_could_write_after_a_point_stay_in_brackets(udp_capture):
    document = {"a b": {"c": 1}, 7: {"_x1": 2}, "1x": 3, "": 4, "Å": 5}
    found = tshark.fields(udp_capture(tshark.request(encode(document))), ["godot.short_path"], *AS_GODOT)
    assert found == [{"godot.short_path": [".", '["a b"]', '["a b"].c', "[7]", "[7]._x1", '["1x"]', '[""]', '["Å"]']}]


def test_paths_are_not_cut(udp_capture):
    """Each is printed up to 4096 bytes."""
    key = "k" * 900
    found = tshark.fields(udp_capture(tshark.request(encode({key: {key: {key: [1, 2]}}}))), ["godot.path"], *AS_GODOT)
    steps = f'["{key}"]' * 3
    assert found[0]["godot.path"][-2:] == [steps + "[0]", steps + "[1]"]


def test_values_are_not_cut(udp_capture):
    text_of_5000 = "".join(chr(97 + i % 26) for i in range(5000))
    found = tshark.fields(udp_capture(tshark.request(encode([text_of_5000]))), ["godot.value"], *AS_GODOT)
    assert found[0]["godot.value"] == [f'["{text_of_5000}"]', f'"{text_of_5000}"']


def test_paths_of_a_hostile_packet_take_a_bounded_amount_of_memory(udp_capture):
    """One key of 4,000 bytes, and 14,000 values below it: without the limit, the paths would have 56 MB."""
    payload = encode({"k" * 4000: [None] * 14000})
    found = tshark.fields(udp_capture(tshark.request(payload)), ["godot.path"], *AS_GODOT)
    paths = found[0]["godot.path"]
    assert len(paths) == 14002
    assert sum(map(len, paths)) < (1 << 20) + 32 * len(payload) + 256 * len(paths)


# ---- filters ----------------------------------------------------------------------------------------

# The packets of GAME, by the contents that send.gd sent.
FILTERS = [
    (r'godot.path == "[\"players\"][0][\"name\"]"', [269]),
    (r'godot.path contains "slots"', [272]),
    ('godot.string == "move"', [265]),
    ("godot.int == 41", [267, 268]),
    ("godot.int == -9223372036854775807", [21]),
    ("godot.float > 1e99 && godot.float < 1e101", [41]),
    ("godot.vector2.x > 12345 && godot.vector2.x < 12346", [103]),
    ("godot.vector2.x < -20", [269]),
    ("godot.vector2i.y == -32", [264]),
    ("godot.transform2d.origin.y == 34", [271]),
    ('godot.key == "gold"', [272]),
    ('godot.type == "Vector4i"', [144, 145, 146, 198]),
    ('godot.string_name == "jump"', [93, 183]),
    ('godot.node_path == "/root/Main/Player"', [156]),
    ('godot.node_path.subname == "texture"', [159]),
    ("godot.rid == 1", [163]),
    ('godot.object.class == "Shortcut"', [183]),
    ('godot.signal == "something_happened"', [171]),
    ('godot.array.element_type == "Vector3"', [202]),
    ('godot.dictionary.key_type == "StringName"', [217]),
    ("godot.packed_byte_array == 00:01", [230]),
    ("godot.packed_int64_array.element == 97", [240]),
    ('godot.packed_string_array.element == "日本"', [250]),
    ("godot.packed_color_array.a < 0.5", [259]),
    ("godot.color.b == 100", [134]),
    ("godot.count == 300", [238]),
    ("godot.packed.rest", [238]),
    ("godot.generation == 3", []),
    ("godot.trailing || godot.undecoded || godot.not_shown", []),
]


def assert_found(capture, filters, *args):
    """Each filter finds as many packets as it should, and these: two counts each, all with one start of tshark."""
    these = [f"({expression}) && ({' || '.join(f'frame.number == {number}' for number in frames or [0])})"
             for expression, frames in filters]
    counted = tshark.counts(capture, [*(expression for expression, _ in filters), *these], *args)
    found = dict(zip((expression for expression, _ in filters), zip(counted[:len(filters)], counted[len(filters):]), strict=True))
    assert found == {expression: (len(frames), len(frames)) for expression, frames in filters}


def test_each_filter_finds_its_packets():
    assert_found(GAME, FILTERS)


# ---- numbers ----------------------------------------------------------------------------------------

# 7.1 is another number in 32 and 64 bits, but in both cases the text written in the game.
WITH_7_1 = [
    words(3) + floats(7.1),
    words(3 | WIDE) + doubles(7.1),
    words(5) + floats(7.1, 0.1),
    words(5 | WIDE) + doubles(7.1, 0.1),
    words(32, 2) + floats(7.1, 16777215),
    words(33, 2) + doubles(7.1, 16777217),
    words(35, 1) + floats(7.1, 0.1),
]


FILTERS_OF_7_1 = [
    ("godot.float == 7.1", [1, 2]),
    ("godot.vector2.x == 7.1", [3, 4]),
    ("godot.vector2.y == 0.1", [3, 4]),
    ("godot.packed_float32_array.element == 7.1", [5]),
    ("godot.packed_float32_array.element == 16777215", [5]),
    ("godot.packed_float64_array.element == 7.1", [6]),
    ("godot.packed_vector2_array.x == 7.1", [7]),
    ("godot.float == 7.0999999046325684", []),
]


def test_a_number_is_found_as_it_is_shown(udp_capture):
    assert_found(udp_capture(*(tshark.request(payload, n / 10) for n, payload in enumerate(WITH_7_1))), FILTERS_OF_7_1, *AS_GODOT)


def test_a_number_is_extracted_as_it_is_shown(udp_capture):
    names = ["godot.float", "godot.vector2.x", "godot.packed_float32_array.element",
             "godot.packed_float64_array.element", "godot.packed_vector2_array.y"]
    found = tshark.fields(udp_capture(*map(tshark.request, WITH_7_1)), names, *AS_GODOT)
    values = [[value for name in names for value in row[name]] for row in found]
    assert values == [["7.1"], ["7.1"], ["7.1"], ["7.1"], ["7.1", "16777215"], ["7.1", "16777217"], ["0.1"]]
    labels = tshark.verbose(udp_capture(*map(tshark.request, WITH_7_1)), *AS_GODOT)
    assert labels.count("x: 7.1\n") == 3
    assert labels.count("y: 0.1\n") == 3
    assert "[1]: 16777215\n" in labels and "[1]: 16777217\n" in labels


# ---- all fields -------------------------------------------------------------------------------------

# In addition to these, all fields have values in the captures of the newest engine.
NOT_IN_THE_CAPTURE = re.compile(
    r"godot\.(image|input_event|node_path\.property|generation\.\w+_in|packed\.rest|shared|undecoded|trailing"
    r"|not_shown|value|json|short_path|path_with_value)\b")


def test_fields_that_are_hidden_by_default_are_found_by_name():
    """Each field has the same number of values if it is referenced alone as in the full tree."""
    names = [field.filter for field in tshark.registered_fields()
             if field.parent == "godot" and not NOT_IN_THE_CAPTURE.match(field.filter)
             and field.type != "FT_NONE"]
    shown = tshark.items(GAME, "godot", "-2", prefs={"godot.show_headers": True})
    extracted = tshark.fields(GAME, names, "-2")
    for name in names:
        in_tree = [[item.value for item in tshark.flattened(packet) if item.name == name] for packet in shown]
        assert sum(map(len, in_tree)), name
        assert [len(row[name]) for row in extracted] == [len(values) for values in in_tree], name


# ---- outputs ----------------------------------------------------------------------------------------

# One field for each step of adding a value: its type, its numbers, a part of its header, its key, its paths, its text.
IN_EVERY_OUTPUT = ["godot.string", "godot.vector2.x", "godot.length", "godot.key", "godot.path", "godot.short_path",
                   "godot.path_with_value"]


@pytest.mark.parametrize("name", IN_EVERY_OUTPUT)
def test_a_field_has_the_same_values_in_every_output(name):
    """Alone, in a visible tree, in a column, and in a filter, which has no visible tree."""
    values = state([name])[name]
    assert values
    visible = tshark.items(GAME, "godot", "-Y", f"frame.number == {STATE} && {name}")
    assert [item.value for packet in visible for item in tshark.flattened(packet) if item.name == name] == values
    column = ["-o", f'gui.column.format:"Values","%Cus:{name}"']
    assert tshark.run(["-Y", f"frame.number == {STATE}", *column], GAME).stdout.strip() == ",".join(values)
    is_number = name in ("godot.vector2.x", "godot.length")
    tests = [f"{name} == {value if is_number else json.dumps(value, ensure_ascii=False)}" for value in values]
    lines = tshark.run(["-Y", " && ".join([f"frame.number == {STATE}", *tests])], GAME).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [str(STATE)]


# ---- limits of the display --------------------------------------------------------------------------


@pytest.mark.parametrize("elements", [0, 1, 300, 4294967295])
def test_as_many_elements_are_shown_as_preferred(elements):
    """Packet 238 is a packed array of the numbers 0 to 299."""
    found = tshark.fields(GAME, ["godot.packed_int32_array.element", "godot.packed.rest"], "-2", "-Y",
                          "frame.number == 238", prefs={"godot.packed_elements": elements})[0]
    shown = min(elements, 300)
    rest = b"".join(number.to_bytes(4, "little") for number in range(shown, 300)).hex()
    assert found["godot.packed_int32_array.element"] == [str(number) for number in range(shown)]
    assert [value.replace(":", "") for value in found["godot.packed.rest"]] == ([rest] if rest else [])


def test_strings_of_a_packed_array_have_their_index_and_a_literal(udp_capture):
    strings = words(34, 2) + words(2) + b"a\0\0\0" + words(3) + b'b"\n\0'
    shown = tshark.verbose(udp_capture(tshark.request(strings)), *AS_GODOT, "-o", "godot.generation:4")
    assert {'[0]: "a"', r'[1]: "b\"\n"'} <= {line.strip() for line in shown.splitlines()}
