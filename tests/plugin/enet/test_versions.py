# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""ENet's forks and ENet 1.1 and 1.2 are decoded; where a user selects ENet for ENet 1.0 or Photon, that format is
reported and nothing else is shown.

The tests that they are not recognized are in tests/strangers/test_enet_versions.py.
"""

import functools
import random

import pytest

import gamewire_records
import gamewire_tshark as tshark

FOLDER = tshark.PCAPS / "enet-versions"
FORKS = ("supertuxkart", "supertuxkart-range-coder-checksum", "zpl-checksum")
OLD = {"enet-1.0": "ENet 1.0 or Photon"}
OF_1_2 = ("enet-1.1", "enet-1.2", "enet-1.2-checksum")
FORMAT_1_2 = "3"
# Captures of ENet-CSharp, and the port of the server.
CSHARP = {"csharp": "40520", "csharp-checksum": "40521"}
FORMAT_CSHARP = "1"
# Captures of the fork for Growtopia, and the port of the server.
GROWTOPIA = {"growtopia": "40530", "growtopia-checksum": "40531"}
FORMAT_GROWTOPIA = "2"
SMALLEST_IN_FRAGMENTS = 3000
SERVERS = {"40500", "40501", "40502", "40503"}
SERVER = 40500
SELECTED = ("-d", "udp.port==40500-40503,enet")

every_pass = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])


def path_of(name):
    return FOLDER / f"{name}.pcap"


# All captures that are decoded without options are read as one: most of the time is tshark's start. Of these, all but the last,
# those of ENet 1.1 and 1.2, have one connection.
DECODED = (*FORKS, *CSHARP, *GROWTOPIA, *OF_1_2)
NAMES = ["udp.srcport", "udp.dstport", "frame.protocols", "enet.format", "enet.connection", "enet.compressed", "enet.command",
         "enet.channel", "enet.payload", "enet.reassembly.data", "enet.fragment.start", "enet.checksum.status",
         "enet.nonce.repeated", "enet.port.masked.invalid", "enet.analysis.retransmission", "enet.analysis.gap",
         "enet.analysis.stale"]


@functools.lru_cache(maxsize=None)
def all_packets(*args):
    """{capture: each packet's values of NAMES}"""
    return tshark.fields_of_each([path_of(name) for name in DECODED], NAMES, *args)


def packets_of(name, *args):
    return all_packets(*args)[path_of(name)]


def connection_of(name):
    return str(DECODED.index(name))


# ---- forks -----------------------------------------------------------------------------------------------


def calls(name, what):
    return [call for call in gamewire_records.read(FOLDER.name, f"{name}.calls") if call["what"] == what]


def messages(name):
    """(sender, channel, payload) of each message, reassembled, without retransmissions."""
    for packet in packets_of(name, "-2"):
        assert not packet["enet.analysis.retransmission"]
        sender = "server" if packet["udp.srcport"][0] in SERVERS else "client"
        channels = [channel for command, channel in zip(packet["enet.command"], packet["enet.channel"])
                    if command in ("6", "7", "8", "9")]
        if packet["enet.fragment.start"]:
            yield from ((sender, channels[0], data) for data in packet["enet.reassembly.data"])
        else:
            yield from zip([sender] * len(channels), channels, packet["enet.payload"])


@pytest.mark.parametrize("name", FORKS)
def test_each_message_of_a_fork_is_decoded_over_ipv6(name):
    sent = sorted((call["host"], str(call["channel"]), call["payload"]) for call in calls(name, "send"))
    assert len(sent) == 30
    assert sorted((host, channel, payload.replace(":", "")) for host, channel, payload in messages(name)) == sent
    received = sorted((call["host"], str(call["channel"]), call["payload"]) for call in calls(name, "received"))
    other = {"server": "client", "client": "server"}
    assert sorted((other[host], channel, payload) for host, channel, payload in received) == sent


@every_pass
@pytest.mark.parametrize("name", FORKS)
def test_a_fork_is_recognized_from_its_first_datagram_on(name, passes):
    packets = packets_of(name, *passes)
    assert all("ipv6:udp:enet" in packet["frame.protocols"][0] for packet in packets)
    assert {packet["enet.connection"][0] for packet in packets} == {connection_of(name)}
    assert not any(packet["enet.analysis.gap"] for packet in packets)
    statuses = {status for packet in packets for status in packet["enet.checksum.status"]}
    assert statuses == ({"1"} if "checksum" in name else set())
    assert any(packet["enet.compressed"] == ["1"] for packet in packets) == ("range-coder" in name)


def test_the_messages_of_a_fork_are_handed_over():
    options = ("-d", f"enet.port=={SERVER},data", "-Y", "data.data")
    handed_over = tshark.fields_of_each([path_of(name) for name in FORKS], ["data.data"], *options)
    assert {name: sum(len(packet["data.data"]) for packet in handed_over[path_of(name)]) for name in FORKS} == {
        name: len(calls(name, "send")) for name in FORKS}


# ---- ENet-CSharp -----------------------------------------------------------------------------------------


def sent_once(name):
    """(sender, channel, payload) of the messages on the wire; the captures have retransmissions."""
    for packet in packets_of(name, "-2"):
        sender = "server" if packet["udp.srcport"][0] in (*CSHARP.values(), *GROWTOPIA.values()) else "client"
        channels = [channel for command, channel in zip(packet["enet.command"], packet["enet.channel"])
                    if command in ("6", "7", "8", "9", "12")]
        found = packet["enet.reassembly.data"] if packet["enet.fragment.start"] else packet["enet.payload"]
        yield from ((sender, channel, payload.replace(":", "")) for channel, payload in zip(channels, found))


@pytest.mark.parametrize("name", CSHARP)
def test_each_message_of_enet_csharp_is_decoded(name):
    sent = sorted((call["host"], str(call["channel"]), call["payload"]) for call in calls(name, "send"))
    assert len(sent) == len(set(sent)) == 22
    assert set(sent_once(name)) == set(sent)


@every_pass
@pytest.mark.parametrize("name", CSHARP)
def test_enet_csharp_is_recognized_by_its_connect_and_its_crc_64_verified(name, passes):
    packets = packets_of(name, *passes)
    assert all("udp:enet" in packet["frame.protocols"][0] for packet in packets)
    assert {(*packet["enet.format"], *packet["enet.connection"]) for packet in packets} == {(FORMAT_CSHARP, connection_of(name))}
    assert not any(packet["enet.analysis.gap"] for packet in packets)
    wanted = ["1"] if "checksum" in name else []
    assert all(packet["enet.checksum.status"] == wanted for packet in packets)


def test_a_bit_of_enet_csharp_that_changed_is_a_wrong_checksum(udp_capture):
    options, broken = ["-o", "enet.format:csharp", "-o", "enet.checksum:always"], []
    for name, port in CSHARP.items():
        options += ["-d", f"udp.port=={port},enet"]
        first = next(tshark.read_pcap(path_of(name)))
        broken.append([first._replace(payload=first.payload[:-1] + bytes([first.payload[-1] ^ 1]))])
    packets = tshark.fields(udp_capture(*tshark.apart(broken)), ["enet.checksum.status"], *options)
    assert [packet["enet.checksum.status"] for packet in packets] == [["0"]] * len(CSHARP)


# ---- Growtopia -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GROWTOPIA)
def test_each_message_of_growtopia_s_client_is_decoded(name):
    sent = {(call["host"], str(call["channel"]), call["payload"]) for call in calls(name, "send")}
    assert len(sent) == 22
    assert set(sent_once(name)) == sent


@every_pass
@pytest.mark.parametrize("name", GROWTOPIA)
def test_growtopia_s_client_has_its_header_and_the_server_enet_1_3(name, passes):
    for packet in packets_of(name, *passes):
        assert packet["enet.format"] == ([FORMAT_GROWTOPIA] if packet["udp.dstport"][0] == GROWTOPIA[name] else [])
        assert packet["enet.connection"] == [connection_of(name)] and not packet["enet.port.masked.invalid"]
        assert packet["enet.checksum.status"] == (["1"] if "checksum" in name else [])


@pytest.mark.parametrize("name", GROWTOPIA)
def test_the_server_dropped_the_datagrams_whose_nonce_is_repeated(name):
    """The library's client sends one nonce with all datagrams of a call: its record has what the server received."""
    packets = [packet for packet in packets_of(name, "-2") if packet["udp.dstport"][0] == GROWTOPIA[name]]
    received = {(str(call["channel"]), call["payload"]) for call in calls(name, "received") if call["host"] == "server"}
    accepted = {(channel, payload.replace(":", ""))
                for packet in packets if not packet["enet.nonce.repeated"] and not packet["enet.fragment.start"]
                for channel, payload in zip(packet["enet.channel"][-len(packet["enet.payload"]):], packet["enet.payload"])}
    assert sum(bool(packet["enet.nonce.repeated"]) for packet in packets) == 10
    assert accepted == {(channel, payload) for channel, payload in received if len(payload) < 2 * SMALLEST_IN_FRAGMENTS}


# ---- ENet 1.2 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OF_1_2)
def test_each_message_of_enet_1_2_is_decoded(name):
    sent = sorted((call["host"], str(call["channel"]), call["payload"]) for call in calls(name, "send"))
    assert sent
    assert sorted((host, channel, payload.replace(":", "")) for host, channel, payload in messages(name)) == sent


@every_pass
@pytest.mark.parametrize("name", OF_1_2)
def test_enet_1_2_is_recognized_by_its_connect(name, passes):
    packets = packets_of(name, *passes)
    assert all("udp:enet" in packet["frame.protocols"][0] for packet in packets)
    assert {packet["enet.format"][0] for packet in packets} == {FORMAT_1_2}
    assert len({packet["enet.connection"][0] for packet in packets}) == len(calls(name, "connect"))
    assert not any(packet["enet.analysis.gap"] or packet["enet.analysis.stale"] for packet in packets)
    statuses = {status for packet in packets for status in packet["enet.checksum.status"]}
    assert statuses == ({"1"} if "checksum" in name else set())


def test_the_format_preference_reads_what_follows_a_connect_that_was_not_captured(udp_capture):
    cut = {}
    for name in OF_1_2:
        packets = [packet for packet in tshark.read_pcap(path_of(name)) if SERVER in (packet.sport, packet.dport)]
        cut |= {(name, before): packets[before:] for before in (1, 5, 30)}
    path = udp_capture(*tshark.apart(cut.values()))
    found = tshark.fields(path, ["enet.format", "enet.command"], *SELECTED, "-o", "enet.format:1.2")
    for key, packets in zip(cut, tshark.split(found, cut.values()), strict=True):
        assert {packet["enet.format"][0] for packet in packets} == {FORMAT_1_2}, key
        assert all(packet["enet.command"] for packet in packets), key


# ---- a format that is not decoded ---------------------------------------------------------------------------------------


def enet_fields():
    return [field.filter for field in tshark.registered_fields() if field.filter.startswith("enet.")]


@every_pass
@pytest.mark.parametrize("name", OLD)
def test_a_selected_old_version_is_named_and_not_decoded(name, passes):
    packets = tshark.fields(path_of(name), enet_fields(), *passes, *SELECTED)
    assert packets
    for packet in packets:
        assert {field for field, values in packet.items() if values} == {"enet.undecoded", "enet.version.unsupported"}
    lines = tshark.info_column(path_of(name), *passes, *SELECTED)
    assert all(line.endswith(f"[Not ENet 1.3] Format of {OLD[name]}") for line in lines)


def test_the_tree_of_an_old_version():
    text = tshark.verbose(path_of("enet-1.0"), "-c", "1", *SELECTED)
    assert "ENet, format of ENet 1.0 or Photon\n" in text
    assert "Format of ENet 1.0 or Photon, which is not compatible with ENet 1.3: not decoded" in text


@pytest.mark.parametrize("name", OLD)
def test_an_old_version_is_no_statistics_and_no_conversation(name):
    assert "ENet" not in tshark.run(["-q", "-z", "conv,enet", *SELECTED], path_of(name)).stdout.split("Filter:")[1]
    tree = tshark.run(["-q", "-z", "enet,tree", *SELECTED], path_of(name)).stdout
    assert [line.split()[1] for line in tree.splitlines() if line.startswith("Datagrams")] in ([], ["0"])


@pytest.mark.parametrize("name", OLD)
def test_old_datagrams_that_are_cut_short_are_no_dissector_bug(name, tmp_path):
    source = random.Random(name)
    packets = [packet._replace(time=n / 50, options={"captured": source.randint(1, len(packet.payload))})
               for n, packet in enumerate(tshark.read_pcap(path_of(name)))]
    path = tshark.write_pcap(tmp_path / "cut.pcap", packets)
    found = tshark.fields(path, ["enet.version.unsupported", "enet.cut_short"], *SELECTED)
    assert sum(bool(packet["enet.version.unsupported"]) for packet in found) > len(found) / 4


def test_a_known_connection_is_decoded_though_a_checksum_looks_like_a_peer_of_1_2(udp_capture):
    """Peer 1, no session: the second half of this checksum is as in a datagram of ENet 1.2 without a sent time."""
    reliable = bytes.fromhex("8001 1234 cafef00d 86 00 0001 0003 616263")
    alike = bytes.fromhex("0001 cafe 0003 07 00 0001 0001 0003 616263")
    path = udp_capture(tshark.request(reliable), tshark.request(alike, 0.1))
    selected = ("-d", f"udp.port=={tshark.SERVER_PORT},enet")
    assert [packet["enet.format"] for packet in tshark.fields(path, ["enet.format"], *selected)] == [[], []]
    alone = tshark.fields(udp_capture(tshark.request(alike)), ["enet.format"], *selected)
    assert alone[0]["enet.format"] == [FORMAT_1_2]
