# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs programs and says what they cost: CPU time, memory, instructions.

CPU time and not the clock on the wall, because others use the machine too; runs interleaved, because its pace
changes. Where even that is too coarse, instructions under callgrind, which do not vary.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

NOBODY = 65534  # Debian's user and group without any files


class Usage(NamedTuple):
    seconds: float  # CPU, user and system
    resident: int  # bytes at the most


class Profile(NamedTuple):
    instructions: int
    functions: dict  # {function: instructions in itself}


class Machine:
    """Where programs run: a folder for what they read, an environment without this machine's settings.

    tshark as root ignores, silently, plugins outside the system's folder, so for root all runs as an
    unprivileged user, on files that this user can read.
    """

    def __init__(self, scratch, plugin_files, least=False):
        self.scratch = scratch
        self.least = least  # nothing is compared: what only has to run is not counted
        self.counted = []  # of tshark: (a set of functions, what measured it, the result)
        scratch.chmod(0o755)
        home = scratch / "home"
        (home / "none").mkdir(parents=True)
        self.privileges = {}
        if os.geteuid() == 0:
            os.chown(home, NOBODY, NOBODY)
            self.privileges = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "HOME": str(home),
            "WIRESHARK_CONFIG_DIR": str(home / "config"),
            "WIRESHARK_PLUGIN_DIR": str(scratch / "plugins"),
            "WIRESHARK_EXTCAP_DIR": str(home / "none"),
        }
        self._install(plugin_files)

    def _install(self, plugin_files):
        version = re.search(r" (\d+\.\d+)\.", self.output(["tshark", "--version"])).group(1)
        self.version = tuple(map(int, version.split(".")))  # (4, 0) for 4.0.17
        folder = self.scratch / "plugins" / version / "epan"
        folder.mkdir(parents=True)
        for file in plugin_files:
            self.readable(file, folder)
        loaded = self.output(["tshark", "-G", "plugins"])
        for file in plugin_files:
            if file.name not in loaded:
                sys.exit(f"error: tshark did not load {file}")

    def readable(self, file, folder=None):
        """A copy of `file` that every user can read."""
        copy = Path(shutil.copyfile(file, (folder or self.scratch) / file.name))
        copy.chmod(0o755)
        return copy

    def only(self, plugin):
        """A folder of plugins with one of this machine's."""
        folder = self.folder("only")
        if not (folder / plugin).exists():
            version = ".".join(map(str, self.version))
            (folder / version / "epan").mkdir(parents=True, exist_ok=True)
            self.readable(self.scratch / "plugins" / version / "epan" / plugin, folder / version / "epan")
        return folder

    def folder(self, name):
        made = self.scratch / name
        made.mkdir(exist_ok=True)
        return made

    def _options(self, environment):
        return {
            "env": {**self.environment, **(environment or {})},
            "cwd": self.scratch,
            "stdin": subprocess.DEVNULL,
            **self.privileges,
        }

    def output(self, command, environment=None):
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, **self._options(environment)
        )
        if done.returncode:
            sys.exit(f"error: {' '.join(map(str, command))}\n{done.stderr[-1000:]}")
        return done.stdout

    def usage(self, command, environment=None):
        options = self._options(environment)
        # pylint: disable-next=consider-using-with  # wait4() is what waits
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"error: status {process.returncode} of {' '.join(map(str, command))}")
        return Usage(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)

    def interleaved(self, commands, rounds):
        """{name: (command, environment)} -> {name: [Usage of each round]}"""
        used = {name: [] for name in commands}
        for _ in range(rounds):
            for name, (command, environment) in commands.items():
                used[name].append(self.usage(command, environment))
        return used

    def instructions(self, command, functions, environment=None, output="/dev/null"):
        """Instructions inside of `functions` and what they call; of none of them inside another."""
        callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}"]
        if command[0] == "tshark":
            callgrind.append("--instr-atstart=no")  # shim.c starts counting when the capture is opened
        toggles = [f"--toggle-collect={function}" for function in functions]
        done = subprocess.run(
            [*callgrind, *toggles, *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            **self._options(environment),
        )
        collected = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not collected or not int(collected.group(1)):
            sys.exit(f"error: {' '.join(map(str, command))}\n{done.stderr[-1000:]}")
        return int(collected.group(1))

    def calls(self, command, function):
        """How often `function` is called while the capture is read."""
        handle, output = tempfile.mkstemp(dir=self.scratch / "home")
        os.fchmod(handle, 0o666)
        os.close(handle)
        self.instructions(command, ["epan_dissect_run*"], output=output)
        report = Path(output).read_text(encoding="utf-8", errors="replace")
        os.unlink(output)
        number = re.search(rf"\((\d+)\) {function}$", report, re.MULTILINE).group(1)
        found = re.findall(rf"^cfn=\({number}\).*\ncalls=(\d+)", report, re.MULTILINE)
        return sum(map(int, found))

    def profile(self, command, functions, environment=None):
        """The same instructions, and {function: those in itself}."""
        handle, output = tempfile.mkstemp(dir=self.scratch / "home")
        os.fchmod(handle, 0o666)
        os.close(handle)
        total = self.instructions(command, functions, environment, output)
        report = self.output(["callgrind_annotate", "--threshold=100", output])
        os.unlink(output)
        found = re.findall(r"^ *([\d,]+) \([ \d.]+%\)  \S*?:(\S+)(?: .*\[.*/(.+)\])?", report, re.MULTILINE)
        counts = {}
        for count, symbol, library in found:
            name = f"{symbol} in {library}" if symbol.startswith("0x") else symbol
            counts[name] = counts.get(name, 0) + int(count.replace(",", ""))
        return Profile(total, counts)

    def instructions_of_all(self, commands, functions):
        """{name: (command, environment)} -> {name: instructions}"""
        return self._at_once(self.instructions, commands, functions)

    def profiles_of_all(self, commands, functions):
        """{name: (command, environment)} -> {name: Profile}"""
        return self._at_once(self.profile, commands, functions)

    def _at_once(self, measure, commands, functions):
        """One run per processor at the same time, because no time is measured. With the least effort the first command is
        measured for all, and for later ones that count no other functions: under callgrind, tshark takes ten times as long
        to start."""
        if self.least:
            first, *others = commands.values()
            known = [result for counted, how, result in self.counted if how == measure and counted >= set(functions)]
            for command, environment in commands.values() if known else others:
                self.usage(command, environment)
            if not known:
                known = [measure(first[0], functions, first[1])]
                self.counted.append((set(functions), measure, known[0]))
            return dict.fromkeys(commands, known[0])
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda item: measure(item[0], functions, item[1]), commands.values())
            return dict(zip(commands, results))


def median(samples):
    return statistics.median(samples)
