#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a release of what is committed: version, changelog, tag, source archive, packages, checksums.
#
#   sh .ci/release.sh [--no-packages] VERSION        such as 0.2.0, without a v
#
# Changes CMakeLists.txt and CHANGELOG.md, commits them and makes the tag vVERSION; nothing is pushed. The archive, the Debian
# packages for this system's Wireshark, and SHA256SUMS are left in build/release/VERSION. Tests are not run: do that before.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

packages=yes
case ${1:-} in
-h | --help)
    sed -n '5,10s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
--no-packages)
    packages=no
    shift
    ;;
esac
version=${1:?"which version? see --help"}
cd "$source_dir"

# ---- may it be? ----------------------------------------------------------------------------------

echo "$version" | grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$' || die "not of the form 1.2.3: $version"
present=$(sed -n 's/^    VERSION \([0-9.]*\)$/\1/p' CMakeLists.txt)
newest=$(printf '%s\n%s\n' "$present" "$version" | sort -V | tail -n 1)
[ "$version" != "$present" ] && [ "$newest" = "$version" ] || die "$version is not after $present, the version in CMakeLists.txt"
[ -z "$(git status --porcelain)" ] || die "there are changes that are not committed"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || die "the tag v$version exists"
awk '/^## \[Unreleased\]/ { here = 1; next } /^## / { here = 0 } here && /^- / { found = 1 } END { exit !found }' CHANGELOG.md ||
    die "CHANGELOG.md has nothing under Unreleased"

# ---- version, changelog, tag ---------------------------------------------------------------------

sed -i "s/^    VERSION $present\$/    VERSION $version/" CMakeLists.txt
sed -i "s/^## \[Unreleased\]\$/&\n\n## [$version] - $(date -u +%Y-%m-%d)/" CHANGELOG.md
git commit -q -m "Release $version" CMakeLists.txt CHANGELOG.md
git tag -a -m "Gamewire $version" "v$version"

# ---- archive, packages, checksums ----------------------------------------------------------------

folder=$source_dir/build/release/$version
mkdir -p "$folder"
git archive --format=tar.gz --prefix="gamewire-$version/" -o "$folder/gamewire-$version.tar.gz" "v$version"
if [ $packages = yes ]; then
    # shellcheck disable=SC2086  # a list of names
    need $plugin_packages dpkg-dev file
    build_dir=$folder/build
    mkdir -p "$build_dir"
    { configure plugin -D GAMEWIRE_SHARED=ON && build && (cd "$build_dir" && cpack); } >"$folder/build.log" 2>&1 ||
        die "the packages were not made; see $folder/build.log"
    mv "$build_dir"/*.deb "$folder"
    rm -rf "$build_dir" "$folder/build.log"
fi
(cd "$folder" && sha256sum -- * >SHA256SUMS)
say "Made $folder. To publish: git push origin HEAD v$version, and these files:"
ls "$folder"
