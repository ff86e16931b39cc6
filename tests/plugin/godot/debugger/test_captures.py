# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The remote debugger, compared with the engines' logs (pcaps/README.md): every message, and every value of each."""

import collections
import functools
import json
import re
import xml.etree.ElementTree

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.variants import encode, words
from plugin.godot.debugger.samples import ODD_MESSAGES, message
from plugin.godot.stream.samples import framed, generation, log, path_of, same_value

# Of the engine's own editor there is no log: test_editors.py.
ALL = sorted(path.stem for path in (tshark.PCAPS / "godot/debugger").glob("*.pcap") if "-editor" not in path.stem)
# Two sessions at a time, on the editors' default port.
TWO = [name for name in ALL if name.endswith("-debuggers")]
DEBUGGERS = [name for name in ALL if name not in TWO]

CHOSEN = ("-d", f"tcp.port=={tshark.SERVER_PORT},godot_debugger")

every_capture = pytest.mark.parametrize("capture", DEBUGGERS)
# Of one connection with an editor on port 40700: in TCP, not in WebSocket.
STREAMS = [name for name in DEBUGGERS if "websocket" not in name]
every_stream = pytest.mark.parametrize("capture", STREAMS)
every_side = pytest.mark.parametrize("side", ["game", "editor"])

# Values of any type, shown as one literal. All other members are one number or text each.
ANY = {"argument", "value", "options", "object_ids"}
# Generated fields; and the fields of the header, which are compared separately.
META = {"length", "from", "generation", "log", "break_in", "resumed_in", "continue_in", "until_resumed", "break_time",
        "message", "count", "thread"}


# ---- the engine's log ----------------------------------------------------------------------------------


def split(text):
    """The elements of a literal: the texts inside the outermost brackets."""
    parts, depth, start, quoted, i = [], 0, 0, False, 0
    while i < len(text):
        char = text[i]
        if quoted:
            i += char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char in ",:" and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
        i += 1
    rest = text[start:].strip()
    return parts + [rest] if rest else parts


def inside(text):
    return split(text.strip()[text.strip().index("[") + 1 : -1])


def messages_of_log(capture, side, editor=None):
    """(name, the literals of its values)"""
    texts = [line["text"] for line in log(capture) if line["from"] == side and editor in (None, line.get("editor"))]
    if generation(capture) == 4:
        return [(name.strip('"'), inside(data)) for name, _, data in map(inside, texts)]
    if side == "editor":
        return [(parts[0].strip('"'), parts[1:]) for parts in map(inside, texts)]
    found = []
    while texts:
        count = int(texts[1])
        found.append((texts[0].strip('"'), texts[2 : 2 + count]))
        del texts[: 2 + count]
    return found


# ---- the decoded members -------------------------------------------------------------------------------


def leaves(tree):
    """(key, value) of each member in the order of the tree; items below a value are its Variant."""
    for field in tree.findall("field"):
        name = field.get("name")
        key = name.removeprefix("godot_debugger.")
        if not name.startswith("godot_debugger.") or key in META:
            continue
        if field.get("show") == "" and field.find("field") is not None:
            yield from leaves(field)
        else:
            yield key, field.get("show")


@functools.lru_cache(maxsize=None)
def variant_of(capture, first=1, port=None):
    """The capture from a packet on, and with another port in place of the editor's 40700."""
    path = tshark.cut_beginning(path_of(capture), tshark.scratch() / f"{capture}-{first}-{port}.pcap", first)
    return tshark.move_tcp_port(path, path, 40700, port) if port else path


@functools.lru_cache(maxsize=None)
def messages_of_each(captures, *options):
    """{capture: (frame, the last byte of the editor's address, side, name, members) of each message}, with one start of
    tshark."""
    merged, begins = tshark.together(captures)
    pdml = tshark.run(["-T", "pdml", *tshark.only_ours("ip", "tcp"), "-Y", "godot_debugger", *options], merged).stdout
    found = {capture: [] for capture in captures}
    for packet in xml.etree.ElementTree.fromstring(pdml.encode()).findall("packet"):
        side = "editor" if packet.find(".//field[@name='tcp.srcport']").get("show") in ("40700", "6007") else "game"
        editor = packet.find(f".//field[@name='ip.{'src' if side == 'editor' else 'dst'}']").get("show").split(".")[-1]
        frame = int(packet.find(".//field[@name='num']").get("show"))
        at = tshark.capture_at(begins, frame)
        for layer in packet.iter("proto"):
            name = layer.find("./field[@name='godot_debugger.message']")
            if layer.get("name") == "godot_debugger" and name is not None:
                found[captures[at]].append((frame - begins[at], editor, side, name.get("show"), list(leaves(layer))))
    return found


