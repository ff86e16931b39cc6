# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# Loaded first. In a browser the environment is what the page gives as arguments: NAME=VALUE.


func _init() -> void:
	for argument in OS.get_cmdline_user_args():
		OS.set_environment(argument.get_slice("=", 0), argument.get_slice("=", 1))
