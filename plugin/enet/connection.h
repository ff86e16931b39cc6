/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is kept for a pair of addresses: its connections, and for each the two directions with their channels. Private
 * to analysis.c, connection.c, handover.c and membership.c. All memory is file scope.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_CONNECTION_H
#define GAMEWIRE_PLUGIN_ENET_CONNECTION_H

#include "common/compat.h"

#include "analysis.h"
#include "decompression.h"
#include "enet.h"

/* Numbers have 16 bits in packets. Extended numbers begin here, so that earlier ones are not negative. */
#define ENET_NUMBER_ZERO UINT32_C(0x10000)

/* The latest unreliable and unsequenced messages, and datagrams, are kept to detect copies: also those that another
 * capture file of the same traffic adds seconds later. A power of two. */
#define ENET_RECENT 4096

typedef struct enet_seen {
    uint64_t key;
    uint32_t frame;
    unsigned content : 16; /* hash of the command's bytes; 0: not all of them were captured */
    unsigned late : 1;     /* an unsequenced message that came after one sent later */
    unsigned next : 15;    /* in the list of this key's hash: its index + 1; 0: the last one */
} enet_seen;

/* Many conversations have few packets: the arrays grow on demand. */
typedef struct enet_recent {
    enet_seen *seen;
    uint16_t *lists; /* by hash of the key: index + 1 of the latest one in `seen`; 0: none */
    uint32_t room;   /* of both, up to ENET_RECENT */
    uint32_t count;
} enet_recent;

/* Of the first records of a channel, which need no map. */
#define ENET_FIRST_RECORDS 2

/* One channel of one direction. */
typedef struct enet_channel {
    struct enet_channel *next;
    uint8_t number;
    bool any;            /* `highest` is known */
    bool any_unreliable; /* `highest_unreliable` is */
    uint16_t highest_sent_time;
    uint32_t first;              /* reliable numbers from here on would have been captured */
    uint32_t highest;            /* reliable number */
    uint32_t too_far;            /* the latest number that was too far ahead; 0: none */
    uint64_t highest_unreliable; /* reliable number << 16 | unreliable number */
    uint32_t record_count;       /* of the first ones */
    enet_record *first_records[ENET_FIRST_RECORDS];
    wmem_map_t *records;  /* used by records.c, for the others; NULL: none */
    wmem_map_t *messages; /* of fragments: fragment_key() -> enet_reassembly; NULL: none */
    enet_recent unreliable;
} enet_channel;

typedef struct enet_direction {
    enet_channel *channels; /* at most 256, that of the latest command first */
    bool from_start;        /* its first command was captured */
    bool near_wrap;         /* its reliable numbers were near their end */
    bool any;
    uint16_t nonce; /* of its latest datagram with a peer; 0: none */
    nstime_t last_time;
    bool unread;       /* has sent commands that were not read: encrypted, or compressed in an unknown way */
    bool has_receiver; /* see enet_keep_receiver() */
    bool any_group;
    uint32_t highest_group;
    enet_recent groups;
    enet_recent datagrams;
    uint32_t interval;     /* of time, in which the latest reliable payload was sent */
    uint32_t in_flight[2]; /* bytes of reliable payloads sent in it and in the one before */
    uint32_t window;       /* 0: not known */
    uint32_t incoming_bandwidth, outgoing_bandwidth;
    bool bandwidth_known;
    uint32_t throttle[3]; /* interval, acceleration, deceleration, of the sender of CONNECT or THROTTLE_CONFIGURE */
    bool throttle_known;
} enet_direction;

/* When a side's latest sound datagram was sent by its own clock, and when it was captured. */
typedef struct enet_clock {
    nstime_t time;
    uint16_t sent_time;
    bool known;
} enet_clock;

/* State of one side for its stale datagrams: those with another peer id or session than the pair's last connection. */
typedef struct enet_stale {
    bool was_stale;  /* the side's latest datagram was stale */
    bool awaits_ack; /* a stale datagram had a command that requests an acknowledgement; the latest such command: */
    uint8_t channel;
    uint16_t sequence, sent_time;
} enet_stale;

