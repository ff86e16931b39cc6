# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""gamewire-messages: its lines are what the senders' records of the captures say, and what messages.md describes."""

import functools
import hashlib
import io
import json
import re
import struct
from collections import Counter

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.godot.variant.variants import engine_text, same_members, same_text
from plugin.godot.multiplayer.samples import tables
from plugin.tools.programs import literal, messages, run

from gamewire_tools import capture, loading, trace  # noqa: E402  after programs.py, which names its folder

PAGE = (tshark.SOURCE / "plugin" / "docs" / "messages.md").read_text(encoding="utf-8")
MULTIPLAYER = tshark.PCAPS / "godot/multiplayer"
ENGINES = {"3.2.3": 3, "3.6": 3, "4.6.3": 4}
VARIANTS = tuple(f"godot-{engine}" for engine in ENGINES)
STREAMS = tuple(f"godot-{engine}-stream" for engine in ENGINES)
CALLS = (*(f"godot-{engine}-calls" for engine in ENGINES), *(f"godot-{engine}-calls-websocket" for engine in ENGINES),
         "godot-4.6.3-methods", "godot-4.6.3-nodes", "godot-4.6.3-inner", "godot-4.6.3-objects")
RAW = ("godot-3.6-raw", "godot-4.6.3-raw")
ENET = ("every-command", "fragments", "range-coder", "many-clients")
LEVIATHAN = ("session", "every-message", "two-clients")


def log(capture, *events):
    return [line for line in gamewire_records.read("godot/multiplayer", f"{capture}.calls") if line["event"] in events]


@functools.lru_cache(maxsize=None)
def messages_of_each(folder, names, *options):
    """{name: messages() of that capture}, with one start of the program. Of the numbers of frames only a message's own is that in
    the capture alone."""
    together, begins = tshark.together(tuple(tshark.PCAPS / folder / f"{name}.pcap" for name in names))
    found = {name: [] for name in names}
    for message in messages(together, *options):
        at = tshark.capture_at(begins, message["frame"])
        found[names[at]].append({**message, "frame": message["frame"] - begins[at]})
    return found


# ---- Variants --------------------------------------------------------------------------------------------


def by_key(value):
    """With the members of dictionaries in the order in which an engine prints them."""
    if isinstance(value, dict):
        return {key: by_key(value[key]) for key in sorted(value)}
    return [by_key(each) for each in value] if isinstance(value, list) else value


def same(value, engine, generation):
    text = engine_text(engine)
    ours = [literal(each, generation) for each in (value, by_key(value))]
    return any(same_text(each, text, generation) for each in ours) or ("{" in text and same_members(ours[0], text))


# Texts that engines print in another way than they send them; the next test has these and objects.
PRINTED_OTHERWISE = ("NodePath root", "String with half a surrogate pair")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_variant_of_an_engine_is_in_json_what_the_engine_printed(engine):
    generation = ENGINES[engine]
    found = messages_of_each("godot/variant", VARIANTS)[f"godot-{engine}"]
    records = gamewire_records.read("godot/variant", f"godot-{engine}")
    assert len(found) == len(records)
    for message, record in zip(found, records):
        assert message["frame"] == record["n"] and message["protocol"] == "godot" and message["kind"] == "variant"
        printed = record.get("received", record["text"])
        if record["label"] in PRINTED_OTHERWISE or "Object(" in printed or "Signal(" in printed:
            continue
        assert same(message["value"], printed, generation), (record, message)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_variants_json_has_all_that_its_literal_has(engine):
    """From the plugin's literals to JSON and back: nothing is lost, not even of Objects and Signals."""
    captures = {name: tshark.PCAPS / "godot" / "variant" / f"{name}.pcap" for name in VARIANTS}
    packets = tshark.fields_of_each(tuple(captures.values()), ["godot.value"], "-2", prefs={"godot.show_values": True})
    name = f"godot-{engine}"
    for message, packet in zip(messages_of_each("godot/variant", VARIANTS)[name], packets[captures[name]], strict=True):
        assert literal(message["value"], ENGINES[engine]) == packet["godot.value"][0]


