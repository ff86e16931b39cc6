# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The remote file system: the capture of a real editor and game (tests/captures/godot/editor.sh), compared with the bytes of
its TCP streams, and connections written from the format's description."""

import functools
import re
import struct
import tempfile
from pathlib import Path

import pytest

import gamewire_tshark as tshark
from plugin.godot.remote_fs.samples import CHOSEN, CONNECTIONS, LISTED, files, head
from plugin.godot.stream.samples import write_named

CAPTURE = tshark.PCAPS / "godot" / "remote_fs" / "godot-4.6.3-remote-fs.pcap"
PORT = 6010
PREFIX = "godot_remote_fs."


@functools.lru_cache(maxsize=None)
def streams():
    """[(bytes of the game, bytes of the editor)] of the capture, from TCP's payloads; no segment is lost or repeated."""
    found = {}
    rows = tshark.fields(CAPTURE, ["tcp.stream", "tcp.dstport", "tcp.payload"], "-Y", "tcp.len > 0",
                         "--disable-protocol", "godot_remote_fs")
    for row in rows:
        pair = found.setdefault(int(row["tcp.stream"][0]), [b"", b""])
        pair[row["tcp.dstport"] != [str(PORT)]] += bytes.fromhex(row["tcp.payload"][0].replace(":", ""))
    return [found[number] for number in sorted(found)]


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, length):
        self.at += length
        assert self.at <= len(self.data)
        return self.data[self.at - length : self.at]

    def number(self, size=4):
        return int.from_bytes(self.take(size), "little")

    def text(self):
        return self.take(self.number()).decode()


def expected_of_game(data):
    source = Bytes(data)
    assert source.take(4) == b"GRFS"
    values = {"magic": ["GRFS"], "version": [str(source.number())], "password": [source.take(32).rstrip(b"\0").decode()]}
    count = source.number()
    values |= {"tag_count": [str(count)], "tag": [source.text() for _ in range(count)], "list_size": [str(source.number())]}
    if values["list_size"] != ["0"]:
        length = source.number()
        values |= {"list_length": [str(length)], "list": [source.take(length).hex()]}
    assert source.at == len(data)
    return values


def expected_of_editor(data):
    source = Bytes(data)
    count = source.number()
    listed = [(source.text(), source.number(8)) for _ in range(count)]
    sizes, contents, names = [], b"", []
    for path, time in listed:
        if time:
            sizes.append(source.number(8))
            contents += source.take(sizes[-1])
            names.append(path)
    assert source.take(4) == b"GEND" and source.at == len(data)
    return {"file_count": [str(count)], "path": [path for path, _ in listed], "removed": [] if all(time for _, time in listed) else
            ["1"] * sum(not time for _, time in listed), "file_size": list(map(str, sizes)), "end": ["GEND"]}, contents, names


OF_GAME = ["magic", "version", "password", "tag_count", "tag", "list_size", "list_length", "list"]
OF_EDITOR = ["file_count", "path", "removed", "file_size", "end", "content", "file"]


def decoded(stream, side, names, *options):
    """All values of each field, in their order; with one start of tshark for all streams."""
    rows = tshark.fields(CAPTURE, ["tcp.stream", "tcp.dstport", *(PREFIX + name for name in OF_GAME + OF_EDITOR)], *options)
    rows = [row for row in rows if row["tcp.stream"] == [str(stream)] and (row["tcp.dstport"] == [str(PORT)]) == (side == "game")]
    return {name: [value for row in rows for value in row[PREFIX + name]] for name in names}


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_each_value_is_the_one_that_was_sent(passes):
    connections = streams()
    assert len(connections) == 4
    for number, (game, editor) in enumerate(connections):
        if not editor: # the password was wrong: the editor has closed the connection
            assert decoded(number, "game", ["password"], *passes) == {"password": ["wrong"]}
            continue
        expected = expected_of_game(game)
        found = decoded(number, "game", list(expected), *passes)
        found["list"] = [value.replace(":", "") for value in found.get("list", [])] or found.get("list")
        assert {name: value for name, value in found.items() if value} == {name: value for name, value in expected.items() if value}
        expected, contents, names = expected_of_editor(editor)
        found = decoded(number, "editor", [*expected, "content", "file"], *passes)
        assert bytes.fromhex("".join(found.pop("content")).replace(":", "")) == contents
        assert list(dict.fromkeys(found.pop("file"))) == names
        booleans = [tshark.BOOLEANS.get(value, value) for value in found["removed"]]
        assert found | {"removed": booleans} == expected


def test_the_capture_has_what_a_game_meets():
    """Files the first time; nothing after it; a changed and a removed one; a wrong password."""
    first, second, third, refused = streams()
    assert Bytes(first[1]).number() > 5 and Bytes(second[1]).number() == 0
    changed = expected_of_editor(third[1])[0]
    assert "game.gd" in changed["path"] and len(changed["removed"]) == 1
    assert refused[1] == b""


