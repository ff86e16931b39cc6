# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""All packs together take nothing of other protocols, and nothing of captures without what they decode."""

import os
import subprocess
import sys

import pytest

import gamewire_tshark as tshark
from plugin.packs.packs import PACKS, needs_lua, pack

pytestmark = needs_lua

NAMES = sorted(path.stem for path in PACKS.glob("*.lua"))
ALL = tuple(option for name in NAMES for option in pack(name))
ANY = " || ".join(NAMES)


def test_no_packet_of_other_protocols_is_taken(tmp_path):
    path = tmp_path / "others.pcap"
    strangers = tshark.SOURCE / "tests" / "strangers"
    subprocess.run([sys.executable, str(strangers / "corpus.py"), str(path)], check=True,
                   env={**os.environ, "PYTHONPATH": str(tshark.SOURCE / "tests" / "support")})
    assert not tshark.fields(path, ["frame.protocols"], *ALL, "-Y", ANY)


@pytest.mark.parametrize("folder", ["enet", "godot/multiplayer", "godot/stream", "leviathan", "squirrel"])
def test_no_packet_of_the_captures_is_taken(folder):
    taken = tshark.fields(tshark.captures_of(folder), ["vcmp.message", "frame.protocols"], *ALL, "-Y", ANY)
    # Of the malformed messages on VC:MP's port, one has an id without a script.
    assert all(packet["vcmp.message"] for packet in taken) if folder == "squirrel" else not taken
