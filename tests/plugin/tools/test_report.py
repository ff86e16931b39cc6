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

from gamewire_tools import capture, collect, conditions, findings, report as report_data, source, statistics  # noqa: E402  after programs.py, which names their folder
from gamewire_tools.usage import CONNECTING  # noqa: E402
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
    """By its id or a short name."""
    names = findings.ALIASES.get(finding_id, (finding_id,))
    return next((each for each in report(name)["findings"] if each["id"] in names), None)


@functools.lru_cache(maxsize=None)
def printed(name):
    """All statistics of a capture, by one tshark."""
    return tshark.run(["-2", "-q", *(part for tap in (capture.TOTALS, *statistics.TAPS) for part in ("-z", tap))], path_of(name)).stdout


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
    # Those of messages; pings, bandwidth limits and CONNECT are not messages.
    of_others = sum(len(packet["enet.analysis.command_repeated"]) for packet in tshark.fields(
        path_of(name), ["enet.analysis.command_repeated"], "-2", "-Y", "enet.analysis.command_repeated"))
    assert metrics["retransmissions"] + metrics["spurious"] + of_others == troubles.get("Retransmissions", 0)
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
    peers = report("enet/lossy-client")["peers"]
    assert sum(peer["acknowledged"] for peer in peers) == sum(counts)
    assert max(peer["rtt_max"] for peer in peers) == pytest.approx(longest)


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
    assert {peer["peer"] for peer in found["peers"]} == peers
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
    assert [(entry["value"], entry["text"], entry["from"], entry["to"]) for entry in found["worst"]] == [
        (73, f"take() on {path}", "server", f"client {client}")]


@pytest.mark.parametrize("name", ["godot-4.6.3-late", "godot-4.6.3-rivals"])
def test_the_filter_of_unchanged_properties_has_all_their_nodes(name):
    found = finding(f"godot/multiplayer/{name}", "unchanged")
    assert len({entry["filter"] for entry in found["worst"]}) > 1
    assert found["filter"].split(" || ") == list(dict.fromkeys(entry["filter"] for entry in found["worst"]))


def test_titles_are_of_all_occurrences():
    """The text of the first one has its token."""
    assert finding("squirrel/session", "squirrel.command.unseen")["title"] == "Reply without a command in this capture"


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
    table = set(re.findall(r"^\| `(\w+)`(?:, `\w+`)* \|", text.split("## Conditions")[1].split("## JSON")[0], re.MULTILINE))
    known = set(report(MULTIPLAYER[0])["metrics"])
    assert table == known, table ^ known
    assert {each.id for each in findings.COMPUTED} | set(findings.ALIASES) | set(conditions.FIGURES) == known
    for each in findings.COMPUTED:
        assert each.remedy and (each.filter or each.id in ("hot_reliable", "unchanged", "repeated", "headers"))


def test_names_in_filters_and_expert_infos_exist():
    fields = {field.filter for field in tshark.registered_fields()}
    filters = [name for each in findings.COMPUTED for name in re.findall(r"[a-z_]+(?:\.[a-z_]+)+", each.filter)]
    aliased = [name for names in findings.ALIASES.values() for name in names]
    amounts = [name for name, _ in findings.AMOUNTS.values() if name]
    for name in (*filters, *aliased, *findings.NOT_LISTED, *findings.AMOUNTS, *amounts):
        assert name in fields, name


def members(value):
    """The names of all members at all depths, but for names of a game and of fields."""
    if isinstance(value, dict):
        return {name for key, each in value.items() for name in ({key} | (members(each) if key not in NAMED else set()))}
    return {name for each in value for name in members(each)} if isinstance(value, list) else set()


NAMED = ("counts", "protocols", "metrics")


def test_every_member_of_the_json_is_in_the_page():
    described = set(re.findall(r"`(\w+)`", re.sub(r"\(`error`, `warning` or `note`\)", "", PAGE.read_text(encoding="utf-8").split("## JSON")[1].split("\n## ")[0])))
    compared = json.loads(run("gamewire-report", "-q", tshark.readable(path_of(MULTIPLAYER[0])), tshark.readable(path_of(MULTIPLAYER[1])),
                              "--json").stdout)
    found = members([compared, *(report(name) for name in (MULTIPLAYER + ENET + LEVIATHAN + SQUIRREL))])
    assert found - described == set() and described - found == {"unrecognized", "transport", "port", "option"}