def shown(capture, *options):
    """(side, name, members) of each message."""
    return [message[2:] for message in messages_of_each(tuple(map(path_of, ALL)), *options)[path_of(capture)]]


def unquoted(literal):
    return json.loads(literal.lstrip("&"), strict=False)


def same_scalar(ours, literal):
    if literal[:1] in ('"', "&"):
        # Line breaks and other control characters are escaped in displayed fields.
        return re.sub(r"\\[nt]|\s", " ", ours) == re.sub(r"\s", " ", unquoted(literal))
    if literal in ("true", "false"):
        return ours in (("1", "True") if literal == "true" else ("0", "False"))
    return float(ours) == pytest.approx(float(literal), rel=1e-5, abs=1e-9)


def compare(literals, members, of):
    """Removes the members with the values of the literals, in their order."""
    for literal in literals:
        # For an object that was sent as its id, the engine also logs properties that were not sent.
        literal = re.sub(r',"script":null\)\n?', ")", literal)
        if members and members[0][0] in ANY:
            assert same_value(members.pop(0)[1], literal, of), literal
        elif literal.startswith("Packed"):
            compare(split(literal[literal.index("(") + 1 : -1]), members, of)
        elif literal[:1] == "[":
            compare(inside(literal), members, of)
        elif literal[:1] == "{":
            parts = split(literal[1:-1])
            # A dictionary's keys are the names of members; Godot 3 logs them sorted.
            values = dict(zip(map(unquoted, parts[::2]), parts[1::2]))
            for _ in values:
                key, value = members.pop(0)
                assert same_scalar(value, values["id" if key == "frame" else key]), (key, value)
        else:
            key, value = members.pop(0)
            assert same_scalar(value, literal), (key, value, literal)


# ---- messages ------------------------------------------------------------------------------------------


@every_side
@every_capture
def test_each_message_is_there_in_its_order(capture, side):
    names = [name for sender, name, _ in shown(capture, "-2") if sender == side]
    logged = [name for name, _ in messages_of_log(capture, side)]
    # Over WebSocket the listener stopped logging before the game stopped sending.
    assert logged and names[: len(logged)] == logged


@every_side
@every_capture
def test_each_value_is_the_one_that_was_sent(capture, side):
    messages = [(name, members) for sender, name, members in shown(capture, "-2") if sender == side]
    for (name, members), (_, literals) in zip(messages, messages_of_log(capture, side)):
        left = list(members)
        compare(literals, left, generation(capture))
        assert left == [], name


@every_capture
def test_both_passes_show_the_same_messages(capture):
    assert shown(capture) == shown(capture, "-2")


NAMES = ("frame.number", "frame.time_epoch", "tcp.srcport", "_ws.col.Info", "_ws.expert.message",
         *(f"godot_debugger.{name}" for name in ("from", "message", "error", "file", "line", "game_error", "game_warning",
                                                 "resumed_in", "continue_in", "break_in", "break_time")))


@functools.lru_cache(maxsize=None)
def fields_of_each(captures, names, *args):
    return tshark.fields_of_each(captures, names, *args)


def all_packets(capture):
    """With one start of tshark for all tests and captures."""
    return fields_of_each(tuple(map(path_of, DEBUGGERS)), NAMES, "-2", "-Y", "godot_debugger")[path_of(capture)]


def packets_with(capture, name):
    return [packet for packet in all_packets(capture) if packet[name]]


@every_capture
def test_each_side_is_known(capture):
    found = packets_with(capture, "godot_debugger.from")
    expected = {"40700": "2"}
    assert all(set(packet["godot_debugger.from"]) == {expected.get(packet["tcp.srcport"][0], "1")} for packet in found)


