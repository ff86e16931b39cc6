# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""plugin/try.sh: packets, and the next steps after it; a wrong name is reported before anything is built."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(sys.argv[1])

CAPTURE = "pcaps/godot/variant/godot-4.6.3-game.pcap"
# For root, for whom Wireshark's personal plugin folder has no effect, and for others.
LAST_LINES = {
    True: ["  install    cmake --install {build} --component plugin", "  remove     cmake --build {build} --target uninstall",
           f"  open       wireshark -C Gamewire {CAPTURE}"],
    False: ["  install    cmake --build {build} --target install-user",
            "  remove     cmake --build {build} --target uninstall-user", f"  open       wireshark -C Gamewire {CAPTURE}"],
}[os.geteuid() == 0]


def run(command, **changes):
    return subprocess.run(command, cwd=SOURCE, env={**os.environ, **changes}, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def check(holds, what, done):
    if not holds:
        sys.exit(f"{what}\n{done.stdout}\n{done.stderr}")


def check_try(folder):
    build = str(folder / "build")
    wrong = run(["sh", "plugin/try.sh", "no-such.pcap"], GAMEWIRE_BUILD_DIR=build)
    check(wrong.returncode != 0 and "no such capture" in wrong.stderr and not Path(build).exists(), "try.sh: builds", wrong)
    done = run(["sh", "plugin/try.sh", CAPTURE], GAMEWIRE_BUILD_DIR=build)
    check(done.returncode == 0 and 'Dictionary {"cmd": "move"' in done.stdout, "try.sh: decodes nothing", done)
    lines = done.stderr.splitlines()
    wanted = [line.format(build=build) for line in LAST_LINES]
    check([line for line in lines if line in wanted] == wanted, "try.sh: does not say how to go on", done)


with tempfile.TemporaryDirectory() as scratch:
    check_try(Path(scratch))
