# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The first IP fragment of a datagram, without reassembly by Wireshark: the missing bytes were sent, so the datagram
is not malformed."""

import struct

import pytest

import gamewire_tshark as tshark

TEXT = b"a" * 2000
PAYLOADS = {
    "leviathan": bytes.fromhex("4c6e000003fa00000000012800000012000d") + struct.pack(">I", len(TEXT)) + TEXT,
    "squirrel": bytes.fromhex("e3ffff400700000073") + struct.pack(">H", len(TEXT)) + TEXT,
    "godot": struct.pack("<II", 4, len(TEXT)) + TEXT,
    # A reliable message on channel 0, to a peer without a session yet.
    "enet": bytes.fromhex("8000123486000001") + struct.pack(">H", len(TEXT)) + TEXT,
}

# The first of two chunks of a Squirrel stream.
CHUNK = b"\xec\xff\xff\x40" + struct.pack("<IIIH", 0, 0, 2, 4075) + bytes(4075)


def write_fragment(path, payload):
    packet = bytearray(tshark.udp_frame(tshark.request(payload)))
    packet = packet[: 14 + 20 + 1400]
    packet[16:18] = struct.pack(">H", len(packet) - 14)
    packet[20:22] = b"\x20\0"  # more fragments
    return tshark.write_frames(path, [(0.0, bytes(packet))])


@pytest.fixture(params=PAYLOADS)
def fragment(request, tmp_path):
    """A protocol, and a capture of the fragment."""
    return request.param, write_fragment(tmp_path / "fragment.pcap", PAYLOADS[request.param])


def options(protocol):
    return ["-o", "ip.defragment:FALSE", "-d", f"udp.port=={tshark.SERVER_PORT},{protocol}"]


def test_bytes_in_another_fragment_are_not_malformed(fragment):
    protocol, capture = fragment
    malformed = "_ws.malformed || _ws.expert.group == malformed"
    assert tshark.fields(capture, ["frame.number"], "-Y", protocol, *options(protocol))
    assert not tshark.fields(capture, ["frame.number"], "-Y", malformed, *options(protocol))
    assert "is in another IP fragment" in tshark.verbose(capture, *options(protocol))


def test_the_info_column_does_not_report_a_fault(fragment):
    protocol, capture = fragment
    (info,) = tshark.info_column(capture, *options(protocol))
    assert "[" not in info.replace("[IP fragments] ", "") and "missing" not in info, info


def test_no_length_is_compared_with_the_captured_bytes(udp_capture, fragment):
    protocol, capture = fragment
    if protocol == "squirrel":
        names = ["squirrel.declared", "squirrel.actual"]
        assert not any(tshark.fields(capture, names, *options(protocol))[0].values())
        whole = udp_capture(tshark.request(PAYLOADS[protocol][:-1]))
        assert all(tshark.fields(whole, names, *options(protocol))[0].values())


@pytest.mark.parametrize("passes", [(), ("-2",)])
@pytest.mark.parametrize("head", [b"", b"\x3e" + struct.pack(">I", len(CHUNK))])
def test_the_rest_of_a_chunk_is_in_another_fragment(head, passes, tmp_path):
    """The lengths of the chunk and of its message count the bytes of the other fragments."""
    capture = write_fragment(tmp_path / "chunk.pcap", head + CHUNK)
    names = ["squirrel.split.length", "_ws.expert.message", "squirrel.reassembled.length"]
    (found,) = tshark.fields(capture, names, *options("squirrel"), *passes)
    assert list(found.values()) == [["4075"], ["The rest is in another IP fragment: cannot be reassembled"], []]
