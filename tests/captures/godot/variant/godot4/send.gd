# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends SceneTree

# Sends Variants with PacketPeerUDP.put_var over loopback, one datagram each, and writes
# beside each what it was. Runs on Godot 4.4 and later (typed dictionaries came with 4.4):
#
#     GAMEWIRE_PART=everything godot --headless --path godot4 --script send.gd
#
# The conversations differ in their source port; all go to LISTENER_PORT, where the same
# process receives them, so that the record also holds what the engine makes of its own bytes.

const LISTENER_PORT := 40300
const TYPES_PORT := 40301        # every type, edge values
const GAME_PORT := 40302         # what a game would send
const VECTOR3_PORT := 40303      # positions and nothing else
const LATE_PROOF_PORT := 40304   # small ints, one dictionary, small ints
const SAME_BYTES_PORT := 40305   # bytes that other generations read as another type

const RECORDS_FILE := "res://sent.txt"
const RECEIVE_TIMEOUT_MSEC := 2000

const Item := preload("res://item.gd")

signal something_happened

var listener := PacketPeerUDP.new()
var senders := {}
var records: FileAccess
var nodes: Array[Node] = []
var failed := false


func _initialize() -> void:
	records = FileAccess.open(RECORDS_FILE, FileAccess.WRITE)
	if records == null:
		fail("cannot write " + RECORDS_FILE)
	elif listener.bind(LISTENER_PORT, "127.0.0.1") != OK:
		fail("port %d is taken" % LISTENER_PORT)
	else:
		send_part(OS.get_environment("GAMEWIRE_PART"))
		records.close()
	for node in nodes:
		node.free()
	quit(1 if failed else 0)


func send_part(part: String) -> void:
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

func fail(reason: String) -> void:
	printerr("send.gd: " + reason)
	failed = true


func sender(port: int) -> PacketPeerUDP:
	if not senders.has(port):
		var peer := PacketPeerUDP.new()
		if peer.bind(port, "127.0.0.1") != OK:
			fail("port %d is taken" % port)
		peer.set_dest_address("127.0.0.1", LISTENER_PORT)
		senders[port] = peer
	return senders[port]


# Sends one value and writes one line about it, tab-separated: source port, label, engine's
# type number, full objects or not, and in base64 (var_to_str may hold line breaks) the engine's
# own text of what was sent and of what arrived.
func send(port: int, label: String, value: Variant, full_objects := false) -> void:
	if failed:
		return
	var text := var_to_str(value)
	if sender(port).put_var(value, full_objects) != OK:
		fail("put_var of '%s' failed" % label)
		return
	var deadline := Time.get_ticks_msec() + RECEIVE_TIMEOUT_MSEC
	while listener.get_available_packet_count() == 0:
		if Time.get_ticks_msec() > deadline:
			fail("'%s' did not arrive" % label)
			return
		OS.delay_msec(1)
	var received := var_to_str(listener.get_var(true))
	records.store_line("\t".join([
		str(port), label, str(typeof(value)), "1" if full_objects else "0",
		Marshalls.utf8_to_base64(text), Marshalls.utf8_to_base64(received)
	]))


func send_each(port: int, label: String, values: Array) -> void:
	for value in values:
		send(port, label, value)


# Three conversations at once, a packet of each in turn.
func send_in_turn() -> void:
	var vectors := positions()
	var numbers := late_proof()
	var ambiguous := same_bytes()
	for i in range(max(vectors.size(), numbers.size(), ambiguous.size())):
		if i < vectors.size():
			send(VECTOR3_PORT, "position", vectors[i])
		if i < numbers.size():
			send(LATE_PROOF_PORT, "late proof", numbers[i])
		if i < ambiguous.size():
			send(SAME_BYTES_PORT, "same bytes", ambiguous[i])


func types(label: String, values: Array) -> void:
	send_each(TYPES_PORT, label, values)


func types_full(label: String, value: Variant) -> void:
	send(TYPES_PORT, label, value, true)


# --- every type, with edge values -------------------------------------------------------------

func send_types() -> void:
	send_scalars()
	send_strings()
	send_math()
	send_integer_math()
	send_node_paths()
	send_handles()
	send_objects()
	send_containers()
	send_typed_arrays()
	send_typed_dictionaries()
	send_packed_numbers()
	send_packed_others()


func send_scalars() -> void:
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
func negative_zero() -> float:
	var zero := 0.0
	return -1.0 * zero



# By arithmetic: the script compiler does not round such a long literal correctly.
func largest_float32() -> float:
	return (2.0 - pow(2.0, -23)) * pow(2.0, 127)


