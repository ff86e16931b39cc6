# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""gamewire-report: its figures are those of the statistics, and its findings those that the senders' records of the captures
explain. test_report_page.py opens the pages in a browser."""

import functools
import json
import os
import re
from collections import Counter

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.godot.multiplayer.samples import tables
from plugin.tools.programs import TOOLS, run

from gamewire_tools import findings, report_main, statistics  # noqa: E402  after programs.py, which names their folder
from gamewire_tools.figures import BINS, Clock, Distribution, Rates, Timeline, Worst  # noqa: E402

PAGE = tshark.SOURCE / "plugin" / "docs" / "report.md"
MULTIPLAYER = ["godot/multiplayer/" + name for name in (
    "godot-4.6.3-late", "godot-4.6.3-spawn", "godot-4.6.3-spawn-lossy", "godot-4.6.3-calls", "godot-3.6-calls", "godot-3.2.3-calls",
    "godot-4.6.3-calls-websocket", "godot-4.6.3-calls-zstd", "godot-4.6.3-owners", "godot-4.6.3-nodes", "godot-4.6.3-calls-webrtc",
    "godot-3.6-few-calls-dtls")]
ENET = ["enet/" + name for name in ("every-command", "fragments", "lossy-client", "lossy-server", "range-coder", "window", "throttle")]
LEVIATHAN = ["leviathan/" + name for name in ("session", "every-message", "two-clients", "mid-conversation")]
SQUIRREL = ["squirrel/" + name for name in ("session", "every-frame", "split", "raknet")]


def path_of(name):
    return next(tshark.PCAPS.glob(f"{name}.pcap*"))


@functools.lru_cache(maxsize=None)
def report(name, *options):
    done = run("gamewire-report", "-q", tshark.readable(path_of(name)), "--json", "--", *options)
    assert done.returncode == 0 and not done.stderr, done
    return json.loads(done.stdout)


def finding(name, finding_id):
    return next((each for each in report(name)["findings"] if each["id"] == finding_id), None)


@functools.lru_cache(maxsize=None)
def printed(name):
    """All statistics of a capture, by one tshark."""
    return tshark.run(["-2", "-q", *(part for tap in statistics.TAPS for part in ("-z", tap))], path_of(name)).stdout


def tree_of(name, family):
    """(title, rows) of the family's statistic."""
    return next((title, tree) for title, tree in statistics.trees(printed(name)).items() if title.lower().startswith(family))


def rows(name, family, group):
    """{row: count} of the first level of a group."""
    return {row: count for depth, row, count in statistics.group(tree_of(name, family)[1], group) if depth == 1}


# ---- figures and statistics ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MULTIPLAYER + ENET + LEVIATHAN + SQUIRREL)
def test_frames_and_bytes_are_those_of_the_capture(name):
    found = re.search(r"<> .*\| +(\d+) \| +(\d+) \|", printed(name))
    assert (report(name)["frames"], report(name)["bytes"]) == (int(found[1]), int(found[2]))


def nodes_of_calls(name):
    """{"method, node": count}: the second level of the calls."""
    found, method = {}, None
    for depth, row, count in statistics.group(tree_of(name, "godot")[1], "Calls"):
        if depth == 1:
            method = row
        else:
            found[f"{method}, {row}"] = count
    return found


KINDS = {"call": "REMOTE_CALL", "set": "REMOTE_SET", "sync": "SYNC", "spawn": "SPAWN", "despawn": "DESPAWN", "path": "SIMPLIFY_PATH",
         "confirm": "CONFIRM_PATH", "raw": "RAW"}


@pytest.mark.parametrize("name", MULTIPLAYER)
def test_messages_calls_and_updates_are_counted_as_in_the_statistics(name):
    counts = report(name)["counts"]
    commands = rows(name, "godot", "Messages")
    assert {KINDS[kind]: count for kind, count in counts["godot_mp.kind"].items() if kind in KINDS} == {
        command: count for command, count in commands.items() if command in KINDS.values()}
    assert counts.get("godot_mp.method", {}) == rows(name, "godot", "Calls")
    assert counts.get("godot_mp.node", {}) == nodes_of_calls(name)
    nodes = {("unknown" if node == "(unknown path)" else node): count for node, count in counts.get("godot_mp.sync", {}).items()}
    assert nodes == rows(name, "godot", "Synchronized properties")


