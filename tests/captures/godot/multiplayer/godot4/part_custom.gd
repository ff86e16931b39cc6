# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part_owners.gd"

# Custom spawns: nodes of two scenes by one spawn function, with names of their own, whose synchronizers have one name
# and different properties.


func make(kind: String, as_name: String) -> Node:
	var data := {"kind": kind, "name": as_name}
	Log.line("spawn_custom", {"data": var_to_str(data)})
	return arena.get_node("ThingSpawner").spawn(data)


func lead() -> void:
	await main.everybody()
	var crate := make("crate", "Crate of Åsa")
	var barrel := make("barrel", "Barrel")
	await main.pause(0.4)
	for step in range(6):
		change(crate, "position", Vector2(step, 1))
		change(crate, "weight", 0.5 * step)
		change(barrel, "position", Vector2(-step, 2))
		change(barrel, "weight", 0.1 * step)
		await main.pause(0.15)
	change(crate, "contents", ["rope", 12])
	change(barrel, "worth", 7)
	await main.pause(0.4)
	for thing in [crate, barrel]:
		Log.line("despawn", {"path": Log.path_of(thing)})
		thing.queue_free()
	await main.pause(0.3)
	await main.end()
