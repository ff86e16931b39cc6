# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The links between frames: requests and responses, acknowledgements, resends and duplicates."""

import collections
import functools
import math
import random
import re
import struct

import pytest

import gamewire_tshark as tshark
from plugin.leviathan import decoding as leviathan
from plugin.leviathan.decoding import CLOSE, CONNECT, ECHO, KEEPALIVE, NONE, ack_only, hello, normal, request, response, u32

SOUND = [name for name in leviathan.NAMES if name != "malformed"]

# Links to earlier frames exist on the first pass; links to later frames when those were dissected.
BACKWARD = (
    "leviathan.response_to",
    "leviathan.time",
    "leviathan.acks_frame",
    "leviathan.ack_rtt",
    "leviathan.analysis.first_send",
    "leviathan.analysis.resend_time",
    "leviathan.analysis.duplicate_of",
    "leviathan.analysis.lost_frame",
    "leviathan.analysis.retransmission",
    "leviathan.analysis.duplicate",
    "leviathan.analysis.number_reused",
    "leviathan.analysis.out_of_order",
    "leviathan.analysis.ack.unseen",
    "leviathan.analysis.shows_loss",
    "leviathan.analysis.request.unseen",
)
FORWARD = (
    "leviathan.response_in",
    "leviathan.acked_in",
    "leviathan.rtt",
    "leviathan.analysis.resent_in",
    "leviathan.analysis.duplicate_in",
    "leviathan.analysis.lost_in",
    "leviathan.unanswered",
    "leviathan.analysis.lost",
)

OTHER = (
    "leviathan",
    "leviathan.ack",
    "leviathan.ignored_ack",
    "leviathan.acks_not_shown",
    "leviathan.ack_numbering",
    "leviathan.ack_numbering.reason",
    "leviathan.ack_numbering.proof",
    "frame.time_relative",
    "_ws.expert.message",
)

CONVERSATIONS = tshark.Conversations()
written, conversation = CONVERSATIONS.write, CONVERSATIONS.of_test

# Captures that are read together: most of the time is tshark's start.
TOGETHER = [CONVERSATIONS,
            [leviathan.capture(name) for name in leviathan.NAMES if leviathan.preferences(name) == leviathan.PORTS]]


def read_with(path):
    """The captures that are read together with this one."""
    return tuple(next((group for group in TOGETHER if path in group), [path]))


@functools.lru_cache(maxsize=None)
def all_fields(captures, args, prefs):
    """{capture: each packet's values of all these fields}, with one start of tshark."""
    return tshark.fields_of_each(captures, BACKWARD + FORWARD + OTHER, *args, prefs=dict(prefs))


@functools.lru_cache(maxsize=None)
def all_infos(captures, args, prefs):
    """{capture: each packet's Info text}, without a field that is referenced."""
    return tshark.fields_of_each(captures, ["_ws.col.Info"], *args, prefs=dict(prefs))


def packets_of(path, *args, prefs=()):
    """Each packet's values of all fields."""
    return all_fields(read_with(path), args, tuple(dict(prefs).items()))[path]


def values(path, name, *args, prefs=()):
    """Each packet's values of a field."""
    return [packet[name] for packet in packets_of(path, *args, prefs={**leviathan.PORTS, **dict(prefs)})]


def frames(path, name, *args, prefs=()):
    """frame -> the values of a field, for frames that have any."""
    return {frame: found for frame, found in enumerate(values(path, name, *args, prefs=prefs), 1) if found}


def links(path, name, *args, prefs=()):
    """frame -> the frames that a field refers to."""
    return {frame: [int(one) for one in found] for frame, found in frames(path, name, *args, prefs=prefs).items()}


# ---- the captures: links that follow from their senders' records ----------------------------------------------


class Side:
    def __init__(self):
        self.packets = {}
        self.messages = {}
        self.ack_only = None


class Expected:
    """Processes the records, and stores the expected links of each frame."""

    def __init__(self, name):
        self.sides = {}
        self.acked_in, self.response_to, self.response_in = {}, {}, {}
        self.duplicate_of, self.first_send = {}, {}
        for record in leviathan.records(name):
            own = self.sides.setdefault((record["from"], record["to"]), Side())
            peer = self.sides.setdefault((record["to"], record["from"]), Side())
            self.follow(record, own, peer)

    def follow(self, record, own, peer):
        frame = record["n"]
        acks = record.get("acks", []) if record["packet"] == "normal" else record["ack_only"][0]
        for one in acks:
            if one in peer.packets:
                self.acked_in.setdefault(peer.packets[one], frame)
        if "duplicate_of" in record:
            self.duplicate_of[frame] = record["duplicate_of"]
        elif record["packet"] == "normal":
            own.packets[record["packet_id"]] = frame
        for message in record.get("messages", []):
            self.follow_message(record, message, own, peer)

    def follow_message(self, record, message, own, peer):
        frame = record["n"]
        first = own.messages.setdefault(message["number"], (frame, message["kind"]))[0]
        if first != frame and "duplicate_of" not in record:
            self.first_send[frame] = first
        if message["kind"] == "response":
            asked, kind = peer.messages.get(message["response_to"], (0, ""))
            if kind == "request":
                self.response_to.setdefault(frame, []).append(asked)
                self.response_in.setdefault(asked, frame)


@pytest.mark.parametrize("name", SOUND)
def test_links_are_those_that_the_senders_records_imply(name):
    expected = Expected(name)
    path, prefs = leviathan.capture(name), leviathan.preferences(name)
    assert links(path, "leviathan.response_to", "-2", prefs=prefs) == expected.response_to
    assert {
        frame: found[0]
        for frame, found in links(path, "leviathan.acked_in", "-2", prefs=prefs).items()
    } == expected.acked_in
    assert {
        frame: found[0]
        for frame, found in links(path, "leviathan.analysis.duplicate_of", "-2", prefs=prefs).items()
    } == expected.duplicate_of
    assert {
        frame: found[0]
        for frame, found in links(path, "leviathan.analysis.first_send", "-2", prefs=prefs).items()
    } == expected.first_send
    response_in = links(path, "leviathan.response_in", "-2", prefs=prefs)
    assert {frame: found[0] for frame, found in response_in.items() if frame in expected.response_in} == (
        expected.response_in
    )
    # Resends and duplicates of a request are linked to the response too.
    assert set(response_in) - set(expected.response_in) <= set(expected.first_send) | set(expected.duplicate_of)


