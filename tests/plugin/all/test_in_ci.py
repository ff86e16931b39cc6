# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each check of plugin/docs/in-ci.md, run as printed in the page, accepts a capture and rejects those that it
should."""

import re
import shutil
import subprocess

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.variants import encode
from plugin.tools.programs import search_path

PAGE = (tshark.SOURCE / "plugin" / "docs" / "in-ci.md").read_text(encoding="utf-8")
GAME = "godot/variant/godot-4.6.3-game"


def checks():
    """{first line of the paragraph before it: commands}"""
    found = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    before = [text.rstrip().split("\n\n")[-1] for text in PAGE.split("```sh\n")[:-1]]
    return {paragraph.split("\n")[0]: commands for paragraph, commands in zip(before, found, strict=True)}


CHECKS = checks()


def find(word):
    return next(commands for sentence, commands in CHECKS.items() if word in sentence)


def succeeds(commands, capture, folder):
    """As in a shell of a CI job: each command must succeed."""
    if "jq " in commands and not shutil.which("jq"):
        pytest.skip("jq is not installed")
    if tshark.is_root():
        for each in (folder, *folder.parents[:2]):
            each.chmod(0o777)
    done = subprocess.run(
        tshark.unprivileged() + ["sh", "-e", "-c", commands],
        env={**tshark.environment_of_programs(), "CAPTURE": str(tshark.readable(capture)), "PATH": search_path()},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=tshark.TIMEOUT,
        check=False,
    )
    assert "Dissector bug" not in done.stderr
    assert not re.search("display filter|cannot|denied", done.stderr), done.stderr
    return done.returncode == 0


def pcap(name):
    return tshark.PCAPS / f"{name}.pcap"


def test_the_page_has_ten_checks_and_two_examples():
    assert len(CHECKS) == 12


# A word of the sentence, and captures to reject besides the one that the page names.
OTHERS = {
    "third packet": ["leviathan/session"],
    "none is without an answer": ["squirrel/session", GAME],
    "within 200 ms": ["leviathan/two-clients", GAME],
    "`take_damage`": [GAME],
    "third slot": ["leviathan/session"],
    "more than 20 times": [GAME],
    "at least every 0.4 s": [GAME, "godot/multiplayer/godot-3.6-calls"],
    "Positions": ["leviathan/session"],
    "fits into one datagram": ["godot/multiplayer/godot-3.6-calls"],
    "round trips": [],
}
# Of each of these checks, in their order: a capture to accept and one to reject. The fourth has the same game compressed and not.
SAMPLES = re.findall(r"^Succeeds with `pcaps/(.+)\.pcap`, fails with `pcaps/(.+)\.pcap`\.$", PAGE, re.MULTILINE)
ON_CAPTURES = [(word, good, [bad, *OTHERS[word]]) for word, (good, bad) in zip(OTHERS, SAMPLES, strict=True)]
ON_CAPTURES += [("`-E aggregator`", GAME, ["leviathan/session"]), ("`--no-duplicate-keys`", GAME, ["leviathan/session"])]


@pytest.mark.parametrize("word, good, bad", ON_CAPTURES, ids=[row[0] for row in ON_CAPTURES])
def test_a_check_accepts_and_rejects(word, good, bad, tmp_path):
    assert succeeds(find(word), pcap(good), tmp_path)
    assert [name for name in bad if succeeds(find(word), pcap(name), tmp_path)] == []


@pytest.mark.parametrize("sentence", CHECKS)
def test_a_check_rejects_a_capture_without_a_game(sentence, tmp_path, udp_capture):
    assert not succeeds(CHECKS[sentence], udp_capture(tshark.request(b"something else")), tmp_path)


def game_with(change, udp_capture):
    packets = enumerate(tshark.read_pcap(pcap(GAME)), 1)
    return udp_capture(*(packet._replace(payload=change(number, packet.payload)) for number, packet in packets))


def test_a_different_position_is_rejected(tmp_path, udp_capture):
    """One bit of the third packet's y."""
    def change(number, payload):
        return payload[:-1] + bytes([payload[-1] ^ 0x80]) if number == 3 else payload

    assert succeeds(find("third packet"), game_with(lambda _, payload: payload, udp_capture), tmp_path)
    assert not succeeds(find("third packet"), game_with(change, udp_capture), tmp_path)


def test_the_rope_in_another_slot_is_rejected(tmp_path, udp_capture):
    def game(slots):
        return udp_capture(*(tshark.request(encode({"cmd": "inventory", "slots": slots})) for _ in range(3)))

    assert succeeds(find("third slot"), game([None, {"item": "sword"}, {"item": "rope"}]), tmp_path)
    assert not succeeds(find("third slot"), game([None, {"item": "rope"}, {"item": "sword"}]), tmp_path)


def test_without_the_second_pass_nothing_is_unanswered(tmp_path):
    """The page's statement about -2."""
    once = find("none is without an answer").replace("tshark -2", "tshark")
    assert succeeds(once, pcap("leviathan/old-numbering"), tmp_path)


def test_without_the_second_pass_early_calls_are_not_counted(tmp_path):
    """A capture that begins in a game: packets before the one with sufficient evidence are decoded later."""
    capture = tshark.cut_beginning(pcap("godot/multiplayer/godot-3.6-calls-fastlz"), tmp_path / "late.pcap", 26)
    commands = find("`take_damage`")
    assert "tshark -2 " in commands
    sizes = []
    for each in (commands, commands.replace("tshark -2", "tshark")):
        assert succeeds(each, capture, tmp_path)
        sizes.append(int(re.search(r"^ take_damage\(\) +(\d+)  +[0-9.]+  +[0-9.]+%", (tmp_path / "statistics.txt").read_text(),
                                   re.MULTILINE).group(1)))
    assert sizes[0] > sizes[1] > 0
