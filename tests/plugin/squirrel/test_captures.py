# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The decoding of every packet of every Squirrel capture equals the sender's record, and all bytes are in some
field.

pcaps/squirrel/records has the sent values (pcaps/README.md), written by a program that is independent of the codec.
"""

import functools
import re
import struct
import xml.etree.ElementTree

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.squirrel import samples

UDP_CAPTURES = ("seed-examples", "every-value", "every-frame", "session", "split")
RAKNET_CAPTURES = ("raknet", "raknet-0.4.6")
MALFORMED = ("malformed", "raknet-malformed")
ALL = UDP_CAPTURES + RAKNET_CAPTURES + MALFORMED

# Bare values are decoded only if the user selects Squirrel.
AS_SQUIRREL = ("-d", "udp.port==8192,squirrel")
ELLIPSIS = "…"

FRAMES = ("RemoteExecute RemoteExecuteSpecial Reply CompileString RPrint PeerExec SendResultToPeer ResultFromPeer "
          "PeerExecSpecial PeerExecHere PeerExecHere2 SplitStream SplitStreamFromServer ClientData LoadNutFile "
          "NutFileLoaded Exec ExecSpecial ResultFromServer").split()

NAMES = {
    "frame": "squirrel.frame",
    "token": "squirrel.token",
    "target": "squirrel.target_player",
    "sender": "squirrel.sender_player",
    "expression": "squirrel.expression",
    "text": "squirrel.script",
    "error": "squirrel.error",
    "sequence": "squirrel.split.sequence",
    "chunk": "squirrel.split.chunk",
    "total": "squirrel.split.chunks",
    "length": "squirrel.split.length",
}


def path_of(name):
    return tshark.PCAPS / "squirrel" / f"{name}.pcap"


@functools.lru_cache(maxsize=None)
def records(name):
    return gamewire_records.read("squirrel", name)


def counted(path, field, names):
    return tshark.counts(path, [f'{field} == "{name}"' for name in names])


def test_frames_are_filtered_by_the_names_that_info_has():
    log = records("session")
    names = sorted({record["frame"] for record in log})
    assert counted(path_of("session"), "squirrel.frame", names) == [sum(record["frame"] == name for record in log)
                                                                   for name in names]
    assert [line.split()[0] for line in tshark.info_column(path_of("session"))] == [record["frame"] for record in log]


def test_commands_and_tags_are_filtered_by_their_names(udp_capture):
    path = udp_capture(tshark.request(samples.HELLO), tshark.request(samples.execute(b"w\7\0"), 1))
    filters = ['squirrel.command == "CallRemoteFunc"', 'squirrel.tag == "int16"', 'squirrel.tag == "string"']
    assert tshark.counts(path, filters, *samples.AS_TEST) == [1, 1, 1]
    raknet = tshark.counts(path_of("raknet"), ['squirrel.message.id == "Script data to server (0.4.7.1)"',
                                              "squirrel.message.id == 0x3e"])
    assert raknet[0] == raknet[1] > 0


def options(name):
    return AS_SQUIRREL if name == "seed-examples" else ()


def read_with(name):
    """The paths of the captures that are read with the same options."""
    return tuple(path_of(other) for other in ALL if options(other) == options(name))


@functools.lru_cache(maxsize=None)
def fields_of_all(captures, *args):
    return tshark.fields_of_each(captures, [*NAMES.values(), "squirrel.message.id"], *args)


def decoded(name, *more):
    return fields_of_all(read_with(name), *options(name), *more)[path_of(name)]


@functools.lru_cache(maxsize=None)
def trees(name, prefs=()):
    """{frame: the lines of its trees}"""
    text = tshark.verbose(path_of(name), *options(name), prefs=dict(prefs))
    texts = re.split(r"^Frame (\d+): ", text, flags=re.MULTILINE)
    return {int(frame): [line.strip() for line in text.splitlines()] for frame, text in zip(texts[1::2], texts[2::2])}


def messages(record):
    """The frames that a packet shows: those in the packet, and the one that its last chunk completes."""
    found = record.get("frames") or ([record] if "frame" in record or "expression" in record else [])
    return found + [message["carries"] for message in found if "carries" in message]


def identifier(message):
    return str(0x40FFFFE1 + FRAMES.index(message["frame"]))


def listed(found, key):
    return [str(message[key]) for message in found if message.get(key) is not None]


def players(found, kinds):
    return [str(message["player"]) for message in found if "player" in message and message["frame"] in kinds]


def expressions(found):
    """Errors have no Squirrel source in the records; the codec prints a throw."""
    result = []
    for message in found:
        if message.get("error") is not None:
            result.append(None)
        result += [message[key] for key in ("expression", "data") if message.get(key) is not None]
    return result


def same_text(have, want):
    """Long sources are cut."""
    if want is None:
        return have.startswith("throw ")
    return have == want or (have.endswith(ELLIPSIS) and len(have) > 300 and want.startswith(have[:-1]))


def check_message_fields(packet, found):
    assert packet["squirrel.frame"] == [identifier(message) for message in found if "frame" in message]
    assert packet["squirrel.token"] == listed(found, "token")
    assert packet["squirrel.target_player"] == players(found, ("PeerExec", "SendResultToPeer", "PeerExecSpecial"))
    assert packet["squirrel.sender_player"] == players(found, ("PeerExecHere", "PeerExecHere2", "ResultFromPeer"))
    assert packet["squirrel.script"] == listed(found, "text")
    for key in "sequence", "chunk", "total", "length":
        assert packet[NAMES[key]] == listed(found, key)


def check_source(packet, found):
    have, want = packet["squirrel.expression"], expressions(found)
    assert len(have) == len(want)
    assert [(h, w) for h, w in zip(have, want) if not same_text(h, w)] == []


@pytest.mark.parametrize("name", UDP_CAPTURES + RAKNET_CAPTURES)
def test_each_packet_equals_the_sender_s_record(name):
    packets = decoded(name)
    assert len(packets) == len(records(name))
    for record, packet in zip(records(name), packets):
        found = messages(record)
        check_message_fields(packet, found)
        if record.get("expression", "") is None and "error" not in record:
            assert len(packet["squirrel.expression"]) == 1      # values that only the codec has a text for: see below
        else:
            check_source(packet, found)


def test_errors_show_their_text():
    checked = 0
    for name in ("every-value", "session", "raknet"):
        for record, packet in zip(records(name), decoded(name)):
            if record.get("error") is not None:
                assert packet["squirrel.error"] == [record["error"]]
                checked += 1
    assert checked >= 8


# Values without a Squirrel source, as printed by the codec, by the label in every-value.jsonl.
OUR_SPELLINGS = {
    "float infinity": 'SetRemoteValue("x", inf)',
    "float minus infinity": 'SetRemoteValue("x", -inf)',
    "float nan": 'SetRemoteValue("x", nan)',
    "vector with infinity and nan": 'SetRemoteValue("x", Vector(inf, nan, -1))',
    "blob, empty": 'SetRemoteValue("x", blob(""))',
    "blob": r'SetRemoteValue("x", blob("\x00\x01\x02\xfe\xff"))',
    "array with a blob": r'SetRemoteValue("x", [1, blob("\x61\x62"), 2])',
    "1.1.1: class, empty, in a Reply": "class {}",
    "1.1.1: class, in a Reply": 'class {Width = 640; Name = "window"}',
    "blob, in a Reply": r'blob("\x00\x01\x02\xfe\xff")',
    "error without a text, in a Reply": 'throw ""',
}


@pytest.mark.parametrize("label", OUR_SPELLINGS)
def test_values_without_source_have_a_spelling(label):
    [(_, packet)] = [pair for pair in zip(records("every-value"), decoded("every-value")) if pair[0]["label"] == label]
    assert packet["squirrel.expression"] == [OUR_SPELLINGS[label]]


def test_all_nineteen_frames_are_decoded_over_udp_and_inside_raknet():
    for name in "every-frame", "raknet":
        seen = {value for packet in decoded(name) for value in packet["squirrel.frame"]}
        assert seen == {str(0x40FFFFE1 + i) for i in range(len(FRAMES))}


def test_the_second_pass_shows_the_same():
    columns = [tshark.fields_of_each([path_of(name) for name in ALL], ["_ws.col.Info"], *passes) for passes in ((), ("-2",))]
    for name in ALL:
        assert decoded(name, "-2") == decoded(name)
        once, twice = ([packet["_ws.col.Info"][0] for packet in infos[path_of(name)]] for infos in columns)
        # Packets before the one with sufficient evidence are decoded on the second pass.
        assert len(once) == len(twice)
        assert [line for line in zip(once, twice) if line[0] != line[1] and " Len=" not in line[0]] == []


def test_the_message_ids_of_both_versions_are_known_inside_raknet():
    for name, ids in ("raknet", {0x6E, 0x3E}), ("raknet-0.4.6", {0xCF, 0xBD}):
        assert {int(value) for packet in decoded(name) for value in packet["squirrel.message.id"]} == ids


# Of public clients; the ids changed between versions of VC:MP.
MESSAGE_IDS = {0x3D: "to server (0.4.7.0)", 0x3E: "to server (0.4.7.1)", 0x6E: "to client (0.4.7.1)", 0x6F: "to client (0.4.7.0)",
               0xBC: "to server (0.4.0.4)", 0xBD: "to server (0.4.6)", 0xCF: "to client (0.4.6 and before)"}


def test_message_ids_have_the_direction_and_version_of_the_game(udp_capture):
    content = samples.frame(0xE2, samples.token(1), samples.get(b"x"))
    sent = [samples.datagram(number, samples.message(content, number)) for number in MESSAGE_IDS]
    printed = tshark.verbose(udp_capture(*map(tshark.reply, sent)), *samples.AS_RAKNET)
    assert re.findall(r"Script data to .*\)", printed) == [f"Script data {name} ({number:#04x})" for number, name in MESSAGE_IDS.items()]


LABELS = {
    ("session", 6): ['Identifier: "screen" (string)', "Data: counted table, 2 pairs", 'Key: "w" (string)',
                     "Value: 1920 (int16)", 'Key: "h" (string)', "Value: 1080 (int16)"],
    ("session", 13): ["Value: CallRemoteFuncEx", "[Function called: LocalPlayer.GetWeapons]",
                      "Function: GetRemoteValueEx", "Object: GetRemoteValue", 'Key: "LocalPlayer" (string)',
                      'Key: "GetWeapons" (string)', "Environment: GetRemoteValue", 'Key: "LocalPlayer" (string)'],
    ("session", 11): ["Value: _mul", "Object: _add", "Object: GetRemoteValue", 'Key: "Score" (string)',
                      "Operand: 5 (int16)", "Operand: 2 (int16)"],
    ("session", 34): ["Value: CallRemoteFunc", "[Function called: Message]", "Function: GetRemoteValue",
                      'Key: "Message" (string)', 'Parameter 1: "joined" (string)', "Parameter 2: array, 3 elements",
                      "[0]: 255 (int16)", "[1]: 0 (int16)", "[2]: 0 (int16)"],
    ("session", 32): ["Value: SetRemoteValueEx", "Object: GetRemoteValue", 'Key: "a" (string)', 'Key: "Y" (string)',
                      "Value: 5 (int16)"],
    ("session", 8): ["Value: Vector(-719.5, 648.25, 11) (vector)", "X: -719.5", "Y: 648.25", "Z: 11"],
    ("session", 4): [r'Script: "rprint(\"ready\")" (string)'],
}


@pytest.mark.parametrize("name, number", LABELS)
def test_each_operand_is_shown_in_its_role(name, number):
    tree = trees(name)[number]
    first = next(i for i, line in enumerate(tree) if line.startswith("Squirrel remote values (VC:MP)"))
    lines = [line for line in tree[first + 1:] if line and not line.startswith(("Tag:", "Length (L):", "Count:"))]
    head = next(i for i, line in enumerate(lines) if line.startswith(("Value:", "Identifier:", "Script:")))
    assert lines[head:] == LABELS[name, number]


def test_tag_and_length_of_commands_are_separate_fields():
    """The page's first example of a command inside another one: F16000000 67 09000000 ..."""
    names = ["squirrel.tag", "squirrel.length", "squirrel.count"]
    call = 'CallRemoteFunc(GetRemoteValue("rprint"), "Hello")'
    record = next(record for record in records("seed-examples") if record["expression"] == call)
    lines = trees("seed-examples")[record["n"]]
    assert "Tag: 'F' CallRemoteFunc (0x46)" in lines and "Tag: 'g' GetRemoteValue (0x67)" in lines
    assert "Length (L): 22 bytes" in lines and "Length (L): 9 bytes" in lines
    packets = tshark.fields(path_of("seed-examples"), names, *AS_SQUIRREL, prefs={"squirrel.show_headers": True})
    packet = packets[record["n"] - 1]
    assert packet["squirrel.tag"] == ["70", "103", "115", "115"]
    assert packet["squirrel.length"] == ["22", "9", "6", "5"]


