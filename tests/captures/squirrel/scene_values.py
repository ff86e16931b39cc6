# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every value and every command, at their borders and nested, in frames that may carry them."""

from frames import LARGEST_WHOLE, frame
from values import (array, binary, blob, boolean, call, call_ex, counted_array, counted_class, counted_table,
                    error, float_bits, floating, get, get_ex, integer, negated, null, put, put_ex, quaternion,
                    string, table, vector, word)
from wire import Scene

A, B, C = (get(string(name)) for name in "abc")
X = string("x")
INFINITY = float("inf")
NO_LITERAL = "inf and nan have no Squirrel literal"
BLOB_UNDECIDED = "no spelling is agreed on for a blob"
CLASS_UNDECIDED = "no spelling is agreed on for a class"

# The maximum length after the identifier, the header of SetRemoteValue, its key, and the string's header.
LARGEST_STRING = LARGEST_WHOLE - 4 - 5 - len(X.data) - 3


def nested(levels, innermost, wrap):
    node = innermost
    for level in range(levels):
        node = wrap(level, node)
    return node


SCALARS = [
    ("null", null()),
    *((f"int32 {number}", integer(number))
      for number in (0, 15, -1, 32768, -32769, 2147483647, -2147483648)),
    *((f"int16 {number}", word(number)) for number in (0, 1, -1, 32767, -32768)),
    *((f"float {number!r}", floating(number))
      for number in (0.0, -0.0, 1.0, 3.14, -2.5, 0.1, 10.0, 16777216.0)),
    ("float, largest", floating(3.4028234663852886e38)),
    ("float, smallest normal", floating(1.1754943508222875e-38)),
    ("float, smallest subnormal", floating(1.401298464324817e-45)),
    ("bool false", boolean(False)),
    ("bool true", boolean(True)),
]

NOT_FINITE = [
    ("float infinity", floating(INFINITY)),
    ("float minus infinity", floating(-INFINITY)),
    ("float nan", float_bits(0x7FC00000)),
    ("float signalling nan with a payload", float_bits(0xFFA00001)),
    ("vector with infinity and nan", vector(INFINITY, float("nan"), -1)),
]

STRINGS = [
    ("string, empty", string("")),
    ("string, ASCII", string("apple")),
    ("string, UTF-8", string("Gr\u00fc\u00dfe, \u65e5\u672c \U0001f697")),
    ("string, Windows-1252", string(b"\x80 5 \x93quoted\x94 caf\xe9")),
    ("string with NUL", string(b"before\x00after")),
    ("string, everything escaped", string(b"\"quotes\" \\ line\nreturn\rtab\tbell\x07 delete\x7f")),
    ("string, markup", string("[#ff0000]<b>&amp;%s%n")),
    ("string, largest frame that is not split", string(("0123456789abcdef" * 256)[:LARGEST_STRING])),
]

GEOMETRY = [
    ("vector", vector(1, 2, 3)),
    ("vector, fractions", vector(-719.5, 3.14, 0.1)),
    ("vector of a VectorScreen", vector(640, 480, 0)),
    ("quaternion", quaternion(1, 2, 3, 4)),
    ("quaternion, a rotation", quaternion(0, 0, 0.70710678, -0.70710678)),
]

KEYS = [string("ident_1"), string("x y"), string(""), word(5), integer(-70000), boolean(True), null(),
        floating(1.5), vector(1, 2, 3), string(b"\x80\x93")]
KEYED = table(*((key, word(number)) for number, key in enumerate(KEYS, 1)))

CONTAINERS = [
    ("array", array(word(100), word(200))),
    ("array of every type", array(null(), integer(70000), word(7), floating(0.5), boolean(True), string("s"),
                                  vector(1, 2, 3), quaternion(1, 2, 3, 4), array(word(1)),
                                  table((string("k"), string("v"))))),
    ("array of 200 elements", array(*(word(number) for number in range(200)))),
    ("array of a command", array(A, binary("+", A, word(1)))),
    ("table", table((string("a"), word(1)), (string("b"), string("okay")))),
    ("table, empty", table()),
    ("table with keys of every type", KEYED),
    ("table in table in array",
     array(table((string("inner"), table((string("deep"), array(word(1), word(2)))))))),
    ("array, 12 deep", nested(12, word(1), lambda level, node: array(node))),
    ("table, 12 deep", nested(12, word(1), lambda level, node: table((string(f"level{level}"), node)))),
]

