# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The version that the plugin and the programs say names one commit, or is the plain number in a release and in an archive."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gamewire_tshark as tshark
from plugin.tools.programs import TOOLS

SOURCE = TOOLS.parents[1]
AUTHOR = ["-c", "user.name=The author", "-c", "user.email=author@example.org"]
PROGRAMS = ("gamewire-report", "gamewire-messages")


def said(tools, program):
    done = subprocess.run([sys.executable, tools / program, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    name, version = done.stdout.split()
    assert name == program
    return version


def by_cmake(source, version, folder, *options):
    subprocess.run(["cmake", f"-DVERSION={version}", f"-DSOURCE={source}", f"-DFOLDER={folder}", *options, "-P",
                    source / "plugin/tools/version.cmake"], check=True)
    text = (folder / "version.txt").read_text(encoding="ascii").strip()
    assert (folder / "gamewire_version.h").read_text(encoding="ascii") == f'#define GAMEWIRE_VERSION "{text}"\n'
    return text


def git(source, *arguments):
    return subprocess.run(["git", "-C", source, *AUTHOR, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


@pytest.fixture(name="source")
def a_source(tmp_path):
    """A copy of the files that make the version, of a version between releases, as an archive has them."""
    source = tmp_path / "source"
    shutil.copytree(TOOLS, source / "plugin/tools", ignore=shutil.ignore_patterns("__pycache__"))
    build = re.sub(r'(?m)^    VERSION .*\n((?:.*\n)*?)set\(GAMEWIRE_STAGE .*$', r'    VERSION 1.2.0\n\1set(GAMEWIRE_STAGE "-dev")',
                   (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"))
    (source / "CMakeLists.txt").write_text(build, encoding="utf-8")
    return source


@pytest.fixture(name="commit")
def a_commit(source):
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    git(source, "init", "-q")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "All")
    return git(source, "rev-parse", "--short=10", "HEAD")


def test_the_plugin_says_the_version_that_its_build_wrote():
    listed = tshark.run(["-G", "plugins"]).stdout
    plugin = re.search(r"^gamewire\.(?:so|dll)\s+(\S+)", listed, re.MULTILINE)[1]
    assert re.fullmatch(r"\d+\.\d+\.\d+(-dev(\+[0-9a-f]{10,}(\.changed)?)?)?", plugin)
    plugins = Path(os.environ["GAMEWIRE_PLUGIN_DIR"])
    written = plugins.parent / "plugin/version/version.txt"
    version = written.read_text(encoding="ascii").strip()
    # A build of other targets writes the version of a new commit, and leaves the plugin as it is.
    is_older = next(plugins.glob("*/epan/gamewire.*")).stat().st_mtime_ns < written.stat().st_mtime_ns
    assert plugin.partition("+")[0] == version.partition("+")[0] if is_older else plugin == version


def test_a_build_and_the_programs_say_the_same(tmp_path):
    """Not the build that is tested: it may be older than the newest commit."""
    build = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"^    VERSION (\S+)$", build, re.MULTILINE)[1] + re.search(r'^set\(GAMEWIRE_STAGE "(.*)"\)$', build, re.MULTILINE)[1]
    written = by_cmake(SOURCE, version, tmp_path)
    assert [said(TOOLS, program) for program in PROGRAMS] == [written] * 2


def test_archive_has_the_plain_number(source, tmp_path):
    assert by_cmake(source, "1.2.0-dev", tmp_path) == "1.2.0-dev"
    assert [said(source / "plugin/tools", program) for program in PROGRAMS] == ["1.2.0-dev"] * 2


def test_commit_between_releases(source, commit, tmp_path):
    """Tags change nothing: a copy of the repository may have none."""
    git(source, "tag", "v1.1.0")
    assert by_cmake(source, "1.2.0-dev", tmp_path) == f"1.2.0-dev+{commit}"
    assert [said(source / "plugin/tools", program) for program in PROGRAMS] == [f"1.2.0-dev+{commit}"] * 2


def test_commit_of_a_build_without_git(source, tmp_path):
    """As in a chroot. A release has the plain number there, too."""
    assert by_cmake(source, "1.2.0-dev", tmp_path, "-DCOMMIT=0123456789") == "1.2.0-dev+0123456789"
    assert by_cmake(source, "1.2.0", tmp_path, "-DCOMMIT=0123456789") == "1.2.0"


def test_changed_files(source, commit, tmp_path):
    (source / "plugin/tools/elastic.py").write_text("changed\n", encoding="ascii")
    assert by_cmake(source, "1.2.0-dev", tmp_path) == f"1.2.0-dev+{commit}.changed"
    assert said(source / "plugin/tools", "gamewire-report") == f"1.2.0-dev+{commit}.changed"


def test_release(source, commit, tmp_path):
    build = source / "CMakeLists.txt"
    build.write_text(build.read_text(encoding="utf-8").replace('GAMEWIRE_STAGE "-dev"', 'GAMEWIRE_STAGE ""'), encoding="utf-8")
    git(source, "commit", "-q", "-a", "-m", "Release")
    assert by_cmake(source, "1.2.0", tmp_path) == "1.2.0"
    assert said(source / "plugin/tools", "gamewire-messages") == "1.2.0"
    assert commit


def test_installed(source):
    """Without the source, it is in a file beside the modules."""
    (source / "CMakeLists.txt").unlink()
    (source / "plugin/tools/gamewire_tools/version.txt").write_text("1.2.0\n", encoding="ascii")
    assert said(source / "plugin/tools", "gamewire-report") == "1.2.0"


def test_header_of_the_same_version_is_not_written_again(source, tmp_path):
    by_cmake(source, "1.2.0-dev", tmp_path)
    header = Path(tmp_path / "gamewire_version.h")
    before = header.stat().st_mtime_ns
    by_cmake(source, "1.2.0-dev", tmp_path)
    assert header.stat().st_mtime_ns == before
    by_cmake(source, "1.3.0-dev", tmp_path)
    assert header.stat().st_mtime_ns != before
