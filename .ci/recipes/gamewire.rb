# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For Homebrew, whose Wireshark is without a window: tshark, with the programs. To be built again for each minor version.
class Gamewire < Formula
  desc "Reads the traffic of Godot, ENet, Leviathan and VC:MP games in Wireshark"
  homepage "@URL@"
  url "@URL@/releases/download/v@VERSION@/gamewire-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license all_of: ["GPL-2.0-or-later", "MIT"]

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "glib"
  depends_on "wireshark"
  depends_on "zstd"

  def install
    # The folders of Wireshark's own formula are not to be written to.
    minor = Formula["wireshark"].version.major_minor.to_s.tr(".", "-")
    args = %W[
      -DGAMEWIRE_TESTS=OFF
      -DGAMEWIRE_WERROR=OFF
      -DGAMEWIRE_PLUGIN_INSTALL_DIR=#{lib}/wireshark/plugins/#{minor}/epan
      -DGAMEWIRE_PROFILE_INSTALL_DIR=#{share}/wireshark/profiles
    ]
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build", "--component", "plugin"
    man1.install Dir["plugin/docs/man/*.1"]
  end

  def caveats
    <<~EOS
      Wireshark loads plugins of a user from ~/.local/lib/wireshark/plugins:
        mkdir -p ~/.local/lib/wireshark && cp -R #{opt_lib}/wireshark/plugins ~/.local/lib/wireshark
    EOS
  end

  test do
    assert_path_exists Dir[lib/"wireshark/plugins/*/epan/gamewire.so"].first
  end
end
