/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chunks are put together by Wireshark's own reassembly. They may come in any order and repeatedly: the real receiver
 * ignores those that it has. Each sender counts its streams from 0, in each direction, and restarts the count when it
 * restarts; a sequence number with other chunks than before is a new stream, as is one after a minute without chunks.
 */
#include "reassembly.h"

#include "analysis.h"
#include "common/conversation.h"
#include "common/experts.h"
#include "fields.h"

#include <epan/proto_data.h>

/* Added to the message's key: the key of the packet's stored data of a chunk. */
#define RECORD_KEY UINT32_C(0x40000000)

/* Incomplete streams are stored up to this many bytes, including overhead: twice the largest stream that is
 * reassembled. Beyond it, the oldest stream is given up. */
#define MOST_BYTES     (UINT32_C(2) * SQUIRREL_MOST_CHUNKS * GW_SQUIRREL_CHUNK_SIZE)
#define CHUNK_OVERHEAD UINT32_C(200) /* approximate size of epan's data for a fragment */

/* A lost chunk is sent again within seconds: after this time, the sender counts from 0 again. */
#define SECONDS_OF_SILENCE 60

static reassembly_table streams;

/* ---- stored data --------------------------------------------------------------------------------------- */

typedef struct stream_key {
    uint32_t conversation;
    uint32_t sequence;
    uint32_t side;
} stream_key;

typedef struct seen_chunk {
    uint32_t packet; /* 0: not seen yet */
    uint32_t hash;
} seen_chunk;

/* The current stream of a sequence number. */
typedef struct split_stream {
    stream_key key;
    uint32_t id; /* of the reassembly, unique in a file, from 1 */
    uint32_t chunks;
    uint32_t missing;
    nstime_t latest;                    /* chunk, repeated ones too */
    uint32_t bytes;                     /* counted toward MOST_BYTES while incomplete */
    seen_chunk *seen;                   /* by index */
    struct split_stream *older, *newer; /* incomplete streams */
} split_stream;

/* The conclusions about a chunk on the first pass. */
typedef struct chunk_record {
    uint32_t id;
    uint32_t duplicate_of; /* frame number, or 0 */
    bool joined;           /* it is part of the stream */
} chunk_record;

static wmem_map_t *by_sequence; /* stream_key -> split_stream */
static wmem_map_t *given_up;    /* id -> itself */

/* The state of one file. */
static struct {
    uint32_t last_id;
    uint32_t bytes; /* of incomplete streams */
    split_stream *oldest, *newest;
} kept;

static unsigned hash_key(const void *key)
{
    return wmem_strong_hash((const uint8_t *)key, sizeof(stream_key));
}

static gboolean same_key(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(stream_key)) == 0;
}

/* ---- incomplete streams -------------------------------------------------------------------------------- */

static void append_incomplete(split_stream *stream)
{
    stream->older = kept.newest;
    stream->newer = NULL;
    if (kept.newest)
        kept.newest->newer = stream;
    else
        kept.oldest = stream;
    kept.newest = stream;
}

/* The stream is complete, or was given up: its bytes are no longer counted. */
static void remove_incomplete(split_stream *stream)
{
    if (stream->older)
        stream->older->newer = stream->newer;
    else
        kept.oldest = stream->newer;
    if (stream->newer)
        stream->newer->older = stream->older;
    else
        kept.newest = stream->older;
    kept.bytes -= stream->bytes;
    stream->bytes = 0;
}

static void count_bytes(split_stream *stream, uint32_t bytes)
{
    stream->bytes += bytes;
    kept.bytes += bytes;
}

static void free_stream(split_stream *stream)
{
    wmem_map_remove(by_sequence, &stream->key);
    wmem_free(wmem_file_scope(), stream->seen);
    wmem_free(wmem_file_scope(), stream);
}

static void drop_incomplete(packet_info *pinfo, split_stream *stream)
{
    remove_incomplete(stream);
    fragment_delete(&streams, pinfo, stream->id, NULL);
    free_stream(stream);
}

static void give_up(packet_info *pinfo, split_stream *stream)
{
    void *id = GUINT_TO_POINTER(stream->id);
    wmem_map_insert(given_up, id, id);
    drop_incomplete(pinfo, stream);
}

/* ---- streams ------------------------------------------------------------------------------------------- */

/* Replaces the previous stream of the sequence number, if any. */
static split_stream *start_stream(packet_info *pinfo, const stream_key *key, const gw_squirrel_frame *frame)
{
    split_stream *before = (split_stream *)wmem_map_lookup(by_sequence, key);
    if (before && before->missing)
        drop_incomplete(pinfo, before);
    else if (before)
        free_stream(before);
    split_stream *started = wmem_new0(wmem_file_scope(), split_stream);
    started->key = *key;
    started->id = ++kept.last_id;
    started->chunks = frame->chunks;
    started->missing = frame->chunks;
    started->seen = wmem_alloc0_array(wmem_file_scope(), seen_chunk, frame->chunks);
    wmem_map_insert(by_sequence, &started->key, started);
    append_incomplete(started);
    count_bytes(started, (uint32_t)(sizeof *started + frame->chunks * sizeof *started->seen));
    return started;
}