@pytest.mark.parametrize("name", ("session", "two-clients"))
def test_resends_and_duplicates_are_those_that_the_sender_noted(name):
    sent = leviathan.records(name)
    path = leviathan.capture(name)
    resends = {record["n"]: [record["resend_of"]] for record in sent if "resend_of" in record}
    duplicates = {record["n"]: [record["duplicate_of"]] for record in sent if "duplicate_of" in record}
    assert links(path, "leviathan.analysis.first_send") == resends
    assert set(frames(path, "leviathan.analysis.retransmission")) == set(resends)
    assert links(path, "leviathan.analysis.duplicate_of") == duplicates
    assert set(frames(path, "leviathan.analysis.duplicate")) == set(duplicates)


def test_times_are_those_between_the_frames():
    path = leviathan.capture("session")
    times = [float(found[0]) for found in values(path, "frame.time_relative")]
    for link, time in (
        ("leviathan.response_to", "leviathan.time"),
        ("leviathan.acks_frame", None),
        ("leviathan.analysis.first_send", "leviathan.analysis.resend_time"),
    ):
        for frame, found in links(path, link).items():
            if time:
                shown = float(frames(path, time)[frame][0])
                assert math.isclose(shown, times[frame - 1] - times[found[0] - 1], abs_tol=2e-9)
    for frame, found in links(path, "leviathan.acked_in", "-2").items():
        shown = float(frames(path, "leviathan.rtt", "-2")[frame][0])
        assert math.isclose(shown, times[found[0] - 1] - times[frame - 1], abs_tol=2e-9)


@pytest.mark.parametrize("name", leviathan.NAMES)
def test_only_the_malformed_capture_has_acks_of_packets_that_were_not_sent(name):
    prefs = leviathan.preferences(name)
    unseen = set(frames(leviathan.capture(name), "leviathan.analysis.ack.unseen", "-2", prefs=prefs))
    assert unseen == ({14, 15, 59, 60} if name == "malformed" else set())


# ---- passes and trees ----------------------------------------------------------------------------------------

ENGINES = [name for name in leviathan.NAMES if name != "session-documented-acks"]


@pytest.mark.parametrize("name", ENGINES)
def test_links_to_earlier_packets_are_the_same_on_both_passes(name):
    path, prefs = leviathan.capture(name), leviathan.preferences(name)
    for field in BACKWARD:
        assert values(path, field, prefs=prefs) == values(path, field, "-2", prefs=prefs)
    once, twice = (all_infos(read_with(path), passes, tuple(prefs.items()))[path] for passes in ((), ("-2",)))
    # That a packet was lost is known from a later one.
    for packet in twice:
        packet["_ws.col.Info"] = [info.replace("[Lost] ", "") for info in packet["_ws.col.Info"]]
    assert once == twice


@pytest.mark.parametrize("name", ENGINES)
def test_links_to_later_packets_are_added_on_the_second_pass_only(name):
    path, prefs = leviathan.capture(name), leviathan.preferences(name)
    for field in FORWARD:
        once, twice = values(path, field, prefs=prefs), values(path, field, "-2", prefs=prefs)
        assert all(set(first) <= set(second) for first, second in zip(once, twice))


def expert_counts(output):
    """{text: how often it is reported}"""
    rows = re.findall(r"^ +(\d+) +\w+ +Leviathan +(.*)$", output, re.MULTILINE)
    return {text: int(count) for count, text in rows}


@pytest.mark.parametrize("name", ("session", "old-numbering"))
def test_expert_infos_are_the_same_without_a_tree(name):
    """Of all captures with these preferences."""
    captures, prefs = read_with(leviathan.capture(name)), leviathan.preferences(name)
    path, _ = tshark.together(captures)
    without = tshark.run(["-q", "-z", "expert"], path, prefs=prefs).stdout
    with_tree = tshark.run(["-q", "-z", "expert,chat,leviathan"], path, prefs=prefs).stdout
    items = (one for item in leviathan.decode(path, *tshark.only_ours(), prefs=prefs) for one in item.shown("_ws.expert.message"))
    assert expert_counts(without) == expert_counts(with_tree) == collections.Counter(items)


def test_a_field_can_be_filtered_on_the_second_pass():
    """The first pass has no tree, because no filter is applied to it."""
    path = leviathan.capture("session")
    once = frames(path, "leviathan.response_in", "-2")
    shown = tshark.run(["-2", "-Y", "leviathan.response_in", "-T", "fields", "-e", "frame.number"], path).stdout
    assert [int(frame) for frame in shown.split()] == sorted(once)


# ---- single cases --------------------------------------------------------------------------------------------


def client(payload, time=0.0, **options):
    return tshark.request(payload, time, **options)


def server(payload, time=0.0, **options):
    return tshark.reply(payload, time, **options)


def echo(number, packet_id, **options):
    return normal(packet_id, request(number, ECHO), **options)


@conversation(client(hello()), client(echo(2, 1003), 0.1), client(echo(2, 1002), 0.2), client(echo(3, 1004), 0.3))
def test_a_first_send_that_arrives_after_its_resend_is_not_a_resend(path):
    assert frames(path, "leviathan.analysis.retransmission", "-2") == {}
    assert set(frames(path, "leviathan.analysis.out_of_order", "-2")) == {3}
    assert frames(path, "leviathan.analysis.resent_in", "-2") == {}


