# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# Variants over TCP, WebSocket and ENet, all ends in this process: StreamPeer.put_var, PacketPeerStream, WebSocketPeer,
# ENetMultiplayerPeer and ENetPacketPeer. Writes down what each end put, and refuses if another end gets something else.
# GAMEWIRE_PART says which conversation:
#
#   stream             put_var with no delay: each length prefix is a segment of its own
#   stream-big-endian  the same with big_endian set
#   stream-orders      the same, where big_endian changes from time to time
#   stream-joined      with the system's delay: many in one segment
#   stream-large       values of many segments
#   stream-mixed       numbers and strings between the Variants, which nothing in the stream tells apart
#   stream-pieces      what put_var would send, put byte by byte or cut at odd places
#   packet-stream      PacketPeerStream: put_var and put_packet
#   values             WebSocketPeer: put_var, put_packet and send_text
#   enet-put-var       ENetMultiplayerPeer.put_var without SceneMultiplayer, a server and two clients
#   enet-send          ENetPacketPeer.send(var_to_bytes(...)), a server and a client
#   enet-snapshots     ENetPacketPeer.send of bytes in a format of the game's own, a server and a client
#   damaged-udp        PacketPeerUDP: put_var, and put_packet of damaged Variants between them (damages.gd)
#   damaged-stream     the same with StreamPeerTCP
#   damaged-websocket  the same with WebSocketPeer
#   odd-udp            PacketPeerUDP: put_packet of Variants that no engine writes (odd.gd)
#   odd-stream         StreamPeerTCP: the same after lengths
#   odd-messages       ENetMultiplayerPeer: messages that no SceneMultiplayer writes, for one (odd_messages.gd)
#   odd-calls          the same, where the SceneMultiplayer calls too often, and more than a datagram has room for

const Damages := preload("res://damages.gd")
const Odd := preload("res://odd.gd")
const Snapshot := preload("res://snapshot.gd")

const PORT := 40700
const PATIENCE_MSEC := 20000
const PREFIX := 4

var listener := TCPServer.new()
var ends := {} # "client" and "server": StreamPeerTCP
var packets := {} # the same: PacketPeerStream or WebSocketPeer
var offsets := {"client": 0, "server": 0} # bytes put so far
var log_file: FileAccess
var started := Time.get_ticks_msec()
var failed := false


func _initialize() -> void:
	log_file = FileAccess.open(OS.get_environment("GAMEWIRE_LOG"), FileAccess.WRITE)
	var part := OS.get_environment("GAMEWIRE_PART")
	if not part.begins_with("enet") and part not in ["damaged-udp", "odd-udp", "odd-messages", "odd-calls"]:
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
			exchange_at_once(values().slice(0, 30))
		"stream-large":
			set_streams(false, false)
			exchange([PackedByteArray(range(256)), "a line of text, ".repeat(4000), many_players(), 7])
		"stream-mixed":
			set_streams(true, false)
			mixed()
		"stream-pieces":
			set_streams(true, false)
			pieces()
		"packet-stream":
			packet_stream()
		"values":
			websocket()
		"enet-put-var":
			enet_put_var()
		"enet-send":
			enet_send()
		"enet-snapshots":
			enet_snapshots()
		"damaged-udp":
			connect_datagrams()
			damaged()
		"damaged-stream":
			set_streams(true, false)
			damaged()
		"damaged-websocket":
			connect_websocket()
			damaged()
			close_websocket()
		"odd-udp":
			connect_datagrams()
			odd(Odd.variants())
		"odd-stream":
			set_streams(true, false)
			odd(Odd.streamed())
		"odd-messages", "odd-calls":
			await process_frame # the root is in the tree then
			load("res://odd_messages.gd").new(self).play()
		_:
			fail("GAMEWIRE_PART is '%s'" % part)
	for end in ends.values():
		end.disconnect_from_host()
	log_file.close()
	quit(1 if failed else 0)


func fail(reason: String) -> void:
	printerr("play.gd: " + reason)
	failed = true


# Lets time pass; false when there was enough of it.
func wait() -> bool:
	OS.delay_msec(2)
	for end in ends.values():
		end.poll()
	if Time.get_ticks_msec() - started > PATIENCE_MSEC:
		fail("nothing happens")
	return not failed


