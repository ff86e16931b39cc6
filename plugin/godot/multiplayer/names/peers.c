/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Peers as texts and as items. A name is searched by the peer's id, by its address, and among the names that the game
 * sends in calls.
 */
#include "internal.h"

#include <epan/to_str.h>
#include <epan/uat.h>
#include <gamewire/bytes.h>
#include <gamewire/godot_find.h>
#include <gamewire/text.h>
#include <wsutil/inet_addr.h>
#include <wsutil/utf8_entities.h>

#include "common/conversation.h"
#include "common/items.h"
#include "common/registration.h"
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

/* Callbacks of Wireshark's table of names: copy and free the texts of a row. */
static void *copy_peer(void *to, const void *from, size_t length)
{
    return gw_copy_row(to, from, length, sizeof(peer_row) / sizeof(char *));
}

static void free_peer(void *row)
{
    gw_free_row(row, sizeof(peer_row) / sizeof(char *));
}

/* The same callbacks for the table of calls. */
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
/* "192.0.2.7", "192.0.2.7:40611", "[2001:db8::7]:40611": name; NULL: no such row */
static GHashTable *names_by_address;

/* True for a decimal number from 1 to 2^31-1, which has at most ten digits; then `id` is the number. */
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

/* The address in the form in which epan prints it; NULL: `host` is not an IP address. The caller frees it. */
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

/* The key of an address in names_by_address, with or without a port; NULL: `peer` is not an address. The caller frees
 * it. */
static char *key_of(const char *peer)
{
    char *plain = address_of(peer);
    if (plain)
        return plain;
    bool in_brackets = *peer == '[';
    const char *end = in_brackets ? strstr(peer, "]:") : strrchr(peer, ':');
    const char *port = end ? end + (in_brackets ? 2 : 1) : "";
    size_t digits = strlen(port);
    if (!digits || digits > PORT_DIGITS || strspn(port, "0123456789") != digits)
        return NULL;
    char *host = g_strndup(peer + in_brackets, (size_t)(end - peer) - in_brackets);
    char *key = NULL;
    plain = address_of(host);
    /* Before a port, an IPv6 address is in brackets, and only such an address. */
    if (plain && in_brackets == (strchr(plain, ':') != NULL))
        key = g_strdup_printf(in_brackets ? "[%s]:%s" : "%s:%s", plain, port);
    g_free(plain);
    g_free(host);
    return key;
}

/* The test of a row of godot_peer_names, for Wireshark's table: an id or an address, and a name. */
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

/* Frees both tables: before they are made again, and when Wireshark removes the rows. */
static void drop_peers(void)
{
    if (names_by_id)
        g_hash_table_destroy(names_by_id);
    if (names_by_address)
        g_hash_table_destroy(names_by_address);
    names_by_id = names_by_address = NULL;
}

/* Makes both tables from the rows, which check_peer() has accepted: a peer is an id or an address. */
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

/* The test of a row of godot_peer_name_calls, for Wireshark's table. Accepts a method, the number of its argument, and
 * members of the argument: register(0).name. */
