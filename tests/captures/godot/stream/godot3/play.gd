# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# Variants over TCP, WebSocket and ENet, all ends in this process: StreamPeer.put_var, PacketPeerStream, WebSocket and
# NetworkedMultiplayerENet. Writes down what each end put, and refuses if another end gets something else. GAMEWIRE_PART
# says which conversation; stream/godot4/play.gd says what each is about. odd-messages is for the SceneTree's MultiplayerAPI.

const PORT = 40700
const PATIENCE_MSEC = 20000
const PREFIX = 4

var listener = TCP_Server.new()
var ends = {} # "client" and "server": StreamPeerTCP
var packets = {} # the same: PacketPeerStream or WebSocketPeer
var offsets = {"client": 0, "server": 0} # bytes put so far
var log_file = File.new()
var started = OS.get_ticks_msec()
var failed = false
var web_client
var web_server
var web_peer = 0


func _init():
	log_file.open(OS.get_environment("GAMEWIRE_LOG"), File.WRITE)
	var part = OS.get_environment("GAMEWIRE_PART")
	if part != "values" and part != "odd-messages" and not part.begins_with("enet"):
		connect_ends()
	match part:
		"stream", "stream-big-endian":
			set_streams(true, part == "stream-big-endian")
			exchange(values())
		"stream-orders":
			set_streams(true, false)
			exchange(values(), [1, 5, 6, 7, 15, 28])
		"stream-joined":
			set_streams(false, false)
			exchange_at_once(values())
		"stream-large":
			set_streams(false, false)
			exchange([PoolByteArray(range(256)), "a line of text, ".repeat(4000), many_players(), 7])
		"stream-mixed":
			set_streams(true, false)
			mixed()
		"packet-stream":
			packet_stream()
		"values":
			websocket()
		"enet-put-var":
			enet_put_var()
		"odd-messages":
			yield(self, "idle_frame") # the root is in the tree then
			load("res://odd_messages.gd").new(self).play()
		_:
			fail("GAMEWIRE_PART is '%s'" % part)
	for end in ends.values():
		end.disconnect_from_host()
	log_file.close()
	quit(1 if failed else 0)


func fail(reason):
	printerr("play.gd: " + reason)
	failed = true


# Lets time pass; false when there was enough of it.
func wait():
	OS.delay_msec(2)
	for end in ends.values():
		end.get_status()
	if OS.get_ticks_msec() - started > PATIENCE_MSEC:
		fail("nothing happens")
	return not failed


func pause():
	for _i in range(10):
		wait()


func connect_ends():
	listener.listen(PORT, "127.0.0.1")
	var client = StreamPeerTCP.new()
	client.connect_to_host("127.0.0.1", PORT)
	ends["client"] = client
	while not listener.is_connection_available() and wait():
		pass
	ends["server"] = listener.take_connection()
	while client.get_status() != StreamPeerTCP.STATUS_CONNECTED and wait():
		pass


func set_streams(no_delay, big_endian):
	for end in ends.values():
		end.set_no_delay(no_delay)
		end.big_endian = big_endian


func write(end, what, length, members):
	var entry = {"milliseconds": OS.get_system_time_msecs(), "from": end, "what": what, "offset": offsets[end],
		"length": length}
	for key in members:
		entry[key] = members[key]
	offsets[end] += length
	log_file.store_line(JSON.print(entry))


func other(end):
	return "server" if end == "client" else "client"


# --- StreamPeer ---------------------------------------------------------------------------------

func put(end, value):
	write(end, "put_var", PREFIX + var2bytes(value).size(), {"text": var2str(value)})
	ends[end].put_var(value)


func check(end, value):
	var got = ends[end].get_var()
	if var2str(got) != var2str(value):
		fail("%s got %s for %s" % [end, var2str(got), var2str(value)])


# The byte order of both ends changes before the values whose numbers are in `changes`.
func exchange(all, changes = []):
	for i in range(all.size()):
		var end = "server" if i % 3 == 2 else "client"
		if i in changes:
			var big_endian = not ends[end].big_endian
			set_streams(true, big_endian)
			write(end, "big_endian", 0, {"value": big_endian})
		put(end, all[i])
		while ends[other(end)].get_available_bytes() < PREFIX and wait():
			pass
		check(other(end), all[i])


func exchange_at_once(all):
	for end in ["client", "server"]:
		for value in all:
			put(end, value)
		pause()
		for value in all:
			check(other(end), value)


func values():
	return [
		{"cmd": "join", "name": "Åsa", "version": 3, "color": Color(0.25, 0.5, 0.75)},
		{"cmd": "welcome", "id": 7, "map": "res://maps/keep.tscn", "spawn": Vector2(64, -32)},
		null, true, 5, -1, 4294967296, 0.5, 0.1, "", "a", "text", NodePath("/root/Main:hp"), Vector2(1, 2),
		Vector3(1, 2, 3), Color(1, 0, 0), Transform(), [1, "two", 3.0, null], {}, [],
		{"players": [{"id": 7, "hp": 100}, {"id": 9, "hp": 0}], "tick": 1201}, PoolByteArray([1, 2, 3]),
		PoolIntArray([1, -1]), PoolStringArray(["a", ""]), PoolVector2Array([Vector2(1, 2)]),
		{"cmd": "chat", "text": "hello"}, ["ping", 41], ["pong", 41], {"cmd": "leave", "id": 9}, 7,
	]


func many_players():
	var players = []
	for id in range(300):
		players.append({"id": id, "name": "Player %d" % id, "position": Vector2(id * 16, -id), "hp": 100})
	return players


