/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables of RPC methods and of properties, which are parsed when they change.
 */
#include "internal.h"

#include <epan/uat.h>
#include <gamewire/md5.h>

#include "common/registration.h"

/* ---- rows, as users edit them -------------------------------------------------------------------------- */

typedef struct script_row {
    char *script;
    char *methods;
    char *checksum;
} script_row;

UAT_CSTRING_CB_DEF(script_rows, script, script_row)
UAT_CSTRING_CB_DEF(script_rows, methods, script_row)
UAT_CSTRING_CB_DEF(script_rows, checksum, script_row)

static script_row *script_rows;
static unsigned script_row_count;

/* Callbacks of Wireshark's table of scripts: copy and free the texts of a row. */
static void *copy_script(void *to, const void *from, size_t length)
{
    return gw_copy_row(to, from, length, sizeof(script_row) / sizeof(char *));
}

static void free_script(void *row)
{
    gw_free_row(row, sizeof(script_row) / sizeof(char *));
}

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

/* The same callbacks for the table of properties. */
static void *copy_property(void *to, const void *from, size_t length)
{
    return gw_copy_row(to, from, length, sizeof(property_row) / sizeof(char *));
}

static void free_property(void *row)
{
    gw_free_row(row, sizeof(property_row) / sizeof(char *));
}

/* ---- lists in a column --------------------------------------------------------------------------------- */

/* Splits "a, b" into { "a", "b", NULL }. */
static char **split(const char *list)
{
    char **items = g_strsplit(list ? list : "", ",", -1);
    for (char **item = items; *item; item++)
        g_strstrip(*item);
    return items;
}

static bool is_empty(const char *column)
{
    return !column || !*column;
}

/* The error of a list that has an empty name; NULL: none. `items`: the list, split. `kind`: "methods", for the error's
 * text. The caller frees it. */
static char *list_error(char *const *items, const char *list, const char *kind)
{
    for (; *items; items++)
        if (!**items)
            return g_strdup_printf("A name is missing in the list of %s: %s", kind, list);
    return NULL;
}

/* ---- RPC methods --------------------------------------------------------------------------------------- */

/* Prefix of a method that the game configured on a node (rpc_config) and that no script declares. */
#define ON_NODE_MARK '*'
/* Such methods are numbered separately, with this bit. */
#define ON_NODE_BIT 0x8000U

/* checksum: godot_script */
static GHashTable *scripts;
static GHashTable *recorded_scripts; /* of the file's recordings; NULL: none */

/* The name of a method of the list, without the mark of those that the game configured on a node. */
static const char *without_mark(const char *method)
{
    return *method == ON_NODE_MARK ? method + 1 : method;
}

/* True if the method's name, with or without the mark, is one that GDScript allows: letters, digits, underscores and
 * all characters that are not ASCII. */
static bool is_method(const char *method)
{
    const char *name = without_mark(method);
    for (const char *letter = name; *letter; letter++)
        if (!g_ascii_isalnum(*letter) && *letter != '_' && (unsigned char)*letter < 0x80)
            return false;
    return *name && !g_ascii_isdigit(*name);
}

/* The test of a row for Wireshark's table: a script, its methods and, if there is one, a checksum that is an MD5. */
static ws_bool check_script(void *data, char **error)
{
    const script_row *row = data;
    size_t digits = row->checksum ? strlen(row->checksum) : 0;
    *error = NULL;
    if (is_empty(row->script)) {
        *error = g_strdup("The script is empty");
    } else if (digits &&
               (digits != (size_t)2 * GW_MD5_LENGTH || strspn(row->checksum, "0123456789abcdefABCDEF") != digits)) {
        *error = g_strdup_printf("%s is no MD5 of 32 hexadecimal digits; it may be left empty", row->checksum);
    } else if (!is_empty(row->methods)) {
        char **methods = split(row->methods);
        *error = list_error(methods, row->methods, "methods");
        for (char *const *method = methods; *method && !*error; method++)
            if (!is_method(*method))
                *error = g_strdup_printf("%s is no name of a method", *method);
        g_strfreev(methods);
    }
    return *error == NULL;
}