def test_every_type_of_the_page_is_in_a_capture_and_every_type_of_a_capture_in_the_page():
    listed = set(re.findall(r"`\{\"(\$\w+)\"", PAGE))
    seen = set()

    def collect(value):
        for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            collect(each)
        seen.update(key for key in value if key.startswith("$")) if isinstance(value, dict) else None

    for found in messages_of_each("godot/variant", VARIANTS).values():
        collect(found)
    # No engine of Godot 2 is to be had: the test below.
    assert listed - seen == {"$Image", "$InputEvent", "$text"}
    assert seen <= listed, seen - listed


# ---- calls, properties, nodes ----------------------------------------------------------------------------


def same_value(value, engine, generation):
    """A script printed an object that is sent as an id as "object 7"."""
    if engine.startswith("object "):
        return value is None or (isinstance(value, dict) and "$Object" in value)
    if engine.startswith("signal "):
        name, emitter = re.findall(r"signal (\S+) of object (-?\d+)", engine)[0]
        return value == {"$Signal": {"object": emitter, "name": name}}
    return same(value, engine, generation)


def is_call(message, line, generation):
    return ((message.get("node"), message.get("method")) == (line["path"], line["method"])
            and message["from"] == peer(line["peer"]) and len(message["arguments"]) == len(line["arguments"])
            and all(same_value(value, text, generation) for value, text in zip(message["arguments"], line["arguments"])))


def peer(number):
    return "server" if number == 1 else f"client {number}"


@pytest.mark.parametrize("capture", CALLS)
def test_each_call_of_the_scripts_is_a_line_with_its_arguments(capture):
    generation = int(capture.split("-")[1][0])
    found = [message for message in messages_of_each("godot/multiplayer", CALLS, *tables())[capture] if message["kind"] == "call"]
    made = [line for line in log(capture, "call") if line["target"] != line["peer"]]
    assert found and made
    assert [line for line in made if not any(is_call(message, line, generation) for message in found)] == []
    assert [message for message in found if not any(is_call(message, line, generation) for line in made)] == []


@pytest.mark.parametrize("capture", ["godot-3.2.3-calls", "godot-3.6-calls"])
def test_each_property_that_a_script_set_is_a_line(capture):
    found = [message for message in messages(MULTIPLAYER / f"{capture}.pcap") if message["kind"] == "set"]
    made = log(capture, "set")
    assert made and {(message["from"], message["node"], message["property"]) for message in found} == {
        (peer(line["peer"]), line["path"], line["property"]) for line in made}
    for message in found:
        assert any(same_value(message["value"], line["value"], 3) for line in made
                   if (line["path"], line["property"]) == (message["node"], message["property"]))


def test_spawned_nodes_have_the_values_that_the_receivers_saw():
    capture = MULTIPLAYER / "godot-4.6.3-spawn.pcap"
    spawns = [message for message in messages(capture, *tables()) if message["kind"] == "spawn"]
    entered = log("godot-4.6.3-spawn", "entered")
    assert len(spawns) > 5
    for spawn in spawns:
        seen = [line for line in entered if line["path"].endswith("/" + spawn["name"])]
        assert seen, spawn
        if "properties" in spawn:
            values = dict(zip(spawn["properties"], spawn["state"]))
            assert any(all(same_value(value, line["values"][name], 4) for name, value in values.items() if name in line["values"])
                       for line in seen), (spawn, seen)
    assert any("properties" in spawn for spawn in spawns)


def test_a_late_update_is_marked_with_its_interval():
    late = [(message["frame"], update["node"], round(update["interval"], 3))
            for message in messages(MULTIPLAYER / "godot-4.6.3-late.pcap") if message["kind"] == "sync"
            for update in message["updates"] if update.get("late")]
    fighter = "Main/Part/Arena/Fighters/1497399204/MultiplayerSynchronizer"
    assert late == [(187, "1", 0.431), (188, "1", 0.431), (371, fighter, 0.549), (372, fighter, 0.549), (374, fighter, 0.546)]


