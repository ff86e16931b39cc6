# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# Ends of the remote file system that do what no engine does, for the engine's other end. GAMEWIRE_ODD is
#   game    a game, for an editor on PORT that serves the folder GAMEWIRE_FOLDER: another magic, another version, and a sound
#           head after a file was removed that the editor has listed
#   editor  an editor, for two games: another end than GEND, and bytes after it
# Writes what it sent, and what it got, to GAMEWIRE_LOG.

const PORT := 6010
const PASSWORD := "cave canem"
const PATIENCE_MSEC := 20000
const GAME := "[application]\nrun/main_loop_type=\"SceneTree\"\nconfig/name=\"served\"\n"

var log_file: FileAccess


func _initialize() -> void:
	log_file = FileAccess.open(OS.get_environment("GAMEWIRE_LOG"), FileAccess.WRITE)
	if OS.get_environment("GAMEWIRE_ODD") == "game":
		exchange("another magic", head("XRFS", 1))
		exchange("another version", head("GRFS", 2))
		DirAccess.remove_absolute(OS.get_environment("GAMEWIRE_FOLDER").path_join("notes.txt"))
		exchange("a file that is gone", head("GRFS", 1))
	else:
		var listener := TCPServer.new()
		listener.listen(PORT, "127.0.0.1")
		serve("another end", listener, "DNEG")
		serve("bytes after the end", listener, "GENDmore")
	quit()


func write(what: String, sent: PackedByteArray, received: PackedByteArray, closed: bool) -> void:
	log_file.store_line(JSON.stringify({"time": Time.get_unix_time_from_system(), "what": what, "bytes": sent.hex_encode(),
		"received": received.hex_encode(), "closed": closed}, "", false, true))


func head(magic: String, version: int) -> PackedByteArray:
	var bytes := StreamPeerBuffer.new()
	bytes.put_data(magic.to_ascii_buffer())
	bytes.put_u32(version)
	var password := PASSWORD.to_utf8_buffer()
	password.resize(32)
	bytes.put_data(password)
	bytes.put_u32(0) # tags
	bytes.put_u32(0) # files
	return bytes.data_array


func connected() -> StreamPeerTCP:
	var stream := StreamPeerTCP.new()
	stream.connect_to_host("127.0.0.1", PORT)
	while stream.get_status() == StreamPeerTCP.STATUS_CONNECTING:
		OS.delay_msec(1)
		stream.poll()
	stream.set_no_delay(true)
	return stream


# Sends, and collects what comes for two seconds, or until the other end closes.
func exchange(what: String, bytes: PackedByteArray) -> void:
	var stream := connected()
	stream.put_data(bytes)
	var received := PackedByteArray()
	for i in range(200):
		OS.delay_msec(10)
		received += stream.get_data(stream.get_available_bytes())[1]
		stream.poll()
		if stream.get_status() != StreamPeerTCP.STATUS_CONNECTED:
			break
	write(what, bytes, received, stream.get_status() != StreamPeerTCP.STATUS_CONNECTED)
	stream.disconnect_from_host()


# The files of a game whose only one is its settings.
func serve(what: String, listener: TCPServer, end: String) -> void:
	var since := Time.get_ticks_msec()
	while not listener.is_connection_available() and Time.get_ticks_msec() - since < PATIENCE_MSEC:
		OS.delay_msec(5)
	var stream := listener.take_connection()
	OS.delay_msec(300)
	stream.poll()
	var received: PackedByteArray = stream.get_data(stream.get_available_bytes())[1]
	var bytes := StreamPeerBuffer.new()
	bytes.put_u32(1)
	bytes.put_utf8_string("project.godot")
	bytes.put_u64(1_700_000_000)
	bytes.put_u64(GAME.length())
	bytes.put_data((GAME + end).to_ascii_buffer())
	stream.put_data(bytes.data_array)
	OS.delay_msec(300)
	write(what, bytes.data_array, received, false)
	stream.disconnect_from_host()
