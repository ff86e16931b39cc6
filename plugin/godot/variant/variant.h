/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interface for dissectors of other plugins with Variants in their payloads: dissects a Variant at an offset, adds it
 * to the caller's tree, and returns its length, value and text.
 *
 * The dissector is called by its name; only this header and those of the codec are needed:
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
    proto_item *item;  /* the value's; NULL when the tree is not visible */
    proto_tree *layer; /* the protocol's subtree; NULL without one, and if the value is in line */
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

#endif
