#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: generate.sh PROJECT: writes the scripts that consist of many similar lines.

set -eu

{
    cat <<EOT
# Written by generate.sh.
extends Node

const Log := preload("res://log.gd")
EOT
    for number in $(seq 0 299); do
        name=$(printf 'method_%03d' "$number")
        printf '\n\n@rpc("any_peer")\nfunc %s(value) -> void:\n\tLog.received(self, "%s", [value])\n' "$name" "$name"
    done
} >"$1/many.gd"
