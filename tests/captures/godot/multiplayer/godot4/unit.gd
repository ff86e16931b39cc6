# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# Methods of every kind of RPC. Their names on the wire are numbers: their places in the order of the alphabet.

const Log := preload("res://log.gd")


@rpc("any_peer")
func take(value) -> void:
	Log.received(self, "take", [value])


@rpc("any_peer")
func take_damage(amount, from) -> void:
	Log.received(self, "take_damage", [amount, from])


@rpc("any_peer")
func take_many(a, b, c, d, e, f, g, h) -> void:
	Log.received(self, "take_many", [a, b, c, d, e, f, g, h])


@rpc("any_peer")
func take_bytes(bytes) -> void:
	Log.received(self, "take_bytes", [bytes])


@rpc("any_peer")
func nothing() -> void:
	Log.received(self, "nothing")


@rpc("any_peer", "unreliable")
func move(position) -> void:
	Log.received(self, "move", [position])


@rpc("any_peer", "unreliable_ordered")
func turn(angle) -> void:
	Log.received(self, "turn", [angle])


@rpc("any_peer", "call_remote", "reliable", 3)
func chat(text) -> void:
	Log.received(self, "chat", [text])


@rpc("any_peer", "call_local")
func cheer(times) -> void:
	Log.received(self, "cheer", [times])


@rpc("authority")
func only_from_the_server(value) -> void:
	Log.received(self, "only_from_the_server", [value])


func not_remote() -> void:
	pass
