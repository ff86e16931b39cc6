# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part_damaged_spawn.gd"

# A spawn that declares 2^30 synchronizer ids more than it has, at one of the clients: that client's engine crashes.


func overflow(bytes: PackedByteArray) -> PackedByteArray:
	bytes[13] = 0x40
	return bytes


func lead() -> void:
	await main.everybody()
	await walk(spawn("Ducat"), 2)
	damage(SPAWN, [overflow])
	await walk(spawn("Florin"), 5)
	await main.end()
