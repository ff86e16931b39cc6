# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends "res://part_compression_server.gd"

# The clients compress, and the server does not.


func used() -> Dictionary:
	return {"server": "none", "client1": "zlib", "client2": "fastlz"}