# ---- filters and links ---------------------------------------------------------------------------------


@every_capture
def test_errors_have_file_line_and_severity(capture):
    found = packets_with(capture, "godot_debugger.game_error")
    errors = [error for packet in found for error in packet["godot_debugger.error"]]
    texts = [text for packet in found for text in packet["_ws.expert.message"]]
    assert "an error of ours" in errors
    assert any(re.search(r"out of bounds.* at scene/main/node.cpp:\d+ in get_child", text) for text in texts)
    assert all(packet["godot_debugger.file"] and packet["godot_debugger.line"] for packet in found)
    warned = packets_with(capture, "godot_debugger.game_warning")
    assert "a warning" in [error for packet in warned for error in packet["godot_debugger.error"]]


@every_capture
def test_breaks_are_linked_with_the_command_and_the_continuation(capture):
    packets = {int(packet["frame.number"][0]): packet for packet in all_packets(capture)}
    entered = [packet for packet in packets.values()
               if "debug_enter" in packet["godot_debugger.message"] and packet["godot_debugger.continue_in"]]
    assert len(entered) >= 2
    for packet in entered:
        number = packet["frame.number"][0]
        end = packets[int(packet["godot_debugger.continue_in"][-1])]
        command = packets[int(packet["godot_debugger.resumed_in"][-1])]
        assert "debug_exit" in end["godot_debugger.message"] and number in end["godot_debugger.break_in"]
        assert {"continue", "next"} & set(command["godot_debugger.message"])
        assert number in command["godot_debugger.break_in"]
        time = float(end["frame.time_epoch"][0]) - float(packet["frame.time_epoch"][0])
        assert float(packet["godot_debugger.break_time"][-1]) == pytest.approx(time, abs=1e-5)


THREADS = 16  # maximum number of breaks that are stored at the same time


def test_each_threads_break_is_its_own(tmp_path):
    """With one more break than can be stored, the last replaces the first, whose end is then not linked."""
    threads = range(1, THREADS + 2)
    stops = [message("debug_enter", thread, [True, "Breakpoint", True, thread]) for thread in threads]
    goes_on = [message("debug_exit", thread, []) for thread in reversed(threads[1:])]
    capture = tshark.write_tcp(tmp_path / "threads.pcap", stops + goes_on)
    names = ["godot_debugger.continue_in", "godot_debugger.break_in"]
    packets = tshark.fields(capture, names, "-2", *CHOSEN)
    ends = [packet["godot_debugger.continue_in"] for packet in packets[: len(threads)]]
    begins = [packet["godot_debugger.break_in"] for packet in packets[len(threads) :]]
    last = len(stops) + len(goes_on)
    assert ends == [[]] + [[str(last + 2 - thread)] for thread in threads[1:]]
    assert begins == [[str(thread)] for thread in reversed(threads[1:])]


def test_a_thread_whose_break_is_not_known_ends_no_other_break(tmp_path):
    """All breaks that can be stored are of other threads."""
    stops = [message("debug_enter", thread, [True, "Breakpoint", True, thread]) for thread in range(1, THREADS + 1)]
    others = [message("continue", 99, []), message("debug_exit", 99, [])]
    capture = tshark.write_tcp(tmp_path / "threads.pcap", stops + others)
    names = ["godot_debugger.continue_in", "godot_debugger.resumed_in", "godot_debugger.break_in"]
    packets = tshark.fields(capture, names, "-2", *CHOSEN)
    assert not any(values for packet in packets for values in packet.values())


def test_the_label_of_a_group_is_one_line(tmp_path):
    """A node whose name has a line end and an escape sequence of terminals."""
    node = message("scene:scene_tree", 1, [0, "first\n\x1b[31msecond", "Node", 7, "", 0])
    shown = tshark.verbose(tshark.write_tcp(tmp_path / "lines.pcap", [node]), *CHOSEN)
    assert '    Node: "first\\n\\u001b[31msecond", Node #7\n' in shown


