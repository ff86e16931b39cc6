# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""One fault a datagram, inside frames that can be recognized, and a few in bare commands.

`fault` names it; `stated` and `actual` are the two numbers of a wrong length or count; `expression` is given
where a reader that counts operands, as the real client does, still understands the command.
"""

import struct

from frames import CHUNK, FRAMES, Message, chunk, frame, identifier
from values import (array, boolean, call, call_ex, counted_array, error, floating, get, get_ex, headed,
                    integer, joined, put, put_ex, quaternion, raw, string, vector, word)
from wire import Scene

A = get(string("a"))
X = string("x")
DEEP_COMMANDS = 600
DEEP_ARRAYS = 800
ALL_ONES = 0xFFFFFFFF

# The commands for the replies, so that each reply has only one fault.
CUT_TOKEN, ERROR_TOKEN, TRAILING_TOKEN, FIRST_COUNT_TOKEN = range(4)


def stating(node, number):
    """A container or command with `number` as its u32."""
    return node._replace(data=headed(node.data[:1], number, node.data[5:]))


def holding(tag, *operands):
    """A command or byte-length container of any operands, right or wrong, with the right length."""
    content = joined(operands)
    return raw(headed(tag, len(content), content))


def string_stating(length, content):
    return raw(b"s" + struct.pack(">H", length) + content)


def run(node):
    return frame("RemoteExecute", node)


def hold(value):
    """A wrong value in a frame in which the server would assign it."""
    return run(holding(b"h", X, value))


def answer(value, token):
    return frame("Reply", value, token=token)


def case(fault, message, stated=None, actual=None):
    numbers = {} if stated is None else {"stated": stated, "actual": actual}
    return fault, message, numbers


def tags():
    return [
        case("unknown tag in an operand", hold(raw(b"x\x01"))),
        case("unknown tag at the top", run(raw(b"Z"))),
        case("an error where only replies have one", hold(error("oops"))),
        case("no command: a number", run(word(5))),
        case("no command: null in five bytes", run(raw(b"o"))),
        case("a frame's tag 0x6b where its operands are those of 0x6a",
             run(holding(b"k", A, string("Y"), word(5)))),
        case("bool 2", hold(raw(b"b\x02"))),
        case("bool 255", hold(raw(b"b\xff"))),
    ]


def operands():
    return [
        case("operand missing: GetRemoteValue without key", run(holding(b"g"))),
        case("operand missing: GetRemoteValueEx without key", run(holding(b"k", string("Console")))),
        case("operand missing: SetRemoteValueEx without value", run(holding(b"j", A, string("Y")))),
        case("operand missing: CallRemoteFunc without function", run(holding(b"F"))),
        case("operand missing: CallRemoteFuncEx without environment", run(holding(b"E", A))),
        case("operand missing: _add with one operand", run(holding(b"+", A))),
        case("operand left over: GetRemoteValue with two keys", run(holding(b"g", string("a"), string("b")))),
        case("operand left over: SetRemoteValue with two values", run(holding(b"h", X, word(1), word(2)))),
        case("operand left over: _unm with two operands", run(holding(b"u", A, A))),
        case("operand missing deep inside", run(call(A, put_ex(A, X, holding(b"k", A)), word(5)))),
    ]


def lengths():
    outer = put_ex(A, string("Y"), word(5))
    size = len(outer.data) - 5
    call_hello = call(get(string("rprint")), string("Hello"))
    inner = stating(A, 10)
    return [
        case("length one less than the content", run(stating(outer, size - 1)), size - 1, size),
        case("length one more than the content", run(stating(outer, size + 1)), size + 1, size),
        case("length 0 over a content", run(stating(outer, 0)), 0, size),
        case("length 0xffffffff", run(stating(outer, ALL_ONES)), ALL_ONES, size),
        case("length 0x80000000", run(stating(outer, 0x80000000)), 0x80000000, size),
        case("inner length longer, as in the documentation", run(put_ex(inner, string("Y"), word(5))), 10, 4),
        case("inner length shorter", run(put_ex(stating(A, 3), string("Y"), word(5))), 3, 4),
        case("inner length beyond its container", run(get_ex(stating(A, 100), string("Y"))), 100, 4),
        case("length of a call ends inside its argument",
             run(stating(call_hello, len(call_hello.data) - 5 - 3)._replace(source=None)),
             len(call_hello.data) - 8, len(call_hello.data) - 5),
        case("length of an argument's call ends inside the next argument",
             run(call(A, stating(call(A), 11), word(5))._replace(source=None)), 11, 9),
        case("array's length ends inside an element",
             hold(raw(b"a\x05\0\0\0" + joined([word(100), word(200)]))), 5, 6),
        case("array's length beyond the packet",
             hold(raw(b"a\x40\0\0\0" + joined([word(100), word(200)]))), 64, 6),
        case("table with an odd number of values", hold(holding(b"t", string("a"), word(1), string("b")))),
        case("table with a key only", hold(holding(b"t", string("a")))),
    ]


def strings():
    return [
        case("string beyond its container", run(get_ex(raw(b"g\x04\0\0\0" + string_stating(9, b"a").data),
                                                     string("after it"))), 9, 1),
        case("string beyond the packet", hold(string_stating(200, b"short")), 200, 5),
        case("string of length 65535", hold(string_stating(65535, b"short")), 65535, 5),
        case("string length in little-endian order", hold(raw(b"s\x05\x00Hello")), 1280, 5),
        case("CompileString longer than the packet", cut(frame("CompileString", text="rprint(1)"), 2), 9, 7),
        case("CompileString shorter than the packet",
             longer(frame("CompileString", text="rprint(1)"), b"??"), 9, 11),
        case("LoadNutFile longer than the packet",
             cut(frame("LoadNutFile", token=3, text="rprint(1)"), 4), 9, 5),
    ]


def counts():
    """Counted containers, which only replies have; each answers a separate command."""
    two = counted_array(word(1), word(2))
    pair = joined([string("a"), word(1)])
    cases = [
        ("counted array with a count beyond the data", raw(stating(two, 3).data), 3, 2),
        ("counted array with a count below the data", raw(stating(two, 1).data), 1, 2),
        ("counted array with count 0xffffffff", raw(stating(two, ALL_ONES).data), ALL_ONES, 2),
        ("counted table with a count beyond the data", raw(headed(b"T", 2, pair)), 2, 1),
        ("counted table whose count overflows when doubled",
         raw(headed(b"T", 0x80000001, pair)), 0x80000001, 1),
        ("1.1.1 array that fits neither as a count nor as a length",
         raw(headed(b"a", 3, joined([word(1), word(2)]))), 3, 2),
        ("class with a count beyond the data", raw(headed(b"c", 9, pair)), 9, 1),
        ("blob beyond the packet", raw(headed(b"B", 100, b"blob")), 100, 4),
        ("blob of 0xffffffff bytes", raw(headed(b"B", ALL_ONES, b"blob")), ALL_ONES, 4),
        ("an error inside an array", raw(counted_array(error("oops")).data), None, None),
        ("a command in a reply", A, None, None),
    ]
    return [case(fault, answer(value, token), stated, actual)
            for token, (fault, value, stated, actual) in enumerate(cases, FIRST_COUNT_TOKEN)]


def cut(message, size):
    """A frame without its last `size` bytes, whose meaning is unknown."""
    info = {**message.info, "expression": None} if "expression" in message.info else message.info
    return message._replace(data=message.data[:-size], info=info)


def longer(message, more):
    return message._replace(data=message.data + more)


def bodies_cut():
    values = [("an int32", integer(-70000), 2), ("an int16", word(5), 1), ("a float", floating(1), 3),
              ("a bool", boolean(True), 1), ("a vector", vector(1, 2, 3), 5),
              ("a quaternion", quaternion(1, 2, 3, 4), 1), ("a string's length", string(""), 1),
              ("an array's length", array(), 2)]
    cases = [case(f"cut inside {name}", cut(hold(value), size)) for name, value, size in values]
    return cases + [case("cut inside a command's length", cut(run(holding(b"g")), 2))]


def heads_cut():
    """Frames that end inside their header, or directly after it."""
    heads = [("RemoteExecute", 4), ("RemoteExecuteSpecial", 6), ("RemoteExecuteSpecial", 8), ("Reply", 7),
             ("Reply", 8), ("CompileString", 5), ("PeerExec", 4), ("PeerExec", 5), ("SendResultToPeer", 8),
             ("PeerExecHere2", 9), ("SplitStream", 17), ("SplitStreamFromServer", 18), ("ClientData", 4),
             ("LoadNutFile", 8), ("NutFileLoaded", 8), ("ExecSpecial", 8), ("ResultFromServer", 8)]
    zeros = bytes(18)                       # a head of zeros has CUT_TOKEN
    without_data = frame("ClientData", string("identifier"), data=raw(b""))
    return [case(f"{name} of {size} bytes",
                 Message(identifier(FRAMES[name][0]) + zeros[4:size], {"frame": name}))
            for name, size in heads] + [case("ClientData without its data", without_data)]


def chunks():
    up, payload = "SplitStream", b"e" * 40
    return [
        case("chunk index equal to the total", chunk(up, 20, 3, 3, payload), 3, 3),
        case("chunk index far beyond the total",
             chunk("SplitStreamFromServer", 20, ALL_ONES, 3, payload), ALL_ONES, 3),
        case("chunk total 0", chunk(up, 21, 0, 0, payload)),
        case("chunk longer than the packet", chunk(up, 22, 0, 3, payload, length=41), 41, 40),
        case("chunk shorter than the packet", chunk(up, 23, 0, 3, payload, length=39), 39, 40),
        case("chunk length above 4075", chunk(up, 24, 0, 3, bytes(CHUNK + 1)), CHUNK + 1, CHUNK),
        case("chunk length in big-endian order", chunk(up, 25, 0, 3, payload, length=40 << 8), 40 << 8, 40),
        case("chunk total 0xffffffff", chunk(up, 26, 0, ALL_ONES, payload)),
        case("short chunk that is not the last", chunk(up, 27, 0, 3, payload), 40, CHUNK),
        case("stream of one chunk that holds no frame", chunk(up, 28, 0, 1, b"not a frame")),
    ]


def meanings():
    """Complete frames with wrong contents."""
    return [
        case("an answer to no question", answer(word(3), 77)),
        case("an error as answer", answer(error("the index 'a' does not exist"), ERROR_TOKEN)),
        case("an error of a command without token", answer(error("oops"), -1)),
        case("empty array inside a command", run(call(get(string("f")), array(), word(5)))),
        case("empty array at the end of a command", run(put(X, array()))),
        case("nested 600 commands deep", run(deep(DEEP_COMMANDS, string("a"), b"g"))),
        case("nested 800 arrays deep", run(put(X, deep(DEEP_ARRAYS, word(1), b"a")))),
        case("trailing bytes after a command", longer(run(A), b"\xde\xad\xbe\xef"), 0, 4),
        case("a second command after the first",
             longer(run(A), call_ex(A, A).data), 0, len(call_ex(A, A).data)),
        case("trailing bytes after a reply", longer(answer(word(3), TRAILING_TOKEN), b"\x00"), 0, 1),
    ]


def deep(levels, node, tag):
    data = node.data
    for _ in range(levels):
        data = headed(tag, len(data), data)
    return raw(data)


def foreign_payloads():
    """Identifiers other than the nineteen, and bytes without a frame, which are decoded after Decode As only."""
    command = call(get(string("rprint")), string("Hello"))
    return [
        ("unknown frame 0x40fffff4", identifier(0xF4) + command.data),
        ("unknown frame 0x40ffffe0", identifier(0xE0) + command.data),
        ("three bytes of an identifier", identifier(0xE1)[:3]),
        ("identifier in big-endian order", identifier(0xE1)[::-1] + command.data),
        ("bare: unknown tag", b"x\x01"),
        ("bare: length longer than the packet", stating(A, 5).data),
        ("bare: length shorter than the content", stating(A, 3).data),
        ("bare: length 0xffffffff", stating(command, ALL_ONES).data),
        ("bare: string beyond the packet", string_stating(6, b"apple").data),
        ("bare: operand left over", holding(b"g", string("a"), string("b")).data),
        ("bare: trailing bytes after a scalar", word(5).data + b"\x00"),
        ("bare: table with an odd number of values", holding(b"t", string("a")).data),
        ("bare: command cut", command.data[:-1]),
    ]


def malformed():
    scene = Scene("malformed", wait=2)
    for token in range(FIRST_COUNT_TOKEN + len(counts())):
        scene.say(frame("RemoteExecuteSpecial", get(X), token=token), f"question {token}, for a reply below")
    for part in (tags, operands, lengths, strings, counts, bodies_cut, heads_cut, chunks, meanings):
        for fault, message, numbers in part():
            scene.say(message, fault, fault=fault, **numbers)
    for fault, data in foreign_payloads():
        scene.raw(data, {"label": fault, "expression": None, "fault": fault})
    for message, upward in ((answer(word(5), CUT_TOKEN), False), (run(A), True)):
        fault = f"{message.info['frame']} against its direction"
        scene.raw(message.data, {"label": fault, **message.info, "fault": fault}, upward=upward)
    scene.say(run(A), "a good frame")
    return scene
