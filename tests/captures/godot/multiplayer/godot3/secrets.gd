# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Reference

# A certificate of this run's own.

var key
var certificate


func _init():
	var crypto = Crypto.new()
	key = crypto.generate_rsa(2048)
	certificate = crypto.generate_self_signed_certificate(key, "CN=127.0.0.1")
