# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z leviathan,tree and -z leviathan,srt equal the senders' records."""

import json
import re
import subprocess
from collections import Counter

import pytest

import gamewire_tshark as tshark
from plugin.leviathan import decoding as leviathan

CAPTURES = ("session", "two-clients", "every-message")

# Bytes of a message without its payload.
HEADERS = {"request": 7, "response": 11}
PACKET_HEADER = 11


def statistics(path, which):
    return tshark.run(["-q", "-z", f"leviathan,{which}"], path, prefs=leviathan.PORTS).stdout


def tree(name):
    return parse_tree(statistics(leviathan.capture(name), "tree"))


def parse_tree(output):
    """{topic: (count, {item: count})}"""
    found, topic = {}, None
    for line in output.splitlines():
        match = re.match(r"^( ?)(\S.*?)\s{2,}(\d+)\s", line)
        if not match:
            continue
        label, count = match.group(2), int(match.group(3))
        if match.group(1):
            found[topic][1][label] = count
        else:
            topic = label
            found[topic] = (count, {})
    return found


def first_sends(name):
    return [record for record in leviathan.records(name) if "duplicate_of" not in record]


def message_count(name, kind):
    return Counter(
        message["type"]
        for record in first_sends(name)
        for message in record.get("messages", [])
        if message["kind"] == kind
    )


@pytest.mark.parametrize("name", CAPTURES)
def test_packets_by_type(name):
    counts = Counter(
        ("Normal" if record["packet"] == "normal" else "Ack only")
        + (", duplicate" if "duplicate_of" in record else "")
        for record in leviathan.records(name)
    )
    assert tree(name)["Packets"] == (sum(counts.values()), counts)


def test_unknown_packets_and_messages_are_counted_as_such(udp_capture):
    unknown = leviathan.normal(1002, leviathan.request(2, 999))
    path = udp_capture(*(tshark.request(payload) for payload in (leviathan.hello(), b"Le", unknown)))
    found = parse_tree(statistics(path, "tree"))
    assert found["Packets"] == (3, {"Normal": 2, "Unknown": 1})
    assert found["Requests"] == (2, {"Connect": 1, "Unknown": 1})


@pytest.mark.parametrize("name", CAPTURES)
def test_messages_by_type(name):
    found = tree(name)
    for kind, topic in (("request", "Requests"), ("response", "Responses")):
        counts = message_count(name, kind)
        assert found[topic] == (sum(counts.values()), counts)


def parse_lengths(output):
    """{topic: {type: (count, average, least, greatest)}}, for nodes with an average."""
    found, topic = {}, None
    for line in output.splitlines():
        match = re.match(r"^( ?)(\S.*?)\s{2,}(\d+)\s+([\d.]+)\s+(\d+)\s+(\d+)\s", line)
        if match and match.group(1):
            found[topic][match.group(2)] = (int(match.group(3)), float(match.group(4)), *map(int, match.group(5, 6)))
        elif match:
            topic = match.group(2)
            found[topic] = {}
    return found


@pytest.mark.parametrize("name", ("session", "two-clients"))
def test_lengths_by_type(name):
    """Packets with one message: the number of their bytes without the packet's header and acks. Messages are
    counted, not bytes."""
    found = parse_lengths(statistics(leviathan.capture(name), "tree"))
    for kind, topic in (("request", "Request lengths"), ("response", "Response lengths")):
        sizes = {}
        for record in first_sends(name):
            for message in record.get("messages", []):
                acks = 1 + len(record["ack_bytes"]) // 2 if record["start_ack"] else 0
                if message["kind"] == kind:
                    sizes.setdefault(message["type"], []).append(record["length"] - PACKET_HEADER - acks)
        assert found[topic] == {
            one: (len(lengths), pytest.approx(sum(lengths) / len(lengths), abs=0.006), min(lengths), max(lengths))
            for one, lengths in sizes.items()
        }
        assert all(min(lengths) >= HEADERS[kind] for lengths in sizes.values())


def sharkd(path, *requests):
    """The responses of sharkd, one for each request."""
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate((("load", {"file": str(tshark.readable(path))}), *requests), 1)
    ]
    done = subprocess.run(
        [*tshark.unprivileged(), "sharkd", "-"],
        env=tshark.environment(),
        input="\n".join(lines).encode() + b"\n",
        capture_output=True,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.decode().splitlines() if line.startswith("{")]
    return [answer.get("result", answer.get("error")) for answer in answers if "id" in answer][1:]


def test_the_tree_is_there_in_sharkd_too():
    answer = sharkd(leviathan.capture("session"), ("tap", {"tap0": "stat:leviathan"}))[0]
    tap = answer["taps"][0]
    assert tap["type"] == "stats"
    counts = {row["name"]: row["count"] for row in tap["stats"]}
    assert counts["Packets"] == len(leviathan.records("session"))


@pytest.mark.parametrize("name", CAPTURES)
def test_resends_by_type(name):
    counts = Counter(
        message["type"] for record in leviathan.records(name) if "resend_of" in record for message in record["messages"]
    )
    assert tree(name).get("Resends", (0, {})) == (sum(counts.values()), counts)


def response_times(name):
    """{request: (calls, shortest, longest, average)}"""
    row = re.compile(r"^ +\d+  (\w+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)")
    rows = (row.match(line) for line in statistics(leviathan.capture(name), "srt").splitlines())
    return {
        match.group(1): (int(match.group(2)), *(float(match.group(n)) for n in (3, 4, 5))) for match in rows if match
    }


@pytest.mark.parametrize("name", CAPTURES)
def test_response_times_are_those_of_the_packets(name):
    path = leviathan.capture(name)
    types = {}
    for item, record in zip(leviathan.decode(path, prefs=leviathan.PORTS), leviathan.records(name)):
        for message in (child for child in item.items if child.name == "leviathan.message"):
            for answered in message.numbers("leviathan.response_to"):
                number = int(message.shown("leviathan.response.to_number")[0])
                asked = leviathan.records(name)[answered - 1]["messages"]
                kind = next(one["type"] for one in asked if one["number"] == number)
                times = [float(time) for time in message.shown("leviathan.time")]
                types.setdefault((kind, answered, number), times)
    expected = {}
    for (kind, _, _), times in types.items():
        expected.setdefault(kind, []).extend(times)
    found = response_times(name)
    assert {kind: values[0] for kind, values in found.items()} == {kind: len(times) for kind, times in expected.items()}
    for kind, times in expected.items():
        average = sum(times) / len(times)
        assert found[kind][1:] == pytest.approx((min(times), max(times), average), abs=2e-6)
