# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# What a session can be about: part_NAME.gd is played when GAMEWIRE_PART is NAME.

const Log = preload("res://log.gd")

var main


func hero():
	return main.get_node("Units/Hero")


func sword():
	return main.get_node("Units/Hero/Sword of Åsa")


func door():
	return main.get_node("World/Level 1/Room/Door")


func frames(count = 1):
	for _i in range(count):
		yield(get_tree(), "idle_frame")


# Before the connection, in every process.
func prepare():
	pass


# The server's part.
func lead():
	pass
