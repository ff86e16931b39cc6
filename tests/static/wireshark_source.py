# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's own checks of source files, from the source package of Debian 12: those of later versions print other texts.

`checks(folder, source)` returns a folder with tools/ and epan/tfs.c of that source. It is fetched by apt once and kept in
`folder`; neither root nor a change of the system's configuration is needed, since apt gets lists, caches and sources of its
own. apt compares the archive with the checksum in Debian's signed lists.
"""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

WANTED = ("tools/", "epan/tfs.c")
SUITE = "bookworm"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def source_lines(source):
    """The lines of sources.list for the source packages, from the mirror that this machine's apt uses."""
    script = source / "tests" / "debian-chroot.sh"
    lines = subprocess.run(["bash", script, "--sources", SUITE], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    key = f"deb-src [signed-by={KEYRING}] " if KEYRING.exists() else "deb-src "
    # Of the release itself: not every mirror of its updates has their sources.
    return "".join(line.replace("deb ", key, 1) + "\n" for line in lines.splitlines() if line.split()[2] == SUITE)


def apt_get(folder, *arguments):
    """apt-get with its lists and caches in `folder`, where it also leaves the source archive."""
    options = {
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder / "cache",
        "APT::Sandbox::User": "",
    }
    command = ["apt-get", "-q", *(word for name, value in options.items() for word in ("-o", f"{name}={value}")), *arguments]
    subprocess.run(command, check=True, cwd=folder, env={**os.environ, "LC_ALL": "C.UTF-8"})


def unpack(archive, folder):
    """Unpacks the required files, without the name of the top folder."""
    with tarfile.open(archive) as source:
        for member in source:
            path = member.name.partition("/")[2]
            if member.isfile() and path.startswith(WANTED):
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(source.extractfile(member).read())


def fetch(folder, source):
    """The archive of Wireshark's source, in `folder`."""
    for name in ("lists", "cache"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "sources.list").write_text(source_lines(source), encoding="utf-8")
    apt_get(folder, "update")
    # --only-source: apt 3 would look for the source of the installed package's version.
    apt_get(folder, "source", "--only-source", "--download-only", "--tar-only", "wireshark")
    for name in ("lists", "cache"):
        shutil.rmtree(folder / name)
    archive, = folder.glob("wireshark_*.orig.tar.*")
    return archive


def checks(folder, source):
    folder = Path(folder).resolve()
    unpacked = folder / SUITE
    complete = unpacked / ".complete"
    if complete.exists():
        return unpacked
    folder.mkdir(parents=True, exist_ok=True)
    archive = fetch(folder, source)
    unpack(archive, unpacked)
    archive.unlink()
    complete.touch()
    return unpacked
