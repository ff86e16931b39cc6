#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Changes the codecs in small ways and sees whether their own tests notice.

    mutate.py [--codec godot] [--count 200 | --all] [--seed 1] [--only FILE[:LINE]]

A mutant is one source file with one change: a comparison turned, a bound or constant off by one, an operator
replaced, a condition forced, a statement taken out, a return value changed. It is built in a copy of the tree and
the codec's tests run until one fails or takes far too long: the mutant is killed. When all pass, the inputs near to
the captures (tests/fuzz) are tried as well. Mutants that do not compile, or compile to the same machine code,
count for nothing; neither do those that equivalent.txt explains.

Prints each survivor and the rate. Exit status 1 when it is below --goal.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent

# Which tests speak for a codec. All of Godot's use what is shared.
TESTS = {
    "common": r"test_(common|godot)_",
    "godot": r"test_godot_",
    "leviathan": r"test_leviathan",
    "squirrel": r"test_squirrel",
}
NEAR = {
    "common": "near_text_common",
    "godot": "near_(read|write|detect)_godot",
    "leviathan": "near_(read|write)_leviathan",
    "squirrel": "near_(read|write)_squirrel",
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
                      r"_Static_assert\([^;]*;", re.S | re.M)


@dataclass(frozen=True)
class Mutant:
    file: str
    start: int
    end: int
    new: str
    line: int
    old: str

    def __str__(self):
        old, new = (re.sub(r"\s+", " ", text) for text in (self.old, self.new or "(nothing)"))
        return f"{self.file}:{self.line}: {old}  ->  {new}"


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
            yield Mutant(file, start, end, new, text.count("\n", 0, start) + 1, text[start:end])


def explained():
    """Lines of equivalent.txt: file: the line of code without its indentation | old -> new | why it is the same."""
    known = set()
    for line in (HERE / "equivalent.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            place, change, _why = (part.strip() for part in line.split(" | "))
            file, code = place.split(": ", 1)
            known.add((file, code, change))
    return known


def key_of(mutant):
    text = (SOURCE / mutant.file).read_text(encoding="utf-8")
    code = text.splitlines()[mutant.line - 1].strip()
    old, new = (re.sub(r"\s+", " ", part) for part in (mutant.old, mutant.new))
    return mutant.file, code, f"{old} -> {new}"


# ---- building and running ----------------------------------------------------------------------------------------

class Tree:
    """A copy of the source tree with a build of its own."""

    def __init__(self, folder, codec):
        self.source = Path(folder) / "source"
        self.build = Path(folder) / "build"
        shutil.copytree(SOURCE, self.source, ignore=shutil.ignore_patterns(".git", "build*", "plugin", "__pycache__"))
        self.run("cmake", "-G", "Ninja", "-S", self.source, "-B", self.build, "-D", "GAMEWIRE_PLUGIN=OFF",
                 "-D", "CMAKE_BUILD_TYPE=None", "-D", "CMAKE_C_FLAGS=-O1")
        targets = self.run("ninja", "-C", self.build, "-t", "targets", "all")
        self.tests = sorted({found.group() for found in re.finditer(rf"\b{TESTS[codec]}\w*\b(?=: phony)", targets)})
        near = sorted({found.group() for found in re.finditer(rf"\b{NEAR[codec]}\b(?=: phony)", targets)})
        self.run("ninja", "-C", self.build, *self.tests, *near)
        self.near = self.near_commands(near)
        self.times = {}
        for command in self.commands() + self.near:
            started = time.monotonic()
            if self.fails(command, 600):
                sys.exit(f"{command[0]} fails without any change")
            self.times[command[0]] = time.monotonic() - started

    def near_commands(self, names):
        """As ctest would run them, with our stride. It knows no command of what is not built."""
        listed = json.loads(self.run("ctest", "--test-dir", self.build, "--show-only=json-v1", "-R", "^near"))
        commands = [test["command"] for test in listed["tests"] if "command" in test]
        return [(*command[:2], NEAR_STRIDE) for command in commands if Path(command[0]).name in names]

    def run(self, *command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return done.stdout

    def builds(self, *targets):
        return subprocess.run(["ninja", "-C", str(self.build), *targets], capture_output=True, check=False).returncode == 0

    def commands(self):
        """Quick tests first, so that most mutants die soon."""
        commands = [(str(self.build / "tests/codecs" / name),) for name in self.tests]
        return sorted(commands, key=lambda command: getattr(self, "times", {}).get(command[0], 0))

    def fails(self, command, limit):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                              env=os.environ | ENVIRONMENT) as process:
            try:
                return process.wait(limit) != 0
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return True

    def any_fails(self, commands):
        return any(self.fails(command, 5 + 10 * self.times[command[0]]) for command in commands)

    def object_of(self, file):
        codec, name = Path(file).parts[1:]
        return f"codecs/{codec}/CMakeFiles/gamewire-{codec}.dir/{name}.o"

    def judge(self, mutant):
        """What becomes of one mutant; the tree is as before afterwards."""
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
            if not self.builds(*self.tests) or self.any_fails(self.commands()):
                return "killed by a test"
            near = [Path(command[0]).name for command in self.near]
            if near and (not self.builds(*near) or self.any_fails(self.near)):
                return "killed near a capture"
            return "survived"
        finally:
            path.write_text(text, encoding="utf-8")


# ---- the whole -----------------------------------------------------------------------------------------------------

def chosen(options):
    files = sorted(str(path.relative_to(SOURCE)) for path in (SOURCE / "codecs" / options.codec).glob("*.c"))
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    if options.only:
        file, _, line = options.only.partition(":")
        mutants = [each for each in mutants if each.file.endswith(file) and (not line or each.line == int(line))]
    total = len(mutants)
    if not options.all and total > options.count:
        mutants = random.Random(options.seed).sample(mutants, options.count)
    known = explained()
    return [mutant for mutant in mutants if key_of(mutant) not in known], total


def judge_all(options, mutants, folder):
    trees = Queue()
    for i in range(options.jobs):
        trees.put(Tree(Path(folder) / str(i), options.codec))

    def judge(mutant):
        tree = trees.get()
        try:
            verdict = tree.judge(mutant)
        finally:
            trees.put(tree)
        if verdict == "survived":
            print(mutant, flush=True)
        return verdict

    with ThreadPoolExecutor(options.jobs) as pool:
        return list(pool.map(judge, mutants))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--codec", default="godot", choices=sorted(TESTS))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="FILE[:LINE]")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2))
    parser.add_argument("--goal", type=float, default=90.0, help="percent of mutants to be killed")
    options = parser.parse_args()
    mutants, total = chosen(options)
    print(f"{options.codec}: {len(mutants)} of {total} mutants; survivors:", flush=True)
    with tempfile.TemporaryDirectory(prefix="gamewire-mutation-") as folder:
        verdicts = judge_all(options, mutants, folder)
    counts = {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))}
    killed = sum(count for verdict, count in counts.items() if verdict.startswith("killed"))
    alive = counts.get("survived", 0)
    rate = 100 * killed / (killed + alive) if killed + alive else 100.0
    print("; ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    print(f"{options.codec}: {killed} of {killed + alive} killed, {rate:.1f} %")
    return 0 if rate >= options.goal else 1


sys.exit(main())
