# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
@tool
extends EditorPlugin

# Writes the names of the project's RPC methods, synchronized properties and spawned scenes, and its ports, into a profile of
# Wireshark whenever something is saved or the project is run; and records or captures the game (Project > Tools > Gamewire).
#
# The names are written by rpc_names.gd in a process of its own: it loads every script and scene, and the editor goes on. The
# profile is asked for once in each project, and kept in the project's .godot folder.

const Ports := preload("ports.gd")
const Wireshark := preload("wireshark.gd")
const Live := preload("live.gd")

const MENU := "Gamewire"
const SECTION := "gamewire"
const KEY := "profile_folder"
# The engine reports an error where a key is missing and the default is null.
const UNASKED := "?"
const WRITER := "rpc_names.gd"
const AUTOLOAD := "Gamewire"
const AUTOLOAD_SCRIPT := "gamewire.gd"
# Several files that are saved at once are one reason to write.
const DELAY := 0.5
# Wireshark needs a moment until it captures; after this time the game starts without waiting any longer.
const PATIENCE := 30.0

enum Item { RECORD, CAPTURE, CAPTURE_NETWORK, WRITE, PROFILE }

signal written(success: bool)

var menu: PopupMenu
var dialog: ConfirmationDialog
var choice: OptionButton
var timer: Timer
var thread: Thread
var again := false
var last_output := ""


func _enter_tree() -> void:
	name = "GamewirePlugin"
	timer = Timer.new()
	timer.one_shot = true
	timer.wait_time = DELAY
	timer.timeout.connect(write_names)
	add_child(timer)
	menu = PopupMenu.new()
	menu.add_item("Record This Game", Item.RECORD)
	menu.add_item("Capture This Game", Item.CAPTURE)
	menu.add_item("Capture This Game on the Network", Item.CAPTURE_NETWORK)
	menu.add_separator()
	menu.add_item("Write Names Now", Item.WRITE)
	menu.add_item("Wireshark Profile…", Item.PROFILE)
	menu.id_pressed.connect(choose)
	add_tool_submenu_item(MENU, menu)
	scene_saved.connect(func(_path): write_soon())
	resource_saved.connect(func(_resource): write_soon())
	ProjectSettings.settings_changed.connect(write_soon)
	make_dialog()
	if is_unasked():
		ask.call_deferred()


func _exit_tree() -> void:
	ProjectSettings.settings_changed.disconnect(write_soon)
	remove_tool_menu_item(MENU)
	dialog.queue_free()
	if thread != null:
		thread.wait_to_finish()


func _enable_plugin() -> void:
	add_autoload()


func _disable_plugin() -> void:
	remove_autoload_singleton(AUTOLOAD)


# The editor calls it before it runs the project.
func _build() -> bool:
	write_soon()
	return true


func choose(item: int) -> void:
	match item:
		Item.RECORD:
			record()
		Item.CAPTURE:
			capture([Wireshark.loopback()])
		Item.CAPTURE_NETWORK:
			capture(Wireshark.network_interfaces())
		Item.WRITE:
			if profile_folder() == "":
				ask()
			else:
				write_names()
		Item.PROFILE:
			ask()


# --- the profile --------------------------------------------------------------------------------

# "" if the person wants no names to be written.
func profile_folder() -> String:
	var folder := OS.get_environment(Wireshark.PROFILE_VARIABLE)
	if folder != "":
		return folder
	return EditorInterface.get_editor_settings().get_project_metadata(SECTION, KEY, "")


func is_unasked() -> bool:
	return (OS.get_environment(Wireshark.PROFILE_VARIABLE) == ""
		and EditorInterface.get_editor_settings().get_project_metadata(SECTION, KEY, UNASKED) == UNASKED)


func make_dialog() -> void:
	dialog = ConfirmationDialog.new()
	dialog.title = "Gamewire"
	# It appears while the project's settings are open, in which the addon was enabled, and whose window is exclusive.
	dialog.exclusive = false
	dialog.ok_button_text = "Write Names"
	dialog.cancel_button_text = "No"
	var box := VBoxContainer.new()
	var label := Label.new()
	label.text = ("Gamewire writes the names of this project's RPC methods, synchronized properties and scenes,\n"
		+ "and its ports, into a profile of Wireshark, whenever the project is saved or run.\n\nProfile:")
	box.add_child(label)
	choice = OptionButton.new()
	box.add_child(choice)
	dialog.add_child(box)
	dialog.confirmed.connect(func(): answer(Wireshark.profiles_folder().path_join(choice.get_item_text(choice.selected))))
	dialog.canceled.connect(func(): answer(""))
	EditorInterface.get_base_control().add_child(dialog)


func ask() -> void:
	choice.clear()
	for profile in Wireshark.profiles():
		choice.add_item(profile)
		if profile == (profile_folder().get_file() if profile_folder() != "" else Wireshark.PROFILE):
			choice.select(choice.item_count - 1)
	dialog.popup_centered()


func answer(folder: String) -> void:
	EditorInterface.get_editor_settings().set_project_metadata(SECTION, KEY, folder)
	if folder != "":
		write_names()


# --- names --------------------------------------------------------------------------------------

func write_soon() -> void:
	if profile_folder() != "":
		timer.start()


