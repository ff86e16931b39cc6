/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of RPC methods, which is parsed when it changes: the methods of each script.
 */
#include "internal.h"

#include <epan/uat.h>
#include <gamewire/md5.h>

#include "common/registration.h"

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

struct godot_script {
    char *name;
    char **methods; /* in the engine's order, NULL at the end; methods that are configured on a node have a prefix */
};

/* checksum: godot_script */
static GHashTable *scripts;
static GHashTable *recorded_scripts; /* of the file's recordings; NULL: none */

/* ---- the table ----------------------------------------------------------------------------------------- */

static void *copy_script(void *to, const void *from, size_t length)
{
    return gw_copy_row(to, from, length, sizeof(script_row) / sizeof(char *));
}

static void free_script(void *row)
{
    gw_free_row(row, sizeof(script_row) / sizeof(char *));
}

/* Letters, digits and what is not ASCII, after the mark of a method that is set on the node. */
static bool is_method(const char *method)
{
    const char *name = *method == '*' ? method + 1 : method;
    for (const char *at = name; *at; at++)
        if (!g_ascii_isalnum(*at) && *at != '_' && (unsigned char)*at < 0x80)
            return false;
    return *name && !g_ascii_isdigit(*name);
}

static char *methods_error(const char *list)
{
    char **methods = godot_names_split(list);
    char *error = godot_names_error(list, "methods");
    for (char *const *method = methods; *method && !error; method++)
        if (!is_method(*method))
            error = g_strdup_printf("%s is no name of a method", *method);
    g_strfreev(methods);
    return error;
}

static bool is_checksum(const char *text)
{
    size_t length = strlen(text);
    return !length || (length == (size_t)2 * GW_MD5_LENGTH && strspn(text, "0123456789abcdefABCDEF") == length);
}

static ws_bool check_script(void *data, char **error)
{
    const script_row *row = data;
    *error = NULL;
    if (!row->script || !*row->script)
        *error = g_strdup("The script is empty");
    else if (row->checksum && !is_checksum(row->checksum))
        *error = g_strdup_printf("%s is no MD5 of 32 hexadecimal digits; it may be left empty", row->checksum);
    else if (row->methods && *row->methods)
        *error = methods_error(row->methods);
    return *error == NULL;
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

static void add_script(GHashTable *table, const char *name, char **methods)
{
    godot_script *script = g_new(godot_script, 1);
    script->name = g_strdup(name);
    script->methods = methods;
    g_hash_table_insert(table, checksum_of(script->methods), script);
}

static void read_scripts(void)
{
    if (scripts)
        g_hash_table_destroy(scripts);
    scripts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, drop_script);
    for (unsigned i = 0; i < script_row_count; i++)
        add_script(scripts, script_rows[i].script, godot_names_split(script_rows[i].methods));
}

void godot_names_add_script(const char *script, char **methods)
{
    if (!recorded_scripts)
        recorded_scripts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, drop_script);
    add_script(recorded_scripts, script, methods);
}

static void forget_recorded(void)
{
    if (recorded_scripts)
        g_hash_table_destroy(recorded_scripts);
    recorded_scripts = NULL;
}

void godot_register_script_names(module_t *module)
{
    static uat_field_t columns[] = {
        UAT_FLD_CSTRING(script_rows, script, "Script", "Path of the script"),
        UAT_FLD_CSTRING(script_rows, methods, "Methods", "RPC methods in the engine's order; '*': set on the node"),
        UAT_FLD_CSTRING(script_rows, checksum, "Checksum", "MD5 of the joined names; calculated anew from the names"),
        UAT_END_FIELDS
    };
    /* The last column may be missing, as in rows from before it was added. */
    static const char *values[] = { NULL, NULL, "" };
    uat_t *methods =
        uat_new("Godot RPC names", sizeof(script_row), "godot_rpc_names", true, &script_rows, &script_row_count,
                UAT_AFFECTS_DISSECTION, NULL, copy_script, check_script, free_script, read_scripts, NULL, columns);
    uat_set_default_values(methods, values);
    register_cleanup_routine(forget_recorded);
    prefs_register_uat_preference(module, "rpc_names", "RPC methods",
                                  "The methods of each script: Godot 4 sends numbers in their place", methods);
}

/* ---- methods ------------------------------------------------------------------------------------------- */

const godot_script *godot_script_of(const char *checksum)
{
    const godot_script *script = scripts && checksum ? g_hash_table_lookup(scripts, checksum) : NULL;
    return script || !recorded_scripts || !checksum ? script : g_hash_table_lookup(recorded_scripts, checksum);
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
