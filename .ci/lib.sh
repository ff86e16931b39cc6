# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# What the scripts of this project share: messages, packages, builds. To be sourced; $source_dir is the top of the
# source tree.

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "error: $*"
    exit 1
}

# ---- packages ------------------------------------------------------------------------------------

# What the plugin is built with, and what its tests and the codecs' need besides; Debian's names.
# shellcheck disable=SC2034  # for those who source this
plugin_packages='gcc libc6-dev cmake ninja-build pkg-config libzstd-dev zlib1g-dev wireshark-dev libwireshark-dev libglib2.0-dev tshark util-linux'
# shellcheck disable=SC2034
tool_packages='chromium chromium-driver clickhouse-server curl godot jq libjs-dygraphs'
# What the bench compares with; msgpack-c has two names.
# shellcheck disable=SC2034
bench_packages='valgrind libcbor-dev libmsgpack-dev libmsgpack-c-dev libmsgpuck-dev godot3-server'
# shellcheck disable=SC2034
test_packages='libcmocka-dev libenet-dev libpcap-dev python3 python3-pytest locales'
# A screen in memory, a window manager, and what names windows, menus and tables: for the tests in Wireshark's window.
# shellcheck disable=SC2034
window_packages='wireshark xvfb xdotool openbox dbus-daemon dbus-bin at-spi2-core python3-gi gir1.2-atspi-2.0 python3-pytest-rerunfailures'

installed() {
    case $(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null) in
    ii*) return 0 ;;
    *) return 1 ;;
    esac
}

# as_root COMMAND...: as this user where that is root, else through sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# All of apt-get's output when it fails. Not interactive: wireshark-common would ask whether users may capture.
apt_get() {
    apt_log=$(mktemp)
    apt_status=0
    as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
        apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >"$apt_log" 2>&1 || apt_status=$?
    [ "$apt_status" -eq 0 ] || cat "$apt_log" >&2
    rm -f "$apt_log"
    return "$apt_status"
}

apt_install() {
    apt_get install --no-install-recommends "$@"
}

# Debian's images come without package lists, and old lists name packages that the mirrors no longer have.
known_to_apt() {
    for package in "$@"; do
        case $(apt-cache policy "$package" 2>/dev/null) in
        *'Candidate: (none)'* | '') return 1 ;;
        esac
    done
}

update_lists() {
    say "Fetching the package lists ..."
    apt_get update || die "apt-get update failed; see above"
}

# need PACKAGE...: installs those that are missing, and says so first.
need() {
    if ! command -v dpkg-query >/dev/null; then
        say "This is no Debian system: the packages that Debian calls '$*' (or their like) must be there."
        return
    fi
    missing=
    for package in "$@"; do
        installed "$package" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0

    say "Missing packages:$missing"
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        die "neither root nor sudo is here to install them; as root, run: apt-get install$missing"
    fi
    say "Installing them with apt-get; on a bare system this takes some minutes ..."
    # shellcheck disable=SC2086  # a list of names
    {
        known_to_apt $missing || update_lists
        apt_install $missing || { update_lists && apt_install $missing; } ||
            die "could not install:$missing"
    }
}

# ---- building ------------------------------------------------------------------------------------

# may_build_in FOLDER: it is ours, or can be made. A folder that another user built in is left alone: files of
# two owners in one build folder end in errors for one of them.
may_build_in() {
    if [ -e "$1" ]; then
        [ -d "$1" ] && [ -O "$1" ] && [ -w "$1" ]
    else
        mkdir -p "$1" 2>/dev/null
    fi
}

# is_private FOLDER: a folder, no link to one, that belongs to this user and that no other user can enter. Other users can make
# folders and links in the temporary folder, but not replace what is there.
is_private() {
    # shellcheck disable=SC2012  # POSIX has no other program that prints a mode
    ! [ -h "$1" ] && case $(ls -ldn "$1" 2>/dev/null | awk '{ print $1, $3 }') in
    "drwx------ $(id -u)" | "drwx------. $(id -u)" | "drwx------@ $(id -u)") return 0 ;;
    *) return 1 ;;
    esac
}

# private_folder NAME: sets $private to a folder below the temporary one: to NAME, which a later run finds again, or where another
# user was faster, to a new one.
private_folder() {
    private=${TMPDIR:-/tmp}/$1
    mkdir -m 700 "$private" 2>/dev/null || is_private "$private" || private=$(mktemp -d "$private.XXXXXX")
}

