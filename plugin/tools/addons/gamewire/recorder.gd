# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends MultiplayerPeerExtension

# A MultiplayerPeer that passes everything on to another one, and writes each message that passes. SceneMultiplayer and the game
# use it as they would use the other one; `peer` is that one, for what only its class has (host, get_peer).
#
# plugin/docs/recording.md describes the records. A message is written when it is sent, or before the engine handles it: if the engine
# ends in the handler, the message is in the file. The time in the handler is written into it when the engine asks for the next one.

const Format := preload("recording.gd")
const NOT_RETURNED := 0xFFFFFFFF
# Records of these commands of SceneMultiplayer are needed to read later ones: path ids and spawned nodes.
const SIMPLIFY_PATH := 1
const SPAWN := 4
const SYSTEM := 7
const RELAY := 3


# Messages between this peer and another one, in one direction.
class Way:
	var head: PackedByteArray # of a record, up to the message
	var ordinals := {}        # mode and channel: number of messages

	func next(lane: int) -> int:
		var ordinal: int = ordinals.get(lane, 0)
		ordinals[lane] = ordinal + 1
		return ordinal


var peer: MultiplayerPeer
var outputs: Array = []
var names: RefCounted # node_names.gd
var own_properties := {} # names of those that only the other peer's class has
var transport := 0
var target := 0
var peers := {}       # ids of connected peers
var sent := {}        # id: Way
var received := {}    # id: Way
# (this peer, the other one): number of connections in this process, from 0. A peer may come again under its id, and both may be here.
static var connections := {}

# The message that the engine handles: its place in each output, and when it began.
var handled: PackedInt64Array = []
var handled_since := 0


func _init(other: MultiplayerPeer, its_outputs: Array, its_names: RefCounted) -> void:
	peer = other
	outputs = its_outputs
	names = its_names
	transport = Format.transport_of(peer)
	for property in peer.get_property_list():
		if not property.name in self:
			own_properties[property.name] = true
	peer.peer_connected.connect(add_peer)
	peer.peer_disconnected.connect(remove_peer)


func add_peer(id: int) -> void:
	peers[id] = true
	peer_connected.emit(id)


func remove_peer(id: int) -> void:
	peers.erase(id)
	peer_disconnected.emit(id)
	sent.erase(id)
	received.erase(id)


# What only the other peer's class has, such as ENet's host. The engine asks here for the properties and signals of this class, too.
func _get(property: StringName) -> Variant:
	return peer.get(property) if own_properties.has(property) else null


func _set(property: StringName, value: Variant) -> bool:
	if own_properties.has(property):
		peer.set(property, value)
	return own_properties.has(property)


func get_peer(id: int) -> Variant:
	return peer.call(&"get_peer", id)


# --- records ------------------------------------------------------------------------------------

func way_between(ways: Dictionary, from: int, to: int, other: int) -> Way:
	var way: Way = ways.get(other)
	if way != null:
		return way
	way = Way.new()
	var is_received := is_same(ways, received)
	var pair := Vector2i(to, from) if is_received else Vector2i(from, to)
	# The first of both directions begins the connection.
	if not sent.has(other) and not received.has(other):
		connections[pair] = connections.get(pair, -1) + 1
	way.head = Format.head_of_message(transport, from, to, connections[pair], is_received)
	ways[other] = way
	return way


func write(way: Way, mode: int, channel: int, now: int, packet: PackedByteArray) -> PackedInt64Array:
	if names.has_news:
		names.collect()
	var block := way.head.duplicate()
	var size := packet.size()
	var pad := -size & 3
	block.append_array(packet)
	if pad:
		block.append_array(Format.PADS[pad])
	var length := block.size() + 4
	block.resize(length)
	block.encode_u32(length - 4, length)
	block.encode_u32(Format.AT_LENGTH, length)
	block.encode_u32(Format.AT_TIME_HIGH, now >> 32)
	block.encode_u32(Format.AT_TIME_LOW, now & 0xFFFFFFFF)
	block.encode_u32(Format.AT_CAPTURED, Format.MESSAGE_HEAD + size)
	block.encode_u32(Format.AT_ORIGINAL, Format.MESSAGE_HEAD + size)
	block.encode_u8(Format.AT_MODE, mode)
	block.encode_u8(Format.AT_CHANNEL, channel)
	block.encode_u32(Format.AT_ORDINAL, way.next(mode << 8 | channel))
	block.encode_u32(Format.AT_PROCESS_FRAME, Engine.get_process_frames())
	block.encode_u32(Format.AT_PHYSICS_TICK, Engine.get_physics_frames())
	var is_needed := is_definition(packet)
	var places: PackedInt64Array = []
	for output in outputs:
		if output.entries < names.entries.size():
			output.write_names(self, names, now)
		places.append(output.write_message(self, block, is_needed))
	return places


