# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# Objects in full (allow_object_decoding), and one that was freed: typed as an object but null, which the engine sends
# as four bytes and then refuses itself.


func prepare() -> void:
	multiplayer.allow_object_decoding = true


func lead() -> void:
	await main.everybody()
	var first: int = main.clients["client1"]
	var shape := RectangleShape2D.new()
	shape.size = Vector2(3, 4)
	Log.send(hero(), first, "take", [shape])
	Log.send(hero(), first, "take", [{"shape": shape, "none": null}])
	Log.send(hero(), first, "take_damage", [shape, "after an object"])
	await main.pause()
	var gone := Node.new()
	gone.free()
	Log.send(hero(), first, "take", [gone])
	Log.send(hero(), first, "take_damage", [gone, "after a freed object"])
	Log.send(hero(), first, "take_damage", ["before a freed object", gone])
	await main.pause()
	Log.send(hero(), first, "take", ["the end"])
	await main.end()
