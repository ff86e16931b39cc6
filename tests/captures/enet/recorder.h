// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes down every datagram that libenet sends, one JSON object a line, with its commands as libenet's own
// structures have them and, where it was compressed, the bytes as they were before. It does so by defining
// enet_socket_send, enet_host_create, enet_host_destroy and enet_host_compress itself and calling libenet's; so it
// works linked into a program (traffic.c) and preloaded into one (the Godot engines, which link libenet).
//
// The lines go to the file named in GAMEWIRE_RECORD, or to standard output. records.py says what they hold.

#ifndef GAMEWIRE_CAPTURE_RECORDER_H
#define GAMEWIRE_CAPTURE_RECORDER_H

#include <enet/enet.h>
#include <stdio.h>

// Where all lines go.
FILE *record_file(void);

// Begins a line: {"what":"WHAT","time":SECONDS,"host":"NAME". The caller adds members and calls record_end.
void record_begin(const char *what, const ENetHost *host);
void record_end(void);

// "name":"127.0.0.1:40500", after a comma.
void record_address(const char *name, const ENetAddress *address);

// "name":"hexadecimal digits", after a comma.
void record_bytes(const char *name, const void *bytes, size_t length);

// The name of a host in what is written; until it has one it is GAMEWIRE_NAME from the environment, or "".
void record_name_host(const ENetHost *host, const char *name);

#endif