@functools.lru_cache(maxsize=None)
def after_a_sound_one(messages, *args):
    """For each message: the expert infos of its segment, the second of a connection, and its line in the packet list."""
    capture = tshark.write_tcp_connections(
        tshark.scratch() / "odd.pcap", [[(False, message("set_pid", 1, [7])), (False, data)] for data in messages])
    names = [field.filter for field in tshark.registered_fields() if field.type == "FT_NONE"
             and field.parent in ("godot_debugger", "godot_stream")]
    found = []
    for packet in tshark.fields(capture, [*names, "_ws.col.Info"], *CHOSEN, *args)[1::2]:
        line = "".join(packet.pop("_ws.col.Info"))
        found.append(({name for name, values in packet.items() if values}, line))
    return found


@pytest.mark.parametrize("what", ODD_MESSAGES)
def test_each_oddity_of_a_message_has_an_expert_info(what):
    _, name, line = ODD_MESSAGES[what]
    for passes in ((), ("-2",)):
        found = after_a_sound_one(tuple(data for data, _, _ in ODD_MESSAGES.values()), *passes)
        assert found[list(ODD_MESSAGES).index(what)] == ({f"godot_debugger.{name}"}, line)


def test_after_a_message_of_godot_3_any_name_begins_a_message(tmp_path):
    """A name, the number of values, and the values; each with its length. Without an earlier message, it is only a
    text."""
    sound, own = (b"".join(framed(encode(value, 3)) for value in values) for values in (["debug_exit", 0], ["game_state", 1, 7]))
    connections = [[(False, segment) for segment in segments] for segments in ([sound, own], [own], [own, sound])]
    capture = tshark.write_tcp_connections(tmp_path / "names.pcap", connections)
    for passes in ((), ("-2",)):
        found = tshark.fields(capture, ["godot_debugger.message"], *CHOSEN, *passes)
        shown_in = [[packet["godot_debugger.message"] for packet in packets] for packets in tshark.split(found, connections)]
        assert shown_in == [[["debug_exit"], ["game_state"]], [[]], [[], ["debug_exit"]]]


@pytest.mark.parametrize("value", [words(4, 100), words(2)], ids=["a text longer than its space", "an int without bytes"])
def test_an_invalid_value_is_shown_as_bytes(value, tmp_path):
    """Of a message of Godot 3, whose values each have a length."""
    def of_3(*values):
        return b"".join(framed(encode(each, 3)) for each in values)

    capture = tshark.write_tcp(tmp_path / "invalid.pcap", [of_3("debug_exit", 0), of_3("game_state", 2, 7) + framed(value)])
    names = ["godot_debugger.message", "godot_debugger.value.unusual", "godot_debugger.undecoded"]
    found = tshark.fields(capture, names, *CHOSEN)[1]
    assert found["godot_debugger.message"] == ["game_state"] and len(found["godot_debugger.value.unusual"]) == 1
    assert bytes.fromhex(found["godot_debugger.undecoded"][0].replace(":", "")) == value


def test_a_message_of_either_side_is_of_the_side_that_sent_it(tmp_path):
    """It is in no table; the game's side is known from the first message that only games send."""
    own, games = message("game:state", 1, [7]), message("set_pid", 1, [7])
    segments = [(False, own), (False, games), (True, own), (False, own + own)]
    capture = tshark.write_tcp_connections(tmp_path / "sides.pcap", [segments])
    found = tshark.fields(capture, ["godot_debugger.from"], *CHOSEN)
    assert [packet["godot_debugger.from"] for packet in found] == [["0"], ["1"], ["2"], ["1", "1"]]


def test_a_name_of_both_sides_has_the_values_of_the_side_that_sent_it(tmp_path):
    """The editor requests an object by its id; the game's response contains the object."""
    asked, games = message("scene:inspect_object", 1, [77]), message("set_pid", 1, [7])
    capture = tshark.write_tcp_connections(tmp_path / "sides.pcap", [[(False, games), (True, asked), (False, asked)]])
    names = ["godot_debugger.object_id", "godot_debugger.values.missing"]
    found = tshark.fields(capture, names, *CHOSEN)
    assert [bool(packet["godot_debugger.values.missing"]) for packet in found] == [False, False, True]
    assert found[1]["godot_debugger.object_id"] == ["77"]


