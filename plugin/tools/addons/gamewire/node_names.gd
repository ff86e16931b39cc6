# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# The names that a running game has and its messages do not contain, from the nodes that enter its tree: as entries of the names
# record (plugin/docs/recording.md), each once.

const Names := preload("names.gd")

enum Kind { METHODS = 1, SPAWN, SYNC, DELTA, SCENES, PLAYER }
const KINDS := { "spawn": Kind.SPAWN, "sync": Kind.SYNC, "delta": Kind.DELTA }
const MOST_OF_ENTRY := 0xFFFF
const MOST_ENTRIES := 4096

var entries: Array[PackedByteArray] = []
var has_news := false
var nodes: Array = []   # that have entered the tree since the last collection
var seen := {}
var scripts := {}       # script: whether it has RPC methods
var root_names := {}    # scene: name of its root


# Every node of the tree, and those that enter it later; both in the order of the tree, in which the values of a spawn's synchronizers are.
func watch(tree: SceneTree) -> void:
	tree.node_added.connect(add_node)
	var all: Array[Node] = [tree.root]
	while not all.is_empty():
		var node: Node = all.pop_back()
		add_node(node)
		var below := node.get_children(true)
		below.reverse()
		all.append_array(below)


# A node's configuration may follow in its _ready: it is read when the next message is written.
func add_node(node: Node) -> void:
	var script = node.get_script()
	if (script != null and not scripts.has(script)) or node is MultiplayerSynchronizer or node is MultiplayerSpawner:
		nodes.append(node)
		has_news = true


func collect() -> void:
	has_news = false
	var waiting := nodes
	nodes = []
	for node in waiting:
		if not is_instance_valid(node) or not node.is_inside_tree():
			continue
		add_methods(node)
		if node is MultiplayerSynchronizer:
			add_synchronizer(node)
		elif node is MultiplayerSpawner:
			add_spawner(node)


func add(kind: Kind, texts: Array) -> void:
	var content := PackedByteArray()
	for text in texts:
		var bytes := str(text).to_utf8_buffer()
		content.append_array(PackedByteArray([bytes.size() & 255, bytes.size() >> 8 & 255]))
		content.append_array(bytes)
	var size := content.size()
	var entry := PackedByteArray([kind, size & 255, size >> 8]) + content
	if seen.has(entry) or size > MOST_OF_ENTRY or entries.size() >= MOST_ENTRIES:
		return
	seen[entry] = true
	entries.append(entry)


func add_player(id: int, name: String) -> void:
	add(Kind.PLAYER, [id, name])


# --- methods ------------------------------------------------------------------------------------

# The engine counts those that are configured on a node before those of its script, and the checksum has them in this order.
func add_methods(node: Node) -> void:
	var script := node.get_script() as Script
	var own := Names.methods_of_node(node)
	if own.is_empty() and (script == null or scripts.has(script)):
		return
	var methods := Names.methods_of(script) if script != null else PackedStringArray()
	if script != null:
		scripts[script] = not methods.is_empty()
	if own.is_empty() and methods.is_empty():
		return
	add(Kind.METHODS, [name_of(script, node)] + Array(own).map(func(method): return "*" + method) + Array(methods))


func name_of(script: Script, node: Node) -> String:
	if script == null or script.resource_path == "":
		return str(node.get_path())
	return script.resource_path


# --- synchronizers and spawners -----------------------------------------------------------------

# The scene, and the paths of nodes in it, whose first name is that of the scene's root in its file. A node that a script has made
# has the path in the game in place of a scene.
func places(node: Node, others: Array) -> Array:
	var root := node.owner
	if root == null or root.scene_file_path == "":
		return [node.get_path(), node.get_path()] + others.map(func(other): return other.get_path() if other != null else "")
	var scene := root.scene_file_path
	if not root_names.has(scene):
		var packed := load(scene) as PackedScene
		root_names[scene] = packed.get_state().get_node_name(0) if packed != null else root.name
	var path_of := func(other: Node) -> String:
		if other == root:
			return root_names[scene]
		return "%s/%s" % [root_names[scene], root.get_path_to(other)] if other != null and root.is_ancestor_of(other) else ""
	return [scene, path_of.call(node)] + others.map(path_of)


func add_synchronizer(node: MultiplayerSynchronizer) -> void:
	var place := places(node, [node.get_node_or_null(node.root_path)])
	var key := "%s %s" % [place[0], place[1]]
	if seen.has(key):
		return
	var lists := Names.properties_of(node)
	for kind in lists:
		var pairs := []
		for i in lists[kind][0].size():
			pairs.append_array([lists[kind][0][i], lists[kind][1][i]])
		add(KINDS[kind], place + pairs)
	if not lists.is_empty():
		seen[key] = true


func add_spawner(node: MultiplayerSpawner) -> void:
	add(Kind.SCENES, places(node, [node.get_node_or_null(node.spawn_path)]) + Names.scenes_of(node))
