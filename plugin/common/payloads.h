/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Payloads that are passed to other dissectors: their layers, exceptions, and the Info column.
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
 * (epan/packet.c of 4.0, 4.4 and 4.6), and each accepted message is one or more. A frame can have further payloads after
 * this one, which take layers whether their messages are dissected or not: a Wi-Fi frame several datagrams, a datagram
 * several DTLS records. Messages get what is left above the layers that are kept for them. */
#define GW_LAYERS UINT32_C(500)

/* At least these are kept, for the dissectors that a message's dissector calls. */
#define GW_KEPT_LAYERS UINT32_C(100)

/* Keeps `layers` for the payloads after this one in the frame, in place of the number that was kept before. */
void gw_keep_layers(packet_info *pinfo, uint32_t layers);

/* The bytes after the datagram in its frame, or in the reassembled data that the frame completes. */
uint32_t gw_bytes_after(tvbuff_t *datagram);

/* The bytes of the frame's largest data source, without those that were decrypted so far. */
uint32_t gw_bytes_not_decrypted(const packet_info *pinfo);

/* True if the frame has room for `layers` more of messages, whatever carries them. It counts the layers of all dissectors,
 * with and without a tree, so that each pass gets the same answer. */
bool gw_has_layers(packet_info *pinfo, uint32_t layers);

/* ---- the Info column ---------------------------------------------------------------------------------- */

/* The Info column while a message is passed to dissectors that may decline it. */
typedef struct gw_columns_part {
    bool is_open;
    const char *before; /* the text of the messages before, which remains */
    const char *after;  /* the text that an accepted message replaces */
    size_t fence;       /* the length of the text with the separator */
} gw_columns_part;

/* Before the call: writes the separator after the first `length` bytes of the text, and `prefix`. The line that a
 * dissector sets, with col_set_str() and the like, follows. Writes nothing if there is nothing before the line. */
void gw_columns_open(packet_info *pinfo, gw_columns_part *part, size_t length, const char *prefix);
/* After the call: keeps the line of a message that was accepted. If it was declined, or has no line, the text is as
 * before. */
void gw_columns_close(packet_info *pinfo, const gw_columns_part *part, bool is_accepted);

/* The separator of the texts of messages; empty if the text before it has no bytes. */
const char *gw_columns_separator(size_t length);

#endif
