/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Gives arguments of calls and raw bytes to the dissectors of the game's own format.
 */
#include "internal.h"

#include "common/exceptions.h"
#include "common/item_budget.h"
#include "common/spans.h"
#include "godot/variant/generation.h"

/* A PackedByteArray is u32 type and flags, u32 count, bytes, padding. */
#define ARRAY_COUNT  4
#define ARRAY_HEADER 8

static dissector_table_t methods;
static dissector_table_t first_bytes;
static heur_dissector_list_t heuristics;

/* ---- bytes --------------------------------------------------------------------------------------------- */

/* False for an empty one. Bytes without a header are of `bytes_only` calls. */
static bool is_byte_array(const gw_godot_mp_event *event)
{
    if (event->role == GW_GODOT_MP_ROLE_BYTES)
        return event->payload.length > 0;
    return event->role == GW_GODOT_MP_ROLE_ARGUMENT && event->type == GW_GODOT_BYTE_ARRAY &&
           event->encoding == GW_GODOT_MP_PLAIN && event->payload.length > ARRAY_HEADER;
}

static tvbuff_t *bytes_of_array(const godot_mp_tree *tree, const gw_godot_mp_event *event)
{
    gw_span span = event->payload;
    if (event->role == GW_GODOT_MP_ROLE_ARGUMENT) {
        span.length = tvb_get_letohl(tree->tvb, (int)span.offset + ARRAY_COUNT);
        span.offset += ARRAY_HEADER;
    }
    return gw_subset_of(tree->tvb, span);
}

static bool is_raw(const godot_mp_tree *tree)
{
    return tree->message->facts.command == GW_GODOT_MP_RAW;
}

/* ---- dissectors ---------------------------------------------------------------------------------------- */

typedef struct game_bytes {
    tvbuff_t *tvb;
    const char *method; /* NULL: not an argument */
    bool is_raw;
} game_bytes;

static bool try_dissectors(packet_info *pinfo, proto_tree *tree, void *closure)
{
    const game_bytes *bytes = closure;
    heur_dtbl_entry_t *entry;
    if (bytes->method)
        return dissector_try_string_with_data(methods, bytes->method, bytes->tvb, pinfo, tree, true, NULL) > 0;
    if (bytes->is_raw &&
        dissector_try_uint_with_data(first_bytes, tvb_get_uint8(bytes->tvb, 0), bytes->tvb, pinfo, tree, true, NULL))
        return true;
    return dissector_try_heuristic(heuristics, bytes->tvb, pinfo, tree, &entry, NULL);
}

/* The text after the fence of the Info column. It is UTF-8 unless a dissector wrote anything else. */
static const char *info_after(packet_info *pinfo, size_t fence)
{
    const char *info = col_get_text(pinfo->cinfo, COL_INFO);
    size_t length = info ? strlen(info) : 0;
    if (length <= fence)
        return NULL;
    length = gw_utf8_prefix((const uint8_t *)info + fence, (uint32_t)(length - fence));
    return wmem_strndup(pinfo->pool, info + fence, length);
}

/* Calls the dissectors with an empty Info column, into which the line of the message goes later. True when one accepted
 * the bytes. */
static bool call_dissectors(const godot_mp_tree *tree, proto_tree *parent, game_bytes *bytes, godot_mp_handed *handed)
{
    packet_info *pinfo = tree->pinfo;
    col_clear(pinfo->cinfo, COL_INFO);
    const char *before = col_get_writable(pinfo->cinfo, COL_INFO) ? col_get_text(pinfo->cinfo, COL_INFO) : NULL;
    size_t fence = before ? strlen(before) : 0;
    bool accepted = gw_has_layers(pinfo, 1) && gw_call_guarded(bytes->tvb, pinfo, parent, try_dissectors, bytes);
    handed->info = before ? info_after(pinfo, fence) : NULL;
    return accepted;
}

/* ---- Variants ------------------------------------------------------------------------------------------ */

/* One complete Variant that an engine may have written: put_var over a multiplayer peer. */
static bool is_variant(tvbuff_t *tvb, gw_godot_generation generation, gw_godot_summary *summary)
{
    unsigned length = tvb_captured_length(tvb);
    const gw_godot_options options = { .generation = generation, .find_duplicates = true };
    return length >= 8 && length % 4 == 0 && gw_godot_validate(gw_bytes_of(tvb), length, &options, summary) &&
           summary->length == length &&
           !(summary->odd &
             ~(uint32_t)(GW_GODOT_ODD_STALE_PADDING | GW_GODOT_ODD_FULL_OBJECT | GW_GODOT_ODD_DUPLICATE_KEY));
}

static const char *add_variant(const godot_mp_tree *tree, proto_tree *parent, tvbuff_t *tvb, bool wants_text)
{
    const godot_variant_request request = { .in_line = true, .wants_text = wants_text };
    godot_findings findings = { .generation = (gw_godot_generation)tree->message->reader.generation, .given = true };
    godot_variant_result result;
    if (!is_variant(tvb, findings.generation, &findings.summary))
        return NULL;
    godot_variants_add_as(godot_variants_new(tree->pinfo, tvb), parent, &request, &findings, &result);
    return result.text;
}

/* ---- one event ----------------------------------------------------------------------------------------- */

static godot_mp_handed hand_over_data(const godot_mp_tree *tree, const gw_godot_mp_event *event, bool wants_text)
{
    game_bytes bytes = { .tvb = gw_subset_of(tree->tvb, event->payload), .is_raw = is_raw(tree) };
    proto_tree *parent = tree->trees[event->depth];
    godot_mp_handed handed = { .info = NULL };
    if (!call_dissectors(tree, parent, &bytes, &handed))
        handed.variant = add_variant(tree, parent, bytes.tvb, wants_text);
    return handed;
}

godot_mp_handed godot_mp_hand_over(const godot_mp_tree *tree, const gw_godot_mp_event *event, bool wants_text)
{
    godot_mp_handed handed = { .info = NULL };
    if (event->role == GW_GODOT_MP_ROLE_DATA)
        return hand_over_data(tree, event, wants_text);
    if (!tree->method || !is_byte_array(event) || !dissector_get_string_handle(methods, tree->method))
        return handed;
    game_bytes bytes = { .tvb = bytes_of_array(tree, event), .method = tree->method };
    call_dissectors(tree, tree->trees[event->depth], &bytes, &handed);
    return handed;
}

void godot_mp_register_handover(int protocol)
{
    methods =
        register_dissector_table(GODOT_MP_METHOD_TABLE, "Godot RPC method", protocol, FT_STRING, STRING_CASE_SENSITIVE);
    first_bytes = register_dissector_table(GODOT_MP_FIRST_BYTE_TABLE, "First byte of a raw Godot message", protocol,
                                           FT_UINT8, BASE_HEX);
    heuristics = register_heur_dissector_list(GODOT_MP_RAW_HEURISTICS, protocol);
}
