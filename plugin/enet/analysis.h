/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Analysis of ENet's connections and commands: connections, acknowledgements, retransmissions and losses. Input are
 * facts, output are findings; it does not use trees or columns.
 *
 * Findings are written when a frame is dissected for the first time, in the order of the capture, and kept for the
 * frame. They contain what was known at that time. Links to later frames (acknowledged in, resent in) are in the
 * records that findings point to.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_ANALYSIS_H
#define GAMEWIRE_PLUGIN_ENET_ANALYSIS_H

#include <epan/conversation.h>

#include "reassembly.h"

/* ---- what is kept --------------------------------------------------------------------------------------- */

/* One transmission of a reliable command. */
typedef struct enet_send {
    struct enet_send *next; /* the next resend */
    int64_t time;           /* gw_nanoseconds() */
    uint32_t frame;
    uint32_t acked_in; /* first acknowledgement of this transmission; 0: none captured */
    uint32_t content;  /* hash of the command's bytes; 0: the capture has not all of them */
    uint16_t sent_time;
} enet_send;

/* A reliable command with all its transmissions. */
typedef struct enet_record {
    enet_send first;
    uint32_t sequence; /* without wrapping */
    uint32_t acked_in; /* first acknowledgement of any transmission */
    uint16_t sends;    /* as many as were captured, or UINT16_MAX */
    uint16_t reused;   /* of these, those of another command with this number */
    uint16_t length;
    uint8_t number;
    uint8_t acked_within; /* the first acknowledgement came within 2^n us of the first transmission; if acked_in */
} enet_record;

typedef enum enet_flag {
    ENET_RETRANSMISSION = 1 << 0, /* sent again */
    ENET_SPURIOUS = 1 << 1,       /* sent again after it had been acknowledged */
    ENET_DUPLICATE = 1 << 2,      /* the same bytes as those captured before: a copy of a datagram */
    ENET_OUT_OF_ORDER = 1 << 3,
    ENET_GAP = 1 << 4,           /* reliable commands before this one were not captured */
    ENET_LOST = 1 << 5,          /* unreliable or unsequenced messages before this one did not arrive */
    ENET_DUPLICATE_ACK = 1 << 6, /* acknowledges a transmission that was acknowledged before */
    ENET_UNSEEN_ACK = 1 << 7,    /* acknowledges a command that was not captured */
    ENET_WINDOW_FULL = 1 << 8,
    ENET_THROTTLE_CHANGED = 1 << 9,
    ENET_BANDWIDTH_CHANGED = 1 << 10,
    ENET_TOO_FAR_AHEAD = 1 << 11,   /* beyond what the receiver accepts */
    ENET_NO_SUCH_CHANNEL = 1 << 12, /* not one of those that CONNECT or VERIFY_CONNECT agreed on */
    ENET_NUMBER_REUSED = 1 << 13    /* a command with other bytes had the number */
} enet_flag;

#define ENET_FLAGS 14

/* Results for one command. */
typedef struct enet_finding {
    enet_record *record;            /* of reliable commands, and of what an acknowledgement is for */
    const enet_send *send;          /* this sending, or the one that is acknowledged */
    const enet_reassembly *message; /* of fragments that were added to it; NULL: none */
    uint16_t flags;                 /* bits of enet_flag */
    bool dropped;                   /* the receiver does not execute it: it does not change the connection */
    bool completes;                 /* the last fragment of `message` to arrive */
    bool was_acked;     /* with ENET_NUMBER_REUSED: the receiver has acknowledged the command of `used_in` */
    uint32_t missing;   /* with ENET_GAP and ENET_LOST: how many */
    uint32_t resend;    /* with ENET_RETRANSMISSION: from 1; 0: the first transmission was not captured */
    uint32_t used_in;   /* with ENET_NUMBER_REUSED: frame of the command that had the number first */
    uint32_t in_flight; /* payload bytes not acknowledged, this one included; reliable messages only */
} enet_finding;

/* Above all peer ids: in some formats, 4095 is one. */
#define ENET_UNKNOWN_PEER UINT32_C(0x10000)

