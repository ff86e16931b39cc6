/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tree.h"

#include "common/demand.h"
#include "common/experts.h"
#include "common/fault.h"
#include "fields.h"

#define LINE_SIZE 160

/* The state of reading one stretch of commands. */
typedef struct enet_walk {
    enet_datagram *datagram;
    gw_enet_reader reader;
    tvbuff_t *tvb;
    proto_tree *command; /* of the open command */
    uint32_t odd;        /* of the open command */
} enet_walk;

/* ---- header --------------------------------------------------------------------------------------------- */

static proto_item *add_value(const enet_walk *walk, proto_tree *tree, const gw_enet_event *event)
{
    return proto_tree_add_item(tree, enet_hf[event->role], walk->tvb, (int)event->payload.offset,
                               (int)event->payload.length, ENC_BIG_ENDIAN);
}

static proto_item *show_header(const enet_walk *walk, const gw_enet_event *event)
{
    proto_item *item = add_value(walk, walk->datagram->tree, event);
    proto_tree *tree = proto_item_add_subtree(item, enet_ett.header);
    const int fields[] = { enet_part.peer, enet_part.session, enet_part.compressed, enet_part.sent_time_present };
    for (size_t i = 0; i < array_length(fields); i++)
        proto_tree_add_item(tree, fields[i], walk->tvb, (int)event->payload.offset, 2, ENC_BIG_ENDIAN);
    if (gw_is_visible(tree))
        proto_item_append_text(item, ", peer %u, session %u%s%s", gw_enet_peer_of(event->number),
                               gw_enet_session_of(event->number),
                               event->number & GW_ENET_COMPRESSED_BIT ? ", compressed" : "",
                               event->number & GW_ENET_SENT_TIME_BIT ? ", sent time" : "");
    return item;
}

/* ---- commands ------------------------------------------------------------------------------------------- */

static bool is_hidden(const enet_walk *walk)
{
    return walk->reader.commands > ENET_MOST_SHOWN;
}

static proto_item *hide_command(enet_walk *walk, const gw_enet_event *event)
{
    walk->command = NULL;
    if (event->index > ENET_MOST_SHOWN)
        return NULL;
    return proto_tree_add_item(walk->datagram->tree, enet_part.not_shown, walk->tvb, (int)event->payload.offset,
                               (int)(walk->reader.length - event->payload.offset), ENC_NA);
}

static proto_item *open_command(enet_walk *walk, const gw_enet_event *event)
{
    walk->odd = 0;
    if (is_hidden(walk))
        return hide_command(walk, event);
    proto_item *item = proto_tree_add_item(walk->datagram->tree, enet_hf[GW_ENET_ROLE_COMMAND], walk->tvb,
                                           (int)event->payload.offset, (int)event->payload.length, ENC_NA);
    walk->command = proto_item_add_subtree(item, enet_ett.command);
    if (gw_is_visible(walk->command))
        proto_item_set_text(item, "%s", walk->reader.command.type->name);
    return item;
}

static proto_item *show_type(const enet_walk *walk, const gw_enet_event *event)
{
    proto_item *item = add_value(walk, walk->command, event);
    proto_tree *tree = proto_item_add_subtree(item, enet_ett.flags);
    const int fields[] = { enet_part.command, enet_part.acknowledge, enet_part.unsequenced, enet_part.unused };
    for (size_t i = 0; i < array_length(fields); i++)
        proto_tree_add_item(tree, fields[i], walk->tvb, (int)event->payload.offset, 1, ENC_BIG_ENDIAN);
    if (gw_is_visible(tree))
        proto_item_append_text(item, " (%s)", walk->reader.command.type->name);
    return item;
}

/* Of commands about the connection, all numbers are kept for the analysis. */
static const uint32_t *setup_of(const enet_walk *walk, const gw_enet_command *read)
{
    switch (read->number) {
    case GW_ENET_CONNECT:
    case GW_ENET_VERIFY_CONNECT:
    case GW_ENET_BANDWIDTH_LIMIT:
    case GW_ENET_THROTTLE_CONFIGURE:
        return (const uint32_t *)wmem_memdup(walk->datagram->pinfo->pool, read->values, sizeof read->values);
    default:
        return NULL;
    }
}

