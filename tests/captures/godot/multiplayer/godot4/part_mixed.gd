# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# The other peer is a Godot 3. The server calls its first client for a second; a client only joins. Each process logs the
# engine's errors.

const Errors := preload("res://errors.gd")


func prepare() -> void:
	OS.add_logger(Errors.new())


func lead() -> void:
	while multiplayer.get_peers().is_empty():
		await get_tree().process_frame
	for number in range(4):
		Log.send(door(), multiplayer.get_peers()[0], "take", [number])
		await main.pause(0.25)
	await main.end()
