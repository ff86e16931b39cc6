/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A name is searched by the peer's id, by its address, and among the names that the game sends in calls.
 */
#include "internal.h"

#include "godot/multiplayer/relations/internal.h"

#include <epan/to_str.h>
#include <epan/uat.h>
#include <gamewire/bytes.h>
#include <wsutil/inet_addr.h>
#include <wsutil/utf8_entities.h>

#include "common/conversation.h"
#include "common/registration.h"
#include "common/spans.h"
#include "godot/variant/variants.h"

/* A name is for a column: a longer one is cut after these bytes. */
#define NAME_LENGTH 40U
#define PORT_DIGITS 5

/* ---- rows, as users edit them -------------------------------------------------------------------------- */

typedef struct peer_row {
    char *peer;
    char *name;
} peer_row;

typedef struct call_row {
    char *path;
} call_row;

UAT_CSTRING_CB_DEF(peer_rows, peer, peer_row)
UAT_CSTRING_CB_DEF(peer_rows, name, peer_row)
UAT_CSTRING_CB_DEF(call_rows, path, call_row)

static peer_row *peer_rows;
static unsigned peer_row_count;
static call_row *call_rows;
static unsigned call_row_count;

static void *copy_peer(void *to, const void *from, size_t length)
{
    return gw_copy_row(to, from, length, sizeof(peer_row) / sizeof(char *));
}

static void free_peer(void *row)
{
    gw_free_row(row, sizeof(peer_row) / sizeof(char *));
}

static void *copy_call(void *to, const void *from, size_t length)
{
    return gw_copy_row(to, from, length, sizeof(call_row) / sizeof(char *));
}

static void free_call(void *row)
{
    gw_free_row(row, sizeof(call_row) / sizeof(char *));
}

/* ---- tables made from the rows ------------------------------------------------------------------------- */

static GHashTable *names_by_id; /* id: name */
static GHashTable
    *names_by_address; /* "192.0.2.7", "192.0.2.7:40611", "[2001:db8::7]:40611": name; NULL: no such row */

static bool is_id(const char *peer, int32_t *id)
{
    uint64_t number = 0;
    size_t length = strlen(peer);
    if (!length || length > 10 || strspn(peer, "0123456789") != length)
        return false;
    for (; *peer; peer++)
        number = 10 * number + (uint64_t)(*peer - '0');
    *id = (int32_t)number;
    return number && number <= INT32_MAX;
}

/* The address as epan prints it; NULL: it is none. The caller frees it. */
static char *address_of(const char *host)
{
    ws_in4_addr four;
    ws_in6_addr six;
    char text[WS_INET6_ADDRSTRLEN];
    if (ws_inet_pton4(host, &four))
        return g_strdup(ws_inet_ntop4(&four, text, sizeof text));
    if (ws_inet_pton6(host, &six))
        return g_strdup(ws_inet_ntop6(&six, text, sizeof text));
    return NULL;
}

static bool is_port(const char *port)
{
    size_t length = strlen(port);
    return length && length <= PORT_DIGITS && strspn(port, "0123456789") == length;
}

static char *key_of_host_and_port(const char *peer)
{
    bool in_brackets = *peer == '[';
    const char *end = in_brackets ? strstr(peer, "]:") : strrchr(peer, ':');
    const char *port = end ? end + (in_brackets ? 2 : 1) : NULL;
    if (!port || !is_port(port))
        return NULL;
    char *host = g_strndup(peer + in_brackets, (size_t)(end - peer) - in_brackets);
    char *plain = address_of(host);
    char *key = plain && in_brackets == (strchr(plain, ':') != NULL)
                    ? g_strdup_printf(in_brackets ? "[%s]:%s" : "%s:%s", plain, port)
                    : NULL;
    g_free(plain);
    g_free(host);
    return key;
}

/* The key of an address, with or without a port; NULL: it is none. The caller frees it. */
static char *key_of(const char *peer)
{
    char *plain = address_of(peer);
    return plain ? plain : key_of_host_and_port(peer);
}

static ws_bool check_peer(void *data, char **error)
{
    const peer_row *row = data;
    const char *peer = row->peer ? row->peer : "";
    int32_t id;
    char *key = is_id(peer, &id) ? NULL : key_of(peer);
    *error = NULL;
    if (!is_id(peer, &id) && !key)
        *error = g_strdup_printf("%s is no peer id and no address such as 192.0.2.7, 192.0.2.7:40611 or "
                                 "[2001:db8::7]:40611",
                                 peer);
    else if (!row->name || !*row->name)
        *error = g_strdup("The name is empty");
    g_free(key);
    return *error == NULL;
}

