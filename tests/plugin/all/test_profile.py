# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile in plugin/profile: every field in it exists, and every filter in it is valid."""

import csv
import ctypes
import functools
import re
import shutil
import subprocess

import pytest

import gamewire_tshark as tshark

PROFILE = tshark.SOURCE / "plugin" / "profile" / "Gamewire"
SAMPLE = tshark.PCAPS / "godot" / "variant" / "godot-4.6.3-game.pcap"


def paths_of(captures):
    return tuple(tshark.PCAPS / f"{capture}.pcap" for capture in captures)


def lines_of(name):
    return [line for line in (PROFILE / name).read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


def column_fields():
    return [
        field.strip()
        for column in re.findall(r"%Cus:([^:]+):", (PROFILE / "preferences").read_text(encoding="utf-8"))
        for field in column.split("||")
    ]


def text_of(cell):
    """A text of a file that Wireshark's table of settings writes: quotes are \\x22."""
    return cell.replace("\\x22", '"')


def filters():
    found = {f"color {line.split('@')[1]}": line.split("@")[2] for line in lines_of("colorfilters")}
    found |= {f"button {row[1]}": text_of(row[2]) for row in csv.reader(lines_of("dfilter_buttons"))}
    found |= {f"graph {row[1]}": row[2] for row in csv.reader(lines_of("io_graphs")) if row[2]}
    found |= {f"plot {row[2]}": row[3] for row in csv.reader(lines_of("plots"))}
    return found


def test_columns_name_fields_that_are_there():
    known = {field.filter for field in tshark.registered_fields()}
    assert column_fields()
    assert [field for field in column_fields() if field not in known] == []


def test_graphs_are_of_fields_that_are_there():
    known = {field.filter for field in tshark.registered_fields()}
    assert [row[6] for row in csv.reader(lines_of("io_graphs")) if row[6] and row[6] not in known] == []
    assert [row[6] for row in csv.reader(lines_of("plots")) if row[6] not in known | {"frame.len"}] == []


def is_filter(text):
    return tshark.run(["-Y", text, "-c", "1"], SAMPLE, check=False).returncode == 0


def test_each_filter_is_one():
    """All with one start of tshark; if that fails, one by one."""
    assert not is_filter("no_such_field")
    together = " || ".join(f"({text})" for text in filters().values())
    assert is_filter(together) or [name for name, text in filters().items() if not is_filter(text)] == []


# ---- widths, tabs ------------------------------------------------------------------------------------------


class StringList(ctypes.Structure):
    """GLib's GList, of texts."""


StringList._fields_ = [("text", ctypes.c_char_p), ("next", ctypes.POINTER(StringList)), ("previous", ctypes.POINTER(StringList))]


def string_list(name):
    """A list of the profile's file `recent`, as this version of Wireshark reads it."""
    libraries = subprocess.run(["ldd", shutil.which("tshark")], capture_output=True, text=True, check=True).stdout
    library = ctypes.CDLL(re.search(r"=> (\S*/libwireshark\.so\.\d+)", libraries).group(1))
    library.prefs_get_string_list.restype = ctypes.POINTER(StringList)
    library.prefs_get_string_list.argtypes = [ctypes.c_char_p]
    line = next(line for line in lines_of("recent") if line.startswith(f"{name}: "))
    found, item = [], library.prefs_get_string_list(line.removeprefix(f"{name}: ").encode())
    while item:
        found.append(item.contents.text.decode())
        item = item.contents.next
    return found


def widths():
    """{format: pixels} of the columns"""
    line, = (line for line in lines_of("recent") if line.startswith("column.width: "))
    row, = csv.reader([line.removeprefix("column.width: ")], skipinitialspace=True)
    return dict(zip(row[::2], map(int, row[1::2]), strict=True))


def columns():
    """{format: title} of the list of packets"""
    found = re.findall(r'^\t"(.*?)", "(%.*?)"', (PROFILE / "preferences").read_text(encoding="utf-8"), re.MULTILINE)
    return {form: title for title, form in found}


def test_each_column_has_its_width():
    """In 4.0 by its format, if the file contains a custom one without occurrence and resolution; later by its index."""
    found = string_list("column.width")
    assert found[::2] == [form.removesuffix(":1:R") for form in columns()]
    assert dict(zip(found[::2], map(int, found[1::2]), strict=True)) == widths()
    assert all(width >= 40 for width in widths().values())


def hidden_columns():
    """Their formats."""
    (line,) = (line for line in lines_of("preferences") if line.startswith("gui.column.hidden: "))
    return line.removeprefix("gui.column.hidden: ").split(",")


def test_columns_of_one_protocol_are_hidden():
    assert hidden_columns() == [form for form in columns() if form.startswith("%Cus:")]


def test_info_has_nearly_half_of_a_small_screen():
    """Of 1366 pixels, 51 are the minimap's and the scroll bar's."""
    visible = [form for form in columns() if form not in (*hidden_columns(), "%i")]
    assert 1366 - 51 - sum(widths()[form] for form in visible) >= 640


# Pixels of a character and of a cell's margins in the window's default font, DejaVu Sans Mono at 96 dpi.
CHARACTER, MARGINS = 7.75, 8


@pytest.mark.parametrize("form, longest", [("%m", 6), ("%t", 11), ("%s", 15), ("%uS", 5), ("%d", 15), ("%uD", 5), ("%p", 11),
                                           ("%L", 5)])
def test_a_column_shows_its_longest_text(form, longest):
    """Six digits of a frame's number, 9999.999999 s, 192.168.100.100, "GodotStream"; a port has five digits."""
    assert widths()[form] >= longest * CHARACTER + MARGINS


def test_addresses_are_beside_ports():
    assert [form for form in columns() if form in ("%s", "%uS", "%d", "%uD")] == ["%s", "%uS", "%d", "%uD"]


@pytest.mark.parametrize("name", ["gui.conversation_tabs", "gui.endpoint_tabs"])
def test_enet_is_among_the_tabs_with_the_default_ones(name):
    known = [line.split("\t")[1] for line in tshark.run(["-G", "protocols"]).stdout.splitlines()]
    tabs = string_list(name)
    assert [tab for tab in tabs if tab not in known] == []
    assert tabs == ["Ethernet", "IPv4", "IPv6", "TCP", "UDP", "ENet"]


OF_EACH_PROTOCOL = paths_of(["godot/multiplayer/godot-3.6-calls", "godot/multiplayer/godot-4.6.3-spawn",
                             "godot/multiplayer/godot-4.6.3-calls-websocket", "godot/debugger/godot-4.6.3-debugger",
                             "leviathan/session", "squirrel/session", "enet/lossy-client"])


@pytest.mark.parametrize("capture", OF_EACH_PROTOCOL, ids=lambda path: path.relative_to(tshark.PCAPS).as_posix())
def test_the_type_is_that_of_one_protocol(capture):
    form = next(form for form, title in columns().items() if title == "Type")
    names = form.removeprefix("%Cus:").removesuffix(":1:R").split(" || ")
    packets = tshark.fields_of_each(OF_EACH_PROTOCOL, names, "-2")[capture]
    assert packets and [packet for packet in packets if sum(bool(packet[name]) for name in names) > 1] == []


# ---- filters -----------------------------------------------------------------------------------------------


def frames(text, capture):
    return [packet["frame.number"][0] for packet in tshark.fields(capture, ["frame.number"], "-2", "-Y", text)]


CALLS = {engine: tshark.PCAPS / f"godot/multiplayer/godot-{engine}-calls.pcap" for engine in ("3.2.3", "3.6", "4.6.3")}


@pytest.mark.parametrize("name", ["color Gamewire: call of a method", "button Calls", "graph Godot calls"])
@pytest.mark.parametrize("engine", CALLS)
def test_calls_are_found_without_tables_of_names(name, engine):
    """Godot 4 sends the number of a method, not its name."""
    found, expected = (tshark.fields_of_each(tuple(CALLS.values()), ["frame.number"], "-2", "-Y", text)[CALLS[engine]]
                       for text in (filters()[name], 'godot_mp.command == "REMOTE_CALL"'))
    assert len(found) > 50
    assert found == expected


def test_the_profile_is_chosen_for_packets_of_each_protocol():
    """By Wireshark 4.4 and later."""
    line, = lines_of("profile_settings")
    names = line.removeprefix("auto_switch_filter: ").split(" || ")
    assert set(names) == {"enet", "godot", "leviathan", "squirrel"} | {f"godot_{name}" for name in
                                                                        ("mp", "stream", "debugger", "remote_fs")}
    assert is_filter(" || ".join(names))


# ---- colors ------------------------------------------------------------------------------------------------


def luminance(color):
    """Relative luminance of the Web Content Accessibility Guidelines, of three numbers of 16 bits."""
    parts = [value / 65535 for value in color]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(line):
    """Of text and background in a line of the file colorfilters."""
    background, text = [[int(value) for value in color.split(",")] for color in re.findall(r"\[([\d,]+)\]", line)]
    brighter, darker = sorted((luminance(background), luminance(text)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("line", lines_of("colorfilters"), ids=lambda line: line.split("@")[1])
def test_text_has_contrast(line):
    assert contrast(line) >= (4.5 if "(dimmed)" in line else 7)


# A capture in which a rule colors frames.
COLORED = {
    "an error of the game": "godot/debugger/godot-4.6.3-debugger",
    "a warning of the game": "godot/debugger/godot-4.6.3-debugger",
    "an error of the protocol": "enet/malformed",
    "not executed by the receiver": "godot/multiplayer/godot-4.6.3-mismatch",
    "a warning of the protocol": "enet/malformed",
    "lost, late, or not answered": "leviathan/session",
    "sent again": "enet/lossy-client",
    "an error as answer": "squirrel/session",
    "call of a method": "godot/multiplayer/godot-4.6.3-calls",
    "Godot": "godot/variant/godot-4.6.3-game",
    "only acknowledgements or pings (dimmed)": "enet/lossy-client",
    "Leviathan": "leviathan/session",
    "Squirrel": "squirrel/session",
    "ENet": "enet/channels",
}


@functools.lru_cache(maxsize=None)
def colored():
    """{path: {frame: the rule that colors it}}"""
    names = ["frame.number", "frame.coloring_rule.name"]
    options = ["-2", "--color", "-C", "Gamewire"]
    found = tshark.fields_of_each(paths_of(dict.fromkeys(COLORED.values())), names, *options, env=with_profile())
    return {path: {row["frame.number"][0]: "".join(row[names[1]]).removeprefix("Gamewire: ") for row in rows}
            for path, rows in found.items()}


def rules_of(capture):
    return colored()[tshark.PCAPS / f"{capture}.pcap"]


def with_profile():
    """The environment of a run, with a folder of settings that has the profile."""
    config = tshark.scratch() / "with-profile"
    if not config.exists():
        shutil.copytree(PROFILE, config / "profiles" / PROFILE.name)
    return {**tshark.environment(), "WIRESHARK_CONFIG_DIR": str(config)}


def test_each_rule_has_a_capture():
    assert [line.split("@")[1].removeprefix("Gamewire: ") for line in lines_of("colorfilters")] == list(COLORED)


@pytest.mark.parametrize("rule", COLORED)
def test_a_rule_colors_frames(rule):
    assert rule in rules_of(COLORED[rule]).values()


DIMMED = "only acknowledgements or pings (dimmed)"


def test_enet_alone_is_not_dimmed_as_a_whole():
    capture = "enet/channels"
    rules = rules_of(capture)
    messages = frames("enet.payload", tshark.PCAPS / f"{capture}.pcap")
    assert messages and DIMMED not in {rules[number] for number in messages}


@pytest.mark.parametrize("capture, text", [
    ("enet/lossy-client", "enet && !(enet.command in {2..4, 6..12})"),
    ("godot/debugger/godot-4.6.3-debugger", "tcp.len == 0 && !(tcp.flags.syn == 1) && !(tcp.flags.fin == 1)"),
    ("leviathan/session", "leviathan.ack_only.count"),
])
def test_acknowledgements_and_pings_are_dimmed(capture, text):
    rules = rules_of(capture)
    found = [rules[number] for number in frames(text, tshark.PCAPS / f"{capture}.pcap")]
    assert found and set(found) <= {DIMMED, "sent again", "lost, late, or not answered", "a warning of the protocol"}


# ---- buttons -----------------------------------------------------------------------------------------------

# A capture for which a button finds something, and the number of frames.
FOUND = {
    "Messages": ("godot/multiplayer/godot-4.6.3-calls", 266),
    "Calls": ("godot/multiplayer/godot-4.6.3-calls", 206),
    "Spawns": ("godot/multiplayer/godot-4.6.3-spawn", 37),
    "Late updates": ("godot/multiplayer/godot-4.6.3-late", 5),
    "Big messages": ("godot/multiplayer/godot-3.6-calls", 30),
    "Problems//Errors of the game": ("godot/debugger/godot-4.6.3-debugger", 3),
    "Problems//Warnings of the game": ("godot/debugger/godot-4.6.3-debugger", 1),
    "Problems//Calls to other methods": ("godot/multiplayer/godot-4.6.3-mismatch", 6),
    "Problems//Missing nodes": ("godot/multiplayer/godot-4.6.3-node-added", 2),
    "Problems//Two authorities": ("godot/multiplayer/godot-4.6.3-rivals", 204),
    "Problems//Own bytes of the game": ("godot/multiplayer/godot-3.6-calls", 12),
    "Problems//Expert infos": ("enet/malformed", 27),
    "Network//Sent again": ("enet/lossy-client", 16),
    "Network//Lost": ("leviathan/session", 5),
    "Network//Unanswered": ("squirrel/session", 1),
    "Network//Slow answers": ("enet/throttle", 30),
}


def test_each_button_has_a_capture():
    assert [row[1] for row in csv.reader(lines_of("dfilter_buttons"))] == list(FOUND)


@functools.lru_cache(maxsize=None)
def counted():
    """{button: the number of frames that it finds in its capture}"""
    paths = paths_of(dict.fromkeys(capture for capture, _ in FOUND.values()))
    together, begins = tshark.together(paths)
    texts = []
    for name, (capture, _) in FOUND.items():
        at = paths.index(tshark.PCAPS / f"{capture}.pcap")
        texts.append(f"({filters()[f'button {name}']}) && frame.number > {begins[at]} && frame.number <= {begins[at + 1]}")
    return dict(zip(FOUND, tshark.counts(together, texts), strict=True))


@pytest.mark.parametrize("name", FOUND)
def test_a_button_finds_frames(name):
    assert counted()[name] == FOUND[name][1]


def test_messages_are_without_acknowledgements():
    capture = tshark.PCAPS / "godot/multiplayer" / "godot-4.6.3-calls.pcap"
    found = set(frames(filters()["button Messages"], capture))
    assert found > set(frames("godot_mp", capture))
    assert found.isdisjoint(frames("enet && !enet.payload", capture))


@pytest.mark.parametrize("capture, field", [("enet/throttle", "enet.analysis.ack_rtt"), ("leviathan/session", "leviathan.time")])
def test_slow_answers_are_those_of_any_protocol(capture, field):
    path = tshark.PCAPS / f"{capture}.pcap"
    found = frames(filters()["button Network//Slow answers"], path)
    assert found and found == frames(f"{field} > 0.2", path)
