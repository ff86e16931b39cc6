# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Capturing on loopback, for the scripts that run inside a Debian folder. To be sourced.

# start_dumpcap FILTER: captures the packets that match it, until stop_dumpcap.
start_dumpcap() {
    rm -f raw.pcapng raw.pcap
    dumpcap -q -B 16 -i lo -f "$1" -w raw.pcapng 2>dumpcap.out &
    dumpcap=$!
    trap 'kill $dumpcap 2>/dev/null || true' EXIT

    # A file header on disk means that the interface is open and the filter set.
    tries=0
    until [ -s raw.pcapng ]; do
        tries=$((tries + 1))
        if [ $tries -gt 100 ] || ! kill -0 $dumpcap 2>/dev/null; then
            cat dumpcap.out >&2
            exit 1
        fi
        sleep 0.1
    done
}

# stop_dumpcap: leaves raw.pcap, a classic pcap with microseconds.
stop_dumpcap() {
    sleep 2   # longer than the kernel may buffer a packet before dumpcap gets it
    kill -INT $dumpcap
    wait $dumpcap || true
    trap - EXIT
    editcap -F pcap raw.pcapng raw.pcap
}
