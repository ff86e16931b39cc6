#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: capture.sh PROJECT PART ENGINE [ARG...]
#
# Runs a Godot project from the folder that holds this file and captures what it sends on
# loopback. Leaves capture.pcap and sent.txt in the working directory. make.sh calls it
# inside a Debian folder that holds the engine, in a network of its own.

set -eu

project=$1 part=$2
shift 2
listener_port=40300   # LISTENER_PORT in send.gd

# The engine writes into its project, which may be read-only here: run a copy.
rm -rf project raw.pcap capture.pcap sent.txt dumpcap.log
cp -r "$(dirname "$0")/variant/$project" project

dumpcap -q -P -i lo -f "udp dst port $listener_port" -w raw.pcap 2>dumpcap.log &
dumpcap=$!
trap 'kill $dumpcap 2>/dev/null || true' EXIT

# A file header on disk means that the interface is open and the filter set.
tries=0
until [ -s raw.pcap ]; do
    tries=$((tries + 1))
    if [ $tries -gt 100 ] || ! kill -0 $dumpcap 2>/dev/null; then
        cat dumpcap.log >&2
        exit 1
    fi
    sleep 0.1
done

GAMEWIRE_PART=$part timeout 60 "$@" --path project --script send.gd >engine.log 2>&1 ||
    { cat engine.log >&2; exit 1; }

sleep 2   # longer than the kernel may buffer a packet before dumpcap gets it
kill -INT $dumpcap
wait $dumpcap || true
trap - EXIT

# Classic pcap with microseconds, regardless of dumpcap's default.
editcap -F pcap raw.pcap capture.pcap
mv project/sent.txt sent.txt
