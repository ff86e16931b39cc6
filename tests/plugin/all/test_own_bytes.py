# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Dissectors of a game's own bytes: the examples of plugin/docs/own-bytes.md in Lua and in C, on captures of a real engine whose
record has the content of each snapshot; and the tables and the list through which the bytes come to them."""

import os
import re
import shutil
import subprocess
from collections import Counter

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.multiplayer.samples import DECODE_AS, tables

PATH = tshark.SOURCE / "plugin" / "docs" / "own-bytes.md"
PAGE = PATH.read_text(encoding="utf-8")
EXAMPLES = tshark.SOURCE / "plugin" / "docs" / "examples"
MULTIPLAYER = tshark.PCAPS / "godot/multiplayer"
SNAPSHOTS = MULTIPLAYER / "godot-4.6.3-snapshots.pcap"
ENET_SNAPSHOTS = tshark.PCAPS / "godot/enet" / "godot-4.6.3-enet-snapshots.pcap"
IN_ENET = ("-d", f"udp.port=={tshark.SERVER_PORT},enet")

NAMES = ["snapshot.tick", "snapshot.count", "snapshot.id", "snapshot.x", "snapshot.y"]
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])


def lua(path):
    return ("-X", f"lua_script:{tshark.readable(path)}")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def plugins(tmp_path_factory):
    """A plugin folder with the C example, built with the page's commands against the installed headers."""
    work = tmp_path_factory.mktemp("example")
    (work / "plugin").symlink_to(tshark.SOURCE / "plugin")
    # Without a generator the commands need make.
    env = {**os.environ, "CMAKE_GENERATOR": "Ninja", "CFLAGS": "-Wall -Wextra -Wshadow -Werror", "DESTDIR": str(work / "installed")}
    for command in [*blocks("sh")[0].splitlines(), "cmake --install build/snapshot"]:
        done = subprocess.run(command.split(), cwd=work, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    example_plugin, = (work / "installed").rglob("epan/snapshot.so")
    shutil.copytree(os.environ["GAMEWIRE_PLUGIN_DIR"], work / "plugins")
    for folder in (work / "plugins").glob("*/epan"):
        shutil.copy(example_plugin, folder)
    return tshark.readable(work / "plugins")


@pytest.fixture(params=["lua", "c"])
def example(request):
    """A function that calls one of gamewire_tshark with an example loaded: `example(function, capture, *arguments)`."""
    if request.param == "c":
        folder = request.getfixturevalue("plugins")
        return lambda function, *arguments: function(*arguments, plugins=folder)
    script = lua(EXAMPLES / "snapshot.lua")
    return lambda function, *arguments: function(*arguments, *script)


def output_of(capture, *arguments, **options):
    return tshark.run(arguments, capture, **options).stdout


# ---- the examples ----------------------------------------------------------------------------------------


def content(snapshot):
    return (snapshot["tick"], *((one["id"], one["x"], one["y"]) for one in snapshot["entities"]))


def copies(line, ids):
    """The number of packets in the capture: one for each receiver, two if the server relays it."""
    if line["target"] == 0:
        return len(ids) - 1
    return 1 if 1 in (line["target"], line["peer"]) else 2


def expected_snapshots():
    """{content: number of times that it is in the multiplayer capture}"""
    log = gamewire_records.read("godot/multiplayer", "godot-4.6.3-snapshots.calls")
    ids = {line["id"] for line in log if line["event"] == "peer"}
    found, pending = Counter(), []
    for line in log:
        if line["event"] == "snapshot":
            pending.append(content(line))
        elif line["event"] == "send_bytes" or str(line.get("method")).startswith("submit_") and line["event"] == "call":
            for one in pending:
                found[one] += copies(line, ids)
            pending = []
    return found


def expected_in_enet():
    log = gamewire_records.read("godot/enet", "godot-4.6.3-enet-snapshots.calls")
    return Counter(content(line["snapshot"]) for line in log)


def shown_snapshots(packets):
    found = Counter()
    for packet in packets:
        entities = iter(zip(map(int, packet["snapshot.id"]), map(float, packet["snapshot.x"]), map(float, packet["snapshot.y"])))
        for tick, count in zip(packet["snapshot.tick"], packet["snapshot.count"]):
            found[int(tick), *(next(entities) for _ in range(int(count)))] += 1
        assert not list(entities)
    return found


@PASSES
def test_each_snapshot_in_arguments_and_raw_messages_is_decoded(example, passes):
    found = shown_snapshots(example(tshark.fields, SNAPSHOTS, NAMES, *tables(), *passes))
    assert found == expected_snapshots()
    assert found.total() == 40


@PASSES
def test_each_snapshot_in_enet_without_multiplayer_is_decoded(example, passes):
    found = shown_snapshots(example(tshark.fields, ENET_SNAPSHOTS, NAMES, *passes))
    assert found == expected_in_enet()
    assert found.total() == 6


@PASSES
def test_a_filter_by_the_format_finds_its_packets(example, passes):
    packets = example(tshark.fields, SNAPSHOTS, [*NAMES, "frame.number"], *tables(), *passes, "-Y", "snapshot.x > 151")
    expected = {one: times for one, times in expected_snapshots().items() if any(x > 151 for _, x, _ in one[1:])}
    assert len(packets) == sum(expected.values())
    assert shown_snapshots(packets) == expected


def test_a_tap_without_a_tree_finds_the_fields(example):
    options = ["-q", *tables(), "-z", "io,stat,0,COUNT(snapshot.tick)snapshot.tick"]
    statistics = example(output_of, SNAPSHOTS, *options)
    row, = re.findall(r"<> .*\|\s*(\d+)\s*\|", statistics)
    assert int(row) == expected_snapshots().total()


def test_the_line_of_a_call_contains_that_of_its_argument(example):
    lines = example(tshark.info_column, SNAPSHOTS, *tables(), "-Y", "snapshot")
    assert Counter(lines) == {
        **{f"RPC submit_snapshot(Snapshot {tick}, entities: {tick % 4}) on Main/Part/Arena": 3 for tick in (100, 101, 102)},
        **{f"Raw, 26 bytes: Snapshot {tick}, entities: 2": 3 for tick in (300, 301, 302)},
        "RPC submit_history(200, Snapshot 200, entities: 1, Snapshot 201, entities: 2) on Main/Part/Arena": 3,
        **{f"Relay {way} client {peer}: {line}": 1 for way, peer in relays() for line in (
            *(f"RPC submit_snapshot(Snapshot {tick}, entities: {tick % 4}) on Main/Part/Arena" for tick in (100, 101, 102)),
            *(f"Raw, 26 bytes: Snapshot {tick}, entities: 2" for tick in (300, 301, 302)),
            "RPC submit_history(200, Snapshot 200, entities: 1, Snapshot 201, entities: 2) on Main/Part/Arena")},
    }


def relays():
    """Client 1 sends the snapshots, the server sends them on to client 2."""
    log = gamewire_records.read("godot/multiplayer", "godot-4.6.3-snapshots.calls")
    ids = {line["process"]: line["id"] for line in log if line["event"] == "peer"}
    return ("to", ids["client2"]), ("from", ids["client1"])


def test_the_items_have_the_bytes_of_the_snapshot(example):
    """Frame 35 is the call with two snapshots: items of both at their own bytes."""
    tree, = example(tshark.items, SNAPSHOTS, "godot_mp", *tables(), "-Y", "frame.number == 35")
    datagram_bytes = SNAPSHOTS.read_bytes()
    ticks = [item for item in tshark.flattened(tree) if item.name == "snapshot.tick"]
    assert [item.value for item in ticks] == ["200", "201"]
    snapshots = [bytes.fromhex(line["bytes"]) for line in gamewire_records.read("godot/multiplayer", "godot-4.6.3-snapshots.calls")
                 if line["event"] == "snapshot" and line["tick"] in (200, 201)][:2]
    frame = frames(datagram_bytes)[34]
    assert [frame[item.start - 1:item.start - 1 + len(one)] for item, one in zip(ticks, snapshots)] == snapshots


def frames(capture):
    """The frames of a little-endian pcap."""
    found, offset = [], 24
    while offset < len(capture):
        size = int.from_bytes(capture[offset + 8:offset + 12], "little")
        found.append(capture[offset + 16:offset + 16 + size])
        offset += 16 + size
    return found


def test_fields_of_the_multiplayer_message_are_the_same_with_an_example(example):
    names = [field.filter for field in tshark.registered_fields() if field.parent in ("godot_mp", "enet")]
    assert example(tshark.fields, SNAPSHOTS, names, *tables()) == tshark.fields(SNAPSHOTS, names, *tables())


def test_without_an_example_the_bytes_are_shown():
    line = tshark.info_column(SNAPSHOTS, *tables(), "-Y", "frame.number == 21")[0]
    log = gamewire_records.read("godot/multiplayer", "godot-4.6.3-snapshots.calls")
    call = next(line for line in log if line.get("method") == "submit_snapshot")
    assert line == f"RPC submit_snapshot({call['arguments'][0]}) on Main/Part/Arena"


def test_a_method_without_a_name_is_not_found_by_name(example):
    """Without the tables of names the calls have numbers; raw messages need no names."""
    raw = {one for one in expected_snapshots() if one[0] >= 300}
    assert set(shown_snapshots(example(tshark.fields, SNAPSHOTS, NAMES))) == raw


# ---- formats that are not decoded completely ---------------------------------------------------------------


def snapshot(tick, count=0):
    return b"S" + tick.to_bytes(4, "little") + bytes([count])


def test_a_snapshot_that_is_too_short_leaves_the_next_message(example, udp_capture):
    """In ENet, without multiplayer: the first message has an entity less than it says."""
    path = udp_capture(tshark.request(datagram(reliable(1, snapshot(7, 1)) + reliable(2, snapshot(8)))))
    row, = example(tshark.fields, path, [*NAMES, "enet.length", "_ws.malformed", "_ws.lua.error"], *IN_ENET)
    assert row["snapshot.tick"] == ["7", "8"]
    assert len(row["enet.length"]) == 2
    assert row["_ws.malformed"] or row["_ws.lua.error"]


def test_a_snapshot_that_is_too_short_leaves_the_next_raw_message(example, udp_capture):
    messages = reliable(1, b"\x03" + snapshot(7, 1)) + reliable(2, b"\x03" + snapshot(8))
    path = udp_capture(tshark.request(datagram(messages)))
    options = (*DECODE_AS, "-o", "godot_mp.generation:4")
    row, = example(tshark.fields, path, [*NAMES, "godot_mp.data", "_ws.col.Info"], *options)
    assert row["snapshot.tick"] == ["7", "8"]
    assert len(row["godot_mp.data"]) == 2
    first, second = row["_ws.col.Info"][0].split("; ")
    assert first.startswith("Raw, 6 bytes: Snapshot 7, entities: 1")
    assert second == "Raw, 6 bytes: Snapshot 8, entities: 0"


BROKEN = """
local broken = Proto("broken", "Broken")
function broken.dissector(buffer, pinfo, tree)
    error("always")
end
DissectorTable.get("godot_mp.rpc.method"):add("submit_history", broken)
DissectorTable.get("godot_mp.raw.first_byte"):add(0x53, broken)
"""


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "script.lua"
        path.write_text(text, encoding="utf-8")
        return lua(path)
    return write


def test_a_script_that_fails_leaves_the_fields_of_the_message(script):
    names = ["godot_mp.rpc.method", "godot_mp.rpc.argument", "godot_mp.rpc.path", "godot_mp.data", "godot_mp.sync.net_id"]
    without = tshark.fields(SNAPSHOTS, names, *tables())
    broken = tshark.fields(SNAPSHOTS, names, *tables(), *script(BROKEN))
    assert broken == without
    assert ["submit_history"] in [row["godot_mp.rpc.method"] for row in without]
    assert "always" in tshark.run(["-V", *tables(), *script(BROKEN)], SNAPSHOTS).stdout


# ---- the tables --------------------------------------------------------------------------------------------

GOT = """
local got = Proto("got", "Got")
local bytes = ProtoField.bytes("got.bytes", "Bytes")
got.fields = {bytes}
function got.dissector(buffer, pinfo, tree)
    tree:add(bytes, buffer())
    pinfo.cols.info = "Got " .. buffer:len()
    return buffer:len()
end
"""
BY_METHOD = GOT + """
local methods = DissectorTable.get("godot_mp.rpc.method")
methods:add("take_bytes", got)
methods:add("Take", got)
methods:add("tak", got)
"""


def logged_bytes(capture):
    """The bytes that take_bytes was called with."""
    log = gamewire_records.read("godot/multiplayer", f"{capture}.calls")
    arguments = {line["arguments"][0] for line in log if line.get("method") == "take_bytes"}
    return {bytes(int(part) for part in text[text.index("(") + 1:-1].split(",")).hex() for text in arguments}


TAKING_BYTES = ("godot-3.6-calls", "godot-3.6-calls-websocket", "godot-4.6.3-calls", "godot-4.6.3-calls-websocket")


@pytest.fixture(scope="module")
def rows_by_method():
    """{capture: its packets}"""
    path = tshark.scratch() / "by-method.lua"
    path.write_text(BY_METHOD, encoding="utf-8")
    names = ["got.bytes", "godot_mp.rpc.method", "_ws.col.Info"]
    paths = tuple(MULTIPLAYER / f"{capture}.pcap" for capture in TAKING_BYTES)
    return dict(zip(TAKING_BYTES, tshark.fields_of_each(paths, names, *tables(), *lua(path)).values()))


@pytest.mark.parametrize("capture", TAKING_BYTES)
def test_a_method_of_either_generation_is_found_by_its_whole_name(rows_by_method, capture):
    rows = rows_by_method[capture]
    got = [text.replace(":", "") for row in rows for text in row["got.bytes"]]
    assert set(got) == logged_bytes(capture) and len(set(got)) == 3
    assert len(got) == sum(row["godot_mp.rpc.method"].count("take_bytes") for row in rows)
    lines = {part for row in rows for part in row["_ws.col.Info"][0].split("; ") if "take_bytes" in part}
    assert {line.removeprefix(line[:line.index("RPC")]) for line in lines} == {
        f"RPC take_bytes(Got {len(text) // 2}) on Main/Units/Hero" for text in logged_bytes(capture)}


ORDER = GOT + """
local first = Proto("first", "First")
local seen = ProtoField.string("first.seen", "Seen")
first.fields = {seen}
function first.dissector(buffer, pinfo, tree)
    tree:add(seen, buffer(0, 1), "table")
    return %s
end
DissectorTable.get("godot_mp.raw.first_byte"):add(0x1b, first)
got:register_heuristic("godot.raw", function(buffer, pinfo, tree)
    if buffer(0, 1):uint() ~= 0x1b then
        return false
    end
    tree:add(seen, buffer(0, 1), "list")
    pinfo.cols.info = "from the list"
    return %s
end)
"""
RAW = MULTIPLAYER / "godot-4.6.3-raw.pcap"


@pytest.mark.parametrize("table, heuristic, seen, line", [
    ("buffer:len()", "true", ["table"], None),
    ("0", "true", ["table", "list"], ": from the list"),
    ("0", "false", ["table", "list"], ': from the list'),
], ids=["the table", "the list", "neither"])
def test_the_table_of_the_first_byte_is_before_the_list_and_that_before_variants(script, table, heuristic, seen, line):
    names = ["first.seen", "godot.key", "godot_mp.data", "_ws.col.Info"]
    rows = [row for row in tshark.fields(RAW, names, *script(ORDER % (table, heuristic))) if row["first.seen"]]
    assert len(rows) == 6  # to two peers, to one, to the server, and relayed, which is in the capture twice
    for row in rows:
        assert row["first.seen"] == seen
        assert bool(row["godot.key"]) == (heuristic == "false")
        assert (line in row["_ws.col.Info"][0]) if line else row["_ws.col.Info"][0].endswith(" bytes")


AUTHENTICATION = GOT + """
for byte = 0, 255 do
    DissectorTable.get("godot_mp.raw.first_byte"):add(byte, got)
end
local listed = Proto("listed", "Listed")
local seen = ProtoField.bytes("listed.bytes", "Bytes")
listed.fields = {seen}
listed:register_heuristic("godot.raw", function(buffer, pinfo, tree)
    tree:add(seen, buffer())
    return true
end)
"""


def test_authentication_comes_to_the_list_but_not_to_the_table(script):
    capture = MULTIPLAYER / "godot-4.6.3-auth.pcap"
    options = ("-2", "-d", "enet.port==40600,godot_mp")
    rows = tshark.fields(capture, ["got.bytes", "listed.bytes", "godot_mp.system", "godot_mp.data"], *options, *script(AUTHENTICATION))
    listed = [text.replace(":", "") for row in rows for text in row["listed.bytes"]]
    log = gamewire_records.read("godot/multiplayer", "godot-4.6.3-auth.calls")
    assert sorted(listed) == sorted(line["bytes"] for line in log if line["event"] == "send_auth")
    assert not any(row["got.bytes"] for row in rows)


ENET_ORDER = GOT + """
DissectorTable.get("enet.first_byte"):add(0x53, got)
got:register_heuristic("enet", function(buffer, pinfo, tree)
    pinfo.cols.info = "from the list"
    return true
end)
"""


def test_in_enet_the_port_is_before_the_first_byte_and_that_before_the_list(script, udp_capture):
    path = udp_capture(tshark.request(datagram(reliable(1, b"S1") + reliable(2, b"T2"))))
    assert tshark.info_column(path, *IN_ENET, *script(ENET_ORDER)) == ["Got 2; from the list"]
    chosen = tshark.fields(path, ["got.bytes", "data.data"], *IN_ENET, "-d", f"enet.port=={tshark.SERVER_PORT},data", *script(ENET_ORDER))
    assert chosen == [{"got.bytes": [], "data.data": [b"S1".hex(), b"T2".hex()]}]


# ---- the page ----------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path):
    """A reader's folder with the captures and the script."""
    for path in (SNAPSHOTS, ENET_SNAPSHOTS, EXAMPLES / "snapshot.lua"):
        copy = tmp_path / path.relative_to(tshark.SOURCE)
        copy.parent.mkdir(parents=True)
        shutil.copy(path, copy)
    for path in (*tmp_path.parents[:2], tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return tmp_path


COMMANDS = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks("console")), re.MULTILINE)


