/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The two tables of names, which are parsed when they change.
 */
#include "name_tables.h"

#include <epan/uat.h>
#include <gamewire/md5.h>

/* ---- rows, as users edit them -------------------------------------------------------------------------- */

typedef struct script_row {
    char *script;
    char *methods;
    char *checksum;
} script_row;

typedef struct property_row {
    char *kind;
    char *scene;
    char *node;
    char *root;
    char *names;
    char *types;
} property_row;

UAT_CSTRING_CB_DEF(script_rows, script, script_row)
UAT_CSTRING_CB_DEF(script_rows, methods, script_row)
UAT_CSTRING_CB_DEF(script_rows, checksum, script_row)
UAT_CSTRING_CB_DEF(property_rows, kind, property_row)
UAT_CSTRING_CB_DEF(property_rows, scene, property_row)
UAT_CSTRING_CB_DEF(property_rows, node, property_row)
UAT_CSTRING_CB_DEF(property_rows, root, property_row)
UAT_CSTRING_CB_DEF(property_rows, names, property_row)
UAT_CSTRING_CB_DEF(property_rows, types, property_row)

static script_row *script_rows;
static unsigned script_row_count;
static property_row *property_rows;
static unsigned property_row_count;

static void *copy_script(void *to, const void *from, size_t length _U_)
{
    const script_row *old = from;
    script_row *row = to;
    *row = (script_row){ g_strdup(old->script), g_strdup(old->methods), g_strdup(old->checksum) };
    return to;
}

static void free_script(void *from)
{
    script_row *row = from;
    g_free(row->script);
    g_free(row->methods);
    g_free(row->checksum);
}

static void *copy_property(void *to, const void *from, size_t length _U_)
{
    const property_row *old = from;
    property_row *row = to;
    *row = (property_row){ g_strdup(old->kind), g_strdup(old->scene), g_strdup(old->node),
                           g_strdup(old->root), g_strdup(old->names), g_strdup(old->types) };
    return to;
}

static void free_property(void *from)
{
    property_row *row = from;
    g_free(row->kind);
    g_free(row->scene);
    g_free(row->node);
    g_free(row->root);
    g_free(row->names);
    g_free(row->types);
}

/* ---- tables made from the rows ------------------------------------------------------------------------- */

struct godot_script {
    char *name;
    char **methods; /* in the engine's order, NULL at the end; methods that are configured on a node have a prefix */
};

#define USES (GODOT_PROPERTY_ON_CHANGE + 1)

/* A synchronizer or a spawner of a scene. */
struct godot_synchronizer {
    char *scene;
    char *node; /* its path in the scene */
    char *root;
    char **names[USES]; /* by godot_property_use; NULL: none */
    char **types[USES]; /* may be fewer */
    char **scenes;      /* scenes of a spawner */
};

static GHashTable *scripts; /* checksum: godot_script */
static GPtrArray *nodes;    /* godot_synchronizer, in the order of the rows */

/* Maximum number of synchronizers of a node that are considered. */
#define CHOSEN_FROM 8

typedef struct godot_scene {
    const godot_synchronizer *first;              /* the first of its rows */
    const godot_synchronizer *nodes[CHOSEN_FROM]; /* synchronizers whose root is the root of the scene */
    uint32_t count;
    bool has_more;
    GPtrArray *spawners; /* spawners whose lists contain the scene */
} godot_scene;

static GHashTable *scenes; /* file: godot_scene */

/* Splits "a, b" into { "a", "b", NULL }. */
static char **split(const char *list)
{
    char **items = g_strsplit(list ? list : "", ",", -1);
    for (char **item = items; *item; item++)
        g_strstrip(*item);
    return items;
}

/* True for a method that the game configured on a node (rpc_config) and that no script declares. */
#define ON_NODE_MARK '*'
/* Such methods are numbered separately, with this bit. */
#define ON_NODE_BIT 0x8000U

static bool is_on_node(const char *method)
{
    return *method == ON_NODE_MARK;
}

static const char *name_of(const char *method)
{
    return is_on_node(method) ? method + 1 : method;
}

