# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tshark on hostile captures, within the limits of Wireshark's own fuzz tests.

    attack(capture, mode, options)     one run; what was wrong, or None
    attack_all(captures, mode)         the same for several captures, with one start of tshark
    slowest(capture, mode, options)    one run: how long a packet took at most, and which; raises what was wrong
    memory(capture, options)           the most memory that a run held, in bytes

    PYTHONPATH=tests/support python3 tests/fire/fire.py MINUTES [SEED] [FOLDER]

fuzzes with mutated captures for so long. A capture that something is wrong with is kept in FOLDER (by default
fire-findings in the current one) beside a text that says how to see it again. The build is the one that the
environment names, as for the tests in ../plugin; with GAMEWIRE_PRELOAD the sanitizers watch.
"""

import contextlib
import functools
import itertools
import os
import re
import resource
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import carried
import gamewire_tshark as tshark
import mutate
import torture

# Typical runs of users: summaries, trees, filters, exports, two passes, and dissection without any tree.
MODES = {
    "summary": [],
    "tree": ["-V"],
    "hex": ["-V", "-x"],
    "filter": ["-Y", "enet.sequence == 7 || godot.int == 7 || leviathan.packet_id == 7 || squirrel.token == 7"],
    "json": ["-T", "json"],
    "two_passes": ["-2", "-V"],
    "no_tree": ["-q", "-z", "io,stat,0"],
    "experts": ["-q", "-z", "expert"],
}

# Wireshark's tools/fuzz-test.sh: 2033 kB of stack, 1 GB of memory; and fewer tree items than by default.
STACK = 2033 * 1024
MEMORY = 1_000_000 * 1024
ITEMS = {"gui.max_tree_items": 100000}
TIMEOUT = 120

WRONG = re.compile(r"Dissector bug|\bERROR\b|LeakSanitizer|runtime error", re.MULTILINE)


def sanitized():
    return bool(os.environ.get("GAMEWIRE_PRELOAD"))


@contextlib.contextmanager
def limits():
    """Children started inside have a small stack and, except for the sanitizers' shadow memory, a memory limit."""
    wanted = {resource.RLIMIT_STACK: STACK}
    if not sanitized():
        wanted[resource.RLIMIT_AS] = MEMORY
    before = {which: resource.getrlimit(which) for which in wanted}
    for which, value in wanted.items():
        resource.setrlimit(which, (value, before[which][1]))
    try:
        yield
    finally:
        for which, value in before.items():
            resource.setrlimit(which, value)


def command(capture, mode, options):
    return tshark.command_line([*options, *MODES[mode]], capture, ITEMS)


def start(arguments, stdout, environment=None):
    with limits():
        return subprocess.Popen(
            tshark.unprivileged() + arguments,
            env={**tshark.environment(), **(environment or {})},
            cwd=tshark.scratch(),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )


def leak_check():
    """The environment in which the sanitizers look for leaks."""
    suppressions = tshark.scratch() / "suppressions"
    suppressions.write_text("leak:g_variant_new\n")  # 4.0's own
    return {
        "ASAN_OPTIONS": "detect_leaks=1:fast_unwind_on_malloc=0:abort_on_error=1",
        "LSAN_OPTIONS": f"suppressions={suppressions}",
    }


def attack(capture, mode, options=(), environment=None, timeout=TIMEOUT):
    """Runs tshark; returns the problem, or None. An endless run ends only by SIGKILL."""
    process = start(command(capture, mode, options), subprocess.DEVNULL, environment)
    try:
        complaints = process.communicate(timeout=timeout)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"{mode}: not done after {timeout} s"
    return problem(mode, process, complaints)


def problem(mode, process, complaints):
    if process.returncode or WRONG.search(complaints):
        return f"{mode}: status {process.returncode}\n{complaints}"
    return None


@functools.lru_cache(maxsize=None)
def merged(captures):
    return tshark.merge_captures(captures, tshark.scratch() / f"{'-'.join(capture.stem for capture in captures)}.pcapng")


def attack_all(captures, mode):
    """Runs tshark on captures whose options do not affect each other, as one: {name: (capture, options)}. Returns {name: what
    was wrong with its capture alone}, empty if nothing was."""
    paths, options = zip(*captures.values())
    if attack(merged(paths), mode, list(itertools.chain(*options)), timeout=len(paths) * TIMEOUT) is None:
        return {}
    return {name: attack(path, mode, options) for name, (path, options) in captures.items()}


