# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A server and two players: questions with tokens and their answers, some milliseconds apart.

The server's tokens count from 0; those of PeerExecSpecial and of ExecSpecial count from 1, each on its own.
"""

from frames import frame, relayed
from values import (array, binary, call, call_ex, counted_array, counted_table, error, floating, get, get_ex,
                    integer, null, put, put_ex, string, vector, word)
from wire import PLAYERS, Scene

FIRST, SECOND = 1, 2
SCRIPT = 'function onScore(points)\n{\n\tScore <- Score + points;\n\trprint("score " + Score);\n}\n'
PLAYER = get(string("LocalPlayer"))


def ask(scene, token, node, answer, client=FIRST, waits=(20, 35)):
    """A command of the server and a client's answer."""
    scene.say(frame("RemoteExecuteSpecial", node, token=token),
              f"question {token}", client=client, wait=waits[0])
    scene.say(frame("Reply", answer, token=token), f"answer {token}", client=client, wait=waits[1])


def relay(scene, message, origin, target, label):
    scene.say(message, label, client=origin, wait=25)
    scene.say(relayed(message, PLAYERS[origin]), f"{label}, relayed", client=target, wait=5)


def ask_peer(scene, token, node, answer):
    """The first client asks the second, through the server, both ways."""
    question = frame("PeerExecSpecial", node, player=PLAYERS[SECOND], token=token)
    result = frame("SendResultToPeer", answer, player=PLAYERS[FIRST], token=token)
    relay(scene, question, FIRST, SECOND, f"peer question {token}")
    relay(scene, result, SECOND, FIRST, f"peer answer {token}")


def ask_server(scene, token, node, answer, client=FIRST):
    scene.say(frame("ExecSpecial", node, token=token),
              f"question {token} to the server", client=client, wait=40)
    scene.say(frame("ResultFromServer", answer, token=token), f"answer {token} of the server", client=client,
              wait=6)


def arrival(scene):
    """Scripts are loaded, and the client sends its name."""
    scene.say(frame("LoadNutFile", token=0, text=SCRIPT), "load a script")
    scene.say(frame("NutFileLoaded", word(1), token=0), "script loaded", wait=48)
    scene.say(frame("LoadNutFile", token=-1, text="Score <- 0;"), "load a script, no answer wanted", wait=12)
    scene.say(frame("CompileString", text='rprint("ready")'), "compile a text", wait=9)
    scene.say(frame("ClientData", string("language"), data=string("de")), "data of a client", wait=31)
    scene.say(frame("ClientData", string("screen"), data=counted_table((string("w"), word(1920)),
                                                                     (string("h"), word(1080)))),
              "more data of a client", wait=7)


def questions(scene):
    ask(scene, 1, get_ex(PLAYER, string("Pos")), vector(-719.5, 648.25, 11.0))
    ask(scene, 2, call(get(string("onScore")), word(50)), null(), waits=(15, 22))
    ask(scene, 3, binary("*", binary("+", get(string("Score")), word(5)), word(2)), word(110), waits=(60, 18))
    ask(scene, 4, call_ex(get_ex(PLAYER, string("GetWeapons")), PLAYER),
        counted_array(word(17), word(21), integer(100000)))


def overlapping(scene):
    """Three commands before the first answer, answers in another order; tokens are per client."""
    for token, key in ((5, "fps"), (6, "ping"), (7, "version")):
        scene.say(frame("RemoteExecuteSpecial", get(string(key)), token=token), f"question {token}", wait=5)
    scene.say(frame("RemoteExecuteSpecial", get(string("fps")), token=6), "question 6 to the other client",
              client=SECOND, wait=5)
    scene.say(frame("Reply", floating(59.94), token=6),
              "answer 6 of the other client", client=SECOND, wait=14)
    scene.say(frame("Reply", string("0.4.7.1"), token=7), "answer 7", wait=21)
    scene.say(frame("Reply", floating(60), token=5), "answer 5", wait=8)
    scene.say(frame("Reply", word(42), token=6), "answer 6", wait=80)


def failures(scene):
    ask(scene, 8, call(get(string("missing"))), error("the index 'missing' does not exist"), waits=(30, 27))
    ask(scene, 9, call(get(string("throwTable"))), error(""), waits=(20, 19))
    scene.say(frame("RemoteExecute", call(get(string("oops")))),
              "a command without token that fails", wait=33)
    scene.say(frame("Reply", error("oops"), token=-1), "the error of a command without token", wait=24)
    scene.say(frame("Reply", word(3), token=99), "an answer to no question", wait=17,
              note="no frame of the session asks with token 99")
    scene.say(frame("RemoteExecuteSpecial", get(string("slow")), token=10), "question 10", wait=28,
              note="never answered")


def commands_without_answer(scene):
    scene.say(frame("RemoteExecute", put(string("a"), vector(1, 2, 3))), "create a vector", wait=11)
    scene.say(frame("RemoteExecute", put_ex(get(string("a")), string("Y"), word(5))), "change its Y", wait=6)
    scene.say(frame("RemoteExecute", call(get(string("rprint")), string("Hello"))),
              "greet", client=SECOND, wait=9)
    message = call(get(string("Message")), string("joined"), array(word(255), word(0), word(0)))
    scene.say(frame("Exec", message), "a client's command to the server", client=SECOND, wait=44)
    wave = frame("PeerExec", call(get(string("wave")), string("Tommy")), player=PLAYERS[SECOND])
    relay(scene, wave, FIRST, SECOND, "a client's command to another")


def peers(scene):
    ask_peer(scene, 1, get(string("Score")), word(250))
    inventory = counted_table((string("cash"), integer(50000)),
                              (string("keys"), counted_array(word(1), word(4))))
    ask_peer(scene, 2, call(get(string("inventory"))), inventory)
    ask_peer(scene, 3, call(get(string("secret"))), error("access denied"))


def server_results(scene):
    ask_server(scene, 1, call(get(string("GetPlayers"))), word(2))
    ask_server(scene, 2, get(string("Spawns")), array(vector(0, 0, 10), vector(5, 5, 10)))
    ask_server(scene, 1, get(string("MaxPlayers")), word(50), client=SECOND)


def tokens_again(scene):
    """A restarted server counts from 0 again: the same tokens, other commands, the right answers."""
    ask(scene, 1, get(string("Health")), word(87), waits=(70, 26))
    ask(scene, 2, get(string("Armour")), word(0), waits=(5, 32))
    ask_peer(scene, 1, get(string("Score")), word(300))
    scene.say(frame("LoadNutFile", token=0, text="local broken = ;"), "load a script with an error", wait=50)
    scene.say(frame("NutFileLoaded", null(), token=0), "script with an error loaded", wait=41)


def session():
    scene = Scene("session", wait=20)
    for part in (arrival, questions, overlapping, failures, commands_without_answer, peers, server_results,
                 tokens_again):
        part(scene)
    return scene
