# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Control characters of a packet are never printed: those of ASCII, U+0080 to U+009F, which terminals obey as well, and the line
ends U+2028 and U+2029. Each text in captures of all protocols is replaced by one that has them."""

import functools
import re
import struct

import pytest

import gamewire_tshark as tshark
from plugin.tools import programs

CHARACTERS = ["\x1b[", "\x07\x08", "\x7f\x0c", "\u009b", "\u0085", "\u2028", "\u2029"]
CAPTURES = [
    "godot/multiplayer/godot-3.6-calls", "godot/multiplayer/godot-4.6.3-calls", "godot/multiplayer/godot-4.6.3-spawn",
    *(str(path.relative_to(tshark.PCAPS).with_suffix("")) for folder in ("godot/variant", "godot/stream", "godot/debugger",
      "godot/remote_fs", "leviathan", "squirrel") for path in sorted((tshark.PCAPS / folder).glob("*.pcap"))),
]
LARGEST = 100_000  # bytes of a capture

# What no output may have. Tabs and line ends separate fields and packets; in XML, Wireshark prints those of values as they are.
CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
OURS = "godot || enet || leviathan || squirrel || godot_debugger || godot_stream || godot_remote_fs"
STRINGS = ("FT_STRING", "FT_STRINGZ")
ITEM = re.compile(r'<field name="([^"]*)" showname="[^"]*" size="(\d+)" pos="(\d+)" show="[^"]*" value="([0-9a-f]+)"')


def string_fields():
    return {field.filter for field in tshark.registered_fields() if field.type in STRINGS}


def packets_of(data):
    """(offset, length) of each packet of a pcap file."""
    order, at, found = ("<" if data[0] in (0xD4, 0x4D) else ">"), 24, []
    while at < len(data):
        (length,) = struct.unpack_from(order + "I", data, at + 8)
        found.append((at + 16, length))
        at += 16 + length
    return found


def with_controls(text, number):
    """The text's bytes with a control character in place of as many of them; None if it is too short, or no ASCII text."""
    character = CHARACTERS[number % len(CHARACTERS)].encode()
    at = max((at for at in range(len(text)) if text[at:at + len(character)].isalnum()
              and len(text[at:at + len(character)]) == len(character)), default=None)
    return None if at is None else text[:at] + character + text[at + len(character):]


def replaced(path, output):
    """The capture with control characters in each text that is in its packets as it is; and the number of texts."""
    data, texts, fields = bytearray(path.read_bytes()), 0, string_fields()
    packets = packets_of(data)
    pdml = tshark.run(["-T", "pdml", *tshark.only_ours()], path).stdout.split("<packet>")[1:]
    for (start, length), items in zip(packets, pdml, strict=True):
        for name, size, position, value in ITEM.findall(items):
            begin, end = start + int(position), start + int(position) + int(size)
            if name not in fields or int(position) + int(size) > length or data[begin:end] != bytes.fromhex(value):
                continue
            changed = with_controls(bytes(data[begin:end]), texts)
            if changed:
                data[begin:end], texts = changed, texts + 1
    output.write_bytes(data)
    return texts


@functools.lru_cache(maxsize=None)
def damaged():
    """A capture of all, and the number of texts that were replaced in each."""
    counts, paths = {}, []
    for name in CAPTURES:
        path = tshark.PCAPS / f"{name}.pcap"
        if path.stat().st_size < LARGEST:
            paths.append(tshark.scratch() / f"controls-{name.replace('/', '-')}.pcap")
            counts[name] = replaced(path, paths[-1])
    return tshark.together(tuple(paths))[0], counts


OUTPUTS = {
    "lines": [], "trees": ["-V"], "two passes": ["-2", "-V"], "fields": None, "json": ["-T", "json", *tshark.only_ours()],
    "xml": ["-T", "pdml", *tshark.only_ours()], "elastic": ["-T", "ek", *tshark.only_ours()],
    "expert infos, a flow graph and statistics": ["-q", *(part for each in (
        "expert", "flow,godot,network", "godot,tree", "enet,tree", "leviathan,tree", "squirrel,tree") for part in ("-z", each))],
}


def options_of(output):
    if OUTPUTS[output] is not None:
        return OUTPUTS[output]
    return ["-T", "fields", "-e", "_ws.col.Info", "-e", "_ws.expert.message",
            *(part for name in sorted(string_fields()) for part in ("-e", name))]


def test_each_protocol_with_texts_has_some_that_are_replaced():
    counts = damaged()[1]
    for folder in ("multiplayer", "variant", "stream", "debugger", "remote_fs", "leviathan", "squirrel"):
        assert sum(count for name, count in counts.items() if folder in name) > len(CHARACTERS), folder


@pytest.mark.parametrize("output", OUTPUTS)
def test_no_output_has_a_control_character(output):
    printed = tshark.run(options_of(output), damaged()[0]).stdout
    assert printed
    if CONTROL.search(printed):
        lines = [ascii(line[:200]) for line in printed.split("\n") if CONTROL.search(line)]
        raise AssertionError(f"{len(lines)}: {lines[:5]}")


PROGRAMS = {"messages": ["gamewire-messages", "-q"], "rows": ["gamewire-messages", "-q", "--rows"],
            "report": ["gamewire-report", "-q", "--json", "-"]}


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_program_prints_a_control_character(name):
    program, *options = PROGRAMS[name]
    path, _ = damaged()
    if program == "gamewire-report":
        path = tshark.scratch() / "controls-godot-multiplayer-godot-3.6-calls.pcap"
    done = programs.run(program, *options, tshark.readable(path))
    printed = done.stdout + done.stderr
    lines = [ascii(line[:200]) for line in printed.split("\n") if CONTROL.search(line)]
    assert done.returncode == 0 and "\\u009b" in printed and not lines, f"{len(lines)}: {lines[:5]}"


def test_a_text_is_escaped_in_its_field_and_quoted_in_the_line(tmp_path):
    """As Variants are printed. Tabs and line ends of a field's value are the packet's: Wireshark escapes them itself."""
    path = tshark.write_pcap(tmp_path / "chat.pcap", [tshark.request(bytes.fromhex("04000000 0e000000 411b42c29b43e280a8447f0a090d0000"))])
    (row,) = tshark.fields(path, ["godot.string", "_ws.col.Info"], 
                         "-d", f"udp.port=={tshark.SERVER_PORT},godot")
    assert row["godot.string"] == [r"A\u001bB\u009bC\u2028D\u007f" + "\n\t\r"]
    assert row["_ws.col.Info"] == [r'String "A\u001bB\u009bC\u2028D\u007f\n\t\r"']
