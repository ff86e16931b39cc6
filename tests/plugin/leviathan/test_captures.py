# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The decoding of every packet of the captures equals its sender's record, and all bytes are in some field."""

import re
import struct

import pytest

import gamewire_tshark as tshark
from plugin.leviathan import decoding as leviathan

# The engine's names for the fields of its messages, if they are not the field's name in snake_case.
FIELDS = {
    "Message": "message.text",
    "Name": "cache_name",
    "Data": "application_data",
    "GameVersionString": "game_version",
    "LeviathanVersionString": "leviathan_version",
    "ServerNameString": "server_name",
    "EngineMSTweak": "engine_ms_tweak",
    "WorldID": "world_id",
    "EntityID": "entity_id",
    "EntityID1": "entity_id_1",
    "EntityID2": "entity_id_2",
    "UserID": "user_id",
    "InputID": "input_id",
    "OwnerID": "owner_id",
    "ConstraintID": "constraint_id",
    "TypeIDNumber": "type_id_number",
    "DDOSBlock": "ddos_block",
    "FOV": "fov",
}
FIELDS_OF_TYPES = {
    ("SyncResourceData", "OurCustomData"): "resource_data",
    ("CreateNetworkedInput", "OurCustomData"): "input_data",
    ("UpdateNetworkedInput", "UpdateData"): "input_update",
    ("EntityCreation", "InitialComponentData"): "initial_component_data",
}
BLOBS = ("UpdateData", "InitialComponentData")
AXES = "xyzw"


def snake_case(name):
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


def field_of(kind, name, fields):
    if name == "InitialComponentData" and "ComponentCount" not in fields:
        return "leviathan.old_initial_component_data"
    if name == "Data" and kind.startswith(("unknown", "Custom(")):
        return "leviathan.undecoded"
    known = FIELDS_OF_TYPES.get((kind, name)) or FIELDS.get(name) or snake_case(name)
    return f"leviathan.{known}"


def is_vector(value):
    return isinstance(value, list) and not (value and isinstance(value[0], dict))


def expected_fields(kind, fields):
    """(field, value) in the order of the packet."""
    for name, value in fields.items():
        field = field_of(kind, name, fields)
        if is_vector(value) and name not in BLOBS:
            yield from ((f"{field}.{axis}", number) for axis, number in zip(AXES, value))
        elif isinstance(value, list):
            yield field, None
            # Bytes after the declared number of components are shown as bytes.
            for component in value[: fields.get("ComponentCount", len(value))]:
                yield from expected_component(component)
        else:
            yield field, value


def expected_component(component):
    fields = {name: value for name, value in component.items() if name not in ("type", "type_number")}
    yield "leviathan.component.type", component["type_number"]
    for name, value in fields.items():
        if name == "Data":
            yield "leviathan.component.data", value
        else:
            yield from expected_fields(component["type"], {name: value})


def same_text(item, text):
    data = bytes.fromhex(text["hex"]) if isinstance(text, dict) else text.encode()
    shown = item.value.lower()
    return shown == (len(data).to_bytes(4, "big") + data).hex() or shown == data.hex()


def same(item, value):
    if value is None:
        return True
    if isinstance(value, bool):
        return item.show in (("1", "True") if value else ("0", "False"))
    if isinstance(value, float) or "position." in item.name or "orientation." in item.name or "sizes." in item.name:
        return struct.pack("<f", float(item.show)) == struct.pack("<f", value)
    if isinstance(value, int):
        known = {field.filter: field.type for field in tshark.registered_fields()}[item.name]
        if known == "FT_BOOLEAN":
            return int(item.value, 16) == value
        return int(item.show, 0) == value
    return same_text(item, value) or item.value.lower().endswith(str(value))


