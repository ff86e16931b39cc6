/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's remote file system: a game gets its files from an editor, over TCP.
 *
 * dissect.c reads the values, tree.c adds the items, analysis.c keeps what is known from other segments, fields.c
 * registers the fields. On the editor's default port, which X servers use too, godot/tcp lets the heuristic be asked.
 */
#include "protocols.h"

#include "common/beginning.h"
#include "common/recognition.h"
#include "common/spans.h"
#include "internal.h"
#include "remote_fs.h"

static dissector_handle_t handle;
static gw_heuristic over_tcp;

/* The bytes of the segment after the beginning that was captured before it. */
static tvbuff_t *recognize(tvbuff_t *tvb, packet_info *pinfo, const void *data, gw_recognition *recognition)
{
    tvbuff_t *whole = gw_beginning_join(pinfo, tvb, gw_beginning_find(pinfo, proto_godot_remote_fs, data));
    gw_godot_remote_fs_recognize(gw_bytes_of(whole), tvb_captured_length(whole), recognition);
    return whole;
}

/* A part of the magic and the version is possible only where a connection begins, or after another part. */
static bool is_part(tvbuff_t *tvb, tvbuff_t *whole, packet_info *pinfo, const void *data)
{
    return whole != tvb || gw_begins_connection(pinfo, data);
}

bool godot_remote_fs_may_begin(tvbuff_t *tvb, packet_info *pinfo, const void *data)
{
    gw_recognition recognition;
    tvbuff_t *whole = recognize(tvb, pinfo, data, &recognition);
    return recognition.possible && (recognition.bits || is_part(tvb, whole, pinfo, data));
}

/* The engine sends each letter of the magic and the version in a segment of its own: these are kept until all are
 * there. The evidence: gw_godot_remote_fs_recognize(). */
static ws_bool dissect_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    tvbuff_t *whole = recognize(tvb, pinfo, data, &recognition);
    if (recognition.possible && !recognition.bits) {
        if (is_part(tvb, whole, pinfo, data))
            gw_beginning_keep(pinfo, gw_beginning_find(pinfo, proto_godot_remote_fs, data), whole,
                              proto_godot_remote_fs, data);
        return false;
    }
    if (!gw_heuristic_accepts(&over_tcp, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE))
        return false;
    godot_remote_fs_dissect(tvb, pinfo, tree, data);
    return true;
}

void proto_register_godot_remote_fs(void)
{
    proto_godot_remote_fs = proto_register_protocol("Godot Remote File System", "Godot FS", "godot_remote_fs");
    godot_remote_fs_register_fields();
    handle = register_dissector("godot_remote_fs", godot_remote_fs_dissect, proto_godot_remote_fs);
    /* After recognition, the whole TCP connection is of this protocol: nothing in it is declined. */
    gw_heuristic_init(&over_tcp, handle);
    godot_remote_fs_register_analysis();
}

void proto_reg_handoff_godot_remote_fs(void)
{
    heur_dissector_add("tcp", dissect_over_tcp, "Godot Remote File System over TCP", "godot_remote_fs_tcp",
                       proto_godot_remote_fs, HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("tcp.port", "", handle);
}
