# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# Clients that must prove who they are before they are connected: client1 can, client2 cannot.


func prepare() -> void:
	multiplayer.auth_callback = check
	multiplayer.auth_timeout = 2.0
	multiplayer.peer_authenticating.connect(greet)
	multiplayer.peer_authentication_failed.connect(func(id): Log.line("authentication_failed", {"id": id}))


func send(id: int, bytes: PackedByteArray) -> void:
	Log.line("send_auth", {"target": id, "bytes": bytes.hex_encode()})
	multiplayer.send_auth(id, bytes)


func greet(id: int) -> void:
	Log.line("authenticating", {"id": id})
	if main.role == "server":
		send(id, "who are you?".to_utf8_buffer())


func check(id: int, bytes: PackedByteArray) -> void:
	Log.line("auth", {"source": id, "bytes": bytes.hex_encode()})
	if main.role == "server":
		if bytes.get_string_from_utf8() == "I am client1":
			send(id, var_to_bytes({"welcome": true}))
			complete(id)
	elif bytes.get_string_from_utf8() == "who are you?":
		send(id, ("I am " + main.role).to_utf8_buffer())
	else:
		complete(id)


func complete(id: int) -> void:
	Log.line("complete_auth", {"id": id})
	multiplayer.complete_auth(id)


func lead() -> void:
	await main.everybody(1)
	Log.send(hero(), 0, "take_damage", [1, "only for client1"])
	await main.pause(3)
	await main.end()
