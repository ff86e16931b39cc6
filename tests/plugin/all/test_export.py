# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""File > Export PDUs to File, as tshark -U: the exported capture, read again, says what the original says, and has none of its
addresses. -z follow,godot_mp: the lines of the messages between two peers."""

import functools
import ipaddress
import re
import struct

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import connect, datagram, ping, reliable, verify
from plugin.godot.multiplayer.samples import DEFINE, websocket

ENET = tshark.PCAPS / "enet"
MULTIPLAYER = tshark.PCAPS / "godot/multiplayer"

DATAGRAMS = [
    MULTIPLAYER / "godot-4.6.3-few-calls-dtls.pcapng",
    ENET / "fragments.pcap",
    ENET / "ipv6.pcap",
    ENET / "lossy-range-coder-client.pcap",
    ENET / "range-coder-checksum.pcap",
    ENET / "reconnects.pcap",
    MULTIPLAYER / "godot-3.2.3-calls-fastlz.pcap",
    MULTIPLAYER / "godot-3.6-calls-zlib.pcap",
    MULTIPLAYER / "godot-4.6.3-calls-zstd.pcap",
]
WEBRTC = MULTIPLAYER / "godot-4.6.3-calls-webrtc.pcapng"
MESSAGES = [WEBRTC, *(MULTIPLAYER / f"{name}.pcap" for name in (
    "godot-3.2.3-calls", "godot-3.6-calls-websocket", "godot-4.6.3-calls-range-coder", "godot-4.6.3-calls-websocket",
    "godot-4.6.3-late", "godot-4.6.3-spawn-lossy"))]

# All that is known of the commands of a datagram, and of messages in it.
OF_DATAGRAMS = ["enet.peer", "enet.session", "enet.sent_time", "enet.command", "enet.channel", "enet.sequence", "enet.payload",
                "enet.reassembly.length", "enet.analysis.ack_rtt", "godot_mp.rpc.path", "godot_mp.rpc.method",
                "godot_mp.rpc.argument", "godot_mp.source", "godot_mp.target"]
OF_THE_WIRE = ["enet.compressed", "enet.checksum", "enet.compression"]
OF_MESSAGES = ["godot_mp.generation", "godot_mp.form", "godot_mp.source", "godot_mp.target", "godot_mp.rpc.path",
               "godot_mp.rpc.method", "godot_mp.rpc.property", "godot_mp.rpc.argument", "godot_mp.path.path",
               "godot_mp.path.confirmed", "godot_mp.peer", "godot_mp.spawn.name", "godot_mp.spawn.spawner_path",
               "godot_mp.sync.update.interval", "godot_mp.data"]


@functools.lru_cache(maxsize=None)
def export(capture, tap):
    """The exported capture, in a folder that tshark's user can write to."""
    exported = tshark.scratch() / "home" / f"{capture.stem}-{tap.replace(' ', '-')}.pcapng"
    tshark.run(["-2", "-U", tap, "-w", exported], capture)
    return exported


def exported_of_each(captures, tap, shown, names):
    """{capture: (its packets, those of the exported capture)}, from one export of all captures. "frame" is the number in the
    original."""
    together, begins = tshark.together(tuple(captures))
    original = tshark.fields(together, [*names, "frame.number"], "-2", "-Y", shown)
    again = tshark.fields(export(together, tap), [*names, "exported_pdu.orig_fno"], "-2")
    found = {capture: ([], []) for capture in captures}
    for side, (number, packets) in enumerate((("frame.number", original), ("exported_pdu.orig_fno", again))):
        for packet in packets:
            (frame,) = packet.pop(number)
            at = tshark.capture_at(begins, int(frame))
            found[captures[at]][side].append({**packet, "frame": frame})
    return found


@functools.lru_cache(maxsize=None)
def datagrams():
    return exported_of_each(DATAGRAMS, "ENet", "enet", [*OF_DATAGRAMS, *OF_THE_WIRE, "_ws.col.Info"])


@functools.lru_cache(maxsize=None)
def messages():
    return exported_of_each(MESSAGES, "Godot Multiplayer", "godot_mp", OF_MESSAGES)


def without_ports(info):
    return re.sub(r"^\d+ → \d+ ", "", info)


@pytest.mark.parametrize("capture", DATAGRAMS, ids=lambda path: path.stem)
def test_exported_datagrams_say_what_the_original_says(capture):
    original, again = ([{**packet, "_ws.col.Info": without_ports(*packet["_ws.col.Info"])} for packet in packets]
                        for packets in datagrams()[capture])
    for packet in original + again:
        for name in OF_THE_WIRE:
            del packet[name]
    assert len(original) > 10
    assert again == original


