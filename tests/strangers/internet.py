# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Payloads of protocols that are not those of games: names, clocks, logs, calls, tunnels, machines. See protocols.py."""

import struct

from pieces import add, be16, be32, kind, le16, le32, le64, words


# ---- names and addresses -------------------------------------------------------------------------


def dns_name(random):
    return b"".join(bytes([len(label)]) + label for label in (b"www", words(random), b"example")) + b"\0"


def dns(random, identifier, reply):
    name = dns_name(random)
    extra = random.random() < 0.5  # EDNS
    head = be16(identifier, 0x8180 if reply else 0x0100, 1, int(reply), 0, int(extra))
    question = name + be16(random.choice((1, 28, 12, 33)), 1)
    answer = be16(0xC00C, 1, 1) + be32(300) + be16(4) + random.randbytes(4) if reply else b""
    return head + question + answer + (b"\0" + be16(41, 1232, 0, 0, 0) if extra else b"")


add("dns", lambda random, n: dns(random, random.getrandbits(16), n % 2))
add("dns_with_the_id_Ln", lambda random, n: dns(random, 0x4C6E, n % 2))
add("dns_with_the_id_La", lambda random, n: dns(random, 0x4C61, n % 2))
add("dns_with_small_ids", lambda random, n: dns(random, 0x0100 * (n % 39), n % 2))


@kind
def mdns(random, n):
    name = b"\x0b_googlecast\x04_tcp\x05local\0"
    return be16(0, 0, 1, 0, 0, 0) + name + be16(12, 1)


@kind
def llmnr(random, n):
    return be16(random.getrandbits(16), 0, 1, 0, 0, 0) + b"\x06office\0" + be16(1, 1)


@kind
def netbios_names(random, n):
    return be16(random.getrandbits(16), 0x0110, 1, 0, 0, 0) + b"\x20" + b"CK" * 16 + b"\0" + be16(0x20, 1)


@kind
def dhcp(random, n):
    head = (
        bytes([1 + n % 2, 1, 6, 0])
        + random.randbytes(4)
        + bytes(4)
        + bytes(16)
        + random.randbytes(6)
        + bytes(10)
    )
    return head + bytes(192) + b"\x63\x82\x53\x63\x35\x01\x01\x37\x04\x01\x03\x06\x0f\xff" + bytes(46)


@kind
def dhcpv6(random, n):
    return b"\x01" + random.randbytes(3) + be16(8, 2, 0, 1, 14) + random.randbytes(14) + be16(6, 4, 23, 24)


@kind
def ssdp(random, n):
    lines = (
        b"M-SEARCH * HTTP/1.1",
        b"HOST: 239.255.255.250:1900",
        b'MAN: "ssdp:discover"',
        b"MX: 2",
        b"ST: ssdp:all",
    )
    return b"\r\n".join(lines) + b"\r\n\r\n"


# ---- clocks, logs, management ----------------------------------------------------------------------


@kind
def ntp(random, n):
    stamps = b"".join(be32(3_900_000_000 + n) + random.randbytes(4) for _ in range(4))
    return bytes([0x23 + n % 2, 2, 6, 0xEC]) + be32(0x50, 0x120, 0x7F000001) + stamps


@kind
def sntp_that_leaves_all_but_the_mode_zero(random, n):
    return bytes([0x1B]) + bytes(39) + random.randbytes(8)


@kind
def ntp_control(random, n):
    return b"\x16\x01" + be16(n, 0, 0, 0, 0)


@kind
def ptp(random, n):
    return (
        bytes([n % 4, 2])
        + be16(44)
        + bytes(16)
        + random.randbytes(10)
        + be16(n)
        + bytes([0, 0])
        + random.randbytes(10)
    )


@kind
def snmp(random, n):
    oid = b"\x30\x0e\x06\x0a\x2b\x06\x01\x02\x01\x01\x01\x00\x01" + bytes([n % 128]) + b"\x05\x00"
    bindings = b"\x30" + bytes([len(oid)]) + oid
    pdu = b"\x02\x04" + random.randbytes(4) + b"\x02\x01\x00\x02\x01\x00" + bindings
    body = b"\x02\x01\x01\x04\x06public\xa0" + bytes([len(pdu)]) + pdu
    return b"\x30" + bytes([len(body)]) + body


@kind
def syslog(random, n):
    return b"<34>1 2026-01-01T00:00:%02dZ host app %d - - " % (n % 60, n) + words(random, 6)


