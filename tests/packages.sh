#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the Debian packages on bookworm, trixie and sid, checks their descriptions, licenses and pages, and installs them on fresh
# systems of these releases, where
#
#   - tshark finds the plugin, as root too, and the profile, and reads a capture with them;
#   - gamewire-report and gamewire-messages read it, without a network;
#   - a program is built with the codecs by pkg-config, by CMake, and against the shared libraries, and runs;
#   - removing the packages removes the plugin and the profile.
#
#   sh tests/packages.sh [SUITE...]
#
# Uses the chroots of tests/matrix.sh; needs root, mmdebstrap and Python. The packages are left in $GAMEWIRE_PACKAGES_DIR, or
# build/packages.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

chroots=${GAMEWIRE_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/gamewire/chroots}
folder=${GAMEWIRE_PACKAGES_DIR:-$source_dir/build/packages}
[ $# -gt 0 ] || set -- bookworm trixie sid

build_packages() {
    bash "$source_dir/tests/debian-chroot.sh" "$1" "$chroots/$1" file dpkg-dev \
        --src "$source_dir" --build "$folder/$1" --run sh -ec '
            cmake -G Ninja -S /src -B /build -D CMAKE_INSTALL_PREFIX=/usr -D GAMEWIRE_SHARED=ON -D GAMEWIRE_WERROR=ON
            rm -f /build/*.deb
            cmake --build /build --target all package'
}

check_packages() {
    python3 "$source_dir/tests/house/package.py" "$folder/$1/"*.deb
}

# The steps of a user with the packages, on a system without the sources and Wireshark's headers.
write_use() {
    cat >"$1/use.c" <<'FILE'
#include <gamewire/godot.h>
#include <stdio.h>

int main(void)
{
    static const uint8_t packet[] = { 2, 0, 0, 0, 7, 0, 0, 0 };
    const gw_godot_options options = { .generation = GW_GODOT_4 };
    char buffer[32];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_print(&text, packet, sizeof packet, &options);
    return puts(buffer) < 0;
}
FILE
    cat >"$1/CMakeLists.txt" <<'FILE'
cmake_minimum_required(VERSION 3.18)
project(use C)
find_package(gamewire REQUIRED)
add_executable(use use.c)
target_link_libraries(use gamewire::godot)
add_executable(use_shared use.c)
target_link_libraries(use_shared gamewire::godot_shared)
FILE
    cat >"$1/use.sh" <<'FILE'
set -ex
cd "$(dirname "$0")"
tshark -G plugins | grep gamewire
tshark -r game.pcap -Y godot.dictionary | head -n 3
[ -n "$(tshark -r game.pcap -Y godot.dictionary)" ]
tshark -C Gamewire -r game.pcap | head -n 3
tshark -C Gamewire -r game.pcap >/dev/null
mkdir -p ~/.config/wireshark/profiles/Gamewire
echo old >~/.config/wireshark/profiles/Gamewire/colorfilters
cp --backup=simple /usr/share/wireshark/profiles/Gamewire/* ~/.config/wireshark/profiles/Gamewire/
grep -q Godot ~/.config/wireshark/profiles/Gamewire/colorfilters
gamewire-messages -q game.pcap -o messages.jsonl
grep -q '"kind":"variant"' messages.jsonl
unshare --net gamewire-report -q game.pcap -o report.html --json report.json
grep -q '[.]Dygraph=' report.html
python3 -c 'import json; assert json.load(open("report.json"))["messages"] == 12'
python3 /usr/share/gamewire/elastic.py --help >/dev/null
gcc use.c $(pkg-config --cflags --libs gamewire-godot) -o use_pkg_config
cmake -S . -B build
cmake --build build
for program in ./use_pkg_config build/use build/use_shared; do
    [ "$($program)" = 7 ]
done
ldd build/use_shared | grep libgamewire-godot
FILE
}

# What is left after they were removed.
write_removed() {
    cat >"$1/removed.sh" <<'FILE'
set -ex
[ -z "$(find /usr -iname '*gamewire*')" ]
tshark -G plugins >plugins.txt
! grep gamewire plugins.txt
FILE
}

use_packages() {
    staged=$folder/$1/stage
    rm -rf "$staged" "$folder/$1/fresh"
    mkdir -p "$staged"
    cp "$folder/$1/"*.deb "$staged"
    cp "$source_dir/pcaps/godot/variant/godot-4.6.3-game.pcap" "$staged/game.pcap"
    write_use "$staged"
    write_removed "$staged"
    # A frozen mirror's setting holds for the fresh system too.
    valid=
    eval "$(apt-config shell valid Acquire::Check-Valid-Until)"
    # shellcheck disable=SC2016  # $1 is mmdebstrap's
    bash "$source_dir/tests/debian-chroot.sh" --sources "$1" |
        mmdebstrap --mode=root --variant=apt --include=tshark,python3,libjs-dygraphs,gcc,libc6-dev,cmake,make,pkg-config \
            --aptopt='APT::Install-Recommends "false"' ${valid:+--aptopt="Acquire::Check-Valid-Until \"$valid\""} \
            --customize-hook="copy-in '$staged' /opt" \
            --customize-hook='chroot "$1" sh -ec "apt-get install -q -y /opt/stage/*.deb && sh /opt/stage/use.sh
            apt-get remove -q -y wireshark-plugin-gamewire libgamewire-dev && sh /opt/stage/removed.sh"' \
            "$1" "$folder/$1/fresh" - || return 1
    rm -rf --one-file-system "$folder/$1/fresh"
}

need mmdebstrap python3
mkdir -p "$folder"
failed=
for suite; do
    mkdir -p "$folder/$suite"
    log=$folder/$suite.log
    if build_packages "$suite" >"$log" 2>&1 && check_packages "$suite" >>"$log" 2>&1 &&
        use_packages "$suite" >>"$log" 2>&1; then
        printf '%-8s passed  %s\n' "$suite" "$(cd "$folder/$suite" && echo *.deb)"
    else
        printf '%-8s FAILED\n' "$suite"
        failed="$failed $suite"
    fi
done
[ -z "$failed" ] || die "failed:$failed; see the logs in $folder"
