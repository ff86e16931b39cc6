/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keys of protocol data (p_add_proto_data() and conversation_add_proto_data()): constants, and the ordinals of messages
 * in file scope. A number that a sender chooses, such as a sequence number, or a hash may equal a constant: data with
 * such a key is in a gw_archive of its own. Data of the packet that is used so often that no search is made for it. And
 * keys of maps.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_KEYS_H
#define GAMEWIRE_PLUGIN_COMMON_KEYS_H

#include "common/compat.h"

/* In packet scope unless noted. The numbers are above all ordinals, and numbers of protocols. */
typedef enum gw_key {
    GW_KEY_ORDINAL = 0x20000000, /* number of the protocol's messages in the packet so far */
    GW_KEY_LAYERS,               /* of the protocol "frame": number of layers that are kept for further payloads */
    GW_KEY_JSON,                 /* of the protocol: the texts of its messages, json.h */
    GW_KEY_LINES,                /* the Info column has a line */
    GW_KEY_CANDIDATES,           /* recognition.c: of a conversation */
    GW_KEY_GODOT_SEGMENTS,       /* godot/segments.c: of a conversation, and of a frame in file scope */
    GW_KEY_ENET_BYTES,           /* enet_bytes */
    GW_KEY_ENET_DATAGRAMS,       /* the last enet_tap_datagram; the others are linked to it */
    GW_KEY_GODOT_DOCUMENTS,      /* the last document; the others are linked to it */
    GW_KEY_GODOT_MP_COUNTS,      /* the last godot_mp_count; the others are linked to it */
    GW_KEY_GODOT_MP_SCTP,        /* the SCTP packet that is dissected */
    GW_KEY_GODOT_TCP_OTHER       /* of a conversation: other_connection */
} gw_key;

/* Data that nearly each packet has. */
typedef enum gw_slot {
    GW_SLOT_FINDINGS,      /* rows of findings.h, of all protocols */
    GW_SLOT_ITEMS,         /* numbers of items that may still be added, items.c */
    GW_SLOT_ENET_MESSAGES, /* enet_messages */
    GW_SLOTS
} gw_slot;

/* The place for the data of the packet that is being dissected: NULL at first. What it points to is in packet scope. Call it
 * while the packet is dissected, or from a tap: after that it is the place of a later packet. */
void **gw_packet_slot(const packet_info *pinfo, gw_slot slot);

/* The number of the protocol "frame": with it, all protocols of a packet share data in packet scope. */
int gw_frame_protocol(void);

/* A key of a map with several members: a struct of this size whose bytes are all set. */
#define GW_KEY_SIZE 16

/* A hash of a key by which it can be known: two keys have the same one with a probability of 2^-33 or less. */
uint64_t gw_hash_key_64(const void *key);

/* For wmem_map_new() and its like. */
unsigned gw_hash_key(const void *key);
gboolean gw_equal_keys(const void *one, const void *other);

/* Hash of bytes, for comparing them with others in this process. Its lower half is a hash, too. */
uint64_t gw_hash_bytes(const uint8_t *bytes, size_t length);

/* Call once, before keys and bytes are hashed. */
void gw_register_keys(void);

#endif
