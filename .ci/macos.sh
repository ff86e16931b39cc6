#!/bin/sh
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the plugin on macOS with the headers of Homebrew's Wireshark, and makes an archive for users of it. Then the tshark of
# Homebrew, and that of Wireshark.app, load the plugin and decode captures.
#
#   sh .ci/macos.sh
#
# Installs what is missing with brew. Builds in build/macos, where the archive is left; the plugin is left in
# ~/.local/lib/wireshark/plugins.
#
# Has not run yet.

set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd -P)
. "$source_dir/.ci/lib.sh"

folder=$source_dir/build/macos
stage=$folder/stage
rm -rf "$folder"
mkdir -p "$folder/image"
# The runners of GitHub may have a CMake of another origin, which brew does not replace.
command -v cmake >/dev/null || brew install cmake
brew install glib ninja pkgconf wireshark zstd

version=$("$(brew --prefix wireshark)/bin/tshark" --version | sed -n '1s/^TShark (Wireshark) \([0-9.]*[0-9]\).*/\1/p')
minor=${version%.*}
[ -n "$version" ] || die "Homebrew's tshark does not say its version"

# The plugin is not linked with Wireshark's libraries and GLib, which are at different places in Homebrew and in Wireshark.app:
# their names are looked up in the program that loads it.
cat >"$folder/WiresharkConfig.cmake" <<FILE
set(Wireshark_MAJOR_VERSION ${version%%.*})
set(Wireshark_MINOR_VERSION ${minor#*.})
set(Wireshark_PATCH_VERSION ${version##*.})
set(Wireshark_INSTALL_PREFIX "$(brew --prefix wireshark)")
set(Wireshark_PLUGIN_INSTALL_DIR "$(brew --prefix wireshark)/lib/wireshark/plugins/${minor%.*}-${minor#*.}")
find_package(PkgConfig REQUIRED)
pkg_check_modules(GLIB REQUIRED glib-2.0)
add_library(epan INTERFACE IMPORTED)
target_include_directories(epan INTERFACE "$(brew --prefix wireshark)/include/wireshark" \${GLIB_INCLUDE_DIRS})
target_link_options(epan INTERFACE "SHELL:-undefined dynamic_lookup")
FILE
# No GLib functions newer than the GLib in Wireshark.app, and no newer macOS than it requires: Homebrew's are the newest.
glib='-DGLIB_VERSION_MIN_REQUIRED=GLIB_VERSION_2_72 -DGLIB_VERSION_MAX_ALLOWED=GLIB_VERSION_2_72'
cmake -G Ninja -S "$source_dir" -B "$folder/build" -D CMAKE_BUILD_TYPE=RelWithDebInfo -D Wireshark_DIR="$folder" \
    -D CMAKE_C_FLAGS="$glib" -D CMAKE_OSX_DEPLOYMENT_TARGET=11.0 -D pkgcfg_lib_ZSTD_zstd="$(brew --prefix zstd)/lib/libzstd.a"
cmake --build "$folder/build" --target gamewire
mkdir -p "$stage/plugins"
cp -R "$folder/build/plugins/${minor%.*}-${minor#*.}" "$stage/plugins"
otool -L "$stage/plugins"/*/epan/gamewire.so
gamewire=$(project_version)
bring_charts "$folder/charts"
copy_common "$stage" "$folder/charts" "$gamewire"
cp "$source_dir/.ci/archive/install.sh" "$stage"
sh "$stage/install.sh"
sh "$source_dir/.ci/decode.sh" "$(brew --prefix wireshark)/bin/tshark"

# Not installed: Homebrew has either its own Wireshark or Wireshark.app.
brew fetch --cask wireshark-app
hdiutil attach -nobrowse -readonly -mountpoint "$folder/image" "$(brew --cache --cask wireshark-app)"
tshark=$folder/image/Wireshark.app/Contents/MacOS/tshark
case $("$tshark" --version | sed -n 1p) in
*" $minor."*) sh "$source_dir/.ci/decode.sh" "$tshark" ;;
*) say "Wireshark.app is of another version: not tested with it" ;;
esac
hdiutil detach "$folder/image"

readme "macOS ($(uname -m))" "$gamewire" "run in the Terminal: sh install.sh" "~/.local/lib/wireshark and ~/.config/wireshark." "sh install.sh --remove" \
    >"$stage/README.txt"
license_texts >"$stage/LICENSE.txt"
python3 "$source_dir/.ci/zip.py" "$folder/gamewire-$gamewire-macos-$(uname -m).zip" "$stage" \
    "$(git -C "$source_dir" log -1 --format=%ct)"
