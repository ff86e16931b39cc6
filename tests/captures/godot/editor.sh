#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: editor.sh WHAT ENGINE [ARG...]
#
# Runs the engine's own editor on editor4 and captures on loopback. WHAT is
#   play       two editors, one after the other; the second finds port 6007 in use, as a second window of a person's
#              does; each plays the project, and the editor edits the running game
#   web        an editor whose debugger listens on WebSocket, port 6007, as for exports to the web; it plays the project
#   remote-fs  an editor that serves its files, and a game that runs from them three times: with nothing in its cache,
#              with all, and after one file was changed and one was removed; and once with a wrong password
# Leaves raw.pcap in the working directory, and the logs of such programs. make_sessions.sh calls it inside a Debian folder that holds the engine, in a
# network of its own.

set -eu

what=$1
shift
here=$(dirname "$0")
password='cave canem'

. "$here/dumpcap.sh"
rm -rf project-* home-* empty ./*.out ./*.log

# editor NAME HOW [VARIABLE=VALUE...]: an editor in the background, with its own copy of the project and settings.
editor() {
    name=$1 how=$2
    shift 2
    mkdir -p "home-$name/config/godot" "home-$name/cache" "home-$name/data"
    cp -r "$here/editor4" "project-$name"
    mkdir -p "project-$name/.godot/editor"
    printf '[debug_options]\n\nrun_file_server=%s\n' "$serves" >"project-$name/.godot/editor/project_metadata.cfg"
    for version in 4 4.5 4.6 4.7; do
        printf '[gd_resource type="EditorSettings" format=3]\n\n[resource]\nfilesystem/file_server/port = %s\nfilesystem/file_server/password = "%s"\n' \
            6010 "$password" >"home-$name/config/godot/editor_settings-$version.tres"
    done
    env GAMEWIRE_EDITOR="$how" GAMEWIRE_SECONDS="${seconds:-60}" XDG_CONFIG_HOME="$PWD/home-$name/config" XDG_CACHE_HOME="$PWD/home-$name/cache" \
        XDG_DATA_HOME="$PWD/home-$name/data" \
        timeout 180 "$@" --editor --path "project-$name" >"editor-$name.out" 2>&1 &
    editor=$!
}

# game [ARG...]: a game that has nothing but its cache.
game() {
    mkdir -p home-game/config home-game/cache home-game/data
    env GAMEWIRE_EDITOR=serves XDG_CONFIG_HOME="$PWD/home-game/config" XDG_CACHE_HOME="$PWD/home-game/cache" \
        XDG_DATA_HOME="$PWD/home-game/data" timeout 60 "$@" >>game.out 2>&1
}

# odd WHICH: remote_fs4/odd.gd.
odd() {
    which=$1
    shift
    env GAMEWIRE_ODD="$which" GAMEWIRE_FOLDER="$PWD/project-server" GAMEWIRE_LOG="$PWD/odd-$which.log" \
        timeout 60 "$@" --path project-odd --script odd.gd >"odd-$which.out" 2>&1
}

case $what in
    play)
        serves=false
        start_dumpcap 'tcp portrange 6007-6011'
        editor first plays "$@"
        first=$editor
        sleep 8
        editor second plays "$@"
        wait "$first" "$editor"
        ;;
    web)
        serves=false
        start_dumpcap 'tcp port 6007'
        editor web plays "$@" --debug-server ws://127.0.0.1:6007
        wait "$editor"
        ;;
    remote-fs)
        serves=true
        start_dumpcap 'tcp port 6010'
        editor server serves "$@"
        sleep 12
        mkdir -p empty
        (cd empty && game "$@" --remote-fs 127.0.0.1 --remote-fs-password "$password") || cat game.out >&2
        (cd empty && game "$@" --remote-fs 127.0.0.1 --remote-fs-password "$password") || true
        rm project-server/notes.txt
        printf '# changed\n' >>project-server/game.gd
        sleep 4
        (cd empty && game "$@" --remote-fs 127.0.0.1 --remote-fs-password "$password") || true
        (cd empty && game "$@" --remote-fs 127.0.0.1 --remote-fs-password wrong) || true
        kill "$editor"
        ;;
    odd-remote-fs)
        serves=true
        start_dumpcap 'tcp port 6010'
        editor server serves "$@"
        sleep 25
        mkdir -p empty project-odd
        cp "$here"/remote_fs4/* project-odd
        odd game "$@"
        kill "$editor"
        sleep 2
        odd editor "$@" &
        odd=$!
        sleep 3
        for _ in 1 2; do
            (cd empty && game "$@" --remote-fs 127.0.0.1 --remote-fs-password "$password") || true # it has no scene
        done
        wait "$odd"
        ;;
esac
stop_dumpcap
