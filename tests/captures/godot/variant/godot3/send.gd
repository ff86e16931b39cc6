# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# Sends Variants with PacketPeerUDP.put_var over loopback, one datagram each, and writes
# beside each what it was. Runs on Godot 3.2 to 3.6:
#
#     GAMEWIRE_PART=everything godot3-server --path godot3 --script send.gd
#
# The conversations differ in their source port; all go to LISTENER_PORT, where the same
# process receives them, so that the record also holds what the engine makes of its own bytes.

const LISTENER_PORT = 40300
const TYPES_PORT = 40301        # every type, edge values
const GAME_PORT = 40302         # what a game would send
const VECTOR3_PORT = 40303      # positions and nothing else
const LATE_PROOF_PORT = 40304   # small ints, one dictionary, small ints
const SAME_BYTES_PORT = 40305   # bytes that other generations read as another type

const RECORDS_FILE = "res://sent.txt"
const RECEIVE_TIMEOUT_MSEC = 2000

const Item = preload("res://item.gd")

var listener = PacketPeerUDP.new()
var senders = {}
var records = File.new()
var nodes = []
var failed = false


func _init():
	if records.open(RECORDS_FILE, File.WRITE) != OK:
		fail("cannot write " + RECORDS_FILE)
	elif listener.listen(LISTENER_PORT, "127.0.0.1") != OK:
		fail("port %d is taken" % LISTENER_PORT)
	else:
		send_part(OS.get_environment("GAMEWIRE_PART"))
	records.close()
	for node in nodes:
		node.free()
	quit(1 if failed else 0)


func send_part(part):
	match part:
		"everything":
			send_types()
			send_each(GAME_PORT, "game", game_messages())
			send_in_turn()
		"game":
			send_each(GAME_PORT, "game", game_messages())
		"vector3-only":
			send_each(VECTOR3_PORT, "position", positions())
		"late-proof":
			send_each(LATE_PROOF_PORT, "late proof", late_proof())
		"same-bytes":
			send_each(SAME_BYTES_PORT, "same bytes", same_bytes())
		_:
			fail("GAMEWIRE_PART is '%s'" % part)


# --- sending and recording --------------------------------------------------------------------

func fail(reason):
	printerr("send.gd: " + reason)
	failed = true


func sender(port):
	if not senders.has(port):
		var peer = PacketPeerUDP.new()
		if peer.listen(port, "127.0.0.1") != OK:
			fail("port %d is taken" % port)
		peer.set_dest_address("127.0.0.1", LISTENER_PORT)
		senders[port] = peer
	return senders[port]


# Sends one value and writes one line about it, tab-separated: source port, label, engine's
# type number, full objects or not, and in base64 (var2str may hold line breaks) the engine's
# own text of what was sent and of what arrived.
func send(port, label, value, full_objects = false, read_back = true):
	if failed:
		return
	var text = var2str(value)
	if sender(port).put_var(value, full_objects) != OK:
		fail("put_var of '%s' failed" % label)
		return
	var deadline = OS.get_ticks_msec() + RECEIVE_TIMEOUT_MSEC
	while listener.get_available_packet_count() == 0:
		if OS.get_ticks_msec() > deadline:
			fail("'%s' did not arrive" % label)
			return
		OS.delay_msec(1)
	var received = text
	if read_back:
		received = var2str(listener.get_var(true))
	else:
		listener.get_packet()
	records.store_line(PoolStringArray([
		str(port), label, str(typeof(value)), "1" if full_objects else "0",
		base64(text), base64(received)
	]).join("\t"))


# utf8_to_base64 takes an empty text, which var2str makes of a RID, for a mistake.
func base64(text):
	return "" if text.empty() else Marshalls.utf8_to_base64(text)


func send_each(port, label, values):
	for value in values:
		send(port, label, value)