func pause() -> void:
	for i in range(10):
		wait()


func connect_ends() -> void:
	listener.listen(PORT, "127.0.0.1")
	var client := StreamPeerTCP.new()
	client.connect_to_host("127.0.0.1", PORT)
	ends["client"] = client
	while not listener.is_connection_available() and wait():
		pass
	ends["server"] = listener.take_connection()
	while client.get_status() != StreamPeerTCP.STATUS_CONNECTED and wait():
		pass


func set_streams(no_delay: bool, big_endian: bool) -> void:
	for end in ends.values():
		end.set_no_delay(no_delay)
		end.big_endian = big_endian


func write(end: String, what: String, length: int, members: Dictionary) -> void:
	var entry := {"time": Time.get_unix_time_from_system(), "from": end, "what": what, "offset": offsets[end],
		"length": length}
	entry.merge(members)
	offsets[end] += length
	log_file.store_line(JSON.stringify(entry, "", false, true))


func other(end: String) -> String:
	return "server" if end == "client" else "client"


# --- StreamPeer ---------------------------------------------------------------------------------

func put(end: String, value: Variant) -> void:
	write(end, "put_var", PREFIX + var_to_bytes(value).size(), {"text": var_to_str(value)})
	ends[end].put_var(value)


func check(end: String, value: Variant) -> void:
	var got = ends[end].get_var()
	if var_to_str(got) != var_to_str(value):
		fail("%s got %s for %s" % [end, var_to_str(got), var_to_str(value)])


# The byte order of both ends changes before the values whose numbers are in `changes`.
func exchange(all: Array, changes := []) -> void:
	for i in range(all.size()):
		var end := "server" if i % 3 == 2 else "client"
		if i in changes:
			var big_endian: bool = not ends[end].big_endian
			set_streams(true, big_endian)
			write(end, "big_endian", 0, {"value": big_endian})
		put(end, all[i])
		while ends[other(end)].get_available_bytes() < PREFIX and wait():
			pass
		check(other(end), all[i])


func exchange_at_once(all: Array) -> void:
	for end in ["client", "server"]:
		for value in all:
			put(end, value)
		pause()
		for value in all:
			check(other(end), value)


func values() -> Array:
	return [
		{"cmd": "join", "name": "Åsa", "version": 3, "color": Color(0.25, 0.5, 0.75)},
		{"cmd": "welcome", "id": 7, "map": "res://maps/keep.tscn", "spawn": Vector2i(64, -32)},
		null, true, 5, -1, 4294967296, 0.5, 0.1, "", "a", "text", &"name", ^"/root/Main:hp", Vector2(1, 2),
		Vector3(1, 2, 3), Color(1, 0, 0), Transform3D(), [1, "two", 3.0, null], {}, [],
		{"players": [{"id": 7, "hp": 100}, {"id": 9, "hp": 0}], "tick": 1201}, PackedByteArray([1, 2, 3]),
		PackedInt32Array([1, -1]), PackedStringArray(["a", ""]), PackedVector2Array([Vector2(1, 2)]),
		{"cmd": "chat", "text": "hello 👋"}, ["ping", 41], ["pong", 41], {"cmd": "leave", "id": 9}, 7,
	]


func many_players() -> Array:
	var players := []
	for id in range(300):
		players.append({"id": id, "name": "Player %d" % id, "position": Vector2(id * 16, -id), "hp": 100})
	return players


func mixed() -> void:
	var client: StreamPeerTCP = ends["client"]
	for i in range(4):
		write("client", "put_u8", 1, {"value": 200 + i})
		client.put_u8(200 + i)
		write("client", "put_utf8_string", PREFIX + "héllo".to_utf8_buffer().size(), {"value": "héllo"})
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


