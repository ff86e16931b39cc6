# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Logger

# Logs what the engine prints as an error: OS.add_logger(Errors.new()).

const Log := preload("res://log.gd")


func _log_error(_function: String, _file: String, _line: int, code: String, rationale: String, _editor_notify: bool,
		_type: int, _backtraces: Array[ScriptBacktrace]) -> void:
	Log.line("error", {"text": rationale if rationale else code})
