/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every message gets a number on the first pass. What it says is kept under that number, in a tree for each id, so that
 * a message finds on every pass what was known when it was sent: the newest entry that is not younger than itself.
 */
#include "analysis.h"

#include <epan/proto_data.h>

#include "common/conversation.h"
#include "godot/variant/generation.h"

#define UNKNOWN_SIDE 2
/* A form that several bits speak for is the link's from then on. */
#define FORM_BITS 16U
/* Syncs are counted modulo 2^16: what is further ahead than this came late. */
#define LATE 0x8000U

/* What an id meant, over time. */
typedef struct history {
    wmem_tree_t *entries; /* by message */
    void *first;
} history;

typedef struct sync_count {
    uint32_t frame;
    nstime_t sent;
    uint16_t time;
} sync_count;

struct godot_link {
    uint32_t connection;
    struct godot_link *next; /* of the same conversation */
    uint32_t form_seq;       /* message that left no doubt about the form; 0: none yet */
    gw_godot_multiplayer_form form;
    uint32_t first_frame;  /* WebSocket: the message that may be the assigned id */
    wmem_tree_t *peers[2]; /* by message: godot_peer */
    godot_peer known[2];
    wmem_map_t *paths;   /* of id_key: history of godot_path_entry */
    wmem_map_t *by_path; /* text: newest godot_path_entry */
    wmem_map_t *spawns;  /* of id_key: history of godot_spawn_entry */
    wmem_map_t *counts;  /* of id_key: sync_count */
};

/* What is kept of one message. */
typedef struct kept_message {
    uint32_t seq;
    gw_godot_multiplayer_form form; /* FORMS: not decided */
    godot_sync_facts sync;
} kept_message;

static int proto_multiplayer = -1;
static uint32_t messages; /* of the file, so far */

static void forget_file(void)
{
    messages = 0;
}

void godot_multiplayer_analysis_register(int protocol)
{
    proto_multiplayer = protocol;
    register_init_routine(forget_file);
}

/* ---- links --------------------------------------------------------------------------------------------- */

static godot_link *new_link(uint32_t connection)
{
    godot_link *link = wmem_new0(wmem_file_scope(), godot_link);
    link->connection = connection;
    link->form = GW_GODOT_MULTIPLAYER_FORMS;
    for (unsigned side = 0; side < 2; side++)
        link->peers[side] = wmem_tree_new(wmem_file_scope());
    link->paths = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
    link->by_path = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
    link->spawns = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
    link->counts = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
    return link;
}

/* The links of a conversation hang on one that is never used itself. */
static godot_link *find_link(packet_info *pinfo, uint32_t connection, bool first_pass)
{
    godot_link *link = first_pass ? gw_conversation_obtain(pinfo, proto_multiplayer, sizeof(godot_link))
                                  : gw_conversation_find(pinfo, proto_multiplayer);
    if (!link)
        return NULL;
    while (link->next && link->next->connection != connection)
        link = link->next;
    if (!link->next && first_pass)
        link->next = new_link(connection);
    return link->next;
}

static kept_message *keep_message(packet_info *pinfo, uint32_t ordinal, bool first_pass)
{
    kept_message *kept = p_get_proto_data(wmem_file_scope(), pinfo, proto_multiplayer, ordinal);
    if (kept || !first_pass)
        return kept;
    kept = wmem_new0(wmem_file_scope(), kept_message);
    kept->seq = ++messages;
    kept->form = GW_GODOT_MULTIPLAYER_FORMS;
    p_add_proto_data(wmem_file_scope(), pinfo, proto_multiplayer, ordinal, kept);
    return kept;
}

static kept_message *kept_of(const godot_place *place)
{
    return p_get_proto_data(wmem_file_scope(), place->pinfo, proto_multiplayer, place->ordinal);
}

void godot_place_init(godot_place *place, packet_info *pinfo, const godot_carried *carried)
{
    bool first_pass = !PINFO_FD_VISITED(pinfo) && !gw_is_quoted(pinfo);
    *place = (godot_place){ .pinfo = pinfo, .side = gw_sender_side(pinfo), .ordinal = carried->ordinal };
    if (gw_is_quoted(pinfo))
        return;
    const kept_message *kept = keep_message(pinfo, place->ordinal, first_pass);
    /* What only a later pass takes for ours, since the proof came after it, knows of nothing but its link. */
    place->seq = kept ? kept->seq : 0;
    place->link = find_link(pinfo, carried->connection, first_pass);
    place->first_pass = first_pass && !carried->repeated;
    place->repeated = carried->repeated;
}

