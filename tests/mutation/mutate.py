#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Changes the code in small ways and sees whether its own tests notice.

    mutate.py [--part godot] [--count 200 | --all] [--seed 1] [--only FILE[:LINE]] [--lines FILE] [--seconds 60] [--keep FILE]

A part is a codec (godot) or a folder of the plugin (plugin/godot). A mutant is one source file with one change: a
comparison turned, a bound or constant off by one, an operator replaced, a condition forced, a statement taken out, a
return value changed. It is built in a copy of the tree and the part's tests run until one fails or takes far too long:
the mutant is killed. When all tests of a codec pass, the inputs near to the captures (tests/fuzz) are tried as well.
Mutants that do not compile, or compile to the same machine code, count for nothing; neither do those that
equivalent.txt explains.

A test of the plugin starts tshark, and there are hundreds. So they run once in a build with counters, which tells the
lines that each of them runs (lines_of_tests.py); of a mutant, only those run that reach its line: first one test of each
file, then file by file, those first that run most lines of the mutant's source a second. --lines keeps what was found, for
further samples of the same code and tests.
--seconds gives up on a mutant after tests that take so long: what then survives may be killed by a slower one.

--only is a regular expression for the file's name.

A sample depends on the seed and on the text of the lines: of code that was changed elsewhere it has the same mutants. --keep reads
and writes a file with the result of each, a line each: one that was killed is not tried again. So a sample can be interrupted, and
its survivors are tried again after a test was added.

