# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# A format as a game might have it, little-endian:
#
#   u8   0x53, "S"
#   u32  tick
#   u8   number of entities; for each of them
#          u16  id
#          f32  x
#          f32  y


static func entities(tick: int, count: int) -> Array:
	return range(count).map(func(i): return {"id": 1000 + i, "x": tick * 0.5 + i, "y": -0.25 * i})


static func content(tick: int, count: int) -> Dictionary:
	return {"tick": tick, "entities": entities(tick, count), "bytes": bytes(tick, count).hex_encode()}


static func bytes(tick: int, count: int) -> PackedByteArray:
	var buffer := StreamPeerBuffer.new()
	buffer.put_u8(0x53)
	buffer.put_u32(tick)
	buffer.put_u8(count)
	for entity in entities(tick, count):
		buffer.put_u16(entity["id"])
		buffer.put_float(entity["x"])
		buffer.put_float(entity["y"])
	return buffer.data_array
