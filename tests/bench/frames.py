# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures for tshark: payloads in UDP datagrams, and recorded sessions played many times over."""

import gzip
import struct
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent

# The addresses and ports of all frames of a generated conversation. No stock dissector is registered for these ports.
ETHERNET = bytes.fromhex("020000000002 020000000001 0800")
ADDRESSES = bytes([10, 0, 0, 1, 10, 0, 0, 2])
CLIENT_PORT = 40000
SERVER_PORT = 50000

FILE_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
FILE_HEADER_SIZE = 24
RECORD_HEADER_SIZE = 16
START = 1_700_000_000  # seconds since 1970 of a capture's first packet

IP_AT = 14
IP_PROTOCOL_AT = IP_AT + 9
IP_ADDRESSES_AT = IP_AT + 12
UDP_PAYLOAD_AT = IP_AT + 20 + 8  # without IP options, which no capture here contains
IPPROTO_UDP = 17


def record(number, frame):
    """Ten thousand packets a second."""
    seconds, microseconds = START + number // 10000, number % 10000 * 100
    return struct.pack("<IIII", seconds, microseconds, len(frame), len(frame)) + frame


def udp_frame(payload, source=(ADDRESSES[:4], CLIENT_PORT), target=(ADDRESSES[4:], SERVER_PORT)):
    """`source` and `target`: address and port."""
    length = 8 + len(payload)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, IPPROTO_UDP, 0) + source[0] + target[0]
    return ETHERNET + ip + struct.pack(">HHHH", source[1], target[1], length, 0) + payload


def write_capture(path, payloads):
    with open(path, "wb") as file:
        file.write(FILE_HEADER)
        for number, payload in enumerate(payloads):
            file.write(record(number, udp_frame(payload)))


def read_capture(path):
    """The frames of a little-endian capture of Ethernet, as the ones in pcaps/ are."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if data[:4] != FILE_HEADER[:4]:
        raise ValueError(f"{path} is no little-endian pcap file of microseconds")
    frames, at = [], FILE_HEADER_SIZE
    while at < len(data):
        (captured,) = struct.unpack_from("<I", data, at + 8)
        frames.append(data[at + RECORD_HEADER_SIZE : at + RECORD_HEADER_SIZE + captured])
        at += RECORD_HEADER_SIZE + captured
    return frames


def udp_payload(frame):
    if frame[IP_AT] != 0x45 or frame[IP_PROTOCOL_AT] != IPPROTO_UDP:
        raise ValueError("not UDP over plain IPv4")
    return frame[UDP_PAYLOAD_AT:]


def write_sessions(path, session, copies):
    """A recorded session `copies` times, each between hosts of its own, so that each is a conversation.

    The ports stay, and the hosts are one, as on the loopback interface where it was recorded.
    """
    with open(path, "wb") as file:
        file.write(FILE_HEADER)
        for copy in range(copies):
            address = struct.pack(">I", 0x0A000001 + copy)
            for number, frame in enumerate(session, copy * len(session)):
                moved = frame[:IP_ADDRESSES_AT] + address * 2 + frame[IP_ADDRESSES_AT + 8 :]
                file.write(record(number, moved))
