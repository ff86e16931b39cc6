# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# Clients whose ids begin, as bytes, with a command of Godot 4: each message that they send can be read as one of Godot 4.
# Calls, then bytes without a method: to the server, and relayed.


func prepare():
	main.low_byte = {"client1": 0x90, "client2": 0x03}.get(main.role, -1)
	multiplayer.connect("network_peer_packet", self, "_on_packet")


func _on_packet(id, packet):
	Log.line("packet", {"source": id, "bytes": packet.hex_encode()})


func send(target, bytes):
	Log.line("send_bytes", {"target": target, "bytes": bytes.hex_encode()})
	multiplayer.send_bytes(bytes, target)


func calls_and_bytes(other):
	for number in range(5):
		Log.send(door(), 1, "take", [number])
		yield(main.pause(0.1), "completed")
	for target in [1, other]:
		send(target, PoolByteArray([0xc0, 0xff, 0xee, 0x00, 0x5a, 0xfe]))
		send(target, "to the door".to_utf8())
		yield(main.pause(0.1), "completed")


func lead():
	yield(main.everybody(), "completed")
	yield(main.turn("client1", "calls_and_bytes", [main.clients["client2"]]), "completed")
	yield(main.turn("client2", "calls_and_bytes", [main.clients["client1"]]), "completed")
	yield(main.end(), "completed")
