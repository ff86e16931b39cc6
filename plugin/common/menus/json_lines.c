/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -z gamewire,messages and -z gamewire,frames: prints lines of JSON for messages and frames.
 *
 * Both are listeners of Wireshark's tap "frame", which is called after a frame was dissected. Their filter names the fields
 * whose values they print: so these are in the tree, which need not be visible.
 */
#include "common/menus/json_lines.h"

#include "common/display/json_message.h"

#include <stdio.h>

#include <epan/epan_dissect.h>
#include <epan/print.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "common/findings.h"

/* The protocols whose field "<protocol>.json" has a message. The messages of a frame are printed in this order. */
static const char *const protocols[] = { "enet",         "godot",     "godot_debugger", "godot_mp", "godot_remote_fs",
                                         "godot_stream", "leviathan", "squirrel" };

/* One option -z. */
typedef struct json_lines {
    int protocols[array_length(protocols)]; /* their numbers */
    GPtrArray *fields;                      /* header_field_info: those that the option names */
    GHashTable *descriptions; /* a set: the findings (gw_finding) and fields whose description was printed */
} json_lines;

/* ---- a frame --------------------------------------------------------------------------------------------- */

/* Prints a line for each message of the frame, which its protocol has kept in packet scope. Returns their number. */
static unsigned put_messages(const json_lines *lines, packet_info *pinfo)
{
    unsigned count = 0;
    for (size_t i = 0; i < array_length(protocols); i++) {
        wmem_array_t *messages = gw_json_find_messages(pinfo, lines->protocols[i]);
        for (unsigned j = 0; messages && j < wmem_array_get_count(messages); j++, count++)
            puts(*(const char **)wmem_array_index(messages, j));
    }
    return count;
}

/* -z gamewire,messages: prints the lines of the frame's messages. */
static tap_packet_status print_messages(void *listener, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                        const void *data _U_, tap_flags_t flags _U_)
{
    put_messages(listener, pinfo);
    return TAP_PACKET_DONT_REDRAW;
}

/* Prints a line that describes a finding: called before the line of the first frame that has it. */
static void describe_finding(wmem_allocator_t *pool, const gw_finding *row)
{
    gw_json json;
    gw_json_init(&json, pool);
    gw_json_open_object(&json);
    gw_json_add_string(&json, "finding", row->filter);
    gw_json_add_string(&json, "severity", val_to_str_const((uint32_t)row->severity, expert_severity_vals, ""));
    gw_json_add_string(&json, "title", row->summary);
    gw_json_add_string(&json, "word", row->word);
    gw_json_add_string(&json, "remedy", row->remedy);
    gw_json_close_object(&json);
    puts(wmem_strbuf_get_str(json.text));
}

/* Prints a line with the texts of a field's values: called before the line of the first frame that has the field. Prints
 * nothing if the field is not an enumeration. `strings` of an integer is a value_string only if `display` has no flag. */
static void describe_field(wmem_allocator_t *pool, const header_field_info *field)
{
    gw_json json;
    if (field->type < FT_UINT8 || field->type > FT_UINT32 || field->display != BASE_DEC || !field->strings)
        return;
    gw_json_init(&json, pool);
    gw_json_open_object(&json);
    gw_json_add_string(&json, "field", field->abbrev);
    gw_json_name(&json, "texts");
    gw_json_open_object(&json);
    for (const value_string *row = field->strings; row->strptr; row++)
        gw_json_add_string(&json, wmem_strdup_printf(pool, "%u", row->value), row->strptr);
    gw_json_close_object(&json);
    gw_json_close_object(&json);
    puts(wmem_strbuf_get_str(json.text));
}

/* Adds a member with a list of the field's values in the frame, as -T fields prints them. `field`: the first of the fields
 * that are registered with its name; the values of all are added. False, and nothing is added, if there are none. */
