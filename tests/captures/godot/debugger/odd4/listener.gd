# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# The editor's end of a debugger session, which sends messages that no editor sends. Writes down those, and all that the game sends:
# the engine's errors are among it. GAMEWIRE_ADDRESS and GAMEWIRE_PORT are its own.

const PATIENCE_MSEC := 30000
const MAIN_THREAD := 1

var listener := TCPServer.new()
var stream: StreamPeerTCP
var peer := PacketPeerStream.new()
var log_file: FileAccess
var started := Time.get_ticks_msec()
var next := 0 # msec
var odd := messages()


func _initialize() -> void:
	log_file = FileAccess.open(OS.get_environment("GAMEWIRE_LOG"), FileAccess.WRITE)
	Engine.max_fps = 100
	listener.listen(OS.get_environment("GAMEWIRE_PORT").to_int(), OS.get_environment("GAMEWIRE_ADDRESS"))


func messages() -> Dictionary:
	var sound := ["breakpoint", MAIN_THREAD, ["res://game.gd", 999, true]]
	var cut := var_to_bytes(sound)
	cut[cut.size() - 8] = TYPE_STRING # the bool
	cut[cut.size() - 4] = 100
	return {
		"sound": var_to_bytes(sound),
		"a name alone": var_to_bytes(["breakpoint"]),
		"a text for a bool": var_to_bytes(["breakpoint", MAIN_THREAD, ["res://game.gd", 999, "yes"]]),
		"no values": var_to_bytes(["breakpoint", MAIN_THREAD, []]),
		"a text that is longer than the message": cut,
	}


func write(from: String, what: String, text: String) -> void:
	log_file.store_line(JSON.stringify({"time": Time.get_unix_time_from_system(), "from": from, "what": what, "text": text}, "", false, true))
	log_file.flush()


func _process(_delta: float) -> bool:
	if Time.get_ticks_msec() - started > PATIENCE_MSEC:
		printerr("listener.gd: gives up")
		quit(1)
		return true
	if stream == null:
		if listener.is_connection_available():
			stream = listener.take_connection()
			stream.set_no_delay(true)
			peer.stream_peer = stream
			peer.input_buffer_max_size = 1 << 20
			next = Time.get_ticks_msec() + 1200
		return false
	stream.poll()
	while peer.get_available_packet_count() > 0:
		write("game", "", var_to_str(peer.get_var()))
	if not odd.is_empty() and next <= Time.get_ticks_msec():
		var what: String = odd.keys()[0]
		write("editor", what, odd[what].hex_encode())
		peer.put_packet(odd[what])
		odd.erase(what)
		next += 150
	if stream.get_status() == StreamPeerTCP.STATUS_CONNECTED:
		return false
	log_file.close()
	quit()
	return true
