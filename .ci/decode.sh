#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A tshark that has the plugin installed lists it, and decodes a capture of each family as the pages in plugin/docs show. For
# systems on which the tests do not run.
#
#   sh .ci/decode.sh TSHARK

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"
tshark=${1:?"which tshark?"}
cd "$source_dir/pcaps"

"$tshark" --version | sed -n 1p
"$tshark" -G plugins | grep '^gamewire' || die "$tshark does not load the plugin"

# decodes CAPTURE LINE: one of the lines of -V begins with this text.
decodes() {
    "$tshark" -n -2 -V -r "$1" | tr -d '\r' | awk -v line="$2" '
        { sub(/^ +/, "") }
        index($0, line) == 1 { found = 1 }
        END { exit !found }' || die "$tshark does not decode $1 as: $2"
    say "decoded $1"
}

decodes godot/variant/godot-4.6.3-game.pcap 'Dictionary {"cmd": "move", "pos": Vector2(1.5, -2)}'
decodes godot/stream/godot-4.6.3-stream.pcap '[Value: {"cmd": "welcome", "id": 7, "map": "res://maps/keep.tscn", "spawn": Vector2i(64, -32)}]'
decodes godot/multiplayer/godot-3.6-calls.pcap 'Godot Multiplayer, RPC take(65536) on Main/Units/Hero'
decodes godot/debugger/godot-4.6.3-debugger.pcap 'Godot Remote Debugger, stack_dump: walk at res://game.gd:44, and 3 more'
decodes enet/every-command.pcap 'ENet, Reliable ch=0 seq=1 len=8, Unreliable ch=1 seq=0.1 len=10, Unsequenced ch=2 group=1 len=11'
# Zstandard, whose decoder is a part of the plugin on Windows and macOS.
decodes godot/multiplayer/godot-4.6.3-calls-zstd.pcap 'Godot Multiplayer, RPC method 5(32768) on Main/Units/Hero'
decodes leviathan/session.pcap 'Leviathan engine, 1003  Response Security #3 → #3, acks 1002-1003'
decodes squirrel/session.pcap 'Squirrel remote values (VC:MP), Reply #4  [17, 21, 100000]'
