# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# Bytes without a method: send_bytes, directly and relayed.


func prepare():
	multiplayer.connect("network_peer_packet", self, "_on_packet")


func _on_packet(id, packet):
	Log.line("packet", {"source": id, "bytes": packet.hex_encode()})


func send(target, bytes, mode = NetworkedMultiplayerPeer.TRANSFER_MODE_RELIABLE):
	Log.line("send_bytes", {"target": target, "bytes": bytes.hex_encode()})
	multiplayer.send_bytes(bytes, target, mode)


func bytes(target):
	send(target, "plain text".to_utf8())
	send(target, var2bytes({"cmd": "move", "pos": Vector2(1, 2)}))
	send(target, var2bytes([1, "two", null]), NetworkedMultiplayerPeer.TRANSFER_MODE_UNRELIABLE)
	send(target, PoolByteArray([0, 255, 7]), NetworkedMultiplayerPeer.TRANSFER_MODE_UNRELIABLE_ORDERED)
	send(target, var2bytes("text ".repeat(1000)))
	yield(main.pause(), "completed")


func lead():
	yield(main.everybody(), "completed")
	yield(bytes(0), "completed")
	yield(bytes(main.clients["client1"]), "completed")
	yield(main.turn("client1", "bytes", [1]), "completed")
	yield(main.turn("client1", "bytes", [main.clients["client2"]]), "completed")
	yield(main.end(), "completed")
