# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each command that the README and the pages print is run as it is printed, or listed in not_run.txt with the reason.

The commands are those of ```sh, ```console, ```bat and ```powershell blocks and of code in sentences: lines that begin with the
name of a program, the options -d, -z and -o of tshark, and rows of the tables in a profile. A ```bat line is run by sh, for which
its quotation marks have the same meaning as for cmd. Four pages have tests of their own for their blocks: my-game.md and
first-ten-minutes.md (test_my_game.py), own-bytes.md (test_own_bytes.py) and, for its sh blocks, in-ci.md (test_in_ci.py).
"""

import re
import shutil
import subprocess

import pytest

import gamewire_tshark as tshark
from plugin.all.documents import code_spans

PAGES = [
    path
    for path in [*sorted(tshark.SOURCE.glob("*.md")), *sorted((tshark.SOURCE / "plugin" / "docs").glob("*.md")),
                 *(tshark.SOURCE / name / "README.md" for name in ("codecs", "tests", "pcaps"))]
    if path.name != "CHANGELOG.md"
]
PROGRAMS = ("build", "cmake", "ctest", "curl", "dumpcap", "editcap", "gamewire-messages", "gamewire-report", "git", "godot", "ninja", "pkg-config", "python3", "sh", "sharkd",
            "ssh", "sudo", "tshark", "wireshark", "xattr")
# These pages' blocks are run by separate tests.
BLOCKS_WITH_TESTS = {("my-game.md", "console"), ("my-game.md", "sh"), ("first-ten-minutes.md", "console"), ("in-ci.md", "sh"), ("own-bytes.md", "console"),
                     ("own-bytes.md", "sh")}
NOT_RUN = tshark.SOURCE / "tests" / "plugin" / "all" / "not_run.txt"
ROW = re.compile(r'"[^"]+"(,"[^"]*")+')


def blocks(page):
    """The commands of a page's blocks: a ```sh block with variables is one command, otherwise each line is."""
    for language, block in re.findall(r"^```(sh|console|bat|powershell)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        if (page.name, language) in BLOCKS_WITH_TESTS:
            continue
        if language == "console":
            lines = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
        else:
            lines = [block] if re.match(r"\w+=", block) else block.splitlines()
        yield from (re.sub(r"\s+# .*", "", line).strip() for line in lines)


def is_command(span):
    words = span.split()
    return (len(words) > 1 and (words[0] in PROGRAMS or "=" in words[0])) or words[0] in ("-d", "-z", "-o") or ROW.fullmatch(span)


def commands():
    found = {}
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        spans = [span.replace("\\|", "|") for span in code_spans(re.sub(r"(?<=\S)\n(?=\S)", " ", text))]
        for command in (*blocks(page), *filter(is_command, spans)):
            found.setdefault(command, page.name)
    return found


def not_run():
    """{command: the reason why it is not run here}"""
    found, reason = {}, None
    for line in NOT_RUN.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            found[line.strip()] = reason
        elif line and not line.startswith("#"):
            reason = line
    return found


COMMANDS = commands()
RUN = {command: page for command, page in COMMANDS.items() if command not in not_run()}
DECODE_AS = [command for command in RUN if re.match(r"(tshark )?-d ", command)]
TAPS = [command for command in RUN if re.match(r"(tshark )?-z ", command)]
ROWS = [command for command in RUN if ROW.fullmatch(command)]
REST = [command for command in RUN if command not in (*DECODE_AS, *TAPS, *ROWS)]


def test_the_pages_have_commands_of_each_kind():
    assert len(DECODE_AS) > 8 and len(TAPS) > 8 and len(ROWS) > 1 and len(REST) > 5


def test_each_listed_command_is_in_a_page_and_has_a_reason():
    listed = not_run()
    assert set(listed) <= set(COMMANDS), set(listed) - set(COMMANDS)
    assert all(listed.values())


# ---- commands of the shell ---------------------------------------------------------------------------------

# The capture that pages call game.pcap: a conversation of each family.
GAME = ("godot/variant/godot-4.6.3-game", "godot/multiplayer/godot-4.6.3-calls", "enet/every-command", "leviathan/session", "squirrel/session")
NAMES = tshark.PCAPS / "godot/multiplayer" / "profile"

# There is no Elasticsearch: this curl accepts a request with a body.
CURL = """#!/bin/sh
while [ "$1" != --data-binary ]; do shift; done
test -s "${2#@}" && echo accepted
"""


@pytest.fixture
def project(tmp_path):
    """A reader's folder: captures, tools, a profile with the tables of names; writable for the unprivileged user."""
    tshark.merge_captures([tshark.PCAPS / f"{name}.pcap" for name in GAME], tmp_path / "game.pcapng")
    for name in ("game.pcap", "before.pcapng", "after.pcapng"):
        shutil.copy(tmp_path / "game.pcapng", tmp_path / name)
    shutil.copytree(tshark.SOURCE / "plugin" / "tools", tmp_path / "plugin" / "tools")
    profile = tmp_path / "config" / "profiles" / "Gamewire"
    shutil.copytree(tshark.SOURCE / "plugin" / "profile" / "Gamewire", profile)
    for table in NAMES.iterdir():
        shutil.copy(table, profile)
    samples = tmp_path / "pcaps" / "godot" / "multiplayer"
    samples.mkdir(parents=True)
    for name in ("godot-3.6-calls.pcap", "godot-4.6.3-missing.pcap"):
        shutil.copy(tshark.PCAPS / "godot" / "multiplayer" / name, samples)
    (tmp_path / "requests.json").write_text('{"jsonrpc": "2.0", "id": 1, "method": "load", "params": {"file": "game.pcap"}}\n')
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "curl").write_text(CURL)
    for program in ("gamewire-messages", "gamewire-report"):
        (tmp_path / "bin" / program).write_text(f'#!/bin/sh\nexec python3 "{tmp_path}/plugin/tools/{program}" "$@"\n')
    for path in (*tmp_path.parents[:2], tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o777)
    return tmp_path


