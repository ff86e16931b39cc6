# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""uPlot, the library that draws the report's charts. Packages contain it in the folder `charts` beside this one; in a source tree
npm brings it once into the user's cache. Its version and its hash are fixed here.

    python3 -m gamewire_tools.charts FOLDER     puts the library into FOLDER, for the packaging scripts
"""

import base64
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "uplot"
VERSION = "1.6.32"
# Of the package in the registry, as in a package-lock.json.
SHA512 = "KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw=="
FILES = {"package/dist/uPlot.iife.min.js": "uPlot.iife.min.js", "package/dist/uPlot.min.css": "uPlot.min.css",
         "package/LICENSE": "LICENSE"}


class Missing(Exception):
    """The library is not there and could not be brought."""


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(base) / "gamewire" / f"{PACKAGE}-{VERSION}"


def is_complete(folder):
    return all((folder / name).is_file() for name in FILES.values())


def find():
    """The folder with the library: that of the package, or the cache, which npm fills if it is empty."""
    for folder in (Path(__file__).resolve().parents[1] / "charts", cache()):
        if is_complete(folder):
            return folder
    bring(cache())
    return cache()


def bring(folder):
    """Gets the package from npm's registry, compares its hash, and writes its files into the folder."""
    npm = shutil.which("npm")
    if not npm:
        raise Missing(f"The charts need {PACKAGE} {VERSION}, which this source tree does not contain and npm gets once. Install npm "
                      f"(on Debian: apt install npm), or put {', '.join(FILES.values())} of that version into {folder}. "
                      "--json needs no charts.")
    with tempfile.TemporaryDirectory(prefix="gamewire-charts-") as scratch:
        command = [npm, "pack", f"{PACKAGE}@{VERSION}", "--loglevel=error", "--fetch-retries=1"]
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
        archives = list(Path(scratch).glob("*.tgz"))
        if done.returncode or not archives:
            raise Missing(f"npm could not get {PACKAGE} {VERSION}: {reason(done.stderr)}. --json needs no charts.")
        unpack(archives[0].read_bytes(), folder)


def reason(errors):
    """What npm says of a failure: of its lines, the one that names the cause."""
    lines = [line.removeprefix("npm ERR!").removeprefix("npm error").strip() for line in errors.splitlines()]
    return next((line for line in lines if "reason:" in line), " ".join(lines)[:300])


def unpack(archive, folder):
    if base64.b64encode(hashlib.sha512(archive).digest()).decode() != SHA512:
        raise Missing(f"the package of {PACKAGE} {VERSION} does not have the expected hash")
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for name, target in FILES.items():
            (folder / target).write_bytes(files.extractfile(name).read())


def main():
    try:
        bring(Path(sys.argv[1]))
    except Missing as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
