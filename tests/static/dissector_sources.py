# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The dissectors' sources in the form that Wireshark's own checks expect.

Those checks read one file at a time and know field ids as variables hf_name, expert infos as ei_name. Our dissectors have
several files each, and their ids are members of structs (enet_hf.peer) or elements of arrays. `Sources` therefore writes
one file for each family of dissectors, packet-<family>.c, with the text of all of its files in which

    - the macros of our own files are expanded: an entry of a table may be made by one;
    - a row of findings (gw_finding) is one of ei_register_info, and what adds it is Wireshark's function;
    - enet_hf.peer is hf_enet_hf__peer, enet_ei.silence is ei_enet_ei__silence;
    - other members, such as walk->tree, are one word: walk__tree;
    - each argument of proto_tree_add_...() is one word, without casts;

and, for the check of filter names, one file for each protocol with the text of its folder and sub-folders,
protocols/packet-<protocol>.c.
The text is for textual checks. It does not compile.
"""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

LITERAL = re.compile(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')')
DECLARATOR = re.compile(r"(\w+)\s*((?:\[[^\]]*\]\s*)*)(?:=[^;,]*)?")
STRUCT = re.compile(r"typedef\s+struct\s*\w*\s*\{([^{}]*)\}\s*(\w+)\s*;")
VARIABLE = re.compile(r"^(?:extern\s+|static\s+)*(\w+)\s+(\w+(?:\s*\[[^\]]*\])*(?:\s*,\s*\w+(?:\s*\[[^\]]*\])*)*)\s*(?:=[^;]*)?;", re.M)
FIELD_ENTRY = re.compile(r"\{\s*&\s*(\w+)((?:\[[^\]]*\])*)\s*,\s*\{([^{}]*?)\b(FT_\w+)\s*,([^{}]*)HFILL\s*\}\s*,?\s*\}")
EXPERT_ENTRY = re.compile(r"\{\s*&\s*(\w+)((?:\[[^\]]*\])*)\s*,\s*\{([^{}]*)EXPFILL\s*\}\s*,?\s*\}")
FIELD_TABLE = re.compile(r"\bstatic hf_register_info (\w+)\[\] = \{")
EXPERT_TABLE = re.compile(r"\bstatic (?:const gw_finding|ei_register_info) (\w+)\[\] = \{")
TEXT = r'(?:"(?:\\.|[^"\\\n])*"\s*)+'
FINDING = re.compile(rf'\{{\s*(&\s*[\w.]+(?:\[[^\]]*\])?)\s*,\s*("[\w.]+"\s*,\s*PI_\w+\s*,\s*PI_\w+\s*,\s*{TEXT}),'
                     rf'\s*(?:NULL|{TEXT})\s*,\s*(?:NULL|{TEXT})\s*\}}')
ADDERS = {"gw_add_finding": "expert_add_info", "gw_add_finding_format": "expert_add_info_format",
          "gw_add_finding_at": "proto_tree_add_expert", "gw_add_finding_at_format": "proto_tree_add_expert_format"}
CALL = re.compile(r"\b((?:proto_tree_add|ptvcursor_add)\w*)\s*\(")
CAST = re.compile(r"\((?:const\s+)?(?:unsigned|signed|int|char|float|double|bool|size_t|\w+_t|g?u?int\d*|gboolean)(?:\s+\w+)?\s*\**\)\s*(?=[\w(])")
KINDS = {"int": "hf", "expert_field": "ei"}


class Id:
    """The id of a field or an expert info: a struct's member, a variable, or (with `size`) an array of them."""

    def __init__(self, kind, spelled, size):
        self.kind = kind  # "hf" or "ei"
        self.spelled = spelled  # as in our sources: "enet_hf.peer"
        self.name = f"{kind}_{spelled.replace('.', '__')}" if not re.match(rf"{kind}_", spelled) else spelled
        self.size = size  # the array's size as it is written, or ""


def with_expert_infos(text):
    """The text with findings in Wireshark's own form."""
    text = FINDING.sub(r"{ \1, { \2, EXPFILL } }", text).replace("static const gw_finding ", "static ei_register_info ")
    return re.sub(r"\bgw_add_finding\w*(?=\()", lambda adder: ADDERS[adder.group()], text)


