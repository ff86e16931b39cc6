#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: debugger.sh PROJECT TRANSPORT ENGINE [ARG...]
#
# Runs a game and, as the editor would, a listener that debugs it (TRANSPORT: tcp, websocket, or two: two of each at a
# time, on the editors' default port), and captures what they send on loopback. Leaves raw.pcap and a log of each
# listener in the working directory. make_sessions.sh calls it inside a Debian folder that holds the engine, in a
# network of its own.

set -eu

project=$1 transport=$2
shift 2
here=$(dirname "$0")
addresses=127.0.0.1 port=40700
[ "$transport" != two ] || { addresses='127.0.0.1 127.0.0.2' port=6007; }

. "$here/dumpcap.sh"
rm -rf project-* ./*.log ./*.record ./*.out

# debug ADDRESS ENGINE [ARG...]: one game and its listener, each in a copy of the project.
debug() {
    address=$1
    shift
    cp -r "$here/$project" "project-$address"
    case $project:$transport in
    *:websocket) remote=ws://$address:$port ;;
    debugger/godot3:*) remote=$address:$port ;;
    *) remote=tcp://$address:$port ;;
    esac
    GAMEWIRE_TRANSPORT=$transport GAMEWIRE_ADDRESS=$address GAMEWIRE_PORT=$port GAMEWIRE_LOG=$PWD/listener-$address.log \
        timeout 60 "$@" --path "project-$address" --script listener.gd >"listener-$address.out" 2>&1 &
    listener=$!
    sleep 3   # two engines start at once, perhaps on a busy machine
    timeout 40 "$@" --path "project-$address" --remote-debug "$remote" >"game-$address.out" 2>&1 ||
        { cat "game-$address.out" >&2; return 1; }
    wait $listener || { cat "listener-$address.out" >&2; return 1; }
}

start_dumpcap "port $port"
games='' failed=0
for address in $addresses; do
    debug "$address" "$@" &
    games="$games $!"
done
for game in $games; do
    wait "$game" || failed=1
done
stop_dumpcap
exit $failed
