/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chunks are put together by Wireshark's own reassembly. Chunks may come in any order, and twice: the real
 * receiver ignores those that it has. Each sender counts its streams from 0, in each direction, and starts
 * again when it is started again; a sequence number whose chunks are other ones than before is a new stream.
 */
#include "squirrel-split.h"

#include <epan/conversation.h>
#include <epan/proto_data.h>
#include <epan/reassemble.h>

#include "common/fault.h"
#include "squirrel-exchange.h"

/* A stream may claim four thousand million chunks. 16 MiB is far beyond what a script sends. */
#define MOST_CHUNKS      4096u
#define COUNTER_KEY      2
#define FIRST_RECORD_KEY 0x100

static int proto_squirrel = -1;
static int hf_sequence = -1;
static int hf_chunk = -1;
static int hf_chunks = -1;
static int hf_length = -1;
static int hf_payload = -1;
static int hf_duplicate_of = -1;
static int hf_fragments = -1;
static int hf_fragment = -1;
static int hf_fragment_overlap = -1;
static int hf_fragment_overlap_conflict = -1;
static int hf_fragment_multiple_tails = -1;
static int hf_fragment_too_long = -1;
static int hf_fragment_error = -1;
static int hf_fragment_count = -1;
static int hf_reassembled_in = -1;
static int hf_reassembled_length = -1;

static int ett_fragment = -1;
static int ett_fragments = -1;

static expert_field ei_no_total = EI_INIT;
static expert_field ei_beyond = EI_INIT;
static expert_field ei_length = EI_INIT;
static expert_field ei_too_long = EI_INIT;
static expert_field ei_short = EI_INIT;
static expert_field ei_duplicate = EI_INIT;
static expert_field ei_many = EI_INIT;
static expert_field ei_cut = EI_INIT;

static const fragment_items items = { &ett_fragment,
                                      &ett_fragments,
                                      &hf_fragments,
                                      &hf_fragment,
                                      &hf_fragment_overlap,
                                      &hf_fragment_overlap_conflict,
                                      &hf_fragment_multiple_tails,
                                      &hf_fragment_too_long,
                                      &hf_fragment_error,
                                      &hf_fragment_count,
                                      &hf_reassembled_in,
                                      &hf_reassembled_length,
                                      NULL,
                                      "chunks" };

static reassembly_table streams;

/* ---- what is remembered -------------------------------------------------------------------------------- */

typedef struct stream_key {
    uint32_t conversation;
    uint32_t sequence;
    uint32_t side;
} stream_key;

/* The stream that a sequence number means at the moment. */
typedef struct split_stream {
    uint32_t id; /* of the reassembly, never used twice in a file */
    uint32_t chunks;
    uint32_t missing;
    wmem_map_t *seen; /* chunk index -> seen_chunk */
} split_stream;

typedef struct seen_chunk {
    uint32_t packet;
    uint32_t hash;
} seen_chunk;

