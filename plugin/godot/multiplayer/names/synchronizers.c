/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds synchronizers, spawners and scenes of the table of properties: by the path of a node in the running game, by the
 * types of values.
 */
#include "internal.h"

/* "/Synchronizer" of "Player/Synchronizer": the names of an instance and of the nodes above it differ. */
static const char *below_root(const char *node)
{
    const char *slash = strchr(node, '/');
    return slash ? slash : "";
}

/* The length of a path up to its last name, and that name. */
static const char *last_name(const char *path, size_t length, size_t *above)
{
    size_t at = length;
    while (at && path[at - 1] != '/')
        at--;
    *above = at ? at - 1 : 0;
    return path + at;
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

static const godot_scene *scene_at(const char *file)
{
    return file && godot_names_scenes() ? g_hash_table_lookup(godot_names_scenes(), file) : NULL;
}

/* The length of the longest end of an instance's path at which a spawner of the table creates instances of this
 * scene. */
static size_t fit_of_spawners(const char *scene, const char *place, size_t length)
{
    const godot_scene *known = scene_at(scene);
    size_t best = 0;
    for (unsigned i = 0; known && i < known->spawners->len; i++) {
        const godot_synchronizer *spawner = known->spawners->pdata[i];
        const char *suffix = below_root(spawner->root);
        size_t matched = strlen(suffix);
        if (matched && matched <= length && !memcmp(place + length - matched, suffix, matched))
            best = MAX(best, matched);
    }
    return best;
}

/* How well a node of a scene matches the path in a running game; 0: it does not match. */
static size_t fit(const godot_synchronizer *node, const char *path)
{
    const char *suffix = below_root(node->node);
    size_t matched = strlen(suffix), above;
    if (!strcmp(node->node, path))
        return SIZE_MAX;
    if (!matched || !g_str_has_suffix(path, suffix))
        return 0;
    size_t length = strlen(path) - matched;
    const char *name = last_name(path, length, &above);
    if (is_instance(name, length - (size_t)(name - path), node->node))
        matched += strcspn(node->node, "/") + 1;
    return matched + fit_of_spawners(node->scene, path, above);
}

/* The type of a value must be that of the property; null is a value of an object. A property without a type accepts
 * any. */
static bool is_of_type(char *const *names, uint32_t index, uint8_t type)
{
    if (!names || index >= g_strv_length((char **)names))
        return true;
    if (!*names[index] || !strcmp(names[index], "Variant"))
        return true;
    if (type == GW_GODOT_NIL)
        return !strcmp(names[index], "Object");
    return !strcmp(names[index], gw_godot_type_name(GW_GODOT_4, (gw_godot_type)type));
}

/* The number of the index-th bit that is set; 64: none. */
static uint32_t nth_bit(uint64_t bits, uint32_t index)
{
    uint32_t bit = 0;
    for (; bit < 64; bit++)
        if (bits >> bit & 1U && !index--)
            return bit;
    return bit;
}

uint32_t godot_property_index(godot_property_use use, const godot_mp_update *update, uint32_t index)
{
    return use == GODOT_PROPERTY_ON_CHANGE ? nth_bit(update->indexes, index) : index;
}

bool godot_synchronizer_fits(const godot_synchronizer *synchronizer, godot_property_use use,
                             const godot_mp_update *update)
{
    uint32_t count = godot_property_count(synchronizer, use);
    if (use == GODOT_PROPERTY_ON_CHANGE ? count < 64 && update->indexes >> count : count != update->types.count)
        return false;
    for (uint32_t i = 0; i < MIN(update->types.count, GODOT_MP_TYPES_KEPT); i++)
        if (!is_of_type(synchronizer->types[use], godot_property_index(use, update, i), update->types.types[i]))
            return false;
    return true;
}

static bool has_same_names(const godot_synchronizer *one, const godot_synchronizer *other, godot_property_use use)
{
    return one->names[use] && other->names[use] &&
           g_strv_equal((const char *const *)one->names[use], (const char *const *)other->names[use]);
}

/* A search for the candidate that fits best: none, if several do that are not the same. */
typedef struct best_candidate {
    const void *candidate;
    size_t fit;
    bool is_tied;
} best_candidate;

/* `fit` is 0 if it does not match. `is_same`: as the best one so far. */
static void consider(best_candidate *best, const void *candidate, size_t fit, bool is_same)
{
    if (fit > best->fit)
        *best = (best_candidate){ candidate, fit, false };
    else if (fit && fit == best->fit && !is_same)
        best->is_tied = true;
}

static const void *only_best(const best_candidate *best)
{
    return best->is_tied ? NULL : best->candidate;
}

const godot_synchronizer *godot_synchronizer_at(const char *path, godot_property_use use, const godot_mp_update *update)
{
    best_candidate best = { .candidate = NULL };
    const GPtrArray *nodes = godot_names_nodes();
    for (unsigned i = 0; path && nodes && i < nodes->len; i++) {
        const godot_synchronizer *node = nodes->pdata[i];
        size_t how = node->scenes || !godot_synchronizer_fits(node, use, update) ? 0 : fit(node, path);
        bool is_same = how && how == best.fit && has_same_names(best.candidate, node, use);
        consider(&best, node, how, is_same);
    }
    return only_best(&best);
}

static const godot_synchronizer *spawner_at(const char *path)
{
    best_candidate best = { .candidate = NULL };
    const GPtrArray *nodes = godot_names_nodes();
    for (unsigned i = 0; path && nodes && i < nodes->len; i++) {
        const godot_synchronizer *node = nodes->pdata[i];
        consider(&best, node, node->scenes ? fit(node, path) : 0, false);
    }
    return only_best(&best);
}

uint32_t godot_property_count(const godot_synchronizer *synchronizer, godot_property_use use)
{
    return synchronizer->names[use] ? g_strv_length(synchronizer->names[use]) : 0;
}

const char *godot_property_of(const godot_synchronizer *synchronizer, godot_property_use use, uint32_t index)
{
    return index < godot_property_count(synchronizer, use) ? synchronizer->names[use][index] : NULL;
}

const char *godot_scene_of(const char *spawner_path, uint32_t index)
{
    const godot_synchronizer *spawner = spawner_at(spawner_path);
    return spawner && index < g_strv_length(spawner->scenes) ? spawner->scenes[index] : NULL;
}

/* Whether the state matches the properties of the synchronizers that have a bit in `chosen`. */
static bool has_properties(const godot_mp_types *state, const godot_scene *scene, uint32_t chosen)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        uint32_t count = chosen >> i & 1U ? godot_property_count(scene->nodes[i], GODOT_PROPERTY_SPAWN) : 0;
        for (uint32_t j = 0; j < count && before + j < MIN(state->count, GODOT_MP_TYPES_KEPT); j++)
            if (!is_of_type(scene->nodes[i]->types[GODOT_PROPERTY_SPAWN], j, state->types[before + j]))
                return false;
        before += count;
    }
    return before == state->count && !state->is_cut;
}