static void drop_peers(void)
{
    if (names_by_id)
        g_hash_table_destroy(names_by_id);
    if (names_by_address)
        g_hash_table_destroy(names_by_address);
    names_by_id = names_by_address = NULL;
}

static void read_peers(void)
{
    drop_peers();
    names_by_id = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    for (unsigned i = 0; i < peer_row_count; i++) {
        int32_t id;
        char *key = is_id(peer_rows[i].peer, &id) ? NULL : key_of(peer_rows[i].peer);
        if (is_id(peer_rows[i].peer, &id))
            g_hash_table_insert(names_by_id, GINT_TO_POINTER(id), g_strdup(peer_rows[i].name));
        if (key && !names_by_address)
            names_by_address = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
        if (key)
            g_hash_table_insert(names_by_address, key, g_strdup(peer_rows[i].name));
    }
}

/* ---- calls that have names ----------------------------------------------------------------------------- */

/* A method, and the number of its argument. */
static bool has_argument(const char *path)
{
    size_t name = strcspn(path, "(.[\" ");
    size_t digits = path[name] == '(' ? strspn(path + name + 1, "0123456789") : 0;
    return name && digits && path[name + 1 + digits] == ')';
}

/* After the argument only members follow: ".name". */
static bool has_only_members(const char *steps)
{
    while (*steps == '.') {
        size_t name = strcspn(steps + 1, "(.[\" ");
        if (!name)
            return false;
        steps += 1 + name;
    }
    return !*steps;
}

static const char *call_error(const char *path)
{
    if (!has_argument(path))
        return "A method and the number of its argument are expected, as in join(0)";
    if (!has_only_members(strchr(path, ')') + 1))
        return "After the argument, members are written with periods, as in register(0).name";
    return NULL;
}

static ws_bool check_call(void *data, char **error)
{
    const call_row *row = data;
    const char *wrong = call_error(row->path ? row->path : "");
    *error = wrong ? g_strdup(wrong) : NULL;
    return *error == NULL;
}

/* "name" of ".name.first"; and the text after it. */
static bool is_step(const char *steps, const uint8_t *bytes, gw_span key)
{
    size_t length = strcspn(steps + 1, ".");
    return key.length == length && !memcmp(bytes + key.offset, steps + 1, length);
}

static bool is_text(const gw_godot_event *event)
{
    return event->kind == GW_VALUE && (event->type == GW_GODOT_STRING || event->type == GW_GODOT_STRING_NAME);
}

static bool is_key(const gw_godot_event *event)
{
    return event->role == GW_GODOT_ROLE_KEY || event->role == GW_GODOT_ROLE_PROPERTY_NAME;
}

/* Finds the text at `steps`, such as ".name" or "", in the Variant. `level` is the depth of the value at the next step;
 * a member matches if its key did. */
static bool find_text(const uint8_t *bytes, gw_span value, gw_godot_generation generation, const char *steps,
                      gw_span *found)
{
    const gw_godot_options options = { .generation = generation };
    gw_godot_reader reader;
    gw_godot_event event;
    uint32_t level = 0;
    bool matches = true;
    gw_godot_init(&reader, bytes + value.offset, value.length, &options);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT && event.depth >= level) {
        if (event.depth > level)
            continue;
        if (is_key(&event)) {
            matches = is_text(&event) && is_step(steps, bytes + value.offset, event.text);
            if (matches)
                steps += 1 + strcspn(steps + 1, ".");
            continue;
        }
        if (!matches)
            continue;
        *found = (gw_span){ value.offset + event.text.offset, event.text.length };
        if (!*steps)
            return is_text(&event);
        if (event.kind != GW_OPEN)
            return false;
        level++;
        matches = false;
    }
    return false;
}

/* Godot 4 sends a number: its name is known for a path that was defined before. */
static const char *method_of(const godot_mp_message *message)
{
    const godot_mp_path *path = message->findings->path.entry;
    const godot_script *script = path ? godot_script_of(path->checksum) : NULL;
    if (message->facts.method)
        return message->facts.method;
    return script ? godot_script_method(script, message->facts.method_id) : NULL;
}

static const gw_godot_mp_event *argument_at(const godot_mp_message *message, uint32_t index)
{
    for (uint32_t i = 0; i < message->event_count; i++) {
        const gw_godot_mp_event *event = &message->events[i];
        if (event->role == GW_GODOT_MP_ROLE_ARGUMENT && event->index == index)
            return event->encoding == GW_GODOT_MP_PLAIN ? event : NULL;
    }
    return NULL;
}

