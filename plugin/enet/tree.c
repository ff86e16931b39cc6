/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the items of the header and the commands.
 */
#include "internal.h"

#include "common/spans.h"

/* ---- header --------------------------------------------------------------------------------------------- */

static proto_item *add_value(const enet_tree *shown, proto_tree *tree, const gw_enet_event *event)
{
    return gw_add_span(tree, enet_hf.wire[event->role], shown->tvb, event->payload, ENC_BIG_ENDIAN);
}

static proto_item *add_header(const enet_tree *shown, const gw_enet_event *event)
{
    proto_item *item = add_value(shown, shown->protocol, event);
    proto_tree *tree = proto_item_add_subtree(item, enet_ett.header);
    const gw_enet_header *header = &shown->reading->reader.header;
    const int *fields = enet_header_hf[shown->reading->reader.options.format - gw_enet_formats];
    for (size_t i = 0; i < ENET_HEADER_BITS; i++)
        if (fields[i] > 0)
            proto_tree_add_item(tree, fields[i], shown->tvb, (int)event->payload.offset, 2, ENC_BIG_ENDIAN);
    if (shown->demand->visible)
        proto_item_append_text(item, ", peer %u, session %u%s%s", header->peer, header->session,
                               header->is_compressed ? ", compressed" : "", header->has_sent_time ? ", sent time" : "");
    return item;
}

static proto_item *add_extended(const enet_tree *shown, const gw_enet_event *event)
{
    proto_item *item = add_value(shown, shown->protocol, event);
    proto_tree *tree = proto_item_add_subtree(item, enet_ett.extended);
    proto_tree_add_item(tree, enet_hf.encrypted, shown->tvb, (int)event->payload.offset, 2, ENC_BIG_ENDIAN);
    return item;
}

/* ---- commands ------------------------------------------------------------------------------------------- */

static proto_item *open_command(enet_tree *shown, const gw_enet_event *event)
{
    /* One item for the commands that are not shown. */
    if (event->index == ENET_MOST_SHOWN) {
        shown->command = NULL;
        return proto_tree_add_item(shown->protocol, enet_hf.not_shown, shown->tvb, (int)event->payload.offset,
                                   (int)(shown->reading->reader.length - event->payload.offset), ENC_NA);
    }
    proto_item *item =
        gw_add_span(shown->protocol, enet_hf.wire[GW_ENET_ROLE_COMMAND], shown->tvb, event->payload, ENC_NA);
    shown->command = proto_item_add_subtree(item, enet_ett.command);
    if (shown->demand->visible)
        proto_item_set_text(item, "%s", gw_enet_command_of(event->number)->name);
    return item;
}

static proto_item *add_type(const enet_tree *shown, const gw_enet_event *event)
{
    proto_item *item = add_value(shown, shown->command, event);
    proto_tree *tree = proto_item_add_subtree(item, enet_ett.flags);
    const int fields[] = { enet_hf.command, enet_hf.acknowledge, enet_hf.unsequenced, enet_hf.unused };
    for (size_t i = 0; i < array_length(fields); i++)
        proto_tree_add_item(tree, fields[i], shown->tvb, (int)event->payload.offset, 1, ENC_BIG_ENDIAN);
    if (shown->demand->visible)
        proto_item_append_text(item, " (%s)", gw_enet_command_of(event->number & GW_ENET_NUMBER_MASK)->name);
    return item;
}

static proto_item *close_command(enet_tree *shown)
{
    proto_item *item = proto_tree_get_parent(shown->command);
    const char *label = shown->reading->facts.commands[shown->count].label;
    shown->commands[shown->count++] = shown->command;
    if (label)
        proto_item_set_text(item, "%s", label);
    return item;
}

/* ---- events --------------------------------------------------------------------------------------------- */

static proto_item *add_event(enet_tree *shown, const gw_enet_event *event)
{
    /* No field is referenced and no item is visible: expert infos are added to the protocol's item. */
    if (!shown->demand->items)
        return shown->protocol;
    if (event->kind == GW_CLOSE)
        return close_command(shown);
    if (event->kind == GW_OPEN)
        return open_command(shown, event);
    switch (event->role) {
    case GW_ENET_ROLE_HEADER:
        return add_header(shown, event);
    case GW_ENET_ROLE_EXTENDED:
        return add_extended(shown, event);
    case GW_ENET_ROLE_CHECKSUM:
        return NULL; /* when the commands are known */
    case GW_ENET_ROLE_TYPE:
        return add_type(shown, event);
    case GW_ENET_ROLE_PAYLOAD:
        return event->payload.length ? add_value(shown, shown->command, event) : NULL;
    default:
        return add_value(shown, event->depth ? shown->command : shown->protocol, event);
    }
}

