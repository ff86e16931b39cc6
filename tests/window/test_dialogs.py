# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The windows of Wireshark that show what the plugin registers: conversations, streams, flows, expert infos, graphs, Decode As."""

import csv
import re

import pytest

import gamewire_tshark
import tables
import wireshark
from tables import printed

FLOWS = {"godot": "Godot", "leviathan": "Leviathan", "squirrel": "Squirrel"}
PREPARE_SELECTED = ("Down", "Down", "Right", "Right")  # the first item of "Prepare as Filter", "Selected"
# {protocol: the item of the menu "Follow", and the field with the stream's number}
STREAMS = {
    "enet": ("ENet Stream", "enet.connection"),
    "godot": ("Godot Stream", "udp.stream"),
    "godot_debugger": ("GodotDebug Stream", "tcp.stream"),
    "godot_mp": ("GodotMP Stream", "godot_mp.stream"),
    "godot_stream": ("GodotStream Stream", "tcp.stream"),
    "leviathan": ("Leviathan Stream", "udp.stream"),
    "squirrel": ("Squirrel Stream", "udp.stream"),
}
PLUS = "Change the dissection behavior for a protocol."


def test_conversations_of_enet_have_the_rows_of_tshark(window, samples):
    dialog = window.open("Conversations", "Statistics", "Conversations")
    tables.check_conversations(window, dialog, samples)
    window.close(dialog)


def test_a_conversation_of_enet_is_filtered_and_followed_by_what_is_its_own(window, samples):
    """Types of conversations with numbers of their own have "Filter on stream id" as the first item, which would name a stream of
    UDP."""
    dialog = window.open("Conversations", "Statistics", "Conversations")
    table = tables.tab_of_enet(window, dialog)
    window.wait(lambda: wireshark.rows(table)[1], "a conversation")
    titles, rows = wireshark.rows(table)
    row = dict(zip(titles, rows[0]))
    window.choose_in_context_menu(wireshark.cells(table)[0], *PREPARE_SELECTED, "Return")
    # Later versions have ip.src and ip.dst where both addresses are the same.
    expected = " && ".join(f"ip.addr=={row['Address ' + end]} && udp.port=={row['Port ' + end]}" for end in "AB")
    window.wait(lambda: re.sub(r"ip\.(src|dst)", "ip.addr", window.display_filter()) == expected, f"the filter {expected}")
    # 4.0 follows streams of TCP and UDP only.
    follow = window.find(dialog, "Follow Stream…", *wireshark.BUTTON)
    if gamewire_tshark.wireshark_version() < (4, 2):
        assert not wireshark.is_enabled(follow)
    else:
        window.press(follow)
        window.close(window.window("Follow ENet Stream (enet.connection =="), "Back")
    window.close(dialog)
    # Other windows are limited to the packets of the filter, also of one that is only prepared.
    window.apply_filter("")


def test_endpoints_of_enet_have_the_rows_of_tshark(window, samples):
    dialog = window.open("Endpoints", "Statistics", "Endpoints")
    tables.check_endpoints(window, dialog, samples)
    window.close(dialog)


def test_expert_infos_are_those_of_tshark(window, samples):
    dialog = window.open("Expert", "Analyze", "Expert Information")
    tables.check_experts(window, dialog, tables.printed_experts(printed(samples, "expert")))
    window.close(dialog)


def background_of_rule(name):
    """Of the profile's rules for colors, which have 16 bits for red, green and blue: "@name@filter@[background][text]"."""
    rules = (gamewire_tshark.SOURCE / "plugin" / "profile" / "Gamewire" / "colorfilters").read_text(encoding="utf-8")
    numbers = re.search(rf"^@{re.escape(name)}@.*@\[(\d+),(\d+),(\d+)\]\[", rules, re.MULTILINE).groups()
    return tuple(int(number) >> 8 for number in numbers)


@pytest.mark.parametrize("name", FLOWS)
def test_a_flow_graph_has_the_arrows_of_tshark(window, samples, name):
    # Two lines of titles, and then one line for each arrow.
    expected = len(re.findall(r"^\|-?\d+\.\d+ *\|", printed(samples, f"flow,{name},network"), re.MULTILINE))
    assert expected
    dialog = window.open("Flow", "Statistics", "Flow Graph")
    window.choose(dialog, "All Flows", FLOWS[name])
    window.wait(lambda: any(re.fullmatch(rf"\d+ node\(s\), {expected} item\(s\) *", label.get_name() or "")
                            for label in wireshark.descendants(dialog, ("label",))), f"{expected} arrows of {name}")
    # As in the list of packets. More pixels than those of texts whose edges have many colors.
    background = background_of_rule(f"Gamewire: {FLOWS[name]}")
    window.wait(lambda: window.colors(dialog)[background] > 10000, f"the color {background}")
    window.close(dialog)


