# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every datagram and every command of the ENet captures, compared with the structures of its sender's libenet."""

import hashlib
import json
from functools import lru_cache

import pytest

import gamewire_records
import gamewire_tshark as tshark

FOLDER = tshark.PCAPS / "enet"
GODOT = tshark.PCAPS / "godot/multiplayer"
# Have separate tests, or no records.
OTHERWISE = {"dtls", "malformed", "rebinding", "erlang", "unusual", "checksums-differ", "moved", "closed-port", "ip-fragments"}

SOUND = sorted(path.stem for path in FOLDER.glob("*.pcap") if path.stem not in OTHERWISE)
ENGINES = sorted(path for path in GODOT.glob("*.pcap") if gamewire_records.exists(GODOT.name, path.stem))

# Field -> member of the log's commands.
MEMBERS = {
    "enet.command": "number",
    "enet.channel": "channel",
    "enet.sequence": "sequence",
    "enet.flags.acknowledge": "acknowledge",
    "enet.flags.unsequenced": "unsequenced",
    "enet.ack.sequence": "acknowledged_sequence",
    "enet.ack.sent_time": "acknowledged_sent_time",
    "enet.unreliable_sequence": "unreliable_sequence",
    "enet.group": "unsequenced_group",
    "enet.length": "length",
    "enet.fragment.start": "start_sequence",
    "enet.fragment.count": "fragment_count",
    "enet.fragment.number": "fragment_number",
    "enet.fragment.total_length": "total_length",
    "enet.fragment.offset": "fragment_offset",
    "enet.connect.outgoing_peer": "outgoing_peer",
    "enet.connect.incoming_session": "incoming_session",
    "enet.connect.outgoing_session": "outgoing_session",
    "enet.connect.mtu": "mtu",
    "enet.connect.window": "window_size",
    "enet.connect.channels": "channel_count",
    "enet.bandwidth.incoming": "incoming_bandwidth",
    "enet.bandwidth.outgoing": "outgoing_bandwidth",
    "enet.throttle.interval": "throttle_interval",
    "enet.throttle.acceleration": "throttle_acceleration",
    "enet.throttle.deceleration": "throttle_deceleration",
    "enet.data": "data",
}
HEADER = {"enet.peer": "peer", "enet.session": "session", "enet.sent_time": "sent_time",
          "enet.compressed": "compressed"}
OTHERS = ["enet.connect.id", "enet.payload", "enet.checksum", "enet.checksum.status", "enet.compression",
          "enet.compression.length", "enet.undecoded", "enet.reassembly.data", "enet.reassembly.length",
          "enet.connection", "frame.protocols"]


def records(path):
    return gamewire_records.read(path.parent.relative_to(tshark.PCAPS), path.stem)


@lru_cache(maxsize=None)
def all_decoded():
    """{capture: each packet's values}, with one start of tshark."""
    return tshark.fields_of_each(paths(), [*MEMBERS, *HEADER, *OTHERS])


def decoded(path):
    return all_decoded()[path]


def cut(path, first, to):
    """A copy of a capture without its packets before `first`."""
    data, at = path.read_bytes(), 24
    for _ in range(first):
        at += 16 + int.from_bytes(data[at + 8 : at + 12], "little")
    to.write_bytes(data[:24] + data[at:])
    return to


def numbers(values):
    return [int(value, 0) for value in values]


def paths():
    return [FOLDER / f"{name}.pcap" for name in SOUND] + ENGINES


def ids():
    return [path.stem for path in paths()]


@pytest.mark.parametrize("path", paths(), ids=ids())
def test_each_command_equals_the_sender_s_record(path):
    log, packets = records(path), decoded(path)
    assert len(log) == len(packets)
    for record, packet in zip(log, packets):
        for field, member in MEMBERS.items():
            expected = [int(command[member]) for command in record["commands"] if member in command]
            assert numbers(packet[field]) == expected, (record["n"], field)
        for field, member in HEADER.items():
            expected = [int(record[member])] if member in record else []
            assert numbers(packet[field]) == expected, (record["n"], field)
        ids_of = [int(command["connect_id"], 16) for command in record["commands"] if "connect_id" in command]
        assert numbers(packet["enet.connect.id"]) == ids_of
        assert not packet["enet.undecoded"]


def assert_payload(command, payload):
    data = bytes.fromhex(payload.replace(":", ""))
    assert len(data) == command["length"]
    if "payload" in command:
        assert data.hex() == command["payload"]
    elif "payload_sha256" in command:
        assert hashlib.sha256(data).hexdigest() == command["payload_sha256"]