static bool find_in_call(const godot_mp_message *message, const char *method, const char *path, gw_span *found)
{
    size_t length = strcspn(path, "(");
    if (path[length] != '(' || strlen(method) != length || strncmp(method, path, length) != 0)
        return false;
    const char *steps = strchr(path, ')');
    const gw_godot_mp_event *argument = argument_at(message, (uint32_t)g_ascii_strtoull(path + length + 1, NULL, 10));
    return argument && steps &&
           find_text(message->reader.bytes, argument->payload, (gw_godot_generation)message->reader.generation,
                     steps + 1, found);
}

/* ---- names in calls ------------------------------------------------------------------------------------ */

/* The names of one peer, over time. Most have one. */
typedef struct godot_mp_player_names {
    const char *first;
    wmem_tree_t *later; /* by message; NULL: none */
} player_names;

typedef struct peer_address {
    address host;
    uint32_t port;
} peer_address;

static wmem_map_t *players;        /* client's id: player_names */
static wmem_map_t *recorded_names; /* peer's id: name in a recording */
static wmem_map_t *addresses;      /* client's id: peer_address, from the latest message of its connection */

/* Each game's server is peer 1: its names belong to the connection. */
static player_names *player_of(const godot_mp_message *message, int32_t id)
{
    if (id == GW_GODOT_MP_SERVER)
        return message->place.connection ? message->place.connection->server : NULL;
    return wmem_map_lookup(players, GINT_TO_POINTER(id));
}

static player_names *new_player(const godot_mp_message *message, int32_t id)
{
    player_names *player = wmem_new0(wmem_file_scope(), player_names);
    if (id == GW_GODOT_MP_SERVER)
        message->place.connection->server = player;
    else
        wmem_map_insert(players, GINT_TO_POINTER(id), player);
    return player;
}

static const char *name_at(const player_names *player, uint32_t seq)
{
    const char *name = player->later ? wmem_tree_lookup32_le(player->later, seq) : NULL;
    return name ? name : player->first;
}

static const char *name_of_text(const godot_mp_message *message, gw_span text)
{
    bool is_long = text.length > NAME_LENGTH;
    if (is_long)
        text.length = gw_utf8_prefix(message->reader.bytes + text.offset, NAME_LENGTH);
    const char *name = godot_printable(message->pinfo, gw_text_of(message->pinfo->pool, message->tvb, text));
    return is_long ? wmem_strdup_printf(message->pinfo->pool, "%s" UTF8_HORIZONTAL_ELLIPSIS, name) : name;
}

static void keep_name(const godot_mp_message *message, int32_t id, gw_span text)
{
    player_names *player = player_of(message, id);
    const char *name = name_of_text(message, text);
    uint32_t seq = message->place.seq;
    if (!*name || (player && !strcmp(name_at(player, seq), name)))
        return;
    name = wmem_strdup(wmem_file_scope(), name);
    if (!player) {
        player = new_player(message, id);
        player->first = name;
        return;
    }
    if (!player->later)
        player->later = wmem_tree_new(wmem_file_scope());
    wmem_tree_insert32(player->later, seq, (void *)name);
}

void godot_mp_keep_player(int32_t id, const char *name)
{
    wmem_map_insert(recorded_names, GINT_TO_POINTER(id), wmem_strndup(wmem_file_scope(), name, NAME_LENGTH));
}

static void keep_address(const godot_mp_message *message)
{
    const godot_mp_peer *sender = &message->findings->sender;
    if (!names_by_address || sender->id <= GW_GODOT_MP_SERVER ||
        wmem_map_contains(addresses, GINT_TO_POINTER(sender->id)))
        return;
    peer_address *kept = wmem_new(wmem_file_scope(), peer_address);
    copy_address_wmem(wmem_file_scope(), &kept->host, &message->pinfo->src);
    kept->port = message->pinfo->srcport;
    wmem_map_insert(addresses, GINT_TO_POINTER(sender->id), kept);
}

void godot_mp_analyze_players(const godot_mp_context *context)
{
    const godot_mp_message *message = context->message;
    const godot_mp_findings *findings = message->findings;
    gw_span text;
    if (!message->place.first_pass || !message->place.connection)
        return;
    keep_address(message);
    if (!call_row_count || message->facts.command != GW_GODOT_MP_CALL || !findings->has_source ||
        findings->source < GW_GODOT_MP_SERVER)
        return;
    const char *method = method_of(message);
    for (unsigned i = 0; method && i < call_row_count; i++)
        if (find_in_call(message, method, call_rows[i].path, &text))
            keep_name(message, findings->source, text);
}