@pytest.mark.parametrize("capture", [DATAGRAMS[3], DATAGRAMS[4], DATAGRAMS[8]], ids=lambda path: path.stem)
def test_exported_datagrams_are_neither_compressed_nor_encrypted_and_have_no_checksum(capture):
    original, again = datagrams()[capture]
    assert any(packet["enet.compressed"] == ["1"] for packet in original)
    for packet in again:
        assert packet["enet.compressed"] == ["0"] and not packet["enet.checksum"] and not packet["enet.compression"]


def joined(packets, names):
    """Several exported messages of one original frame as one packet: {frame: {field: values}}"""
    found = {}
    for packet in packets:
        values = found.setdefault(packet["frame"], {name: [] for name in names})
        for name in names:
            values[name] += packet[name]
    return found


def test_a_message_that_the_capture_cut_is_exported_as_cut(tmp_path):
    cut = tshark.cut_packets(MULTIPLAYER / "godot-4.6.3-late.pcap", tmp_path / "late-cut.pcap", 80)
    names = ["frame.len", "frame.cap_len", "godot_mp.length", "_ws.malformed"]
    packets = tshark.fields(export(cut, "Godot Multiplayer"), names, "-2")
    missing = [int(packet["frame.len"][0]) - int(packet["frame.cap_len"][0]) for packet in packets]
    assert sum(count > 0 for count in missing) > 10 and not any(packet["_ws.malformed"] for packet in packets)


@pytest.mark.parametrize("capture", MESSAGES, ids=lambda path: path.stem)
def test_exported_messages_say_what_the_original_says(capture):
    original, again = messages()[capture]
    assert len(original) > 10
    assert all(packet["godot_mp.form"] for packet in again)
    original, again = joined(original, OF_MESSAGES), joined(again, OF_MESSAGES)
    # What is exported is known to be a message, also before there was enough evidence in the original: peers are known earlier.
    for frame, packet in original.items():
        again[frame].update({end: [] for end in ("godot_mp.source", "godot_mp.target") if not packet[end]})
    assert again == original


@pytest.mark.parametrize("capture, tap", [(DATAGRAMS[2], "ENet"), (DATAGRAMS[8], "ENet"), (WEBRTC, "Godot Multiplayer"),
                                          (MESSAGES[3], "Godot Multiplayer"), (MESSAGES[4], "Godot Multiplayer")], ids=lambda value: getattr(value, "stem", value))
def test_an_exported_capture_has_no_address_of_the_original(capture, tap):
    ends = ["ip.src", "ip.dst", "ipv6.src", "ipv6.dst"]
    original = {end for packet in tshark.fields(capture, ends) for values in packet.values() for end in values}
    assert original
    exported = export(capture, tap)
    content = exported.read_bytes()
    for end in original:
        assert end.encode() not in content
        assert ipaddress.ip_address(end).packed not in content
    hosts = {packet[end][0] for packet in tshark.fields(exported, ["exported_pdu.ipv6_src", "exported_pdu.ipv6_dst"])
             for end in packet}
    assert hosts == {f"2001:db8::{number}" for number in range(1, len(original) + 1)}


def of_hosts(frame, source, destination):
    """The Ethernet frame between hosts with these numbers."""
    return frame[:26] + struct.pack(">II", 0x0A000000 + source, 0x0A000000 + destination) + frame[34:]


def test_each_of_many_hosts_has_a_number_of_its_own(tmp_path):
    """More hosts than two bytes can number."""
    count = (1 << 16) + 2
    frame = tshark.udp_frame(tshark.request(datagram(ping(1))))
    frames = [(host / 1000, of_hosts(frame, host, host + 1)) for host in range(1, count, 2)]
    capture = tshark.write_frames(tmp_path / "hosts.pcap", frames)
    exported = tshark.scratch() / "home" / "hosts.pcapng"
    tshark.run(["-d", f"udp.port=={tshark.SERVER_PORT},enet", "-U", "ENet", "-w", exported], capture)
    names = ["exported_pdu.ipv6_src", "exported_pdu.ipv6_dst"]
    hosts = [packet[name][0] for packet in tshark.fields(exported, names) for name in names]
    first = int(ipaddress.ip_address("2001:db8::"))
    assert hosts == [str(ipaddress.ip_address(first + number)) for number in range(1, count + 1)]


