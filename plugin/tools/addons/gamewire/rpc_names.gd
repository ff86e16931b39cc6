# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# Writes the names that the multiplayer packets of a Godot 4 project do not contain: those of RPC methods, which are
# sent as numbers, and of synchronized properties and spawned scenes, which are sent as positions in a list. Two files
# for the folder of a Wireshark profile, where the plugin reads them as the tables "Godot RPC names" and "Godot
# synchronized properties"; and the ports of its servers, as rows of the profile's Decode As:
#
#     godot --headless --path PROJECT --script rpc_names.gd -- FOLDER
#
# FOLDER is that of the profile (Help > About Wireshark > Folders), absolute or below PROJECT. A line for each file says
# how many rows were written to it. Without FOLDER the rows are printed. The exit status is 1 if something could not be
# read; what could be is written all the same. In the editor, plugin.gd runs this script.
#
# godot_rpc_names: a row for each script and inner class with RPC methods, inherited ones among them:
#     "res://player.gd","hit,move,take_damage","0123456789abcdef0123456789abcdef"
#   script      resource path; of a script inside a scene res://scene.tscn::ID, of an inner class res://player.gd.Class
#   methods     names in the order of the engine, separated by commas: a method's number is its place, from 0
#   checksum    MD5 of the names in that order, put together: SIMPLIFY_PATH carries it
#
# godot_rpc_properties: rows for each MultiplayerSynchronizer and MultiplayerSpawner of each scene, in tree order:
#     "sync","res://player.tscn","Player/Synchronizer","Player","position,velocity","Vector2,Vector2"
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
#   types       of the properties, as the engine names them; Variant where it is not fixed
# A list without entries has no row, but for that of a spawner: it may spawn by a function of the game's.
#
# decode_as_entries: for each UDP port of the game (ports.gd says how they are found) ENet, and in ENet the multiplayer
# protocol, if a script has a multiplayer peer. Other rows of the file stay.
#
# The first two are Wireshark's own format: a line for a row, strings in quotation marks, with \xHH for any byte that is a
# quotation mark, a backslash or no printable ASCII. What a game does to these lists while it runs (rpc_config on a node,
# add_spawnable_scene, a replication_config made by a script) is not here. Methods that it configures on a node can be
# added by hand, marked with a star, in a row with those of the node's script, if any: "Main/Door","*open,knock","".
#
# What runs of the project: _init of the scripts of its scenes, which are instantiated but never enter the tree, and static
# initializers. Its autoloads do not run: empty nodes take their places.
#
# The editor must have imported the project: godot --headless --path PROJECT --import. Otherwise scripts that preload
# pictures or sounds have an error, and no row.
#
# Runs in Godot 4.3 and later. The names of RPC methods need Script.get_rpc_config of the engine, which 4.3 lacks (GH-96024): there
# this script says so and leaves godot_rpc_names as it is. So that 4.3 can read this script, the method is called by its name, and
# nothing else here is newer than 4.3. C# scripts need the engine's .NET build.

# The folder of the editor's script templates, which are not scripts (_BASE_ stands for a class), and its setting.
const TEMPLATES := "res://script_templates"
const TEMPLATES_SETTING := "editor/script/templates_search_path"
# The editor imports nothing from a folder with this file.
const IGNORED := ".gdignore"

const NAMES_FILE := "godot_rpc_names"
const PROPERTIES_FILE := "godot_rpc_properties"
const PORTS_FILE := "decode_as_entries"

# By their paths, as these files need not be in the project.
var Ports: GDScript = load(get_script().resource_path.get_base_dir().path_join("ports.gd"))
var Names: GDScript = load(get_script().resource_path.get_base_dir().path_join("names.gd"))

var failed := false
var names: PackedStringArray = []      # rows
var properties: PackedStringArray = [] # rows
var ports: PackedStringArray = []      # rows
var seen_scripts := {}
var autoloads := {}     # settings
var empty_script := "user://gamewire-%d.gd" % OS.get_process_id() # removed when the autoloads are made
var has_methods: bool = ClassDB.class_has_method("Script", Names.RPC_CONFIG)


# The engine makes the autoloads after this object, and lets them enter the tree before _initialize.
func _init() -> void:
	var file := FileAccess.open(empty_script, FileAccess.WRITE)
	if file == null:
		return
	file.store_line("extends Node")
	file.close()
	for setting in ProjectSettings.get_property_list():
		var key: String = setting.name
		if key.begins_with("autoload/") or key.begins_with("autoload_prepend/"):
			autoloads[key] = ProjectSettings.get_setting(key)
			var singleton: bool = str(autoloads[key]).begins_with("*")
			ProjectSettings.set_setting(key, ("*" if singleton else "") + empty_script)


