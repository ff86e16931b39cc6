#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: x11.sh OUT
#
# Captures what xterm and xclock exchange with an X server on display 7, TCP port 6007, which is also the port of
# Godot's editor: OUT/x11-port-6007.pcap. For tests/plugin/godot/debugger/test_x11.py. Needs root, xvfb, xterm,
# x11-apps, wireshark-common and iproute2; uses a network of its own.

set -eu

if [ "${2:-}" != inside ]; then
    mkdir -p "$1"
    exec unshare --net -- sh -c 'ip link set lo up && exec sh "$0" "$1" inside' "$0" "$1"
fi
out=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'kill $pids 2>/dev/null || true; rm -rf "$work"' EXIT
Xvfb :7 -screen 0 640x480x24 -listen tcp -nolisten unix -nolisten local -ac >"$work/xvfb.out" 2>&1 &
pids=$!
cd "$work"
. "$here/godot/dumpcap.sh"
start_dumpcap 'tcp port 6007'
trap 'kill $pids $dumpcap 2>/dev/null || true; rm -rf "$work"' EXIT
sleep 2
DISPLAY=127.0.0.1:7
export DISPLAY
xclock -update 1 &
pids="$pids $!"
xterm -e sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ls -l /usr/bin | head -n 30; sleep 0.1; done' || true
sleep 2
stop_dumpcap
cp raw.pcap "$out/x11-port-6007.pcap"