Prints each survivor and the rate. Exit status 1 when it is below --goal.
"""

import argparse
import functools
import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable  # Debian's, for which pytest is

# The tests of each part. All of Godot's use what is shared.
TESTS = {
    "common": r"test_(common|godot)_",
    "enet": r"test_enet",
    "godot": r"test_godot_",
    "leviathan": r"test_leviathan",
    "squirrel": r"test_squirrel",
}
NEAR = {
    "common": "near_text_common",
    "enet": "near_(read|range|fastlz)_enet",
    "godot": "near_(read|write|detect)_godot",
    "leviathan": "near_(read|write)_leviathan",
    "squirrel": "near_(read|write)_squirrel",
}

# The tests of a folder of the plugin: programs of pytest, relative to tests/.
ALL = ("plugin/all/test_existence.py", "plugin/all/test_fields.py", "plugin/all/test_interleaved.py", "plugin/all/test_json.py",
       "plugin/all/test_positions.py")
PLUGIN_TESTS = {
    "plugin/common": ("plugin/*/test_recognition.py", "plugin/*/test_analysis.py", "plugin/godot/variant/test_conversations.py",
                      "plugin/squirrel/test_captures.py", "plugin/leviathan/test_captures.py", "plugin/enet/test_captures.py",
                      "plugin/*/test_experts.py", "plugin/all/test_flow.py", "plugin/all/test_statistics.py",
                      "plugin/all/test_export.py", "plugin/all/test_connections.py", "plugin/all/test_damaged.py",
                      "plugin/all/test_unread.py", "plugin/all/test_websocket_ports.py", "plugin/all/test_loaded.py",
                      "plugin/godot/variant/test_limits.py", "plugin/tools/test_json_lines.py", "strangers/test_damaged.py",
                      "strangers/test_found*.py", "strangers/test_recognition.py", *ALL),
    "plugin/enet": ("plugin/enet/test_*.py", "plugin/all/test_flow.py", "plugin/all/test_export.py",
                    "plugin/all/test_statistics.py", "plugin/all/test_own_bytes.py", "plugin/godot/multiplayer/test_captures.py",
                    "plugin/godot/multiplayer/test_missing_nodes.py", *ALL),
    "plugin/godot": ("plugin/godot/*/test_*.py", "plugin/all/test_flow.py", "plugin/all/test_export.py",
                     "plugin/all/test_statistics.py", "plugin/all/test_bytes.py", "plugin/all/test_large_messages.py", "plugin/all/test_own_bytes.py",
                     "plugin/all/test_damaged.py", "plugin/packs/test_netfox.py", "strangers/test_data_channels.py", *ALL),
    "plugin/leviathan": ("plugin/leviathan/test_*.py", "plugin/all/test_flow.py", "plugin/all/test_statistics.py", *ALL),
    "plugin/squirrel": ("plugin/squirrel/test_*.py", "plugin/all/test_statistics.py", *ALL),
}
# Random values and strides: fewer than usual, because there are hundreds of runs.
ENVIRONMENT = {"GAMEWIRE_ROUND_TRIPS": "20000"}
NEAR_STRIDE = "4001"

# ---- making mutants --------------------------------------------------------------------------------------------

SWAPS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["&"],
    "+=": ["-="], "-=": ["+="], "|=": ["&=", "="], "&=": ["|="], "++": ["--"], "--": ["++"],
}
OPERATOR = re.compile(r"(?<=[\w)\]] )(<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\|=|&=|[<>+\-*/%&|^])(?= )|\+\+|--")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])")
NEGATION = re.compile(r"!(?=[\w(*])(?!=)")
CONDITION = re.compile(r"\b(if|while) \(")
RETURN = re.compile(r"\breturn ([^;{}]+);")
STATEMENT = re.compile(r"(?m)^ +((?:[a-z_][\w.>\[\]()-]*(?:\(|\+\+|--| [-+|&]?= )|\+\+|--)[^;{}]*;)$")
BOOLEAN = re.compile(r"\b(true|false)\b")
LEFT_OUT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|"
                      r"_Static_assert\([^;]*;|^static int \w+ = -1;|\{ 0, NULL \}", re.S | re.M)


@dataclass(frozen=True)
class Mutant:
    file: str
    start: int
    end: int
    new: str
    line: int
    column: int
    old: str

    def __str__(self):
        old, new = (re.sub(r"\s+", " ", text) for text in (self.old, self.new or "(nothing)"))
        return f"{self.file}:{self.line}:{self.column}: {old}  ->  {new}"


def code_only(text):
    """The text with comments, literals and preprocessor lines blanked, character for character."""
    return LEFT_OUT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def matching_bracket(code, at):
    depth = 0
    for i in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if depth == 0:
            return i
    return None


def changes(code):
    """(start, end, replacement) of each change that can be made."""
    for found in OPERATOR.finditer(code):
        for other in SWAPS[found.group()]:
            yield found.start(), found.end(), other
    for found in NUMBER.finditer(code):
        value = int(found.group(1), 0)
        for other in {value + 1, max(value - 1, 0)} - {value}:
            text = hex(other) if found.group(1)[:2] in ("0x", "0X") else str(other)
            yield found.start(), found.end(), text + found.group(2)
    for found in NEGATION.finditer(code):
        yield found.start(), found.end(), ""
    for found in BOOLEAN.finditer(code):
        yield found.start(), found.end(), "false" if found.group() == "true" else "true"
    for found in CONDITION.finditer(code):
        end = matching_bracket(code, found.end() - 1)
        inside = code[found.end():end]
        yield found.end(), end, f"({inside}) && 0"
        if found.group(1) == "if":
            yield found.end(), end, f"({inside}) || 1"
    for found in RETURN.finditer(code):
        value = found.group(1)
        if value not in ("0", "NULL", "true", "false"):
            yield found.start(1), found.end(1), "0"
        if value not in ("0", "1", "true", "false") and re.search(r" (==|!=|<|>|<=|>=|&&|\|\|) ", value):
            yield found.start(1), found.end(1), "1"
    for found in STATEMENT.finditer(code):
        yield found.start(1), found.end(1), ";"


def mutants_of(file):
    text = (SOURCE / file).read_text(encoding="utf-8")
    code = code_only(text)
    seen = set()
    for start, end, new in changes(code):
        if (start, end, new) not in seen:
            seen.add((start, end, new))
            line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            yield Mutant(file, start, end, new, line, column, text[start:end])


def explained():
    """Lines of equivalent.txt without the reasons: names of mutants (named()), or what several names begin with."""
    lines = (HERE / "equivalent.txt").read_text(encoding="utf-8").splitlines()
    return {line.rsplit(" | ", 1)[0] for line in lines if line and not line.startswith("#")}


@functools.lru_cache(maxsize=None)
def lines_of(file):
    return (SOURCE / file).read_text(encoding="utf-8").splitlines()


def name_of(mutant):
    """The file, the line of code without its indentation, and the change."""
    code = lines_of(mutant.file)[mutant.line - 1].strip()
    old, new = (re.sub(r"\s+", " ", part) for part in (mutant.old, mutant.new))
    return f"{mutant.file}: {code} | {old} -> {new}"


# ---- building and running ----------------------------------------------------------------------------------------

class Tree:
    """A copy of the source tree with a build of its own."""

    def __init__(self, folder, part):
        self.source = Path(folder) / "source"
        self.build = Path(folder) / "build"
        shutil.copytree(SOURCE, self.source, ignore=shutil.ignore_patterns(".git", "build*", "__pycache__"))
        self.part = part
        self.configure(self.build, "-O1")

    def configure(self, build, flags, **environment):
        is_plugin = self.part in PLUGIN_TESTS
        run("cmake", "-G", "Ninja", "-S", self.source, "-B", build, "-D", "GAMEWIRE_TESTS=ON",
            "-D", f"GAMEWIRE_PLUGIN={'ON' if is_plugin else 'OFF'}",
            "-D", "CMAKE_BUILD_TYPE=None", "-D", f"CMAKE_C_FLAGS={flags}", **environment)

    def builds(self, *targets):
        return subprocess.run(["ninja", "-C", str(self.build), *targets], capture_output=True, check=False).returncode == 0

    def fails(self, command, limit, **environment):
        """True if it fails or does not end in time. Pytest's status 4 is for wrong arguments; a program's own is a failure."""
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                              env=os.environ | ENVIRONMENT | environment) as process:
            try:
                status = process.wait(limit)
                if status == 4 and "pytest" in command:
                    sys.exit(f"{' '.join(command)}: status 4")
                return status != 0
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return True

    def try_mutant(self, mutant):
        """The result of one mutant; the tree is unchanged afterward."""
        path = self.source / mutant.file
        text = path.read_text(encoding="utf-8")
        built = self.object_of(mutant.file)
        try:
            self.builds(built)
            before = (self.build / built).read_bytes()
            path.write_text(text[:mutant.start] + mutant.new + text[mutant.end:], encoding="utf-8")
            if not self.builds(built):
                return "does not compile"
            if (self.build / built).read_bytes() == before:
                return "same code"
            return self.tested(mutant)
        finally:
            path.write_text(text, encoding="utf-8")


class CodecTree(Tree):
    """Tests are programs in C; when they pass, those that try inputs near to the captures."""

    def __init__(self, folder, options):
        super().__init__(folder, options.part)
        targets = run("ninja", "-C", self.build, "-t", "targets", "all")
        self.tests = self.phony(targets, rf"{TESTS[self.part]}\w*")
        near = self.phony(targets, NEAR[self.part])
        run("ninja", "-C", self.build, *self.tests, *near)
        self.near = self.near_commands(near)
        self.times = {}
        for command in self.commands() + self.near:
            started = time.monotonic()
            if self.fails(command, 600):
                sys.exit(f"{' '.join(command)} fails without any change")
            self.times[command] = time.monotonic() - started

    @staticmethod
    def phony(targets, pattern):
        """The names of ninja's targets that match."""
        return sorted({found.group() for found in re.finditer(rf"\b{pattern}\b(?=: phony)", targets)})

    def near_commands(self, names):
        """As started by ctest, with another stride. Programs that are not built have no command."""
        listed = json.loads(run("ctest", "--test-dir", self.build, "--show-only=json-v1", "-R", "^near"))
        commands = [test["command"] for test in listed["tests"] if "command" in test]
        return [(*command[:2], NEAR_STRIDE) for command in commands if Path(command[0]).name in names]

    def commands(self):
        """Quick tests first, so that most mutants are killed early."""
        commands = [(str(self.build / "tests/codecs" / name),) for name in self.tests]
        return sorted(commands, key=lambda command: self.times.get(command, 0))

    def any_fails(self, commands):
        return any(self.fails(command, 5 + 10 * self.times[command]) for command in commands)

    @staticmethod
    def object_of(file):
        codec, *name = Path(file).parts[1:]
        return f"codecs/{codec}/CMakeFiles/gamewire-{codec}.dir/{'/'.join(name)}.o"

    def tested(self, _mutant):
        if not self.builds(*self.tests) or self.any_fails(self.commands()):
            return "killed by a test"
        near = [Path(command[0]).name for command in self.near]
        if near and (not self.builds(*near) or self.any_fails(self.near)):
            return "killed near a capture"
        return "survived"


