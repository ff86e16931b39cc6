/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Connections of multiplayer peers, the numbers of their messages, and in which form they are read.
 */
#include "internal.h"

#include <epan/dissectors/packet-tcp.h>

#include "common/conversation.h"
#include "common/frame_log.h"
#include "common/kept_memory.h"
#include "common/keys.h"
#include "common/times.h"
#include "godot/variant/generation.h"

/* A message with this much evidence proves its form if no other form reads it. */
#define FORM_BITS 16U
/* If the forms of both generations read a direction's messages, one of them is proven by this much more evidence; the
 * same against the other direction's form. Of a single message, not more counts. */
#define LEAD_BITS 48
/* The same source in two different messages, as Godot 3 has it in their first four bytes. */
#define SOURCE_BITS 8
/* Messages of a direction that are weighed if the other direction's form is proven and reads them. */
#define MOST_WEIGHED 64U
/* Of the messages of a datagram, which are not all Godot's. */
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

/* ---- records of messages -------------------------------------------------------------------------------- */

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

godot_mp_kept *godot_mp_find_kept(const packet_info *pinfo, uint32_t ordinal)
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

static godot_mp_connection *new_connection(void)
{
    godot_mp_connection *connection = wmem_new0(wmem_file_scope(), godot_mp_connection);
    connection->number = GODOT_MP_NO_STREAM;
    for (unsigned side = 0; side < 2; side++) {
        connection->directions[side].form = GW_GODOT_MP_FORMS;
        connection->peers[side] = wmem_tree_new(wmem_file_scope());
    }
    connection->by_id = wmem_map_new(wmem_file_scope(), gw_hash_key, gw_equal_keys);
    connection->by_path = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
    connection->owners = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
    return connection;
}

/* The connections of one address pair, which may have many connections one after another, by connection number. */
typedef struct pair_connections {
    wmem_map_t *by_connection;
} pair_connections;

static godot_mp_connection *find_connection(const godot_mp_place *place)
{
    const pair_connections *pair =
        place->conversation ? conversation_get_proto_data(place->conversation, proto_godot_mp) : NULL;
    return pair ? wmem_map_lookup(pair->by_connection, GUINT_TO_POINTER(place->connection_id)) : NULL;
}

static pair_connections *obtain_pair(godot_mp_place *place)
{
    if (!place->conversation)
        place->conversation = gw_conversation_of(place->pinfo);
    pair_connections *pair = conversation_get_proto_data(place->conversation, proto_godot_mp);
    if (!pair) {
        pair = wmem_new(wmem_file_scope(), pair_connections);
        pair->by_connection = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        conversation_add_proto_data(place->conversation, proto_godot_mp, pair);
    }
    return pair;
}

static godot_mp_connection *obtain_connection(godot_mp_place *place)
{
    pair_connections *pair = obtain_pair(place);
    godot_mp_connection *connection = wmem_map_lookup(pair->by_connection, GUINT_TO_POINTER(place->connection_id));
    if (!connection) {
        connection = new_connection();
        wmem_map_insert(pair->by_connection, GUINT_TO_POINTER(place->connection_id), connection);
    }
    return connection;
}

