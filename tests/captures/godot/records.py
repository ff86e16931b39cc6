#!/usr/bin/python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: records.py CAPTURE SENT RECORDS

Turn what send.gd wrote (SENT) into JSON lines (RECORDS), one for each packet of CAPTURE,
and refuse if the two do not belong together: as many records as packets, and each
record's source port that of its packet.

A record holds
    n             the packet's number in the capture, from 1
    port          its UDP source port, which names the conversation
    label         what it is
    type          the engine's own number of the value's type (typeof); a freed object
                  still has that of Object, but travels as nil
    full_objects  whether it was sent with put_var(value, true)
    text          the engine's var2str or var_to_str of the value sent
    received      the same of the value that the engine read back, where that differs
"""

import base64
import json
import struct
import sys

ETHERNET = 1
ETHERNET_HEADER = 14
PCAP_HEADER = 24
PACKET_HEADER = 16


def source_ports(path):
    """The UDP source port of each packet of a classic little-endian pcap of loopback."""
    with open(path, "rb") as file:
        capture = file.read()
    magic, link_type = struct.unpack_from("<I16xI", capture)
    if magic != 0xA1B2C3D4 or link_type != ETHERNET:
        sys.exit(f"{path}: not a classic pcap of Ethernet frames")
    ports = []
    at = PCAP_HEADER
    while at < len(capture):
        captured, = struct.unpack_from("<8xI", capture, at)
        ip = at + PACKET_HEADER + ETHERNET_HEADER
        udp = ip + 4 * (capture[ip] & 0x0F)
        ports.append(struct.unpack_from(">H", capture, udp)[0])
        at += PACKET_HEADER + captured
    return ports


def text_of(field):
    # A string of Godot 3 may hold half a surrogate pair, which strict UTF-8 refuses.
    return base64.b64decode(field).decode("utf-8", "surrogatepass")


def records(path):
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            port, label, type_number, full_objects, text, received = line.rstrip("\n").split("\t")
            record = {
                "n": number, "port": int(port), "label": label, "type": int(type_number),
                "full_objects": full_objects == "1", "text": text_of(text),
            }
            if received != text:
                record["received"] = text_of(received)
            yield record


def main(capture, sent, output):
    ports = source_ports(capture)
    found = list(records(sent))
    if [record["port"] for record in found] != ports:
        sys.exit(f"{capture}: {len(ports)} packets do not match {len(found)} records")
    with open(output, "wb") as file:
        for record in found:
            line = json.dumps(record, ensure_ascii=False) + "\n"
            # Half a surrogate pair becomes \udXXX, as JSON writes it too.
            file.write(line.encode("utf-8", "backslashreplace"))
    print(f"{output}: {len(found)} packets")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
