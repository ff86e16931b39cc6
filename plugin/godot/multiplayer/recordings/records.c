/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the header of a recorded message, adds it to the tree, and passes the message on; finds the record of the same
 * message by its other end. All numbers are little-endian.
 *
 *   offset  bytes
 *   0       1      version, 2
 *   1       1      length of the header; a reader skips what it does not know
 *   2       1      transport: godot_mp_transport
 *   3       1      Godot generation: 3 or 4
 *   4       2      flags: GODOT_MP_RECORD_
 *   6       1      transfer mode: MultiplayerPeer.TransferMode
 *   7       1      channel
 *   8       4      number of the connection between the two peers, from 0
 *   12      4      id of the sender
 *   16      4      id of the receiver
 *   20      4      ordinal of the message among those between the two with this mode and channel, from 0
 *   24      4      number of messages directly before this one that are not in the recording
 *   28      4      process frame of the recording game
 *   32      4      physics tick
 *   36      4      microseconds in the handler of a received message; FFFFFFFF: it did not return
 *
 * A header may end before the members from 20 on.
 */
#include "internal.h"

#include "godot/multiplayer/carriers/internal.h"

#include <gamewire/bytes.h>

#include "common/archive.h"
#include "common/conversation.h"
#include "common/experts.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/keys.h"

#define RECORD_VERSION  2
#define SHORTEST_HEADER 20U
#define WHOLE_HEADER    40U

#define GODOT_MP_RECORD_FRAMES  0x0002U /* process frame and physics tick are set */
#define GODOT_MP_RECORD_HANDLER 0x0004U /* the time in the handler is set */

#define NOT_RETURNED UINT32_MAX
/* Microseconds of a frame at 60 frames a second. */
#define LONGEST_HANDLER 16667U

/* Seconds. */
#define LONGEST_WAY 30
/* Of records with the same bytes between the same peers. */
#define MOST_WAITING 64U

enum {
    AT_VERSION,
    AT_LENGTH,
    AT_TRANSPORT,
    AT_GENERATION,
    AT_FLAGS,
    AT_MODE = 6,
    AT_CHANNEL,
    AT_CONNECTION,
    AT_FROM = 12,
    AT_TO = 16,
    AT_ORDINAL = 20,
    AT_LOST = 24,
    AT_PROCESS_FRAME = 28,
    AT_PHYSICS_TICK = 32,
    AT_HANDLER_TIME = 36
};

/* A whole header; members that the record has not are 0. */
typedef struct record_header {
    uint8_t bytes[WHOLE_HEADER];
    unsigned length; /* of the header in the record */
    uint16_t flags;
} record_header;

static bool has(const record_header *header, unsigned member, unsigned flag)
{
    return header->length >= member + 4 && (!flag || header->flags & flag);
}

static uint32_t number_at(const record_header *header, unsigned member)
{
    return gw_le32(header->bytes + member);
}

/* ---- pairs --------------------------------------------------------------------------------------------- */

/* Recordings of several peers may be merged into one file: a message that both of its ends recorded is there twice. A record
 * waits for one of the same message by the other end: the same peers and bytes, within LONGEST_WAY. Of several, the one with
 * the same ordinal is taken, else the oldest. The clocks of two machines differ, so the receiver's record may come first. */

/* What identifies a message, and which end recorded it. */
typedef struct copy_key {
    uint32_t connection;
    int32_t from;
    int32_t to;
    uint32_t ordinal;
    bool is_received; /* recorded by the receiver */
} copy_key;

/* One record of a message. */
typedef struct record_copy {
    const struct record_copy *other; /* of the other end; NULL: not in the file so far */
    int64_t time;                    /* gw_nanoseconds() */
    uint32_t frame;
    uint32_t ordinal;
    bool is_received;
    bool is_repeated;  /* an earlier record has the same message */
    bool is_uncertain; /* another message with the same bytes may be the one that the other end recorded */
} record_copy;

typedef struct waiting_key {
    uint32_t connection;
    int32_t from;
    int32_t to;
    uint32_t bytes; /* hash of the message */
} waiting_key;

_Static_assert(sizeof(waiting_key) == GW_KEY_SIZE, "hashed as a key");

typedef struct waiting_copy {
    waiting_key key; /* the map's, if it is the first of its list */
    record_copy *copy;
    struct waiting_copy *next;  /* with the same key */
    struct waiting_copy *later; /* of all */
    bool is_unlisted;           /* it was paired, or its list was full */
} waiting_copy;

