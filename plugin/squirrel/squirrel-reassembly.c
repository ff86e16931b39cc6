/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chunks are put together by Wireshark's own reassembly. They may come in any order and repeatedly: the real receiver
 * ignores those that it has. Each sender counts its streams from 0, in each direction, and restarts the count when it
 * restarts; a sequence number with other chunks than before is a new stream.
 */
#include "squirrel-reassembly.h"

#include "common/conversation.h"
#include "common/fault.h"

#include <epan/proto_data.h>

/* Keys of what is kept of a packet: apart from those of the analysis, which are ordinals. */
#define FIRST_RECORD_KEY UINT32_C(0x10000)

static int proto_squirrel = -1;
static reassembly_table streams;

/* ---- what is kept -------------------------------------------------------------------------------------- */

typedef struct stream_key {
    uint32_t conversation;
    uint32_t sequence;
    uint32_t side;
} stream_key;

/* The stream that a sequence number means at the moment. */
typedef struct split_stream {
    uint32_t id; /* of the reassembly, unique in a file */
    uint32_t chunks;
    uint32_t missing;
    wmem_map_t *seen; /* chunk index -> seen_chunk */
} split_stream;

typedef struct seen_chunk {
    uint32_t packet;
    uint32_t hash;
} seen_chunk;

/* The conclusions about a chunk on the first pass. */
typedef struct chunk_record {
    uint32_t id;
    uint32_t duplicate_of; /* frame number, or 0 */
    bool joined;           /* it is a part of the stream */
} chunk_record;

static wmem_map_t *by_sequence; /* stream_key -> split_stream */
static uint32_t next_id;

static unsigned hash_key(const void *key)
{
    return wmem_strong_hash((const uint8_t *)key, sizeof(stream_key));
}

static gboolean same_key(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(stream_key)) == 0;
}

static split_stream *start_stream(const stream_key *key, const gw_squirrel_frame *frame)
{
    split_stream *started = (split_stream *)wmem_map_lookup(by_sequence, key);
    if (!started) {
        started = wmem_new0(wmem_file_scope(), split_stream);
        wmem_map_insert(by_sequence, wmem_memdup(wmem_file_scope(), key, sizeof *key), started);
    }
    started->id = next_id++;
    started->chunks = frame->chunks;
    started->missing = frame->chunks;
    started->seen = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    return started;
}

static const seen_chunk *seen_before(const split_stream *stream, const gw_squirrel_frame *frame)
{
    if (!stream || stream->chunks != frame->chunks)
        return NULL;
    return (const seen_chunk *)wmem_map_lookup(stream->seen, GUINT_TO_POINTER(frame->chunk));
}

static seen_chunk summarise(tvbuff_t *tvb, const packet_info *pinfo, const gw_squirrel_frame *frame)
{
    seen_chunk seen = { pinfo->num, wmem_strong_hash(tvb_get_ptr(tvb, GW_SQUIRREL_SPLIT_HEAD, frame->chunk_length),
                                                     frame->chunk_length) };
    return seen;
}

/* The same chunk again, of a stream that is complete, may be a late repetition or the first of a new stream that
 * begins with the same bytes: it is reported as a repetition, and a new stream is begun with it as well. */
static chunk_record *keep(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame)
{
    stream_key key = { find_or_create_conversation(pinfo)->conv_index, frame->sequence, gw_sender_side(pinfo) };
    split_stream *stream = (split_stream *)wmem_map_lookup(by_sequence, &key);
    chunk_record *record = wmem_new0(wmem_file_scope(), chunk_record);
    const seen_chunk *before = seen_before(stream, frame);
    seen_chunk now = summarise(tvb, pinfo, frame);
    bool same = before && before->hash == now.hash;
    if (same)
        record->duplicate_of = before->packet;
    record->joined = !same || !stream->missing;
    if (!stream || stream->chunks != frame->chunks || (before && record->joined))
        stream = start_stream(&key, frame);
    if (record->joined) {
        wmem_map_insert(stream->seen, GUINT_TO_POINTER(frame->chunk), wmem_memdup(wmem_file_scope(), &now, sizeof now));
        stream->missing--;
    }
    record->id = stream->id;
    return record;
}

static bool can_be_joined(tvbuff_t *tvb, const packet_info *pinfo, const gw_squirrel_frame *frame)
{
    const uint16_t wrong = GW_SQUIRREL_CHUNK_NO_TOTAL | GW_SQUIRREL_CHUNK_BEYOND | GW_SQUIRREL_CHUNK_LENGTH;
    return !(frame->chunk_odd & wrong) && frame->chunks <= SQUIRREL_MOST_CHUNKS && !gw_is_cut_by_capture(tvb) &&
           !gw_is_quoted(pinfo);
}

squirrel_chunk_findings squirrel_reassemble(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame)
{
    squirrel_chunk_findings findings = { 0, NULL };
    if (!can_be_joined(tvb, pinfo, frame))
        return findings;
    uint32_t key = FIRST_RECORD_KEY + gw_packet_ordinal(pinfo, proto_squirrel);
    if (!PINFO_FD_VISITED(pinfo))
        p_add_proto_data(wmem_file_scope(), pinfo, proto_squirrel, key, keep(tvb, pinfo, frame));
    const chunk_record *record = (const chunk_record *)p_get_proto_data(wmem_file_scope(), pinfo, proto_squirrel, key);
    if (!record)
        return findings;
    findings.duplicate_of = record->duplicate_of;
    if (record->joined)
        findings.stream = fragment_add_seq_check(&streams, tvb, GW_SQUIRREL_SPLIT_HEAD, pinfo, record->id, NULL,
                                                 frame->chunk, frame->chunk_length, frame->chunk + 1 < frame->chunks);
    return findings;
}

static void start_file(void)
{
    next_id = 0;
}

void squirrel_register_reassembly(int protocol)
{
    proto_squirrel = protocol;
    by_sequence = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_key, same_key);
    reassembly_table_register(&streams, &addresses_ports_reassembly_table_functions);
    register_init_routine(start_file);
}
