# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A second decoder of Leviathan's packets, written from the format's description and not from the codec: it yields
each value of a datagram with the bytes that it takes. Slow and plain; it shares nothing with the C code."""

import struct
from typing import Any, NamedTuple


class Value(NamedTuple):
    """`name` is the field's filter without "leviathan."; `offset` counts from the start of the payload."""

    name: str
    offset: int
    length: int
    value: Any


class Fault(Exception):
    """Reading cannot continue from this offset."""


# ---- layouts: the name of each field and its type on the wire --------------------------------------------------

NOTHING = []
WORLD = ("world_id", "i32")
ENTITY = ("entity_id", "i32")

REQUESTS = [
    [("check_value", "i32")],
    [("secure_type", "i32"), ("public_key", "string"), ("additional_settings", "string")],
    [("user_name", "string"), ("auth_token", "u64"), ("auth_passwd", "string")],
    [("ddos_block", "string")],
    NOTHING,
    [("session_token", "i32")],
    [("session_token", "i32")],
    NOTHING,
    [("token", "i32")],
    [("master_server_token", "i32")],
    [("options", "string")],
    [("name_of_value", "string")],
    NOTHING,
    [("command", "string")],
    [("data_for_object", "nested")],
    NOTHING,
    [WORLD, ("ticks", "i32"), ("engine_ms_tweak", "i32"), ("absolute", "bool")],
    [("type_id_number", "i32"), ("is_request", "bool"), ("application_data", "rest")],
]

CUSTOM = REQUESTS[17]
RESPONSES = [
    [("check_value", "i32")],
    [("secure_type", "i32"), ("public_key", "string"), ("encrypted_symmetric_key", "string")],
    [("user_id", "i32"), ("user_token", "u64")],
    [("user_readable_data", "string"), ("game_name", "string"), ("game_version", "string"),
     ("leviathan_version", "string")],
    NOTHING,
    NOTHING,
    NOTHING,
    NOTHING,
    [("invalidness", "u8"), ("additional_info", "string")],
    [("message.text", "string"), ("reason", "u8")],
    [("server_accepted_what", "u8"), ("message.text", "string")],
    [("server_name", "string"), ("joinable", "bool"), ("join_restriction", "u8"), ("server_status", "u8"),
     ("players", "i32"), ("max_players", "i32"), ("bots", "i32"), ("additional_flags", "i32")],
    NOTHING,
    [("succeeded", "bool")],
    [("resource_data", "string")],
    [("input_data", "nested")],
    [("input_id", "i32"), ("input_update", "nested")],
    [("input_id", "i32"), ("owner_id", "i32")],
    [WORLD, ("world_type", "i32"), ("extra_options", "string")],
    [WORLD, ENTITY, ("component_count", "u32"), ("initial_component_data", "components")],
    [WORLD, ("tick_number", "i32"), ("reference_tick", "i32"), ENTITY, ("update_data", "states")],
    [WORLD, ENTITY],
    [WORLD, ENTITY, ("enabled", "bool")],
    NOTHING,
    [("cache_name", "string")],
    [WORLD, ("frozen", "bool"), ("tick_number", "i32")],
    NOTHING,
    NOTHING,
    NOTHING,
    CUSTOM,
]

OLD_CREATION = [WORLD, ("old_initial_component_data", "nested")]
CONSTRAINT = [WORLD, ("create", "bool"), ("constraint_id", "i32"), ("entity_id_1", "i32"), ("entity_id_2", "i32"),
              ("constraint_type", "u16"), ("constraint_data", "nested")]

# Section 7 of the description: 2017-04-05 to 2018-10-30.
OLD_REQUESTS = REQUESTS[:10] + REQUESTS[11:]
OLD_RESPONSES = RESPONSES[:18] + [OLD_CREATION, RESPONSES[20], RESPONSES[21], RESPONSES[23], RESPONSES[24],
                                  CONSTRAINT, RESPONSES[25], RESPONSES[26], RESPONSES[27], CUSTOM, RESPONSES[28]]

