# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""gamewire-report, gamewire-messages and elastic.py with input that is wrong, cut, damaged or unusual: a sentence and status 2 where
nothing can be read, and no traceback."""

import http.server
import json
import os
import shutil
import subprocess
import threading

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.variants import words
from plugin.tools.programs import TOOLS, run, search_path

from gamewire_tools import collect, loading, registered, source  # noqa: E402  after programs.py

CALLS = tshark.PCAPS / "godot/multiplayer" / "godot-3.6-calls.pcap"
REMOTE_FS = tshark.PCAPS / "godot/remote_fs" / "godot-4.6.3-remote-fs.pcap"
PROGRAMS = pytest.mark.parametrize("program", ["gamewire-report", "gamewire-messages"])


def in_home(name, content):
    """A file that the programs' user can read."""
    path = os.path.join(os.fsencode(tshark.scratch() / "home"), os.fsencode(name))
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o644)
    return os.fsdecode(path)


def report(path, *options):
    done = run("gamewire-report", "-q", path, "--json", *options)
    assert done.returncode == 0, done
    return json.loads(done.stdout), done.stderr


def is_refused(done, reason):
    return (done.returncode, done.stdout) == (2, "") and reason in done.stderr and "Traceback" not in done.stderr


# ---- captures --------------------------------------------------------------------------------------------


def test_a_capture_that_is_cut_in_its_last_packet_has_its_report():
    cut = in_home("cut.pcap", CALLS.read_bytes()[:-20])
    whole, _ = report(tshark.readable(CALLS))
    data, said = report(cut)
    assert (whole["cut_short"], data["cut_short"], data["frames"]) == (False, True, whole["frames"] - 1)
    assert f"{cut} is cut short in its last packet" in said
    assert run("gamewire-report", "-q", cut, "-o", "cut.html").returncode == 0
    assert "cut.pcap, cut short in its last packet" in (tshark.scratch() / "home" / "cut.html").read_text(encoding="utf-8")


def test_a_capture_that_is_cut_in_its_last_packet_has_its_messages():
    cut = in_home("cut.pcap", CALLS.read_bytes()[:-20])
    whole, done = run("gamewire-messages", "-q", tshark.readable(CALLS)), run("gamewire-messages", "-q", cut)
    assert done.returncode == 0 and "is cut short in its last packet" in done.stderr and not whole.stderr
    assert len(done.stdout) > 10000 and whole.stdout.startswith(done.stdout) and done.stdout.endswith("\n")


@PROGRAMS
@pytest.mark.parametrize("content", [b"no capture at all", CALLS.read_bytes()[:10]], ids=["text", "header"])
def test_a_file_that_is_no_capture_is_refused(program, content):
    assert is_refused(run(program, "-q", in_home("none.pcap", content), *(["--json"] if program.endswith("report") else [])), "tshark: ")


@PROGRAMS
def test_a_name_that_is_not_utf_8_is_replaced_in_the_output(program):
    path = in_home(b"a\xff\xfe.pcap", CALLS.read_bytes())
    done = run(program, "-q", path, *(["--json"] if program.endswith("report") else ["--rows"]))
    assert done.returncode == 0 and json.loads(done.stdout if program.endswith("report") else done.stdout.splitlines()[0])["capture"].rpartition("/")[2] == "a��.pcap"
    if program.endswith("report"):
        assert run(program, "-q", path, "-o", "named.html").returncode == 0
        assert "<h1>a��.pcap</h1>" in (tshark.scratch() / "home" / "named.html").read_text(encoding="utf-8")


def test_packets_of_the_remote_file_system_are_those_of_a_game():
    data, said = report(tshark.readable(REMOTE_FS))
    frames = len(tshark.run(["-2", "-Y", "godot_remote_fs", "-T", "fields", "-e", "frame.number"], REMOTE_FS).stdout.split())
    assert said == "" and set(data["protocols"]) == {"godot_remote_fs"} and data["game_frames"] == frames > 10
    assert "godot_remote_fs.password.readable" in {finding["id"] for finding in data["findings"]}
    lines = [json.loads(line) for line in run("gamewire-messages", "-q", tshark.readable(REMOTE_FS)).stdout.splitlines()]
    assert {line["frame"] for line in lines} <= set(range(1, data["frames"] + 1)) and len(lines) == data["messages"] >= frames and {line["kind"] for line in lines} == {"files"}
    assert "game.gd" in str([line["fields"].get("path") for line in lines])


