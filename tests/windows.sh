#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds gamewire.dll, the plugin on Windows x64, for Wireshark 4.4 and 4.6 with MinGW-w64, checks that each DLL imports nothing
# but what that Wireshark exports, GLib and the C runtime, and compares tshark.exe 4.4, with the plugin and run by Wine, with
# tshark on Linux: -V, -T json and the statistics (-z) of every capture in pcaps/. Wine also runs install.cmd, the installer of the
# archive, and the commands for the Command Prompt in installing.md.
#
#   sh tests/windows.sh            all of it
#   sh tests/windows.sh --plugin   only the DLLs
#   sh tests/windows.sh --tests [FILE...]
#                                  instead of the comparison the tests of the plugin, or some of their files, with tshark.exe
#                                  and sharkd.exe, except those in tests/windows_skips.txt
#
# Debian has the two versions of Wireshark: trixie, in which all is built, and sid, of which only headers and libraries are
# unpacked. tshark.exe and sharkd.exe are trixie's source of Wireshark, cross-built without optimization and without what they can
# do without; so are GLib, PCRE2 and c-ares. From nothing that takes 18 minutes on two cores, or an hour if other work keeps them
# busy; with optimization it would take far longer. The tests take up to an hour more.
#
# In a Debian chroot below $GAMEWIRE_CHROOTS, or ~/.cache/gamewire/chroots, which is made once (400 packages, 3 GB) and kept;
# needs root and mmdebstrap. Builds in $GAMEWIRE_WINDOWS_DIR, or build/windows (2 GB), where a second run continues. The results
# are 4.4/gamewire.dll and 4.6/gamewire.dll there, each with the list of its imports.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

action=compare
case ${1:-} in
-h | --help)
    sed -n '5,24s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
--plugin) action=plugin ;;
--tests) action=tests ;;
'') ;;
*) die "unknown option: $1 (try --help)" ;;
esac

suite=trixie
newer=sid
chroots=${GAMEWIRE_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/gamewire/chroots}
root=$chroots/windows-$suite
folder=${GAMEWIRE_WINDOWS_DIR:-$source_dir/build/windows}
packages=cmake,ninja-build,meson,pkg-config,gcc,g++,libc6-dev,python3,python3-packaging,perl,flex,lemon,gettext,bzip2,xz-utils
# UCRT is the C runtime of the Wireshark that wireshark.org offers for Windows. libgcrypt only exists for the older runtime, which
# does not matter: nothing of a runtime passes through its functions.
packages=$packages,util-linux,gcc-mingw-w64-ucrt64,g++-mingw-w64-ucrt64,libgcrypt-mingw-w64-dev,libgpg-error-mingw-w64-dev,wine64
# tshark on Linux to compare with, and the plugin for it.
packages=$packages,tshark,wireshark-dev,libwireshark-dev,libglib2.0-dev,zlib1g-dev,libzstd-dev
# For the tests of the plugin.
packages=$packages,python3-pytest
source_packages='wireshark glib2.0 pcre2 c-ares zlib libzstd'

# inside COMMAND...: in the chroot, this tree at /src, the build folder at /build.
inside() {
    in_chroot "$root" /src env TZ=UTC PKG_CONFIG_LIBDIR=/build/windows/lib/pkgconfig "$@"
}

# step NAME FUNCTION...: runs it once; what it prints goes to a file.
step() {
    name=$1
    shift
    [ ! -e "$folder/$name.done" ] || return 0
    started=$(date +%s)
    printf '%-24s' "$name"
    "$@" >"$folder/$name.log" 2>&1 || {
        echo FAILED
        die "see $folder/$name.log"
    }
    printf '%5d s\n' "$(($(date +%s) - started))"
    touch "$folder/$name.done"
}

# again NAME FUNCTION...: runs it each time.
again() {
    rm -f "$folder/$1.done"
    step "$@"
}

# ---- what Wireshark and the plugin need, in /build/windows -----------------------------------------

write_toolchains() {
    mkdir -p "$folder/windows/lib/pkgconfig" "$folder/windows/include" "$folder/windows/bin"
    cat >"$folder/windows.cmake" <<'FILE'
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32ucrt-gcc)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32ucrt-g++)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32ucrt-windres)
set(CMAKE_FIND_ROOT_PATH /build/windows)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
foreach(kind EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT -static-libgcc)
endforeach()
FILE
    # For C++ too: that is the language in which meson looks for libintl.
    cat >"$folder/windows.meson" <<'FILE'
[binaries]
c = 'x86_64-w64-mingw32ucrt-gcc'
cpp = 'x86_64-w64-mingw32ucrt-g++'
ar = 'x86_64-w64-mingw32ucrt-ar'
strip = 'x86_64-w64-mingw32ucrt-strip'
windres = 'x86_64-w64-mingw32ucrt-windres'
pkg-config = 'pkg-config'
[properties]
pkg_config_libdir = '/build/windows/lib/pkgconfig'
[built-in options]
c_args = ['-O0', '-w', '-I/build/windows/include']
cpp_args = ['-O0', '-w', '-I/build/windows/include']
c_link_args = ['-L/build/windows/lib', '-static-libgcc']
cpp_link_args = ['-L/build/windows/lib', '-static-libgcc']
[host_machine]
system = 'windows'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
FILE
}

# cross SOURCE NAME FLAGS [OPTION...]: builds and installs a project that has a CMakeLists.txt.
cross() {
    # shellcheck disable=SC2016  # the inner shell expands
    inside sh -euc '
        source=$1 name=$2 flags=$3
        shift 3
        cmake -G Ninja -S "$source" -B "/build/$name" -D CMAKE_TOOLCHAIN_FILE=/build/windows.cmake -D CMAKE_BUILD_TYPE=None \
            -D CMAKE_C_FLAGS="$flags" -D CMAKE_INSTALL_PREFIX=/build/windows -D CMAKE_INSTALL_LIBDIR=lib "$@"
        nice cmake --build "/build/$name" --target install' sh "$@"
}

# By hand: its CMakeLists.txt would build a DLL and tests too.
build_zlib() {
    # shellcheck disable=SC2016
    inside sh -euc '
        mkdir -p /build/zlib
        cd /build/zlib
        x86_64-w64-mingw32ucrt-gcc -O2 -c /opt/zlib/*.c
        x86_64-w64-mingw32ucrt-ar rcs /build/windows/lib/libz.a *.o
        cp /opt/zlib/zlib.h /opt/zlib/zconf.h /build/windows/include
        printf "Name: zlib\nDescription: static\nVersion: 1.3\nLibs: -L/build/windows/lib -lz\nCflags: -I/build/windows/include\n" \
            >/build/windows/lib/pkgconfig/zlib.pc'
}

# Only what decompresses; static.
build_zstd() {
    cross /opt/libzstd/build/cmake zstd -O2 -D ZSTD_BUILD_SHARED=OFF -D ZSTD_BUILD_PROGRAMS=OFF -D ZSTD_BUILD_TESTS=OFF \
        -D ZSTD_BUILD_COMPRESSION=OFF -D ZSTD_BUILD_DICTBUILDER=OFF -D ZSTD_LEGACY_SUPPORT=OFF \
        -D ZSTD_MULTITHREAD_SUPPORT=OFF
}

build_pcre2() {
    cross /opt/pcre2 pcre2 '-O0 -w' -D BUILD_SHARED_LIBS=ON -D BUILD_STATIC_LIBS=OFF -D PCRE2_BUILD_TESTS=OFF \
        -D PCRE2_BUILD_PCRE2GREP=OFF
}

build_cares() {
    cross /opt/c-ares c-ares '-O0 -w' -D CARES_BUILD_TOOLS=OFF
}

# A libintl that translates nothing: Debian has no source of the one that GLib would fetch.
write_libintl() {
    cat >"$folder/windows/include/libintl.h" <<'FILE'
#ifndef LIBINTL_H
#define LIBINTL_H
static inline char *gettext(const char *id) { return (char *)id; }
static inline char *dgettext(const char *domain, const char *id) { return (void)domain, (char *)id; }
static inline char *dcgettext(const char *domain, const char *id, int category) { return (void)category, dgettext(domain, id); }
static inline char *ngettext(const char *one, const char *many, unsigned long n) { return (char *)(n == 1 ? one : many); }
static inline char *dngettext(const char *domain, const char *one, const char *many, unsigned long n)
{
    return (void)domain, ngettext(one, many, n);
}
static inline char *textdomain(const char *domain) { return (char *)domain; }
static inline char *bindtextdomain(const char *domain, const char *folder) { return (void)domain, (char *)folder; }
static inline char *bind_textdomain_codeset(const char *domain, const char *set) { return (void)domain, (char *)set; }
#endif
FILE
}

# Its DLLs are named as those of Wireshark for Windows, glib-2.0-0.dll, without "lib" before their names. GObject and GIO are
# not needed, nor is libffi, which meson asks for because of them.
build_glib() {
    write_libintl
    # shellcheck disable=SC2016
    inside sh -euc '
        windows=/build/windows
        pkg_config() {
            printf "libdir=%s\nName: %s\nDescription: %s\nVersion: %s\nLibs: %s\nCflags: %s\n" $windows/lib "$1" "$1" "$2" "$3" "$4" \
                >"$windows/lib/pkgconfig/$1.pc"
        }
        pkg_config libffi 3.4 "" ""
        cd /opt/glib2.0
        for part in glib gmodule gthread; do
            grep -q name_prefix $part/meson.build ||
                sed -i "/^lib$part = library(/,/soversion/s/^  soversion : soversion,/&\n  name_prefix : '"''"',/" $part/meson.build
        done
        [ -e /build/glib/build.ninja ] ||
            meson setup /build/glib --cross-file /build/windows.meson --libdir lib --buildtype plain --wrap-mode nofallback \
                -D tests=false -D nls=disabled -D introspection=disabled -D glib_debug=disabled
        version=$(sed -n "s/^  version *: *.\([0-9.]*\).,/\1/p" meson.build | head -n 1)
        nice ninja -C /build/glib glib/glib-2.0-0.dll gmodule/gmodule-2.0-0.dll gthread/gthread-2.0-0.dll
        cp /build/glib/g*/g*-2.0-0.dll $windows/bin
        headers=$windows/include/glib-2.0
        mkdir -p $headers/glib/deprecated $headers/gmodule $windows/lib/glib-2.0/include
        for library in glib gmodule gthread; do
            cp /build/glib/$library/$library-2.0.dll.a $windows/lib
            pkg_config $library-2.0 "$version" "-L$windows/lib -l$library-2.0" "-I$headers -I$windows/lib/glib-2.0/include"
        done
        cp glib/*.h /build/glib/glib/*.h $headers/glib
        cp glib/deprecated/*.h $headers/glib/deprecated
        mv $headers/glib/glib.h $headers
        mv $headers/glib/glibconfig.h $windows/lib/glib-2.0/include
        cp gmodule/gmodule.h $headers
        cp /build/glib/gmodule/gmodule-visibility.h $headers/gmodule'
}

copy_libgcrypt() {
    # shellcheck disable=SC2016
    inside sh -euc '
        cd /usr/x86_64-w64-mingw32
        cp include/*.h /build/windows/include
        cp lib/libgcrypt.dll.a lib/libgpg-error.dll.a /build/windows/lib
        cp bin/libgcrypt-*.dll bin/libgpg-error-*.dll /build/windows/bin'
}

# ---- the plugin -------------------------------------------------------------------------------------

# unpacked SUITE: where in the chroot the files of that suite's Wireshark are, "" for the root.
unpacked() {
    [ "$1" = "$suite" ] || echo "/opt/$1"
}

# version_of SUITE: "4.4" of trixie.
version_of() {
    sed -n 's/^set(Wireshark_VERSION "\([0-9]*\.[0-9]*\).*/\1/p' \
        "$root$(unpacked "$1")/usr/lib/x86_64-linux-gnu/cmake/wireshark/WiresharkConfig.cmake"
}

# describe_wireshark SUITE VERSION: import libraries and a package for CMake. What Wireshark on Linux exports has the same mark,
# WS_DLL_PUBLIC, as what it exports on Windows: import libraries are made from these lists, without a Wireshark for Windows. Its
# headers are the same too.
describe_wireshark() {
    # shellcheck disable=SC2016
    inside sh -euc '
        wireshark=$1/usr imports=/build/imports-$2
        mkdir -p "$imports"
        cd "$imports"
        for library in wireshark wiretap wsutil; do
            nm -D --defined-only --format=posix "$wireshark/lib/x86_64-linux-gnu/lib$library.so" | sed "s/@[^ ]*//" |
                awk -v library=lib$library "
                    BEGIN { print \"LIBRARY \" library \".dll\"; print \"EXPORTS\" }
                    \$2 == \"T\" { print \$1 }
                    \$2 ~ /^[BDR]\$/ { print \$1, \"DATA\" }" >$library.def
            x86_64-w64-mingw32ucrt-dlltool -d $library.def -l lib$library.dll.a
        done
        {
            sed -n "/^set(Wireshark_[MP][A-Z]*_VERSION/p" "$wireshark/lib/x86_64-linux-gnu/cmake/wireshark/WiresharkConfig.cmake"
            echo "set(Wireshark_INSTALL_PREFIX /build/program)
                set(Wireshark_PLUGIN_INSTALL_DIR /build/program/plugins/$2)
                add_library(epan INTERFACE IMPORTED)
                target_include_directories(epan INTERFACE $wireshark/include/wireshark /build/windows/include/glib-2.0
                    /build/windows/lib/glib-2.0/include)
                target_link_libraries(epan INTERFACE $imports/libwireshark.dll.a $imports/libwiretap.dll.a $imports/libwsutil.dll.a
                    /build/windows/lib/glib-2.0.dll.a)"
        } >WiresharkConfig.cmake' sh "$(unpacked "$1")" "$2"
}

# commit_of_tree: what the plugin's version says of a tree between releases, for the chroot, which has no git; nothing of a release.
commit_of_tree() {
    python3 "$source_dir/plugin/tools/gamewire-report" --version | sed -n 's/.*+//p'
}

# build_plugin VERSION: MinGW's own macros of math.h convert. Which GLib a Wireshark for Windows has depends on its version: none
# newer than 2.72 is needed.
build_plugin() {
    # shellcheck disable=SC2016
    inside sh -euc '
        cmake -G Ninja -S /src -B "/build/plugin-$1" -D CMAKE_TOOLCHAIN_FILE=/build/windows.cmake \
            -D CMAKE_BUILD_TYPE=RelWithDebInfo -D GAMEWIRE_WERROR=ON -D Wireshark_DIR="/build/imports-$1" -D GAMEWIRE_COMMIT="$2" \
            -D CMAKE_C_FLAGS="-pedantic -Wno-float-conversion -DGLIB_VERSION_MIN_REQUIRED=GLIB_VERSION_2_72 -DGLIB_VERSION_MAX_ALLOWED=GLIB_VERSION_2_72"
        nice cmake --build "/build/plugin-$1" --target gamewire
        mkdir -p "/build/$1"
        x86_64-w64-mingw32ucrt-strip -o "/build/$1/gamewire.dll" "/build/plugin-$1/plugins/$1/epan/gamewire.dll"' sh "$1" "$(commit_of_tree)"
}

# "DLL NAME" of all that a DLL imports.
imports_of() {
    inside x86_64-w64-mingw32ucrt-objdump -p "$1" |
        awk '$1 == "DLL" && $2 == "Name:" { dll = $3; names = 0 }
            /Member-Name/ { names = 1; next }
            NF == 0 { names = 0 }
            names && NF >= 3 { print dll, $NF }'
}

# "DLL NAME" of all that a DLL exports.
exports_of() {
    inside x86_64-w64-mingw32ucrt-objdump -p "$1" |
        awk -v dll="${1##*/}" '/\[Ordinal\/Name Pointer\] Table/ { names = 1; next } NF == 0 { names = 0 } names { print dll, $NF }'
}

# check_exported VERSION EXPORTS: the names that the plugin imports from Wireshark and GLib are in this list.
check_exported() {
    grep -E '^(lib|glib)' "$folder/$1/imports.txt" | LC_ALL=C sort >"$folder/imported.txt"
    missing=$(LC_ALL=C comm -23 "$folder/imported.txt" "$2")
    [ -z "$missing" ] || die "gamewire.dll imports what Wireshark $1 does not export: $missing"
    echo "  $(wc -l <"$folder/imported.txt") names from Wireshark and GLib, all in ${2##*/}"
}

# check_imports VERSION: Wireshark's libraries, GLib and the C runtime, whose code at the start of a DLL calls KERNEL32; and
# nothing else.
check_imports() {
    imports=$folder/$1/imports.txt
    imports_of "/build/$1/gamewire.dll" | LC_ALL=C sort >"$imports"
    [ -s "$imports" ] || die "gamewire.dll imports nothing"
    echo "$1/gamewire.dll $(cat "$folder/plugin-$1/plugin/version/version.txt"), $(wc -c <"$folder/$1/gamewire.dll") bytes, imports"
    awk '{ count[$1]++ } END { for (dll in count) print "  " dll ": " count[dll] }' "$imports" | sort
    ! grep -vE '^(libwireshark|libwiretap|libwsutil|glib-2\.0-0|api-ms-win-crt-[a-z0-9-]*|KERNEL32)\.dll ' "$imports" ||
        die "gamewire.dll imports what Wireshark for Windows need not have; see above"
    {
        awk '$1 == "LIBRARY" { dll = $2; next } $1 != "EXPORTS" { print dll, $1 }' "$folder/imports-$1/"*.def
        exports_of /build/windows/bin/glib-2.0-0.dll
    } | LC_ALL=C sort >"$folder/exports-$1.txt"
    check_exported "$1" "$folder/exports-$1.txt"
}

# ---- tshark.exe, sharkd.exe ---------------------------------------------------------------------------

# A libspeexdsp that resamples nothing: sharkd needs one for the sound of a telephone call.
write_speexdsp() {
    mkdir -p "$folder/windows/include/speex"
    cat >"$folder/windows/include/speex/speex_resampler.h" <<'FILE'
#ifndef SPEEX_RESAMPLER_H
#define SPEEX_RESAMPLER_H
#include <stdint.h>
typedef uint32_t spx_uint32_t;
#define speex_resampler_init(channels, in_rate, out_rate, quality, error) NULL
#define speex_resampler_skip_zeros(state) ((void)(state))
#define speex_resampler_get_rate(state, in_rate, out_rate) ((void)(state), *(in_rate) = *(out_rate) = 0)
#define speex_resampler_set_rate(state, in_rate, out_rate) ((void)(state))
#define speex_resampler_process_int(state, channel, in, in_length, out, out_length) ((void)(state), *(out_length) = 0)
#endif
FILE
}

# Nothing of Wireshark but tshark and sharkd, and of what they can use nothing but what they cannot do without.
build_programs() {
    write_speexdsp
    # shellcheck disable=SC2016
    inside sh -euc '
        x86_64-w64-mingw32ucrt-ar rcs /build/windows/lib/libspeexdsp.a
        options="-D BUILD_sharkd=ON"
        for program in wireshark logray androiddump capinfos captype ciscodump corbaidl2wrs dcerpcidl2wrs dftest dpauxmon \
            dumpcap editcap etwdump falcodump fuzzshark mergecap mmdbresolve randpkt randpktdump rawshark reordercap sdjournal \
            sshdump text2pcap udpdump wifidump xxx2deb; do
            options="$options -D BUILD_$program=OFF"
        done
        for part in PCAP AIRPCAP LUA GNUTLS KERBEROS NETLINK PLUGIN_IFDEMO CAP SMI BCG729 SBC SPANDSP BROTLI SNAPPY LZ4 NGHTTP2 \
            NGHTTP3 SINSP OPUS AMRNB ILBC WERROR LIBXML2 MINIZIP MINIZIPNG ZLIBNG WINSPARKLE; do
            options="$options -D ENABLE_$part=OFF"
        done
        cmake -G Ninja -S /opt/wireshark -B /build/wireshark -D CMAKE_TOOLCHAIN_FILE=/build/windows.cmake -D CMAKE_BUILD_TYPE=None \
            -D CMAKE_C_FLAGS="-O0 -w" -D CMAKE_CXX_FLAGS="-O0 -w" $options
        nice cmake --build /build/wireshark --target tshark sharkd'
}

# install_program VERSION: as an installation of Wireshark looks; plugin and profile by what the target install-user runs.
install_program() {
    inside sh -euc '
        rm -rf /build/program /build/home
        mkdir -p /build/program /build/home
        chown nobody /build/home
        cp /build/wireshark/run/*.exe /build/wireshark/run/*.dll /build/windows/bin/*.dll /build/program
        cp /usr/x86_64-w64-mingw32ucrt/lib/libwinpthread-1.dll /build/program' || return 1
    # shellcheck disable=SC2016
    as_user sh -euc '
        wine64 wineboot --init
        wineserver -w
        export APPDATA="$WINEPREFIX/drive_c/users/nobody/AppData/Roaming"
        cmake -D CMAKE_HOST_WIN32=ON -D plugin="/build/$1/gamewire.dll" -D wireshark_version="$1" -D build=/build \
            -D system_folder="/build/program/plugins/$1/epan" -P /src/plugin/tools/install-user.cmake' sh "$1"
}

# as_user COMMAND...: inside, as an unprivileged user: for root, tshark would not load the plugin.
as_user() {
    inside setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/build/home WINEPREFIX=/build/home/wine \
        WINEDEBUG=-all PATH=/build/wine:/usr/lib/wine:/usr/bin:/bin "$@"
}

# The same against the DLLs that were built.
check_exports() {
    for library in libwireshark libwiretap libwsutil glib-2.0-0; do
        exports_of "/build/program/$library.dll"
    done | LC_ALL=C sort >"$folder/exports-tshark.exe.txt"
    check_exported "$1" "$folder/exports-tshark.exe.txt"
}

# The same plugin for the chroot's own tshark.
build_for_linux() {
    # shellcheck disable=SC2016
    inside sh -euc '
        unset PKG_CONFIG_LIBDIR
        cmake -G Ninja -S /src -B /build/linux -D CMAKE_BUILD_TYPE=RelWithDebInfo -D GAMEWIRE_WERROR=ON
        nice cmake --build /build/linux --target gamewire'
}

# /build/wine/tshark and sharkd run tshark.exe and sharkd.exe, with line ends as on Linux except in captures, and with the name of
# the time zone, of which Wine removes a letter. Paths need no change: the current folder is on Z:, the root. Standard error is a
# file first, because the services that the first program starts would keep a pipe open. Wine's and GLib's messages about the
# terminal are removed.
write_wrappers() {
    mkdir -p "$folder/wine"
    cat >"$folder/wine/tshark" <<'FILE'
#!/bin/sh
export WINEPREFIX=/build/home/wine WINEDEBUG=-all XDG_RUNTIME_DIR=/build/home
text='s/\r$//; s/ UT\("*,*\)$/ UTC\1/'
case " $* " in
*' -w - '*) text= ;;
esac
errors=$(mktemp)
exec 3>&1
status=$({ { wine64 "/build/program/${0##*/}.exe" "$@" 2>"$errors" 3>&- 4>&-; echo $? >&4; } | sed "$text" >&3; } 4>&1)
sed '/GLib WARNING.*console output code page/d; s/\r$//' "$errors" >&2
rm "$errors"
exit "$status"
FILE
    chmod +x "$folder/wine/tshark"
    cp "$folder/wine/tshark" "$folder/wine/sharkd"
}

# The plugin and the profile are found where a user of Windows has them.
list_plugins() {
    as_user sh -c 'tshark --version | head -n 1; tshark -G plugins | grep "^gamewire"' || die "tshark.exe does not load gamewire.dll"
    as_user tshark -C Gamewire -r /src/pcaps/leviathan/session.pcap -c 1 | grep "53221 Leviathan 64 " || die "tshark.exe does not find the profile"
}

# The installer of the archive in Wine's Command Prompt, with a folder of settings of its own: it installs, keeps changes of the profile
# when it installs again, says so if it cannot copy, and removes nothing that is not its own.
check_installer() {
    # As a browser names a second download.
    archive="$folder/archive (1)"
    rm -rf "$archive"
    for of in "$suite" "$newer"; do
        epan=plugins/$(version_of "$of")/epan
        mkdir -p "$archive/$epan"
        cp "$folder/$(version_of "$of")/gamewire.dll" "$archive/$epan"
    done
    mkdir "$archive/packs" "$archive/profiles"
    cp "$source_dir"/plugin/packs/*.lua "$archive/packs"
    cp -R "$source_dir/plugin/profile/Gamewire" "$archive/profiles"
    sed 's/$/\r/' <"$source_dir/.ci/archive/install.cmd" >"$archive/install.cmd"
    printf '%s\r\n' '@echo off' 'set APPDATA=C:\settings' '"Z:\build\archive (1)\install.cmd" %*' >"$folder/archive.bat"
    # shellcheck disable=SC2016
    as_user sh -exc '
        settings=$WINEPREFIX/drive_c/settings/Wireshark
        installer() {
            XDG_RUNTIME_DIR=/build/home wine64 cmd /c "Z:\build\archive.bat" "$@" </dev/null
        }
        rm -rf "${settings%/*}"
        installer
        cd "/build/archive (1)"
        diff -r profiles "$settings/profiles"
        for file in plugins/*/epan/gamewire.dll; do
            cmp "$file" "$settings/$file"
        done
        for file in packs/*.lua; do
            cmp "$file" "$settings/plugins/${file##*/}"
        done
        echo mine >"$settings/profiles/Gamewire/colorfilters"
        touch "$settings/plugins/own.lua"
        installer
        cmp profiles/Gamewire/colorfilters "$settings/profiles/Gamewire/colorfilters"
        [ "$(cat "$settings/profiles/Gamewire.before/colorfilters")" = mine ]
        installer /remove
        [ "$(find "$settings/plugins" -type f)" = "$settings/plugins/own.lua" ]
        [ -d "$settings/profiles/Gamewire" ]
        # Of a Wireshark that runs, Windows does not replace the file.
        installer
        chmod a-w "$settings/plugins/$1/epan" "$settings/plugins/$1/epan/gamewire.dll"
        ! installer || exit 1
        ! installer /remove || exit 1
        chmod u+w "$settings/plugins/$1/epan"' sh "$(version_of "$suite")"
}

# The commands for the Command Prompt in installing.md, in Wine's, with Wireshark where its installer puts it. They print what
# the shell's command prints that the page translates.
# shellcheck disable=SC2016
check_command_prompt() {
    {
        printf '%s\n' '@echo off' 'cd /d Z:\src'
        sed -n '/^```bat$/,/^```$/{/^```/!p}' "$source_dir/plugin/docs/installing.md"
    } | sed 's/$/\r/' >"$folder/prompt.bat"
    as_user sh -euc '
        ln -sfn /build/program "$WINEPREFIX/drive_c/Program Files/Wireshark"
        XDG_RUNTIME_DIR=/build/home wine64 cmd /c "$1"' sh 'Z:\build\prompt.bat' 2>"$folder/prompt.err" | tr -d '\r' >"$folder/prompt.txt"
    as_user tshark -2 -r /src/pcaps/godot/multiplayer/godot-3.6-calls.pcap -Y 'godot_mp.rpc.method == "take_damage"' >"$folder/shell.txt"
    cmp "$folder/shell.txt" "$folder/prompt.txt" ||
        die "the commands for the Command Prompt print something else: $folder/prompt.txt, prompt.err"
    [ -s "$folder/prompt.txt" ] || die "the commands for the Command Prompt print nothing"
    echo "the commands for the Command Prompt print $(wc -l <"$folder/prompt.txt") packets, as in the shell"
}

# Writes what both print to home/decoded, without the sign of a NaN, which the C library of Windows does not print.
decode_captures() {
    cat >"$folder/decode.sh" <<'FILE'
set -eu
cd /src/pcaps
# Not -z conv, where Windows separates the thousands.
statistics="-q -z enet,tree -z enet,srt -z godot,tree -z leviathan,tree -z squirrel,tree"
for form in -V "-T json" "$statistics"; do
    output=/build/home/decoded/$(echo "$1 $form" | tr "/ " "__")
    tshark -n -r "$1" $form >"$output.windows" 2>"$output.windows.err"
    WIRESHARK_PLUGIN_DIR=/build/linux/plugins /usr/bin/tshark -n -r "$1" $form 2>"$output.linux.err" |
        sed "s/: \"-nan\"/: \"nan\"/" >"$output.linux"
done
FILE
    # shellcheck disable=SC2016
    as_user sh -euc '
        rm -rf /build/home/decoded
        mkdir /build/home/decoded
        wineserver -p
        cd /src/pcaps
        find . -name "*.pcap*" | sed "s#^./##" | sort | xargs -P "$(nproc)" -n 1 nice sh /build/decode.sh
        wineserver -k'
}

compare_captures() {
    same=0
    different=
    for linux in "$folder/home/decoded/"*.linux; do
        if [ -s "$linux" ] && cmp -s "$linux" "${linux%.linux}.windows"; then
            same=$((same + 1))
        else
            different="$different ${linux##*/}"
        fi
    done
    echo "$same outputs of tshark.exe are those of tshark on Linux"
    [ -z "$different" ] || die "different, in $folder/home/decoded:$different"
    [ "$same" -gt 0 ] || die "nothing was decoded"
}

# run_tests VERSION [FILE...]: pytest for these files of tests/, all of the plugin without one. Prints the tests that failed and how
# many were skipped for which reason; fails if one failed.
run_tests() {
    # shellcheck disable=SC2016
    as_user sh -euc '
        rm -rf /build/home/tests
        mkdir /build/home/tests
        wineserver -p
        cd /src/tests
        export GAMEWIRE_BUILD="/build/plugin-$1" GAMEWIRE_PLUGIN_DIR="/build/plugin-$1/plugins" GAMEWIRE_SKIP=windows_skips.txt
        shift
        [ $# -gt 0 ] || set -- $(find plugin -name "test_*.py" | sort)
        printf "%s\n" "$@" | xargs -P "$(nproc)" -I FILE nice sh -c "
            python3 -B -m pytest -q -rfEs -p no:cacheprovider FILE >/build/home/tests/\$(echo FILE | tr / .).log 2>&1 || true"
        wineserver -k' sh "$@"
    grep -hE '^(FAILED|ERROR) ' "$folder/home/tests/"*.log || true
    awk '/^SKIPPED/ {
            count = substr($2, 2) + 0
            sub(/^[^ ]* [^ ]* [^ ]* /, "")
            skipped[$0] += count
        }
        FNR == 1 { files++ }
        /^[0-9]+ (passed|failed|skipped|error).* in [0-9.]+s/ {
            done++
            for (i = 1; i < NF; i++) {
                word = $(i + 1)
                sub(/,$/, "", word)
                if ($i ~ /^[0-9]+$/) sum[word] += $i
            }
        }
        END {
            failed = sum["failed"] + sum["error"] + sum["errors"]
            for (reason in skipped) printf "  %d skipped: %s\n", skipped[reason], reason
            printf "%d of %d files of tests: %d passed, %d failed, %d skipped\n", done, files, sum["passed"], failed, sum["skipped"]
            exit failed > 0 || done < files
        }' "$folder/home/tests/"*.log
}

need mmdebstrap util-linux
mkdir -p "$folder" "$chroots"
make_chroot "$suite" "$root" "$packages" "$source_packages"
bootstrap "$newer" "$root/opt/$newer" --variant=extract --include=wireshark-dev
step toolchains write_toolchains
step zlib build_zlib
step zstd build_zstd
step pcre2 build_pcre2
step glib build_glib
for of in "$suite" "$newer"; do
    version=$(version_of "$of")
    step "imports-$version" describe_wireshark "$of" "$version"
    again "plugin-$version" build_plugin "$version"
    check_imports "$version"
done
[ $action != plugin ] || exit 0
version=$(version_of "$suite")
step c-ares build_cares
step libgcrypt copy_libgcrypt
step programs build_programs
again install install_program "$version"
check_exports "$version"
write_wrappers
list_plugins
again installer check_installer
check_command_prompt
if [ $action = tests ]; then
    shift
    run_tests "$version" "$@"
    exit
fi
again linux build_for_linux
again decode decode_captures
compare_captures
