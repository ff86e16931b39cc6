# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Preferences, tables of the user, profiles and files in Wireshark's window, while a capture is loaded."""

import re
import subprocess

import pytest

import gamewire_tshark
import wireshark

PAGES = {
    "enet": "ENet", "godot": "Godot", "godot_debugger": "GodotDebug", "godot_mp": "GodotMP",
    "godot_remote_fs": "GodotFS", "godot_stream": "GodotStream", "leviathan": "Leviathan", "squirrel": "Squirrel",
}
TABLES = {
    "godot.custom_fields": ("Godot custom fields", "godot_custom_fields", ("hp", "players[0].hp")),
    "godot_mp.peer_names": ("Godot peer names", "godot_peer_names", ("1463891336", "Anna")),
    "godot_mp.peer_name_calls": ("Godot calls with names of peers", "godot_peer_name_calls", ("join(0)",)),
    "godot_mp.rpc_names": ("Godot RPC names", "godot_rpc_names", ("res://a.gd", "f")),
    "godot_mp.rpc_properties": ("Godot synchronized properties", "godot_rpc_properties", ("sync", "res://a.tscn", "A/S", "A", "hp")),
}
ADD = "Create a new entry."
# Of 4.0; of later versions.
COPY = ("Copy this entry.", "Copy the selected entry(ies).")
REMOVE = ("Remove this entry.", "Remove the selected entry(ies).")


def page_of(window, dialog, name):
    """Opens the page of a protocol."""
    tree = next(tree for tree in wireshark.descendants(dialog, ("tree",))
                if any(cell.get_name() == "Protocols" for cell in wireshark.children(tree)[:20]))
    protocols = next(cell for cell in wireshark.cells(tree) if cell.get_name() == "Protocols")
    window.click_until(protocols, lambda: tree.get_child_count() > 100, "the list of protocols", ("Right",))
    # Typing selects the row of this name.
    window.type(PAGES[name])
    stack = next(wireshark.descendants(dialog, ("layered pane",)))
    return window.wait(lambda: next((page for page in wireshark.children(stack)
                                     if wireshark.is_showing(page) and preferences_on(page, name)), None), f"the page of {name}")


def preferences_on(page, name):
    """The names of a protocol's preferences, which the descriptions of a page have at their end."""
    found = (re.search(rf"<br/><br/>({name}\.[\w.]+)$", child.get_description() or "")
             for child in wireshark.descendants(page))
    return {name[1] for name in found if name}


def registered_preferences(name):
    """Without ports, which -G lists as tables of Decode As only."""
    lines = gamewire_tshark.run(["-G", "defaultprefs"]).stdout
    return set(re.findall(rf"^#?({name}\.[\w.]+):", lines, re.MULTILINE))


@pytest.mark.parametrize("name", PAGES)
def test_the_page_of_a_protocol_has_its_preferences(window, name):
    dialog = window.open("Preferences", "Edit", "Preferences…")
    page = page_of(window, dialog, name)
    tables = {table for table in TABLES if table.startswith(f"{name}.")}
    shown = {found for found in preferences_on(page, name) if not found.endswith((".udp.port", ".tcp.port"))}
    assert shown == registered_preferences(name) | tables
    window.close(dialog)


def add_row(window, preference, texts):
    """Adds a row to a table of the user; returns the dialogs, the table, and the number of rows before."""
    dialog = window.open("Preferences", "Edit", "Preferences…")
    page = page_of(window, dialog, preference.split(".", 1)[0])
    window.press(next(button for button in wireshark.descendants(page, wireshark.BUTTON)
                      if (button.get_description() or "").endswith(preference)))
    editor = window.window(TABLES[preference][0])
    table = window.table(editor)
    before = len(wireshark.rows(table)[1])
    width = len(wireshark.rows(table)[0])
    window.press(window.described(editor, ADD))
    window.wait(lambda: len(wireshark.rows(table)[1]) == before + 1, "a new row")
    for column, text in enumerate(texts):
        window.click(wireshark.cells(table)[-width + column], times=2)
        window.type(text)
        window.keys("Tab")
        window.wait(lambda place=column, wanted=text: wireshark.rows(table)[1][-1][place] == wanted, f"the text {text}")
    return dialog, editor, table, before


@pytest.mark.parametrize("preference, texts, reason", [
    ("godot_mp.rpc_names", ("res://a.gd", "join leave"), "join leave is no name of a method"),
    ("godot_mp.rpc_properties", ("always", "res://a.tscn", "A/S", "A", "hp"), "The kind is spawn, sync, delta or scenes, not always")])
def test_a_row_that_names_nothing_is_refused_with_the_reason(window, preference, texts, reason):
    dialog, editor, _, _ = add_row(window, preference, texts)
    window.wait(lambda: any(reason in (each.get_name() or "") for each in wireshark.descendants(editor)), f"the reason: {reason}")
    window.close(editor, "Cancel")
    window.close(dialog, "Cancel")


