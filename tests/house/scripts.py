# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The output of the scripts: the progress of the package installation, and the next steps after try.sh."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(sys.argv[1])

# An apt-get that installs sixty packages, or fails; nothing was installed before.
PACKAGES = 60
STUBS = {
    "dpkg-query": "exit 1",
    "apt-cache": "echo 'Candidate: 1.0'",
    "sudo": 'exec "$@"',
    "apt-get": f"""
[ -z "${{FAILS:-}}" ] || {{ echo 'E: no space left'; exit 100; }}
echo '0 upgraded, {PACKAGES} newly installed, 0 to remove and 0 not upgraded.'
echo 'Need to get 117 MB of archives.'
for what in 'Get:1 a' 'Unpacking a' 'Setting up a'; do
    i=0
    while [ $i -lt {PACKAGES} ]; do echo "$what"; i=$((i + 1)); done
done""",
}
PROGRESS = ["Missing packages: example", "  Need to get 117 MB of archives.", "  fetched 25", "  fetched 50",
            f"  unpacked 25 of {PACKAGES} packages", f"  unpacked 50 of {PACKAGES} packages",
            f"  set up 25 of {PACKAGES} packages", f"  set up 50 of {PACKAGES} packages"]

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


def check_progress(folder):
    """Each step is printed when it begins, and the output of apt-get if it fails."""
    for name, body in STUBS.items():
        stub = folder / name
        stub.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        stub.chmod(0o755)
    command = ["sh", "-c", 'set -eu; source_dir=$PWD; . .ci/lib.sh; need example']
    path = f"{folder}:{os.environ['PATH']}"
    done = run(command, PATH=path)
    lines = done.stderr.splitlines()
    check(done.returncode == 0, "need: failed", done)
    check([line for line in lines if line in PROGRESS] == PROGRESS, "need: does not say how far it is", done)
    failed = run(command, PATH=path, FAILS="yes")
    check(failed.returncode != 0 and "E: no space left" in failed.stderr, "need: hides what went wrong", failed)


def check_try(folder):
    """Packets first, then how to install, to remove and to open; a wrong name is reported before anything is built."""
    build = str(folder / "build")
    wrong = run(["sh", "plugin/try.sh", "no-such.pcap"], GAMEWIRE_BUILD_DIR=build)
    check(wrong.returncode != 0 and "no such capture" in wrong.stderr and not Path(build).exists(), "try.sh: builds", wrong)
    done = run(["sh", "plugin/try.sh", CAPTURE], GAMEWIRE_BUILD_DIR=build)
    check(done.returncode == 0 and 'Dictionary {"cmd": "move"' in done.stdout, "try.sh: decodes nothing", done)
    lines = done.stderr.splitlines()
    wanted = [line.format(build=build) for line in LAST_LINES]
    check([line for line in lines if line in wanted] == wanted, "try.sh: does not say how to go on", done)


with tempfile.TemporaryDirectory() as scratch:
    check_progress(Path(scratch))
    check_try(Path(scratch))