# ---- bandwidth, peers, two captures -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["godot-4.6.3-calls", "godot-4.6.3-spawn-lossy"])
def test_the_table_of_the_bandwidth_has_all_bytes_of_messages(name):
    """Those of the lines of gamewire-messages, by receiver and together."""
    lines = [json.loads(line) for line in run("gamewire-messages", "-q", tshark.readable(path_of(f"godot/multiplayer/{name}"))).stdout.splitlines()]
    table = report(f"godot/multiplayer/{name}")["usage"]
    assert sum(row["bytes"] for row in table) == sum(line.get("bytes", 0) for line in lines) > 1000
    calls = [row for row in table if row["what"] == "method 5()" and row["node"] == "Main/Units/Hero"]
    for row in calls:
        same = [line for line in lines if line.get("method_id") == 5 and line.get("node") == row["node"] and not line.get("duplicate")
                and line["from"] == row["from"] and row["to"].split(",")[0] == line["to"] and ("relay_of" not in line) == ("relayed" not in line or "," in row["to"])]
        assert row["messages"] == len(same) and row["bytes"] == sum(line["bytes"] for line in same)
    assert all(row["bytes"] == sum(size for _, _, size in row["stretches"]) for row in table)


def test_a_call_of_all_clients_is_one_hot_path(udp_capture):
    """Three clients receive the same 25 reliable calls in a second: one row, 25 a second, not three rows or 75."""
    collector = collect.Collector()
    for number in range(25):
        for client in range(3):
            message = {"protocol": "godot_mp", "kind": "call", "from": "server", "to": f"client {client}", "source": "a:1",
                       "destination": f"b:{client}", "delivery": "reliable", "node": "Main", "method": "hit", "time": number / 30, "bytes": 9}
            collector.frame(source.Frame(number * 3 + client + 1, number / 30, 60, "a:1", f"b:{client}", ("enet.connection", str(client)),
                                         ("enet", "godot_mp"), [message], {}, {}))
    collector.end()
    found = [each for each in collector.listed({}) if each["id"] == "hot_reliable"]
    assert [(each["count"], [(entry["value"], entry["text"], entry["to"]) for entry in each["worst"]]) for each in found] == [
        (1, [(25, "hit() on Main", "3 receivers")])]


def lines_of(name):
    return [json.loads(line) for line in run("gamewire-messages", "-q", tshark.readable(path_of(name))).stdout.splitlines()]


def test_properties_that_repeat_the_value_before_are_those_of_the_updates():
    """Also those that change in the end; properties that never change are another finding."""
    name = "godot/multiplayer/godot-4.6.3-spawn-lossy"
    values = {}
    for line in lines_of(name):
        for update in line.get("updates", ()) if not line.get("duplicate") and not line.get("resent") else ():
            for index, value in enumerate(update["values"] if "indexes" not in update else ()):
                values.setdefault((f"value {index} of {update['node']}", line["to"]), []).append(json.dumps(value))
    repeats = {key: sum(one == other for one, other in zip(row, row[1:])) for key, row in values.items()}
    expected = {(key[0], f"{repeats[key]} of {len(row)} updates") for key, row in values.items()
                if len(row) > 20 and 2 * repeats[key] > len(row) and len(set(row)) > 1}
    found = {tuple(entry["text"].split(": ")) for entry in finding(name, "repeated")["worst"]}
    assert found and found <= expected and {each for each, _ in found} == {each for each, _ in expected}


def test_ends_that_send_mostly_headers_are_found():
    name = "godot/multiplayer/godot-4.6.3-late"
    ends = {}
    for packet in tshark.fields(path_of(name), ["udp.srcport", "udp.dstport", "frame.len"], "-2"):
        key = f"127.0.0.1:{packet['udp.srcport'][0]}", f"127.0.0.1:{packet['udp.dstport'][0]}"
        ends[key] = ends.get(key, 0) + int(packet["frame.len"][0])
    lines = [line for line in lines_of(name)]
    expected = set()
    for key, size in ends.items():
        own = [line for line in lines if (line["source"], line["destination"]) == key and line["kind"] not in CONNECTING]
        inside = sum(line.get("bytes", 0) for line in own)
        if len(own) >= 100 and inside < 0.6 * size:
            expected.add((f"{len(own)} messages of {inside} bytes in {size} bytes", round(100 * (1 - inside / size), 6)))
    assert {(entry["text"], round(entry["value"], 6)) for entry in finding(name, "headers")["worst"]} == expected and expected
    assert finding("enet/fragments", "headers") is None