func send_strings() -> void:
	types("String empty", [""])
	types("String of 1 to 8 bytes", ["a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"])
	types("String beyond ASCII", ["é", "日本", "😀", "naïve café ☕ in 東京 😀"])
	types("String with marks to escape", [
		"say \"hi\"", "back\\slash", "two\nlines", "tab\there", "return\rhere", "it's", "%s %d", "\b\f\v"
	])
	types("String with control characters", [char(1) + char(27) + "[0m" + char(127)])
	types("String of digits", ["12", "1.5"])
	types("String of 1001 bytes", ["0123456789".repeat(100) + "!"])
	types("StringName", [&"", &"a", &"ab", &"abc", &"jump", &"日本", &"say \"hi\""])


func send_math() -> void:
	types("Vector2", [Vector2(), Vector2(1, 2), Vector2(1.5, -2.25), Vector2(0.1, 1e20)])
	types("Vector2 where the notation changes", [
		Vector2(999999, 1000000), Vector2(123456789, 0.0001), Vector2(0.00001, 1e15), Vector2(12345.678, 1.0 / 3.0)
	])
	types("Vector2 not finite", [Vector2(INF, -INF), Vector2(NAN, negative_zero())])
	types("Rect2", [Rect2(), Rect2(1, 2, 3, 4), Rect2(-1.5, 2.25, 0.1, 1e-7)])
	types("Vector3", [Vector3(), Vector3(1, 2, 3), Vector3(-1.5, 0.1, 1e20)])
	types("Transform2D", [Transform2D(), Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6))])
	types("Vector4", [Vector4(), Vector4(1, 2, 3, 4), Vector4(-1.5, 0.1, 1e20, 1e-7)])
	types("Plane", [Plane(), Plane(1, 2, 3, 4), Plane(Vector3(0, 1, 0), -2.5)])
	types("Quaternion", [Quaternion(), Quaternion(1, 2, 3, 4), Quaternion(0.5, -0.5, 0.5, -0.5)])
	types("AABB", [AABB(), AABB(Vector3(1, 2, 3), Vector3(4, 5, 6))])
	types("Basis", [Basis(), distinct_basis()])
	types("Transform3D", [Transform3D(), Transform3D(distinct_basis(), Vector3(10, 11, 12))])
	types("Projection", [Projection(), Projection(
		Vector4(1, 2, 3, 4), Vector4(5, 6, 7, 8), Vector4(9, 10, 11, 12), Vector4(13, 14, 15, 16)
	)])
	types("Color", [Color(), Color(0.25, 0.5, 0.75, 1), Color(0.1, 0.2, 0.3, 0.4), Color(-1, 2, 100, 0)])


# Its columns are (1, 2, 3), (4, 5, 6) and (7, 8, 9).
func distinct_basis() -> Basis:
	return Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))


func send_integer_math() -> void:
	var most := 2147483647
	var least := -2147483648
	types("Vector2i", [Vector2i(), Vector2i(1, -2), Vector2i(most, least)])
	types("Rect2i", [Rect2i(), Rect2i(1, -2, 3, 4), Rect2i(least, most, most, 0)])
	types("Vector3i", [Vector3i(), Vector3i(1, -2, 3), Vector3i(most, least, -1)])
	types("Vector4i", [Vector4i(), Vector4i(1, -2, 3, -4), Vector4i(most, least, -1, 0)])


func send_node_paths() -> void:
	types("NodePath empty", [^""])
	types("NodePath root", [^"/"])
	types("NodePath relative", [^"a", ^".", ^"..", ^"Player", ^"../Enemies/Orc7", ^"日本/é"])
	types("NodePath absolute", [^"/root", ^"/root/Main/Player"])
	types("NodePath with subnames", [
		^"a:b", ^"a:b:c", ^"Player/Sprite:texture:size", ^":position:x", ^"/root/Main:rotation"
	])


func send_handles() -> void:
	types("RID", [RID(), rid_from_int64(1), rid_from_int64(0x123456789abcdef0)])
	var space := PhysicsServer3D.space_create()
	types("RID of a physics space", [space])
	PhysicsServer3D.free_rid(space)
	types("Callable", [Callable(), Callable(self, "send_part"), func(): return 1, fail.bind("bound")])
	types("Signal", [Signal(), something_happened, Signal(self, "日本")])


func send_objects() -> void:
	var node := Node.new()
	node.name = "Hero"
	nodes.append(node)
	var no_node: Node = null
	types("null Object", [no_node])
	types_full("null Object, full", no_node)
	var gone := Node.new()
	gone.free()
	types("freed Object", [gone])
	types("Node as id", [node])
	types("RefCounted as id", [RefCounted.new()])
	types("scripted Object as id", [Item.new()])
	types("Object as id in an Array", [[node, 1]])
	types_full("RefCounted, full", RefCounted.new())
	types_full("Node, full", node)
	types_full("Resource, full", RectangleShape2D.new())
	types_full("Resource with a Resource inside, full", jump_shortcut())
	types_full("scripted Object, full", Item.new())
	types_full("Object in a Dictionary, full", {"shape": RectangleShape2D.new(), "none": null})


