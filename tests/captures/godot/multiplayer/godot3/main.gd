# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# One process of a multiplayer session. make_sessions.sh starts three (server, client1, client2) and says in the
# environment which one this is (GAMEWIRE_ROLE), what to play (GAMEWIRE_PART), how to compress (GAMEWIRE_COMPRESSION)
# and how to travel (GAMEWIRE_TRANSPORT). The server leads: it gives each client its turn by an RPC.

const Log = preload("res://log.gd")
const Secrets = preload("res://secrets.gd")
const Tunnel = preload("res://tunnel.gd")

const PORT = 40600
const DTLS_PORT = 40603 # of the server's end of tunnel.gd
const TUNNEL_PORTS = {"client1": 40604, "client2": 40605} # of the clients' ends
const CARRIER_PORT = 40650 # of webrtc.py
const CLIENT_PORTS = {"client1": 40611, "client2": 40612}
const CLIENTS = 2
const PAUSE = 0.1
const PATIENCE = 40.0

const COMPRESSIONS = {
	"none": NetworkedMultiplayerENet.COMPRESS_NONE,
	"range-coder": NetworkedMultiplayerENet.COMPRESS_RANGE_CODER,
	"fastlz": NetworkedMultiplayerENet.COMPRESS_FASTLZ,
	"zlib": NetworkedMultiplayerENet.COMPRESS_ZLIB,
	"zstd": NetworkedMultiplayerENet.COMPRESS_ZSTD,
}

signal turn_over

var role = OS.get_environment("GAMEWIRE_ROLE")
var transport = OS.get_environment("GAMEWIRE_TRANSPORT")
var part
var websocket
var carried
var low_byte = -1 # of a client's id, which the engine chooses
var clients = {} # name: peer id, at the server


func _ready():
	Engine.target_fps = 60
	get_tree().create_timer(PATIENCE).connect("timeout", self, "give_up")
	get_tree().connect("network_peer_connected", self, "_on_peer_event", ["peer_connected"])
	get_tree().connect("network_peer_disconnected", self, "_on_peer_event", ["peer_disconnected"])
	get_tree().connect("connected_to_server", self, "_on_connected_to_server")
	get_tree().connect("connection_failed", self, "_on_end", ["connection_failed"])
	get_tree().connect("server_disconnected", self, "_on_end", ["server_disconnected"])
	part = load("res://part_%s.gd" % OS.get_environment("GAMEWIRE_PART")).new()
	part.name = "Part"
	part.main = self
	add_child(part)
	part.prepare()
	open()


func open():
	var peer
	if transport.begins_with("websocket"):
		peer = open_websocket()
	elif transport == "webrtc":
		peer = open_carried()
	else:
		if transport == "dtls":
			open_tunnel()
		peer = open_enet()
	get_tree().network_peer = peer
	Engine.set_meta("peer", get_tree().get_network_unique_id())
	if peer is NetworkedMultiplayerENet:
		Log.line("peer", {"id": get_tree().get_network_unique_id(),
			"port": CLIENT_PORTS[role] if role in CLIENT_PORTS else PORT})
	if role == "server":
		part.lead()


func open_enet():
	var peer = NetworkedMultiplayerENet.new()
	peer.compression_mode = COMPRESSIONS[OS.get_environment("GAMEWIRE_COMPRESSION")]
	var error
	if role == "server":
		peer.set_bind_ip("127.0.0.1")
		error = peer.create_server(PORT, 8)
	else:
		var port = TUNNEL_PORTS[role] if transport == "dtls" else PORT
		error = peer.create_client("127.0.0.1", port, 0, 0, CLIENT_PORTS[role])
		while error == OK and low_byte >= 0 and peer.get_unique_id() & 0xff != low_byte:
			peer.close_connection() # nothing was sent yet
			error = peer.create_client("127.0.0.1", port, 0, 0, CLIENT_PORTS[role])
	if error != OK:
		give_up()
	return peer


# Loaded only where it is used: not every Godot 3 has NetworkedMultiplayerCustom.
func open_carried():
	randomize()
	carried = load("res://carried_peer.gd").new(1 if role == "server" else 2 + randi() % 0x7ffffffd, CARRIER_PORT)
	return carried


func open_tunnel():
	var tunnel = Tunnel.new()
	add_child(tunnel)
	if role == "server":
		tunnel.serve(DTLS_PORT, PORT)
	else:
		tunnel.connect_to(TUNNEL_PORTS[role], DTLS_PORT)


func open_websocket():
	var encrypted = transport == "websocket-tls"
	var error
	if role == "server":
		websocket = WebSocketServer.new()
		if encrypted:
			var secrets = Secrets.new()
			websocket.private_key = secrets.key
			websocket.ssl_certificate = secrets.certificate
		error = websocket.listen(PORT, PoolStringArray(), true)
	else:
		websocket = WebSocketClient.new()
		websocket.verify_ssl = false
		error = websocket.connect_to_url("%s://127.0.0.1:%d" % ["wss" if encrypted else "ws", PORT], PoolStringArray(), true)
	if error != OK:
		give_up()
	return websocket


func _process(_delta):
	if websocket != null:
		websocket.poll()
	if carried != null:
		carried.carry()


func _on_peer_event(id, event):
	Log.line(event, {"id": id})


func _on_end(event):
	Log.line(event, {})
	finish(0)


func _on_connected_to_server():
	Engine.set_meta("peer", get_tree().get_network_unique_id())
	Log.line("connected_to_server", {"id": get_tree().get_network_unique_id()})
	Log.send(self, 1, "join", [role])


func finish(code):
	Log.line("quit", {})
	get_tree().quit(code)


func give_up():
	printerr("main.gd: %s gives up" % role)
	get_tree().quit(1)


# --- what the server leads by -------------------------------------------------------------------

remote func join(name_of_client):
	Log.received(self, "join", [name_of_client])
	clients[name_of_client] = get_tree().get_rpc_sender_id()


func everybody(count = CLIENTS):
	yield(get_tree(), "idle_frame")
	while clients.size() < count:
		yield(get_tree(), "idle_frame")
	yield(pause(), "completed")


func pause(seconds = PAUSE):
	yield(get_tree().create_timer(seconds), "timeout")


# Lets a client do one of its part's functions, and waits until it has.
func turn(client, what, arguments = []):
	Log.send(self, clients[client], "your_turn", [what, arguments])
	yield(self, "turn_over")
	yield(pause(), "completed")


puppet func your_turn(what, arguments):
	Log.received(self, "your_turn", [what, arguments])
	yield(part.callv(what, arguments), "completed")
	if get_tree().network_peer.get_connection_status() == NetworkedMultiplayerPeer.CONNECTION_CONNECTED:
		Log.send(self, 1, "my_turn_is_over", [what])


remote func my_turn_is_over(what):
	Log.received(self, "my_turn_is_over", [what])
	emit_signal("turn_over")


func close():
	if get_tree().network_peer is NetworkedMultiplayerENet:
		get_tree().network_peer.close_connection()
	elif carried != null:
		carried.close()
	elif role == "server":
		websocket.stop()
	else:
		websocket.disconnect_from_host()


# A client that leaves; the server notices.
func leave():
	yield(pause(), "completed")
	Log.line("leave", {})
	close()
	yield(pause(), "completed")
	finish(0)


func end():
	yield(pause(), "completed")
	Log.line("close", {})
	close()
	yield(pause(), "completed")
	finish(0)
