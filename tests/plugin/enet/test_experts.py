# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each expert info is raised by a datagram, and no other by the same one; malformed datagrams have those that match
libenet's result."""

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, checksummed, connect, datagram, ping, reliable
from plugin.enet.samples import FINDINGS, ODDITIES, START
from plugin.enet.test_ends import ENDS

FOLDER = tshark.PCAPS / "enet"
DECODE_AS = ("-d", f"udp.port=={tshark.SERVER_PORT},enet")


def experts_of(packet):
    return {name for name, values in packet.items() if values}


@pytest.fixture(scope="module")
def registered():
    """All expert infos: fields without a type, except those of the reassembly."""
    return [field.filter for field in tshark.registered_fields() if field.filter.startswith("enet.")
            and field.type == "FT_NONE" and field.filter not in ("enet.entry", "enet.reassembly.fragments")]


def read(path, datagrams, registered, *args):
    tshark.write_pcap(path, datagrams)
    return [experts_of(packet) for packet in tshark.fields(path, registered, *args)]


def test_each_broken_rule_has_its_expert_info(tmp_path, registered):
    """Each datagram in a separate conversation, so that only one rule is violated."""
    packets = [tshark.Udp(20000 + index, tshark.SERVER_PORT, payload, 0.0, {})
               for index, payload in enumerate(ODDITIES.values())]
    for name, found in zip(ODDITIES, read(tmp_path / "odd.pcap", packets, registered, *DECODE_AS)):
        assert found == {name}, name


def test_truncation_by_the_capture_is_not_malformed(tmp_path, registered):
    packets = [tshark.request(datagram(reliable(1, bytes(100))), captured=50),
               tshark.request(datagram(b"\x03" * 60, header=0xC001), captured=50),
               # The header, and the first of two commands.
               tshark.request(datagram(ping(1) + ping(2)), captured=4),
               tshark.request(datagram(ping(1) + ping(2)), captured=8),
               tshark.request(datagram(b"\x03" * 60, header=0xC001), captured=4)]
    assert read(tmp_path / "cut.pcap", packets, registered, *DECODE_AS) == [{"enet.cut_short"}] * len(packets)


def test_a_fault_of_a_command_that_is_not_shown_is_reported(tmp_path, registered):
    commands = b"".join(ping(number) for number in range(1, 200))
    [found] = read(tmp_path / "many.pcap", [tshark.request(datagram(commands + b"\x86\0\0"))], registered, *DECODE_AS)
    assert found == {"enet.command.truncated", "enet.command_count.unusual"}


def first_fragment(payload):
    """The first 64 bytes of an IP datagram that is not reassembled."""
    frame = bytearray(tshark.udp_frame(tshark.request(payload)))
    frame[20:22] = b"\x20\0"  # more fragments
    del frame[14 + 20 + 64 :]
    frame[16:18] = (84).to_bytes(2, "big")
    return bytes(frame)


@pytest.mark.parametrize("payload, args", [
    (datagram(reliable(1, bytes(100))), ()),
    (datagram(b"\x03" * 60, header=0xC001), ()),
    # The captured part is complete, but the checksum covers the whole datagram.
    (checksummed(connect() + ping(2), 0), ("-o", "enet.checksum:always")),
])
def test_the_first_fragment_of_an_ip_datagram_is_not_malformed(payload, args, tmp_path, registered):
    path = tshark.write_frames(tmp_path / "fragment.pcap", [(0.0, first_fragment(payload))])
    args = ("-o", "ip.defragment:FALSE", *args, *DECODE_AS)
    found, = (experts_of(packet) for packet in tshark.fields(path, registered, *args))
    assert found == {"enet.cut_short", "enet.datagram.fragmented"}
    assert "[" not in tshark.info_column(path, *args)[0].removeprefix("[IP fragments] ")


@pytest.mark.parametrize("sent, label", [
    (datagram(ping(1)), "Header: 0x8001, peer 1, session 0, sent time"),
    (datagram(ack(1), header=0x2003), "Header: 0x2003, peer 3, session 2"),
    (datagram(b"\xffnothing", header=0xC001), "Header: 0xc001, peer 1, session 0, compressed, sent time"),
])
def test_the_label_of_the_header_names_its_bits(sent, label, tmp_path):
    path = tshark.write_pcap(tmp_path / "header.pcap", [tshark.request(sent)])
    assert f"\n    {label}\n" in tshark.verbose(path, *DECODE_AS)