POSITION = [("position", 3), ("orientation", 4)]
COMPONENTS = {0: POSITION, 1: [], 4: [], 5: [("sizes", 3), ("material", "string")],
              7: [("fov", "u16"), ("sound_perceiver", "bool")], 8: []}
STATES = {0: POSITION}

NUMBERS = {"u8": ">B", "bool": ">B", "u16": ">H", "u32": ">I", "i32": ">i", "u64": ">Q"}


# ---- decoding --------------------------------------------------------------------------------------------------


class Decoder:
    def __init__(self, payload, old=False, documented_acks=False):
        self.payload = payload
        self.requests, self.responses = (OLD_REQUESTS, OLD_RESPONSES) if old else (REQUESTS, RESPONSES)
        self.documented_acks = documented_acks
        self.at = 0
        self.end = len(payload)
        self.values = []

    def put(self, name, offset, value):
        self.values.append(Value(name, offset, self.at - offset, value))

    def take(self, size):
        if self.end - self.at < size:
            raise Fault(self.at)
        self.at += size
        return self.payload[self.at - size : self.at]

    def number(self, name, kind):
        offset = self.at
        (value,) = struct.unpack(NUMBERS[kind], self.take(struct.calcsize(NUMBERS[kind])))
        self.put(name, offset, bool(value) if kind == "bool" else value)
        return value

    def sized(self):
        """A u32 length and this number of bytes; all or none."""
        offset = self.at
        try:
            (size,) = struct.unpack(">I", self.take(4))
            return offset, self.take(size)
        except Fault:
            self.at = offset
            raise Fault(offset) from None

    def field(self, name, kind):
        if kind in NUMBERS:
            return self.number(name, kind)
        if isinstance(kind, int):
            data = struct.unpack_from(f"<{kind}f", self.take(4 * kind))
            for i, number in enumerate(data):
                self.values.append(Value(f"{name}.{'xyzw'[i]}", self.at - 4 * (kind - i), 4, number))
            return None
        if kind == "rest":
            offset = self.at
            data = self.take(self.end - offset)
            self.put(name, offset, data)
            return None
        offset, data = self.sized()
        if kind == "string":
            self.put(name, offset, data.decode("utf-8", "replace").replace("\0", "\\0"))
            return None
        self.put(name, offset, data)
        self.values.append(Value("nested.size", offset, 4, len(data)))
        if kind != "nested":
            self.components(len(data), kind)
        return None

    def components(self, size, kind):
        """`kind` is "states" (up to the end) or "components" (their number is in the previous field)."""
        outside, self.end, self.at = self.end, self.at, self.at - size
        left = None
        if kind == "components":
            left = next(value.value for value in reversed(self.values) if value.name == "component_count")
        try:
            while self.at < self.end and left != 0:
                left = left - 1 if left is not None else None
                number = self.number("component.type", "u16")
                layout = (STATES if kind == "states" else COMPONENTS).get(number)
                if layout is None:
                    break
                for name, field in layout:
                    self.field(name, field)
        except Fault:
            pass
        if self.at < self.end:
            offset = self.at
            self.put("component.data", offset, self.take(self.end - offset))
        self.end = outside

    def acks(self, start):
        count = self.number("ack_count", "u8")
        offset = self.at
        bits = self.take(count)
        self.put("packed_acks", offset, bits)
        # Some builds are documented to use start + index + 1.
        first = start + 1 if self.documented_acks else start
        for bit in range(8 * count):
            if bits[bit // 8] >> bit % 8 & 1:
                self.values.append(Value("ack", offset + bit // 8, 1, first + bit & 0xFFFFFFFF))

    def ids(self, name):
        count = self.number("ack_only.count", "u8")
        offset, whole = self.at, min(count, (self.end - self.at) // 4)
        data = self.take(4 * whole)
        if data or not count:
            self.put("ack_only.acks", offset, data)
        for i in range(whole):
            self.values.append(Value(name, offset + 4 * i, 4, struct.unpack_from(">I", data, 4 * i)[0]))
        if whole < count:
            raise Fault(self.at)

    def message(self):
        kind = self.payload[self.at : self.at + 1]
        if kind not in (b"\x28", b"\x12"):
            raise Fault(self.at)
        self.number("message.type", "u8")
        self.number("message.number", "u32")
        request = kind == b"\x28"
        number = self.number("request.type" if request else "response.type", "u16")
        if not request:
            self.number("response.to_number", "u32")
        layouts = self.requests if request else self.responses
        if number >= len(layouts):
            raise Fault(self.at)
        for name, field in layouts[number]:
            self.field(name, field)
        return layouts[number] is not CUSTOM

    def normal(self):
        self.number("packet_id", "u32")
        start = self.number("start_ack", "u32")
        if start:
            self.acks(start)
        for _ in range(self.number("message_count", "u8")):
            if not self.message():
                break

    def is_block(self):
        return self.payload[self.at : self.at + 2] == b"La"

    def datagram(self):
        if self.payload[:2] not in (b"Ln", b"La"):
            raise Fault(0)
        ack_only = self.is_block()
        self.number("type", "u16")
        if ack_only:
            self.ids("ack")
        else:
            self.normal()
        while self.is_block():
            self.number("type", "u16")
            self.ids("ignored_ack")
        if self.at < self.end:
            offset = self.at
            self.put("trailing", offset, self.take(self.end - offset))


def decode(payload, **options):
    """The values of a datagram, in the order of their bytes; after a fault, one "undecoded"."""
    decoder = Decoder(payload, **options)
    try:
        decoder.datagram()
    except Fault as fault:
        decoder.at = decoder.end = len(payload)
        if fault.args[0] < len(payload):
            decoder.put("undecoded", fault.args[0], payload[fault.args[0] :])
    return decoder.values


# ---- captures --------------------------------------------------------------------------------------------------


class Datagram(NamedTuple):
    time: float
    source: tuple
    destination: tuple
    payload: bytes


def read_pcap(path):
    """The UDP datagrams of a little-endian Ethernet capture of IPv4 and IPv6 without options or fragments."""
    data = path.read_bytes()
    assert struct.unpack_from("<I", data)[0] == 0xA1B2C3D4 and struct.unpack_from("<I", data, 20)[0] == 1
    at, found = 24, []
    while at < len(data):
        seconds, micros, captured, _ = struct.unpack_from("<IIII", data, at)
        frame = data[at + 16 : at + 16 + captured]
        at += 16 + captured
        ipv6 = frame[12:14] == b"\x86\xdd"
        ip, size = (14, 40) if ipv6 else (14, 20)
        addresses = (frame[22:38], frame[38:54]) if ipv6 else (frame[26:30], frame[30:34])
        udp = frame[ip + size :]
        ports = struct.unpack_from(">HHH", udp)
        found.append(
            Datagram(
                seconds + micros / 1e6,
                (addresses[0], ports[0]),
                (addresses[1], ports[1]),
                udp[8 : ports[2]],
            )
        )
    return found


# ---- losses: section 6 of the description ----------------------------------------------------------------------


def losses(datagrams, decoded):
    """frame -> the frame by which the engine counts it as lost: 1,000 ms after it was sent, or when the newest
    confirmed packet is more than 4 above it. One connection; nothing is known while only one side was seen."""
    sent, newest, lost, seen = {}, {}, {}, set()
    for frame, (datagram, values) in enumerate(zip(datagrams, decoded), 1):
        own, peer = (datagram.source, datagram.destination), (datagram.destination, datagram.source)
        number = next((value.value for value in values if value.name == "packet_id"), 0)
        if number:
            sent.setdefault((own, number), [frame, datagram.time, False])
        seen.add(own)
        for value in values:
            if value.name == "ack" and (peer, value.value) in sent:
                sent[peer, value.value][2] = True
                newest[peer] = max(newest.get(peer, 0), value.value)
        for (side, number), (first, time, confirmed) in sent.items():
            if confirmed or first in lost or side not in (own, peer) or not {own, peer} <= seen:
                continue
            if newest.get(side, 0) > number + 4 or round(datagram.time - time, 6) >= 1:
                lost[first] = frame
    return lost
