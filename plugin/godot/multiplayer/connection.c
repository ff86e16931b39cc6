/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Connections of multiplayer peers, the numbers of their messages, and in which form they are read.
 */
#include "connection.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>

#include "common/conversation.h"
#include "godot/variant/generation.h"

/* After a message with this much evidence, its form is used for the link. */
#define FORM_BITS 16U
/* Of the messages of a datagram, which are not all Godot's. */
#define MOST_ORDINALS 256U

static int proto_mp = -1;
/* In the file, so far. */
static uint32_t messages;
static uint32_t links;
static wmem_map_t *scripts; /* checksum of its methods: path of a node */

static void forget_file(void)
{
    messages = 0;
    links = 0;
}

uint32_t godot_mp_link_count(void)
{
    return links;
}

void godot_mp_register_analysis(int protocol)
{
    proto_mp = protocol;
    register_init_routine(forget_file);
    scripts = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal);
}

const char *godot_mp_keep_script(const char *checksum, const char *path)
{
    const char *first = checksum ? wmem_map_lookup(scripts, checksum) : path;
    if (!first)
        wmem_map_insert(scripts, checksum, (void *)path);
    return first ? first : path;
}

/* ---- links --------------------------------------------------------------------------------------------- */

static unsigned hash_key(const void *key)
{
    return wmem_strong_hash(key, sizeof(godot_mp_id_key));
}

static gboolean equal_keys(const void *one, const void *other)
{
    return !memcmp(one, other, sizeof(godot_mp_id_key));
}

static godot_mp_link *new_link(void)
{
    godot_mp_link *link = wmem_new0(wmem_file_scope(), godot_mp_link);
    link->number = GODOT_MP_NO_STREAM;
    link->form = GW_GODOT_MULTIPLAYER_FORMS;
    for (unsigned side = 0; side < 2; side++)
        link->peers[side] = wmem_tree_new(wmem_file_scope());
    link->paths = wmem_map_new(wmem_file_scope(), hash_key, equal_keys);
    link->by_path = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
    link->spawns = wmem_map_new(wmem_file_scope(), hash_key, equal_keys);
    link->synchronizers = wmem_map_new(wmem_file_scope(), hash_key, equal_keys);
    link->counts = wmem_map_new(wmem_file_scope(), hash_key, equal_keys);
    link->rates = wmem_map_new(wmem_file_scope(), hash_key, equal_keys);
    link->unknown = wmem_map_new(wmem_file_scope(), hash_key, equal_keys);
    link->unknown_nodes = wmem_map_new(wmem_file_scope(), hash_key, equal_keys);
    link->unknown_synchronizers = wmem_map_new(wmem_file_scope(), hash_key, equal_keys);
    return link;
}

/* The links of one address pair, which may have many connections one after another, by connection number. */
typedef struct pair_links {
    wmem_map_t *by_connection;
} pair_links;

static godot_mp_link *find_link(packet_info *pinfo, uint32_t connection)
{
    const pair_links *pair = gw_conversation_find(pinfo, proto_mp);
    return pair ? wmem_map_lookup(pair->by_connection, GUINT_TO_POINTER(connection)) : NULL;
}

static godot_mp_link *obtain_link(packet_info *pinfo, uint32_t connection)
{
    pair_links *pair = gw_conversation_obtain(pinfo, proto_mp, sizeof *pair);
    if (!pair->by_connection)
        pair->by_connection = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    godot_mp_link *link = wmem_map_lookup(pair->by_connection, GUINT_TO_POINTER(connection));
    if (!link) {
        link = new_link();
        wmem_map_insert(pair->by_connection, GUINT_TO_POINTER(connection), link);
    }
    return link;
}

godot_mp_kept *godot_mp_find_kept(const godot_mp_place *place)
{
    return place->seq ? p_get_proto_data(wmem_file_scope(), place->pinfo, proto_mp, place->ordinal) : NULL;
}

bool godot_mp_find_stream(packet_info *pinfo, uint32_t *stream)
{
    *stream = GODOT_MP_NO_STREAM;
    for (uint32_t ordinal = 0; *stream == GODOT_MP_NO_STREAM && ordinal < MOST_ORDINALS; ordinal++) {
        const godot_mp_kept *kept = p_get_proto_data(wmem_file_scope(), pinfo, proto_mp, ordinal);
        if (kept)
            *stream = kept->link->number;
    }
    return *stream != GODOT_MP_NO_STREAM;
}

void godot_mp_find_place(godot_mp_place *place, packet_info *pinfo)
{
    place->pinfo = pinfo;
    place->side = gw_sender_side(pinfo);
    if (gw_is_quoted(pinfo))
        return;
    place->first_pass = !PINFO_FD_VISITED(pinfo) && !place->repeated;
    place->link = find_link(pinfo, place->connection);
    const godot_mp_kept *kept = p_get_proto_data(wmem_file_scope(), pinfo, proto_mp, place->ordinal);
    place->seq = kept ? kept->seq : 0;
}

void godot_mp_keep_place(godot_mp_place *place)
{
    packet_info *pinfo = place->pinfo;
    if (!gw_first_pass(pinfo))
        return;
    if (!place->link)
        place->link = obtain_link(pinfo, place->connection);
    if (place->seq)
        return;
    godot_mp_kept *kept = wmem_new0(wmem_file_scope(), godot_mp_kept);
    kept->seq = ++messages;
    kept->form = GW_GODOT_MULTIPLAYER_FORMS;
    kept->link = place->link;
    p_add_proto_data(wmem_file_scope(), pinfo, proto_mp, place->ordinal, kept);
    place->seq = kept->seq;
}

