# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sample captures in ClickHouse and in DuckDB, loaded by the printed commands: what a query counts is what the statistics of the
capture count, and both databases answer the page's queries alike."""

import functools
import json
import re
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

import gamewire_tshark as tshark
from plugin.tools.clickhouse import NAME, Cluster
from plugin.tools.programs import TOOLS, messages, run, search_path

from gamewire_tools import statistics  # noqa: E402  after programs.py, which names its folder

PAGE = (tshark.SOURCE / "plugin" / "docs" / "many-captures.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"^```sql\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)

# Of a session only the capture without compression, and of a folder one capture of four: its others have the same kinds of rows.
COMPRESSED = re.compile("fastlz|zlib|zstd|range-coder")
WITH_FIGURES = ("godot-4.6.3-late.pcap", "godot-4.6.3-calls.pcap", "godot-4.6.3-spawn-lossy.pcap", "fragments.pcap", "lossy-client.pcap",
                "session.pcap", "squirrel-session.pcap")
WITH_BYTES, WITH_SPAWNS = "godot-3.6-calls.pcap", "godot-4.6.3-spawn.pcap"
NAMED = (*WITH_FIGURES, WITH_BYTES, WITH_SPAWNS)
# Folders whose captures have what is counted for each capture: calls, requests, responses and frames. Those of another folder are
# loaded as one, but for the named ones: a capture takes three starts of tshark and Python.
WITH_COUNTS = ("godot/multiplayer", "leviathan", "squirrel")


@functools.lru_cache(maxsize=None)
def chosen():
    """{name: path}"""
    found = {}
    for folder in tshark.capture_folders():
        paths = [path for path in sorted((tshark.PCAPS / folder).glob("*.pcap*")) if not COMPRESSED.search(path.name)]
        paths = [path for number, path in enumerate(paths) if number % 4 == 0 or path.name in NAMED]
        alone = [path for path in paths if folder in WITH_COUNTS or path.name in NAMED]
        found |= {path.name if folder != "squirrel" else f"squirrel-{path.name}": path for path in alone}
        if folder not in WITH_COUNTS:
            found[f"{folder.replace('/', '-')}.pcapng"], _ = tshark.together(tuple(path for path in paths if path not in alone))
    return found


DUCKDB = "@duckdb/node-api@1.5.6-r.1"
DUCK = """
import { DuckDBInstance } from '@duckdb/node-api';
import { readFileSync } from 'node:fs';
const connection = await (await DuckDBInstance.create(':memory:')).connect();
await connection.run(readFileSync('table.sql', 'utf-8'));
const answers = [];
for (const query of JSON.parse(readFileSync('queries.json', 'utf-8')))
    answers.push((await connection.runAndReadAll(query)).getRowObjectsJson());
console.log(JSON.stringify(answers));
"""
SERVERS = 2
# The program in PATH; the rows that it writes, and the command then removes, are kept for DuckDB.
MESSAGES = """#!/bin/sh -e
PATH="${PATH#*:}"
gamewire-messages "$@"
cp "$4" ../rows/
"""


def shell(command, folder, **env):
    return subprocess.run(tshark.unprivileged() + ["sh", "-ec", command], cwd=folder, capture_output=True, text=True, timeout=800,
                          env={**tshark.environment_of_programs(), **env}, check=False)


@functools.lru_cache(maxsize=None)
def captures():
    """A folder with all captures."""
    folder = tshark.scratch() / "many"
    folder.mkdir()
    for name, path in chosen().items():
        shutil.copyfile(path, folder / name)
    tshark.scratch().chmod(0o755)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o777 if path.is_dir() else 0o644)
    return folder


@pytest.fixture(scope="module", name="cluster")
def _cluster(tmp_path_factory):
    """Two servers, with all captures loaded by the printed command."""
    with Cluster(tmp_path_factory.mktemp("clickhouse"), SERVERS) as found:
        found.execute(run("gamewire-messages", "--table", f"clickhouse:{NAME}").stdout)
        load(found)
        yield found


@functools.lru_cache(maxsize=None)
def rows():
    """A folder for the rows of each capture, and one with a program that keeps them there."""
    kept, programs = (tshark.scratch() / name for name in ("rows", "keeping"))
    for folder in (kept, programs):
        folder.mkdir()
        folder.chmod(0o777)
    (programs / "gamewire-messages").write_text(MESSAGES)
    (programs / "gamewire-messages").chmod(0o755)
    return kept, programs


def load(cluster):
    command = run("gamewire-messages", "--load-command").stdout
    done = shell(command, captures(), PATH=f"{rows()[1]}:{search_path()}", CLICKHOUSE=cluster.urls[0])
    assert done.returncode == 0, done.stderr[-2000:]


@functools.lru_cache(maxsize=None)
def counted(name):
    """{(group, row): count} of what the statistics of a capture print."""
    taps = [part for tap in statistics.TAPS for part in ("-z", tap)]
    trees = statistics.trees(tshark.run(["-2", "-q", *taps], chosen()[name]).stdout)
    found = {}
    for rows in trees.values():
        for group in ("Calls", "Requests", "Responses", "Frames"):
            for depth, row, count in statistics.group(rows, group):
                if depth == 1:
                    # Numbers of methods have the name of their script, too.
                    key = group, row.split(" on ")[0]
                    found[key] = found.get(key, 0) + count
    return found


@functools.lru_cache(maxsize=None)
def report(name):
    """What gamewire-report says of a capture."""
    return json.loads(run("gamewire-report", "-q", captures() / name, "--json").stdout)


@functools.lru_cache(maxsize=None)
def lines_of(name):
    """What gamewire-messages prints of a capture."""
    return run("gamewire-messages", "-q", captures() / name).stdout


def method(row):
    if row["kind"] == "set":
        return f"set {row['property']}"
    return f"{row['method']}()" if row["method"] else "unknown()" if row["method_id"] is None else f"method {row['method_id']}()"


# ---- ClickHouse ------------------------------------------------------------------------------------------


def test_each_capture_has_the_calls_requests_and_frames_of_its_statistics(cluster):
    found = {}
    rows = cluster.query("SELECT capture, protocol, kind, type, method, method_id, property, count(*) AS number FROM messages "
                         "WHERE duplicate = 0 AND part = 0 AND (protocol IN ('leviathan', 'squirrel') OR kind IN ('call', 'set')) "
                         "GROUP BY capture, protocol, kind, type, method, method_id, property")
    names = {"value": "Without a frame"}
    groups = {"request": "Requests", "response": "Responses"}
    for row in rows:
        key = ("Calls", method(row)) if row["kind"] in ("call", "set") else (groups.get(row["kind"], "Frames"), row["type"] or names.get(row["kind"], row["kind"]))
        # A method has another number in each script.
        own = found.setdefault(row["capture"], {})
        own[key] = own.get(key, 0) + int(row["number"])
    assert len(found) >= 20
    for name in chosen():
        if "malformed" not in name:  # frames that could not be read have no kind
            assert found.get(name, {}) == counted(name), name


def test_both_shards_have_captures_and_each_capture_is_on_one(cluster):
    shards = [{row["capture"] for row in cluster.query("SELECT DISTINCT capture FROM messages_shard", server)} for server in range(SERVERS)]
    assert all(shards) and not shards[0] & shards[1]
    rows = [int(cluster.query("SELECT count(*) AS rows FROM messages_shard", server)[0]["rows"]) for server in range(SERVERS)]
    assert sum(rows) == int(cluster.query("SELECT count(*) AS rows FROM messages")[0]["rows"]) > 4500
    lines = sum(lines_of(name).count("\n") for name in NAMED)
    names = ", ".join(f"'{name}'" for name in NAMED)
    assert int(cluster.query(f"SELECT count(*) AS rows FROM messages WHERE part = 0 AND capture IN ({names})")[0]["rows"]) == lines > 1000


def test_bytes_of_a_method_are_those_of_its_lines(cluster):
    lines = [json.loads(line) for line in lines_of(WITH_BYTES).splitlines()]
    row = cluster.query(f"SELECT sum(bytes) AS total FROM messages WHERE capture = '{WITH_BYTES}' AND method = 'take'")[0]
    assert int(row["total"]) == sum(line["bytes"] for line in lines if line.get("method") == "take") > 1000


def test_a_second_run_loads_nothing_and_an_interrupted_capture_is_loaded_again(cluster):
    count = "SELECT count(*) AS rows FROM messages"
    before = cluster.query(count)
    load(cluster)
    assert cluster.query(count) == before
    loaded = captures() / "godot-4.6.3-late.pcap.loaded"
    loaded.unlink()
    load(cluster)
    assert loaded.exists()
    # OPTIMIZE does nothing while the server merges the rows by itself.
    for _ in range(60):
        cluster.execute("OPTIMIZE TABLE messages_shard FINAL")
        if cluster.query(count) == before:
            break
        time.sleep(0.5)
    assert cluster.query(count) == before


def test_a_member_without_a_column_is_in_the_rest(cluster):
    rows = cluster.query("SELECT DISTINCT rest.value[indexOf(rest.name, 'name')] AS name FROM messages "
                         f"WHERE kind = 'spawn' AND capture = '{WITH_SPAWNS}'")
    assert {"Early", "Hero", "Orc"} <= {row["name"] for row in rows}


def test_the_queries_answer_what_the_report_says(cluster):
    late = cluster.query(QUERIES[1])
    worst = next(each for each in report("godot-4.6.3-late.pcap")["findings"] if each["id"] == "godot_mp.sync.update.late")["worst"]
    assert [row["frame"] for row in late if row["capture"] == "godot-4.6.3-late.pcap"] == [
        entry["frame"] for entry in worst][:sum(row["capture"] == "godot-4.6.3-late.pcap" for row in late)]
    assert all(row["node"] for row in late)
    answers = [cluster.query(query) for query in QUERIES]
    assert len(answers) == 6 and all(answers)


# What the report counts, and the same of the rows.
FIGURES = {
    "fragmented": ("sum(fragments > 1 AND part = 0)", ("fragmented", "fragmented_unreliable")),
    "late": ("sum(late)", ("late",)),
    "slow": ("sum(response_time > 0.2)", ("leviathan_slow", "squirrel_slow")),
    "unanswered": ("sum(unanswered)", ("leviathan_unanswered", "squirrel_unanswered")),
    "errors": ("sum(has(rest.name, 'error'))", ("squirrel_failed",)),  # the error of a command without a token, too
}


@pytest.mark.parametrize("name", WITH_FIGURES)
def test_the_figures_of_a_capture_are_those_of_its_report(cluster, name):
    """The queries of the page group these by method, type or capture."""
    metrics = report(name)["metrics"]
    columns = ", ".join(f"{column} AS {figure}" for figure, (column, _) in FIGURES.items())
    row = cluster.query(f"SELECT count(*) AS number, {columns} FROM messages WHERE capture = '{name}' AND duplicate = 0")[0]
    found = {figure: int(row[figure] or 0) for figure in FIGURES}
    assert found == {figure: sum(metrics[each] for each in names) for figure, (_, names) in FIGURES.items()}
    assert int(row["number"]) > 20


@pytest.mark.parametrize("name", ["godot-4.6.3-calls.pcap", "godot-3.6-calls.pcap", "godot-4.6.3-late.pcap"])
def test_hot_paths_are_those_of_the_report(cluster, name):
    worst = [each["worst"] for each in report(name)["findings"] if each["id"] == "hot_reliable"]
    rows = [row for row in cluster.query(QUERIES[3]) if row["capture"] == name]
    assert [(int(row["most"]), row["node"]) for row in rows] == [
        (entry["value"], entry["text"].split(" on ")[1]) for entry in (worst[0] if worst else [])]
    assert bool(rows) == (name != "godot-4.6.3-late.pcap")


def test_the_largest_users_of_the_bandwidth_are_those_of_the_report(cluster):
    """Of one capture, methods by script, properties and synchronizers, of all senders and receivers, without what was received before."""
    name = "godot-4.6.3-late.pcap"
    query = QUERIES[0].replace("WHERE", f"WHERE capture = '{name}' AND").replace("LIMIT 20", "LIMIT 100")
    found = {row["synchronizer"]: (int(row["number"]), int(row["total"])) for row in cluster.query(query) if row["kind"] == "sync"}
    table = report(name)["usage"]
    assert len(found) >= 3
    for node, (number, total) in found.items():
        rows = [row for row in table if row["what"] in ("sync", "sync of changes") and row["node"] == node]
        assert number == sum(row["messages"] for row in rows) and total >= sum(row["bytes"] for row in rows)
    headers = sum(row["bytes"] for row in table if row["what"].startswith("sync"))
    assert sum(total for _, total in found.values()) == headers


# Commands of the statistics that are no message: in lossy-client.pcap frame 129 is a bandwidth limit, and the fragments in frames
# 229 and 347, and the copies of fragments in 35 and 162, complete no message.
SENT_AGAIN = {"godot-4.6.3-calls.pcap": {"Retransmissions": (4, 0), "Duplicates": (0, 0)},
              "lossy-client.pcap": {"Retransmissions": (17, 3), "Duplicates": (5, 2)}}
PORTS, PAYLOAD = slice(34, 38), slice(42, None)  # of UDP over IPv4 over Ethernet


def doubled(path):
    """The frames with the bytes of an earlier datagram of the same ports. ENet sends no two equal datagrams with a message: such a
    copy is the network's."""
    seen, found = set(), set()
    for number, (_, frame) in enumerate(tshark.read_frames(path), 1):
        datagram = frame[PORTS] + frame[PAYLOAD]
        if datagram in seen:
            found.add(number)
        seen.add(datagram)
    return found


@pytest.mark.parametrize("name", SENT_AGAIN)
def test_messages_that_came_again_are_retransmissions_or_duplicates_as_in_the_statistics(cluster, name):
    taps = tshark.run(["-2", "-q", "-z", "enet,tree"], chosen()[name]).stdout
    troubles = statistics.group(next(iter(statistics.trees(taps).values())), "Commands sent again, lost or out of order")
    counted = {row: count for _, row, count in troubles}
    rows = cluster.query(f"SELECT frame, resent, duplicate FROM messages WHERE part = 0 AND capture = '{name}'")
    resent = [int(row["frame"]) for row in rows if int(row["resent"])]
    copies = [int(row["frame"]) for row in rows if int(row["duplicate"]) and not int(row["resent"])]
    copied = doubled(chosen()[name])
    assert copies == [int(row["frame"]) for row in rows if int(row["frame"]) in copied] and not copied & set(resent)
    for row, frames in (("Retransmissions", resent), ("Duplicates", copies)):
        number, without_message = SENT_AGAIN[name][row]
        assert counted.get(row, 0) == number == len(frames) + without_message


# ---- DuckDB ----------------------------------------------------------------------------------------------


def normalized(rows):
    """Numbers of 64 bits are texts in both answers' JSON."""
    def value(each):
        try:
            return round(float(each), 6)
        except (TypeError, ValueError):
            return each
    return [{name: value(each) for name, each in row.items()} for row in rows]


@pytest.fixture(scope="module", name="duckdb")
def _duckdb(tmp_path_factory):
    """A folder with DuckDB for node, which npm brings."""
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("duckdb")
    # Where a firewall drops packets, a connection hangs.
    limits = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=30000")
    try:
        done = subprocess.run(["npm", "install", "--loglevel=error", "--no-audit", "--no-fund", *limits, "--prefix", folder, DUCKDB],
                              capture_output=True, text=True, timeout=180, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("npm's registry does not answer")
    assert not re.search(r"E404|ETARGET|EINTEGRITY", done.stderr), done.stderr
    if done.returncode:
        pytest.skip(f"npm could not get {DUCKDB}: {done.stderr[:300]}")
    (folder / "query.mjs").write_text(DUCK)
    return folder


def test_duckdb_answers_the_queries_as_clickhouse_does(duckdb, cluster):
    for path in rows()[0].iterdir():
        shutil.copy(path, duckdb)
    (duckdb / "table.sql").write_text(run("gamewire-messages", "--table", "duckdb").stdout)
    (duckdb / "queries.json").write_text(json.dumps(QUERIES))
    done = subprocess.run(["node", "query.mjs"], cwd=duckdb, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    for query, answer in zip(QUERIES, json.loads(done.stdout)):
        assert normalized(answer) == normalized(cluster.query(query)), query


def test_duckdb_reads_the_lines_of_messages(duckdb, tmp_path):
    """The example of in-ci.md: the calls of a method in one second on one node, counted here from the lines."""
    page = (tshark.SOURCE / "plugin" / "docs" / "in-ci.md").read_text(encoding="utf-8")
    (query,) = re.findall(r"^```sql\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    lines = messages(tshark.PCAPS / "godot/multiplayer/godot-4.6.3-calls.pcap")
    (duckdb / "messages.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (duckdb / "table.sql").write_text("SELECT 1")
    (duckdb / "queries.json").write_text(json.dumps([query]))
    done = subprocess.run(["node", "query.mjs"], cwd=duckdb, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    seconds = Counter((line["from"], line["node"], line.get("method") or f"method {line['method_id']}", line["to"], int(line["time"]))
                      for line in lines if line["kind"] == "call" and not line.get("duplicate"))
    most = {}
    for (*path, _, _), count in seconds.items():
        most[tuple(path)] = max(most.get(tuple(path), 0), count)
    assert {(row["from"], row["node"], row["method"]): int(row["most"]) for row in json.loads(done.stdout)[0]} == most


def test_the_page_has_six_queries_and_its_commands_are_those_of_the_program():
    assert len(QUERIES) == 6
    assert Path(TOOLS / "gamewire-messages").exists()
