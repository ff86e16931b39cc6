#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The folder that the scripts build in where they cannot build in the source tree: it is below the temporary folder, no other user can
enter it, the next run finds it again, and nothing that another user made there in advance is used or changed.

    build_folder.py SOURCE
"""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import tree

SCRIPT = """. "$0/.ci/lib.sh"
source_dir=/dev/null
choose_build_dir build
printf '%s' "$build_dir"
"""


def chosen(temporary):
    env = {name: value for name, value in os.environ.items() if name != "GAMEWIRE_BUILD_DIR"}
    done = subprocess.run(["sh", "-euc", SCRIPT, str(tree.source())], env={**env, "TMPDIR": str(temporary)}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    return Path(done.stdout)


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def check_private(path, temporary):
    assert path.parent == temporary and path.is_dir() and not path.is_symlink(), path
    assert mode(path) == 0o700 and path.lstat().st_uid == os.geteuid(), path


def check_refused(name, temporary, make, changed):
    """Another folder is chosen, and what `make` made at this name is as before."""
    make(name)
    before = changed(name)
    found = chosen(temporary)
    assert found != name and found.resolve().parent == temporary, found
    check_private(found, temporary)
    assert changed(name) == before, before


def main():
    with tempfile.TemporaryDirectory(prefix="gamewire-folder-") as folder:
        temporary, target = Path(folder).resolve() / "tmp", Path(folder).resolve() / "target"
        temporary.mkdir()
        target.mkdir(mode=0o755)
        first = chosen(temporary)
        check_private(first, temporary)
        (first / "built").touch()
        assert chosen(temporary) == first and (first / "built").exists()
        shutil.rmtree(first)

        # A link to a folder of this user, and one to a folder that is private already.
        for permissions in (0o755, 0o700):
            target.chmod(permissions)
            check_refused(first, temporary, lambda name: name.symlink_to(target), lambda _: (mode(target), os.listdir(target)))
            first.unlink()
        # What everybody can write into, a file, and for root a folder of another user.
        check_refused(first, temporary, lambda name: (name.mkdir(), name.chmod(0o777)), mode)
        first.rmdir()
        check_refused(first, temporary, Path.touch, mode)
        first.unlink()
        if os.geteuid() == 0:
            check_refused(first, temporary, lambda name: (name.mkdir(mode=0o700), os.chown(name, 65534, 65534)), mode)
    print("private, and found again")


sys.exit(main())
