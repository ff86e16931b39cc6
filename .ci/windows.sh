#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the plugin on Windows for the Wireshark that wireshark.org offers: import libraries are made from its DLLs, headers come
# from its source archive. Then its tshark.exe loads the plugin and decodes captures.
#
#   sh .ci/windows.sh VERSION [gamewire.dll]      such as 4.6.0
#
# With gamewire.dll this file is tested, and nothing is built. In the UCRT64 shell of MSYS2, with curl, tar, xz and the packages
# cmake, gcc, glib2, ninja, pkgconf, tools, zlib and zstd of mingw-w64-ucrt-x86_64; as an administrator, because of Wireshark's
# installer. Builds in build/msys2. The plugin is left in %APPDATA%\Wireshark\plugins.
#
# Has not run on Windows yet. The build has run on Debian, with cross-built DLLs of Wireshark 4.4.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

version=${1:?"which version of Wireshark? see the top of this file"}
minor=${version%.*}
plugin=${2:-}
folder=$source_dir/build/msys2
wireshark=$folder/Wireshark-$version
headers=$folder/headers-$version
imports=$folder/imports-$version
mkdir -p "$folder"

download() {
    [ -s "$folder/${1##*/}" ] || curl -fsSL --retry 3 -o "$folder/${1##*/}" "https://www.wireshark.org/download/$1"
    has_known_hash "$folder/${1##*/}" || die "${1##*/} does not have a hash of .ci/hashes.txt"
}

# /D is the folder, and must be the last option.
install_wireshark() {
    [ ! -e "$wireshark/tshark.exe" ] || return 0
    download "win64/all-versions/Wireshark-$version-x64.exe"
    MSYS2_ARG_CONV_EXCL='*' "$folder/Wireshark-$version-x64.exe" /S "/D=$(cygpath -w "$wireshark")"
    [ -e "$wireshark/tshark.exe" ] || die "the installer left no $wireshark/tshark.exe"
}

# What Wireshark installs as its headers is there, except one, which CMake makes of ws_version.h.in.
unpack_headers() {
    [ ! -e "$headers/ws_version.h" ] || return 0
    download "src/all-versions/wireshark-$version.tar.xz"
    mkdir -p "$headers"
    tar -C "$headers" --strip-components 1 --wildcards -xf "$folder/wireshark-$version.tar.xz" '*.h' '*/ws_version.h.in'
    sed "s/@PROJECT_MAJOR_VERSION@/${version%%.*}/; s/@PROJECT_MINOR_VERSION@/${minor#*.}/; s/@PROJECT_PATCH_VERSION@/${version##*.}/" \
        "$headers/ws_version.h.in" >"$headers/ws_version.h"
}

# gendef knows which names are variables.
make_import_libraries() {
    mkdir -p "$imports"
    (
        cd "$imports"
        for library in libwireshark libwiretap libwsutil glib-2.0-0; do
            gendef - "$wireshark/$library.dll" >$library.def
            dlltool -d $library.def -l $library.dll.a
        done
    )
    cat >"$imports/WiresharkConfig.cmake" <<FILE
set(Wireshark_MAJOR_VERSION ${version%%.*})
set(Wireshark_MINOR_VERSION ${minor#*.})
set(Wireshark_PATCH_VERSION ${version##*.})
set(Wireshark_INSTALL_PREFIX "$(cygpath -m "$wireshark")")
set(Wireshark_PLUGIN_INSTALL_DIR "$(cygpath -m "$wireshark")/plugins/$minor")
find_package(PkgConfig REQUIRED)
pkg_check_modules(GLIB REQUIRED glib-2.0)
set(headers "$(cygpath -m "$headers")")
add_library(epan INTERFACE IMPORTED)
target_include_directories(epan INTERFACE \${headers} \${headers}/include \${GLIB_INCLUDE_DIRS})
file(GLOB libraries "\${CMAKE_CURRENT_LIST_DIR}/*.dll.a")
target_link_libraries(epan INTERFACE \${libraries})
FILE
}

# Static zlib and Zstandard: one file is enough. No GLib functions newer than Wireshark's GLib.
build_plugin() {
    glib='-DGLIB_VERSION_MIN_REQUIRED=GLIB_VERSION_2_72 -DGLIB_VERSION_MAX_ALLOWED=GLIB_VERSION_2_72'
    prefix=$(cygpath -m "${MINGW_PREFIX:-/ucrt64}")
    cmake -G Ninja -S "$source_dir" -B "$folder/plugin-$version" -D CMAKE_BUILD_TYPE=RelWithDebInfo -D Wireshark_DIR="$imports" \
        -D CMAKE_C_FLAGS="$glib" -D CMAKE_MODULE_LINKER_FLAGS=-static-libgcc \
        -D ZLIB_LIBRARY="$prefix/lib/libz.a" -D pkgcfg_lib_ZSTD_zstd="$prefix/lib/libzstd.a"
    cmake --build "$folder/plugin-$version" --target gamewire
    plugin=$folder/plugin-$version/plugins/$minor/epan/gamewire.dll
}

install_wireshark
if [ -z "$plugin" ]; then
    unpack_headers
    make_import_libraries
    build_plugin
fi
own=$(cygpath -u "$APPDATA")/Wireshark/plugins/$minor/epan
mkdir -p "$own"
cp "$plugin" "$own"
sh "$source_dir/.ci/decode.sh" "$wireshark/tshark.exe"
