# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which datagrams between the ports of a connection are recognized as ENet: the same ones on both passes."""

import itertools
import struct
import zlib

import pytest

import gamewire_dtls as dtls
import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, connect, datagram, ping, reliable, unreliable, verify
from plugin.leviathan.decoding import hello

PASSES = [(), ("-2",)]


def client(time, commands, header=0x8000, sent_time=None):
    """A datagram of the client, whose peer id is 0; its clock and the capture's are the same."""
    sent = int(time * 1000) if sent_time is None else sent_time
    return tshark.request(datagram(commands, header, sent), time)


def server(time, commands, header=0x8001):
    return tshark.reply(datagram(commands, header, int(time * 1000)), time)


def handshake(time=0.0, session=0, connect_id=0x010B5747):
    bits = session << 12
    return [
        tshark.request(connect(connect_id=connect_id), time),
        tshark.reply(verify(peer=0, sessions=(session, session), connect_id=connect_id, header=0x8001 | bits), time + 0.01),
        client(time + 0.02, ack(1, channel=255), bits, 0),
        client(time + 0.05, reliable(1), 0x8000 | bits),
        server(time + 0.06, reliable(1), 0x8001 | bits),
    ]


def are_enet(path, *options):
    return ["enet" in packet["frame.protocols"][0].split(":") for packet in tshark.fields(path, ["frame.protocols"], *options)]


def each_are_enet(conversations, udp_capture, *options):
    """Of {name: packets}: {name: which of them are ENet}, with one start of tshark."""
    found = are_enet(udp_capture(*tshark.apart(conversations.values())), *options)
    return dict(zip(conversations, tshark.split(found, conversations.values()), strict=True))


# Known conversations: client and server have exchanged messages, and the client's datagrams begin with 0000 or 8000.
OTHERS = {
    "RTP, payload type 0": [bytes.fromhex(f"8000{30000 + n:04x}0700{160 * n:04x}deadbeef") + bytes(160) for n in range(20)],
    "RTP, a larger timestamp": [bytes.fromhex(f"8000{50000 + n:04x}4600{160 * n:04x}deadbeef") + b"\x7f" * 160 for n in range(20)],
    "TURN channel data": [bytes.fromhex("4000") + bytes([0, 16 + n]) + bytes(range(16 + n)) for n in range(20)],
    "QUIC initial": [bytes.fromhex("c000000001088394c8f03e5157080000449e") + bytes([n]) * 600 for n in range(20)],
    "zeros and a counter": [bytes(9) + bytes([n]) for n in range(20)],
    "zeros, a number, zeros and a counter": [bytes([0, 0, n % 13, 0, 0, 0, 0, 0, 0, n]) for n in range(20)],
    "another peer in each datagram": [
        bytes.fromhex(f"{3 * n:04x}07000000{n:04x}0003616263") for n in range(1, 21)
    ],
    "JSON": [b'{"type": "ping", "id": %d}' % n for n in range(20)],
}


def others_of(name):
    return [tshark.request(payload, 1 + n / 50) for n, payload in enumerate(OTHERS[name])]


@pytest.mark.parametrize("passes", PASSES)
def test_datagrams_that_the_connection_cannot_have_sent_are_declined(passes, udp_capture):
    after = [client(2, reliable(2)), server(2.1, reliable(2))]
    conversations = {name: [*handshake(), *others_of(name), *after] for name in OTHERS}
    assert each_are_enet(conversations, udp_capture, *passes) == {
        name: [True] * 5 + [False] * len(payloads) + [True] * 2 for name, payloads in OTHERS.items()}


def test_decode_as_declines_nothing(udp_capture):
    conversations = {name: [*handshake(), *others_of(name)] for name in OTHERS}
    found = each_are_enet(conversations, udp_capture, "-d", f"udp.port=={tshark.SERVER_PORT},enet")
    assert [name for name, enet in found.items() if not all(enet)] == []


# The peer id and session are the sender's, and so is the clock: one other property is wrong.
MALFORMED = {
    "a payload that does not fit": b"\x86\0\0\2\0\x09abc",
    "an unknown command after another": reliable(2) + b"\x0f\0\0\0",
    "the first byte of a command": b"\x86",
    "an unknown compressor": b"\xab\xcd\xef\x01\x02\x03",
    "zeros after the first byte of an unknown compressor": b"\xab\0\0\0\0\0",
}


@pytest.mark.parametrize("passes", PASSES)
def test_a_malformed_datagram_of_the_connection_is_shown(passes, udp_capture):
    conversations = {name: [*handshake(), client(0.2, commands, 0xC000 if "compressor" in name else 0x8000)]
                     for name, commands in MALFORMED.items()}
    found = each_are_enet(conversations, udp_capture, *passes)
    assert [name for name, enet in found.items() if not all(enet)] == []


