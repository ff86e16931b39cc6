# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""plugin/try.sh: packets, and the next steps after it; a wrong name is reported before anything is built. Part of install.py, which
has built what try.sh builds."""

import os
import shutil
import stat
import subprocess

CAPTURE = "pcaps/godot/variant/godot-4.6.3-game.pcap"
# For root, for whom Wireshark's personal plugin folder has no effect, and for others.
LAST_LINES = {
    True: ["  install    cmake --install {build} --component plugin", "  remove     cmake --build {build} --target uninstall",
           f"  open       wireshark -C Gamewire {CAPTURE}"],
    False: ["  install    cmake --build {build} --target install-user",
            "  remove     cmake --build {build} --target uninstall-user", f"  open       wireshark -C Gamewire {CAPTURE}"],
}[os.geteuid() == 0]


# In the place of tshark: lists the modes of the files that the script made for it, and what the user may not read of them.
LISTING = """#!/bin/sh
for file in "${0%/*}"/../tmp/gamewire-try.* "${0%/*}"/../tmp/gamewire-try.*/capture "${0%/*}"/../tmp/gamewire-try.*/capture/*; do
    test -r "$file" && stat -c '%n %a %u %g' "$file" >>"${0%/*}/../modes"
done
exec REAL "$@"
"""


def run(project, build, *arguments, **env):
    return subprocess.run(["sh", "plugin/try.sh", *map(str, arguments)], cwd=project, env={**os.environ, "GAMEWIRE_BUILD_DIR": str(build), **env},
                          stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def check(project, scratch):
    """`project` was built in build/plugin."""
    wrong = run(project, scratch / "not-built", "no-such.pcap")
    assert wrong.returncode != 0 and "no such capture" in wrong.stderr and not (scratch / "not-built").exists(), wrong
    build = project / "build" / "plugin"
    done = run(project, build, CAPTURE)
    assert done.returncode == 0 and 'Dictionary {"cmd": "move"' in done.stdout, done
    wanted = [line.format(build=build) for line in LAST_LINES]
    assert [line for line in done.stderr.splitlines() if line in wanted] == wanted, done
    check_window(project, build, scratch / "window")
    if os.geteuid() == 0:
        check_copy(project, build, scratch / "copy")


# In the place of wireshark: what it is started with.
WINDOW = """#!/bin/sh
{
    echo "$@"
    grep geometry "$WIRESHARK_CONFIG_DIR/recent_common"
    ls "$WIRESHARK_CONFIG_DIR/profiles"
} >"${0%/*}/../window"
"""


def check_window(project, build, folder):
    """Maximized, with the profile; the title is the name of the file that is opened. Without a screen nothing is installed or built."""
    done = run(project, folder / "not-built", "--window", CAPTURE, DISPLAY="", WAYLAND_DISPLAY="", PATH="/usr/bin:/bin")
    assert done.returncode != 0 and done.stderr.count("\n") == 1 and "no screen" in done.stderr, done
    assert not (folder / "not-built").exists()
    (folder / "bin").mkdir(parents=True)
    folder.chmod(0o777)
    program = folder / "bin" / "wireshark"
    program.write_text(WINDOW, encoding="utf-8")
    program.chmod(0o755)
    capture = folder / "my game.pcap"
    shutil.copy(project / CAPTURE, capture)
    capture.chmod(0o600)
    done = run(project, build, "--window", capture, PATH=f"{folder / 'bin'}:{os.environ['PATH']}", DISPLAY=":99")
    assert done.returncode == 0, done
    command, *settings = (folder / "window").read_text(encoding="utf-8").splitlines()
    assert command.startswith("-C Gamewire -r ") and command.endswith("/my game.pcap"), command
    assert settings == ["gui.geometry_main_width: 1280", "gui.geometry_main_height: 700", "gui.geometry_main_maximized: TRUE",
                        "Gamewire"], settings


def check_copy(project, build, folder):
    """Root's capture that no other user can read is given to the one that tshark runs as, and to no one else."""
    for name in ("bin", "tmp", "private"):
        (folder / name).mkdir(parents=True)
    (folder / "private").chmod(0o700)
    (folder / "modes").touch()
    (folder / "modes").chmod(0o666)
    capture = folder / "private" / "game.pcap"
    shutil.copy(project / CAPTURE, capture)
    program = folder / "bin" / "tshark"
    program.write_text(LISTING.replace("REAL", shutil.which("tshark")), encoding="utf-8")
    program.chmod(0o755)
    done = run(project, build, capture, PATH=f"{folder / 'bin'}:{os.environ['PATH']}", TMPDIR=str(folder / "tmp"))
    assert done.returncode == 0 and 'Dictionary {"cmd": "move"' in done.stdout, done
    modes = {tuple(line.split()[1:]) for line in (folder / "modes").read_text(encoding="utf-8").splitlines()}
    assert modes == {("750", "0", "65534"), ("400", "65534", "65534")}, modes
    assert not list((folder / "tmp").iterdir()) and stat.S_IMODE(capture.stat().st_mode) & 0o077 == stat.S_IMODE((project / CAPTURE).stat().st_mode) & 0o077
