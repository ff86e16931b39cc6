/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Payloads that are passed to other dissectors: their layers and exceptions.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_PAYLOADS_H
#define GAMEWIRE_PLUGIN_COMMON_PAYLOADS_H

#include "common/compat.h"

/* ---- calls -------------------------------------------------------------------------------------------- */

/* Calls dissectors; true when one has accepted the payload. */
typedef bool (*gw_dissectors)(packet_info *pinfo, proto_tree *tree, void *closure);

/* Calls `dissectors`. An exception of one, such as a payload that is too short for it, is displayed in `tree` as
 * Malformed Packet and counts as accepted: the caller continues after the payload. `tree` may be NULL. */
bool gw_call_guarded(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, gw_dissectors dissectors, void *closure);

/* ---- layers ------------------------------------------------------------------------------------------- */

/* Wireshark ends with a dissector bug if a frame has gui.max_tree_depth (500) layers when a dissector is called
 * (epan/packet.c of 4.0, 4.4 and 4.6), and each accepted message is one or more. A frame can have further payloads
 * after this one, which take layers whether their messages are dissected or not: a Wi-Fi frame several datagrams, a
 * datagram several DTLS records. Messages get what is left above the layers that are kept for them. */
#define GW_LAYERS UINT32_C(500)

/* At least these are kept, for the dissectors that a message's dissector calls. */
#define GW_KEPT_LAYERS UINT32_C(100)

/* Keeps `layers` for the payloads after this one in the frame, in place of the number that was kept before. */
void gw_keep_layers(packet_info *pinfo, uint32_t layers);

/* True if the frame has room for `layers` more of messages, whatever carries them. It counts the layers of all
 * dissectors, with and without a tree, so that each pass gets the same answer. */
bool gw_has_layers(packet_info *pinfo, uint32_t layers);

#endif
