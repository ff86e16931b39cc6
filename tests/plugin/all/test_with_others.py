# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What Wireshark says at start when something else is installed, or less: "Messages at start" of installing.md, and what works then."""

import re
import shutil

import pytest

import gamewire_tshark as tshark

CAPTURE = tshark.PCAPS / "enet" / "channels.pcap"
PAGE = (tshark.SOURCE / "plugin" / "docs" / "installing.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("names", ['"enet", "ENet"', '"enet", "ENet LoL UDP Protocol"', '"enet_lua", "ENet"'])
def test_a_lua_dissector_of_enet_is_refused_and_the_plugin_decodes(names):
    """The dissectors of ENet that are published have the filter name "enet", whatever their description is."""
    script = tshark.scratch() / "enet.lua"
    script.write_text(f"local enet = Proto({names})\n", encoding="utf-8")
    done = tshark.run(["-X", f"lua_script:{script}", "-T", "fields", "-e", "frame.protocols"], CAPTURE, check=False)
    reason = re.search(r"Lua: Error during loading.*?Proto_new: (there cannot be two protocols with the same) (description|name)\)",
                       done.stderr, re.DOTALL)
    assert f"{reason[1]} description, or name" in PAGE
    assert {line.split(":udp:")[1].split(":")[0] for line in done.stdout.splitlines()} == {"enet"}


def test_the_profile_without_the_plugin_has_a_message_for_each_rule():
    config = tshark.scratch() / "config without plugin"
    shutil.copytree(tshark.SOURCE / "plugin" / "profile" / "Gamewire", config / "profiles" / "Gamewire")
    empty = tshark.scratch() / "without plugin"
    empty.mkdir()
    done = tshark.run(["-C", "Gamewire", "--color"], CAPTURE, check=False, plugins=empty,
                      env={"WIRESHARK_CONFIG_DIR": str(config)})
    rules = re.findall(r"^@([^@]+)@[^@]*(?:enet|godot|leviathan|squirrel)", (config / "profiles/Gamewire/colorfilters").read_text(
        encoding="utf-8"), re.MULTILINE)
    assert len(rules) > 5
    assert re.findall(r'Could not compile "([^"]+)"', done.stderr) == rules
    assert 'Could not compile "Gamewire: …" in colorfilters file' in PAGE
    assert len(done.stdout.splitlines()) == len(list(tshark.read_pcap(CAPTURE)))


def test_passwords_and_tokens_have_a_filter():
    """That of filters.md and window.md: Wireshark's Credentials does not list them."""
    names = ("godot_remote_fs.password", "leviathan.auth_passwd", "leviathan.auth_token")
    display_filter = " or ".join(names)
    for page in ("filters.md", "window.md"):
        assert f"`{display_filter}`" in (tshark.SOURCE / "plugin" / "docs" / page).read_text(encoding="utf-8")
    capture, _ = tshark.together((tshark.PCAPS / "godot/remote_fs/godot-4.6.3-remote-fs.pcap", tshark.PCAPS / "leviathan/every-message.pcap"))
    rows = tshark.fields(capture, names, "-2", "-Y", display_filter)
    assert [{row[name][0] for row in rows if row[name]} for name in names] == [
        {"cave canem", "wrong"}, {"s3cret", "nul\\0inside"}, {"81985529216486895", "18446744073709551615"}]
