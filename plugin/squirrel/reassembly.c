/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chunks are reassembled by epan, which also keeps them. They may come in any order and repeatedly: the real receiver
 * ignores those that it has. Each sender counts its streams from 0, in each direction, and restarts the count when it
 * restarts; a sequence number with other chunks than before is a new stream, as is one after a minute without chunks.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/experts.h"
#include "common/frame_log.h"

/* A lost chunk is sent again within seconds: after this time, the sender counts from 0 again. */
#define SECONDS_OF_SILENCE 60

/* The current stream of a sequence number. */
typedef struct split_stream {
    uint32_t id; /* of the reassembly, unique; 0: none yet */
    uint32_t chunks;
    nstime_t latest;            /* chunk, repeated ones too */
    const fragment_head *whole; /* NULL: incomplete */
} split_stream;

/* The conclusions about a chunk on the first pass. */
typedef struct chunk_record {
    uint32_t id;           /* of the reassembly that it is part of, or 0 */
    uint32_t duplicate_of; /* frame number, or 0 */
} chunk_record;

static gw_frame_log chunks; /* chunk_record, by squirrel_key_of() */
static reassembly_table streams;
static wmem_tree_t *by_sequence; /* scope, side of the sender, sequence number -> split_stream */
static uint32_t last_id;

static split_stream *obtain_stream(packet_info *pinfo, uint32_t sequence)
{
    uint32_t scope = squirrel_scope_of(pinfo), side = gw_sender_side(pinfo);
    wmem_tree_key_t key[] = { { 1, &scope }, { 1, &side }, { 1, &sequence }, { 0, NULL } };
    split_stream *stream = (split_stream *)wmem_tree_lookup32_array(by_sequence, key);
    if (!stream) {
        stream = wmem_new0(wmem_file_scope(), split_stream);
        wmem_tree_insert32_array(by_sequence, key, stream);
    }
    return stream;
}

/* True if the chunk can be one of the current stream. */
static bool may_belong(const split_stream *stream, const packet_info *pinfo, const gw_squirrel_frame *frame)
{
    return stream->id && stream->chunks == frame->chunks &&
           pinfo->abs_ts.secs - stream->latest.secs <= SECONDS_OF_SILENCE;
}

/* The chunk with the index of this one that the stream already has, or NULL. `same`: it has the same bytes. */
static const fragment_item *find_chunk(const split_stream *stream, tvbuff_t *tvb, const packet_info *pinfo,
                                       const gw_squirrel_frame *frame, bool *same)
{
    const fragment_head *head = stream->whole ? stream->whole : fragment_get(&streams, pinfo, stream->id, NULL);
    const fragment_item *before = head ? head->next : NULL;
    int offset = 0; /* in the complete stream: then the chunks have no bytes of their own */
    for (; before && before->offset != frame->chunk; before = before->next)
        offset += (int)before->len;
    if (!before)
        return NULL;
    *same = before->len == frame->chunk_length &&
            (!before->len || tvb_memeql(stream->whole ? head->tvb_data : before->tvb_data, stream->whole ? offset : 0,
                                        tvb_get_ptr(tvb, GW_SQUIRREL_SPLIT_HEAD, (int)before->len), before->len) == 0);
    return before;
}

/* A repeated chunk of a complete stream may be a late repetition or the first chunk of a new stream that begins with
 * the same bytes: it is reported as a repetition, and also starts a new stream. */
static chunk_record keep_chunk(split_stream *stream, tvbuff_t *tvb, const packet_info *pinfo,
                               const gw_squirrel_frame *frame)
{
    chunk_record record = { 0 };
    bool belongs = may_belong(stream, pinfo, frame), same = false;
    const fragment_item *before = belongs ? find_chunk(stream, tvb, pinfo, frame, &same) : NULL;
    stream->latest = pinfo->abs_ts;
    if (same)
        record.duplicate_of = before->frame;
    if (same && !stream->whole)
        return record;
    if (!belongs || before) {
        stream->id = ++last_id;
        stream->chunks = frame->chunks;
        stream->whole = NULL;
    }
    record.id = stream->id;
    return record;
}

static bool can_be_joined(tvbuff_t *tvb, const packet_info *pinfo, const gw_squirrel_frame *frame)
{
    const uint16_t wrong = GW_SQUIRREL_CHUNK_NO_TOTAL | GW_SQUIRREL_CHUNK_BEYOND | GW_SQUIRREL_CHUNK_LENGTH;
    return !(frame->chunk_odd & wrong) && frame->chunks <= SQUIRREL_MOST_CHUNKS && !gw_is_incomplete(pinfo, tvb) &&
           !gw_is_quoted(pinfo);
}

squirrel_chunk_findings squirrel_reassemble(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame,
                                            uint32_t resent_of)
{
    squirrel_chunk_findings findings = { 0, NULL };
    split_stream *stream = NULL;
    if (!can_be_joined(tvb, pinfo, frame))
        return findings;
    uint32_t key = squirrel_key_of(tvb);
    if (!gw_is_later_pass(pinfo)) {
        stream = obtain_stream(pinfo, frame->sequence);
        chunk_record *kept = gw_frame_log_add(&chunks, pinfo, key, sizeof *kept);
        *kept = resent_of ? (chunk_record){ .duplicate_of = resent_of } : keep_chunk(stream, tvb, pinfo, frame);
    }
    const chunk_record *record = gw_frame_log_find(&chunks, pinfo, key, NULL);
    if (!record)
        return findings;
    findings.duplicate_of = record->duplicate_of;
    if (!record->id)
        return findings;
    findings.stream = fragment_add_seq_check(&streams, tvb, GW_SQUIRREL_SPLIT_HEAD, pinfo, record->id, NULL,
                                             frame->chunk, frame->chunk_length, frame->chunk + 1 < frame->chunks);
    if (stream)
        stream->whole = findings.stream;
    return findings;
}

/* ---- keys of the reassembly table ---------------------------------------------------------------------- */

/* The id alone, which is unique. */
static void *key_of_id(const packet_info *pinfo _U_, const uint32_t id, const void *data _U_)
{
    return GUINT_TO_POINTER(id);
}

static void free_nothing(void *key _U_)
{
}

static const reassembly_table_functions id_functions = { g_direct_hash, g_direct_equal, key_of_id,
                                                         key_of_id,     free_nothing,   free_nothing };

void squirrel_register_reassembly(void)
{
    by_sequence = wmem_tree_new_autoreset(wmem_epan_scope(), wmem_file_scope());
    reassembly_table_register(&streams, &id_functions);
    gw_frame_log_init(&chunks);
}
