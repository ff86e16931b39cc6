# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""ENet's handshakes, and the links between frames: each exists at both ends, with the time difference of the two
frames."""

from collections import defaultdict
from functools import lru_cache

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import connect, datagram, reliable, verify

FOLDER = tshark.PCAPS / "enet"
WITH_HANDSHAKES = ["every-command", "reconnects", "disconnects", "many-clients", "ipv6", "channels", "lossy-client", "range-coder"]


every_pass = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])


def records(name):
    return gamewire_records.read("enet", name)


@lru_cache(maxsize=None)
def fields_of_all(captures, fields, *args):
    return tshark.fields_of_each([FOLDER / f"{name}.pcap" for name in captures], fields, *args)


def fields_of(name, captures, fields, *args):
    """Each packet's values of some fields of a capture, with one start of tshark for all of `captures`."""
    return fields_of_all(tuple(captures), tuple(fields), *args)[FOLDER / f"{name}.pcap"]


def pair_of(record):
    return frozenset((record["from_port"], record["to_port"]))


def frames(packet, field):
    return [int(number) for number in packet[field]]


def elapsed(packets, first, last):
    times = [float(packets[frame - 1]["frame.time_epoch"][0]) for frame in (first, last)]
    return pytest.approx(times[1] - times[0], abs=2e-6)


# ---- handshakes ----------------------------------------------------------------------------------


def handshakes(log):
    """For each connection: the frames of CONNECT, VERIFY_CONNECT, the client's first acknowledgement and DISCONNECT."""
    found, current = [], {}
    for record in log:
        for command in record["commands"]:
            kind, pair = command["command"], pair_of(record)
            if kind == "CONNECT" and current.get(pair, {}).get("id") != command["connect_id"]:
                current[pair] = {"id": command["connect_id"], "CONNECT": record["n"]}
                found.append(current[pair])
            own = current[pair]
            is_first = kind == "ACKNOWLEDGE" and command["channel"] == 255 and command["sequence"] == 1
            if is_first and record["host"] != "server" and "VERIFY_CONNECT" in own:
                own.setdefault("ACKNOWLEDGE", record["n"])
            elif kind in ("VERIFY_CONNECT", "DISCONNECT"):
                own.setdefault(kind, record["n"])
    return found


@pytest.mark.parametrize("name", WITH_HANDSHAKES)
def test_handshakes_are_linked_with_their_times(name):
    log = records(name)
    names = ["enet.connect.response_in", "enet.connect.response_to", "enet.connect.response_time",
             "enet.connect.established_in", "enet.connect.begun_in", "enet.connect.handshake_time",
             "enet.connect.disconnected_in", "frame.time_epoch"]
    packets = fields_of(name, WITH_HANDSHAKES, names, "-2")
    found = handshakes(log)
    assert found
    for shake in found:
        connect, verify, first = (packets[shake[kind] - 1] for kind in ("CONNECT", "VERIFY_CONNECT", "ACKNOWLEDGE"))
        assert frames(connect, "enet.connect.response_in") == [shake["VERIFY_CONNECT"]]
        assert frames(verify, "enet.connect.response_to") == [shake["CONNECT"]]
        assert float(verify["enet.connect.response_time"][0]) == elapsed(packets, shake["CONNECT"], shake["VERIFY_CONNECT"])
        assert frames(first, "enet.connect.begun_in") == [shake["CONNECT"]]
        assert float(first["enet.connect.handshake_time"][0]) == elapsed(packets, shake["CONNECT"], shake["ACKNOWLEDGE"])
        ended = [shake["DISCONNECT"]] if "DISCONNECT" in shake else []
        for packet in (connect, verify):
            assert frames(packet, "enet.connect.established_in") == [shake["ACKNOWLEDGE"]]
            assert frames(packet, "enet.connect.disconnected_in") == ended
    established = [packet for packet in packets if packet["enet.connect.handshake_time"]]
    assert len(established) == len(found)


# ---- both ends -----------------------------------------------------------------------------------

LOSSY = ["lossy-client", "lossy-server", "throttle"]
LINKS = ["enet.analysis.acked_in", "enet.analysis.acks_frame", "enet.analysis.duplicate_ack", "enet.analysis.resent_in",
         "enet.analysis.first_send", "enet.analysis.resend_time", "enet.analysis.resend_number", "enet.analysis.duplicate_of",
         "frame.time_epoch"]


