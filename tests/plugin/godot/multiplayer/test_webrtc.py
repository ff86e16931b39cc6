# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Multiplayer in WebRTC's data channels: SCTP in DTLS, with the keys in the capture and nothing to set.

Nothing on the wire has the clients' ids: a connection belongs to the client that says its name in it. The other one, of Godot 3,
whose server relays nothing, is between the clients.
"""

import bisect
import functools
import json
import re
import struct

import pytest

import gamewire_dtls as dtls
import gamewire_tshark as tshark
from plugin.godot.multiplayer import sctp
from plugin.godot.multiplayer.samples import DEFINE, tables
from plugin.godot.multiplayer.test_captures import WARNING
from plugin.godot.multiplayer.captures import first, generation, log, path_of, same_arguments, same_value

CALLS = "godot-4.6.3-calls-webrtc"
IN_BAND = "godot-4.6.3-spawn-webrtc-in-band"
CALLS_OF_3 = "godot-3.6-calls-webrtc"
CALLS_OF_WEB = "godot-4.6.0-calls-webrtc"  # client1 is a browser's, with the engine's own WebRTCMultiplayerPeer
CAPTURES = (CALLS, IN_BAND, CALLS_OF_3, CALLS_OF_WEB)
SERVER = 1
BINARY = "53"

every_capture = pytest.mark.parametrize("capture", CAPTURES)
every_pass = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])

NAMES = ["frame.number", "udp.stream", "udp.srcport", "udp.dstport", "godot_mp.command", "godot_mp.rpc.path",
         "godot_mp.rpc.method", "godot_mp.rpc.property", "godot_mp.rpc.argument", "godot_mp.sync.value", "godot_mp.relay_peer",
         "godot_mp.data_channel.stream", "godot_mp.data_channel.label", "godot_mp.data_channel.reliability",
         "godot_mp.data_channel.opened_in"]


# mergecap merges no captures of which the first one has keys.
TOGETHER = tuple(map(path_of, ("godot-4.6.3-mixed", *CAPTURES)))


def fields(capture, names, *args):
    """Of a capture's packets, with one start of tshark for all. The numbers of UDP streams are those in all captures."""
    return tshark.fields_of_each(TOGETHER, names, *args)[path_of(capture)]


@functools.lru_cache(maxsize=None)
def messages(capture, *args):
    """The frames with multiplayer. Each message of these captures is in a frame of its own."""
    return fields(capture, NAMES, *tables(), *args, "-Y", "godot_mp")


def peer_ids(capture):
    """{name: peer id}"""
    return {line["process"]: line["peer"] for line in log(capture)}


@functools.lru_cache(maxsize=None)
def ends(capture):
    """{(UDP stream, port of one end): (its peer id, that of the other end)}. A client's first call to the server says its name;
    a client's first call to another client is one that only that client made."""
    found = {}
    for packet in messages(capture, "-2"):
        stream, port, other = (packet[name][0] for name in ("udp.stream", "udp.srcport", "udp.dstport"))
        if (stream, port) in found or not packet["godot_mp.rpc.method"]:
            continue
        peers = clients_named(capture, packet) or clients_who_called(capture, packet)
        found[stream, port], found[stream, other] = peers, peers[::-1]
    return found


def clients_named(capture, packet):
    if packet["godot_mp.rpc.method"] == ["join"]:
        return peer_ids(capture)[packet["godot_mp.rpc.argument"][0].strip('"')], SERVER
    return None


def clients_who_called(capture, packet):
    called, = {(line["peer"], line["target"]) for line in log(capture) if line["event"] == "call" and line["target"] > SERVER
               and line["peer"] != SERVER and same_call(capture, packet, line)}
    return called


def ends_of(capture, packet):
    """The first sender and the last receiver of a message, which the server may relay."""
    sender, receiver = ends(capture)[packet["udp.stream"][0], packet["udp.srcport"][0]]
    if packet["godot_mp.relay_peer"]:
        relayed = int(first(packet, "godot_mp.relay_peer"))
        return (sender, relayed) if receiver == SERVER else (relayed, receiver)
    return sender, receiver


