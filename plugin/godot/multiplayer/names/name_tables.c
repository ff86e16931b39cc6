/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of properties, which is parsed when it changes.
 */
#include "internal.h"

#include <epan/uat.h>

#include "common/registration.h"

/* ---- rows, as users edit them -------------------------------------------------------------------------- */

typedef struct property_row {
    char *kind;
    char *scene;
    char *node;
    char *root;
    char *names;
    char *types;
} property_row;

UAT_CSTRING_CB_DEF(property_rows, kind, property_row)
UAT_CSTRING_CB_DEF(property_rows, scene, property_row)
UAT_CSTRING_CB_DEF(property_rows, node, property_row)
UAT_CSTRING_CB_DEF(property_rows, root, property_row)
UAT_CSTRING_CB_DEF(property_rows, names, property_row)
UAT_CSTRING_CB_DEF(property_rows, types, property_row)

static property_row *property_rows;
static unsigned property_row_count;

static void *copy_property(void *to, const void *from, size_t length)
{
    return gw_copy_row(to, from, length, sizeof(property_row) / sizeof(char *));
}

static void free_property(void *row)
{
    gw_free_row(row, sizeof(property_row) / sizeof(char *));
}

/* ---- lists in a column -------------------------------------------------------------------------------- */

char **godot_names_split(const char *list)
{
    char **items = g_strsplit(list ? list : "", ",", -1);
    for (char **item = items; *item; item++)
        g_strstrip(*item);
    return items;
}

char *godot_names_error(const char *list, const char *what)
{
    char **items = godot_names_split(list);
    char *error = NULL;
    for (char *const *item = items; *item && !error; item++)
        if (!**item)
            error = g_strdup_printf("A name is missing in the list of %s: %s", what, list);
    g_strfreev(items);
    return error;
}

/* ---- the check of a row -------------------------------------------------------------------------------- */

static const char *const kinds[USES] = {
    [GODOT_PROPERTY_SPAWN] = "spawn", [GODOT_PROPERTY_ALWAYS] = "sync", [GODOT_PROPERTY_ON_CHANGE] = "delta"
};

static bool is_of_properties(const char *kind)
{
    for (unsigned use = 0; use < USES; use++)
        if (!g_strcmp0(kind, kinds[use]))
            return true;
    return false;
}

/* Empty and "Variant": any type. */
static bool is_type(const char *name)
{
    if (!*name || !strcmp(name, "Variant"))
        return true;
    for (int type = 0; type < GW_GODOT_TYPES; type++) {
        const char *known = gw_godot_type_name(GW_GODOT_4, (gw_godot_type)type);
        if (known && !strcmp(known, name))
            return true;
    }
    return false;
}

static char *types_error(const char *names, const char *list)
{
    char **properties = godot_names_split(names), **types = godot_names_split(list);
    char *error = NULL;
    if (g_strv_length(types) > g_strv_length(properties))
        error = g_strdup_printf("There are more types than names: %s", list);
    for (char *const *type = types; *type && !error; type++)
        if (!is_type(*type))
            error = g_strdup_printf("%s is no type of Godot 4, such as int or Vector2, and not Variant", *type);
    g_strfreev(types);
    g_strfreev(properties);
    return error;
}

static ws_bool check_property(void *data, char **error)
{
    const property_row *row = data;
    bool has_names = row->names && *row->names, is_list = is_of_properties(row->kind);
    *error = NULL;
    if (!is_list && g_strcmp0(row->kind, "scenes"))
        *error = g_strdup_printf("The kind is spawn, sync, delta or scenes, not %s", row->kind ? row->kind : "");
    else if (!row->scene || !*row->scene)
        *error = g_strdup("The scene is empty");
    else if (is_list && !has_names)
        *error = g_strdup("The list of properties is empty");
    else if (has_names)
        *error = godot_names_error(row->names, is_list ? "properties" : "scenes");
    if (!*error && row->types && *row->types)
        *error = types_error(row->names, row->types);
    return *error == NULL;
}

/* ---- tables made from the rows ------------------------------------------------------------------------- */

static GPtrArray *nodes;
static GHashTable *scenes;
static GPtrArray *recorded;  /* property_row, of the file's recordings; NULL: none */
static bool has_new_records; /* since the tables were made */

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
    *list = godot_names_split(text);
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

static void add_row(GHashTable *known, const property_row *row)
{
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

/* The lists of a recording replace the user's, which may be of another version of the game. */
static void read_properties(void)
{
    if (nodes)
        g_ptr_array_free(nodes, true);
    nodes = g_ptr_array_new_with_free_func(drop_node);
    GHashTable *known = g_hash_table_new(hash_node, equal_nodes);
    for (unsigned i = 0; i < property_row_count; i++)
        add_row(known, &property_rows[i]);
    for (unsigned i = 0; recorded && i < recorded->len; i++)
        add_row(known, recorded->pdata[i]);
    g_hash_table_destroy(known);
    group_scenes();
    has_new_records = false;
}

const GPtrArray *godot_names_nodes(void)
{
    if (has_new_records)
        read_properties();
    return nodes;
}

GHashTable *godot_names_scenes(void)
{
    if (has_new_records)
        read_properties();
    return scenes;
}

/* ---- rows of recordings -------------------------------------------------------------------------------- */

static void drop_row(void *row)
{
    free_property(row);
    g_free(row);
}

void godot_names_add_row(const godot_names_row *columns)
{
    const property_row row = { (char *)columns->kind, (char *)columns->scene, (char *)columns->node,
                               (char *)columns->root, (char *)columns->names, (char *)columns->types };
    if (!recorded)
        recorded = g_ptr_array_new_with_free_func(drop_row);
    g_ptr_array_add(recorded, copy_property(g_new(property_row, 1), &row, sizeof row));
    has_new_records = true;
}

static void forget_recorded(void)
{
    if (!recorded)
        return;
    g_ptr_array_free(recorded, true);
    recorded = NULL;
    has_new_records = true;
}

/* ---- registration -------------------------------------------------------------------------------------- */

void godot_register_names(module_t *module)
{
    static uat_field_t columns[] = {
        UAT_FLD_CSTRING(property_rows, kind, "Kind", "spawn, sync, delta or scenes"),
        UAT_FLD_CSTRING(property_rows, scene, "Scene", "Path of the scene's file"),
        UAT_FLD_CSTRING(property_rows, node, "Node", "Path of the synchronizer or spawner in the scene"),
        UAT_FLD_CSTRING(property_rows, root, "Root", "Path of the node whose properties these are"),
        UAT_FLD_CSTRING(property_rows, names, "Names", "Properties or scenes, separated by commas"),
        UAT_FLD_CSTRING(property_rows, types, "Types", "Types of the properties, separated by commas; may be empty"),
        UAT_END_FIELDS
    };
    /* The last column may be missing, as in rows from before it was added. */
    static const char *values[] = { NULL, NULL, NULL, NULL, NULL, "" };
    uat_t *lists = uat_new("Godot synchronized properties", sizeof(property_row), "godot_rpc_properties", true,
                           &property_rows, &property_row_count, UAT_AFFECTS_DISSECTION, NULL, copy_property,
                           check_property, free_property, read_properties, NULL, columns);
    uat_set_default_values(lists, values);
    register_cleanup_routine(forget_recorded);
    prefs_register_uat_preference(module, "rpc_properties", "Synchronized properties",
                                  "Properties and scenes of each synchronizer and spawner: Godot 4 sends values alone",
                                  lists);
}