/* ---- form ---------------------------------------------------------------------------------------------- */

static gw_godot_multiplayer_form decide_form(const godot_place *place, gw_godot_multiplayer_form best,
                                             const gw_recognition *recognition)
{
    godot_link *link = place->link;
    bool only = recognition->readings == UINT32_C(1) << best;
    if (link->form_seq)
        return link->form;
    if (only && recognition->bits >= FORM_BITS) {
        link->form = best;
        link->form_seq = place->seq;
        godot_generation_learn(place->pinfo, GW_GODOT_GENERATION_BIT(gw_godot_multiplayer_generation(best)));
    }
    return best;
}

gw_godot_multiplayer_form godot_link_form(const godot_place *place, gw_godot_multiplayer_form best,
                                          const gw_recognition *recognition)
{
    godot_link *link = place->link;
    kept_message *kept = link ? kept_of(place) : NULL;
    if (kept && kept->form == GW_GODOT_MULTIPLAYER_FORMS)
        kept->form = decide_form(place, best, recognition);
    if (kept)
        return kept->form;
    return link && link->form_seq ? link->form : best;
}

static void set_peer(godot_link *link, uint8_t side, int32_t id, uint32_t frame, uint32_t seq)
{
    if (link->known[side].id == id)
        return;
    godot_peer *peer = wmem_new(wmem_file_scope(), godot_peer);
    *peer = (godot_peer){ id, frame };
    link->known[side] = *peer;
    wmem_tree_insert32(link->peers[side], seq, peer);
}

void godot_link_note_first(packet_info *pinfo, int32_t id)
{
    if (PINFO_FD_VISITED(pinfo) || gw_is_quoted(pinfo) || id <= GW_GODOT_MULTIPLAYER_SERVER)
        return;
    godot_link *link = find_link(pinfo, 0, true);
    if (link->first_frame)
        return;
    link->first_frame = pinfo->num;
    set_peer(link, gw_sender_side(pinfo), GW_GODOT_MULTIPLAYER_SERVER, pinfo->num, 0);
    set_peer(link, gw_sender_side(pinfo) ^ 1U, id, pinfo->num, 0);
}

bool godot_link_is_first(const godot_place *place)
{
    return place->link && place->link->first_frame == place->pinfo->num && !place->ordinal;
}

/* ---- peers --------------------------------------------------------------------------------------------- */

void godot_peer_set(const godot_place *place, uint8_t side, int32_t id, uint32_t frame)
{
    if (place->link && place->first_pass)
        set_peer(place->link, side, id, frame, place->seq);
}

godot_peer godot_peer_at(const godot_place *place, uint8_t side)
{
    const godot_peer *peer = place->link ? wmem_tree_lookup32_le(place->link->peers[side], place->seq) : NULL;
    return peer ? *peer : (godot_peer){ 0, 0 };
}

/* Which side is the server: the one whose id is 1, or the other one if that has another id. */
static uint8_t server_side(const godot_place *place)
{
    for (uint8_t side = 0; side < 2; side++) {
        int32_t id = godot_peer_at(place, side).id;
        if (id == GW_GODOT_MULTIPLAYER_SERVER)
            return side;
        if (id)
            return side ^ 1U;
    }
    return UNKNOWN_SIDE;
}

void godot_peer_learn(const godot_place *place, const gw_godot_multiplayer_reader *reader,
                      const gw_godot_multiplayer_event *event)
{
    uint32_t frame = place->pinfo->num;
    bool id = event->field == GW_GODOT_MULTIPLAYER_ASSIGNED ||
              (event->field == GW_GODOT_MULTIPLAYER_PEER && reader->form == GW_GODOT_MULTIPLAYER_3_WEBSOCKET &&
               reader->head_type == GW_GODOT_MULTIPLAYER_WEBSOCKET_ID);
    if (id)
        godot_peer_set(place, place->side ^ 1U, (int32_t)event->number, frame);
    /* Only a server says that, in either generation. */
    if (id || event->field == GW_GODOT_MULTIPLAYER_PEER)
        godot_peer_set(place, place->side, GW_GODOT_MULTIPLAYER_SERVER, frame);
}

