# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# A client of SceneMultiplayer whose server is an ENetMultiplayerPeer alone: messages that no SceneMultiplayer writes, put as packets,
# with what the client's engine prints, and what reached its script. The server's own are a path, a call and a spawn as the engine
# writes them (in pcaps/godot/multiplayer).

const Damages := preload("res://damages.gd")
const PATH_ID := 6
const NET_ID := 3

var play_gd: SceneTree
var server := ENetMultiplayerPeer.new()
var client := ENetMultiplayerPeer.new()
var multiplayer: SceneMultiplayer
var received := [] # what the client's script got


class Main extends Node:
	var received: Array

	@rpc("any_peer", "unreliable")
	func take_unreliable(_value) -> void:
		pass

	@rpc("any_peer", "reliable")
	func take(value, second = "-") -> void:
		received.append("take(%s, %s)" % [var_to_str(value), var_to_str(second)])


func _init(of: SceneTree) -> void:
	play_gd = of


func play() -> void:
	var main := Main.new()
	main.name = "Main"
	main.received = received
	play_gd.root.add_child(main)
	var spawner := MultiplayerSpawner.new()
	spawner.name = "Spawner"
	main.add_child(spawner)
	spawner.spawn_path = ^".."
	ResourceSaver.save(scene(), "res://scene.tscn")
	spawner.add_spawnable_scene("res://scene.tscn")
	connect_peers()
	if OS.get_environment("GAMEWIRE_PART") == "odd-calls":
		call_often(main)
	else:
		for what in messages(main):
			send(what, messages(main)[what])
	client.close()
	wait_until(func(): return false, 10)
	server.close()


# A node whose position is synchronized.
func scene() -> PackedScene:
	var node := Node2D.new()
	var synchronizer := MultiplayerSynchronizer.new()
	synchronizer.replication_config = SceneReplicationConfig.new()
	synchronizer.replication_config.add_property(^".:position")
	node.add_child(synchronizer)
	synchronizer.owner = node
	var packed := PackedScene.new()
	packed.pack(node)
	node.free()
	return packed


func connect_peers() -> void:
	server.set_bind_ip("127.0.0.1")
	server.create_server(play_gd.PORT, 2)
	client.create_client("127.0.0.1", play_gd.PORT, 0, 0, 0, play_gd.CLIENT_PORT)
	multiplayer = play_gd.get_multiplayer()
	multiplayer.multiplayer_peer = client
	wait_until(func(): return client.get_connection_status() == MultiplayerPeer.CONNECTION_CONNECTED, 1000)
	wait_until(func(): return false, 10)
	server.set_target_peer(client.get_unique_id())


func wait_until(reached: Callable, times: int) -> void:
	for i in range(times):
		if reached.call():
			return
		OS.delay_msec(2)
		server.poll()
		multiplayer.poll()


func send(what: String, bytes: PackedByteArray) -> void:
	var errors := Damages.Errors.new()
	OS.add_logger(errors)
	received.clear()
	server.transfer_mode = MultiplayerPeer.TRANSFER_MODE_UNRELIABLE if bytes.size() > 1000 else MultiplayerPeer.TRANSFER_MODE_RELIABLE
	server.put_packet(bytes)
	wait_until(func(): return false, 10)
	OS.remove_logger(errors)
	play_gd.offsets["server"] = 0
	play_gd.write("server", "put_packet", bytes.size(), {"damage": what, "bytes": bytes.hex_encode(), "received": received.duplicate(),
		"errors": errors.texts, "nodes": play_gd.root.get_node("Main").get_child_count()})


# The client's calls, as SceneMultiplayer writes them: one longer than a datagram, and a reliable one 23 times a second.
func call_often(main: Node) -> void:
	var long := PackedByteArray()
	long.resize(2000)
	main.rpc_id(1, "take_unreliable", long)
	wait_until(func(): return false, 10)
	server.put_packet(hex("02 01") + word(1)) # the client's first path
	for number in range(50):
		main.rpc_id(1, "take", number)
		wait_until(func(): return false, 20)
	play_gd.offsets["client"] = 0
	play_gd.write("client", "rpc_id", 0, {"calls": 50})


static func word(number: int) -> PackedByteArray:
	var bytes := PackedByteArray([0, 0, 0, 0])
	bytes.encode_u32(0, number)
	return bytes


# Defines a node's path: the checksum of its methods, its id, its path.
func path(of: Node, number: int) -> PackedByteArray:
	var names: Array = ["take", "take_unreliable"] if of.has_method("take") else []
	return PackedByteArray([1]) + "".join(names).md5_text().to_ascii_buffer() + PackedByteArray([0]) + word(number) + \
		str(of.get_path()).trim_prefix("/root/").to_utf8_buffer() + PackedByteArray([0])


func hex(digits: String) -> PackedByteArray:
	return digits.replace(" ", "").hex_decode()


# The command's byte; of a call the node's id and the method's, each of a byte, and the number of arguments; of a spawn the scene, the
# spawner's id, the net id of the node, the numbers of its synchronizers and of the name's bytes, and the net id of the synchronizer.
func messages(main: Node) -> Dictionary:
	var call := PackedByteArray([0, PATH_ID, 0, 1])
	var spawn := hex("04 00") + word(PATH_ID + 1) + word(NET_ID) + word(1) + word(2) + word(NET_ID + 1) + "a".to_utf8_buffer() + hex("00")
	var state := var_to_bytes(Vector2(1, 2))
	var update := hex("06 0100") + word(NET_ID + 1)
	return {
		"": path(main, PATH_ID),
		"a call": call + hex("02 07"),
		"a method that the node does not have": PackedByteArray([0, PATH_ID, 0x63, 0]),
		"a spawner's path": path(main.get_node("Spawner"), PATH_ID + 1),
		"a spawn": spawn + state,
		"the same spawn": spawn.slice(0, 22) + "b".to_utf8_buffer() + hex("00") + state,
		"an update": update + word(state.size()) + state,
		"half floats": hex("06 0200") + word(NET_ID + 1) + word(5) + hex("05 0047 0048"),
		"an update of 1384 bytes": hex("06 0300") + word(NET_ID + 1) + word(0x560) + hex("0201".repeat(688)),
		"a checksum of two digits": hex("01 6434"),
		"a path without NUL": path(main.get_node("Spawner"), PATH_ID + 2).slice(0, -1),
		"a path confirmed by its name": hex("02 01") + "Main".to_utf8_buffer() + hex("00"),
		"half a field": hex("05 0300"),
		"a path id of an unknown size": hex("30 06"),
		"a call whose path is before its arguments": hex("20 03000080 05 00"),
		"a spawn whose name is cut": spawn.slice(0, 10) + word(0) + word(5) + "ab".to_utf8_buffer(),
		"a value of an unknown type": call + word(0x3f),
		"a call with one argument of two": PackedByteArray([0, PATH_ID, 0, 2]) + hex("02 07"),
		"a system message for another peer in another": hex("07 03 02000000 07 00"),
		"a system message of an unknown kind": hex("07 04"),
		"a despawn with a byte after it": hex("05") + word(NET_ID) + hex("00"),
	}
