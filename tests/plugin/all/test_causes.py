# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sentences of expert infos that name a cause, a consequence at the receiver or a remedy: causes.txt has for each a packet in which
it is true, and the nearest one in which it must not appear. stated.txt lists the expert infos that say only what is in the packets."""

import functools
import re
from pathlib import Path
from typing import NamedTuple

import gamewire_tshark as tshark
from plugin.enet import samples as enet
from plugin.enet import test_formats as formats
from plugin.enet.datagrams import checksummed, connect, datagram, ping, reliable
from plugin.godot.debugger import samples as debugger
from plugin.godot.multiplayer import samples as multiplayer
from plugin.godot.remote_fs import samples as remote_fs
from plugin.godot.stream import samples as stream
from plugin.godot.variant import samples as variants
from plugin.leviathan import decoding, samples as leviathan
from plugin.squirrel import samples as squirrel

CAUSES = Path(__file__).with_name("causes.txt")
STATED = Path(__file__).with_name("stated.txt")
NOT_CAPTURED = Path(__file__).with_name("not_captured.txt")
PORT = tshark.SERVER_PORT


# ---- the lists -----------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A frame of a capture of pcaps/ with the options to decode it; or a sample, whose frame is 0: any packet of it."""

    capture: str
    frame: int
    options: tuple = ()


class Cause(NamedTuple):
    expert: str
    phrase: str
    true: Place
    near: Place
    reason: str = ""  # why no capture has it


def place(text):
    if text[0] == "@":
        return Place(text, 0)
    capture, frame, *options = text.split()
    return Place(capture, int(frame), tuple(options))


