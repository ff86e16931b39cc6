# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
@tool
extends EditorPlugin

# What a person does in an editor, without one: opens the scene, plays it, moves a node and adds another while the game
# runs, stops it and quits. Only with GAMEWIRE_EDITOR=plays; with =serves it only waits, for the remote file system.


func _enter_tree() -> void:
	match OS.get_environment("GAMEWIRE_EDITOR"):
		"plays":
			play.call_deferred()
		"serves":
			serve.call_deferred()


func pause(seconds: float) -> void:
	await get_tree().create_timer(seconds).timeout


func serve() -> void:
	for second in OS.get_environment("GAMEWIRE_SECONDS").to_int():
		await pause(1.0)
		EditorInterface.get_resource_filesystem().scan() # as when a person returns to the editor's window
	get_tree().quit()


func play() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning():
		await pause(0.2)
	EditorInterface.open_scene_from_path("res://game.tscn")
	await pause(1.0)
	EditorInterface.play_main_scene()
	await pause(6.0)
	var root := EditorInterface.get_edited_scene_root()
	var player := root.get_node("Player")
	var history := get_undo_redo()
	history.create_action("Move the player")
	history.add_do_property(player, "position", Vector2(31, 17))
	history.add_undo_property(player, "position", player.position)
	history.add_do_method(player, "set_z_index", 5)
	history.add_undo_method(player, "set_z_index", 0)
	history.commit_action()
	await pause(1.0)
	EditorInterface.stop_playing_scene()
	await pause(1.0)
	get_tree().quit()
