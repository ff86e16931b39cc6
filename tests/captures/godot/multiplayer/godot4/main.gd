# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# One process of a multiplayer session. make_sessions.sh starts three (server, client1, client2) and says in the
# environment which one this is (GAMEWIRE_ROLE), what to play (GAMEWIRE_PART), how to compress (GAMEWIRE_COMPRESSION)
# and how to travel (GAMEWIRE_TRANSPORT). The server leads: it gives each client its turn by an RPC.

const Log := preload("res://log.gd")
const CarriedPeer := preload("res://carried_peer.gd")
const Secrets := preload("res://secrets.gd")
const Tunnel := preload("res://tunnel.gd")

const PORT := 40600
const LOSSY_PORT := 40601 # of a relay that loses datagrams
const DTLS_PORT := 40603 # of the server's end of tunnel.gd
const TUNNEL_PORTS := {"client1": 40604, "client2": 40605} # of the clients' ends
const CARRIER_PORT := 40650 # of webrtc.py
const CLIENT_PORTS := {"client1": 40611, "client2": 40612}
const CLIENTS := 2
const PAUSE := 0.1
const PATIENCE := 100.0 # a browser loads the engine first

const COMPRESSIONS := {
	"none": ENetConnection.COMPRESS_NONE,
	"range-coder": ENetConnection.COMPRESS_RANGE_CODER,
	"fastlz": ENetConnection.COMPRESS_FASTLZ,
	"zlib": ENetConnection.COMPRESS_ZLIB,
	"zstd": ENetConnection.COMPRESS_ZSTD,
}

signal turn_over

var role := OS.get_environment("GAMEWIRE_ROLE")
var part: Node
var clients := {} # name: peer id, at the server


func _ready() -> void:
	Engine.max_fps = 60
	get_tree().create_timer(PATIENCE).timeout.connect(give_up)
	multiplayer.peer_connected.connect(func(id): Log.line("peer_connected", {"id": id}))
	multiplayer.peer_disconnected.connect(func(id): Log.line("peer_disconnected", {"id": id}))
	multiplayer.connected_to_server.connect(_on_connected_to_server)
	multiplayer.connection_failed.connect(func(): Log.line("connection_failed", {}); finish(0))
	multiplayer.server_disconnected.connect(func(): Log.line("server_disconnected", {}); finish(0))
	part = load("res://part_%s.gd" % OS.get_environment("GAMEWIRE_PART")).new()
	part.name = "Part"
	part.main = self
	add_child(part)
	part.prepare()
	if role in part.late:
		await pause(2.0)
	open()


func open() -> void:
	var peer: MultiplayerPeer
	if OS.get_environment("GAMEWIRE_TRANSPORT").begins_with("websocket"):
		peer = open_websocket()
	elif OS.get_environment("GAMEWIRE_TRANSPORT").begins_with("webrtc") and OS.has_feature("web"):
		var browser: Node = load("res://browser_peer.gd").new() # Debian's engine has no such classes
		add_child(browser)
		peer = browser.open(role)
	elif OS.get_environment("GAMEWIRE_TRANSPORT").begins_with("webrtc"):
		peer = CarriedPeer.new(1 if role == "server" else randi_range(2, 0x7fffffff), CARRIER_PORT)
	else:
		if OS.get_environment("GAMEWIRE_TRANSPORT") == "dtls":
			open_tunnel()
		peer = open_enet()
	multiplayer.multiplayer_peer = part.peer_for(peer)
	Log.peer = multiplayer.get_unique_id()
	if peer is ENetMultiplayerPeer:
		Log.line("peer", {"id": Log.peer, "port": CLIENT_PORTS.get(role, PORT)})
	if role == "server":
		part.lead()


func open_enet() -> MultiplayerPeer:
	var peer := ENetMultiplayerPeer.new()
	var error: int
	if role == "server":
		peer.set_bind_ip("127.0.0.1")
		error = peer.create_server(PORT, 8)
	else:
		error = peer.create_client("127.0.0.1", enet_port(), 0, 0, 0, CLIENT_PORTS[role])
	if error != OK:
		give_up()
	peer.host.compress(COMPRESSIONS[part.compression()])
	return peer


# To which a client connects.
func enet_port() -> int:
	match OS.get_environment("GAMEWIRE_TRANSPORT"):
		"dtls":
			return TUNNEL_PORTS[role]
		"lossy":
			return LOSSY_PORT if role == "client1" else PORT
	return PORT


func open_tunnel() -> void:
	var tunnel := Tunnel.new()
	add_child(tunnel)
	if role == "server":
		tunnel.serve(DTLS_PORT, PORT)
	else:
		tunnel.connect_to(TUNNEL_PORTS[role], DTLS_PORT)


func open_websocket() -> MultiplayerPeer:
	var peer := WebSocketMultiplayerPeer.new()
	var encrypted := OS.get_environment("GAMEWIRE_TRANSPORT") == "websocket-tls"
	var error: int
	if role == "server":
		error = peer.create_server(PORT, "127.0.0.1", Secrets.server_options() if encrypted else null)
	elif encrypted:
		error = peer.create_client("wss://127.0.0.1:%d" % PORT, TLSOptions.client_unsafe())
	else:
		error = peer.create_client("ws://127.0.0.1:%d" % PORT)
	if error != OK:
		give_up()
	return peer


func _on_connected_to_server() -> void:
	Log.peer = multiplayer.get_unique_id()
	Log.line("connected_to_server", {"id": Log.peer})
	Log.send(self, 1, "join", [role])


func finish(code: int) -> void:
	Log.line("quit", {})
	get_tree().quit(code)


func give_up() -> void:
	printerr("main.gd: %s gives up" % role)
	get_tree().quit(1)


# --- what the server leads by -------------------------------------------------------------------

@rpc("any_peer")
func join(name_of_client) -> void:
	Log.received(self, "join", [name_of_client])
	clients[name_of_client] = multiplayer.get_remote_sender_id()


func everybody(count := CLIENTS) -> void:
	while clients.size() < count:
		await get_tree().process_frame
	await pause()


func pause(seconds := PAUSE) -> void:
	await get_tree().create_timer(seconds).timeout


# Lets a client do one of its part's functions, and waits until it has.
func turn(client: String, what: String, arguments := []) -> void:
	Log.send(self, clients[client], "your_turn", [what, arguments])
	await turn_over
	await pause()


@rpc("authority")
func your_turn(what, arguments) -> void:
	Log.received(self, "your_turn", [what, arguments])
	await part.callv(what, arguments)
	if multiplayer.multiplayer_peer.get_connection_status() == MultiplayerPeer.CONNECTION_CONNECTED:
		Log.send(self, 1, "my_turn_is_over", [what])


@rpc("any_peer")
func my_turn_is_over(what) -> void:
	Log.received(self, "my_turn_is_over", [what])
	turn_over.emit()


# A client that leaves; the server notices.
func leave() -> void:
	await pause()
	Log.line("leave", {})
	multiplayer.multiplayer_peer.close()
	await pause()
	finish(0)


func end() -> void:
	await pause()
	Log.line("close", {})
	multiplayer.multiplayer_peer.close()
	await pause()
	finish(0)
