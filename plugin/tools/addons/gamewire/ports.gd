# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
@tool
extends RefCounted

# The ports of a project's multiplayer peers: what create_server() and create_client() are called with in its scripts, and
# the project setting gamewire/ports (a number or an array of numbers, UDP).
#
# A port is found if it is written as a number, or as a constant, a variable or a parameter whose value in the script is a
# number, of this script, an autoload or a class; or as ProjectSettings.get_setting("…"). What the player enters, or what
# comes from the command line, is not found: such calls are in `unresolved`.

const SETTING := "gamewire/ports"
# A name may stand for another one, and so on.
const DEPTH := 8

var udp: Array[int] = []
var tcp: Array[int] = []
# Calls whose port is not found, as "res://net.gd:12".
var unresolved: PackedStringArray = []
# True if a script assigns a multiplayer peer: ENet then carries the multiplayer protocol.
var has_multiplayer := false

var identifier := RegEx.create_from_string("^[A-Za-z_][A-Za-z0-9_]*$")
var calls := RegEx.create_from_string("\\b(create_server|create_client|CreateServer|CreateClient)\\s*\\(")
var setting_call := RegEx.create_from_string("^ProjectSettings\\.get_setting(?:_with_override)?\\(\\s*&?\"([^\"]+)\"")
var websocket_url := RegEx.create_from_string("wss?://[^\"'/]*:(\\d+)")


# All of the project below `folder`; `is_left_out(folder)` says what is not searched.
func search(folder: String, is_left_out: Callable) -> void:
	if folder == "res://":
		add_setting()
	for file in DirAccess.get_files_at(folder):
		if file.get_extension() in ["gd", "cs"]:
			add_script(folder.path_join(file))
	for below in DirAccess.get_directories_at(folder):
		if not is_left_out.call(folder.path_join(below)):
			search(folder.path_join(below), is_left_out)


func add_setting() -> void:
	var value = ProjectSettings.get_setting(SETTING, [])
	for port in value if value is Array or value is PackedInt32Array else [value]:
		add(udp, int(port))


func add(ports: Array[int], port: int) -> void:
	if port > 0 and port < 65536 and port not in ports:
		ports.append(port)
		ports.sort()


func add_script(path: String) -> void:
	var text := FileAccess.get_file_as_string(path)
	has_multiplayer = has_multiplayer or "multiplayer_peer" in text or "MultiplayerPeer =" in text
	if calls.search(text) == null:
		return
	text = without_comments(text)
	for found in calls.search_all(text):
		# "func create_server(" is the definition of another function of this name.
		if not text.substr(0, found.get_start()).strip_edges(false).ends_with("func"):
			add_call(path, text, found)


func add_call(path: String, text: String, found: RegExMatch) -> void:
	var arguments := arguments_at(text, found.get_end())
	var is_client := found.get_string(1).to_lower().ends_with("client")
	var url := websocket_url.search(arguments[0])
	if url != null:
		add(tcp, url.get_string(1).to_int())
		return
	var is_url := "ws://" in arguments[0] or "wss://" in arguments[0]
	var place := 1 if is_client else 0
	var port := 0
	if not is_url and arguments.size() > place:
		port = value_of(arguments[place], path, text.substr(0, found.get_start()), DEPTH)
	if port == 0:
		# The port of a WebSocket client is often put together; the server's is the same.
		if not is_url and not (is_client and arguments.size() == 1):
			unresolved.append("%s:%d" % [path, text.count("\n", 0, found.get_start()) + 1])
		return
	if "ENet" in text or "WebSocket" not in text:
		add(udp, port)
	if "WebSocket" in text and not is_client:
		add(tcp, port)


# --- source text --------------------------------------------------------------------------------

