# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# What one process of a session called and received, one JSON object a line in GAMEWIRE_LOG; in a browser it is printed, for page.html.

static var file: FileAccess
static var process := OS.get_environment("GAMEWIRE_ROLE")
static var peer := 0


static func line(event: String, members: Dictionary) -> void:
	if file == null and not OS.has_feature("web"):
		file = FileAccess.open(OS.get_environment("GAMEWIRE_LOG"), FileAccess.WRITE)
	var entry := {"time": Time.get_unix_time_from_system(), "process": process, "peer": peer, "event": event}
	entry.merge(members)
	var text_of_entry := JSON.stringify(entry, "", false, true)
	if file == null:
		print("LOG ", text_of_entry)
		return
	file.store_line(text_of_entry)
	file.flush()


static func texts(values: Array) -> Array:
	return values.map(func(value): return text(value))


# var_to_str, but for what travels as an object's id: there the id.
static func text(value) -> String:
	if typeof(value) == TYPE_OBJECT and not is_instance_valid(value):
		return "null"
	if value is EncodedObjectAsID:
		return "object %d" % value.object_id
	if typeof(value) == TYPE_OBJECT:
		return "object %d" % value.get_instance_id()
	if typeof(value) == TYPE_SIGNAL and not value.is_null():
		return "signal %s of object %d" % [value.get_name(), value.get_object_id()]
	return var_to_str(value)


# As the engine names it on the wire: relative to the root of the tree.
static func path_of(node: Node) -> String:
	return str(node.get_path()).trim_prefix("/root/")


# Calls a method of a node at another peer, or with target 0 at all others.
static func send(node: Node, target: int, method: String, arguments := []) -> void:
	line("call", {"path": path_of(node), "method": method, "target": target, "arguments": texts(arguments)})
	if target == 0:
		node.callv("rpc", [method] + arguments)
	else:
		node.callv("rpc_id", [target, method] + arguments)


# From inside a method that was called so.
static func received(node: Node, method: String, arguments := []) -> void:
	line("received", {"path": path_of(node), "method": method,
		"source": node.multiplayer.get_remote_sender_id(), "arguments": texts(arguments)})
