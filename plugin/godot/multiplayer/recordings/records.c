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
 *   4       2      flags, below
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

#include <gamewire/bytes.h>

#include "common/archive.h"
#include "common/conversation.h"
#include "common/display/experts.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/keys.h"
#include "common/registration.h"

#define RECORD_VERSION  2
#define SHORTEST_HEADER 20U
#define WHOLE_HEADER    40U

/* Flags of the header. */
#define RECEIVED         0x0001U /* the receiver recorded the message */
#define FRAMES_SET       0x0002U /* process frame and physics tick are set */
#define HANDLER_TIME_SET 0x0004U /* the time in the handler is set */
#define CARRIED          0x0008U /* no record: the dissector of another protocol, which carries the message, made the header */

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

/* ---- fields and expert infos ---------------------------------------------------------------------------- */

typedef struct godot_mp_recorded_fields {
    int length, received, mode, channel, connection, from, to, ordinal, lost, process_frame, physics_tick, handler_time,
        other_in, way_time;
} godot_mp_recorded_fields;

typedef struct godot_mp_recorded_experts {
    expert_field lost, not_returned, slow;
} godot_mp_recorded_experts;

static godot_mp_recorded_fields godot_mp_recorded_hf;
static godot_mp_recorded_experts godot_mp_recorded_ei;

static const value_string modes[] = {
    { 0, "unreliable" },
    { 1, "unreliable ordered" },
    { 2, "reliable" },
    { 0, NULL },
};