# Comments as blanks: lines and columns stay.
func without_comments(text: String) -> String:
	var result := text
	var quote := ""
	var i := 0
	while i < text.length():
		var c := text[i]
		if quote != "":
			if c == "\\":
				i += 1
			elif text.substr(i, quote.length()) == quote:
				i += quote.length() - 1
				quote = ""
		elif text.substr(i, 3) in ["\"\"\"", "'''"]:
			quote = text.substr(i, 3)
			i += 2
		elif c == "\"" or c == "'":
			quote = c
		elif c == "#" or text.substr(i, 2) == "//":
			var end := text.find("\n", i)
			end = text.length() if end < 0 else end
			result = result.substr(0, i) + " ".repeat(end - i) + result.substr(end)
			i = end
		i += 1
	return result


# The arguments of a call, from after its "(".
func arguments_at(text: String, start: int) -> PackedStringArray:
	var arguments: PackedStringArray = [""]
	var depth := 0
	var quote := ""
	for i in range(start, text.length()):
		var c := text[i]
		if quote != "":
			quote = "" if c == quote else quote
		elif c == "\"" or c == "'":
			quote = c
		elif c in "([{":
			depth += 1
		elif c in ")]}":
			if depth == 0:
				break
			depth -= 1
		elif c == "," and depth == 0:
			arguments.append("")
			continue
		arguments[-1] += c
	return arguments


# --- values -------------------------------------------------------------------------------------

# The number that an expression of a script stands for, or 0. `before` is the script's text up to there.
func value_of(expression: String, path: String, before: String, depth: int) -> int:
	var name := expression.strip_edges().trim_prefix("self.").trim_prefix("this.")
	var number := name.replace("_", "")
	if number.is_valid_int():
		return number.to_int()
	if number.begins_with("0x") and number.is_valid_hex_number(true):
		return number.hex_to_int()
	var setting := setting_call.search(name)
	if setting != null:
		return number_in(ProjectSettings.get_setting(setting.get_string(1), 0))
	if depth == 0:
		return 0
	if "." in name:
		return member(name.get_slice(".", 0), name.get_slice(".", 1), path) if name.get_slice_count(".") == 2 else 0
	if identifier.search(name) == null:
		return 0
	# A parameter's default or a local variable of the function, then what belongs to the script.
	var assigned := last_assigned(name, before)
	if assigned != "":
		return value_of(assigned, path, before.substr(0, before.rfind("\nfunc ")), depth - 1)
	return member_of(load(path) as Script, name) if path.get_extension() == "gd" else 0


# What a parameter or a variable of the function at the end of `before` is set to first, or a script's variable in C#.
func last_assigned(name: String, before: String) -> String:
	var function := before.substr(maxi(before.rfind("\nfunc "), 0))
	var assignment := RegEx.create_from_string("\\b%s\\s*(?::\\s*\\w+\\s*)?:?=\\s*([^,)\\n;=]+)" % name)
	var found := assignment.search(function)
	return found.get_string(1).strip_edges() if found != null else ""


# NAME.MEMBER of an autoload, a class or a constant that is a script.
func member(name: String, of: String, path: String) -> int:
	var script := named_script(name)
	if script == null and path.get_extension() == "gd":
		var own := load(path) as Script
		script = own.get_script_constant_map().get(name) as Script if own != null else null
	return member_of(script, of)


func named_script(name: String) -> Script:
	var autoload: String = str(ProjectSettings.get_setting("autoload/" + name, "")).trim_prefix("*")
	if autoload != "":
		var resource := load(autoload)
		return root_script(resource) if resource is PackedScene else resource as Script
	for entry in ProjectSettings.get_global_class_list():
		if entry["class"] == name:
			return load(entry.path) as Script
	return null


func root_script(scene: PackedScene) -> Script:
	var state := scene.get_state()
	for i in state.get_node_property_count(0):
		if state.get_node_property_name(0, i) == "script":
			return state.get_node_property_value(0, i) as Script
	return null


func member_of(script: Script, name: String) -> int:
	while script != null:
		var constants := script.get_script_constant_map()
		if constants.has(name):
			return number_in(constants[name])
		var value = script.get_property_default_value(name)
		if value != null:
			return number_in(value)
		script = script.get_base_script()
	return 0


func number_in(value) -> int:
	return int(value) if value is int or value is float or (value is String and value.is_valid_int()) else 0
