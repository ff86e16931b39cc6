/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names for the ids in a packet, from the analysis and from the tables of names; or the reason why there is none. A
 * synchronizer, spawner or scene of the table of properties is found by the path of a node in the running game and by
 * the types of values.
 */
#include "internal.h"

#include "common/display/demand.h"

/* ---- paths of a running game --------------------------------------------------------------------------- */

/* "/Synchronizer" of "Player/Synchronizer": the names of an instance and of the nodes above it differ. */
static const char *below_root(const char *node)
{
    const char *slash = strchr(node, '/');
    return slash ? slash : "";
}

/* "Coin", "Coin2" or "@Coin@2": the names that the engine gives to instances of a scene whose root is "Coin/...". */
static bool is_instance(const char *name, size_t length, const char *node)
{
    size_t root = strcspn(node, "/");
    if (length && *name == '@') {
        name++;
        length--;
    }
    if (!root || length < root || memcmp(name, node, root) != 0)
        return false;
    for (size_t i = root; i < length; i++)
        if (!g_ascii_isdigit(name[i]) && name[i] != '@')
            return false;
    return true;
}

/* The scene of the table of properties with this file; NULL: there is none, or `file` is NULL. */
static const godot_scene *scene_at(const char *file)
{
    return file ? g_hash_table_lookup(godot_find_properties()->scenes, file) : NULL;
}

/* How well a node of a scene matches the path in a running game, as a length. For "Coin/Sync" and
 * "Main/Coins/Coin2/Sync", the sum of the lengths of "/Sync", the end of the path without the scene's root; "Coin/", if
 * the name above may be that of an instance of the scene; and "/Coins", if a spawner of the table creates its instances
 * there. SIZE_MAX: the whole path is the same; 0: it does not match. */
static size_t length_of_match(const godot_synchronizer *node, const char *path)
{
    const char *suffix = below_root(node->node);
    size_t matched = strlen(suffix), spawned = 0;
    if (!strcmp(node->node, path))
        return SIZE_MAX;
    if (!matched || !g_str_has_suffix(path, suffix))
        return 0;
    /* The name above this end may be the name of an instance of the scene. */
    size_t end = strlen(path) - matched, start = end;
    while (start && path[start - 1] != '/')
        start--;
    if (is_instance(path + start, end - start, node->node))
        matched += strcspn(node->node, "/") + 1;
    /* Above that, the longest path at which a spawner of the table creates instances of the scene. */
    size_t above = start ? start - 1 : 0;
    const godot_scene *scene = scene_at(node->scene);
    for (unsigned i = 0; scene && i < scene->spawners->len; i++) {
        const char *root = below_root(((const godot_synchronizer *)scene->spawners->pdata[i])->root);
        size_t length = strlen(root);
        if (length <= above && !memcmp(path + above - length, root, length))
            spawned = MAX(spawned, length);
    }
    return matched + spawned;
}

/* ---- types of values ----------------------------------------------------------------------------------- */

/* The number of the synchronizer's properties of this use. */
static uint32_t property_count(const godot_synchronizer *synchronizer, godot_property_use use)
{
    return synchronizer->names[use] ? g_strv_length(synchronizer->names[use]) : 0;
}

/* The number of the property, in the synchronizer's list, of the value at `index` of an update: the same number; in a
 * delta, which sends only changed properties, that of the index-th bit that is set (from 0); 64: there is none. */
static uint32_t property_index(godot_property_use use, const godot_mp_update *update, uint32_t index)
{
    uint32_t bit = 0;
    if (use != GODOT_PROPERTY_ON_CHANGE)
        return index;
    for (; bit < 64; bit++)
        if (update->indexes >> bit & 1U && !index--)
            return bit;
    return bit;
}

/* True if a value of this type may be that of the property with this index. `types`: the properties' types, which may
 * be fewer; without a type, any is accepted. Null is a value of an object. */
static bool is_of_type(char *const *types, uint32_t index, uint8_t type)
{
    if (!types || index >= g_strv_length((char **)types))
        return true;
    if (!*types[index] || !strcmp(types[index], "Variant"))
        return true;
    if (type == GW_GODOT_NIL)
        return !strcmp(types[index], "Object");
    return !strcmp(types[index], gw_godot_type_name(GW_GODOT_4, (gw_godot_type)type));
}

/* True if the synchronizer may have sent the update: it has as many properties, of these types; for a delta, which has
 * only some of them, a property for each bit of the indexes. Only the first types of an update are stored. */