INCOMPLETE = {
    message("set_pid", 1, [7])[:-3]: "godot_debugger.cut_short",
    framed(encode("hello there"))[:-4]: "godot_debugger.cut_short",
    b"\xff" * 20: "godot_stream.cut_short",
}


def test_without_reassembly_a_message_is_cut_short_at_the_segment_s_end():
    """Otherwise more bytes are requested."""
    cut = after_a_sound_one(tuple(INCOMPLETE), "-o", "tcp.desegment_tcp_streams:FALSE")
    assert [found for found, _ in cut] == [{expected} for expected in INCOMPLETE.values()]
    for number, (found, line) in enumerate(after_a_sound_one(tuple(INCOMPLETE))):
        assert not found and line.startswith(f"{tshark.CLIENT_PORT + number} → 41001 [PSH, ACK]")


@functools.lru_cache(maxsize=None)
def trees_of_each(name):
    """{capture: the trees of the packets with a message, as text}, with one start of tshark."""
    merged, begins = tshark.together(tuple(map(path_of, DEBUGGERS)))
    found = dict.fromkeys(DEBUGGERS, "")
    text = tshark.verbose(merged, "-Y", f'godot_debugger.message contains "{name}"')
    for frame, tree in re.findall(r"^Frame (\d+):(.*?)(?=^Frame |\Z)", text, re.MULTILINE | re.DOTALL):
        found[DEBUGGERS[tshark.capture_at(begins, int(frame))]] += tree
    return found


@every_capture
def test_the_scene_tree_is_a_tree(capture):
    tree = trees_of_each("scene_tree")[capture]
    names = ("root", "Game", "Player", "Sprite of Åsa")
    indents = [len(re.search(rf"^( *)Node: {name}, ", tree, re.MULTILINE)[1]) for name in names]
    assert indents == sorted(set(indents))
    assert re.search(r"^ *Node: Sprite of Åsa, Sprite(2D)? #\d+$", tree, re.MULTILINE)


@every_capture
def test_a_stack_frame_has_its_file_and_line(capture):
    """Godot 4 sends the line before the function, Godot 3 the function before the line."""
    frames = re.findall(r"^ *Stack frame: (.*)$", trees_of_each("stack_dump")[capture], re.MULTILINE)
    assert len(frames) >= 4
    assert all(re.fullmatch(r"res://game\.gd(:\d+: \w+|: \w+:\d+)", frame) for frame in frames), frames


@every_capture
def test_each_message_of_a_segment_has_its_line_once(capture):
    several = [packet for packet in all_packets(capture) if len(packet["godot_debugger.message"]) > 1]
    for packet in several:
        line, names = "; " + packet["_ws.col.Info"][0], packet["godot_debugger.message"]
        assert len(line) > 900 or all(f"; {name}" in line for name in names)
        assert len(line) > 900 or line.count("; stack_frame_var:") == names.count("stack_frame_var")
    assert several or "3." in capture


@every_capture
def test_the_packet_list_equals_a_log(capture):
    lines = [packet["_ws.col.Info"][0] for packet in all_packets(capture)]
    assert any(re.search(r"warning: a warning at \S+:\d+ in \w+", line) for line in lines)
    assert any("debug_enter: Breakpoint Statement" in line for line in lines)
    assert any(re.search(r"stack_dump: walk at res://game.gd:\d+, and 3 more", line) for line in lines)


# ---- truncated captures --------------------------------------------------------------------------------


LATE = (12, 45, 100)


@every_stream
@pytest.mark.parametrize("first", LATE)
def test_a_capture_without_its_beginning_shows_no_message_that_was_not_sent(capture, first):
    cuts = tuple(variant_of(name, start) for name in STREAMS for start in LATE)
    names = {name for side in ("game", "editor") for name, _ in messages_of_log(capture, side)}
    found = [name for packet in fields_of_each(cuts, ("godot_debugger.message",), "-2")[variant_of(capture, first)]
             for name in packet["godot_debugger.message"]]
    assert len(found) > 20
    assert set(found) <= names


