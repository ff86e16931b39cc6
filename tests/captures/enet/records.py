#!/usr/bin/python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: records.py SCENARIO CAPTURE RAW FOLDER

Turn a capture of everything that a scenario sent (CAPTURE) and what traffic wrote down (RAW) into what pcaps/enet
holds: NAME.pcap, NAME.jsonl with one line for each packet of it, NAME.calls.jsonl with one line for each call of
libenet and each event that it reported and, where there was a lossy relay, NAME.relay.jsonl with one line for each
datagram that reached it. Refuses if the two do not belong together. pcaps/README.md says what the lines hold.
"""

import hashlib
import json
import struct
import sys
from collections import defaultdict
from pathlib import Path

PCAP_HEADER = 24
PACKET_HEADER = 16
ETHERNET_HEADER = 14
IPV6_HEADER = 40
ETHERTYPE_IPV6 = 0x86DD
RELAYS = {40501: 40502, 40503: 40504}  # a relay's two ports: clients send to the first
LONGEST_PAYLOAD = 256  # bytes that are recorded unchanged

# Through a DTLS tunnel: the ports of its two ends, and those of the plain text on either side of it.
NEAR, FIRST, SECOND, FAR = 40501, 40502, 40503, 40504
DTLS_APPLICATION_DATA = 23

# Which packets of a scenario are kept, under which names. Without a line here: all, under the scenario's name.
BY_PORT = {
    "lossy": {"lossy-client": 40501, "lossy-server": 40502},
    "lossy-range-coder": {"lossy-range-coder-client": 40501, "lossy-range-coder-server": 40502},
    "throttle": {"throttle": 40501},
    "window": {"window": 40501},
    "moved": {"moved": 40501},
    "one-way": {"one-way": 40501},
    "delayed": {"delayed": 40501},
}
# Where numbers wrap, this many packets before and after the command with that number are kept. Unreliable numbers never
# wrap: after 65535 libenet sends one message reliably, so that they begin again.
WRAPS = {
    "wrapped-reliable": ("SEND_RELIABLE", "sequence", 0),
    "wrapped-fragments": ("SEND_FRAGMENT", "sequence", 0),
    "wrapped-unreliable": ("SEND_RELIABLE", "sequence", 1),
    "wrapped-unsequenced": ("SEND_UNSEQUENCED", "unsequenced_group", 0),
}
BEFORE, AFTER = 12, 28


class Frame:
    """A captured UDP datagram."""

    def __init__(self, header, data):
        self.header, self.data = header, data
        seconds, microseconds = struct.unpack_from("<II", header)
        self.time = seconds + microseconds / 1e6
        self.ipv6 = struct.unpack_from(">H", data, 12)[0] == ETHERTYPE_IPV6
        ip = ETHERNET_HEADER
        udp = ip + (IPV6_HEADER if self.ipv6 else 4 * (data[ip] & 0x0F))
        self.source, self.destination, length = struct.unpack_from(">HHH", data, udp)
        self.length = length - 8
        self.payload = data[udp + 8:]
        self.record = self.serial = self.copy = None

    def ends(self):
        return self.source, self.destination


def packets(capture):
    """(header, bytes) of each packet of a classic pcap."""
    magic, link_type = struct.unpack_from("<I16xI", capture)
    if magic != 0xA1B2C3D4 or link_type != 1:
        sys.exit("not a classic pcap of Ethernet frames")
    at = PCAP_HEADER
    while at < len(capture):
        header = capture[at:at + PACKET_HEADER]
        captured, = struct.unpack_from("<8xI", header)
        at += PACKET_HEADER
        yield header, capture[at:at + captured]
        at += captured


def read_capture(path):
    capture = Path(path).read_bytes()
    return capture[:PCAP_HEADER], [Frame(header, data) for header, data in packets(capture)]


def port(address):
    return int(address.rsplit(":", 1)[1])


def match(frames, lines):
    """Assign the record of its datagram to each frame. Returns the datagrams that passed each relay: {(relay,
    direction, serial): (frame that arrived, [frames that left])}."""
    sent, relayed = defaultdict(list), defaultdict(list)
    for line in lines:
        if line["what"] == "datagram":
            sent[port(line["from"]), port(line["to"])].append(line)
        elif line["what"] == "relayed":
            relayed[line["relay"], line["direction"]].append(line)
    passed, arrivals = {}, defaultdict(int)
    onward = {second: first for first, second in RELAYS.items()}
    for frame in frames:
        if frame.source in RELAYS:
            way = (frame.source, "to_client")
        elif frame.source in onward:
            way = (onward[frame.source], "to_server")
        else:
            way = None
        if way:
            line = relayed[way].pop(0)
            original, copies = passed[way + (line["serial"],)]
            frame.record, frame.serial, frame.copy = original.record, line["serial"], line["copy"]
            copies.append(frame)
        else:
            frame.record = sent[frame.ends()].pop(0)
        if frame.length != frame.record["length"]:
            sys.exit(f"a frame of {frame.length} bytes is none of {frame.record['length']}")
        way = None
        if frame.destination in RELAYS:
            way = (frame.destination, "to_server")
        elif frame.destination in onward:
            way = (onward[frame.destination], "to_client")
        if way:
            arrivals[way] += 1
            passed[way + (arrivals[way],)] = (frame, [])
            if frame.serial is None:
                frame.serial = arrivals[way]
    left = sum(map(len, sent.values())) + sum(map(len, relayed.values()))
    if left:
        sys.exit(f"{left} datagrams were not captured")
    return passed


def match_tunnel(frames, lines):
    """The same for datagrams in DTLS: each record of application data contains one, in order."""
    sent = defaultdict(list)
    for line in lines:
        if line["what"] == "datagram":
            sent[port(line["to"])].append(line)
    inside = {(FIRST, SECOND): sent[NEAR], (SECOND, FIRST): sent[FAR]}
    for frame in frames:
        if frame.ends() in inside:
            data = frame.payload[0] == DTLS_APPLICATION_DATA
            frame.record = inside[frame.ends()].pop(0) if data else {"time": frame.time, "host": "", "commands": []}
    left = sum(map(len, inside.values()))
    if left:
        sys.exit(f"{left} datagrams were not captured")


def shorten(item):
    """Long payloads as their SHA-256."""
    payload = item.get("payload")
    if payload is not None and len(payload) > 2 * LONGEST_PAYLOAD:
        del item["payload"]
        item["payload_sha256"] = hashlib.sha256(bytes.fromhex(payload)).hexdigest()
    return item


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")


def describe(number, frame):
    line = {"n": number, "time": frame.record["time"], "host": frame.record["host"], "length": frame.length}
    line["from_port"], line["to_port"] = frame.ends()
    for name in ("peer", "session", "sent_time", "checksum", "compressed", "plain", "fault", "reaction"):
        if name in frame.record:
            line[name] = frame.record[name]
    if frame.serial is not None:
        line["serial"] = frame.serial
    if frame.copy is not None:
        line["copy"] = frame.copy
    line["commands"] = [shorten(dict(command)) for command in frame.record["commands"]]
    return line


def around_wrap(frames, name, member, number):
    wrapped = next(i for i, frame in enumerate(frames) for command in frame.record["commands"]
                   if command["command"] == name and command[member] == number)
    return frames[wrapped - BEFORE:wrapped + AFTER]


def choose(scenario, frames):
    """The captures to write: {name: frames}."""
    if scenario in BY_PORT:
        return {name: [frame for frame in frames if number in frame.ends()]
                for name, number in BY_PORT[scenario].items()}
    if scenario == "dtls":
        return {scenario: [frame for frame in frames if frame.record]}
    if scenario == "ipv6":
        return {scenario: [frame for frame in frames if frame.ipv6]}
    if scenario in WRAPS:
        return {scenario: around_wrap(frames, *WRAPS[scenario])}
    return {scenario: frames}


def relay_lines(lines, passed, captures):
    """The relay's actions, each datagram with its frame numbers in the captures of either end."""
    numbers = {name: {id(frame): i for i, frame in enumerate(kept, 1)} for name, kept in captures.items()}
    for line in lines:
        if line["what"] != "relay":
            continue
        came, went = passed[line["relay"], line["direction"], line["serial"]]
        line = {key: value for key, value in line.items() if key not in ("what", "relay")}
        line["frames"] = {name: [of[id(frame)] for frame in [came] + went if id(frame) in of]
                          for name, of in numbers.items()}
        yield line


