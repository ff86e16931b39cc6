#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: noray.sh NETFOX NORAY OUT [ENGINE...]
#
# Makes OUT/noray-1.4.pcap with its record (.jsonl). NETFOX is a copy of https://github.com/foxssake/netfox at 1e7281de3e48 (1.48.4),
# NORAY one of https://github.com/foxssake/noray at 5924a20c00bc (1.4.3) with the packages that it needs (npm install
# --omit=dev). The server is noray itself; a host and two clients of noray/main.gd use the client of netfox.noray: the first one connects
# to the host directly, the second one through a relay. ENGINE is `godot --headless` unless given. Needs node, wireshark-common and a
# loopback interface of its own (unshare --net).

set -eu
netfox=$(cd "$1" && pwd)
noray=$(cd "$2" && pwd)
mkdir -p "$3"
out=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift 3
[ $# -gt 0 ] || set -- godot --headless
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/dumpcap.sh"

cp -r "$here/noray" game
mkdir game/addons
cp -r "$netfox/addons/netfox.noray" "$netfox/addons/netfox.internals" game/addons
timeout 120 "$@" --path game --import >import.out 2>&1 || {
    cat import.out >&2
    exit 1
}
NORAY_SOCKET_HOST=127.0.0.1 NORAY_HTTP_HOST=127.0.0.1 NORAY_UDP_RELAY_PORTS=49152-49155 node "$noray/bin/noray.mjs" >server.out 2>&1 &
server=$!
start_dumpcap 'tcp port 8890 or udp'
trap 'kill $dumpcap $server 2>/dev/null || true; rm -rf "$work"' EXIT
players=
seconds=10
for role in host direct relayed; do
    ROLE=$role OID=$work/oid SECONDS=$seconds "$@" --path game >"$role.out" 2>&1 &
    players="$players $!"
    seconds=$((seconds - 3))
    sleep 2.5
done
# shellcheck disable=SC2086  # a list of numbers
wait $players
kill $server
stop_dumpcap
trap 'rm -rf "$work"' EXIT
cp raw.pcap "$out/noray-1.4.pcap"
cat host.out direct.out relayed.out | sed -n 's/^RECORD //p' >"$out/noray-1.4.jsonl"
grep -q hello "$out/noray-1.4.jsonl" || {
    cat ./*.out >&2
    exit 1
}
