/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the items of the header and the commands.
 */
#include "tree.h"

#include "common/experts.h"
#include "common/spans.h"
#include "fields.h"

#define LINE_SIZE 160

/* ---- header --------------------------------------------------------------------------------------------- */

static proto_item *add_value(const enet_tree *shown, proto_tree *tree, const gw_enet_event *event)
{
    return gw_add_span(tree, enet_hf.wire[event->role], shown->tvb, event->payload, ENC_BIG_ENDIAN);
}

static proto_item *add_header(const enet_tree *shown, const gw_enet_event *event)
{
    proto_item *item = add_value(shown, shown->protocol, event);
    proto_tree *tree = proto_item_add_subtree(item, enet_ett.header);
    const gw_enet_header *header = &shown->reader->header;
    const int *fields = enet_header_hf[shown->reader->options.format - gw_enet_formats];
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

static bool is_hidden(const enet_tree *shown)
{
    return shown->reader->commands > ENET_MOST_SHOWN;
}

static proto_item *hide_command(enet_tree *shown, const gw_enet_event *event)
{
    shown->command = NULL;
    if (event->index > ENET_MOST_SHOWN)
        return NULL;
    return proto_tree_add_item(shown->protocol, enet_hf.not_shown, shown->tvb, (int)event->payload.offset,
                               (int)(shown->reader->length - event->payload.offset), ENC_NA);
}

static proto_item *open_command(enet_tree *shown, const gw_enet_event *event)
{
    if (is_hidden(shown))
        return hide_command(shown, event);
    proto_item *item =
        gw_add_span(shown->protocol, enet_hf.wire[GW_ENET_ROLE_COMMAND], shown->tvb, event->payload, ENC_NA);
    shown->command = proto_item_add_subtree(item, enet_ett.command);
    if (shown->demand->visible)
        proto_item_set_text(item, "%s", shown->reader->command.type->name);
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
        proto_item_append_text(item, " (%s)", shown->reader->command.type->name);
    return item;
}

proto_item *enet_tree_close_command(enet_tree *shown)
{
    proto_item *item = shown->command ? proto_tree_get_parent(shown->command) : NULL;
    wmem_array_append(shown->commands, &shown->command, 1);
    if (item && shown->demand->visible) {
        char label[LINE_SIZE];
        gw_text text;
        gw_text_init(&text, label, sizeof label);
        gw_enet_print_command(&text, &shown->reader->command);
        proto_item_set_text(item, "%s", label);
    }
    return item;
}

/* ---- events --------------------------------------------------------------------------------------------- */

/* No field is referenced and no item is visible: expert infos are added to the protocol's item. */
static proto_item *pass_event(enet_tree *shown, const gw_enet_event *event)
{
    if (event->kind == GW_OPEN)
        shown->command = is_hidden(shown) ? NULL : shown->protocol;
    return shown->protocol;
}

static proto_item *add_event(enet_tree *shown, const gw_enet_event *event)
{
    if (event->kind == GW_CLOSE)
        return enet_tree_close_command(shown);
    if (!shown->demand->items)
        return pass_event(shown, event);
    if (event->kind == GW_OPEN)
        return open_command(shown, event);
    if (event->depth && !shown->command)
        return NULL;
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

void enet_tree_init(enet_tree *shown, packet_info *pinfo, proto_tree *tree, const gw_demand *demand, tvbuff_t *tvb,
                    const gw_enet_reader *reader)
{
    *shown = (enet_tree){
        .pinfo = pinfo, .demand = demand, .datagram = tvb, .tvb = tvb, .protocol = tree, .reader = reader
    };
    shown->commands = wmem_array_new(pinfo->pool, sizeof(proto_tree *));
}

/* A header without commands may be all that was captured. */
static uint32_t odd_of(const enet_tree *shown, const gw_enet_event *event)
{
    bool is_cut = gw_is_incomplete(shown->pinfo, shown->datagram);
    return is_cut ? event->odd & ~(uint32_t)GW_ENET_ODD_NO_COMMANDS : event->odd;
}

void enet_tree_add(enet_tree *shown, const gw_enet_event *event)
{
    proto_item *item = add_event(shown, event);
    if (event->odd && !(shown->reader->in_command && is_hidden(shown)))
        gw_add_odd_experts(shown->pinfo, item, enet_ei.odd, &gw_enet_faults, shown->odd_counts, odd_of(shown, event),
                           event->payload.offset);
}

void enet_tree_add_fault(const enet_tree *shown)
{
    bool is_shown = shown->reader->in_command && shown->command;
    gw_add_fault(shown->pinfo, is_shown ? shown->command : shown->protocol, shown->tvb, &shown->reader->fault,
                 &enet_faults);
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
    return *(proto_tree *const *)wmem_array_index(shown->commands, index);
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

/* ---- a format that is not decoded
 * ------------------------------------------------------------------------------------- */

void enet_tree_add_other_version(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const char *name)
{
    proto_item *item = proto_tree_add_item(tree, enet_hf.undecoded, tvb, 0, -1, ENC_NA);
    expert_add_info_format(pinfo, item, &enet_ei.other_version,
                           "Format of %s, which is not compatible with ENet 1.3: not decoded", name);
}