# ---- damaged packets -------------------------------------------------------------------------------------


def collected(*found):
    collector = collect.Collector()
    for message in found:
        whole = {"frame": 1, "time": 1.0, "from": "a", "to": "b", "source": "a:1", "destination": "b:2", **message}
        collector.frame(source.Frame(1, 1.0, 60, "a:1", "b:2", ("udp.stream", "0"), (message["protocol"],), [whole], {},
                                     {"godot_mp.sync.update.late": 1} if "updates" in message else {}))
    return collector


def test_a_damaged_message_of_paths_has_no_node():
    collector = collected({"protocol": "godot_mp", "kind": "path", "checksum": "5" * 32})
    assert (collector.counts, collector.scripts.nodes) == ({"godot_mp.kind": {"path": 1}}, {})


@pytest.mark.parametrize("message", [
    {"protocol": "leviathan", "kind": "response", "response_time": 0.3}, {"protocol": "squirrel", "kind": "Reply", "failed": True},
    {"protocol": "godot_mp", "kind": "sync", "updates": [{"late": True, "values": []}]}], ids=["type", "token", "interval"])
def test_a_damaged_message_is_counted(message):
    assert collected(message).messages == 1
    assert next(loading.Rows("name").of(0, message))["kind"] == message["kind"]


@pytest.mark.parametrize("depth", [190, 1000])
def test_a_packet_with_deep_values_has_its_message(udp_capture, depth):
    pair = words(4, 1) + b"a\0\0\0"
    path = tshark.readable(udp_capture(tshark.request((words(27, 1) + pair) * depth + words(27, 0))))
    options = ("--", "-d", f"udp.port=={tshark.SERVER_PORT},godot", "-o", "godot.generation:4")
    done = run("gamewire-messages", "-q", path, *options)
    assert (done.returncode, done.stderr) == (0, "") and '"kind":"variant"' in done.stdout
    data, said = report(path, *options)
    assert data["messages"] == 1 and said == ""


# ---- options ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", ["late>1.2.3", "late>.", "late>1e", "late>", ">1", "", "late>-1", "late=1", "late>٣", "lates>0",
                                       "godot_mp.sync.laet>0", "late@>0", "tcp.analysis.retransmissions>0"])
def test_a_condition_that_cannot_hold_is_refused(condition):
    assert is_refused(run("gamewire-report", "-q", tshark.readable(CALLS), "--fail-on", condition), condition.split(">")[0])


@PROGRAMS
@pytest.mark.parametrize("option", ["-x", "-V", "-Tfields", "-T", "-q", "--version", "-w", "-G", "--no-duplicate-keys"])
def test_options_that_change_what_tshark_prints_are_refused(program, option):
    assert is_refused(run(program, "-q", tshark.readable(CALLS), "--", "-d", "enet.port==7777,godot_mp", option),
                      f"{option} changes what tshark prints")


def test_values_of_options_are_not_options():
    done = run("gamewire-messages", "-q", tshark.readable(CALLS), "--", "-C", "-x-", "-c", "20", "-o", "enet.format:0")
    assert "changes what tshark prints" not in done.stderr


@PROGRAMS
@pytest.mark.parametrize("text, reason", [(None, "there is no program"), ("exit 0", "is it tshark?"), ("echo hello", "is it tshark?"),
                                          ("echo '{\"frame\":'", "is it tshark?"), ("echo '{\"frame\":7}'", "is it tshark?"),
                                          ("echo bad >&2; exit 3", "status 3\nbad")],
                         ids=["missing", "nothing", "other", "damaged", "incomplete", "error"])
