# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each fault and oddity of a packet has an expert info, with both numbers if two contradict each other."""

import functools
import re
import struct

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.squirrel.samples import (
    ASK, AS_TEST, CHUNK, CUT, HELLO, SAMPLES, SPLIT_IN_SPLIT, X, chunks, execute, holding, many,
)

PLUGIN = tshark.SOURCE / "plugin"
MALFORMED = tshark.PCAPS / "squirrel" / "malformed.pcap"
RAKNET_MALFORMED = tshark.PCAPS / "squirrel" / "raknet-malformed.pcap"
AS_SQUIRREL = ("-d", "udp.port==8192,squirrel")

NAMES = ["squirrel.declared", "squirrel.actual", "squirrel.expression"]


@functools.lru_cache(maxsize=None)
def expert_names():
    """The filter names of all expert infos, from the sources: tshark lists them like fields without a value."""
    sources = "".join(file.read_text(encoding="utf-8") for file in sorted(PLUGIN.glob("squirrel/*.c")))
    return sorted(re.findall(r'"(squirrel\.[\w.]+)",\s*PI_', sources))


def experts(capture, *args):
    """For each packet, the expert infos that it raises."""
    packets = tshark.fields(capture, expert_names(), *args)
    return [sorted(name.removeprefix("squirrel.") for name in packet if packet[name]) for packet in packets]


@functools.lru_cache(maxsize=None)
def records(capture):
    return gamewire_records.read("squirrel", capture.stem)


@functools.lru_cache(maxsize=None)
def found_in(capture, *args):
    """label -> the expert infos, for packets with a fault."""
    return {record["label"]: names for record, names in zip(records(capture), experts(capture, *args))}


