# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# No method of this script can be called by others; node_config in main.gd configures one on the node itself.

const Log := preload("res://log.gd")


func configured(value) -> void:
	Log.received(self, "configured", [value])
