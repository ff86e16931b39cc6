#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the plugin as a part of Wireshark's own source tree, as those do who build Wireshark themselves, on Windows and
# macOS too: this tree as plugins/epan/gamewire, named in CMakeListsCustom.txt. Compiles the released source of Debian's
# Wireshark package as far as tshark needs it, without optimization, our files with their warnings as errors, and decodes a
# capture of each protocol with that tshark. With clang, whose warnings in Wireshark's builds are others, only the plugin's
# files are compiled. Checks of Wireshark's CI that Debian 12's source does not have look at the plugin's files too, where the
# release has them; tests/static/wireshark_checks.py runs the others.
#
#   sh tests/in_tree.sh [--compile] [SUITE...]
#   sh tests/in_tree.sh --here
#
# --compile only compiles the plugin's files: some minutes instead of half an hour. --here does so in this system, which must be
# Debian, with any source of Wireshark in /opt/wireshark: hosted CI does it each week with Wireshark's main branch. SUITE is
# bookworm (Wireshark 4.0), trixie (4.4) or sid (4.6); bookworm and sid without one. Each has a chroot of its own below
# $GAMEWIRE_CHROOTS, or ~/.cache/gamewire/chroots, which is made once (1.3 GB) and kept; needs root and mmdebstrap. Builds in
# $GAMEWIRE_IN_TREE_DIR, or build/in-tree (340 MB a suite): 17 minutes a suite on two cores that other work kept busy.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

case ${1:-} in
-h | --help)
    sed -n '5,22s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
--compile)
    only_compile=yes
    shift
    ;;
--here) only_compile=here ;;
*) only_compile=no ;;
esac
chroots=${GAMEWIRE_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/gamewire/chroots}
packages=cmake,ninja-build,pkg-config,gcc,g++,clang,libc6-dev,python3,perl,flex,bison,bzip2,xz-utils,util-linux
packages=$packages,libglib2.0-dev,libgcrypt20-dev,libc-ares-dev,libpcap0.8-dev,libpcre2-dev,libspeexdsp-dev,libxml2-dev
packages=$packages,uthash-dev,zlib1g-dev,libzstd-dev

# inside COMMAND...: in the chroot, this tree in Wireshark's, the build folder at /build.
inside() {
    if [ $only_compile = here ]; then
        "$@"
    else
        in_chroot "$root" /opt/wireshark/plugins/epan/gamewire "$@"
    fi
}

# configure_wireshark CC CXX: nothing of Wireshark but tshark, and of what it can use nothing but what it cannot do without.
configure_wireshark() {
    inside env CC="$1" CXX="$2" sh -ec '
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
            -D GAMEWIRE_WERROR=ON $options'
}

build_tshark() {
    inside nice cmake --build /build --target tshark gamewire
}

# Runs the commands by which the plugin's and the codecs' files are compiled: building their objects would build libwireshark
# first, which they are linked with.
compile_plugin() {
    inside sh -ec '
        cd /build
        objects=$(ninja -t targets all | sed -n "s#^\(plugins/epan/gamewire/.*\.c\.o\): .*#\1#p")
        for object in $objects; do
            mkdir -p "${object%/*}"
        done
        ninja -t commands $objects | grep -F " -c /opt/wireshark/plugins/epan/gamewire/" >compile.sh
        echo "$(wc -l <compile.sh) files of the plugin and the codecs"
        nice sh -ex compile.sh'
}

# Each check has something to find in packet-planted.c, or it has checked nothing.
run_checks() {
    inside sh -ec '
        cat >/build/packet-planted.c <<END
static void dissect(void)
{
    col_add_str(pinfo->cinfo, COL_INFO, "planted");
    proto_item_append_text(item, "%s", val_to_str(pinfo->pool, value, names, "planted %s"));
}
END
        files=$(find /opt/wireshark/plugins/epan/gamewire/plugin -name "*.c" | sort)
        for check in check_col_apis check_val_to_str; do
            tool=/opt/wireshark/tools/$check.py
            if [ ! -f "$tool" ]; then
                echo "$check: not in this release"
                continue
            fi
            python3 "$tool" --file /build/packet-planted.c | grep -E "^(Warning|Error):" >/dev/null
            arguments=
            for file in $files; do
                arguments="$arguments --file $file"
            done
            echo "$check:"
            python3 "$tool" $arguments >/build/check.txt
            tail -n 1 /build/check.txt
            if grep -E "^(Warning|Error):" /build/check.txt; then
                exit 1
            fi
        done'
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
godot/variant/godot-4.6.3-game godot
godot/stream/godot-4.6.3-stream godot_stream
godot/debugger/godot-4.6.3-debugger godot_debugger
godot/multiplayer/godot-4.6.3-calls-zstd godot_mp
enet/every-command enet
leviathan/session leviathan
squirrel/session squirrel
FILE
}

# The compiler's messages about the plugin's files. Some of Wireshark's flags take a warning out of -Werror.
no_warnings() {
    ! grep -E 'plugins/epan/gamewire/.*warning:' "$log"
}

# build_in SUITE COMPILER: in the chroot $root; prints a line with the result; fails where the build or a decode does.
build_in() {
    suite=$1 compiler=$2
    folder=${GAMEWIRE_IN_TREE_DIR:-$source_dir/build/in-tree}/$suite-$compiler
    mkdir -p "$folder"
    log=$folder.log
    started=$(date +%s)
    result=passed
    version=$(sed -n 's/^set *(PROJECT_\(MAJOR\|MINOR\|PATCH\)_VERSION *\([0-9]*\)).*/\2/p' "$root/opt/wireshark/CMakeLists.txt" | paste -sd.)
    if [ "$compiler" = clang ]; then
        { configure_wireshark clang clang++ && compile_plugin; } >"$log" 2>&1 || result=FAILED
    elif [ $only_compile = yes ]; then
        { configure_wireshark gcc g++ && run_checks && compile_plugin; } >"$log" 2>&1 || result=FAILED
    else
        { configure_wireshark gcc g++ && run_checks && build_tshark && decode; } >"$log" 2>&1 || result=FAILED
    fi
    no_warnings >&2 || result=FAILED
    printf '%-8s %-5s %s  %4d s  Wireshark %s\n' "$suite" "$compiler" "$result" "$(($(date +%s) - started))" "$version"
    [ "$result" = passed ] || say "failed; see $log"
    [ "$result" = passed ]
}

if [ $only_compile = here ]; then
    # shellcheck disable=SC2046  # a list of names
    need $(echo "$packages" | tr , ' ')
    ln -sfn "$source_dir" /opt/wireshark/plugins/epan/gamewire
    mkdir -p /build
    configure_wireshark gcc g++
    run_checks
    compile_plugin
    exit
fi
need mmdebstrap util-linux
mkdir -p "$chroots"
failed=
[ $# -gt 0 ] || set -- bookworm sid
for suite in "$@"; do
    root=$chroots/in-tree-$suite
    make_chroot "$suite" "$root" "$packages" wireshark || {
        printf '%-8s FAILED  no chroot\n' "$suite"
        failed="$failed $suite"
        continue
    }
    [ -x "$root/usr/bin/clang" ] || die "remove $root, which was made without clang"
    for compiler in gcc clang; do
        build_in "$suite" "$compiler" || failed="$failed $suite-$compiler"
    done
done
[ -z "$failed" ] || die "failed:$failed"