def shell(command, folder):
    """Programs of the package are run from the source."""
    command = command.replace("/usr/share/gamewire/", f"{folder}/plugin/tools/")
    env = tshark.environment()
    env |= {"PATH": f"{folder / 'bin'}:{env['PATH']}", "WIRESHARK_CONFIG_DIR": str(folder / "config"), "CLUSTER": "http://cluster"}
    return subprocess.run(tshark.unprivileged() + ["sh", "-e", "-c", command], env=env, cwd=folder, capture_output=True, text=True,
                          timeout=tshark.TIMEOUT, check=False)


def has_output(done, command, folder):
    """Standard output, or the contents of the files after > or -o or of a new capture."""
    files = [folder / name for name in re.findall(r">\s?([\w.]+)|\s(part\.\w+)|-o ([\w.]+\.(?:jsonl?|html))", command) for name in name if name]
    return all(file.stat().st_size for file in files) if files else bool(done.stdout.strip())


@pytest.mark.parametrize("command", REST)
def test_a_command_works(command, project):
    done = shell(command, project)
    assert done.returncode == 0, done.stderr
    assert has_output(done, command, project), done.stdout
    assert not re.search(r"Dissector bug|tshark: |rror", done.stderr), done.stderr


# ---- options of tshark -------------------------------------------------------------------------------------

