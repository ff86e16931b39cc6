# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
@tool
extends EditorPlugin

# Does what a person does in the editor, as DRIVER_STEPS says: a list of the functions below. Each prints what it saw.

var gamewire: Node


func _enter_tree() -> void:
	drive.call_deferred()


func pause(seconds: float) -> void:
	await get_tree().create_timer(seconds).timeout


func drive() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning():
		await pause(0.2)
	await pause(1.0)
	gamewire = get_tree().root.find_child("GamewirePlugin", true, false)
	for step in OS.get_environment("DRIVER_STEPS").split(","):
		await call(step)
	get_tree().quit()


func asks() -> void:
	print("driver: asks %s" % gamewire.dialog.visible)


func refuse() -> void:
	gamewire.dialog.get_cancel_button().pressed.emit()


func accept() -> void:
	gamewire.dialog.get_ok_button().pressed.emit()
	await gamewire.written


func choose_profile() -> void:
	gamewire.menu.id_pressed.emit(gamewire.Item.PROFILE)
	print("driver: asks %s" % gamewire.dialog.visible)


func save() -> void:
	EditorInterface.open_scene_from_path("res://world.tscn")
	await pause(0.5)
	EditorInterface.get_edited_scene_root().get_node("Hero").position.x += 1.0
	EditorInterface.mark_scene_as_unsaved()
	EditorInterface.save_scene()
	print("driver: saved, written %s" % await gamewire.written)


# As with an editor of another program.
func rename_method() -> void:
	var names := FileAccess.get_file_as_string(gamewire.profile_folder().path_join("godot_rpc_names"))
	print("driver: had " + names.strip_edges().get_slice("\n", 1))
	var text := FileAccess.get_file_as_string("res://world.gd").replace("take_damage", "take_hit")
	FileAccess.open("res://world.gd", FileAccess.WRITE).store_string(text)


func add_broken_script() -> void:
	FileAccess.open("res://broken.gd", FileAccess.WRITE).store_string("extends Nothing\n")


func save_without_names() -> void:
	EditorInterface.open_scene_from_path("res://world.tscn")
	await pause(0.5)
	EditorInterface.save_scene()
	await pause(2.0)


func run() -> void:
	EditorInterface.play_main_scene()
	print("driver: run, written %s" % await gamewire.written)
	await end_of_game()


func capture() -> void:
	gamewire.menu.id_pressed.emit(gamewire.Item.CAPTURE)
	while not EditorInterface.is_playing_scene():
		await pause(0.1)
	await end_of_game()
	print("driver: captured")


# Enables the addon, which adds the autoload, and chooses the first item of its menu.
func record() -> void:
	EditorInterface.set_plugin_enabled("gamewire", false)
	print("driver: autoload %s" % ProjectSettings.has_setting("autoload/Gamewire"))
	EditorInterface.set_plugin_enabled("gamewire", true)
	print("driver: autoload %s" % ProjectSettings.has_setting("autoload/Gamewire"))
	await pause(0.5)
	gamewire = get_tree().root.find_child("GamewirePlugin", true, false)
	gamewire.menu.id_pressed.emit(gamewire.Item.RECORD)
	while not EditorInterface.is_playing_scene():
		await pause(0.1)
	await end_of_game()
	print("driver: recorded")


func end_of_game() -> void:
	while EditorInterface.is_playing_scene():
		await pause(0.1)
