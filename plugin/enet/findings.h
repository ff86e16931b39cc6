/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The analysis' findings as generated items and expert infos of a datagram's tree.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_FINDINGS_H
#define GAMEWIRE_PLUGIN_ENET_FINDINGS_H

#include "analysis.h"
#include "tree.h"

/* Call it after the datagram's events. `findings` may be NULL. */
void enet_findings_add(const enet_tree *shown, const enet_facts *facts, const enet_findings *findings);

/* In command number `index`: lists the fragments of the message that it completes, reassembled to `whole`. */
void enet_findings_add_fragments(const enet_tree *shown, uint32_t index, tvbuff_t *whole,
                                 const enet_reassembly *message);

/* In command number `index`: links the frame in which the message was reassembled, if it was. */
void enet_findings_add_reassembled_in(const enet_tree *shown, uint32_t index, const enet_reassembly *message);

#endif