static bool update_matches(const godot_synchronizer *synchronizer, godot_property_use use,
                           const godot_mp_update *update)
{
    uint32_t count = property_count(synchronizer, use);
    if (use == GODOT_PROPERTY_ON_CHANGE ? count < 64 && update->indexes >> count : count != update->types.count)
        return false;
    for (uint32_t i = 0; i < MIN(update->types.count, GODOT_MP_TYPES_KEPT); i++)
        if (!is_of_type(synchronizer->types[use], property_index(use, update, i), update->types.types[i]))
            return false;
    return true;
}

/* True if the values of the spawn are the properties of the selected synchronizers of the scene, in their order; false
 * for a state that the capture cut short. `chosen`: bit i: the i-th synchronizer is selected. A spawn contains the
 * synchronizers whose root is the spawned node and whose authority is the spawning peer. Only the first types of a
 * state are stored, but the number of all. */
static bool state_matches(const godot_scene *scene, uint32_t chosen, const godot_mp_state *state)
{
    const godot_mp_types *types = &state->types;
    uint32_t properties = 0, synchronizers = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        if (!(chosen >> i & 1U))
            continue;
        uint32_t count = property_count(scene->nodes[i], GODOT_PROPERTY_SPAWN);
        for (uint32_t j = 0; j < count && properties + j < MIN(types->count, GODOT_MP_TYPES_KEPT); j++)
            if (!is_of_type(scene->nodes[i]->types[GODOT_PROPERTY_SPAWN], j, types->types[properties + j]))
                return false;
        properties += count;
        synchronizers++;
    }
    return properties == types->count && synchronizers == state->synchronizers && !types->is_cut;
}

/* The number of selections of synchronizers (subsets of the scene's, of which a spawn contains one) that match the
 * state; `chosen` is set to one of them, if there are any. More than one means that the names are not known. A scene
 * with more synchronizers than are considered may have other selections: for it, the number begins at CHOSEN_FROM,
 * which is more than one. */
static unsigned count_selections(const godot_scene *scene, const godot_mp_state *state, uint32_t *chosen)
{
    unsigned choices = scene->has_more ? CHOSEN_FROM : 0;
    for (uint32_t tried = 0; tried < 1U << scene->count; tried++) {
        if (!state_matches(scene, tried, state))
            continue;
        *chosen = tried;
        choices++;
    }
    return choices;
}

/* ---- the best match in the table of properties --------------------------------------------------------- */

/* A search for the candidate that fits best: none, if several do that are not the same. */
typedef struct best_candidate {
    const void *candidate;
    size_t match;
    bool is_tied;
} best_candidate;

/* Keeps the candidate if it matches better than the best one so far. `match`: how well; 0 if it does not. `is_same`: it
 * gives the same names as the best one, so that two equal matches are no tie. */
static void add_candidate(best_candidate *best, const void *candidate, size_t match, bool is_same)
{
    if (match > best->match)
        *best = (best_candidate){ candidate, match, false };
    else if (match && match == best->match && !is_same)
        best->is_tied = true;
}

/* The best candidate; NULL: none matches, or several match equally well. */
static const void *best_match(const best_candidate *best)
{
    return best->is_tied ? NULL : best->candidate;
}

/* The synchronizer at a path that has an update's properties; NULL: not in the table, or several match that have
 * different names of properties. Nodes with a list of scenes are spawners, and do not match. */
static const godot_synchronizer *synchronizer_at(const char *path, godot_property_use use,
                                                 const godot_mp_update *update)
{
    best_candidate best = { .candidate = NULL };
    const GPtrArray *nodes = godot_find_properties()->nodes;
    for (unsigned i = 0; i < nodes->len; i++) {
        const godot_synchronizer *node = nodes->pdata[i];
        size_t match = node->scenes || !update_matches(node, use, update) ? 0 : length_of_match(node, path);
        char *const *names = node->names[use];
        char *const *best_names =
            match && match == best.match ? ((const godot_synchronizer *)best.candidate)->names[use] : NULL;
        bool is_same = names && best_names && g_strv_equal((const char *const *)best_names, (const char *const *)names);
        add_candidate(&best, node, match, is_same);
    }
    return best_match(&best);
}

/* The spawner, a node with a list of scenes, at a path, which may be NULL. NULL: not in the table, or several match. */
static const godot_synchronizer *spawner_at(const char *path)
{
    best_candidate best = { .candidate = NULL };
    const GPtrArray *nodes = godot_find_properties()->nodes;
    for (unsigned i = 0; path && i < nodes->len; i++) {
        const godot_synchronizer *node = nodes->pdata[i];
        add_candidate(&best, node, node->scenes ? length_of_match(node, path) : 0, false);
    }
    return best_match(&best);
}