EXPECTED = {
    "unknown tag in an operand": ["tag.skipped"],
    "unknown tag at the top": ["tag.unknown"],
    "an error where only replies have one": ["error.unusual"],
    "no command: a number": ["command.missing"],
    "no command: null in five bytes": ["command.missing"],
    "a frame's tag 0x6b where its operands are those of 0x6a": ["length.too_long", "operand.unusual"],
    "bool 2": ["bool.unusual"],
    "bool 255": ["bool.unusual"],
    "operand missing: GetRemoteValue without key": ["operand.missing"],
    "operand missing: GetRemoteValueEx without key": ["operand.missing"],
    "operand missing: SetRemoteValueEx without value": ["operand.missing"],
    "operand missing: CallRemoteFunc without function": ["operand.missing"],
    "operand missing: CallRemoteFuncEx without environment": ["operand.missing"],
    "operand missing: _add with one operand": ["operand.missing"],
    "operand left over: GetRemoteValue with two keys": ["length.too_long", "operand.unusual"],
    "operand left over: SetRemoteValue with two values": ["length.too_long", "operand.unusual"],
    "operand left over: _unm with two operands": ["length.too_long", "operand.unusual"],
    "operand missing deep inside": ["operand.missing"],
    "length one less than the content": ["length.too_short"],
    "length one more than the content": ["length.too_long"],
    "length 0 over a content": ["length.too_short"],
    "length 0xffffffff": ["length.too_long"],
    "length 0x80000000": ["length.too_long"],
    "inner length longer, as in the documentation": ["length.too_long"],
    "inner length shorter": ["length.too_short"],
    "inner length beyond its container": ["length.too_long"],
    "length of a call ends inside its argument": ["length.invalid", "length.too_short"],
    "length of an argument's call ends inside the next argument": ["length.too_short"],
    "array's length ends inside an element": ["length.too_short"],
    "array's length beyond the packet": ["length.truncated"],
    "table with an odd number of values": ["key.alone"],
    "table with a key only": ["key.alone"],
    "string beyond its container": ["length.invalid", "length.too_short", "tag.skipped"],
    "string beyond the packet": ["length.invalid"],
    "string of length 65535": ["length.invalid"],
    "string length in little-endian order": ["length.invalid"],
    "CompileString longer than the packet": ["string.truncated"],
    "CompileString shorter than the packet": ["trailing.unusual"],
    "LoadNutFile longer than the packet": ["string.truncated"],
    "counted array with a count beyond the data": ["count.truncated"],
    "counted array with a count below the data": ["trailing.unusual"],
    "counted array with count 0xffffffff": ["count.truncated"],
    "counted table with a count beyond the data": ["count.truncated"],
    "counted table whose count overflows when doubled": ["count.truncated"],
    "1.1.1 array that fits neither as a count nor as a length": ["count.truncated"],
    "class with a count beyond the data": ["count.truncated"],
    "blob beyond the packet": ["blob.truncated"],
    "blob of 0xffffffff bytes": ["blob.truncated"],
    "an error inside an array": ["error.unusual"],
    "a command in a reply": ["tag.unsupported"],
    "cut inside an int32": ["value.truncated"],
    "cut inside an int16": ["value.truncated"],
    "cut inside a float": ["value.truncated"],
    "cut inside a bool": ["value.truncated"],
    "cut inside a vector": ["value.truncated"],
    "cut inside a quaternion": ["value.truncated"],
    "cut inside a string's length": ["value.truncated"],
    "cut inside an array's length": ["value.truncated"],
    "cut inside a command's length": ["value.truncated"],
    "RemoteExecute of 4 bytes": ["value.missing"],
    "RemoteExecuteSpecial of 6 bytes": ["head.truncated"],
    "RemoteExecuteSpecial of 8 bytes": ["value.missing"],
    "Reply of 7 bytes": ["head.truncated"],
    "Reply of 8 bytes": ["value.missing"],
    "CompileString of 5 bytes": ["value.truncated"],
    "PeerExec of 4 bytes": ["head.truncated"],
    "PeerExec of 5 bytes": ["value.missing"],
    "SendResultToPeer of 8 bytes": ["head.truncated"],
    "PeerExecHere2 of 9 bytes": ["value.missing"],
    "SplitStream of 17 bytes": ["head.truncated"],
    "SplitStreamFromServer of 18 bytes": ["split.chunks.invalid"],
    "ClientData of 4 bytes": ["value.missing"],
    "LoadNutFile of 8 bytes": ["value.truncated"],
    "NutFileLoaded of 8 bytes": ["value.missing"],
    "ExecSpecial of 8 bytes": ["value.missing"],
    "ResultFromServer of 8 bytes": ["value.missing"],
    "ClientData without its data": ["value.missing"],
    "chunk index equal to the total": ["split.chunk.invalid"],
    "chunk index far beyond the total": ["split.chunk.invalid"],
    "chunk total 0": ["split.chunks.invalid"],
    "chunk longer than the packet": ["split.length.invalid", "split.payload.too_short"],
    "chunk shorter than the packet": ["split.length.invalid", "split.payload.too_short"],
    "chunk length above 4075": ["split.payload.too_long"],
    "chunk length in big-endian order": ["split.length.invalid", "split.payload.too_long"],
    "chunk total 0xffffffff": ["split.chunks.too_many", "split.payload.too_short"],
    "short chunk that is not the last": ["split.payload.too_short"],
    "stream of one chunk that holds no frame": ["joined.invalid"],
    "an answer to no question": ["command.unseen"],
    "an error as answer": ["command.failed"],
    "an error of a command without token": ["command.failed"],
    "empty array inside a command": ["array.empty"],
    "empty array at the end of a command": ["array.empty"],
    "nested 600 commands deep": ["tree.too_deep"],
    "nested 800 arrays deep": ["tree.too_deep"],
    "trailing bytes after a command": ["trailing.unusual"],
    "a second command after the first": ["trailing.unusual"],
    "trailing bytes after a reply": ["trailing.unusual"],
    "unknown frame 0x40fffff4": ["frame.unknown"],
    "unknown frame 0x40ffffe0": ["frame.unknown"],
    "RemoteExecute against its direction": ["direction.invalid"],
}

