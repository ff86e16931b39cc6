# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# One peer of a game, as the user arguments say: role=server|client1|client2, transport=enet|dtls|websocket|secure-websocket, port=N,
# with=record (the game calls Gamewire.record itself), api=branch (this node has a multiplayer API of its own), plan=calls|auth|load|stall|flood|reconnect,
# password=TEXT (what a peer sends with plan=auth: a server refuses any but the default one), seconds=N (after=connected: from the first connection on),
# end=close|null|replace|inner|quit|lost (what the game does with its peer at its end; lost: it does nothing until the server has gone).
# What it sends and receives itself is printed.

const PASSWORD := "secret"

var options := {}
var own_peer: MultiplayerPeer # as games keep it, beside the recorder
var random := RandomNumberGenerator.new()


func _enter_tree() -> void:
	for argument in OS.get_cmdline_user_args():
		if "=" in argument and not argument.begins_with("--"):
			options[argument.get_slice("=", 0)] = argument.get_slice("=", 1)
	if options.get("api", "") == "branch":
		get_tree().set_multiplayer(MultiplayerAPI.create_default_interface(), get_path())


func _ready() -> void:
	random.seed = hash(options.role)
	if options.get("plan", "") == "auth":
		multiplayer.auth_callback = authenticate
		multiplayer.peer_authenticating.connect(func(id): multiplayer.send_auth(id, options.get("password", PASSWORD).to_utf8_buffer()))
		multiplayer.peer_authentication_failed.connect(func(id): print("refused %d" % id))
	multiplayer.peer_packet.connect(func(id, bytes): print("bytes %d %s" % [id, bytes.hex_encode()]))
	multiplayer.peer_connected.connect(func(id): print("connected %d" % id))
	multiplayer.peer_disconnected.connect(func(id): print("disconnected %d" % id))
	multiplayer.server_disconnected.connect(lose)
	if options.get("api", "") == "branch":
		multiplayer.multiplayer_peer = null
		await get_tree().create_timer(0.2).timeout
	start()
	if options.get("after", "") == "connected":
		await multiplayer.peer_connected
	await get_tree().create_timer(options.get("seconds", "6").to_float()).timeout
	print("end %d" % multiplayer.get_unique_id())
	await end()
	get_tree().quit()


func end() -> void:
	match options.get("end", "close"):
		"close":
			multiplayer.multiplayer_peer.close()
		"null":
			multiplayer.multiplayer_peer = null
			print("ended %s" % [recordings()])
		"replace":
			multiplayer.multiplayer_peer = OfflineMultiplayerPeer.new()
			print("ended %s" % [recordings()])
		"inner":
			own_peer.close()
			await get_tree().create_timer(0.1).timeout
			print("ended %s" % [recordings()])


# The types of the last block of each recording so far.
func recordings() -> Array:
	return Array(DirAccess.get_files_at("user://gamewire")).map(last_block)


func last_block(name: String) -> int:
	var bytes := FileAccess.get_file_as_bytes("user://gamewire/" + name)
	return bytes.decode_u32(bytes.size() - bytes.decode_u32(bytes.size() - 4))


func lose() -> void:
	print("server disconnected")
	if options.get("end", "") == "lost":
		multiplayer.multiplayer_peer = null
		print("ended %s" % [recordings()])


func is_server() -> bool:
	return options.role == "server"


func authenticate(id: int, data: PackedByteArray) -> void:
	print("auth %d %s" % [id, data.get_string_from_utf8()])
	if data.get_string_from_utf8() == PASSWORD:
		multiplayer.complete_auth(id)
	else:
		multiplayer.disconnect_peer(id)


func start() -> void:
	var peer := make_peer()
	own_peer = peer
	if peer is ENetMultiplayerPeer:
		peer.peer_connected.connect(keep_unreliable.bind(peer))
	if options.get("with", "") == "record":
		peer = get_node("/root/Gamewire").record(peer)
	multiplayer.multiplayer_peer = peer
	if is_server():
		multiplayer.peer_connected.connect(spawn)
	else:
		multiplayer.connected_to_server.connect(play)


# ENet drops unreliable messages itself when it thinks that the connection is slow. With no deceleration it drops none.
func keep_unreliable(id: int, enet: ENetMultiplayerPeer) -> void:
	enet.get_peer(id).throttle_configure(5000, 32, 0)