def test_tags_of_scalars_can_be_filtered_without_being_shown():
    found = tshark.fields(path_of("seed-examples"), ["frame.number"], *AS_SQUIRREL, "-Y", "squirrel.tag == 0x71")
    numbers = {int(packet["frame.number"][0]) for packet in found}
    wanted = [record for record in records("seed-examples") if "Quaternion" in (record["expression"] or "")]
    assert numbers == {record["n"] for record in wanted} and wanted


def test_headers_of_all_values_are_shown_on_demand():
    [record] = [r for r in records("seed-examples") if r.get("expression") == "15"][:1]
    assert not any("Tag:" in line for line in trees("seed-examples")[record["n"]])
    shown = trees("seed-examples", prefs=(("squirrel.show_headers", True),))
    assert any("Tag: 'i' int32 (0x69)" in line for line in shown[record["n"]])


def test_the_collapsed_line_has_the_findings():
    lines = [line for tree in trees("session").values() for line in tree if line.startswith("Squirrel remote")]
    assert lines[6] == ('Squirrel remote values (VC:MP), RemoteExecuteSpecial #1  '
                        'GetRemoteValueEx(GetRemoteValue("LocalPlayer"), "Pos")')
    assert lines[7] == "Squirrel remote values (VC:MP), Reply #1  Vector(-719.5, 648.25, 11)"


