#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the plugin as a part of Wireshark's own source tree, as those do who build Wireshark themselves, on Windows and
# macOS too: this tree as plugins/epan/gamewire, named in CMakeListsCustom.txt. Compiles Debian's Wireshark source package
# as far as tshark needs it, without optimisation, and decodes a capture of each family with it.
#
#   sh tests/in_tree.sh [SUITE]
#
# SUITE is bookworm, which has Wireshark 4.0; other releases of Debian have not been tried. In a chroot of its own below
# $GAMEWIRE_CHROOTS, or ~/.cache/gamewire/chroots, which is made once (1.3 GB) and kept; needs root and mmdebstrap. Builds in
# $GAMEWIRE_IN_TREE_DIR, or build/in-tree (340 MB): 17 minutes on two cores that other work kept busy.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

case ${1:-} in
-h | --help)
    sed -n '5,13s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
suite=${1:-bookworm}
chroots=${GAMEWIRE_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/gamewire/chroots}
folder=${GAMEWIRE_IN_TREE_DIR:-$source_dir/build/in-tree}/$suite
root=$chroots/in-tree-$suite
packages=cmake,ninja-build,pkg-config,gcc,g++,libc6-dev,dpkg-dev,python3,perl,flex,bison,xz-utils,util-linux
packages=$packages,libglib2.0-dev,libgcrypt20-dev,libc-ares-dev,libpcap0.8-dev,libpcre2-dev,libspeexdsp-dev,libxml2-dev
packages=$packages,zlib1g-dev,libzstd-dev

# Inside, /opt/wireshark is the source, with Debian's patches.
make_root() {
    [ ! -e "$root/.complete" ] || return 0
    # From the release itself: not every mirror of its security updates has their sources.
    sources=$(bash "$source_dir/tests/debian-chroot.sh" --sources "$suite") || die "no Debian repository for $suite"
    valid=
    eval "$(apt-config shell valid Acquire::Check-Valid-Until)"
    say "Making a chroot with Wireshark's source in $root; this takes some minutes ..."
    rm -rf --one-file-system "$root"
    # shellcheck disable=SC2016  # $1 is mmdebstrap's
    printf '%s\n' "$sources" "$(printf '%s\n' "$sources" | sed 's/^deb /deb-src /')" |
        mmdebstrap --mode=root --variant=apt --include="$packages" \
            --aptopt='APT::Install-Recommends "false"' ${valid:+--aptopt="Acquire::Check-Valid-Until \"$valid\""} \
            --customize-hook='chroot "$1" sh -ec "cd /opt && apt-get source -qq wireshark/'"$suite"' && rm -f wireshark_* &&
                mv wireshark-* wireshark"' \
            "$suite" "$root" - >"$root.log" 2>&1 || die "mmdebstrap failed; see $root.log"
    touch "$root/.complete"
}

# inside COMMAND...: in the chroot, this tree in Wireshark's, the build folder at /build.
inside() {
    SRC=$source_dir BUILD=$folder ROOT=$root unshare --mount --pid --fork --kill-child --propagation private sh -euc '
        mkdir -p "$ROOT/opt/wireshark/plugins/epan/gamewire" "$ROOT/build"
        mount --bind "$SRC" "$ROOT/opt/wireshark/plugins/epan/gamewire"
        mount -o remount,bind,ro "$ROOT/opt/wireshark/plugins/epan/gamewire"
        mount --bind "$BUILD" "$ROOT/build"
        mount --rbind /dev "$ROOT/dev"
        mount -t proc proc "$ROOT/proc"
        exec chroot "$ROOT" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"' sh "$@"
}

# Nothing of Wireshark but tshark, and of what it can use nothing but what it cannot do without.
compile() {
    inside sh -ec '
        echo "set(CUSTOM_PLUGIN_SRC_DIR plugins/epan/gamewire)" >/opt/wireshark/CMakeListsCustom.txt
        options=
        for program in wireshark logray androiddump capinfos captype ciscodump corbaidl2wrs dcerpcidl2wrs dpauxmon dumpcap \
            editcap etwdump etl2pcap falcodump fuzzshark mergecap mmdbresolve randpkt randpktdump rawshark reordercap \
            sdjournal sharkd sshdig sshdump stratoshark strato text2pcap udpdump wifidump xxx2deb; do
            options="$options -D BUILD_$program=OFF"
        done
        for part in LUA GNUTLS KERBEROS NETLINK PLUGIN_IFDEMO CAP SMI BCG729 SBC SPANDSP BROTLI SNAPPY LZ4 NGHTTP2 NGHTTP3 \
            SINSP OPUS AMRNB ILBC WERROR; do
            options="$options -D ENABLE_$part=OFF"
        done
        cmake -G Ninja -S /opt/wireshark -B /build -D CMAKE_BUILD_TYPE=None -D CMAKE_C_FLAGS=-O0 -D CMAKE_CXX_FLAGS=-O0 \
            $options
        nice cmake --build /build --target tshark gamewire'
}

# tshark -n ARG..., as an unprivileged user: for root it would not load the plugin.
run_tshark() {
    inside setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp WIRESHARK_RUN_FROM_BUILD_DIRECTORY=1 \
        /build/run/tshark -n "$@"
}

decode() {
    run_tshark --version
    while read -r capture filter; do
        packets=$folder.packets
        run_tshark -r "/opt/wireshark/plugins/epan/gamewire/pcaps/$capture.pcap" -Y "$filter" \
            >"$packets" </dev/null || return 1
        echo "$capture: $(wc -l <"$packets") packets of $filter"
        [ -s "$packets" ] || return 1
        cat "$packets"
    done <<FILE
godot/godot-4.6.3-game godot
godot-streams/godot-4.6.3-stream godot.stream
godot-debugger/godot-4.6.3-debugger godot.debugger
godot-multiplayer/godot-4.6.3-calls-zstd godot.multiplayer
enet/every-command enet
leviathan/session leviathan
squirrel/session squirrel
FILE
}

need mmdebstrap util-linux
mkdir -p "$folder" "$chroots"
make_root
log=$folder.log
started=$(date +%s)
result=passed
{ compile && decode; } >"$log" 2>&1 || result=FAILED
version=$(sed -n 's/^TShark (Wireshark) \([0-9.]*\).*/\1/p' "$log" | head -n 1)
printf '%-8s %s  %4d s  %s\n' "$suite" "$result" "$(($(date +%s) - started))" "${version:+Wireshark $version}"
[ "$result" = passed ] || die "failed; see $log"
