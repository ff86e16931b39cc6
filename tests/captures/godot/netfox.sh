#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: netfox.sh NETFOX OUT [ENGINE...]
#
# Makes the captures of tests/plugin/packs: OUT/netfox-1.48-{variants,schemas,relayed}.pcap with the records (.jsonl) and
# properties. NETFOX is a copy of https://github.com/foxssake/netfox at 1e7281de3e48 (1.48.4), imported by the engine (--import);
# it is not changed. Its example multiplayer-netfox is played with netfox/drive.gd, in the first two by a server and a client;
# netfox's own network simulator between them delays packets by 20 ms and loses 8 %, and what is captured is between the client and
# the simulator. In the third, a capture that begins late has a server and two clients, of which the second connects in it, without
# the simulator; their inputs go to each other, too. ENGINE is `godot --headless` unless given. Needs wireshark-common and a loopback interface of its own
# (unshare --net).

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

# prepare RAW LATENCY LOSS BROADCAST
prepare() {
    rm -rf game server client first second ./*.out
    cp -r "$netfox" game
    cp "$here/netfox/drive.gd" "$here/../../../plugin/packs/netfox_properties.gd" game
    sed -i -e 's/^InterpolationServer=.*/&\nDrive="*res:\/\/drive.gd"\nProperties="*res:\/\/netfox_properties.gd"/' game/project.godot
    cat >>game/project.godot <<FILE

[netfox]

general/use_raw_commands=$1
autoconnect/enabled=true
autoconnect/port=46100
autoconnect/simulated_latency_ms=$2
autoconnect/simulated_packet_loss_chance=$3
rollback/enable_input_broadcast=$4
FILE
}

# begin ROLE SECONDS SCHEMAS [ACTION]: starts an engine, the server first.
begin() {
    mkdir "$1"
    XDG_DATA_HOME=$work/$1 SCHEMAS=$3 SECONDS=$2 ACTION=${4:-0} \
        sh -c "exec $engine --path game res://examples/multiplayer-netfox/multiplayer-netfox.tscn" >"$1.out" 2>&1 &
    sleep 3
}

# finish NAME
finish() {
    stop_dumpcap
    trap 'rm -rf "$work"' EXIT
    cp raw.pcap "$out/$1.pcap"
    cat ./*.out | sed -n 's/^RECORD //p' >"$out/$1.jsonl"
    [ -s "$out/$1.jsonl" ] || {
        cat ./*.out >&2
        exit 1
    }
    cp "$(find server -name netfox_properties)" "$out/$1.properties"
}

# play NAME SCHEMAS RAW
play() {
    prepare "$3" 20 8.0 false
    start_dumpcap 'udp port 46101'
    begin server 15 "$2"
    begin client 10 "$2"
    sleep 13
    finish "$1"
}

engine=$*
play netfox-1.48-variants 0 false
play netfox-1.48-schemas 1 true

prepare true 0 0.0 true
begin server 14 1 1
begin first 10 1 1
start_dumpcap 'udp port 46100'
begin second 4 1 1
sleep 8
finish netfox-1.48-relayed
