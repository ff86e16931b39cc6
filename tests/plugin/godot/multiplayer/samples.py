# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of Godot's multiplayer that violate a rule, conversations with a finding, and the tables of names for the
captures."""

import struct

import gamewire_tshark as tshark
from plugin.enet.datagrams import connect, datagram, reliable, verify
from plugin.godot.variant.variants import words

DECODE_AS = ("-d", f"udp.port=={tshark.SERVER_PORT},enet", "-d", f"enet.port=={tshark.SERVER_PORT},godot_mp")

CHECKSUM = b"d41d8cd98f00b204e9800998ecf8427e".hex() + "00"
UNKNOWN = "godot_mp.path.definition.unseen"  # further expert info of a call on a path id that no packet defines
BY_NAME = "godot_mp.path.by_name"
UNASKED = "godot_mp.path.request.unseen"
NO_SPAWNER = "godot_mp.spawn.spawner.unseen"

# Message: its expert infos, without "godot_mp.".
MESSAGES_OF_4 = {
    "05 0300": {"field.truncated"},
    "01" + CHECKSUM + "06000000 4d61": {"text.truncated"},
    "01 6434": {"checksum.truncated"},
    "04 00 01000000 03000000 00000000 05000000 6162": {"name.truncated", NO_SPAWNER},
    "04 00 01000000 03000000 02000000 02000000 04000000 05": {"ids.truncated", NO_SPAWNER},
    "04 00 01000000 03000000 01000040 02000000 04000000 4100": {"ids.too_long", NO_SPAWNER},
    "00 06 05 01 04000000 05000000 6162": {"value.truncated", UNKNOWN},
    "00 06 05 02 0205": {"values.missing", UNKNOWN},
    "06 0100 04000000 03000000 030047": {"half_floats.unusual", "godot_mp.sync.net_id.unseen"},
    "06 0100 04000000 05000000 0201": {"update.truncated", "godot_mp.sync.net_id.unseen"},
    "00 06 05 01 3f000000": {"value.invalid", UNKNOWN},
    "00 06 05 01" + 200 * "1c000000 01000000" + "00000000": {"value.too_deep", UNKNOWN},
    "20 03000080 05 00": {"offset.invalid", BY_NAME},
    "30 06": {"id_size.unknown"},
    "07 04": {"system.unknown"},
    5 * "07 03 02000000" + "03 61": {"relay.too_deep", "system.relayed"},
    "08 06 05 00": {"flags.unknown", UNKNOWN},
    "02 01 4d61696eff00": {"utf8.invalid", "confirmation.unusual", UNASKED},
    "90 0600 05": {"number.unusual", UNKNOWN},
    "05 03000000 00": {"trailing.unusual", "godot_mp.spawn.net_id.unseen"},
    "01 58" + CHECKSUM[2:] + "06000000 4d00": {"checksum.invalid"},
    "02 02 06000000": {"confirmation.invalid", UNASKED},
    "00 06 05 01 c1": {"bool.unusual", UNKNOWN},
    "00 06 05 01 18000000": {"null_object.invalid", UNKNOWN},
    "04 00 01000000 03000000 00000000 01000000 61": {"name.invalid", NO_SPAWNER},
    "16 04000000 0700000000000000 02000000 0209": {"indexes.differs", "godot_mp.sync.net_id.unseen"},
    "07 01 00000000": {"peer.invalid"},
    "06 0100 04000000 60050000" + 688 * "0201": {"packet.too_long", "godot_mp.sync.net_id.unseen"},
    "07 03 02000000 07 00": {"system.relayed"},
    "04 ff 01000000 03000000 00000000 02000000 6100 03000000 020c": {"custom_size.differs", NO_SPAWNER},
    "02 01 4d61696e00": {"confirmation.unusual", UNASKED},
    "a0 06000080 05 4d61696e00": {BY_NAME},
    "80 06 05": {UNKNOWN},
    "06 0100 06000080 02000000 0202": {UNKNOWN},
}
MESSAGES_OF_3 = {
    "01000000 00000000 05": {"command.unknown"},
    "02000000 01000000": {"peer_message.unknown"},
    "01000000 00000000 00 06000000 6800 01": {"values.missing", UNKNOWN},
    "00000000 00000000 04 61": {"peer.invalid"},
}


# ---- conversations -------------------------------------------------------------------------------------------------


def client(message):
    return False, message


def server(message):
    return True, message


def websocket(message):
    """A frame of WebSocket with a binary message of less than 126 bytes."""
    return b"\x82" + bytes([len(message)]) + message


def define(number, name, checksum=CHECKSUM):
    return "01" + checksum + struct.pack("<I", number).hex() + name.encode().hex() + "00"


DEFINE = define(6, "Main")
SPAWN = "04 00 06000000 03000000 01000000 02000000 04000000 6100"
# The earlier messages of the peers, and the last one; the expert infos of the last one, on the second pass.
CONVERSATIONS = {
    "defined and confirmed": ([client(DEFINE), server("02 01 06000000"), client("80 06 05")], set()),
    "not confirmed yet": ([client(DEFINE), client("80 06 05")], {"path.unconfirmed"}),
    "redefined": ([client(DEFINE), client(define(6, "Other"))], {"path.redefined"}),
    "defined again as it was": ([client(DEFINE), client(DEFINE)], set()),
    "other methods": ([client(DEFINE), server("02 00 06000000")], {"path.methods.differs"}),
    "another path confirmed": ([client(DEFINE), server("02 01 07000000")], {"path.request.unseen"}),
    "spawned": ([server(DEFINE), server(SPAWN)], set()),
    "spawned again": ([server(DEFINE), server(SPAWN), server(SPAWN)], {"godot_mp.spawn.net_id.duplicate"}),
    "spawned again after it was despawned": ([server(DEFINE), server(SPAWN), server("05 03000000"), server(SPAWN)], set()),
    "despawned before": ([server(DEFINE), server("05 03000000"), server(SPAWN)], set()),
    "synchronized": ([server(DEFINE), server(SPAWN), server("06 0500 04000000 02000000 0201")], set()),
    "a sync that others overtook": ([server(DEFINE), server(SPAWN), server("06 0500 04000000 02000000 0201"),
                                     server("06 0400 04000000 02000000 0201")], {"godot_mp.sync.out_of_order"}),
    "synchronized, but by another id": ([server(DEFINE), server(SPAWN), server("06 0500 05000000 02000000 0201")],
                                        {"godot_mp.sync.net_id.unseen"}),
}


# ---- known peers and methods ---------------------------------------------------------------------------------------

CLIENT = 0x4000  # the peer id in the client's CONNECT
# Checksum of the names "join" and "leave", sorted and joined.
JOIN_AND_LEAVE = "5cab278e30636de9405ba7b7634d3ff2"
SCRIPT = ("-o", f'uat:godot_rpc_names:"main.gd","join,leave","{JOIN_AND_LEAVE}"')


def connected(*messages):
    """A client's CONNECT, the server's answer, and messages: (True if from the server, bytes)."""
    packets = [tshark.request(connect()[:-4] + struct.pack(">I", CLIENT)), tshark.reply(verify())]
    for number, (from_server, message) in enumerate(messages, 2):
        side, header = (tshark.reply, 0x8000) if from_server else (tshark.request, 0x8001)
        packets.append(side(datagram(reliable(number, message), header)))
    return packets


PATH = b"\1" + JOIN_AND_LEAVE.encode() + b"\0" + words(6) + b"Main\0"
SPAWN_OF_A = b"\4\0" + words(6, 3, 0, 2) + b"a\0"
PEERS = {
    "godot_mp.rpc.method.unknown": [(True, PATH), (True, b"\0\6\x63\0")],
    "godot_mp.spawn.by_client": [(False, PATH), (False, SPAWN_OF_A)],
}


# ---- what a game should send in another way ------------------------------------------------------------------------

CALL_BY_ID = bytes.fromhex("80 06 05")
CALL_BY_PATH = b"\x20\x06\0\0\x80\x05Main\0"


def defined(*packets):
    """A conversation whose client has defined the path id 6, Main, as reliable message 2 at 0 s."""
    return [*connected((False, bytes.fromhex(DEFINE))), *packets]


def calls(count, interval, message=CALL_BY_ID, first=0):
    """Reliable calls by the client."""
    return [tshark.request(datagram(reliable(3 + number, message)), number * interval)
            for number in range(first, first + count)]


def fragments(message, size=40, first=0x88, number=0):
    """A reliable message of the client from number 3 on, or an unreliable one of this number, in fragments."""
    pieces = [message[at:at + size] for at in range(0, len(message), size)]
    return [tshark.request(datagram(struct.pack(">BBHHHIIII", first, 0, 2 if number else 3 + index, number or 3, len(piece),
                                                len(pieces), index, len(message), index * size) + piece))
            for index, piece in enumerate(pieces)]


def call_with(frame):
    """A call with the full object of a frame of an engine's capture as its argument."""
    packet = list(tshark.read_pcap(tshark.PCAPS / "godot/variant" / "godot-4.6.3.pcap"))[frame - 1]
    return defined(tshark.request(datagram(reliable(3, bytes.fromhex("00 06 05 01") + packet.payload))))


