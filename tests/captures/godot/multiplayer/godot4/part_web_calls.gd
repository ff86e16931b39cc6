# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part_calls.gd"

# RPCs by the clients: arguments of every type, NodePaths in every place; to the server, to the other client, to all.

const Paths := preload("res://paths.gd")


func lead() -> void:
	await main.everybody()
	var first: int = main.clients["client1"]
	var second: int = main.clients["client2"]
	Log.send(hero(), 0, "take_damage", [12, "sword"])
	await main.turn("client1", "speak", [second])
	await every_path(hero(), first)
	await main.turn("client2", "answer", [first])
	Log.send(main, second, "your_turn", ["leave", []])
	await main.pause(0.5)
	await main.end()


func every_path(node: Node, target: int) -> void:
	var paths: Array = Paths.all()
	for i in range(paths.size()):
		Log.send(node, target, "take", [paths[i]])
		if i % 8 == 7:
			await frames()
	Log.send(node, target, "take_damage", [^"ab", ^"abcde/f:g"])
	Log.send(node, target, "take_many", [^"a", 1, ^"bc:def", "two", [^"x"], {^"k": ^"v"}, null, ^"the/last"])
	Log.send(node, target, "move", [^"un/reliable"])
	Log.send(node, target, "turn", [^"ordered:too"])
	await main.pause()


func speak(other: int) -> void:
	await every_value(hero(), 1)
	await every_path(hero(), 1)
	await every_path(door(), other) # relayed
	await every_value(sword(), other, 3)
	Log.send(door(), 0, "take", [^"to/all"])
	Log.send(door(), -1, "take", [^"to/all/but:the_server"])
	await kinds(hero(), 1)
	await kinds(hero(), other)
	await large(1)
	Log.send(hero(), 1, "take", [Paths.all()])
	await main.pause()


func answer(other: int) -> void:
	await every_path(sword(), other)
	await every_path(hero(), 1)
	Log.send(hero(), 0, "take_damage", [^"no/longer", &"there"])
	await main.pause()
