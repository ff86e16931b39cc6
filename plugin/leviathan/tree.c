/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the items of packets, messages and components.
 */
#include "internal.h"

#include "common/items.h"

#define LINE_SIZE 128

/* The number of components that the engine reads, and of blocks that 12 seconds of ack-only packets append. */
#define MOST_COMPONENTS_SHOWN GW_LEVIATHAN_MOST_COMPONENTS
#define MOST_BLOCKS_SHOWN     64

/* ---- oddities ------------------------------------------------------------------------------------------ */

/* Adds an expert info for each oddity of the event, on its item or, if `item` is NULL, on that of the protocol. */
static void add_oddities(leviathan_tree *state, proto_item *item, const gw_leviathan_event *event)
{
    uint32_t odd = event->odd;
    /* One expert info is sufficient for all ack-only blocks after a packet, which the engine ignores. */
    if (state->ignored_blocks > 1)
        odd &= ~(uint32_t)GW_LEVIATHAN_ODD_IGNORED;
    if (gw_is_incomplete(state->pinfo, state->tvb))
        odd &= ~(uint32_t)GW_LEVIATHAN_ODD_TRAILING; /* the beginning of bytes that the capture has cut */
    gw_add_odd_experts(state->pinfo, leviathan_expert_item(state, item), leviathan_ei.odd, &gw_leviathan_faults,
                       state->odd_counts, odd, event->header.offset);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Adds an item for each number of a vector, if its field is referenced. Returns the last one, for the vector's expert
 * infos, or NULL. */
static proto_item *add_vector(const leviathan_tree *state, proto_tree *tree, const gw_leviathan_event *event)
{
    const int *fields = leviathan_hf.sizes;
    proto_item *item = NULL;
    if (event->role == GW_LEVIATHAN_ROLE_POSITION)
        fields = leviathan_hf.position;
    if (event->role == GW_LEVIATHAN_ROLE_ORIENTATION)
        fields = leviathan_hf.orientation;
    for (uint32_t i = 0; i < event->payload.length / 4; i++) {
        float number = gw_leviathan_float_at(state->reader->bytes, event, i);
        if (proto_field_is_referenced(tree, fields[i]))
            item = gw_add_float32(tree, fields[i], state->tvb, event->payload.offset + 4 * i, number);
    }
    return item;
}

/* A text of the packet in packet scope. Texts in the tree end at the first NUL: NULs of the packet are written as
 * "\\0". */
static const char *escape_nul(const leviathan_tree *state, const gw_leviathan_event *event)
{
    wmem_strbuf_t *text = wmem_strbuf_new(state->pinfo->pool, "");
    int at = (int)event->payload.offset, end = (int)gw_span_end(event->payload);
    while (at <= end) {
        int nul = gw_find_byte(state->tvb, at, end - at, 0);
        int to = nul < 0 ? end : nul;
        const gw_span part = { (uint32_t)at, (uint32_t)(to - at) };
        wmem_strbuf_append(text, gw_text_of(state->pinfo->pool, state->tvb, part));
        if (nul < 0)
            break;
        wmem_strbuf_append(text, "\\0");
        at = nul + 1;
    }
    return wmem_strbuf_get_str(text);
}

/* Adds the item of a field in the form of its type. NULL when no field of the value is referenced: a nested packet also
 * has a field for its size. A vector has only items for its numbers. */
static proto_item *add_value(const leviathan_tree *state, proto_tree *tree, const gw_leviathan_event *event)
{
    const int field = leviathan_hf.wire[event->role];
    const int offset = (int)event->header.offset;
    const bool is_nested = event->type == GW_LEVIATHAN_NESTED || event->type == GW_LEVIATHAN_STATES ||
                           event->type == GW_LEVIATHAN_COMPONENTS;
    if (event->type == GW_LEVIATHAN_FLOAT3 || event->type == GW_LEVIATHAN_FLOAT4)
        return add_vector(state, tree, event);
    if (!proto_field_is_referenced(tree, field) &&
        !(is_nested && proto_field_is_referenced(tree, leviathan_hf.nested_size)))
        return NULL;
    if (event->role == GW_LEVIATHAN_ROLE_PACKET_TYPE) {
        /* Type: Normal packet, "Ln" (0x4c6e) */
        uint16_t type = (uint16_t)event->number;
        return proto_tree_add_uint_format_value(tree, field, state->tvb, (int)event->payload.offset,
                                                (int)event->payload.length, type, "%s packet, \"%c%c\" (0x%04x)",
                                                gw_leviathan_name_of(gw_leviathan_field_of(event->role)->names, type),
                                                type >> 8, type & 0xff, type);
    }
    if (event->role == GW_LEVIATHAN_ROLE_MESSAGE_KIND)
        return gw_add_hex_enumeration(tree, field, state->tvb, event->payload.offset, 1, (uint32_t)event->number);
    if (event->type == GW_LEVIATHAN_STRING) {
        wmem_allocator_t *pool = state->pinfo->pool;
        const char *text =
            event->odd & GW_LEVIATHAN_ODD_NUL ? escape_nul(state, event) : gw_text_of(pool, state->tvb, event->payload);
        /* The item includes the length. */
        return proto_tree_add_string(tree, field, state->tvb, offset,
                                     (int)(event->header.length + event->payload.length), gw_field_text(pool, text));
    }
    if (is_nested) {
        /* A nested packet with its size, which FT_UINT_BYTES includes. */
        proto_item *item = proto_tree_add_item(tree, field, state->tvb, offset, 4, ENC_BIG_ENDIAN);
        proto_tree *subtree = proto_item_add_subtree(item, leviathan_ett.nested);
        proto_tree_add_item(subtree, leviathan_hf.nested_size, state->tvb, offset, 4, ENC_BIG_ENDIAN);
        return item;
    }
    return gw_add_span(tree, field, state->tvb, event->payload, ENC_BIG_ENDIAN);
}

/* ---- items with children --------------------------------------------------------------------------------------- */

/* Adds an item with a subtree for the parts of this item, if its field is referenced; its length is set when it
 * closes. Without an item of its own, the items of its parts are added to its parent. */
static proto_item *open_item(leviathan_tree *state, const gw_leviathan_event *event, int field, int subtree)
{
    proto_tree *tree = state->trees[event->depth];
    proto_item *item = NULL;
    state->trees[event->depth + 1] = tree;
    if (proto_field_is_referenced(tree, field)) {
        item = gw_add_span(tree, field, state->tvb, event->payload, ENC_NA);
        state->trees[event->depth + 1] = proto_item_add_subtree(item, subtree);
    }
    return item;
}

/* Adds the item of a message, component or nested packet, or of an ack-only block after a packet, which the engine
 * ignores (ODD_IGNORED); a packet itself has the protocol's item. Sets the tree for the parts: trees[depth + 1].
 * Returns the item for expert infos. */
static proto_item *open_container(leviathan_tree *state, const gw_leviathan_event *event)
{
    proto_item *item;
    switch (event->role) {
    case GW_LEVIATHAN_ROLE_PACKET:
    case GW_LEVIATHAN_ROLE_ACK_ONLY:
        if (event->odd & GW_LEVIATHAN_ODD_IGNORED)
            return open_item(state, event, leviathan_hf.ignored_block, leviathan_ett.acks);
        /* The fields of the packet itself are children of the protocol item. */
        state->trees[1] = state->trees[0];
        return state->trees[0];
    case GW_LEVIATHAN_ROLE_MESSAGE:
        return open_item(state, event, leviathan_hf.message, leviathan_ett.message);
    case GW_LEVIATHAN_ROLE_COMPONENT:
        return open_item(state, event, leviathan_hf.component, leviathan_ett.component);
    default:
        /* A nested packet of components. */
        item = add_value(state, state->trees[event->depth], event);
        state->trees[event->depth + 1] = item ? proto_item_get_subtree(item) : state->trees[event->depth];
        return item;
    }
}

/* Sets the length of the item that open_item() added, which is known only now. It added messages, components and
 * ack-only blocks after a packet (index above 0), unless their field is not referenced: then the tree of their parts is
 * that of the parent. Returns the item for expert infos. */
static proto_item *close_container(leviathan_tree *state, const gw_leviathan_event *event)
{
    proto_item *item = proto_tree_get_parent(state->trees[event->depth + 1]);
    bool has_own_item = event->role == GW_LEVIATHAN_ROLE_MESSAGE || event->role == GW_LEVIATHAN_ROLE_COMPONENT ||
                        (event->role == GW_LEVIATHAN_ROLE_ACK_ONLY && event->index);
    if (has_own_item && state->trees[event->depth + 1] != state->trees[event->depth])
        proto_item_set_len(item, (int)event->payload.length);
    return item;
}

/* Sets the label of an item to ranges of ids, "Acks: 1001-1003". `ids`: `count` big-endian numbers of four bytes. */
void leviathan_label_ids(proto_item *item, const uint8_t *ids, uint32_t count)
{
    char line[LINE_SIZE];
    gw_text text;
    gw_text_init(&text, line, sizeof line);
    gw_leviathan_print_ids(&text, ids, count);
    proto_item_set_text(item, "Acks: %s", line);
}

/* The ids of an ack-only block after a packet are items of a field of their own, since the engine ignores them. */
static void add_ignored_ids(const leviathan_tree *state, proto_item *item, const gw_leviathan_event *event)
{
    proto_tree *tree = item ? proto_item_add_subtree(item, leviathan_ett.acks) : state->trees[event->depth];
    if (state->demand->visible)
        leviathan_label_ids(item, state->reader->bytes + event->payload.offset, event->payload.length / 4);
    for (uint32_t i = 0; i < event->payload.length / 4; i++)
        proto_tree_add_item(tree, leviathan_hf.ignored_ack, state->tvb, (int)(event->payload.offset + 4 * i), 4,
                            ENC_BIG_ENDIAN);
}

/* Adds the item of a field; for the type and the numbers of a component and the last field of a message's header, also
 * sets the label of that component or message. Returns the item, NULL if the field is not referenced. */
static proto_item *add_labeled_value(leviathan_tree *state, const gw_leviathan_event *event)
{
    proto_tree *tree = state->trees[event->depth];
    proto_item *item = add_value(state, tree, event), *parent = proto_tree_get_parent(tree);
    char line[LINE_SIZE];
    gw_text text;
    if (event->role == GW_LEVIATHAN_ROLE_ACK_ONLY_IDS && state->ignored_blocks)
        add_ignored_ids(state, item, event);
    /* Labels are needed only where the tree is shown. */
    if (!state->demand->visible)
        return item;
    gw_text_init(&text, line, sizeof line);
    switch (event->role) {
    case GW_LEVIATHAN_ROLE_REQUEST_TYPE: /* the last fields of the two headers */
    case GW_LEVIATHAN_ROLE_RESPONSE_TO:
        gw_leviathan_print_message(&text, &state->reader->message, (gw_leviathan_revision)state->reader->revision);
        proto_item_set_text(parent, "%s", line);
        break;
    case GW_LEVIATHAN_ROLE_COMPONENT_TYPE: {
        const char *name = gw_leviathan_name_of(gw_leviathan_field_of(event->role)->names, event->number);
        if (name)
            proto_item_set_text(parent, "Component: %s", name);
        else
            proto_item_set_text(parent, "Component: type %" PRId64, event->number);
        break;
    }
    case GW_LEVIATHAN_ROLE_POSITION:
    case GW_LEVIATHAN_ROLE_ORIENTATION:
    case GW_LEVIATHAN_ROLE_SIZES: /* "Component: Position (1, 2, 3)" */
        for (uint32_t i = 0; i < event->payload.length / 4; i++) {
            gw_text_string(&text, i ? ", " : "");
            gw_text_float(&text, gw_leviathan_float_at(state->reader->bytes, event, i));
        }
        proto_item_append_text(parent, " (%s)", line);
        break;
    default:
        break;
    }
    return item;
}

/* ---- items that the analysis adds to ------------------------------------------------------------------- */

/* Keeps the items that findings.c adds to. The acks are those of the first packet: the engine ignores the blocks after
 * it. The codec gives the message count before the first message, and at most as many messages: `messages` has room.
 * The subtree of a message is kept at the last field of its header (the type of a request, the request's number in a
 * response), at which facts.c adds the message to those that are analyzed: both have the same indices. */
static void keep_item(leviathan_tree *state, proto_item *item, const gw_leviathan_event *event)
{
    switch (event->role) {
    case GW_LEVIATHAN_ROLE_PACKED_ACKS:
    case GW_LEVIATHAN_ROLE_ACK_ONLY_IDS:
        if (!state->ignored_blocks)
            state->acks = item;
        break;
    case GW_LEVIATHAN_ROLE_MESSAGE_COUNT:
        state->messages = wmem_alloc0_array(state->pinfo->pool, proto_tree *, (size_t)event->number);
        break;
    case GW_LEVIATHAN_ROLE_REQUEST_TYPE:
    case GW_LEVIATHAN_ROLE_RESPONSE_TO:
        state->messages[state->message_count++] = state->trees[event->depth];
        break;
    default:
        break;
    }
}

/* ---- a whole datagram ---------------------------------------------------------------------------------- */

/* True if a field of the role is referenced, or if keep_item() has the item for later. A vector has a field for each
 * number. */
static bool is_role_needed(uint8_t role)
{
    uint8_t type = gw_leviathan_field_of((gw_leviathan_role)role)->type;
    switch (role) {
    case GW_LEVIATHAN_ROLE_POSITION:
        return gw_is_any_named(leviathan_hf.position, array_length(leviathan_hf.position));
    case GW_LEVIATHAN_ROLE_ORIENTATION:
        return gw_is_any_named(leviathan_hf.orientation, array_length(leviathan_hf.orientation));
    case GW_LEVIATHAN_ROLE_SIZES:
        return gw_is_any_named(leviathan_hf.sizes, array_length(leviathan_hf.sizes));
    case GW_LEVIATHAN_ROLE_MESSAGE_COUNT:
    case GW_LEVIATHAN_ROLE_REQUEST_TYPE:
    case GW_LEVIATHAN_ROLE_RESPONSE_TO:
        return true;
    default:
        /* Nested packets and ids also have other items. */
        return type == GW_LEVIATHAN_NESTED || type == GW_LEVIATHAN_IDS || gw_is_named(leviathan_hf.wire[role]);
    }
}

/* False if the event adds neither items nor expert infos. A closing event completes the item of its container: it is
 * not needed if there is none, which is when its parts were added to the same tree as the container. */
static bool is_needed(const leviathan_tree *state, const gw_leviathan_event *event)
{
    /* An opening event sets the tree of its parts. While items are hidden, each event may be the first after them. */
    if (event->odd || event->kind == GW_OPEN || state->hidden)
        return true;
    if (!state->trees[0])
        return false;
    if (event->kind == GW_CLOSE)
        return state->trees[event->depth + 1] != state->trees[event->depth];
    return gw_kind_is_asked(state->demand, event->role, is_role_needed);
}

/* Adds the items of one event, and its oddities. If a message has too many components, or a packet too many ack-only
 * blocks after it, the items from the limit on are hidden, and one item has all their bytes. */
void leviathan_tree_add(leviathan_tree *state, const gw_leviathan_event *event)
{
    proto_item *item = NULL;
    if (!is_needed(state, event))
        return;
    if (event->kind == GW_OPEN && (event->odd & GW_LEVIATHAN_ODD_IGNORED))
        state->ignored_blocks++;
    bool is_too_many = event->kind == GW_OPEN &&
                       (state->ignored_blocks > MOST_BLOCKS_SHOWN ||
                        (event->role == GW_LEVIATHAN_ROLE_COMPONENT && event->index >= MOST_COMPONENTS_SHOWN));
    /* `hidden` is a depth plus 1: an event of a lower depth is after the parent of the hidden items. */
    if (state->hidden && event->depth + 1U < state->hidden)
        state->hidden = 0;
    if (!state->hidden && is_too_many) {
        state->hidden = event->depth + 1U;
        gw_add_span(state->trees[event->depth], leviathan_hf.not_shown, state->tvb, event->payload, ENC_NA);
    }
    if (!state->hidden && state->trees[0]) {
        if (event->kind == GW_OPEN)
            item = open_container(state, event);
        else if (event->kind == GW_CLOSE)
            item = close_container(state, event);
        else
            item = add_labeled_value(state, event);
    }
    if (!state->hidden && event->odd)
        add_oddities(state, item, event);
    if (state->trees[0])
        keep_item(state, item, event);
}
