#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes pcaps/squirrel again: sends each scene over the loopback interface and captures it.
# Needs tcpdump and the right to capture. Names as arguments make only those scenes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=$here/../../../pcaps/squirrel
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sender() {
    /usr/bin/python3 -B "$here/send.py" "$@"
}

# tcpdump ends after the scene's last datagram, or at its time limit.
capture() {
    : >"$work/$1.log"
    timeout 60 tcpdump -i lo -n -U -Z "$(id -un)" -c "$(sender count "$1")" -w "$work/$1.pcap" \
        'udp port 8192 and host 127.0.0.1' 2>"$work/$1.log" &
    tcpdump_pid=$!
    tries=0
    until grep -q 'listening on' "$work/$1.log"; do
        tries=$((tries + 1))
        if [ $tries -gt 100 ]; then cat "$work/$1.log" >&2; exit 1; fi
        sleep 0.05
    done
    sender send "$1" "$work/$1.jsonl"
    wait $tcpdump_pid
    sender check "$work/$1.jsonl" "$work/$1.pcap"
}

mkdir -p "$out/records"
for scene in ${*:-$(sender list)}; do
    capture "$scene"
    cp "$work/$scene.pcap" "$out/"
    cp "$work/$scene.jsonl" "$out/records/"
    echo "$scene: $(sender count "$scene") packets"
done
find "$out/records" -name '*.jsonl' -size +16k -exec gzip -9nf {} +
