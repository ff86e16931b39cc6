# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node2D

@export var title := ""


@rpc("any_peer", "call_local")
func rename(text: String) -> void:
	title = text