LONG_CALL = bytes.fromhex("00 06 05 01 04000000 50000000") + 80 * b"a"
ADVICE = {
    "godot_mp.unreliable.too_long": defined(*fragments(LONG_CALL, first=0x0C, number=1)),
    "godot_mp.rpc.reliable.too_many": defined(*calls(44, 0.045)),
    "godot_mp.path.confirmation.missing": defined(tshark.request(datagram(reliable(3, CALL_BY_PATH)), 2.5)),
    "godot.object.script": call_with(184),
}
# The same as far as the game may send it: reliable, less often, confirmed.
SOUND = {
    "godot_mp.unreliable.too_long": defined(*fragments(LONG_CALL)),
    "godot_mp.rpc.reliable.too_many": defined(*calls(60, 0.001), *calls(80, 0.055, first=60)),
    "godot_mp.path.confirmation.missing": defined(tshark.reply(datagram(reliable(2, bytes.fromhex("02 01 06000000")), 0x8000)),
                                                  tshark.request(datagram(reliable(3, CALL_BY_PATH)), 2.5)),
    "godot.object.script": call_with(182),
}


# ---- the tables of names -------------------------------------------------------------------------------------------


def property_table(rows):
    """tshark's options for rows of the table of properties."""
    return [option for row in rows for option in ("-o", f"uat:godot_rpc_properties:{row}")]


def tables():
    """tshark's options for the tables of names."""
    options = []
    for file in sorted((tshark.PCAPS / "godot/multiplayer" / "profile").iterdir()):
        for line in file.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                options += ["-o", f"uat:{file.name}:{line}"]
    # A method that the game configures on a node at run time is not in a script: its row is written by hand.
    return options + ["-o", 'uat:godot_rpc_names:"Quiet","*configured",""']
