#!/bin/bash
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Make the captures of pcaps/godot/variant again, with real Godot engines on loopback.

set -euo pipefail
self=${0##*/}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/engines.sh"

usage() {
    cat <<EOT
usage: $self [-o OUT] FOLDERS [SUITE...]

Makes the captures and, in records/, what the engine said it sent. FOLDERS is a
directory that holds, or shall hold, a folder for each Debian release with its
Godot engine (about 1 GB each; kept, to be used again):

  bookworm   godot3-server   Godot 3.2.3
  trixie     godot3-server   Godot 3.6
  sid        godot           Godot 4.6 or what sid has by now

Without SUITE, all three. Files are named after the version that the engine
reports: godot-VERSION.pcap, godot-VERSION-PART.pcap and records/….jsonl of each.

  -o OUT     write there, not into the project's pcaps/godot/variant
  -h         this text

Needs root, and installs mmdebstrap, util-linux, iproute2 and python3 where
they are missing. Nothing leaves the machine but the download of packages:
each capture has a network of its own.
Object ids, timestamps and stale bytes differ from one run to the next.
EOT
}
die() { printf '%s: %s\n' "$self" "$1" >&2; exit 1; }

parts=(everything game vector3-only late-proof same-bytes)
out=$source_dir/pcaps/godot/variant

while getopts ho: option; do
    case $option in
        h) usage; exit 0 ;;
        o) out=$OPTARG ;;
        *) usage >&2; exit 64 ;;
    esac
done
shift $((OPTIND - 1))
(($# >= 1)) || { usage >&2; exit 64; }
folders=$1
shift
suites=("$@")
((${#suites[@]})) || suites=(bookworm trixie sid)

# capture PART: one run of the engine, and the two files it gives.
capture() {
    local name=godot-$version
    [[ $1 == everything ]] || name+=-$1
    alone "${debian[@]}" --src "$here" --build "$work" \
        --run sh /src/capture.sh "$project" "$1" "${command[@]}"
    "$here/records.py" "$work/capture.pcap" "$work/sent.txt" "$work/sent.jsonl" >/dev/null
    install -m 644 "$work/capture.pcap" "$out/$name.pcap"
    install -m 644 "$work/sent.jsonl" "$out/records/$name.jsonl"
    printf '%s: %s packets\n' "$name.pcap" "$(wc -l < "$work/sent.jsonl")"
}

mkdir -p "$folders" "$out/records"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for suite in "${suites[@]}"; do
    engine "$suite"
    for part in "${parts[@]}"; do
        capture "$part"
    done
done
