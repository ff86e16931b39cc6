# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Protocols where people meet them: their names, the formats of Decode As, and the colors of a conversation."""

import re

import pytest

import gamewire_tshark
import wireshark
from plugin.enet.datagrams import connect, datagram, reliable, verify
from test_dialogs import PLUS, first_frame

NAMES = {"enet": "ENet", "godot": "Godot", "godot_debugger": "GodotDebug", "godot_mp": "GodotMP", "godot_remote_fs": "GodotFS",
         "godot_stream": "GodotStream", "leviathan": "Leviathan", "squirrel": "Squirrel"}
PINK = (255, 192, 192)  # the first color of "Colorize Conversation"


# ---- names ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def every_protocol(samples):
    remote_fs = gamewire_tshark.PCAPS / "godot" / "remote_fs" / "godot-4.6.3-remote-fs.pcap"
    return gamewire_tshark.merge_captures([samples, remote_fs], gamewire_tshark.scratch() / "every-protocol.pcapng")


def test_enabled_protocols_have_the_names(window):
    dialog = window.open("Enabled Protocols", "Analyze", "Enabled Protocols…")
    box = next(wireshark.descendants(dialog, ("text",)))
    for name in set(NAMES.values()):
        wireshark.Atspi.EditableText.set_text_contents(box, name)
        window.wait(lambda wanted=name: wanted in {row[0] for row in wireshark.rows(window.table(dialog))[1]}, f"the row {name}")
    window.close(dialog, "Cancel")


def test_the_column_shows_different_names_without_the_profile(open_capture, every_protocol):
    """In Wireshark's own profile, whose column is narrow: cells of different protocols do not look the same."""
    # Streams have Variants in them.
    frames = {first_frame(every_protocol, protocol + (" && !godot_stream" if protocol == "godot" else "")): name
              for protocol, name in NAMES.items()}
    found = open_capture(every_protocol, profile="Default")
    found.apply_filter(f"frame.number in {{{', '.join(map(str, frames))}}}")
    packets = found.packet_list()
    found.wait(lambda: found.packet_count() == len(frames), f"{len(frames)} packets")
    titles, rows = wireshark.rows(packets)
    place = titles.index("Protocol")
    assert {int(row[0]): row[place] for row in rows} == frames
    cells = wireshark.cells(packets)[place :: len(titles)]
    found.wait(lambda: len({found.shape(cell) for cell in cells}) == len(frames), "names that look different")


# ---- Decode As -----------------------------------------------------------------------------------------------------


FORMATS = ("MsgPack", "CBOR", "ProtoBuf", "JSON")


def test_decode_as_has_formats_of_wireshark_for_the_messages_of_enet(open_capture, tmp_path):
    """All are chosen, one after the other; the last one stays."""
    capture = gamewire_tshark.write_pcap(tmp_path / "json.pcap", [
        gamewire_tshark.request(connect(), 0), gamewire_tshark.reply(verify(), 0.1),
        gamewire_tshark.request(datagram(reliable(2, b'{"hp":7}')), 0.2)])
    found = open_capture(capture)
    found.go_to(3)
    dialog = found.open("Decode As", "Analyze", "Decode As…")
    table = found.table(dialog)
    found.press(found.described(dialog, PLUS))
    found.wait(lambda: wireshark.rows(table)[1], "a row")
    assert wireshark.rows(table)[1][-1][0] == "ENet port"
    for name in FORMATS:
        found.edit(wireshark.cells(table)[-1])
        found.type(name)
        found.keys("Return")
        found.wait(lambda wanted=name: wireshark.rows(table)[1][-1][4].lower() == wanted.lower(),
                   f"{name} in {wireshark.rows(table)[1]}")
        found.click(wireshark.cells(table)[-4])  # ends the editor
    found.close(dialog, "OK")
    found.wait(lambda: any((cell.get_name() or "").startswith("JavaScript Object Notation")
                           for tree in wireshark.descendants(found.main, ("tree",)) if tree.get_name() != "Packet list"
                           for cell in wireshark.children(tree)), "the layer of JSON")


