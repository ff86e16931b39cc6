#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: multiplayer.sh PROJECT PART TRANSPORT COMPRESSION ENGINE [ARG...]
#
# TRANSPORT is enet, websocket, lossy (ENet, with a relay between client1 and the server that loses datagrams), dtls (ENet
# in DTLS), websocket-tls, webrtc or webrtc-in-band (webrtc.py), or recorded: ENet, and each peer records itself with the addon.
#
# Runs a server and two clients of a multiplayer project and captures what they send on loopback. Leaves raw.pcap (of an
# encrypted transport also keyed.pcapng, with the keys in it), NAME.record (what libenet sent) and NAME.log (what the scripts did) in the working directory, of recorded games ROLE.home. make_sessions.sh calls
# it inside a Debian folder that holds the engine, in a network of its own.

set -eu

project=$1 part=$2 transport=$3 compression=$4
shift 4
here=$(dirname "$0")
port=40600        # PORT in main.gd
lossy_port=40601  # LOSSY_PORT in main.gd
onward_port=40602 # from which the relay sends on to the server
dtls_port=40603   # DTLS_PORT in main.gd
carrier_port=40650 # CARRIER_PORT in main.gd

. "$here/dumpcap.sh"
rm -rf project keyed.pcapng ./*.record ./*.log ./*.out
cp -r "$here/$project" project
[ ! -x "$here/$project/generate.sh" ] || sh "$here/$project/generate.sh" project

rm -rf ./*.home
if [ "$transport" = recorded ]; then
    mkdir project/addons
    cp -r "$here/../../../plugin/tools/addons/gamewire" project/addons/
    printf '\n[autoload]\n\nGamewire="*res://addons/gamewire/gamewire.gd"\n' >>project/project.godot
    set -- "$@" --gamewire-record
fi

# libenet's data of each datagram, from inside the engine.
if [ ! -f recorder.so ]; then
    gcc -std=gnu11 -O1 -fPIC -shared -o recorder.so "$here/../enet/recorder.c" -ldl
fi

# The packets between relay and server are not captured: they would be in the capture twice.
case $transport in
    webrtc*) start_dumpcap udp ;;
    dtls) start_dumpcap "port $dtls_port" ;;
    *) start_dumpcap "port $lossy_port or port $port and not port $onward_port" ;;
esac

export GAMEWIRE_PART="$part" GAMEWIRE_TRANSPORT="$transport" GAMEWIRE_COMPRESSION="$compression"
work=$PWD

play() { # ROLE ENGINE [ARG...]
    role=$1
    shift
    GAMEWIRE_ROLE=$role GAMEWIRE_NAME=$role GAMEWIRE_LOG=$work/$role.log GAMEWIRE_RECORD=$work/$role.record \
        XDG_DATA_HOME=$work/$role.home LD_PRELOAD=$preloaded timeout 60 "$@" --path project >"$role.out" 2>&1 ||
        { status=$?; cat "$role.out" >&2; return $status; }
}

relay=
if [ "$transport" = lossy ]; then
    gcc -std=gnu11 -O1 -o lossy "$here/lossy.c" "$here/../enet/relay.c" "$here/../enet/recorder.c" -lenet -ldl
    GAMEWIRE_RECORD=$work/relay.record ./lossy $lossy_port $onward_port $port 15 &
    relay=$!
fi
rm -f keys
preloaded=$work/recorder.so
case $transport in
    dtls|websocket-tls)
        case $project in *3) keys=session_keys.c ;; *) keys=keys.c ;; esac
        gcc -std=gnu11 -O1 -fPIC -shared -o keys.so "$here/$keys" -ldl
        preloaded=$work/keys.so
        export GAMEWIRE_KEYS="$work/keys" ;;
    webrtc*)
        case $project:$transport in
            *3:*) kind=mesh ;;
            *-in-band) kind=in-band ;;
            *) kind= ;;
        esac
        # shellcheck disable=SC2086
        timeout 60 python3 "$here/webrtc.py" $carrier_port keys $kind &
        relay=$! ;;
esac
[ -z "$relay" ] || sleep 1
case $transport in
    webrtc*) until [ -e keys ] || ! kill -0 $relay; do sleep 0.1; done ;;   # webrtc.py listens
esac

play server "$@" &
server=$!
sleep 1
play client1 "$@" &
client1=$!
sleep 0.3
play client2 "$@" &
client2=$!
failed=0
for process in $server $client1 $client2 $relay; do
    wait "$process" || failed=1
done

# A damaged message ends a client.
case $part in *_crash) failed=0 ;; esac

stop_dumpcap
[ ! -f keys ] || editcap --inject-secrets tls,keys raw.pcapng keyed.pcapng
exit $failed
