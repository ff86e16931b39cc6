#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes pcaps/leviathan: make.sh [SCENARIO...], all by default. Needs a C compiler, libcsfml-dev, dumpcap and
# the right to capture on the loopback interface. Only the timestamps differ from run to run.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$here/../../../pcaps" && pwd)/leviathan
work=$(mktemp -d)
dumpcap=
trap '[ -z "$dumpcap" ] || kill "$dumpcap" 2>/dev/null || true; rm -rf "$work"' EXIT
port=53221

"${CC:-cc}" -std=c11 -O1 -Wall -Wextra -Wconversion -Wsign-conversion -Werror \
    -o "$work/leviathan-traffic" "$here"/*.c -lcsfml-network

wait_for() { # PATTERN FILE: until the file contains it, 10 s at most
    for _ in $(seq 100); do
        grep -q "$1" "$2" && return 0
        sleep 0.1
    done
    echo "make.sh: no '$1' in 10 s" >&2
    return 1
}

# dumpcap prints its file's name once it has opened the interface; -P writes classic pcap.
capture() { # SCENARIO
    dumpcap -q -P -i lo -f "udp port $port" -w "$work/$1.pcap" 2>"$work/dumpcap.log" &
    dumpcap=$!
    wait_for '^File:' "$work/dumpcap.log"
    sleep 0.5
    "$work/leviathan-traffic" "$1" >"$work/$1.jsonl"
    sleep 1
    kill -INT "$dumpcap"
    wait "$dumpcap" || true
    dumpcap=
}

# The capture must have as many packets as were sent.
check() { # SCENARIO
    sent=$(wc -l <"$work/$1.jsonl")
    captured=$(capinfos -TrMc "$work/$1.pcap" | cut -f 2)
    echo "$1: $sent datagrams sent, $captured captured"
    [ "$sent" -eq "$captured" ]
}

[ $# -gt 0 ] || set -- session session-documented-acks every-message ipv6 two-clients mid-conversation \
    old-numbering malformed
mkdir -p "$out/records"
for scenario in "$@"; do
    capture "$scenario"
    check "$scenario"
    install -m 644 "$work/$scenario.pcap" "$out/"
    install -m 644 "$work/$scenario.jsonl" "$out/records/"
done
find "$out/records" -name '*.jsonl' -size +16k -exec gzip -9nf {} +
