/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Divides the bytes of frames among messages. ENet lists the commands of a frame (enet_share). TCP and SCTP deliver
 * messages in order: packets whose payload no protocol has dissected belong to the next message, and acknowledgements
 * to the latest message of the other side. Godot writes the header of a WebSocket message into a segment of its own.
 */
#include "internal.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>
#include <epan/tap.h>

#include "common/conversation.h"
#include "common/keys.h"
#include "common/statistics.h"
#include "enet/enet.h"
#include "godot/variant/variants.h"

/* Packets of one side of a stream that may belong to its next message: 16 MiB, the largest message. */
#define MOST_WAITING 16384U

static const char overhead[] = "Overhead";
static const char incomplete[] = "Fragments of incomplete messages";
static const char no_message[] = "Frames without a message";

/* ---- what is kept for a tree --------------------------------------------------------------------------- */

/* A message of which there are acknowledgements or other fragments. */
typedef struct held_message {
    const godot_mp_owner *owner; /* NULL: not known until it is complete; then it gets these bytes */
    uint32_t parts[GODOT_MP_PARTS];
} held_message;

typedef enum held_kind { COMMAND, MESSAGE } held_kind;

/* ENet's numbers are those of the latest command or message: the memory for a channel is limited. */
typedef struct held_key {
    uint32_t connection;
    uint32_t number; /* of an unreliable message: with the number of the reliable one before it */
    uint16_t side;
    uint16_t channel;
    uint16_t kind; /* held_kind */
    uint16_t is_reliable;
} held_key;

_Static_assert(sizeof(held_key) == GW_KEY_SIZE, "hashed as a key");

/* A packet that may belong to the next message of its side. */
typedef struct waiting_packet {
    uint32_t bytes;
    uint32_t payload;
    bool is_segment; /* of a TCP payload that was not dissected by itself; else only if the message needs it */
} waiting_packet;

typedef struct direction {
    godot_mp_owner *last; /* of the latest message; NULL: none */
    wmem_array_t *waiting;
    uint32_t highest; /* sequence number after the latest payload */
    bool any;
} direction;

typedef struct stream_state {
    direction directions[2]; /* by side */
} stream_state;

typedef struct tree_state {
    wmem_allocator_t *memory;
    godot_mp_owners owners;
    wmem_map_t *whole;   /* godot_mp_owner -> held: one for all messages of that owner that are not in fragments */
    wmem_map_t *held;    /* held_key -> held */
    wmem_map_t *streams; /* number -> stream_state */
} tree_state;

static GHashTable *states; /* stats_tree -> tree_state */

/* The frame that is divided. */
typedef struct frame_bytes {
    stats_tree *tree;
    packet_info *pinfo;
    tree_state *state;
    const godot_mp_count *counts;
    const godot_mp_segment *segment; /* NULL: none */
    stream_state *stream;            /* NULL: none */
    uint32_t documents;
    uint8_t side;
} frame_bytes;

static godot_mp_owner *owner_of(const frame_bytes *frame, const godot_mp_count *count)
{
    return godot_mp_owner_of(&frame->state->owners, frame->pinfo->pool, count);
}

/* Of messages that are not multiplayer. */
static godot_mp_owner *other_owner(const frame_bytes *frame)
{
    const char *command = frame->documents ? "Variants" : "Other messages";
    return godot_mp_owner_other(&frame->state->owners, frame->pinfo->pool, command);
}

static void add_bytes(const frame_bytes *frame, const godot_mp_owner *owner, godot_mp_part part, uint32_t bytes)
{
    godot_mp_owner_add(frame->tree, owner, part, bytes);
}

static void add_overhead(const frame_bytes *frame, const char *name, int amount)
{
    godot_mp_row_add(frame->tree, overhead, name, amount);
}

static void add_no_message(const frame_bytes *frame, int amount)
{
    godot_mp_row_add(frame->tree, no_message, NULL, amount);
}

/* ---- messages of ENet ---------------------------------------------------------------------------------- */

