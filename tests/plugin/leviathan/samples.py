# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Leviathan packets that raise each expert info."""

from plugin.leviathan.decoding import CONNECT, ECHO, ack_only, normal, request, response, string, u32

STATE = bytes.fromhex("0000 0000803f 00000040 00004040 00000000 00000000 00000000 0000803f")


def update(blob):
    return normal(2, response(1, 20, 0, u32(1, 2, -1, 9) + string(blob)))


def creation(count, blob):
    return normal(2, response(1, 19, 0, u32(1, 9, count) + string(blob)))


def with_request(kind, payload):
    return normal(2, request(1, kind, payload))


# expert info: a packet that raises it, and the required parts of its text
PACKETS = {
    "packet_id.unusual": (normal(0, request(1, ECHO)), ""),
    "ack_count.unusual": (b"Ln" + u32(2, 1) + b"\0\x01" + request(1, ECHO), "not 1 to 4"),
    "ack_bits.unusual": (b"Ln" + u32(2, 1) + b"\x01\x02\x01" + request(1, ECHO), ""),
    "ack_only.count.unusual": (ack_only(1, 2, 3, 4, 5), "not 1 to 4"),
    "ack_only.acks.unusual": (ack_only(2, 1), "ascend"),
    "ignored_acks.unusual": (normal(2, request(1, ECHO)) + ack_only(1), "ignores"),
    "trailing.unusual": (normal(2, request(1, ECHO)) + b"xyz", "ignores"),
    "message_count.unusual": (normal(2) + b"xyz", "no messages"),
    "message.number.unusual": (normal(2, request(0, ECHO)), ""),
    "message.type.unsupported": (normal(2, request(1, 4)), "does not know"),
    "message.length.unknown": (b"Ln" + u32(2, 0) + b"\x02" + request(1, 17, u32(7) + b"\x01data"), "declares further messages"),
    "check_value.invalid": (with_request(CONNECT, u32(43)), "42"),
    "value.unknown": (normal(2, response(1, 10, 0, b"\x03" + string(""))), ""),
    "bool.unusual": (normal(2, response(1, 22, 0, u32(1, 2) + b"\x02")), ""),
    "utf8.invalid": (with_request(10, string(b"\xc3\x28")), "UTF-8"),
    "nul.unusual": (with_request(10, string(b"a\0b")), "NUL"),
    "component_count.invalid": (creation(1001, b"\0\x01" * 1001), "1000"),
    "components.missing": (creation(2, b"\0\x01"), "fewer"),
    "components.trailing.unusual": (creation(1, b"\0\x01\0\x04"), "after the last component"),
    "component.truncated": (update(STATE[:-1]), "longer than its nested packet"),
    "component.unknown": (update(b"\0\x09data"), ""),
    "component.length.unknown": (creation(1, b"\x27\x11data"), "application"),
    "field.truncated": (normal(2, request(1, ECHO))[:-1], "offset 16: 1 byte missing"),
    "acks.truncated": (b"Ln" + u32(2, 1) + b"\x04\x01", "offset 11: 3 bytes missing; the engine continues with zeros"),
    "ack_only.truncated": (ack_only(1, 2)[:-1], "offset 7: 1 byte missing"),
    "message_count.truncated": (b"Ln" + u32(2, 0) + b"\x02" + request(1, ECHO), "offset 18: 1 byte missing"),
    "string.truncated": (with_request(10, u32(9) + b"abc"), "offset 18: 6 bytes missing"),
    "nested.truncated": (with_request(14, u32(9) + b"abc"), "offset 18: 6 bytes missing"),
    "type.unknown": (b"Le" + u32(2), "offset 0"),
    "message.type.unknown": (b"Ln" + u32(2, 0) + b"\x01\x29", "offset 11"),
    "request.type.unknown": (with_request(0xFFFF, b"abc"), "cannot be split at offset 18"),
    "response.type.unknown": (normal(2, response(1, 0xFFFF, 0, b"abc")), "cannot be split at offset 22"),
}
