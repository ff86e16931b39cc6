/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The debugger's messages: which packet is what of which message, and its members by name.
 */
#include "godot-debugger.h"

#include <epan/expert.h>

#include "common/links.h"
#include "godot-stream-fields.h"

#define NAME_INDEX  (-2)
#define COUNT_INDEX (-1)
/* Members of one message in Godot 3. */
#define MOST_MEMBERS 1000000

static int proto_debugger = -1;

void godot_debugger_register(int protocol)
{
    proto_debugger = protocol;
}

/* ---- which packet of which message ---------------------------------------------------------------------- */

static bool text_of(const uint8_t *bytes, uint32_t length, gw_span *text)
{
    if (length < 8 || gw_le32(bytes) != GW_GODOT_STRING || gw_le32(bytes + 4) > length - 8)
        return false;
    *text = (gw_span){ 8, gw_le32(bytes + 4) };
    return true;
}

static godot_debugger_packet *new_packet(const packet_info *pinfo, const char *name)
{
    godot_debugger_packet *packet = wmem_new0(wmem_file_scope(), godot_debugger_packet);
    packet->name = name;
    packet->begins = packet->frame = pinfo->num;
    packet->time = pinfo->abs_ts;
    return packet;
}

/* A game that stopped goes on. */
static void link_break(const packet_info *pinfo, godot_debugger_state *state, godot_debugger_packet *packet)
{
    if (!strcmp(packet->name, "debug_enter")) {
        state->stopped = packet;
    } else if (!strcmp(packet->name, "debug_exit") && state->stopped) {
        packet->other = state->stopped->frame;
        packet->other_time = state->stopped->time;
        state->stopped->other = pinfo->num;
        state->stopped->other_time = pinfo->abs_ts;
        state->stopped = NULL;
    }
}

static godot_debugger_packet *follow_array(packet_info *pinfo, godot_debugger_state *state, const uint8_t *bytes,
                                           uint32_t length, gw_godot_generation generation)
{
    gw_godot_debugger_message message;
    if (!gw_godot_debugger_read(bytes, length, generation, &message))
        return NULL;
    const uint8_t *name = bytes + message.name.offset;
    bool known = gw_godot_debugger_layout_of(generation, name, message.name.length) != NULL;
    /* Names of the game's own are as good once the connection is known. */
    if (!known && !(state->is_debugger && gw_godot_debugger_is_name(generation, name, message.name.length)))
        return NULL;
    state->is_debugger = true;
    godot_debugger_packet *packet =
        new_packet(pinfo, wmem_strndup(wmem_file_scope(), (const char *)name, message.name.length));
    packet->array = true;
    packet->count = message.count;
    link_break(pinfo, state, packet);
    return packet;
}

static godot_debugger_packet *follow_name(packet_info *pinfo, godot_debugger_state *state, uint8_t side,
                                          const uint8_t *bytes, uint32_t length)
{
    gw_span name;
    if (!text_of(bytes, length, &name))
        return NULL;
    bool known = gw_godot_debugger_layout_of(GW_GODOT_3, bytes + name.offset, name.length) != NULL;
    if (!known && !(state->is_debugger && gw_godot_debugger_is_name(GW_GODOT_3, bytes + name.offset, name.length)))
        return NULL;
    godot_debugger_packet *packet =
        new_packet(pinfo, wmem_strndup(wmem_file_scope(), (const char *)bytes + name.offset, name.length));
    packet->index = NAME_INDEX;
    state->sides[side].name = packet->name;
    state->sides[side].begins = pinfo->num;
    state->sides[side].index = COUNT_INDEX;
    return packet;
}

/* The count, or a member. */
static godot_debugger_packet *follow_member(packet_info *pinfo, godot_debugger_state *state, uint8_t side,
                                            const uint8_t *bytes, uint32_t length)
{
    godot_debugger_packet *packet = new_packet(pinfo, state->sides[side].name);
    packet->begins = state->sides[side].begins;
    packet->index = state->sides[side].index++;
    if (packet->index == COUNT_INDEX) {
        uint32_t count = length == 8 && gw_le32(bytes) == GW_GODOT_INT ? gw_le32(bytes + 4) : UINT32_MAX;
        if (count > MOST_MEMBERS) {
            state->sides[side].name = NULL;
            return NULL;
        }
        state->is_debugger = true;
        state->sides[side].count = count;
        link_break(pinfo, state, packet);
    }
    packet->count = state->sides[side].count;
    if (state->sides[side].index == packet->count)
        state->sides[side].name = NULL;
    return packet;
}