def same_call(capture, packet, line):
    """Also of a property that a script set (3.x)."""
    of = generation(capture)
    if packet["godot_mp.rpc.path"] != [line["path"]]:
        return False
    if line["event"] == "set":
        return (packet["godot_mp.rpc.property"] == [line["property"]]
                and same_value(packet["godot_mp.sync.value"][0], line["value"], of))
    return (packet["godot_mp.rpc.method"] == [line["method"]]
            and same_arguments(packet["godot_mp.rpc.argument"], line["arguments"], of))


def calls(capture, *args):
    """Each call, and each property that is set, with its ends."""
    return [(ends_of(capture, packet), packet) for packet in messages(capture, *args)
            if packet["godot_mp.rpc.method"] or packet["godot_mp.rpc.property"]]


def receivers(line, peers):
    """The peers to which the engine sends a call."""
    if line["target"] > 0:
        return [line["target"]]
    return [peer for peer in peers if peer not in (line["peer"], -line["target"])]


def copies(capture, sender, receiver):
    """How often a message is on the wire: the server of Godot 4 relays what clients send to each other."""
    return 1 if SERVER in (sender, receiver) or generation(capture) == 3 else 2


# ---- calls ----------------------------------------------------------------------------------------------


@every_capture
def test_each_call_is_on_the_wire_as_often_as_the_engine_sends_it(capture):
    left = calls(capture, "-2")
    assert left
    gone = {line["peer"]: line["time"] for line in log(capture) if line["event"] == "leave"}
    missing = []
    for line in (line for line in log(capture) if line["event"] in ("call", "set") and "target" in line):
        peers = [peer for peer in peer_ids(capture).values() if gone.get(peer, line["time"]) >= line["time"]]
        for receiver in receivers(line, peers):
            for _ in range(copies(capture, line["peer"], receiver)):
                match = next((one for one in left if one[0] == (line["peer"], receiver)
                              and same_call(capture, one[1], line)), None)
                if match:
                    left.remove(match)
                else:
                    missing.append((receiver, line))
    assert (left, missing) == ([], [])


@every_capture
def test_each_call_that_was_received_is_on_the_wire(capture):
    wire = calls(capture, "-2")
    # What also runs at its caller was not sent there.
    received = [line for line in log(capture) if line["event"] == "received" and line["source"] != line["peer"]]
    assert received
    for line in received:
        assert any(ends == (line["source"], line["peer"]) and same_call(capture, packet, line) for ends, packet in wire), line


@every_pass
@pytest.mark.parametrize("capture, least, before", [(CALLS, 200, 1), (CALLS_OF_WEB, 200, 0), (CALLS_OF_3, 150, 3)])
def test_each_binary_message_of_the_game_s_channels_is_decoded(capture, least, before, passes):
    """On the first pass not what comes before there is enough evidence: of each connection of Godot 3 the first path, of Debian's
    Godot 4 one; where the browser is, the carrier's client called first."""
    names = ["frame.number", "sctp.data_payload_proto_id", "godot_mp.command", "sctp.data_b_bit", "sctp.data_e_bit"]
    packets = fields(capture, names, *passes, "-Y", "sctp.data_sid")
    left = [packet for packet in packets if packet["sctp.data_payload_proto_id"] == [BINARY]
            and packet["sctp.data_e_bit"] != ["0"] and packet["sctp.data_e_bit"] != ["False"]
            and not packet["godot_mp.command"]]
    assert len(packets) > least
    assert len(left) == (0 if passes else before)


@every_pass
@every_capture
def test_nothing_is_a_warning(capture, passes):
    severities = [int(value) for packet in fields(capture, ["_ws.expert.severity"], *tables(), *passes, "-Y", "godot_mp")
                  for value in packet["_ws.expert.severity"]]
    assert severities and max(severities) < WARNING


def test_the_clients_of_the_web_build_are_those_of_the_script():
    """The engine's own peer opened the channels; 4.6.0 leaves bytes of its buffer in the padding of a NodePath's names."""
    ids = peer_ids(CALLS_OF_WEB)
    found = calls(CALLS_OF_WEB, "-2")
    for pair in ((ids["client1"], SERVER), (SERVER, ids["client1"]), (ids["client1"], ids["client2"])):
        assert any(one == pair for one, _ in found), pair
    streams = {first(packet, "godot_mp.data_channel.stream") for packet in messages(CALLS_OF_WEB, "-2")}
    assert streams == {"1", "2", "3", "6"}


