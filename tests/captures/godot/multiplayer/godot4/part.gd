# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# What a session can be about: part_NAME.gd is played when GAMEWIRE_PART is NAME.

const Log := preload("res://log.gd")

var main: Node
var late := [] # roles that come two seconds after the others


func hero() -> Node:
	return main.get_node("Units/Hero")


func sword() -> Node:
	return main.get_node("Units/Hero/Sword of Åsa")


func door() -> Node:
	return main.get_node("World/Level 1/Room/Door")


func frames(count := 1) -> void:
	for i in range(count):
		await get_tree().process_frame


# Before the connection, in every process.
func prepare() -> void:
	pass


# A key of main.gd's COMPRESSIONS.
func compression() -> String:
	return OS.get_environment("GAMEWIRE_COMPRESSION")


# The peer that this process gives SceneMultiplayer, for the one that it opened.
func peer_for(peer: MultiplayerPeer) -> MultiplayerPeer:
	return peer


# The server's part.
func lead() -> void:
	pass
