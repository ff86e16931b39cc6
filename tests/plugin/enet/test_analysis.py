# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""ENet's analysis, compared with what a lossy relay did to a session, which was captured at both ends of it.

The relay logged the datagrams that it dropped, copied and delayed; libenet's structures show what each end sent. The
expected findings follow from both logs.
"""

import struct
from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import ack, checksummed, connect, datagram, fragment, ping, reliable, unreliable, unsequenced, verify

FOLDER = tshark.PCAPS / "enet"
LOSSY = ["lossy-client", "lossy-server", "lossy-range-coder-client", "lossy-range-coder-server"]

RETRANSMISSION = "enet.analysis.retransmission"
REPEATED = "enet.analysis.command_repeated"  # without a payload
SPURIOUS = "enet.analysis.spurious_retransmission"
DUPLICATE = "enet.analysis.duplicate"
DUPLICATE_ACK = "enet.analysis.duplicate_ack"
OUT_OF_ORDER = "enet.analysis.out_of_order"
GAP = "enet.analysis.gap"
LOST = "enet.analysis.lost_messages"
FINDINGS = (RETRANSMISSION, REPEATED, SPURIOUS, DUPLICATE, DUPLICATE_ACK, OUT_OF_ORDER, GAP, LOST)


def records(name):
    return gamewire_records.read("enet", name)


def relay_of(name):
    return records(name.rsplit("-", 1)[0] + ".relay")


@lru_cache(maxsize=None)
def found_in_all():
    """{capture: each packet's findings and links}, with one start of tshark for all lossy captures."""
    names = (*FINDINGS, "enet.analysis.first_send", "enet.analysis.acks_frame", "enet.analysis.ack_rtt",
             "enet.analysis.resend_number", "enet.analysis.lost", "_ws.expert.message")
    return tshark.fields_of_each([FOLDER / f"{name}.pcap" for name in LOSSY], names, "-2")


def found(name):
    """Each packet's findings and links, on the second pass."""
    return found_in_all()[FOLDER / f"{name}.pcap"]


# ---- expected findings from the logs -------------------------------------------------------------


class Sending(NamedTuple):
    frame: int
    sent_time: int
    serial: int


def is_reliable(command):
    return command["acknowledge"] or (command["channel"] == 255 and command["command"] != "ACKNOWLEDGE")


def key_of(record, command):
    return record["host"], command["channel"], command["sequence"]


def first_serials(name):
    """For each reliable command of both ends, the datagram of its first transmission, by the log at its own end."""
    base = name.rsplit("-", 1)[0]
    first = {}
    for end in ("client", "server"):
        for record in records(f"{base}-{end}"):
            if record["host"].startswith(end):
                for command in record["commands"]:
                    if is_reliable(command):
                        first.setdefault(key_of(record, command), record["serial"])
    return first


def expected(name):
    """The expected findings of each frame, as a set of names: from the order of arrival, the sent times and the
    sender's log."""
    sendings, highest, acked = defaultdict(list), defaultdict(int), set()
    arrived, first = defaultdict(set), first_serials(name)
    for record in records(name):
        findings = set()
        copy = record["serial"] in arrived[record["host"]]
        arrived[record["host"]].add(record["serial"])
        for command in record["commands"]:
            if command["command"] == "ACKNOWLEDGE":
                continue
            if not is_reliable(command):
                continue
            key = key_of(record, command)
            channel, number = key[:2], command["sequence"]
            if copy:
                findings.add(DUPLICATE)
            elif sendings[key]:
                findings.add(SPURIOUS if key in acked else RETRANSMISSION if "length" in command else REPEATED)
            elif number > highest[channel] + 1:
                findings.add(GAP)
            elif number < highest[channel]:
                findings.add(RETRANSMISSION if record["serial"] != first[key] else OUT_OF_ORDER)
            highest[channel] = max(highest[channel], number)
            sendings[key].append(Sending(record["n"], record.get("sent_time"), record["serial"]))
        other = {"client1": "server", "server": "client1"}.get(record["host"])
        for command in record["commands"]:
            if command["command"] == "ACKNOWLEDGE":
                acked.add((other, command["channel"], command["sequence"]))
        yield record, findings


RELIABLE_FINDINGS = {RETRANSMISSION, REPEATED, SPURIOUS, GAP}


@pytest.mark.parametrize("name", LOSSY)
def test_retransmissions_and_gaps_equal_the_logs(name):
    for (record, findings), packet in zip(expected(name), found(name)):
        seen = {finding for finding in RELIABLE_FINDINGS if packet[finding]}
        assert seen == findings & RELIABLE_FINDINGS, (name, record["n"], record["commands"])


@pytest.mark.parametrize("name", LOSSY)
def test_the_relays_copies_are_duplicates(name):
    relay = relay_of(name)
    copies = {entry["frames"][name][1] for entry in relay if len(entry["frames"].get(name, [])) == 2}
    assert copies
    for record, packet in zip(records(name), found(name)):
        numbered = any(command["command"] != "ACKNOWLEDGE" for command in record["commands"])
        assert bool(packet[DUPLICATE]) == (record["n"] in copies and numbered), record["n"]
        if record["n"] in copies:
            assert packet[DUPLICATE] or packet[DUPLICATE_ACK], record["n"]


@pytest.mark.parametrize("name", LOSSY)
def test_datagrams_that_others_overtook_are_out_of_order(name):
    """Each marked datagram was overtaken; and each that was overtaken by a higher number of its channel is marked."""
    highest = defaultdict(int)
    for (record, findings), packet in zip(expected(name), found(name)):
        overtaken = record["serial"] < highest[record["host"]]
        highest[record["host"]] = max(highest[record["host"]], record["serial"])
        if packet[OUT_OF_ORDER]:
            assert overtaken, record["n"]
        if OUT_OF_ORDER in findings:
            assert packet[OUT_OF_ORDER], record["n"]


def sendings_of(name):
    by_key = defaultdict(list)
    for record in records(name):
        for command in record["commands"]:
            if is_reliable(command):
                by_key[key_of(record, command)].append(Sending(record["n"], record.get("sent_time"), record["serial"]))
    return by_key


@pytest.mark.parametrize("name", LOSSY)
def test_acknowledgements_are_linked_to_the_transmission_that_they_acknowledge(name):
    """Found by the repeated sent time: an acknowledged resend is linked, not its first transmission."""
    by_key, times = sendings_of(name), [record["time"] for record in records(name)]
    checked = 0
    for record, packet in zip(records(name), found(name)):
        other = "server" if record["host"].startswith("client") else "client1"
        frames = []
        for command in record["commands"]:
            if command["command"] != "ACKNOWLEDGE":
                continue
            sendings = [sending for sending in by_key[other, command["channel"], command["sequence"]]
                        if sending.frame < record["n"]]
            same = [sending for sending in sendings if sending.sent_time == command["acknowledged_sent_time"]]
            if sendings:
                frames.append((same or sendings)[0].frame)
        assert [int(frame) for frame in packet["enet.analysis.acks_frame"]] == frames, record["n"]
        checked += len(frames)
    assert checked > 100 and times


@pytest.mark.parametrize("name", ["lossy-client", "lossy-range-coder-client"])
def test_round_trips_are_within_the_relays_delays(name):
    """The relay delays the client's datagrams and their acknowledgements; libenet adds the delay of its loop."""
    relay = relay_of(name)
    shortest = min(delay for entry in relay for delay in entry["delays"])
    longest = max(delay for entry in relay for delay in entry["delays"])
    round_trips = [float(time) for record, packet in zip(records(name), found(name)) if record["host"] == "server"
                   for time in packet["enet.analysis.ack_rtt"]]
    assert len(round_trips) > 50
    assert min(round_trips) >= 2 * shortest / 1000 * 0.9
    assert sorted(round_trips)[len(round_trips) * 9 // 10] <= 2 * longest / 1000 + 0.05


@pytest.mark.parametrize("name", LOSSY)
def test_retransmissions_are_linked_to_the_first_transmission(name):
    by_key = sendings_of(name)
    for record, packet in zip(records(name), found(name)):
        links = [by_key[key_of(record, command)][0].frame for command in record["commands"]
                 if is_reliable(command) and by_key[key_of(record, command)][0].frame < record["n"]]
        if packet[RETRANSMISSION] and packet["enet.analysis.first_send"]:
            assert [int(frame) for frame in packet["enet.analysis.first_send"]] == links, record["n"]


def test_a_retransmission_without_its_first_transmission_is_reported_as_such():
    """The relay dropped the datagram with the server's first transmission of command 7 on channel 0 before it was
    captured."""
    (sent,) = [record["serial"] for record in records("lossy-server") if record["host"].startswith("server")
               and any(command.get("fragment_offset") == 0 and key_of(record, command) == ("server", 0, 7)
                       for command in record["commands"])][:1]
    (fate,) = [entry["fate"] for entry in relay_of("lossy-client")
               if entry["direction"] == "to_client" and entry["serial"] == sent]
    assert fate == "dropped"
    packets = {frame: packet for frame, packet in enumerate(found("lossy-client"), 1) if packet[RETRANSMISSION]}
    assert packets[100]["_ws.expert.message"] == ["Retransmission: the first transmission was not captured"]
    for packet in packets.values():
        unseen = [text for text in packet["_ws.expert.message"] if "the first transmission was not captured" in text]
        seen = [text for text in packet["_ws.expert.message"] if text == "Retransmission"]
        assert len(seen) == len(packet["enet.analysis.first_send"]) == len(packet["enet.analysis.resend_number"])
        assert seen or unseen


@pytest.mark.parametrize("name", LOSSY)
def test_each_dropped_reliable_command_is_retransmitted_by_its_sender(name):
    """At the sender: a datagram that the relay dropped is resent, and the later frame is marked."""
    end = name.rsplit("-", 1)[1]
    direction = "to_server" if end == "client" else "to_client"
    dropped = {entry["serial"] for entry in relay_of(name)
               if entry["direction"] == direction and entry["fate"] == "dropped"}
    by_key, packets = sendings_of(name), found(name)
    resent = 0
    for record in records(name):
        if not record["host"].startswith(end) or record["serial"] not in dropped:
            continue
        for command in record["commands"]:
            later = [sending for sending in by_key.get(key_of(record, command), []) if sending.frame > record["n"]]
            if is_reliable(command) and later:
                assert packets[later[0].frame - 1][RETRANSMISSION]
                resent += 1
    assert resent


@pytest.mark.parametrize("name", LOSSY)
def test_missing_unreliable_messages_are_counted_from_their_numbers(name):
    """In each group after a reliable command the numbers begin at 1; the numbers of unsequenced groups continue."""
    highest, total = defaultdict(lambda: (0, 0)), 0
    for record, packet in zip(records(name), found(name)):
        missing = 0
        for command in record["commands"]:
            kind = command["command"]
            if kind == "SEND_UNSEQUENCED":
                key, number = (record["host"], kind), (0, command["unsequenced_group"])
            elif kind in ("SEND_UNRELIABLE", "SEND_UNRELIABLE_FRAGMENT"):
                sub = command.get("unreliable_sequence", command.get("start_sequence"))
                key, number = (record["host"], command["channel"]), (command["sequence"], sub)
            else:
                continue
            before = highest[key]
            if number > before:
                missing += number[1] - (before[1] if number[0] == before[0] else 0) - 1
                highest[key] = number
        assert sum(int(lost) for lost in packet["enet.analysis.lost"]) == missing, record["n"]
        total += missing
    # The server sends hardly any that the relay drops on their way to the client.
    assert total or name == "lossy-client"


def test_both_passes_have_the_same_findings():
    names = [*FINDINGS, "enet.analysis.acks_frame", "enet.analysis.ack_rtt", "enet.analysis.lost", "enet.connection"]
    capture = FOLDER / "lossy-client.pcap"
    assert tshark.fields(capture, names) == tshark.fields(capture, names, "-2")


# ---- commands that the receiver does not execute -------------------------------------------------

DECODE_AS = ("-d", f"udp.port=={tshark.SERVER_PORT},enet")
CONNECTED = [tshark.request(connect()), tshark.reply(verify(), 0.1)]
STATE = ("enet.connection", *FINDINGS, "enet.analysis.too_far_ahead", "enet.analysis.channel.invalid",
         "enet.analysis.ack.unseen", "enet.analysis.bandwidth_changed", "enet.analysis.stale")


def client(time, commands, header=0x8001):
    """A datagram of the client; each has a different sent time."""
    return tshark.request(datagram(commands, header, int(time * 1000)), time)


CONVERSATIONS = tshark.Conversations()
written, conversation = CONVERSATIONS.write, CONVERSATIONS.of_test


def connected(*packets):
    return written(*CONNECTED, *packets)


@lru_cache(maxsize=None)
def all_fields(*args):
    """{capture: each packet's values} of CONVERSATIONS, with one start of tshark. Connections have the numbers that they would
    have in the capture alone."""
    names = (*STATE, "enet.connect.response_to", "enet.connect.response_time", "enet.checksum.status", "enet.analysis.acks_frame",
             "enet.analysis.ack_rtt", "enet.analysis.bytes_in_flight", "enet.analysis.lost", "enet.group", "enet.fragment.number",
             "enet.reassembly.length", "enet.cut_short", "_ws.col.Info")
    every = tshark.fields_of_each(CONVERSATIONS, names, *DECODE_AS, *args)
    for packets in every.values():
        first = min((int(number) for packet in packets for number in packet["enet.connection"]), default=0)
        for packet in packets:
            packet["enet.connection"] = [str(int(number) - first) for number in packet["enet.connection"]]
    return every


def fields(path, names, *args):
    """Each packet's values of some fields."""
    return [{name: packet[name] for name in names} for packet in all_fields(*args)[path]]


def infos(path):
    return [packet["_ws.col.Info"][0] for packet in all_fields()[path]]


def findings_of(path):
    """The findings of the last datagram, which is of the first connection."""
    last = fields(path, STATE)[-1]
    assert last.pop("enet.connection") == ["0"]
    return {name for name, values in last.items() if values}


BANDWIDTH = struct.pack(">BBHII", 0x8A, 0xFF, 2, 3000, 0)

# The rejected datagram, and the next one, which must have no findings.
REFUSED = {
    "a message on channel 255": (reliable(2, channel=0xFF), ping(2)),
    "a fragment number not below the count": (fragment(count=1, sequence=8), reliable(1)),
    "no fragments": (fragment(count=0, sequence=8), reliable(1)),
    "a total length above 32 MiB": (fragment(total=(32 << 20) + 1), reliable(1)),
    "an offset not below the total length": (fragment(offset=10), reliable(1)),
    "an end after the total length": (fragment(offset=7), reliable(1)),
    "CONNECT to a peer": (connect(connect_id=1)[4:], reliable(1)),
    "what follows what is refused": (reliable(1, channel=0xFF) + reliable(5) + BANDWIDTH, reliable(1)),
    "a channel that does not exist, and what follows": (reliable(1, channel=3) + reliable(5), reliable(1)),
    "a command on another channel": (ping(5, channel=0), reliable(1)),
    "a reliable number too far ahead": (reliable(28672), reliable(1)),
    "an unreliable number too far ahead": (unreliable(28672, 1), unreliable(0, 1)),
}


@pytest.mark.parametrize("path", [connected(client(1, refused), client(2, sound)) for refused, sound in REFUSED.values()],
                         ids=REFUSED)
def test_a_rejected_command_changes_no_numbers(path):
    assert not findings_of(path)


@conversation(*CONNECTED, client(1, reliable(7), 0x8FFF), client(2, reliable(1)))
def test_commands_to_no_peer_change_no_numbers(path):
    """Only CONNECT may be sent to no peer."""
    assert not findings_of(path)


@conversation(*CONNECTED, client(1, reliable(1) + reliable(5), 0x0001), client(2, reliable(2)))
def test_without_a_sent_time_only_the_first_command_that_needs_one_is_executed(path):
    assert not findings_of(path)


@pytest.mark.parametrize("path", [
    connected(tshark.request(connect(channels=channels, connect_id=1), 1), client(2, reliable(1))) for channels in (0, 256)
], ids=["no channels", "too many"])
def test_a_rejected_connect_begins_no_connection(path):
    """The connection continues after it."""
    assert not findings_of(path)


@conversation(*CONNECTED, client(1, verify(connect_id=1, sequence=2)[4:]), client(2, reliable(1)))
def test_a_clients_verify_connect_begins_no_connection(path):
    """Only servers send VERIFY_CONNECT."""
    assert not findings_of(path)


STALE = {header: client(1, reliable(5), header) for header in (0x8002, 0x9001)}


@pytest.mark.parametrize("path", map(connected, STALE.values()), ids=["peer", "session"])
def test_another_peer_id_or_session_is_stale(path):
    assert findings_of(path) == {"enet.analysis.stale"}
    assert infos(path)[-1] == "[Stale] Reliable ch=0 seq=5 len=3"


@pytest.mark.parametrize("path", [connected(stale, client(2, reliable(1))) for stale in STALE.values()], ids=["peer", "session"])
def test_a_stale_datagram_changes_no_numbers(path):
    assert not findings_of(path)


def restarted(*acked):
    sent = [tshark.request(datagram(reliable(number), 0x8002, time), 100 + number) for number, time in ((1, 500), (2, 700))]
    answers = [tshark.reply(datagram(ack(*of), 0), sent[i].time + 0.1) for i, of in enumerate((acked, (2, 700)))]
    return connected(sent[0], answers[0], sent[1], answers[1])


@pytest.mark.parametrize("passes", [(), ("-2",)])
@pytest.mark.parametrize("path, connections", [
    (restarted(1, 500), "0111"), (restarted(2, 500), "0001"), (restarted(1, 501), "0001"),
], ids=["acknowledged", "another number", "another time"])
def test_an_acknowledged_stale_command_is_of_a_new_connection(path, connections, passes):
    """A client that was restarted has another slot at the server, but its own slot is the first one again. The server
    has dropped the datagram unless it acknowledges the command, by its number and its sent time."""
    found = all_fields(*passes)[path][len(CONNECTED):]
    is_late = connections == "0001"
    assert "".join(packet["enet.connection"][0] for packet in found) == connections
    assert [bool(packet["enet.analysis.stale"]) for packet in found] == [True, False, is_late, False]
    assert [bool(packet["enet.analysis.ack.unseen"]) for packet in found] == [False, is_late, False, False]


def of_session(session):
    return written(tshark.request(connect()), tshark.reply(verify(sessions=(1, 2)), 0.1),
                   tshark.reply(datagram(ping(2), 0x8000 | session << 12), 1))


@pytest.mark.parametrize("path, stale", [(of_session(1), False), (of_session(2), True)], ids=["first", "second"])
def test_the_servers_session_is_the_first_of_verify_connect(path, stale):
    """The second is the client's."""
    assert bool(all_fields()[path][-1]["enet.analysis.stale"]) == stale


@conversation(tshark.reply(verify(header=0x8004), 0.1), client(1, reliable(1)),
              *(tshark.reply(datagram(ping(number), header), number) for number, header in ((2, 0x8004), (3, 0x8005))))
def test_without_the_connect_the_servers_header_shows_the_clients_peer_id(path):
    """The server's later datagrams must have the same peer id; those after VERIFY_CONNECT have it, the last one does
    not."""
    found = all_fields()[path]
    assert [packet["enet.connection"] for packet in found] == [["0"]] * 4
    assert [bool(packet["enet.analysis.stale"]) for packet in found] == [False, False, False, True]


@conversation(*CONNECTED, client(1, reliable(5), 0x9001), tshark.reply(datagram(ping(9), 0x9000), 1.1),
              client(2, reliable(6), 0x9001))
def test_another_session_on_both_sides_is_another_connection(path):
    """The handshake of the second connection was not captured."""
    found = all_fields()[path]
    assert [packet["enet.connection"] for packet in found] == [["0"], ["0"], ["0"], ["1"], ["1"]]
    assert [bool(packet["enet.analysis.stale"]) for packet in found] == [False, False, True, False, False]


CONNECT_ID = 0x010B5747
WITH_CHECKSUMS = [tshark.request(checksummed(connect(), 0)), tshark.reply(checksummed(verify(), CONNECT_ID), 0.1)]


@conversation(*WITH_CHECKSUMS, tshark.request(checksummed(datagram(reliable(9), sent_time=1), CONNECT_ID, wrong=1), 1),
              tshark.request(checksummed(datagram(reliable(1), sent_time=2), CONNECT_ID), 2))
def test_a_datagram_with_a_wrong_checksum_changes_no_numbers(path):
    found = all_fields()[path]
    assert [packet["enet.checksum.status"] for packet in found] == [["1"], ["1"], ["0"], ["1"]]
    assert not any(found[-1][name] for name in FINDINGS)


@conversation(*WITH_CHECKSUMS, *(tshark.request(checksummed(datagram(reliable(1, bytes(200)), sent_time=1), CONNECT_ID), time,
                                                captured=100) for time in (1, 2)))
def test_a_datagram_that_the_capture_cut_counts_though_its_checksum_is_not_known(path):
    found = all_fields()[path]
    assert [packet["enet.checksum.status"] for packet in found] == [["1"], ["1"], ["2"], ["2"]]
    assert [[name for name in FINDINGS if packet[name]] for packet in found] == [[], [], [], [DUPLICATE]]


@conversation(
    *CONNECTED,
    *(tshark.request(datagram(reliable(number, bytes(200)), sent_time=number), number, captured=100) for number in (1, 2)),
    client(3, reliable(3)),
    tshark.reply(datagram(b"".join(ack(n, sent_time=n) for n in (1, 2)), 0x0000), 3.5),
)
def test_commands_whose_payload_the_capture_cut_count(path):
    """The numbers of all commands are captured."""
    found = fields(path, [*FINDINGS, "enet.analysis.acks_frame", "enet.analysis.ack.unseen"])
    assert found[-1].pop("enet.analysis.acks_frame") == ["3", "4"]
    assert not any(values for packet in found for values in packet.values())
    assert infos(path)[2] == "Reliable ch=0 seq=1 len=200"


@pytest.mark.parametrize("path, lost", [
    (connected(tshark.request(datagram(reliable(1, bytes(200)) + unreliable(1, 1), sent_time=1), 1, captured=100),
               client(2, unreliable(1, 2))), []),
    (connected(tshark.request(datagram(unreliable(0, 1, bytes(200)), sent_time=1), 1, captured=100), client(2, unreliable(0, 3))),
     ["1"]),
], ids=["cut before a command", "cut in the last one"])
def test_messages_that_the_capture_cut_are_not_lost(path, lost):
    assert all_fields("-2")[path][-1]["enet.analysis.lost"] == lost


def test_passes_agree_on_a_datagram_that_only_the_heuristic_accepts(tmp_path):
    """CONNECT and VERIFY_CONNECT of the second connection are not captured: the first connection declines what follows, and what
    has sufficient evidence is accepted on its own."""
    path = tshark.cut_out(FOLDER / "reconnects.pcap", tmp_path / "gap.pcap", 10, 11)
    names = ["enet.connection", "enet.analysis.stale", "_ws.expert.message"]
    one, two = (tshark.fields(path, names, "-Y", "frame.number >= 13 && frame.number <= 15", *passes) for passes in ((), ("-2",)))
    assert one == two and one[0]["enet.analysis.stale"] and [packet["enet.connection"] for packet in one[1:]] == [["1"], ["1"]]


@conversation(*CONNECTED, client(1, reliable(1)), tshark.reply(datagram(ack(1, sent_time=1000), 0x0000), 1.5),
              tshark.reply(datagram(ack(1, sent_time=3000), 0x0000), 3.5))
def test_an_acknowledgement_of_a_resending_that_was_not_captured(path):
    """Its sent time is not that of the captured sending, which was acknowledged before."""
    found = fields(path, [DUPLICATE_ACK, "enet.analysis.ack.unseen", "enet.analysis.acks_frame"])[-2:]
    assert [[bool(value) for value in packet.values()] for packet in found] == [[False, False, True], [False, True, True]]


@pytest.mark.parametrize("path", [
    connected(tshark.request(datagram(reliable(9, bytes(100))[:-50], sent_time=1), 1, captured=captured), client(2, reliable(1)))
    for captured in (100, 50)
], ids=["whole", "cut"])
def test_what_follows_a_malformed_length_does_not_count(path):
    """The payload would end after the datagram, of which the capture has all bytes or all but some."""
    assert not findings_of(path)


@conversation(*CONNECTED, *(
    tshark.request(datagram(fragment(2, number, 20, 10 * number, bytes(10), 7 + number), sent_time=1 + number), 1 + number,
                   captured=33 if number else 100) for number in (0, 1)))
def test_a_fragment_that_the_capture_cut_is_not_reassembled(path):
    names = ["enet.fragment.number", "enet.reassembly.length", "enet.cut_short"]
    assert [list(packet.values()) for packet in fields(path, names)[2:]] == [[["0"], [], []], [["1"], [], ["1"]]]


@pytest.mark.parametrize("path, findings", [
    (connected(client(1, reliable(30000))), {"enet.analysis.too_far_ahead"}),
    (connected(client(1, reliable(30000)), tshark.reply(datagram(ack(30000), 0x0000), 1.1), client(2, reliable(30001))), set()),
], ids=["alone", "acknowledged"])
def test_a_number_too_far_ahead_that_is_acknowledged_shows_that_much_was_not_captured(path, findings):
    """The receiver had the messages in between: later numbers are compared with the acknowledged one."""
    assert findings_of(path) == findings


@pytest.mark.parametrize("path", [
    connected(client(1, reliable(1, first=0x06)), client(2, reliable(2))),
    connected(client(1, unreliable(5, 1, first=0x87)), client(2, reliable(1))),
], ids=["reliable", "unreliable"])
def test_flags_that_no_sender_sets_do_not_change_how_a_command_counts(path):
    """The receiver uses the command's number."""
    assert not findings_of(path)


@conversation(*CONNECTED, client(1, reliable(1)), tshark.reply(datagram(struct.pack(">BBHHH", 1, 0, 7, 1, 1000), 0x0000), 1.5))
def test_an_acknowledgement_is_of_the_number_in_its_own_fields(path):
    assert all_fields()[path][-1]["enet.analysis.acks_frame"] == ["3"]


@conversation(*CONNECTED, client(1, reliable(1)),
              *(tshark.reply(datagram(ack(1, sent_time=1000), 0x0000), time) for time in (1.5, 9)))
def test_a_copied_acknowledgement_has_no_round_trip_time(path):
    """The network made the copy: the sender measured with the first one."""
    names = ["enet.analysis.acks_frame", "enet.analysis.ack_rtt", DUPLICATE_ACK]
    assert [list(packet.values()) for packet in fields(path, names)[-2:]] == [[["3"], ["0.500000000"], []], [["3"], [], ["1"]]]


@conversation(*CONNECTED, tshark.reply(verify(), 5))
def test_a_copied_verify_connect_has_no_response_time(path):
    names = ["enet.connect.response_to", "enet.connect.response_time", DUPLICATE]
    assert [list(packet.values()) for packet in fields(path, names)[1:]] == [[["1"], ["0.100000000"], []], [["1"], [], ["1"]]]


@conversation(*CONNECTED, client(1, reliable(1)), tshark.reply(datagram(ack(1, sent_time=7), 0x0000), 1.5))
def test_an_acknowledgement_with_another_sent_time_has_no_round_trip_time(path):
    """The transmission that it acknowledges was not captured."""
    assert fields(path, ["enet.analysis.acks_frame", "enet.analysis.ack_rtt"])[-1] == {
        "enet.analysis.acks_frame": ["3"], "enet.analysis.ack_rtt": []}


@conversation(*CONNECTED, client(1, reliable(1)), client(2, reliable(1)))
def test_a_finding_of_a_message_without_dissector_is_shown_once(path):
    assert infos(path)[2:] == ["Reliable ch=0 seq=1 len=3", "[Retransmission] Reliable ch=0 seq=1 len=3"]


def overtaken(numbered, *numbers):
    return connected(*(client(time, numbered(number)) for time, number in enumerate(numbers, 1)))


@pytest.mark.parametrize("late, copied", [
    (overtaken(numbered, 1, 3, 2), overtaken(numbered, 1, 3, 2, 2))
    for numbered in (lambda number: unreliable(0, number), unsequenced)
], ids=["unreliable", "unsequenced"])
def test_an_overtaken_message_is_out_of_order_and_not_a_duplicate(late, copied):
    assert findings_of(late) == {OUT_OF_ORDER}
    assert findings_of(copied) == {DUPLICATE}


def of_groups(*groups):
    begun = CONNECTED if groups[0] == 1 else []
    return written(*begun, *(client(number, unsequenced(group)) for number, group in enumerate(groups, 1)))


@pytest.mark.parametrize("path, lost", [
    (of_groups(1, 4, 2, 6), {4: 1, 6: 1}),        # 3 and 5 are lost
    (of_groups(1, 5, 3, 2, 8, 7), {5: 1, 8: 1}),  # 3 was late, and 2 even more
    (of_groups(1, 3, 2, 2), {}),                  # a copy of a late message
    (of_groups(9, 7, 12), {12: 2}),               # the capture began after 7
], ids=["lost", "late", "copy", "begun before"])
def test_an_unsequenced_message_that_is_late_is_not_lost(path, lost):
    """The receiver delivers it. What comes later is known on the second pass; on the first all of a gap are missing."""
    packets = fields(path, ["enet.group", "enet.analysis.lost", LOST], "-2")
    assert {int(packet["enet.group"][0]): int(packet["enet.analysis.lost"][0]) for packet in packets
            if packet["enet.analysis.lost"]} == lost
    assert all(bool(packet[LOST]) == bool(packet["enet.analysis.lost"]) for packet in packets)


@conversation(*CONNECTED, client(1, unreliable(0, 1)), client(2, unreliable(0, 3)), client(3, unreliable(0, 2)))
def test_a_late_unreliable_message_is_lost(path):
    """The receiver drops it: the game gets messages of a channel in their order."""
    assert [packet["enet.analysis.lost"] for packet in all_fields("-2")[path][2:]] == [[], ["1"], []]


def unreliable_fragment(number, part):
    return struct.pack(">BBHHHIIII", 0x0C, 0, 0, number, 1, 1 << 20, part, 1 << 20, part) + b"x"


@conversation(*CONNECTED, client(1, unreliable(0, 1)), client(2, unreliable_fragment(2, 1 << 19)),
              client(3, unreliable_fragment(3, 0)))
def test_fragments_of_the_largest_messages_are_not_duplicates(path):
    """Fragment numbers have 20 bits."""
    assert not findings_of(path)


def test_a_session_continues_after_all_rejected_datagrams():
    """Malformed datagrams do not change the findings of later valid ones, and none begins a connection."""
    log = records("malformed")
    packets = tshark.fields(FOLDER / "malformed.pcap", STATE)
    sound = [(record, packet) for record, packet in zip(log, packets) if "fault" not in record]
    for record, packet in sound:
        found = {name for name in FINDINGS if packet[name]}
        assert packet["enet.connection"] == ["0"] and not found, (record["n"], found)


def test_a_damaged_verify_connect_begins_no_connection(tmp_path):
    """Its connect id would be that of another connection, but it is not the one of its checksum."""
    handshake = [checksummed(connect(connect_id=7), 0), checksummed(verify(connect_id=7), 7)]
    damaged = handshake[1][:-1] + b"\x06"
    packets = [tshark.request(handshake[0]), tshark.reply(damaged, 0.1), tshark.reply(handshake[1], 0.6),
               tshark.request(checksummed(datagram(reliable(1)), 7), 1)]
    names = ["enet.connection", "enet.checksum.bad"]
    found = tshark.fields(tshark.write_pcap(tmp_path / "damaged.pcap", packets), names, "-2")
    assert [packet["enet.connection"] for packet in found] == 4 * [["0"]]
    assert [bool(packet["enet.checksum.bad"]) for packet in found] == [False, True, False, False]


def test_the_window_is_not_full_of_messages_whose_acknowledgement_was_not_captured(tmp_path):
    """A sender resends what is not acknowledged, long before the ten seconds after which it does not count."""
    packets = [tshark.request(connect(window=4096)), tshark.reply(verify(), 0.1)]
    for number in range(1, 61):
        packets.append(tshark.request(datagram(reliable(number, bytes(1000)), 0x8001, number * 500), number / 2))
        if number not in (4, 6, 8, 10):
            packets.append(tshark.reply(datagram(ack(number, number * 500), 0), number / 2 + 0.05))
    path = tshark.write_pcap(tmp_path / "window.pcap", packets)
    found = [int(packet["frame.number"][0])
             for packet in tshark.fields(path, ["frame.number"], "-Y", "enet.analysis.window_full")]
    assert found and max(found) < len(packets) / 2


def test_without_the_other_direction_no_window_is_full(tmp_path):
    packets = [tshark.request(connect(window=4096))]
    packets += [tshark.request(datagram(reliable(number, bytes(1000)), 0x8001, number), number / 100) for number in range(1, 20)]
    path = tshark.write_pcap(tmp_path / "window.pcap", packets)
    assert tshark.counts(path, ["enet.command == 6", "enet.analysis.window_full"]) == [19, 0]


@conversation(*CONNECTED, client(4, reliable(1, bytes(1000))), client(6, reliable(2, bytes(500))),
              tshark.reply(datagram(ack(1, 4000), 0), 6.5), client(7, reliable(3, bytes(10))), client(18, reliable(4, bytes(7))))
def test_messages_that_are_not_acknowledged_for_ten_seconds_are_not_in_flight(path):
    """The sender had sent them again by then."""
    found = all_fields()[path][len(CONNECTED):]
    assert [packet["enet.analysis.bytes_in_flight"] for packet in found] == [["1000"], ["1500"], [], ["510"], ["7"]]


@conversation(*(client(n, struct.pack(">BBHII", 0x8A, 0xFF, n, limit, 0)) for n, limit in enumerate((3000, 3000, 4000, 4000), 1)))
def test_the_first_bandwidth_limit_of_a_capture_is_no_change(path):
    """The limits before it are not known if the handshake was not captured."""
    assert [bool(packet["enet.analysis.bandwidth_changed"]) for packet in all_fields()[path]] == [False, False, True, False]