@pytest.mark.parametrize("name", ENET)
def test_enets_commands_losses_and_retransmissions_are_those_of_the_statistics(name):
    commands = rows(name, "enet", "Commands")
    assert sum(report(name)["counts"]["enet.command"].values()) == sum(commands.values())
    troubles = rows(name, "enet", "Commands sent again, lost or out of order")
    metrics = report(name)["metrics"]
    assert metrics["retransmissions"] + metrics["spurious"] == troubles.get("Retransmissions", 0)
    assert metrics["spurious"] == troubles.get("Retransmissions that were spurious", 0)
    assert metrics["lost"] == troubles.get("Unreliable, missing", 0)


@pytest.mark.parametrize("name", LEVIATHAN)
def test_leviathans_messages_are_counted_as_in_the_statistics(name):
    expected = {f"{kind} {row}": count for kind, group in (("request", "Requests"), ("response", "Responses"))
                for row, count in rows(name, "leviathan", group).items()}
    assert report(name)["counts"]["leviathan.kind"] == expected


@pytest.mark.parametrize("name", SQUIRREL)
def test_squirrels_frames_are_counted_as_in_the_statistics(name):
    assert report(name)["counts"]["squirrel.kind"] == rows(name, "squirrel", "Frames")


@pytest.mark.parametrize("name", [MULTIPLAYER[0], ENET[2], LEVIATHAN[0], SQUIRREL[0]])
def test_the_statistics_of_the_page_are_what_tshark_prints(name):
    title, tree = tree_of(name, name.split("/")[0])
    assert [list(row) for row in tree] == next(each["rows"] for each in report(name)["statistics"] if each["title"] == title)
    assert len(tree) > 8


def test_round_trip_times_are_those_of_the_statistics():
    table = tshark.run(["-2", "-q", "-z", "enet,srt"], tshark.PCAPS / "enet/lossy-client.pcap").stdout
    counts = [int(count) for count in re.findall(r"^ +\d+ +\S.*? +(\d+) +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+$", table, re.MULTILINE)]
    longest = max(float(number) for number in re.findall(r" +\d+ +[\d.]+ +([\d.]+) +[\d.]+ +[\d.]+$", table, re.MULTILINE))
    times = report("enet/lossy-client")["times"][0]
    assert times["count"] == sum(counts) and times["max"] == pytest.approx(longest)


# ---- findings and records --------------------------------------------------------------------------------


def test_late_updates_are_the_freezes_of_the_record():
    """The script stopped a node of the server for 0.42 s and then the whole client1 for 0.5 s."""
    log = gamewire_records.read("godot/multiplayer", "godot-4.6.3-late.calls")
    frozen = [line for line in log if line["event"] == "freeze"]
    assert len(frozen) == 2
    found = finding("godot/multiplayer/godot-4.6.3-late", "late")
    assert [entry["frame"] for entry in found["worst"]] == [371, 372, 374, 188, 187] and found["count"] == 5
    assert {round(entry["value"], 1) for entry in found["worst"]} == {0.4, 0.5}


@pytest.mark.parametrize("name", ["godot-4.6.3-calls", "godot-4.6.3-spawn", "godot-4.6.3-owners"])
def test_sound_games_have_no_late_updates_and_no_other_methods(name):
    metrics = report(f"godot/multiplayer/{name}")["metrics"]
    assert metrics["late"] == metrics["methods_differ"] == metrics["full_paths"] == metrics["checksum"] == 0


def test_other_methods_are_found_where_the_peers_differ():
    metrics = report("godot/multiplayer/godot-4.6.3-mismatch")["metrics"]
    assert metrics["methods_differ"] > 0


def test_fragmented_messages_are_those_that_the_record_has_whole():
    long = [line for line in gamewire_records.read("enet", "fragments.calls") if line["what"] == "received"]
    metrics = report("enet/fragments")["metrics"]
    pieces = tshark.fields(tshark.PCAPS / "enet/fragments.pcap", ["enet.reassembly.length"], "-2")
    lengths = [int(value) for packet in pieces for value in packet["enet.reassembly.length"]]
    assert metrics["fragmented"] + metrics["fragmented_unreliable"] == len(lengths) > 0
    assert Counter(lengths) == Counter(line["length"] for line in long if line["length"] in lengths)


