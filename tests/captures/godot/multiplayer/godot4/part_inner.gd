# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# RPCs of inner classes: of this script, of one that is nested deeper, and of one that extends another.


class Transport extends Node:
	const Log := preload("res://log.gd")

	class Deeper extends Node:
		const Log := preload("res://log.gd")

		@rpc("any_peer")
		func dig(depth) -> void:
			Log.received(self, "dig", [depth])

		@rpc("any_peer")
		func surface() -> void:
			Log.received(self, "surface")

	@rpc("any_peer")
	func deliver(parcel) -> void:
		Log.received(self, "deliver", [parcel])

	@rpc("any_peer")
	func acknowledge(number, at) -> void:
		Log.received(self, "acknowledge", [number, at])


class FastTransport extends Transport:
	@rpc("any_peer")
	func hurry(why) -> void:
		Log.received(self, "hurry", [why])


func prepare() -> void:
	add("Transport", Transport.new())
	add("Deeper", Transport.Deeper.new())
	add("Fast", FastTransport.new())


func add(as_name: String, node: Node) -> void:
	node.name = as_name
	add_child(node)


func calls(target: int) -> void:
	for round_number in range(3):
		Log.send(get_node("Transport"), target, "deliver", [{"round": round_number, "what": "a letter"}])
		Log.send(get_node("Transport"), target, "acknowledge", [round_number, Vector2(1, round_number)])
		Log.send(get_node("Deeper"), target, "dig", [round_number * 100])
		Log.send(get_node("Deeper"), target, "surface")
		Log.send(get_node("Fast"), target, "hurry", ["number %d" % round_number])
		Log.send(get_node("Fast"), target, "deliver", [round_number])
		await main.pause(0.1)


func lead() -> void:
	await main.everybody()
	await calls(0)
	await main.turn("client1", "calls", [1])
	await main.turn("client2", "calls", [main.clients["client1"]])
	await main.end()
