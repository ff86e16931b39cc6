/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interface for dissectors of ENet's payloads.
 *
 * A message is a payload of one command, or of several fragments, reassembled. It is offered to the dissector that
 * Decode As chose for one of its ports (table "enet.port"), to the dissector of its first byte (table "enet.first_byte"), then
 * to the heuristic list "enet"; `data` is an enet_message, for enet_message_of(). A dissector that returns 0 declines.
 * A message that no dissector accepts is shown as bytes. ENet does not depend on these dissectors.
 *
 * Columns: a dissector of messages sets COL_PROTOCOL and COL_INFO as usual (col_set_str, col_clear and col_append_str).
 * Between the lines of several messages in a datagram ENet writes "; ". A fence keeps the line of each message.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_ENET_H
#define GAMEWIRE_PLUGIN_ENET_ENET_H

#include "common/compat.h"
#include "common/display/json_message.h"
#include "common/keys.h"

#include <epan/conversation.h>
#include <epan/proto_data.h>

/* Names of the tables. */
#define ENET_HEURISTICS       "enet"
#define ENET_PORT_TABLE       "enet.port"
#define ENET_FIRST_BYTE_TABLE "enet.first_byte"

/* ENet's number. */
extern int proto_enet;

typedef enum enet_delivery { ENET_RELIABLE, ENET_UNRELIABLE, ENET_UNSEQUENCED } enet_delivery;

/* The frame with the first acknowledgement of the reliable message whose record has this number (enet_message.record): in
 * the capture or, on the first pass, so far; 0: none. `later`: when at least another round trip had passed after it. */
uint32_t enet_acknowledged_in(uint32_t number, nstime_t *later);

/* Valid during the call only. All members but `receiver_latest` are the same on every pass. */
typedef struct enet_message {
    uint32_t connection; /* enet.connection: number in this file, from 0; each new connection of two addresses has
                            its own */
    conversation_t *conversation; /* gw_conversation_of() the connection's packets */
    uint8_t channel;
    uint8_t delivery;  /* enet_delivery */
    uint8_t side;      /* of the sender: gw_sender_side(), 0 or 1 */
    bool client_known; /* CONNECT or VERIFY_CONNECT was captured before, or in, this frame */
    bool from_client;  /* only if client_known */
    bool reassembled;  /* from fragments */
    bool after_gap;    /* reliable commands of the channel before this one were not captured */
    bool is_resent;    /* its sender sent it before */
    bool is_duplicate; /* the receiver has received it, as far as the capture tells */
    bool repeated;     /* the receiver drops it: a copy, or not accepted. Show it, but do not use it for the analysis */
    bool has_connect_data; /* CONNECT was captured */
    uint32_t connect_data;
    uint32_t connect_mtu;
    bool is_first;          /* the first reliable message of its channel and direction, by its number */
    uint32_t channel_count; /* 0: neither CONNECT nor VERIFY_CONNECT was captured */
    uint16_t server_port;   /* if client_known */
    uint32_t ordinal;       /* of the message in its frame, from 0 */
    uint32_t fragments;     /* as many as arrived; 0: not in fragments */
    uint32_t wire_length;   /* its part of the compressed bytes, if it was compressed: as in its last datagram */
    /* These two stay until the file is closed. */
    uint32_t record;                 /* number, for enet_acknowledged_in(); 0: unreliable, or in fragments */
    const nstime_t *receiver_latest; /* time of the receiver's latest datagram: in the capture or, on the first pass, so
                                         far */
} enet_message;

/* A DISCONNECT. */
typedef struct enet_disconnect {
    uint32_t connection; /* as in a message */
    conversation_t *conversation;
    bool repeated;
    bool has_since;
    nstime_t since; /* the time for which its sender has known that the connection is established; if `has_since` */
} enet_disconnect;

/* `item`: the command's, or NULL. */
typedef void (*enet_disconnect_reader)(packet_info *pinfo, proto_item *item, const enet_disconnect *disconnect);

/* Registers the function that is called for each DISCONNECT on every pass, after the messages before it: the engine's
 * reason for it may be known from them. */
void enet_register_disconnect(enet_disconnect_reader reader);

/* The messages of a frame: GW_SLOT_ENET_MESSAGES. */
typedef struct enet_messages {
    const enet_message *current; /* the one that is being handed over; NULL: none */
    uint32_t count;              /* of messages that were handed over */
    uint32_t described;          /* `count` with the latest message for which enet_describe() was called */
} enet_messages;

/* What a command is for. */
typedef enum enet_purpose {
    ENET_MANAGES,        /* the connection: a command without a payload */
    ENET_SENDS,          /* a message */
    ENET_SENDS_FRAGMENT, /* of a message */
    ENET_SENDS_AGAIN,    /* a message, or a fragment, that the receiver drops: enet_message.repeated */
    ENET_ACKNOWLEDGES,   /* a command of the other side */
    ENET_PURPOSES
} enet_purpose;

/* Bytes on the wire of the commands of a frame, for statistics; those of compressed datagrams in proportion. */
typedef struct enet_bytes {
    uint32_t commands[ENET_PURPOSES]; /* with their headers */
    uint32_t messages;                /* the payload of ENET_SENDS */
    uint32_t reassembled;             /* messages that this frame completes, with the fragments in the frames before */
} enet_bytes;

/* NULL: the frame has no datagram, or no gw_stat_frame_trees are open (common/menus/statistics.h). In packet scope. */
const enet_bytes *enet_bytes_of(packet_info *pinfo);

/* The message that ENet passes with `data`. NULL if the caller is not ENet: a file of exported PDUs can name a table of
 * ENet and contain data of TCP. */
static inline const enet_message *enet_message_of(packet_info *pinfo, const void *data)
{
    const enet_messages *messages = data ? (const enet_messages *)*gw_packet_slot(pinfo, GW_SLOT_ENET_MESSAGES) : NULL;
    return messages && messages->current == data ? messages->current : NULL;
}

/* How a message of `length` bytes is delivered, for the JSON of its dissector. */
static inline gw_json_carrier enet_carrier_of(const enet_message *message, uint32_t length)
{
    static const char *const deliveries[] = {
        [ENET_RELIABLE] = "reliable", [ENET_UNRELIABLE] = "unreliable", [ENET_UNSEQUENCED] = "unsequenced"
    };
    return (gw_json_carrier){ .has_connection = true,
                              .connection = message->connection,
                              .delivery = deliveries[message->delivery],
                              .channel = message->channel,
                              .bytes = length,
                              .fragments = message->fragments,
                              .is_resent = message->is_resent,
                              .is_duplicate = message->is_duplicate };
}

/* Call it when the message that ENet passes with `data` is accepted by a dissector with a field <protocol>.json: ENet has
 * the messages of all others in enet.json. */
static inline void enet_describe(packet_info *pinfo, const void *data)
{
    enet_messages *messages = data ? (enet_messages *)*gw_packet_slot(pinfo, GW_SLOT_ENET_MESSAGES) : NULL;
    if (messages && messages->current == data)
        messages->described = messages->count;
}

#endif