# The first answer with token 0 is linked to the command; the later ones have no command.
ALSO_UNASKED = "Reply", "counted", "1.1.1", "class with", "blob", "an error inside", "a command in a reply"


@pytest.mark.parametrize("label", EXPECTED)
def test_each_fault_is_reported_by_its_own_expert_info(label):
    ignored = {"command.unseen"} if label.startswith(ALSO_UNASKED) or "of 8 bytes" in label or "9 bytes" in label else set()
    assert [name for name in found_in(MALFORMED)[label] if name not in ignored] == EXPECTED[label]


BARE = {
    "bare: unknown tag": ["tag.unknown"],
    "bare: length longer than the packet": ["length.too_long"],
    "bare: length shorter than the content": ["length.too_short"],
    "bare: length 0xffffffff": ["length.truncated"],
    "bare: string beyond the packet": ["string.truncated"],
    "bare: operand left over": ["length.too_long", "operand.unusual"],
    "bare: trailing bytes after a scalar": ["trailing.unusual"],
    "bare: table with an odd number of values": ["key.alone"],
    "bare: command cut": ["string.truncated"],
    "identifier in big-endian order": ["tag.unknown"],
    "three bytes of an identifier": ["tag.unknown"],
}


@pytest.mark.parametrize("label", BARE)
def test_faults_of_values_without_frame_are_reported_after_decode_as(label):
    """Without Decode As, a note says that they are not read as the payloads before them."""
    assert found_in(MALFORMED)[label] == ["payload.unread"]
    assert found_in(MALFORMED, *AS_SQUIRREL)[label] == BARE[label]


def test_every_malformed_packet_has_an_expectation():
    labels = {record["label"] for record in records(MALFORMED) if "fault" in record}
    assert labels - set(EXPECTED) - set(BARE) == {"Reply against its direction"}


def test_valid_packets_between_them_raise_no_expert_info():
    for capture in MALFORMED, RAKNET_MALFORMED:
        for record, names in zip(records(capture), experts(capture)):
            if "fault" not in record:
                assert names == [], record["label"]


@functools.lru_cache(maxsize=None)
def numbers():
    packets = tshark.fields(MALFORMED, NAMES)
    return {record["label"]: packet for record, packet in zip(records(MALFORMED), packets)}


# Chunks and remaining bytes have their numbers in separate fields or in the text.
NUMBERED = [record["label"] for record in records(MALFORMED)
            if "stated" in record and not record["label"].startswith(("chunk", "short chunk", "trailing", "a second"))]


@pytest.mark.parametrize("label", NUMBERED)
def test_both_numbers_are_reported(label):
    [record] = [record for record in records(MALFORMED) if record["label"] == label]
    packet = numbers()[label]
    pairs = list(zip(packet["squirrel.declared"], packet["squirrel.actual"]))
    if label in ("CompileString shorter than the packet", "counted array with a count below the data"):
        assert pairs == []      # only the remaining bytes contradict the number
    elif label == "length of an argument's call ends inside the next argument":
        assert pairs == [("11", "12")]      # the call includes the argument, as in the real client
    else:
        assert (str(record["stated"]), str(record["actual"])) in pairs


@pytest.mark.parametrize("record", [record for record in records(MALFORMED) if record.get("expression")],
                         ids=lambda record: record["label"])
def test_values_before_a_fault_are_decoded(record):
    assert numbers()[record["label"]]["squirrel.expression"] == [record["expression"]]


def test_no_malformed_packet_makes_wireshark_give_up():
    assert "[Malformed Packet" not in tshark.verbose(MALFORMED)
    assert "[Malformed Packet" not in tshark.verbose(RAKNET_MALFORMED)


# ---- the error in the documentation ----------------------------------------------------------------------------


