/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names rows and adds bytes to them.
 */
#include "internal.h"

#include <gamewire/godot_mp.h>
#include <gamewire/text.h>

#include "common/statistics.h"

const char *const godot_mp_groups[GODOT_MP_GROUPS] = {
    [GODOT_MP_FRAME_BYTES] = "Bytes of the capture",
    [GODOT_MP_MESSAGES] = "Messages",
    [GODOT_MP_CALLS] = "Calls",
    [GODOT_MP_CALL_BYTES] = "Bytes of calls",
    [GODOT_MP_PROPERTIES] = "Synchronized properties",
    [GODOT_MP_PROPERTY_BYTES] = "Bytes of synchronized properties",
    [GODOT_MP_SPAWNS] = "Spawned nodes",
    [GODOT_MP_SPAWN_BYTES] = "Bytes of spawned nodes",
    [GODOT_MP_NODE_BYTES] = "Bytes of calls and properties by node",
    [GODOT_MP_SENDERS] = "Messages by sender",
    [GODOT_MP_SENDER_BYTES] = "Bytes by sender",
};

static const char *const part_names[GODOT_MP_PARTS] = {
    [GODOT_MP_PAYLOAD] = "Payload",
    [GODOT_MP_HEADERS] = "Headers",
    [GODOT_MP_FRAGMENT_HEADERS] = "Headers of fragments",
    [GODOT_MP_RETRANSMISSIONS] = "Retransmissions",
    [GODOT_MP_ACKNOWLEDGEMENTS] = "Acknowledgements",
};

/* The titles of Variants have a "by", and so may have a name. "./Messages" is the same node as "Messages". */
const char *godot_mp_row(wmem_allocator_t *scope, const char *name)
{
    bool is_title = strstr(name, " by ") != NULL;
    for (size_t i = 0; i < GODOT_MP_GROUPS; i++)
        is_title |= !strcmp(name, godot_mp_groups[i]);
    return is_title ? wmem_strdup_printf(scope, "./%s", name) : name;
}

static const char *command_of(const godot_mp_count *count)
{
    if (count->command == GW_GODOT_MP_UNKNOWN)
        return "Peers joining and leaving";
    return gw_godot_mp_command_name((gw_godot_mp_command)count->command);
}

/* "hit()", "method 5() on Main/Hero", "set hp": different from the titles of groups. */
static void print_method(char *name, const godot_mp_count *count)
{
    bool is_call = count->command == GW_GODOT_MP_CALL;
    gw_text text;
    gw_text_init(&text, name, GODOT_MP_ROW_SIZE);
    gw_text_string(&text, is_call ? "" : "set ");
    gw_text_string(&text, count->name ? count->name : "unknown");
    gw_text_string(&text, is_call ? "()" : "");
    if (count->script) {
        gw_text_string(&text, " on ");
        gw_text_string(&text, count->script);
    }
}

static void print_sender(char *name, const godot_mp_count *count)
{
    gw_text text;
    gw_text_init(&text, name, GODOT_MP_ROW_SIZE);
    gw_text_string(&text, "Peer ");
    gw_text_signed(&text, count->source);
    if (count->source_name) {
        gw_text_string(&text, " (");
        gw_text_string(&text, count->source_name);
        gw_text_char(&text, ')');
    }
}

void godot_mp_rows_of(godot_mp_rows *rows, wmem_allocator_t *scope, const godot_mp_count *count)
{
    *rows = (godot_mp_rows){ .command = command_of(count), .sender = "Unknown peer" };
    if (count->has_source)
        print_sender(rows->sender, count);
    if (count->command == GW_GODOT_MP_CALL || count->command == GW_GODOT_MP_SET) {
        print_method(rows->method, count);
        rows->node = godot_mp_row(scope, count->path ? count->path : "an unknown path");
    }
    if (count->command == GW_GODOT_MP_SPAWN && count->name)
        rows->spawned = godot_mp_row(scope, count->name);
}

/* ---- owners -------------------------------------------------------------------------------------------- */

static size_t size_of(const godot_mp_owner *owner)
{
    return offsetof(godot_mp_owner, updates) + owner->update_count * sizeof *owner->updates;
}

static unsigned hash_owner(const void *key)
{
    return wmem_strong_hash(key, size_of(key));
}

static gboolean equal_owners(const void *one, const void *other)
{
    return size_of(one) == size_of(other) && !memcmp(one, other, size_of(one));
}

void godot_mp_owners_init(godot_mp_owners *owners, wmem_allocator_t *memory)
{
    owners->memory = memory;
    owners->texts = wmem_map_new(memory, wmem_str_hash, g_str_equal);
    owners->owners = wmem_map_new(memory, hash_owner, equal_owners);
}