def test_the_list_of_packets_is_the_same_without_a_tree():
    captures, begins = tshark.together(TOGETHER)

    def lines(*args):
        return tshark.run(["-2", "-Y", "godot_mp", *args], captures).stdout.splitlines()

    plain = [line.split(None, 2) for line in lines()]
    shown = [line.split(None, 2) for line in lines("-P", "-V") if re.match(r" *\d+ +-?\d+\.\d+ ", line)]
    assert {bisect.bisect_left(begins, int(number)) for number, _, _ in plain} == {1, 2, 3, 4, 5}
    assert shown == plain


@pytest.mark.parametrize("capture, count", [(CALLS, 4), (CALLS_OF_3, 3)])
def test_a_call_in_several_chunks_is_reassembled(capture, count):
    """From the server, to it and to the other client, which is relayed in Godot 4."""
    large = [packet for packet in messages(capture, "-2")
             if packet["godot_mp.rpc.method"] == ["take"] and len(packet["godot_mp.rpc.argument"][0]) > 200]
    assert len(large) == count
    assert {packet["godot_mp.data_channel.stream"][0] for packet in large} == {"1"}


# ---- data channels ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def opened():
    """{(UDP stream, SCTP stream): (label, frame)}, as Wireshark's dissector of DATA_CHANNEL_OPEN has them."""
    names = ["frame.number", "udp.stream", "sctp.data_sid", "rtcdc.label"]
    return {(packet["udp.stream"][0], int(stream, 0)): (label, packet["frame.number"][0])
            for packet in fields(IN_BAND, names, "-Y", "rtcdc.label")
            for stream, label in zip(packet["sctp.data_sid"], packet["rtcdc.label"], strict=True)}


def test_negotiated_channels_have_their_numbers_and_no_label():
    """What WebRTCMultiplayerPeer uses: 1 reliable, 2 ordered, 3 unreliable; further ones from 4 on."""
    found = messages(CALLS, "-2")
    by_method = {}
    for packet in found:
        if packet["godot_mp.rpc.method"]:
            by_method.setdefault(packet["godot_mp.rpc.method"][0], set()).update(packet["godot_mp.data_channel.stream"])
    assert by_method["take"] == {"1"} and by_method["move"] == {"3"} and by_method["turn"] == {"2"}
    assert not any(packet["godot_mp.data_channel.label"] for packet in found)


def test_channels_of_godot_3():
    """WebRTCMultiplayer has the same three, and no others; no script of the game sends ordered unreliable packets."""
    by_name = {}
    for packet in messages(CALLS_OF_3, "-2"):
        for name in packet["godot_mp.rpc.method"] + packet["godot_mp.rpc.property"]:
            by_name.setdefault(name, set()).update(packet["godot_mp.data_channel.stream"])
    assert by_name.pop("move") == {"3"}
    assert by_name.pop("title") == {"1", "3"}  # set in both ways
    assert by_name and set().union(*by_name.values()) == {"1"}


def test_channels_opened_in_band_have_their_label_and_reliability():
    found = messages(IN_BAND, "-2")
    for packet in found:
        label, frame = opened()[packet["udp.stream"][0], int(packet["godot_mp.data_channel.stream"][0])]
        assert packet["godot_mp.data_channel.label"] == [label]
        assert packet["godot_mp.data_channel.opened_in"] == [frame]
    kinds = {(first(packet, "godot_mp.data_channel.label"), first(packet, "godot_mp.data_channel.reliability"))
             for packet in found}
    assert kinds == {("reliable", "reliable, ordered"), ("unreliable", "sent for at most 1 ms, unordered")}
    sync = {first(packet, "godot_mp.data_channel.label") for packet in found if packet["godot_mp.command"] == ["SYNC"]}
    assert sync == {"reliable", "unreliable"}  # what changed, and what is sent always


# ---- SCTP without DTLS -----------------------------------------------------------------------------------


def in_sctp(path, *chunks):
    """Chunks of one sender, each in a packet of its own, in the UDP tunnel of SCTP."""
    return tshark.write_pcap(path, [tshark.Udp(sctp.TUNNEL, sctp.TUNNEL, sctp.packet((5000, 5000), 7, chunk), n / 50)
                                    for n, chunk in enumerate(chunks)])


