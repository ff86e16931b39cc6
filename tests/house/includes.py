#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may include whom, what an analysis and what a display may call, and how long a function and a file may be.

    includes.py SOURCE [--list]

    plugin/<protocol>   plugin/common, its own codec, and what OTHER_PROTOCOLS lists
    plugin/common       codecs/common, Wireshark
    codecs/<protocol>   codecs/common and the C library; the formats of Godot that hold Variants, codecs/godot/variant
    codecs/common       the C library

Godot's protocols are folders of plugin/godot and codecs/godot, with their sub-folders. Folders do not include each other in a
circle.

What the files of a folder of the plugin share is in one header, which has a part for each file: "==== tree.c ====". A function
is declared in the part of the file that defines it, and the files of a protocol do not call each other in a circle.

The analysis of a conversation (analysis.c, arrivals.c and such, and the folders relations/) makes no tree item, no column text and no
expert info. What shows (a protocol's tree.c, findings.c and such) changes nothing that is known: it keeps nothing beyond the packet,
and of the functions that a header of the analysis declares it calls those alone whose name says that they only read
(<protocol>_find_..., _is_..., ..._of; see READS). A function has at most 60 lines and a file at most 600, tables and shared headers
apart. exceptions.txt lists the remaining exceptions; a line there that is no longer needed fails. --list prints all arrows.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import tree

LONGEST_FUNCTION = 60
LONGEST_FILE = 600
EXCEPTIONS = Path(__file__).with_name("exceptions.txt")

# What a protocol's folder may include of other protocols' folders.
SHARED_VARIANTS = {"godot/variant/variants.h", "godot/variant/generation.h"}
OTHER_PROTOCOLS = {
    "godot/variant": {"enet/enet.h"},
    "godot/multiplayer": SHARED_VARIANTS | {"enet/enet.h"},
    "godot/stream": SHARED_VARIANTS | {"godot/debugger/debugger.h"},
    "godot/debugger": SHARED_VARIANTS,
    "godot/remote_fs": {"godot/segments.h"},
    "godot/tcp": {
        "godot/remote_fs/remote_fs.h", "godot/debugger/debugger.h", "godot/stream/stream.h", "godot/segments.h",
        "godot/variant/generation.h",
    },
}
PUBLIC_OF_GODOT = {
    "godot.h": "godot/variant",
    "godot_find.h": "godot/variant",
    "godot_mp.h": "godot/multiplayer",
    "godot_names.h": "godot/multiplayer",
    "godot_stream.h": "godot/stream",
    "godot_debugger.h": "godot/debugger",
    "godot_remote_fs.h": "godot/remote_fs",
}
PLUGIN_TOP = {"plugin.c", "protocols.h"}
# Made by the build.
GENERATED = {"gamewire_version.h"}
C_LIBRARY = {
    "assert.h", "ctype.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdalign.h", "stdarg.h",
    "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
}

ANALYSIS = {"analysis.c", "arrivals.c", "commands.c", "connection.c", "generation.c", "recognition.c"}
ANALYSIS_FOLDER = "relations"
DISPLAY_CALL = re.compile(r"\b((?:proto_tree|proto_item|expert|col)_\w+)\s*\(")
NOT_DISPLAY = {"proto_tree_get_root"}

# Files of the display, and those whose functions it must not call.
DISPLAY = {"details.c", "findings.c", "naming.c", "tree.c"}
STATE = {"analysis", "arrivals", "commands", "connection", "conversation", "facts", "generation", "recognition"}
READS = re.compile(r"_(find|has|is|knows|lookup|may|next|was)(_|$)|_(key|of|sender|side)$")
# The first creates a conversation if there is none; the second learns the generation of the conversation.
WRITES = {"gw_conversation_of", "godot_variant_add"}
KEEPS = re.compile(r"\b(wmem_(?:file|epan)_scope|p_(?:add|set)_proto_data|conversation_add_proto_data)\s*\(")
DECLARED = re.compile(r"^(?!typedef|static)\w[\w\s*]*?\b(\w+)\(", re.MULTILINE)
CALL = re.compile(r"\b(\w+)\s*\(")
PART = re.compile(r"^/\* =+ (\S+)\.c =+ \*/$", re.MULTILINE)
DEFINED = re.compile(r"^(?!static)[\w *]*?\b(\w+)\([^;{}]*?\)\n\{", re.MULTILINE)

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


# ---- arrows ----------------------------------------------------------------------------------------------


class Tree:
    def __init__(self, top):
        self.top = top
        self.files = tree.files(top, ".c", ".h", folders=("codecs", "plugin"))
        self.public = {}  # "gamewire/godot.h": "godot/variant"
        for file in self.files:
            parts = file.parts
            if parts[0] == "codecs" and parts[2:4] == ("include", "gamewire"):
                self.public["/".join(parts[3:])] = PUBLIC_OF_GODOT.get(file.name, parts[1])

    def target(self, file, bracket, name):
        """(layer, family, name) of an included file; the family is None where there is none."""
        if name in self.public:
            return "codecs", self.public[name], name
        if bracket == '"':
            base = self.top / "plugin" if file.parts[0] == "plugin" else None
            for folder in [self.top / file.parent, *([base] if base else [])]:
                found = (folder / name).resolve()
                if found.is_file():
                    relative = found.relative_to(self.top)
                    return *owner(relative), "/".join(relative.parts[1:])
            return ("plugin" if name in GENERATED else "unknown"), None, name
        return ("libc" if name in C_LIBRARY else "wireshark"), None, name


def owner(file):
    """(layer, protocol) of a file of the project: ("plugin", "godot/stream"); the protocol is None at the top of a
    layer."""
    layer, *folders = file.parts[:-1]
    if folders[:1] == ["godot"] and folders[1:2] == ["include"]:
        return layer, PUBLIC_OF_GODOT[file.name]
    return layer, "/".join(folders[:2] if folders[:1] == ["godot"] else folders[:1]) or None


def allowed(source, target, name):
    (layer, protocol), (to_layer, to_protocol) = source, target
    if to_layer == "libc":
        return True
    if layer == "codecs":
        variants = "godot/variant" if protocol.startswith("godot/") else None
        return to_layer == "codecs" and to_protocol in (protocol, "common", variants)
    if layer != "plugin" or to_layer == "unknown":
        return False
    if protocol is None or to_layer == "wireshark":
        return True
    if to_layer == "codecs":
        return to_protocol == "common" or to_protocol.split("/")[0] == protocol.split("/")[0]
    if to_protocol in (protocol, "common") or (to_protocol is None and protocol != "common" and name in PLUGIN_TOP):
        return True
    return name in OTHER_PROTOCOLS.get(protocol, ())


def arrows(ours):
    """Each include: the file, the pair of folders, whether it is allowed, and the included file."""
    for file in ours.files:
        for bracket, included in INCLUDE.findall((ours.top / file).read_text(encoding="utf-8")):
            to_layer, to_family, name = ours.target(file, bracket, included)
            source = owner(file)
            yield file, source, (to_layer, to_family), included, allowed(source, (to_layer, to_family), name)


def wrong_arrows(ours):
    return {f"{file}:{included}": 1 for file, _, _, included, fine in arrows(ours) if not fine}


def reachable(outgoing, start):
    found, todo = set(), [start]
    while todo:
        new = outgoing.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found


def circles(ours):
    """{folder on a circle of includes: 1}, with or without forbidden arrows."""
    outgoing = {}
    for _, source, target, _, _ in arrows(ours):
        if source != target and target[0] in ("codecs", "plugin") and source[1] and target[1]:
            outgoing.setdefault(source, set()).add(target)

    return {f"{'/'.join(folder)}:circle": 1 for folder in outgoing if folder in reachable(outgoing, folder)}


def print_arrows(ours):
    counts = Counter(
        ("/".join(filter(None, source)), "/".join(filter(None, target)))
        for _, source, target, _, _ in arrows(ours)
        if source != target
    )
    for (source, target), count in sorted(counts.items()):
        print(f"{source:20} -> {target:20} {count:3}")


# ---- calls of an analysis --------------------------------------------------------------------------------


def without_comments(text):
    """The text with its comments blanked, line by line the same."""
    return COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment.group()), text)


