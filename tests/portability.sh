#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the codecs with -pedantic and warnings as errors for other machines than this one, and runs their tests there:
#
#   i686      32-bit x86, run by this processor
#   s390x     64-bit big-endian, run by QEMU
#   windows   x86-64 Windows by MinGW-w64, run by Wine; without the tests that read captures: libpcap is not there
#
#   sh tests/portability.sh [i686|s390x|windows ...]
#
# In a Debian chroot of its own below $GAMEWIRE_CHROOTS, or ~/.cache/gamewire/chroots, which is made once (1.5 GB) and
# kept; needs root, mmdebstrap and x86-64. Builds in $GAMEWIRE_PORTABILITY_DIR, or build/portability.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

chroots=${GAMEWIRE_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/gamewire/chroots}
folder=${GAMEWIRE_PORTABILITY_DIR:-$source_dir/build/portability}
root=$chroots/portability
packages=cmake,ninja-build,pkg-config,xz-utils,locales,gcc,libc6-dev,python3
packages=$packages,gcc-i686-linux-gnu,libcmocka-dev:i386,libpcap0.8-dev:i386
packages=$packages,gcc-s390x-linux-gnu,libcmocka-dev:s390x,libpcap0.8-dev:s390x,qemu-user-static
packages=$packages,gcc-mingw-w64-x86-64,wine64

# inside COMMAND...: in the chroot, the sources at /src, the build folder at /build.
inside() {
    in_chroot "$root" /src env WINEPREFIX=/tmp/wine WINEDEBUG=-all WINEPATH=/build/cmocka/bin "$@"
}

# The toolchain file of a target: name, prefix of its compiler, system, emulator, options of compiler and linker.
toolchain() {
    cat >"$folder/$1.cmake" <<FILE
set(CMAKE_SYSTEM_NAME $3)
set(CMAKE_SYSTEM_PROCESSOR $1)
set(CMAKE_C_COMPILER $2-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR $4)
set(CMAKE_C_FLAGS_INIT "-pedantic $5")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${6:-}")
FILE
}

cmocka_for_windows() {
    inside sh -euc '
        [ ! -e /build/cmocka/lib/libcmocka.dll.a ] || exit 0
        cmake -G Ninja -S /opt/cmocka -B /build/cmocka-build -D CMAKE_TOOLCHAIN_FILE=/build/windows.cmake \
            -D WITH_EXAMPLES=OFF -D CMAKE_INSTALL_PREFIX=/build/cmocka
        cmake --build /build/cmocka-build --target install'
}

# check TARGET PKG_CONFIG_FOLDER
check() {
    inside sh -euc '
        export PKG_CONFIG_LIBDIR=$2
        cmake -G Ninja -S /src -B "/build/$1" -D CMAKE_TOOLCHAIN_FILE="/build/$1.cmake" -D GAMEWIRE_PLUGIN=OFF \
            -D GAMEWIRE_TESTS=ON -D GAMEWIRE_WERROR=ON
        cmake --build "/build/$1"
        ctest --test-dir "/build/$1" --output-on-failure -j "$(nproc)" -R "^codecs\."' sh "$1" "$2"
}

need mmdebstrap util-linux
mkdir -p "$folder" "$chroots"
# MinGW has no cmocka: its source package is built below.
make_chroot bookworm "$root" "$packages" cmocka --architectures=amd64,i386,s390x
# The x87 unit has no float and no double: it changes signalling NaNs, and compares with more digits than there are.
toolchain i686 i686-linux-gnu Linux '' '-msse2 -mfpmath=sse'
toolchain s390x s390x-linux-gnu Linux qemu-s390x-static ''
# MinGW's own macros of math.h convert.
toolchain windows x86_64-w64-mingw32 Windows /usr/lib/wine/wine64 -Wno-float-conversion -static-libgcc
[ $# -gt 0 ] || set -- i686 s390x windows
failed=
for target; do
    case $target in
    i686) pkg_config=/usr/lib/i386-linux-gnu/pkgconfig ;;
    s390x) pkg_config=/usr/lib/s390x-linux-gnu/pkgconfig ;;
    windows) pkg_config=/build/cmocka/lib/pkgconfig ;;
    *) die "no such target: $target" ;;
    esac
    log=$folder/$target.log
    started=$(date +%s)
    result=passed
    { [ "$target" != windows ] || cmocka_for_windows; } >"$log" 2>&1 && check "$target" "$pkg_config" >>"$log" 2>&1 ||
        result=FAILED
    [ "$result" = passed ] || failed="$failed $target"
    tests=$(sed -n 's/.* tests passed, \(.*\) tests failed out of \(.*\)/\2 tests, \1 failed/p' "$log")
    printf '%-8s %s  %4d s  %s\n' "$target" "$result" "$(($(date +%s) - started))" "${tests:-not built}"
done
[ -z "$failed" ] || die "failed:$failed; see the logs in $folder"