static gw_archive copies;
static wmem_map_t *waiting;           /* waiting_key: the first waiting_copy */
static waiting_copy *oldest, *newest; /* of all, also of those in no list */

static void forget_waiting(void)
{
    oldest = newest = NULL;
}

static void set_first(const waiting_key *key, waiting_copy *first)
{
    wmem_map_remove(waiting, key);
    if (first)
        wmem_map_insert(waiting, &first->key, first);
}

static void take_out(waiting_copy *gone)
{
    waiting_copy *first = wmem_map_lookup(waiting, &gone->key);
    gone->is_unlisted = true;
    if (first == gone) {
        set_first(&gone->key, gone->next);
        return;
    }
    while (first && first->next != gone)
        first = first->next;
    if (first)
        first->next = gone->next;
}

static bool is_too_old(const record_copy *copy, int64_t now)
{
    return now - copy->time > LONGEST_WAY * GW_NANOSECONDS;
}

static void drop_old(int64_t now)
{
    while (oldest && (oldest->is_unlisted || is_too_old(oldest->copy, now))) {
        waiting_copy *gone = oldest;
        oldest = gone->later;
        if (!oldest)
            newest = NULL;
        if (!gone->is_unlisted)
            take_out(gone);
        wmem_free(wmem_file_scope(), gone);
    }
}

static void add_waiting(const waiting_key *key, record_copy *copy)
{
    waiting_copy *added = wmem_new0(wmem_file_scope(), waiting_copy);
    waiting_copy *last = wmem_map_lookup(waiting, key);
    added->key = *key;
    added->copy = copy;
    if (newest)
        newest->later = added;
    else
        oldest = added;
    newest = added;
    if (!last) {
        wmem_map_insert(waiting, &added->key, added);
        return;
    }
    unsigned count = 1;
    for (; last->next; last = last->next)
        count++;
    if (count < MOST_WAITING)
        last->next = added;
    else
        added->is_unlisted = true;
}

/* The record of the other end. `count`: how many may be it. */
static waiting_copy *find_other(const waiting_key *key, const record_copy *copy, unsigned *count)
{
    waiting_copy *found = NULL;
    *count = 0;
    for (waiting_copy *entry = wmem_map_lookup(waiting, key); entry; entry = entry->next) {
        if (entry->copy->is_received == copy->is_received)
            continue;
        if (entry->copy->ordinal == copy->ordinal) {
            *count = 1;
            return entry;
        }
        if (!found)
            found = entry;
        ++*count;
    }
    return found;
}

/* The same record again: a file that was merged twice, or the beginning of a recording's next part. */
static bool is_again(const waiting_key *key, const record_copy *copy)
{
    for (const waiting_copy *entry = wmem_map_lookup(waiting, key); entry; entry = entry->next)
        if (entry->copy->is_received == copy->is_received && entry->copy->ordinal == copy->ordinal &&
            entry->copy->time == copy->time)
            return true;
    return false;
}

static void keep_copy(record_copy *copy, const waiting_key *key)
{
    unsigned count;
    drop_old(copy->time);
    waiting_copy *other = find_other(key, copy, &count);
    if (!other) {
        copy->is_repeated = is_again(key, copy);
        if (!copy->is_repeated)
            add_waiting(key, copy);
        return;
    }
    copy->other = other->copy;
    other->copy->other = copy;
    copy->is_repeated = true;
    copy->is_uncertain = other->copy->is_uncertain = count > 1;
    take_out(other);
}

/* The record in this frame; on the first pass it is kept, and compared with those before it. `message` has the bytes of
 * the message. NULL: inside an ICMP error. */
