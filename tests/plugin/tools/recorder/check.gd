# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# What the recorder passes on, and what a message costs: `godot --headless --path PROJECT --script check.gd -- [cost|parts|again]`. Each line is a fact.

const Recorder := preload("res://addons/gamewire/recorder.gd")
const Recording := preload("res://addons/gamewire/recording.gd")
const NodeNames := preload("res://addons/gamewire/node_names.gd")
const COUNT := 20000
const ROUNDS := 7


# A peer that sends nowhere, as a game or an extension may have.
class Other extends MultiplayerPeerExtension:
	var calls := []
	var waiting := 0
	var mine := 1
	var status := CONNECTION_CONNECTED
	var mode := TRANSFER_MODE_RELIABLE
	var channel := 0
	var refuses := false
	var own := "own"
	var packet := PackedByteArray([3, 1, 2, 3])

	func _get_available_packet_count() -> int: return waiting
	func _get_packet_script() -> PackedByteArray:
		waiting -= 1
		return packet
	func _put_packet_script(bytes: PackedByteArray) -> Error:
		calls.append(["put", bytes.size()])
		return OK
	func _get_packet_peer() -> int: return 7
	func _get_packet_mode() -> TransferMode: return TRANSFER_MODE_UNRELIABLE_ORDERED
	func _get_packet_channel() -> int: return 5
	func _set_target_peer(id: int) -> void: calls.append(["target", id])
	func _set_transfer_mode(value: TransferMode) -> void: mode = value
	func _get_transfer_mode() -> TransferMode: return mode
	func _set_transfer_channel(value: int) -> void: channel = value
	func _get_transfer_channel() -> int: return channel
	func _set_refuse_new_connections(value: bool) -> void: refuses = value
	func _is_refusing_new_connections() -> bool: return refuses
	func _is_server_relay_supported() -> bool: return false
	func _is_server() -> bool: return mine == 1
	func _get_unique_id() -> int: return mine
	func _get_connection_status() -> ConnectionStatus: return status
	func _get_max_packet_size() -> int: return 1 << 24
	func _disconnect_peer(id: int, force: bool) -> void: calls.append(["disconnect", id, force])
	func _close() -> void: calls.append(["close"])
	func _poll() -> void: calls.append(["poll"])


# Keeps what is written.
class Output extends RefCounted:
	var entries := 1 << 30
	var records := []
	var times := []

	func write_message(_recorder: MultiplayerPeer, record: PackedByteArray, _is_needed: bool) -> int:
		records.append(record)
		return records.size() - 1
	func write_handler_time(place: int, time: int) -> void: times.append([place, time >= 0])
	func write_names(_recorder: MultiplayerPeer, _names: RefCounted, _time: int) -> void: pass
	func end() -> void: records.append(null)


func _initialize() -> void:
	if "cost" in OS.get_cmdline_user_args():
		cost()
	elif "parts" in OS.get_cmdline_user_args():
		parts()
	elif "again" in OS.get_cmdline_user_args():
		again()
	else:
		pass_on()
		off()
		await process_frame # until then, the tree's root is in no tree
		order()
	quit()


func pass_on() -> void:
	var other := Other.new()
	var output := Output.new()
	var peer := Recorder.new(other, [output], NodeNames.new())
	var heard := []
	peer.peer_connected.connect(func(id): heard.append(["connected", id]))
	peer.peer_disconnected.connect(func(id): heard.append(["disconnected", id]))
	for id in [7, 8, 9]:
		other.peer_connected.emit(id)
	other.peer_disconnected.emit(9)
	print("signals ", heard)
	peer.transfer_mode = MultiplayerPeer.TRANSFER_MODE_UNRELIABLE
	peer.transfer_channel = 3
	peer.refuse_new_connections = true
	print("properties ", [other.mode, other.channel, other.refuses, peer.transfer_mode, peer.transfer_channel, peer.refuse_new_connections])
	print("own ", [peer.own, peer.get_unique_id(), peer.is_server_relay_supported(), peer.get_connection_status() == other.status])
	for target in [0, 8, -8]:
		peer.set_target_peer(target)
		peer.put_packet(PackedByteArray([3, 9]))
		print("sent to %d " % target, ends(output))
	other.waiting = 2
	peer.poll()
	while peer.get_available_packet_count() > 0:
		print("packet ", [peer.get_packet_peer(), peer.get_packet_mode(), peer.get_packet_channel(), peer.get_packet().hex_encode(), ends(output)])
	print("times ", output.times)
	peer.disconnect_peer(7)
	peer.disconnect_peer(8, true)
	peer.close()
	print("calls ", other.calls)
	print("ended ", output.records)
	other.mine = 55
	other.status = MultiplayerPeer.CONNECTION_CONNECTING
	print("state ", [peer.get_unique_id(), peer.get_connection_status()])