BLOBS = [
    ("blob, empty", blob(b"")),
    ("blob", blob(b"\x00\x01\x02\xfe\xff")),
    ("blob of 256 bytes", blob(bytes(range(256)))),
    ("array with a blob", array(word(1), blob(b"ab"), word(2))),
]

COMMANDS = [
    ("GetRemoteValue", A),
    ("GetRemoteValue with a key that is no string", get(word(5))),
    ("GetRemoteValueEx", get_ex(get(string("Console")), string("Print"))),
    ("SetRemoteValue with a command", put(X, binary("*", A, word(2)))),
    ("SetRemoteValueEx", put_ex(A, string("Y"), word(5))),
    ("SetRemoteValueEx with commands", put_ex(get_ex(A, string("Pos")), get(string("axis")), negated(B))),
    ("CallRemoteFunc without arguments", call(get(string("gui_close")))),
    ("CallRemoteFunc", call(get(string("rprint")), string("Hello"))),
    ("CallRemoteFunc with arguments of every type",
     call(get(string("f")), null(), word(1), integer(70000), floating(1), boolean(False), string("s"),
          vector(1, 2, 3), quaternion(1, 2, 3, 4), array(word(1), word(2)), table((string("a"), word(1))),
          A)),
    ("CallRemoteFunc with a function's name", call(string("rprint"), string("Hello"))),
    ("CallRemoteFunc on the result of a call", call(call(get(string("factory")), word(1)), word(2))),
    ("CallRemoteFuncEx without arguments", call_ex(get_ex(A, string("Update")), A)),
    ("CallRemoteFuncEx", call_ex(get_ex(A, string("SetText")), A, string("score"), word(12))),
    ("a.b.c()", call_ex(get_ex(get_ex(A, string("b")), string("c")), get_ex(A, string("b")))),
]

OPERATORS = [
    *((f"_{name}", binary(sign, A, word(5)))
      for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("div", "/"), ("modulo", "%"))),
    ("_unm", negated(A)),
    ("a sum in a product", binary("*", binary("+", A, word(5)), word(2))),
    ("a product in a sum", binary("+", binary("*", A, word(5)), word(2))),
    ("sums from the left", binary("-", binary("-", A, B), C)),
    ("a difference on the right", binary("-", A, binary("-", B, C))),
    ("a sum on the right", binary("+", A, binary("+", B, C))),
    ("a product on the right", binary("/", A, binary("*", B, C))),
    ("a quotient on the left", binary("%", binary("/", A, B), C)),
    ("minus a sum", negated(binary("+", A, B))),
    ("minus a product", negated(binary("*", A, B))),
    ("a product of minus", binary("*", negated(A), B)),
    ("minus on the right", binary("-", A, negated(B))),
    ("minus of minus", negated(negated(A))),
    ("minus of a negative number", negated(word(-5))),
    ("a negative number on the right", binary("%", A, word(-5))),
    ("a negative number on the left", binary("-", floating(-2.5), A)),
    ("a vector and a number", binary("*", vector(1, 2, 3), floating(0.5))),
    ("an argument that is a sum", call(get(string("f")), binary("+", A, word(1)), word(2))),
]

DEEP_COMMANDS = [
    ("GetRemoteValueEx, 12 deep",
     nested(12, get(string("root")), lambda level, node: get_ex(node, string(f"level{level}")))),
    ("sums to the right, 12 deep", nested(12, A, lambda level, node: binary("+", word(level), node))),
    ("calls, 12 deep", nested(12, A, lambda level, node: call(get(string("f")), node))),
]