@kind
def radius(random, n):
    attributes = b"\x01\x07alice\x04\x06" + random.randbytes(4)
    return bytes([1 + n % 3, n % 256]) + be16(20 + len(attributes)) + random.randbytes(16) + attributes


@kind
def netflow_5(random, n):
    head = be16(5, 1) + be32(n * 1000, 1_700_000_000 + n, 0, n) + be16(0, 0)
    return head + random.randbytes(24) + be32(n, n * 60) + random.randbytes(16)


@kind
def ipfix(random, n):
    return be16(10, 40) + be32(1_700_000_000 + n, n, 1) + be16(256, 24) + random.randbytes(20)


@kind
def sflow(random, n):
    return be32(5, 1) + random.randbytes(4) + be32(0, n, n * 1000, 1, 2, 32) + random.randbytes(32)


@kind
def statsd(random, n):
    return words(random) + b".count:%d|c" % n


@kind
def collectd(random, n):
    return (
        be16(0, 9) + b"host\0" + be16(1, 12) + (1_700_000_000 + n).to_bytes(8, "big") + be16(2, 8) + b"cpu\0"
    )


@kind
def gelf_chunks(random, n):
    return b"\x1e\x0f" + random.randbytes(8) + bytes([n % 2, 2]) + random.randbytes(40)


@kind
def tftp(random, n):
    if n == 0:
        return be16(1) + b"boot.img\0octet\0"
    return be16(4, n) if n % 2 else be16(3, n) + random.randbytes(512)


@kind
def memcached(random, n):
    return be16(n, 0, 1, 0) + (b"get key%d\r\n" % n if n % 2 else b"VALUE key%d 0 4\r\nabcd\r\nEND\r\n" % n)


@kind
def memcached_with_small_ids_in_the_low_byte(random, n):
    return be16((n % 39) << 8, 0, 1, 0)


# ---- calls and media -------------------------------------------------------------------------------


@kind
def stun(random, n):
    attributes = be16(0x8022, 8) + b"softname" + be16(0x0006, 4) + b"user"
    return (
        be16(0x0001 if n % 2 else 0x0101, len(attributes), 0x2112, 0xA442) + random.randbytes(12) + attributes
    )


@kind
def turn_channel_data(random, n):
    return be16(0x4000 + n % 16, 100) + random.randbytes(100)


def rtp(random, n, first=0x80):
    return (
        bytes([first, 96 | (n % 30 == 0) << 7]) + be16(n) + be32(n * 160, 0x12345678) + random.randbytes(160)
    )


add("rtp", rtp)
add("rtp_of_an_extension", lambda random, n: rtp(random, n, 0x90))


@kind
def rtcp(random, n):
    report = b"\x81\xc9" + be16(7) + be32(0x1234) + random.randbytes(24)
    return report + b"\x81\xca" + be16(3) + be32(0x1234) + b"\x01\x04me@a\0\0"


@kind
def sip(random, n):
    text = b"%s sip:bob@example.org SIP/2.0\r\nCSeq: %d\r\nContent-Length: 0\r\n\r\n"
    return text % ((b"INVITE", b"OPTIONS", b"BYE")[n % 3], n)


@kind
def zrtp(random, n):
    return (
        b"\x10\x00"
        + be16(n)
        + b"ZRTP"
        + be32(0x1234)
        + b"\x50\x5a"
        + be16(3)
        + b"HelloACK"
        + random.randbytes(4)
    )


# ---- tunnels and transports ------------------------------------------------------------------------


def quic_long(random, n, first=0xC3, version=1):
    return (
        bytes([first])
        + be32(version)
        + b"\x08"
        + random.randbytes(8)
        + b"\x00\x44\xd0"
        + random.randbytes(1200)
    )


add("quic_long", quic_long)
add("quic_version_2", lambda random, n: quic_long(random, n, 0xD3, 0x6B3343CF))
add(
    "quic_short",
    lambda random, n: bytes([0x40 | random.getrandbits(6)]) + random.randbytes(random.randint(20, 1200)),
)
add("quic_short_of_the_first_byte_L", lambda random, n: b"\x4c" + random.randbytes(random.randint(20, 200)))
add("quic_short_that_begins_with_Ln", lambda random, n: b"Ln" + random.randbytes(random.randint(20, 200)))
add("quic_short_that_begins_with_La", lambda random, n: b"La" + random.randbytes(random.randint(20, 200)))