# The peers, mode, channel and ordinal of what was written since the last call.
func ends(output: Output) -> Array:
	var found := output.records.map(func(record): return [record.decode_s32(Recording.AT_HEADER + 12), record.decode_s32(Recording.AT_HEADER + 16),
		record[Recording.AT_MODE], record[Recording.AT_CHANNEL], record.decode_u32(Recording.AT_ORDINAL)])
	output.records.clear()
	return found


func off() -> void:
	var gamewire: Node = load("res://addons/gamewire/gamewire.gd").new()
	var peer := ENetMultiplayerPeer.new()
	print("off by default ", gamewire.enabled != OS.is_debug_build())
	gamewire.enabled = false
	print("off ", gamewire.record(peer) == peer, gamewire.record(null) == null)
	gamewire.enabled = true
	var offline := OfflineMultiplayerPeer.new()
	print("offline ", gamewire.record(offline) == offline)
	gamewire.free()


# A definition, then messages into files of 4,000 bytes.
# A spawn has the values of its synchronizers in the order of the tree.
func order() -> void:
	var unit := Node2D.new()
	for name in ["First", "Second", "Third"]:
		var synchronizer := MultiplayerSynchronizer.new()
		synchronizer.name = name
		synchronizer.replication_config = SceneReplicationConfig.new()
		synchronizer.replication_config.add_property(^".:position")
		unit.add_child(synchronizer)
	root.add_child(unit)
	var names := NodeNames.new()
	names.watch(self)
	names.collect()
	var first_text := func(entry): return entry.slice(5, 5 + entry.decode_u16(3)).get_string_from_utf8()
	print("order ", names.entries.filter(func(entry): return entry[0] == NodeNames.Kind.SPAWN).map(func(entry): return first_text.call(entry).get_file()))
	unit.free()


func parts() -> void:
	var recording := Recording.new()
	recording.most = 4000
	var plain := Other.new()
	var peer := Recorder.new(plain, [recording], NodeNames.new())
	plain.peer_connected.emit(7)
	peer.put_packet(PackedByteArray([1, 0]))
	plain.waiting = 60
	while peer.get_available_packet_count() > 0:
		peer.get_packet()
		peer.put_packet(PackedByteArray([3, 5])) # as in a handler
	peer.close()


# The game closes the peer that it keeps, and connects with it again, twice.
func again() -> void:
	var plain := Other.new()
	var peer := Recorder.new(plain, [Recording.new()], NodeNames.new())
	plain.waiting = 3
	for status in [MultiplayerPeer.CONNECTION_CONNECTED, MultiplayerPeer.CONNECTION_DISCONNECTED]:
		plain.status = MultiplayerPeer.CONNECTION_CONNECTED
		plain.peer_connected.emit(7)
		peer.get_packet()
		peer.put_packet(PackedByteArray([3, 5]))
		plain.status = status
		print("status ", peer.get_connection_status())
	plain.status = MultiplayerPeer.CONNECTION_CONNECTED
	peer.get_packet()


# The processor's time, in which other programs have no share: medians of several rounds.
func cost() -> void:
	var message := PackedByteArray()
	message.resize(100)
	message[0] = 3
	var recording := Recording.new()
	var plain := Other.new()
	plain.packet = message
	var peer := Recorder.new(plain, [recording], NodeNames.new())
	plain.peer_connected.emit(7)
	var gamewire: Node = load("res://addons/gamewire/gamewire.gd").new()
	gamewire.enabled = false
	var rounds := { "sent": [], "received": [], "off": [] }
	for i in ROUNDS:
		var of_plain := time_of(plain, message)
		var of_recorded := time_of(peer, message)
		rounds.sent.append(of_recorded[0] - of_plain[0])
		rounds.received.append(of_recorded[1] - of_plain[1])
		var start := processor_time()
		for _message in 10 * COUNT:
			gamewire.record(plain)
		rounds.off.append((processor_time() - start) / (10 * COUNT))
	var medians := rounds.keys().map(func(what): return "%s %.2f" % [what, median(rounds[what])])
	print(" ".join(medians), " bytes %.2f" % (float(recording.base + recording.size) / recording.messages))
	peer.close()
	gamewire.free()


func median(values: Array) -> float:
	values.sort()
	return values[values.size() / 2]


# Of this thread, in microseconds, from Linux.
func processor_time() -> float:
	return FileAccess.open("/proc/self/schedstat", FileAccess.READ).get_line().get_slice(" ", 0).to_float() / 1000


# Microseconds for a message that is sent, and for one that is received.
func time_of(peer: MultiplayerPeer, message: PackedByteArray) -> Array[float]:
	var start := processor_time()
	for i in COUNT:
		peer.put_packet(message)
	var between := processor_time()
	for i in COUNT:
		peer.get_available_packet_count()
		peer.get_packet()
	var end := processor_time()
	return [(between - start) / COUNT, (end - between) / COUNT]