static held_key key_of(const enet_share *share, held_kind kind)
{
    held_key key = {
        .connection = share->connection,
        .number = share->sequence,
        .side = share->side,
        .channel = share->channel,
        .kind = (uint16_t)kind,
        .is_reliable = kind == COMMAND || share->is_reliable,
    };
    if (kind == MESSAGE)
        key.number = share->is_reliable ? share->start : (uint32_t)share->sequence << 16 | share->start;
    return key;
}

static held_message *find_held(const frame_bytes *frame, const enet_share *share, held_kind kind)
{
    const held_key key = key_of(share, kind);
    return wmem_map_lookup(frame->state->held, &key);
}

static void keep_held(const frame_bytes *frame, const enet_share *share, held_kind kind, held_message *one)
{
    const held_key key = key_of(share, kind);
    const void *before = NULL;
    if (!wmem_map_lookup_extended(frame->state->held, &key, &before, NULL))
        before = wmem_memdup(frame->state->memory, &key, sizeof key);
    wmem_map_insert(frame->state->held, before, one);
}

static void add_to_held(const frame_bytes *frame, held_message *one, godot_mp_part part, uint32_t bytes)
{
    if (one->owner) {
        add_bytes(frame, one->owner, part, bytes);
        return;
    }
    one->parts[part] += bytes;
    add_overhead(frame, incomplete, (int)bytes);
}

static void complete(const frame_bytes *frame, held_message *one, const godot_mp_owner *owner)
{
    one->owner = godot_mp_owner_keep(&frame->state->owners, owner);
    for (int i = 0; i < GODOT_MP_PARTS; i++) {
        if (one->parts[i])
            add_overhead(frame, incomplete, -(int)one->parts[i]);
        add_bytes(frame, owner, (godot_mp_part)i, one->parts[i]);
    }
}

/* The owner of the message that ends in this command. */
static const godot_mp_owner *owner_in(const frame_bytes *frame, const enet_share *share)
{
    for (const godot_mp_count *count = frame->counts; share->ordinal && count; count = count->next)
        if (count->is_in_enet && count->ordinal == share->ordinal - 1)
            return owner_of(frame, count);
    return other_owner(frame);
}

static void divide_fragment(const frame_bytes *frame, const enet_share *share, uint32_t payload, uint32_t bytes)
{
    held_message *one = find_held(frame, share, MESSAGE);
    if (!one || one->owner) {
        one = wmem_new0(frame->state->memory, held_message);
        keep_held(frame, share, MESSAGE, one);
    }
    if (share->is_reliable)
        keep_held(frame, share, COMMAND, one);
    add_to_held(frame, one, GODOT_MP_PAYLOAD, payload);
    add_to_held(frame, one, GODOT_MP_FRAGMENT_HEADERS, bytes - payload);
    if (share->ordinal)
        complete(frame, one, owner_in(frame, share));
}

static held_message *obtain_whole(tree_state *state, const godot_mp_owner *owner)
{
    const godot_mp_owner *kept = godot_mp_owner_keep(&state->owners, owner);
    held_message *one = wmem_map_lookup(state->whole, kept);
    if (!one) {
        one = wmem_new0(state->memory, held_message);
        one->owner = kept;
        wmem_map_insert(state->whole, kept, one);
    }
    return one;
}

static void divide_message(const frame_bytes *frame, const enet_share *share, uint32_t payload, uint32_t bytes)
{
    const godot_mp_owner *owner = owner_in(frame, share);
    if (share->is_reliable)
        keep_held(frame, share, COMMAND, obtain_whole(frame->state, owner));
    add_bytes(frame, owner, GODOT_MP_PAYLOAD, payload);
    add_bytes(frame, owner, GODOT_MP_HEADERS, bytes - payload);
}

/* An acknowledgement or a copy. Of a copy that has the whole message, the message is known. */
static void divide_later(const frame_bytes *frame, const enet_share *share, godot_mp_part part, uint32_t bytes)
{
    held_message *one = find_held(frame, share, COMMAND);
    if (share->ordinal && !share->is_fragment)
        add_bytes(frame, owner_in(frame, share), part, bytes);
    else if (one)
        add_to_held(frame, one, part, bytes);
    else
        add_overhead(frame, share->name, (int)bytes);
}