@pytest.mark.parametrize("capture", RAW)
def test_raw_bytes_are_whole(capture):
    sent = {line["bytes"] for line in log(capture, "send_bytes")}
    found = {message["data"] for message in messages_of_each("godot/multiplayer", RAW, "-d", "enet.port==40600,godot_mp")[capture]
             if message["kind"] == "raw"}
    assert found and found == sent and max(map(len, found)) >= 10000


def test_a_relayed_message_has_a_line_for_each_hop_with_links_between_them():
    found = [message for message in messages(MULTIPLAYER / "godot-4.6.3-owners.pcap") if message.get("relayed")]
    hops = {(message["frame"], message["relayed_in"]): message for message in found if "relayed_in" in message}
    later = {(message["relay_of"], message["frame"]): message for message in found if "relay_of" in message}
    assert len(hops) > 10 and set(hops) == set(later)
    for frames, message in hops.items():
        assert [message.get(name) for name in ("kind", "from", "to", "node")] == [
            later[frames].get(name) for name in ("kind", "from", "to", "node")]
        assert later[frames]["relay_time"] == pytest.approx(later[frames]["time"] - message["time"], abs=2e-6)


# ---- the other families ----------------------------------------------------------------------------------


def digest_of(line):
    return line.get("payload_sha256") or hashlib.sha256(bytes.fromhex(line["payload"])).hexdigest()


@pytest.mark.parametrize("name", ENET)
def test_enet_delivers_the_bytes_that_were_sent(name):
    """These captures lost nothing: what the libraries received is what is in them."""
    sent = Counter(digest_of(line) for line in gamewire_records.read("enet", f"{name}.calls") if line["what"] == "received")
    found = Counter(hashlib.sha256(bytes.fromhex(message["data"])).hexdigest()
                    for message in messages_of_each("enet", ENET)[name]
                    if message["kind"] == "message" and not message.get("resent"))
    assert found and found == sent


@pytest.mark.parametrize("name", LEVIATHAN)
def test_leviathans_messages_are_those_of_the_record(name):
    expected = [(record["n"], each["kind"], each["type"], each["number"])
                for record in gamewire_records.read("leviathan", name) for each in record.get("messages", ())]
    found = [(message["frame"], message["kind"], message["type"], message["number"])
             for message in messages_of_each("leviathan", LEVIATHAN)[name]]
    assert found == expected


@pytest.mark.parametrize("name", LEVIATHAN)
def test_what_the_network_doubled_is_a_duplicate_and_was_not_sent_again(name):
    records = gamewire_records.read("leviathan", name)
    copies = {record["n"] for record in records if record.get("duplicate_of")}
    again = {record["n"] for record in records if record.get("resend_of")} - copies
    found = messages_of_each("leviathan", LEVIATHAN)[name]
    assert {message["frame"] for message in found if message.get("duplicate")} == {
        record["n"] for record in records if record["n"] in copies and record.get("messages")}
    assert {message["frame"] for message in found if message.get("resent")} == again


@pytest.mark.parametrize("name", ["enet/every-command", "enet/fragments", "godot/multiplayer/godot-4.6.3-calls", "leviathan/two-clients"])
def test_a_frame_that_the_network_doubled_is_a_duplicate(name, tmp_path):
    """Each frame twice: the second line of a message is the first one, as a duplicate. In rows too."""
    frames = list(tshark.read_frames(tshark.PCAPS / f"{name}.pcap"))
    doubled = tshark.write_frames(tmp_path / "doubled.pcap", [frame for frame in frames for _ in range(2)])
    found = [message for message in messages(doubled) if "delivery" in message or message["protocol"] == "leviathan"]
    first = [message for message in found if message["frame"] % 2]
    second = [message for message in found if not message["frame"] % 2]
    whole = [message for message in second if "fragments" not in message]
    assert len(whole) > 3 and all(message["duplicate"] and not message.get("resent") for message in whole)
    assert not any(message.get("resent") for message in second)
    alone = messages(tshark.PCAPS / f"{name}.pcap")
    rows = [row for message in whole for row in loading.Rows(name).of(0, message)]
    assert all((row["resent"], row["duplicate"]) == (0, 1) for row in rows)
    assert sum(bool(message.get("resent")) for message in first) == sum(bool(message.get("resent")) for message in alone)


