#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the Debian packages of debian/ on bookworm, trixie and sid, where lintian finds no error, checks their pages, installs them
# on fresh systems of these releases, where the tests of debian/tests pass, and tshark finds the plugin as root too; removing the
# packages removes the plugin and the profile.
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

# What is committed, as Debian's builders would have it.
build_packages() {
    rm -rf "$folder/$1"
    mkdir -p "$folder/$1/gamewire"
    git -C "$source_dir" archive HEAD | tar -x -C "$folder/$1/gamewire"
    bash "$source_dir/tests/debian-chroot.sh" "$1" "$chroots/$1" build-essential debhelper lintian libzstd-dev zlib1g-dev \
        --src "$source_dir" --build "$folder/$1" --run sh -ec '
            cd gamewire
            dpkg-buildpackage -b -uc -us
            cd ..
            lintian --allow-root --fail-on error --tag-display-limit 0 ./*.changes
            rm -f ./*-dbgsym_*'
}

check_packages() {
    python3 "$source_dir/tests/house/package.py" "$folder/$1/"*.deb
}

# What a user does with the profile, which is only in the packages.
write_use() {
    cat >"$1/use.sh" <<'FILE'
set -ex
cd "$(dirname "$0")"
tshark -G plugins | grep gamewire
mkdir -p ~/.config/wireshark/profiles/Gamewire
echo old >~/.config/wireshark/profiles/Gamewire/colorfilters
cp --backup=simple /usr/share/wireshark/profiles/Gamewire/* ~/.config/wireshark/profiles/Gamewire/
grep -q Godot ~/.config/wireshark/profiles/Gamewire/colorfilters
man -w gamewire-report gamewire-messages
cd source
AUTOPKGTEST_TMP=$(mktemp -d) unshare --net sh debian/tests/decode
AUTOPKGTEST_TMP=$(mktemp -d) sh debian/tests/build
FILE
}

# What is left after they were removed.
write_removed() {
    cat >"$1/removed.sh" <<'FILE'
set -ex
[ -z "$(find /usr -iname '*gamewire*' -o -path '*/wireshark/plugins/*.lua')" ]
tshark -G plugins >plugins.txt
! grep gamewire plugins.txt
FILE
}

use_packages() {
    staged=$folder/$1/stage
    rm -rf "$staged" "$folder/$1/fresh"
    mkdir -p "$staged/source"
    cp "$folder/$1/"*.deb "$staged"
    git -C "$source_dir" archive HEAD debian/tests pcaps/godot/variant/godot-4.6.3-game.pcap | tar -x -C "$staged/source"
    write_use "$staged"
    write_removed "$staged"
    # A frozen mirror's setting holds for the fresh system too.
    valid=
    eval "$(apt-config shell valid Acquire::Check-Valid-Until)"
    # shellcheck disable=SC2016  # $1 is mmdebstrap's
    bash "$source_dir/tests/debian-chroot.sh" --sources "$1" |
        mmdebstrap --mode=root --variant=apt --include=tshark,gcc,libc6-dev,cmake,make,man-db,pkg-config \
            --aptopt='APT::Install-Recommends "false"' ${valid:+--aptopt="Acquire::Check-Valid-Until \"$valid\""} \
            --customize-hook="copy-in '$staged' /opt" \
            --customize-hook='chroot "$1" sh -ec "apt-get install -q -y /opt/stage/*.deb && sh /opt/stage/use.sh
            apt-get remove -q -y \"*gamewire*\" && sh /opt/stage/removed.sh"' \
            "$1" "$folder/$1/fresh" - || return 1
    rm -rf --one-file-system "$folder/$1/fresh"
}

need mmdebstrap python3
mkdir -p "$folder"
failed=
for suite; do
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