def test_the_graphs_of_the_profile_are_there(window):
    with open(gamewire_tshark.SOURCE / "plugin" / "profile" / "Gamewire" / "io_graphs", encoding="utf-8") as lines:
        expected = [row[1] for row in csv.reader(line for line in lines if not line.startswith("#"))]
    dialog = window.open("I/O Graphs", "Statistics", "I/O Graphs")
    table = window.table(dialog)
    window.wait(lambda: list(tables.columns(table, ("Graph Name",))) == [(name,) for name in expected], f"the graphs {expected}")
    window.close(dialog)


def without_spaces(text):
    return re.sub(r"\s", "", text)


if gamewire_tshark.wireshark_version() >= (4, 2):
    # Before, the menu lists Wireshark's own protocols only.
    @pytest.mark.parametrize("name", STREAMS)
    def test_follow_stream_has_the_text_of_tshark(window, samples, name):
        title, number = STREAMS[name]
        stream = gamewire_tshark.fields(samples, [number], "-2", "-Y", f"{name} && {number}")[0][number][0]
        lines = printed(samples, f"follow,{name},ascii,{stream}").splitlines()
        first = next(number for number, line in enumerate(lines) if line.startswith("Node 1:")) + 1
        # Each message is below a line with its length.
        expected = without_spaces("".join(line for line in lines[first:-1] if not re.fullmatch(r"\t?\d+", line)))
        assert len(expected) > 100
        window.go_to(first_frame(samples, f"{name} && {number} == {stream}"))
        dialog = window.open("Follow", "Analyze", "Follow", title)
        box = window.wait(lambda: next(iter(wireshark.descendants(dialog, ("text",))), None), "the text")
        window.wait(lambda: without_spaces(wireshark.content(box)) == expected, f"the text {expected[:60]}...")
        # Its button "Back" removes the display filter that the window has set.
        window.close(dialog, "Back")


def first_frame(samples, display_filter):
    return int(gamewire_tshark.run(["-Y", display_filter, "-T", "fields", "-e", "frame.number"], samples).stdout.split()[0])


@pytest.mark.parametrize("table, display_filter, protocol", [
    ("ENet port", "enet", "Godot"), ("UDP port", "leviathan", "Leviathan"), ("TCP port", "godot_debugger", "Godot")])
def test_decode_as_lists_the_table_and_applies_the_protocol(window, samples, table, display_filter, protocol):
    window.go_to(first_frame(samples, display_filter))
    dialog = window.open("Decode As", "Analyze", "Decode As…")
    tree = window.table(dialog)
    before = len(wireshark.rows(tree)[1])
    window.press(window.described(dialog, PLUS))
    window.wait(lambda: len(wireshark.rows(tree)[1]) > before, "a row")
    row = wireshark.rows(tree)[1][-1]
    assert (row[0], row[1].isdigit()) == (table, True)
    window.edit(wireshark.cells(tree)[-1])
    window.type(protocol)
    window.keys("Return")
    window.wait(lambda: wireshark.rows(tree)[1][-1][4].startswith(protocol), f"{protocol} in {wireshark.rows(tree)[1]}")
    # The value's editor lists the ports of the packet.
    window.click(wireshark.cells(tree)[-4])
    window.close(dialog, "OK")


def test_files_of_the_remote_file_system_are_listed_for_export(screen):
    found = wireshark.Wireshark(screen, gamewire_tshark.readable(
        gamewire_tshark.PCAPS / "godot" / "remote_fs" / "godot-4.6.3-remote-fs.pcap"))
    dialog = found.open("Export", "File", "Export Objects", "GodotFS…")
    titles, _ = wireshark.rows(found.table(dialog))
    place = titles.index("Filename")
    found.wait(lambda: {"game.gd", "project.godot", "files of the game.txt"} <=
               {row[place] for row in wireshark.rows(found.table(dialog))[1] if len(row) > place}, "the files")
    found.stop()


FILTERS = {
    "enet": ("ENet", r"enet\.connection == \d+"),
    "godot_mp": ("GodotMP", r"godot_mp\.stream == \d+"),
    "leviathan": ("Leviathan", r"leviathan && ip\.addr == \S+ && ip\.addr == \S+ && udp\.port == \d+ && udp\.port == \d+"),
    "squirrel": ("Squirrel", r"squirrel && ip\.addr == \S+ && ip\.addr == \S+ && udp\.port == \d+ && udp\.port == \d+"),
}


@pytest.mark.parametrize("name", FILTERS)
def test_conversation_filter_selects_the_connection_of_the_packet(window, samples, name):
    title, expected = FILTERS[name]
    number = first_frame(samples, name)
    window.go_to(number)
    window.menu("Analyze", "Conversation Filter", title)
    window.wait(lambda: re.fullmatch(expected, window.display_filter()), f"a filter {expected}")
    selected = gamewire_tshark.run(["-2", "-Y", f"({window.display_filter()}) && frame.number == {number}"], samples).stdout
    assert len(selected.splitlines()) == 1
    window.apply_filter("")
