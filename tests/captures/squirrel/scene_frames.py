# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""All nineteen frames, each in its direction, and the commands that the answers need."""

from frames import LARGEST_WHOLE, frame, relayed, split
from values import call, counted_array, counted_table, get, put, string, vector, word
from wire import PLAYERS, Scene

FIRST, SECOND = 1, 2
RPRINT = get(string("rprint"))
SCRIPT = 'function greet(name)\n{\n\treturn "Hello, " + name;\n}\n'
RPRINT_NOTE = "layout uncertain: by its name and use a string without tag"


def commands():
    """(message, client, label, note), in sending order."""
    hello = call(RPRINT, string("Hello"))
    peer, peer_special = (frame("PeerExec", hello, player=PLAYERS[SECOND]),
                          frame("PeerExecSpecial", get(string("score")), player=PLAYERS[SECOND], token=1))
    result = frame("SendResultToPeer", word(250), player=PLAYERS[FIRST], token=1)
    return [
        (frame("RemoteExecute", hello), FIRST, "run", None),
        (frame("RemoteExecuteSpecial", get(string("Pos")), token=0), FIRST, "run, with an answer", None),
        (frame("Reply", vector(-719.5, 648, 11), token=0), FIRST, "the answer", None),
        (frame("CompileString", text='rprint("compiled")'), FIRST, "compile a text", None),
        (frame("RPrint", text="compiled"), FIRST, "print on the server", RPRINT_NOTE),
        (peer, FIRST, "run at another client", None),
        (relayed(peer, PLAYERS[FIRST]), SECOND, "run at another client, relayed", None),
        (peer_special, FIRST, "run at another client, with an answer", None),
        (relayed(peer_special, PLAYERS[FIRST]), SECOND,
         "run at another client, with an answer, relayed", None),
        (result, SECOND, "the other client's answer", None),
        (relayed(result, PLAYERS[SECOND]), FIRST, "the other client's answer, relayed", None),
        (frame("ClientData", string("settings"), data=counted_table((string("volume"), word(80)))), FIRST,
         "data of a client", None),
        (frame("LoadNutFile", token=1, text=SCRIPT), FIRST, "load a script", None),
        (frame("NutFileLoaded", word(1), token=1), FIRST, "script loaded", None),
        (frame("Exec", call(get(string("print")), string("from a client"))), FIRST,
         "run at the server", None),
        (frame("ExecSpecial", get(string("players")), token=1), FIRST,
         "run at the server, with an answer", None),
        (frame("ResultFromServer", word(2), token=1), FIRST, "the server's answer", None),
    ]


def split_streams(scene):
    """The two frames that contain pieces of another, each with the shortest content that needs two pieces."""
    question = frame("RemoteExecuteSpecial", get(string("log")), token=2)
    answer = frame("Reply", counted_array(string("x" * LARGEST_WHOLE)), token=2)
    order = frame("RemoteExecute", put(string("log"), string("y" * LARGEST_WHOLE)))
    scene.say(question, "ask for something long")
    for message in answer, order:
        pieces = split(message, 0)
        for piece in pieces[:-1]:
            scene.say(piece, f"a long {message.info['frame']}")
        scene.say(pieces[-1], f"a long {message.info['frame']}, complete", carries=message.info)


def every_frame():
    scene = Scene("every-frame", wait=3)
    for message, client, label, note in commands():
        more = {"note": note} if note else {}
        scene.say(message, label, client=client, **more)
    split_streams(scene)
    return scene
