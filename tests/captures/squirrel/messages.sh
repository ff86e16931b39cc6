#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: messages.sh OUT
#
# Makes OUT/vcmp-0.4.7.1.pcap with its record (.jsonl), as make.sh the other captures of RakNet. Needs tcpdump and the right to
# capture.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scene=vcmp-0.4.7.1

sender() {
    /usr/bin/python3 -B "$here/messages.py" "$@"
}

: >"$work/log"
timeout 60 tcpdump -i lo -n -U -Z "$(id -un)" -c "$(sender count $scene)" -w "$work/$scene.pcap" \
    'udp port 8192 and host 127.0.0.1' 2>"$work/log" &
tcpdump=$!
tries=0
until grep -q 'listening on' "$work/log"; do
    tries=$((tries + 1))
    if [ $tries -gt 100 ]; then cat "$work/log" >&2; exit 1; fi
    sleep 0.05
done
sender send $scene "$work/$scene.jsonl"
wait $tcpdump
sender check "$work/$scene.jsonl" "$work/$scene.pcap"
mkdir -p "$out"
cp "$work/$scene.pcap" "$work/$scene.jsonl" "$out"
