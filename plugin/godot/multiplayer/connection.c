/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Connections of multiplayer peers, the numbers of their messages, and the archive of messages: the data that the
 * first pass stores for each message.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/conversation.h"
#include "common/keys.h"
#include "common/table.h"

/* Maximum number of messages of a datagram, which may be other protocols'. */
#define MOST_ORDINALS 256U

/* In the file, so far. */
static uint32_t messages;
static gw_archive archive; /* a key is a message's ordinal in its frame and the kind of the entry */

godot_mp_file godot_mp_current;

static gw_table connections_by_id; /* conversation and id -> godot_mp_connection */
static wmem_array_t *connections;  /* godot_mp_connection *, with and without a number, by index; NULL: none */

/* The latest connection that was found, of which the next message often is. */
static struct {
    godot_mp_id_key key;
    godot_mp_connection *connection; /* NULL: none since the file was opened */
} latest;

/* Before each file. The maps of godot_mp_current empty themselves (autoreset). */
static void forget_file(void)
{
    messages = 0;
    connections = NULL; /* it was in the memory of the file before, as the latest one */
    latest.connection = NULL;
    godot_mp_current.connections = 0;
    godot_mp_current.methods = 0;
    godot_mp_current.waiting = NULL;
}

/* ---- the archive of messages ------------------------------------------------------------------------------ */

/* A different key for each entry of a frame: its messages are numbered by their ordinals. */
static uint32_t key_of(uint32_t ordinal, godot_mp_archived_kind kind)
{
    return ordinal * GODOT_MP_ARCHIVED_KINDS + (uint32_t)kind;
}

/* Adds an entry of this kind to the archive of the message, on the first pass, and returns its `size` bytes, all
 * zero. */
void *godot_mp_keep_archived(const godot_mp_position *position, godot_mp_archived_kind kind, size_t size)
{
    return gw_archive_add(&archive, position->pinfo, key_of(position->ordinal, kind), size);
}

/* The entry of this kind that the first pass archived for the message, of the type that godot_mp_archived_kind names;
 * NULL: none. A message that was not numbered has no GODOT_MP_MESSAGE, and none of the kinds that are found here. */
void *godot_mp_find_archived(const godot_mp_position *position, godot_mp_archived_kind kind)
{
    return position->archived ? gw_archive_find(&archive, position->pinfo, key_of(position->ordinal, kind), NULL)
                              : NULL;
}

/* The entry of the message with this ordinal in the frame; NULL: the first pass did not number it. */
static godot_mp_archived_message *find_message(const packet_info *pinfo, uint32_t ordinal)
{
    return gw_archive_find(&archive, pinfo, key_of(ordinal, GODOT_MP_MESSAGE), NULL);
}

/* ---- ids ----------------------------------------------------------------------------------------------- */

_Static_assert(sizeof(godot_mp_id_key) == GW_KEY_SIZE, "hashed as a key");

/* A copy of the key with its kind, which callers leave open. */
static godot_mp_id_key complete_key(godot_mp_kind kind, const godot_mp_id_key *key)
{
    godot_mp_id_key copy = *key;
    copy.kind = kind;
    return copy;
}

/* The data of this kind that is stored under the key; NULL: none, or no connection. */
void *godot_mp_find_by_id(const godot_mp_connection *connection, godot_mp_kind kind, const godot_mp_id_key *key)
{
    const godot_mp_id_key complete = complete_key(kind, key);
    return connection ? gw_table_find(&connection->ids, &complete) : NULL;
}

/* Stores new data under a copy of the key with this kind: `size` bytes, all zero. The caller has found nothing there. */
void *godot_mp_keep_by_id(godot_mp_connection *connection, godot_mp_kind kind, const godot_mp_id_key *key, size_t size)
{
    const godot_mp_id_key complete = complete_key(kind, key);
    return gw_table_add(&connection->ids, &complete, size);
}

/* Registers the data of the file, which is emptied before each file. */
void godot_mp_register_analysis(void)
{
    register_init_routine(forget_file);
    godot_mp_current = (godot_mp_file){
        .texts = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal),
        .scripts = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal),
        .sources = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal),
    };
}

/* ---- connections --------------------------------------------------------------------------------------------- */

/* The key in connections_by_id: one address pair may have many connections one after another. */
static godot_mp_id_key connection_key(const conversation_t *conversation, uint32_t connection_id)
{
    return (godot_mp_id_key){ .id = connection_id, .other = (int32_t)conversation->conv_index };
}

