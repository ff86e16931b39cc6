/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The window's menus "Conversation Filter" and "Colorize Conversation".
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_CONVERSATION_FILTER_H
#define GAMEWIRE_PLUGIN_COMMON_CONVERSATION_FILTER_H

#include "common/compat.h"

#include <epan/conversation_filter.h>

/* The parameters of the two callbacks below, `pinfo` of the selected packet: since 4.2 with a pointer that was
 * registered. */
#if WS_AT_LEAST(4, 2)
#define GW_CONVERSATION_FILTER_PARAMETERS packet_info *pinfo, void *data _U_
#else
#define GW_CONVERSATION_FILTER_PARAMETERS packet_info *pinfo
#endif

/* Adds an item to both menus. `has_conversation`: the packet has one of this protocol; `filter` returns its filter,
 * which the caller frees with g_free(), or NULL. The packet is the selected one, after it was dissected. */
void gw_register_conversation_filter(const char *protocol, const char *title, is_filter_valid_func has_conversation,
                                     build_filter_string_func filter);

/* True if the packet has the protocol with this filter name. */
bool gw_has_protocol(const packet_info *pinfo, const char *protocol);

/* A filter for the protocol's packets between the two addresses and ports of the packet, over UDP or TCP; else NULL. */
char *gw_filter_ends(packet_info *pinfo, const char *protocol);

#endif