def test_failed_and_unanswered_commands_are_those_of_the_record():
    """Also the error of a command that has no token: its reply is not linked with it. One error is an empty text."""
    records = gamewire_records.read("squirrel", "session")
    failed = {record["n"]: record["error"] or "(no text)" for record in records if "error" in record}
    found = finding("squirrel/session", "squirrel_failed")
    assert found["count"] == len(failed) == 5
    assert {entry["frame"]: entry["text"].rpartition(": ")[2] for entry in found["worst"]} == failed
    assert found["worst"][0]["text"] == (
        """RemoteExecuteSpecial CallRemoteFunc(GetRemoteValue("missing")): the index 'missing' does not exist""")
    assert finding("squirrel/session", "squirrel_unanswered")["count"] == 1


def test_leviathans_resends_are_those_of_the_record():
    records = gamewire_records.read("leviathan", "session")
    resent = [record["n"] for record in records if record.get("resend_of") and not record.get("duplicate_of")]
    found = finding("leviathan/session", "leviathan_retransmissions")
    assert sorted(entry["frame"] for entry in found["worst"]) == sorted(resent)


@pytest.mark.parametrize("name", MULTIPLAYER[:3] + ENET[1:3] + LEVIATHAN[:1] + SQUIRREL[:1])
def test_every_filter_of_a_finding_finds_its_frames(name):
    """-Y with the filter that the page offers accepts the frames that it lists."""
    listed = {}
    for found in report(name)["findings"]:
        for entry in found["worst"]:
            listed.setdefault(found["filter"] or entry.get("filter"), set()).add(entry["frame"])
    listed.pop("", None)
    listed.pop(None, None)
    for filter_text, frames in listed.items():
        shown = tshark.run(["-2", "-Y", filter_text, "-T", "fields", "-e", "frame.number"], path_of(name)).stdout
        assert frames <= set(map(int, shown.split())), filter_text


def sent_calls(log):
    """{method: messages with calls of it}, from the calls that the peers recorded: one for each addressee, and a second one where
    the server relays it."""
    found, clients = Counter(), set()
    for line in sorted(log, key=lambda each: each["time"]):
        sender, event = line["peer"], line["event"]
        if event == "peer_connected" and sender == 1:
            clients.add(line["id"])
        elif event == "leave":
            clients.discard(sender)
        elif event == "call":
            target, others = line["target"], (clients | {1}) - {sender}
            addressees = {target} if target > 0 else others - {-target}
            found[line["method"] + "()"] += sum(1 if 1 in (sender, peer) else 2 for peer in addressees)
    return found


@pytest.mark.parametrize("name", ["godot-3.6-calls", "godot-4.6.3-calls", "godot-4.6.3-nodes", "godot-4.6.3-objects", "godot-4.6.3-spawn",
                                  "godot-3.6-few-calls-dtls"])
def test_peers_and_calls_are_those_of_the_record(name):
    options = tables() if "-4" in name else []
    log = gamewire_records.read("godot/multiplayer", f"{name}.calls")
    found = report(f"godot/multiplayer/{name}", *options)
    peers = {"server" if line["peer"] == 1 else f"client {line['peer']}" for line in log if line.get("peer")}  # 0 before it is connected
    assert {peer for connection in found["connections"] for peer in connection["names"]} == peers
    calls = {method: count for method, count in found["counts"]["godot_mp.method"].items() if not method.startswith("set ")}
    assert calls == sent_calls(log) and sum(calls.values()) > 4


