#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fuzzes the plugin in tshark with mutated captures, half of the time as it is and half with the sanitizers.
#
#   sh tests/fire/run.sh [MINUTES [SEED]]
#
# Ten minutes by default. Before that, with both builds, the torture set, the captures of other protocols, the leak
# check, and 10,000,000 random payloads (or $GAMEWIRE_RANDOM_PAYLOADS) in tshark. Builds in build/ and
# build/sanitizers, or in $GAMEWIRE_BUILD_DIR and $GAMEWIRE_BUILD_DIR/sanitizers; captures that something was
# wrong with are kept there, in fire-findings/.

set -eu
source_dir=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$source_dir/.ci/lib.sh"

case ${1:-} in
-h | --help)
    sed -n '5,12s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
minutes=${1:-10}
seed=${2:-1}

# shellcheck disable=SC2086  # lists of names
need $plugin_packages $test_packages wireshark-common

choose_build_dir "${GAMEWIRE_BUILD_DIR:-build}"
python=$(command -v /usr/bin/python3 || command -v python3)
status=0

# prepare FOLDER PRESET: builds there, and sets the build for the following runs.
prepare() {
    build_dir=$1
    shift
    say "Building in $build_dir ..."
    configure "$@" || die "cmake could not configure; see above"
    cmake --build "$build_dir" --parallel "$(processors)" --target gamewire random_payloads ||
        die "the build failed; see above"
    export PYTHONPATH="$source_dir/tests/support"
    export GAMEWIRE_BUILD="$build_dir" GAMEWIRE_PLUGIN_DIR="$build_dir/plugins" PYTHONDONTWRITEBYTECODE=1
}

attack() {
    "$python" -m pytest -q -p no:cacheprovider -s "$source_dir/tests/fire" "$source_dir/tests/strangers" ||
        status=1
    "$python" "$source_dir/tests/fire/fire.py" "$(echo "$minutes" | awk '{ print $1 / 2 }')" "$seed" \
        "$build_dir/fire-findings" || status=1
}

plain=$build_dir
prepare "$plain" ci
export GAMEWIRE_RANDOM_PAYLOADS="${GAMEWIRE_RANDOM_PAYLOADS:-10000000}"
attack

unset GAMEWIRE_RANDOM_PAYLOADS
prepare "$plain/sanitizers" sanitizers
GAMEWIRE_PRELOAD=$(realpath "$(gcc -print-file-name=libasan.so)")
export GAMEWIRE_PRELOAD
attack
exit "$status"