# ---- time and memory -----------------------------------------------------------------------------

# What precedes the number of a packet. Most of the output is searched for it, and a regular expression is slower.
FRAME_BEGINS = {"tree": b"\nFrame ", "json": b'"frame.number": "'}
NUMBER = re.compile(rb"(\d+)[:\"]")
# The sanitizers take several times as long: with them no time is measured.
TIMED_MODES = () if sanitized() else tuple(FRAME_BEGINS)
OTHER_MODES = tuple(mode for mode in MODES if mode not in TIMED_MODES)


class Slow(NamedTuple):
    seconds: float
    frame: int


def cpu_seconds(process):
    """The CPU time that a process has used so far, which other processes do not affect."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def slowest(capture, mode, options=()):
    """The maximum CPU time from one packet's first line to the next one's: to print it and dissect the next, without checks of
    memory. A run in which attack() would find a problem is a TsharkError."""
    arguments = command(capture, mode, ["-l", *options])
    process = start(arguments, subprocess.PIPE, tshark.without_memory_checks())
    limit = threading.Timer(TIMEOUT, process.kill)
    limit.start()
    begin = FRAME_BEGINS[mode]
    worst, before, last, rest = Slow(0.0, 0), None, 0, b"\n"
    while block := process.stdout.read1(1 << 20):
        text = rest + block
        at = text.rfind(begin)
        number = NUMBER.match(text, at + len(begin)) if at >= 0 else None
        rest = block[-80:]
        if number and int(number[1]) > last:
            now = cpu_seconds(process)
            # Several packets in one block share its time; the first packet's holds the start of tshark.
            if before is not None:
                worst = max(worst, Slow(now - before, last))
            before, last = now, int(number[1])
    complaints = process.stderr.read().decode(errors="replace")
    process.wait()
    limit.cancel()
    if wrong := problem(mode, process, complaints):
        raise tshark.TsharkError(wrong)
    return worst


def memory(capture, options=(), packets=None):
    """The maximum memory held, in bytes, with Wireshark's allocator without checks."""
    arguments = tshark.command_line(
        [*options, *(["-c", str(packets)] if packets else []), *MODES["no_tree"]], capture
    )
    process = start(arguments, subprocess.DEVNULL, tshark.without_memory_checks())
    process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_maxrss * 1024


# ---- fuzzing -------------------------------------------------------------------------------------


def options_of(family):
    """Heuristics do not accept mutated payloads: Decode As selects the dissectors by port. RakNet's are not mutated."""
    ports = sorted(mutate.server_ports(family))
    return [part for port in ports for part in ("-d", f"udp.port=={port},{family}")]


def sources():
    """The mutated protocol, the function that mutates it, and the options with which tshark reads it."""
    in_udp = [(family, mutate.write, options_of(family)) for family in torture.PORTS]
    return in_udp + [(name, carried.write_mutated, carried.options_of(name)) for name in carried.CARRIERS]


def keep(folder, capture, name, options, complaint):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(capture, folder / f"{name}.pcap")
    again = " ".join([*(f"-o {preference}:{value}" for preference, value in ITEMS.items()), *map(str, options)])
    (folder / f"{name}.txt").write_text(f"tshark -n -r {name}.pcap {again}\n\n{complaint}\n", encoding="utf-8")


def fuzz(minutes, seed, folder):
    """Mutates and attacks until the time limit; returns the numbers of packets and of findings."""
    end = time.monotonic() + 60 * minutes
    packets, findings = 0, 0
    while time.monotonic() < end:
        for family, write, options in sources():
            capture = tshark.scratch() / f"{family}.pcap"
            count = write(capture, family, seed)
            for mode in MODES:
                packets += count
                complaint = attack(capture, mode, options)
                if complaint:
                    findings += 1
                    keep(folder, capture, f"{family}-{seed}-{mode}", [*options, *MODES[mode]], complaint)
                    print(f"{family}, seed {seed}: {complaint.splitlines()[0]}", flush=True)
        seed += 1
    print(f"{packets} packets dissected, up to seed {seed - 1}, {findings} findings")
    return findings


def main(arguments):
    minutes = float(arguments[0])
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    folder = Path(arguments[2] if len(arguments) > 2 else "fire-findings").resolve()
    if not tshark.plugin_is_loaded():
        sys.exit("tshark did not load gamewire.so")
    return 1 if fuzz(minutes, seed, folder) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