def test_the_lines_of_a_datagram_have_one_separator(udp_capture):
    """RakNet writes a comma after each message."""
    asked = [samples.message(samples.frame(0xE2, samples.token(number), samples.get(b"x"))) for number in (1, 2)]
    path = udp_capture(tshark.reply(samples.datagram(5, *asked)))
    assert tshark.info_column(path, *samples.AS_RAKNET) == [
        '#2: RemoteExecuteSpecial #1  GetRemoteValue("x"), RemoteExecuteSpecial #2  GetRemoteValue("x")']


def test_a_chunk_is_counted_one_way():
    lines = tshark.info_column(path_of("split"))
    packets = tshark.fields(path_of("split"), ["squirrel.split.chunk", "squirrel.split.chunks"])
    checked = 0
    for line, packet in zip(lines, packets):
        if packet["squirrel.split.chunk"]:
            [chunk], [chunks] = packet["squirrel.split.chunk"], packet["squirrel.split.chunks"]
            assert f", chunk index {chunk} of {chunks} chunk" in line
            checked += 1
    assert checked > 20


# ---- displayed, extracted and filtered values are equal --------------------------------------------------------


def float_frame(*values):
    content = b"".join(b"f" + struct.pack("<f", value) for value in values)
    return b"\xe3\xff\xff\x40\7\0\0\0" + b"A" + struct.pack("<I", len(values)) + content


