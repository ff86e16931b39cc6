# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile in plugin/profile: every field in it exists, and every filter in it is valid."""

import csv
import ctypes
import re
import shutil
import subprocess

import pytest

import gamewire_tshark as tshark

PROFILE = tshark.SOURCE / "plugin" / "profile" / "Gamewire"
SAMPLE = tshark.PCAPS / "godot" / "godot-4.6.3-game.pcap"


def lines_of(name):
    return [line for line in (PROFILE / name).read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


def column_fields():
    return [
        field.strip()
        for column in re.findall(r"%Cus:([^:]+):", (PROFILE / "preferences").read_text(encoding="utf-8"))
        for field in column.split("||")
    ]


def filters():
    found = {f"color {line.split('@')[1]}": line.split("@")[2] for line in lines_of("colorfilters")}
    found |= {f"button {row[1]}": row[2] for row in csv.reader(lines_of("dfilter_buttons"))}
    found |= {f"graph {row[1]}": row[2] for row in csv.reader(lines_of("io_graphs")) if row[2]}
    return found


def test_columns_name_fields_that_are_there():
    known = {field.filter for field in tshark.registered_fields()}
    assert column_fields()
    assert [field for field in column_fields() if field not in known] == []


def test_graphs_are_of_fields_that_are_there():
    known = {field.filter for field in tshark.registered_fields()}
    assert [row[6] for row in csv.reader(lines_of("io_graphs")) if row[6] and row[6] not in known] == []


@pytest.mark.parametrize("name", filters())
def test_each_filter_is_one(name):
    assert tshark.run(["-Y", filters()[name], "-c", "1"], SAMPLE, check=False).returncode == 0


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


def columns():
    """{format: title} of the list of packets"""
    found = re.findall(r'^\t"(.*?)", "(%.*?)"', (PROFILE / "preferences").read_text(encoding="utf-8"), re.MULTILINE)
    return {form: title for title, form in found}


def test_each_column_has_its_width():
    """In 4.0 by its format, if the file contains a custom one without occurrence and resolution; later by its index."""
    widths = string_list("column.width")
    assert widths[::2] == [form.removesuffix(":1:R") for form in columns()]
    assert all(int(width) >= 40 for width in widths[1::2])


def test_addresses_are_beside_ports():
    assert [form for form in columns() if form in ("%s", "%uS", "%d", "%uD")] == ["%s", "%uS", "%d", "%uD"]


@pytest.mark.parametrize("name", ["gui.conversation_tabs", "gui.endpoint_tabs"])
def test_enet_is_among_the_tabs_with_the_default_ones(name):
    known = [line.split("\t")[1] for line in tshark.run(["-G", "protocols"]).stdout.splitlines()]
    tabs = string_list(name)
    assert [tab for tab in tabs if tab not in known] == []
    assert tabs == ["Ethernet", "IPv4", "IPv6", "TCP", "UDP", "ENet"]


@pytest.mark.parametrize("capture", ["godot-multiplayer/godot-3.6-calls", "godot-multiplayer/godot-4.6.3-spawn",
                                     "godot-multiplayer/godot-4.6.3-calls-websocket", "godot-debugger/godot-4.6.3-debugger",
                                     "leviathan/session", "squirrel/session", "enet/lossy-client"])
def test_the_type_is_that_of_one_protocol(capture):
    form = next(form for form, title in columns().items() if title == "Type")
    names = form.removeprefix("%Cus:").removesuffix(":1:R").split(" || ")
    packets = tshark.fields(tshark.PCAPS / f"{capture}.pcap", names, "-2")
    assert packets and [packet for packet in packets if sum(bool(packet[name]) for name in names) > 1] == []


# ---- filters -----------------------------------------------------------------------------------------------


def frames(text, capture):
    return [packet["frame.number"][0] for packet in tshark.fields(capture, ["frame.number"], "-2", "-Y", text)]


@pytest.mark.parametrize("name", ["color Gamewire: call of a method", "button Calls", "graph Godot calls"])
@pytest.mark.parametrize("engine", ["3.2.3", "3.6", "4.6.3"])
def test_calls_are_found_without_tables_of_names(name, engine):
    """Godot 4 sends the number of a method, not its name."""
    capture = tshark.PCAPS / "godot-multiplayer" / f"godot-{engine}-calls.pcap"
    found = frames(filters()[name], capture)
    assert len(found) > 50
    assert found == frames('godot_mp.command == "REMOTE_CALL"', capture)


@pytest.mark.parametrize("capture, field", [("enet/throttle", "enet.analysis.ack_rtt"), ("leviathan/session", "leviathan.time")])
def test_slow_answers_are_those_of_any_protocol(capture, field):
    path = tshark.PCAPS / f"{capture}.pcap"
    found = frames(filters()["button Slow answers"], path)
    assert found and found == frames(f"{field} > 0.2", path)
