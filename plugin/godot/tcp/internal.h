/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the dissectors of TCP segments share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_TCP_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_TCP_INTERNAL_H

#include "common/compat.h"

/* ==== editor_ports.c ==================================================================================== */

/* The TCP ports of Godot's editor, which are X servers' too. */

/* True if TCP's heuristics are to be asked for the segment before the dissector of its port. `data` is the data
 * argument of TCP's subdissectors. */
typedef bool (*godot_editor_test)(tvbuff_t *tvb, packet_info *pinfo, void *data);

/* Asks `test` before the dissectors that have these ports. Call it once, when all dissectors are registered. */
void godot_register_editor_ports(godot_editor_test test);

/* True if the segment is from or to one of these ports. */
bool godot_is_on_editor_port(const packet_info *pinfo);

/* ==== session.c ========================================================================================= */

/* The remote debugger's TCP connections: which bytes are messages. */

/* Dissects the bytes of a segment: messages, and between them Variants and other bytes. Declines nothing. */
int godot_session_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data);

/* True if the bytes are recognized as the debugger's by their own evidence. */
bool godot_session_is_in(tvbuff_t *tvb);

/* True if the bytes may be the beginning of a message of Godot 3, which consists of many Variants, often each in a
 * separate segment. */
bool godot_session_may_begin(tvbuff_t *tvb);

/* True if the first bytes of a direction may be those of an engine: a message, or the beginning of one. Its name need not
 * be known. */
bool godot_session_may_be_first(tvbuff_t *tvb);

#endif