def test_another_program_than_tshark_is_refused(program, text, reason):
    path = tshark.scratch() / "home" / "other"
    path.unlink(missing_ok=True)
    if text:
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
    arguments = ["--json"] if program.endswith("report") else []
    assert is_refused(run(program, "-q", tshark.readable(CALLS), "--tshark", path, *arguments), reason)


@pytest.mark.parametrize("database", ["mysql", "", "clickhouse:", "clickhouse:a b", "duckdb:games", "clickhouse,"])
def test_a_database_without_a_definition_is_refused(database):
    assert is_refused(run("gamewire-messages", f"--table={database}"), "clickhouse:CLUSTER")


OUTPUTS = pytest.mark.parametrize("program, option", [("gamewire-messages", "-o"), ("gamewire-report", "-o"), ("gamewire-report", "--json")])


@OUTPUTS
def test_a_file_named_minus_is_standard_output(program, option):
    """As for tshark -w and most programs: no file of that name is written."""
    name = f"file-{program}"
    assert run(program, "-q", tshark.readable(CALLS), option, name).returncode == 0
    done = run(program, "-q", tshark.readable(CALLS), option, "-")
    assert done.returncode == 0 and done.stderr == "" and not (tshark.scratch() / "home" / "-").exists()
    assert len(done.stdout) > 1000 and done.stdout == (tshark.scratch() / "home" / name).read_text(encoding="utf-8")


def test_page_and_json_are_not_mixed_in_standard_output():
    assert is_refused(run("gamewire-report", "-q", tshark.readable(CALLS), "-o", "-", "--json"), "--json and -o")
    done = run("gamewire-report", "-q", tshark.readable(CALLS), "-o", "-", "--json", "beside-the-page.json")
    assert done.returncode == 0 and done.stdout.startswith("<") and "--json and -o" not in done.stderr


@pytest.mark.parametrize("program, options", [("gamewire-messages", ""), ("gamewire-report", "-o -"), ("gamewire-report", "--json")])
def test_the_reader_of_the_output_may_end_before_it(program, options):
    command = f"{program} -q '{tshark.readable(CALLS)}' {options} | head -n 1"
    done = subprocess.run(tshark.unprivileged() + ["sh", "-c", command], env={**tshark.environment_of_programs(), "PATH": search_path()},
                          capture_output=True, text=True, timeout=tshark.TIMEOUT, check=False)
    assert done.stderr == "" and done.stdout.count("\n") == 1 and done.stdout[0] == ("<" if "-o" in options else "{")
    assert program == "gamewire-report" or json.loads(done.stdout)["frame"] == 1


# ---- loading ---------------------------------------------------------------------------------------------


class Server(http.server.BaseHTTPRequestHandler):
    """In the place of ClickHouse: keeps what is sent."""

    received = []

    def do_POST(self):
        self.received.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def test_captures_of_all_names_and_folders_are_loaded_and_other_files_are_not():
    """The command has the options of tshark that it was printed with: only the first frames are read."""
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    folder = tshark.scratch() / "home" / "named"
    folder.mkdir()
    names = ["match [1-3].pcap", "match {a,b}.pcap", "match 'c'.pcap", "monday/game.pcapng", "tuesday/game.pcapng"]
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).parent.chmod(0o777)
        shutil.copy(tshark.PCAPS / "enet" / "channels.pcap", folder / name)
        (folder / name).chmod(0o644)
    for name in ("match.pcap.html", "match.pcap.jsonl", "match.pcap.rows", "game.pcapng.html"):
        (folder / name).write_text("written for a capture\n", encoding="utf-8")
    folder.chmod(0o777)
    command = run("gamewire-messages", "--load-command", "--", "-c", "20", "-o", "enet.format: Stock ENet").stdout
    assert command.endswith(" -- -c 20 -o 'enet.format: Stock ENet'\n")
    command = command.replace("'enet.format: Stock ENet'", "nameres.network_name:FALSE")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = subprocess.run(tshark.unprivileged() + ["sh", "-ec", command], cwd=folder,
                              env={**tshark.environment_of_programs(), "PATH": search_path(), "CLICKHOUSE": f"http://127.0.0.1:{server.server_port}"},
                              capture_output=True, text=True, timeout=tshark.TIMEOUT, check=False)
        server.shutdown()
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(json.loads(body.splitlines()[0])["capture"] for body in Server.received) == sorted(names)
    assert all(json.loads(line)["frame"] <= 20 for body in Server.received for line in body.splitlines())