static void drop_script(void *data)
{
    godot_script *script = data;
    g_free(script->name);
    g_strfreev(script->methods);
    g_free(script);
}

/* Adds a script to the table under the checksum that the engine sends: the MD5 of the names of its methods. It is
 * computed here, because a checksum in a row may not match the names, and is not used. The script owns `methods`, which
 * end with NULL. */
static void add_script(GHashTable *table, const char *name, char **methods)
{
    godot_script *script = g_new(godot_script, 1);
    GString *checksum = g_string_new(NULL);
    uint8_t digest[GW_MD5_LENGTH];
    gw_md5 md5;
    script->name = g_strdup(name);
    script->methods = methods;
    gw_md5_init(&md5);
    for (char *const *method = methods; *method; method++)
        gw_md5_add(&md5, without_mark(*method), strlen(without_mark(*method)));
    gw_md5_end(&md5, digest);
    for (unsigned byte = 0; byte < sizeof digest; byte++)
        g_string_append_printf(checksum, "%02x", digest[byte]);
    g_hash_table_insert(table, g_string_free(checksum, false), script);
}

/* Makes the table of scripts from the rows, again if they have changed. */
static void read_scripts(void)
{
    if (scripts)
        g_hash_table_destroy(scripts);
    scripts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, drop_script);
    for (unsigned i = 0; i < script_row_count; i++)
        add_script(scripts, script_rows[i].script, split(script_rows[i].methods));
}

/* The script with this checksum in a table, which may be NULL. Most users have no table of scripts: nothing is hashed for
 * an empty one. */
static const godot_script *find_script(GHashTable *table, const char *checksum)
{
    return table && g_hash_table_size(table) ? g_hash_table_lookup(table, checksum) : NULL;
}

/* The script with this checksum of its methods. The user's table takes precedence over recordings. NULL: neither has
 * such a script, or the checksum is NULL. */
const godot_script *godot_script_of(const char *checksum)
{
    const godot_script *script = checksum ? find_script(scripts, checksum) : NULL;
    return script || !checksum ? script : find_script(recorded_scripts, checksum);
}

/* The name of the method with this number on the wire; NULL: the script has no such method. */
const char *godot_script_method(const godot_script *script, uint32_t number)
{
    /* The number is an index among the methods of the same kind: those with the mark, or those without. */
    bool is_on_node = number & ON_NODE_BIT;
    uint32_t left = number & ~ON_NODE_BIT;
    for (char *const *method = script->methods; *method; method++)
        if ((**method == ON_NODE_MARK) == is_on_node && !left--)
            return without_mark(*method);
    return NULL;
}

/* ---- properties ---------------------------------------------------------------------------------------- */

static const char *const kinds[USES] = {
    [GODOT_PROPERTY_SPAWN] = "spawn", [GODOT_PROPERTY_ALWAYS] = "sync", [GODOT_PROPERTY_ON_CHANGE] = "delta"
};

/* True for the name of a type of Godot 4, and for the two names of any type: "" and "Variant". */
static bool is_type(const char *name)
{
    if (!*name || !strcmp(name, "Variant"))
        return true;
    for (int type = 0; type < GW_GODOT_TYPES; type++) {
        const char *type_name = gw_godot_type_name(GW_GODOT_4, (gw_godot_type)type);
        if (type_name && !strcmp(type_name, name))
            return true;
    }
    return false;
}

/* The test of a row for Wireshark's table: its kind, a scene, names and, as far as there are some, types. The names are
 * properties of a synchronizer or, with the kind "scenes", the scenes that a spawner creates. */