/* The scene of a node that a spawner creates: a file of its list or, if a function of the game created the node, the
 * scene whose state has these types; of several, the one whose root has the node's name. NULL: not in the table, or
 * several match. */
static const char *scene_of_spawn(const char *spawner_path, uint8_t scene, const char *name,
                                  const godot_mp_state *state)
{
    best_candidate best = { .candidate = NULL };
    GHashTableIter files;
    void *value;
    if (scene != GW_GODOT_MP_CUSTOM_SCENE) {
        const godot_synchronizer *spawner = spawner_at(spawner_path);
        return spawner && scene < g_strv_length(spawner->scenes) ? spawner->scenes[scene] : NULL;
    }
    g_hash_table_iter_init(&files, godot_find_properties()->scenes);
    while (g_hash_table_iter_next(&files, NULL, &value)) {
        const godot_scene *candidate = value;
        uint32_t chosen;
        /* A name of the scene's root is better than types alone; a state without values is no evidence. */
        size_t match = is_instance(name, strlen(name), candidate->first->node) ? 2 : state->types.count != 0;
        add_candidate(&best, candidate->first->scene, count_selections(candidate, state, &chosen) ? match : 0, false);
    }
    return best_match(&best);
}

/* ---- synchronizers of a sync --------------------------------------------------------------------------- */

/* The findings of an update of the message; empty ones if it has none with this index. */
const godot_mp_found_update *godot_mp_update_at(const godot_mp_tree *tree, uint32_t update)
{
    static const godot_mp_found_update unknown;
    const godot_mp_message *message = tree->message;
    return message->findings->updates && update < message->facts.update_count ? &message->findings->updates[update]
                                                                              : &unknown;
}

/* The path of the update's synchronizer or, of a spawned node, the path of the node as far as the table of properties
 * has it, at least its name. NULL: not known. */
const char *godot_mp_path_of_update(const godot_mp_tree *tree, const godot_mp_found_update *update)
{
    const godot_mp_spawn *spawn = update->spawn.entry;
    if (update->path.entry)
        return update->path.entry->path;
    if (!spawn)
        return NULL;
    const char *spawner_path = update->spawn.spawner;
    const godot_synchronizer *spawner = spawner_at(spawner_path);
    if (!spawner || !*spawner->root)
        return spawn->name;
    /* The spawner's path ends with its path below the root, by which spawner_at() found it. What remains is the path of
     * the scene's root in the running game, followed by the relative path at which nodes are spawned. */
    size_t root = strlen(spawner_path) - strlen(below_root(spawner->node));
    return wmem_strdup_printf(tree->pinfo->pool, "%.*s%s/%s", (int)root, spawner_path, below_root(spawner->root),
                              spawn->name);
}

/* The properties that such a sync sends: a delta those that changed, else those that are always sent. */
static godot_property_use use_of_sync(const godot_mp_tree *tree)
{
    return tree->message->reader.packet.delta ? GODOT_PROPERTY_ON_CHANGE : GODOT_PROPERTY_ALWAYS;
}

/* The synchronizer in the table of properties that sent the update: by its path or, of a spawned node, by its index
 * among the synchronizers that the spawn's state selects. NULL: not known, also if the game changed the synchronizer's
 * properties, so that they do not match the values. */
static const godot_synchronizer *synchronizer_of(const godot_mp_tree *tree, const godot_mp_found_update *update,
                                                 const godot_mp_update *values)
{
    const godot_mp_spawn *spawn = update->spawn.entry;
    if (update->path.entry)
        return synchronizer_at(update->path.entry->path, use_of_sync(tree), values);
    if (!spawn)
        return NULL;
    const godot_scene *scene =
        scene_at(scene_of_spawn(update->spawn.spawner, spawn->scene, spawn->name, &spawn->state));
    uint32_t chosen = 0, index = update->spawn.sync_index;
    if (!scene || count_selections(scene, &spawn->state, &chosen) != 1)
        return NULL;
    for (uint32_t i = 0; i < scene->count; i++)
        if (chosen >> i & 1U && !index--)
            return update_matches(scene->nodes[i], use_of_sync(tree), values) ? scene->nodes[i] : NULL;
    return NULL;
}

/* ---- names --------------------------------------------------------------------------------------------- */