void godot_mp_keep_stream(const godot_mp_place *place)
{
    if (place->link && place->link->number == GODOT_MP_NO_STREAM && !PINFO_FD_VISITED(place->pinfo))
        place->link->number = links++;
}

void godot_mp_keep_accepted(const godot_mp_place *place)
{
    if (place->link && !place->link->accepted_seq && !PINFO_FD_VISITED(place->pinfo))
        place->link->accepted_seq = place->seq;
}

bool godot_mp_is_accepted(const godot_mp_place *place)
{
    const godot_mp_link *link = place->link;
    if (!link || !link->accepted_seq)
        return false;
    return place->seq ? place->seq >= link->accepted_seq : !PINFO_FD_VISITED(place->pinfo);
}

/* ---- form ---------------------------------------------------------------------------------------------- */

gw_godot_multiplayer_form godot_mp_find_form(const godot_mp_place *place)
{
    const godot_mp_link *link = place->link;
    const godot_mp_kept *kept = link ? godot_mp_find_kept(place) : NULL;
    if (kept && kept->form != GW_GODOT_MULTIPLAYER_FORMS)
        return kept->form;
    return link && link->form_seq ? link->form : GW_GODOT_MULTIPLAYER_FORMS;
}

static void keep_only_form(const godot_mp_place *place, gw_godot_multiplayer_form best,
                           const gw_recognition *recognition)
{
    bool only = recognition->readings == UINT32_C(1) << best;
    if (place->link->form_seq || !only || recognition->bits < FORM_BITS)
        return;
    place->link->form = best;
    place->link->form_seq = place->seq;
    godot_generation_learn(place->pinfo, GW_GODOT_GENERATION_BIT(gw_godot_multiplayer_generation(best)));
}

gw_godot_multiplayer_form godot_mp_keep_form(const godot_mp_place *place, gw_godot_multiplayer_form best,
                                             const gw_recognition *recognition)
{
    gw_godot_multiplayer_form form = godot_mp_find_form(place);
    godot_mp_kept *kept = place->link ? godot_mp_find_kept(place) : NULL;
    if (form == GW_GODOT_MULTIPLAYER_FORMS)
        form = best;
    if (!kept || PINFO_FD_VISITED(place->pinfo))
        return form;
    keep_only_form(place, best, recognition);
    kept->form = form;
    return form;
}

/* ---- peers --------------------------------------------------------------------------------------------- */

static void set_peer(godot_mp_link *link, uint8_t side, int32_t id, uint32_t frame, uint32_t seq)
{
    if (link->known[side].id == id)
        return;
    godot_mp_peer *peer = wmem_new(wmem_file_scope(), godot_mp_peer);
    *peer = (godot_mp_peer){ id, frame };
    link->known[side] = *peer;
    wmem_tree_insert32(link->peers[side], seq, peer);
}

void godot_mp_keep_first(godot_mp_place *place, int32_t id)
{
    if (!gw_first_pass(place->pinfo) || id <= GW_GODOT_MULTIPLAYER_SERVER)
        return;
    godot_mp_link *link = obtain_link(place->pinfo, place->connection);
    place->link = link;
    if (link->first_frame)
        return;
    link->first_frame = place->pinfo->num;
    set_peer(link, place->side, GW_GODOT_MULTIPLAYER_SERVER, place->pinfo->num, 0);
    set_peer(link, place->side ^ 1U, id, place->pinfo->num, 0);
}

bool godot_mp_is_first(const godot_mp_place *place)
{
    return place->link && place->link->first_frame == place->pinfo->num && !place->ordinal;
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
    const godot_mp_link *link = place->link;
    if (link && (link->first_frame ? !godot_mp_is_first(place) : link->accepted_seq))
        return false;
    return may_be_server(place->pinfo);
}

/* The server's first message is the assigned id: if it is known by another one, that message was not captured, and none
 * of the client's is it. */
static void drop_first(godot_mp_link *link, uint8_t server)
{
    if (link->first_frame && link->known[server].id == GW_GODOT_MULTIPLAYER_SERVER)
        return;
    for (uint8_t side = 0; link->first_frame && side < 2; side++)
        set_peer(link, side, 0, 0, 0);
    link->first_frame = GODOT_MP_NO_FRAME;
}

void godot_mp_keep_peer(const godot_mp_place *place, uint8_t side, int32_t id, uint32_t frame)
{
    if (!place->link || !place->first_pass)
        return;
    if (id == GW_GODOT_MULTIPLAYER_SERVER)
        drop_first(place->link, side);
    if (!place->given[side])
        set_peer(place->link, side, id, frame, place->seq);
}

void godot_mp_find_peers(const godot_mp_place *place, godot_mp_peer peers[2])
{
    for (uint8_t side = 0; side < 2; side++) {
        const godot_mp_peer *peer = place->link ? wmem_tree_lookup32_le(place->link->peers[side], place->seq) : NULL;
        peers[side] = peer ? *peer : (godot_mp_peer){ 0, 0 };
        if (place->given[side])
            peers[side] = (godot_mp_peer){ place->given[side], 0 };
    }
}
