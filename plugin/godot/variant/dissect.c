/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads Variants for any dissector: chooses the generation, calls the codec's reader, and collects the results. tree.c
 * adds the items.
 */

#include "common/experts.h"
#include "common/spans.h"
#include "generation.h"
#include "internal.h"

struct godot_variants {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *bytes;
    uint32_t length;
    godot_walk *walk;
};

godot_variants *godot_variants_new(packet_info *pinfo, tvbuff_t *tvb)
{
    godot_variants *variants = wmem_new(pinfo->pool, godot_variants);
    variants->pinfo = pinfo;
    variants->tvb = tvb;
    variants->length = tvb_captured_length(tvb);
    variants->bytes = gw_bytes_of(tvb);
    variants->walk = godot_walk_new(pinfo, tvb);
    return variants;
}

/* ---- texts --------------------------------------------------------------------------------------------- */

void godot_variant_print(gw_text *text, const uint8_t *bytes, size_t length, gw_godot_generation generation)
{
    const gw_godot_options options = { .generation = generation };
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_init(&reader, bytes, length, &options);
    if (gw_godot_next(&reader, &event) == GW_NEXT_EVENT && godot_needs_type_name(&event)) {
        gw_text_string(text, gw_godot_type_name(generation, (gw_godot_type)event.type));
        gw_text_char(text, ' ');
    }
    godot_print(text, bytes, length, &options);
}

static const char *text_of(const godot_variants *variants, const gw_godot_options *options)
{
    char *buffer = (char *)wmem_alloc(variants->pinfo->pool, GODOT_VARIANT_TEXT + 1);
    gw_text text;
    gw_text_init(&text, buffer, GODOT_VARIANT_TEXT + 1);
    godot_print(&text, variants->bytes, variants->length, options);
    return buffer;
}

const char *godot_quoted(packet_info *pinfo, const char *name)
{
    char *buffer = (char *)wmem_alloc(pinfo->pool, GODOT_VARIANT_TEXT + 1);
    gw_text text;
    gw_text_init(&text, buffer, GODOT_VARIANT_TEXT + 1);
    gw_godot_print_quoted(&text, (const uint8_t *)name, (uint32_t)strlen(name));
    return buffer;
}

/* The codec of multiplayer messages prints names in the same way. */
const char *godot_printable(packet_info *pinfo, const char *name)
{
    bool is_plain = !name || gw_text_is_plain((const uint8_t *)name, (uint32_t)strlen(name));
    return is_plain ? name : godot_quoted(pinfo, name);
}

/* ---- the read loop ------------------------------------------------------------------------------------- */

static void read_events(godot_variants *variants, gw_godot_reader *reader, godot_variant_result *result)
{
    gw_godot_event event;
    gw_next next;
    while ((next = gw_godot_next(reader, &event)) == GW_NEXT_EVENT && godot_walk_add(variants->walk, &event)) {
        if (result->has_root)
            continue;
        result->root = event;
        result->has_root = true;
    }
    result->length = variants->length;
    if (next == GW_NEXT_END)
        result->length = reader->offset;
    else
        godot_walk_end(variants->walk, reader, next == GW_NEXT_FAULT ? NULL : &event);
}

/* Duplicate keys were searched for when the generation was determined, up to the first fault. */
static bool may_have_duplicates(const gw_godot_summary *summary)
{
    return summary->odd & GW_GODOT_ODD_DUPLICATE_KEY || summary->fault.fault_class;
}

static void draw(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                 const godot_findings *findings, godot_variant_result *result)
{
    gw_godot_options options = { .generation = findings->generation,
                                 .offset = request->offset,
                                 .bare_objects = request->bare_objects };
    gw_godot_reader reader;
    godot_generation_set_levels(&options);
    options.find_duplicates = may_have_duplicates(&findings->summary);
    *result = (godot_variant_result){ .generation = findings->generation };
    godot_walk_start(variants->walk, tree, &options, request->title, request->path);
    gw_godot_init(&reader, variants->bytes, variants->length, &options);
    read_events(variants, &reader, result);
    result->fault = reader.fault;
    result->length -= request->offset;
    result->item = godot_walk_root(variants->walk);
    if (request->wants_text)
        result->text = text_of(variants, &options);
}

