# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node


@rpc("any_peer")
func greet(text: String) -> void:
	take_damage.rpc_id(multiplayer.get_remote_sender_id(), text.length(), 0.5)
	$Hero.position.x += 1.0


@rpc
func take_damage(_points: int, _factor: float) -> void:
	pass
