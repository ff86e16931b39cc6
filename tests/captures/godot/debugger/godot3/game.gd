# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# A game that is being debugged: it prints, warns, makes an error and stops at a breakpoint. listener.gd is the other
# end.

var hp = 100
var title = "Åsa"
var inventory = [{"item": "sword", "wear": 0.25}, null]


func _ready():
	Engine.target_fps = 30
	get_tree().create_timer(20.0).connect("timeout", get_tree(), "quit")
	print("hello from the game")
	print("two\nlines and naïve ☕")
	printerr("to stderr")
	push_warning("a warning")
	push_error("an error of ours")
	yield(get_tree().create_timer(1.5), "timeout")
	walk(3)
	get_node("Enemies").get_child(7) # an error of the engine's
	yield(get_tree().create_timer(1.0), "timeout")
	fail()
	yield(get_tree().create_timer(0.5), "timeout")
	get_tree().quit()


func walk(steps):
	var direction = Vector2(0.5, -1.25)
	var names = ["one", "two"]
	if steps > 1:
		walk(steps - 1)
		return
	breakpoint
	hp -= names.size() + int(direction.x)


func fail():
	var nobody = null
	var before = hp
	nobody.queue_free() # a script error: stops
	print("never printed ", before)