/* ---- generation ---------------------------------------------------------------------------------------- */

static void analyze(const godot_variants *variants, const godot_variant_request *request, godot_findings *findings)
{
    const gw_godot_question question = { .reading = { .generation = request->generation,
                                                      .offset = request->offset,
                                                      .bare_objects = request->bare_objects },
                                         .values = request->count,
                                         .prefix = !request->exact };
    godot_generation_analyze(variants->pinfo, variants->tvb, &question, findings);
}

/* ---- items of the generation --------------------------------------------------------------------------- */

static const char *name_alternatives(packet_info *pinfo, unsigned alternatives)
{
    wmem_strbuf_t *names = wmem_strbuf_new(pinfo->pool, "");
    for (unsigned generation = GW_GODOT_2; generation <= GW_GODOT_4; generation++)
        if (alternatives & 1U << generation)
            wmem_strbuf_append_printf(names, "%s%u", wmem_strbuf_get_len(names) ? " and " : "", generation);
    return wmem_strbuf_get_str(names);
}

static void append_reasons(wmem_strbuf_t *text, uint32_t reasons)
{
    const char *separator = "";
    for (unsigned bit = 0; reasons >> bit; bit++) {
        if (!(reasons >> bit & 1U))
            continue;
        wmem_strbuf_append_printf(text, "%s%s", separator, gw_godot_reason_text((gw_godot_reason)(1U << bit)));
        separator = "; ";
    }
}

static const char *explain(packet_info *pinfo, const godot_findings *findings)
{
    static const char *const certainties[] = { [GW_GODOT_UNREADABLE] = "not valid in any generation: ",
                                               [GW_GODOT_AMBIGUOUS] = "ambiguous: ",
                                               [GW_GODOT_LIKELY] = "likely: ",
                                               [GW_GODOT_CERTAIN] = "certain: " };
    wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, "");
    if (findings->by_length) {
        wmem_strbuf_append(text, "cut short by the capture: no other generation fits the length of the packet");
    } else if (findings->guessed) {
        wmem_strbuf_append(text, certainties[findings->guess.certainty]);
        append_reasons(text, findings->guess.reasons);
    } else if (findings->given) {
        wmem_strbuf_append(text, "chosen by the calling dissector");
    } else if (findings->proven) {
        wmem_strbuf_append(text, "already known for this conversation");
    } else {
        wmem_strbuf_append(text, "chosen in the preferences");
    }
    return wmem_strbuf_get_str(text);
}

static void add_reason(packet_info *pinfo, proto_tree *tree, const godot_findings *findings)
{
    proto_item_set_generated(
        proto_tree_add_string(tree, godot_hf.generation_reason, NULL, 0, 0, explain(pinfo, findings)));
    if (findings->decided_in)
        proto_item_set_generated(
            proto_tree_add_uint(tree, godot_hf.generation_decided_in, NULL, 0, 0, findings->decided_in));
}

static void add_generation(packet_info *pinfo, proto_tree *tree, const godot_findings *findings)
{
    proto_item *item = proto_tree_add_uint(tree, godot_hf.generation, NULL, 0, 0, (uint32_t)findings->generation);
    proto_item_set_generated(item);
    if (proto_field_is_referenced(tree, godot_hf.generation_reason) ||
        proto_field_is_referenced(tree, godot_hf.generation_decided_in))
        add_reason(pinfo, proto_item_add_subtree(item, godot_ett_value), findings);
    if (godot_is_in_doubt(findings))
        expert_add_info_format(pinfo, item, &godot_ei.ambiguous, "Godot %s would read this differently",
                               name_alternatives(pinfo, findings->guess.alternatives));
    if (findings->mixed)
        expert_add_info(pinfo, item, &godot_ei.mixed);
}

/* ---- Variants with a protocol layer -------------------------------------------------------------------- */

