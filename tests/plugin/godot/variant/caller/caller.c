/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A plugin of its own for the tests: a format that holds two Variants, which it hands to godot.variant. On UDP port
 * 41001, and after "CALL" in the bytes that a game sends among the messages of Godot's multiplayer; little-endian:
 *
 *   u8 generation   2, 3 or 4; 0 leaves it to godot.variant
 *   u8 flags        1: bare objects; 2: the items go right into our tree; 4: both Variants are announced at once
 *   Variant, Variant
 *   rest
 */
#include "godot/variant/variant.h"

#include <epan/proto_data.h>

#include "common/compat.h"

#define CALLER_PORT 41001

WS_DLL_PUBLIC const char plugin_version[];
WS_DLL_PUBLIC const int plugin_want_major, plugin_want_minor;
WS_DLL_PUBLIC void plugin_register(void);
WS_DLL_PUBLIC uint32_t plugin_describe(void);

WS_DLL_PUBLIC_DEF const char plugin_version[] = "1.0";
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

static int proto_caller = -1;
static int hf_length = -1;
static int hf_text = -1;
static int hf_type = -1;
static int hf_integer = -1;
static int hf_generation = -1;
static int hf_fault = -1;
static int hf_rest = -1;
static int ett_caller = -1;
static dissector_handle_t variant_handle;

static void add_result(proto_tree *tree, tvbuff_t *tvb, const godot_variant_result *result)
{
    proto_tree_add_uint(tree, hf_length, tvb, 0, 0, result->length);
    proto_tree_add_uint(tree, hf_generation, tvb, 0, 0, (uint32_t)result->generation);
    proto_tree_add_uint(tree, hf_fault, tvb, 0, 0, result->fault.code);
    if (result->text)
        proto_tree_add_string(tree, hf_text, tvb, 0, 0, result->text);
    if (!result->has_root)
        return;
    proto_tree_add_uint(tree, hf_type, tvb, 0, 0, result->root.type);
    if (result->root.type == GW_GODOT_INT)
        proto_tree_add_int64(tree, hf_integer, tvb, (int)result->root.payload.offset, (int)result->root.payload.length,
                             result->root.number);
    if (result->item)
        proto_item_append_text(result->item, " <- here");
}

static int dissect_caller(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    static const char *const titles[] = { "First", "Second" };
    static const char *const paths[] = { "args[0]", "args[1]" };
    proto_item *item = proto_tree_add_item(parent, proto_caller, tvb, 0, -1, ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, ett_caller);
    unsigned head = tvb_get_letohs(tvb, 0);
    unsigned flags = head >> 8;
    uint32_t offset = 2;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Caller");
    col_set_str(pinfo->cinfo, COL_INFO, "two Variants");
    for (unsigned i = 0; i < 2; i++) {
        godot_variant_call call = {
            .request = { .offset = offset,
                         .count = flags & 4 ? 2 - i : 1,
                         .generation = (gw_godot_generation)(head & 0xFF),
                         .bare_objects = flags & 1,
                         .in_line = flags & 2,
                         .wants_text = true,
                         .title = titles[i],
                         .path = paths[i] },
        };
        offset += (uint32_t)godot_variant_dissect(variant_handle, tvb, pinfo, tree, &call);
        add_result(tree, tvb, &call.result);
    }
    if (tvb_captured_length(tvb) > offset)
        proto_tree_add_item(tree, hf_rest, tvb, (int)offset, (int)(tvb_captured_length(tvb) - offset), ENC_NA);
    return (int)tvb_captured_length(tvb);
}

static ws_bool dissect_raw(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    static const char mark[] = "CALL";
    if (tvb_captured_length(tvb) < sizeof mark || tvb_memeql(tvb, 0, (const uint8_t *)mark, sizeof mark - 1))
        return false;
    dissect_caller(tvb_new_subset_remaining(tvb, sizeof mark - 1), pinfo, parent, data);
    return true;
}

static void register_caller(void)
{
    static hf_register_info fields[] = {
        { &hf_length, { "Length", "caller.length", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_text, { "Text", "caller.text", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
        { &hf_type, { "Type", "caller.type", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_integer, { "Integer", "caller.integer", FT_INT64, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_generation, { "Generation", "caller.generation", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_fault, { "Fault", "caller.fault", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_rest, { "Rest", "caller.rest", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL } },
    };
    static int *subtrees[] = { &ett_caller };
    proto_caller = proto_register_protocol("Caller of Variants", "Caller", "caller");
    proto_register_field_array(proto_caller, fields, array_length(fields));
    proto_register_subtree_array(subtrees, array_length(subtrees));
}

static void hand_off_caller(void)
{
    variant_handle = find_dissector("godot.variant");
    dissector_add_uint("udp.port", CALLER_PORT, create_dissector_handle(dissect_caller, proto_caller));
    heur_dissector_add("godot.raw", dissect_raw, "Caller in Godot Multiplayer", "caller_raw", proto_caller,
                       HEURISTIC_ENABLE);
}

WS_DLL_PUBLIC_DEF void plugin_register(void)
{
    static proto_plugin plugin = { register_caller, hand_off_caller };
    proto_register_plugin(&plugin);
}

WS_DLL_PUBLIC_DEF uint32_t plugin_describe(void)
{
    return 1; /* a dissector */
}
