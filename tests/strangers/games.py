# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Payloads of games' protocols and of structures as home-made protocols have them. See protocols.py."""

import struct
import zlib

from pieces import add, be16, be32, floats, kind, le16, le32, le64, position, words


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