@conversation(client(hello()), client(echo(2, 1002), 0.1), client(echo(2, 1003), 0.6), client(echo(2, 1005), 1.6))
def test_resends_and_first_sends_are_linked(path):
    assert links(path, "leviathan.analysis.first_send") == {3: [2], 4: [2]}
    assert links(path, "leviathan.analysis.resent_in", "-2") == {2: [3]}
    assert [float(found[0]) for found in frames(path, "leviathan.analysis.resend_time").values()] == [0.5, 1.5]


@conversation(client(echo(2, 1002)), client(echo(3, 1004), 0.1), client(echo(2, 1003), 0.2))
def test_a_late_resent_packet_is_a_resend(path):
    assert links(path, "leviathan.analysis.first_send") == {3: [1]}


@conversation(client(hello()), client(hello(), 0.1), client(hello(), 0.2))
def test_duplicates_are_not_resends_and_have_a_link_to_the_first(path):
    assert links(path, "leviathan.analysis.duplicate_of") == {2: [1], 3: [1]}
    assert links(path, "leviathan.analysis.duplicate_in", "-2") == {1: [2]}
    assert frames(path, "leviathan.analysis.retransmission") == {}


FAR_APART = [hello()] + [normal(packet, request(number, KEEPALIVE)) for packet, number in (
    (4_000_000_000, 3_000_000_000), (1200, 90), (900, 7), (1, 4_294_967_295))]


@conversation(*(client(packet, number / 10) for number, packet in enumerate(FAR_APART + FAR_APART)))
def test_packets_and_messages_are_found_however_far_apart_their_numbers_are(path):
    """An engine counts from 1; other senders and damaged bytes have any number."""
    assert links(path, "leviathan.analysis.duplicate_of") == {frame + 5: [frame] for frame in range(1, 6)}
    assert links(path, "leviathan.analysis.duplicate_in", "-2") == {frame: [frame + 5] for frame in range(1, 6)}


REUSED = "leviathan.analysis.number_reused"


@conversation(client(hello()), client(normal(1001, request(1, CONNECT, u32(43))), 0.1), client(hello(), 0.2))
def test_a_packet_with_the_id_of_another_is_no_duplicate(path):
    assert links(path, "leviathan.analysis.duplicate_of") == {3: [1]}
    assert links(path, "leviathan.analysis.duplicate_in", "-2") == {1: [3]}
    assert frames(path, "leviathan.analysis.retransmission") == {}
    assert frames(path, REUSED) == frames(path, REUSED, "-2") and set(frames(path, REUSED)) == {2}
    assert [re.sub(r"frame \d+", "frame 1", found) for found in frames(path, "_ws.expert.message")[2] if "used before" in found] == [
        "Message number 1 used before in frame 1 with other bytes: the engine drops a number that it received",
        "Packet id 1001 used before in frame 1 with other bytes"]


@conversation(client(hello()), client(normal(1002, response(2, KEEPALIVE, 1)), 0.1), client(normal(1003, response(2, NONE, 1)), 0.2),
              client(normal(1004, response(2, KEEPALIVE, 1)), 0.3))
def test_a_message_with_the_number_of_another_is_no_retransmission(path):
    assert links(path, "leviathan.analysis.first_send") == {4: [2]}
    assert links(path, "leviathan.analysis.resent_in", "-2") == {2: [4]}
    assert set(frames(path, REUSED)) == {3}


@conversation(client(hello()), client(hello() + ack_only(1001), 0.1), client(hello() + ack_only(1001) + ack_only(1001, 1002), 0.2))
def test_a_packet_that_is_sent_again_with_ack_only_blocks_is_a_duplicate(path):
    """As the engine sends it, instead of an ack-only packet."""
    assert links(path, "leviathan.analysis.duplicate_of") == {2: [1], 3: [1]}
    assert frames(path, REUSED) == {}


def two_acks(*second):
    sent = [client(hello()), client(echo(2, 1002), 0.1), client(echo(3, 1003), 0.2), server(ack_only(1001, 1002), 0.3)]
    return written(*sent, server(ack_only(*second), 0.4))


@pytest.mark.parametrize("path, duplicates", ((two_acks(1001, 1002), {5: [4]}), (two_acks(1001, 1003), {}), (two_acks(1001), {})),
                         ids=("equal", "another", "fewer"))
def test_ack_only_packets_are_duplicates_if_all_ids_are_equal(path, duplicates):
    assert links(path, "leviathan.analysis.duplicate_of") == duplicates


@conversation(
    client(hello()),
    server(hello(), 0.05),
    client(echo(2, 1002), 0.1),
    client(echo(2, 1003), 0.6),
    server(normal(1002, response(2, NONE, 2)), 0.7),
    server(normal(1003, response(2, NONE, 2)), 1.7),
)
def test_response_time_counts_from_the_first_send_and_resent_responses_have_none(path):
    assert links(path, "leviathan.response_to") == {5: [3], 6: [3]}
    assert links(path, "leviathan.response_in", "-2") == {3: [5], 4: [5]}
    assert [float(found[0]) for found in frames(path, "leviathan.time").values()] == [0.6]


@conversation(
    client(hello()),
    server(hello(), 0.05),
    client(echo(2, 1002), 0.1),
    server(normal(1002, response(2, NONE, 2)), 0.7),
    server(normal(1002, response(2, NONE, 2)), 9),
)
def test_a_copied_response_has_no_response_time(path):
    """The network made the copy: the response was received with the first one."""
    assert links(path, "leviathan.response_to") == {4: [3], 5: [3]}
    assert [float(found[0]) for found in frames(path, "leviathan.time").values()] == [0.6]