static bool add_values(gw_json *json, const header_field_info *field, epan_dissect_t *dissect)
{
    bool has_any = false;
    for (; field; field = field->same_name_next) {
        const GPtrArray *values = proto_get_finfo_ptr_array(dissect->tree, field->id);
        for (unsigned i = 0; values && i < values->len; i++) {
            char *text = get_node_field_value(g_ptr_array_index(values, i), dissect);
            if (!has_any) {
                gw_json_name(json, field->abbrev);
                gw_json_open_array(json);
            }
            gw_json_string(json, text ? text : "");
            g_free(text);
            has_any = true;
        }
    }
    if (has_any)
        gw_json_close_array(json);
    return has_any;
}

/* Adds the plugin's protocols in the frame, each as often as it is in frame.protocols, and in that order. */
static void add_protocols(gw_json *json, const json_lines *lines, const packet_info *pinfo)
{
    gw_json_name(json, "protocols");
    gw_json_open_array(json);
    for (wmem_list_frame_t *layer = wmem_list_head(pinfo->layers); layer; layer = wmem_list_frame_next(layer))
        for (size_t i = 0; i < array_length(protocols); i++)
            if (lines->protocols[i] == GPOINTER_TO_INT(wmem_list_frame_data(layer)))
                gw_json_string(json, protocols[i]);
    gw_json_close_array(json);
}

/* -z gamewire,frames: prints the lines of the frame's messages; for each finding and field that occurs for the first time,
 * a line that describes it; and then the line of the frame. */
static tap_packet_status print_frame(void *listener, packet_info *pinfo, epan_dissect_t *dissect, const void *data _U_,
                                     tap_flags_t flags _U_)
{
    const json_lines *lines = listener;
    gw_json json;
    bool has_messages = put_messages(lines, pinfo) > 0;
    gw_json_init(&json, pinfo->pool);
    gw_json_open_object(&json);
    gw_json_add_uint(&json, "frame", pinfo->num);
    gw_json_add_time(&json, "time", &pinfo->abs_ts);
    gw_json_add_uint(&json, "length", pinfo->fd->pkt_len);
    if (!has_messages) /* each message has them */
        gw_json_add_ends(&json, pinfo);
    add_protocols(&json, lines, pinfo);
    /* 1. The filter names of the findings of severity Note and above, as often as each was found. */
    gw_json_name(&json, "findings");
    gw_json_open_array(&json);
    for (unsigned i = 0; i < gw_count_findings(pinfo); i++) {
        const gw_finding *row = gw_finding_at(pinfo, i);
        if (row->severity < PI_NOTE)
            continue;
        /* g_hash_table_add() is true for a row that is not in the set yet. */
        if (g_hash_table_add(lines->descriptions, (void *)row))
            describe_finding(pinfo->pool, row);
        gw_json_string(&json, row->filter);
    }
    gw_json_close_array(&json);
    /* 2. The values of the fields that the option names, without fields that the frame does not have. */
    gw_json_name(&json, "fields");
    gw_json_open_object(&json);
    for (unsigned i = 0; i < lines->fields->len; i++) {
        header_field_info *field = g_ptr_array_index(lines->fields, i);
        if (add_values(&json, field, dissect) && g_hash_table_add(lines->descriptions, field))
            describe_field(pinfo->pool, field);
    }
    gw_json_close_object(&json);
    gw_json_close_object(&json);
    puts(wmem_strbuf_get_str(json.text));
    return TAP_PACKET_DONT_REDRAW;
}

/* ---- the options ------------------------------------------------------------------------------------------ */

/* One of the two statistics. */
typedef struct lines_kind {
    stat_tap_ui ui;
    bool is_of_frames; /* names of fields follow its name in the option */
    tap_packet_cb print;
} lines_kind;

/* Frees the data of an option, when its listener is removed or was not registered. */
static void free_lines(void *listener)
{
    json_lines *lines = listener;
    g_ptr_array_free(lines->fields, true);
    g_hash_table_destroy(lines->descriptions);
    g_free(lines);
}