CALL_OF_3 = bytes.fromhex("00 0a000080 68697400 00 4d61696e00")
CALL_OF_4 = bytes.fromhex("20 15000080 05 02 0205 050000000000000000000000 4d61696e2f506c6179657200")


@pytest.mark.parametrize("message, info", [
    (CALL_OF_3, "RPC hit() on Main"),
    (bytes.fromhex(DEFINE), "Path #6 = Main"),
])
def test_messages_of_both_generations_are_recognized(message, info, tmp_path):
    """Godot 3 sends the same packets as over ENet, without the header (source)."""
    assert tshark.info_column(in_sctp(tmp_path / "one.pcap", sctp.data(1, message, 0))) == [info]


def test_text_is_not_decoded_whatever_it_contains(tmp_path):
    path = in_sctp(tmp_path / "text.pcap", *(sctp.data(1, CALL_OF_3, n, sctp.TEXT) for n in range(4)))
    assert not tshark.fields(path, ["godot_mp.command"], "-2", "-Y", "godot_mp")


def test_a_message_in_three_chunks(tmp_path):
    parts = [CALL_OF_4[:9], CALL_OF_4[9:20], CALL_OF_4[20:]]
    flags = [sctp.FIRST, sctp.MIDDLE, sctp.LAST]
    chunks = [sctp.data(1, part, n, flags=flag, sequence=0) for n, (part, flag) in enumerate(zip(parts, flags))]
    path = in_sctp(tmp_path / "three.pcap", *chunks)
    names = ["frame.number", "godot_mp.rpc.path"]
    found = tshark.fields(path, names, "-2", "-Y", "godot_mp")
    assert [(packet["frame.number"], packet["godot_mp.rpc.path"]) for packet in found] == [(["3"], ["Main/Player"])]


# ---- SCTP in DTLS ----------------------------------------------------------------------------------------

PORTS = (5000, 5000)
DTLS_PORTS = (41000, 31000)


def in_dtls(path, *packets):
    """A record from the client for each SCTP packet, after the handshake."""
    datagrams = dtls.connection(DTLS_PORTS, packets)
    return tshark.write_pcap(path, [packet._replace(time=n / 50) for n, packet in enumerate(datagrams)])


def decoded(path, *args):
    """For each SCTP packet, the Info text if it has multiplayer, else None."""
    packets = tshark.fields(path, ["godot_mp", "_ws.col.Info"], *dtls.OPTIONS, *args)
    found = [packet["_ws.col.Info"][0] if packet["godot_mp"] else None for packet in packets]
    return found[dtls.HANDSHAKE_DATAGRAMS :]


def of_call(number, *, checksum=None, tag=7):
    return sctp.packet(PORTS, tag, sctp.data(1, CALL_OF_3, number), checksum=checksum)


@every_pass
def test_a_zero_checksum_is_accepted_after_a_packet_with_a_checksum(passes, tmp_path):
    """RFC 9653: the packet with the INIT has a checksum, those after it need none."""
    begin = sctp.packet(PORTS, 0, sctp.init(7))
    path = in_dtls(tmp_path / "zero.pcap", begin, of_call(0, checksum=0), of_call(1, checksum=0))
    assert decoded(path, *passes) == [None, "RPC hit() on Main", "RPC hit() on Main"]


@every_pass
@pytest.mark.parametrize("checksum", [0, 1])
def test_a_first_packet_without_a_right_checksum_is_not_sctp(checksum, passes, tmp_path):
    path = in_dtls(tmp_path / "wrong.pcap", of_call(0, checksum=checksum))
    assert decoded(path, *passes) == [None]
    assert not tshark.fields(path, ["sctp.chunk_type"], *dtls.OPTIONS, *passes, "-Y", "sctp")


@every_pass
def test_a_wrong_checksum_is_declined_after_a_right_one(passes, tmp_path):
    path = in_dtls(tmp_path / "wrong.pcap", of_call(0), of_call(1, checksum=0x12345678))
    assert decoded(path, *passes) == ["RPC hit() on Main", None]


