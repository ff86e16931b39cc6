# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# Bytes without a method: send_bytes, directly and relayed.


func prepare() -> void:
	multiplayer.peer_packet.connect(func(id, packet): Log.line("packet", {"source": id, "bytes": packet.hex_encode()}))


func send(target: int, bytes: PackedByteArray, mode := MultiplayerPeer.TRANSFER_MODE_RELIABLE, channel := 0) -> void:
	Log.line("send_bytes", {"target": target, "bytes": bytes.hex_encode()})
	multiplayer.send_bytes(bytes, target, mode, channel)


func bytes(target: int) -> void:
	send(target, "plain text".to_utf8_buffer())
	send(target, var_to_bytes({"cmd": "move", "pos": Vector2(1, 2)}))
	send(target, var_to_bytes([1, "two", null]), MultiplayerPeer.TRANSFER_MODE_UNRELIABLE)
	send(target, PackedByteArray([0, 255, 7]), MultiplayerPeer.TRANSFER_MODE_UNRELIABLE_ORDERED, 2)
	send(target, var_to_bytes("text ".repeat(1000)))
	await main.pause()


func lead() -> void:
	await main.everybody()
	await bytes(0)
	await bytes(main.clients["client1"])
	await main.turn("client1", "bytes", [1])
	await main.turn("client1", "bytes", [main.clients["client2"]])
	await main.end()
