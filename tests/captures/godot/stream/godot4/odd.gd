# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# Variants that no engine writes: the engine's own, of which a word was changed, or its header put by hand.

const WIDE := 1 << 16


static func words(...all: Array) -> PackedByteArray:
	var bytes := PackedByteArray()
	bytes.resize(4 * all.size())
	for i in range(all.size()):
		bytes.encode_u32(4 * i, all[i] & 0xffffffff)
	return bytes


static func changed(value: Variant, at: int, byte: int) -> PackedByteArray:
	var bytes := var_to_bytes(value)
	bytes[at] = byte
	return bytes


static func repeated(bytes: PackedByteArray, times: int) -> PackedByteArray:
	var all := PackedByteArray()
	for i in range(times):
		all += bytes
	return all


# [7, …]
static func after_a_seven(bytes: PackedByteArray) -> PackedByteArray:
	return words(TYPE_ARRAY, 2) + var_to_bytes(7) + bytes


# With the arguments' names as in tests/plugin/godot/variant/samples.py.
static func variants() -> Dictionary:
	var int_array := var_to_bytes(PackedInt32Array([1]))
	int_array[4] = 3
	var names := words(TYPE_DICTIONARY, 3) + var_to_bytes(1) + var_to_bytes(5) + var_to_bytes("k") + var_to_bytes(7) + \
		var_to_bytes(1) + var_to_bytes(6)
	var typed := words(TYPE_ARRAY | WIDE, TYPE_INT, 2)
	return {
		"a bool": after_a_seven(changed(true, 4, 2)),
		"a big-endian header": after_a_seven(PackedByteArray([0, 0, 0, 2])),
		"an element of another type than declared": typed + var_to_bytes(1) + var_to_bytes("a"),
		"an array of an unknown type": after_a_seven(words(TYPE_ARRAY | WIDE, TYPE_MAX, 0)),
		"a long packed array": after_a_seven(int_array),
		"a flag of another type": after_a_seven(changed("a", 2, 1)),
		"header bits": after_a_seven(changed(5, 1, 1)),
		"the same key twice": names,
		"text with a NUL": after_a_seven(changed("abc", 9, 0)),
		"a float of 64 bits": after_a_seven(words(TYPE_FLOAT | WIDE) + PackedFloat64Array([0.5]).to_byte_array()),
		"a byte array without padding": words(TYPE_PACKED_BYTE_ARRAY, 1) + PackedByteArray([65]),
		"padding of a string": after_a_seven(changed("a", 9, 1)),
		"the shared bit": after_a_seven(changed([], 7, 0x80)),
		"an old node path": after_a_seven(words(TYPE_NODE_PATH, 3) + "a/b".to_utf8_buffer() + PackedByteArray([0])),
		"a trailing byte": var_to_bytes(true) + "a".to_utf8_buffer(),
		"deeper than the engine reads": repeated(words(TYPE_ARRAY, 1), 1025) + words(TYPE_ARRAY, 0),
	}


# After a length, in a stream.
static func streamed() -> Dictionary:
	return {
		"a bool": changed(true, 4, 7),
		"more after it": var_to_bytes({"cmd": "join", "name": "Ann", "id": 7}) + "more".to_utf8_buffer(),
	}