class PluginTree(Tree):
    """Tests are pytest's, around tshark."""

    TARGETS = ("gamewire", "gamewire-caller")

    def __init__(self, folder, options):
        super().__init__(folder, options.part)
        self.seconds = options.seconds
        self.selected = Path(folder) / "selected.json"
        run("ninja", "-C", self.build, *self.TARGETS)
        kept = Path(options.lines or Path(folder) / "lines.json.gz")
        if not kept.exists():
            self.record(Path(folder), kept)
        with gzip.open(kept, "rt", encoding="utf-8") as file:
            found = json.load(file)
        self.sources, self.tests = found["files"], found["tests"]
        if not self.sources:
            sys.exit(f"{kept}: no test ran a line of {self.part}")
        self.share_within_files()

    def record(self, folder, kept):
        """Runs all tests with counters in the plugin."""
        build = folder / "counting"
        self.configure(build, "-O0 --coverage", CC="gcc")
        run("ninja", "-C", build, *self.TARGETS)
        for path in (folder.parent, folder, build, *build.rglob("*")):
            if path.is_dir():
                path.chmod(0o777)  # tshark, which leaves the counters beside the objects, may run as another user
        objects = build / "plugin/CMakeFiles/gamewire.dir" / Path(self.part).name
        if self.fails(self.pytest(), None, GAMEWIRE_LINES=str(kept), GAMEWIRE_OBJECTS=str(objects), **self.environment(build)):
            sys.exit("a test fails without any change")

    def share_within_files(self):
        """A test that ran no lines itself uses the lines of another test in its file."""
        whole = {}
        for name, test in self.tests.items():
            for file, lines in test["lines"].items():
                whole.setdefault(name.split("::")[0], {}).setdefault(file, set()).update(lines)
        for name, test in self.tests.items():
            test["lines"] = {file: set(lines) for file, lines in test["lines"].items()} or whole.get(name.split("::")[0], {})

    def pytest(self):
        files = sorted({str(file) for pattern in PLUGIN_TESTS[self.part] for file in (self.source / "tests").glob(pattern)})
        return (PYTHON, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "lines_of_tests", *files)

    def environment(self, build):
        return {
            "GAMEWIRE_BUILD": str(build),
            "GAMEWIRE_PLUGIN_DIR": str(build / "plugins"),
            "PYTHONPATH": f"{self.source / 'tests' / 'support'}:{self.source / 'tests' / 'mutation'}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    @staticmethod
    def object_of(file):
        return f"plugin/CMakeFiles/gamewire.dir/{Path(file).relative_to('plugin')}.o"

    def reached_by(self, mutant):
        """The tests that run its line; where a line has no code of its own, those that run its function. A table is
        everybody's."""
        source = self.sources.get(mutant.file, {"lines": [], "functions": []})
        line = mutant.line
        if line not in source["lines"]:
            line = next((first for first, last in source["functions"] if first <= line <= last), None)
        return [name for name, test in self.tests.items() if line is None or line in test["lines"].get(mutant.file, ())]

    def in_order(self, names, source):
        """What runs most lines of this source a second: first one test of each file, then file by file."""
        def density(tests):
            seconds = sum(self.tests[name]["seconds"] for name in tests)
            return sum(len(self.tests[name]["lines"].get(source, ())) for name in tests) / seconds
        files = {}
        for name in names:
            files.setdefault(name.split("::")[0], []).append(name)
        first = sorted((max(tests, key=lambda name: density([name])) for tests in files.values()),
                       key=lambda name: density([name]), reverse=True)
        rest = sorted(files.values(), key=density, reverse=True)
        return first + [name for tests in rest for name in tests if name not in first]

    def within_budget(self, names):
        total, kept = 0.0, []
        for name in names:
            total += self.tests[name]["seconds"]
            if self.seconds and kept and total > self.seconds:
                break
            kept.append(name)
        return kept

    def tested(self, mutant):
        if not self.builds(*self.TARGETS):
            return "killed by a test"
        names = self.within_budget(self.in_order(self.reached_by(mutant), mutant.file))
        if not names:
            return "survived"
        self.selected.write_text(json.dumps(names), encoding="utf-8")
        limit = 30 + 10 * sum(self.tests[name]["seconds"] for name in names)
        failed = self.fails(self.pytest(), limit, GAMEWIRE_SELECT=str(self.selected), **self.environment(self.build))
        return "killed by a test" if failed else "survived"


def run(*command, **environment):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                          env=os.environ | environment)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