def test_a_float_can_be_found_as_it_is_shown(udp_capture):
    capture = udp_capture(tshark.reply(float_frame(7.1)), tshark.reply(float_frame(7.2)))
    as_test = ("-d", f"udp.port=={tshark.SERVER_PORT},squirrel")
    assert "[0]: 7.1 (float)" in tshark.verbose(capture, *as_test)
    shown, _ = tshark.fields(capture, ["squirrel.float"], *as_test)
    assert shown["squirrel.float"] == ["7.1"]
    for text in "7.1", "7.10":
        found = tshark.fields(capture, ["frame.number"], *as_test, "-Y", f"squirrel.float == {text}")
        assert found == [{"frame.number": ["1"]}]


def test_the_components_of_a_vector_have_its_digits(udp_capture):
    vector = b"\xe3\xff\xff\x40\7\0\0\0v" + struct.pack("<fff", 0.1, 0.2, 1e-7)
    text = tshark.verbose(udp_capture(tshark.reply(vector)), "-d", f"udp.port=={tshark.SERVER_PORT},squirrel")
    lines = [line.strip() for line in text.splitlines()]
    assert "Value: Vector(0.1, 0.2, 1e-07) (vector)" in lines
    assert {"X: 0.1", "Y: 0.2", "Z: 1e-07"} <= set(lines)


def test_the_count_of_release_1_1_1_is_distinguished_from_a_length():
    [lines] = [trees("every-value")[record["n"]]
               for record in records("every-value") if record["label"] == "1.1.1: array, in a Reply"]
    assert any("counted as in release 1.1.1" in line for line in lines)


def test_the_labels_of_values_have_their_types(udp_capture):
    values = b"w\7\0", b"i\x0f\0\0\0", b"b\1", b"s\0\1x", b"f" + struct.pack("<f", 1.5), b"o"
    content = b"".join(values)
    array = b"\xe3\xff\xff\x40\1\0\0\0a" + struct.pack("<I", len(content)) + content
    text = tshark.verbose(udp_capture(tshark.reply(array)), "-d", f"udp.port=={tshark.SERVER_PORT},squirrel")
    labels = re.findall(r"^ *(\[\d\]: .*)$", text, re.MULTILINE)
    assert labels == ["[0]: 7 (int16)", "[1]: 15 (int32)", "[2]: true (bool)", '[3]: "x" (string)', "[4]: 1.5 (float)",
                      "[5]: null (null)"]


