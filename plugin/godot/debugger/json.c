/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A message as JSON, from its events and the stop that it belongs to.
 */
#include "internal.h"

#include "common/findings.h"
#include "common/items.h"
#include "common/json.h"

struct godot_debugger_json {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *bytes;
    const gw_godot_debugger_reader *reader;
    const char *name; /* NULL: none was read */
    gw_json arguments;
    uint32_t argument_count;
    gw_json_fields *groups[GW_GODOT_DEBUGGER_DEPTH + 2]; /* [depth]: where values of that depth are */
};

godot_debugger_json *godot_debugger_json_new(packet_info *pinfo, tvbuff_t *tvb, proto_tree *parent,
                                             const gw_godot_debugger_reader *reader)
{
    if (!gw_json_is_wanted(pinfo, parent, godot_debugger_hf.json))
        return NULL;
    godot_debugger_json *json = wmem_new0(pinfo->pool, godot_debugger_json);
    json->pinfo = pinfo;
    json->tvb = tvb;
    json->bytes = gw_bytes_of(tvb);
    json->reader = reader;
    json->groups[0] = json->groups[1] = gw_json_fields_new(pinfo->pool);
    gw_json_init(&json->arguments, pinfo->pool);
    gw_json_open_array(&json->arguments);
    return json;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

static gw_godot_options options_at(const godot_debugger_json *json, uint32_t offset)
{
    return (gw_godot_options){ .generation = (gw_godot_generation)json->reader->generation, .offset = offset };
}

static void add_argument(godot_debugger_json *json, const gw_godot_debugger_event *event)
{
    const gw_godot_options options = options_at(json, event->payload.offset);
    const godot_json added =
        godot_json_add(&json->arguments, NULL, json->pinfo, json->bytes, gw_span_end(event->payload), &options);
    json->argument_count += added.is_added;
}

/* A value of any type that has a name, as the literal of its field. */
static void put_literal(const godot_debugger_json *json, gw_json *value, const gw_godot_debugger_event *event)
{
    const gw_godot_options options = options_at(json, event->payload.offset);
    char literal[GODOT_VARIANT_TEXT + 1];
    gw_text text;
    gw_text_init(&text, literal, sizeof literal);
    gw_godot_print(&text, json->bytes, gw_span_end(event->payload), &options);
    gw_json_string(value, literal);
}

static const char *text_of(const godot_debugger_json *json, gw_span span)
{
    return gw_field_text(json->pinfo->pool, gw_text_of(json->pinfo->pool, json->tvb, span));
}

static void add_integers(const godot_debugger_json *json, gw_json_fields *group, int hf,
                         const gw_godot_debugger_event *event)
{
    for (uint32_t offset = event->payload.offset + 8; offset < gw_span_end(event->payload); offset += 4)
        gw_json_int(gw_json_field(group, hf), (int32_t)gw_le32(json->bytes + offset));
}

static void add_strings(const godot_debugger_json *json, gw_json_fields *group, int hf,
                        const gw_godot_debugger_event *event)
{
    const gw_godot_options options = options_at(json, event->payload.offset);
    gw_godot_reader reader;
    gw_godot_event root;
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_init(&reader, json->bytes, gw_span_end(event->payload), &options);
    if (gw_godot_next(&reader, &root) != GW_NEXT_EVENT)
        return;
    gw_godot_strings_init(&strings, json->bytes, &root);
    while (gw_godot_strings_next(&strings, &string))
        gw_json_string(gw_json_field(group, hf), text_of(json, string.text));
}

static void add_value(godot_debugger_json *json, const gw_godot_debugger_event *event)
{
    gw_json_fields *group = json->groups[event->depth];
    int hf = godot_debugger_field_of(event);
    gw_godot_debugger_kind kind = gw_godot_debugger_role_kind((gw_godot_debugger_role)event->role);
    bool is_any = godot_debugger_is_any(event);
    if (event->kind == GW_OPAQUE) {
        gw_json_hex(gw_json_field(group, godot_debugger_hf.undecoded), json->bytes + event->payload.offset,
                    event->payload.length);
    } else if (is_any && hf == godot_debugger_hf.members[GW_GODOT_DEBUGGER_ROLE_ARGUMENT]) {
        add_argument(json, event);
    } else if (is_any) {
        put_literal(json, gw_json_field(group, hf), event);
    } else if (kind == GW_GODOT_DEBUGGER_INTEGER && event->type == GW_GODOT_INT32_ARRAY) {
        add_integers(json, group, hf, event);
    } else if (kind == GW_GODOT_DEBUGGER_INTEGER || kind == GW_GODOT_DEBUGGER_ID) {
        gw_json_int(gw_json_field(group, hf), event->number);
    } else if (kind == GW_GODOT_DEBUGGER_REAL) {
        gw_json_real(gw_json_field(group, hf), event->type == GW_GODOT_FLOAT ? event->real : (double)event->number);
    } else if (kind == GW_GODOT_DEBUGGER_BOOLEAN) {
        gw_json_bool(gw_json_field(group, hf), event->number != 0);
    } else if (event->type == GW_GODOT_STRING_ARRAY) {
        add_strings(json, group, hf, event);
    } else if (event->role == GW_GODOT_DEBUGGER_ROLE_NAME) {
        if (!json->name)
            json->name = text_of(json, event->text);
    } else {
        gw_json_string(gw_json_field(group, hf), text_of(json, event->text));
    }
}

void godot_debugger_json_add(godot_debugger_json *json, const gw_godot_debugger_event *event)
{
    uint8_t depth = event->depth;
    if (event->role == GW_GODOT_DEBUGGER_ROLE_MESSAGE)
        return;
    if (event->kind == GW_OPEN)
        json->groups[depth + 1] = gw_json_fields_new(json->pinfo->pool);
    else if (event->kind == GW_CLOSE)
        gw_json_fields_end(gw_json_field(json->groups[depth], godot_debugger_hf.members[event->role]),
                           json->groups[depth + 1]);
    else
        add_value(json, event);
}

/* ---- messages -------------------------------------------------------------------------------------------- */

void godot_debugger_json_end(godot_debugger_json *json, proto_tree *tree, gw_godot_debugger_side sender,
                             const char *line, const godot_debugger_times *times, unsigned first_finding)
{
    const bool is_game = sender == GW_GODOT_DEBUGGER_GAME;
    const gw_json_head head = { .protocol = "godot_debugger",
                                .kind = json->name ? json->name : "unknown",
                                .from = is_game ? "game" : "editor",
                                .to = is_game ? "editor" : "game" };
    const struct {
        int hf;
        uint32_t frame;
    } frames[] = { { godot_debugger_hf.break_in, times->break_in },
                   { godot_debugger_hf.resumed_in, times->resumed_in },
                   { godot_debugger_hf.continue_in, times->continue_in } };
    gw_json_fields *fields = json->groups[0];
    gw_json text;
    for (size_t i = 0; i < array_length(frames); i++)
        if (frames[i].frame)
            gw_json_uint(gw_json_field(fields, frames[i].hf), frames[i].frame);
    if (times->has_until_resumed)
        gw_json_time(gw_json_field(fields, godot_debugger_hf.until_resumed), &times->until_resumed);
    if (times->has_break_time)
        gw_json_time(gw_json_field(fields, godot_debugger_hf.break_time), &times->break_time);
    gw_json_begin(&text, json->pinfo, &head);
    gw_json_add_string(&text, "log", line);
    gw_json_close_array(&json->arguments);
    if (json->argument_count) {
        gw_json_name(&text, "arguments");
        gw_json_value(&text, &json->arguments);
    }
    if (!gw_json_fields_are_empty(fields)) {
        gw_json_name(&text, "fields");
        gw_json_fields_end(&text, fields);
    }
    gw_json_add_notes(&text, json->pinfo, first_finding, gw_count_findings(json->pinfo));
    gw_json_end(&text, tree, godot_debugger_hf.json);
}

void godot_debugger_json_add_fault(packet_info *pinfo, tvbuff_t *tvb, proto_tree *tree, const gw_fault *fault,
                                   unsigned first_finding)
{
    const gw_json_head head = { .protocol = "godot_debugger", .kind = "unknown", .from = "editor", .to = "game" };
    uint32_t length = tvb_captured_length(tvb);
    gw_json text;
    if (!gw_json_is_wanted(pinfo, tree, godot_debugger_hf.json))
        return;
    gw_json_begin(&text, pinfo, &head);
    if (fault->offset < length) {
        gw_json_name(&text, "fields");
        gw_json_open_object(&text);
        gw_json_add_undecoded(&text, tvb, fault->offset);
        gw_json_close_object(&text);
    }
    gw_json_add_notes(&text, pinfo, first_finding, gw_count_findings(pinfo));
    gw_json_end(&text, tree, godot_debugger_hf.json);
}