/* The name of the called method in Godot 4, which sends its number; or, without a script of the tables, the reason why
 * it is not known. Sets the method of the tree. */
static godot_mp_name name_of_method(godot_mp_tree *tree)
{
    const godot_mp_message *message = tree->message;
    /* A script with the path's checksum but fewer methods is reported by an expert info. */
    if (tree->script) {
        tree->method = godot_script_method(tree->script, message->facts.method_id);
        return (godot_mp_name){ .text = tree->method };
    }
    tree->method = NULL;
    return (godot_mp_name){ .missing = message->findings->path.entry ? GODOT_MP_NO_SCRIPT : GODOT_MP_NO_PATH };
}

/* The name of the scene's file without its folder, by its index in the spawner's list; none for a node that a function
 * of the game created (CUSTOM_SCENE). Sets the scene of the tree, and state_scene: the scene whose properties the
 * values of the spawn's state are, if the state matches it. */
static godot_mp_name name_of_scene(godot_mp_tree *tree, uint8_t scene)
{
    const godot_mp_facts *facts = &tree->message->facts;
    const godot_mp_path *spawner = tree->message->findings->path.entry;
    uint32_t chosen;
    if (scene == GW_GODOT_MP_CUSTOM_SCENE) {
        tree->state_scene = facts->name ? scene_of_spawn(NULL, scene, facts->name, &facts->state) : NULL;
        /* Without values, no name of a property is missing. */
        bool is_missing = !tree->state_scene && facts->state.types.count;
        return (godot_mp_name){ .missing = is_missing ? GODOT_MP_NO_SCENE : GODOT_MP_NOTHING_MISSING };
    }
    tree->scene = spawner ? scene_of_spawn(spawner->path, scene, NULL, NULL) : NULL;
    if (!tree->scene)
        return (godot_mp_name){ .missing = spawner ? GODOT_MP_NO_SPAWNER : GODOT_MP_NO_SPAWNER_PATH };
    const godot_scene *table_scene = scene_at(tree->scene);
    if (table_scene && count_selections(table_scene, &facts->state, &chosen))
        tree->state_scene = tree->scene;
    const char *file = strrchr(tree->scene, '/');
    return (godot_mp_name){ .text = file ? file + 1 : tree->scene };
}

/* The path of the synchronizer whose update is shown. Sets the synchronizer of the tree, which has the names of the
 * values; without it, the name has the reason why they are not known. */
static godot_mp_name name_of_synchronizer(godot_mp_tree *tree)
{
    const godot_mp_facts *facts = &tree->message->facts;
    const godot_mp_found_update *update = godot_mp_update_at(tree, tree->update);
    const godot_mp_update *values = tree->update < facts->update_count ? &facts->updates[tree->update] : NULL;
    godot_mp_name name = { .text = godot_printable(tree->pinfo, godot_mp_path_of_update(tree, update)) };
    tree->synchronizer = values ? synchronizer_of(tree, update, values) : NULL;
    /* Without values, no name of a property is missing. */
    if (values && values->types.count && !tree->synchronizer)
        name.missing = update->path.entry || update->spawn.entry ? GODOT_MP_NO_SYNCHRONIZER : GODOT_MP_NO_ID;
    return name;
}

/* The name of the property whose value is the `index`-th in the message's spawn state: the selected synchronizers'
 * values follow each other. NULL: several selections match the state, so that the value may be of different
 * properties. */
static const char *name_of_spawn_property(const godot_mp_tree *tree, uint32_t index)
{
    const godot_scene *scene = scene_at(tree->state_scene);
    uint32_t chosen = 0;
    if (!scene || count_selections(scene, &tree->message->facts.state, &chosen) != 1)
        return NULL;
    for (uint32_t i = 0; i < scene->count; i++) {
        uint32_t count = chosen >> i & 1U ? property_count(scene->nodes[i], GODOT_PROPERTY_SPAWN) : 0;
        if (index < count)
            return scene->nodes[i]->names[GODOT_PROPERTY_SPAWN][index];
        index -= count;
    }
    return NULL;
}

/* The name of the property whose value is at `index` in the update that is shown. */
static const char *name_of_value(const godot_mp_tree *tree, uint32_t index)
{
    godot_property_use use = use_of_sync(tree);
    if (!tree->synchronizer)
        return NULL;
    /* name_of_synchronizer() sets it only if the facts have the update. */
    uint32_t property = property_index(use, &tree->message->facts.updates[tree->update], index);
    return property < property_count(tree->synchronizer, use) ? tree->synchronizer->names[use][property] : NULL;
}

