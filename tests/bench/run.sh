#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs what is missing, builds, measures our codecs and dissectors beside others, and prints one table:
# every goal, what was measured, and whether it is met.
#
#   sh tests/bench/run.sh [--markdown FILE] [--before BUILD] [--megabytes N] [quick|full]
#                         [codec|plugin|heuristic|instructions|multiplayer|capture|enet|memory|packets|tools
#                          ...]
#
# heuristic, instructions, multiplayer and packets count instructions with callgrind, so other load on the machine does not
# matter. instructions has every mode of tshark with its first ten functions, and the codecs; with --before also the
# figures of another build of the bench, as of an older checkout. packets has what a packet of ENet and of a game of Godot
# costs, beside stock dissectors on packets of the same sizes. capture has what opening ten kinds of captures takes in CPU
# time and memory: of 20 MB, with full also two of 500 MB, or as large as --megabytes says.
#
# quick, which is the default, takes some 20 minutes, full some 60. Time is CPU time, so that other load does
# no more than blur it; results that differ from round to round are marked. As root or as an ordinary user
# (then sudo installs). Builds in build/bench/, or in $GAMEWIRE_BUILD_DIR.

set -eu
source_dir=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$source_dir/.ci/lib.sh"

case ${1:-} in
-h | --help)
    sed -n '5,21s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac

# shellcheck disable=SC2086  # a list of names
need $plugin_packages python3 valgrind \
    libenet-dev libcbor-dev libmsgpack-dev libmsgpuck-dev godot3-server

choose_build_dir "${GAMEWIRE_BUILD_DIR:-build/bench}"
# The folder of the bench is a project, which takes in the whole of Gamewire.
bench_dir=$source_dir/tests/bench
source_dir=$bench_dir
log=$build_dir/bench.log
say "Building in $build_dir ..."
{ cmake -G Ninja -S "$source_dir" -B "$build_dir" && build; } >"$log" 2>&1 || {
    cat "$log" >&2
    die "the build failed; see above"
}

say "Measuring ..."
PYTHONDONTWRITEBYTECODE=1 exec python3 "$bench_dir/bench.py" --build "$build_dir" "$@"