# The same bytes as put_var's, but where they are cut is ours.
func pieces() -> void:
	var cuts := [1, 2, 3, 4, 5, 7, 1000]
	var number := 0
	for cut in cuts:
		var value := {"cut at": cut, "text": "a few words"}
		var body := var_to_bytes(value)
		var bytes := PackedByteArray()
		bytes.resize(PREFIX)
		bytes.encode_u32(0, body.size())
		bytes += body
		write("client", "put_data", bytes.size(), {"text": var_to_str(value), "cut": cut})
		for at in range(0, bytes.size(), cut):
			ends["client"].put_data(bytes.slice(at, at + cut))
			pause()
		check("server", value)
		number += 1
	# Two and a half, then the rest and one more.
	var one := var_to_bytes(["one", 1])
	var joined := PackedByteArray()
	for i in range(4):
		var prefix := PackedByteArray()
		prefix.resize(PREFIX)
		prefix.encode_u32(0, one.size())
		write("client", "put_data", PREFIX + one.size(), {"text": var_to_str(["one", 1]), "cut": 0})
		joined += prefix + one
	var cut_at := (PREFIX + one.size()) * 5 / 2
	ends["client"].put_data(joined.slice(0, cut_at))
	pause()
	ends["client"].put_data(joined.slice(cut_at))
	pause()
	for i in range(4):
		check("server", ["one", 1])


# --- PacketPeer ---------------------------------------------------------------------------------

func put_packet_var(end: String, value: Variant) -> void:
	write(end, "put_var", PREFIX + var_to_bytes(value).size(), {"text": var_to_str(value)})
	packets[end].put_var(value)


func put_packet(end: String, bytes: PackedByteArray) -> void:
	write(end, "put_packet", PREFIX + bytes.size(), {"bytes": bytes.hex_encode()})
	packets[end].put_packet(bytes)


func packet_stream() -> void:
	for end in ends:
		packets[end] = PacketPeerStream.new()
		packets[end].stream_peer = ends[end]
	var all := values()
	for i in range(all.size()):
		var end := "server" if i % 3 == 2 else "client"
		put_packet_var(end, all[i])
		while packets[other(end)].get_available_packet_count() == 0 and wait():
			pass
		var got = packets[other(end)].get_var()
		if var_to_str(got) != var_to_str(all[i]):
			fail("got %s" % var_to_str(got))
	put_packet("client", "not a Variant".to_utf8_buffer())
	put_packet("client", PackedByteArray([0, 255, 7]))
	put_packet_var("client", "x".repeat(5000))
	pause()


func connect_websocket() -> void:
	packets = {"client": WebSocketPeer.new(), "server": WebSocketPeer.new()}
	for peer in packets.values():
		peer.outbound_buffer_size = 200000
		peer.inbound_buffer_size = 200000
	ends["client"].disconnect_from_host() # it makes its own
	while not ends["server"].get_status() == StreamPeerTCP.STATUS_NONE and wait():
		pass
	ends = {}
	packets["client"].connect_to_url("ws://127.0.0.1:%d/game" % PORT)
	while not listener.is_connection_available() and wait():
		packets["client"].poll()
	packets["server"].accept_stream(listener.take_connection())
	while packets["client"].get_ready_state() != WebSocketPeer.STATE_OPEN and wait():
		poll()


func websocket() -> void:
	connect_websocket()
	var all := values()
	for i in range(all.size()):
		var end := "server" if i % 3 == 2 else "client"
		write(end, "put_var", var_to_bytes(all[i]).size(), {"text": var_to_str(all[i])})
		packets[end].put_var(all[i])
		while packets[other(end)].get_available_packet_count() == 0 and wait():
			poll()
		packets[other(end)].get_packet()
	write("client", "send_text", 5, {"value": "hello"})
	packets["client"].send_text("hello")
	write("client", "put_packet", 3, {"bytes": "00ff07"})
	packets["client"].put_packet(PackedByteArray([0, 255, 7]))
	write("server", "put_var", var_to_bytes("x".repeat(70000)).size(), {"text": "\"" + "x".repeat(70000) + "\""})
	packets["server"].put_var("x".repeat(70000))
	for i in range(20):
		wait()
		poll()
	close_websocket()


func close_websocket() -> void:
	packets["client"].close()
	for i in range(20):
		wait()
		poll()


func poll() -> void:
	for peer in packets.values():
		if peer is WebSocketPeer:
			peer.poll()


# --- damaged Variants -----------------------------------------------------------------------------

func connect_datagrams() -> void:
	packets = {"client": PacketPeerUDP.new(), "server": PacketPeerUDP.new()}
	packets["server"].bind(PORT, "127.0.0.1")
	packets["client"].bind(CLIENT_PORT, "127.0.0.1")
	packets["server"].set_dest_address("127.0.0.1", CLIENT_PORT)
	packets["client"].set_dest_address("127.0.0.1", PORT)