/* NULL if there is none, or a later chunk belongs to another stream. */
static split_stream *find_stream(const packet_info *pinfo, const stream_key *key)
{
    split_stream *stream = (split_stream *)wmem_map_lookup(by_sequence, key);
    return stream && pinfo->abs_ts.secs - stream->latest.secs <= SECONDS_OF_SILENCE ? stream : NULL;
}

static const seen_chunk *seen_before(const split_stream *stream, const gw_squirrel_frame *frame)
{
    if (!stream || stream->chunks != frame->chunks || !stream->seen[frame->chunk].packet)
        return NULL;
    return &stream->seen[frame->chunk];
}

static seen_chunk summarize(tvbuff_t *tvb, const packet_info *pinfo, const gw_squirrel_frame *frame)
{
    seen_chunk seen = { pinfo->num, wmem_strong_hash(tvb_get_ptr(tvb, GW_SQUIRREL_SPLIT_HEAD, frame->chunk_length),
                                                     frame->chunk_length) };
    return seen;
}

static void join(packet_info *pinfo, split_stream *stream, const gw_squirrel_frame *frame, seen_chunk chunk)
{
    stream->seen[frame->chunk] = chunk;
    count_bytes(stream, frame->chunk_length + CHUNK_OVERHEAD);
    if (!--stream->missing)
        remove_incomplete(stream);
    while (kept.bytes > MOST_BYTES && kept.oldest && kept.oldest != stream)
        give_up(pinfo, kept.oldest);
}

/* A repeated chunk of a complete stream may be a late repetition or the first chunk of a new stream that begins with
 * the same bytes: it is reported as a repetition, and also starts a new stream. */
static chunk_record *keep(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame, uint32_t resent_of)
{
    stream_key key = { gw_conversation_of(pinfo)->conv_index, frame->sequence, gw_sender_side(pinfo) };
    split_stream *stream = find_stream(pinfo, &key);
    chunk_record *record = wmem_new0(wmem_file_scope(), chunk_record);
    if (resent_of) {
        record->duplicate_of = resent_of;
        record->id = stream ? stream->id : 0;
        return record;
    }
    const seen_chunk *before = seen_before(stream, frame);
    seen_chunk now = summarize(tvb, pinfo, frame);
    bool same = before && before->hash == now.hash;
    if (same)
        record->duplicate_of = before->packet;
    record->joined = !same || !stream->missing;
    if (!stream || stream->chunks != frame->chunks || (before && record->joined))
        stream = start_stream(pinfo, &key, frame);
    record->id = stream->id;
    stream->latest = pinfo->abs_ts;
    if (record->joined)
        join(pinfo, stream, frame, now);
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
    squirrel_chunk_findings findings = { 0, false, NULL };
    if (!can_be_joined(tvb, pinfo, frame))
        return findings;
    uint32_t key = RECORD_KEY | squirrel_key_of(tvb);
    if (!PINFO_FD_VISITED(pinfo))
        p_add_proto_data(wmem_file_scope(), pinfo, proto_squirrel, key, keep(tvb, pinfo, frame, resent_of));
    const chunk_record *record = (const chunk_record *)p_get_proto_data(wmem_file_scope(), pinfo, proto_squirrel, key);
    if (!record)
        return findings;
    findings.duplicate_of = record->duplicate_of;
    findings.given_up = wmem_map_contains(given_up, GUINT_TO_POINTER(record->id));
    if (record->joined)
        findings.stream = fragment_add_seq_check(&streams, tvb, GW_SQUIRREL_SPLIT_HEAD, pinfo, record->id, NULL,
                                                 frame->chunk, frame->chunk_length, frame->chunk + 1 < frame->chunks);
    return findings;
}

/* ---- keys of the reassembly table ---------------------------------------------------------------------- */

/* The id alone, which is unique in a file: a stream can be given up while another conversation's packet is read. */
static void *key_of_id(const packet_info *pinfo _U_, const uint32_t id, const void *data _U_)
{
    return GUINT_TO_POINTER(id);
}

static void free_nothing(void *key _U_)
{
}

static const reassembly_table_functions id_functions = { g_direct_hash, g_direct_equal, key_of_id,
                                                         key_of_id,     free_nothing,   free_nothing };

static void start_file(void)
{
    memset(&kept, 0, sizeof kept);
}

void squirrel_register_reassembly(void)
{
    by_sequence = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_key, same_key);
    given_up = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    reassembly_table_register(&streams, &id_functions);
    register_init_routine(start_file);
}
