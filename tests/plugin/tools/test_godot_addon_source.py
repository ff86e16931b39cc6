# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The addon's scripts without an engine: they use nothing that Godot 4.3 lacks, which could not read them otherwise and would not say
why. The engine's class reference names the version of each."""

import pytest

import gamewire_tshark as tshark

ADDON = tshark.SOURCE / "plugin" / "tools" / "addons" / "gamewire"
# Since 4.4: FileAccess and DirAccess.create_temp, OS.get_temp_dir (GH-98397), String.is_valid_…_identifier (GH-95984), a direct call of
# Script.get_rpc_config (GH-96024), typed dictionaries. Since 4.5: @abstract.
NEWER_THAN_4_3 = ("create_temp", "get_temp_dir", "is_valid_ascii_identifier", "is_valid_unicode_identifier", ".get_rpc_config(",
                  "Dictionary[", "@abstract")


@pytest.mark.parametrize("script", sorted(ADDON.glob("*.gd")), ids=lambda path: path.name)
def test_godot_4_3_can_read_the_script(script):
    text = script.read_text(encoding="utf-8")
    assert not [name for name in NEWER_THAN_4_3 if name in text]
