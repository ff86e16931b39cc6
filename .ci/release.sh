#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a release of what is committed: version, changelog, tag, and the files that users download. Then it opens the next version.
#
#   sh .ci/release.sh [OPTION...] [VERSION]      by default the version in CMakeLists.txt without -dev, such as 0.4.0
#
#   --next VERSION   the version to open; by default the next minor one, such as 0.5.0
#   --no-windows     without gamewire.dll, which tests/windows.sh builds (root)
#   --no-packages    without the Debian packages, which tests/packages.sh builds and installs on fresh systems (root)
#   --macos FILE     with an archive that .ci/macos.sh made; can be repeated
#   --tagged         without the tag, which is there and checked out, as after an error in the files
#
# Changes CMakeLists.txt, CHANGELOG.md and debian/, commits them, makes the tag vVERSION and then the files; a second commit sets the next
# version with -dev, so that no other commit has the version of a release. Nothing is pushed. The files, their checksums and
# NOTES.md, the text of the release, are left in build/release/VERSION. Run the tests before: this script does not.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

windows=yes
packages=yes
tagged=no
macos=
next=
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        sed -n '5,18s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    --no-windows) windows=no ;;
    --no-packages) packages=no ;;
    --macos)
        [ -s "${2:-}" ] || die "no such file: ${2:-}"
        macos="$macos $(realpath "$2")"
        shift
        ;;
    --tagged) tagged=yes ;;
    --next)
        next=${2:-}
        shift
        ;;
    -*) die "unknown option: $1 (try --help)" ;;
    *) break ;;
    esac
    shift
done
cd "$source_dir"
present=$(project_version)
version=${1:-${present%-dev}}

# ---- checks, version, changelog, tag ---------------------------------------------------------------

# check_form VERSION
check_form() {
    echo "$1" | grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$' || die "not of the form 1.2.3: $1"
}

# check_after VERSION BEFORE WHAT
check_after() {
    newest=$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -n 1)
    if [ "$1" = "$2" ] || [ "$newest" != "$1" ]; then
        die "$1 is not after $2, $3"
    fi
}

check_form "$version"
if [ -z "$next" ]; then
    minor=${version#*.}
    next=${version%%.*}.$((${minor%.*} + 1)).0
fi
check_form "$next"
check_after "$next" "$version" "the version of the release"
[ -z "$(git status --porcelain)" ] || die "there are changes that are not committed"

# set_version VERSION STAGE: here and for Debian, whose package of the shared libraries is named after the minor version. UNRELEASED is
# what Debian's tools call packages that are not to be published: those of a stage.
set_version() {
    library=libgamewire${1%.*}
    for file in debian/libgamewire[0-9]*; do
        named=debian/$library.${file##*.}
        [ "$file" = "$named" ] || git mv "$file" "$named"
    done
    sed -i "s/libgamewire[0-9][0-9.]*/$library/g" debian/control debian/$library.lintian-overrides
    debian_version=$1$(echo "$2" | tr - '~')-1
    distribution=${2:+UNRELEASED}
    sed -i -e "1s/(.*) [A-Za-z]*;/($debian_version) ${distribution:-unstable};/" \
        -e "s/^\( -- .*>  \).*/\1$(date -u '+%a, %d %b %Y %T +0000')/" debian/changelog
    sed -i -e "s/^    VERSION [0-9.]*\$/    VERSION $1/" -e "s/^set(GAMEWIRE_STAGE \".*\")\$/set(GAMEWIRE_STAGE \"$2\")/" CMakeLists.txt
}

tag_version() {
    case $present in
    *-dev) [ "$version" = "${present%-dev}" ] || check_after "$version" "${present%-dev}" "the version in CMakeLists.txt" ;;
    *) die "CMakeLists.txt has the version $present: without -dev, it is a release. To make its files again, use --tagged" ;;
    esac
    ! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || die "the tag v$version exists"
    section_of Unreleased | grep -q '^- ' || die "CHANGELOG.md has nothing under Unreleased"
    set_version "$version" ""
    sed -i "s/^## \[Unreleased\]\$/&\n\n## [$version] - $(date -u +%Y-%m-%d)/" CHANGELOG.md
    git commit -q -a -m "Release $version"
    git tag -a -m "Gamewire $version" "v$version"
}

