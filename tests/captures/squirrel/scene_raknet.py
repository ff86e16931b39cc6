# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The same frames as a game sends them: inside RakNet, with its handshake, acknowledgements and splitting."""

from frames import frame, split
from raknet import Connection
from scene_frames import commands
from values import call, counted_array, error, get, put, string, word
from wire import Scene

FIRST, SECOND = 1, 2


def split_stream(connection, message):
    pieces = split(message, 0)
    for piece in pieces[:-1]:
        connection.say(piece, f"a long {message.info['frame']}")
    connection.say(pieces[-1], f"a long {message.info['frame']}, complete", carries=message.info)


def long_frames(connection):
    """One frame that RakNet splits, and two that the script splits and RakNet splits again."""
    connection.say(frame("RemoteExecute", put(string("text"), string("lorem ipsum " * 250))),
                   "a frame longer than a datagram")
    connection.say(frame("RemoteExecuteSpecial", get(string("numbers")), token=2), "question 2")
    split_stream(connection,
                 frame("Reply", counted_array(*(word(number) for number in range(3600))), token=2))
    split_stream(connection, frame("RemoteExecute", put(string("log"), string("dolor sit " * 420))))


def transport(connection):
    connection.say_together([frame("RemoteExecute", put(string("a"), word(1))),
                             frame("RemoteExecute", call(get(string("rprint")), string("second message"))),
                             frame("RemoteExecuteSpecial", get(string("a")), token=3)],
                            "three frames in a datagram")
    connection.say(frame("Reply", word(1), token=3), "answer 3")
    connection.say_after_loss(frame("RemoteExecuteSpecial", call(get(string("missing"))), token=4),
                              "question 4, sent again")
    connection.say(frame("Reply", error("the index 'missing' does not exist"), token=4), "answer 4: an error")


def over_raknet():
    scene = Scene("raknet", wait=4)
    connections = {client: Connection(scene, client) for client in (FIRST, SECOND)}
    for connection in connections.values():
        connection.open()
    connections[FIRST].ping()
    for message, client, label, note in commands():
        more = {"note": note} if note else {}
        connections[client].say(message, label, **more)
    long_frames(connections[FIRST])
    transport(connections[FIRST])
    for connection in connections.values():
        connection.close()
    return scene


def over_old_raknet():
    """Release 0.4.6, which numbers its messages otherwise."""
    scene = Scene("raknet-0.4.6", wait=4)
    connection = Connection(scene, FIRST, "0.4.6")
    connection.open()
    connection.say(frame("RemoteExecute", call(get(string("rprint")), string("Hello"))), "greet")
    connection.say(frame("RemoteExecuteSpecial", get(string("Score")), token=0), "question 0")
    connection.say(frame("Reply", word(250), token=0), "answer 0")
    connection.say(frame("ExecSpecial", get(string("MaxPlayers")), token=1), "question 1 to the server")
    connection.say(frame("ResultFromServer", word(50), token=1), "answer 1 of the server")
    connection.close()
    return scene


HEADS = [
    ("length one more than the frame", {"excess": 1}),
    ("length one less than the frame", {"excess": -1}),
    ("length 0xffffffff", {"stated": 0xFFFFFFFF}),
    ("an unknown message id", {"message_id": 0x77}),
]


def broken_raknet():
    """Messages whose header does not match the frame after it, or that contain no frame."""
    scene = Scene("raknet-malformed", wait=4)
    connection = Connection(scene)
    connection.open()
    hello = frame("RemoteExecute", call(get(string("rprint")), string("Hello")))
    for label, fault in HEADS:
        stated = len(hello.data) + fault["excess"] if "excess" in fault else fault.get("stated")
        payload = connection.script(hello.data, False, stated, fault.get("message_id"))
        connection.user_message(payload, {"label": label, "fault": label}, False)
    for data, label in ((b"", "no frame"), (b"\xe1\xff\xff", "part of an identifier"),
                        (b"another script's data", "not a frame")):
        connection.user_message(connection.script(data, False), {"label": label, "fault": label}, False)
    connection.say(hello, "a good frame")
    connection.close()
    return scene
