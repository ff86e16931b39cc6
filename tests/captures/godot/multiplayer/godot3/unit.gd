# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# Methods and properties of every kind of RPC. Their names are on the wire.

const Log = preload("res://log.gd")

remote var hp = 100 setget set_hp
remote var title = "" setget set_title


func set_hp(value):
	hp = value
	was_set("hp", value)


func set_title(value):
	title = value
	was_set("title", value)


func was_set(property, value):
	if is_inside_tree():
		Log.line("was_set", {"path": Log.path_of(self), "property": property,
			"source": get_tree().get_rpc_sender_id(), "value": Log.text(value)})


remote func take(value):
	Log.received(self, "take", [value])


remote func take_damage(amount, from):
	Log.received(self, "take_damage", [amount, from])


remote func take_many(a, b, c, d, e, f, g, h):
	Log.received(self, "take_many", [a, b, c, d, e, f, g, h])


remote func take_bytes(bytes):
	Log.received(self, "take_bytes", [bytes])


remote func nothing():
	Log.received(self, "nothing")


remote func move(position):
	Log.received(self, "move", [position])


remote func chat(text):
	Log.received(self, "chat", [text])


remotesync func cheer(times):
	Log.received(self, "cheer", [times])


puppet func only_from_the_server(value):
	Log.received(self, "only_from_the_server", [value])


func not_remote():
	pass
