# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets of real engines: all are recognized, decoded in their generation, and printed as by the engine.

pcaps/godot/variant/records has the engine's text of each packet (pcaps/README.md).
"""

import functools
import json
import re

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.godot.variant.variants import engine_text, same_beginning, same_text

ENGINES = {"3.2.3": 3, "3.6": 3, "4.6.3": 4}
PARTS = ("", "-game", "-vector3-only", "-late-proof", "-same-bytes")
CAPTURES = [(engine, part) for engine in ENGINES for part in PARTS]

every_capture = pytest.mark.parametrize("engine, part", CAPTURES, ids=[f"{e}{p}" for e, p in CAPTURES])
every_engine = pytest.mark.parametrize("engine", ENGINES)

NAMES = ["frame.number", "udp.srcport", "udp.payload", "godot.generation", "godot.generation.ambiguous",
         "godot.generation.decided_in", "_ws.col.Info"]
DECIDED_IN = "godot.generation.decided_in"


def path_of(engine, part=""):
    return tshark.PCAPS / "godot" / "variant" / f"godot-{engine}{part}.pcap"


@functools.lru_cache(maxsize=None)
def records(engine, part=""):
    return gamewire_records.read("godot/variant", path_of(engine, part).stem)


# With one start of tshark for all captures.
PATHS = tuple(path_of(*capture) for capture in CAPTURES)


@functools.lru_cache(maxsize=None)
def fields_of_each(*args):
    return tshark.fields_of_each(PATHS, NAMES, *args)


def first_pass(engine, part=""):
    return fields_of_each()[path_of(engine, part)]


def second_pass(engine, part=""):
    return fields_of_each("-2")[path_of(engine, part)]


@functools.lru_cache(maxsize=None)
def layers_of_each(*args):
    """{capture: the layers of each packet}"""
    merged, begins = tshark.together(PATHS)
    packets = tshark.json_packets(merged, *args)
    for number, begin in enumerate(begins[:-1]):
        for packet in packets[begin : begins[number + 1]]:
            reasons = packet.get("godot", {}).get("godot.generation_tree", {})
            if DECIDED_IN in reasons:
                reasons[DECIDED_IN] = str(int(reasons[DECIDED_IN]) - begin)
    return {path: packets[begin:end] for path, begin, end in zip(PATHS, begins, begins[1:])}


def generations(packets):
    return [packet["godot.generation"] for packet in packets]


def test_all_captures_are_tested():
    assert {path_of(*capture) for capture in CAPTURES} == set((tshark.PCAPS / "godot" / "variant").glob("*.pcap"))


# ---- recognition and generation ------------------------------------------------------------------------


@every_capture
def test_on_the_second_pass_all_conversations_are_read_from_their_start(engine, part):
    packets = second_pass(engine, part)
    assert len(packets) == len(records(engine, part))
    assert generations(packets) == [[str(ENGINES[engine])]] * len(packets)
    assert [packet["godot.generation.ambiguous"] for packet in packets] == [[]] * len(packets)


# Which packet of each conversation is the first to be recognized, by source port. Before it there was too little proof:
PROVEN_BY = {
    "40301": 72,  # numbers, infinities among them, and short texts: one value of each type, the first dictionary 72nd
    "40302": 1,   # a dictionary
    "40303": 7,   # Vector3, 8 bits each, a zero among their numbers 2 less: 54
    "40304": 5,   # four ints, which are no evidence, and a dictionary
    "40305": 4,   # six floats, four floats, a text of one letter, and a dictionary
}
# After the first two conversations with the same server's port, the first packet with any evidence.
PROVEN_BY_THE_PORT = PROVEN_BY | {"40303": 1, "40305": 1}


@every_capture
def test_a_conversation_is_recognized_as_soon_as_there_is_proof(engine, part):
    ordinals = {}
    proven = PROVEN_BY if part else PROVEN_BY_THE_PORT
    for packet in first_pass(engine, part):
        port = packet["udp.srcport"][0]
        ordinals[port] = ordinals.get(port, 0) + 1
        assert bool(packet["godot.generation"]) == (ordinals[port] >= proven[port]), (port, ordinals[port])


# The packet that determines the generation of its conversation: its structure is readable in only one generation.
DECIDED_BY = {
    # A NodePath with a name; 4.x would read a Quaternion, of another size.
    3: {"40301": 127, "40302": 1, "40303": None, "40304": 5, "40305": 4},
    # &"ab"; &"a" before it has the bytes of a PoolIntArray of one.
    4: {"40301": 91, "40302": 1, "40303": None, "40304": 5, "40305": 4},
}


@every_capture
def test_one_packet_determines_the_generation_of_a_conversation(engine, part):
    rows = second_pass(engine, part)
    frames = {}
    for row in rows:
        frames.setdefault(row["udp.srcport"][0], []).append(row["frame.number"][0])
    for row in rows:
        port = row["udp.srcport"][0]
        ordinal = DECIDED_BY[ENGINES[engine]][port]
        deciding = None if ordinal is None else frames[port][ordinal - 1]
        assert row[DECIDED_IN] == ([] if deciding in (None, row["frame.number"][0]) else [deciding])


# Fields that depend on the generation only: names, and why it was chosen.
NAMED_BY_GENERATION = re.compile(r"godot\.(generation.*|type|key|path)|_ws\..*")


def leaves(layer):
    """The values of all fields except those of the generation, in the order of the tree."""
    if isinstance(layer, dict):
        return [leaf for name, value in layer.items() if not NAMED_BY_GENERATION.fullmatch(name)
                for leaf in ([(name, value)] if isinstance(value, str) else leaves(value))]
    return [leaf for value in layer for leaf in (leaves(value) if isinstance(value, (dict, list)) else [value])]


@every_capture
def test_another_generation_on_the_first_pass_has_the_same_value_or_is_marked(engine, part):
    """Before the packet that determines the generation, a packet is decoded in the newest generation that fits."""
    before, after = (layers_of_each(*passes)[path_of(engine, part)] for passes in ((), ("-2",)))
    different = []
    for number, packet in enumerate(first_pass(engine, part), 1):
        if packet["godot.generation"] in ([], [str(ENGINES[engine])]) or packet["godot.generation.ambiguous"]:
            continue
        if leaves(before[number - 1]["godot"]) != leaves(after[number - 1]["godot"]):
            different.append(number)
    assert different == []


@every_engine
def test_ambiguous_packets_are_marked_on_the_first_pass(engine):
    """With the port given, so that the first pass shows packets before there is sufficient evidence."""
    port = ("-d", "udp.port==40300,godot")
    first, second = (fields_of_each(*port, *passes)[path_of(engine, "-same-bytes")] for passes in ((), ("-2",)))
    marked = [len(packet["godot.generation.ambiguous"]) for packet in first]
    assert marked == [1, 1, 1, 0, 0, 0, 0]
    assert [packet["godot.generation.ambiguous"] for packet in second] == [[]] * 7
    as_newest = ["Transform2D(1, 2, 3, 4, 5, 6)", "Plane(0.25, 0.5, 0.75, 1)", 'StringName &"a"']
    as_sent = {3: ["AABB( 1, 2, 3, 4, 5, 6 )", "Color( 0.25, 0.5, 0.75, 1 )", "PoolIntArray( 97 )"], 4: as_newest}
    assert [packet["_ws.col.Info"][0] for packet in first[:3]] == as_newest
    assert [packet["_ws.col.Info"][0] for packet in second[:3]] == as_sent[ENGINES[engine]]
    assert [packet["_ws.col.Info"][0] for packet in first[4:]] == as_sent[ENGINES[engine]]


# ---- texts ------------------------------------------------------------------------------------------

# var_to_str sorts the keys of a dictionary. On the wire they are in the order of send.gd. By number in the capture
# "everything"; the game's messages and the late proof have separate captures too.
AS_SENT = {
    "3": {
        157: '{"b": 2, "a": 1}',
        194: '{"cmd": "join", "name": "Åsa", "version": 3, "color": Color( 0.25, 0.5, 0.75, 1 )}',
        200: '{"cmd": "state", "tick": 1201, "players": [ {"id": 7, "name": "Åsa", "pos": Vector2( 1.5, -2 ), '
             '"hp": 100, "alive": true}, {"id": 9, "name": "Bo", "pos": Vector2( -20.25, 7.1 ), "hp": 0, '
             '"alive": false} ]}',
        201: '{"cmd": "input", "tick": 1202, "keys": PoolByteArray( 1, 0, 0, 1, 1 ), "aim": 0.7853981633974483}',
        202: '{"cmd": "spawn", "scene": "arrow", "parent": NodePath("/root/Keep/Arrows"), '
             '"at": Transform2D( 0.87758255, 0.47942555, -0.47942555, 0.87758255, 12, 34 ), "owner": 7}',
        203: '{"cmd": "inventory", "slots": [ null, {"item": "sword", "wear": 0.25}, {"item": "rope", "count": 12} ], '
             '"gold": 4294967296}',
        219: '{"score": 5, "of": "Åsa"}',
    },
    "4": {
        188: '{"b": 2, "a": 1}',
        190: '{null: "nil", true: "bool", 1: "int", 4294967296: "long int", 0.1: "float", "text": "String", '
             '&"name": "StringName", Vector2(1, 2): "Vector2", Vector3i(1, 2, 3): "Vector3i", '
             'Color(1, 0, 0, 1): "Color", NodePath("a:b"): "NodePath", [1, 2]: "Array"}',
        263: '{"cmd": "join", "name": "Åsa", "version": 3, "color": Color(0.25, 0.5, 0.75, 1)}',
        269: '{"cmd": "state", "tick": 1201, "players": [{"id": 7, "name": "Åsa", "pos": Vector2(1.5, -2), "hp": 100, '
             '"alive": true}, {"id": 9, "name": "Bo", "pos": Vector2(-20.25, 7.1), "hp": 0, "alive": false}]}',
        270: '{"cmd": "input", "tick": 1202, "keys": PackedByteArray(1, 0, 0, 1, 1), "aim": 0.7853981633974483}',
        271: '{"cmd": "spawn", "scene": &"arrow", "parent": NodePath("/root/Keep/Arrows"), '
             '"at": Transform2D(0.87758255, 0.47942555, -0.47942555, 0.87758255, 12, 34), "owner": 7}',
        272: '{"cmd": "inventory", "slots": [null, {"item": "sword", "wear": 0.25}, {"item": "rope", "count": 12}], '
             '"gold": 4294967296}',
        288: '{"score": 5, "of": "Åsa"}',
    },
}

# In the dictionary of objects, whose keys are sorted too, a shape precedes "none".
OBJECTS_AS_SENT = {"3": 154, "4": 185}

# The engine prints Signal() for all signals; name and object id are on the wire.
SIGNALS = {171: "something_happened", 172: "日本"}

# Half a surrogate pair has no UTF-8 form; 3.2.3 writes it nevertheless.
HALF_SURROGATES = {86: r'"\xed\xa0\x80"', 87: r'"\xed\xbf\xbfx"'}

ITEM_SOURCE = tshark.SOURCE / "tests" / "captures" / "godot" / "variant" / "godot3" / "item.gd"


def scripted_object(engine):
    """3.x sends the script of an object with the object, as an object that holds the source."""
    source = engine_text(f'"{ITEM_SOURCE.read_text(encoding="utf-8")}"')
    assert engine.startswith("3.")
    return ('Object(Reference,"script":Object(GDScript,"resource_local_to_scene":false,"resource_name":"",'
            f'"script/source":{source}')


def swapped(text):
    """{"none": null, "shape": …} as it was sent."""
    assert text.startswith('{"none": null, ')
    return "{" + text[len('{"none": null, ') : -1] + ', "none": null}'


def expected_text(engine, part, record):
    number, generation = record["n"], str(ENGINES[engine])
    printed = record["text"]
    if part == "-game":
        number += {"3": 193, "4": 262}[generation]
    elif part == "-late-proof" and number == 5:
        number = {"3": 219, "4": 288}[generation]
    elif part:
        return engine_text(printed)
    if number in AS_SENT[generation]:
        return AS_SENT[generation][number]
    if engine == "3.2.3" and number in HALF_SURROGATES:
        return HALF_SURROGATES[number]
    if generation == "3" and number == 153:
        return scripted_object(engine)
    if generation == "4" and number in SIGNALS:
        payload = bytes.fromhex(second_pass(engine)[number - 1]["udp.payload"][0])
        identity = int.from_bytes(payload[-8:], "little", signed=True)
        return f'Signal(Object(EncodedObjectAsID,"object_id":{identity}), &"{SIGNALS[number]}")'
    if number == OBJECTS_AS_SENT[generation]:
        return swapped(engine_text(printed))
    if re.search(r"\bids?\b", record["label"]):
        # The object's id was sent, and the engine decoded it as an id.
        return re.sub(r'(EncodedObjectAsID,"object_id":-?\d+),"script":null', r"\1", engine_text(record["received"]))
    # 4.x sends the script of an object as a String with its path, and prints it as the script.
    return engine_text(printed).replace('"script":Resource("res://item.gd")', '"script":"res://item.gd"')


# The Info column and the first label of the tree contain the type's name if the value's text does not.
TYPE_NAMES = re.compile(r"(?:bool|int|float|String|StringName|Dictionary|Array) (?=[-\d\"&{\[tfin])")
CUT = "…"


def assert_spelled(shown, expected, engine):
    value = TYPE_NAMES.sub("", shown, count=1) if TYPE_NAMES.match(shown) else shown
    if value.endswith(CUT):
        assert len(shown.encode()) > 150
        assert same_beginning(value[: -len(CUT)], expected, ENGINES[engine]), (value, expected)
    else:
        assert same_text(value, expected, ENGINES[engine]), (value, expected)


@every_capture
def test_each_value_is_spelled_as_its_engine_printed_it(engine, part):
    for record, packet in zip(records(engine, part), second_pass(engine, part)):
        assert_spelled(tshark.without_words(packet["_ws.col.Info"][0]), expected_text(engine, part, record), engine)


@every_engine
def test_the_tree_spells_values_as_the_info_column_does(engine):
    merged, begins = tshark.together(PATHS)
    labels = re.findall(r"^Godot Variant .*\n(?:    \[Gen.*\n(?:        .*\n)*)    (.*)$",
                        tshark.verbose(merged, "-2"), re.MULTILINE)
    assert len(labels) == begins[-1]
    labels = labels[begins[PATHS.index(path_of(engine))] :]
    for record, label in zip(records(engine), labels):
        assert_spelled(label, expected_text(engine, "", record), engine)


def test_info_names_the_type_where_the_value_does_not():
    infos = [tshark.without_words(packet["_ws.col.Info"][0]) for packet in second_pass("4.6.3")]
    assert infos[0] == "null"
    assert infos[2] == "bool true"
    assert infos[4] == "int 1"
    assert infos[24] == "float 0.5"
    assert infos[64] == 'String "a"'
    assert infos[92] == 'StringName &"jump"'
    assert infos[97] == "Vector2(1.5, -2.25)"
    assert infos[186] == 'Dictionary {"a": 1}'
    assert infos[191] == "Array [1]"
    assert infos[199] == "Array[int]([1, 2, 4294967296])"
    assert infos[264] == 'Dictionary {"cmd": "move", "pos": Vector2(1.5, -2)}'


# ---- golden files -----------------------------------------------------------------------------------


# All values of the captures whose name does not contain "everything" are compared in test_reference.py.
@pytest.mark.parametrize("engine, part", [capture for capture in CAPTURES if capture[1]])
def test_the_decoding_is_that_of_the_golden_file(engine, part):
    path = path_of(engine, part)
    if tshark.updating_golden():
        tshark.check_golden(path, "-2")
    infos = [tshark.without_words(row["_ws.col.Info"][0]) for row in second_pass(engine, part)]
    actual = [{"info": info, **layers} for info, layers in zip(infos, layers_of_each("-2")[path], strict=True)]
    assert tshark.differences(json.loads(tshark.golden_file(path).read_text(encoding="utf-8")), actual, "packet") == []


# ---- all bytes have a field -------------------------------------------------------------------------

# The bytes of these items are covered by items below them.
CONTAINERS = {"godot.array", "godot.dictionary", "godot.object"}
GENERATED = {"godot.path", "godot.value", "godot.generation", "godot.generation.reason",
             "godot.generation.decided_in"}


@every_engine
def test_each_byte_of_a_payload_has_a_field(engine):
    """With show_headers: the bytes of a container, and of other values with parts, are covered by items below."""
    left_out = {field.filter for field in tshark.registered_fields() if field.type == "FT_NONE"} | GENERATED | CONTAINERS
    merged, begins = tshark.together(tuple(map(path_of, ENGINES)))
    packets = tshark.items(merged, "godot", *tshark.only_ours(), "-2", prefs={"godot.show_headers": True})
    begin, end = begins[list(ENGINES).index(engine):][:2]
    for number, (packet, row) in enumerate(zip(packets[begin:end], second_pass(engine), strict=True), 1):
        seen = set()
        for item in tshark.flattened(packet):
            if item.name.startswith("godot.") and item.name not in left_out:
                seen.update(range(item.start, item.start + item.size))
        start = tshark.HEADERS[4]
        assert seen == set(range(start, start + len(row["udp.payload"][0]) // 2)), number
