# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z enet,tree, -z enet,srt, -z conv,enet, -z endpoints,enet and -z follow,enet, and the same in sharkd, compared
with the senders' logs."""

import base64
import re
from collections import Counter

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram

FOLDER = tshark.PCAPS / "enet"
CAPTURES = ("every-command", "range-coder", "fragments", "lossy-client")

NAMES = {
    "ACKNOWLEDGE": "Ack",
    "CONNECT": "Connect",
    "VERIFY_CONNECT": "Verify connect",
    "DISCONNECT": "Disconnect",
    "PING": "Ping",
    "SEND_RELIABLE": "Reliable",
    "SEND_UNRELIABLE": "Unreliable",
    "SEND_FRAGMENT": "Fragment",
    "SEND_UNSEQUENCED": "Unsequenced",
    "BANDWIDTH_LIMIT": "Bandwidth limit",
    "THROTTLE_CONFIGURE": "Throttle",
    "SEND_UNRELIABLE_FRAGMENT": "Unreliable fragment",
}


def records(name):
    return gamewire_records.read("enet", name)


def commands(name):
    return [command for record in records(name) for command in record["commands"]]


def statistics(name, which):
    return tshark.run(["-q", "-z", which], FOLDER / f"{name}.pcap").stdout


def parse_tree(output):
    """{topic: {item: count}}"""
    found, topic = {}, None
    for line in output.splitlines():
        match = re.match(r"^( ?)(\S.*?)\s{2,}(\d+)\s", line)
        if match and match.group(1):
            found[topic][match.group(2)] = int(match.group(3))
        elif match:
            topic = match.group(2)
            found[topic] = {}
    return found


@pytest.mark.parametrize("name", CAPTURES)
def test_the_tree_counts_datagrams_commands_and_channels(name):
    tree = parse_tree(statistics(name, "enet,tree"))
    assert tree["Commands"] == Counter(NAMES[command["command"]] for command in commands(name))
    assert tree["Messages by channel"] == Counter(
        f"Channel {command['channel']}" for command in commands(name) if "length" in command
    )
    kinds = Counter("Range coder" if record["compressed"] else "Plain" for record in records(name))
    assert tree["Datagrams"] == kinds


def test_commands_are_filtered_by_the_names_that_info_and_statistics_have():
    sent = [{NAMES[command["command"]] for command in record["commands"]} for record in records("every-command")]
    names = sorted(NAMES.values())
    filters = [f'enet.command == "{name}"' for name in names]
    assert tshark.counts(FOLDER / "every-command.pcap", filters) == [sum(name in found for found in sent) for name in names]


def test_numbers_have_their_units():
    text = tshark.verbose(FOLDER / "every-command.pcap")
    for line in "MTU: 1400 bytes", "Incoming bandwidth: unlimited", "Throttle interval: 5000 ms", "Length: 8 bytes":
        assert line in text
    limits = [command for command in commands("every-command") if command["command"] == "BANDWIDTH_LIMIT"]
    numbers = {limit[name] for limit in limits for name in ("incoming_bandwidth", "outgoing_bandwidth")}
    assert set(re.findall(r"bandwidth: (\d+) bytes/s", text)) == {str(number) for number in numbers - {0}}


