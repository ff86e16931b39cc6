/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A dissector for bytes in a game's own format, called by Gamewire (plugin/docs/own-bytes.md). Little-endian:
 *
 *   u8 0x53 ("S"), u32 tick, u8 number of entities; for each entity: u16 id, f32 x, f32 y
 */
#define WS_BUILD_DLL
#include <wireshark.h>

#include <epan/packet.h>

static int proto_snapshot = -1, hf_tick = -1, hf_count = -1, hf_id = -1, hf_x = -1, hf_y = -1, ett_snapshot = -1;

static int dissect_snapshot(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    uint32_t tick, count;
    if (tvb_captured_length(tvb) < 6 || tvb_strneql(tvb, 0, "S", 1) != 0)
        return 0; /* another format: another dissector may read it */
    proto_item *item = proto_tree_add_item(parent, proto_snapshot, tvb, 0, -1, ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, ett_snapshot);
    proto_tree_add_item_ret_uint(tree, hf_tick, tvb, 1, 4, ENC_LITTLE_ENDIAN, &tick);
    proto_tree_add_item_ret_uint(tree, hf_count, tvb, 5, 1, ENC_NA, &count);
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Snapshot");
    col_add_fstr(pinfo->cinfo, COL_INFO, "Snapshot %u, entities: %u", tick, count);
    for (int start = 6; count > 0; count--, start += 10) {
        proto_item *entity = proto_tree_add_item(tree, hf_id, tvb, start, 2, ENC_LITTLE_ENDIAN);
        proto_tree *below = proto_item_add_subtree(entity, ett_snapshot);
        proto_tree_add_item(below, hf_x, tvb, start + 2, 4, ENC_LITTLE_ENDIAN);
        proto_tree_add_item(below, hf_y, tvb, start + 6, 4, ENC_LITTLE_ENDIAN);
    }
    return (int)tvb_captured_length(tvb);
}

static void register_snapshot(void)
{
    static hf_register_info fields[] = {
        { &hf_tick, { "Tick", "snapshot.tick", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_count, { "Entities", "snapshot.count", FT_UINT8, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_id, { "Entity", "snapshot.id", FT_UINT16, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_x, { "X", "snapshot.x", FT_FLOAT, BASE_NONE, NULL, 0, NULL, HFILL } },
        { &hf_y, { "Y", "snapshot.y", FT_FLOAT, BASE_NONE, NULL, 0, NULL, HFILL } },
    };
    static int *subtrees[] = { &ett_snapshot };
    proto_snapshot = proto_register_protocol("Snapshot", "Snapshot", "snapshot");
    proto_register_field_array(proto_snapshot, fields, array_length(fields));
    proto_register_subtree_array(subtrees, array_length(subtrees));
}

static void hand_off_snapshot(void)
{
    dissector_handle_t handle = create_dissector_handle(dissect_snapshot, proto_snapshot);
    dissector_add_string("godot_mp.rpc.method", "submit_snapshot", handle);
    dissector_add_string("godot_mp.rpc.method", "submit_history", handle);
    dissector_add_uint("godot_mp.raw.first_byte", 0x53, handle);
    dissector_add_uint("enet.first_byte", 0x53, handle);
}

/* ---- the same in every plugin ---- */

WS_DLL_PUBLIC const char plugin_version[];
WS_DLL_PUBLIC const int plugin_want_major, plugin_want_minor;
WS_DLL_PUBLIC void plugin_register(void);
WS_DLL_PUBLIC uint32_t plugin_describe(void);

WS_DLL_PUBLIC_DEF const char plugin_version[] = "1.0";
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC_DEF void plugin_register(void)
{
    static proto_plugin plugin = { register_snapshot, hand_off_snapshot };
    proto_register_plugin(&plugin);
}

WS_DLL_PUBLIC_DEF uint32_t plugin_describe(void)
{
    return 1; /* a dissector */
}
