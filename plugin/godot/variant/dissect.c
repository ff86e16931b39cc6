/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Variants for any dissector, with their generation and their layer. tree.c reads each into its items.
 */
#include "common/display/experts.h"
#include "common/findings.h"
#include "common/items.h"
#include "generation.h"
#include "internal.h"

/* ---- texts --------------------------------------------------------------------------------------------- */

/* The name as a Godot literal: in quotes, with escapes, and cut to GODOT_VARIANT_TEXT bytes. */
const char *godot_quoted(packet_info *pinfo, const char *name)
{
    char *buffer = (char *)wmem_alloc(pinfo->pool, GODOT_VARIANT_TEXT + 1);
    gw_text text;
    gw_text_init(&text, buffer, GODOT_VARIANT_TEXT + 1);
    gw_godot_print_quoted(&text, (const uint8_t *)name, (uint32_t)strlen(name));
    return buffer;
}

/* The name itself if all of it is printable, or NULL; else as godot_quoted(). The codec of multiplayer messages
 * prints names in the same way. */
const char *godot_printable(packet_info *pinfo, const char *name)
{
    bool is_plain = !name || gw_text_is_plain((const uint8_t *)name, (uint32_t)strlen(name));
    return is_plain ? name : godot_quoted(pinfo, name);
}

/* The Variant as one line of fewer than `size` bytes: its literal, after the name of its type if the literal does
 * not begin with it. */
const char *godot_variant_line(packet_info *pinfo, tvbuff_t *tvb, gw_godot_generation generation, size_t size)
{
    const gw_godot_options options = { .generation = generation };
    const uint8_t *bytes = gw_bytes_of(tvb);
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_reader reader;
    gw_godot_event root;
    gw_text line;
    gw_text_init(&line, (char *)wmem_alloc(pinfo->pool, size), size);
    gw_godot_init(&reader, bytes, length, &options);
    if (gw_godot_next(&reader, &root) == GW_NEXT_EVENT && godot_needs_type_name(&root)) {
        gw_text_string(&line, gw_godot_type_name(generation, (gw_godot_type)root.type));
        gw_text_char(&line, ' ');
    }
    godot_print_literal(&line, bytes, length, &options);
    return line.buffer;
}

/* ---- items of the generation --------------------------------------------------------------------------- */

/* The reason for which the generation of the findings was chosen, as the value of godot.generation.reason. */
static const char *reason_of(packet_info *pinfo, const godot_findings *findings)
{
    static const char *const certainties[] = { [GW_GODOT_UNREADABLE] = "not valid in any generation: ",
                                               [GW_GODOT_AMBIGUOUS] = "ambiguous: ",
                                               [GW_GODOT_LIKELY] = "likely: ",
                                               [GW_GODOT_CERTAIN] = "certain: " };
    if (findings->by_length)
        return "cut short by the capture: no other generation fits the length of the packet";
    if (!findings->guessed)
        return findings->given    ? "chosen by the calling dissector"
               : findings->proven ? "already known for this conversation"
                                  : "chosen in the preferences";
    wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, certainties[findings->guess.certainty]);
    const char *separator = "";
    for (unsigned bit = 0; findings->guess.reasons >> bit; bit++) {
        if (!(findings->guess.reasons >> bit & 1U))
            continue;
        wmem_strbuf_append_printf(text, "%s%s", separator, gw_godot_reason_text((gw_godot_reason)(1U << bit)));
        separator = "; ";
    }
    return wmem_strbuf_get_str(text);
}

/* Adds the generation, with its reason below, and expert infos if it is in doubt or not that of the conversation. */
static void add_generation(packet_info *pinfo, proto_tree *tree, const godot_findings *findings)
{
    proto_item *item = proto_tree_add_uint(tree, godot_hf.generation, NULL, 0, 0, (uint32_t)findings->generation);
    proto_item_set_generated(item);
    if (proto_field_is_referenced(tree, godot_hf.generation_reason) ||
        proto_field_is_referenced(tree, godot_hf.generation_decided_in)) {
        proto_tree *subtree = proto_item_add_subtree(item, godot_ett_value);
        proto_item_set_generated(
            proto_tree_add_string(subtree, godot_hf.generation_reason, NULL, 0, 0, reason_of(pinfo, findings)));
        if (findings->decided_in)
            proto_item_set_generated(
                proto_tree_add_uint(subtree, godot_hf.generation_decided_in, NULL, 0, 0, findings->decided_in));
    }
    if (godot_is_in_doubt(findings)) {
        wmem_strbuf_t *others = wmem_strbuf_new(pinfo->pool, "");
        for (unsigned generation = GW_GODOT_2; generation <= GW_GODOT_4; generation++)
            if (findings->guess.alternatives & 1U << generation)
                wmem_strbuf_append_printf(others, "%s%u", wmem_strbuf_get_len(others) ? " and " : "", generation);
        gw_add_finding_format(pinfo, item, &godot_ei.ambiguous, "Godot %s would read this differently",
                              wmem_strbuf_get_str(others));
    }
    if (findings->mixed)
        gw_add_finding(pinfo, item, &godot_ei.mixed);
}

