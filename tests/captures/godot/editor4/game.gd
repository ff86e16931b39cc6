# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node


func _ready() -> void:
	print("the game has begun")
	await get_tree().create_timer(1.0).timeout
	push_warning("a warning of the game")


func _process(_delta: float) -> void:
	if OS.get_environment("GAMEWIRE_EDITOR") == "serves":
		get_tree().quit()
