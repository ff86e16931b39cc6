# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# The records of a recording, as blocks of a pcapng file, and a file of them. plugin/docs/recording.md describes them.

# Offsets in the block of a message (Enhanced Packet Block, little-endian): its own head, the tags of an exported PDU, the header of
# the plugin, the message.
const AT_LENGTH := 4
const AT_INTERFACE := 8
const AT_TIME_HIGH := 12
const AT_TIME_LOW := 16
const AT_CAPTURED := 20
const AT_ORIGINAL := 24
const BLOCK_HEAD := 28
const TAGS := 92
const HEADER := 40
const MESSAGE_HEAD := TAGS + HEADER
const AT_HEADER := BLOCK_HEAD + TAGS
const AT_MODE := AT_HEADER + 6
const AT_CHANNEL := AT_HEADER + 7
const AT_ORDINAL := AT_HEADER + 20
const AT_LOST := AT_HEADER + 24
const AT_PROCESS_FRAME := AT_HEADER + 28
const AT_PHYSICS_TICK := AT_HEADER + 32
const AT_HANDLER_TIME := AT_HEADER + 36

const VERSION := 2
const RECEIVED := 1
const HAS_FRAMES := 2
const HAS_HANDLER_TIME := 4

const SECTION := 0x0A0D0D0A
const INTERFACE := 1
const STATISTICS := 5
const PACKET := 6
const LINKTYPE_WIRESHARK_UPPER_PDU := 252

const MESSAGES := "godot_mp.exported"
const NAMES := "godot_mp.names"
const TRANSPORTS := ["", "ENetMultiplayerPeer", "WebSocketMultiplayerPeer", "WebRTCMultiplayerPeer"]

const FOLDER := "user://gamewire"
# A recording continues in another file after this size; the oldest files go when all of them are larger than the second.
const MOST_OF_FILE := 100 << 20
const MOST_OF_FOLDER := 500 << 20

static var PADS := [PackedByteArray(), PackedByteArray([0]), PackedByteArray([0, 0]), PackedByteArray([0, 0, 0])]
# Microseconds since 1970 when the ticks were 0. The system's clock may be set while the game runs.
static var epoch := int(Time.get_unix_time_from_system() * 1e6) - Time.get_ticks_usec()


static func now() -> int:
	return epoch + Time.get_ticks_usec()


static func transport_of(peer: MultiplayerPeer) -> int:
	return maxi(TRANSPORTS.find(peer.get_class()), 0)


# --- blocks -------------------------------------------------------------------------------------

static func le16(value: int) -> PackedByteArray:
	return PackedByteArray([value & 255, value >> 8 & 255])


static func le32(value: int) -> PackedByteArray:
	return le16(value) + le16(value >> 16)


static func be16(value: int) -> PackedByteArray:
	return PackedByteArray([value >> 8 & 255, value & 255])


static func be32(value: int) -> PackedByteArray:
	return be16(value >> 16) + be16(value)


static func padded(bytes: PackedByteArray) -> PackedByteArray:
	return bytes + PADS[-bytes.size() & 3]


static func block(type: int, body: PackedByteArray) -> PackedByteArray:
	var whole := padded(body)
	return le32(type) + le32(12 + whole.size()) + whole + le32(12 + whole.size())


static func option(code: int, value: PackedByteArray) -> PackedByteArray:
	return le16(code) + le16(value.size()) + padded(value)


static func text_option(code: int, text: String) -> PackedByteArray:
	var bytes := text.left(1000).to_utf8_buffer()
	return option(code, bytes) if not bytes.is_empty() else PackedByteArray()


# Option 1 is a comment, 3 the operating system, 4 the program that writes.
static func section() -> PackedByteArray:
	var head := le32(0x1A2B3C4D) + le16(1) + le16(0) + le32(-1) + le32(-1)
	var project: String = ProjectSettings.get_setting("application/config/name", "")
	var engine: String = Engine.get_version_info().string
	return block(SECTION, head + text_option(1, "Project: %s" % project) + text_option(3, OS.get_name())
		+ text_option(4, "Gamewire recorder 1, Godot %s" % engine) + option(0, PackedByteArray()))


# The name of an interface is that of the recording peer: frame.interface_name.
static func interface(peer: MultiplayerPeer) -> PackedByteArray:
	var id := peer.get_unique_id()
	return block(INTERFACE, le16(LINKTYPE_WIRESHARK_UPPER_PDU) + le16(0) + le32(0) + text_option(2, "server" if id == 1 else "peer %d" % id)
		+ text_option(3, peer.get_class()) + option(0, PackedByteArray()))


# At the end: how many messages there were, and how many of them are not in the file (options 4 and 5).
static func statistics(count: int, lost: int) -> PackedByteArray:
	var time := now()
	return block(STATISTICS, le32(0) + le32(time >> 32) + le32(time) + option(4, le32(count) + le32(0)) + option(5, le32(lost) + le32(0))
		+ option(0, PackedByteArray()))


static func packet(data: PackedByteArray, time: int) -> PackedByteArray:
	return block(PACKET, le32(0) + le32(time >> 32) + le32(time) + le32(data.size()) + le32(data.size()) + data)


# --- packets ------------------------------------------------------------------------------------

# A tag of an exported PDU: big-endian.
static func tag(number: int, value: PackedByteArray) -> PackedByteArray:
	return be16(number) + be16(value.size()) + value