func _initialize() -> void:
	for key in autoloads: # scripts are compiled with the types of the real ones
		ProjectSettings.set_setting(key, autoloads[key])
	if FileAccess.file_exists(empty_script):
		DirAccess.remove_absolute(empty_script)
	if not has_methods:
		fail("Godot %s does not tell which methods of a script are RPC methods (Script.%s, from 4.4 on): their names are not written"
			% [Engine.get_version_info().string, Names.RPC_CONFIG])
	search("res://")
	names.sort()
	search_ports()
	output()
	quit(1 if failed else 0)


func fail(reason: String) -> void:
	printerr("rpc_names.gd: " + reason)
	failed = true


func output() -> void:
	var arguments := OS.get_cmdline_user_args()
	if arguments.is_empty():
		for part in [[NAMES_FILE, names], [PROPERTIES_FILE, properties], [PORTS_FILE, ports]]:
			print("# %s\n%s" % [part[0], "\n".join(part[1])])
		return
	var head := PackedStringArray(["# Written by rpc_names.gd from %s" % ProjectSettings.get_setting("application/config/name", "")])
	if has_methods:
		write(arguments[0].path_join(NAMES_FILE), head + names, "a script or class with RPC methods each")
	write(arguments[0].path_join(PROPERTIES_FILE), head + properties, "a list of properties or of spawnable scenes each")
	var ports_path := arguments[0].path_join(PORTS_FILE)
	if not ports.is_empty():
		write(ports_path, other_rows(ports_path) + ports, "%d of them for this project's ports" % ports.size())


# What the file has besides the rows of these ports.
func other_rows(path: String) -> PackedStringArray:
	var port_of := func(line: String) -> String: return ",".join(line.split(",").slice(0, 2))
	var again := Array(ports).map(port_of)
	var lines := FileAccess.get_file_as_string(path).split("\n", false) if FileAccess.file_exists(path) else PackedStringArray()
	return PackedStringArray(Array(lines).filter(func(line): return port_of.call(line) not in again))


func write(path: String, rows: PackedStringArray, what: String) -> void:
	var file := FileAccess.open(path, FileAccess.WRITE)
	if file == null:
		fail("cannot write " + path)
		return
	for one in rows:
		file.store_line(one)
	file.flush()
	if file.get_error() != OK:
		fail("cannot write " + path)
		return
	var count := Array(rows).filter(func(one): return not one.begins_with("#")).size()
	print("rpc_names.gd: wrote %d rows (%s) to %s" % [count, what, path])


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
		if not is_left_out(folder.path_join(below)):
			search(folder.path_join(below))


func is_left_out(folder: String) -> bool:
	return (folder.get_file().begins_with(".") or FileAccess.file_exists(folder.path_join(IGNORED))
			or folder == ProjectSettings.get_setting(TEMPLATES_SETTING, TEMPLATES))


# --- ports --------------------------------------------------------------------------------------

func search_ports() -> void:
	var found = Ports.new()
	found.search("res://", is_left_out)
	for port in found.udp:
		ports.append("decode_as_entry: udp.port,%d,(none),ENet" % port)
		if found.has_multiplayer:
			ports.append("decode_as_entry: enet.port,%d,(none),GodotMP" % port)
	for place in found.unresolved:
		print("rpc_names.gd: the port at %s is not a number in the project; the project setting %s may have it"
			% [place, Ports.SETTING])


# --- RPC methods --------------------------------------------------------------------------------

func add_script(script: Script, path: String) -> void:
	# A script with an error loads, without methods.
	if script == null or script is GDScript and not script.can_instantiate():
		fail("cannot load " + path)
		return
	if seen_scripts.has(path):
		return
	seen_scripts[path] = true
	var methods: PackedStringArray = Names.methods_of(script)
	if not methods.is_empty():
		names.append(row([path, list(methods), "".join(methods).md5_text()]))
	add_inner_classes(script, path)


# A constant may also be a script of a file, which has a row of its own.
func add_inner_classes(script: Script, path: String) -> void:
	var constants := script.get_script_constant_map()
	for constant in constants:
		if constants[constant] is Script and constants[constant].resource_path.is_empty():
			add_script(constants[constant], "%s.%s" % [path, constant])


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


func add_properties(kind: String, scene: String, root: Node, node: Node, of: NodePath, entries: Array,
		types: Array) -> void:
	properties.append(row([kind, scene, path_in_scene(root, node), path_in_scene(root, node.get_node_or_null(of)),
		list(entries), list(types)]))


func add_synchronizer(scene: String, root: Node, node: MultiplayerSynchronizer) -> void:
	var lists: Dictionary = Names.properties_of(node)
	for kind in lists:
		add_properties(kind, scene, root, node, node.root_path, lists[kind][0], lists[kind][1])


func add_spawner(scene: String, root: Node, node: MultiplayerSpawner) -> void:
	add_properties("scenes", scene, root, node, node.spawn_path, Names.scenes_of(node), [])
