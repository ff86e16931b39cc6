#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: web.sh PROJECT PART TRANSPORT ROLES ENGINE [ARG...]
#
# Runs a project over TRANSPORT (websocket or webrtc) and captures what its processes send on loopback. ROLES are those of its
# processes, the listening one first; those with a + after them run in Chromium, in the web build of another Godot (the folder site,
# see web_engine in engines.sh), the others in ENGINE, e.g. "server client1+ client2". Leaves raw.pcap (with webrtc also
# keyed.pcapng) and NAME.log (what the scripts did) in the working directory.
# make_sessions.sh calls it inside a Debian folder that holds the engine and Chromium, in a network of its own.

set -eu

project=$1 part=$2 transport=$3 roles=$4
shift 4
here=$(dirname "$0")
http_port=40680
carrier_port=40650 # CARRIER_PORT in main.gd

. "$here/dumpcap.sh"
rm -rf project profile-* keys keyed.pcapng ./*.offer ./*.record ./*.log ./*.out ./*.done
cp -r "$here/$project" project
[ ! -x "$here/$project/generate.sh" ] || sh "$here/$project/generate.sh" project
cp "$here/web/web.gd" "$here/web/export_presets.cfg" project
[ "$project" != stream/web4 ] || cp "$here/multiplayer/godot4/values.gd" "$here/multiplayer/godot4/paths.gd" project
printf '\n[autoload]\n\nWeb="*res://web.gd"\n\n[rendering]\n\nrenderer/rendering_method="gl_compatibility"\n' >>project/project.godot
timeout 120 "$@" --path project --import >import.out 2>&1 || { cat import.out >&2; exit 1; }
timeout 120 "$@" --path project --export-pack Web "$PWD/site/index.pck" >export.out 2>&1 || { cat export.out >&2; exit 1; }
cp "$here/web/page.html" site

export GAMEWIRE_PART="$part" GAMEWIRE_TRANSPORT="$transport" GAMEWIRE_COMPRESSION=none
work=$PWD

play() { # ROLE ENGINE [ARG...]
    role=$1
    shift
    GAMEWIRE_ROLE=$role GAMEWIRE_LOG=$work/$role.log timeout 120 "$@" --path project >"$role.out" 2>&1 ||
        { status=$?; cat "$role.out" >&2; return $status; }
}

# Until the page says that the engine has ended, whose exit code is not 0 after a failure.
browse() { # ROLE
    chromium --headless=new --no-sandbox --no-first-run --disable-gpu-vsync --use-gl=angle --use-angle=swiftshader \
        --enable-unsafe-swiftshader --allow-loopback-in-peer-connection \
        --disable-features=WebRtcHideLocalIpsWithMdns --user-data-dir="$work/profile-$1" \
        "http://127.0.0.1:$http_port/page.html?$1&GAMEWIRE_ROLE=$1&GAMEWIRE_PART=$GAMEWIRE_PART&GAMEWIRE_TRANSPORT=$transport" \
        >"chromium-$1.out" 2>&1 &
    browser=$!
    seconds=0
    until [ -s "$1.done" ] || [ $seconds -ge 120 ] || ! kill -0 $browser 2>/dev/null; do
        sleep 1
        seconds=$((seconds + 1))
    done
    kill $browser 2>/dev/null || true
    wait $browser || true
    [ "$(cat "$1.done" 2>/dev/null)" = 0 ] || { cat "$1.out" "chromium-$1.out" >&2; return 1; }
}

python3 "$here/web/serve.py" $http_port site >serve.out 2>&1 &
web_server=$!
carrier=
case $transport in
    websocket) start_dumpcap 'port 40600 or port 40700' ;; # PORT in main.gd
    webrtc)
        start_dumpcap 'udp and not port 53 and not port 5353'
        timeout 180 python3 "$here/webrtc.py" $carrier_port keys web >carrier.out 2>&1 &
        carrier=$!
        until [ -e keys ] || ! kill -0 $carrier; do sleep 0.1; done ;; # webrtc.py listens
esac
trap 'kill $dumpcap $web_server 2>/dev/null || true' EXIT

processes=$carrier
for role in $roles; do
    case $role in
        *+) browse "${role%+}" & ;;
        *) play "$role" "$@" & ;;
    esac
    processes="$processes $!"
    sleep 1
done
failed=0
for process in $processes; do
    wait "$process" || failed=1
done

kill $web_server
stop_dumpcap
[ ! -f keys ] || editcap --inject-secrets tls,keys raw.pcapng keyed.pcapng
exit $failed