@every_pass
def test_each_record_of_a_datagram_is_decoded(passes, tmp_path):
    """Of the second one SCTP's dissector has changed the ports, which identify the connection."""
    path = tmp_path / "two.pcap"
    *before, one, other = dtls.connection(DTLS_PORTS, [of_call(0), of_call(1)])
    both = one._replace(payload=one.payload + other.payload)
    tshark.write_pcap(path, [packet._replace(time=n / 50) for n, packet in enumerate([*before, both])])
    assert decoded(path, *passes) == ["RPC hit() on Main; RPC hit() on Main"]
    (packet,) = tshark.fields(path, ["godot_mp.stream"], *dtls.OPTIONS, *passes, "-Y", "godot_mp")
    assert packet["godot_mp.stream"] == ["0", "0"]


@every_pass
def test_each_message_of_a_packet_is_of_the_datagrams_connection(passes, tmp_path):
    """SCTP's ports are 5000 in both; a path's number is for its own connection alone."""
    call, packets = bytes.fromhex("80 06 05"), []
    for port, tag, node in ((41000, 7, b"Main"), (41001, 8, b"Menu")):
        define = bytes.fromhex(DEFINE).replace(b"Main", node)
        several = [sctp.packet(PORTS, tag, *(sctp.data(1, message, 3 * i + n) for n, message in enumerate(messages)))
                   for i, messages in enumerate(([define, call, call], [call, call]))]
        packets += dtls.connection((port, 31000), several, seed=port)
    path = tshark.write_pcap(tmp_path / "two.pcap", [packet._replace(time=n / 50) for n, packet in enumerate(packets)])
    found = tshark.fields(path, ["godot_mp.stream", "godot_mp.rpc.path"], *dtls.OPTIONS, *passes, "-Y", "godot_mp.command")
    assert [packet["godot_mp.stream"] for packet in found] == [["0"] * 3, ["0"] * 2, ["1"] * 3, ["1"] * 2]
    assert [packet["godot_mp.rpc.path"] for packet in found] == [["Main"] * 2, ["Main"] * 2, ["Menu"] * 2, ["Menu"] * 2]


@every_pass
def test_a_message_in_i_data_is_decoded(passes, tmp_path):
    """RFC 8260."""
    path = in_dtls(tmp_path / "i_data.pcap", sctp.packet(PORTS, 0, sctp.init(7)),
                   sctp.packet(PORTS, 7, sctp.i_data(3, CALL_OF_4, 0)))
    found = tshark.fields(path, ["godot_mp.rpc.path", "godot_mp.data_channel.stream"], *dtls.OPTIONS, *passes)
    assert found[-1] == {"godot_mp.rpc.path": ["Main/Player"], "godot_mp.data_channel.stream": ["3"]}


@every_pass
def test_a_message_in_three_chunks_of_i_data_is_not_decoded(passes, tmp_path):
    """Wireshark reassembles it, but passes the number of the last fragment in place of the identifier."""
    parts = [CALL_OF_4[:9], CALL_OF_4[9:20], CALL_OF_4[20:]]
    flags = [sctp.FIRST, sctp.MIDDLE, sctp.LAST]
    packets = [sctp.packet(PORTS, 7, sctp.i_data(3, part, n, flags=flag, message=0, fragment=n))
               for n, (part, flag) in enumerate(zip(parts, flags))]
    path = in_dtls(tmp_path / "three.pcap", *packets)
    assert decoded(path, *passes) == [None, None, None]
    reassembled = tshark.fields(path, ["data.data"], *dtls.OPTIONS, *passes)[-1]["data.data"]
    assert reassembled == [CALL_OF_4.hex()]


OPEN = bytes.fromhex("03 00 0000 00000000 0004 0000")


@every_pass
def test_a_second_association_between_the_same_ports_has_channels_of_its_own(passes, tmp_path):
    """An INIT after messages: paths and labels of the first association do not hold in the second."""
    define, call = bytes.fromhex(DEFINE), bytes.fromhex("80 06 05")
    packets = []
    for tag, label in ((7, b"game"), (8, b"play")):
        packets += [sctp.packet(PORTS, 0, sctp.init(tag)),
                    sctp.packet(PORTS, tag, sctp.data(1, OPEN + label, 0, sctp.DCEP)),
                    *([sctp.packet(PORTS, tag, sctp.data(1, define, 1))] if tag == 7 else []),
                    sctp.packet(PORTS, tag, sctp.data(1, call, 2))]
    path = in_dtls(tmp_path / "second.pcap", *packets)
    names = ["frame.number", "godot_mp.data_channel.label", "godot_mp.data_channel.opened_in", "godot_mp.rpc.path"]
    packets = tshark.fields(path, names, *dtls.OPTIONS, *passes, "-Y", "godot_mp.command")
    begin = dtls.HANDSHAKE_DATAGRAMS + 1
    of_calls = [packet for packet in packets if int(packet["frame.number"][0]) in (begin + 3, begin + 6)]
    assert [packet["godot_mp.data_channel.label"] for packet in of_calls] == [["game"], ["play"]]
    assert [int(first(packet, "godot_mp.data_channel.opened_in")) for packet in of_calls] == [begin + 1, begin + 5]
    assert [packet["godot_mp.rpc.path"] for packet in of_calls] == [["Main"], []]