def test_the_two_wrong_lengths_of_the_documentation(udp_capture):
    printed = bytes.fromhex("6a11000000670a00000073000161730001596905000000")
    capture = udp_capture(*tshark.apart([tshark.reply(payload)] for payload in (printed, b"\xe1\xff\xff\x40" + printed)))
    for packet in tshark.fields(capture, NAMES, *AS_TEST):
        assert packet["squirrel.expression"] == ['SetRemoteValueEx(GetRemoteValue("a"), "Y", 5)']
        assert packet["squirrel.declared"] == ["10", "17"]
        assert packet["squirrel.actual"] == ["4", "18"]
    assert experts(capture, *AS_TEST) == [["length.too_long", "length.too_short"]] * 2


# ---- cases that are in no capture ------------------------------------------------------------------------------


def test_other_oddities_are_reported_too(udp_capture):
    found = experts(udp_capture(*tshark.apart([tshark.reply(payload)] for payload in SAMPLES.values())), *AS_TEST)
    assert [name for name, names in zip(SAMPLES, found, strict=True) if name not in names] == []


def test_a_reassembled_frame_is_not_too_large():
    capture = tshark.PCAPS / "squirrel" / "split.pcap"
    lengths = tshark.fields(capture, ["squirrel.reassembled.length"])
    assert any(int(value) > 4095 for packet in lengths for value in packet["squirrel.reassembled.length"])
    assert not any("frame.too_long" in names for names in experts(capture))


def test_too_large_has_the_size(udp_capture):
    text = tshark.verbose(udp_capture(tshark.reply(SAMPLES["frame.too_long"])), *AS_TEST)
    assert f"A frame of {len(SAMPLES['frame.too_long'])} bytes: release 1.1.6 splits those above 4094" in text


def test_a_message_in_raknet_with_a_wrong_head_is_reported():
    found = found_in(RAKNET_MALFORMED)
    assert found["length one more than the frame"] == ["message.length.invalid"]
    assert found["length one less than the frame"] == ["message.length.invalid"]
    assert found["length 0xffffffff"] == ["message.length.invalid"]
    assert found["an unknown message id"] == ["message.id.unknown"]
    for label in "no frame", "part of an identifier", "not a frame":
        assert found[label] == []


def test_every_expert_info_is_raised_by_some_packet(udp_capture):
    captures = MALFORMED, RAKNET_MALFORMED, tshark.PCAPS / "squirrel" / "split.pcap"
    raised = {name for capture in captures for names in experts(capture) for name in names}
    written = [[tshark.reply(sample)] for sample in (*SAMPLES.values(), SPLIT_IN_SPLIT)]
    written += [[tshark.reply(payload, captured=kept)] for payload, kept in CUT]
    raised |= {name for names in experts(udp_capture(*tshark.apart(written)), *AS_TEST) for name in names}
    # An input above 2 GiB, which no packet contains; and those that need several packets (test_analysis.py, all/test_unread.py).
    unreachable = {"input.too_long", "retransmission"}
    assert {name.removeprefix("squirrel.") for name in expert_names()} - raised == unreachable


# ---- truncated captures ----------------------------------------------------------------------------------------


def test_a_packet_cut_by_the_capture_is_not_malformed(udp_capture):
    capture = udp_capture(*[tshark.reply(HELLO, captured=kept) for kept in range(4, len(HELLO))])
    assert experts(capture, *AS_TEST) == [["cut_short"]] * (len(HELLO) - 4)


def test_heads_and_chunks_cut_by_the_capture_are_not_malformed(udp_capture):
    capture = udp_capture(*[tshark.reply(ASK, captured=kept) for kept in (1, 2, 3, 6)])
    assert experts(capture, *AS_TEST) == [["head.cut_short"]] * 4
    assert experts(udp_capture(tshark.reply(CHUNK, captured=20)), *AS_TEST) == [["split.cut_short"]]


def test_the_captured_part_of_a_packet_is_decoded(udp_capture):
    [packet] = tshark.fields(udp_capture(tshark.reply(HELLO, captured=30)), ["squirrel.expression"], *AS_TEST)
    assert packet["squirrel.expression"] == ['CallRemoteFunc(GetRemoteValue("rprint")…']


