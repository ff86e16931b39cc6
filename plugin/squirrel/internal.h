/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The declarations that Squirrel's files share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_INTERNAL_H
#define GAMEWIRE_PLUGIN_SQUIRREL_INTERNAL_H

#include "common/compat.h"

#include <epan/expert.h>
#include <epan/reassemble.h>
#include <gamewire/squirrel.h>

#include "common/display/demand.h"
#include "common/items.h"

/* ==== analysis.c ======================================================================================== */

/* Analysis across messages: the command of a response, also through the server's relay, and which endpoint is the
 * server. Input are frames, output are findings; nothing is displayed here.
 *
 * Data is kept on the first pass only. A finding that looks back is the same on every pass; one that looks ahead
 * (response_in, relayed_in, failed, unanswered) is complete on the second pass. */

typedef enum squirrel_part {
    SQUIRREL_NO_PART, /* no token, the token -1, or a datagram that an ICMP error quotes */
    SQUIRREL_COMMAND,
    SQUIRREL_ANSWER,
    SQUIRREL_STRAY_ANSWER /* no earlier command with its token was captured, or that command already has an answer */
} squirrel_part;

/* Frame numbers; 0 where there is none. */
typedef struct squirrel_findings {
    squirrel_part part;
    bool is_against_direction; /* the other endpoint sends such frames */
    uint32_t command;          /* of an answer: the identifier of the command's frame */
    uint32_t command_in;       /* of an answer */
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

/* RakNet's number of a reliable message. */
typedef struct squirrel_raknet_number {
    squirrel_raknet_kind kind;
    uint32_t number; /* of a message that is not split */
} squirrel_raknet_number;

/* Returns the relations of `frame`, the whole of `message`, to other frames. */
squirrel_findings squirrel_analyze(packet_info *pinfo, tvbuff_t *message, const gw_squirrel_frame *frame,
                                   squirrel_raknet_number raknet);

/* On the first pass, for a packet with evidence. Before a conversation is found, packets are candidates: if they are in
 * the series of the packet that proves it, they are dissected on the second pass, and analyzed on the first one for that.
 * `series` is the first frame of the packet's series, 0 for none; the data of candidates of another series is dropped. */
void squirrel_keep_series(packet_info *pinfo, uint32_t series, bool is_found);

/* A conversation of another protocol, such as RakNet, cannot be pinned to this dissector. Instead, from the packet's
 * frame on, packets of its conversation are accepted if they can be script data. */
void squirrel_keep_found(packet_info *pinfo);
bool squirrel_was_found(packet_info *pinfo);

/* Split streams: frames longer than 4094 bytes, which are sent in chunks. */

/* A stream may declare four thousand million chunks. Scripts send far less than 16 MiB. */
#define SQUIRREL_MOST_CHUNKS 4096u

typedef struct squirrel_chunk_findings {
    uint32_t duplicate_of; /* frame number of the first one, or 0 */
    fragment_head *stream; /* the whole stream, in each of its chunks once it is complete; or NULL */
} squirrel_chunk_findings;

/* Adds a chunk, whose frame is `tvb`, to its stream. `frame->chunk_odd` must be computed from the reported length.
 * `resent_of`: the frame in which RakNet sent it before, or 0; it is not added again. */
squirrel_chunk_findings squirrel_reassemble(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame,
                                            uint32_t resent_of);

void squirrel_register_analysis(void);

/* ==== dissect.c ========================================================================================= */

/* Dissects one message: its head, the analysis, its values, and the Info column. */

/* The captured bytes of a packet. */
typedef struct squirrel_payload {
    const uint8_t *bytes; /* NULL: none */
    uint32_t length;
    uint32_t wire_length;
} squirrel_payload;

static inline squirrel_payload squirrel_payload_of(tvbuff_t *tvb)
{
    uint32_t length = tvb_captured_length(tvb);
    return (squirrel_payload){ length ? gw_bytes_of(tvb) : NULL, length, tvb_reported_length(tvb) };
}

/* Analyzes a message or a frame that is not dissected on the first pass, but may be on the second. */
void squirrel_keep_candidate(tvbuff_t *tvb, packet_info *pinfo);

/* Dissects a message or a frame, valid or not; 0 if it is neither. */
int squirrel_dissect_script(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/* The same, but also for values without a frame. Never declines. */
int squirrel_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/* ==== fields.c ========================================================================================== */

/* Every field, subtree and expert info of the Squirrel dissector. */

typedef struct squirrel_fields {
    /* Message and frame. */
    int message_id, message_length, frame, target_player, sender_player, token, undecoded_frame;
    /* Exchanges. */
    int response_in, response_to, relayed_in, relay_of, time, failed, unanswered, retransmission_of;
    /* Split streams. */
    int sequence, chunk, chunks, chunk_length, chunk_payload, duplicate_of, joined;
    int fragments, fragment, overlap, overlap_conflict, multiple_tails, fragment_too_long, fragment_error,
        fragment_count, reassembled_in, reassembled_length;
    /* Values. */
    int expression, null, integer, number, truth, string, error, script, blob;
    int vector, vector_xyz[3], quaternion, quaternion_xyzw[4];
    int array, table, class_table, command, function, tag, length, count;
    int declared, actual, skipped, not_shown, undecoded, json;
} squirrel_fields;

typedef struct squirrel_subtrees {
    int protocol, joined, value, fragment, fragments;
} squirrel_subtrees;

typedef struct squirrel_experts {
    /* Message and frame. */
    expert_field message_length, message_id, unknown_frame, head_cut_short, direction, split_in_split, joined_no_frame,
        too_large, no_command, retransmission, unread;
    /* Split streams. */
    expert_field no_total, beyond_total, length_wrong, too_long, too_short, duplicate, many_chunks, chunk_cut_short;
    /* Values. */
    expert_field length_short, length_long, not_a_command, error_reply, cut_short;
    expert_field faults[GW_SQUIRREL_FAULTS]; /* by code */
    expert_field odd[GW_SQUIRREL_ODDS];      /* by the number of the bit */
} squirrel_experts;

extern int proto_squirrel;
extern squirrel_fields squirrel_hf;
extern squirrel_subtrees squirrel_ett;
extern squirrel_experts squirrel_ei;
extern const fragment_items squirrel_fragment_items;
extern const value_string squirrel_message_ids[];

void squirrel_register_fields(int protocol);

/* ==== tree.c ============================================================================================ */

/* Adds the items of values, with expert infos, and the message as JSON. Values are read in dissect.c. */

/* ---- values -------------------------------------------------------------------------------------------- */

typedef struct squirrel_tree_preferences {
    ws_bool show_headers; /* show tag and length of every value, not only of containers and commands */
} squirrel_tree_preferences;

extern squirrel_tree_preferences squirrel_tree_prefs;

/* A frame, or values without a frame, as a value of squirrel.json. */
typedef struct squirrel_json squirrel_json;

/* The items of one frame's values, added event by event. */
typedef struct squirrel_drawing {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;                   /* parent of the values; may be NULL */
    const gw_squirrel_frame_type *type; /* NULL: values without a frame */
    const gw_squirrel_reader *reader;   /* reader of the events */
    gw_demand *demand;
    squirrel_json *json;  /* the field is named; else NULL */
    bool drawn;           /* the protocol's fields are referenced; else only oddities and faults are reported */
    bool headers;         /* show tags and lengths of scalars too */
    uint32_t *items_left; /* of the whole packet: common/items.h */
    uint8_t expert_counts[32];
    bool hiding;
    uint32_t hidden_from;
    proto_item *items[GW_SQUIRREL_DEPTH];
    proto_tree *trees[GW_SQUIRREL_DEPTH];
} squirrel_drawing;

/* The subtrees are set when containers open. */
void squirrel_begin_values(squirrel_drawing *drawing, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                           gw_demand *demand, const gw_squirrel_frame_type *type, const gw_squirrel_reader *reader,
                           squirrel_json *json);
void squirrel_add_event(squirrel_drawing *drawing, const gw_squirrel_event *event);
/* Call it after the last event: adds an item for the bytes that were not shown, and the fault if there is one. */
void squirrel_end_values(squirrel_drawing *drawing);

/* ---- JSON ---------------------------------------------------------------------------------------------- */

/* In packet scope; NULL: the field is not named. */
squirrel_json *squirrel_json_new(packet_info *pinfo, proto_tree *tree);
/* Adds the source text of a value. */
void squirrel_json_expression(squirrel_json *json, const char *expression);
/* Adds the message to the tree. `frame`: its head was read; else NULL, as `findings`. `first_finding`: of the message, in
 * the packet. */
void squirrel_json_end(squirrel_json *json, proto_tree *tree, const char *kind, const gw_squirrel_frame *frame,
                       const squirrel_findings *findings, unsigned first_finding);

/* ==== statistics.c ====================================================================================== */

/* Data for the statistics: frames, commands, and the names that they call, read and set. */

/* Maximum number of commands of one frame that are counted. */
#define SQUIRREL_TAP_COMMANDS 128

typedef enum squirrel_use { SQUIRREL_USE_NONE, SQUIRREL_USE_CALL, SQUIRREL_USE_READ, SQUIRREL_USE_SET } squirrel_use;

typedef struct squirrel_tap_entry {
    uint8_t tag;
    uint8_t use;      /* squirrel_use */
    uint32_t length;  /* of the command, with its tag */
    const char *name; /* the called, read or set name; NULL without a use */
} squirrel_tap_entry;

/* Data of the tap "squirrel" for one frame. */
typedef struct squirrel_tap {
    const char *frame; /* its name */
    uint32_t length;
    bool is_retransmission;
    uint32_t answered;     /* an answer: the identifier of the command's frame, else 0 */
    nstime_t command_time; /* of that command */
    unsigned count;
    squirrel_tap_entry commands[SQUIRREL_TAP_COMMANDS];
} squirrel_tap;

/* Counts a frame of `length` bytes, or values without a frame (`type` and `findings` NULL), in the table of connections,
 * and returns its tap data in packet scope; NULL if no tap listens. `is_joined`: it was joined from chunks, which were
 * counted. */
squirrel_tap *squirrel_count_frame(packet_info *pinfo, const gw_squirrel_frame_type *type, uint32_t length,
                                   bool is_joined, const squirrel_findings *findings);

/* Adds the command that an event opens. */
void squirrel_tap_event(squirrel_tap *tap, packet_info *pinfo, const gw_squirrel_reader *reader,
                        const gw_squirrel_event *event);

/* Sends the data to the tap; does nothing if it is NULL. */
void squirrel_queue_tap(packet_info *pinfo, const squirrel_tap *tap);

/* Follow Stream, which shows the lines of messages: gw_follow_line(). */
extern int squirrel_follow_tap;

/* Call at registration of the protocol. */
void squirrel_register_statistics(int protocol);

#endif
