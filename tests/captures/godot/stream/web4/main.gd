# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# One end of a WebSocket: WebSocketPeer.put_var of values of every type, and of NodePaths wherever a value may contain one. The client
# puts all of them, the server some, then each what it got of the other but for what travels as an id. GAMEWIRE_ROLE is server or
# client; web.sh starts both.

const Values := preload("res://values.gd")
const Paths := preload("res://paths.gd")

const PORT := 40700
const PATIENCE := 100.0

signal something_happened

var role := OS.get_environment("GAMEWIRE_ROLE")
var peer := WebSocketPeer.new()
var listener := TCPServer.new()
var offset := 0 # bytes put so far
var log_file: FileAccess
var received := 0


func _ready() -> void:
	Engine.max_fps = 60
	get_tree().create_timer(PATIENCE).timeout.connect(func(): printerr("main.gd: nothing happens"); get_tree().quit(1))
	peer.outbound_buffer_size = 200000
	peer.inbound_buffer_size = 200000
	if role == "server":
		listener.listen(PORT, "127.0.0.1")
	else:
		peer.connect_to_url("ws://127.0.0.1:%d/game" % PORT)
		while peer.get_ready_state() != WebSocketPeer.STATE_OPEN:
			await get_tree().process_frame
		speak()


func _process(_delta: float) -> void:
	if listener.is_connection_available():
		peer.accept_stream(listener.take_connection())
	peer.poll()
	while peer.get_available_packet_count():
		take(bytes_to_var(peer.get_packet()))
	if peer.get_ready_state() == WebSocketPeer.STATE_CLOSED and received:
		set_process(false)
		get_tree().quit()


func write(what: String, length: int, members: Dictionary) -> void:
	var entry := {"time": Time.get_unix_time_from_system(), "from": role, "what": what, "offset": offset, "length": length}
	entry.merge(members)
	offset += length
	var text := JSON.stringify(entry, "", false, true)
	if OS.has_feature("web"):
		print("LOG ", text)
		return
	if log_file == null:
		log_file = FileAccess.open(OS.get_environment("GAMEWIRE_LOG"), FileAccess.WRITE)
	log_file.store_line(text)
	log_file.flush()


func put(value: Variant) -> void:
	write("put_var", var_to_bytes(value).size(), {"text": var_to_str(value)})
	peer.put_var(value)


# The server answers each third value with itself.
func take(value: Variant) -> void:
	received += 1
	if role == "server" and received % 3 == 0:
		put(value)


func speak() -> void:
	var all := [{"cmd": "join", "name": "Åsa", "target": ^"World/Door:hp"}]
	all += Paths.all()
	all += Values.all(self).filter(func(value): return not typeof(value) in [TYPE_OBJECT, TYPE_CALLABLE, TYPE_SIGNAL])
	for i in range(all.size()):
		put(all[i])
		if i % 4 == 3:
			await get_tree().process_frame
	await get_tree().create_timer(0.5).timeout
	peer.close()