static const record_copy *pair(packet_info *pinfo, const copy_key *key, tvbuff_t *message)
{
    if (!gw_is_first_pass(pinfo))
        return gw_archive_find(&copies, pinfo, 0, NULL);
    unsigned length = tvb_captured_length(message);
    const waiting_key whole = { key->connection, key->from, key->to,
                                wmem_strong_hash(gw_bytes_of(message), length) ^ length };
    record_copy *copy = gw_archive_add(&copies, pinfo, 0, sizeof *copy);
    copy->time = gw_nanoseconds(&pinfo->abs_ts);
    copy->frame = pinfo->num;
    copy->ordinal = key->ordinal;
    copy->is_received = key->is_received;
    keep_copy(copy, &whole);
    return copy;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static bool read_header(tvbuff_t *tvb, record_header *header)
{
    unsigned captured = tvb_captured_length(tvb);
    if (captured <= SHORTEST_HEADER || tvb_get_uint8(tvb, AT_VERSION) != RECORD_VERSION)
        return false;
    header->length = tvb_get_uint8(tvb, AT_LENGTH);
    if (header->length < SHORTEST_HEADER || header->length >= captured)
        return false;
    memset(header->bytes, 0, sizeof header->bytes);
    tvb_memcpy(tvb, header->bytes, 0, MIN(header->length, WHOLE_HEADER));
    header->flags = gw_le16(header->bytes + AT_FLAGS);
    return true;
}

static copy_key key_of(const record_header *header)
{
    return (copy_key){ .connection = number_at(header, AT_CONNECTION),
                       .from = (int32_t)number_at(header, AT_FROM),
                       .to = (int32_t)number_at(header, AT_TO),
                       .ordinal = number_at(header, AT_ORDINAL),
                       .is_received = header->flags & GODOT_MP_RECORD_RECEIVED };
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

static void add_handler_time(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const record_header *header)
{
    uint32_t time = number_at(header, AT_HANDLER_TIME);
    if (!has(header, AT_HANDLER_TIME, GODOT_MP_RECORD_HANDLER))
        return;
    if (time == NOT_RETURNED) {
        gw_add_finding_at(tree, pinfo, &godot_mp_recorded_ei.not_returned, tvb, AT_HANDLER_TIME, 4);
        return;
    }
    const nstime_t length = gw_time_of((int64_t)time * 1000);
    proto_item *item = proto_tree_add_time(tree, godot_mp_recorded_hf.handler_time, tvb, AT_HANDLER_TIME, 4, &length);
    if (time > LONGEST_HANDLER)
        gw_add_finding_format(pinfo, item, &godot_mp_recorded_ei.slow,
                              "The game handled this message for %u.%u ms; a frame at 60 per second has 16.7 ms",
                              time / 1000, time % 1000 / 100);
}

static void add_optional(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const record_header *header)
{
    uint32_t lost = number_at(header, AT_LOST);
    if (has(header, AT_ORDINAL, 0))
        proto_tree_add_item(tree, godot_mp_recorded_hf.ordinal, tvb, AT_ORDINAL, 4, ENC_LITTLE_ENDIAN);
    if (has(header, AT_LOST, 0) && lost) {
        proto_item *item = proto_tree_add_item(tree, godot_mp_recorded_hf.lost, tvb, AT_LOST, 4, ENC_LITTLE_ENDIAN);
        gw_add_finding_format(
            pinfo, item, &godot_mp_recorded_ei.lost,
            "%u message%s before this one %s left out of the recording: its reader was too slow, or came too late",
            lost, lost == 1 ? "" : "s", lost == 1 ? "was" : "were");
    }
    if (has(header, AT_PHYSICS_TICK, GODOT_MP_RECORD_FRAMES)) {
        proto_tree_add_item(tree, godot_mp_recorded_hf.process_frame, tvb, AT_PROCESS_FRAME, 4, ENC_LITTLE_ENDIAN);
        proto_tree_add_item(tree, godot_mp_recorded_hf.physics_tick, tvb, AT_PHYSICS_TICK, 4, ENC_LITTLE_ENDIAN);
    }
    add_handler_time(pinfo, tree, tvb, header);
}

/* Nanoseconds from the sender's record to the receiver's. */
static int64_t way_of(const record_copy *copy)
{
    return copy->is_received ? copy->time - copy->other->time : copy->other->time - copy->time;
}

/* The record of the other end, and the time between the two. */
static void add_other(proto_tree *tree, const record_copy *copy)
{
    const record_copy *other = copy ? copy->other : NULL;
    if (!other)
        return;
    gw_add_frame_link(tree, godot_mp_recorded_hf.other_in, other->frame);
    if (copy->is_uncertain)
        return;
    const nstime_t time = gw_time_of(way_of(copy));
    proto_item_set_generated(proto_tree_add_time(tree, godot_mp_recorded_hf.way_time, NULL, 0, 0, &time));
}

static void add_header(packet_info *pinfo, proto_tree *parent, tvbuff_t *tvb, const record_header *header,
                       const record_copy *copy)
{
    const struct {
        int hf, offset, length;
    } items[] = {
        { godot_mp_hf.exported_version, AT_VERSION, 1 },     { godot_mp_recorded_hf.length, AT_LENGTH, 1 },
        { godot_mp_hf.exported_transport, AT_TRANSPORT, 1 }, { godot_mp_hf.exported_generation, AT_GENERATION, 1 },
        { godot_mp_recorded_hf.received, AT_FLAGS, 2 },      { godot_mp_recorded_hf.mode, AT_MODE, 1 },
        { godot_mp_recorded_hf.channel, AT_CHANNEL, 1 },     { godot_mp_recorded_hf.connection, AT_CONNECTION, 4 },
        { godot_mp_recorded_hf.from, AT_FROM, 4 },           { godot_mp_recorded_hf.to, AT_TO, 4 },
    };
    proto_item *item = proto_tree_add_protocol_format(parent, proto_godot_mp, tvb, 0, (int)header->length,
                                                      "Godot Multiplayer, recorded by the %s",
                                                      header->flags & GODOT_MP_RECORD_RECEIVED ? "receiver" : "sender");
    proto_tree *tree = proto_item_add_subtree(item, godot_mp_ett_protocol);
    for (size_t i = 0; i < array_length(items); i++)
        proto_tree_add_item(tree, items[i].hf, tvb, items[i].offset, items[i].length, ENC_LITTLE_ENDIAN);
    add_optional(pinfo, tree, tvb, header);
    if (copy && copy->is_repeated)
        proto_item_set_generated(
            proto_tree_add_boolean(tree, godot_mp_hf.exported_repeated, NULL, 0, 0, GODOT_MP_EXPORT_REPEATED));
    add_other(tree, copy);
}

/* The same for JSON. */
static godot_mp_origin origin_of(const record_header *header, const record_copy *copy)
{
    const record_copy *other = copy ? copy->other : NULL;
    uint32_t handler_time = number_at(header, AT_HANDLER_TIME);
    godot_mp_origin origin = { .repeated = copy && copy->is_repeated,
                               .has_frames = has(header, AT_PHYSICS_TICK, GODOT_MP_RECORD_FRAMES),
                               .process_frame = number_at(header, AT_PROCESS_FRAME),
                               .physics_tick = number_at(header, AT_PHYSICS_TICK),
                               .other_in = other ? other->frame : 0,
                               .lost = has(header, AT_LOST, 0) ? number_at(header, AT_LOST) : 0,
                               .has_handler_time = has(header, AT_HANDLER_TIME, GODOT_MP_RECORD_HANDLER) &&
                                                   handler_time != NOT_RETURNED,
                               .handler_time = gw_time_of((int64_t)handler_time * 1000),
                               .has_way_time = other && !copy->is_uncertain };
    if (origin.has_way_time)
        origin.way_time = gw_time_of(way_of(copy));
    return origin;
}

/* ---- the record ---------------------------------------------------------------------------------------- */

/* The packet of WebRTC in Godot 3 has no head; neither has that of any transport here. */
static void describe_carrier(godot_mp_carrier *carrier, const godot_mp_channel *channel, const record_header *header)
{
    uint8_t generation = header->bytes[AT_GENERATION];
    int32_t from = (int32_t)number_at(header, AT_FROM), to = (int32_t)number_at(header, AT_TO);
    if (generation == GW_GODOT_3 || generation == GW_GODOT_4)
        carrier->generation = generation;
    carrier->channel = channel;
    carrier->connection = number_at(header, AT_CONNECTION);
    if (from < GW_GODOT_MP_SERVER || to < GW_GODOT_MP_SERVER || from == to)
        return;
    carrier->peers[0] = from;
    carrier->peers[1] = to;
}

int godot_mp_dissect_recorded(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, int generation)
{
    record_header header;
    const godot_mp_channel channel = { .association = 0 };
    godot_mp_carrier carrier = { .generation = generation };
    if (!read_header(tvb, &header))
        return 0;
    const copy_key key = key_of(&header);
    tvbuff_t *message = tvb_new_subset_remaining(tvb, (int)header.length);
    unsigned findings_before = gw_count_findings(pinfo);
    const record_copy *copy = pair(pinfo, &key, message);
    describe_carrier(&carrier, &channel, &header);
    const godot_mp_origin origin = origin_of(&header, copy);
    carrier.repeated = origin.repeated;
    carrier.origin = &origin;
    add_header(pinfo, tree, tvb, &header, copy);
    carrier.findings = gw_count_findings(pinfo) - findings_before;
    return godot_mp_dissect(message, pinfo, tree, &carrier) + (int)header.length;
}

void godot_mp_register_records(void)
{
    waiting = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), gw_hash_key, gw_equal_keys);
    register_init_routine(forget_waiting);
}
