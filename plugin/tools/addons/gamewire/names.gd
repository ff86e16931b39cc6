# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# The names of RPC methods, synchronized properties and scenes that scripts and nodes have, for rpc_names.gd and node_names.gd.

# The engine has it from 4.4 on (GH-96024).
const RPC_CONFIG := "get_rpc_config"
const NODE_RPC_CONFIG := "get_node_rpc_config"


# Sorted as the engine sorts them: as texts, by code points.
static func methods_of(script: Script) -> PackedStringArray:
	var found := {}
	while script != null:
		var config = script.call(RPC_CONFIG) if script.has_method(RPC_CONFIG) else null
		if config is Dictionary:
			for method in config:
				found[str(method)] = true
		script = script.get_base_script()
	var methods := PackedStringArray(found.keys())
	methods.sort()
	return methods


# Of the node itself: Node.rpc_config().
static func methods_of_node(node: Node) -> PackedStringArray:
	var config = node.call(NODE_RPC_CONFIG) if node.has_method(NODE_RPC_CONFIG) else null
	var methods := PackedStringArray(config.keys() if config is Dictionary else [])
	methods.sort()
	return methods


# "Vector2" of ".:position"; "Variant" of what has no type of its own, or is not in the scene.
static func type_of(node: Node, path: NodePath) -> String:
	var target := node.get_node_or_null(NodePath(path.get_concatenated_names())) if node != null else null
	var type := TYPE_NIL
	if target != null and path.get_subname_count() > 1:
		type = typeof(target.get_indexed(NodePath(":" + path.get_concatenated_subnames())))
	elif target != null:
		for property in target.get_property_list():
			if property.name == path.get_concatenated_subnames():
				type = property.type
	return "Variant" if type == TYPE_NIL else type_string(type)


# The properties of a synchronizer: "spawn", "sync" and "delta" with a list of names and one of types, where it has such properties.
static func properties_of(synchronizer: MultiplayerSynchronizer) -> Dictionary:
	var config := synchronizer.replication_config
	if config == null:
		return {}
	var paths := config.get_properties()
	var of_mode := func(mode: int) -> Array:
		return paths.filter(func(path): return config.property_get_replication_mode(path) == mode)
	var kinds := {
		"spawn": paths.filter(config.property_get_spawn),
		"sync": of_mode.call(SceneReplicationConfig.REPLICATION_MODE_ALWAYS),
		"delta": of_mode.call(SceneReplicationConfig.REPLICATION_MODE_ON_CHANGE),
	}
	var root := synchronizer.get_node_or_null(synchronizer.root_path)
	var found := {}
	for kind in kinds:
		if not kinds[kind].is_empty():
			found[kind] = [kinds[kind].map(func(path): return str(path).trim_prefix(".:")),
				kinds[kind].map(func(path): return type_of(root, path))]
	return found


static func scenes_of(spawner: MultiplayerSpawner) -> Array:
	return range(spawner.get_spawnable_scene_count()).map(spawner.get_spawnable_scene)
