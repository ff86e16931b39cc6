# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# One end of DTLS connections that carry the datagrams of ENet, each in a record of its own, as the engine's ENet does
# with dtls_server_setup and dtls_client_setup (modules/enet: DTLSServer and PacketPeerDTLS over a UDP socket). Debian's
# engine links libenet, which has no DTLS. It has a thread of its own: with long round-trip times ENet drops unreliable
# packets before it sends them.

const Secrets := preload("res://secrets.gd")

var server: UDPServer # the server's end; else the client's
var dtls := DTLSServer.new()
var enet_port: int
var thread := Thread.new()
var ended := false
var links := [] # [PacketPeerDTLS, PacketPeerUDP toward ENet]


func serve(port: int, enet_server_port: int) -> void:
	enet_port = enet_server_port
	server = UDPServer.new()
	server.listen(port, "127.0.0.1")
	dtls.setup(Secrets.server_options())
	thread.start(run)


# ENet's client connects to `port`.
func connect_to(port: int, server_port: int) -> void:
	var plain := PacketPeerUDP.new()
	plain.bind(port, "127.0.0.1")
	var udp := PacketPeerUDP.new()
	udp.connect_to_host("127.0.0.1", server_port)
	var peer := PacketPeerDTLS.new()
	peer.connect_to_peer(udp, "127.0.0.1", TLSOptions.client_unsafe())
	links.append([peer, plain])
	thread.start(run)


func _exit_tree() -> void:
	ended = true
	thread.wait_to_finish()


func run() -> void:
	while not ended:
		step()
		OS.delay_usec(500)


func step() -> void:
	if server:
		server.poll()
		while server.is_connection_available():
			accept(server.take_connection())
	for link in links:
		carry(link[0], link[1])


# A client's first hello is answered by a cookie: the connection begins with the second.
func accept(udp: PacketPeerUDP) -> void:
	var peer := dtls.take_connection(udp)
	if peer.get_status() != PacketPeerDTLS.STATUS_HANDSHAKING:
		return
	var plain := PacketPeerUDP.new()
	plain.connect_to_host("127.0.0.1", enet_port)
	links.append([peer, plain])


func carry(peer: PacketPeerDTLS, plain: PacketPeerUDP) -> void:
	peer.poll()
	if peer.get_status() != PacketPeerDTLS.STATUS_CONNECTED:
		return
	while plain.get_available_packet_count():
		var datagram := plain.get_packet()
		if not server:
			plain.set_dest_address(plain.get_packet_ip(), plain.get_packet_port())
		peer.put_packet(datagram)
	while peer.get_available_packet_count():
		plain.put_packet(peer.get_packet())
