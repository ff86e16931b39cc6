# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part_owners.gd"

# Fighters as in part_owners.gd, ten updates a second each. The server's own fighter stops for 0.42 s while its other one
# goes on; later client1 hangs for 0.5 s, and with it the fighter that it owns.

const MOVES := 20


func walk(as_name: String, moves: int) -> void:
	var node := arena.get_node("Fighters/%s" % as_name)
	for step in range(moves):
		change(node, "position", Vector2(step, 1))
		await main.pause(0.1)


# The synchronizer has an update only every 0.42 s, until the next one is sent.
func freeze(as_name: String) -> void:
	var synchronizer: MultiplayerSynchronizer = arena.get_node("Fighters/%s/MultiplayerSynchronizer" % as_name)
	Log.line("freeze", {"path": Log.path_of(synchronizer), "seconds": 0.42})
	synchronizer.replication_interval = 0.42
	await main.pause(0.4)
	synchronizer.replication_interval = 0.1


func hang() -> void:
	walk(str(multiplayer.get_unique_id()), MOVES)
	await main.pause(2.0)
	Log.line("freeze", {"path": Log.path_of(arena.get_node("Fighters/%d/MultiplayerSynchronizer" % multiplayer.get_unique_id())),
		"seconds": 0.5})
	OS.delay_msec(500)
	await main.pause(0.5)


func lead() -> void:
	await main.everybody()
	spawn("res://fighter.tscn", "1", Vector2(0, 1))
	spawn("res://fighter.tscn", "Other", Vector2(0, 2))
	spawn("res://fighter.tscn", str(main.clients["client1"]), Vector2(1, 1))
	await main.pause(0.5)
	walk("Other", MOVES)
	walk("1", MOVES)
	await main.pause(1.5)
	await freeze("1")
	await main.pause(0.5)
	await main.turn("client1", "hang")
	await main.end()
