# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# RPCs: arguments of every type, nested paths, first calls and cached ones, fragments, relayed calls, a client that
# leaves.

signal something_happened

const Values := preload("res://values.gd")


func lead() -> void:
	await main.everybody()
	var first: int = main.clients["client1"]
	var second: int = main.clients["client2"]
	Log.send(hero(), 0, "take_damage", [12, "sword"]) # the first call names the path
	Log.send(hero(), first, "take_damage", [5, "not yet confirmed"])
	await main.pause()
	Log.send(hero(), 0, "take_damage", [-3, "potion"])
	Log.send(hero(), -second, "take_damage", [1, "all but client2"])
	await every_value(hero(), first)
	await kinds(hero(), second)
	await main.turn("client1", "client_calls", [second])
	await main.turn("client2", "client_answers", [first])
	await large(first)
	await main.turn("client1", "large", [1])
	await main.turn("client1", "large", [second])
	Log.send(main, second, "your_turn", ["leave", []])
	await main.pause(0.5)
	Log.send(hero(), 0, "take_damage", [7, "client2 has gone"])
	await main.end()


func every_value(node: Node, target: int, step := 1) -> void:
	var values: Array = Values.all(self)
	for i in range(0, values.size(), step):
		Log.send(node, target, "take", [values[i]])
		if i % 8 == 7:
			await frames()
	await main.pause()


func kinds(node: Node, target: int) -> void:
	Log.send(node, target, "nothing")
	Log.send(node, target, "take_many", [1, "two", 3.0, Vector2(4, 5), [6], {"seven": 8}, null, true])
	Log.send(node, target, "take_bytes", [PackedByteArray([1, 2, 3])])
	Log.send(node, target, "take_bytes", [PackedByteArray([1, 2, 3, 4])])
	await frames(2)
	for step in range(4):
		Log.send(node, target, "move", [Vector3(step * 0.5, 1.25, -4)])
		Log.send(node, target, "turn", [step * 0.1])
		await frames(2)
	Log.send(node, target, "chat", ["naïve café ☕ in 東京 😀"])
	Log.send(node, target, "cheer", [3])
	Log.send(node, target, "only_from_the_server", [1])
	await main.pause()


func client_calls(other: int) -> void:
	Log.send(sword(), 1, "attack", [^"Units/Orc:hp"])
	Log.send(sword(), 1, "parry")
	Log.send(sword(), 1, "zap", [&"orc", 0.75])
	Log.send(sword(), 1, "take", ["inherited"])
	await frames(3)
	Log.send(door(), other, "take", ["through the server"]) # relayed
	await main.pause()
	Log.send(door(), other, "take", ["by number"])
	Log.send(door(), 0, "take", ["to all"])
	Log.send(door(), -1, "take", ["to all but the server"])
	await main.pause()
	await kinds(hero(), other)
	await kinds(hero(), 1)


func client_answers(other: int) -> void:
	Log.send(door(), other, "take_damage", [100, "draught"])
	Log.send(hero(), 1, "chat", ["hello from the second client"])
	await every_value(hero(), other, 5)


func large(target: int) -> void:
	var state := []
	for id in range(60):
		state.append({"id": id, "name": "Unit %d" % id, "position": Vector2(id * 16, -id), "hp": 100 - id})
	Log.send(hero(), target, "take", [state])
	await main.pause()
	Log.send(hero(), target, "take_bytes", [PackedByteArray(range(256)) + PackedByteArray(range(256)) +
		PackedByteArray(range(256)) + PackedByteArray(range(256)) + PackedByteArray(range(256)) +
		PackedByteArray(range(256)) + PackedByteArray(range(200))])
	await main.pause()


func leave() -> void:
	await main.leave()
