# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Reference

# A small scripted object: something to send in full, and to type containers with.

export var title = "sword"
export var weight = 2.5
export var at = Vector2(3, -4)
