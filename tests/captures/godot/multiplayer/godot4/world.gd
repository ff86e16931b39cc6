# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

const Log := preload("res://log.gd")


func _ready() -> void:
	$ThingSpawner.spawn_function = make_thing
	for spawner: MultiplayerSpawner in [$PlayerSpawner, $ThingSpawner]:
		spawner.spawned.connect(func(node): Log.line("spawned", {
			"spawner": Log.path_of(spawner), "path": Log.path_of(node), "values": node.values()}))
		spawner.despawned.connect(func(node): Log.line("despawned", {
			"spawner": Log.path_of(spawner), "name": str(node.name)}))


func make_thing(data: Variant) -> Node:
	Log.line("spawn_function", {"data": var_to_str(data)})
	var thing: Node = load("res://player.tscn").instantiate()
	if typeof(data) == TYPE_DICTIONARY:
		thing.title = data.get("title", "")
	return thing
