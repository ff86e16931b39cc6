/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the items of the header and the commands.
 */
#include "internal.h"

#include "common/findings.h"
#include "common/items.h"

#define LABEL_SIZE 160

/* ---- fields --------------------------------------------------------------------------------------------- */

/* Adds the fields of a number's bits to the subtree of its item. `offset` and `size`: of the number. Of the array,
 * fields that the format does not have are 0, and left out. */
static void add_bits(const enet_items *items, proto_item *item, int subtree, const int *fields, size_t count,
                     uint32_t offset, int size)
{
    proto_tree *tree = proto_item_add_subtree(item, subtree);
    for (size_t i = 0; i < count; i++)
        if (fields[i] > 0)
            proto_tree_add_item(tree, fields[i], items->tvb, (int)offset, size, ENC_BIG_ENDIAN);
}

/* Adds the item of a field of the header or of a command; those of the header's word, further flags and a command's
 * type have their bits as children. NULL: the field has no item. */
static proto_item *add_part(const enet_items *items, proto_tree *tree, const gw_enet_part *part)
{
    const int type_fields[] = { enet_hf.command, enet_hf.acknowledge, enet_hf.unsequenced, enet_hf.unused };
    const uint8_t role = part->field->role;
    /* The checksum is added with the findings, which have its connect id. */
    if (role == GW_ENET_ROLE_CHECKSUM || (role == GW_ENET_ROLE_PAYLOAD && !part->span.length))
        return NULL;
    proto_item *item = gw_add_span(tree, enet_hf.wire[role], items->tvb, part->span, ENC_BIG_ENDIAN);
    if (role == GW_ENET_ROLE_WORD) {
        /* The masks of the bits depend on the format. */
        const gw_enet_reader *reader = &items->reading->reader;
        const gw_enet_header *header = &reader->header;
        add_bits(items, item, enet_ett.header, enet_header_hf[reader->options.format - gw_enet_formats],
                 ENET_HEADER_BITS, part->span.offset, 2);
        if (items->demand->visible)
            proto_item_append_text(item, ", peer %u, session %u%s%s", header->peer, header->session,
                                   header->is_compressed ? ", compressed" : "",
                                   header->has_sent_time ? ", sent time" : "");
    } else if (role == GW_ENET_ROLE_EXTENDED) {
        add_bits(items, item, enet_ett.extended, &enet_hf.encrypted, 1, part->span.offset, 2);
    } else if (role == GW_ENET_ROLE_TYPE) {
        add_bits(items, item, enet_ett.flags, type_fields, array_length(type_fields), part->span.offset, 1);
        if (items->demand->visible)
            proto_item_append_text(item, " (%s)", gw_enet_command_of(part->number & GW_ENET_NUMBER_MASK)->name);
    }
    return item;
}

/* ---- events --------------------------------------------------------------------------------------------- */

/* Adds the expert infos of an item's oddities. `offset`: of the item. */
static void add_odd(enet_items *items, proto_item *item, uint32_t odd, uint32_t offset)
{
    /* A header without commands may be all that was captured. */
    if (odd && gw_is_incomplete(items->pinfo, items->datagram))
        odd &= ~(uint32_t)GW_ENET_ODD_NO_COMMANDS;
    if (odd)
        gw_add_odd_experts(items->pinfo, item, enet_ei.odd, &gw_enet_faults, items->odd_counts, odd, offset);
}

/* Adds the fields of the header or of a command to `tree`, and their oddities. If no field is referenced and no item is
 * visible, only the oddities are added, to `tree` itself. */
static void add_parts(enet_items *items, proto_tree *tree, const gw_enet_event *event)
{
    gw_enet_part part = { 0 };
    if (!items->demand->items && !event->odd)
        return;
    while (gw_enet_next_part(&items->reading->reader, event, &part)) {
        proto_item *item = items->demand->items ? add_part(items, tree, &part) : tree;
        add_odd(items, item, part.odd, part.span.offset);
    }
}

/* Adds the item of a command with its fields and oddities. Returns its subtree, in which enet_tree_of_command() finds
 * it; the protocol's, if there are no items. */
static proto_tree *add_command(enet_items *items, const gw_enet_event *event)
{
    const enet_facts *facts = &items->reading->facts;
    const gw_span span = gw_enet_span_of(event);
    proto_tree *tree = items->protocol;
    if (items->demand->items) {
        proto_item *item = gw_add_span(tree, enet_hf.wire[GW_ENET_ROLE_COMMAND], items->tvb, span, ENC_NA);
        tree = proto_item_add_subtree(item, enet_ett.command);
        /* A malformed command, the last one, is not in the facts. */
        bool has_facts = event->index < facts->count;
        if (has_facts)
            items->commands[event->index] = tree;
        /* The label is the command's text in the Info column; of a malformed one, the name alone. */
        if (items->demand->visible) {
            char buffer[LABEL_SIZE];
            gw_text label;
            gw_text_init(&label, buffer, sizeof buffer);
            if (has_facts)
                gw_enet_print_command(&label, &event->command);
            else
                gw_text_string(&label, event->command.type->name);
            proto_item_set_text(item, "%s", buffer);
        }
    }
    /* The oddity of the command as a whole; add_parts() adds those of its fields. */
    add_odd(items, tree, event->odd & GW_ENET_ODD_COMMAND_COUNT, span.offset);
    add_parts(items, tree, event);
    return tree;
}

/* Adds the items and oddities of a reading's events, and the fault at which it ended, if there was one. */
static void add_reading(enet_items *items, const enet_reading *reading)
{
    const gw_enet_reader *reader = &reading->reader;
    const bool has_items = items->demand->items;
    const uint32_t most = MIN(reading->facts.count, ENET_MOST_SHOWN);
    proto_tree *cut = items->protocol; /* of the command in which the input ends */
    items->reading = reading;
    if (has_items && most)
        items->commands = wmem_alloc_array(items->pinfo->pool, proto_tree *, most);
    for (uint32_t i = 0; i < reading->event_count; i++) {
        const gw_enet_event *event = &reading->events[i];
        if (event->index == ENET_MOST_SHOWN) {
            /* One item for this command and all after it. */
            if (has_items)
                proto_tree_add_item(items->protocol, enet_hf.not_shown, items->tvb, (int)event->header.offset,
                                    (int)(reader->length - event->header.offset), ENC_NA);
        } else if (event->role == GW_ENET_ROLE_COMMAND) {
            proto_tree *tree = add_command(items, event);
            cut = event->is_cut ? tree : cut;
        } else if (event->role == GW_ENET_ROLE_HEADER) {
            add_parts(items, items->protocol, event);
        } else { /* bytes without fields: compressed or encrypted commands, or padding */
            proto_item *item = items->protocol;
            if (has_items)
                item = gw_add_span(items->protocol, enet_hf.wire[event->role], items->tvb, event->payload, ENC_NA);
            add_odd(items, item, event->odd, event->payload.offset);
        }
    }
    if (reader->fault.fault_class != GW_FAULT_NONE)
        gw_add_fault(items->pinfo, cut, items->tvb, &reader->fault, &enet_faults);
}

/* The subtree of the command at `index`, below the number of the facts' commands and ENET_MOST_SHOWN; the protocol's,
 * which may be NULL, if commands have no items. */
proto_tree *enet_tree_of_command(const enet_items *items, uint32_t index)
{
    return items->commands ? items->commands[index] : items->protocol;
}

/* ---- datagrams ------------------------------------------------------------------------------------------ */

/* Adds the items of a datagram: of `header`, the reading of its bytes; then of its decompressed commands, or that they
 * could not be decompressed, or that the capture has not all of the datagram. */
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