static uint32_t bits_in(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* How many selections of synchronizers match the state, and one of them. */
static unsigned choose(const godot_scene *scene, const godot_mp_state *state, uint32_t *chosen)
{
    unsigned choices = scene->has_more ? CHOSEN_FROM : 0;
    for (uint32_t tried = 0; tried < 1U << scene->count; tried++) {
        if (bits_in(tried) != state->synchronizers || !has_properties(&state->types, scene, tried))
            continue;
        *chosen = tried;
        choices++;
    }
    return choices;
}

const godot_synchronizer *godot_synchronizer_of_spawn(const char *scene, const godot_mp_state *state, uint32_t index)
{
    const godot_scene *known = scene_at(scene);
    uint32_t chosen = 0;
    if (!known || choose(known, state, &chosen) != 1)
        return NULL;
    uint32_t bit = nth_bit(chosen, index);
    return bit < known->count ? known->nodes[bit] : NULL;
}

static bool fits(const godot_scene *scene, const godot_mp_state *state)
{
    uint32_t chosen = 0;
    return choose(scene, state, &chosen) != 0;
}

bool godot_scene_fits(const char *scene, const godot_mp_state *state)
{
    const godot_scene *known = scene_at(scene);
    return known && fits(known, state);
}

static unsigned fit_of_custom(const godot_scene *scene, const char *name, const godot_mp_state *state)
{
    if (!fits(scene, state))
        return 0;
    return is_instance(name, strlen(name), scene->first->node) ? 2 : state->types.count != 0;
}

const char *godot_scene_of_custom(const char *name, const godot_mp_state *state)
{
    best_candidate best = { .candidate = NULL };
    GHashTableIter scene;
    void *known;
    if (!godot_names_scenes())
        return NULL;
    g_hash_table_iter_init(&scene, godot_names_scenes());
    while (g_hash_table_iter_next(&scene, NULL, &known))
        consider(&best, ((const godot_scene *)known)->first->scene, fit_of_custom(known, name, state), false);
    return only_best(&best);
}

/* The path of the scene's root in the running game, followed by the relative path at which nodes are spawned. */
const char *godot_spawned_path(wmem_allocator_t *scope, const char *spawner_path, const char *name)
{
    const godot_synchronizer *spawner = spawner_at(spawner_path);
    if (!spawner || !*spawner->root)
        return NULL;
    size_t root = strlen(spawner_path) - strlen(below_root(spawner->node));
    return wmem_strdup_printf(scope, "%.*s%s/%s", (int)root, spawner_path, below_root(spawner->root), name);
}
