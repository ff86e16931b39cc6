/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names for the ids in a packet, from the analysis and from the tables of names; or the reason why there is none.
 */
#include "internal.h"

static const godot_mp_findings *found(const godot_mp_tree *tree)
{
    return tree->message->findings;
}

static const godot_mp_facts *facts_of(const godot_mp_tree *tree)
{
    return &tree->message->facts;
}

/* ---- names --------------------------------------------------------------------------------------------- */

static const char *name_of_node(godot_mp_tree *tree)
{
    const godot_mp_path *entry = found(tree)->path.entry;
    tree->script = entry ? godot_script_of(entry->checksum) : NULL;
    return entry && !facts_of(tree)->is_by_path ? godot_printable(tree->pinfo, entry->path) : NULL;
}

static const char *name_of_method(godot_mp_tree *tree)
{
    tree->method = tree->script ? godot_script_method(tree->script, facts_of(tree)->method_id) : NULL;
    return tree->method;
}

static const char *name_of_confirmed(const godot_mp_tree *tree)
{
    const godot_mp_path *entry = found(tree)->path.entry;
    if (!entry || facts_of(tree)->command != GW_GODOT_MP_CONFIRM_PATH)
        return NULL;
    return godot_printable(tree->pinfo, entry->path);
}

/* The name of the file without its folder. */
static const char *name_of_scene(godot_mp_tree *tree, uint32_t scene)
{
    const godot_mp_path *spawner = found(tree)->path.entry;
    const godot_mp_facts *facts = facts_of(tree);
    tree->scene = spawner ? godot_scene_of(spawner->path, scene) : NULL;
    if (scene == GW_GODOT_MP_CUSTOM_SCENE && facts->name)
        tree->state_scene = godot_scene_of_custom(facts->name, &facts->state);
    else if (tree->scene && godot_scene_fits(tree->scene, &facts->state))
        tree->state_scene = tree->scene;
    const char *file = tree->scene ? strrchr(tree->scene, '/') : NULL;
    return file ? file + 1 : tree->scene;
}

const godot_mp_found_update *godot_mp_update_at(const godot_mp_tree *tree, uint32_t update)
{
    static const godot_mp_found_update unknown;
    return found(tree)->updates && update < facts_of(tree)->update_count ? &found(tree)->updates[update] : &unknown;
}

const char *godot_mp_path_of_update(const godot_mp_tree *tree, const godot_mp_found_update *update)
{
    const godot_mp_spawn *spawn = update->spawn.entry;
    if (update->path.entry)
        return update->path.entry->path;
    if (!spawn)
        return NULL;
    const char *path = godot_spawned_path(tree->pinfo->pool, update->spawn.spawner, spawn->name);
    return path ? path : spawn->name;
}

static godot_property_use use_of_sync(const godot_mp_tree *tree)
{
    return tree->message->reader.packet.delta ? GODOT_PROPERTY_ON_CHANGE : GODOT_PROPERTY_ALWAYS;
}

static const char *scene_of_spawn(const godot_mp_found_spawn *spawn)
{
    if (spawn->entry->scene == GW_GODOT_MP_CUSTOM_SCENE)
        return godot_scene_of_custom(spawn->entry->name, &spawn->entry->state);
    return godot_scene_of(spawn->spawner, spawn->entry->scene);
}

/* NULL also if the game changed the synchronizer's properties, so that they do not match the values. */
static const godot_synchronizer *synchronizer_of(const godot_mp_tree *tree, const godot_mp_found_update *update)
{
    if (tree->update >= facts_of(tree)->update_count)
        return NULL;
    const godot_mp_update *values = &facts_of(tree)->updates[tree->update];
    if (update->path.entry)
        return godot_synchronizer_at(update->path.entry->path, use_of_sync(tree), values);
    if (!update->spawn.entry)
        return NULL;
    const godot_synchronizer *synchronizer = godot_synchronizer_of_spawn(
        scene_of_spawn(&update->spawn), &update->spawn.entry->state, update->spawn.sync_index);
    return synchronizer && godot_synchronizer_fits(synchronizer, use_of_sync(tree), values) ? synchronizer : NULL;
}

/* The node that a despawn removes. */
static const char *name_of_despawned(const godot_mp_tree *tree)
{
    const godot_mp_found_spawn *spawn = &found(tree)->spawn;
    if (!spawn->entry || spawn->is_later)
        return NULL;
    return godot_quoted(tree->pinfo, spawn->entry->name);
}

static const char *name_of_updated(godot_mp_tree *tree)
{
    const godot_mp_found_update *update = godot_mp_update_at(tree, tree->update);
    tree->synchronizer = synchronizer_of(tree, update);
    return godot_printable(tree->pinfo, godot_mp_path_of_update(tree, update));
}

static const char *name_of_net_id(godot_mp_tree *tree)
{
    switch (facts_of(tree)->command) {
    case GW_GODOT_MP_SYNC:
        return name_of_updated(tree);
    case GW_GODOT_MP_DESPAWN:
        return name_of_despawned(tree);
    default:
        return NULL;
    }
}