func jump_shortcut() -> Shortcut:
	var event := InputEventAction.new()
	event.action = &"jump"
	event.pressed = true
	var shortcut := Shortcut.new()
	shortcut.events = [event]
	return shortcut


func send_containers() -> void:
	types("Dictionary", [{}, {"a": 1}, {"b": 2, "a": 1}, {"nested": {"deeper": {"deepest": null}}}])
	types("Dictionary with keys of many types", [{
		null: "nil", true: "bool", 1: "int", 4294967296: "long int", 0.1: "float", "text": "String",
		&"name": "StringName", Vector2(1, 2): "Vector2", Vector3i(1, 2, 3): "Vector3i",
		Color(1, 0, 0): "Color", ^"a:b": "NodePath", [1, 2]: "Array"
	}])
	types("Array", [[], [1], [1, "two", 3.0, null, true], [[], [[]], {}], [{"a": [1, {"b": 2}]}]])
	types("Array 20 deep", [nested_arrays(20)])
	types("Dictionary 20 deep", [nested_dictionaries(20)])
	types("Array of every type", [[
		null, true, 7, 0.1, "s", Vector2(1, 2), Vector2i(1, 2), Rect2(1, 2, 3, 4), Rect2i(1, 2, 3, 4),
		Vector3(1, 2, 3), Vector3i(1, 2, 3), Transform2D(), Vector4(1, 2, 3, 4), Vector4i(1, 2, 3, 4),
		Plane(1, 2, 3, 4), Quaternion(), AABB(), Basis(), Transform3D(), Projection(), Color(), &"n",
		^"n:p", RID(), Callable(), Signal(), {}, [], PackedByteArray([1]), PackedInt32Array([1]),
		PackedInt64Array([1]), PackedFloat32Array([1.5]), PackedFloat64Array([1.5]), PackedStringArray(["s"]),
		PackedVector2Array([Vector2(1, 2)]), PackedVector3Array([Vector3(1, 2, 3)]),
		PackedColorArray([Color()]), PackedVector4Array([Vector4(1, 2, 3, 4)])
	]])


func nested_arrays(depth: int) -> Array:
	var value := []
	for i in range(depth - 1):
		value = [value]
	return value


func nested_dictionaries(depth: int) -> Dictionary:
	var value := {}
	for i in range(depth - 1):
		value = {"in": value}
	return value


func send_typed_arrays() -> void:
	var no_ints: Array[int] = []
	var ints: Array[int] = [1, 2, 4294967296]
	var strings: Array[String] = ["a", ""]
	var vectors: Array[Vector3] = [Vector3(1, 2, 3)]
	var arrays: Array[Array] = [[1], []]
	var dictionaries: Array[Dictionary] = [{"id": 7}, {}]
	var bytes: Array[PackedByteArray] = [PackedByteArray([1, 2])]
	for value in [no_ints, ints, strings, vectors, arrays, dictionaries, bytes]:
		types("Array of a built-in type", [value])
	types("Array of built-in types in an Array", [[no_ints, ints]])
	var no_shapes: Array[RectangleShape2D] = []
	var shapes: Array[RectangleShape2D] = [RectangleShape2D.new(), null]
	var no_items: Array[Item] = []
	var items: Array[Item] = [Item.new(), null]
	for value in [no_shapes, shapes]:
		types("Array of a class, ids", [value])
		types_full("Array of a class, full", value)
	for value in [no_items, items]:
		types("Array of a script, ids", [value])
		types_full("Array of a script, full", value)


func send_typed_dictionaries() -> void:
	var empty: Dictionary[String, int] = {}
	var both: Dictionary[String, int] = {"a": 1, "b": 4294967296}
	var key_only: Dictionary[StringName, Variant] = {&"a": 1, &"b": "two"}
	var value_only: Dictionary[Variant, float] = {1: 0.5, "two": 0.1}
	var vector_keys: Dictionary[Vector2i, Array] = {Vector2i(1, -2): [1]}
	for value in [empty, both, key_only, value_only, vector_keys]:
		types("Dictionary of built-in types", [value])
	var class_values: Dictionary[int, RectangleShape2D] = {1: RectangleShape2D.new(), 2: null}
	var script_values: Dictionary[String, Item] = {"held": Item.new()}
	var class_keys: Dictionary[RectangleShape2D, bool] = {RectangleShape2D.new(): true}
	var class_and_script: Dictionary[RectangleShape2D, Item] = {RectangleShape2D.new(): Item.new()}
	for value in [class_values, script_values, class_keys, class_and_script]:
		types("Dictionary of classes and scripts, ids", [value])
		types_full("Dictionary of classes and scripts, full", value)