def test_lost_messages_are_those_whose_numbers_never_came():
    """Unsequenced messages that the relay delayed are not among them: the record has those."""
    name = "godot/multiplayer/godot-4.6.3-spawn-lossy"
    relay = gamewire_records.read("godot/multiplayer", "godot-4.6.3-spawn-lossy.relay")
    assert [line["fate"] for line in relay if line["direction"] == "to_client" and line["reordered"]] == ["delivered"] * 5
    groups = {}
    for packet in tshark.fields(path_of(name), ["udp.srcport", "udp.dstport", "enet.group"], "-2"):
        groups.setdefault((*packet["udp.srcport"], *packet["udp.dstport"]), set()).update(map(int, packet["enet.group"]))
    never = sum(max(numbers) - len(numbers) for numbers in groups.values() if numbers)
    assert report(name)["metrics"]["lost"] == never == 54


@pytest.mark.parametrize("name", ["godot/multiplayer/godot-4.6.3-spawn-lossy", "leviathan/session"])
def test_the_duration_is_that_from_the_first_packet_to_the_last(name):
    times = [float(time) for packet in tshark.fields(path_of(name), ["frame.time_epoch"]) for time in packet["frame.time_epoch"]]
    found = report(name)
    assert found["duration"] == pytest.approx(times[-1] - times[0], abs=1e-5)
    assert found["metrics"]["bytes_per_second"] == pytest.approx(found["game_bytes"] / found["duration"], rel=1e-4)


def test_properties_that_never_changed_are_those_that_the_record_never_sets():
    log = gamewire_records.read("godot/multiplayer", "godot-4.6.3-spawn-lossy.calls")
    early = "Main/Part/World2/Players/Early"
    assert {line["property"] for line in log if line["event"] == "set" and line["path"] == early} == {"hp"}
    found = next(each for each in report("godot/multiplayer/godot-4.6.3-spawn-lossy", *tables())["findings"] if each["id"] == "unchanged")
    assert sorted(entry["text"] for entry in found["worst"]) == [
        f"aim of {early}: 0.5", f"position of {early}: Vector2(1, 2)", f"rotation of {early}: 0"]


def test_hot_calls_are_those_that_one_peer_makes_in_a_second():
    """A client made 15 calls of the other one at once: the server relays them, but they are no 30."""
    calls = Counter((line["peer"], line["target"], line["path"], round(line["time"])) for line in gamewire_records.read(
        "godot/multiplayer", "godot-4.6.3-calls.calls") if line["event"] == "call" and line["method"] == "take")
    (server, client, path, _), most = calls.most_common(1)[0]
    assert (server, most, calls.most_common(2)[1][1]) == (1, 73, 15)
    found = next(each for each in report("godot/multiplayer/godot-4.6.3-calls", *tables())["findings"] if each["id"] == "hot_reliable")
    assert [(entry["value"], entry["text"]) for entry in found["worst"]] == [(73, f"take() on {path}, server → client {client}")]


@pytest.mark.parametrize("name", ["godot-4.6.3-late", "godot-4.6.3-rivals"])
def test_the_filter_of_unchanged_properties_has_all_their_nodes(name):
    found = finding(f"godot/multiplayer/{name}", "unchanged")
    assert len({entry["filter"] for entry in found["worst"]}) > 1
    assert found["filter"].split(" || ") == list(dict.fromkeys(entry["filter"] for entry in found["worst"]))


def test_titles_are_of_all_occurrences():
    """The text of the first one has its token."""
    found = finding("squirrel/session", "squirrel.command.unseen")
    assert (found["title"], found["worst"][0]["text"]) == (
        "Reply without a command in this capture", "No unanswered command with token 99 was captured before")


# ---- thresholds ------------------------------------------------------------------------------------------

LATE = tshark.PCAPS / "godot/multiplayer" / "godot-4.6.3-late.pcap"


HOLDS = ["late>0", "late>=5", "lost==4", "rtt_max>0.2"]
DOES_NOT = ["late > 5", "checksum>0", "rtt_median>0.2", "bytes_per_second>1000000", "godot_mp.sync.out_of_order>0"]


@pytest.mark.parametrize("conditions, status", [(HOLDS + DOES_NOT, 1), (DOES_NOT, 0)])
def test_conditions_decide_the_status(conditions, status):
    done = run("gamewire-report", "-q", tshark.readable(LATE), *(word for condition in conditions for word in ("--fail-on", condition)))
    assert (done.returncode, done.stdout) == (status, "")
    failed = [condition for condition in conditions if f"failed: {condition}" in done.stderr]
    assert failed == [condition for condition in conditions if condition in HOLDS]