/* ---- texts --------------------------------------------------------------------------------------------- */

static const char *name_of_address(packet_info *pinfo, const address *host, uint32_t port)
{
    bool is_six = host->type == AT_IPv6;
    const char *text = address_to_str(pinfo->pool, host);
    const char *name = g_hash_table_lookup(names_by_address,
                                           wmem_strdup_printf(pinfo->pool, is_six ? "[%s]:%u" : "%s:%u", text, port));
    return name ? name : g_hash_table_lookup(names_by_address, text);
}

static const char *name_by_address(const godot_mp_message *message, int32_t id)
{
    packet_info *pinfo = message->pinfo;
    const peer_address *kept;
    if (!names_by_address)
        return NULL;
    if (id == message->findings->sender.id)
        return name_of_address(pinfo, &pinfo->src, pinfo->srcport);
    if (id == message->findings->receiver.id)
        return name_of_address(pinfo, &pinfo->dst, pinfo->destport);
    kept = wmem_map_lookup(addresses, GINT_TO_POINTER(id));
    return kept ? name_of_address(pinfo, &kept->host, kept->port) : NULL;
}

const char *godot_mp_player(const godot_mp_message *message, int32_t id)
{
    const char *name = names_by_id ? g_hash_table_lookup(names_by_id, GINT_TO_POINTER(id)) : NULL;
    if (id < GW_GODOT_MP_SERVER)
        return NULL;
    if (!name)
        name = name_by_address(message, id);
    if (!name)
        name = wmem_map_lookup(recorded_names, GINT_TO_POINTER(id));
    if (name)
        return godot_printable(message->pinfo, name);
    const player_names *player = call_row_count ? player_of(message, id) : NULL;
    return player ? name_at(player, message->place.seq) : NULL;
}

const char *godot_mp_peer_text(const godot_mp_message *message, int32_t id)
{
    const char *name = godot_mp_player(message, id);
    if (name)
        return name;
    return id == GW_GODOT_MP_SERVER ? "server" : wmem_strdup_printf(message->pinfo->pool, "client %d", id);
}

const char *godot_mp_from(const godot_mp_message *message)
{
    const godot_mp_findings *findings = message->findings;
    if (findings->has_source && findings->source >= GW_GODOT_MP_SERVER)
        return godot_mp_peer_text(message, findings->source);
    return findings->receiver.id == GW_GODOT_MP_SERVER ? "client" : NULL;
}

const char *godot_mp_to(const godot_mp_message *message)
{
    const godot_mp_findings *findings = message->findings;
    if (!findings->has_target)
        return findings->sender.id == GW_GODOT_MP_SERVER ? "client" : NULL;
    if (!findings->target)
        return "all";
    if (findings->target > 0)
        return godot_mp_peer_text(message, findings->target);
    return wmem_strdup_printf(message->pinfo->pool, "all but %s",
                              godot_mp_peer_text(message, (int32_t)(0 - (int64_t)findings->target)));
}

/* ---- registration -------------------------------------------------------------------------------------- */

void godot_register_peers(module_t *module)
{
    static uat_field_t peer_columns[] = {
        UAT_FLD_CSTRING(peer_rows, peer, "Peer", "Id of the peer, or its address: 192.0.2.7, 192.0.2.7:40611"),
        UAT_FLD_CSTRING(peer_rows, name, "Name", "Name of the player"), UAT_END_FIELDS
    };
    static uat_field_t call_columns[] = {
        UAT_FLD_CSTRING(call_rows, path, "Path",
                        "Argument of a call that is the caller's name, such as join(0) or register(0).name"),
        UAT_END_FIELDS
    };
    players = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    recorded_names = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    addresses = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    prefs_register_uat_preference(module, "peer_names", "Names of peers", "Players' names, by peer id or address",
                                  uat_new("Godot peer names", sizeof(peer_row), "godot_peer_names", true, &peer_rows,
                                          &peer_row_count, UAT_AFFECTS_DISSECTION, NULL, copy_peer, check_peer,
                                          free_peer, read_peers, drop_peers, peer_columns));
    prefs_register_uat_preference(module, "peer_name_calls", "Calls with names of peers",
                                  "Arguments of calls that are the caller's name: players' names that the game sends",
                                  uat_new("Godot calls with names of peers", sizeof(call_row), "godot_peer_name_calls",
                                          true, &call_rows, &call_row_count, UAT_AFFECTS_DISSECTION, NULL, copy_call,
                                          check_call, free_call, NULL, NULL, call_columns));
}