def test_decode_as_by_the_server_s_port_reads_the_messages_of_a_websocket(open_capture):
    """From a message of the server, whose destination is the client's port."""
    capture = gamewire_tshark.PCAPS / "godot" / "stream" / "godot-4.6.3-values-websocket.pcap"
    port = gamewire_tshark.fields(capture, ["tcp.dstport"], "-Y", "http.request")[0]["tcp.dstport"][0]
    number = first_frame(capture, f"websocket.opcode == 2 && tcp.srcport == {port}")
    found = open_capture(capture)
    found.go_to(number)
    dialog = found.open("Decode As", "Analyze", "Decode As…")
    table = found.table(dialog)
    found.press(found.described(dialog, PLUS))
    found.wait(lambda: wireshark.rows(table)[1], "a row")
    assert wireshark.rows(table)[1][-1][:2] == ("TCP port for protocols using WebSocket", port)
    found.edit(wireshark.cells(table)[-1])
    found.type("GodotMP")
    found.keys("Return")
    found.wait(lambda: wireshark.rows(table)[1][-1][4] == "GodotMP", f"GodotMP in {wireshark.rows(table)[1]}")
    found.click(wireshark.cells(table)[-4])
    found.close(dialog, "OK")
    packets = found.packet_list()
    place = wireshark.rows(packets)[0].index("Protocol")
    found.wait(lambda: wireshark.rows(packets)[1][number - 1][place] == "GodotMP", "GodotMP in the column")


# ---- colors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, number", [("enet", "enet.connection"), ("godot_mp", "godot_mp.stream"), ("leviathan", "udp.stream"),
                                          ("squirrel", "udp.stream")])
def test_colorize_conversation_colors_the_packets_of_the_connection(window, samples, name, number):
    first = first_frame(samples, name)
    stream, = {packet[number][0] for packet in gamewire_tshark.fields(samples, [number], "-2", "-Y", f"frame.number == {first}")}
    expected = {packet["frame.number"][0] for packet in gamewire_tshark.fields(
        samples, ["frame.number"], "-2", "-Y", f"{name} && {number} == {stream}")}
    window.apply_filter(name)
    window.go_to(first)
    window.menu("View", "Colorize Conversation", "Color 1")
    packets = window.packet_list()

    def is_colored():
        """The line that is selected has another color, as have those of other connections."""
        titles, rows = wireshark.rows(packets)
        cells = wireshark.cells(packets)[:: len(titles)]
        shown = [(row[0], window.colors(cell)) for row, cell in zip(rows, cells) if wireshark.is_showing(cell)]
        del shown[-1]  # it may be cut
        colored = {row for row, colors in shown if colors[PINK] > 100}
        return len(colored) > 3 and colored == {row for row, _ in shown if row in expected} - {str(first)}

    window.wait(is_colored, "the color of the conversation")
    window.menu("View", "Colorize Conversation", "Reset Colorization")
    window.apply_filter("")


# ---- without the plugin ----------------------------------------------------------------------------------------------


def test_the_profile_without_the_plugin_has_the_message_of_the_page(open_capture, screen):
    """Wireshark 4.0 prints it; later, a window has it for all rules of colors, before the packets are read."""
    message = re.compile('Could not compile "Gamewire: .*" in colorfilters file', re.DOTALL)
    has_window = gamewire_tshark.wireshark_version() >= (4, 4)
    found = open_capture(gamewire_tshark.PCAPS / "enet" / "channels.pcap", environment={"WIRESHARK_PLUGIN_DIR": str(screen.folder / "none")},
                         title="The Wireshark Network Analyzer" if has_window else None)
    if has_window:
        found.wait(lambda: any(message.search(label.get_name() or "") for window in wireshark.children(found.app)
                               for label in wireshark.descendants(window, ("label",))), "the message")
    else:
        found.wait(lambda: found.packet_count() == 15, "the packets")
        assert message.search(found.printed())
