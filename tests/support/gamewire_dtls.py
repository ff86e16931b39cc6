# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""DTLS 1.2 without encryption: the cipher suite TLS_PSK_WITH_NULL_SHA256 (RFC 5487), for tests of what DTLS carries.

    connection(ports, payloads, seed)    the datagrams of a handshake, and of each payload a record from the client
    OPTIONS                              the options with which tshark verifies the records

Wireshark's dissector needs the key to verify records, and shows no data of records that it cannot verify.
"""

import hashlib
import hmac
import struct

import gamewire_tshark as tshark

KEY = b"Gamewire"
OPTIONS = ("-o", f"dtls.psk:{KEY.hex()}")

VERSION = 0xFEFD
PSK_WITH_NULL_SHA256 = 0x00B0
HANDSHAKE, CHANGE_CIPHER_SPEC, APPLICATION_DATA = 22, 20, 23
CLIENT_HELLO, SERVER_HELLO, SERVER_HELLO_DONE, CLIENT_KEY_EXCHANGE = 1, 2, 14, 16


def prf(secret, label, seed, length):
    """RFC 5246, section 5, with SHA-256."""
    seed, made = label + seed, b""
    round_of = seed
    while len(made) < length:
        round_of = hmac.digest(secret, round_of, hashlib.sha256)
        made += hmac.digest(secret, round_of + seed, hashlib.sha256)
    return made[:length]


def record(kind, epoch, number, content):
    return struct.pack(">BHHHIH", kind, VERSION, epoch, 0, number, len(content)) + content


def handshake(kind, number, body):
    length = len(body).to_bytes(3, "big")
    return bytes([kind]) + length + struct.pack(">H", number) + bytes(3) + length + body


def hello(random, server):
    head = struct.pack(">H", VERSION) + random + b"\0"  # no session
    if server:
        return head + struct.pack(">HB", PSK_WITH_NULL_SHA256, 0)
    return head + b"\0" + struct.pack(">HHBB", 2, PSK_WITH_NULL_SHA256, 1, 0)


def client_mac_key(client, server):
    premaster = struct.pack(">H", len(KEY)) + bytes(len(KEY)) + struct.pack(">H", len(KEY)) + KEY
    master = prf(premaster, b"master secret", client + server, 48)
    return prf(master, b"key expansion", server + client, 64)[:32]


def protected(key, number, payload):
    """A record of application data of epoch 1, with its MAC."""
    head = struct.pack(">HHIBHH", 1, 0, number, APPLICATION_DATA, VERSION, len(payload))
    return record(APPLICATION_DATA, 1, number, payload + hmac.digest(key, head + payload, hashlib.sha256))


def connection(ports, payloads, seed=0):
    client, server = (hashlib.sha256(f"{seed} {side}".encode()).digest() for side in ("client", "server"))
    key = client_mac_key(client, server)
    exchange = handshake(CLIENT_KEY_EXCHANGE, 1, struct.pack(">H", 4) + b"name")
    there = tshark.Udp(*ports, b"", 0, {"from": 1, "to": 2})
    back = tshark.Udp(*ports[::-1], b"", 0, {"from": 2, "to": 1})
    yield there._replace(payload=record(HANDSHAKE, 0, 0, handshake(CLIENT_HELLO, 0, hello(client, False))))
    yield back._replace(payload=record(HANDSHAKE, 0, 0, handshake(SERVER_HELLO, 0, hello(server, True)))
                        + record(HANDSHAKE, 0, 1, handshake(SERVER_HELLO_DONE, 1, b"")))
    yield there._replace(payload=record(HANDSHAKE, 0, 1, exchange) + record(CHANGE_CIPHER_SPEC, 0, 2, b"\x01"))
    yield back._replace(payload=record(CHANGE_CIPHER_SPEC, 0, 2, b"\x01"))
    for number, payload in enumerate(payloads):
        yield there._replace(payload=protected(key, number, payload))


HANDSHAKE_DATAGRAMS = 4
