# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# Nodes that the called peer does not have: "Part/Vault" is not at client1, nor is the arena with its spawner;
# "Part/Kiosk" is only at client2. client2 has all that the server has. At the end the server sends client2 three messages
# in one datagram that use a path id which it never defined. Each process logs the engine's errors.

const Errors := preload("res://errors.gd")
const UNDEFINED := [0x80, 77, 0]


class Safe extends Node:
	const Log := preload("res://log.gd")

	@rpc("any_peer")
	func deposit(amount) -> void:
		Log.received(self, "deposit", [amount])


var arena: Node


func prepare() -> void:
	OS.add_logger(Errors.new())
	if main.role != "client1":
		add("Vault")
		arena = load("res://arena.tscn").instantiate()
		add_child(arena)
	if main.role == "client2":
		add("Kiosk")


func add(as_name: String) -> void:
	var node := Safe.new()
	node.name = as_name
	add_child(node)


func calls(as_name: String, target: int) -> void:
	for amount in [40, 50, 60]:
		Log.send(get_node(as_name), target, "deposit", [amount])
		await main.pause(0.3)


func spawn() -> void:
	var node: Node = load("res://coin.tscn").instantiate()
	node.name = "Ducat"
	Log.line("spawn", {"scene": "res://coin.tscn", "name": "Ducat"})
	arena.get_node("Fighters").add_child(node, true)


# ENetPacketPeer.send() does not flush as put_packet() does: the three are in one datagram.
func undefined(target: int) -> void:
	var peer: ENetPacketPeer = main.multiplayer.multiplayer_peer.get_peer(target)
	for index in range(3):
		Log.line("undefined", {"target": target, "bytes": PackedByteArray(UNDEFINED + [index]).hex_encode()})
		peer.send(0, PackedByteArray(UNDEFINED + [index]), ENetPacketPeer.FLAG_RELIABLE)


func lead() -> void:
	await main.everybody()
	await calls("Vault", main.clients["client1"])
	await calls("Vault", main.clients["client2"])
	spawn()
	await main.pause(0.3)
	await main.turn("client2", "calls", ["Kiosk", 1])
	undefined(main.clients["client2"])
	await main.pause(0.3)
	await main.end()