static func dissector(name: String) -> PackedByteArray:
	return tag(12, padded(name.to_ascii_buffer()))


# A peer is the host 2001:db8::ID; these addresses are for documentation.
static func host(id: int) -> PackedByteArray:
	return PackedByteArray([0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0]) + be32(id)


# The tags 22 to 26: addresses, UDP, ports.
static func head_of_message(transport: int, from: int, to: int, connection: int, is_received: bool) -> PackedByteArray:
	var tags := (dissector(MESSAGES) + tag(22, host(from)) + tag(23, host(to)) + tag(24, be32(3)) + tag(25, be32(1)) + tag(26, be32(1))
		+ tag(0, PackedByteArray()))
	var flags := HAS_FRAMES | (RECEIVED | HAS_HANDLER_TIME if is_received else 0)
	var header := (PackedByteArray([VERSION, HEADER, transport, 4]) + le16(flags) + le16(0) + le32(connection) + le32(from) + le32(to)
		+ le32(0) + le32(0) + le32(0) + le32(0) + le32(-1 if is_received else 0))
	return le32(PACKET) + le32(0) + le32(0) + le32(0) + le32(0) + le32(0) + le32(0) + tags + header


static func names_record(entries: Array, time: int) -> PackedByteArray:
	var data := dissector(NAMES) + tag(0, PackedByteArray()) + PackedByteArray([1])
	for entry in entries:
		data.append_array(entry)
	return packet(data, time)


# --- a file -------------------------------------------------------------------------------------

var file: FileAccess
var path := ""
var part := 1
var most := MOST_OF_FILE
var size := 0
var base := 0    # size of the parts before this one: a place counts from the first one
var entries := 0 # of the names that were written
var messages := 0
var lost := 0    # messages that could not be written
var failed := false
var needed: Array[PackedByteArray] = [] # blocks that the next part needs, too


func open(recorder: MultiplayerPeer) -> void:
	DirAccess.make_dir_recursive_absolute(FOLDER)
	prune()
	var name := "%s-%d" % [Time.get_datetime_string_from_system().replace(":", "-"), recorder.get_unique_id()]
	path = FOLDER.path_join(name)
	var number := 2
	while FileAccess.file_exists(path + ".pcapng"):
		path = FOLDER.path_join("%s_%d" % [name, number])
		number += 1
	begin(file_name(), recorder)


func file_name() -> String:
	return path + (".pcapng" if part == 1 else "-part%d.pcapng" % part)


func begin(name: String, recorder: MultiplayerPeer) -> void:
	file = FileAccess.open(name, FileAccess.WRITE)
	failed = file == null
	if failed:
		push_error("Gamewire: cannot write %s" % name)
		return
	size = 0
	print("Gamewire: recording to %s" % ProjectSettings.globalize_path(name))
	store(section())
	store(interface(recorder.peer))


func store(bytes: PackedByteArray) -> void:
	file.store_buffer(bytes)
	file.flush()
	size += bytes.size()


func begin_if_needed(recorder: MultiplayerPeer) -> void:
	if file == null and not failed:
		open(recorder)


static func prune() -> void:
	var files := {}
	var total := 0
	for name in DirAccess.get_files_at(FOLDER):
		if name.get_extension() == "pcapng":
			var recording := FileAccess.open(FOLDER.path_join(name), FileAccess.READ)
			if recording != null:
				files[name] = recording.get_length()
				total += recording.get_length()
	var names := files.keys()
	names.sort()
	for name in names:
		if total <= MOST_OF_FOLDER - MOST_OF_FILE:
			break
		total -= files[name]
		DirAccess.remove_absolute(FOLDER.path_join(name))


# The place of the message, for the time of its handler; -1: it is not in the file.
func write_message(recorder: MultiplayerPeer, message: PackedByteArray, is_needed: bool) -> int:
	begin_if_needed(recorder)
	if size > most:
		next_part(recorder)
	messages += 1
	if failed:
		lost += 1
		return -1
	var place := base + size
	store(message)
	if is_needed:
		needed.append(message)
	if file.get_error() != OK:
		failed = true
		push_error("Gamewire: cannot write %s" % path)
	return place


func write_names(recorder: MultiplayerPeer, names: RefCounted, time: int) -> void:
	begin_if_needed(recorder)
	if failed:
		return
	var record := names_record(names.entries.slice(entries), time)
	entries = names.entries.size()
	needed.append(record)
	store(record)


func write_handler_time(place: int, time: int) -> void:
	if place < base or failed:
		return
	file.seek(place - base + AT_HANDLER_TIME)
	file.store_32(time)
	file.seek(size)


func next_part(recorder: MultiplayerPeer) -> void:
	part += 1
	base += size
	file.close()
	prune()
	begin(file_name(), recorder)
	for record in needed if not failed else []:
		store(record)


# The next message begins another file.
func end() -> void:
	if file != null and not failed:
		store(statistics(messages, lost))
		file.close()
		# In a browser, the folder is the page's own: the person gets the file as a download.
		if OS.has_feature("web"):
			var name := file_name()
			JavaScriptBridge.download_buffer(FileAccess.get_file_as_bytes(name), name.get_file(), "application/octet-stream")
	file = null
	failed = false
	part = 1
	base = 0
	entries = 0
	messages = 0
	lost = 0
	needed.clear()