# Three conversations at once, a packet of each in turn.
func send_in_turn():
	var vectors = positions()
	var numbers = late_proof()
	var ambiguous = same_bytes()
	for i in range(max(vectors.size(), max(numbers.size(), ambiguous.size()))):
		if i < vectors.size():
			send(VECTOR3_PORT, "position", vectors[i])
		if i < numbers.size():
			send(LATE_PROOF_PORT, "late proof", numbers[i])
		if i < ambiguous.size():
			send(SAME_BYTES_PORT, "same bytes", ambiguous[i])


func types(label, values):
	send_each(TYPES_PORT, label, values)


func types_full(label, value):
	send(TYPES_PORT, label, value, true)


# --- every type, with edge values -------------------------------------------------------------

func send_types():
	send_scalars()
	send_strings()
	send_math()
	send_node_paths()
	send_handles_and_objects()
	send_containers()
	send_packed_arrays()


func send_scalars():
	types("nil", [null])
	types("bool", [false, true])
	types("int", [0, 1, -1, 255, 256, 65535, 65536])
	types("int at the 32-bit borders", [
		2147483646, 2147483647, 2147483648, 4294967295, 4294967296,
		-2147483647, -2147483648, -2147483649
	])
	types("int at the 64-bit borders", [
		9007199254740993, 9223372036854775807, -9223372036854775807, -9223372036854775807 - 1
	])
	types("float exact in 32 bits", [
		0.0, negative_zero(), 0.5, 1.0, -2.25, 1024.0, 16777216.0, 1234567.125
	])
	types("float not exact in 32 bits", [
		0.1, -0.1, 1.0 / 3.0, PI, 1e-7, 16777217.0, 123456789.0, 1e15, 1e16, 1e20, 1e100
	])
	types("float where the notation changes", [
		99999.0, 999999.0, 1000000.0, 1234567.0, 12345.678, 999999.5, 1e14, 123456789012345.6, 1234567890123456.0,
		0.001, 0.0001, 0.00001, 0.000123456789, 0.25e-4
	])
	types("float at the borders", [
		largest_float32(), 3.5e38, pow(2.0, -149), pow(2.0, -1074), 1.7976931348623157e308
	])
	types("float infinity", [INF, -INF])
	types("float not a number", [NAN])


# By arithmetic: as a literal it is one with 0.0 in the compiled script's list of constants.
func negative_zero():
	var zero = 0.0
	return -1.0 * zero



# By arithmetic: the script compiler does not round such a long literal correctly.
func largest_float32():
	return (2.0 - pow(2.0, -23)) * pow(2.0, 127)


func send_strings():
	types("String empty", [""])
	types("String of 1 to 8 bytes", ["a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"])
	types("String beyond ASCII", ["é", "日本", "😀", "naïve café ☕ in 東京 😀"])
	types("String with marks to escape", [
		"say \"hi\"", "back\\slash", "two\nlines", "tab\there", "return\rhere", "it's", "%s %d", "\b\f\v"
	])
	types("String with control characters", [char(1) + char(27) + "[0m" + char(127)])
	# Godot 3.2 writes three bytes for each, which is not valid UTF-8; 3.6 puts a space instead.
	types("String with half a surrogate pair", [char(0xD800), char(0xDFFF) + "x"])
	types("String of digits", ["12", "1.5"])
	types("String of 1001 bytes", ["0123456789".repeat(100) + "!"])


func send_math():
	types("Vector2", [Vector2(), Vector2(1, 2), Vector2(1.5, -2.25), Vector2(0.1, 1e20)])
	types("Vector2 where the notation changes", [
		Vector2(999999, 1000000), Vector2(123456789, 0.0001), Vector2(0.00001, 1e15), Vector2(12345.678, 1.0 / 3.0)
	])
	types("Vector2 not finite", [Vector2(INF, -INF), Vector2(NAN, negative_zero())])
	types("Rect2", [Rect2(), Rect2(1, 2, 3, 4), Rect2(-1.5, 2.25, 0.1, 1e-7)])
	types("Vector3", [Vector3(), Vector3(1, 2, 3), Vector3(-1.5, 0.1, 1e20)])
	types("Transform2D", [Transform2D(), Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6))])
	types("Plane", [Plane(), Plane(1, 2, 3, 4), Plane(Vector3(0, 1, 0), -2.5)])
	types("Quat", [Quat(), Quat(1, 2, 3, 4), Quat(0.5, -0.5, 0.5, -0.5)])
	types("AABB", [AABB(), AABB(Vector3(1, 2, 3), Vector3(4, 5, 6))])
	types("Basis", [Basis(), distinct_basis()])
	types("Transform", [Transform(), Transform(distinct_basis(), Vector3(10, 11, 12))])
	types("Color", [Color(), Color(0.25, 0.5, 0.75, 1), Color(0.1, 0.2, 0.3, 0.4), Color(-1, 2, 100, 0)])