static void divide_share(const frame_bytes *frame, const enet_share *share, uint32_t bytes)
{
    uint32_t payload = MIN(share->payload, bytes);
    switch (share->purpose) {
    case ENET_SENDS:
        if (share->is_fragment)
            divide_fragment(frame, share, payload, bytes);
        else
            divide_message(frame, share, payload, bytes);
        break;
    case ENET_SENDS_AGAIN:
        divide_later(frame, share, GODOT_MP_RETRANSMISSIONS, bytes);
        break;
    case ENET_ACKNOWLEDGES:
        divide_later(frame, share, GODOT_MP_ACKNOWLEDGEMENTS, bytes);
        break;
    default:
        add_overhead(frame, share->name, (int)bytes);
    }
}

/* ---- messages of TCP and SCTP -------------------------------------------------------------------------- */

static stream_state *obtain_stream(tree_state *state, uint32_t number)
{
    stream_state *one = wmem_map_lookup(state->streams, GUINT_TO_POINTER(number));
    if (!one) {
        one = wmem_new0(state->memory, stream_state);
        wmem_map_insert(state->streams, GUINT_TO_POINTER(number), one);
    }
    return one;
}

/* True for a payload of which nothing is new. */
static bool is_again(direction *own, const godot_mp_segment *segment)
{
    if (own->any && (int32_t)(segment->end - own->highest) <= 0)
        return true;
    own->any = true;
    own->highest = segment->end;
    return false;
}

/* Wireshark removes the layers of dissectors that added nothing, if there is a tree: the statistic requires one. The
 * protocol of TLS has messages of its own, before those of multiplayer. */
static bool is_segment(const frame_bytes *frame, const direction *own)
{
    const wmem_list_frame_t *top = wmem_list_tail(frame->pinfo->layers);
    const char *name = top ? proto_get_protocol_filter_name(GPOINTER_TO_INT(wmem_list_frame_data(top))) : "";
    return !strcmp(name, "tcp") || (!strcmp(name, "tls") && own->last);
}

static void keep_waiting(const frame_bytes *frame, direction *own, uint32_t bytes)
{
    const waiting_packet packet = { bytes, frame->segment->payload, is_segment(frame, own) };
    if (own->waiting && wmem_array_get_count(own->waiting) == MOST_WAITING) {
        wmem_destroy_array(own->waiting);
        own->waiting = NULL;
    }
    if (!own->waiting)
        own->waiting = wmem_array_new(frame->state->memory, sizeof packet);
    wmem_array_append_one(own->waiting, packet);
}

/* Moves the packets before this one that belong to its message. `needed` bytes of the message are not in this packet.
 * Returns those that were found. */
static uint32_t move_waiting(const frame_bytes *frame, direction *own, const godot_mp_owner *owner, uint32_t needed)
{
    uint32_t left = needed;
    for (unsigned i = own->waiting ? wmem_array_get_count(own->waiting) : 0; i-- > 0;) {
        const waiting_packet *packet = wmem_array_index(own->waiting, i);
        uint32_t payload = MIN(MIN(left, packet->payload), packet->bytes);
        if (!left && !packet->is_segment)
            break;
        add_no_message(frame, -(int)packet->bytes);
        add_bytes(frame, owner, GODOT_MP_PAYLOAD, payload);
        add_bytes(frame, owner, GODOT_MP_FRAGMENT_HEADERS, packet->bytes - payload);
        left -= payload;
    }
    if (own->waiting)
        wmem_destroy_array(own->waiting);
    own->waiting = NULL;
    return needed - left;
}

static void keep_last(tree_state *state, direction *own, const godot_mp_owner *owner)
{
    if (!own->last)
        own->last = wmem_new(state->memory, godot_mp_owner);
    godot_mp_owner_copy(own->last, owner);
}

/* A message outside ENet. `others`: the bytes of the other messages in its frame. Returns those that are in this
 * frame. */
