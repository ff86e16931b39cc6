# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# NodePaths: names of each length modulo 4, which end in padding, and wherever a value may contain one.


static func all() -> Array:
	var typed: Array[NodePath] = [^"one/two", ^"x", ^"../sword:wear"]
	var keys: Dictionary[NodePath, int] = {^"a/bc": 1, ^"def": 2}
	var values: Dictionary[StringName, NodePath] = {&"target": ^"World/Door:hp", &"empty": ^""}
	var both: Dictionary[NodePath, NodePath] = {^"k": ^"value/of:it"}
	return [
		^"", ^"a", ^"ab", ^"abc", ^"abcd", ^"abcde", ^":a", ^":ab:abc", ^"/root", ^"/root/Main/World", ^"../Door:hp", ^"a/bc:def:g",
		^"%Unique/Node", ^"Åsa/東京:hp", ^"Level 1/Room:position:x",
		[^"a"], [1, ^"a/bc", "x", ^"def:g", null], [[^"deep"], [[^"deeper/still"]]],
		{"target": ^"q/rst"}, {^"ab/c": 1, ^"d": "e"}, {^"key": ^"value:wxy"}, {"in": {"a": [^"x", {^"y": ^"z"}]}},
		typed, keys, values, both, [typed, both],
	]