def test_a_session_of_godot_3_that_was_captured_late_has_all_its_messages():
    """A segment begins with the name of each message, and its values are in the next one. Without the end of the message in
    which the capture begins, the connection is found by its Variants first."""
    session = "godot-3.6-debugger"
    cuts = {first: variant_of(session, first) for first in (100, 101)}
    found = tshark.fields_of_each([path_of(session), *cuts.values()], ["frame.number", "godot_debugger.message"], "-2",
                                  "-Y", "godot_debugger.message")
    for first, cut in cuts.items():
        after = [packet for packet in found[path_of(session)] if int(packet["frame.number"][0]) > first + 5]
        late = [packet["godot_debugger.message"] for packet in after]
        assert len(late) > 30
        assert [packet["godot_debugger.message"] for packet in found[cut]][-len(late):] == late, first


def test_a_segment_that_the_capture_cut_is_not_continued_in_another(tmp_path):
    cut = tshark.cut_packets(path_of("godot-4.6.3-debugger"), tmp_path / "cut.pcap", 200)
    texts = [text for packet in tshark.fields(cut, ["_ws.expert.message"], "-Y", "godot_debugger.cut_short || godot_stream.cut_short")
             for text in packet["_ws.expert.message"] if "offset" in text]
    assert any(text.startswith("Cut short by the capture at offset ") for text in texts)
    assert not any("another segment" in text for text in texts)


@pytest.mark.parametrize("capture, heuristic", [("godot-4.6.3-debugger", "godot_debugger_tcp"),
                                                ("godot-4.6.3-debugger-websocket", "godot_debugger_ws")])
@pytest.mark.parametrize("disabled", ["protocol", "heuristic"])
def test_without_the_debugger_its_messages_are_variants(capture, heuristic, disabled):
    option = ("--disable-protocol", "godot_debugger") if disabled == "protocol" else ("--disable-heuristic", heuristic)
    filters = ["godot_debugger", "godot_stream"]
    with_debugger = tshark.counts(path_of(capture), filters)
    without = tshark.counts(path_of(capture), filters, *option)
    assert with_debugger[0] > 50 and without[0] == 0
    assert without[1] >= sum(with_debugger) * 0.9


# ---- two sessions --------------------------------------------------------------------------------------


SESSIONS = [(editor, side) for editor in ("1", "2") for side in ("game", "editor")]


def by_session(messages):
    """{(the last byte of the editor's address, side): the frame, name and members of each message}"""
    found = {}
    for frame, editor, side, name, members in messages:
        found.setdefault((editor, side), []).append((frame, name, members))
    return found


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("capture", TWO)
def test_of_two_sessions_each_has_the_messages_that_its_editor_logged(capture, passes):
    found = by_session(messages_of_each(tuple(map(path_of, ALL)), *passes)[path_of(capture)])
    assert sorted(found) == sorted(SESSIONS)
    for editor, side in SESSIONS:
        logged = messages_of_log(capture, side, f"127.0.0.{editor}")
        assert [name for _, name, _ in found[editor, side]] == [name for name, _ in logged]
        for (_, name, members), (_, literals) in zip(found[editor, side], logged):
            left = list(members)
            compare(literals, left, generation(capture))
            assert left == [], name
    assert fields_of_each(tuple(map(path_of, TWO)), ("frame.number",), *passes, "-Y", "x11")[path_of(capture)] == []


LATER = (12, 60, 150)


@pytest.mark.parametrize("first", LATER)
@pytest.mark.parametrize("capture", TWO)
def test_two_sessions_that_were_captured_late_are_both_decoded(capture, first):
    """With Decode As: without it, bytes of messages that began before the capture are X11's on this port."""
    cuts = tuple(variant_of(name, start) for name in TWO for start in LATER)
    late = variant_of(capture, first)
    whole = by_session(messages_of_each(tuple(map(path_of, ALL)), "-2")[path_of(capture)])
    chosen = by_session(messages_of_each(cuts, "-2", "-d", "tcp.port==6007,godot_debugger")[late])
    alone = by_session(messages_of_each(cuts, "-2")[late])
    for session in SESSIONS:
        after = [message for message in whole[session] if message[0] >= first]
        found = [(frame + first - 1, name, members) for frame, name, members in chosen[session]]
        # The first one may have begun before the capture.
        assert found == after[len(after) - len(found) :] and len(found) >= len(after) - 1
        # No message is found that was not sent.
        assert all(message in chosen[session] for message in alone.get(session, []))
    if generation(capture) == 4:
        assert sum(map(len, alone.values())) > sum(map(len, chosen.values())) - 6


