#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin uses what Wireshark publishes, and nothing else.

    private.py SOURCE

FORBIDDEN lists what no file of plugin/ may contain, outside of comments and texts: private parts, and GLib's names of
C's true and false. One exception: where the header of the flow graph is not installed, common/menus/flow_graph.c declares its
two structs, for the versions whose layout was checked.
Before the tree is searched, each pattern must find its own example: the test fails if a pattern no longer works.
"""

import re
import sys

import tree

# pattern: an example that it matches
FORBIDDEN = {
    r"\bPTREE_(DATA|FINFO|HFINFO)\b": "if (PTREE_DATA(tree)->visible)",
    r"\bP(ITEM|NODE)_(FINFO|HFINFO|POOL)\b": "field_info *field = PITEM_FINFO(item);",
    r"(->|\.)rep\b": "field->rep = label;",
    r"\btree_data(_t)?\b": "item->tree_data->count = 0;",
    r"\bfield_info\b": "static field_info *found;",
    r"->finfo\b": "item->finfo->length = 1;",
    r"->(first|last)_child\b": "proto_item *above = tree->last_child;",
    r"\bmax_start\b|\bstart_idle_count\b|\binteresting_hfids\b": "data->start_idle_count = 0;",
    r"\bproto_tree_move_item\b": "proto_tree_move_item(tree, above, item);",
    r"/proc/": 'g_file_get_contents("/proc/self/cmdline", &text, &length, NULL);',
    r"\bg_[gs]et_(prgname|application_name)\b": 'g_strcmp0(g_get_prgname(), "tshark")',
    r"\b(g_|secure_)?getenv\b|\bg_(get_environ|environ_getenv)\b|\benviron\b": 'if (getenv("HOME"))',
    r"\bdlsym\b|\bdlopen\b|\bg_module_": 'dlsym(RTLD_DEFAULT, "proto_init")',
    r"\bstruct seq_analysis_\w+ *\{": "typedef struct seq_analysis_item {",
    r"\b(TRUE|FALSE)\b": "return FALSE;",
}
ALLOWED = {("plugin/common/menus/flow_graph.c", r"\bstruct seq_analysis_\w+ *\{"): 2}

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def found(text):
    """(line, pattern) of each use in a source text. String literals are searched too: a path may be one."""
    bare = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment.group()), text)
    for pattern in FORBIDDEN:
        for use in re.finditer(pattern, bare):
            yield bare.count("\n", 0, use.start()) + 1, pattern


def self_test():
    for pattern, example in FORBIDDEN.items():
        source = f"/* {example.replace('*/', '')} */\nint main(void)\n{{\n    {example}\n}}\n"
        if (4, pattern) not in set(found(source)):
            yield f"{pattern}: not found in {example}"
        if any(line != 4 for line, _ in found(source)):
            yield f"{pattern}: found in a comment"


def versions():
    """The layouts of the flow graph are valid for exact versions."""
    text = (tree.source() / "plugin/common/menus/flow_graph.c").read_text(encoding="utf-8")
    if not re.search(r"#elif( \|\|)?( ?(\|\| )?IS_VERSION\(\d+, \d+\))+\n", text):
        yield "plugin/common/menus/flow_graph.c: its structs are not bound to exact versions"


def main():
    problems = [*self_test(), *versions()]
    files = tree.files(tree.source(), ".c", ".h", folders=("plugin",))
    for file in files:
        uses = list(found((tree.source() / file).read_text(encoding="utf-8")))
        for pattern in FORBIDDEN:
            lines = [line for line, one in uses if one == pattern]
            if len(lines) != ALLOWED.get((str(file), pattern), 0):
                problems += [f"{file}:{line}: {pattern}" for line in lines] or [f"{file}: {pattern} is no longer there"]
    print(f"{len(files)} files, {len(FORBIDDEN)} patterns")
    return tree.report(problems, "private parts of Wireshark")


sys.exit(main())
