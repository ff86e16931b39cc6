# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# Writes down what a Godot 4 project's multiplayer packets leave out: the names of RPC methods, which travel as numbers,
# and of synchronized properties and spawned scenes, which travel as places in a list. Two files for the folder of a
# Wireshark profile, where the plugin reads them as the tables "Godot RPC names" and "Godot synchronized properties":
#
#     godot --headless --path PROJECT --script rpc_names.gd -- FOLDER
#
# FOLDER is that of the profile (Help > About Wireshark > Folders), absolute or below PROJECT. Without FOLDER the rows
# are printed. The exit status is 1 if something could not be read; what could be is written all the same.
#
# godot_rpc_names: a row for each script with RPC methods, inherited ones among them:
#     "res://player.gd","hit,move,take_damage","0123456789abcdef0123456789abcdef"
#   script      resource path; of a script inside a scene res://scene.tscn::ID
#   methods     names in the order of the engine, separated by commas: a method's number is its place, from 0
#   checksum    MD5 of the names in that order, put together: SIMPLIFY_PATH carries it
#
# godot_rpc_properties: rows for each MultiplayerSynchronizer and MultiplayerSpawner of each scene, in tree order:
#     "sync","res://player.tscn","Player/Synchronizer","Player","position,velocity"
#   kind        spawn   properties whose values a SPAWN carries, those of one synchronizer after those of another
#               sync    properties that a SYNC carries each time (replication mode "always")
#               delta   properties that a SYNC with the delta flag carries when they changed ("on change"): bit n of
#                       its mask is place n
#               scenes  scenes that a spawner can spawn: the index of a SPAWN is the place
#   scene       resource path of the scene that was searched
#   node        path of the synchronizer or spawner from the scene's root, whose name comes first. At run time an
#               instance may have another name than its scene's root, and other nodes above it.
#   root        path of the node whose properties these are (root_path), or below which is spawned (spawn_path)
#   names       properties as NodePaths from there, "position" for ".:position"; or scenes; separated by commas
# A list without entries has no row.
#
# Both are Wireshark's own format: a line for a row, strings in quotation marks, with \xHH for any byte that is a
# quotation mark, a backslash or no printable ASCII. What a game does to these lists while it runs (rpc_config on a node,
# add_spawnable_scene, a replication_config made by a script) is not here. Methods that it configures on a node can be
# added by hand, marked with a star, in a row with those of the node's script, if any: "Main/Door","*open,knock","". Scenes are instantiated but never
# enter the tree, so scripts run no further than _init.
#
# Needs Script.get_rpc_config of the engine (Godot 4.6 has it); C# scripts need the engine's .NET build.

const NAMES_FILE := "godot_rpc_names"
const PROPERTIES_FILE := "godot_rpc_properties"

var failed := false
var names: PackedStringArray = []      # rows
var properties: PackedStringArray = [] # rows
var seen_scripts := {}


func _initialize() -> void:
	if not ClassDB.class_has_method("Script", "get_rpc_config"):
		fail("this engine does not show a script's RPC methods (Script.get_rpc_config)")
	else:
		search("res://")
		names.sort()
		output()
	quit(1 if failed else 0)


func fail(reason: String) -> void:
	printerr("rpc_names.gd: " + reason)
	failed = true


func output() -> void:
	var arguments := OS.get_cmdline_user_args()
	if arguments.is_empty():
		print("# %s\n%s\n# %s\n%s" % [NAMES_FILE, "\n".join(names), PROPERTIES_FILE, "\n".join(properties)])
		return
	write(arguments[0].path_join(NAMES_FILE), names)
	write(arguments[0].path_join(PROPERTIES_FILE), properties)


func write(path: String, rows: PackedStringArray) -> void:
	var file := FileAccess.open(path, FileAccess.WRITE)
	if file == null:
		fail("cannot write " + path)
		return
	file.store_line("# Written by rpc_names.gd from %s" % ProjectSettings.get_setting("application/config/name", ""))
	for one in rows:
		file.store_line(one)


func row(fields: Array) -> String:
	return ",".join(fields.map(quoted))


