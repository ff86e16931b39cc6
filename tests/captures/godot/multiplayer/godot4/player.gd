# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node2D

# What the spawner spawns. player.tscn says which properties its two synchronizers carry.

const Log := preload("res://log.gd")

@export var hp := 100
@export var title := "nobody"
@export var target: NodePath
@export var inventory := []
var aim := 0.5


func _enter_tree() -> void:
	Log.line("entered", {"path": Log.path_of(self), "values": values()})


func _ready() -> void:
	if is_multiplayer_authority():
		return
	for synchronizer: MultiplayerSynchronizer in find_children("*", "MultiplayerSynchronizer", false, false):
		synchronizer.synchronized.connect(func(): note("synchronized", synchronizer))
		synchronizer.delta_synchronized.connect(func(): note("delta_synchronized", synchronizer))


func _exit_tree() -> void:
	Log.line("left", {"path": Log.path_of(self)})


func note(event: String, synchronizer: Node) -> void:
	Log.line(event, {"path": Log.path_of(synchronizer), "values": values()})


func values() -> Dictionary:
	return {"position": var_to_str(position), "rotation": var_to_str(rotation), "hp": var_to_str(hp),
		"title": var_to_str(title), "target": var_to_str(target), "inventory": var_to_str(inventory),
		"aim": var_to_str(aim)}


@rpc("any_peer")
func hit(amount) -> void:
	Log.received(self, "hit", [amount])
