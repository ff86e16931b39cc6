/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the header of a recorded message, adds it to the tree, and passes the message on. All numbers are little-endian.
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
#include "common/experts.h"
#include "common/findings.h"
#include "common/items.h"

#define RECORD_VERSION  2
#define SHORTEST_HEADER 20U
#define WHOLE_HEADER    40U

#define GODOT_MP_RECORD_FRAMES  0x0002U /* process frame and physics tick are set */
#define GODOT_MP_RECORD_HANDLER 0x0004U /* the time in the handler is set */

#define NOT_RETURNED UINT32_MAX
/* Microseconds of a frame at 60 frames a second. */
#define LONGEST_HANDLER 16667U

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

/* ---- reading ------------------------------------------------------------------------------------------- */

bool godot_mp_is_recorded(tvbuff_t *tvb)
{
    return tvb_captured_length(tvb) && tvb_get_uint8(tvb, AT_VERSION) == RECORD_VERSION;
}

static bool read_header(tvbuff_t *tvb, record_header *header)
{
    unsigned captured = tvb_captured_length(tvb);
    if (captured <= SHORTEST_HEADER)
        return false;
    header->length = tvb_get_uint8(tvb, AT_LENGTH);
    if (header->length < SHORTEST_HEADER || header->length >= captured)
        return false;
    memset(header->bytes, 0, sizeof header->bytes);
    tvb_memcpy(tvb, header->bytes, 0, MIN(header->length, WHOLE_HEADER));
    header->flags = gw_le16(header->bytes + AT_FLAGS);
    return true;
}

static godot_mp_copy_key key_of(const record_header *header)
{
    return (godot_mp_copy_key){ .connection = number_at(header, AT_CONNECTION),
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
                              "The game handled this message for %.1f ms; a frame at 60 per second has 16.7 ms",
                              time / 1000.0);
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
static int64_t way_of(const godot_mp_copy *copy)
{
    return copy->is_received ? copy->time - copy->other->time : copy->other->time - copy->time;
}

/* The record of the other end, and the time between the two. */
static void add_other(proto_tree *tree, const godot_mp_copy *copy)
{
    const godot_mp_copy *other = copy ? copy->other : NULL;
    if (!other)
        return;
    gw_add_frame_link(tree, godot_mp_recorded_hf.other_in, other->frame);
    if (copy->is_uncertain)
        return;
    const nstime_t time = gw_time_of(way_of(copy));
    proto_item_set_generated(proto_tree_add_time(tree, godot_mp_recorded_hf.way_time, NULL, 0, 0, &time));
}

static void add_header(packet_info *pinfo, proto_tree *parent, tvbuff_t *tvb, const record_header *header,
                       const godot_mp_copy *copy)
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
static godot_mp_origin origin_of(const record_header *header, const godot_mp_copy *copy)
{
    const godot_mp_copy *other = copy ? copy->other : NULL;
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
    const godot_mp_copy_key key = key_of(&header);
    tvbuff_t *message = tvb_new_subset_remaining(tvb, (int)header.length);
    unsigned findings_before = gw_count_findings(pinfo);
    const godot_mp_copy *copy = godot_mp_pair(pinfo, &key, message);
    describe_carrier(&carrier, &channel, &header);
    const godot_mp_origin origin = origin_of(&header, copy);
    carrier.repeated = origin.repeated;
    carrier.origin = &origin;
    add_header(pinfo, tree, tvb, &header, copy);
    carrier.findings = gw_count_findings(pinfo) - findings_before;
    return godot_mp_dissect(message, pinfo, tree, &carrier) + (int)header.length;
}