def values_below(item):
    """Every item of bytes of the packet: no generated items, expert infos or containers."""
    skipped = ("leviathan.message", "leviathan.component", "leviathan.ack", "leviathan.nested.size")
    for child in item.items:
        if child.size and child.name.startswith("leviathan.") and child.name not in skipped:
            yield child
        if child.name != "_ws.expert":
            yield from values_below(child)


def split_message(item):
    """The header's items, and those of the payload."""
    values = list(values_below(item))
    header = 3 if item.all("leviathan.request.type") else 4
    return values[:header], values[header:]


def check_header(header, message):
    """The type has the sender's name; of a truncated header, the captured part is decoded."""
    assert int(header[0].show, 0) == (0x28 if message["kind"] == "request" else 0x12)
    for item, key in zip(header[1:], ("number", "type_number", "response_to")):
        if key in message:
            assert int(item.show) == message[key]
    if "type" in message and not message["type"].startswith(("unknown", "Custom(")):
        assert header[2].label.split(": ", 1)[1] == f"{message['type']} ({message['type_number']})"


def has_damaged_blob(message):
    """Component data that cannot be read to the end are recorded as bytes; the readable part is decoded."""
    fields = message.get("fields", {})
    if len(fields.get("InitialComponentData", "")) > fields.get("ComponentCount", 0):
        return True
    return any(isinstance(fields.get(name), str) for name in BLOBS)


def check_message(item, message, complete):
    header, payload = split_message(item)
    check_header(header, message)
    expected = list(expected_fields(message.get("type", ""), message.get("fields", {})))
    places = f"shown: {[(child.name, child.show) for child in payload]}, sent: {expected}"
    for child, (name, value) in zip(payload, expected):
        assert child.name == name, places
        assert same(child, value), (child, value)
    # Empty application data have no item.
    sent = [name for name, value in expected if not (value == "" and name.endswith(("_data", "undecoded")))]
    assert len(payload) >= len(sent), places
    if complete and not has_damaged_blob(message):
        assert len(payload) <= len(expected), places


@pytest.mark.parametrize("name", leviathan.NAMES)
def test_every_packet_equals_the_sender_s_record(name):
    packets = leviathan.decode(leviathan.capture(name), "-2", prefs=leviathan.preferences(name))
    sent = leviathan.records(name)
    assert len(packets) == len(sent)
    for item, record in zip(packets, sent):
        complete = "damaged_from" not in record
        assert item is not None, record
        assert item.size == record["length"]
        if "packet_id" in record:
            assert item.numbers("leviathan.packet_id") == [record["packet_id"]]
        if "start_ack" in record:
            assert item.numbers("leviathan.start_ack") == [record["start_ack"]]
        if "acks" in record and record["packet"] == "normal":
            assert item.numbers("leviathan.ack") == record["acks"], record
        if record.get("ack_bytes"):
            assert item.all("leviathan.packed_acks")[0].value == record["ack_bytes"]
        messages = [child for child in item.items if child.name == "leviathan.message"]
        if complete:
            assert len(messages) == len(record.get("messages", []))
        for child, message in zip(messages, record.get("messages", [])):
            check_message(child, message, complete)


@pytest.mark.parametrize("name", leviathan.NAMES)
def test_ids_of_ack_only_packets_and_blocks_are_those_that_were_sent(name):
    packets = leviathan.decode(leviathan.capture(name), "-2", prefs=leviathan.preferences(name))
    for item, record in zip(packets, leviathan.records(name)):
        if "ack_only" not in record:
            continue
        lists = [list_item.numbers("leviathan.ack") for list_item in item.items]
        ids = [one for one in lists if one] if record["packet"] == "ack_only" else []
        blocks = item.all("leviathan.ignored_block")
        ids += [block.numbers("leviathan.ignored_ack") for block in blocks]
        assert [one for one in ids if one] == [one for one in record["ack_only"] if one], record