static void note_command(const enet_walk *walk)
{
    const gw_enet_command *read = &walk->reader.command;
    const uint32_t *values = read->values;
    bool acknowledges = read->number == GW_ENET_ACKNOWLEDGE;
    bool unreliable = read->number == GW_ENET_SEND_UNRELIABLE;
    bool unsequenced = read->number == GW_ENET_SEND_UNSEQUENCED;
    enet_command command = {
        .number = read->number,
        .flags = read->flags,
        .channel = (uint8_t)values[GW_ENET_ROLE_CHANNEL],
        .odd = walk->odd,
        .sequence = (uint16_t)values[acknowledges ? GW_ENET_ROLE_ACKED_SEQUENCE : GW_ENET_ROLE_SEQUENCE],
        .acked_sent_time = (uint16_t)values[GW_ENET_ROLE_ACKED_SENT_TIME],
        .sub_sequence = (uint16_t)values[unreliable    ? GW_ENET_ROLE_UNRELIABLE_SEQUENCE
                                         : unsequenced ? GW_ENET_ROLE_GROUP
                                                       : GW_ENET_ROLE_START_SEQUENCE],
        .length = (uint16_t)values[GW_ENET_ROLE_LENGTH],
        .fragment_number = values[GW_ENET_ROLE_FRAGMENT_NUMBER],
        .fragment_count = values[GW_ENET_ROLE_FRAGMENT_COUNT],
        .fragment_offset = values[GW_ENET_ROLE_FRAGMENT_OFFSET],
        .total_length = values[GW_ENET_ROLE_TOTAL_LENGTH],
        .payload = read->payload,
        .size = read->whole.length,
        .setup = setup_of(walk, read),
    };
    wmem_array_append_one(walk->datagram->commands, command);
    wmem_array_append(walk->datagram->items, &walk->command, 1);
}

static proto_item *close_command(const enet_walk *walk)
{
    gw_text *line = walk->datagram->line;
    proto_item *item = walk->command ? proto_tree_get_parent(walk->command) : NULL;
    note_command(walk);
    if (line) {
        gw_text_string(line, wmem_array_get_count(walk->datagram->commands) > 1 ? ", " : "");
        gw_enet_print_command(line, &walk->reader.command);
    }
    if (gw_is_visible(walk->command)) {
        char label[LINE_SIZE];
        gw_text text;
        gw_text_init(&text, label, sizeof label);
        gw_enet_print_command(&text, &walk->reader.command);
        proto_item_set_text(item, "%s", label);
    }
    return item;
}

/* ---- events --------------------------------------------------------------------------------------------- */

static proto_item *show_event(enet_walk *walk, const gw_enet_event *event)
{
    if (event->kind == GW_OPEN)
        return open_command(walk, event);
    if (event->kind == GW_CLOSE)
        return close_command(walk);
    if (event->depth && !walk->command)
        return NULL;
    switch (event->role) {
    case GW_ENET_ROLE_HEADER:
        return show_header(walk, event);
    case GW_ENET_ROLE_CHECKSUM:
        return NULL; /* when the commands are known */
    case GW_ENET_ROLE_TYPE:
        return show_type(walk, event);
    case GW_ENET_ROLE_PAYLOAD:
        return event->payload.length ? add_value(walk, walk->command, event) : NULL;
    default:
        return add_value(walk, event->depth ? walk->command : walk->datagram->tree, event);
    }
}

