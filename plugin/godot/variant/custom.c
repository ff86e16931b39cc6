/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each row of the table becomes a field, registered when the table changes, for the values whose paths match the row's
 * pattern.
 */
#include "internal.h"

#include <epan/charsets.h>
#include <epan/proto.h>
#include <epan/uat.h>

#include "common/items.h"
#include "common/registration.h"

/* ---- patterns ------------------------------------------------------------------------------------------ */

/* Paths of values as a user writes them, in short or in full:
 *
 *   players[0].hp   ["players"][0]["hp"]   the same value
 *   players[*].hp                          [*]: any element or key
 *   take_damage(0)  position               an argument of a call; a synchronized property
 *   position.x      move_to(0).y           a component of a vector, color, transform ...
 *   .               x                      the document itself; its component
 *
 * A path is a base (of an argument or a property; a document has none) and a bracket for each step. A pattern is the
 * same, or has ".name" for ["name"]. */

/* The length of the name at the beginning of the text; 0: there is none. */
static size_t name_length(const char *text)
{
    size_t length = 0;
    while (g_ascii_isalpha(text[length]) || text[length] == '_' || (length && g_ascii_isdigit(text[length])))
        length++;
    return length;
}

/* After the bracket that the text begins with; NULL: it is not closed. Keys may have brackets of their own, in quotes.
 */
static const char *after_bracket(const char *text)
{
    bool in_quotes = false;
    for (text++; *text && (in_quotes || *text != ']'); text++) {
        if (*text == '"')
            in_quotes = !in_quotes;
        else if (in_quotes && *text == '\\' && text[1])
            text++;
    }
    return *text ? text + 1 : NULL;
}

/* ---- matching paths ------------------------------------------------------------------------------------------ */

/* The pattern after one step of the path; NULL: the step does not match. `step`: a bracket of `length` bytes, with both
 * brackets. `is_first`: the path begins with it; its name in the pattern then has no period, as in players[0]. */
static const char *after_step(const char *pattern, const char *step, size_t length, bool is_first)
{
    const char *name = pattern + (*pattern == '.');
    size_t size = is_first || *pattern == '.' ? name_length(name) : 0; /* 0: the step has no name in the pattern */
    size_t quote = step[1] == '&' ? 2 : 1;                             /* index of the first quotation mark */
    if (g_str_has_prefix(pattern, "[*]"))
        return pattern + strlen("[*]");
    /* The name for ["name"] or [&"name"]: both quotation marks and the closing bracket are the other three bytes. */
    if (size && length == quote + size + 3 && step[quote] == '"' && !strncmp(step + quote + 1, name, size) &&
        step[quote + 1 + size] == '"')
        return name + size;
    /* Otherwise the pattern has the same bracket. */
    return strncmp(pattern, step, length) ? NULL : pattern + length;
}

/* The rest of the pattern after the path (as in godot.path): "" if the pattern matches the value, "x" if it may match a
 * component of the value; NULL if it matches neither. */
static const char *pattern_rest(const char *pattern, const char *path)
{
    size_t base = strcspn(path, "[");
    bool is_first = !base; /* the path of a document begins with a bracket */
    if (!strcmp(path, GODOT_ROOT_PATH))
        return strcmp(pattern, GODOT_ROOT_PATH) ? pattern : "";
    if (strncmp(pattern, path, base) != 0)
        return NULL;
    pattern += base;
    for (path += base; *path && pattern; is_first = false) {
        const char *next = after_bracket(path);
        size_t length = next ? (size_t)(next - path) : strlen(path);
        pattern = after_step(pattern, path, length, is_first);
        path += length;
    }
    /* A rest is the name of a component, after a period. */
    if (!pattern || (*pattern && *pattern != '.'))
        return NULL;
    return pattern + (*pattern == '.');
}

/* ---- checking patterns ------------------------------------------------------------------------------------------ */

/* The text in brackets, up to `end`, is an index, a text in quotes, or another literal. A name without quotes is an
 * error, except these literals. NULL: no error. */
static const char *bracket_error(const char *text, const char *end)
{
    static const char *const literals[] = { "true", "false", "null", "inf", "nan", "inf_neg" };
    size_t length = name_length(text);
    if (text == end)
        return "There is nothing between the brackets";
    if (text + length != end)
        return NULL;
    for (size_t i = 0; i < array_length(literals); i++)
        if (strlen(literals[i]) == length && !strncmp(literals[i], text, length))
            return NULL;
    return "A text in brackets needs quotation marks, or is written as a period and the name, as in players.hp";
}

/* Checks the step of a pattern at *step, a period and a name or a bracket, and sets *step after it. Returns the error
 * as a sentence; NULL: none. */
