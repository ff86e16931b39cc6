# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tshark with the plugin that was just built, and with nothing of this machine's Wireshark settings.

What a test uses:

    run(args, capture)            tshark, checked: its status, and that no dissector bug was reported
    json_packets(capture)         each packet's decoded layers, ours only
    fields(capture, names)        each packet's values of some fields
    layer_bytes(capture, layers)  each packet's bytes of the layers of some protocols
    items(capture, layer)         each packet's tree of a protocol, with the range of each item
    info_column(capture)          each packet's Info text
    verbose(capture)              the trees as text
    write_pcap(path, packets)     a capture of UDP payloads
    apart(conversations)          several conversations for one capture
    split(found, conversations)   what was found in such a capture, for each conversation
    fields_of_each(captures, names)   fields() of several captures, with one start of tshark
    write_tcp(path, segments)     a capture of one TCP connection
    write_tcp_connections(path, connections)   a capture of several, in both directions
    cut_beginning(capture, path, first)   a capture without its first packets
    merge_captures(captures, path)        several captures as one
    capture_folders()             the folders of pcaps/ that have captures, relative to it
    captures_of(folder)           all captures of one of them as one
    counts(capture, filters)      the number of packets that each filter finds
    read_pcap(path)               the UDP payloads of a capture
    read_frames(path)             its packets, with their times
    comma_locale()                an environment in which the decimal point is a comma
    check_golden(capture, file)   compares the decoding of a whole capture with a checked-in file

The program is the first `tshark` in PATH: tests/windows.sh puts one there that runs tshark.exe. In ctest most runs are done by a
tshark that was started once for the process (tshark_server.py).