def test_a_wrong_checksum_is_reported(tmp_path, registered):
    """Without a peer the connect id is 0."""
    packets = [tshark.request(checksummed(connect(), 0, wrong)) for wrong in (0, 1)]
    found = read(tmp_path / "crc.pcap", packets, registered, "-o", "enet.checksum:always", *DECODE_AS)
    assert found[0] == set() and "enet.checksum.bad" in found[1]


def test_padding_of_fastlz_that_is_not_zero_is_reported(tmp_path, registered):
    commands = ping(1) + ack(5)  # 12 bytes
    packets = [tshark.request(datagram(b"\x0f" + commands + padding, header=0xC001))
               for padding in (bytes(4), b"\0\0\0\x01")]
    found = read(tmp_path / "padding.pcap", packets, registered, "-o", "enet.compression:fastlz", *DECODE_AS)
    assert "enet.padding.not_zero" not in found[0] and "enet.padding.not_zero" in found[1]


# ---- findings ------------------------------------------------------------------------------------


def test_each_finding_has_its_expert_info(tmp_path, registered):
    """The last packet of its conversation has it, and no other packet of that."""
    conversations = [START + packets for packets in FINDINGS.values()]
    every = read(tmp_path / "found.pcap", tshark.apart(conversations), registered, *DECODE_AS)
    for name, found in zip(FINDINGS, tshark.split(every, conversations), strict=True):
        assert found[-1] == {name}
        assert not any(name in packet for packet in found[:-1]), name


def test_every_expert_info_is_raised_here(registered):
    raised = {*ODDITIES, *FINDINGS, "enet.cut_short", "enet.checksum.bad", "enet.padding.not_zero"}
    raised |= {"enet.port.masked.invalid", "enet.nonce.repeated"}  # test_formats.py
    raised |= {"enet.compression.differs", "enet.reply.missing"}  # test_connections.py
    raised |= {"enet.analysis.address_changed"}  # test_numbers.py
    raised |= set(ENDS)
    # A datagram cannot have more than 2 GiB.
    assert set(registered) - raised == {"enet.input.too_long"}


# ---- what libenet does ---------------------------------------------------------------------------

# Fault of the log: the expected expert info. Datagrams without a command are not ENet.
FAULTS = {
    "no sent time, and a command to be acknowledged": "enet.sent_time.missing",
    "an unknown command after a sound one": "enet.command.unknown",
    "three bytes of a command": "enet.command.truncated",
    "a command without its own fields": "enet.command.truncated",
    "a trailing byte": "enet.command.unknown",
    "a length beyond the datagram": "enet.payload.truncated",
    "a channel that the connection does not have": "enet.analysis.channel.invalid",
    "channel 255 with a payload": "enet.channel.invalid",
    "reliable without the flag acknowledge": "enet.flags.unusual",
    "reliable with the flag unsequenced": "enet.flags.unusual",
    "unreliable with the flag acknowledge": "enet.flags.unusual",
    "unsequenced without its flag": "enet.flags.unusual",
    "a peer that is not connected": "enet.analysis.stale",
    "another session": "enet.analysis.stale",
    "a reliable number seven windows ahead": "enet.analysis.too_far_ahead",
    "a fragment number not below the count": "enet.fragment.number.invalid",
    "no fragments": "enet.fragment.count.invalid",
    "more than 1,048,576 fragments": "enet.fragment.count.invalid",
    "a total length below the count": "enet.fragment.total_length.too_short",
    "a total length above 32 MiB": "enet.fragment.total_length.too_long",
    "a fragment's offset not below the total length": "enet.fragment.offset.invalid",
    "a fragment's end after the total length": "enet.fragment.end.invalid",
    "a reliable fragment of no bytes": "enet.fragment.empty",
    "an unreliable fragment number not below the count": "enet.fragment.number.invalid",
    "an unreliable fragment's end after the total length": "enet.fragment.end.invalid",
    "CONNECT with no channels": "enet.connect.channels.invalid",
    "CONNECT with 256 channels": "enet.connect.channels.invalid",
    "a command other than CONNECT without a peer": "enet.peer.missing",
    "THROTTLE_CONFIGURE on a channel": "enet.channel.unusual",
    "33 commands": "enet.command_count.unusual",
}


def test_malformed_datagrams_of_a_connection_are_shown_with_the_fault(registered):
    log = gamewire_records.read("enet", "malformed")
    packets = tshark.fields(FOLDER / "malformed.pcap", registered)
    checked = set()
    for record, packet in zip(log, packets):
        expected = FAULTS.get(record.get("fault"))
        if expected:
            assert packet[expected], (record["n"], record["fault"])
            checked.add(record["fault"])
    assert checked == set(FAULTS)
