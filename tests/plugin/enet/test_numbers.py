# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers that are used again, numbers before the first one, copies of all datagrams, and a connection that goes on from another
address. The datagrams are those of real hosts: libenet's, and an implementation of ENet in Erlang, whose unreliable messages
all have number 1, and which numbers reliable and unreliable messages with one counter."""

import struct

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, connect, datagram, fragment, reliable, unreliable, unsequenced, verify

DECODE_AS = ("-d", f"udp.port=={tshark.SERVER_PORT},enet")
every_pass = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])

REUSED = "enet.analysis.number_reused"
RESENT = "enet.analysis.retransmission"
DUPLICATE = "enet.analysis.duplicate"
NAMES = [REUSED, RESENT, DUPLICATE, "enet.analysis.spurious_retransmission", "enet.analysis.out_of_order", "enet.analysis.lost",
         "enet.analysis.used_in", "enet.analysis.ack.unseen", "enet.analysis.address_changed", "enet.connection.continued",
         "enet.analysis.first_send", "enet.analysis.resent_in", "_ws.expert.message", "_ws.col.Info", "_ws.col.Protocol"]
DROPS = "Number used before in frame {} with other bytes: the receiver drops this"


def found_in(udp_capture, packets, *args):
    return tshark.fields(udp_capture(*packets), NAMES, *args)


# ---- numbers used before -------------------------------------------------------------------------


def of_hex(make, *datagrams):
    return [make(bytes.fromhex(payload), time) for time, payload in datagrams]


ERLANG = sorted([
    *of_hex(tshark.request,
            (0.0, "8fffaea082ff00010001ffff0000057800010000000000030000000000000000000013880000000200000002432f9ab900000000"),
            (0.030, "8001aebe01ff00000001aebd"), (0.045, "8001aecd07010000000100066d3120783d37"),
            (0.24, "8001af9d8601000200076d3320783d3231"), (0.446, "8001b06b07010000000100076d3520783d3335"),
            (0.655, "8001b13c8601000200076d3720783d3439"), (2.2, "8001b74a84ff000000000000")),
    *of_hex(tshark.reply, (0.028, "8001aebd01ff00000001aea0"),
            (0.029, "8001aebd83ff0001000100000000057800010000000000030000000000000000000013880000000200000002432f9ab9"),
            (0.242, "8001af9e010100000002af9d"), (0.657, "8001b13d010100000002b13c"), (2.21, "8001b74a01ff00000000b74a")),
], key=lambda packet: packet.time)


@every_pass
def test_a_number_with_other_bytes_is_no_retransmission(passes, udp_capture):
    """The first reliable message was acknowledged, so that it has arrived."""
    packets = found_in(udp_capture, ERLANG, *passes)
    assert {packet["_ws.col.Protocol"][0] for packet in packets} == {"ENet"}, "also the acknowledgement before VERIFY_CONNECT"
    assert {n: packet["enet.analysis.used_in"] for n, packet in enumerate(packets, 1) if packet[REUSED]} == {8: ["5"], 9: ["6"]}
    assert packets[7]["_ws.expert.message"] == [DROPS.format(5) + ", unless it has not got that one"]
    assert packets[8]["_ws.expert.message"] == [DROPS.format(6)]
    assert packets[8]["_ws.col.Info"] == ["[Number used before] Reliable ch=1 seq=2 len=7"]
    assert not any(packet[name] for packet in packets for name in (RESENT, DUPLICATE, "enet.analysis.resent_in",
                                                                   "enet.analysis.ack.unseen"))


def test_a_disconnect_with_a_number_before_the_first_is_no_retransmission(udp_capture):
    packets = found_in(udp_capture, ERLANG)
    assert [packet["_ws.col.Info"][0] for packet in packets[-2:]] == ["Disconnect data=0", "Ack ch=255 seq=0"]


CONNECTED = [tshark.request(connect()), tshark.reply(verify(), 0.1)]


def client(time, commands, header=0x8001, **options):
    return tshark.request(datagram(commands, header, int(time * 1000)), time, **options)


@every_pass
def test_commands_with_equal_bytes_are_no_other_commands(passes, udp_capture):
    """A retransmission, a copy, a retransmission of which the capture has not all bytes"""
    conversations = [
        [client(1, reliable(1)), client(2, reliable(1))],
        [client(1, reliable(1)), client(1, reliable(1))],
        [client(1, reliable(1, bytes(100))), client(2, reliable(1, bytes(100)), captured=40)],
        [client(1, unsequenced(1)), client(1, unsequenced(1))],
        [client(1, unreliable(0, 1)), client(1, unreliable(0, 1))],
        [client(1, fragment(sequence=8)), client(2, fragment(sequence=8))],
    ]
    conversations = [[*CONNECTED, *packets] for packets in conversations]
    found = tshark.split(found_in(udp_capture, tshark.apart(conversations), *DECODE_AS, *passes), conversations)
    assert [[name for name in (RESENT, DUPLICATE, REUSED) if packets[-1][name]] for packets in found] == [
        [RESENT], [DUPLICATE], [RESENT], [DUPLICATE], [DUPLICATE], [RESENT]]


@every_pass
def test_each_kind_of_message_may_use_a_number_again(passes, udp_capture):
    conversations = [[*CONNECTED, client(1, numbered(b"abc")), client(2, numbered(b"xyz"))] for numbered in (
        lambda payload: reliable(1, payload), lambda payload: unreliable(0, 1, payload),
        lambda payload: struct.pack(">BBHHH", 0x49, 0, 0, 1, 3) + payload, lambda payload: fragment(data=payload + b"d"))]
    found = tshark.split(found_in(udp_capture, tshark.apart(conversations), *DECODE_AS, *passes), conversations)
    for packets in found:
        assert packets[-1][REUSED] and not packets[-1][RESENT] and not packets[-1][DUPLICATE]


def test_a_ping_with_a_number_used_before_is_executed(udp_capture):
    commands = [struct.pack(">BBHII", 0x8A, 0xFF, 2, limit, 0) for limit in (3000, 4000)]
    packets = found_in(udp_capture, [*CONNECTED, *(client(time, command) for time, command in enumerate(commands, 1))])
    message = "Number used before in frame 3 with other bytes: ENet compares no numbers of commands about the connection"
    assert message in packets[-1]["_ws.expert.message"]


# ---- copies --------------------------------------------------------------------------------------


@every_pass
def test_a_second_capture_of_the_same_traffic_is_copies(passes, udp_capture):
    """Its clock is some seconds late: more messages are between than a network delays. None is lost."""
    sent = [*CONNECTED, *(client(1 + number / 100, unsequenced(number) + unreliable(0, number), 0x0001)
                          for number in range(1, 1000))]
    packets = found_in(udp_capture, [*sent, *(packet._replace(time=packet.time + 30) for packet in sent)], *passes)
    assert all(packet[DUPLICATE] for packet in packets[len(sent):])
    assert not any(packet[name] for packet in packets for name in ("enet.analysis.lost", "enet.analysis.out_of_order", REUSED))


def test_the_copy_of_the_latest_message_shows_no_loss(udp_capture):
    """After more copies than messages are remembered, it is not known as one."""
    sent = [*CONNECTED, *(client(1 + first / 1000, b"".join(map(unsequenced, range(first, first + 30))), 0x0001)
                          for first in range(1, 4200, 30))]
    packets = found_in(udp_capture, [*sent, *(packet._replace(time=packet.time + 30) for packet in sent)])
    assert not any(packet["enet.analysis.lost"] for packet in packets)


# ---- another address -----------------------------------------------------------------------------

CLIENT, MOVED, SERVER = 32812, 51302, 7101
FIRST = "8fffab2982ff00010000ffff0000057800010000000000020000000000000000000013880000000200000002de0d397500000063"
ANSWER = "8000ab2983ff0001000000000000057800010000000000020000000000000000000013880000000200000002de0d3975"
REBOUND = [
    (CLIENT, 0.0, FIRST), (SERVER, 0.0001, ANSWER), (CLIENT, 0.0003, "8000ab2a01ff00010001ab2985ff0002"),
    (SERVER, 0.0004, "000001ff00020002ab2a"),
    (CLIENT, 2.712, "8000b5c18600000100086d7367203133300007010000000100086d73672031333000"),
    (SERVER, 2.716, "0000010000010001b5c1"),
    (MOVED, 2.960, "8000b6b98600000200086d7367203134300007010000000200086d73672031343000"),
    (MOVED, 2.980, "8000b6ce8600000200086d73672031343000"), (MOVED, 3.188, "8000b79d8600000300086d7367203135300007010000000300086d73672031353000"),
]


def rebound(change=None):
    """`change`: of the bytes of the first datagram from the other port."""
    packets = []
    for port, time, text in REBOUND:
        payload = bytes.fromhex(text)
        if change and time == 2.960:
            payload = change(payload)
        ports = (SERVER, CLIENT) if port == SERVER else (port, SERVER)
        packets.append(tshark.Udp(*ports, payload, time, {"from": 2, "to": 1} if port == SERVER else {}))
    return packets


@every_pass
def test_a_client_that_goes_on_from_another_port_continues_its_connection(passes, udp_capture):
    packets = found_in(udp_capture, rebound(), *passes)
    assert [packet["enet.connection.continued"] for packet in packets] == [[]] * 6 + [["0"]] * 3
    assert [n for n, packet in enumerate(packets, 1) if packet["enet.analysis.address_changed"]] == [7]
    assert packets[6]["_ws.expert.message"] == [
        "Continues connection 0 from another address or port: ENet ignores it, as that is not the peer's address"]
    assert packets[7][RESENT] and packets[7]["enet.analysis.first_send"] == ["7"]


@pytest.mark.parametrize("change", [
    lambda payload: b"\x80\x01" + payload[2:],                      # another peer
    lambda payload: b"\x90\x00" + payload[2:],                      # another session
    lambda payload: payload[:2] + b"\xc6\xb9" + payload[4:],        # another clock
    lambda payload: payload[:6] + b"\x40\x00" + payload[8:],        # a number far ahead
    lambda payload: payload[:6] + b"\x00\x01" + payload[8:],        # a number that was acknowledged
    lambda _: bytes.fromhex(REBOUND[4][2]),                         # a copy, as on a NAT's two sides
], ids=["peer", "session", "clock", "ahead", "acknowledged", "copy"])
def test_another_client_continues_no_connection(change, udp_capture):
    packets = found_in(udp_capture, rebound(change)[:7])
    assert not any(packet["enet.connection.continued"] for packet in packets)


@pytest.mark.parametrize("vlan, continued", [(10, ["0"]), (20, [])])
def test_a_client_in_another_vlan_continues_no_connection(vlan, continued, tmp_path):
    frames = [(packet.time, tshark.tagged(tshark.udp_frame(packet), vlan if packet.sport == MOVED else 10))
              for packet in rebound()[:7]]
    packets = tshark.fields(tshark.write_frames(tmp_path / "vlans.pcap", frames), ["enet.connection.continued"])
    assert packets[6]["enet.connection.continued"] == continued


# ---- several connections, and an answer at another address ----------------------------------------------------------


@pytest.mark.parametrize("passes", [(), ("-2",)])
def test_a_connection_that_goes_on_at_another_port_and_is_answered(passes):
    """Its first datagram alone is too little evidence: the second one, the answer, says it."""
    rows = tshark.fields(tshark.PCAPS / "enet/moved.pcap", ["enet.analysis.address_changed", "_ws.expert.message", "enet.connection.continued"], *passes)
    changed = {number for number, row in enumerate(rows, 1) if row["enet.analysis.address_changed"]}
    assert changed == {16}
    assert rows[15]["enet.connection.continued"] == ["0"]
    assert "answered there" in rows[15]["_ws.expert.message"][0] or passes == ()


@pytest.mark.parametrize("passes", [(), ("-2",)])
def test_datagrams_of_the_first_of_three_connections_of_a_host_are_not_stale(passes):
    """The server answers both later CONNECTs, and acknowledges the Disconnect of the first connection."""
    rows = tshark.fields(tshark.PCAPS / "enet/unusual.pcap", ["enet.connection", "enet.analysis.stale", "enet.command"], *passes)
    assert [row["enet.connection"] for row in rows[12:]] == [["0"], ["0"]]
    assert rows[12]["enet.command"] == ["4"] and rows[13]["enet.command"] == ["1"]
    assert not any(row["enet.analysis.stale"] for row in rows)
