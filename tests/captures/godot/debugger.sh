#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: debugger.sh PROJECT TRANSPORT ENGINE [ARG...]
#
# Runs a game and, as the editor would, a listener that debugs it (TRANSPORT: tcp or websocket), and captures what they
# send on loopback. Leaves raw.pcap and listener.log in the working directory. make_sessions.sh calls it inside a Debian
# folder that holds the engine, in a network of its own.

set -eu

project=$1 transport=$2
shift 2
here=$(dirname "$0")
port=40700   # PORT in listener.gd

. "$here/dumpcap.sh"
rm -rf project ./*.log ./*.record ./*.out
cp -r "$here/$project" project

case $project:$transport in
*:websocket) address=ws://127.0.0.1:$port ;;
debugger3:*) address=127.0.0.1:$port ;;
*) address=tcp://127.0.0.1:$port ;;
esac

start_dumpcap "port $port"
GAMEWIRE_TRANSPORT=$transport GAMEWIRE_LOG=$PWD/listener.log \
    timeout 60 "$@" --path project --script listener.gd >listener.out 2>&1 &
listener=$!
sleep 1
timeout 40 "$@" --path project --remote-debug "$address" >game.out 2>&1 || { cat game.out >&2; exit 1; }
wait $listener || { cat listener.out >&2; exit 1; }
stop_dumpcap
