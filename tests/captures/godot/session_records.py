#!/usr/bin/python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: session_records.py FOLDER NAME OUT

Turn what multiplayer.sh or another session left in FOLDER (raw.pcap, PROCESS.log of each process and, where it used
ENet, PROCESS.record) into OUT/NAME.pcap (with keyed.pcapng instead: OUT/NAME.pcapng) and, in OUT/records, NAME.calls.jsonl (what the scripts did, in order of time), for
the calls over ENet NAME.jsonl (one line for each packet, as in pcaps/enet), and where a relay lost datagrams NAME.relay.jsonl
(what it did with each). Where the games recorded themselves, their files OUT/NAME-ROLE.pcapng are in place of the capture.
With compression the scripts do the same as without: such a session has no NAME.calls.jsonl.
Refuses if packets and records do not belong together.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "enet"))
import records  # noqa: E402

COMPRESSED = ("-range-coder", "-fastlz", "-zlib", "-zstd")


def lines_of(paths):
    lines = []
    for path in sorted(paths):
        with open(path, encoding="utf-8") as file:
            lines += [json.loads(line) for line in file]
    for line in lines:  # Godot 3 has no other fraction of a second
        if "milliseconds" in line:
            line["time"] = line.pop("milliseconds") / 1000
    return sorted(lines, key=lambda line: line["time"])


def describe(number, frame):
    """As in pcaps/enet, but payloads only once: where the datagram is compressed, plain has them."""
    line = records.describe(number, frame)
    if line["compressed"]:
        for command in line["commands"]:
            command.pop("payload", None)
            command.pop("payload_sha256", None)
    return line


def take_recordings(paths, folder, name, out):
    for path in paths:
        recording = out / f"{name}-{path.relative_to(folder).parts[0].removesuffix('.home')}.pcapng"
        recording.write_bytes(path.read_bytes())
        print(f"{recording.name}: {recording.stat().st_size} bytes")
    write_calls(folder, name, out)


def write_calls(folder, name, out):
    with open(out / "records" / f"{name}.calls.jsonl", "w", encoding="utf-8") as file:
        for line in lines_of(folder.glob("*.log")):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def main(folder, name, out):
    folder, out = Path(folder), Path(out)
    recordings = sorted(folder.glob("*.home/**/gamewire/*.pcapng"))
    if recordings:
        take_recordings(recordings, folder, name, out)
        return
    raw = (folder / "raw.pcap").read_bytes()
    keyed = folder / "keyed.pcapng"  # with its keys in it
    capture = out / (f"{name}.pcapng" if keyed.exists() else f"{name}.pcap")
    capture.write_bytes(keyed.read_bytes() if keyed.exists() else raw)
    capture.chmod(0o644)
    if not name.endswith(COMPRESSED):
        write_calls(folder, name, out)
    count = len(list(records.packets(raw)))
    sent = lines_of(folder.glob("*.record"))
    relayed = [line for line in sent if line["what"] == "relay"]
    if relayed:
        records.write_lines(out / "records" / f"{name}.relay.jsonl", relayed)
    elif sent:
        _, frames = records.read_capture(folder / "raw.pcap")
        records.match(frames, sent)
        if "-calls" in name:
            records.write_lines(out / "records" / f"{name}.jsonl", (describe(i, frame) for i, frame in enumerate(frames, 1)))
    print(f"{capture.name}: {count} packets")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
