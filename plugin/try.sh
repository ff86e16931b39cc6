#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs what is missing, builds the plugin, and prints the decoded packets of a capture.
#
#   sh plugin/try.sh [--window] [CAPTURE [tshark options]]
#
# Without a capture: a sample of Godot 4. With --window: opens it in Wireshark's window, with the profile of
# plugin/profile (columns, colors, filter buttons, graphs). The options go to tshark as they are, after ours, which print Info
# lines and the trees of our protocols in two passes (-2 -P -O); those that choose another output (-T -V -O -x
# -q -z) replace them. Nothing is installed into Wireshark, and your own settings are neither read nor changed.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

protocols=enet,godot,godot_debugger,godot_mp,godot_remote_fs,godot_stream,leviathan,squirrel

# What a game would send; the capture named after the version alone has every type there is.
newest_sample() {
    find "$source_dir/pcaps/godot" -name 'godot-4*-game.pcap' 2>/dev/null | sort -V | tail -n 1
}

window=no
if [ "${1:-}" = --window ]; then
    window=yes
    shift
fi

# The capture first: who mistyped its name should not wait for a build.
case ${1:-} in
-h | --help)
    sed -n '5,12s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
-*) die "the first argument is a capture, tshark's options come after it" ;;
'')
    capture=$(newest_sample)
    [ -n "$capture" ] || die "no capture named, and no sample in pcaps/godot"
    [ $# -eq 0 ] || shift
    ;;
*)
    capture=$1
    shift
    ;;
esac
[ -e "$capture" ] || die "no such capture: $capture"
[ -f "$capture" ] || die "not a file: $capture"
[ -r "$capture" ] || die "this user may not read $capture"
named_capture=$capture
if [ $window = yes ]; then
    [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || die "there is no screen to open a window on"
fi

# shellcheck disable=SC2086  # a list of names
need $plugin_packages
[ $window = no ] || need wireshark

# ---- build, quietly ------------------------------------------------------------------------------

choose_build_dir "${GAMEWIRE_BUILD_DIR:-build/try}"
log=$build_dir/try.log
say "Building the plugin in $build_dir ..."
{ configure plugin && build; } >"$log" 2>&1 || {
    cat "$log" >&2
    die "the build failed; see above"
}

# ---- run -----------------------------------------------------------------------------------------

work=$(mktemp -d "${TMPDIR:-/tmp}/gamewire-try.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
plugins=$build_dir/plugins
mkdir "$work/home" "$work/none"
key=${XAUTHORITY:-${HOME:-}/.Xauthority}

# As root tshark ignores plugins outside the system's folder, without a word. So it runs as an unprivileged
# user, who must be able to read the plugin and the capture wherever those lie. Nobody else can enter the folder with the copies,
# and root writes nothing into that user's home after it was given away: there could be links.
unprivileged() {
    setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
as_user() {
    "$@"
}
if [ "$(id -u)" -eq 0 ]; then
    as_user() {
        unprivileged "$@"
    }
    chown 0:65534 "$work"
    chmod 750 "$work"
    chown 65534:65534 "$work/home"
    cp -R "$plugins" "$work/plugins"
    chmod -R a+rX "$work/plugins"
    plugins=$work/plugins
    if ! unprivileged test -r "$capture"; then
        # Under its own name, which the window has in its title.
        install -d -o 0 -g 65534 -m 750 "$work/capture"
        install -o 65534 -g 65534 -m 400 "$capture" "$work/capture/"
        capture=$work/capture/$(basename "$capture")
    fi
    if [ $window = yes ] && [ -r "$key" ]; then
        install -o 65534 -g 65534 -m 400 "$key" "$work/key"
        key=$work/key
    fi
fi

# HOME is a fresh one, because a copy of this plugin that the user has installed would collide with this one.
# The helpers for capturing, which `-G plugins` would start one by one, are not needed.
run_here() {
    as_user env HOME="$work/home" WIRESHARK_CONFIG_DIR="$work/home/config" WIRESHARK_PLUGIN_DIR="$plugins" \
        WIRESHARK_EXTCAP_DIR="$work/none" "$@"
}
run_tshark() {
    run_here tshark "$@"
}

# The screen's key is in the real home, or in root's.
open_window() {
    cp -R "$source_dir/plugin/profile/Gamewire" "$work/profile"
    chmod -R a+rX "$work/profile"
    as_user mkdir -p "$work/home/config/profiles"
    as_user cp -R "$work/profile" "$work/home/config/profiles/Gamewire"
    # Without it the first window of a user has 750 pixels, of which Info would have a tenth.
    cat >"$work/recent_common" <<FILE
gui.geometry_main_width: 1280
gui.geometry_main_height: 700
gui.geometry_main_maximized: TRUE
FILE
    chmod a+r "$work/recent_common"
    as_user cp "$work/recent_common" "$work/home/config/recent_common"
    as_user mkdir -m 700 "$work/home/run"
    run_here env XAUTHORITY="$key" XDG_RUNTIME_DIR="$work/home/run" wireshark -C Gamewire -r "$capture" "$@"
}

case $(run_tshark -G plugins 2>"$work/errors") in
*gamewire.so*) ;;
*)
    cat "$work/errors" >&2
    die "tshark did not load the plugin that was built for it"
    ;;
esac

if [ $window = yes ]; then
    open_window "$@"
    exit
fi

ours=yes
for option in "$@"; do
    case $option in
    -[TVOxqz]*) ours=no ;;
    esac
done
if [ $ours = yes ]; then
    # Packets from before the one that decides on a conversation read better on a second pass.
    set -- -2 -P -O "$protocols" "$@"
fi
run_tshark -n -r "$capture" "$@"

plugin=$(ls "$build_dir"/plugins/*/epan/gamewire.so)
version=$(basename "$(dirname "$(dirname "$plugin")")")
# Root's Wireshark ignores the plugins of a home folder.
install="--build $build_dir --target install-user"
remove="--build $build_dir --target uninstall-user"
if [ "$(id -u)" -eq 0 ]; then
    install="--install $build_dir --component plugin"
    remove="--build $build_dir --target uninstall"
fi
say "
That was tshark, with nothing installed. For your own Wireshark $version:
  install    cmake $install
  remove     cmake $remove
  open       wireshark -C Gamewire $named_capture
In Wireshark, Help > About > Plugins lists gamewire.so; type enet, godot, leviathan or squirrel as a display filter.
More captures: pcaps/README.md. Filters and preferences: plugin/docs/filters.md, plugin/docs/."
