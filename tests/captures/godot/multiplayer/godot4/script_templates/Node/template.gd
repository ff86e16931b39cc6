# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
# meta-description: a template of the editor, which is not a script: rpc_names.gd must leave it out
extends _BASE_


@rpc
func of_a_template() -> void:
	pass
