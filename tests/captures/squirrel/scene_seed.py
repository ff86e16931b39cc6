# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every example of the format's public documentation: as printed there, as it should read, as 1.1.6 sends it.

The printed bytes are copied from that page, not encoded, so this scene also tests the encoder beside it.
"""

from typing import Callable, NamedTuple, Optional

from frames import frame
from values import (Node, array, binary, boolean, call, call_ex, floating, get, get_ex, integer, negated,
                    null, put, put_ex, quaternion, string, table, vector, word)
from wire import Scene

A = get(string("a"))
CONSOLE = get(string("Console"))
PRINT = get_ex(CONSOLE, string("Print"))


class Example(NamedTuple):
    label: str
    build: Callable[[Callable], Node]   # has the integer form of the release
    printed: Optional[str]              # hex as documented; None where no bytes are printed
    note: Optional[str] = None          # the error in the printed bytes


EXAMPLES = [
    Example("null", lambda number: null(), "6f"),
    Example("integer", lambda number: number(15), "690f000000"),
    Example("float", lambda number: floating(3.14), "66c3f54840"),
    Example("bool", lambda number: boolean(True), "6201"),
    Example("string", lambda number: string("apple"), "7300056170706c65"),
    Example("vector", lambda number: vector(1, 2, 3), "760000803f0000004000004040"),
    Example("quaternion", lambda number: quaternion(1, 2, 3, 4), "710000803f000000400000404000008040"),
    Example("array", lambda number: array(number(100), number(200)), "610a000000696400000069c8000000"),
    Example("table", lambda number: table((string("a"), number(1)), (string("b"), string("okay"))),
            "7414000000730001616901000000730001627300046f6b6179"),
    Example("GetRemoteValue", lambda number: A, "670400000073000161"),
    Example("GetRemoteValueEx, by its bytes", lambda number: PRINT,
            "6b17000000670a000000730007436f6e736f6c657300055072696e74",
            "the title over these bytes has no inner GetRemoteValue"),
    Example("GetRemoteValueEx, by its title",
            lambda number: get_ex(string("Console"), string("Print")), None),
    Example("SetRemoteValue", lambda number: put(string("a"), floating(1)), "680900000073000161660000803f"),
    Example("SetRemoteValue, step 1", lambda number: put(string("a"), vector(1, 2, 3)), None),
    Example("SetRemoteValueEx, step 2", lambda number: put_ex(A, string("Y"), number(5)),
            "6a11000000670a00000073000161730001596905000000",
            "outer length 17 for 18 bytes, inner length 10 for 4"),
    Example("CallRemoteFunc", lambda number: call(get(string("rprint")), string("Hello")),
            "46160000006709000000730006727072696e7473000548656c6c6f"),
    Example("CallRemoteFuncEx", lambda number: call_ex(PRINT, CONSOLE, string("hi")), None),
    Example("_add", lambda number: binary("+", A, number(5)), "2b0e0000006704000000730001616905000000"),
    Example("_sub", lambda number: binary("-", A, number(5)), "2d0e0000006704000000730001616905000000"),
    Example("_mul", lambda number: binary("*", A, number(5)), "2a0e0000006704000000730001616905000000"),
    Example("_div", lambda number: binary("/", A, number(5)), "2f0e0000006704000000730001616905000000"),
    Example("_modulo", lambda number: binary("%", A, number(5)), "250e0000006704000000730001616905000000"),
    Example("_unm", lambda number: negated(A), "7509000000670400000073000161"),
]

# The page's text gives `j` the code 0x6b, which is `k`: a GetRemoteValueEx with an operand too many.
WRONG_TAG = bytes.fromhex("6b11000000670a00000073000161730001596905000000")

COMMANDS = b"gkhjFE+-*/%u"


def spellings(example):
    """(label, node, note) for each different byte string of an example."""
    documented, current = example.build(integer), example.build(word)
    if example.printed:
        printed = documented._replace(data=bytes.fromhex(example.printed))
        yield f"{example.label}: as printed", printed, example.note
        assert example.label.startswith("SetRemoteValueEx") or printed == documented, example.label
    if not example.printed or bytes.fromhex(example.printed) != documented.data:
        yield f"{example.label}: as it should read", documented, None
    if current.data != documented.data:
        yield f"{example.label}: as 1.1.6 sends it", current, None


def all_spellings():
    for example in EXAMPLES:
        yield from spellings(example)
    yield ("SetRemoteValueEx, step 2: with the tag of its text", Node(WRONG_TAG, None),
           "tag 0x6b is GetRemoteValueEx: one operand too many, and both lengths wrong")


def value_in_frames(scene, label, node, token):
    """Values are answers: of the server in a Reply, of a client in a ResultFromServer."""
    question = get(string("answer"))
    scene.say(frame("RemoteExecuteSpecial", question, token=token), f"{label}, asked for")
    scene.say(frame("Reply", node, token=token), f"{label}, in a Reply")
    scene.say(frame("ExecSpecial", question, token=token + 1), f"{label}, asked for by the client")
    scene.say(frame("ResultFromServer", node, token=token + 1), f"{label}, in a ResultFromServer")


def seed_examples():
    scene = Scene("seed-examples")
    for label, node, note in all_spellings():
        more = {"note": note} if note else {}
        scene.raw(node.data, {"label": f"{label}, bare", "expression": node.source, **more})
    for token, (label, node, note) in enumerate(all_spellings()):
        if node.data[0] in COMMANDS:
            more = {"note": note} if note else {}
            scene.say(frame("RemoteExecute", node), f"{label}, in a RemoteExecute", **more)
        else:
            value_in_frames(scene, label, node, token)
    return scene