static const char *step_error(const char **step)
{
    const char *text = *step;
    const char *end = *text == '[' ? after_bracket(text) : NULL;
    if (*text == '.') {
        *step = text + 1 + name_length(text + 1);
        return *step == text + 1 ? "After a period comes a name; other keys are written in brackets, as in players[0]"
                                 : NULL;
    }
    if (*text != '[')
        return "Only a period or a bracket may follow a bracket or an argument";
    if (!end)
        return "A bracket or a quotation mark is not closed";
    *step = end;
    return bracket_error(text + 1, end - 1);
}

/* The error by which the pattern cannot match any path, as a sentence; NULL: it can match one. */
static const char *pattern_error(const char *pattern)
{
    size_t base = strcspn(pattern, "[.("); /* length of the base; for an argument, first that of the method's name */
    size_t before_bracket = strcspn(pattern, "[");
    const char *error = NULL;
    if (!*pattern)
        return "The path is empty";
    if (!strcmp(pattern, GODOT_ROOT_PATH))
        return NULL;
    if (g_ascii_isspace(*pattern) || g_ascii_isspace(pattern[strlen(pattern) - 1]))
        return "The path begins or ends with a space";
    if (memchr(pattern, '"', base))
        return "A quotation mark is only valid in brackets";
    /* A property of a node below, as in "../Sprite2D:frame": its periods are part of the base. */
    if (memchr(pattern, ':', before_bracket) || memchr(pattern, '/', before_bracket))
        base = before_bracket;
    else if (pattern[base] == '(') {
        size_t digits = strspn(pattern + base + 1, "0123456789");
        if (!base || !digits || pattern[base + 1 + digits] != ')')
            return "An argument is written as the method and the number of the argument, as in take_damage(0)";
        base += digits + 2;
    }
    for (const char *step = pattern + base; !error && *step;)
        error = step_error(&step);
    return error;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

typedef struct custom_row {
    char *name;
    char *path;
    unsigned type; /* enum ftenum */
} custom_row;

static const value_string types[] = {
    { FT_INT64, "int" }, { FT_DOUBLE, "float" }, { FT_STRING, "string" }, { FT_BOOLEAN, "bool" }, { 0, NULL },
};

UAT_CSTRING_CB_DEF(custom_rows, name, custom_row)
UAT_CSTRING_CB_DEF(custom_rows, path, custom_row)
UAT_VS_DEF(custom_rows, type, custom_row, unsigned, FT_INT64, "int")

static custom_row *custom_rows;
static unsigned custom_row_count;

static hf_register_info *fields; /* one a row */
static unsigned field_count;

/* Copies a row, for Wireshark's table. 2: name and path, the strings at the beginning of a row. */
static void *copy_row(void *to, const void *from, size_t length)
{
    return gw_copy_row(to, from, length, 2);
}

/* Frees the two strings of a row, for Wireshark's table. */
static void free_row(void *row)
{
    gw_free_row(row, 2);
}

/* True for a name that can be part of a field's name: small letters, digits and underscores, a letter first. */
static bool is_field_name(const char *name)
{
    if (!name || !g_ascii_islower(*name))
        return false;
    for (; *name; name++)
        if (!g_ascii_islower(*name) && !g_ascii_isdigit(*name) && *name != '_')
            return false;
    return true;
}

/* For Wireshark's table: true if a row is valid, that is, its name can be part of a field's name, and its path is a
 * pattern that a path can match. Sets `error` to a sentence that Wireshark frees; NULL: the row is valid. */
static ws_bool check_row(void *data, char **error)
{
    const custom_row *row = data;
    const char *path_error = pattern_error(row->path ? row->path : "");
    *error = NULL;
    if (!is_field_name(row->name))
        *error = g_strdup("A name consists of lowercase letters, digits and underscores, and begins with a letter");
    else if (path_error)
        *error = g_strdup_printf("No value has the path %s: %s", row->path ? row->path : "", path_error);
    return *error == NULL;
}

/* Deregisters the fields. Wireshark frees their texts and the array itself later, when no dissection uses them. */
static void drop_fields(void)
{
    for (unsigned i = 0; i < field_count; i++) {
        proto_deregister_field(proto_godot, *fields[i].p_id);
        g_free(fields[i].p_id);
    }
    if (fields)
        proto_add_deregistered_data(fields);
    fields = NULL;
    field_count = 0;
}

/* The registered field of this name; NULL: none. */
static const hf_register_info *field_of(const char *name)
{
    for (unsigned i = 0; i < field_count; i++)
        if (!strcmp(fields[i].hfinfo.name, name))
            return &fields[i];
    return NULL;
}

/* Called by Wireshark after it has loaded or changed the table: replaces the registered fields by those of the table.
 * Rows with the same name are several paths of one field: the first of them is registered, with its type. A row with an
 * invalid name has no field. Wireshark stores the number of a field in `id`, which drop_fields() frees. */
static void read_rows(void)
{
    drop_fields();
    fields = g_new0(hf_register_info, custom_row_count ? custom_row_count : 1);
    for (unsigned i = 0; i < custom_row_count; i++) {
        const custom_row *row = &custom_rows[i];
        if (!is_field_name(row->name) || field_of(row->name))
            continue;
        int *id = g_new(int, 1);
        *id = -1;
        fields[field_count++] =
            (hf_register_info){ id,
                                { g_strdup(row->name), g_strdup_printf("godot.custom.%s", row->name),
                                  (enum ftenum)row->type, row->type == FT_INT64 ? BASE_DEC : BASE_NONE, NULL, 0,
                                  g_strdup(row->path), HFILL } };
    }
    proto_register_field_array(proto_godot, fields, (int)field_count);
}

/* ---- values --------------------------------------------------------------------------------------------- */

/* True if one of the fields of the table is referenced; in a visible tree, each of them is. Without rows, there are no
 * fields. */
bool godot_custom_is_needed(proto_tree *tree)
{
    for (unsigned i = 0; i < field_count; i++)
        if (proto_field_is_referenced(tree, *fields[i].p_id))
            return true;
    return false;
}

/* Adds the field, unless the value has none of its type: a string has no number, a container has neither, and a float may
 * be no integer. */
static void add_field_item(proto_tree *tree, const packet_info *pinfo, const hf_register_info *field,
                           const godot_custom_value *value)
{
    int hf = *field->p_id, start = (int)value->span.offset, length = (int)value->span.length;
    enum ftenum type = field->hfinfo.type;
    bool is_float = value->type == GW_GODOT_FLOAT;
    bool is_number = is_float || value->type == GW_GODOT_INT || value->type == GW_GODOT_BOOL;
    bool is_text = value->type == GW_GODOT_STRING || value->type == GW_GODOT_STRING_NAME;
    /* The conversion of NaN, and of a float that int64_t cannot hold, is undefined in C. */
    bool has_integer = !is_float || (value->real >= -0x1p63 && value->real < 0x1p63);
    int64_t integer = !is_float ? value->integer : has_integer ? (int64_t)value->real : 0;
    bool has_type = type == FT_STRING ? is_number || is_text : is_number && (type != FT_INT64 || has_integer);
    proto_item *item;
    if (!has_type)
        return;
    if (type == FT_STRING) {
        const char *text;
        if (is_text)
            text = gw_field_text(pinfo->pool,
                                 (const char *)get_utf_8_string(pinfo->pool, value->text, (int)value->length));
        else if (is_float)
            text = gw_text_of_double(pinfo->pool, value->real);
        else
            text = wmem_strdup_printf(pinfo->pool, "%" PRId64, integer);
        item = proto_tree_add_string(tree, hf, value->tvb, start, length, text);
    } else if (type == FT_INT64) {
        item = proto_tree_add_int64(tree, hf, value->tvb, start, length, integer);
    } else if (type == FT_DOUBLE) {
        item = proto_tree_add_double(tree, hf, value->tvb, start, length, is_float ? value->real : (double)integer);
    } else {
        /* As bool() in the engine: a float that is not 0 is true, also 0.5. */
        bool is_true = is_float ? value->real != 0 : integer != 0;
        item = proto_tree_add_boolean(tree, hf, value->tvb, start, length, is_true);
    }
    proto_item_set_generated(item);
}

/* Adds the field of each row whose pattern matches the value. */
void godot_custom_add(proto_tree *tree, const packet_info *pinfo, const godot_custom_value *value)
{
    for (unsigned i = 0; i < custom_row_count; i++) {
        /* The pattern must match the value itself (""), or the component that the value is. */
        const char *component = pattern_rest(custom_rows[i].path, value->path);
        bool is_same = component && !strcmp(component, value->component);
        const hf_register_info *field = is_same ? field_of(custom_rows[i].name) : NULL;
        if (field)
            add_field_item(tree, pinfo, field, value);
    }
}

/* ---- registration --------------------------------------------------------------------------------------- */

/* Adds the table to the preferences of the protocol. */
void godot_register_custom(module_t *module)
{
    static uat_field_t columns[] = {
        UAT_FLD_CSTRING(custom_rows, name, "Name", "The field is godot.custom.<name>"),
        UAT_FLD_CSTRING(custom_rows, path, "Path",
                        "Path of the value, such as players[*].hp, take_damage(0) or position.x"),
        UAT_FLD_VS(custom_rows, type, "Type", types, "Type of the field"), UAT_END_FIELDS
    };
    prefs_register_uat_preference(module, "custom_fields", "Custom fields",
                                  "Fields that you define for values, by the paths of the values",
                                  uat_new("Godot custom fields", sizeof(custom_row), "godot_custom_fields", true,
                                          &custom_rows, &custom_row_count, UAT_AFFECTS_DISSECTION | UAT_AFFECTS_FIELDS,
                                          NULL, copy_row, check_row, free_row, read_rows, drop_fields, columns));
}