void godot_place_take(godot_place *place, const gw_godot_multiplayer_event *event)
{
    int32_t number = (int32_t)event->number;
    if (event->field == GW_GODOT_MULTIPLAYER_SOURCE) {
        place->is_head = true;
        place->head_source = number;
    } else if (event->field == GW_GODOT_MULTIPLAYER_TARGET) {
        place->head_target = number;
    } else {
        place->is_relayed = true;
        place->relay_peer = number;
    }
}

static bool peer_of(const godot_place *place, uint8_t side, int32_t *id)
{
    *id = godot_peer_at(place, side).id;
    if (!*id && server_side(place) == side)
        *id = GW_GODOT_MULTIPLAYER_SERVER;
    return *id != 0;
}

bool godot_source_of(const godot_place *place, int32_t *id)
{
    *id = place->head_source;
    if (place->is_head)
        return true;
    *id = place->relay_peer;
    if (place->is_relayed && server_side(place) == UNKNOWN_SIDE)
        return false;
    if (place->is_relayed && server_side(place) == place->side)
        return true;
    return peer_of(place, place->side, id);
}

bool godot_target_of(const godot_place *place, int32_t *id)
{
    *id = place->head_target;
    if (place->is_head)
        return true;
    *id = place->relay_peer;
    if (place->is_relayed && server_side(place) == UNKNOWN_SIDE)
        return false;
    if (place->is_relayed && server_side(place) != place->side)
        return true;
    return peer_of(place, place->side ^ 1U, id);
}

/* ---- ids ----------------------------------------------------------------------------------------------- */

/* Whose ids they are, at the side that `defines` them: those of the peer there, or of the one that it relays for. A
 * client counts its ids for all peers, so that towards the server the destination does not matter. */
static int32_t owner_of(const godot_place *place, bool defines)
{
    if (place->is_head)
        return defines ? place->head_source : place->head_target;
    if (!place->is_relayed)
        return 0;
    uint8_t definer = defines ? place->side : place->side ^ 1U;
    uint8_t server = server_side(place);
    return server == UNKNOWN_SIDE || server == definer ? place->relay_peer : 0;
}

static int64_t id_key(uint8_t side, int32_t owner, uint32_t id)
{
    /* Owners have 31 bits, or are -1 for nobody in particular: the side takes the highest one. */
    return (int64_t)((uint64_t)side << 63 | (uint64_t)((uint32_t)owner & INT32_MAX) << 32 | id);
}

static int64_t path_key(const godot_place *place, uint32_t id, bool defines)
{
    uint8_t side = defines ? place->side : place->side ^ 1U;
    return id_key(side, owner_of(place, defines), id);
}

static void *find_entry(wmem_map_t *map, int64_t key, uint32_t seq, bool *later)
{
    history *found = wmem_map_lookup(map, &key);
    void *entry = found ? wmem_tree_lookup32_le(found->entries, seq) : NULL;
    if (later)
        *later = found && !entry;
    return entry || !found || !later ? entry : found->first;
}

static void add_entry(wmem_map_t *map, int64_t key, uint32_t seq, void *entry)
{
    history *found = wmem_map_lookup(map, &key);
    if (!found) {
        int64_t *kept_key = wmem_new(wmem_file_scope(), int64_t);
        *kept_key = key;
        found = wmem_new(wmem_file_scope(), history);
        *found = (history){ wmem_tree_new(wmem_file_scope()), entry };
        wmem_map_insert(map, kept_key, found);
    }
    wmem_tree_insert32(found->entries, seq, entry);
}

/* ---- paths --------------------------------------------------------------------------------------------- */

/* Whose path, and its text. */
static char *text_key(const godot_place *place, const char *path, bool defines, wmem_allocator_t *scope)
{
    uint8_t side = defines ? place->side : place->side ^ 1U;
    return wmem_strdup_printf(scope, "%u %d %s", side, owner_of(place, defines), path);
}