# Its columns are (1, 2, 3), (4, 5, 6) and (7, 8, 9).
func distinct_basis():
	return Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))


func send_node_paths():
	types("NodePath empty", [NodePath("")])
	types("NodePath root", [NodePath("/")])
	types("NodePath relative", [
		NodePath("a"), NodePath("."), NodePath(".."), NodePath("Player"),
		NodePath("../Enemies/Orc7"), NodePath("日本/é")
	])
	types("NodePath absolute", [NodePath("/root"), NodePath("/root/Main/Player")])
	types("NodePath with subnames", [
		NodePath("a:b"), NodePath("a:b:c"), NodePath("Player/Sprite:texture:size"), NodePath(":position:x"),
		NodePath("/root/Main:rotation")
	])


func send_handles_and_objects():
	types("RID empty", [RID()])
	types("RID of a physics space", [PhysicsServer.space_create()])
	var node = Node.new()
	node.name = "Hero"
	nodes.append(node)
	var no_node: Node = null
	types("null Object", [no_node])
	types_full("null Object, full", no_node)
	var gone = Node.new()
	gone.free()
	types("freed Object", [gone])
	types("Node as id", [node])
	types("Reference as id", [Reference.new()])
	types("scripted Object as id", [Item.new()])
	types("Object as id in an Array", [[node, 1]])
	types_full("Reference, full", Reference.new())
	types_full("Node, full", node)
	types_full("Resource, full", RectangleShape2D.new())
	types_full("Resource with a Resource inside, full", jump_shortcut())
	# Godot 3.6 crashes when it reads this back: the script arrives as source and is compiled.
	send(TYPES_PORT, "scripted Object, full", Item.new(), true, false)
	types_full("Object in a Dictionary, full", {"shape": RectangleShape2D.new(), "none": null})


func jump_shortcut():
	var event = InputEventAction.new()
	event.action = "jump"
	event.pressed = true
	var shortcut = ShortCut.new()
	shortcut.shortcut = event
	return shortcut


func send_containers():
	types("Dictionary", [{}, {"a": 1}, {"b": 2, "a": 1}, {"nested": {"deeper": {"deepest": null}}}])
	types("Dictionary with keys of many types", [{
		null: "nil", true: "bool", 1: "int", 4294967296: "long int", 0.1: "float", "text": "String",
		Vector2(1, 2): "Vector2", Vector3(1, 2, 3): "Vector3", Color(1, 0, 0): "Color",
		NodePath("a:b"): "NodePath", [1, 2]: "Array"
	}])
	types("Array", [[], [1], [1, "two", 3.0, null, true], [[], [[]], {}], [{"a": [1, {"b": 2}]}]])
	types("Array 20 deep", [nested_arrays(20)])
	types("Dictionary 20 deep", [nested_dictionaries(20)])
	types("Array of every type", [[
		null, true, 7, 0.1, "s", Vector2(1, 2), Rect2(1, 2, 3, 4), Vector3(1, 2, 3), Transform2D(),
		Plane(1, 2, 3, 4), Quat(), AABB(), Basis(), Transform(), Color(), NodePath("n:p"), RID(), {}, [],
		PoolByteArray([1]), PoolIntArray([1]), PoolRealArray([1.5]), PoolStringArray(["s"]),
		PoolVector2Array([Vector2(1, 2)]), PoolVector3Array([Vector3(1, 2, 3)]), PoolColorArray([Color()])
	]])


func nested_arrays(depth):
	var value = []
	for i in range(depth - 1):
		value = [value]
	return value