def test_each_end_of_a_connection_has_its_own_times():
    """The client of the second connection was frozen in the first capture: its row has the largest silence, and no row has all peers."""
    peers = report("godot/multiplayer/godot-4.6.3-late")["peers"]
    assert len(peers) == 4 and len({(peer["address"], peer["other"]) for peer in peers}) == 4
    longest = max(peers, key=lambda peer: peer["silent"])
    assert longest["peer"] == "client 1497399204" and 0.5 < longest["silent"] < 0.6
    assert report("godot/multiplayer/godot-4.6.3-late")["metrics"]["rtt_95"] == max(peer["rtt_95"] for peer in peers)


@pytest.mark.parametrize("name", ["godot/multiplayer/godot-4.6.3-calls-websocket", "godot/multiplayer/godot-3.6-calls-websocket",
                                  "godot/debugger/godot-4.6.3-debuggers"])
def test_of_tcp_segments_with_data_count_and_wiresharks_own_analysis_is_by_peer(name):
    """An acknowledgement alone is the operating system's: it ends no silence of the game, and is no frame of it."""
    names = ["frame.time_epoch", "frame.len", "tcp.stream", "tcp.srcport", "tcp.len", "tcp.analysis.retransmission", "tcp.analysis.ack_rtt"]
    sent, again, acknowledged = {}, Counter(), Counter()
    for packet in tshark.fields(path_of(name), names, "-2", "-Y", "tcp"):
        end = f"tcp.stream {packet['tcp.stream'][0]}", packet["tcp.srcport"][0]
        again[end] += len(packet["tcp.analysis.retransmission"])
        acknowledged[end] += len(packet["tcp.analysis.ack_rtt"])
        if packet["tcp.len"][0] != "0":
            sent.setdefault(end, []).append((float(packet["frame.time_epoch"][0]), int(packet["frame.len"][0])))
    assert report(name)["peers"]
    for peer in report(name)["peers"]:
        end = peer["connection"], peer["address"].rpartition(":")[2]
        times = [time for time, _ in sent[end]]
        last = max(time for (stream, _), each in sent.items() if stream == end[0] for time, _ in each)
        gaps = [later - earlier for earlier, later in zip(times, [*times[1:], last])]
        assert (peer["frames"], peer["bytes"]) == (len(times), sum(size for _, size in sent[end]))
        assert (peer["resent"], peer["acknowledged"]) == (again[end], acknowledged[end])
        assert peer["silent"] == pytest.approx(max(gaps), abs=2e-6) and peer["duration"] == pytest.approx(times[-1] - times[0], abs=2e-6)


def test_who_closed_a_connection_of_tcp():
    """The first FIN or RST: in frame 538 of the first capture the server's, in 582 of the second one a client's."""
    ends = {peer["connection"]: peer["end"] for peer in report("godot/multiplayer/godot-3.6-calls-websocket")["peers"]}
    assert ends == {"tcp.stream 0": "Closed by server", "tcp.stream 1": "Closed by server"}
    ends = {peer["connection"]: peer["end"] for peer in report("godot/multiplayer/godot-4.6.3-calls-websocket")["peers"]}
    client = next(peer["peer"] for peer in report("godot/multiplayer/godot-4.6.3-calls-websocket")["peers"] if peer["address"].endswith(":40884"))
    assert ends["tcp.stream 1"] == f"Closed by {client}"


@pytest.mark.parametrize("name", ["godot/multiplayer/godot-4.6.3-late", "enet/lossy-client", "enet/disconnects"])
def test_messages_of_peers_are_those_of_the_game_and_all_that_was_sent_again_counts(name):
    """No CONNECT and no DISCONNECT; a ping or CONNECT that was sent again counts, as one does that had been acknowledged."""
    peers = report(name)["peers"]
    assert sum(peer["messages"] for peer in peers) == report(name)["metrics"]["messages"]
    names = ["enet.analysis.retransmission", "enet.analysis.spurious_retransmission", "enet.analysis.command_repeated"]
    again = sum(len(packet[each]) for packet in tshark.fields(path_of(name), names, "-2", "-Y", "!icmp") for each in names)
    assert sum(peer["resent"] for peer in peers) == again