# ---- limits ----------------------------------------------------------------------------------------------------


def tree_items(capture):
    """The number of items in the last packet."""
    shown = re.split(r"^Frame ", tshark.verbose(capture, *AS_TEST), flags=re.MULTILINE)[-1]
    return len(re.findall(r"^ ", shown, re.MULTILINE))


def test_values_that_fit_a_datagram_are_not_cut(udp_capture):
    words = b"".join(b"w" + struct.pack("<h", i) for i in range(300))
    reply = b"\xe3\xff\xff\x40\7\0\0\0A" + struct.pack("<I", 300) + words
    [packet] = tshark.fields(udp_capture(tshark.reply(reply)), ["squirrel.integer"], *AS_TEST)
    assert packet["squirrel.integer"] == [str(i) for i in range(300)]


def test_the_largest_datagram_is_shown_whole(udp_capture):
    values = [b"b\1", b"w\7\0", b"a\0\0\0\0", b"v" + bytes(12), b"s\0\0"]
    counts = [(65507 - 4 - 5) // len(value) for value in values]
    sent = [[tshark.reply(execute(b"A" + struct.pack("<I", count) + value * count))] for value, count in zip(values, counts)]
    found = tshark.fields(udp_capture(*tshark.apart(sent)), ["squirrel.not_shown", "squirrel.undecoded"], *AS_TEST)
    assert dict(zip(values, found, strict=True)) == dict.fromkeys(values, {"squirrel.not_shown": [], "squirrel.undecoded": []})


def test_the_largest_datagram_is_shown_whole_with_every_header(udp_capture):
    """A text takes three items."""
    count = (65507 - 4 - 5) // 5
    capture = udp_capture(tshark.reply(execute(b"A" + struct.pack("<I", count) + b"s\0\2ab" * count)))
    prefs = {"squirrel.show_headers": True}
    [packet] = tshark.fields(capture, ["squirrel.not_shown", "squirrel.length"], *AS_TEST, prefs=prefs)
    assert not packet["squirrel.not_shown"] and len(packet["squirrel.length"]) == count


def test_a_long_text_has_its_tag_and_both_bytes_of_its_length(udp_capture):
    """The length of a text has 16 bits, big-endian; that of an array 32, little-endian."""
    text = b"s" + struct.pack(">H", 300) + b"x" * 300
    capture = udp_capture(tshark.reply(execute(b"a" + struct.pack("<I", len(text)) + text)))
    prefs = {"squirrel.show_headers": True}
    items = tshark.flattened(tshark.items(capture, "squirrel", *AS_TEST, prefs=prefs)[0])
    found = [(item.name, item.start - tshark.HEADERS[4], item.size, int(item.value)) for item in items
             if item.name in ("squirrel.tag", "squirrel.length")]
    assert found == [("squirrel.tag", 4, 1, ord("a")), ("squirrel.length", 5, 4, 303),
                     ("squirrel.tag", 9, 1, ord("s")), ("squirrel.length", 10, 2, 300)]
    shown = tshark.verbose(capture, *AS_TEST, prefs=prefs)
    assert "Tag: 's' string (0x73)\n" in shown and "Length (L): 300 bytes\n" in shown


def test_a_column_of_commands_has_their_names(udp_capture):
    capture = udp_capture(tshark.reply(execute(b"g" + struct.pack("<I", 6) + b"s\0\3abc")))
    column = 'gui.column.format:"Command","%Cus:squirrel.command:0:R"'
    assert tshark.run(["-o", column, *AS_TEST], capture).stdout == "GetRemoteValue\n"


def test_an_incomplete_command_has_all_bytes_to_the_end(udp_capture):
    """Of the declared 20 bytes three exist, the beginning of a text."""
    capture = udp_capture(tshark.reply(execute(b"g" + struct.pack("<I", 20) + b"s\0\5")))
    found = [item for item in tshark.flattened(tshark.items(capture, "squirrel", *AS_TEST)[0]) if item.name == "squirrel.command"]
    assert [item.size for item in found] == [8]


@pytest.mark.parametrize("value", [b"o", b"a\0\0\0\0"], ids=["nulls", "arrays"])
def test_display_is_bounded(udp_capture, value):
    """A stream of chunks may be longer than a datagram. Wireshark 4.6 gives up when 50,000 items begin no later than an
    earlier one."""
    capture = udp_capture(*chunks(many(value)))
    found = tshark.fields(capture, ["squirrel.not_shown"], *AS_TEST)[-1]["squirrel.not_shown"]
    assert len(found) == 1
    assert 49200 < tree_items(capture) < 50000


@pytest.mark.parametrize("count", [3, 3000], ids=["whole", "cut"])
def test_the_text_is_before_the_values(udp_capture, count):
    capture = udp_capture(tshark.reply(execute(b"A" + struct.pack("<I", count) + b"w\7\0" * count)))
    [tree] = tshark.items(capture, "squirrel", *AS_TEST)
    names = [item.name for item in tshark.flattened(tree)]
    assert names.index("squirrel.expression") < names.index("squirrel.array")
    assert names.count("squirrel.expression") == 1 and names.count("squirrel.integer") == count


def test_a_datagram_in_fragments_is_shown_as_one_in_a_single_packet(tmp_path):
    """Wireshark 4.6 counts items that begin before the last fragment, and gives up at 50,000."""
    whole = tshark.udp_frame(tshark.reply(execute(b"A" + struct.pack("<I", 65000) + b"o" * 65000)))
    frames = []
    for at in range(0, len(whole) - 34, 1480):
        part = whole[34 + at:34 + at + 1480]
        more = 0x2000 if 34 + at + 1480 < len(whole) else 0
        head = struct.pack(">HHH", 20 + len(part), 7, more | at // 8) + whole[22:24] + b"\0\0" + whole[26:34]
        frames.append((at / 1e6, whole[:16] + head + part))
    capture = tshark.write_frames(tmp_path / "fragments.pcap", frames)
    [rest] = tshark.fields(capture, ["squirrel.not_shown"], *AS_TEST)[-1]["squirrel.not_shown"]
    assert 15750 < len(rest.replace(":", "")) // 2 < 15850
    assert 49200 < tree_items(capture) < 50000


def test_expert_infos_are_bounded(udp_capture):
    capture = udp_capture(tshark.reply(execute(holding(b"F", X, b"b\x02" * 40))))
    [packet] = tshark.fields(capture, ["squirrel.bool.unusual"], *AS_TEST)
    assert len(packet["squirrel.bool.unusual"]) == 10
    assert "more of these in this packet are not listed" in tshark.verbose(capture, *AS_TEST)


def test_expert_infos_do_not_depend_on_the_tree():
    """-q -z expert needs no fields of this protocol; -V needs all."""
    quiet = tshark.run(["-q", "-z", "expert"], MALFORMED).stdout
    listed = [line.split(None, 3)[0] for line in quiet.splitlines() if re.match(r"\s+\d", line)]
    loud = tshark.run(["-V"], MALFORMED).stdout
    ours = [line for line in loud.splitlines() if re.match(r"\s+\[Expert Info", line)]
    assert sum(int(count) for count in listed) == len(ours)


def test_experts_can_be_filtered_without_another_field():
    shown = [i + 1 for i, names in enumerate(experts(MALFORMED)) if names]
    filtered = tshark.run(["-Y", "_ws.expert", "-T", "fields", "-e", "frame.number"], MALFORMED).stdout.split()
    columns = tshark.run(["-Y", "_ws.expert.severity >= 1"], MALFORMED).stdout.splitlines()
    assert [int(number) for number in filtered] == shown
    assert len(columns) == len(shown)
