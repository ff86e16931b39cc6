#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the pictures of Wireshark's window that README.md and the pages in plugin/docs show.
#
#   sh tests/window/pictures.sh [NAME...]
#
# A name is that of a picture below, such as enet. The plugin is that of $GAMEWIRE_BUILD_DIR, or build/.

set -eu
source_dir=$(cd "$(dirname "$0")/../.." && pwd -P)

wanted=" $* "
# picture NAME CAPTURE PACKET [wireshark options] [-- key ...]: in few colors, which is enough for a window.
picture() {
    name=$1
    capture=$2
    shift 2
    [ "$wanted" = "  " ] || case $wanted in *" $name "*) ;; *) return 0 ;; esac
    file=$source_dir/plugin/docs/$name.png
    packet=$1
    shift
    sh "$source_dir/tests/window/window.sh" "$(ls "$source_dir/pcaps/$capture".pcap*)" "$packet" "$file" "$@"
    convert "$file" +dither -colors 48 -strip -define png:compression-level=9 "$file.new"
    mv "$file.new" "$file"
    echo "$file: $(wc -c <"$file") bytes"
}

# The width of a small laptop, which new users have as well.
export GAMEWIRE_SCREEN_WIDTH=1366
picture multiplayer godot/multiplayer/godot-3.6-calls 40
picture recording godot/multiplayer/recordings/godot-4.6.3-few-calls-server 43 -- Home Down Down Right
ups='Up Up Up Up Up Up Up Up'
# shellcheck disable=SC2086  # keys; the border of the tree is at 684 pixels
{
    picture late godot/multiplayer/godot-4.6.3-late 187 -Y godot_mp.sync.update.late -- 'drag 683 700 1180 700' wait End $ups $ups
    picture blocked godot/multiplayer/godot-4.6.3-late 369 -- 'drag 683 700 1180 700' wait End Up Up
}
picture leviathan leviathan/session 8
picture enet enet/lossy-client 25
picture squirrel squirrel/session 14
picture godot godot/variant/godot-4.6.3-game 10
picture debugger godot/debugger/godot-4.6.3-debugger 49
export GAMEWIRE_SCREEN_WIDTH=1280
picture statistics godot/multiplayer/godot-3.6-calls 1 -- alt+s wait Up Up Up Right wait Return wait wait 'click 530 204' wait 'click 530 204' wait wait wait wait
picture menu squirrel/session 1 -- alt+s wait Up Right wait
picture flow godot/multiplayer/godot-3.6-calls 21 -- alt+s wait 'click 356 460' wait wait 'click 676 665' wait g Return wait wait
picture io leviathan/session 8 -- alt+s wait i wait Return wait wait wait
# Plots are in Wireshark since 4.6; the picture is kept where the version is older.
if tshark --version | grep -Eq '^TShark \(Wireshark\) (4\.[6-9]|[5-9])'; then
    picture plots godot/multiplayer/godot-4.6.3-late 187 -- alt+s wait 'click 383 186' wait wait wait
fi
