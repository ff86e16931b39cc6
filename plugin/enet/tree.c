/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the items of the header and the commands.
 */
#include "internal.h"

#include "common/findings.h"
#include "common/items.h"

/* ---- header --------------------------------------------------------------------------------------------- */

static proto_item *add_value(const enet_items *items, proto_tree *tree, const gw_enet_event *event)
{
    return gw_add_span(tree, enet_hf.wire[event->role], items->tvb, event->payload, ENC_BIG_ENDIAN);
}

/* Adds the parts of a value of `size` bytes, bits of it, as its subtree. A field that is 0 is left out. */
static void add_parts(const enet_items *items, proto_item *item, int subtree, const int *fields, size_t count,
                      uint32_t offset, int size)
{
    proto_tree *tree = proto_item_add_subtree(item, subtree);
    for (size_t i = 0; i < count; i++)
        if (fields[i] > 0)
            proto_tree_add_item(tree, fields[i], items->tvb, (int)offset, size, ENC_BIG_ENDIAN);
}

/* Adds the peer id, session and flags, whose masks depend on the format. */
static proto_item *add_header(const enet_items *items, const gw_enet_event *event)
{
    proto_item *item = add_value(items, items->protocol, event);
    const gw_enet_header *header = &items->reading->reader.header;
    const int *fields = enet_header_hf[items->reading->reader.options.format - gw_enet_formats];
    add_parts(items, item, enet_ett.header, fields, ENET_HEADER_BITS, event->payload.offset, 2);
    if (items->demand->visible)
        proto_item_append_text(item, ", peer %u, session %u%s%s", header->peer, header->session,
                               header->is_compressed ? ", compressed" : "", header->has_sent_time ? ", sent time" : "");
    return item;
}

/* ---- commands ------------------------------------------------------------------------------------------- */

/* Adds the item of a command, to which its values are added. */
static proto_item *open_command(enet_items *items, const gw_enet_event *event)
{
    /* One item for the commands that are not shown. */
    if (event->index == ENET_MOST_SHOWN) {
        items->command = NULL;
        return proto_tree_add_item(items->protocol, enet_hf.not_shown, items->tvb, (int)event->payload.offset,
                                   (int)(items->reading->reader.length - event->payload.offset), ENC_NA);
    }
    proto_item *item =
        gw_add_span(items->protocol, enet_hf.wire[GW_ENET_ROLE_COMMAND], items->tvb, event->payload, ENC_NA);
    items->command = proto_item_add_subtree(item, enet_ett.command);
    if (items->demand->visible)
        proto_item_set_text(item, "%s", gw_enet_command_of(event->number)->name);
    return item;
}

/* Writes the text of the open command, which has all its values. */
static proto_item *close_command(enet_items *items)
{
    proto_item *item = proto_tree_get_parent(items->command);
    const char *label = items->reading->facts.commands[items->count].label;
    /* There is room: reading.c keeps no CLOSE of the commands after the most that are shown. */
    items->commands[items->count++] = items->command;
    if (label)
        proto_item_set_text(item, "%s", label);
    return item;
}

/* ---- events --------------------------------------------------------------------------------------------- */

/* Adds the item of an event. Returns the item to which its oddities are added as expert infos. */
static proto_item *add_event(enet_items *items, const gw_enet_event *event)
{
    const int type_fields[] = { enet_hf.command, enet_hf.acknowledge, enet_hf.unsequenced, enet_hf.unused };
    proto_item *item;
    /* No field is referenced and no item is visible: expert infos are added to the protocol's item. */
    if (!items->demand->items)
        return items->protocol;
    if (event->kind == GW_CLOSE)
        return close_command(items);
    if (event->kind == GW_OPEN)
        return open_command(items, event);
    switch (event->role) {
    case GW_ENET_ROLE_HEADER:
        return add_header(items, event);
    case GW_ENET_ROLE_EXTENDED:
        item = add_value(items, items->protocol, event);
        add_parts(items, item, enet_ett.extended, &enet_hf.encrypted, 1, event->payload.offset, 2);
        return item;
    case GW_ENET_ROLE_CHECKSUM:
        return NULL; /* added with the findings, which have its connect id */
    case GW_ENET_ROLE_TYPE:
        item = add_value(items, items->command, event);
        add_parts(items, item, enet_ett.flags, type_fields, array_length(type_fields), event->payload.offset, 1);
        if (items->demand->visible)
            proto_item_append_text(item, " (%s)", gw_enet_command_of(event->number & GW_ENET_NUMBER_MASK)->name);
        return item;
    case GW_ENET_ROLE_PAYLOAD:
        return event->payload.length ? add_value(items, items->command, event) : NULL;
    default:
        return add_value(items, event->depth ? items->command : items->protocol, event);
    }
}