# ---- the default port ----------------------------------------------------------------------------------

# Lines of the Info column of each message, and its sender.
LINES = ("frame.number", "godot_debugger.from", "godot_debugger.log")


@every_stream
@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
@pytest.mark.parametrize("port", [6007, 6008, 6011])
def test_on_the_ports_of_editors_every_segment_is_decoded(port, passes, capture):
    """On the default one, and on those that the editor tries next."""
    expected = fields_of_each(tuple(map(path_of, STREAMS)), LINES, "-2", "-d", "tcp.port==40700,godot_debugger",
                              "-Y", "godot_debugger.log")[path_of(capture)]
    moved = tuple(variant_of(name, port=each) for name in STREAMS for each in (6007, 6008, 6011))
    assert expected
    assert fields_of_each(moved, LINES, *passes, "-Y", "godot_debugger.log")[variant_of(capture, port=port)] == expected
    assert fields_of_each(moved, ("frame.number",), *passes, "-Y", "x11")[variant_of(capture, port=port)] == []


@every_stream
@pytest.mark.parametrize("first", [10, 40, 80])
def test_a_session_that_was_captured_late_is_the_debuggers_on_the_default_port(first, capture):
    """From the first segment on that begins with a message of a known name, and that X11's dissector has not requested."""
    cuts = tuple(variant_of(name, start, 6007) for name in STREAMS for start in (10, 40, 80))
    late = variant_of(capture, first, 6007)
    found = fields_of_each(cuts, ("frame.number", "tcp.srcport", "godot_debugger.from"), "-Y", "godot_debugger.from")[late]
    assert found
    for packet in found:
        assert set(packet["godot_debugger.from"]) == {"2" if packet["tcp.srcport"] == ["6007"] else "1"}
    begins = int(found[0]["frame.number"][0])
    assert begins < (25 if generation(capture) == 4 else 60)
    of_x11 = fields_of_each(cuts, ("frame.number",), "-Y", "x11")[late]
    assert [packet for packet in of_x11 if int(packet["frame.number"][0]) >= begins] == []


# The first segments of a Godot 3 game: "output", the number of values, and the one value.
OUTPUT_OF_3 = [
    bytes.fromhex("1000000004000000060000006f75747075740000"),
    bytes.fromhex("080000000200000001000000"),
    bytes.fromhex("200000001300000002000000040000000500000068656c6c6f0000000200000000000000"),
]


@pytest.mark.parametrize("chosen", [(), ("-d", "tcp.port==6007,godot_debugger")])
def test_a_message_in_three_segments_is_read_on_the_default_port(tmp_path, chosen):
    capture = tshark.write_tcp(tmp_path / "x.pcap", OUTPUT_OF_3, port=6007)
    for passes in ((), ("-2",)):
        found = tshark.fields(capture, LINES, *chosen, *passes, "-Y", "godot_debugger.log")
        assert [(packet["frame.number"], packet["godot_debugger.from"]) for packet in found] == [(["3"], ["1"])]
        assert "hello" in found[0]["godot_debugger.log"][0]


def experts_of_the_list(capture, *options):
    """The summaries of the debugger's expert infos in the list of `-z expert`, with the count of each."""
    lines = tshark.run(["-q", *options, "-z", "expert"], capture).stdout.splitlines()
    found = [line.split(None, 3) for line in lines if " GodotDebug " in line]
    return {summary: int(count) for count, _, _, summary in found}


def test_the_list_of_expert_infos_has_all_of_them_without_a_tree():
    """Errors that the game reports to its editor are among them."""
    capture, _ = tshark.together(tuple(map(path_of, DEBUGGERS)))
    listed = experts_of_the_list(capture)
    assert listed == experts_of_the_list(capture, "-V")
    assert listed == collections.Counter(
        text for name in DEBUGGERS for packet in all_packets(name) for text in packet["_ws.expert.message"])
