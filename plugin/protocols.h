/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions of each packet-<protocol>.c that plugin.c uses.
 */
#ifndef GAMEWIRE_PLUGIN_PROTOCOLS_H
#define GAMEWIRE_PLUGIN_PROTOCOLS_H

void proto_register_enet(void);
void proto_reg_handoff_enet(void);

void proto_register_godot(void);
void proto_reg_handoff_godot(void);

void proto_register_godot_debugger(void);
void proto_reg_handoff_godot_debugger(void);

void proto_register_godot_mp(void);
void proto_reg_handoff_godot_mp(void);

void proto_register_godot_remote_fs(void);
void proto_reg_handoff_godot_remote_fs(void);

void proto_register_godot_stream(void);
void proto_reg_handoff_godot_stream(void);

/* The TCP connections of the debugger and of streams. */
void proto_register_godot_tcp(void);
void proto_reg_handoff_godot_tcp(void);

void proto_register_leviathan(void);
void proto_reg_handoff_leviathan(void);

void proto_register_squirrel(void);
void proto_reg_handoff_squirrel(void);

#endif