bool godot_mp_find_stream(packet_info *pinfo, uint32_t *stream)
{
    *stream = GODOT_MP_NO_STREAM;
    for (uint32_t ordinal = 0; *stream == GODOT_MP_NO_STREAM && ordinal < MOST_ORDINALS; ordinal++) {
        const godot_mp_kept *kept = godot_mp_find_kept(pinfo, ordinal);
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
    place->connection = find_connection(place);
    place->kept = godot_mp_find_kept(pinfo, place->ordinal);
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

void godot_mp_keep_stream(const godot_mp_place *place)
{
    if (place->connection && place->connection->number == GODOT_MP_NO_STREAM && gw_is_first_pass(place->pinfo))
        place->connection->number = connections++;
}

void godot_mp_keep_accepted(const godot_mp_place *place)
{
    if (place->connection && !place->connection->accepted_seq && gw_is_first_pass(place->pinfo))
        place->connection->accepted_seq = place->seq;
}

bool godot_mp_is_accepted(const godot_mp_place *place)
{
    const godot_mp_connection *connection = place->connection;
    if (!connection || !connection->accepted_seq)
        return false;
    return place->seq ? place->seq >= connection->accepted_seq : gw_is_first_pass(place->pinfo);
}

/* ---- form ---------------------------------------------------------------------------------------------- */

static const godot_mp_direction *direction_of(const godot_mp_place *place)
{
    return place->connection ? &place->connection->directions[place->side] : NULL;
}

gw_godot_mp_form godot_mp_find_proven_form(const godot_mp_place *place, uint8_t side)
{
    return place->connection ? place->connection->directions[side].form : GW_GODOT_MP_FORMS;
}

gw_godot_mp_form godot_mp_find_form(const godot_mp_place *place)
{
    const godot_mp_direction *direction = direction_of(place);
    if (!direction)
        return GW_GODOT_MP_FORMS;
    if (place->kept && place->kept->form != GW_GODOT_MP_FORMS)
        return place->kept->is_guess ? GW_GODOT_MP_FORMS : (gw_godot_mp_form)place->kept->form;
    if (direction->form != GW_GODOT_MP_FORMS)
        return direction->form;
    if (direction->weighed < MOST_WEIGHED)
        return GW_GODOT_MP_FORMS;
    return godot_mp_find_proven_form(place, place->side ^ 1U);
}

int32_t godot_mp_find_lead(const godot_mp_place *place)
{
    const godot_mp_direction *direction = direction_of(place);
    return direction ? direction->lead : 0;
}

static int32_t limited(int32_t lead)
{
    return CLAMP(lead, -LEAD_BITS, LEAD_BITS);
}

/* As in recognition, equal evidence counts once. Bytes that are the same in all messages may be another format's. */
static void keep_evidence(godot_mp_direction *direction, const godot_mp_weighed *weighed)
{
    int32_t lead = weighed->evidence == direction->evidence ? 0 : limited(weighed->lead);
    if (weighed->source && weighed->source == direction->source && weighed->bytes != direction->bytes)
        lead += SOURCE_BITS;
    direction->weighed++;
    direction->lead += lead;
    direction->evidence = weighed->evidence;
    direction->bytes = weighed->bytes;
    direction->source = weighed->source;
}

/* The form that the messages up to this one prove; FORMS: none. */
static gw_godot_mp_form proven_form(const godot_mp_place *place, const godot_mp_weighed *weighed)
{
    int32_t lead = godot_mp_find_lead(place);
    gw_godot_mp_form other = godot_mp_find_proven_form(place, place->side ^ 1U);
    bool is_only = weighed->readings == UINT32_C(1) << weighed->best && weighed->bits >= FORM_BITS;
    if (is_only && (other == GW_GODOT_MP_FORMS || other == weighed->best))
        return weighed->best;
    if (lead >= LEAD_BITS)
        return weighed->form_3;
    return lead <= -LEAD_BITS ? GW_GODOT_MP_4 : GW_GODOT_MP_FORMS;
}

static void keep_proven_form(const godot_mp_place *place, const godot_mp_weighed *weighed)
{
    godot_mp_direction *direction = &place->connection->directions[place->side];
    keep_evidence(direction, weighed);
    direction->form = proven_form(place, weighed);
    if (direction->form == GW_GODOT_MP_FORMS)
        return;
    direction->seq = place->seq;
    godot_generation_keep(place->pinfo, GW_GODOT_GENERATION_BIT(gw_godot_mp_generation(direction->form)));
}

gw_godot_mp_form godot_mp_keep_form(const godot_mp_place *place, const godot_mp_weighed *weighed)
{
    gw_godot_mp_form form = godot_mp_find_form(place);
    bool is_known = form != GW_GODOT_MP_FORMS;
    if (!is_known)
        form = weighed->best;
    if (!place->connection || !place->kept || !gw_is_first_pass(place->pinfo))
        return form;
    if (!is_known)
        keep_proven_form(place, weighed);
    gw_godot_mp_form proven = direction_of(place)->form;
    if (proven != GW_GODOT_MP_FORMS)
        form = proven;
    place->kept->form = (uint8_t)form;
    place->kept->is_guess = proven == GW_GODOT_MP_FORMS && !is_known && weighed->readings & (weighed->readings - 1);
    return form;
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

bool godot_mp_is_first(const godot_mp_place *place)
{
    return place->connection && place->connection->first_frame == place->pinfo->num && !place->ordinal;
}

/* In a TCP connection whose beginning was not captured the first messages are others, and the sides are not known. An
 * exported message has no TCP. */
static bool may_be_server(packet_info *pinfo)
{
    const conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    const struct tcp_analysis *tcp =
        conversation ? conversation_get_proto_data(conversation, proto_get_id_by_filter_name("tcp")) : NULL;
    return !tcp || tcp->server_port == pinfo->srcport;
}

bool godot_mp_may_be_first(const godot_mp_place *place)
{
    const godot_mp_connection *connection = place->connection;
    if (connection && (connection->first_frame ? !godot_mp_is_first(place) : connection->accepted_seq))
        return false;
    return may_be_server(place->pinfo);
}

/* The server's first message is the assigned id. If the server is identified by another message, the assignment was not
 * captured: forget the guess. */
static void drop_first(godot_mp_connection *connection, uint8_t server)
{
    if (connection->first_frame && connection->known[server].id == GW_GODOT_MP_SERVER)
        return;
    for (uint8_t side = 0; connection->first_frame && side < 2; side++)
        keep_peer(connection, side, 0, 0, 0);
    connection->first_frame = GODOT_MP_NO_FRAME;
}

void godot_mp_keep_peer(const godot_mp_place *place, uint8_t side, int32_t id, uint32_t frame)
{
    if (!place->connection || !place->first_pass)
        return;
    if (id == GW_GODOT_MP_SERVER)
        drop_first(place->connection, side);
    if (!place->given[side])
        keep_peer(place->connection, side, id, frame, place->seq);
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
