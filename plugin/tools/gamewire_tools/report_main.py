# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of gamewire-report."""

import argparse
import sys
from pathlib import Path

from . import capture, charts, compare, json_text, output, page, report, unrecognized, version
from .conditions import Condition, Wrong
from .registered import Registered


def parser():
    found = argparse.ArgumentParser(
        prog="gamewire-report", description="Writes what a capture says about a game's network, as a page of HTML or as JSON.",
        epilog="Options of tshark follow after --, such as: -- -C Gamewire -d enet.port==7777,godot_mp\n"
               "Status 1: a condition of --fail-on holds; 2: an error. plugin/docs/report.md describes the findings.",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("capture", help="a capture file")
    found.add_argument("after", nargs="?", help="a second capture, which is compared with the first: before and after a change")
    found.add_argument("-o", "--output", help="the page to write, or - for standard output; by default the name of "
                       "the last capture with .html")
    found.add_argument("--json", metavar="FILE", nargs="?", const=output.STANDARD, help="write the findings as JSON to FILE or standard output; "
                       "no page without -o")
    found.add_argument("--fail-on", metavar="CONDITION", action="append", default=[],
                       help="such as 'late>0', 'rtt_95>=0.1', 'hot_reliable@10>0' or 'enet.analysis.ack_rtt>0.5'; can be repeated; of "
                       "two captures the second is checked")
    found.add_argument("--tshark", help="the program tshark, if it is not in PATH")
    found.add_argument("-q", "--quiet", action="store_true", help="no progress on standard error")
    found.add_argument("--version", action=version.Option)
    return found


def say(text):
    print(f"gamewire-report: {text}", file=sys.stderr)


def write_json(data, target):
    shown = {name: value for name, value in data.items() if name != "charts"}
    with output.opened(target) as file:
        file.write(json_text.escaped(json_text.lines(shown)) + "\n")


def write_page(data, target):
    with output.opened(target, errors="replace") as file:
        file.write(page.render(data, charts.find()))
    if target != output.STANDARD:
        print(f"wrote {target}", file=sys.stderr)


def checked(options, rest):
    """The conditions. A wrong one is reported before a long capture is read."""
    conditions = [Condition(text) for text in options.fail_on]
    registered = Registered(capture.find_tshark(options.tshark))
    for condition in conditions:
        condition.check(registered)
    return conditions


def read(path, options, rest, conditions=()):
    progress = None if options.quiet else capture.Progress(path)
    data, failed = report.read(path, rest, options.tshark, progress, conditions)
    if data["cut_short"]:
        say(capture.cut_short(path))
    if not data["game_frames"]:
        data["unrecognized"] = unrecognized.ports(path, rest, options.tshark)
        say(f"{path} has no packets of a game; see plugin/docs/my-game.md, Nothing is recognized")
        if conditions:
            raise Wrong("the conditions of --fail-on say nothing about a capture without packets of a game")
    return data, failed


def produce(options, rest):
    wants_page = options.output or not (options.json or options.fail_on)
    conditions = checked(options, rest)
    last = options.after or options.capture
    before = read(options.capture, options, rest)[0] if options.after else None
    data, failed = read(last, options, rest, conditions)
    if before:
        data = compare.data_of(before, data)
    if wants_page:
        write_page(data, options.output or Path(last).name + ".html")
    if options.json:
        write_json(data, options.json)
    for each in failed:
        print(f"failed: {each}", file=sys.stderr)
    return 1 if failed else 0


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser().parse_args(arguments[:end])
    if options.output == options.json == output.STANDARD:
        parser().error("--json and -o cannot both write to standard output")
    try:
        return produce(options, arguments[end + 1:])
    except (capture.Failed, Wrong, OSError) as error:
        say(error)
        return 2
