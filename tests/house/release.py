#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The release script, in a repository made of a copy of the tree: what it refuses, and what it makes. The scripts that build
DLLs and Debian packages, which take long, are replaced by ones that write a file of each name. The archive for macOS is made by
.ci/macos.sh with programs that do nothing in place of those of macOS.

    release.py SOURCE
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import tree

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plugin" / "tools"))
from gamewire_tools import version  # noqa: E402  after its folder

AUTHOR = {f"GIT_{role}_{what}": "release@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
SUITES = ("bookworm", "trixie", "sid")
BUILDS = {
    "tests/windows.sh": """
[ "$1" = --plugin ]
for version in 4.4 4.6; do
    mkdir -p build/windows/$version
    echo "for $version" >build/windows/$version/gamewire.dll
done""",
    "tests/packages.sh": """
[ -z "${WITHOUT_NETWORK:-}" ]
for suite in bookworm trixie sid; do
    mkdir -p build/packages/$suite
    for name in libgamewire-dev libgamewire99.1; do
        echo "$name of $suite" >build/packages/$suite/${name}_99.1.0-1_amd64.deb
    done
    case $suite in bookworm) version=4.0 ;; trixie) version=4.4 ;; *) version=4.6 ;; esac
    root=build/packages/$suite.root
    mkdir -p "$root/DEBIAN" "$root/usr/lib/any/wireshark/plugins/$version/epan"
    echo "for $version" >"$root/usr/lib/any/wireshark/plugins/$version/epan/gamewire.so"
    printf '%s\\n' 'Package: gamewire-wireshark' 'Version: 99.1.0-1' 'Architecture: amd64' 'Maintainer: Nobody <n@example.org>' 'Description: x' \
        >"$root/DEBIAN/control"
    SOURCE_DATE_EPOCH=0 dpkg-deb --root-owner-group --build "$root" build/packages/$suite/gamewire-wireshark_99.1.0-1_amd64.deb
done""",
    ".ci/decode.sh": """
[ -x "$1" ]""",
}
# The programs in the archives.
TOOLS = {"tools/" + name for name in ("elastic.py", "gamewire-messages", "gamewire-report", "gamewire_tools/page.html",
                                      "gamewire_tools/charts.py", "gamewire_tools/version.txt", "charts/LICENSE", "charts/dygraph.min.js", "charts/dygraph.min.css")}
ADDON = {f"addons/gamewire/{name}" for name in ("plugin.cfg", "plugin.gd", "ports.gd", "rpc_names.gd", "wireshark.gd")}
PACKS = "plugin/packs"
# What .ci/macos.sh starts, in a folder PREFIX/bin.
MACOS = {
    "brew": 'case $1 in --prefix) echo "$PREFIX" ;; --cache) echo "$PREFIX/wireshark.dmg" ;; esac',
    "cmake": """
[ "$1" = --build ] || exit 0
mkdir -p "$2/plugins/4-6/epan"
echo plugin >"$2/plugins/4-6/epan/gamewire.so\"""",
    "hdiutil": """
[ "$1" = attach ] || exit 0
mkdir -p "$5/Wireshark.app/Contents/MacOS"
cp "$PREFIX/bin/tshark" "$5/Wireshark.app/Contents/MacOS\"""",
    "id": "echo 501",  # of a user
    "otool": "",
    "tshark": "echo 'TShark (Wireshark) 4.6.1.'",
}
PROFILE = "plugin/profile/Gamewire"
GITHUB = {"GITHUB_SERVER_URL": "https://example.org", "GITHUB_REPOSITORY": "example/gamewire"}
CHANGES = """### Added

- A thing, whose description has more than
  one line: see [its page](plugin/docs/page.md#part), [the
  list](plugin/docs/reference/fields.md) and [another](https://example.org/page.md).
- The next thing.

A paragraph of
two lines.

```sh
a command
  on two lines
```
"""


def run(folder, *command, fails=False, **env):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GAMEWIRE_", "GITHUB_"))}
    done = subprocess.run(command, cwd=folder, env={**clean, **AUTHOR, **env}, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    assert (done.returncode != 0) == fails, f"{command}\n{done.stdout}"
    return done.stdout


def release(folder, *arguments, **options):
    return run(folder, "sh", ".ci/release.sh", *arguments, **options)


def repository(source, folder):
    """A repository with the files that a release concerns, and some others."""
    files = ["CMakeLists.txt", "CHANGELOG.md", "README.md", "LICENSE", ".gitignore", ".ci/archive/install.cmd", ".ci/archive/install.sh", ".ci/charts.py", ".ci/lib.sh", ".ci/macos.sh", ".ci/recipes/PKGBUILD", ".ci/recipes/gamewire.rb", ".ci/recipes/watch", ".ci/release.sh", ".ci/zip.py",
             "codecs/CMakeLists.txt", "plugin/tools/elastic.py",
             "plugin/tools/gamewire-messages", "plugin/tools/gamewire-report", "plugin/tools/gamewire_tools/page.html", "plugin/tools/gamewire_tools/charts.py", "pcaps/README.md", "pcaps/squirrel/session.pcap",
             "pcaps/squirrel/records/session.jsonl"]
    profile = [str(path.relative_to(source)) for path in (source / "plugin/profile/Gamewire").iterdir()]
    packs = [str(path.relative_to(source)) for path in (source / PACKS).iterdir()]
    licenses = [str(path.relative_to(source)) for path in (source / "LICENSES").iterdir()]
    addon = [f"plugin/tools/{name}" for name in ADDON]
    debian = [str(path.relative_to(source)) for path in (source / "debian").iterdir() if path.is_file()]
    for name in (*files, *profile, *packs, *licenses, *addon, *debian):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, folder / name)
    (folder / "tests").mkdir()
    for name, commands in BUILDS.items():
        (folder / name).write_text(f"set -e{commands}\n", encoding="utf-8")
    changelog = folder / "CHANGELOG.md"
    head = changelog.read_text(encoding="utf-8").split("## [Unreleased]")[0]
    changelog.write_text(f"{head}## [Unreleased]\n\n{CHANGES}\n## Before\n\n"
                         "- An old thing.\n\n## [0.1.0]\n\n- The first.\n", encoding="utf-8")
    run(folder, "git", "init", "-q")
    run(folder, "git", "add", "-A")
    run(folder, "git", "commit", "-q", "-m", "All")


def check_refusals(folder):
    assert "not of the form" in release(folder, "v9", fails=True)
    assert "not of the form" in release(folder, "--next", "9", "99.1.0", fails=True)
    assert "99.0.0 is not after 99.1.0" in release(folder, "--next", "99.0.0", "99.1.0", fails=True)
    assert "is not after" in release(folder, "0.0.1", fails=True)
    assert "unknown option" in release(folder, "--nothing", "99.1.0", fails=True)
    assert "no such file" in release(folder, "--macos", "nothing.zip", "99.1.0", fails=True)
    assert "is not checked out" in release(folder, "--tagged", "99.1.0", fails=True)
    (folder / "README.md").write_text("changed", encoding="utf-8")
    assert "not committed" in release(folder, "99.1.0", fails=True)
    run(folder, "git", "checkout", "-q", "README.md")
    assert run(folder, "git", "tag") == ""
    assert not (folder / "build").exists()


def version_at(folder, commit):
    return version.of_build(run(folder, "git", "show", f"{commit}:CMakeLists.txt"))


def check_debian(folder, commit, number, debian_version):
    """The package of the shared libraries is named after the minor version, in the control file and in the files named after it."""
    library = f"libgamewire{number.rpartition('.')[0]}"
    suite = "UNRELEASED" if "~dev" in debian_version else "unstable"
    assert run(folder, "git", "show", f"{commit}:debian/changelog").startswith(f"gamewire ({debian_version}) {suite}; ")
    control = run(folder, "git", "show", f"{commit}:debian/control")
    assert set(re.findall(r"libgamewire[\d.]+\d", control)) == {library}, control
    names = run(folder, "git", "ls-tree", "--name-only", commit, "debian/").split()
    assert {name for name in names if name.startswith("debian/libgamewire") and "-dev" not in name} == {
        f"debian/{library}.install", f"debian/{library}.lintian-overrides"}, names


def check_commits(folder, released, following):
    """One commit with the tag and the version, and one with the next version, in which the changelog is ready for changes."""
    assert run(folder, "git", "log", "-2", "--format=%s").splitlines() == [f"Open {following}", f"Release {released}"]
    assert run(folder, "git", "rev-parse", "HEAD^") == run(folder, "git", "rev-parse", f"v{released}^{{commit}}")
    assert version_at(folder, f"v{released}") == released and version_at(folder, "HEAD") == f"{following}-dev"
    check_debian(folder, f"v{released}", released, f"{released}-1")
    check_debian(folder, "HEAD", following, f"{following}~dev-1")
    assert run(folder, "git", "status", "--porcelain") == ""
    changelog = (folder / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog.index("## [Unreleased]") < changelog.index(f"## [{released}] - 2") < changelog.index("- A thing")


def members(archive):
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def common(folder):
    """What the archive of each system has besides plugin and installer."""
    profile = {f"profiles/Gamewire/{path.name}" for path in (folder / PROFILE).iterdir()}
    packs = {f"packs/{path.name}" for path in (folder / PACKS).iterdir()}
    assert {"packs/netfox.lua", "packs/netfox_properties.gd"} <= packs
    return {"LICENSE.txt", "README.txt", "pcaps/README.md", "pcaps/squirrel/session.pcap", *profile, *packs, *TOOLS, *ADDON}


def check_readme(found, *texts):
    """Ten lines of ASCII, which every editor shows."""
    lines = found["README.txt"].decode("ascii").splitlines()
    assert len(lines) == 10, lines
    for text in texts:
        assert any(text in line for line in lines), (text, lines)


def check_windows(folder, made):
    found = members(made / "gamewire-99.1.0-windows-x64.zip")
    assert set(found) == {"install.cmd", "plugins/4.4/epan/gamewire.dll", "plugins/4.6/epan/gamewire.dll", *common(folder)}
    assert found["plugins/4.4/epan/gamewire.dll"] == b"for 4.4\n" and found["plugins/4.6/epan/gamewire.dll"] == b"for 4.6\n"
    assert found["tools/gamewire_tools/version.txt"] == b"99.1.0\n"
    for name in ADDON:
        assert found[name] == (folder / "plugin/tools" / name).read_bytes()
    for name in ("LICENSE.txt", "README.txt", "install.cmd"):
        lines = found[name].split(b"\n")
        assert lines.pop() == b"" and all(line.endswith(b"\r") for line in lines), name
    check_readme(found, "install.cmd", "%APPDATA%\\Wireshark", "99.1.0", "4.4, 4.6", "zlib", "Zstandard")
    check_licenses(found["LICENSE.txt"])


def as_user(folder, home, *arguments, fails=False, settings=None):
    """Runs install.sh as a user whose home is `home`, with another folder of settings if there is one."""
    drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    given = ["-u", "XDG_CONFIG_HOME"] if settings is None else [f"XDG_CONFIG_HOME={settings}"]
    return run(folder, *drop, "env", *given, f"HOME={home}", "sh", "install.sh", *arguments, fails=fails)


def check_linux(folder, made):
    """The archive, and what its script installs, replaces and removes."""
    (archive,) = made.glob("gamewire-99.1.0-linux-*.zip")
    found = members(archive)
    plugins = {f"plugins/{version}/epan/gamewire.so": f"for {version}\n".encode() for version in ("4.0", "4.4", "4.6")}
    assert set(found) == {"install.sh", *plugins, *common(folder)}
    assert all(found[name] == content for name, content in plugins.items())
    check_readme(found, "sh install.sh", "~/.local/lib/wireshark", "99.1.0", "4.0, 4.4, 4.6", "zlib", "Zstandard")
    with tempfile.TemporaryDirectory(prefix="gamewire-install-") as scratch:
        top, home = Path(scratch) / "archive", Path(scratch) / "home"
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(top)
        home.mkdir()
        for path in (Path(scratch), home):
            path.chmod(0o777)
        if os.geteuid() == 0:
            assert "not as root" in run(top, "sh", "install.sh", fails=True, HOME=str(home))
        profile, installed = home / ".config/wireshark/profiles/Gamewire", home / ".local/lib/wireshark/plugins"
        as_user(top, home)
        packs = {f"plugins/{path.name}": path.read_bytes() for path in (folder / PACKS).glob("*.lua")}
        assert {str(path.relative_to(installed.parent)): path.read_bytes() for path in installed.rglob("*") if path.is_file()} == {**plugins, **packs}
        (installed / "own.lua").touch()
        assert {path.name for path in profile.iterdir()} == {path.name for path in (folder / PROFILE).iterdir()}
        # A second time: changes of the user are kept beside the new profile.
        (profile / "colorfilters").write_text("mine", encoding="utf-8")
        as_user(top, home)
        assert (profile / "colorfilters").read_bytes() == (folder / PROFILE / "colorfilters").read_bytes()
        assert (profile.parent / "Gamewire.before" / "colorfilters").read_text(encoding="utf-8") == "mine"
        # As for a Flatpak.
        flatpak = home / ".var/app/org.wireshark.Wireshark/config"
        as_user(top, home, settings=flatpak)
        assert (flatpak / "wireshark/profiles/Gamewire/colorfilters").read_bytes() == (folder / PROFILE / "colorfilters").read_bytes()
        as_user(top, home, "--remove")
        assert [path.name for path in installed.rglob("*") if path.is_file()] == ["own.lua"] and profile.is_dir()
        assert "--remove" in as_user(top, home, "--nothing", fails=True)
    return archive.name


def check_licenses(text):
    """What LICENSE says, the license of the plugin, and that of the codecs in it."""
    for part in (b"Gamewire has parts under three licenses", b"GNU GENERAL PUBLIC LICENSE",
                 b"Permission is hereby granted, free of charge", b"Copyright (c) The Gamewire authors"):
        assert part in text, part


def make_macos(folder):
    """The name of the archive, in build/macos."""
    prefix = folder / "build" / "prefix"
    (prefix / "bin").mkdir(parents=True)
    for name, commands in MACOS.items():
        (prefix / "bin" / name).write_text(f"#!/bin/sh\n{commands}\n", encoding="utf-8")
        (prefix / "bin" / name).chmod(0o755)
    run(folder, "sh", ".ci/macos.sh", PATH=f"{prefix / 'bin'}:{os.environ['PATH']}", PREFIX=str(prefix), HOME=str(folder / "build"))
    (archive,) = (folder / "build" / "macos").glob("*.zip")
    return archive.name


def check_macos(folder, archive):
    found = members(folder / "build" / "macos" / archive)
    assert set(found) == {"install.sh", "plugins/4-6/epan/gamewire.so", *common(folder)}, set(found)
    assert b"Dan Vanderkam" in found["tools/charts/LICENSE"] and b".Dygraph=" in found["tools/charts/dygraph.min.js"]
    check_licenses(found["LICENSE.txt"])
    check_readme(found, "sh install.sh", "4.6", "zlib", "Zstandard", "GPL-2.0 option")


def check_files(folder, made, macos):
    packages = {f"{name}_99.1.0-1_{suite}_amd64.deb" for name in ("libgamewire-dev", "libgamewire99.1", "gamewire-wireshark") for suite in SUITES}
    archives = {"gamewire-99.1.0.tar.gz", "gamewire-captures-99.1.0.zip", "gamewire-profile-99.1.0.zip", macos, check_linux(folder, made),
                "gamewire-99.1.0-windows-x64.zip"}
    assert {path.name for path in made.iterdir()} == {*packages, *archives, "NOTES.md", "SHA256SUMS"}
    sums = (made / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert {line.split()[1] for line in sums} == {*packages, *archives}
    run(made, "sha256sum", "--check", "--strict", "SHA256SUMS")
    assert (made / "libgamewire-dev_99.1.0-1_sid_amd64.deb").read_text() == "libgamewire-dev of sid\n"
    with tarfile.open(made / "gamewire-99.1.0.tar.gz") as archive:
        assert "gamewire-99.1.0/CMakeLists.txt" in archive.getnames()
    # As Wireshark exports profiles, and imports them: a folder of the profile's name.
    profile = folder / "plugin/profile"
    assert members(made / "gamewire-profile-99.1.0.zip") == {
        f"Gamewire/{path.name}": path.read_bytes() for path in (profile / "Gamewire").iterdir()}
    assert set(members(made / "gamewire-captures-99.1.0.zip")) == {"pcaps/README.md", "pcaps/squirrel/session.pcap"}
    check_windows(folder, made)
    return {*packages, *archives}


def check_notes(made, files, macos):
    """The section of the version alone, one line for each paragraph, without links into the tree; and each file."""
    notes = (made / "NOTES.md").read_text(encoding="utf-8")
    assert notes.startswith("""### Added

- A thing, whose description has more than one line: see its page, the list and [another](https://example.org/page.md).
- The next thing.

A paragraph of two lines.

```sh
a command
  on two lines
```

### Files
"""), notes
    assert "old thing" not in notes and "The first." not in notes
    assert set(re.findall(r"^- .*: `(.+)`$", notes, re.MULTILINE)) == files
    assert f"- macOS, tested with Homebrew's tshark, not in Wireshark's window: `{macos}`\n" in notes, notes
    assert notes.endswith("\nplugin/docs/installing.md has the steps for each system. SHA256SUMS has the checksums of all files.\n")


def check_links(made):
    """On GitHub, links into the tree go to that of the tag."""
    notes = (made / "NOTES.md").read_text(encoding="utf-8")
    tree_of_tag = "https://example.org/example/gamewire/blob/v99.1.0"
    for link in (f"[its page]({tree_of_tag}/plugin/docs/page.md#part)", f"[the list]({tree_of_tag}/plugin/docs/reference/fields.md)",
                 "[another](https://example.org/page.md)", f"[plugin/docs/installing.md]({tree_of_tag}/plugin/docs/installing.md)"):
        assert link in notes, notes


def check_address(folder):
    """The address is in the Debian package where it is known; uscan finds the tags of releases there."""
    text = (folder / "debian/control").read_text(encoding="utf-8")
    add = ["sh", "-ec", 'source_dir=$PWD; . .ci/lib.sh; add_address "$PWD"']
    run(folder, *add)
    assert (folder / "debian/control").read_text(encoding="utf-8") == text and not (folder / "debian/watch").exists()
    run(folder, *add, **GITHUB)
    source_part = (folder / "debian/control").read_text(encoding="utf-8").split("\n\n", maxsplit=1)[0]
    assert "\nHomepage: https://example.org/example/gamewire\n" in source_part
    address, tags = re.search(r'^opts=".*" (\S+) (\S+)$', (folder / "debian/watch").read_text(encoding="utf-8"), re.MULTILINE).groups()
    assert address == "https://example.org/example/gamewire" and re.fullmatch(tags, "refs/tags/v99.1.0")[1] == "99.1.0"
    run(folder, "git", "checkout", "-q", "debian/control")
    (folder / "debian/watch").unlink()


def check_recipes(made):
    """They name the source by its address and hash."""
    (sum_of_source,) = re.findall(r"^(\w+)  gamewire-99\.1\.0\.tar\.gz$", (made / "SHA256SUMS").read_text(encoding="utf-8"), re.MULTILINE)
    recipe, formula = ((made / name).read_text(encoding="utf-8") for name in ("PKGBUILD", "gamewire.rb"))
    assert "pkgver=99.1.0\n" in recipe and f"sha256sums=({sum_of_source})" in recipe and 'url="https://example.org/example/gamewire"' in recipe
    assert f'sha256 "{sum_of_source}"' in formula
    assert 'url "https://example.org/example/gamewire/releases/download/v99.1.0/gamewire-99.1.0.tar.gz"' in formula
    assert "@" not in recipe + formula
    run(made, "bash", "-n", "PKGBUILD")
    if shutil.which("ruby"):
        run(made, "ruby", "-c", "gamewire.rb")


def check_release(folder):
    macos = make_macos(folder)
    check_macos(folder, macos)
    release(folder, "--macos", f"build/macos/{macos}", "99.1.0")
    check_commits(folder, "99.1.0", "99.2.0")
    made = folder / "build" / "release" / "99.1.0"
    check_notes(made, check_files(folder, made, macos), macos)
    sums = (made / "SHA256SUMS").read_text(encoding="utf-8")
    assert "nothing under Unreleased" in release(folder, "99.2.0", fails=True)
    check_next(folder)
    run(folder, "git", "checkout", "-q", "v99.1.0")
    # Made again, as for a release that was tagged before, equal files have equal sums.
    release(folder, "--tagged", "--macos", f"build/macos/{macos}", "99.1.0", **GITHUB)
    assert set(sums.splitlines()) < set((made / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    check_links(made)
    check_recipes(made)
    check_address(folder)
    release(folder, "--tagged", "--no-windows", "--no-packages", "99.1.0")
    assert {path.suffix for path in made.iterdir()} == {".zip", ".gz", ".md", ""}
    assert run(folder, "git", "status", "--porcelain") == ""


def check_next(folder):
    """The next release takes the version that the first one opened. An error in its files is after the tag: the next run goes on there."""
    changelog = folder / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8").replace("## [Unreleased]\n", "## [Unreleased]\n\n- Another thing.\n")
    changelog.write_text(text, encoding="utf-8")
    run(folder, "git", "commit", "-q", "-a", "-m", "Another thing")
    said = release(folder, "--no-windows", "--next", "100.0.0", WITHOUT_NETWORK="yes", fails=True)
    assert said.endswith("v99.2.0 is tagged, but its files are not all made: go on here with --tagged and the same options\n"), said
    assert "use --tagged" in release(folder, "--no-windows", fails=True)
    release(folder, "--tagged", "--no-windows", "--no-packages", "--next", "100.0.0")
    check_commits(folder, "99.2.0", "100.0.0")
    made = folder / "build" / "release" / "99.2.0"
    assert {path.name for path in made.glob("gamewire-*")} == {
        "gamewire-99.2.0.tar.gz", "gamewire-captures-99.2.0.zip", "gamewire-profile-99.2.0.zip"}
    assert (made / "NOTES.md").read_text(encoding="utf-8").startswith("- Another thing.\n")


def check_version(source):
    """The source and its packages are of one version."""
    built = version.of_build((source / "CMakeLists.txt").read_text(encoding="utf-8"))
    packaged = re.match(r"gamewire \((\S+)-1\) ", (source / "debian/changelog").read_text(encoding="utf-8"))[1]
    assert packaged == built.replace("-", "~"), (packaged, built)


def check_first_release(source):
    """The section of a first release says in some lines what the plugin does, not what differs from versions that nobody has."""
    sections = re.split(r"^## ", (source / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    (first,) = [section for section in sections if "The first published release." in section]
    assert len(first.splitlines()) <= 20 and "### " not in first, first


def check_pages(source):
    """No page names a file of one version: the script does not change the pages."""
    for page in (source / "README.md", *(source / "plugin/docs").glob("*.md")):
        found = re.findall(r"\S*gamewire[-_][0-9]\S*", page.read_text(encoding="utf-8"))
        assert not found, f"{page.name}: {found}"


def main():
    if not shutil.which("git") or not Path("/usr/share/javascript/dygraphs").is_dir():
        print("git or libjs-dygraphs is not installed")
        return tree.SKIPPED
    check_pages(tree.source())
    check_version(tree.source())
    check_first_release(tree.source())
    with tempfile.TemporaryDirectory(prefix="gamewire-release-") as folder:
        repository(tree.source(), Path(folder))
        check_refusals(Path(folder))
        check_release(Path(folder))
    print("refused and made as it should")
    return 0


sys.exit(main())
