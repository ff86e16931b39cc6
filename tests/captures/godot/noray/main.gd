# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# A player that connects through noray (tests/captures/godot/noray.sh). Prints a line "RECORD {…}" for what it registers, for each command
# that it gets from noray, and for its handshakes. Environment: ROLE, host, direct or relayed; OID, the file with the host's id;
# SECONDS of play.

const ADDRESS := "127.0.0.1"

var role := OS.get_environment("ROLE")
var oid_file := OS.get_environment("OID")

func _ready() -> void:
	get_tree().create_timer(OS.get_environment("SECONDS").to_float()).timeout.connect(get_tree().quit)
	Noray.on_command.connect(func(command, data): _record(command, data))
	Noray.on_connect_nat.connect(_connect)
	Noray.on_connect_relay.connect(_connect)
	multiplayer.connected_to_server.connect(func(): hello.rpc_id(1, role))
	await Noray.connect_to_host(ADDRESS)
	Noray.register_host()
	await Noray.on_pid
	_record("register", error_string(await Noray.register_remote()))
	_record("port", str(Noray.local_port))
	match role:
		"host":
			var peer := ENetMultiplayerPeer.new()
			peer.create_server(Noray.local_port)
			multiplayer.multiplayer_peer = peer
			FileAccess.open(oid_file, FileAccess.WRITE).store_string(Noray.oid)
		"direct":
			Noray.connect_nat(FileAccess.get_file_as_string(oid_file))
		"relayed":
			Noray.connect_relay(FileAccess.get_file_as_string(oid_file))

func _connect(address: String, port: int) -> void:
	if role == "host":
		await PacketHandshake.over_enet_peer(multiplayer.multiplayer_peer, address, port, 1.0)
		return
	var udp := PacketPeerUDP.new()
	udp.bind(Noray.local_port)
	udp.set_dest_address(address, port)
	_record("handshake", error_string(await PacketHandshake.over_packet_peer(udp)))
	udp.close()
	var peer := ENetMultiplayerPeer.new()
	peer.create_client(address, port, 0, 0, 0, Noray.local_port)
	multiplayer.multiplayer_peer = peer

@rpc("any_peer", "reliable")
func hello(text: String) -> void:
	_record("hello", text)

func _record(event: String, data: String) -> void:
	print("RECORD ", JSON.stringify({"role": role, "event": event, "data": data}))