const godot_path_entry *godot_path_define(const godot_place *place, uint32_t id, const char *path, const char *checksum)
{
    if (!place->link)
        return NULL;
    int64_t key = path_key(place, id, true);
    godot_path_entry *before = find_entry(place->link->paths, key, place->seq, NULL);
    if (!place->first_pass || (before && !strcmp(before->path, path)))
        return before;
    godot_path_entry *entry = wmem_new0(wmem_file_scope(), godot_path_entry);
    entry->path = wmem_strdup(wmem_file_scope(), path);
    entry->checksum = checksum ? wmem_strdup(wmem_file_scope(), checksum) : NULL;
    entry->frame = place->pinfo->num;
    entry->time = place->pinfo->abs_ts;
    add_entry(place->link->paths, key, place->seq, entry);
    wmem_map_insert(place->link->by_path, text_key(place, path, true, wmem_file_scope()), entry);
    return entry;
}

const godot_path_entry *godot_path_find(const godot_place *place, uint32_t id, bool *later)
{
    *later = false;
    return place->link ? find_entry(place->link->paths, path_key(place, id, true), place->seq, later) : NULL;
}

const godot_path_entry *godot_path_find_text(const godot_place *place, const char *path)
{
    return place->link ? wmem_map_lookup(place->link->by_path, text_key(place, path, true, place->pinfo->pool)) : NULL;
}

const godot_path_entry *godot_path_before(const godot_place *place, uint32_t id)
{
    return place->link && place->seq ? find_entry(place->link->paths, path_key(place, id, true), place->seq - 1, NULL)
                                     : NULL;
}

static godot_path_entry *confirmed_entry(const godot_place *place, uint32_t id, const char *path)
{
    if (!path)
        return find_entry(place->link->paths, path_key(place, id, false), place->seq, NULL);
    return wmem_map_lookup(place->link->by_path, text_key(place, path, false, place->pinfo->pool));
}

const godot_path_entry *godot_path_confirm(const godot_place *place, uint32_t id, const char *path, bool same)
{
    godot_path_entry *entry = place->link ? confirmed_entry(place, id, path) : NULL;
    if (!entry || !place->first_pass || entry->confirmed_in)
        return entry;
    entry->confirmed_in = place->pinfo->num;
    entry->confirmed_seq = place->seq;
    entry->confirmed_at = place->pinfo->abs_ts;
    entry->same_methods = same;
    return entry;
}

/* ---- spawned nodes ------------------------------------------------------------------------------------- */

/* Net ids are the spawner's authority's, who is the server unless the game says otherwise; a synchroniser's id is the
 * same for both ends. */
static int64_t spawn_key(uint32_t net_id, bool synchroniser)
{
    return id_key(0, synchroniser, net_id);
}

const godot_spawn_entry *godot_spawn_add(const godot_place *place, uint32_t net_id, const godot_spawn_entry *entry,
                                         bool synchroniser)
{
    if (!place->link || place->repeated)
        return NULL;
    int64_t key = spawn_key(net_id, synchroniser);
    const godot_spawn_entry *before = find_entry(place->link->spawns, key, place->seq - 1, NULL);
    if (place->first_pass) {
        godot_spawn_entry *kept = wmem_new(wmem_file_scope(), godot_spawn_entry);
        *kept = *entry;
        kept->name = wmem_strdup(wmem_file_scope(), entry->name);
        kept->spawner = entry->spawner ? wmem_strdup(wmem_file_scope(), entry->spawner) : NULL;
        kept->frame = place->pinfo->num;
        kept->time = place->pinfo->abs_ts;
        add_entry(place->link->spawns, key, place->seq, kept);
    }
    bool in_use = before && !(before->despawned_seq && before->despawned_seq < place->seq);
    return in_use ? before : NULL;
}

const godot_spawn_entry *godot_spawn_find(const godot_place *place, uint32_t net_id, bool synchroniser)
{
    return place->link ? find_entry(place->link->spawns, spawn_key(net_id, synchroniser), place->seq, NULL) : NULL;
}

const godot_spawn_entry *godot_spawn_remove(const godot_place *place, uint32_t net_id)
{
    godot_spawn_entry *entry =
        place->link ? find_entry(place->link->spawns, spawn_key(net_id, false), place->seq, NULL) : NULL;
    if (entry && place->first_pass && !entry->despawned_in) {
        entry->despawned_in = place->pinfo->num;
        entry->despawned_seq = place->seq;
    }
    return entry;
}

/* ---- syncs --------------------------------------------------------------------------------------------- */

