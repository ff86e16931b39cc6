#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which lines and branches the tests reach, of the codecs by their own tests and of the plugin by those around tshark,
# and whether that is as much as it was.
#
#   sh tests/coverage.sh [--markdown FILE] [CODEC...|plugin]     all codecs without
#
# Builds in $GAMEWIRE_COVERAGE_DIR, or build/coverage, and leaves coverage.html there. --markdown adds a table row for each
# codec, or the plugin, to FILE. Exit status 1 below the gates.
# Lines that cannot be reached are marked in the code, with the reason.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

# Percent of lines and of branches: of the codecs, which is the goal, then of the plugin.
line_gate=100
branch_gate=98
plugin_line_gate=97
plugin_branch_gate=90

case ${1:-} in
-h | --help)
    sed -n '5,12s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
markdown=/dev/null
if [ "${1:-}" = --markdown ]; then
    markdown=$2
    shift 2
fi

command -v gcovr >/dev/null || die "gcovr is missing (on Debian: apt-get install gcovr)"
build_dir=${GAMEWIRE_COVERAGE_DIR:-$source_dir/build/coverage}
[ $# -gt 0 ] || set -- common enet godot leviathan squirrel
mkdir -p "$build_dir"
status=0

# prepare [OPTION...]: builds with counters, which begin at 0.
prepare() {
    CC=gcc configure coverage "$@" >"$build_dir/configure.log" ||
        die "cmake could not configure the build; see $build_dir/configure.log"
    build >"$build_dir/build.log" || { tail -n 30 "$build_dir/build.log" >&2; die "the build failed"; }
    find "$build_dir" -name '*.gcda' -exec rm -f {} +
    # Of source files that are gone since the build before: gcovr would look for them.
    ninja -C "$build_dir" -t cleandead >"$build_dir/build.log"
    find "$build_dir" -name '*.gcno' | while read -r notes; do
        [ -f "${notes%.gcno}.o" ] || rm -f "$notes"
    done
}

# run_tests CTEST_OPTION...: with fewer random values than usual, since these builds are slow, and one of each kind is
# enough to reach a line.
run_tests() {
    (cd "$build_dir" && export GAMEWIRE_ROUND_TRIPS=20000 GAMEWIRE_RANGE_CODER=1000 GAMEWIRE_HOSTILE=3000 GAMEWIRE_CHANGES=8 &&
        ctest -j "$(processors)" --output-on-failure "$@") \
        >"$build_dir/tests.log" || { tail -n 40 "$build_dir/tests.log" >&2; die "a test failed"; }
}

# counts: of gcovr's table, the last line as "99 % (2430 of 2445)".
counts() {
    sed -n 's/^TOTAL  *\([0-9]*\)  *\([0-9]*\)  *\([0-9]*\)%.*/\3 % (\2 of \1)/p' "$1"
}

# read_counters FOLDER OBJECTS...: reads the counters of the files in a folder once, for all reports on them.
read_counters() {
    folder=$1
    shift
    gcovr --root "$source_dir" --filter "$source_dir/$folder/" --json "$build_dir/counters.json" "$@"
}

# report_of FOLDER [OPTION...]: gcovr on these counters, for a folder.
report_of() {
    folder=$1
    shift
    gcovr --root "$source_dir" --filter "$source_dir/$folder/" --add-tracefile "$build_dir/counters.json" "$@"
}

# gcovr 7 has --txt-metric, and gcovr 8 no --branches any more.
of_branches=--branches
if gcovr --help | grep -q -e --txt-metric; then
    of_branches='--txt-metric branch'
fi

# report NAME FOLDER LINES BRANCHES: the table of a folder, held against its gates.
report() {
    name=$1
    folder=$2
    lines=$3
    branches=$4
    echo "$name:"
    result=met
    report_of "$folder" >"$build_dir/lines.txt"
    sed -n '/^codecs\|^plugin\|^TOTAL/p' "$build_dir/lines.txt" | sed 's/^/  lines     /'
    # shellcheck disable=SC2086  # one word or two
    report_of "$folder" $of_branches --fail-under-line "$lines" --fail-under-branch "$branches" >"$build_dir/branches.txt" || {
        status=1
        result=missed
        say "$name: less than $lines % of lines or $branches % of branches; see $build_dir/coverage.html"
    }
    sed -n '/^codecs\|^plugin\|^TOTAL/p' "$build_dir/branches.txt" | sed 's/^/  branches  /'
    echo "| $name | $(counts "$build_dir/lines.txt") | ≥ $lines % | $(counts "$build_dir/branches.txt") |" \
        "≥ $branches % | $result |" >>"$markdown"
}

if [ "$1" = plugin ]; then
    build_dir=$build_dir/plugin
    mkdir -p "$build_dir"
    prepare -D GAMEWIRE_PLUGIN=ON
    # As root, tshark runs as nobody in the tests, and writes its counters as nobody.
    [ "$(id -u)" -ne 0 ] || find "$build_dir/plugin" "$build_dir/codecs" -type d -exec chmod a+rwx {} +
    # The tests of outputs and documents read the same captures once more.
    run_tests -R '^plugin\.|^strangers\.found' -E '\.(elastic|locale|outputs|profile|readme)$'
    read_counters plugin "$build_dir/plugin"
    report plugin plugin "$plugin_line_gate" "$plugin_branch_gate"
    report_of plugin --html-details "$build_dir/coverage.html"
    exit "$status"
fi

# A function that is inlined into several others has its branches counted in each, including those that are
# impossible there.
prepare -D "CMAKE_C_FLAGS=-Dalways_inline=noinline -Wno-attributes"
run_tests -R '^codecs\.'
read_counters codecs "$build_dir/codecs" "$build_dir/tests/codecs"
for codec in "$@"; do
    report "$codec" "codecs/$codec" "$line_gate" "$branch_gate"
done
report_of codecs --html-details "$build_dir/coverage.html"
exit "$status"
