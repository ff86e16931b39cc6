# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""UDP payloads of other people's protocols, written from their public descriptions.

    KINDS                 name: maker; maker(random, n) is the payload of packet n of a conversation
    OF_OURS               the kinds among them that are ours, and whose
    LOOK_ALIKES           what is left out because its bytes are those of ours, with the reason

Every maker takes what varies from `random` alone, so that a seed makes the same corpus again. Numbers of
packets, ids and clocks count up from small values, as those of a session that has just begun do: a heuristic
is most easily taken in by small numbers.
"""

import struct
import zlib

KINDS = {}

# Kinds that one dissector of the plugin must accept, and the others must not.
OF_OURS = {"enet": "enet", "enet_without_a_time": "enet"}

LOOK_ALIKES = {
    "u32 3, float": "is a Godot float",
    "u32 4 or 21, u32 length, text filled up to a word": "is a Godot String, or a StringName of Godot 4",
    "u32 5 to 20, floats as many as that type has": "is a vector, rectangle, transform or color of Godot",
    "u32 20 to 38, u32 count, that many floats": "is a packed array of Godot",
}


def kind(function):
    KINDS[function.__name__] = function
    return function


def add(name, maker):
    KINDS[name] = maker


# ---- pieces --------------------------------------------------------------------------------------


def be16(*numbers):
    return b"".join((number & 0xFFFF).to_bytes(2, "big") for number in numbers)


def be32(*numbers):
    return b"".join((number & 0xFFFFFFFF).to_bytes(4, "big") for number in numbers)


def le16(*numbers):
    return b"".join((number & 0xFFFF).to_bytes(2, "little") for number in numbers)


def le32(*numbers):
    return b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in numbers)


def le64(number):
    return number.to_bytes(8, "little")


def floats(*numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


def words(random, count=1):
    """Lower-case text of `count` words."""
    letters = "abcdefghijklmnoprstuvwy"
    return " ".join("".join(random.choices(letters, k=random.randint(2, 9))) for _ in range(count)).encode()


def position(random, n):
    """A walking player: x, y, z."""
    return [100.0 + n * 0.25, 1.75, -40.0 + random.uniform(-1, 1)]


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


# ---- games -----------------------------------------------------------------------------------------


def enet(random, n, head):
    """Commands: connect, reliable, unreliable, acknowledge, ping. `head` precedes them."""
    body = random.randbytes(random.randint(4, 60))
    commands = (
        b"\x86\x00" + be16(n, len(body)) + body,
        b"\x07\x01" + be16(n, n, len(body)) + body,
        b"\x01\x00" + be16(n, n, 100 * n),
        b"\x85\xff" + be16(n),
    )
    if n == 0:
        return (
            head
            + b"\x82\xff"
            + be16(1, 0)
            + b"\xff\xff"
            + be32(1392, 65536, 255, 0, 0, 5000, 2, 2)
            + bytes(8)
        )
    return head + random.choice(commands)


add("enet", lambda random, n: enet(random, n, be16(0x8000 | n % 4, 20 * n)))
add("enet_without_a_time", lambda random, n: enet(random, n, be16(n % 4)))
add("enet_compressed", lambda random, n: be16(0xC001, 20 * n) + random.randbytes(random.randint(4, 80)))


# ---- other versions of ENet, and Photon --------------------------------------------------------------
#
# ENet: include/enet/protocol.h in the history of github.com/lsalzman/enet. Photon: "Binary Protocol" at
# doc.photonengine.com, the fields as in the parser github.com/0blu/PhotonPackageParser.


def enet_1_2_command(random, n):
    """ENet 1.3 has the same commands, with other lengths of connect (n = 0) and verify connect."""
    limits = be32(32768, 3, 0, 0, 5000, 2, 2)
    if n == 0:
        return b"\x82\xff" + be16(1, 0, 1400) + limits + random.randbytes(4)
    if n == 1:
        return b"\x83\xff" + be16(1, 0, 1400) + limits
    body = words(random, random.randint(1, 9))
    return random.choice((
        b"\x86\x00" + be16(n, len(body)) + body,
        b"\x07\x01" + be16(n, n, len(body)) + body,
        b"\x49\x02" + be16(0, n, len(body)) + body,
        b"\x01\x00" + be16(n, n, 100 * n),
        b"\x01\x00" + be16(n, n, 100 * n) + b"\x86\x00" + be16(n, len(body)) + body,
        b"\x85\xff" + be16(n),
        b"\x88\x00" + be16(n + 1, n, 1000) + be32(3, 1, 2100, 1000) + random.randbytes(1000),
    ))


def enet_1_2(random, n, session, checksum=False):
    command = enet_1_2_command(random, n)
    with_time = command[0] & 0x80 or command[8:9] == b"\x86"
    peer = 0x7FFF if n == 0 else n % 4 // 3
    head = be16(peer | 0x8000, 20 * n) if with_time else be16(peer)
    first = be32(session)
    if checksum:
        first = be32(zlib.crc32(first + head + command))
    return first + head + command


# One session id for each value of the first two bits, which ENet 1.3 has for "sent time follows" and "compressed".
for id_of_session in (0x05FF0107, 0x3A4EDB47, 0x67458B6B, 0x85FF0001, 0xBF7B9276, 0x80008000, 0xFA97B959):
    add(f"enet_1_2_session_{id_of_session:08x}",
        lambda random, n, session=id_of_session: enet_1_2(random, n, session))
add("enet_1_2_with_checksums", lambda random, n: enet_1_2(random, n, 0x3A4EDB47, checksum=True))


def command_1_0(kind, channel, flags, reserved, sequence, body):
    return bytes([kind, channel, flags, reserved]) + be32(12 + len(body), sequence) + body


def commands_1_0(random, n, unsequenced, reserved, message):
    """One or two commands; connect at n = 0, verify connect at n = 1."""
    if n < 2:
        return [command_1_0(2 + n, 0xFF, 1, reserved, 1, be16(n, 1200) + be32(32768, 2, 0, 0, 5000, 2, 2))]
    ack = command_1_0(1, 0, 0, reserved, 0, be32(n, 20 * n))
    return random.choice((
        [ack],
        [ack, command_1_0(6, 0, 1, reserved, n, message)],
        [command_1_0(7, 1, 0, reserved, n, be32(n) + message)],
        [command_1_0(unsequenced, 1, 2, reserved, 0, be32(n) + message)],
        [command_1_0(8, 0, 1, reserved, n + 1, be32(n, 3, 1, 3000, 1100) + random.randbytes(1100))],
        [command_1_0(5, 0xFF, 1, reserved, n, b"")],
        [command_1_0(4, 0xFF, 1, reserved, n, b"")],
    ))


def head_1_0(peer, flags, commands, n, challenge):
    return be16(peer) + bytes([flags, len(commands)]) + be32(0x087C7D44 + 16 * n, challenge)


def enet_1_0(random, n, challenge):
    commands = commands_1_0(random, n, 11, 0, words(random, 4))
    return head_1_0(0xFFFF if n == 0 else n % 4 // 3, 0, commands, n, challenge) + b"".join(commands)


def photon_message(random, n):
    """An operation request, or an event: a parameter of text and one of an integer."""
    name = words(random)
    return (b"\xf3" + random.choice((b"\x02", b"\x04")) + bytes([n % 256]) + be16(2)
            + b"\xff\x73" + be16(len(name)) + name + b"\xf9\x69" + be32(n))


def photon(random, n, peer, challenge, checksum=False):
    commands = commands_1_0(random, n, 11, 4, photon_message(random, n))
    if n > 5 and n % 7 == 0:
        commands.append(command_1_0(12, 0xFF, 1, 4, n, b""))  # the server's time
    head = head_1_0(0xFFFF if n == 0 else peer, 0xCC if checksum else 0, commands, n, challenge)
    body = b"".join(commands)
    if checksum:
        return head + be32(zlib.crc32(head + bytes(4) + body)) + body
    return head + body


for challenge in (0x67458B6B, 0x01FF0000, 0x05FF0102, 0x0701FFFF):
    add(f"enet_1_0_challenge_{challenge:08x}", lambda random, n, of=challenge: enet_1_0(random, n, of))
    for peer in (0, 0x46C9, 0x8001, 0xC102):
        add(f"photon_peer_{peer:04x}_challenge_{challenge:08x}",
            lambda random, n, peer=peer, of=challenge: photon(random, n, peer, of))
add("photon_with_checksums", lambda random, n: photon(random, n, 0x0123, 0x67458B6B, checksum=True))

RAKNET_MAGIC = bytes.fromhex("00ffff00fefefefefdfdfdfd12345678")


@kind
def raknet_offline(random, n):
    time = (1000 * n).to_bytes(8, "big")
    return (
        b"\x01" + time + RAKNET_MAGIC + random.randbytes(8),
        b"\x1c" + time + random.randbytes(8) + RAKNET_MAGIC + be16(26) + b"MCPE;" + words(random, 3),
        b"\x05" + RAKNET_MAGIC + b"\x06" + bytes(400),
        b"\x06" + RAKNET_MAGIC + random.randbytes(8) + b"\0" + be16(1400),
        b"\x07" + RAKNET_MAGIC + b"\x04" + random.randbytes(6) + be16(1400) + random.randbytes(8),
    )[n % 5]


def raknet_connected(random, n):
    """Reliable ordered messages of another application, acknowledgements, and split messages."""
    number = n.to_bytes(3, "little")
    body = bytes([0x86 + n % 8]) + random.randbytes(random.randint(4, 60))
    if n % 5 == 4:
        return b"\xc0" + be16(1) + b"\x01" + number
    ordered = be16(8 * len(body)) + number + number + b"\0"
    if n % 5 == 3:
        return b"\x8c" + number + b"\x70" + ordered + be32(3) + be16(1) + be32(n % 3) + body
    return b"\x84" + number + b"\x60" + ordered + body


add("raknet_connected", raknet_connected)


@kind
def source_queries(random, n):
    players = b"".join(bytes([i]) + words(random) + b"\0" + le32(i) + floats(60.0 * i) for i in range(4))
    return (
        b"\xff" * 4
        + (
            b"TSource Engine Query\0",
            b"A" + random.randbytes(4),
            b"U" + random.randbytes(4),
            b"D\x04" + players,
        )[n % 4]
    )


@kind
def source_netchan(random, n):
    return le32(n, max(n - 1, 0)) + bytes([n % 2]) + random.randbytes(2 + random.randint(9, 90))


@kind
def quake3_out_of_band(random, n):
    return (
        b"\xff\xff\xff\xff"
        + (b"getinfo xxx", b"getstatus\n", b'statusResponse\n\\g_gametype\\0\n0 5 "a"\n')[n % 3]
    )


@kind
def quake3_netchan(random, n):
    return (
        le32(n) + (le16(random.getrandbits(16)) if n % 2 else b"") + random.randbytes(random.randint(8, 60))
    )


@kind
def quake_world(random, n):
    return (
        le32(n | (n % 7 == 0) << 31, n | (n % 5 == 0) << 31)
        + le16(27001)
        + random.randbytes(random.randint(3, 40))
    )


@kind
def gamespy(random, n):
    return b"\xfe\xfd" + bytes([9 if n % 2 else 0]) + random.randbytes(4)


@kind
def steam_discovery(random, n):
    return (
        b"\xff\xff\xff\xff\x21\x4c\x5f\xa0" + le32(12) + random.randbytes(12) + le32(4) + b"\x08\x00\x10\x01"
    )


@kind
def unity_transport(random, n):
    return bytes([n % 9]) + random.randbytes(8) + le16(n) + random.randbytes(random.randint(4, 60))


@kind
def lite_net_lib(random, n):
    return bytes([n % 19]) + le16(n) + b"\0" + random.randbytes(random.randint(0, 60))


@kind
def teamspeak_3(random, n):
    return (
        b"TS3INIT1\0\x65\0\0\x88" + random.randbytes(17)
        if n == 0
        else random.randbytes(8) + be16(n, 0) + words(random, 5)
    )


@kind
def assetto_corsa_handshake(random, n):
    return le32(n % 39, 1, n % 4)


@kind
def racing_telemetry(random, n):
    """A race is in progress, milliseconds, then floats: as sent by Forza."""
    return le32(1, 16 * n) + floats(*(random.uniform(-100, 100) for _ in range(56))) + bytes(84)


@kind
def racing_telemetry_of_floats(random, n):
    return floats(*(random.uniform(-10, 900) for _ in range(64)))


@kind
def flight_simulator(random, n):
    return b"DATA\0" + b"".join(
        le32(i) + floats(*(random.uniform(-1, 1) for _ in range(8))) for i in (3, 17, 20)
    )


# Home-made game protocols: a type, then what the type needs. Fixed types that make the bytes one of ours are
# among LOOK_ALIKES; a type that changes from packet to packet is not.


def a_position(random, n):
    return floats(*position(random, n))


def a_player_and_a_position(random, n):
    return le32(n % 4 + 1) + a_position(random, n)


def and_text(random, n):
    text = words(random, 3)
    return le32(len(text)) + text


def and_terminated_text(random, n):
    text = words(random, 2) + b"\0"
    return le32(len(text)) + text


# The data after the type, and the types that are omitted.
OF_FLOATS = range(5, 21)
SHAPES = {
    "and_a_counter": (lambda random, n: le32(n + 1), (1, 2, 3)),
    "and_two_numbers": (lambda random, n: le32(n, random.randint(0, 500)), (6, 23)),
    "a_player_and_a_position": (a_player_and_a_position, OF_FLOATS),
    "and_a_position": (a_position, OF_FLOATS),
    "and_text": (and_text, (4, 21)),
    "and_terminated_text": (and_terminated_text, ()),
}


def typed(number, body):
    return lambda random, n: le32(number) + body(random, n)


def short_typed(number):
    def make(random, n):
        body = random.randbytes(random.randint(2, 40))
        return le16(number, len(body)) + body

    return make


def byte_typed(number):
    return lambda random, n: bytes([number]) + be32(n) + be16(n * 3)


for number in range(39):
    for shape, (body, left_out) in SHAPES.items():
        if number not in left_out:
            add(f"u32_{number}_{shape}", typed(number, body))
    add(f"u16_{number}_and_a_length", short_typed(number))
    add(f"u8_{number}_and_a_big_counter", byte_typed(number))


@kind
def u32_types_by_turns_and_a_sequence(random, n):
    return le32(random.randint(0, 38), n)


@kind
def u32_types_by_turns_and_a_position(random, n):
    return le32(random.randint(0, 10), random.randint(1, 4)) + floats(*position(random, n))


@kind
def u32_types_by_turns_and_text(random, n):
    text = words(random, random.randint(1, 4)) + b"\n"
    return le32(random.choice((0, 1, 2, 3, 5, 6, 7, 8, 9, 10)), len(text)) + text + b" " * (-len(text) % 4)


@kind
def u32_sequence_and_a_position(random, n):
    return le32(n) + floats(*position(random, n))


@kind
def u32_count_of_players_and_their_states(random, n):
    count = random.randint(1, 6)
    return le32(count) + b"".join(
        le32(i) + floats(*position(random, n)) + le32(100 - i) for i in range(count)
    )


@kind
def positions(random, n):
    return floats(*position(random, n))


@kind
def positions_just_under_eight(random, n):
    """As floats, the identifiers of Squirrel frames are 7.99998 to 7.99999."""
    return le32(0x40FFFFE1 + n % 19) + floats(*position(random, n))


@kind
def one_float_just_under_eight(random, n):
    return le32(0x40FFFFE1 + n % 19)


@kind
def floats_just_under_eight(random, n):
    return b"".join(le32(random.randint(0x40FFFFD0, 0x40FFFFFF)) for _ in range(1 + n % 12))


@kind
def a_float_just_under_eight_and_text(random, n):
    return le32(0x40FFFFE1 + n % 19) + words(random, 3)


# The letters at the beginning of Squirrel values with a length.
LETTERS = b"atATcBgkhjFE+-*/%u"


@kind
def a_letter_a_length_and_text(random, n):
    text = words(random, random.randint(1, 4))
    return LETTERS[n % len(LETTERS)].to_bytes(1, "little") + le32(len(text)) + text


@kind
def a_letter_a_length_and_bytes(random, n):
    body = random.randbytes(random.randint(1, 40))
    return LETTERS[n % len(LETTERS)].to_bytes(1, "little") + le32(len(body)) + body


@kind
def a_letter_a_count_and_numbers(random, n):
    count = random.randint(1, 9)
    return (
        LETTERS[n % len(LETTERS)].to_bytes(1, "little")
        + le32(count)
        + le32(*(random.randint(0, 200) for _ in range(count)))
    )


@kind
def fixed_point(random, n):
    return le32(*(int(65536 * number) for number in position(random, n)))


@kind
def big_endian_counters(random, n):
    return be32(n, n * 7, 100 + n)


@kind
def little_endian_counters(random, n):
    return le32(n, n * 7, 100 + n)


@kind
def sixty_four_bit_counters(random, n):
    return le64(n) + le64(1_700_000_000_000 + 50 * n)


@kind
def doubles(random, n):
    return struct.pack("<3d", *position(random, n))


@kind
def zeros(random, n):
    return bytes(4 * (1 + n % 40))


@kind
def one_byte(random, n):
    return bytes([n % 256])


@kind
def ones(random, n):
    return b"\xff" * (1 + n % 64)


@kind
def json_state(random, n):
    return b'{"type":"state","tick":%d,"pos":[%d,2,3]}' % (n, n % 9)


@kind
def message_pack(random, n):
    return (
        b"\x83\xa4tick"
        + b"\xcd"
        + be16(n)
        + b"\xa1x\xca"
        + struct.pack(">f", n / 4)
        + b"\xa1y\xca"
        + random.randbytes(4)
    )


@kind
def protobuf(random, n):
    return b"\x08" + bytes([n % 128]) + b"\x15" + floats(n / 4) + b"\x1d" + random.randbytes(4)


@kind
def flat_buffers(random, n):
    return le32(16) + le16(0, 0, 8, 12, 4, 8) + le32(8, n) + floats(n / 4) + le32(0)


@kind
def cap_n_proto(random, n):
    return le32(0, 4) + le64(0x0001_0002_0000_0000) + le64(n) + floats(1.5, -2.5) + le32(0, 0)


@kind
def text_that_begins_with_Ln(random, n):
    return b"Ln %d: " % n + words(random, 5)


@kind
def text_that_begins_with_La(random, n):
    return (b"La la la, " if n % 2 else b"La\x04") + words(random, 4)


@kind
def text_of_a_console(random, n):
    return b"say " + words(random, 6) + b"\n"


@kind
def magic_Ln_and_numbers(random, n):
    """Another protocol with the same first bytes: version, counter, length."""
    return b"Ln" + be16(1) + be32(n, 12) + random.randbytes(12)


@kind
def magic_La_and_numbers(random, n):
    return b"La" + bytes([n % 5]) + be32(n) + random.randbytes(random.randint(1, 9))