# section_of NAME: the text of the changelog below ## [NAME].
section_of() {
    awk -v head="## [$1]" 'index($0, head) == 1 { here = 1; next } /^## / { here = 0 } here' CHANGELOG.md
}

if [ $tagged = no ]; then
    tag_version
    trap '[ $? -eq 0 ] || say "v$version is tagged, but its files are not all made: go on here with --tagged and the same options"' EXIT
elif [ "$present" != "$version" ] || [ "$(git rev-parse HEAD)" != "$(git rev-parse -q --verify "refs/tags/v$version^{commit}")" ]; then
    die "v$version is not checked out, or the version in CMakeLists.txt, $present, is another"
fi

# ---- files -----------------------------------------------------------------------------------------

folder=$source_dir/build/release/$version
stage=$source_dir/build/release/stage
rm -rf "$folder" "$stage" "$stage".*
mkdir -p "$folder" "$stage"
committed=$(git log -1 --format=%ct "v$version")

# list FILE WHAT: a line of the notes.
list() {
    printf '%s\n' "- $2: \`$1\`" >>"$stage.list"
}

# pack NAME WHAT: makes an archive of the staged files, and empties the stage.
pack() {
    python3 "$source_dir/.ci/zip.py" "$folder/$1" "$stage" "$committed"
    list "$1" "$2"
    rm -rf "$stage"
    mkdir "$stage"
}

# As Windows ends lines.
with_crlf() {
    sed 's/$/\r/'
}

make_windows() {
    sh tests/windows.sh --plugin
    for wireshark in 4.4 4.6; do
        dll=${GAMEWIRE_WINDOWS_DIR:-$source_dir/build/windows}/$wireshark/gamewire.dll
        [ -s "$dll" ] || die "tests/windows.sh did not make $dll"
        mkdir -p "$stage/plugins/$wireshark/epan"
        cp "$dll" "$stage/plugins/$wireshark/epan"
    done
    copy_common "$stage" "$charts" "$version"
    with_crlf <.ci/archive/install.cmd >"$stage/install.cmd"
    readme Windows "$version" "double-click install.cmd" "%APPDATA%\\Wireshark." "install.cmd /remove" | with_crlf >"$stage/README.txt"
    license_texts | with_crlf >"$stage/LICENSE.txt"
    pack "gamewire-$version-windows-x64.zip" "Windows x64, Wireshark 4.4 and 4.6"
}

# The plugins of the Debian packages, for other systems with the same minor versions of Wireshark. tests/house/package.py checks which C
# library they need.
make_linux() {
    for suite in bookworm trixie sid; do
        set -- "${GAMEWIRE_PACKAGES_DIR:-$source_dir/build/packages}/$suite"/gamewire-wireshark_*.deb
        dpkg-deb -x "$1" "$stage.package"
        for plugin in "$stage.package"/usr/lib/*/wireshark/plugins/*/epan/gamewire.so; do
            [ -s "$plugin" ] || die "no plugin in $1"
            wireshark=${plugin%/epan/gamewire.so}
            mkdir -p "$stage/plugins/${wireshark##*/}/epan"
            cp "$plugin" "$stage/plugins/${wireshark##*/}/epan"
        done
        rm -r "$stage.package"
    done
    copy_common "$stage" "$charts" "$version"
    cp .ci/archive/install.sh "$stage"
    readme Linux "$version" "run: sh install.sh" "~/.local/lib/wireshark and ~/.config/wireshark." "sh install.sh --remove" >"$stage/README.txt"
    license_texts >"$stage/LICENSE.txt"
    pack "gamewire-$version-linux-$(dpkg --print-architecture).zip" "Linux, Wireshark 4.0, 4.4 and 4.6"
}