func quoted(text: String) -> String:
	var result := "\""
	for byte in text.to_utf8_buffer():
		if byte < 0x20 or byte > 0x7e or byte == 0x22 or byte == 0x5c:
			result += "\\x%02x" % byte
		else:
			result += String.chr(byte)
	return result + "\""


# Names separated by commas; "" if there are none.
func list(entries: Array) -> String:
	for entry in entries:
		if "," in str(entry):
			fail("a name with a comma in it: %s" % entry)
	return ",".join(entries)


# --- the project's files ------------------------------------------------------------------------

func search(folder: String) -> void:
	for file in DirAccess.get_files_at(folder):
		var path := folder.path_join(file)
		if path.get_extension() in ["gd", "gdc", "cs"]:
			add_script(load(path) as Script, path)
		elif path.get_extension() in ["tscn", "scn"]:
			add_scene(load(path) as PackedScene, path)
	for below in DirAccess.get_directories_at(folder):
		if not below.begins_with("."):
			search(folder.path_join(below))


# --- RPC methods --------------------------------------------------------------------------------

func add_script(script: Script, path: String) -> void:
	if script == null:
		fail("cannot load " + path)
		return
	if seen_scripts.has(path):
		return
	seen_scripts[path] = true
	var methods := rpc_methods(script)
	if not methods.is_empty():
		names.append(row([path, list(methods), "".join(methods).md5_text()]))


# Sorted as the engine sorts them: as texts, by code points.
func rpc_methods(script: Script) -> PackedStringArray:
	var found := {}
	while script != null:
		var config = script.get_rpc_config()
		if config is Dictionary:
			for method in config:
				found[str(method)] = true
		script = script.get_base_script()
	var methods := PackedStringArray(found.keys())
	methods.sort()
	return methods


# --- synchronizers and spawners -----------------------------------------------------------------

func add_scene(scene: PackedScene, path: String) -> void:
	var root := scene.instantiate() if scene != null else null
	if root == null:
		fail("cannot load " + path)
		return
	add_node(path, root, root)
	root.free()


func add_node(scene: String, root: Node, node: Node) -> void:
	var script := node.get_script() as Script
	if script != null and "::" in script.resource_path:
		add_script(script, script.resource_path)
	if node is MultiplayerSynchronizer:
		add_synchronizer(scene, root, node)
	elif node is MultiplayerSpawner:
		add_spawner(scene, root, node)
	for child in node.get_children():
		add_node(scene, root, child)


# From the scene's root, whose name comes first; "" for what is not in the scene.
func path_in_scene(root: Node, node: Node) -> String:
	if node == root:
		return root.name
	if node == null or not root.is_ancestor_of(node):
		return ""
	return "%s/%s" % [root.name, root.get_path_to(node)]


func add_properties(kind: String, scene: String, root: Node, node: Node, of: NodePath, entries: Array) -> void:
	if not entries.is_empty():
		properties.append(row([kind, scene, path_in_scene(root, node), path_in_scene(root, node.get_node_or_null(of)),
			list(entries)]))


func add_synchronizer(scene: String, root: Node, node: MultiplayerSynchronizer) -> void:
	var config := node.replication_config
	if config == null:
		return
	var paths := config.get_properties()
	var of_mode := func(mode: int) -> Array:
		return paths.filter(func(path): return config.property_get_replication_mode(path) == mode)
	var modes := {
		"spawn": paths.filter(config.property_get_spawn),
		"sync": of_mode.call(SceneReplicationConfig.REPLICATION_MODE_ALWAYS),
		"delta": of_mode.call(SceneReplicationConfig.REPLICATION_MODE_ON_CHANGE),
	}
	for kind in modes:
		add_properties(kind, scene, root, node, node.root_path,
			modes[kind].map(func(path): return str(path).trim_prefix(".:")))


func add_spawner(scene: String, root: Node, node: MultiplayerSpawner) -> void:
	var scenes := range(node.get_spawnable_scene_count()).map(node.get_spawnable_scene)
	add_properties("scenes", scene, root, node, node.spawn_path, scenes)