func make_peer() -> MultiplayerPeer:
	var port: int = options.port.to_int()
	if "websocket" in options.transport:
		var socket := WebSocketMultiplayerPeer.new()
		if is_server():
			socket.create_server(port, "127.0.0.1", TLSOptions.server(key(), certificate()) if "secure" in options.transport else null)
		elif "secure" in options.transport:
			socket.create_client("wss://127.0.0.1:%d" % port, TLSOptions.client_unsafe(certificate()))
		else:
			socket.create_client("ws://127.0.0.1:%d" % port)
		return socket
	var enet := ENetMultiplayerPeer.new()
	if is_server():
		enet.set_bind_ip("127.0.0.1")
		enet.create_server(port)
		if options.transport == "dtls":
			print("dtls %s" % error_string(enet.host.dtls_server_setup(TLSOptions.server(key(), certificate()))))
	else:
		enet.create_client("127.0.0.1", port)
		if options.transport == "dtls":
			print("dtls %s" % error_string(enet.host.dtls_client_setup("localhost", TLSOptions.client_unsafe(certificate()))))
	return enet


func key() -> CryptoKey:
	var loaded := CryptoKey.new()
	loaded.load("res://key.pem")
	return loaded


func certificate() -> X509Certificate:
	var loaded := X509Certificate.new()
	loaded.load("res://certificate.pem")
	return loaded


func spawn(id: int) -> void:
	var unit: Node = load("res://unit.tscn").instantiate()
	unit.name = str(id)
	unit.position = Vector2(id % 100, 0)
	$Units.add_child(unit, true)


# --- what clients do ----------------------------------------------------------------------------

func play() -> void:
	print("id %d" % multiplayer.get_unique_id())
	match options.get("plan", "calls"):
		"load":
			await load_up()
		"stall":
			stall.rpc_id(1, 150)
			stall.rpc_id(1, 60000)
		"flood":
			for i in 300:
				large.rpc_id(1, "%d" % i + "x".repeat(60000))
				await get_tree().create_timer(0.01).timeout
			flooded.rpc_id(1)
		_:
			await call_around()
	if options.get("plan", "") == "reconnect" and not options.has("again"):
		options.again = "yes"
		multiplayer.multiplayer_peer.close()
		multiplayer.connected_to_server.disconnect(play)
		await get_tree().create_timer(0.3).timeout
		start()


func call_around() -> void:
	for i in 20:
		reliable.rpc_id(1, i, "text %d" % i, [i, { "key": Vector2(i, 0.5) }])
		unreliable.rpc(i, Vector3(i, 1, 2))
		ordered.rpc_id(1, i)
		for other in multiplayer.get_peers():
			reliable.rpc_id(other, i, options.role, ^"Units:name")
		if i % 5 == 0:
			multiplayer.send_bytes(PackedByteArray([0xFF, i]), 1, MultiplayerPeer.TRANSFER_MODE_RELIABLE)
			for unit in $Units.get_children():
				unit.rename.rpc("%s %d" % [options.role, i])
		await get_tree().create_timer(0.05).timeout
	large.rpc_id(1, "x".repeat(5000))


# 1,000 messages a second, for three seconds.
func load_up() -> void:
	var begin := Time.get_ticks_msec()
	var sent := 0
	while sent < 3000:
		for i in mini(Time.get_ticks_msec() - begin, 3000) - sent:
			ordered.rpc_id(1, sent)
			sent += 1
		await get_tree().process_frame


@rpc("any_peer", "reliable")
func reliable(number: int, text: String, value: Variant) -> void:
	print("reliable %d %d %s %s" % [multiplayer.get_remote_sender_id(), number, text, var_to_str(value).replace("\n", "")])


@rpc("any_peer", "unreliable", "call_remote", 2)
func unreliable(number: int, place: Vector3) -> void:
	if is_server():
		$Units.get_node(str(multiplayer.get_remote_sender_id())).position = Vector2(place.x, number)


@rpc("any_peer", "unreliable_ordered", "call_remote", 3)
func ordered(_number: int) -> void:
	pass


@rpc("any_peer", "reliable", "call_remote", 4)
func large(_text: String) -> void:
	pass


@rpc("any_peer")
func stall(milliseconds: int) -> void:
	print("stalled" if milliseconds > 1000 else "stalling")
	OS.delay_msec(milliseconds)


@rpc("any_peer")
func flooded() -> void:
	print("flood end")
