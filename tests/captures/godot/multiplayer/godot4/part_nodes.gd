# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# 300 nodes: those from 256 on have numbers of two bytes.


func prepare() -> void:
	for i in range(300):
		var node := preload("res://unit.gd").new()
		node.name = "Node%03d" % i
		main.get_node("World").add_child(node)


func lead() -> void:
	await main.everybody()
	for i in range(300):
		Log.send(main.get_node("World/Node%03d" % i), main.clients["client1"], "take", [i])
		if i % 10 == 9:
			await frames()
	await main.pause(0.5)
	for i in [0, 1, 200, 252, 253, 254, 255, 256, 257, 299]:
		Log.send(main.get_node("World/Node%03d" % i), main.clients["client1"], "take", [i])
		await frames()
	await main.end()
