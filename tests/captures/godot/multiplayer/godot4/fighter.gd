# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node2D

# A node of the arena. fighter.tscn, coin.tscn, crate.tscn and barrel.tscn say which properties its synchronizer carries.

const Log := preload("res://log.gd")

@export var facing := 0.0
@export var stance := "ready"
@export var ammo := 30
@export var worth := 1
@export var finder := ""
@export var weight := 0.5
@export var contents: Array = []


func _enter_tree() -> void:
	if str(name).is_valid_int():
		set_multiplayer_authority(str(name).to_int())
	Log.line("entered", {"path": Log.path_of(self), "values": values()})


func _ready() -> void:
	if is_multiplayer_authority():
		return
	var synchronizer: MultiplayerSynchronizer = $MultiplayerSynchronizer
	for event in ["synchronized", "delta_synchronized"]:
		synchronizer.connect(event, func(): Log.line(event, {"path": Log.path_of(synchronizer), "values": values()}))


func _exit_tree() -> void:
	Log.line("left", {"path": Log.path_of(self)})


func values() -> Dictionary:
	var found := {}
	for property in ["position", "facing", "stance", "ammo", "worth", "finder", "weight", "contents"]:
		found[property] = var_to_str(get(property))
	return found
