# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part_spawn.gd"

# What part_spawn.gd does, by client1: it is the authority of the spawners, of what they spawn and of all synchronizers.
# NodePaths are in properties, in arrays of properties, and in the data of a spawn function.

const Paths := preload("res://paths.gd")

var owner_id := 0


func prepare() -> void:
	super()
	late = []
	for parent in ["Players", "Things"]:
		world.get_node(parent).child_entered_tree.connect(func(node): node.set_multiplayer_authority(owner_id))


# Each process lets client1 own the world.
func own(peer: int) -> void:
	owner_id = peer
	Log.line("own", {"path": Log.path_of(world), "owner": peer})
	world.set_multiplayer_authority(peer)


func lead() -> void:
	await main.everybody()
	var first: int = main.clients["client1"]
	own(first)
	for client in ["client2", "client1"]:
		await main.turn(client, "own", [first])
	await main.turn("client1", "rule")
	await main.end()


func rule() -> void:
	var hero := spawn("res://player.tscn", "Hero", Vector2(3, 4), "Åsa")
	spawn("res://monster.tscn", "Orc", Vector2(5, 6), "without synchronizers")
	await main.pause(0.3)
	for step in range(6):
		change(hero, "position", Vector2(3 + step, 4))
		change(hero, "rotation", step * 0.25)
		change(hero, "aim", 0.1 * step)
		await main.pause(0.1)
	for path in [^"../Orc", ^"a", ^"../Orc:hp", ^"/root/Main/World/Level 1", ^"", ^"ab/cd:efg:h"]:
		change(hero, "target", path)
		change(hero, "inventory", [{"item": path, path: 12}, path])
		await main.pause(0.2)
	change(hero, "hp", 75)
	# A spawn with NodePaths in its state.
	var early: Node = load("res://player.tscn").instantiate()
	early.name = "Pack"
	early.inventory = [^"rope", {"in": ^"../Hero:inventory"}]
	Log.line("spawn", {"scene": "res://player.tscn", "name": "Pack"})
	world.get_node("Players").add_child(early, true)
	await main.pause(0.3)
	var things := []
	for data in [^"Chest:loot", [1, [^"a/b"]], {"title": "with paths", ^"key": ^"value/of:it"}, Paths.all(), null, "a chest",
			Transform2D(), PackedByteArray([1, 2, 3])]:
		things.append(spawn_custom(data))
		await frames(2)
	await main.pause(0.3)
	Log.send(hero, 0, "hit", [^"../Orc:sword"])
	change(world.get_node("Door"), "hp", 50)
	change(world.get_node("Door"), "position", Vector2(9, 9))
	await main.pause(0.5)
	for thing in things + [early, hero]:
		despawn(thing)
	await main.pause(0.3)
