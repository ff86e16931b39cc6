#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Unpacks source packages of a Debian release, as their projects released them and without Debian's patches, in /opt/PACKAGE.
# make_chroot of lib.sh runs it in a new chroot.
#
#   sh sources.sh SUITE PACKAGE...

set -eu
suite=$1
shift

# Some mirrors have an update's binary packages but not its source. Then the last version before it is used:
# suite, package, file beside the missing one, SHA-256.
older='trixie wireshark wireshark_4.4.18.orig.tar.bz2 5b0b9157e48edffbc2434a93d8cb8a8c67ee9cfc046188cd3664e96744a3697d
trixie c-ares c-ares_1.34.8.orig.tar.gz c222b6d681096f9444d2c4863d2c1174019e27cacca0a4a5c114d36dd7d7bf78'

download_older() {
    folder=$(apt-get source -qq --print-uris --tar-only "$1/$suite" | sed -n "s#^'\(.*/\)[^/]*\.orig\.tar\.[^/]*' .*#\1#p")
    printf '%s\n' "$older" | while read -r of package file sum; do
        [ "$of $package" != "$suite $1" ] || /usr/lib/apt/apt-helper download-file "$folder$file" "$file" "SHA256:$sum"
    done
}

cd /opt
for package; do
    apt-get source -qq --download-only --tar-only "$package/$suite" || download_older "$package"
    mkdir "$package"
    tar -C "$package" --strip-components 1 -xf "${package}"_*.orig.tar.*
    rm "${package}"_*
done