def test_exported_messages_of_connections_between_the_same_ports_are_separate(tmp_path):
    """The first connection has the packet that defines the path id, the second one has not."""
    assigned = (True, websocket(struct.pack("<i", 0x4000)))
    define, call = (True, websocket(bytes.fromhex(DEFINE))), (True, websocket(bytes.fromhex("80 06 05")))
    connections = [[assigned, define, call], [assigned, call, define]]
    apart = tshark.write_tcp_connections(tmp_path / "apart.pcap", connections)
    options = ("-d", f"tcp.port=={tshark.SERVER_PORT},websocket")
    exported = tshark.scratch() / "home" / "apart.pcapng"
    tshark.run([*options, "-2", "-U", "Godot Multiplayer", "-w", exported], apart)
    # Both connections use the first one's port.
    ports = [struct.pack(">HHI", 26, 4, tshark.CLIENT_PORT + number) for number in range(2)]
    same = tmp_path / "same.pcapng"
    same.write_bytes(exported.read_bytes().replace(ports[1], ports[0]))
    assert ports[1] in exported.read_bytes()
    found = tshark.fields(same, ["godot_mp.rpc.path", "godot_mp.stream"], "-Y", "godot_mp.rpc.method_id")
    assert [(packet["godot_mp.rpc.path"], packet["godot_mp.stream"]) for packet in found] == [(["Main"], ["0"]), ([], ["1"])]


def test_the_same_hosts_in_two_vlans_are_others(tmp_path):
    packets = [tshark.request(connect()), tshark.reply(verify(), 0.1), tshark.request(datagram(reliable(1), 0x8001), 0.2)]
    frames = [(packet.time, tshark.tagged(tshark.udp_frame(packet), vlan)) for packet in packets for vlan in (10, 20)]
    exported = export(tshark.write_frames(tmp_path / "vlans.pcap", frames), "ENet")
    found = tshark.fields(exported, ["enet.connection", "enet.analysis.duplicate"])
    assert [packet["enet.connection"] for packet in found] == 3 * [["0"], ["1"]]
    assert not any(packet["enet.analysis.duplicate"] for packet in found)


# ---- exported messages that were changed -----------------------------------------------------------------------------------

DISSECTOR = b"godot_mp.exported"
CALL = bytes.fromhex("20 00 00 05000000 01 02000000 0c000000")

# Tags of Exported PDU (wsutil/exported_pdu_tlvs.h)
DISSECTOR_NAME, TABLE_NAME, TABLE_VALUE, TCP_INFO = 12, 14, 32, 34


def tag(number, value):
    value += b"\0" * (-len(value) % 4)
    return struct.pack(">HH", number, len(value)) + value


def exported_pdu(payload, *tags):
    """A packet of LINKTYPE_WIRESHARK_UPPER_PDU."""
    return b"".join(tags or [tag(DISSECTOR_NAME, DISSECTOR)]) + tag(0, b"") + payload


