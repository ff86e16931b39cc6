/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The remote debugger's TCP connections: which bytes are messages.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_TCP_SESSION_H
#define GAMEWIRE_PLUGIN_GODOT_TCP_SESSION_H

#include "common/compat.h"

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