godot_debugger_packet *godot_debugger_follow(packet_info *pinfo, godot_debugger_state *state, uint8_t side,
                                             const uint8_t *bytes, uint32_t length, gw_godot_generation generation)
{
    if (generation == GW_GODOT_4)
        return follow_array(pinfo, state, bytes, length, generation);
    if (state->sides[side].name)
        return follow_member(pinfo, state, side, bytes, length);
    godot_debugger_packet *packet = follow_name(pinfo, state, side, bytes, length);
    return packet ? packet : follow_array(pinfo, state, bytes, length, generation);
}

/* ---- drawing -------------------------------------------------------------------------------------------- */

typedef struct shown_message {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *bytes;
    proto_tree *tree;
    godot_variants *variants;
    const godot_debugger_packet *packet;
    const gw_godot_debugger_layout *layout; /* NULL: not of the engine's */
    gw_godot_generation generation;
    wmem_strbuf_t *line;
    proto_tree *row_tree; /* of the entry that is being shown */
    int32_t row;
    proto_tree *nodes[64]; /* of the scene tree, by depth */
    int64_t children[64];
    unsigned depth;
} shown_message;

static const struct {
    const char *member;
    const int *hf;
    bool number;
} typed_members[] = {
    { "text", &godot_debugger_hf.text, false },
    { "error", &godot_debugger_hf.error, false },
    { "description", &godot_debugger_hf.description, false },
    { "file", &godot_debugger_hf.file, false },
    { "line", &godot_debugger_hf.line, true },
    { "function", &godot_debugger_hf.function, false },
    { "reason", &godot_debugger_hf.reason, false },
    { "class", &godot_debugger_hf.class_name, false },
    { "id", &godot_debugger_hf.node_id, true },
};

static bool is_text(const godot_variant_result *result)
{
    return result->has_root && (result->root.type == GW_GODOT_STRING || result->root.type == GW_GODOT_STRING_NAME);
}

static const char *root_text(const shown_message *shown, const godot_variant_result *result)
{
    return (const char *)tvb_get_string_enc(shown->pinfo->pool, shown->tvb, (int)result->root.text.offset,
                                            (int)result->root.text.length, ENC_UTF_8);
}

static void add_typed(const shown_message *shown, proto_tree *tree, const char *name, gw_span span,
                      const godot_variant_result *result)
{
    for (size_t i = 0; i < array_length(typed_members); i++) {
        if (strcmp(typed_members[i].member, name))
            continue;
        proto_item *item = NULL;
        if (!typed_members[i].number && is_text(result))
            item = proto_tree_add_string(tree, *typed_members[i].hf, shown->tvb, (int)span.offset, (int)span.length,
                                         root_text(shown, result));
        else if (typed_members[i].number && result->has_root && result->root.type == GW_GODOT_INT)
            item = proto_tree_add_int64(tree, *typed_members[i].hf, shown->tvb, (int)span.offset, (int)span.length,
                                        result->root.number.integer);
        proto_item_set_generated(item);
    }
}

/* A Variant under its name, with the typed field of that name. */
static godot_variant_result add_value(shown_message *shown, proto_tree *tree, const char *name, gw_span span)
{
    const godot_variant_request request = {
        .offset = span.offset,
        .generation = shown->generation,
        .in_line = true,
        .wants_text = true,
        .title = name,
        .path = name,
    };
    godot_variant_result result;
    godot_variants_add(shown->variants, tree, &request, &result);
    add_typed(shown, tree, name, span, &result);
    return result;
}

static void append(shown_message *shown, const char *separator, const godot_variant_result *result)
{
    if (result->text)
        wmem_strbuf_append_printf(shown->line, "%s%s", separator, result->text);
}

/* ---- what is an entry ----------------------------------------------------------------------------------- */

/* The scene tree comes depth first: each node has as many children after it as it says. */
static proto_tree *scene_parent(const shown_message *shown)
{
    return shown->depth ? shown->nodes[shown->depth - 1] : shown->tree;
}

static void open_node(shown_message *shown, int64_t children, proto_tree *tree)
{
    if (shown->depth == array_length(shown->nodes))
        return;
    shown->nodes[shown->depth] = tree;
    shown->children[shown->depth++] = children;
    while (shown->depth && !shown->children[shown->depth - 1])
        if (--shown->depth)
            shown->children[shown->depth - 1]--;
}