/* Computed from the names: a checksum in the table that differs from this is no evidence for them. */
static char *checksum_of(char *const *names)
{
    uint8_t digest[GW_MD5_LENGTH];
    GString *text = g_string_new(NULL);
    gw_md5 md5;
    gw_md5_init(&md5);
    for (; *names; names++)
        gw_md5_add(&md5, name_of(*names), strlen(name_of(*names)));
    gw_md5_end(&md5, digest);
    for (unsigned i = 0; i < sizeof digest; i++)
        g_string_append_printf(text, "%02x", digest[i]);
    return g_string_free(text, false);
}

static void drop_script(void *data)
{
    godot_script *script = data;
    g_free(script->name);
    g_strfreev(script->methods);
    g_free(script);
}

static void read_scripts(void)
{
    if (scripts)
        g_hash_table_destroy(scripts);
    scripts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, drop_script);
    for (unsigned i = 0; i < script_row_count; i++) {
        godot_script *script = g_new(godot_script, 1);
        script->name = g_strdup(script_rows[i].script);
        script->methods = split(script_rows[i].methods);
        g_hash_table_insert(scripts, checksum_of(script->methods), script);
    }
}

static void drop_node(void *data)
{
    godot_synchronizer *node = data;
    g_free(node->scene);
    g_free(node->node);
    g_free(node->root);
    for (unsigned use = 0; use < USES; use++) {
        g_strfreev(node->names[use]);
        g_strfreev(node->types[use]);
    }
    g_strfreev(node->scenes);
    g_free(node);
}

static unsigned hash_node(const void *key)
{
    const godot_synchronizer *node = key;
    return 31 * g_str_hash(node->scene) + g_str_hash(node->node);
}

static gboolean equal_nodes(const void *one, const void *other)
{
    const godot_synchronizer *a = one, *b = other;
    return !strcmp(a->scene, b->scene) && !strcmp(a->node, b->node);
}

/* `known`: all of `nodes`, by scene and node. */
static godot_synchronizer *obtain_node(GHashTable *known, const property_row *row)
{
    const godot_synchronizer key = { .scene = row->scene ? row->scene : "", .node = row->node ? row->node : "" };
    godot_synchronizer *node = g_hash_table_lookup(known, &key);
    if (node)
        return node;
    node = g_new0(godot_synchronizer, 1);
    node->scene = g_strdup(key.scene);
    node->node = g_strdup(key.node);
    node->root = g_strdup(row->root ? row->root : "");
    g_ptr_array_add(nodes, node);
    g_hash_table_add(known, node);
    return node;
}

static void replace_list(char ***list, const char *text)
{
    g_strfreev(*list);
    *list = split(text);
}

static bool is_of_scene_root(const godot_synchronizer *node)
{
    return !node->scenes && *node->root && !strchr(node->root, '/');
}

static void drop_scene(void *data)
{
    godot_scene *scene = data;
    g_ptr_array_free(scene->spawners, true);
    g_free(scene);
}

static godot_scene *obtain_scene(const godot_synchronizer *node)
{
    godot_scene *scene = g_hash_table_lookup(scenes, node->scene);
    if (scene)
        return scene;
    scene = g_new0(godot_scene, 1);
    scene->first = node;
    scene->spawners = g_ptr_array_new();
    g_hash_table_insert(scenes, node->scene, scene);
    return scene;
}

static void add_to_scenes(godot_synchronizer *spawner)
{
    for (char *const *file = spawner->scenes; file && *file; file++) {
        godot_scene *scene = g_hash_table_lookup(scenes, *file);
        if (scene)
            g_ptr_array_add(scene->spawners, spawner);
    }
}

static void group_scenes(void)
{
    if (scenes)
        g_hash_table_destroy(scenes);
    scenes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, drop_scene);
    for (unsigned i = 0; i < nodes->len; i++) {
        const godot_synchronizer *node = nodes->pdata[i];
        godot_scene *scene = obtain_scene(node);
        if (is_of_scene_root(node) && scene->count < CHOSEN_FROM)
            scene->nodes[scene->count++] = node;
        else
            scene->has_more = scene->has_more || is_of_scene_root(node);
    }
    for (unsigned i = 0; i < nodes->len; i++)
        add_to_scenes(nodes->pdata[i]);
}