@pytest.mark.parametrize("passes", PASSES)
def test_commands_that_decompress_cleanly_prove_a_datagram_of_another_session(passes, udp_capture):
    compressed = client(0.2, zlib.compress(reliable(2, bytes(100))), 0xD000)
    assert all(are_enet(udp_capture(*handshake(), compressed), *passes))


@pytest.mark.parametrize("passes", PASSES)
def test_an_unknown_compressor_without_a_sent_time_was_seen_with_one_before(passes, udp_capture):
    """The sent time is the first evidence of a compressor; a datagram without one has none."""
    with_time, without = client(0.2, b"\xab\xcd\xef\x01", 0xC000), client(0.3, b"\xab\xcd\xef\x02", 0x4000)
    conversations = {"without": [*handshake(), without], "both": [*handshake(), with_time, without]}
    assert each_are_enet(conversations, udp_capture, *passes) == {"without": [True] * 5 + [False], "both": [True] * 7}


@pytest.mark.parametrize("passes", PASSES)
def test_an_acknowledgement_of_number_0_needs_numbers_near_their_end(passes, udp_capture):
    wrapping = [server(0.1 + n / 100, reliable(number)) for n, number in enumerate((0xEFFF, 0xFFFF, 0))]
    zero = client(0.2, ack(0), 0x0000)
    conversations = {"not near": [*handshake(), zero], "near": [*handshake(), *wrapping, zero]}
    found = each_are_enet(conversations, udp_capture, *passes)
    assert {name: enet[-1] for name, enet in found.items()} == {"not near": False, "near": True}


def test_a_datagram_is_the_same_connections_on_the_second_pass(udp_capture):
    """The first one uses an unknown compression; a second connection uses the ports later, with another session."""
    compressed = client(0.2, bytes.fromhex("abcdef0102030405"), 0xC000)
    path = udp_capture(*handshake(), compressed, *handshake(5.0, session=1, connect_id=7))
    once, twice = (are_enet(path, *passes) for passes in PASSES)
    assert once == twice == [True] * 11


def test_messages_before_the_recognition_are_handed_over_on_the_second_pass(udp_capture):
    """A capture that begins in the middle of a connection."""
    text = [b'{"number":%d}' % n for n in range(6)]
    path = udp_capture(*(client(n / 10, reliable(7 + n, text[n])) for n in range(6)))
    options = ["-d", f"enet.port=={tshark.SERVER_PORT},data"]
    once, twice = (tshark.fields(path, ["frame.protocols", "enet.connection"], *passes, *options) for passes in PASSES)
    handed_over = [[packet["frame.protocols"][0].endswith("udp:enet:data") for packet in packets] for packets in (once, twice)]
    assert handed_over == [[False] * 2 + [True] * 4, [True] * 6]
    assert [packet["enet.connection"] for packet in twice] == [["0"]] * 6


@pytest.mark.parametrize("passes", PASSES)
def test_clients_whose_beginning_was_not_captured_are_not_hipercontracer(passes, udp_capture):
    """Since 4.4, its heuristic accepts reliable messages of 4 to 13 bytes, and is called first from then on."""
    clients = [[tshark.Udp(port, 40001, datagram(reliable(300 + n, b"step%04d" % n)), n / 10) for n in range(6)]
               for port in (40000, 40010)]
    found = tshark.fields(udp_capture(*itertools.chain(*clients)), ["frame.protocols"], *passes)
    names = [packet["frame.protocols"][0].split(":")[4] for packet in found]
    assert names == 2 * (["enet"] * 6 if passes else ["data"] * 2 + ["enet"] * 4)


def test_unreliable_messages_of_another_sender_do_not_add_up(udp_capture):
    """Each datagram has another peer id, so they are not of one connection."""
    conversations = {"many peers": [client(n / 10, unreliable(0, n), 3 * n) for n in range(1, 24)],
                     "one peer": [client(n / 10, unreliable(0, n), 3) for n in range(1, 24)]}
    found = each_are_enet(conversations, udp_capture, "-2")
    assert {name: any(enet) for name, enet in found.items()} == {"many peers": False, "one peer": True}


def test_pings_among_packets_of_other_protocols_do_not_add_up(udp_capture):
    packets = [client(n / 10, ping(n) if n % 2 else b"\xff\xff\xff\xff", 0x8003) for n in range(1, 24)]
    assert not any(are_enet(udp_capture(*packets), "-2"))


