/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statistics -> Gamewire Connections, -z gamewire,connections: one row for each connection of all protocols.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_CONNECTIONS_H
#define GAMEWIRE_PLUGIN_COMMON_CONNECTIONS_H

#include "common/compat.h"

/* Each numbers its connections. Multiplayer over ENet is in ENet's rows. */
typedef enum gw_connection_protocol {
    GW_CONNECTION_ENET,
    GW_CONNECTION_GODOT_MP,
    GW_CONNECTION_LEVIATHAN,
    GW_CONNECTION_SQUIRREL,
    GW_CONNECTION_PROTOCOLS
} gw_connection_protocol;

typedef enum gw_connection_client { GW_CLIENT_UNKNOWN, GW_CLIENT_SENDS, GW_CLIENT_RECEIVES } gw_connection_client;

/* What a datagram or message adds to its connection's row. Members that are 0 add nothing. Texts are copied. */
typedef struct gw_connection_part {
    gw_connection_protocol protocol;
    uint32_t number; /* of the connection */
    gw_connection_client client;
    uint32_t messages;   /* without repetitions */
    uint32_t bytes;      /* on the wire */
    uint32_t arrived;    /* of those whose loss can be seen: messages or packets that were captured */
    uint32_t lost;       /* and those that are missing */
    uint32_t sent_again; /* commands or messages */
    uint32_t late;       /* updates */
    const char *player;  /* NULL: not known by this part */
    const char *end;     /* how the connection ends; NULL: this part does not end it */
} gw_connection_part;

/* True if a table is open. Nothing need be added otherwise. */
bool gw_connections_are_counted(void);

/* Adds a part. The row begins with its first part: the addresses are those of its packet. */
void gw_connection_add(packet_info *pinfo, const gw_connection_part *part);

/* Adds the time from what was sent at `sent` to this packet, which answers or acknowledges it. */
void gw_connection_add_round_trip(packet_info *pinfo, gw_connection_protocol protocol, uint32_t number,
                                  const nstime_t *sent);

/* Call once. */
void gw_register_connections(void);

#endif
