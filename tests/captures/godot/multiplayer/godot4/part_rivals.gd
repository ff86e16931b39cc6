# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# "Part/Ball" with its synchronizer has two owners: the server and client1 both made themselves its authority. client2 left
# it to the server. "Part/Flag" changes its owner as it should: the server's for a second, then client1's. Each process
# logs the engine's errors.

const Errors := preload("res://errors.gd")
const STEPS := 18


func prepare() -> void:
	OS.add_logger(Errors.new())
	for as_name in ["Ball", "Flag"]:
		var node: Node = load("res://fighter.tscn").instantiate()
		node.name = as_name
		add_child(node)


func own(as_name: String, peer: int) -> void:
	Log.line("own", {"path": Log.path_of(get_node(as_name)), "owner": peer})
	get_node(as_name).set_multiplayer_authority(peer)


@rpc("any_peer", "call_local")
func hand_over(as_name, peer) -> void:
	own(as_name, peer)


func change(as_name: String, property: String, value: Variant) -> void:
	var node := get_node(as_name)
	if node.is_multiplayer_authority():
		Log.line("set", {"path": Log.path_of(node), "property": property, "value": var_to_str(value)})
		node.set(property, value)


func roll(start: int) -> void:
	own("Ball", multiplayer.get_unique_id())
	for step in range(STEPS):
		for as_name in ["Ball", "Flag"]:
			change(as_name, "position", Vector2(start + step, start))
			change(as_name, "ammo", start + step)
		if step == STEPS / 2 and multiplayer.is_server():
			hand_over.rpc("Flag", main.clients["client1"])
		await main.pause(0.1)


func lead() -> void:
	await main.everybody()
	Log.send(main, main.clients["client1"], "your_turn", ["roll", [500]])
	await roll(100)
	await main.pause(0.3)
	await main.end()