NOT_UTF8 = b"not UTF-8: \xff\xfe".hex()


def numbers(value):
    return struct.unpack("<f", struct.pack("<f", value))[0] if isinstance(value, float) else value


def sent_values(value):
    """The numbers and texts of a record, at all depths."""
    if isinstance(value, (dict, list)):
        return [each for inner in (value.values() if isinstance(value, dict) else value) for each in sent_values(inner)]
    return [numbers(float(value) if type(value) is int else value)]


def test_leviathans_fields_have_the_texts_and_structures_of_the_record():
    """Texts with NUL, and the members of components. The record has names of types beside their numbers."""
    lines = {(message["frame"], message["number"]): message for message in messages_of_each("leviathan", LEVIATHAN)["every-message"]}
    checked = 0
    for record in gamewire_records.read("leviathan", "every-message"):
        for each in record.get("messages", ()):
            found = sent_values(lines[record["n"], each["number"]]["fields"])
            for name, value in each.get("fields", {}).items():
                for part in value if isinstance(value, list) else [value]:
                    members = [member for key, member in part.items() if key != "type"] if isinstance(part, dict) else [part]
                    for member in sent_values(members):
                        # Larger numbers are texts; the record has the digits of a text that is not UTF-8.
                        if member != NOT_UTF8 and (isinstance(member, str) or abs(member) < 1 << 53):
                            assert member in found, (record["n"], name, member)
                            checked += isinstance(part, dict) or "\0" in str(member)
    assert checked > 30


OF_A_CARRIER = {"frame", "source", "destination", "connection", "delivery", "channel", "fragments", "resent", "notes", "data_channel",
                "relayed_in", "relay_of", "stream"}


@functools.lru_cache(maxsize=None)
def exported(capture, tap):
    path = tshark.scratch() / "home" / f"messages-{tap.replace(' ', '-')}-{capture.stem}.pcapng"
    tshark.run(["-2", "-U", tap, "-w", path], capture)
    return path


@pytest.mark.parametrize("name", ["godot-4.6.3-calls", "godot-3.6-calls-websocket", "godot-4.6.3-spawn-lossy"])
def test_an_exported_message_is_one_message_with_its_addresses(name):
    """The header that the plugin writes before it is none."""
    capture = MULTIPLAYER / f"{name}.pcap"
    sent = [message for message in messages(capture) if message["protocol"] == "godot_mp"]
    found = messages(exported(capture, "Godot Multiplayer"))
    for one, other in zip(sent, found, strict=True):
        names = (one.keys() | other.keys()) - OF_A_CARRIER
        assert {name: one.get(name) for name in names} == {name: other.get(name) for name in names}
        for end in ("source", "destination"):
            assert re.fullmatch(r"\[2001:db8::[0-9a-f]+\]:" + one[end].rpartition(":")[2], other[end])
    assert len({message["connection"] for message in found}) == len({message["connection"] for message in sent})


def test_the_report_counts_exported_messages_once():
    capture = MULTIPLAYER / "godot-4.6.3-calls.pcap"
    one, other = (json.loads(run("gamewire-report", "-q", "--json", "-", tshark.readable(path)).stdout)
                  for path in (capture, exported(capture, "Godot Multiplayer")))
    assert one["counts"]["godot_mp.kind"] == other["counts"]["godot_mp.kind"]
    assert other["messages"] == other["frames"] and all(":" not in peer["address"][:1] for peer in other["peers"])