@conversation(
    client(normal(1001, request(1, CONNECT, u32(42)), request(2, ECHO), request(3, ECHO))),
    server(normal(1001, response(1, NONE, 3), response(2, NONE, 2)), 0.1),
    client(normal(1002, request(3, ECHO)), 0.2),
)
def test_several_messages_of_a_packet_are_followed_each(path):
    assert links(path, "leviathan.response_to") == {2: [1, 1]}
    assert links(path, "leviathan.response_in", "-2") == {1: [2, 2], 3: [2]}
    assert links(path, "leviathan.analysis.first_send") == {3: [1]}


@conversation(client(hello()), server(normal(1001, response(1, NONE, 7)), 0.1))
def test_response_to_a_request_that_was_not_sent(path):
    assert set(frames(path, "leviathan.analysis.request.unseen", "-2")) == {2}


@conversation(client(echo(50, 1060)), server(normal(1070, response(80, NONE, 49)), 0.1))
def test_answers_to_requests_before_the_capture_are_not_reported(path):
    assert frames(path, "leviathan.analysis.request.unseen", "-2") == {}


@conversation(server(normal(1070, response(80, NONE, 49), acks=[1050])), client(echo(3, 1003), 0.1))
def test_later_packets_are_not_evidence(path):
    """When the first packet was captured, no packet of its peer was known; that its id was 1003 is known only later."""
    for args in ((), ("-2",)):
        assert frames(path, "leviathan.analysis.request.unseen", *args) == {}
        assert frames(path, "leviathan.analysis.ack.unseen", *args) == {}


@conversation(
    client(hello()),
    client(echo(2, 1002), 0.1),
    client(echo(2, 1003), 0.6),
    client(echo(3, 1004), 0.7),
    server(normal(1001, response(1, NONE, 1)), 0.8),
    server(normal(1002, response(2, NONE, 3)), 0.9),
)
def test_requests_without_a_response_are_unanswered_once_the_whole_capture_is_known(path):
    assert set(frames(path, "leviathan.unanswered", "-2")) == {2, 3}
    assert frames(path, "leviathan.unanswered") == {}
    shown = tshark.run(["-2", "-Y", "leviathan.unanswered", "-T", "fields", "-e", "frame.number"], path).stdout
    assert shown.split() == ["2", "3"]


def test_datagrams_of_one_frame_are_distinguished_on_both_passes(udp_capture, tmp_path):
    """A dissector that calls Leviathan's for two datagrams in one frame: each has its own response, ack and number."""
    script = tmp_path / "pair.lua"
    script.write_text(
        """


local pair = Proto("pair", "Two datagrams")
function pair.dissector(tvb, pinfo, tree)
    local size = tvb(0, 1):uint()
    Dissector.get("leviathan"):call(tvb(1, size):tvb(), pinfo, tree)
    Dissector.get("leviathan"):call(tvb(1 + size):tvb(), pinfo, tree)
end
DissectorTable.get("udp.port"):add(42424, pair)
"""
    )

    def pair(first, second):
        return bytes([len(first)]) + first + second

    args = ("-X", f"lua_script:{tshark.readable(script)}")
    asked = pair(hello(), echo(2, 1002))
    path = udp_capture(
        tshark.Udp(41000, 42424, asked, 0),
        tshark.Udp(
            42424,
            41000,
            pair(normal(1001, response(1, NONE, 1), acks=[1001]), normal(1002, response(2, KEEPALIVE))),
            0.1,
            {"from": 2, "to": 1},
        ),
        tshark.Udp(41000, 42424, pair(echo(2, 1002), echo(3, 1003)), 0.2),
    )
    # The second answer has no request, the second request has no response, and of frame 3 only the first is a
    # duplicate.
    for passes in ((), ("-2",)):
        assert links(path, "leviathan.response_to", *args, *passes) == {2: [1]}
        assert links(path, "leviathan.analysis.duplicate_of", *args, *passes) == {3: [1]}
    assert links(path, "leviathan.response_in", *args, "-2") == {1: [2]}
    assert links(path, "leviathan.acked_in", *args, "-2") == {1: [2]}
    assert {frame: len(found) for frame, found in frames(path, "leviathan.unanswered", *args, "-2").items()} == {
        1: 1,
        3: 2,
    }


def icmp_error(quoted):
    """A host reports that the port of a datagram from the client is unreachable, and quotes the datagram."""
    udp = struct.pack(">HHHH", tshark.CLIENT_PORT, tshark.SERVER_PORT, 8 + len(quoted), 0) + quoted
    addresses = bytes([192, 0, 2, 1, 192, 0, 2, 2])
    inner = b"\x45\0" + struct.pack(">HHHBBH", 20 + len(udp), 0, 0, 64, 17, 0) + addresses + udp
    icmp = b"\x03\x03\0\0\0\0\0\0" + inner
    outer = b"\x45\0" + struct.pack(">HHHBBH", 20 + len(icmp), 0, 0, 64, 1, 0) + addresses[4:] + addresses[:4] + icmp
    return bytes(12) + b"\x08\0" + outer


def test_datagrams_quoted_by_an_icmp_error_are_not_analyzed(tmp_path):
    frames_sent = [(0.0, tshark.udp_frame(client(hello()))), (0.1, icmp_error(hello()))]
    frames_sent.append((0.2, tshark.udp_frame(client(echo(2, 1002)))))
    path = tshark.write_frames(tmp_path / "icmp.pcap", frames_sent)
    quoted = leviathan.decode(path, "-2")[1]
    # Newer versions of Wireshark do not dissect quotations.
    assert quoted is None if tshark.wireshark_version() > (4, 0) else len(quoted.all("leviathan.packet_id")) == 1
    for name in ("leviathan.analysis.duplicate_of", "leviathan.analysis.duplicate_in", "leviathan.analysis.retransmission"):
        assert frames(path, name, "-2") == {}


