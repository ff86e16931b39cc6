#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: netfox.sh NETFOX OUT [ENGINE...]
#
# Makes the captures of tests/plugin/packs: OUT/netfox-1.48-{variants,schemas}.pcap with the records (.jsonl) and properties. NETFOX
# is a copy of https://github.com/foxssake/netfox at 1e7281de3e48 (1.48.4), imported by the engine (--import); it is not changed.
# A server and a client play its example multiplayer-netfox with netfox/drive.gd; netfox's own network simulator between them
# delays packets by 20 ms and loses 8 %. What is captured is between the client and the simulator. ENGINE is `godot --headless`
# unless given. Needs wireshark-common and a loopback interface of its own (unshare --net).

set -eu
netfox=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift 2
[ $# -gt 0 ] || set -- godot --headless
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/dumpcap.sh"

# play NAME SCHEMAS RAW
play() {
    rm -rf game server client
    cp -r "$netfox" game
    cp "$here/netfox/drive.gd" "$here/../../../plugin/packs/netfox_properties.gd" game
    sed -i -e 's/^InterpolationServer=.*/&\nDrive="*res:\/\/drive.gd"\nProperties="*res:\/\/netfox_properties.gd"/' game/project.godot
    cat >>game/project.godot <<FILE

[netfox]

general/use_raw_commands=$3
autoconnect/enabled=true
autoconnect/port=46100
autoconnect/simulated_latency_ms=20
autoconnect/simulated_packet_loss_chance=8.0
FILE
    name=$1 schemas=$2
    engine=$engine_command
    start_dumpcap 'udp port 46101'
    for role in server client; do
        mkdir $role
        seconds=15
        [ $role = server ] || seconds=10
        XDG_DATA_HOME=$work/$role SCHEMAS=$schemas SECONDS=$seconds \
            sh -c "exec $engine --path game res://examples/multiplayer-netfox/multiplayer-netfox.tscn" >$role.out 2>&1 &
        sleep 3
    done
    sleep 13
    stop_dumpcap
    cp raw.pcap "$out/$name.pcap"
    sed -n 's/^RECORD //p' client.out server.out >"$out/$name.jsonl"
    cp "$(find server -name netfox_properties)" "$out/$name.properties"
}

engine_command=$*
play netfox-1.48-variants 0 false
play netfox-1.48-schemas 1 true
