#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs what is missing, builds everything with warnings as errors, and runs every test.
#
#   sh tests/run.sh [--quick] [ctest options]
#
# --quick leaves out the slow tests, which take five sixths of the time.
# As root or as an ordinary user (then sudo installs). Builds in build/, or in $GAMEWIRE_BUILD_DIR.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

case ${1:-} in
-h | --help)
    sed -n '5,10s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
--quick)
    shift
    set -- -LE slow "$@"
    ;;
esac

# shellcheck disable=SC2086  # lists of names
need $plugin_packages $test_packages $window_packages git perl reuse doxygen gcovr cppcheck clang clang-tidy clang-format libclang-rt-dev

# The browser and the chart library for the report's pages, the database for many captures, Godot 4 for its addon, libraries for the
# bench.
# shellcheck disable=SC2086
known_to_apt curl || update_lists
for package in $tool_packages $bench_packages; do
    ! known_to_apt "$package" || need "$package"
done
# DuckDB is not in Debian. Where there is no npm, or its registry does not answer, its test is a listed skip. Debian's npm and that
# of other repositories exclude each other.
command -v npm >/dev/null || ! known_to_apt npm || (need npm) || say "The test of DuckDB is skipped: npm could not be installed."

choose_build_dir "${GAMEWIRE_BUILD_DIR:-build}"
say "Building in $build_dir ..."
configure ci ||
    die "cmake could not configure the build; see above"
build || die "the build failed; see above"

# One test more than there are processors: some wait for a window, an engine or a server.
cd "$build_dir"
ctest --output-on-failure --output-junit results.xml -j $(($(processors) + 1)) "$@" ||
    die "some tests failed; see the list above"
python3 "$source_dir/tests/house/skips.py" "$source_dir" results.xml || die "a test was skipped that should not be"