def test_first_fragment_of_an_ip_datagram_is_not_malformed(tmp_path):
    payload = normal(1002, request(2, 13, leviathan.string("x" * 100)))
    frame = bytearray(tshark.udp_frame(client(payload)))
    frame[20:22] = b"\x20\0"  # more fragments
    del frame[14 + 20 + 64 :]
    frame[16:18] = (84).to_bytes(2, "big")
    path = tshark.write_frames(tmp_path / "fragment.pcap", [(0.0, bytes(frame))])
    prefs = {"ip.defragment": "FALSE", **leviathan.PORTS}
    item = leviathan.decode(path, prefs=prefs)[0]
    assert [one.name for one in item.all("leviathan.cut_short")] == ["leviathan.cut_short"]
    assert "another IP fragment" in item.all("leviathan.cut_short")[0].label
    assert not item.all("leviathan.string.truncated")
    assert tshark.info_column(path, prefs=prefs) == ["1002  Request RequestCommandExecution #2"]


@conversation(client(normal(1001, response(1, NONE))), server(normal(1001, response(1, NONE, 1)), 0.1))
def test_a_response_is_not_answered(path):
    assert frames(path, "leviathan.response_in", "-2") == {}
    assert frames(path, "leviathan.response_to", "-2") == {}


ONE_HOST = {"from": 1, "to": 1}


@conversation(
    client(hello(), **ONE_HOST),
    server(hello(), 0.1, **ONE_HOST),
    server(normal(1002, response(2, NONE, 1)), 0.2, **ONE_HOST),
)
def test_both_ends_on_one_address_differ_by_port(path):
    assert frames(path, "leviathan.analysis.duplicate_of", "-2") == {}
    assert links(path, "leviathan.response_to") == {3: [1]}


def on_one_port(packet):
    return packet._replace(sport=41000, dport=41000)


@conversation(*map(on_one_port, (client(hello()), server(hello(), 0.1), server(normal(1002, response(2, NONE, 1)), 0.2))))
def test_both_ends_on_one_port_differ_by_address(path):
    assert frames(path, "leviathan.analysis.duplicate_of", "-2") == {}
    assert links(path, "leviathan.response_to") == {3: [1]}


@conversation(
    client(hello()),
    client(hello(), 0.1)._replace(sport=42000),
    server(normal(1001, response(1, NONE, 1), acks=[1001]), 0.2),
)
def test_conversations_are_analyzed_separately(path):
    assert links(path, "leviathan.response_to") == {3: [1]}
    assert links(path, "leviathan.acked_in", "-2") == {1: [3]}


@conversation(
    client(hello()),
    client(normal(1002, response(2, CLOSE)), 0.1),
    client(hello(), 1),
    server(normal(1001, response(1, NONE, 1), acks=[1001]), 1.1),
)
def test_connection_after_a_close_is_a_new_one(path):
    assert frames(path, "leviathan.analysis.duplicate_of", "-2") == {}
    assert links(path, "leviathan.response_to") == {4: [3]}
    assert links(path, "leviathan.acked_in", "-2") == {3: [4]}


@conversation(client(hello()), client(hello(), 179.999), client(hello(), 359.999))
def test_connection_after_180_seconds_of_silence_is_a_new_one(path):
    assert links(path, "leviathan.analysis.duplicate_of", "-2") == {2: [1]}


# ---- losses --------------------------------------------------------------------------------------------------


def reason_of_loss(path, frame):
    [text] = [text for text in values(path, "_ws.expert.message", "-2")[frame - 1] if "this packet as lost" in text]
    return text


def sent_packets(last):
    """1001 to 1000 + `last`, 10 ms apart."""
    return [client(hello()), *(client(echo(number, 1000 + number), number / 100) for number in range(2, last + 1))]


@conversation(
    *sent_packets(4),
    server(hello(acks=[1001, 1003]), 0.5),
    client(echo(5, 1005), 1.019),
    client(echo(6, 1006), 1.02),
)
def test_packet_that_is_not_confirmed_1000_ms_after_it_was_sent_is_lost(path):
    """It is detected at the next packet of either side; 999 ms are not sufficient."""
    assert links(path, "leviathan.analysis.lost_in", "-2") == {2: [7]}
    assert set(frames(path, "leviathan.analysis.lost", "-2")) == {2}
    assert links(path, "leviathan.analysis.lost_frame", "-2") == {7: [2]}
    assert set(frames(path, "leviathan.analysis.shows_loss", "-2")) == {7}
    assert "1000 ms" in reason_of_loss(path, 2)


@conversation(
    *sent_packets(8),
    server(hello(acks=[1001, 1006]), 0.1),
    server(normal(1002, response(2, KEEPALIVE), acks=[1003, 1004, 1005, 1007]), 0.2),
)
def test_packet_is_lost_when_one_more_than_4_above_it_is_confirmed(path):
    # 1002 is 4 below 1006, and 5 below 1007.
    assert links(path, "leviathan.analysis.lost_in", "-2") == {2: [10]}
    assert links(path, "leviathan.analysis.lost_frame", "-2") == {10: [2]}
    assert "more than 4 above" in reason_of_loss(path, 2)


@conversation(client(hello()), client(echo(2, 1002), 0.1), server(hello()), server(echo(3, 1003), 1.3))
def test_a_loss_is_stated_of_the_captured_packets(path):
    """The server's packet 1002, which may have confirmed both, is not in the capture."""
    reason = "no captured packet confirmed it within 1000 ms"
    for frame in (1, 2):
        assert reason_of_loss(path, frame).endswith(reason)


@conversation(client(hello()), server(hello(), 1.2), server(normal(1002, response(2, NONE), acks=[1001]), 1.3))
def test_a_packet_that_is_confirmed_late_is_counted_as_lost(path):
    assert links(path, "leviathan.analysis.lost_in", "-2") == {1: [2]}
    assert links(path, "leviathan.acked_in", "-2") == {1: [3]}


@conversation(client(hello()), server(hello(acks=[1001]), 0.999), client(echo(2, 1002, acks=[1001]), 1.5))
def test_packet_that_is_confirmed_in_time_is_not_lost(path):
    assert frames(path, "leviathan.analysis.lost", "-2") == {}