def is_reliable(command):
    return command["acknowledge"] or (command["channel"] == 255 and command["command"] != "ACKNOWLEDGE")


def sendings(log):
    """{(host, channel, number): [(frame, sent time)]}, without copies made by the network."""
    found, serials = defaultdict(list), set()
    for record in log:
        copy = (record["host"], record["serial"]) in serials
        serials.add((record["host"], record["serial"]))
        for command in record["commands"]:
            if is_reliable(command) and not copy:
                key = record["host"], command["channel"], command["sequence"]
                found[key].append((record["n"], record["sent_time"]))
    return found


@pytest.mark.parametrize("name", LOSSY)
def test_transmissions_are_linked_to_their_acknowledgement(name):
    """The first acknowledgement that repeats its sent time; if there is none, the first one of any transmission."""
    log = records(name)
    by_key, acks = sendings(log), defaultdict(list)
    for record in log:
        for command in record["commands"]:
            if command["command"] == "ACKNOWLEDGE":
                other = "server" if record["host"] != "server" else "client1"
                acks[other, command["channel"], command["sequence"]].append((record["n"], command["acknowledged_sent_time"]))
    expected = defaultdict(list)
    for key, sent in by_key.items():
        for frame, time in sent:
            own = [ack for ack, of in acks[key] if of == time]
            later = [ack for ack, _ in acks[key] if ack > sent[0][0]]
            expected[frame] += (own or later)[:1]
    packets = fields_of(name, LOSSY, LINKS, "-2")
    checked = 0
    for number, packet in enumerate(packets, 1):
        if packet["enet.analysis.duplicate_of"]:
            continue
        assert sorted(frames(packet, "enet.analysis.acked_in")) == sorted(expected[number]), number
        checked += len(expected[number])
    assert checked > 50


@pytest.mark.parametrize("name", LOSSY)
def test_resends_are_linked_counted_and_timed(name):
    log = records(name)
    resent, first, numbers = defaultdict(list), defaultdict(list), defaultdict(list)
    for sent in sendings(log).values():
        for order, (frame, _) in enumerate(sent):
            if order:
                resent[sent[order - 1][0]].append(frame)
                first[frame].append(sent[0][0])
                numbers[frame].append(order)
    packets = fields_of(name, LOSSY, LINKS, "-2")
    assert first
    for number, packet in enumerate(packets, 1):
        assert sorted(frames(packet, "enet.analysis.resent_in")) == sorted(resent[number]), number
        assert sorted(frames(packet, "enet.analysis.first_send")) == sorted(first[number]), number
        assert sorted(frames(packet, "enet.analysis.resend_number")) == sorted(numbers[number]), number
        for time, frame in zip(packet["enet.analysis.resend_time"], packet["enet.analysis.first_send"]):
            assert float(time) == elapsed(packets, int(frame), number)


@pytest.mark.parametrize("name", ["lossy-client", "lossy-server"])
def test_copies_are_linked_to_the_frame_that_they_repeat(name):
    """Compared with the relay's log."""
    log = records(name)
    relay = records("lossy.relay")
    copies = {both[1]: both[0] for both in (entry["frames"].get(name, []) for entry in relay) if len(both) == 2}
    packets = fields_of(name, LOSSY, LINKS, "-2")
    numbered = {frame for frame in copies if any(c["command"] != "ACKNOWLEDGE" for c in log[frame - 1]["commands"])}
    assert numbered
    assert {n: frames(packet, "enet.analysis.duplicate_of") for n, packet in enumerate(packets, 1)
            if packet["enet.analysis.duplicate_of"]} == {frame: [copies[frame]] for frame in numbered}


# ---- no findings ---------------------------------------------------------------------------------

FINDINGS = ["enet.analysis." + name for name in (
    "retransmission", "spurious_retransmission", "duplicate", "duplicate_ack", "out_of_order", "gap", "lost_messages",
    "ack.unseen", "window_full", "too_far_ahead", "channel.invalid", "stale", "silence")]


def findings(packets):
    return {name for packet in packets for name in FINDINGS if packet[name]}


WITHOUT_LOSS = ["wrapped-reliable", "wrapped-unreliable", "wrapped-unsequenced", "wrapped-fragments", "channels", "many-clients",
                "reconnects", "checksum", "range-coder"]