/* ---- Variants ------------------------------------------------------------------------------------------ */

/* Adds the Variant of a request, read as the generation of the findings: in a layer of its own or, in line, directly to
 * `tree`. If the Variant must end with the tvbuff (`exact`), the layer extends to its end, and bytes after the Variant
 * are reported; else the layer is as long as the Variant. */
void godot_variants_add_as(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                           const godot_findings *findings, godot_variant_result *result)
{
    gw_godot_options options = { .generation = findings->generation,
                                 .offset = request->offset,
                                 .bare_objects = request->bare_objects };
    godot_generation_set_levels(&options);
    /* Duplicate keys were searched for when the generation was determined, up to the first fault: the search is
     * repeated only if it found one, or if there is a fault. */
    options.find_duplicates = findings->summary.odd & GW_GODOT_ODD_DUPLICATE_KEY || findings->summary.fault.fault_class;
    if (request->in_line) {
        godot_walk_read(variants, tree, request, &options, result);
    } else {
        proto_item *item = gw_add_protocol(tree, variants->pinfo, proto_godot, variants->tvb, request->offset,
                                           (int)(variants->length - request->offset));
        tree = proto_item_add_subtree(item, godot_ett_protocol);
        add_generation(variants->pinfo, tree, findings);
        godot_walk_read(variants, tree, request, &options, result);
        result->layer = tree;
        if (variants->demands.common.label)
            proto_item_append_text(item, " (Godot %u)", (unsigned)findings->generation);
        if (!request->exact)
            proto_item_set_len(item, (int)result->length);
    }

    /* Bytes after a Variant that should end with the tvbuff. */
    uint32_t end = request->offset + result->length, rest = variants->length - end;
    if (request->exact && rest) {
        proto_item *item = proto_tree_add_item(tree, godot_hf.trailing, variants->tvb, (int)end, (int)rest, ENC_NA);
        gw_add_finding_format(variants->pinfo, item, &godot_ei.trailing,
                              "%u %s after the value at offset %u, which the engine ignores", rest,
                              rest == 1 ? "byte" : "bytes", end);
    }
}

/* Determines the generation of the Variant of a request, and adds the Variant to `tree`. */
void godot_variants_add(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                        godot_variant_result *result)
{
    godot_variant_request bounded = *request;
    bounded.offset = MIN(request->offset, variants->length); /* dissectors of other plugins may set any offset */
    const gw_godot_question question = { .reading = { .generation = request->generation,
                                                      .offset = bounded.offset,
                                                      .bare_objects = request->bare_objects },
                                         .values = request->count,
                                         .prefix = !request->exact };
    godot_findings findings;
    godot_generation_analyze(variants->pinfo, variants->tvb, &question, &findings);
    godot_variants_add_as(variants, tree, &bounded, &findings, result);
}

/* Adds a bool or an int that multiplayer sends compressed, without a header, as a Variant of this type would be: its
 * item, its path, and the fields that a user configured for it. */
proto_item *godot_variant_add_number(packet_info *pinfo, tvbuff_t *tvb, proto_tree *tree,
                                     const godot_variant_number *number)
{
    int start = (int)number->span.offset, length = (int)number->span.length;
    const char *text = number->number ? "true" : "false"; /* of a bool */
    proto_item *item;
    if (number->type == GW_GODOT_BOOL) {
        item = proto_tree_add_boolean(tree, godot_hf.typed[GW_GODOT_BOOL], tvb, start, length, number->number != 0);
    } else {
        item = proto_tree_add_int64(tree, godot_hf.typed[GW_GODOT_INT], tvb, start, length, number->number);
        text = wmem_strdup_printf(pinfo->pool, "%" PRId64, number->number);
    }
    if (gw_is_visible(tree))
        proto_item_set_text(item, "%s: %s", number->title, text);
    proto_tree *subtree = proto_item_add_subtree(item, godot_ett_value);
    if (proto_field_is_referenced(subtree, godot_hf.path))
        proto_item_set_generated(proto_tree_add_string(subtree, godot_hf.path, tvb, start, 0, number->path));
    if (godot_custom_is_needed(subtree)) {
        const godot_custom_value value = { tvb, number->span,         number->path,
                                           "",  .type = number->type, .integer = number->number };
        godot_custom_add(subtree, pinfo, &value);
    }
    return item;
}

/* True if the validated Variants must be added to `tree`: for an item that is used, or something to report.
 * Otherwise counts their items only. */
bool godot_variants_are_needed(packet_info *pinfo, proto_tree *tree, const gw_godot_summary *all)
{
    if (godot_variants_are_wanted(tree) || all->odd)
        return true;

    /* Nothing needs the items, but they count toward the packet's limit: so the limit is reached at the same value with
     * and without a tree. If they do not fit, they are added in any case, for the expert info of the limit. */
    uint32_t items = GODOT_ITEMS_OF_VALUE * all->values;
    uint32_t *left = items ? godot_items_left(pinfo) : NULL;
    if (left && *left < items)
        return true;
    if (left)
        *left -= items;
    return false;
}
