# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part_calls.gd"

# Some of part_calls.gd, for transports that add many packets of their own.


func lead() -> void:
	await main.everybody()
	var first: int = main.clients["client1"]
	var second: int = main.clients["client2"]
	Log.send(hero(), 0, "take_damage", [12, "sword"])
	await main.pause()
	Log.send(hero(), -second, "take_damage", [1, "all but client2"])
	await every_value(hero(), first, 4)
	await main.turn("client1", "client_calls", [second])
	await large(first)
	await main.end()