# ---- the whole -----------------------------------------------------------------------------------------------------

def folder_of(part):
    return part if part in PLUGIN_TESTS else f"codecs/{part}"


def named(mutants):
    """{name: mutant}. A name does not depend on other lines, unless they are equal."""
    names, found = Counter(), {}
    for mutant in mutants:
        name = name_of(mutant)
        names[name] += 1
        found[f"{name} | {names[name]}" if names[name] > 1 else name] = mutant
    return found


def sample_of(mutants, options):
    """The mutants by name."""
    of_all = named(mutants)
    names = sorted(of_all, key=lambda name: hashlib.sha256(f"{options.seed} {name}".encode()).digest())
    return {name: of_all[name] for name in (names if options.all else names[: options.count])}


def chosen(options):
    files = sorted(str(path.relative_to(SOURCE)) for path in (SOURCE / folder_of(options.part)).rglob("*.c"))
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    if options.only:
        file, _, line = options.only.rpartition(":") if re.search(r":\d+$", options.only) else (options.only, "", "")
        mutants = [each for each in mutants
                   if re.fullmatch(file, Path(each.file).name) and (not line or each.line == int(line))]
    total = len(mutants)
    known = explained()
    sample = sample_of(mutants, options)
    return {name: mutant for name, mutant in sample.items() if not known & {name, name_of(mutant)}}, total


