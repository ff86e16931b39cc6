/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interface of Variants for the other protocols of this plugin. For any number of Variants of one packet:
 *
 *   godot_variants *variants = godot_variants_new(pinfo, tvb);
 *   godot_variant_request request = { .offset = offset, .count = argc, .generation = GW_GODOT_3 };
 *   for (; request.count; request.count--) {
 *       godot_variant_result result;
 *       request.title = wmem_strdup_printf(pinfo->pool, "Argument %u", argc - request.count);
 *       godot_variants_add(variants, tree, &request, &result);
 *       if (result.fault.fault_class)
 *           break;
 *       request.offset += result.length;
 *   }
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_VARIANTS_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_VARIANTS_H

#include "common/compat.h"

#include <epan/stats_tree.h>

#include "common/display/json.h"
#include "variant.h"

extern int proto_godot;

/* The Variants of one tvbuff; in packet scope. */
typedef struct godot_walk godot_variants;

godot_variants *godot_variants_new(packet_info *pinfo, tvbuff_t *tvb);

/* Dissects one Variant into `tree`, which may be NULL. */
void godot_variants_add(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                        godot_variant_result *result);

/* The same for a packet whose generation was already determined. */
struct godot_findings;
void godot_variants_add_as(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                           const struct godot_findings *findings, godot_variant_result *result);

/* Weighs a payload as one Variant: gw_godot_recognize(). False if it cannot be one. */
bool godot_variant_recognize(tvbuff_t *tvb, gw_recognition *recognition);

/* The bits of evidence of such a payload; 0 if it is unlikely to be a Variant. */
uint32_t godot_variant_weigh(tvbuff_t *tvb, const void *data);

/* A bool or an int without a header: its type and range are defined by the caller. */
typedef struct godot_variant_number {
    gw_godot_type type; /* GW_GODOT_BOOL or GW_GODOT_INT */
    int64_t number;
    gw_span span;
    const char *title; /* as in a request */
    const char *path;
} godot_variant_number;

/* Adds it to `tree`, which may be NULL, in the field of its type. Returns its item. */
proto_item *godot_variant_add_number(packet_info *pinfo, tvbuff_t *tvb, proto_tree *tree,
                                     const godot_variant_number *number);

/* True when an item of Variants is referenced or visible. */
static inline bool godot_variants_are_wanted(proto_tree *tree)
{
    return proto_field_is_referenced(tree, proto_godot);
}

/* True if Variants that the codec has validated must be added to `tree`, which may be NULL: an item is referenced or
 * visible, or there is something to report. `all`: their values and oddities together. If false, the Variants are
 * counted toward the limit as if they had been added. */
bool godot_variants_are_needed(packet_info *pinfo, proto_tree *tree, const gw_godot_summary *all);

/* A payload that is one Variant, as one line in packet scope of fewer than `size` bytes, its type named once:
 * "Dictionary {"a": 1}", "Vector2(1, 2)". */
const char *godot_variant_line(packet_info *pinfo, tvbuff_t *tvb, gw_godot_generation generation, size_t size);

/* The size of a line for Follow Stream. */
#define GODOT_FOLLOW_SIZE ((size_t)1 << 16)

/* What godot_json_add() has written. */
typedef struct godot_json {
    bool is_added;   /* false: nothing, not even the Variant's header could be read */
    uint32_t unread; /* offset after what could be read */
} godot_json;

/* Writes the Variant at options->offset as a value of JSON, after its `name` unless that is NULL; one that is
 * damaged, cut or nested too deep as {"$text": ...}. */
godot_json godot_json_add(gw_json *json, const char *name, packet_info *pinfo, const uint8_t *bytes, uint32_t length,
                          const gw_godot_options *options);

/* A name of the packet's for labels and lines, in packet scope: unchanged if it is printable or NULL, else quoted. */
const char *godot_printable(packet_info *pinfo, const char *name);
/* The same, always in quotes, with escapes as in Variants. */
const char *godot_quoted(packet_info *pinfo, const char *name);

/* Counts a document, the whole tvbuff, in the statistics of bytes (-z godot,tree). */
void godot_count(packet_info *pinfo, tvbuff_t *tvb, gw_godot_generation generation);
/* Counts the documents of a frame. Returns their bytes, 0 when it has none. */
uint32_t godot_count_frame(stats_tree *tree, packet_info *pinfo);

/* The number of further items of values that this packet may have; decrement it when adding a value
 * (common/items.h). */
uint32_t *godot_items_left(packet_info *pinfo);

#endif