@every_pass
@pytest.mark.parametrize("name", WITHOUT_LOSS)
def test_without_loss_there_are_no_findings(name, passes):
    """Numbers that wrap and consecutive connections are not gaps."""
    assert findings(fields_of(name, WITHOUT_LOSS, FINDINGS, *passes)) == set()


# A packet after the handshake.
LATE = 9


def test_a_capture_that_begins_in_the_middle_has_no_findings(tmp_path):
    cut = [tshark.cut_beginning(FOLDER / f"{name}.pcap", tmp_path / f"{name}.pcap", LATE)
           for name in ("channels", "fragments", "range-coder", "wrapped-fragments")]
    found = tshark.fields_of_each(cut, FINDINGS, "-2")
    assert {path.stem: findings(packets) for path, packets in found.items()} == {path.stem: set() for path in cut}


def test_a_full_window_is_reported_while_the_sender_waits():
    """30,000 bytes are sent at once with a window of 4096: no more than that is in flight."""
    path = FOLDER / "window.pcap"
    names = ["enet.analysis.window_full", "enet.analysis.bytes_in_flight", "enet.connect.window"]
    packets = tshark.fields(path, names)
    window = min(int(size) for packet in packets for size in packet["enet.connect.window"])
    in_flight = [int(count) for packet in packets for count in packet["enet.analysis.bytes_in_flight"]]
    full = [packet for packet in packets if packet["enet.analysis.window_full"]]
    assert full and max(in_flight) <= window
    assert all(int(count) > window / 2 for packet in full for count in packet["enet.analysis.bytes_in_flight"][-1:])


def test_changes_of_throttle_and_bandwidth_are_those_of_the_commands():
    for name, field, kind in (("throttle", "throttle_changed", "THROTTLE_CONFIGURE"),
                              ("window", "bandwidth_changed", "BANDWIDTH_LIMIT")):
        before, changed = {}, []
        for record in records(name):
            for command in record["commands"]:
                values = {key: value for key, value in command.items() if key.startswith(kind.split("_", maxsplit=1)[0].lower())
                          or key.endswith("_bandwidth") and kind == "BANDWIDTH_LIMIT"}
                if command["command"] == kind and before.get(record["host"], values) != values:
                    changed.append(record["n"])
                if command["command"] == kind or (values and command["command"] in ("CONNECT", "VERIFY_CONNECT")):
                    before[record["host"]] = values
        packets = tshark.fields(FOLDER / f"{name}.pcap", [f"enet.analysis.{field}"])
        assert changed and [n for n, packet in enumerate(packets, 1) if packet[f"enet.analysis.{field}"]] == changed


# ---- payloads and columns ------------------------------------------------------------------------


def test_decompressed_commands_have_a_data_source_and_a_ratio():
    path = FOLDER / "range-coder.pcap"
    names = ["enet.compression.percent", "enet.compressed.data", "enet.compression.length"]
    compressed = 0
    for record, packet in zip(records("range-coder"), tshark.fields(path, names)):
        assert bool(packet["enet.compression.percent"]) == record["compressed"]
        if record["compressed"]:
            compressed += 1
            packed = len(bytes.fromhex(packet["enet.compressed.data"][0].replace(":", "")))
            assert int(packet["enet.compression.percent"][0]) == packed * 100 // int(packet["enet.compression.length"][0])
    shown = tshark.run(["-x"], path).stdout
    assert shown.count("Decompressed ENet (") == compressed > 0


@pytest.mark.parametrize("end", ["from_port", "to_port"])
def test_decode_as_by_port_chooses_the_reader_of_the_messages(end):
    """By the port of either end, in both directions; also if it is not known which side is the server."""
    port = records("channels")[0][end]
    decode_as = ("-d", f"enet.port=={port},godot_mp")
    names = ["frame.protocols", "enet.payload"]
    packets = tshark.fields(FOLDER / "channels.pcap", names, *decode_as)
    assert len({packet["frame.protocols"][0] for packet in packets if packet["enet.payload"]}) == 1
    for packet in packets:
        assert ("godot_mp" in packet["frame.protocols"][0]) == bool(packet["enet.payload"])
    for packet in tshark.fields(FOLDER / "channels.pcap", names):
        assert packet["frame.protocols"][0].endswith("udp:enet")