# A conversation for each dissector that is selected, with the port of its server.
CHOSEN = {
    "enet": ("enet/every-command", 40500),
    "godot": ("godot/variant/godot-4.6.3-game", 40300),
    "godot_debugger": ("godot/debugger/godot-4.6.3-debugger", 40700),
    "godot_mp": ("godot/multiplayer/godot-4.6.3-auth", 40600),
    "godot_remote_fs": ("godot/remote_fs/godot-4.6.3-remote-fs", 6010),
    "godot_stream": ("godot/stream/godot-4.6.3-stream", 40700),
    "leviathan": ("leviathan/session", 53221),
    "squirrel": ("squirrel/session", 8192),
    "websocket": ("godot/stream/godot-4.6.3-values-websocket", 40700),
}
# The same for those that are selected for what a carrier has.
CARRIED = {
    ("enet", "godot"): ("godot/enet/godot-4.6.3-enet-put-var", 40700),
    ("ws", "godot_mp"): CHOSEN["websocket"],
    ("ws", "json"): CHOSEN["websocket"],
}
# With these disabled, a conversation is decoded only with Decode As. ENet's heuristic stays enabled, because godot_mp
# is in ENet.
HEURISTICS = ("godot_udp", "godot_enet", "godot_multiplayer_enet", "godot_stream_tcp", "godot_debugger_tcp", "godot_remote_fs_tcp", "leviathan_udp",
              "squirrel_udp")


def moved(name, old, new, path):
    """A capture with the server port `new`."""
    capture = tshark.PCAPS / f"{name}.pcap"
    if list(tshark.read_pcap(capture)):
        def port(number):
            return new if number == old else number
        packets = tshark.read_pcap(capture)
        return tshark.write_pcap(path, [each._replace(sport=port(each.sport), dport=port(each.dport)) for each in packets])
    return tshark.move_tcp_port(capture, path, old, new)


@pytest.mark.parametrize("command", DECODE_AS)
def test_decode_as_decodes_what_is_not_recognized(command, tmp_path):
    carrier, port, protocol = re.search(r"(\w+)\.port==(\d+),(\w+)$", command).groups()
    options = command.removeprefix("tshark ").split()
    disabled = [part for name in HEURISTICS for part in ("--disable-heuristic", name)]
    if protocol == "enet":
        disabled += ["--disable-heuristic", "enet_udp"]
    capture = moved(*(CARRIED.get((carrier, protocol)) or CHOSEN[protocol]), int(port), tmp_path / "moved.pcap")
    if protocol == "websocket":
        capture = without_handshake(capture, tmp_path / "late.pcap")

    def found(*arguments):
        return tshark.run(["-2", *disabled, *arguments, "-Y", protocol], capture).stdout

    assert found(*options) and not found()


def without_handshake(capture, path):
    """A capture that begins after the WebSocket handshake."""
    frames = tshark.run(["-Y", "http", "-T", "fields", "-e", "frame.number"], capture, prefs={"http.tcp.port": "1-65535"}).stdout
    return tshark.cut_beginning(capture, path, int(frames.split()[-1]) + 1)


# The item that a statistic counts, if it is not the first part of its name.
COUNTED = {"enet": "enet/every-command", "godot": "godot/variant/godot-4.6.3-game", "leviathan": "leviathan/session",
           "squirrel": "squirrel/session"}


@pytest.mark.parametrize("command", TAPS)
def test_a_statistic_has_rows(command):
    options = command.removeprefix("tshark ").split()
    family = next(part for part in options[1].split(",") if part in COUNTED)
    printed = tshark.run(["-q", *options], tshark.PCAPS / f"{COUNTED[family]}.pcap").stdout
    empty = tshark.run(["-q", *options, "-Y", "frame.number == 0"], tshark.PCAPS / "godot/variant/godot-4.6.3-same-bytes.pcap").stdout
    assert len(printed.splitlines()) > len(empty.splitlines())


# ---- rows of tables ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_page_is_a_row_of_a_table(row):
    tables = [name for name in ("godot_custom_fields", "godot_rpc_names")
              if tshark.run(["-o", f"uat:{name}:{row}"], tshark.PCAPS / "godot/variant/godot-4.6.3-game.pcap", check=False).returncode == 0]
    expected = "godot_custom_fields" if re.search(r'"(int|float|string|bool)"$', row) else "godot_rpc_names"
    assert expected in tables
