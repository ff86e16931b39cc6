/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interface for other dissectors with Variants in their payloads: dissects a Variant at an offset, adds it to the
 * caller's tree, and returns its length, value and text.
 *
 * Inside this plugin, for any number of Variants of one packet:
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
 *
 * From another plugin, by the dissector's name; only this header and those of the codec are needed:
 *
 *   godot_variant_call call = { .request = { .offset = offset } };
 *   int length = godot_variant_dissect(find_dissector("godot.variant"), tvb, pinfo, tree, &call);
 *
 * Without data, as from Lua, the request is all zero: the Variant begins at the start of the tvbuff.
 *
 *   local length = Dissector.get("godot.variant"):call(buffer(offset):tvb(), pinfo, tree)
 *
 * The columns are not changed. The bytes after the Variant are not read.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_VARIANT_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_VARIANT_H

#include <wireshark.h>

#include <epan/packet.h>
#include <epan/proto_data.h>
#include <epan/stats_tree.h>

#include <gamewire/godot.h>

/* The default is all zero: one Variant at the start of the tvbuff, of the conversation's generation. */
typedef struct godot_variant_request {
    uint32_t offset; /* in the tvbuff, of the first byte */
    uint32_t count;  /* of consecutive Variants from there on, including this one; 0 means 1. If the generation is not
                        known, it is detected from all of them; only this one is read */
    gw_godot_generation generation; /* GW_GODOT_ANY: that of the conversation or, if it is not known, detected from the
                                       bytes of this packet */
    bool bare_objects;              /* an Object's header without an object after it is null (Godot 4 calls) */
    bool exact;                     /* further bytes are errors: they are shown as trailing bytes, with a warning */
    bool in_line; /* the value's item is added directly to the caller's tree, without a protocol item */
    bool wants_text;
    const char *title; /* before the value's label, such as "Argument 0"; may be NULL */
    const char *path;  /* of the Variant, such as "args[0]": godot.path of its members begins with it; NULL if the
                          Variant is the whole document */
} godot_variant_request;

typedef struct godot_variant_result {
    uint32_t length;     /* bytes from the offset on; after a fault all bytes, without trailing ones */
    gw_fault fault;      /* fault_class GW_FAULT_NONE if the Variant was read completely */
    bool has_root;       /* the Variant's header was read: `root` is valid */
    gw_godot_event root; /* the Variant itself: type, number, text, ranges (in the tvbuff) */
    gw_godot_generation generation;
    const char
        *text; /* the value as one line of at most GODOT_VARIANT_TEXT bytes; in packet scope; NULL if not wanted */
    proto_item *item; /* the value's; NULL when the tree is not visible */
} godot_variant_result;

#define GODOT_VARIANT_TEXT 240

typedef struct godot_variant_call {
    size_t size; /* of this struct in the caller's version: set by godot_variant_dissect() */
    godot_variant_request request;
    godot_variant_result result;
} godot_variant_call;

/* Key of protocol data of the dissector, in packet scope: its caller's godot_variant_call. */
#define GODOT_VARIANT_CALL_KEY UINT32_C(0x63616c6c)

/* Calls the dissector "godot.variant"; returns the result's length. The dissector identifies the call by protocol data,
 * not by `data`: a file of exported PDUs can name any dissector and contain data of TCP. */
static inline int godot_variant_dissect(dissector_handle_t variant, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                        godot_variant_call *call)
{
    call->size = sizeof *call;
    p_set_proto_data(pinfo->pool, pinfo, dissector_handle_get_protocol_index(variant), GODOT_VARIANT_CALL_KEY, call);
    return call_dissector_with_data(variant, tvb, pinfo, tree, call);
}

/* ---- inside this plugin -------------------------------------------------------------------------------- */

/* The Variants of one tvbuff; in packet scope. */
typedef struct godot_variants godot_variants;

godot_variants *godot_variants_new(packet_info *pinfo, tvbuff_t *tvb);

/* Dissects one Variant into `tree`, which may be NULL. */
void godot_variants_add(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                        godot_variant_result *result);

/* The same for a packet whose generation was already determined. */
struct godot_findings;
void godot_variants_add_as(godot_variants *variants, proto_tree *tree, const godot_variant_request *request,
                           const struct godot_findings *findings, godot_variant_result *result);

/* The bits of evidence of a payload that is one Variant. */
uint32_t godot_variant_weigh(tvbuff_t *tvb);

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
bool godot_variants_are_wanted(proto_tree *tree);

/* True if Variants that the codec has validated must be added to `tree`, which may be NULL: an item is referenced or
 * visible, or there is something to report. `all`: their values and oddities together. If false, the Variants are
 * counted toward the limit as if they had been added. */
bool godot_variants_are_needed(packet_info *pinfo, proto_tree *tree, const gw_godot_summary *all);

/* As godot_variants_add, for a packet with one Variant; returns the result's length. */
uint32_t godot_variant_add(packet_info *pinfo, tvbuff_t *tvb, proto_tree *tree, const godot_variant_request *request,
                           godot_variant_result *result);

/* One line of a whole payload, its type named once: "Dictionary {"a": 1}", "Vector2(1, 2)". */
void godot_variant_print(gw_text *text, const uint8_t *bytes, size_t length, gw_godot_generation generation);

/* A name of the packet's for labels and lines, in packet scope: unchanged if it is printable or NULL, else quoted. */
const char *godot_printable(packet_info *pinfo, const char *name);
/* The same, always in quotes, with escapes as in Variants. */
const char *godot_quoted(packet_info *pinfo, const char *name);

/* Counts a document, the whole tvbuff, in the statistics of bytes (-z godot,tree). */
void godot_count(packet_info *pinfo, tvbuff_t *tvb, gw_godot_generation generation);
/* True while a tree that divides the bytes of frames is open (common/statistics.h). */
bool godot_is_counted(void);
/* Called when its tree is opened and closed. */
void godot_init_tree(stats_tree *tree);
void godot_close_tree(stats_tree *tree);
/* Counts the documents of a frame. Returns their bytes, 0 when it has none. */
uint32_t godot_count_frame(stats_tree *tree, packet_info *pinfo);

/* The number of further items of values that this packet may have; decrement it when adding a value
 * (common/item_budget.h). */
uint32_t *godot_items_left(packet_info *pinfo);

#endif