static void count_sync(sync_count *count, const packet_info *pinfo, uint16_t time, godot_sync_facts *facts)
{
    uint16_t ahead = (uint16_t)(time - count->time);
    if (count->frame) {
        facts->previous = count->frame;
        nstime_delta(&facts->interval, &pinfo->abs_ts, &count->sent);
        facts->late = ahead >= LATE;
        facts->ahead = facts->late ? 0 : ahead;
    }
    if (facts->late)
        return;
    count->frame = pinfo->num;
    count->sent = pinfo->abs_ts;
    count->time = time;
}

void godot_sync_follow(const godot_place *place, uint16_t time, godot_sync_facts *facts)
{
    kept_message *kept = place->link ? kept_of(place) : NULL;
    *facts = (godot_sync_facts){ .previous = 0 };
    if (!kept)
        return;
    if (place->first_pass) {
        int64_t key = path_key(place, 0, true);
        sync_count *count = wmem_map_lookup(place->link->counts, &key);
        if (!count) {
            int64_t *kept_key = wmem_new(wmem_file_scope(), int64_t);
            *kept_key = key;
            count = wmem_new0(wmem_file_scope(), sync_count);
            wmem_map_insert(place->link->counts, kept_key, count);
        }
        count_sync(count, place->pinfo, time, &kept->sync);
    }
    *facts = kept->sync;
}

/* ---- without a tree ------------------------------------------------------------------------------------ */

typedef struct quiet_reading {
    godot_place *place;
    const uint8_t *bytes;
    gw_godot_multiplayer_reader reader;
    uint32_t path_id;
    const char *checksum;
    bool same;
} quiet_reading;

static const char *quiet_text(const quiet_reading *quiet, const gw_godot_multiplayer_event *event)
{
    return wmem_strndup(quiet->place->pinfo->pool, (const char *)quiet->bytes + event->payload.offset,
                        event->payload.length);
}

static void learn_path(quiet_reading *quiet, const gw_godot_multiplayer_event *event)
{
    uint8_t command = quiet->reader.packet.command;
    if (command == GW_GODOT_MULTIPLAYER_SIMPLIFY_PATH)
        godot_path_define(quiet->place, quiet->path_id, quiet_text(quiet, event), quiet->checksum);
    else if (command == GW_GODOT_MULTIPLAYER_CONFIRM_PATH)
        godot_path_confirm(quiet->place, 0, quiet_text(quiet, event), quiet->same);
}

static void learn_path_id(quiet_reading *quiet, const gw_godot_multiplayer_event *event)
{
    quiet->path_id = (uint32_t)event->number;
    if (quiet->reader.packet.command == GW_GODOT_MULTIPLAYER_CONFIRM_PATH)
        godot_path_confirm(quiet->place, quiet->path_id, NULL, quiet->same);
}

static void learn_event(quiet_reading *quiet, const gw_godot_multiplayer_event *event)
{
    switch (event->field) {
    case GW_GODOT_MULTIPLAYER_SOURCE:
    case GW_GODOT_MULTIPLAYER_TARGET:
    case GW_GODOT_MULTIPLAYER_RELAY_PEER:
        godot_place_take(quiet->place, event);
        break;
    case GW_GODOT_MULTIPLAYER_CHECKSUM_TEXT:
        quiet->checksum = quiet_text(quiet, event);
        break;
    case GW_GODOT_MULTIPLAYER_CONFIRMED:
        quiet->same = event->number != 0;
        break;
    case GW_GODOT_MULTIPLAYER_PATH_ID:
        learn_path_id(quiet, event);
        break;
    case GW_GODOT_MULTIPLAYER_PATH:
        learn_path(quiet, event);
        break;
    default:
        godot_peer_learn(quiet->place, &quiet->reader, event);
        break;
    }
}

void godot_learn_quietly(godot_place *place, const uint8_t *bytes, size_t length, gw_godot_multiplayer_form form)
{
    const gw_godot_multiplayer_options options = { .form = form };
    quiet_reading quiet = { .place = place, .bytes = bytes, .same = true };
    gw_godot_multiplayer_event event;
    gw_godot_multiplayer_init(&quiet.reader, bytes, length, &options);
    while (gw_godot_multiplayer_next(&quiet.reader, &event) == GW_NEXT_EVENT)
        learn_event(&quiet, &event);
}