/* The connection with this id of the conversation; NULL: none. */
static godot_mp_connection *find_connection(const conversation_t *conversation, uint32_t connection_id)
{
    const godot_mp_id_key key = connection_key(conversation, connection_id);
    if (latest.connection && gw_equal_keys(&key, &latest.key))
        return latest.connection;
    godot_mp_connection *connection = gw_table_find(&connections_by_id, &key);
    latest.key = key;
    latest.connection = connection;
    return connection;
}

/* The connection of the message, which is created if it is new, as is its conversation. A new connection has no number
 * until one of its messages is accepted, and no form of either side (FORMS) until one is proven. */
static godot_mp_connection *obtain_connection(godot_mp_position *position)
{
    if (!position->conversation)
        position->conversation = gw_conversation_of(position->pinfo);
    godot_mp_connection *connection = find_connection(position->conversation, position->connection_id);
    if (connection)
        return connection;
    const godot_mp_id_key key = connection_key(position->conversation, position->connection_id);
    connection = gw_table_add(&connections_by_id, &key, sizeof *connection);
    connection->ids.is_of_file = true;
    if (!connections)
        connections = wmem_array_new(wmem_file_scope(), sizeof(godot_mp_connection *));
    wmem_array_append_one(connections, connection);
    connection->index = wmem_array_get_count(connections);
    connection->number = GODOT_MP_NO_STREAM;
    for (unsigned side = 0; side < 2; side++)
        connection->directions[side].form = GW_GODOT_MP_FORMS;
    return connection;
}

/* Sets the number of the first connection in the frame; false if there is none. Messages of other protocols have
 * ordinals too, but no entry. */
bool godot_mp_find_stream(packet_info *pinfo, uint32_t *stream)
{
    *stream = GODOT_MP_NO_STREAM;
    for (uint32_t ordinal = 0; *stream == GODOT_MP_NO_STREAM && ordinal < MOST_ORDINALS; ordinal++) {
        const godot_mp_archived_message *message = find_message(pinfo, ordinal);
        if (message)
            *stream = (*(godot_mp_connection **)wmem_array_index(connections, message->connection - 1))->number;
    }
    return *stream != GODOT_MP_NO_STREAM;
}

/* Sets the side of the sender and, of what the first pass stored, the connection and the number of the message. Stores
 * nothing. */
void godot_mp_find_position(godot_mp_position *position, packet_info *pinfo)
{
    position->pinfo = pinfo;
    position->side = gw_sender_side(pinfo);
    /* A message inside an ICMP error has no connection, so that nothing is stored for it. */
    if (gw_is_quoted(pinfo))
        return;
    position->first_pass = gw_is_first_pass(pinfo) && !position->repeated;
    if (!position->conversation)
        position->conversation = gw_conversation_lookup(pinfo);
    position->connection =
        position->conversation ? find_connection(position->conversation, position->connection_id) : NULL;
    position->archived = find_message(pinfo, position->ordinal);
    position->seq = position->archived ? position->archived->seq : 0;
}

/* On the first pass, creates the connection and numbers the message (`seq`), where godot_mp_find_position() found none.
 * Later passes find both in the archive; its form there is FORMS (none) until recognition.c determines it. */
void godot_mp_keep_position(godot_mp_position *position)
{
    if (!gw_is_first_pass(position->pinfo))
        return;
    if (!position->connection)
        position->connection = obtain_connection(position);
    if (position->seq)
        return;
    position->seq = ++messages;
    position->archived = godot_mp_keep_archived(position, GODOT_MP_MESSAGE, sizeof *position->archived);
    *position->archived = (godot_mp_archived_message){ .connection = position->connection->index & 0x7FFFFFFU,
                                                       .seq = position->seq,
                                                       .form = GW_GODOT_MP_FORMS };
}

/* The form in which the declined message cannot be read, as recognition.c archived it; FORMS: it archived none. */
gw_godot_mp_form godot_mp_find_unread(const godot_mp_position *position)
{
    const godot_mp_connection *connection = position->connection;
    /* Most messages that are declined are of connections without any. */
    if (!connection || !connection->unread)
        return GW_GODOT_MP_FORMS;
    /* Not godot_mp_find_archived(): a declined message may have no GODOT_MP_MESSAGE. */
    const uint64_t *form = gw_archive_find(&archive, position->pinfo, key_of(position->ordinal, GODOT_MP_UNREAD), NULL);
    return form ? (gw_godot_mp_form)*form : GW_GODOT_MP_FORMS;
}

