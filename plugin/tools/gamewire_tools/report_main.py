# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of gamewire-report."""

import argparse
import json
import operator
import re
import sys
from pathlib import Path

from . import capture, charts, collect, json_text, messages, page, statistics, version

COMPARISONS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "==": operator.eq}
CONDITION = re.compile(r"([\w.]+)\s*(>=|<=|==|>|<)\s*(\d+\.?\d*|\.\d+)", re.ASCII)
SERIES = 8  # of a stacked chart; the others are one more


class Wrong(Exception):
    """An argument that the program does not understand."""


def parser():
    found = argparse.ArgumentParser(
        prog="gamewire-report", description="Writes what a capture says about a game's network, as a page of HTML or as JSON.",
        epilog="Options of tshark follow after --, such as: -- -C Gamewire -d enet.port==7777,godot_mp\n"
               "Status 1: a condition of --fail-on holds; 2: an error. plugin/docs/report.md describes the findings.",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("capture", help="a capture file")
    found.add_argument("-o", "--output", help="the page to write; by default the capture's name with .html")
    found.add_argument("--json", metavar="FILE", nargs="?", const="-", help="write the findings as JSON to FILE or standard output; "
                       "no page without -o")
    found.add_argument("--fail-on", metavar="CONDITION", action="append", default=[],
                       help="such as 'late>0' or 'rtt_95>=0.1'; can be repeated")
    found.add_argument("--tshark", help="the program tshark, if it is not in PATH")
    found.add_argument("-q", "--quiet", action="store_true", help="no progress on standard error")
    found.add_argument("--version", action=version.Option)
    return found


# ---- the data --------------------------------------------------------------------------------------------


def chart(title, unit, times, rows, kind):
    """None without values. kind: "stacked" or "lines"."""
    rows = [(name, values) for name, values in rows if any(values)]
    return {"title": title, "unit": unit, "kind": kind, "times": times,
            "series": [{"name": name, "values": [round(value, 6) if value is not None else None for value in values]}
                       for name, values in rows]} if rows else None


def gaps(timeline, count):
    """Lines with a gap where there is no value: the keys with the largest values."""
    keys = sorted(timeline.keys, key=lambda key: -max(timeline.keys[key].values()))[:count]
    return [(key, timeline.values(timeline.keys[key], empty=None)) for key in keys]


def named(found, rows):
    """Pairs of addresses, with the names of the peers that are known there."""
    for ends, values in rows:
        yield " → ".join(found.peers.get(end, end) for end in ends) if isinstance(ends, tuple) else ends, values


def charts_of(found):
    times = found.clock.times()
    listed = [
        chart("Bytes on the wire, by sender and receiver", "B/s", times, named(found, found.wire.largest(SERIES, True)), "stacked"),
        chart("Bytes of messages, by method, synchronizer or kind", "B/s", times, found.payload.largest(SERIES, True), "stacked"),
        chart("Bytes of messages, by node", "B/s", times, found.nodes.largest(SERIES, True), "stacked")
        if found.protocols.get("godot_mp") else None,
        chart("Messages, by type", "1/s", times, found.kinds.largest(SERIES, True), "stacked"),
        chart("Longest round-trip and response times", "s", times, gaps(found.delays, 4), "lines"),
        chart("Longest intervals between a synchronizer's updates", "s", times, gaps(found.intervals, SERIES), "lines"),
        chart("Longest times in which a game handled a message", "s", times,
              [(found.peers.get(key, key), values) for key, values in gaps(found.handlers, SERIES)], "lines"),
        chart(f"Losses and retransmissions in each {found.clock.width:g} s", "", times, found.troubles.largest(SERIES), "stacked"),
    ]
    return [each for each in listed if each]


def times_of(found):
    return [{"name": name, "count": each.count, "median": each.percentile(0.5), "p95": each.percentile(0.95), "max": each.largest}
            for name, each in sorted(found.times.items())]


def connections_of(found):
    listed = sorted(found.connections.values(), key=lambda each: -each["bytes"])
    return [{"ends": each["ends"], "names": [found.peers.get(end) for end in each["ends"]], "frames": each["frames"],
             "bytes": each["bytes"], "sent": [each["sent"].get(end, 0) for end in each["ends"]],
             "first": round(each["first"] - found.clock.start, 6), "duration": round(each["last"] - each["first"], 6)}
            for each in listed[:50]]


def data_of(path, reading, found):
    frames, size = statistics.totals(reading.statistics)
    return {
        "capture": capture.shown_name(path), "cut_short": reading.is_cut_short, "frames": frames or found.packets, "bytes": size or found.bytes,
        "game_frames": found.packets, "game_bytes": found.bytes, "messages": found.messages, "protocols": found.protocols,
        "start": found.clock.start, "duration": round(found.clock.duration(), 6),
        "counts": found.counts, "findings": found.findings(), "metrics": found.metrics(), "times": times_of(found), "connections": connections_of(found),
        "statistics": [{"title": title, "rows": rows} for title, rows in statistics.trees(reading.statistics).items()
                       if any(protocol.startswith(title.split("/")[0].lower()) for protocol in found.protocols)],
        "charts": charts_of(found),
    }


def read(path, options=(), tshark=None, progress=None):
    reading = capture.Reading(path, options, tshark, taps=statistics.TAPS, progress=progress)
    found = collect.Collector(messages.Names(reading.program, options))
    for packet in reading:
        found.packet(packet)
    found.end()
    return data_of(path, reading, found), found


# ---- thresholds ------------------------------------------------------------------------------------------


def check_expert_infos(conditions, names):
    """Raises Wrong for a filter name that no expert info has: its condition would never hold."""
    for condition in conditions:
        name = CONDITION.fullmatch(condition.strip())[1]
        if "." in name and names.fields.get(name, ("", ""))[1] != "FT_NONE":
            raise Wrong(f"unknown in --fail-on: {name} is no expert info of these protocols; plugin/docs/reference/fields.md lists them")


def failures(conditions, metrics):
    """The conditions that hold, each with the value."""
    for condition in conditions:
        parts = CONDITION.fullmatch(condition.strip())
        if not parts:
            raise Wrong(f"not a condition: {condition}; one is: late>0")
        name, comparison, limit = parts.groups()
        # The filter name of an expert info is known when the capture has it.
        if name not in metrics and "." not in name:
            raise Wrong(f"unknown in --fail-on: {name}; known are: {', '.join(sorted(metrics))}")
        if COMPARISONS[comparison](metrics.get(name, 0), float(limit)):
            yield f"{condition}: {name} is {metrics.get(name, 0):g}"


def write_json(data, target):
    shown = {name: value for name, value in data.items() if name != "charts"}
    text = json_text.escaped(json.dumps(shown, ensure_ascii=False, indent=1)) + "\n"
    if target == "-":
        sys.stdout.reconfigure(encoding="utf-8", newline="\n", errors="backslashreplace")
        sys.stdout.write(text)
    else:
        Path(target).write_text(text, encoding="utf-8", errors="backslashreplace")


def produce(options, rest):
    wants_page = options.output or not (options.json or options.fail_on)
    # A wrong one is reported before a long capture is read.
    list(failures(options.fail_on, collect.Collector(None).metrics()))
    check_expert_infos(options.fail_on, messages.Names(capture.find_tshark(options.tshark), rest))
    progress = None if options.quiet else capture.Progress(options.capture)
    data, found = read(options.capture, rest, options.tshark, progress)
    if data["cut_short"]:
        print(f"gamewire-report: {capture.cut_short(options.capture)}", file=sys.stderr)
    if not found.packets:
        print(f"gamewire-report: {options.capture} has no packets of a game; see plugin/docs/my-game.md, Nothing is recognized",
              file=sys.stderr)
    if wants_page:
        output = Path(options.output or Path(options.capture).name + ".html")
        output.write_text(page.render(data, charts.find()), encoding="utf-8", errors="replace")
        print(f"wrote {output}", file=sys.stderr)
    if options.json:
        write_json(data, options.json)
    failed = list(failures(options.fail_on, data["metrics"]))
    for each in failed:
        print(f"failed: {each}", file=sys.stderr)
    return 1 if failed else 0


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser().parse_args(arguments[:end])
    try:
        return produce(options, arguments[end + 1:])
    except (capture.Failed, Wrong, OSError) as error:
        print(f"gamewire-report: {error}", file=sys.stderr)
        return 2
