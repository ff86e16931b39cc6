# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# Three peers, each with a fighter of which it owns the synchronizer: the engine's usual way of moving players. Syncs
# travel from each client to the server, which relays them. Every scene calls its synchronizer MultiplayerSynchronizer.
# A fighter's own peer logs what it sets, all peers what arrived.

const STEPS := 8

var arena: Node


func prepare() -> void:
	arena = load("res://arena.tscn").instantiate()
	add_child(arena)


func change(node: Node, property: String, value: Variant) -> void:
	Log.line("set", {"path": Log.path_of(node), "property": property, "value": var_to_str(value)})
	node.set(property, value)


# Each fighter is named after the peer that owns it.
func spawn(scene: String, as_name: String, place: Vector2) -> void:
	var node: Node = load(scene).instantiate()
	node.name = as_name
	node.position = place
	Log.line("spawn", {"scene": scene, "name": as_name})
	arena.get_node("Fighters").add_child(node, true)


func fight() -> void:
	var mine := arena.get_node("Fighters/%d" % multiplayer.get_unique_id())
	for step in range(STEPS):
		change(mine, "position", Vector2(step, multiplayer.get_unique_id() % 7))
		change(mine, "facing", 0.25 * step)
		if step % 3 == 2:
			change(mine, "stance", "step %d" % step)
			change(mine, "ammo", 30 - step)
		await main.pause(0.1)


func lead() -> void:
	await main.everybody()
	spawn("res://fighter.tscn", "1", Vector2(0, 1))
	for client in main.clients.values():
		spawn("res://fighter.tscn", str(client), Vector2(1, 1))
	spawn("res://coin.tscn", "Coin", Vector2(8, 8))
	await main.pause(0.5)
	for client in main.clients:
		Log.send(main, main.clients[client], "your_turn", ["fight", []])
	await fight()
	change(arena.get_node("Fighters/Coin"), "worth", 5)
	change(arena.get_node("Fighters/Coin"), "finder", "nobody")
	await main.pause(0.5)
	await main.end()
