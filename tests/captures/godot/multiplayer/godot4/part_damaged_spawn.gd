# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# Messages that the server damages on their way to ENet or WebSocket (damaging_peer.gd), between sound ones: calls, spawns,
# despawns and updates. Each process logs the engine's errors.

const DamagingPeer := preload("res://damaging_peer.gd")
const Errors := preload("res://errors.gd")

enum {CALL = 0, PATH = 1, SPAWN = 4, DESPAWN = 5, SYNC = 6} # of SceneMultiplayer

var arena: Node
var damaging: MultiplayerPeer


func prepare() -> void:
	OS.add_logger(Errors.new())
	arena = load("res://arena.tscn").instantiate()
	add_child(arena)


func peer_for(peer: MultiplayerPeer) -> MultiplayerPeer:
	if main.role != "server":
		return peer
	damaging = DamagingPeer.new(peer)
	return damaging


# --- damages ------------------------------------------------------------------------------------

func one_byte_missing(bytes: PackedByteArray) -> PackedByteArray:
	return bytes.slice(0, -1)


func three_bytes_missing(bytes: PackedByteArray) -> PackedByteArray:
	return bytes.slice(0, -3)


# After the command, the path's and the method's id, each of a byte.
func more_arguments(bytes: PackedByteArray) -> PackedByteArray:
	bytes[3] += 40
	return bytes


func synchronizer_count(bytes: PackedByteArray) -> PackedByteArray:
	bytes[11] = 0x20
	return bytes


func command_bit(bytes: PackedByteArray) -> PackedByteArray:
	bytes[0] |= 0x08
	return bytes


func half(bytes: PackedByteArray) -> PackedByteArray:
	return bytes.slice(0, bytes.size() / 2)


# Of the first node's values, after the command, the time and its net id.
func size_of_values(bytes: PackedByteArray) -> PackedByteArray:
	bytes[8] += 1
	return bytes


# --- the server's part --------------------------------------------------------------------------

func spawn(as_name: String) -> Node:
	var node: Node = load("res://fighter.tscn").instantiate()
	node.name = as_name
	Log.line("spawn", {"scene": "res://fighter.tscn", "name": as_name})
	arena.get_node("Fighters").add_child(node, true)
	return node


func walk(node: Node, steps: int) -> void:
	for step in range(steps):
		node.position = Vector2(step, 0.5)
		await main.pause(0.1)


func damage(command: int, functions: Array) -> void:
	damaging.damages[command] = functions


func lead() -> void:
	await main.everybody()
	var client: int = main.clients["client1"]
	for number in range(3):
		Log.send(hero(), client, "take", ["number %d" % number])
		await main.pause(0.2)
	damage(CALL, [one_byte_missing, more_arguments, half])
	for number in range(3, 8):
		Log.send(hero(), client, "take", ["number %d" % number])
		await main.pause(0.2)
	await walk(spawn("Ducat"), 3)
	await walk(spawn("Florin"), 2)
	await walk(spawn("Krone"), 2)
	damage(SPAWN, [synchronizer_count, command_bit, half])
	for as_name in ["Thaler", "Groat", "Penny"]:
		await walk(spawn(as_name), 2)
	var last := spawn("Mark")
	await walk(last, 3)
	damage(SYNC, [three_bytes_missing, size_of_values, one_byte_missing])
	await walk(last, 5)
	damage(DESPAWN, [one_byte_missing])
	arena.get_node("Fighters/Ducat").queue_free()
	await main.pause()
	arena.get_node("Fighters/Florin").queue_free()
	await main.end()
