# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Reference

# A client of MultiplayerAPI whose server is a NetworkedMultiplayerENet alone: messages that no MultiplayerAPI writes, put as
# packets, with what reached the client's script. Its peer id, and the server's, are before each message.

const PATH_ID = 6

var play_gd
var server = NetworkedMultiplayerENet.new()
var client = NetworkedMultiplayerENet.new()
var api = MultiplayerAPI.new()
var received = [] # what the client's script got


class Main extends Node:
	var received

	remote func take(value, second = "-"):
		received.append("take(%s, %s)" % [var2str(value), var2str(second)])


func _init(of):
	play_gd = of


func play():
	var main = Main.new()
	main.name = "Main"
	main.received = received
	main.custom_multiplayer = api
	play_gd.root.add_child(main)
	connect_peers()
	var all = messages()
	for what in all:
		send(what, all[what])
	client.close_connection()
	pause()
	server.close_connection()


func connect_peers():
	for peer in [server, client]:
		peer.compression_mode = NetworkedMultiplayerENet.COMPRESS_NONE
	server.set_bind_ip("127.0.0.1")
	server.create_server(play_gd.PORT, 2)
	client.create_client("127.0.0.1", play_gd.PORT, 0, 0, play_gd.CLIENT_PORT)
	api.set_root_node(play_gd.root)
	api.network_peer = client
	while client.get_connection_status() != NetworkedMultiplayerPeer.CONNECTION_CONNECTED and play_gd.wait():
		poll()
	pause()
	server.set_target_peer(client.get_unique_id())
	server.transfer_mode = NetworkedMultiplayerPeer.TRANSFER_MODE_RELIABLE


func poll():
	server.poll()
	api.poll()


func pause():
	for _i in range(10):
		OS.delay_msec(2)
		poll()


func send(what, bytes):
	received.clear()
	server.put_packet(bytes)
	pause()
	play_gd.offsets["server"] = 0
	play_gd.write("server", "put_packet", bytes.size(), {"damage": what, "bytes": bytes.hex_encode(), "received": received.duplicate()})


# The command's byte; then the id of a path and the path, or of a call the id, the method and the number of arguments.
func messages():
	var id = PoolByteArray([PATH_ID, 0, 0, 0])
	var call = PoolByteArray([0]) + id + "take".to_ascii() + PoolByteArray([0])
	return {
		"": PoolByteArray([2]) + id + "Main".to_ascii() + PoolByteArray([0]),
		"a call": call + PoolByteArray([1]) + var2bytes(7),
		"a command that it does not have": PoolByteArray([5]),
		"a call with one argument of two": call + PoolByteArray([2]) + var2bytes(7),
		"a value of an unknown type": call + PoolByteArray([1, 63, 0, 0, 0]),
	}