/* A filter that is true of each frame that is printed: every frame ("frame") for -z gamewire,frames, and those with a
 * message for -z gamewire,messages. It references the fields of the messages ("enet.json") and those of `names`, which
 * ends with NULL: Wireshark adds to a tree that is not visible only fields that a filter references. `user_filter`:
 * NULL or "" for all frames. */
static char *make_filter(const lines_kind *kind, char *const *names, const char *user_filter)
{
    GString *filter = g_string_new(kind->is_of_frames ? "(frame" : "(");
    for (size_t i = 0; i < array_length(protocols); i++)
        g_string_append_printf(filter, "%s%s.json", filter->len > 1 ? " || " : "", protocols[i]);
    for (; *names; names++)
        if (**names)
            g_string_append_printf(filter, " || %s", *names);
    g_string_append_c(filter, ')');
    if (user_filter && *user_filter)
        g_string_append_printf(filter, " && (%s)", user_filter);
    return g_string_free(filter, false);
}

/* Starts the statistic that the option -z names: registers a listener that prints each frame at once, and so has no
 * functions that reset or draw (NULL). False if its filter or the name of a field is wrong, which is reported. */
static bool begin(const char *option, const lines_kind *kind)
{
    /* The name of the statistic has a comma: "gamewire,frames,fields,filter", "gamewire,messages,filter". The filter,
     * the last part, may have more. */
    char **parts = g_strsplit(option, ",", kind->is_of_frames ? 4 : 3);
    unsigned count = g_strv_length(parts);
    char **names = g_strsplit(kind->is_of_frames && count > 2 ? parts[2] : "", " ", 0);
    unsigned filter_at = kind->is_of_frames ? 3 : 2;
    char *filter = make_filter(kind, names, count > filter_at ? parts[filter_at] : NULL);
    json_lines *lines = g_new0(json_lines, 1);
    *lines = (json_lines){ .fields = g_ptr_array_new(), .descriptions = g_hash_table_new(NULL, NULL) };
    for (size_t i = 0; i < array_length(protocols); i++)
        lines->protocols[i] = proto_get_id_by_filter_name(protocols[i]);
    for (unsigned i = 0; names[i]; i++) {
        /* The first of several fields that are registered with one name: add_values() goes on from it. */
        header_field_info *field = proto_registrar_get_byname(names[i]);
        while (field && field->same_name_prev_id >= 0)
            field = proto_registrar_get_nth((unsigned)field->same_name_prev_id);
        /* A name that is not registered makes the filter wrong, which is reported below. */
        if (field)
            g_ptr_array_add(lines->fields, field);
    }
    GString *error =
        register_tap_listener("frame", lines, filter, TL_REQUIRES_NOTHING, NULL, kind->print, NULL, free_lines);
    bool is_registered = !error;
    if (error) {
        report_failure("-z %s: %s", option, error->str);
        g_string_free(error, true);
        free_lines(lines);
    }
    g_free(filter);
    g_strfreev(names);
    g_strfreev(parts);
    return is_registered;
}

/* The callback of both options; `kind` is the user data of their registration. Since 4.6 it has a result. */
#if WS_AT_LEAST(4, 6)
static bool begin_option(const char *option, void *kind)
{
    return begin(option, kind);
}
#else
static void begin_option(const char *option, void *kind)
{
    begin(option, kind);
}
#endif

static lines_kind kinds[] = {
    { { REGISTER_STAT_GROUP_GENERIC, "Messages as JSON", "gamewire,messages", begin_option, 0, NULL },
      false,
      print_messages },
    { { REGISTER_STAT_GROUP_GENERIC, "Frames as JSON", "gamewire,frames", begin_option, 0, NULL }, true, print_frame },
};

/* Registers the two options -z. */
void gw_register_json_lines(void)
{
    for (size_t i = 0; i < array_length(kinds); i++)
        register_stat_tap_ui(&kinds[i].ui, &kinds[i]);
}
