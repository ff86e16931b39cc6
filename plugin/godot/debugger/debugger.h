/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interface for other dissectors: godot/tcp finds the messages in TCP connections.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_DEBUGGER_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_DEBUGGER_H

#include "common/compat.h"

#include <gamewire/godot_debugger.h>

#include "godot/variant/variants.h"

extern int proto_godot_debugger;

/* True for a port on which editors listen by default. */
static inline bool godot_debugger_is_port(uint32_t port)
{
    return port >= GW_GODOT_DEBUGGER_PORT && port - GW_GODOT_DEBUGGER_PORT < GW_GODOT_DEBUGGER_PORTS;
}

/* False if the user disabled the heuristic of this name, or its protocol. */
static inline bool godot_heuristic_is_enabled(const char *name)
{
    const heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name(name);
    return entry && entry->enabled && proto_is_protocol_enabled(entry->protocol);
}

/* The bytes of a tvbuff that contains messages. */
typedef struct godot_debugger_input {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_tree *parent; /* may be NULL */
    const uint8_t *bytes;
    uint32_t length;
    godot_variants *variants;
    gw_godot_debugger_options options; /* offset: start of the next message */
    uint32_t missing;                  /* of a truncated message: the least number of bytes that complete it */
} godot_debugger_input;

/* Starts at the beginning of the tvbuff. Sets the Protocol column. */
void godot_debugger_input_init(godot_debugger_input *input, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent,
                               gw_godot_debugger_form form);

/* Dissects the message at the offset, and advances the offset to its end. If no message begins there, or if more bytes
 * are needed, nothing changes, and the fault is the reason; else its class is GW_FAULT_NONE. */
gw_fault godot_debugger_dissect(godot_debugger_input *input);

/* Adds the bytes from the fault's offset on as a layer of undecoded bytes. */
void godot_debugger_add_fault(const godot_debugger_input *input, const gw_fault *fault);

/* Reports why the bytes from the offset up to `end`, which are already shown, are not a message. */
void godot_debugger_add_explanation(const godot_debugger_input *input, uint32_t code, uint32_t end);

/* How strongly the bytes of a tvbuff indicate the debugger: gw_godot_debugger_recognize(). */
void godot_debugger_recognize(tvbuff_t *tvb, gw_godot_debugger_form form, gw_recognition *recognition);

/* True if a WebSocket message is of the debugger: by its own evidence, or by its form if its conversation is of the
 * debugger. False if the user disabled the debugger, or its heuristic. */
bool godot_debugger_has_message(packet_info *pinfo, tvbuff_t *tvb);

#endif
