# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# A server and a client in one process, each with a world of its own.

const World := preload("res://world.tscn")


func _ready() -> void:
	for side in ["Server", "Client"]:
		var branch := Node.new()
		branch.name = side
		add_child(branch)
		get_tree().set_multiplayer(SceneMultiplayer.new(), branch.get_path())
		branch.multiplayer.multiplayer_peer = Net.host() if side == "Server" else Net.join()
		branch.add_child(World.instantiate())
	var client := $Client/World
	client.multiplayer.connected_to_server.connect(func(): client.greet.rpc_id(1, "hello"))
	await get_tree().create_timer(1.5).timeout
	get_tree().quit()
