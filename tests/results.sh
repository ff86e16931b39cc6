#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures coverage and speed, and writes all of tests/RESULTS.md: what was promised and what was measured, with the commit, the
# date and the versions. All figures, with the functions that take most, are in tables/ of the build folder.
#
#   sh tests/results.sh [--suite SUITE]... [quick|full] [coverage|SECTION...]
#
# A SECTION is one of tests/bench/run.sh; coverage and all sections without any. The tables of fuzzing and of mutants are made
# from what tests/fuzz/run.sh --stable --keep and tests/mutation/mutate.py --keep wrote last. With --suite trixie the
# instructions are also counted with the Wireshark of that Debian release, in the chroot of tests/matrix.sh (root). Builds in
# $GAMEWIRE_RESULTS_DIR, or build/results. Quick, which is the default, takes about 40 minutes on two cores, full 90.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

folder=${GAMEWIRE_RESULTS_DIR:-$source_dir/build/results}
chroots=${GAMEWIRE_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/gamewire/chroots}
suites=
effort=quick
coverage=no
sections=

while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        sed -n '5,14s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    --suite)
        suites="$suites ${2:?--suite needs a value}"
        shift
        ;;
    quick | full) effort=$1 ;;
    coverage) coverage=yes ;;
    *) sections="$sections $1" ;;
    esac
    shift
done
if [ "$coverage$sections" = no ]; then
    coverage=yes
    sections=" codec plugin heuristic instructions multiplayer capture enet memory packets tools"
fi
rm -rf "$folder/tables"
mkdir -p "$folder/tables"

commit_of() {
    git -C "$1" log -1 --format='%h, %cs' 2>/dev/null || echo unknown
    git -C "$1" diff --quiet HEAD -- . ':!tests/RESULTS.md' 2>/dev/null || echo ", with changes that were not committed"
}

# In a chroot, only what does not depend on the load of the machine.
measure_suite() {
    suite=$1
    # The package with msgpack.h has two names.
    case $suite in
    bookworm) msgpack=libmsgpack-dev ;;
    *) msgpack=libmsgpack-c-dev ;;
    esac
    # shellcheck disable=SC2016,SC2086,SC2154  # the inner shell expands; one word a package
    bash "$source_dir/tests/debian-chroot.sh" "$suite" "$chroots/$suite" $test_packages util-linux valgrind libcbor-dev \
        libmsgpuck-dev "$msgpack" --src "$source_dir" --build "$folder/$suite" --env PYTHONDONTWRITEBYTECODE=1 \
        --env EFFORT="$effort" --run sh -c 'set -e
            cmake -G Ninja -S /src/tests/bench -B /build
            cmake --build /build
            tshark --version | sed -n "1s/TShark (Wireshark) \([0-9]*\.[0-9]*\.[0-9]*\).*/\1/p" >/build/version
            python3 /src/tests/bench/bench.py --build /build --markdown /build/table.md --page /build/page.md "$EFFORT" \
                heuristic instructions multiplayer packets' >"$folder/$suite.log" 2>&1 || {
        tail -n 20 "$folder/$suite.log" >&2
        die "measuring in the chroot of $suite failed"
    }
    { echo "## Wireshark $(cat "$folder/$suite/version"), Debian $suite" && echo && cat "$folder/$suite/page.md"; } \
        >"$folder/tables/$suite.md"
    cp "$folder/$suite/table.md" "$folder/tables/$suite-all.md"
}

if [ "$coverage" = yes ]; then
    rows=$folder/coverage.rows
    : >"$rows"
    # The status says whether the gates are met, and so does each row.
    GAMEWIRE_COVERAGE_DIR=$folder/coverage sh "$source_dir/tests/coverage.sh" --markdown "$rows" || true
    GAMEWIRE_COVERAGE_DIR=$folder/coverage sh "$source_dir/tests/coverage.sh" --markdown "$rows" plugin || true
    {
        printf '## Coverage\n\n| part | lines | goal | branches | goal | result |\n| --- | --- | --- | --- | --- | --- |\n'
        cat "$rows"
        echo
    } >"$folder/tables/coverage.md"