@conversation(*(client(echo(number, 1000 + number), number) for number in range(1, 9)))
def test_without_the_other_side_no_losses_are_reported(path):
    assert frames(path, "leviathan.analysis.lost", "-2") == {}


@conversation(client(hello()), client(echo(2, 1002), 0.1), server(ack_only(1001), 0.2), server(hello() + ack_only(1002), 0.3))
def test_ack_only_packets_acknowledge_and_ignored_blocks_do_not(path):
    assert links(path, "leviathan.acked_in", "-2") == {1: [3]}
    assert values(path, "leviathan.ignored_ack") == [[], [], [], ["1002"]]


@conversation(client(hello()), client(echo(2, 1002), 0.1), server(ack_only(1001) + b"\0\0\3\xea", 0.2))
def test_bytes_after_an_ack_only_packet_are_not_acks(path):
    assert links(path, "leviathan.acked_in", "-2") == {1: [3]}


# ---- a long random session, compared with a simple model -------------------------------------------------------


class Sender:
    """Ids increase, with gaps; packets are duplicated, resent and swapped with the previous one."""

    def __init__(self, source):
        self.source, self.packet_id, self.number = source, 1000, 0
        self.seen, self.messages, self.asked, self.log = {}, {}, {}, []

    def next_packet(self, peer):
        """(packet id, message number, response to, acks)"""
        source = self.source
        if self.log and source.random() < 0.1:
            return source.choice(self.log[-40:])
        self.packet_id += 1 if source.random() < 0.9 else source.randrange(2, 5000)
        number = self.number + 1
        if self.number and source.random() < 0.15:
            number = source.randrange(max(1, self.number - 60), self.number + 1)
        self.number = max(self.number, number)
        asked = source.choice(list(peer.messages)[-60:]) if peer.messages and source.random() < 0.4 else 0
        asked = self.asked.setdefault(number, asked)  # a resend has the same bytes
        newest = max(peer.seen, default=0)
        near = [one for one in peer.seen if newest - one < 32]
        acks = sorted(source.sample(near, source.randrange(len(near) + 1)))
        packet = (self.packet_id, number, asked, acks)
        self.log.append(packet)
        return packet


def payload_of(packet):
    """Odd numbers are requests: the kind of a resent message does not change."""
    packet_id, number, asked, acks = packet
    message = request(number, ECHO) if number % 2 else response(number, NONE, asked)
    return normal(packet_id, message, acks=acks)


def random_session(seed, length):
    """(side, packet) in the order of the capture."""
    source = random.Random(seed)
    senders = (Sender(source), Sender(source))
    order = []
    for _ in range(length):
        side = source.randrange(2)
        packet = senders[side].next_packet(senders[1 - side])
        order.append((side, packet))
        if len(order) > 1 and source.random() < 0.1:
            order[-2:] = order[-1], order[-2]
        senders[side].seen.setdefault(packet[0], True)
        senders[side].messages.setdefault(packet[1], True)
    return order


class Model:
    def __init__(self, order):
        self.packets, self.messages = ({}, {}), ({}, {})
        self.acked_in, self.response_to, self.first_send, self.duplicate_of = {}, {}, {}, {}
        for frame, (side, packet) in enumerate(order, 1):
            self.follow(frame, side, *packet)

    def follow(self, frame, side, packet_id, number, asked, acks):
        own, peer = self.packets[side], self.packets[1 - side]
        for one in acks:
            if one in peer:
                self.acked_in.setdefault(peer[one], frame)
        self.follow_answer(frame, 1 - side, number, asked)
        if packet_id in own:
            self.duplicate_of[frame] = own[packet_id]
            return
        own[packet_id] = frame
        first_frame, first_packet = self.messages[side].setdefault(number, (frame, packet_id))
        if packet_id > first_packet:
            self.first_send[frame] = first_frame

    def follow_answer(self, frame, peer, number, asked):
        if number % 2 == 0 and asked % 2 and asked in self.messages[peer]:
            self.response_to[frame] = self.messages[peer][asked][0]


ORDERS = [random_session(seed, 3000) for seed in range(3)]
TRACKED = ("leviathan.analysis.duplicate_of", "leviathan.analysis.first_send", "leviathan.response_to", "leviathan.acked_in")


@functools.lru_cache(maxsize=None)
def decoded_sessions():
    """Each session's packets, with the frames that they refer to."""
    ends, paths = (client, server), []
    for seed, order in enumerate(ORDERS):
        packets = (ends[side](payload_of(packet), frame / 1000) for frame, (side, packet) in enumerate(order))
        paths.append(tshark.write_pcap(tshark.scratch() / f"random-{seed}.pcap", packets))
    prefs = {**leviathan.PORTS, "leviathan.ack_numbering": "engine"}
    return list(tshark.fields_of_each(paths, TRACKED, "-2", prefs=prefs).values())


@pytest.mark.parametrize("seed", range(len(ORDERS)))
def test_a_long_random_session_agrees_with_a_simple_model(seed):
    packets, expected = decoded_sessions()[seed], Model(ORDERS[seed])

    def found(name):
        return {frame: int(packet[name][0]) for frame, packet in enumerate(packets, 1) if packet[name]}

    assert found("leviathan.analysis.duplicate_of") == expected.duplicate_of
    assert found("leviathan.analysis.first_send") == expected.first_send
    assert found("leviathan.response_to") == expected.response_to
    assert found("leviathan.acked_in") == expected.acked_in
    assert expected.duplicate_of and expected.first_send and expected.response_to and expected.acked_in


ODD, EVEN = range(1, 511, 2), range(2, 512, 2)


