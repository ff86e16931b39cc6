# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z enet,tree, -z enet,srt, -z conv,enet, -z endpoints,enet and -z follow,enet say what the senders' logs say."""

import json
import re
from collections import Counter

import pytest

import gamewire_tshark as tshark

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
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


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


def test_round_trips_are_counted_by_the_command_that_was_acknowledged():
    """Each acknowledgement answers one sending of a command that has its own row."""
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


def test_follow_stream_shows_the_messages_of_one_connection():
    """In the order of the capture, once each, those of fragments whole."""
    output = statistics("fragments", "follow,enet,raw,0")
    shown = [bytes.fromhex(line.strip()) for line in output.splitlines() if re.fullmatch(r"\t?[0-9a-f]+", line)]
    sizes = Counter()
    for command in commands("fragments"):
        if "fragment_count" in command:
            sizes[command["total_length"]] += command["fragment_number"] == 0
        elif command.get("length"):
            sizes[command["length"]] += 1
    assert Counter(map(len, shown)) == sizes
    assert not re.search(r"^\t?[0-9a-f]+$", statistics("fragments", "follow,enet,raw,7"), re.MULTILINE)