def test_the_password_has_an_expert_info():
    rows = tshark.fields(CAPTURE, [PREFIX + "password", PREFIX + "password.readable"], "-Y", "godot_remote_fs.password")
    assert [row[PREFIX + "password"] for row in rows] == [["cave canem"]] * 3 + [["wrong"]]
    assert all(row[PREFIX + "password.readable"] for row in rows)


def test_nothing_of_it_is_x11_s():
    assert tshark.fields(CAPTURE, ["frame.number"], "-2", "-Y", "x11") == []


STEPS, PORTS = (1, 3, 7, 50, 10_000), (PORT, tshark.SERVER_PORT)
FIELDS = ["tag", "path", "file_size", "content", "file", "end"]


@functools.lru_cache(maxsize=None)
def in_segments():
    """{(step, port): a capture of a connection whose segments have as many bytes}"""
    sent, answer = head(), files(LISTED)
    captures = {}
    for step in STEPS:
        segments = [(False, sent[i : i + step]) for i in range(0, len(sent), step)]
        segments += [(True, answer[i : i + step]) for i in range(0, len(answer), step)]
        for port in PORTS:
            path = tshark.scratch() / f"remote-fs-{step}-{port}.pcap"
            captures[step, port] = tshark.write_tcp_connections(path, [segments], port=port, opened=True)
    return captures


@functools.lru_cache(maxsize=None)
def decoded_in_segments(*passes):
    return tshark.fields_of_each(list(in_segments().values()), [PREFIX + name for name in FIELDS], *passes)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("port", PORTS)
def test_segments_have_no_meaning(step, port):
    for passes in ((), ("-2",)):
        rows = decoded_in_segments(*passes)[in_segments()[step, port]]
        found = {name: [value for row in rows for value in row[PREFIX + name]] for name in FIELDS}
        sent_files = [(path.decode(), content) for path, (time, content) in LISTED.items() if time]
        assert found["path"] == [path.decode() for path in LISTED]
        assert found["file_size"] == [str(len(content)) for _, content in sent_files]
        assert bytes.fromhex("".join(found["content"]).replace(":", "")) == b"".join(content for _, content in sent_files)
        assert list(dict.fromkeys(found["file"])) == [path for path, _ in sent_files]
        assert found["tag"] == ["linuxbsd"] and found["end"] == ["GEND"]


@functools.lru_cache(maxsize=None)
def raised(*passes):
    """{connection: its expert infos}"""
    capture = tshark.write_tcp_connections(tshark.scratch() / "remote-fs-raised.pcap", list(CONNECTIONS.values()), opened=True)
    experts = [field.filter for field in tshark.registered_fields() if field.type == "FT_NONE"
               and field.parent == "godot_remote_fs"]
    found = {name: set() for name in CONNECTIONS}
    for row in tshark.fields(capture, ["tcp.stream", *experts], *CHOSEN, *passes):
        found[list(CONNECTIONS)[int(row["tcp.stream"][0])]] |= {expert for expert in experts if row[expert]}
    return found


@pytest.mark.parametrize("name", CONNECTIONS)
def test_each_expert_info_has_a_connection_that_raises_it(name):
    for passes in ((), ("-2",)):
        found = raised(*passes)[name]
        assert found - {PREFIX + "password.readable"} == {PREFIX + name} - {PREFIX + "password.readable"}
        assert PREFIX + name in found


def test_bytes_after_a_missing_segment_are_not_read(tmp_path):
    answer = files(LISTED)
    segments = [(False, head()), (True, answer[:40]), (True, answer[40:80]), (True, answer[80:])]
    whole = tshark.write_tcp_connections(tmp_path / "whole.pcap", [segments], opened=True)
    capture = tshark.cut_out(whole, tmp_path / "cut.pcap", 4, 4)
    rows = tshark.fields(capture, [PREFIX + "segment.unseen"], "-2", *CHOSEN, "-o", "tcp.reassemble_out_of_order:FALSE")
    assert sum(bool(row[PREFIX + "segment.unseen"]) for row in rows) == 1


@pytest.mark.parametrize("desegment", [True, False])
def test_a_value_that_ends_with_the_segment_is_cut_short_where_tcp_does_not_reassemble(desegment, tmp_path):
    capture = tshark.write_tcp_connections(tmp_path / "cut.pcap", [[(False, head()[:20])]], opened=True)
    name = PREFIX + "cut_short"
    rows = tshark.fields(capture, [name], *CHOSEN, prefs={"tcp.desegment_tcp_streams": desegment})
    assert any(row[name] for row in rows) == (not desegment)