static ws_bool check_call(void *data, char **error)
{
    static const char ends[] = "(.[\" ";
    const call_row *row = data;
    const char *path = row->path ? row->path : "";
    size_t length = strcspn(path, ends); /* of a name */
    size_t digits = path[length] == '(' ? strspn(path + length + 1, "0123456789") : 0;
    *error = NULL;
    if (!length || !digits || path[length + 1 + digits] != ')') {
        *error = g_strdup("A method and the number of its argument are expected, as in join(0)");
        return false;
    }
    const char *members = path + length + 1 + digits + 1;
    while (*members == '.' && (length = strcspn(members + 1, ends)) > 0)
        members += 1 + length;
    if (*members)
        *error = g_strdup("After the argument, members are written with periods, as in register(0).name");
    return *error == NULL;
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
static wmem_map_t *addresses;      /* client's id: peer_address, from its first message */

/* The names that calls gave this peer; NULL: none. Each game's server is peer 1: its names belong to the connection. */
static player_names *player_of(const godot_mp_message *message, int32_t id)
{
    if (id == GW_GODOT_MP_SERVER)
        return message->position.connection ? message->position.connection->server : NULL;
    return wmem_map_lookup(players, GINT_TO_POINTER(id));
}

/* The latest name up to the message `seq` or, if all are later, the first one. */
static const char *name_at(const player_names *player, uint32_t seq)
{
    const char *name = player->later ? wmem_tree_lookup32_le(player->later, seq) : NULL;
    return name ? name : player->first;
}

/* Stores the text, a range of the message, as the name of this peer from the message on, cut after NAME_LENGTH bytes.
 * Does nothing if the text is empty, or is the name that the peer already has. The message has a connection: the
 * server's names are stored in it, since the server of each game has the id 1. */
static void keep_name(const godot_mp_message *message, int32_t id, gw_span text)
{
    wmem_allocator_t *pool = message->pinfo->pool;
    player_names *player = player_of(message, id);
    bool is_long = text.length > NAME_LENGTH;
    if (is_long)
        text.length = gw_utf8_prefix(message->reader.bytes + text.offset, NAME_LENGTH);
    const char *name = godot_printable(message->pinfo, gw_text_of(pool, message->tvb, text));
    if (is_long)
        name = wmem_strdup_printf(pool, "%s" UTF8_HORIZONTAL_ELLIPSIS, name);
    if (!*name || (player && !strcmp(name_at(player, message->position.seq), name)))
        return;
    name = wmem_strdup(wmem_file_scope(), name);
    if (player) {
        if (!player->later)
            player->later = wmem_tree_new(wmem_file_scope());
        wmem_tree_insert32(player->later, message->position.seq, (void *)name);
        return;
    }
    player = wmem_new0(wmem_file_scope(), player_names);
    player->first = name;
    if (id == GW_GODOT_MP_SERVER)
        message->position.connection->server = player;
    else
        wmem_map_insert(players, GINT_TO_POINTER(id), player);
}

/* Stores the name of a recording for the peer, until the file is closed. */
void godot_mp_keep_player(int32_t id, const char *name)
{
    wmem_map_insert(recorded_names, GINT_TO_POINTER(id), wmem_strndup(wmem_file_scope(), name, NAME_LENGTH));
}

/* Finds the text at a path such as register(0).name in a call of this method: `text` is its range in the message. False
 * for another method, or if there is no text: only a PLAIN argument, a Variant with its header, may have one. */
static bool find_text(const godot_mp_message *message, const char *method, const char *path, gw_span *text)
{
    const gw_godot_options options = { .generation = (gw_godot_generation)message->reader.generation };
    size_t length = strcspn(path, "(");
    const char *argument = path + length, *end = strchr(path, ')');
    if (*argument != '(' || !end || strlen(method) != length || strncmp(method, path, length) != 0)
        return false;
    uint32_t index = (uint32_t)g_ascii_strtoull(argument + 1, NULL, 10);
    for (uint32_t i = 0; i < message->event_count; i++) {
        const gw_godot_mp_event *event = &message->events[i];
        gw_godot_found value;
        if (event->role != GW_GODOT_MP_ROLE_ARGUMENT || event->index != index || event->encoding != GW_GODOT_MP_PLAIN)
            continue;
        if (!gw_godot_find(message->reader.bytes + event->payload.offset, event->payload.length, &options, end + 1,
                           &value) ||
            (value.type != GW_GODOT_STRING && value.type != GW_GODOT_STRING_NAME))
            return false;
        *text = (gw_span){ event->payload.offset + value.text.offset, value.text.length };
        return true;
    }
    return false;
}

/* On the first pass, stores the sender's address, if the tables have addresses, and the caller's name, if the call is
 * one that the tables list. The caller is the source of the message: another peer than the sender, if the sender relays
 * it. */
void godot_mp_analyze_players(const godot_mp_context *context)
{
    const godot_mp_message *message = context->message;
    const godot_mp_findings *findings = message->findings;
    const godot_mp_facts *facts = &message->facts;
    void *sender = GINT_TO_POINTER(findings->sender.id);
    gw_span text;
    if (!message->position.first_pass || !message->position.connection)
        return;
    /* The first address of a client: its relayed messages, in other connections, do not have it. */
    if (names_by_address && findings->sender.id > GW_GODOT_MP_SERVER && !wmem_map_contains(addresses, sender)) {
        peer_address *client = wmem_new(wmem_file_scope(), peer_address);
        copy_address_wmem(wmem_file_scope(), &client->host, &message->pinfo->src);
        client->port = message->pinfo->srcport;
        wmem_map_insert(addresses, sender, client);
    }
    if (!call_row_count || facts->command != GW_GODOT_MP_CALL || !findings->has_source ||
        findings->source < GW_GODOT_MP_SERVER)
        return;
    /* Godot 4 sends a number: the method's name is known for a path that was defined before. */
    const godot_mp_path *path = findings->path.entry;
    const godot_script *script = path && path->script ? godot_script_of(path->script->checksum) : NULL;
    const char *method = facts->method;
    if (!method && script)
        method = godot_script_method(script, facts->method_id);
    for (unsigned i = 0; method && i < call_row_count; i++)
        if (find_text(message, method, call_rows[i].path, &text))
            keep_name(message, findings->source, text);
}

/* ---- texts --------------------------------------------------------------------------------------------- */

/* The name for the address and port or, without such a row, for the address alone. Needs names_by_address. */
static const char *name_of_address(packet_info *pinfo, const address *host, uint32_t port)
{
    bool is_six = host->type == AT_IPv6;
    const char *text = address_to_str(pinfo->pool, host);
    const char *name = g_hash_table_lookup(names_by_address,
                                           wmem_strdup_printf(pinfo->pool, is_six ? "[%s]:%u" : "%s:%u", text, port));
    return name ? name : g_hash_table_lookup(names_by_address, text);
}

/* The name of the peer; NULL: it has none, or the id is not that of one peer: 0 and negative ids stand for several. */
const char *godot_mp_player(const godot_mp_message *message, int32_t id)
{
    packet_info *pinfo = message->pinfo;
    if (id < GW_GODOT_MP_SERVER)
        return NULL;
    /* First the user's names, by id and by address; then those of a recording; then those that the game sends. */
    const char *name = names_by_id ? g_hash_table_lookup(names_by_id, GINT_TO_POINTER(id)) : NULL;
    if (!name && names_by_address) {
        const peer_address *client = wmem_map_lookup(addresses, GINT_TO_POINTER(id));
        if (id == message->findings->sender.id)
            name = name_of_address(pinfo, &pinfo->src, pinfo->srcport);
        else if (id == message->findings->receiver.id)
            name = name_of_address(pinfo, &pinfo->dst, pinfo->destport);
        else if (client)
            name = name_of_address(pinfo, &client->host, client->port);
    }
    if (!name)
        name = wmem_map_lookup(recorded_names, GINT_TO_POINTER(id));
    if (name)
        return godot_printable(pinfo, name);
    const player_names *player = call_row_count ? player_of(message, id) : NULL;
    return player ? name_at(player, message->position.seq) : NULL;
}

/* "client 7". Without printf(): the text is in each message's line of JSON, and in its statistics. */
static const char *number_of_client(wmem_allocator_t *pool, int32_t id)
{
    const size_t size = sizeof "client -2147483648";
    gw_text text;
    gw_text_init(&text, wmem_alloc(pool, size), size);
    gw_text_string(&text, "client ");
    gw_text_signed(&text, id);
    return text.buffer;
}

/* The peer by its name, or by its role and id, in the form that the place of the text requires. */
const char *godot_mp_peer_text(const godot_mp_message *message, int32_t id, godot_mp_peer_use use)
{
    static const char *const server[] = {
        [GODOT_MP_IN_COLUMN] = "server", [GODOT_MP_IN_TREE] = "server (peer 1)", [GODOT_MP_IN_SENTENCE] = "the server"
    };
    wmem_allocator_t *pool = message->pinfo->pool;
    const char *name = godot_mp_player(message, id);
    if (name && use != GODOT_MP_IN_TREE)
        return name;
    if (name && id == GW_GODOT_MP_SERVER)
        return wmem_strdup_printf(pool, "%s (server)", name);
    if (name)
        return wmem_strdup_printf(pool, "%s (client %d)", name, id);
    return id == GW_GODOT_MP_SERVER ? server[use] : number_of_client(pool, id);
}

/* The text for the peer of the server, a client whose id is not known. */
static const char *text_of_client(godot_mp_peer_use use)
{
    return use == GODOT_MP_IN_SENTENCE ? "the client" : "client";
}

/* The peer that sent the message first, before any relay; NULL: not known. A sender without a known id is a client if
 * the receiver is the server. */
const char *godot_mp_from(const godot_mp_message *message, godot_mp_peer_use use)
{
    const godot_mp_findings *findings = message->findings;
    if (findings->has_source && findings->source >= GW_GODOT_MP_SERVER)
        return godot_mp_peer_text(message, findings->source, use);
    return findings->receiver.id == GW_GODOT_MP_SERVER ? text_of_client(use) : NULL;
}

/* The peers that the message is for: one, all (target 0), or all but one (its negative id); NULL: not known. Without a
 * known target, it is for a client if the server sends it. */
const char *godot_mp_to(const godot_mp_message *message, godot_mp_peer_use use)
{
    const godot_mp_findings *findings = message->findings;
    if (!findings->has_target)
        return findings->sender.id == GW_GODOT_MP_SERVER ? text_of_client(use) : NULL;
    if (!findings->target)
        return "all";
    if (findings->target > 0)
        return godot_mp_peer_text(message, findings->target, use);
    return wmem_strdup_printf(message->pinfo->pool, "all but %s",
                              godot_mp_peer_text(message, (int32_t)(0 - (int64_t)findings->target), use));
}

/* ---- items --------------------------------------------------------------------------------------------- */

/* Adds a generated id of a peer. */
static proto_item *add_id(proto_tree *parent, int hf, int32_t id)
{
    proto_item *item = proto_tree_add_int(parent, hf, NULL, 0, 0, id);
    proto_item_set_generated(item);
    return item;
}

/* Adds the id of the sender or receiver below its item, unless the head of the message contains it; and, for a call,
 * the same id in the field of the caller or of the called peer. */
static void add_ids(const godot_mp_tree *tree, godot_mp_end end, int32_t id)
{
    const godot_mp_message *message = tree->message;
    const godot_mp_findings *findings = message->findings;
    bool is_sender = end == GODOT_MP_SENDER;
    const godot_mp_peer *peer = is_sender ? &findings->sender : &findings->receiver;
    proto_item *item;
    if (!message->facts.has_head) {
        item = add_id(tree->ends[end], is_sender ? godot_mp_hf.source : godot_mp_hf.target, id);
        /* A relayed message has another sender or receiver than the peer at this end of the connection. */
        if (peer->id == id && peer->frame)
            proto_item_set_generated(
                proto_tree_add_uint(godot_mp_below(item), godot_mp_hf.peer_known_from, NULL, 0, 0, peer->frame));
    }
    if (!godot_mp_has(message->facts.roles, GW_GODOT_MP_ROLE_NODE_ID))
        return;
    item = add_id(tree->ends[end], is_sender ? godot_mp_hf.rpc_caller : godot_mp_hf.rpc_callee, id);
    /* It is the id of the item before it: for filters only. In a tree that is not visible, `item` may be the
     * parent's. */
    if (tree->demand.visible)
        proto_item_set_hidden(item);
}

/* Adds the item of the sender or receiver, and sets it as parent of the items with that peer's id. */
void godot_mp_add_end(godot_mp_tree *tree, godot_mp_end end)
{
    const godot_mp_message *message = tree->message;
    const godot_mp_findings *findings = message->findings;
    bool is_sender = end == GODOT_MP_SENDER;
    int hf = is_sender ? godot_mp_hf.from : godot_mp_hf.to;
    if (!tree->is_wanted)
        return;
    const char *text = NULL;
    if (proto_field_is_referenced(tree->trees[0], hf))
        text = is_sender ? godot_mp_from(message, GODOT_MP_IN_COLUMN) : godot_mp_to(message, GODOT_MP_IN_COLUMN);
    if (text) {
        /* The item has the range of the id in the head of Godot 3. Without a head it has none. */
        gw_span range = { 0, 0 };
        gw_godot_mp_event part = { .role = GW_GODOT_MP_ROLE_NONE };
        while (message->facts.has_head && gw_godot_mp_next_part(&message->reader, &message->events[0], &part))
            if (part.role == (is_sender ? GW_GODOT_MP_ROLE_SOURCE : GW_GODOT_MP_ROLE_TARGET))
                range = part.payload;
        const char *label =
            is_sender ? godot_mp_from(message, GODOT_MP_IN_TREE) : godot_mp_to(message, GODOT_MP_IN_TREE);
        proto_item *item = proto_tree_add_string_format_value(tree->trees[0], hf, range.length ? tree->tvb : NULL,
                                                              (int)range.offset, (int)range.length,
                                                              gw_field_text(message->pinfo->pool, text), "%s", label);
        proto_item_set_generated(item);
        tree->ends[end] = godot_mp_below(item);
    }
    if (is_sender ? findings->has_source : findings->has_target)
        add_ids(tree, end, is_sender ? findings->source : findings->target);
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers both tables as preferences, and the maps of names that are emptied with each file. */
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