static void read_events(enet_walk *walk)
{
    enet_datagram *datagram = walk->datagram;
    gw_enet_event event;
    gw_next next;
    while ((next = gw_enet_next(&walk->reader, &event)) == GW_NEXT_EVENT) {
        proto_item *item = show_event(walk, &event);
        walk->odd |= event.odd;
        if (event.odd && !(walk->reader.in_command && is_hidden(walk)))
            gw_add_odd_experts(datagram->pinfo, item, enet_ei_odd, gw_enet_odd_text, datagram->odd_counts, event.odd,
                               event.payload.offset);
    }
    if (next != GW_NEXT_FAULT)
        return;
    datagram->fault = walk->reader.fault;
    gw_fault_show(datagram->pinfo, walk->reader.in_command ? walk->command : datagram->tree, walk->tvb,
                  &datagram->fault, &enet_faults);
}

/* ---- decompressed commands ------------------------------------------------------------------------------ */

static void add_generated_uint(proto_tree *tree, int field, uint32_t number)
{
    proto_item_set_generated(proto_tree_add_uint(tree, field, NULL, 0, 0, number));
}

static void show_decompressed(enet_datagram *datagram, uint32_t before)
{
    const enet_commands *opened = &datagram->opened;
    uint32_t packed = tvb_captured_length(datagram->tvb) - before;
    enet_walk walk = { .datagram = datagram };
    const gw_enet_options options = {
        .commands_only = true,
        .padded = opened->mode == ENET_FASTLZ,
        .header = datagram->facts.header,
    };
    datagram->plain = tvb_new_child_real_data(datagram->tvb, opened->bytes, opened->length, (int)opened->length);
    add_new_data_source(datagram->pinfo, datagram->plain, "Decompressed ENet");
    add_generated_uint(datagram->tree, enet_made.compression, opened->mode);
    add_generated_uint(datagram->tree, enet_made.decompressed_length, opened->length);
    add_generated_uint(datagram->tree, enet_made.percent, packed * 100 / opened->length);
    walk.tvb = datagram->plain;
    gw_enet_init(&walk.reader, opened->bytes, opened->length, &options);
    read_events(&walk);
}

static void show_compressed(enet_datagram *datagram, uint32_t before)
{
    uint32_t captured = tvb_captured_length(datagram->tvb);
    if (datagram->opened.bytes) {
        show_decompressed(datagram, before);
        return;
    }
    add_generated_uint(datagram->tree, enet_made.compression, ENET_AUTOMATIC);
    if (enet_is_cut(datagram))
        proto_tree_add_expert(datagram->tree, datagram->pinfo, &enet_ei.cut_short, datagram->tvb, (int)before,
                              (int)(captured - before));
    else
        proto_tree_add_expert(datagram->tree, datagram->pinfo, &enet_ei.not_decompressed, datagram->tvb, (int)before,
                              (int)(captured - before));
    if (datagram->line) {
        gw_text_string(datagram->line, "Compressed len=");
        gw_text_unsigned(datagram->line, captured - before);
    }
}

void enet_show_datagram(enet_datagram *datagram)
{
    unsigned captured = tvb_captured_length(datagram->tvb);
    const gw_enet_options options = { .checksum = datagram->opened.checksum };
    enet_walk walk = { .datagram = datagram, .tvb = datagram->tvb };
    datagram->commands = wmem_array_new(datagram->pinfo->pool, sizeof(enet_command));
    datagram->items = wmem_array_new(datagram->pinfo->pool, sizeof(proto_tree *));
    gw_enet_init(&walk.reader, tvb_get_ptr(datagram->tvb, 0, (int)captured), captured, &options);
    /* The first event sets the header. */
    read_events(&walk);
    datagram->facts.header = walk.reader.header;
    datagram->facts.sent_time = (uint16_t)walk.reader.sent_time;
    uint32_t before = gw_enet_header_length(walk.reader.header, datagram->opened.checksum);
    if (datagram->fault.fault_class == GW_FAULT_NONE && walk.reader.header & GW_ENET_COMPRESSED_BIT &&
        captured > before)
        show_compressed(datagram, before);
    datagram->facts.mode = datagram->opened.mode;
    datagram->facts.checksum = datagram->opened.checksum;
    datagram->facts.commands = (const enet_command *)wmem_array_get_raw(datagram->commands);
    datagram->facts.count = wmem_array_get_count(datagram->commands);
}