struct enet_pair {
    enet_connection *first, *last;
    enet_clock clocks[2];   /* by side */
    bool other_compression; /* datagrams in a mode of their own were accepted */
    enet_choice known;
    enet_formats formats[2]; /* by side */
    bool any_known;
    uint32_t evidence_in; /* the first frame with a datagram that indicates ENet 1.3; 0: none */
    uint32_t derived_id;  /* connect id that the checksum before agreed with */
    bool any_derived;
    enet_stale stale[2];  /* by side */
    uint32_t examples[2]; /* by side: datagrams with which damaged ones may be compared */
};

/* Call once, at registration of the protocol. */
void enet_register_connections(void);
/* Connections in this file so far. And one of them, by its number. */
uint32_t enet_connection_count(void);
const enet_connection *enet_connection_of(uint32_t number);

/* Returns what was stored with this key before, or stores `seen` and returns NULL. */
const enet_seen *enet_keep_recent(enet_recent *recent, const enet_seen *seen);

/* True if something with this key is stored. */
bool enet_was_seen(const enet_recent *recent, uint64_t key);

/* The key of a datagram by its bytes. */
static inline uint64_t enet_datagram_key(const enet_facts *facts)
{
    return facts->wire_hash ^ facts->wire_length;
}

/* Of a key that was stored last and is lower than another one: the stored key above it that was not late itself; NULL:
 * none. The message is late. */
const enet_seen *enet_keep_late(enet_recent *recent);

/* True if the connection's datagrams in this direction have the peer id and session of `header`. */
bool enet_has_header(const enet_connection *connection, uint8_t side, const gw_enet_header *header);

/* Extends the low 16 bits of a number to 32 bits: returns the number nearest to `near` that has these low bits. */
static inline uint32_t enet_unwrap(uint32_t near, uint16_t number)
{
    return near + (uint32_t)(int32_t)(int16_t)(number - near);
}

/* The connection of a datagram; creates it if the datagram begins a new one. First pass only. `facts` has the commands
 * that the receiver may execute. */
enet_connection *enet_obtain_connection(enet_pair *pair, packet_info *pinfo, uint8_t side, const enet_facts *facts);

/* True when the datagram has another peer id or session than the connection, both of which are known. */
bool enet_is_stale(const enet_connection *connection, uint8_t side, const gw_enet_header *header);

/* Applies CONNECT, VERIFY_CONNECT, their acknowledgement and DISCONNECT. Sets findings->established. */
void enet_keep_connection(enet_connection *connection, packet_info *pinfo, const enet_facts *facts,
                          enet_findings *findings);

/* Keeps that a client sent CONNECT again although it had an answer. */
void enet_keep_asked_again(enet_connection *connection, const enet_command *command, const enet_finding *finding);

/* The server drops a datagram with the nonce of the one before, except from peers that it does not know yet. */
void enet_keep_nonce(enet_direction *own, const gw_enet_header *header, enet_findings *findings);

/* Verifies the checksum. False if it is wrong: ENet drops the datagram. `connection` is NULL if the datagram has no
 * peer; the connect id is then 0. */
bool enet_keep_checksum(enet_pair *pair, enet_connection *connection, const enet_facts *facts, const enet_raw *raw,
                        enet_findings *findings);
/* False if a VERIFY_CONNECT was damaged: its own connect id is that of its checksum. */
bool enet_is_setup_sound(const enet_facts *facts, const enet_raw *raw);

/* The least n for which 2^n microseconds are more than the time between the two. */
uint8_t enet_power_of_delay(const nstime_t *later, const nstime_t *earlier);

/* The number of unacknowledged bytes that a sender may have, calculated from its outgoing and the receiver's incoming
 * bandwidth as in ENet's source. */
uint32_t enet_window_of(uint32_t outgoing, uint32_t incoming);

#endif
