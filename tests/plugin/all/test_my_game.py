# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each command of plugin/docs/my-game.md and first-ten-minutes.md, run as printed there, has the output in the page. Each question of
the first has a capture, a filter and a graph of the profile.

GAMEWIRE_UPDATE_GOLDEN=1 writes the output in the page again, except omitted parts ("…").
"""

import csv
import re
import subprocess

import pytest

import gamewire_tshark as tshark

PATH = tshark.SOURCE / "plugin" / "docs" / "my-game.md"
PAGE = PATH.read_text(encoding="utf-8")
FIRST = tshark.SOURCE / "plugin" / "docs" / "first-ten-minutes.md"
PROFILE = tshark.SOURCE / "plugin" / "profile" / "Gamewire"
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
# Output that is not shown completely: a table whose columns differ between versions.
LEFT_OUT = "…\n"


def commands(text):
    """Each command of the page's blocks and its output."""
    blocks = "".join(re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", blocks, re.MULTILINE)


def output_of(command):
    """In a folder with the captures, at the same paths as in the project."""
    done = subprocess.run(tshark.unprivileged() + ["sh", "-e", "-c", command], env=tshark.environment_of_programs(),
                          cwd=tshark.readable(tshark.PCAPS).parent, capture_output=True, text=True,
                          timeout=tshark.TIMEOUT, check=False)
    assert done.returncode == 0 and "Dissector bug" not in done.stderr, done.stderr
    return done.stdout


# Part of each output that is not shown.
IN_IT = re.compile(r"Main/Units/Hero|client 1497399204|Spawn \"1497399204\"")
COMMANDS = [(path, *each) for path in (PATH, FIRST) for each in commands(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("path, command, printed", COMMANDS, ids=range(len(COMMANDS)))
def test_a_command_prints_the_output_in_the_page(path, command, printed):
    found = output_of(command)
    if tshark.updating_golden() and printed != LEFT_OUT and "tree" not in command:
        page = path.read_text(encoding="utf-8")
        tshark.rewrite_golden(path, page.replace(f"$ {command}\n{printed}", f"$ {command}\n{found}"))
    assert found == printed or (printed == LEFT_OUT and IN_IT.search(found))


@pytest.mark.parametrize("question", SECTIONS)
def test_a_question_has_a_capture_a_filter_a_button_and_a_graph(question):
    buttons = {row[1].replace("//", " → ") for row in csv.reader((PROFILE / "dfilter_buttons").read_text(encoding="utf-8").splitlines())
               if row[1:]}
    graphs = {row[1] for row in csv.reader((PROFILE / "io_graphs").read_text(encoding="utf-8").splitlines()) if row[1:]}
    text = SECTIONS[question]
    named = re.findall(r"“(.*?)”", text[text.rindex("Graph"):])
    assert named and set(named) <= graphs
    assert set(re.findall(r"^Button: “(.*?)”", text, re.MULTILINE)) & buttons
    assert commands(text) and all("-r pcaps/" in command for command, _ in commands(text))
    assert any(" -Y " in command for command, _ in commands(text))


def test_the_plugin_is_listed():
    (command,) = re.findall(r"^```sh\n(.*)\n```$", PAGE, re.MULTILINE)
    assert "gamewire" in output_of(command)