@pytest.mark.parametrize("path", paths(), ids=ids())
def test_each_payload_equals_the_sender_s_record(path):
    for record, packet in zip(records(path), decoded(path)):
        commands = [command for command in record["commands"] if command.get("length")]
        assert len(packet["enet.payload"]) == len(commands), record["n"]
        for command, payload in zip(commands, packet["enet.payload"]):
            assert_payload(command, payload)


# ---- compression and checksums -------------------------------------------------------------------

MODES = {"range-coder": 2, "compression-": 2, "fastlz": 3, "zlib": 4, "zstd": 5}


def mode_of(path):
    for name, mode in MODES.items():
        if name in path.stem:
            return mode
    return None


@pytest.mark.parametrize("path", paths(), ids=ids())
def test_the_mode_of_compression_is_found_without_a_preference(path):
    """The decompressed commands are compared above; here only the mode and their length."""
    compressed = 0
    for record, packet in zip(records(path), decoded(path)):
        if not record["compressed"]:
            assert packet["enet.compression"] == []
            continue
        compressed += 1
        assert numbers(packet["enet.compression"]) == [mode_of(path)], record["n"]
        if "plain" in record:
            assert numbers(packet["enet.compression.length"]) == [len(record["plain"]) // 2]
    assert bool(compressed) == bool(mode_of(path))


@pytest.mark.parametrize("mode", ["range_coder", "zlib", "none"])
def test_a_preference_fixes_the_mode(mode):
    path = FOLDER / "range-coder.pcap"
    options = ["-o", f"enet.compression:{mode}", "-d", "udp.port==40500,enet"]
    packets = tshark.fields(path, ["enet.command", "enet.compression.unknown"], *options)
    for record, packet in zip(records(path), packets):
        readable = mode == "range_coder" or not record["compressed"]
        assert bool(packet["enet.command"]) == readable
        assert bool(packet["enet.compression.unknown"]) == (not readable)


@pytest.mark.parametrize("name", [name for name in SOUND if "checksum" in name or "range-coder" in name])
def test_checksums_are_verified_where_there_are_any(name):
    path = FOLDER / f"{name}.pcap"
    for record, packet in zip(records(path), decoded(path)):
        if "checksum" in record:
            assert numbers(packet["enet.checksum"]) == [int(record["checksum"], 16)]
            assert packet["enet.checksum.status"] == ["1"], record["n"]
        else:
            assert packet["enet.checksum"] == []


def test_checksums_are_verified_without_connect_from_the_second_datagram_on(tmp_path):
    """Two datagrams with the same connect id prove it."""
    capture = cut(FOLDER / "checksum.pcap", 10, tmp_path / "cut.pcap")
    packets = tshark.fields(capture, ["enet.checksum.status", "enet.checksum.connect_id"])
    connect_id = int(records(FOLDER / "checksum.pcap")[0]["commands"][0]["connect_id"], 16)
    status = [packet["enet.checksum.status"] for packet in packets]
    verified = [numbers(packet["enet.checksum.connect_id"]) for packet in packets if packet["enet.checksum.connect_id"]]
    assert status[-1] == ["1"] and ["0"] not in status
    assert set(map(tuple, verified)) == {(connect_id,)}
    assert len(verified) >= len(packets) - 8


# ---- captures that begin in a conversation ---------------------------------------------------------


LONG = [path for path in paths() if len(records(path)) > 150]


@lru_cache(maxsize=None)
def without_the_first_hundred():
    """{capture: the values of each packet but the first hundred}"""
    copies = {path: cut(path, 100, tshark.scratch() / f"{path.stem}-cut.pcap") for path in LONG}
    found = tshark.fields_of_each(list(copies.values()), ["enet.command", "enet.undecoded"], "-2")
    return {path: found[copy] for path, copy in copies.items()}


@pytest.mark.parametrize("path", LONG, ids=lambda path: path.stem)
def test_without_the_first_hundred_packets_all_messages_are_decoded(path):
    """On the second pass: the packets before the recognition are decoded too."""
    for record, packet in zip(records(path)[100:], without_the_first_hundred()[path]):
        expected = [command["number"] for command in record["commands"]]
        assert numbers(packet["enet.command"]) == expected, record["n"]


# ---- reassembly ----------------------------------------------------------------------------------


def test_fragments_are_reassembled_to_the_received_messages():
    path = FOLDER / "fragments.pcap"
    received = [call for call in gamewire_records.read("enet", "fragments.calls") if call.get("what") == "received"]
    lengths = {call.get("payload_sha256"): call["length"] for call in received}
    got = set()
    for packet in decoded(path):
        for length, data in zip(packet["enet.reassembly.length"], packet["enet.reassembly.data"]):
            payload = bytes.fromhex(data.replace(":", ""))
            assert len(payload) == int(length)
            got.add(hashlib.sha256(payload).hexdigest())
    assert got <= set(lengths)
    assert {digest for digest, length in lengths.items() if length > 1400} <= got


def test_the_json_of_a_message_has_its_bytes():
    def digest_of(call):
        return call.get("payload_sha256") or hashlib.sha256(bytes.fromhex(call["payload"])).hexdigest()
    received = [digest_of(call) for call in gamewire_records.read("enet", "fragments.calls") if call.get("what") == "received"]
    packets = tshark.fields(FOLDER / "fragments.pcap", ["enet.json"], "-2")
    lines = [json.loads(line) for packet in packets for line in packet["enet.json"]]
    data = [bytes.fromhex(line["data"]) for line in lines if line["kind"] == "message"]
    assert sorted(hashlib.sha256(payload).hexdigest() for payload in data) == sorted(received)


@pytest.mark.parametrize("name", ["lossy-server", "lossy-client", "wrapped-fragments"])
def test_resent_and_overtaken_fragments_are_reassembled_once(name):
    """Each message whose fragments were all captured is reassembled once."""
    path = FOLDER / f"{name}.pcap"
    parts, counts = {}, {}
    for record in records(path):
        for command in record["commands"]:
            if "fragment_count" in command:
                key = (record["host"], command["command"], command["channel"], command["sequence"] if
                       command["command"] == "SEND_UNRELIABLE_FRAGMENT" else 0, command["start_sequence"])
                parts.setdefault(key, set()).add(command["fragment_number"])
                counts[key] = command["fragment_count"]
    whole = [key for key in parts if len(parts[key]) == counts[key]]
    reassembled = sum(len(packet["enet.reassembly.length"]) for packet in decoded(path))
    assert reassembled == len(whole)


# ---- connections ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["reconnects", "disconnects", "many-clients", "refused", "ipv6", "channels"])
def test_connections_are_distinguished_by_connect_id(name):
    """Each CONNECT with another id is another connection; connections of one pair of addresses are consecutive."""
    path = FOLDER / f"{name}.pcap"
    current, numbering = {}, {}
    # All captures are read as one: the connections of the captures before it have lower numbers.
    first = int(decoded(path)[0]["enet.connection"][0])
    for record, packet in zip(records(path), decoded(path)):
        pair = frozenset((record["from_port"], record["to_port"]))
        for command in record["commands"]:
            if command["command"] == "CONNECT":
                current[pair] = command["connect_id"]
        number = numbering.setdefault(current[pair], first + len(numbering))
        if name in ("reconnects", "disconnects") and len(packet["enet.connection"]) == 1:
            # A late acknowledgement may be of the previous connection.
            assert int(packet["enet.connection"][0]) in (number, number - 1)
        else:
            assert numbers(packet["enet.connection"]) == [number], record["n"]
    assert len(numbering) >= 1


# ---- DTLS ----------------------------------------------------------------------------------------

KEY = ("-o", "dtls.psk:47616d65776972652064746c73206b65")


def test_enet_inside_dtls_is_decoded_with_the_key():
    path = FOLDER / "dtls.pcap"
    packets = [numbers(packet["enet.command"]) for packet in tshark.fields(path, ["enet.command"], *KEY)]
    log = [[command["number"] for command in record["commands"]] for record in records(path)]
    assert [commands for commands in packets if commands] == [commands for commands in log if commands]
    assert not any(packet["enet.command"] for packet in tshark.fields(path, ["enet.command"]))


# ---- whole decodings -----------------------------------------------------------------------------

# The layout of the tree. The values of the other captures are compared with the senders' structures, above.
GOLDEN = ["every-command", "malformed"]


@pytest.mark.parametrize("name", GOLDEN)
def test_the_decoding_equals_the_golden_file(name):
    tshark.check_golden(FOLDER / f"{name}.pcap", "-2")


def test_the_info_column_lists_the_commands():
    lines = tshark.info_column(FOLDER / "every-command.pcap")
    assert lines[0] == "Connect peer=0 channels=4 mtu=1400 id=0x010b5747 data=2023"
    assert lines[2] == "Ack ch=255 seq=1, Ping seq=2"
    assert lines[12] == "Fragment ch=0 seq=2 part=1/3 len=1372"


def test_a_payload_s_line_replaces_enet_s_except_for_findings():
    lines = tshark.info_column(GODOT / "godot-4.6.3-spawn-lossy.pcap")
    findings = ("[Retransmission] ", "[Spurious retransmission] ", "[Out of order] ", "[Duplicate] ")
    assert any(line.startswith(findings) and " ch=" not in line for line in lines)
    assert any(line.startswith("[Duplicate ack] Ack ch=") for line in lines)
