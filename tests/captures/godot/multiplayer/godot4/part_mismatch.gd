# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part.gd"

# The node "Part/Shop" has other RPC methods at the server than at the clients, "Part/Bank" has the same: a game of which
# one side was not updated.


class Bank extends Node:
	const Log := preload("res://log.gd")

	@rpc("any_peer")
	func pay(amount) -> void:
		Log.received(self, "pay", [amount])


class NewShop extends Node:
	const Log := preload("res://log.gd")

	@rpc("any_peer")
	func buy(what) -> void:
		Log.received(self, "buy", [what])

	@rpc("any_peer")
	func sell(what) -> void:
		Log.received(self, "sell", [what])


class OldShop extends Node:
	const Log := preload("res://log.gd")

	@rpc("any_peer")
	func sell(what) -> void:
		Log.received(self, "sell", [what])


func prepare() -> void:
	add("Bank", Bank.new())
	add("Shop", NewShop.new() if main.role == "server" else OldShop.new())


func add(as_name: String, node: Node) -> void:
	node.name = as_name
	add_child(node)


func calls(target: int) -> void:
	for round_number in range(3):
		Log.send(get_node("Bank"), target, "pay", [round_number])
		Log.send(get_node("Shop"), target, "sell", ["sword %d" % round_number])
		await main.pause(0.2)


func lead() -> void:
	await main.everybody()
	await calls(main.clients["client1"])
	await main.turn("client2", "calls", [1])
	await main.end()