@pytest.mark.parametrize("preference", TABLES)
def test_rows_are_added_to_a_table_copied_and_removed(window, preference):
    _, file_name, texts = TABLES[preference]
    dialog, editor, table, before = add_row(window, preference, texts)
    window.press(window.described(editor, COPY))
    window.wait(lambda: len(wireshark.rows(table)[1]) == before + 2, "a copy of the row")
    window.press(window.described(editor, REMOVE))
    window.wait(lambda: len(wireshark.rows(table)[1]) == before + 1, "one row")
    window.close(editor, "OK")
    window.close(dialog, "OK")
    file = window.config / "profiles" / "Gamewire" / file_name
    window.wait(lambda: file.exists() and f'"{texts[0]}"' in file.read_text(encoding="utf-8"), f"the file {file.name}")


def packets(window):
    """The number of packets in the status bar."""
    found = (re.search(r"Packets: (\d+)", label.get_name() or "") for label in wireshark.descendants(window.main, ("label",)))
    return next((int(number[1]) for number in found if number), None)


def test_the_file_is_reloaded(window, samples):
    count = len(gamewire_tshark.run([], samples).stdout.splitlines())
    window.menu("View", "Reload")
    window.wait(lambda: packets(window) == count, f"{count} packets")


def test_a_preference_is_changed_while_the_file_is_loaded(window):
    dialog = window.open("Preferences", "Edit", "Preferences…")
    page = page_of(window, dialog, "godot")
    box = window.find(page, "Show every header", "check box")
    window.press(box)
    window.close(dialog, "OK")
    file = window.config / "profiles" / "Gamewire" / "preferences"
    window.wait(lambda: "\ngodot.show_headers: TRUE" in file.read_text(encoding="utf-8"), "the preference in its file")


@pytest.mark.parametrize("profile", ["Default", "Gamewire"])
def test_the_profile_is_changed(window, profile):
    dialog = window.open("Configuration Profiles", "Edit", "Configuration Profiles…")
    window.edit(next(cell for cell in wireshark.cells(window.table(dialog)) if cell.get_name() == profile))
    window.close(dialog, "OK")
    window.wait(lambda: any(f"Profile: {profile}" in (label.get_name() or "")
                            for label in wireshark.descendants(window.main, ("label",))), f"the profile {profile}")


if gamewire_tshark.wireshark_version() >= (4, 4):
    def test_the_profile_is_chosen_for_a_capture_of_a_game(screen, other_file):
        found = wireshark.Wireshark(screen, other_file, profile=None)
        found.wait(lambda: any("Profile: Gamewire" in (label.get_name() or "")
                               for label in wireshark.descendants(found.main, ("label",))), "the profile Gamewire")
        found.stop()


def test_times_have_microseconds_and_columns_show_long_texts(open_capture, tmp_path):
    """A capture with nanoseconds, which has packets after 1,000 s, and addresses of 15 digits: those of its second and third packet
    differ in the last digit, and do not look the same."""
    capture = gamewire_tshark.scratch() / "nanoseconds.pcap"
    bytes_of = gamewire_tshark.write_pcap(tmp_path / "microseconds.pcap", [
        gamewire_tshark.request(b"x", 0), gamewire_tshark.request(b"x", 1234.567891), gamewire_tshark.reply(b"y", 1234.567892),
        gamewire_tshark.request(b"x", 1235, ipv6=True)])
    data = bytes_of.read_bytes()
    for last in (1, 2):
        data = data.replace(bytes((192, 0, 2, last)), bytes((192, 168, 100, 100 + last)))
    bytes_of.write_bytes(data)
    subprocess.run(["editcap", "-F", "nsecpcap", str(bytes_of), str(capture)], check=True)
    found = open_capture(capture)
    packets = found.packet_list()
    found.wait(lambda: [row[1] for row in wireshark.rows(packets)[1]] == ["0.000000", "1234.567891", "1234.567892", "1235.000000"],
               "times with six digits")
    titles, rows = wireshark.rows(packets)
    cells = wireshark.cells(packets)
    for title in ("Time", "From", "To"):
        second, third = (cells[row * len(titles) + titles.index(title)] for row in (1, 2))
        assert len(second.get_name()) >= 11
        found.wait(lambda one=second, other=third: found.shape(one) != found.shape(other), f"all digits in the column {title}")


def test_the_file_is_closed_and_another_one_opened(window, other_file):
    window.menu("File", "Close")
    window.wait(lambda: "The Wireshark Network Analyzer" in (window.main.get_name() or ""), "a window without a file")
    window.open_recent(other_file.name)
    window.wait(lambda: (window.main.get_name() or "").startswith(other_file.name), "the second file")
    count = len(gamewire_tshark.run([], other_file).stdout.splitlines())
    window.wait(lambda: packets(window) == count, f"{count} packets")