/* ---- form ---------------------------------------------------------------------------------------------- */

/* The form that the messages from this side have proven; FORMS: none, or no connection. */
gw_godot_mp_form godot_mp_find_proven_form(const godot_mp_position *position, uint8_t side)
{
    return position->connection ? position->connection->directions[side].form : GW_GODOT_MP_FORMS;
}

/* ---- peers --------------------------------------------------------------------------------------------- */

/* Adds an id of the peer to the tree, from the message `seq` on. */
static void add_peer(wmem_tree_t *tree, godot_mp_peer id, uint32_t seq)
{
    godot_mp_peer *peer = gw_archive_alloc(sizeof *peer);
    *peer = id;
    wmem_tree_insert32(tree, seq, peer);
}

/* Stores that from the message `seq` on, the peer at `side` has this id, which `frame` shows; 0: not known. */
static void keep_peer(godot_mp_connection *connection, uint8_t side, int32_t id, uint32_t frame, uint32_t seq)
{
    godot_mp_peer_history *history = &connection->peers[side];
    if (history->latest.id == id)
        return;
    if (history->latest.id && !history->later) { /* the second one */
        history->later = wmem_tree_new(wmem_file_scope());
        add_peer(history->later, history->latest, history->seq);
    }
    history->latest = (godot_mp_peer){ id, frame };
    history->seq = seq;
    if (history->later)
        add_peer(history->later, history->latest, seq);
}

/* On the first pass, stores that the message may be the first one of a WebSocket server, which assigns `id` to its
 * receiver: the sender is the server then. Only for the first such message of a connection, and only with an id that a
 * client can have, which is above the server's. */
void godot_mp_keep_first(godot_mp_position *position, int32_t id)
{
    if (!gw_is_first_pass(position->pinfo) || id <= GW_GODOT_MP_SERVER)
        return;
    godot_mp_connection *connection = obtain_connection(position);
    position->connection = connection;
    if (connection->first_frame)
        return;
    connection->first_frame = position->pinfo->num;
    /* From the number 0 on: for all messages of the connection. */
    keep_peer(connection, position->side, GW_GODOT_MP_SERVER, position->pinfo->num, 0);
    keep_peer(connection, position->side ^ 1U, id, position->pinfo->num, 0);
}

/* On the first pass, stores that from this message on, the peer at `side` has this id, which is known from `frame`. */
void godot_mp_keep_peer(const godot_mp_position *position, uint8_t side, int32_t id, uint32_t frame)
{
    godot_mp_connection *connection = position->connection;
    if (!connection || !position->first_pass)
        return;
    /* The server's first message is the assigned id. If the server is identified by another message, the assignment was
     * not captured: the guess of godot_mp_keep_first() is removed, and no later message is taken for the assignment. */
    if (id == GW_GODOT_MP_SERVER &&
        !(connection->first_frame && connection->peers[side].latest.id == GW_GODOT_MP_SERVER)) {
        for (uint8_t end = 0; connection->first_frame && end < 2; end++)
            keep_peer(connection, end, 0, 0, 0);
        connection->first_frame = GODOT_MP_NO_FRAME;
    }
    /* An id that the transport shows is in each position, and takes precedence. */
    if (!position->given[side])
        keep_peer(connection, side, id, frame, position->seq);
}

/* The id of the peer at this time; 0: not known. */
static godot_mp_peer peer_at(const godot_mp_peer_history *history, uint32_t seq)
{
    if (history->later) {
        const godot_mp_peer *peer = wmem_tree_lookup32_le(history->later, seq);
        return peer ? *peer : (godot_mp_peer){ 0, 0 };
    }
    return seq >= history->seq ? history->latest : (godot_mp_peer){ 0, 0 };
}

/* Sets the ids of both peers of the connection at the time of this message, by side; 0: not known. */
void godot_mp_find_peers(const godot_mp_position *position, godot_mp_peer peers[2])
{
    for (uint8_t side = 0; side < 2; side++) {
        peers[side] =
            position->connection ? peer_at(&position->connection->peers[side], position->seq) : (godot_mp_peer){ 0, 0 };
        if (position->given[side]) /* the transport's id takes precedence */
            peers[side] = (godot_mp_peer){ position->given[side], 0 };
    }
}
