# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Other people's TCP connections and WebSocket messages.

    TCP           name: maker; maker(random, n) is segment n, the client's when n is even
    MESSAGES      name: maker of a message, as WebSocket or a length in front carries it
    ALIKE         names of those that are byte for byte what a Godot game sends

    write_tcp(path), write_prefixed(path, order), write_websocket(path), write_enet(path, handshake), write_udp(path), write_sctp(path)
                  captures; each returns the name of each packet
"""

import hashlib
import json
import random
import struct

import gamewire_tshark as tshark
import layouts
from layouts import be, floats, le, letters
from plugin.enet.datagrams import connect, datagram, reliable, verify
from plugin.godot.multiplayer import sctp

SEGMENTS = 16
CONVERSATIONS = 3
LAYOUTS = 400  # conversations of layouts.py
PORT = 41020
FIRST_CLIENT = 30000

TCP = {}
MESSAGES = {}
ALIKE = {"a text with its length, type 4 and length"}


def tcp(function):
    TCP[function.__name__.replace("_", " ")] = function
    return function


def message(function):
    MESSAGES[function.__name__.replace("_", " ")] = function
    return function


def lines(*texts):
    return "".join(text + "\r\n" for text in texts).encode()


def word(source, least=3, most=9):
    return letters(source, source.randint(least, most)).decode()


# ---- protocols of texts ----------------------------------------------------------------------------------


@tcp
def http(source, n):
    if n % 2 == 0:
        return lines(f"GET /{word(source)} HTTP/1.1", "Host: example.org", "Accept: */*", "")
    body = json.dumps({word(source): n, "ok": True}).encode()
    return lines("HTTP/1.1 200 OK", "Content-Type: application/json", f"Content-Length: {len(body)}", "") + body


@tcp
def http_chunks(source, n):
    return b"%x\r\n" % 32 + source.randbytes(32) + b"\r\n" if n else lines("HTTP/1.1 200 OK", "")


@tcp
def smtp(source, n):
    return lines(f"250-{word(source)}", "250 8BITMIME") if n % 2 else lines(f"MAIL FROM:<{word(source)}@example.org>")


@tcp
def irc(source, n):
    return lines(f":{word(source)}!a@b PRIVMSG #{word(source)} :{word(source)} {n}")


@tcp
def redis(source, n):
    name = word(source).encode()
    return b"*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n" % (len(name), name) if n % 2 == 0 else b"$4\r\n1234\r\n"


@tcp
def xmpp(source, n):
    return f"<message to='{word(source)}@example.org'><body>{word(source)}</body></message>".encode()


@tcp
def rtsp(source, n):
    return lines("DESCRIBE rtsp://example.org/a RTSP/1.0", f"CSeq: {n}", "")


@tcp
def ndjson(source, n):
    return json.dumps({"cmd": word(source), "id": n}).encode() + b"\n"


# ---- protocols of bytes ----------------------------------------------------------------------------------


@tcp
def tls(source, n):
    if n < 2:
        return b"\x16\x03\x01" + be(2, 200) + b"\1\0\0\xc4\3\3" + source.randbytes(194)
    size = source.randint(20, 300)
    return b"\x17\x03\x03" + be(2, size) + source.randbytes(size)


@tcp
def ssh(source, n):
    if n < 2:
        return b"SSH-2.0-OpenSSH_9.2\r\n"
    size = 12 + 8 * source.randint(1, 20)
    return be(4, size) + bytes([source.randint(4, 11)]) + source.randbytes(size - 1)


@tcp
def mqtt(source, n):
    topic = letters(source, 8)
    body = be(2, len(topic)) + topic + str(n).encode()
    return bytes([0x30, len(body)]) + body


@tcp
def postgresql(source, n):
    text = b"SELECT " + letters(source, 12) + b"\0"
    return b"Q" + be(4, 4 + len(text)) + text if n % 2 == 0 else b"Z" + be(4, 5) + b"I"


@tcp
def mysql(source, n):
    text = b"\3SELECT " + letters(source, 12)
    return le(3, len(text)) + bytes([n % 4]) + text


def bson(source, n):
    body = b"\x10id\0" + le(4, n) + b"\x02name\0" + le(4, 5) + letters(source, 4) + b"\0\0"
    return le(4, 4 + len(body)) + body


@tcp
def mongodb(source, n):
    body = le(4, 0) + b"\0" + bson(source, n)
    return le(4, 16 + len(body), n, 0, 2013) + body


@tcp
def kafka(source, n):
    name = letters(source, 8)
    body = be(2, 3, 9) + be(4, n) + be(2, len(name)) + name + be(4, 1)
    return be(4, len(body)) + body


@tcp
def cassandra(source, n):
    body = be(4, 12) + letters(source, 12) + be(2, 1) + b"\0"
    return b"\4\0" + be(2, n) + b"\7" + be(4, len(body)) + body


@tcp
def thrift_framed(source, n):
    name = letters(source, 7)
    body = be(4, 0x80010001, len(name)) + name + be(4, n) + b"\x08\0\1" + be(4, 42) + b"\0"
    return be(4, len(body)) + body


@tcp
def amqp(source, n):
    body = be(2, 60, 40) + b"\0\0" + bytes([8]) + letters(source, 8)
    return b"\1" + be(2, 1) + be(4, len(body)) + body + b"\xce"


@tcp
def dns_over_tcp(source, n):
    body = be(2, source.getrandbits(16), 0x0100, 1, 0, 0, 0) + b"\7" + letters(source, 7) + b"\3org\0" + be(2, 1, 1)
    return be(2, len(body)) + body


@tcp
def smb(source, n):
    body = b"\xfeSMB" + le(2, 64, 1) + le(4, 0) + le(2, n % 19, 1) + le(4, 0, 0) + le(8, n) + bytes(32)
    return be(4, len(body)) + body


@tcp
def rdp(source, n):
    body = source.randbytes(source.randint(8, 60))
    return b"\3\0" + be(2, 7 + len(body)) + b"\2\xf0\x80" + body


@tcp
def bgp(source, n):
    return b"\xff" * 16 + be(2, 19) + b"\4"


@tcp
def http2(source, n):
    body = source.randbytes(source.randint(4, 60))
    return be(3, len(body)) if False else len(body).to_bytes(3, "big") + bytes([n % 2, 4]) + be(4, 2 * n + 1) + body


@tcp
def grpc(source, n):
    body = b"\x0a\5" + letters(source, 5) + b"\x10" + bytes([n % 128])
    return (5 + len(body)).to_bytes(3, "big") + b"\0\0" + be(4, 1) + b"\0" + be(4, len(body)) + body


@tcp
def source_rcon(source, n):
    body = le(4, n % 5, 2 + n % 2) + letters(source, source.randint(2, 14)) + b"\0\0"
    return le(4, len(body)) + body


@tcp
def minecraft(source, n):
    body = bytes([n % 60]) + source.randbytes(source.randint(4, 100))
    return bytes([len(body)]) + body


@tcp
def rtmp(source, n):
    body = b"\2\0\7" + letters(source, 7) + b"\0" + struct.pack(">d", n)
    return b"\3" + bytes(3) + len(body).to_bytes(3, "big") + b"\x14" + le(4, 1) + body


@tcp
def vnc(source, n):
    return b"\5" + bytes([n % 2]) + be(2, 40 + n, 80) if n else b"RFB 003.008\n"


@tcp
def x11(source, n):
    return bytes([source.randint(1, 119), 0]) + le(2, 3) + le(4, 0x2400000 + n, n)


@tcp
def random_bytes(source, n):
    return source.randbytes(source.randint(1, 400))


@tcp
def zeros(source, n):
    return bytes(source.randint(4, 64))


@tcp
def a_counter(source, n):
    return le(4, n)


@tcp
def a_counter_big_endian(source, n):
    return be(4, n)


@tcp
def one_byte(source, n):
    return bytes([n])


# ---- messages --------------------------------------------------------------------------------------------


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


@message
def json_object(source, n):
    return json.dumps({"cmd": word(source), "id": n, "pos": [1.5, -2.0]}).encode()


@message
def json_padded_to_4(source, n):
    return layouts.padded(json.dumps({"t": n}).encode()).replace(b"\0", b" ")


@message
def message_pack(source, n):
    return b"\x83\xa3cmd\xa4" + letters(source, 4) + b"\xa2id\xcd" + be(2, n + 300) + b"\xa3pos\x92\xca" + struct.pack(">f", n) + b"\xc0"


@message
def protocol_buffers(source, n):
    name = letters(source, source.randint(3, 12))
    return b"\x0a" + varint(len(name)) + name + b"\x10" + varint(n) + b"\x1d" + struct.pack("<f", 1.5 * n)


@message
def cbor(source, n):
    return b"\xa2\x63cmd\x64" + letters(source, 4) + b"\x62id\x19" + be(2, n + 256)


@message
def bson_document(source, n):
    return bson(source, n)


@message
def flat_buffers(source, n):
    return le(4, 16) + le(2, 12, 12, 4, 8) + le(4, 8, n) + floats(1.0 * n) + le(4, 4) + letters(source, 4)


@message
def cap_n_proto(source, n):
    return le(4, 0, 3) + le(8, 1 << 16 | 1 << 32) + le(8, n) + letters(source, 8)


@message
def bincode(source, n):
    name = letters(source, 5)
    return le(4, n % 6) + le(8, len(name)) + name + le(8, n)


@message
def engine_io(source, n):
    return b'42["move",{"x":%d,"y":%d}]' % (n, 2 * n)


@message
def signal_r(source, n):
    return json.dumps({"type": 1, "target": word(source), "arguments": [n]}).encode() + b"\x1e"


@message
def stomp(source, n):
    return b"SEND\ndestination:/queue/" + letters(source, 5) + b"\n\nhello %d\0" % n


@message
def gzip(source, n):
    return b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + source.randbytes(40)


@message
def a_type_byte_and_floats(source, n):
    return bytes([n % 8]) + floats(1.5 * n, -2.5, 0.25)


@message
def a_type_byte_and_an_id(source, n):
    return bytes([n % 8]) + le(4, n)


@message
def a_type_byte_and_text(source, n):
    return bytes([n % 8]) + letters(source, 9) + b"\0"


@message
def a_type_byte_a_count_and_numbers(source, n):
    return bytes([n % 8, 3]) + bytes([2, n % 100]) * 3


@message
def four_bytes(source, n):
    return le(4, 1 + source.getrandbits(30))


@message
def a_type_ids_and_text(source, n):
    return bytes([n % 4]) + le(4, 1 + n % 3, 2) + letters(source, 9)


@message
def colyseus(source, n):
    return bytes([14]) + b"\x80\xa1x\xca" + struct.pack(">f", n) + b"\xff\1\0"


@message
def a_type_and_text(source, n):
    return le(4, 4) + letters(source, 12)


@message
def a_type_count_and_words(source, n):
    return le(4, 28, 3, 2, n, 2)


@message
def random_message(source, n):
    return source.randbytes(source.randint(1, 200))


@message
def an_empty_message(source, n):
    return b""


# ---- messages that look like multiplayer's -----------------------------------------------------------------


@message
def a_session_a_small_number_and_an_opcode_of_4(source, n):
    return bytes.fromhex("11223344") + bytes([n % 8 + 1]) + bytes.fromhex("667788 04 aabb")


@message
def two_numbers_an_opcode_of_4_and_json(source, n):
    return le(4, 1000 + n, n) + b"\4" + json.dumps({"cmd": word(source), "id": n}).encode()


@message
def flat_buffers_with_a_small_table(source, n):
    return bytes.fromhex("10000000 08000c00 04000800") + le(4, 8, n) + floats(1.5 * n)


def zeros_after_6(count):
    def maker(source, n):
        return b"\6" + bytes(count)

    MESSAGES[f"an opcode of 6 and {count} zeros"] = maker


for zeros_count in (26, 34, 42):
    zeros_after_6(zeros_count)


@message
def an_opcode_of_6_a_counter_an_id_and_8_zeros(source, n):
    return b"\6" + le(2, n + 1) + le(4, 3, 8) + bytes(8)


@message
def an_opcode_of_6_a_counter_an_id_and_a_record_of_8_bytes(source, n):
    return b"\6" + le(2, n + 1) + le(4, 3, 8) + le(2, 2 * n, 2 * n + 1, n, n)


@message
def a_kind_and_a_small_id(source, n):
    return le(4, 0, n % 8 + 1)


@message
def a_kind_and_an_id_of_31_bits(source, n):
    return le(4, n % 2, source.getrandbits(31))


@message
def an_opcode_of_2_a_flag_and_chat(source, n):
    return b"\2\0" + source.choice((b"gg wp", b"hello all", letters(source, 7))) + b"\0"


@message
def an_opcode_an_id_and_two_floats(source, n):
    return bytes([1 + n % 3]) + le(4, 1 + source.getrandbits(30)) + floats(1.5 * n, 7.25)


@message
def an_opcode_of_3_an_id_and_text(source, n):
    return b"\3" + le(4, n + 1) + letters(source, 9)


@message
def an_opcode_of_3_an_id_and_text_ending_in_0(source, n):
    return b"\3" + le(4, n + 1) + letters(source, 9) + b"\0"


@message
def an_opcode_of_1_a_digest_and_a_file_name(source, n):
    digest = hashlib.md5(letters(source, 8)).hexdigest().encode()
    return b"\1" + digest + b" maps/" + letters(source, 6) + b".bsp\0"


@message
def an_opcode_of_1_a_digest_a_size_and_a_file_name(source, n):
    digest = hashlib.md5(letters(source, 8)).hexdigest().encode()
    return b"\1" + digest + b"\0" + le(4, source.randint(1000, 60000)) + b"maps/" + letters(source, 6) + b".bsp\0"


@message
def an_opcode_of_5_and_an_id(source, n):
    return b"\5" + le(4, n + 1)


@message
def opcodes_of_7_and_ids(source, n):
    return bytes([7, 1 + n % 2]) + le(4, 1 + source.getrandbits(30))


@message
def an_opcode_of_0_a_node_a_method_and_tagged_bytes(source, n):
    return bytes([0, n % 6 + 1, n % 4, 2, 2, n % 100, 2, n % 50])


def _text(source, n):
    name = letters(source, 9)
    return le(4, 4, len(name)) + layouts.padded(name)


MESSAGES["a text with its length, type 4 and length"] = _text


def messages(seed):
    """Pairs of a name and the messages of a conversation: those above, and payloads of layouts.py."""
    made = []
    for name, maker in MESSAGES.items():
        source = random.Random(f"{name} {seed}")
        made += [(name, [maker(source, n) for n in range(SEGMENTS)]) for _ in range(CONVERSATIONS)]
    every = layouts.conversations(seed)
    step = len(every) // LAYOUTS
    return made + [(name, payloads[:SEGMENTS]) for name, payloads in every[::step]]


def alike(name):
    return name in ALIKE or name in layouts.ALIKE


# ---- captures --------------------------------------------------------------------------------------------


def _write(path, conversations, port=PORT):
    tshark.write_tcp_connections(
        path, [[(n % 2 == 1, payload) for n, payload in enumerate(payloads)] for _, payloads in conversations],
        FIRST_CLIENT, port)
    return [name for name, payloads in conversations for _ in payloads]


def write_tcp(path, seed=1, port=PORT):
    conversations = []
    for name, maker in TCP.items():
        source = random.Random(f"{name} {seed}")
        conversations += [(name, [maker(source, n) for n in range(SEGMENTS)]) for _ in range(CONVERSATIONS)]
    return _write(path, conversations, port)


def write_prefixed(path, order, seed=1, port=PORT):
    """Each message with its length as a prefix, in one segment, as in custom protocols on TCP."""
    return _write(path, [(name, [len(payload).to_bytes(4, order) + payload for payload in payloads])
                         for name, payloads in messages(seed)], port)


def write_websocket(path, seed=1):
    def frame(payload):
        length = bytes([len(payload)]) if len(payload) < 126 else bytes([126]) + be(2, len(payload))
        return b"\x82" + length + payload

    return _write(path, [(name, [frame(payload) for payload in payloads]) for name, payloads in messages(seed)])


# How a conversation of ENet begins: with the connect data of other games, with that of a game by Godot, or before the
# capture.
HANDSHAKES = {"ordinary": 0, "of a peer": 0x3D5A17C1, "not captured": None}


def write_enet(path, handshake, seed=1):
    """Messages of reliable commands; each conversation has one channel of 0 to 2."""
    names, packets = [], []
    data = HANDSHAKES[handshake]
    for number, (name, payloads) in enumerate(messages(seed)):
        sent = [] if data is None else [connect()[:-4] + be(4, data), verify()]
        sent += [datagram(reliable(n // 2 + 2, payload, number % 3), 0x8000 if n % 2 else 0x8001)
                 for n, payload in enumerate(payloads)]
        packets += _datagrams(number, sent, len(packets))
        names += [name] * len(sent)
    tshark.write_pcap(path, packets)
    return names


def write_udp(path, seed=1):
    names, packets = [], []
    for number, (name, payloads) in enumerate(messages(seed)):
        packets += _datagrams(number, payloads, len(packets))
        names += [name] * len(payloads)
    tshark.write_pcap(path, packets)
    return names


def write_sctp(path, seed=1):
    """Messages of data channels: binary, and every fourth as text."""
    names, packets = [], []
    for number, (name, payloads) in enumerate(messages(seed)):
        ports = FIRST_CLIENT + number, PORT
        sent = [sctp.packet(ports[::-1 if n % 2 else 1], n % 2 + 1, sctp.data(
            number % 3, payload or b"\0", n // 2, sctp.TEXT if n % 4 == 3 else sctp.BINARY)) for n, payload in enumerate(payloads)]
        packets += [tshark.Udp(sctp.TUNNEL, sctp.TUNNEL, payload, (len(packets) + n) / 50, {"from": 2, "to": 1} if n % 2 else {})
                    for n, payload in enumerate(sent)]
        names += [name] * len(sent)
    tshark.write_pcap(path, packets)
    return names


def _datagrams(number, payloads, start):
    """A conversation between separate ports, with alternating directions."""
    ports = FIRST_CLIENT + number, PORT
    return [tshark.Udp(*ports[::-1 if n % 2 else 1], payload, (start + n) / 50, {"from": 2, "to": 1} if n % 2 else {})
            for n, payload in enumerate(payloads)]