static const char *keep_text(godot_mp_owners *owners, const char *text)
{
    const char *kept = wmem_map_lookup(owners->texts, text);
    if (kept)
        return kept;
    char *copy = wmem_strdup(owners->memory, text);
    wmem_map_insert(owners->texts, copy, copy);
    return copy;
}

static void add_update(godot_mp_owner *owner, const char *path, uint32_t bytes)
{
    owner->updates[owner->update_count].path = path;
    owner->updates[owner->update_count].bytes = bytes;
    owner->update_bytes += bytes;
    owner->update_count++;
}

static void add_updates(godot_mp_owners *owners, wmem_allocator_t *scope, godot_mp_owner *owner,
                        const godot_mp_count *count)
{
    for (uint32_t i = 0; i < count->update_count; i++) {
        const char *path = godot_mp_row(scope, count->updates[i].path);
        add_update(owner, keep_text(owners, path), count->updates[i].bytes);
    }
    if (count->command == GW_GODOT_MP_SYNC && !owner->update_count)
        add_update(owner, keep_text(owners, "unknown"), 1);
}

godot_mp_owner *godot_mp_owner_of(godot_mp_owners *owners, wmem_allocator_t *scope, const godot_mp_count *count)
{
    godot_mp_rows rows;
    godot_mp_rows_of(&rows, scope, count);
    godot_mp_owner *owner = godot_mp_owner_other(owners, scope, rows.command);
    owner->sender = keep_text(owners, rows.sender);
    if (*rows.method) {
        owner->method = keep_text(owners, rows.method);
        owner->node = keep_text(owners, rows.node);
    }
    if (rows.spawned)
        owner->spawned = keep_text(owners, rows.spawned);
    add_updates(owners, scope, owner, count);
    return owner;
}

godot_mp_owner *godot_mp_owner_other(godot_mp_owners *owners, wmem_allocator_t *scope, const char *command)
{
    godot_mp_owner *owner = wmem_new0(scope, godot_mp_owner);
    owner->command = keep_text(owners, command);
    return owner;
}

const godot_mp_owner *godot_mp_owner_keep(godot_mp_owners *owners, const godot_mp_owner *owner)
{
    const godot_mp_owner *kept = wmem_map_lookup(owners->owners, owner);
    if (kept)
        return kept;
    godot_mp_owner *copy = wmem_memdup(owners->memory, owner, size_of(owner));
    wmem_map_insert(owners->owners, copy, copy);
    return copy;
}

void godot_mp_owner_copy(godot_mp_owner *kept, const godot_mp_owner *owner)
{
    memcpy(kept, owner, size_of(owner));
}

/* ---- adding bytes -------------------------------------------------------------------------------------- */

/* In a group whose rows have parts, or rows below them that have parts. */
static void add_row(stats_tree *tree, godot_mp_group group, const char *row, const char *below, godot_mp_part part,
                    int amount)
{
    const char *names[] = { godot_mp_groups[group], row, below ? below : part_names[part], part_names[part] };
    gw_stat_add_levels(tree, names, below ? 4 : 3, amount);
}

/* Properties share the bytes of their message in proportion to their own. */
static void add_to_updates(stats_tree *tree, const godot_mp_owner *owner, godot_mp_part part, uint32_t bytes)
{
    uint64_t left = bytes, all = owner->update_bytes;
    for (uint32_t i = 0; i < owner->update_count && all; i++) {
        const godot_mp_update_count *update = &owner->updates[i];
        uint64_t share = left * update->bytes / all;
        left -= share;
        all -= update->bytes;
        if (!share)
            continue;
        add_row(tree, GODOT_MP_PROPERTY_BYTES, update->path, NULL, part, (int)share);
        add_row(tree, GODOT_MP_NODE_BYTES, update->path, NULL, part, (int)share);
    }
}

void godot_mp_owner_add(stats_tree *tree, const godot_mp_owner *owner, godot_mp_part part, uint32_t bytes)
{
    int amount = (int)bytes;
    if (!bytes)
        return;
    add_row(tree, GODOT_MP_FRAME_BYTES, owner->command, NULL, part, amount);
    if (owner->sender)
        gw_stat_add(tree, godot_mp_groups[GODOT_MP_SENDER_BYTES], owner->sender, bytes);
    if (owner->method) {
        add_row(tree, GODOT_MP_CALL_BYTES, owner->method, owner->node, part, amount);
        add_row(tree, GODOT_MP_NODE_BYTES, owner->node, NULL, part, amount);
    }
    if (owner->spawned)
        add_row(tree, GODOT_MP_SPAWN_BYTES, owner->spawned, NULL, part, amount);
    add_to_updates(tree, owner, part, bytes);
}

void godot_mp_row_add(stats_tree *tree, const char *row, const char *below, int amount)
{
    const char *names[] = { godot_mp_groups[GODOT_MP_FRAME_BYTES], row, below };
    gw_stat_add_levels(tree, names, below ? 3 : 2, amount);
}
