/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Connections of multiplayer peers, the numbers of their messages, and the archive of messages: the data that the
 * first pass stores for each message.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/frame_log.h"
#include "common/kept_memory.h"
#include "common/keys.h"
#include "common/times.h"

/* Maximum number of messages of a datagram, which may be other protocols'. */
#define MOST_ORDINALS 256U

/* In the file, so far. */
static uint32_t messages;
static uint32_t connections;
static gw_frame_log records; /* of messages: a key is a message's ordinal in its frame and the kind of the record */
static wmem_map_t *scripts;  /* checksum of its methods: path of a node */

static void forget_file(void)
{
    messages = 0;
    connections = 0;
}

uint32_t godot_mp_connection_count(void)
{
    return connections;
}

/* ---- the archive of messages ------------------------------------------------------------------------------ */

static uint32_t key_of(uint32_t ordinal, godot_mp_record record)
{
    return ordinal * GODOT_MP_RECORDS + (uint32_t)record;
}

void *godot_mp_add_record(const godot_mp_place *place, godot_mp_record record, size_t size)
{
    return gw_frame_log_add(&records, place->pinfo, key_of(place->ordinal, record), size);
}

void *godot_mp_find_record(const godot_mp_place *place, godot_mp_record record)
{
    return place->kept ? gw_frame_log_find(&records, place->pinfo, key_of(place->ordinal, record), NULL) : NULL;
}

static godot_mp_kept *find_message(const packet_info *pinfo, uint32_t ordinal)
{
    return gw_frame_log_find(&records, pinfo, key_of(ordinal, GODOT_MP_MESSAGE), NULL);
}

void godot_mp_keep_sync(const godot_mp_place *place, const godot_mp_sync *sync)
{
    if (!sync->previous)
        return;
    godot_mp_kept_sync *kept = godot_mp_add_record(place, GODOT_MP_SYNC, sizeof *kept);
    kept->interval = gw_nanoseconds(&sync->interval);
    kept->previous = sync->previous;
    kept->ahead = sync->ahead;
    kept->is_late = sync->is_late;
}

godot_mp_sync godot_mp_find_sync(const godot_mp_place *place)
{
    const godot_mp_kept_sync *kept = godot_mp_find_record(place, GODOT_MP_SYNC);
    if (!kept)
        return (godot_mp_sync){ .previous = 0 };
    return (godot_mp_sync){ kept->previous, gw_time_of(kept->interval), kept->ahead, kept->is_late };
}

/* ---- ids ----------------------------------------------------------------------------------------------- */

_Static_assert(sizeof(godot_mp_id_key) == GW_KEY_SIZE, "hashed as a key");

static godot_mp_id_key key_of_kind(const godot_mp_id_key *key, godot_mp_kind kind)
{
    godot_mp_id_key whole = *key;
    whole.kind = (uint16_t)kind;
    return whole;
}

void *godot_mp_find_by_id(const godot_mp_connection *connection, godot_mp_kind kind, const godot_mp_id_key *key)
{
    const godot_mp_id_key whole = key_of_kind(key, kind);
    return wmem_map_lookup(connection->by_id, &whole);
}

void godot_mp_keep_by_id(const godot_mp_connection *connection, godot_mp_kind kind, const godot_mp_id_key *key,
                         void *value)
{
    godot_mp_id_key *kept = gw_alloc_kept(sizeof *kept);
    *kept = key_of_kind(key, kind);
    wmem_map_insert(connection->by_id, kept, value);
}

void godot_mp_register_analysis(void)
{
    register_init_routine(forget_file);
    gw_frame_log_init(&records);
    scripts = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal);
}

const char *godot_mp_keep_script(const char *checksum, const char *path)
{
    const char *first = checksum ? wmem_map_lookup(scripts, checksum) : path;
    if (!first)
        wmem_map_insert(scripts, checksum, (void *)path);
    return first ? first : path;
}

/* ---- connections --------------------------------------------------------------------------------------------- */

static godot_mp_connection *obtain_connection(godot_mp_place *place)
{
    void *id = GUINT_TO_POINTER(place->connection_id);
    if (!place->conversation)
        place->conversation = gw_conversation_of(place->pinfo);
    /* One address pair may have many connections one after another. */
    wmem_map_t *by_id = conversation_get_proto_data(place->conversation, proto_godot_mp);
    if (!by_id) {
        by_id = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        conversation_add_proto_data(place->conversation, proto_godot_mp, by_id);
    }
    godot_mp_connection *connection = wmem_map_lookup(by_id, id);
    if (connection)
        return connection;
    connection = wmem_new0(wmem_file_scope(), godot_mp_connection);
    connection->number = GODOT_MP_NO_STREAM;
    for (unsigned side = 0; side < 2; side++) {
        connection->directions[side].form = GW_GODOT_MP_FORMS;
        connection->peers[side] = wmem_tree_new(wmem_file_scope());
    }
    connection->by_id = wmem_map_new(wmem_file_scope(), gw_hash_key, gw_equal_keys);
    connection->by_path = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
    connection->owners = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
    wmem_map_insert(by_id, id, connection);
    return connection;
}