/* What became of a chunk on the first pass. */
typedef struct chunk_record {
    uint32_t id;
    uint32_t duplicate_of; /* packet, or 0 */
    ws_bool joined;        /* it is a part of the stream */
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

static void start_file(void)
{
    by_sequence = wmem_map_new(wmem_file_scope(), hash_key, same_key);
    next_id = 0;
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

static seen_chunk look_at(tvbuff_t *tvb, const packet_info *pinfo, const gw_squirrel_frame *frame)
{
    seen_chunk seen = { pinfo->num, wmem_strong_hash(tvb_get_ptr(tvb, GW_SQUIRREL_SPLIT_HEAD, frame->chunk_length),
                                                     frame->chunk_length) };
    return seen;
}

/* The same chunk again, of a stream that is complete, may be a late repetition or the first of a new stream
 * that begins alike: it is called a repetition, and a new stream is begun with it in case. */
static chunk_record *remember(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame)
{
    stream_key key = { find_or_create_conversation(pinfo)->conv_index, frame->sequence, squirrel_side(pinfo) };
    split_stream *stream = (split_stream *)wmem_map_lookup(by_sequence, &key);
    chunk_record *record = wmem_new0(wmem_file_scope(), chunk_record);
    const seen_chunk *before = seen_before(stream, frame);
    seen_chunk now = look_at(tvb, pinfo, frame);
    ws_bool same = before && before->hash == now.hash;
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

static const chunk_record *record_of(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame)
{
    uint32_t number = GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, proto_squirrel, COUNTER_KEY));
    uint32_t key = FIRST_RECORD_KEY + number;
    p_set_proto_data(pinfo->pool, pinfo, proto_squirrel, COUNTER_KEY, GUINT_TO_POINTER(number + 1));
    if (!PINFO_FD_VISITED(pinfo))
        p_add_proto_data(wmem_file_scope(), pinfo, proto_squirrel, key, remember(tvb, pinfo, frame));
    return (const chunk_record *)p_get_proto_data(wmem_file_scope(), pinfo, proto_squirrel, key);
}

/* ---- display ------------------------------------------------------------------------------------------- */

static void tell_about_place(packet_info *pinfo, const gw_squirrel_frame *frame, uint16_t odd, proto_item *chunk,
                             proto_item *chunks)
{
    if (odd & GW_SQUIRREL_CHUNK_NO_TOTAL)
        expert_add_info(pinfo, chunks, &ei_no_total);
    if (odd & GW_SQUIRREL_CHUNK_BEYOND)
        expert_add_info_format(pinfo, chunk, &ei_beyond,
                               "Chunk index %u of a stream of %u chunks: the real receiver raises an error",
                               frame->chunk, frame->chunks);
    if (frame->chunks > MOST_CHUNKS)
        expert_add_info(pinfo, chunks, &ei_many);
}

static void tell_about_length(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame, uint16_t odd,
                              proto_item *length)
{
    if (odd & GW_SQUIRREL_CHUNK_LENGTH)
        expert_add_info_format(pinfo, length, &ei_length, "Chunk length wrong: %u declared, %u actual",
                               frame->chunk_length, tvb_reported_length(tvb) - GW_SQUIRREL_SPLIT_HEAD);
    if (odd & GW_SQUIRREL_CHUNK_TOO_LONG)
        expert_add_info_format(pinfo, length, &ei_too_long, "A chunk of %u bytes: the real sender fills up to %u",
                               frame->chunk_length, GW_SQUIRREL_CHUNK_SIZE);
    if (odd & GW_SQUIRREL_CHUNK_SHORT)
        expert_add_info_format(pinfo, length, &ei_short,
                               "A chunk of %u bytes that is not the last: the real sender fills %u",
                               frame->chunk_length, GW_SQUIRREL_CHUNK_SIZE);
    if (gw_is_cut_by_capture(tvb))
        expert_add_info(pinfo, length, &ei_cut);
}

static void add_head(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame, uint16_t odd)
{
    int payload = tvb_captured_length_remaining(tvb, GW_SQUIRREL_SPLIT_HEAD);
    proto_tree_add_item(tree, hf_sequence, tvb, 4, 4, ENC_LITTLE_ENDIAN);
    proto_item *chunk = proto_tree_add_item(tree, hf_chunk, tvb, 8, 4, ENC_LITTLE_ENDIAN);
    proto_item *chunks = proto_tree_add_item(tree, hf_chunks, tvb, 12, 4, ENC_LITTLE_ENDIAN);
    proto_item *length = proto_tree_add_item(tree, hf_length, tvb, 16, 2, ENC_LITTLE_ENDIAN);
    if (payload > 0)
        proto_tree_add_item(tree, hf_payload, tvb, GW_SQUIRREL_SPLIT_HEAD, payload, ENC_NA);
    tell_about_place(pinfo, frame, odd, chunk, chunks);
    tell_about_length(tvb, pinfo, frame, odd, length);
}

/* The codec knows what was captured only. */
static uint16_t odd_on_the_wire(tvbuff_t *tvb, const gw_squirrel_frame *frame)
{
    uint16_t odd = frame->chunk_odd & (uint16_t)~GW_SQUIRREL_CHUNK_LENGTH;
    if (frame->chunk_length != tvb_reported_length(tvb) - GW_SQUIRREL_SPLIT_HEAD)
        odd |= GW_SQUIRREL_CHUNK_LENGTH;
    return odd;
}

static ws_bool can_be_joined(tvbuff_t *tvb, const gw_squirrel_frame *frame, uint16_t odd)
{
    const uint16_t wrong = GW_SQUIRREL_CHUNK_NO_TOTAL | GW_SQUIRREL_CHUNK_BEYOND | GW_SQUIRREL_CHUNK_LENGTH;
    return !(odd & wrong) && frame->chunks <= MOST_CHUNKS && !gw_is_cut_by_capture(tvb);
}

static void add_duplicate(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, uint32_t packet)
{
    proto_item *item = proto_tree_add_uint(tree, hf_duplicate_of, tvb, 0, 0, packet);
    proto_item_set_generated(item);
    expert_add_info(pinfo, item, &ei_duplicate);
}

tvbuff_t *squirrel_take_chunk(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame)
{
    uint16_t odd = odd_on_the_wire(tvb, frame);
    const chunk_record *record;
    fragment_head *head;
    add_head(tvb, pinfo, tree, frame, odd);
    if (!can_be_joined(tvb, frame, odd))
        return NULL;
    record = record_of(tvb, pinfo, frame);
    if (!record)
        return NULL;
    if (record->duplicate_of)
        add_duplicate(tvb, pinfo, tree, record->duplicate_of);
    if (!record->joined)
        return NULL;
    head = fragment_add_seq_check(&streams, tvb, GW_SQUIRREL_SPLIT_HEAD, pinfo, record->id, NULL, frame->chunk,
                                  frame->chunk_length, frame->chunk + 1 < frame->chunks);
    return process_reassembled_data(tvb, GW_SQUIRREL_SPLIT_HEAD, pinfo, "Joined Squirrel frame", head, &items, NULL,
                                    tree);
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* clang-format off */
static hf_register_info fields[] = {
    { &hf_sequence, { "Stream", "squirrel.split.sequence", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
    { &hf_chunk, { "Chunk", "squirrel.split.chunk", FT_UINT32, BASE_DEC, NULL, 0, "Counted from 0", HFILL } },
    { &hf_chunks, { "Chunks", "squirrel.split.chunks", FT_UINT32, BASE_DEC, NULL, 0, "Of the whole stream",
      HFILL } },
    { &hf_length, { "Length", "squirrel.split.length", FT_UINT16, BASE_DEC, NULL, 0, NULL, HFILL } },
    { &hf_payload, { "Payload", "squirrel.split.payload", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_duplicate_of, { "Duplicate of", "squirrel.split.duplicate_of", FT_FRAMENUM, BASE_NONE,
                          FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV), 0, NULL, HFILL } },
    { &hf_fragments, { "Chunks joined", "squirrel.fragments", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_fragment, { "Chunk", "squirrel.fragment", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_fragment_overlap, { "Overlap", "squirrel.fragment.overlap", FT_BOOLEAN, BASE_NONE, NULL, 0, NULL,
      HFILL } },
    { &hf_fragment_overlap_conflict, { "Conflicting overlap", "squirrel.fragment.overlap_conflict",
      FT_BOOLEAN, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_fragment_multiple_tails, { "Several last chunks", "squirrel.fragment.multiple_tails", FT_BOOLEAN,
      BASE_NONE, NULL, 0, NULL, HFILL } },
    { &hf_fragment_too_long, { "Chunk too long", "squirrel.fragment.too_long", FT_BOOLEAN, BASE_NONE, NULL,
      0, NULL, HFILL } },
    { &hf_fragment_error, { "Error", "squirrel.fragment.error", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL,
      HFILL } },
    { &hf_fragment_count, { "Chunk count", "squirrel.fragment.count", FT_UINT32, BASE_DEC, NULL, 0, NULL,
      HFILL } },
    { &hf_reassembled_in, { "Joined in", "squirrel.reassembled.in", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL,
      HFILL } },
    { &hf_reassembled_length, { "Joined length", "squirrel.reassembled.length", FT_UINT32, BASE_DEC, NULL,
      0, NULL, HFILL } },
};

static ei_register_info expert_infos[] = {
    { &ei_no_total, { "squirrel.split.no_total", PI_PROTOCOL, PI_ERROR, "A stream of no chunks", EXPFILL } },
    { &ei_beyond, { "squirrel.split.beyond_total", PI_PROTOCOL, PI_ERROR, "Chunk index beyond the total",
      EXPFILL } },
    { &ei_length, { "squirrel.split.length_wrong", PI_PROTOCOL, PI_ERROR, "Chunk length wrong", EXPFILL } },
    { &ei_too_long, { "squirrel.split.too_long", PI_PROTOCOL, PI_WARN, "Chunk longer than the real ones",
      EXPFILL } },
    { &ei_short, { "squirrel.split.short", PI_PROTOCOL, PI_NOTE, "Chunk shorter than the real ones",
      EXPFILL } },
    { &ei_duplicate, { "squirrel.split.duplicate", PI_SEQUENCE, PI_NOTE,
      "A chunk that was sent before; ignored", EXPFILL } },
    { &ei_many, { "squirrel.split.many", PI_REASSEMBLE, PI_WARN, "Too many chunks to be joined here",
      EXPFILL } },
    { &ei_cut, { "squirrel.split.cut_short", PI_REASSEMBLE, PI_NOTE,
      "Cut short by the capture: cannot be joined", EXPFILL } },
};
/* clang-format on */

void squirrel_register_split(int proto, expert_module_t *experts)
{
    static int *subtrees[] = { &ett_fragment, &ett_fragments };
    proto_squirrel = proto;
    proto_register_field_array(proto, fields, array_length(fields));
    proto_register_subtree_array(subtrees, array_length(subtrees));
    expert_register_field_array(experts, expert_infos, array_length(expert_infos));
    reassembly_table_register(&streams, &addresses_ports_reassembly_table_functions);
    register_init_routine(start_file);
}
