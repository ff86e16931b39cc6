#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copies the plugin for each version of Wireshark, the packs and the profile into the folders of this user, on Linux and macOS.
#
#   sh install.sh            installs, or replaces what an earlier version installed
#   sh install.sh --remove   deletes the plugin and the packs; the profile, which may have been changed, stays

set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
plugins=${HOME:?is not set, so there is no folder for plugins of a user}/.local/lib/wireshark/plugins
profile=${XDG_CONFIG_HOME:-$HOME/.config}/wireshark/profiles/Gamewire

case ${1:-} in
'') ;;
--remove)
    rm -f "$plugins"/*/epan/gamewire.so
    for pack in "$here"/packs/*.lua; do
        rm -f "$plugins/${pack##*/}"
    done
    echo "The plugin is removed from $plugins. The profile is still there: $profile"
    exit
    ;;
*)
    sed -n '5,8s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
# Wireshark does not load plugins of a user for root.
[ "$(id -u)" -ne 0 ] || {
    echo "Run this as the user that runs Wireshark, not as root: root's Wireshark ignores these folders." >&2
    exit 1
}

for folder in "$here"/plugins/*; do
    version=${folder##*/}
    mkdir -p "$plugins/$version/epan"
    # A new file under the old name: a Wireshark that runs keeps the old one.
    cp "$folder/epan/gamewire.so" "$plugins/$version/epan/gamewire.so.new"
    mv "$plugins/$version/epan/gamewire.so.new" "$plugins/$version/epan/gamewire.so"
    # macOS refuses libraries that a browser has marked as downloaded.
    ! command -v xattr >/dev/null || xattr -d com.apple.quarantine "$plugins/$version/epan/gamewire.so" 2>/dev/null || :
done
# Each version of Wireshark loads scripts from this folder.
cp "$here"/packs/*.lua "$plugins"
# Tables of names and other changes of the user are in the profile.
if [ -d "$profile" ]; then
    mkdir -p "$profile.before"
    cp -R "$profile/." "$profile.before"
fi
mkdir -p "$profile"
cp -R "$here/profiles/Gamewire/." "$profile"
echo "Gamewire is in $plugins. Start Wireshark again, and choose the profile Gamewire at the right end of the status bar."
