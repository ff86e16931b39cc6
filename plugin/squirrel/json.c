/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A frame as JSON, from its head, its findings and the events of its values.
 */
#include "internal.h"

#include "common/findings.h"
#include "common/json.h"

#define NAME_SIZE 200

struct squirrel_json {
    packet_info *pinfo;
    gw_json expressions; /* arrays */
    gw_json functions;
    bool has_expressions;
    bool has_functions;
    const char *script; /* NULL: none */
    const char *error;  /* NULL: none */
};

squirrel_json *squirrel_json_new(packet_info *pinfo, proto_tree *tree)
{
    if (!gw_json_is_wanted(pinfo, tree, squirrel_hf.json))
        return NULL;
    squirrel_json *json = wmem_new0(pinfo->pool, squirrel_json);
    json->pinfo = pinfo;
    gw_json_init(&json->expressions, pinfo->pool);
    gw_json_init(&json->functions, pinfo->pool);
    gw_json_open_array(&json->expressions);
    gw_json_open_array(&json->functions);
    return json;
}

void squirrel_json_expression(squirrel_json *json, const char *expression)
{
    gw_json_string(&json->expressions, expression);
    json->has_expressions = true;
}

static void add_function(squirrel_json *json, const squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    char name[NAME_SIZE];
    gw_text text;
    gw_squirrel_options here = drawing->reader->options;
    here.offset = event->header.offset;
    gw_text_init(&text, name, sizeof name);
    if (!gw_squirrel_print_name(&text, drawing->reader->bytes, drawing->reader->length, &here))
        return;
    gw_json_string(&json->functions, name);
    json->has_functions = true;
}

void squirrel_json_add(squirrel_json *json, const squirrel_drawing *drawing, const gw_squirrel_event *event)
{
    if (event->kind == GW_OPEN && gw_squirrel_type_of(event->tag)->form == GW_SQUIRREL_FORM_CALL)
        add_function(json, drawing, event);
    if (event->kind != GW_VALUE || event->depth)
        return;
    if (event->tag == GW_SQUIRREL_STRING && event->role == GW_SQUIRREL_ROLE_SCRIPT && !json->script)
        json->script = squirrel_displayable(drawing, event);
    if (event->tag == GW_SQUIRREL_ERROR && !json->error)
        json->error = squirrel_displayable(drawing, event);
}

static void add_list(gw_json *text, const char *name, gw_json *list, bool has_any)
{
    gw_json_close_array(list);
    if (!has_any)
        return;
    gw_json_name(text, name);
    gw_json_value(text, list);
}

void squirrel_json_end(squirrel_json *json, proto_tree *tree, const char *kind, const gw_squirrel_frame *frame,
                       const squirrel_findings *findings, unsigned first_finding)
{
    const gw_json_head head = { .protocol = "squirrel", .kind = kind };
    gw_json text;
    gw_json_begin(&text, json->pinfo, &head);
    if (frame && frame->type->token)
        gw_json_add_int(&text, "token", frame->token);
    add_list(&text, "expression", &json->expressions, json->has_expressions);
    add_list(&text, "functions", &json->functions, json->has_functions);
    gw_json_add_string(&text, "script", json->script);
    if (findings && findings->part == SQUIRREL_ANSWER && !findings->retransmission_of)
        gw_json_add_time_between(&text, "response_time", &json->pinfo->abs_ts, &findings->command_time);
    gw_json_add_string(&text, "error", json->error);
    if (findings) {
        bool is_command = findings->part == SQUIRREL_COMMAND;
        gw_json_add_true(&text, "failed", is_command && findings->failed);
        gw_json_add_true(&text, "unanswered", is_command && findings->unanswered);
        gw_json_add_true(&text, "relayed", findings->relay_of != 0);
    }
    gw_json_add_notes(&text, json->pinfo, first_finding, gw_count_findings(json->pinfo));
    gw_json_end(&text, tree, squirrel_hf.json);
}