static void read_properties(void)
{
    static const char *const kinds[USES] = {
        [GODOT_PROPERTY_SPAWN] = "spawn", [GODOT_PROPERTY_ALWAYS] = "sync", [GODOT_PROPERTY_ON_CHANGE] = "delta"
    };
    if (nodes)
        g_ptr_array_free(nodes, true);
    nodes = g_ptr_array_new_with_free_func(drop_node);
    GHashTable *known = g_hash_table_new(hash_node, equal_nodes);
    for (unsigned i = 0; i < property_row_count; i++) {
        const property_row *row = &property_rows[i];
        godot_synchronizer *node = obtain_node(known, row);
        if (!g_strcmp0(row->kind, "scenes"))
            replace_list(&node->scenes, row->names);
        for (unsigned use = 0; use < USES; use++) {
            if (g_strcmp0(row->kind, kinds[use]))
                continue;
            replace_list(&node->names[use], row->names);
            replace_list(&node->types[use], row->types);
        }
    }
    g_hash_table_destroy(known);
    group_scenes();
}

/* ---- methods ------------------------------------------------------------------------------------------- */

const godot_script *godot_script_of(const char *checksum)
{
    return scripts && checksum ? g_hash_table_lookup(scripts, checksum) : NULL;
}

const char *godot_script_name(const godot_script *script)
{
    return script->name;
}

const char *godot_script_method(const godot_script *script, uint32_t method)
{
    bool on_node = method & ON_NODE_BIT;
    uint32_t left = method & ~ON_NODE_BIT;
    for (char *const *one = script->methods; *one; one++)
        if (is_on_node(*one) == on_node && !left--)
            return name_of(*one);
    return NULL;
}

/* ---- properties and scenes ----------------------------------------------------------------------------- */

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
    return file && scenes ? g_hash_table_lookup(scenes, file) : NULL;
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
    if (!scenes)
        return NULL;
    g_hash_table_iter_init(&scene, scenes);
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

/* ---- registration -------------------------------------------------------------------------------------- */

void godot_names_register(module_t *module)
{
    static uat_field_t script_columns[] = {
        UAT_FLD_CSTRING(script_rows, script, "Script", "Path of the script"),
        UAT_FLD_CSTRING(script_rows, methods, "Methods", "RPC methods in the engine's order; '*': set on the node"),
        UAT_FLD_CSTRING(script_rows, checksum, "Checksum", "MD5 of the joined names; calculated anew from the names"),
        UAT_END_FIELDS
    };
    static uat_field_t property_columns[] = {
        UAT_FLD_CSTRING(property_rows, kind, "Kind", "spawn, sync, delta or scenes"),
        UAT_FLD_CSTRING(property_rows, scene, "Scene", "Path of the scene's file"),
        UAT_FLD_CSTRING(property_rows, node, "Node", "Path of the synchronizer or spawner in the scene"),
        UAT_FLD_CSTRING(property_rows, root, "Root", "Path of the node whose properties these are"),
        UAT_FLD_CSTRING(property_rows, names, "Names", "Properties or scenes, separated by commas"),
        UAT_FLD_CSTRING(property_rows, types, "Types", "Types of the properties, separated by commas; may be empty"),
        UAT_END_FIELDS
    };
    /* The last column of each may be missing, as in rows from before it was added. */
    static const char *script_values[] = { NULL, NULL, "" }, *list_values[] = { NULL, NULL, NULL, NULL, NULL, "" };
    uat_t *methods =
        uat_new("Godot RPC names", sizeof(script_row), "godot_rpc_names", true, &script_rows, &script_row_count,
                UAT_AFFECTS_DISSECTION, NULL, copy_script, NULL, free_script, read_scripts, NULL, script_columns);
    uat_t *lists = uat_new("Godot synchronized properties", sizeof(property_row), "godot_rpc_properties", true,
                           &property_rows, &property_row_count, UAT_AFFECTS_DISSECTION, NULL, copy_property, NULL,
                           free_property, read_properties, NULL, property_columns);
    uat_set_default_values(methods, script_values);
    uat_set_default_values(lists, list_values);
    prefs_register_uat_preference(module, "rpc_names", "RPC methods",
                                  "The methods of each script: Godot 4 sends numbers in their place", methods);
    prefs_register_uat_preference(module, "rpc_properties", "Synchronized properties",
                                  "Properties and scenes of each synchronizer and spawner: Godot 4 sends values alone",
                                  lists);
}