# Also in a relayed message, after the command, RELAY and the other peer's id.
func is_definition(packet: PackedByteArray) -> bool:
	var command := packet[0] & 7
	if command == SYSTEM and packet.size() > 6 and packet[1] == RELAY:
		command = packet[6] & 7
	return command == SIMPLIFY_PATH or command == SPAWN


# The engine has handled the message that it took last.
func end_handling() -> void:
	if not handled.is_empty():
		write_handler_times(outputs, handled, Time.get_ticks_usec() - handled_since)
		handled.clear()


static func write_handler_times(to: Array, places: PackedInt64Array, time: int) -> void:
	for i in places.size():
		to[i].write_handler_time(places[i], mini(time, NOT_RETURNED - 1))


# If the peer connects again, its messages are in another file.
func end() -> void:
	end_handling()
	for output in outputs:
		output.end()


# Many games end with `multiplayer_peer = null`, or another peer in place of this one, and close none. A RefCounted that ends has no
# `self`: it has its variables, and can call static functions.
func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		write_handler_times(outputs, handled, Time.get_ticks_usec() - handled_since)
		for output in outputs:
			output.end()


# --- the peer -----------------------------------------------------------------------------------

func _put_packet_script(packet: PackedByteArray) -> Error:
	var now := Format.now()
	var error := peer.put_packet(packet)
	if error != OK or packet.is_empty():
		return error
	var mine := peer.get_unique_id()
	var mode := peer.transfer_mode
	var channel := peer.transfer_channel
	if target > 0:
		write(way_between(sent, mine, target, target), mode, channel, now, packet)
		return error
	for id in peers:
		if id != -target:
			write(way_between(sent, mine, id, id), mode, channel, now, packet)
	return error


func _get_packet_script() -> PackedByteArray:
	end_handling()
	var from := peer.get_packet_peer()
	var mode := peer.get_packet_mode()
	var channel := peer.get_packet_channel()
	var packet := peer.get_packet()
	if packet.is_empty():
		return packet
	handled = write(way_between(received, from, peer.get_unique_id(), from), mode, channel, Format.now(), packet)
	handled_since = Time.get_ticks_usec()
	return packet


func _get_available_packet_count() -> int:
	end_handling()
	return peer.get_available_packet_count()


func _poll() -> void:
	end_handling()
	peer.poll()


func _close() -> void:
	end_handling()
	peer.close()
	end()


func _disconnect_peer(id: int, force: bool) -> void:
	peer.disconnect_peer(id, force)
	if force:
		peers.erase(id)


func _set_target_peer(id: int) -> void:
	target = id
	peer.set_target_peer(id)


func _get_packet_peer() -> int:
	return peer.get_packet_peer()


func _get_packet_channel() -> int:
	return peer.get_packet_channel()


func _get_packet_mode() -> TransferMode:
	return peer.get_packet_mode()


func _get_transfer_channel() -> int:
	return peer.transfer_channel


func _set_transfer_channel(channel: int) -> void:
	peer.transfer_channel = channel


func _get_transfer_mode() -> TransferMode:
	return peer.transfer_mode


func _set_transfer_mode(mode: TransferMode) -> void:
	peer.transfer_mode = mode


func _get_unique_id() -> int:
	return peer.get_unique_id()


func _is_server() -> bool:
	return peer.get_unique_id() == TARGET_PEER_SERVER


func _is_server_relay_supported() -> bool:
	return peer.is_server_relay_supported()


# The engine asks in each frame. The game may have closed the other peer.
func _get_connection_status() -> ConnectionStatus:
	var status := peer.get_connection_status()
	if status == CONNECTION_DISCONNECTED:
		end()
	return status


func _get_max_packet_size() -> int:
	return 1 << 24


func _set_refuse_new_connections(enable: bool) -> void:
	peer.refuse_new_connections = enable


func _is_refusing_new_connections() -> bool:
	return peer.refuse_new_connections
