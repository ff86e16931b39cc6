#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which lines and branches of the codecs their own tests reach, and whether that is as much as it was.
#
#   sh tests/coverage.sh [CODEC...]        all codecs without
#
# Builds in $GAMEWIRE_COVERAGE_DIR, or build/coverage, and leaves coverage.html there. Exit status 1 below the gates.
# Lines that cannot be reached are marked where they stand, with the reason.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

# Percent of lines and of branches.
line_gate=100
branch_gate=98

case ${1:-} in
-h | --help)
    sed -n '5,10s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac

command -v gcovr >/dev/null || die "gcovr is missing (on Debian: apt-get install gcovr)"
build_dir=${GAMEWIRE_COVERAGE_DIR:-$source_dir/build/coverage}
[ $# -gt 0 ] || set -- common enet godot leviathan squirrel

mkdir -p "$build_dir"
# A function that is inlined into several others has its branches counted in each, with what each makes impossible.
CC=gcc configure coverage -D CMAKE_C_FLAGS=-Dalways_inline=noinline >"$build_dir/configure.log" ||
    die "cmake could not configure the build; see $build_dir/configure.log"
build >"$build_dir/build.log" || { tail -n 30 "$build_dir/build.log" >&2; die "the build failed"; }
find "$build_dir" -name '*.gcda' -exec rm -f {} +

# Fewer random values than usual: these builds are slow, and one of each kind is enough to reach a line.
(cd "$build_dir" && GAMEWIRE_ROUND_TRIPS=20000 GAMEWIRE_RANGE_CODER=2000 ctest -R '^codecs\.' -j "$(processors)" --output-on-failure) \
    >"$build_dir/tests.log" || { tail -n 40 "$build_dir/tests.log" >&2; die "a test failed"; }

status=0
for codec in "$@"; do
    set -- --root "$source_dir" --filter "$source_dir/codecs/$codec/" "$build_dir/codecs" "$build_dir/tests/codecs"
    echo "$codec:"
    gcovr "$@" | sed -n '/^codecs\|^TOTAL/p' | sed 's/^/  lines     /'
    gcovr "$@" --branches --fail-under-line "$line_gate" --fail-under-branch "$branch_gate" >"$build_dir/branches.txt" ||
        status=1
    sed -n '/^codecs\|^TOTAL/p' "$build_dir/branches.txt" | sed 's/^/  branches  /'
done
gcovr --root "$source_dir" --filter "$source_dir/codecs/" --html-details "$build_dir/coverage.html" \
    "$build_dir/codecs" "$build_dir/tests/codecs"
[ "$status" -eq 0 ] || say "less than $line_gate % of lines or $branch_gate % of branches: see $build_dir/coverage.html"
exit "$status"
