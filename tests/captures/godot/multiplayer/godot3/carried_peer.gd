# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends NetworkedMultiplayerCustom

# A peer whose packets webrtc.py carries over data channels, as carried_peer.gd of multiplayer/godot4 and in the same format. It
# does what WebRTCMultiplayer does with server_compatibility (modules/webrtc/webrtc_multiplayer.cpp): clients are connected
# to each other too, and no packet is relayed.

const HEAD = 5

var stream = StreamPeerTCP.new()
var length = 0 # of the message that is being received
var peers = {}
var said_hello = false


func _init(id, port):
	connect("packet_generated", self, "send")
	set_connection_status(CONNECTION_CONNECTING)
	initialize(id)
	stream.connect_to_host("127.0.0.1", port)


func carry():
	if stream.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		return
	if not said_hello:
		said_hello = true
		stream.set_no_delay(true)
		stream.put_32(get_unique_id())
	while take():
		pass


# Takes one message, if all of it has come.
func take():
	if length == 0 and stream.get_available_bytes() >= 4:
		length = stream.get_u32()
	if length == 0 or stream.get_available_bytes() < length:
		return false
	var peer = stream.get_32()
	if length >= HEAD:
		stream.get_u8() # the channel
		deliver_packet(stream.get_data(length - HEAD)[1], peer)
	elif peer > 0:
		came(peer)
	else:
		went(-peer)
	length = 0
	return true


func came(peer):
	peers[peer] = true
	emit_signal("peer_connected", peer)
	if peer == TARGET_PEER_SERVER:
		set_connection_status(CONNECTION_CONNECTED)


func went(peer):
	if peers.erase(peer):
		emit_signal("peer_disconnected", peer)
		if peer == TARGET_PEER_SERVER:
			set_connection_status(CONNECTION_DISCONNECTED)


func send(target, bytes, mode):
	var channel = {TRANSFER_MODE_RELIABLE: 0, TRANSFER_MODE_UNRELIABLE_ORDERED: 1, TRANSFER_MODE_UNRELIABLE: 2}[mode]
	for peer in peers:
		if target == peer or (target <= 0 and -target != peer):
			stream.put_u32(HEAD + bytes.size())
			stream.put_32(peer)
			stream.put_u8(channel)
			stream.put_data(bytes)


# Without server_disconnected, as there.
func close():
	peers.clear()
	stream.disconnect_from_host()
	set_block_signals(true)
	set_connection_status(CONNECTION_DISCONNECTED)
	set_block_signals(false)
