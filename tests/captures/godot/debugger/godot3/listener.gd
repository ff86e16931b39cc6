# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# The editor's end of a debugger session, with the engine's own serializer. Writes down every Variant that it gets and
# sends: the game sends a name, a number and then as many Variants, the editor sends one Array. GAMEWIRE_ADDRESS and
# GAMEWIRE_PORT are its own.

const PATIENCE_MSEC = 30000

var listener = TCP_Server.new()
var stream
var peer
var log_file = File.new()
var breaks = 0
var plan = [] # [msec after the start, command]: what to send in time
var started = 0
var player = 0
var message = "" # that is coming in
var missing = -1 # how many of its Variants are missing; -1: even their number
var values = []


func _init():
	log_file.open(OS.get_environment("GAMEWIRE_LOG"), File.WRITE)
	Engine.target_fps = 100
	listener.listen(int(OS.get_environment("GAMEWIRE_PORT")), OS.get_environment("GAMEWIRE_ADDRESS"))
	started = OS.get_ticks_msec()


func write(from, value):
	log_file.store_line(JSON.print({"milliseconds": OS.get_system_time_msecs(),
		"editor": OS.get_environment("GAMEWIRE_ADDRESS"), "from": from, "text": var2str(value)}))


func send(command):
	write("editor", command)
	peer.put_var(command)


func later(msec, command):
	plan.append([OS.get_ticks_msec() + msec, command])
	plan.sort_custom(self, "is_earlier")


func is_earlier(one, other):
	return one[0] < other[0]


func _idle(_delta):
	if OS.get_ticks_msec() - started > PATIENCE_MSEC:
		printerr("listener.gd: gives up")
		quit(1)
		return true
	if peer == null:
		if listener.is_connection_available():
			accept()
		return false
	while peer.get_available_packet_count() > 0:
		var value = peer.get_var()
		write("game", value)
		take(value)
	while not plan.empty() and plan[0][0] <= OS.get_ticks_msec():
		send(plan.pop_front()[1])
	if stream.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		log_file.close()
		quit(0)
		return true
	return false


func accept():
	stream = listener.take_connection()
	stream.set_no_delay(true)
	peer = PacketPeerStream.new()
	peer.stream_peer = stream
	peer.input_buffer_max_size = 1 << 20
	later(600, ["request_scene_tree"])
	later(750, ["breakpoint", "res://game.gd", 999, true])
	later(800, ["start_profiling", 16])
	later(850, ["request_video_mem"])
	later(1300, ["stop_profiling"])


# One Variant of a message.
func take(value):
	if message == "":
		message = value
		missing = -1
		values = []
	elif missing < 0:
		missing = value
	else:
		values.append(value)
		missing -= 1
	if message != "" and missing == 0:
		received(message, values)
		message = ""


func received(name, data):
	match name:
		"message:scene_tree":
			remember_nodes(data)
			later(50, ["inspect_object", player])
			later(150, ["set_object_property", player, "position", Vector2(7, 8)])
			later(200, ["inspect_object", player])
		"debug_enter":
			breaks += 1
			send(["get_stack_dump"])
			later(100, ["get_stack_frame_vars", 0])
			later(200, ["get_stack_frame_vars", 1])
			later(300, ["next"] if breaks == 1 else ["continue"])


# Four values for each node: number of children, name, class, object id.
func remember_nodes(data):
	for i in range(0, data.size() - 3, 4):
		if data[i + 1] == "Player":
			player = data[i + 3]