static hf_register_info recorded_fields[] = {
    { &godot_mp_recorded_hf.length,
      { "Header length", "godot_mp.recorded.header_length", FT_UINT8, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes),
        0, "Bytes of the header before a recorded message", HFILL } },
    { &godot_mp_recorded_hf.received,
      { "Recorded by the receiver", "godot_mp.recorded.received", FT_BOOLEAN, 16, NULL, RECEIVED,
        "True if the receiver recorded the message, false if the sender did", HFILL } },
    { &godot_mp_recorded_hf.mode,
      { "Transfer mode", "godot_mp.recorded.mode", FT_UINT8, BASE_DEC, VALS(modes), 0,
        "Transfer mode with which the message was sent", HFILL } },
    { &godot_mp_recorded_hf.channel,
      { "Channel", "godot_mp.recorded.channel", FT_UINT8, BASE_DEC, NULL, 0, "Channel of the multiplayer peer",
        HFILL } },
    { &godot_mp_recorded_hf.connection,
      { "Connection", "godot_mp.recorded.connection", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the connection among those between the two peers", HFILL } },
    { &godot_mp_recorded_hf.from,
      { "From", "godot_mp.recorded.from", FT_INT32, BASE_DEC, NULL, 0, "ID of the peer that sent the message",
        HFILL } },
    { &godot_mp_recorded_hf.to,
      { "To", "godot_mp.recorded.to", FT_INT32, BASE_DEC, NULL, 0, "ID of the peer that receives the message",
        HFILL } },
    { &godot_mp_recorded_hf.ordinal,
      { "Ordinal", "godot_mp.recorded.ordinal", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the message among those between the two peers with this mode and channel", HFILL } },
    { &godot_mp_recorded_hf.lost,
      { "Messages left out", "godot_mp.recorded.lost", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of messages directly before this one that are not in the recording", HFILL } },
    { &godot_mp_recorded_hf.process_frame,
      { "Process frame", "godot_mp.recorded.process_frame", FT_UINT32, BASE_DEC, NULL, 0,
        "Frame of the recording game in which the message was sent or handled", HFILL } },
    { &godot_mp_recorded_hf.physics_tick,
      { "Physics tick", "godot_mp.recorded.physics_tick", FT_UINT32, BASE_DEC, NULL, 0,
        "Physics tick of the recording game in which the message was sent or handled", HFILL } },
    { &godot_mp_recorded_hf.handler_time,
      { "Time in the handler", "godot_mp.recorded.handler_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time that the recording game took to handle the received message", HFILL } },
    { &godot_mp_recorded_hf.other_in,
      { "Recorded by the other end in", "godot_mp.recorded.other_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The record of the same message by its other end is in this frame", HFILL } },
    { &godot_mp_recorded_hf.way_time,
      { "Time on its way", "godot_mp.recorded.way_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the record of the sender to that of the receiver, by the clocks of both", HFILL } },
};

static const gw_finding findings[] = {
    { &godot_mp_recorded_ei.lost, "godot_mp.recorded.missing", PI_SEQUENCE, PI_WARN,
      "Messages before this one were left out of the recording", "Records missing",
      "Read the recording more often, or record fewer peers" },
    { &godot_mp_recorded_ei.not_returned, "godot_mp.recorded.handler_time.missing", PI_SEQUENCE, PI_NOTE,
      "The game had not finished handling this message when the recording was read or ended", "Not returned",
      "If the game crashed or stopped, look at the method that this message calls" },
    { &godot_mp_recorded_ei.slow, "godot_mp.recorded.handler_time.too_long", PI_SEQUENCE, PI_NOTE,
      "The game handled this message for longer than a frame at 60 per second", "Slow handler",
      "Do less in the method that this message calls, or distribute its work over several frames" },
};

/* ---- the header ------------------------------------------------------------------------------------------- */

/* A whole header; members that the record has not are 0. */
typedef struct record_header {
    uint8_t bytes[WHOLE_HEADER];
    unsigned length; /* of the header in the record */
    uint16_t flags;
} record_header;

/* True if the header is long enough for the member at this offset, of four bytes, and the member is set. `flag`: the
 * flag of a set member; 0: it is always set. */
static bool has_member(const record_header *header, unsigned member, unsigned flag)
{
    return header->length >= member + 4 && (!flag || header->flags & flag);
}

/* The member at this offset; 0: the header does not have it. */
static uint32_t number_at(const record_header *header, unsigned member)
{
    return gw_le32(header->bytes + member);
}

/* ---- pairs --------------------------------------------------------------------------------------------- */

/* Recordings of several peers may be merged into one file: a message that both of its ends recorded is there twice. A
 * record waits for one of the same message by the other end: the same peers and bytes, within LONGEST_WAY. Of several,
 * the one with the same ordinal is taken, else the oldest. The clocks of two machines differ, so the receiver's record
 * may come first. */

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
    bool is_paired;             /* only for the same record again */
    bool is_unlisted;           /* its list was full */
} waiting_copy;

static gw_archive copies;
static wmem_map_t *waiting;           /* waiting_key: the first waiting_copy */
static waiting_copy *oldest, *newest; /* of all, also of those in no list */

/* Before each file: the waiting records were freed with the file before. */
static void forget_waiting(void)
{
    oldest = newest = NULL;
}

/* Removes the copy from the list of its key, so that no other copy is paired with it; it stays in the list of all,
 * whose free_old_copies() frees it. The key in the map is a member of the list's first copy: if this is removed, the
 * next one is inserted with its own. */
static void unlist(waiting_copy *entry)
{
    waiting_copy *first = wmem_map_lookup(waiting, &entry->key);
    entry->is_unlisted = true;
    if (first == entry) {
        wmem_map_remove(waiting, &entry->key);
        if (entry->next)
            wmem_map_insert(waiting, &entry->next->key, entry->next);
        return;
    }
    while (first && first->next != entry)
        first = first->next;
    if (first)
        first->next = entry->next;
}

/* Frees the oldest copies in the list of all, up to the first one that still waits: copies that are in no list of a
 * key, because their list was full, and copies more than LONGEST_WAY seconds older than `now`. */
static void free_old_copies(int64_t now)
{
    while (oldest && (oldest->is_unlisted || now - oldest->copy->time > LONGEST_WAY * GW_NANOSECONDS)) {
        waiting_copy *entry = oldest;
        oldest = entry->later;
        if (!oldest)
            newest = NULL;
        if (!entry->is_unlisted)
            unlist(entry);
        wmem_free(wmem_file_scope(), entry);
    }
}

/* Adds the copy to the list of all and to that of its key, each at its end, and returns its entry. If the list of the
 * key is full, the first one that is paired is removed from it; without one, the copy is only in the list of all, which
 * frees it, and will not be paired. */
static waiting_copy *keep_waiting(const waiting_key *key, record_copy *copy)
{
    waiting_copy *entry = wmem_new0(wmem_file_scope(), waiting_copy);
    entry->key = *key;
    entry->copy = copy;
    if (newest)
        newest->later = entry;
    else
        oldest = entry;
    newest = entry;
    waiting_copy *last = NULL, *paired = NULL;
    unsigned count = 0;
    for (waiting_copy *other = wmem_map_lookup(waiting, key); other; other = other->next) {
        last = other;
        paired = paired || !other->is_paired ? paired : other;
        count++;
    }
    if (!last) {
        wmem_map_insert(waiting, &entry->key, entry);
        return entry;
    }
    entry->is_unlisted = count >= MOST_WAITING && !paired;
    if (!entry->is_unlisted)
        last->next = entry;
    if (count >= MOST_WAITING && paired)
        unlist(paired);
    return entry;
}

/* On the first pass. Pairs the record (a copy of a message) with a waiting one of the other end's recording, preferably
 * one with the same ordinal (the message's number among those between the two with its mode and channel), else the
 * oldest (uncertain if there are several: then no time between the two is shown); or lets it wait for one. The second
 * record of a message is marked as repeated, and so is the same record again: both ends' may be there twice, so that
 * records that are paired stay in their list. */
static void keep_copy(record_copy *copy, const waiting_key *key)
{
    waiting_copy *other = NULL; /* of the other end */
    unsigned others = 0;        /* copies that may be it */
    free_old_copies(copy->time);
    for (waiting_copy *entry = wmem_map_lookup(waiting, key); entry; entry = entry->next) {
        bool is_same_ordinal = entry->copy->ordinal == copy->ordinal;
        if (entry->copy->is_received == copy->is_received) {
            /* The same record again: a file that was merged twice, or the beginning of a recording's next part. */
            copy->is_repeated |= is_same_ordinal && entry->copy->time == copy->time;
        } else if (is_same_ordinal && !entry->is_paired) {
            other = entry;
            others = 1;
            break;
        } else if (!entry->is_paired) {
            other = other ? other : entry;
            others++;
        }
    }
    if (copy->is_repeated)
        return;
    waiting_copy *entry = keep_waiting(key, copy);
    if (other) {
        copy->other = other->copy;
        other->copy->other = copy;
        copy->is_repeated = true;
        copy->is_uncertain = other->copy->is_uncertain = others > 1;
        entry->is_paired = other->is_paired = true;
    }
}

/* The copy in this frame. On the first pass it is stored, and compared with the copies before it. `message` has the
 * bytes after the header. NULL: inside an ICMP error. */
static const record_copy *find_copy(packet_info *pinfo, const record_header *header, tvbuff_t *message)
{
    if (!gw_is_first_pass(pinfo))
        return gw_archive_find(&copies, pinfo, 0, NULL);
    unsigned length = tvb_captured_length(message);
    const waiting_key key = { .connection = number_at(header, AT_CONNECTION),
                              .from = (int32_t)number_at(header, AT_FROM),
                              .to = (int32_t)number_at(header, AT_TO),
                              .bytes = (uint32_t)gw_hash_bytes(gw_bytes_of(message), length) ^ length };
    record_copy *copy = gw_archive_add(&copies, pinfo, 0, sizeof *copy);
    copy->time = gw_nanoseconds(&pinfo->abs_ts);
    copy->frame = pinfo->num;
    copy->ordinal = number_at(header, AT_ORDINAL);
    copy->is_received = header->flags & RECEIVED;
    keep_copy(copy, &key);
    return copy;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Reads the header; members that it does not have are 0. False: another version, or no byte of a message follows the
 * header. */
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

/* ---- the tree ------------------------------------------------------------------------------------------ */

/* Adds the members that a header may lack, each if it is there; reports messages that were left out, and a handler that
 * was slow or did not return. */
static void add_optional_members(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const record_header *header)
{
    const uint32_t lost = number_at(header, AT_LOST), time = number_at(header, AT_HANDLER_TIME);
    if (has_member(header, AT_ORDINAL, 0))
        proto_tree_add_item(tree, godot_mp_recorded_hf.ordinal, tvb, AT_ORDINAL, 4, ENC_LITTLE_ENDIAN);
    if (has_member(header, AT_LOST, 0) && lost) {
        proto_item *item = proto_tree_add_item(tree, godot_mp_recorded_hf.lost, tvb, AT_LOST, 4, ENC_LITTLE_ENDIAN);
        gw_add_finding_format(
            pinfo, item, &godot_mp_recorded_ei.lost,
            "%u message%s before this one %s left out of the recording: its reader was too slow, or came too late",
            lost, lost == 1 ? "" : "s", lost == 1 ? "was" : "were");
    }
    if (has_member(header, AT_PHYSICS_TICK, FRAMES_SET)) {
        proto_tree_add_item(tree, godot_mp_recorded_hf.process_frame, tvb, AT_PROCESS_FRAME, 4, ENC_LITTLE_ENDIAN);
        proto_tree_add_item(tree, godot_mp_recorded_hf.physics_tick, tvb, AT_PHYSICS_TICK, 4, ENC_LITTLE_ENDIAN);
    }
    if (!has_member(header, AT_HANDLER_TIME, HANDLER_TIME_SET))
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

/* The time from the sender's record to the receiver's. The copy has the other one; the clocks of two machines may make
 * it negative. */
static nstime_t way_time_of(const record_copy *copy)
{
    return gw_time_of(copy->is_received ? copy->time - copy->other->time : copy->other->time - copy->time);
}

/* Adds the header, and the record of the same message by its other end. `copy`: NULL inside an ICMP error, and if no
 * end recorded the message. */
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
    proto_item *item =
        proto_tree_add_protocol_format(parent, proto_godot_mp, tvb, 0, (int)header->length, "Godot Multiplayer, %s",
                                       header->flags & CARRIED    ? "carried by another protocol"
                                       : header->flags & RECEIVED ? "recorded by the receiver"
                                                                  : "recorded by the sender");
    proto_tree *tree = proto_item_add_subtree(item, godot_mp_ett_protocol);
    for (size_t i = 0; i < array_length(items); i++)
        proto_tree_add_item(tree, items[i].hf, tvb, items[i].offset, items[i].length, ENC_LITTLE_ENDIAN);
    add_optional_members(pinfo, tree, tvb, header);
    if (copy && copy->is_repeated)
        proto_item_set_generated(
            proto_tree_add_boolean(tree, godot_mp_hf.exported_repeated, NULL, 0, 0, GODOT_MP_EXPORT_REPEATED));
    if (!copy || !copy->other)
        return;
    gw_add_frame_link(tree, godot_mp_recorded_hf.other_in, copy->other->frame);
    if (!copy->is_uncertain) {
        const nstime_t time = way_time_of(copy);
        proto_item_set_generated(proto_tree_add_time(tree, godot_mp_recorded_hf.way_time, NULL, 0, 0, &time));
    }
}

/* The members of the record for the JSON of its message. */
static godot_mp_origin origin_of(const record_header *header, const record_copy *copy)
{
    const record_copy *other = copy ? copy->other : NULL;
    uint32_t handler_time = number_at(header, AT_HANDLER_TIME);
    godot_mp_origin origin = { .repeated = copy && copy->is_repeated,
                               .has_frames = has_member(header, AT_PHYSICS_TICK, FRAMES_SET),
                               .process_frame = number_at(header, AT_PROCESS_FRAME),
                               .physics_tick = number_at(header, AT_PHYSICS_TICK),
                               .other_in = other ? other->frame : 0,
                               .lost = has_member(header, AT_LOST, 0) ? number_at(header, AT_LOST) : 0,
                               .has_handler_time = has_member(header, AT_HANDLER_TIME, HANDLER_TIME_SET) &&
                                                   handler_time != NOT_RETURNED,
                               .handler_time = gw_time_of((int64_t)handler_time * 1000),
                               .has_way_time = other && !copy->is_uncertain };
    if (origin.has_way_time)
        origin.way_time = way_time_of(copy);
    return origin;
}

/* ---- the record ---------------------------------------------------------------------------------------- */

/* Dissects a record: its header, then the message. Returns the number of bytes; 0 if they do not begin with the header
 * of recordings. `generation`: the preference, which is used if the header has no valid generation. */
int godot_mp_dissect_recorded(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, int generation)
{
    record_header header;
    if (!read_header(tvb, &header))
        return 0;
    tvbuff_t *message = tvb_new_subset_remaining(tvb, (int)header.length);
    const record_copy *copy = header.flags & CARRIED ? NULL : find_copy(pinfo, &header, message);
    const godot_mp_origin origin = origin_of(&header, copy);
    /* Read as over WebRTC, without a known channel: a recorded packet has no head of its transport, as packets over
     * WebRTC have none in Godot 3. */
    static const char *const deliveries[] = { GODOT_MP_UNSEQUENCED, GODOT_MP_UNRELIABLE, GODOT_MP_RELIABLE };
    const uint8_t mode = header.bytes[AT_MODE];
    const godot_mp_channel webrtc = { .delivery = mode < array_length(deliveries) ? deliveries[mode] : NULL };
    godot_mp_carrier carrier = { .channel = &webrtc,
                                 .connection = number_at(&header, AT_CONNECTION),
                                 .generation = generation,
                                 .repeated = origin.repeated,
                                 .origin = &origin };
    const uint8_t recorded_generation = header.bytes[AT_GENERATION];
    if (recorded_generation == GW_GODOT_3 || recorded_generation == GW_GODOT_4)
        carrier.generation = recorded_generation;
    /* Two ids that engines use: they are those of the message's ends. */
    int32_t from = (int32_t)number_at(&header, AT_FROM), to = (int32_t)number_at(&header, AT_TO);
    if (from >= GW_GODOT_MP_SERVER && to >= GW_GODOT_MP_SERVER && from != to) {
        carrier.peers[0] = from;
        carrier.peers[1] = to;
    }
    /* The findings of the header count as findings of the message. */
    unsigned findings_before = gw_count_findings(pinfo);
    add_header(pinfo, tree, tvb, &header, copy);
    carrier.findings = gw_count_findings(pinfo) - findings_before;
    return godot_mp_dissect(message, pinfo, tree, &carrier) + (int)header.length;
}

/* Registers the fields and expert infos, and the map of waiting records. */
void godot_mp_register_records(int protocol)
{
    const gw_protocol_tables tables = { .fields = { { GW_ROWS(recorded_fields) } }, .findings = { GW_ROWS(findings) } };
    gw_register_protocol(protocol, &tables);
    waiting = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), gw_hash_key, gw_equal_keys);
    register_init_routine(forget_waiting);
}