func state(tick: int) -> Dictionary:
	return {"cmd": "state", "tick": tick, "players": [{"id": 7, "at": Vector2(tick, 0.5)}, {"id": 9, "at": Vector2(-1, tick)}],
		"map": "harbor"}


# Sound Variants both ways, then each damage from the client, with a sound one after every second; two from the server.
func damaged() -> void:
	for tick in range(300, 308):
		send_one("server" if tick % 4 == 3 else "client", "", tick)
	var tick := 308
	for damage in Damages.NAMES:
		send_one("client", damage, tick)
		if tick % 2:
			send_one("client", "", tick)
		tick += 1
	for damage in ["one byte missing", "count"]:
		send_one("server", damage, tick)
		send_one("server", "", tick)
	send_one("client", "", tick)


func has_arrived(end: String, length: int) -> bool:
	return packets[end].get_available_packet_count() > 0 if packets else ends[end].get_available_bytes() >= length


# A sound Variant, then each odd one.
func odd(all: Dictionary) -> void:
	send_one("client", "", 300)
	for what in all:
		send_bytes("client", what, all[what])


func send_one(end: String, damage: String, tick: int) -> void:
	send_bytes(end, damage, Damages.damaged(var_to_bytes(state(tick)), damage), state(tick))


# With what the receiver's engine gets of it, and prints as errors. `value` is what it was before it was damaged, if it was one.
func send_bytes(end: String, damage: String, bytes: PackedByteArray, value: Variant = null) -> void:
	var prefix := 0 if packets else PREFIX
	var members := {"text": var_to_str(value) if value != null else "", "damage": damage, "bytes": bytes.hex_encode()}
	if not damage:
		(packets if packets else ends)[end].put_var(value)
	elif packets:
		packets[end].put_packet(bytes)
	else:
		ends[end].put_32(bytes.size())
		ends[end].put_data(bytes)
	while not has_arrived(other(end), prefix + bytes.size()) and wait():
		poll()
	var errors := Damages.Errors.new()
	OS.add_logger(errors)
	members["received"] = var_to_str((packets if packets else ends)[other(end)].get_var())
	OS.remove_logger(errors)
	members["errors"] = errors.texts
	write(end, "put_var" if not damage else "put_packet" if packets else "put_data", prefix + bytes.size(), members)
	if not damage and members["received"] != members["text"]:
		fail("got %s for %s" % [members["received"], members["text"]])
	pause()


# --- ENet ---------------------------------------------------------------------------------------

const CLIENT_PORT := 40701
const MODES := [MultiplayerPeer.TRANSFER_MODE_RELIABLE, MultiplayerPeer.TRANSFER_MODE_UNRELIABLE,
	MultiplayerPeer.TRANSFER_MODE_UNRELIABLE_ORDERED]


func wait_for(peers: Dictionary, reached: Callable) -> void:
	while not reached.call() and wait():
		for peer in peers.values():
			peer.poll()


func serve(peers: Dictionary) -> void:
	for i in range(10):
		wait()
		for peer in peers.values():
			peer.poll()


# The server's peer id is 1. A client sends to the server; target 0 is everybody.
func enet_put_var() -> void:
	var peers := {"server": ENetMultiplayerPeer.new()}
	peers["server"].set_bind_ip("127.0.0.1")
	peers["server"].create_server(PORT, 8)
	for number in [1, 2]:
		var client := ENetMultiplayerPeer.new()
		client.create_client("127.0.0.1", PORT, 0, 0, 0, CLIENT_PORT + number)
		peers["client%d" % number] = client
		wait_for(peers, func(): return client.get_connection_status() == MultiplayerPeer.CONNECTION_CONNECTED)
		serve(peers) # the server does not know yet
	var all := values() + [many_players()]
	for i in range(all.size()):
		var end: String = ["client1", "server", "client2", "server"][i % 4]
		var to := ["server"] if end != "server" else ["client1", "client2"] if i % 8 == 1 else ["client1"]
		var peer: ENetMultiplayerPeer = peers[end]
		peer.transfer_mode = MODES[i % 3] if i < all.size() - 1 else MultiplayerPeer.TRANSFER_MODE_RELIABLE
		peer.transfer_channel = 2 if i % 5 == 4 else 0
		peer.set_target_peer(0 if to.size() == 2 else peers[to[0]].get_unique_id())
		for one in to:
			note_enet(end, one, "put_var", all[i], peer.transfer_mode, peer.transfer_channel)
		peer.put_var(all[i])
		for one in to:
			wait_for(peers, func(): return peers[one].get_available_packet_count() > 0)
			check_same(one, peers[one].get_var(), all[i])
	for end in ["client2", "client1", "server"]:
		peers[end].close()
		peers.erase(end)
		serve(peers)