def write_packets(path, packets):
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 252))
        for packet in packets:
            file.write(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
    return path


def write_exported(path, payloads):
    return write_packets(path, map(exported_pdu, payloads))


def test_a_header_of_another_version_or_that_is_cut_is_left_as_data(tmp_path):
    header = bytes([1, 1, 4, 7]) + struct.pack(">IIB", 0, 5, 2)
    other = [bytes([3]) + header[1:] + CALL, *(header[:end] for end in range(1, len(header) + 1))]
    packets = tshark.json_packets(write_exported(tmp_path / "other.pcap", other))
    assert len(packets) == len(other) and not any(packets)


def test_the_header_of_an_exported_message_is_shown(tmp_path):
    header = bytes([1, 1, 3, 0x0D]) + struct.pack(">IIB", 7, 77, 2)
    path = write_exported(tmp_path / "one.pcap", [header + bytes.fromhex("0005000000") + b"hit\0"])
    names = {"version": "1", "transport": "1", "generation": "3", "client_known": "1", "from_client": "0",
             "has_connect_data": "1", "repeated": "1", "connection": "7", "connect_data": "77", "channel": "2"}
    (packet,) = tshark.fields(path, [f"godot_mp.exported.{name}" for name in names])
    assert packet == {f"godot_mp.exported.{name}": [value] for name, value in names.items()}


def segment(seq, next_seq):
    """What Wireshark passes to the dissector as `data`: version, seq, next seq, last ack seq, reassembled, flags, urgent pointer."""
    return tag(TCP_INFO, struct.pack(">HIIIBHH", 1, seq, next_seq, 0x7F7F7F7F, 1, 0x18, 0x7F7F))


VARIANT = bytes.fromhex("02000000 05000000")
OWN = {"godot.int": ["5"], "godot_mp.path.path": []}
PATH = {"godot.int": [], "godot_mp.path.path": ["Main"]}


@pytest.mark.parametrize("name, value, payload, expected", [
    ("godot.variant", None, VARIANT, OWN),
    ("godot_mp", None, bytes.fromhex(DEFINE), PATH),
    ("enet.port", 41001, VARIANT, OWN),
    ("enet.port", 41002, bytes.fromhex(DEFINE), PATH),
], ids=["variant", "messages", "Variants in ENet", "messages in ENet"])
def test_a_file_s_data_of_tcp_is_not_taken_for_a_caller_s(name, value, payload, expected, tmp_path):
    """Its first eight bytes would be the size of a caller's struct, or ENet's connection and sides."""
    called = [tag(DISSECTOR_NAME, name.encode())]
    if value:
        called = [tag(TABLE_NAME, name.encode()), tag(TABLE_VALUE, struct.pack(">I", value))]
    segments = [segment(0x7F7F7F7F, 0x7F7F7F7F), *(segment(size, 0) for size in range(8, 1024, 8))]
    path = write_packets(tmp_path / "segment.pcap", [exported_pdu(payload, *called, one) for one in segments])
    decode_as = ("-d", "enet.port==41001,godot", "-d", "enet.port==41002,godot_mp")
    ends = {"godot_mp.source": [], "godot_mp.target": []}
    packets = tshark.fields(path, [*expected, *ends, "_ws.col.Info"], *decode_as)
    assert not any(packet.pop("_ws.col.Info")[0].startswith(";") for packet in packets)
    assert packets == len(segments) * [{**expected, **ends}]


# ---- Follow Stream -----------------------------------------------------------------------------------------------------------

def followed(output):
    """The lines of a stream that was printed in hexadecimal digits."""
    return [bytes.fromhex(digits).decode() for digits in re.findall(r"^\t?([0-9a-f]+)$", output, re.MULTILINE)]


@pytest.mark.parametrize("name", ["godot-4.6.3-calls", "godot-3.6-calls-websocket"])
def test_follow_stream_has_the_lines_of_the_messages_between_two_peers(name):
    capture = MULTIPLAYER / f"{name}.pcap"
    packets = tshark.fields(capture, ["godot_mp.stream", "_ws.col.Info", "enet.analysis.resend_number"], "-2", "-Y", "godot_mp")
    streams = {packet["godot_mp.stream"][0] for packet in packets}
    assert streams == {"0", "1"}
    for stream in streams:
        infos = [packet["_ws.col.Info"][0] for packet in packets
                 if stream in packet["godot_mp.stream"] and not packet["enet.analysis.resend_number"]]
        lines = [line for info in infos for line in without_ports(info).split("; ")]
        output = tshark.run(["-2", "-q", "-z", f"follow,godot_mp,raw,{stream}"], capture).stdout
        assert followed(output) == [f"{line}\n" for line in lines]


def test_follow_stream_has_letters_outside_of_ascii():
    """As the page on multiplayer says: not in Wireshark 4.0."""
    mode, name = ("utf-8", "Sword of Åsa") if tshark.wireshark_version() >= (4, 4) else ("ascii", "Sword of ..sa")
    output = tshark.run(["-2", "-q", "-z", f"follow,godot_mp,{mode},1"], MULTIPLAYER / "godot-3.6-calls.pcap").stdout
    assert f"= Main/Units/Hero/{name}" in output


def test_follow_stream_of_addresses():
    capture = MULTIPLAYER / "godot-4.6.3-calls.pcap"
    (ends, *_) = tshark.fields(capture, ["udp.srcport", "udp.dstport", "godot_mp.stream"], "-2", "-Y", "godot_mp.stream == 1")
    by_address = tshark.run(["-q", "-z", "follow,godot_mp,raw,127.0.0.1:{},127.0.0.1:{}".format(
        ends["udp.srcport"][0], ends["udp.dstport"][0])], capture).stdout
    by_number = tshark.run(["-q", "-z", "follow,godot_mp,raw,1"], capture).stdout
    assert followed(by_address) == followed(by_number)
    assert any("RPC" in line for line in followed(by_number))


def test_follow_stream_knows_the_direction_of_messages_over_webrtc():
    """SCTP's ports are the same at both ends: those of the datagrams tell them apart."""
    packets = tshark.fields(WEBRTC, ["udp.srcport", "udp.stream"], "-2", "-Y", "godot_mp.stream == 0")
    for tap, stream in (("godot_mp", 0), ("udp", packets[0]["udp.stream"][0])):
        output = tshark.run(["-2", "-q", "-z", f"follow,{tap},raw,{stream}"], WEBRTC).stdout
        ports = re.findall(r"^Node \d: .*:(\d+)$", output, re.MULTILINE)
        assert set(ports) == {packet["udp.srcport"][0] for packet in packets}
        sides = [ports[line.startswith("\t")] for line in re.findall(r"^\t?[0-9a-f]+$", output, re.MULTILINE)]
        if tap == "udp":
            packets = tshark.fields(WEBRTC, ["udp.srcport"], "-2", "-Y", f"udp.stream == {stream}")
        assert sides == [packet["udp.srcport"][0] for packet in packets]