def wireguard(random, n, index):
    if n == 0:
        return le32(1, index) + random.randbytes(140)
    if n == 1:
        return le32(2, index, 1) + random.randbytes(80)
    if n % 10 == 5:
        return le32(3, index) + random.randbytes(56)
    return le32(4, index) + le64(n) + random.randbytes(16 * random.randint(1, 9))


add("wireguard", lambda random, n: wireguard(random, n, 0x8C3E5A11))
add("wireguard_of_small_indexes", lambda random, n: wireguard(random, n, 1 + n % 120))


@kind
def openvpn(random, n):
    return (
        bytes([0x38 if n == 0 else 0x48]) + random.randbytes(8) + b"\0" + be32(n) + random.randbytes(n % 50)
    )


@kind
def dtls(random, n):
    return (
        bytes([22 if n < 4 else 23, 0xFE, 0xFD]) + be16(n >= 4, 0) + be32(n) + be16(60) + random.randbytes(60)
    )


@kind
def ike(random, n):
    return random.randbytes(16) + b"\x21\x20\x22\x08" + be32(n, 28 + 40) + random.randbytes(40)


@kind
def esp_in_udp(random, n):
    return be32(0x1A2B3C4D, n) + random.randbytes(16 * random.randint(2, 20))


@kind
def vxlan(random, n):
    return (
        b"\x08\0\0\0"
        + random.randbytes(3)
        + b"\0"
        + random.randbytes(12)
        + be16(0x0800)
        + b"E"
        + random.randbytes(59)
    )


@kind
def geneve(random, n):
    return be16(0, 0x6558) + random.randbytes(3) + b"\0" + random.randbytes(60)


@kind
def gtp(random, n):
    return b"\x30\xff" + be16(40) + random.randbytes(4) + b"E" + random.randbytes(39)


@kind
def l2tp(random, n):
    return be16(0xC802, 12 + 8, n, 0, n, n) + be16(0x8008, 0, 0, 1)


@kind
def utp(random, n):
    return bytes([(n % 5) << 4 | 1, 0]) + be16(n) + be32(n * 1000, 500, 65536) + be16(n, n)


@kind
def kcp(random, n):
    data = random.randbytes(4 * random.randint(0, 30))
    return le32(n % 39) + bytes([81 + n % 4, 0]) + le16(128) + le32(n * 10, n, n, len(data)) + data


@kind
def srt(random, n):
    return be32(n, 0xC0000000 | n, n * 5000, 7) + random.randbytes(188)


@kind
def bittorrent_dht(random, n):
    return b"d1:ad2:id20:" + random.randbytes(20) + b"e1:q4:ping1:t2:aa1:y1:qe"


# ---- buildings, machines, stages -------------------------------------------------------------------


@kind
def coap(random, n):
    return (
        bytes([0x42, 1 + n % 4]) + be16(n) + random.randbytes(2) + b"\xb7sensors\x04temp\xff" + words(random)
    )


@kind
def mqtt_sn(random, n):
    text = words(random)
    return bytes([7 + len(text), 0x0C, 0]) + be16(1, n) + text


@kind
def bacnet(random, n):
    return b"\x81\x0b" + be16(12) + b"\x01\x20\xff\xff\x00\xff\x10\x08"


@kind
def modbus(random, n):
    return be16(n, 0, 6) + b"\x01\x03" + be16(n % 100, 2)


@kind
def ethernet_ip(random, n):
    return le16((4, 0x63, 0x64, 0x65)[n % 4], 0) + le32(0, 0) + le64(n) + le32(0)


@kind
def art_net(random, n):
    return (
        b"Art-Net\0" + le16(0x5000) + be16(14) + bytes([n % 256, 0, 0, 0]) + be16(512) + random.randbytes(512)
    )


@kind
def sacn(random, n):
    return (
        be16(16, 0)
        + b"ASC-E1.17\0\0\0"
        + be16(0x726E)
        + be32(4)
        + random.randbytes(16)
        + be16(0x7258)
        + be32(2)
    )


@kind
def osc(random, n):
    return b"/fader/%d\0\0\0\0"[:12] % (n % 10) + b",f\0\0" + struct.pack(">f", n / 48)


@kind
def osc_bundle(random, n):
    return b"#bundle\0" + random.randbytes(8) + be32(16) + b"/a\0\0,i\0\0" + be32(n)
