# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Reference

# What one process of a session called and received, one JSON object a line in GAMEWIRE_LOG.


# Godot 3 has no static variables: the file is kept with the engine.
static func file():
	if not Engine.has_meta("log"):
		var opened = File.new()
		opened.open(OS.get_environment("GAMEWIRE_LOG"), File.WRITE)
		Engine.set_meta("log", opened)
	return Engine.get_meta("log")


static func line(event, members):
	var entry = {"milliseconds": OS.get_system_time_msecs(), "process": OS.get_environment("GAMEWIRE_ROLE"),
		"peer": Engine.get_meta("peer") if Engine.has_meta("peer") else 0, "event": event}
	for key in members:
		entry[key] = members[key]
	file().store_line(JSON.print(entry))


static func texts(values):
	var all = []
	for value in values:
		all.append(text(value))
	return all


# var2str, but for what travels as an object's id: there the id.
static func text(value):
	if value is EncodedObjectAsID:
		return "object %d" % value.get_object_id()
	if typeof(value) == TYPE_OBJECT and value != null:
		return "object %d" % value.get_instance_id()
	return var2str(value)


# As the engine names it on the wire: relative to the root of the tree.
static func path_of(node):
	return str(node.get_path()).trim_prefix("/root/")


# Calls a method of a node at another peer, or with target 0 at all others. how: "" or "_unreliable".
static func send(node, target, method, arguments = [], how = ""):
	line("call", {"path": path_of(node), "method": method, "target": target, "arguments": texts(arguments)})
	if target == 0:
		node.callv("rpc" + how, [method] + arguments)
	else:
		node.callv("rpc" + how + "_id", [target, method] + arguments)


# Sets a property of a node at another peer, or with target 0 at all others.
static func set_remote(node, target, property, value, how = ""):
	line("set", {"path": path_of(node), "property": property, "target": target, "value": text(value)})
	if target == 0:
		node.callv("rset" + how, [property, value])
	else:
		node.callv("rset" + how + "_id", [target, property, value])


# From inside a method that was called so.
static func received(node, method, arguments = []):
	line("received", {"path": path_of(node), "method": method,
		"source": node.get_tree().get_rpc_sender_id(), "arguments": texts(arguments)})