@pytest.mark.parametrize("end", ["from_port", "to_port"])
def test_decode_as_by_port_works_without_the_handshake(end, tmp_path):
    cut = tshark.cut_beginning(FOLDER / "channels.pcap", tmp_path / "cut.pcap", LATE)
    decode_as = ("-d", f"enet.port=={records('channels')[0][end]},godot_mp")
    packets = tshark.fields(cut, ["frame.protocols", "enet.payload"], "-2", *decode_as)
    for packet in packets:
        assert ("godot_mp" in packet["frame.protocols"][0]) == bool(packet["enet.payload"])


@pytest.mark.parametrize("name, payload", [
    ("json", b'{"hp":7}'), ("msgpack", b"\x81\xa2hp\x07"), ("cbor", b"\xa1\x62hp\x07"), ("protobuf", b"\x08\x07"),
    ("data-text-lines", b"hp 7\n")])
def test_decode_as_by_port_reads_the_formats_that_wireshark_has(name, payload, udp_capture):
    """Each payload is a map of "hp" to 7, or the like, in its format."""
    capture = udp_capture(tshark.request(connect(), 0), tshark.reply(verify(), 0.1), tshark.request(datagram(reliable(2, payload)), 0.2))
    options = ("-d", f"enet.port=={tshark.SERVER_PORT},{name}")
    found = tshark.fields(capture, ["frame.protocols", "_ws.malformed"], *options)[2]
    assert (found["frame.protocols"][0].split("udp:enet:")[1], found["_ws.malformed"]) == (name, [])


def test_decode_as_by_port_shows_appended_lines_without_their_separator(udp_capture):
    """JSON's dissector appends its name, after a comma, to the line of the protocol below it. It has a line of its own in a second
    message, and after the words of ENet's findings."""
    messages = datagram(reliable(1, b'{"hp":7}') + reliable(2, b'{"hp":6}'))
    capture = udp_capture(tshark.request(connect(), 0), tshark.reply(verify(), 0.1), tshark.request(messages, 0.2),
                          tshark.request(messages, 0.3))
    options = ("-d", f"enet.port=={tshark.SERVER_PORT},json")
    first, copy = [packet["_ws.col.Info"][0].replace("JavaScript Object Notation", "JSON")
                   for packet in tshark.fields(capture, ["_ws.col.Info"], *options)[2:]]
    assert first == "Reliable ch=0 seq=1 len=8, Reliable ch=0 seq=2 len=8, JSON; JSON"
    assert copy == "[Duplicate] JSON; JSON"


def test_repeated_sends_are_counted_but_only_the_first_are_linked(tmp_path):
    """ENet gives a connection up long before; the data stored for one command is bounded in hostile captures."""
    packets = [tshark.request(datagram(reliable(1), sent_time=time)) for time in range(200)]
    capture = tshark.write_pcap(tmp_path / "resends.pcap", packets)
    names = ["enet.analysis.resend_number", "enet.analysis.resent_in"]
    found = tshark.fields(capture, names, "-2", "-d", f"udp.port=={tshark.SERVER_PORT},enet")
    assert [frames(packet, names[0]) for packet in found] == [[]] + [[number] for number in range(1, 200)]
    assert [frames(packet, names[1]) for packet in found] == [[number + 2] for number in range(63)] + [[]] * 137


# ---- hosts with different compression --------------------------------------------------------------------


SAME_COMPRESSION = ["range-coder", "range-coder-checksum", "lossy-range-coder-client", "refused", "timeout"]
COMPRESSED = ["compression-server", "compression-client", *SAME_COMPRESSION]


def compression_experts(name, *passes):
    packets = fields_of(name, COMPRESSED, ["enet.compression.differs", "enet.reply.missing"], *passes)
    return [(bool(packet["enet.compression.differs"]), bool(packet["enet.reply.missing"])) for packet in packets]


@pytest.mark.parametrize("passes, first", [((), 2), (("-2",), 1)], ids=["one_pass", "two_passes"])
def test_a_client_that_cannot_read_compressed_replies(passes, first):
    """It is known when the client asks again: on the first pass from the third datagram on, on the second from the first
    reply on."""
    found = compression_experts("compression-server", *passes)
    assert found == [(False, False)] * first + [(True, False)] * (7 - first)


@every_pass
def test_a_compressed_connect_without_a_reply(passes):
    assert compression_experts("compression-client", *passes) == [(False, False)] + [(False, True)] * 2


@every_pass
@pytest.mark.parametrize("name", SAME_COMPRESSION)
def test_hosts_with_the_same_compression_have_no_such_note(name, passes):
    assert not any(any(packet) for packet in compression_experts(name, *passes))
