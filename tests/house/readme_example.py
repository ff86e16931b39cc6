#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Installs the codecs alone, then compiles and runs the C program of codecs/README.md against what was installed.

    readme_example.py SOURCE

The program is compiled three ways: with pkg-config, with CMake's find_package, and with nothing but the
compiler and the two folders that a project would copy. Where a ```text block follows the program in the
README, that is what each must print.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tree

CMAKE_PROJECT = """\
cmake_minimum_required(VERSION 3.18)
project(example LANGUAGES C)
find_package(gamewire 0.1 REQUIRED COMPONENTS godot)
add_executable(example example.c)
target_link_libraries(example PRIVATE gamewire::godot)
"""

STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
CC = os.environ.get("CC", "cc")


def run(*command, env=None):
    done = subprocess.run([str(part) for part in command], env={**os.environ, **(env or {})}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfailed with status {done.returncode}: {' '.join(map(str, command))}")
    return done.stdout


def example(readme):
    """The program, and what it prints or None."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    programs = [number for number, (language, _) in enumerate(blocks) if language == "c"]
    if len(programs) != 1:
        sys.exit(f"expected one ```c block in codecs/README.md, found {len(programs)}")
    following = blocks[programs[0] + 1 :]
    output = following[0][1] if following and following[0][0] == "text" else None
    return blocks[programs[0]][1], output


def printed(readme, beginning):
    """The one command of codecs/README.md that begins so."""
    sentences = re.sub(r"^```.*?^```$", "", readme, flags=re.DOTALL | re.MULTILINE)
    (command,) = [span for span in re.findall(r"`([^`]+)`", sentences) if span.startswith(beginning)]
    return " ".join(command.split())


def install_codecs(source, project, prefix, readme):
    """As codecs/README.md says it, in a copy of the sources."""
    for name in (*tree.files(source, "", folders=("codecs", "plugin", "LICENSES")), "CMakeLists.txt", "LICENSE"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, project / name)
    for command in (printed(readme, "cmake -G"), printed(readme, "cmake --install").replace("FOLDER", str(prefix))):
        run("sh", "-e", "-c", f"cd '{project}' && {command}")


def by_pkg_config(work, prefix, source):
    command = printed((source / "codecs" / "README.md").read_text(encoding="utf-8"), "pkg-config").split()
    (folder,) = prefix.glob("lib*/**/pkgconfig")
    flags = run(*command, env={"PKG_CONFIG_PATH": str(folder)}).split()
    run(CC, *STRICT, work / "example.c", *flags, "-o", work / "by_pkg_config")
    return work / "by_pkg_config"


def by_find_package(work, prefix, source):
    (work / "CMakeLists.txt").write_text(CMAKE_PROJECT)
    run("cmake", "-S", work, "-B", work / "cmake", "-D", f"CMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", work / "cmake")
    return work / "cmake" / "example"


def by_copied_folders(work, prefix, source):
    folders = [source / "codecs" / name for name in ("common", "godot")]
    includes = [f"-I{folder / 'include'}" for folder in folders]
    sources = [file for folder in folders for file in sorted(folder.rglob("*.c"))]
    run(CC, *STRICT, *includes, work / "example.c", *sources, "-o", work / "by_copied_folders")
    return work / "by_copied_folders"


def main():
    source = Path(sys.argv[1]).resolve()
    readme = (source / "codecs" / "README.md").read_text(encoding="utf-8")
    program, expected = example(readme)
    with tempfile.TemporaryDirectory(prefix="gamewire-example-") as folder:
        work = Path(folder)
        prefix = work / "installed"
        (work / "example.c").write_text(program, encoding="utf-8")
        install_codecs(source, work / "project", prefix, readme)
        for way in (by_pkg_config, by_find_package, by_copied_folders):
            printed = run(way(work, prefix, source))
            print(f"{way.__name__}:\n{printed}")
            if expected is not None and printed != expected:
                sys.exit(f"expected, from the README:\n{expected}")


main()
