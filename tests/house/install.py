#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Installs as plugin/docs/installing.md says, into scratch folders, and removes it again.

    install.py SOURCE BUILD

The default configuration needs nothing of the tests; the page's commands work in their order and without make, and plugin/try.sh
after them (try_script.py): both build the same; --prefix moves the codecs and installs no plugin; plugin and profile go where Wireshark looks, for all users or for one, on Windows too, and
not twice; root's install-user is refused; no link in the installed pages leads nowhere; the uninstall targets leave no file, and no folder of the project's, but files of the
profile that the user changed or added.

For root, the parts about one user run as the unprivileged one.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import compiler
import tree
import try_script

NOBODY = 65534
CAPTURE = "pcaps/leviathan/session.pcap"


def run(*command, fails=False, user=None, **env):
    done = subprocess.run([str(part) for part in command], env={**os.environ, "XDG_CONFIG_HOME": "", **env}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, user=user, group=user,
                          extra_groups=None if user is None else [])
    assert (done.returncode != 0) == fails, f"{command}\n{done.stdout}"
    return done.stdout


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def packs_of(source):
    """Names of the packs, which are installed beside the plugin."""
    return sorted(path.name for path in (source / "plugin/packs").glob("*.lua"))


def folders(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir())


def unprivileged():
    """The user as which Wireshark runs in this test; None is the caller."""
    return NOBODY if os.geteuid() == 0 else None


def tshark(home, *arguments, **changes):
    """In the environment of a user's command, without the settings of this machine."""
    return run("tshark", *arguments, user=unprivileged(), HOME=str(home), **changes)


def check_wireshark(source, home, **env):
    """tshark loads the plugin and has the profile, with columns of ports."""
    capture = home / "capture"
    shutil.copy(source / CAPTURE, capture)
    assert re.search(r"^gamewire\.so\s", tshark(home, "-G", "plugins", **env), re.MULTILINE)
    packets = tshark(home, "-n", "-C", "Gamewire", "-r", capture, **env)
    assert re.search(r"40001 127\.0\.0\.1 +53221 Leviathan 64 1001 +Request Connect\b", packets) and "does not exist" not in packets, packets
    capture.unlink()


def cached(build, name):
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found and found.group(1)


def copy_built(build, scratch):
    """Files that were built already are not built again."""
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


