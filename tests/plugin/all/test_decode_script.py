# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
""".ci/decode.sh, which hosted CI runs where these tests do not: it passes here, and fails without the plugin or with a capture that
is decoded differently."""

import shutil
import subprocess

import pytest

import gamewire_tshark as tshark


@pytest.fixture
def project(tmp_path):
    """The script beside captures, readable for the unprivileged user."""
    shutil.copytree(tshark.SOURCE / ".ci", tmp_path / ".ci")
    shutil.copytree(tshark.PCAPS, tmp_path / "pcaps", ignore=shutil.ignore_patterns("records"))
    for path in (*tmp_path.parents[:2], tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o755)
    return tmp_path


def run(folder, **changes):
    env = tshark.environment() | changes if changes else tshark.environment_of_programs()
    return subprocess.run(tshark.unprivileged() + ["sh", folder / ".ci" / "decode.sh", "tshark"], env=env, capture_output=True, text=True,
                          timeout=tshark.TIMEOUT, check=False)


def test_each_capture_is_decoded(project):
    done = run(project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith("gamewire.")
    assert done.stderr.count("decoded ") == 8


def test_it_fails_without_the_plugin(project):
    done = run(project, WIRESHARK_PLUGIN_DIR=str(project))
    assert done.returncode != 0 and "does not load the plugin" in done.stderr


def test_it_fails_with_another_capture(project):
    shutil.copy(project / "pcaps" / "squirrel" / "session.pcap", project / "pcaps" / "leviathan")
    done = run(project)
    assert done.returncode != 0 and "does not decode leviathan/session.pcap" in done.stderr