func note_enet(end: String, to: String, what: String, value: Variant, mode: int, channel: int) -> void:
	offsets[end] = 0
	write(end, what, var_to_bytes(value).size(), {"to": to, "mode": mode, "channel": channel, "text": var_to_str(value)})


func check_same(end: String, got: Variant, value: Variant) -> void:
	if var_to_str(got) != var_to_str(value):
		fail("%s got %s for %s" % [end, var_to_str(got), var_to_str(value)])


# Connect data is 0, as where a game does not give any. Adds the server's and the client's peer to `peers`.
func connect_hosts(hosts: Dictionary, peers: Dictionary) -> void:
	hosts["server"] = ENetConnection.new()
	hosts["client"] = ENetConnection.new()
	hosts["server"].create_host_bound("127.0.0.1", PORT, 8, 3)
	hosts["client"].create_host_bound("127.0.0.1", CLIENT_PORT, 1, 3)
	peers["client"] = hosts["client"].connect_to_host("127.0.0.1", PORT, 3)
	while peers.size() < 2 and wait():
		hosts["client"].service()
		var event: Array = hosts["server"].service()
		if event[0] == ENetConnection.EVENT_CONNECT:
			peers["server"] = event[1]
	while peers["client"].get_state() != ENetPacketPeer.STATE_CONNECTED and wait():
		hosts["client"].service()
		hosts["server"].service()


func disconnect_hosts(hosts: Dictionary, peers: Dictionary) -> void:
	peers["client"].peer_disconnect()
	for i in range(10):
		wait()
		for host in hosts.values():
			host.service()
	for host in hosts.values():
		host.destroy()


# Returns what arrived.
func send_in_enet(hosts: Dictionary, peers: Dictionary, end: String, channel: int, bytes: PackedByteArray, flag: int) -> PackedByteArray:
	peers[end].send(channel, bytes, flag)
	while peers[other(end)].get_available_packet_count() == 0 and wait():
		for host in hosts.values():
			host.service()
	return peers[other(end)].get_packet()


func enet_send() -> void:
	var hosts := {}
	var peers := {}
	connect_hosts(hosts, peers)
	var flags := [ENetPacketPeer.FLAG_RELIABLE, 0, ENetPacketPeer.FLAG_UNSEQUENCED]
	var all := values() + [many_players()]
	for i in range(all.size()):
		var end := "server" if i % 3 == 2 else "client"
		var flag: int = flags[i % 3] if i < all.size() - 1 else ENetPacketPeer.FLAG_RELIABLE
		note_enet(end, other(end), "send", all[i], flag, i % 2)
		check_same(other(end), bytes_to_var(send_in_enet(hosts, peers, end, i % 2, var_to_bytes(all[i]), flag)), all[i])
	disconnect_hosts(hosts, peers)


# snapshot.gd has the format.
func enet_snapshots() -> void:
	var hosts := {}
	var peers := {}
	connect_hosts(hosts, peers)
	for tick in range(400, 406):
		var end := "client" if tick % 3 == 0 else "server"
		var bytes: PackedByteArray = Snapshot.bytes(tick, tick % 4)
		offsets[end] = 0
		write(end, "send", bytes.size(), {"to": other(end), "mode": tick % 2, "channel": tick % 3, "snapshot": Snapshot.content(tick, tick % 4)})
		if send_in_enet(hosts, peers, end, tick % 3, bytes, tick % 2) != bytes:
			fail("%s got other bytes" % other(end))
	disconnect_hosts(hosts, peers)