# Small numbers of other protocols, which read as acknowledgements and pings of one number.
RECORDS = bytes.fromhex("0064 0064 001e")
SMALL_NUMBERS = {
    "01 00, 21 times": [bytes.fromhex("0100") * 21],
    "01, 42 times": [b"\x01" * 42],
    **{f"01 {other:02x}, 2 + 8 * {count} bytes": [bytes([1, other]) * (1 + 4 * count)]
       for other in (0, 1, 2, 5, 0xFF) for count in (1, 2, 5, 20)},
    "five records of an id and three numbers": [b"".join(bytes([1, n]) + RECORDS for n in range(5))],
    "five records after a number": [bytes.fromhex("0005") + b"".join(bytes([1, n]) + RECORDS for n in range(5))],
    "another peer in each": [bytes.fromhex(f"{3 * n:04x}07000000{n:04x}0003616263") for n in range(1, 41)],
}


def recognized_of(conversations, udp_capture, *passes):
    """The names of those conversations of {name: payloads} in which a datagram is recognized."""
    packets = {name: [tshark.request(payload, n / 50) for n, payload in enumerate(payloads)]
               for name, payloads in conversations.items()}
    return {name for name, enet in each_are_enet(packets, udp_capture, *passes).items() if any(enet)}


@pytest.mark.parametrize("passes", PASSES)
def test_repeated_small_numbers_are_not_enet(passes, udp_capture):
    repeated = {name: (payloads * 40)[:40] for name, payloads in SMALL_NUMBERS.items()}
    assert recognized_of(repeated, udp_capture, *passes) == set()


# ---- several datagrams in a frame ------------------------------------------------------------------


@pytest.mark.parametrize("passes", PASSES)
def test_each_datagram_of_a_frame_has_its_own_analysis(passes, tmp_path):
    """Two records of DTLS: thirty messages of no known connection, which are declined, and a CONNECT."""
    other = datagram(30 * unreliable(1, 1, b"abcdefgh"), header=0x0001)
    *before, one, second, third = dtls.connection((41000, 41001), [other, connect(), datagram(reliable(1))])
    frames = [*before, one._replace(payload=one.payload + second.payload), third]
    path = tshark.write_pcap(tmp_path / "two.pcap", [packet._replace(time=n / 50) for n, packet in enumerate(frames)])
    found = tshark.fields(path, ["enet.command", "enet.connection", "data.data"], *dtls.OPTIONS, *passes)
    assert found[-2:] == [
        {"enet.command": ["2"], "enet.connection": ["0"], "data.data": [other.hex()]},
        {"enet.command": ["6"], "enet.connection": ["0"], "data.data": []},
    ]


@pytest.mark.parametrize("passes", PASSES)
def test_messages_leave_a_hundred_layers_of_a_frame_unused(passes, tmp_path):
    """Wireshark's limit is 500 layers. Four records of DTLS have 480 messages, each with a layer of its own."""
    sent = [datagram(b"".join(reliable(120 * i + j + 1) for j in range(120))) for i in range(4)]
    *before, one, two, three, four = dtls.connection((41000, 41001), [connect(), *sent])
    frames = [*before, one._replace(payload=b"".join(packet.payload for packet in (one, two, three, four)))]
    path = tshark.write_pcap(tmp_path / "many.pcap", [packet._replace(time=n / 50) for n, packet in enumerate(frames)])
    options = [*dtls.OPTIONS, "-d", "enet.port==41001,data", *passes]
    [layers] = tshark.fields(path, ["frame.protocols"], *options)[-1]["frame.protocols"]
    names = ["frame", *layers.split(":")]
    assert len(names) - names[::-1].index("data") == 500 - 100


@pytest.mark.parametrize("passes", PASSES)
def test_another_protocol_in_another_vlan_does_not_end_the_conversation(passes, tmp_path):
    """One dissector is called first for the same addresses and ports of all VLANs: that of the latest protocol found."""
    enet = [tshark.request(connect()), tshark.reply(verify(), 0.1)]
    enet += [tshark.request(datagram(reliable(number), 0x8001), 0.2 * number) for number in range(1, 6)]
    other = [tshark.request(hello(), 0.5), tshark.reply(hello(), 0.51)]
    frames = [(packet.time, tshark.tagged(tshark.udp_frame(packet), vlan))
              for vlan, packets in ((10, enet), (20, other)) for packet in packets]
    path = tshark.write_frames(tmp_path / "vlans.pcap", sorted(frames))
    counted = tshark.counts(path, ["enet && vlan.id == 10", "leviathan && vlan.id == 20"], *passes)
    assert counted == [len(enet), len(other)]


# ---- what ENet's senders never write ---------------------------------------------------------------------

# In time: the sent time that each would have is near the client's clock.
NEVER_SENT = {
    "RTP, whose timestamp is a command without its flag": bytes.fromhex("8000 0000 06000000 01020304") + bytes(range(1, 160)),
    "QUIC initial": bytes.fromhex("c000000001088394c8f03e5157080000449e") + bytes(range(64)),
    "RakNet, an acknowledgement": bytes.fromhex("c0000101000000"),
}


