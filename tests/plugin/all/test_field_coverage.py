# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of plugin/docs/reference/fields.md is found by a filter of its own name: in some capture of pcaps/, in changed
packets of a capture, or in the packets of the modules `samples`. not_captured.txt lists the other fields, with
the reasons. Also tests the number of tree rows of a value.
"""

import functools
import json
import os
import random
import re
from pathlib import Path

import gamewire_tshark as tshark
from plugin.all import samples as large
from plugin.enet import samples as enet
from plugin.enet import test_formats as formats
from plugin.enet import test_numbers as numbers
from plugin.enet.datagrams import ack, datagram, ping, reliable
from plugin.godot.variant import samples as variants
from plugin.godot.variant.variants import encode, words
from plugin.godot.debugger import samples as debugger
from plugin.godot.multiplayer import samples as multiplayer
from plugin.godot.remote_fs import samples as remote_fs
from plugin.godot.stream import samples as stream
from plugin.leviathan import samples as leviathan
from plugin.leviathan.decoding import KEEPALIVE, normal, response, string, u32
from plugin.squirrel import samples as squirrel

LIST = tshark.SOURCE / "plugin" / "docs" / "reference" / "fields.md"
NOT_CAPTURED = Path(__file__).with_name("not_captured.txt")
TIMEOUT = 600  # a run with each field referenced takes long

# Captures that need Decode As: malformed packets are not recognized everywhere.
PORTS = {
    "leviathan": ["-d", "udp.port==53221,leviathan"],
    "enet": ["-d", "udp.port==40500,enet"],
}
# Filters per run. With one filter per run, no field could depend on another referenced one; that takes ten minutes.
AT_ONCE = 1 if os.environ.get("GAMEWIRE_EXHAUSTIVE") else 60


def all_fields():
    return sorted(set(re.findall(r"^\| `([^`]+)` \|", LIST.read_text(encoding="utf-8"), re.MULTILINE)))


def named_in(capture, options, names):
    """Those of some fields that a packet of a capture has if all of them are referenced."""
    columns = [part for name in names for part in ("-e", name)]
    args = ["-2", "-T", "json", *columns, *tshark.naming(names, options)]
    packets = json.loads(tshark.run(args, capture, timeout=TIMEOUT).stdout or "[]")
    return {name for packet in packets for name in packet["_source"]["layers"]}


# Packets of these captures, truncated, with a changed byte or an additional one; and the options to decode them.
CHANGED = {
    "godot": (["godot/variant/*.pcap"], [["-d", "udp.port==41001,godot", "-o", f"godot.generation:{n}"] for n in "234"]),
    "enet": (["enet/*.pcap"], [["-d", "udp.port==41001,enet"]]),
    "multiplayer": (
        ["godot/multiplayer/*-calls.pcap", "godot/multiplayer/*-spawn.pcap"],
        [["-d", "udp.port==41001,enet", "-d", "enet.port==41001,godot_mp"]],
    ),
    "leviathan": (
        ["leviathan/*.pcap"],
        [["-d", "udp.port==41001,leviathan", "-o", f"leviathan.numbering:{numbering}"]
         for numbering in ("Since 2018-12-09 (newest)", "2018-10-30 to 2018-11-17", "2017-04-05 to 2018-10-29")],
    ),
    "squirrel": (["squirrel/*.pcap"], [["-d", "udp.port==41001,squirrel"]]),
}
PACKETS = 30


def changed(payload, chance):
    for _ in range(8):
        yield payload[: chance.randrange(len(payload))]
    for _ in range(12):
        at = chance.randrange(len(payload))
        yield payload[:at] + bytes([chance.choice((0, 1, 2, 0x7F, 0x80, 0xFF))]) + payload[at + 1 :]
    yield payload + b"\1"


@functools.lru_cache(maxsize=None)
def changed_packets(family):
    chance = random.Random(1)
    payloads = {}
    for capture in sorted(path for pattern in CHANGED[family][0] for path in tshark.PCAPS.glob(pattern)):
        for packet in tshark.read_pcap(capture):
            payloads.setdefault((packet.payload[:4], len(packet.payload)), packet.payload)
    some = chance.sample(sorted(filter(None, payloads.values())), min(PACKETS, len(payloads) - 1))
    texts = [each for payload in some for each in changed(payload, chance)]
    packets = [tshark.Udp(41000, 41001, text, 0.001 * number) for number, text in enumerate(texts)]
    return tshark.write_pcap(tshark.scratch() / f"changed-{family}.pcap", packets)


# ---- packets made by hand --------------------------------------------------------------------------------

PORT = tshark.SERVER_PORT
AS_ENET = ["-d", f"udp.port=={PORT},enet"]
AS_LEVIATHAN = ["-d", f"udp.port=={PORT},leviathan"]
AS_SQUIRREL = ["-d", f"udp.port=={PORT},squirrel"]

# Acks beyond the listed ones, and components beyond the displayed ones.
LEVIATHAN = [
    b"Ln" + u32(1002, 1) + b"\xff" + b"\xff" * 255 + b"\x01" + response(2, KEEPALIVE),
    normal(2, response(1, 19, 0, u32(1, 9, 1001) + string(b"\0\1" * 1001))),
    *(payload for payload, _ in leviathan.PACKETS.values()),
]
# EntityConstraint and EntityCreation: their numbers in the first revision are 23 and 18.
OLD_LEVIATHAN = [
    normal(2, response(1, 23, 0, u32(1) + b"\1" + u32(2, 3, 4) + b"\0\5" + string(b"data"))),
    normal(2, response(1, 18, 0, u32(1) + string(b"data"))),
]


def alone(payloads, **options):
    """Each in a separate conversation."""
    return [tshark.Udp(20000 + number, PORT, payload, 0.0, options) for number, payload in enumerate(payloads)]


def made_of_enet():
    yield "enet-findings", tshark.apart(enet.START + found for found in enet.FINDINGS.values()), AS_ENET
    yield "enet-odd", alone(enet.ODDITIES.values()), AS_ENET
    yield "enet-cut", alone([datagram(reliable(1, bytes(100)))], captured=50), AS_ENET
    yield "enet-many", alone([datagram(b"".join(ping(number) for number in range(200)))]), AS_ENET
    yield "enet-padding", alone([datagram(b"\x0f" + ping(1) + ack(5) + b"\0\0\0\1", header=0xC001)]), [
        *AS_ENET, "-o", "enet.compression:fastlz"]
    for name in formats.FORMATS:
        yield f"enet-{name}", formats.session(name), [*AS_ENET, "-o", f"enet.format:{name.split()[0]}"]
    yield "enet-moved", numbers.rebound(), []
    yield "enet-encrypted", alone([formats.ENCRYPTED]), [*AS_ENET, "-o", "enet.format:enet6"]
    other_port = formats.growtopia(formats.CONNECT, 0xFFF, port=PORT + 1)
    yield "enet-port", alone([other_port]), [*AS_ENET, "-o", "enet.format:growtopia"]


def made_of_variants():
    tables = variants.ODDITIES | variants.FAULTS | variants.OTHERS
    for generation in (2, 3, 4):
        options = ["-d", f"udp.port=={PORT},godot", "-o", f"godot.generation:{generation}"]
        payloads = [row[1] for row in tables.values() if row[0] == generation]
        payloads += [variants.after_a_seven(*row[:2]) for row in tables.values() if row[0] == generation]
        payloads += [payload for samples, of, _, _ in variants.TABLES.values() if of == generation
                     for payload, _ in samples.values()]
        yield f"variants-{generation}", alone(payloads), options
    yield "variants-cut", alone([variants.DOCUMENT], captured=40), options
    proofs = [encode({"cmd": "move", "ok": [True]}, generation) for generation in (4, 3)]
    yield "variants-mixed", [tshark.request(proof) for proof in proofs], options[:2]
    yield "variants-ambiguous", alone([words(21, 0)]), options[:2]


def made_of_multiplayer():
    tables = {"3": multiplayer.MESSAGES_OF_3, "4": multiplayer.MESSAGES_OF_4}
    for generation, messages in tables.items():
        options = [*multiplayer.DECODE_AS, "-o", f"godot_mp.generation:{generation}"]
        packets = [datagram(reliable(7, bytes.fromhex(message))) for message in messages]
        yield f"multiplayer-{generation}", alone(packets), options
    yield "multiplayer-cut", alone(packets[:6], captured=20), options
    yield "multiplayer-said", tshark.apart(
        [(tshark.reply if from_server else tshark.request)(datagram(reliable(n, bytes.fromhex(message))))
         for n, (from_server, message) in enumerate(messages, 1)]
        for messages, _ in multiplayer.CONVERSATIONS.values()), options
    for number, packets in enumerate(multiplayer.ADVICE.values()):
        yield f"multiplayer-advice-{number}", packets, list(multiplayer.DECODE_AS)
    for number, messages in enumerate(multiplayer.PEERS.values()):
        yield f"multiplayer-peers-{number}", multiplayer.connected(*messages), [*multiplayer.DECODE_AS, *multiplayer.SCRIPT]
    # A spawner whose path is defined after the spawn.
    later = ["0400050000000700000000000000020000004100", "01" + "30" * 32 + "0005000000" + b"Main/Spawner\0".hex()]
    yield "multiplayer-later", [tshark.request(datagram(reliable(n, bytes.fromhex(message))))
                                for n, message in enumerate(later, 1)], options
    for name, message in large.MESSAGES.items():
        yield f"multiplayer-{name}", large.over_enet(message), list(large.OVER_ENET)


def made_of_squirrel():
    payloads = [*squirrel.SAMPLES.values(), squirrel.SPLIT_IN_SPLIT]
    packets = [tshark.reply(payload) for payload in payloads]
    packets += [tshark.reply(payload, captured=kept) for payload, kept in squirrel.CUT]
    yield "squirrel", packets, AS_SQUIRREL
    yield "squirrel-many", squirrel.chunks(squirrel.many(b"o")), AS_SQUIRREL
    yield "squirrel-incomplete", [squirrel.chunk(number, 0, 4096, b"x") for number in range(1200)], AS_SQUIRREL
    asked = squirrel.message(squirrel.frame(0xE2, squirrel.token(1), squirrel.get(b"x")))
    yield "squirrel-again", [tshark.reply(squirrel.datagram(5, asked))] * 2, list(squirrel.AS_RAKNET)


def made_of_leviathan():
    yield "leviathan", alone(LEVIATHAN), AS_LEVIATHAN
    yield "leviathan-old", alone(OLD_LEVIATHAN), [
        *AS_LEVIATHAN, "-o", "leviathan.numbering:2017-04-05 to 2018-10-29"]
    yield "leviathan-cut", alone([LEVIATHAN[0]], captured=20), AS_LEVIATHAN


def made_by_name():
    """What is given to a dissector without TCP: (name, data)"""
    ends = [("godot_debugger", data) for data in debugger.ENDS.values()]
    ends += [("godot_stream", data) for data in stream.ENDS.values()]
    return [*ends, ("godot_remote_fs", remote_fs.head()[:20])]


# io,stat prints nothing for captures without duration.
LATER = tshark.Udp(9, 9, b"", 1000.0)


def write_made(name, packets):
    return tshark.write_pcap(tshark.scratch() / f"made-{name}.pcap", [*packets, LATER])


def write_made_tcp(name, several):
    """The same, with a connection for the segments of each."""
    connections = [[(False, segment) for segment in segments] for segments in several]
    return tshark.write_tcp_connections(tshark.scratch() / f"made-{name}.pcap", connections)


def made_by_hand():
    """(capture, options)"""
    for name, packets, options in (*made_of_enet(), *made_of_variants(), *made_of_multiplayer(), *made_of_leviathan(),
                                   *made_of_squirrel()):
        yield write_made(name, packets), options
    yield stream.write_named(tshark.scratch() / "made-by-name.pcap", *made_by_name()), ["-o", "godot.generation:4"]
    script = tshark.scratch() / "carrier.lua"
    script.write_text(variants.BUFFERS, encoding="utf-8")
    yield write_made("limits", [tshark.request(bytes([which])) for which in variants.LIMITS]), [
        "-X", f"lua_script:{tshark.readable(script)}", "-o", "godot.generation:4"]
    segments_of = debugger.DEBUGGER_MESSAGES | {"resource": [debugger.RESOURCE], "cut": [debugger.SOUND[:20]]}
    segments_of |= {f"odd {name}": [debugger.SOUND, data] for name, (data, _, _) in debugger.ODD_MESSAGES.items()}
    for side in (debugger.OF_THE_EDITOR, debugger.OF_THE_GAME):
        segments_of |= {name: [debugger.with_values(name, *values)] for name, (values, _) in side.items()}
    segments_of |= {name: [debugger.with_values(message, *values)] for name, (message, values, _) in debugger.OF_4_7.items()}
    yield write_made_tcp("debugger", segments_of.values()), [*debugger.DEBUGGER, *stream.ALONE]
    for name, message in large.DEBUGGER_MESSAGES.items():
        yield large.over_tcp(tshark.scratch() / f"made-debugger-{name}.pcap", words(len(message)) + message), list(
            large.DEBUGGER)
    yield (tshark.write_tcp_connections(tshark.scratch() / "made-remote-fs.pcap", remote_fs.CONNECTIONS.values(), opened=True),
           list(remote_fs.CHOSEN))
    unseen = remote_fs.CONNECTIONS["end.invalid"]
    whole = tshark.write_tcp_connections(tshark.scratch() / "made-remote-fs-whole.pcap", [[*unseen, *unseen, *unseen]], opened=True)
    yield tshark.cut_out(whole, tshark.scratch() / "made-remote-fs-unseen.pcap", 4, 4), list(remote_fs.CHOSEN)
    yield tshark.cut_packets(whole, tshark.scratch() / "made-remote-fs-cut.pcap", 80), list(remote_fs.CHOSEN)
    yield write_made_tcp("streams", [[segment] for segment in stream.STREAMS.values()]), [*stream.STREAM, *stream.ALONE]


def searched():
    """(capture, options) of all captures that are searched."""
    for folder in tshark.capture_folders():
        yield tshark.captures_of(folder), []
    for folder, options in PORTS.items():
        yield tshark.captures_of(folder), options
    # Alone: among the others, their hosts have had connections before.
    for name in ("compression-client", "compression-server", "one-way", "refused"):
        yield tshark.PCAPS / "enet" / f"{name}.pcap", []
    yield tshark.captures_of("godot/multiplayer"), multiplayer.tables()
    for family, (_, ways) in CHANGED.items():
        for options in ways:
            yield changed_packets(family), options
    yield from made_by_hand()


def readings():
    """The same, with small captures that have the same options as one: each takes two starts of tshark."""
    small = {}
    for capture, options in searched():
        if capture.suffix == ".pcap":
            small.setdefault(tuple(options), []).append(capture)
        else:
            yield capture, options
    for options, captures in small.items():
        yield tshark.together(tuple(captures))[0] if len(captures) > 1 else captures[0], list(options)


# Fields that are added only if they are referenced, such as godot.short_path, count toward the limit of the tree: a
# capture that exceeds the limit only because of them does not have these fields.
LIMITS = {"godot.not_shown", "godot.tree.too_long"}


@functools.lru_cache(maxsize=None)
def holder_of():
    """{field: (capture, options) with the field}"""
    found = {}
    for capture, options in readings():
        wanted = [name for name in all_fields() if name not in found]
        named = named_in(capture, options, wanted)
        named -= {name for name in LIMITS & named
                  if not tshark.fields(capture, ["frame.number"], "-2", *options, "-Y", name)}
        found |= dict.fromkeys(named, (capture, tuple(options)))
    return found


def not_captured():
    """{field: the reason why no packet here has it}"""
    lines = [line for line in NOT_CAPTURED.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return dict(line.split("\t") for line in lines)


def test_fields_without_a_capture_are_listed():
    missing = [name for name in all_fields() if name not in holder_of()]
    assert missing == list(not_captured())


def groups():
    """Fields of one capture together."""
    by_capture = {}
    for name in all_fields():
        if name in holder_of():
            by_capture.setdefault(holder_of()[name], []).append(name)
    for (capture, options), names in by_capture.items():
        for at in range(0, len(names), AT_ONCE):
            yield capture, options, names[at : at + AT_ONCE]


def test_each_field_is_found_by_a_filter():
    """On a second pass, without a visible tree."""
    not_found = []
    for capture, options, names in groups():
        counts = tshark.counts(capture, names, *options, timeout=TIMEOUT)
        assert len(counts) == len(names)
        not_found += [name for name, count in zip(names, counts) if count == 0]
    assert not_found == []


# ---- rows a value ----------------------------------------------------------------------------------------

# Frames 7 and 10 of the game had 112 rows when key, type, length, count and path each had a row.
ROWS_BEFORE = 112
ROWS = 64
VALUES = 27


def rows_of(capture, frames):
    """The number of rows below the protocol's item."""
    which = " || ".join(f"frame.number == {number}" for number in frames)
    lines = tshark.run(["-2", "-O", "godot", "-Y", which], capture).stdout.splitlines()
    return [line for line in lines if line.startswith("    ")]


def test_a_value_is_a_row_and_its_path():
    rows = rows_of(tshark.PCAPS / "godot" / "variant" / "godot-4.6.3-game.pcap", (7, 10))
    paths = [row for row in rows if row.strip().startswith("[Path: ")]
    components = [row for row in rows if re.match(r" +[xy]: ", row)]
    assert len(paths) == VALUES
    generation = [row for row in rows if re.search(r"\[(Generation|Reason|Decided in): ", row)]
    assert len(rows) == 2 * VALUES + len(components) + len(generation) == ROWS < ROWS_BEFORE