/* Finds the name of the event's number in the findings and the tables. In the tree it sets the method, script, scene or
 * synchronizer, on which the names of later events depend. A call with the full path needs no name of its node; a node
 * that is only spawned later (is_later) gives a despawn no name. */
godot_mp_name godot_mp_find_name(godot_mp_tree *tree, const gw_godot_mp_event *event)
{
    const godot_mp_facts *facts = &tree->message->facts;
    const godot_mp_path *path = tree->message->findings->path.entry;
    const godot_mp_found_spawn *spawn = &tree->message->findings->spawn;
    godot_mp_name name = { .text = NULL };
    switch (event->role) {
    case GW_GODOT_MP_ROLE_UPDATE:
        tree->update = event->index;
        tree->synchronizer = NULL;
        break;
    case GW_GODOT_MP_ROLE_NODE_ID:
        tree->script = path && path->script ? godot_script_of(path->script->checksum) : NULL;
        if (path && !facts->is_by_path)
            name.text = godot_printable(tree->pinfo, path->path);
        break;
    case GW_GODOT_MP_ROLE_METHOD_ID:
        return name_of_method(tree);
    case GW_GODOT_MP_ROLE_METHOD:
    case GW_GODOT_MP_ROLE_PROPERTY:
        tree->method = facts->method;
        break;
    case GW_GODOT_MP_ROLE_PATH_ID:
        if (path && facts->command == GW_GODOT_MP_CONFIRM_PATH)
            name.text = godot_printable(tree->pinfo, path->path);
        break;
    case GW_GODOT_MP_ROLE_SCENE:
        return name_of_scene(tree, (uint8_t)event->number);
    case GW_GODOT_MP_ROLE_NET_ID:
        if (facts->command == GW_GODOT_MP_SYNC)
            return name_of_synchronizer(tree);
        if (facts->command == GW_GODOT_MP_DESPAWN && spawn->entry && !spawn->is_later)
            name.text = godot_quoted(tree->pinfo, spawn->entry->name);
        break;
    case GW_GODOT_MP_ROLE_STATE:
        name.text = name_of_spawn_property(tree, event->index);
        break;
    case GW_GODOT_MP_ROLE_VALUE:
        name.text = name_of_value(tree, event->index);
        break;
    case GW_GODOT_MP_ROLE_PEER:
    case GW_GODOT_MP_ROLE_ASSIGNED:
    case GW_GODOT_MP_ROLE_RELAY_PEER:
        name.text = godot_mp_player(tree->message, (int32_t)event->number);
        break;
    default:
        break;
    }
    return name;
}

/* ---- names that are missing ---------------------------------------------------------------------------- */

#define WRITES "; rpc_names.gd writes that table"

/* The words are at the end of each item whose name is missing, the reason is below the first one: why the name is not
 * known, and how to get it. */
static const struct {
    const char *words;
    const char *reason;
} missing_texts[GODOT_MP_MISSING] = {
    [GODOT_MP_NO_SCRIPT] = { "name unknown", "godot_rpc_names has no script with this path's checksum" WRITES },
    [GODOT_MP_NO_PATH] = { "name unknown", "the packet that defines the path was not captured before" },
    [GODOT_MP_NO_SPAWNER] = { "name unknown", "godot_rpc_properties has no spawner with this path" WRITES },
    [GODOT_MP_NO_SPAWNER_PATH] = { "name unknown",
                                   "the packet that defines the spawner's path was not captured before" },
    [GODOT_MP_NO_SCENE] = { "names of properties unknown",
                            "godot_rpc_properties has no scene with these values" WRITES },
    [GODOT_MP_NO_SYNCHRONIZER] = { "names of properties unknown",
                                   "godot_rpc_properties has no synchronizer with this path and these values" WRITES },
    [GODOT_MP_NO_ID] = { "names of properties unknown", "the packet that defines the id was not captured before" },
};

/* Adds the words to the item's label and, for the first item of the message with this reason, the reason below it. */
void godot_mp_add_missing(godot_mp_tree *tree, proto_item *item, godot_mp_missing missing)
{
    if (!missing || !item || !tree->is_wanted)
        return;
    gw_append_text(item, " (%s)", missing_texts[missing].words);
    if (tree->missing_rows >> missing & 1U)
        return;
    tree->missing_rows |= 1U << missing;
    proto_item_set_generated(proto_tree_add_string(godot_mp_below(item), godot_mp_hf.name_reason, NULL, 0, 0,
                                                   missing_texts[missing].reason));
}
