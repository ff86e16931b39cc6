# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# A script of 300 RPC methods (many.gd, which generate.sh writes): those from 256 on have numbers of two bytes. And a
# method that is configured on its node, not in its script, whose number has bit 15.


func prepare() -> void:
	var many: Node = load("res://many.gd").new()
	many.name = "Many"
	main.add_child(many)
	main.get_node("World/Quiet").rpc_config("configured", {"rpc_mode": MultiplayerAPI.RPC_MODE_ANY_PEER,
		"transfer_mode": MultiplayerPeer.TRANSFER_MODE_RELIABLE, "call_local": false, "channel": 0})


func lead() -> void:
	await main.everybody()
	var many := main.get_node("Many")
	for i in [0, 1, 9, 10, 99, 100, 127, 128, 254, 255, 256, 257, 298, 299]:
		Log.send(many, 0, "method_%03d" % i, [i])
		await frames()
	await main.pause()
	for i in [255, 256, 299]:
		Log.send(many, main.clients["client1"], "method_%03d" % i, [PackedByteArray([1, 2, 3])])
	Log.send(main.get_node("World/Quiet"), 0, "configured", ["on the node"])
	await main.pause()
	Log.send(main.get_node("World/Quiet"), 0, "configured", ["again"])
	await main.end()
