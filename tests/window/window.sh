#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A picture of Wireshark's window, with the plugin of a build and the profile, on a screen in memory.
#
#   sh tests/window/window.sh CAPTURE PACKET PICTURE.png [wireshark options] [-- key ...]
#
# Selects the packet and expands the last protocol of its tree; keys (as xdotool names them) are sent after that, "wait" waits a second and
# "find TITLE" selects the window with that title, which is then the one in the picture; "click X Y" and "drag X Y X Y" use the mouse. The plugin is that of
# $GAMEWIRE_BUILD_DIR, or build/; $GAMEWIRE_SCREEN_WIDTH is 1280 pixels by default.

set -eu
source_dir=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$source_dir/.ci/lib.sh"

need wireshark xvfb imagemagick xdotool util-linux
[ $# -ge 3 ] || die "usage: window.sh CAPTURE PACKET PICTURE.png [wireshark options] [-- key ...]"
capture=$(realpath "$1")
packet=$2
picture=$(realpath -m "$3")
shift 3
options=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options="$options $1"
    shift
done
[ $# -eq 0 ] || shift

build_dir=${GAMEWIRE_BUILD_DIR:-$source_dir/build}
home=$(mktemp -d)
trap 'kill $processes 2>/dev/null || true; rm -rf "$home"' EXIT
processes=
cp -r "$build_dir/plugins" "$home/plugins"
mkdir -p "$home/config/profiles" "$home/run"
cp -r "$source_dir/plugin/profile/Gamewire" "$home/config/profiles/"
cp "$capture" "$home/"
chmod 700 "$home/run"
# As root Wireshark would ignore the plugin.
drop=
if [ "$(id -u)" -eq 0 ]; then
    chown -R 65534:65534 "$home"
    drop="setpriv --reuid 65534 --regid 65534 --clear-groups"
fi

width=${GAMEWIRE_SCREEN_WIDTH:-1280}
display=:$((100 + $$ % 400))
# shellcheck disable=SC2086  # a command and its options
in_window() {
    $drop env -i PATH="$PATH" LC_ALL=C.UTF-8 HOME="$home" DISPLAY="$display" XDG_RUNTIME_DIR="$home/run" \
        QT_QPA_PLATFORM=xcb WIRESHARK_CONFIG_DIR="$home/config" WIRESHARK_PLUGIN_DIR="$home/plugins" \
        WIRESHARK_EXTCAP_DIR="$home/run" "$@"
}

Xvfb "$display" -screen 0 "${width}x900x24" -nolisten tcp >/dev/null 2>&1 &
processes=$!
sleep 1
# shellcheck disable=SC2086
in_window wireshark -C Gamewire -r "$home/$(basename "$capture")" -g "$packet" -o gui.update.enabled:FALSE \
    -o gui.geometry.save.position:FALSE $options >"$home/log" 2>&1 &
processes="$processes $!"

window=
for _ in $(seq 60); do
    window=$(in_window xdotool search --onlyvisible --name "$(basename "$capture")" 2>/dev/null | head -n 1) || true
    [ -z "$window" ] || break
    sleep 1
done
[ -n "$window" ] || { cat "$home/log" >&2; die "no window of Wireshark appeared"; }
in_window xdotool windowmove "$window" 0 0 windowsize "$window" "$width" 900
sleep 2
in_window xdotool mousemove 300 500 click 1
in_window xdotool key End shift+Right
sleep 1
for key; do
    case $key in
    wait) sleep 1 ;;
    find\ *) window=$(in_window xdotool search --onlyvisible --name "${key#find }" | tail -n 1) &&
        in_window xdotool windowraise "$window" ;;
    click\ *) in_window sh -c "xdotool mousemove ${key#click } click 1" ;;
    drag\ *)
        # shellcheck disable=SC2086
        set -- ${key#drag }
        in_window xdotool mousemove "$1" "$2" mousedown 1 mousemove "$3" "$4" mouseup 1
        ;;
    *) in_window xdotool key "$key" ;;
    esac
done
sleep 1
in_window import -window root png:- >"$picture"
