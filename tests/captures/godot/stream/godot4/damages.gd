# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# What games do to Variants that they put with put_packet: faults of programs that write or cut the bytes themselves.

const NAMES := ["one byte missing", "four bytes missing", "half", "length in front", "type", "count", "big-endian", "text"]


static func damaged(bytes: PackedByteArray, damage: String) -> PackedByteArray:
	match damage:
		"one byte missing":
			return bytes.slice(0, -1)
		"four bytes missing":
			return bytes.slice(0, -4)
		"half":
			return bytes.slice(0, bytes.size() / 8 * 4)
		"length in front":
			var head := PackedByteArray([0, 0, 0, 0])
			head.encode_u32(0, bytes.size())
			return head + bytes
		"type": # which no Godot has
			bytes[0] = 90
		"count": # of the dictionary's members
			bytes[7] = 0x40
		"big-endian":
			return big_endian()
		"text":
			return "see you tomorrow".to_utf8_buffer()
	return bytes


# {"tick": 5} from a program that writes its numbers in the other order.
static func big_endian() -> PackedByteArray:
	var stream := StreamPeerBuffer.new()
	stream.big_endian = true
	for word in [TYPE_DICTIONARY, 1, TYPE_STRING, 4]:
		stream.put_u32(word)
	stream.put_data("tick".to_utf8_buffer())
	for word in [TYPE_INT, 5]:
		stream.put_u32(word)
	return stream.data_array


class Errors extends Logger:
	var texts := []


	func _log_error(_function: String, _file: String, _line: int, code: String, rationale: String, _editor_notify: bool,
			_type: int, _backtraces: Array[ScriptBacktrace]) -> void:
		texts.append(rationale if rationale else code)
