# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# A game that is being debugged: it prints, warns, makes an error, stops at a breakpoint and sends messages of its own.
# listener.gd is the other end.

var hp := 100
var title := "Åsa"
var inventory := [{"item": "sword", "wear": 0.25}, null]


func _ready() -> void:
	Engine.max_fps = 30
	get_tree().create_timer(20.0).timeout.connect(get_tree().quit)
	EngineDebugger.register_message_capture("game", captured)
	print("hello from the game")
	print("two\nlines and naïve ☕")
	print_rich("[b]rich[/b] text")
	printerr("to stderr")
	push_warning("a warning")
	push_error("an error of ours")
	EngineDebugger.send_message("game:state", [1, {"hp": hp, "at": Vector2(1, 2)}])
	await get_tree().create_timer(1.5).timeout
	walk(3)
	get_node("Enemies").get_child(7) # an error of the engine's
	await get_tree().create_timer(1.0).timeout
	fail()


func captured(message: String, data: Array) -> bool:
	EngineDebugger.send_message("game:answer", [message, data])
	if message == "quit":
		get_tree().quit()
	return true


func walk(steps: int) -> void:
	var direction := Vector2(0.5, -1.25)
	var names := ["one", "two"]
	if steps > 1:
		walk(steps - 1)
		return
	breakpoint
	hp -= names.size() + int(direction.x)


func fail() -> void:
	var nobody: Node = null
	var before := hp
	nobody.queue_free() # a script error: stops
	print("never printed ", before)
