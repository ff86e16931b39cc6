# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://unit.gd"

# Inherits methods, and adds some before, among and after them.


@rpc("any_peer")
func attack(target) -> void:
	Log.received(self, "attack", [target])


@rpc("any_peer")
func parry() -> void:
	Log.received(self, "parry")


@rpc("any_peer")
func zap(target, strength) -> void:
	Log.received(self, "zap", [target, strength])
