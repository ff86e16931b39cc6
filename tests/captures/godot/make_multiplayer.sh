#!/bin/bash
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Make the captures of pcaps/godot-multiplayer again, with real Godot engines on loopback.

set -euo pipefail
self=${0##*/}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/engines.sh"

usage() {
    cat <<EOT
usage: $self [-o OUT] FOLDERS [SUITE [SESSION...]]

Makes the captures and, beside each, what the scripts called and received.
FOLDERS is a directory that holds, or shall hold, a folder for each Debian
release with its Godot engine (about 1 GB each; kept, to be used again):

  bookworm   godot3-server   Godot 3.2.3
  trixie     godot3-server   Godot 3.6
  sid        godot           Godot 4.6 or what sid has by now

Without SUITE, all three. A SESSION is a line of the list in this script, as
PART:TRANSPORT:COMPRESSION (calls:enet:zlib). Files are named after the version
that the engine reports: godot-VERSION-PART[-COMPRESSION].pcap, .jsonl and
.calls.jsonl; for Godot 4 also what rpc_names.gd writes for the project,
in profile/.

  -o OUT     write there, not into the project's pcaps/godot-multiplayer
  -h         this text

Needs root, mmdebstrap, util-linux, iproute2 and python3. Nothing leaves the
machine but the download of packages: each session has a network of its own.
Peer ids, object ids and times differ from one run to the next.
EOT
}
die() { printf '%s: %s\n' "$self" "$1" >&2; exit 1; }

out=$here/../../../pcaps/godot-multiplayer

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
suites=("${1:-bookworm}")
(($# >= 1)) || suites=(bookworm trixie sid)
shift $(($# ? 1 : 0))
asked=("$@")

# sessions GENERATION: the list.
sessions() {
    local one
    for one in none range-coder fastlz zlib zstd; do
        echo "calls:enet:$one"
    done
    echo calls:websocket:none
    echo raw:enet:none
    [[ $1 == 4 ]] || return 0
    for one in spawn methods nodes auth objects; do
        echo "$one:enet:none"
    done
}

# Godot 4: the tables that give names to numbers, of the project that was played.
tables() {
    rm -rf "$work/project" "$work/tables"
    cp -r "$here/multiplayer4" "$work/project"
    sh "$here/multiplayer4/generate.sh" "$work/project"
    mkdir "$work/tables"
    "${debian[@]}" --src "$here/../../.." --build "$work" --run \
        "${command[@]}" --path project --script /src/plugin/godot/rpc_names.gd -- /build/tables
    mkdir -p "$out/profile"
    install -m 644 "$work/tables"/* "$out/profile"
}

# session PART TRANSPORT COMPRESSION: one run of three processes, and the files it gives.
session() {
    local name=godot-$version-$1
    case $2:$3 in
        enet:none) ;;
        enet:*) name+=-$3 ;;
        *) name+=-$2 ;;
    esac
    alone "${debian[@]}" --src "$here/../../.." --build "$work" \
        --run sh /src/tests/captures/godot/multiplayer.sh "multiplayer${project#godot}" "$1" "$2" "$3" "${command[@]}" ||
        die "the session $1:$2:$3 of Godot $version failed"
    "$here/multiplayer_records.py" "$work" "$name" "$out"
}

mkdir -p "$folders" "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for suite in "${suites[@]}"; do
    engine "$suite" libenet-dev
    list=("${asked[@]}")
    ((${#list[@]})) || mapfile -t list < <(sessions "${project#godot}")
    rm -f "$work/recorder.so"
    for one in "${list[@]}"; do
        IFS=: read -r part transport compression <<<"$one"
        session "$part" "$transport" "$compression"
    done
    [[ $project != godot4 ]] || tables
done
