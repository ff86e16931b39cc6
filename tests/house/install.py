#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Installs as the README says, into scratch folders, and removes it again.

    install.py SOURCE BUILD

The default configuration wants nothing of the tests; --prefix moves the codecs and installs no plugin; the plugin goes
where Wireshark looks, for all users or for one, and not twice; the uninstall targets leave nothing.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tree


def run(*command, fails=False, **env):
    done = subprocess.run([str(part) for part in command], env={**os.environ, "XDG_CONFIG_HOME": "", **env}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert (done.returncode != 0) == fails, f"{command}\n{done.stdout}"
    return done.stdout


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def cached(build, name):
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found and found.group(1)


def copy_built(build, scratch):
    """What was built already is not built again."""
    for pattern in ("codecs/*/*.a", "plugins/*/epan/gamewire.so"):
        for file in build.glob(pattern):
            target = scratch / file.relative_to(build)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)


def check_codecs(scratch, root):
    run("cmake", "--install", scratch, "--prefix", "/opt/elsewhere", DESTDIR=str(root))
    installed = files(root)
    assert "opt/elsewhere/include/gamewire/godot.h" in installed, installed
    assert all(name.startswith("opt/elsewhere/") for name in installed), installed
    assert not any(name.endswith(".so") for name in installed), installed
    run("cmake", "--build", scratch, "--target", "uninstall", DESTDIR=str(root))
    assert files(root) == []


def check_plugin(scratch, root):
    folder = cached(scratch, "GAMEWIRE_PLUGIN_INSTALL_DIR")
    run("cmake", "--install", scratch, "--component", "plugin", DESTDIR=str(root), HOME=str(root / "nobody"))
    installed = files(root)
    assert f"{folder.strip('/')}/gamewire.so" in installed, installed
    run("cmake", "--build", scratch, "--target", "uninstall", DESTDIR=str(root))
    assert files(root) == []


def check_user(source, scratch, home, system):
    plugin = next(scratch.glob("plugins/*/epan/gamewire.so"))
    version = plugin.parent.parent.name
    command = ["cmake", "-D", f"plugin={plugin}", "-D", f"wireshark_version={version}", "-D", f"system_folder={system}"]
    script = ["-P", source / "plugin" / "tools" / "install-user.cmake"]
    run(*command, *script, HOME=str(home))
    profile = [f".config/wireshark/profiles/Gamewire/{name}" for name in files(source / "plugin/profile/Gamewire")]
    assert files(home) == [*profile, f".local/lib/wireshark/plugins/{version}/epan/gamewire.so"]
    run(*command, "-D", "remove=ON", *script, HOME=str(home))
    assert files(home) == []
    run(*command, *script, HOME=str(home))
    (home / profile[0]).write_text("changed by its user", encoding="utf-8")
    run(*command, "-D", "remove=ON", *script, HOME=str(home))
    assert files(home) == profile
    shutil.rmtree(home / ".config")
    system.mkdir()
    shutil.copy(plugin, system)
    assert "already installed" in run(*command, *script, fails=True, HOME=str(home))
    assert files(home) == []


def main():
    source, build = tree.source(), Path(sys.argv[2]).resolve()
    plugin = bool(list(build.glob("plugins/*/epan/gamewire.so")))
    with tempfile.TemporaryDirectory(prefix="gamewire-install-") as folder:
        work = Path(folder)
        scratch = work / "build"
        for name in ("codecs", "plugin", "home"):
            (work / name).mkdir()
        run("cmake", "-S", source, "-B", scratch, *([] if plugin else ["-D", "GAMEWIRE_PLUGIN=OFF"]))
        assert cached(scratch, "GAMEWIRE_TESTS") == "OFF"
        assert cached(scratch, "CMOCKA_FOUND") is None
        copy_built(build, scratch)
        check_codecs(scratch, work / "codecs")
        if plugin:
            check_plugin(scratch, work / "plugin")
            check_user(source, scratch, work / "home", work / "system")
    print("installed and removed:", "codecs and plugin" if plugin else "codecs")


main()