# Of one name on all suites, for which the files here have the suite in their names. tests/packages.sh installs two of them on Ubuntu,
# too, which has the same Wireshark.
make_packages() {
    sh tests/packages.sh
    for suite in bookworm trixie sid; do
        case $suite in
        trixie) systems="Debian trixie and Ubuntu 25.10" ;;
        sid) systems="Debian sid and Ubuntu 26.04" ;;
        *) systems="Debian $suite" ;;
        esac
        for package in "${GAMEWIRE_PACKAGES_DIR:-$source_dir/build/packages}/$suite"/*.deb; do
            name=${package##*/}
            file=${name%_*}_${suite}_${name##*_}
            cp "$package" "$folder/$file"
            case $name in
            libgamewire-dev_*) list "$file" "$systems; the codecs for C programs" ;;
            libgamewire*) list "$file" "$systems; the codecs' shared libraries" ;;
            *) list "$file" "$systems; the plugin" ;;
            esac
        done
    done
}

charts=$source_dir/build/release/charts
bring_charts "$charts"
[ $windows = no ] || make_windows
# .ci/macos.sh makes its archive only if Homebrew's tshark has loaded the plugin and decoded captures.
for file in $macos; do
    cp "$file" "$folder"
    list "${file##*/}" "macOS, tested with Homebrew's tshark, not in Wireshark's window"
done
[ $packages = no ] || {
    make_packages
    make_linux
}

cp -r plugin/profile/Gamewire "$stage"
pack "gamewire-profile-$version.zip" "the profile, for any system"
copy_captures "$stage"
pack "gamewire-captures-$version.zip" "sample captures"
git archive --format=tar.gz --prefix="gamewire-$version/" -o "$folder/gamewire-$version.tar.gz" "v$version"
list "gamewire-$version.tar.gz" "the source"

# Recipes of package collections, which name the address of the release.
address=$(project_address)
if [ -n "$address" ]; then
    sum=$(sha256sum <"$folder/gamewire-$version.tar.gz")
    for recipe in PKGBUILD gamewire.rb; do
        sed "s|@VERSION@|$version|g; s|@URL@|$address|g; s|@SHA256@|${sum%% *}|g" ".ci/recipes/$recipe" >"$folder/$recipe"
    done
    list PKGBUILD "the recipe for Arch Linux"
    list gamewire.rb "the recipe for Homebrew"
fi

(cd "$folder" && sha256sum -- * >"$stage.sums")
mv "$stage.sums" "$folder/SHA256SUMS"

# unwrapped: each paragraph and list item in one line, because GitHub shows the line ends of a release's text.
unwrapped() {
    awk '
        function flush() { if (line != "") print line; line = "" }
        /^ *```/ { flush(); print; code = !code; next }
        code || /^$/ || /^[#|]/ { flush(); print; next }
        /^ *([-*]|[0-9]+\.) / { flush() }
        line != "" { sub(/^ */, " "); line = line $0; next }
        { line = $0 }
        END { flush() }'
}

# linked: links relative to the tree go to that of the tag on GitHub. Elsewhere they are removed.
linked() {
    link='\[([^]]*)\]\(([^):#][^):]*)\)'
    if [ -n "$address" ]; then
        sed -E "s|$link|[\1]($address/blob/v$version/\2)|g"
    else
        sed -E "s|$link|\1|g"
    fi
}

{
    section_of "$version" | sed '1{/^$/d}' | unwrapped
    printf '### Files\n\n'
    cat "$stage.list"
    page=plugin/docs/installing.md
    printf '\n%s\n' "[$page]($page) has the steps for each system. SHA256SUMS has the checksums of all files."
} | linked >"$folder/NOTES.md"
rm -r "$stage" "$stage.list"

# Only on a branch: hosted CI checks out the tag alone.
if git symbolic-ref -q HEAD >/dev/null; then
    set_version "$next" -dev
    git commit -q -a -m "Open $next"
fi
say "Made $folder. To publish, push the commits and the tag (git push origin HEAD v$version) and upload these files; on GitHub,
.github/workflows/release.yml makes them again from the tag, for a draft:"
ls "$folder"