@pytest.mark.parametrize("arguments", [("--fail-on", "lates>0"), ("--fail-on", "late"), ("--fail-on", "late>x")])
def test_a_wrong_condition_is_an_error(arguments):
    done = run("gamewire-report", "-q", tshark.readable(LATE), *arguments)
    assert done.returncode == 2 and arguments[1].split(">")[0] in done.stderr


def test_a_capture_without_a_game_is_said_to_be_one(udp_capture):
    done = run("gamewire-report", tshark.readable(udp_capture(tshark.request(b"hello"))), "--json")
    assert done.returncode == 0 and "no packets of a game" in done.stderr and json.loads(done.stdout)["findings"] == []


def test_the_page_is_made_without_a_registry():
    """A program npm in PATH would leave a file."""
    folder = tshark.scratch() / "home" / "bin"
    folder.mkdir()
    (folder / "npm").write_text(f'#!/bin/sh\necho "$@" >>{folder.parent}/asked\nexit 1\n', encoding="utf-8")
    (folder / "npm").chmod(0o755)
    done = run("gamewire-report", "-q", tshark.readable(LATE), "-o", "made.html", env={"PATH": f"{folder}:{os.environ['PATH']}"})
    assert done.returncode == 0 and (folder.parent / "made.html").stat().st_size > 10000 and not (folder.parent / "asked").exists()


# ---- parts -----------------------------------------------------------------------------------------------


def test_a_timeline_keeps_sums_when_its_bins_are_doubled():
    clock = Clock()
    timeline, highest = Timeline(clock), Timeline(clock, max)
    for number in range(100000):
        timeline.add(number % 3, 1000 + number / 10, 1)
        highest.add("all", 1000 + number / 10, number)
    assert len(clock.times()) <= BINS and clock.width * BINS >= 10000
    assert sum(timeline.totals().values()) == 100000
    values = dict(highest.largest(1))["all"]
    assert values == sorted(values) and values[-1] == 99999
    assert sum(map(sum, (row for _, row in timeline.largest(2)))) == 100000


def test_percentiles_are_exact_to_one_percent():
    distribution = Distribution()
    for number in range(1, 10001):
        distribution.add(number / 1000)
    assert distribution.percentile(0.5) == pytest.approx(5, rel=0.011)
    assert distribution.percentile(0.95) == pytest.approx(9.5, rel=0.011) and distribution.percentile(1) == 10
    assert Distribution().percentile(0.5) is None and len(distribution.classes) < 1000


def test_the_worst_are_the_largest_and_the_first_of_equal_ones():
    worst = Worst(3)
    for frame, value in enumerate((1, 5, 5, 2, 9, 5)):
        worst.add(value, frame=frame)
    assert [(entry["value"], entry["frame"]) for entry in worst.entries()] == [(9, 4), (5, 1), (5, 2)]


def test_rates_count_the_events_of_a_second():
    rates = Rates()
    for time in (0.1, 0.5, 0.9, 1.0, 1.1, 7.0):
        rates.add("key", time, int(10 * time))
    assert rates.most["key"] == (3, 9)


# ---- the page --------------------------------------------------------------------------------------------


def test_the_page_lists_every_finding_and_figure():
    text = PAGE.read_text(encoding="utf-8")
    table = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    known = set(report(MULTIPLAYER[0])["metrics"])
    assert table == {name for name in known if "." not in name}, table ^ known
    assert {each.id for each in findings.FINDINGS} <= table
    for each in findings.FINDINGS:
        assert each.remedy and (each.filter or each.id in ("hot_reliable", "unchanged"))


def test_names_in_filters_and_expert_infos_exist():
    fields = {field.filter for field in tshark.registered_fields()}
    for each in findings.FINDINGS:
        for name in (*each.experts, *re.findall(r"[a-z_]+(?:\.[a-z_]+)+", each.filter)):
            assert name in fields, name
    for name in findings.NOT_LISTED:
        assert name in fields, name


def test_conditions_are_parsed():
    assert list(report_main.failures(["late>1"], {"late": 2})) == ["late>1: late is 2"]
    assert TOOLS.is_dir()