/* Bytes after a Variant that should end with the data. */
static void add_trailing(const godot_variants *variants, proto_tree *tree, uint32_t from)
{
    uint32_t rest = variants->length - from;
    if (!rest)
        return;
    proto_item *item = proto_tree_add_item(tree, godot_hf.trailing, variants->tvb, (int)from, (int)rest, ENC_NA);
    expert_add_info_format(variants->pinfo, item, &godot_ei.trailing,
                           "%u %s after the value at offset %u, which the engine ignores", rest,
                           rest == 1 ? "byte" : "bytes", from);
}

static proto_tree *draw_layer(godot_variants *variants, proto_tree *parent, const godot_variant_request *request,
                              const godot_findings *findings, godot_variant_result *result)
{
    proto_item *item = gw_add_protocol(parent, variants->pinfo, proto_godot, variants->tvb, request->offset,
                                       (int)(variants->length - request->offset));
    proto_tree *tree = proto_item_add_subtree(item, godot_ett_protocol);
    add_generation(variants->pinfo, tree, findings);
    draw(variants, tree, request, findings, result);
    if (godot_walk_demand(variants->walk)->label)
        proto_item_append_text(item, " (Godot %u)", (unsigned)findings->generation);
    if (!request->exact)
        proto_item_set_len(item, (int)result->length);
    return tree;
}

void godot_variants_add_as(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                           const godot_findings *findings, godot_variant_result *result)
{
    if (request->in_line)
        draw(variants, tree, request, findings, result);
    else
        tree = draw_layer(variants, tree, request, findings, result);
    if (request->exact)
        add_trailing(variants, tree, request->offset + result->length);
}

void godot_variants_add(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                        godot_variant_result *result)
{
    godot_variant_request inside = *request;
    godot_findings findings;
    inside.offset = MIN(request->offset, variants->length);
    analyze(variants, &inside, &findings);
    godot_variants_add_as(variants, tree, &inside, &findings, result);
}

uint32_t godot_variant_add(packet_info *pinfo, tvbuff_t *tvb, proto_tree *tree, const godot_variant_request *request,
                           godot_variant_result *result)
{
    godot_variants_add(godot_variants_new(pinfo, tvb), tree, request, result);
    return result->length;
}

proto_item *godot_variant_add_number(packet_info *pinfo, tvbuff_t *tvb, proto_tree *tree,
                                     const godot_variant_number *number)
{
    int start = (int)number->span.offset, length = (int)number->span.length;
    const char *text = number->number ? "true" : "false";
    proto_item *item;
    if (number->type == GW_GODOT_BOOL) {
        item = proto_tree_add_boolean(tree, godot_hf.typed[GW_GODOT_BOOL], tvb, start, length, number->number != 0);
    } else {
        item = proto_tree_add_int64(tree, godot_hf.typed[GW_GODOT_INT], tvb, start, length, number->number);
        text = wmem_strdup_printf(pinfo->pool, "%" PRId64, number->number);
    }
    if (gw_is_visible(tree))
        proto_item_set_text(item, "%s: %s", number->title, text);
    proto_tree *below = proto_item_add_subtree(item, godot_ett_value);
    if (proto_field_is_referenced(below, godot_hf.path))
        proto_item_set_generated(proto_tree_add_string(below, godot_hf.path, tvb, start, 0, number->path));
    if (godot_custom_is_wanted(below)) {
        const godot_custom_value value = { tvb, number->span,         number->path,
                                           "",  .type = number->type, .integer = number->number };
        godot_custom_add(below, pinfo, &value);
    }
    return item;
}

bool godot_variants_are_wanted(proto_tree *tree)
{
    return proto_field_is_referenced(tree, proto_godot);
}

bool godot_variants_are_needed(packet_info *pinfo, proto_tree *tree, const gw_godot_summary *all)
{
    if (godot_variants_are_wanted(tree) || all->odd)
        return true;
    uint32_t items = GODOT_ITEMS_OF_VALUE * all->values;
    uint32_t *left = items ? godot_items_left(pinfo) : NULL;
    if (left && *left < items)
        return true;
    if (left)
        *left -= items;
    return false;
}
