/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Analysis across messages: the command of a response, also through the server's relay, and which endpoint is the
 * server. Input are frames, output are findings; nothing is displayed here.
 *
 * Facts are kept on the first pass only. A finding that looks back is the same on every pass; one that looks ahead
 * (response_in, relayed_in, failed, unanswered) is complete on the second pass.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_ANALYSIS_H
#define GAMEWIRE_PLUGIN_SQUIRREL_ANALYSIS_H

#include "common/compat.h"

#include <gamewire/squirrel.h>

typedef enum squirrel_part {
    SQUIRREL_NO_PART, /* no token, the token -1, or a datagram that an ICMP error quotes */
    SQUIRREL_COMMAND,
    SQUIRREL_ANSWER,
    SQUIRREL_STRAY_ANSWER /* no earlier command with its token was captured, or that command already has an answer */
} squirrel_part;

/* Frame numbers; 0 where there is none. */
typedef struct squirrel_findings {
    squirrel_part part;
    uint32_t command;    /* of an answer: the identifier of the command's frame */
    uint32_t command_in; /* of an answer */
    nstime_t command_time;
    uint32_t answer_in; /* of a command */
    bool failed;        /* of a command: the answer is an error */
    bool unanswered;    /* of a command: known on the second pass */
    uint32_t relayed_in;
    uint32_t relay_of;
    uint32_t retransmission_of; /* RakNet sent the same message before */
} squirrel_findings;

/* How RakNet transported a message. */
typedef enum squirrel_raknet_kind {
    SQUIRREL_RAKNET_NONE, /* not in RakNet, or unreliable */
    SQUIRREL_RAKNET_WHOLE,
    SQUIRREL_RAKNET_SPLIT /* reassembled: its numbers are not known */
} squirrel_raknet_kind;

/* RakNet's number of a reliable message, from the header before `message`. */
typedef struct squirrel_raknet_number {
    squirrel_raknet_kind kind;
    uint32_t number; /* of a message that is not split */
} squirrel_raknet_number;

squirrel_raknet_number squirrel_find_raknet_number(tvbuff_t *message, const packet_info *pinfo);

/* The key, of 30 bits, of data that is stored for a message of the packet. */
uint32_t squirrel_key_of(tvbuff_t *message);

/* Returns the relations of `frame`, the whole of `message`, to other frames. */
squirrel_findings squirrel_analyze(packet_info *pinfo, tvbuff_t *message, const gw_squirrel_frame *frame,
                                   squirrel_raknet_number raknet);

/* On the first pass, for a packet with evidence. Before a conversation is found, packets are candidates: if they are in
 * the row of the packet that proves it, they are dissected on the second pass, and analyzed on the first one for that.
 * `row` is the first frame of the packet's row, 0 for none; what was kept of candidates of another row is dropped. */
void squirrel_keep_row(packet_info *pinfo, uint32_t row, bool is_found);

/* On the first pass: the number in the keys of what is kept for the packet's conversation. */
uint32_t squirrel_scope_of(packet_info *pinfo);

/* A conversation of another protocol, such as RakNet, cannot be pinned to this dissector. Instead, from the packet's
 * frame on, packets of its conversation are accepted if they can be script data. */
void squirrel_keep_found(packet_info *pinfo);
bool squirrel_was_found(packet_info *pinfo);

/* The conversation's first frame with a direction tells, on the first pass, which endpoint is the server. True if by it
 * the other endpoint is the sender of such frames. */
bool squirrel_keep_direction(packet_info *pinfo, const gw_squirrel_frame *frame);

void squirrel_register_analysis(void);

#endif