# ---- elastic.py ------------------------------------------------------------------------------------------


def elastic(text, *arguments):
    done = subprocess.run([*tshark.unprivileged(), "/usr/bin/env", "python3", str(tshark.readable(TOOLS) / "elastic.py"), *arguments],
                          input=text, env=tshark.environment(), capture_output=True, timeout=tshark.TIMEOUT, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module", name="template")
def _template():
    status, text, _ = elastic(tshark.run(["-G", "fields"]).stdout.encode(), "template", "godot")
    assert status == 0
    return in_home("template.json", text.encode())


PACKET = '{"timestamp": "1", "layers": {"godot": {"godot_godot_int": "1"}}}\n'


@pytest.mark.parametrize("line", ['{"timestamp": "1", "layers": {"go', "[1]", "5", "hello", '{"index": 5}', '{"layers": [1]}', "{}",
                                  '{"timestamp": "1", "layers": {"godot": {"a": NaN}}}', '{"layers": {"a": ' + "[" * 100000], ids=range(9))
def test_lines_that_are_cut_or_foreign_are_refused(template, line):
    status, printed, said = elastic((PACKET + line).encode(), "bulk", template)
    assert status == 2 and said.startswith("elastic.py: line 2 is cut, or is not of tshark -T ek: ") and said.count("\n") == 1
    assert json.loads(printed)["layers"]["godot"]["godot_godot_int"] == 1


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b'{"template": 1', b"\xff\xfe"], ids=range(5))
def test_a_template_of_another_program_is_refused(text):
    status, printed, said = elastic(PACKET.encode(), "bulk", in_home("other.json", text))
    assert (status, printed) == (2, "") and "is not a template that elastic.py has printed" in said and said.count("\n") == 1


@pytest.mark.parametrize("text", [b"", b"F\tshort\n", b"F\ta\tgodot.a\n\xff\xfe\n"], ids=range(3))
def test_a_list_without_the_fields_is_refused(text):
    status, printed, said = elastic(text, "template", "godot")
    assert (status, printed, said) == (2, "", "elastic.py: no fields of godot: is the plugin loaded?\n")


def test_texts_that_are_not_utf_8_are_replaced(template):
    status, printed, _ = elastic(b'{"timestamp": "1", "layers": {"frame": {"name": "a\xff", "other": "\\ud800"}}}\n', "bulk", template)
    assert status == 0 and json.loads(printed)["layers"]["frame"] == {"name": "a\ufffd", "other": "\ud800"}


def test_what_is_registered_is_read_of_whole_lines_only(tmp_path):
    program = tmp_path / "listing"
    program.write_text("#!/bin/sh\nprintf 'F\\tx\\nP\\tENet\\tenet\\nF\\tLate\\ta.late\\tFT_NONE\\tenet\\t\\t0x0\\tNote [Late]: Wait\\n"
                       "F\\tEnd\\ta.end\\tFT_UINT8\\tenet\\tBASE_DEC\\t0x0\\t\\nF\\n'\n", encoding="utf-8")
    program.chmod(0o755)
    found = registered.Registered(str(program))
    assert (found.kind("a.late"), found.kind("enet"), found.kind("x"), found.kind("late")) == ("FT_NONE", "FT_PROTOCOL", None, None)


def test_a_wrong_filter_is_tsharks_error():
    for program in ("gamewire-report", "gamewire-messages"):
        assert is_refused(run(program, "-q", tshark.readable(CALLS), "--", "-Y", "enet.nothing"), "enet.nothing")
