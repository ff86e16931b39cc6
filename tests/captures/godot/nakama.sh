#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: nakama.sh NAKAMA OUT [ENGINE...]
#
# Makes OUT/nakama-3.4.pcap with its record (.jsonl). NAKAMA is a copy of https://github.com/heroiclabs/nakama-godot at
# ddbb873495b7; it is not changed. Three players of nakama/main.gd meet in a match and call each other through the client's bridge;
# the server is nakama/server.py. ENGINE is `godot --headless` unless given. Needs wireshark-common, python3 and a loopback
# interface of its own (unshare --net).

set -eu
nakama=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift 2
[ $# -gt 0 ] || set -- godot --headless
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/dumpcap.sh"

cp -r "$here/nakama" game
cp -r "$nakama/addons" game
timeout 120 "$@" --path game --import >import.out 2>&1 || {
    cat import.out >&2
    exit 1
}
python3 game/server.py 46150 2>server.out &
server=$!
start_dumpcap 'tcp port 46150'
trap 'kill $dumpcap $server 2>/dev/null || true; rm -rf "$work"' EXIT
seconds=9
players=
for player in anna ben clara; do
    PLAYER=$player SECONDS=$seconds "$@" --path game >"$player.out" 2>&1 &
    players="$players $!"
    seconds=$((seconds - 2))
    sleep 1.5
done
# shellcheck disable=SC2086  # a list of numbers
wait $players
kill $server
stop_dumpcap
trap 'rm -rf "$work"' EXIT
cp raw.pcap "$out/nakama-3.4.pcap"
cat anna.out ben.out clara.out | sed -n 's/^RECORD //p' >"$out/nakama-3.4.jsonl"
[ -s "$out/nakama-3.4.jsonl" ] || {
    cat ./*.out >&2
    exit 1
}
