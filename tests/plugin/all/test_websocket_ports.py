# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Decode As by the port of a WebSocket server: Godot's protocols, and formats that Wireshark has."""

import pytest

import gamewire_tshark as tshark

CAPTURE = tshark.PCAPS / "godot/stream/godot-4.6.3-values-websocket.pcap"
FORMATS = ("cbor", "data-text-lines", "json", "msgpack", "protobuf")


def server_port():
    return tshark.fields(CAPTURE, ["tcp.dstport"], "-Y", "http.request")[0]["tcp.dstport"][0]


@pytest.mark.parametrize("name", (*FORMATS, "godot_mp", "godot_stream"))
def test_the_messages_of_the_server_s_port_go_to_the_protocol(name):
    messages = tshark.fields(CAPTURE, ["frame.protocols"], "-d", f"ws.port=={server_port()},{name}", "-Y",
                             "websocket.opcode == 2 && websocket.fin")
    assert len(messages) > 10
    for message in messages:
        assert f":websocket:{name}" in message["frame.protocols"][0]


def test_other_connections_are_recognized_as_before():
    options = ("-Y", "websocket.opcode == 2 && websocket.fin")
    assert tshark.fields(CAPTURE, ["frame.protocols"], "-d", "ws.port==1,json", *options) == tshark.fields(
        CAPTURE, ["frame.protocols"], *options)
