#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs those of Wireshark's own source checks that work outside its tree on the plugin.
#
#   sh tests/static/wireshark-checks.sh [PLUGIN]
#
# $WIRESHARK_SOURCE is the top of Wireshark's sources, such as `apt-get source wireshark` unpacks. Exit status 77
# without it.

set -eu
plugin=$(cd "${1:-$(dirname "$0")/../../plugin}" && pwd -P)
tools=${WIRESHARK_SOURCE:-/usr/src/wireshark}/tools
[ -f "$tools/checkAPIs.pl" ] || {
    echo "no Wireshark sources in ${tools%/tools}: set WIRESHARK_SOURCE to run their checks" >&2
    exit 77
}

status=0
# check NAME COMMAND...
check() {
    name=$1
    shift
    echo "== $name"
    "$@" || status=1
}

# Their status is always 0; what they find are the lines that begin so. A local `hf` may be another field each
# time that it is used.
without_warnings() {
    ! "$@" 2>&1 | grep -E '^(Warning|Error)' | grep -v ' hf called consecutively '
}

# The .c files of the plugin; its headers have nothing that these look at. No name of ours has a blank in it.
files=$(find "$plugin" -name '*.c' | sort)
[ "$(echo "$files" | wc -l)" -ge 10 ] || {
    echo "found only these files in $plugin: $files" >&2
    exit 1
}
# shellcheck disable=SC2086  # a list of names
{
    check checkAPIs perl "$tools/checkAPIs.pl" -g dissectors-prohibited -g dissectors-restricted $files
    check checkhf perl "$tools/checkhf.pl" $files
    check checkfiltername perl "$tools/checkfiltername.pl" $files
    check fix-encoding-args perl "$tools/fix-encoding-args.pl" $files
}
for file in $files; do
    check "check_typed_item_calls ${file##*/}" without_warnings \
        python3 "$tools/check_typed_item_calls.py" --mask --label --consecutive --missing-items --file "$file"
done
exit "$status"
