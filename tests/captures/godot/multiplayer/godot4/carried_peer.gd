# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends MultiplayerPeerExtension

# A peer whose packets webrtc.py carries over data channels. Debian's engine has no WebRTC of its own: this peer does
# what WebRTCMultiplayerPeer does (modules/webrtc/webrtc_multiplayer_peer.cpp), between it and webrtc.py is a TCP
# connection on which each packet is
#   u32 length of the rest, i32 peer, u8 channel (its index in WebRTCMultiplayerPeer's list), the packet
# and which begins with the id of this peer (i32). Length 4 is only a peer: it is connected now; negative: it is gone.

const RESERVED_CHANNELS := 3
const HEAD := 5

var id: int
var stream := StreamPeerTCP.new()
var received := PackedByteArray() # not yet complete
var packets := [] # [peer, channel, bytes]
var peers := {}
var said_hello := false
var server_gone := false
var refuses := false
var target := 0
var channel := 0
var mode := MultiplayerPeer.TRANSFER_MODE_RELIABLE


func _init(own_id: int, port: int) -> void:
	id = own_id
	stream.connect_to_host("127.0.0.1", port)


func _poll() -> void:
	stream.poll()
	if stream.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		return
	if not said_hello:
		said_hello = true
		stream.set_no_delay(true)
		stream.put_32(id)
	var count := stream.get_available_bytes()
	if count:
		received.append_array(stream.get_data(count)[1])
	while received.size() >= 4 and received.size() >= 4 + received.decode_u32(0):
		var length := received.decode_u32(0)
		take(received.slice(4, 4 + length))
		received = received.slice(4 + length)


func take(message: PackedByteArray) -> void:
	var peer := message.decode_s32(0)
	if message.size() >= HEAD:
		packets.append([peer, message.decode_u8(4), message.slice(HEAD)])
	elif peer > 0:
		peers[peer] = true
		peer_connected.emit(peer)
	elif peers.erase(-peer):
		server_gone = peer == -1
		peer_disconnected.emit(-peer)


func send(peer: int, index: int, bytes: PackedByteArray) -> void:
	stream.put_u32(HEAD + bytes.size())
	stream.put_32(peer)
	stream.put_u8(index)
	stream.put_data(bytes)


func _put_packet_script(bytes: PackedByteArray) -> Error:
	var index := channel + RESERVED_CHANNELS - 1
	if channel == 0:
		index = {MultiplayerPeer.TRANSFER_MODE_RELIABLE: 0, MultiplayerPeer.TRANSFER_MODE_UNRELIABLE_ORDERED: 1,
			MultiplayerPeer.TRANSFER_MODE_UNRELIABLE: 2}[mode]
	for peer in peers:
		if target == peer or (target <= 0 and -target != peer):
			send(peer, index, bytes)
	return OK


func _get_packet_script() -> PackedByteArray:
	return packets.pop_front()[2]


func _get_packet_peer() -> int:
	return packets[0][0]


func _get_packet_channel() -> int:
	return maxi(0, packets[0][1] - RESERVED_CHANNELS + 1)


func _get_packet_mode() -> MultiplayerPeer.TransferMode:
	return [MultiplayerPeer.TRANSFER_MODE_RELIABLE, MultiplayerPeer.TRANSFER_MODE_UNRELIABLE_ORDERED,
		MultiplayerPeer.TRANSFER_MODE_UNRELIABLE][packets[0][1] if packets[0][1] < RESERVED_CHANNELS else 0]


func _get_available_packet_count() -> int:
	return packets.size()


func _get_max_packet_size() -> int:
	return 1 << 24


func _get_connection_status() -> MultiplayerPeer.ConnectionStatus:
	if server_gone or stream.get_status() == StreamPeerTCP.STATUS_NONE:
		return MultiplayerPeer.CONNECTION_DISCONNECTED
	return MultiplayerPeer.CONNECTION_CONNECTED if id == 1 or peers.has(1) else MultiplayerPeer.CONNECTION_CONNECTING


func _get_unique_id() -> int:
	return id


func _is_server() -> bool:
	return id == 1


func _is_server_relay_supported() -> bool:
	return true


func _set_target_peer(peer: int) -> void:
	target = peer


func _set_transfer_channel(number: int) -> void:
	channel = number


func _get_transfer_channel() -> int:
	return channel


func _set_transfer_mode(new_mode: MultiplayerPeer.TransferMode) -> void:
	mode = new_mode


func _get_transfer_mode() -> MultiplayerPeer.TransferMode:
	return mode


func _set_refuse_new_connections(refuse: bool) -> void:
	refuses = refuse


func _is_refusing_new_connections() -> bool:
	return refuses


func _disconnect_peer(peer: int, _force: bool) -> void:
	peers.erase(peer)


func _close() -> void:
	peers.clear()
	stream.disconnect_from_host()