# choose_build_dir FOLDER: sets $build_dir to FOLDER, below the source tree unless absolute, or where that
# cannot be used and was not asked for by name, to one below the temporary folder.
choose_build_dir() {
    case $1 in
    /*) build_dir=$1 ;;
    *) build_dir=$source_dir/$1 ;;
    esac
    ! may_build_in "$build_dir" || return 0
    [ -z "${GAMEWIRE_BUILD_DIR:-}" ] || die "cannot build in $build_dir: not a folder that this user owns"

    refused=$build_dir
    private_folder "gamewire-$(id -u)-$(printf '%s' "$refused" | cksum | cut -d ' ' -f 1)" ||
        die "can build neither in $refused nor below ${TMPDIR:-/tmp}"
    build_dir=$private
    say "Building in $build_dir, because $refused cannot be written to or is another user's."
}

# A build folder remembers where the sources were; after a move it is of no use.
forget_moved_sources() {
    cache=$build_dir/CMakeCache.txt
    [ -f "$cache" ] || return 0
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$source_dir" "$cache" &&
        grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$build_dir" "$cache" && return 0
    rm -rf "$cache" "$build_dir/CMakeFiles"
}

processors() {
    nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1
}

# An earlier run of cmake without a preset may have chosen another generator than the presets.
forget_other_generators() {
    cache=$build_dir/CMakeCache.txt
    [ -f "$cache" ] || return 0
    grep -qxF "CMAKE_GENERATOR:INTERNAL=Ninja" "$cache" || rm -rf "$cache" "$build_dir/CMakeFiles"
}

# configure PRESET [OPTION...]: runs cmake with one of CMakePresets.json for $build_dir.
configure() {
    forget_moved_sources
    forget_other_generators
    preset=$1
    shift
    cmake -S "$source_dir" --preset "$preset" -B "$build_dir" "$@"
}

build() {
    cmake --build "$build_dir" --parallel "$(processors)"
}

# has_known_hash FILE: it has the hash that hashes.txt lists for its name, of SHA-512 if that is long enough.
has_known_hash() {
    known=$(awk -v name="${1##*/}" '$2 == name { print $1 }' "$source_dir/.ci/hashes.txt")
    case ${#known} in
    64) hash=$(sha256sum <"$1") ;;
    128) hash=$(sha512sum <"$1") ;;
    *) return 1 ;;
    esac
    [ "${hash%% *}" = "$known" ]
}

# ---- archives ------------------------------------------------------------------------------------

# Such as 0.4.0, and 0.4.0-dev between releases.
project_version() {
    sed -n '/^    VERSION /{s///;h;};/^set(GAMEWIRE_STAGE "\(.*\)")$/{s//\1/;H;x;s/\n//p;}' "$source_dir/CMakeLists.txt"
}

# Of the repository, such as https://github.com/OWNER/NAME; nothing where it is not known, which is everywhere but in hosted CI.
project_address() {
    [ -z "${GITHUB_SERVER_URL:-}" ] || [ -z "${GITHUB_REPOSITORY:-}" ] || echo "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"
}

# add_address SOURCE: what a Debian package says of the address: the field Homepage, and debian/watch for uscan.
add_address() {
    [ -n "$(project_address)" ] || return 0
    sed -i "s|^Standards-Version: .*|&\nHomepage: $(project_address)|" "$1/debian/control"
    sed "s|@URL@|$(project_address)|g" "$source_dir/.ci/recipes/watch" >"$1/debian/watch"
}

# bring_charts FOLDER: puts the chart library of gamewire-report there.
bring_charts() {
    ! command -v dpkg-query >/dev/null || need libjs-dygraphs
    python3 "$source_dir/.ci/charts.py" "$1" || die "the chart library could not be fetched"
}

# copy_tools FOLDER CHARTS VERSION: the programs for an archive, the chart library, and Godot's addon.
copy_tools() {
    mkdir -p "$1/tools/gamewire_tools"
    for tool in elastic.py gamewire-messages gamewire-report; do
        cp "$source_dir/plugin/tools/$tool" "$1/tools"
    done
    for tool in "$source_dir"/plugin/tools/gamewire_tools/*.*; do
        cp "$tool" "$1/tools/gamewire_tools"
    done
    echo "$3" >"$1/tools/gamewire_tools/version.txt"
    cp -r "$2" "$1/tools/charts"
    cp -r "$source_dir/plugin/tools/addons" "$1"
}

# copy_common FOLDER CHARTS VERSION: what the archive of each system has besides the plugin: profile, packs, captures, programs, addon.
copy_common() {
    mkdir -p "$1/profiles"
    cp -R "$source_dir/plugin/profile/Gamewire" "$1/profiles"
    mkdir -p "$1/packs"
    cp "$source_dir"/plugin/packs/*.* "$1/packs"
    copy_captures "$1"
    copy_tools "$1" "$2" "$3"
}

# copy_captures FOLDER: in the folder that the pages name. The records of the senders are for the tests only.
copy_captures() {
    git -C "$source_dir" archive HEAD pcaps ':!pcaps/*/records/*' | tar -x -C "$1"
}

# readme SYSTEM VERSION INSTALL PLACE REMOVE: ten lines for users of the archive in $stage.
readme() {
    cat <<FILE
Gamewire $2 for Wireshark on $1: decodes the traffic of Godot, ENet, Leviathan and VC:MP games.
Install: close Wireshark and $3; no administrator's rights are needed. The next Wireshark has the plugin and its profile.
The folders "plugins" and "profiles", and the scripts in "packs", are copied into $4
Help > About Wireshark > Plugins lists gamewire, $2. It loads into these versions of Wireshark: $(versions_in "$stage").
After an update of Wireshark to another version, such as 4.8, install the release of Gamewire for it.
Remove: $5
"pcaps" has captures to try, "tools" programs for Python 3 (a report about a capture, messages as JSON), "addons" the addon for Godot 4, "packs" scripts for addons such as netfox.
Documents, and the source, gamewire-$2.tar.gz: where this archive is from; begin with plugin/docs/installing.md.
License: GPL-2.0-or-later, see LICENSE.txt. tools/charts is dygraphs, under the MIT license in it.
The plugin contains the decoder of Zstandard (https://facebook.github.io/zstd), under its GPL-2.0 option, and uses zlib (https://zlib.net).
FILE
}

# versions_in FOLDER: of Wireshark, for which the archive has a plugin: "4.4, 4.6".
versions_in() {
    for versions_folder in "$1"/plugins/*; do
        echo "${versions_folder##*/}"
    done | tr - . | paste -sd , - | sed 's/,/, /g'
}