static uint32_t begin_message(const frame_bytes *frame, const godot_mp_owner *owner, uint32_t bytes, uint64_t others)
{
    direction *own = frame->stream ? &frame->stream->directions[frame->side] : NULL;
    if (!own)
        return bytes;
    uint32_t here = frame->segment->payload > others ? frame->segment->payload - (uint32_t)others : 0;
    is_again(own, frame->segment);
    return bytes - move_waiting(frame, own, owner, bytes > here ? bytes - here : 0);
}

static void divide_packet(const frame_bytes *frame)
{
    uint32_t bytes = frame->pinfo->fd->pkt_len;
    direction *own = frame->stream ? &frame->stream->directions[frame->side] : NULL;
    const direction *peer = frame->stream ? &frame->stream->directions[1 - frame->side] : NULL;
    if (own && frame->segment->payload) {
        bool again = is_again(own, frame->segment);
        if (again && own->last) {
            add_bytes(frame, own->last, GODOT_MP_RETRANSMISSIONS, bytes);
            return;
        }
        if (!again)
            keep_waiting(frame, own, bytes);
    } else if (peer && frame->segment->acknowledges && peer->last) {
        add_bytes(frame, peer->last, GODOT_MP_ACKNOWLEDGEMENTS, bytes);
        return;
    }
    add_no_message(frame, (int)bytes);
}

/* ---- frames -------------------------------------------------------------------------------------------- */

/* The messages of a frame that are not ENet's. */
typedef struct frame_items {
    const godot_mp_owner *owners[2]; /* of the first and of the last one */
    const godot_mp_count *first;     /* NULL: Variants */
    uint32_t first_bytes;
    uint64_t bytes;
    uint32_t count;
} frame_items;

static const enet_shares *shares_of(packet_info *pinfo)
{
    return p_get_proto_data(pinfo->pool, pinfo, proto_get_id_by_filter_name("enet"), GW_KEY_ENET_SHARES);
}

/* The last message is the first in the list. An exported message of ENet is not in ENet. */
static frame_items items_of(const frame_bytes *frame, bool has_shares)
{
    frame_items items = { .count = 0 };
    for (const godot_mp_count *count = frame->counts; count; count = count->next) {
        if (has_shares && count->is_in_enet)
            continue;
        items.first = count;
        items.bytes += count->bytes;
        if (!items.count++)
            items.owners[1] = owner_of(frame, count);
    }
    if (items.count) {
        items.first_bytes = items.first->bytes;
        items.owners[0] = owner_of(frame, items.first);
    } else if (frame->documents && !has_shares) {
        items.count = 1;
        items.bytes = items.first_bytes = frame->documents;
        items.owners[0] = items.owners[1] = other_owner(frame);
    }
    return items;
}

static void divide_item(const frame_bytes *frame, gw_division *division, const godot_mp_owner *owner, uint32_t own)
{
    bool is_larger = division->own > division->bytes;
    uint32_t bytes = gw_division_next(division, own);
    uint32_t payload = is_larger ? bytes : MIN(own, bytes);
    add_bytes(frame, owner, GODOT_MP_PAYLOAD, payload);
    add_bytes(frame, owner, GODOT_MP_HEADERS, bytes - payload);
}

static void divide_items(const frame_bytes *frame, gw_division *division, const frame_items *items, uint32_t first)
{
    bool has_shares = shares_of(frame->pinfo) != NULL;
    if (frame->stream)
        keep_last(frame->state, &frame->stream->directions[frame->side], items->owners[1]);
    for (const godot_mp_count *count = frame->counts; count && items->first; count = count->next)
        if (!(has_shares && count->is_in_enet) && count != items->first)
            divide_item(frame, division, owner_of(frame, count), count->bytes);
    divide_item(frame, division, items->owners[0], first);
}

static void divide_frame(const frame_bytes *frame)
{
    const enet_shares *shares = shares_of(frame->pinfo);
    const frame_items items = items_of(frame, shares != NULL);
    uint32_t first = items.first_bytes;
    if (items.count)
        first = begin_message(frame, items.owners[0], first, items.bytes - first);
    gw_division division = { .bytes = frame->pinfo->fd->pkt_len,
                             .parts = items.count,
                             .own = items.bytes - items.first_bytes + first };
    for (const enet_shares *each = shares; each; each = each->next)
        for (uint32_t i = 0; i < each->count; i++, division.parts++)
            division.own += each->commands[i].bytes;
    if (!division.parts) {
        divide_packet(frame);
        return;
    }
    for (; shares; shares = shares->next)
        for (uint32_t i = 0; i < shares->count; i++)
            divide_share(frame, &shares->commands[i], gw_division_next(&division, shares->commands[i].bytes));
    if (items.count)
        divide_items(frame, &division, &items, first);
}