static ws_bool check_property(void *data, char **error)
{
    const property_row *row = data;
    char **names = split(row->names), **types = split(row->types);
    bool has_properties = false;
    for (unsigned use = 0; use < USES; use++)
        has_properties = has_properties || !g_strcmp0(row->kind, kinds[use]);
    *error = NULL;
    if (!has_properties && g_strcmp0(row->kind, "scenes"))
        *error = g_strdup_printf("The kind is spawn, sync, delta or scenes, not %s", row->kind ? row->kind : "");
    else if (is_empty(row->scene))
        *error = g_strdup("The scene is empty");
    else if (has_properties && is_empty(row->names))
        *error = g_strdup("The list of properties is empty");
    else
        *error = list_error(names, row->names, has_properties ? "properties" : "scenes");
    if (!*error && g_strv_length(types) > g_strv_length(names))
        *error = g_strdup_printf("There are more types than names: %s", row->types);
    for (char *const *type = types; *type && !*error; type++)
        if (!is_type(*type))
            *error = g_strdup_printf("%s is no type of Godot 4, such as int or Vector2, and not Variant", *type);
    g_strfreev(types);
    g_strfreev(names);
    return *error == NULL;
}

static godot_properties properties;

static GPtrArray *recorded_rows; /* property_row, of the file's recordings; NULL: none */
static bool has_new_records;     /* since the tables were made */

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

static void drop_scene(void *data)
{
    godot_scene *scene = data;
    g_ptr_array_free(scene->spawners, true);
    g_free(scene);
}

/* The hash of a node's key: scene and node. */
static unsigned hash_node(const void *key)
{
    const godot_synchronizer *node = key;
    return 31 * g_str_hash(node->scene) + g_str_hash(node->node);
}

/* True if both keys have the same scene and node. */
static gboolean equal_nodes(const void *first, const void *second)
{
    const godot_synchronizer *a = first, *b = second;
    return !strcmp(a->scene, b->scene) && !strcmp(a->node, b->node);
}

/* Replaces a list, which may be NULL, by the items of the text. */
static void replace_list(char ***list, const char *text)
{
    g_strfreev(*list);
    *list = split(text);
}

/* Makes properties.scenes: for each scene the synchronizers whose root is the scene's root, at most CHOSEN_FROM
 * (has_more: there are others), and the spawners, of any scene, that create it. Spawners come last, because their
 * scenes must have been added. */
static void group_scenes(void)
{
    const GPtrArray *nodes = properties.nodes;
    GHashTable *scenes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, drop_scene);
    for (unsigned i = 0; i < nodes->len; i++) {
        const godot_synchronizer *node = nodes->pdata[i];
        godot_scene *scene = g_hash_table_lookup(scenes, node->scene);
        if (!scene) {
            scene = g_new0(godot_scene, 1);
            scene->first = node;
            scene->spawners = g_ptr_array_new();
            g_hash_table_insert(scenes, node->scene, scene);
        }
        /* A root without a "/" is the first name of its nodes' paths: the root of the scene. A spawner has scenes. */
        bool is_of_scene_root = !node->scenes && *node->root && !strchr(node->root, '/');
        if (is_of_scene_root && scene->count < CHOSEN_FROM)
            scene->nodes[scene->count++] = node;
        else
            scene->has_more = scene->has_more || is_of_scene_root;
    }
    for (unsigned i = 0; i < nodes->len; i++) {
        godot_synchronizer *spawner = nodes->pdata[i];
        for (char *const *file = spawner->scenes; file && *file; file++) {
            godot_scene *scene = g_hash_table_lookup(scenes, *file);
            if (scene)
                g_ptr_array_add(scene->spawners, spawner);
        }
    }
    properties.scenes = scenes;
}

/* Sets the list that a row has, scenes or the properties of one use, in the row's node. A node has a row for each of
 * its lists, the first of which creates it; a later row with the same list replaces it. `by_path`: all nodes, by scene
 * and node. */
static void add_row(GHashTable *by_path, const property_row *row)
{
    const godot_synchronizer key = { .scene = row->scene ? row->scene : "", .node = row->node ? row->node : "" };
    godot_synchronizer *node = g_hash_table_lookup(by_path, &key);
    if (!node) {
        node = g_new0(godot_synchronizer, 1);
        node->scene = g_strdup(key.scene);
        node->node = g_strdup(key.node);
        node->root = g_strdup(row->root ? row->root : "");
        g_ptr_array_add(properties.nodes, node);
        g_hash_table_add(by_path, node);
    }
    if (!g_strcmp0(row->kind, "scenes"))
        replace_list(&node->scenes, row->names);
    for (unsigned use = 0; use < USES; use++) {
        if (g_strcmp0(row->kind, kinds[use]))
            continue;
        replace_list(&node->names[use], row->names);
        replace_list(&node->types[use], row->types);
    }
}