def display_calls(ours):
    """{what: number of calls} of the analysis files with forbidden calls."""
    found = {}
    for file in ours.files:
        if file.parts[0] == "plugin" and (file.name in ANALYSIS or file.parent.name == ANALYSIS_FOLDER):
            calls = DISPLAY_CALL.findall(without_comments((ours.top / file).read_text(encoding="utf-8")))
            calls = [call for call in calls if call not in NOT_DISPLAY]
            if calls:
                found[f"{file}:display"] = len(calls)
    return found


# ---- calls of a display ----------------------------------------------------------------------------------


def parts(ours, file):
    """{name of a file: the declarations of its functions} of a header; without parts, all are those of the file of its name."""
    text = (ours.top / file).read_text(encoding="utf-8")
    pieces = PART.split(text)
    if len(pieces) == 1:
        return {file.stem: set(DECLARED.findall(without_comments(text)))}
    return {name: set(DECLARED.findall(without_comments(piece))) for name, piece in zip(pieces[1::2], pieces[2::2])}


def headers(ours):
    """Each header of the plugin, with its parts."""
    for file in ours.files:
        if file.parts[0] == "plugin" and file.suffix == ".h":
            yield file, parts(ours, file)


def writers(ours):
    """The functions with which the plugin stores data of packets."""
    declared = {
        name
        for header, each in headers(ours)
        for part, names in each.items()
        if part in STATE or header.parent.name == ANALYSIS_FOLDER
        for name in names
    }
    return WRITES | {name for name in declared if not READS.search(name)}


