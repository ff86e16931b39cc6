#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Installs the codecs alone, then compiles and runs the C programs of codecs/README.md against what was installed.

    readme_example.py SOURCE

Each program is compiled in four ways: with pkg-config, with CMake's find_package, with the sources as a folder of a CMake project,
and with nothing but the compiler and the two folders that a project would copy. Each prints the ```text block after it. The
headers are compiled as C++ as well, and find_package() is tried with a component that does not exist.
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

CMAKE_PROJECT = """\
cmake_minimum_required(VERSION 3.18)
project(example LANGUAGES C)
find_package(gamewire @VERSION@ REQUIRED COMPONENTS godot)
add_executable(example example.c)
target_link_libraries(example PRIVATE gamewire::godot)
"""

STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror"]


def run(*command, env=None):
    done = subprocess.run([str(part) for part in command], env={**os.environ, **(env or {})}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfailed with status {done.returncode}: {' '.join(map(str, command))}")
    return done.stdout


def examples(readme):
    """Each program, and its expected output."""
    found = re.findall(r"^```c\n(.*?)^```$.*?^```text\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    if len(found) != len(re.findall(r"^```c$", readme, re.MULTILINE)) or not found:
        sys.exit("expected ```c blocks in codecs/README.md, each with a ```text block after it")
    return found


def printed(readme, beginning):
    """The command of codecs/README.md that begins like this."""
    sentences = re.sub(r"^```.*?^```$", "", readme, flags=re.DOTALL | re.MULTILINE)
    (command,) = [span for span in re.findall(r"`([^`]+)`", sentences) if span.startswith(beginning)]
    return " ".join(command.split())


def minor_version(source):
    """Of the project: a package of another one is not compatible."""
    return re.search(r"^    VERSION (\d+\.\d+)\.\d+$", (source / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE).group(1)


def install_codecs(source, project, prefix, readme):
    """As described in codecs/README.md, in a copy of the sources."""
    for name in (*tree.files(source, "", folders=("codecs", "plugin", "LICENSES")), "CMakeLists.txt", "LICENSE"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, project / name)
    for command in (printed(readme, "cmake -G"), printed(readme, "cmake --install").replace("FOLDER", str(prefix))):
        run("sh", "-e", "-c", f"cd '{project}' && {command}", env={"CC": compiler.without_optimization(project)})


def by_pkg_config(work, prefix, source):
    command = printed((source / "codecs" / "README.md").read_text(encoding="utf-8"), "pkg-config").split()
    (folder,) = prefix.glob("lib*/**/pkgconfig")
    flags = run(*command, env={"PKG_CONFIG_PATH": str(folder)}).split()
    run(compiler.CC, *STRICT, work / "example.c", *flags, "-o", work / "by_pkg_config")
    return work / "by_pkg_config"


def by_find_package(work, prefix, source):
    (work / "CMakeLists.txt").write_text(CMAKE_PROJECT.replace("@VERSION@", minor_version(source)))
    run("cmake", "-S", work, "-B", work / "cmake", "-D", f"CMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", work / "cmake")
    return work / "cmake" / "example"


def unknown_component(work, prefix, source):
    """find_package() fails and names the component that does not exist, and only that."""
    folder = work / "unknown_component"
    folder.mkdir()
    project = CMAKE_PROJECT.replace("@VERSION@", minor_version(source)).replace("COMPONENTS godot", "COMPONENTS godot gadot")
    (folder / "CMakeLists.txt").write_text(project)
    (folder / "example.c").touch()
    done = subprocess.run(["cmake", "-S", folder, "-B", folder / "cmake", "-D", f"CMAKE_PREFIX_PATH={prefix}"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode == 0 or not re.search(r"Unknown or not installed: gadot$", done.stdout, re.MULTILINE):
        sys.exit(f"{done.stdout}\nexpected find_package() to fail and to name the component gadot alone")


def by_subdirectory(work, prefix, source):
    """The sources as a folder of the project, with the lines of the README."""
    readme = (source / "codecs" / "README.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^```cmake\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    folder = work / "with_subdirectory"
    folder.mkdir(exist_ok=True)
    shutil.copy(work / "example.c", folder)
    if not (folder / "gamewire").exists():
        (folder / "gamewire").symlink_to(work / "project")
    (folder / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.18)\nproject(example LANGUAGES C)\nadd_executable(example example.c)\n{lines}")
    run("cmake", "-S", folder, "-B", folder / "cmake")
    run("cmake", "--build", folder / "cmake")
    return folder / "cmake" / "example"


def by_copied_folders(work, prefix, source):
    folders = [source / "codecs" / name for name in ("common", "godot")]
    includes = [f"-I{folder / 'include'}" for folder in folders]
    objects = work / "copied_folders"
    if not objects.exists():
        objects.mkdir()
        for file in (file for folder in folders for file in sorted(folder.rglob("*.c"))):
            name = "-".join(file.relative_to(source).with_suffix(".o").parts)
            run(compiler.CC, *STRICT, *includes, "-c", file, "-o", objects / name)
    run(compiler.CC, *STRICT, *includes, work / "example.c", *sorted(objects.iterdir()), "-o", work / "by_copied_folders")
    return work / "by_copied_folders"


def headers_in_cxx(installed):
    """clang does this without a C++ library."""
    headers = sorted((installed / "gamewire").glob("*.h"))
    if len(headers) < 10:
        sys.exit(f"only {len(headers)} headers in {installed}")
    for header in headers:
        run("clang", "-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic-errors", "-fsyntax-only",
            f"-I{installed}", "-include", header, "/dev/null")


def main():
    source = Path(sys.argv[1]).resolve()
    readme = (source / "codecs" / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="gamewire-example-") as folder:
        work = Path(folder)
        prefix = work / "installed"
        install_codecs(source, work / "project", prefix, readme)
        headers_in_cxx(prefix / "include")
        unknown_component(work, prefix, source)
        for program, expected in examples(readme):
            (work / "example.c").write_text(program, encoding="utf-8")
            for way in (by_pkg_config, by_find_package, by_subdirectory, by_copied_folders):
                output = run(way(work, prefix, source))
                print(f"{way.__name__}:\n{output}")
                if output != expected:
                    sys.exit(f"expected, from the README:\n{expected}")


main()
