/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One segment of the remote file system on its way: each event goes to the tree, to the analysis, and to the line.
 */
#include "internal.h"

#include "common/beginning.h"
#include "common/columns.h"
#include "common/experts.h"
#include "common/spans.h"

#define LINE_SIZE 300

typedef struct remote_fs_segment {
    packet_info *pinfo;
    tvbuff_t *tvb;
    uint32_t in_front; /* bytes of earlier segments */
    godot_remote_fs_tree layer;
    gw_text line;
} remote_fs_segment;

static void dissect_event(remote_fs_segment *segment, const gw_godot_remote_fs_event *event)
{
    packet_info *pinfo = segment->pinfo;
    if (event->role == GW_GODOT_REMOTE_FS_ROLE_PATH)
        godot_remote_fs_keep_path(pinfo, gw_text_of(pinfo->pool, segment->tvb, event->payload));
    if (event->role == GW_GODOT_REMOTE_FS_ROLE_MODIFIED)
        godot_remote_fs_keep_time(pinfo, event->number);
    bool is_of_file =
        event->role == GW_GODOT_REMOTE_FS_ROLE_FILE_SIZE || event->role == GW_GODOT_REMOTE_FS_ROLE_CONTENT;
    const char *file = is_of_file ? godot_remote_fs_find_path(pinfo, event->index) : NULL;
    godot_remote_fs_tree_add(&segment->layer, event, file);
    if (segment->line.length)
        gw_text_string(&segment->line, ", ");
    if (event->role == GW_GODOT_REMOTE_FS_ROLE_MODIFIED)
        gw_text_string(&segment->line, event->number ? "modified" : "removed");
    else
        gw_godot_remote_fs_print_event(&segment->line, gw_bytes_of(segment->tvb), event);
    if (file) {
        gw_text_string(&segment->line, " of ");
        gw_text_escaped(&segment->line, (const uint8_t *)file, (uint32_t)strlen(file));
    }
}

static void dissect_events(remote_fs_segment *segment, const gw_godot_remote_fs_state *state, const void *data)
{
    packet_info *pinfo = segment->pinfo;
    gw_godot_remote_fs_reader reader;
    gw_godot_remote_fs_event event;
    gw_next next;
    gw_godot_remote_fs_init(&reader, gw_bytes_of(segment->tvb), tvb_captured_length(segment->tvb),
                            &(const gw_godot_remote_fs_options){ .state = state });
    while ((next = gw_godot_remote_fs_next(&reader, &event)) == GW_NEXT_EVENT)
        dissect_event(segment, &event);
    godot_remote_fs_keep_state(pinfo, data, gw_tcp_offset(reader.offset, segment->in_front), &reader.state);
    if (next != GW_NEXT_FAULT)
        return;

    /* The bytes that complete a value, if there will be any. */
    const gw_fault *fault = &reader.fault;
    if (fault->fault_class == GW_FAULT_TRUNCATED && pinfo->can_desegment && !gw_is_cut_by_capture(segment->tvb))
        gw_tcp_request(pinfo, fault->offset, segment->in_front, (uint32_t)fault->needed);
    else
        godot_remote_fs_tree_add_fault(&segment->layer, fault);
}

int godot_remote_fs_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    char *line = (char *)wmem_alloc(pinfo->pool, LINE_SIZE);
    const gw_beginning *beginning = gw_beginning_find(pinfo, proto_godot_remote_fs, data);
    remote_fs_segment segment = { .pinfo = pinfo,
                                  .tvb = gw_beginning_show(pinfo, tvb, beginning, "Beginning in several segments"),
                                  .in_front = beginning ? beginning->length : 0 };
    gw_godot_remote_fs_state state;
    gw_text_init(&segment.line, line, LINE_SIZE);
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot FS");
    godot_remote_fs_tree_begin(&segment.layer, segment.tvb, pinfo, parent);
    if (godot_remote_fs_find_state(&state, segment.tvb, pinfo, data))
        dissect_events(&segment, &state, data);
    else
        godot_remote_fs_tree_add_unseen(&segment.layer);
    if (segment.line.length) {
        gw_append_line(segment.layer.item, pinfo, proto_godot_remote_fs, "", line);
        gw_columns_add(pinfo, proto_godot_remote_fs, line);
    }
    return (int)tvb_captured_length(tvb);
}