@every_pass
def test_a_copy_of_an_init_begins_no_association(passes, tmp_path):
    init = sctp.packet(PORTS, 0, sctp.init(7))
    define, call = (sctp.packet(PORTS, 9, sctp.data(1, bytes.fromhex(message), n)) for n, message in enumerate((DEFINE, "80 06 05")))
    assert decoded(in_dtls(tmp_path / "copy.pcap", init, define, init, call), *passes)[-1] == "RPC method 5() on Main"


@every_pass
def test_a_packet_of_very_many_chunks_is_declined(passes, tmp_path):
    """Wireshark has a limit of layers in a packet, above which it ends."""
    few, many = (sctp.packet(PORTS, 7, *(sctp.data(1, CALL_OF_3, n) for n in range(count))) for count in (60, 700))
    assert [bool(line) for line in decoded(in_dtls(tmp_path / "many.pcap", few, many), *passes)] == [True, False]


# Contents of chunks: ASCONF-ACK and ASCONF (RFC 5061), Packet Drop (draft-stewart-tsvwg-sctp-pktdrprep), RE-CONFIG (RFC 6525),
# PAD (RFC 4820), FORWARD-TSN (RFC 3758), I-FORWARD-TSN (RFC 8260).
EXTENSIONS = {0x80: bytes(4), 0xc1: bytes(4) + bytes.fromhex("0005 0008 c0000201"), 0x81: bytes(12),
              0x82: bytes.fromhex("0010 000c 00000001 00000000"), 0x84: bytes(4), 0xc0: bytes(4), 0xc2: bytes(4)}


def of_call_after(number, kind, contents):
    chunk = struct.pack(">BBH", kind, 0, 4 + len(contents)) + contents
    return sctp.packet(PORTS, 7, chunk, sctp.data(1, CALL_OF_3, number))


@every_pass
def test_a_packet_may_have_chunks_of_all_extensions_of_sctp(passes, tmp_path):
    packets = [of_call_after(number, *extension) for number, extension in enumerate(EXTENSIONS.items())]
    unassigned = of_call_after(len(packets), 0x83, bytes(4))
    path = in_dtls(tmp_path / "extensions.pcap", *packets, unassigned)
    *found, other = decoded(path, *passes)
    assert all(info and info.endswith("RPC hit() on Main") for info in found) and other is None


def in_one_datagram(before, packets):
    """SCTP packets in a datagram each, then others in the records of one datagram."""
    datagrams = [*dtls.connection(DTLS_PORTS, [*before, *packets])]
    *others, one = datagrams[: len(datagrams) - len(packets) + 1]
    joined = one._replace(payload=b"".join(datagram.payload for datagram in datagrams[len(others) :]))
    return [packet._replace(time=n / 50) for n, packet in enumerate([*others, joined])]


# Pairs of the number of records and that of chunks in each.
MANY = [(3, 100), (16, 32), (100, 5), (240, 1), (490, 1)]


@functools.lru_cache(maxsize=None)
def of_very_many():
    """A conversation for each of MANY, and the capture of all. For Wireshark an association is one of ports and a tag."""
    conversations = []
    for tag, (records, chunks) in enumerate(MANY, 7):
        packets = [sctp.packet(PORTS, tag, *(sctp.data(1, CALL_OF_3, chunks * i + n) for n in range(chunks)))
                   for i in range(records)]
        conversations.append(in_one_datagram([of_call(9000, tag=tag), of_call(9001, tag=tag)], packets))
    return conversations, tshark.write_pcap(tshark.scratch() / "many.pcap", tshark.apart(conversations))


