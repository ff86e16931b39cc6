# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The statistics of all captures: the same with a tree and without, visible or not, and in one pass and in two."""

import pytest

import gamewire_tshark as tshark

COUNTED = ("enet,tree", "godot,tree", "leviathan,tree", "squirrel,tree", "enet,srt", "leviathan,srt", "squirrel,srt", "conv,enet",
           "endpoints,enet")
SHOWN = ("flow,godot,network", "flow,leviathan,network", "flow,squirrel,network", "follow,enet,raw,0", "follow,godot_mp,raw,0")

WITHOUT_A_TREE = ("-q",)
WITH_A_TREE = ("-q", "-Y", "frame")
VISIBLE = ("-V", "-Y", "frame.number == 0")  # no packet is printed

# Captures with packets that are recognized or complete only by later ones: the second pass knows more than the first.
KNOWN_LATER = {
    "enet": ["moved"],
    "godot/damaged": ["godot-4.6.3-damaged-spawn-websocket"],
    "godot/enet": ["godot-3.6-enet-put-var"],
    "godot/multiplayer": ["godot-3.2.3-calls-websocket", "godot-3.6-calls-webrtc", "godot-3.6-calls-websocket",
                          "godot-3.6-few-calls-websocket-tls", "godot-4.6.0-auth-websocket", "godot-4.6.0-calls-websocket",
                          "godot-4.6.0-spawn-websocket", "godot-4.6.3-calls-webrtc",
                          "godot-4.6.3-calls-websocket", "godot-4.6.3-few-calls-websocket-tls", "godot-4.6.3-node-added",
                          "godot-4.6.3-spawn-lossy", "godot-4.6.3-spawn-webrtc-in-band"],
    "godot/variant": [f"godot-{version}{rest}" for version in ("3.2.3", "3.6", "4.6.3")
                      for rest in ("", "-late-proof", "-same-bytes", "-vector3-only")],
    "leviathan": ["every-message"],
    "squirrel": ["seed-examples"],
}


def printed(capture, statistics, *args):
    """Without checks of memory, which other tests of all captures have: test_bytes.py without a tree, test_locale.py with one."""
    options = [*args, *(part for name in statistics for part in ("-z", name))]
    return tshark.run(options, capture, env=tshark.without_memory_checks()).stdout


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("folder", tshark.capture_folders())
def test_statistics_do_not_depend_on_a_tree(folder, passes):
    capture, _ = tshark.together(tuple(sorted((tshark.PCAPS / folder).glob("*.pcap*"))))
    for statistics, with_a_tree in ((COUNTED, (WITH_A_TREE, VISIBLE)), (SHOWN, (VISIBLE,))):
        expected = printed(capture, statistics, *WITHOUT_A_TREE, *passes)
        assert [args for args in with_a_tree if printed(capture, statistics, *args, *passes) != expected] == [], statistics


def depends_on_a_pass(capture):
    return printed(capture, COUNTED, *WITHOUT_A_TREE) != printed(capture, COUNTED, *WITHOUT_A_TREE, "-2")


@pytest.mark.parametrize("folder", tshark.capture_folders())
def test_statistics_do_not_depend_on_a_second_pass(folder):
    later = KNOWN_LATER.get(folder, [])
    captures = sorted((tshark.PCAPS / folder).glob("*.pcap*"))
    others, _ = tshark.together(tuple(capture for capture in captures if capture.stem not in later))
    assert not depends_on_a_pass(others)
    assert {capture.stem for capture in captures if capture.stem in later and depends_on_a_pass(capture)} == set(later)