# Emits `written` at the end. While names are being written, those that change are written after that.
func write_names() -> void:
	var folder := profile_folder()
	if folder == "":
		written.emit(false)
		return
	if thread != null:
		again = true
		return
	if not Wireshark.make_profile(folder):
		push_error("Gamewire: cannot make the folder %s" % folder)
		written.emit(false)
		return
	var script: String = get_script().resource_path.get_base_dir().path_join(WRITER)
	thread = Thread.new()
	thread.start(run_writer.bind(["--headless", "--path", ProjectSettings.globalize_path("res://"), "--script", script, "--", folder]))


# In the thread: waits for the process.
func run_writer(arguments: PackedStringArray) -> void:
	var output := []
	var status := OS.execute(OS.get_executable_path(), arguments, output, true)
	end_of_writer.call_deferred(status, "".join(output))


func end_of_writer(status: int, output: String) -> void:
	thread.wait_to_finish()
	thread = null
	# The engine's own lines are before the script's. A run that says what the one before said says nothing.
	var lines := Array(output.split("\n")).filter(func(line): return line.begins_with(WRITER))
	output = output if status != 0 else "\n".join(lines)
	if output != last_output:
		last_output = output
		if status == 0:
			print(output)
		else:
			push_error("Gamewire: some names could not be written:\n" + output)
	if again:
		again = false
		write_names()
	else:
		written.emit(status == 0)


# --- recording ----------------------------------------------------------------------------------

func add_autoload() -> void:
	if not ProjectSettings.has_setting("autoload/" + AUTOLOAD):
		add_autoload_singleton(AUTOLOAD, get_script().resource_path.get_base_dir().path_join(AUTOLOAD_SCRIPT))


# Runs the project, whose games give their messages to readers, and then starts Wireshark as a reader of all of them.
func record() -> void:
	add_autoload()
	if EditorInterface.is_playing_scene():
		EditorInterface.stop_playing_scene()
		while EditorInterface.is_playing_scene():
			await get_tree().process_frame
	OS.set_environment("GAMEWIRE_LIVE", "%s:%d" % [Live.ADDRESS, Live.PORT])
	EditorInterface.play_main_scene()
	OS.unset_environment("GAMEWIRE_LIVE")
	var ports := await listening_ports()
	if ports.is_empty():
		push_error("Gamewire: the game does not record; is the autoload %s in Project Settings > Globals?" % AUTOLOAD)
		return
	var arguments := Wireshark.profile_arguments(profile_folder())
	arguments.append("-k")
	for port in ports:
		arguments.append_array(["-i", "TCP@%s:%d" % [Live.ADDRESS, port]])
	start_wireshark(arguments)


# Further instances of the game listen on the ports after the first one; each has a moment to start.
func listening_ports() -> Array[int]:
	var found: Array[int] = []
	var waited := 0.0
	while waited < (PATIENCE if found.is_empty() else 1.0) and (EditorInterface.is_playing_scene() or found.is_empty()):
		if await is_listening(Live.PORT + found.size()):
			found.append(Live.PORT + found.size())
			waited = 0.0
		else:
			await get_tree().create_timer(0.2).timeout
			waited += 0.2
	return found


func is_listening(port: int) -> bool:
	var connection := StreamPeerTCP.new()
	if connection.connect_to_host(Live.ADDRESS, port) != OK:
		return false
	for i in 20:
		connection.poll()
		if connection.get_status() != StreamPeerTCP.STATUS_CONNECTING:
			break
		await get_tree().create_timer(0.05).timeout
	var result := connection.get_status() == StreamPeerTCP.STATUS_CONNECTED
	connection.disconnect_from_host()
	return result


func start_wireshark(arguments: PackedStringArray) -> bool:
	print("Gamewire: %s %s" % [Wireshark.program(), " ".join(arguments)])
	if OS.create_process(Wireshark.program(), arguments) >= 0:
		return true
	push_error("Gamewire: cannot start %s; the environment variable %s names another program"
		% [Wireshark.program(), Wireshark.PROGRAM_VARIABLE])
	return false


# --- capturing ----------------------------------------------------------------------------------

# Starts Wireshark, and then the game: names, numbers of paths and connections are in its first packets.
func capture(interfaces: PackedStringArray) -> void:
	if profile_folder() != "":
		write_names()
		await written
	var ports := Ports.new()
	ports.search("res://", func(folder): return folder.get_file().begins_with("."))
	var folder := OS.get_user_data_dir().path_join("captures")
	DirAccess.make_dir_recursive_absolute(folder)
	var file := folder.path_join("game-%s.pcapng" % Time.get_datetime_string_from_system().replace(":", "-"))
	var profile := Wireshark.profile_arguments(profile_folder())
	var arguments := Wireshark.arguments(profile, interfaces, Wireshark.capture_filter(ports.udp, ports.tcp), file, key_log(folder))
	if not start_wireshark(arguments):
		return
	var waited := 0.0
	while not FileAccess.file_exists(file) and waited < PATIENCE:
		await get_tree().create_timer(0.1).timeout
		waited += 0.1
	if not EditorInterface.is_playing_scene():
		EditorInterface.play_main_scene()


# The file for the keys of encrypted connections, which the games that the editor starts inherit in their environment: an engine
# that writes keys, or a browser, does it there (plugin/docs/capturing.md).
func key_log(folder: String) -> String:
	if not OS.is_debug_build():
		return ""
	for variable in ["SSLKEYLOGFILE", "GAMEWIRE_KEYS"]:
		if OS.get_environment(variable) == "":
			OS.set_environment(variable, folder.path_join("keys.txt"))
	var keys := OS.get_environment("SSLKEYLOGFILE")
	if not FileAccess.file_exists(keys):
		FileAccess.open(keys, FileAccess.WRITE)
	return keys