fi

if [ -n "$sections" ]; then
    # shellcheck disable=SC2086  # one word a section
    GAMEWIRE_BUILD_DIR=$folder/bench sh "$source_dir/tests/bench/run.sh" --markdown "$folder/tables/bench-all.md" --page "$folder/bench.md" \
        "$effort" $sections
    { printf '## Speed and memory\n\n' && cat "$folder/bench.md" && echo; } >"$folder/tables/bench.md"
fi
for suite in $suites; do
    measure_suite "$suite"
done

# A result may be "killed by a test", "survived", or one that does not count.
{
    printf '## Mutants and fuzzing\n\n| what | promised | measured | result |\n| --- | --- | --- | --- |\n'
    awk -F'\t' '
        BEGIN { goal["codecs"] = 92; goal["plugin"] = 90 }
        { part = $2; sub("/.*", "", part) }
        /^(killed|survived)/ { tried[part]++ }
        /^killed/ { killed[part]++ }
        END {
            for (i = 1; i <= 2; i++) {
                part = i == 1 ? "codecs" : "plugin"
                printf "| mutants of the %s of the last sample that a test detects, with the tests that its survivors led to | ≥ %d %% | %d of %d, %.1f %% | %s |\n",
                    part, goal[part], killed[part], tried[part], 100 * killed[part] / tried[part],
                    (100 * killed[part] >= goal[part] * tried[part] ? "met" : "missed")
            }
        }
    ' "$source_dir/tests/mutation/sample.txt"
    awk '
        function row(what, seconds, goal, missed, names) {
            printf "| fuzzing, CPU time of each target %s | ≥ %d min | %s; %d targets, %d min | %s |\n",
                what, goal / 60, missed ? "less: " names " min" : "all", NR, seconds / 60, missed ? missed " of " NR " missed" : "met"
        }
        { total += $3; quiet += $4 }
        $4 < 1800 { still_new++; new_names = new_names (new_names ? ", " : "") $1 " " int($4 / 60) }
        $3 < 3600 { short++; short_names = short_names (short_names ? ", " : "") $1 " " int($3 / 60) }
        END {
            row("without a new edge", quiet, 1800, still_new, new_names)
            row("in all", total, 3600, short, short_names)
        }
    ' "$source_dir/tests/fuzz/corpus/spent.txt"
    echo
} >"$folder/tables/mutants.md"

{
    cat <<END
<!--
SPDX-FileCopyrightText: The Gamewire authors
SPDX-License-Identifier: GPL-2.0-or-later
-->
# Results

Written by \`sh tests/results.sh\`; [how to read the tables](README.md#results). "Missed" is relative to the goals, which are in
the scripts.

| | |
| --- | --- |
| commit | $(commit_of "$source_dir" | tr -d '\n') |
| measured | $(date -u +%Y-%m-%d) |
| sections | $effort:$([ "$coverage" = no ] || echo " coverage")$sections |
| Wireshark | $(tshark --version 2>/dev/null | sed -n '1s/TShark (Wireshark) \([0-9]*\.[0-9]*\.[0-9]*\).*/\1/p') |
| compiler | $(gcc --version | sed -n 1p) |
| system | $(. /etc/os-release && echo "$PRETTY_NAME"), $(uname -m), $(processors) processors |

END
    for table in coverage mutants bench $suites; do
        [ ! -f "$folder/tables/$table.md" ] || cat "$folder/tables/$table.md"
    done
} >"$folder/RESULTS.md"
# One empty line at the most, and none at the end.
cat -s "$folder/RESULTS.md" | sed '$ { /^$/d; }' >"$source_dir/tests/RESULTS.md"
say "Wrote tests/RESULTS.md"
