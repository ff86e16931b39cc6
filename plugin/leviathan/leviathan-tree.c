/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "leviathan-tree.h"

#include "common/fault.h"
#include "leviathan-fields.h"

#define LINE_SIZE 128

/* No more than the engine itself reads; and blocks that pile up for seconds without a packet in between. */
#define MOST_COMPONENTS_SHOWN GW_LEVIATHAN_MOST_COMPONENTS
#define MOST_BLOCKS_SHOWN     64

/* ---- oddities ------------------------------------------------------------------------------------------ */

static void add_oddities(leviathan_datagram *datagram, proto_item *item, const gw_leviathan_event *event)
{
    uint32_t odd = event->odd;
    /* Of the blocks behind one packet, it is enough to say it once. */
    if (datagram->ignored_blocks > 1)
        odd &= ~(uint32_t)GW_LEVIATHAN_ODD_IGNORED;
    for (unsigned bit = 0; odd >> bit; bit++)
        if (odd >> bit & 1U)
            expert_add_info(datagram->pinfo, item, &leviathan_ei_odd[bit]);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static proto_item *add_floats(const leviathan_datagram *datagram, proto_tree *tree, const int *fields,
                              const gw_leviathan_event *event)
{
    proto_item *item = NULL;
    for (uint32_t i = 0; i < event->payload.length / 4; i++)
        item = proto_tree_add_item(tree, fields[i], datagram->tvb, (int)(event->payload.offset + 4 * i), 4,
                                   ENC_LITTLE_ENDIAN);
    return item;
}

static proto_item *add_vector(const leviathan_datagram *datagram, proto_tree *tree, const gw_leviathan_event *event)
{
    switch (event->field) {
    case GW_LEVIATHAN_POSITION:
        return add_floats(datagram, tree, leviathan_hf_position, event);
    case GW_LEVIATHAN_ORIENTATION:
        return add_floats(datagram, tree, leviathan_hf_orientation, event);
    default:
        return add_floats(datagram, tree, leviathan_hf_sizes, event);
    }
}

/* Strings and nested packets begin with their length: Wireshark's FT_UINT_ types take that in themselves. */
static proto_item *add_value(const leviathan_datagram *datagram, proto_tree *tree, const gw_leviathan_event *event)
{
    int field = leviathan_hf[event->field];
    switch (event->type) {
    case GW_LEVIATHAN_FLOAT3:
    case GW_LEVIATHAN_FLOAT4:
        return add_vector(datagram, tree, event);
    case GW_LEVIATHAN_STRING:
        return proto_tree_add_item(tree, field, datagram->tvb, (int)event->header.offset, 4,
                                   ENC_UTF_8 | ENC_BIG_ENDIAN);
    case GW_LEVIATHAN_NESTED:
    case GW_LEVIATHAN_STATES:
    case GW_LEVIATHAN_COMPONENTS:
        return proto_tree_add_item(tree, field, datagram->tvb, (int)event->header.offset, 4, ENC_BIG_ENDIAN);
    default:
        return proto_tree_add_item(tree, field, datagram->tvb, (int)event->payload.offset, (int)event->payload.length,
                                   ENC_BIG_ENDIAN);
    }
}

/* ---- items made of others ------------------------------------------------------------------------------ */

static proto_item *open_item(leviathan_datagram *datagram, const gw_leviathan_event *event, int field, int subtree)
{
    proto_item *item = proto_tree_add_item(datagram->trees[event->depth], field, datagram->tvb,
                                           (int)event->payload.offset, (int)event->payload.length, ENC_NA);
    datagram->trees[event->depth + 1] = proto_item_add_subtree(item, subtree);
    return item;
}

static proto_item *show_open(leviathan_datagram *datagram, const gw_leviathan_event *event)
{
    proto_item *item;
    switch (event->field) {
    case GW_LEVIATHAN_PACKET:
    case GW_LEVIATHAN_ACK_ONLY:
        if (event->odd & GW_LEVIATHAN_ODD_IGNORED)
            return open_item(datagram, event, leviathan_made.ignored_block, leviathan_ett.acks);
        /* The datagram is the packet: its fields stand right below the protocol. */
        datagram->trees[1] = datagram->trees[0];
        return datagram->trees[0];
    case GW_LEVIATHAN_MESSAGE:
        return open_item(datagram, event, leviathan_made.message, leviathan_ett.message);
    case GW_LEVIATHAN_COMPONENT:
        return open_item(datagram, event, leviathan_made.component, leviathan_ett.component);
    default:
        item = add_value(datagram, datagram->trees[event->depth], event);
        datagram->trees[event->depth + 1] = proto_item_add_subtree(item, leviathan_ett.nested);
        return item;
    }
}

static proto_item *show_close(leviathan_datagram *datagram, const gw_leviathan_event *event)
{
    proto_item *item = proto_tree_get_parent(datagram->trees[event->depth + 1]);
    bool has_own_item = event->field == GW_LEVIATHAN_MESSAGE || event->field == GW_LEVIATHAN_COMPONENT ||
                        (event->field == GW_LEVIATHAN_ACK_ONLY && event->index);
    if (has_own_item)
        proto_item_set_len(item, (int)event->payload.length);
    return item;
}

static void name_message(leviathan_datagram *datagram, proto_tree *tree)
{
    char line[LINE_SIZE];
    gw_text text;
    gw_text_init(&text, line, sizeof line);
    gw_leviathan_print_message(&text, &datagram->reader.message, (gw_leviathan_numbering)datagram->reader.numbering);
    proto_item_set_text(proto_tree_get_parent(tree), "%s", line);
}

static void name_component(proto_tree *tree, const gw_leviathan_event *event)
{
    const char *name = gw_leviathan_name_of(gw_leviathan_field_of(GW_LEVIATHAN_COMPONENT_TYPE)->names, event->number);
    if (name)
        proto_item_append_text(proto_tree_get_parent(tree), ": %s", name);
    else
        proto_item_append_text(proto_tree_get_parent(tree), ": type %u", (unsigned)event->number);
}

/* "Component: Position (1, 2, 3)" */
static void name_vector(const leviathan_datagram *datagram, proto_tree *tree, const gw_leviathan_event *event)
{
    char line[LINE_SIZE];
    gw_text text;
    gw_text_init(&text, line, sizeof line);
    for (uint32_t i = 0; i < event->payload.length / 4; i++) {
        gw_text_string(&text, i ? ", " : "");
        gw_text_float(&text, gw_leviathan_float_at(datagram->reader.bytes, event, i));
    }
    proto_item_append_text(proto_tree_get_parent(tree), " (%s)", line);
}

void leviathan_name_ids(proto_item *item, const uint8_t *ids, uint32_t count)
{
    char line[LINE_SIZE];
    gw_text text;
    gw_text_init(&text, line, sizeof line);
    gw_leviathan_print_ids(&text, ids, count);
    proto_item_set_text(item, "Acks: %s", line);
}

static void show_ignored_ids(const leviathan_datagram *datagram, proto_item *item, const gw_leviathan_event *event)
{
    proto_tree *tree = proto_item_add_subtree(item, leviathan_ett.acks);
    if (leviathan_is_visible(tree))
        leviathan_name_ids(item, datagram->reader.bytes + event->payload.offset, event->payload.length / 4);
    for (uint32_t i = 0; i < event->payload.length / 4; i++)
        proto_tree_add_item(tree, leviathan_made.ignored_ack, datagram->tvb, (int)(event->payload.offset + 4 * i), 4,
                            ENC_BIG_ENDIAN);
}

static proto_item *show_value(leviathan_datagram *datagram, const gw_leviathan_event *event)
{
    proto_tree *tree = datagram->trees[event->depth];
    proto_item *item = add_value(datagram, tree, event);
    switch (event->field) {
    case GW_LEVIATHAN_REQUEST_TYPE:
    case GW_LEVIATHAN_RESPONSE_TO:
        if (leviathan_is_visible(tree))
            name_message(datagram, tree);
        break;
    case GW_LEVIATHAN_COMPONENT_TYPE:
        if (leviathan_is_visible(tree))
            name_component(tree, event);
        break;
    case GW_LEVIATHAN_POSITION:
    case GW_LEVIATHAN_ORIENTATION:
    case GW_LEVIATHAN_SIZES:
        if (leviathan_is_visible(tree))
            name_vector(datagram, tree, event);
        break;
    case GW_LEVIATHAN_ACK_ONLY_IDS:
        if (datagram->ignored_blocks)
            show_ignored_ids(datagram, item, event);
        break;
    default:
        break;
    }
    return item;
}

static proto_item *show_event(leviathan_datagram *datagram, const gw_leviathan_event *event)
{
    switch (event->kind) {
    case GW_LEVIATHAN_OPEN:
        return show_open(datagram, event);
    case GW_LEVIATHAN_CLOSE:
        return show_close(datagram, event);
    default:
        return show_value(datagram, event);
    }
}

/* ---- facts --------------------------------------------------------------------------------------------- */

/* Room for the messages that are declared and can be there. */
static void expect_messages(leviathan_datagram *datagram, uint32_t declared)
{
    uint32_t left = datagram->reader.length - datagram->reader.offset;
    uint32_t most = MIN(declared, left / 7);
    datagram->message_facts = wmem_alloc_array(datagram->pinfo->pool, leviathan_message_facts, most);
    datagram->messages = wmem_alloc0_array(datagram->pinfo->pool, leviathan_shown_message, most);
    datagram->facts.messages = datagram->message_facts;
}

/* A message's header is complete. */
static void note_message(leviathan_datagram *datagram, const gw_leviathan_event *event)
{
    const gw_leviathan_message *message = &datagram->reader.message;
    uint32_t index = datagram->facts.message_count++;
    datagram->message_facts[index] = (leviathan_message_facts){
        message->number,
        message->response_to,
        message->kind,
        message->type ? message->type->id : LEVIATHAN_UNKNOWN_MESSAGE,
    };
    datagram->messages[index].type = message->type;
    datagram->messages[index].tree = datagram->trees[event->depth];
}

static void note_acks(leviathan_datagram *datagram, proto_item *item, const gw_leviathan_event *event)
{
    if (datagram->ignored_blocks)
        return;
    datagram->facts.acks = datagram->reader.bytes + event->payload.offset;
    datagram->facts.acks_length = event->payload.length;
    datagram->acks_offset = event->payload.offset;
    datagram->acks = item;
}

static void note_event(leviathan_datagram *datagram, proto_item *item, const gw_leviathan_event *event)
{
    uint32_t count = datagram->facts.message_count;
    switch (event->field) {
    case GW_LEVIATHAN_ACK_ONLY:
        if (event->kind == GW_LEVIATHAN_OPEN && !event->index)
            datagram->facts.ack_only = true;
        break;
    case GW_LEVIATHAN_PACKET_ID:
        datagram->facts.packet_id = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_START_ACK:
        datagram->facts.start_ack = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_PACKED_ACKS:
    case GW_LEVIATHAN_ACK_ONLY_IDS:
        note_acks(datagram, item, event);
        break;
    case GW_LEVIATHAN_MESSAGE_COUNT:
        expect_messages(datagram, (uint32_t)event->number);
        break;
    case GW_LEVIATHAN_REQUEST_TYPE:
    case GW_LEVIATHAN_RESPONSE_TO:
        note_message(datagram, event);
        break;
    case GW_LEVIATHAN_MESSAGE:
        if (event->kind == GW_LEVIATHAN_CLOSE)
            datagram->messages[count - 1].length = event->payload.length;
        break;
    default:
        break;
    }
}

/* ---- the loop ------------------------------------------------------------------------------------------ */

static bool is_too_many(const leviathan_datagram *datagram, const gw_leviathan_event *event)
{
    if (event->kind != GW_LEVIATHAN_OPEN)
        return false;
    return datagram->ignored_blocks > MOST_BLOCKS_SHOWN ||
           (event->field == GW_LEVIATHAN_COMPONENT && event->index >= MOST_COMPONENTS_SHOWN);
}

/* From the first item on that is too many, its parent's rest is one item. */
static bool is_hidden(leviathan_datagram *datagram, const gw_leviathan_event *event)
{
    if (datagram->hidden && event->depth + 1U < datagram->hidden)
        datagram->hidden = 0;
    if (!datagram->hidden && is_too_many(datagram, event)) {
        datagram->hidden = event->depth + 1U;
        proto_tree_add_item(datagram->trees[event->depth], leviathan_made.not_shown, datagram->tvb,
                            (int)event->payload.offset, (int)event->payload.length, ENC_NA);
    }
    return datagram->hidden != 0;
}

gw_next leviathan_show_next(leviathan_datagram *datagram, gw_leviathan_event *event)
{
    gw_next next = gw_leviathan_next(&datagram->reader, event);
    if (next != GW_NEXT_EVENT)
        return next;
    if (event->kind == GW_LEVIATHAN_OPEN && (event->odd & GW_LEVIATHAN_ODD_IGNORED))
        datagram->ignored_blocks++;
    proto_item *item = NULL;
    bool hidden = is_hidden(datagram, event);
    if (!hidden && datagram->trees[0])
        item = show_event(datagram, event);
    if (!hidden && event->odd)
        add_oddities(datagram, item, event);
    note_event(datagram, item, event);
    return next;
}

/* What the engine does, where that is known from its source. */
static const char *consequence_of(uint32_t code)
{
    switch (code) {
    case GW_LEVIATHAN_FAULT_ACKS_CUT:
        return "the engine goes on with zeros";
    case GW_LEVIATHAN_FAULT_REQUEST_TYPE:
    case GW_LEVIATHAN_FAULT_RESPONSE_TYPE:
        return "the engine goes on at the wrong place";
    default:
        return NULL;
    }
}

void leviathan_show_fault(leviathan_datagram *datagram)
{
    const gw_fault *fault = &datagram->reader.fault;
    gw_fault_report report = {
        .hf_undecoded = leviathan_made.undecoded,
        .expert = &leviathan_ei_fault[fault->code],
        .cut_short = &leviathan_ei.cut_short,
        .what = gw_leviathan_fault_text(fault->code),
        .consequence = consequence_of(fault->code),
    };
    gw_fault_add(datagram->pinfo, datagram->trees[datagram->reader.depth], datagram->tvb, fault, &report);
}