@conversation(
    client(normal(1001, *(request(number, KEEPALIVE) for number in ODD))),
    server(normal(1002, *(response(number, NONE, asked) for number, asked in zip(EVEN, ODD)), acks=[1001]), 0.1),
    client(normal(1003, *(request(number, KEEPALIVE) for number in ODD), acks=[1002]), 0.2),
)
def test_all_of_255_messages_are_tracked(path):
    """The count is a byte, so this is the maximum. Each request is linked to its response, each response to its
    request, each resent message to its first send."""
    assert frames(path, "leviathan.response_in", "-2") == {1: ["2"] * 255, 3: ["2"] * 255}
    assert frames(path, "leviathan.response_to", "-2") == {2: ["1"] * 255}
    assert frames(path, "leviathan.analysis.first_send", "-2") == {3: ["1"] * 255}


# ---- acks ----------------------------------------------------------------------------------------------------


@conversation(client(b"Ln" + u32(1002, 1001) + bytes.fromhex("04 0b020080 01") + response(2, KEEPALIVE)))
def test_the_example_of_the_ack_field(path):
    """000003e9 04 0b 02 00 80 is 1001, 1002, 1004, 1010, 1032."""
    assert values(path, "leviathan.ack") == [["1001", "1002", "1004", "1010", "1032"]]
    assert tshark.info_column(path, prefs=leviathan.PORTS) == ["1002  Response Keepalive #2, acks 1001-1002, 1004, 1010, 1032"]
    item = leviathan.decode(path, prefs=leviathan.PORTS)[0]
    assert item.all("leviathan.packed_acks")[0].label == "Packed acks: 1001-1002, 1004, 1010, 1032"
    assert [one.label for one in item.all("leviathan.ack")] == [
        ".... ...1 = Acknowledged packet: 1001",
        ".... ..1. = Acknowledged packet: 1002",
        ".... 1... = Acknowledged packet: 1004",
        ".... ..1. = Acknowledged packet: 1010",
        "1... .... = Acknowledged packet: 1032",
    ]
    assert [one.pos - item.pos for one in item.all("leviathan.ack")] == [11, 11, 11, 12, 14]
    prefs = {"leviathan.ack_numbering": "documentation"}
    assert values(path, "leviathan.ack", prefs=prefs) == [["1002", "1003", "1005", "1011", "1033"]]


@pytest.mark.parametrize("name", leviathan.NAMES)
def test_numbering_of_acks_is_recognized(name):
    documented = "1" if name == "session-documented-acks" else "0"
    path, prefs = leviathan.capture(name), leviathan.preferences(name)
    found = values(path, "leviathan.ack_numbering", "-2", prefs=prefs)
    assert {one for values in found for one in values} == {documented}


def test_the_tree_has_the_numbering_and_the_reason():
    path = leviathan.capture("session-documented-acks")
    reasons = frames(path, "leviathan.ack_numbering.reason", "-2")
    proofs = links(path, "leviathan.ack_numbering.proof", "-2")
    # Frame 11 is the first whose acks, in the engine's numbering, would be for packet 5, which was not captured.
    assert {tuple(found) for found in proofs.values()} == {(11,)}
    assert all("proved: the engine's numbering" in found[0] for found in reasons.values())
    reasons = frames(leviathan.capture("session"), "leviathan.ack_numbering.reason", "-2")
    assert all("proved: the documented numbering" in found[0] for found in reasons.values())


@conversation(client(echo(50, 1060)), server(normal(1070, response(80, NONE), acks=[1050]), 0.1))
def test_without_proof_the_engines_numbering_is_assumed(path):
    assert "assumed" in frames(path, "leviathan.ack_numbering.reason", "-2")[2][0]
    assert frames(path, "leviathan.ack_numbering", "-2") == {2: ["0"]}


@pytest.mark.parametrize("choice,number", (("engine", "0"), ("documentation", "1")))
def test_preference_has_precedence_over_the_conversation(choice, number):
    for name in ("session", "session-documented-acks"):
        prefs = {"leviathan.ack_numbering": choice}
        path = leviathan.capture(name)
        assert {found[0] for found in frames(path, "leviathan.ack_numbering", prefs=prefs).values()} == {number}
        reasons = frames(path, "leviathan.ack_numbering.reason", prefs=prefs)
        assert {found[0] for found in reasons.values()} == {"chosen in the preferences"}


@conversation(
    client(hello()),
    server(hello(acks=[1001], documented=True), 0.1),
    client(echo(2, 1002, acks=[1001], documented=True), 0.2),
)
def test_documented_numbering_from_the_first_ack_on_is_the_same_on_both_passes(path):
    for args in ((), ("-2",)):
        assert values(path, "leviathan.ack", *args) == [[], ["1001"], ["1001"]]
        assert links(path, "leviathan.acks_frame", *args) == {2: [1], 3: [2]}


@conversation(
    *sent_packets(8),
    server(hello(acks=[1008], documented=True), 0.1),
    server(normal(1002, response(2, KEEPALIVE), acks=[1001], documented=True), 0.2),
)
def test_losses_are_determined_again_once_the_documented_numbering_is_proven(path):
    """1008 was acknowledged before the proof, in the engine's numbering 1007: 1003 was not lost. The proof acknowledges 1001."""
    assert links(path, "leviathan.analysis.lost_in", "-2") == {2: [10], 3: [10]}


def test_acks_are_limited_to_those_shown(udp_capture):
    """255 bytes of acks: 2,040 packets, of which the tree shows 64, and a note."""
    payload = b"Ln" + u32(1002, 1) + b"\xff" + b"\xff" * 255 + b"\x01" + response(2, KEEPALIVE)
    path = udp_capture(client(payload))
    # Such a count is not evidence, so the heuristic would not accept the packet.
    args = ("-d", f"udp.port=={tshark.SERVER_PORT},leviathan")
    assert len(values(path, "leviathan.ack", *args)[0]) == 64
    assert values(path, "leviathan.acks_not_shown", *args) == [[str(2040 - 64)]]


