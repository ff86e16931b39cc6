#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fuzzes the codecs with libFuzzer, from seeds made of the captures.
#
#   sh tests/fuzz/run.sh [--stable] [--keep] [--smoke] [SECONDS [TARGET...]]
#
# SECONDS for each target, 60 without; targets such as read_godot, all without. What is found is kept from run to
# run. In $GAMEWIRE_FUZZ_DIR, or build/libfuzzer; inputs that fail are left there in found-<TARGET>. Exit status 77
# where there is no clang with libFuzzer.
#
#   --stable   runs each target until its coverage has not grown for SECONDS of CPU time, for twice SECONDS at least. What
#              earlier runs with --keep spent on it counts, if nothing changed its coverage since
#   --keep     afterward, or at SIGTERM, writes to tests/fuzz/corpus the smallest set of inputs with the same coverage, with
#              which later runs begin, and to spent.txt there the CPU time
#   --smoke    begins with the inputs of tests/fuzz/corpus alone, which are fewer than the seeds. The seeds are also what the
#              tests near.* try

set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
source_dir=$(cd "$here/../.." && pwd -P)
. "$source_dir/.ci/lib.sh"

stable=no
keep=no
smoke=no
while :; do
    case ${1:-} in
    -h | --help)
        sed -n '5,19s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    --stable) stable=yes ;;
    --keep) keep=yes ;;
    --smoke) smoke=yes ;;
    *) break ;;
    esac
    shift
done

seconds=${1:-60}
[ $# -eq 0 ] || shift
compiler=${CC:-clang}
folder=${GAMEWIRE_FUZZ_DIR:-$source_dir/build/libfuzzer}
spent=$here/corpus/spent.txt
stopped=no
trap 'stopped=yes' TERM
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

# The codec of a target is the second part of its name; `common` uses the seeds of all.
seeds_of() {
    case $1 in
    common) printf '%s\n' "$source_dir"/pcaps/*/*.pcap "$source_dir"/pcaps/godot/*/*.pcap ;;
    godot) printf '%s\n' "$source_dir"/pcaps/godot/variant/*.pcap "$source_dir"/pcaps/godot/multiplayer/*-raw.pcap \
        "$source_dir"/pcaps/godot/multiplayer/recordings/*-server.pcapng ;;
    *) printf '%s\n' "$source_dir/pcaps/$1"/*.pcap ;;
    esac
}

# run_target SECONDS: libFuzzer on $target, $codec, $corpus and $seeds; its output goes to $log.
run_target() {
    set -- -max_total_time="$1" -timeout=5 -rss_limit_mb=1024 -max_len=8192 -print_final_stats=1 -artifact_prefix="$found/"
    [ ! -f "$here/$codec.dict" ] || set -- "$@" -dict="$here/$codec.dict"
    [ $smoke = yes ] || set -- "$@" "$seeds"
    "$build_dir/tests/fuzz/fuzz_$target" "$@" "$corpus" "$kept" >"$log" 2>&1
}

# edges LINES: the last number of edges in the lines of $log that match.
edges() {
    awk -v lines="$1" '$0 ~ lines && / cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) } END { print cov + 0 }' "$log"
}

# Sets $cpu to the CPU seconds of all programs that ran to their ends. In a subshell, `times` would not know of them.
take_cpu() {
    times >"$folder/times"
    cpu=$(sed -n 2p "$folder/times" | tr 'ms' '  ' | awk '{ printf "%d\n", $1 * 60 + $2 + $3 * 60 + $4 }')
}

# take_spent EDGES: sets $total and $quiet to what earlier runs spent on $target, 0 if its inputs had other coverage then.
take_spent() {
    total=0
    quiet=0
    [ ! -f "$spent" ] || while read -r name edges total_then quiet_then; do
        if [ "$name $edges" = "$target $1" ]; then
            total=$total_then
            quiet=$quiet_then
        fi
    done <"$spent"
}

# Runs of a minute each, until $seconds of CPU time brought no new edge, and for twice $seconds at least.
run_until_stable() {
    best=
    until [ -n "$best" ] && [ "$quiet" -ge "$seconds" ] && [ "$total" -ge $((2 * seconds)) ]; do
        take_cpu
        began=$cpu
        run_target 60 || [ $stopped = yes ] || return 1
        if [ -z "$best" ]; then
            best=$(edges INITED)
            take_spent "$best"
        fi
        take_cpu
        total=$((total + cpu - began))
        quiet=$((quiet + cpu - began))
        if [ "$(edges .)" -gt "$best" ]; then
            best=$(edges .)
            quiet=0
            say "$target: $best edges after $total s"
        fi
        [ $stopped = no ] || break
    done
    printf '%-18s %d CPU seconds, the last %d without a new edge\n' "$target" "$total" "$quiet"
}

# The first folder takes the inputs of the others that are needed for their coverage.
keep_corpus() {
    rm -rf "$folder/smallest"
    mkdir -p "$folder/smallest" "$here/corpus"
    "$build_dir/tests/fuzz/fuzz_$target" -merge=1 "$folder/smallest" "$corpus" "$seeds" "$kept" >"$log.merge" 2>&1 ||
        die "the inputs of $target could not be merged; see $log.merge"
    if [ $stable = yes ]; then
        [ ! -f "$spent" ] || grep -v "^$target " "$spent" >"$folder/spent" || :
        echo "$target $best $total $quiet" >>"$folder/spent"
        sort "$folder/spent" >"$spent"
        rm "$folder/spent"
    fi
    tar -C "$folder/smallest" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 -cf - . | gzip -9n >"$here/corpus/$target.tar.gz"
}

# fuzz TARGET: one line, unless it finds a fault.
fuzz() {
    target=$1
    codec=${1#*_}
    codec=${codec%%_*}
    seeds=$folder/seeds-$codec
    kept=$folder/kept-$target
    corpus=$folder/corpus-$target
    found=$folder/found-$target
    log=$folder/$target.log
    rm -rf "$kept"
    mkdir -p "$corpus" "$found" "$kept"
    [ ! -f "$here/corpus/$target.tar.gz" ] || tar -C "$kept" -xzf "$here/corpus/$target.tar.gz"
    # shellcheck disable=SC2046  # one word a capture; our captures have no blanks in their names
    [ $smoke = yes ] || [ -d "$seeds" ] || python3 "$here/seeds.py" "$seeds" $(seeds_of "$codec")
    if { [ $stable = yes ] && run_until_stable; } || { [ $stable = no ] && run_target "$seconds"; }; then
        awk -v target="$target" -v edges="$(edges .)" '/number_of_executed_units/ { n = $2 } /average_exec_per_sec/ { s = $2 }
            END { printf "%-18s %10d inputs, %6d a second, %5d edges, nothing found\n", target, n, s, edges }' "$log"
        [ $keep = no ] || keep_corpus
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
    [ $stopped = no ] || break
    fuzz "$target" || status=1
done
exit "$status"