def test_datagrams_that_were_exported_have_their_addresses():
    capture = tshark.PCAPS / "enet" / "fragments.pcap"
    sent, found = messages(capture), messages(exported(capture, "ENet"))
    ends = ("from", "to", "source", "destination")
    names = ("kind", "delivery", "bytes", "data", "connection")
    assert [[message.get(name) for name in names] for message in found] == [[message.get(name) for name in names] for message in sent]
    assert all(re.fullmatch(r"\[2001:db8::[0-9a-f]+\]:\d+", message[end]) for message in found for end in ends)


def test_squirrels_frames_have_the_names_and_expressions_of_the_record():
    found = messages(tshark.PCAPS / "squirrel" / "every-frame.pcap")
    statistics = tshark.run(["-q", "-z", "squirrel,tree"], tshark.PCAPS / "squirrel" / "every-frame.pcap").stdout
    named = dict(re.findall(r"^ (\w+) +(\d+) ", statistics.split("\nFrames")[1].split("\nBytes")[0], re.MULTILINE))
    assert Counter(message["kind"] for message in found) == {name: int(count) for name, count in named.items()}
    for record in gamewire_records.read("squirrel", "session"):
        if record.get("expression"):
            line = next(message for message in messages(tshark.PCAPS / "squirrel" / "session.pcap")
                        if message["frame"] == record["n"])
            assert record["expression"] in ", ".join(line.get("expression", [])) + line.get("script", ""), (record, line)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_streams_variants_are_those_of_the_record(engine):
    sent = [line["text"] for line in gamewire_records.read("godot/stream", f"godot-{engine}-stream.calls") if "text" in line]
    found = [message["value"] for message in messages_of_each("godot/stream", STREAMS)[f"godot-{engine}-stream"]]
    assert len(found) == len(sent) > 10
    assert all(same_value(value, text, ENGINES[engine]) for value, text in zip(found, sent))


# ---- the page --------------------------------------------------------------------------------------------


def documented():
    """The names of members and kinds: code in the sections of them."""
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    return {name for section in sections if section.startswith(("Members", "Kinds")) for name in re.findall(r"`(\w+)`", section)}


def test_every_member_and_kind_is_in_the_page():
    members = documented()
    everything, _ = tshark.together(tuple(sorted(tshark.PCAPS.rglob("*.pcap*"))))
    for message in messages(everything):
        assert set(message) <= members, (message, set(message) - members)
        assert message["protocol"] == "godot_debugger" or message["kind"] in members, message
        for update in message.get("updates", ()):
            assert set(update) <= members, set(update) - members


def test_the_pages_example_is_the_tools_output():
    for line in re.search(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE).group(1).splitlines():
        example = json.loads(line)
        assert example in messages(MULTIPLAYER / "godot-3.6-calls.pcap"), line


def test_backslashes_are_those_of_the_message():
    """From 4.2 on, -T fields doubles them."""
    capture = tshark.PCAPS / "godot/variant/godot-4.6.3.pcap"
    plain = run("gamewire-messages", "-q", tshark.readable(capture)).stdout
    assert plain.splitlines() == [line for packet in tshark.fields(capture, ["godot.json"], "-2", "-Y", "godot.json") for line in packet["godot.json"]]
    assert plain.count("\\") > 5


# ---- traces ----------------------------------------------------------------------------------------------

TRACED = ("godot/multiplayer/godot-4.6.3-owners", "godot/multiplayer/godot-4.6.3-spawn-lossy", "enet/lossy-client", "leviathan/session",
          "godot/multiplayer/godot-4.6.3-calls-websocket")


@functools.lru_cache(maxsize=None)
def traced(name, *arguments):
    done = run("gamewire-messages", "-q", "--format", "trace", *arguments, tshark.readable(tshark.PCAPS / f"{name}.pcap"))
    assert done.returncode == 0 and not done.stderr, done
    return json.loads(done.stdout)


