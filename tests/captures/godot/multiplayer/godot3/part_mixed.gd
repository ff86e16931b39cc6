# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# The other peer is a Godot 4. The server calls its first client for a second; a client only joins.


func lead():
	yield(get_tree(), "idle_frame")
	while get_tree().get_network_connected_peers().empty():
		yield(get_tree(), "idle_frame")
	for number in range(4):
		Log.send(door(), get_tree().get_network_connected_peers()[0], "take", [number])
		yield(main.pause(0.25), "completed")
	yield(main.end(), "completed")