REPLIES = [
    ("array, empty", counted_array()),
    ("array", counted_array(word(100), word(200))),
    ("table, empty", counted_table()),
    ("table", counted_table((string("a"), word(1)), (string("b"), string("okay")))),
    ("array of every type",
     counted_array(null(), integer(70000), word(7), floating(0.5), boolean(False), string("s"),
                   vector(1, 2, 3), counted_array(word(1)), counted_table((string("k"), string("v"))))),
    ("array, 12 deep", nested(12, word(1), lambda level, node: counted_array(node))),
    ("table, 12 deep",
     nested(12, word(1), lambda level, node: counted_table((string(f"level{level}"), node)))),
    ("a player's readable properties",
     counted_table((string("Name"), string("Vercetti")), (string("Health"), word(100)),
                   (string("Pos"), vector(-1007.5, 199.25, 11.4375)), (string("Vehicle"), null()))),
    ("a quaternion, which the client holds as a table",
     counted_table(*((string(name), floating(number)) for name, number in zip("xyzw", (0, 0, 0.6, 0.8))))),
    ("a value that cannot be encoded: its type's name", string("function")),
    ("string with NUL", string(b"before\x00after")),
    ("nothing", null()),
]

# Release 1.1.1: lower-case tags with counts, and every integer in four bytes.
OLD_REPLIES = [
    ("array, empty", counted_array(tag=b"a")),
    ("array", counted_array(integer(100), integer(200), tag=b"a")),
    ("table, empty", counted_table(tag=b"t")),
    ("table", counted_table((string("a"), integer(1)), (string("b"), string("okay")), tag=b"t")),
    ("nested",
     counted_array(counted_table((string("list"), counted_array(integer(1), null(), tag=b"a")), tag=b"t"),
                   counted_array(tag=b"a"), integer(7), tag=b"a")),
]

CLASSES = [
    ("class, empty", counted_class()),
    ("class", counted_class((string("Width"), integer(640)), (string("Name"), string("window")))),
]


def assigned(scene, label, value, **more):
    """The server sends a value as an operand."""
    scene.say(frame("RemoteExecute", put(X, value)), label, **more)


def answered(scene, label, value, token, **more):
    """The client sends a value as the answer to a command."""
    scene.say(frame("RemoteExecuteSpecial", get(X), token=token), f"{label}, asked for")
    scene.say(frame("Reply", value, token=token), f"{label}, in a Reply", **more)


def values_from_server(scene):
    for label, value in SCALARS + STRINGS + GEOMETRY + CONTAINERS:
        assigned(scene, label, value)
    for label, value in NOT_FINITE:
        assigned(scene, label, value, note=NO_LITERAL)
    for label, value in BLOBS:
        assigned(scene, label, value, note=BLOB_UNDECIDED)
    assigned(scene, "array, empty", array(),
             note="the real client reads one element from an empty array")


def commands_both_ways(scene):
    for label, node in COMMANDS + OPERATORS + DEEP_COMMANDS:
        scene.say(frame("RemoteExecute", node), label)
    for label, node in COMMANDS:
        scene.say(frame("Exec", node), f"{label}, from a client")


def replies(scene):
    current = SCALARS + GEOMETRY[:3] + REPLIES
    old = [(f"1.1.1: {label}", value) for label, value in OLD_REPLIES]
    classes = [(f"1.1.1: {label}", value, CLASS_UNDECIDED) for label, value in CLASSES]
    others = [("blob", BLOBS[1][1], BLOB_UNDECIDED),
              ("error", error("the index 'a' does not exist"), "an error is no expression"),
              ("error without a text", error(""), "the thrown value was no string")]
    for token, (label, value) in enumerate(current + old):
        answered(scene, label, value, token)
    for token, (label, value, note) in enumerate(classes + others, len(current + old)):
        answered(scene, label, value, token, note=note)


def results(scene):
    for token, (label, value) in enumerate(SCALARS[:3] + GEOMETRY + CONTAINERS, 1):
        scene.say(frame("ExecSpecial", get(X), token=token), f"{label}, asked for by the client")
        scene.say(frame("ResultFromServer", value, token=token), f"{label}, in a ResultFromServer")


def every_value():
    scene = Scene("every-value")
    values_from_server(scene)
    commands_both_ways(scene)
    replies(scene)
    results(scene)
    return scene