# Two buffers of one frame, each beginning at 0: Leviathan's packets inside another protocol.
CARRIER = """
local carrier = Proto("carrier", "Carrier")
function carrier.dissector(buffer, pinfo, tree)
    local leviathan, first = Dissector.get("leviathan"), buffer(0, 1):uint()
    if first == 0x4c then return leviathan:call(buffer, pinfo, tree) end
    leviathan:call(buffer:bytes(1, first):tvb("First"), pinfo, tree)
    leviathan:call(buffer:bytes(1 + first):tvb("Second"), pinfo, tree)
    return buffer:len()
end
DissectorTable.get("udp.port"):add(41001, carrier)
"""


def test_two_buffers_of_a_frame_are_distinguished_on_the_second_pass(tmp_path, udp_capture):
    """Only one of the two is acknowledged."""
    script = tmp_path / "carrier.lua"
    script.write_text(CARRIER, encoding="utf-8")
    first, second = normal(1002, *(request(n, ECHO) for n in range(1, 5))), normal(1003, request(5, ECHO))
    for one, other in ((first, second), (second, first)):
        for acked in (1002, 1003):
            path = udp_capture(client(bytes([len(one)]) + one + other), server(ack_only(acked), 0.1))
            found = tshark.fields(path, ["leviathan.acked_in"], "-2", "-X", f"lua_script:{tshark.readable(script)}")
            assert [packet["leviathan.acked_in"] for packet in found] == [["2"], []]


def connected(time):
    return [client(hello(), time), server(hello(), time + 0.1),
            server(normal(1002, response(2, CONNECT, 1, u32(42)), acks=[1001]), time + 0.2)]


@conversation(
    *connected(0),
    client(normal(1002, response(2, CLOSE), acks=[1001, 1002]), 0.5),
    *connected(1)[:1],
    server(normal(1003, response(3, CLOSE), acks=[1001, 1002]), 1.05),
    *connected(1)[1:],
)
def test_a_close_that_crosses_a_reconnection_is_of_the_connection_before(path):
    """The client closes and says hello again before the server's close arrives."""
    assert values(path, "leviathan.response_to", "-2") == [[], [], ["1"], [], [], [], [], ["5"]]
    assert frames(path, "leviathan.analysis.ack.unseen", "-2") == {}


# ---- packets before the proof: dissected on the second pass only -----------------------------------------------

LINKS = ("leviathan.acked_in", "leviathan.acks_frame", "leviathan.response_in", "leviathan.response_to",
         "leviathan.analysis.resent_in", "leviathan.analysis.first_send", "leviathan.unanswered",
         "leviathan.analysis.ack.unseen", "leviathan.analysis.request.unseen")


def links_of(path, prefs=()):
    return [{name.removeprefix("leviathan."): packet[name] for name in LINKS if packet[name]}
            for packet in packets_of(path, "-2", prefs=prefs)]


def are_dissected(path, *args):
    return [bool(packet["leviathan"]) for packet in packets_of(path, *args)]


BEFORE_THE_PROOF = [client(normal(1001, request(1, ECHO))), server(normal(1, response(1, NONE, 1), acks=[1001]), 0.1)]
before_the_proof = conversation(*BEFORE_THE_PROOF)


@before_the_proof
def test_packets_before_the_proof_have_links(path):
    """The second packet has the evidence that was missing; the first one is dissected on the second pass."""
    assert not are_dissected(path)[0]
    assert links_of(path) == [{"acked_in": ["2"], "response_in": ["2"]}, {"acks_frame": ["1"], "response_to": ["1"]}]


@before_the_proof
def test_acks_of_packets_before_the_proof_are_known_on_the_first_pass(path):
    packet = packets_of(path)[1]
    assert packet["leviathan.acks_frame"] == packet["leviathan.response_to"] == ["1"]


# The capture begins in the middle of a connection: the first packets are dissected on the second pass only.
LATER = {first: tshark.cut_beginning(leviathan.capture("session"), tshark.scratch() / f"from-{first}.pcap", first)
         for first in (11, 17, 20, 44)}
TOGETHER.append(list(LATER.values()))


@pytest.mark.parametrize("first", LATER)
def test_the_links_do_not_depend_on_how_the_packets_were_found(first):
    path = LATER[first]
    assert not are_dissected(path)[0] and all(are_dissected(path, "-2"))
    assert links_of(path) == links_of(path, prefs=leviathan.PORTS)


OTHER_PROTOCOL = client(b"hello, world", 0.05)


@pytest.mark.parametrize("path", [
    written(BEFORE_THE_PROOF[0], OTHER_PROTOCOL, BEFORE_THE_PROOF[1], client(proof, 0.2))
    for proof in (normal(1002, request(2, ECHO)), hello(1002, 2))
], ids=["echo", "hello"])
def test_packets_of_a_row_that_another_protocol_ended_have_no_links(path):
    """They are not dissected, and packets of the next row do not refer to them."""
    assert are_dissected(path, "-2") == [False, False, True, True]
    assert links_of(path)[2] == {}


@conversation(BEFORE_THE_PROOF[0], OTHER_PROTOCOL, server(hello(1, acks=[1001]), 0.1))
def test_a_proof_after_another_protocol_has_no_links_to_packets_before_it(path):
    assert links_of(path) == [{}, {}, {"unanswered": ["1"]}]


@before_the_proof
def test_a_candidate_that_a_port_selects_is_no_duplicate(path):
    prefs = {**leviathan.PORTS, "udp.try_heuristic_first": True}
    assert links_of(path, prefs) == links_of(path)
    assert frames(path, "leviathan.analysis.duplicate", prefs=prefs) == {}


def test_the_captured_beginning_of_a_block_is_no_trailing_byte(tmp_path):
    cut = tshark.cut_packets(leviathan.capture("session"), tmp_path / "cut.pcap", 67)
    cut_short, unusual = tshark.counts(cut, ["frame.len > 67 && leviathan", "leviathan.trailing.unusual"])
    assert cut_short and not unusual
