# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames longer than 4094 bytes, in pieces: in order, out of order, twice, incomplete, beyond their total.

Sequence numbers count from 0 for each client upward, and for each player downward, so both directions and
both clients use the same ones here.
"""

from frames import CHUNK, chunk, frame, split
from values import call, counted_array, counted_table, get, put, string, word
from wire import Scene

FIRST, SECOND = 1, 2
WORDS = 1200


class Stream:
    """The pieces of one frame, sent in any order; the contents are recorded with the piece that completes them."""

    def __init__(self, scene, message, sequence, client=FIRST):
        self.scene = scene
        self.message = message
        self.client = client
        self.pieces = split(message, sequence)
        self.missing = set(range(len(self.pieces)))
        assert len(self.pieces) >= 3

    def send(self, *indices, note=None):
        for index in indices:
            self.send_one(index, note)

    def send_one(self, index, note):
        completes = self.missing == {index}
        more = {"carries": self.message.info} if completes else {}
        if note or index not in self.missing:
            more["note"] = note or "sent before"
        self.missing.discard(index)
        label = f"{self.message.info['frame']}, piece {index} of {len(self.pieces)}"
        self.scene.say(self.pieces[index], label, client=self.client, **more)

    def send_beyond(self):
        """A piece whose index is the total, which all receivers reject."""
        total = len(self.pieces)
        name = self.pieces[0].info["frame"]
        stray = chunk(name, self.pieces[0].info["sequence"], total, total, b"z" * CHUNK)
        self.scene.say(stray, f"piece {total} of {total}", client=self.client, note="index beyond the total")


def numbers(first):
    return counted_array(*(word(number) for number in range(first, first + WORDS * 3)))


def lines(count, text):
    return "".join(f"rprint(\"{text} {number}\");\n" for number in range(count))


def people(count):
    return counted_array(*(counted_table((string("name"), string(f"player number {number}")),
                                         (string("score"), word(number)))
                           for number in range(count)))


def asked(scene, token, key, client=FIRST):
    scene.say(frame("RemoteExecuteSpecial", get(string(key)), token=token),
              f"question {token}", client=client)


def from_clients(scene):
    asked(scene, 0, "numbers")
    Stream(scene, frame("Reply", numbers(0), token=0), 0).send(0, 1, 2)
    asked(scene, 1, "people")
    Stream(scene, frame("Reply", people(250), token=1), 1).send(2, 0, 1)
    asked(scene, 2, "more numbers")
    Stream(scene, frame("Reply", numbers(5000), token=2), 2).send(0, 0, 1, 0, 2, 1)
    asked(scene, 3, "text")
    Stream(scene, frame("Reply", string("lorem ipsum " * 1000), token=3), 3).send(
        0, 2, note="piece 1 never comes")
    asked(scene, 4, "last numbers")
    stream = Stream(scene, frame("Reply", numbers(9000), token=4), 4)
    stream.send(0)
    stream.send_beyond()
    stream.send(1, 2)


def from_server(scene):
    Stream(scene, frame("LoadNutFile", token=5, text=lines(400, "loaded line")), 0).send(0, 1, 2)
    scene.say(frame("NutFileLoaded", word(1), token=5), "script loaded")
    Stream(scene, frame("RemoteExecute", put(string("text"), string("dolor sit " * 900))), 1).send(2, 1, 0)
    show = call(get(string("show")), string("amet " * 1700))
    Stream(scene, frame("RemoteExecuteSpecial", show, token=6), 2).send(1, 1, 0, 2)
    scene.say(frame("Reply", word(1), token=6), "answer 6")
    Stream(scene, frame("CompileString", text=lines(400, "never complete")), 3).send(
        1, 2, note="piece 0 never comes")


def interleaved(scene):
    """Two clients and both directions at once, all with sequence number 0 or 5."""
    question = frame("RemoteExecuteSpecial", get(string("numbers")), token=0)
    scene.say(question, "question 0 to the other client", client=SECOND)
    second = Stream(scene, frame("Reply", numbers(20000), token=0), 0, SECOND)
    first = Stream(scene, frame("Exec", put(string("upload"), string("consectetur " * 900))), 5)
    down = Stream(scene, frame("RemoteExecute", put(string("download"), string("adipiscing " * 900))), 5)
    for index in 1, 0, 2:
        for stream in second, first, down:
            stream.send(index)


def split_streams():
    scene = Scene("split", wait=2)
    from_clients(scene)
    from_server(scene)
    interleaved(scene)
    return scene
