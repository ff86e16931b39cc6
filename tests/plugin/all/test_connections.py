# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z gamewire,connections: each number is that of the fields and expert infos of the connection's packets."""

import math

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import connect, datagram, reliable, unreliable, verify

COLUMNS = ("ends", "protocol", "player", "messages", "bytes", "lost", "sent_again", "late", "end", "median", "high")
FIELDS = ("udp.length", "enet.analysis.lost", "enet.analysis.resend_number", "enet.analysis.ack_rtt",
          "godot_mp.sync.update.late")


def connections(capture, *options, display_filter=""):
    """The rows that tshark prints."""
    tap = "gamewire,connections" + (f",{display_filter}" if display_filter else "")
    lines = [line for line in tshark.run([*options, "-q", "-z", tap], capture).stdout.splitlines() if line.endswith("|")]
    return [dict(zip(COLUMNS, (cell.strip() for cell in line.split("|")[:-1]))) for line in lines[1:]]


def quantile(samples, percent):
    return sorted(samples)[(len(samples) - 1) * percent // 100]


@pytest.mark.parametrize("passes", [(), ("-2",)])
@pytest.mark.parametrize("name", ["enet/lossy-client", "enet/many-clients", "godot/multiplayer/godot-4.6.3-late"])
def test_a_connection_of_enet_has_the_sums_of_its_packets(name, passes):
    capture = tshark.PCAPS / f"{name}.pcap"
    rows = connections(capture, *passes)
    streams = {packet["enet.connection"][0] for packet in tshark.fields(capture, ["enet.connection"], "-Y", "enet.connection")}
    assert len(rows) == len(streams)
    for stream, row in zip(sorted(streams, key=int), rows):
        packets = tshark.fields(capture, FIELDS, *passes, "-Y", f"enet.connection == {stream}")
        values = {field: [value for packet in packets for value in packet[field]] for field in FIELDS}
        assert int(row["bytes"]) == sum(int(length) - 8 for length in values["udp.length"])
        assert int(row["sent_again"]) == len(values["enet.analysis.resend_number"])
        assert int(row["late"]) == len(values["godot_mp.sync.update.late"])
        lost = sum(int(count) for count in values["enet.analysis.lost"])
        assert (float(row["lost"]) > 0) == bool(lost)
        times = [float(time) * 1000 for time in values["enet.analysis.ack_rtt"]]
        for column, percent in (("median", 50), ("high", 95)):
            assert float(row[column]) == pytest.approx(quantile(times, percent), rel=1 / 64, abs=0.001)


def test_messages_are_those_that_the_hosts_sent():
    """Of each, by its record: sequence numbers of reliable messages, and all others. No fragments are in this capture."""
    sent = {}
    for record in gamewire_records.read("enet", "channels"):
        ports = frozenset((record["from_port"], record["to_port"]))
        for command in record["commands"]:
            if command["command"].startswith("SEND_"):
                sent.setdefault(ports, set()).add((record["from_port"], *command.values()))
    rows = connections(tshark.PCAPS / "enet" / "channels.pcap")
    assert sorted(int(row["messages"]) for row in rows) == sorted(len(messages) for messages in sent.values())


HANDSHAKE = (tshark.request(connect(), 0), tshark.reply(verify(), 0.1))


def test_lost_messages_are_a_share_of_those_that_were_sent(udp_capture):
    """Of unreliable messages 1 to 8, these four were captured."""
    messages = [tshark.request(datagram(unreliable(0, number), 0x0001), number) for number in (1, 2, 4, 8)]
    row, = connections(udp_capture(*HANDSHAKE, *messages, tshark.request(datagram(reliable(1), sent_time=9000), 9)))
    assert (row["messages"], row["lost"]) == ("5", "50.00")


def test_the_client_is_the_left_end_also_if_the_server_sends_first(udp_capture):
    row, = connections(udp_capture(tshark.reply(verify(), 0.1), tshark.request(datagram(reliable(2)), 0.2)), "-2")
    assert row["ends"] == f"192.0.2.1:{tshark.CLIENT_PORT} → 192.0.2.2:{tshark.SERVER_PORT}"


def test_a_filter_selects_the_packets_that_are_counted():
    capture = tshark.PCAPS / "enet" / "many-clients.pcap"
    row, = connections(capture, display_filter="enet.connection == 1")
    assert row == connections(capture)[1]


@pytest.mark.parametrize("name, protocol, count", [
    ("leviathan/two-clients", "Leviathan", 2), ("squirrel/session", "Squirrel", 2),
    ("godot/multiplayer/godot-4.6.3-calls-websocket", "GodotMP", 2)])
def test_each_family_has_a_row_for_each_connection(name, protocol, count):
    rows = connections(tshark.PCAPS / f"{name}.pcap", "-2")
    assert [row["protocol"] for row in rows] == [protocol] * count
    assert all(int(row["messages"]) and int(row["bytes"]) for row in rows)
    assert all(math.isfinite(float(row["lost"])) for row in rows)


def test_the_player_is_the_end_that_is_not_the_server():
    capture = tshark.PCAPS / "godot/multiplayer/godot-4.6.3-calls-websocket.pcap"
    peers = {packet["godot_mp.from"][0] for packet in tshark.fields(capture, ["godot_mp.from"], "-2", "-Y", "godot_mp.from")}
    assert {row["player"] for row in connections(capture, "-2")} == peers - {"server"}


def test_more_connections_than_rows_are_counted_together(udp_capture):
    datagrams = [tshark.Udp(10000 + number, 40001, connect(connect_id=number + 1), number / 100) for number in range(4200)]
    rows = connections(udp_capture(*datagrams))
    assert len(rows) == 4097
    assert [row["ends"] for row in rows].index("all others") == 4096
    assert int(rows[-1]["bytes"]) % len(connect()) == 0


def test_sharkd_has_the_same_rows_each_time():
    """The table of the first request is freed."""
    capture = tshark.PCAPS / "enet" / "many-clients.pcap"
    tap = {"method": "tap", "params": {"tap0": "nstat:gamewire,connections"}}
    load = {"method": "load", "params": {"file": str(tshark.readable(capture))}}
    expected = [(row["ends"], row["messages"], row["end"]) for row in connections(capture, "-2")]
    for answer in tshark.sharkd([load, tap, tap])[1:]:
        rows = answer["result"]["taps"][0]["tables"][0]["i"]
        assert [(row[0], str(row[3]), row[8]) for row in rows] == expected
