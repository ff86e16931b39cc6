# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs gamewire-messages and gamewire-report as a user does, with the built plugin.

    run(program, *arguments)        (standard output, standard error, status)
    search_path()                   PATH with the programs, as after their installation
    messages(capture, *options)     the lines of gamewire-messages, parsed; options are tshark's
    literal(value, generation)      a Variant's JSON form back as a Godot literal, written from the table in messages.md
"""

import compileall
import functools
import json
import math
import os
import subprocess
import sys
from typing import Any, NamedTuple

import gamewire_tshark as tshark
from godot_reference import quoted, shortest

TOOLS = tshark.SOURCE / "plugin" / "tools"
sys.path.insert(0, str(TOOLS))

INTEGERS = {"$Vector2i", "$Vector3i", "$Vector4i", "$Rect2i", "$PackedInt32Array", "$PackedInt64Array", "$PoolIntArray"}


class Done(NamedTuple):
    stdout: str
    stderr: str
    returncode: int


@functools.lru_cache(maxsize=None)
def installed():
    """The folder of the programs, with bytecode, as packages install it."""
    folder = tshark.readable(TOOLS)
    if folder != TOOLS:
        compileall.compile_dir(folder, quiet=1)
    return folder


def run(program, *arguments, env=None, timeout=tshark.TIMEOUT):
    """Runs a program of plugin/tools as the unprivileged user. Captures among the arguments must be readable to it."""
    done = subprocess.run(
        tshark.unprivileged() + ["/usr/bin/env", "python3", str(installed() / program), *map(str, arguments)],
        env={**tshark.environment(), **env} if env else tshark.environment_of_programs(), cwd=tshark.scratch() / "home", stdin=subprocess.DEVNULL,
        capture_output=True, timeout=timeout, check=False)
    return Done(done.stdout.decode(), done.stderr.decode(errors="replace"), done.returncode)


@functools.lru_cache(maxsize=None)
def search_path():
    folder = tshark.scratch() / "programs"
    folder.mkdir()
    for program in ("gamewire-messages", "gamewire-report"):
        (folder / program).write_text(f'#!/bin/sh\nexec python3 "{installed()}/{program}" "$@"\n')
        (folder / program).chmod(0o755)
    folder.chmod(0o755)
    return f"{folder}:{tshark.environment_of_programs()['PATH']}"


@functools.lru_cache(maxsize=None)
def messages(capture, *options):
    done = run("gamewire-messages", "-q", tshark.readable(capture), "--", *options)
    assert done.returncode == 0 and not done.stderr, done
    return [json.loads(line) for line in done.stdout.splitlines()]


# ---- from JSON back to a literal -------------------------------------------------------------------------


def literal(value: Any, generation: int) -> str:
    """The literal that the codec prints. The width of a number is not in JSON: its digits are."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        digits = shortest(value, False)
        return digits if set(digits) & set(".einf") else digits + ".0"
    if isinstance(value, str):
        return quoted(value.encode())
    if isinstance(value, list):
        return brackets("[]", [literal(each, generation) for each in value], generation)
    name = next(iter(value), "")
    if name.startswith("$"):
        return typed(name, value, generation)
    return "{" + ", ".join(f"{literal(key, generation)}: {literal(each, generation)}" for key, each in value.items()) + "}"


def brackets(pair, texts, generation):
    blank = "" if generation == 4 else " "
    return pair[0] + blank + ", ".join(texts) + blank + pair[1]


def component(name, number):
    if isinstance(number, dict):
        return typed(next(iter(number)), number, 4)
    return str(number) if name in INTEGERS else shortest(number, False)


def text_of(value):
    """A text, with quotation marks; one that is not UTF-8 is an object with the digits of its bytes."""
    return quoted(bytes.fromhex(value["$String"]) if isinstance(value, dict) else value.encode())


def typed(name, value, generation):
    inside = value[name]
    simple = {
        "$int": lambda: inside,
        "$float": lambda: {"-inf": "inf_neg"}.get(inside, inside),
        "$String": lambda: text_of(value),
        "$StringName": lambda: "&" + text_of(inside),
        "$NodePath": lambda: f"NodePath({text_of(inside)})",
        "$RID": lambda: f"RID({'' if inside == '0' else inside})",
        "$Callable": lambda: "Callable()",
        "$Object": lambda: object_of(inside, generation),
        "$Signal": lambda: signal(inside),
        "$Array": lambda: f"Array[{value['of']}]({literal(inside, generation)})",
        "$Dictionary": lambda: entries(value, generation),
    }
    if name in simple:
        return simple[name]()
    if name.endswith("ByteArray"):
        texts = [str(byte) for byte in bytes.fromhex(inside)]
    elif name.endswith("StringArray"):
        texts = [text_of(each) for each in inside]
    else:
        flat = [part for each in inside for part in (each if isinstance(each, list) else [each])]
        texts = [component(name, number) for number in flat]
    return brackets((name[1:] + "(", ")"), texts, generation)


def entries(value, generation):
    text = "{" + ", ".join(": ".join(literal(part, generation) for part in entry) for entry in value["$Dictionary"]) + "}"
    return f"Dictionary[{value['keys']}, {value['values']}]({text})" if "keys" in value else text


def object_of(inside, generation):
    if "id" in inside:
        return f'Object(EncodedObjectAsID,"object_id":{inside["id"]})'
    parts = [f"{text_of(name)}:{literal(each, generation)}" for name, each in inside["properties"].items()]
    return "Object(" + ",".join([inside["class"], *parts]) + ")"


def signal(inside):
    return "Signal()" if inside is None else f"Signal({object_of({'id': inside['object']}, 4)}, &{text_of(inside['name'])})"


def is_finite(value):
    """Every number of a line is one that JSON has."""
    return all(math.isfinite(each) for each in numbers_of(value))


def numbers_of(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for each in value for number in numbers_of(each)]
    return [value] if isinstance(value, (int, float)) else []
