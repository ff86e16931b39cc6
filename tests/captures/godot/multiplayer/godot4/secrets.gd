# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends RefCounted

# A certificate of this run's own.


static func server_options() -> TLSOptions:
	var crypto := Crypto.new()
	var key := crypto.generate_rsa(2048)
	return TLSOptions.server(key, crypto.generate_self_signed_certificate(key, "CN=127.0.0.1"))
