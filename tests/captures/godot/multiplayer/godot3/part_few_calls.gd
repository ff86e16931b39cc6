# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part_calls.gd"

# Some of part_calls.gd, for transports that add many packets of their own.


func lead():
	yield(main.everybody(), "completed")
	var first = main.clients["client1"]
	var second = main.clients["client2"]
	Log.send(hero(), 0, "take_damage", [12, "sword"])
	yield(main.pause(), "completed")
	Log.send(hero(), -second, "take_damage", [1, "all but client2"])
	yield(every_value(hero(), first, 4), "completed")
	yield(main.turn("client1", "client_calls", [second]), "completed")
	yield(large(first), "completed")
	yield(main.end(), "completed")