void enet_tree_init(enet_tree *shown, const enet_source *source, proto_tree *tree)
{
    *shown = (enet_tree){
        .pinfo = source->pinfo, .demand = source->demand, .datagram = source->tvb, .tvb = source->tvb, .protocol = tree
    };
}

void enet_tree_add(enet_tree *shown, const enet_reading *reading)
{
    uint32_t most = MIN(reading->facts.count, ENET_MOST_SHOWN);
    shown->reading = reading;
    if (shown->demand->items && most)
        shown->commands = wmem_alloc_array(shown->pinfo->pool, proto_tree *, most);
    for (uint32_t i = 0; i < reading->event_count; i++) {
        const gw_enet_event *event = &reading->events[i];
        proto_item *item = add_event(shown, event);
        uint32_t odd = event->odd;
        /* A header without commands may be all that was captured. */
        if (odd && gw_is_incomplete(shown->pinfo, shown->datagram))
            odd &= ~(uint32_t)GW_ENET_ODD_NO_COMMANDS;
        if (odd)
            gw_add_odd_experts(shown->pinfo, item, enet_ei.odd, &gw_enet_faults, shown->odd_counts, odd,
                               event->payload.offset);
    }
    const gw_enet_reader *reader = &reading->reader;
    if (reader->fault.fault_class != GW_FAULT_NONE)
        gw_add_fault(shown->pinfo, reader->in_command && shown->command ? shown->command : shown->protocol, shown->tvb,
                     &reader->fault, &enet_faults);
    if (reading->is_cut && shown->commands && shown->count < most)
        close_command(shown);
}

void enet_tree_add_cut(const enet_tree *shown)
{
    uint32_t captured = tvb_captured_length(shown->datagram);
    const gw_fault end = { .fault_class = GW_FAULT_TRUNCATED,
                           .offset = captured,
                           .needed = tvb_reported_length(shown->datagram) - captured };
    gw_add_fault(shown->pinfo, shown->protocol, shown->datagram, &end, &enet_faults);
}

proto_tree *enet_tree_of_command(const enet_tree *shown, uint32_t index)
{
    return shown->commands ? shown->commands[index] : shown->protocol;
}

/* ---- compressed commands -------------------------------------------------------------------------------- */

static void add_generated_uint(const enet_tree *shown, int field, uint32_t number)
{
    proto_item_set_generated(proto_tree_add_uint(shown->protocol, field, NULL, 0, 0, number));
}

void enet_tree_add_decompressed(enet_tree *shown, const enet_commands *opened, tvbuff_t *unpacked, uint32_t packed)
{
    add_new_data_source(shown->pinfo, unpacked, "Decompressed ENet");
    add_generated_uint(shown, enet_hf.compression, opened->mode);
    add_generated_uint(shown, enet_hf.decompressed_length, opened->length);
    add_generated_uint(shown, enet_hf.percent, packed * 100 / opened->length);
    shown->tvb = unpacked;
    enet_tree_add(shown, opened->reading);
}

void enet_tree_add_compressed(const enet_tree *shown, uint32_t before, bool is_cut)
{
    int start = (int)before, length = (int)(tvb_captured_length(shown->datagram) - before);
    add_generated_uint(shown, enet_hf.compression, ENET_AUTOMATIC);
    /* Separate statements, since Wireshark's checks do not find expert infos inside an expression. */
    if (is_cut)
        proto_tree_add_expert(shown->protocol, shown->pinfo, &enet_ei.cut_short, shown->datagram, start, length);
    else
        proto_tree_add_expert(shown->protocol, shown->pinfo, &enet_ei.not_decompressed, shown->datagram, start, length);
}

/* ---- a format that is not decoded ----------------------------------------------------------------------- */

void enet_tree_add_other_version(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const char *name)
{
    proto_item *item = proto_tree_add_item(tree, enet_hf.undecoded, tvb, 0, -1, ENC_NA);
    expert_add_info_format(pinfo, item, &enet_ei.other_version,
                           "Format of %s, which is not compatible with ENet 1.3: not decoded", name);
}
