# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# RPCs: arguments of every type, nested paths, first calls and cached ones, properties, fragments, relayed calls, a
# client that leaves.

const Values = preload("res://values.gd")


func lead():
	yield(main.everybody(), "completed")
	var first = main.clients["client1"]
	var second = main.clients["client2"]
	Log.send(hero(), 0, "take_damage", [12, "sword"]) # the first call names the path
	Log.send(hero(), first, "take_damage", [5, "not yet confirmed"])
	yield(main.pause(), "completed")
	Log.send(hero(), 0, "take_damage", [-3, "potion"])
	Log.send(hero(), -second, "take_damage", [1, "all but client2"])
	yield(every_value(hero(), first), "completed")
	yield(kinds(hero(), second), "completed")
	yield(main.turn("client1", "client_calls", [second]), "completed")
	yield(main.turn("client2", "client_answers", [first]), "completed")
	yield(large(first), "completed")
	yield(main.turn("client1", "large", [1]), "completed")
	yield(main.turn("client1", "large", [second]), "completed")
	Log.send(main, second, "your_turn", ["leave", []])
	yield(main.pause(0.5), "completed")
	Log.send(hero(), 0, "take_damage", [7, "client2 has gone"])
	yield(main.end(), "completed")


func every_value(node, target, step = 1):
	var values = Values.all(self)
	for i in range(0, values.size(), step):
		Log.send(node, target, "take", [values[i]])
		if i % 8 == 7:
			yield(frames(), "completed")
	yield(main.pause(), "completed")


func kinds(node, target):
	Log.send(node, target, "nothing")
	Log.send(node, target, "take_many", [1, "two", 3.0, Vector2(4, 5), [6], {"seven": 8}, null, true])
	Log.send(node, target, "take_bytes", [PoolByteArray([1, 2, 3])])
	Log.send(node, target, "take_bytes", [PoolByteArray([1, 2, 3, 4])])
	yield(frames(2), "completed")
	for step in range(4):
		Log.send(node, target, "move", [Vector3(step * 0.5, 1.25, -4)], "_unreliable")
		yield(frames(2), "completed")
	Log.send(node, target, "chat", ["naïve café ☕ in 東京 😀"])
	Log.send(node, target, "cheer", [3])
	Log.send(node, target, "only_from_the_server", [1])
	Log.set_remote(node, target, "hp", 42)
	Log.set_remote(node, target, "title", "the brave", "_unreliable")
	yield(main.pause(), "completed")


func client_calls(other):
	Log.send(sword(), 1, "attack", [NodePath("Units/Orc:hp")])
	Log.send(sword(), 1, "parry")
	Log.send(sword(), 1, "zap", ["orc", 0.75])
	Log.send(sword(), 1, "take", ["inherited"])
	yield(frames(3), "completed")
	Log.send(door(), other, "take", ["through the server"]) # relayed
	yield(main.pause(), "completed")
	Log.send(door(), other, "take", ["by number"])
	Log.send(door(), 0, "take", ["to all"])
	Log.send(door(), -1, "take", ["to all but the server"])
	Log.set_remote(sword(), 1, "title", "the first of this node's properties, by path")
	Log.set_remote(sword(), 0, "hp", 7)
	yield(main.pause(), "completed")
	yield(kinds(hero(), other), "completed")
	yield(kinds(hero(), 1), "completed")


func client_answers(other):
	Log.send(door(), other, "take_damage", [100, "draught"])
	Log.send(hero(), 1, "chat", ["hello from the second client"])
	yield(every_value(hero(), other, 5), "completed")


func large(target):
	var state = []
	for id in range(60):
		state.append({"id": id, "name": "Unit %d" % id, "position": Vector2(id * 16, -id), "hp": 100 - id})
	Log.send(hero(), target, "take", [state])
	yield(main.pause(), "completed")
	Log.send(hero(), target, "take_bytes", [PoolByteArray(range(256) + range(256) + range(256) + range(256) +
		range(256) + range(256) + range(200))])
	yield(main.pause(), "completed")


func leave():
	yield(main.leave(), "completed")
