# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# Gives the records of this game to programs that connect by TCP: Wireshark's interface TCP@127.0.0.1:19123.
#
# A reader gets what was recorded before it came, up to a limit, and then each frame's records. The game never waits for a reader: what
# it does not take is kept up to a limit; above it, messages are left out as a whole, and the next one has their number.

const Format := preload("recording.gd")

const ADDRESS := "127.0.0.1"
const PORT := 19123
# Further games on the machine take the ports after it.
const PORTS := 16
const MOST_OF_PAST := 32 << 20
const MOST_OF_READER := 4 << 20

enum Kind { MESSAGE, NEEDED_MESSAGE, OTHER }


class Reader:
	var connection: StreamPeerTCP
	var waiting: PackedByteArray
	var limit := MOST_OF_READER
	var lost := 0       # messages since the last one that was not left out
	var lost_in_all := 0


var server := TCPServer.new()
var port := 0
var readers: Array[Reader] = []
var kept: Array[PackedByteArray] = [] # what a reader needs in any case, of before the past
var past: Array[PackedByteArray] = []
var past_kinds: PackedByteArray = []
var past_size := 0
var past_lost := 0
var fresh: Array[PackedByteArray] = [] # of this frame
var fresh_kinds: PackedByteArray = []
var given := 0 # records of the frames before: a place counts all
var interfaces := {} # recorder: number
var entries := 0


func listen(address: String, first_port: int) -> bool:
	for number in PORTS:
		if server.listen(first_port + number, address) == OK:
			port = first_port + number
			kept.append(Format.section())
			print("Gamewire: recording for readers of TCP@%s:%d (wireshark -k -i TCP@%s:%d)" % [address, port, address, port])
			if not address.begins_with("127."):
				print("Gamewire: everyone who can connect to this address reads all that this game sends and receives")
			return true
	push_error("Gamewire: cannot listen on %s, ports %d to %d" % [address, first_port, first_port + PORTS - 1])
	return false


func add(record: PackedByteArray, kind: Kind) -> int:
	fresh.append(record)
	fresh_kinds.append(kind)
	return given + fresh.size() - 1


func write_message(recorder: MultiplayerPeer, message: PackedByteArray, is_needed: bool) -> int:
	add_interface(recorder)
	var copy := message.duplicate()
	copy.encode_u32(Format.AT_INTERFACE, interfaces[recorder.get_instance_id()])
	return add(copy, Kind.NEEDED_MESSAGE if is_needed else Kind.MESSAGE)


func add_interface(recorder: MultiplayerPeer) -> void:
	if not interfaces.has(recorder.get_instance_id()):
		interfaces[recorder.get_instance_id()] = interfaces.size()
		add(Format.interface(recorder.peer), Kind.OTHER)


func write_names(recorder: MultiplayerPeer, names: RefCounted, time: int) -> void:
	add_interface(recorder)
	add(Format.names_record(names.entries.slice(entries), time), Kind.OTHER)
	entries = names.entries.size()


# The engine handles what it has received in the same frame, unless the handler has replaced the peer.
func write_handler_time(place: int, time: int) -> void:
	if place >= given:
		fresh[place - given].encode_u32(Format.AT_HANDLER_TIME, time)


func end() -> void:
	pass


# --- readers ------------------------------------------------------------------------------------

# Once a frame.
func pump() -> void:
	while server.is_connection_available():
		add_reader(server.take_connection())
	for reader in readers:
		for i in fresh.size():
			give(reader, fresh[i], fresh_kinds[i])
		send(reader)
	readers = readers.filter(func(reader): return reader.connection != null)
	for i in fresh.size():
		past.append(fresh[i])
		past_kinds.append(fresh_kinds[i])
		past_size += fresh[i].size()
	given += fresh.size()
	fresh.clear()
	fresh_kinds.clear()
	if past_size > MOST_OF_PAST:
		forget()


# The older half of the past.
func forget() -> void:
	var count := 0
	while past_size > MOST_OF_PAST / 2.0:
		past_size -= past[count].size()
		if past_kinds[count] == Kind.MESSAGE:
			past_lost += 1
		else:
			kept.append(past[count])
		count += 1
	past = past.slice(count)
	past_kinds = past_kinds.slice(count)


func add_reader(connection: StreamPeerTCP) -> void:
	var reader := Reader.new()
	reader.connection = connection
	connection.set_no_delay(true)
	for record in kept:
		reader.waiting.append_array(record)
	reader.lost = past_lost
	reader.limit = 2 * MOST_OF_PAST + reader.waiting.size()
	for i in past.size():
		give(reader, past[i], past_kinds[i])
	reader.limit = reader.waiting.size() + MOST_OF_READER
	readers.append(reader)


func give(reader: Reader, record: PackedByteArray, kind: Kind) -> void:
	if kind == Kind.MESSAGE and reader.waiting.size() + record.size() > reader.limit:
		reader.lost += 1
		reader.lost_in_all += 1
		return
	if kind != Kind.OTHER and reader.lost:
		record = record.duplicate()
		record.encode_u32(Format.AT_LOST, reader.lost)
		reader.lost = 0
	reader.waiting.append_array(record)


func send(reader: Reader) -> void:
	reader.connection.poll()
	if reader.connection.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		close(reader)
		return
	if reader.waiting.is_empty():
		return
	var result := reader.connection.put_partial_data(reader.waiting)
	if result[0] != OK and result[0] != ERR_BUSY:
		close(reader)
	elif result[1] == reader.waiting.size():
		reader.waiting = PackedByteArray()
		reader.limit = MOST_OF_READER
	elif result[1] > 0:
		reader.waiting = reader.waiting.slice(result[1])


func close(reader: Reader) -> void:
	if reader.lost_in_all > 0:
		print("Gamewire: %d messages were left out for a reader that was too slow" % reader.lost_in_all)
	reader.connection.disconnect_from_host()
	reader.connection = null