def open_to_all(folder):
    """The files that the unprivileged user must read."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def home_below(folder):
    """An empty home of the user as which Wireshark runs."""
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    if unprivileged() is not None:
        os.chown(home, NOBODY, NOBODY)
    return home


def data_folder():
    """The folder from which this tshark reads the profiles of all users, as printed by it."""
    return re.search(r"^Global configuration:\s*(\S+)$", run("tshark", "-G", "folders"), re.MULTILINE).group(1)


def check_plugin(source, scratch, root, loads):
    folder = cached(scratch, "GAMEWIRE_PLUGIN_INSTALL_DIR")
    run("cmake", "--install", scratch, "--component", "plugin", DESTDIR=str(root), HOME=str(root / "nobody"))
    installed = files(root)
    assert f"{folder.strip('/')}/gamewire.so" in installed, installed
    assert {f"{folder.strip('/')}/{name}" for name in packs_of(source)} <= set(installed), installed
    assert [name for name in installed if name.endswith("/gamewire/packs/netfox_properties.gd")], installed
    profile = f"{data_folder().strip('/')}/profiles/Gamewire"
    expected = [f"{profile}/{name}" for name in files(source / "plugin/profile/Gamewire")]
    assert [name for name in installed if "/profiles/" in name] == expected, installed
    (pages,) = root.rglob("doc/gamewire-wireshark")
    assert len(list(pages.rglob("*.md"))) > 20 and list(tree.link_problems(pages)) == []
    open_to_all(root)
    if loads:
        check_wireshark(source, home_below(root.parent), WIRESHARK_DATA_DIR=str((root / profile).parents[1]),
                        WIRESHARK_PLUGIN_DIR=str((root / folder.strip("/")).parents[1]))
    run("cmake", "--build", scratch, "--target", "uninstall", DESTDIR=str(root))
    assert files(root) == []
    assert not [name for name in folders(root) if "gamewire" in name.lower()], folders(root)


def check_kept_files(home, profile, install):
    """Files that the user changed or added remain, and are reported, except `recent`, which Wireshark writes at its
    end."""
    folder = (home / profile[0]).parent
    changed, added = folder / "colorfilters", folder / "godot_rpc_names"
    for path in (changed, added, folder / "recent"):
        path.write_text("# written later\n", encoding="utf-8")
    printed = install("-D", "remove=ON")
    assert files(home) == sorted(str(path.relative_to(home)) for path in (changed, added)), files(home)
    assert f"Left in {folder}, changed or added since: colorfilters godot_rpc_names\n" in printed, printed
    printed = install()
    assert set(profile) < set(files(home)) and changed.read_text(encoding="utf-8") == "# written later\n"
    assert f"Kept in {folder}, changed since they were installed: colorfilters\n" in printed, printed
    for path in (changed, added):
        path.unlink()
    printed = install("-D", "remove=ON")
    assert files(home) == [] and "Left" not in printed, printed


def check_renewed_files(home, profile, folder, install):
    """After an upgrade: files that the user did not change are those of the new version."""
    in_source = folder / "profile" / "Gamewire" / "dfilter_buttons"
    with in_source.open("a", encoding="utf-8") as file:
        file.write("# of the next version\n")
    printed = install()
    assert "Kept" not in printed, printed
    assert (home / profile[0]).with_name("dfilter_buttons").read_text(encoding="utf-8").endswith("# of the next version\n")


def check_user(source, scratch, folder, loads):
    plugin = shutil.copy(next(scratch.glob("plugins/*/epan/gamewire.so")), folder)
    version = next(scratch.glob("plugins/*")).name
    for name in ("tools", "profile", "packs"):
        shutil.copytree(source / "plugin" / name, folder / name)
    system = folder / "system"
    open_to_all(folder)
    home = home_below(folder)
    script = ["-P", folder / "tools" / "install-user.cmake"]
    command = ["cmake", "-D", f"plugin={plugin}", "-D", f"wireshark_version={version}", "-D", f"system_folder={system}",
               "-D", "build=BUILD"]

    def install(*options, **changes):
        return run(*command, *options, *script, **{"user": unprivileged(), "HOME": str(home), **changes})

    install()
    profile = sorted(f".config/wireshark/profiles/Gamewire/{name}"
                     for name in (*files(source / "plugin/profile/Gamewire"), "gamewire_installed.txt"))
    assert files(home) == [*profile, *(f".local/lib/wireshark/plugins/{version}/epan/{name}" for name in ("gamewire.so", *packs_of(source)))]
    if loads:
        check_wireshark(source, home)
    install("-D", "remove=ON")
    assert files(home) == []
    assert folders(home) == [".config", ".local", ".local/lib"]
    install()
    check_renewed_files(home, profile, folder, install)
    check_kept_files(home, profile, install)
    home = home_below(folder)
    system.mkdir()
    shutil.copy(plugin, system)
    refused = install(fails=True)
    assert "already installed" in refused and "cmake --build BUILD --target uninstall" in " ".join(refused.split()), refused
    shutil.rmtree(system)
    if os.geteuid() == 0:
        refused = " ".join(install(fails=True, user=None).split())
        assert "as root, Wireshark ignores" in refused and "cmake --install BUILD --component plugin" in refused, refused
    assert files(home) == []


def check_windows(source, tools, folder):
    """What the target does on Windows: all of it is below %APPDATA%. tests/windows.sh starts tshark.exe with it."""
    settings, plugin = folder / "AppData" / "Roaming", folder / "gamewire.dll"
    settings.mkdir(parents=True)
    plugin.write_bytes(b"MZ")
    open_to_all(folder)
    give_to_user(folder)
    command = ["cmake", "-D", "CMAKE_HOST_WIN32=ON", "-D", f"plugin={plugin}", "-D", "wireshark_version=4.4",
               "-D", f"system_folder={folder / 'system'}", "-D", "build=BUILD"]
    script = ["-P", tools / "install-user.cmake"]
    run(*command, *script, user=unprivileged(), APPDATA=str(settings))
    profile = sorted(f"Wireshark/profiles/Gamewire/{name}" for name in (*files(source / "plugin/profile/Gamewire"), "gamewire_installed.txt"))
    packs = [f"Wireshark/plugins/4.4/epan/{name}" for name in ("gamewire.dll", *packs_of(source))]
    assert files(settings) == sorted([*packs, *profile])
    run(*command, "-D", "remove=ON", *script, user=unprivileged(), APPDATA=str(settings))
    assert files(settings) + folders(settings) == []
    assert "APPDATA is not set" in run(*command, *script, fails=True, user=unprivileged(), APPDATA="")


def printed_commands(source):
    """How to build, and a table how to install and to remove."""
    page = (source / "plugin/docs/installing.md").read_text(encoding="utf-8")
    part = page.split("\n## Build it\n")[1].split("\n## ")[0]
    build = re.search(r"^```sh\n(.*?)^```$", part, re.DOTALL | re.MULTILINE).group(1).splitlines()
    rows = dict((row[0], row[1:]) for row in re.findall(r"^\| ([\w ]+) \| `([^`]+)` \| `([^`]+)` \|$", part, re.MULTILINE))
    assert build and set(rows) == {"for yourself", "for all users"}, (build, rows)
    return build, rows


def without_make(folder):
    """A PATH with all programs except make, which is not on a system where only try.sh has run."""
    folder.mkdir()
    for each in filter(os.path.isdir, os.environ["PATH"].split(":")):
        for program in Path(each).glob("*"):
            if not re.fullmatch(r"(g|b)?make", program.name) and not (folder / program.name).exists():
                (folder / program.name).symlink_to(program)
    return str(folder)


def copy_source(source, folder):
    # What the package installs from other folders.
    pages = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "pcaps/README.md",
             "tests/captures/godot/keys.c", "tests/captures/godot/session_keys.c")
    of_try_script = (".ci/lib.sh", try_script.CAPTURE)
    for name in (*tree.files(source, "", folders=("codecs", "plugin", "LICENSES")), *pages, *of_try_script, "CMakeLists.txt",
                 "CMakePresets.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, folder / name)


def give_to_user(folder):
    """For the user that installs for himself, who also built."""
    if unprivileged() is not None:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def check_page(source, work, loads):
    """The page's commands, in their order, in a copy of the sources. "For all users" goes below another folder than /."""
    build, rows = printed_commands(source)
    project, root = work / "project", work / "root"
    copy_source(source, project)
    root.mkdir()
    here = {"PATH": without_make(work / "bin"), "CMAKE_GENERATOR": "", "CC": compiler.without_optimization(work)}

    def printed(command, **changes):
        return run("sh", "-e", "-c", f"cd '{project}' && {command.removeprefix('sudo ')}", **here, **changes)

    for command in build:
        printed(command)
    assert cached(project / "build" / "plugin", "CMAKE_GENERATOR") == "Ninja"
    try_script.check(project, work)
    give_to_user(project)
    home = home_below(work)
    install, remove = rows["for yourself"]
    if Path(cached(project / "build" / "plugin", "GAMEWIRE_PLUGIN_INSTALL_DIR"), "gamewire.so").exists():
        assert "already installed" in printed(install, fails=True, user=unprivileged(), HOME=str(home))
    else:
        printed(install, user=unprivileged(), HOME=str(home))
        if loads:
            check_wireshark(source, home)
        printed(remove, user=unprivileged(), HOME=str(home))
    assert not [name for name in files(home) if "amewire" in name], files(home)
    install, remove = rows["for all users"]
    assert install.startswith("sudo ") and remove.startswith("sudo ")
    printed(install, DESTDIR=str(root))
    assert [name for name in files(root) if name.endswith("/gamewire.so")], files(root)
    printed(remove, DESTDIR=str(root))
    assert files(root) == []


def main():
    source, build = tree.source(), Path(sys.argv[2]).resolve()
    plugin = bool(list(build.glob("plugins/*/epan/gamewire.so")))
    # A plugin with sanitizers needs their libraries before tshark starts.
    loads = cached(build, "GAMEWIRE_SANITIZE") != "ON"
    with tempfile.TemporaryDirectory(prefix="gamewire-install-") as folder:
        work = Path(folder)
        scratch = work / "build"
        work.chmod(0o755)
        for name in ("codecs", "plugin", "user", "windows"):
            (work / name).mkdir()
        run("cmake", "-S", source, "-B", scratch, *([] if plugin else ["-D", "GAMEWIRE_PLUGIN=OFF"]))
        assert cached(scratch, "GAMEWIRE_TESTS") == "OFF"
        assert cached(scratch, "CMOCKA_FOUND") is None
        copy_built(build, scratch)
        check_codecs(scratch, work / "codecs")
        if plugin:
            check_plugin(source, scratch, work / "plugin", loads)
            check_user(source, scratch, work / "user", loads)
            check_windows(source, work / "user" / "tools", work / "windows")
            check_page(source, work, loads)
    print("installed and removed:", "codecs and plugin" if plugin else "codecs")


main()
