# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://unit.gd"


remote func attack(target):
	Log.received(self, "attack", [target])


remote func parry():
	Log.received(self, "parry")


remote func zap(target, strength):
	Log.received(self, "zap", [target, strength])
