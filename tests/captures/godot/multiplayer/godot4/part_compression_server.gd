# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# The server compresses, client1 does not, and client2 has another compression: nobody connects. Each logs its compression.

const USED := {"server": "fastlz", "client1": "none", "client2": "range-coder"}


func used() -> Dictionary:
	return USED


func compression() -> String:
	Log.line("compression", {"name": used()[main.role]})
	return used()[main.role]


func prepare() -> void:
	if main.role != "server":
		stop(3.0)


func stop(seconds: float) -> void:
	await main.pause(seconds)
	main.finish(0)


func lead() -> void:
	stop(5.0)
