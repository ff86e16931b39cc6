# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# The editor's end of a debugger session, with the engine's own serializer. Writes down every message that it gets and
# sends. GAMEWIRE_TRANSPORT is tcp or websocket; GAMEWIRE_ADDRESS and GAMEWIRE_PORT are its own.

const PATIENCE_MSEC := 30000
const MAIN_THREAD := 1

var listener := TCPServer.new()
var stream: StreamPeerTCP
var socket: WebSocketPeer
var peer: PacketPeer
var log_file: FileAccess
var breaks := 0
var plan := [] # [msec after the start, message, data]: what to send in time
var started := 0
var thread := MAIN_THREAD
var game := 0
var player := 0


func _initialize() -> void:
	log_file = FileAccess.open(OS.get_environment("GAMEWIRE_LOG"), FileAccess.WRITE)
	Engine.max_fps = 100
	listener.listen(OS.get_environment("GAMEWIRE_PORT").to_int(), OS.get_environment("GAMEWIRE_ADDRESS"))
	started = Time.get_ticks_msec()


func write(from: String, message: Variant) -> void:
	log_file.store_line(JSON.stringify({"time": Time.get_unix_time_from_system(),
		"editor": OS.get_environment("GAMEWIRE_ADDRESS"), "from": from, "text": var_to_str(message)}, "", false, true))
	log_file.flush()


func send(message: String, data := []) -> void:
	var all := [message, thread, data]
	write("editor", all)
	peer.put_var(all)


func later(msec: int, message: String, data := []) -> void:
	plan.append([Time.get_ticks_msec() + msec, message, data])
	plan.sort_custom(func(one, other): return one[0] < other[0])


func _process(_delta: float) -> bool:
	if Time.get_ticks_msec() - started > PATIENCE_MSEC:
		printerr("listener.gd: gives up")
		quit(1)
		return true
	if peer == null:
		if listener.is_connection_available():
			accept()
		return false
	if socket != null:
		socket.poll()
	else:
		stream.poll()
	while peer.get_available_packet_count() > 0:
		var message = peer.get_var()
		write("game", message)
		received(message[0], message[2])
	while not plan.is_empty() and plan[0][0] <= Time.get_ticks_msec():
		var next: Array = plan.pop_front()
		send(next[1], next[2])
	var gone: bool = socket.get_ready_state() == WebSocketPeer.STATE_CLOSED if socket != null \
		else stream.get_status() != StreamPeerTCP.STATUS_CONNECTED
	if gone:
		log_file.close()
		quit(0)
	return gone


func accept() -> void:
	stream = listener.take_connection()
	if OS.get_environment("GAMEWIRE_TRANSPORT") == "websocket":
		socket = WebSocketPeer.new()
		socket.outbound_buffer_size = 1 << 20
		socket.inbound_buffer_size = 1 << 20
		socket.supported_protocols = ["binary"]
		socket.accept_stream(stream)
		peer = socket
	else:
		stream.set_no_delay(true)
		peer = PacketPeerStream.new()
		peer.stream_peer = stream
		peer.input_buffer_max_size = 1 << 20
	later(600, "scene:request_scene_tree")
	later(700, "game:ping", [{"from": "the editor"}, 7])
	later(750, "breakpoint", ["res://game.gd", 999, true])
	later(800, "profiler:servers", [true, [16, false]])


func received(message: String, data: Array) -> void:
	match message:
		"scene:scene_tree":
			remember_nodes(data)
			if breaks == 0:
				later(50, "scene:inspect_objects", [[player], true])
				later(150, "scene:set_object_property", [player, "position", Vector2(7, 8)])
				later(200, "scene:inspect_objects", [[player], false])
				later(300, "profiler:servers", [false])
		"debug_enter":
			breaks += 1
			thread = data[3]
			send("get_stack_dump")
			later(100, "get_stack_frame_vars", [0])
			later(200, "get_stack_frame_vars", [1])
			if breaks == 1:
				later(250, "evaluate", ["hp + steps", 0])
				later(300, "next")
			else:
				later(300, "continue")
				later(1200, "game:quit")
		"debug_exit":
			thread = MAIN_THREAD


# Six values for each node: number of children, name, class, object id, scene path, flags.
func remember_nodes(data: Array) -> void:
	for i in range(0, data.size() - 5, 6):
		if data[i + 1] == "Player":
			player = data[i + 3]
