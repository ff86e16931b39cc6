# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of gamewire-messages."""

import argparse
import contextlib
import json
import sys

from . import capture, json_text, loading, output, source, trace, version

EPILOG = """Options of tshark follow after --, such as: -- -C Gamewire -d enet.port==7777,godot_mp
plugin/docs/messages.md describes the members of a line, plugin/docs/many-captures.md the tables."""


def parser():
    found = argparse.ArgumentParser(prog="gamewire-messages", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
                                    description="Prints the messages of a game in a capture as JSON, one line for each.")
    found.add_argument("capture", nargs="?", help="a capture file")
    found.add_argument("-o", "--output", default=output.STANDARD, help="the file to write; standard output without this option or for -")
    found.add_argument("--format", choices=("lines", "trace"), default="lines", help="lines of JSON, or a trace for Perfetto and "
                       "chrome://tracing")
    found.add_argument("--rate", type=rate, default=trace.RATE, metavar="BITS", help="bits a second by which slices of a trace are as "
                       f"long as their messages; {trace.RATE:,} without this option")
    found.add_argument("--rows", action="store_true", help="lines for the table of a database")
    found.add_argument("--table", metavar="DATABASE", help="print the definition of that table and end: clickhouse, "
                       "clickhouse:CLUSTER for all shards of a cluster, or duckdb")
    found.add_argument("--load-command", action="store_true", help="print the command that loads all captures of a folder into "
                       "ClickHouse and end; options after -- are in it")
    found.add_argument("--tshark", help="the program tshark, if it is not in PATH")
    found.add_argument("-q", "--quiet", action="store_true", help="no progress on standard error")
    found.add_argument("--version", action=version.Option)
    return found


def rate(text):
    found = float(text)
    if not 1 <= found <= 1e12:
        raise ValueError
    return found


def trace_lines(options, rest, progress):
    reading = source.Source(options.capture, rest, options.tshark, progress=progress)
    yield from map(json_text.escaped, trace.lines(reading, reading.findings, options.rate))
    if reading.is_cut_short:
        print(f"gamewire-messages: {capture.cut_short(options.capture)}", file=sys.stderr)


def lines(path, options=(), tshark=None, progress=None, rows=False):
    """The lines of a capture's messages, as the plugin wrote them, or rows of a table."""
    reading = capture.Reading(path, options, tshark, progress=progress)
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    table = loading.Rows(path) if rows else None
    for packet in reading:
        if rows:
            for position, text in enumerate(packet.messages):
                for row in table.of(position, json.loads(text)):
                    yield json_text.escaped(encode(row))
        else:
            yield from packet.messages
    if reading.is_cut_short:
        print(f"gamewire-messages: {capture.cut_short(path)}", file=sys.stderr)


def print_messages(options, rest):
    progress = None if options.quiet else capture.Progress(options.capture)
    # Closed, so that tshark ends when the reader of the lines does.
    if options.format == "trace":
        chosen = trace_lines(options, rest, progress)
    else:
        chosen = lines(options.capture, rest, options.tshark, progress, options.rows)
    with contextlib.closing(chosen) as found, output.opened(options.output) as file:
        for line in found:
            file.write(line)
            file.write("\n")


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser().parse_args(arguments[:end])
    if options.table is not None or options.load_command:
        try:
            print(loading.definition(options.table) if options.table is not None else loading.load_command(arguments[end + 1:]), end="")
        except ValueError as error:
            parser().error(str(error))
        return 0
    if not options.capture:
        parser().error("a capture is required")
    try:
        print_messages(options, arguments[end + 1:])
    except (capture.Failed, OSError) as error:
        print(f"gamewire-messages: {error}", file=sys.stderr)
        return 2
    return 0