func mixed():
	var client = ends["client"]
	for i in range(4):
		write("client", "put_u8", 1, {"value": 200 + i})
		client.put_u8(200 + i)
		write("client", "put_utf8_string", PREFIX + "héllo".to_utf8().size(), {"value": "héllo"})
		client.put_utf8_string("héllo")
		put("client", {"turn": i, "items": [1, "two"]})
		write("client", "put_16", 2, {"value": -300})
		client.put_16(-300)
		write("client", "put_32", 4, {"value": 8})
		client.put_32(8)
		write("client", "put_double", 8, {"value": 0.25})
		client.put_double(0.25)
		put("client", "after the numbers")
		pause()


# --- PacketPeer ---------------------------------------------------------------------------------

func put_packet_var(end, value, prefix = PREFIX):
	write(end, "put_var", prefix + var2bytes(value).size(), {"text": var2str(value)})
	packets[end].put_var(value)


func put_packet(end, bytes, prefix = PREFIX):
	write(end, "put_packet", prefix + bytes.size(), {"bytes": bytes.hex_encode()})
	packets[end].put_packet(bytes)


func packet_stream():
	for end in ends:
		packets[end] = PacketPeerStream.new()
		packets[end].stream_peer = ends[end]
	var all = values()
	for i in range(all.size()):
		var end = "server" if i % 3 == 2 else "client"
		put_packet_var(end, all[i])
		while packets[other(end)].get_available_packet_count() == 0 and wait():
			pass
		var got = packets[other(end)].get_var()
		if var2str(got) != var2str(all[i]):
			fail("got %s" % var2str(got))
	put_packet("client", "not a Variant".to_utf8())
	put_packet("client", PoolByteArray([0, 255, 7]))
	put_packet_var("client", "x".repeat(5000))
	pause()


func websocket():
	web_server = WebSocketServer.new()
	web_client = WebSocketClient.new()
	web_server.connect("client_connected", self, "_on_client_connected")
	web_server.listen(PORT)
	web_client.connect_to_url("ws://127.0.0.1:%d/game" % PORT)
	while (web_peer == 0 or web_client.get_connection_status() != NetworkedMultiplayerPeer.CONNECTION_CONNECTED) and wait():
		poll()
	packets = {"client": web_client.get_peer(1), "server": web_server.get_peer(web_peer)}
	for end in packets:
		packets[end].set_write_mode(WebSocketPeer.WRITE_MODE_BINARY)
	var all = values()
	for i in range(all.size()):
		var end = "server" if i % 3 == 2 else "client"
		put_packet_var(end, all[i], 0)
		while packets[other(end)].get_available_packet_count() == 0 and wait():
			poll()
		packets[other(end)].get_packet()
	packets["client"].set_write_mode(WebSocketPeer.WRITE_MODE_TEXT)
	put_packet("client", "hello".to_utf8(), 0)
	packets["client"].set_write_mode(WebSocketPeer.WRITE_MODE_BINARY)
	put_packet("client", PoolByteArray([0, 255, 7]), 0)
	for _i in range(20):
		wait()
		poll()
	web_client.disconnect_from_host()
	for _i in range(20):
		wait()
		poll()


func _on_client_connected(id, _protocol):
	web_peer = id


func poll():
	web_server.poll()
	web_client.poll()


# --- ENet ---------------------------------------------------------------------------------------

const CLIENT_PORT = 40701
const MODES = [NetworkedMultiplayerPeer.TRANSFER_MODE_RELIABLE, NetworkedMultiplayerPeer.TRANSFER_MODE_UNRELIABLE,
	NetworkedMultiplayerPeer.TRANSFER_MODE_UNRELIABLE_ORDERED]


func poll_all(peers):
	for peer in peers.values():
		peer.poll()


func serve(peers):
	for _i in range(10):
		wait()
		poll_all(peers)


# The server's peer id is 1. A client sends to the server; target 0 is everybody.
func enet_put_var():
	var peers = {"server": NetworkedMultiplayerENet.new()}
	peers["server"].set_bind_ip("127.0.0.1")
	peers["server"].compression_mode = NetworkedMultiplayerENet.COMPRESS_NONE
	peers["server"].create_server(PORT, 8)
	for number in [1, 2]:
		var client = NetworkedMultiplayerENet.new()
		client.compression_mode = NetworkedMultiplayerENet.COMPRESS_NONE
		client.create_client("127.0.0.1", PORT, 0, 0, CLIENT_PORT + number)
		peers["client%d" % number] = client
		while client.get_connection_status() != NetworkedMultiplayerPeer.CONNECTION_CONNECTED and wait():
			poll_all(peers)
		serve(peers) # the server does not know yet
	var all = values() + [many_players()]
	for i in range(all.size()):
		var end = ["client1", "server", "client2", "server"][i % 4]
		var to = ["server"] if end != "server" else ["client1", "client2"] if i % 8 == 1 else ["client1"]
		var peer = peers[end]
		peer.transfer_mode = MODES[i % 3] if i < all.size() - 1 else NetworkedMultiplayerPeer.TRANSFER_MODE_RELIABLE
		peer.set_target_peer(0 if to.size() == 2 else peers[to[0]].get_unique_id())
		for one in to:
			offsets[end] = 0
			write(end, "put_var", var2bytes(all[i]).size(), {"to": one, "mode": peer.transfer_mode, "text": var2str(all[i])})
		peer.put_var(all[i])
		for one in to:
			while peers[one].get_available_packet_count() == 0 and wait():
				poll_all(peers)
			var got = peers[one].get_var()
			if var2str(got) != var2str(all[i]):
				fail("%s got %s for %s" % [one, var2str(got), var2str(all[i])])
	for end in ["client2", "client1", "server"]:
		peers[end].close_connection()
		peers.erase(end)
		serve(peers)