/* The name of a property in the spawn state. */
static const char *name_of_state(const godot_mp_tree *tree, uint32_t index)
{
    const godot_mp_state *state = &facts_of(tree)->state;
    const godot_synchronizer *synchronizer;
    for (uint32_t i = 0; (synchronizer = godot_synchronizer_of_spawn(tree->state_scene, state, i)) != NULL; i++) {
        uint32_t count = godot_property_count(synchronizer, GODOT_PROPERTY_SPAWN);
        if (index < count)
            return godot_property_of(synchronizer, GODOT_PROPERTY_SPAWN, index);
        index -= count;
    }
    return NULL;
}

static const char *name_of_value(const godot_mp_tree *tree, uint32_t index)
{
    godot_property_use use = use_of_sync(tree);
    if (!tree->synchronizer)
        return NULL;
    return godot_property_of(tree->synchronizer, use,
                             godot_property_index(use, &facts_of(tree)->updates[tree->update], index));
}

const char *godot_mp_label(godot_mp_tree *tree, const gw_godot_mp_event *event)
{
    switch (event->role) {
    case GW_GODOT_MP_ROLE_UPDATE:
        tree->update = event->index;
        tree->synchronizer = NULL;
        return NULL;
    case GW_GODOT_MP_ROLE_NODE_ID:
        return name_of_node(tree);
    case GW_GODOT_MP_ROLE_METHOD_ID:
        return name_of_method(tree);
    case GW_GODOT_MP_ROLE_METHOD:
    case GW_GODOT_MP_ROLE_PROPERTY:
        tree->method = facts_of(tree)->method;
        return NULL;
    case GW_GODOT_MP_ROLE_PATH_ID:
        return name_of_confirmed(tree);
    case GW_GODOT_MP_ROLE_SCENE:
        return name_of_scene(tree, (uint32_t)event->number);
    case GW_GODOT_MP_ROLE_NET_ID:
        return name_of_net_id(tree);
    case GW_GODOT_MP_ROLE_STATE:
        return name_of_state(tree, event->index);
    case GW_GODOT_MP_ROLE_VALUE:
        return name_of_value(tree, event->index);
    case GW_GODOT_MP_ROLE_SOURCE:
    case GW_GODOT_MP_ROLE_TARGET:
    case GW_GODOT_MP_ROLE_PEER:
    case GW_GODOT_MP_ROLE_ASSIGNED:
    case GW_GODOT_MP_ROLE_RELAY_PEER:
        return godot_mp_player(tree->message, (int32_t)event->number);
    default:
        return NULL;
    }
}

/* ---- names that are missing ---------------------------------------------------------------------------- */

/* True if a script of the table has the path's checksum but fewer methods; reported by an expert info. */
static const char *why_no_method(const godot_mp_tree *tree)
{
    if (tree->method || tree->script)
        return NULL;
    if (!found(tree)->path.entry)
        return " (name unknown: the packet that defines the path was not captured before)";
    return " (name unknown: godot_rpc_names has no script with this path's checksum; rpc_names.gd writes that table)";
}

static const char *why_no_properties(const godot_mp_tree *tree)
{
    const godot_mp_found_update *update = godot_mp_update_at(tree, tree->update);
    if (tree->synchronizer || !facts_of(tree)->updates || tree->update >= facts_of(tree)->update_count ||
        !facts_of(tree)->updates[tree->update].types.count)
        return NULL;
    if (!update->path.entry && !update->spawn.entry)
        return " (names of properties unknown: the packet that defines the id was not captured before)";
    return " (names of properties unknown: godot_rpc_properties has no synchronizer with this path and these values; "
           "rpc_names.gd writes that table)";
}

static const char *why_no_scene(const godot_mp_tree *tree, uint32_t scene)
{
    bool is_custom = scene == GW_GODOT_MP_CUSTOM_SCENE;
    if (is_custom ? tree->state_scene || !facts_of(tree)->state.types.count : tree->scene != NULL)
        return NULL;
    if (is_custom)
        return " (names of properties unknown: godot_rpc_properties has no scene with these values; rpc_names.gd "
               "writes that table)";
    if (!found(tree)->path.entry)
        return " (name unknown: the packet that defines the spawner's path was not captured before)";
    return " (name unknown: godot_rpc_properties has no spawner with this path; rpc_names.gd writes that table)";
}

const char *godot_mp_label_missing(const godot_mp_tree *tree, const gw_godot_mp_event *event)
{
    switch (event->role) {
    case GW_GODOT_MP_ROLE_METHOD_ID:
        return why_no_method(tree);
    case GW_GODOT_MP_ROLE_NET_ID:
        return facts_of(tree)->command == GW_GODOT_MP_SYNC ? why_no_properties(tree) : NULL;
    case GW_GODOT_MP_ROLE_SCENE:
        return why_no_scene(tree, (uint32_t)event->number);
    default:
        return NULL;
    }
}
