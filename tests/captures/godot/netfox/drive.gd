# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# Autoload for a copy of netfox's repository (tests/captures/godot/netfox.sh): plays the example multiplayer-netfox without a
# window, adds a node with a StateSynchronizer, and prints each command that netfox receives as netfox's own code reads it, a line
# "RECORD {…}" for each. Environment: SECONDS of play; SCHEMAS=1: serializers for the properties, else netfox's default; ACTION=1: a
# RewindableAction, too, whose ticks are printed.

class Platform extends Node3D:
	var label := "lift"
	var speed := 0.0
	var angle := 0.0
	var riders := 0

class Action extends RewindableAction:
	@rpc("authority", "unreliable_ordered", "call_remote")
	func _submit_state(bytes: PackedByteArray) -> void:
		var found := _TicksetSerializer.deserialize(bytes)
		print("RECORD ", JSON.stringify({
			"receiver": multiplayer.get_unique_id(), "sender": multiplayer.get_remote_sender_id(), "kind": "action",
			"first": found[0], "last": found[1], "active": found[2].values(),
		}))
		super(bytes)

const ACTIONS: Array[StringName] = [&"ui_left", &"ui_right", &"ui_up", &"ui_down"]

var has_schemas := OS.get_environment("SCHEMAS") == "1"
var began := Time.get_ticks_msec()
var moves := RandomNumberGenerator.new()
var platform: Platform
var action: Action


func _ready() -> void:
	moves.seed = 7
	get_tree().node_added.connect(_on_node)
	var server := NetworkSynchronizationServer
	var state: _PropertyPool = server._rb_state_properties
	var sync: _PropertyPool = server._sync_state_properties
	_wrap(server._cmd_full_state, "full state", server._dense_serializer, state)
	_wrap(server._cmd_diff_state, "diff state", server._sparse_serializer, state)
	_wrap(server._cmd_full_sync, "full sync", server._dense_serializer, sync)
	_wrap(server._cmd_diff_sync, "diff sync", server._sparse_serializer, sync)
	_wrap(server._cmd_input, "input", server._redundant_serializer, server._rb_input_properties)
	_add_platform.call_deferred()

func _add_platform() -> void:
	platform = Platform.new()
	platform.name = "Platform"
	var synchronizer := StateSynchronizer.new()
	synchronizer.name = "Synchronizer"
	synchronizer.root = platform
	synchronizer.properties = [":position", ":label", ":speed", ":angle", ":riders"] as Array[String]
	platform.add_child(synchronizer)
	if OS.get_environment("ACTION") == "1":
		action = Action.new()
		action.name = "Action"
		platform.add_child(action)
	get_tree().root.add_child(platform)
	if has_schemas:
		synchronizer.set_schema({
			":position": NetworkSchemas.vec3f32(), ":label": NetworkSchemas.c_string(), ":speed": NetworkSchemas.float16(),
			":angle": NetworkSchemas.degrees8(), ":riders": NetworkSchemas.varuint(),
		})
	NetworkTime.before_tick.connect(_move_platform)
	if action:
		NetworkRollback.on_process_tick.connect(_act)

func _act(tick: int) -> void:
	if multiplayer.is_server() and tick % 4 == 0:
		action.set_active(tick % 12 == 0, tick)

func _move_platform(_delta: float, tick: int) -> void:
	if not multiplayer.is_server():
		return
	platform.position = Vector3(sin(tick * 0.1), 1.0, 0.0)
	platform.speed = 0.25 * (tick % 9)
	platform.angle = tick * 3 % 360
	platform.riders = tick / 10 * 40
	platform.label = "lift %d" % (tick / 16)

func _on_node(node: Node) -> void:
	if has_schemas and node is RollbackSynchronizer:
		node.ready.connect(func():
			node.set_schema({
				":position": NetworkSchemas.vec3f32(),
				"Input:movement": NetworkSchemas.vec3t(NetworkSchemas.sfrac8()),
			}))

func _wrap(command: NetworkCommandServer.Command, kind: String, serializer: Object, pool: _PropertyPool) -> void:
	var handler: Callable = command._handler
	command._handler = func(sender: int, data: PackedByteArray):
		var buffer := StreamPeerBuffer.new()
		buffer.data_array = data
		var found: Variant = serializer.read_from(sender, pool, buffer, true)
		var snapshots: Array = found if found is Array else [found]
		print("RECORD ", JSON.stringify({
			"receiver": multiplayer.get_unique_id(), "sender": sender, "kind": kind, "size": data.size(),
			"snapshots": snapshots.map(_snapshot),
		}))
		handler.call(sender, data)

func _snapshot(snapshot: _Snapshot) -> Dictionary:
	var nodes := {}
	for subject in snapshot.get_subjects():
		var values := {}
		for property in snapshot.get_subject_properties(subject):
			values[str(property).trim_prefix(":")] = _plain(snapshot.get_property(subject, property))
		nodes[str((subject as Node).get_path())] = values
	return {"tick": snapshot.tick, "nodes": nodes}

func _plain(value: Variant) -> Variant:
	return [value.x, value.y, value.z] if value is Vector3 else value

func _process(_delta: float) -> void:
	if Time.get_ticks_msec() - began > OS.get_environment("SECONDS").to_float() * 1000:
		multiplayer.multiplayer_peer.close()
		get_tree().quit()
	elif moves.randf() < 0.03:
		var action := ACTIONS[moves.randi() % ACTIONS.size()]
		if Input.is_action_pressed(action):
			Input.action_release(action)
		else:
			Input.action_press(action)