def test_a_value_that_ends_where_nothing_can_follow_is_truncated(tmp_path):
    name = PREFIX + "item.truncated"
    row, = tshark.fields(write_named(tmp_path / "end.pcap", ("godot_remote_fs", head()[:20])), [name])
    assert row[name]


def test_letters_where_no_connection_begins_are_not_its_beginning(tmp_path):
    """Nor is another text that begins with G."""
    for segments, opened in (([b"G", b"R", b"F", b"S", struct.pack("<I", 1)], False), ([b"G", b"E", b"T"], True)):
        capture = tshark.write_tcp_connections(tmp_path / "letters.pcap", [[(False, data) for data in segments]], opened=opened)
        assert tshark.fields(capture, ["frame.number"], "-2", "-Y", "godot_remote_fs") == []


KEYS = tshark.PCAPS / "godot" / "remote_fs" / "number-of-a-key.pcap"


@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one pass", "two passes"])
def test_no_sequence_number_is_that_of_something_else(passes, relative):
    """The segment after those of the beginning has the sequence number 0x20000005, which is also GW_KEY_BEGINNING."""
    names = ["magic", "version", "password", "tag_count", "list_size", "file_count", "end", "segment.unseen"]
    rows = tshark.fields(KEYS, [PREFIX + name for name in names], *passes, prefs={"tcp.relative_sequence_numbers": relative})
    found = [value for row in rows for name in names for value in row[PREFIX + name]]
    assert found == ["GRFS", "1", "", "0", "0", "0", "GEND"]


# ---- Export Objects ----------------------------------------------------------------------------------------

LIST = "files of the game.txt"
BOTH_PORTS = (tshark.CLIENT_PORT, tshark.SERVER_PORT)


def exported(capture, *options):
    """[(name, bytes)] of the objects that tshark exports. A name that is there already has a number: "game(1).gd"."""
    with tempfile.TemporaryDirectory(dir=tshark.scratch()) as folder:
        Path(folder).chmod(0o777)
        tshark.run(["-q", "--export-objects", f"godot_remote_fs,{folder}", *options], capture)
        return [(re.sub(r"\(\d+\)", "", path.name).replace("%2f", "/"), path.read_bytes()) for path in Path(folder).iterdir()]


def test_files_are_exported_as_the_editor_sent_them():
    sent = []
    for game, editor in streams()[:3]:
        sizes, contents, names = (expected_of_editor(editor)[0]["file_size"], *expected_of_editor(editor)[1:])
        source = Bytes(contents)
        sent += [(name, source.take(int(size))) for name, size in zip(names, sizes, strict=True)]
    assert len(sent) > 5
    assert sorted(each for each in exported(CAPTURE) if each[0] != LIST) == sorted(sent)


def test_the_list_of_files_is_exported_decompressed():
    """The second game has all files that the first one got, and says so, a line each."""
    first, second, *_ = streams()
    lists = [content for name, content in exported(CAPTURE) if name == LIST]
    assert [str(len(content)) for content in lists[:1]] == expected_of_game(second[0])["list_size"]
    paths = {line.split("::")[0] for line in lists[0].decode().split("\n") if line}
    assert paths == set(expected_of_editor(first[1])[2])


def test_a_file_that_is_not_complete_is_not_exported(tmp_path):
    """The last file lacks its last byte."""
    sent = files(LISTED)[: -4 - 1]
    capture = tshark.write_tcp_connections(tmp_path / "cut.pcap", [[(False, head(password=b"")), (True, sent)]], *BOTH_PORTS)
    assert sorted(exported(capture, *CHOSEN)) == [("empty.txt", b""), ("game.gd", b"extends Node")]


def test_a_list_that_is_not_compressed_is_not_exported(tmp_path):
    capture = tshark.write_tcp(tmp_path / "list.pcap", [head(cached=b"no Zstandard")])
    assert exported(capture, *CHOSEN) == []


def test_times_sizes_and_contents_are_below_their_files(tmp_path):
    path = tshark.write_tcp_connections(tmp_path / "files.pcap", [[(False, head(password=b"")), (True, files(LISTED))]])
    lines = tshark.run(["-V", *CHOSEN], path).stdout.splitlines()
    depth = {line.strip(): len(line) - len(line.lstrip()) for line in lines}
    name = next(number for number, line in enumerate(lines) if line.strip() == "Path: game.gd")
    assert lines[name + 1].strip().startswith("Modified: ") and depth[lines[name + 1].strip()] > depth["Path: game.gd"]
    file = next(number for number, line in enumerate(lines) if line.strip() == "[Of the file: game.gd]")
    assert lines[file + 1].strip() == "File size: 12" and depth["File size: 12"] > depth["[Of the file: game.gd]"]