static bool is_scene_tree(const shown_message *shown)
{
    return shown->layout && shown->layout->row && !strcmp(shown->layout->row[0], "children");
}

static void begin_row(shown_message *shown, int32_t row, gw_span span)
{
    proto_item *item;
    proto_tree *parent = is_scene_tree(shown) ? scene_parent(shown) : shown->tree;
    shown->row = row;
    shown->row_tree = proto_tree_add_subtree_format(parent, shown->tvb, (int)span.offset, (int)span.length,
                                                    godot_debugger_ett_row, &item, "Entry %d", row);
}

/* The row's label grows with its members. */
static void name_row(shown_message *shown, const char *name, const godot_variant_result *result, gw_span span)
{
    proto_item *item = proto_tree_get_parent(shown->row_tree);
    proto_item_set_end(item, shown->tvb, (int)gw_span_end(span));
    if (is_scene_tree(shown) && !strcmp(name, "children") && result->has_root)
        open_node(shown, result->root.number.integer, shown->row_tree);
    else if (is_scene_tree(shown) && !strcmp(name, "name") && is_text(result)) {
        proto_item_set_text(item, "%s", root_text(shown, result));
        proto_item_set_generated(proto_tree_add_string(shown->row_tree, godot_debugger_hf.node, shown->tvb,
                                                       (int)span.offset, (int)span.length, root_text(shown, result)));
    } else if (is_scene_tree(shown) && !strcmp(name, "class") && is_text(result))
        proto_item_append_text(item, " (%s)", root_text(shown, result));
    else if (!is_scene_tree(shown) && result->text)
        proto_item_append_text(item, ", %s: %s", name, result->text);
}

/* ---- members -------------------------------------------------------------------------------------------- */

static void check_error(shown_message *shown, proto_tree *tree, const char *name, gw_span span,
                        const godot_variant_result *result)
{
    if (strcmp(shown->packet->name, "error") || strcmp(name, "warning") || !result->has_root)
        return;
    bool warning = result->root.number.integer != 0;
    proto_tree_add_expert(tree, shown->pinfo, warning ? &godot_stream_ei.game_warning : &godot_stream_ei.game_error,
                          shown->tvb, (int)span.offset, (int)span.length);
}

/* In Godot 3 a message may begin in an earlier frame: then its name comes again. */
static const char *separator_before(const shown_message *shown, uint32_t index)
{
    if (wmem_strbuf_get_len(shown->line))
        return index ? ", " : ": ";
    return wmem_strdup_printf(shown->pinfo->pool, "%s[%u]: ", shown->packet->name, index);
}

/* A member that is an Array whose elements have names. */
static void show_parts(shown_message *shown, uint32_t member, gw_span span)
{
    gw_godot_elements elements;
    gw_span part;
    const char *separator = separator_before(shown, member);
    if (!gw_godot_elements_init(&elements, shown->bytes, span, shown->generation))
        return;
    begin_row(shown, (int32_t)member, span);
    while (gw_godot_elements_next(&elements, &part)) {
        const char *name = gw_godot_debugger_part(shown->layout, member, elements.index - 1);
        godot_variant_result result = add_value(shown, shown->row_tree, name ? name : "value", part);
        check_error(shown, shown->row_tree, name ? name : "", part, &result);
        if (name)
            name_row(shown, name, &result, part);
        append(shown, separator, &result);
        separator = ", ";
    }
}

static void show_member(shown_message *shown, uint32_t index, gw_span span)
{
    int32_t row = -1;
    const char *name = shown->layout ? gw_godot_debugger_member(shown->layout, index, &row) : NULL;
    if (shown->layout && gw_godot_debugger_part(shown->layout, index, 0)) {
        show_parts(shown, index, span);
        return;
    }
    if (!name)
        name = wmem_strdup_printf(shown->pinfo->pool, "member %u", index);
    if (row >= 0 && row != shown->row)
        begin_row(shown, row, span);
    godot_variant_result result = add_value(shown, row >= 0 ? shown->row_tree : shown->tree, name, span);
    check_error(shown, shown->tree, name, span, &result);
    if (!strcmp(shown->packet->name, "stack_frame_var") && !strcmp(name, "name") && is_text(&result))
        proto_item_set_generated(proto_tree_add_string(shown->tree, godot_debugger_hf.variable, shown->tvb,
                                                       (int)span.offset, (int)span.length, root_text(shown, &result)));
    if (row >= 0)
        name_row(shown, name, &result, span);
    append(shown, separator_before(shown, index), &result);
}