/* ---- trees --------------------------------------------------------------------------------------------- */

void godot_mp_bytes_add_segment(packet_info *pinfo, const godot_mp_segment *segment)
{
    godot_mp_segment *before = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_SEGMENT);
    if (!before) {
        void *copy = wmem_memdup(pinfo->pool, segment, sizeof *segment);
        p_set_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_SEGMENT, copy);
        return;
    }
    before->payload += segment->payload;
    before->acknowledges |= segment->acknowledges;
    if (segment->payload)
        before->end = segment->end;
}

static tap_packet_status add_tcp(void *listener _U_, packet_info *pinfo, epan_dissect_t *dissect _U_, const void *data,
                                 tap_flags_t flags _U_)
{
    if (!gw_stat_is_open(&gw_stat_frame_trees))
        return TAP_PACKET_DONT_REDRAW;
    const struct tcpheader *tcp = data;
    const uint16_t others = TH_SYN | TH_FIN | TH_RST;
    const godot_mp_segment segment = { .stream = tcp->th_stream << 1,
                                       .payload = tcp->th_have_seglen ? tcp->th_seglen : 0,
                                       .end = tcp->th_rawseq + (tcp->th_have_seglen ? tcp->th_seglen : 0),
                                       .acknowledges = !(tcp->th_flags & others) };
    godot_mp_bytes_add_segment(pinfo, &segment);
    return TAP_PACKET_DONT_REDRAW;
}

static bool listens_to_tcp;

static void end_listening(void *listener _U_)
{
    listens_to_tcp = false;
}

/* For all trees. Wireshark calls its function before that of the tap "frame", for which a frame ends. It is not removed
 * with the last tree: Wireshark 4.6 closes trees while it removes all listeners, and is at the next one then. */
static void listen_to_tcp(void)
{
    if (listens_to_tcp)
        return;
    GString *error =
        register_tap_listener("tcp", &listens_to_tcp, NULL, TL_REQUIRES_NOTHING, NULL, add_tcp, NULL, end_listening);
    listens_to_tcp = !error;
    if (error)
        g_string_free(error, true);
}

static tree_state *new_state(void)
{
    wmem_allocator_t *memory = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    tree_state *state = wmem_new(memory, tree_state);
    state->memory = memory;
    godot_mp_owners_init(&state->owners, memory);
    state->whole = wmem_map_new(memory, g_direct_hash, g_direct_equal);
    state->held = wmem_map_new(memory, gw_hash_key, gw_equal_keys);
    state->streams = wmem_map_new(memory, g_direct_hash, g_direct_equal);
    return state;
}

static void free_state(void *state)
{
    wmem_destroy_allocator(((tree_state *)state)->memory);
}

void godot_mp_bytes_begin(stats_tree *tree)
{
    if (!states)
        states = g_hash_table_new_full(NULL, NULL, NULL, free_state);
    g_hash_table_insert(states, tree, new_state());
    listen_to_tcp();
}

void godot_mp_bytes_end(stats_tree *tree)
{
    if (states)
        g_hash_table_remove(states, tree);
}

void godot_mp_bytes_add(stats_tree *tree, packet_info *pinfo, const godot_mp_count *counts, uint32_t documents)
{
    frame_bytes frame = { .tree = tree,
                          .pinfo = pinfo,
                          .state = states ? g_hash_table_lookup(states, tree) : NULL,
                          .counts = counts,
                          .segment = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_SEGMENT),
                          .documents = documents,
                          .side = gw_sender_side(pinfo) };
    if (!frame.state)
        return;
    if (frame.segment)
        frame.stream = obtain_stream(frame.state, frame.segment->stream);
    divide_frame(&frame);
}