# license_texts: LICENSE and the texts that apply to the plugin, which contains the codecs.
license_texts() {
    for text in LICENSE LICENSES/GPL-2.0-or-later.txt LICENSES/MIT.txt; do
        cat "$source_dir/$text"
        echo
    done
}

# ---- chroots -------------------------------------------------------------------------------------

# bootstrap SUITE ROOT [OPTION...]: runs mmdebstrap for a Debian release with these options, once. Packages are of the release
# itself, without its updates: so binary and source packages have the same version, and every mirror has both.
bootstrap() {
    bootstrap_suite=$1
    bootstrap_root=$2
    shift 2
    [ ! -e "$bootstrap_root/.complete" ] || return 0
    bootstrap_sources=$(bash "$source_dir/tests/debian-chroot.sh" --sources "$bootstrap_suite" |
        awk -v suite="$bootstrap_suite" '$3 == suite { print; sub(/^deb /, "deb-src "); print }')
    [ -n "$bootstrap_sources" ] || {
        say "no Debian repository for $bootstrap_suite"
        return 1
    }
    bootstrap_valid=
    eval "$(apt-config shell bootstrap_valid Acquire::Check-Valid-Until)"
    bootstrap_started=$(date +%s)
    say "Making $bootstrap_root from Debian's $bootstrap_suite; this takes some minutes ..."
    rm -rf --one-file-system "$bootstrap_root"
    printf '%s\n' "$bootstrap_sources" |
        mmdebstrap --mode=root --aptopt='APT::Install-Recommends "false"' \
            ${bootstrap_valid:+--aptopt="Acquire::Check-Valid-Until \"$bootstrap_valid\""} "$@" \
            "$bootstrap_suite" "$bootstrap_root" - >"$bootstrap_root.log" 2>&1 || {
        say "mmdebstrap failed; see $bootstrap_root.log"
        return 1
    }
    touch "$bootstrap_root/.complete"
    say "Made in $(($(date +%s) - bootstrap_started)) s."
}

# make_chroot SUITE ROOT PACKAGES SOURCES [OPTION]: makes a chroot, once, with these packages (separated by commas) and with the
# source packages SOURCES (separated by spaces) in /opt/PACKAGE.
make_chroot() {
    # shellcheck disable=SC2016  # $1 is mmdebstrap's
    bootstrap "$1" "$2" --variant=apt --include="$3" ${5:+"$5"} \
        --customize-hook='chroot "$1" sh -s '"$1 $4"' <"'"$source_dir"'/.ci/sources.sh"'
}

# in_chroot ROOT PLACE COMMAND...: runs it in the chroot with this tree, read-only, at PLACE and $folder at /build, as the
# only process tree there. PATH, HOME and LC_ALL are set, nothing else.
in_chroot() {
    # shellcheck disable=SC2016,SC2154  # the inner shell expands; the script that sources this sets $folder
    SRC=$source_dir BUILD=$folder ROOT=$1 PLACE=$2 unshare --mount --pid --fork --kill-child --propagation private sh -euc '
        shift 2
        mkdir -p "$ROOT$PLACE" "$ROOT/build"
        mount --bind "$SRC" "$ROOT$PLACE"
        mount -o remount,bind,ro "$ROOT$PLACE"
        mount --bind "$BUILD" "$ROOT/build"
        mount --rbind /dev "$ROOT/dev"
        mount -t proc proc "$ROOT/proc"
        exec chroot "$ROOT" /usr/bin/env -i PATH=/usr/lib/wine:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"' \
        sh "$@"
}
