# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What later passes find of the first one: however far apart datagrams are, however much one has, in any order."""

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, datagram, reliable, unsequenced

DECODE_AS = ["-d", "udp.port==40600,enet"]
FIRST_SEND = "enet.analysis.first_send"
ACKS_FRAME = "enet.analysis.acks_frame"
DUPLICATE_OF = "enet.analysis.duplicate_of"
PORTS = (41000, 40600)
OTHER = (50000, 50001, b"other")


@pytest.mark.parametrize("passes", ([], ["-2"]), ids=("one pass", "two passes"))
def test_a_retransmission_long_after_its_command(tmp_path, passes):
    """With more frames of others between the two than 16 bits count."""
    others = 70_000
    path = tshark.write_pcap(tmp_path / "long.pcap", [
        (*PORTS, datagram(reliable(1), sent_time=1), 0),
        *[(*OTHER, 1)] * others,
        (*PORTS, datagram(reliable(1), sent_time=2), 2),
        (*reversed(PORTS), datagram(ack(1, 2)), 3, {"from": 2, "to": 1}),
    ])
    found = tshark.fields(path, [FIRST_SEND, ACKS_FRAME], *DECODE_AS, "-Y", "enet", *passes)
    assert [packet[FIRST_SEND] for packet in found] == [[], ["1"], []]
    assert [packet[ACKS_FRAME] for packet in found] == [[], [], [str(others + 2)]]


@pytest.mark.parametrize("passes", ([], ["-2"]), ids=("one pass", "two passes"))
def test_a_datagram_of_many_acknowledgements(tmp_path, passes):
    """Each of them finds its command."""
    count = 128
    path = tshark.write_pcap(tmp_path / "many.pcap", [
        *[(*PORTS, datagram(reliable(n), sent_time=n), n / 100) for n in range(1, count + 1)],
        (*reversed(PORTS), datagram(b"".join(ack(n, n) for n in range(1, count + 1))), 3, {"from": 2, "to": 1}),
    ])
    found = tshark.fields(path, [ACKS_FRAME], *DECODE_AS, *passes)[-1]
    assert found[ACKS_FRAME] == [str(n) for n in range(1, count + 1)]


@pytest.mark.parametrize("passes", ([], ["-2"]), ids=("one pass", "two passes"))
def test_copies_among_the_latest_messages_of_the_file(tmp_path, passes):
    """The latest 65,535 messages and datagrams of all connections are compared: each of these datagrams is two of them."""
    first = *PORTS, datagram(unsequenced(1), sent_time=1), 0
    others = [(*PORTS, datagram(unsequenced(n), sent_time=n), n / 1000, {"from": 3, "to": 4}) for n in range(1, 40_000)]
    last, earlier = others[-1], others[-10_000]
    packets = [first, *others[:20_000], first, *others[20_000:], first, last, earlier]
    path = tshark.write_pcap(tmp_path / "copies.pcap", packets)
    copies = tshark.fields(path, ["frame.number", DUPLICATE_OF], *DECODE_AS, "-Y", DUPLICATE_OF, *passes)
    assert [(int(copy["frame.number"][0]), packets[int(copy[DUPLICATE_OF][0]) - 1]) for copy in copies] == [
        (20_002, first), (len(packets) - 1, last), (len(packets), earlier)]


def test_frames_in_any_order():
    """Wireshark's window dissects the frame that is selected; sharkd does as the window does."""
    capture = tshark.readable(tshark.PCAPS / "enet" / "lossy-client.pcap")
    numbers = range(1, 201)
    orders = numbers, reversed(numbers), [n * 77 % 199 + 1 for n in range(199)]
    requested = [number for order in orders for number in order]
    load, *answers = tshark.sharkd([
        {"method": "load", "params": {"file": str(capture)}},
        *({"method": "frame", "params": {"frame": number, "proto": True}} for number in requested),
    ])
    assert load["result"]["status"] == "OK"
    first = {}
    for number, answer in zip(requested, answers):
        assert first.setdefault(number, answer["result"]["tree"]) == answer["result"]["tree"], number
    assert "enet.analysis.acks_frame" in str(first) and "enet.analysis.first_send" in str(first)
