# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends MultiplayerPeerExtension

# A peer that passes everything to another one (ENet or WebSocket), and damages single messages of SceneMultiplayer.

const Log := preload("res://log.gd")

var inner: MultiplayerPeer
var target := 0
var damages := {} # command: functions, each for the next message with that command


func _init(peer: MultiplayerPeer) -> void:
	inner = peer
	inner.peer_connected.connect(func(id): peer_connected.emit(id))
	inner.peer_disconnected.connect(func(id): peer_disconnected.emit(id))


func _put_packet_script(bytes: PackedByteArray) -> Error:
	var sent := bytes
	if damages.get(bytes[0] & 7, []):
		var damage: Callable = damages[bytes[0] & 7].pop_front()
		sent = damage.call(bytes.duplicate())
		Log.line("damaged", {"target": target, "damage": damage.get_method(), "sound": bytes.hex_encode(),
			"bytes": sent.hex_encode()})
	return inner.put_packet(sent)


func _set_target_peer(peer: int) -> void:
	target = peer
	inner.set_target_peer(peer)


func _poll() -> void:
	inner.poll()


func _get_packet_script() -> PackedByteArray:
	return inner.get_packet()


func _get_packet_peer() -> int:
	return inner.get_packet_peer()


func _get_packet_channel() -> int:
	return inner.get_packet_channel()


func _get_packet_mode() -> MultiplayerPeer.TransferMode:
	return inner.get_packet_mode()


func _get_available_packet_count() -> int:
	return inner.get_available_packet_count()


func _get_max_packet_size() -> int:
	return 1 << 24


func _get_connection_status() -> MultiplayerPeer.ConnectionStatus:
	return inner.get_connection_status()


func _get_unique_id() -> int:
	return inner.get_unique_id()


func _is_server() -> bool:
	return inner.get_unique_id() == 1


func _is_server_relay_supported() -> bool:
	return inner.is_server_relay_supported()


func _set_transfer_channel(number: int) -> void:
	inner.transfer_channel = number


func _get_transfer_channel() -> int:
	return inner.transfer_channel


func _set_transfer_mode(mode: MultiplayerPeer.TransferMode) -> void:
	inner.transfer_mode = mode


func _get_transfer_mode() -> MultiplayerPeer.TransferMode:
	return inner.transfer_mode


func _set_refuse_new_connections(refuse: bool) -> void:
	inner.refuse_new_connections = refuse


func _is_refusing_new_connections() -> bool:
	return inner.refuse_new_connections


func _disconnect_peer(peer: int, force: bool) -> void:
	inner.disconnect_peer(peer, force)


func _close() -> void:
	inner.close()
