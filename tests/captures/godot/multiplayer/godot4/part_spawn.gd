# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# MultiplayerSpawner (scenes and custom) and MultiplayerSynchronizer (always, on change, at the spawn), a client that
# comes later, and one that leaves. The server logs what it sets, the clients what arrived.

var world: Node


func prepare() -> void:
	late = ["client2"]
	world = load("res://world.tscn").instantiate()
	world.name = "World2"
	add_child(world)


func change(node: Node, property: String, value: Variant) -> void:
	Log.line("set", {"path": Log.path_of(node), "property": property, "value": var_to_str(value)})
	node.set(property, value)


func spawn(scene: String, as_name: String, position: Vector2, title: String) -> Node:
	var node: Node = load(scene).instantiate()
	node.name = as_name
	node.position = position
	node.title = title
	Log.line("spawn", {"scene": scene, "name": as_name})
	world.get_node("Players").add_child(node, true)
	return node


func spawn_custom(data: Variant) -> Node:
	Log.line("spawn_custom", {"data": var_to_str(data)})
	return world.get_node("ThingSpawner").spawn(data)


func despawn(node: Node) -> void:
	Log.line("despawn", {"path": Log.path_of(node)})
	node.queue_free()


func lead() -> void:
	var early := spawn("res://player.tscn", "Early", Vector2(1, 2), "spawned before anybody came")
	await main.everybody(1)
	var hero := spawn("res://player.tscn", "Hero", Vector2(3, 4), "Åsa")
	spawn("res://monster.tscn", "Orc", Vector2(5, 6), "without synchronizers")
	await main.everybody()
	for step in range(6):
		change(hero, "position", Vector2(3 + step, 4))
		change(hero, "rotation", step * 0.25)
		change(hero, "aim", 0.1 * step)
		await main.pause(0.1)
	change(hero, "hp", 75)
	await main.pause(0.3)
	change(hero, "target", ^"../Orc")
	change(hero, "inventory", [{"item": "sword", "wear": 0.25}, {"item": "rope", "count": 12}])
	await main.pause(0.3)
	change(hero, "hp", 74)
	change(early, "hp", 1)
	await main.pause(0.3)
	var things := []
	for data in [null, 7, "a chest", {"title": "from the data", "at": Vector2(1, 2), "loot": ["gold", 12]}, [1, [2]],
			Transform2D(), PackedByteArray([1, 2, 3])]:
		things.append(spawn_custom(data))
		await frames(2)
	await main.pause(0.3)
	Log.send(hero, 0, "hit", [12])
	change(world.get_node("Door"), "hp", 50)
	change(world.get_node("Door"), "position", Vector2(9, 9))
	await main.pause(0.5)
	for thing in things:
		despawn(thing)
	despawn(early)
	await main.pause(0.3)
	Log.send(main, main.clients["client2"], "your_turn", ["leave", []])
	await main.pause(0.5)
	change(hero, "hp", 73)
	await main.pause(0.3)
	despawn(hero)
	await main.end()


func leave() -> void:
	await main.leave()
