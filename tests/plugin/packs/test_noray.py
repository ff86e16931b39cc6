# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pack noray, on a capture of noray 1.4.3 and three players with the client of netfox.noray in Godot 4.6.3
(tests/captures/godot/noray.sh). The record has what each player got from noray, and its port."""

import random
import re
from collections import Counter

import gamewire_tshark as tshark
from plugin.packs.packs import capture, check_failing, damaged, needs_lua, pack, record

pytestmark = needs_lua

NAME = "noray-1.4"
OPTIONS = pack("noray")
TCP, UDP = 8890, 8809
PID = b"viyZuDXRa_50FC4z0JZYfHW0hB6KcJaYXGV1C1LlBL7Jd2lqg-HYCeh6L7DlrjgonjfOse5Mc9vGtmp8MCNbdlLQakdcZPiBYOkOlogy3ZPyq_WTRRH5VcY2OtwRgMk8"
NOTES = ["noray.command.unknown", "noray.registration.refused", "_ws.lua.error", "_ws.malformed"]


def events(*names):
    return [line for line in record(NAME) if line["event"] in names]


def lines(path, *more):
    """The lines of each packet, and the server's or player's port from which they are."""
    return [(int(packet["tcp.srcport"][0]), line) for packet in tshark.fields(path, ["tcp.srcport", "noray.line"], *OPTIONS, *more, "-Y", "noray.line")
            for line in packet["noray.line"]]


def test_each_line_is_what_a_player_got_or_sent():
    found = lines(capture(NAME))
    recorded = Counter(f"{line['event']} {line['data']}" for line in events("set-oid", "set-pid", "connect", "connect-relay"))
    assert Counter(line for port, line in found if port == TCP) == recorded
    host = next(line["data"] for line in events("set-oid") if line["role"] == "host")
    assert Counter(line for port, line in found if port != TCP) == {"register-host": 3, f"connect {host}": 1, f"connect-relay {host}": 1}


def test_members_of_the_lines():
    packets = tshark.fields(capture(NAME), ["noray.address", "noray.port", "noray.relay", "noray.oid", "noray.pid"], *OPTIONS, "-Y", "noray && tcp")
    found = {name: Counter(value for packet in packets for value in packet[name]) for name in packets[0]}
    addresses = Counter(line["data"] for line in events("connect"))
    assert found["noray.address"] == {"127.0.0.1": 2}
    assert {f"127.0.0.1:{port}": count for port, count in found["noray.port"].items()} == addresses
    assert found["noray.relay"] == Counter(line["data"] for line in events("connect-relay"))
    assert found["noray.pid"] == Counter(line["data"] for line in events("set-pid"))
    assert set(found["noray.oid"]) == {line["data"] for line in events("set-oid")}


def test_each_registration_is_of_the_port_that_the_player_printed():
    ports = {line["role"]: line["data"] for line in events("port")}
    pids = {line["data"]: line["role"] for line in events("set-pid")}
    requests = tshark.fields(capture(NAME), ["udp.srcport", "noray.pid", "noray.pid.assigned_in"], *OPTIONS, "-Y", f"noray.pid && udp.dstport == {UDP}")
    assert {pids[packet["noray.pid"][0]] for packet in requests} == {"host", "direct", "relayed"}
    assigned = {packet["noray.pid"][0]: packet["frame.number"][0] for packet in
                tshark.fields(capture(NAME), ["frame.number", "noray.pid"], *OPTIONS, "-Y", "noray.pid && tcp")}
    for packet in requests:
        assert packet["udp.srcport"] == [ports[pids[packet["noray.pid"][0]]]]
        assert packet["noray.pid.assigned_in"] == [assigned[packet["noray.pid"][0]]]
    replies = tshark.fields(capture(NAME), ["udp.dstport", "noray.registration"], *OPTIONS, "-Y", "noray.registration")
    assert len(replies) == len(requests) and {packet["noray.registration"][0] for packet in replies} == {"OK"}


def test_handshakes_are_between_the_ports_of_the_players_and_the_relays():
    ports = {line["role"]: int(line["data"]) for line in events("port")}
    relays = {int(line["data"]) for line in events("connect-relay")}
    names = ["udp.srcport", "udp.dstport", "noray.handshake", "noray.handshake.read", "noray.handshake.written", "noray.handshake.done"]
    packets = [{name: values[0] for name, values in packet.items()} for packet in tshark.fields(capture(NAME), names, *OPTIONS, "-Y", "noray.handshake")]
    ends = {(int(packet["udp.srcport"]), int(packet["udp.dstport"])) for packet in packets}
    assert {(ports["direct"], ports["host"]), (ports["host"], ports["direct"])} <= ends
    assert {port for pair in ends for port in pair} <= {*ports.values(), *relays}
    for packet in packets:
        flags = [packet[f"noray.handshake.{name}"] in ("1", "True") for name in ("read", "written", "done")]
        assert "$" + "".join(letter if flag else "-" for letter, flag in zip("rwx", flags)) == packet["noray.handshake"]
    assert Counter(packet["noray.handshake"] for packet in packets)["$-w-"] == 3
    # All datagrams of four bytes between them are handshakes, and none is anything else's.
    assert len(packets) == len(tshark.fields(capture(NAME), ["frame.number"], "-Y", "udp.length == 12"))


def test_nothing_in_the_capture_has_a_note():
    assert not [packet for packet in tshark.fields(capture(NAME), NOTES, *OPTIONS, "-2") if any(packet.values())]


def test_commands_of_another_version_and_refusals_have_a_note(tmp_path):
    path = tmp_path / "other.pcap"
    path.write_bytes(capture(NAME).read_bytes().replace(b"connect 127.0.0.1", b"konnect 127.0.0.1"))
    packets = tshark.fields(path, ["noray.line", "noray.command"], *OPTIONS, "-Y", "noray.command.unknown")
    assert [packet["noray.line"][0].split(":")[0] for packet in packets] == ["konnect 127.0.0.1"] * 2
    assert not any(packet["noray.command"] for packet in packets)
    tshark.write_pcap(path, [tshark.Udp(5000, UDP, PID), tshark.Udp(UDP, 5000, b"Unknown host pid!", 0.0, {"from": 2, "to": 1})])
    packets = tshark.fields(path, ["noray.registration"], *OPTIONS, "-Y", "noray.registration.refused")
    assert [packet["noray.registration"] for packet in packets] == [["Unknown host pid!"]]


def test_lines_in_parts_of_segments(tmp_path):
    path = tshark.write_tcp(tmp_path / "parts.pcap", [b"register-host\nconnect ab", b"c\nconnect-relay x", b"yz\n"], TCP)
    assert [line for _, line in lines(path)] == ["register-host", "connect abc", "connect-relay xyz"]


def test_other_ports_of_the_server(tmp_path):
    path = tshark.write_tcp(tmp_path / "ports.pcap", [b"register-host\n"], 9000)
    assert not lines(path) and [line for _, line in lines(path, "-o", "noray.tcp:9000")] == ["register-host"]
    tshark.write_pcap(path, [tshark.Udp(5000, 9001, PID)])
    assert len(tshark.fields(path, ["noray.pid"], *OPTIONS, "-o", "noray.udp:9001", "-Y", "noray.pid")) == 1


def test_others_on_the_same_ports_are_left_alone(tmp_path):
    path = tshark.write_tcp(tmp_path / "others.pcap", [b"GET / HTTP/1.1\r\n\r\n", b"connect\n", b"register-host now\n", b"\x00\x01\xff\n"], TCP)
    assert not tshark.fields(path, ["frame.number"], *OPTIONS, "-Y", "noray")
    others = [b"hello", b"OK", b"$rw", b"$rw-!", b"rwx-", b"$wr-", b"$RW-", PID[:127], PID + b"a", b"\xff" * 128]
    for port in (UDP, 40000):
        tshark.write_pcap(path, [tshark.Udp(5000, port, each) for each in others] + [tshark.Udp(port, 5000, each) for each in others])
        assert not tshark.fields(path, ["frame.number"], *OPTIONS, "-Y", "noray")


def test_a_pack_that_is_off_changes_nothing():
    off = tshark.run(["-V", *OPTIONS, "--disable-protocol", "noray"], capture(NAME)).stdout
    is_same_output = off == tshark.run(["-V"], capture(NAME)).stdout
    assert is_same_output


def test_a_pack_that_fails_says_so_once_and_leaves_the_bytes(tmp_path):
    check_failing(tmp_path, "noray", capture(NAME), functions=("dissect_lines", "dissect_handshake"))


def test_damaged_lines_and_datagrams_give_no_error(tmp_path):
    choice = random.Random(5)
    texts = [f"{line['event']} {line['data']}\n".encode() for line in events("set-oid", "set-pid", "connect", "connect-relay")]
    changed = [copy for number, text in enumerate(texts) for copy in choice.sample(damaged(text, number), 12)]
    segments = [[(False, b"register-host\n"), *((bool(place % 2), copy) for place, copy in enumerate(changed[start:start + 20]))]
                for start in range(0, len(changed), 20)]
    path = tshark.write_tcp_connections(tmp_path / "damaged.pcap", segments, port=TCP)
    datagrams = [tshark.Udp(5000, port, copy) for port in (UDP, 5001) for text in (PID, b"$rwx") for copy in (text, *damaged(text, port)) if copy]
    other = tshark.write_pcap(tmp_path / "datagrams.pcap", datagrams)
    for each in (path, other):
        done = tshark.run(["-V", *OPTIONS], each)
        assert "Lua Error" not in done.stdout and "has an error" not in done.stderr
        assert re.search("^noray: ", done.stdout, re.MULTILINE)
