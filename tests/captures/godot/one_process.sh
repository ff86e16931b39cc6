#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: one_process.sh PROJECT PART ENGINE [ARG...]
#
# Runs a project whose play.gd sends to itself, and captures what it sends on loopback. Leaves raw.pcap and
# play.log (what the script did) in the working directory. make_sessions.sh calls it inside a Debian folder that holds
# the engine, in a network of its own.

set -eu

project=$1 part=$2
shift 2
here=$(dirname "$0")
port=40700   # PORT in play.gd

. "$here/dumpcap.sh"
rm -rf project ./*.log ./*.record ./*.out
cp -r "$here/$project" project
[ "$project" != stream/godot4 ] || cp "$here/multiplayer/godot4/snapshot.gd" project

start_dumpcap "port $port"
GAMEWIRE_PART=$part GAMEWIRE_LOG=$PWD/play.log timeout 60 "$@" --path project --script play.gd >play.out 2>&1 ||
    { cat play.out >&2; exit 1; }
stop_dumpcap