/* The events of a reading, and its fault. */
static void add_reading(enet_items *items, const enet_reading *reading)
{
    const gw_enet_reader *reader = &reading->reader;
    uint32_t most = MIN(reading->facts.count, ENET_MOST_SHOWN);
    items->reading = reading;
    if (items->demand->items && most)
        items->commands = wmem_alloc_array(items->pinfo->pool, proto_tree *, most);
    for (uint32_t i = 0; i < reading->event_count; i++) {
        const gw_enet_event *event = &reading->events[i];
        proto_item *item = add_event(items, event);
        uint32_t odd = event->odd;
        /* A header without commands may be all that was captured. */
        if (odd && gw_is_incomplete(items->pinfo, items->datagram))
            odd &= ~(uint32_t)GW_ENET_ODD_NO_COMMANDS;
        if (odd)
            gw_add_odd_experts(items->pinfo, item, enet_ei.odd, &gw_enet_faults, items->odd_counts, odd,
                               event->payload.offset);
    }
    if (reader->fault.fault_class != GW_FAULT_NONE)
        gw_add_fault(items->pinfo, reader->in_command && items->command ? items->command : items->protocol, items->tvb,
                     &reader->fault, &enet_faults);
    if (reading->is_cut && items->commands && items->count < most)
        close_command(items);
}

proto_tree *enet_tree_of_command(const enet_items *items, uint32_t index)
{
    return items->commands ? items->commands[index] : items->protocol;
}

/* ---- datagrams ------------------------------------------------------------------------------------------ */

void enet_tree_add(enet_items *items, const enet_commands *opened, const enet_reading *header)
{
    const gw_enet_header *parsed = &header->reader.header;
    const uint32_t before = parsed->length, captured = tvb_captured_length(items->datagram);
    bool is_packed = parsed->is_compressed && !parsed->is_encrypted && captured > before;
    bool is_cut = gw_is_incomplete(items->pinfo, items->datagram);
    add_reading(items, header);
    if (header->reader.fault.fault_class != GW_FAULT_NONE)
        return;
    if (!is_packed) {
        /* The capture has only the first commands, or only the header. */
        const gw_fault end = { .fault_class = GW_FAULT_TRUNCATED,
                               .offset = captured,
                               .needed = tvb_reported_length(items->datagram) - captured };
        if (is_cut)
            gw_add_fault(items->pinfo, items->protocol, items->datagram, &end, &enet_faults);
        return;
    }
    if (opened->bytes) {
        items->tvb = tvb_new_child_real_data(items->datagram, opened->bytes, opened->length, (int)opened->length);
        add_new_data_source(items->pinfo, items->tvb, "Decompressed ENet");
        enet_add_generated(items->protocol, enet_hf.compression, opened->mode);
        enet_add_generated(items->protocol, enet_hf.decompressed_length, opened->length);
        enet_add_generated(items->protocol, enet_hf.percent, (captured - before) * 100 / opened->length);
        add_reading(items, opened->reading);
        return;
    }
    enet_add_generated(items->protocol, enet_hf.compression, ENET_AUTOMATIC);
    /* Separate statements, since Wireshark's checks do not find expert infos inside an expression. */
    if (is_cut)
        gw_add_finding_at(items->protocol, items->pinfo, &enet_ei.cut_short, items->datagram, (int)before,
                          (int)(captured - before));
    else
        gw_add_finding_at(items->protocol, items->pinfo, &enet_ei.not_decompressed, items->datagram, (int)before,
                          (int)(captured - before));
}