def test_the_label_of_bytes_that_are_skipped_has_their_type():
    [frame] = [record["n"] for record in records("malformed") if record["label"] == "unknown tag in an operand"]
    assert [line for line in trees("malformed")[frame] if "skipped (" in line] == ["Value: skipped (unknown)"]


def test_the_labels_of_containers_have_the_number_of_members(udp_capture):
    """The counts of elements, and of pairs for tables: an array with a table of one pair and a text, and an array
    with one element."""
    inner = b"T\1\0\0\0w\1\0o"
    two, one = b"A\2\0\0\0" + inner + b"s\0\1x", b"A\1\0\0\0o"
    packets = [tshark.reply(b"\xe3\xff\xff\x40\1\0\0\0" + value) for value in (two, one)]
    text = tshark.verbose(udp_capture(*packets), "-d", f"udp.port=={tshark.SERVER_PORT},squirrel")
    labels = [line.strip() for line in text.splitlines() if re.search(r": counted (array|table), ", line)]
    assert labels == ["Value: counted array, 2 elements", "[0]: counted table, 1 pair",
                      "Value: counted array, 1 element"]


# ---- every byte ------------------------------------------------------------------------------------------------


def leaves(item):
    """The fields of bytes: those that are not generated and have no fields below them."""
    inner = [field for field in item if int(field.get("size") or 0) and not made_up(field)]
    for field in inner:
        below = list(leaves(field))
        yield from below or [field]


def made_up(field):
    generated = re.match(r"\[(?!\d+\]:)", field.get("showname") or "")     # except "[0]: 17 (int16)", which is an element
    return field.get("name").startswith("_ws.") or field.get("hide") == "yes" or generated


def spans(layer, skip):
    for field in leaves(layer):
        if field.get("name") not in skip:
            yield int(field.get("pos")), int(field.get("pos")) + int(field.get("size"))


def not_covered(length, start, covered):
    left = set(range(start, start + length))
    for begin, end in covered:
        left -= set(range(begin, end))
    return sorted(left)


def containers(layer):
    """The five header bytes of a container or command are covered by its item."""
    for field in layer.iter("field"):
        if field.get("name") in ("squirrel.command", "squirrel.array", "squirrel.table", "squirrel.class"):
            yield int(field.get("pos")), int(field.get("pos")) + 5
        if field.get("name") in ("squirrel.vector", "squirrel.quaternion"):
            yield int(field.get("pos")), int(field.get("pos")) + 1


@functools.lru_cache(maxsize=None)
def elements_of_all(captures, *args):
    """{capture: its packets' elements of PDML}, with one start of tshark."""
    path, begins = tshark.together(captures)
    text = tshark.run([*args, "-T", "pdml", *tshark.only_ours()], path).stdout
    packets = xml.etree.ElementTree.fromstring(text).findall("packet")
    return {capture: packets[begin:end] for capture, begin, end in zip(captures, begins, begins[1:])}


@pytest.mark.parametrize("name", UDP_CAPTURES + ("malformed",))
def test_no_byte_is_outside_every_field(name):
    checked = 0
    for record, packet in zip(records(name), elements_of_all(read_with(name), *options(name))[path_of(name)]):
        layer = packet.find("proto[@name='squirrel']")
        if layer is None:
            continue
        for joined in [field for field in layer.iter("field") if field.get("name") == "squirrel.joined"]:
            inner = [*spans(joined, ()), *containers(joined)]
            assert not_covered(int(joined.get("size")), 0, inner) == [], record["n"]
            layer.remove(joined)
        start, length = int(layer.get("pos")), int(layer.get("size"))
        assert length == len(record["hex"]) // 2
        assert not_covered(length, start, [*spans(layer, ()), *containers(layer)]) == [], record["n"]
        checked += 1
    assert checked > 20


# ---- whole decodings -------------------------------------------------------------------------------------------


# The layout of the tree. All values of the other captures are compared in test_reference.py, and with the records above.
@pytest.mark.parametrize("name", ["session", *MALFORMED])
def test_the_decoding_equals_the_golden_file(name):
    tshark.check_golden(path_of(name), *options(name))
