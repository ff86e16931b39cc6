# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of gamewire-messages."""

import argparse
import json
import sys

from . import capture, messages

EPILOG = """Options of tshark follow after --, such as: -- -C Gamewire -d enet.port==7777,godot_mp
The members of a line are described in plugin/docs/messages.md."""


def parser():
    found = argparse.ArgumentParser(prog="gamewire-messages", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
                                    description="Prints the messages of a game in a capture as JSON, one line for each.")
    found.add_argument("capture", help="a capture file")
    found.add_argument("-o", "--output", help="the file to write; standard output without this option")
    found.add_argument("--tshark", help="the program tshark, if it is not in PATH")
    found.add_argument("-q", "--quiet", action="store_true", help="no progress on standard error")
    return found


def lines(path, options=(), tshark=None, progress=None):
    """The lines of a capture's messages."""
    reading = capture.Reading(path, options, tshark, progress=progress)
    names = messages.Names(reading.program, options)
    dumps = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    for packet in reading:
        for message in messages.of_packet(packet, names):
            yield dumps(message)


def write(found, output):
    for line in found:
        output.write(line)
        output.write("\n")


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser().parse_args(arguments[:end])
    try:
        progress = None if options.quiet else capture.Progress(options.capture)
        found = lines(options.capture, arguments[end + 1:], options.tshark, progress)
        if options.output:
            with open(options.output, "w", encoding="utf-8", newline="\n") as file:
                write(found, file)
        else:
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")
            write(found, sys.stdout)
    except (capture.Failed, OSError) as error:
        print(f"gamewire-messages: {error}", file=sys.stderr)
        return 2
    return 0
