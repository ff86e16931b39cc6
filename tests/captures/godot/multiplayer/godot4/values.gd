# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# Values of every type, with integers at the borders of each of their sizes.


static func all(node: Node) -> Array:
	var ints: Array[int] = [1, 2, 4294967296]
	var names: Dictionary[String, int] = {"a": 1, "b": 2}
	return [
		null, false, true,
		0, 5, -1, 127, 128, -128, -129, 32767, 32768, -32768, -32769, 2147483647, 2147483648, -2147483648, -2147483649,
		9223372036854775807, -9223372036854775807 - 1,
		0.0, 0.5, 0.1, -2.25, INF, NAN,
		"", "a", "ab", "abc", "abcd", "日本 😀",
		Vector2(1.5, -2.25), Vector2i(1, -2), Rect2(1, 2, 3, 4), Rect2i(1, -2, 3, 4),
		Vector3(1, 2, 3), Vector3i(1, -2, 3), Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)),
		Vector4(1, 2, 3, 4), Vector4i(1, -2, 3, -4), Plane(1, 2, 3, 4), Quaternion(0.5, -0.5, 0.5, -0.5),
		AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)),
		Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)),
		Transform3D(Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)), Vector3(10, 11, 12)),
		Projection(Vector4(1, 2, 3, 4), Vector4(5, 6, 7, 8), Vector4(9, 10, 11, 12), Vector4(13, 14, 15, 16)),
		Color(0.25, 0.5, 0.75, 1), &"jump", ^"/root/Main:rotation:x", ^"a", rid_from_int64(0x123456789abcdef0),
		node, Callable(), Callable(node, "leave"), Signal(), Signal(node, "something_happened"),
		{}, {"id": 7, "hp": 100, "pos": Vector2(1, 2)}, names, [], [1, "two", 3.0, null, [true]], ints,
		PackedByteArray([1, 2, 3]), PackedInt32Array([1, -1]), PackedInt64Array([4294967296]),
		PackedFloat32Array([0.5, 0.1]), PackedFloat64Array([0.1]), PackedStringArray(["a", "", "日本"]),
		PackedVector2Array([Vector2(1, 2)]), PackedVector3Array([Vector3(1, 2, 3)]),
		PackedColorArray([Color(0.25, 0.5, 0.75, 1)]), PackedVector4Array([Vector4(1, 2, 3, 4)]),
	]
