/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is known of a connection to the remote file system beyond one segment.
 */
#include "internal.h"

#include <epan/dissectors/packet-tcp.h>

#include "common/beginning.h"
#include "common/conversation.h"
#include "common/frame_log.h"

/* More files have no name where their content is. */
#define MOST_PATHS 65536U

/* One direction. TCP may pass the bytes that it passed last again, with more. */
typedef struct remote_fs_direction {
    bool is_known;
    uint32_t first; /* sequence number of the bytes that were passed last */
    uint32_t next;  /* after those of them that were read */
    gw_godot_remote_fs_state at_first;
    gw_godot_remote_fs_state at_next;
} remote_fs_direction;

typedef struct remote_fs_connection {
    bool has_game;
    uint8_t game;                      /* its side */
    remote_fs_direction directions[2]; /* by side */
    wmem_array_t *paths;               /* const char *: of the files that are sent */
    const char *path;                  /* the last one of the list, whose time follows */
} remote_fs_connection;

static gw_frame_log states; /* gw_godot_remote_fs_state before a segment, by its sequence number */

void godot_remote_fs_register_analysis(void)
{
    gw_frame_log_init(&states);
}

/* The game connects. If TCP does not know which side did, the game's bytes begin with a letter, those of the editor with
 * a small number. */
static bool is_from_game(tvbuff_t *whole, packet_info *pinfo)
{
    const conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    const struct tcp_analysis *tcp =
        conversation ? conversation_get_proto_data(conversation, proto_get_id_by_filter_name("tcp")) : NULL;
    if (tcp && (tcp->server_port == pinfo->destport || tcp->server_port == pinfo->srcport))
        return tcp->server_port == pinfo->destport;
    return tvb_captured_length(whole) && tvb_get_uint8(whole, 0) == 'G';
}

bool godot_remote_fs_find_state(gw_godot_remote_fs_state *state, tvbuff_t *whole, packet_info *pinfo, const void *data)
{
    uint32_t sequence = gw_tcp_sequence(data);
    if (!gw_is_first_pass(pinfo)) {
        const gw_godot_remote_fs_state *before = gw_frame_log_find(&states, pinfo, sequence, NULL);
        if (before)
            *state = *before;
        return before != NULL;
    }
    remote_fs_connection *connection =
        (remote_fs_connection *)gw_conversation_obtain(pinfo, proto_godot_remote_fs, sizeof *connection);
    uint8_t side = gw_sender_side(pinfo);
    remote_fs_direction *direction = &connection->directions[side];
    if (!connection->has_game) {
        connection->has_game = true;
        connection->game = is_from_game(whole, pinfo) ? side : !side;
    }

    /* After the bytes that were read; or these bytes again; or the first ones of the direction. */
    if (!direction->is_known)
        *state = (gw_godot_remote_fs_state){ .side = connection->game == side ? GW_GODOT_REMOTE_FS_GAME
                                                                              : GW_GODOT_REMOTE_FS_EDITOR };
    else if (direction->next == sequence)
        *state = direction->at_next;
    else if (direction->first == sequence)
        *state = direction->at_first;
    else
        return false;
    *direction = (remote_fs_direction){ true, sequence, sequence, *state, *state };
    memcpy(gw_frame_log_add(&states, pinfo, sequence, sizeof *state), state, sizeof *state);
    return true;
}

static remote_fs_connection *find_connection(packet_info *pinfo)
{
    return (remote_fs_connection *)gw_conversation_find(pinfo, proto_godot_remote_fs);
}

void godot_remote_fs_keep_state(packet_info *pinfo, const void *data, uint32_t read,
                                const gw_godot_remote_fs_state *state)
{
    remote_fs_connection *connection = gw_is_first_pass(pinfo) ? find_connection(pinfo) : NULL;
    if (!connection)
        return;
    remote_fs_direction *direction = &connection->directions[gw_sender_side(pinfo)];
    direction->next = data ? gw_tcp_sequence(data) + read : 0;
    direction->at_next = *state;
}

void godot_remote_fs_keep_path(packet_info *pinfo, const char *path)
{
    remote_fs_connection *connection = gw_is_first_pass(pinfo) ? find_connection(pinfo) : NULL;
    if (connection)
        connection->path = wmem_strdup(wmem_file_scope(), path);
}

void godot_remote_fs_keep_time(packet_info *pinfo, uint64_t time)
{
    remote_fs_connection *connection = gw_is_first_pass(pinfo) && time ? find_connection(pinfo) : NULL;
    if (!connection)
        return;
    if (!connection->paths)
        connection->paths = wmem_array_new(wmem_file_scope(), sizeof(const char *));
    if (wmem_array_get_count(connection->paths) < MOST_PATHS)
        wmem_array_append_one(connection->paths, connection->path);
}

const char *godot_remote_fs_find_path(packet_info *pinfo, uint32_t index)
{
    const remote_fs_connection *connection = find_connection(pinfo);
    if (!connection || !connection->paths || index >= wmem_array_get_count(connection->paths))
        return NULL;
    return *(const char **)wmem_array_index(connection->paths, index);
}
