# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Reference

# Values of every type, with integers at the borders of each of their sizes.


static func all(node):
	return [
		null, false, true,
		0, 5, -1, 255, 65536, 2147483647, 2147483648, -2147483648, -2147483649,
		9223372036854775807, -9223372036854775807 - 1,
		0.0, 0.5, 0.1, -2.25, INF, NAN,
		"", "a", "ab", "abc", "abcd", "日本 😀",
		Vector2(1.5, -2.25), Rect2(1, 2, 3, 4), Vector3(1, 2, 3),
		Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)), Plane(1, 2, 3, 4), Quat(0.5, -0.5, 0.5, -0.5),
		AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)),
		Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)),
		Transform(Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9)), Vector3(10, 11, 12)),
		Color(0.25, 0.5, 0.75, 1), NodePath("/root/Main:rotation:x"), NodePath("a"), RID(),
		node, {}, {"id": 7, "hp": 100, "pos": Vector2(1, 2)}, [], [1, "two", 3.0, null, [true]],
		PoolByteArray([1, 2, 3]), PoolIntArray([1, -1]), PoolRealArray([0.5, 0.1]),
		PoolStringArray(["a", "", "日本"]), PoolVector2Array([Vector2(1, 2)]), PoolVector3Array([Vector3(1, 2, 3)]),
		PoolColorArray([Color(0.25, 0.5, 0.75, 1)]),
	]
