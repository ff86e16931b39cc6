#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fuzzes the codecs with libFuzzer, from seeds made of the captures.
#
#   sh tests/fuzz/run.sh [SECONDS [TARGET...]]
#
# SECONDS for each target, 60 without; targets such as read_godot, all without. What is found is kept from run to
# run. In $GAMEWIRE_FUZZ_DIR, or build/libfuzzer; inputs that fail are left there in found-<TARGET>. Exit status 77
# where there is no clang with libFuzzer.

set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
source_dir=$(cd "$here/../.." && pwd -P)
. "$source_dir/.ci/lib.sh"

case ${1:-} in
-h | --help)
    sed -n '5,11s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac

seconds=${1:-60}
[ $# -eq 0 ] || shift
compiler=${CC:-clang}
folder=${GAMEWIRE_FUZZ_DIR:-$source_dir/build/libfuzzer}
mkdir -p "$folder"

has_libfuzzer() {
    printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' \
        'int LLVMFuzzerTestOneInput(const uint8_t *b, size_t n) { return b && n ? 0 : 0; }' >"$folder/probe.c"
    "$compiler" -fsanitize=fuzzer,address "$folder/probe.c" -o "$folder/probe" >/dev/null 2>&1
}

has_libfuzzer || {
    say "$compiler has no libFuzzer: nothing is fuzzed"
    exit 77
}

build_dir=$folder/build
configure fuzz -D CMAKE_C_COMPILER="$compiler" \
    >"$folder/configure.log" || die "cmake could not configure the build; see $folder/configure.log"
cmake --build "$build_dir" --parallel "$(processors)" --target fuzzers >"$folder/build.log" ||
    { tail -n 30 "$folder/build.log" >&2; die "the build failed"; }

# The codec of a target is the last part of its name; `common` uses the seeds of all.
seeds_of() {
    case $1 in
    common) printf '%s\n' "$source_dir"/pcaps/*/*.pcap ;;
    *) printf '%s\n' "$source_dir/pcaps/$1"/*.pcap ;;
    esac
}

# fuzz TARGET: prints nothing unless it finds a fault.
fuzz() {
    codec=${1##*_}
    seeds=$folder/seeds-$codec
    corpus=$folder/corpus-$1
    found=$folder/found-$1
    log=$folder/$1.log
    mkdir -p "$corpus" "$found"
    # shellcheck disable=SC2046  # one word a capture; our captures have no blanks in their names
    [ -d "$seeds" ] || python3 "$here/seeds.py" "$seeds" $(seeds_of "$codec")
    set -- "$1" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -max_len=8192 -print_final_stats=1 \
        -artifact_prefix="$found/"
    [ ! -f "$here/$codec.dict" ] || set -- "$@" -dict="$here/$codec.dict"
    target=$1
    shift
    if "$build_dir/tests/fuzz/fuzz_$target" "$@" "$corpus" "$seeds" >"$log" 2>&1; then
        awk -v target="$target" '/number_of_executed_units/ { n = $2 } /average_exec_per_sec/ { s = $2 }
            / cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
            END { printf "%-18s %10d inputs, %6d a second, %5d edges, nothing found\n", target, n, s, cov }' "$log"
    else
        grep -vE '^#[0-9]+\s+(NEW|REDUCE|pulse)' "$log" | tail -n 40 >&2
        say "$target: see $log, and the input in $found"
        return 1
    fi
}

if [ $# -eq 0 ]; then
    for program in "$build_dir"/tests/fuzz/fuzz_*; do
        [ ! -x "$program" ] || set -- "$@" "${program##*/fuzz_}"
    done
fi
status=0
for target in "$@"; do
    fuzz "$target" || status=1
done
exit "$status"
