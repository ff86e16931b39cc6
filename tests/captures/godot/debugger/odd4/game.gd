# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# A game that is being debugged and does nothing. listener.gd is the other end.


func _ready() -> void:
	Engine.max_fps = 10
	get_tree().create_timer(3.0).timeout.connect(get_tree().quit)
