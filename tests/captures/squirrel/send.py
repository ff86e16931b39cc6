#!/usr/bin/python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sends the scenes over loopback UDP sockets, and says what was sent; make.sh captures them.

    send.py list                        names of the scenes
    send.py count SCENE                 number of its datagrams
    send.py send SCENE OUT.jsonl        send it, one line a datagram
    send.py check OUT.jsonl IN.pcap     compare what was captured with what was sent
"""

import json
import socket
import struct
import sys
import time

from scene_frames import every_frame
from scene_malformed import malformed
from scene_raknet import broken_raknet, over_old_raknet, over_raknet
from scene_seed import seed_examples
from scene_session import session
from scene_split import split_streams
from scene_values import every_value
from wire import CLIENT_PORTS, SERVER_PORT

HOST = "127.0.0.1"
SCENES = {
    "seed-examples": seed_examples,
    "every-value": every_value,
    "every-frame": every_frame,
    "session": session,
    "split": split_streams,
    "raknet": over_raknet,
    "raknet-0.4.6": over_old_raknet,
    "raknet-malformed": broken_raknet,
    "malformed": malformed,
}

SO_NO_CHECK = 11            # Linux; leaves out the UDP checksum, which the loopback interface never completes
PCAP_MAGIC = 0xA1B2C3D4
UDP_PAYLOAD = 14 + 20 + 8   # Ethernet, IPv4 without options, UDP


def bound_socket(port):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, 1)
    sock.bind((HOST, port))
    sock.settimeout(2)
    return sock


def transmit(datagrams):
    sockets = {port: bound_socket(port) for port in (SERVER_PORT, *CLIENT_PORTS.values())}
    for datagram in datagrams:
        time.sleep(datagram.wait / 1000)
        sockets[datagram.source].sendto(datagram.data, (HOST, datagram.target))
        received = sockets[datagram.target].recv(65535)
        assert received == datagram.data, datagram.info["label"]
    for sock in sockets.values():
        sock.close()


def line(number, datagram):
    ends = {"from": f"{HOST}:{datagram.source}", "to": f"{HOST}:{datagram.target}"}
    return json.dumps({"n": number, **ends, **datagram.info, "hex": datagram.data.hex()}, ensure_ascii=False)


def send(name, path):
    datagrams = SCENES[name]().datagrams
    transmit(datagrams)
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(line(number, datagram) + "\n" for number, datagram in enumerate(datagrams, 1))


def captured(path):
    """(source port, target port, payload) of each packet of a classic little-endian pcap of UDP over IPv4."""
    with open(path, "rb") as capture:
        assert struct.unpack("<I", capture.read(24)[:4])[0] == PCAP_MAGIC, path
        while head := capture.read(16):
            packet = capture.read(struct.unpack("<I", head[8:12])[0])
            source, target, length = struct.unpack_from(">HHH", packet, UDP_PAYLOAD - 8)
            yield source, target, packet[UDP_PAYLOAD:UDP_PAYLOAD + length - 8]


def check(said_path, capture_path):
    with open(said_path, encoding="utf-8") as said:
        sent = [json.loads(text) for text in said]
    packets = list(captured(capture_path))
    expected = [(int(item["from"].split(":")[1]), int(item["to"].split(":")[1]), bytes.fromhex(item["hex"]))
                for item in sent]
    if packets != expected:
        sys.exit(f"{capture_path}: {len(packets)} packets captured are not the {len(expected)} sent")


def main(arguments):
    if arguments == ["list"]:
        print("\n".join(SCENES))
    elif len(arguments) == 2 and arguments[0] == "count":
        print(len(SCENES[arguments[1]]().datagrams))
    elif len(arguments) == 3 and arguments[0] == "send":
        send(*arguments[1:])
    elif len(arguments) == 3 and arguments[0] == "check":
        check(*arguments[1:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