tshark as root ignores, silently, plugins outside the system's folder. So for root everything here runs as an
unprivileged user, on copies which that user can read.
"""

import atexit
import bisect
import functools
import itertools
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import kept_reports
import tshark_server

PROTOCOLS = ("enet", "godot", "godot_debugger", "godot_mp", "godot_remote_fs", "godot_stream", "leviathan", "squirrel")

SOURCE = Path(__file__).resolve().parents[2]
TESTS = SOURCE / "tests" / "plugin"
PCAPS = SOURCE / "pcaps"

# The folder of a protocol's captures below pcaps/, and of its tests below plugin/: the path of its code.
FOLDERS = {**{protocol: protocol for protocol in PROTOCOLS}, "godot": "godot/variant", "godot_debugger": "godot/debugger",
           "godot_mp": "godot/multiplayer", "godot_remote_fs": "godot/remote_fs", "godot_stream": "godot/stream"}

NOBODY = 65534  # Debian's user and group without any files
TIMEOUT = 120

PLUGIN_FILES = ("gamewire.so", "gamewire.dll")

# What no protocol of ours needs, and Wireshark reads at each start: names of vendors, ports and enterprises, which with -n are
# not used either (four megabytes, a third of the time that 4.0 takes to start), and the grammars of XML documents (a twentieth).
READ_AT_EACH_START = ("manuf", "services", "enterprises.tsv", "wka", "dtds")

# 4.0 prints six digits of an FT_FLOAT and fifteen of an FT_DOUBLE, 4.6 as many as are needed.
RELATIVE_TOLERANCE = {"FT_FLOAT": 1e-5, "FT_DOUBLE": 1e-14}
# With these, tshark writes files.
WRITES = {"-w", "--export-objects"}
# Variables of run() with which tshark reads the same files as it starts.
SERVED = {"LC_ALL", "LOCPATH", "WIRESHARK_DEBUG_WMEM_OVERRIDE"}
BOOLEANS = {"True": "1", "False": "0", "true": "1", "false": "0"}


class TsharkError(AssertionError):
    """tshark failed, did not end, was not found, or reported a bug in a dissector."""


class Result(NamedTuple):
    stdout: str
    stderr: str
    returncode: int


# ---- the environment of a run --------------------------------------------------------------------


def is_root():
    return os.geteuid() == 0


@functools.lru_cache(maxsize=None)
def scratch():
    """A folder for this process that tshark's user can read; it is deleted at the end."""
    folder = Path(tempfile.mkdtemp(prefix="gamewire-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    home = folder / "home"
    (home / "none").mkdir(parents=True)
    if is_root():
        os.chown(home, NOBODY, NOBODY)
    return folder


@functools.lru_cache(maxsize=None)
def plugin_dir():
    """The folder of the built plugin, in the form of WIRESHARK_PLUGIN_DIR."""
    built = os.environ.get("GAMEWIRE_PLUGIN_DIR")
    if not built:
        raise TsharkError("set GAMEWIRE_PLUGIN_DIR to <build>/plugins, or run the tests through ctest")
    if not any(list(Path(built).glob(f"*/epan/{file}")) for file in PLUGIN_FILES):
        raise TsharkError(f"no */epan/{PLUGIN_FILES[0]} in GAMEWIRE_PLUGIN_DIR={built}")
    return readable(Path(built))


def readable(path):
    """`path`, or for root a copy of it that the unprivileged user can read."""
    if not is_root():
        return path
    state = path.stat()
    return _readable_copy(path.resolve(), state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=None)
def _readable_copy(path, _modified, _size):
    copy = Path(tempfile.mkdtemp(dir=scratch())) / path.name
    if path.is_dir():
        shutil.copytree(path, copy)
    else:
        shutil.copyfile(path, copy)
    for folder in (copy.parent, copy, *copy.rglob("*")):
        folder.chmod(0o755 if folder.is_dir() else 0o644)
    return copy


@functools.lru_cache(maxsize=None)
def data_dir():
    """Wireshark's data folder without READ_AT_EACH_START, or None where it is not beside the program (tests/windows.sh)."""
    program = shutil.which("tshark")
    installed = Path(program).resolve().parents[1] / "share" / "wireshark" if program else Path()
    if not installed.is_dir():
        return None
    folder = scratch() / "data"
    folder.mkdir()
    for entry in installed.iterdir():
        if entry.name not in READ_AT_EACH_START:
            (folder / entry.name).symlink_to(entry)
    return folder


def environment(plugins=None):
    """The environment of tshark: of the caller's, only PATH. Dissector bugs abort, memory is checked."""
    home = scratch() / "home"
    env = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "HOME": str(home),
        "WIRESHARK_CONFIG_DIR": str(home / "config"),
        "WIRESHARK_PLUGIN_DIR": str(plugins or plugin_dir()),
        # No capture helpers: `-G plugins` would start each of them, and one searches for telephones.
        "WIRESHARK_EXTCAP_DIR": str(home / "none"),
        "WIRESHARK_ABORT_ON_DISSECTOR_BUG": "1",
        "WIRESHARK_ABORT_ON_TOO_MANY_ITEMS": "1",
        "WIRESHARK_DEBUG_WMEM_OVERRIDE": "strict",
    }
    if data_dir():
        env["WIRESHARK_DATA_DIR"] = str(data_dir())
    preload = os.environ.get("GAMEWIRE_PRELOAD")
    if preload:
        # The sanitizer detects errors in single blocks only if each is allocated by malloc.
        env.update(
            LD_PRELOAD=preload,
            WIRESHARK_DEBUG_WMEM_OVERRIDE="simple",
            G_SLICE="always-malloc",
            ASAN_OPTIONS="detect_leaks=0:abort_on_error=1",
            UBSAN_OPTIONS="print_stacktrace=1",
        )
    return env


@functools.lru_cache(maxsize=None)
def environment_of_programs():
    """The environment of programs and commands that run tshark. Where a test changes what tshark reads as it starts, such as its folders,
    it is environment()."""
    return tshark_server.client_environment([*unprivileged(), "tshark"], environment(), scratch())


def without_memory_checks():
    """The environment variables with which Wireshark's allocator does not check memory, as for users: a run on a large capture
    takes half the time. The sanitizers check each run."""
    return {} if os.environ.get("GAMEWIRE_PRELOAD") else {"WIRESHARK_DEBUG_WMEM_OVERRIDE": "block"}


def comma_locale():
    """The environment variables with which the decimal point of the locale is a comma; skips the test if there is no
    such locale."""
    folder = Path(os.environ.get("GAMEWIRE_LOCALES", "/nonexistent"))
    if not (folder / "de_DE.UTF-8" / "LC_NUMERIC").is_file():
        pytest.skip("no locale de_DE.UTF-8 was built")
    return {"LC_ALL": "de_DE.UTF-8", "LOCPATH": str(readable(folder))}


def command_line(args, capture=None, prefs=None):
    """The command of run(), without unprivileged()."""
    command = ["tshark"]
    if capture is not None:
        command += ["-n", "-r", str(readable(Path(capture)))]
    for name, value in (prefs or {}).items():
        command += ["-o", f"{name}:{_preference(value)}"]
    return command + [str(arg) for arg in args]


def only_ours(*others):
    """Options with which -T pdml, json and ek print only the layers of our protocols, those of RakNet, below which Squirrel's may
    be, and `others`: less than half of the text for tshark to write and a test to read. PDML has its summary of each packet,
    geninfo, too."""
    return ["-J", " ".join([*PROTOCOLS, "raknet", *others])]


def unprivileged():
    """The beginning of a command that root runs as the user nobody; empty for other users."""
    return ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"] if is_root() else []


def run(args, capture=None, prefs=None, check=True, timeout=TIMEOUT, env=None, plugins=None):
    """Runs tshark with `args` on `capture`; `prefs` maps preference names to values.

    `env` adds to the environment, `plugins` is another plugin folder. With `check`, a status that is not 0
    and a dissector bug (which leaves the status at 0) are a TsharkError.

    What was printed for a capture, or as a report of -G, is kept for the next tests of the process, since most of a run's time is
    tshark's start. So a test that two runs are equal must call _run(). Reports are kept for the next test files, too
    (kept_reports.py).
    """
    command = tuple(command_line(args, capture, prefs))
    is_kept = capture is not None or command[1:2] == ("-G",)
    if not is_kept or env or plugins or not check or WRITES & set(command):
        return _run(command, check, timeout, env, plugins)
    return _kept_run(command, Path(capture).stat().st_mtime_ns, timeout) if capture else _kept_report(command, timeout)


@functools.lru_cache(maxsize=128)
def _kept_run(command, _modified, timeout):
    return _run(command, True, timeout)


@functools.lru_cache(maxsize=None)
def _kept_report(command, timeout):
    path = kept_reports.path_of(command, plugin_dir())
    stdout = kept_reports.read(path)
    if stdout is not None:
        return Result(stdout, "", 0)
    result = _run(command, True, timeout)
    if not result.stderr:
        kept_reports.write(path, result.stdout)
    return result


def _run(command, check, timeout, env=None, plugins=None):
    try:
        # On a timeout the child is sent SIGKILL; in an endless loop, tshark would not handle a SIGTERM.
        done = tshark_server.run(
            [*unprivileged(), command[0]],
            command,
            env={**environment(plugins), **(env or {})},
            cwd=scratch(),
            timeout=timeout,
            first_served=(2 if plugins or "-X" in command else 1) if set(env or {}) <= SERVED else None,
        )
    except subprocess.TimeoutExpired:
        raise TsharkError(f"not done after {timeout} s: {' '.join(command)}") from None
    except FileNotFoundError as missing:
        raise TsharkError(f"{missing.filename} is not installed") from None
    result = Result(done.stdout.decode(), done.stderr.decode(errors="replace"), done.returncode)
    if check and (result.returncode != 0 or "Dissector bug" in result.stderr):
        raise TsharkError(f"status {result.returncode}: {' '.join(command)}\n{result.stderr}")
    return result


def sharkd_lines(requests, timeout=TIMEOUT):
    """The responses of sharkd, Wireshark's server, to some requests, including errors."""
    done = subprocess.run(
        unprivileged() + ["sharkd", "-"],
        env=environment(),
        cwd=scratch(),
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def sharkd(requests, timeout=TIMEOUT):
    """The responses of sharkd to some requests: each {"method": ..., "params": ...}."""
    numbered = [{"jsonrpc": "2.0", "id": number, **request} for number, request in enumerate(requests, 1)]
    found = {answer.get("id"): answer for answer in sharkd_lines(numbered, timeout)}
    if any(number not in found or "error" in found[number] for number in range(1, len(requests) + 1)):
        raise TsharkError(f"sharkd: {found}")
    return [found[number] for number in range(1, len(requests) + 1)]


def _preference(value):
    return str(value).upper() if isinstance(value, bool) else value


def plugin_is_loaded(plugins=None):
    listed = run(["-G", "plugins"], plugins=plugins).stdout
    return any(line.split("\t")[0].strip() in PLUGIN_FILES for line in listed.splitlines())


@functools.lru_cache(maxsize=None)
def wireshark_version():
    """(4, 0) of 4.0.17: the name of the only folder from which it loads plugins."""
    folder = next(path for file in PLUGIN_FILES for path in plugin_dir().glob(f"*/epan/{file}")).parents[1]
    return tuple(int(part) for part in re.findall(r"\d+", folder.name))


def without_hipercontracer():
    """Options with which the heuristic of HiPerConTracer in 4.4 takes no datagrams, as it does of ENet, damaged or not."""
    return ["--disable-heuristic", "hipercontracer_udp"] if wireshark_version() == (4, 4) else []


class Field(NamedTuple):
    name: str
    filter: str
    type: str
    parent: str
    base: str
    mask: int
    blurb: str = ""


@functools.lru_cache(maxsize=None)
def registered_fields():
    """The fields of the plugin's protocols, as listed by `tshark -G fields`."""
    text, found = run(["-G", "fields"]).stdout, []
    # Of a quarter of a million lines, only ours are looked at.
    for match in re.finditer(rf"\tFT_\w+\t(?:{'|'.join(PROTOCOLS)})\t", text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : text.find("\n", match.end())].rstrip("\r")
        _, name, filter_name, kind, parent, base, mask, *blurb = line.split("\t")
        found.append(Field(name, filter_name, kind, parent, base, int(mask or "0", 0), "".join(blurb)))
    return tuple(found)


@functools.lru_cache(maxsize=None)
def _words():
    found = {match.group(1) for field in registered_fields() if (match := re.match(r"(?:Error|Warning|Note) (\[.+?\])", field.blurb))}
    return re.compile("|".join(re.escape(f"{word} ") for word in sorted(found)))


def without_words(info):
    """A text of the Info column without the words of findings."""
    return _words().sub("", info)


@functools.lru_cache(maxsize=None)
def protocol_titles():
    """The names that the items of the protocols begin with, such as "Godot Variant"; by filter name."""
    lines = run(["-G", "protocols"]).stdout.splitlines()
    return {columns[2]: columns[0] for columns in (line.split("\t") for line in lines)}


# ---- the decoding of a capture --------------------------------------------------------------------


def _json(args, capture, **options):
    packets = json.loads(run(args, capture, **options).stdout or "[]")
    return [packet["_source"]["layers"] for packet in packets]


def json_packets(capture, *args, **options):
    """A list with each packet's layers, ours and Wireshark's own (_ws.malformed and such) only.

    A key that occurs several times in its item holds a list of the values. Values are strings. `options` are
    those of run().
    """
    packets = _json(["-T", "json", "--no-duplicate-keys", *args], capture, **options)
    return [{name: layer for name, layer in packet.items() if _is_ours(name)} for packet in packets]


def _is_ours(layer):
    return layer in PROTOCOLS or layer.startswith("_ws.")


def naming(names, args):
    """`args` with a display filter that references the plugin's fields among `names` and accepts the same packets:
    in Wireshark 4.0 the fields of -e are not referenced for dissectors."""
    ours = [name for name in names if name.startswith(PROTOCOLS)]
    if wireshark_version() >= (4, 4) or not ours:
        return args
    args = [str(arg) for arg in args]
    place = args.index("-Y") + 1 if "-Y" in args else None
    passes = " || ".join(["frame", *ours])
    if place is None:
        return [*args, "-Y", passes]
    return [*args[:place], f"({args[place]}) && ({passes})", *args[place + 1:]]


def fields(capture, names, *args, **options):
    """A list with a dict for each packet: for each field's name, the list of its values (as strings).

    This reads tshark's JSON, in which a value may contain any character of a string.
    """
    selected = [part for name in names for part in ("-e", name)]
    packets = _json(["-T", "json", *selected, *naming(names, args)], capture, **options)

    # 4.4 accepts _ws.col.Info and prints _ws.col.info.
    other_names = {name.lower(): name for name in names if name.startswith("_ws.col.")}
    found = []
    # Of hundreds of names a packet has few.
    for packet in packets:
        values = {name: [] for name in names}
        for name, texts in packet.items():
            name = other_names.get(name, name)
            # Which types there are takes a start of tshark.
            words = any(isinstance(text, str) and text in BOOLEANS for text in texts)
            values[name] = [_boolean(text) for text in texts] if words and _types().get(name) == "FT_BOOLEAN" else texts
        found.append(values)
    return found


def _boolean(value):
    return BOOLEANS.get(value, value) if isinstance(value, str) else value


def fields_of_each(captures, names, *args, **options):
    """{capture: fields() of it}, with one start of tshark for all. Numbers of frames are those of the capture alone; times since
    its beginning are not."""
    capture, begins = together(tuple(captures))
    numbers = [name for name in names if name == "frame.number" or _types().get(name) == "FT_FRAMENUM"]
    found = {capture: [] for capture in captures}
    for packet in fields(capture, list(dict.fromkeys(["frame.number", *names])), *args, **options):
        at = capture_at(begins, int(packet["frame.number"][0]))
        moved = {name: [str(int(number) - begins[at]) for number in packet[name]] for name in numbers}
        found[captures[at]].append({name: moved.get(name, packet[name]) for name in names})
    return found


class Item(NamedTuple):
    """A field in a packet's tree. For a text without a field the name is the text, and there is no range."""

    name: str
    start: int
    size: int
    value: str
    below: tuple


def items(capture, layer, *args, **options):
    """A list with each packet's tree of a protocol: its Items, in their order.

    From JSON, not from PDML: in that, an item that begins before its parent has a wrong position.
    """
    text = run(["-T", "json", "-x", *args], capture, **options).stdout
    found = []
    for packet in json.loads(text or "[]", object_pairs_hook=list):
        layers = dict(dict(dict(packet)["_source"])["layers"])
        found.append(_items(layers.get(layer) or []))
    return found


def _items(pairs):
    """JSON has a field as up to three members: its range, its value (or the items below it), and the items below it."""
    found = []
    ranges = None
    for name, value in pairs:
        if name.endswith("_raw"):
            ranges = value
        elif name.endswith("_tree") and found and found[-1].name == name.removesuffix("_tree"):
            found[-1] = found[-1]._replace(below=_items(value))
        else:
            start, size = (ranges[1], ranges[2]) if ranges else (0, 0)
            is_branch = isinstance(value, list)
            found.append(Item(name, start, size, "" if is_branch else value, _items(value) if is_branch else ()))
            ranges = None
    return tuple(found)


def flattened(branch):
    """All Items of a tree in their order, without expert infos and other items of Wireshark."""
    for item in branch:
        if not item.name.startswith("_ws."):
            yield item
            yield from flattened(item.below)


def info_column(capture, *args, **options):
    """A list with each packet's Info text."""
    packets = _json(["-T", "json", "-e", "_ws.col.Info", *args], capture, **options)
    # 4.4 accepts this name and prints another, _ws.col.info.
    return ["".join(next(iter(packet.values()), [])) for packet in packets]


def layer_bytes(capture, layers, *args, **options):
    """A list for each packet: the bytes of its layers of these protocols, in hexadecimal."""
    def rows(found):
        return [found] if found and isinstance(found[0], str) else found

    packets = _json(["-T", "jsonraw", "-j", " ".join(layers), *args], capture, **options)
    return [[row[0] for layer in layers for row in rows(packet.get(f"{layer}_raw", [])) if row[0]] for packet in packets]


def counts(capture, filters, *args, **options):
    """The number of packets that each of some filters finds, with one start of tshark. No filter has a comma; a capture
    without a duration has no counts."""
    printed = run(["-2", "-q", *args, "-z", f"io,stat,0,{','.join(filters)}"], capture, **options).stdout
    row = re.search(r"^\| +[\d.]+ <> *[\d.]+ *\|(.*)\|$", printed, re.MULTILINE)
    return [int(number) for number in re.findall(r"\d+", row[1])[::2]] if row else []


def verbose(capture, *args, **options):
    """The trees of our protocols as text; of other layers, the first line."""
    return run(["-O", ",".join(PROTOCOLS), *args], capture, **options).stdout


# ---- comparing -----------------------------------------------------------------------------------


def differences(expected, actual, where=""):
    """The differences of two decodings as a list of texts, each with its position.

    Leaves are compared by value: floats with the tolerance of the field's type, True as 1. The order
    of keys is compared: it is the order in which a tree first shows each field.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        if list(expected) != list(actual):
            return [f"{where}: expected the keys {list(expected)}, have {list(actual)}"]
        pairs = [(f"{where}/{key}", expected[key], actual[key]) for key in expected]
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [f"{where}: expected {len(expected)} values, have {len(actual)}"]
        pairs = [(f"{where}[{i}]", *both) for i, both in enumerate(zip(expected, actual))]
    else:
        same = _same_leaf(expected, actual, _field_type(where))
        return [] if same else [f"{where}: expected {expected!r}, have {actual!r}"]
    return [text for place, *both in pairs for text in differences(*both, place)]


def _field_type(where):
    name = where.rsplit("/", 1)[-1].split("[")[0]
    return _types().get(name)


@functools.lru_cache(maxsize=None)
def _types():
    return {field.filter: field.type for field in registered_fields()}


def _finite(text):
    """The number of a text; the largest double in fifteen digits, as printed by 4.0 and 4.4, is greater than all
    doubles."""
    number = float(text)
    return math.copysign(sys.float_info.max, number) if math.isinf(number) and "inf" not in text.lower() else number


def _same_leaf(expected, actual, kind):
    if expected == actual:
        return True
    if kind == "FT_BOOLEAN":
        return _boolean(expected) == _boolean(actual)
    if kind not in RELATIVE_TOLERANCE:
        return False
    try:
        one, other = _finite(expected), _finite(actual)
    except (TypeError, ValueError):
        return False
    both_nan = math.isnan(one) and math.isnan(other)
    return both_nan or math.isclose(one, other, rel_tol=RELATIVE_TOLERANCE[kind], abs_tol=0.0)


def updating_golden():
    return os.environ.get("GAMEWIRE_UPDATE_GOLDEN") == "1"


def rewrite_golden(file, text):
    """Writes a golden file and fails the test: the file must be reviewed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    pytest.fail(f"rewrote {file}: read its diff against the specification, then run again", pytrace=False)


def golden_file(capture):
    """pcaps/godot/variant/x.pcap -> tests/plugin/godot/variant/golden/x.json"""
    capture = Path(capture).resolve().relative_to(PCAPS)
    return TESTS / capture.parent / "golden" / f"{capture.stem}.json"


def golden_text(packets, packet_a_line):
    """A field a line, to be read beside the capture's record; of many small packets, a packet a line."""
    if not packet_a_line:
        return json.dumps(packets, indent=1, ensure_ascii=False) + "\n"
    return "[\n" + ",\n".join(json.dumps(packet, ensure_ascii=False) for packet in packets) + "\n]\n"


def check_golden(capture, *args, file=None, **options):
    """Compares a capture's Info texts and layers of ours with its golden file.

    With GAMEWIRE_UPDATE_GOLDEN=1 in the environment the file is written instead.
    """
    file = Path(file or golden_file(capture))
    layers = json_packets(capture, *args, **options)
    infos = info_column(capture, *args, **options)
    actual = [{"info": info, **packet} for info, packet in zip(infos, layers)]
    if updating_golden():
        rewrite_golden(file, golden_text(actual, packet_a_line=file.stem == "malformed"))
    if not file.exists():
        pytest.fail(f"{file} is not there; GAMEWIRE_UPDATE_GOLDEN=1 writes it for you to read", pytrace=False)
    found = differences(json.loads(file.read_text(encoding="utf-8")), actual, "packet")
    if found:
        more = f"\n… and {len(found) - 20} more" if len(found) > 20 else ""
        pytest.fail("\n".join(found[:20]) + more, pytrace=False)


# ---- captures made here --------------------------------------------------------------------------

# No stock dissector is registered for these ports.
CLIENT_PORT = 41000
SERVER_PORT = 41001
SYN, PSH_ACK = 0x02, 0x18

PCAP_MAGIC = 0xA1B2C3D4
LINKTYPE_ETHERNET = 1
HEADERS = {4: 14 + 20 + 8, 6: 14 + 40 + 8}


class Udp(NamedTuple):
    """A datagram. `options` differ from the defaults.

    "ipv6": True     over IPv6
    "from", "to"     host numbers in the test network, by default 1 and 2
    "captured": n    only n bytes of the payload were captured
    """

    sport: int
    dport: int
    payload: bytes
    time: float = 0.0
    options: Any = {}


def request(payload, time=0.0, **options):
    """A datagram of the test conversation, from the client."""
    return Udp(CLIENT_PORT, SERVER_PORT, payload, time, options)


def reply(payload, time=0.0, **options):
    """A datagram of the test conversation, from the server."""
    return Udp(SERVER_PORT, CLIENT_PORT, payload, time, {"from": 2, "to": 1, **options})


def apart(conversations):
    """The packets of several conversations, each between other hosts, one after the other: one capture needs one start of
    tshark."""
    for number, packets in enumerate(conversations):
        for packet in (Udp(*each) for each in packets):
            hosts = {end: packet.options.get(end, host) + 2 * number for end, host in (("from", 1), ("to", 2))}
            yield packet._replace(options={**packet.options, **hosts})


def split(found, conversations):
    """A list with an entry for each packet of apart(conversations), as a list for each conversation."""
    left = iter(found)
    return [list(itertools.islice(left, len(packets))) for packets in conversations]


def write_pcap(path, packets):
    """Writes a capture of UDP datagrams: Udp(…) or tuples (sport, dport, payload[, time[, options]]).

    Checksums are right. Returns the path.
    """
    return _write_records(path, (_record(Udp(*packet)) for packet in packets))


class Conversations(list):
    """The captures that the tests of a file write as it is imported, to be read with one start of tshark."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=scratch()))

    def write(self, *packets):
        """Adds a capture of these packets. Returns its path."""
        self.append(write_pcap(self.folder / f"{len(self)}.pcap", packets))
        return self[-1]

    def of_test(self, *packets):
        """Gives a test the path of a capture of these packets."""
        return pytest.mark.parametrize("path", [self.write(*packets)], ids=["written"])


def write_frames(path, frames):
    """Writes a capture of Ethernet frames: (time, bytes). Returns the path."""
    return _write_records(path, (_record_of(time, frame, len(frame)) for time, frame in frames))


def write_tcp(path, segments, port=SERVER_PORT):
    """Writes a capture of one TCP connection: each of the segments, from the client. Returns the path."""
    return write_tcp_connections(path, [[(False, payload) for payload in segments]], CLIENT_PORT, port)


def write_tcp_connections(path, connections, client=CLIENT_PORT, port=SERVER_PORT, opened=False):
    """Writes a capture of TCP connections, each from a client port of its own, from `client` on: segments as pairs, who
    sent it (True: the server) and the payload. With `opened`, a client's SYN comes first. Returns the path."""
    frames = []
    for number, segments in enumerate(connections):
        sent = [1000, 1000]
        if opened:
            frames.append((len(frames) / 50, _tcp_frame(client + number, port, False, [999, 0], b"", SYN)))
        for from_server, payload in segments:
            frames.append((len(frames) / 50, _tcp_frame(client + number, port, from_server, sent, payload)))
            sent[from_server] += len(payload)
    return write_frames(path, frames)


def _tcp_frame(client, server, from_server, sent, payload, flags=PSH_ACK):
    ports = (server, client) if from_server else (client, server)
    hosts = (2, 1) if from_server else (1, 2)
    tcp = _big(2, *ports) + _big(4, sent[from_server], sent[not from_server])
    tcp += bytes([0x50, flags]) + b"\xff\xff" + bytes(4) + payload
    addresses = bytes([192, 0, 2, hosts[0], 192, 0, 2, hosts[1]])
    checksum = _checksum(addresses + _big(2, 6, len(tcp)) + tcp)
    tcp = tcp[:16] + _big(2, checksum) + tcp[18:]
    ip = b"\x45\0" + _big(2, 20 + len(tcp), 0, 0) + b"\x40\x06\0\0" + addresses
    ip = ip[:10] + _big(2, _checksum(ip)) + ip[12:]
    ethernet = bytes([2, 0, 0, 0, 0, hosts[1], 2, 0, 0, 0, 0, hosts[0]]) + _big(2, 0x0800)
    return ethernet + ip + tcp


def _byte_order(data):
    return "little" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else "big"


def _network_header_at(data):
    """The number of bytes of a pcap's frames before the network header."""
    return {1: 14, 101: 0, 113: 16}[int.from_bytes(data[20:24], _byte_order(data))]


def _records(data):
    """The start and end of the bytes of each packet of a pcap."""
    at = 24
    while at < len(data):
        captured = int.from_bytes(data[at + 8 : at + 12], _byte_order(data))
        at += 16
        yield at, at + captured
        at += captured


def _ip_header_length(data, at):
    return 40 if data[at] >> 4 == 6 else 4 * (data[at] & 15)


def cut_beginning(capture, path, first):
    """Writes a capture without the packets before number `first`. Returns the path."""
    return cut_out(capture, path, 1, first - 1)


def cut_out(capture, path, first, last):
    """Writes a capture without the packets from number `first` to `last`. Returns the path."""
    data = Path(capture).read_bytes()
    starts = [*(start - 16 for start, _ in _records(data)), len(data)]
    Path(path).write_bytes(data[: starts[first - 1]] + data[starts[last] :])
    return Path(path)


def cut_packets(capture, path, length):
    """Writes a capture with at most `length` bytes of each packet. Returns the path."""
    data = Path(capture).read_bytes()
    records = [(data[start - 16 : start - 8], data[start - 4 : start], data[start : min(start + length, end)])
               for start, end in _records(data)]
    Path(path).write_bytes(data[:24] + b"".join(
        times + len(kept).to_bytes(4, _byte_order(data)) + whole + kept for times, whole, kept in records))
    return Path(path)


def merge_captures(captures, path):
    """Writes several captures, one after the other and with their times, as pcapng. Returns the path."""
    subprocess.run(["mergecap", "-a", "-w", str(path), *map(str, captures)], check=True)
    return readable(path)


def capture_folders():
    return sorted({path.parent.relative_to(PCAPS).as_posix() for path in PCAPS.rglob("*.pcap*")})


@functools.lru_cache(maxsize=None)
def captures_of(folder):
    """All captures of a folder of pcaps/ as one: a start of tshark takes longer than reading most of them."""
    return merge_captures(sorted((PCAPS / folder).glob("*.pcap*")), scratch() / f"{folder.replace('/', '-')}.pcapng")


@functools.lru_cache(maxsize=None)
def together(captures):
    """Several captures as one, and the number of packets before each. In each pcap the hosts are others, so that their
    conversations do not meet; in a pcapng, which may have keys, they are left. The first is a pcap: mergecap 4.0 writes no file
    that would begin with another one's keys. The files are read once: a test does not write another one under the same name."""
    folder = Path(tempfile.mkdtemp(dir=scratch()))
    paths, begins = [], [0]
    for number, capture in enumerate(map(Path, captures)):
        if capture.suffix == ".pcap":
            capture = move_hosts(capture, folder / f"{number}.pcap", number)
        paths.append(capture)
        begins.append(begins[-1] + _packet_count(capture))
    return merge_captures(paths, folder / "together.pcapng"), begins


def capture_at(begins, frame):
    """The index of the capture that a frame of together() is of: before that capture there are begins[index] packets."""
    return bisect.bisect_left(begins, frame) - 1


def _packet_count(capture):
    if capture.suffix == ".pcap":
        return sum(1 for _ in _records(capture.read_bytes()))
    printed = subprocess.run(["capinfos", "-T", "-r", "-c", "-M", str(capture)], check=True, capture_output=True, text=True).stdout
    return int(printed.split("\t")[-1])


ICMP, ICMP_UNREACHABLE = 1, 3


def _move_hosts_of(data, at, network):
    """Of the header of IP there."""
    is_ipv6 = data[at] >> 4 == 6
    for byte in (at + 15, at + 31) if is_ipv6 else (at + 13, at + 17):
        data[byte] = (data[byte] + network) % 256
    if not is_ipv6:
        header = data[at : at + 10] + b"\0\0" + data[at + 12 : at + _ip_header_length(data, at)]
        data[at + 10 : at + 12] = _big(2, _checksum(header))


def move_hosts(capture, path, network):
    """Writes a pcap with the second byte of each IPv4 address, and the eighth of each IPv6 address, increased by `network`. IP's
    checksum is changed, UDP's and TCP's are not: tshark does not check them. Returns the path."""
    data = bytearray(Path(capture).read_bytes())
    for start, _ in _records(data):
        at = start + _network_header_at(data)
        _move_hosts_of(data, at, network)
        quoted = at + _ip_header_length(data, at) + 8
        if data[at] >> 4 == 4 and data[at + 9] == ICMP and data[quoted - 8] == ICMP_UNREACHABLE:
            _move_hosts_of(data, quoted, network)
    Path(path).write_bytes(data)
    return Path(path)


def move_tcp_port(capture, path, old, new):
    """Writes a capture with the TCP port `new` in place of `old`; checksums are not changed. Returns the path."""
    data = bytearray(Path(capture).read_bytes())
    for start, _ in _records(data):
        tcp = start + _network_header_at(data)
        tcp += _ip_header_length(data, tcp)
        for port in (tcp, tcp + 2):
            if data[port : port + 2] == _big(2, old):
                data[port : port + 2] = _big(2, new)
    Path(path).write_bytes(data)
    return Path(path)


def tagged(frame, vlan):
    """The Ethernet frame in a VLAN."""
    return frame[:12] + _big(2, 0x8100, vlan) + frame[12:]


def udp_frame(packet):
    """The Ethernet frame of a datagram, as written by write_pcap()."""
    packet = Udp(*packet)
    return _frame(packet, 6 if packet.options.get("ipv6") else 4)


def _write_records(path, records):
    path = Path(path)
    with path.open("wb") as file:
        versions, snapshot_length = _little(2, 2, 4), 262144
        file.write(_little(4, PCAP_MAGIC) + versions + _little(4, 0, 0, snapshot_length, LINKTYPE_ETHERNET))
        for record in records:
            file.write(record)
    return path


def read_pcap(path):
    """The UDP datagrams of a capture on Ethernet, raw IP or Linux's cooked link, IPv4 or IPv6, as Udp(…) without times."""
    data = Path(path).read_bytes()
    for start, end in _records(data):
        packet = data[start + _network_header_at(data) : end]
        header = _ip_header_length(packet, 0)
        if packet[6 if header == 40 else 9] == 17:
            ports = (int.from_bytes(packet[header + i : header + i + 2], "big") for i in (0, 2))
            yield Udp(*ports, packet[header + 8 :])


def read_frames(path):
    """The packets of a capture, as write_frames() takes them: (time, bytes)."""
    data = Path(path).read_bytes()
    for start, end in _records(data):
        seconds, fraction = (int.from_bytes(data[at : at + 4], _byte_order(data)) for at in (start - 16, start - 12))
        yield seconds + fraction / 1e6, data[start:end]


def _little(size, *numbers):
    return b"".join(number.to_bytes(size, "little") for number in numbers)


def _big(size, *numbers):
    return b"".join(number.to_bytes(size, "big") for number in numbers)


def _record(packet):
    version = 6 if packet.options.get("ipv6") else 4
    frame = _frame(packet, version)
    captured = len(frame)
    if "captured" in packet.options:
        captured = min(captured, HEADERS[version] + packet.options["captured"])
    return _record_of(packet.time, frame, captured)


def _record_of(time, frame, captured):
    microseconds = round(time * 1_000_000)
    header = _little(4, microseconds // 1_000_000, microseconds % 1_000_000, captured, len(frame))
    return header + frame[:captured]


@functools.lru_cache(maxsize=None)
def _headers(version, source, target, length):
    """Ethernet's and IP's header before `length` bytes, and both addresses."""
    ethernet = b"".join(b"\x02\0\0\0\0" + _big(1, host) for host in (target, source))
    if version == 4:
        addresses = b"".join(bytes([192, 0, 2, host]) for host in (source, target))
        ip = b"\x45\0" + _big(2, 20 + length, 0, 0) + b"\x40\x11\0\0" + addresses
        ip = ip[:10] + _big(2, _checksum(ip)) + ip[12:]
        return ethernet + _big(2, 0x0800) + ip, addresses
    addresses = b"".join(b"\x20\x01\x0d\xb8" + bytes(11) + bytes([host]) for host in (source, target))
    ip = b"\x60\0\0\0" + _big(2, length) + b"\x11\x40" + addresses
    return ethernet + _big(2, 0x86DD) + ip, addresses


def _frame(packet, version):
    length = 8 + len(packet.payload)
    headers, addresses = _headers(version, packet.options.get("from", 1), packet.options.get("to", 2), length)
    ports = struct.pack(">HHH", packet.sport, packet.dport, length)
    pseudo_header = addresses + struct.pack(">HH", 17, length)
    checksum = _checksum(pseudo_header + ports + b"\0\0" + packet.payload) or 0xFFFF
    return headers + ports + struct.pack(">H", checksum) + packet.payload


def _checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF
