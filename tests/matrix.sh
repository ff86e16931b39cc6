#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds and tests on the Wireshark versions of several Debian releases, with several compilers, warnings being
# errors: bookworm has Wireshark 4.0, trixie 4.4, sid 4.6.
#
#   sh tests/matrix.sh [SUITE...] [COMPILER...] [-- ctest options]
#   sh tests/matrix.sh --here     the same tests on this system, with $CC
#
# Suites are bookworm, trixie and sid, compilers gcc and clang; all of them without any. In chroots that are made
# below $GAMEWIRE_CHROOTS, or ~/.cache/gamewire/chroots, and kept (1.2 GB each, clang 500 MB more); needs root,
# mmdebstrap, and the right to mount. Builds in $GAMEWIRE_MATRIX_DIR, or build/matrix.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

chroots=${GAMEWIRE_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/gamewire/chroots}
folder=${GAMEWIRE_MATRIX_DIR:-$source_dir/build/matrix}
suites=
compilers=
here=no

while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        sed -n '5,15s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    --here) here=yes ;;
    --)
        shift
        break
        ;;
    bookworm | trixie | sid) suites="$suites $1" ;;
    gcc | clang) compilers="$compilers $1" ;;
    *) die "neither a suite nor a compiler: $1 (try --help)" ;;
    esac
    shift
done
suites=${suites:-bookworm trixie sid}
compilers=${compilers:-gcc clang}

# Clang's sanitizers are a package of their own. Of these suites, only sid has Godot 4.
packages_for() {
    [ "$2" != sid ] || echo godot
    case $1 in
    clang) echo "$test_packages $window_packages util-linux clang libclang-rt-dev" ;;
    *) echo "$test_packages $window_packages util-linux" ;;
    esac
}

# Tests that take long, do not depend on Wireshark and compiler, or need tools of one system such as clang-format 14, are run only
# by tests/run.sh, also where ctest options such as -R are given. Of the rules of the source tree, installing depends on Wireshark.
not_here='^(house\.[^i]|house\.includes|static|coverage|fuzz|near|strangers|fire|bench)'

[ $here = no ] || exec sh "$source_dir/tests/run.sh" -E "$not_here"

# check SUITE COMPILER [ctest options]
check() {
    suite=$1
    compiler=$2
    shift 2
    log=$folder/$suite-$compiler.log
    # shellcheck disable=SC2016,SC2046  # the inner shell expands; one word a package
    bash "$source_dir/tests/debian-chroot.sh" "$suite" "$chroots/$suite" $(packages_for "$compiler" "$suite") \
        --src "$source_dir" --build "$folder/$suite-$compiler" --env CC="$compiler" --env NOT_HERE="$not_here" \
        --run sh -c 'set -e
            tshark --version | sed -n "s/^TShark (Wireshark) /Wireshark /p"
            $CC --version | head -n 1
            cmake -S /src --preset ci -B /build
            cmake --build /build
            ctest --test-dir /build --output-on-failure -j "$(nproc)" -E "$NOT_HERE" "$@"' sh "$@" >"$log" 2>&1
}

need mmdebstrap
mkdir -p "$folder" "$chroots"
failed=
for suite in $suites; do
    for compiler in $compilers; do
        started=$(date +%s)
        if check "$suite" "$compiler" "$@"; then
            result=passed
        else
            result=FAILED
            failed="$failed $suite-$compiler"
        fi
        log=$folder/$suite-$compiler.log
        versions=$(sed -n '/^Wireshark /{N;s/\.\{0,1\}\n/, /;p;q;}' "$log")
        tests=$(sed -n 's/.* tests passed, \(.*\) tests failed out of \(.*\)/\2 tests, \1 failed/p' "$log")
        printf '%-8s %-5s  %s  %4d s  %s  %s\n' "$suite" "$compiler" "$result" \
            "$(($(date +%s) - started))" "${tests:-not built}" "$versions"
    done
done
[ -z "$failed" ] || die "failed:$failed; see the logs in $folder"
