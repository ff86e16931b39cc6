#!/bin/bash
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Make the captures of pcaps/godot/multiplayer, godot/stream, godot/enet, godot/debugger, godot/odd and godot/remote_fs again,
# with real Godot engines on loopback.

set -euo pipefail
self=${0##*/}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/engines.sh"

usage() {
    cat <<EOT
usage: $self [-o OUT] FOLDERS [SUITE [SESSION...]]

Makes the captures and, in records/, what the scripts sent and received.
FOLDERS is a directory that holds, or shall hold, a folder for each Debian
release with its Godot engine (about 1 GB each; kept, to be used again):

  bookworm   godot3-server   Godot 3.2.3
  trixie     godot3-server   Godot 3.6
  sid        godot           Godot 4.6 or what sid has by now
  web                        Godot 4.6.0 for browsers: the official build, of
                             a package that npm fetches; run in sid's Chromium
                             against sid's Godot (PART:websocket-web ...)

Without SUITE, all three; without SESSION, all of the list in this script, one
of whose lines it is: PART:TRANSPORT[:COMPRESSION], e.g. calls:enet:zlib,
stream-mixed:tcp. Files are named after the version that the engine reports:
godot-VERSION-PART[-COMPRESSION].pcap, in records/ .calls.jsonl and, of calls
over ENet, .jsonl; for Godot 4 also what rpc_names.gd writes for the multiplayer project,
in godot/multiplayer/profile.

  -o OUT     write into folders below OUT, not of the project's pcaps
  -h         this text

Needs root, and installs mmdebstrap, util-linux, iproute2 and python3 where
they are missing. Nothing leaves the machine but the download of packages:
each session has a network of its own.
Peer ids, object ids and times differ from one run to the next. All takes six
minutes.
EOT
}
die() { printf '%s: %s\n' "$self" "$1" >&2; exit 1; }

out=$source_dir/pcaps

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
    echo calls:websocket raw:enet:none
    # Of Godot 3 in one version, which has NetworkedMultiplayerCustom.
    [[ $version == 3.2.* ]] || echo calls:webrtc few_calls:{dtls,websocket-tls}
    [[ $version != 3.6* ]] || echo low_bytes:enet:none
    [[ $version != 3.2.* ]] || echo odd-messages:udp
    if [[ $1 == 4 ]]; then
        echo odd-{udp,messages,calls}:udp odd-{stream,debugger,remote-fs}:tcp damaged-udp:udp damaged-{stream,websocket}:tcp damaged_spawn:{enet,websocket} damaged_crash:enet:none compression_{server,clients}:enet:none
        echo {calls,spawn,auth,values}:websocket-web calls:webrtc-web
        echo {spawn,methods,nodes,auth,objects,owners,custom,inner,late,mismatch,snapshots,missing,rivals}:enet:none {mixed,mixed_client}:enet spawn:lossy spawn:webrtc-in-band stream-pieces:tcp {enet-send,enet-snapshots}:udp debugger:websocket {few_calls,spawn}:recorded {editors,remote-fs}:tcp editor:websocket
    fi
    echo enet-put-var:udp {stream,stream-big-endian,stream-orders,stream-joined,stream-large,stream-mixed,packet-stream}:tcp values:websocket debugger:tcp debugger:two
}

# Godot 4: the tables that give names to numbers, of the project that was played.
tables() {
    rm -rf "$work/project" "$work/tables"
    cp -r "$here/multiplayer/godot4" "$work/project"
    sh "$here/multiplayer/godot4/generate.sh" "$work/project"
    mkdir "$work/tables"
    "${debian[@]}" --src "$source_dir" --build "$work" --run \
        "${command[@]}" --path project --script /src/plugin/tools/addons/gamewire/rpc_names.gd -- /build/tables
    mkdir -p "$out/godot/multiplayer/profile"
    install -m 644 "$work/tables"/godot_* "$out/godot/multiplayer/profile"
}