@pytest.mark.parametrize("command, printed", COMMANDS, ids=range(len(COMMANDS)))
def test_a_command_prints_the_output_in_the_page(command, printed, project):
    """GAMEWIRE_UPDATE_GOLDEN=1 writes it again; the table of a statistic, "…", differs between versions."""
    done = subprocess.run(tshark.unprivileged() + ["sh", "-e", "-c", command], env=tshark.environment_of_programs(), cwd=project,
                          capture_output=True, text=True, timeout=tshark.TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    if tshark.updating_golden() and "io,stat" not in command:
        page = PATH.read_text(encoding="utf-8")
        tshark.rewrite_golden(PATH, page.replace(f"$ {command}\n{printed}", f"$ {command}\n{done.stdout}"))
    assert done.stdout == printed or (printed == "…\n" and "203.5" in done.stdout)


def rows(section):
    text = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(.*?)` \| ", text, re.MULTILINE)


def test_each_filter_of_the_page_finds_packets():
    texts = rows("Find the bytes") + rows("Filters, columns, graphs")
    capture, _ = tshark.together((SNAPSHOTS, ENET_SNAPSHOTS))
    counts = tshark.counts(capture, texts, *tables(), *lua(EXAMPLES / "snapshot.lua"))
    assert texts and [text for text, count in zip(texts, counts, strict=True) if not count] == []


def test_the_listings_of_the_page_are_in_the_examples():
    script, = blocks("lua")
    assert (EXAMPLES / "snapshot.lua").read_text(encoding="utf-8").endswith(script)
    source = (EXAMPLES / "snapshot" / "packet-snapshot.c").read_text(encoding="utf-8")
    functions, = blocks("c")
    assert all(function.strip() in source for function in functions.split("\n\n"))