@pytest.mark.parametrize("name", leviathan.NAMES)
def test_no_byte_is_outside_every_field(name):
    for item in leviathan.decode(leviathan.capture(name), "-2", prefs=leviathan.preferences(name)):
        covered = set()
        for child in values_below(item):
            covered.update(range(child.pos, child.pos + child.size))
        # A string's item includes its length word, although PDML has another position.
        missing = set(range(item.pos, item.pos + item.size)) - covered
        assert not missing, (item.label, sorted(at - item.pos for at in missing))


@pytest.mark.parametrize("name", leviathan.NAMES)
def test_a_message_or_component_begins_and_ends_with_its_fields(name):
    checked = 0
    for item in leviathan.decode(leviathan.capture(name), "-2", prefs=leviathan.preferences(name)):
        for part in (*item.all("leviathan.message"), *item.all("leviathan.component")):
            fields = list(values_below(part))
            ends = max(child.pos + child.size for child in fields)
            assert (part.pos, part.pos + part.size) == (min(child.pos for child in fields), ends), (item.label, part.label)
            checked += 1
    assert checked


def test_types_are_filtered_by_their_names():
    log, path = leviathan.records("every-message"), leviathan.capture("every-message")
    kinds = [{message["kind"] for message in record.get("messages", [])} for record in log]
    filters = ['leviathan.message.type == "Request"', 'leviathan.message.type == "Response"', 'leviathan.type == "Normal"',
               'leviathan.type == "Ack only" || leviathan.type == 0x4c61']
    assert tshark.counts(path, filters, prefs=leviathan.PORTS) == [
        sum("request" in found for found in kinds),
        sum("response" in found for found in kinds),
        sum(record["packet"] == "normal" for record in log),
        sum("ack_only" in record for record in log),
    ]


def test_all_48_types_are_in_the_capture_and_named():
    seen = set()
    for item in leviathan.decode(leviathan.capture("every-message"), "-2"):
        for side in ("request", "response"):
            seen.update((side, int(show)) for show in item.shown(f"leviathan.{side}.type"))
    assert seen == {("request", n) for n in range(18)} | {("response", n) for n in range(30)}


# The layout of the tree. Every value of all captures is compared in test_reference.py.
@pytest.mark.parametrize("name", ["session", "malformed"])
def test_the_decoding_of_the_whole_capture(name):
    tshark.check_golden(leviathan.capture(name), "-2", prefs=leviathan.preferences(name))


def ids_of(label):
    """[1001, 1002, 1004] of "Acks: 1001-1002, 1004"."""
    found = []
    for part in label.removeprefix("Acks: ").split(", "):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


@pytest.mark.parametrize("name", leviathan.NAMES)
def test_the_label_of_a_list_of_acks_has_its_ids(name):
    for item in leviathan.decode(leviathan.capture(name), "-2", prefs=leviathan.preferences(name)):
        for acks in item.all("leviathan.ack_only.acks"):
            ids = acks.numbers("leviathan.ack") + acks.numbers("leviathan.ignored_ack")
            if ids:
                assert ids_of(acks.label) == ids
            else:
                assert acks.label in ("Acks: none", "Acks: <MISSING>")


@pytest.mark.parametrize("name", ("session", "every-message"))
def test_the_label_of_a_component_has_its_vectors(name):
    labels = set()
    for item in leviathan.decode(leviathan.capture(name), "-2", prefs=leviathan.preferences(name)):
        for component in item.all("leviathan.component"):
            vectors = {}
            for child in component.items:
                vector, _, axis = child.name.rpartition(".")
                if axis in AXES:
                    vectors.setdefault(vector, []).append(float(child.show))
            texts = re.findall(r" \(([^()]*)\)", component.label)
            assert [[float(part) for part in text.split(", ")] for text in texts] == [
                pytest.approx(vector, rel=1e-5) for vector in vectors.values()]
            labels.add(component.label)
    assert "Component: Position (2, 2, 3) (0, 0, 0, 1)" in labels or "Component: BoxGeometry (0.5, 0.25, 2)" in labels