@pytest.mark.parametrize("args", [(), ("-V",), ("-2",), ("-2", "-V"), ("-2", "-T", "json")], ids=" ".join)
def test_a_datagram_of_very_many_messages_has_its_limit(args):
    """One limit for the frame, whose records have as many layers in Wireshark without the plugin: 490 is what it can read."""
    conversations, path = of_very_many()
    text = tshark.run([*dtls.OPTIONS, *args], path).stdout
    assert "Dissector bug" not in text and "Malformed" not in text
    found = tshark.fields(path, ["godot_mp.command", "godot_mp.not_shown"], *dtls.OPTIONS, *args[:1])
    for (records, chunks), (*_, last) in zip(MANY, tshark.split(found, conversations), strict=True):
        hidden = sum(sctp_data_chunks(bytes.fromhex(content)) for content in last["godot_mp.not_shown"])
        assert len(last["godot_mp.command"]) + hidden == records * chunks, records
        assert last["godot_mp.command"] or records == 490


def sctp_data_chunks(packet):
    return (len(packet) - 12) // len(sctp.data(1, CALL_OF_3, 0))


# ---- other data ------------------------------------------------------------------------------------------


@every_pass
def test_other_data_channels_are_left_alone(passes):
    """Text, JSON, MessagePack and protocol buffers, beside multiplayer and without it (webrtc.py)."""
    names = ["udp.stream", "sctp.data_sid", "godot_mp", "data.data", "sctp.data_payload_proto_id"]
    others = {"chat", "state", "json", "msgpack", "protobuf"}
    seen = {label: 0 for label in others}
    for packet in fields(IN_BAND, names, *passes, "-Y", "sctp.data_payload_proto_id && !rtcdc"):
        label, _ = opened()[packet["udp.stream"][0], int(packet["sctp.data_sid"][0], 0)]
        if label in others:
            seen[label] += 1
            assert not packet["godot_mp"] and packet["data.data"], label
    assert seen == {"chat": 24, "state": 18, "json": 18, "msgpack": 24, "protobuf": 18}


@pytest.mark.parametrize("capture, least", [(CALLS, 500), (CALLS_OF_3, 300)])
def test_sctp_is_found_without_a_port(capture, least):
    """Wireshark's DTLS dissector has one port for SCTP, 9899."""
    assert not fields(capture, ["sctp.chunk_type"], "--disable-heuristic", "godot_multiplayer_dtls", "-Y", "sctp")
    found = fields(capture, ["dtls.app_data", "sctp.chunk_type"], "-Y", "dtls.record.content_type == 23")
    assert len(found) > least and all(packet["sctp.chunk_type"] for packet in found)


@every_pass
def test_a_user_can_select_multiplayer_by_the_payload_protocol_identifier(passes):
    """Then all binary messages are decoded as multiplayer, on each pass."""
    names = ["godot_mp.command", "sctp.data_e_bit"]
    chosen = tshark.fields(path_of(CALLS), names, *passes, "-d", "sctp.ppi==53,godot_mp", "-Y",
                           "sctp.data_payload_proto_id == 53 && !(sctp.data_e_bit == 0)")
    assert len(chosen) > 200 and all(packet["godot_mp.command"] for packet in chosen)


# The engine negotiates its channels 1 to 3 as reliable, ordered and unreliable, and the game the mode of those from 4 on. In the capture
# with channels that messages open, the program chose the streams; the modes are those of the same labels.
DELIVERIES = {CALLS: {1: "reliable", 2: "unreliable", 3: "unsequenced", 6: None},
              CALLS_OF_WEB: {1: "reliable", 2: "unreliable", 3: "unsequenced", 6: None},
              CALLS_OF_3: {1: "reliable", 3: "unsequenced"},
              IN_BAND: {1: "reliable", 5: "unsequenced"}}


@every_capture
def test_json_has_how_the_channel_delivers(capture):
    lines = [json.loads(line) for packet in fields(capture, ["godot_mp.json"], "-2", "-Y", "godot_mp.json") for line in packet["godot_mp.json"]]
    assert {line["data_channel"]: line.get("delivery") for line in lines} == DELIVERIES[capture]
    assert len({(line["data_channel"], line.get("delivery")) for line in lines}) == len(DELIVERIES[capture])
