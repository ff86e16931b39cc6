#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: mixed.sh SERVER CLIENT [IGNORED...]
#
# Runs a server and one client of different generations (SERVER and CLIENT: 3 or 4) over ENet, and captures what they send
# on loopback. Leaves raw.pcap and NAME.log in the working directory, as multiplayer.sh does. make_sessions.sh calls it
# inside a Debian folder that holds both engines, in a network of its own.

set -eu

here=$(dirname "$0")
server_generation=$1 client_generation=$2
port=40600        # PORT in main.gd

. "$here/dumpcap.sh"
rm -rf project3 project4 ./*.record ./*.log ./*.out
cp -r "$here/multiplayer/godot3" project3
cp -r "$here/multiplayer/godot4" project4
sh "$here/multiplayer/godot4/generate.sh" project4
start_dumpcap "port $port"
export GAMEWIRE_PART=mixed GAMEWIRE_TRANSPORT=enet GAMEWIRE_COMPRESSION=none
work=$PWD

play() { # ROLE GENERATION
    case $2 in
        3) engine=godot3-server ;;
        4) engine='godot --headless' ;;
    esac
    # shellcheck disable=SC2086
    GAMEWIRE_ROLE=$1 GAMEWIRE_LOG=$work/$1.log timeout 60 $engine --path "project$2" >"$1.out" 2>&1 ||
        { status=$?; cat "$1.out" >&2; return $status; }
}

play server "$server_generation" &
server=$!
sleep 1
play client1 "$client_generation" &
client=$!
failed=0
for process in $server $client; do
    wait "$process" || failed=1
done
stop_dumpcap
exit $failed
