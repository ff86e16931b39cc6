/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Recognizes messages: the form that reads a message and the evidence for it, and whether the evidence of a
 * connection's messages is sufficient. The codec has the tests of one message, common/recognition.h adds them up.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RECOGNITION_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RECOGNITION_H

#include "dissect.h"

/* Weighs the message in each form that its transport and the preference allow. */
void godot_mp_recognize(godot_mp_message *message, godot_mp_weighed *weighed, gw_recognition *recognition);

/* True if the message may be a WebSocket server's first one in Godot 4: the client's id. */
bool godot_mp_may_be_assigned(const godot_mp_message *message);

/* For a heuristic: true if the message is accepted with this evidence, by itself or with those before it. */
bool godot_mp_accepts(const godot_mp_message *message, const gw_recognition *recognition);

/* Bits of evidence in the head of a message that was read and is not possible, in a connection whose other messages were
 * accepted: bytes of ids that its messages have defined, of the peers' ids, and of sizes that fill the message. 0: its
 * head has no such id. */
uint32_t godot_mp_bits_of_head(const godot_mp_message *message);

void godot_mp_register_recognition(void);

#endif