# session PART TRANSPORT COMPRESSION: one run, and the files that it gives.
session() {
    local name=godot-$version-${1//_/-} folder generation=${project#godot} run
    [[ $2 != *-web ]] || { web_session "$1" "${2%-web}"; return; }
    case $1 in
        odd-remote-fs) folder=godot/odd run=(editor.sh odd-remote-fs) ;;
        odd-debugger) folder=godot/odd run=(debugger.sh "debugger/odd$generation" "$2") ;;
        remote-fs) folder=godot/remote_fs run=(editor.sh remote-fs) ;;
        editor) folder=godot/debugger run=(editor.sh web) ;;
        editors) folder=godot/debugger run=(editor.sh play) ;;
        mixed) folder=godot/multiplayer run=(mixed.sh 4 3) ;;
        mixed_client) folder=godot/multiplayer run=(mixed.sh 3 4) ;;
        debugger) folder=godot/debugger run=(debugger.sh "debugger/godot$generation" "$2") ;;
        compression_*) folder=godot/enet run=(multiplayer.sh "multiplayer/godot$generation" "$1" "$2" "${3:-none}") ;;
        damaged_*) folder=godot/damaged run=(multiplayer.sh "multiplayer/godot$generation" "$1" "$2" "${3:-none}") ;;
        damaged-*) folder=godot/damaged run=(one_process.sh "stream/godot$generation" "$1") ;;
        odd-*) folder=godot/odd run=(one_process.sh "stream/godot$generation" "$1") ;;
        enet-*) folder=godot/enet run=(one_process.sh "stream/godot$generation" "$1") ;;
        values|*stream*) folder=godot/stream run=(one_process.sh "stream/godot$generation" "$1") ;;
        *) folder=godot/multiplayer run=(multiplayer.sh "multiplayer/godot$generation" "$1" "$2" "${3:-none}") ;;
    esac
    [[ $2 != recorded ]] || folder+=/recordings
    [[ $2 != lossy ]] || name+=-lossy
    [[ $2 != websocket* && $2 != webrtc* && $2 != dtls ]] || name+=-$2
    [[ $2 != two ]] || name+=s
    [[ ${3:-none} == none ]] || name+=-$3
    alone "${debian[@]}" --src "$source_dir" --build "$work" \
        --run sh "/src/tests/captures/godot/${run[0]}" "${run[@]:1}" "${command[@]}" ||
        die "the session $1:$2:${3:-} of Godot $version failed"
    if [[ ${run[0]} == editor.sh && $1 != odd-* ]]; then # the engine's own editor logs nothing
        install -D -m 644 "$work/raw.pcap" "$out/$folder/$name.pcap"
        return
    fi
    mkdir -p "$out/$folder/records"
    "$here/session_records.py" "$work" "$name" "$out/$folder"
}

# web_session PART TRANSPORT: one run with clients in browsers, of the other version.
web_session() {
    local folder=godot/multiplayer play=(multiplayer/godot4 "web_$1" "$2" 'server client1+ client2')
    case $1:$2 in
        calls:websocket) play[3]='server client1+ client2+' ;;
        auth:*) play[1]=auth ;;
        values:*) folder=godot/stream play=(stream/web4 values "$2" 'server client+') ;;
    esac
    web_engine "$work/site"
    alone "${debian[@]}" --src "$source_dir" --build "$work" --run sh /src/tests/captures/godot/web.sh "${play[@]}" "${command[@]}" ||
        die "the session $1:$2-web failed"
    mkdir -p "$out/$folder/records"
    "$here/session_records.py" "$work" "godot-$web_version-$1-$2" "$out/$folder"
}

mkdir -p "$folders" "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for suite in "${suites[@]}"; do
    packages=(libenet-dev)
    [[ $suite == bookworm ]] || packages+=(python3-aiortc)
    [[ $suite != sid ]] || packages+=(libmbedtls-dev godot3-server chromium)
    engine "$suite" "${packages[@]}"
    list=("${asked[@]}")
    ((${#list[@]})) || read -r -d '' -a list < <(sessions "${project#godot}") || true
    rm -f "$work/recorder.so"
    for one in "${list[@]}"; do
        IFS=: read -r part transport compression <<<"$one"
        session "$part" "$transport" "${compression:-}"
    done
    [[ $project != godot4 || ${#asked[@]} -gt 0 ]] || tables
done
find "$out"/godot/{multiplayer,stream,debugger,enet,damaged,odd}/records -name '*.jsonl' -size +16k -exec gzip -9nf {} +
