# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""plugin/try.sh: packets, and the next steps after it; a wrong name is reported before anything is built. Part of install.py, which
has built what try.sh builds."""

import os
import subprocess

CAPTURE = "pcaps/godot/variant/godot-4.6.3-game.pcap"
# For root, for whom Wireshark's personal plugin folder has no effect, and for others.
LAST_LINES = {
    True: ["  install    cmake --install {build} --component plugin", "  remove     cmake --build {build} --target uninstall",
           f"  open       wireshark -C Gamewire {CAPTURE}"],
    False: ["  install    cmake --build {build} --target install-user",
            "  remove     cmake --build {build} --target uninstall-user", f"  open       wireshark -C Gamewire {CAPTURE}"],
}[os.geteuid() == 0]


def run(project, build, capture):
    return subprocess.run(["sh", "plugin/try.sh", capture], cwd=project, env={**os.environ, "GAMEWIRE_BUILD_DIR": str(build)},
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