func send_packed_numbers() -> void:
	types("PackedByteArray", [PackedByteArray()])
	types("PackedByteArray of 1 to 5 bytes", [
		PackedByteArray([255]), PackedByteArray([0, 1]), PackedByteArray([1, 2, 3]),
		PackedByteArray([1, 2, 3, 4]), PackedByteArray([1, 2, 3, 4, 5])
	])
	types("PackedByteArray of 256 bytes", [PackedByteArray(range(256))])
	types("PackedInt32Array", [
		PackedInt32Array(), PackedInt32Array([97]), PackedInt32Array([0, -1, 2147483647, -2147483648])
	])
	types("PackedInt32Array of 300", [PackedInt32Array(range(300))])
	types("PackedInt64Array", [
		PackedInt64Array(), PackedInt64Array([97]),
		PackedInt64Array([0, -1, 4294967296, 9223372036854775807, -9223372036854775807 - 1])
	])
	types("PackedFloat32Array", [
		PackedFloat32Array(), PackedFloat32Array([0.5]),
		PackedFloat32Array([0.1, negative_zero(), 1e20, INF, -INF, NAN])
	])
	types("PackedFloat64Array", [
		PackedFloat64Array(), PackedFloat64Array([0.5]),
		PackedFloat64Array([0.1, negative_zero(), 1e100, INF, -INF, NAN])
	])


func send_packed_others() -> void:
	types("PackedStringArray", [
		PackedStringArray(), PackedStringArray([""]),
		PackedStringArray(["", "a", "ab", "abc", "abcd", "日本", "say \"hi\""])
	])
	types("PackedVector2Array", [
		PackedVector2Array(), PackedVector2Array([Vector2(1, 2)]),
		PackedVector2Array([Vector2(1, 2), Vector2(-3.5, 0.1)])
	])
	types("PackedVector3Array", [
		PackedVector3Array(), PackedVector3Array([Vector3(1, 2, 3)]),
		PackedVector3Array([Vector3(1, 2, 3), Vector3(-4.5, 0.1, 6)])
	])
	types("PackedColorArray", [
		PackedColorArray(), PackedColorArray([Color(0.25, 0.5, 0.75, 1)]),
		PackedColorArray([Color(0.25, 0.5, 0.75, 1), Color(0.1, 0.2, 0.3, 0.4)])
	])
	types("PackedVector4Array", [
		PackedVector4Array(), PackedVector4Array([Vector4(1, 2, 3, 4)]),
		PackedVector4Array([Vector4(1, 2, 3, 4), Vector4(-5.5, 0.1, 7, 8)])
	])


# --- conversations ----------------------------------------------------------------------------

func game_messages() -> Array:
	return [
		{"cmd": "join", "name": "Åsa", "version": 3, "color": Color(0.25, 0.5, 0.75)},
		{"cmd": "welcome", "id": 7, "map": "res://maps/keep.tscn", "spawn": Vector2i(64, -32)},
		{"cmd": "move", "pos": Vector2(1.5, -2)},
		{"cmd": "chat", "from": "Åsa", "text": "hello 👋, it's me"},
		["ping", 41], ["pong", 41],
		{"cmd": "state", "tick": 1201, "players": [
			{"id": 7, "name": "Åsa", "pos": Vector2(1.5, -2), "hp": 100, "alive": true},
			{"id": 9, "name": "Bo", "pos": Vector2(-20.25, 7.1), "hp": 0, "alive": false}
		]},
		{"cmd": "input", "tick": 1202, "keys": PackedByteArray([1, 0, 0, 1, 1]), "aim": 0.7853981633974483},
		{"cmd": "spawn", "scene": &"arrow", "parent": ^"/root/Keep/Arrows", "at":
			Transform2D(0.5, Vector2(12, 34)), "owner": 7},
		{"cmd": "inventory", "slots": [null, {"item": "sword", "wear": 0.25}, {"item": "rope", "count": 12}],
			"gold": 4294967296},
		{"cmd": "path", "points": PackedVector2Array([Vector2(0, 0), Vector2(16, 0), Vector2(16, 16.5)])},
		{"cmd": "leave", "id": 9, "reason": null}
	]


func positions() -> Array:
	var values := []
	for step in range(8):
		values.append(Vector3(step * 0.5, 1.25, -4 + step * 0.1))
	return values


func late_proof() -> Array:
	return [1, 2, 3, 4, {"score": 5, "of": "Åsa"}, 6, 7, 8]


# The first three and the last three can be read as 3.x: an AABB, a Color, a PoolIntArray.
func same_bytes() -> Array:
	var values := [Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)), Plane(0.25, 0.5, 0.75, 1), &"a"]
	return values + [{"proof": true}] + values
