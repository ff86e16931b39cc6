# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# The game's connections: test_godot_addon.py reads the ports from these calls.

const PORT := 45710
var entered := ""


func host(port := PORT) -> MultiplayerPeer:
	var peer := ENetMultiplayerPeer.new()
	peer.set_bind_ip("127.0.0.1")
	assert(peer.create_server(port, 4) == OK)
	return peer


func join(address := "127.0.0.1") -> MultiplayerPeer:
	var peer := ENetMultiplayerPeer.new()
	assert(peer.create_client(address, PORT) == OK) # not create_client(address, 1)
	return peer


func host_other() -> MultiplayerPeer:
	var peer := ENetMultiplayerPeer.new()
	peer.create_server(ProjectSettings.get_setting("test/other_port"))
	return peer


func host_entered() -> MultiplayerPeer:
	var peer := ENetMultiplayerPeer.new()
	peer.create_server(entered.to_int())
	return peer