func nested_dictionaries(depth):
	var value = {}
	for i in range(depth - 1):
		value = {"in": value}
	return value


func send_packed_arrays():
	types("PoolByteArray", [PoolByteArray()])
	types("PoolByteArray of 1 to 5 bytes", [
		PoolByteArray([255]), PoolByteArray([0, 1]), PoolByteArray([1, 2, 3]), PoolByteArray([1, 2, 3, 4]),
		PoolByteArray([1, 2, 3, 4, 5])
	])
	types("PoolByteArray of 256 bytes", [PoolByteArray(range(256))])
	types("PoolIntArray", [
		PoolIntArray(), PoolIntArray([97]), PoolIntArray([0, -1, 2147483647, -2147483648])
	])
	types("PoolIntArray of 300", [PoolIntArray(range(300))])
	types("PoolRealArray", [
		PoolRealArray(), PoolRealArray([0.5]), PoolRealArray([0.1, negative_zero(), 1e20, INF, -INF, NAN])
	])
	types("PoolStringArray", [
		PoolStringArray(), PoolStringArray([""]),
		PoolStringArray(["", "a", "ab", "abc", "abcd", "日本", "say \"hi\""])
	])
	types("PoolVector2Array", [
		PoolVector2Array(), PoolVector2Array([Vector2(1, 2)]),
		PoolVector2Array([Vector2(1, 2), Vector2(-3.5, 0.1)])
	])
	types("PoolVector3Array", [
		PoolVector3Array(), PoolVector3Array([Vector3(1, 2, 3)]),
		PoolVector3Array([Vector3(1, 2, 3), Vector3(-4.5, 0.1, 6)])
	])
	types("PoolColorArray", [
		PoolColorArray(), PoolColorArray([Color(0.25, 0.5, 0.75, 1)]),
		PoolColorArray([Color(0.25, 0.5, 0.75, 1), Color(0.1, 0.2, 0.3, 0.4)])
	])


# --- conversations ----------------------------------------------------------------------------

func game_messages():
	return [
		{"cmd": "join", "name": "Åsa", "version": 3, "color": Color(0.25, 0.5, 0.75)},
		{"cmd": "welcome", "id": 7, "map": "res://maps/keep.tscn", "spawn": Vector2(64, -32)},
		{"cmd": "move", "pos": Vector2(1.5, -2)},
		{"cmd": "chat", "from": "Åsa", "text": "hello 👋, it's me"},
		["ping", 41], ["pong", 41],
		{"cmd": "state", "tick": 1201, "players": [
			{"id": 7, "name": "Åsa", "pos": Vector2(1.5, -2), "hp": 100, "alive": true},
			{"id": 9, "name": "Bo", "pos": Vector2(-20.25, 7.1), "hp": 0, "alive": false}
		]},
		{"cmd": "input", "tick": 1202, "keys": PoolByteArray([1, 0, 0, 1, 1]), "aim": 0.7853981633974483},
		{"cmd": "spawn", "scene": "arrow", "parent": NodePath("/root/Keep/Arrows"), "at":
			Transform2D(0.5, Vector2(12, 34)), "owner": 7},
		{"cmd": "inventory", "slots": [null, {"item": "sword", "wear": 0.25}, {"item": "rope", "count": 12}],
			"gold": 4294967296},
		{"cmd": "path", "points": PoolVector2Array([Vector2(0, 0), Vector2(16, 0), Vector2(16, 16.5)])},
		{"cmd": "leave", "id": 9, "reason": null}
	]


func positions():
	var values = []
	for step in range(8):
		values.append(Vector3(step * 0.5, 1.25, -4 + step * 0.1))
	return values


func late_proof():
	return [1, 2, 3, 4, {"score": 5, "of": "Åsa"}, 6, 7, 8]


# The first three and the last three can be read as 4.x: a Transform2D, a Plane, a StringName.
func same_bytes():
	var values = [AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)), Color(0.25, 0.5, 0.75, 1), PoolIntArray([97])]
	return values + [{"proof": true}] + values