class Results:
    """The result of each mutant, with those that earlier runs wrote to a file."""

    HEAD = """\
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The result of each mutant, written by mutate.py --keep.
"""

    def __init__(self, path):
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []
        self.by_mutant = dict(line.split("\t")[::-1] for line in lines if not line.startswith("#"))

    def forget_others(self, folder, mutants):
        """Removes those of this folder that are no longer in the sample."""
        self.by_mutant = {name: result for name, result in self.by_mutant.items()
                          if name in mutants or not name.startswith(f"{folder}/")}

    def of(self, mutants):
        return [self.by_mutant[name] for name in mutants]

    def missing(self, mutants):
        return {name: mutant for name, mutant in mutants.items() if self.by_mutant.get(name, "survived") == "survived"}

    def add(self, name, result):
        self.by_mutant[name] = result
        if self.path:
            rows = (f"{result}\t{name}\n" for name, result in sorted(self.by_mutant.items()))
            self.path.write_text(self.HEAD + "".join(rows), encoding="utf-8")


def try_all(options, mutants, folder, results):
    trees = Queue()
    for i in range(options.jobs):
        trees.put((PluginTree if options.part in PLUGIN_TESTS else CodecTree)(Path(folder) / str(i), options))

    def try_one(item):
        name, mutant = item
        tree = trees.get()
        started = time.monotonic()
        try:
            result = tree.try_mutant(mutant)
        finally:
            trees.put(tree)
        print(f"{result} after {time.monotonic() - started:.0f} s: {mutant}", file=sys.stderr, flush=True)
        if result == "survived":
            print(mutant, flush=True)
        return name, result

    with ThreadPoolExecutor(options.jobs) as pool:
        for name, result in pool.map(try_one, mutants.items()):
            results.add(name, result)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", default="godot", choices=sorted([*TESTS, *PLUGIN_TESTS]))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="FILE[:LINE]")
    parser.add_argument("--lines", metavar="FILE", help="where to keep the lines that each test of the plugin runs")
    parser.add_argument("--seconds", type=float, default=0.0, help="of tests of the plugin a mutant, 0 for all")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2))
    parser.add_argument("--keep", metavar="FILE", type=Path, help="where to keep the result of each mutant")
    parser.add_argument("--goal", type=float, default=90.0, help="percent of mutants to be killed")
    options = parser.parse_args()
    mutants, total = chosen(options)
    print(f"{options.part}: {len(mutants)} of {total} mutants; survivors:", flush=True)
    kept = Results(options.keep)
    kept.forget_others(folder_of(options.part), mutants)
    with tempfile.TemporaryDirectory(prefix="gamewire-mutation-") as folder:
        try_all(options, kept.missing(mutants), folder, kept)
    results = kept.of(mutants)
    counts = {result: results.count(result) for result in sorted(set(results))}
    killed = sum(count for result, count in counts.items() if result.startswith("killed"))
    alive = counts.get("survived", 0)
    rate = 100 * killed / (killed + alive) if killed + alive else 100.0
    print("; ".join(f"{count} {result}" for result, count in counts.items()))
    print(f"{options.part}: {killed} of {killed + alive} killed, {rate:.1f} %")
    return 0 if rate >= options.goal else 1


if __name__ == "__main__":
    sys.exit(main())