/* From a CONNECT on, or from the first frame of the capture. */
typedef struct enet_connection {
    struct enet_connection *before;          /* on the same pair of addresses */
    const struct enet_connection *continued; /* that of other addresses which this one continues; NULL: none */
    conversation_t *conversation;            /* gw_conversation_of() its packets */
    uint32_t number;
    uint32_t first_frame;
    uint32_t connect_frame, verify_frame, established_frame, disconnect_frame; /* 0: not captured (yet) */
    nstime_t connect_time, verify_time, established_time;
    uint32_t connect_id; /* from CONNECT or VERIFY_CONNECT, or calculated from two checksums */
    bool has_connect_id;
    bool has_connect_data;
    bool client_known;
    bool connect_compressed, verify_compressed;
    bool asked_again; /* CONNECT was sent again after VERIFY_CONNECT */
    uint8_t client;   /* side */
    uint32_t connect_data;
    uint32_t channel_count;
    uint32_t connect_mtu; /* 0: CONNECT was not captured */
    uint16_t server_port;
    uint32_t peer[2]; /* by side: what its datagrams carry, ENET_UNKNOWN_PEER while unknown */
    uint32_t session[2];
    struct enet_direction *directions; /* two, in the memory after this */
} enet_connection;

/* Results for one datagram, in packet scope; of a datagram of the first pass they are kept (kept.h). */
typedef struct enet_findings {
    const enet_connection *connection;
    nstime_t silence;      /* since the side's datagram before; valid if `silent` */
    uint32_t duplicate_of; /* frame; 0: no copy */
    uint32_t connect_id;   /* as known for this datagram's checksum */
    uint64_t checksum;     /* calculated with it; valid if `connect_id_known` */
    uint8_t compression;   /* enet_compression, with which the datagram was read */
    bool has_checksum;     /* likewise */
    uint8_t format;        /* gw_enet_format_number, likewise */
    uint8_t side;
    bool silent;         /* longer than ENet's shortest timeout */
    bool stale;          /* of another peer id or session than the connection's: ENet drops the datagram */
    bool nonce_repeated; /* that of the side's datagram before */
    bool connect_id_known;
    bool client_known;       /* by now */
    bool established;        /* this is the acknowledgement that completes the handshake */
    uint32_t count;          /* of the datagram's commands */
    enet_finding commands[]; /* as many */
} enet_findings;

/* ---- calls ---------------------------------------------------------------------------------------------- */

/* The connections of a pair of addresses and ports. */
typedef struct enet_pair enet_pair;

/* Call once, at registration of the protocol. */
void enet_register_analysis(void);

/* The connection that the latest datagram of the packet's conversation belongs to, up to this frame; false: none. */
bool enet_find_connection_number(packet_info *pinfo, int protocol, uint32_t *number);

/* The findings of a datagram: written on the first pass, then found by the datagram's key. NULL inside ICMP errors.
 * `pair`: the packet's, or NULL, when it is not known yet. */
const enet_findings *enet_analyze(packet_info *pinfo, int protocol, uint32_t key, enet_pair *pair,
                                  const enet_facts *facts, const enet_raw *raw);

/* On a later pass: findings for a datagram that was captured before its connection was recognized, in packet scope.
 * Only the connection is set. NULL if it is not known. */
const enet_findings *enet_find_findings_before(packet_info *pinfo, int protocol, const enet_facts *facts);

/* The next transmission of the same command after `send`; NULL: none. */
const enet_send *enet_next_send(const enet_send *send);

/* Findings for this number of commands, all zero. */
static inline enet_findings *enet_new_findings(wmem_allocator_t *scope, uint32_t commands)
{
    enet_findings *findings =
        (enet_findings *)wmem_alloc0(scope, sizeof(enet_findings) + commands * sizeof(enet_finding));
    findings->count = commands;
    return findings;
}

/* The peer's side. */
static inline uint8_t enet_other(uint8_t side)
{
    return (uint8_t)(1 - side);
}

#endif