/* ---- packets -------------------------------------------------------------------------------------------- */

static void show_array(shown_message *shown)
{
    gw_godot_debugger_message message;
    gw_span member;
    if (!gw_godot_debugger_read(shown->bytes, tvb_captured_length(shown->tvb), shown->generation, &message))
        return;
    if (message.thread.length)
        proto_tree_add_int64(shown->tree, godot_debugger_hf.thread, shown->tvb, (int)message.thread.offset,
                             (int)message.thread.length, message.thread_id);
    proto_item_set_generated(
        proto_tree_add_uint(shown->tree, godot_debugger_hf.count, shown->tvb, 0, 0, message.count));
    uint32_t first = message.elements.index;
    while (gw_godot_elements_next(&message.elements, &member))
        show_member(shown, message.elements.index - 1 - first, member);
}

static void show_break(const shown_message *shown)
{
    const godot_debugger_packet *packet = shown->packet;
    bool entered = !strcmp(packet->name, "debug_enter");
    if (entered && packet->index <= COUNT_INDEX)
        proto_tree_add_expert(shown->tree, shown->pinfo, &godot_stream_ei.game_break, shown->tvb, 0, 0);
    if (!packet->other)
        return;
    gw_add_frame_link(shown->tree, entered ? godot_debugger_hf.continue_in : godot_debugger_hf.break_in, shown->tvb,
                      packet->other);
    gw_add_time_between(shown->tree, godot_debugger_hf.break_time, shown->tvb,
                        entered ? &packet->other_time : &packet->time, entered ? &packet->time : &packet->other_time);
}

static void show_single(shown_message *shown)
{
    const godot_debugger_packet *packet = shown->packet;
    gw_span all = { 0, tvb_captured_length(shown->tvb) };
    if (packet->index == NAME_INDEX)
        return;
    if (packet->index == COUNT_INDEX) {
        proto_tree_add_uint(shown->tree, godot_debugger_hf.count, shown->tvb, 0, (int)all.length, packet->count);
        if (!wmem_strbuf_get_len(shown->line))
            wmem_strbuf_append_printf(shown->line, "%s: %u members", packet->name, packet->count);
        return;
    }
    show_member(shown, (uint32_t)packet->index, all);
}

/* The name, on the packet that has it; on others where the message begins. */
static void show_name(const shown_message *shown)
{
    const godot_debugger_packet *packet = shown->packet;
    bool here = packet->array || packet->index == NAME_INDEX;
    proto_item *item = proto_tree_add_string(shown->tree, godot_debugger_hf.message, shown->tvb, 0, 0, packet->name);
    proto_item_set_generated(item);
    if (!shown->layout && here)
        expert_add_info(shown->pinfo, item, &godot_stream_ei.message_unknown);
    if (!here && packet->begins != shown->pinfo->num)
        gw_add_frame_link(shown->tree, godot_debugger_hf.message_in, shown->tvb, packet->begins);
}

void godot_debugger_show(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const godot_debugger_packet *packet,
                         gw_godot_generation generation, wmem_strbuf_t *line)
{
    unsigned length = tvb_captured_length(tvb);
    shown_message shown = { .pinfo = pinfo, .tvb = tvb, .packet = packet, .generation = generation, .line = line };
    proto_item *item = proto_tree_add_item(tree, proto_debugger, tvb, 0, (int)length, ENC_NA);
    bool begins = packet->array || packet->index == NAME_INDEX;
    shown.bytes = tvb_get_ptr(tvb, 0, (int)length);
    shown.tree = proto_item_add_subtree(item, godot_debugger_ett);
    shown.row = -1;
    shown.variants = godot_variants_new(pinfo, tvb);
    shown.layout = gw_godot_debugger_layout_of(generation, (const uint8_t *)packet->name, strlen(packet->name));
    if (begins)
        wmem_strbuf_append_printf(line, "%s%s", wmem_strbuf_get_len(line) ? "; " : "", packet->name);
    size_t before = wmem_strbuf_get_len(line);
    show_name(&shown);
    show_break(&shown);
    if (packet->array)
        show_array(&shown);
    else
        show_single(&shown);
    proto_item_append_text(item, ", %s%s", packet->name, wmem_strbuf_get_str(line) + before);
}