def test_two_captures_are_compared():
    one, other = (tshark.readable(path_of(f"godot/multiplayer/{name}")) for name in ("godot-4.6.3-calls", "godot-3.6-calls"))
    found = json.loads(run("gamewire-report", "-q", one, other, "--json").stdout)
    assert (found["before"]["capture"], found["after"]["capture"]) == (one.name, other.name)
    assert found["before"]["metrics"] == report("godot/multiplayer/godot-4.6.3-calls")["metrics"]
    messages = next(each for each in found["figures"] if each["id"] == "messages")
    assert messages["values"] == [report(f"godot/multiplayer/{name}")["metrics"]["messages"] for name in ("godot-4.6.3-calls", "godot-3.6-calls")]
    row = next(each for each in found["compared_usage"] if each["what"] == "take()" and each["node"] == "Main/Units/Hero")
    assert row["bytes_per_second"][0] == 0 < row["bytes_per_second"][1]


# ---- conditions ------------------------------------------------------------------------------------------


def test_conditions_are_parsed():
    condition = conditions.Condition("late>1")
    assert condition.failure({"late": 2}, set()) == "late>1: late is 2" and condition.failure({"late": 1}, set()) is None
    assert TOOLS.is_dir()


FIELDS = {"enet.analysis.retransmission>0": 0, "enet.analysis.command_repeated>0": 1, "enet.analysis.resend_number>100": 0, "godot_mp.sync.update.late>=5": 1,
          "enet.analysis.ack_rtt>0.25": 1, "enet.analysis.ack_rtt>0.26": 0, "godot_mp.sync>0": 0, "godot_mp>=297": 1, "udp.length>5000": 0,
          "udp.length>20": 1, "tcp.analysis.retransmission>0": 0, "hot_reliable@3>0": 0, "unchanged@10>3": 0, "unchanged@10>=3": 1,
          "slow_acks@0.1>1": 1, "slow_acks@0.25>0": 1, "slow_acks@0.3>0": 0, "godot_mp.rpc.path>100000": 0}


def test_every_registered_name_is_a_condition():
    arguments = [word for condition in FIELDS for word in ("--fail-on", condition) if not condition.startswith("godot_mp.sync>")]
    done = run("gamewire-report", "-q", tshark.readable(LATE), *arguments)
    failed = {condition for condition in FIELDS if f"failed: {condition}" in done.stderr}
    assert failed == {condition for condition, holds in FIELDS.items() if holds} and done.returncode == 1


@pytest.mark.parametrize("condition", ["enet.analysis.retransmissions>0", "late@5>0", "godot_mp.sync>0", "nothing@1>0"])
def test_a_name_that_is_not_registered_is_an_error(condition):
    done = run("gamewire-report", "-q", tshark.readable(LATE), "--fail-on", condition)
    assert done.returncode == 2 and condition.split(">")[0].split("@")[0] in done.stderr


def test_conditions_on_a_capture_without_a_game_are_an_error(udp_capture):
    path = tshark.readable(udp_capture(tshark.request(b"hello")))
    done = run("gamewire-report", "-q", path, "--fail-on", "late>0")
    assert done.returncode == 2 and "no packets of a game" in done.stderr


def test_a_capture_without_a_game_has_the_commands_that_choose_its_ports(udp_capture):
    done = run("gamewire-report", "-q", tshark.readable(udp_capture(tshark.request(b"hello"))), "--json")
    (found,) = json.loads(done.stdout)["unrecognized"]
    assert (found["transport"], found["option"]) == ("udp", f"-d udp.port=={found['port']},enet") and found["port"] in (41000, 41001)


def test_a_line_has_gaps_where_values_are_missing_for_longer_than_usual():
    values = [1, None, 2, None, 3, None, None, None, None, None, None, 4, None, 5]
    assert report_data.with_gaps(values) == [1, None, 2, None, 3, "gap", None, None, None, None, None, 4, None, 5]