bool godot_mp_find_stream(packet_info *pinfo, uint32_t *stream)
{
    *stream = GODOT_MP_NO_STREAM;
    for (uint32_t ordinal = 0; *stream == GODOT_MP_NO_STREAM && ordinal < MOST_ORDINALS; ordinal++) {
        const godot_mp_kept *kept = find_message(pinfo, ordinal);
        if (kept)
            *stream = kept->connection->number;
    }
    return *stream != GODOT_MP_NO_STREAM;
}

void godot_mp_find_place(godot_mp_place *place, packet_info *pinfo)
{
    place->pinfo = pinfo;
    place->side = gw_sender_side(pinfo);
    if (gw_is_quoted(pinfo))
        return;
    place->first_pass = gw_is_first_pass(pinfo) && !place->repeated;
    if (!place->conversation)
        place->conversation = gw_conversation_lookup(pinfo);
    wmem_map_t *by_id = place->conversation ? conversation_get_proto_data(place->conversation, proto_godot_mp) : NULL;
    place->connection = by_id ? wmem_map_lookup(by_id, GUINT_TO_POINTER(place->connection_id)) : NULL;
    place->kept = find_message(pinfo, place->ordinal);
    place->seq = place->kept ? place->kept->seq : 0;
}

void godot_mp_keep_place(godot_mp_place *place)
{
    if (!gw_is_first_pass(place->pinfo))
        return;
    if (!place->connection)
        place->connection = obtain_connection(place);
    if (place->seq)
        return;
    godot_mp_kept *kept = godot_mp_add_record(place, GODOT_MP_MESSAGE, sizeof *kept);
    kept->seq = ++messages;
    kept->form = GW_GODOT_MP_FORMS;
    kept->connection = place->connection;
    place->kept = kept;
    place->seq = kept->seq;
}

void godot_mp_keep_accepted(const godot_mp_place *place, bool is_recognized)
{
    godot_mp_connection *connection = place->connection;
    if (!connection || !gw_is_first_pass(place->pinfo))
        return;
    if (connection->number == GODOT_MP_NO_STREAM)
        connection->number = connections++;
    if (is_recognized && !connection->accepted_seq)
        connection->accepted_seq = place->seq;
}

/* ---- form ---------------------------------------------------------------------------------------------- */

gw_godot_mp_form godot_mp_find_proven_form(const godot_mp_place *place, uint8_t side)
{
    return place->connection ? place->connection->directions[side].form : GW_GODOT_MP_FORMS;
}

bool godot_mp_has_mixed_generations(const godot_mp_place *place)
{
    const godot_mp_direction *directions = place->connection ? place->connection->directions : NULL;
    return directions && directions[0].seq && directions[1].seq &&
           gw_godot_mp_generation(directions[0].form) != gw_godot_mp_generation(directions[1].form);
}

/* ---- peers --------------------------------------------------------------------------------------------- */

static void keep_peer(godot_mp_connection *connection, uint8_t side, int32_t id, uint32_t frame, uint32_t seq)
{
    if (connection->known[side].id == id)
        return;
    godot_mp_peer *peer = wmem_new(wmem_file_scope(), godot_mp_peer);
    *peer = (godot_mp_peer){ id, frame };
    connection->known[side] = *peer;
    wmem_tree_insert32(connection->peers[side], seq, peer);
}

void godot_mp_keep_first(godot_mp_place *place, int32_t id)
{
    if (!gw_is_first_pass(place->pinfo) || id <= GW_GODOT_MP_SERVER)
        return;
    godot_mp_connection *connection = obtain_connection(place);
    place->connection = connection;
    if (connection->first_frame)
        return;
    connection->first_frame = place->pinfo->num;
    keep_peer(connection, place->side, GW_GODOT_MP_SERVER, place->pinfo->num, 0);
    keep_peer(connection, place->side ^ 1U, id, place->pinfo->num, 0);
}

void godot_mp_keep_peer(const godot_mp_place *place, uint8_t side, int32_t id, uint32_t frame)
{
    godot_mp_connection *connection = place->connection;
    if (!connection || !place->first_pass)
        return;
    /* The server's first message is the assigned id. If the server is identified by another message, the assignment was not
     * captured: forget the guess. */
    if (id == GW_GODOT_MP_SERVER && !(connection->first_frame && connection->known[side].id == GW_GODOT_MP_SERVER)) {
        for (uint8_t end = 0; connection->first_frame && end < 2; end++)
            keep_peer(connection, end, 0, 0, 0);
        connection->first_frame = GODOT_MP_NO_FRAME;
    }
    if (!place->given[side])
        keep_peer(connection, side, id, frame, place->seq);
}

void godot_mp_find_peers(const godot_mp_place *place, godot_mp_peer peers[2])
{
    for (uint8_t side = 0; side < 2; side++) {
        const godot_mp_peer *peer =
            place->connection ? wmem_tree_lookup32_le(place->connection->peers[side], place->seq) : NULL;
        peers[side] = peer ? *peer : (godot_mp_peer){ 0, 0 };
        if (place->given[side])
            peers[side] = (godot_mp_peer){ place->given[side], 0 };
    }
}