/* Makes the tables of properties from the rows, again if they have changed. The lists of a recording replace the
 * user's, which may be of another version of the game. */
static void read_properties(void)
{
    if (properties.nodes) {
        g_hash_table_destroy(properties.scenes);
        g_ptr_array_free(properties.nodes, true);
    }
    properties.nodes = g_ptr_array_new_with_free_func(drop_node);
    GHashTable *by_path = g_hash_table_new(hash_node, equal_nodes);
    for (unsigned i = 0; i < property_row_count; i++)
        add_row(by_path, &property_rows[i]);
    for (unsigned i = 0; recorded_rows && i < recorded_rows->len; i++)
        add_row(by_path, recorded_rows->pdata[i]);
    g_hash_table_destroy(by_path);
    group_scenes();
    has_new_records = false;
}

/* The table of properties, which is made again if a recording had names since. */
const godot_properties *godot_find_properties(void)
{
    if (has_new_records)
        read_properties();
    return &properties;
}

/* ---- rows of recordings -------------------------------------------------------------------------------- */

static void drop_row(void *row)
{
    free_property(row);
    g_free(row);
}

/* Adds a copy of a recording's row of properties or scenes. */
void godot_names_add_row(const godot_names_row *columns)
{
    const property_row row = { (char *)columns->kind, (char *)columns->scene, (char *)columns->node,
                               (char *)columns->root, (char *)columns->names, (char *)columns->types };
    if (!recorded_rows)
        recorded_rows = g_ptr_array_new_with_free_func(drop_row);
    g_ptr_array_add(recorded_rows, copy_property(g_new(property_row, 1), &row, sizeof row));
    has_new_records = true;
}

/* Adds the methods of a recording's script, which are freed with the table. */
void godot_names_add_script(const char *script, char **methods)
{
    if (!recorded_scripts)
        recorded_scripts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, drop_script);
    add_script(recorded_scripts, script, methods);
}

/* Removes the names of recordings when the file is closed. The tables of properties are made again, without them, when
 * they are used next. */
static void forget_recorded(void)
{
    if (recorded_scripts)
        g_hash_table_destroy(recorded_scripts);
    recorded_scripts = NULL;
    if (!recorded_rows)
        return;
    g_ptr_array_free(recorded_rows, true);
    recorded_rows = NULL;
    has_new_records = true;
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers both tables as preferences. */
void godot_register_names(module_t *module)
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
    /* The last column may be missing, as in rows from before it was added. */
    static const char *script_values[] = { NULL, NULL, "" };
    static const char *property_values[] = { NULL, NULL, NULL, NULL, NULL, "" };
    uat_t *methods = uat_new("Godot RPC names", sizeof(script_row), "godot_rpc_names", true, &script_rows,
                             &script_row_count, UAT_AFFECTS_DISSECTION, NULL, copy_script, check_script, free_script,
                             read_scripts, NULL, script_columns);
    uat_t *lists = uat_new("Godot synchronized properties", sizeof(property_row), "godot_rpc_properties", true,
                           &property_rows, &property_row_count, UAT_AFFECTS_DISSECTION, NULL, copy_property,
                           check_property, free_property, read_properties, NULL, property_columns);
    uat_set_default_values(methods, script_values);
    uat_set_default_values(lists, property_values);
    prefs_register_uat_preference(module, "rpc_names", "RPC methods",
                                  "The methods of each script: Godot 4 sends numbers in their place", methods);
    prefs_register_uat_preference(module, "rpc_properties", "Synchronized properties",
                                  "Properties and scenes of each synchronizer and spawner: Godot 4 sends values alone",
                                  lists);
    register_cleanup_routine(forget_recorded);
    read_scripts();
    read_properties();
}