def add_reactions(lines):
    """The server's action is logged after each malformed datagram, to which it belongs."""
    faulty = None
    for line in lines:
        if "fault" in line:
            faulty = line
        elif line["what"] == "reaction":
            faulty["reaction"] = {key: line[key] for key in ("answers", "delivered", "connected", "new_peers")}


def main(scenario, capture, raw, folder):
    folder = Path(folder)
    header, frames = read_capture(capture)
    with open(raw, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    add_reactions(lines)
    passed = match_tunnel(frames, lines) if scenario == "dtls" else match(frames, lines)
    captures = choose(scenario, frames)
    for name, kept in captures.items():
        (folder / f"{name}.pcap").write_bytes(header + b"".join(frame.header + frame.data for frame in kept))
        write_lines(folder / "records" / f"{name}.jsonl", (describe(i, frame) for i, frame in enumerate(kept, 1)))
        print(f"{name}.pcap: {len(kept)} packets")
    start, end = min(kept[0].time for kept in captures.values()), max(kept[-1].time for kept in captures.values())
    calls = [shorten(line) for line in lines if line["what"] not in ("datagram", "reaction", "relay", "relayed")]
    if scenario in WRAPS:
        calls = [line for line in calls if start - 0.001 <= line["time"] <= end + 0.001]
    write_lines(folder / "records" / f"{scenario}.calls.jsonl", calls)
    if scenario in BY_PORT:
        write_lines(folder / "records" / f"{scenario}.relay.jsonl", relay_lines(lines, passed, captures))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