def with_code(text, change):
    """The text with `change` applied to all but literals."""
    return "".join(part if place % 2 else change(part) for place, part in enumerate(LITERAL.split(text)))


def split_arguments(text, start):
    """The arguments of the call whose opening parenthesis is before `start`, and the place after its closing one."""
    depth, arguments, begin, place = 1, [], start, start
    while depth:
        literal = LITERAL.match(text, place)
        if literal:
            place = literal.end()
            continue
        if text[place] in "([{":
            depth += 1
        elif text[place] in ")]}":
            depth -= 1
        if depth == 0 or (depth == 1 and text[place] == ","):
            arguments.append(text[begin:place].strip())
            begin = place + 1
        place += 1
    return arguments, place


def one_word(argument):
    """A word for any expression: the expression itself where it is one."""
    argument = CAST.sub("", argument)
    if re.fullmatch(r"-?\w+|" + LITERAL.pattern, argument):
        return argument
    return re.sub(r"\W+", "_", argument).strip("_") or "expression"


def with_simple_calls(text):
    done, place = [], 0
    while call := CALL.search(text, place):
        arguments, end = split_arguments(text, call.end())
        done += [text[place:call.start()], f"{call.group(1)}({', '.join(map(one_word, arguments))})"]
        place = end
    return "".join([*done, text[place:]])


class Sources:
    """All families below `plugin`, or one of them; works in `folder`, which is made."""

    kept = {}  # (compiler, source, its text and that of all headers): what the compiler made of it, for the next copy of our sources

    def __init__(self, plugin, folder, only=None, compiler=os.environ.get("CC", "cc")):
        self.plugin, self.folder, self.compiler = Path(plugin), Path(folder), compiler
        self.stripped = self.folder / "stripped"
        shutil.rmtree(self.folder, ignore_errors=True)
        self._strip(only or "")
        self.families = {}  # name: Family
        for folder in sorted(path for path in self.plugin.iterdir() if path.is_dir()):
            # The example in docs/ is not part of the plugin.
            if folder.name in (only or folder.name,) and folder.name != "docs" and list(folder.rglob("packet-*.c")):
                self.families[folder.name] = Family(self, folder.name)
        self.units = [family.unit for family in self.families.values()]
        self.protocols = [unit for family in self.families.values() for unit in family.protocols()]

    def _strip(self, only):
        """A copy in which only our own headers are included: the checks need the names of Wireshark's macros."""
        headers = hashlib.sha256()
        for path in sorted([*(self.plugin / only).rglob("*.c"), *self.plugin.rglob("*.h")]):
            copy = self.stripped / path.relative_to(self.plugin)
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = re.sub(r"^\s*#\s*include\s*<.*$", "", path.read_text(encoding="utf-8"), flags=re.M)
            copy.write_text(text, encoding="utf-8")
            if path.suffix == ".h":
                headers.update(f"{path.relative_to(self.plugin)}\n{text}".encode())
        self.headers = headers.digest()

    def preprocessed(self, path):
        """{header or source: the lines from it} of a source, as for a Wireshark newer than any; paths below `plugin`."""
        key = self.compiler, path, (self.stripped / path).read_bytes(), self.headers
        if key not in self.kept:
            self.kept[key] = self._preprocess(path)
        return self.kept[key]

    def _preprocess(self, path):
        command = [self.compiler, "-E", "-undef", "-nostdinc", "-DWIRESHARK_VERSION_MAJOR=99", "-DWIRESHARK_VERSION_MINOR=0",
                   "-I", self.stripped, self.stripped / path]
        text = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
        lines, origin = {}, None
        for line in text.splitlines():
            if marker := re.match(r'# \d+ "([^"]*)"', line):
                origin = marker.group(1)
            else:
                lines.setdefault(origin, []).append(line)
        return {Path(place).relative_to(self.stripped): "\n".join(found)
                for place, found in lines.items() if place.startswith(f"{self.stripped}/")}