@pytest.mark.parametrize("passes", PASSES)
def test_what_no_sender_writes_is_no_evidence_for_a_known_connection(passes, udp_capture):
    conversations = {name: [*handshake(), tshark.request(payload, 0.1), tshark.reply(payload, 0.11), client(0.2, reliable(2))]
                     for name, payload in NEVER_SENT.items()}
    assert each_are_enet(conversations, udp_capture, *passes) == dict.fromkeys(NEVER_SENT, [True] * 5 + [False] * 2 + [True])


# Datagrams of ten or twelve bytes that are acknowledgements byte for byte.
HOME_MADE = {
    "sent time on acknowledgements alone": [
        (0x8005 + n).to_bytes(2, "big") + b"\0\x50" + ack(5 + n, 0x40 + n) for n in range(20)
    ],
    "a number three times": [b"\x12\x34" + ack(n, n) for n in range(1, 20)],
    "a number twice and a time": [b"\x12\x34" + ack(n, n * 20) for n in range(1, 20)],
}


@pytest.mark.parametrize("passes", PASSES)
def test_acknowledgements_of_what_was_never_sent_are_no_evidence(passes, udp_capture):
    assert recognized_of(HOME_MADE, udp_capture, *passes) == set()


def test_acknowledgements_are_evidence_with_other_commands(udp_capture):
    """As a host sends that only receives: pings, each half a second, between them."""
    packets = [tshark.request(b"\x00\x01" + ack(n, n * 20), n / 50) for n in range(1, 12)]
    pings = [tshark.request(datagram(ping(n), 0x8001, 500 * n), 0.25 + n / 2) for n in range(3)]
    assert all(are_enet(udp_capture(*packets, *pings), "-2"))


# ---- ICMP errors -----------------------------------------------------------------------------------------


def quoted(frame, size):
    """An ICMP error that quotes the first bytes of a datagram's payload: the header and at least one byte after it."""
    icmp = b"\3\3\0\0" + bytes(4) + frame[14 : 14 + 20 + 8 + size]
    outer = b"\x45\0" + struct.pack(">H", 20 + len(icmp)) + bytes(4) + b"\x40\1\0\0" + bytes([127, 0, 0, 1, 127, 0, 0, 1])
    return bytes(12) + b"\x08\0" + outer + icmp


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("capture", ["every-command", "fragments", "range-coder"])
def test_half_a_datagram_in_an_icmp_error_is_cut_short(capture, passes, tmp_path):
    path = tshark.PCAPS / "enet" / f"{capture}.pcap"
    frames = []
    for packet, (time, frame) in list(zip(tshark.read_pcap(path), tshark.read_frames(path)))[:30]:
        frames += [(time, frame), (time, quoted(frame, max(5, len(packet.payload) // 2)))]
    both = tshark.write_frames(tmp_path / "both.pcap", frames)
    names = ["frame.protocols", "_ws.malformed", "enet.payload.truncated", "enet.command.truncated", "enet.header.truncated"]
    for packet in tshark.fields(both, names, *passes)[3::2]:
        assert packet.pop("frame.protocols")[0].endswith("icmp:ip:udp:enet")
        assert not any(packet.values())


# Datagrams of the client's side that do not show all fields of a command: whether they are ENet, and how many of their bytes an
# ICMP error quotes.
QUOTED = {
    "a message": (True, datagram(reliable(2), 0x8000), 7),
    "compressed commands": (True, datagram(bytes(range(1, 40)), 0xC000), 20),
    "an unknown command": (False, datagram(b"\x0f\0\0\2" * 9, 0x8000), 20),
    "a message of another peer": (False, datagram(reliable(2), 0x8005), 7),
    "compressed commands of another session": (False, datagram(bytes(range(1, 40)), 0xD000), 20),
    "all of three bytes of a command": (False, datagram(reliable(2)[:3], 0x8000), 7),
    "all of a text": (False, b"hello there, this is a text", 27),
}


@pytest.mark.parametrize("passes", PASSES)
def test_the_beginning_of_a_datagram_in_an_icmp_error_is_enet_by_the_header_of_its_connection(passes, tmp_path):
    """The header is that of the client, and bytes may be missing only where the quotation ends."""
    frames = [(packet.time, tshark.udp_frame(packet)) for packet in handshake()]
    frames += [(1.0, quoted(tshark.udp_frame(tshark.request(payload)), size)) for _, payload, size in QUOTED.values()]
    found = are_enet(tshark.write_frames(tmp_path / "quoted.pcap", frames), *passes)[len(handshake()):]
    assert dict(zip(QUOTED, found)) == {name: expected for name, (expected, *_) in QUOTED.items()}
