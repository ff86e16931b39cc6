#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the Debian packages of debian/ on bookworm, trixie and sid, where lintian finds no error and no warning, checks their pages,
# installs them on fresh systems of these releases, where the tests of debian/tests pass, and tshark finds the plugin as root too;
# removing the packages removes the plugin and the profile. Ubuntu 25.10 (questing) and 26.04 (resolute) have the Wireshark of trixie
# and sid: the packages of these are installed there in the same way.
#
#   sh tests/packages.sh [bookworm|trixie|sid|questing|resolute ...]
#
# Uses the chroots of tests/matrix.sh; needs root, mmdebstrap and Python. The packages are left in $GAMEWIRE_PACKAGES_DIR, or
# build/packages.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

chroots=${GAMEWIRE_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/gamewire/chroots}
folder=${GAMEWIRE_PACKAGES_DIR:-$source_dir/build/packages}
[ $# -gt 0 ] || set -- bookworm trixie sid questing resolute

# suite_of SYSTEM: the Debian release whose packages it installs.
suite_of() {
    case $1 in
    bookworm | trixie | sid) echo "$1" ;;
    questing) echo trixie ;;
    resolute) echo sid ;;
    *) die "no such system: $1" ;;
    esac
}

# sources_of SYSTEM: its lines for sources.list.
sources_of() {
    case $1 in
    bookworm | trixie | sid) bash "$source_dir/tests/debian-chroot.sh" --sources "$1" ;;
    *) echo "deb http://archive.ubuntu.com/ubuntu $1 main universe" ;;
    esac
}

# Ubuntu's keys, of which Debian 12 has no package.
bring_ubuntu_keys() {
    keyring=$folder/ubuntu-keyring.deb
    /usr/lib/apt/apt-helper download-file http://archive.ubuntu.com/ubuntu/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb \
        "$keyring" SHA256:36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8 &&
        dpkg-deb -x "$keyring" "$folder/ubuntu-keyring" && rm "$keyring"
}

# What is committed, as Debian's builders would have it.
build_packages() {
    rm -rf "$folder/$1"
    mkdir -p "$folder/$1/gamewire"
    git -C "$source_dir" archive HEAD | tar -x -C "$folder/$1/gamewire"
    add_address "$folder/$1/gamewire"
    bash "$source_dir/tests/debian-chroot.sh" "$1" "$chroots/$1" build-essential debhelper lintian libzstd-dev zlib1g-dev \
        --src "$source_dir" --build "$folder/$1" --run sh -ec '
            cd gamewire
            dpkg-buildpackage -b -uc -us
            cd ..
            lintian --allow-root --fail-on error,warning --tag-display-limit 0 ./*.changes
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

# use_packages SYSTEM SUITE: installs, tries and removes the packages of SUITE in a fresh SYSTEM.
use_packages() {
    staged=$folder/$1/stage
    rm -rf "$staged"
    rm -rf --one-file-system "$folder/$1/fresh"
    mkdir -p "$staged/source"
    cp "$folder/$2/"*.deb "$staged"
    git -C "$source_dir" archive HEAD debian/tests pcaps/godot/variant/godot-4.6.3-game.pcap | tar -x -C "$staged/source"
    write_use "$staged"
    write_removed "$staged"
    # A frozen mirror's setting holds for the fresh system too.
    valid=
    eval "$(apt-config shell valid Acquire::Check-Valid-Until)"
    keys=
    [ "$1" = "$2" ] || {
        bring_ubuntu_keys || return 1
        keys=$folder/ubuntu-keyring/usr/share/keyrings/ubuntu-archive-keyring.gpg
    }
    # Installed by the apt of the fresh system: Debian 12's cannot read Ubuntu's settings.
    programs='tshark gcc libc6-dev cmake make man-db pkg-config'
    # shellcheck disable=SC2016  # $1 is mmdebstrap's
    sources_of "$1" |
        mmdebstrap --mode=root --variant=apt \
            --aptopt='APT::Install-Recommends "false"' ${valid:+--aptopt="Acquire::Check-Valid-Until \"$valid\""} \
            ${keys:+--keyring="$keys"} \
            --customize-hook="copy-in '$staged' /opt" \
            --customize-hook='chroot "$1" sh -ec "apt-get install -q -y '"$programs"' /opt/stage/*.deb && sh /opt/stage/use.sh
            apt-get remove -q -y \"*gamewire*\" && sh /opt/stage/removed.sh"' \
            "$1" "$folder/$1/fresh" - || return 1
    rm -rf --one-file-system "$folder/$1/fresh"
}

# make_packages SUITE: once in a run; the packages of an earlier run may be of another commit.
make_packages() {
    case " $made " in
    *" $1 "*) return 0 ;;
    esac
    build_packages "$1" && check_packages "$1" || return 1
    made="$made $1"
}

need mmdebstrap python3
mkdir -p "$folder"
failed=
made=
for system; do
    suite=$(suite_of "$system")
    log=$folder/$system.log
    if make_packages "$suite" >"$log" 2>&1 && use_packages "$system" "$suite" >>"$log" 2>&1; then
        printf '%-8s passed  %s\n' "$system" "$(cd "$folder/$suite" && echo *.deb)"
    else
        printf '%-8s FAILED\n' "$system"
        failed="$failed $system"
    fi
done
[ -z "$failed" ] || die "failed:$failed; see the logs in $folder"