def changed_copy(plugin, copy, family, change):
    """Copies a family's sources and all headers to `copy` and changes the first file of the family for which `change(text)`
    returns another text. Returns that file's path below `plugin`, or None."""
    shutil.rmtree(copy, ignore_errors=True)
    for path in [*(plugin / family).rglob("*.c"), *plugin.rglob("*.h")]:
        (copy / path.relative_to(plugin)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy / path.relative_to(plugin))
    for path in sorted((copy / family).rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        if (changed := change(text)) and changed != text:
            path.write_text(changed, encoding="utf-8")
            return path.relative_to(copy)
    return None


class Family:
    def __init__(self, sources, name):
        self.sources, self.name = sources, name
        own = {}
        headers = {}
        for path in sorted((sources.stripped / name).rglob("*.c")):
            path = path.relative_to(sources.stripped)
            texts = sources.preprocessed(path)
            own[path] = with_expert_infos(texts[path])
            headers.update({origin: text for origin, text in texts.items() if name in origin.parts and origin.suffix == ".h"})
        declarations = "\n".join([*headers.values(), *own.values()])
        self.ids = {known.name: known for known in self._ids(declarations)}
        self.files = {path: with_code(text, self._renamed) for path, text in own.items()}
        self.code = "\n".join(self.files.values())
        self.text = with_simple_calls(self.code)
        self.fields = [(name, index, type_) for name, index, _, type_, _ in FIELD_ENTRY.findall(self.text)]
        self.experts = [(name, index) for name, index, _ in EXPERT_ENTRY.findall(self.text)]
        self.unit = sources.folder / f"packet-{name}.c"
        self.unit.write_text(self._prelude() + self.text + "\n", encoding="utf-8")

    def protocols(self):
        """Writes the text of each folder, with its sub-folders, to a file of the name of its packet-<protocol>.c; returns these
        files."""
        folder = self.sources.folder / "protocols"
        folder.mkdir(exist_ok=True)
        written = []
        packets = [path for path in self.files if path.name.startswith("packet-")]
        for packet in packets:
            unit = folder / packet.name
            unit.write_text("\n".join(text for path, text in self.files.items() if packet.parent in path.parents), encoding="utf-8")
            written.append(unit)
        for path, text in self.files.items():
            if (FIELD_TABLE.search(text) or EXPERT_TABLE.search(text)) and not any(packet.parent in path.parents for packet in packets):
                raise SystemExit(f"{path}: its filter names cannot be checked, no packet-<protocol>.c is beside it or above")
        return written

    @staticmethod
    def _declared(text):
        return [(name, size.replace(" ", "")) for name, size in DECLARATOR.findall(text) if name]

    def _ids(self, text):
        structs = {}  # type: (kind, [(member, size)]) of those that hold ids and nothing else
        for body, type_ in STRUCT.findall(text):
            members = [re.match(r"\s*(\w+)\s+(.*)", part, re.S) for part in body.split(";") if part.strip()]
            kinds = {KINDS.get(member.group(1)) if member else None for member in members}
            if len(kinds) == 1 and (kind := kinds.pop()):
                structs[type_] = kind, [pair for member in members for pair in self._declared(member.group(2))]
        for type_, names in VARIABLE.findall(text):
            for name, size in self._declared(names):
                if type_ in structs and "ett" not in name:
                    kind, members = structs[type_]
                    yield from (Id(kind, f"{name}.{member}", member_size) for member, member_size in members)
                elif type_ == "expert_field" or (type_ == "int" and re.search(r"(^|_)hf(_|$)", name)):
                    yield Id(KINDS[type_], name, size)

    def _renamed(self, code):
        code = re.sub(r"\b([A-Za-z_]\w*)\s*(?:->|\.)\s*(?=[A-Za-z_])", r"\1__", code)
        names = {known.spelled.replace(".", "__"): known.name for known in self.ids.values()}
        return re.sub(r"\b[A-Za-z_]\w*", lambda word: names.get(word.group(), word.group()), code)

    def _prelude(self):
        """Definitions as the checks expect them. An array whose entries are made by a function has none: the checks would
        miss its entries; registered_fields.py looks at it."""
        tabled = {name for name, _, _ in self.fields}
        lines = []
        for known in self.ids.values():
            if known.kind == "hf" and not known.size:
                lines.append(f"static int {known.name} = -1;")
            elif known.kind == "hf" and known.name in tabled:
                lines.append(f"static int {known.name}[1];")
            elif known.kind == "ei" and not known.size:
                lines.append(f"static expert_field {known.name} = EI_INIT;")
        return "\n".join(lines) + "\n"