def events(name, kind):
    return [event for event in traced(name)["traceEvents"] if event["ph"] == kind]


# The members of each kind of event besides ph, ts, pid, tid and name, of the document "Trace Event Format": https://
# docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
MEMBERS = {"X": {"dur", "cat", "args"}, "i": {"s", "cat", "args"}, "C": {"args"}, "s": {"id", "cat"}, "f": {"id", "cat", "bp"},
           "M": {"args"}}


@pytest.mark.parametrize("name", TRACED)
def test_a_traces_events_follow_the_rules_of_the_format(name):
    found = traced(name)
    assert set(found) == {"displayTimeUnit", "traceEvents", "otherData"} and found["displayTimeUnit"] in ("ms", "ns")
    for event in found["traceEvents"]:
        assert set(event) == {"ph", "ts", "pid", "tid", "name"} | MEMBERS[event["ph"]], event
        assert all(isinstance(event[each], int) for each in ("pid", "tid")) and event["ts"] >= 0 and isinstance(event["name"], str)
    for counter in events(name, "C"):
        assert counter["args"] and all(isinstance(value, (int, float)) for value in counter["args"].values())
    assert all(event["s"] == "t" for event in events(name, "i"))
    named = {event["name"] for event in events(name, "M")}
    assert {"process_name", "thread_name"} <= named
    threads = {(event["pid"], event["tid"]) for event in events(name, "M") if event["name"] == "thread_name"}
    assert {(event["pid"], event["tid"]) for event in events(name, "X")} <= threads
    # Slices of a thread are nested or apart: here they are apart.
    latest = {}
    for event in events(name, "X"):
        thread = event["pid"], event["tid"]
        assert event["dur"] > 0 and event["ts"] >= latest.get(thread, 0) - 0.0015, event
        latest[thread] = event["ts"] + event["dur"]


@pytest.mark.parametrize("name", TRACED)
def test_each_message_is_a_slice_as_long_as_its_bytes(name):
    lines = messages(tshark.PCAPS / f"{name}.pcap")
    slices = events(name, "X")
    assert [event["args"]["frame"] for event in slices] == [line["frame"] for line in lines]
    for line, event in zip(lines, slices):
        assert event["dur"] == pytest.approx(max(line.get("bytes", 0), 1) * 0.8)
        assert event["ts"] >= (line["time"] - lines[0]["time"]) * 1e6 - 0.01 or line is lines[0]
        assert {key: event["args"].get(key) for key in ("from", "to", "node", "notes")} == {
            key: line.get(key) for key in ("from", "to", "node", "notes")}


@pytest.mark.parametrize("name", [TRACED[0], "godot/multiplayer/godot-4.6.3-calls", "godot/multiplayer/godot-3.6-calls-websocket"])
def test_each_relayed_message_has_an_arrow_to_its_next_hop(name):
    """The arrow's ends are within the two slices, since one slice may end where the next one begins. A segment of the last capture has nine
    relayed calls."""
    begins, ends = ({event["id"]: event for event in events(name, kind)} for kind in "sf")
    assert begins and set(begins) == set(ends) and all(event["bp"] == "e" for event in ends.values())
    pairs = []
    for each, begin in begins.items():
        one, other = (slice_at(name, event) for event in (begin, ends[each]))
        pairs.append((one["frame"], other["relay_of"], begin["ts"] <= ends[each]["ts"]))
        assert [one.get(key) for key in ("from", "node", "method", "arguments")] == [
            other.get(key) for key in ("from", "node", "method", "arguments")]
    assert all(frame == relay_of and is_later for frame, relay_of, is_later in pairs)
    assert len(begins) == sum("relay_of" in message for message in messages(tshark.PCAPS / f"{name}.pcap"))


