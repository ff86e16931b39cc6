# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# Bytes in a format of the game's own, as arguments of RPCs and with send_bytes, directly and relayed. snapshot.gd has
# the format.

const Snapshot := preload("res://snapshot.gd")


class Arena extends Node:
	const Log := preload("res://log.gd")

	@rpc("any_peer", "unreliable")
	func submit_snapshot(bytes) -> void:
		Log.received(self, "submit_snapshot", [bytes])

	@rpc("any_peer")
	func submit_history(first_tick, older, newer) -> void:
		Log.received(self, "submit_history", [first_tick, older, newer])


func prepare() -> void:
	var arena := Arena.new()
	arena.name = "Arena"
	add_child(arena)
	multiplayer.peer_packet.connect(func(id, packet): Log.line("packet", {"source": id, "bytes": packet.hex_encode()}))


# The bytes of a snapshot; what is in them goes to the log.
func snapshot(tick: int, count: int) -> PackedByteArray:
	Log.line("snapshot", Snapshot.content(tick, count))
	return Snapshot.bytes(tick, count)


func snapshots(target: int) -> void:
	for tick in range(100, 103):
		Log.send($Arena, target, "submit_snapshot", [snapshot(tick, tick % 4)])
		await main.pause(0.05)
	Log.send($Arena, target, "submit_history", [200, snapshot(200, 1), snapshot(201, 2)])
	for tick in range(300, 303):
		var bytes := snapshot(tick, 2)
		Log.line("send_bytes", {"target": target, "bytes": bytes.hex_encode()})
		multiplayer.send_bytes(bytes, target, MultiplayerPeer.TRANSFER_MODE_UNRELIABLE)
		await main.pause(0.05)
	Log.line("send_bytes", {"target": target, "bytes": "706c61696e2074657874"})
	multiplayer.send_bytes("plain text".to_utf8_buffer(), target)
	await main.pause()


func lead() -> void:
	await main.everybody()
	await snapshots(0)
	await main.turn("client1", "snapshots", [1])
	await main.turn("client1", "snapshots", [main.clients["client2"]])
	await main.end()