@pytest.mark.parametrize("name", ["range-coder", "lossy-client"])
def test_the_tree_counts_bytes(name):
    tree = parse_tree(statistics(name, "enet,tree"))["Bytes"]
    log = records(name)
    expected = {
        "On the wire, plain": sum(record["length"] for record in log if not record["compressed"]),
        "On the wire, compressed": sum(record["length"] for record in log if record["compressed"]),
        "After decompression": sum(len(record["plain"]) // 2 for record in log if "plain" in record),
    }
    assert tree == {label: count for label, count in expected.items() if count}


def test_datagrams_of_an_unknown_compression_are_counted_as_unknown(tmp_path):
    path = tshark.write_pcap(tmp_path / "unknown.pcap", [tshark.request(datagram(b"\xffnothing", header=0xC001))])
    output = tshark.run(["-q", "-z", "enet,tree", "-d", f"udp.port=={tshark.SERVER_PORT},enet"], path).stdout
    assert parse_tree(output)["Datagrams"] == {"Unknown": 1}


FINDINGS = {
    "enet.analysis.retransmission": "Retransmissions",
    "enet.analysis.spurious_retransmission": "Retransmissions that were spurious",
    "enet.analysis.duplicate": "Duplicates",
    "enet.analysis.out_of_order": "Out of order",
    "enet.analysis.duplicate_ack": "Duplicate acks",
    "enet.analysis.window_full": "Window full",
}


@pytest.mark.parametrize("name", ["lossy-client", "lossy-server", "window"])
def test_the_tree_counts_findings(name):
    """Other tests compare the findings with the relay's log. Items that are counted twice are not in the sum."""
    repeated = "enet.analysis.command_repeated"
    packets = tshark.fields(FOLDER / f"{name}.pcap", [*FINDINGS, repeated, "enet.analysis.missing", "enet.analysis.lost"])
    expected = Counter({label: sum(len(packet[field]) for packet in packets) for field, label in FINDINGS.items()})
    expected["Retransmissions"] += expected["Retransmissions that were spurious"]
    expected["Retransmissions"] += sum(len(packet[repeated]) for packet in packets)
    expected["Reliable, not captured"] = sum(int(n) for packet in packets for n in packet["enet.analysis.missing"])
    expected["Unreliable, missing"] = sum(int(n) for packet in packets for n in packet["enet.analysis.lost"])
    output = statistics(name, "enet,tree")
    assert parse_tree(output)["Commands sent again, lost or out of order"] == +expected
    total = int(re.search(r"^Commands sent again\D*(\d+)", output, re.MULTILINE).group(1))
    assert total == sum(expected.values()) - expected["Retransmissions that were spurious"]


def test_round_trips_are_counted_by_the_command_that_was_acknowledged():
    """Each acknowledgement is counted for one transmission of a command that has its own row."""
    output = statistics("every-command", "enet,srt")
    rows = {}
    for line in output.splitlines():
        match = re.match(r"^\s*(\d+)\s+(\S.*?)\s{2,}(\d+)\s+[\d.]+", line)
        if match:
            rows[match.group(2)] = int(match.group(3))
    sent, expected = {}, Counter()
    for record in records("every-command"):
        other = {"client1": "server", "server": "client1"}[record["host"]]
        for command in record["commands"]:
            if command["command"] == "ACKNOWLEDGE":
                expected[NAMES[sent[other, command["channel"], command["sequence"]]]] += 1
            elif command["acknowledge"]:
                sent[record["host"], command["channel"], command["sequence"]] = command["command"]
    assert rows == expected


def test_conversations_and_endpoints_are_counted():
    log = records("many-clients")
    ports = Counter(frozenset((record["from_port"], record["to_port"])) for record in log)
    conversations = re.findall(r"<->.*?\s(\d+) \S+ \S+\s+(\d+) \S+ \S+\s+(\d+) ", statistics("many-clients", "conv,enet"))
    assert sorted(int(total) for *_, total in conversations) == sorted(ports.values())
    packets = Counter(port for record in log for port in (record["from_port"], record["to_port"]))
    endpoints = re.findall(r"^127\.0\.0\.1\s+(\d+)\s", statistics("many-clients", "endpoints,enet"), re.MULTILINE)
    assert sorted(int(count) for count in endpoints) == sorted(packets.values())


def messages_of(log):
    """The lengths of the messages and their counts; fragmented messages are counted as one."""
    sizes = Counter()
    for record in log:
        for command in record["commands"]:
            if "fragment_count" in command:
                sizes[command["total_length"]] += command["fragment_number"] == 0
            elif command.get("length"):
                sizes[command["length"]] += 1
    return sizes


def followed(name, which):
    lines = statistics(name, f"follow,enet,raw,{which}").splitlines()
    return [bytes.fromhex(line.strip()) for line in lines if re.fullmatch(r"\t?[0-9a-f]+", line)]


def test_follow_stream_shows_the_messages_of_one_connection():
    """In the order of the capture, each once; fragmented messages as one."""
    assert Counter(map(len, followed("fragments", 0))) == messages_of(records("fragments"))
    assert not followed("fragments", 7)


def test_follow_stream_names_the_two_ends():
    output = statistics("fragments", "follow,enet,ascii,0")
    first = records("fragments")[0]
    nodes = re.findall(r"^Node [01]: 127\.0\.0\.1:(\d+)$", output, re.MULTILINE)
    assert sorted(map(int, nodes)) == sorted((first["from_port"], first["to_port"]))
    assert "enet.connection == 0" in output


@pytest.mark.parametrize("name, host", [("many-clients", "127.0.0.1"), ("ipv6", "[::1]")])
def test_follow_stream_by_addresses(name, host):
    """Of several connections, the one between two endpoints."""
    log = records(name)
    client, server = log[-1]["from_port"], log[-1]["to_port"]
    own = [record for record in log if {record["from_port"], record["to_port"]} == {client, server}]
    assert messages_of(own)
    ends = f"{host}:{client},{host}:{server}"
    assert Counter(map(len, followed(name, ends))) == messages_of(own)


# ---- sharkd --------------------------------------------------------------------------------------


def sharkd(name, *requests):
    load = {"method": "load", "params": {"file": str(tshark.readable(FOLDER / f"{name}.pcap"))}}
    answers = tshark.sharkd([load, *({"method": method, "params": params} for method, params in requests)])
    return [answer["result"] for answer in answers[1:]]


def tap(name, which):
    return sharkd(name, ("tap", {"tap0": which}))[0]["taps"][0]


def test_the_tree_is_in_sharkd():
    nodes = {row["name"]: row for row in tap("every-command", "stat:enet")["stats"]}
    assert nodes["Datagrams"]["count"] == len(records("every-command"))
    found = {row["name"]: row["count"] for row in nodes["Commands"]["sub"]}
    assert found == Counter(NAMES[command["command"]] for command in commands("every-command"))


def test_round_trips_are_in_sharkd():
    rows = tap("every-command", "srt:enet")["tables"][0]["r"]
    acknowledged = sum(command["command"] == "ACKNOWLEDGE" for command in commands("every-command"))
    assert sum(row["num"] for row in rows) == acknowledged


@pytest.mark.parametrize("name, address", [("many-clients", "ip.addr==127.0.0.1"), ("ipv6", "ipv6.addr==::1")])
def test_conversations_and_endpoints_are_in_sharkd_with_filters_that_select_them(name, address):
    log = records(name)
    pairs = Counter(frozenset((record["from_port"], record["to_port"])) for record in log)
    conversations = {item["filter"]: item["rxf"] + item["txf"] for item in tap(name, "conv:ENet")["convs"]}
    assert sorted(conversations.values()) == sorted(pairs.values())
    # 4.6 has ip.src and ip.dst in place of ip.addr twice.
    assert all(filter.startswith((address, address.replace("addr", "src"))) for filter in conversations)
    for pair, count in pairs.items():
        matching = [filter for filter in conversations if all(f"udp.port=={port}" in filter for port in pair)]
        assert [conversations[filter] for filter in matching] == [count]
        selected = tshark.fields(FOLDER / f"{name}.pcap", ["frame.number"], "-Y", matching[0])
        assert len(selected) == count
    ends = Counter(port for record in log for port in (record["from_port"], record["to_port"]))
    hosts = {item["filter"]: item["rxf"] + item["txf"] for item in tap(name, "endpt:ENet")["hosts"]}
    assert hosts == {f"{address} && udp.port=={port}": count for port, count in ends.items()}


def test_follow_stream_is_in_sharkd():
    """Each frame has the number of its stream; the messages of the stream are those of the log."""
    frame, stream = sharkd("fragments", ("frame", {"frame": 9, "proto": True}),
                           ("follow", {"follow": "ENet", "filter": "enet.connection == 0"}))
    assert ["ENet", "enet.connection == 0"] in [entry[:2] for entry in frame["fol"]]
    sizes = Counter(len(base64.b64decode(message["d"])) for message in stream["payloads"])
    assert sizes == messages_of(records("fragments"))
    assert {int(stream["cport"]), int(stream["sport"])} == {records("fragments")[0][end] for end in ("from_port", "to_port")}