def slice_at(name, flow):
    """The arguments of the only slice that has the end of an arrow."""
    (found,) = (event["args"] for event in events(name, "X") if (event["pid"], event["tid"]) == (flow["pid"], flow["tid"])
                and event["ts"] < flow["ts"] < event["ts"] + event["dur"])
    return found


@pytest.mark.parametrize("name", TRACED)
def test_findings_of_messages_are_instants(name):
    notes = Counter(note for message in messages(tshark.PCAPS / f"{name}.pcap") for note in message.get("notes", ()))
    found = Counter(event["args"]["filter"] for event in events(name, "i"))
    assert all(found[note] >= count for note, count in notes.items())
    titles = {event["args"]["filter"]: event["name"] for event in events(name, "i")}
    if name == "enet/lossy-client":
        assert titles["enet.analysis.retransmission"].startswith("Retransmission")


def test_counters_have_the_bytes_the_round_trip_times_and_the_losses():
    name = "godot/multiplayer/godot-4.6.3-spawn-lossy"
    counters = events(name, "C")
    size = sum(event["args"]["bytes a second"] for event in counters if event["name"].startswith("bytes")) * trace.STEP
    lengths = [int(value) for packet in tshark.fields(tshark.PCAPS / f"{name}.pcap", ["frame.len"], "-2") for value in packet["frame.len"]]
    assert size == pytest.approx(sum(lengths))
    times = [float(value) * 1000 for packet in tshark.fields(tshark.PCAPS / f"{name}.pcap", ["enet.analysis.ack_rtt"], "-2")
             for value in packet["enet.analysis.ack_rtt"]]
    assert sorted(event["args"]["ms"] for event in counters if event["name"].startswith("RTT")) == pytest.approx(sorted(times), abs=0.001)
    assert sum(max((event["args"]["lost"] for event in counters if event["name"] == each), default=0)
               for each in {event["name"] for event in counters if event["name"].startswith("losses")}) == 54


def test_the_rate_of_slices_is_an_option():
    slices = [event for event in traced(TRACED[0], "--rate", "1e6")["traceEvents"] if event["ph"] == "X"]
    assert slices[5]["dur"] == pytest.approx(10 * events(TRACED[0], "X")[5]["dur"]) and "1,000,000 bits" in traced(TRACED[0], "--rate", "1e6")["otherData"]["rate"]
    assert run("gamewire-messages", "--rate", "0", "x.pcap").returncode == 2


# ---- the program -----------------------------------------------------------------------------------------


def test_without_the_plugin_the_program_says_so(tmp_path):
    done = run("gamewire-messages", tshark.readable(MULTIPLAYER / "godot-3.6-calls.pcap"),
               env={"WIRESHARK_PLUGIN_DIR": str(tmp_path)})
    assert done.returncode == 2 and "plugin is not loaded" in done.stderr and not done.stdout


def test_a_missing_capture_and_a_wrong_option_are_errors():
    assert run("gamewire-messages", "no-such.pcap").returncode == 2
    wrong = run("gamewire-messages", tshark.readable(MULTIPLAYER / "godot-3.6-calls.pcap"), "--", "-d", "nonsense")
    assert wrong.returncode == 2 and "nonsense" in wrong.stderr


def test_progress_is_said_in_frames_and_part_of_the_capture(tmp_path):
    path = tmp_path / "capture"
    path.write_bytes(bytes(116 * 2048))
    said = io.StringIO()
    progress = capture.Progress(path, said)
    progress.INTERVAL = 0
    for number in range(1, 1537):
        progress.packet(capture.Packet(number, 0.0, 100, [], [], [], {}))
    assert [line[:line.rindex(",")] for line in said.getvalue().splitlines()] == [
        "frame 512, about 25 %", "frame 1024, about 50 %", "frame 1536, about 75 %"]


def test_a_capture_without_a_game_has_no_lines(udp_capture):
    capture = tshark.readable(udp_capture(tshark.request(b"hello")))
    done = run("gamewire-messages", capture)
    assert (done.stdout, done.returncode) == ("", 0)