def lines(file):
    return [line for line in file.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


@functools.lru_cache(maxsize=None)
def causes():
    rows = [line.split("\t") for line in lines(CAUSES)]
    return [Cause(expert, phrase, place(true), place(near), *reason) for expert, phrase, true, near, *reason in rows]


@functools.lru_cache(maxsize=None)
def experts():
    """{expert info: its registered text}"""
    sources = (path.read_text(encoding="utf-8") for path in (tshark.SOURCE / "plugin").rglob("*.c"))
    names = {name for source in sources for name in re.findall(r'"(\w+\.[\w.]+)",\s*PI_', source)}
    return {field.filter: field.name for field in tshark.registered_fields() if field.filter in names}


# ---- packets that no program of pcaps/ sent: those of the tests -----------------------------------------------------


def alone(payloads, side=tshark.request):
    return {name: [side(payload)] for name, payload in payloads.items()}


def growtopia():
    other_port = formats.growtopia(formats.CONNECT, 0xFFF, port=PORT + 1)
    return {"port.masked.invalid": [tshark.request(other_port)],
            "port.masked": [tshark.request(formats.growtopia(formats.CONNECT, 0xFFF, port=PORT))]}


def of_enet():
    yield "enet", alone(enet.ODDITIES), ("-d", f"udp.port=={PORT},enet")
    yield "enet", {name: [*enet.START, *found] for name, found in enet.FINDINGS.items()}, ("-d", f"udp.port=={PORT},enet")
    yield "enet", growtopia(), ("-d", f"udp.port=={PORT},enet", "-o", "enet.format:growtopia")
    sums = {name: checksummed(connect() + ping(2), 0, wrong) for name, wrong in (("checksum", 0), ("checksum.bad", 1))}
    yield "enet", alone(sums), ("-d", f"udp.port=={PORT},enet", "-o", "enet.checksum:always")


def of_variants():
    tables = variants.ODDITIES | variants.FAULTS | variants.OTHERS
    for generation in (2, 3, 4):
        yield ("godot/variant", alone({name: row[1] for name, row in tables.items() if row[0] == generation}),
               ("-d", f"udp.port=={PORT},godot", "-o", f"godot.generation:{generation}"))


def of_multiplayer():
    for generation, messages in (("3", multiplayer.MESSAGES_OF_3), ("4", multiplayer.MESSAGES_OF_4)):
        packets = {message: datagram(reliable(7, bytes.fromhex(message))) for message in messages}
        yield "godot/multiplayer", alone(packets), (*multiplayer.DECODE_AS, "-o", f"godot_mp.generation:{generation}")
    said = {name: [(tshark.reply if from_server else tshark.request)(datagram(reliable(number, bytes.fromhex(message))))
                   for number, (from_server, message) in enumerate(messages, 1)]
            for name, (messages, _) in multiplayer.CONVERSATIONS.items()}
    said |= multiplayer.ADVICE | {f"sound {name}": packets for name, packets in multiplayer.SOUND.items()}
    yield "godot/multiplayer", said, (*multiplayer.DECODE_AS, "-o", "godot_mp.generation:4")
    peers = {name: multiplayer.connected(*messages) for name, messages in multiplayer.PEERS.items()}
    yield "godot/multiplayer", peers, (*multiplayer.DECODE_AS, *multiplayer.SCRIPT)


def of_the_others():
    yield "leviathan", alone({name: row[0] for name, row in leviathan.PACKETS.items()}), ("-d", f"udp.port=={PORT},leviathan")
    reused = [tshark.request(decoding.hello()), tshark.request(decoding.normal(1001, decoding.request(1, decoding.CONNECT, decoding.u32(43))), 0.1)]
    yield "leviathan", {"a number with other bytes": reused}, ("-d", f"udp.port=={PORT},leviathan")
    an_element = squirrel.execute(squirrel.holding(b"F", squirrel.get(b"f"), squirrel.holding(b"a", b"o")))
    yield "squirrel", alone(squirrel.SAMPLES | {"an array with an element": an_element}), squirrel.AS_TEST


def over_tcp():
    segments = debugger.DEBUGGER_MESSAGES | {name: [debugger.SOUND, row[0]] for name, row in debugger.ODD_MESSAGES.items()}
    conversations = {name: [(False, segment) for segment in several] for name, several in segments.items()}
    yield "godot/debugger", conversations, (*debugger.DEBUGGER, *stream.ALONE), False
    yield "godot/remote_fs", remote_fs.CONNECTIONS, remote_fs.CHOSEN, True
    streams = {name: [(False, data)] for name, data in stream.STREAMS.items()}
    yield "godot/stream", streams, (*stream.STREAM, *stream.ALONE), False


NAMES = ("_ws.expert.message", "frame.protocols", "tcp.stream")


def read_packets(capture, options):
    return tshark.fields(capture, [*NAMES, *experts()], "-2", *options)


def read_tcp(path, conversations, options, opened):
    """{sample: its packets}"""
    tshark.write_tcp_connections(path, conversations.values(), opened=opened)
    found = {name: [] for name in conversations}
    for packet in read_packets(path, options):
        found[list(conversations)[int(packet["tcp.stream"][0])]].append(packet)
    return found


def ends():
    """What is given to a dissector without TCP."""
    calls = {f"@godot/stream {name}": ("godot_stream", data) for name, data in stream.ENDS.items()}
    calls |= {f"@godot/debugger {name}": ("godot_debugger", data) for name, data in debugger.ENDS.items()}
    calls["@godot/remote_fs item.truncated"] = ("godot_remote_fs", remote_fs.head()[:20])
    return calls


@functools.lru_cache(maxsize=None)
def samples():
    """{@protocol sample: its packets}"""
    folder = tshark.scratch()
    found = {}
    for number, (protocol, conversations, options) in enumerate((*of_enet(), *of_variants(), *of_multiplayer(), *of_the_others())):
        path = tshark.write_pcap(folder / f"causes-{number}.pcap", tshark.apart(conversations.values()))
        packets = tshark.split(read_packets(path, options), conversations.values())
        found |= {f"@{protocol} {name}": list(several) for name, several in zip(conversations, packets, strict=True)}
    for protocol, conversations, options, opened in over_tcp():
        path = folder / f"causes-{protocol.replace('/', '-')}.pcap"
        found |= {f"@{protocol} {name}": packets for name, packets in read_tcp(path, conversations, options, opened).items()}
    path = stream.write_named(folder / "causes-ends.pcap", *ends().values())
    return found | {name: [packet] for name, packet in
                    zip(ends(), read_packets(path, ["-o", "godot.generation:4"]), strict=True)}


# ---- the captures --------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def captured():
    """{Place: its packet} of the frames that the list names, with one start of tshark for each set of options."""
    wanted = {each for cause in causes() for each in (cause.true, cause.near) if each.frame}
    found = {}
    for options in sorted({each.options for each in wanted}):
        named = sorted({each.capture for each in wanted if each.options == options})
        paths = [tshark.PCAPS / f"{name}.pcap" for name in named]
        read = tshark.fields_of_each(paths, [*NAMES, *experts()], "-2", *options)
        for name, path in zip(named, paths):
            found |= {Place(name, frame, options): packet for frame, packet in enumerate(read[path], 1)}
    return found


def packets_at(where):
    return [captured()[where]] if where.frame else samples()[where.capture]


def says(packet, phrase):
    return any(phrase in message for message in packet["_ws.expert.message"])


def test_each_sentence_is_where_it_is_true():
    missing = [cause for cause in causes()
               if not any(packet[cause.expert] and says(packet, cause.phrase) for packet in packets_at(cause.true))]
    assert missing == []


def test_a_sentence_without_a_capture_has_the_reason():
    assert [cause for cause in causes() if bool(cause.reason) == bool(cause.true.frame)] == []


def test_no_sentence_is_in_the_nearest_packet_in_which_it_would_be_false():
    false = [cause for cause in causes() if any(says(packet, cause.phrase) for packet in packets_at(cause.near))]
    assert false == []


def test_the_nearest_packets_are_of_the_same_protocols():
    """Or of ENet, below which the others are."""
    def has(packet, cause):
        return {cause.expert.split(".")[0], "enet"} & set(packet["frame.protocols"][0].split(":"))

    assert [cause for cause in causes() if not any(has(packet, cause) for packet in packets_at(cause.near))] == []


def test_each_expert_info_has_a_row_or_says_only_what_is_in_the_packets():
    with_cause, stated = {cause.expert for cause in causes()}, lines(STATED)
    assert stated == sorted(set(stated))
    assert with_cause & set(stated) == set()
    assert with_cause | set(stated) == set(experts())


# The words of a sentence about a sender or a receiver.
SENDERS_AND_RECEIVERS = re.compile(r"\b(ENet|engine|Godot(?! generations)|editor|receiver|server|client|ignore[sd]?|drops?|rejects?|because|instead)\b")


def consequences():
    """(protocol, text) of the faults that have a consequence in the codecs' tables."""
    for protocol, folder in tshark.FOLDERS.items():
        source = (tshark.SOURCE / "codecs" / folder / "faults.c").read_text(encoding="utf-8")
        rows = re.findall(r'GW_FAULT_[A-Z]+,\s*("[^;]*?"),\s*(NULL|[^}]*?) \}', source)
        yield from ((protocol, re.sub(r'"\s*"', "", text).strip('"')) for text, consequence in rows if consequence != "NULL")


def test_what_names_a_receiver_or_a_sender_has_a_row():
    never = {line.split("\t")[0] for line in lines(NOT_CAPTURED)}
    stated = {name: experts()[name] for name in lines(STATED) if name not in never}
    assert {name: text for name, text in stated.items() if SENDERS_AND_RECEIVERS.search(text)} == {}
    found = set(consequences())
    assert len(found) > 40
    assert {name for name, text in stated.items() if (name.split(".")[0], text) in found} == set()
