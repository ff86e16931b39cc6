#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes pcaps/enet: make.sh [SCENARIO...], all by default. Installs what it needs (libenet-dev, libssl-dev, a C compiler, dumpcap).
# Everything happens in a network of its own that has only loopback, for which it needs root or user namespaces. All
# takes three minutes. Payloads and connect ids are the same in each run; times, and with them what depends on times
# (resends, round trips, what the throttle leaves out), differ.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
source_dir=$(cd "$here/../../.." && pwd)
. "$source_dir/.ci/lib.sh"

if [ -z "${GAMEWIRE_ALONE:-}" ]; then
    need gcc libc6-dev libenet-dev libssl-dev tshark wireshark-common python3 iproute2 util-linux
    [ "$(id -u)" -eq 0 ] || set -- --map-root-user sh "$0" "$@"
    [ "$(id -u)" -ne 0 ] || set -- sh "$0" "$@"
    GAMEWIRE_ALONE=yes exec unshare --net "$@"
fi

ip link set lo up
out=$source_dir/pcaps/enet
work=$(mktemp -d)
dumpcap=
trap '[ -z "$dumpcap" ] || kill "$dumpcap" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$out/records"

"${CC:-cc}" -std=gnu11 -O1 -Wall -Wextra -Wconversion -Werror -o "$work/traffic" "$here"/*.c -lenet -lssl -lcrypto -ldl

# dumpcap prints its file's name once it has opened the interface; -P writes classic pcap.
capture() { # SCENARIO
    : >"$work/dumpcap.log"
    filter=udp
    [ "$1" != closed-port ] || filter='udp or icmp'
    ip link set lo mtu "$([ "$1" = ip-fragments ] && echo 1000 || echo 65536)"
    dumpcap -q -P -B 32 -i lo -f "$filter" -w "$work/$1.pcap" 2>"$work/dumpcap.log" &
    dumpcap=$!
    tries=0
    until grep -q '^File:' "$work/dumpcap.log"; do
        tries=$((tries + 1))
        [ $tries -le 100 ] || { cat "$work/dumpcap.log" >&2; exit 1; }
        sleep 0.1
    done
    sleep 0.3
    timeout 120 "$work/traffic" "$1" >"$work/$1.raw"
    sleep 1.5 # longer than the kernel may buffer a packet before dumpcap gets it
    kill -INT "$dumpcap"
    wait "$dumpcap" || true
    dumpcap=
}

# shellcheck disable=SC2046  # a list of names
[ $# -gt 0 ] || set -- $("$work/traffic")
for scenario in "$@"; do
    capture "$scenario"
    case $scenario in
        closed-port | ip-fragments) # not a datagram a frame: without a record
            cp "$work/$scenario.pcap" "$out/"
            continue
            ;;
    esac
    python3 -B "$here/records.py" "$scenario" "$work/$scenario.pcap" "$work/$scenario.raw" "$out"
done
find "$out/records" -name '*.jsonl' -size +16k -exec gzip -9nf {} +
