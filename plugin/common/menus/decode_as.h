/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Decode As for messages of games: formats that Wireshark reads, and the messages of a WebSocket.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_DECODE_AS_H
#define GAMEWIRE_PLUGIN_COMMON_DECODE_AS_H

#include "common/compat.h"

/* Wireshark's table of dissectors by the port of a WebSocket server. Its WebSocket dissector uses it for connections without a
 * subprotocol. */
#define GW_WEBSOCKET_PORT_TABLE "ws.port"

/* Adds Wireshark's dissectors of the formats that games use for messages of their own to a table for Decode As. Call it
 * once all of Wireshark's are registered. */
void gw_add_formats(const char *table);

/* Permits Decode As for the table, in Wireshark's window and with tshark -d, and adds formats that games use and Wireshark
 * reads. Call it before the plugin's protocols add their dissectors, once all of Wireshark's are registered. */
void gw_register_websocket_ports(void);

#endif
