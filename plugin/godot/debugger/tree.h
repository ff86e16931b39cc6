/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages of the remote debugger as items.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_TREE_H

#include "common/compat.h"

#include <gamewire/godot_debugger.h>

#include "analysis.h"
#include "godot/variant/variant.h"

typedef struct godot_debugger_shown {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *bytes;
    const gw_godot_debugger_reader *reader;
    godot_variants *variants; /* of all Variants in the tvbuff that are shown as such */
    uint32_t *values_left;    /* of the whole packet */
    uint32_t hidden_from;     /* 0: all is shown */
    uint32_t arguments;
    bool is_warning;
    uint8_t experts[32];
    proto_item *items[GW_GODOT_DEBUGGER_DEPTH + 2]; /* [depth]: the group of that depth */
    proto_tree *trees[GW_GODOT_DEBUGGER_DEPTH + 2]; /* [depth]: where values of that depth go */
} godot_debugger_shown;

/* The layer of a message; shown->reader is initialised. */
void godot_debugger_begin(godot_debugger_shown *shown, proto_tree *parent, int protocol, uint32_t offset);
void godot_debugger_show(godot_debugger_shown *shown, const gw_godot_debugger_event *event);
/* What is known when all was read: who sent it, when the game stopped, the line (NULL: nobody wants it). */
void godot_debugger_end(godot_debugger_shown *shown, const godot_break *stop, const char *line);
void godot_debugger_show_fault(packet_info *pinfo, proto_tree *parent, tvbuff_t *tvb, int protocol,
                               const gw_fault *fault);

#endif