def wrong_parts(ours):
    """{what: 1} of the functions of shared headers that are not defined in the file of their part."""
    found = {}
    for header, each in headers(ours):
        if header.stem in each:
            continue
        for name, declared in each.items():
            file = ours.top / header.parent / f"{name}.c"
            defined = set(DEFINED.findall(file.read_text(encoding="utf-8"))) if file.is_file() else set()
            found.update({f"{header}:{function}": 1 for function in declared - defined})
    return found


def circles_of_files(ours):
    """{file that calls another one which calls it: 1}, within the protocols of the plugin that have shared headers."""
    home, outgoing = {}, {}
    for header, each in headers(ours):
        if header.stem not in each:
            home.update({function: header.parent / f"{name}.c" for name, declared in each.items() for function in declared})
    for file in ours.files:
        if file.parts[0] == "plugin" and file.suffix == ".c":
            called = CALL.findall(without_comments((ours.top / file).read_text(encoding="utf-8")))
            outgoing[file] = {home[name] for name in called if name in home and owner(home[name]) == owner(file)} - {file}
    return {f"{file}:circle": 1 for file in outgoing if file in reachable(outgoing, file)}


def writing_calls(ours):
    """{what: number of calls} of display files with calls that change the state."""
    found, writing = {}, writers(ours)
    for file in ours.files:
        if file.parts[0] == "plugin" and file.parts[1] != "common" and file.name in DISPLAY:
            text = without_comments((ours.top / file).read_text(encoding="utf-8"))
            calls = [call for call in CALL.findall(text) if call in writing] + KEEPS.findall(text)
            if calls:
                found[f"{file}:writes"] = len(calls)
    return found


# ---- sizes -----------------------------------------------------------------------------------------------


def table_lines(lines):
    """The numbers of the lines that belong to initializers of several lines."""
    inside, depth, numbers = False, 0, set()
    for number, line in enumerate(lines):
        if not inside and re.search(r"=\s*\{\s*$", line):
            inside, depth = True, 0
        if inside:
            depth += line.count("{") - line.count("}")
            numbers.add(number)
            inside = depth > 0
    return numbers


def functions(lines, tables):
    """(name, number of lines without tables) of each function, from its signature to its last brace."""
    for start, line in enumerate(lines):
        if line != "{":
            continue
        end = next(number for number in range(start, len(lines)) if lines[number].startswith("}"))
        first = start - 1
        while first > 0 and lines[first - 1].strip() and not re.search(r"[;}/]\s*$|^#", lines[first - 1]):
            first -= 1
        name = re.search(r"(\w+)\s*\(", " ".join(lines[first:start]))
        yield name.group(1) if name else "?", sum(number not in tables for number in range(first, end + 1))


def sizes(ours):
    """{what: number of lines} of the functions and files that are too long."""
    found = {}
    for file in ours.files:
        text = (ours.top / file).read_text(encoding="utf-8")
        lines = without_comments(text).splitlines()
        tables = table_lines(lines)
        if len(lines) - len(tables) > LONGEST_FILE and not PART.search(text):
            found[str(file)] = len(lines) - len(tables)
        for name, length in functions(lines, tables):
            if length > LONGEST_FUNCTION:
                found[f"{file}:{name}"] = length
    return found


def exceptions():
    lines = [line.split("#")[0].split() for line in EXCEPTIONS.read_text(encoding="utf-8").splitlines()]
    return {words[0]: int(words[1]) for words in lines if words}


def broken_rules(ours):
    listed, problems = exceptions(), []
    found = {
        "lines": sizes(ours),
        "calls of trees, columns or experts": display_calls(ours),
        "calls that change what is known": writing_calls(ours),
        "includes that are not allowed": wrong_arrows(ours),
        "circle of includes": circles(ours),
        "declarations in the part of another file": wrong_parts(ours),
        "circle of calls": circles_of_files(ours),
    }
    for unit, counts in found.items():
        for what, count in counts.items():
            if count > listed.get(what, 0):
                known = f", {listed[what]} in {EXCEPTIONS.name}" if what in listed else ""
                problems.append(f"{what}: {count} {unit}{known}")
    needed = {what for counts in found.values() for what in counts}
    return problems + [
        f"{EXCEPTIONS.name}: remove the line of {what}, which is no longer needed" for what in listed if what not in needed
    ]


def main():
    ours = Tree(tree.source())
    if "--list" in sys.argv:
        print_arrows(ours)
        return 0
    return tree.report(broken_rules(ours), f"{len(ours.files)} files")


sys.exit(main())
